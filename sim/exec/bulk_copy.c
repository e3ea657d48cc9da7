/* bulk_copy.c: the operands of cp.async.bulk, cp.reduce.async.bulk, their tensor forms, and
 * tensormap. run/bulk.c performs them.
 *
 * Their places are a list (insn.ext), the same for all. An address has a base, a register or a
 * constant, and one more place for a constant that is added. `mod` has a bit for each place that
 * the instruction has, `mod2` one for each that holds 64 bits.
 */
#include "async_operands.h"
#include "half.h"
#include "run/bulk.h"
#include "run/bulk_map.h"

enum {
    TO,
    TO_MORE,
    FROM,
    FROM_MORE,
    BARRIER,
    BARRIER_MORE,
    MAP,
    MAP_MORE,
    BYTES,
    BLOCKS, /* the mask of a multicast */
    AT,     /* coordinates */
    PLACES = AT + 5
};
/* insn.size: the reduction and its type; insn.order: dimensions */
enum { REDUCES = 128, TYPE_BITS = 4, PREFETCH_BIT = 1 << 30 };

static inline uint32_t place_at(const insn *in, int i) { return ((const uint32_t *)in->ext)[i]; }
static inline bool has(const insn *in, int i) { return in->mod >> i & 1; }

static void values_at(const struct warp *w, const insn *in, int i, uint64_t *v)
{
    const uint32_t place = place_at(in, i);
    for (int l = 0; l < 32; l++) v[l] = in->mod2 >> i & 1 ? SRC(uint64_t, place)[l] : SRC(uint32_t, place)[l];
}

static const uint64_t *addresses(const struct warp *w, const insn *in, int i, uint64_t *v)
{
    if (!has(in, i)) return NULL;
    values_at(w, in, i, v);
    const uint64_t add = has(in, i + 1) ? *SRC(uint64_t, place_at(in, i + 1)) : 0;
    for (int l = 0; l < 32; l++) v[l] = in->mod2 >> i & 1 ? v[l] + add : (uint32_t)(v[l] + add);
    return v;
}

/* ---- reductions ---- */
static uint32_t reduce_half(uint32_t op, uint32_t a, uint32_t b, bool is_bf16)
{
    const float x = is_bf16 ? bf16_to_f32(a) : f16_to_f32(a), y = is_bf16 ? bf16_to_f32(b) : f16_to_f32(b);
    if (op == BULK_ADD) return is_bf16 ? f32_to_bf16(x + y, ROUND_RN) : f32_to_f16(x + y, ROUND_RN);
    if (x != x) return y != y ? F16_NAN : b;
    if (y != y) return a;
    const bool first = x != y ? x < y : a >> 15 > b >> 15; /* -0 before 0 */
    return first == (op == BULK_MIN) ? a : b;
}

static uint64_t reduce_word(uint32_t op, uint32_t type, uint64_t a, uint64_t b)
{
    const bool less = type == TENSOR_S32   ? (int32_t)a < (int32_t)b
                      : type == TENSOR_S64 ? (int64_t)a < (int64_t)b
                                           : a < b;
    switch (op) {
    case BULK_ADD:
        if (type == TENSOR_F16 || type == TENSOR_BF16)
            return reduce_half(op, (uint32_t)a, (uint32_t)b, type == TENSOR_BF16);
        if (type == TENSOR_F64) return f64_added_in_memory(a, b);
        if (type == TENSOR_F32) return f32_out(bits_f32((uint32_t)a) + bits_f32((uint32_t)b));
        if (type == TENSOR_F32_FTZ)
            return f32_flush_bits(f32_out(f32_flush(bits_f32((uint32_t)a)) + f32_flush(bits_f32((uint32_t)b))));
        return a + b;
    case BULK_MIN:
    case BULK_MAX:
        if (type == TENSOR_F16 || type == TENSOR_BF16)
            return reduce_half(op, (uint32_t)a, (uint32_t)b, type == TENSOR_BF16);
        return less == (op == BULK_MIN) ? a : b;
    case BULK_INC: return a >= b ? 0 : a + 1;
    case BULK_DEC: return !a || a > b ? b : a - 1;
    case BULK_AND: return a & b;
    case BULK_OR: return a | b;
    default: return a ^ b;
    }
}

static void reduce(uint32_t op, uint32_t type, char *to, const char *from, uint32_t bytes)
{
    const uint32_t each = tensor_type_bytes(type);
    for (uint32_t i = 0; i < bytes; i += each) {
        uint64_t a = 0, b = 0;
        memcpy(&a, to + i, each);
        memcpy(&b, from + i, each);
        a = reduce_word(op, type, a, b);
        memcpy(to + i, &a, each);
    }
}

/* ---- performing ---- */
OP_FN(bulk)
{
    uint64_t to[32] = {0}, from[32] = {0}, barrier[32], map[32], wide[32];
    uint32_t bytes[32] = {0}, blocks[32] = {0};
    bulk_copy c = {.to_space = in->space, .from_space = in->count, .to = to, .from = from, .bytes = bytes};
    addresses(w, in, TO, to);
    addresses(w, in, FROM, from);
    c.barrier = addresses(w, in, BARRIER, barrier);
    c.map = addresses(w, in, MAP, map);
    if (has(in, BYTES)) memcpy(bytes, SRC(char, place_at(in, BYTES)), sizeof bytes);
    if (has(in, BLOCKS)) {
        values_at(w, in, BLOCKS, wide);
        for (int l = 0; l < 32; l++) blocks[l] = (uint32_t)wide[l];
        for (int l = 0; l < 32; l++) blocks[l] &= 0xffff;
        c.blocks = blocks;
    }
    c.rank = in->order;
    for (uint32_t d = 0; d < c.rank; d++) c.at[d] = SRC(int32_t, place_at(in, AT + (int)d));
    if (in->size & REDUCES) c.reduce = reduce, c.op = in->size >> TYPE_BITS & 7, c.type = in->size & 15;
    c.prefetch = in->mod & PREFETCH_BIT;
    return async_bulk(w, in, &c) ? in + 1 : NULL;
}

OP_FN(nothing)
{
    (void)w;
    return in + 1;
}

/* ---- selecting ---- */
typedef struct places {
    const ptx_operand *op[PLACES];
    enum ptx_type type[PLACES];
} places;

static void put(places *p, int i, const ptx_operand *op, enum ptx_type t)
{
    p->op[i] = op;
    p->type[i] = t;
}

static void put_places(form *f, const places *p)
{
    for (int i = 0; i < PLACES; i++) {
        if (p->op[i]) {
            f->mod |= 1u << i;
            if (p->type[i] == T_B64) f->mod2 |= 1u << i;
            form_use(f, p->op[i], p->type[i]);
        } else {
            unused(f, i + 1);
        }
    }
}

/* An address in brackets, or (inside [map, {...}]) without them. */
static bool put_address(form *f, places *p, int i, const ptx_operand *op, bool is_map)
{
    if (op->kind == O_VECTOR || op->kind == O_LIST) return form_refuse(f, "needs an address in brackets");
    if (op->reg >= 0) {
        put(p, i, op, ptx_bits(f->func->regs[op->reg].type) == 64 ? T_B64 : T_B32);
        if (op->value.i) put(p, i + 1, constant(f, op->value.i), T_B64);
        return true;
    }
    int64_t at = op->value.i;
    if (op->var) {
        const bool param = op->var->space == SPACE_PARAM;
        if (op->var->space == SPACE_LOCAL || (param && !is_map))
            return form_refuse(f, "copies between global and shared memory only");
        at += (int64_t)op->var->address + (param ? (int64_t)PARAM_WINDOW : 0);
    }
    put(p, i, constant(f, at), T_B64);
    return true;
}

/* [map, {coordinates}] */
static bool put_map(form *f, places *p, const ptx_operand *op, uint32_t rank)
{
    if (op->kind != O_LIST || op->count != 2 || op->elements[1].kind != O_VECTOR || op->elements[1].count != (int)rank)
        return form_refuse(f, "needs [tensor map, {coordinates}], as many as dimensions");
    for (uint32_t d = 0; d < rank; d++) put(p, AT + (int)d, &op->elements[1].elements[d], T_B32);
    return put_address(f, p, MAP, &op->elements[0], true);
}

static uint32_t take_rank(form *f)
{
    static const uint16_t ranks[] = {S_D1, S_D2, S_D3, S_D4, S_D5, S_NONE};
    const enum ptx_suffix s = form_take_any(f, ranks);
    for (uint32_t i = 0; i < 5; i++)
        if (ranks[i] == s) return i + 1;
    return 0;
}

static bool tiles(form *f)
{
    if (form_take_any(f, (const uint16_t[]){S_IM2COL, S_IM2COL_NO_OFFS, S_IM2COL_W, S_IM2COL_W128, S_NONE}))
        return form_refuse(f, "copies the windows of a convolution, which is not supported here: only .tile is");
    if (form_take_any(f, (const uint16_t[]){S_TILE_GATHER4, S_TILE_SCATTER4, S_CTA_GROUP_1, S_CTA_GROUP_2, S_NONE}))
        return form_refuse(f, "needs compute 10.0");
    form_take(f, S_TILE);
    return true;
}

/* The operation of a reduction, S_NONE: there is none. */
static bool take_reduction(form *f, uint32_t *op)
{
    static const uint16_t ops[] = {S_ADD, S_MIN, S_MAX, S_INC, S_DEC, S_AND, S_OR, S_XOR, S_NONE};
    const enum ptx_suffix s = form_take_any(f, ops);
    for (*op = 0; ops[*op] && ops[*op] != s;) ++*op;
    return ops[*op] != S_NONE || form_refuse(f, "needs .add, .min, .max, .inc, .dec, .and, .or or .xor");
}

static bool select_tensor_copy(form *f, bool reduces)
{
    const ptx_operand *o = f->in->operand;
    places p = {0};
    uint32_t op = 0;
    uint8_t to, from;
    const bool prefetch = form_take(f, S_PREFETCH);
    if (prefetch && !form_take(f, S_LEVEL_L2)) return form_refuse(f, "needs .L2");
    const uint32_t rank = take_rank(f);
    if (!rank) return form_refuse(f, "needs .1d to .5d");
    if (!tiles(f)) return false;
    two_spaces(f, &to, &from);
    if (reduces && !take_reduction(f, &op)) return false;
    const bool group = form_take(f, S_BULK_GROUP), object = form_take(f, S_MBARRIER_COMPLETE),
               several = form_take(f, S_MULTICAST), policy = form_take(f, S_L2_CACHE_HINT);
    f->fn = bulk;
    f->order = (uint8_t)rank;
    if (reduces) f->size = (uint8_t)(REDUCES | op << TYPE_BITS);
    if (prefetch) {
        if (to != SPACE_GLOBAL || from || group || object || several)
            return form_refuse(f, "asks for global memory only");
        if (!form_operands(f, 1 + policy, 1 + policy) || !put_map(f, &p, &o[0], rank)) return false;
        f->mod |= PREFETCH_BIT;
        f->space = SPACE_SHARED;
        f->count = SPACE_GLOBAL;
        put_places(f, &p);
        return true;
    }
    const bool load = to == SPACE_SHARED;
    if (!to || !from || to == from) return form_refuse(f, "copies between global and shared memory only");
    if (load ? !object || group || reduces : !group || object || several)
        return form_refuse(f, "needs .bulk_group for a copy to global memory, and .mbarrier::complete_tx::bytes "
                              "for one to shared memory");
    const int operands = 2 + load + several + policy;
    if (!form_operands(f, operands, operands)) return false;
    f->space = to;
    f->count = from;
    if (!put_map(f, &p, &o[load], rank) || !put_address(f, &p, load ? TO : FROM, &o[!load], false)) return false;
    if (load && !put_address(f, &p, BARRIER, &o[2], false)) return false;
    if (several) put(&p, BLOCKS, &o[3], T_B16);
    put_places(f, &p);
    return true;
}

/* The type of a reduction of plain bytes. */
static bool take_reduced_type(form *f, uint32_t op, bool shared, uint32_t *type)
{
    static const struct {
        uint8_t type, as, ops, shared; /* ops: a bit for each; shared: those that reach shared memory */
    } rows[] = {{T_U32, TENSOR_U32, 0x1f, 0x1f}, {T_S32, TENSOR_S32, 0x07, 0x07}, {T_U64, TENSOR_U64, 0x07, 0x01},
                {T_S64, TENSOR_S64, 0x06, 0},    {T_B32, TENSOR_U32, 0xe0, 0xe0}, {T_B64, TENSOR_U64, 0xe0, 0},
                {T_F16, TENSOR_F16, 0x07, 0},    {T_BF16, TENSOR_BF16, 0x07, 0},  {T_F32, TENSOR_F32, 0x01, 0},
                {T_F64, TENSOR_F64, 0x01, 0}};
    const enum ptx_type t = form_type(f);
    const bool noftz = form_take(f, S_NOFTZ), half = t == T_F16 || t == T_BF16;
    if (noftz != (half && op == BULK_ADD)) return form_refuse(f, "needs .noftz for sums of .f16 and .bf16 only");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].type == t && (shared ? rows[i].shared : rows[i].ops) >> op & 1) {
            *type = rows[i].as;
            return true;
        }
    return form_refuse(f, shared ? "has a type that this reduction in shared memory does not take"
                                 : "has a type that this reduction does not take");
}

static bool select_plain_copy(form *f, bool reduces)
{
    const ptx_operand *o = f->in->operand;
    places p = {0};
    uint32_t op = 0, type = 0;
    uint8_t to, from;
    if (form_take(f, S_PREFETCH)) {
        form_take(f, S_LEVEL_L2);
        if (take_space(f) != SPACE_GLOBAL) return form_refuse(f, "works on global memory only");
        const bool policy = form_take(f, S_L2_CACHE_HINT);
        if (!form_operands(f, 2 + policy, 2 + policy)) return false;
        form_address(f, &o[0]);
        form_use(f, &o[1], T_B32);
        f->fn = nothing;
        return true;
    }
    two_spaces(f, &to, &from);
    const bool group = form_take(f, S_BULK_GROUP), object = form_take(f, S_MBARRIER_COMPLETE),
               several = form_take(f, S_MULTICAST), policy = form_take(f, S_L2_CACHE_HINT);
    if (!to || !from || (to == SPACE_GLOBAL && from == SPACE_GLOBAL))
        return form_refuse(f, "copies between global and shared memory only");
    if (group == object || group != (to == SPACE_GLOBAL))
        return form_refuse(f, "needs .bulk_group for a copy to global memory, and .mbarrier::complete_tx::bytes "
                              "for one to shared memory");
    if (several && from != SPACE_GLOBAL)
        return form_refuse(f, "copies global memory to several blocks, not shared memory");
    if (reduces && from != SPACE_SHARED) return form_refuse(f, "reduces from shared memory only");
    if (reduces && (!take_reduction(f, &op) || !take_reduced_type(f, op, to == SPACE_SHARED, &type))) return false;
    const int operands = 3 + object + several + policy;
    if (!form_operands(f, operands, operands)) return false;
    f->fn = bulk;
    f->space = to;
    f->count = from;
    if (reduces) f->size = (uint8_t)(REDUCES | op << TYPE_BITS | type);
    if (!put_address(f, &p, TO, &o[0], false) || !put_address(f, &p, FROM, &o[1], false)) return false;
    put(&p, BYTES, &o[2], T_B32);
    if (object && !put_address(f, &p, BARRIER, &o[3], false)) return false;
    if (several) put(&p, BLOCKS, &o[4], T_B16);
    put_places(f, &p);
    return true;
}

bool SIM_NAME(select_bulk)(form *f, bool reduces)
{
    f->has_slot = true;
    return form_take(f, S_TENSOR) ? select_tensor_copy(f, reduces) : select_plain_copy(f, reduces);
}

/* ---- tensormap ---- */
OP_FN(replace)
{
    uint64_t at[32], value[32];
    addresses(w, in, TO, at);
    values_at(w, in, BYTES, value);
    return tensor_map_replace(w, in, in->space, at, in->size, in->order, value) ? in + 1 : NULL;
}

OP_FN(copy_map)
{
    const insn *next;
    uint64_t to[32], from[32];
    if (!warp_meet_aligned(w, in, &next)) return next;
    addresses(w, in, TO, to);
    addresses(w, in, FROM, from);
    if (!tensor_map_copy(w, in, to, from)) return NULL;
    return warp_met(w, in);
}

static bool select_replace(form *f)
{
    static const struct {
        uint16_t suffix;
        uint8_t wide, ordinals;
        uint32_t most; /* of a constant, in fields that need one; 0: any value */
    } fields[] = {[TENSOR_FIELD_ADDRESS] = {S_GLOBAL_ADDRESS, 1, 0, 0},
                  [TENSOR_FIELD_RANK] = {S_RANK, 0, 0, 0},
                  [TENSOR_FIELD_BOX] = {S_BOX_DIM, 0, 5, 0},
                  [TENSOR_FIELD_DIM] = {S_GLOBAL_DIM, 0, 5, 0},
                  [TENSOR_FIELD_STRIDE] = {S_GLOBAL_STRIDE, 1, 4, 0},
                  [TENSOR_FIELD_STEP] = {S_ELEMENT_STRIDE, 0, 5, 0},
                  [TENSOR_FIELD_TYPE] = {S_ELEMTYPE, 0, 0, 12},
                  [TENSOR_FIELD_INTERLEAVE] = {S_INTERLEAVE_LAYOUT, 0, 0, 2},
                  [TENSOR_FIELD_SWIZZLE] = {S_SWIZZLE_MODE, 0, 0, 3},
                  [TENSOR_FIELD_FILL] = {S_FILL_MODE, 0, 0, 1}};
    const ptx_operand *o = f->in->operand;
    places p = {0};
    int64_t ordinal = 0, value = 0;
    size_t i = 0;
    if (!form_take(f, S_TILE)) return form_refuse(f, "needs .tile");
    while (i < sizeof fields / sizeof fields[0] && !form_take(f, (enum ptx_suffix)fields[i].suffix)) i++;
    if (i == sizeof fields / sizeof fields[0]) return form_refuse(f, "changes a field that is not known here");
    f->space = take_space(f);
    if (f->space != SPACE_GLOBAL && f->space != SPACE_SHARED && f->space != SPACE_NONE)
        return form_refuse(f, "works on global and shared memory only");
    if (!form_take(f, S_B1024) || form_type(f) != (fields[i].wide ? T_B64 : T_B32))
        return form_refuse(f, "needs .b1024 and the type of the field");
    const int operands = 2 + (fields[i].ordinals != 0);
    if (!form_operands(f, operands, operands)) return false;
    if (fields[i].ordinals && (!number(f, &o[1], &ordinal) || ordinal < 0 || ordinal >= fields[i].ordinals))
        return form_refuse(f, "needs the number of a dimension");
    if (fields[i].most && (!number(f, &o[1], &value) || value < 0 || value > fields[i].most))
        return form_refuse(f, "needs a constant that this field can have on compute 9.0");
    if (!put_address(f, &p, TO, &o[0], false)) return false;
    put(&p, BYTES, &o[operands - 1], fields[i].wide ? T_B64 : T_B32);
    put_places(f, &p);
    f->fn = replace;
    f->size = (uint8_t)i;
    f->order = (uint8_t)ordinal;
    return true;
}

bool SIM_NAME(select_tensormap)(form *f)
{
    const ptx_operand *o = f->in->operand;
    places p = {0};
    uint8_t to, from;
    int64_t bytes = 0;
    f->has_slot = true;
    if (form_take(f, S_REPLACE)) return select_replace(f);
    if (!form_take(f, S_CP_FENCEPROXY)) return form_refuse(f, "is not supported here");
    two_spaces(f, &to, &from);
    if (to != SPACE_GLOBAL || from != SPACE_SHARED) return form_refuse(f, "copies from shared to global memory only");
    if (!form_take(f, S_FENCE_TENSORMAP) || !form_take(f, S_RELEASE) || !form_take(f, S_SYNC) ||
        !form_take(f, S_ALIGNED))
        return form_refuse(f, "needs .tensormap::generic.release and .sync.aligned");
    take_scope(f);
    if (!form_operands(f, 3, 3) || !number(f, &o[2], &bytes) || bytes != TENSOR_MAP_BYTES)
        return form_refuse(f, "copies 128 bytes");
    if (!put_address(f, &p, TO, &o[0], false) || !put_address(f, &p, FROM, &o[1], false)) return false;
    put_places(f, &p);
    f->fn = copy_map;
    f->splits = true;
    return true;
}
