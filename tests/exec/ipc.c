/* ipc.c: two processes share memory of the card and an event, for exec.sh. Values are worked out
 * here: 1 2 3 4 doubled by one process and doubled again by the other. */
#include "by_hand.h"

typedef struct {
    char bytes[64];
} ipc_handle;
int cudaIpcGetMemHandle(ipc_handle *, void *), cudaIpcOpenMemHandle(void **, ipc_handle, unsigned),
    cudaIpcCloseMemHandle(void *);
int cudaIpcGetEventHandle(ipc_handle *, void *), cudaIpcOpenEventHandle(void **, ipc_handle);
int cudaEventCreateWithFlags(void **, unsigned);
enum { N = 4, LAZY = 1, NO_TIMING_SHARED = 2 | 4 };

KERNEL(add)

static void send(int to, const void *data, size_t bytes)
{
    if (write(to, data, bytes) != (ssize_t)bytes) _exit(8);
}
static void receive(int from, void *data, size_t bytes)
{
    if (read(from, data, bytes) != (ssize_t)bytes) _exit(8);
}
static void doubles(void *at, void *stream)
{
    float *p = at;
    int n = N;
    launch(add, 1, 32, 0, stream, ARGS(&p, &p, &p, &n));
}
static void shows(const char *who, const void *at)
{
    float h[N];
    say(who, cudaMemcpy(h, at, sizeof h, DEVICE_HOST));
    printf("%g %g %g %g\n", h[0], h[1], h[2], h[3]);
}

static void other(int from, int to)
{
    ipc_handle memory, event, broken;
    void *at, *again, *e, *stream;
    receive(from, &memory, sizeof memory), receive(from, &event, sizeof event);
    memset(&broken, 0x5a, sizeof broken);
    say("child: no handle", cudaIpcOpenMemHandle(&at, broken, LAZY));
    say("child: wrong flags", cudaIpcOpenMemHandle(&at, memory, 0));
    say("child: opens", cudaIpcOpenMemHandle(&at, memory, LAZY));
    say("child: opens again", cudaIpcOpenMemHandle(&again, memory, LAZY));
    printf("child: the same %d\n", at == again);
    say("child: event", cudaIpcOpenEventHandle(&e, event));
    cudaStreamCreate(&stream);
    say("child: waits", cudaStreamWaitEvent(stream, e, 0));
    doubles(at, stream);
    say("child: over", cudaStreamSynchronize(stream));
    say("child: passed", cudaEventQuery(e));
    shows("child: reads", at);
    say("child: frees", cudaFree(at));
    say("child: closes", cudaIpcCloseMemHandle(again));
    shows("child: reads", at);
    say("child: closes", cudaIpcCloseMemHandle(at));
    say("child: closes", cudaIpcCloseMemHandle(at));
    fflush(stdout);
    send(to, "", 1);
}

int main(int argc, char **argv)
{
    int there[2], back[2], status;
    char over;
    if (argc < 2 || pipe(there) || pipe(back)) return 9;
    wrapper.data = read_ptx(argv[1]);
    void **h = __cudaRegisterFatBinary(&wrapper);
    REGISTER(h, add);
    const pid_t child = fork(); /* before either uses CUDA */
    if (!child) {
        other(there[0], back[1]);
        return 0;
    }
    ipc_handle memory, event;
    void *p, *managed, *e, *plain;
    const float from[N] = {1, 2, 3, 4};
    cudaMalloc(&p, sizeof from), cudaMallocManaged(&managed, 4, 1);
    cudaMemcpy(p, from, sizeof from, HOST_DEVICE);
    cudaEventCreateWithFlags(&e, NO_TIMING_SHARED), cudaEventCreate(&plain);
    say("managed", cudaIpcGetMemHandle(&memory, managed));
    say("plain event", cudaIpcGetEventHandle(&event, plain));
    say("memory", cudaIpcGetMemHandle(&memory, (char *)p + 4)); /* any byte of it stands for all */
    say("event", cudaIpcGetEventHandle(&event, e));
    say("its own", cudaIpcOpenMemHandle(&managed, memory, LAZY));
    doubles(p, NULL);
    say("records", cudaEventRecord(e, NULL));
    fflush(stdout);
    send(there[1], &memory, sizeof memory), send(there[1], &event, sizeof event);
    receive(back[0], &over, 1);
    shows("parent: reads", p);
    say("parent: frees", cudaFree(p));
    return waitpid(child, &status, 0) != child || status;
}
