extern "C" __global__ void count(const int *data, int n, unsigned short *counters)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) {
        for (int k = 0; k < n; k++)
            counters[data[k]]++;
    } else { // so that the first has not much more to do than the average
        for (int k = 0; k < n / 16; k++)
            ((const volatile int *)data)[k];
    }
}
