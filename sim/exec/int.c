/* int.c: the integer operations beyond plain arithmetic: carries, 24-bit products, bit counts and
 * fields, logic, shifts.
 *
 * Bit counting uses shifts and masks, not the processor's own instructions, because that vectorises
 * on every instruction set. Shift amounts come from the program, so each expression keeps C's
 * shifts within the width.
 */
#include "ints.h"

/* ---- carries ---- w->cc holds the carry flag, a bit per lane. As on the cards, a subtraction adds
 * the complement: it leaves a carry when it did not borrow, and subtracts one when the flag is
 * clear. Only a chain that mixes additions and subtractions can tell. */
enum { CARRY_IN = 1, CARRY_OUT = 2 };

#define CARRY_OP(name, T, ta, tb, none, sum, carry)                                     \
    OP_FN(name)                                                                         \
    {                                                                                   \
        const T *pa = SRC(T, in->o[1]), *pb = SRC(T, in->o[2]), *pc = SRC(T, in->o[3]); \
        uint32_t cc = in->mod & CARRY_IN ? w->cc : none;                                \
        T out[32], carries[32];                                                         \
        (void)pc;                                                                       \
        LANES                                                                           \
        {                                                                               \
            T x = ta, y = tb, carried = cc & lane_bit[l] ? 1 : 0, r = sum;              \
            out[l] = r;                                                                 \
            carries[l] = (carry) >> (8 * sizeof(T) - 1);                                \
        }                                                                               \
        if (in->mod & CARRY_OUT) {                                                      \
            LANE_BITS(wrapped, carries[l]);                                             \
            w->cc = (w->cc & ~w->mask) | (wrapped & w->mask);                           \
        }                                                                               \
        LANE_STORE(T, out[l]);                                                          \
    }
/* The carry out of the top bit, as a full adder makes it, without a branch. */
#define ADD_CARRY(name, T, ta, tb) CARRY_OP(name, T, ta, tb, 0, x + y + carried, (x & y) | ((x | y) & ~r))
#define SUB_CARRY(name, T)         CARRY_OP(name, T, A, ~B, UINT32_MAX, x + y + carried, (x & y) | ((x | y) & ~r))

ADD_CARRY(add_cc_32, uint32_t, A, B)
ADD_CARRY(add_cc_64, uint64_t, A, B)
SUB_CARRY(sub_cc_32, uint32_t)
SUB_CARRY(sub_cc_64, uint64_t)
ADD_CARRY(mad_lo_cc_32, uint32_t, A *B, C)
ADD_CARRY(mad_lo_cc_64, uint64_t, A *B, C)
ADD_CARRY(mad_hi_cc_u32, uint32_t, mul_hi_u32(A, B), C)
ADD_CARRY(mad_hi_cc_s32, uint32_t, mul_hi_s32(A, B), C)
ADD_CARRY(mad_hi_cc_u64, uint64_t, mul_hi_u64(A, B), C)
ADD_CARRY(mad_hi_cc_s64, uint64_t, mul_hi_s64(A, B), C)

/* Of 16 bits: they take a carry and leave none. */
#define CARRY_16(name, tb)                                                                       \
    OP_FN(name)                                                                                  \
    {                                                                                            \
        const uint32_t *pa = SRC(uint32_t, in->o[1]), *pb = SRC(uint32_t, in->o[2]), cc = w->cc; \
        LANE_STORE(uint32_t, (A + (tb) + (cc >> l & 1)) & 0xffff);                               \
    }
CARRY_16(addc_16, B)
CARRY_16(subc_16, ~B)

static op_fn *const carry_fns[][INT_TYPES] = {
    [CARRY_ADD] = {NULL, add_cc_32, add_cc_64, NULL, add_cc_32, add_cc_64},
    [CARRY_SUB] = {NULL, sub_cc_32, sub_cc_64, NULL, sub_cc_32, sub_cc_64},
    [CARRY_MAD_LO] = {NULL, mad_lo_cc_32, mad_lo_cc_64, NULL, mad_lo_cc_32, mad_lo_cc_64},
    [CARRY_MAD_HI] = {NULL, mad_hi_cc_u32, mad_hi_cc_u64, NULL, mad_hi_cc_s32, mad_hi_cc_s64}};

bool SIM_NAME(select_carry)(form *f, enum carry_op op, enum ptx_type t, bool carry_in, bool carry_out)
{
    bool mad = op == CARRY_MAD_LO || op == CARRY_MAD_HI;
    if (!select_from(f, carry_fns[op], int_type_of(t, false), mad ? SIM_CLASS_INT_MUL : SIM_CLASS_INT)) return false;
    f->mod = (carry_in ? CARRY_IN : 0u) | (carry_out ? CARRY_OUT : 0u);
    form_shape(f, t, t, t, mad ? t : T_NONE);
    return true;
}

/* ---- 24-bit products ---- */
static inline uint64_t mul24_u(uint32_t a, uint32_t b) { return (uint64_t)(a & 0xffffff) * (b & 0xffffff); }
static inline uint64_t mul24_s(uint32_t a, uint32_t b)
{
    int32_t x = (int32_t)(a << 8) >> 8, y = (int32_t)(b << 8) >> 8;
    return (uint64_t)((int64_t)x * y);
}
OP2(mul24_lo_u, uint32_t, uint32_t, uint32_t, mul24_u(A, B))
OP2(mul24_lo_s, uint32_t, uint32_t, uint32_t, mul24_s(A, B))
OP2(mul24_hi_u, uint32_t, uint32_t, uint32_t, mul24_u(A, B) >> 16)
OP2(mul24_hi_s, uint32_t, uint32_t, uint32_t, mul24_s(A, B) >> 16)
OP3(mad24_lo_u, uint32_t, uint32_t, uint32_t, uint32_t, mul24_u(A, B) + C)
OP3(mad24_lo_s, uint32_t, uint32_t, uint32_t, uint32_t, mul24_s(A, B) + C)
OP3(mad24_hi_u, uint32_t, uint32_t, uint32_t, uint32_t, (mul24_u(A, B) >> 16) + C)
OP3(mad24_hi_s, uint32_t, uint32_t, uint32_t, uint32_t, (mul24_s(A, B) >> 16) + C)
OP3(mad24_hi_sat, uint32_t, uint32_t, uint32_t, uint32_t, add_sat_s32((uint32_t)(mul24_s(A, B) >> 16), C))
static op_fn *const mul24_fns[2][2][2] = {/* [mad][hi][signed] */
                                          {{mul24_lo_u, mul24_lo_s}, {mul24_hi_u, mul24_hi_s}},
                                          {{mad24_lo_u, mad24_lo_s}, {mad24_hi_u, mad24_hi_s}}};

/* The difference is taken in the unsigned type, where it cannot overflow; only the comparison is
 * signed. */
#define SAD_(T, a, b, c) (((T)(a) < (T)(b) ? (b) - (a) : (a) - (b)) + (c))
INT_OPS3(sad, SAD_)

/* ---- counting bits ---- */
static inline uint32_t popc_64(uint64_t x) { return popc_32((uint32_t)x) + popc_32((uint32_t)(x >> 32)); }
static inline uint32_t used_32(uint32_t x) /* bits up to the highest one */
{
    x |= x >> 1, x |= x >> 2, x |= x >> 4, x |= x >> 8, x |= x >> 16;
    return popc_32(x);
}
static inline uint32_t used_64(uint64_t x)
{
    x |= x >> 1, x |= x >> 2, x |= x >> 4, x |= x >> 8, x |= x >> 16, x |= x >> 32;
    return popc_64(x);
}
OP1(popc_b32, uint32_t, uint32_t, popc_32(A))
OP1(popc_b64, uint32_t, uint64_t, popc_64(A))
OP1(clz_b32, uint32_t, uint32_t, 32 - used_32(A))
OP1(clz_b64, uint32_t, uint64_t, 64 - used_64(A))

/* For a signed number the bits that differ from its sign count. With none the result has all bits
 * set.
 */
#define BITS_U(a)           (a)
#define BITS_S32(a)         ((a) ^ (uint32_t)((int32_t)(a) >> 31))
#define BITS_S64(a)         ((a) ^ (uint64_t)((int64_t)(a) >> 63))
#define AMOUNT(width, used) ((used) ? (uint32_t)(width) - (used) : UINT32_MAX)
OP1(bfind_u32, uint32_t, uint32_t, used_32(A) - 1)
OP1(bfind_u64, uint32_t, uint64_t, used_64(A) - 1)
OP1(bfind_s32, uint32_t, uint32_t, used_32(BITS_S32(A)) - 1)
OP1(bfind_s64, uint32_t, uint64_t, used_64(BITS_S64(A)) - 1)
OP1(bfind_shift_u32, uint32_t, uint32_t, AMOUNT(32, used_32(A)))
OP1(bfind_shift_u64, uint32_t, uint64_t, AMOUNT(64, used_64(A)))
OP1(bfind_shift_s32, uint32_t, uint32_t, AMOUNT(32, used_32(BITS_S32(A))))
OP1(bfind_shift_s64, uint32_t, uint64_t, AMOUNT(64, used_64(BITS_S64(A))))
static op_fn *const bfind_fns[2][INT_TYPES] = {
    {NULL, bfind_u32, bfind_u64, NULL, bfind_s32, bfind_s64},
    {NULL, bfind_shift_u32, bfind_shift_u64, NULL, bfind_shift_s32, bfind_shift_s64}};

/* The nth set bit of `bits`, counted upwards from `base` (n > 0) or downwards (n < 0); n = 0 means
 * base itself. */
static inline uint32_t fns_32(uint32_t bits, uint32_t base, int32_t n)
{
    uint32_t left = n < 0 ? 0 - (uint32_t)n : (uint32_t)n;
    if (n == INT32_MIN) return 0; /* as an H200 does */
    if (base > 31) return UINT32_MAX;
    if (n == 0) return bits >> base & 1 ? base : UINT32_MAX;
    for (int32_t at = (int32_t)base; at >= 0 && at<32; at += n> 0 ? 1 : -1)
        if (bits >> at & 1 && --left == 0) return (uint32_t)at;
    return UINT32_MAX;
}
OP3(fns_b32, uint32_t, uint32_t, uint32_t, int32_t, fns_32(A, B, C))

static inline uint32_t brev_32(uint32_t x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
    return x >> 16 | x << 16;
}
OP1(brev_b32, uint32_t, uint32_t, brev_32(A))
OP1(brev_b64, uint64_t, uint64_t, (uint64_t)brev_32((uint32_t)A) << 32 | brev_32((uint32_t)(A >> 32)))

/* ---- bit fields ---- Position and length are the low 8 bits of their operands; of 64-bit fields
 * (as on an H200) all bits. A field is filled beyond the top with 0, or the sign.
 */
static inline uint32_t low_bits_32(uint32_t n) { return n > 31 ? UINT32_MAX : (1u << n) - 1; }
static inline uint64_t low_bits_64(uint64_t n) { return n > 63 ? UINT64_MAX : (UINT64_C(1) << n) - 1; }
static inline uint32_t shl_32(uint32_t a, uint32_t n) { return n > 31 ? 0 : a << (n & 31); }
static inline uint32_t shr_32(uint32_t a, uint32_t n) { return n > 31 ? 0 : a >> (n & 31); }
static inline uint64_t shl_64(uint64_t a, uint64_t n) { return n > 63 ? 0 : a << (n & 63); }
static inline uint64_t shr_64(uint64_t a, uint64_t n) { return n > 63 ? 0 : a >> (n & 63); }

static inline uint32_t bfe_32(uint32_t a, uint32_t pos, uint32_t len)
{
    return shr_32(a, pos & 255) & low_bits_32(len & 255);
}
static inline uint64_t bfe_64(uint64_t a, uint64_t pos, uint64_t len) { return shr_64(a, pos) & low_bits_64(len); }
/* Signed: shift the field's top bit to the sign's place, then back with copies of it. */
static inline uint32_t bfe_s32_(uint32_t a, uint32_t pos, uint32_t len)
{
    pos &= 255, len &= 255;
    uint32_t at = pos > 31 ? 31 : pos, top = at + len - 1;
    uint32_t up = top > 31 ? 0 : 31 - top;
    return len ? (uint32_t)((int32_t)(a << (up & 31)) >> ((up + at) & 31)) : 0;
}
static inline uint64_t bfe_s64_(uint64_t a, uint32_t pos, uint32_t len)
{
    uint32_t at = pos > 63 ? 63 : pos, top = at + (len > 64 ? 64 : len) - 1;
    uint32_t up = top > 63 ? 0 : 63 - top;
    return len ? (uint64_t)((int64_t)(a << (up & 63)) >> ((up + at) & 63)) : 0;
}
OP3(bfe_u32, uint32_t, uint32_t, uint32_t, uint32_t, bfe_32(A, B, C))
OP3(bfe_s32, uint32_t, uint32_t, uint32_t, uint32_t, bfe_s32_(A, B, C))
OP3(bfe_u64, uint64_t, uint64_t, uint32_t, uint32_t, bfe_64(A, B, C))
OP3(bfe_s64, uint64_t, uint64_t, uint32_t, uint32_t, bfe_s64_(A, B, C))
static op_fn *const bfe_fns[INT_TYPES] = {NULL, bfe_u32, bfe_u64, NULL, bfe_s32, bfe_s64};

static inline uint32_t bfi_32(uint32_t a, uint32_t b, uint32_t pos, uint32_t len)
{
    uint32_t field = shl_32(low_bits_32(len & 255), pos & 255);
    return (b & ~field) | (shl_32(a, pos & 255) & field);
}
static inline uint64_t bfi_64(uint64_t a, uint64_t b, uint64_t pos, uint64_t len)
{
    uint64_t field = shl_64(low_bits_64(len), pos);
    return (b & ~field) | (shl_64(a, pos) & field);
}
#define BFI_OP(name, T, fn)                                                          \
    OP_FN(name)                                                                      \
    {                                                                                \
        const T *pa = SRC(T, in->o[1]), *pb = SRC(T, in->o[2]);                      \
        const uint32_t *pc = SRC(uint32_t, in->o[3]), *pd = SRC(uint32_t, in->o[4]); \
        LANE_STORE(T, fn(A, B, C, pd[l]));                                           \
    }
BFI_OP(bfi_b32, uint32_t, bfi_32)
BFI_OP(bfi_b64, uint64_t, bfi_64)

/* szext keeps the low b bits of a. A width of 32 and more is all of a when clamped, b modulo 32
 * when wrapped. */
static inline uint32_t szext_(uint32_t a, uint32_t b, bool clamp, bool sign)
{
    uint32_t n = b & 31, kept = (1u << n) - 1;
    uint32_t top = n && sign ? a >> (n - 1) & 1 : 0;
    return clamp && b > 31 ? a : (a & kept) | (top ? ~kept : 0);
}
OP2(szext_wrap_u, uint32_t, uint32_t, uint32_t, szext_(A, B, false, false))
OP2(szext_wrap_s, uint32_t, uint32_t, uint32_t, szext_(A, B, false, true))
OP2(szext_clamp_u, uint32_t, uint32_t, uint32_t, szext_(A, B, true, false))
OP2(szext_clamp_s, uint32_t, uint32_t, uint32_t, szext_(A, B, true, true))
static op_fn *const szext_fns[2][2] = {{szext_wrap_u, szext_wrap_s},
                                       {szext_clamp_u, szext_clamp_s}}; /* [clamp][signed] */

/* b one bits from bit a on: both wrap at 32, or are clamped there. */
static inline uint32_t bmsk_wrap_(uint32_t a, uint32_t b) { return ((1u << (b & 31)) - 1) << (a & 31); }
static inline uint32_t bmsk_clamp_(uint32_t a, uint32_t b) { return shl_32(low_bits_32(b), a); }
OP2(bmsk_wrap, uint32_t, uint32_t, uint32_t, bmsk_wrap_(A, B))
OP2(bmsk_clamp, uint32_t, uint32_t, uint32_t, bmsk_clamp_(A, B))

/* ---- dot products of bytes ---- */
#define BYTE_U(x, i)             ((x) >> (8 * (i)) & 255)
#define BYTE_S(x, i)             ((uint32_t)((int32_t)((x) << (24 - 8 * (i))) >> 24))
#define HALF_U(x, i)             ((x) >> (16 * (i)) & 65535)
#define HALF_S(x, i)             ((uint32_t)((int32_t)((x) << (16 - 16 * (i))) >> 16))
#define DP4A_(a, b, c, X, Y)     ((c) + X(a, 0) * Y(b, 0) + X(a, 1) * Y(b, 1) + X(a, 2) * Y(b, 2) + X(a, 3) * Y(b, 3))
#define DP2A_(a, b, c, X, Y, at) ((c) + X(a, 0) * Y(b, at) + X(a, 1) * Y(b, (at) + 1))
#define DOT_OPS(name, X4, X2, Y)                                                          \
    OP3(dp4a_##name, uint32_t, uint32_t, uint32_t, uint32_t, DP4A_(A, B, C, X4, Y))       \
    OP3(dp2a_lo_##name, uint32_t, uint32_t, uint32_t, uint32_t, DP2A_(A, B, C, X2, Y, 0)) \
    OP3(dp2a_hi_##name, uint32_t, uint32_t, uint32_t, uint32_t, DP2A_(A, B, C, X2, Y, 2))
DOT_OPS(uu, BYTE_U, HALF_U, BYTE_U)
DOT_OPS(us, BYTE_U, HALF_U, BYTE_S)
DOT_OPS(su, BYTE_S, HALF_S, BYTE_U)
DOT_OPS(ss, BYTE_S, HALF_S, BYTE_S)
static op_fn *const dot_fns[3][2][2] = {/* [dp4a, dp2a.lo, dp2a.hi][a signed][b signed] */
                                        {{dp4a_uu, dp4a_us}, {dp4a_su, dp4a_ss}},
                                        {{dp2a_lo_uu, dp2a_lo_us}, {dp2a_lo_su, dp2a_lo_ss}},
                                        {{dp2a_hi_uu, dp2a_hi_us}, {dp2a_hi_su, dp2a_hi_ss}}};

/* ---- logic ---- */
#define AND_(a, b) ((a) & (b))
#define OR_(a, b)  ((a) | (b))
#define XOR_(a, b) ((a) ^ (b))
#define NOT_(a)    (~(a))
#define CNOT_(a)   ((a) == 0)
WIDTH_OPS2(and, AND_)
WIDTH_OPS2(or, OR_)
WIDTH_OPS2(xor, XOR_)
WIDTH_OPS1(not, NOT_)
WIDTH_OPS1(cnot, CNOT_)

#define PRED_OP(name, expr)                                            \
    OP_FN(name)                                                        \
    {                                                                  \
        uint32_t a = pred_get(w, in->o[1]), b = pred_get(w, in->o[2]); \
        pred_set(w, in->o[0], expr);                                   \
        return in + 1;                                                 \
    }
PRED_OP(and_pred, a &b)
PRED_OP(or_pred, a | b)
PRED_OP(xor_pred, a ^ b)
OP_FN(not_pred)
{
    pred_set(w, in->o[0], ~pred_get(w, in->o[1]));
    return in + 1;
}

/* lop3's truth table has a bit for each (a, b, c). With each bit widened to a word, selecting among
 * the eight by a, b and c is bitwise arithmetic. */
enum { LOP3_OR = 1u << 8, LOP3_PRED = 1u << 9 };
OP_FN(lop3)
{
    const uint32_t *pa = SRC(uint32_t, in->o[1]), *pb = SRC(uint32_t, in->o[2]), *pc = SRC(uint32_t, in->o[3]);
    uint32_t row[8], out[32];
    for (int i = 0; i < 8; i++) row[i] = in->mod >> i & 1 ? UINT32_MAX : 0;
    LANES
    {
        uint32_t b0 = (B & ((C & row[3]) | (~C & row[2]))) | (~B & ((C & row[1]) | (~C & row[0])));
        uint32_t b1 = (B & ((C & row[7]) | (~C & row[6]))) | (~B & ((C & row[5]) | (~C & row[4])));
        out[l] = (A & b1) | (~A & b0);
    }
    if (in->mod & LOP3_PRED) {
        LANE_BITS(some, out[l] != 0);
        uint32_t q = pred_get(w, in->o[5]);
        pred_set(w, in->o[4], in->mod & LOP3_OR ? some | q : some & q);
    }
    LANE_STORE(uint32_t, out[l]);
}

/* ---- shifts: amounts beyond the width count as the width, except where .wrap says otherwise ----
 */
#define SHL_OP(name, DT, expr) OP2(name, DT, DT, uint32_t, expr)
SHL_OP(shl_16, uint32_t, (uint16_t)shl_32(A, B))
SHL_OP(shl_32_, uint32_t, shl_32(A, B))
SHL_OP(shl_64_, uint64_t, shl_64(A, B))
static op_fn *const shl_fns[INT_TYPES] = {shl_16, shl_32_, shl_64_, NULL, NULL, NULL};
SHL_OP(shr_u16, uint32_t, shr_32((uint16_t)A, B))
SHL_OP(shr_u32, uint32_t, shr_32(A, B))
SHL_OP(shr_u64, uint64_t, shr_64(A, B))
SHL_OP(shr_s16, uint32_t, (uint16_t)((int16_t)A >> (B > 15 ? 15 : B)))
SHL_OP(shr_s32, uint32_t, (int32_t)A >> (B > 31 ? 31 : B))
SHL_OP(shr_s64, uint64_t, (int64_t)A >> (B > 63 ? 63 : B))
INT_TABLE(shr)

/* By a constant: the amount, in mod, is the same for all lanes, which vectorises even on hosts
 * without per-lane shifts. */
#define SHIFT_FIXED(name, T, ST, last, expr)          \
    OP_FN(name)                                       \
    {                                                 \
        const ST *pa = SRC(ST, in->o[1]);             \
        uint32_t n = in->mod > last ? last : in->mod; \
        T kept = in->mod > last ? 0 : (T)-1;          \
        (void)kept;                                   \
        LANE_STORE(T, expr);                          \
    }
SHIFT_FIXED(shl_fixed_32, uint32_t, uint32_t, 31, A << n & kept)
SHIFT_FIXED(shl_fixed_64, uint64_t, uint64_t, 63, A << n & kept)
SHIFT_FIXED(shr_fixed_u32, uint32_t, uint32_t, 31, A >> n & kept)
SHIFT_FIXED(shr_fixed_u64, uint64_t, uint64_t, 63, A >> n & kept)
SHIFT_FIXED(shr_fixed_s32, uint32_t, int32_t, 31, A >> n)
SHIFT_FIXED(shr_fixed_s64, uint64_t, int64_t, 63, A >> n)
static op_fn *const shift_fixed_fns[2][INT_TYPES] = {/* [right] */
                                                     {NULL, shl_fixed_32, shl_fixed_64, NULL, NULL, NULL},
                                                     {NULL, shr_fixed_u32, shr_fixed_u64, NULL, shr_fixed_s32,
                                                      shr_fixed_s64}};

/* shf shifts the pair b:a and gives its upper (left) or lower (right) word. */
static inline uint32_t shf_left(uint32_t a, uint32_t b, uint32_t n) { return b << n | a >> 1 >> (31 - n); }
static inline uint32_t shf_right(uint32_t a, uint32_t b, uint32_t n) { return a >> n | b << 1 << (31 - n); }
OP3(shf_l_wrap, uint32_t, uint32_t, uint32_t, uint32_t, shf_left(A, B, C & 31))
OP3(shf_r_wrap, uint32_t, uint32_t, uint32_t, uint32_t, shf_right(A, B, C & 31))
OP3(shf_l_clamp, uint32_t, uint32_t, uint32_t, uint32_t, C > 31 ? A : shf_left(A, B, C & 31))
OP3(shf_r_clamp, uint32_t, uint32_t, uint32_t, uint32_t, C > 31 ? B : shf_right(A, B, C & 31))
static op_fn *const shf_fns[2][2] = {{shf_l_wrap, shf_r_wrap}, {shf_l_clamp, shf_r_clamp}}; /* [clamp][right] */

/* ---- selecting ---- */
static bool shape(form *f, op_fn *fn, enum sim_class cls, enum ptx_type d, enum ptx_type a, enum ptx_type b,
                  enum ptx_type c)
{
    if (!fn) return form_refuse(f, "does not exist for this type");
    f->fn = fn;
    f->cls = cls;
    form_shape(f, d, a, b, c);
    return true;
}

static bool is_bits(enum ptx_type t) { return t == T_B16 || t == T_B32 || t == T_B64; }

static bool select_logic(form *f, enum ptx_type t)
{
    enum ptx_op op = f->in->op;
    bool one = op == OP_NOT || op == OP_CNOT;
    op_fn *fn = NULL;
    if (t == T_PRED)
        fn = op == OP_AND ? and_pred : op == OP_OR ? or_pred : op == OP_XOR ? xor_pred : op == OP_NOT ? not_pred : NULL;
    else if (is_bits(t))
        fn = (op == OP_AND   ? and_fns
              : op == OP_OR  ? or_fns
              : op == OP_XOR ? xor_fns
              : op == OP_NOT ? not_fns
                             : cnot_fns)[int_type_of(t, true)];
    return shape(f, fn, SIM_CLASS_LOGIC, t, t, one ? T_NONE : t, T_NONE);
}

static bool select_lop3(form *f, enum ptx_type t)
{
    static const uint16_t bools[] = {S_OR, S_AND, S_NONE};
    const ptx_operand *op = f->in->operand;
    enum ptx_suffix combine = form_take_any(f, bools);
    if (t != T_B32) return form_refuse(f, "exists for .b32 only");
    if (!form_operands(f, combine ? 6 : 5, combine ? 6 : 5)) return false;
    if (op[4].kind != O_INT || op[4].value.i < 0 || op[4].value.i > 255)
        return form_refuse(f, "needs a truth table from 0 to 255");
    if (combine && (!op[0].pair || op[5].negated)) return form_refuse(f, "needs d|p and a plain predicate q");
    f->fn = lop3;
    f->cls = SIM_CLASS_LOGIC;
    f->mod = (uint32_t)op[4].value.i;
    form_def(f, &op[0], t);
    for (int i = 1; i <= 3; i++) form_use(f, &op[i], t);
    if (combine) {
        f->mod |= LOP3_PRED | (combine == S_OR ? LOP3_OR : 0u);
        form_def(f, ptx_second(&op[0]), T_PRED);
        form_use(f, &op[5], T_PRED);
    }
    return true;
}

static bool select_shift(form *f, enum ptx_type t)
{
    int i = int_type_of(t, true);
    op_fn *fn = i < 0 ? NULL : f->in->op == OP_SHR ? shr_fns[i] : is_bits(t) ? shl_fns[i] : NULL;
    if (fn && form_operands(f, 3, 3) && f->in->operand[2].kind == O_INT) {
        op_fn *fixed = shift_fixed_fns[f->in->op == OP_SHR][i];
        f->mod = (uint32_t)f->in->operand[2].value.i;
        if (fixed) fn = fixed;
    }
    return shape(f, fn, SIM_CLASS_INT, t, t, T_U32, T_NONE);
}

static const uint16_t wrap_or_clamp[] = {S_WRAP, S_CLAMP, S_NONE};

static bool select_carry_chain(form *f, enum ptx_type t)
{
    static const uint16_t halves[] = {S_LO, S_HI, S_NONE};
    enum ptx_op op = f->in->op;
    enum carry_op c = op == OP_ADDC ? CARRY_ADD : CARRY_SUB;
    if (op == OP_MADC) {
        enum ptx_suffix half = form_take_any(f, halves);
        if (!half) return form_refuse(f, "needs .lo or .hi");
        c = half == S_LO ? CARRY_MAD_LO : CARRY_MAD_HI;
    }
    if ((t == T_U16 || t == T_S16) && op != OP_MADC && !form_take(f, S_CC)) {
        if (!form_operands(f, 3, 3)) return false;
        f->cls = SIM_CLASS_INT;
        f->fn = op == OP_ADDC ? addc_16 : subc_16;
        form_shape(f, t, t, t, T_NONE);
        return true;
    }
    return SIM_NAME(select_carry)(f, c, t, true, form_take(f, S_CC));
}

static bool select_24(form *f, enum ptx_type t)
{
    bool mad = f->in->op == OP_MAD24, hi = form_take(f, S_HI);
    if (!hi && !form_take(f, S_LO)) return form_refuse(f, "needs .lo or .hi");
    if (t != T_U32 && t != T_S32) return form_refuse(f, "exists for .u32 and .s32 only");
    op_fn *fn = mul24_fns[mad][hi][t == T_S32];
    if (mad && hi && t == T_S32 && form_take(f, S_SAT)) fn = mad24_hi_sat;
    return shape(f, fn, SIM_CLASS_INT_MUL, t, t, t, mad ? t : T_NONE);
}

static bool select_dot(form *f, enum ptx_type a)
{
    enum ptx_type b = form_type(f);
    int which = 0;
    if (f->in->op == OP_DP2A) {
        which = form_take(f, S_LO) ? 1 : form_take(f, S_HI) ? 2 : 0;
        if (!which) return form_refuse(f, "needs .lo or .hi");
    }
    if ((a != T_U32 && a != T_S32) || (b != T_U32 && b != T_S32))
        return form_refuse(f, "needs two types, .u32 or .s32");
    return shape(f, dot_fns[which][a == T_S32][b == T_S32], SIM_CLASS_INT_MUL, T_B32, a, b, T_B32);
}

static bool select_fields(form *f, enum ptx_type t)
{
    int i = int_type_of(t, false);
    enum ptx_suffix mode;
    switch (f->in->op) {
    case OP_BFE: return shape(f, i < 0 ? NULL : bfe_fns[i], SIM_CLASS_INT, t, t, T_U32, T_U32);
    case OP_BFI:
        if (t != T_B32 && t != T_B64) return form_refuse(f, "exists for .b32 and .b64 only");
        if (!form_operands(f, 5, 5)) return false;
        f->fn = t == T_B32 ? bfi_b32 : bfi_b64;
        f->cls = SIM_CLASS_INT;
        for (int k = 0; k < 5; k++) {
            if (k == 0) form_def(f, &f->in->operand[k], t);
            else form_use(f, &f->in->operand[k], k < 3 ? t : T_U32);
        }
        return true;
    case OP_SZEXT:
        mode = form_take_any(f, wrap_or_clamp);
        if (!mode || (t != T_U32 && t != T_S32)) return form_refuse(f, "needs .wrap or .clamp, and .u32 or .s32");
        return shape(f, szext_fns[mode == S_CLAMP][t == T_S32], SIM_CLASS_INT, t, t, T_U32, T_NONE);
    case OP_BMSK:
        mode = form_take_any(f, wrap_or_clamp);
        if (!mode || t != T_B32) return form_refuse(f, "needs .wrap or .clamp, and .b32");
        return shape(f, mode == S_CLAMP ? bmsk_clamp : bmsk_wrap, SIM_CLASS_INT, t, t, t, T_NONE);
    default: return false;
    }
}

static bool select_intg(form *f)
{
    if (!operands_plain(f, 0)) return false;
    enum ptx_type t = form_type(f);
    int i = int_type_of(t, false);
    bool b64 = t == T_B64, bits = b64 || t == T_B32;
    switch (f->in->op) {
    case OP_ADDC:
    case OP_SUBC:
    case OP_MADC: return select_carry_chain(f, t);
    case OP_MUL24:
    case OP_MAD24: return select_24(f, t);
    case OP_SAD: return shape(f, i < 0 ? NULL : sad_fns[i], SIM_CLASS_INT, t, t, t, t);
    case OP_POPC: return shape(f, !bits ? NULL : b64 ? popc_b64 : popc_b32, SIM_CLASS_INT, T_U32, t, T_NONE, T_NONE);
    case OP_CLZ: return shape(f, !bits ? NULL : b64 ? clz_b64 : clz_b32, SIM_CLASS_INT, T_U32, t, T_NONE, T_NONE);
    case OP_BREV: return shape(f, !bits ? NULL : b64 ? brev_b64 : brev_b32, SIM_CLASS_INT, t, t, T_NONE, T_NONE);
    case OP_BFIND:
        return shape(f, i < 0 ? NULL : bfind_fns[form_take(f, S_SHIFTAMT)][i], SIM_CLASS_INT, T_U32, t, T_NONE, T_NONE);
    case OP_FNS: return shape(f, t == T_B32 ? fns_b32 : NULL, SIM_CLASS_INT, t, t, t, T_S32);
    case OP_DP4A:
    case OP_DP2A: return select_dot(f, t);
    case OP_AND:
    case OP_OR:
    case OP_XOR:
    case OP_NOT:
    case OP_CNOT: return select_logic(f, t);
    case OP_LOP3: return select_lop3(f, t);
    case OP_SHL:
    case OP_SHR: return select_shift(f, t);
    case OP_SHF: {
        enum ptx_suffix mode = form_take_any(f, wrap_or_clamp);
        bool right = form_take(f, S_R);
        if (!mode || (!right && !form_take(f, S_L)) || t != T_B32)
            return form_refuse(f, "needs .l or .r, .wrap or .clamp, and .b32");
        return shape(f, shf_fns[mode == S_CLAMP][right], SIM_CLASS_INT, t, t, t, T_U32);
    }
    default: return select_fields(f, t);
    }
}

bool SIM_NAME(select_intg)(form *f) { return select_intg(f) && operands_fit(f); }
