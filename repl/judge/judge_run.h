/* judge_run.h: one run of the answer, and what its result is worth. */
#ifndef JUDGE_RUN_H
#define JUDGE_RUN_H

#include "judging.h"

/* One run of a kernel. True: the output is correct, and `keep` (unless NULL) has the result. Else the
 * verdict says what is wrong. */
bool judge_run(judging *k, const judge_input *in, step_result *keep);
/* The step itself, or a copy of it and its buffers with a different fill in one of them. */
const lesson_step *judge_step_with(const exercise *x, int fill, lesson_step *s, lesson_buffer *buffers);
void judge_describe(const judging *k, const judge_input *in, char *out, size_t size); /* "n = 257, threads = 256" */
void judge_step_request(judging *k, step_request *q, const lesson_step *s, const step_values *values);
/* True: no fault among them. *unseen: a note that some accesses were not checked, or NULL. */
/* but: a kind of fault that is not looked at */
enum { NO_FAULT = -1 };
bool judge_faults(judging *k, const step_result *r, int but, const step_fault **unseen);
/* Turns a result into a verdict. True: the output is correct. */
bool judge_weigh(judging *k, const step_request *q, const step_result *r);

#endif
