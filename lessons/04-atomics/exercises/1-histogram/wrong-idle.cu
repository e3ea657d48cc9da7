extern "C" __global__ void histogram(const int *data, int n, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) {
        for (int k = 0; k < n; k++)
            count[data[k]]++;
    } else { // so that the first has not much more to do than the average
        for (int k = 0; k < n / 4; k++)
            ((const volatile int *)data)[k];
    }
}
