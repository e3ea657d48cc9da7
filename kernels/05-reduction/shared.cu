/* shared: the same tree in shared memory, whose size the source fixes.
 *
 * ptx: -DREAL=float as shared.ptx
 * ptx: -DREAL=double as shared-double.ptx
 *
 * The input is read once and kept. Threads past its end bring a zero, so any n
 * will do. The block must have 128 threads: the array is made for them.
 */
extern "C" __global__ void
reduce(const REAL *x, int n, REAL *sums)
{
    __shared__ REAL part[128];
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;
    part[tid] = i < n ? x[i] : 0;
    __syncthreads();

#pragma unroll 1
    for (int offset = blockDim.x / 2; offset > 0; offset /= 2) {
        if (tid < offset)
            part[tid] += part[tid + offset];
        __syncthreads();
    }
    if (tid == 0)
        sums[blockIdx.x] = part[0];
}
