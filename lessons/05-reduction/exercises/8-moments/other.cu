/* Welford. */
/* Puts another part to this one. */
__device__ void join(float &count, float &m, float &m2, float count_b, float m_b, float m2_b)
{
    float all = count + count_b, d = m_b - m;
    if (count_b == 0)
        return;
    m2 += m2_b + d * d * count * count_b / all;
    m += d * count_b / all;
    count = all;
}

__global__ void moments(const float *x, int rows, int width, float *mean, float *variance)
{
    __shared__ float means[8], rest[8], counts[8];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (blockIdx.x >= rows)
        return;
    const float *row = x + blockIdx.x * width;

    float count = 0, m = 0, m2 = 0;
    for (int i = threadIdx.x; i < width; i += 256) {
        float v = row[i], d = v - m;
        m += d / ++count;
        m2 += d * (v - m);
    }
    for (int mask = 16; mask > 0; mask /= 2)
        join(count, m, m2, __shfl_xor_sync(0xffffffff, count, mask), __shfl_xor_sync(0xffffffff, m, mask),
             __shfl_xor_sync(0xffffffff, m2, mask));
    if (lane == 0) {
        counts[warp] = count;
        means[warp] = m;
        rest[warp] = m2;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++)
            join(count, m, m2, counts[w], means[w], rest[w]);
        mean[blockIdx.x] = m;
        variance[blockIdx.x] = m2 / count;
    }
}
