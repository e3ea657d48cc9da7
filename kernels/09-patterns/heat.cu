/* heat: one step of heat flowing through a plate. A point takes a share of
 * its four neighbours. What lies outside is 0 degrees.
 */
extern "C" __global__ void
heat(const float *__restrict__ from, float *__restrict__ to, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    const float *p = from + y * n + x;
    float left = x > 0 ? p[-1] : 0, right = x < n - 1 ? p[1] : 0;
    float above = y > 0 ? p[-n] : 0, below = y < n - 1 ? p[n] : 0;
    to[y * n + x] = 0.5f * p[0] + 0.125f * (left + right + above + below);
}
