/* Exercise 9.4: each block scans its numbers. Nearly.
 *
 * scan<<<ceil(n / threads), threads, 4 * threads>>>(x, n, y)
 */
extern __shared__ int line[];

extern "C" __global__ void scan(const int *x, int n, int *y)
{
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;
    line[tid] = i < n ? x[i] : 0;
    __syncthreads();
    for (int reach = 1; reach < blockDim.x; reach *= 2) {
        if (tid >= reach)
            line[tid] += line[tid - reach];
        __syncthreads();
    }
    if (i < n)
        y[i] = line[tid];
}
