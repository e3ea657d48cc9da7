extern "C" __global__ void sum_up(const float *x, int n, float *sum)
{
    if (threadIdx.x)
        return;
    float total = 0, lost = 0;
    for (int i = 0; i < n; i++) {
        float y = x[i] - lost, t = total + y;
        lost = (t - total) - y;
        total = t;
    }
    *sum = total;
}
