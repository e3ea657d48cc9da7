/* The length of the stretch is halved, and ties go by a key of 33 bits. */
__global__ void merge(const unsigned *__restrict__ in, unsigned *__restrict__ out, int n, int run)
{
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) {
        const int place = i % run, second = i / run & 1, start = i - place - (second ? run : 0);
        const int other = start + (second ? 0 : run);
        const unsigned long long mine = 2ull * in[i] + second;
        int count = 0, left = other < n ? min(run, n - other) : 0;
        while (left > 0) {
            const int half = left >> 1;
            const bool before = 2ull * in[other + count + half] + !second < mine;
            count += before ? half + 1 : 0;
            left = before ? left - half - 1 : half;
        }
        out[start + place + count] = in[i];
    }
}
