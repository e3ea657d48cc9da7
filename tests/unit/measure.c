/* measure.c: statistics of samples, on numbers small enough to work out by hand. */
#include "device/statistics.c"
#include <stdio.h>

static int passed, failures;

static void near(double got, double wanted, const char *what)
{
    if (fabs(got - wanted) <= 1e-12 * fabs(wanted) + 1e-15) passed++;
    else failures++, printf("FAIL %s: %.17g, not %.17g\n", what, got, wanted);
}

int main(void)
{
    measured m;
    const double odd[] = {5, 1, 4, 2, 3};
    measure_summary(odd, 5, &m);
    near(m.median, 3, "median of 1 to 5");
    near(m.iqr, 2, "quarters of 1 to 5 are 2 and 4");
    near(m.least, 1, "least");
    near(m.most, 5, "most");
    const double even[] = {10, 20, 30, 40};
    measure_summary(even, 4, &m);
    near(m.median, 25, "median of four lies between two");
    near(m.iqr, 15, "quarters of four: 17.5 and 32.5");
    measure_summary(even, 1, &m);
    near(m.median, 10, "median of one");
    near(m.iqr, 0, "one does not spread");
    measure_summary(even, 0, &m);
    near(m.median, 0, "of none");

    measured_ratio r;
    const double slow[] = {20, 22, 18, 20, 20}, fast[] = {10, 11, 9, 10, 10};
    measure_ratio(slow, fast, 5, &r);
    near(r.ratio, 2, "each pair is twice");
    near(r.error, 0.01, "never surer than half a percent");
    near(r.apart, 1, "twice is apart");
    measure_ratio(fast, fast, 5, &r);
    near(r.apart, 0, "the same is not apart");
    /* ratios 0.8 1 1 1.2 1.4: median 1, quarters 1 and 1.2, error 1.57 * 0.2 / sqrt 5 */
    const double a[] = {0.8, 1, 1, 1.2, 1.4}, one[] = {1, 1, 1, 1, 1};
    measure_ratio(a, one, 5, &r);
    near(r.error, 1.57 * 0.2 / sqrt(5), "interval of the median");
    near(r.apart, 0, "1 lies inside");
    const double none[] = {0, 1, 1, -1, 2};
    measure_ratio(none, one, 4, &r);
    near(r.known, 0, "two good pairs are too few");
    printf("%d passed, %d failed\n", passed, failures);
    return failures != 0;
}
