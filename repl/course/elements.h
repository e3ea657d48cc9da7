/* elements.h: expressions about the elements of buffers, as `right:` and fills have them:
 *
 *     y[i] == 2 * x[i] + before.y[i]
 *     c[i] == sum(k, 0, n, a[i / n * n + k] * b[k * n + i % n])
 *
 * elements.c says what each name means, and which kind of number each part is: a whole number of 64
 * bits, an unsigned one, or a double. element_run.c evaluates it for many elements at once. The
 * buffers are as the host filled them. Whole numbers wrap at 64 bits, and again when they are put
 * into a narrower element, as C's unsigned ones do. */
#ifndef ELEMENTS_H
#define ELEMENTS_H

#include "reference.h"

enum { ELEMENT_VARIABLES = 2, ELEMENT_SLOTS = 8 /* with those of sums within sums */ };

enum element_kind { ELEMENT_WHOLE, ELEMENT_UNSIGNED, ELEMENT_REAL };

/* What an expression may name. */
typedef struct element_names {
    const lesson *l;
    const lesson_step *s;
    const lesson_formula *formula; /* with the names of its variables */
    bool fill;                     /* of a fill: settings alone */
    int judged;                    /* this buffer is called before.NAME; -1: none */
} element_names;

/* The numbers behind these names. */
typedef struct element_inputs {
    const int64_t *setting;
    const cpu_value *buffer; /* by index */
    const uint64_t *columns; /* of each buffer's rows; 0: it has none */
    const cpu_value *local;  /* one number each; without data: not known */
} element_inputs;

typedef struct element_error {
    int column;    /* of the file's line; 0: unknown */
    bool shortage; /* of memory: not the author's fault */
    char text[300];
} element_error;

typedef struct element_program element_program;

/* Does each name exist, and does each part fit its place? */
bool element_check(const element_names *n, element_error *err);
/* Ready to run; NULL: *err says why not. The buffers and locals must live as long as it does. */
element_program *element_bind(const element_names *n, const element_inputs *in, element_error *err);
void element_free(element_program *p);
enum element_kind element_kind_of(const element_program *p);

/* The elements that are computed: `count` of them, in rows of `columns` (0: in one row), whose first has
 * these numbers as the values of the variables. */
typedef struct element_range {
    uint64_t count, columns;
    int64_t first[ELEMENT_VARIABLES];
} element_range;

/* Computes them into out->data, which has room for them, rounded or wrapped to out->type. */
bool element_run(const element_program *p, const element_range *range, cpu_value *out, element_error *err);

#endif
