// blind11.cu: kernels of the kinds that learners and people of many trades write, about other
// things than those of the files before. Written, and simulated (blind11.predicted), before any of
// them had run on a card, by someone who had not seen the code of the clock.
#include <cuda_fp16.h>

__device__ unsigned scattered(unsigned x)
{
    x ^= x >> 15;
    x *= 0x2c1b3c6du;
    x ^= x >> 12;
    x *= 0x297a2d39u;
    return x ^ x >> 15;
}

// The old cipher RC4: a thread has a key of 16 bytes and its own 256 bytes, which it stirs, and
// writes what the cipher gives, four bytes at a time.
extern "C" __global__ void rc4_streams(const unsigned *__restrict__ keys, unsigned *__restrict__ stream, int words,
                                       int n)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;
    unsigned char s[256];
    for (int i = 0; i < 256; i++) s[i] = i;
    unsigned j = 0, word = 0;
    for (int i = 0; i < 256; i++) {
        if (i % 4 == 0) word = keys[id * 4 + i / 4 % 4];
        unsigned char own = s[i];
        j = (j + own + (word >> i % 4 * 8)) & 255;
        s[i] = s[j];
        s[j] = own;
    }
    unsigned a = 0, b = 0;
    for (int w = 0; w < words; w++) {
        unsigned out = 0;
        for (int k = 0; k < 4; k++) {
            a = (a + 1) & 255;
            unsigned char x = s[a];
            b = (b + x) & 255;
            unsigned char y = s[b];
            s[a] = y;
            s[b] = x;
            out |= (unsigned)s[(x + y) & 255] << k * 8;
        }
        stream[w * n + id] = out;
    }
}

// The permanent of matrices of 12 x 12 doubles by Ryser's sum over sets of columns: a warp a
// matrix, a lane has 128 sets, each differing by one column from the last.
extern "C" __global__ void permanents(const double *__restrict__ matrix, double *__restrict__ permanent)
{
    __shared__ double column[4][12][12];
    int w = threadIdx.y, lane = threadIdx.x, which = blockIdx.x * 4 + w;
    for (int k = lane; k < 144; k += 32) column[w][k % 12][k / 12] = matrix[which * 144 + k];
    __syncwarp();
    unsigned first = lane * 128, set = first ^ first >> 1;
    double sum[12], total = 0;
#pragma unroll
    for (int r = 0; r < 12; r++) sum[r] = 0;
    for (int c = 0; c < 12; c++)
        if (set >> c & 1)
#pragma unroll
            for (int r = 0; r < 12; r++) sum[r] += column[w][c][r];
    for (int k = 1; k <= 128; k++) {
        double product = sum[0];
#pragma unroll
        for (int r = 1; r < 12; r++) product *= sum[r];
        total += __popc(set) & 1 ? -product : product;
        int c = __ffs(k) - 1;
        if (k == 128) break;
        set ^= 1u << c;
        double sign = set >> c & 1 ? 1 : -1;
#pragma unroll
        for (int r = 0; r < 12; r++) sum[r] += sign * column[w][c][r];
    }
    for (int d = 16; d; d /= 2) total += __shfl_down_sync(~0u, total, d);
    if (lane == 0) permanent[which] = total;
}

// Ropes that hang from one end, a block a rope, a thread a knot: all knots fall, then neighbours
// are pulled to their distance, even pairs and odd ones in turn.
extern "C" __global__ void ropes(const float2 *__restrict__ start, float2 *__restrict__ end, float apart, int steps,
                                 int pulls)
{
    __shared__ float2 knot[128];
    int i = threadIdx.x;
    float2 old = start[blockIdx.x * 128 + i];
    old.x += i * apart;
    knot[i] = old;
    __syncthreads();
    for (int step = 0; step < steps; step++) {
        float2 now = knot[i], next = now;
        if (i > 0) {
            next.x += 0.995f * (now.x - old.x);
            next.y += 0.995f * (now.y - old.y) - 0.002f;
            if (next.y < -20) next.y = -20;
        }
        old = now;
        knot[i] = next;
        __syncthreads();
        for (int pull = 0; pull < 2 * pulls; pull++) {
            if ((i & 1) == (pull & 1) && i < 127) {
                float2 p = knot[i], q = knot[i + 1];
                float dx = q.x - p.x, dy = q.y - p.y, length = sqrtf(dx * dx + dy * dy) + 1e-6f;
                float part = (length - apart) / length, own = i == 0 ? 0.f : 0.5f, other = i == 0 ? 1.f : 0.5f;
                knot[i] = make_float2(p.x + own * part * dx, p.y + own * part * dy);
                knot[i + 1] = make_float2(q.x - other * part * dx, q.y - other * part * dy);
            }
            __syncthreads();
        }
    }
    end[blockIdx.x * 128 + i] = knot[i];
}

// How fast do the two angles of a double pendulum, and their speeds, change? Equal rods, equal weights.
__device__ void swing(double a, double b, double va, double vb, double &fa, double &fb)
{
    double s, c;
    sincos(a - b, &s, &c);
    double below = 3 - cos(2 * a - 2 * b);
    fa = (-3 * 9.81 * sin(a) - 9.81 * sin(a - 2 * b) - 2 * s * (vb * vb + va * va * c)) / below;
    fb = 2 * s * (2 * va * va + 2 * 9.81 * cos(a) + vb * vb * c) / below;
}

// Double pendulums that begin at different angles, followed in doubles by the method of Runge and Kutta.
extern "C" __global__ void double_pendulums(double *__restrict__ angle, int across, double dt, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double a = -3 + 6.0 * (i % across) / across, b = -3 + 6.0 * (i / across) / across, u = 0, v = 0;
    for (int k = 0; k < steps; k++) {
        double f1, g1, f2, g2, f3, g3, f4, g4, half = dt / 2;
        swing(a, b, u, v, f1, g1);
        double u2 = u + half * f1, v2 = v + half * g1;
        swing(a + half * u, b + half * v, u2, v2, f2, g2);
        double u3 = u + half * f2, v3 = v + half * g2;
        swing(a + half * u2, b + half * v2, u3, v3, f3, g3);
        double u4 = u + dt * f3, v4 = v + dt * g3;
        swing(a + dt * u3, b + dt * v3, u4, v4, f4, g4);
        a += dt / 6 * (u + 2 * u2 + 2 * u3 + u4);
        b += dt / 6 * (v + 2 * v2 + 2 * v3 + v4);
        u += dt / 6 * (f1 + 2 * f2 + 2 * f3 + f4);
        v += dt / 6 * (g1 + 2 * g2 + 2 * g3 + g4);
    }
    angle[2 * i] = a;
    angle[2 * i + 1] = b;
}

// Mean and spread of each channel over many pictures, as layers of networks want them: a large
// block a channel, whose numbers lie in as many pieces as there are pictures.
extern "C" __global__ void batch_statistics(const float *__restrict__ x, float *__restrict__ mean,
                                            float *__restrict__ spread, int pictures, int points)
{
    __shared__ float sums[32], squares[32];
    int channel = blockIdx.x, channels = gridDim.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float sum = 0, square = 0;
    for (int k = threadIdx.x; k < pictures * points; k += blockDim.x) {
        int picture = k / points, at = k % points;
        float v = x[(picture * channels + channel) * points + at];
        sum += v;
        square += v * v;
    }
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_down_sync(~0u, sum, d);
        square += __shfl_down_sync(~0u, square, d);
    }
    if (lane == 0) sums[warp] = sum, squares[warp] = square;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < blockDim.x / 32; k++) sum += sums[k], square += squares[k];
        float m = sum / (pictures * points);
        mean[channel] = m;
        spread[channel] = rsqrtf(square / (pictures * points) - m * m + 1e-5f);
    }
}

// Other hues for a picture: three bytes a point to hue, strength and light, a turn of the hue, and back.
extern "C" __global__ void turn_hues(const unsigned char *__restrict__ in, unsigned char *__restrict__ out, float turn,
                                     int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float r = in[3 * i] / 255.0f, g = in[3 * i + 1] / 255.0f, b = in[3 * i + 2] / 255.0f;
    float high = fmaxf(r, fmaxf(g, b)), low = fminf(r, fminf(g, b)), range = high - low, hue = 0;
    if (range > 0) {
        if (high == r)
            hue = (g - b) / range;
        else if (high == g)
            hue = 2 + (b - r) / range;
        else
            hue = 4 + (r - g) / range;
    }
    hue += turn;
    if (hue < 0) hue += 6;
    if (hue >= 6) hue -= 6;
    int part = min((int)hue, 5);
    float f = hue - part, down = high - range * f, up = low + range * f;
    switch (part) {
    case 0: r = high, g = up, b = low; break;
    case 1: r = down, g = high, b = low; break;
    case 2: r = low, g = high, b = up; break;
    case 3: r = low, g = down, b = high; break;
    case 4: r = up, g = low, b = high; break;
    default: r = high, g = low, b = down; break;
    }
    out[3 * i] = (unsigned char)(r * 255 + 0.5f);
    out[3 * i + 1] = (unsigned char)(g * 255 + 0.5f);
    out[3 * i + 2] = (unsigned char)(b * 255 + 0.5f);
}

__constant__ char sound[27] = "01230120022455012623010202";

// Names that sound alike get the same code, one letter and three digits (Soundex): a name has up to
// 16 letters from 1 to 26, and ends early with a 0.
extern "C" __global__ void soundex_codes(const unsigned char *__restrict__ names, unsigned *__restrict__ codes, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned char *name = names + 16 * i;
    unsigned first = name[0], code = 0;
    int filled = 0;
    if (first) {
        code = 'A' + first - 1;
        char last = sound[first - 1];
        for (int k = 1; k < 16 && filled < 3; k++) {
            unsigned letter = name[k];
            if (letter == 0) break;
            char s = sound[letter - 1];
            if (s != '0' && s != last) {
                filled++;
                code |= (unsigned)s << 8 * filled;
            }
            if (letter != 8 && letter != 23) last = s; // h and w part nothing
        }
        while (filled < 3) code |= (unsigned)'0' << 8 * ++filled;
    }
    codes[i] = code;
}

// One round of looking for shortest ways: a thread an edge, whose end may be reached sooner by way of its beginning.
extern "C" __global__ void relax_edges(const int *__restrict__ from, const int *__restrict__ to,
                                       const int *__restrict__ length, const int *__restrict__ before,
                                       int *__restrict__ after, int edges)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < edges) {
        int u = from[e], v = to[e];
        int way = before[u] + length[e];
        if (way < before[v]) atomicMin(&after[v], way);
    }
}

// What can be reached from where? Warshall's way with bits: a block a graph of 256 places, a thread
// a place, whose 256 bits lie in shared memory.
extern "C" __global__ void reach_bits(const unsigned *__restrict__ drawn, unsigned *__restrict__ reached)
{
    __shared__ unsigned row[256][9];
    int i = threadIdx.x;
    for (int k = i; k < 2048; k += 256) {
        unsigned v = drawn[blockIdx.x * 2048 + k];
        row[k / 8][k % 8] = v & 96 ? 0 : 1u << (v & 31);
    }
    __syncthreads();
    for (int k = 0; k < 256; k++) {
        if (i != k && row[i][k / 32] >> k % 32 & 1) {
#pragma unroll
            for (int w = 0; w < 8; w++) row[i][w] |= row[k][w];
        }
        __syncthreads();
    }
    for (int k = i; k < 2048; k += 256) reached[blockIdx.x * 2048 + k] = row[k / 8][k % 8];
}

// Which unrest of prices explains the price of an option? Newton's steps until they are small, for
// calls that cost a bit more than nothing.
extern "C" __global__ void implied_volatility(const float *__restrict__ strikes, const float *__restrict__ times,
                                              const float *__restrict__ extra, float *__restrict__ found, float rate,
                                              int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float strike = 0.8f + 0.4f * strikes[i], t = 0.1f + times[i], root = sqrtf(t);
    float later = strike * expf(-rate * t), price = fmaxf(1 - later, 0.0f) + 0.01f + 0.2f * extra[i];
    float low = 0.001f, high = 4, s = 0.3f;
    for (int k = 0; k < 40; k++) {
        float d = (logf(1 / strike) + (rate + 0.5f * s * s) * t) / (s * root);
        float worth = 0.5f * erfcf(-d * 0.70710678f) - later * 0.5f * erfcf(-(d - s * root) * 0.70710678f);
        float off = worth - price;
        if (fabsf(off) < 1e-5f) break;
        if (off > 0)
            high = s;
        else
            low = s;
        float slope = root * 0.39894228f * expf(-0.5f * d * d);
        s -= off / fmaxf(slope, 1e-6f);
        if (s <= low || s >= high) s = 0.5f * (low + high);
    }
    found[i] = s;
}

// What would rules for buying have won? A rule a thread: buy when the mean of few days goes above
// that of many, sell when it goes below.
extern "C" __global__ void backtest_rules(const float *__restrict__ price, float *__restrict__ won,
                                          int *__restrict__ trades, int days)
{
    int rule = blockIdx.x * blockDim.x + threadIdx.x;
    int few = 2 + rule % 64, many = few + 4 + rule / 64 % 256, begin = 400;
    float near = 0, far = 0, money = 100, shares = 0;
    int deals = 0;
    for (int t = begin - few; t < begin; t++) near += price[t];
    for (int t = begin - many; t < begin; t++) far += price[t];
    for (int t = begin; t < days; t++) {
        float p = price[t];
        near += p - price[t - few];
        far += p - price[t - many];
        bool up = near * many > far * few;
        if (up && shares == 0) {
            shares = money * 0.999f / (p + 10);
            money = 0;
            deals++;
        } else if (!up && shares > 0) {
            money = shares * 0.999f * (p + 10);
            shares = 0;
            deals++;
        }
    }
    won[rule] = money + shares * (price[days - 1] + 10);
    trades[rule] = deals;
}

// Four fields of four bits are pushed to the low end; two alike that meet become one that is higher by one.
__device__ unsigned pushed(unsigned line)
{
    unsigned out = 0, last = 0;
    int at = 0;
    for (int k = 0; k < 4; k++) {
        unsigned v = line >> 4 * k & 15;
        if (v == 0) continue;
        if (v == last) {
            out += 1u << 4 * (at - 1);
            last = 0;
        } else {
            out |= v << 4 * at++;
            last = v;
        }
    }
    return out;
}

// The game 2048 played by chance, a game a thread: a board is 64 bits, four for each field.
extern "C" __global__ void play_2048(unsigned long long *__restrict__ boards, unsigned char *__restrict__ lengths,
                                     int moves)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long board = 0x1000000100ull;
    unsigned chance = scattered(i + 1);
    int made = 0, stuck = 0;
    while (made < moves && stuck < 8) {
        chance = chance * 1664525u + 1013904223u;
        unsigned way = chance >> 30;
        int step = way & 1 ? 16 : 4, next = way & 1 ? 4 : 16;
        unsigned long long after = 0;
        for (int k = 0; k < 4; k++) {
            unsigned line = 0;
            for (int f = 0; f < 4; f++)
                line |= (unsigned)(board >> (k * next + (way & 2 ? 3 - f : f) * step) & 15) << 4 * f;
            line = pushed(line);
            for (int f = 0; f < 4; f++)
                after |= (unsigned long long)(line >> 4 * f & 15) << (k * next + (way & 2 ? 3 - f : f) * step);
        }
        if (after == board) {
            stuck++;
            continue;
        }
        stuck = 0;
        made++;
        int empty = 0;
        for (int f = 0; f < 16; f++) empty += (after >> 4 * f & 15) == 0;
        int chosen = (chance >> 8 & 0xffff) * empty >> 16, at = 0;
        for (; at < 15; at++)
            if ((after >> 4 * at & 15) == 0 && chosen-- == 0) break;
        board = after | (chance >> 4 & 15 ? 1ull : 2ull) << 4 * at;
    }
    boards[i] = board;
    lengths[i] = made;
}

// What does a guard see of the 64 x 64 fields around him? A straight line to each field, step by
// step, until a wall; the map is closed like a ring both ways.
extern "C" __global__ void lines_of_sight(const unsigned char *__restrict__ map, unsigned char *__restrict__ seen,
                                          int size)
{
    unsigned where = scattered(blockIdx.y + 1);
    int gx = where & 0xff, gy = where >> 16 & 0xff, field = blockIdx.x * blockDim.x + threadIdx.x;
    int dx = field % 64 - 32, dy = field / 64 - 32, ax = abs(dx), ay = abs(dy), sx = dx < 0 ? -1 : 1,
        sy = dy < 0 ? -1 : 1;
    int x = 0, y = 0, error = ax - ay;
    bool clear = true;
    while (x != dx || y != dy) {
        int twice = 2 * error;
        if (twice > -ay) {
            error -= ay;
            x += sx;
        }
        if (twice < ax) {
            error += ax;
            y += sy;
        }
        if (x == dx && y == dy) break;
        if (map[((gy + y) & (size - 1)) * size + ((gx + x) & (size - 1))] == 0) {
            clear = false;
            break;
        }
    }
    seen[blockIdx.y * 4096 + field] = clear;
}

// Cubic curves through clouds of points, a curve a thread, all in doubles: sums of powers, then
// four equations solved step by step.
extern "C" __global__ void least_squares(const float *__restrict__ xs, const float *__restrict__ ys,
                                         double *__restrict__ curve, int points, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double power[7] = {0}, right[4] = {0}, a[4][5];
    for (int k = 0; k < points; k++) {
        double x = 2.0 * xs[k * n + i] - 1, y = ys[k * n + i], p = 1;
#pragma unroll
        for (int j = 0; j < 7; j++) {
            power[j] += p;
            if (j < 4) right[j] += p * y;
            p *= x;
        }
    }
#pragma unroll
    for (int r = 0; r < 4; r++) {
#pragma unroll
        for (int c = 0; c < 4; c++) a[r][c] = power[r + c];
        a[r][4] = right[r];
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        double by = 1 / a[k][k];
#pragma unroll
        for (int c = k; c < 5; c++) a[k][c] *= by;
#pragma unroll
        for (int r = 0; r < 4; r++)
            if (r != k) {
                double f = a[r][k];
#pragma unroll
                for (int c = k; c < 5; c++) a[r][c] -= f * a[k][c];
            }
    }
    for (int r = 0; r < 4; r++) curve[r * n + i] = a[r][4];
}

// How often does each word of nine letters occur in a genome? A thread goes over 16 places, a
// letter is two bits, all counters lie in global memory.
extern "C" __global__ void kmer_counts(const unsigned char *__restrict__ letters, unsigned *__restrict__ count, int n)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * 16;
    unsigned code = 0;
    for (int k = 0; k < 24; k++) {
        int at = first + k;
        if (at >= n) break;
        code = (code << 2 | letters[at]) & 0x3ffff;
        if (k >= 8) atomicAdd(&count[code], 1);
    }
}

// Sound at another rate, as one writes it first: 16 neighbours, each with a sine by its angle and a smooth window.
extern "C" __global__ void resample_sinc(const float *__restrict__ in, float *__restrict__ out, double ratio,
                                         int samples, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double at = i * ratio;
    int left = (int)at;
    float sum = 0, weights = 0;
    for (int k = -7; k <= 8; k++) {
        float d = 3.14159265f * (float)(at - (left + k));
        float w = fabsf(d) < 1e-4f ? 1.0f : sinf(d) / d;
        w *= 0.5f + 0.5f * cosf(d / 8);
        int from = left + k;
        if (from >= 0 && from < samples) sum += w * in[from];
        weights += w;
    }
    out[i] = sum / weights;
}

// Numbers of 256 bits by the prime 2^255 - 19, as for signatures on curves: squared again and
// again, and each time multiplied by what they began with.
extern "C" __global__ void field_powers(const unsigned long long *__restrict__ in, unsigned long long *__restrict__ out,
                                        int steps, int n)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;
    unsigned long long base[4], x[4], y[4];
    for (int k = 0; k < 4; k++) x[k] = base[k] = in[k * n + id];
    for (int step = 0; step < 2 * steps; step++) {
        unsigned long long r[8] = {0}, carry = 0;
#pragma unroll
        for (int k = 0; k < 4; k++) y[k] = step & 1 ? base[k] : x[k];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            carry = 0;
#pragma unroll
            for (int j = 0; j < 4; j++) {
                unsigned __int128 t = (unsigned __int128)x[i] * y[j] + r[i + j] + carry;
                r[i + j] = (unsigned long long)t;
                carry = (unsigned long long)(t >> 64);
            }
            r[i + 4] = carry;
        }
        carry = 0;
#pragma unroll
        for (int k = 0; k < 4; k++) { // 2^256 leaves 38
            unsigned __int128 t = (unsigned __int128)r[k + 4] * 38 + r[k] + carry;
            x[k] = (unsigned long long)t;
            carry = (unsigned long long)(t >> 64);
        }
        carry *= 38;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            x[k] += carry;
            carry = x[k] < carry;
        }
        x[0] += 38 * carry;
    }
    for (int k = 0; k < 4; k++) out[k * n + id] = x[k];
}

// How much rain fell on each cell? Drops are almost in the order of the cells, so a warp adds up
// those that lie side by side first.
extern "C" __global__ void rain_on_cells(const unsigned char *__restrict__ shift, const float *__restrict__ drop,
                                         float *__restrict__ cell, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int key = i < n ? (i + shift[i]) / 8 : -1;
    float sum = i < n ? drop[i] : 0;
    int before = __shfl_up_sync(~0u, key, 1);
    unsigned heads = __ballot_sync(~0u, lane == 0 || key != before);
    int head = 31 - __clz(heads & (~0u >> (31 - lane)));
    for (int d = 1; d < 32; d *= 2) {
        float v = __shfl_up_sync(~0u, sum, d);
        if (lane - d >= head) sum += v;
    }
    bool last = lane == 31 || heads >> (lane + 1) & 1;
    if (last && key >= 0) atomicAdd(&cell[key], sum);
}

// Mean and spread of each row of a table as a beginner writes it: a thread a row, twice through it.
extern "C" __global__ void row_means(const float *table, float *means, float *spreads, int rows, int columns)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        float sum = 0;
        for (int c = 0; c < columns; c++) sum += table[r * columns + c];
        float mean = sum / columns;
        float squares = 0;
        for (int c = 0; c < columns; c++) {
            float off = table[r * columns + c] - mean;
            squares += off * off;
        }
        means[r] = mean;
        spreads[r] = sqrtf(squares / (columns - 1));
    }
}

// Part of the numbers of a layer, in halves, is left out by chance, the others grow for that, and
// what went in before is added: eight a thread.
extern "C" __global__ void dropout_half(const uint4 *__restrict__ x, const uint4 *__restrict__ before,
                                        uint4 *__restrict__ out, unsigned seed, unsigned dropped, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint4 a = x[i], b = before[i], c;
    const __half2 *p = (const __half2 *)&a, *q = (const __half2 *)&b;
    __half2 *r = (__half2 *)&c;
    float grow = 65536.0f / (65536 - dropped);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        unsigned drawn = scattered(4 * i + k + seed);
        float low = (drawn & 0xffff) < dropped ? 0 : grow, high = drawn >> 16 < dropped ? 0 : grow;
        r[k] = __hfma2(p[k], __floats2half2_rn(low, high), q[k]);
    }
    out[i] = c;
}
