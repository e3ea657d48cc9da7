extern "C" __global__ void fold(const int *x, int n, int *sums)
{
    extern __shared__ int part[];
    int tid = threadIdx.x, lane = tid % 32, i = blockIdx.x * blockDim.x + tid;
    int mine = i < n ? x[i] : 0, sum = 0, lanes = min(32, (int)blockDim.x - tid / 32 * 32);
    for (int k = 0; k < lanes; k++) // one number after the other
        sum += __shfl_sync(__activemask(), mine, k);
    part[tid] = sum;
    __syncthreads();
    if (tid == 0) {
        sum = 0;
        for (int k = 0; k < blockDim.x; k += 32)
            sum += part[k];
        sums[blockIdx.x] = sum;
    }
    if (lane == 1)
        ((volatile int *)part)[tid]; // a read that serves nothing
}
