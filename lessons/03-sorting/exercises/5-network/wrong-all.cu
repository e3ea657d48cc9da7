extern "C" __global__ void exchange(unsigned *key, int n, int size, int stride)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int low = i & ~stride, high = i | stride;
        unsigned a = key[low], b = key[high];
        if (low & size ? a < b : a > b) {
            key[low] = b;
            key[high] = a;
        }
    }
}
