/* expressions.h: small integer expressions, as lessons write them: (n + threads - 1) / threads.
 *
 *     C's operators:  ?: || && | & == != < <= > >= << >> + - * / %   unary - ! ~   parentheses
 *     not C's:        a ^ b is a power
 *     functions:      min(a,b), max(a,b), ceil(a,b): division rounded up, log2(a): rounded down
 *     numbers:        64-bit integers; may end in Ki, Mi or Gi
 *     names:          a word, or a word after a step: before.transactions, [v3-512].transactions
 *
 * Overflow, division by zero and unknown names are errors, never results. Parsing allocates
 * nothing: names point into the text. */
#ifndef EXPRESSIONS_H
#define EXPRESSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { EXPR_NODES = 32, ELEMENT_NODES = 200 };

typedef struct expr_node {
    uint8_t op;      /* private to expressions.c */
    uint8_t a, b, c; /* operands: indices of earlier nodes */
    uint16_t length; /* of a name */
    uint16_t at;     /* where it stands in the text that was parsed */
    union {
        const char *name; /* within the text that was parsed */
        int64_t value;    /* a number */
        double real;
    } is;
} expr_node;

typedef struct expr {
    int count; /* 0: no expression; the last node is the root */
    expr_node node[EXPR_NODES];
} expr;

void expr_constant(expr *e, int64_t value);
/* Parse the longest expression at the start of [text, end). Returns its end. NULL: *at is the place
 * of the error, and *expected what should have been there. */
const char *expr_parse(expr *e, const char *text, const char *end, const char **at, const char **expected);

/* The same for an expression about elements (elements.h): the grammar above, and numbers like 2.5,
 * 1e-5 and 0x1f, x[i] and x[row][column], more functions, and sum(k, FROM, TO, EXPRESSION). */
const char *expr_parse_elements(expr_node node[ELEMENT_NODES], int *count, const char *text, const char *end,
                                const char **at, const char **expected);

const char *expr_function_name(int i); /* of these; NULL: no more */

/* Give the value of a name. False: unknown. */
typedef bool expr_lookup(void *arg, const char *name, size_t length, int64_t *value);

/* Evaluate. False: `why` says what went wrong. */
bool expr_eval(const expr *e, expr_lookup *lookup, void *arg, int64_t *value, char *why, size_t size);

/* Call `each` for every name in it. Stops and returns false when `each` does. */
bool expr_names(const expr *e, bool (*each)(void *arg, const char *name, size_t length), void *arg);

/* The same for nodes of either kind; `element`: it has an index. */
bool expr_nodes_name(const expr_node *node, int count,
                     bool (*each)(void *arg, const char *name, size_t length, bool element), void *arg);

/* Call `each` for every NAME == NUMBER that a condition requires: n == 1Mi && lists == 8. */
void expr_equalities(const expr *e, void (*each)(void *arg, const char *name, size_t length, int64_t value), void *arg);

/* Write it as C of 64-bit numbers; as an operand of a product it gets parentheses where it needs them. ^
 * and log2 become calls of cpu_power and cpu_log2. `put_name` writes a name. */
typedef void expr_put_name(void *arg, FILE *to, const char *name, size_t length);
void expr_write(FILE *to, const expr *e, bool operand, expr_put_name *put_name, void *arg);

/* The same for one about elements. `put_element` writes what stands before [index]: the buffer on the host,
 * as a number of 64 bits or a double; `put_columns` the elements of its rows. min, max, sum ... become calls of
 * cpu_min, cpu_max, cpu_total, cpu_lowest and cpu_highest. */
void expr_write_elements(FILE *to, const expr_node *node, int count, expr_put_name *put_name,
                         expr_put_name *put_element, expr_put_name *put_columns, void *arg);

/* The name, if the expression is a single name; else *name is NULL. */
void expr_single_name(const expr *e, const char **name, size_t *length);

#endif
