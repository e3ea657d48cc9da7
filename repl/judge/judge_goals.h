/* judge_goals.h: the goals that a correct answer must reach. */
#ifndef JUDGE_GOALS_H
#define JUDGE_GOALS_H

#include "judging.h"

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

#endif
