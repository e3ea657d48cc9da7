/* cuda_bf16.h: __nv_bfloat16 and __nv_bfloat162 for clang, and for NVRTC without a toolkit. See
 * warpstep_half.h. A bfloat16 is the upper half of a float. Sums and products are computed as
 * floats and rounded, which gives the bits of cards that have instructions for it. Multiply-add is
 * one instruction from compute 8.0 on; below, it may round twice. */
#ifndef WARPSTEP_CUDA_BF16_H
#define WARPSTEP_CUDA_BF16_H
#include "warpstep_half.h"

__WS_BOTH float __ws_to_b(__ws_bits b)
{
    float f;
#if defined(__clang__) && !defined(__CUDA_ARCH__) /* the host's half of a program */
    const unsigned int u = (unsigned int)b << 16;
    __builtin_memcpy(&f, &u, sizeof f);
#else
    asm("mov.b32 %0, %1;" : "=f"(f) : "r"((unsigned int)b << 16));
#endif
    return f;
}
__WS_BOTH __ws_bits __ws_from_b(float f)
{
    unsigned int u;
#if defined(__clang__) && !defined(__CUDA_ARCH__)
    __builtin_memcpy(&u, &f, sizeof u);
#else
    asm("mov.b32 %0, %1;" : "=r"(u) : "f"(f));
#endif
    if (f != f) return 0x7fff;
    return (__ws_bits)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}
__WS_FN __ws_bits __ws_toward_b(float f, int way)
{
    unsigned int u;
    asm("mov.b32 %0, %1;" : "=r"(u) : "f"(f));
    if (f != f) return 0x7fff;
    bool away = (u & 0xffff) && (u & 0x7f800000) != 0x7f800000 && (way > 0 ? !(u >> 31) : way < 0 && (u >> 31));
    return (__ws_bits)((u >> 16) + away);
}
#define __WS_BFLOAT_OP(name, op)                                                                                 \
    __WS_BOTH __ws_bits __ws_##name##_b(__ws_bits a, __ws_bits b)                                                \
    {                                                                                                            \
        return __ws_from_b(__ws_to_b(a) op __ws_to_b(b));                                                        \
    }                                                                                                            \
    __WS_BOTH unsigned int __ws_##name##_b2(unsigned int a, unsigned int b)                                      \
    {                                                                                                            \
        return (unsigned int)__ws_##name##_b((__ws_bits)(a >> 16), (__ws_bits)(b >> 16)) << 16 |                 \
               __ws_##name##_b((__ws_bits)a, (__ws_bits)b);                                                      \
    }
__WS_BFLOAT_OP(add, +) __WS_BFLOAT_OP(sub, -) __WS_BFLOAT_OP(mul, *)
#undef __WS_BFLOAT_OP
__WS_FN __ws_bits __ws_fma_b(__ws_bits a, __ws_bits b, __ws_bits c)
{
#if __CUDA_ARCH__ >= 800
    __ws_bits d;
    asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(d) : "h"(a), "h"(b), "h"(c));
    return d;
#else
    return __ws_from_b(fmaf(__ws_to_b(a), __ws_to_b(b), __ws_to_b(c)));
#endif
}
__WS_FN unsigned int __ws_fma_b2(unsigned int a, unsigned int b, unsigned int c)
{
    return (unsigned int)__ws_fma_b((__ws_bits)(a >> 16), (__ws_bits)(b >> 16), (__ws_bits)(c >> 16)) << 16 |
           __ws_fma_b((__ws_bits)a, (__ws_bits)b, (__ws_bits)c);
}
/* By compare-and-swap: no card below compute 9.0 adds them atomically. */
__WS_FN __ws_bits __ws_atomic_b(__ws_bits *p, __ws_bits v)
{
    __ws_bits seen = *p, held;
    do {
        held = seen;
        asm volatile("atom.cas.b16 %0, [%1], %2, %3;" : "=h"(seen) : "l"(p), "h"(held),
                     "h"(__ws_add_b(held, v)) : "memory");
    } while (seen != held);
    return held;
}
__WS_FN unsigned int __ws_atomic_b2(unsigned int *p, unsigned int v)
{
    unsigned int seen = *p, held;
    do {
        held = seen;
        asm volatile("atom.cas.b32 %0, [%1], %2, %3;" : "=r"(seen) : "l"(p), "r"(held),
                     "r"(__ws_add_b2(held, v)) : "memory");
    } while (seen != held);
    return held;
}
__WS_HALF_TYPE(__nv_bfloat16, __nv_bfloat162, b, __bfloat16, bfloat16, bfloat162)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
#endif
