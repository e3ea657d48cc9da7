/* metric_names.h: the numbers of a run that a lesson may name. run/step_metric.c computes them. */
#ifndef METRIC_NAMES_H
#define METRIC_NAMES_H

#include <stddef.h>

int metric_named(const char *name, size_t length); /* index in metrics[]; -1: none */
enum { FACT_SIMULATED, FACT_COMPUTE, FACT_BANKS, FACTS };
int fact_named(const char *name, size_t length); /* a fact of the card; -1: none */

#endif
