/* isa.h: what is compiled once for each instruction set of the host. */
#ifndef SIM_ISA_H
#define SIM_ISA_H

#include "clock/time.h"

/* The operations for the best instruction set here, or for the one that is wanted ("avx2"). NULL:
 * it cannot run here. */
const exec_table *exec_best(const char *wanted);
time_run_fn *time_run_by(const exec_table *t); /* the clock that was compiled for the same */

#endif
