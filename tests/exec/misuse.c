/* misuse.c: programs that do what they should not, for misuse.sh: launches that are refused, sizes that no
 * number holds, damaged images, and CUDA where a thread is interrupted or ends. Each prints lines. None may
 * crash or hang, whatever the answers are. */
#include "by_hand.h"
#include <dlfcn.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>

typedef struct {
    void *at;
    size_t pitch, x, y;
} pitched;
typedef struct {
    size_t width, height, depth;
} extent;
int cudaMalloc3D(pitched *, extent), cudaMemset2D(void *, size_t, int, size_t, size_t);

KERNEL(needs_shared) KERNEL(hold96) KERNEL(endless) KERNEL(nothing_like_it) static void *registered;
static void registers(const char *path)
{
    wrapper.data = read_ptx(path);
    registered = __cudaRegisterFatBinary(&wrapper);
    REGISTER(registered, needs_shared), REGISTER(registered, hold96), REGISTER(registered, endless);
    REGISTER(registered, nothing_like_it);
    __cudaRegisterFatBinaryEnd(registered);
}

/* ---- launches that are refused: a block has 1024 threads at most ---- */
static int *some;
static void refuse(int times)
{
    if (!some) cudaMalloc((void **)&some, 4096);
    for (int i = 0; i < times; i++) launch_unseen(needs_shared, 1, 2048 + (unsigned)i, 64, ARGS(&some));
}
static void refused(void)
{
    refuse(3);
    launch_unseen(needs_shared, 0, 16, 64, ARGS(&some));
    launch_unseen(nothing_like_it, 1, 32, 0, ARGS(&some));
    launch_unseen(needs_shared, 1, 16, 64, ARGS(&some));
    say("over", cudaDeviceSynchronize()); /* which says nothing of launches that never began */
}
static void refused_and_read(void)
{
    refuse(3);
    say("peek", cudaPeekAtLastError());
}
static void refused_and_read_once(void)
{
    refuse(300);
    say("last", cudaGetLastError());
    refuse(700);
}
static void *refuses_apart(void *arg)
{
    refuse(2);
    return arg;
}
static void refused_elsewhere(void) /* the last error is a thread's own */
{
    pthread_t thread;
    pthread_create(&thread, NULL, refuses_apart, NULL);
    pthread_join(thread, NULL);
    say("last", cudaGetLastError());
}
static void refused_to_its_face(void)
{
    cudaMalloc((void **)&some, 4096);
    say("launch", launch(needs_shared, 1, 2048, 0, NULL, ARGS(&some)));
}

/* A node with a block that no card takes: it is not added, and the rest of the graph runs. */
typedef struct {
    const void *kernel;
    dim3 grid, block;
    unsigned shared;
    void **arguments, **more;
} kernel_node;
int cudaGraphCreate(void **, unsigned),
    cudaGraphAddKernelNode(void **, void *, void *const *, size_t, const kernel_node *);

static void bad_node(void)
{
    void *graph, *node, *ready;
    cudaMalloc((void **)&some, 4096);
    cudaGraphCreate(&graph, 0);
    kernel_node good = {needs_shared, {1, 1, 1}, {16, 1, 1}, 64, (void *[]){&some}, NULL}, bad = good;
    bad.block.x = 2048;
    say("good", cudaGraphAddKernelNode(&node, graph, NULL, 0, &good));
    cudaGraphAddKernelNode(&node, graph, NULL, 0, &bad);
    say("instantiate", cudaGraphInstantiate(&ready, graph, 0));
    say("launch", cudaGraphLaunch(ready, NULL));
    say("over", cudaDeviceSynchronize());
}

/* ptxas gives hold96 40 registers for each thread (-arch=sm_90): 1024 threads take 40,960 of 65,536. */
static void many_registers(void)
{
    enum { N = 96 * 1024 };
    static int in[N];
    int *a, *b, n = 1024, sum = 0, out[1024];
    for (int i = 0; i < N; i++) in[i] = i % 7;
    cudaMalloc((void **)&a, sizeof in);
    cudaMalloc((void **)&b, sizeof out);
    cudaMemcpy(a, in, sizeof in, HOST_DEVICE);
    say("launch", launch(hold96, 1, 1024, 0, NULL, ARGS(&a, &b, &n)));
    say("over", cudaMemcpy(out, b, sizeof out, DEVICE_HOST));
    for (int i = 0; i < 1024; i++) sum += out[i];
    for (int i = 0; i < N; i++) sum -= in[i];
    printf("%s\n", sum ? "wrong" : "right");
}

/* ---- sizes ---- */
static void sizes(void)
{
    void *p = (void *)1, *rest;
    size_t pitch = 1;
    pitched q = {(void *)1, 0, 0, 0};
    char h[64];
    const size_t half = (size_t)1 << 63;
    /* An H200 reckons modulo 2^64: 2^73 bytes are none, and so is SIZE_MAX when it is rounded up. To these it answers
     * InvalidValue. Of 1500 * (2^63 + 1) bytes 1536 are left, which it allocates. It writes the pitch whatever it
     * answers. */
    say("rows", cudaMallocPitch(&p, &pitch, 1000, half));
    printf("pitch %zu\n", pitch);
    say("a row", cudaMallocPitch(&p, &pitch, SIZE_MAX, 1));
    printf("pitch %zu\n", pitch);
    say("more rows", cudaMallocPitch(&rest, &pitch, 1500, half + 1));
    printf("pitch %zu\n", pitch);
    say("slices", cudaMalloc3D(&q, (extent){1 << 20, 1 << 22, 1 << 22}));
    say("more slices", cudaMalloc3D(&q, (extent){1 << 20, (1 << 22) + 1, 1 << 22}));
    say("a slice", cudaMalloc3D(&q, (extent){SIZE_MAX, 1, 1}));
    printf("untouched %d\n", p == (void *)1 && q.at == (void *)1);
    say("plain", cudaMalloc(&p, SIZE_MAX));
    say("small", cudaMallocPitch(&p, &pitch, 64, 64));
    say("copy", cudaMemcpy2D(p, 512, h, half, 64, 3, HOST_DEVICE));
    say("fill", cudaMemset2D(p, half, 0, 64, 3));
}

/* ---- what is loaded ---- */
static void *driver(const char *name)
{
    void *f = dlsym(RTLD_DEFAULT, name);
    if (!f) f = dlsym(dlopen("libcuda.so.1", RTLD_NOW), name);
    if (!f) exit(9);
    return f;
}
static void links(void)
{
    int (*create)(unsigned, int *, void **, void **) = driver("cuLinkCreate_v2");
    int (*destroy)(void *) = driver("cuLinkDestroy");
    int (*add)(void *, int, const void *, size_t, const char *, unsigned, int *, void **) = driver("cuLinkAddData_v2");
    int (*complete)(void *, void **, size_t *) = driver("cuLinkComplete");
    void *l = NULL, *out;
    size_t bytes;
    cudaFree(NULL);
    printf("create %d\n", create(0, NULL, NULL, &l));
    printf("destroy %d\n", destroy(l));
    printf("again %d\n", destroy(l));
    printf("add %d\n", add(l, 1, wrapper.data, strlen(wrapper.data) + 1, "x", 0, NULL, NULL));
    printf("complete %d\n", complete(l, &out, &bytes));
    printf("nothing %d\n", destroy(NULL));
}
static void wrong_length(void)
{
    /* a fat binary of one entry that says it has many bytes more than lie before the end of the mapping */
    const unsigned magic = 0xba55ed50, kind = 0x01010001, head = 64;
    const unsigned long long far = 1ull << 20, content = far - 64;
    char *two = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *f = two + 4096 - 128;
    munmap(two + 4096, 4096);
    f[4] = 1, f[6] = 16;
    memcpy(f, &magic, 4), memcpy(f + 8, &far, 8);
    memcpy(f + 16, &kind, 4), memcpy(f + 20, &head, 4), memcpy(f + 24, &content, 8);
    wrapper.data = f;
    say("whole", launch(needs_shared, 1, 32, 0, NULL, ARGS(&some)));
}
/* The entries are as they should be; the length of all is not, and what lies behind them cannot be read. */
static void wrong_total(void)
{
    const unsigned magic = 0xba55ed50, kind = 0x01010001, head = 64;
    const unsigned long long far = 1ull << 40, content = 4096 - 16 - 64;
    char *two = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(two + 4096, 4096);
    two[4] = 1, two[6] = 16;
    memcpy(two, &magic, 4), memcpy(two + 8, &far, 8);
    memcpy(two + 16, &kind, 4), memcpy(two + 20, &head, 4), memcpy(two + 24, &content, 8);
    wrapper.data = two;
    say("whole", launch(needs_shared, 1, 32, 0, NULL, ARGS(&some)));
}

/* ---- many allocations: the time counts (misuse.sh) ---- */
static void allocations(void)
{
    enum { MANY = 200000 };
    static void *p[MANY];
    int bad = 0;
    for (int i = 0; i < MANY; i++) bad += cudaMalloc(&p[i], 256) != 0;
    for (int i = 0; i < MANY; i++) bad += cudaFree(p[(size_t)i * 7919 % MANY]) != 0; /* a prime: each once */
    for (int i = 0; i < MANY; i += 1000) bad += cudaFree(p[i]) == 0;
    printf("%d failed\n", bad);
}

/* ---- threads that are interrupted, or end ---- */
static volatile int handled;
static void handler(int number)
{
    (void)number;
    launch_unseen(needs_shared, 1, 16, 64, ARGS(&some));
    handled++;
}
static void in_handler(void)
{
    int n = 100;
    cudaMalloc((void **)&some, 4096);
    signal(SIGALRM, handler);
    const struct itimerval often = {{0, 300}, {0, 300}};
    setitimer(ITIMER_REAL, &often, NULL);
    while (handled < 200) {
        launch(needs_shared, 1, 16, 64, NULL, ARGS(&some));
        cudaMemcpy(&n, some, 4, DEVICE_HOST);
        cudaDeviceSynchronize();
    }
    const struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &never, NULL);
    printf("handled %d\n", handled >= 200);
    say("over", cudaDeviceSynchronize());
}
/* The signal comes where the wait is over and the thread has the library's lock again, but does not know it yet: the
 * handler's call waits in vain. The next ones must not wait as long again, or a timer's signals leave the program no
 * time to go on. */
enum { NOT_PERMITTED = 800 };
static pthread_t interrupted;
static int (*libc_wait)(pthread_cond_t *, pthread_mutex_t *);
static volatile int interrupts;
static double first_call, other_calls;
int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m) /* the library calls this one */
{
    if (!libc_wait) *(void **)&libc_wait = dlsym(RTLD_NEXT, "pthread_cond_wait");
    const int code = libc_wait(c, m);
    if (interrupts && pthread_equal(pthread_self(), interrupted)) interrupts = 0, raise(SIGUSR1);
    return code;
}
static double seconds(void)
{
    struct timeval t;
    syscall(SYS_gettimeofday, &t, NULL); /* the real time, not the card's */
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}
static void calls_in_vain(int number)
{
    (void)number;
    for (int i = 0; i < 50; i++) {
        const double begin = seconds();
        handled += cudaFree(some) == NOT_PERMITTED;
        *(i ? &other_calls : &first_call) += seconds() - begin;
    }
}
static void handler_with_lock(void)
{
    int n;
    cudaMalloc((void **)&some, 4096);
    signal(SIGUSR1, calls_in_vain);
    interrupted = pthread_self();
    interrupts = 1;
    for (int i = 0; interrupts && i < 10000; i++) { /* until it has to wait */
        launch(needs_shared, 1, 16, 64, NULL, ARGS(&some));
        cudaMemcpy(&n, some, 4, DEVICE_HOST);
    }
    printf("refused %d\n", handled);
    printf("at once %d\n", other_calls < 10 * first_call);
    say("over", cudaDeviceSynchronize());
}
static void ends_in_handler(int number)
{
    (void)number;
    printf("handler\n");
    exit(4);
}
static void exit_in_handler(void) /* as Ctrl-C does where a program has a handler for it */
{
    cudaMalloc((void **)&some, 4096);
    launch(endless, 1, 1, 0, NULL, ARGS(&some));
    signal(SIGALRM, ends_in_handler);
    const struct itimerval once = {{0, 0}, {0, 100000}};
    setitimer(ITIMER_REAL, &once, NULL);
    cudaDeviceSynchronize();
}
static void *works(void *arg)
{
    for (;;) {
        launch(needs_shared, 1, 16, 64, NULL, ARGS(&some));
        cudaDeviceSynchronize();
        pthread_testcancel();
    }
    return arg;
}
static void cancelled(void)
{
    cudaMalloc((void **)&some, 4096);
    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, works, NULL);
        for (volatile int k = 0; k < 1000000; k++) {}
        pthread_cancel(thread);
        pthread_join(thread, NULL);
    }
    say("over", cudaDeviceSynchronize());
}
static void main_exits(void)
{
    cudaMalloc((void **)&some, 4096);
    launch(needs_shared, 1, 16, 64, NULL, ARGS(&some));
    printf("main ends\n");
    fflush(stdout);
    pthread_exit(NULL);
}

int main(int argc, char **argv)
{
    static const program all[] = {{"refused", refused},
                                  {"refused_and_read", refused_and_read},
                                  {"refused_and_read_once", refused_and_read_once},
                                  {"refused_elsewhere", refused_elsewhere},
                                  {"refused_to_its_face", refused_to_its_face},
                                  {"bad_node", bad_node},
                                  {"many_registers", many_registers},
                                  {"sizes", sizes},
                                  {"links", links},
                                  {"wrong_length", wrong_length},
                                  {"wrong_total", wrong_total},
                                  {"allocations", allocations},
                                  {"in_handler", in_handler},
                                  {"handler_with_lock", handler_with_lock},
                                  {"exit_in_handler", exit_in_handler},
                                  {"cancelled", cancelled},
                                  {"main_exits", main_exits}};
    if (argc < 3) return 9;
    registers(argv[1]);
    return run_program(all, sizeof all / sizeof *all, argv[2]);
}
