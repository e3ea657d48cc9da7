extern "C" __global__ void exchange(unsigned *key, int n, int size, int stride)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n / 2)
        return;
    int low = 2 * t;
    int high = 2 * t + 1;
    bool down = low & size;
    unsigned a = key[low], b = key[high];
    if (down ? a < b : a > b) {
        key[low] = b;
        key[high] = a;
    }
}
