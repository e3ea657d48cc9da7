/* heat-cube: the same in three dimensions, six neighbours, one thread a point. */
extern "C" __global__ void
heat(const float *__restrict__ from, float *__restrict__ to, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 8 + threadIdx.y;
    int z = blockIdx.z;
    if (x >= n || y >= n)
        return;
    int plane = n * n;
    const float *p = from + z * plane + y * n + x;
    float left = x > 0 ? p[-1] : 0, right = x < n - 1 ? p[1] : 0;
    float above = y > 0 ? p[-n] : 0, below = y < n - 1 ? p[n] : 0;
    float before = z > 0 ? p[-plane] : 0, behind = z < n - 1 ? p[plane] : 0;
    to[z * plane + y * n + x] = 0.25f * p[0] + 0.125f * (left + right + above + below + before + behind);
}
