/* texture_ops.c: textures and surfaces of one and two dimensions.
 *
 * `in` holds the texels and, from byte 2048 on, the coordinates of 32 threads (x, y); the handle is
 * at byte 3072. The references below follow the description of texture fetching in the CUDA
 * programming guide.
 */
#include "kernel.h"

enum { W = 8, H = 4 };
static float texels[H][W];
static uint8_t bytes4[H][W][4];
static float xs[32], ys[32];

static void prepare(bench *b, const sim_texture *t, const void *data, size_t size, uint64_t *handle, bool *made)
{
    sim_write(b->s, b->in, data, size, &b->e);
    sim_write(b->s, b->in + 2048, xs, sizeof xs, &b->e);
    sim_write(b->s, b->in + 2048 + 128, ys, sizeof ys, &b->e);
    *made = !sim_texture_make(b->s, t, handle, &b->e);
    if (!*made) printf("# %s\n", b->e.message);
    sim_write(b->s, b->in + 3072, handle, 8, &b->e);
}

static const char *const prologue =
    "ld.global.u64 %rd10, [%rd1+3072];\nmul.wide.u32 %rd8, %r1, 4;\nadd.u64 %rd11, %rd1, %rd8;\n"
    "mul.wide.u32 %rd12, %r1, 16;\nadd.u64 %rd12, %rd2, %rd12;\n"
    "ld.global.f32 %f1, [%rd11+2048];\nld.global.f32 %f2, [%rd11+2176];\n"
    "cvt.rzi.s32.f32 %r10, %f1;\ncvt.rzi.s32.f32 %r11, %f2;\n";

/* Runs `body`, which leaves four words per thread at [%rd12]; returns the launch's code. */
static int run_body(bench *b, const char *body, uint32_t got[32][4], sim_fault *fault, unsigned checks)
{
    static text t;
    static const uint32_t nothing[32][4];
    sim_result r = {0};
    start(&t, "", "");
    put(&t, "%s%s\nret;\n}\n", prologue, body);
    sim_module *m = load(b, &t);
    if (!m) return -1;
    sim_write(b->s, b->out, nothing, sizeof nothing, &b->e);
    int code = launch(b, m, UINT32_MAX, 32, checks, &r);
    if (fault && r.fault_count) *fault = r.faults[0];
    else if (r.fault_count) printf("# %s\n", r.faults[0].message);
    sim_read(b->s, b->out, got, sizeof nothing, &b->e);
    sim_result_free(&r);
    sim_unload(b->s, m);
    return code;
}

#define STORE   "st.global.v4.b32 [%rd12], {%r20, %r21, %r22, %r23};"
#define STORE_F "st.global.v4.f32 [%rd12], {%f4, %f5, %f6, %f7};"

/* ---- references ---- */
static int index_of(int i, int n, int rule)
{
    if (rule == SIM_OUTSIDE_CLAMP) return i < 0 ? 0 : i >= n ? n - 1 : i;
    if (rule == SIM_OUTSIDE_BORDER) return i < 0 || i >= n ? -1 : i;
    while (i < 0) i += 2 * n;
    if (rule == SIM_OUTSIDE_WRAP) return i % n;
    i %= 2 * n;
    return i < n ? i : 2 * n - 1 - i;
}
static float at(int i, int j, int rule)
{
    i = index_of(i, W, rule);
    j = index_of(j, H, rule);
    return i < 0 || j < 0 ? 0 : texels[j][i];
}
static float point(float x, float y, int rule) { return at((int)floorf(x), (int)floorf(y), rule); }
static float linear(float x, float y, int rule)
{
    float xb = x - 0.5f, yb = y - 0.5f, a = xb - floorf(xb), c = yb - floorf(yb);
    int i = (int)floorf(xb), j = (int)floorf(yb);
    a = roundf(a * 256) / 256;
    c = roundf(c * 256) / 256;
    return (1 - a) * (1 - c) * at(i, j, rule) + a * (1 - c) * at(i + 1, j, rule) + (1 - a) * c * at(i, j + 1, rule) +
           a * c * at(i + 1, j + 1, rule);
}

static void test_filters(bench *b)
{
    static const char *const rules[] = {"clamp", "wrap", "mirror", "border"};
    for (int filter = 0; filter < 2; filter++)
        for (int normalized = 0; normalized < 2; normalized++)
            for (int rule = 0; rule < 4; rule++) {
                sim_texture t = {.address = b->in,
                                 .width = W,
                                 .height = H,
                                 .texel = SIM_TEXEL_F32,
                                 .channels = 1,
                                 .outside = {rule, rule},
                                 .linear = filter,
                                 .normalized = normalized};
                uint64_t handle;
                bool good;
                uint32_t got[32][4];
                for (int l = 0; l < 32; l++) { /* eighths of a texel: exact with any scale */
                    xs[l] = (float)((int)(rnd() % 256) - 96) / 8 / (normalized ? W : 1);
                    ys[l] = (float)((int)(rnd() % 128) - 48) / 8 / (normalized ? H : 1);
                }
                prepare(b, &t, texels, sizeof texels, &handle, &good);
                good = good && !run_body(b, "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd10, {%f1, %f2}];\n" STORE_F,
                                         got, NULL, SIM_CHECK_ALL);
                int real = !normalized && (rule == 1 || rule == 2) ? SIM_OUTSIDE_CLAMP : rule;
                for (int l = 0; good && l < 32; l++) {
                    float x = normalized ? xs[l] * W : xs[l], y = normalized ? ys[l] * H : ys[l], v;
                    float want = filter ? linear(x, y, real) : point(x, y, real);
                    memcpy(&v, &got[l][0], 4);
                    if (fabsf(v - want) > 1e-5f * 40) {
                        printf("# (%g, %g): %g, not %g\n", x, y, v, want);
                        good = false;
                    }
                }
                check_that(good, "tex.2d %s, %s, %s coordinates", filter ? "linear" : "point", rules[rule],
                           normalized ? "normalized" : "plain");
            }
}

static void test_kinds(bench *b)
{
    uint64_t handle, flat;
    bool good;
    uint32_t got[32][4];
    float f[4];
    for (int l = 0; l < 32; l++) {
        xs[l] = (float)(l % W);
        ys[l] = (float)(l / W);
    }
    sim_texture t = {.address = b->in, .width = W, .height = H, .texel = SIM_TEXEL_U8, .channels = 4};
    prepare(b, &t, bytes4, sizeof bytes4, &handle, &good);
    good = good &&
           !run_body(b, "tex.2d.v4.u32.s32 {%r20, %r21, %r22, %r23}, [%rd10, {%r10, %r11}];\n" STORE, got, NULL, 0);
    for (int l = 0; l < 32; l++)
        for (int c = 0; c < 4; c++) good = good && got[l][c] == bytes4[l / W][l % W][c];
    check_that(good, "tex.2d.u32 of four bytes, integer coordinates");
    t.fractions = true;
    prepare(b, &t, bytes4, sizeof bytes4, &handle, &good);
    good = good && !run_body(b,
                             "add.f32 %f1, %f1, 0f3F000000;\ntex.level.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd10, "
                             "{%f1, %f2}], 0f00000000;\n" STORE_F,
                             got, NULL, 0);
    for (int l = 0; l < 32; l++) {
        memcpy(f, got[l], 16);
        for (int c = 0; c < 4; c++) good = good && f[c] == (float)bytes4[l / W][l % W][c] / 255;
    }
    check_that(good, "bytes read as fractions");
    t = (sim_texture){.address = b->in, .width = W * H, .texel = SIM_TEXEL_F32, .channels = 1};
    for (int l = 0; l < 32; l++) xs[l] = (float)(l * 3 - 8);
    prepare(b, &t, texels, sizeof texels, &flat, &good);
    good = good && !run_body(b, "tex.1d.v4.f32.s32 {%f4, %f5, %f6, %f7}, [%rd10, {%r10}];\n" STORE_F, got, NULL, 0);
    for (int l = 0; l < 32; l++) {
        int i = l * 3 - 8;
        bool in = i >= 0 && i < W * H;
        memcpy(f, got[l], 16);
        good = good && f[0] == (in ? (&texels[0][0])[i] : 0) && f[1] == 0 && f[3] == (in ? 1 : 0);
    }
    check_that(good, "tex.1d by index; outside it is zero");
    t = (sim_texture){.address = b->in, .width = W, .height = H, .texel = SIM_TEXEL_F32, .channels = 1};
    for (int l = 0; l < 32; l++) {
        xs[l] = (float)(l % W) + 0.25f;
        ys[l] = (float)(l / W) + 0.75f;
    }
    prepare(b, &t, texels, sizeof texels, &handle, &good);
    good =
        good && !run_body(b, "tld4.r.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd10, {%f1, %f2}];\n" STORE_F, got, NULL, 0);
    for (int l = 0; l < 32; l++) {
        int i = (int)floorf(xs[l] - 0.5f), j = (int)floorf(ys[l] - 0.5f);
        memcpy(f, got[l], 16);
        good = good && f[0] == at(i, j + 1, 0) && f[1] == at(i + 1, j + 1, 0) && f[2] == at(i + 1, j, 0) &&
               f[3] == at(i, j, 0);
    }
    check_that(good, "tld4 gathers the four texels around");
    good = !run_body(
        b, "txq.width.b32 %r20, [%rd10];\nsuq.height.b32 %r21, [%rd10];\nmov.u32 %r22, 0;\nmov.u32 %r23, 0;\n" STORE,
        got, NULL, 0);
    check_that(good && got[5][0] == W && got[5][1] == H, "txq and suq give the size");
}

static void test_surfaces(bench *b)
{
    uint64_t handle;
    bool good;
    uint32_t got[32][4], after[H * W];
    sim_texture t = {.address = b->in, .width = W, .height = H, .texel = SIM_TEXEL_F32, .channels = 1};
    for (int l = 0; l < 32; l++) {
        xs[l] = (float)(4 * (l % 10 - 1));
        ys[l] = (float)(l / 5 - 1);
    }
    prepare(b, &t, texels, sizeof texels, &handle, &good);
    good = good &&
           !run_body(
               b,
               "suld.b.2d.b32.zero {%r20}, [%rd10, {%r10, %r11}];\nsuld.b.2d.b32.clamp {%r21}, [%rd10, {%r10, %r11}];\n"
               "mov.u32 %r22, 0;\nmov.u32 %r23, 0;\n" STORE,
               got, NULL, 0);
    for (int l = 0; l < 32; l++) {
        int i = l % 10 - 1, j = l / 5 - 1;
        float zero = i < 0 || i >= W || j < 0 || j >= H ? 0 : texels[j][i], near = at(i, j, 0);
        good = good && !memcmp(&got[l][0], &zero, 4) && !memcmp(&got[l][1], &near, 4);
    }
    check_that(good, "suld outside: zero and clamp");
    for (int l = 0; l < 32; l++) {
        xs[l] = (float)(4 * (l % W));
        ys[l] = (float)(l / W + (l == 31));
    }
    prepare(b, &t, texels, sizeof texels, &handle, &good);
    good = good && !run_body(b, "mul.lo.u32 %r20, %r1, 5;\nsust.b.2d.b32.zero [%rd10, {%r10, %r11}], {%r20};\n", got,
                             NULL, SIM_CHECK_ALL);
    sim_read(b->s, b->in, after, sizeof after, &b->e);
    for (uint32_t l = 0; l < 31; l++) good = good && after[l] == 5 * l;
    check_that(good && !memcmp(&after[31], &texels[3][7], 4), "sust stores, and leaves out what is outside");
    t = (sim_texture){.address = b->in, .width = W, .height = H, .texel = SIM_TEXEL_U8, .channels = 4};
    for (int l = 0; l < 32; l++) ys[l] = (float)(l / W);
    prepare(b, &t, bytes4, sizeof bytes4, &handle, &good);
    good = good &&
           !run_body(b,
                     "suld.b.2d.v4.b8.trap {%h20, %h21, %h22, %h23}, [%rd10, {%r10, %r11}];\nadd.u16 %h20, %h20, 1;\n"
                     "sust.b.2d.v4.b8.trap [%rd10, {%r10, %r11}], {%h23, %h22, %h21, %h20};\n",
                     got, NULL, 0);
    uint8_t now[H][W][4];
    sim_read(b->s, b->in, now, sizeof now, &b->e);
    for (int l = 0; l < 32; l++) {
        const uint8_t *was = bytes4[l / W][l % W], *is = now[l / W][l % W];
        good = good && is[0] == was[3] && is[1] == was[2] && is[2] == was[1] && is[3] == (uint8_t)(was[0] + 1);
    }
    check_that(good, "suld and sust of four bytes");
}

static void test_wrong(bench *b)
{
    uint64_t handle, none = 0, buffer;
    bool good;
    uint32_t got[32][4];
    sim_fault fault = {0};
    sim_texture t = {.address = b->in, .width = W, .height = H, .texel = SIM_TEXEL_F32, .channels = 1};
    for (int l = 0; l < 32; l++) xs[l] = ys[l] = (float)(4 * l);
    prepare(b, &t, texels, sizeof texels, &handle, &good);
    int code = run_body(b, "suld.b.2d.b32.trap {%r20}, [%rd10, {%r10, %r11}];\n" STORE, got, &fault, 0);
    check_that(code == SIM_E_FAULT && fault.kind == SIM_FAULT_OUT_OF_BOUNDS && fault.at.thread[0] == 1,
               "suld.trap outside is a fault");
    code = run_body(b, "add.u32 %r10, %r10, 2;\nsuld.b.2d.b32.trap {%r20}, [%rd10, {%r10, %r11}];\n" STORE, got, &fault,
                    0);
    check_that(code == SIM_E_FAULT && fault.kind == SIM_FAULT_MISALIGNED, "a misaligned surface access is a fault");
    code = run_body(b, "tex.1d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd10, {%f1}];\n" STORE_F, got, &fault, 0);
    check_that(code == SIM_E_FAULT && fault.kind == SIM_FAULT_BAD_OPERAND, "reading a 2-D texture in 1-D is a fault");
    code = run_body(b, "mov.u64 %rd10, 77;\ntex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd10, {%f1, %f2}];\n" STORE_F,
                    got, &fault, 0);
    check_that(code == SIM_E_FAULT && fault.kind == SIM_FAULT_BAD_OPERAND && strstr(fault.message, "not a texture"),
               "a number is no texture");
    code = run_body(b, "ld.global.u32 %r20, [%rd10];\n" STORE, got, &fault, 0);
    check_that(code == SIM_E_FAULT && fault.kind == SIM_FAULT_OUT_OF_BOUNDS, "a texture is no pointer");
    sim_alloc(b->s, 128, "image", &buffer, &b->e);
    t.address = buffer;
    good = !sim_texture_make(b->s, &t, &handle, &b->e) && !sim_free(b->s, buffer, &b->e);
    sim_write(b->s, b->in + 3072, &handle, 8, &b->e);
    code = run_body(b, "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd10, {%f1, %f2}];\n" STORE_F, got, &fault, 0);
    check_that(good && code == SIM_E_FAULT && fault.kind == SIM_FAULT_USE_AFTER_FREE,
               "a texture of a freed buffer is a fault");
    t.address = b->in + 4000;
    check_that(sim_texture_make(b->s, &t, &none, &b->e) == SIM_E_ARGUMENT,
               "texels past the end of the buffer are refused");
    t.address = b->in;
    t.pitch = 8;
    check_that(sim_texture_make(b->s, &t, &none, &b->e) == SIM_E_ARGUMENT, "a pitch smaller than a row is refused");
    t = (sim_texture){.address = b->in, .width = W, .texel = SIM_TEXEL_U32, .channels = 1, .linear = true};
    check_that(sim_texture_make(b->s, &t, &none, &b->e) == SIM_E_ARGUMENT, "filtering integers is refused");
    check_that(!sim_texture_free(b->s, handle, &b->e) && sim_texture_free(b->s, handle, &b->e) == SIM_E_ARGUMENT,
               "a texture is freed once");
}

/* SHOC's MD binds a texture of twice the bytes of its buffer, and never reads it: drivers let that pass. */
static void test_longer_than_its_buffer(bench *b)
{
    uint32_t words[8], got[32][4], wrong = 0;
    uint64_t buffer, handle;
    bool good;
    for (uint32_t i = 0; i < 8; i++) words[i] = 100 + i;
    good = !sim_alloc(b->s, sizeof words, "a short one", &buffer, &b->e) &&
           !sim_write(b->s, buffer, words, sizeof words, &b->e);
    sim_texture t = {.address = buffer, .width = 64, .texel = SIM_TEXEL_U32, .channels = 1};
    for (int l = 0; l < 32; l++) xs[l] = (float)l;
    prepare(b, &t, texels, sizeof texels, &handle, &good);
    good = good && !run_body(b, "tex.1d.v4.u32.s32 {%r20, %r21, %r22, %r23}, [%rd10, {%r10}];\n" STORE, got, NULL, 0);
    for (uint32_t l = 0; l < 32; l++) wrong += got[l][0] != (l < 8 ? 100 + l : 0);
    check_that(good && !wrong, "a row of texels that is said to be longer than its buffer ends with it");
    const int code = run_body(b, "sust.b.1d.b32.trap [%rd10, {64}], {%r1};\n" STORE, got, NULL, 0);
    check_that(code == SIM_E_FAULT, "nothing is stored beyond it");
    t.address = buffer + 32;
    check_that(sim_texture_make(b->s, &t, &handle, &b->e) == SIM_E_ARGUMENT, "one that begins behind it is refused");
    sim_free(b->s, buffer, &b->e);
}

static void tests(bench *b)
{
    for (int j = 0; j < H; j++)
        for (int i = 0; i < W; i++) {
            texels[j][i] = (float)((int)(rnd() % 64) - 32) / 4;
            for (int c = 0; c < 4; c++) bytes4[j][i][c] = (uint8_t)rnd();
        }
    test_filters(b);
    test_kinds(b);
    test_surfaces(b);
    test_wrong(b);
    test_longer_than_its_buffer(b);
}
