// tensor.cu: products of matrices by whole warps, one question at a time (tensor.txt says which);
// cards are fitted to it as to micro.cu, which compiles for cards that have none of them. Each turn
// has eight, in one chain or in eight. ptx: compute_80

#define PLACE (blockIdx.x * blockDim.x + threadIdx.x)

#define TF32(c)                                                                                                    \
    asm volatile(                                                                                                  \
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                                           \
        : "r"(p), "r"(p), "r"(p), "r"(p), "r"(q), "r"(q));
#define HALF(c)                                                                                                   \
    asm volatile(                                                                                                 \
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                                          \
        : "r"(p), "r"(p), "r"(p), "r"(p), "r"(q), "r"(q));
#define HALF_8(c)                                                                                                \
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" \
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                                \
                 : "r"(p), "r"(p), "r"(q));
#define HALF_SUM(c)                                                                                            \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};" \
                 : "+r"(c[0]), "+r"(c[1])                                                                      \
                 : "r"(p), "r"(p), "r"(p), "r"(p), "r"(q), "r"(q));
#define BYTES(c)                                                                                                \
    asm volatile(                                                                                               \
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])                                                        \
        : "r"(p), "r"(p), "r"(p), "r"(p), "r"(q), "r"(q));
#define DOUBLES(c) asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" \
    : "+d"(c[0]), "+d"(c[1]) : "d"(s), "d"(s));

#define BOTH(name, type, one)                                                                                          \
    extern "C" __global__ void name##_chain(type *x, int turns)                                                        \
    {                                                                                                                  \
        unsigned p = turns * 0, q = p;                                                                                 \
        double s = p;                                                                                                  \
        type c[4] = {x[0], x[1], x[2], x[3]};                                                                          \
        _Pragma("unroll 1") for (int t = 0; t < turns; t++){                                                           \
            one(c) one(c) one(c) one(c) one(c) one(c) one(c) one(c)} x[PLACE] = c[0] + c[1] + c[2] + c[3] + p + q + s; \
    }                                                                                                                  \
    extern "C" __global__ void name##_side(type *x, int turns)                                                         \
    {                                                                                                                  \
        unsigned p = turns * 0, q = p;                                                                                 \
        double s = p;                                                                                                  \
        type c[8][4], sum = 0;                                                                                         \
        for (int k = 0; k < 8; k++)                                                                                    \
            for (int e = 0; e < 4; e++) c[k][e] = x[k + e];                                                            \
        _Pragma("unroll 1") for (int t = 0; t < turns; t++)                                                            \
        {                                                                                                              \
            one(c[0]) one(c[1]) one(c[2]) one(c[3]) one(c[4]) one(c[5]) one(c[6]) one(c[7])                            \
        }                                                                                                              \
        for (int k = 0; k < 8; k++)                                                                                    \
            for (int e = 0; e < 4; e++) sum += c[k][e];                                                                \
        x[PLACE] = sum + p + q + s;                                                                                    \
    }

BOTH(tf32, float, TF32)
BOTH(half, float, HALF)
BOTH(half_8, float, HALF_8)
BOTH(half_sum, unsigned, HALF_SUM)
BOTH(bytes, int, BYTES)
BOTH(doubles, double, DOUBLES)

// Tiles from shared memory, four of 8 x 8 at a time, as a chain of addresses or side by side.
extern "C" __global__ void tiles_chain(unsigned *x, int turns)
{
    __shared__ __align__(16) unsigned tile[2048];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x) tile[i] = 0;
    __syncthreads();
    unsigned at = (unsigned)__cvta_generic_to_shared(tile) + threadIdx.x % 32 * 16, a, b, c, d;
#pragma unroll 1
    for (int t = 0; t < turns; t++)
#pragma unroll
        for (int k = 0; k < 8; k++) {
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                         : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                         : "r"(at));
            at += a;
        }
    x[PLACE] = at + b + c + d;
}

extern "C" __global__ void tiles_side(unsigned *x, int turns)
{
    __shared__ __align__(16) unsigned tile[2048];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x) tile[i] = 0;
    __syncthreads();
    unsigned at = (unsigned)__cvta_generic_to_shared(tile) + threadIdx.x % 32 * 16, a, b, c, d, sum = 0;
#pragma unroll 1
    for (int t = 0; t < turns; t++)
#pragma unroll
        for (int k = 0; k < 8; k++) {
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                         : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                         : "r"(at + 512 * k));
            sum += a ^ b ^ c ^ d;
        }
    x[PLACE] = sum;
}
