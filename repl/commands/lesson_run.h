/* lesson_run.h: a step that runs, and what is printed of it. Only the lesson commands share it. */
#ifndef LESSON_RUN_H
#define LESSON_RUN_H

#include "command.h"
#include "view/view.h"

/* All of a step, in this order: the table, the code that changed, why, the text, new words, the
 * exercise that practises it. seen: the student has answered a question about it, so that its idea is
 * on the screen and it has run. */
int lesson_show_step(struct app *app, const lesson_step *s, step_chosen *chosen, bool seen);

/* The text was written with the lesson's own card in mind: says so on another. */
void lesson_say_card(doc *d, const lesson_step *s, const step_result *r);
/* Counters for a run on a GPU, which has none. */
void lesson_count_now(const view_context *c, const lesson_step *s, const step_result *r);
/* The run of the previous step, for comparison; NULL: none. False: it failed. */
bool lesson_run_before(const view_context *c, const lesson_step *before_step, const step_result **before, int *status);

/* lesson_predict.c: asks the step's first question that nobody has answered, if a person is there to
 * answer. *answered: the step has run for it. */
int lesson_ask(struct app *app, const lesson_step *s, bool *answered);

/* lesson_run.c, lesson_walk.c, lesson_show.c: commands, see the table in lesson_commands.c. */
int lesson_run_run(struct app *app, int argc, char **argv);
int lesson_lessons_run(struct app *app, int argc, char **argv);
int lesson_lesson_run(struct app *app, int argc, char **argv);
int lesson_next_run(struct app *app, int argc, char **argv);
int lesson_back_run(struct app *app, int argc, char **argv);
int lesson_goto_run(struct app *app, int argc, char **argv);
int lesson_show_run(struct app *app, int argc, char **argv);
int lesson_source_run(struct app *app, int argc, char **argv);
void lesson_complete_show(struct app *app, int argc, char **argv, struct words *out);

/* lesson_commands.c */
int lesson_on_answer(struct app *app, int argc, char **argv,
                     int (*run)(struct app *, int, char **)); /* to the exercise at hand */
int lesson_about_answer(struct app *app); /* in an exercise the student means the answer, not the lesson's kernel */

#endif
