/* Exercise 4.3: the greatest of n floats.
 *
 * greatest<<<ceil(n / threads), threads>>>(data, n, most)
 */
extern "C" __global__ void
greatest(const float *data, int n, float *most)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = data[i];
    /* your code: *most = max(*most, x), atomically */
    (void)x;
}
