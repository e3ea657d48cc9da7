extern "C" __global__ void exchange(unsigned *key, int n, int size, int stride)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n / 2)
        return;
    int low = t / stride * 2 * stride + t % stride;
    int high = low + stride;
    bool down = t & size;
    unsigned a = key[low], b = key[high];
    if (down ? a < b : a > b) {
        key[low] = b;
        key[high] = a;
    }
}
