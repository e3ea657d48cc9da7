// blind2.cu: kernels of the kinds that courses and students write, none of them like those of
// heldout.cu and blind.cu. Written, and simulated (blind2.predicted), before anything was changed
// because of a row of blind.txt. Loops are left to the compiler to unroll, as they are where such
// kernels come from.

// exp(x - largest) / sum, a block a row.
extern "C" __global__ void softmax_rows(const float *in, float *out, int width)
{
    __shared__ float part[8];
    const float *row = in + (size_t)blockIdx.x * width;
    int t = threadIdx.x;
    float largest = -1e30f, sum = 0;
    for (int i = t; i < width; i += blockDim.x) largest = fmaxf(largest, row[i]);
    for (int d = 16; d; d /= 2) largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, d));
    if (t % 32 == 0) part[t / 32] = largest;
    __syncthreads();
    largest = part[0];
    for (int w = 1; w < 8; w++) largest = fmaxf(largest, part[w]);
    __syncthreads();
    for (int i = t; i < width; i += blockDim.x) sum += expf(row[i] - largest);
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (t % 32 == 0) part[t / 32] = sum;
    __syncthreads();
    sum = 0;
    for (int w = 0; w < 8; w++) sum += part[w];
    for (int i = t; i < width; i += blockDim.x) out[(size_t)blockIdx.x * width + i] = expf(row[i] - largest) / sum;
}

// A sparse matrix, rows of up to 32 entries each padded to 32: a thread a row, so its lanes end at different turns.
extern "C" __global__ void sparse_rows(const int *length, const int *column, const float *value, const float *x,
                                       float *y, int rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float sum = 0;
    for (int k = 0; k < length[r]; k++) sum += value[r * 32 + k] * x[column[r * 32 + k]];
    y[r] = sum;
}

__constant__ float taps[17] = {.01f, .02f, .03f, .04f, .05f, .06f, .07f, .08f, .28f,
                               .08f, .07f, .06f, .05f, .04f, .03f, .02f, .01f};

extern "C" __global__ void convolve(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = -8; k <= 8; k++)
        if (i + k >= 0 && i + k < n) sum += in[i + k] * taps[k + 8];
    out[i] = sum;
}

// Seven points in space: a thread goes through all planes and keeps three of its values.
extern "C" __global__ void stencil_space(const float *in, float *out, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;
    int plane = nx * ny, at = y * nx + x;
    float below = in[at], here = in[at + plane];
    for (int z = 1; z < nz - 1; z++) {
        at += plane;
        float above = in[at + plane];
        out[at] = 0.4f * here + 0.1f * (in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx] + below + above);
        below = here;
        here = above;
    }
}

// Each block sorts 1024 numbers.
extern "C" __global__ void sort_bitonic(int *data)
{
    __shared__ int a[1024];
    int t = threadIdx.x;
    a[t] = data[blockIdx.x * 1024 + t];
    a[t + 512] = data[blockIdx.x * 1024 + t + 512];
    for (int size = 2; size <= 1024; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            __syncthreads();
            int i = 2 * t - (t & (step - 1)), k = i + step;
            bool up = (i & size) == 0;
            int v = a[i], w = a[k];
            if ((v > w) == up) {
                a[i] = w;
                a[k] = v;
            }
        }
    __syncthreads();
    data[blockIdx.x * 1024 + t] = a[t];
    data[blockIdx.x * 1024 + t + 512] = a[t + 512];
}

// The transposed matrix times a vector: a thread a column, blocks share a column.
extern "C" __global__ void matvec_columns(const float *a, const float *x, float *y, int n, int rows)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.y * rows;
    float sum = 0;
    for (int r = first; r < first + rows; r++) sum += a[r * n + column] * x[r];
    atomicAdd(&y[column], sum);
}

// Solves a system of 4 equations a thread, in doubles, without pivots.
extern "C" __global__ void solve_double(const double *a, const double *b, double *x, int n)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= n) return;
    double m[4][5];
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 4; k++) m[i][k] = a[(i * 4 + k) * n + s] + (i == k ? 4 : 0);
        m[i][4] = b[i * n + s];
    }
    for (int p = 0; p < 4; p++)
        for (int i = 0; i < 4; i++) {
            if (i == p) continue;
            double f = m[i][p] / m[p][p];
            for (int k = p; k < 5; k++) m[i][k] -= f * m[p][k];
        }
    for (int i = 0; i < 4; i++) x[i * n + s] = m[i][4] / m[i][i];
}

// How many random points lie in the circle.
extern "C" __global__ void pi_random(unsigned long long seed, int turns, unsigned *inside)
{
    unsigned long long state = seed + (blockIdx.x * blockDim.x + threadIdx.x) * 0x9e3779b97f4a7c15ull;
    unsigned hits = 0;
    for (int k = 0; k < turns; k++) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        float x = (state >> 40) * (1.0f / 16777216);
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        float y = (state >> 40) * (1.0f / 16777216);
        if (x * x + y * y <= 1) hits++;
    }
    atomicAdd(inside, hits);
}

extern "C" __global__ void gray_bytes(const unsigned char *rgb, unsigned char *gray, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) gray[i] = (unsigned char)(0.299f * rgb[3 * i] + 0.587f * rgb[3 * i + 1] + 0.114f * rgb[3 * i + 2]);
}

// One step of the shortest ways between all nodes.
extern "C" __global__ void floyd_step(int *d, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n) return;
    int way = d[i * n + k] + d[k * n + j];
    if (way < d[i * n + j]) d[i * n + j] = way;
}

// The nearest of `k` centres, and how many points each has.
extern "C" __global__ void nearest_centre(const float *x, const float *y, const float *z, const float *centres,
                                          int *which, int *counts, int n, int k)
{
    __shared__ float c[3 * 64];
    __shared__ int count[64];
    for (int i = threadIdx.x; i < 3 * k; i += blockDim.x) c[i] = centres[i];
    if (threadIdx.x < 64) count[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float least = 1e30f;
        int best = 0;
        for (int m = 0; m < k; m++) {
            float dx = x[i] - c[3 * m], dy = y[i] - c[3 * m + 1], dz = z[i] - c[3 * m + 2];
            float d = dx * dx + dy * dy + dz * dz;
            if (d < least) {
                least = d;
                best = m;
            }
        }
        which[i] = best;
        atomicAdd(&count[best], 1);
    }
    __syncthreads();
    if (threadIdx.x < k && count[threadIdx.x]) atomicAdd(&counts[threadIdx.x], count[threadIdx.x]);
}

// Where a word stands in a text.
extern "C" __global__ void find_word(const char *text, int n, const char *word, int length, int *found)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + length > n) return;
    int k = 0;
    while (k < length && text[i + k] == word[k]) k++;
    if (k == length) atomicAdd(found, 1);
}

extern "C" __global__ void life(const unsigned char *in, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int around = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            if (i || j) around += in[(y + j + height) % height * width + (x + i + width) % width];
    unsigned char alive = in[y * width + x];
    out[y * width + x] = around == 3 || (alive && around == 2);
}

extern "C" __global__ void heat_double(const double *in, double *out, int width, int height, double c)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    int i = y * width + x;
    out[i] = in[i] + c * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width] - 4 * in[i]);
}

extern "C" __global__ void sum_float4(const float4 *x, int n, float *out)
{
    __shared__ float part[256];
    int t = threadIdx.x;
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
        float4 v = x[i];
        sum += v.x + v.y + v.z + v.w;
    }
    part[t] = sum;
    for (int s = blockDim.x / 2; s; s /= 2) {
        __syncthreads();
        if (t < s) part[t] += part[t + s];
    }
    if (t == 0) atomicAdd(out, part[0]);
}

extern "C" __global__ void fill_float4(float4 *out, int n, float v)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = make_float4(v, v, v, v);
}

// Primes by trying all odd divisors.
extern "C" __global__ void primes(unsigned first, int n, unsigned *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned v = first + 2 * i;
    for (unsigned d = 3; d * d <= v; d += 2)
        if (v % d == 0) return;
    atomicAdd(count, 1);
}

static __device__ float normal_below(float d)
{
    float k = 1 / (1 + 0.2316419f * fabsf(d));
    float p = 0.39894228f * expf(-0.5f * d * d) * k *
              (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    return d > 0 ? 1 - p : p;
}

extern "C" __global__ void black_scholes(const float *price, const float *strike, const float *years, float *call,
                                         float *put, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 5 + 25 * price[i], x = 1 + 99 * strike[i], t = 0.25f + 9.75f * years[i], r = 0.02f, v = 0.3f;
    float root = sqrtf(t), d1 = (logf(s / x) + (r + 0.5f * v * v) * t) / (v * root), d2 = d1 - v * root;
    float n1 = normal_below(d1), n2 = normal_below(d2), worth = x * expf(-r * t);
    call[i] = s * n1 - worth * n2;
    put[i] = worth * (1 - n2) - s * (1 - n1);
}
