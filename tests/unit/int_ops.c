/* int_ops.c: every integer, logic and move instruction against references in plain C. They follow
 * the PTX manual's pseudo-code bit by bit and share nothing with the simulator's implementation. */
#include "ops.h"

typedef struct int_type {
    const char *name;
    int bits;
    bool sign;
    char w;
} int_type;
static const int_type types[6] = {{"u16", 16, false, 'h'}, {"u32", 32, false, 'w'}, {"u64", 64, false, 'd'},
                                  {"s16", 16, true, 'h'},  {"s32", 32, true, 'w'},  {"s64", 64, true, 'd'}};

static uint64_t wide_bits(wide v, int from)
{
    return from == 0 ? v.lo : from == 64 ? v.hi : v.lo >> from | v.hi << (64 - from);
}
static wide product(const op_test *t, const op_in *x)
{
    return wide_mul(wide_of(x->a, t->bits, t->sign), wide_of(x->b, t->bits, t->sign));
}
static uint64_t clamp_s32(wide v)
{
    bool neg = v.hi >> 63;
    if (!neg && (v.hi || v.lo > 0x7fffffff)) return 0x7fffffff;
    if (neg && (v.hi != UINT64_MAX || (int64_t)v.lo < -(int64_t)0x80000000LL || !(v.lo >> 63))) return 0x80000000;
    return v.lo;
}

#define REF(name) static uint64_t name(const op_test *t, const op_in *x, uint64_t *second)
#define UNUSED    (void)t, (void)x, (void)second
REF(ref_add)
{
    UNUSED;
    return wide_add(wide_of(x->a, 64, false), wide_of(x->b, 64, false)).lo;
}
REF(ref_sub)
{
    UNUSED;
    return x->a + ~x->b + 1;
}
REF(ref_add_sat)
{
    UNUSED;
    return clamp_s32(wide_add(wide_of(x->a, 32, true), wide_of(x->b, 32, true)));
}
REF(ref_sub_sat)
{
    UNUSED;
    int64_t v = as_signed(x->a, 32) - as_signed(x->b, 32);
    return clamp_s32(wide_of((uint64_t)v, 64, true));
}
REF(ref_mul_lo)
{
    UNUSED;
    return product(t, x).lo;
}
REF(ref_mul_hi)
{
    UNUSED;
    return wide_bits(product(t, x), t->bits);
}
REF(ref_mad_lo)
{
    UNUSED;
    return product(t, x).lo + x->c;
}
REF(ref_mad_hi)
{
    UNUSED;
    return wide_bits(product(t, x), t->bits) + x->c;
}
REF(ref_mad_hi_sat)
{
    UNUSED;
    return clamp_s32(wide_of((uint64_t)(as_signed(wide_bits(product(t, x), 32), 32) + as_signed(x->c, 32)), 64, true));
}
/* Division by zero gives all ones, as the hardware does. */
static void divide(const op_test *t, const op_in *x, uint64_t *q, uint64_t *r)
{
    uint64_t a = cut(x->a, t->bits), b = cut(x->b, t->bits), rest = 0;
    bool na = t->sign && as_signed(a, t->bits) < 0, nb = t->sign && as_signed(b, t->bits) < 0;
    if (na) a = cut(0 - a, t->bits);
    if (nb) b = cut(0 - b, t->bits);
    *q = 0;
    for (int i = t->bits - 1; i >= 0; i--) { /* long division */
        bool over = rest >> 63;
        rest = rest << 1 | (a >> i & 1);
        if (over || rest >= b) rest -= b, *q |= UINT64_C(1) << i;
    }
    *r = na ? 0 - rest : rest;
    if (na != nb) *q = 0 - *q;
    if (!b) *q = *r = UINT64_MAX;
}
REF(ref_div)
{
    UNUSED;
    uint64_t q, r;
    divide(t, x, &q, &r);
    return q;
}
REF(ref_rem)
{
    UNUSED;
    uint64_t q, r;
    divide(t, x, &q, &r);
    return r;
}
REF(ref_abs)
{
    UNUSED;
    return as_signed(x->a, t->bits) < 0 ? 0 - x->a : x->a;
}
REF(ref_neg)
{
    UNUSED;
    return ~x->a + 1;
}
static bool below(uint64_t a, uint64_t b, int bits, bool sign)
{
    uint64_t top = UINT64_C(1) << (bits - 1);
    a = cut(a, bits), b = cut(b, bits);
    return sign ? (a ^ top) < (b ^ top) : a < b;
}
static uint64_t larger(uint64_t a, uint64_t b, int bits, bool sign) { return below(a, b, bits, sign) ? b : a; }
static uint64_t smaller(uint64_t a, uint64_t b, int bits, bool sign) { return below(a, b, bits, sign) ? a : b; }
/* aux: relu */
REF(ref_min)
{
    UNUSED;
    uint64_t v = smaller(x->a, x->b, t->bits, t->sign);
    return t->aux ? larger(v, 0, t->bits, true) : v;
}
REF(ref_max)
{
    UNUSED;
    uint64_t v = larger(x->a, x->b, t->bits, t->sign);
    return t->aux ? larger(v, 0, t->bits, true) : v;
}
/* aux2: 0 add, 1 min, 2 max on halves */
REF(ref_pairs)
{
    UNUSED;
    uint64_t out = 0;
    for (int i = 0; i < 2; i++) {
        uint64_t a = x->a >> 16 * i & 0xffff, b = x->b >> 16 * i & 0xffff;
        uint64_t v = t->aux2 == 0 ? a + b : t->aux2 == 1 ? smaller(a, b, 16, t->sign) : larger(a, b, 16, t->sign);
        if (t->aux) v = larger(v, 0, 16, true);
        out |= (v & 0xffff) << 16 * i;
    }
    return out;
}
REF(ref_sad)
{
    UNUSED;
    return below(x->a, x->b, t->bits, t->sign) ? x->c + (x->b - x->a) : x->c + (x->a - x->b);
}
static uint64_t product24(const op_test *t, const op_in *x)
{
    return wide_mul(wide_of(x->a, 24, t->sign), wide_of(x->b, 24, t->sign)).lo;
}
/* aux: hi; aux2: sat */
REF(ref_24)
{
    UNUSED;
    uint64_t p = t->aux ? product24(t, x) >> 16 : product24(t, x);
    if (t->aux2) return clamp_s32(wide_of((uint64_t)(as_signed(p, 32) + as_signed(x->c, 32)), 64, true));
    return p + x->c;
}
REF(ref_popc)
{
    UNUSED;
    uint64_t n = 0;
    for (int i = 0; i < t->bits; i++) n += x->a >> i & 1;
    return n;
}
REF(ref_clz)
{
    UNUSED;
    uint64_t n = 0;
    for (int i = t->bits - 1; i >= 0 && !(x->a >> i & 1); i--) n++;
    return n;
}
/* aux: shiftamt */
REF(ref_bfind)
{
    UNUSED;
    int msb = t->bits - 1;
    uint64_t a = x->a, d = 0xffffffff;
    if (t->sign && as_signed(a, t->bits) < 0) a = ~a;
    for (int i = msb; i >= 0; i--)
        if (a >> i & 1) {
            d = (uint64_t)i;
            break;
        }
    return t->aux && d != 0xffffffff ? (uint64_t)msb - d : d;
}
REF(ref_brev)
{
    UNUSED;
    uint64_t d = 0;
    for (int i = 0; i < t->bits; i++) d |= (x->a >> i & 1) << (t->bits - 1 - i);
    return d;
}
REF(ref_fns)
{
    UNUSED;
    uint32_t mask = (uint32_t)x->a, d = 0xffffffff;
    int64_t base = (int64_t)x->b, n = as_signed(x->c, 32);
    if (n == INT32_MIN) return 0; /* measured on an H200 */
    if (base > 31) return d;
    if (n == 0) return mask >> base & 1 ? (uint64_t)base : d;
    int64_t pos = base, count = (n < 0 ? -n : n) - 1, inc = n > 0 ? 1 : -1;
    while (pos >= 0 && pos < 32) {
        if (mask >> pos & 1) {
            if (count == 0) return (uint64_t)pos;
            count--;
        }
        pos += inc;
    }
    return d;
}
REF(ref_bfe)
{
    UNUSED;
    int64_t used = t->bits == 64 ? 0xffffffff : 0xff; /* an H200 uses all 32 bits for 64-bit fields */
    int64_t msb = t->bits - 1, pos = x->b & used, len = x->c & used, top = pos + len - 1 < msb ? pos + len - 1 : msb;
    uint64_t sbit = !t->sign || len == 0 ? 0 : x->a >> top & 1, d = 0;
    for (int64_t i = 0; i <= msb; i++) d |= (i < len && pos + i <= msb ? x->a >> (pos + i) & 1 : sbit) << i;
    return d;
}
REF(ref_bfi)
{
    UNUSED;
    int64_t used = t->bits == 64 ? 0xffffffff : 0xff, msb = t->bits - 1, pos = x->c & used, len = x->e & used;
    uint64_t f = x->b;
    for (int64_t i = 0; i < len && pos + i <= msb; i++) {
        f &= ~(UINT64_C(1) << (pos + i));
        f |= (x->a >> i & 1) << (pos + i);
    }
    return f;
}
/* aux: clamp */
REF(ref_szext)
{
    UNUSED;
    uint32_t n = (uint32_t)x->b;
    if (n >= 32 && t->aux) return x->a;
    n &= 31;
    uint64_t d = 0;
    for (uint32_t i = 0; i < 32 && n; i++) d |= (i < n ? x->a >> i & 1 : t->sign ? x->a >> (n - 1) & 1 : 0) << i;
    return d;
}
REF(ref_bmsk)
{
    UNUSED;
    uint64_t pos = x->a, n = x->b, d = 0;
    if (!t->aux) pos &= 31, n &= 31;
    for (uint64_t i = 0; i < 32; i++)
        if (i >= pos && i - pos < n) d |= UINT64_C(1) << i;
    return d;
}
/* aux: first byte of b; aux2: 4 products of bytes or 2 of halves with bytes; sign: a is signed;
 * bits: b is signed */
REF(ref_dot)
{
    UNUSED;
    uint64_t d = x->c;
    int wa = t->aux2 == 4 ? 8 : 16;
    for (int i = 0; i < t->aux2; i++) {
        uint64_t a = x->a >> wa * i, b = x->b >> 8 * (i + t->aux);
        d += (uint64_t)((t->sign ? as_signed(a, wa) : (int64_t)cut(a, wa)) *
                        (t->bits ? as_signed(b, 8) : (int64_t)cut(b, 8)));
    }
    return d;
}
/* aux: and or xor not cnot; lop3's table for the others */
REF(ref_logic)
{
    UNUSED;
    switch (t->aux) {
    case 0: return x->a & x->b;
    case 1: return x->a | x->b;
    case 2: return (x->a | x->b) & ~(x->a & x->b);
    case 3: return ~x->a;
    default: return !cut(x->a, t->bits);
    }
}
REF(ref_lop3)
{
    UNUSED;
    uint64_t d = 0;
    for (int i = 0; i < 32; i++)
        d |= (uint64_t)(t->aux >> ((x->a >> i & 1) * 4 + (x->b >> i & 1) * 2 + (x->c >> i & 1)) & 1) << i;
    *second = t->aux2 == 1 ? d != 0 || (x->e & 1) : d != 0 && (x->e & 1);
    return d;
}
REF(ref_shl)
{
    UNUSED;
    uint64_t n = cut(x->b, 32);
    return n >= (unsigned)t->bits ? 0 : x->a << n;
}
REF(ref_shr)
{
    UNUSED;
    uint64_t n = cut(x->b, 32), d = 0, fill = t->sign ? x->a >> (t->bits - 1) & 1 : 0;
    for (uint64_t i = 0; i < (unsigned)t->bits; i++) d |= (i + n < (unsigned)t->bits ? x->a >> (i + n) & 1 : fill) << i;
    return d;
}
/* aux: clamp; aux2: right */
REF(ref_shf)
{
    UNUSED;
    uint64_t n = t->aux ? (x->c > 32 ? 32 : x->c) : x->c & 31, d = 0;
    uint64_t both = x->b << 32 | x->a;
    for (uint64_t i = 0; i < 32; i++) d |= (both >> (t->aux2 ? i + n : i + 32 - n) & 1) << i;
    return d;
}
/* aux: mode */
REF(ref_prmt)
{
    UNUSED;
    static const int f4e[4][4] = {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}};
    static const int b4e[4][4] = {{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}};
    uint64_t d = 0;
    int n = (int)(x->c & 3);
    for (int i = 0; i < 4; i++) {
        int sel = (int)(x->c >> 4 * i & 15);
        switch (t->aux) {
        case 1: sel = f4e[n][i]; break;
        case 2: sel = b4e[n][i]; break;
        case 3: sel = n; break;
        case 4: sel = i > n ? i : n; break; /* .ecl */
        case 5: sel = i < n ? i : n; break; /* .ecr */
        case 6: sel = (n & 1) * 2 + (i & 1); break;
        default: break;
        }
        uint64_t byte = (sel & 4 ? x->b : x->a) >> 8 * (sel & 3) & 255;
        if (sel & 8) byte = byte & 128 ? 255 : 0;
        d |= byte << 8 * i;
    }
    return d;
}
REF(ref_selp)
{
    UNUSED;
    return x->c & 1 ? x->a : x->b;
}
REF(ref_slct) /* aux: 0 s32, 1 f32, 2 f32.ftz */
{
    UNUSED;
    uint32_t c = (uint32_t)x->c;
    if (t->aux == 0) return as_signed(c, 32) >= 0 ? x->a : x->b;
    float v;
    if (t->aux == 2 && !(c & 0x7f800000)) c = 0;
    memcpy(&v, &c, 4);
    return v >= 0 ? x->a : x->b;
}
REF(ref_a)
{
    UNUSED;
    return x->a;
}
REF(ref_pack) /* aux: bits of a piece */
{
    UNUSED;
    uint64_t v[4] = {x->a, x->b, x->c, x->e}, d = 0;
    for (int i = 0; i < 4 && i * t->aux < 64; i++) d |= cut(v[i], t->aux) << (i * t->aux);
    return d;
}
REF(ref_piece) /* aux: bits; aux2: which */
{
    UNUSED;
    return cut(x->a >> t->aux * t->aux2, t->aux);
}
REF(ref_plus)
{
    UNUSED;
    return x->a + ((uint64_t)(int64_t)t->aux << 32);
}
/* aux: 1 global, 2 shared, 3 local, 4 param, 5 const. The own block's shared memory is the first 16 MiB of its window;
 * what follows is that of the other blocks of the cluster. */
REF(ref_space)
{
    UNUSED;
    uint64_t high = (x->a & UINT64_C(0x7ffffffff)) >> 32;
    bool window = high >= 1 && high <= 3;
    switch (t->aux) {
    case 1: return !window;
    case 2: return high == 3 && (uint32_t)x->a < 1u << 24;
    case 3: return high == 2;
    case 4: return high == 1;
    default: return false;
    }
}
/* Two words joined by the carry flag. aux: 0 add 1 sub 2 mad */
REF(ref_carry)
{
    UNUSED;
    if (t->bits == 32) {
        uint64_t a = x->a | x->b << 32, b = x->c | x->e << 32, r = t->aux ? a - b : a + b;
        *second = r >> 32;
        return r;
    }
    wide a = {x->a, x->b}, b = {x->c, x->e};
    if (t->aux) { /* a + ~b + 1 */
        wide one = {1, 0}, not_b = {~b.lo, ~b.hi};
        b = wide_add(not_b, one);
    }
    wide r = wide_add(a, b);
    *second = r.hi;
    return r.lo;
}
REF(ref_mad_carry) /* e:c + a * b, in two words */
{
    UNUSED;
    if (t->bits == 32) {
        uint64_t r = wide_mul(wide_of(x->a, 32, t->sign), wide_of(x->b, 32, t->sign)).lo + (x->c | x->e << 32);
        *second = r >> 32;
        return r;
    }
    wide c = {x->c, x->e}, r = wide_add(product(t, x), c);
    *second = r.hi;
    return r.lo;
}
REF(ref_carry_flag)
{
    UNUSED;
    return cut(x->a, t->bits) > cut(~x->b, t->bits);
}
REF(ref_borrow_flag)
{
    UNUSED;
    return cut(x->a, t->bits) < cut(x->b, t->bits);
}
REF(ref_two_flags)
{
    const uint64_t a = cut(x->a, t->bits), b = cut(x->b, t->bits), c = cut(x->c, t->bits), e = cut(x->e, t->bits);
    *second = c > cut(~(b * e), t->bits);
    return a > cut(~c, t->bits);
}

static char kinds3[] = "iii";
#define ADD(w, k, r, ...)                                                                      \
    do {                                                                                       \
        op_test *n_ = add_test(w, k, r, __VA_ARGS__);                                          \
        n_->bits = bits, n_->sign = sign, n_->aux = aux, n_->aux2 = aux2, n_->second = second; \
        (void)n_;                                                                              \
    } while (0)

static void add_arithmetic(void)
{
    for (int i = 0; i < 6; i++) {
        const int_type *y = &types[i];
        const char *n = y->name, w[] = {y->w, y->w, y->w, y->w, 0}, w2[] = {y->w, y->w, y->w, 0},
                   w1[] = {y->w, y->w, 0};
        char twice = y->w == 'h' ? 'w' : 'd', ww[] = {twice, y->w, y->w, twice, 0}, ww2[] = {twice, y->w, y->w, 0};
        int bits = y->bits, aux = 0, aux2 = 0;
        bool sign = y->sign;
        char second = 0;
        ADD(w2, "ii", ref_add, "add.%s $d,$a,$b;", n);
        ADD(w2, "ii", ref_sub, "sub.%s $d,$a,$b;", n);
        ADD(w2, "ii", ref_mul_lo, "mul.lo.%s $d,$a,$b;", n);
        ADD(w2, "ii", ref_mul_hi, "mul.hi.%s $d,$a,$b;", n);
        ADD(w, kinds3, ref_mad_lo, "mad.lo.%s $d,$a,$b,$c;", n);
        ADD(w, kinds3, ref_mad_hi, "mad.hi.%s $d,$a,$b,$c;", n);
        if (bits < 64) {
            ADD(ww2, "ii", ref_mul_lo, "mul.wide.%s $d,$a,$b;", n);
            ADD(ww, kinds3, ref_mad_lo, "mad.wide.%s $d,$a,$b,$c;", n);
        }
        ADD(w2, "ii", ref_div, "div.%s $d,$a,$b;", n);
        ADD(w2, "ii", ref_rem, "rem.%s $d,$a,$b;", n);
        ADD(w2, "ii", ref_min, "min.%s $d,$a,$b;", n);
        ADD(w2, "ii", ref_max, "max.%s $d,$a,$b;", n);
        ADD(w, kinds3, ref_sad, "sad.%s $d,$a,$b,$c;", n);
        if (sign) ADD(w1, "i", ref_abs, "abs.%s $d,$a;", n);
        if (sign) ADD(w1, "i", ref_neg, "neg.%s $d,$a;", n);
        ADD(w1, "i", ref_a, "mov.%s $d,$a;", n);
        char wsel[] = {y->w, y->w, y->w, 'p', 0}, wslct[] = {y->w, y->w, y->w, 'w', 0};
        ADD(wsel, "iix", ref_selp, "selp.%s $d,$a,$b,$c;", n);
        ADD(wslct, "iii", ref_slct, "slct.%s.s32 $d,$a,$b,$c;", n);
        aux = 1;
        ADD(wslct, "iif", ref_slct, "slct.%s.f32 $d,$a,$b,$c;", n);
        aux = 2;
        ADD(wslct, "iif", ref_slct, "slct.ftz.%s.f32 $d,$a,$b,$c;", n);
    }
    int bits = 32, aux = 0, aux2 = 0;
    bool sign = true;
    char second = 0;
    ADD("www", "ii", ref_add_sat, "add.sat.s32 $d,$a,$b;");
    ADD("www", "ii", ref_sub_sat, "sub.sat.s32 $d,$a,$b;");
    ADD("wwww", "iii", ref_mad_hi_sat, "mad.hi.sat.s32 $d,$a,$b,$c;");
    for (int k = 0; k < 3; k++) {
        static const char *const names[] = {"add", "min", "max"};
        aux2 = k, aux = 0;
        sign = false;
        ADD("www", "ii", ref_pairs, "%s.u16x2 $d,$a,$b;", names[k]);
        sign = true;
        ADD("www", "ii", ref_pairs, "%s.s16x2 $d,$a,$b;", names[k]);
        if (!k) continue;
        aux = 1;
        ADD("www", "ii", ref_pairs, "%s.relu.s16x2 $d,$a,$b;", names[k]);
        ADD("www", "ii", k == 1 ? ref_min : ref_max, "%s.relu.s32 $d,$a,$b;", names[k]);
    }
    for (int k = 0; k < 4; k++) {
        aux = k & 1, sign = k >> 1, aux2 = 0;
        ADD("www", "ii", ref_24, "mul24.%s.%s $d,$a,$b;", aux ? "hi" : "lo", sign ? "s32" : "u32");
        ADD("wwww", "iii", ref_24, "mad24.%s.%s $d,$a,$b,$c;", aux ? "hi" : "lo", sign ? "s32" : "u32");
    }
    aux2 = aux = 1, sign = true;
    ADD("wwww", "iii", ref_24, "mad24.hi.sat.s32 $d,$a,$b,$c;");
}

static void add_carries(void)
{
    for (int k = 0; k < 4; k++) {
        int bits = k & 1 ? 64 : 32, aux = 0, aux2 = 0;
        bool sign = k >> 1;
        char w = bits == 64 ? 'd' : 'w', second = w, w4[] = {w, w, w, w, w, 0};
        const char *n = types[(sign ? 4 : 1) + (bits == 64)].name;
        char pair[] = {'p', w, w, 0};
        ADD(w4, "iiii", ref_carry, "{ $g add.cc.%s $d,$a,$c; $g addc.%s $q,$b,$e; }", n, n);
        aux = 1;
        ADD(w4, "iiii", ref_carry, "{ $g sub.cc.%s $d,$a,$c; $g subc.%s $q,$b,$e; }", n, n);
        ADD(w4, "iiii", ref_mad_carry, "{ $g mad.lo.cc.%s $d,$a,$b,$c; $g madc.hi.%s $q,$a,$b,$e; }", n, n);
        /* The flag itself, taken by an instruction that also sets it; then read by adding zeros. */
        second = 0;
        ADD(pair, "ii", ref_carry_flag,
            "{ .reg .%s %%t; add.cc.%s %%t,$a,$b; addc.cc.%s %%t,0,0; $g setp.ne.%s $d,%%t,0; }", n, n, n, n);
        ADD(pair, "ii", ref_borrow_flag,
            "{ .reg .%s %%t; sub.cc.%s %%t,$a,$b; subc.cc.%s %%t,0,0; $g setp.ne.%s $d,%%t,0; }", n, n, n, n);
        /* Two carry flags, of sums that nobody reads. No instruction that sets the flag may move
         * between another one and its reader. */
        second = w;
        ADD(w4, "iiii", ref_two_flags,
            "{ .reg .%s %%t; add.cc.%s %%t,$a,$c; $g addc.%s $d,0,0; mul.lo.%s %%t,$b,$e; add.cc.%s %%t,%%t,$c; "
            "$g addc.%s $q,0,0; }",
            n, n, n, n, n, n);
    }
}

static void add_bits(void)
{
    char second = 0;
    for (int k = 0; k < 4; k++) { /* u32 u64 s32 s64 */
        int bits = k & 1 ? 64 : 32, aux = 0, aux2 = 0;
        bool sign = k >> 1;
        const char *n = types[(sign ? 4 : 1) + (bits == 64)].name;
        char w = bits == 64 ? 'd' : 'w', to_w[] = {'w', w, 0}, w1[] = {w, w, 0}, bfe[] = {w, w, 'w', 'w', 0},
             bfi[] = {w, w, w, 'w', 'w', 0};
        ADD(to_w, "i", ref_bfind, "bfind.%s $d,$a;", n);
        aux = 1;
        ADD(to_w, "i", ref_bfind, "bfind.shiftamt.%s $d,$a;", n);
        ADD(bfe, "iss", ref_bfe, "bfe.%s $d,$a,$b,$c;", n);
        if (sign) continue;
        ADD(to_w, "i", ref_popc, "popc.b%d $d,$a;", bits);
        ADD(to_w, "i", ref_clz, "clz.b%d $d,$a;", bits);
        ADD(w1, "i", ref_brev, "brev.b%d $d,$a;", bits);
        ADD(bfi, "iiss", ref_bfi, "bfi.b%d $d,$a,$b,$c,$e;", bits);
    }
    int bits = 32, aux = 0, aux2 = 0;
    bool sign = false;
    ADD("wwww", "iss", ref_fns, "fns.b32 $d,$a,$b,$c;");
    ADD("wwww", "xsi", ref_fns, "fns.b32 $d,$a,$b,$c;");
    for (int k = 0; k < 4; k++) {
        aux = k & 1, sign = k >> 1;
        ADD("www", "is", ref_szext, "szext.%s.%s $d,$a,$b;", aux ? "clamp" : "wrap", sign ? "s32" : "u32");
        if (!sign) ADD("www", "ss", ref_bmsk, "bmsk.%s.b32 $d,$a,$b;", aux ? "clamp" : "wrap");
        aux2 = k >> 1;
        sign = false;
        ADD("wwww", "iis", ref_shf, "shf.%s.%s.b32 $d,$a,$b,$c;", aux2 ? "r" : "l", aux ? "clamp" : "wrap");
    }
    for (int k = 0; k < 12; k++) {
        sign = k & 1;
        bits = k >> 1 & 1;
        aux2 = k < 4 ? 4 : 2;
        aux = k < 8 ? 0 : 2;
        ADD("wwww", "xxx", ref_dot, "dp%da%s.%s.%s $d,$a,$b,$c;", aux2,
            k < 4   ? ""
            : k < 8 ? ".lo"
                    : ".hi",
            sign ? "s32" : "u32", bits ? "s32" : "u32");
    }
}

static void add_logic(void)
{
    static const char *const names[] = {"and", "or", "xor", "not", "cnot"};
    char second = 0;
    for (int aux = 0; aux < 5; aux++)
        for (int k = 0; k < 4; k++) {
            int bits = k == 3 ? 1 : 16 << k, aux2 = 0;
            bool sign = false;
            char w = "hwdp"[k], w2[] = {w, w, w, 0}, w1[] = {w, w, 0}, suffix[8];
            snprintf(suffix, sizeof suffix, k == 3 ? "pred" : "b%d", bits);
            if (aux == 4 && k == 3) continue;
            if (aux < 3) ADD(w2, "ii", ref_logic, "%s.%s $d,$a,$b;", names[aux], suffix);
            else ADD(w1, "i", ref_logic, "%s.%s $d,$a;", names[aux], suffix);
        }
    for (int aux = 0; aux < 256; aux += aux % 16 == 10 ? 3 : 5) {
        int bits = 32, aux2 = 0;
        bool sign = false;
        ADD("wwww", "xxx", ref_lop3, "lop3.b32 $d,$a,$b,$c,0x%x;", aux);
        if (aux % 3) continue;
        second = 'p';
        aux2 = 1;
        ADD("wwwwp", "iiii", ref_lop3, "lop3.or.b32 $d|$q,$a,$b,$c,%d,$e;", aux);
        aux2 = 2;
        ADD("wwwwp", "iiii", ref_lop3, "lop3.and.b32 $d|$q,$a,$b,$c,%d,$e;", aux);
        second = 0;
    }
    for (int i = 0; i < 6; i++) {
        const int_type *y = &types[i];
        int bits = y->bits, aux = 0, aux2 = 0;
        bool sign = y->sign;
        char w[] = {y->w, y->w, 'w', 0};
        if (!sign) ADD(w, "is", ref_shl, "shl.b%d $d,$a,$b;", bits);
        if (!sign) ADD(w, "is", ref_shr, "shr.b%d $d,$a,$b;", bits);
        ADD(w, "is", ref_shr, "shr.%s $d,$a,$b;", y->name);
    }
}

static void add_moves(void)
{
    static const char *const modes[] = {"", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"};
    int bits = 32, aux = 0, aux2 = 0;
    bool sign = false;
    char second = 0;
    for (aux = 0; aux < 7; aux++) ADD("wwww", "xxx", ref_prmt, "prmt.b32%s $d,$a,$b,$c;", modes[aux]);
    aux = 0;
    ADD("hh", "x", ref_a, "mov.b16 $d,$a;");
    ADD("ww", "x", ref_a, "mov.b32 $d,$a;");
    ADD("dd", "x", ref_a, "mov.b64 $d,$a;");
    ADD("pp", "i", ref_a, "mov.pred $d,$a;");
    ADD("ww", "f", ref_a, "{ .reg .f32 %%t; mov.f32 %%t,$a; mov.f32 $d,%%t; }");
    ADD("dd", "g", ref_a, "{ .reg .f64 %%t; mov.f64 %%t,$a; mov.f64 $d,%%t; }");
    ADD("hh", "k", ref_a, "{ .reg .f16 %%t; mov.b16 %%t,$a; mov.b16 $d,%%t; }");
    ADD("dd", "x", ref_a, "{ .reg .b128 %%t,%%u; mov.b128 %%t,{$a,$a}; mov.b128 %%u,%%t; mov.b128 {_,$d},%%u; }");
    aux = 32;
    ADD("dww", "xx", ref_pack, "mov.b64 $d,{$a,$b};");
    ADD("dwwww", "xxxx", ref_pack, "{ .reg .b128 %%t; mov.b128 %%t,{$a,$b,$c,$e}; mov.b128 {$d,_},%%t; }");
    aux = 16;
    ADD("whh", "xx", ref_pack, "mov.b32 $d,{$a,$b};");
    ADD("dhhhh", "xxxx", ref_pack, "mov.b64 $d,{$a,$b,$c,$e};");
    aux = 8;
    ADD("whhhh", "xxxx", ref_pack,
        "{ .reg .b8 %%t<4>; cvt.u8.u16 %%t0,$a; cvt.u8.u16 %%t1,$b; cvt.u8.u16 %%t2,$c; cvt.u8.u16 %%t3,$e; "
        "mov.b32 $d,{%%t0,%%t1,%%t2,%%t3}; }");
    for (aux2 = 0; aux2 < 4; aux2++) {
        aux = 16;
        ADD("hd", "x", ref_piece, "mov.b64 {%s,%s,%s,%s},$a;", aux2 == 0 ? "$d" : "_", aux2 == 1 ? "$d" : "_",
            aux2 == 2 ? "$d" : "_", aux2 == 3 ? "$d" : "_");
        if (aux2 > 1) continue;
        ADD("hw", "x", ref_piece, "mov.b32 {%s,%s},$a;", aux2 ? "_" : "$d", aux2 ? "$d" : "_");
        aux = 32;
        ADD("wd", "x", ref_piece, "mov.b64 {%s,%s},$a;", aux2 ? "_" : "$d", aux2 ? "$d" : "_");
    }
    aux2 = 0;
    static const char *const spaces[] = {"const", "global", "shared", "local", "param"};
    static const int windows[] = {0, 0, 3, 2, 1};
    for (int i = 0; i < 5; i++) {
        aux = windows[i];
        ADD("dd", "x", ref_plus, "cvta.%s.u64 $d,$a;", spaces[i]);
        aux = 0 - windows[i];
        ADD("dd", "x", ref_plus, "cvta.to.%s.u64 $d,$a;", spaces[i]);
        aux = i ? i : 5;
        ADD("pd", "x", ref_space, "{ .reg .b64 %%t; and.b64 %%t,$a,0x7ffffffff; isspacep.%s $d,%%t; }", spaces[i]);
    }
    aux = 0;
    ADD("ww", "x", ref_plus, "cvta.shared.u32 $d,$a;");
}

int main(void)
{
    add_arithmetic();
    add_carries();
    add_bits();
    add_logic();
    add_moves();
    return run_tests();
}
