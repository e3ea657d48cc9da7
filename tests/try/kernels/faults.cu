// One mistake a kernel; tests/try/faults.sh names the line where each is found.
#include <assert.h>
__global__ void outside(int *p)
{
    p[threadIdx.x] = 1; // line 5: beyond the end
}
__global__ void race(int *out)
{
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x; // line 10
    out[threadIdx.x] = s[63 - threadIdx.x]; // line 11: no barrier between
}
__global__ void between_blocks(int *out)
{
    out[0] = blockIdx.x; // line 15
}
__global__ void unwritten(const float *in, float *out)
{
    out[threadIdx.x] = in[threadIdx.x] + 1; // line 19
}
__global__ void diverged(int *out)
{
    if (threadIdx.x < 16) {
        __syncthreads(); // line 24
        out[0] = 1;
    } else if (threadIdx.x > 100) {
        __syncthreads();
    } else {
        while (atomicAdd(&out[1], 0) == 0) {}
    }
}
__global__ void misaligned(char *p)
{
    *(int *)(p + 1) = 5; // line 34
}
__global__ void null(int *p)
{
    p[3] = 1; // line 38
}
__global__ void asserts(int n)
{
    assert(n < 3); // line 42
}
__device__ __noinline__ int deep(int n)
{
    volatile int a[64];
    a[n & 63] = n;
    return n == 0 ? 0 : deep(n - 1) + a[n & 31];
}
__global__ void stack(int *out, int n)
{
    out[0] = deep(n);
}
__global__ void traps()
{
    __trap(); // line 56
}
extern __shared__ int dynamic[];
__global__ void not_given(int *out)
{
    dynamic[threadIdx.x] = 1; // line 61
    out[threadIdx.x] = dynamic[threadIdx.x];
}
__global__ void waits_for_it(volatile int *out)
{
    if (threadIdx.x < 32) __syncthreads();
    else
        while (out[0] == 0) {} // line 68
}
__device__ int *volatile kept; // so that no compiler sees through it
__global__ void twice(int *out)
{
    kept = (int *)malloc(16);
    out[0] = 1;
    free(kept);
    free(kept); // line 76
}
__global__ void blocks_add(int *out)
{
    out[threadIdx.x] += 1; // line 80: blocks read what others write
}
