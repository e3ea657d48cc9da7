/* expression_nodes.h: what the nodes of an expression mean. Only expressions.c, which makes them,
 * expression_writer.c, elements.c and element_run.c know. */
#ifndef EXPRESSION_NODES_H
#define EXPRESSION_NODES_H

#include "expressions.h"

enum {
    NUMBER,
    NAME,
    NEGATE,
    NOT,
    FLIP,
    CHOOSE,
    MIN,
    MAX,
    CEIL,
    LOG2,
    /* of elements only: */
    REAL,
    AT,     /* NAME[a] */
    AT_ROW, /* NAME[a][b] */
    SUM,    /* NAME counts from a to below b; c is added up */
    LEAST,
    GREATEST,
    ABS,
    FLOOR,
    SQRT,
    EXP,
    LOG,
    SIN,
    COS,
    TANH,
    XOR,
    CAST,               /* to a type: CAST + its number in lesson_types */
    BINARY = CAST + 15, /* BINARY + one of these: */
};
enum { OR_, AND_, EQ, NE, SHL, SHR, LE, GE, LT, GT, BOR, BAND, ADD, SUB, MUL, DIV, REM, POWER, BINARIES };

/* Sizes are mostly powers of two, and a student who writes n=2^20 means one: so ^ is not XOR here.
 * It binds tightest and groups from the right, as in mathematics: -2^2 is -4, 2^3^2 is 512. */
enum { POWER_LEVEL = 11 };
enum { EXPR_DEPTH = 40 };

extern const struct expr_binary {
    const char *text;
    int level; /* higher binds tighter */
} expr_binaries[BINARIES];

extern const struct expr_function {
    const char *name;
    int op, operands; /* 0: sum, least, greatest */
} expr_functions[];   /* ends with a NULL name */

#endif
