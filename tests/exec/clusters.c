/* clusters.c: programs whose kernels run in clusters, for clusters.sh: launched with an attribute, or with the kernel's
 * own dimensions; histograms in distributed shared memory, multicast, and what CUDA says of clusters that cannot be.
 * What is right is worked out here; names of errors are CUDA's, occupancies are what an H200 answers. */
#include "by_hand.h"

typedef struct {
    int id;
    char space[4];
    union {
        int number;
        dim3 cluster;
        char room[64];
    } value;
} attribute;
typedef struct {
    dim3 grid, block;
    size_t shared;
    void *stream;
    attribute *attributes;
    unsigned count;
} config;
enum { CLUSTER_DIMENSION = 4, STARTS_EARLY = 6, SHARED_AT_MOST = 8, ANY_SIZE = 14 };
int cudaLaunchKernelExC(const config *, const void *, void **);
int cudaOccupancyMaxActiveClusters(int *, const void *, const config *);
int cudaOccupancyMaxPotentialClusterSize(int *, const void *, const config *);
KERNEL(histogram)
KERNEL(turn)
KERNEL(spread)
KERNEL(double_all)
KERNEL(add_one)

enum { N = 20000, BINS = 1024, BLOCKS = 16 };
static unsigned *to_card(const unsigned *h, size_t n)
{
    unsigned *d = NULL;
    cudaMalloc((void **)&d, n * sizeof *d);
    cudaMemset(d, 0, n * sizeof *d);
    if (h) cudaMemcpy(d, h, n * sizeof *d, HOST_DEVICE);
    return d;
}
static int in_clusters(void (*kernel)(void), unsigned size, unsigned blocks, unsigned threads, size_t shared,
                       void **args)
{
    attribute a = {.id = CLUSTER_DIMENSION, .value.cluster = {size, 1, 1}};
    const config c = {{blocks, 1, 1}, {threads, 1, 1}, shared, NULL, &a, 1};
    return cudaLaunchKernelExC(&c, (const void *)kernel, args);
}

static void histograms(void)
{
    static unsigned numbers[N], want[BINS], got[BINS];
    unsigned x = 12345;
    for (int i = 0; i < N; i++) {
        x = x * 1664525u + 1013904223u;
        numbers[i] = (x >> 8) % 3 ? x >> 16 : 7; /* one bin is full */
        want[numbers[i] % BINS]++;
    }
    unsigned *from = to_card(numbers, N);
    int n = N, all = BINS;
    say("clusters of any size", cudaFuncSetAttribute((const void *)histogram, ANY_SIZE, 1));
    for (unsigned size = 1; size <= 16; size *= 2) {
        unsigned *bins = to_card(NULL, BINS);
        const int code =
            in_clusters(histogram, size, BLOCKS, 128, BINS / size * sizeof(unsigned), ARGS(&from, &n, &bins, &all));
        cudaMemcpy(got, bins, sizeof got, DEVICE_HOST);
        int wrong = 0;
        for (int i = 0; i < BINS; i++) wrong += got[i] != want[i];
        printf("%u: %s, %d wrong\n", size, cudaGetErrorName(code), wrong);
        cudaFree(bins);
    }
}

static void own_dimensions(void)
{
    static unsigned got[4 * 4 * 64];
    unsigned *out = to_card(NULL, 4 * 4 * 64);
    int wrong = 0;
    say("its own", cudaLaunchKernel((const void *)turn, (dim3){4, 4, 1}, (dim3){64, 1, 1}, ARGS(&out), 0, NULL));
    cudaMemcpy(got, out, sizeof got, DEVICE_HOST);
    for (unsigned y = 0; y < 4; y++)
        for (unsigned x = 0; x < 4; x++)
            for (unsigned t = 0; t < 64; t++) {
                const unsigned rank = y % 2 * 2 + x % 2, before = (rank + 3) % 4;
                wrong += got[(y * 4 + x) * 64 + t] != before * 1000 + before / 2 * 100 + before % 2 * 10 + t % 10;
            }
    printf("%d wrong\n", wrong);
    say("a grid that they do not divide",
        cudaLaunchKernel((const void *)turn, (dim3){4, 3, 1}, (dim3){64, 1, 1}, ARGS(&out), 0, NULL));
    say("last", cudaGetLastError());
    say("another size by attribute", in_clusters(turn, 4, 16, 64, 0, ARGS(&out)));
    cudaGetLastError();
}

static void multicast(void)
{
    static unsigned h[2 * 256], got[8 * 256];
    for (int i = 0; i < 512; i++) h[i] = 1000u * (unsigned)i;
    unsigned *from = to_card(h, 512), *out = to_card(NULL, 8 * 256);
    int wrong = 0;
    say("multicast",
        cudaLaunchKernel((const void *)spread, (dim3){8, 1, 1}, (dim3){64, 1, 1}, ARGS(&from, &out), 0, NULL));
    say("done", cudaDeviceSynchronize());
    cudaMemcpy(got, out, sizeof got, DEVICE_HOST);
    for (unsigned b = 0; b < 8; b++)
        for (unsigned i = 0; i < 256; i++) wrong += got[b * 256 + i] != 1000 * (b / 4 * 256 + i) + b % 4;
    printf("%d wrong\n", wrong);
}

/* Blocks of 180,000 bytes: one per multiprocessor. */
static void occupancy(void)
{
    enum { SHARED = 180000 };
    const void *kernel = (const void *)histogram;
    int n = -1;
    say("shared memory", cudaFuncSetAttribute(kernel, SHARED_AT_MOST, SHARED));
    for (int any = 0; any < 2; any++) {
        if (any) say("any size", cudaFuncSetAttribute(kernel, ANY_SIZE, 1));
        for (unsigned size = 1; size <= 16; size *= 2) {
            attribute a = {.id = CLUSTER_DIMENSION, .value.cluster = {size, 1, 1}};
            const config c = {{1024, 1, 1}, {256, 1, 1}, SHARED, NULL, &a, 1};
            const int code = cudaOccupancyMaxActiveClusters(&n, kernel, &c);
            if (code) printf("%u: %s\n", size, cudaGetErrorName(code));
            else printf("%u: %d clusters\n", size, n);
        }
        const config c = {{1024, 1, 1}, {256, 1, 1}, SHARED, NULL, NULL, 0};
        say("largest", cudaOccupancyMaxPotentialClusterSize(&n, kernel, &c));
        printf("%d\n", n);
    }
    cudaGetLastError();
}

static void refused(void)
{
    unsigned *bins = to_card(NULL, BINS);
    int n = 0, all = BINS;
    void **args = ARGS(&bins, &n, &bins, &all);
    say("16 blocks", in_clusters(histogram, 16, 16, 128, 4096, args));
    say("17 blocks", in_clusters(histogram, 17, 34, 128, 4096, args));
    say("3 of 16", in_clusters(histogram, 3, 16, 128, 4096, args));
    say("8 of 16", in_clusters(histogram, 8, 16, 128, 4096, args));
    say("done", cudaDeviceSynchronize());
}

/* A launch with programmatic stream serialisation, by threads that read before or behind griddepcontrol.wait. */
static void dependent_launches(int early)
{
    static unsigned numbers[N], got[N];
    for (int i = 0; i < N; i++) numbers[i] = (unsigned)i;
    unsigned *words = to_card(numbers, N);
    int n = N, wrong = 0;
    attribute a = {.id = STARTS_EARLY, .value.number = 1};
    const config c = {{(N + 127) / 128, 1, 1}, {128, 1, 1}, 0, NULL, &a, 1};
    say("first", cudaLaunchKernel((const void *)double_all, c.grid, c.block, ARGS(&words, &n), 0, NULL));
    say("next", cudaLaunchKernelExC(&c, (const void *)add_one, ARGS(&words, &n, &early)));
    cudaMemcpy(got, words, sizeof got, DEVICE_HOST);
    for (int i = 0; i < N; i++) wrong += got[i] != 2 * (unsigned)i + 1;
    printf("%d wrong\n", wrong);
}
static void dependent(void) { dependent_launches(0); }
static void early(void) { dependent_launches(1); }

int main(int argc, char **argv)
{
    static const program all[] = {
        {"histograms", histograms}, {"own", own_dimensions},  {"multicast", multicast}, {"occupancy", occupancy},
        {"refused", refused},       {"dependent", dependent}, {"early", early}};
    if (argc < 3) return 2;
    wrapper.data = read_ptx(argv[1]);
    void **h = __cudaRegisterFatBinary(&wrapper);
    REGISTER(h, histogram), REGISTER(h, turn), REGISTER(h, spread), REGISTER(h, double_all), REGISTER(h, add_one);
    __cudaRegisterFatBinaryEnd(h);
    return run_program(all, sizeof all / sizeof *all, argv[2]);
}
