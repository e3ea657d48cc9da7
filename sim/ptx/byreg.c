/* byreg.c: functions that take or return values in registers, and calls that pass registers and
 * constants.
 *
 *     .func (.reg .b32 r) f (.reg .b32 a) { ... ret; }          call (%r1), f, (%r2);
 *
 * Both are turned into the .param form, the only one from here on. A register parameter gets a
 * hidden .param variable: the body begins by loading the register from it, and stores to it before
 * each ret. A call stores registers and constants to variables of its own before, and loads the
 * results after. So either side may be written in either way. Vectors and predicates are passed in
 * registers only.
 */
#include "byreg.h"
#include "shorthand.h"

static enum ptx_type bits_type(uint64_t bytes)
{
    return bytes == 1 ? T_B8 : bytes == 2 ? T_B16 : bytes == 4 ? T_B32 : bytes == 8 ? T_B64 : T_B128;
}

/* An instruction added to the body, with the place of `like` or the parameter's line. */
static ptx_insn insn_of(const parser *p, enum ptx_op op, const char *form, enum ptx_type t, const ptx_var *v,
                        const ptx_insn *like)
{
    ptx_insn in = {.op = op,
                   .form = form,
                   .type = &parse_types[t],
                   .type_count = 1,
                   .guard = like ? like->guard : -1,
                   .guard_negated = like && like->guard_negated,
                   .line = like ? like->line : v->line,
                   .column = like ? like->column : 1,
                   .loc = p->loc};
    return in;
}

/* A predicate travels as 0 or 1: selp makes the word before the store, setp the predicate after the
 * load. */
static void predicate_word(parser *p, enum ptx_op op, const ptx_operand *predicate, int word, const ptx_var *v,
                           const ptx_insn *like)
{
    const bool makes = op == OP_ST;
    const ptx_operand zero = {.kind = O_INT, .reg = -1, .component = 255}, w = parse_register_operand(word);
    ptx_operand one = zero;
    one.value.i = 1;
    ptx_insn in =
        makes ? insn_of(p, OP_SELP, "selp.b32", T_B32, v, like) : insn_of(p, OP_SETP, "setp.ne.u32", T_U32, v, like);
    in.operand_count = makes ? 4 : 3;
    in.operand = arena_array(p->keep, 4, sizeof *in.operand);
    in.operand[0] = makes ? w : *predicate;
    in.operand[1] = makes ? one : w;
    in.operand[2] = zero;
    in.operand[3] = *predicate;
    static const uint16_t differs[] = {S_NE};
    if (!makes) in.suffix = differs, in.suffix_count = 1;
    parse_push(p, &in);
}

static bool is_predicate(const parser *p, const ptx_operand *o)
{
    return o->kind == O_REG && p->f->regs[o->reg].type == T_PRED;
}

/* ld.param or st.param of a whole variable. */
static void move(parser *p, enum ptx_op op, const ptx_operand *from, ptx_var *v, const ptx_insn *like)
{
    static const char *const forms[2][5] = {
        {"st.param.b8", "st.param.b16", "st.param.b32", "st.param.b64", "st.param.b128"},
        {"ld.param.b8", "ld.param.b16", "ld.param.b32", "ld.param.b64", "ld.param.b128"}};
    const uint64_t elements = from->kind == O_VECTOR ? (uint64_t)from->count : 1;
    const bool predicate = is_predicate(p, from);
    const ptx_operand moved = predicate ? parse_register_operand(names_register(p, T_B32, v->name, 0)) : *from;
    int size = 0;
    while (elements << size < v->size) size++;
    ptx_operand *o = arena_array(p->keep, 2, sizeof *o);
    const int at = op == OP_LD; /* index of the address */
    o[!at] = moved;
    o[at] = (ptx_operand){.kind = O_ADDRESS, .reg = -1, .component = 255, .var = v};
    ptx_insn in = insn_of(p, op, forms[op == OP_LD][size], bits_type(v->size / elements), v, like);
    in.operand_count = 2;
    in.operand = o;
    static const uint16_t suffixes[2][2] = {{S_PARAM, S_V2}, {S_PARAM, S_V4}};
    in.suffix = suffixes[elements == 4];
    in.suffix_count = elements > 1 ? 2 : 1;
    if (predicate && op == OP_ST) predicate_word(p, op, from, moved.reg, v, like);
    parse_push(p, &in);
    if (predicate && op == OP_LD) predicate_word(p, op, from, moved.reg, v, like);
}

/* The register, or registers, of a parameter. */
static ptx_operand formal_operand(parser *p, const ptx_var *v)
{
    return v->vector ? parse_vector_operand(p, v->reg, v->vector) : parse_register_operand(v->reg);
}

void byreg_begin(parser *p)
{
    for (int i = 0; i < p->f->param_count; i++) {
        ptx_var *v = p->f->params[i];
        if (!v->in_register) continue;
        const ptx_operand r = formal_operand(p, v);
        move(p, OP_LD, &r, v, NULL);
    }
}

void byreg_return(parser *p, const ptx_insn *like)
{
    for (int i = 0; i < p->f->ret_count; i++) {
        ptx_var *v = p->f->rets[i];
        if (!v->in_register) continue;
        const ptx_operand r = formal_operand(p, v);
        move(p, OP_ST, &r, v, like);
    }
}

/* The operands of a call that are lists of values, results and arguments; and the function's type,
 * if known. */
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
        else if (o->kind == O_TABLE)
            c.type = o->table->kind == 'p' ? o->table->prototype : o->table->kind == 'c' ? o->table->funcs[0] : NULL;
        else named = true;
        if (o->kind == O_FUNC) c.type = o->func;
    }
    return c;
}

/* Bytes of the value as a parameter; 0: it cannot be one. */
static uint64_t bytes_of(const parser *p, const ptx_operand *o, const ptx_var *formal)
{
    if (is_predicate(p, o)) return 4;
    if (o->kind == O_REG) return (uint64_t)ptx_bits(p->f->regs[o->reg].type) / 8;
    if (o->kind != O_VECTOR) return formal && formal->type != T_PRED ? formal->size : 0;
    uint64_t each = 0;
    for (int i = 0; i < o->count; i++) {
        const uint64_t bytes =
            o->elements[i].kind == O_REG ? (uint64_t)ptx_bits(p->f->regs[o->elements[i].reg].type) / 8 : 0;
        if (!bytes || (i && bytes != each)) return 0;
        each = bytes;
    }
    return o->count == 2 || o->count == 4 ? each * (uint64_t)o->count : 0;
}

/* Registers, vectors, and constants whose width a parameter tells get a variable; the list names
 * that instead. */
static ptx_var *variable_for(parser *p, ptx_operand *o, const ptx_var *formal, const ptx_insn *in)
{
    const bool constant = o->kind == O_INT || o->kind == O_F32 || o->kind == O_F64, vector = o->kind == O_VECTOR;
    if ((o->kind != O_REG && !vector && !(constant && formal)) || o->negated || o->pick_count) return NULL;
    const uint64_t size = bytes_of(p, o, formal);
    const bool other = formal && (formal->size != size || (formal->type == T_PRED) != is_predicate(p, o) ||
                                  (formal->in_register && formal->vector != (vector ? o->count : 0)));
    if (!size || size > 16 || (size & (size - 1)) || other) {
        token at = {.line = in->line, .column = in->column};
        if (!size)
            parse_wrong(p, &at, "this call passes something that is neither one value nor a vector of two or four");
        if (other && formal->size == size)
            parse_wrong(p, &at, "this call passes a value of a different kind than the function's parameter");
        parse_wrong(p, &at, "this call passes a value of %llu bytes where the function has a parameter of %llu bytes",
                    (unsigned long long)size, (unsigned long long)(formal ? formal->size : 0));
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

static ptx_operand variable_operand(ptx_var *v)
{
    return (ptx_operand){.kind = O_VAR, .reg = -1, .component = 255, .var = v};
}

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
        ptx_var *v = o->kind == O_REG || o->kind == O_VECTOR
                         ? variable_for(p, o, c.type && i < c.type->ret_count ? c.type->rets[i] : NULL, in)
                         : NULL;
        if (!v) continue;
        move(p, OP_LD, o, v, in);
        *o = variable_operand(v);
    }
}
