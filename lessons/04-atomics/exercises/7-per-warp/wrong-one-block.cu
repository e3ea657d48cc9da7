extern "C" __global__ void keep(const int *data, int n, int *out, int *count)
{
    if (blockIdx.x)
        return;
    for (int from = 0; from < n; from += blockDim.x) {
        int i = from + threadIdx.x, lane = threadIdx.x % 32, first = 0;
        int value = i < n ? data[i] : 0;
        unsigned mask = __ballot_sync(0xffffffff, value >= 2);
        if (lane == 0 && mask)
            first = atomicAdd(count, __popc(mask));
        first = __shfl_sync(0xffffffff, first, 0);
        if (value >= 2)
            out[first + __popc(mask & ((1u << lane) - 1))] = value;
    }
}
