/* move.c: mov with its packing and unpacking, cvta and other operations on address spaces, selp,
 * slct, prmt.
 *
 * A 128-bit register holds 16 bytes per lane, lane after lane. In a packed value the first element
 * of the vector is the lowest. Pieces narrower than 32 bits are zero-extended in places of their
 * own.
 */
#include "ints.h"

OP1(mov_b16, uint32_t, uint32_t, (uint16_t)A)
OP1(mov_b32, uint32_t, uint32_t, A)
OP1(mov_b64, uint64_t, uint64_t, A)
OP_FN(mov_pred)
{
    pred_set(w, in->o[0], pred_get(w, in->o[1]));
    return in + 1;
}
OP_FN(mov_b128)
{
    const uint64_t *pa = SRC(uint64_t, in->o[1]);
    uint64_t *d = DST(uint64_t, in->o[0]);
    for (int i = 0; i < 64; i++) d[i] = w->lane[i / 2] ? pa[i] : d[i];
    return in + 1;
}

/* ---- packing: pieces in o[1] and up, into o[0]; unpacking: o[1], into o[0] and the places from
 * o[2] up ---- Unpacking reads all of a lane's value before it writes, since a piece may have been
 * given the value's own place. */
#define OP_PIECES4(name, DT, expr)                                                   \
    OP_FN(name)                                                                      \
    {                                                                                \
        const uint32_t *pa = SRC(uint32_t, in->o[1]), *pb = SRC(uint32_t, in->o[2]); \
        const uint32_t *pc = SRC(uint32_t, in->o[3]), *pd = SRC(uint32_t, in->o[4]); \
        LANE_STORE(DT, expr);                                                        \
    }
#define BYTES(lo, hi)  (((lo)&255) | ((hi)&255) << 8)
#define HALVES(lo, hi) (((lo)&0xffff) | (hi) << 16)
OP2(pack_2x8, uint32_t, uint32_t, uint32_t, BYTES(A, B))
OP_PIECES4(pack_4x8, uint32_t, HALVES(BYTES(A, B), BYTES(C, pd[l])))
OP2(pack_2x16, uint32_t, uint32_t, uint32_t, HALVES(A, B))
OP_PIECES4(pack_4x16, uint64_t, HALVES(A, B) | (uint64_t)HALVES(C, pd[l]) << 32)
OP2(pack_2x32, uint64_t, uint32_t, uint32_t, A | (uint64_t)B << 32)
#define PIECE(T, i) (SRC(T, in->o[1 + (i)])[l])
OP_FN(pack_2x64)
{
    uint64_t *d = DST(uint64_t, in->o[0]);
    for (int l = 0; l < 32; l++)
        for (int i = 0; w->lane[l] && i < 2; i++) d[2 * l + i] = PIECE(uint64_t, i);
    return in + 1;
}
OP_FN(pack_4x32)
{
    uint32_t *d = DST(uint32_t, in->o[0]);
    for (int l = 0; l < 32; l++)
        for (int i = 0; w->lane[l] && i < 4; i++) d[4 * l + i] = PIECE(uint32_t, i);
    return in + 1;
}

/* The place of piece i. */
static inline uint32_t piece_place(const insn *in, int i) { return in->o[i ? i + 1 : 0]; }

#define UNPACK(name, T, PT, count, piece)            \
    OP_FN(name)                                      \
    {                                                \
        T value[32];                                 \
        const T *pa = SRC(T, in->o[1]);              \
        const uint32_t *on = w->lane;                \
        LANES value[l] = A;                          \
        for (int i = 0; i < count; i++) {            \
            PT *d = DST(PT, piece_place(in, i));     \
            LANES d[l] = on[l] ? (PT)(piece) : d[l]; \
        }                                            \
        return in + 1;                               \
    }
UNPACK(unpack_2x8, uint32_t, uint32_t, 2, value[l] >> 8 * i & 255)
UNPACK(unpack_4x8, uint32_t, uint32_t, 4, value[l] >> 8 * i & 255)
UNPACK(unpack_2x16, uint32_t, uint32_t, 2, value[l] >> 16 * i & 0xffff)
UNPACK(unpack_4x16, uint64_t, uint32_t, 4, value[l] >> 16 * i & 0xffff)
UNPACK(unpack_2x32, uint64_t, uint32_t, 2, value[l] >> 32 * i)
OP_FN(unpack_2x64)
{
    const uint64_t *pa = SRC(uint64_t, in->o[1]);
    uint64_t *low = DST(uint64_t, piece_place(in, 0)), *high = DST(uint64_t, piece_place(in, 1));
    for (int l = 0; l < 32; l++)
        if (w->lane[l]) low[l] = pa[2 * l], high[l] = pa[2 * l + 1];
    return in + 1;
}
OP_FN(unpack_4x32)
{
    const uint32_t *pa = SRC(uint32_t, in->o[1]);
    for (int i = 0; i < 4; i++) {
        uint32_t *d = DST(uint32_t, piece_place(in, i));
        for (int l = 0; l < 32; l++)
            if (w->lane[l]) d[l] = pa[4 * l + i];
    }
    return in + 1;
}

static const struct packing {
    uint8_t bits, pieces;
    uint8_t piece_type; /* enum ptx_type */
    op_fn *pack, *unpack;
} packings[] = {
    {16, 2, T_B8, pack_2x8, unpack_2x8},     {32, 2, T_B16, pack_2x16, unpack_2x16},
    {32, 4, T_B8, pack_4x8, unpack_4x8},     {64, 2, T_B32, pack_2x32, unpack_2x32},
    {64, 4, T_B16, pack_4x16, unpack_4x16},  {128, 2, T_B64, pack_2x64, unpack_2x64},
    {128, 4, T_B32, pack_4x32, unpack_4x32},
};

/* ---- address spaces: cvta adds or subtracts the start of the space's window, in.imm ---- */
OP_FN(cvta_64)
{
    const uint64_t *pa = SRC(uint64_t, in->o[1]), by = (uint64_t)in->imm;
    LANE_STORE(uint64_t, A + by);
}
OP_FN(cvta_32)
{
    const uint32_t *pa = SRC(uint32_t, in->o[1]), by = (uint32_t)in->imm;
    LANE_STORE(uint32_t, A + by);
}

/* isspacep tests for a window, mod: 0 by itself. Otherwise the windows are excluded, and constants
 * are told from the rest. */
enum { ASK_WINDOW, ASK_GLOBAL, ASK_CONST, ASK_OWN /* shared memory of the own block alone */ };
static bool in_constants(const struct warp *w, uint64_t address)
{
    const alloc *al = address >= GLOBAL_BASE ? memory_at(&w->worker->launch->s->mem, address) : NULL;
    return al && al->is_const;
}
OP_FN(isspacep)
{
    uint32_t word = 0;
    for (int l = 0; l < 32; l++) {
        if (!w->lane[l]) continue;
        uint64_t a = in->mod2 == 64 ? SRC(uint64_t, in->o[1])[l] : SRC(uint32_t, in->o[1])[l];
        bool yes = a - (uint64_t)in->imm < (in->mod == ASK_OWN ? (uint64_t)1 << CLUSTER_SHIFT : WINDOW_BYTES);
        if (in->mod != ASK_WINDOW && in->mod != ASK_OWN) {
            bool window = a >= PARAM_WINDOW && a < SHARED_WINDOW + WINDOW_BYTES, constant = in_constants(w, a);
            yes = in->mod == ASK_CONST ? constant : !window && !constant;
        }
        word |= yes ? lane_bit[l] : 0;
    }
    pred_set(w, in->o[0], word);
    return in + 1;
}

/* The cluster address of the place in block b's shared memory that a names in its block's: generic where imm is the
 * window of shared memory. A rank that does not exist gives an address at which an access faults. */
static inline uint64_t map_to(const struct warp *w, uint64_t a, uint32_t b, uint64_t window)
{
    const uint32_t offset = (uint32_t)(a - window) & CLUSTER_OFFSET, most = (1u << (31 - CLUSTER_SHIFT)) - 2;
    if (b == w->block->rank) return window + offset;
    return window + ((uint64_t)((b < most ? b : most) + 1) << CLUSTER_SHIFT | offset);
}
OP2(mapa_32, uint32_t, uint32_t, uint32_t, (uint32_t)map_to(w, A, B, (uint64_t)in->imm))
OP2(mapa_64, uint64_t, uint64_t, uint32_t, map_to(w, A, B, (uint64_t)in->imm))

static inline uint32_t rank_at(const struct warp *w, uint64_t a)
{
    uint32_t rank, offset;
    shared_cluster_split((uint32_t)a, &rank, &offset);
    return rank == UINT32_MAX ? w->block->rank : rank;
}
OP1(rank_32, uint32_t, uint32_t, rank_at(w, A - (uint32_t)in->imm))
OP1(rank_64, uint32_t, uint64_t, rank_at(w, A - (uint64_t)in->imm))

/* ---- selection ---- */
#define SELP_OP(name, T)                                        \
    OP_FN(name)                                                 \
    {                                                           \
        const T *pa = SRC(T, in->o[1]), *pb = SRC(T, in->o[2]); \
        uint32_t p = pred_get(w, in->o[3]);                     \
        LANE_STORE(T, p &lane_bit[l] ? A : B);                  \
    }
SELP_OP(selp_32, uint32_t)
SELP_OP(selp_64, uint64_t)
OP_FN(selp_pred)
{
    uint32_t a = pred_get(w, in->o[1]), b = pred_get(w, in->o[2]), p = pred_get(w, in->o[3]);
    pred_set(w, in->o[0], (a & p) | (b & ~p));
    return in + 1;
}

/* Negative zero is not less than zero, and NaN selects b; with .ftz a negative subnormal counts as
 * zero. */
#define NOT_BELOW(c, ftz) ((c) <= 0x7f800000u || (c) == 0x80000000u || ((ftz) && (c) >> 31 && !((c)&0x7f800000u)))
OP3(slct_s32_32, uint32_t, uint32_t, uint32_t, int32_t, C >= 0 ? A : B)
OP3(slct_s32_64, uint64_t, uint64_t, uint64_t, int32_t, C >= 0 ? A : B)
OP3(slct_f32_32, uint32_t, uint32_t, uint32_t, uint32_t, NOT_BELOW(C, false) ? A : B)
OP3(slct_f32_64, uint64_t, uint64_t, uint64_t, uint32_t, NOT_BELOW(C, false) ? A : B)
OP3(slct_ftz_32, uint32_t, uint32_t, uint32_t, uint32_t, NOT_BELOW(C, true) ? A : B)
OP3(slct_ftz_64, uint64_t, uint64_t, uint64_t, uint32_t, NOT_BELOW(C, true) ? A : B)
static op_fn *const slct_fns[3][2] = {
    {slct_s32_32, slct_s32_64}, {slct_f32_32, slct_f32_64}, {slct_ftz_32, slct_ftz_64}};

/* prmt: each selector is 4 bits: which of the eight bytes of b:a, and whether its sign is copied
 * over the whole byte.
 */
static inline uint32_t prmt_byte(uint32_t a, uint32_t b, uint32_t selector)
{
    uint32_t from = selector & 4 ? b : a, byte = from >> ((selector & 3) * 8) & 255;
    return selector & 8 ? (byte & 128 ? 255 : 0) : byte;
}
static inline uint32_t prmt_(uint32_t a, uint32_t b, uint32_t selectors)
{
    return prmt_byte(a, b, selectors) | prmt_byte(a, b, selectors >> 4) << 8 | prmt_byte(a, b, selectors >> 8) << 16 |
           prmt_byte(a, b, selectors >> 12) << 24;
}
OP3(prmt, uint32_t, uint32_t, uint32_t, uint32_t, prmt_(A, B, C))

/* With constant selectors, in mod, every step is the same for all lanes. */
#define PICK_BEGIN(i)                                                                 \
    const uint32_t *from##i = SRC(uint32_t, in->o[1 + (in->mod >> (4 * i + 2) & 1)]); \
    uint32_t up##i = 24 - (in->mod >> 4 * i & 3) * 8, sign##i = in->mod >> 4 * i & 8 ? 255 : 0
#define PICKED(i) \
    (((from##i[l] << up##i >> 24 & ~sign##i) | ((uint32_t)((int32_t)(from##i[l] << up##i) >> 31) & sign##i)) << 8 * i)
OP_FN(prmt_fixed)
{
    PICK_BEGIN(0);
    PICK_BEGIN(1);
    PICK_BEGIN(2);
    PICK_BEGIN(3);
    LANE_STORE(uint32_t, PICKED(0) | PICKED(1) | PICKED(2) | PICKED(3));
}

/* The named modes have four sets of selectors each; the low two bits of c select one. */
static const struct prmt_mode {
    uint16_t suffix, selectors[4];
} prmt_modes[] = {
    {S_F4E, {0x3210, 0x4321, 0x5432, 0x6543}}, {S_B4E, {0x5670, 0x6701, 0x7012, 0x0123}},
    {S_RC8, {0x0000, 0x1111, 0x2222, 0x3333}}, {S_ECL, {0x3210, 0x3211, 0x3222, 0x3333}},
    {S_ECR, {0x0000, 0x1110, 0x2210, 0x3210}}, {S_RC16, {0x1010, 0x3232, 0x1010, 0x3232}},
};
OP_FN(prmt_named)
{
    const uint32_t *pa = SRC(uint32_t, in->o[1]), *pb = SRC(uint32_t, in->o[2]), *pc = SRC(uint32_t, in->o[3]);
    const uint16_t *sets = prmt_modes[in->mod].selectors;
    LANE_STORE(uint32_t, prmt_(A, B, sets[C & 3]));
}

/* ---- selecting ---- */
static bool select_packing(form *f, enum ptx_type t)
{
    const ptx_operand *op = f->in->operand;
    bool pack = op[1].kind == O_VECTOR;
    const ptx_operand *vector = pack ? &op[1] : &op[0], *whole = pack ? &op[0] : &op[1];
    if (whole->kind == O_VECTOR) return form_refuse(f, "cannot move a vector to a vector");
    if (ptx_types[t].kind != 'B') return form_refuse(f, "packs and unpacks untyped bits (.b16 .b32 .b64 .b128) only");
    for (size_t i = 0; i < sizeof packings / sizeof packings[0]; i++) {
        const struct packing *p = &packings[i];
        enum ptx_type piece = (enum ptx_type)p->piece_type;
        if (p->bits != ptx_bits(t) || p->pieces != vector->count) continue;
        f->fn = pack ? p->pack : p->unpack;
        if (pack) {
            form_def(f, whole, t);
            for (int k = 0; k < vector->count; k++) form_use(f, &vector->elements[k], piece);
            return true;
        }
        for (int k = 0; k < vector->count; k++) {
            const ptx_operand *e = &vector->elements[k];
            form_def(f, e->kind == O_NONE ? NULL : e, piece);
            if (k == 0) form_use(f, whole, t);
        }
        return true;
    }
    return form_refuse(f, "has a vector of the wrong size");
}

static bool select_mov(form *f)
{
    const ptx_operand *op = f->in->operand;
    enum ptx_type t = form_type(f);
    f->cls = SIM_CLASS_MOVE;
    if (!form_operands(f, 2, 2)) return false;
    if (op[0].kind == O_VECTOR || op[1].kind == O_VECTOR) return select_packing(f, t);
    switch (t == T_NONE ? 0 : ptx_bits(t)) {
    case 1: f->fn = mov_pred; break;
    case 16: f->fn = mov_b16; break;
    case 32: f->fn = mov_b32; break;
    case 64: f->fn = mov_b64; break;
    case 128: f->fn = mov_b128; break;
    default: return form_refuse(f, "does not exist for this type");
    }
    form_shape(f, t, t, T_NONE, T_NONE);
    return true;
}

static const uint16_t spaces[] = {S_GLOBAL,      S_SHARED, S_SHARED_CTA, S_SHARED_CLUSTER, S_LOCAL, S_CONST,
                                  S_PARAM_ENTRY, S_PARAM,  S_NONE};

/* Where a space's window starts. Global and constant variables have generic addresses already. */
static uint64_t window_of(enum ptx_suffix s)
{
    switch (s) {
    case S_SHARED:
    case S_SHARED_CTA:
    case S_SHARED_CLUSTER: return SHARED_WINDOW;
    case S_LOCAL: return LOCAL_WINDOW;
    case S_PARAM:
    case S_PARAM_ENTRY: return PARAM_WINDOW;
    default: return 0;
    }
}

static bool select_cvta(form *f)
{
    bool to = form_take(f, S_TO);
    enum ptx_suffix s = form_take_any(f, spaces);
    enum ptx_type t = form_type(f);
    if (!s) return form_refuse(f, "needs a state space");
    if (t != T_U64 && t != T_U32) return form_refuse(f, "exists for .u32 and .u64 only");
    f->fn = t == T_U64 ? cvta_64 : cvta_32;
    f->cls = SIM_CLASS_MOVE;
    f->imm = (int64_t)(to ? 0 - window_of(s) : window_of(s));
    form_shape(f, t, t, T_NONE, T_NONE);
    return true;
}

/* The width of an address operand that no type suffix describes. */
static enum ptx_type address_type(const form *f, const ptx_operand *op)
{
    if (op->kind == O_REG && op->reg >= 0 && op->reg < f->func->reg_count)
        return ptx_bits(f->func->regs[op->reg].type) == 32 ? T_U32 : T_U64;
    return f->module->address_size == 32 ? T_U32 : T_U64;
}

static bool select_isspacep(form *f)
{
    enum ptx_suffix s = form_take_any(f, spaces);
    if (!s) return form_refuse(f, "needs a state space");
    if (!form_operands(f, 2, 2)) return false;
    enum ptx_type t = address_type(f, &f->in->operand[1]);
    f->fn = isspacep;
    f->cls = SIM_CLASS_COMPARE;
    f->mod = s == S_GLOBAL                        ? ASK_GLOBAL
             : s == S_CONST                       ? ASK_CONST
             : s == S_SHARED || s == S_SHARED_CTA ? ASK_OWN
                                                  : ASK_WINDOW;
    f->mod2 = (uint32_t)ptx_bits(t);
    f->imm = (int64_t)window_of(s);
    form_shape(f, T_PRED, t, T_NONE, T_NONE);
    return true;
}

static bool select_cluster(form *f)
{
    bool map = f->in->op == OP_MAPA, within = form_take(f, S_SHARED_CLUSTER);
    enum ptx_type t = form_type(f);
    if (t != T_U64 && t != T_U32) return form_refuse(f, "exists for .u32 and .u64 only");
    f->cls = SIM_CLASS_MOVE;
    f->fn = !map ? (t == T_U64 ? rank_64 : rank_32) : t == T_U64 ? mapa_64 : mapa_32;
    f->imm = within ? 0 : (int64_t)SHARED_WINDOW;
    form_shape(f, map ? t : T_U32, t, map ? T_U32 : T_NONE, T_NONE);
    return true;
}

static bool select_selp(form *f, enum ptx_type t)
{
    int bits = t == T_NONE ? 0 : ptx_bits(t);
    if (!form_operands(f, 4, 4)) return false;
    f->fn = t == T_PRED ? selp_pred : bits == 64 ? selp_64 : bits == 32 || bits == 16 ? selp_32 : NULL;
    f->cls = SIM_CLASS_MOVE;
    if (!f->fn) return form_refuse(f, "does not exist for this type");
    form_shape(f, t, t, t, T_PRED);
    return true;
}

static bool select_slct(form *f, enum ptx_type t)
{
    enum ptx_type c = form_type(f);
    int bits = t == T_NONE ? 0 : ptx_bits(t);
    bool ftz = c == T_F32 && form_take(f, S_FTZ);
    if (bits != 16 && bits != 32 && bits != 64) return form_refuse(f, "does not exist for this type");
    if (c != T_S32 && c != T_F32) return form_refuse(f, "needs .s32 or .f32 as its second type");
    f->fn = slct_fns[c == T_S32 ? 0 : ftz ? 2 : 1][bits == 64];
    f->cls = SIM_CLASS_MOVE;
    form_shape(f, t, t, t, c);
    return true;
}

static bool select_prmt(form *f, enum ptx_type t)
{
    if (t != T_B32) return form_refuse(f, "exists for .b32 only");
    f->fn = prmt;
    f->cls = SIM_CLASS_INT;
    for (uint32_t i = 0; i < sizeof prmt_modes / sizeof prmt_modes[0]; i++)
        if (form_take(f, (enum ptx_suffix)prmt_modes[i].suffix)) {
            f->fn = prmt_named;
            f->mod = i;
            break;
        }
    if (f->fn == prmt && f->in->operand_count == 4 && f->in->operand[3].kind == O_INT) {
        f->fn = prmt_fixed;
        f->mod = (uint32_t)f->in->operand[3].value.i;
    }
    form_shape(f, t, t, t, t);
    return true;
}

static bool select_move(form *f)
{
    if (!operands_plain(f, 0)) return false;
    switch (f->in->op) {
    case OP_MOV: return select_mov(f);
    case OP_CVTA: return select_cvta(f);
    case OP_ISSPACEP: return select_isspacep(f);
    case OP_MAPA:
    case OP_GETCTARANK: return select_cluster(f);
    case OP_SELP: return select_selp(f, form_type(f));
    case OP_SLCT: return select_slct(f, form_type(f));
    case OP_PRMT: return select_prmt(f, form_type(f));
    default: return false;
    }
}

bool SIM_NAME(select_move)(form *f) { return select_move(f) && operands_fit(f); }
