// blind12.cu: kernels of the kinds that learners and people of many trades write, about other
// things than those of the files before. Written, and simulated (blind12.predicted), before any of
// them had run on a card, by someone who had not seen the code of the clock.

// How likely the four letters of DNA are at a place of an ancestor, from those of its two children:
// a thread a place, scaled up when they become small.
extern "C" __global__ void ancestors(const float4 *__restrict__ left, const float4 *__restrict__ right,
                                     const float *__restrict__ change, float4 *__restrict__ parent,
                                     int *__restrict__ scaled, float small, int n)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;
    float4 l = left[id], r = right[id];
    float p[4], most = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const float *a = change + k * 4, *b = change + 16 + k * 4;
        float fromleft = a[0] * l.x + a[1] * l.y + a[2] * l.z + a[3] * l.w;
        float fromright = b[0] * r.x + b[1] * r.y + b[2] * r.z + b[3] * r.w;
        p[k] = fromleft * fromright;
        most = fmaxf(most, p[k]);
    }
    int times = 0;
    while (most < small && times < 20) {
        for (int k = 0; k < 4; k++) p[k] *= 4;
        most *= 4;
        times++;
    }
    parent[id] = make_float4(p[0], p[1], p[2], p[3]);
    if (times) scaled[id] += times;
}

// A matrix that has only a few diagonals, kept one after another, times a vector.
extern "C" __global__ void diagonal_bands(const float *__restrict__ band, const float *__restrict__ x,
                                          float *__restrict__ y, int bands, int apart, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    float sum = 0;
    for (int d = 0; d < bands; d++) {
        int column = row + (d - bands / 2) * apart;
        if (column >= 0 && column < n) sum += band[(size_t)d * n + row] * x[column];
    }
    y[row] = sum;
}

// Unpacks a column of a database that was stored as a first value and differences of one byte: a
// warp has 1024 values, 128 at a time.
extern "C" __global__ void decode_deltas(const uchar4 *__restrict__ delta, const int *__restrict__ first,
                                         int4 *__restrict__ value)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    int before = first[warp];
    for (int k = 0; k < 8; k++) {
        int at = warp * 256 + k * 32 + lane;
        uchar4 d = delta[at];
        int a = d.x - 128, b = a + d.y - 128, c = b + d.z - 128, e = c + d.w - 128;
        int sum = e;
        for (int step = 1; step < 32; step *= 2) {
            int other = __shfl_up_sync(0xffffffff, sum, step);
            if (lane >= step) sum += other;
        }
        int base = before + sum - e;
        value[at] = make_int4(base + a, base + b, base + c, base + e);
        before += __shfl_sync(0xffffffff, sum, 31);
    }
}

// Counts keys roughly, in four rows of counters that each have another hash.
extern "C" __global__ void rough_counts(const unsigned *__restrict__ key, unsigned *__restrict__ counter, int bits,
                                        int n)
{
    const unsigned odd[4] = {0x9e3779b1u, 0x85ebca77u, 0xc2b2ae3du, 0x27d4eb2fu};
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned k = key[i];
        k ^= k >> 13;
#pragma unroll
        for (int row = 0; row < 4; row++) atomicAdd(&counter[(row << bits) + (k * odd[row] >> (32 - bits))], 1u);
    }
}

// How dense sightings of animals lie at places of a map: a bell around each sighting, those of 256
// sightings at a time read through shared memory.
extern "C" __global__ void sightings(const float2 *__restrict__ seen, const float2 *__restrict__ place,
                                     float *__restrict__ density, float narrow, int many)
{
    __shared__ float2 some[256];
    int id = blockIdx.x * 256 + threadIdx.x;
    float2 own = place[id];
    float sum = 0;
    for (int from = 0; from < many; from += 256) {
        some[threadIdx.x] = seen[from + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 256; k++) {
            float dx = some[k].x - own.x, dy = some[k].y - own.y;
            sum += __expf(-narrow * (dx * dx + dy * dy));
        }
        __syncthreads();
    }
    density[id] = sum * narrow / (3.14159265f * many);
}

// The exponential of matrices of 4 x 4 doubles: halved until small, ten terms of the series, then
// squared as often. A thread a matrix, element by element apart.
__device__ __forceinline__ void times_4x4(double *to, const double *a, const double *b, double by)
{
#pragma unroll
    for (int k = 0; k < 16; k++) {
        double sum = 0;
#pragma unroll
        for (int m = 0; m < 4; m++) sum += a[k / 4 * 4 + m] * b[m * 4 + k % 4];
        to[k] = sum * by;
    }
}
extern "C" __global__ void exponentials(const double *__restrict__ matrix, const double *__restrict__ time,
                                        double *__restrict__ result, int n)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;
    double a[16], e[16], next[16], norm = 0, t = 6 * time[id];
#pragma unroll
    for (int k = 0; k < 16; k++) {
        a[k] = (matrix[k * n + id] - 0.5) * t;
        norm = fmax(norm, fabs(a[k]));
    }
    int halvings = 0;
    double scale = 1;
    for (; norm * scale > 0.125; halvings++) scale *= 0.5;
#pragma unroll
    for (int k = 0; k < 16; k++) {
        a[k] *= scale;
        e[k] = k % 5 == 0;
    }
    for (int term = 10; term > 0; term--) {
        times_4x4(next, a, e, 1.0 / term);
#pragma unroll
        for (int k = 0; k < 16; k++) e[k] = next[k] + (k % 5 == 0);
    }
    for (; halvings > 0; halvings--) {
        times_4x4(next, e, e, 1);
#pragma unroll
        for (int k = 0; k < 16; k++) e[k] = next[k];
    }
#pragma unroll
    for (int k = 0; k < 16; k++) result[k * n + id] = e[k];
}

// After how many terms the continued fraction of a square root repeats, for numbers from a first one.
extern "C" __global__ void root_periods(int *__restrict__ period, int from, int n)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;
    int number = from + id, root = (int)sqrt((double)number), length = 0;
    if (root * root != number) {
        int m = 0, d = 1, a = root;
        do {
            m = d * a - m;
            d = (number - m * m) / d;
            a = (root + m) / d;
            length++;
        } while (a != 2 * root);
    }
    period[id] = length;
}

// A knight goes over a chess board, always to the field that has the fewest ways on, lots deciding
// between equals: how many fields it sees before it is stuck.
extern "C" __global__ void knights(const unsigned *__restrict__ seed, int *__restrict__ seen)
{
    __shared__ unsigned long long reach[64];
    if (threadIdx.x < 64) {
        int x = threadIdx.x % 8, y = threadIdx.x / 8;
        unsigned long long set = 0;
        for (int to = 0; to < 64; to++)
            if (abs(to % 8 - x) * abs(to / 8 - y) == 2) set |= 1ull << to;
        reach[threadIdx.x] = set;
    }
    __syncthreads();
    int id = blockIdx.x * blockDim.x + threadIdx.x, at = id % 64, count = 0;
    unsigned lot = seed[id];
    unsigned long long left = ~0ull;
    while (at >= 0) {
        count++;
        left &= ~(1ull << at);
        unsigned best = ~0u;
        int next = -1;
        for (unsigned long long ways = reach[at] & left; ways; ways &= ways - 1) {
            int to = __ffsll(ways) - 1;
            lot = lot * 1664525u + 1013904223u;
            unsigned rank = (__popcll(reach[to] & left) << 16) + (lot >> 16);
            if (rank < best) {
                best = rank;
                next = to;
            }
        }
        at = next;
    }
    seen[id] = count;
}

// Heaps of sand of 32 x 32 places: where four grains or more lie, one falls to each side, until all
// is still. A block a heap.
extern "C" __global__ void sandpiles(const unsigned char *__restrict__ grains, unsigned char *__restrict__ still,
                                     int *__restrict__ rounds)
{
    __shared__ int pile[34][34];
    int x = threadIdx.x, y = threadIdx.y, steps = 0;
    for (int k = y * 32 + x; k < 34 * 34; k += 256) pile[k / 34][k % 34] = 0;
    __syncthreads();
    for (int k = 0; k < 4; k++) pile[y + k * 8 + 1][x + 1] = grains[blockIdx.x * 1024 + (y + k * 8) * 32 + x];
    __syncthreads();
    for (;;) {
        int next[4], moved = 0;
        for (int k = 0; k < 4; k++) {
            int r = y + k * 8 + 1, c = x + 1, own = pile[r][c];
            moved |= own >= 4;
            next[k] = (own >= 4 ? own - 4 : own) + (pile[r - 1][c] >= 4) + (pile[r + 1][c] >= 4) +
                      (pile[r][c - 1] >= 4) + (pile[r][c + 1] >= 4);
        }
        if (!__syncthreads_or(moved)) break;
        for (int k = 0; k < 4; k++) pile[y + k * 8 + 1][x + 1] = next[k];
        steps++;
        __syncthreads();
    }
    for (int k = 0; k < 4; k++) still[blockIdx.x * 1024 + (y + k * 8) * 32 + x] = pile[y + k * 8 + 1][x + 1];
    if (x == 0 && y == 0) rounds[blockIdx.x] = steps;
}

// The middle value of groups of unlike sizes, the g-th of 8 g + 8 values: counts by one byte of the
// bits after another, a block a group.
extern "C" __global__ void group_middles(const unsigned *__restrict__ value, unsigned *__restrict__ middle)
{
    __shared__ int count[256];
    __shared__ unsigned prefix;
    __shared__ int wanted;
    int g = blockIdx.x, size = 8 * g + 8;
    const unsigned *own = value + (size_t)4 * g * (g + 1);
    if (threadIdx.x == 0) {
        prefix = 0;
        wanted = size / 2;
    }
    for (int shift = 24; shift >= 0; shift -= 8) {
        count[threadIdx.x] = 0;
        __syncthreads();
        unsigned high = shift == 24 ? 0 : prefix >> (shift + 8);
        for (int i = threadIdx.x; i < size; i += 256) {
            unsigned v = own[i];
            if (shift == 24 || v >> (shift + 8) == high) atomicAdd(&count[v >> shift & 255], 1);
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            int digit = 0, rest = wanted;
            while (rest >= count[digit]) rest -= count[digit++];
            prefix |= (unsigned)digit << shift;
            wanted = rest;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) middle[g] = prefix;
}

// One round of choosing people of whom no two know each other: someone free is chosen when no free
// acquaintance has a greater number.
extern "C" __global__ void no_two_friends(const int *__restrict__ knows, const unsigned *__restrict__ number,
                                          const unsigned char *__restrict__ taken, unsigned char *__restrict__ chosen,
                                          int friends, int n)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;
    unsigned char result = 0;
    if (taken[id] == 0) {
        unsigned own = number[id];
        int k = 0;
        for (; k < friends; k++) {
            int other = knows[(size_t)id * friends + k];
            unsigned theirs = number[other];
            if ((theirs > own || (theirs == own && other > id)) && taken[other] == 0) break;
        }
        result = k == friends;
    }
    chosen[id] = result;
}

// Takes the echo off telephone lines: a filter of 128 weights that learns from each sample what the
// far end gives back. A warp a line, four weights a lane.
extern "C" __global__ void echoes(const float *__restrict__ far, const float *__restrict__ near,
                                  float *__restrict__ clean, float rate, int samples)
{
    int line = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    const float *sent = far + line * (samples + 127) + 127;
    float weight[4] = {0, 0, 0, 0};
    for (int t = 0; t < samples; t++) {
        float heard[4], guess = 0;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            heard[k] = sent[t - lane - 32 * k];
            guess += weight[k] * heard[k];
        }
        for (int step = 16; step > 0; step /= 2) guess += __shfl_xor_sync(0xffffffff, guess, step);
        float error = near[line * samples + t] - guess;
#pragma unroll
        for (int k = 0; k < 4; k++) weight[k] += rate * error * heard[k];
        if (lane == 0) clean[line * samples + t] = error;
    }
}

// Smooths a picture but keeps its edges: what flows between two pixels is less the more they
// differ. A tile with its margin in shared memory.
extern "C" __global__ void keep_edges(const float *__restrict__ in, float *__restrict__ out, float edge, float rate,
                                      int width, int height)
{
    __shared__ float tile[18][34];
    int left = blockIdx.x * 32 - 1, top = blockIdx.y * 16 - 1;
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 18 * 34; k += 512) {
        int x = min(max(left + k % 34, 0), width - 1), y = min(max(top + k / 34, 0), height - 1);
        tile[k / 34][k % 34] = in[y * width + x];
    }
    __syncthreads();
    int x = left + 1 + threadIdx.x, y = top + 1 + threadIdx.y, c = threadIdx.x + 1, r = threadIdx.y + 1;
    if (x >= width || y >= height) return;
    float own = tile[r][c], flow = 0;
    float d[4] = {tile[r - 1][c] - own, tile[r + 1][c] - own, tile[r][c - 1] - own, tile[r][c + 1] - own};
#pragma unroll
    for (int k = 0; k < 4; k++) {
        float q = d[k] / edge;
        flow += d[k] / (1 + q * q);
    }
    out[y * width + x] = own + rate * flow;
}

// Loans that are paid back month by month, to the cent, with something more each year while much is
// owed: after how many months, and at what interest in all.
extern "C" __global__ void loans(const float *__restrict__ lent, const float *__restrict__ yearly,
                                 const float *__restrict__ share, int *__restrict__ months, float *__restrict__ paid,
                                 int longest, int n)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;
    float owed = floorf(1e6f + 2e7f * lent[id]), rate = (0.01f + 0.07f * yearly[id]) / 12, interest = 0;
    float payment = floorf(owed * (rate + 0.002f + 0.02f * share[id])), enough = owed * 0.5f;
    int month = 0;
    while (owed > 0 && month < longest) {
        float charge = rintf(owed * rate);
        interest += charge;
        owed += charge - payment;
        month++;
        if (month % 12 == 0 && owed > enough) owed -= payment;
    }
    months[id] = month;
    paid[id] = (interest + fminf(owed, 0)) / 100;
}

// Reads decimal numbers from lines of 16 characters, coded 0 to 9, 10 a point, 11 a minus sign, 12 and more the end.
extern "C" __global__ void read_decimals(const unsigned char *__restrict__ text, float *__restrict__ number, int lines)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= lines) return;
    const unsigned char *line = text + (size_t)id * 16;
    float whole = 0, unit = 1;
    bool minus = false, point = false;
    for (int k = 0; k < 16; k++) {
        int c = line[k];
        if (c < 10) {
            whole = whole * 10 + c;
            if (point) unit *= 10;
        } else if (c == 10 && !point) {
            point = true;
        } else if (c == 11 && k == 0) {
            minus = true;
        } else {
            break;
        }
    }
    number[id] = (minus ? -whole : whole) / unit;
}

// Points and lightness of curved patches with 16 corners each, as in drawings of a teapot: a block
// a patch, a thread a point of its net of 16 x 16.
extern "C" __global__ void curved_patches(const float *__restrict__ corner, float4 *__restrict__ point, float lx,
                                          float ly, float lz)
{
    __shared__ float c[48];
    int s = threadIdx.x, t = threadIdx.y, k = t * 16 + s;
    if (k < 48) c[k] = corner[blockIdx.x * 48 + k];
    __syncthreads();
    float u = s / 15.0f, v = t / 15.0f, a = 1 - u, b = 1 - v;
    float bu[4] = {a * a * a, 3 * a * a * u, 3 * a * u * u, u * u * u},
          bv[4] = {b * b * b, 3 * b * b * v, 3 * b * v * v, v * v * v};
    float du[4] = {-a * a, a * a - 2 * a * u, 2 * a * u - u * u, u * u},
          dv[4] = {-b * b, b * b - 2 * b * v, 2 * b * v - v * v, v * v};
    float p[3], along[3], across[3];
#pragma unroll
    for (int m = 0; m < 3; m++) {
        p[m] = along[m] = across[m] = 0;
#pragma unroll
        for (int q = 0; q < 16; q++) {
            float h = c[q * 3 + m];
            p[m] += bu[q % 4] * bv[q / 4] * h;
            along[m] += du[q % 4] * bv[q / 4] * h;
            across[m] += bu[q % 4] * dv[q / 4] * h;
        }
    }
    float nx = along[1] * across[2] - along[2] * across[1], ny = along[2] * across[0] - along[0] * across[2],
          nz = along[0] * across[1] - along[1] * across[0];
    float light = (nx * lx + ny * ly + nz * lz) * rsqrtf(nx * nx + ny * ny + nz * nz + 1e-12f);
    point[blockIdx.x * 256 + k] = make_float4(p[0], p[1], p[2], fmaxf(light, 0));
}
