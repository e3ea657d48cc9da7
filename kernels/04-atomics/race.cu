/* race: all threads add to one number with a plain +=.
 *
 * It looks like one step and is three: read, add, write. Between the
 * read and the write of one thread lie those of thousands of others.
 */
extern "C" __global__ void
add_up(const int *data, int n, int *sum)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[0] += data[i];
}
