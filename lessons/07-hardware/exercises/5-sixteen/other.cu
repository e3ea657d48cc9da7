/* A struct of one's own that promises its alignment. */
struct __align__(16) particle {
    float x, y, z, mass;
};

__global__ void add_four(const particle *p, int n, float *out)
{
    const int i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i >= n)
        return;
    const particle one = p[i];
    out[i] = (one.x + one.y) + (one.z + one.mass);
}
