// Kernels of programs.c; kernels.ptx is what nvcc 13 makes of them: nvcc -arch=compute_75 -lineinfo -ptx kernels.cu
#include <cstdio>
#include <cassert>
__device__ int table[4] = {1, 2, 3, 4};
__constant__ float factors[2];
__managed__ int counted = 7;

extern "C" __global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
extern "C" __global__ void scale(float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = a[i] * factors[0] + factors[1] + table[i & 3];
}
extern "C" __global__ void count(void) { atomicAdd(&counted, 1); }
extern "C" __global__ void far_away(int *p) { p[1ull << 40] = 1; }
extern "C" __global__ void misaligned(char *p) { *(int *)(p + 1) = 1; }
extern "C" __global__ void says(int n) { printf("thread %d says %d\n", threadIdx.x, n); }
extern "C" __global__ void asserts(int n) { assert(n == 3); }
extern "C" __global__ void wait_flag(volatile int *flag, int *out)
{
    while (*flag == 0) {}
    *out = 42;
}
extern "C" __global__ void long_one(float *a, int turns)
{
    float x = a[threadIdx.x];
    for (int i = 0; i < turns; i++) x = x * 1.0001f + 1.0f;
    a[threadIdx.x] = x;
}
extern "C" __global__ void needs_shared(int *out)
{
    extern __shared__ int s[];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void sample(cudaTextureObject_t t, float *out, int w)
{
    out[threadIdx.y * w + threadIdx.x] = tex2D<float>(t, threadIdx.x, threadIdx.y);
}
extern "C" __global__ void endless(int *p)
{
    for (volatile int *q = p; *q == 0;) {}
}
extern "C" __global__ void racy(int *p) { p[0] = threadIdx.x; }
// each block waits for the one before it
extern "C" __global__ void chain(volatile int *done, int *out, int round)
{
    if (threadIdx.x == 0 && blockIdx.x)
        while (done[blockIdx.x - 1] != round) {}
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] += round;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) done[blockIdx.x] = round;
}
// nobody launches it: that it reads a clock is no other kernel's matter
extern "C" __global__ void ticks(long long *out) { out[threadIdx.x] = clock64(); }
