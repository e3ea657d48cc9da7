/* waits.c: kernels that meet the host, or each other, while they run: programs on CUDA's runtime for
 * exec.sh, built as programs.c is. What each must give follows from CUDA's rules: what a host or a
 * kernel has seen stays, atomic operations lose nothing, work of other streams goes on. */
#include "by_hand.h"

#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/select.h>

KERNEL(raise_flags)
KERNEL(bytes)
KERNEL(counts)
KERNEL(wait_flag)
KERNEL(ping_pong)
KERNEL(past_end)

/* Flags that blocks raise once each: a host that looks all the time sees each go from 0 to 1. */
static void never_undone(void)
{
    enum { BLOCKS = 64, ROUNDS = 20 };
    int vanished = 0, more = 0, *flags, *go;
    cudaMallocHost((void **)&flags, BLOCKS * sizeof *flags), cudaMallocHost((void **)&go, sizeof *go);
    for (int round = 0; round < ROUNDS; round++) {
        memset(flags, 0, BLOCKS * sizeof *flags);
        *go = 0;
        launch(raise_flags, BLOCKS, 32, 0, NULL, ARGS(&flags, &go));
        int before[BLOCKS] = {0};
        for (int up = 0; up < BLOCKS;) {
            up = 0;
            for (int i = 0; i < BLOCKS; i++) {
                const int is = ((volatile int *)flags)[i];
                vanished += is < before[i];
                more += is > 1;
                before[i] = is;
                up += is == 1;
            }
        }
        *(volatile int *)go = 1;
        cudaDeviceSynchronize();
    }
    printf("%d vanished, %d more than once\n", vanished, more);
}

/* The launch is begun again after its first plain stores: the host's bytes beside them stay. */
static void bytes_beside(void)
{
    enum { WORDS = 16 * 64 };
    unsigned char *p;
    int *go, lost = 0, missing = 0;
    cudaMallocHost((void **)&p, 4 * WORDS), cudaMallocHost((void **)&go, sizeof *go);
    memset(p, 0, 4 * WORDS);
    *go = 0;
    launch(bytes, 16, 64, 0, NULL, ARGS(&p, &go));
    for (int i = 0; !((volatile unsigned char *)p)[4 * i]; i = (i + 1) % WORDS) {} /* some block has begun */
    for (int i = 0; i < WORDS; i++) p[4 * i + 1] = 7;
    usleep(1000);
    *(volatile int *)go = 1;
    say("over", cudaDeviceSynchronize());
    for (int i = 0; i < WORDS; i++) lost += p[4 * i + 1] != 7, missing += p[4 * i] != 1;
    printf("%d of the host's lost, %d of the kernel's missing\n", lost, missing);
}

/* Host and kernel change the same words. */
static void atomics_together(void)
{
    enum { TURNS = 300, THREADS = 8 * 32, MINE = 2000000 };
    int *n, turns = TURNS;
    cudaMallocManaged((void **)&n, 3 * sizeof *n, 1);
    memset(n, 0, 3 * sizeof *n);
    launch(counts, 8, 32, 0, NULL, ARGS(&n, &turns));
    for (int i = 0; i < MINE; i++) __atomic_fetch_add(&n[0], 1, __ATOMIC_SEQ_CST);
    for (int i = 0; i < 1000; i++) __atomic_fetch_xor(&n[2], 1, __ATOMIC_SEQ_CST);
    cudaDeviceSynchronize();
    /* each bit of n[2] changes 8 * 300 times, bit 0 another 1000 times: an even number */
    printf("%d short, %d, %d\n", TURNS * THREADS + MINE - n[0], n[1], n[2]);
}

/* While a kernel waits for a flag the host allocates, copies, reads, and only then raises it. */
static void host_goes_on(void)
{
    int *flag, *out, *d, h[4] = {1, 2, 3, 4}, back[4] = {0};
    void *s;
    cudaMallocHost((void **)&flag, 4), cudaMallocHost((void **)&out, 4);
    *flag = *out = 0;
    cudaStreamCreateWithFlags(&s, 1);
    launch(wait_flag, 1, 1, 0, s, ARGS(&flag, &out));
    say("malloc", cudaMalloc((void **)&d, sizeof h));
    say("copy", cudaMemcpy(d, h, sizeof h, HOST_DEVICE));
    say("copy back", cudaMemcpy(back, d, sizeof h, DEVICE_HOST));
    printf("%d %d %d %d\n", back[0], back[1], back[2], back[3]);
    say("not over", cudaStreamQuery(s));
    *(volatile int *)flag = 1;
    say("over", cudaDeviceSynchronize());
    printf("%d\n", *out);
}

/* The flag lies in the card's memory: another stream's copy raises it. */
static void flag_by_copy(void)
{
    int *flag, *out, one = 1, h = 0, *pinned;
    void *s, *t, *e;
    cudaMalloc((void **)&flag, 4), cudaMalloc((void **)&out, 4), cudaMallocHost((void **)&pinned, 4);
    cudaMemset(flag, 0, 4), cudaMemset(out, 0, 4);
    cudaDeviceSynchronize();
    cudaStreamCreateWithFlags(&s, 1), cudaStreamCreateWithFlags(&t, 1);
    cudaEventCreate(&e);
    launch(wait_flag, 1, 1, 0, s, ARGS(&flag, &out));
    cudaEventRecord(e, s);
    *pinned = one;
    cudaMemcpyAsync(flag, pinned, 4, HOST_DEVICE, t);
    say("the copy", cudaStreamSynchronize(t));
    say("the kernel", cudaEventSynchronize(e));
    cudaMemcpy(&h, out, 4, DEVICE_HOST);
    printf("%d\n", h);
}

/* Two kernels that wait for each other, a hundred times; a third that only then may begin. */
static void kernels_take_turns(void)
{
    int *ball, *out, h = 0, zero = 0, one = 1, turns = 100;
    void *s, *t, *e;
    cudaMalloc((void **)&ball, 4), cudaMalloc((void **)&out, 4);
    cudaMemset(ball, 0, 4);
    cudaDeviceSynchronize();
    cudaStreamCreateWithFlags(&s, 1), cudaStreamCreateWithFlags(&t, 1), cudaEventCreate(&e);
    launch(ping_pong, 1, 1, 0, s, ARGS(&ball, &zero, &turns));
    launch(ping_pong, 1, 1, 0, t, ARGS(&ball, &one, &turns));
    cudaEventRecord(e, t);
    cudaStreamWaitEvent(s, e, 0);
    launch(wait_flag, 1, 1, 0, s, ARGS(&ball, &out));
    say("over", cudaDeviceSynchronize());
    cudaMemcpy(&h, ball, 4, DEVICE_HOST);
    printf("%d", h);
    cudaMemcpy(&h, out, 4, DEVICE_HOST);
    printf(" %d\n", h);
}

/* A graph whose kernel waits for the host: launching it comes back at once, and it may be destroyed. */
static void graph_waits(void)
{
    int *flag, *out;
    void *s, *g, *x;
    cudaMallocHost((void **)&flag, 4), cudaMallocHost((void **)&out, 4);
    *flag = *out = 0;
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, 0);
    launch(wait_flag, 1, 1, 0, s, ARGS(&flag, &out));
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&x, g, 0);
    say("launched", cudaGraphLaunch(x, s));
    say("destroyed", cudaGraphExecDestroy(x) + cudaGraphDestroy(g));
    *(volatile int *)flag = 1;
    say("over", cudaStreamSynchronize(s));
    printf("%d\n", *out);
}

/* ---- waits with an end, in the program's time ---- */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static struct timespec in(double seconds)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += (long)(seconds * 1e9);
    t.tv_sec += t.tv_nsec / 1000000000, t.tv_nsec %= 1000000000;
    return t;
}
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int is_ready;
static void *works(void *arg)
{
    int *n = arg, turns = 30000;
    launch(counts, 8, 32, 0, NULL, ARGS(&n, &turns));
    cudaDeviceSynchronize();
    pthread_mutex_lock(&lock);
    is_ready = 1;
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&lock);
    return NULL;
}
static void timed_waits(void)
{
    int *n, code = 0;
    cudaMalloc((void **)&n, 12);
    double t = now();
    poll(NULL, 0, 3000);
    select(0, NULL, NULL, NULL, &(struct timeval){4, 0});
    t = now() - t;
    printf("without anything to wait for: %d\n", t >= 6.999 && t < 7.1);
    int ends[2];
    struct pollfd p = {.events = POLLIN};
    if (pipe(ends)) return;
    p.fd = ends[0];
    t = now();
    code = poll(&p, 1, 30);
    t = now() - t;
    printf("an empty pipe: %d, %d\n", code, t >= 0.0299 && t < 0.1);
    if (write(ends[1], "x", 1) != 1) return;
    printf("then: %d\n", poll(&p, 1, 1000));
    sem_t s;
    sem_init(&s, 0, 0);
    t = now();
    struct timespec end = in(0.02);
    code = sem_timedwait(&s, &end);
    printf("a semaphore: %s, %d\n", code && errno == ETIMEDOUT ? "timed out" : "?", now() - t < 0.1);
    /* The card works for much less than 50 ms, however long the simulation of it takes. */
    pthread_t thread;
    end = in(0.05);
    pthread_mutex_lock(&lock);
    pthread_create(&thread, NULL, works, n);
    for (code = 0; !is_ready && !code;) code = pthread_cond_timedwait(&ready, &lock, &end);
    pthread_mutex_unlock(&lock);
    printf("a condition: %s\n", code ? "timed out" : "came");
    pthread_join(thread, NULL);
}

/* An access past the end of an allocation, `at` elements from its start. */
static void past(int at)
{
    int *p, *out, h[64], zeros = 0;
    cudaMalloc((void **)&p, 64 * sizeof *p), cudaMalloc((void **)&out, 64 * sizeof *out);
    cudaMemset(p, 0xff, 64 * sizeof *p), cudaMemset(out, 0xff, 64 * sizeof *out);
    launch(past_end, 2, 32, 0, NULL, ARGS(&p, &out, &at));
    say("over", cudaDeviceSynchronize());
    if (cudaMemcpy(h, out, sizeof h, DEVICE_HOST)) return;
    for (int i = 0; i < 64; i++) zeros += !h[i];
    printf("%d zeros\n", zeros);
}
static void past_a_little(void) { past(64); }
static void past_by_a_page(void) { past(1 << 18); }    /* 1 MiB */
static void before_all(void) { past(-4096); }          /* of the first allocation */
static void before_by_far(void) { past(-(32 << 20) / 4); }
static void past_by_far(void) { past((3 << 20) / 4); } /* beyond the pages of 2 MiB that hold it */

int main(int argc, char **argv)
{
    static const program all[] = {
        {"never_undone", never_undone},     {"bytes_beside", bytes_beside}, {"atomics_together", atomics_together},
        {"host_goes_on", host_goes_on},     {"flag_by_copy", flag_by_copy}, {"kernels_take_turns", kernels_take_turns},
        {"graph_waits", graph_waits},       {"timed_waits", timed_waits},   {"past_a_little", past_a_little},
        {"past_by_a_page", past_by_a_page}, {"past_by_far", past_by_far},   {"before_all", before_all},
        {"before_by_far", before_by_far}};
    if (argc < 3) return 9;
    wrapper.data = read_ptx(argv[1]);
    void **h = __cudaRegisterFatBinary(&wrapper);
    REGISTER(h, raise_flags), REGISTER(h, bytes), REGISTER(h, counts), REGISTER(h, wait_flag);
    REGISTER(h, ping_pong), REGISTER(h, past_end);
    return run_program(all, sizeof all / sizeof *all, argv[2]);
}
