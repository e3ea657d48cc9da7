/* threads.c: runs work on several host threads; see threads.h. */
#include "threads.h"
#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

int threads_here(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > THREADS_MOST ? THREADS_MOST : (int)cores;
}

int threads_run(void *(*work)(void *), void *shares, size_t size, int count)
{
    pthread_t thread[THREADS_MOST];
    bool running[THREADS_MOST] = {false};
    int threads = 1;
    for (int i = 1; i < count; i++)
        running[i] = !pthread_create(&thread[i], NULL, work, (char *)shares + (size_t)i * size);
    for (int i = 0; i < count; i++)
        if (!running[i]) work((char *)shares + (size_t)i * size);
    for (int i = 1; i < count; i++)
        if (running[i]) {
            pthread_join(thread[i], NULL);
            threads++;
        }
    return threads;
}
