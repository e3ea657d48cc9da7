/* Exercise 10.2: 1,024 numbers of each block, turned around and written by the copy unit.
 *
 * reverse<<<blocks, 256>>>(in, out)
 */
extern "C" __global__ void reverse(const int *in, int *out)
{
    __shared__ __align__(128) int line[1024];
    int first = 1024 * blockIdx.x;
    for (int i = threadIdx.x; i < 1024; i += 256)
        line[1023 - i] = in[first + i];
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += 256)
        out[first + i] = line[i];
}
