/* Ballots within the warps, and the warps' counts added up by each thread for itself. */
__global__ void split(const unsigned *__restrict__ in, unsigned *__restrict__ out, int n, int bit)
{
    __shared__ unsigned zeros_of[32];
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, warps = blockDim.x >> 5;
    const unsigned key = tid < n ? in[tid] : ~0u;
    const bool one = key >> bit & 1;
    const unsigned ballot = __ballot_sync(0xffffffffu, !one);
    if (lane == 0)
        zeros_of[warp] = __popc(ballot);
    __syncthreads();
    unsigned mine = lane < warps ? zeros_of[lane] : 0;
    for (int d = 1; d < 32; d *= 2) {
        const unsigned from = __shfl_up_sync(0xffffffffu, mine, d);
        if (lane >= d)
            mine += from;
    }
    const unsigned all = __shfl_sync(0xffffffffu, mine, 31);
    const unsigned whole = __shfl_sync(0xffffffffu, mine, warp ? warp - 1 : 0);
    const unsigned before = (warp ? whole : 0) + __popc(ballot & ((1u << lane) - 1));
    if (tid < n)
        out[one ? all + tid - before : before] = key;
}
