/* Columns are stored and rows fetched, and c ^ r stands for padding. */
__global__ void transpose(const float *from, float *to, int rows, int columns)
{
    __shared__ float turned[32 * 32];
    const int lane = threadIdx.x, left = 32 * blockIdx.x, top = 32 * blockIdx.y;
#pragma unroll
    for (int r = threadIdx.y; r < 32; r += 8) {
        if (top + r >= rows || left + lane >= columns)
            continue;
        turned[32 * lane + (lane ^ r)] = from[(top + r) * columns + left + lane];
    }
    __syncthreads();
#pragma unroll
    for (int c = threadIdx.y; c < 32; c += 8)
        if (left + c < columns && top + lane < rows)
            to[(left + c) * rows + top + lane] = turned[32 * c + (c ^ lane)];
}
