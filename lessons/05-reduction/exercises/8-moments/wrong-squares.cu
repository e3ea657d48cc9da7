__device__ float block_sum(float v, float *part)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int mask = 16; mask > 0; mask /= 2)
        v += __shfl_xor_sync(0xffffffff, v, mask);
    __syncthreads(); /* what was there before has been read */
    if (lane == 0)
        part[warp] = v;
    __syncthreads();
    v = 0;
    for (int w = 0; w < 8; w++)
        v += part[w];
    return v;
}

extern "C" __global__ void moments(const float *x, int rows, int width, float *mean, float *variance)
{
    __shared__ float part[8];
    if (blockIdx.x >= rows)
        return;
    const float *row = x + blockIdx.x * width;

    float s = 0, sum = 0, squares = 0;
    for (int i = threadIdx.x; i < width; i += 256) {
        float d = row[i] - s;
        sum += d;
        squares += d * d;
    }
    sum = block_sum(sum, part) / width;
    squares = block_sum(squares, part) / width;
    if (threadIdx.x == 0) {
        mean[blockIdx.x] = s + sum;
        variance[blockIdx.x] = squares - sum * sum;
    }
}
