// ptx: compute_90
// Is a tensor map what comes as an argument? Its words are not all zero, and its place is a multiple of 64.
struct alignas(64) tensor_map {
    unsigned long long word[16];
};
extern "C" __global__ void map(const __grid_constant__ tensor_map m, unsigned *out, unsigned last)
{
    extern __shared__ unsigned char bytes[];
    unsigned long long any = 0;
    for (int i = 0; i < 16; i++) any |= m.word[i];
    bytes[last] = 1;
    out[blockIdx.x] = (any != 0) + 2 * ((unsigned long long)&m % 64 != 0) + 3 * (bytes[last] != 1);
}
