/* plain.cu: the plain program that our figures are held against: the kernels of lesson 1 launched as any program would,
 * for NVIDIA's profiler to time, and a copy on the card timed by events.
 *
 *   plain copy      prints GB/s of a copy of 512 MiB, read and written counted
 *   plain kernels   launches each kernel five times
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#define sum_squares v2
#include "../../kernels/01-sum-of-squares/v2.cu"
#undef sum_squares
#define sum_squares v3
#include "../../kernels/01-sum-of-squares/v3.cu"
#undef sum_squares
#define sum_squares v4
#include "../../kernels/01-sum-of-squares/v4.cu"
#undef sum_squares
#define sum_squares v7
#include "../../kernels/01-sum-of-squares/v7.cu"
#undef sum_squares

static void check(cudaError_t e)
{
    if (!e) return;
    fprintf(stderr, "%s\n", cudaGetErrorString(e));
    exit(1);
}

static void copy()
{
    const size_t bytes = (size_t)512 << 20;
    char *a, *b;
    cudaEvent_t start, end;
    std::vector<float> times;
    check(cudaMalloc(&a, bytes));
    check(cudaMalloc(&b, bytes));
    check(cudaEventCreate(&start));
    check(cudaEventCreate(&end));
    for (int i = 0; i < 25; i++) {
        float ms;
        check(cudaEventRecord(start));
        check(cudaMemcpyAsync(b, a, bytes, cudaMemcpyDeviceToDevice));
        check(cudaEventRecord(end));
        check(cudaEventSynchronize(end));
        check(cudaEventElapsedTime(&ms, start, end));
        if (i >= 5) times.push_back(ms);
    }
    std::sort(times.begin(), times.end());
    printf("%.1f\n", 2.0 * (double)bytes / times[times.size() / 2] / 1e6);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "copy")) return copy(), 0;
    const int n = 1 << 20;
    int *data, *sums;
    long long *time;
    std::vector<int> host(n);
    for (int i = 0; i < n; i++) host[(size_t)i] = i % 10;
    check(cudaMalloc(&data, n * sizeof *data));
    check(cudaMalloc(&sums, 1 << 20));
    check(cudaMalloc(&time, 1 << 16));
    check(cudaMemcpy(data, host.data(), n * sizeof *data, cudaMemcpyHostToDevice));
    for (int i = 0; i < 5; i++) {
        v2<<<1, 256>>>(data, n, sums, time);
        v3<<<1, 256>>>(data, n, sums, time);
        v4<<<32, 256>>>(data, n, sums, time);
        v7<<<32, 256, 1024>>>(data, n, sums, time);
        check(cudaDeviceSynchronize());
    }
    return 0;
}
