/* expressions.h: small integer expressions, as a lesson writes them: (n + threads - 1) / threads.
 *
 * C's operators and precedences on 64-bit integers: ?: || && | & == != < <= > >= << >> + - * / %
 * and unary - ! ~, with parentheses, but a ^ b is a power; min(a,b), max(a,b), ceil(a,b) (division
 * rounded up) and log2(a) (rounded down). Numbers may end in Ki, Mi or Gi. A name is a word, or a
 * word after a step: before.transactions, [v3-512].transactions. Overflow, division by zero and
 * unknown names are errors, never results. Parsing allocates nothing: names point into the text
 * parsed.
 */
#ifndef EXPR_H
#define EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EXPR_NODES = 32 };

typedef struct expr_node {
    uint8_t op;      /* private to expressions.c */
    uint8_t a, b, c; /* operands: indices of earlier nodes */
    uint16_t length; /* of a name */
    union {
        const char *name; /* within the text that was parsed */
        int64_t value;    /* a number */
    } is;
} expr_node;

typedef struct expr {
    int count; /* 0: there is no expression; the last node is the root */
    expr_node node[EXPR_NODES];
} expr;

void expr_constant(expr *e, int64_t value);
/* Parse the longest expression at the start of [text, end). Returns where it ended, or NULL: then
 * *at is where it went wrong and *expected what should have stood there. */
const char *expr_parse(expr *e, const char *text, const char *end, const char **at, const char **expected);

/* Give a name's value. False when there is none. */
typedef bool expr_lookup(void *arg, const char *name, size_t length, int64_t *value);

/* Evaluate. False after writing what went wrong to why. */
bool expr_eval(const expr *e, expr_lookup *lookup, void *arg, int64_t *value, char *why, size_t size);

/* Call `each` for every name used. Stops and returns false when it does. */
bool expr_names(const expr *e, bool (*each)(void *arg, const char *name, size_t length), void *arg);

/* Call `each` for every NAME == NUMBER that must hold for a condition to hold: n == 1Mi && lists ==
 * 8. */
void expr_equalities(const expr *e, void (*each)(void *arg, const char *name, size_t length, int64_t value), void *arg);

/* The name, when the expression is one name and nothing else; else *name is NULL. */
void expr_single_name(const expr *e, const char **name, size_t *length);

#endif
