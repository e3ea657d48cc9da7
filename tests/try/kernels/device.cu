// What a device offers beyond arithmetic, one check a kernel. Each writes results that
// tests/try/device.sh knows by reasoning, so that the toolkit's headers and ours are judged alike.
// 64 threads, one block, unless said otherwise.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <stdio.h>
#include <math.h>
#include <assert.h>
#include <stdint.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_pipeline.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;

__constant__ int table[4] = {10, 20, 30, 40};
__device__ int counter = 5;

template <class T> __device__ T twice(T v) { return v + v; }

template <class H, class H2> __device__ int small(float *out, H2 pair, H *sum, H2 *sums)
{
    int n = 0, t = threadIdx.x;
    H a = H(1.5f), b = H(-2.25f), c = a + b;
    out[n++] = c, out[n++] = a - b, out[n++] = __hmul(a, b), out[n++] = a / b, out[n++] = __hfma(a, b, H(1.0f));
    c *= a, c -= b, c = -c;
    out[n++] = c, out[n++] = __habs(b), out[n++] = (a > b) * 2 + __heq(a, a), out[n++] = __hmax(a, b),
    out[n++] = hsqrt(b * b);
    H2 q = pair * pair, r = __hfma2(pair, q, __hneg2(pair));
    out[n++] = r.x, out[n++] = __high2float(r), out[n++] = __hbeq2(q, q), out[n++] = hfloor(b),
    out[n++] = hrint(H(2.5f));
    out[n++] = __shfl_xor_sync(0xffffffffu, H((float)t), 1);
    atomicAdd(sum, a), atomicAdd(sums, pair);
    __syncthreads();
    out[n++] = *sum, out[n++] = __low2float(*sums), out[n++] = sums->y;
    out[n++] = H(2049.7), out[n++] = H(1000000), out[n++] = H(0.1f);
    return n;
}
extern "C" {
__global__ void halves(float *out)
{
    __shared__ __half sum;
    __shared__ half2 sums;
    if (threadIdx.x == 0) sum = 0.0f, sums = __float2half2_rn(0);
    __syncthreads();
    int n = small<__half, __half2>(out + 64 * threadIdx.x, __floats2half2_rn(0.75f, -3.0f), &sum, &sums);
    float *o = out + 64 * threadIdx.x;
    o[n++] = __half2float(__float2half_rz(0.1f)), o[n++] = __half2float(__float2half_ru(0.1f)),
    o[n++] = __half2int_rn(__float2half(2.5f));
    o[n++] = __half_as_ushort(__float2half(-2.0f)),
    o[n++] = __half22float2(make_half2(__float2half(3), __float2half(4))).y;
}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800 // the toolkit has no multiply-add of bfloats for less
__global__ void bfloats(float *out)
{
    __shared__ __nv_bfloat16 sum;
    __shared__ __nv_bfloat162 sums;
    if (threadIdx.x == 0) sum = __float2bfloat16(0.0f), sums = __float2bfloat162_rn(0);
    __syncthreads();
    int n =
        small<__nv_bfloat16, __nv_bfloat162>(out + 64 * threadIdx.x, __floats2bfloat162_rn(0.75f, -3.0f), &sum, &sums);
    float *o = out + 64 * threadIdx.x;
    o[n++] = __bfloat162float(__float2bfloat16_rz(0.1f)), o[n++] = __bfloat162float(__float2bfloat16_ru(0.1f));
    o[n++] = __bfloat162int_rn(__float2bfloat16(2.5f)), o[n++] = __bfloat16_as_ushort(__float2bfloat16(-2.0f));
    o[n++] = __bfloat1622float2(__halves2bfloat162(__float2bfloat16(3), __float2bfloat16(4))).y;
}
#endif
__global__ void atomics(int *i, unsigned *u, unsigned long long *l, float *f, double *d)
{
    __shared__ int si;
    __shared__ float sf;
    int t = threadIdx.x;
    if (t == 0) si = 0, sf = 0;
    __syncthreads();
    atomicAdd(&i[0], t), atomicSub(&i[1], t), atomicMin(&i[2], -t), atomicMax(&i[3], t),
        atomicAnd(&i[4], ~(1 << (t & 15)));
    atomicOr(&i[5], 1 << (t & 15)), atomicXor(&i[6], t);
    atomicInc(&u[0], 9), atomicDec(&u[1], 9), atomicMax(&u[2], 0x80000000u + t), atomicMin(&u[3], 0xffffffffu - t),
        atomicAdd(&u[4], 3u);
    atomicAdd(&l[0], 1ull << 33), atomicMax(&l[1], (unsigned long long)t << 40);
    if (t == 7) i[7] = atomicCAS(&i[7], 0, 9) + i[7], l[2] = atomicCAS(&l[2], 4ull, 9ull) + l[2];
    atomicAdd(&f[0], 0.5f), atomicAdd(&d[0], 0.25);
    atomicAdd(&si, 2), atomicAdd(&sf, 1.5f);
    __syncthreads();
    if (t == 0) i[8] = si, f[1] = sf, i[9] = atomicExch(&i[10], 77), f[2] = atomicExch(&f[3], 2.0f);
}
__global__ void warp(int *out)
{
    int t = threadIdx.x, lane = t & 31;
    out[t] = __shfl_sync(0xffffffffu, lane, 5);
    out[64 + t] = __shfl_up_sync(0xffffffffu, lane, 3);
    out[128 + t] = __shfl_down_sync(0xffffffffu, lane, 3, 8);
    out[192 + t] = __shfl_xor_sync(0xffffffffu, lane, 16);
    out[256 + t] = (int)__shfl_xor_sync(0xffffffffu, (double)lane * 1.5, 1);
    out[320 + t] = __ballot_sync(0xffffffffu, lane % 3 == 0);
    out[384 + t] = __any_sync(0xffffffffu, lane == 7) * 2 + __all_sync(0xffffffffu, lane < 32);
    out[448 + t] = __match_any_sync(0xffffffffu, lane / 8);
    int same;
    out[512 + t] = __match_all_sync(0xffffffffu, 3ull, &same);
    out[576 + t] = same;
    out[640 + t] = __syncthreads_count(t % 4 == 0);
    out[704 + t] = (__syncthreads_and(t < 64) != 0) * 2 + (__syncthreads_or(t == 3) != 0);
    if (lane < 10) out[768 + t] = __activemask();
}
__global__ void bits(unsigned *out)
{
    unsigned v = 0x00f0c001u;
    int n = 0;
    out[n++] = __popc(v), out[n++] = __clz(v), out[n++] = __ffs(v), out[n++] = __brev(v);
    out[n++] = __popcll(0xffull << 40), out[n++] = __clzll(1ll << 40), out[n++] = __ffsll(1ll << 40),
    out[n++] = __brevll(1ull) >> 32;
    out[n++] = __byte_perm(0x33221100u, 0x77665544u, 0x7250), out[n++] = __funnelshift_l(0x80000001u, 0x2u, 4);
    out[n++] = __funnelshift_r(0x80000001u, 0x2u, 4), out[n++] = __umulhi(0x80000000u, 6u), out[n++] = __mulhi(-1, 1);
    out[n++] = __umul64hi(1ull << 63, 6) == 3, out[n++] = __mul24(-3, 5), out[n++] = __umul24(0x1000003u, 2u),
    out[n++] = __sad(3, -4, 5);
    out[n++] = __usad(3u, 10u, 1u), out[n++] = __uhadd(3u, 6u), out[n++] = abs(-5), out[n++] = min(3, 2),
    out[n++] = max(3u, 4u);
    out[n++] = __float_as_int(1.0f), out[n++] = __float2int_rd(-1.5f), out[n++] = __float2int_ru(1.2f),
    out[n++] = __float2uint_rz(3.9f);
    out[n++] = __double2hiint(1.0), out[n++] = __float_as_uint(__fadd_ru(1.0f, 1e-20f)),
    out[n++] = __float_as_uint(__int2float_rz(16777217));
    out[n++] = __float_as_uint(__saturatef(1.5f)), out[n++] = __float_as_uint(__fmaf_rn(2.0f, 3.0f, 4.0f));
}
__global__ void rest(unsigned *out, int *i, unsigned *u) // one warp; thread 5 writes
{
    int lane = threadIdx.x & 31, n = 0, all = __uni_sync(0xffffffffu, lane == 7) * 2 + __uni_sync(0xffffffffu, 1);
    float s, c;
    if (lane != 5) return;
    out[n++] = all, out[n++] = __dp4a(0x01020304, 0x01010101, 5), out[n++] = __funnelshift_lc(0x80000001u, 2u, 40),
    out[n++] = __funnelshift_rc(0x80000001u, 2u, 40);
    out[n++] = __hadd(-3, 6), out[n++] = __rhadd(-3, 6), out[n++] = __urhadd(3u, 6u),
    out[n++] = __mul64hi(1ll << 62, 12);
    out[n++] = __uint_as_float(0x40490fdbu) * 100, out[n++] = labs(-7L), out[n++] = llabs(-8LL);
    __sincosf(0.5f, &s, &c);
    out[n++] = rintf(s * 1e4f), out[n++] = rintf(c * 1e4f), out[n++] = rintf(__tanf(0.5f) * 1e4f),
    out[n++] = rintf(__exp10f(2.0f));
    out[n++] = rintf(__log10f(1000.0f) * 100), out[n++] = rintf(__log2f(8.0f) * 100);
    int piece[4], *at = &i[4];
    memset(piece, 1, sizeof piece), memcpy(at, piece, sizeof piece);
    __threadfence_system(), __prof_trigger(1);
    out[n++] = __ldca(at), __stcg(at, 5), out[n++] = __ldcg(at), __stcs(at, 6), out[n++] = __ldcs(at), __stwb(at, 7),
    out[n++] = *at;
    out[n++] = __cvta_generic_to_global(at + 1) - __cvta_generic_to_global(at);
    atomicAdd_system(i, 3), atomicMax_block(i, 10), atomicMin_block(i, 4), atomicMin_system(i, 2),
        atomicMax_system(i, 9);
    out[n++] = *i;
    atomicOr_block(i, 6), atomicOr_system(i, 16), atomicAnd_block(i, 30), atomicAnd_system(i, 28),
        atomicXor_block(i, 1), atomicXor_system(i, 2);
    out[n++] = *i, out[n++] = atomicExch_block(i, 40), out[n++] = atomicExch_system(i, 41), out[n++] = *i;
    out[n++] = atomicInc_block(u, 5), out[n++] = atomicInc_system(u, 5), out[n++] = atomicDec_block(u, 9),
    out[n++] = atomicDec_system(u, 9);
}
__global__ void groups(const int *in, int *out)
{
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    int v = in[block.thread_rank()];
    int sum = cg::reduce(tile, v, cg::plus<int>()), most = cg::reduce(tile, v, cg::greater<int>());
    if (tile.thread_rank() == 0) atomicAdd(&out[0], sum), atomicMax(&out[1], most);
    if (v % 3 == 0) {
        auto here = cg::coalesced_threads();
        int total = cg::reduce(here, v, cg::plus<int>());
        if (here.thread_rank() == 0) atomicAdd(&out[2], (int)here.size()), atomicAdd(&out[3], total);
    }
    block.sync();
    if (block.thread_rank() == 0) out[4] = block.size(), out[5] = tile.size();
    out[6 + block.thread_rank()] = tile.shfl_down(v, 1);
}
__global__ void whole_grid(int *out) // 5 blocks
{
    auto grid = cg::this_grid();
    atomicAdd(&out[0], 1);
    grid.sync();
    int seen = out[0];
    grid.sync();
    if (threadIdx.x == 0) out[1 + blockIdx.x] = seen;
}
__global__ void memory(int *out, const int *in, const float4 *four)
{
    extern __shared__ int dynamic[];
    __shared__ int fixed[64];
    int t = threadIdx.x, mine[4];
    for (int i = 0; i < 4; i++) mine[i] = t * 4 + i;
    fixed[t] = table[t & 3], dynamic[t] = __ldg(&in[t]);
    __threadfence();
    __syncthreads();
    float4 q = __ldg(&four[t & 3]);
    out[t] = fixed[63 - t] + dynamic[63 - t] + mine[in[t] & 3] + (int)(q.x + q.w) + twice(1);
    if (t == 0) out[64] = counter++, out[65] = counter;
    dim3 d = blockDim;
    if (t == 0) out[66] = d.x * 100 + d.y * 10 + gridDim.x + warpSize;
    long long start = clock64();
    __nanosleep(10);
    if (t == 0) out[67] = clock64() >= start;
}
__global__ void copies(const int *in, int *out) // 64 threads
{
    __shared__ __align__(16) int s[256];
    auto block = cg::this_thread_block();
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[4 * t], &in[4 * t], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = s[255 - t];
    __syncthreads();
    cg::memcpy_async(block, s, in + 10, 64 * sizeof(int));
    cg::wait(block);
    out[64 + t] = s[63 - t];
}
__global__ void prints(int n)
{
    if (threadIdx.x < 2)
        printf("%d %u %s %c %5.2f %x %lld %%\n", (int)threadIdx.x - n, 7u, "text", 'c', 2.5, 255, 1ll << 40);
    assert(n == 1);
}
}
int main() // never run; it must only not be in the way
{
    int *p;
    cudaMalloc(&p, 4);
    whole_grid<<<dim3(5), 64>>>(p);
    printf("%f %s\n", sqrt(2.0), cudaGetErrorString(cudaGetLastError()));
    return 0;
}
