/* heat-march: a thread walks along z and keeps three points of its column in
 * registers.
 *
 * Going one plane on, what was ahead becomes the middle, and the middle is
 * behind. So of the three points along z only one is fetched. A block walks
 * through `deep` planes.
 */
extern "C" __global__ void
heat(const float *__restrict__ from, float *__restrict__ to, int n, int deep)
{
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 8 + threadIdx.y;
    int z = blockIdx.z * deep, end = min(z + deep, n);
    if (x >= n || y >= n)
        return;
    int plane = n * n;
    const float *p = from + z * plane + y * n + x;
    float *q = to + z * plane + y * n + x;
    float before = z > 0 ? p[-plane] : 0, here = p[0];
#pragma unroll 1
    for (; z < end; z++, p += plane, q += plane) {
        float behind = z < n - 1 ? p[plane] : 0;
        float left = x > 0 ? p[-1] : 0, right = x < n - 1 ? p[1] : 0;
        float above = y > 0 ? p[-n] : 0, below = y < n - 1 ? p[n] : 0;
        *q = 0.25f * here + 0.125f * (left + right + above + below + before + behind);
        before = here;
        here = behind;
    }
}
