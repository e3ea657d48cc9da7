/* statistics.h: what a handful of samples says: the numbers of statistics that runs on a GPU are
 * reported by. */
#ifndef MEASURE_H
#define MEASURE_H

#include <stdbool.h>

typedef struct measured {
    int samples;
    double median, least, most, iqr; /* iqr: between the quarters */
} measured;

void measure_summary(const double *sample, int count, measured *out);

/* How many times `a` is as large as `b`, from samples taken in turns: the i-th of one right after
 * the i-th of the other, so that a drifting clock touches both alike. `error` is half of the 95 %
 * interval of the median ratio, at least half a percent, which is what the timing itself may be
 * off. */
typedef struct measured_ratio {
    bool known, apart; /* apart: 1 lies outside ratio +- error */
    double ratio, error;
} measured_ratio;
void measure_ratio(const double *a, const double *b, int count, measured_ratio *out);

#endif
