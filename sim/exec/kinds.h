/* kinds.h: the elements of matrices, and what files about products of matrices share. */
#ifndef SIM_KINDS_H
#define SIM_KINDS_H

#include "access.h"
#include "exact64.h"

/* ---- elements ---- */
enum kind { K_F16, K_BF16, K_TF32, K_F32, K_F64, K_S8, K_U8, K_S32, K_E4M3, K_E5M2, K_S4, K_U4, K_B1, K_NONE };
static const struct {
    uint8_t type, bits;
} kinds[] = {
    [K_F16] = {T_F16, 16},  [K_BF16] = {T_BF16, 16}, [K_TF32] = {T_TF32, 32}, [K_F32] = {T_F32, 32},
    [K_F64] = {T_F64, 64},  [K_S8] = {T_S8, 8},      [K_U8] = {T_U8, 8},      [K_S32] = {T_S32, 32},
    [K_E4M3] = {T_E4M3, 8}, [K_E5M2] = {T_E5M2, 8},  [K_S4] = {T_S4, 4},      [K_U4] = {T_U4, 4},
    [K_B1] = {T_B1, 1},
};

static inline double value_of(enum kind kind, uint64_t bits)
{
    switch (kind) {
    case K_F16: return (double)f16_to_f32((uint32_t)bits & 0xffffu);
    case K_BF16: return (double)bf16_to_f32((uint32_t)bits & 0xffffu);
    case K_TF32: return (double)bits_f32((uint32_t)bits & 0xffffe000u);
    case K_F32: return (double)bits_f32((uint32_t)bits);
    case K_F64: return bits_f64(bits);
    case K_S8: return (double)(int8_t)(uint8_t)bits;
    case K_U8: return (double)(uint8_t)bits;
    case K_E4M3: return (double)e4m3_to_f32((uint32_t)bits & 0xffu);
    case K_E5M2: return (double)e5m2_to_f32((uint32_t)bits & 0xffu);
    case K_S4: return (double)((int)(bits & 15) ^ 8) - 8;
    case K_U4: return (double)(int)(bits & 15);
    default: return (double)(int32_t)(uint32_t)bits;
    }
}
static inline uint64_t bits_of(enum kind kind, double v, bool saturate)
{
    switch (kind) {
    case K_F16: return f32_to_f16(f64_to_f32_odd(v), ROUND_RN);
    case K_F32: return f32_out((float)v);
    case K_F64: return f64_bits(v);
    default:
        if (saturate) v = v > 2147483647.0 ? 2147483647.0 : v < -2147483648.0 ? -2147483648.0 : v;
        return (uint32_t)(uint64_t)(int64_t)v;
    }
}

static inline bool is_small(enum kind kind) { return kind == K_E4M3 || kind == K_E5M2; }
static inline double power(int e) { return bits_f64((uint64_t)(e + 1023) << 52); }

/* A loop over the columns of a strip, to be vectorised and kept in registers. gcc does that to a
 * rolled loop, clang to an unrolled one. */
#if defined(__clang__)
#define KEPT_VECTOR _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define KEPT_VECTOR _Pragma("GCC ivdep") _Pragma("GCC unroll 1")
#else
#define KEPT_VECTOR
#endif
#define COLUMNS KEPT_VECTOR for (int n = 0; n < 8; n++)

/* Place number i of an instruction with insn.count places. */
static inline uint32_t place_of(const insn *in, int i)
{
    const uint32_t *list = in->count > 8 ? in->ext : in->o;
    return list[i];
}

#endif
