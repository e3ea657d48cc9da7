/* float2: two neighbours of b by one load, and of c by one store. */
__global__ void multiply(const float *a, const float *b, float *c, int n)
{
    const int row = (blockIdx.y * blockDim.y + threadIdx.y) * 2;
    const int pair = blockIdx.x * blockDim.x + threadIdx.x, pairs = n / 2;
    if (row >= n || pair >= pairs)
        return;
    const float *upper = a + row * n, *lower = upper + n;
    const float2 *of_b = (const float2 *)b + pair;
    float2 up = make_float2(0, 0), low = make_float2(0, 0);
    for (int k = 0; k < n; k++, of_b += pairs) {
        const float2 q = *of_b;
        const float u = *upper++, l = *lower++;
        up.x = fmaf(u, q.x, up.x);
        up.y = fmaf(u, q.y, up.y);
        low.x = fmaf(l, q.x, low.x);
        low.y = fmaf(l, q.y, low.y);
    }
    ((float2 *)c)[row * pairs + pair] = up;
    ((float2 *)c)[(row + 1) * pairs + pair] = low;
}
