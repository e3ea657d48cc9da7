/* judging.h: the judging of one answer, as the files of judge/ share it; no other file includes it. */
#ifndef JUDGING_H
#define JUDGING_H

#include "judge.h"
#include "program/program.h"

typedef struct judging {
    struct app *app;
    const judge_request *q;
    const exercise *x;
    judge_verdict *v;
    struct device device;
    char *card;    /* text of its file */
    bool own_card; /* it is the exercise's card: goals apply */
    const char *ptx;
    size_t ptx_bytes;
    char *owned_ptx;
    char program[4400];         /* of an answer that is one: what runs ... */
    struct program_built built; /* ... and where it was built */
    bool interrupted;
} judging;

/* One run of the answer. */
typedef struct judge_input {
    step_values values;
    int number;                      /* as judge_film_open takes it */
    const exercise_failing *failing; /* of a program: a call fails here */
    int fill;                        /* index among the exercise's fills; -1: the default fill */
    uint64_t seed;
    bool timed;    /* by the card's clock */
    bool chains;   /* step_request.chains */
    bool shuffled; /* warps and blocks take turns in an order drawn from the seed */
} judge_input;

/* What judging does by the form of an answer (course/exercise_kinds.def): one for each, in judge_NAME.c. */
struct judge_form {
    void (*judge)(judging *k); /* k->q->text to its verdict */
    /* Makes the kernel ready to be looked at, where the form is `filmed`. *plain and *text, which is to be freed, may
     * take the request's place. Here and below, false: the verdict says why not. */
    bool (*film)(judging *k, judge_request *plain, char **text);

    /* Of a form whose judge is judge_cases: */
    bool (*ready)(judging *k); /* compiles k->q->text, unless it has been */
    /* One run. True: the output is correct, and `keep` (unless NULL) has the result. */
    bool (*run)(judging *k, const judge_input *in, step_result *keep);
    /* What the goals need besides a run, on the same input; goes to *keep. */
    bool (*measure)(judging *k, const judge_input *in, step_result *keep);
    bool (*failing_calls)(judging *k); /* the cases in which a call fails; NULL: it has none */
    bool shuffles;                     /* cases run once more with warps and blocks in another order */
};
#define FORM(name, ...) extern const struct judge_form judge_form_##name;
#define KIND(...)
#include "course/exercise_kinds.def"

/* ---- judge.c ---- */
const struct judge_form *judge_form(const judging *k);
void judge_cases(judging *k); /* gets the text ready, runs its cases and looks at its goals */
void judge_say(judge_verdict *v, enum judge_state state, int reason, const char *fmt, ...) APP_PRINTF(4, 5);
/* Input `number` of an answer that is judged with this seed. False: there is none, or `require:` rules
 * it out. */
bool judge_input_at(const judging *k, uint64_t seed, int number, judge_input *out);

/* ---- judge_number.c ---- */
/* Loads kernel.ptx of the exercise, which k->owned_ptx then is. False: the verdict says why not. */
bool judge_own_kernel(judging *k);
bool judge_film_own_kernel(judging *k, judge_request *plain, char **text); /* as judge_form.film */

#endif
