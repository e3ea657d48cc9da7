/* session_last.h: what was run last: a step, the answer to an exercise, or a program of `exec`. What
 * looks at a run and is given no name (`why`, `show`) is about it. A session that has run nothing yet
 * takes it from the journal. */
#ifndef SESSION_LAST_H
#define SESSION_LAST_H

#include "session.h"

/* Something was run, or entered. */
void session_last_set(struct app *app, enum session_last kind);
enum session_last session_last(struct app *app);
/* session_step for what looks at a run: without a name it is the step that ran last. */
int session_step_last(struct app *app, const char *name, const lesson_step **s);
/* Is what a command without a name looks at to be said? The prompt, or the command before, did not. */
bool session_last_earlier(struct app *app);
/* A program ran. That goes into the journal, if there is one. */
void session_last_program(struct app *app, const char *program);

#endif
