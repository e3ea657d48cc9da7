extern "C" __global__ void triple(const int *x, int *y, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    while (i < n) {
        y[i] = 3 * x[i];
        break;
    }
}
