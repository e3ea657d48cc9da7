/* texture.c: tex, tld4, txq, suld and sust, of one and two dimensions; what they do is in run/texture.c.
 *
 * Places: o[0..3] the four (or fewer) values, o[4] the handle, o[5] and o[6] the coordinates.
 */
#include "access.h"
#include "select.h"

OP_FN(read_texture)
{
    uint64_t handle[32];
    uint32_t out[4][32];
    memcpy(handle, SRC(char, in->o[4]), sizeof handle);
    const uint32_t *x = SRC(uint32_t, in->o[5]), *y = in->mod & TEXTURE_2D ? SRC(uint32_t, in->o[6]) : NULL;
    if (!texture_read(w, in, in->mod, handle, x, y, out)) return NULL;
    for (int c = 0; c < 4; c++) {
        uint32_t *d = DST(uint32_t, in->o[c]);
        for (int l = 0; l < 32; l++)
            if (w->lane[l]) d[l] = out[c][l];
    }
    return in + 1;
}

OP_FN(query)
{
    uint32_t out[32];
    if (!texture_size(w, in, SRC(uint64_t, in->o[1]), in->mod, out)) return NULL;
    uint32_t *d = DST(uint32_t, in->o[0]);
    for (int l = 0; l < 32; l++)
        if (w->lane[l]) d[l] = out[l];
    return in + 1;
}

/* One element between a register (32 or, for 8 bytes, 64 bits wide) and the bytes of a lane. */
OP_FN(surface_load)
{
    _Alignas(16) char data[32 * 16];
    const uint32_t *x = SRC(uint32_t, in->o[5]), *y = in->mod & TEXTURE_2D ? SRC(uint32_t, in->o[6]) : NULL;
    if (!surface_io(w, in, false, (int)in->mod2, SRC(uint64_t, in->o[4]), x, y, (uint32_t)in->size * in->count, data))
        return NULL;
    for (uint32_t k = 0; k < in->count; k++)
        for (int l = 0; l < 32; l++) {
            uint64_t v = 0;
            if (!w->lane[l]) continue;
            memcpy(&v, data + 16 * l + k * in->size, in->size);
            if (in->size == 8) DST(uint64_t, in->o[k])[l] = v;
            else DST(uint32_t, in->o[k])[l] = (uint32_t)v;
        }
    return in + 1;
}

OP_FN(surface_store)
{
    _Alignas(16) char data[32 * 16];
    const uint32_t *x = SRC(uint32_t, in->o[5]), *y = in->mod & TEXTURE_2D ? SRC(uint32_t, in->o[6]) : NULL;
    for (uint32_t k = 0; k < in->count; k++)
        for (int l = 0; l < 32; l++) {
            uint64_t v = in->size == 8 ? SRC(uint64_t, in->o[k])[l] : SRC(uint32_t, in->o[k])[l];
            memcpy(data + 16 * l + k * in->size, &v, in->size);
        }
    return surface_io(w, in, true, (int)in->mod2, SRC(uint64_t, in->o[4]), x, y, (uint32_t)in->size * in->count, data)
               ? in + 1
               : NULL;
}

/* ---- selecting ---- */
static bool take_dimensions(form *f)
{
    if (form_take(f, S_D2)) f->mod |= TEXTURE_2D;
    else if (!form_take(f, S_D1))
        return form_refuse(f, "has a geometry that is not supported here: only 1d and 2d are");
    return true;
}

/* [handle, {x, y}]: slots 4, 5, 6. */
static bool take_place(form *f, const ptx_operand *op, enum ptx_type coordinate)
{
    int n = f->mod & TEXTURE_2D ? 2 : 1;
    if (op->kind != O_LIST || op->count < 2)
        return form_refuse(f, "needs a texture or surface and coordinates in brackets");
    if (op->count > 2) return form_refuse(f, "has a sampler of its own, which is not supported here");
    if (op->elements[0].kind != O_REG)
        return form_refuse(f, "names a texture or surface reference; only objects in registers are supported here");
    const ptx_operand *c = &op->elements[1];
    int given = c->kind == O_VECTOR ? c->count : 1;
    if (c->kind == O_VECTOR) c = c->elements;
    if (given < n) return form_refuse(f, "has too few coordinates");
    while (f->slots < 4) f->slot[f->slots++] = (struct form_slot){NULL, T_NONE, SLOT_UNUSED};
    form_use(f, &op->elements[0], T_B64);
    for (int i = 0; i < n; i++) form_use(f, &c[i], coordinate);
    return true;
}

static bool take_values(form *f, const ptx_operand *op, int count, enum ptx_type t, bool load)
{
    const ptx_operand *e = op->kind == O_VECTOR ? op->elements : op;
    int given = op->kind == O_VECTOR ? op->count : 1;
    if (given != count) return form_refuse(f, "has another number of elements than its vector suffix says");
    for (int i = 0; i < count; i++) {
        int bits = operand_bits(f, &e[i]);
        if (bits < 0 || (bits && bits != (ptx_bits(t) < 16 ? 16 : ptx_bits(t))) ||
            (load && e[i].kind != O_REG && e[i].kind != O_NONE))
            return form_refuse(f, "has data operands that do not fit its type");
        if (load) form_def(f, e[i].kind == O_NONE ? NULL : &e[i], t);
        else form_use(f, &e[i], t);
    }
    return true;
}

static bool select_read(form *f, bool gather)
{
    static const uint16_t components[] = {S_R, S_G, S_B, S_A, S_NONE};
    uint16_t component = gather ? (uint16_t)form_take_any(f, components) : S_R;
    bool level = !gather && form_take(f, S_LEVEL);
    if (!component) return form_refuse(f, "names no component");
    if (!take_dimensions(f)) return false;
    if (gather && !(f->mod & TEXTURE_2D)) return form_refuse(f, "needs two dimensions");
    if (!form_take(f, S_V4)) return form_refuse(f, "gives four values here (.v4)");
    enum ptx_type t = form_type(f), c = form_type(f);
    if (t != T_F32 && t != T_S32 && t != T_U32) return form_refuse(f, "gives .f32, .s32 or .u32 values here");
    if (c != T_F32 && (c != T_S32 || gather))
        return form_refuse(f, "has coordinates of a type that is not supported here");
    if (!form_operands(f, 2 + level, 2 + level)) return false;
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
    if (!take_values(f, &f->in->operand[0], 4, t, true) || !take_place(f, &f->in->operand[1], c)) return false;
    if (level) form_use(f, &f->in->operand[2], c); /* there are no mipmaps: every level is the first */
    return true;
}

static bool select_query(form *f)
{
    bool height = form_take(f, S_HEIGHT);
    if (!height && !form_take(f, S_WIDTH)) return form_refuse(f, "asks for something that is not supported here");
    if (form_type(f) != T_B32 || !form_operands(f, 2, 2)) return form_refuse(f, "is of a form that is not known here");
    const ptx_operand *o = f->in->operand;
    if (o[1].kind != O_ADDRESS || o[1].reg < 0 || o[1].value.i)
        return form_refuse(f, "needs a texture or surface object in a register");
    form_def(f, &o[0], T_B32);
    form_use(f, &o[1], T_B64);
    f->mod = height;
    f->fn = query;
    return true;
}

static bool select_surface(form *f, bool store)
{
    static const uint8_t types[] = {T_B8, T_B16, T_B32, T_B64};
    if (!form_take(f, S_B)) return form_refuse(f, "is not supported here in its formatted kind (.p)");
    if (!take_dimensions(f)) return false;
    take_hints(f);
    f->count = form_take(f, S_V2) ? 2 : form_take(f, S_V4) ? 4 : 1;
    f->mod2 = form_take(f, S_CLAMP) ? SURFACE_CLAMP : form_take(f, S_ZERO) ? SURFACE_ZERO : SURFACE_TRAP;
    if (f->mod2 == SURFACE_TRAP) form_take(f, S_TRAP);
    enum ptx_type t = form_type(f);
    for (int i = 0; i < 4; i++)
        if (types[i] == t) f->size = (uint8_t)(1 << i);
    if (!f->size || f->size * f->count > 16) return form_refuse(f, "has a type that is not known here");
    if (!form_operands(f, 2, 2)) return false;
    const ptx_operand *o = f->in->operand;
    f->fn = store ? surface_store : surface_load;
    return take_values(f, &o[store ? 1 : 0], f->count, t, !store) && take_place(f, &o[store ? 0 : 1], T_B32);
}

bool SIM_NAME(select_texture)(form *f)
{
    f->cls = SIM_CLASS_TEXTURE;
    f->has_slot = true;
    switch (f->in->op) {
    case OP_TEX: return select_read(f, false);
    case OP_TLD4: return select_read(f, true);
    case OP_TXQ: case OP_SUQ: return select_query(f);
    case OP_SULD: return select_surface(f, false);
    case OP_SUST: return select_surface(f, true);
    default: return form_refuse(f, "is not supported here");
    }
}
