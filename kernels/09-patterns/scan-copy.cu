/* scan-copy: every number read once and written once, in tiles of 4096.
 *
 * No scan can be faster. A block of 256 threads takes a tile, 16 numbers per
 * thread, in loads and stores of 16 bytes.
 */
#define THREADS 256
#define WARPS (THREADS / 32)
#define LOADS 4
#define TILE (4 * LOADS * THREADS)

/* Four numbers; zeros past the end. */
static __device__ int4
load(const int *x, int at, int n)
{
    if (at + 3 < n)
        return __ldg((const int4 *)&x[at]);
    return make_int4(at < n ? x[at] : 0, at + 1 < n ? x[at + 1] : 0, at + 2 < n ? x[at + 2] : 0, 0);
}

static __device__ void
store(int *y, int at, int n, int4 v)
{
    if (at + 3 < n) {
        *(int4 *)&y[at] = v;
        return;
    }
    if (at < n)
        y[at] = v.x;
    if (at + 1 < n)
        y[at + 1] = v.y;
    if (at + 2 < n)
        y[at + 2] = v.z;
}

extern "C" __global__ void
copy(const int *x, int n, int *y)
{
    int first = blockIdx.x * TILE + 4 * threadIdx.x;
    int4 v[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; k++)
        v[k] = load(x, first + 4 * k * THREADS, n);
#pragma unroll
    for (int k = 0; k < LOADS; k++)
        store(y, first + 4 * k * THREADS, n, v[k]);
}
