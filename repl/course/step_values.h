/* step_values.h: the values of a step's settings. */
#ifndef STEP_VALUES_H
#define STEP_VALUES_H

#include "lesson.h"

/* what the student has set */
typedef struct step_chosen {
    bool set[LESSON_SETTINGS];
    int64_t value[LESSON_SETTINGS];
    bool small_card; /* the card is too small for the lesson's own sizes */
} step_chosen;

typedef struct step_values {
    int64_t value[LESSON_SETTINGS];
    bool fixed[LESSON_SETTINGS]; /* the step allows no other value */
    bool lean[LESSON_SETTINGS];  /* it has its smaller default, as this computer has too little memory, ... */
    bool small_card;             /* ... or the card is too small */
    int64_t least[LESSON_SETTINGS], most[LESSON_SETTINGS];
} step_values;

/* The settings of `s`: its own defaults, then the student's values (NULL: none). False: `why` says
 * why they are not allowed. */
bool step_settings(const lesson *l, const lesson_step *s, const step_chosen *chosen, step_values *out, char *why,
                   size_t size);
/* The step's defaults, changed to satisfy `condition` (`n == 4096 && lists == 8`). False:
 * impossible. */
bool step_settings_where(const lesson *l, const lesson_step *s, const expr *condition, step_values *out);
/* A setting's value; if that is its smaller default, the lesson's own default. */
int64_t step_usual(const lesson *l, const step_values *v, int setting);
bool step_value(const lesson *l, const step_values *v, const expr *e, int64_t *out, char *why, size_t size);
/* The step that `s` is compared with: its `compare:`, else the previous rung of the ladder (a step
 * with `bytes:`) that is not a side step; NULL: none. */
const lesson_step *step_before(const lesson *l, const lesson_step *s);
/* The most shared memory that a launch of the step asks for on that card, in bytes, as far as the lesson tells it
 * without running: of the launches before the first loop, and without the kernel's own variables. */
struct sim_card;
int64_t step_shared(const lesson *l, const lesson_step *s, const step_values *v, const struct sim_card *card);
/* The entry that a launch names: "tiled16" for tiled{tile} when tile is 16. */
const char *step_entry(const lesson *l, const step_values *v, const lesson_action *launch, char *out, size_t size);
/* Does `known` know all names of the map? */
bool map_names(const lesson_map *m, bool (*known)(void *arg, const char *name, size_t length), void *arg);
/* Does anything in the step depend on that setting? */
bool step_uses(const lesson *l, const lesson_step *s, int setting);
bool step_launches(const lesson_step *s); /* it runs a kernel, or a program that does */
/* The whole program that it runs; NULL: it is made of kernels. */
const lesson_action *step_program(const lesson_step *s);
bool step_runs(const lesson_step *s); /* it runs something: kernels, or the CPU's part alone */

#endif
