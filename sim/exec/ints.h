/* ints.h: what the files of integer operations share.
 *
 * Most operations exist for six integer types; their functions stand in tables indexed by
 * `int_type`, so that a selector reads "fns[type]". The macros below make such a table from one
 * expression F(T, a, b): T is the C type of the values. Untyped bits (.b16 .b32 .b64) count as
 * unsigned. Places hold 16-bit values zero-extended: a source is cast to T when read, a result to
 * uint16_t when stored.
 */
#ifndef SIM_INTS_H
#define SIM_INTS_H

#include "exec.h"

enum int_type { I_U16, I_U32, I_U64, I_S16, I_S32, I_S64, INT_TYPES };

static inline uint32_t popc_32(uint32_t x)
{
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    x += x >> 8; /* no multiplication: gcc recognises that and makes a scalar popcnt of it */
    x += x >> 16;
    return x & 63;
}

/* The index of an integer type; of an untyped one only if `bits` allows it. -1: not one. */
static inline int int_type_of(enum ptx_type t, bool bits)
{
    switch (t) {
    case T_U16: return I_U16;
    case T_U32: return I_U32;
    case T_U64: return I_U64;
    case T_S16: return I_S16;
    case T_S32: return I_S32;
    case T_S64: return I_S64;
    case T_B16: return bits ? I_U16 : -1;
    case T_B32: return bits ? I_U32 : -1;
    case T_B64: return bits ? I_U64 : -1;
    default: return -1;
    }
}

static inline bool int_signed(int i) { return i >= I_S16; }

/* Refuses `!p`, `-r` and `r.b0` where the form does not allow them; bit i of `negatable`: operand i
 * may be negated. */
static inline bool operands_plain(form *f, unsigned negatable)
{
    for (int i = 0; i < f->in->operand_count; i++) {
        const ptx_operand *op = &f->in->operand[i], *second = ptx_second(op);
        if ((op->negated && !(negatable >> i & 1)) || (second && second->negated))
            return form_refuse(f, "cannot negate that operand");
        if (op->pick) return form_refuse(f, "cannot take a byte or half of an operand");
    }
    return true;
}

/* Is every register as wide as the instruction's type? The last check of a selector. */
static inline bool operands_fit(form *f)
{
    for (int i = 0; i < f->slots; i++) {
        const struct form_slot *s = &f->slot[i];
        if (!s->op || s->op->kind != O_REG || s->op->reg < 0) continue;
        int have = ptx_bits(f->func->regs[s->op->reg].type), want = ptx_bits(s->type);
        if (have != want && !(want == 8 && have == 16)) return form_refuse(f, "has a register of the wrong width");
    }
    return true;
}

/* Sets the function of an instruction; refuses it where the table has none. */
static inline bool select_from(form *f, op_fn *const *fns, int i, enum sim_class cls)
{
    if (i < 0 || !fns[i]) return form_refuse(f, "does not exist for this type");
    f->fn = fns[i];
    f->cls = cls;
    return true;
}

/* One source, two, three; all six types. */
#define INT_OPS1(name, F)                                         \
    OP1(name##_u16, uint32_t, uint32_t, (uint16_t)F(uint16_t, A)) \
    OP1(name##_u32, uint32_t, uint32_t, F(uint32_t, A))           \
    OP1(name##_u64, uint64_t, uint64_t, F(uint64_t, A))           \
    OP1(name##_s16, uint32_t, uint32_t, (uint16_t)F(int16_t, A))  \
    OP1(name##_s32, uint32_t, uint32_t, F(int32_t, A))            \
    OP1(name##_s64, uint64_t, uint64_t, F(int64_t, A))            \
    INT_TABLE(name)
#define INT_OPS2(name, F)                                                      \
    OP2(name##_u16, uint32_t, uint32_t, uint32_t, (uint16_t)F(uint16_t, A, B)) \
    OP2(name##_u32, uint32_t, uint32_t, uint32_t, F(uint32_t, A, B))           \
    OP2(name##_u64, uint64_t, uint64_t, uint64_t, F(uint64_t, A, B))           \
    OP2(name##_s16, uint32_t, uint32_t, uint32_t, (uint16_t)F(int16_t, A, B))  \
    OP2(name##_s32, uint32_t, uint32_t, uint32_t, F(int32_t, A, B))            \
    OP2(name##_s64, uint64_t, uint64_t, uint64_t, F(int64_t, A, B))            \
    INT_TABLE(name)
#define INT_OPS3(name, F)                                                                   \
    OP3(name##_u16, uint32_t, uint32_t, uint32_t, uint32_t, (uint16_t)F(uint16_t, A, B, C)) \
    OP3(name##_u32, uint32_t, uint32_t, uint32_t, uint32_t, F(uint32_t, A, B, C))           \
    OP3(name##_u64, uint64_t, uint64_t, uint64_t, uint64_t, F(uint64_t, A, B, C))           \
    OP3(name##_s16, uint32_t, uint32_t, uint32_t, uint32_t, (uint16_t)F(int16_t, A, B, C))  \
    OP3(name##_s32, uint32_t, uint32_t, uint32_t, uint32_t, F(int32_t, A, B, C))            \
    OP3(name##_s64, uint64_t, uint64_t, uint64_t, uint64_t, F(int64_t, A, B, C))            \
    INT_TABLE(name)
#define INT_TABLE(name)                                                              \
    static op_fn *const name##_fns[INT_TYPES] = {name##_u16, name##_u32, name##_u64, \
                                                 name##_s16, name##_s32, name##_s64};

/* The same where the sign does not matter: three functions for six types. F(a, b) on unsigned
 * values. */
#define WIDTH_OPS1(name, F)                            \
    OP1(name##_16, uint32_t, uint32_t, (uint16_t)F(A)) \
    OP1(name##_32, uint32_t, uint32_t, F(A))           \
    OP1(name##_64, uint64_t, uint64_t, F(A))           \
    WIDTH_TABLE(name)
#define WIDTH_OPS2(name, F)                                         \
    OP2(name##_16, uint32_t, uint32_t, uint32_t, (uint16_t)F(A, B)) \
    OP2(name##_32, uint32_t, uint32_t, uint32_t, F(A, B))           \
    OP2(name##_64, uint64_t, uint64_t, uint64_t, F(A, B))           \
    WIDTH_TABLE(name)
#define WIDTH_OPS3(name, F)                                                      \
    OP3(name##_16, uint32_t, uint32_t, uint32_t, uint32_t, (uint16_t)F(A, B, C)) \
    OP3(name##_32, uint32_t, uint32_t, uint32_t, uint32_t, F(A, B, C))           \
    OP3(name##_64, uint64_t, uint64_t, uint64_t, uint64_t, F(A, B, C))           \
    WIDTH_TABLE(name)
#define WIDTH_TABLE(name) \
    static op_fn *const name##_fns[INT_TYPES] = {name##_16, name##_32, name##_64, name##_16, name##_32, name##_64};

/* The high half of a 64 x 64 bit product, from 32-bit pieces, which vectorises. */
static inline uint64_t mul_hi_u64(uint64_t a, uint64_t b)
{
    uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    uint64_t mid = ah * bl + (al * bl >> 32);
    uint64_t low = al * bh + (uint32_t)mid;
    return ah * bh + (mid >> 32) + (low >> 32);
}
static inline uint64_t mul_hi_s64(uint64_t a, uint64_t b)
{
    return mul_hi_u64(a, b) - ((int64_t)a < 0 ? b : 0) - ((int64_t)b < 0 ? a : 0);
}
static inline uint32_t mul_hi_u32(uint32_t a, uint32_t b) { return (uint32_t)((uint64_t)a * b >> 32); }
static inline uint32_t mul_hi_s32(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)((int64_t)(int32_t)a * (int32_t)b) >> 32);
}

/* a + b, kept within the range of 32 signed bits. */
static inline uint32_t add_sat_s32(uint32_t a, uint32_t b)
{
    uint32_t r = a + b, edge = (a >> 31) + 0x7fffffffu;
    return (int32_t)((a ^ r) & (b ^ r)) < 0 ? edge : r;
}
static inline uint32_t sub_sat_s32(uint32_t a, uint32_t b)
{
    uint32_t r = a - b, edge = (a >> 31) + 0x7fffffffu;
    return (int32_t)((a ^ b) & (a ^ r)) < 0 ? edge : r;
}

/* Arithmetic with the carry flag, written in int.c: add, sub, addc, subc, mad, madc (.lo, .hi).
 * NULL where there is none. */
enum carry_op { CARRY_ADD, CARRY_SUB, CARRY_MAD_LO, CARRY_MAD_HI };
bool SIM_NAME(select_carry)(form *f, enum carry_op op, enum ptx_type t, bool carry_in, bool carry_out);

#endif
