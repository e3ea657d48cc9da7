// One call of CUB, as a library that bench-gpu builds where nvcc is: -DSORT_KEYS, -DSORT_PAIRS, -DSCAN, -DFILTER or
// -DSQUARES says which. With temp NULL it only says how many bytes it needs there.
#if defined SORT_KEYS || defined SORT_PAIRS
#include <cub/device/device_radix_sort.cuh>
#elif defined SCAN
#include <cub/device/device_scan.cuh>
#elif defined FILTER
#include <cub/device/device_select.cuh>
#else
#include <cub/device/device_reduce.cuh>
#endif

struct from_two {
    __device__ bool operator()(int v) const { return v >= 2; }
};

struct squared {
    __device__ unsigned long long operator()(int v) const { return (unsigned long long)((long long)v * v); }
};

struct plus {
    __device__ unsigned long long operator()(unsigned long long a, unsigned long long b) const { return a + b; }
};

extern "C" int call(void *temp, size_t *bytes, const void *in, const void *values, void *out, void *more, long long n,
                    cudaStream_t stream)
{
#if defined SORT_KEYS
    (void)values, (void)more;
    return cub::DeviceRadixSort::SortKeys(temp, *bytes, (const unsigned *)in, (unsigned *)out, (int)n, 0, 32, stream);
#elif defined SORT_PAIRS
    return cub::DeviceRadixSort::SortPairs(temp, *bytes, (const unsigned *)in, (unsigned *)out,
                                           (const unsigned *)values, (unsigned *)more, (int)n, 0, 32, stream);
#elif defined SCAN
    (void)values, (void)more;
    return cub::DeviceScan::InclusiveSum(temp, *bytes, (const int *)in, (int *)out, (int)n, stream);
#elif defined FILTER
    (void)values;
    return cub::DeviceSelect::If(temp, *bytes, (const int *)in, (int *)out, (int *)more, (int)n, from_two(), stream);
#else
    (void)values, (void)more;
    return cub::DeviceReduce::TransformReduce(temp, *bytes, (const int *)in, (unsigned long long *)out, (int)n, plus(),
                                              squared(), 0ull, stream);
#endif
}
