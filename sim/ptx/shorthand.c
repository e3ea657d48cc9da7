/* shorthand.c: short forms of PTX become the long form, the only one from here on.
 *
 *   .reg .v4 .f32 v;        four consecutive registers: v.x v.y v.z v.w, or v.r v.g v.b v.a;
 *                           v alone is {v.x, v.y, v.z, v.w}
 *   mov.v4.f32 u, v;        a mov of each element; all are read before any is written
 *   mov.u32 %r1, %r2+4;     an addition; other instructions get one in front, into a new register
 *   mov.u64 %rd1, table[2]; the address of an element, in scalars, in vectors too
 */
#include "constants.h"
#include "shorthand.h"
#include <stdio.h>

const uint8_t parse_types[T_COUNT] = {
#define TYPE(id, name, bits, kind) [T_##id] = T_##id,
#include "types.def"
#undef TYPE
};

void parse_push(parser *p, const ptx_insn *in)
{
    if (++p->insns_total > PARSE_MAX_INSNS)
        parse_fail(p, SIM_E_REFUSED, in->line, in->column, NULL, "the text has more than %d instructions",
                   PARSE_MAX_INSNS);
    *ARENA_PUSH(&p->scratch, p->insns, p->insn_count, p->insn_capacity) = *in;
}

ptx_operand parse_register_operand(int reg) { return (ptx_operand){.kind = O_REG, .reg = reg, .component = 255}; }

/* `count` consecutive registers as one operand. */
ptx_operand parse_vector_operand(parser *p, int first, int count)
{
    ptx_operand v = {.kind = O_VECTOR, .reg = -1, .component = 255, .count = count};
    v.elements = arena_array(p->keep, (size_t)count, sizeof *v.elements);
    for (int i = 0; i < count; i++) v.elements[i] = parse_register_operand(first + i);
    return v;
}

/* After the name of a vector register: all of it, or one element. */
void parse_vector_name(parser *p, ptx_operand *o, int first, int count)
{
    *o = parse_vector_operand(p, first, count);
    if (p->t.kind != TK_DOT) return;
    const char *letters = "xyzwrgba", *at = p->t.length == 1 ? strchr(letters, p->t.text[0]) : NULL;
    const int element = at ? (int)(at - letters) & 3 : count;
    if (element >= count)
        parse_expected(p, count == 2 ? "\".x\" or \".y\" of a vector of two" : "\".x\", \".y\", \".z\" or \".w\"");
    lex_next(p);
    *o = parse_register_operand(first + element);
}

/* After the name of a variable: [number]. */
void parse_index(parser *p, ptx_operand *o)
{
    if (p->t.kind != '[') return;
    token at = p->t;
    if (!o->var->is_array) parse_wrong(p, &at, "\"%.60s\" is not an array", o->var->name);
    lex_next(p);
    if (p->t.kind == TK_NAME && names_lookup(p, names_intern(p, p->t.text, p->t.length)))
        parse_fail(p, SIM_E_REFUSED, at.line, at.column, "Add it to the variable's address in a register.",
                   "an index that is not a constant is not supported");
    const uint64_t number = (uint64_t)parse_integer(p, "an index");
    parse_take(p, ']', "\"]\"");
    o->value.i = (int64_t)((uint64_t)o->value.i + number * (uint64_t)((ptx_bits(o->var->type) + 7) / 8));
}

/* ---- instructions ---- */

static enum ptx_type unsigned_of(enum ptx_type t)
{
    return ptx_bits(t) == 64 ? T_U64 : ptx_bits(t) == 16 ? T_U16 : T_U32;
}

/* After a register: + number. Only where it is a whole source operand. */
void parse_register_plus(parser *p, ptx_operand *o)
{
    while (p->t.kind == '+') {
        token at = p->t;
        const enum ptx_type t = p->f->regs[o->reg].type;
        if (ptx_types[t].kind == 'F' || ptx_bits(t) < 16 || ptx_bits(t) > 64)
            parse_wrong(p, &at, "\"register + constant\" needs an integer register of 16, 32 or 64 bits");
        lex_next(p);
        at = p->t;
        value v = parse_value_unary(p);
        if (v.kind != V_INT) parse_wrong(p, &at, "expected an integer after \"+\"");
        o->value.i = (int64_t)((uint64_t)o->value.i + v.bits);
    }
}

static void make_addition(parser *p, ptx_insn *in, int to, const ptx_operand *from)
{
    static const char *const forms[] = {"add.u16", "add.u32", "add.u64"};
    const enum ptx_type t = unsigned_of(p->f->regs[from->reg].type);
    in->op = OP_ADD;
    in->form = forms[ptx_bits(t) / 32];
    in->type_count = 1;
    in->type = &parse_types[t];
    in->suffix_count = 0;
    in->operand_count = 3;
    in->operand = arena_array(p->keep, 3, sizeof *in->operand);
    in->operand[0] = parse_register_operand(to);
    in->operand[1] = parse_register_operand(from->reg);
    in->operand[2] = (ptx_operand){.kind = O_INT, .reg = -1, .component = 255, .value.i = from->value.i};
}

/* Adds the constants of register + number sources before the instruction. */
static void add_before(parser *p, ptx_insn *in)
{
    for (int i = 0; i < in->operand_count; i++) {
        ptx_operand *o = &in->operand[i];
        if (o->kind != O_REG || !o->value.i) continue;
        const ptx_reg *r = &p->f->regs[o->reg];
        token at = {.line = in->line, .column = in->column};
        if (!i && in->op != OP_ST && in->op != OP_RED)
            parse_wrong(p, &at, "the first operand is written, so it cannot be \"register + constant\"");
        const enum ptx_type t = in->type_count == 1 ? (enum ptx_type)in->type[0] : T_NONE;
        const bool is_mov = in->op == OP_MOV && in->operand_count == 2 && in->operand[0].kind == O_REG;
        if (is_mov && !in->suffix_count && ptx_types[t].kind != 'F' && ptx_bits(t) == ptx_bits(r->type)) {
            make_addition(p, in, in->operand[0].reg, o);
            return;
        }
        ptx_insn add = {.line = in->line, .column = in->column, .loc = in->loc, .guard = -1};
        const int sum = names_register(p, r->type, r->name, 0);
        make_addition(p, &add, sum, o);
        parse_push(p, &add);
        *o = parse_register_operand(sum);
    }
}

/* mov.v4.u32 v, %tid: the elements of the source. */
static ptx_operand element_of(const ptx_operand *o, int i)
{
    if (o->kind == O_VECTOR) return o->elements[i];
    ptx_operand e = *o;
    e.component = (uint8_t)i;
    return e;
}

static void one_mov(parser *p, const ptx_insn *like, const ptx_operand *to, const ptx_operand *from)
{
    ptx_insn in = *like;
    in.suffix_count = 0;
    in.operand = arena_array(p->keep, 2, sizeof *in.operand);
    in.operand[0] = *to;
    in.operand[1] = *from;
    parse_push(p, &in);
}

static bool move_elements(parser *p, const ptx_insn *in)
{
    const int count = ptx_has(in, S_V2) ? 2 : ptx_has(in, S_V4) ? 4 : 0;
    if (in->op != OP_MOV || !count || in->operand_count != 2 || in->suffix_count != 1) return false;
    const ptx_operand *to = &in->operand[0], *from = &in->operand[1];
    const bool special = from->kind == O_SREG && ptx_sregs[from->sreg].vector && from->component == 255;
    token at = {.line = in->line, .column = in->column};
    if (to->kind != O_VECTOR || to->count != count || (!special && (from->kind != O_VECTOR || from->count != count)))
        parse_wrong(p, &at, "%s moves vectors of %d elements", in->form, count);
    ptx_operand element[4];
    bool overlap = false;
    for (int i = 0; i < count; i++) {
        element[i] = element_of(from, i);
        for (int k = 0; element[i].kind == O_REG && k < i; k++)
            overlap |= to->elements[k].kind == O_REG && to->elements[k].reg == element[i].reg;
    }
    for (int i = 0; overlap && i < count; i++) {
        if (element[i].kind != O_REG) continue;
        const ptx_reg *r = &p->f->regs[element[i].reg];
        const ptx_operand kept = parse_register_operand(names_register(p, r->type, r->name, 0));
        one_mov(p, in, &kept, &element[i]);
        element[i] = kept;
    }
    for (int i = 0; i < count; i++)
        if (to->elements[i].kind != O_NONE) one_mov(p, in, &to->elements[i], &element[i]);
    return true;
}

void parse_push_long(parser *p, ptx_insn *in)
{
    add_before(p, in);
    if (!move_elements(p, in)) parse_push(p, in);
}
