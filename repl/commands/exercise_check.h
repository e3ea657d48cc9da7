/* exercise_check.h: what exercise_check.c and exercise_commands.c have of each other. */
#ifndef EXERCISE_CHECK_H
#define EXERCISE_CHECK_H

#include "session/exercise_files.h"

int exercise_check_run(struct app *app, int argc, char **argv);
int exercise_watch_run(struct app *app, int argc, char **argv);

/* ---- exercise_commands.c ---- */
/* The path of the student's file, to be freed, with the starter in it if there was none (*made). 0,
 * or a status after a message. */
int exercise_put(struct app *app, const exercise *x, char **path, bool *made);
void exercise_say_next(doc *d, const exercise *x, bool passed); /* which exercise comes next */

#endif
