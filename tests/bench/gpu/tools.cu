// What bench-gpu itself does on the card: random numbers, comparisons, and a wait while work is queued.

extern "C" __global__ void random_words(unsigned *p, long long n, unsigned below)
{
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n;
         i += (long long)gridDim.x * blockDim.x) {
        unsigned h = (unsigned)i * 2654435761u + 12345u;
        h = (h ^ h >> 15) * 2246822519u;
        h = (h ^ h >> 13) * 3266489917u;
        h ^= h >> 16;
        p[i] = below ? h % below : h;
    }
}

// How many words differ.
extern "C" __global__ void differ(const unsigned *a, const unsigned *b, long long n, unsigned long long *count)
{
    unsigned many = 0;
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x)
        many += a[i] != b[i];
    if (many)
        atomicAdd(count, many);
}

static __device__ float number(const void *p, long long i, int half)
{
    if (half)
        return __uint_as_float((unsigned)((const unsigned short *)p)[i] << 16);
    return ((const float *)p)[i];
}

// The largest |a - b| / |b| of n x n elements, as the bits of a float. half: they are bf16. What is no number is
// infinitely far away.
extern "C" __global__ void apart(const void *a, const void *b, long long n, long long pitch, int half, unsigned *worst)
{
    float most = 0;
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n * n;
         i += (long long)gridDim.x * blockDim.x) {
        long long at = i / n * pitch + i % n;
        float x = number(a, at, half), y = number(b, at, half), far = fabsf(x - y) / fmaxf(fabsf(y), 1e-30f);
        if (!(far <= most))
            most = far == far ? far : __int_as_float(0x7f800000);
    }
    atomicMax(worst, __float_as_uint(most));
}

// Keeps the card busy until the work behind it is queued.
extern "C" __global__ void wait(long long nanoseconds)
{
    long long start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - start < nanoseconds);
}
