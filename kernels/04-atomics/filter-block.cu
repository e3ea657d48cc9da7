/* filter-block: one ticket for a whole tile, and rows of neighbours to write.
 *
 * A block of 256 threads takes a tile of 4096 numbers, 16 per thread, in
 * loads of 16 bytes. Each thread counts what it keeps; a running sum over
 * the block tells it where its own numbers belong; one atomicAdd finds the
 * tile's place in the result. The kept numbers are first lined up in shared
 * memory, so that the block can write them in a row.
 */
#define THREADS 256
#define LOADS 4
#define TILE (4 * LOADS * THREADS)

extern "C" __global__ void
filter(const int *data, int n, int *out, int *count)
{
    __shared__ int line[TILE], part[THREADS / 32], start;
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
#pragma unroll 1
    for (int first = blockIdx.x * TILE; first < n; first += gridDim.x * TILE) {
        int4 v[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
            int at = first + 4 * (k * THREADS + tid);
            if (at + 3 < n)
                v[k] = __ldg((const int4 *)&data[at]);
            else /* numbers past the end of the data are not kept */
                v[k] = make_int4(at < n ? data[at] : 0, at + 1 < n ? data[at + 1] : 0,
                                 at + 2 < n ? data[at + 2] : 0, 0);
        }
        int kept = 0;
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            kept += (v[k].x >= 2) + (v[k].y >= 2) + (v[k].z >= 2) + (v[k].w >= 2);

        int before = kept; /* becomes the sum of this lane and those below it */
#pragma unroll
        for (int offset = 1; offset < 32; offset *= 2) {
            int below = __shfl_up_sync(0xffffffff, before, offset);
            before += lane >= offset ? below : 0;
        }
        if (lane == 31)
            part[warp] = before;
        __syncthreads();
        int all = 0, place = before - kept;
#pragma unroll
        for (int w = 0; w < THREADS / 32; w++) {
            place += w < warp ? part[w] : 0;
            all += part[w];
        }
        if (tid == 0)
            start = atomicAdd(count, all);
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
            if (v[k].x >= 2)
                line[place++] = v[k].x;
            if (v[k].y >= 2)
                line[place++] = v[k].y;
            if (v[k].z >= 2)
                line[place++] = v[k].z;
            if (v[k].w >= 2)
                line[place++] = v[k].w;
        }
        __syncthreads();
#pragma unroll 1
        for (int i = tid; i < all; i += THREADS)
            out[start + i] = line[i];
        __syncthreads(); /* the line is free again */
    }
}
