// heldout.cu: kernels of many kinds whose times on a real card are recorded in heldout.txt. The
// timing model is not fitted to them: they say how well it predicts.

extern "C" __global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void transpose_naive(const float *in, float *out, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x;
#pragma unroll 1
    for (int j = threadIdx.y; j < 32; j += 8) {
        int y = blockIdx.y * 32 + j;
        out[x * n + y] = in[y * n + x];
    }
}

extern "C" __global__ void transpose_tiled(const float *in, float *out, int n)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x;
#pragma unroll 1
    for (int j = threadIdx.y; j < 32; j += 8) tile[j][threadIdx.x] = in[(blockIdx.y * 32 + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
#pragma unroll 1
    for (int j = threadIdx.y; j < 32; j += 8) out[(blockIdx.x * 32 + j) * n + x] = tile[threadIdx.x][j];
}

extern "C" __global__ void stencil(const float *in, float *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
    const float *p = in + y * n + x;
    out[y * n + x] = 0.5f * p[0] + 0.125f * (p[-1] + p[1] + p[-n] + p[n]);
}

extern "C" __global__ void histogram_shared(const int *in, int n, int *bins)
{
    __shared__ int own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[in[i]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

extern "C" __global__ void histogram_global(const int *in, int n, int *bins)
{
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[in[i]], 1);
}

extern "C" __global__ void scan_blocks(const int *in, int *out, int n)
{
    __shared__ int a[2][256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t, at = 0;
    a[0][t] = i < n ? in[i] : 0;
    __syncthreads();
#pragma unroll 1
    for (int step = 1; step < 256; step *= 2) {
        a[1 - at][t] = a[at][t] + (t >= step ? a[at][t - step] : 0);
        at = 1 - at;
        __syncthreads();
    }
    if (i < n) out[i] = a[at][t];
}

extern "C" __global__ void gather(const float *table, const int *index, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = table[index[i]];
}

// next[] holds zeros, so the walk goes on by `step`; the machine cannot know.
extern "C" __global__ void chase(const int *next, unsigned mask, unsigned step, int count, int *out)
{
    unsigned at = 0;
#pragma unroll 1
    for (int i = 0; i < count; i++) at = (at + next[at] + step) & mask;
    *out = at;
}

extern "C" __global__ void strided(const int *in, unsigned mask, int stride, int count, int *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    int sum = 0;
#pragma unroll 1
    for (int k = 0; k < count; k++) sum += in[((i + k * all) * stride) & mask];
    out[i] = sum;
}

extern "C" __global__ void collatz(int n, int *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, v = i + 1;
    if (i >= n) return;
    int steps = 0;
#pragma unroll 1
    while (v != 1 && steps < 400) {
        if (v & 1) v = 3 * v + 1;
        else v >>= 1;
        steps++;
    }
    out[i] = steps;
}

extern "C" __global__ void daxpy(int n, double a, const double *x, double *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void horner_double(int n, double *x, int terms)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double v = x[i], sum = 1;
#pragma unroll 1
    for (int k = 0; k < terms; k++) sum = sum * v + k;
    x[i] = sum;
}

extern "C" __global__ void matvec(const float *a, const float *x, float *y, int n)
{
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x & 31;
    if (row >= n) return;
    float sum = 0;
#pragma unroll 1
    for (int k = lane; k < n; k += 32) sum += a[row * n + k] * x[k];
#pragma unroll 1
    for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0) y[row] = sum;
}

extern "C" __global__ void reduce_shuffle(const float *x, int n, float *out)
{
    __shared__ float part[32];
    float sum = 0;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
#pragma unroll 1
    for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        sum = 0;
#pragma unroll 1
        for (int w = 0; w < blockDim.x / 32; w++) sum += part[w];
        atomicAdd(out, sum);
    }
}

extern "C" __global__ void hash_rounds(int n, unsigned *x, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned v = x[i];
#pragma unroll 1
    for (int k = 0; k < rounds; k++) {
        v ^= v >> 16;
        v *= 0x7feb352du;
        v ^= v >> 15;
        v *= 0x846ca68bu;
        v ^= v >> 16;
    }
    x[i] = v;
}

extern "C" __global__ void waves(int n, const float *x, float *y, int terms)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i], sum = 0;
#pragma unroll 1
    for (int k = 1; k <= terms; k++) sum += __sinf(v * k) * __expf(-v) * __frsqrt_rn(v + k);
    y[i] = sum;
}

extern "C" __global__ void nbody(int n, const float4 *body, float4 *force)
{
    __shared__ float4 tile[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    float4 me = body[i];
    float fx = 0, fy = 0, fz = 0;
#pragma unroll 1
    for (int base = 0; base < n; base += 128) {
        tile[threadIdx.x] = body[base + threadIdx.x];
        __syncthreads();
#pragma unroll 1
        for (int k = 0; k < 128; k++) {
            float4 o = tile[k];
            float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), s = o.w * inverse * inverse * inverse;
            fx += dx * s;
            fy += dy * s;
            fz += dz * s;
        }
        __syncthreads();
    }
    force[i] = make_float4(fx, fy, fz, 0);
}
