/* store_async.c: the operands of st.async and red.async. run/async_store.c performs them.
 *
 * The place is [o4 + imm]; the barrier object [o5 + o0]; the values are in o[1], o[2], o[3] and o[6].
 */
#include "access.h"
#include "exec.h"
#include "run/async_store.h"

enum { OBJECT_WIDE = 4, VALUES_WIDE = 8 };
static const uint8_t value_place[4] = {1, 2, 3, 6};

static bool reach_shared(struct warp *w, const insn *in, uint8_t space, uint32_t bytes, enum access_kind kind, reach *r)
{
    if (!memory_reach(w, in, space, bytes, kind, r)) return false;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        const uint8_t is = r->space ? r->space : r->spaces[first_lane(m)];
        if (is == SPACE_SHARED || is == SPACE_CLUSTER) continue;
        fault_raise(w, in, SIM_FAULT_BAD_OPERAND, first_lane(m), m, "global", r->at[first_lane(m)], bytes,
                    "an asynchronous store and its barrier object must lie in shared memory of the cluster");
        return false;
    }
    return true;
}

#define COMBINE(name, T, expr)                                   \
    static void name(char *to, const char *data, uint32_t bytes) \
    {                                                            \
        T x, b;                                                  \
        memcpy(&x, to, sizeof x);                                \
        memcpy(&b, data, sizeof b);                              \
        x = (T)(expr);                                           \
        memcpy(to, &x, sizeof x);                                \
        (void)bytes;                                             \
    }
COMBINE(add_32, uint32_t, x + b)
COMBINE(add_64, uint64_t, x + b)
COMBINE(min_u32, uint32_t, x < b ? x : b)
COMBINE(max_u32, uint32_t, x > b ? x : b)
COMBINE(min_s32, int32_t, x < b ? x : b)
COMBINE(max_s32, int32_t, x > b ? x : b)
COMBINE(inc_32, uint32_t, x >= b ? 0 : x + 1)
COMBINE(dec_32, uint32_t, x == 0 || x > b ? b : x - 1)
COMBINE(and_32, uint32_t, x &b)
COMBINE(or_32, uint32_t, x | b)
COMBINE(xor_32, uint32_t, x ^ b)

static const struct combine_row {
    uint16_t op;
    uint8_t type;
    store_combine *combine;
} rows[] = {{S_ADD, T_U32, add_32},  {S_ADD, T_S32, add_32},  {S_ADD, T_U64, add_64},  {S_MIN, T_U32, min_u32},
            {S_MAX, T_U32, max_u32}, {S_MIN, T_S32, min_s32}, {S_MAX, T_S32, max_s32}, {S_INC, T_U32, inc_32},
            {S_DEC, T_U32, dec_32},  {S_AND, T_B32, and_32},  {S_OR, T_B32, or_32},    {S_XOR, T_B32, xor_32}};

OP_FN(op_async_store)
{
    reach to, object;
    char data[32][16];
    const uint32_t each = in->size, count = in->count, bytes = each * count;
    const uint64_t add = in->o[0] != UINT32_MAX ? *SRC(uint64_t, in->o[0]) : 0;
    w->worker->strong++;
    lane_addresses(w, in, to.at);
    for (int l = 0; l < 32; l++)
        object.at[l] = in->mod & OBJECT_WIDE ? SRC(uint64_t, in->o[5])[l] + add
                                             : (uint32_t)(SRC(uint32_t, in->o[5])[l] + (uint32_t)add);
    if (!reach_shared(w, in, in->space, bytes, in->mod2 ? ACCESS_ATOMIC : ACCESS_WRITE, &to) ||
        !reach_shared(w, in, in->space, 8, ACCESS_ATOMIC, &object))
        return NULL;
    for (uint32_t k = 0; k < count; k++)
        for (int l = 0; l < 32; l++)
            memcpy(data[l] + k * each, SRC(char, in->o[value_place[k]]) + (size_t)l * (in->mod & VALUES_WIDE ? 8 : 4),
                   each);
    return async_store(w, in, &to, data[0], bytes, &object, in->mod2 ? rows[in->mod2 - 1].combine : NULL) ? in + 1
                                                                                                          : NULL;
}

static void skip_to(form *f, int slots)
{
    while (f->slots < slots) f->slot[f->slots++] = (struct form_slot){NULL, T_NONE, SLOT_UNUSED};
}

static const ptx_operand *constant(form *f, int64_t value)
{
    ptx_operand *c = arena_alloc(f->arena, sizeof *c);
    c->kind = O_INT;
    c->reg = -1;
    c->component = 255;
    c->value.i = value;
    return c;
}

/* The suffix .async has been taken. */
bool SIM_NAME(select_async_store)(form *f)
{
    const bool red = f->in->op == OP_RED;
    const ptx_operand *o = f->in->operand;
    f->cls = SIM_CLASS_ASYNC;
    f->has_slot = true;
    f->fn = op_async_store;
    if (red) {
        form_take(f, S_RELAXED);
        form_take(f, S_CLUSTER);
    } else {
        form_take(f, S_WEAK);
    }
    f->space = take_space(f);
    if (f->space != SPACE_CLUSTER && f->space != SPACE_NONE) return form_refuse(f, "works on .shared::cluster only");
    f->space = SPACE_CLUSTER;
    f->order = red ? ORDER_VOLATILE | ORDER_SCOPE_CLUSTER : ORDER_WEAK;
    if (!form_take(f, S_MBARRIER_COMPLETE)) return form_refuse(f, "needs .mbarrier::complete_tx::bytes");
    static const uint16_t ops[] = {S_ADD, S_MIN, S_MAX, S_INC, S_DEC, S_AND, S_OR, S_XOR, S_NONE};
    const uint16_t op = red ? (uint16_t)form_take_any(f, ops) : 0;
    const int count = red ? 1 : form_take(f, S_V2) ? 2 : form_take(f, S_V4) ? 4 : 1;
    const enum ptx_type t = form_type(f);
    const int bits = t == T_NONE ? 0 : ptx_bits(t);
    for (uint32_t i = 0; red && i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].op == op && rows[i].type == t) f->mod2 = i + 1;
    if (red ? !f->mod2 : (bits != 32 && bits != 64) || t == T_F16X2 || t == T_BF16X2 || count * bits > 128)
        return form_refuse(f, "does not exist for this type");
    if (!form_operands(f, 3, 3)) return false;
    f->size = (uint8_t)(bits / 8);
    f->count = (uint8_t)count;
    if (bits == 64) f->mod |= VALUES_WIDE;
    const ptx_operand *values = o[1].kind == O_VECTOR ? o[1].elements : &o[1], *object = &o[2];
    if ((o[1].kind == O_VECTOR ? o[1].count : 1) != count)
        return form_refuse(f, "has a number of elements that does not match its vector suffix");
    if (object->kind != O_ADDRESS && object->kind != O_VAR) return form_refuse(f, "needs an address in brackets");
    const bool based = object->kind == O_ADDRESS && object->reg >= 0;
    if (based && object->value.i) form_use(f, constant(f, object->value.i), T_B64);
    else skip_to(f, 1);
    for (int k = 0; k < count && k < 3; k++) form_use(f, &values[k], bits == 64 ? T_B64 : T_B32);
    skip_to(f, 4);
    form_address(f, &o[0]);
    const bool wide = !based || ptx_bits(f->func->regs[object->reg].type) == 64;
    if (wide) f->mod |= OBJECT_WIDE;
    if (based) form_use(f, object, wide ? T_B64 : T_B32);
    else form_use(f, constant(f, (int64_t)(object->var ? object->var->address : 0) + object->value.i), T_B64);
    if (count == 4) form_use(f, &values[3], bits == 64 ? T_B64 : T_B32);
    return !f->why;
}
