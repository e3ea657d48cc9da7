/* Exercise 7.7: the sums of rows of 64 numbers, 64 rows for each block.
 *
 * row_sums<<<ceil(rows / 64), 64>>>(x, out, rows)
 */
extern "C" __global__ void row_sums(const int *x, int *out, int rows)
{
    __shared__ int tile[64][65];
    int tid = threadIdx.x, first = 64 * blockIdx.x;
    for (int r = 0; r < 64 && first + r < rows; r++)
        tile[r][tid] = x[64 * (first + r) + tid];
    __syncthreads();
    if (first + tid < rows) {
        int sum = 0;
        for (int k = 0; k < 64; k++)
            sum += tile[tid][k];
        out[first + tid] = sum;
    }
}
