/* Pairs as float2, by shuffles within a warp, then by one warp for the block. */
static __device__ float2 join(float2 a, float2 b)
{
    float m = fmaxf(a.x, b.x);
    return make_float2(m, a.y * expf(a.x - m) + b.y * expf(b.x - m));
}

static __device__ float2 of_warp(float2 v)
{
#pragma unroll
    for (int apart = 16; apart; apart >>= 1)
        v = join(v, make_float2(__shfl_xor_sync(0xffffffffu, v.x, apart), __shfl_xor_sync(0xffffffffu, v.y, apart)));
    return v;
}

__global__ void softmax(const float *x, float *y, int columns)
{
    __shared__ float2 of[8];
    const float *row = x + (size_t)blockIdx.x * columns;
    float *to = y + (size_t)blockIdx.x * columns;
    float2 mine = make_float2(-1e38f, 0);
    for (unsigned i = threadIdx.x; i < (unsigned)columns; i += blockDim.x) {
        float d = row[i] - mine.x, e = expf(-fabsf(d));
        mine = make_float2(d > 0 ? row[i] : mine.x, d > 0 ? mine.y * e + 1 : mine.y + e);
    }
    mine = of_warp(mine);
    if (threadIdx.x % 32 == 0)
        of[threadIdx.x / 32] = mine;
    __syncthreads();
    float2 all = threadIdx.x % 32 < 8 ? of[threadIdx.x % 32] : make_float2(-1e38f, 0);
    all = of_warp(all);
    float share = 1 / all.y;
    for (unsigned i = threadIdx.x; i < (unsigned)columns; i += blockDim.x)
        to[i] = expf(row[i] - all.x) * share;
}
