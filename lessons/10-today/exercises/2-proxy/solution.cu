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
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned at = (unsigned)__cvta_generic_to_shared(line);
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 4096;"
                     ::"l"(out + first), "r"(at) : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}
