extern "C" __global__ void
add_up(const int *data, int n, int *part, unsigned *tickets, int *total, int turn)
{
    int sum = 0;
    if (blockIdx.x || threadIdx.x)
        return;
    for (int i = 0; i < n; i++)
        sum += data[i];
    total[turn] = sum;
}
