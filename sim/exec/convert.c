/* convert.c: cvt, from every number type to every other, and cvt.pack.
 *
 * `convert` does any pair, one lane at a time: it reads the source as an integer or as an f64
 * (which holds every float type exactly), and writes the destination from that, rounding once.
 * Common pairs have loops of their own, listed in `fast`; they give the same bits. Unsaturated
 * integers are all one operation: extend from the source's bits, then from the destination's.
 *
 * A register may be wider than the type: the source is then its low bits, the destination is
 * extended to the register. Floats beyond an integer type's range give its nearest end. NaN gives
 * 0; in 64 bits, and from f64, only the highest bit is set. What PTX leaves open (which NaN)
 * follows an H200.
 */
#include "exact64.h"
#include "exec.h"

/* insn.mod: destination type, source type << 8, rounding << 16, and these. insn.mod2: bits of the
 * destination's register. */
enum { CVT_FTZ = 1 << 24, CVT_SAT = 1 << 25, CVT_RELU = 1 << 26, CVT_FINITE = 1 << 27, CVT_WHOLE = 1 << 28 };

/* ---- any pair ---- */
/* x rounded to a whole number. Below 2^52, adding 2^52 leaves no room for a fraction. */
static inline double whole_f64(double x, enum rounding mode)
{
    double size = fabs(x), near = (size + 0x1p52) - 0x1p52, r = near;
    if (mode == ROUND_RZ) r = near > size ? near - 1.0 : near;
    if (mode == ROUND_RM) r = x < 0 ? (near < size ? near + 1.0 : near) : near > size ? near - 1.0 : near;
    if (mode == ROUND_RP) r = x < 0 ? (near > size ? near - 1.0 : near) : near < size ? near + 1.0 : near;
    return size < 0x1p52 ? copysign(r, x) : x;
}
static inline float whole_f32(float x, enum rounding mode)
{
    float size = fabsf(x), near = (size + 0x1p23f) - 0x1p23f, r = near;
    if (mode == ROUND_RZ) r = near > size ? near - 1.0f : near;
    if (mode == ROUND_RM) r = x < 0 ? (near < size ? near + 1.0f : near) : near > size ? near - 1.0f : near;
    if (mode == ROUND_RP) r = x < 0 ? (near > size ? near - 1.0f : near) : near < size ? near + 1.0f : near;
    return size < 0x1p23f ? copysignf(r, x) : x;
}

static double read_float(uint64_t raw, enum ptx_type t, bool ftz)
{
    uint32_t low = (uint32_t)raw;
    switch (t) {
    case T_F64: return bits_f64(raw);
    case T_F16: return (double)f16_to_f32(low & 0xffff);
    case T_BF16: return (double)bf16_to_f32(low & 0xffff);
    default: return (double)bits_f32(ftz ? f32_flush_bits(low) : low);
    }
}

/* A NaN on its way to or from f64 keeps its sign and as much of its mantissa as fits, and becomes
 * quiet. */
static int mantissa_bits(enum ptx_type t) { return t == T_F64 ? 52 : t == T_F32 ? 23 : t == T_F16 ? 10 : 7; }
static uint64_t carry_nan(uint64_t u, enum ptx_type from, enum ptx_type to)
{
    int have = mantissa_bits(from), want = mantissa_bits(to);
    uint64_t payload = (u & ((UINT64_C(1) << have) - 1)) << (52 - have) >> (52 - want);
    uint64_t exponent = ((UINT64_C(1) << (ptx_bits(to) - 1 - want)) - 1) << want;
    return (u >> (ptx_bits(from) - 1) & 1) << (ptx_bits(to) - 1) | exponent | UINT64_C(1) << (want - 1) | payload;
}

static uint64_t write_float(double d, uint32_t mod)
{
    enum ptx_type t = (enum ptx_type)(mod & 0xff);
    enum rounding mode = (enum rounding)(mod >> 16 & 0xff);
    if (mod & CVT_SAT) d = f64_clamp(d);
    if ((mod & CVT_RELU) && d <= 0) d = 0;
    if (mod & CVT_FINITE) {
        double most = t == T_F16 ? 65504.0 : t == T_BF16 ? 0x1.fep127 : 0x1.ffcp127;
        d = d > most ? most : d < -most ? -most : d;
    }
    switch (t) {
    case T_F64: return f64_bits(d);
    case T_F16: return f32_to_f16(f64_to_f32_odd(d), mode);
    case T_BF16: return f32_to_bf16(f64_to_f32_odd(d), mode);
    case T_TF32: return f32_to_tf32(f64_to_f32_odd(d), mode) & 0xffffe000u;
    default: break;
    }
    return f32_give(d, mode, mod & CVT_FTZ ? MOD_FTZ : 0);
}

static inline bool is_signed(enum ptx_type t) { return ptx_types[t].kind == 'S'; }
static inline bool is_integer(enum ptx_type t) { return is_signed(t) || ptx_types[t].kind == 'U'; }

/* The low `bits` of v as a 64-bit number. */
static inline uint64_t extend(uint64_t v, int bits, bool as_signed)
{
    int n = 64 - bits;
    return as_signed ? (uint64_t)((int64_t)(v << n) >> n) : v << n >> n;
}

static uint64_t float_to_integer(double d, enum ptx_type t, enum ptx_type from, enum rounding mode)
{
    int bits = ptx_bits(t);
    if (d != d) return bits == 64 || from == T_F64 ? UINT64_C(1) << (bits - 1) : 0;
    d = whole_f64(d, mode);
    double end = bits == 64 ? 0x1p64 : (double)(UINT64_C(1) << bits);
    if (is_signed(t)) {
        uint64_t half = UINT64_C(1) << (bits - 1);
        return d >= end / 2 ? half - 1 : d <= -end / 2 ? 0 - half : (uint64_t)(int64_t)d;
    }
    return d >= end ? ~UINT64_C(0) >> (64 - bits) : d <= 0 ? 0 : (uint64_t)d;
}

static uint64_t integer_to_float(uint64_t v, bool negative, uint32_t mod)
{
    uint64_t size = negative ? 0 - v : v;
    if (!size) return 0;
    if ((mod & 0xff) == T_F64) {
        double d = f64_pack(negative, (wide){0, size}, 0, (enum rounding)(mod >> 16 & 0xff));
        return f64_bits(mod & CVT_SAT ? f64_clamp(d) : d);
    }
    double d = size >> 53 ? (double)(size >> 11 | ((size & 0x7ff) != 0)) * 2048.0 : (double)size; /* rounded to odd */
    return write_float(negative ? -d : d, mod);
}

static uint64_t saturate_integer(uint64_t v, bool negative, enum ptx_type t)
{
    int bits = ptx_bits(t);
    uint64_t most = ~UINT64_C(0) >> (64 - bits + is_signed(t));
    if (!negative) return v > most ? most : v;
    if (!is_signed(t)) return 0;
    return (int64_t)v < -1 - (int64_t)most ? 0 - most - 1 : v;
}

static uint64_t convert(uint64_t raw, uint32_t mod, uint32_t register_bits)
{
    enum ptx_type to = (enum ptx_type)(mod & 0xff), from = (enum ptx_type)(mod >> 8 & 0xff);
    enum rounding mode = (enum rounding)(mod >> 16 & 0xff);
    uint64_t r;
    if (is_integer(from)) {
        uint64_t v = extend(raw, ptx_bits(from), is_signed(from));
        bool negative = is_signed(from) && v >> 63;
        if (!is_integer(to)) return integer_to_float(v, negative, mod);
        r = mod & CVT_SAT ? saturate_integer(v, negative, to) : v;
    } else {
        raw = extend(raw, ptx_bits(from), false); /* a wider register has more bits above it */
        double d = read_float(raw, from, (mod & CVT_FTZ) && to != T_F16);
        if (d != d && (from == T_F64 || to == T_F64) && !is_integer(to) && !(mod & CVT_SAT))
            return carry_nan(mod & CVT_FTZ && from == T_F32 ? F32_NAN : raw, from, to);
        if (!is_integer(to)) return write_float(mod & CVT_WHOLE ? whole_f64(d, mode) : d, mod);
        r = float_to_integer(d, to, from, mode);
    }
    r = extend(r, ptx_bits(to), is_signed(to));
    return register_bits < 64 ? r & ((UINT64_C(1) << register_bits) - 1) : r;
}

#define ANY(name, DT, T)                                                    \
    OP_FN(name)                                                             \
    {                                                                       \
        const T *pa = SRC(T, in->o[1]);                                     \
        DT *d = DST(DT, in->o[0]);                                          \
        for (int l = 0; l < 32; l++)                                        \
            if (w->mask >> l & 1) d[l] = (DT)convert(A, in->mod, in->mod2); \
        return in + 1;                                                      \
    }
ANY(any_32_32, uint32_t, uint32_t)
ANY(any_32_64, uint32_t, uint64_t)
ANY(any_64_32, uint64_t, uint32_t)
ANY(any_64_64, uint64_t, uint64_t)
static op_fn *const any[2][2] = {{any_32_32, any_32_64},
                                 {any_64_32, any_64_64}}; /* [destination is 64][source is 64] */

/* ---- integers without saturation ---- */
/* mod: how far to shift up and down again for the source's bits, 6 bits, then its sign; the same
 * for the destination << 8. mod2: the register's bits as a mask. */
static inline uint32_t refit32(uint32_t v, uint32_t how)
{
    uint32_t n = how & 31, up = v << n;
    return how & 64 ? (uint32_t)((int32_t)up >> n) : up >> n;
}
static inline uint64_t refit64(uint64_t v, uint32_t how)
{
    uint32_t n = how & 63;
    uint64_t up = v << n;
    return how & 64 ? (uint64_t)((int64_t)up >> n) : up >> n;
}
OP_FN(refit_32_32)
{
    const uint32_t mod = in->mod, keep = in->mod2, *pa = SRC(uint32_t, in->o[1]);
    LANE_STORE(uint32_t, refit32(refit32(A, mod), mod >> 8) & keep);
}
OP_FN(refit_32_64)
{
    const uint32_t mod = in->mod, keep = in->mod2;
    const uint64_t *pa = SRC(uint64_t, in->o[1]);
    LANE_STORE(uint32_t, (uint32_t)refit64(refit64(A, mod), mod >> 8) & keep);
}
MOD_OP1(refit_64_32, uint64_t, uint32_t, refit64(refit64(A, mod), mod >> 8))
MOD_OP1(refit_64_64, uint64_t, uint64_t, refit64(refit64(A, mod), mod >> 8))
static op_fn *const refit[2][2] = {{refit_32_32, refit_32_64}, {refit_64_32, refit_64_64}};

/* ---- pairs with a loop of their own ---- */
static inline uint32_t f32_to_s32(float x)
{
    bool inside = x >= -0x1p31f && x < 0x1p31f;
    int32_t r = (int32_t)(inside ? x : 0.0f);
    return inside ? (uint32_t)r : x >= 0x1p31f ? 0x7fffffffu : x < 0 ? 0x80000000u : 0;
}
static inline uint32_t f32_to_u32(float x)
{
    bool inside = x > 0 && x < 0x1p32f;
    uint32_t r = (uint32_t)(inside ? x : 0.0f);
    return x >= 0x1p32f ? 0xffffffffu : r;
}
OP1(f32_s8, uint32_t, uint32_t, f32_bits((float)(int8_t)(uint8_t)A))
OP1(f32_u8, uint32_t, uint32_t, f32_bits((float)(int32_t)(A & 0xff)))
OP1(f32_s16, uint32_t, uint32_t, f32_bits((float)(int16_t)(uint16_t)A))
OP1(f32_u16, uint32_t, uint32_t, f32_bits((float)(int32_t)(A & 0xffff)))
OP1(f32_s32, uint32_t, int32_t, f32_bits((float)A))
OP1(f32_u32, uint32_t, uint32_t, f32_bits((float)A))
OP1(f32_s64, uint32_t, int64_t, f32_bits((float)A))
OP1(f32_u64, uint32_t, uint64_t, f32_bits((float)A))
OP1(f64_s32, uint64_t, int32_t, f64_bits((double)A))
OP1(f64_u32, uint64_t, uint32_t, f64_bits((double)A))
OP1(f64_s64, uint64_t, int64_t, f64_bits((double)A))
OP1(f64_u64, uint64_t, uint64_t, f64_bits((double)A))
OP1(f64_f32, uint64_t, uint32_t,
    (A & 0x7fffffffu) <= 0x7f800000u
        ? f64_bits((double)bits_f32(A))
        : (uint64_t)(A >> 31) << 63 | UINT64_C(0x7ff8000000000000) | (uint64_t)(A & 0x7fffffu) << 29)
OP1(f32_f64, uint32_t, double,
    A == A ? f32_bits((float)A) : (uint32_t)(f64_bits(A) >> 63 << 31 | 0x7fc00000u | (f64_bits(A) >> 29 & 0x7fffffu)))
OP1(s32_f32_z, uint32_t, float, f32_to_s32(A))
OP1(s32_f32_n, uint32_t, float, f32_to_s32(whole_f32(A, ROUND_RN)))
OP1(s32_f32_m, uint32_t, float, f32_to_s32(whole_f32(A, ROUND_RM)))
OP1(s32_f32_p, uint32_t, float, f32_to_s32(whole_f32(A, ROUND_RP)))
OP1(u32_f32_z, uint32_t, float, f32_to_u32(A))
OP1(u32_f32_n, uint32_t, float, f32_to_u32(whole_f32(A, ROUND_RN)))
OP1(f32_f32_z, uint32_t, float, f32_out(whole_f32(A, ROUND_RZ)))
OP1(f32_f32_n, uint32_t, float, f32_out(whole_f32(A, ROUND_RN)))
OP1(f32_f32_m, uint32_t, float, f32_out(whole_f32(A, ROUND_RM)))
OP1(f32_f32_p, uint32_t, float, f32_out(whole_f32(A, ROUND_RP)))
OP1(f32_f16, uint32_t, uint32_t, f32_bits(f16_to_f32(A & 0xffff)))
OP1(f16_f32, uint32_t, float, f32_to_f16(A, ROUND_RN))
OP1(f32_bf16, uint32_t, uint32_t, A << 16)
OP1(bf16_f32, uint32_t, float, f32_to_bf16(A, ROUND_RN))

/* .rna to .tf32 works on the bits, as on a card: infinity and NaN lose only their lower bits;
 * .satfinite then goes one step down. */
static inline uint32_t tf32_near_away(uint32_t u, uint32_t mod)
{
    bool finite = (u & 0x7f800000u) != 0x7f800000u;
    uint32_t r = (finite ? u + 0x1000 : u) & 0xffffe000u;
    return (mod & CVT_FINITE) && (r & 0x7f800000u) == 0x7f800000u ? r - 0x2000 : r;
}
MOD_OP1(tf32_rna, uint32_t, uint32_t, tf32_near_away(A, mod))

/* .ftz makes no difference where `flushed` is set */
static const struct pair {
    uint8_t to, from;
    uint16_t rounding;
    bool flushed;
    op_fn *fn;
} fast[] = {
    {T_F32, T_S8, S_RN, true, f32_s8},        {T_F32, T_U8, S_RN, true, f32_u8},
    {T_F32, T_S16, S_RN, true, f32_s16},      {T_F32, T_U16, S_RN, true, f32_u16},
    {T_F32, T_S32, S_RN, true, f32_s32},      {T_F32, T_U32, S_RN, true, f32_u32},
    {T_F32, T_S64, S_RN, true, f32_s64},      {T_F32, T_U64, S_RN, true, f32_u64},
    {T_F64, T_S32, S_RN, true, f64_s32},      {T_F64, T_U32, S_RN, true, f64_u32},
    {T_F64, T_S64, S_RN, true, f64_s64},      {T_F64, T_U64, S_RN, true, f64_u64},
    {T_F64, T_F32, S_NONE, false, f64_f32},   {T_F32, T_F64, S_RN, false, f32_f64},
    {T_S32, T_F32, S_RZI, true, s32_f32_z},   {T_S32, T_F32, S_RNI, true, s32_f32_n},
    {T_S32, T_F32, S_RMI, false, s32_f32_m},  {T_S32, T_F32, S_RPI, false, s32_f32_p},
    {T_U32, T_F32, S_RZI, true, u32_f32_z},   {T_U32, T_F32, S_RNI, true, u32_f32_n},
    {T_F32, T_F32, S_RZI, true, f32_f32_z},   {T_F32, T_F32, S_RNI, true, f32_f32_n},
    {T_F32, T_F32, S_RMI, false, f32_f32_m},  {T_F32, T_F32, S_RPI, false, f32_f32_p},
    {T_F32, T_F16, S_NONE, true, f32_f16},    {T_F16, T_F32, S_RN, false, f16_f32},
    {T_F32, T_BF16, S_NONE, false, f32_bf16}, {T_BF16, T_F32, S_RN, false, bf16_f32},
};

/* ---- two values in one register ---- */
/* The lower element is the last source. mod as for `convert`; the type is that of one element. */
static inline uint32_t pair_element(float x, uint32_t mod)
{
    if ((mod & CVT_RELU) && x <= 0) x = 0;
    switch (mod & 0xff) {
    case T_E4M3X2: return f32_to_e4m3(x);
    case T_E5M2X2: return f32_to_e5m2(x);
    default: return (uint32_t)write_float((double)x, mod);
    }
}
OP2(f16x2_rn, uint32_t, float, float, f32_to_f16(A, ROUND_RN) << 16 | f32_to_f16(B, ROUND_RN))
OP2(bf16x2_rn, uint32_t, float, float, f32_to_bf16(A, ROUND_RN) << 16 | f32_to_bf16(B, ROUND_RN))
MOD_OP2(pair_from_f32, uint32_t, float, pair_element(A, mod) << (in->mod2) | pair_element(B, mod))
MOD_OP1(pair_from_f16x2, uint32_t, uint32_t,
        pair_element(f16_to_f32(A >> 16), mod) << 8 | pair_element(f16_to_f32(A & 0xffff), mod))
static inline uint32_t relu_f16(uint32_t h, uint32_t mod)
{
    const uint32_t sign = mod & CVT_RELU ? 0x8000u : 0;
    return h & ~(0u - ((h & sign) >> 15));
}
MOD_OP1(f16x2_from_e4m3, uint32_t, uint32_t, relu_f16(e4m3_to_f16(A >> 8), mod) << 16 | relu_f16(e4m3_to_f16(A), mod))
MOD_OP1(f16x2_from_e5m2, uint32_t, uint32_t, relu_f16(e5m2_to_f16(A >> 8), mod) << 16 | relu_f16(e5m2_to_f16(A), mod))

/* cvt.pack: a and b saturated to 16 or 8 bits; with 8 bits, c's lower half goes above them. */
static inline uint32_t pack_element(uint32_t v, enum ptx_type t)
{
    return (uint32_t)saturate_integer(extend(v, 32, true), v >> 31, t) & ((1u << ptx_bits(t)) - 1);
}
MOD_OP2(pack16, uint32_t, uint32_t, pack_element(A, (enum ptx_type)mod) << 16 | pack_element(B, (enum ptx_type)mod))
MOD_OP3(pack8, uint32_t, uint32_t,
        C << 16 | pack_element(A, (enum ptx_type)mod) << 8 | pack_element(B, (enum ptx_type)mod))

/* ---- selecting ---- */
static const uint16_t float_roundings[] = {S_RN, S_RZ, S_RM, S_RP, S_RNA, S_NONE};
static const uint16_t whole_roundings[] = {S_RNI, S_RZI, S_RMI, S_RPI, S_NONE};

static enum rounding rounding_of(enum ptx_suffix s)
{
    switch (s) {
    case S_RZ:
    case S_RZI: return ROUND_RZ;
    case S_RM:
    case S_RMI: return ROUND_RM;
    case S_RP:
    case S_RPI: return ROUND_RP;
    case S_RNA: return ROUND_RNA;
    default: return ROUND_RN;
    }
}

/* The type of an operand's place: its register's when that is wider, and not a float register where
 * the type is a float. */
static enum ptx_type place_type(const form *f, const ptx_operand *op, enum ptx_type t)
{
    if (op->kind != O_REG || op->reg < 0 || op->reg >= f->func->reg_count) return t;
    enum ptx_type r = (enum ptx_type)f->func->regs[op->reg].type;
    if (strchr("FH", ptx_types[t].kind) && ptx_types[r].kind == 'F') return t;
    return ptx_bits(r) > ptx_bits(t) && ptx_bits(r) <= 64 ? r : t;
}

static bool select_pack(form *f)
{
    if (!form_take(f, S_SAT)) return form_refuse(f, "needs .sat");
    enum ptx_type to = form_type(f), from = form_type(f), rest = form_type(f);
    bool bytes = to == T_U8 || to == T_S8;
    if (from != T_S32 || (!bytes && to != T_U16 && to != T_S16) || (bytes ? rest != T_B32 : rest != T_NONE))
        return form_refuse(f, "needs .u16.s32, .s16.s32, .u8.s32.b32 or .s8.s32.b32 as its types");
    f->fn = bytes ? pack8 : pack16;
    f->mod = to;
    form_shape(f, T_B32, T_S32, T_S32, bytes ? T_B32 : T_NONE);
    return true;
}

static bool select_pair(form *f, enum ptx_type to, enum ptx_type from, uint32_t flags, enum ptx_suffix said)
{
    enum rounding mode = rounding_of(said);
    bool small = to == T_E4M3X2 || to == T_E5M2X2;
    if (to == T_F16X2 && (from == T_E4M3X2 || from == T_E5M2X2) && said == S_RN && !(flags & ~(uint32_t)CVT_RELU)) {
        f->fn = from == T_E4M3X2 ? f16x2_from_e4m3 : f16x2_from_e5m2;
        f->mod = flags;
        form_shape(f, T_F16X2, T_B16, T_NONE, T_NONE);
        return true;
    }
    if (small && (from == T_F32 || from == T_F16X2) && said == S_RN && (flags & CVT_FINITE) &&
        !(flags & (CVT_FTZ | CVT_SAT))) {
        f->fn = from == T_F32 ? pair_from_f32 : pair_from_f16x2;
        f->mod = flags | (uint32_t)to;
        f->mod2 = 8;
        form_shape(f, T_B16, from, from == T_F32 ? T_F32 : T_NONE, T_NONE);
        return true;
    }
    if ((to == T_F16X2 || to == T_BF16X2) && from == T_F32 && (said == S_RN || said == S_RZ) &&
        !(flags & (CVT_FTZ | CVT_SAT))) {
        bool plain = said == S_RN && !flags;
        f->fn = !plain ? pair_from_f32 : to == T_F16X2 ? f16x2_rn : bf16x2_rn;
        f->mod = flags | (uint32_t)mode << 16 | (uint32_t)(to == T_F16X2 ? T_F16 : T_BF16);
        f->mod2 = 16;
        form_shape(f, to, T_F32, T_F32, T_NONE);
        return true;
    }
    return form_refuse(f, "does not exist as a conversion");
}

static bool has_pair(enum ptx_type t) { return t == T_F16X2 || t == T_BF16X2 || t == T_E4M3X2 || t == T_E5M2X2; }
static bool is_float(enum ptx_type t) { return t == T_F16 || t == T_BF16 || t == T_F32 || t == T_F64; }
static bool is_half(enum ptx_type t) { return t == T_F16 || t == T_BF16; }

/* Which roundings the pair requires. NULL: these are right. */
static const char *wrong_rounding(enum ptx_type to, enum ptx_type from, enum ptx_suffix said, enum ptx_suffix whole)
{
    if (is_integer(from) && is_integer(to)) return said || whole ? "must not round between integers" : NULL;
    if (is_integer(to)) return said || !whole ? "needs .rni, .rzi, .rmi or .rpi" : NULL;
    if (is_integer(from)) return !said || whole || said == S_RNA ? "needs .rn, .rz, .rm or .rp" : NULL;
    if (to == T_TF32) return said && said != S_RM && said != S_RP && !whole ? NULL : "needs .rna, .rn or .rz";
    if (said == S_RNA) return "has no .rna: that is for .tf32";
    if (to == from) return said ? "must not round, except to a whole number with .rni, .rzi, .rmi or .rpi" : NULL;
    if (whole) return "cannot change the type and round to a whole number";
    if (is_half(to) && is_half(from)) return NULL; /* to nearest, if nothing is said */
    if (ptx_bits(to) < ptx_bits(from)) return said ? NULL : "needs a rounding mode";
    if (from == T_BF16) return NULL; /* exact, whatever is said */
    return said ? "must not round: the destination holds every value" : NULL;
}

bool SIM_NAME(select_convert)(form *f)
{
    f->cls = SIM_CLASS_CONVERT;
    if (form_take(f, S_PACK)) return select_pack(f);
    enum ptx_suffix said = form_take_any(f, float_roundings), whole = form_take_any(f, whole_roundings);
    uint32_t flags = 0;
    if (form_take(f, S_FTZ)) flags |= CVT_FTZ;
    if (form_take(f, S_SAT)) flags |= CVT_SAT;
    if (form_take(f, S_RELU)) flags |= CVT_RELU;
    if (form_take(f, S_SATFINITE)) flags |= CVT_FINITE;
    enum ptx_type to = form_type(f), from = form_type(f);
    if (has_pair(to) || has_pair(from)) return select_pair(f, to, from, flags, said);
    if (!(is_integer(to) || is_float(to) || (to == T_TF32 && from == T_F32)) || !(is_integer(from) || is_float(from)))
        return form_refuse(f, "does not exist as a conversion");
    const char *wrong = wrong_rounding(to, from, said, whole);
    if (wrong) return form_refuse(f, wrong);
    if (from == T_BF16 && (to == T_F32 || to == T_F64)) said = S_NONE; /* nothing to round */
    if ((flags & CVT_FTZ) && to != T_F32 && from != T_F32) return form_refuse(f, "has no .ftz: that is for .f32");
    if ((flags & (CVT_RELU | CVT_FINITE)) && !(from == T_F32 && (is_half(to) || to == T_TF32)))
        return form_refuse(f, "has no .relu or .satfinite with these types");
    if ((flags & CVT_RELU) && said == S_RNA) return form_refuse(f, "has no .relu with .rna");
    if (!form_operands(f, 2, 2)) return false;

    const ptx_operand *d = &f->in->operand[0], *a = &f->in->operand[1];
    const bool exact = to == T_TF32; /* needs registers of its width */
    enum ptx_type d_place = exact ? to : place_type(f, d, to), a_place = exact ? from : place_type(f, a, from);
    int d_bits = ptx_bits(d_place);
    bool d64 = d_bits == 64, a64 = ptx_bits(a_place) == 64;
    form_def(f, d, d_place);
    form_use(f, a, a_place);
    if (is_integer(to) && is_integer(from) && !(flags & CVT_SAT)) {
        int whole_place = d64 || a64 ? 64 : 32;
        f->fn = refit[d64][a64];
        f->mod = (uint32_t)(whole_place - ptx_bits(from)) | (is_signed(from) ? 64 : 0);
        f->mod |= ((uint32_t)(whole_place - ptx_bits(to)) | (is_signed(to) ? 64 : 0)) << 8;
        f->mod2 = d_bits >= 32 ? ~0u : (1u << d_bits) - 1;
        return true;
    }
    if (to == from && (to == T_F32 || to == T_F64) && !whole &&
        !(flags & (CVT_FTZ | CVT_SAT))) { /* bit for bit, NaN as well */
        const uint32_t above = (uint32_t)((d64 || a64 ? 64 : 32) - ptx_bits(to));
        f->fn = refit[d64][a64];
        f->mod = to == T_F64 ? 0 : above | above << 8;
        f->mod2 = ~0u;
        return true;
    }
    f->mod = (uint32_t)to | (uint32_t)from << 8 | (uint32_t)rounding_of(whole ? whole : said) << 16 | flags;
    if (whole) f->mod |= CVT_WHOLE;
    f->mod2 = (uint32_t)d_bits;
    f->fn = to == T_TF32 && said == S_RNA ? tf32_rna : any[d64][a64];
    if (is_integer(to) && !is_integer(from)) flags &= ~(uint32_t)CVT_SAT; /* saturates anyway */
    for (size_t i = 0; i < sizeof fast / sizeof *fast; i++) {
        const struct pair *p = &fast[i];
        if (p->to != to || p->from != from || p->rounding != (whole ? whole : said)) continue;
        if ((flags & ~(p->flushed ? (uint32_t)CVT_FTZ : 0))) continue;
        if (d_place != to || a64 != (ptx_bits(from) == 64)) continue; /* a wider register */
        f->fn = p->fn;
    }
    return true;
}
