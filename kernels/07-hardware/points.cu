/* points: the sum of the three coordinates of each of n points, with the
 * points laid out in four ways.
 */
struct point {
    float x, y, z;
};

struct __align__(16) wide_point {
    float x, y, z; /* and four bytes of nothing */
};

/* As C has them: 12 bytes from one point to the next. */
extern "C" __global__ void
structs(const point *p, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = p[i].x + p[i].y + p[i].z;
}

/* Aligned to 16: one load of 16 bytes brings a whole point. */
extern "C" __global__ void
aligned(const float4 *p, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 q = p[i];
        out[i] = q.x + q.y + q.z;
    }
}

/* Three arrays: neighbours read neighbours, three times. */
extern "C" __global__ void
arrays(const float *x, const float *y, const float *z, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = x[i] + y[i] + z[i];
}

/* Structs, but fetched as if they were plain words: a block's 3 * blockDim.x
 * words in three runs, into shared memory; from there each thread takes
 * its own three. */
extern __shared__ float words[];

extern "C" __global__ void
staged(const float *p, float *out, int n)
{
    int tid = threadIdx.x, first = blockIdx.x * blockDim.x;
    for (int k = 0; k < 3; k++) {
        int i = k * blockDim.x + tid;
        if (3 * first + i < 3 * n)
            words[i] = p[3 * first + i];
    }
    __syncthreads();
    if (first + tid < n)
        out[first + tid] = words[3 * tid] + words[3 * tid + 1] + words[3 * tid + 2];
}
