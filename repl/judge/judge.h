/* judge.h: the verdict on an answer to an exercise, the same on every machine.
 *
 * judge_answer compiles the text of an answer (or takes PTX made from it) and runs it on the
 * exercise's cases, each in a child with limits. It stops at the first error. Then it compares
 * counters and cycles with the goals, on the default input and on others whose sizes are drawn from
 * the seed. A goal may depend on our own solution, compiled by the same compiler. A verdict is
 * `pass`, `fail` with a reason, or `unjudged`. Unjudged means that the answer is not to blame (no
 * compiler, a time limit, a crash of ours), or that it was correct on a device other than the
 * exercise's. Time never fails an answer: an endless kernel is one that used up its budget of
 * instructions. */
#ifndef JUDGE_H
#define JUDGE_H

#include "course/exercise.h"
#include "run/step.h"
#include "shell/document.h"

enum { JUDGE_SOURCE_MAX = 256 << 10 };
#define JUDGE_BUDGET INT64_C(50000000) /* warp instructions per case, unless the exercise sets a budget */

enum judge_state { JUDGE_PASS, JUDGE_FAIL, JUDGE_UNJUDGED };

typedef struct judge_goal {
    int metric, card;                        /* card: exercise_card's number */
    bool known, reached, at_least, relative; /* relative: the goal is a part of our solution's number */
    double ours, bound;
    bool has_solution, has_starter; /* their numbers on the same input; starter: if its output is correct */
    double solution, starter;
} judge_goal;

typedef struct judge_verdict {
    enum judge_state state;
    int reason; /* course/reasons.h */
    char message[700], advice[512];
    char note[400];    /* of a program that passes: what it should know */
    char where[256];   /* the case: "n = 257, x filled with rand % 3" */
    int line;          /* of the answer; 0: none */
    int cases, passed; /* of the exercise; those that the answer passed */
    uint64_t seed;     /* of the case's inputs */
    int input;         /* its number, as judge_film_open takes it */
    bool has_fault;    /* it is the reason: */
    step_fault fault;
    bool has_element; /* wrong: which element, its value and the expected one */
    uint64_t element;
    char expected[40], got[40];
    bool has_writer;
    uint32_t writer_block[3], writer_thread[3];
    judge_goal goal[EXERCISE_GOALS * EXERCISE_CARDS];
    int goals;
    bool unchanged;  /* "short", and the starter's text but for names and comments: no work, no points */
    bool drawn;      /* "short" on an input with drawn sizes, not on the default one */
    bool has_cycles; /* of the default input */
    double cycles;
    double solution_cycles, starter_cycles; /* on the same input; 0: unknown, or the starter's output is wrong */
    char device[200], compiler[160];        /* compiler "": from PTX, or no compiler is needed */
    char *compiler_says;                    /* the compiler's messages; owned, may be NULL */
} judge_verdict;

/* Our own solution's results, computed once and used for many answers. Start with zeros. */
typedef struct judge_standard {
    bool known, has_starter;
    char compiler[160];
    uint64_t seed;
    step_result r[EXERCISE_INPUTS], starter; /* starter: on the default input, if its output is correct */
} judge_standard;

typedef struct judge_request {
    const exercise *x;
    const char *text, *name; /* the answer, and its name in messages: "1.2-guard.cu" */
    size_t bytes;
    const char *ptx; /* already made from it; NULL: compile. Else the solution's PTX comes from: */
    const char *ptx_folder;
    const char *made;            /* folder of programs that were built from the answers, with their sources; or NULL */
    const char *compiler;        /* "nvcc" ...; NULL: the first that is found */
    const struct device *device; /* NULL: the exercise's card. Goals apply on that card only */
    uint64_t seed;
    judge_standard *standard; /* NULL: nothing is cached */
} judge_request;

/* Always fills `out` (free it with judge_free). Prints nothing. EXIT_DONE, or EXIT_INTERRUPT. */
int judge_answer(struct app *app, const judge_request *q, judge_verdict *out);
void judge_free(judge_verdict *v);
void judge_standard_free(judge_standard *s);

/* judge_film.c: an answer with one of its inputs, to be filmed: 0 the exercise's defaults, then its
 * cases, then the inputs drawn for its goals. The texts of `q` must live as long. NULL: the verdict
 * says why. */
typedef struct judge_film judge_film;
judge_film *judge_film_open(struct app *app, const judge_request *q, int input, judge_verdict *v);
const step_request *judge_film_request(const judge_film *t);
void judge_film_free(judge_film *t);

/* 100 for a pass, 50 for correct but short of a goal, unless that is the starter as it was; else 0; -1:
 * not judged. */
int judge_score(const judge_verdict *v);

/* What a command ends with: done, check failed, or, where nothing was judged, that a compiler is absent or an internal
 * error. */
int judge_status(const judge_verdict *v);

/* The verdict in one sentence, for a table. */
void judge_sentence(const judge_verdict *v, char *out, size_t size);

/* judge_source.c: an answer must not include other files or contain directives to the compiler.
 * Returns the text to compile (to be freed): exactly the text that was checked, the same for every
 * compiler. NULL with the line and a sentence; the line is -1 when memory ran out. */
char *judge_source(const char *text, size_t bytes, size_t *plain_bytes, int *line, char *why, size_t size);

/* show_verdict.c: what is missing of the seal on this machine, before anything is judged; nothing if it is whole. */
void judge_show_missing(struct app *app);
/* a verdict in a few lines, or as a JSON line. `file` is the answer's name, `text`
 * its contents. */
void judge_show(doc *d, const exercise *x, const judge_verdict *v, const char *file, const char *text);
/* Of a correct answer: its numbers between those of the starter and of our solution. */
void judge_show_data(doc *d, const exercise *x, const judge_verdict *v, const char *file); /* data alone */
void judge_show_ladder(doc *d, const exercise *x, const judge_verdict *v);

#endif
