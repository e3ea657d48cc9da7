// Kernels that need the machine rather than an instruction: lanes that wait for lanes, blocks for
// blocks, calls, stacks. Compiled to machine.ptx by nvcc; tests/unit/machine.c runs them.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// Every lane of the warp takes the same lock in turn.
extern "C" __global__ void spin_lock(int *out, int n)
{
    __shared__ int lock;
    if (threadIdx.x == 0) lock = 0;
    __syncthreads();
    while (atomicCAS(&lock, 0, 1) != 0) {}
    __threadfence();
    *(volatile int *)out = *(volatile int *)out + 1;
    __threadfence();
    atomicExch(&lock, 0);
}

// Lane 1 waits for a value that lane 0 of the same warp writes, and answers.
extern "C" __global__ void ping_pong(volatile int *out, int n)
{
    if (threadIdx.x == 0) {
        for (int i = 1; i <= n; i++) {
            out[0] = i;
            while (out[1] != i) {}
        }
    } else if (threadIdx.x == 1) {
        for (int i = 1; i <= n; i++) {
            while (out[0] != i) {}
            out[1] = i;
        }
    }
}

// Block i goes on when block i + 1 says so: later blocks must start before earlier ones end.
extern "C" __global__ void backwards(volatile int *out, int n)
{
    if (threadIdx.x == 0) {
        if (blockIdx.x + 1 < gridDim.x)
            while (out[blockIdx.x + 1] == 0) {}
        out[blockIdx.x] = gridDim.x - blockIdx.x;
    }
}

extern "C" __global__ void grid_sync(int *out, int n)
{
    cg::grid_group g = cg::this_grid();
    int t = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    for (int i = 0; i < n; i++) {
        int left = out[(t + 1) % all];
        g.sync();
        out[t] = left + 1;
        g.sync();
    }
}

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
extern "C" __global__ void recursion(int *out, int n) { out[threadIdx.x] = fibonacci(threadIdx.x % (n + 1)); }

__device__ __noinline__ int endless_depth(int n) { return n == -1 ? 0 : 1 + endless_depth(n + 1) * 3; }
extern "C" __global__ void overflow(int *out, int n) { out[threadIdx.x] = endless_depth(n); }

__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int square(int x) { return x * x; }
__device__ __noinline__ int minus(int x) { return -x; }
typedef int (*function)(int);
__device__ function table[3] = {twice, square, minus};
extern "C" __global__ void indirect(int *out, int n) { out[threadIdx.x] = table[threadIdx.x % 3](threadIdx.x); }

extern "C" __global__ void bad_call(int *out, int n)
{
    function f = (function)(size_t)n;
    out[0] = f(1);
}

extern "C" __global__ void jump_table(int *out, int n)
{
    int t = threadIdx.x, r;
    switch (t % 8) {
    case 0: r = t * 3; break;
    case 1: r = t ^ 55; break;
    case 2: r = t << 2; break;
    case 3: r = t - 100; break;
    case 4: r = t * t; break;
    case 5: r = ~t; break;
    case 6: r = t / 3; break;
    default: r = 7;
    }
    out[t] = r;
}

// Lanes leave a loop at different turns and meet behind it.
extern "C" __global__ void reconverge(int *out, int n)
{
    int t = threadIdx.x, k = 0;
#pragma unroll 1
    for (int i = 0; i < t % 7; i++) k += i * t;
    out[t] = k + __popc(__activemask());
}

// Half of each warp waits at the barrier, the other half never comes (it loops) or ends.
extern "C" __global__ void some_end(int *out, int n)
{
    if (threadIdx.x % 2) return;
    __syncthreads();
    out[threadIdx.x] = 1;
}

extern "C" __global__ void parted_barrier(int *out, int n)
{
    __shared__ int s[64];
    if (threadIdx.x % 2) {
        s[threadIdx.x] = 1;
        __syncthreads();
        out[threadIdx.x] = s[threadIdx.x ^ 1] + 1;
    } else {
        s[threadIdx.x] = 2;
        __syncthreads();
        out[threadIdx.x] = s[threadIdx.x ^ 1] * 2;
    }
}

extern "C" __global__ void named_deadlock(int *out, int n)
{
    if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;");
    else asm volatile("bar.sync 2, 64;");
    out[threadIdx.x] = 1;
}

extern "C" __global__ void endless(int *out, int n)
{
    volatile int *v = out;
    while (v[0] != 12345) {}
    v[1] = 1;
}

// No warp ever runs long without waiting, and yet it never ends.
extern "C" __global__ void endless_barriers(int *out, int n)
{
    volatile int *v = out;
    do __syncthreads();
    while (v[0] != 12345);
    v[1] = 1;
}

extern "C" __global__ void local_array(int *out, int n)
{
    int a[32], t = threadIdx.x;
    for (int i = 0; i < 32; i++) a[(i * 5 + t) % 32] = i * t;
    int s = 0;
    for (int i = 0; i < n; i++) s = s * 3 + a[(i + t) % 32];
    out[t] = s;
}

struct big { int a; double b; char c[5]; short d; };
extern "C" __global__ void by_value(int *out, struct big v)
{
    out[threadIdx.x] = v.a + (int)v.b + v.c[threadIdx.x % 5] + v.d;
}

__constant__ int lookup[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__device__ const int *const_pointer = lookup + 2;
__device__ int global_data[4] = {10, 20, 30, 40};
extern "C" __global__ void data(int *out, int n)
{
    out[threadIdx.x] = const_pointer[threadIdx.x % 4] + global_data[threadIdx.x % 4];
}

// ---- for several host threads ----
extern "C" __global__ void independent(int *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, x = t;
#pragma unroll 1
    for (int i = 0; i < n; i++) x = x * 1103515245 + 12345;
    out[t] = x;
}
// The order of blocks shows in the result.
extern "C" __global__ void ticket(int *out, int n)
{
    int x = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) x += i ^ threadIdx.x;
    if (threadIdx.x == 0) {
        int slot = atomicAdd(&out[0], 1);
        out[1 + slot] = blockIdx.x + (x == 123456789);
    }
}
// Commuting atomics: the order does not show.
extern "C" __global__ void histogram(int *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < n; i++) atomicAdd(&out[(t * 7 + i * 13) % 61], 1);
    atomicMax(&out[64], t);
    atomicOr(&out[65], 1 << (t % 31));
}
// Each block reads what the one before wrote: side by side would be wrong.
extern "C" __global__ void chain(int *out, int n)
{
    int x = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) x += i ^ threadIdx.x;
    if (threadIdx.x == 0) out[blockIdx.x + 1] = out[blockIdx.x] + 1 + (x == 123456789);
}
// The same a warp at a time, 128 bytes that lie as a warp's mostly do; and every second block reads
// what the one behind has yet to write, which is done sooner.
extern "C" __global__ void warp_chain(int *out, int n)
{
    int x = 0, t = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < n; i++) x += i ^ threadIdx.x;
    out[blockDim.x + t] = out[t] + 1 + (x == 123456789);
}
extern "C" __global__ void warp_chain_back(int *out, int n)
{
    int x = 0, t = blockIdx.x * blockDim.x + threadIdx.x, turns = blockIdx.x % 2 ? n : 8 * n;
#pragma unroll 1
    for (int i = 0; i < turns; i++) x += i ^ threadIdx.x;
    out[t] = (blockIdx.x % 2 ? 0 : out[blockDim.x + t]) + 1 + (x == 123456789);
}
// Only a late block writes a buffer that all read.
extern "C" __global__ void late_write(int *out, int n)
{
    int x = 0, t = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < n; i++) x += out[i % 32];
    if (blockIdx.x == gridDim.x / 2) out[threadIdx.x % 32] += 1;
    out[64 + t] = x;
}
// Several blocks write bytes of one word.
extern "C" __global__ void bytes(unsigned char *out, int n)
{
    int x = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) x += i ^ threadIdx.x;
    if (threadIdx.x == 0) out[blockIdx.x] = (unsigned char)(blockIdx.x * 3 + (x == 123456789));
}
extern "C" __global__ void float_sum(float *out, int n)
{
    float x = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) x += 1.0f / (1 + i + blockIdx.x + threadIdx.x);
    atomicAdd(out, x);
}
extern "C" __global__ void late_fault(int *out, int n)
{
    int x = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) x += i ^ threadIdx.x;
    out[blockIdx.x * blockDim.x + threadIdx.x + (blockIdx.x == 37 || blockIdx.x == 41 ? 1 << 24 : 0)] = x;
}

// ---- in shuffled order ----
// A sum without atomics or barriers between warps and blocks: how much of it is lost depends on the order.
extern "C" __global__ void lost(int *out, int n)
{
    if (threadIdx.x % 32 == 0)
        for (int i = 0; i < n; i++) *(volatile int *)out = *(volatile int *)out + 1;
}
