// counts.cu: kernels whose counters tests/unit/checks.c knows by hand. Also reads of unwritten
// memory, and faults with a place.
#include <cuda_fp16.h>
#include <mma.h>
#define K extern "C" __global__ void
#define T threadIdx.x

K stride(int *a, int *b, int n) { b[T] = a[T * n]; }
K offset(int *a, int *b, int n) { b[T] = a[T + n]; }
struct three { int x, y, z; };
K records(int *a, int *b, int n)
{
    three *p = (three *)a;
    b[T] = p[T].x + p[T].y + p[T].z;
}
K uniform(int *a, int *b, int n) { b[T] = a[n]; }
K bytes(int *a, int *b, int n) { b[T] = ((unsigned char *)a)[T]; }
K wide(int *a, int *b, int n) { ((int4 *)b)[T] = ((int4 *)a)[T]; }
K doubles(int *a, int *b, int n) { ((int2 *)b)[T] = ((int2 *)a)[T]; }
K uneven(int *a, int *b, int n) /* one block reads all */
{
    int sum = 0;
    for (int k = 0; blockIdx.x == 1 && k < n; k++) sum += a[k * blockDim.x + T];
    b[blockIdx.x * blockDim.x + T] = sum;
}
K half_active(int *a, int *b, int n)
{
    if (T & 1) b[T] = a[T];
}
K shared_stride(int *a, int *b, int n)
{
    extern __shared__ int s[];
    s[T] = T;
    __syncthreads();
    b[T] = s[(T * n) & 1023];
}
template <int W> __device__ void column(int *b)
{
    __shared__ int s[32 * W];
    s[T * W] = T;
    __syncthreads();
    b[T] = s[T * W];
}
K column16(int *a, int *b, int n) { column<16>(b); }
K column17(int *a, int *b, int n) { column<17>(b); }
K column32(int *a, int *b, int n) { column<32>(b); }
K column33(int *a, int *b, int n) { column<33>(b); }
K shared_wide(int *a, int *b, int n)
{
    __shared__ int4 s[32];
    s[T] = make_int4(T, n, T, n);
    __syncthreads();
    b[T] = s[31 - T].x;
}
K shared_two_words(int *a, int *b, int n)
{
    __shared__ int s[64];
    s[T] = T;
    s[T + 32] = T;
    __syncthreads();
    b[T] = s[T >> 4]; // two words, each for half a warp
}
K atomics(int *a, int *b, int n) { atomicAdd(&a[T / n], T); }
__constant__ int table[64];
K constant(int *a, int *b, int n) { b[T] = table[T & n]; }
K local_array(int *a, int *b, int n)
{
    int s[16];
#pragma unroll 1
    for (int i = 0; i < 16; i++) s[(i + n) & 15] = i;
    b[T] = s[(a[T] + n) & 15];
}
K fmas(int *a, int *b, int n)
{
    float x = T, y = n;
#pragma unroll 1
    for (int i = 0; i < n; i++) x = fmaf(x, y, 1.0f);
    ((float *)b)[T] = x;
}
K diverge(int *a, int *b, int n)
{
    if (a[T] + T < 8) b[T] = 1;
    __syncthreads();
    b[T + 64] = __shfl_down_sync(~0u, T, 1);
}

// ---- unwritten memory ----
K init_global(int *a, int *b, int n) { a[T] = b[T + n]; }
K init_shared(int *a, int *b, int n)
{
    __shared__ int pad[8], s[64];
    pad[T & 7] = T;
    if (T != 5) s[T] = T;
    __syncthreads();
    b[T] = s[T] + pad[T & 7];
}
K init_local(int *a, int *b, int n)
{
    int s[16];
#pragma unroll 1
    for (int i = 0; i < 15; i++) s[i] = i + n;
    b[T] = s[T & 15];
}
// By 32 lanes: two packed multiply-adds of 4 operations, one sum; and a product of 16 x 16 matrices by a warp.
K half_sums(int *a, int *b, int n)
{
    __half2 x = ((__half2 *)a)[T], y = __hfma2(x, x, x);
    y = __hfma2(x, y, y);
    ((__half *)b)[T] = __hadd_rn(y.x, y.y);
}
K matrix(int *a, int *b, int n)
{
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, __half, row_major> x;
    fragment<matrix_b, 16, 16, 16, __half, col_major> y;
    fragment<accumulator, 16, 16, 16, float> z;
    fill_fragment(z, 0.0f);
    load_matrix_sync(x, (__half *)a, 16);
    load_matrix_sync(y, (__half *)a, 16);
    mma_sync(z, x, y, z);
    store_matrix_sync((float *)b, z, 16, mem_row_major);
}
// Structs with gaps between their members, copied whole; and one whose every member is missing.
struct gaps {
    double d;
    char c;
    short s;
    int i;
    char e;
};
__device__ __noinline__ void keep(gaps *g, int n) { g->i += n; }
K init_gaps(int *a, int *b, int n)
{
    __shared__ gaps s[64];
    gaps g[3], one;
#pragma unroll 1
    for (int i = 0; i < 3; i++) g[i].d = i, g[i].c = 1, g[i].s = 2, g[i].i = T, g[i].e = 3;
    one = g[(T + n) % 3];
    keep(&one, n);
    s[T] = one;
    __syncthreads();
    ((gaps *)b)[T] = s[63 - T];
}
K init_no_member(int *a, int *b, int n)
{
    gaps g[3];
    if (n == 77) keep(&g[T % 3], n);
    ((gaps *)b)[T] = g[(T + n) % 3];
}
K init_ok(int *a, int *b, int n)
{
    __shared__ int s[64];
    int l[16];
#pragma unroll 1
    for (int i = 0; i < 16; i++) l[i] = i + n;
    s[T] = T;
    __syncthreads();
    b[T] = s[63 - T] + l[a[T] + (T & 15)];
}
K init_half(int *a, int *b, int n)
{
    ((short *)b)[T * 2] = T;
    a[T] = b[T];
}
K init_fill(int *a, int *b, int n) { b[T] = T; }
K init_use(int *a, int *b, int n) { a[T] = b[T]; }
K init_atomic(int *a, int *b, int n) { atomicAdd(&b[0], 1); }

// ---- places ----
__device__ __forceinline__ void deep(int *a, int i)
{
    a[i] = 1; // line 117
}
K place(int *a, int *b, int n)
{
    if (T == 37) deep(a, n); // line 121
}
