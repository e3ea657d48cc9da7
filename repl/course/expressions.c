/* expressions.c: the expressions of lessons, one grammar for two kinds. A precedence-climbing parser
 * fills a small array of nodes, operands before operators. Expressions of whole numbers are
 * evaluated here, from the root, so the untaken side of ?: && || is not evaluated. Those about the
 * elements of buffers have more to them (a point in a number, x[i], sum) and are evaluated for many
 * elements at once in elements.c. */
#include "expression_nodes.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer operators precede their own prefixes. */
const struct expr_binary expr_binaries[BINARIES] = {
    {"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<<", 8}, {">>", 8}, {"<=", 7}, {">=", 7}, {"<", 7},
    {">", 7},  {"|", 3},  {"&", 5},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}, {"^", POWER_LEVEL},
};
#define binaries expr_binaries

/* The first WHOLE of them belong to both kinds. */
enum { WHOLE = 4 };
const struct expr_function expr_functions[] = {
    {"min", MIN, 2},        {"max", MAX, 2},        {"ceil", CEIL, 2},      {"log2", LOG2, 1},
    {"abs", ABS, 1},        {"floor", FLOOR, 1},    {"sqrt", SQRT, 1},      {"exp", EXP, 1},
    {"log", LOG, 1},        {"sin", SIN, 1},        {"cos", COS, 1},        {"tanh", TANH, 1},
    {"xor", XOR, 2},        {"sum", SUM, 0},        {"least", LEAST, 0},    {"greatest", GREATEST, 0},
    {"i8", CAST, 1},        {"u8", CAST + 1, 1},    {"i16", CAST + 2, 1},   {"u16", CAST + 3, 1},
    {"i32", CAST + 4, 1},   {"u32", CAST + 5, 1},   {"i64", CAST + 6, 1},   {"u64", CAST + 7, 1},
    {"f32", CAST + 8, 1},   {"f64", CAST + 9, 1},   {"f16", CAST + 10, 1},  {"bf16", CAST + 11, 1},
    {"tf32", CAST + 12, 1}, {"e4m3", CAST + 13, 1}, {"e5m2", CAST + 14, 1}, {0}};

const char *expr_function_name(int i) { return expr_functions[i].name; }

typedef struct parser {
    expr_node *node;
    int *count, room;
    bool elements; /* of the second kind */
    const char *text, *p, *end;
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
    if (*s->count == s->room) return fail(s, "a shorter expression");
    s->node[*s->count] = (expr_node){.op = (uint8_t)op, .a = (uint8_t)a, .b = (uint8_t)b, .c = (uint8_t)c};
    return (*s->count)++;
}

/* The same, with its place and its name. */
static int add_named(parser *s, int op, int a, int b, int c, const char *name, size_t length)
{
    const int n = add_node(s, op, a, b, c);
    if (n < 0) return n;
    s->node[n].at = (uint16_t)(name - s->text);
    s->node[n].is.name = name;
    s->node[n].length = (uint16_t)length;
    return n;
}

static int choice(parser *s);

/* 2.5, 1e-5, 0x1f: of elements only. */
static int other_number(parser *s, bool hex)
{
    char digits[64], *stop;
    const char *start = s->p;
    size_t n = 0;
    for (; s->p < s->end && n < sizeof digits - 1; s->p++) {
        const bool sign = !hex && n && strchr("eE", digits[n - 1]) && strchr("+-", *s->p);
        if (!isalnum((unsigned char)*s->p) && *s->p != '.' && !sign) break;
        digits[n++] = *s->p;
    }
    digits[n] = 0;
    const double real = hex ? 0 : strtod(digits, &stop);
    const uint64_t whole = hex ? strtoull(digits + 2, &stop, 16) : 0;
    if (*stop || (hex && (n < 3 || n > 18 || whole > (uint64_t)INT64_MAX)) || real > 1e300) {
        s->p = start;
        return fail(s, hex ? "a number below 2^63, as in 0x1f" : "a number, as in 1048576, 64Ki, 2.5 or 1e-5");
    }
    const int at = add_node(s, hex ? NUMBER : REAL, 0, 0, 0);
    if (at < 0) return at;
    s->node[at].at = (uint16_t)(start - s->text);
    if (hex) s->node[at].is.value = (int64_t)whole;
    else s->node[at].is.real = real;
    return at;
}

static int number(parser *s)
{
    uint64_t v = 0;
    const char *start = s->p, *after = s->p;
    while (s->elements && after < s->end && isdigit((unsigned char)*after)) after++;
    if (s->elements && after < s->end && strchr(".eE", *after)) return other_number(s, false);
    if (s->elements && after == start + 1 && *start == '0' && after < s->end && strchr("xX", *after))
        return other_number(s, true);
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
    if (n >= 0) s->node[n].is.value = (int64_t)v;
    if (n >= 0) s->node[n].at = (uint16_t)(start - s->text);
    return n;
}

void expr_constant(expr *e, int64_t value)
{
    e->count = 1;
    e->node[0] = (expr_node){.op = NUMBER, .is.value = value};
}

static bool word_char(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* What follows `sum(`: VARIABLE, FROM, TO, EXPRESSION */
static int reduction(parser *s, int op)
{
    blanks(s);
    const char *variable = s->p;
    while (s->p < s->end && word_char(*s->p)) s->p++;
    const size_t length = (size_t)(s->p - variable);
    if (!length || length > 31 || isdigit((unsigned char)*variable)) {
        s->p = variable;
        return fail(s, "a name that counts, as in sum(k, 0, n, x[k])");
    }
    int part[3];
    for (int i = 0; i < 3; i++) {
        if (!take(s, ','))
            return fail(s, i == 0   ? "',' and the first number"
                           : i == 1 ? "',' and the number at which it ends, which it does not reach"
                                    : "',' and what is added up");
        if ((part[i] = choice(s)) < 0) return -1;
    }
    if (!take(s, ')')) return fail(s, "')'");
    return add_named(s, op, part[0], part[1], part[2], variable, length);
}

/* What follows `name(`. */
static int call(parser *s, const char *start, size_t length)
{
    for (int i = 0; s->elements ? expr_functions[i].name != NULL : i < WHOLE; i++) {
        const struct expr_function *f = &expr_functions[i];
        if (strlen(f->name) != length || memcmp(f->name, start, length)) continue;
        int a, b = 0;
        if (!f->operands) return reduction(s, f->op);
        a = choice(s);
        if (f->operands == 2) {
            if (!take(s, ',')) return fail(s, "',' and a second operand");
            b = choice(s);
        }
        if (!take(s, ')')) return fail(s, "')'");
        a = add_node(s, f->op, a, b, 0);
        if (a >= 0) s->node[a].at = (uint16_t)(start - s->text);
        return a;
    }
    s->p = start;
    return fail(s, s->elements ? "a function: min max abs floor sqrt exp log sin cos tanh xor ceil log2, sum least "
                                 "greatest (k, FROM, TO, EXPRESSION), or a type as in f32(x)"
                               : "one of the functions min, max, ceil, log2");
}

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
    if (take(s, '(')) return call(s, start, length);
    if (!s->elements || !take(s, '[')) return add_named(s, NAME, 0, 0, 0, start, length);
    int at[2] = {choice(s), 0}, places = 1;
    if (at[0] < 0 || !take(s, ']')) return fail(s, "']' after the index");
    if (take(s, '[')) {
        places = 2;
        at[1] = choice(s);
        if (at[1] < 0 || !take(s, ']')) return fail(s, "']' after the index");
    }
    return add_named(s, places == 2 ? AT_ROW : AT, at[0], at[1], 0, start, length);
}

static int binary(parser *s, int level);

static int unary(parser *s)
{
    blanks(s);
    if (s->p == s->end) return fail(s, "a number, a name or '('");
    if (++s->depth > EXPR_DEPTH) return fail(s, "a simpler expression");
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
    } else if (isalpha((unsigned char)c) || c == '_' || (c == '[' && !s->elements)) {
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
        const char *at = s->p;
        s->p += strlen(binaries[op].text);
        if (++s->depth > EXPR_DEPTH) return fail(s, "a simpler expression");
        left = add_node(s, BINARY + op, left, binary(s, binaries[op].level + (op != POWER)), 0);
        if (left >= 0) s->node[left].at = (uint16_t)(at - s->text);
        s->depth--;
    }
    return left;
}

static int choice(parser *s)
{
    int condition = binary(s, 1);
    if (condition < 0 || !take(s, '?')) return condition;
    if (++s->depth > EXPR_DEPTH) return fail(s, "a simpler expression");
    int yes = choice(s);
    if (yes >= 0 && !take(s, ':')) return fail(s, "':' and the other value");
    int no = yes < 0 ? -1 : choice(s);
    s->depth--;
    return add_node(s, CHOOSE, condition, yes, no);
}

static const char *parse(parser s, const char **at, const char **expected)
{
    *s.count = 0;
    int root = choice(&s);
    if (root < 0 || s.expected) {
        *at = s.at ? s.at : s.text;
        *expected = s.expected ? s.expected : "an expression";
        *s.count = 0;
        return NULL;
    }
    while (s.p > s.text && (s.p[-1] == ' ' || s.p[-1] == '\t')) /* drop blanks skipped at the end */
        s.p--;
    return s.p;
}

const char *expr_parse(expr *e, const char *text, const char *end, const char **at, const char **expected)
{
    return parse((parser){.node = e->node, .count = &e->count, .room = EXPR_NODES, .text = text, .p = text, .end = end},
                 at, expected);
}

const char *expr_parse_elements(expr_node node[ELEMENT_NODES], int *count, const char *text, const char *end,
                                const char **at, const char **expected)
{
    return parse(
        (parser){
            .node = node, .count = count, .room = ELEMENT_NODES, .elements = true, .text = text, .p = text, .end = end},
        at, expected);
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

bool expr_nodes_name(const expr_node *node, int count,
                     bool (*each)(void *arg, const char *name, size_t length, bool element), void *arg)
{
    for (int i = 0; i < count; i++)
        if ((node[i].op == NAME || node[i].op == AT || node[i].op == AT_ROW) &&
            !each(arg, node[i].is.name, node[i].length, node[i].op != NAME))
            return false;
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

void expr_single_name(const expr *e, const char **name, size_t *length)
{
    bool is = e->count == 1 && e->node[0].op == NAME;
    *name = is ? e->node[0].is.name : NULL;
    *length = is ? e->node[0].length : 0;
}
