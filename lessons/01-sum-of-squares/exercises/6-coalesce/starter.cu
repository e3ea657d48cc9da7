/* Exercise 1.6: right, and slow on the GeForce 8800 GT.
 *
 * sum_squares<<<32, 256>>>(data, n, sums)
 */
extern "C" __global__ void sum_squares(const int *data, int n, int *sums)
{
    int threads = gridDim.x * blockDim.x;
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int piece = (n + threads - 1) / threads;

    int sum = 0;
    for (int i = thread * piece; i < (thread + 1) * piece && i < n; i++)
        sum += data[i] * data[i];
    sums[thread] = sum;
}
