extern "C" __global__ void sum_up(const float *x, int n, float *sum)
{
    __shared__ double total;
    if (threadIdx.x == 0)
        total = 0;
    __syncwarp();
    float small = 0;
    int count = 0;
    for (int i = threadIdx.x; i < n; i += 32) {
        small += x[i];
        if (++count % 64 == 0) {
            atomicAdd(&total, (double)small);
            small = 0;
        }
    }
    atomicAdd(&total, (double)small);
    __syncwarp();
    if (threadIdx.x == 0)
        *sum = (float)total;
}
