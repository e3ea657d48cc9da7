/* Every thread adds to one word, and nothing orders them: a lost-update race. */
extern "C" __global__ void add_all(const int *in, int *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[0] += in[i];
}
