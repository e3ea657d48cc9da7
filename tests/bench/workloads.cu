// The workloads of `make bench-sim`. Each takes (in, out, n); what it computes does not matter,
// what it does per instruction does.

// Integer arithmetic in registers: the interpreter's best case.
extern "C" __global__ void integer_loop(const float *in, float *out, int n)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        x = x * 1664525u + 1013904223u;
        x ^= x >> 7;
        x += i;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = (float)x;
}

// n x n product with 16 x 16 tiles in shared memory.
extern "C" __global__ void tiled_product(const float *in, float *out, int n)
{
    __shared__ float a[16][16], b[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        a[ty][tx] = in[row * n + k + tx];
        b[ty][tx] = in[(k + ty) * n + col];
        __syncthreads();
        for (int i = 0; i < 16; i++) sum += a[ty][i] * b[i][tx];
        __syncthreads();
    }
    out[row * n + col] = sum;
}

// The same product straight from global memory.
extern "C" __global__ void naive_product(const float *in, float *out, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++) sum += in[row * n + k] * in[k * n + col];
    out[row * n + col] = sum;
}

// A sum of n floats: grid stride, then a tree in shared memory.
extern "C" __global__ void reduction(const float *in, float *out, int n)
{
    __shared__ float s[256];
    float sum = 0;
#pragma unroll 1
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += in[i];
    s[threadIdx.x] = sum;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
    }
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// Every lane takes its own number of turns through its own branches.
extern "C" __global__ void divergent(const float *in, float *out, int n)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x + 1, steps = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        unsigned y = x + i;
#pragma unroll 1
        while (y != 1 && steps < 100000) {
            if (y & 1) y = 3 * y + 1;
            else y >>= 1;
            steps++;
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = (float)steps;
}

// Each block sorts 1024 values by a bitonic network in shared memory.
extern "C" __global__ void shared_sort(const float *in, float *out, int n)
{
    __shared__ float s[1024];
    int base = blockIdx.x * 1024;
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) s[i] = in[base + i];
    for (int size = 2; size <= 1024; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            for (int t = threadIdx.x; t < 512; t += blockDim.x) {
                int lo = 2 * t - (t & (stride - 1)), hi = lo + stride;
                bool up = (lo & size) == 0;
                float x = s[lo], y = s[hi];
                if ((x > y) == up) {
                    s[lo] = y;
                    s[hi] = x;
                }
            }
        }
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) out[base + i] = s[i];
}
