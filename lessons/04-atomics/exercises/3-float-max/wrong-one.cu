extern "C" __global__ void greatest(const float *data, int n, float *most)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        float best = data[0];
        for (int i = 1; i < n; i++)
            best = fmaxf(best, data[i]);
        *most = best;
    }
}
