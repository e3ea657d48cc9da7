/* warpstep_intrinsics.h: functions that are one or two PTX instructions. */
#ifndef WARPSTEP_INTRINSICS_H
#define WARPSTEP_INTRINSICS_H

/* One instruction: name(a, b, c) with operands given by asm constraint letters. Not volatile: equal
 * calls merge.
 */
#define __WS_OP1(name, out, o, in, i, ptx)                                                                       \
    __WS_FN out name(in a)                                                                                       \
    {                                                                                                            \
        out d;                                                                                                   \
        asm(ptx " %0, %1;" : "=" o(d) : i(a));                                                                   \
        return d;                                                                                                \
    }
#define __WS_OP2(name, out, o, in, i, ptx)                                                                       \
    __WS_FN out name(in a, in b)                                                                                 \
    {                                                                                                            \
        out d;                                                                                                   \
        asm(ptx " %0, %1, %2;" : "=" o(d) : i(a), i(b));                                                         \
        return d;                                                                                                \
    }
#define __WS_OP3(name, out, o, in, i, ptx)                                                                       \
    __WS_FN out name(in a, in b, in c)                                                                           \
    {                                                                                                            \
        out d;                                                                                                   \
        asm(ptx " %0, %1, %2, %3;" : "=" o(d) : i(a), i(b), i(c));                                               \
        return d;                                                                                                \
    }
/* Each of the four rounding modes. */
#define __WS_ROUND1(name, out, o, in, i, op, type)                                                               \
    __WS_OP1(name##_rn, out, o, in, i, op ".rn" type) __WS_OP1(name##_rz, out, o, in, i, op ".rz" type)          \
    __WS_OP1(name##_ru, out, o, in, i, op ".rp" type) __WS_OP1(name##_rd, out, o, in, i, op ".rm" type)
#define __WS_ROUND1I(name, out, o, in, i, op, type)                                                              \
    __WS_OP1(name##_rn, out, o, in, i, op ".rni" type) __WS_OP1(name##_rz, out, o, in, i, op ".rzi" type)        \
    __WS_OP1(name##_ru, out, o, in, i, op ".rpi" type) __WS_OP1(name##_rd, out, o, in, i, op ".rmi" type)
#define __WS_ROUND2(name, t, i, op, type)                                                                        \
    __WS_OP2(name##_rn, t, i, t, i, op ".rn" type) __WS_OP2(name##_rz, t, i, t, i, op ".rz" type)                \
    __WS_OP2(name##_ru, t, i, t, i, op ".rp" type) __WS_OP2(name##_rd, t, i, t, i, op ".rm" type)
#define __WS_ROUND3(name, t, i, op, type)                                                                        \
    __WS_OP3(name##_rn, t, i, t, i, op ".rn" type) __WS_OP3(name##_rz, t, i, t, i, op ".rz" type)                \
    __WS_OP3(name##_ru, t, i, t, i, op ".rp" type) __WS_OP3(name##_rd, t, i, t, i, op ".rm" type)

/* ---- bits ---- */
__WS_FN int __popc(unsigned int a) { return __builtin_popcount(a); }
__WS_FN int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
__WS_OP1(__clz, int, "r", int, "r", "clz.b32")
__WS_OP1(__clzll, int, "r", long long, "l", "clz.b64")
__WS_FN int __ffs(int a) { return a ? __builtin_ctz((unsigned int)a) + 1 : 0; }
__WS_FN int __ffsll(long long a) { return a ? __builtin_ctzll((unsigned long long)a) + 1 : 0; }
__WS_OP1(__brev, unsigned int, "r", unsigned int, "r", "brev.b32")
__WS_OP1(__brevll, unsigned long long, "l", unsigned long long, "l", "brev.b64")
__WS_OP3(__byte_perm, unsigned int, "r", unsigned int, "r", "prmt.b32")
#define __WS_FUNNEL(name, ptx)                                                                                   \
    __WS_FN unsigned int name(unsigned int low, unsigned int high, unsigned int shift)                           \
    {                                                                                                            \
        unsigned int d;                                                                                          \
        asm(ptx " %0, %1, %2, %3;" : "=r"(d) : "r"(low), "r"(high), "r"(shift));                                 \
        return d;                                                                                                \
    }
__WS_FUNNEL(__funnelshift_l, "shf.l.wrap.b32")
__WS_FUNNEL(__funnelshift_lc, "shf.l.clamp.b32")
__WS_FUNNEL(__funnelshift_r, "shf.r.wrap.b32")
__WS_FUNNEL(__funnelshift_rc, "shf.r.clamp.b32")
#undef __WS_FUNNEL

/* ---- integers ---- */
__WS_OP2(__mul24, int, "r", int, "r", "mul24.lo.s32")
__WS_OP2(__umul24, unsigned int, "r", unsigned int, "r", "mul24.lo.u32")
__WS_FN int __mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
__WS_FN unsigned int __umulhi(unsigned int a, unsigned int b)
{
    return (unsigned int)(((unsigned long long)a * b) >> 32);
}
__WS_OP2(__mul64hi, long long, "l", long long, "l", "mul.hi.s64")
__WS_OP2(__umul64hi, unsigned long long, "l", unsigned long long, "l", "mul.hi.u64")
__WS_FN unsigned int __sad(int a, int b, unsigned int c)
{
    unsigned int d;
    asm("sad.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}
__WS_OP3(__usad, unsigned int, "r", unsigned int, "r", "sad.u32")
__WS_FN int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
__WS_FN int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
__WS_FN unsigned int __uhadd(unsigned int a, unsigned int b)
{
    return (unsigned int)(((unsigned long long)a + b) >> 1);
}
__WS_FN unsigned int __urhadd(unsigned int a, unsigned int b)
{
    return (unsigned int)(((unsigned long long)a + b + 1) >> 1);
}
__WS_OP3(__dp4a, int, "r", int, "r", "dp4a.s32.s32")
__WS_OP3(__dp4a, unsigned int, "r", unsigned int, "r", "dp4a.u32.u32")
__WS_FN int abs(int a) { return a < 0 ? (int)(0u - (unsigned int)a) : a; }
__WS_FN long abs(long a) { return a < 0 ? (long)(0ul - (unsigned long)a) : a; }
__WS_FN long long abs(long long a) { return a < 0 ? (long long)(0ull - (unsigned long long)a) : a; }
__WS_FN long labs(long a) { return abs(a); }
__WS_FN long long llabs(long long a) { return abs(a); }
#define __WS_MINMAX(type)                                                                                        \
    __WS_FN type min(type a, type b) { return b < a ? b : a; }                                                   \
    __WS_FN type max(type a, type b) { return a < b ? b : a; }
__WS_MINMAX(int) __WS_MINMAX(unsigned int) __WS_MINMAX(long) __WS_MINMAX(unsigned long) __WS_MINMAX(long long)
__WS_MINMAX(unsigned long long)
#undef __WS_MINMAX
__WS_FN unsigned int min(int a, unsigned int b) { return min((unsigned int)a, b); }
__WS_FN unsigned int min(unsigned int a, int b) { return min(a, (unsigned int)b); }
__WS_FN unsigned int max(int a, unsigned int b) { return max((unsigned int)a, b); }
__WS_FN unsigned int max(unsigned int a, int b) { return max(a, (unsigned int)b); }

/* ---- loads and stores with cache hints ---- */
#define __WS_LOAD(name, type, T, o, ptx)                                                                         \
    __WS_FN T name(const T *p)                                                                                   \
    {                                                                                                            \
        type d;                                                                                                  \
        asm volatile(ptx " %0, [%1];" : "=" o(d) : "l"(__cvta_generic_to_global(p)));                            \
        return (T)d;                                                                                             \
    }
__WS_FN size_t __cvta_generic_to_global(const void *p)
{
    size_t d;
    asm("cvta.to.global.u64 %0, %1;" : "=l"(d) : "l"(p));
    return d;
}
__WS_FN size_t __cvta_generic_to_shared(const void *p)
{
    size_t d;
    asm("cvta.to.shared.u64 %0, %1;" : "=l"(d) : "l"(p));
    return d;
}
__WS_LOAD(__ldg, unsigned int, char, "r", "ld.global.nc.s8")
__WS_LOAD(__ldg, unsigned int, signed char, "r", "ld.global.nc.s8")
__WS_LOAD(__ldg, unsigned int, unsigned char, "r", "ld.global.nc.u8")
__WS_LOAD(__ldg, unsigned short, short, "h", "ld.global.nc.s16")
__WS_LOAD(__ldg, unsigned short, unsigned short, "h", "ld.global.nc.u16")
__WS_LOAD(__ldg, int, int, "r", "ld.global.nc.s32")
__WS_LOAD(__ldg, unsigned int, unsigned int, "r", "ld.global.nc.u32")
__WS_LOAD(__ldg, long, long, "l", "ld.global.nc.s64")
__WS_LOAD(__ldg, unsigned long, unsigned long, "l", "ld.global.nc.u64")
__WS_LOAD(__ldg, long long, long long, "l", "ld.global.nc.s64")
__WS_LOAD(__ldg, unsigned long long, unsigned long long, "l", "ld.global.nc.u64")
__WS_LOAD(__ldg, float, float, "f", "ld.global.nc.f32")
__WS_LOAD(__ldg, double, double, "d", "ld.global.nc.f64")
#undef __WS_LOAD
#define __WS_LOAD2(T, o, ptx)                                                                                    \
    __WS_FN T __ldg(const T *p)                                                                                  \
    {                                                                                                            \
        T d;                                                                                                     \
        asm volatile(ptx " {%0, %1}, [%2];" : "=" o(d.x), "=" o(d.y) : "l"(__cvta_generic_to_global(p)));        \
        return d;                                                                                                \
    }
__WS_LOAD2(int2, "r", "ld.global.nc.v2.s32") __WS_LOAD2(uint2, "r", "ld.global.nc.v2.u32")
__WS_LOAD2(float2, "f", "ld.global.nc.v2.f32") __WS_LOAD2(double2, "d", "ld.global.nc.v2.f64")
#undef __WS_LOAD2
#define __WS_LOAD4(T, o, ptx)                                                                                    \
    __WS_FN T __ldg(const T *p)                                                                                  \
    {                                                                                                            \
        T d;                                                                                                     \
        asm volatile(ptx " {%0, %1, %2, %3}, [%4];"                                                              \
                     : "=" o(d.x), "=" o(d.y), "=" o(d.z), "=" o(d.w) : "l"(__cvta_generic_to_global(p)));       \
        return d;                                                                                                \
    }
__WS_LOAD4(int4, "r", "ld.global.nc.v4.s32") __WS_LOAD4(uint4, "r", "ld.global.nc.v4.u32")
__WS_LOAD4(float4, "f", "ld.global.nc.v4.f32")
#undef __WS_LOAD4
/* Hints about caching change no result, so these are plain accesses. */
template <class T> __WS_FN T __ldcg(const T *p)
{
    asm volatile("" : : : "memory"); /* another block may have written there: read again each time */
    return *p;
}
template <class T> __WS_FN T __ldca(const T *p) { return *p; }
template <class T> __WS_FN T __ldcs(const T *p) { return *p; }
template <class T> __WS_FN void __stcg(T *p, T v) { *p = v; }
template <class T> __WS_FN void __stcs(T *p, T v) { *p = v; }
template <class T> __WS_FN void __stwb(T *p, T v) { *p = v; }

/* ---- float arithmetic with explicit rounding: never fused ---- */
__WS_ROUND2(__fadd, float, "f", "add", ".f32")
__WS_ROUND2(__fsub, float, "f", "sub", ".f32")
__WS_ROUND2(__fmul, float, "f", "mul", ".f32")
__WS_ROUND2(__fdiv, float, "f", "div", ".f32")
__WS_ROUND3(__fmaf, float, "f", "fma", ".f32")
__WS_ROUND1(__frcp, float, "f", float, "f", "rcp", ".f32")
__WS_ROUND1(__fsqrt, float, "f", float, "f", "sqrt", ".f32")
__WS_OP1(__frsqrt_rn, float, "f", float, "f", "rsqrt.approx.f32") /* not correctly rounded: 2 ulp */
__WS_ROUND2(__dadd, double, "d", "add", ".f64")
__WS_ROUND2(__dsub, double, "d", "sub", ".f64")
__WS_ROUND2(__dmul, double, "d", "mul", ".f64")
__WS_ROUND2(__ddiv, double, "d", "div", ".f64")
__WS_ROUND3(__fma, double, "d", "fma", ".f64")
__WS_ROUND1(__drcp, double, "d", double, "d", "rcp", ".f64")
__WS_ROUND1(__dsqrt, double, "d", double, "d", "sqrt", ".f64")

/* ---- fast approximations: the hardware's own instructions ---- */
__WS_OP1(__sinf, float, "f", float, "f", "sin.approx.f32")
__WS_OP1(__cosf, float, "f", float, "f", "cos.approx.f32")
__WS_OP1(__ws_ex2, float, "f", float, "f", "ex2.approx.f32")
__WS_OP1(__log2f, float, "f", float, "f", "lg2.approx.f32")
__WS_OP1(__ws_rcp, float, "f", float, "f", "rcp.approx.f32")
__WS_OP1(__ws_rsqrt, float, "f", float, "f", "rsqrt.approx.f32")
__WS_OP2(__fdividef, float, "f", float, "f", "div.approx.f32")
__WS_FN float __tanf(float a) { return __fdividef(__sinf(a), __cosf(a)); }
__WS_FN void __sincosf(float a, float *s, float *c) { *s = __sinf(a), *c = __cosf(a); }
__WS_FN float __expf(float a) { return __ws_ex2(a * 1.4426950408889634f); }
__WS_FN float __exp10f(float a) { return __ws_ex2(a * 3.3219280948873623f); }
__WS_FN float __logf(float a) { return __log2f(a) * 0.6931471805599453f; }
__WS_FN float __log10f(float a) { return __log2f(a) * 0.3010299956639812f; }
__WS_FN float __powf(float a, float b) { return __ws_ex2(b * __log2f(a)); }
__WS_FN float __saturatef(float a) { return __builtin_fminf(__builtin_fmaxf(a, 0.0f), 1.0f); }

/* ---- the same bits as another type ---- */
__WS_FN int __float_as_int(float a) { return __builtin_bit_cast(int, a); }
__WS_FN unsigned int __float_as_uint(float a) { return __builtin_bit_cast(unsigned int, a); }
__WS_FN float __int_as_float(int a) { return __builtin_bit_cast(float, a); }
__WS_FN float __uint_as_float(unsigned int a) { return __builtin_bit_cast(float, a); }
__WS_FN long long __double_as_longlong(double a) { return __builtin_bit_cast(long long, a); }
__WS_FN double __longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }
__WS_FN int __double2hiint(double a) { return (int)(__double_as_longlong(a) >> 32); }
__WS_FN int __double2loint(double a) { return (int)__double_as_longlong(a); }
__WS_FN double __hiloint2double(int high, int low)
{
    return __longlong_as_double((long long)((unsigned long long)(unsigned int)high << 32 | (unsigned int)low));
}

/* ---- conversions with explicit rounding ---- */
__WS_ROUND1I(__float2int, int, "r", float, "f", "cvt", ".s32.f32")
__WS_ROUND1I(__float2uint, unsigned int, "r", float, "f", "cvt", ".u32.f32")
__WS_ROUND1I(__float2ll, long long, "l", float, "f", "cvt", ".s64.f32")
__WS_ROUND1I(__float2ull, unsigned long long, "l", float, "f", "cvt", ".u64.f32")
__WS_ROUND1I(__double2int, int, "r", double, "d", "cvt", ".s32.f64")
__WS_ROUND1I(__double2uint, unsigned int, "r", double, "d", "cvt", ".u32.f64")
__WS_ROUND1I(__double2ll, long long, "l", double, "d", "cvt", ".s64.f64")
__WS_ROUND1I(__double2ull, unsigned long long, "l", double, "d", "cvt", ".u64.f64")
__WS_ROUND1(__int2float, float, "f", int, "r", "cvt", ".f32.s32")
__WS_ROUND1(__uint2float, float, "f", unsigned int, "r", "cvt", ".f32.u32")
__WS_ROUND1(__ll2float, float, "f", long long, "l", "cvt", ".f32.s64")
__WS_ROUND1(__ull2float, float, "f", unsigned long long, "l", "cvt", ".f32.u64")
__WS_ROUND1(__ll2double, double, "d", long long, "l", "cvt", ".f64.s64")
__WS_ROUND1(__ull2double, double, "d", unsigned long long, "l", "cvt", ".f64.u64")
__WS_ROUND1(__double2float, float, "f", double, "d", "cvt", ".f32.f64")
__WS_FN double __int2double_rn(int a) { return a; }
__WS_FN double __uint2double_rn(unsigned int a) { return a; }

#undef __WS_OP1
#undef __WS_OP2
#undef __WS_OP3
#undef __WS_ROUND1
#undef __WS_ROUND1I
#undef __WS_ROUND2
#undef __WS_ROUND3

#endif
