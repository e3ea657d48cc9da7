extern "C" __global__ void exchange(unsigned *key, int n, int size, int stride)
{
    if (blockIdx.x || threadIdx.x)
        return;
    for (int t = 0; t < n / 2; t++) {
        int low = t / stride * 2 * stride + t % stride, high = low + stride;
        unsigned a = key[low], b = key[high];
        if (low & size ? a < b : a > b) {
            key[low] = b;
            key[high] = a;
        }
    }
}
