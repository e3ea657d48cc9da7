/* insn.c: one statement of a function's body: a guard, an opcode with its dotted words, operands, a
 * semicolon.
 *
 *     @!%p1  add.rn.ftz.f32  %f1, %f2, 0f3F800000;
 *
 * The opcode with its words is looked up as a whole: each distinct form is split into types and
 * suffixes once. Operands are gathered on a stack (p->operands), because lists nest, and copied to
 * the arena when their number is known. */
#include "byreg.h"
#include "constants.h"
#include "shorthand.h"
#include <stdio.h>

enum { MAX_TYPES = 6, MAX_SUFFIXES = 12, MAX_FORM = 240 };

typedef struct form_cache {
    uint16_t op;
    uint8_t types, suffixes;
    uint8_t type[MAX_TYPES];
    uint16_t suffix[MAX_SUFFIXES];
} form_cache;

/* ---- opcodes ---- */
PARSE_NORETURN static void unknown_opcode(parser *p, const token *at, const char *text, size_t length)
{
    char quoted[64], word[64], hint[128];
    snprintf(word, sizeof word, "%.*s", (int)(length < 60 ? length : 60), text);
    const char *near = ptx_nearest_op(word);
    if (near) snprintf(hint, sizeof hint, "Did you mean \"%s\"?", near);
    parse_fail(p, SIM_E_REFUSED, at->line, at->column, near ? hint : NULL, "unknown opcode %s",
               parse_quote(text, length, quoted, sizeof quoted));
}

static form_cache *split_form(parser *p, const token *at, const name *whole)
{
    form_cache *c = arena_alloc(p->keep, sizeof *c);
    const char *s = whole->text, *dot = strchr(s, '.'), *end = s + whole->length;
    const name *n = names_find(p, s, dot ? (size_t)(dot - s) : whole->length);
    if (!n || !n->op) unknown_opcode(p, at, s, dot ? (size_t)(dot - s) : whole->length);
    c->op = n->op;
    while (dot) {
        const char *word = dot + 1;
        dot = strchr(word, '.');
        size_t length = (size_t)((dot ? dot : end) - word);
        n = names_find(p, word, length);
        char quoted[64], form[160];
        if (n && n->type) {
            if (c->types == MAX_TYPES)
                parse_fail(p, SIM_E_REFUSED, at->line, at->column, NULL, "%s has more than %d types",
                           parse_quote(whole->text, whole->length, form, sizeof form), MAX_TYPES);
            c->type[c->types++] = (uint8_t)n->type;
        } else if (n && n->suffix) {
            if (c->suffixes == MAX_SUFFIXES)
                parse_fail(p, SIM_E_REFUSED, at->line, at->column, NULL, "%s has more than %d suffixes",
                           parse_quote(whole->text, whole->length, form, sizeof form), MAX_SUFFIXES);
            c->suffix[c->suffixes++] = n->suffix;
        } else if (ptx_op_unsupported((enum ptx_op)c->op)) { /* not supported with any suffix */
            parse_fail(p, SIM_E_REFUSED, at->line, at->column, PTX_DO_WITHOUT, "%s is not supported (%s: %s)",
                       parse_quote(whole->text, whole->length, form, sizeof form), ptx_ops[c->op].name,
                       ptx_ops[c->op].effect);
        } else {
            parse_fail(p, SIM_E_REFUSED, at->line, at->column, NULL, "in %s the suffix %s is not known",
                       parse_quote(whole->text, whole->length, form, sizeof form),
                       parse_quote(word - 1, length + 1, quoted, sizeof quoted));
        }
    }
    return c;
}

static void parse_opcode(parser *p, ptx_insn *in)
{
    token at = p->t, whole;
    if (at.kind != TK_NAME) parse_expected(p, "an instruction");
    in->line = at.line;
    in->column = at.column;
    lex_form(p, &whole);
    char spaced[MAX_FORM];
    if (p->t.kind == TK_DOT) { /* "add .f32": with a gap */
        size_t length = 0;
        for (token part = whole;; part = p->t) {
            bool dotted = part.kind == TK_DOT;
            if (length + part.length + 2 > sizeof spaced) parse_expected(p, "an instruction with fewer suffixes");
            if (dotted) spaced[length++] = '.';
            memcpy(spaced + length, part.text, part.length);
            length += part.length;
            if (dotted) lex_next(p);
            if (p->t.kind != TK_DOT) break;
        }
        whole.text = spaced;
        whole.length = (uint32_t)length;
    }
    if (whole.length > MAX_FORM) unknown_opcode(p, &at, whole.text, at.length);
    name *n = names_intern(p, whole.text, whole.length);
    if (!n->form) n->form = split_form(p, &at, n);
    in->op = n->form->op;
    in->form = n->text;
    in->type_count = n->form->types;
    in->suffix_count = n->form->suffixes;
    in->type = n->form->type;
    in->suffix = n->form->suffix;
}

/* ---- operands ---- */
static void parse_operand(parser *p, ptx_operand *o, bool may_be_label, bool in_list);

static ptx_operand *push_operand(parser *p)
{
    ptx_operand *o = ARENA_PUSH(&p->scratch, p->operands, p->operand_count, p->operand_capacity);
    *o = (ptx_operand){.reg = -1, .component = 255};
    return o;
}

static ptx_operand *keep_operands(parser *p, int from) /* pop them off the stack, into the arena */
{
    int count = p->operand_count - from;
    ptx_operand *kept = count ? arena_array(p->keep, (size_t)count, sizeof *kept) : NULL;
    if (count) memcpy(kept, p->operands + from, (size_t)count * sizeof *kept);
    p->operand_count = from;
    return kept;
}

/* From after an opening bracket to past `close`. Elements read before begin at `from`. */
static void parse_list(parser *p, ptx_operand *o, int from, int close, const char *what)
{
    while (p->t.kind != close) {
        if (p->operand_count - from >= PARSE_MAX_LIST)
            parse_fail(p, SIM_E_REFUSED, p->t.line, p->t.column, NULL, "a list has more than %d elements",
                       PARSE_MAX_LIST);
        ptx_operand element;
        parse_operand(p, &element, false, true);
        *push_operand(p) = element;
        if (!parse_accept(p, ',')) break;
    }
    parse_take(p, close, what);
    o->count = p->operand_count - from;
    o->elements = keep_operands(p, from);
}

static bool special_register(parser *p, ptx_operand *o, const name *n)
{
    o->component = 255;
    o->sreg = n->sreg;
    if (!n->sreg) { /* %envreg7, %pm3, %pm3_64: the number is part of the name */
        static const struct {
            const char *prefix;
            uint16_t sreg;
            int count;
        } numbered[] = {{"%envreg", SR_ENVREG, 32}, {"%pm", SR_PM, 8}};
        for (int i = 0; i < 2 && !o->sreg; i++) {
            size_t length = strlen(numbered[i].prefix);
            if (n->length <= length || memcmp(n->text, numbered[i].prefix, length)) continue;
            const char *s = n->text + length;
            int number = 0, digits = 0;
            for (; *s >= '0' && *s <= '9' && digits < 2; s++, digits++) number = number * 10 + (*s - '0');
            if (!digits || number >= numbered[i].count) continue;
            if (numbered[i].sreg == SR_PM && !strcmp(s, "_64")) o->sreg = SR_PM64;
            else if (*s) continue;
            else o->sreg = numbered[i].sreg;
            o->component = (uint8_t)number;
        }
    }
    if (!o->sreg) return false;
    o->kind = O_SREG;
    if (p->t.kind == TK_DOT && p->t.length == 1 && ptx_sregs[o->sreg].vector) {
        const char *at = strchr("xyzw", p->t.text[0]);
        if (!at) parse_expected(p, "\".x\", \".y\", \".z\" or \".w\"");
        o->component = (uint8_t)(at - "xyzw");
        lex_next(p);
    }
    return true;
}

/* A byte or half selector of a video instruction: .b0, .h1, .b3210 */
static void parse_selector(parser *p, ptx_operand *o)
{
    const token *t = &p->t;
    bool good = t->length >= 2 && t->length <= 5 && (t->text[0] == 'b' || t->text[0] == 'h');
    for (uint32_t i = 1; good && i < t->length; i++) good = t->text[i] >= '0' && t->text[i] <= '7';
    if (!good) parse_expected(p, "\",\" or \";\"");
    o->pick = t->text[0];
    o->pick_count = (uint8_t)(t->length - 1);
    for (int i = 0; i < o->pick_count; i++) o->picked[i] = (uint8_t)(t->text[i + 1] - '0');
    lex_next(p);
}

PARSE_NORETURN static void undefined(parser *p, const token *at)
{
    char quoted[80];
    parse_wrong(p, at, "%s is not declared here", parse_quote(at->text, at->length, quoted, sizeof quoted));
}

static void want_label(parser *p, ptx_operand *o, name *n, const token *at)
{
    *ARENA_PUSH(&p->scratch, p->wanted, p->wanted_count, p->wanted_capacity) = (wanted_label){n, at->line, at->column};
    o->kind = O_LABEL;
    o->label = p->wanted_count; /* index plus one; scope_close fills in the label */
}

/* A name: the base of an address, or a whole operand. */
static void parse_name(parser *p, ptx_operand *o, bool may_be_label)
{
    token at = p->t;
    if (at.kind != TK_NAME) parse_expected(p, "a register or a name");
    if (at.length == 1 && at.text[0] == '_') {
        lex_next(p);
        return; /* the sink: O_NONE */
    }
    name *n = names_intern(p, at.text, at.length);
    binding *b = names_lookup(p, n);
    lex_next(p);
    if (!b) {
        if (special_register(p, o, n)) return;
        if (!may_be_label) undefined(p, &at);
        want_label(p, o, n, &at);
        return;
    }
    switch (b->kind) {
    case B_REG:
        o->kind = O_REG;
        o->reg = b->is.reg;
        if (b->vector) parse_vector_name(p, o, b->is.reg, b->vector);
        else if (p->t.kind == TK_DOT) parse_selector(p, o);
        break;
    case B_VAR:
        o->kind = O_VAR;
        o->var = b->is.var;
        break;
    case B_FUNC:
        o->kind = O_FUNC;
        o->func = b->is.func;
        break;
    case B_TABLE:
        o->kind = O_TABLE;
        o->table = b->is.table;
        break;
    default:
        if (!may_be_label) parse_wrong(p, &at, "the label \"%.60s\" cannot be used as a value", n->text);
        want_label(p, o, n, &at);
    }
}

static void add_offset(parser *p, ptx_operand *o)
{
    while (p->t.kind == '+' || p->t.kind == '-') {
        bool minus = p->t.kind == '-';
        lex_next(p);
        token at = p->t;
        value v = parse_value_unary(p);
        if (v.kind != V_INT) parse_wrong(p, &at, "expected an integer offset");
        uint64_t so_far = (uint64_t)o->value.i;
        o->value.i = (int64_t)(minus ? so_far - v.bits : so_far + v.bits);
    }
}

static bool is_name(const token *t)
{
    return t->kind == TK_NAME && !(t->length == 7 && !memcmp(t->text, "WARP_SZ", 7));
}

/* [base + offset], or a texture's [tex, {coordinates}] */
static void parse_address(parser *p, ptx_operand *o)
{
    lex_next(p);
    token at = p->t;
    if (is_name(&at)) {
        parse_name(p, o, false);
        if (o->kind != O_REG && o->kind != O_VAR)
            parse_wrong(p, &at, "an address must start with a register, a variable or a number");
        add_offset(p, o);
    } else {
        o->value.i = parse_integer(p, "an address");
    }
    if (p->t.kind == ',') {
        int from = p->operand_count;
        ptx_operand base = *o;
        if (!is_name(&at)) base.kind = O_INT;
        *push_operand(p) = base;
        *o = (ptx_operand){.kind = O_LIST, .reg = -1, .component = 255};
        lex_next(p);
        parse_list(p, o, from, ']', "\",\" or \"]\"");
        return;
    }
    o->kind = O_ADDRESS;
    parse_take(p, ']', "\"+\" or \"]\"");
}

static void parse_constant(parser *p, ptx_operand *o)
{
    static const uint8_t kinds[] = {[V_INT] = O_INT, [V_F32] = O_F32, [V_F64] = O_F64};
    value v = parse_value(p);
    o->kind = kinds[v.kind];
    o->value.i = (int64_t)v.bits;
}

static void parse_operand(parser *p, ptx_operand *o, bool may_be_label, bool in_list)
{
    *o = (ptx_operand){.reg = -1, .component = 255};
    parse_enter(p);
    token at = p->t;
    if (at.kind == '{') {
        o->kind = O_VECTOR;
        lex_next(p);
        parse_list(p, o, p->operand_count, '}', "\",\" or \"}\"");
    } else if (at.kind == '[') {
        parse_address(p, o);
    } else if (at.kind == '!' || at.kind == '-') {
        lexer before = p->lx;
        lex_next(p);
        if (is_name(&p->t)) {
            parse_name(p, o, false);
            if (o->kind != O_REG) parse_wrong(p, &at, "only a register can be negated");
            o->negated = true;
        } else {
            p->lx = before;
            p->t = at;
            parse_constant(p, o);
        }
    } else if (is_name(&at)) {
        parse_name(p, o, may_be_label);
        if (o->kind == O_VAR && p->t.kind == '[') parse_index(p, o);
        else if (o->kind == O_VAR) add_offset(p, o);
        else if (o->kind == O_REG && !in_list && !o->pick) parse_register_plus(p, o);
        if (!in_list && p->t.kind == '|' && (o->kind == O_REG || o->kind == O_NONE)) {
            lex_next(p);
            ptx_operand *second = arena_alloc(p->keep, sizeof *second);
            *second = (ptx_operand){.reg = -1, .component = 255};
            token other = p->t;
            parse_name(p, second, false);
            if (second->kind != O_REG && second->kind != O_NONE)
                parse_wrong(p, &other, "expected a register after \"|\"");
            o->pair = 1;
            o->elements = second;
        }
    } else {
        parse_constant(p, o);
    }
    p->nesting--;
}

/* bra's operand is a label even where a variable has the same name. */
static void parse_target(parser *p, ptx_operand *o)
{
    token at = p->t;
    if (at.kind != TK_NAME) parse_expected(p, "a label");
    *o = (ptx_operand){.reg = -1, .component = 255};
    want_label(p, o, names_intern(p, at.text, at.length), &at);
    lex_next(p);
}

static void parse_operands(parser *p, ptx_insn *in)
{
    int from = p->operand_count;
    bool may_be_label = in->op == OP_BRX;
    p->wanted_count = 0;
    if (p->t.kind != ';') {
        do {
            ptx_operand o;
            if (p->operand_count - from == UINT8_MAX)
                parse_expected(p, "\";\": this instruction has too many operands, but");
            if (in->op == OP_BRA) {
                parse_target(p, &o);
            } else if (in->op == OP_CALL && p->t.kind == '(') {
                o = (ptx_operand){.kind = O_LIST, .reg = -1, .component = 255};
                lex_next(p);
                parse_list(p, &o, p->operand_count, ')', "\",\" or \")\"");
            } else {
                parse_operand(p, &o, may_be_label, false);
                may_be_label = in->op == OP_CALL || in->op == OP_BRX; /* after a call's target: its list or prototype */
            }
            *push_operand(p) = o;
        } while (parse_accept(p, ','));
    }
    in->operand_count = (uint8_t)(p->operand_count - from);
    in->operand = keep_operands(p, from);
    for (int i = 0; p->wanted_count && i < in->operand_count; i++) {
        ptx_operand *o = &in->operand[i];
        if (o->kind != O_LABEL || !o->label) continue;
        const wanted_label *w = &p->wanted[o->label - 1];
        scope_want_label(p, w->of, o, NULL, w->line, w->column);
    }
}

static void parse_guard(parser *p, ptx_insn *in)
{
    in->guard = -1;
    if (!parse_accept(p, '@')) return;
    in->guard_negated = parse_accept(p, '!');
    token at = p->t;
    binding *b = at.kind == TK_NAME ? names_lookup(p, names_intern(p, at.text, at.length)) : NULL;
    if (at.kind != TK_NAME) parse_expected(p, "a predicate register after \"@\"");
    if (!b) undefined(p, &at);
    if (b->kind != B_REG || b->type != T_PRED) parse_wrong(p, &at, "a guard must be a register of type .pred");
    in->guard = b->is.reg;
    lex_next(p);
}

void parse_statement(parser *p)
{
    ptx_insn in = {.loc = p->loc, .nounroll = p->nounroll};
    p->nounroll = false;
    parse_guard(p, &in);
    parse_opcode(p, &in);
    parse_operands(p, &in);
    if (p->t.kind != ';') parse_expected(p, in.operand_count ? "\",\" or \";\"" : "\";\"");
    lex_next(p);
    if (in.op == OP_CALL) byreg_before_call(p, &in);
    if (in.op == OP_RET) byreg_return(p, &in);
    parse_push_long(p, &in);
    if (in.op == OP_CALL) byreg_after_call(p, &in);
}

/* ---- labelled lists ---- */
/* name: .branchtargets L1, L2;   name: .calltargets f, g;   name: .callprototype (ret) _ (params);
 */
void parse_table(parser *p, name *label, int line, int column)
{
    enum directive d = parse_directive_of(p);
    ptx_table *t = arena_alloc(p->keep, sizeof *t);
    t->name = label->text;
    t->kind = d == D_BRANCHTARGETS ? 'b' : d == D_CALLTARGETS ? 'c' : 'p';
    names_bind(p, label, B_TABLE, line, column)->is.table = t;
    lex_next(p);
    if (t->kind == 'p') {
        t->prototype = parse_prototype(p);
        return;
    }
    ptx_func **funcs = NULL;
    int funcs_capacity = 0;
    wanted_label *labels = NULL;
    int labels_capacity = 0, count = 0;
    do {
        token at = p->t;
        if (at.kind != TK_NAME) parse_expected(p, t->kind == 'b' ? "a label" : "a function");
        name *n = names_intern(p, at.text, at.length);
        if (t->kind == 'c') {
            binding *b = n->top;
            if (!b || b->kind != B_FUNC) parse_expected(p, "a function declared above");
            *ARENA_PUSH(&p->scratch, funcs, count, funcs_capacity) = b->is.func;
        } else {
            *ARENA_PUSH(&p->scratch, labels, count, labels_capacity) = (wanted_label){n, at.line, at.column};
        }
        lex_next(p);
    } while (parse_accept(p, ','));
    t->count = count;
    if (t->kind == 'c') {
        t->funcs = arena_grow(p->keep, funcs, (size_t)count, (size_t)count, sizeof *funcs);
    } else {
        t->labels = arena_array(p->keep, (size_t)count, sizeof *t->labels);
        for (int i = 0; i < count; i++)
            scope_want_label(p, labels[i].of, NULL, &t->labels[i], labels[i].line, labels[i].column);
    }
    parse_take(p, ';', "\",\" or \";\"");
}
