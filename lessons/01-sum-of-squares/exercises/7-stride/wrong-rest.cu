extern "C" __global__ void triple(const int *x, int *y, int n)
{
    int threads = gridDim.x * blockDim.x, rounds = n / threads;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < rounds; k++)
        y[k * threads + i] = 3 * x[k * threads + i];
}
