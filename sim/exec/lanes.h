/* lanes.h: how the operations in this folder are written.
 *
 * Every file here is compiled once per instruction set that the build supports (base, avx2,
 * avx512): plain C loops over 32 lanes that the compiler vectorises. So only the selector, whose
 * name goes through SIM_NAME, may be visible outside, and nothing here may keep state.
 *
 * An operation computes all 32 lanes and writes those in the mask. Computing a lane outside the
 * mask must be harmless: operations that can trap on the host (integer division, shifts by too
 * much) guard every lane. When `w->full` is set, all lanes may be written, which is the fast path.
 *
 *   OP2(add_u32, uint32_t, uint32_t, uint32_t, a + b)      d = a op b, for all lanes
 *
 * Values narrower than 32 bits are zero-extended in 32-bit places: the expression of a 16-bit
 * operation must cast its result to uint16_t. Signed arithmetic uses unsigned types: C's signed
 * overflow is undefined, PTX's wraps.
 */
#ifndef SIM_LANES_H
#define SIM_LANES_H

#include "run/run.h"
#include <math.h>

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" /* a loop that is not vectorised is only slower */
#define LANES _Pragma("clang loop vectorize(assume_safety) unroll(disable)") for (int l = 0; l < 32; l++)
#elif defined(__GNUC__)
#define LANES _Pragma("GCC ivdep") for (int l = 0; l < 32; l++)
#else
#define LANES for (int l = 0; l < 32; l++)
#endif

/* Called with constants; only fast when inlined. */
#if defined(__GNUC__)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define NEVER_INLINE  static __attribute__((noinline)) /* saves stack in its caller */
#else
#define ALWAYS_INLINE static inline
#define NEVER_INLINE  static
#endif

/* Places. A constant's offset has its lowest bit set; base[1] is the pool minus one. */
#define SRC(type, place) ((const type *)(const void *)(w->base[(place)&1] + (place)))
#define DST(type, place) ((type *)(void *)(w->regs + (place)))

/* A predicate as a word with a bit per lane. */
static inline uint32_t pred_get(const struct warp *w, uint32_t place)
{
    uint32_t v;
    memcpy(&v, w->base[place & 1] + place, sizeof v);
    return v;
}
static inline void pred_set(struct warp *w, uint32_t place, uint32_t v)
{
    uint32_t old;
    memcpy(&old, w->regs + place, sizeof old);
    v = (old & ~w->mask) | (v & w->mask);
    memcpy(w->regs + place, &v, sizeof v);
}

#define OP_FN(name) static const insn *name(struct warp *w, const insn *in)

/* Store `expr` (may use a, b, c of the given types, and l) to d in the lanes of the mask. */
#define LANE_STORE(DT, expr)          \
    DT *d = DST(DT, in->o[0]);        \
    if (SIM_LIKELY(w->full)) {        \
        LANES d[l] = (DT)(expr);      \
    } else {                          \
        const uint32_t *on = w->lane; \
        LANES                         \
        {                             \
            DT r_ = (DT)(expr);       \
            d[l] = on[l] ? r_ : d[l]; \
        }                             \
    }                                 \
    return in + 1

/* The same where `expr` is long: it is compiled once, not once for each way to store it. */
#define LANE_STORE_LONG(DT, expr) \
    DT long_[32];                 \
    LANES long_[l] = (DT)(expr);  \
    LANE_STORE(DT, long_[l])

#define OP1(name, DT, AT, expr)           \
    OP_FN(name)                           \
    {                                     \
        const AT *pa = SRC(AT, in->o[1]); \
        LANE_STORE(DT, ONE_(expr));       \
    }
#define OP1_LONG(name, DT, AT, expr)      \
    OP_FN(name)                           \
    {                                     \
        const AT *pa = SRC(AT, in->o[1]); \
        LANE_STORE_LONG(DT, ONE_(expr));  \
    }
/* Inside expr: A, B, C are this lane's sources. */
#define A       pa[l]
#define B       pb[l]
#define C       pc[l]
#define ONE_(e) (e)
#define OP2(name, DT, AT, BT, expr)       \
    OP_FN(name)                           \
    {                                     \
        const AT *pa = SRC(AT, in->o[1]); \
        const BT *pb = SRC(BT, in->o[2]); \
        LANE_STORE(DT, ONE_(expr));       \
    }
#define OP3(name, DT, AT, BT, CT, expr)   \
    OP_FN(name)                           \
    {                                     \
        const AT *pa = SRC(AT, in->o[1]); \
        const BT *pb = SRC(BT, in->o[2]); \
        const CT *pc = SRC(CT, in->o[3]); \
        LANE_STORE(DT, ONE_(expr));       \
    }

/* A comparison: gathers a bit per lane. `expr` is true or false for lane l. */
static const uint32_t lane_bit[32] = {1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
                                      1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
                                      1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
                                      1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};
#define LANE_BITS(m, expr) \
    uint32_t m = 0;        \
    for (int l = 0; l < 32; l++) m |= (expr) ? lane_bit[l] : 0

/* A comparison a vector at a time, where the host gathers bits itself: VECTOR_BITS(T, EQ, a, b) has
 * a bit for each lane of the vectors a and b, of which VECTORS(T) are 32 lanes. */
#define IS_EQ ==
#define IS_LT <
#define IS_LE <=
#if defined(__AVX2__) && defined(__GNUC__)
#if defined(__has_builtin) /* of gcc since 10; to read <immintrin.h> takes as long as to compile a file here */
#if __has_builtin(__builtin_ia32_movmskps256) && \
    (!defined(__AVX512F__) || \
     (__has_builtin(__builtin_ia32_ucmpd512_mask) && __has_builtin(__builtin_ia32_cmpps512_mask)))
#define VECTOR_BUILTINS 1
#endif
#endif
#if !defined(VECTOR_BUILTINS)
#include <immintrin.h>
#define VECTOR_BUILTINS 0
#endif
#if defined(__AVX512F__)
enum { VECTOR_BYTES = 64 };
#if VECTOR_BUILTINS
/* What the functions of <immintrin.h> below are made of, with their numbers for a relation. */
#define INT_EQ   0
#define INT_LT   1
#define INT_LE   2
#define FLOAT_EQ 0x00
#define FLOAT_LT 0x11
#define FLOAT_LE 0x12
#define LANES_AS(T, v)                 ((T __attribute__((vector_size(64))))(v))
#define BITS_uint32_t(relation, a, b) \
    __builtin_ia32_ucmpd512_mask(LANES_AS(int, a), LANES_AS(int, b), INT_##relation, (unsigned short)-1)
#define BITS_int32_t(relation, a, b) \
    __builtin_ia32_cmpd512_mask(LANES_AS(int, a), LANES_AS(int, b), INT_##relation, (unsigned short)-1)
#define BITS_uint64_t(relation, a, b) \
    __builtin_ia32_ucmpq512_mask(LANES_AS(long long, a), LANES_AS(long long, b), INT_##relation, (unsigned char)-1)
#define BITS_int64_t(relation, a, b) \
    __builtin_ia32_cmpq512_mask(LANES_AS(long long, a), LANES_AS(long long, b), INT_##relation, (unsigned char)-1)
#define BITS_float(relation, a, b) \
    __builtin_ia32_cmpps512_mask(LANES_AS(float, a), LANES_AS(float, b), FLOAT_##relation, (unsigned short)-1, 4)
#define BITS_double(relation, a, b) \
    __builtin_ia32_cmppd512_mask(LANES_AS(double, a), LANES_AS(double, b), FLOAT_##relation, (unsigned char)-1, 4)
#else
#define BITS_uint32_t(relation, a, b)  _mm512_cmp_epu32_mask((__m512i)(a), (__m512i)(b), _MM_CMPINT_##relation)
#define BITS_int32_t(relation, a, b)   _mm512_cmp_epi32_mask((__m512i)(a), (__m512i)(b), _MM_CMPINT_##relation)
#define BITS_uint64_t(relation, a, b)  _mm512_cmp_epu64_mask((__m512i)(a), (__m512i)(b), _MM_CMPINT_##relation)
#define BITS_int64_t(relation, a, b)   _mm512_cmp_epi64_mask((__m512i)(a), (__m512i)(b), _MM_CMPINT_##relation)
#define BITS_float(relation, a, b)     _mm512_cmp_ps_mask((__m512)(a), (__m512)(b), _CMP_##relation##_OQ)
#define BITS_double(relation, a, b)    _mm512_cmp_pd_mask((__m512d)(a), (__m512d)(b), _CMP_##relation##_OQ)
#endif
#define VECTOR_BITS(T, relation, a, b) (uint32_t) BITS_##T(relation, a, b)
#else
enum { VECTOR_BYTES = 32 };
#define VECTOR_BITS(T, relation, a, b) VECTOR_SIGNS(T, (a)IS_##relation(b))
#if VECTOR_BUILTINS
#define LANES_AS(T, v) ((T __attribute__((vector_size(32))))(v))
#define VECTOR_SIGNS(T, v)                                                   \
    (uint32_t)(sizeof(T) == 4 ? __builtin_ia32_movmskps256(LANES_AS(float, v)) \
                              : __builtin_ia32_movmskpd256(LANES_AS(double, v)))
#else
#define VECTOR_SIGNS(T, v) \
    (uint32_t)(sizeof(T) == 4 ? _mm256_movemask_ps((__m256)(v)) : _mm256_movemask_pd((__m256d)(v)))
#endif
#endif
#define VECTOR_TYPE(T) typedef T VECTOR_OF(T) __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias))
#define VECTOR_OF(T)   vector_of_##T
#define VECTORS(T)     (unsigned)(32 * sizeof(T) / VECTOR_BYTES)
VECTOR_TYPE(uint32_t);
VECTOR_TYPE(int32_t);
VECTOR_TYPE(float);
VECTOR_TYPE(uint64_t);
VECTOR_TYPE(int64_t);
VECTOR_TYPE(double);
#endif

#endif
