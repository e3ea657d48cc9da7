/* judge_program.h: answers that are whole programs. */
#ifndef JUDGE_PROGRAM_H
#define JUDGE_PROGRAM_H

#include "judging.h"

bool judge_build(judging *k);         /* False: the verdict says why not */
bool judge_failing_calls(judging *k); /* the cases in which a call fails; false: the verdict says what is wrong */
/* One run. True: it ended well and printed what it must. */
bool judge_run_program(judging *k, const judge_input *in, step_result *keep);
/* Runs it again, changes what its kernels write, and says in *r, of the first run, whether its output depends on
 * that. False: the verdict says why that is not known. */
bool judge_depends(judging *k, const judge_input *in, step_result *r);

#endif
