// micro.cu: kernels that each ask an H200 one question about its machine (micro.txt says which).
// Cards are fitted to these, never to those of the other files here. Each does the same thing for
// so long that its launch does not count.

#define REPEAT4(x) x x x x
#define REPEAT16(x) REPEAT4(x) REPEAT4(x) REPEAT4(x) REPEAT4(x)
#define PLACE (blockIdx.x * blockDim.x + threadIdx.x)

// ---- arithmetic: 16 instructions a turn, in 1 or 8 chains; eight values go in and come out. Those
// of ALL lie at one address, so that a compiler knows them to be
// alike for all lanes; of LANES each lane has its own ----
#define ARITHMETIC(name, type, from, one, eight) \
    extern "C" __global__ void name(type *x, int turns, type p, type q, int store) \
    { \
        x += from; \
        type a = x[0], b = x[1], c = x[2], d = x[3], e = x[4], f = x[5], g = x[6], h = x[7]; \
        _Pragma("unroll 1") for (int k = 0; k < turns; k++) { eight eight } \
        if (store) x[PLACE] = a + b + c + d + e + f + g + h; \
    } \
    extern "C" __global__ void name##_1(type *x, int turns, type p, type q, int store) \
    { \
        x += from; \
        type a = x[0]; \
        _Pragma("unroll 1") for (int k = 0; k < turns; k++) { REPEAT16(one) } \
        if (store) x[PLACE] = a; \
    }
#define EIGHT(o) o(a) o(b) o(c) o(d) o(e) o(f) o(g) o(h)
#define ALL(name, type, o) ARITHMETIC(name, type, 0, o(a), EIGHT(o))
#define LANES(name, type, o) ARITHMETIC(name, type, PLACE, o(a), EIGHT(o))

// The factor and the summand are loaded, so they are registers; those of _parameter are operands from constant memory.
#define DFMA(v) asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(v) : "d"(p), "d"(q));
#define DADD(v) asm volatile("add.rn.f64 %0, %0, %1;" : "+d"(v) : "d"(q));
#define DMUL(v) asm volatile("mul.rn.f64 %0, %0, %1;" : "+d"(v) : "d"(p));
#define DDIV(v) asm volatile("div.rn.f64 %0, %0, %1;" : "+d"(v) : "d"(p));
#define DSQRT(v) asm volatile("sqrt.rn.f64 %0, %0;" : "+d"(v));
#define DRCP(v) asm volatile("rcp.rn.f64 %0, %0;" : "+d"(v));
#define FFMA(v) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(v) : "f"(p), "f"(q));
#define FMAX(v) asm volatile("max.f32 %0, %0, %1;" : "+f"(v) : "f"(p));
#define EX2(v) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(v));
#define EX2_SLOW(v) asm volatile("ex2.approx.f32 %0, %0;" : "+f"(v));
#define SQRT(v) asm volatile("sqrt.rn.f32 %0, %0;" : "+f"(v));
#define RCP(v) asm volatile("rcp.rn.f32 %0, %0;" : "+f"(v));
#define FDIV(v) asm volatile("div.rn.f32 %0, %0, %1;" : "+f"(v) : "f"(p));
#define FDIV_BY(v) asm volatile("div.rn.f32 %0, %1, %0;" : "+f"(v) : "f"(p));
#define ADD(v) asm volatile("add.s32 %0, %0, %1;" : "+r"(v) : "r"(p));
#define XOR(v) asm volatile("xor.b32 %0, %0, %1;" : "+r"(v) : "r"(p));
#define SHIFT(v) asm volatile("shf.l.wrap.b32 %0, %0, %1, 7;" : "+r"(v) : "r"(p));
#define MAD(v) asm volatile("mad.lo.s32 %0, %0, %1, %2;" : "+r"(v) : "r"(p), "r"(q));
#define HIGH(v) asm volatile("mul.hi.s32 %0, %0, %1;" : "+r"(v) : "r"(p));
#define MIN(v) asm volatile("min.s32 %0, %0, %1;" : "+r"(v) : "r"(p));
#define UDIV(v) asm volatile("div.u32 %0, %0, %1;" : "+r"(v) : "r"(p));
#define POPC(v) asm volatile("popc.b32 %0, %0;" : "+r"(v));
#define F2I(v) asm volatile("{.reg .f32 t; mov.b32 t, %0; cvt.rzi.s32.f32 %0, t;}" : "+r"(v));
#define I2F(v) asm volatile("{.reg .f32 t; cvt.rn.f32.s32 t, %0; mov.b32 %0, t;}" : "+r"(v));
#define F2U(v) asm volatile("{.reg .f32 t; mov.b32 t, %0; cvt.rzi.u32.f32 %0, t;}" : "+r"(v));
#define U2F(v)                                                         \
    asm volatile("{.reg .f32 t; cvt.rp.f32.u32 t, %0; mov.b32 %0, t;}" \
                 : "+r"(v)); /* rounded up, as divisions do first */
#define UREM(v) \
    asm volatile("rem.u32 %0, %1, %0; or.b32 %0, %0, 1;" : "+r"(v) : "r"(p)); /* by another number each time */
#define SREM(v) asm volatile("rem.s32 %0, %1, %0; or.b32 %0, %0, 1;" : "+r"(v) : "r"(p));
#define DIVIDE_BY(v) asm volatile("div.u32 %0, %1, %0; or.b32 %0, %0, 1;" : "+r"(v) : "r"(p));
#define LADD(v) asm volatile("add.s64 %0, %0, %1;" : "+l"(v) : "l"(p));
#define LSHIFT(v) asm volatile("shr.u64 %0, %0, 1; or.b64 %0, %0, %1;" : "+l"(v) : "l"(p));
#define MAXIMUM3(v) v = max(max(v, p), q); asm volatile("" : "+r"(v));
#define SUM_MAXIMUM(v) v = max(v + p, q); asm volatile("" : "+r"(v));
#define CHOOSE(v) \
    asm volatile("{.reg .pred t; setp.gt.s32 t, %0, %1; selp.b32 %0, %2, %1, t;}" : "+r"(v) : "r"(p), "r"(q));
#define LMIN(v) asm volatile("add.s64 %0, %0, %1; min.s64 %0, %0, %2;" : "+l"(v) : "l"(p), "l"(q));
#define I2D(v) asm volatile("{.reg .s32 t; .reg .b32 u; mov.b64 {t, u}, %0; cvt.rn.f64.s32 %0, t;}" : "+d"(v));
#define MIXED(v)                                                                                            \
    asm volatile("{.reg .b32 t; fma.rn.f32 %0, %0, %1, %2; mov.b32 t, %0; xor.b32 t, t, 5; mov.b32 %0, t;}" \
                 : "+f"(v)                                                                                  \
                 : "f"(p), "f"(q));
#define WIDE(v) asm volatile("{.reg .b32 t, u; mov.b64 {t, u}, %0; mul.wide.s32 %0, t, %1;}" : "+l"(v) : "r"((int)p));
#define LONG(v) asm volatile("mul.lo.s64 %0, %0, %1;" : "+l"(v) : "l"(p));

ALL(double_fma, double, DFMA)
ALL(double_add, double, DADD)
ALL(double_mul, double, DMUL)
ALL(double_div, double, DDIV)
ALL(double_sqrt, double, DSQRT)
ALL(float_fma, float, FFMA)
ALL(float_max, float, FMAX)
ALL(float_ex2, float, EX2)
ALL(float_ex2_slow, float, EX2_SLOW)
ALL(float_sqrt, float, SQRT)
ALL(float_rcp, float, RCP)
ALL(float_div, float, FDIV)
ALL(float_mixed, float, MIXED)
ALL(int_add, int, ADD)
ALL(int_xor, int, XOR)
ALL(int_shift, int, SHIFT)
ALL(int_mad, int, MAD)
ALL(int_high, int, HIGH)
ALL(int_min, int, MIN)
ALL(int_div, int, UDIV)
ALL(int_popc, int, POPC)
ALL(to_int, int, F2I)
ALL(to_float, int, I2F)
ALL(to_unsigned, int, F2U)
ALL(to_float_up, int, U2F)
ALL(int_rem, int, UREM)
ALL(signed_rem, int, SREM)
ALL(int_div_by, int, DIVIDE_BY)
ALL(long_add, long long, LADD)
ALL(long_shift, long long, LSHIFT)
ALL(int_max_3, int, MAXIMUM3)
ALL(int_add_max, int, SUM_MAXIMUM)
ALL(int_choose, int, CHOOSE)
ALL(long_min, long long, LMIN)
ALL(to_double, double, I2D)
ALL(int_wide, long long, WIDE)
ALL(long_mul, long long, LONG)
LANES(double_div_lanes, double, DDIV)
ALL(double_rcp, double, DRCP)
LANES(double_rcp_lanes, double, DRCP)
LANES(double_sqrt_lanes, double, DSQRT)
LANES(float_sqrt_lanes, float, SQRT)
LANES(float_rcp_lanes, float, RCP)
LANES(float_div_lanes, float, FDIV)
LANES(float_div_by_lanes, float, FDIV_BY)
ALL(float_div_by, float, FDIV_BY)

extern "C" __global__ void double_fma_2(double *x, int turns, double p, double q, int store)
{
    double a = x[0], b = x[1];
#pragma unroll 1
    for (int k = 0; k < turns; k++) { REPEAT4(DFMA(a) DFMA(b) DFMA(a) DFMA(b)) }
    if (store) x[PLACE] = a + b;
}

extern "C" __global__ void double_fma_4(double *x, int turns, double p, double q, int store)
{
    double a = x[0], b = x[1], c = x[2], d = x[3];
#pragma unroll 1
    for (int k = 0; k < turns; k++) { REPEAT4(DFMA(a) DFMA(b) DFMA(c) DFMA(d)) }
    if (store) x[PLACE] = a + b + c + d;
}

extern "C" __global__ void double_fma_registers(double *x, int turns)
{
    double a = x[0], b = x[1], c = x[2], d = x[3], e = x[4], f = x[5], g = x[6], h = x[7], p = x[8], q = x[9];
#pragma unroll 1
    for (int k = 0; k < turns; k++) { EIGHT(DFMA) EIGHT(DFMA) }
    x[PLACE] = a + b + c + d + e + f + g + h;
}

// Constants of 64 bits: eight instructions, and what it takes to have them.
extern "C" __global__ void double_constants(double *x, int turns)
{
    double a = x[0], b = x[1], c = x[2], d = x[3];
#pragma unroll 1
    for (int k = 0; k < turns; k++) {
        a = a * 0.11 + b;
        b = b * 0.12 + c;
        c = c * 0.13 + d;
        d = d * 0.14 + a;
        a = a * 0.15 + c;
        b = b * 0.16 + d;
        c = c * 0.17 + a;
        d = d * 0.18 + b;
    }
    x[PLACE] = a + b + c + d;
}

// ---- branches ----
extern "C" __global__ void loop_empty(int *x, int turns)
{
    int k = 0;
#pragma unroll 1
    for (; k < turns; k++) asm volatile("");
    x[PLACE] = k;
}

// Eight branches a turn, each around a few instructions, taken by the lanes below `apart`. All
// lanes know the outcome alike, or each has its own, so that the machine code has them meet again
// behind each.
#define BRANCH(bit)                 \
    if (!(mask & bit)) {            \
        v = v * v + 3;              \
        v = (v ^ 9) * 5;            \
        v = v * v + 5;              \
        v = (v ^ 17) * 7;           \
        v = v * v + 9;              \
        v = (v ^ 33) * 11;          \
        asm volatile("" : "+r"(v)); \
    }
#define EIGHT_BRANCHES BRANCH(1) BRANCH(2) BRANCH(4) BRANCH(8) BRANCH(16) BRANCH(32) BRANCH(64) BRANCH(128)
extern "C" __global__ void branches(unsigned *x, int turns, int mask)
{
    unsigned v = mask;
#pragma unroll 1
    for (int k = 0; k < turns; k++) { EIGHT_BRANCHES }
    x[PLACE] = v;
}

extern "C" __global__ void branches_lanes(unsigned *x, int turns, int apart)
{
    unsigned v = threadIdx.x, mask = (int)(threadIdx.x & 31) < apart ? 255 : x[PLACE];
#pragma unroll 1
    for (int k = 0; k < turns; k++) { EIGHT_BRANCHES }
    x[PLACE] = v;
}

// A short loop that lanes leave one after the other, a turn apart when `apart` is 1, or all
// together when it is 0: the warp makes 31 turns in both.
extern "C" __global__ void leave_loop(int *x, int turns, int apart)
{
    unsigned v = threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < turns; k++) {
        int left = apart ? (int)(threadIdx.x & 31) : 31;
#pragma unroll 1
        while (left > 0) {
            v = v * 5 + 1;
            left--;
        }
    }
    x[PLACE] = v;
}

// ---- blocks ----
extern "C" __global__ void blocks_empty(int *x)
{
    if (threadIdx.x == 5000) *x = 1;
}

extern "C" __global__ void blocks_store(int *x, int n)
{
    int i = PLACE;
    if (i < n) x[i & 0xfffff] = i;
}

// ---- shared memory ----
// Lanes in groups of `same` add at one word; of 32 / banks words that lie in one bank.
extern "C" __global__ void shared_inc(int *x, int turns, int same, int banks)
{
    __shared__ int a[1024];
    int lane = threadIdx.x & 31, word = lane / same, at = word % banks + word / banks * 32;
    a[threadIdx.x & 1023] = 0;
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < turns; k++) {
        atomicAdd(&a[at], 1);
        atomicAdd(&a[at ^ 1], 1);
        atomicAdd(&a[at], 1);
        atomicAdd(&a[at ^ 1], 1);
    }
    __syncthreads();
    x[PLACE] = a[threadIdx.x & 1023];
}

extern "C" __global__ void shared_add(int *x, int turns, int same, int banks)
{
    __shared__ int a[1024];
    int lane = threadIdx.x & 31, word = lane / same, at = word % banks + word / banks * 32;
    a[threadIdx.x & 1023] = 0;
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < turns; k++) {
        atomicAdd(&a[at], lane);
        atomicAdd(&a[at ^ 1], lane);
        atomicAdd(&a[at], lane);
        atomicAdd(&a[at ^ 1], lane);
    }
    __syncthreads();
    x[PLACE] = a[threadIdx.x & 1023];
}

// Sums of floats are loops that compare and swap. As above within a warp; the words of each warp
// are `apart` words behind those of the one before it, of `words` in all.
#define SUMS(name, type, size)                                                                     \
    extern "C" __global__ void name(type *x, int turns, int same, int banks, int words, int apart) \
    {                                                                                              \
        __shared__ type a[size];                                                                   \
        int lane = threadIdx.x & 31, word = lane / same,                                           \
            at = (word % banks + word / banks * 32 + threadIdx.x / 32 * apart) % words;            \
        for (int k = threadIdx.x; k < size; k += blockDim.x) a[k] = 0;                             \
        __syncthreads();                                                                           \
        _Pragma("unroll 1") for (int k = 0; k < turns; k++)                                        \
        {                                                                                          \
            atomicAdd(&a[at], 1);                                                                  \
            atomicAdd(&a[at ^ 1], 1);                                                              \
            atomicAdd(&a[at], 1);                                                                  \
            atomicAdd(&a[at ^ 1], 1);                                                              \
        }                                                                                          \
        __syncthreads();                                                                           \
        x[PLACE] = a[threadIdx.x & 1023];                                                          \
    }
SUMS(shared_sum, float, 8192)
SUMS(shared_sum_double, double, 4096)

// Minima of 64 bits are such loops too: `falls` 0: no lane changes a word; else each lane does, and each turn.
extern "C" __global__ void shared_min(unsigned long long *x, int turns, int same, int falls)
{
    __shared__ unsigned long long a[1024];
    int lane = threadIdx.x & 31, at = lane / same;
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) a[k] = 1ull << 40;
    __syncthreads();
    unsigned long long offer = (1ull << 40) - lane * falls;
#pragma unroll 1
    for (int k = 0; k < turns; k++) {
        atomicMin(&a[at], offer);
        atomicMin(&a[at ^ 1], offer);
        offer -= 32 * falls;
    }
    __syncthreads();
    x[PLACE] = a[threadIdx.x & 1023];
}

// ... and sums at words at random.
extern "C" __global__ void shared_sum_random(float *x, int turns, int words)
{
    __shared__ float a[1024];
    unsigned seed = PLACE * 2654435761u;
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) a[k] = 0;
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < turns; k++) {
        seed = seed * 1664525 + 1013904223;
        atomicAdd(&a[(seed >> 16) % (unsigned)words], 1.0f);
    }
    __syncthreads();
    x[PLACE] = a[threadIdx.x & 1023];
}

// ---- L1 and L2: eight loads in flight; lanes `step` elements apart ----
#define LOADS(name, type, add) \
    extern "C" __global__ void name(const type *in, type *out, int turns, int step, int mask) \
    { \
        int lane = threadIdx.x & 31, at = lane * step; \
        type sum = in[0]; \
        _Pragma("unroll 1") for (int k = 0; k < turns; k++) \
        { \
            type v[8]; \
            _Pragma("unroll") for (int j = 0; j < 8; j++) v[j] = in[(at + j * 37) & mask]; \
            _Pragma("unroll") for (int j = 0; j < 8; j++) { add } \
            at += 64; \
        } \
        out[PLACE] = sum; \
    }
LOADS(loads_4, float, sum += v[j];)
LOADS(loads_8, float2, sum.x += v[j].x; sum.y += v[j].y;)
LOADS(loads_16, float4, sum.x += v[j].x; sum.y += v[j].y; sum.z += v[j].z; sum.w += v[j].w;)

// Lanes anywhere in a table that fits the L1 or the L2.
#define RANDOM(name, type, add) \
    extern "C" __global__ void name(const type *in, type *out, int turns, unsigned mask) \
    { \
        unsigned at = PLACE * 2654435761u; \
        type sum = in[0]; \
        _Pragma("unroll 1") for (int k = 0; k < turns; k++) \
        { \
            type v[4]; \
            _Pragma("unroll") for (int j = 0; j < 4; j++) at = at * 1664525u + 1013904223u, v[j] = in[at >> 8 & mask]; \
            _Pragma("unroll") for (int j = 0; j < 4; j++) { add } \
        } \
        out[PLACE] = sum; \
    }
RANDOM(random_4, float, sum += v[j];)
RANDOM(random_8, float2, sum.x += v[j].x; sum.y += v[j].y;)
RANDOM(random_16, float4, sum.x += v[j].x; sum.y += v[j].y; sum.z += v[j].z; sum.w += v[j].w;)

// ---- streams: n float4, a block's threads side by side, four in flight ----
#define STREAM(name, body) \
    extern "C" __global__ void name(const float4 *x, const float4 *y, float4 *z, int n) \
    { \
        int all = gridDim.x * blockDim.x, i = PLACE; \
        float4 none = make_float4(0, 0, 0, 0), sum = none; \
        _Pragma("unroll 1") for (; i + 3 * all < n; i += 4 * all) \
        { \
            float4 v[4]; \
            body \
        } \
        if (sum.x + sum.y + sum.z + sum.w == 77) z[0] = sum; \
    }
#define EACH _Pragma("unroll") for (int j = 0; j < 4; j++)
STREAM(stream_read, EACH v[j] = x[i + j * all]; EACH sum.x += v[j].x + v[j].y + v[j].z + v[j].w;)
STREAM(stream_write, EACH z[i + j * all] = none; v[0] = none; sum.x = v[0].x;)
STREAM(stream_copy, EACH v[j] = x[i + j * all]; EACH z[i + j * all] = v[j];)
STREAM(stream_update, EACH v[j] = z[i + j * all]; EACH { v[j].x += 1; z[i + j * all] = v[j]; })
STREAM(
    stream_add, float4 w[4]; EACH {
        v[j] = x[i + j * all];
        w[j] = y[i + j * all];
    } EACH z[i + j * all] = make_float4(v[j].x + w[j].x, v[j].y + w[j].y, v[j].z + w[j].z, v[j].w + w[j].w);)
STREAM(stream_read2, float4 w[4]; EACH { v[j] = x[i + j * all]; w[j] = y[i + j * all]; } EACH sum.x += v[j].x + w[j].y;)
STREAM(
    stream_saxpy, float4 w[4]; EACH {
        v[j] = x[i + j * all];
        w[j] = z[i + j * all];
    } EACH z[i + j * all] = make_float4(v[j].x + w[j].x, v[j].y + w[j].y, v[j].z + w[j].z, v[j].w + w[j].w);)

// A load of a warp at a time: how long each takes while so many others are under way.
extern "C" __global__ void one_load(const float *x, int n, float *out)
{
    float sum = 0;
#pragma unroll 1
    for (int i = PLACE; i < n; i += gridDim.x * blockDim.x) sum += x[i];
    out[PLACE] = sum;
}

// The same, each block all of it, beginning in another place.
extern "C" __global__ void all_read(const float4 *x, int n, float4 *out)
{
    float4 sum = x[0];
    int t = threadIdx.x + blockIdx.x * (n / gridDim.x / blockDim.x) * blockDim.x;
#pragma unroll 1
    for (int k = 0; k < n; k += 4 * blockDim.x) {
        float4 v[4];
#pragma unroll
        for (int j = 0; j < 4; j++) v[j] = x[(t + k + j * blockDim.x) & (n - 1)];
#pragma unroll
        for (int j = 0; j < 4; j++) sum.x += v[j].x + v[j].y + v[j].z + v[j].w;
    }
    out[PLACE] = sum;
}

// Each multiprocessor reads one part again and again, past its L1: those whose numbers divided by
// `by` leave the same, of `parts`, the same one.
extern "C" __global__ void part_read(const float4 *x, int part, int turns, int by, int parts, float *out)
{
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    const float4 *from = x + sm / by % parts * part;
    float sum = 0;
    for (int k = 0; k < turns; k++)
        for (int i = threadIdx.x; i < part; i += 4 * blockDim.x) {
            float4 v[4];
#pragma unroll
            for (int j = 0; j < 4; j++) v[j] = __ldcg(from + i + j * blockDim.x);
#pragma unroll
            for (int j = 0; j < 4; j++) sum += v[j].x + v[j].y + v[j].z + v[j].w;
        }
    out[PLACE] = sum;
}

// One word of each sector or line, read or written: lanes `step` words apart, a warp's turns follow each other.
extern "C" __global__ void sectors_read(const int *x, int *out, int turns, int step, unsigned mask)
{
    unsigned at = PLACE * step, all = gridDim.x * blockDim.x * step;
    int sum = 0;
#pragma unroll 1
    for (int k = 0; k < turns; k++) sum += __ldcg(&x[(at + k * all) & mask]);
    out[PLACE] = sum;
}

extern "C" __global__ void sectors_read4(const int *x, int *out, int turns, int step, unsigned mask)
{
    unsigned at = PLACE * step, all = gridDim.x * blockDim.x * step;
    int sum = 0;
#pragma unroll 1
    for (int k = 0; k < turns; k += 4) {
        int v[4];
#pragma unroll
        for (int j = 0; j < 4; j++) v[j] = __ldcg(&x[(at + (k + j) * all) & mask]);
        sum += v[0] + v[1] + v[2] + v[3];
    }
    out[PLACE] = sum;
}

extern "C" __global__ void sectors_write(int *x, int turns, int step, unsigned mask)
{
    unsigned at = PLACE * step, all = gridDim.x * blockDim.x * step;
#pragma unroll 1
    for (int k = 0; k < turns; k++) x[(at + k * all) & mask] = k;
}

// Each thread walks alone; next[] holds zeros.
extern "C" __global__ void walk(const int *next, unsigned mask, unsigned step, int turns, int *out)
{
    unsigned at = blockIdx.x * 12345;
#pragma unroll 1
    for (int i = 0; i < turns; i++) at = (at + __ldcg(&next[at & mask]) + step) & mask;
    out[PLACE] = at;
}

// ---- atomics on global memory ----
// As many words as index[] has different numbers; nobody wants the old values.
extern "C" __global__ void global_add(int *x, const int *index)
{
    atomicAdd(&x[index[PLACE]], 1);
}

// The same, and somebody does.
extern "C" __global__ void global_add_old(int *x, const int *index, int *out)
{
    out[PLACE] = atomicAdd(&x[index[PLACE]], 1);
}

extern "C" __global__ void global_exchange(int *x, const int *index, int *out)
{
    out[PLACE] = atomicExch(&x[index[PLACE]], 5);
}

// Lanes in groups of `same` at one word, all warps at the same words.
extern "C" __global__ void global_add_same(int *x, int turns, int same)
{
    int word = (threadIdx.x & 31) / same;
#pragma unroll 1
    for (int k = 0; k < turns; k++) atomicAdd(&x[word], k);
}

// ---- local memory ----
// A walk through an array of one's own: lanes `apart` elements from each other.
extern "C" __global__ void local_read(int *out, int turns, int apart, int by)
{
    int own[64], at = threadIdx.x * apart & 63;
#pragma unroll 1
    for (int k = 0; k < 64; k++) own[k] = (k + by) & 63;
#pragma unroll 1
    for (int k = 0; k < turns; k++) at = own[at];
    out[PLACE] = at;
}

extern "C" __global__ void local_write(int *out, int turns, int apart, int by)
{
    int own[64], at = threadIdx.x * apart & 63;
#pragma unroll 1
    for (int k = 0; k < 64; k++) own[k] = k;
#pragma unroll 1
    for (int k = 0; k < turns; k++) {
        own[at] = k;
        at = (at + by) & 63;
    }
    out[PLACE] = own[at];
}

// Sums of floats, and of what neighbouring lanes have in neighbouring words: of `lines` lines, one after the other.
extern "C" __global__ void global_add_float(float *x, const int *index) { atomicAdd(&x[index[PLACE]], 1.0f); }

#define LINE_ADD(name, type)                                                 \
    extern "C" __global__ void name(type *x, int lines, int turns)           \
    {                                                                        \
        unsigned warp = PLACE / 32, lane = threadIdx.x & 31;                 \
        _Pragma("unroll 1") for (int k = 0; k < turns; k++)                  \
            atomicAdd(&x[(warp * 7 + k * 13) % lines * 32 + lane], (type)1); \
    }
LINE_ADD(line_add_int, int)
LINE_ADD(line_add_float, float)

// Each warp's lanes are `step` words apart, in groups of `same` at one word, from somewhere in 16
// MB on: how many sectors and lines an atomic takes, and who shares them.
#define STEP_ADD(name, type) \
    extern "C" __global__ void name(type *x, int turns, int step, int same) \
    { \
        unsigned warp = PLACE / 32, lane = threadIdx.x & 31, seed = warp * 2654435761u; \
        _Pragma("unroll 1") for (int k = 0; k < turns; k++) \
        { \
            seed = seed * 1664525 + 1013904223; \
            atomicAdd(&x[((seed >> 10) * 32 & 0x3fffff) + lane / same * step], (type)(k + 1)); \
        } \
    }
STEP_ADD(step_add_int, int)
STEP_ADD(step_add_float, float)

// ---- structs of eight words: some of them are stored, one after the other ----
extern "C" __global__ void struct_store(int *x, int words)
{
#pragma unroll 1
    for (int k = 0; k < words; k++) x[PLACE * 8 + k] = k;
}

extern "C" __global__ void struct_store_6(int *x)
{
    for (int k = 0; k < 6; k++) x[PLACE * 8 + k] = k;
}

extern "C" __global__ void struct_read_7(const int *x, int *out)
{
    int sum = 0;
    for (int k = 0; k < 7; k++) sum += x[PLACE * 8 + k];
    if (sum == 12345) out[0] = sum;
}

// The same of structs that have been read.
extern "C" __global__ void struct_update_6(int *x)
{
    int v[6];
    for (int k = 0; k < 6; k++) v[k] = x[PLACE * 8 + k] + 1;
    for (int k = 0; k < 6; k++) x[PLACE * 8 + k] = v[k];
}

// Of which one word has been read.
extern "C" __global__ void struct_read_store(int *x)
{
    int v = x[PLACE * 8 + 7];
    for (int k = 0; k < 6; k++) x[PLACE * 8 + k] = v + k;
}

// Structs of `words` words, side by side, of which all are stored.
#define WORDS(words) \
    extern "C" __global__ void words_##words(int *x) \
    { \
        _Pragma("unroll") for (int k = 0; k < words; k++) x[PLACE * words + k] = k; \
    }
WORDS(2)
WORDS(3)
WORDS(4)
WORDS(5)
WORDS(6)
WORDS(7)
WORDS(8)

// ---- what comes between: blocks that read and write a word a thread, and lanes that wait for each
// load, `apart` words apart ----
extern "C" __global__ void read_word(const float *x, float *out)
{
    if (x[PLACE] == 12345.f) out[0] = 1;
}

extern "C" __global__ void copy_word(const float *x, float *out) { out[PLACE] = x[PLACE]; }

// Words that hold their own addresses: one load after the other, or with logic between them.
#define CHASE(v) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(v));
#define CHASE_XOR(v) asm volatile("ld.shared.u32 %0, [%0]; xor.b32 %0, %0, %1;" : "+r"(v) : "r"(p));
#define SHARED_CHAIN(name, o) \
    extern "C" __global__ void name(int *x, int turns, int p, int store) \
    { \
        __shared__ int word[1024]; \
        int a = (int)__cvta_generic_to_shared(&word[threadIdx.x]); \
        word[threadIdx.x] = a; \
        __syncthreads(); \
        _Pragma("unroll 1") for (int k = 0; k < turns; k++) { REPEAT16(o(a)) } \
        if (store) x[PLACE] = a; \
    }
SHARED_CHAIN(shared_chase, CHASE)
SHARED_CHAIN(shared_chase_xor, CHASE_XOR)

// Shuffles of what lanes have of their own; others are taken out.
#define SHUFFLE(v) asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(v));
extern "C" __global__ void shuffle_1(int *x, int turns, int store)
{
    int a = x[threadIdx.x];
#pragma unroll 1
    for (int k = 0; k < turns; k++) { REPEAT16(SHUFFLE(a)) }
    if (store) x[PLACE] = a;
}

extern "C" __global__ void shuffle(int *x, int turns, int store)
{
    int a = x[threadIdx.x], b = x[threadIdx.x + 1], c = x[threadIdx.x + 2], d = x[threadIdx.x + 3];
#pragma unroll 1
    for (int k = 0; k < turns; k++) { REPEAT4(SHUFFLE(a) SHUFFLE(b) SHUFFLE(c) SHUFFLE(d)) }
    if (store) x[PLACE] = a + b + c + d;
}

extern "C" __global__ void load_chain(const int *x, int mask, int apart, int turns, int *out)
{
    int i = threadIdx.x * apart, v = 0;
#pragma unroll 1
    for (int t = 0; t < turns; t++, i += 32 * 33) v = __ldcg(x + ((i + v) & mask));
    out[PLACE] = v;
}

extern "C" __global__ void one_load_again(const float *x, int n, int turns, float *out)
{
    float sum = 0;
#pragma unroll 1
    for (int t = 0; t < turns; t++)
#pragma unroll 1
        for (int i = PLACE; i < n; i += gridDim.x * blockDim.x) sum += __ldcg(x + i);
    out[PLACE] = sum;
}

// ---- constants: lanes that want `distinct` different words, `apart` words apart; bytes likewise ----
__constant__ int constant_words[4096];
extern "C" __global__ void constant_load(int *out, int turns, int distinct, int apart)
{
    int i = threadIdx.x % distinct * apart, v = 0;
#pragma unroll 1
    for (int t = 0; t < turns; t++)
#pragma unroll
        for (int k = 0; k < 8; k++) v = constant_words[i + v];
    out[PLACE] = v;
}

extern "C" __global__ void constant_bytes(int *out, int turns, int distinct, int apart)
{
    int i = threadIdx.x % distinct * apart, v = 0;
#pragma unroll 1
    for (int t = 0; t < turns; t++)
#pragma unroll
        for (int k = 0; k < 8; k++) v = ((const unsigned char *)constant_words)[i + v];
    out[PLACE] = v;
}

// ---- lanes that look for their like ----
extern "C" __global__ void match_lanes(int *out, int turns, int distinct)
{
    int v = threadIdx.x % distinct;
#pragma unroll 1
    for (int t = 0; t < turns; t++)
#pragma unroll
        for (int k = 0; k < 8; k++) v += __match_any_sync(~0u, v) == 0;
    out[PLACE] = v;
}

extern "C" __global__ void match_all_lanes(int *out, int turns, int distinct)
{
    int v = threadIdx.x % distinct, same;
#pragma unroll 1
    for (int t = 0; t < turns; t++)
#pragma unroll
        for (int k = 0; k < 8; k++) v += __match_all_sync(~0u, v, &same) == 1;
    out[PLACE] = v;
}

extern "C" __global__ void vote_lanes(int *out, int turns, int distinct)
{
    int v = threadIdx.x % distinct;
#pragma unroll 1
    for (int t = 0; t < turns; t++)
#pragma unroll
        for (int k = 0; k < 8; k++) v += __ballot_sync(~0u, v & 1) == 5;
    out[PLACE] = v;
}

// ---- what instructions read of the register file: eight sums, each of numbers of its own, or of
// one that all have; and who goes on beside whom ----
#define EIGHT_SUMS(name, type, letter, one)                                                                \
    extern "C" __global__ void name(type *x, int turns, int store)                                         \
    {                                                                                                      \
        type s[8], p[8], q[8];                                                                             \
        _Pragma("unroll") for (int i = 0; i < 8; i++) s[i] = x[i], p[i] = x[8 + i], q[i] = x[16 + i];      \
        _Pragma("unroll 1") for (int k = 0; k < turns; k++) _Pragma("unroll") for (int i = 0; i < 16; i++) \
        {                                                                                                  \
            const int n = i % 8;                                                                           \
            asm volatile(one : "+" letter(s[n]) : letter(p[n]), letter(q[n]), letter(p[0]));               \
        }                                                                                                  \
        if (store) x[PLACE] = s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7];                       \
    }
EIGHT_SUMS(float_three, float, "f", "fma.rn.f32 %0, %1, %2, %0;")
EIGHT_SUMS(float_two, float, "f", "add.rn.f32 %0, %1, %0;")
EIGHT_SUMS(float_one_again, float, "f", "fma.rn.f32 %0, %3, %2, %0;")
EIGHT_SUMS(double_three, double, "d", "fma.rn.f64 %0, %1, %2, %0;")
EIGHT_SUMS(double_two, double, "d", "add.rn.f64 %0, %1, %0;")
EIGHT_SUMS(double_one_again, double, "d", "fma.rn.f64 %0, %3, %2, %0;")

#define FADD(v) asm volatile("add.rn.f32 %0, %0, 0f3F000000;" : "+f"(v));
#define DADD_HALF(v) asm volatile("add.rn.f64 %0, %0, 0d3FE0000000000000;" : "+d"(v));
#define BESIDE(name, type, letter, other) \
    extern "C" __global__ void name(float *x, int turns, int store) \
    { \
        float a = x[0], b = x[1], c = x[2], d = x[3]; \
        type e = x[4], f = x[5], g = x[6], h = x[7]; \
        int p = (int)x[8], q = (int)x[9]; \
        _Pragma("unroll 1") for (int k = 0; k < turns; k++) { other } \
        if (store) x[PLACE] = a + b + c + d + (float)(e + f + g + h) + (float)(p + q); \
    }
BESIDE(float_beside_product, int, "r",
       FADD(a) FADD(b) MAD(e) FADD(c) FADD(d) MAD(f) FADD(a) FADD(b) MAD(g) FADD(c) FADD(d) MAD(h))
BESIDE(float_beside_double, double, "d",
       FADD(a) FADD(b) FADD(c) FADD(d) DADD_HALF(e) FADD(a) FADD(b) FADD(c) FADD(d) DADD_HALF(f) FADD(a) FADD(b) FADD(c)
           FADD(d) DADD_HALF(g))
BESIDE(float_beside_special, float, "f",
       FADD(a) FADD(b) FADD(c) FADD(d) FADD(a) FADD(b) FADD(c) EX2(e) FADD(d) FADD(a) FADD(b) FADD(c) FADD(d) FADD(a)
           FADD(b) EX2(f))
