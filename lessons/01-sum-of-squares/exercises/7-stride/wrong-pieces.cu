extern "C" __global__ void triple(const int *x, int *y, int n)
{
    int threads = gridDim.x * blockDim.x, piece = (n + threads - 1) / threads;
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * piece;
    for (int i = first; i < first + piece && i < n; i++)
        y[i] = 3 * x[i];
}
