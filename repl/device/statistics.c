/* statistics.c: see statistics.h. It uses medians and quartiles, because some samples of a run are
 * always late and none is early. */
#include "statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1024 };

static int ascending(const void *a, const void *b)
{
    double x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* The quantile `share` of sorted samples, interpolated between two of them. */
static double at_share(const double *sorted, int count, double share)
{
    double place = share * (count - 1);
    int below = (int)floor(place), above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}

void measure_summary(const double *sample, int count, measured *out)
{
    double sorted[MOST];
    memset(out, 0, sizeof *out);
    if (count > MOST) count = MOST;
    if (count < 1) return;
    memcpy(sorted, sample, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, ascending);
    out->samples = count;
    out->median = at_share(sorted, count, 0.5);
    out->least = sorted[0];
    out->most = sorted[count - 1];
    out->iqr = at_share(sorted, count, 0.75) - at_share(sorted, count, 0.25);
}

void measure_ratio(const double *a, const double *b, int count, measured_ratio *out)
{
    double ratio[MOST];
    int n = 0;
    memset(out, 0, sizeof *out);
    for (int i = 0; i < count && n < MOST; i++)
        if (a[i] > 0 && b[i] > 0) ratio[n++] = a[i] / b[i];
    if (n < 3) return;
    measured m;
    measure_summary(ratio, n, &m);
    out->known = true;
    out->ratio = m.median;
    /* the 95 % interval of a median is about 1.57 interquartile ranges over the root of the count
     * (McGill and others 1978) */
    out->error = fmax(1.57 * m.iqr / sqrt(n), 0.005 * m.median);
    out->apart = fabs(out->ratio - 1) > out->error;
}
