/* warpstep_half.h: what cuda_fp16.h and cuda_bf16.h share, for clang, and for NVRTC without a
 * toolkit.
 *
 * Each of the two headers defines the conversions and basic arithmetic of its bits (names that
 * begin with __ws_ and end in its letter, h or b). __WS_HALF_TYPE then makes the types, operators
 * and functions. Sums, products, quotients and roots are rounded once; exp and the like are those
 * of float, rounded.
 */
#ifndef WARPSTEP_HALF_H
#define WARPSTEP_HALF_H

#ifndef __WS_FN
#define __WS_FN static __inline__ __attribute__((always_inline)) __device__
#endif
#ifndef __WS_BOTH
#define __WS_BOTH static __inline__ __attribute__((always_inline)) __host__ __device__
#endif
#ifdef __clang__
#define __WS_MEMBER __inline__ __attribute__((always_inline, nodebug)) __host__ __device__
#else
#define __WS_MEMBER __inline__ __attribute__((always_inline)) __host__ __device__
#endif

typedef unsigned short __ws_bits;

/* A double as a float whose last bit tells that something was cut off: it rounds correctly to fewer
 * bits. */
__WS_BOTH float __ws_odd(double d)
{
    float f;
    asm("cvt.rz.f32.f64 %0, %1;" : "=f"(f) : "d"(d));
    unsigned int u;
    asm("mov.b32 %0, %1;" : "=r"(u) : "f"(f));
    if ((double)f != d && d == d) u |= 1;
    asm("mov.b32 %0, %1;" : "=f"(f) : "r"(u));
    return f;
}

#define __WS_HALF_OPERATOR(H, H2, op, sum)                                                                       \
    __WS_BOTH H operator op(const H &a, const H &b) { return H::bits(sum(a.__x, b.__x)); }                       \
    __WS_BOTH H &operator op##=(H &a, const H &b) { return a = a op b; }                                         \
    __WS_BOTH H2 operator op(const H2 &a, const H2 &b) { return H2::bits(sum##2(a.bits(), b.bits())); }          \
    __WS_BOTH H2 &operator op##=(H2 &a, const H2 &b) { return a = a op b; }
#define __WS_HALF_COMPARE(H, op) \
    __WS_BOTH bool operator op(const H &a, const H &b) { return (float)a op (float)b; }
#define __WS_HALF2_COMPARE(H2, op) \
    __WS_BOTH bool operator op(const H2 &a, const H2 &b) { return a.x op b.x && a.y op b.y; }
#define __WS_HALF_TEST(H, H2, name, test)                                                                        \
    __WS_FN bool __h##name(H p, H q)                                                                             \
    {                                                                                                            \
        float a = p, b = q;                                                                                      \
        return test;                                                                                             \
    }                                                                                                            \
    __WS_FN H2 __h##name##2(H2 a, H2 b)                                                                          \
    {                                                                                                            \
        return H2(H(__h##name(a.x, b.x) ? 1.0f : 0.0f), H(__h##name(a.y, b.y) ? 1.0f : 0.0f));                   \
    }                                                                                                            \
    __WS_FN bool __hb##name##2(H2 a, H2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }
#define __WS_HALF_MATH(H, H2, name, value)                                                                       \
    __WS_FN H h##name(H h)                                                                                       \
    {                                                                                                            \
        float x = h;                                                                                             \
        return H(value);                                                                                         \
    }                                                                                                            \
    __WS_FN H2 h2##name(H2 a) { return H2(h##name(a.x), h##name(a.y)); }
#define __WS_HALF_FROM_INT(H, type) __WS_MEMBER H(type v) : H((double)v) {}
#define __WS_HALF_TO_INT(H, text, name, type)                                                                    \
    __WS_FN type text##2##name##_rn(H h) { return (type)rint((double)(float)h); }                      \
    __WS_FN type text##2##name##_rz(H h) { return (type)(float)h; }                                              \
    __WS_FN type text##2##name##_rd(H h) { return (type)floor((double)(float)h); }                     \
    __WS_FN type text##2##name##_ru(H h) { return (type)ceil((double)(float)h); }

/* k: the letter of the bits' functions. text: "__half", as in __half2float; made: "half", as in
 * __float2half; two: "half2". */
#define __WS_HALF_TYPE(H, H2, k, text, made, two)                                                                \
    struct H {                                                                                                   \
        __ws_bits __x;                                                                                           \
        H() = default;                                                                                           \
        __WS_MEMBER H(float f) : __x(__ws_from_##k(f)) {}                                                        \
        __WS_MEMBER H(double d) : __x(__ws_from_##k(__ws_odd(d))) {}                                             \
        __WS_HALF_FROM_INT(H, short) __WS_HALF_FROM_INT(H, unsigned short) __WS_HALF_FROM_INT(H, int)            \
        __WS_HALF_FROM_INT(H, unsigned int) __WS_HALF_FROM_INT(H, long) __WS_HALF_FROM_INT(H, unsigned long)     \
        __WS_HALF_FROM_INT(H, long long) __WS_HALF_FROM_INT(H, unsigned long long)                               \
        __WS_MEMBER operator float() const { return __ws_to_##k(__x); }                                          \
        __WS_MEMBER H operator-() const { return bits((__ws_bits)(__x ^ 0x8000)); }                              \
        __WS_MEMBER H operator+() const { return *this; }                                                        \
        static __WS_MEMBER H bits(__ws_bits b)                                                                   \
        {                                                                                                        \
            H h;                                                                                                 \
            h.__x = b;                                                                                           \
            return h;                                                                                            \
        }                                                                                                        \
    };                                                                                                           \
    struct __attribute__((aligned(4))) H2 {                                                                      \
        H x, y;                                                                                                  \
        H2() = default;                                                                                          \
        __WS_MEMBER H2(const H &a, const H &b) : x(a), y(b) {}                                                   \
        __WS_MEMBER unsigned int bits() const { return (unsigned int)y.__x << 16 | x.__x; }                      \
        static __WS_MEMBER H2 bits(unsigned int b)                                                               \
        {                                                                                                        \
            return H2(H::bits((__ws_bits)b), H::bits((__ws_bits)(b >> 16)));                                     \
        }                                                                                                        \
    };                                                                                                           \
    __WS_FN H __hadd(H a, H b) { return H::bits(__ws_add_##k(a.__x, b.__x)); }                                   \
    __WS_FN H2 __hadd2(H2 a, H2 b) { return H2::bits(__ws_add_##k##2(a.bits(), b.bits())); }                    \
    __WS_FN H __hsub(H a, H b) { return H::bits(__ws_sub_##k(a.__x, b.__x)); }                                   \
    __WS_FN H2 __hsub2(H2 a, H2 b) { return H2::bits(__ws_sub_##k##2(a.bits(), b.bits())); }                    \
    __WS_FN H __hmul(H a, H b) { return H::bits(__ws_mul_##k(a.__x, b.__x)); }                                   \
    __WS_FN H2 __hmul2(H2 a, H2 b) { return H2::bits(__ws_mul_##k##2(a.bits(), b.bits())); }                    \
    __WS_FN H __hfma(H a, H b, H c) { return H::bits(__ws_fma_##k(a.__x, b.__x, c.__x)); }                       \
    __WS_FN H __hdiv(H a, H b) { return H((float)a / (float)b); }                                                \
    __WS_FN H __hneg(H a) { return -a; }                                                                         \
    __WS_FN H __habs(H a) { return H::bits((__ws_bits)(a.__x & 0x7fff)); }                                       \
    __WS_FN H __hadd_rn(H a, H b) { return __hadd(a, b); }                                                       \
    __WS_FN H __hsub_rn(H a, H b) { return __hsub(a, b); }                                                       \
    __WS_FN H __hmul_rn(H a, H b) { return __hmul(a, b); }                                                       \
    __WS_FN H __ws_saturate(H a) { float f = a; return H(f != f ? 0.0f : f < 0 ? 0.0f : f > 1 ? 1.0f : f); }     \
    __WS_FN H __hadd_sat(H a, H b) { return __ws_saturate(__hadd(a, b)); }                                       \
    __WS_FN H __hsub_sat(H a, H b) { return __ws_saturate(__hsub(a, b)); }                                       \
    __WS_FN H __hmul_sat(H a, H b) { return __ws_saturate(__hmul(a, b)); }                                       \
    __WS_FN H __hfma_sat(H a, H b, H c) { return __ws_saturate(__hfma(a, b, c)); }                               \
    __WS_FN H __hfma_relu(H a, H b, H c) { H d = __hfma(a, b, c); return (float)d < 0 ? H(0.0f) : d; }           \
    __WS_FN bool __hisnan(H a) { return (float)a != (float)a; }                                                  \
    __WS_FN int __hisinf(H a) { float f = a; return f - f != f - f && f == f ? (f > 0 ? 1 : -1) : 0; }           \
    __WS_FN H __hmax(H a, H b)                                                                                   \
    {                                                                                                            \
        return __hisnan(a) ? b : __hisnan(b) ? a : (float)a > (float)b || (a.__x == 0 && (float)b == 0) ? a : b; \
    }                                                                                                            \
    __WS_FN H __hmin(H a, H b)                                                                                   \
    {                                                                                                            \
        return __hisnan(a) ? b : __hisnan(b) ? a : (float)a < (float)b || (a.__x == 0x8000 && (float)b == 0) ? a : b; \
    }                                                                                                            \
    __WS_FN H __hmax_nan(H a, H b) { return __hisnan(a) || __hisnan(b) ? H::bits(0x7fff) : __hmax(a, b); }       \
    __WS_FN H __hmin_nan(H a, H b) { return __hisnan(a) || __hisnan(b) ? H::bits(0x7fff) : __hmin(a, b); }       \
    __WS_HALF_TEST(H, H2, eq, a == b) __WS_HALF_TEST(H, H2, ne, a != b && a == a && b == b)                      \
    __WS_HALF_TEST(H, H2, lt, a < b) __WS_HALF_TEST(H, H2, le, a <= b)                                           \
    __WS_HALF_TEST(H, H2, gt, a > b) __WS_HALF_TEST(H, H2, ge, a >= b)                                           \
    __WS_HALF_TEST(H, H2, equ, !(a != b) || a != a || b != b) __WS_HALF_TEST(H, H2, neu, a != b)                 \
    __WS_HALF_TEST(H, H2, ltu, !(a >= b)) __WS_HALF_TEST(H, H2, leu, !(a > b))                                   \
    __WS_HALF_TEST(H, H2, gtu, !(a <= b)) __WS_HALF_TEST(H, H2, geu, !(a < b))                                   \
    __WS_FN H2 __hfma2(H2 a, H2 b, H2 c) { return H2::bits(__ws_fma_##k##2(a.bits(), b.bits(), c.bits())); }       \
    __WS_FN H2 __h2div(H2 a, H2 b) { return H2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }                            \
    __WS_FN H2 __hneg2(H2 a) { return H2(-a.x, -a.y); }                                                          \
    __WS_FN H2 __habs2(H2 a) { return H2(__habs(a.x), __habs(a.y)); }                                            \
    __WS_FN H2 __hmax2(H2 a, H2 b) { return H2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }                            \
    __WS_FN H2 __hmin2(H2 a, H2 b) { return H2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }                            \
    __WS_FN H2 __hadd2_sat(H2 a, H2 b) { return H2(__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y)); }                \
    __WS_FN H2 __hmul2_sat(H2 a, H2 b) { return H2(__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y)); }                \
    __WS_FN H2 __hfma2_relu(H2 a, H2 b, H2 c) { return H2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)); } \
    __WS_HALF_OPERATOR(H, H2, +, __ws_add_##k) __WS_HALF_OPERATOR(H, H2, -, __ws_sub_##k)                        \
    __WS_HALF_OPERATOR(H, H2, *, __ws_mul_##k)                                                                   \
    __WS_BOTH H operator/(const H &a, const H &b) { return H((float)a / (float)b); }                             \
    __WS_BOTH H &operator/=(H &a, const H &b) { return a = a / b; }                                              \
    __WS_BOTH H2 operator/(const H2 &a, const H2 &b) { return H2(a.x / b.x, a.y / b.y); }                        \
    __WS_BOTH H2 &operator/=(H2 &a, const H2 &b) { return a = a / b; }                                           \
    __WS_BOTH H2 operator-(const H2 &a) { return H2(-a.x, -a.y); }                                               \
    __WS_BOTH H &operator++(H &a) { return a += H(1.0f); }                                                       \
    __WS_BOTH H &operator--(H &a) { return a -= H(1.0f); }                                                       \
    __WS_HALF_COMPARE(H, ==) __WS_HALF_COMPARE(H, !=) __WS_HALF_COMPARE(H, <) __WS_HALF_COMPARE(H, <=)           \
    __WS_HALF_COMPARE(H, >) __WS_HALF_COMPARE(H, >=)                                                             \
    __WS_HALF2_COMPARE(H2, ==) __WS_HALF2_COMPARE(H2, <) __WS_HALF2_COMPARE(H2, <=) __WS_HALF2_COMPARE(H2, >)    \
    __WS_HALF2_COMPARE(H2, >=)                                                                                   \
    __WS_HALF_MATH(H, H2, sqrt, __fsqrt_rn(x)) __WS_HALF_MATH(H, H2, rsqrt, rsqrtf(x))                           \
    __WS_HALF_MATH(H, H2, rcp, __frcp_rn(x)) __WS_HALF_MATH(H, H2, exp, expf(x))                                 \
    __WS_HALF_MATH(H, H2, exp2, exp2f(x)) __WS_HALF_MATH(H, H2, exp10, exp10f(x))                                \
    __WS_HALF_MATH(H, H2, log, logf(x)) __WS_HALF_MATH(H, H2, log2, log2f(x))                                    \
    __WS_HALF_MATH(H, H2, log10, log10f(x)) __WS_HALF_MATH(H, H2, sin, sinf(x))                                  \
    __WS_HALF_MATH(H, H2, cos, cosf(x)) __WS_HALF_MATH(H, H2, tanh, tanhf(x))                                    \
    __WS_HALF_MATH(H, H2, floor, floorf(x)) __WS_HALF_MATH(H, H2, ceil, ceilf(x))                                \
    __WS_HALF_MATH(H, H2, rint, rintf(x)) __WS_HALF_MATH(H, H2, trunc, truncf(x))                                \
    __WS_BOTH H __float2##made(float f) { return H(f); }                                                         \
    __WS_BOTH H __float2##made##_rn(float f) { return H(f); }                                                    \
    __WS_FN H __float2##made##_rz(float f) { return H::bits(__ws_toward_##k(f, 0)); }                            \
    __WS_FN H __float2##made##_rd(float f) { return H::bits(__ws_toward_##k(f, -1)); }                           \
    __WS_FN H __float2##made##_ru(float f) { return H::bits(__ws_toward_##k(f, 1)); }                            \
    __WS_BOTH H __double2##made(double d) { return H(d); }                                                       \
    __WS_BOTH float text##2float(H h) { return h; }                                                              \
    __WS_FN H2 make_##two(H a, H b) { return H2(a, b); }                                                         \
    __WS_FN H2 text##2##two(H a) { return H2(a, a); }                                                            \
    __WS_FN H2 __halves2##two(H a, H b) { return H2(a, b); }                                                     \
    __WS_BOTH H2 __float2##two##_rn(float f) { return H2(H(f), H(f)); }                                          \
    __WS_BOTH H2 __floats2##two##_rn(float a, float b) { return H2(H(a), H(b)); }                                \
    __WS_BOTH H2 __float22##two##_rn(float2 f) { return H2(H(f.x), H(f.y)); }                                    \
    __WS_BOTH float2 text##22float2(H2 a) { return make_float2(a.x, a.y); }                                      \
    __WS_BOTH float __low2float(H2 a) { return a.x; }                                                            \
    __WS_BOTH float __high2float(H2 a) { return a.y; }                                                           \
    __WS_FN H __low2##made(H2 a) { return a.x; }                                                                 \
    __WS_FN H __high2##made(H2 a) { return a.y; }                                                                \
    __WS_FN H2 __low2##two(H2 a) { return H2(a.x, a.x); }                                                        \
    __WS_FN H2 __high2##two(H2 a) { return H2(a.y, a.y); }                                                       \
    __WS_FN H2 __lows2##two(H2 a, H2 b) { return H2(a.x, b.x); }                                                 \
    __WS_FN H2 __highs2##two(H2 a, H2 b) { return H2(a.y, b.y); }                                                \
    __WS_FN H2 __lowhigh2highlow(H2 a) { return H2(a.y, a.x); }                                                  \
    __WS_FN unsigned short text##_as_ushort(H h) { return h.__x; }                                               \
    __WS_FN short text##_as_short(H h) { return (short)h.__x; }                                                  \
    __WS_FN H __ushort_as_##made(unsigned short b) { return H::bits(b); }                                        \
    __WS_FN H __short_as_##made(short b) { return H::bits((__ws_bits)b); }                                       \
    __WS_FN H __int2##made##_rn(int v) { return H(v); }                                                          \
    __WS_FN H __uint2##made##_rn(unsigned int v) { return H(v); }                                                \
    __WS_FN H __short2##made##_rn(short v) { return H(v); }                                                      \
    __WS_FN H __ushort2##made##_rn(unsigned short v) { return H(v); }                                            \
    __WS_FN H __ldg(const H *p) { return *p; }                                                                   \
    __WS_FN H2 __ldg(const H2 *p) { return *p; }                                                                 \
    __WS_HALF_TO_INT(H, text, int, int) __WS_HALF_TO_INT(H, text, uint, unsigned int)                            \
    __WS_HALF_TO_INT(H, text, short, short) __WS_HALF_TO_INT(H, text, ushort, unsigned short)                    \
    __WS_HALF_TO_INT(H, text, ll, long long) __WS_HALF_TO_INT(H, text, ull, unsigned long long)                  \
    __WS_FN H atomicAdd(H *p, H v) { return H::bits(__ws_atomic_##k((__ws_bits *)p, v.__x)); }                   \
    __WS_FN H2 atomicAdd(H2 *p, H2 v) { return H2::bits(__ws_atomic_##k##2((unsigned int *)p, v.bits())); }      \
    __WS_HALF_SHUFFLES(H, H2)

/* clang has them from warpstep_thread.h, for every type. */
#ifdef __clang__
#define __WS_HALF_SHUFFLES(H, H2)
#else
#define __WS_HALF_SHUFFLE(H, H2, name, type)                                                                     \
    __WS_FN H name(unsigned int mask, H v, type at, int width = 32)                                              \
    {                                                                                                            \
        return H::bits((__ws_bits)name(mask, (unsigned int)v.__x, at, width));                                   \
    }                                                                                                            \
    __WS_FN H2 name(unsigned int mask, H2 v, type at, int width = 32)                                            \
    {                                                                                                            \
        return H2::bits(name(mask, v.bits(), at, width));                                                        \
    }
#define __WS_HALF_SHUFFLES(H, H2)                                                                                \
    __WS_HALF_SHUFFLE(H, H2, __shfl_sync, int) __WS_HALF_SHUFFLE(H, H2, __shfl_up_sync, unsigned int)            \
    __WS_HALF_SHUFFLE(H, H2, __shfl_down_sync, unsigned int) __WS_HALF_SHUFFLE(H, H2, __shfl_xor_sync, int)
#endif

#endif
