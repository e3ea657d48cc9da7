/* Exercise 1.2: thread t adds up the t-th piece of the data.
 *
 * sum_pieces<<<1, threads>>>(data, n, sums)
 */
extern "C" __global__ void sum_pieces(const int *data, int n, int *sums)
{
    int piece = n / blockDim.x;
    int first = threadIdx.x * piece;

    int sum = 0;
    for (int i = first; i < first + piece; i++)
        sum += data[i];
    sums[threadIdx.x] = sum;
}
