extern "C" __global__ void keep(const int *data, int n, int *out, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int value = i < n ? data[i] : 0;
    bool mine = value >= 2;
    unsigned mask = __ballot_sync(0xffffffff, mine);
    int first = 0, before = __popc(mask & ((1u << lane) - 1));
    if (lane == 0 && mask) {
        first = *(volatile int *)count;
        *(volatile int *)count = first + __popc(mask);
    }
    first = __shfl_sync(0xffffffff, first, 0);
    if (mine)
        out[first + before] = value;
}
