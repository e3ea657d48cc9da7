/* judge.c: writes the inputs of the kernels in programs.cu and the results that they must leave,
 * computed on the host.
 *
 *     judge DIR     for each program writes DIR/NAME.args (words of `try`, one per line), the files
 *                   of its buffers, and DIR/NAME.K.want, the bytes that buffer K must hold at the
 *                   end
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *dir, *name;
static FILE *args;
static int buffers;

static uint32_t state = 1;
static int rnd(int below)
{
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (uint32_t)below);
}

static void put(const char *ending, int k, const void *data, size_t bytes)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s.%d.%s", dir, name, k, ending);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, bytes, f) != bytes || fclose(f)) exit(2);
}
static void begin(const char *kernel, const char *grid, const char *block, int shared)
{
    char path[400];
    name = kernel;
    buffers = 0;
    snprintf(path, sizeof path, "%s/%s.args", dir, kernel);
    if (!(args = fopen(path, "w"))) exit(2);
    fprintf(args, "--grid\n%s\n--block\n%s\n--shared\n%d\n", grid, block, shared);
}
static void in(const char *type, const void *data, size_t bytes) /* a buffer with data */
{
    put("in", buffers, data, bytes);
    fprintf(args, "--arg\n%s[]@%s/%s.%d.in\n", type, dir, name, buffers++);
}
static void room(const char *what) { fprintf(args, "--arg\n%s\n", what), buffers++; } /* a buffer in words of `try` */
static void scalar(const char *what) { fprintf(args, "--arg\n%s\n", what); }
static void want(int k, const void *data, size_t bytes) { put("want", k, data, bytes); }
static void end(void) { fclose(args); }

enum { N = 5000 };
static int a[N], b[N], c[N];
static float x[N], y[N], z[N];
static unsigned char u[N], v[N];

static void fill(int n, int below)
{
    for (int i = 0; i < n; i++) a[i] = rnd(below), x[i] = (float)a[i], u[i] = (unsigned char)a[i];
}
static int by_value(const void *p, const void *q) { return *(const int *)p - *(const int *)q; }
static int ackermann(int m, int n)
{
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static void sums(void)
{
    float sum = 0;
    begin("sum_last", "8", "256", 0), fill(3000, 10);
    for (int i = 0; i < 3000; i++) sum += x[i];
    in("f32", x, 12000), room("f32[8]"), room("f32[1]"), scalar("i32:3000"), want(2, &sum, 4), end();

    begin("scan", "1", "256", 2048), fill(512, 100);
    for (int i = 0; i < 512; i++) b[i] = i ? b[i - 1] + a[i - 1] : 0;
    in("i32", a, 2048), scalar("i32:512"), want(0, b, 2048), end();

    begin("histogram", "4", "128", 0), fill(N, 256);
    memset(b, 0, sizeof b);
    for (int i = 0; i < N; i++) b[u[i]]++;
    in("u8", u, N), room("u32[256]:zero"), scalar("i32:5000"), want(1, b, 1024), end();

    begin("warp_reduce", "2", "256", 0), fill(512, 100), b[0] = b[1] = 0;
    for (int i = 0; i < 512; i++) b[i / 256] += a[i];
    in("i32", a, 2048), room("i32[2]"), want(1, b, 8), end();

    begin("tiles", "1", "64", 0), fill(64, 100), memset(b, 0, 16);
    for (int i = 0; i < 64; i++) b[i / 16] += a[i];
    in("i32", a, 256), room("i32[4]"), want(1, b, 16), end();

    begin("chain", "10", "128", 0), fill(1280, 10);
    for (int i = 0; i < 1280; i++) b[i] = a[i] + (i ? b[i - 1] : 0);
    in("i32", a, 5120), room("i32[1280]"), room("i32[10]:zero"), room("i32[10]"), scalar("i32:1280"), want(1, b, 5120),
        end();

    float least = 1e9f;
    begin("minf", "4", "128", 0);
    for (int i = 0; i < 500; i++) x[i] = (float)rnd(1 << 20) / 64, least = x[i] < least ? x[i] : least;
    in("f32", x, 2000), room("f32[1]:=1e9"), scalar("i32:500"), want(1, &least, 4), end();

    int count = 0;
    begin("filter", "5", "128", 0), fill(600, 1000);
    for (int i = 0; i < 600; i++) count += a[i] % 3 == 0;
    in("i32", a, 2400), room("i32[600]:zero"), room("i32[1]:zero"), scalar("i32:600"), want(2, &count, 4), end();
}

static void arrays(void)
{
    enum { W = 70, H = 45 };
    begin("transpose<32,8>", "3,2", "32,8", 0);
    for (int i = 0; i < W * H; i++) x[i] = (float)i, y[i % W * H + i / W] = (float)i;
    in("f32", x, 4 * W * H), room("f32[3150]"), scalar("i32:70"), scalar("i32:45"), want(1, y, 4 * W * H), end();

    begin("bitonic", "2", "512", 2048), fill(1024, 2000);
    memcpy(b, a, 4096), qsort(b, 512, 4, by_value), qsort(b + 512, 512, 4, by_value);
    in("i32", a, 4096), want(0, b, 4096), end();

    begin("odd_even", "1", "128", 0), fill(200, 1000);
    memcpy(b, a, 800), qsort(b, 200, 4, by_value);
    in("i32", a, 800), scalar("i32:200"), want(0, b, 800), end();

    begin("stencil", "4", "256", 0), fill(1000, 50);
    for (int i = 0; i < 1000; i++) {
        b[i] = 0;
        for (int k = -3; k <= 3; k++) b[i] += i + k >= 0 && i + k < 1000 ? a[i + k] : 0;
    }
    in("i32", a, 4000), room("i32[1000]"), scalar("i32:1000"), want(1, b, 4000), end();

    static const float weight[] = {1, 2, 3, 2, 1};
    begin("conv", "4", "128", 0), fill(500, 10);
    for (int i = 0; i < 500; i++) {
        y[i] = 0;
        for (int k = 0; k < 5; k++) y[i] += i + k >= 2 && i + k < 502 ? weight[k] * x[i + k - 2] : 0;
    }
    in("f32", x, 2000), room("f32[500]"), scalar("i32:500"), want(1, y, 2000), end();

    enum { LW = 20, LH = 16 };
    begin("life", "3", "64", 0), fill(LW * LH, 2);
    in("u8", u, LW * LH);
    for (int step = 0; step < 4; step++, memcpy(u, v, LW * LH))
        for (int i = 0; i < LW * LH; i++) {
            int near = 0;
            for (int k = 0; k < 9; k++)
                near += k != 4 && u[(i / LW + k / 3 - 1 + LH) % LH * LW + (i % LW + k % 3 - 1 + LW) % LW];
            v[i] = near == 3 || (near == 2 && u[i]);
        }
    room("u8[320]"), scalar("i32:20"), scalar("i32:16"), scalar("i32:4"), want(0, v, LW * LH), end();
}

static void matrices(void)
{
    enum { S = 64, ROWS = 40 };
    begin("matmul2", "4,4", "16,16", 0), fill(S * S, 10);
    for (int i = 0; i < S * S; i++) y[i] = (float)rnd(10);
    for (int r = 0; r < S; r++)
        for (int k = 0; k < S; k++) {
            z[r * S + k] = 0;
            for (int i = 0; i < S; i++) z[r * S + k] += x[r * S + i] * y[i * S + k];
        }
    in("f32", x, 4 * S * S), in("f32", y, 4 * S * S), room("f32[4096]"), scalar("i32:64"), want(2, z, 4 * S * S), end();

    begin("spmv", "10", "128", 0);
    int used = 0;
    a[0] = 0;
    for (int i = 0; i < 100; i++) y[i] = (float)rnd(10);
    for (int r = 0; r < ROWS; r++) {
        z[r] = 0;
        for (int n = rnd(70); n; n--, used++)
            b[used] = rnd(100), x[used] = (float)(1 + rnd(5)), z[r] += x[used] * y[b[used]];
        a[r + 1] = used;
    }
    in("i32", a, 4 * (ROWS + 1)), in("i32", b, 4 * (size_t)used), in("f32", x, 4 * (size_t)used), in("f32", y, 400),
        room("f32[40]");
    scalar("i32:40"), want(4, z, 4 * ROWS), end();
}

static void language(void)
{
    begin("structs", "1", "32", 0);
    for (int i = 0; i < 50; i++) y[i] = (float)i * 1.5f + (float)(i % 3 + 1) + 7;
    /* {50, 1.5f, {1, 2, 3}, 7}: as words */
    scalar("u32:50,0x3fc00000,0x3f800000,0x40000000,0x40400000,7"), room("f32[50]"), want(0, y, 200), end();

    begin("pointers", "1", "64", 0);
    for (int t = 0; t < 64; t++) b[t] = t % 3 == 0 ? t + 7 : t % 3 == 1 ? t * 7 : t - 7;
    room("i32[64]"), want(0, b, 256), end();

    begin("virtuals", "1", "64", 0);
    for (int t = 0; t < 64; t++) y[t] = (float)(t % 2 ? t * t : 2 * t);
    room("f32[64]"), want(0, y, 256), end();

    begin("recurse", "1", "64", 0);
    for (int t = 0; t < 64; t++) b[t] = ackermann(t % 3, t % 5);
    room("i32[64]"), want(0, b, 256), end();

    begin("locked", "3", "64", 0), c[0] = 3 * 3 * 64;
    room("i32[1]:zero"), room("i32[1]:zero"), scalar("i32:3"), want(1, c, 4), end();
}

int main(int argc, char **argv)
{
    if (argc != 2) return fprintf(stderr, "usage: judge DIR\n"), 2;
    dir = argv[1];
    sums(), arrays(), matrices(), language();
    return 0;
}
