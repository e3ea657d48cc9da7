// Kernels of kept.c; kept.ptx is what nvcc 13 makes of them, with the folders taken out of its .file lines:
// nvcc -arch=compute_75 -lineinfo -ptx kept.cu
// Each prints a sum over what it leaves in memory, so that a second run of the same launch shows whether it found
// memory as the first did.
#include <cstdio>
__device__ int table[64];
__device__ int calls;
static __device__ void say(const char *name, const int *p, int n)
{
    __syncthreads();
    if (threadIdx.x) return;
    unsigned sum = 0;
    for (int i = 0; i < n; i++) sum = sum * 31 + (unsigned)p[i];
    printf("%s %u\n", name, sum);
}
extern "C" __global__ void in_place(int *x, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = 3 * x[i] + i;
    say("in_place", x, n);
}
extern "C" __global__ void variables(int *out)
{
    out[threadIdx.x] = table[threadIdx.x % 64] + calls;
    __syncthreads();
    if (threadIdx.x < 64) table[threadIdx.x] += calls;
    if (threadIdx.x == 0) calls++;
    say("variables", out, blockDim.x);
    say("table", table, 64);
}
/* The buffers that it reads are named in memory, not by its arguments. */
extern "C" __global__ void pointers(int *const *list, int *out, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) sum += list[i][threadIdx.x];
    out[threadIdx.x] = sum;
    say("pointers", out, blockDim.x);
}
extern "C" __global__ void texels(cudaTextureObject_t t, int *out)
{
    out[threadIdx.x] = tex2D<int>(t, threadIdx.x % 4, threadIdx.x / 4);
    say("texels", out, blockDim.x);
}
extern "C" __global__ void large(int *p)
{
    p[threadIdx.x] += 1;
    say("large", p, blockDim.x);
}
/* Its launches of one shape take longer and longer. */
extern "C" __global__ void grows(int *p, int turns)
{
    for (int i = 0; i < turns; i++) p[threadIdx.x] = p[threadIdx.x] * 5 + i;
    say("grows", p, blockDim.x);
}
