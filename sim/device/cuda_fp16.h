/* cuda_fp16.h: __half and __half2 for clang, and for NVRTC without a toolkit. See warpstep_half.h.
 * The arithmetic uses the card's own instructions for 16-bit floats. */
#ifndef WARPSTEP_CUDA_FP16_H
#define WARPSTEP_CUDA_FP16_H
#include "warpstep_half.h"

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
__WS_FN __ws_bits __ws_toward_h(float f, int way)
{
    __ws_bits h;
    if (way < 0) asm("cvt.rm.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
    else if (way > 0) asm("cvt.rp.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
    else asm("cvt.rz.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
    return h;
}
#define __WS_HALF_OP(name)                                                                                       \
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
__WS_HALF_OP(add) __WS_HALF_OP(sub) __WS_HALF_OP(mul)
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
