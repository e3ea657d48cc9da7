/* expressions.c: the integer expressions of lessons. A precedence-climbing parser fills a small
 * array of nodes, operands before operators. Evaluation starts at the root, so the untaken side of
 * ?: && || is not evaluated. */
#include "expressions.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { NUMBER, NAME, NEGATE, NOT, FLIP, CHOOSE, MIN, MAX, CEIL, LOG2, BINARY };

/* Sizes are mostly powers of two, and a student who writes n=2^20 means one: so ^ is not XOR here.
 * It binds tightest and groups from the right, as in mathematics: -2^2 is -4, 2^3^2 is 512. */
enum { POWER_LEVEL = 11 };

/* Longer operators precede their own prefixes. */
static const struct binary {
    const char *text;
    int level; /* higher binds tighter */
} binaries[] = {
    {"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<<", 8}, {">>", 8}, {"<=", 7}, {">=", 7}, {"<", 7},
    {">", 7},  {"|", 3},  {"&", 5},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}, {"^", POWER_LEVEL},
};
enum { OR_, AND_, EQ, NE, SHL, SHR, LE, GE, LT, GT, BOR, BAND, ADD, SUB, MUL, DIV, REM, POWER, BINARIES };

static const struct function {
    const char *name;
    int op, operands;
} functions[] = {{"min", MIN, 2}, {"max", MAX, 2}, {"ceil", CEIL, 2}, {"log2", LOG2, 1}};

typedef struct parser {
    expr *e;
    const char *p, *end;
    const char *at, *expected; /* the first error */
    int depth;
} parser;

static int fail(parser *s, const char *expected)
{
    if (!s->expected) {
        s->at = s->p;
        s->expected = expected;
    }
    return -1;
}

static void blanks(parser *s)
{
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\t')) s->p++;
}

static bool take(parser *s, char c)
{
    blanks(s);
    if (s->p >= s->end || *s->p != c) return false;
    s->p++;
    return true;
}

static int add_node(parser *s, int op, int a, int b, int c)
{
    if (s->expected || a < 0 || b < 0 || c < 0) return -1;
    if (s->e->count == EXPR_NODES) return fail(s, "a shorter expression");
    s->e->node[s->e->count] = (expr_node){.op = (uint8_t)op, .a = (uint8_t)a, .b = (uint8_t)b, .c = (uint8_t)c};
    return s->e->count++;
}

static int choice(parser *s);

static int number(parser *s)
{
    uint64_t v = 0;
    const char *start = s->p;
    for (; s->p < s->end && (isdigit((unsigned char)*s->p) || *s->p == '_'); s->p++) {
        if (*s->p == '_') continue;
        unsigned digit = (unsigned)(*s->p - '0');
        if (v > ((uint64_t)INT64_MAX - digit) / 10) {
            s->p = start;
            return fail(s, "a number below 2^63");
        }
        v = v * 10 + digit;
    }
    if (s->end - s->p >= 2 && s->p[1] == 'i' && strchr("KMG", *s->p)) {
        int shift = *s->p == 'K' ? 10 : *s->p == 'M' ? 20 : 30;
        if (v > (uint64_t)INT64_MAX >> shift) {
            s->p = start;
            return fail(s, "a number below 2^63");
        }
        v <<= shift;
        s->p += 2;
    }
    if (s->p < s->end && (isalnum((unsigned char)*s->p) || *s->p == '.'))
        return fail(s, "a whole number (1048576, 64Ki, 1Mi)");
    int n = add_node(s, NUMBER, 0, 0, 0);
    if (n >= 0) s->e->node[n].is.value = (int64_t)v;
    return n;
}

void expr_constant(expr *e, int64_t value)
{
    e->count = 1;
    e->node[0] = (expr_node){.op = NUMBER, .is.value = value};
}

static bool word_char(char c) { return isalnum((unsigned char)c) || c == '_'; }

static int name(parser *s)
{
    const char *start = s->p;
    if (*s->p == '[') {
        while (s->p < s->end && *s->p != ']') s->p++;
        if (s->p == s->end) return fail(s, "']' after the step's name");
        s->p++;
        if (s->p == s->end || *s->p != '.') return fail(s, "'.' and what is wanted of that step");
    } else {
        while (s->p < s->end && word_char(*s->p)) s->p++;
    }
    if (s->p < s->end && *s->p == '.') {
        s->p++;
        if (s->p == s->end || !word_char(*s->p)) return fail(s, "a name after '.'");
        while (s->p < s->end && word_char(*s->p)) s->p++;
    }
    size_t length = (size_t)(s->p - start);
    if (length > 100) {
        s->p = start;
        return fail(s, "a shorter name");
    }
    if (take(s, '(')) {
        for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
            const struct function *f = &functions[i];
            if (strlen(f->name) != length || memcmp(f->name, start, length)) continue;
            int a = choice(s), b = 0;
            if (f->operands == 2) {
                if (!take(s, ',')) return fail(s, "',' and a second operand");
                b = choice(s);
            }
            if (!take(s, ')')) return fail(s, "')'");
            return add_node(s, f->op, a, b, 0);
        }
        s->p = start;
        return fail(s, "one of the functions min, max, ceil, log2");
    }
    int n = add_node(s, NAME, 0, 0, 0);
    if (n >= 0) {
        s->e->node[n].is.name = start;
        s->e->node[n].length = (uint16_t)length;
    }
    return n;
}

static int binary(parser *s, int level);

static int unary(parser *s)
{
    blanks(s);
    if (s->p == s->end) return fail(s, "a number, a name or '('");
    if (++s->depth > 40) return fail(s, "a simpler expression");
    int n;
    char c = *s->p;
    if (c == '-' || c == '!' || c == '~') {
        s->p++;
        n = add_node(s, c == '-' ? NEGATE : c == '!' ? NOT : FLIP, binary(s, POWER_LEVEL), 0, 0);
    } else if (c == '(') {
        s->p++;
        n = choice(s);
        if (n >= 0 && !take(s, ')')) n = fail(s, "')'");
    } else if (isdigit((unsigned char)c)) {
        n = number(s);
    } else if (isalpha((unsigned char)c) || c == '_' || c == '[') {
        n = name(s);
    } else {
        n = fail(s, "a number, a name or '('");
    }
    s->depth--;
    return n;
}

static int binary(parser *s, int level)
{
    int left = unary(s);
    while (left >= 0) {
        blanks(s);
        int op = -1;
        for (int i = 0; i < BINARIES && op < 0; i++) {
            size_t l = strlen(binaries[i].text);
            if ((size_t)(s->end - s->p) >= l && !memcmp(s->p, binaries[i].text, l)) op = i;
        }
        /* "<<<" begins a launch; it is not an operator */
        if (op < 0 || binaries[op].level < level || (op == SHL && s->end - s->p > 2 && s->p[2] == '<') ||
            (op == SHR && s->end - s->p > 2 && s->p[2] == '>'))
            break;
        s->p += strlen(binaries[op].text);
        if (++s->depth > 40) return fail(s, "a simpler expression");
        left = add_node(s, BINARY + op, left, binary(s, binaries[op].level + (op != POWER)), 0);
        s->depth--;
    }
    return left;
}

static int choice(parser *s)
{
    int condition = binary(s, 1);
    if (condition < 0 || !take(s, '?')) return condition;
    if (++s->depth > 40) return fail(s, "a simpler expression");
    int yes = choice(s);
    if (yes >= 0 && !take(s, ':')) return fail(s, "':' and the other value");
    int no = yes < 0 ? -1 : choice(s);
    s->depth--;
    return add_node(s, CHOOSE, condition, yes, no);
}

const char *expr_parse(expr *e, const char *text, const char *end, const char **at, const char **expected)
{
    parser s = {.e = e, .p = text, .end = end};
    e->count = 0;
    int root = choice(&s);
    if (root < 0 || s.expected) {
        *at = s.at ? s.at : text;
        *expected = s.expected ? s.expected : "an expression";
        e->count = 0;
        return NULL;
    }
    while (s.p > text && (s.p[-1] == ' ' || s.p[-1] == '\t')) /* drop blanks skipped at the end */
        s.p--;
    return s.p;
}

typedef struct run {
    const expr *e;
    expr_lookup *lookup;
    void *arg;
    char *why;
    size_t size;
} run;

static bool overflow(run *r)
{
    snprintf(r->why, r->size, "the value does not fit in 64 bits");
    return false;
}

static bool eval(run *r, int index, int64_t *out);

static bool calculate(run *r, int op, int64_t a, int64_t b, int64_t *out)
{
    switch (op) {
    case EQ: *out = a == b; return true;
    case NE: *out = a != b; return true;
    case LT: *out = a < b; return true;
    case LE: *out = a <= b; return true;
    case GT: *out = a > b; return true;
    case GE: *out = a >= b; return true;
    case BOR: *out = a | b; return true;
    case BAND: *out = a & b; return true;
    case SHL:
        if (b < 0 || b > 62 || a < 0 || a > INT64_MAX >> b) return overflow(r);
        *out = a << b;
        return true;
    case SHR:
        if (b < 0 || b > 63 || a < 0) return overflow(r);
        *out = a >> b;
        return true;
    case ADD:
        if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) return overflow(r);
        *out = a + b;
        return true;
    case SUB:
        if (b < 0 ? a > INT64_MAX + b : a < INT64_MIN + b) return overflow(r);
        *out = a - b;
        return true;
    case MUL:
        if (a == 0 || b == 0) {
            *out = 0;
            return true;
        }
        if ((a == -1 && b == INT64_MIN) || (b == -1 && a == INT64_MIN)) return overflow(r);
        if (b != -1 && a != -1 &&
            (b > 0 ? a > INT64_MAX / b || a < INT64_MIN / b : a < INT64_MAX / b || a > INT64_MIN / b))
            return overflow(r);
        *out = a * b;
        return true;
    case POWER:
        if (b < 0) {
            snprintf(r->why, r->size, "a power below 0 is no whole number");
            return false;
        }
        if (a >= -1 && a <= 1) /* only the parity of the exponent matters */
            b = b ? 2 - b % 2 : 0;
        for (*out = 1; b > 0; b--)
            if (!calculate(r, MUL, *out, a, out)) return false;
        return true;
    default:
        if (b == 0) {
            snprintf(r->why, r->size, "division by zero");
            return false;
        }
        if (b == -1 && a == INT64_MIN) return overflow(r);
        *out = op == DIV ? a / b : a % b;
        return true;
    }
}

static bool eval(run *r, int index, int64_t *out)
{
    const expr_node *n = &r->e->node[index];
    int64_t a, b;
    switch (n->op) {
    case NUMBER: *out = n->is.value; return true;
    case NAME:
        if (r->lookup && r->lookup(r->arg, n->is.name, n->length, out)) return true;
        snprintf(r->why, r->size, "'%.*s' has no value here", (int)n->length, n->is.name);
        return false;
    case CHOOSE: return eval(r, n->a, &a) && eval(r, a ? n->b : n->c, out);
    case BINARY + OR_:
        if (!eval(r, n->a, &a) || (!a && !eval(r, n->b, &a))) return false;
        *out = a != 0;
        return true;
    case BINARY + AND_:
        if (!eval(r, n->a, &a) || (a && !eval(r, n->b, &a))) return false;
        *out = a != 0;
        return true;
    }
    if (!eval(r, n->a, &a)) return false;
    switch (n->op) {
    case NEGATE: return calculate(r, SUB, 0, a, out);
    case NOT: *out = !a; return true;
    case FLIP: *out = ~a; return true;
    case LOG2:
        if (a < 1) {
            snprintf(r->why, r->size, "log2 of a number below 1");
            return false;
        }
        for (*out = 0; a > 1; a /= 2) (*out)++;
        return true;
    }
    if (!eval(r, n->b, &b)) return false;
    switch (n->op) {
    case MIN: *out = a < b ? a : b; return true;
    case MAX: *out = a > b ? a : b; return true;
    case CEIL: {
        int64_t q, m;
        if (!calculate(r, DIV, a, b, &q) || !calculate(r, REM, a, b, &m)) return false;
        *out = q + (m != 0 && (m > 0) == (b > 0));
        return true;
    }
    }
    return calculate(r, n->op - BINARY, a, b, out);
}

bool expr_eval(const expr *e, expr_lookup *lookup, void *arg, int64_t *value, char *why, size_t size)
{
    run r = {e, lookup, arg, why, size};
    if (e->count == 0) {
        snprintf(why, size, "there is no expression");
        return false;
    }
    return eval(&r, e->count - 1, value);
}

bool expr_names(const expr *e, bool (*each)(void *arg, const char *name, size_t length), void *arg)
{
    for (int i = 0; i < e->count; i++)
        if (e->node[i].op == NAME && !each(arg, e->node[i].is.name, e->node[i].length)) return false;
    return true;
}

static void equalities(const expr *e, int i, void (*each)(void *, const char *, size_t, int64_t), void *arg)
{
    const expr_node *n = &e->node[i], *a = &e->node[n->a], *b = &e->node[n->b];
    if (n->op == BINARY + AND_) {
        equalities(e, n->a, each, arg);
        equalities(e, n->b, each, arg);
    } else if (n->op == BINARY + EQ && a->op == NAME && b->op == NUMBER) {
        each(arg, a->is.name, a->length, b->is.value);
    }
}

void expr_equalities(const expr *e, void (*each)(void *arg, const char *name, size_t length, int64_t value), void *arg)
{
    if (e->count) equalities(e, e->count - 1, each, arg);
}

/* ---- as C ---- */

typedef struct writer {
    FILE *to;
    const expr *e;
    expr_put_name *name;
    void *arg;
} writer;

enum { TERNARY = 0, UNARY = 12 }; /* levels beside those of `binaries` */

/* `level` is what stands around it: what binds less is put into parentheses. */
static void write_node(const writer *w, int index, int level)
{
    const expr_node *n = &w->e->node[index];
    int64_t known;
    char why[80];
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
    const struct binary *b = &binaries[n->op - BINARY];
    if (n->op == BINARY + POWER) {
        run r = {w->e, NULL, NULL, why, sizeof why};
        if (eval(&r, index, &known)) { /* 2^20 */
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
    const writer w = {to, e, put_name, arg};
    if (e->count) write_node(&w, e->count - 1, operand ? POWER_LEVEL : TERNARY);
}

void expr_single_name(const expr *e, const char **name, size_t *length)
{
    bool is = e->count == 1 && e->node[0].op == NAME;
    *name = is ? e->node[0].is.name : NULL;
    *length = is ? e->node[0].length : 0;
}
