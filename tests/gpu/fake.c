/* fake.c: a library that replaces the CUDA driver in tests, loaded through WARPSTEP_CUDA_DRIVER: no
 * GPU, no real driver. Its memory is the host's. Its time is a counter that each launch advances.
 * It knows five kernels: the one that measures the clock, lesson 1's sum_squares and touch, saxpy, and
 * map of tests/author/40-today. All other kernels do nothing.
 *
 * FAKE_CUDA lists what goes wrong, as CALL:CODE words: "init:100", "load:222", "wait:700" ... The
 * calls are init, count, retain, load, alloc, lock, launch, wait (where a kernel's fault shows),
 * write, read. A third number lets that many calls succeed first: "wait:700:20".
 * More words: "devices:2", "mhz:900" (the clock that is measured), "once" (calls fail only while
 * the file $FAKE_ONCE exists; the first failure removes it), "takes:40" (microseconds per launch),
 * "jitter:5" (times differ by that factor), "gap:2000" (microseconds during which another program
 * has the GPU), "compute:86" (its compute capability), "clusters" (their sizes go to stderr),
 * "endless" (kernels of lessons never end), "wild" (the sum is wrong).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
typedef uint64_t address;

static double now = 1000; /* microseconds */
static unsigned draws;
enum { MOST = 4096 };
static struct {
    address at;
    size_t bytes;
} blocks[MOST];

/* The number after "NAME:" in FAKE_CUDA; -1 when the word is absent. *second gets the number after
 * another colon. */
static long word(const char *name, long *second)
{
    const char *all = getenv("FAKE_CUDA");
    size_t n = strlen(name);
    for (const char *p = all ? all : ""; *p; p += strspn(p, " ")) {
        size_t length = strcspn(p, " ");
        if (length >= n && !strncmp(p, name, n) && (length == n || p[n] == ':')) {
            char *end;
            long v = length > n ? strtol(p + n + 1, &end, 10) : 0;
            *second = length > n && *end == ':' ? strtol(end + 1, NULL, 10) : 0;
            return v;
        }
        p += length;
    }
    return -1;
}

static int fails(const char *call)
{
    static struct {
        const char *call;
        long count;
    } calls[16];
    long after, code = word(call, &after);
    int i = 0;
    if (code <= 0) return 0;
    while (i < 15 && calls[i].call && strcmp(calls[i].call, call)) i++;
    calls[i].call = call;
    if (calls[i].count++ < after) return 0;
    long unused;
    if (word("once", &unused) >= 0 && (!getenv("FAKE_ONCE") || unlink(getenv("FAKE_ONCE")))) return 0;
    return (int)code;
}

static size_t bytes_of(address a)
{
    for (int i = 0; i < MOST; i++)
        if (blocks[i].at == a) return blocks[i].bytes;
    return 0;
}

/* ---- the device ---- */
EXPORT int cuInit(unsigned flags)
{
    (void)flags;
    return fails("init");
}
EXPORT int cuDriverGetVersion(int *v)
{
    *v = 13000;
    return 0;
}
EXPORT int cuDeviceGetCount(int *n)
{
    long more, count = word("devices", &more);
    *n = count < 0 ? 1 : (int)count;
    return fails("count");
}
EXPORT int cuDeviceGet(int *d, int i)
{
    *d = i;
    return 0;
}
EXPORT int cuDeviceGetName(char *name, int size, int d)
{
    snprintf(name, (size_t)size, d ? "NVIDIA Fake %d" : "NVIDIA Fake", d);
    return 0;
}
EXPORT int cuDeviceTotalMem_v2(size_t *bytes, int d)
{
    (void)d;
    *bytes = (size_t)1 << 30;
    return 0;
}
EXPORT int cuDeviceGetAttribute(int *v, int which, int d)
{
    static const struct {
        int which, value;
    } known[] = {{1, 1024},   {2, 1024},     {3, 1024},    {4, 64},       {5, 2147483647}, {6, 65535},
                 {7, 65535},  {8, 49152},    {12, 65536},  {13, 1000000}, {16, 10},        {36, 1000000},
                 {37, 256},   {38, 1 << 20}, {39, 2048},   {75, 9},       {76, 0},         {81, 233472},
                 {82, 65536}, {95, 1},       {97, 232448}, {106, 32},     {111, 1024}};
    (void)d;
    *v = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].which == which) *v = known[i].value;
    long more, compute = word("compute", &more);
    if (compute > 0 && (which == 75 || which == 76)) *v = (int)(which == 75 ? compute / 10 : compute % 10);
    return 0;
}
EXPORT int cuGetErrorString(int code, const char **text)
{
    static char words[40];
    snprintf(words, sizeof words, "fake failure %d", code);
    *text = words;
    return 0;
}
EXPORT int cuDevicePrimaryCtxRetain(void **c, int d)
{
    (void)d;
    *c = &now;
    return fails("retain");
}
EXPORT int cuCtxSetCurrent(void *c)
{
    (void)c;
    return 0;
}

/* ---- modules: an entry's handle is its own name ---- */
/* How many parameters sum_squares of the text that was loaded last takes. */
static unsigned squares_takes;
EXPORT int cuModuleLoadDataEx(void **m, const void *image, unsigned n, int *option, void **value)
{
    const char *at = strstr(image, "sum_squares("), *end = at ? strchr(at, '{') : NULL;
    if (end)
        for (squares_takes = 0; (at = strstr(at, ".param")) && at < end; at++) squares_takes++;
    *m = &now;
    int code = fails("load");
    for (unsigned i = 0; code && i < n; i++)
        if (option[i] == 5) strcpy(value[i], "ptxas says no\nand more");
    return code;
}
EXPORT int cuModuleUnload(void *m)
{
    (void)m;
    return 0;
}
EXPORT int cuModuleGetFunction(void **f, void *m, const char *name)
{
    (void)m;
    *f = strdup(name); /* never freed: a test's process is short */
    return 0;
}
EXPORT int cuModuleGetGlobal_v2(uint64_t *at, size_t *bytes, void *m, const char *name)
{
    static char variable[64];
    (void)m, (void)name;
    *at = (uint64_t)(uintptr_t)variable;
    *bytes = sizeof variable;
    return 0;
}
EXPORT int cuFuncGetAttribute(int *v, int which, void *f)
{
    (void)f;
    *v = which == 0 ? 1024 : which == 4 ? 40 : 0; /* threads, registers */
    return 0;
}
/* One block fewer than registers allow, so that a test sees that the driver was asked. */
EXPORT int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *fit, void *f, int threads, size_t shared)
{
    (void)f, (void)shared;
    *fit = 65536 / (40 * threads) - 1;
    return 0;
}
EXPORT int cuFuncSetAttribute(void *f, int which, int v)
{
    (void)f, (void)which, (void)v;
    return 0;
}

/* ---- memory ---- */
EXPORT int cuMemGetInfo_v2(size_t *left, size_t *all)
{
    *left = (size_t)64 << 20;
    *all = (size_t)1 << 30;
    return 0;
}
EXPORT int cuMemAlloc_v2(address *a, size_t bytes)
{
    int code = fails("alloc");
    void *p = code ? NULL : calloc(1, bytes ? bytes : 1);
    if (code || !p) return code ? code : 2;
    *a = (address)(uintptr_t)p;
    for (int i = 0; i < MOST; i++)
        if (!blocks[i].at) {
            blocks[i].at = *a;
            blocks[i].bytes = bytes;
            break;
        }
    return 0;
}
EXPORT int cuMemFree_v2(address a)
{
    for (int i = 0; i < MOST; i++)
        if (blocks[i].at == a) {
            free((void *)(uintptr_t)a);
            blocks[i].at = 0;
            return 0;
        }
    return 1;
}
EXPORT int cuMemAllocHost_v2(void **p, size_t bytes) { return (*p = malloc(bytes)) ? fails("lock") : 2; }
EXPORT int cuMemFreeHost(void *p)
{
    free(p);
    return 0;
}
EXPORT int cuMemcpyHtoD_v2(address to, const void *from, size_t n)
{
    memcpy((void *)(uintptr_t)to, from, n);
    return fails("write");
}
EXPORT int cuMemcpyDtoH_v2(void *to, address from, size_t n)
{
    memcpy(to, (void *)(uintptr_t)from, n);
    return fails("read");
}
EXPORT int cuMemcpyDtoDAsync_v2(address to, address from, size_t n, void *s)
{
    (void)s;
    memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from, n);
    now += (double)n / 1e5; /* 100 GB/s, read and written 200 */
    return 0;
}
EXPORT int cuMemsetD8Async(address to, unsigned char v, size_t n, void *s)
{
    (void)s;
    memset((void *)(uintptr_t)to, v, n);
    now += 1;
    return 0;
}

/* ---- kernels ---- */
/* With a fourth parameter the kernel writes the blocks' times. Otherwise (today.cu) the sum goes into
 * one long. */
static void sum_squares(const char *p, unsigned takes, unsigned blocks_)
{
    address data, sums, time;
    int n;
    long unused;
    memcpy(&data, p, 8), memcpy(&n, p + 8, 4), memcpy(&sums, p + 16, 8);
    if (takes < 4) {
        long long all = 0;
        for (int i = 0; i < n; i++)
            all += (long long)((const int *)(uintptr_t)data)[i] * ((const int *)(uintptr_t)data)[i];
        memcpy((void *)(uintptr_t)sums, &all, sizeof all);
        return;
    }
    memcpy(&time, p + 24, 8);
    const int *v = (const int *)(uintptr_t)data;
    int *out = (int *)(uintptr_t)sums, total = 0;
    long long *t = (long long *)(uintptr_t)time;
    for (int i = 0; i < n; i++) total += v[i] * v[i];
    memset(out, 0, bytes_of(sums));
    out[0] = total + (word("wild", &unused) >= 0);
    for (unsigned b = 0; b < blocks_; b++) { /* blocks whose clocks are unrelated */
        t[b] = 1000000LL * (b % 7 + 1);
        t[blocks_ + b] = t[b] + 5000 + b;
    }
}

EXPORT int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                          unsigned shared, void *s, void **arguments, void **extra)
{
    long more;
    (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared, (void)s;
    int code = fails("launch");
    if (code) return code;
    if (!strncmp(f, "ws_", 3)) {
        if (!strcmp(f, "ws_clock")) {
            long mhz = word("mhz", &more), gap = word("gap", &more);
            uint64_t out, ns, wrote[3];
            memcpy(&out, arguments[0], 8), memcpy(&ns, arguments[1], 8);
            wrote[0] = ns;
            wrote[1] = ns * (uint64_t)(mhz < 0 ? 995 : mhz) / 1000;
            wrote[2] = gap < 0 ? 40 : 1000 * (uint64_t)gap;
            memcpy((void *)(uintptr_t)out, wrote, sizeof wrote);
        }
        now += !strcmp(f, "ws_empty") ? 1.5 : 30;
        return 0;
    }
    while (word("endless", &more) >= 0) pause();
    /* whoever calls this has all arguments in one block, laid out as the kernel takes them */
    const char *p = extra ? extra[1] : arguments ? arguments[0] : NULL;
    if (p && !strcmp(f, "sum_squares")) sum_squares(p, squares_takes, gx);
    if (p && strstr(f, "saxpy")) { /* y[i] += a * x[i] */
        int n;
        float a;
        address x, y;
        memcpy(&n, p, 4), memcpy(&a, p + 4, 4), memcpy(&x, p + 8, 8), memcpy(&y, p + 16, 8);
        for (int i = 0; i < n; i++) ((float *)(uintptr_t)y)[i] += a * ((float *)(uintptr_t)x)[i];
    }
    if (p && !strcmp(f, "touch")) { /* its answer: sums[0] = data[0] */
        address data, sums;
        memcpy(&data, p, 8), memcpy(&sums, p + 8, 8);
        memcpy((void *)(uintptr_t)sums, (void *)(uintptr_t)data, 4);
    }
    if (p && !strcmp(f, "map")) { /* of tests/author/40-today: n = 96, bf16, 128 columns, box 64 x 64, swizzle 128 */
        const uint64_t want[16] = {9, 2, 128, 96, 256, 64, 64, 1, 1, 0, 3, 3};
        address out;
        const unsigned good = memcmp(p, want, sizeof want) == 0;
        memcpy(&out, p + 128, 8);
        for (unsigned i = 0; i < gx; i++) ((unsigned *)(uintptr_t)out)[i] = good;
    }
    long jitter = word("jitter", &more), takes = word("takes", &more);
    double one = takes > 0 ? (double)takes : 40;
    now += jitter > 1 && ++draws % 3 == 0 ? one * (double)jitter : one;
    return 0;
}
struct attribute {
    int id;
    char pad[4];
    unsigned cluster[3];
    char rest[52];
};
struct launch_with {
    unsigned grid[3], block[3], shared;
    void *stream;
    const struct attribute *attribute;
    unsigned attributes;
};
/* Clusters alone. One that does not divide the grid is what a real driver calls invalid (1). */
EXPORT int cuLaunchKernelEx(const struct launch_with *how, void *f, void **arguments, void **extra)
{
    const unsigned *n = how->grid, *b = how->block;
    if (how->attributes != 1 || how->attribute->id != 4) return 1;
    for (int i = 0; i < 3; i++)
        if (!how->attribute->cluster[i] || n[i] % how->attribute->cluster[i]) return 1;
    if (word("clusters", &(long){0}) >= 0)
        fprintf(stderr, "cluster %u %u %u\n", how->attribute->cluster[0], how->attribute->cluster[1],
                how->attribute->cluster[2]);
    return cuLaunchKernel(f, n[0], n[1], n[2], b[0], b[1], b[2], how->shared, how->stream, arguments, extra);
}
/* A map that says what it was made from, for kernel `map` below. */
EXPORT int cuTensorMapEncodeTiled(void *map, int type, unsigned rank, void *at, const uint64_t *dim,
                                  const uint64_t *stride, const uint32_t *box, const uint32_t *step, int interleave,
                                  int swizzle, int promotion, int fill)
{
    const uint64_t words[16] = {(uint64_t)type,
                                rank,
                                dim[0],
                                dim[1],
                                stride[0],
                                box[0],
                                box[1],
                                step[0],
                                step[1],
                                (uint64_t)interleave,
                                (uint64_t)swizzle,
                                (uint64_t)promotion,
                                (uint64_t)fill,
                                (uint64_t)(uintptr_t)at % 16};
    if ((uintptr_t)map % 64) return 1; /* as the driver demands */
    memcpy(map, words, sizeof words);
    return fails("map");
}
EXPORT int cuLaunchCooperativeKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                     unsigned bz, unsigned shared, void *s, void **arguments)
{
    return cuLaunchKernel(f, gx, gy, gz, bx, by, bz, shared, s, arguments, NULL);
}
EXPORT int cuStreamCreate(void **s, unsigned flags)
{
    (void)flags;
    *s = &now;
    return 0;
}
EXPORT int cuStreamSynchronize(void *s)
{
    (void)s;
    return fails("wait");
}
EXPORT int cuCtxSynchronize(void) { return fails("wait"); }
EXPORT int cuEventCreate(void **e, unsigned flags)
{
    (void)flags;
    *e = calloc(1, sizeof(double));
    return 0;
}
EXPORT int cuEventRecord(void *e, void *s)
{
    (void)s;
    now += 1.2; /* the overhead of a pair of events */
    memcpy(e, &now, sizeof now);
    return 0;
}
EXPORT int cuEventElapsedTime(float *ms, void *start, void *end)
{
    double a, b;
    memcpy(&a, start, sizeof a), memcpy(&b, end, sizeof b);
    *ms = (float)((b - a) / 1e3);
    return 0;
}
