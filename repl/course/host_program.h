/* host_program.h: the whole CUDA program that would run a step: its kernel, and all that the host does
 * around it. `show host` prints it. */
#ifndef HOST_PROGRAM_H
#define HOST_PROGRAM_H

#include "lesson.h"
#include "step_values.h"

typedef struct host_program {
    const lesson *l;
    const lesson_step *s;
    const step_values *values;
    const char *kernel, *kernel_path; /* the text of its file, and its path to be shown; NULL: it runs none */
    const char *defines;              /* the flags that its PTX was made with: "-arch=compute_75 -DTILE=16"; or NULL */
    uint64_t seed;
} host_program;

/* Writes it. False: `why` says what a program cannot do for this step. */
bool host_program_write(FILE *to, const host_program *p, char *why, size_t size);

/* ---- host_kernel.c ---- */
/* The type of parameter number `index` of a kernel: "const float *". False: unknown. */
bool host_parameter(const char *text, const char *entry, int index, char *out, size_t size);
void host_defines(FILE *to, const char *flags); /* -DTILE=16 becomes a line of its own, so that no flag is needed */

/* ---- host_parts.c: what the program needs of reference.c, as text ---- */
typedef struct host_part {
    const char *name; /* of a fill or an operation */
    const char *needs[2];
    const char *text; /* helpers that stand before main; NULL: none */
    /* of a fill: the value of element i, or a statement for the whole buffer; and either with `% m` */
    const char *fill, *whole, *with_m;
} host_part;
const host_part *host_fill(const char *name);
const host_part *host_operation(const char *name); /* an operation, or another helper */

#endif
