/* element_run.h: an expression that runs; element_operators.c shares it. */
#ifndef ELEMENT_RUN_H
#define ELEMENT_RUN_H

#include "element_nodes.h"
#include <string.h>

enum { BATCH = 256 };

typedef union vec {
    int64_t i[BATCH];
    uint64_t u[BATCH];
    double r[BATCH];
} vec;

typedef struct shared {
    const element_program *p;
    const element_range *range;
    cpu_value *out;
    _Atomic uint64_t work;
} shared;

/* one thread's part */
typedef struct run {
    shared *all;
    const element_program *p;
    uint64_t from, to;
    vec *room; /* scratch */
    int used;
    const vec *var[ELEMENT_SLOTS], *known[ELEMENT_NODES]; /* constants, and parts of a sum computed once */
    bool failed;
    element_error err;
} run;

#define EACH  for (int l = 0; l < n; l++)
#define ON(l) (!mask || mask[l])

vec *element_take(run *r); /* scratch, until the caller's r->used is what it was */
/* The first mistake counts. `lane` says at which values of the variables; -1: that is not known. */
void element_stop(run *r, const element_node *n, int lane, const char *fmt, ...) LESSON_PRINTF(4, 5);
/* The value of a node in the lanes that are on (mask NULL: all); as doubles; as numbers of that kind. */
const vec *element_eval(run *r, int index, const uint8_t *mask, int n);
const vec *element_real(run *r, int index, const uint8_t *mask, int n);
const vec *element_as(run *r, int index, enum element_kind kind, const uint8_t *mask, int n);

/* ---- element_operators.c ---- */
void element_two(run *r, int index, vec *out, const uint8_t *mask, int n); /* a node with two operands */
void element_one(run *r, int index, vec *out, const uint8_t *mask, int n); /* with one */

static inline int64_t element_signed(uint64_t u)
{
    int64_t i;
    memcpy(&i, &u, sizeof i);
    return i;
}

#endif
