/* softmax-registers: a thread keeps its numbers in registers, and lanes
 * exchange by shuffles. At most 1024 columns.
 *
 * Each number is read once and each result written once: no kernel can do
 * with less.
 */
#define THREADS 256
#define EACH 4
#define LEAST -3.4e38f /* less than any number of a row */

static __device__ float
greatest(float v)
{
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2)
        v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, apart));
    return v;
}

static __device__ float
total(float v)
{
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2)
        v += __shfl_xor_sync(0xffffffff, v, apart);
    return v;
}

extern "C" __global__ void
softmax(const float *__restrict__ x, float *__restrict__ y, int columns)
{
    __shared__ float most_of[THREADS / 32], sum_of[THREADS / 32];
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    x += blockIdx.x * columns;
    y += blockIdx.x * columns;

    float v[EACH], most = LEAST, sum = 0;
#pragma unroll
    for (int k = 0; k < EACH; k++)
        v[k] = tid + k * THREADS < columns ? x[tid + k * THREADS] : LEAST;
#pragma unroll
    for (int k = 0; k < EACH; k++)
        most = fmaxf(most, v[k]);
    most = greatest(most);
    if (lane == 0)
        most_of[warp] = most;
    __syncthreads();
    most = greatest(most_of[lane % (THREADS / 32)]);

#pragma unroll
    for (int k = 0; k < EACH; k++) {
        v[k] = expf(v[k] - most);
        sum += v[k];
    }
    sum = total(sum);
    if (lane == 0)
        sum_of[warp] = sum;
    __syncthreads();
    float share = 1 / total(lane < THREADS / 32 ? sum_of[lane] : 0);

#pragma unroll
    for (int k = 0; k < EACH; k++)
        if (tid + k * THREADS < columns)
            y[tid + k * THREADS] = v[k] * share;
}
