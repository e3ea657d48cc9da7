/* reference.h: what the CPU computes for a lesson: buffer contents, the host's part of the work,
 * and expected results.
 *
 * Two tables: generators fill an array from a seed; operations turn arrays and numbers into a
 * result. Lessons name them, and `help` lists them. Sums of integers are exact in 64 bits. Sums of
 * floats are compensated and in double, so that a reference is more accurate than the result that
 * it judges. */
#ifndef REFERENCE_H
#define REFERENCE_H

#include "lesson.h"

/* An array, or a single number (count 1, scalar). */
typedef struct cpu_value {
    enum lesson_type type;
    uint64_t count;
    bool scalar;
    void *data;  /* belongs to whoever made it */
    int threads; /* number that worked on it; 0: one */
} cpu_value;

void cpu_value_free(cpu_value *v);
double cpu_number(const cpu_value *v, uint64_t i);
int64_t cpu_integer(const cpu_value *v, uint64_t i); /* floats are rounded toward zero and clamped to the range */

/* ---- generators ---- */
/* glibc's rand(): the additive feedback generator of TYPE_3, as srand(seed) starts it. */
typedef struct rand_glibc {
    uint32_t ring[31];
    int f, b;
} rand_glibc;
void rand_glibc_seed(rand_glibc *g, uint32_t seed);
int32_t rand_glibc_next(rand_glibc *g);                          /* 0 to 2^31 - 1 */
void rand_glibc_many(rand_glibc *g, int32_t *out, size_t count); /* the next `count` numbers */
/* The 15-bit generator of Microsoft's C library. */
int32_t rand_msvc_next(uint32_t *state); /* 0 to 32767 */

/* The random numbers of one run: a second buffer continues where the first stopped, as in a program
 * that calls rand(). */
typedef struct fill_stream {
    rand_glibc glibc;
    uint32_t msvc;
    uint64_t seed; /* for `any`, whose numbers depend on the seed, ... */
    int buffer;    /* ... the buffer and the element alone */
} fill_stream;
void fill_start(fill_stream *s, uint64_t seed);

typedef struct fill_generator {
    const char *name;
    bool parameter; /* takes % EXPR */
    const char *about;
    void (*fill)(cpu_value *v, fill_stream *s, int64_t parameter, double constant);
} fill_generator;
extern const fill_generator fill_generators[];                  /* ends with a NULL name */
enum { FILL_NONE = 0, FILL_ZERO, FILL_CONSTANT, FILL_FORMULA }; /* indices of the first; others are found by name */
int fill_named(const char *name, size_t length); /* never FILL_CONSTANT or FILL_FORMULA; -1: there is none */
/* Not for FILL_FORMULA (elements.h). Fills `to` with `count` elements as the buffer says. False: its
 * file has become shorter, or cannot be read. */
bool fill_buffer(const lesson_buffer *b, uint64_t count, fill_stream *s, int64_t parameter, void *to);

/* ---- operations ---- */
typedef struct cpu_operation {
    const char *name, *args, *about;
    int least, most; /* arguments */
    /* 0 and *out (owned by the caller), or -1: `why` says why not */
    int (*compute)(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size);
} cpu_operation;
extern const cpu_operation cpu_operations[]; /* ends with a NULL name */

/* ---- judging ---- */
typedef struct verdict {
    bool correct;
    uint64_t wrong, first;  /* number of wrong elements, and the index of the first */
    bool array;             /* not a single number */
    double ours, reference; /* at that element, or at element 0 */
    bool exact_integers;    /* print these as integers: */
    int64_t ours_integer, reference_integer;
    double max_relative, mean_relative, max_absolute;
    double max_ulp;  /* the largest error in units of the type's last bit, if our values are floats of up to 32 bits */
    uint64_t looked; /* elements that were compared one by one; 0: all */
    double of_rounding; /* the largest error over what rounding can do; 0: not judged so, or no error */
    char message[160];  /* "they have different lengths" or empty */
} verdict;
void verdict_compare(verdict *out, const cpu_value *ours, const cpu_value *reference, double within, bool relative);

#endif
