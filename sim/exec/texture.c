/* texture.c: the operands of tex, tld4, txq, suld, sust, sured and suq. run/texture_read.c and
 * run/surface.c perform them.
 *
 * Places: 0 to 3 the values, 4 the texture, 5 the sampler, 6 the layer, 7 to 9 the coordinates, 10
 * to 12 the offsets added to them; after these unused ones. `mod2` has a bit for each place that
 * the instruction has.
 */
#include "access.h"
#include "run/surface.h"
#include "exec.h"

enum { VALUE, TEXTURE = 4, SAMPLER, LAYER, COORDINATE, MORE = COORDINATE + 3, PLACES = MORE + 3 };
/* mod, together with machine/machine.h's */
enum {
    OUTSIDE = 16, /* shift: SURFACE_TRAP ... */
    FORMATTED = 1 << 18,
    REDUCTION = 20,          /* shift: REDUCE_... */
    IN_PARAMETERS = 1 << 24, /* the texture's place is a parameter's offset; << 1: the sampler's */
};

static inline uint32_t place_at(const insn *in, int i) { return ((const uint32_t *)in->ext)[i]; }
static inline const uint32_t *words_at(const struct warp *w, const insn *in, int i)
{
    return in->mod2 >> i & 1 ? SRC(uint32_t, place_at(in, i)) : NULL;
}
static void handles(const struct warp *w, const insn *in, int i, uint64_t *to)
{
    memcpy(to, SRC(char, place_at(in, i)), 32 * sizeof *to);
    if (in->mod & (uint32_t)IN_PARAMETERS << (i - TEXTURE))
        for (int l = 0; l < 32; l++) memcpy(&to[l], w->worker->launch->params + to[l], sizeof *to);
}
static texture_place place_of(const struct warp *w, const insn *in, uint64_t handle[2][32])
{
    texture_place p = {.texture = handle[0], .layer = words_at(w, in, LAYER)};
    handles(w, in, TEXTURE, handle[0]);
    if (in->mod2 >> SAMPLER & 1) handles(w, in, SAMPLER, handle[1]), p.sampler = handle[1];
    for (int i = 0; i < 3; i++) p.at[i] = words_at(w, in, COORDINATE + i), p.more[i] = words_at(w, in, MORE + i);
    return p;
}

OP_FN(read_texture)
{
    uint64_t handle[2][32];
    uint32_t out[4][32];
    const texture_place p = place_of(w, in, handle);
    if (!texture_read(w, in, in->mod, &p, out)) return NULL;
    for (int c = 0; c < 4; c++) {
        uint32_t *d = DST(uint32_t, place_at(in, c));
        for (int l = 0; l < 32; l++)
            if (w->lane[l]) d[l] = out[c][l];
    }
    return unknown_pause(w, in + 1);
}

OP_FN(query)
{
    uint64_t handle[32];
    uint32_t out[32];
    memcpy(handle, SRC(char, in->o[1]), sizeof handle);
    if (in->mod & IN_PARAMETERS)
        for (int l = 0; l < 32; l++) memcpy(&handle[l], w->worker->launch->params + handle[l], sizeof *handle);
    if (!texture_query(w, in, handle, (int)in->mod2, out)) return NULL;
    uint32_t *d = DST(uint32_t, in->o[0]);
    for (int l = 0; l < 32; l++)
        if (w->lane[l]) d[l] = out[l];
    return in + 1;
}

/* One element between a register (32 or, for 8 bytes, 64 bits wide) and the bytes of a lane. */
OP_FN(surface_load)
{
    _Alignas(16) char data[32 * 16];
    uint64_t handle[2][32];
    const texture_place p = place_of(w, in, handle);
    if (!surface_io(w, in, in->mod, false, (int)(in->mod >> OUTSIDE & 3), &p, (uint32_t)in->size * in->count, data))
        return NULL;
    for (uint32_t k = 0; k < in->count; k++)
        for (int l = 0; l < 32; l++) {
            uint64_t v = 0;
            if (!w->lane[l]) continue;
            memcpy(&v, data + 16 * l + k * in->size, in->size);
            if (in->size == 8) DST(uint64_t, place_at(in, (int)k))[l] = v;
            else DST(uint32_t, place_at(in, (int)k))[l] = (uint32_t)v;
        }
    return unknown_pause(w, in + 1);
}

OP_FN(surface_store)
{
    _Alignas(16) char data[32 * 16] = {0};
    uint64_t handle[2][32];
    const texture_place p = place_of(w, in, handle);
    for (uint32_t k = 0; k < in->count; k++)
        for (int l = 0; l < 32; l++) {
            const uint32_t from = place_at(in, (int)k);
            uint64_t v = in->size == 8 ? SRC(uint64_t, from)[l] : SRC(uint32_t, from)[l];
            memcpy(data + 16 * l + k * in->size, &v, in->size);
        }
    const uint32_t bytes = in->mod & FORMATTED ? 0 : (uint32_t)in->size * in->count;
    return surface_io(w, in, in->mod, true, (int)(in->mod >> OUTSIDE & 3), &p, bytes, data) ? in + 1 : NULL;
}

enum { REDUCE_ADD, REDUCE_AND, REDUCE_OR, REDUCE_MIN, REDUCE_MAX, REDUCE_MIN_SIGNED, REDUCE_MAX_SIGNED };
static uint64_t reduced(uint32_t op, uint32_t size, uint64_t x, uint64_t v)
{
    const int64_t sx = size == 8 ? (int64_t)x : (int32_t)(uint32_t)x,
                  sv = size == 8 ? (int64_t)v : (int32_t)(uint32_t)v;
    switch (op) {
    case REDUCE_ADD: return x + v;
    case REDUCE_AND: return x & v;
    case REDUCE_OR: return x | v;
    case REDUCE_MIN: return x < v ? x : v;
    case REDUCE_MAX: return x > v ? x : v;
    case REDUCE_MIN_SIGNED: return sx < sv ? x : v;
    default: return sx > sv ? x : v;
    }
}

OP_FN(surface_reduce)
{
    uint64_t handle[2][32];
    const texture_place p = place_of(w, in, handle);
    const uint32_t formatted = in->mod & FORMATTED, all = w->mask, op = in->mod >> REDUCTION & 7;
    uint32_t lanes, is_signed;
    reach r;
    if (!surface_reach(w, in, in->mod, (int)(in->mod >> OUTSIDE & 3), &p, formatted ? 0 : in->size, &r, &lanes,
                       &is_signed))
        return NULL;
    w->mask = lanes;
    bool fine = !lanes || ((!w->worker->launch->bet || bet_reach(w, in, &r, in->size, ACCESS_ATOMIC, 0)) &&
                           (!w->watch || memory_watch(w, in, &r, in->size, ACCESS_ATOMIC, in->order, NULL, true)));
    for (int l = 0; l < 32 && fine; l++) {
        uint64_t x = 0;
        if (!(lanes >> l & 1)) continue;
        memcpy(&x, r.host[l], in->size);
        const uint64_t v = in->size == 8 ? SRC(uint64_t, place_at(in, 0))[l] : SRC(uint32_t, place_at(in, 0))[l];
        x = reduced(op + (formatted && op >= REDUCE_MIN && is_signed >> l & 1 ? 2 : 0), in->size, x, v);
        memcpy(r.host[l], &x, in->size);
    }
    w->mask = all;
    if (lanes) bet_done(w);
    return fine ? in + 1 : NULL;
}

/* ---- selecting ---- */
static bool take_geometry(form *f, bool surface)
{
    static const struct {
        uint16_t suffix, geometry;
    } rows[] = {{S_D1, 1},
                {S_D2, 2},
                {S_D3, 3},
                {S_A1D, 1 | TEXTURE_LAYERED},
                {S_A2D, 2 | TEXTURE_LAYERED},
                {S_CUBE, 3 | TEXTURE_CUBE},
                {S_ACUBE, 3 | TEXTURE_CUBE | TEXTURE_LAYERED}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (form_take(f, (enum ptx_suffix)rows[i].suffix)) {
            f->mod |= rows[i].geometry;
            return !surface || !(f->mod & TEXTURE_CUBE) ||
                   form_refuse(f, "has a cube geometry, which surfaces lack: access its faces as layers (.a2d)");
        }
    return form_refuse(f, "has a geometry that is not supported here");
}

/* A place with nothing in it, up to place i. */
static void skip_to(form *f, int i)
{
    while (f->slots < i) f->slot[f->slots++] = (struct form_slot){NULL, T_NONE, SLOT_UNUSED};
}

/* A texture, surface or sampler: an object in a register, a reference, or a parameter that is a
 * reference. */
static bool take_object(form *f, int place, const ptx_operand *op)
{
    const ptx_var *v = op->kind == O_VAR || (op->kind == O_ADDRESS && op->reg < 0) ? op->var : NULL;
    if (op->value.i || (!v && op->reg < 0))
        return form_refuse(f,
                           "needs a texture, surface or sampler: an object in a register, or the name of a reference");
    if (v && !ptx_is_reference(v))
        return form_refuse(f, "names a variable that is not a texture, surface or sampler reference");
    if (v && v->space == SPACE_PARAM) {
        if (!v->owner || !v->owner->is_entry || v->index < 0)
            return form_refuse(
                f, "names a reference passed to a function; only references passed to a kernel are supported here");
        f->mod |= (uint32_t)IN_PARAMETERS << (place - TEXTURE);
    }
    ptx_operand *plain = arena_alloc(f->arena, sizeof *plain);
    *plain = *op;
    plain->kind = v ? O_VAR : O_REG;
    form_use(f, plain, T_B64);
    f->mod2 |= 1u << place;
    return true;
}

/* Elements of a vector, or one operand alone. */
static int elements_of(const ptx_operand *op, const ptx_operand **e)
{
    *e = op->kind == O_VECTOR ? op->elements : op;
    return op->kind == O_VECTOR ? op->count : 1;
}

/* [texture, {x, y}] or [texture, sampler, {x, y}] */
static bool take_place(form *f, const ptx_operand *op, enum ptx_type coordinate)
{
    const int n = (int)(f->mod & TEXTURE_DIMENSIONS), layer = f->mod & TEXTURE_LAYERED ? 1 : 0;
    if (op->kind != O_LIST || op->count < 2)
        return form_refuse(f, "needs a texture or surface and coordinates in brackets");
    if (op->count > 3 || (op->count == 3 && f->in->op != OP_TEX && f->in->op != OP_TLD4))
        return form_refuse(f, "has too many operands in brackets");
    const ptx_operand *c;
    if (elements_of(&op->elements[op->count - 1], &c) < n + layer) return form_refuse(f, "has too few coordinates");
    skip_to(f, TEXTURE);
    if (!take_object(f, TEXTURE, &op->elements[0])) return false;
    if (op->count == 3 && !take_object(f, SAMPLER, &op->elements[1])) return false;
    skip_to(f, LAYER);
    if (layer) form_use(f, &c[0], T_B32), f->mod2 |= 1u << LAYER;
    skip_to(f, COORDINATE);
    for (int i = 0; i < n; i++) form_use(f, &c[layer + i], coordinate), f->mod2 |= 1u << (COORDINATE + i);
    skip_to(f, PLACES); /* so that there are always more than eight */
    return true;
}

static bool take_values(form *f, const ptx_operand *op, int count, enum ptx_type t, bool load)
{
    const ptx_operand *e = op->kind == O_VECTOR ? op->elements : op;
    int given = op->kind == O_VECTOR ? op->count : 1;
    if (given != count) return form_refuse(f, "has a number of elements that does not match its vector suffix");
    for (int i = 0; i < count; i++) {
        int bits = operand_bits(f, &e[i]);
        if (bits < 0 || (bits && bits != (ptx_bits(t) < 16 ? 16 : ptx_bits(t))) ||
            (load && e[i].kind != O_REG && e[i].kind != O_NONE))
            return form_refuse(f, "has data operands that do not match its type");
        if (load) form_def(f, e[i].kind == O_NONE ? NULL : &e[i], t);
        else form_use(f, &e[i], t);
    }
    return true;
}

/* Operands that must be there but have no effect: a level, or the coordinates' derivatives. */
static bool take_unused(form *f, const ptx_operand *op, int least, enum ptx_type t)
{
    const ptx_operand *e;
    const int n = elements_of(op, &e);
    if (n < least) return form_refuse(f, "has too few elements in an operand");
    for (int i = 0; i < n; i++) form_use(f, &e[i], t);
    return true;
}

static bool select_read(form *f, bool gather)
{
    static const uint16_t components[] = {S_R, S_G, S_B, S_A, S_NONE};
    const uint16_t component = gather ? (uint16_t)form_take_any(f, components) : S_R;
    const bool level = !gather && form_take(f, S_LEVEL), grad = !gather && !level && form_take(f, S_GRAD);
    if (!gather && !level && !grad) form_take(f, S_BASE); /* no mipmaps: each level is the first */
    if (!component) return form_refuse(f, "needs a component: .r, .g, .b or .a");
    if (!take_geometry(f, false)) return false;
    const uint32_t dimensions = f->mod & TEXTURE_DIMENSIONS, cube = f->mod & TEXTURE_CUBE;
    if (gather && dimensions != 2 && !cube) return form_refuse(f, "needs two dimensions, or a cube");
    if (!form_take(f, S_V4)) return form_refuse(f, "needs .v4 here");
    enum ptx_type t = form_type(f), c = form_type(f);
    if (t != T_F32 && t != T_S32 && t != T_U32) return form_refuse(f, "returns .f32, .s32 or .u32 values only");
    if (c != T_F32 && (c != T_S32 || gather || cube || grad))
        return form_refuse(f, "has coordinates of a type that is not supported here");
    const int count = f->in->operand_count, plain = 2 + level + 2 * grad;
    if (!form_operands(f, plain, plain + 1)) return false;
    if (c == T_S32) f->mod |= TEXTURE_INTEGER;
    if (gather)
        f->mod |= TEXTURE_GATHER | (uint32_t)(component == S_R   ? 0
                                              : component == S_G ? 1
                                              : component == S_B ? 2
                                                                 : 3)
                                       << TEXTURE_COMPONENT;
    f->fn = read_texture;
    f->size = 4;
    f->count = 4;
    const ptx_operand *o = f->in->operand, *e;
    if (!take_values(f, &o[0], 4, t, true) || !take_place(f, &o[1], c)) return false;
    if (count > plain) {
        if (o[plain].kind != O_VECTOR) return form_refuse(f, "compares with a depth, which is not supported here");
        if (cube || elements_of(&o[plain], &e) < (int)dimensions)
            return form_refuse(f, "has offsets that do not match its geometry");
        f->slots = MORE;
        for (uint32_t i = 0; i < dimensions; i++) form_use(f, &e[i], T_B32), f->mod2 |= 1u << (MORE + i);
        skip_to(f, PLACES);
    }
    for (int i = 2; i < plain; i++)
        if (!take_unused(f, &o[i], grad ? (int)dimensions : 1, c)) return false;
    return true;
}

static bool select_query(form *f, bool surface)
{
    static const struct {
        uint16_t suffix;
        uint8_t what;
        bool of_surface;
    } fields[] = {{S_WIDTH, TEXTURE_WIDTH, true},
                  {S_HEIGHT, TEXTURE_HEIGHT, true},
                  {S_DEPTH, TEXTURE_DEPTH, true},
                  {S_CHANNEL_DATA_TYPE, TEXTURE_TYPE, true},
                  {S_CHANNEL_ORDER, TEXTURE_ORDER, true},
                  {S_ARRAY_SIZE, TEXTURE_LAYERS, true},
                  {S_NORMALIZED_COORDS, TEXTURE_NORMALIZED, false},
                  {S_NUM_MIPMAP_LEVELS, TEXTURE_LEVELS, false},
                  {S_NUM_SAMPLES, TEXTURE_SAMPLES, false},
                  {S_FILTER_MODE, TEXTURE_FILTER, false},
                  {S_ADDR_MODE_0, TEXTURE_OUTSIDE, false},
                  {S_ADDR_MODE_1, TEXTURE_OUTSIDE + 1, false},
                  {S_ADDR_MODE_2, TEXTURE_OUTSIDE + 2, false},
                  {S_FORCE_UNNORMALIZED_COORDS, TEXTURE_PLAIN, false}};
    size_t i = 0;
    while (i < sizeof fields / sizeof *fields &&
           ((surface && !fields[i].of_surface) || !form_take(f, (enum ptx_suffix)fields[i].suffix)))
        i++;
    if (i == sizeof fields / sizeof *fields) return form_refuse(f, "asks for an attribute that is not supported here");
    if (form_type(f) != T_B32 || !form_operands(f, 2, 2)) return form_refuse(f, "needs .b32");
    const ptx_operand *o = f->in->operand;
    if (o[1].kind != O_ADDRESS) return form_refuse(f, "needs a texture, surface or sampler in brackets");
    form_def(f, &o[0], T_B32);
    if (!take_object(f, TEXTURE, &o[1])) return false;
    f->mod2 = fields[i].what;
    f->fn = query;
    return true;
}

static void take_outside(form *f)
{
    const uint32_t outside = form_take(f, S_CLAMP) ? SURFACE_CLAMP : form_take(f, S_ZERO) ? SURFACE_ZERO : SURFACE_TRAP;
    if (outside == SURFACE_TRAP) form_take(f, S_TRAP);
    f->mod |= outside << OUTSIDE;
}

static bool select_surface(form *f, bool store)
{
    static const uint8_t types[] = {T_B8, T_B16, T_B32, T_B64};
    const bool formatted = store && form_take(f, S_P);
    if (!formatted && !form_take(f, S_B))
        return form_refuse(f, store ? "needs .b or .p" : "needs .b: PTX has no formatted surface loads");
    if (!take_geometry(f, true)) return false;
    take_hints(f);
    f->count = form_take(f, S_V2) ? 2 : form_take(f, S_V4) ? 4 : 1;
    take_outside(f);
    enum ptx_type t = form_type(f);
    for (int i = 0; i < 4; i++)
        if (types[i] == t && (!formatted || t == T_B32)) f->size = (uint8_t)(1 << i);
    if (!f->size || f->size * f->count > 16) return form_refuse(f, "has an unknown type");
    if (formatted) f->mod |= FORMATTED;
    if (!form_operands(f, 2, 2)) return false;
    const ptx_operand *o = f->in->operand;
    f->fn = store ? surface_store : surface_load;
    return take_values(f, &o[store ? 1 : 0], f->count, t, !store) && take_place(f, &o[store ? 0 : 1], T_B32);
}

static bool select_reduction(form *f)
{
    static const uint16_t ops[] = {S_ADD, S_AND, S_OR, S_MIN, S_MAX, S_NONE};
    const bool formatted = form_take(f, S_P);
    if (!formatted && !form_take(f, S_B)) return form_refuse(f, "needs .b or .p");
    const enum ptx_suffix named = form_take_any(f, ops);
    if (!take_geometry(f, true)) return false;
    take_outside(f);
    const enum ptx_type t = form_type(f);
    uint32_t op = 0;
    while (ops[op] != S_NONE && ops[op] != named) op++;
    const bool bits = op == REDUCE_AND || op == REDUCE_OR, is_signed = t == T_S32 || t == T_S64;
    const bool known = formatted ? t == T_B32
                       : bits    ? t == T_B32 || t == T_B64
                                 : t == T_U32 || t == T_S32 || t == T_U64 || t == T_S64;
    if (named == S_NONE || !known) return form_refuse(f, "needs an operation, and a type that the operation takes");
    if (is_signed && op >= REDUCE_MIN) op += REDUCE_MIN_SIGNED - REDUCE_MIN;
    f->mod |= op << REDUCTION | (formatted ? FORMATTED : 0u);
    f->size = (uint8_t)(ptx_bits(t) / 8);
    f->count = 1;
    f->order = ORDER_VOLATILE | ORDER_SCOPE_GPU;
    if (!form_operands(f, 2, 2)) return false;
    f->fn = surface_reduce;
    return take_values(f, &f->in->operand[1], 1, t, false) && take_place(f, &f->in->operand[0], T_B32);
}

bool SIM_NAME(select_texture)(form *f)
{
    f->cls = SIM_CLASS_TEXTURE;
    f->has_slot = true;
    switch (f->in->op) {
    case OP_TEX: return select_read(f, false);
    case OP_TLD4: return select_read(f, true);
    case OP_TXQ:
    case OP_SUQ: return select_query(f, f->in->op == OP_SUQ);
    case OP_SULD: return select_surface(f, false);
    case OP_SUST: return select_surface(f, true);
    case OP_SURED: return select_reduction(f);
    default: return form_refuse(f, "is not supported here");
    }
}
