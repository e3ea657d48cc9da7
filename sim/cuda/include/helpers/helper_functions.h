/* helper_functions.h: what the header of this name that comes with NVIDIA's samples offers, in our own
 * words, but for images. */
#ifndef WARPSTEP_HELPER_FUNCTIONS_H
#define WARPSTEP_HELPER_FUNCTIONS_H
#include "helper_string.h"
#include "helper_timer.h"
#include <cmath>
#include <fstream>
#include <iostream>
#include <vector>

template <class T, class S>
static inline bool warpstep_compare(const T *a, const T *b, unsigned n, S epsilon, float share)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < n; i++) {
        const double d = (double)a[i] - (double)b[i];
        wrong += !(std::fabs(d) <= (double)epsilon);
    }
    return share == 0 ? !wrong : (float)n * share > (float)wrong;
}
static inline bool compareData(const float *a, const float *b, unsigned n, float epsilon, float share)
{
    return warpstep_compare(a, b, n, epsilon, share);
}
/* By the length of the difference. */
static inline bool sdkCompareL2fe(const float *reference, const float *data, unsigned n, float epsilon)
{
    double error = 0, length = 0;
    for (unsigned i = 0; i < n; i++) {
        const double d = (double)reference[i] - (double)data[i];
        error += d * d, length += (double)reference[i] * (double)reference[i];
    }
    return std::fabs(length) >= 1e-7 && std::sqrt(error) / std::sqrt(length) < (double)epsilon;
}
#endif
