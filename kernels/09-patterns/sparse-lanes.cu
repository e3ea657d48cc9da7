/* sparse-lanes: LANES neighbouring lanes for each row.
 *
 * ptx: -DLANES=32 as sparse-warp.ptx
 * ptx: -DLANES=8 as sparse-lanes.ptx
 *
 * `mates` names the lanes of a row. Those of other rows of the warp may still
 * be at work; nobody waits for them here.
 */
extern "C" __global__ void
multiply(const int *offsets, const int *columns, const float *values, int rows, const float *x, float *y)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    unsigned mates = LANES == 32 ? 0xffffffff : ((1u << LANES % 32) - 1) << (threadIdx.x % 32 / LANES * LANES);
    int end = r < rows ? offsets[r + 1] : 0;
    float sum = 0;
#pragma unroll 1
    for (int i = r < rows ? offsets[r] + lane : 0; i < end; i += LANES)
        sum += values[i] * __ldg(&x[columns[i]]);
#pragma unroll
    for (int offset = LANES / 2; offset > 0; offset /= 2)
        sum += __shfl_down_sync(mates, sum, offset, LANES);
    if (r < rows && lane == 0)
        y[r] = sum;
}
