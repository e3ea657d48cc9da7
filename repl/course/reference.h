/* reference.h: what the CPU computes for a lesson: how buffers are filled, the host's share of the
 * work, and what is right.
 *
 * Two tables: generators fill an array from a seed; operations turn arrays and numbers into a
 * result. A lesson names them; both are found by name and print in `help`. Sums of integers are
 * exact in 64 bits, sums of floats are taken in double, compensated, so that a reference is better
 * than what it judges.
 */
#ifndef REFERENCE_H
#define REFERENCE_H

#include "lesson.h"

/* An array, or a single number (count 1, scalar). */
typedef struct cpu_value {
    enum lesson_type type;
    uint64_t count;
    bool scalar;
    void *data;  /* owned by whoever made it */
    int threads; /* that worked on it; 0: one */
} cpu_value;

void cpu_value_free(cpu_value *v);
double cpu_number(const cpu_value *v, uint64_t i);
int64_t cpu_integer(const cpu_value *v, uint64_t i); /* floats are rounded to zero, out of range to the limits */

/* ---- generators ---- */
/* glibc's rand(): the additive feedback generator of TYPE_3, as srand(seed) starts it. */
typedef struct rand_glibc {
    uint32_t ring[31];
    int f, b;
} rand_glibc;
void rand_glibc_seed(rand_glibc *g, uint32_t seed);
int32_t rand_glibc_next(rand_glibc *g);                          /* 0 to 2^31 - 1 */
void rand_glibc_many(rand_glibc *g, int32_t *out, size_t count); /* the next ones */
/* The 15-bit generator of Microsoft's C library. */
int32_t rand_msvc_next(uint32_t *state); /* 0 to 32767 */

/* The random numbers of one run: a second buffer goes on where the first stopped, as in a program
 * that calls rand(). */
typedef struct fill_stream {
    rand_glibc glibc;
    uint32_t msvc;
    uint64_t seed; /* of `any`, whose numbers follow from it, */
    int buffer;    /* the buffer and the element alone */
} fill_stream;
void fill_start(fill_stream *s, uint64_t seed);

typedef struct fill_generator {
    const char *name;
    bool parameter; /* takes % EXPR */
    const char *about;
    void (*fill)(cpu_value *v, fill_stream *s, int64_t parameter, double constant);
} fill_generator;
extern const fill_generator fill_generators[];    /* ends with a NULL name */
enum { FILL_NONE = 0, FILL_ZERO, FILL_CONSTANT }; /* places of the first three; the others are found by name */
int fill_named(const char *name, size_t length);  /* not FILL_CONSTANT; -1: there is none */
/* `count` elements as the buffer says, to `to`. False: its file is shorter now, or cannot be read. */
bool fill_buffer(const lesson_buffer *b, uint64_t count, fill_stream *s, int64_t parameter, void *to);

/* ---- operations ---- */
typedef struct cpu_operation {
    const char *name, *args, *about;
    int least, most; /* arguments */
    /* Compute. 0 and *out (owned by the caller), or -1 after writing why. */
    int (*compute)(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size);
} cpu_operation;
extern const cpu_operation cpu_operations[]; /* ends with a NULL name */

/* ---- judging ---- */
typedef struct verdict {
    bool correct;
    uint64_t wrong, first;  /* elements that are wrong, and the first of them */
    bool array;             /* not a single number */
    double ours, reference; /* there, or at element 0 */
    bool exact_integers;    /* print them as integers: */
    int64_t ours_integer, reference_integer;
    double max_relative, mean_relative, max_absolute;
    double max_ulp;    /* the largest error in units of a float's last bit, when ours are floats */
    char message[160]; /* "they have different lengths" or empty */
} verdict;
void verdict_compare(verdict *out, const cpu_value *ours, const cpu_value *reference, double within, bool relative);

#endif
