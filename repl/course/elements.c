/* elements.c: what the names of an expression about elements mean, and which kind of number each
 * part is. `bind` goes down from the root, so that it knows the sums around each name. */
#include "element_nodes.h"
#include "list.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(CAST + TYPES == BINARY, "a cast for each type");

typedef struct binding {
    const element_names *n;
    const element_inputs *in; /* NULL: it is only checked */
    element_program *p;
    element_error *err;
    int variables; /* in scope */
} binding;

static bool fail(binding *b, const expr_node *n, const char *fmt, ...) LESSON_PRINTF(3, 4);
static bool fail(binding *b, const expr_node *n, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(b->err->text, sizeof b->err->text, fmt, args);
    va_end(args);
    b->err->column = b->n->formula->column + n->at;
    return false;
}

static int named_local(const lesson_step *s, const char *name, size_t length)
{
    for (int i = 0; i < s->local_count; i++)
        if (strlen(s->locals[i]) == length && !memcmp(s->locals[i], name, length)) return i;
    return -1;
}

/* A name alone: a variable, a setting, or a number given by let, for or finish. */
static bool bind_name(binding *b, const expr_node *n, element_node *to)
{
    const int length = (int)n->length;
    for (int v = b->variables; v-- > 0;) /* the innermost first */
        if (b->p->variable_length[v] == n->length && !memcmp(b->p->variable[v], n->is.name, n->length)) {
            to->slot = (uint8_t)v;
            to->uses = (uint8_t)(1u << v);
            return true;
        }
    const int setting = lesson_setting_named(b->n->l, n->is.name, n->length);
    to->op = NUMBER;
    if (setting >= 0) {
        to->value = b->in ? b->in->setting[setting] : 1;
        return true;
    }
    const int buffer = b->n->fill ? -1 : step_buffer_named(b->n->s, n->is.name, n->length);
    if (buffer >= 0)
        return fail(b, n, "expected an element of %.*s, as in %.*s[i]", length, n->is.name, length, n->is.name);
    const int local = b->n->fill ? -1 : named_local(b->n->s, n->is.name, n->length);
    if (local < 0)
        return fail(b, n,
                    b->n->fill ? "expected i or a setting: there is no %.*s"
                               : "expected a variable, a setting, or a name given by let, for or finish: there "
                                 "is no %.*s",
                    length, n->is.name);
    if (!b->in) {
        to->value = 1;
        return true;
    }
    const cpu_value *v = &b->in->local[local];
    if (!v->data) return fail(b, n, "%.*s has no value here", length, n->is.name);
    if (v->count != 1)
        return fail(b, n, "%.*s is not one number: it has %llu", length, n->is.name, (unsigned long long)v->count);
    if (lesson_types[v->type].kind == 'f') {
        to->op = REAL;
        to->kind = ELEMENT_REAL;
        to->real = cpu_number(v, 0);
    } else {
        to->kind = v->type == TYPE_U64 ? ELEMENT_UNSIGNED : ELEMENT_WHOLE;
        to->value = cpu_integer(v, 0);
    }
    return true;
}

/* NAME[...]: NAME is a buffer, or before.BUFFER. */
static bool bind_element(binding *b, const expr_node *n, element_node *to)
{
    static const char before[] = "before.";
    const size_t prefix = n->length > 7 && !memcmp(n->is.name, before, 7) ? 7 : 0;
    const char *name = n->is.name + prefix;
    const size_t length = n->length - prefix;
    if (b->n->fill) return fail(b, n, "expected i and settings: a fill cannot read %.*s", (int)length, name);
    const int buffer = step_buffer_named(b->n->s, name, length);
    if (buffer < 0) return fail(b, n, "expected a buffer of this step: there is no %.*s", (int)length, name);
    const lesson_buffer *of = &b->n->s->buffer[buffer];
    if (buffer == b->n->judged && !prefix)
        return fail(b, n, "expected before.%s, what the host filled in: %s itself is what is judged", of->name,
                    of->name);
    if (of->fill == FILL_NONE && !of->formula && !of->file && !of->listed)
        return fail(b, n, "expected a buffer that the host fills: %s has no \"= FILL\"", of->name);
    const bool rows = of->rows.count > 0;
    if (n->op == AT_ROW && !rows)
        return fail(b, n, "expected one index: %s is not declared \"in ROWS x COLUMNS\"", of->name);
    to->kind = lesson_types[of->type].kind == 'f' ? ELEMENT_REAL
               : of->type == TYPE_U64             ? ELEMENT_UNSIGNED
                                                  : ELEMENT_WHOLE;
    to->name = name;
    to->length = (uint16_t)length;
    if (b->in) to->array = &b->in->buffer[buffer];
    if (b->in) to->columns = b->in->columns[buffer];
    return true;
}

static bool bind(binding *b, int index);

/* An operand that must be a whole number. */
static bool bind_whole(binding *b, int index, const char *what)
{
    if (!bind(b, index)) return false;
    return b->p->node[index].kind != ELEMENT_REAL ||
           fail(b, &b->n->formula->node[index],
                "expected a whole number %s: i64(...) makes one of a number with a point", what);
}

static uint8_t common(const element_node *a, const element_node *b) { return a->kind > b->kind ? a->kind : b->kind; }

/* Parts of a sum's body that do not depend on its variable or on one within, and are worth computing once. */
static void find_hoisted(element_program *p, element_node *sum, int index, uint8_t inner)
{
    const element_node *n = &p->node[index];
    const bool leaf = n->op == NUMBER || n->op == REAL || n->op == NAME;
    if (leaf || sum->hoists == ELEMENT_HOISTED) return;
    if (n->safe && !(n->uses & inner)) {
        sum->hoisted[sum->hoists++] = (uint8_t)index;
        return;
    }
    if (n->op >= SUM && n->op <= GREATEST) return; /* it has its own */
    find_hoisted(p, sum, n->a, inner);
    if (n->op == CHOOSE || n->op >= BINARY || n->op == MIN || n->op == MAX || n->op == CEIL || n->op == XOR ||
        n->op == AT_ROW)
        find_hoisted(p, sum, n->b, inner);
    if (n->op == CHOOSE) find_hoisted(p, sum, n->c, inner);
}

static bool bind_sum(binding *b, int index, const expr_node *n, element_node *to)
{
    if (!bind_whole(b, n->a, "at which the sum begins") || !bind_whole(b, n->b, "at which the sum ends")) return false;
    if (b->variables == ELEMENT_SLOTS) return fail(b, n, "expected fewer sums within sums");
    const int slot = b->variables;
    b->p->variable[slot] = n->is.name;
    b->p->variable_length[slot] = n->length;
    b->variables++;
    const bool good = bind(b, n->c);
    b->variables--;
    if (!good) return false;
    const element_node *body = &b->p->node[n->c];
    to->slot = (uint8_t)slot;
    to->kind = body->kind;
    to->uses = (uint8_t)(b->p->node[n->a].uses | b->p->node[n->b].uses | (body->uses & ~(1u << slot)));
    find_hoisted(b->p, to, n->c, (uint8_t)(0xff << slot));
    (void)index;
    return true;
}

/* Does dividing by it never fail? */
static bool divides(const element_node *n) { return n->op == NUMBER && n->value != 0; }

static bool bind_two(binding *b, const expr_node *n, element_node *to)
{
    const int op = n->op >= BINARY ? n->op - BINARY : -1;
    const bool whole = n->op == CEIL || n->op == XOR || op == SHL || op == SHR || op == BOR || op == BAND || op == REM;
    char around[40];
    snprintf(around, sizeof around, "for %s", op >= 0 ? expr_binaries[op].text : n->op == CEIL ? "ceil" : "xor");
    if (whole ? !bind_whole(b, n->a, around) || !bind_whole(b, n->b, around) : !bind(b, n->a) || !bind(b, n->b))
        return false;
    const element_node *x = &b->p->node[n->a], *y = &b->p->node[n->b];
    const bool says = (op >= OR_ && op <= NE) || (op >= LE && op <= GT); /* yes or no */
    to->kind = says ? ELEMENT_WHOLE : op == SHL || op == SHR ? x->kind : common(x, y);
    to->uses = x->uses | y->uses;
    to->safe = x->safe && y->safe;
    const bool real = common(x, y) == ELEMENT_REAL;
    if (n->op == CEIL || op == REM || (op == DIV && !real)) to->safe = to->safe && divides(y);
    if (op == SHL || op == SHR || (op == POWER && !real)) to->safe = false;
    return true;
}

static bool bind(binding *b, int index)
{
    const expr_node *n = &b->n->formula->node[index];
    element_node *to = &b->p->node[index];
    *to = (element_node){.op = n->op, .a = n->a, .b = n->b, .c = n->c, .at = n->at, .safe = true};
    switch (n->op) {
    case NUMBER: to->value = n->is.value; return true;
    case REAL:
        to->real = n->is.real;
        to->kind = ELEMENT_REAL;
        return true;
    case NAME: return bind_name(b, n, to);
    case AT:
    case AT_ROW:
        if (!bind_element(b, n, to) || !bind_whole(b, n->a, "as an index")) return false;
        if (n->op == AT_ROW && !bind_whole(b, n->b, "as an index")) return false;
        to->uses = b->p->node[n->a].uses | (n->op == AT_ROW ? b->p->node[n->b].uses : 0);
        to->safe = false;
        return true;
    case SUM:
    case LEAST:
    case GREATEST: to->safe = false; return bind_sum(b, index, n, to);
    case CHOOSE:
        if (!bind(b, n->a) || !bind(b, n->b) || !bind(b, n->c)) return false;
        to->kind = common(&b->p->node[n->b], &b->p->node[n->c]);
        to->uses = b->p->node[n->a].uses | b->p->node[n->b].uses | b->p->node[n->c].uses;
        to->safe = b->p->node[n->a].safe && b->p->node[n->b].safe && b->p->node[n->c].safe;
        return true;
    case MIN:
    case MAX:
    case CEIL:
    case XOR: return bind_two(b, n, to);
    }
    if (n->op >= BINARY) return bind_two(b, n, to);
    if (n->op == FLIP || n->op == LOG2 ? !bind_whole(b, n->a, n->op == FLIP ? "after ~" : "for log2") : !bind(b, n->a))
        return false;
    const element_node *x = &b->p->node[n->a];
    to->uses = x->uses;
    to->safe = x->safe && n->op != LOG2;
    if (n->op >= CAST)
        to->kind = lesson_types[n->op - CAST].kind == 'f' ? ELEMENT_REAL
                   : n->op - CAST == TYPE_U64             ? ELEMENT_UNSIGNED
                                                          : ELEMENT_WHOLE;
    else if (n->op == NOT || n->op == LOG2) to->kind = ELEMENT_WHOLE;
    else if (n->op == SQRT || (n->op >= EXP && n->op <= TANH)) to->kind = ELEMENT_REAL;
    else to->kind = x->kind; /* - ~ abs floor */
    return true;
}

element_program *element_bind(const element_names *names, const element_inputs *in, element_error *err)
{
    const lesson_formula *f = names->formula;
    element_program *p = calloc(1, sizeof *p);
    *err = (element_error){.shortage = true, .text = NO_MEMORY};
    if (!p) return NULL;
    err->shortage = false;
    binding b = {.n = names, .in = in, .p = p, .err = err, .variables = f->variables};
    p->formula = f;
    p->count = f->count;
    for (int i = 0; i < f->variables; i++) {
        p->variable[i] = f->variable[i];
        p->variable_length[i] = (uint16_t)strlen(f->variable[i]);
    }
    if (bind(&b, f->count - 1)) return p;
    free(p);
    return NULL;
}

bool element_check(const element_names *n, element_error *err)
{
    element_program *p = element_bind(n, NULL, err);
    free(p);
    return p != NULL;
}

void element_free(element_program *p) { free(p); }

enum element_kind element_kind_of(const element_program *p) { return (enum element_kind)p->node[p->count - 1].kind; }
