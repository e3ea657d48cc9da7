// blind5.cu: kernels of the kinds that courses and students write, none of them like those of the
// files before. Written, and simulated (blind5.predicted), before any of them had run on a card, by
// someone who did not know how the clock works.

// Two pictures, one upon the other: the upper one's alpha says how much of it is seen.
extern "C" __global__ void blend_images(const uchar4 *upper, const uchar4 *lower, uchar4 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uchar4 u = upper[i], l = lower[i];
    int a = u.w, b = 255 - a;
    out[i] = make_uchar4((u.x * a + l.x * b + 127) / 255, (u.y * a + l.y * b + 127) / 255,
                         (u.z * a + l.z * b + 127) / 255, max(u.w, l.w));
}

// How steep a picture of bytes is at each pixel; its rim is black.
extern "C" __global__ void sobel(const unsigned char *in, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int gx = 0, gy = 0;
    if (x > 0 && y > 0 && x < width - 1 && y < height - 1) {
        const unsigned char *p = in + y * width + x, *above = p - width, *below = p + width;
        gx = above[1] + 2 * p[1] + below[1] - above[-1] - 2 * p[-1] - below[-1];
        gy = below[-1] + 2 * below[0] + below[1] - above[-1] - 2 * above[0] - above[1];
    }
    out[y * width + x] = (unsigned char)min(255, (int)sqrtf((float)(gx * gx + gy * gy)));
}

// A blur that spares edges: of 5 x 5 neighbours out of a tile, those count most that are near and alike.
extern "C" __global__ void bilateral(const float *in, float *out, float near, float alike, int width, int height)
{
    __shared__ float tile[12][36];
    int x = threadIdx.x, y = threadIdx.y, left = (int)blockIdx.x * 32, top = (int)blockIdx.y * 8;
    for (int k = y * 32 + x; k < 12 * 36; k += 256) {
        int u = min(max(left + k % 36 - 2, 0), width - 1), v = min(max(top + k / 36 - 2, 0), height - 1);
        tile[k / 36][k % 36] = in[v * width + u];
    }
    __syncthreads();
    float here = tile[y + 2][x + 2], sum = 0, weights = 0;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++) {
            float v = tile[y + 2 + j][x + 2 + i], d = v - here, w = __expf(-near * (i * i + j * j) - alike * d * d);
            sum += w * v;
            weights += w;
        }
    out[(top + y) * width + left + x] = sum / weights;
}

// Two vectors of doubles turned in their plane.
extern "C" __global__ void plane_rotation(double *x, double *y, double c, double s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double a = x[i], b = y[i];
    x[i] = c * a + s * b;
    y[i] = c * b - s * a;
}

// A step of learning: each weight has a mean of its slopes and one of their squares.
extern "C" __global__ void adam_step(float *weight, const float *slope, float *mean, float *square, float rate, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float g = slope[i], m = 0.9f * mean[i] + 0.1f * g, v = 0.999f * square[i] + 0.001f * g * g;
        mean[i] = m;
        square[i] = v;
        weight[i] -= rate * m / (sqrtf(v) + 1e-8f);
    }
}

// Vectors of three floats, one after the other, brought to length 1.
extern "C" __global__ void unit_vectors(const float3 *in, float3 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float3 v = in[i];
    float s = rsqrtf(v.x * v.x + v.y * v.y + v.z * v.z + 1e-12f);
    out[i] = make_float3(v.x * s, v.y * s, v.z * s);
}

// A code with 64 states is decoded, a block 128 bits of it: each thread keeps the cheapest way to
// its state, one of them goes back from state 0.
extern "C" __global__ void viterbi(const uchar2 *received, unsigned *bits)
{
    __shared__ int cost[2][64];
    __shared__ unsigned ways[128][2];
    int state = threadIdx.x, before = 2 * state & 63, shifted = (state / 32) << 6 | before;
    int first = __popc(shifted & 0171) & 1, second = __popc(shifted & 0133) & 1;
    cost[0][state] = state ? 1000000 : 0;
    __syncthreads();
    for (int k = 0; k < 128; k++) {
        uchar2 r = received[blockIdx.x * 128 + k];
        int wrong = (first ? 255 - r.x : r.x) + (second ? 255 - r.y : r.y);
        int even = cost[k & 1][before] + wrong, odd = cost[k & 1][before + 1] + 510 - wrong;
        unsigned odds = __ballot_sync(~0u, odd < even);
        if (state % 32 == 0) ways[k][state / 32] = odds;
        cost[~k & 1][state] = min(even, odd);
        __syncthreads();
    }
    if (state) return;
    int at = 0;
    for (int w = 3; w >= 0; w--) {
        unsigned word = 0;
        for (int k = 31; k >= 0; k--) {
            word |= (unsigned)(at >> 5) << k;
            at = (2 * at & 63) | (ways[32 * w + k][at / 32] >> (at % 32) & 1);
        }
        bits[blockIdx.x * 4 + w] = word;
    }
}

__constant__ char letters[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Three bytes become four letters.
extern "C" __global__ void base64(const unsigned char *in, char4 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned v = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
    out[i] = make_char4(letters[v >> 18], letters[v >> 12 & 63], letters[v >> 6 & 63], letters[v & 63]);
}

// The rank of a page is made of what the pages that name it have to give; `many` name each.
extern "C" __global__ void page_rank(const int *from, const float *rank, const int *links, float *next, float damping,
                                     int many, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k < many; k++) {
        int j = from[k * n + i];
        sum += rank[j] / (links[j] + 1);
    }
    next[i] = (1 - damping) / n + damping * sum;
}

// Forces between atoms in a box whose sides meet: a list of neighbours for each, of which some are too far away.
extern "C" __global__ void pair_forces(const float4 *atom, const int *neighbour, float4 *force, float reach, int many,
                                       int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 me = atom[i], f = make_float4(0, 0, 0, 0);
    for (int k = 0; k < many; k++) {
        float4 other = atom[neighbour[k * n + i]];
        float dx = me.x - other.x, dy = me.y - other.y, dz = me.z - other.z;
        dx -= rintf(dx), dy -= rintf(dy), dz -= rintf(dz);
        float square = dx * dx + dy * dy + dz * dz;
        if (square < reach && square > 1e-4f) {
            float inverse = 1e-3f / square, six = inverse * inverse * inverse, s = 24 * (2 * six * six - six) / square;
            f.x += s * dx, f.y += s * dy, f.z += s * dz, f.w += 4 * (six * six - six);
        }
    }
    force[i] = f;
}

// Systems of equations with three diagonals, a thread each: down through all rows and up again.
extern "C" __global__ void tridiagonal(const float *low, const float *middle, const float *high, const float *right,
                                       float *x, float *work, int rows, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float c = 0, d = 0;
    for (int k = 0; k < rows; k++) {
        int at = k * n + i;
        float a = k ? low[at] : 0, m = 1 / (middle[at] + 3 - a * c);
        c = high[at] * m;
        d = (right[at] - a * d) * m;
        work[at] = c;
        x[at] = d;
    }
    for (int k = rows - 2; k >= 0; k--) {
        int at = k * n + i;
        d = x[at] - work[at] * d;
        x[at] = d;
    }
}

// The inverse of matrices of 32 by 32, a thread an element, in place; diagonals are made great
// enough to need no exchange of rows.
extern "C" __global__ void inverse_32(const float *in, float *out)
{
    __shared__ float a[32][33];
    int x = threadIdx.x, y = threadIdx.y, i = blockIdx.x * 1024 + y * 32 + x;
    a[y][x] = in[i] + (x == y ? 32 : 0);
    for (int k = 0; k < 32; k++) {
        __syncthreads();
        float p = 1 / a[k][k], row = a[k][x], column = a[y][k], v = a[y][x];
        __syncthreads();
        if (y == k) v = x == k ? p : row * p;
        else if (x == k) v = -column * p;
        else v -= column * row * p;
        a[y][x] = v;
    }
    out[i] = a[y][x];
}

// Sums of all that is above, down the columns of a picture: a thread a column.
extern "C" __global__ void running_columns(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) return;
    float sum = 0;
    for (int y = 0; y < height; y++) {
        sum += in[y * width + x];
        out[y * width + x] = sum;
    }
}

// Where planets are: Kepler's equation, solved by Newton's way in doubles until nothing changes.
extern "C" __global__ void kepler(const double *mean, const double *shape, double *x, double *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double m = 6.283185307179586 * mean[i], e = 0.9 * shape[i], u = m, s, c;
    for (int k = 0; k < 20; k++) {
        sincos(u, &s, &c);
        double d = (u - e * s - m) / (1 - e * c);
        u -= d;
        if (fabs(d) < 1e-12) break;
    }
    sincos(u, &s, &c);
    x[i] = c - e;
    y[i] = sqrt(1 - e * e) * s;
}

// Magnets on a board, the white or the black fields of it: each turns over if chance lets it.
extern "C" __global__ void ising(signed char *up, int colour, float cold, unsigned seed, int width, int height)
{
    int y = blockIdx.y * blockDim.y + threadIdx.y, x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + ((y + colour) & 1),
        i = y * width + x;
    if (x >= width || y >= height) return;
    int west = x ? i - 1 : i + width - 1, east = x < width - 1 ? i + 1 : i - width + 1;
    int north = y ? i - width : i + (height - 1) * width, south = y < height - 1 ? i + width : x;
    int mine = 2 * up[i] - 1, around = 2 * (up[west] + up[east] + up[north] + up[south]) - 4;
    unsigned h = ((unsigned)i ^ seed) * 747796405u + 2891336453u;
    h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
    h ^= h >> 22;
    if ((h >> 8) * (1 / 16777216.f) < __expf(-2 * cold * mine * around)) up[i] = (signed char)(mine < 0);
}

// What the right to sell is worth, if one may use it any day: a block a tree, back from its 256 leaves.
extern "C" __global__ void binomial_tree(const float *strike, float *price, float years, float rate, float spread)
{
    __shared__ float worth[2][256];
    int t = threadIdx.x, from = 0;
    float step = years / 255, rise = expf(spread * sqrtf(step)), grow = expf(rate * step),
          p = (grow - 1 / rise) / (rise - 1 / rise);
    float sell = 50 + 100 * strike[blockIdx.x], spot = 100 * powf(rise, 2.f * t - 255);
    worth[0][t] = fmaxf(sell - spot, 0);
    for (int day = 254; day >= 0; day--) {
        __syncthreads();
        spot *= rise;
        if (t <= day)
            worth[1 - from][t] = fmaxf(sell - spot, (p * worth[from][t + 1] + (1 - p) * worth[from][t]) / grow);
        from = 1 - from;
    }
    if (t == 0) price[blockIdx.x] = worth[from][0];
}

// The means of samples drawn from a sample of 4096, a warp each.
extern "C" __global__ void bootstrap(const float *in, float *means, unsigned seed, int draws)
{
    __shared__ float sample[4096];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, state = seed ^ i * 2654435769u;
    for (int k = threadIdx.x; k < 4096; k += blockDim.x) sample[k] = in[k];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < draws; k++) {
        state = state * 1664525u + 1013904223u;
        sum += sample[state >> 20];
    }
    for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (i % 32 == 0) means[i / 32] = sum / (32 * draws);
}

// Sums of floats, of their squares, cubes and fourth powers, in doubles.
extern "C" __global__ void moments(const float *in, double *out, int n)
{
    __shared__ double part[4][16];
    double m[4] = {};
    int t = threadIdx.x;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
        double v = in[i], power = v;
        for (int k = 0; k < 4; k++, power *= v) m[k] += power;
    }
    for (int k = 0; k < 4; k++) {
        for (int d = 16; d; d /= 2) m[k] += __shfl_xor_sync(~0u, m[k], d);
        if (t % 32 == 0) part[k][t / 32] = m[k];
    }
    __syncthreads();
    if (t >= 4) return;
    double sum = 0;
    for (int w = 0; w < 16; w++) sum += part[t][w];
    atomicAdd(&out[t], sum);
}

// How many different keys are there, about? Of all hashes that begin alike, the longest row of zeros that follows.
extern "C" __global__ void distinct_keys(const unsigned *keys, int *longest, int n)
{
    __shared__ int own[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) own[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned h = keys[i];
        h = (h ^ h >> 16) * 0x85ebca6bu;
        h = (h ^ h >> 13) * 0xc2b2ae35u;
        h ^= h >> 16;
        atomicMax(&own[h >> 22], __clz(h << 10 | 512) + 1);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) atomicMax(&longest[k], own[k]);
}

// A cloud of points seen from in front of it: of those at the same pixel the nearest stays.
extern "C" __global__ void depth_points(const float4 *point, unsigned long long *nearest, int size, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 p = point[i];
    float scale = size / (0.5f + p.z);
    int x = (int)floorf((p.x - 0.5f) * scale) + size / 2, y = (int)floorf((p.y - 0.5f) * scale) + size / 2;
    if (x < 0 || y < 0 || x >= size || y >= size) return;
    atomicMax(&nearest[y * size + x], (unsigned long long)__float_as_uint(1 - p.z) << 32 | (unsigned)i);
}

// Each warp sorts 32 numbers, which lanes hand to each other.
extern "C" __global__ void sort_warps(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, v = in[i];
    for (int size = 2; size <= 32; size *= 2)
        for (int d = size / 2; d; d /= 2) {
            int other = __shfl_xor_sync(~0u, v, d);
            bool is_low = !(lane & d), rises = !(lane & size);
            v = is_low == rises ? min(v, other) : max(v, other);
        }
    out[i] = v;
}

// How many letters must be changed, put in or left out to make one word of another: 64 rows of the
// table lie in a word of bits.
extern "C" __global__ void edit_distance(const unsigned char *word, const unsigned char *text, int *out, int length,
                                         int n)
{
    unsigned long long where[4] = {0, 0, 0, 0}, more = ~0ull, less = 0;
    int i = blockIdx.x * blockDim.x + threadIdx.x, distance = 64;
    if (i >= n) return;
    for (int k = 0; k < 64; k++) where[word[k * n + i] & 3] |= 1ull << k;
    for (int k = 0; k < length; k++) {
        unsigned long long same = where[text[k * n + i] & 3], slant = (((same & more) + more) ^ more) | same | less;
        unsigned long long up = less | ~(slant | more), down = more & slant;
        distance += (int)(up >> 63) - (int)(down >> 63);
        up = up << 1 | 1;
        down <<= 1;
        more = down | ~(slant | up);
        less = up & slant;
    }
    out[i] = distance;
}

// How strong a tone is in a signal: a thread a tone, all of them go through the signal together.
extern "C" __global__ void goertzel(const float *signal, float *power, int samples)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float c = 2 * cosf(6.2831853f * i / samples), last = 0, before = 0;
    for (int k = 0; k < samples; k++) {
        float now = signal[k] + c * last - before;
        before = last;
        last = now;
    }
    power[i] = last * last + before * before - c * last * before;
}

// In how many ways can n queens stand on a board? A thread has the first four rows given and tries
// all the others, on a stack of its own.
extern "C" __global__ void queens(int *count, int n)
{
    unsigned open[16], columns[16], left[16], right[16], all = (1u << n) - 1, c = 0, l = 0, r = 0;
    int id = blockIdx.x * blockDim.x + threadIdx.x, depth = 0, found = 0;
    for (int row = 0; row < 4; row++, id /= n) {
        unsigned q = 1u << id % n;
        if (q & (c | l | r)) return;
        c |= q, l = (l | q) << 1, r = (r | q) >> 1;
    }
    if (id) return;
    columns[0] = c, left[0] = l, right[0] = r, open[0] = all & ~(c | l | r);
    while (depth >= 0) {
        unsigned free = open[depth], q = free & (0 - free);
        if (!free) {
            depth--;
            continue;
        }
        open[depth] = free ^ q;
        c = columns[depth] | q;
        if (c == all) {
            found++;
            continue;
        }
        l = (left[depth] | q) << 1, r = (right[depth] | q) >> 1;
        depth++;
        columns[depth] = c, left[depth] = l, right[depth] = r, open[depth] = all & ~(c | l | r);
    }
    if (found) atomicAdd(count, found);
}
