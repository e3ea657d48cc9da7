/* By bits: a 0 is put into t at the place of stride. */
__global__ void exchange(unsigned *key, int n, int size, int stride)
{
    for (unsigned t = threadIdx.x + blockIdx.x * blockDim.x; 2 * t < n; t += gridDim.x * blockDim.x) {
        const unsigned below = t & (stride - 1), at = (t - below) * 2 | below;
        const uint2 held = make_uint2(key[at], key[at | stride]);
        const unsigned least = min(held.x, held.y), most = max(held.x, held.y);
        const bool up = !(at & size);
        key[at] = up ? least : most;
        key[at | stride] = up ? most : least;
    }
}
