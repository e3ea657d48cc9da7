/* video.c: the video instructions: scalar ones on a byte or half picked from each source, and those
 * on all halves or bytes.
 *
 * Every form takes the same steps: pick and extend the sources, operate exactly, saturate, then
 * combine with c (.add .min .max), or merge into a part of c. The selector packs what a form wants
 * of each step into in->mod and in->mod2. The operation itself is a constant of each function, so
 * its steps are chosen when the simulator is compiled.
 *
 * Where today's cards differ from the manual, the scalar forms do what an H200 does. In whole
 * words, an unsigned sum saturates below but wraps above; shifts to the left keep 34 bits; .min and
 * .max take a sum as a signed word, and a negative result as larger than any unsigned c; vmad takes
 * all its words as signed. A byte or half saturates as if the result were unsigned. (An H200 also
 * merges the wrong byte into .h1 at times: there the manual is followed.)
 */
#include "ints.h"

enum video_op { V_ADD, V_SUB, V_ABSDIFF, V_MIN, V_MAX, V_AVRG, V_SHL, V_SHR, V_SET };

/* in->mod, common */
enum {
    V_SIGNED_D = 1,
    V_SIGNED_A = 2,
    V_SIGNED_B = 4,
    V_SAT = 8,
    V_WRAP = 16,        /* shift amounts */
    V_COMBINE = 7 * 32, /* mask: what is done with c */
    V_COMBINE_ADD = 1 * 32,
    V_COMBINE_MIN = 2 * 32,
    V_COMBINE_MAX = 3 * 32,
    V_COMBINE_MERGE = 4 * 32,
    V_COMPARE_SHIFT = 8,        /* three bits: enum video_compare */
    V_NEGATE_PRODUCT = 1 << 11, /* vmad */
    V_NEGATE_C = 1 << 12,
    V_PLUS_ONE = 1 << 13,
    V_SCALE_SHIFT = 16 /* vmad: bits to shift right, 0, 7 or 15 */
};
enum video_compare { VC_EQ, VC_NE, VC_LT, VC_LE, VC_GT, VC_GE };

static inline bool video_holds(uint32_t mod, int64_t a, int64_t b)
{
    switch (mod >> V_COMPARE_SHIFT & 7) {
    case VC_EQ: return a == b;
    case VC_NE: return a != b;
    case VC_LT: return a < b;
    case VC_LE: return a <= b;
    case VC_GT: return a > b;
    default: return a >= b;
    }
}
static inline int64_t clamp_to(int64_t v, int64_t least, int64_t most)
{
    return v < least ? least : v > most ? most : v;
}
static inline int64_t saturate(int64_t v, unsigned bits, bool sign)
{
    int64_t range = INT64_C(1) << (sign ? bits - 1 : bits);
    return clamp_to(v, sign ? 0 - range : 0, range - 1);
}

/* ---- scalar ---- in->mod2: for d, a and b from the lowest byte up, where the part begins (5 bits)
 * and in bits 5 and 6 its width: byte, half, word. */
enum { PART_BYTE = 0, PART_HALF = 1, PART_WORD = 2 };
static inline unsigned part_at(uint32_t part) { return part & 31; }
static inline unsigned part_bits(uint32_t part) { return 8u << (part >> 5 & 3); }
static inline int64_t picked_part(uint32_t v, uint32_t part, bool sign)
{
    unsigned bits = part_bits(part);
    uint64_t x = v >> part_at(part) & (((uint64_t)1 << bits) - 1);
    return sign && x >> (bits - 1) ? (int64_t)x - ((int64_t)1 << bits) : (int64_t)x;
}
static inline int64_t shifted(enum video_op op, uint32_t mod, int64_t a, uint64_t by)
{
    by = mod & V_WRAP ? by & 31 : by > 32 ? 32 : by;
    if (op == V_SHR) return a >= 0 ? a >> by : ~(~a >> by);
    return (int64_t)((uint64_t)a << by << 30) >> 30;
}
static inline uint32_t video_scalar(enum video_op op, uint32_t mod, uint32_t parts, uint32_t a_, uint32_t b_,
                                    uint32_t c_)
{
    int64_t a = picked_part(a_, parts >> 8, mod & V_SIGNED_A), b = picked_part(b_, parts >> 16, mod & V_SIGNED_B), t;
    switch (op) {
    case V_ADD: t = a + b; break;
    case V_SUB: t = a - b; break;
    case V_ABSDIFF: t = a > b ? a - b : b - a; break;
    case V_MIN: t = a < b ? a : b; break;
    case V_MAX: t = a > b ? a : b; break;
    case V_SET: t = video_holds(mod, a, b); break;
    default: t = shifted(op, mod, a, (uint64_t)b); break;
    }
    bool sign = mod & V_SIGNED_D;
    bool wraps = !sign && op != V_SHL && t > 0;
    unsigned bits = part_bits(parts);
    if (mod & V_SAT && bits == 32 && !wraps) t = saturate(t, 32, sign);
    if (mod & V_SAT && bits < 32)
        t = (uint32_t)t < saturate(INT64_MAX, bits, sign) ? t : saturate(INT64_MAX, bits, sign);
    int64_t c = sign ? (int64_t)(int32_t)c_ : (int64_t)c_;
    if (op == V_ADD || op == V_SUB || op == V_SHL) t = (int32_t)t;
    bool less = sign ? t < c : (uint64_t)t < (uint64_t)c;
    uint32_t mask;
    switch (mod & V_COMBINE) {
    case V_COMBINE_ADD: return (uint32_t)((uint64_t)t + (uint64_t)c);
    case V_COMBINE_MIN: return (uint32_t)(less ? t : c);
    case V_COMBINE_MAX: return (uint32_t)(less ? c : t);
    case V_COMBINE_MERGE:
        mask = (uint32_t)((((uint64_t)1 << part_bits(parts)) - 1) << part_at(parts));
        return (c_ & ~mask) | ((uint32_t)((uint64_t)t << part_at(parts)) & mask);
    default: return (uint32_t)(uint64_t)t;
    }
}
#define SCALAR_OP(name, op) \
    OP3(name, uint32_t, uint32_t, uint32_t, uint32_t, video_scalar(op, in->mod, in->mod2, A, B, C))
SCALAR_OP(vadd, V_ADD)
SCALAR_OP(vsub, V_SUB)
SCALAR_OP(vabsdiff, V_ABSDIFF)
SCALAR_OP(vmin, V_MIN)
SCALAR_OP(vmax, V_MAX)
SCALAR_OP(vshl, V_SHL)
SCALAR_OP(vshr, V_SHR)
SCALAR_OP(vset, V_SET)

/* Every product and sum of vmad fits in 64 bits: its sources are 32-bit words taken as signed. */
static inline uint32_t video_mad(uint32_t mod, uint32_t parts, uint32_t a_, uint32_t b_, uint32_t c_)
{
    int64_t a = (int32_t)picked_part(a_, parts >> 8, mod & V_SIGNED_A);
    int64_t b = (int32_t)picked_part(b_, parts >> 16, mod & V_SIGNED_B);
    int64_t product = mod & V_NEGATE_PRODUCT ? 0 - a * b : a * b, c = (int32_t)c_;
    int64_t t = product + (mod & V_NEGATE_C ? 0 - c : c) + (mod & V_PLUS_ONE ? 1 : 0);
    bool sign = mod & (V_SIGNED_A | V_SIGNED_B | V_NEGATE_PRODUCT | V_NEGATE_C);
    t >>= mod >> V_SCALE_SHIFT & 15;
    return (uint32_t)(mod & V_SAT ? saturate(t, 32, sign) : t);
}
OP3(vmad, uint32_t, uint32_t, uint32_t, uint32_t, video_mad(in->mod, in->mod2, A, B, C))

/* ---- two halves, four bytes ---- in->mod2: for each element of a (from bit 0) and of b (from bit
 * 12), three bits that pick a part of the pair b:a; from bit 24 a bit for each element that is
 * written. */
enum { SIMD_B = 12, SIMD_MASK = 24 };
/* One element of all lanes at a time: its source is then the same for every lane. Signs and
 * comparisons use masks, not conditions, so that the loop over the lanes vectorises. */
static inline const insn *video_simd(struct warp *w, const insn *in, enum video_op op, unsigned count)
{
    const uint32_t *pa = SRC(uint32_t, in->o[1]), *pb = SRC(uint32_t, in->o[2]), *pc = SRC(uint32_t, in->o[3]);
    unsigned bits = 32 / count;
    uint32_t mod = in->mod, picks = in->mod2, part = (1u << bits) - 1, top = 1u << (bits - 1), out[32];
    uint32_t sign_a = mod & V_SIGNED_A ? top : 0, sign_b = mod & V_SIGNED_B ? top : 0;
    bool add = (mod & V_COMBINE) == V_COMBINE_ADD, sat = mod & V_SAT, sign = mod & V_SIGNED_D;
    int32_t least = !sat ? INT32_MIN : sign ? -(int32_t)top : 0;
    int32_t most = !sat ? INT32_MAX : (int32_t)(sign ? top - 1 : part);
    int32_t holds_lt = video_holds(mod, 0, 1), holds_eq = video_holds(mod, 0, 0), holds_gt = video_holds(mod, 1, 0);
    LANES out[l] = C;
    for (unsigned i = 0; i < count; i++) {
        uint32_t pick_a = picks >> (3 * i) & 7, pick_b = picks >> (SIMD_B + 3 * i) & 7;
        const uint32_t *from_a = pick_a & count ? pb : pa, *from_b = pick_b & count ? pb : pa;
        unsigned down_a = bits * (pick_a & (count - 1)), down_b = bits * (pick_b & (count - 1)),
                 up = add ? 0 : bits * i;
        uint32_t kept = add ? UINT32_MAX : ~(part << up), written = picks >> (SIMD_MASK + i) & 1;
        uint32_t mask = add ? UINT32_MAX : part << up;
        if (!written) continue;
        LANES
        {
            int32_t x = (int32_t)(((from_a[l] >> down_a & part) ^ sign_a) - sign_a);
            int32_t y = (int32_t)(((from_b[l] >> down_b & part) ^ sign_b) - sign_b), both = x + y, t;
            switch (op) {
            case V_ADD: t = both; break;
            case V_SUB: t = x - y; break;
            case V_ABSDIFF: t = x > y ? x - y : y - x; break;
            case V_MIN: t = x < y ? x : y; break;
            case V_MAX: t = x > y ? x : y; break;
            case V_AVRG: t = (both + (both >= 0)) >> 1; break;
            default: t = (x < y) * holds_lt + (x == y) * holds_eq + (x > y) * holds_gt; break;
            }
            t = t < least ? least : t;
            t = t > most ? most : t;
            uint32_t r = (uint32_t)t << up & mask;
            out[l] = add ? out[l] + r : (out[l] & kept) | r;
        }
    }
    LANE_STORE(uint32_t, out[l]);
}
#define SIMD_OPS(name, op)                              \
    OP_FN(name##2) { return video_simd(w, in, op, 2); } \
    OP_FN(name##4) { return video_simd(w, in, op, 4); }
SIMD_OPS(vadd, V_ADD)
SIMD_OPS(vsub, V_SUB)
SIMD_OPS(vabsdiff, V_ABSDIFF)
SIMD_OPS(vmin, V_MIN)
SIMD_OPS(vmax, V_MAX)
SIMD_OPS(vavrg, V_AVRG)
SIMD_OPS(vset, V_SET)

/* ---- selecting ---- */
static const struct video_row {
    uint16_t op;   /* enum ptx_op */
    uint8_t count; /* elements: 1 for scalar */
    op_fn *fn;
} rows[] = {
    {OP_VADD, 1, vadd},   {OP_VSUB, 1, vsub},     {OP_VABSDIFF, 1, vabsdiff},   {OP_VMIN, 1, vmin},
    {OP_VMAX, 1, vmax},   {OP_VSHL, 1, vshl},     {OP_VSHR, 1, vshr},           {OP_VSET, 1, vset},
    {OP_VMAD, 1, vmad},   {OP_VADD2, 2, vadd2},   {OP_VSUB2, 2, vsub2},         {OP_VABSDIFF2, 2, vabsdiff2},
    {OP_VMIN2, 2, vmin2}, {OP_VMAX2, 2, vmax2},   {OP_VAVRG2, 2, vavrg2},       {OP_VSET2, 2, vset2},
    {OP_VADD4, 4, vadd4}, {OP_VSUB4, 4, vsub4},   {OP_VABSDIFF4, 4, vabsdiff4}, {OP_VMIN4, 4, vmin4},
    {OP_VMAX4, 4, vmax4}, {OP_VAVRG4, 4, vavrg4}, {OP_VSET4, 4, vset4},
};

/* Types (dtype, atype, btype; vset has no dtype, and its result is unsigned), the comparison, .sat.
 */
static bool take_types(form *f, bool set)
{
    static const uint16_t compares[] = {S_EQ, S_NE, S_LT, S_LE, S_GT, S_GE, S_NONE};
    for (int i = set ? 1 : 0; i < 3; i++) {
        enum ptx_type t = form_type(f);
        if (t != T_U32 && t != T_S32) return form_refuse(f, "needs .u32 or .s32 as each type");
        if (t == T_S32) f->mod |= 1u << i;
    }
    if (set) {
        enum ptx_suffix s = form_take_any(f, compares);
        if (!s) return form_refuse(f, "needs a comparison");
        for (uint32_t i = 0; compares[i]; i++)
            if (compares[i] == s) f->mod |= i << V_COMPARE_SHIFT;
    } else if (form_take(f, S_SAT)) {
        f->mod |= V_SAT;
    }
    return true;
}

/* The part of a register that a scalar operand names. */
static bool scalar_part(form *f, const ptx_operand *op, uint32_t *part)
{
    uint32_t n = op->picked[0];
    *part = (uint32_t)PART_WORD << 5;
    if (!op->pick) return true;
    bool half = op->pick == 'h';
    if (op->pick_count != 1 || n > (half ? 1u : 3u))
        return form_refuse(f, "needs .b0 to .b3, .h0 or .h1 as the part of an operand");
    *part = (uint32_t)(half ? PART_HALF : PART_BYTE) << 5 | n * (half ? 16u : 8u);
    return true;
}

static bool select_scalar(form *f)
{
    static const uint16_t seconds[] = {S_ADD, S_MIN, S_MAX, S_NONE};
    const ptx_operand *op = f->in->operand;
    enum ptx_op o = f->in->op;
    bool shift = o == OP_VSHL || o == OP_VSHR, mad = o == OP_VMAD;
    uint32_t part[3];
    if (!take_types(f, o == OP_VSET)) return false;
    if (!form_operands(f, mad ? 4 : 3, 4)) return false;
    for (int i = 0; i < 3; i++)
        if (!scalar_part(f, &op[i], &part[i])) return false;
    f->mod2 = part[0] | part[1] << 8 | part[2] << 16;
    bool has_c = f->in->operand_count == 4;
    if (has_c && op[3].pick) return form_refuse(f, "needs all of c");
    if (shift) {
        if (f->mod & V_SIGNED_B) return form_refuse(f, "needs .u32 as the type of the shift");
        if (form_take(f, S_WRAP)) f->mod |= V_WRAP;
        else if (!form_take(f, S_CLAMP)) return form_refuse(f, "needs .wrap or .clamp");
    }
    if (mad) {
        if (op[0].pick) return form_refuse(f, "needs all of d");
        if (op[1].negated != op[2].negated) f->mod |= V_NEGATE_PRODUCT;
        if (op[3].negated) f->mod |= V_NEGATE_C;
        if (form_take(f, S_PO)) f->mod |= V_PLUS_ONE;
        bool any = op[1].negated || op[2].negated || op[3].negated;
        if ((f->mod & V_PLUS_ONE && any) || (f->mod & V_NEGATE_PRODUCT && f->mod & V_NEGATE_C))
            return form_refuse(f, "cannot negate these operands together");
        f->mod |= (form_take(f, S_SHR7) ? 7u : form_take(f, S_SHR15) ? 15u : 0u) << V_SCALE_SHIFT;
    } else {
        enum ptx_suffix s = form_take_any(f, seconds);
        if (has_c != (s || op[0].pick) || (s && op[0].pick))
            return form_refuse(f, "needs c with .add, .min, .max or a part of d, and only then");
        f->mod |= s == S_ADD ? V_COMBINE_ADD : s == S_MIN ? V_COMBINE_MIN : s == S_MAX ? V_COMBINE_MAX : 0u;
        if (op[0].pick) f->mod |= V_COMBINE_MERGE;
    }
    form_def(f, &op[0], T_B32);
    form_use(f, &op[1], T_B32);
    form_use(f, &op[2], T_B32);
    form_use(f, &op[has_c ? 3 : 1], T_B32); /* without c the function still reads one */
    return true;
}

/* The digits of .h10 or .b3210, the last one for element 0. */
static bool simd_picks(form *f, const ptx_operand *op, int count, uint32_t first, uint32_t *picks)
{
    *picks = 0;
    if (op->pick && (op->pick != (count == 2 ? 'h' : 'b') || op->pick_count != count))
        return form_refuse(f, "needs two of .h0 to .h3 or four of .b0 to .b7 as the parts of an operand");
    for (int i = 0; i < count; i++) {
        uint32_t n = op->pick ? op->picked[count - 1 - i] : first + (uint32_t)i;
        if (n >= 2 * (uint32_t)count)
            return form_refuse(f, "needs two of .h0 to .h3 or four of .b0 to .b7 as the parts of an operand");
        *picks |= n << (3 * i);
    }
    return true;
}
static bool simd_mask(form *f, const ptx_operand *op, int count, uint32_t *mask)
{
    *mask = (1u << count) - 1;
    if (!op->pick) return true;
    *mask = 0;
    bool good = op->pick == (count == 2 ? 'h' : 'b');
    for (int i = 0; good && i < op->pick_count; i++) {
        good = op->picked[i] < count && (i == 0 || op->picked[i] < op->picked[i - 1]);
        *mask |= 1u << (op->picked[i] & 7);
    }
    return good || form_refuse(f, "has a list of elements of d that does not exist");
}

static bool select_simd(form *f, int count, bool set)
{
    const ptx_operand *op = f->in->operand;
    uint32_t a, b, mask;
    if (!take_types(f, set)) return false;
    if (!form_operands(f, 4, 4)) return false;
    if (form_take(f, S_ADD)) {
        if (f->mod & V_SAT) return form_refuse(f, "cannot combine .sat with .add");
        f->mod |= V_COMBINE_ADD;
    }
    if (!simd_mask(f, &op[0], count, &mask) || !simd_picks(f, &op[1], count, 0, &a) ||
        !simd_picks(f, &op[2], count, (uint32_t)count, &b))
        return false;
    if (op[3].pick) return form_refuse(f, "needs all of c");
    f->mod2 = a | b << SIMD_B | mask << SIMD_MASK;
    form_shape(f, T_B32, T_B32, T_B32, T_B32);
    return true;
}

static bool select_video(form *f)
{
    enum ptx_op o = f->in->op;
    f->cls = SIM_CLASS_INT;
    for (int i = 0; i < f->in->operand_count; i++)
        if (f->in->operand[i].negated && (o != OP_VMAD || i == 0)) return form_refuse(f, "cannot negate that operand");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].op != o) continue;
        f->fn = rows[i].fn;
        bool set = o == OP_VSET || o == OP_VSET2 || o == OP_VSET4;
        return rows[i].count == 1 ? select_scalar(f) : select_simd(f, rows[i].count, set);
    }
    return false;
}

bool SIM_NAME(select_video)(form *f) { return select_video(f) && operands_fit(f); }
