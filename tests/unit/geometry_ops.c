/* geometry_ops.c: textures and surfaces in three dimensions, in layers and on cubes; texture
 * references and samplers of old PTX; surface stores and reductions by format.
 *
 * `in` holds the texels and, from byte 2048 on, x, y, z and the layer of 32 threads; the handle
 * is at byte 3072. The references follow the description of texture fetching in the CUDA
 * programming guide: weights with 8 fraction bits, and its table of a cube's faces.
 */
#include "kernel.h"

enum { W = 6, H = 5, D = 4 };
static float texels[8][H][W], faces[12][4][4];
static float c[4][32]; /* x, y, z, layer */
static uint32_t got[32][4];

static uint64_t object(bench *b, const sim_texture *t, const void *data, size_t size)
{
    uint64_t handle = 0;
    sim_write(b->s, b->in, data, size, &b->e);
    sim_write(b->s, b->in + 2048, c, sizeof c, &b->e);
    if (sim_texture_make(b->s, t, &handle, &b->e)) printf("# %s\n", b->e.message);
    const uint64_t two[2] = {handle, 0}; /* the second is a sampler's */
    sim_write(b->s, b->in + 3072, two, sizeof two, &b->e);
    return handle;
}

static sim_module *module(bench *b, const char *before, const char *body)
{
    static text t;
    start(&t, before, "");
    put(&t, "ld.global.u64 %%rd10, [%%rd1+3072];\nld.global.u64 %%rd11, [%%rd1+3080];\nmul.wide.u32 %%rd8, %%r1, 4;\n"
            "add.u64 %%rd12, %%rd1, %%rd8;\nmul.wide.u32 %%rd9, %%r1, 16;\nadd.u64 %%rd9, %%rd2, %%rd9;\n");
    for (int i = 0; i < 4; i++)
        put(&t, "ld.global.f32 %%f%d, [%%rd12+%d];\ncvt.rzi.s32.f32 %%r%d, %%f%d;\n", i + 1, 2048 + 128 * i, 10 + i,
            i + 1);
    put(&t, "%s\nret;\n}\n", body);
    return load(b, &t);
}

static int run_module(bench *b, sim_module *m, sim_fault *fault)
{
    static const uint32_t nothing[32][4];
    sim_result r = {0};
    sim_write(b->s, b->out, nothing, sizeof nothing, &b->e);
    int code = m ? launch(b, m, UINT32_MAX, 32, SIM_CHECK_ALL, &r) : -1;
    if (fault && r.fault_count) *fault = r.faults[0];
    else if (code) printf("# %s\n", r.fault_count ? r.faults[0].message : b->e.message);
    sim_read(b->s, b->out, got, sizeof got, &b->e);
    sim_result_free(&r);
    return code;
}

static int run_body(bench *b, const char *body, sim_fault *fault)
{
    sim_module *m = module(b, "", body);
    int code = run_module(b, m, fault);
    if (m) sim_unload(b->s, m);
    return code;
}

#define STORE_F "\nst.global.v4.f32 [%rd9], {%f4, %f5, %f6, %f7};"
#define STORE   "\nst.global.v4.b32 [%rd9], {%r20, %r21, %r22, %r23};"
#define RESULT  " {%f4, %f5, %f6, %f7}, [%rd10, "

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

typedef struct volume {
    const float *data;
    int size[3], rule;
} volume;
static float at(const volume *v, int x, int y, int z)
{
    int i = index_of(x, v->size[0], v->rule), j = index_of(y, v->size[1], v->rule),
        k = index_of(z, v->size[2], v->rule);
    return i < 0 || j < 0 || k < 0 ? 0 : v->data[(k * v->size[1] + j) * v->size[0] + i];
}
/* Axes of size 1 have no filter: their coordinate is 0.5. */
static float sample(const volume *v, float x, float y, float z, bool filter)
{
    if (!filter) return at(v, (int)floorf(x), (int)floorf(y), (int)floorf(z));
    float p[3] = {x - 0.5f, y - 0.5f, z - 0.5f}, w[3], sum = 0;
    int low[3];
    for (int i = 0; i < 3; i++) low[i] = (int)floorf(p[i]), w[i] = roundf((p[i] - floorf(p[i])) * 256) / 256;
    for (int k = 0; k < 8; k++)
        sum += (k & 1 ? w[0] : 1 - w[0]) * (k & 2 ? w[1] : 1 - w[1]) * (k & 4 ? w[2] : 1 - w[2]) *
               at(v, low[0] + (k & 1), low[1] + (k >> 1 & 1), low[2] + (k >> 2));
    return sum;
}
static bool near_enough(float want, uint32_t bits, int lane)
{
    float v;
    memcpy(&v, &bits, 4);
    if (fabsf(v - want) <= 4e-4f) return true;
    printf("# lane %d (%g, %g, %g; %g): %g, not %g\n", lane, c[0][lane], c[1][lane], c[2][lane], c[3][lane], v, want);
    return false;
}

static void spread(int x, int y, int z, bool normalized) /* coordinates in eighths of texels, some outside */
{
    const int n[3] = {x, y, z};
    for (int i = 0; i < 3; i++)
        for (int l = 0; l < 32; l++)
            c[i][l] = (float)((int)(rnd() % (uint64_t)(24 * n[i])) - 8 * n[i]) / 8 / (float)(normalized ? n[i] : 1);
    for (int l = 0; l < 32; l++) c[3][l] = (float)(l % 6);
}

/* ---- three dimensions, and layers ---- */
static void test_volumes(bench *b)
{
    static const char *const rules[] = {"clamp", "wrap", "mirror", "border"};
    static const struct {
        const char *name, *body;
        int dimensions;
        bool layered;
    } list[] = {
        {"3d", "tex.3d.v4.f32.f32" RESULT "{%f1, %f2, %f3, %f3}];", 3, false},
        {"level.3d", "tex.level.3d.v4.f32.f32" RESULT "{%f1, %f2, %f3, %f3}], 0f00000000;", 3, false},
        {"grad.3d",
         "tex.grad.3d.v4.f32.f32" RESULT "{%f1, %f2, %f3, %f3}], {%f1, %f1, %f1, %f1}, {%f2, %f2, %f2, %f2};", 3,
         false},
        {"a1d", "tex.a1d.v4.f32.f32" RESULT "{%r13, %f1}];", 1, true},
        {"a2d", "tex.a2d.v4.f32.f32" RESULT "{%r13, %f1, %f2, %f2}];", 2, true},
        {"level.a2d", "tex.level.a2d.v4.f32.f32" RESULT "{%r13, %f1, %f2, %f2}], %f3;", 2, true},
        {"grad.a2d", "tex.grad.a2d.v4.f32.f32" RESULT "{%r13, %f1, %f2, %f2}], {%f1, %f1}, {%f2, %f2};", 2, true},
        {"grad.1d", "tex.grad.1d.v4.f32.f32" RESULT "{%f1}], {%f1}, {%f2};", 1, false},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (int k = 0; k < 16; k++) {
            const int rule = k & 3, filter = k >> 2 & 1, normalized = k >> 3, n = list[i].dimensions;
            char body[400];
            sim_texture t = {.address = b->in,
                             .width = W,
                             .height = n > 1 ? H : 0,
                             .depth = n > 2 ? D : 0,
                             .layers = list[i].layered ? D : 0,
                             .texel = SIM_TEXEL_F32,
                             .channels = 1,
                             .outside = {rule, rule, rule},
                             .linear = filter,
                             .normalized = normalized};
            spread(W, H, D, normalized);
            object(b, &t, texels, 4 * W * H * D);
            snprintf(body, sizeof body, "%s%s", list[i].body, STORE_F);
            bool good = !run_body(b, body, NULL);
            for (int l = 0; l < 32 && good; l++) {
                const int layer = list[i].layered ? c[3][l] < D ? (int)c[3][l] : D - 1 : 0;
                volume v = {&texels[0][0][0] + layer * W * (n > 1 ? H : 1),
                            {W, n > 1 ? H : 1, n > 2 ? D : 1},
                            normalized || rule == SIM_OUTSIDE_BORDER ? rule : SIM_OUTSIDE_CLAMP};
                const float x = c[0][l] * (float)(normalized ? W : 1),
                            y = n > 1 ? c[1][l] * (float)(normalized ? H : 1) : 0.5f,
                            z = n > 2 ? c[2][l] * (float)(normalized ? D : 1) : 0.5f;
                good = near_enough(sample(&v, x, y, z, filter), got[l][0], l);
            }
            check_that(good, "tex.%s %s, %s, %s coordinates", list[i].name, filter ? "linear" : "point", rules[rule],
                       normalized ? "normalized" : "plain");
        }
}

/* Integer coordinates, offsets, and gathers of neighbouring texels. */
static void test_near(bench *b)
{
    sim_texture t = {.address = b->in,
                     .width = W,
                     .height = H,
                     .depth = D,
                     .texel = SIM_TEXEL_F32,
                     .channels = 1,
                     .slice = 4 * W * H};
    volume v = {&texels[0][0][0], {W, H, D}, SIM_OUTSIDE_CLAMP};
    bool good;
    spread(W, H, D, false);
    object(b, &t, texels, 4 * W * H * D);
    good = !run_body(b, "tex.3d.v4.f32.s32" RESULT "{%r10, %r11, %r12, %r12}], {1, -2, 1, 0};" STORE_F, NULL);
    for (int l = 0; l < 32 && good; l++)
        good = near_enough(at(&v, (int)c[0][l] + 1, (int)c[1][l] - 2, (int)c[2][l] + 1), got[l][0], l);
    check_that(good, "tex.3d of integers, with offsets");
    t = (sim_texture){.address = b->in, .width = W, .height = H, .layers = D, .texel = SIM_TEXEL_F32, .channels = 1};
    object(b, &t, texels, 4 * W * H * D);
    good = !run_body(b, "tex.a2d.v4.f32.f32" RESULT "{%r13, %f1, %f2, %f2}], {-1, 2};" STORE_F, NULL);
    for (int l = 0; l < 32 && good; l++) {
        volume layer = {&texels[c[3][l] < D ? (int)c[3][l] : D - 1][0][0], {W, H, 1}, SIM_OUTSIDE_CLAMP};
        good = near_enough(at(&layer, (int)floorf(c[0][l]) - 1, (int)floorf(c[1][l]) + 2, 0), got[l][0], l);
    }
    check_that(good, "tex.a2d with offsets");
    good = !run_body(b, "tld4.r.a2d.v4.f32.f32" RESULT "{%r13, %f1, %f2, %f2}];" STORE_F, NULL);
    for (int l = 0; l < 32 && good; l++) {
        volume layer = {&texels[c[3][l] < D ? (int)c[3][l] : D - 1][0][0], {W, H, 1}, SIM_OUTSIDE_CLAMP};
        const int x = (int)floorf(c[0][l] - 0.5f), y = (int)floorf(c[1][l] - 0.5f);
        good = near_enough(at(&layer, x, y + 1, 0), got[l][0], l) &&
               near_enough(at(&layer, x + 1, y + 1, 0), got[l][1], l) &&
               near_enough(at(&layer, x + 1, y, 0), got[l][2], l) && near_enough(at(&layer, x, y, 0), got[l][3], l);
    }
    check_that(good, "tld4.a2d gathers in its layer");
}

/* ---- cubes ---- */
/* The guide's table: the face, its major axis, and the coordinates that s and t come from. */
static int face_of(const float *d, float *s, float *t)
{
    static const struct {
        int axis, sign, s, s_sign, t, t_sign;
    } table[6] = {{0, 1, 2, -1, 1, -1}, {0, -1, 2, 1, 1, -1}, {1, 1, 0, 1, 2, 1},
                  {1, -1, 0, 1, 2, -1}, {2, 1, 0, 1, 1, -1},  {2, -1, 0, -1, 1, -1}};
    for (int f = 0; f < 6; f++) {
        const float m = d[table[f].axis] * (float)table[f].sign;
        if (m < fabsf(d[0]) || m < fabsf(d[1]) || m < fabsf(d[2])) continue;
        *s = ((float)table[f].s_sign * d[table[f].s] / m + 1) / 2;
        *t = ((float)table[f].t_sign * d[table[f].t] / m + 1) / 2;
        return f;
    }
    return -1;
}

static void test_cubes(bench *b)
{
    for (int k = 0; k < 8; k++) {
        const int filter = k & 1, layered = k >> 1 & 1, gather = k >> 2;
        char body[300];
        sim_texture t = {.address = b->in,
                         .width = 4,
                         .height = 4,
                         .cube = true,
                         .layers = layered ? 2 : 0,
                         .texel = SIM_TEXEL_F32,
                         .channels = 1,
                         .linear = filter,
                         .normalized = true};
        for (int l = 0; l < 32; l++) { /* the largest coordinate is 8 or -8, so quotients are exact */
            for (int i = 0; i < 3; i++) c[i][l] = (float)((int)(rnd() % 15) - 7);
            c[l % 3][l] = l & 8 ? 8 : -8;
            c[3][l] = (float)(l % 4);
        }
        object(b, &t, faces, sizeof faces);
        snprintf(body, sizeof body, "%s.%s.v4.f32.f32 %s{%s%%f1, %%f2, %%f3%s}];%s", gather ? "tld4.r" : "tex",
                 layered ? "acube" : "cube", RESULT, layered ? "%r13, " : "", layered ? "" : ", %f3", STORE_F);
        bool good = !run_body(b, body, NULL);
        for (int l = 0; l < 32 && good; l++) {
            const float d[3] = {c[0][l], c[1][l], c[2][l]};
            float x = 0, y = 0;
            const int layer = layered ? c[3][l] < 2 ? (int)c[3][l] : 1 : 0, face = 6 * layer + face_of(d, &x, &y);
            volume v = {&faces[face][0][0], {4, 4, 1}, SIM_OUTSIDE_CLAMP};
            good = gather ? near_enough(at(&v, (int)floorf(4 * x - 0.5f), (int)floorf(4 * y - 0.5f), 0), got[l][3], l)
                          : near_enough(sample(&v, 4 * x, 4 * y, 0.5f, filter), got[l][0], l);
        }
        check_that(good, "%s.%s %s", gather ? "tld4" : "tex", layered ? "acube" : "cube", filter ? "linear" : "point");
    }
}

/* ---- references and samplers ---- */
static void test_references(bench *b)
{
    sim_texture t = {.address = b->in, .width = W, .height = H, .texel = SIM_TEXEL_F32, .channels = 1};
    volume v = {&texels[0][0][0], {W, H, 1}, SIM_OUTSIDE_CLAMP};
    static const struct {
        const char *before, *body;
    } list[] = {
        {".global .texref t;", "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [t, {%f1, %f2}];" STORE_F},
        {".visible .global .texref t;",
         "mov.u64 %rd20, t;\ntex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd20, {%f1, %f2}];" STORE_F},
        {".tex .u64 t;", "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [t, {%f1, %f2, %f3, %f3}];" STORE_F},
        {".global .surfref t;", "min.s32 %r10, %r10, 5; max.s32 %r10, %r10, 0; shl.b32 %r10, %r10, 2; "
                                "suld.b.2d.b32.clamp {%r20}, [t, {%r10, %r11}];\n"
                                "st.global.b32 [%rd9], %r20;"},
    };
    sim_fault fault = {0};
    spread(W, H, D, false);
    uint64_t handle = object(b, &t, texels, 4 * W * H), sampler, other;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        sim_module *m = module(b, list[i].before, list[i].body);
        int code = run_module(b, m, &fault);
        check_that(code == SIM_E_FAULT && fault.kind == SIM_FAULT_BAD_OPERAND &&
                       strstr(fault.message, "reference t is not bound"),
                   "not bound: %s", list[i].before);
        bool good = m && !sim_texture_bind(b->s, m, "t", handle, &b->e) && !run_module(b, m, NULL);
        for (int l = 0; l < 32 && good; l++)
            good = i == 3 ? near_enough(at(&v, (int)c[0][l], (int)c[1][l], 0), got[l][0], l)
                          : near_enough(sample(&v, c[0][l], c[1][l], 0.5f, false), got[l][0], l);
        check_that(good, "bound: %s", list[i].before);
        check_that(m && sim_texture_bind(b->s, m, "u", handle, &b->e) == SIM_E_ARGUMENT &&
                       sim_texture_bind(b->s, m, "t", 77, &b->e) == SIM_E_ARGUMENT,
                   "nothing else is bound");
        if (m) sim_unload(b->s, m);
    }
    /* independent mode: the sampler's settings count, except `normalized`, which is the
     * texture's */
    t.normalized = true;
    object(b, &t, texels, 4 * W * H);
    spread(W, H, D, true);
    sim_write(b->s, b->in + 2048, c, sizeof c, &b->e);
    sim_module *m =
        module(b, ".global .samplerref s = { addr_mode_0 = mirror, addr_mode_1 = mirror, filter_mode = linear };",
               "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd10, s, {%f1, %f2}];" STORE_F);
    bool good = !run_module(b, m, NULL);
    v.rule = SIM_OUTSIDE_MIRROR;
    volume flat = v;
    for (int l = 0; l < 32 && good; l++)
        good = near_enough(sample(&flat, c[0][l] * W, c[1][l] * H, 0.5f, true), got[l][0], l);
    check_that(good, "a sampler that the module describes");
    if (m) sim_unload(b->s, m);
    sim_sampler plain = {.outside = {SIM_OUTSIDE_BORDER, SIM_OUTSIDE_BORDER, 0}, .plain = true};
    spread(W, H, D, false);
    sim_write(b->s, b->in + 2048, c, sizeof c, &b->e);
    good = !sim_sampler_make(b->s, &plain, &sampler, &b->e) && !sim_write(b->s, b->in + 3080, &sampler, 8, &b->e) &&
           !run_body(b, "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd10, %rd11, {%f1, %f2}];" STORE_F, NULL);
    v.rule = SIM_OUTSIDE_BORDER;
    for (int l = 0; l < 32 && good; l++) /* outside along z reads 0; clamp rules apply to x and y */
        good = near_enough(sample(&v, c[0][l], c[1][l], 0.5f, false), got[l][0], l);
    check_that(good, "a sampler object, with coordinates in texels");
    int code = run_body(b, "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd11, {%f1, %f2}];" STORE_F, &fault);
    check_that(code == SIM_E_FAULT && fault.kind == SIM_FAULT_BAD_OPERAND, "a sampler is no texture");
    plain.outside[1] = 9;
    check_that(sim_sampler_make(b->s, &plain, &other, &b->e) == SIM_E_ARGUMENT,
               "a sampler with an unknown rule is refused");
    good = !run_body(b,
                     "txq.addr_mode_0.b32 %r20, [%rd11];\ntxq.filter_mode.b32 %r21, [%rd11];\n"
                     "txq.force_unnormalized_coords.b32 %r22, [%rd11];\ntxq.normalized_coords.b32 %r23, [%rd10];" STORE,
                     NULL);
    check_that(good && got[3][0] == 4 && got[3][1] == 0 && got[3][2] == 1 && got[3][3] == 1, "txq of a sampler");
}

/* A texture reference that is a kernel's parameter: the handle is among the parameters. Also in
 * timed order. */
static void test_parameter(bench *b, bool timed)
{
    static const char ptx[] =
        ".version 8.3\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 out, .param .texref t, .param .surfref u)\n{\n.reg .b64 %rd<4>; .reg .b32 "
        "%r<4>; .reg .f32 %f<8>;\n"
        "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2; "
        "cvt.rn.f32.u32 %f1, %r1;\n"
        "tex.3d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [t, {%f1, 0f3f800000, 0f40000000, 0f40000000}];\nst.global.f32 "
        "[%rd1], %f2;\n"
        "txq.width.b32 %r2, [t]; mov.u32 %r3, 0; sured.b.add.1d.u32.trap [u, {%r3}], %r2;\nret;\n}\n";
    sim_texture t = {.address = b->in, .width = W, .height = H, .depth = D, .texel = SIM_TEXEL_F32, .channels = 1},
                u = {.address = b->idx, .width = 1, .texel = SIM_TEXEL_U32, .channels = 1};
    uint64_t params[3] = {b->out};
    const uint32_t zero = 0;
    uint32_t sum = 0;
    sim_module *m = NULL;
    sim_result r = {0};
    sim_launch l = {.kernel = "k",
                    .grid = {1, 1, 1},
                    .block = {32, 1, 1},
                    .params = params,
                    .param_bytes = sizeof params,
                    .timed = timed,
                    .checks = timed ? 0 : SIM_CHECK_ALL,
                    .counts = SIM_COUNT_MEMORY,
                    .host_threads = 1,
                    .max_instructions = 100000};
    params[1] = object(b, &t, texels, 4 * W * H * D);
    sim_write(b->s, b->idx, &zero, 4, &b->e);
    bool good = !sim_texture_make(b->s, &u, &params[2], &b->e) &&
                !sim_load(b->s, "case.ptx", ptx, strlen(ptx), &m, &b->e) && !sim_run(b->s, m, &l, &r, &b->e) &&
                r.code == SIM_OK;
    if (!good) printf("# %s\n", r.fault_count ? r.faults[0].message : b->e.message);
    uint32_t values[32] = {0};
    sim_read(b->s, b->out, values, sizeof values, &b->e);
    sim_read(b->s, b->idx, &sum, 4, &b->e);
    for (int i = 0; i < 32 && good; i++) good = near_enough(texels[2][1][i < W ? i : W - 1], values[i], i);
    check_that(good && sum == 32 * W, "references as parameters%s", timed ? ", with a clock" : "");
    if (timed) check_that(good && r.cycles > 300, "reading a texture takes as long as memory does");
    if (good) sim_result_free(&r);
    if (m) sim_unload(b->s, m);
}

static void test_clock(void)
{
    static char card_text[65536];
    sim_card timed;
    bench b = {0};
    FILE *f = fopen("sim/cards/h200.card", "r");
    size_t n = f ? fread(card_text, 1, sizeof card_text - 1, f) : 0;
    if (f) fclose(f);
    bool good = n && !sim_card_read(&timed, card_text, "h200", &b.e) && !sim_open(&b.s, &timed, &b.e) &&
                !sim_alloc(b.s, BYTES, "in", &b.in, &b.e) && !sim_alloc(b.s, BYTES, "out", &b.out, &b.e) &&
                !sim_alloc(b.s, BYTES, "idx", &b.idx, &b.e);
    if (good) test_parameter(&b, true);
    check_that(good, "a card with a clock");
    if (b.s) sim_close(b.s);
}

static void test_queries(bench *b)
{
    sim_texture t = {
        .address = b->in, .width = W, .height = H, .depth = D, .texel = SIM_TEXEL_U8, .channels = 2, .fractions = true};
    object(b, &t, texels, sizeof texels);
    bool good = !run_body(
        b,
        "txq.width.b32 %r20, [%rd10];\ntxq.depth.b32 %r21, [%rd10];\ntxq.channel_data_type.b32 %r22, [%rd10];\n"
        "suq.channel_order.b32 %r23, [%rd10];" STORE,
        NULL);
    check_that(good && got[9][0] == W && got[9][1] == D && got[9][2] == 0x10d2 && got[9][3] == 0x10b2,
               "txq and suq of size and format");
    t = (sim_texture){.address = b->in, .width = W, .height = H, .layers = 7, .texel = SIM_TEXEL_F16, .channels = 4};
    object(b, &t, texels, sizeof texels);
    good = !run_body(b,
                     "txq.array_size.b32 %r20, [%rd10];\nsuq.array_size.b32 %r21, [%rd10];\ntxq.channel_data_type.b32 "
                     "%r22, [%rd10];\n"
                     "txq.num_mipmap_levels.b32 %r23, [%rd10];" STORE,
                     NULL);
    check_that(good && got[9][0] == 7 && got[9][1] == 7 && got[9][2] == 0x10dd && got[9][3] == 1,
               "txq and suq of layers");
}

/* ---- surfaces ---- */
static void test_surfaces(bench *b)
{
    static const struct {
        const char *name, *place;
        int rows, slices;
        bool cube, layered;
    } list[] = {{"3d", "{%r10, %r11, %r12, %r12}", H, D, false, false},
                {"a2d", "{%r12, %r10, %r11, %r11}", H, D, false, true},
                {"a1d", "{%r12, %r10}", 1, D, false, true},
                {"a2d", "{%r12, %r10, %r11, %r11}", 4, 6, true, false}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const int width = list[i].cube ? 4 : W, rows = list[i].rows, slices = list[i].slices;
        sim_texture t = {.address = b->in,
                         .width = (uint32_t)width,
                         .height = rows > 1 ? (uint32_t)rows : 0,
                         .depth = list[i].layered || list[i].cube ? 0 : D,
                         .layers = list[i].layered ? D : 0,
                         .cube = list[i].cube,
                         .texel = SIM_TEXEL_F32,
                         .channels = 1};
        volume v = {&texels[0][0][0], {width, rows, slices}, SIM_OUTSIDE_CLAMP}, zero = v;
        char body[400];
        zero.rule = SIM_OUTSIDE_BORDER;
        for (int l = 0; l < 32; l++) {
            c[0][l] = (float)(4 * ((int)(rnd() % 10) - 2));
            c[1][l] = (float)((int)(rnd() % 8) - 2);
            c[2][l] = (float)((int)(rnd() % 10) - 2);
        }
        object(b, &t, texels, sizeof texels);
        snprintf(
            body, sizeof body,
            "suld.b.%s.b32.clamp {%%r20}, [%%rd10, %s];\nsuld.b.%s.b32.zero {%%r21}, [%%rd10, %s];\nmov.u32 %%r22, 0;\n"
            "mov.u32 %%r23, 0;%s",
            list[i].name, list[i].place, list[i].name, list[i].place, STORE);
        bool good = !run_body(b, body, NULL);
        for (int l = 0; l < 32 && good; l++) {
            const int x = (int)c[0][l] / 4, y = rows > 1 ? (int)c[1][l] : 0, z = (int)c[2][l];
            /* a layer is unsigned: a negative one is above all others */
            const bool wraps = z < 0 && i;
            good = near_enough(at(&v, x, y, wraps ? slices - 1 : z), got[l][0], l) &&
                   near_enough(at(&zero, x, y, z), got[l][1], l);
        }
        check_that(good, "suld.b.%s clamp and zero%s", list[i].name, list[i].cube ? ", on a cube" : "");
        sim_fault fault = {0};
        snprintf(body, sizeof body,
                 "mov.u32 %%r10, 0; mov.u32 %%r11, 0; mov.u32 %%r12, %%r1;\nsust.b.%s.b32.trap [%%rd10, %s], {%%r1};",
                 list[i].name, list[i].place);
        int code = run_body(b, body, &fault);
        check_that(code == SIM_E_FAULT && fault.kind == SIM_FAULT_OUT_OF_BOUNDS &&
                       fault.at.thread[0] == (uint32_t)slices,
                   "sust.b.%s.trap faults past the last slice", list[i].name);
        uint32_t last = 9;
        sim_read(b->s, b->in + 4 * (uint64_t)(width * rows) * (uint64_t)(slices > 5 ? 5 : 3), &last, 4, &b->e);
        check_that(last == (uint32_t)(slices > 5 ? 5 : 3), "sust.b.%s stores in its slice", list[i].name);
    }
}

/* Conversion to a format: each row has four floats or integers, and the texel that they become. */
static void test_formats(bench *b)
{
    static const struct {
        int texel, channels;
        bool fractions;
        uint32_t value[4];
        uint8_t want[16];
    } rows[] = {
        {SIM_TEXEL_U8,
         4,
         true,
         {0x3f800000, 0x3f000000, 0xbf800000, 0x40000000},
         {255, 128, 0, 255}}, /* 1 .5 -1 2; 127.5 to even */
        {SIM_TEXEL_S8,
         4,
         true,
         {0x3f800000, 0xbf800000, 0xc0000000, 0x7fc00000},
         {127, 0x81, 0x81, 0}}, /* 1 -1 -2 NaN */
        {SIM_TEXEL_U8, 2, false, {300, 7, 1, 1}, {255, 7}},
        {SIM_TEXEL_S8, 4, false, {300, 0xfffffed4, 0xffffffff, 5}, {127, 0x80, 0xff, 5}},   /* 300 -300 -1 5 */
        {SIM_TEXEL_U16, 2, true, {0x3f800000, 0x3e800000, 0, 0}, {0xff, 0xff, 0x00, 0x40}}, /* 1 .25: 16383.75 */
        {SIM_TEXEL_S16, 2, false, {0x12345, 0xfffe0000, 0, 0}, {0xff, 0x7f, 0x00, 0x80}},
        {SIM_TEXEL_F16,
         4,
         false,
         {0x3f800000, 0x47800000, 0x33800000, 0xbf801000},
         {0, 0x3c, 0, 0x7c, 1, 0, 0, 0xbc}}, /* 1 65536 2^-24 -1.000488: to even */
        {SIM_TEXEL_F32, 2, false, {0x40490fdb, 0xffffffff, 0, 0}, {0xdb, 0x0f, 0x49, 0x40, 0xff, 0xff, 0xff, 0xff}},
        {SIM_TEXEL_U32, 4, false, {1, 2, 3, 0xdeadbeef}, {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0xef, 0xbe, 0xad, 0xde}},
    };
    static const uint8_t bytes[] = {1, 1, 2, 2, 4, 4, 2, 4}, before[2048];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sim_texture t = {.address = b->in,
                         .width = 8,
                         .height = 4,
                         .texel = rows[i].texel,
                         .channels = rows[i].channels,
                         .fractions = rows[i].fractions};
        const uint32_t texel = bytes[t.texel] * (uint32_t)t.channels;
        char body[400];
        uint8_t after[16];
        object(b, &t, before, sizeof before);
        snprintf(body, sizeof body,
                 "mov.b32 %%r20, 0x%08x; mov.b32 %%r21, 0x%08x; mov.b32 %%r22, 0x%08x; mov.b32 %%r23, 0x%08x;\n"
                 "and.b32 %%r10, %%r1, 7; shr.u32 %%r11, %%r1, 3;\nsust.p.2d.v4.b32.trap [%%rd10, {%%r10, %%r11}], "
                 "{%%r20, %%r21, %%r22, %%r23};",
                 rows[i].value[0], rows[i].value[1], rows[i].value[2], rows[i].value[3]);
        bool good = !run_body(b, body, NULL);
        for (uint32_t l = 0; l < 32 && good; l++) {
            sim_read(b->s, b->in + l * texel, after, texel, &b->e);
            good = !memcmp(after, rows[i].want, texel);
            if (!good) printf("# texel %u: %02x %02x %02x %02x\n", l, after[0], after[1], after[2], after[3]);
        }
        check_that(good, "sust.p to format %d of %d channels%s", rows[i].texel, rows[i].channels,
                   rows[i].fractions ? ", fractions" : "");
    }
}

static void test_reductions(bench *b)
{
    static const struct {
        const char *form;
        int texel;
        uint32_t start, want;
    } list[] = {
        {"sured.b.add.2d.u32.trap", SIM_TEXEL_U32, 100, 100 + 4 * 496},
        {"sured.b.min.2d.s32.trap", SIM_TEXEL_S32, 5, 0xfffffff0},
        {"sured.b.max.2d.u32.trap", SIM_TEXEL_U32, 5, 0xffffffff},
        {"sured.b.and.2d.b32.trap", SIM_TEXEL_U32, 0xffffffff, 0},
        {"sured.b.or.2d.b32.trap", SIM_TEXEL_U32, 0x100, 0xffffffff},
        {"sured.p.min.2d.b32.trap", SIM_TEXEL_S32, 5, 0xfffffff0},
        {"sured.p.min.2d.b32.trap", SIM_TEXEL_U32, 40, 0},
        {"sured.p.add.2d.b32.zero", SIM_TEXEL_U32, 100, 100 + 4 * 496},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (int threads = 1; threads <= 2; threads++) {
            char body[400];
            uint32_t word[8] = {1, list[i].start}, after[8];
            sim_texture t = {.address = b->in, .width = 4, .height = 2, .texel = list[i].texel, .channels = 1};
            const bool add = strstr(list[i].form, ".add") != NULL;
            object(b, &t, word, sizeof word);
            /* sums add the lane; the other operations use lane - 16. Four blocks change texel 1. */
            snprintf(body, sizeof body,
                     "%s\nmov.u32 %%r10, %d; mov.u32 %%r11, 0;\n%s [%%rd10, {%%r10, %%r11}], %%r20;\nmov.u32 %%r10, "
                     "%d;\n%s;",
                     add ? "mov.u32 %r20, %r1;" : "sub.u32 %r20, %r1, 16;", strstr(list[i].form, ".p.") ? 1 : 4,
                     list[i].form, strstr(list[i].form, ".p.") ? 9 : 36,
                     strstr(list[i].form, ".zero") ? "sured.p.add.2d.b32.zero [%rd10, {%r10, %r11}], %r20" : "");
            blocks = 4;
            host_threads = threads;
            bool good = !run_body(b, body, NULL);
            blocks = 1;
            host_threads = 1;
            sim_read(b->s, b->in, after, sizeof after, &b->e);
            good = good && after[0] == 1 && after[1] == list[i].want && !after[2];
            if (!good) printf("# %08x, not %08x\n", after[1], list[i].want);
            check_that(good, "%s of format %d, %d host thread%s", list[i].form, list[i].texel, threads,
                       threads > 1 ? "s" : "");
        }
}

/* ---- mistakes ---- */
static void test_wrong(bench *b)
{
    static const char *const refused[] = {
        "tex.3d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd10, {%f1, %f2}];",
        "tex.cube.v4.s32.s32 {%r4, %r5, %r6, %r7}, [%rd10, {%r1, %r2, %r3, %r3}];",
        "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd10, {%f1, %f2}], %f3;",
        "tex.cube.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd10, {%f1, %f2, %f3, %f3}], {1, 1, 1, 1};",
        "tld4.r.3d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd10, {%f1, %f2, %f3, %f3}];",
        "suld.b.cube.b32.trap {%r4}, [%rd10, {%r1, %r2, %r3, %r3}];",
        "suld.p.2d.v4.b32.trap {%r4, %r5, %r6, %r7}, [%rd10, {%r1, %r2}];",
        "sust.p.2d.b16.trap [%rd10, {%r1, %r2}], {%h1};",
        "sured.b.or.2d.u32.trap [%rd10, {%r1, %r2}], %r4;",
        "sured.b.xor.2d.b32.trap [%rd10, {%r1, %r2}], %r4;",
        "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [x, {%f1, %f2}];",
        "tex.grad.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd10, {%f1, %f2}], {%f1}, {%f2};",
        "txq.memory_layout.b32 %r4, [%rd10];",
        "txq.level.width.b32 %r4, [%rd10], 0;",
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        static text t;
        sim_module *m = NULL;
        start(&t, ".global .u64 x;", "");
        put(&t, "%s\nret;\n}\n", refused[i]);
        int code = sim_load(b->s, "case.ptx", t.s, t.n, &m, &b->e);
        if (m) sim_unload(b->s, m);
        check_that(code == SIM_E_REFUSED && b->e.line, "refused: %s", refused[i]);
    }
    static const char *const unknown[] = {
        ".global .texref t = { width = 5 };", ".global .samplerref s = { filter_mode = wrap };",
        ".global .samplerref s = { colour = 1 };", ".global .samplerref s = { addr_mode_0 = clamp_ogl };"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        static text t;
        sim_module *m = NULL;
        start(&t, unknown[i], "");
        put(&t, "ret;\n}\n");
        int code = sim_load(b->s, "case.ptx", t.s, t.n, &m, &b->e);
        if (m) sim_unload(b->s, m);
        check_that(code && b->e.line == 4, "refused: %s", unknown[i]);
    }
    sim_texture t = {.address = b->in, .width = W, .height = H, .depth = D, .texel = SIM_TEXEL_F32, .channels = 1};
    sim_fault fault = {0};
    uint64_t none;
    object(b, &t, texels, sizeof texels);
    int code = run_body(b, "tex.a2d.v4.f32.f32" RESULT "{%r13, %f1, %f2, %f2}];" STORE_F, &fault);
    check_that(code == SIM_E_FAULT && fault.kind == SIM_FAULT_BAD_OPERAND &&
                   strstr(fault.message, ".3d is accessed as .a2d"),
               "a volume is not read in layers");
    const sim_texture bad[] = {
        {.address = b->in, .width = W, .height = H, .depth = 100, .texel = SIM_TEXEL_F32, .channels = 1},
        {.address = b->in, .width = W, .height = H, .layers = 100, .texel = SIM_TEXEL_F32, .channels = 1},
        {.address = b->in, .width = W, .height = H, .cube = true, .texel = SIM_TEXEL_F32, .channels = 1},
        {.address = b->in, .width = W, .depth = 2, .texel = SIM_TEXEL_F32, .channels = 1},
        {.address = b->in, .width = W, .height = H, .depth = 2, .layers = 2, .texel = SIM_TEXEL_F32, .channels = 1},
        {.address = b->in, .width = W, .height = H, .depth = 2, .slice = 8, .texel = SIM_TEXEL_F32, .channels = 1},
        {.address = b->in,
         .width = W,
         .height = H,
         .depth = 2,
         .slice = UINT64_MAX - 3,
         .texel = SIM_TEXEL_F32,
         .channels = 1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_that(sim_texture_make(b->s, &bad[i], &none, &b->e) == SIM_E_ARGUMENT, "texture %d cannot be made",
                   (int)i);
}

static void tests(bench *b)
{
    for (size_t i = 0; i < sizeof texels / 4; i++) (&texels[0][0][0])[i] = (float)((int)(rnd() % 64) - 32) / 4;
    for (size_t i = 0; i < sizeof faces / 4; i++) (&faces[0][0][0])[i] = (float)((int)(rnd() % 64) - 32) / 4;
    test_volumes(b);
    test_near(b);
    test_cubes(b);
    test_references(b);
    test_parameter(b, false);
    test_clock();
    test_queries(b);
    test_surfaces(b);
    test_formats(b);
    test_reductions(b);
    test_wrong(b);
}
