/* In place, by copies that find the direction out themselves. */
#include <stdio.h>
#include <stdlib.h>

__global__ void odd_numbers(int *x, int n)
{
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n)
        x[i] += x[i] + 1;
}

int main(int argc, char **argv)
{
    const int n = atoi(argv[1]);
    int *there, *here;
    long long sum = 0;
    int bad = cudaMallocHost((void **)&here, n * sizeof *here) != cudaSuccess;
    bad = bad || cudaMalloc((void **)&there, n * sizeof *there) != cudaSuccess;
    for (int i = 0; i < n && !bad; i++)
        here[i] = i;
    bad = bad || cudaMemcpy(there, here, n * sizeof *here, cudaMemcpyDefault) != cudaSuccess;
    if (!bad)
        odd_numbers<<<n / 64 + 1, 64>>>(there, n);
    bad = bad || cudaMemcpy(here, there, n * sizeof *here, cudaMemcpyDefault) != cudaSuccess;
    if (bad) {
        printf("%s\n", cudaGetErrorString(cudaGetLastError()));
        return 1;
    }
    for (int i = 0; i < n; i++)
        sum += here[i];
    printf("sum %lld, last %d\n", sum, here[n - 1]);
    return 0;
}
