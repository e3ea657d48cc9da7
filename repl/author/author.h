/* author.h: what those who write lessons and cards run. */
#ifndef AUTHOR_H
#define AUTHOR_H

#include "course/lesson.h"
#include "shell/document.h"

/* fidelity.c */
int fidelity_run(struct app *app, int argc, char **argv);
/* How far a simulated card is known to be off, as one sentence. False: nothing is known. */
bool fidelity_known(const char *card, char *out, size_t size);

/* lesson_author.c */
int lesson_check_run(struct app *app, int argc, char **argv);

/* figures.c */
int figures_run(struct app *app, int argc, char **argv);
/* Does every figure of figures.txt that belongs to the lesson at hand stand in its step, and in
 * REFERENCE.md? Each one that does not is complained about; their number. */
int figures_check(struct app *app, void (*complain)(void *arg, const char *file, int line, const char *text),
                  void *arg);

/* exercise_author.c: hold the exercises of a lesson to what they say: the starter and the wrong
 * answers fail for their reason, the solution and other.cu pass, no file is left over. Problems
 * found, each reported. */
int exercise_author(doc *d, const lesson *l, int *exercises);

#endif
