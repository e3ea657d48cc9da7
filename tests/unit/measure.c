/* measure.c: statistics of samples, on numbers small enough to work out by hand. */
#include "device/statistics.c"
#include "check.h"
#include <stdio.h>

int main(void)
{
    measured m;
    const double odd[] = {5, 1, 4, 2, 3};
    measure_summary(odd, 5, &m);
    expect_near(m.median, 3, 1e-12, "median of 1 to 5");
    expect_near(m.iqr, 2, 1e-12, "quarters of 1 to 5 are 2 and 4");
    expect_near(m.least, 1, 1e-12, "least");
    expect_near(m.most, 5, 1e-12, "most");
    const double even[] = {10, 20, 30, 40};
    measure_summary(even, 4, &m);
    expect_near(m.median, 25, 1e-12, "median of four lies between two");
    expect_near(m.iqr, 15, 1e-12, "quarters of four: 17.5 and 32.5");
    measure_summary(even, 1, &m);
    expect_near(m.median, 10, 1e-12, "median of one");
    expect_near(m.iqr, 0, 1e-12, "one does not spread");
    measure_summary(even, 0, &m);
    expect_near(m.median, 0, 1e-12, "of none");

    measured_ratio r;
    const double slow[] = {20, 22, 18, 20, 20}, fast[] = {10, 11, 9, 10, 10};
    measure_ratio(slow, fast, 5, &r);
    expect_near(r.ratio, 2, 1e-12, "each pair is twice");
    expect_near(r.error, 0.01, 1e-12, "never surer than half a percent");
    expect_near(r.apart, 1, 1e-12, "twice is apart");
    measure_ratio(fast, fast, 5, &r);
    expect_near(r.apart, 0, 1e-12, "the same is not apart");
    /* ratios 0.8 1 1 1.2 1.4: median 1, quarters 1 and 1.2, error 1.57 * 0.2 / sqrt 5 */
    const double a[] = {0.8, 1, 1, 1.2, 1.4}, one[] = {1, 1, 1, 1, 1};
    measure_ratio(a, one, 5, &r);
    expect_near(r.error, 1.57 * 0.2 / sqrt(5), 1e-12, "interval of the median");
    expect_near(r.apart, 0, 1e-12, "1 lies inside");
    const double none[] = {0, 1, 1, -1, 2};
    measure_ratio(none, one, 4, &r);
    expect_near(r.known, 0, 1e-12, "two good pairs are too few");
    return check_end();
}
