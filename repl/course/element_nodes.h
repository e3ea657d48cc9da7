/* element_nodes.h: a bound expression, between elements.c, which makes it, and element_run.c. */
#ifndef ELEMENT_NODES_H
#define ELEMENT_NODES_H

#include "elements.h"
#include "expression_nodes.h"

enum { ELEMENT_HOISTED = 4 };

typedef struct element_node {
    uint8_t op, a, b, c, slot;                /* slot: of a variable */
    uint8_t kind;                             /* enum element_kind */
    uint8_t uses;                             /* a bit for each slot on whose variable it depends */
    bool safe;                                /* it never fails, so it may be computed where it is not needed */
    uint8_t hoisted[ELEMENT_HOISTED], hoists; /* of a sum: parts of its body that are the same in all turns */
    uint16_t at;
    int64_t value;
    double real;
    const cpu_value *array;
    const char *name; /* of a buffer or a variable */
    uint16_t length;
    uint64_t columns; /* of AT_ROW */
} element_node;

struct element_program {
    const lesson_formula *formula;
    int count;
    element_node node[ELEMENT_NODES];
    const char *variable[ELEMENT_SLOTS]; /* names, for messages */
    uint16_t variable_length[ELEMENT_SLOTS];
};

#endif
