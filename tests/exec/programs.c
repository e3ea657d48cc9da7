/* programs.c: small programs on CUDA's runtime, one for each behaviour, for exec.sh. They need no
 * compiler of CUDA's: what nvcc would put into the host's code stands here by hand, with the PTX read
 * from kernels.ptx. Each prints lines for exec.sh to compare. Expected values are worked out here or
 * are what CUDA's documentation says; none is our own output. */
#include "by_hand.h"

KERNEL(add)
KERNEL(scale)
KERNEL(count)
KERNEL(far_away)
KERNEL(misaligned)
KERNEL(says)
KERNEL(asserts)
KERNEL(wait_flag)
KERNEL(long_one) KERNEL(needs_shared) KERNEL(sample) KERNEL(endless) KERNEL(racy) KERNEL(chain) static int table[4];
static float factors[2];
static int *counted;

static const void *packed(const char *text, int harm);
static void registers(const char *path, const char *program)
{
    const char *text = read_ptx(path);
    wrapper.data = !strcmp(program, "lz4") ? packed(text, 0) : !strcmp(program, "lz4_damaged") ? packed(text, 1) : text;
    void **h = __cudaRegisterFatBinary(&wrapper);
    REGISTER(h, add), REGISTER(h, scale), REGISTER(h, count), REGISTER(h, far_away), REGISTER(h, misaligned),
        REGISTER(h, says);
    REGISTER(h, asserts), REGISTER(h, wait_flag), REGISTER(h, long_one), REGISTER(h, needs_shared), REGISTER(h, sample);
    REGISTER(h, endless), REGISTER(h, racy), REGISTER(h, chain);
    __cudaRegisterVar(h, (char *)table, "table", "table", 0, sizeof table, 0, 0);
    __cudaRegisterVar(h, (char *)factors, "factors", "factors", 0, sizeof factors, 1, 0);
    if (strcmp(program, "returns")) /* memory that the host sees: what repeats is not put off then */
        __cudaRegisterManagedVar(h, (void **)&counted, "counted", "counted", 0, sizeof *counted, 0, 0);
    __cudaRegisterFatBinaryEnd(h);
}

/* The same as older compilers embed it: a fat binary with one entry of PTX, packed as an LZ4 block.
 * With `harm` a byte of it is wrong. */
static size_t pack(unsigned char *to, const unsigned char *from, size_t bytes)
{
    static size_t last[1 << 16]; /* where four bytes like these were, and one more */
    size_t out = 0, plain = 0, i = 0;
    while (i < bytes) {
        size_t same = 0, back = 0;
        if (i + 12 < bytes) { /* the last bytes of a block are always plain */
            unsigned h =
                (from[i] | from[i + 1] << 8 | from[i + 2] << 16 | (unsigned)from[i + 3] << 24) * 2654435761u >> 16;
            if (last[h] && i - (last[h] - 1) < 65536) {
                back = i - (last[h] - 1);
                while (i + same + 6 < bytes && from[i + same] == from[i + same - back]) same++;
            }
            last[h] = i + 1;
        }
        if (same < 4 && i + 1 < bytes) {
            i++;
            continue;
        }
        if (same < 4) i = bytes, same = 0;
        const size_t run = i - plain, more = same ? same - 4 : 0;
        to[out++] = (unsigned char)((run < 15 ? run : 15) << 4 | (more < 15 ? more : 15));
        if (run >= 15) {
            size_t left = run - 15;
            for (; left >= 255; left -= 255) to[out++] = 255;
            to[out++] = (unsigned char)left;
        }
        memcpy(to + out, from + plain, run), out += run;
        if (same) {
            to[out++] = (unsigned char)back, to[out++] = (unsigned char)(back >> 8);
            if (more >= 15) {
                size_t left = more - 15;
                for (; left >= 255; left -= 255) to[out++] = 255;
                to[out++] = (unsigned char)left;
            }
        }
        i += same;
        plain = i;
    }
    return out;
}
static const void *packed(const char *text, int harm)
{
    const size_t bytes = strlen(text) + 1;
    unsigned char *f = calloc(1, 2 * bytes + 1024), *e = f + 16;
    const size_t n = pack(e + 64, (const unsigned char *)text, bytes), whole = (n + 7) / 8 * 8;
    const unsigned magic = 0xba55ed50, kind = 0x01010001, head = 64, size = (unsigned)n, arch = 75;
    const unsigned long long all = 64 + whole, content = whole, flags = 0x2000, unpacked = bytes;
    f[4] = 1, f[6] = 16;
    memcpy(f, &magic, 4), memcpy(f + 8, &all, 8);
    memcpy(e, &kind, 4), memcpy(e + 4, &head, 4), memcpy(e + 8, &content, 8), memcpy(e + 16, &size, 4);
    memcpy(e + 28, &arch, 4), memcpy(e + 40, &flags, 8), memcpy(e + 56, &unpacked, 8);
    if (harm) memset(e + 64 + n / 2, 0, 64);
    return f;
}

enum { N = 1000 };

/* ---- programs ---- */
static void vector_add(void)
{
    float h[N], *a, *b, *c, bad = 0;
    int n = N;
    for (int i = 0; i < N; i++) h[i] = (float)i;
    cudaMalloc((void **)&a, sizeof h), cudaMalloc((void **)&b, sizeof h), cudaMalloc((void **)&c, sizeof h);
    cudaMemcpy(a, h, sizeof h, HOST_DEVICE), cudaMemcpy(b, h, sizeof h, ANY);
    launch(add, 4, 256, 0, NULL, ARGS(&a, &b, &c, &n));
    cudaMemcpy(h, c, sizeof h, DEVICE_HOST);
    for (int i = 0; i < N; i++) bad += h[i] != 2 * (float)i;
    printf("%g wrong\n", bad);
    say("freed", cudaFree(a));
    say("freed twice", cudaFree(a));
    say("last", cudaGetLastError());
    say("last again", cudaGetLastError());
}

static void symbols(void)
{
    float f[2] = {2, 10}, h[4] = {1, 2, 3, 4}, *a;
    int n = 4, t[4];
    cudaMalloc((void **)&a, sizeof h);
    cudaMemcpy(a, h, sizeof h, HOST_DEVICE);
    cudaMemcpyToSymbol(factors, f, sizeof f, 0, HOST_DEVICE);
    launch(scale, 1, 4, 0, NULL, ARGS(&a, &n));
    cudaMemcpy(h, a, sizeof h, DEVICE_HOST);
    cudaMemcpyFromSymbol(t, table, sizeof t, 0, DEVICE_HOST);
    printf("%g %g %g %g, table %d %d %d %d\n", h[0], h[1], h[2], h[3], t[0], t[1], t[2], t[3]); /* x*2 + 10 + table */
    say("too many bytes", cudaMemcpyToSymbol(factors, f, 12, 0, HOST_DEVICE));
    say("no symbol", cudaMemcpyToSymbol(h, f, 4, 0, HOST_DEVICE));
}

static void managed(void)
{
    printf("begins with %d\n", *counted);
    *counted = 100;
    launch(count, 2, 64, 0, NULL, ARGS(NULL));
    cudaDeviceSynchronize();
    printf("then %d\n", *counted);
    int *p, *host, *mapped, out = 0;
    cudaMallocManaged((void **)&p, 64, 1);
    memset(p, 0, 64);
    cudaHostAlloc((void **)&host, 64, 2);
    cudaHostGetDevicePointer((void **)&mapped, host, 0);
    launch(needs_shared, 1, 16, 64, NULL, ARGS(&p));
    launch(needs_shared, 1, 16, 64, NULL, ARGS(&mapped));
    cudaDeviceSynchronize();
    for (int i = 0; i < 16; i++) out += p[i] == 15 - i && host[i] == 15 - i;
    printf("%d of 16\n", out);
}

/* A kernel that waits for the host, which writes only after the launch has come back. */
static void flag(void)
{
    int *f, *out;
    cudaMallocHost((void **)&f, 4), cudaMallocHost((void **)&out, 4);
    *f = *out = 0;
    say("launched", launch(wait_flag, 1, 1, 0, NULL, ARGS(&f, &out)));
    usleep(1000);
    *(volatile int *)f = 1;
    say("over", cudaDeviceSynchronize());
    printf("%d\n", *out);
}

static void errors(void)
{
    int *p, n = 4;
    cudaMalloc((void **)&p, 64);
    say("too many threads", launch(needs_shared, 1, 2048, 0, NULL, ARGS(&p)));
    say("no blocks", launch(needs_shared, 0, 32, 0, NULL, ARGS(&p)));
    say("peek", cudaPeekAtLastError());
    say("last", cudaGetLastError());
    say("last again", cudaGetLastError());
    say("too much shared", launch(needs_shared, 1, 16, 100000, NULL, ARGS(&p)));
    say("asked for", cudaFuncSetAttribute((const void *)needs_shared, 8, 100000));
    say("now", launch(needs_shared, 1, 16, 100000, NULL, ARGS(&p)));
    say("no kernel", launch((void (*)(void))errors, 1, 1, 0, NULL, ARGS(&p)));
    say("host pointer", cudaMemcpy(&n, p, 4, HOST_DEVICE));
    say("null", cudaMemcpy(p, NULL, 4, HOST_DEVICE));
    say("past the end", cudaMemcpy(p, p, 65, DEVICE_DEVICE));
    say("free of the host's", cudaFree(&n));
    void *s;
    cudaStreamCreate(&s), cudaStreamDestroy(s);
    say("destroyed stream", launch(needs_shared, 1, 16, 64, s, ARGS(&p)));
    say("no device", cudaSetDevice(7));
    say("over", cudaDeviceSynchronize());
    printf("%s\n", cudaGetErrorString(700));
}

static void sticky(void (*kernel)(void))
{
    int *p;
    cudaMalloc((void **)&p, 64);
    say("launched", launch(kernel, 1, 1, 0, NULL, ARGS(&p)));
    say("synchronised", cudaDeviceSynchronize());
    say("last", cudaGetLastError());
    say("malloc", cudaMalloc((void **)&p, 64));
    say("launch", launch(needs_shared, 1, 16, 64, NULL, ARGS(&p)));
}
static void illegal(void) { sticky(far_away); }
static void unaligned(void) { sticky(misaligned); }

static void prints(void)
{
    int n = 5;
    launch(says, 1, 2, 0, NULL, ARGS(&n));
    printf("before\n");
    cudaDeviceSynchronize();
    printf("after\n");
}
static void prints_much(void)
{
    int n = 5;
    say("limit", cudaDeviceSetLimit(1, 8192));
    launch(says, 64, 64, 0, NULL, ARGS(&n));
    say("over", cudaDeviceSynchronize());
}
static void asserting(void)
{
    int n = 4;
    launch(asserts, 1, 2, 0, NULL, ARGS(&n));
    say("assert", cudaDeviceSynchronize());
}

/* Two streams on which copies and kernels overlap; an event that orders them. */
static void called(void *arg) { *(int *)arg += 1; }
static void streams(void)
{
    enum { BIG = 1 << 22 };
    void *s[2], *e0, *e1, *e2;
    float *h[2], *d[2], ms = 0, both = 0;
    int turns = 20000, calls = 0;
    cudaEventCreate(&e0), cudaEventCreate(&e1), cudaEventCreate(&e2);
    for (int i = 0; i < 2; i++) {
        cudaStreamCreate(&s[i]);
        cudaMallocHost((void **)&h[i], BIG), cudaMalloc((void **)&d[i], BIG);
    }
    cudaEventRecord(e0, s[0]);
    cudaMemcpyAsync(d[0], h[0], BIG, HOST_DEVICE, s[0]);
    cudaEventRecord(e1, s[0]);
    cudaStreamWaitEvent(s[1], e1, 0);
    launch(long_one, 1, 32, 0, s[1], ARGS(&d[0], &turns));
    cudaMemcpyAsync(d[1], h[1], BIG, HOST_DEVICE, s[0]); /* beside the kernel */
    cudaEventRecord(e2, s[0]);
    cudaLaunchHostFunc(s[1], called, &calls);
    printf("query %s\n", cudaStreamQuery(s[1]) == 600 ? "not ready" : "?");
    cudaStreamSynchronize(s[1]);
    cudaDeviceSynchronize();
    cudaEventElapsedTime(&ms, e0, e1);
    cudaEventElapsedTime(&both, e0, e2);
    /* 4 MiB at 55.5 GB/s are 76 us, and 10 us for the copy itself */
    printf("a copy takes 80 to 95 us: %d, two twice that: %d, %d call\n",
           ms > 0.080f && ms<0.095f, both> 1.9f * ms && both < 2.2f * ms, calls);
}

static void graphs(void)
{
    void *s, *g, *e;
    float h[4] = {1, 2, 3, 4}, f[2] = {2, 0}, *d, *pinned;
    int n = 4;
    cudaStreamCreate(&s);
    cudaMalloc((void **)&d, sizeof h), cudaMallocHost((void **)&pinned, sizeof h);
    cudaMemcpy(d, h, sizeof h, HOST_DEVICE);
    cudaMemcpyToSymbol(factors, f, sizeof f, 0, HOST_DEVICE);
    say("begin", cudaStreamBeginCapture(s, 0));
    launch(scale, 1, 4, 0, s, ARGS(&d, &n));
    cudaMemcpyAsync(pinned, d, sizeof h, DEVICE_HOST, s);
    say("end", cudaStreamEndCapture(s, &g));
    say("instantiate", cudaGraphInstantiate(&e, g, 0));
    for (int i = 0; i < 2; i++) say("launch", cudaGraphLaunch(e, s));
    cudaStreamSynchronize(s);
    printf("%g %g %g %g\n", pinned[0], pinned[1], pinned[2], pinned[3]); /* x*2 + k + 1, twice: 4x + 3(k+1) */
}

/* Answers of an H200: a wait within a capture fails, and so does the end of the capture. */
static void broken_capture(void)
{
    void *s, *g;
    cudaStreamCreate(&s);
    say("begin", cudaStreamBeginCapture(s, 0));
    say("a wait is not captured", cudaStreamSynchronize(s));
    say("end", cudaStreamEndCapture(s, &g));
    say("begin", cudaStreamBeginCapture(s, 0));
    say("end", cudaStreamEndCapture(s, &g));
}

static void textures(void)
{
    struct {
        int type, pad;
        void *array;
        char rest[136];
    } r = {0};
    struct {
        int outside[3], filter, mode, rest[13];
    } t = {{1, 1, 1}, 0, 0, {0}};
    float h[6] = {1, 2, 3, 4, 5, 6}, *d;
    unsigned long long object = 0;
    desc f32 = {32, 0, 0, 0, 2};
    int w = 3;
    say("array", cudaMallocArray(&r.array, &f32, 3, 2, 0));
    say("copy", cudaMemcpy2DToArray(r.array, 0, 0, h, 12, 12, 2, HOST_DEVICE));
    say("object", cudaCreateTextureObject(&object, &r, &t, NULL));
    cudaMalloc((void **)&d, 64);
    cudaLaunchKernel((const void *)sample, (dim3){1, 1, 1}, (dim3){3, 2, 1}, ARGS(&object, &d, &w), 0, NULL);
    memset(h, 0, sizeof h);
    cudaMemcpy(h, d, sizeof h, DEVICE_HOST);
    printf("%g %g %g %g %g %g\n", h[0], h[1], h[2], h[3], h[4], h[5]);
}

static void pitched(void)
{
    size_t pitch = 0;
    char *d, h[3][5], back[3][5] = {{0}};
    for (int i = 0; i < 15; i++) h[i / 5][i % 5] = (char)(i + 1);
    cudaMallocPitch((void **)&d, &pitch, 5, 3);
    say("to", cudaMemcpy2D(d, pitch, h, 5, 5, 3, HOST_DEVICE));
    say("back", cudaMemcpy2D(back, 5, d, pitch, 5, 3, DEVICE_HOST));
    say("width", cudaMemcpy2D(back, 4, d, pitch, 5, 3, DEVICE_HOST));
    printf("%s, pitch %d\n", memcmp(h, back, 15) ? "differ" : "same", pitch % 256 == 0);
}

static void cards(void)
{
    int count = 0, h[16] = {0}, *d[2];
    cudaGetDeviceCount(&count);
    for (int i = 0; i < 2; i++) {
        cudaSetDevice(i);
        cudaMalloc((void **)&d[i], sizeof h);
        launch(needs_shared, 1, 16, 64, NULL, ARGS(&d[i]));
    }
    cudaMemset(d[1], 0, 32);
    say("between cards", cudaMemcpy(d[0], d[1], sizeof h, ANY));
    cudaMemcpy(h, d[0], sizeof h, DEVICE_HOST);
    printf("%d cards, addresses %s, %d %d\n", count, d[0] == d[1] ? "alike" : "differ", h[7], h[8]); /* 0, and 15 - 8 */
}

/* What one card allocates after another may reach it is reached too. */
static void peers(void)
{
    int *d, h[4];
    cudaSetDevice(0);
    say("peer", cudaDeviceEnablePeerAccess(1, 0));
    cudaSetDevice(1);
    cudaMalloc((void **)&d, 16 * sizeof *d);
    cudaSetDevice(0);
    launch(needs_shared, 1, 16, 64, NULL, ARGS(&d)); /* out[i] = 15 - i */
    say("over", cudaDeviceSynchronize());
    cudaMemcpy(h, d, sizeof h, DEVICE_HOST);
    printf("%d %d %d %d\n", h[0], h[1], h[2], h[3]);
    cudaSetDevice(1);
    say("freed", cudaFree(d));
}

/* One card writes into another's memory, which that one has set back: each time, and not only while it is new. */
static void peers_again(void)
{
    float *d, h[32];
    int turns = 20000, rounds = 0;
    cudaSetDevice(1);
    cudaMalloc((void **)&d, sizeof h);
    cudaSetDevice(0);
    cudaDeviceEnablePeerAccess(1, 0);
    for (int i = 0; i < 10; i++) {
        cudaSetDevice(1);
        cudaMemset(d, 0, sizeof h);
        cudaDeviceSynchronize();
        cudaSetDevice(0);
        launch(long_one, 1, 32, 0, NULL, ARGS(&d, &turns)); /* adds 1 and more, many times */
        cudaDeviceSynchronize();
        cudaMemcpy(h, d, sizeof h, DEVICE_HOST);
        rounds += h[0] > 1 && h[31] > 1;
    }
    printf("%d of 10\n", rounds);
}

/* Two cards that hand rows to each other: each waits for an event of the other's, and is written to by the other
 * meanwhile. Nothing of it waits for the host. */
static void rows(void)
{
    enum { ROUNDS = 40 };
    int *d[2], h[2] = {0};
    void *stream[2], *ready[2];
    for (int i = 0; i < 2; i++) {
        cudaSetDevice(i);
        cudaMalloc((void **)&d[i], 4096);
        cudaMemset(d[i], i + 1, 4096);
        cudaStreamCreate(&stream[i]);
        cudaEventCreate(&ready[i]);
        cudaDeviceSynchronize();
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < 2; i++) {
            cudaSetDevice(i);
            if (round) cudaStreamWaitEvent(stream[i], ready[1 - i], 0);
            cudaMemcpyAsync((char *)d[1 - i] + 4 * (round + 1), (char *)d[i] + 4 * round, 4, ANY, stream[i]);
            cudaEventRecord(ready[i], stream[i]);
        }
    for (int i = 0; i < 2; i++) {
        cudaSetDevice(i);
        say("over", cudaStreamSynchronize(stream[i]));
        cudaMemcpy(&h[i], d[i] + ROUNDS, 4, DEVICE_HOST);
    }
    printf("%x %x\n", (unsigned)h[0], (unsigned)h[1]);
}

/* More than this computer gives, and less than the card has. */
static void hungry(void)
{
    void *p;
    say("much", cudaMalloc(&p, (size_t)100 << 30));
}

static void *one_thread(void *arg)
{
    float *d;
    int turns = 10;
    cudaMalloc((void **)&d, 4096);
    for (int i = 0; i < 50; i++) {
        launch(long_one, 1, 32, 0, NULL, ARGS(&d, &turns));
        cudaMemset(d, 0, 4096);
    }
    *(int *)arg = cudaDeviceSynchronize() + cudaFree(d);
    return NULL;
}
static void threads(void)
{
    pthread_t t[8];
    int codes[8], sum = 0;
    for (int i = 0; i < 8; i++) pthread_create(&t[i], NULL, one_thread, &codes[i]);
    for (int i = 0; i < 8; i++) pthread_join(t[i], NULL), sum += codes[i];
    printf("%d\n", sum);
}

/* ---- the host's clocks are those of the simulated time ---- */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static void clocks(void)
{
    float *d, ms;
    int turns = 100000;
    void *a, *b;
    cudaMalloc((void **)&d, 4096);
    cudaEventCreate(&a), cudaEventCreate(&b);
    cudaDeviceSynchronize();
    const double begin = now();
    cudaEventRecord(a, NULL);
    launch(long_one, 1, 32, 0, NULL, ARGS(&d, &turns));
    cudaEventRecord(b, NULL);
    cudaEventSynchronize(b);
    const double host = now() - begin;
    cudaEventElapsedTime(&ms, a, b);
    /* a multiply-add of 4 clocks and some, 100000 times at 1.98 GHz: 0.2 ms and more */
    printf("kernel %d, the host's clock agrees: %d\n", ms > 0.2 && ms < 1.0,
           host * 1e3 >= (double)ms && host * 1e3 < (double)ms + 0.05);
    const double before = now();
    sleep(2);
    const double slept = now() - before;
    printf("slept %d\n", slept > 1.999 && slept < 2.01);
}

/* ---- what goes wrong in programs ---- */
static void follows(void)
{
    volatile int *d;
    cudaMalloc((void **)&d, 4096);
    d[5] = 1;
}

static void crashes(void)
{
    vector_add();
    fflush(stdout);
    raise(SIGSEGV);
}
static void killed(void)
{
    vector_add();
    fflush(stdout);
    kill(getpid(), SIGKILL);
}
static void forks(void)
{
    vector_add();
    fflush(stdout);
    if (!fork()) {
        void *p;
        say("child", cudaMalloc(&p, 4));
        fflush(stdout);
        _exit(0);
    }
    wait(NULL);
    printf("parent\n");
}
static void never_ends(void)
{
    int *p;
    cudaMalloc((void **)&p, 4), cudaMemset(p, 0, 4);
    launch(endless, 1, 1, 0, NULL, ARGS(&p));
    cudaDeviceSynchronize();
}
static void device_pointer(void)
{
    int *p;
    cudaMalloc((void **)&p, 4);
    printf("%d\n", *p); /* a crash, as with a card */
}
static void exits_inside(void *arg)
{
    (void)arg;
    exit(5);
}
static void exit_in_callback(void)
{
    cudaLaunchHostFunc(NULL, exits_inside, NULL);
    cudaDeviceSynchronize();
}
static void *asked_for[2]; /* events before and behind the callback */
static void asks_inside(void *arg)
{
    void *more;
    say("queries", cudaEventQuery(asked_for[0]));
    say("queries", cudaEventQuery(asked_for[1]));
    say("allocates", cudaMalloc(&more, 4));
    say("frees", cudaFreeHost(arg));
    say("waits", cudaDeviceSynchronize());
}
static void calls_in_callback(void) /* CUDA forbids it; waiting there would wait for itself */
{
    int *pinned;
    cudaMallocHost((void **)&pinned, 4);
    *pinned = 3;
    cudaEventCreate(&asked_for[0]), cudaEventCreate(&asked_for[1]);
    cudaEventRecord(asked_for[0], NULL);
    cudaLaunchHostFunc(NULL, asks_inside, pinned);
    cudaEventRecord(asked_for[1], NULL);
    say("over", cudaDeviceSynchronize());
    printf("%d\n", *pinned);
    say("freed", cudaFreeHost(pinned));
}
static void races(void)
{
    int *p;
    cudaMalloc((void **)&p, 4);
    launch(racy, 1, 64, 0, NULL, ARGS(&p));
    say("over", cudaDeviceSynchronize());
}

static void repeats(void)
{
    int n = 4, *d;
    cudaMalloc((void **)&d, 16);
    cudaMemset(d, 0, 16);
    for (int i = 0; i < 50; i++) launch(scale, 1, 4, 0, NULL, ARGS(&d, &n));
    printf("over %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

/* Three kernels that lead from one state of memory to the next and back to the first, so that what they do is known
 * after some turns. The host looks at each state now and then, and once begins with other data. */
static void returns(void)
{
    float *a, *zero, *d, begin[32], now[32], first[3][32];
    int n = 32, turns = 2000, wrong = 0;
    cudaMalloc((void **)&a, sizeof begin);
    cudaMalloc((void **)&zero, sizeof begin);
    cudaMalloc((void **)&d, sizeof begin);
    cudaMemset(zero, 0, sizeof begin);
    for (int i = 0; i < 32; i++) begin[i] = (float)i;
    for (int i = 0; i < 60; i++) {
        if (i % 30 == 0) { /* at 30: other data */
            begin[5] += 100;
            cudaMemcpy(a, begin, sizeof begin, 1);
        }
        for (int step = 0; step < 3; step++) {
            if (step == 0) launch(add, 1, 32, 0, NULL, ARGS(&a, &zero, &d, &n));
            if (step == 1) launch(long_one, 1, 32, 0, NULL, ARGS(&d, &turns));
            if (step == 2) launch(scale, 1, 32, 0, NULL, ARGS(&d, &n));
            if (i % 30 && i % 10 != 6 + step) continue;
            cudaMemcpy(now, d, sizeof now, 2);
            if (i % 30 == 0) memcpy(first[step], now, sizeof now);
            wrong += memcmp(now, step ? first[step] : begin, sizeof now) != 0;
        }
    }
    printf("%d states wrong, element 5 %s, %s\n", wrong, first[1][5] > first[1][6] ? "greater" : "less",
           cudaGetErrorName(cudaDeviceSynchronize()));
}

/* A loop that sets its data back before each launch: after a few launches what they do is known. The last one begins
 * with other data, and has to run. */
static void resets(void)
{
    float *d, begin[32] = {0}, first[32], now[32], last[32];
    int turns = 20000, same = 0;
    cudaMalloc((void **)&d, sizeof begin);
    for (int i = 0; i < 32; i++) begin[i] = (float)i;
    for (int i = 0; i < 200; i++) {
        cudaMemcpy(d, begin, sizeof begin, 1);
        launch(long_one, 1, 32, 0, NULL, ARGS(&d, &turns));
        cudaMemcpy(now, d, sizeof now, 2);
        if (!i) memcpy(first, now, sizeof first);
        same += !memcmp(first, now, sizeof first);
    }
    begin[7] = 1000;
    cudaMemcpy(d, begin, sizeof begin, 1);
    launch(long_one, 1, 32, 0, NULL, ARGS(&d, &turns));
    cudaMemcpy(last, d, sizeof last, 2);
    printf("%d of 200 the same, %s; then %d others, element 7 %s\n", same, cudaGetErrorName(cudaDeviceSynchronize()),
           memcmp(first, last, 7 * sizeof *last) || memcmp(first + 8, last + 8, 24 * sizeof *last),
           last[7] > first[7] && last[7] > 1000 ? "greater" : "wrong");
}

/* Launches that do less and less. */
static void shrinks(void)
{
    float *d, ms = 0;
    void *begin, *end;
    cudaMalloc((void **)&d, 128);
    cudaMemset(d, 0, 128);
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin, NULL);
    for (int turns = 4000; turns > 0; turns -= 20) launch(long_one, 1, 32, 0, NULL, ARGS(&d, &turns));
    cudaEventRecord(end, NULL);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&ms, begin, end);
    printf("%.0f\n", 1e3 * ms);
}

/* Launches of smaller and smaller grids. */
static void grids(void)
{
    int n = 1 << 20;
    float *d, ms = 0;
    void *begin, *end;
    cudaMalloc((void **)&d, 3 * sizeof *d * (size_t)n);
    cudaMemset(d, 0, 3 * sizeof *d * (size_t)n);
    float *e = d + n, *f = e + n;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin, NULL);
    for (int blocks = 900; blocks > 100; blocks -= 10)
        launch(add, (unsigned)blocks, 256, 0, NULL, ARGS(&d, &e, &f, &n));
    cudaEventRecord(end, NULL);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&ms, begin, end);
    printf("%.0f\n", 1e3 * ms);
}

/* Blocks that wait for each other: under the clock they look more often than without it. */
static void chains(void)
{
    int *done, *out;
    float ms = 0;
    void *begin, *end;
    cudaMalloc((void **)&done, 1024);
    cudaMalloc((void **)&out, 65536);
    cudaMemset(done, 0, 1024);
    cudaMemset(out, 0, 65536);
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin, NULL);
    for (int round = 1; round <= 60; round++) launch(chain, 100, 64, 0, NULL, ARGS(&done, &out, &round));
    cudaEventRecord(end, NULL);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&ms, begin, end);
    printf("%.0f\n", 1e3 * ms);
}

/* The data sheet's bandwidth: two bits per wire and clock of the memory. */
static void bandwidth(void)
{
    int khz = 0, bits = 0;
    cudaDeviceGetAttribute(&khz, 36, 0);
    cudaDeviceGetAttribute(&bits, 37, 0);
    printf("%.0f GB/s\n", 2e-6 * khz * bits / 8);
}

int main(int argc, char **argv)
{
    static const program all[] = {{"vector_add", vector_add},
                                  {"symbols", symbols},
                                  {"lz4", symbols},
                                  {"lz4_damaged", illegal},
                                  {"managed", managed},
                                  {"flag", flag},
                                  {"errors", errors},
                                  {"illegal", illegal},
                                  {"unaligned", unaligned},
                                  {"prints", prints},
                                  {"prints_much", prints_much},
                                  {"asserting", asserting},
                                  {"streams", streams},
                                  {"graphs", graphs},
                                  {"broken_capture", broken_capture},
                                  {"textures", textures},
                                  {"pitched", pitched},
                                  {"cards", cards},
                                  {"rows", rows},
                                  {"hungry", hungry},
                                  {"peers", peers},
                                  {"peers_again", peers_again},
                                  {"threads", threads},
                                  {"clocks", clocks},
                                  {"crashes", crashes},
                                  {"follows", follows},
                                  {"killed", killed},
                                  {"forks", forks},
                                  {"never_ends", never_ends},
                                  {"races", races},
                                  {"repeats", repeats},
                                  {"resets", resets},
                                  {"returns", returns},
                                  {"shrinks", shrinks},
                                  {"grids", grids},
                                  {"chains", chains},
                                  {"bandwidth", bandwidth},
                                  {"device_pointer", device_pointer},
                                  {"exit_in_callback", exit_in_callback},
                                  {"calls_in_callback", calls_in_callback}};
    if (argc < 3) return 9;
    registers(argv[1], argv[2]);
    const int code = run_program(all, sizeof all / sizeof *all, argv[2]);
    return code || argc < 4 ? code : atoi(argv[3]);
}
