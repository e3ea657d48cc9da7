/* judge_own.h: declarations shared by the files judge*.c; no other file includes it. */
#ifndef JUDGE_OWN_H
#define JUDGE_OWN_H

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

void judge_say(judge_verdict *v, enum judge_state state, const char *reason, const char *fmt, ...) APP_PRINTF(4, 5);

/* judge_compile.c */
const char *judge_kind_of(const char *compiler); /* "nvcc" of "nvcc 13.0.88" */
/* The text of FILE in the exercise's folder, or the PTX made from it; to be freed. */
char *judge_folder_text(judging *k, const char *file, size_t *bytes);
/* Code of strangers is not compiled, nor run, where a part of the seal is missing on which that rests.
 * True: the verdict says so. */
bool judge_refuses(judging *k);
bool judge_compile(judging *k); /* False: the verdict says why not */

/* judge_run.c: one run of the answer. */
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
/* True: the output is correct, and `keep` (unless NULL) has the result. Else the verdict says what
 * is wrong. */
bool judge_run(judging *k, const judge_input *in, step_result *keep);
/* Input `number` of an answer that is judged with this seed. False: there is none, or `require:` rules
 * it out. */
bool judge_input_at(const judging *k, uint64_t seed, int number, judge_input *out);
/* The step itself, or a copy of it and its buffers with a different fill in one of them. */
const lesson_step *judge_step_with(const exercise *x, int fill, lesson_step *s, lesson_buffer *buffers);
void judge_describe(const judging *k, const judge_input *in, char *out, size_t size); /* "n = 257, threads = 256" */
void judge_step_request(judging *k, step_request *q, const lesson_step *s, const step_values *values);
/* True: no fault among them. *unseen: a note that some accesses were not checked, or NULL. */
/* but: a kind of fault that is not looked at; NULL: none */
bool judge_faults(judging *k, const step_result *r, const char *but, const step_fault **unseen);
/* Turns a result into a verdict. True: the output is correct. */
bool judge_weigh(judging *k, const step_request *q, const step_result *r);

/* judge_program.c: answers that are whole programs. */
bool judge_build(judging *k);         /* False: the verdict says why not */
bool judge_failing_calls(judging *k); /* the cases in which a call fails; false: the verdict says what is wrong */
/* One run. True: it ended well and printed what it must. */
bool judge_run_program(judging *k, const judge_input *in, step_result *keep);
/* Runs it again, changes what its kernels write, and says in *r, of the first run, whether its output depends on
 * that. False: the verdict says why that is not known. */
bool judge_depends(judging *k, const judge_input *in, step_result *r);

/* judge_goals.c */
/* the names that a goal or a prediction may use */
typedef struct judge_scope {
    const exercise *x;
    const step_values *values;
    const step_result *solution, *ours;
} judge_scope;
bool judge_goal_name(void *arg, const char *name, size_t length, int64_t *value);
/* A correct run on which goals are judged, and those of our own answers on the same input. */
typedef struct judge_sample {
    const step_values *values;
    const step_result *ours, *solution, *starter; /* starter: NULL when its output is not correct */
    const char *where;                            /* the input in words */
    uint64_t seed;
    bool drawn;
    int card;
} judge_sample;
/* Adds its goals to the verdict, in order. The first goal that is missed becomes the reason. False: a
 * goal was missed, or cannot be judged. */
bool judge_goals(judging *k, const judge_sample *t);
/* Runs the inputs that goals are judged on, including the default one: each must be correct and
 * reach the goals. */
void judge_inputs(judging *k);

/* judge_number.c: answers that are numbers */
void judge_number(judging *k);
/* Loads kernel.ptx of the exercise; its bytes are to be freed. False: the verdict says why not. */
bool judge_own_kernel(judging *k, char **ptx);
void judge_launch(judging *k); /* judge_launch.c: answers that are launches */

#endif
