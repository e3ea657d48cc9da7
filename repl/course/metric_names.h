/* metric_names.h: names of a run's numbers that a lesson may use. What they come to is
 * run/step_metric.c's. */
#ifndef METRIC_NAMES_H
#define METRIC_NAMES_H

#include <stddef.h>

int metric_named(const char *name, size_t length); /* its place in metrics[]; -1: none */
enum { FACT_SIMULATED, FACT_COMPUTE, FACT_BANKS, FACTS };
int fact_named(const char *name, size_t length); /* of the card; -1: none */

#endif
