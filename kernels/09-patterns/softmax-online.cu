/* softmax-online: the greatest number and the sum in one pass.
 *
 * The sum is of powers relative to the greatest number so far. When a greater
 * one comes, the sum is scaled down to it. Two such pairs meet in the same way,
 * so a tree can put the threads' pairs together.
 */
#define THREADS 256
#define LEAST -3.4e38f /* less than any number of a row */

struct pair {
    float most, sum;
};

static __device__ pair
together(pair a, pair b)
{
    pair c;
    c.most = fmaxf(a.most, b.most);
    c.sum = a.sum * expf(a.most - c.most) + b.sum * expf(b.most - c.most);
    return c;
}

extern "C" __global__ void
softmax(const float *__restrict__ x, float *__restrict__ y, int columns)
{
    __shared__ pair part[THREADS];
    int tid = threadIdx.x;
    x += blockIdx.x * columns;
    y += blockIdx.x * columns;

    pair mine = {LEAST, 0};
#pragma unroll 1
    for (int i = tid; i < columns; i += THREADS) {
        float apart = x[i] - mine.most, e = expf(-fabsf(apart));
        mine.sum = apart > 0 ? mine.sum * e + 1 : mine.sum + e;
        mine.most = fmaxf(mine.most, x[i]);
    }
    part[tid] = mine;
    __syncthreads();
#pragma unroll 1
    for (int offset = THREADS / 2; offset > 0; offset /= 2) {
        if (tid < offset)
            part[tid] = together(part[tid], part[tid + offset]);
        __syncthreads();
    }
    float most = part[0].most, share = 1 / part[0].sum;

#pragma unroll 1
    for (int i = tid; i < columns; i += THREADS)
        y[i] = expf(x[i] - most) * share;
}
