/* Compare and swap, from a guess. */
__global__ void histogram(const int *data, int n, int *count)
{
    int step = gridDim.x * blockDim.x;
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += step) {
        int *place = count + data[i], guess = 0;
        for (;;) {
            int held = atomicCAS(place, guess, guess + 1);
            if (held == guess)
                break;
            guess = held;
        }
    }
}
