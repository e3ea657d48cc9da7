/* scan-tree: a scan of 512 numbers by a tree, up and down again.
 *
 * ptx: -DPLACE(i)=(i) as scan-tree.ptx
 * ptx: -DPLACE(i)=((i)+(i)/32) as scan-padded.ptx
 *
 * On the way up, pairs are added, then pairs of pairs, as in lesson 1. On
 * the way down every node hands its left child what stands before it, and
 * its right child that and the left one's sum. A number's place in shared
 * memory is PLACE(i): padded, there is an unused word after every 32.
 */
#define TILE 512

extern "C" __global__ void
scan(const int *x, int n, int *y)
{
    __shared__ int line[TILE + TILE / 32];
    int tid = threadIdx.x, i = blockIdx.x * TILE + tid, j = i + TILE / 2;
    int a = i < n ? x[i] : 0, b = j < n ? x[j] : 0, reach = 1;
    line[PLACE(tid)] = a;
    line[PLACE(tid + TILE / 2)] = b;
#pragma unroll 1
    for (int pairs = TILE / 2; pairs > 0; pairs /= 2) {
        __syncthreads();
        if (tid < pairs) {
            int left = reach * (2 * tid + 1) - 1, right = left + reach;
            line[PLACE(right)] += line[PLACE(left)];
        }
        reach *= 2;
    }
    if (tid == 0)
        line[PLACE(TILE - 1)] = 0; /* nothing stands before the root */
#pragma unroll 1
    for (int pairs = 1; pairs < TILE; pairs *= 2) {
        reach /= 2;
        __syncthreads();
        if (tid < pairs) {
            int left = reach * (2 * tid + 1) - 1, right = left + reach;
            int sum = line[PLACE(left)];
            line[PLACE(left)] = line[PLACE(right)];
            line[PLACE(right)] += sum;
        }
    }
    __syncthreads();
    if (i < n)
        y[i] = line[PLACE(tid)] + a;
    if (j < n)
        y[j] = line[PLACE(tid + TILE / 2)] + b;
}
