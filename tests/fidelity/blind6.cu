// blind6.cu: kernels of the kinds that courses and students write, none of them like those of the
// files before. Written, and simulated (blind6.predicted), before any of them had run on a card, by
// someone who did not know how the clock works.

// Light of any strength, in three planes, becomes a picture of bytes.
extern "C" __global__ void tone_map(const float *red, const float *green, const float *blue, uchar4 *out,
                                    float exposure, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float r = exposure * fmaxf(red[i], 0), g = exposure * fmaxf(green[i], 0), b = exposure * fmaxf(blue[i], 0);
    float scale = 1 / (1 + 0.2126f * r + 0.7152f * g + 0.0722f * b);
    r = fminf(sqrtf(r * scale), 1), g = fminf(sqrtf(g * scale), 1), b = fminf(sqrtf(b * scale), 1);
    out[i] = make_uchar4((unsigned char)(255 * r), (unsigned char)(255 * g), (unsigned char)(255 * b), 255);
}

// How many lines and words a text has; it is read 16 bytes at a time.
extern "C" __global__ void count_words(const uint4 *text, unsigned *counts, int n)
{
    const unsigned char *bytes = (const unsigned char *)text;
    unsigned lines = 0, words = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uint4 v = text[i];
        unsigned part[4] = {v.x, v.y, v.z, v.w};
        bool in_word = i > 0 && bytes[16 * i - 1] > ' ';
        for (int k = 0; k < 16; k++) {
            unsigned char c = (unsigned char)(part[k / 4] >> 8 * (k % 4));
            if (c == '\n') lines++;
            if (c > ' ' && !in_word) words++;
            in_word = c > ' ';
        }
    }
    for (int d = 16; d; d /= 2) {
        lines += __shfl_down_sync(~0u, lines, d);
        words += __shfl_down_sync(~0u, words, d);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&counts[0], lines);
        atomicAdd(&counts[1], words);
    }
}

__constant__ int diagonal[9] = {-1024, -32, -2, -1, 0, 1, 2, 32, 1024};

// A matrix of which only nine diagonals are kept, times a vector.
extern "C" __global__ void diagonals(const float *value, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k < 9; k++) {
        int j = i + diagonal[k];
        if (j >= 0 && j < n) sum += value[k * n + i] * x[j];
    }
    y[i] = sum;
}

// Which seed is nearest to each pixel? A step of jump flooding: nine pixels, `step` apart, say which they know.
extern "C" __global__ void jump_flood(const int2 *in, int2 *out, int step, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int2 best = make_int2(-1, -1);
    float least = 1e30f;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int u = x + dx * step, v = y + dy * step;
            if (u < 0 || v < 0 || u >= width || v >= height) continue;
            int2 seed = in[v * width + u];
            if (seed.x < 0) continue;
            float ex = (float)seed.x - x, ey = (float)seed.y - y, d = ex * ex + ey * ey;
            if (d < least) {
                least = d;
                best = seed;
            }
        }
    out[y * width + x] = best;
}

// Rule 110 on rings of 8192 cells, a bit each: a block a ring.
extern "C" __global__ void rule_110(const unsigned *in, unsigned *out, int steps)
{
    __shared__ unsigned row[2][256];
    int t = threadIdx.x;
    row[0][t] = in[blockIdx.x * 256 + t];
    for (int k = 0; k < steps; k++) {
        __syncthreads();
        unsigned *now = row[k & 1], *next = row[~k & 1];
        unsigned here = now[t], left = here << 1 | now[(t + 255) % 256] >> 31,
                 right = here >> 1 | now[(t + 1) % 256] << 31;
        next[t] = (here | right) & ~(left & here & right);
    }
    out[blockIdx.x * 256 + t] = row[steps & 1][t];
}

// Each block sorts 256 numbers by their lowest bits, one bit after the other: first those that have
// a zero there, then the others.
extern "C" __global__ void sort_bits(const unsigned *in, unsigned *out, int bits)
{
    __shared__ unsigned keys[256];
    __shared__ int zeros[8];
    int t = threadIdx.x, warp = t / 32, lane = t % 32;
    unsigned key = in[blockIdx.x * 256 + t];
    for (int b = 0; b < bits; b++) {
        unsigned ones = __ballot_sync(~0u, key >> b & 1);
        if (lane == 0) zeros[warp] = 32 - __popc(ones);
        __syncthreads();
        int before = __popc(~ones & ((1u << lane) - 1)), all = 0;
        for (int w = 0; w < 8; w++) {
            if (w < warp) before += zeros[w];
            all += zeros[w];
        }
        keys[key >> b & 1 ? all + t - before : before] = key;
        __syncthreads();
        key = keys[t];
    }
    out[blockIdx.x * 256 + t] = key;
}

// Keys are put into a hash table; who finds a place taken tries the next one. Zero is a place that is free.
extern "C" __global__ void insert_keys(const unsigned *keys, unsigned *table, unsigned *place, unsigned mask, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned key = keys[i] | 1, at = (key * 2654435761u >> 10) & mask;
    for (int tries = 0; tries < 64; tries++) {
        unsigned old = atomicCAS(&table[at], 0u, key);
        if (old == 0 || old == key) break;
        at = (at + 1) & mask;
    }
    place[i] = at;
}

// In which directions a picture is steep: nine bins for each cell of 8 x 8 pixels, a block has 2 x 2 cells.
extern "C" __global__ void oriented_gradients(const float *in, float *cells, int width, int height)
{
    __shared__ float bins[4][9];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, t = threadIdx.y * 16 + threadIdx.x;
    if (t < 36) bins[t / 9][t % 9] = 0;
    __syncthreads();
    float gx = in[y * width + min(x + 1, width - 1)] - in[y * width + max(x - 1, 0)];
    float gy = in[min(y + 1, height - 1) * width + x] - in[max(y - 1, 0) * width + x];
    float angle = atan2f(gy, gx);
    if (angle < 0) angle += 3.14159265f;
    int bin = min((int)(angle * (9 / 3.14159265f)), 8);
    atomicAdd(&bins[threadIdx.y / 8 * 2 + threadIdx.x / 8][bin], sqrtf(gx * gx + gy * gy));
    __syncthreads();
    if (t >= 36) return;
    int column = blockIdx.x * 2 + t / 9 % 2, row = blockIdx.y * 2 + t / 18;
    cells[(row * (width / 8) + column) * 9 + t % 9] = bins[t / 9][t % 9];
}

// A ring above a floor: each ray goes on by the distance to what is nearest, until it is there.
extern "C" __global__ void ray_march(float *out, int most, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, k;
    if (x >= width || y >= height) return;
    float dx = (x - 0.5f * width) / height, dy = (0.5f * height - y) / height, s = rsqrtf(dx * dx + dy * dy + 1),
          far = 0;
    for (k = 0; k < most && far < 20; k++) {
        float px = far * dx * s, py = 0.6f + far * dy * s, pz = far * s - 3;
        float around = sqrtf(px * px + pz * pz) - 1, ring = sqrtf(around * around + py * py) - 0.4f,
              d = fminf(ring, py + 1);
        if (d < 0.001f) break;
        far += d;
    }
    out[y * width + x] = far < 20 ? 1 / (1 + far) + 0.001f * k : 0;
}

__device__ void quarter_round(unsigned &a, unsigned &b, unsigned &c, unsigned &d)
{
    a += b, d ^= a, d = d << 16 | d >> 16;
    c += d, b ^= c, b = b << 12 | b >> 20;
    a += b, d ^= a, d = d << 8 | d >> 24;
    c += d, b ^= c, b = b << 7 | b >> 25;
}

// A text is made secret by ChaCha20, a thread 64 bytes of it.
extern "C" __global__ void chacha20(const uint4 *text, uint4 *out, const unsigned *key, unsigned nonce, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned first[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, v[16];
    for (int k = 0; k < 8; k++) first[4 + k] = key[k];
    first[12] = i, first[13] = 0, first[14] = nonce, first[15] = ~nonce;
    for (int k = 0; k < 16; k++) v[k] = first[k];
    for (int k = 0; k < 10; k++) {
        quarter_round(v[0], v[4], v[8], v[12]);
        quarter_round(v[1], v[5], v[9], v[13]);
        quarter_round(v[2], v[6], v[10], v[14]);
        quarter_round(v[3], v[7], v[11], v[15]);
        quarter_round(v[0], v[5], v[10], v[15]);
        quarter_round(v[1], v[6], v[11], v[12]);
        quarter_round(v[2], v[7], v[8], v[13]);
        quarter_round(v[3], v[4], v[9], v[14]);
    }
    for (int k = 0; k < 16; k++) v[k] += first[k];
    for (int k = 0; k < 4; k++) {
        uint4 in = text[4 * i + k];
        out[4 * i + k] = make_uint4(in.x ^ v[4 * k], in.y ^ v[4 * k + 1], in.z ^ v[4 * k + 2], in.w ^ v[4 * k + 3]);
    }
}

__constant__ unsigned long long spread[16] = {
    0x0001000100000000, 0x0000000100000001, 0x0000000100010000, 0x0001000000010001,
    0x0001000000000001, 0x0000000000000000, 0x0001000000010000, 0x0001000100000001,
    0x0000000000010001, 0x0001000100010000, 0x0001000100010001, 0x0001000000000000,
    0x0000000100000000, 0x0000000100010001, 0x0000000000000001, 0x0000000000010000};

// The cipher PRESENT, a thread 64 bits: a table says what four bits become and where they go.
extern "C" __global__ void present_cipher(const unsigned long long *text, const unsigned long long *keys,
                                          unsigned long long *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long v = text[i];
    for (int round = 0; round < 31; round++) {
        unsigned long long mixed = v ^ keys[round];
        v = 0;
        for (int k = 0; k < 16; k++) v |= spread[mixed >> 4 * k & 15] << k;
    }
    out[i] = v ^ keys[31];
}

__device__ double3 lorenz_slope(double x, double y, double z)
{
    return make_double3(10 * (y - x), x * (28 - z) - y, x * y - 8 / 3.0 * z);
}

// Lorenz's equations from many starts, by Runge and Kutta's way in doubles.
extern "C" __global__ void lorenz(const double *start, double *end, double h, int steps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = start[i], y = start[n + i], z = start[2 * n + i];
    for (int k = 0; k < steps; k++) {
        double3 a = lorenz_slope(x, y, z);
        double3 b = lorenz_slope(x + h / 2 * a.x, y + h / 2 * a.y, z + h / 2 * a.z);
        double3 c = lorenz_slope(x + h / 2 * b.x, y + h / 2 * b.y, z + h / 2 * b.z);
        double3 d = lorenz_slope(x + h * c.x, y + h * c.y, z + h * c.z);
        x += h / 6 * (a.x + 2 * b.x + 2 * c.x + d.x);
        y += h / 6 * (a.y + 2 * b.y + 2 * c.y + d.y);
        z += h / 6 * (a.z + 2 * b.z + 2 * c.z + d.z);
    }
    end[i] = x, end[n + i] = y, end[2 * n + i] = z;
}

// Sums by Kahan's way, which keeps what is rounded off; only a few threads, each goes through a part of the numbers.
extern "C" __global__ void kahan_sums(const float *in, float *out, int n)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    float sum = 0, lost = 0;
    for (int i = id; i < n; i += threads) {
        float v = in[i] - lost, next = sum + v;
        lost = next - sum - v;
        sum = next;
    }
    out[id] = sum;
}

// In which order are 64 matrices best multiplied? A block a chain: first all parts of two, then of three, and so on.
extern "C" __global__ void matrix_chain(const int *sizes, int *out)
{
    __shared__ int cost[64][65], size[65];
    int t = threadIdx.x;
    for (int k = t; k < 65; k += 64) size[k] = 1 + (sizes[blockIdx.x * 65 + k] & 63);
    cost[t][t] = 0;
    __syncthreads();
    for (int length = 2; length <= 64; length++) {
        int end = t + length - 1;
        if (end < 64) {
            int best = 1 << 30;
            for (int k = t; k < end; k++)
                best = min(best, cost[t][k] + cost[k + 1][end] + size[t] * size[k + 1] * size[end + 1]);
            cost[t][end] = best;
        }
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = cost[0][63];
}

// Triangles in a graph whose edges are bits: for each edge, how many nodes are neighbours of both its ends.
extern "C" __global__ void triangles(const unsigned *edge, int *count, int nodes)
{
    int j = blockIdx.x * 32 + threadIdx.x, i = blockIdx.y * 8 + threadIdx.y, words = nodes / 32, common = 0;
    if (i < j && (edge[i * words + j / 32] >> j % 32 & 1))
        for (int k = 0; k < words; k++) common += __popc(edge[i * words + k] & edge[j * words + k]);
    for (int d = 16; d; d /= 2) common += __shfl_down_sync(~0u, common, d);
    if (threadIdx.x == 0 && common) atomicAdd(&count[i], common);
}

// Transforms of 512 numbers modulo a prime, a block each; the powers of a root of 1 are given.
extern "C" __global__ void number_transform(const unsigned *in, const unsigned *roots, unsigned *out)
{
    const unsigned prime = 998244353;
    __shared__ unsigned a[512], root[256];
    int t = threadIdx.x, base = blockIdx.x * 512;
    root[t] = roots[t] % prime;
    a[__brev(t) >> 23] = in[base + t] % prime;
    a[__brev(t + 256) >> 23] = in[base + t + 256] % prime;
    for (int half = 1; half < 512; half *= 2) {
        __syncthreads();
        int k = t & (half - 1), low = 2 * (t - k) + k, high = low + half;
        unsigned u = a[low], v = (unsigned)((unsigned long long)a[high] * root[k * (256 / half)] % prime);
        a[low] = u + v >= prime ? u + v - prime : u + v;
        a[high] = u >= v ? u - v : u + prime - v;
    }
    __syncthreads();
    out[base + t] = a[t];
    out[base + t + 256] = a[t + 256];
}

// Do two things rise together? Kendall's count for 32 pairs, a warp: each pair is compared with all others.
extern "C" __global__ void kendall(const float *x, const float *y, int *score)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, sum = 0;
    float a = x[i], b = y[i];
    for (int d = 1; d < 32; d++) {
        float u = __shfl_sync(~0u, a, (lane + d) % 32), v = __shfl_sync(~0u, b, (lane + d) % 32),
              product = (a - u) * (b - v);
        if (product > 0) sum++;
        if (product < 0) sum--;
    }
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0) score[i / 32] = sum / 2;
}

__device__ float chance(unsigned &state)
{
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    return (state >> 8) * (1 / 16777216.f) + 1 / 33554432.f;
}

// Random numbers of a gamma distribution: some are drawn in vain and drawn again.
extern "C" __global__ void gamma_draws(float *out, float shape, unsigned seed, int draws)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    unsigned state = (seed ^ i * 2654435769u) | 1;
    float d = shape - 1 / 3.f, c = 1 / sqrtf(9 * d);
    for (int k = 0; k < draws; k++) {
        float v = 1;
        for (int tries = 0; tries < 32; tries++) {
            float distance = sqrtf(-2 * logf(chance(state))), x = distance * cospif(2 * chance(state));
            v = (1 + c * x) * (1 + c * x) * (1 + c * x);
            if (v > 0 && logf(chance(state)) < 0.5f * x * x + d - d * v + d * logf(v)) break;
        }
        out[k * threads + i] = d * v;
    }
}

// At which rate are the payments of some years worth their price? Newton's way in doubles, until the rate stays.
extern "C" __global__ void yields(const double *price, const double *payment, double *rate, int years, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double r = 0.05, paid = 10 + 3 * price[i];
    for (int turn = 0; turn < 20; turn++) {
        double factor = 1 / (1 + r), power = 1, worth = -paid, slope = 0;
        for (int k = 0; k < years; k++) {
            power *= factor;
            double part = (0.5 + payment[k * n + i]) * power;
            worth += part;
            slope -= (k + 1) * part;
        }
        double change = worth / (slope * factor);
        r -= change;
        if (!(fabs(change) > 1e-10)) break;
    }
    rate[i] = r;
}

// The shortest way through ten towns and back: a thread one of all orders, several maps.
extern "C" __global__ void shortest_tour(const float *x, const float *y, float *shortest)
{
    __shared__ float way[10][10], best[4];
    int t = threadIdx.x, id = blockIdx.x * 128 + t, at = 0, left[9];
    if (t < 100) {
        int a = blockIdx.y * 10 + t / 10, b = blockIdx.y * 10 + t % 10;
        way[t / 10][t % 10] = sqrtf((x[a] - x[b]) * (x[a] - x[b]) + (y[a] - y[b]) * (y[a] - y[b]));
    }
    for (int k = 0; k < 9; k++) left[k] = k + 1;
    __syncthreads();
    float length = 0;
    for (int many = 9; many > 0; many--) {
        int pick = id % many, to = left[pick];
        id /= many;
        left[pick] = left[many - 1];
        length += way[at][to];
        at = to;
    }
    length += way[at][0];
    for (int d = 16; d; d /= 2) length = fminf(length, __shfl_xor_sync(~0u, length, d));
    if (t % 32 == 0) best[t / 32] = length;
    __syncthreads();
    if (t == 0) shortest[blockIdx.y * gridDim.x + blockIdx.x] = fminf(fminf(best[0], best[1]), fminf(best[2], best[3]));
}
