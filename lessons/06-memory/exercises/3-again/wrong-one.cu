extern "C" __global__ void add_call(const int *x, int n, int *out, int call)
{
    int sum = 0;
    if (blockIdx.x || threadIdx.x)
        return;
    for (int i = 0; i < n; i++)
        sum += x[call * n + i];
    out[call] = sum;
}
