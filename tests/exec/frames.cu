// Lanes of one warp in two functions at once, whose registers have other widths; frames.ptx is what nvcc 13 makes of
// it: nvcc -arch=compute_75 -ptx frames.cu
template <class T> __device__ __noinline__ unsigned turns(int n)
{
    T a = 1, b = 2;
    for (int i = 0; i < n; i++) a = a * 3 + i, b = b ^ a >> 1;
    return (unsigned)(a + b);
}
extern "C" __global__ void two_functions(unsigned *o, int n)
{
    o[threadIdx.x] = threadIdx.x & 1 ? turns<unsigned long long>(n) : turns<unsigned>(n + 3);
}

// Lanes meet in a function that two others call, whose local memory differs
__device__ __noinline__ int adds(const int *v, int n, int x)
{
    volatile int mine[4];
    for (int i = 0; i < 4; i++) mine[i] = x * 10 + i;
    __syncwarp();
    int s = 0;
    for (int i = 0; i < n; i++) s += v[i];
    for (int i = 0; i < 4; i++) s += mine[i];
    return s;
}
template <int N> __device__ __noinline__ int has_array(int x, int factor)
{
    int v[N];
    for (int i = 0; i < N; i++) v[i] = x * factor + i;
    __syncwarp();
    int s = adds(v, N, x);
    return s + v[x % N];
}
extern "C" __global__ void two_locals(int *o)
{
    const int t = threadIdx.x;
    o[t] = t & 1 ? has_array<4>(t, 1) : has_array<64>(t, 3);
}

// Two lanes meet in a function that two others call, whose registers differ; two more call others meanwhile
__device__ __noinline__ unsigned waits(unsigned x, int *stage)
{
    __syncwarp(3);
    atomicMax(stage, 1);
    while (atomicAdd(stage, 0) < 3) {}
    __syncwarp(3);
    return x * 3;
}
template <class T> __device__ __noinline__ T keeps(T x, int *stage)
{
    T v[9], s = 0;
#pragma unroll
    for (int i = 0; i < 9; i++) v[i] = (x ^ i) * (x + 3 * i + 1);
    __syncwarp(3);
    const T r = waits((unsigned)x, stage);
#pragma unroll
    for (int i = 0; i < 9; i++) s = s * 3 + v[i];
    return r + s;
}
template <class T, int N> __device__ __noinline__ T others(T x)
{
    T v[N], s = 0;
#pragma unroll
    for (int i = 0; i < N; i++) v[i] = (x ^ i) * (x + 3 * i + 2);
    for (int k = 0; k < 10; k++)
#pragma unroll
        for (int i = 0; i < N; i++) v[i] = v[i] * 3 + v[(i + 1) % N], s += v[i];
    return s;
}
extern "C" __global__ void two_callers(unsigned *o, int *stage)
{
    const unsigned t = threadIdx.x;
    unsigned r;
    if (t == 0) r = keeps<unsigned>(4, stage);
    else if (t == 1) r = (unsigned)keeps<unsigned long long>(5, stage);
    else {
        while (atomicAdd(stage, 0) < 1) {}
        r = t == 2 ? others<unsigned, 5>(2) : (unsigned)others<unsigned long long, 3>(3);
        atomicAdd(stage, 1);
    }
    o[t] = r;
}
