// The programs that courses begin with, as students write them: right, so that no check may find
// anything. judge.c knows what they must leave.
#include <cstdio>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
// reduction with warp shuffle, last-block pattern
__device__ unsigned int done_blocks = 0;
__global__ void sum_last(const float *x, float *partial, float *out, int n)
{
    __shared__ float w[32];
    __shared__ bool last;
    float s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += x[i];
    for (int o = 16; o; o /= 2) s += __shfl_down_sync(~0u, s, o);
    if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x < 32) {
        s = threadIdx.x < blockDim.x / 32 ? w[threadIdx.x] : 0;
        for (int o = 16; o; o /= 2) s += __shfl_down_sync(~0u, s, o);
        if (threadIdx.x == 0) {
            partial[blockIdx.x] = s;
            __threadfence();
            last = atomicInc(&done_blocks, gridDim.x) == gridDim.x - 1;
        }
    }
    __syncthreads();
    if (last) {
        float t = 0;
        for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) t += ((volatile float *)partial)[i];
        for (int o = 16; o; o /= 2) t += __shfl_xor_sync(~0u, t, o);
        __syncthreads();
        if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = t;
        __syncthreads();
        if (threadIdx.x == 0) {
            float u = 0;
            for (int i = 0; i < blockDim.x / 32; i++) u += w[i];
            *out = u;
            done_blocks = 0;
        }
    }
}
// Blelloch scan in dynamic shared memory
__global__ void scan(int *data, int n)
{
    extern __shared__ int t[];
    int i = threadIdx.x, o = 1;
    t[2 * i] = data[2 * i]; t[2 * i + 1] = data[2 * i + 1];
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (i < d) t[o * (2 * i + 2) - 1] += t[o * (2 * i + 1) - 1];
        o *= 2;
    }
    if (i == 0) t[n - 1] = 0;
    for (int d = 1; d < n; d *= 2) {
        o >>= 1;
        __syncthreads();
        if (i < d) { int a = o * (2 * i + 1) - 1, b = o * (2 * i + 2) - 1, v = t[a]; t[a] = t[b]; t[b] += v; }
    }
    __syncthreads();
    data[2 * i] = t[2 * i]; data[2 * i + 1] = t[2 * i + 1];
}
// histogram with shared privatisation
__global__ void histogram(const unsigned char *in, unsigned *out, int n)
{
    __shared__ unsigned h[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) h[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&h[in[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) if (h[i]) atomicAdd(&out[i], h[i]);
}
// transpose
template <int T, int R> __global__ void transpose(const float *in, float *out, int w, int h)
{
    __shared__ float t[T][T + 1];
    int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
    for (int j = 0; j < T; j += R) if (x < w && y + j < h) t[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
    __syncthreads();
    x = blockIdx.y * T + threadIdx.x; y = blockIdx.x * T + threadIdx.y;
    for (int j = 0; j < T; j += R) if (x < h && y + j < w) out[(y + j) * h + x] = t[threadIdx.x][threadIdx.y + j];
}
template __global__ void transpose<32, 8>(const float *, float *, int, int);
// bitonic sort of a block
__global__ void bitonic(int *a)
{
    extern __shared__ int s[];
    int t = threadIdx.x;
    s[t] = a[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int k = 2; k <= blockDim.x; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int o = t ^ j;
            if (o > t) { bool up = (t & k) == 0; if ((s[t] > s[o]) == up) { int v = s[t]; s[t] = s[o]; s[o] = v; } }
            __syncthreads();
        }
    a[blockIdx.x * blockDim.x + t] = s[t];
}
// stencil with halo
__global__ void stencil(const int *in, int *out, int n)
{
    __shared__ int t[256 + 6];
    int g = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x + 3;
    t[l] = g < n ? in[g] : 0;
    if (threadIdx.x < 3) {
        t[l - 3] = g >= 3 ? in[g - 3] : 0;
        t[l + blockDim.x] = g + blockDim.x < n ? in[g + blockDim.x] : 0;
    }
    __syncthreads();
    int s = 0;
    for (int k = -3; k <= 3; k++) s += t[l + k];
    if (g < n) out[g] = s;
}
// life, grid sync, many generations
__global__ void life(unsigned char *a, unsigned char *b, int w, int h, int steps)
{
    cg::grid_group g = cg::this_grid();
    for (int s = 0; s < steps; s++) {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < w * h; i += gridDim.x * blockDim.x) {
            int x = i % w, y = i / w, c = 0;
            for (int dy = -1; dy <= 1; dy++) for (int dx = -1; dx <= 1; dx++)
                if (dx || dy) c += a[(y + dy + h) % h * w + (x + dx + w) % w];
            b[i] = c == 3 || (c == 2 && a[i]);
        }
        g.sync();
        unsigned char *t = a; a = b; b = t;
    }
}
// spmv, warp per row
__global__ void spmv(const int *row, const int *col, const float *v, const float *x, float *y, int rows)
{
    int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, l = threadIdx.x & 31;
    if (w >= rows) return;
    float s = 0;
    for (int k = row[w] + l; k < row[w + 1]; k += 32) s += v[k] * x[col[k]];
    for (int o = 16; o; o >>= 1) s += __shfl_down_sync(0xffffffff, s, o);
    if (l == 0) y[w] = s;
}
// struct parameters, templates, lambda, function pointers, virtual functions
struct Params { int n; float scale; float offset[3]; char tag; };
template <class F> __device__ void each(int n, F f) { for (int i = threadIdx.x; i < n; i += blockDim.x) f(i); }
__global__ void structs(Params p, float *out)
{
    each(p.n, [=](int i) { out[i] = i * p.scale + p.offset[i % 3] + p.tag; });
}
typedef int (*op)(int, int);
__device__ int add_(int a, int b) { return a + b; }
__device__ int mul_(int a, int b) { return a * b; }
__device__ int sub_(int a, int b) { return a - b; }
__device__ op ops[3] = {add_, mul_, sub_};
__global__ void pointers(int *out) { int t = threadIdx.x; out[t] = ops[t % 3](t, 7); }
struct Shape { __device__ virtual float area() const = 0; __device__ virtual ~Shape() {} };
struct Square : Shape {
    float a;
    __device__ Square(float v) : a(v) {}
    __device__ float area() const override { return a * a; }
};
struct Box : Shape {
    float a, b;
    __device__ Box(float v, float w) : a(v), b(w) {}
    __device__ float area() const override { return a * b; }
};
__global__ void virtuals(float *out)
{
    int t = threadIdx.x;
    Shape *s = t % 2 ? (Shape *)new Square(t) : (Shape *)new Box(t, 2);
    out[t] = s->area();
    delete s;
}
__device__ int ack(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }
__global__ void recurse(int *out) { out[threadIdx.x] = ack(threadIdx.x % 3, threadIdx.x % 5); }
__global__ void hello(int n)
{
    if (threadIdx.x < n) printf("block %d thread %d: %s %.3f\n", blockIdx.x, threadIdx.x, "hi", threadIdx.x * 0.5);
}
// queue with atomics
__global__ void filter(const int *in, int *out, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 3 == 0) {
        auto g = cg::coalesced_threads();
        int base;
        if (g.thread_rank() == 0) base = atomicAdd(count, g.size());
        out[g.shfl(base, 0) + g.thread_rank()] = in[i];
    }
}
// spin lock per bin with critical section
__global__ void locked(int *lock, int *v, int n)
{
    for (int k = 0; k < n; k++) {
        bool doneit = false;
        while (!doneit) {
            if (atomicCAS(lock, 0, 1) == 0) {
                __threadfence();
                v[0] = v[0] + 1;
                __threadfence();
                atomicExch(lock, 0);
                doneit = true;
            }
        }
    }
}
__constant__ float coef[5] = {1, 2, 3, 2, 1};
__global__ void conv(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    #pragma unroll
    for (int k = 0; k < 5; k++) { int j = i + k - 2; if (j >= 0 && j < n) s += coef[k] * in[j]; }
    if (i < n) out[i] = s;
}
// warp-synchronous with volatile and __syncwarp
__global__ void warp_reduce(const int *in, int *out)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int k = 128; k >= 32; k >>= 1) { if (t < k) s[t] += s[t + k]; __syncthreads(); }
    if (t < 32) {
        int v = s[t];
        for (int k = 16; k; k >>= 1) { v += s[t + k]; __syncwarp(); s[t] = v; __syncwarp(); }
        if (t == 0) out[blockIdx.x] = v;
    }
}
__global__ void tiles(const int *in, int *out)
{
    auto b = cg::this_thread_block();
    auto t16 = cg::tiled_partition<16>(b);
    int v = in[b.thread_rank()];
    for (int i = t16.size() / 2; i > 0; i /= 2) v += t16.shfl_down(v, i);
    if (t16.thread_rank() == 0) out[b.thread_rank() / 16] = v;
    cg::sync(b);
}
// double-buffered matrix product
__global__ void matmul2(const float *A, const float *B, float *C, int n)
{
    __shared__ float a[2][16][16], b[2][16][16];
    int tx = threadIdx.x, ty = threadIdx.y, r = blockIdx.y * 16 + ty, c = blockIdx.x * 16 + tx, cur = 0;
    a[0][ty][tx] = A[r * n + tx]; b[0][ty][tx] = B[ty * n + c];
    __syncthreads();
    float s = 0;
    for (int t = 0; t < n / 16; t++) {
        if (t + 1 < n / 16) {
            a[cur ^ 1][ty][tx] = A[r * n + (t + 1) * 16 + tx];
            b[cur ^ 1][ty][tx] = B[((t + 1) * 16 + ty) * n + c];
        }
        for (int k = 0; k < 16; k++) s += a[cur][ty][k] * b[cur][k][tx];
        __syncthreads();
        cur ^= 1;
    }
    C[r * n + c] = s;
}
// sorting in global memory, a barrier between passes
__global__ void odd_even(int *a, int n)
{
    for (int p = 0; p < n; p++) {
        int i = 2 * threadIdx.x + (p & 1);
        if (i + 1 < n && a[i] > a[i + 1]) { int t = a[i]; a[i] = a[i + 1]; a[i + 1] = t; }
        __syncthreads();
    }
}
// decoupled look-back style chain between blocks: flag with release by fence
__global__ void chain(const int *in, int *out, volatile int *flag, volatile int *carry, int n)
{
    __shared__ int base; __shared__ int s[128];
    int t = threadIdx.x, g = blockIdx.x * 128 + t;
    s[t] = in[g];
    __syncthreads();
    for (int o = 1; o < 128; o *= 2) { int v = t >= o ? s[t - o] : 0; __syncthreads(); s[t] += v; __syncthreads(); }
    if (t == 0) {
        int b = 0;
        if (blockIdx.x) { while (flag[blockIdx.x - 1] == 0) {} __threadfence(); b = carry[blockIdx.x - 1]; }
        carry[blockIdx.x] = b + s[127];
        __threadfence();
        flag[blockIdx.x] = 1;
        base = b;
    }
    __syncthreads();
    out[g] = base + s[t];
}
// the least, by compare-and-swap
__device__ float atomicMinF(float *a, float v)
{
    int *p = (int *)a, old = *p, seen;
    do {
        seen = old;
        if (__int_as_float(seen) <= v) break;
        old = atomicCAS(p, seen, __float_as_int(v));
    } while (seen != old);
    return __int_as_float(old);
}
__global__ void minf(const float *x, float *m, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicMinF(m, x[i]);
}
__global__ void monte(unsigned long long *hits, int n)
{
    unsigned s = blockIdx.x * blockDim.x + threadIdx.x + 12345; int c = 0;
    for (int i = 0; i < n; i++) {
        s = s * 1664525u + 1013904223u; float x = (s >> 8) * (1.0f / 16777216);
        s = s * 1664525u + 1013904223u; float y = (s >> 8) * (1.0f / 16777216);
        c += x * x + y * y < 1;
    }
    atomicAdd(hits, (unsigned long long)c);
}
