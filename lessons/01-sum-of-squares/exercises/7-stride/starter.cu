/* Exercise 1.7: y[i] = 3 * x[i] for i from 0 to n - 1, with any number of threads.
 *
 * triple<<<blocks, threads>>>(x, y, n)
 */
extern "C" __global__ void triple(const int *x, int *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 3 * x[i];
}
