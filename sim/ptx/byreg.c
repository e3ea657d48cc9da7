/* byreg.c: functions that take or give values in registers, and calls that pass registers and constants.
 *
 *     .func (.reg .b32 r) f (.reg .b32 a) { ... ret; }          call (%r1), f, (%r2);
 *
 * Both become the .param way, which is the only one from here on: a parameter that is a register gets a hidden .param variable, from which the
 * body begins by loading the register and to which it stores before each ret. A call stores registers and constants to variables of its own
 * before, and loads what comes back behind it. So either side may be written in either way.
 */
#include "parse.h"

static enum ptx_type bits_type(uint64_t bytes)
{
    return bytes == 1 ? T_B8 : bytes == 2 ? T_B16 : bytes == 4 ? T_B32 : bytes == 8 ? T_B64 : T_B128;
}

/* ld.param or st.param of a whole variable. */
static void move(parser *p, enum ptx_op op, const ptx_operand *from, ptx_var *v, const ptx_insn *like)
{
    static const char *const forms[2][5] = {{"st.param.b8", "st.param.b16", "st.param.b32", "st.param.b64", "st.param.b128"},
                                            {"ld.param.b8", "ld.param.b16", "ld.param.b32", "ld.param.b64", "ld.param.b128"}};
    int size = 0;
    while ((uint64_t)1 << size < v->size) size++;
    ptx_operand *o = arena_array(p->keep, 2, sizeof *o);
    const int at = op == OP_LD; /* where the address stands */
    o[!at] = *from;
    o[at] = (ptx_operand){.kind = O_ADDRESS, .reg = -1, .component = 255, .var = v};
    ptx_insn in = {.op = op, .form = forms[op == OP_LD][size], .type_count = 1, .suffix_count = 1, .operand_count = 2, .operand = o,
                   .guard = like ? like->guard : -1, .guard_negated = like && like->guard_negated, .line = like ? like->line : v->line,
                   .column = like ? like->column : 1, .loc = p->loc};
    in.type[0] = (uint8_t)bits_type(v->size);
    in.suffix[0] = S_PARAM;
    if (++p->insns_total > PARSE_MAX_INSNS)
        parse_fail(p, SIM_E_REFUSED, in.line, in.column, NULL, "the text has more than %d instructions", PARSE_MAX_INSNS);
    *ARENA_PUSH(&p->scratch, p->insns, p->insn_count, p->insn_capacity) = in;
}

static ptx_operand register_operand(int reg) { return (ptx_operand){.kind = O_REG, .reg = reg, .component = 255}; }

void byreg_begin(parser *p)
{
    for (int i = 0; i < p->f->param_count; i++) {
        ptx_operand r = register_operand(p->f->params[i]->reg);
        if (p->f->params[i]->in_register) move(p, OP_LD, &r, p->f->params[i], NULL);
    }
}

void byreg_return(parser *p, const ptx_insn *like)
{
    for (int i = 0; i < p->f->ret_count; i++) {
        ptx_operand r = register_operand(p->f->rets[i]->reg);
        if (p->f->rets[i]->in_register) move(p, OP_ST, &r, p->f->rets[i], like);
    }
}

/* The operands of a call that are lists of values: what comes back, what goes in; and what is known of the function. */
typedef struct call_parts {
    ptx_operand *rets, *args;
    const ptx_func *type;
} call_parts;

static call_parts parts_of(const ptx_insn *in)
{
    call_parts c = {0};
    bool named = false;
    for (int i = 0; i < in->operand_count; i++) {
        ptx_operand *o = &in->operand[i];
        if (o->kind == O_LIST) *(named ? &c.args : &c.rets) = o;
        else if (o->kind == O_TABLE) c.type = o->table->kind == 'p' ? o->table->prototype : o->table->kind == 'c' ? o->table->funcs[0] : NULL;
        else named = true;
        if (o->kind == O_FUNC) c.type = o->func;
    }
    return c;
}

/* Registers, and constants where a parameter tells how wide they are, get a variable; the list names that instead. */
static ptx_var *variable_for(parser *p, ptx_operand *o, const ptx_var *formal, const ptx_insn *in)
{
    const bool constant = o->kind == O_INT || o->kind == O_F32 || o->kind == O_F64;
    if ((o->kind != O_REG && !(constant && formal)) || o->negated || o->pick_count) return NULL;
    const int bits = o->kind == O_REG ? ptx_bits(p->f->regs[o->reg].type) : (int)(formal->size * 8);
    const uint64_t size = (uint64_t)bits / 8;
    if (!size || size > 16 || (size & (size - 1)) || (formal && formal->size != size)) {
        token at = {.line = in->line, .column = in->column};
        parse_wrong(p, &at, "this call passes a value of %d bits where the function has a parameter of %llu bytes", bits,
                    (unsigned long long)(formal ? formal->size : 0));
    }
    ptx_var *v = arena_alloc(p->keep, sizeof *v);
    v->name = "_";
    v->space = SPACE_PARAM;
    v->type = bits_type(size);
    v->size = size;
    v->align = (uint32_t)size;
    v->owner = p->f;
    v->line = in->line;
    *ARENA_PUSH(p->keep, p->f->vars, p->f->var_count, p->f->var_capacity) = v;
    return v;
}

static ptx_operand variable_operand(ptx_var *v) { return (ptx_operand){.kind = O_VAR, .reg = -1, .component = 255, .var = v}; }

void byreg_before_call(parser *p, const ptx_insn *in)
{
    const call_parts c = parts_of(in);
    for (int i = 0; c.args && i < c.args->count; i++) {
        ptx_operand *o = &c.args->elements[i];
        ptx_var *v = variable_for(p, o, c.type && i < c.type->param_count ? c.type->params[i] : NULL, in);
        if (!v) continue;
        move(p, OP_ST, o, v, in);
        *o = variable_operand(v);
    }
}

void byreg_after_call(parser *p, const ptx_insn *in)
{
    const call_parts c = parts_of(in);
    for (int i = 0; c.rets && i < c.rets->count; i++) {
        ptx_operand *o = &c.rets->elements[i];
        ptx_var *v = o->kind == O_REG ? variable_for(p, o, c.type && i < c.type->ret_count ? c.type->rets[i] : NULL, in) : NULL;
        if (!v) continue;
        move(p, OP_LD, o, v, in);
        *o = variable_operand(v);
    }
}
