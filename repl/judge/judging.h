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

/* ---- judge.c ---- */
void judge_say(judge_verdict *v, enum judge_state state, int reason, const char *fmt, ...) APP_PRINTF(4, 5);
/* Input `number` of an answer that is judged with this seed. False: there is none, or `require:` rules
 * it out. */
bool judge_input_at(const judging *k, uint64_t seed, int number, judge_input *out);

/* ---- judge_number.c: answers that are numbers ---- */
void judge_number(judging *k);
/* Loads kernel.ptx of the exercise; its bytes are to be freed. False: the verdict says why not. */
bool judge_own_kernel(judging *k, char **ptx);
void judge_launch(judging *k); /* judge_launch.c: answers that are launches */

#endif
