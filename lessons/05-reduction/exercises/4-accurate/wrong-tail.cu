extern "C" __global__ void sum_up(const float *x, int n, float *sum)
{
    float total = 0, lost = 0;
    for (int i = threadIdx.x; i < n - n % 32; i += 32) {
        float y = x[i] - lost, t = total + y;
        lost = (t - total) - y;
        total = t;
    }
    for (int offset = 16; offset > 0; offset /= 2)
        total += __shfl_down_sync(0xffffffff, total, offset);
    if (threadIdx.x == 0)
        *sum = total;
}
