/* expression_writer.c: expressions as C++, for the programs of `show host`. */
#include "expression_nodes.h"
#include <string.h>

#define binaries expr_binaries

typedef struct writer {
    FILE *to;
    const expr *whole; /* NULL: about elements */
    const expr_node *node;
    expr_put_name *name, *element, *columns;
    void *arg;
} writer;

enum { TERNARY = 0, UNARY = 12 }; /* levels beside those of `binaries` */

static void write_node(const writer *w, int index, int level);

static void write_call(const writer *w, const char *name, int operands, const int *operand)
{
    fprintf(w->to, "%s(", name);
    for (int i = 0; i < operands; i++) {
        if (i) fprintf(w->to, ", ");
        write_node(w, operand[i], TERNARY);
    }
    fputc(')', w->to);
}

/* What only expressions about elements have. */
static bool write_of_elements(const writer *w, const expr_node *n)
{
    static const char *const types[] = {"signed char", "unsigned char", "short",     "unsigned short",
                                        "int",         "unsigned",      "long long", "unsigned long long",
                                        "float",       "double",        "float",     "float",
                                        "float",       "float",         "float"}; /* the last five: not written */
    const int operand[] = {n->a, n->b};
    char number[40];
    switch (n->op) {
    case REAL:
        snprintf(number, sizeof number, "%.17g", n->is.real);
        fprintf(w->to, "%s%s", number, strpbrk(number, ".en") ? "" : ".0");
        return true;
    case AT:
    case AT_ROW:
        w->element(w->arg, w->to, n->is.name, n->length);
        fputc('[', w->to);
        if (n->op == AT_ROW) {
            write_node(w, n->a, UNARY);
            fprintf(w->to, " * (");
            w->columns(w->arg, w->to, n->is.name, n->length);
            fprintf(w->to, ") + ");
        }
        write_node(w, n->op == AT ? n->a : n->b, n->op == AT ? TERNARY : UNARY);
        fputc(']', w->to);
        return true;
    case SUM:
    case LEAST:
    case GREATEST:
        fputs(n->op == SUM ? "cpu_total(" : n->op == LEAST ? "cpu_lowest(" : "cpu_highest(", w->to);
        write_node(w, n->a, TERNARY);
        fprintf(w->to, ", ");
        write_node(w, n->b, TERNARY);
        fprintf(w->to, ", [&](long long ");
        w->name(w->arg, w->to, n->is.name, n->length);
        fprintf(w->to, ") { return 0LL + ");
        write_node(w, n->c, 10);
        fprintf(w->to, "; })");
        return true;
    case ABS: write_call(w, "std::abs", 1, operand); return true;
    case MIN: write_call(w, "cpu_min", 2, operand); return true;
    case MAX: write_call(w, "cpu_max", 2, operand); return true;
    case XOR:
        fputc('(', w->to);
        write_node(w, n->a, UNARY);
        fprintf(w->to, " ^ ");
        write_node(w, n->b, UNARY);
        fputc(')', w->to);
        return true;
    }
    if (n->op == BINARY + POWER && w->node[n->a].op != NUMBER) {
        write_call(w, "pow", 2, operand);
        return true;
    }
    if (n->op >= CAST && n->op < BINARY) {
        fprintf(w->to, "(%s)", types[n->op - CAST]);
        write_node(w, n->a, UNARY);
        return true;
    }
    for (int i = 0; expr_functions[i].name; i++)
        if (expr_functions[i].op == n->op && n->op >= FLOOR && n->op <= TANH) {
            write_call(w, expr_functions[i].name, 1, operand);
            return true;
        }
    return false;
}

/* `level` is what stands around it: what binds less is put into parentheses. */
static void write_node(const writer *w, int index, int level)
{
    const expr_node *n = &w->node[index];
    int64_t known;
    char why[80];
    if (!w->whole && write_of_elements(w, n)) return;
    switch (n->op) {
    case NUMBER: fprintf(w->to, "%lld", (long long)n->is.value); return;
    case NAME: w->name(w->arg, w->to, n->is.name, n->length); return;
    case NEGATE:
    case NOT:
    case FLIP:
        fputc(n->op == NEGATE ? '-' : n->op == NOT ? '!' : '~', w->to);
        write_node(w, n->a, UNARY);
        return;
    case LOG2:
        fprintf(w->to, "cpu_log2(");
        write_node(w, n->a, TERNARY);
        fputc(')', w->to);
        return;
    case MIN:
    case MAX:
        fprintf(w->to, "std::%s<long long>(", n->op == MIN ? "min" : "max");
        write_node(w, n->a, TERNARY);
        fprintf(w->to, ", ");
        write_node(w, n->b, TERNARY);
        fputc(')', w->to);
        return;
    case CEIL: { /* (a + b - 1) / b, as everybody writes it */
        const bool wrapped = level > 10;
        fprintf(w->to, "%s(", wrapped ? "(" : "");
        write_node(w, n->a, 9);
        fprintf(w->to, " + ");
        write_node(w, n->b, 10);
        fprintf(w->to, " - 1) / ");
        write_node(w, n->b, 11);
        if (wrapped) fputc(')', w->to);
        return;
    }
    case CHOOSE:
        if (level > TERNARY) fputc('(', w->to);
        write_node(w, n->a, 1);
        fprintf(w->to, " ? ");
        write_node(w, n->b, TERNARY);
        fprintf(w->to, " : ");
        write_node(w, n->c, TERNARY);
        if (level > TERNARY) fputc(')', w->to);
        return;
    }
    const struct expr_binary *b = &binaries[n->op - BINARY];
    if (n->op == BINARY + POWER) {
        expr part = {.count = index + 1};
        memcpy(part.node, w->node, sizeof part.node[0] * (size_t)(index < EXPR_NODES ? index + 1 : 0));
        if (index < EXPR_NODES && expr_eval(&part, NULL, NULL, &known, why, sizeof why)) { /* 2^20 */
            fprintf(w->to, "%lld", (long long)known);
            return;
        }
        fprintf(w->to, "cpu_power(");
        write_node(w, n->a, TERNARY);
        fprintf(w->to, ", ");
        write_node(w, n->b, TERNARY);
        fputc(')', w->to);
        return;
    }
    const bool wrapped = b->level < level;
    if (wrapped) fputc('(', w->to);
    write_node(w, n->a, b->level < 9 ? UNARY : b->level); /* C's own levels of << and & mislead */
    fprintf(w->to, " %s ", b->text);
    write_node(w, n->b, b->level < 9 ? UNARY : b->level + 1);
    if (wrapped) fputc(')', w->to);
}

void expr_write(FILE *to, const expr *e, bool operand, expr_put_name *put_name, void *arg)
{
    const writer w = {.to = to, .whole = e, .node = e->node, .name = put_name, .arg = arg};
    if (e->count) write_node(&w, e->count - 1, operand ? POWER_LEVEL : TERNARY);
}

void expr_write_elements(FILE *to, const expr_node *node, int count, expr_put_name *put_name,
                         expr_put_name *put_element, expr_put_name *put_columns, void *arg)
{
    const writer w = {
        .to = to, .node = node, .name = put_name, .element = put_element, .columns = put_columns, .arg = arg};
    if (count) write_node(&w, count - 1, TERNARY);
}
