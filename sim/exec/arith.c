/* arith.c: add, sub, mul, mad, div, rem, abs, neg, min, max on integers.
 *
 * The selector at the end reads the type first: the float and half types belong to arith_float.c.
 * Each operation has a table of functions by type, made by the macros of ints.h from one
 * expression.
 */
#include "ints.h"

#define ADD_(a, b) ((a) + (b))
#define SUB_(a, b) ((a) - (b))
WIDTH_OPS2(add, ADD_)
WIDTH_OPS2(sub, SUB_)
OP2(add_sat, uint32_t, uint32_t, uint32_t, add_sat_s32(A, B))
OP2(sub_sat, uint32_t, uint32_t, uint32_t, sub_sat_s32(A, B))

#define MUL_(a, b)    ((a) * (b))
#define MAD_(a, b, c) ((a) * (b) + (c))
WIDTH_OPS2(mul_lo, MUL_)
WIDTH_OPS3(mad_lo, MAD_)

#define MUL_HI_U16(a, b) ((uint32_t)(uint16_t)(a) * (uint16_t)(b) >> 16)
#define MUL_HI_S16(a, b) ((uint32_t)((int32_t)(int16_t)(a) * (int16_t)(b)) >> 16)
OP2(mul_hi_u16, uint32_t, uint32_t, uint32_t, (uint16_t)MUL_HI_U16(A, B))
OP2(mul_hi_s16, uint32_t, uint32_t, uint32_t, (uint16_t)MUL_HI_S16(A, B))
OP2(mul_hi_32u, uint32_t, uint32_t, uint32_t, mul_hi_u32(A, B))
OP2(mul_hi_32s, uint32_t, uint32_t, uint32_t, mul_hi_s32(A, B))
OP2(mul_hi_64u, uint64_t, uint64_t, uint64_t, mul_hi_u64(A, B))
OP2(mul_hi_64s, uint64_t, uint64_t, uint64_t, mul_hi_s64(A, B))
static op_fn *const mul_hi_fns[INT_TYPES] = {mul_hi_u16, mul_hi_32u, mul_hi_64u, mul_hi_s16, mul_hi_32s, mul_hi_64s};

OP3(mad_hi_u16, uint32_t, uint32_t, uint32_t, uint32_t, (uint16_t)(MUL_HI_U16(A, B) + C))
OP3(mad_hi_s16, uint32_t, uint32_t, uint32_t, uint32_t, (uint16_t)(MUL_HI_S16(A, B) + C))
OP3(mad_hi_32u, uint32_t, uint32_t, uint32_t, uint32_t, mul_hi_u32(A, B) + C)
OP3(mad_hi_32s, uint32_t, uint32_t, uint32_t, uint32_t, mul_hi_s32(A, B) + C)
OP3(mad_hi_64u, uint64_t, uint64_t, uint64_t, uint64_t, mul_hi_u64(A, B) + C)
OP3(mad_hi_64s, uint64_t, uint64_t, uint64_t, uint64_t, mul_hi_s64(A, B) + C)
static op_fn *const mad_hi_fns[INT_TYPES] = {mad_hi_u16, mad_hi_32u, mad_hi_64u, mad_hi_s16, mad_hi_32s, mad_hi_64s};
OP3(mad_hi_sat, uint32_t, uint32_t, uint32_t, uint32_t, add_sat_s32(mul_hi_s32(A, B), C))

/* .wide: the result is twice as wide as the factors. There is none for 64 bits. */
OP2(mul_wide_u16, uint32_t, uint32_t, uint32_t, (uint32_t)(uint16_t)A *(uint16_t)B)
OP2(mul_wide_s16, uint32_t, uint32_t, uint32_t, (int32_t)(int16_t)A *(int16_t)B)
OP2(mul_wide_u32, uint64_t, uint32_t, uint32_t, (uint64_t)A *B)
OP2(mul_wide_s32, uint64_t, int32_t, int32_t, (int64_t)A *B)
static op_fn *const mul_wide_fns[INT_TYPES] = {mul_wide_u16, mul_wide_u32, NULL, mul_wide_s16, mul_wide_s32, NULL};
OP3(mad_wide_u16, uint32_t, uint32_t, uint32_t, uint32_t, (uint32_t)(uint16_t)A *(uint16_t)B + C)
OP3(mad_wide_s16, uint32_t, uint32_t, uint32_t, uint32_t, (uint32_t)((int32_t)(int16_t)A *(int16_t)B) + C)
OP3(mad_wide_u32, uint64_t, uint32_t, uint32_t, uint64_t, (uint64_t)A *B + C)
OP3(mad_wide_s32, uint64_t, int32_t, int32_t, uint64_t, (uint64_t)((int64_t)A *B) + C)
static op_fn *const mad_wide_fns[INT_TYPES] = {mad_wide_u16, mad_wide_u32, NULL, mad_wide_s16, mad_wide_s32, NULL};

/* ---- division ---- Where PTX leaves it open, NVIDIA's cards do this: a quotient or remainder by
 * zero has all bits set. The most negative number divided by -1 is itself, with remainder 0.
 *
 * 32 bits are divided as doubles, which vectorises and is exact: both numbers are below 2^32, so a
 * quotient that is not whole is more than a rounding error away from the next whole one. 16 bits
 * are divided as floats, for the same reason. */
static inline uint32_t quotient_u32(uint32_t a, uint32_t b)
{
    uint32_t safe = b ? b : 1;
    uint32_t q = (uint32_t)((double)a / (double)safe);
    return b ? q : UINT32_MAX;
}
static inline uint32_t remainder_u32(uint32_t a, uint32_t b)
{
    uint32_t r = a - quotient_u32(a, b) * b;
    return b ? r : UINT32_MAX;
}
static inline uint32_t abs_u32(uint32_t a) { return (int32_t)a < 0 ? 0 - a : a; }
static inline uint32_t quotient_s32(uint32_t a, uint32_t b)
{
    uint32_t q = quotient_u32(abs_u32(a), abs_u32(b));
    q = (int32_t)(a ^ b) < 0 ? 0 - q : q;
    return b ? q : UINT32_MAX;
}
static inline uint32_t remainder_s32(uint32_t a, uint32_t b)
{
    uint32_t r = remainder_u32(abs_u32(a), abs_u32(b));
    r = (int32_t)a < 0 ? 0 - r : r;
    return b ? r : UINT32_MAX;
}
static inline uint32_t quotient_u16(uint32_t a, uint32_t b)
{
    uint32_t safe = b ? b : 1;
    uint32_t q = (uint32_t)(int32_t)((float)(int32_t)a / (float)(int32_t)safe);
    return b ? q : 0xffff;
}
static inline uint32_t quotient_s16(uint32_t a, uint32_t b)
{
    int32_t x = (int16_t)a, y = (int16_t)b;
    int32_t q = (int32_t)((float)x / (float)(y ? y : 1));
    return y ? (uint32_t)q : 0xffff;
}
#define REM_16(q, a, b) ((b) ? (a) - (q) * (b) : 0xffff)
static inline uint64_t quotient_u64(uint64_t a, uint64_t b) { return b ? a / b : UINT64_MAX; }
static inline uint64_t remainder_u64(uint64_t a, uint64_t b) { return b ? a % b : UINT64_MAX; }
static inline uint64_t abs_u64(uint64_t a) { return (int64_t)a < 0 ? 0 - a : a; }
static inline uint64_t quotient_s64(uint64_t a, uint64_t b)
{
    uint64_t q = quotient_u64(abs_u64(a), abs_u64(b));
    return !b ? UINT64_MAX : (int64_t)(a ^ b) < 0 ? 0 - q : q;
}
static inline uint64_t remainder_s64(uint64_t a, uint64_t b)
{
    uint64_t r = remainder_u64(abs_u64(a), abs_u64(b));
    return !b ? UINT64_MAX : (int64_t)a < 0 ? 0 - r : r;
}

/* 64-bit numbers are mostly small: when all of them fit in 32 unsigned bits, divide those. */
#define DIVIDE_64(name, small, wide)                                                 \
    OP_FN(name)                                                                      \
    {                                                                                \
        const uint64_t *pa = SRC(uint64_t, in->o[1]), *pb = SRC(uint64_t, in->o[2]); \
        uint64_t used = 0;                                                           \
        for (int l = 0; l < 32; l++) used |= A | B;                                  \
        return used >> 32 ? wide(w, in) : small(w, in);                              \
    }

OP2(div_u16, uint32_t, uint32_t, uint32_t, (uint16_t)quotient_u16((uint16_t)A, (uint16_t)B))
OP2(div_s16, uint32_t, uint32_t, uint32_t, (uint16_t)quotient_s16(A, B))
OP2(div_u32, uint32_t, uint32_t, uint32_t, quotient_u32(A, B))
OP2(div_s32, uint32_t, uint32_t, uint32_t, quotient_s32(A, B))
OP2(div_u64_wide, uint64_t, uint64_t, uint64_t, quotient_u64(A, B))
OP2(div_s64_wide, uint64_t, uint64_t, uint64_t, quotient_s64(A, B))
OP2(div_u64_small, uint64_t, uint64_t, uint64_t, B ? quotient_u32((uint32_t)A, (uint32_t)B) : UINT64_MAX)
DIVIDE_64(div_u64, div_u64_small, div_u64_wide)
DIVIDE_64(div_s64, div_u64_small, div_s64_wide)
INT_TABLE(div)
OP2(rem_u16, uint32_t, uint32_t, uint32_t, (uint16_t)REM_16(quotient_u16((uint16_t)A, (uint16_t)B), A, (uint16_t)B))
OP2(rem_s16, uint32_t, uint32_t, uint32_t, (uint16_t)REM_16(quotient_s16(A, B), A, (uint16_t)B))
OP2(rem_u32, uint32_t, uint32_t, uint32_t, remainder_u32(A, B))
OP2(rem_s32, uint32_t, uint32_t, uint32_t, remainder_s32(A, B))
OP2(rem_u64_wide, uint64_t, uint64_t, uint64_t, remainder_u64(A, B))
OP2(rem_s64_wide, uint64_t, uint64_t, uint64_t, remainder_s64(A, B))
OP2(rem_u64_small, uint64_t, uint64_t, uint64_t, B ? remainder_u32((uint32_t)A, (uint32_t)B) : UINT64_MAX)
DIVIDE_64(rem_u64, rem_u64_small, rem_u64_wide)
DIVIDE_64(rem_s64, rem_u64_small, rem_s64_wide)
INT_TABLE(rem)

/* ---- sign, smaller, larger ---- */
#define NEG_(a) (0u - (a))
WIDTH_OPS1(neg, NEG_)
OP1(abs_16, uint32_t, uint32_t, (uint16_t)((int16_t)A < 0 ? 0 - A : A))
OP1(abs_32, uint32_t, uint32_t, abs_u32(A))
OP1(abs_64, uint64_t, uint64_t, abs_u64(A))
WIDTH_TABLE(abs)

#define MIN_(T, a, b) ((T)(a) < (T)(b) ? (T)(a) : (T)(b))
#define MAX_(T, a, b) ((T)(a) > (T)(b) ? (T)(a) : (T)(b))
#define RELU_(T, a)   ((T)(a) > 0 ? (T)(a) : 0)
INT_OPS2(min, MIN_)
INT_OPS2(max, MAX_)
OP2(min_relu, uint32_t, uint32_t, uint32_t, RELU_(int32_t, MIN_(int32_t, A, B)))
OP2(max_relu, uint32_t, uint32_t, uint32_t, RELU_(int32_t, MAX_(int32_t, A, B)))

/* Two 16-bit values in one register. */
#define PAIR(lo, hi)           ((uint32_t)(uint16_t)(lo) | (uint32_t)(uint16_t)(hi) << 16)
#define PAIR_OP(name, T, F)    OP2(name, uint32_t, uint32_t, uint32_t, PAIR(F(T, A, B), F(T, A >> 16, B >> 16)))
#define PAIR_ADD(T, a, b)      ((a) + (b))
#define PAIR_MIN_RELU(T, a, b) RELU_(T, MIN_(T, a, b))
#define PAIR_MAX_RELU(T, a, b) RELU_(T, MAX_(T, a, b))
PAIR_OP(add_x2, uint16_t, PAIR_ADD)
PAIR_OP(min_u16x2, uint16_t, MIN_)
PAIR_OP(max_u16x2, uint16_t, MAX_)
PAIR_OP(min_s16x2, int16_t, MIN_)
PAIR_OP(max_s16x2, int16_t, MAX_)
PAIR_OP(min_s16x2_relu, int16_t, PAIR_MIN_RELU)
PAIR_OP(max_s16x2_relu, int16_t, PAIR_MAX_RELU)

/* ---- selecting ---- */
static bool is_float_form(const ptx_insn *in)
{
    char kind = in->type_count ? ptx_types[in->type[0]].kind : 'F';
    return kind == 'F' || kind == 'H' || in->op == OP_FMA;
}

static bool pair_form(form *f, op_fn *fn, enum ptx_type t)
{
    if (!fn) return form_refuse(f, "does not exist for this type");
    f->fn = fn;
    f->cls = SIM_CLASS_INT;
    form_shape(f, t, t, t, T_NONE);
    return true;
}

static bool select_add_sub(form *f, enum ptx_type t)
{
    bool add = f->in->op == OP_ADD;
    if (t == T_U16X2 || t == T_S16X2) return pair_form(f, add ? add_x2 : NULL, t);
    if (form_take(f, S_CC)) {
        if (!form_operands(f, 3, 3)) return false;
        return SIM_NAME(select_carry)(f, add ? CARRY_ADD : CARRY_SUB, t, false, true);
    }
    if (!select_from(f, add ? add_fns : sub_fns, int_type_of(t, false), SIM_CLASS_INT)) return false;
    if (t == T_S32 && form_take(f, S_SAT)) f->fn = add ? add_sat : sub_sat;
    form_shape(f, t, t, t, T_NONE);
    return true;
}

static bool select_min_max(form *f, enum ptx_type t)
{
    bool min = f->in->op == OP_MIN;
    if (t == T_U16X2) return pair_form(f, min ? min_u16x2 : max_u16x2, t);
    if (t == T_S16X2) {
        if (form_take(f, S_RELU)) return pair_form(f, min ? min_s16x2_relu : max_s16x2_relu, t);
        return pair_form(f, min ? min_s16x2 : max_s16x2, t);
    }
    if (!select_from(f, min ? min_fns : max_fns, int_type_of(t, false), SIM_CLASS_INT)) return false;
    if (t == T_S32 && form_take(f, S_RELU)) f->fn = min ? min_relu : max_relu;
    form_shape(f, t, t, t, T_NONE);
    return true;
}

static enum ptx_type twice(enum ptx_type t)
{
    return t == T_U16 ? T_U32 : t == T_S16 ? T_S32 : t == T_U32 ? T_U64 : t == T_S32 ? T_S64 : T_NONE;
}

static bool select_mul_mad(form *f, enum ptx_type t)
{
    static const uint16_t halves[] = {S_LO, S_HI, S_WIDE, S_NONE};
    bool mad = f->in->op == OP_MAD;
    int i = int_type_of(t, false);
    enum ptx_suffix half = form_take_any(f, halves);
    if (half == S_NONE) return form_refuse(f, "needs .lo, .hi or .wide");
    if (mad && half != S_WIDE && form_take(f, S_CC)) {
        if (!form_operands(f, 4, 4)) return false;
        return SIM_NAME(select_carry)(f, half == S_LO ? CARRY_MAD_LO : CARRY_MAD_HI, t, false, true);
    }
    op_fn *const *fns = half == S_LO   ? (mad ? mad_lo_fns : mul_lo_fns)
                        : half == S_HI ? (mad ? mad_hi_fns : mul_hi_fns)
                                       : (mad ? mad_wide_fns : mul_wide_fns);
    if (!select_from(f, fns, i, SIM_CLASS_INT_MUL)) return false;
    if (mad && half == S_HI && t == T_S32 && form_take(f, S_SAT)) f->fn = mad_hi_sat;
    enum ptx_type d = half == S_WIDE ? twice(t) : t;
    form_shape(f, d, t, t, mad ? d : T_NONE);
    return true;
}

static bool select_integer(form *f)
{
    const ptx_insn *in = f->in;
    if (!operands_plain(f, 0)) return false;
    enum ptx_type t = form_type(f);
    int i = int_type_of(t, false);
    switch (in->op) {
    case OP_ADD:
    case OP_SUB: return select_add_sub(f, t);
    case OP_MIN:
    case OP_MAX: return select_min_max(f, t);
    case OP_MUL:
    case OP_MAD: return select_mul_mad(f, t);
    case OP_DIV:
    case OP_REM:
        if (!select_from(f, in->op == OP_DIV ? div_fns : rem_fns, i, SIM_CLASS_INT_DIV)) return false;
        form_shape(f, t, t, t, T_NONE);
        return true;
    case OP_ABS:
    case OP_NEG:
        if (!int_signed(i)) return form_refuse(f, "exists for signed types only");
        if (!select_from(f, in->op == OP_ABS ? abs_fns : neg_fns, i, SIM_CLASS_INT)) return false;
        form_shape(f, t, t, T_NONE, T_NONE);
        return true;
    default: return false;
    }
}

bool SIM_NAME(select_arith)(form *f)
{
    if (is_float_form(f->in)) return SIM_NAME(select_arith_float)(f);
    return select_integer(f) && operands_fit(f);
}
