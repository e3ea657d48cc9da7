/* cuda_fp16.h: __half and __half2 for clang, and for NVRTC without a toolkit. See warpstep_half.h.
 * The arithmetic uses the card's own instructions for 16-bit floats. */
#ifndef WARPSTEP_CUDA_FP16_H
#define WARPSTEP_CUDA_FP16_H
#include "warpstep_half.h"

#if defined(__clang__) && !defined(__CUDA_ARCH__) /* the host's half of a program */
__WS_BOTH float __ws_to_h(__ws_bits h)
{
    const unsigned int exponent = h >> 10 & 31, fraction = h & 1023, sign = (unsigned int)(h >> 15) << 31;
    float f, scale = 5.9604644775390625e-8f; /* 2^-24: of the last place of a subnormal one */
    unsigned int u = sign | (exponent == 31 ? 0x7f800000u : (exponent + 112) << 23) | fraction << 13;
    __builtin_memcpy(&f, &u, sizeof f);
    return exponent ? f : sign ? -(float)fraction * scale : (float)fraction * scale;
}
/* To the nearest, ties to the even one. */
__WS_BOTH __ws_bits __ws_from_h(float f)
{
    unsigned int u;
    __builtin_memcpy(&u, &f, sizeof u);
    const unsigned int sign = u >> 16 & 0x8000u, size = u & 0x7fffffffu;
    if (size > 0x7f800000u) return 0x7fff;
    if (size >= 0x47800000u) return (__ws_bits)(sign | 0x7c00u); /* 65536 and more */
    const int exponent = (int)(size >> 23) - 127, drop = exponent < -14 ? -1 - exponent : 13; /* bits that do not fit */
    if (drop > 24) return (__ws_bits)sign;
    const unsigned int whole = (size & 0x7fffffu) | 0x800000u, half = 1u << (drop - 1),
                       rest = whole & ((1u << drop) - 1);
    unsigned int h = (whole >> drop) + (exponent < -14 ? 0 : (unsigned int)(exponent + 14) << 10);
    h += rest > half || (rest == half && h & 1);
    return (__ws_bits)(sign | h);
}
#else
__WS_BOTH __ws_bits __ws_from_h(float f)
{
    __ws_bits h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
    return h;
}
__WS_BOTH float __ws_to_h(__ws_bits h)
{
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
    return f;
}
#endif
__WS_FN __ws_bits __ws_toward_h(float f, int way)
{
    __ws_bits h;
    if (way < 0) asm("cvt.rm.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
    else if (way > 0) asm("cvt.rp.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
    else asm("cvt.rz.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
    return h;
}
#if defined(__clang__) && !defined(__CUDA_ARCH__)
#define __WS_HALF_OP(name, op)                                                                                   \
    __WS_BOTH __ws_bits __ws_##name##_h(__ws_bits a, __ws_bits b)                                                \
    {                                                                                                            \
        return __ws_from_h(__ws_to_h(a) op __ws_to_h(b));                                                        \
    }                                                                                                            \
    __WS_BOTH unsigned int __ws_##name##_h2(unsigned int a, unsigned int b)                                      \
    {                                                                                                            \
        return (unsigned int)__ws_##name##_h((__ws_bits)(a >> 16), (__ws_bits)(b >> 16)) << 16 |                 \
               __ws_##name##_h((__ws_bits)a, (__ws_bits)b);                                                      \
    }
#else
#define __WS_HALF_OP(name, op)                                                                                       \
    __WS_BOTH __ws_bits __ws_##name##_h(__ws_bits a, __ws_bits b)                                                \
    {                                                                                                            \
        __ws_bits d;                                                                                             \
        asm(#name ".f16 %0, %1, %2;" : "=h"(d) : "h"(a), "h"(b));                                                \
        return d;                                                                                                \
    }                                                                                                            \
    __WS_BOTH unsigned int __ws_##name##_h2(unsigned int a, unsigned int b)                                      \
    {                                                                                                            \
        unsigned int d;                                                                                          \
        asm(#name ".f16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));                                              \
        return d;                                                                                                \
    }
#endif
__WS_HALF_OP(add, +) __WS_HALF_OP(sub, -) __WS_HALF_OP(mul, *)
#undef __WS_HALF_OP
__WS_FN __ws_bits __ws_fma_h(__ws_bits a, __ws_bits b, __ws_bits c)
{
    __ws_bits d;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(d) : "h"(a), "h"(b), "h"(c));
    return d;
}
__WS_FN unsigned int __ws_fma_h2(unsigned int a, unsigned int b, unsigned int c)
{
    unsigned int d;
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}
__WS_FN __ws_bits __ws_atomic_h(__ws_bits *p, __ws_bits v)
{
    __ws_bits old;
    asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(old) : "l"(p), "h"(v) : "memory");
    return old;
}
__WS_FN unsigned int __ws_atomic_h2(unsigned int *p, unsigned int v)
{
    unsigned int old;
    asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(v) : "memory");
    return old;
}
__WS_HALF_TYPE(__half, __half2, h, __half, half, half2)
typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
#endif
