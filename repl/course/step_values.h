/* step_values.h: the values of a step's settings. */
#ifndef STEP_VALUES_H
#define STEP_VALUES_H

#include "lesson.h"

/* what the student has set */
typedef struct step_chosen {
    bool set[LESSON_SETTINGS];
    int64_t value[LESSON_SETTINGS];
    bool small_card; /* the card at hand is too small for the lesson's own sizes */
} step_chosen;

typedef struct step_values {
    int64_t value[LESSON_SETTINGS];
    bool fixed[LESSON_SETTINGS]; /* the step allows no other value */
    bool lean[LESSON_SETTINGS];  /* the default is the smaller one: this computer has too little memory, */
    bool small_card;             /* or the card is too small */
    int64_t least[LESSON_SETTINGS], most[LESSON_SETTINGS];
} step_values;

/* The settings of `s` with its own defaults, then the student's (NULL: none). False after writing
 * why they do not go together. */
bool step_settings(const lesson *l, const lesson_step *s, const step_chosen *chosen, step_values *out, char *why,
                   size_t size);
/* The step's defaults, changed so that `condition` holds (`n == 4096 && lists == 8`). False when
 * that cannot be. */
bool step_settings_where(const lesson *l, const lesson_step *s, const expr *condition, step_values *out);
/* An expression of settings alone. */
/* A setting's value, or what it would be if there were memory for the lesson's own default. */
int64_t step_usual(const lesson *l, const step_values *v, int setting);
bool step_value(const lesson *l, const step_values *v, const expr *e, int64_t *out, char *why, size_t size);
/* The step that `s` is compared with: its `compare:`, else the nearest earlier rung of the ladder
 * (a step that states its `bytes:`) that is no aside; NULL. */
const lesson_step *step_before(const lesson *l, const lesson_step *s);
/* The entry that a launch names: "tiled16" for tiled{tile} when tile is 16. */
const char *step_entry(const lesson *l, const step_values *v, const lesson_action *launch, char *out, size_t size);
/* Does anything that the step does depend on that setting? */
bool step_uses(const lesson *l, const lesson_step *s, int setting);
bool step_launches(const lesson_step *s); /* a kernel */
bool step_runs(const lesson_step *s);     /* something to run: kernels, or the CPU's part alone */

#endif
