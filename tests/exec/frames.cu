// Lanes of one warp in two functions at once, whose registers have other widths; frames.ptx is what nvcc 13 makes of
// it: nvcc -arch=compute_75 -ptx frames.cu
template <class T> __device__ __noinline__ unsigned turns(int n)
{
    T a = 1, b = 2;
    for (int i = 0; i < n; i++) a = a * 3 + i, b = b ^ a >> 1;
    return (unsigned)(a + b);
}
extern "C" __global__ void two_functions(unsigned *o, int n)
{
    o[threadIdx.x] = threadIdx.x & 1 ? turns<unsigned long long>(n) : turns<unsigned>(n + 3);
}
