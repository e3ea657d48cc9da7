/* judge.h: what an answer to an exercise is worth, the same on every machine.
 *
 * judge_answer compiles the text of an answer (or takes PTX made from it), runs it over the
 * exercise's cases, each in a child with limits, and stops at the first thing wrong; then it holds
 * counters and cycles against the goals, which our own solution, compiled by the same compiler,
 * sets: on the default input and on others whose sizes are drawn from the seed. A verdict is
 * `pass`, `fail` with a reason, or `unjudged`: the answer cannot be blamed (no compiler, the wall
 * clock ran out, a crash of ours), or was right on a device that is not the exercise's own. Time
 * never makes an answer fail: an endless kernel is one that used up its budget of instructions.
 */
#ifndef JUDGE_H
#define JUDGE_H

#include "course/exercise.h"
#include "run/step.h"
#include "shell/document.h"

enum { JUDGE_SOURCE_MAX = 256 << 10 };
#define JUDGE_BUDGET INT64_C(50000000) /* warp instructions of a case, where the exercise does not say */

enum judge_state { JUDGE_PASS, JUDGE_FAIL, JUDGE_UNJUDGED };

typedef struct judge_goal {
    int metric;
    bool known, reached, at_least, relative; /* relative: `solution` has a number */
    double ours, bound, solution;
} judge_goal;

typedef struct judge_verdict {
    enum judge_state state;
    char reason[32]; /* "pass", "rejected", "wrong", a fault's name, "short", "unjudged" */
    char message[700], advice[512];
    char where[256];   /* the case: "n = 257, x filled with rand % 3" */
    int line;          /* of the answer; 0: none */
    int cases, passed; /* of the exercise; that the answer came through */
    uint64_t seed;     /* of the case's inputs */
    step_fault fault;  /* when the reason is one */
    bool has_element;  /* wrong: which, what it is and should be */
    uint64_t element;
    char expected[40], got[40];
    bool has_writer;
    uint32_t writer_block[3], writer_thread[3];
    judge_goal goal[EXERCISE_GOALS];
    int goals;
    bool drawn;      /* "short" on an input whose sizes were drawn, not on the default one */
    bool has_cycles; /* of the default input */
    double cycles;
    double solution_cycles, starter_cycles; /* on it too; 0: not known, or the starter is not right */
    char device[200], compiler[160];        /* compiler "" : from PTX, or none is needed */
    char *compiler_says;                    /* its own words; owned, may be NULL */
} judge_verdict;

/* Our own solution's numbers; computed once and used for many answers. Zeroed to begin with. */
typedef struct judge_standard {
    bool known;
    char compiler[160];
    uint64_t seed;
    step_result r[EXERCISE_INPUTS], starter; /* starter: on the default input, where it is right */
} judge_standard;

typedef struct judge_request {
    const exercise *x;
    const char *text, *name; /* the answer, and how to call it: "1.2-guard.cu" */
    size_t bytes;
    const char *ptx; /* made from it already; NULL: compile. The solution's is then taken from there too: */
    const char *ptx_folder;
    const char *compiler;        /* "nvcc" ...; NULL: what is there */
    const struct device *device; /* NULL: the exercise's card. Goals hold on that card alone */
    uint64_t seed;
    judge_standard *standard; /* NULL: none is kept */
} judge_request;

/* Always fills `out` (free it with judge_free). Prints nothing. EXIT_DONE, or EXIT_INTERRUPT. */
int judge_answer(struct app *app, const judge_request *q, judge_verdict *out);
void judge_free(judge_verdict *v);
void judge_standard_free(judge_standard *s);

/* 100 for a pass, 50 for right but short of a goal, else 0; -1: not judged. */
int judge_score(const judge_verdict *v);

/* judge_source.c: nothing of an answer may reach beyond it: includes of files, and directives that
 * mean something to the compiler alone. The text as it is to be compiled (to be freed): what was
 * looked at, which is the same to every compiler. NULL with the line and a sentence; the line is -1
 * when memory ran out. */
char *judge_source(const char *text, size_t bytes, size_t *plain_bytes, int *line, char *why, size_t size);

/* show_verdict.c: a verdict in a few lines, or as a JSON line. `file` is the answer's, `text` what
 * it holds. */
void judge_show(doc *d, const exercise *x, const judge_verdict *v, const char *file, const char *text);
/* One sentence that says it all, for a table. */
void judge_sentence(const judge_verdict *v, char *out, size_t size);

#endif
