/* session_answer.h: the student's answer to the exercise at hand, as a lesson of one or two steps:
 * "starter", when its output is correct, and "yours". So `why` and `show` work for an answer as they
 * do for the steps of lessons. Only while one command runs: the lesson at hand stays what it is. */
#ifndef SESSION_ANSWER_H
#define SESSION_ANSWER_H

#include "session.h"

struct session_answer;
/* Reads and compiles the answer, and makes it the current lesson. 0, or a status after a message. */
int session_answer_begin(struct app *app);
void session_answer_end(struct app *app); /* the lesson before is current again */
/* The answer, while it is the current lesson; else NULL. */
const struct session_answer *session_answer_here(const struct app *app);
/* "1.6" */
const char *session_answer_id(const struct session_answer *a);
/* Adds its PTX, seal and budget to a request; to be freed as session_request says. False: no memory. */
bool session_answer_request(const struct session_answer *a, const lesson_step *s, step_request *q, char **ptx);
/* The text of the answer, or its PTX; to be freed. NULL: no memory. */
char *session_answer_text(const struct session_answer *a, const lesson_step *s, bool ptx, size_t *bytes, char *shown,
                          size_t size);
/* Is a command with these words, of which the first `from` are no step, about the answer? */
bool session_answer_meant(struct app *app, int argc, char **argv, int from);

#endif
