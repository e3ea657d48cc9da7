/* statistics.h: the statistics of a few samples, with which runs on a GPU are reported. */
#ifndef STATISTICS_H
#define STATISTICS_H

#include <stdbool.h>

typedef struct measured {
    int samples;
    double median, least, most, iqr; /* iqr: the interquartile range */
} measured;

void measure_summary(const double *sample, int count, measured *out);

/* How many times as large `a` is as `b`, from samples taken in turns: the i-th of one right after
 * the i-th of the other, so that a drifting clock affects both. `error` is half of the 95 %
 * interval of the median ratio, but at least half a percent, the error of the timing itself. */
typedef struct measured_ratio {
    bool known, apart; /* apart: 1 lies outside ratio +- error */
    double ratio, error;
} measured_ratio;
void measure_ratio(const double *a, const double *b, int count, measured_ratio *out);

#endif
