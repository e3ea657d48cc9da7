/* print.h: what kernels print. Each worker gathers the text of its blocks (the log is made at the
 * first printf). At the end of a launch the logs become the result's prints, in the order of the
 * blocks, and within a block in the order in which its threads printed. So the output is the same
 * for any number of workers. A cooperative launch runs on one worker, and its blocks take turns for
 * a reason: its output stays in the order of time. */
#ifndef SIM_PRINT_H
#define SIM_PRINT_H

#include "run.h"

void print_log_free(worker *k);                     /* drops its output; it may print again */
void print_log_finish(launch *l, worker *k, int n); /* logs of k[0] to k[n - 1] into l->result */
/* One printf of every lane in the mask; `counts` gets what printf returns. False: a
 * fault was raised. */
bool print_call(warp *w, const insn *in, const uint64_t *format, const uint64_t *args, int32_t *counts);

#endif
