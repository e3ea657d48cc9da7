/* wgmma_ops.c: products of matrices by a warpgroup.
 *
 * 1. Small whole numbers against plain loops: every N, type and layout of shared memory. `place`
 *    says where an element lies; a card agreed with all of its layouts.
 * 2. Single results that a card computed (wgmma_card.txt): the bits must be the same.
 * 3. What runs in the background: registers before the wait, groups, waits.
 * 4. Mistakes that must be found, each beside its cure, which must be silent.
 * 5. Registers that setmaxnreg moves, and deadlocks.
 * 6. A whole kernel (wgmma_product.cu, as nvcc compiles it) against sums in double; and the same
 *    with one line left out.
 * 7. Clocks, against those measured on a card.
 */
#define KERNEL_WITHOUT_MAIN
#include "kernel.h"
#include <ctype.h>

enum { SHARED = 65536, THREADS = 128, MOST_THREADS = 384, MOST_D = 128, PARAMS = 2 };
enum { AT_C = SHARED, AT_A = AT_C + MOST_THREADS * MOST_D * 4 };
enum { IN_BYTES = AT_A + MOST_THREADS * 16, OUT_BYTES = MOST_THREADS * MOST_D * 4 };
static unsigned char in_image[IN_BYTES];
static uint32_t out_image[OUT_BYTES / 4];
static uint64_t in_at, out_at;

/* ---- types ---- */
static const struct type {
    const char *name;
    int bits;
    uint32_t whole[4]; /* 0, 1, 2, 3 */
    uint32_t sign;
} types[] = {
    {"f16", 16, {0, 0x3c00, 0x4000, 0x4200}, 0x8000},
    {"bf16", 16, {0, 0x3f80, 0x4000, 0x4040}, 0x8000},
    {"tf32", 32, {0, 0x3f800000, 0x40000000, 0x40400000}, 0x80000000},
    {"e4m3", 8, {0, 0x38, 0x40, 0x44}, 0x80},
    {"e5m2", 8, {0, 0x3c, 0x40, 0x42}, 0x80},
    {"s8", 8, {0, 1, 2, 3}, 0},
    {"u8", 8, {0, 1, 2, 3}, 0},
    {"b1", 1, {0, 1, 0, 1}, 0},
};
static const struct type *type_of(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == length && !memcmp(types[i].name, name, length)) return &types[i];
    abort();
}
static uint32_t encode(const struct type *t, int v)
{
    if (!strcmp(t->name, "s8")) return (uint32_t)v & 0xff;
    return v < 0 ? t->whole[-v] | t->sign : t->whole[v];
}
/* The value of a result: f32, s32, or f16 of a whole number. */
static double decode(const char *d, uint32_t u)
{
    float f;
    memcpy(&f, &u, 4);
    if (d[1] == '3' && d[0] == 'f') return (double)f;
    if (d[0] == 's') return (double)(int32_t)u;
    const int e = u >> 10 & 31, m = u & 1023;
    return ldexp(e ? m + 1024 : m, (e ? e : 1) - 25) * (u >> 15 & 1 ? -1 : 1);
}

/* ---- layouts ---- */
/* swizzle: bytes. rows: of m or n, not k, are neighbours. */
typedef struct layout {
    int swizzle, rows, lead, stride, start, base;
} layout;
static uint32_t place(const layout *l, int row, int k, int bits)
{
    const int byte = k * bits / 8, w = l->swizzle;
    int at;
    if (!l->rows && !w) at = row % 8 * 16 + row / 8 * l->stride + byte / 16 * l->lead + byte % 16;
    else if (!l->rows) at = row % 8 * w + row / 8 * l->stride + byte;
    else if (!w) at = row % 8 * 2 + k % 8 * 16 + row / 8 * l->stride + k / 8 * l->lead;
    else at = row % (w / 2) * 2 + k % 8 * w + row / (w / 2) * l->lead + k / 8 * l->stride;
    at += l->start;
    if (w) at ^= (((at >> 7) - l->base) & (w / 16 - 1)) << 4;
    return (uint32_t)at;
}
static layout plain(int swizzle, int rows, int count, int start)
{
    layout l = {swizzle, rows, 128, 256, start, 0};
    if (!rows && swizzle) l.stride = 8 * swizzle, l.lead = 16;
    if (rows && !swizzle) l.stride = 128, l.lead = 128 * (count / 8);
    if (rows && swizzle) l.stride = 8 * swizzle, l.lead = 16 * swizzle;
    return l;
}
static uint64_t descriptor(const layout *l)
{
    const uint64_t mode = l->swizzle == 128 ? 1 : l->swizzle == 64 ? 2 : l->swizzle == 32 ? 3 : 0;
    return (uint64_t)(l->start >> 4) | (uint64_t)(l->lead >> 4) << 16 | (uint64_t)(l->stride >> 4) << 32 |
           (uint64_t)l->base << 49 | mode << 62;
}
static void put_bits(unsigned char *p, uint32_t at, int bits, int k, uint32_t v)
{
    if (bits == 1) p[at] = (unsigned char)((p[at] & ~(1 << k % 8)) | (int)v << k % 8);
    else memcpy(p + at, &v, (size_t)bits / 8);
}

/* ---- kernels ---- */
/* Shared memory is filled from `in`, D and A's registers too. `product` is what is tested; D goes
 * to `out`. %rd10, %rd11: descriptors of A and B. */
static void write_kernel(text *t, const char *head, int d, uint64_t a, uint64_t b, const char *product)
{
    t->n = 0;
    put(t,
        ".version 8.3\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)%s\n{\n"
        ".shared .align 1024 .b8 sh[%d];\n.reg .pred %%p<4>; .reg .b32 %%r<40>; .reg .b64 %%rd<20>; .reg .b32 "
        "%%d<130>;\n"
        "ld.param.u64 %%rd1, [in];\nld.param.u64 %%rd2, [out];\nmov.u32 %%r1, %%tid.x;\n"
        "mul.wide.u32 %%rd3, %%r1, 16;\nadd.u64 %%rd4, %%rd1, %%rd3;\nmov.u32 %%r2, sh;\nshl.b32 %%r3, %%r1, "
        "4;\nadd.u32 %%r2, %%r2, %%r3;\nmov.u32 %%r4, 0;\n"
        "setp.ge.u32 %%p1, %%r1, 128;\n@%%p1 bra filled;\n"
        "fill:\nld.global.v4.u32 {%%r5, %%r6, %%r7, %%r8}, [%%rd4];\nst.shared.v4.u32 [%%r2], {%%r5, %%r6, %%r7, "
        "%%r8};\n"
        "add.u64 %%rd4, %%rd4, 2048;\nadd.u32 %%r2, %%r2, 2048;\nadd.u32 %%r4, %%r4, 1;\nsetp.lt.u32 %%p1, %%r4, "
        "%d;\n@%%p1 bra fill;\n"
        "filled:\nmul.wide.u32 %%rd5, %%r1, %d;\nadd.u64 %%rd6, %%rd1, %%rd5;\nadd.u64 %%rd7, %%rd2, %%rd5;\n"
        "add.u64 %%rd8, "
        "%%rd1, %%rd3;\n",
        head, SHARED, SHARED / 2048, MOST_D * 4);
    for (int i = 0; i < d; i++) put(t, "ld.global.u32 %%d%d, [%%rd6 + %d];\n", i, AT_C + 4 * i);
    put(t, "ld.global.v4.u32 {%%r10, %%r11, %%r12, %%r13}, [%%rd8 + %d];\n", AT_A);
    put(t, "mov.u32 %%r2, sh;\ncvt.u64.u32 %%rd9, %%r2;\nshr.u64 %%rd9, %%rd9, 4;\n");
    put(t, "add.u64 %%rd10, %%rd9, %llu;\nadd.u64 %%rd11, %%rd9, %llu;\nsetp.eq.u32 %%p2, 0, 0;\n",
        (unsigned long long)a, (unsigned long long)b);
    put(t, "%s\n", product);
    for (int i = 0; i < d; i++) put(t, "st.global.u32 [%%rd7 + %d], %%d%d;\n", 4 * i, i);
    put(t, "ret;\n}\n");
}
static const char before[] = "fence.proxy.async;\nbar.sync 0;\nwgmma.fence.sync.aligned;\n",
                  after[] = "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";

/* "{%d0, %d1, ...}" */
static const char *d_list(int d, char *to)
{
    char *at = to;
    for (int i = 0; i < d; i++) at += sprintf(at, "%s%%d%d", i ? ", " : "{", i);
    strcpy(at, "}");
    return to;
}

static int run_kernel(bench *b, const text *t, unsigned threads, unsigned checks, sim_result *r)
{
    sim_module *m = load(b, t);
    uint64_t params[PARAMS] = {in_at, out_at};
    sim_launch l = {.kernel = "k",
                    .grid = {1, 1, 1},
                    .block = {threads, 1, 1},
                    .params = params,
                    .param_bytes = sizeof params,
                    .checks = checks,
                    .counts = SIM_COUNT_MEMORY,
                    .host_threads = 1,
                    .max_instructions = 10000000};
    memset(r, 0, sizeof *r);
    memset(out_image, 0, sizeof out_image);
    if (!m) return -1;
    sim_write(b->s, in_at, in_image, IN_BYTES, &b->e);
    sim_write(b->s, out_at, out_image, OUT_BYTES, &b->e);
    int code = sim_run(b->s, m, &l, r, &b->e);
    if (!code) code = r->code;
    sim_read(b->s, out_at, out_image, OUT_BYTES, &b->e);
    sim_unload(b->s, m);
    return code;
}

/* Which thread, and which register of D, has D[m][n]; of f16, in which half. */
static uint32_t *d_word(uint32_t *words, bool half, int m, int n, int *shift)
{
    const int thread = m / 16 * 32 + m % 8 * 4 + n % 8 / 2, i = n / 8 * 4 + m % 16 / 8 * 2 + n % 2;
    *shift = half ? i % 2 * 16 : 0;
    return &words[thread * MOST_D + (half ? i / 2 : i)];
}
static uint32_t get_d(bool half, int m, int n)
{
    int shift;
    const uint32_t *w = d_word(out_image, half, m, n, &shift);
    return half ? *w >> shift & 0xffff : *w;
}
static void set_c(bool half, int m, int n, uint32_t v)
{
    int shift;
    uint32_t *w = d_word((uint32_t *)(void *)(in_image + AT_C), half, m, n, &shift);
    *w = half ? (*w & ~(0xffffu << shift)) | v << shift : v;
}
/* A's rows as registers: register r of thread t has 4 bytes of row t / 4 % 8 + 8 (r % 2). */
static void set_a_registers(unsigned char rows[64][32])
{
    for (int t = 0; t < THREADS; t++)
        for (int r = 0; r < 4; r++)
            memcpy(in_image + AT_A + 16 * t + 4 * r,
                   rows[t / 32 * 16 + t % 32 / 4 + 8 * (r % 2)] + t % 4 * 4 + r / 2 * 16, 4);
}

/* The instruction for types "f32.f16.f16", say. */
static void write_product(char *to, const char *names, int n, int k, bool registers, int rows_a, int rows_b,
                          int minus_a, int minus_b, const char *scale)
{
    char list[2000];
    const bool half = names[0] == 'f' && names[1] == '1', whole = names[0] == 's', two = k == 16;
    to += sprintf(to, "wgmma.mma_async.sync.aligned.m64n%dk%d.%s%s %s, %s, %%rd11, %s", n, k, names,
                  k == 256 ? ".and.popc" : "", d_list(half ? n / 4 : n / 2, list),
                  registers ? "{%r10, %r11, %r12, %r13}" : "%rd10", scale);
    if (!whole) to += sprintf(to, ", %d, %d", minus_a, minus_b);
    if (two && !registers) to += sprintf(to, ", %d", rows_a);
    if (two) to += sprintf(to, ", %d", rows_b);
    strcpy(to, ";\n");
}

/* ---- 1. small whole numbers ---- */
static int small(void) { return (int)(rnd() >> 20 & 0xffff) % 7 - 3; }

static bool check_whole(bench *b, const char *names, int n, bool registers, layout la, layout lb, bool c, int minus_a,
                        int minus_b)
{
    static text t;
    static int av[64][256], bv[256][256], cv[64][256];
    static unsigned char rows[64][32];
    static char product[3000];
    const char *a_name = strchr(names, '.') + 1, *b_name = strchr(a_name, '.') + 1;
    const struct type *at = type_of(a_name, (size_t)(b_name - a_name - 1)), *bt = type_of(b_name, strlen(b_name));
    const int k_all = 256 / at->bits;
    const bool half = names[0] == 'f' && names[1] == '1', no_sign_a = *a_name == 'u', no_sign_b = *b_name == 'u';
    memset(in_image, 0x5a, SHARED);
    memset(rows, 0, sizeof rows);
    for (int m = 0; m < 64; m++)
        for (int k = 0; k < k_all; k++) {
            int v = at->bits == 1 ? (int)(rnd() >> 30 & 1) : small();
            if (no_sign_a) v = abs(v);
            av[m][k] = v;
            put_bits(rows[m], (uint32_t)(k * at->bits / 8), at->bits, k, encode(at, v));
            if (!registers) put_bits(in_image, place(&la, m, k, at->bits), at->bits, k, encode(at, v));
        }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < k_all; k++) {
            int v = bt->bits == 1 ? (int)(rnd() >> 30 & 1) : small();
            if (no_sign_b) v = abs(v);
            bv[i][k] = v;
            put_bits(in_image, place(&lb, i, k, bt->bits), bt->bits, k, encode(bt, v));
        }
    set_a_registers(rows);
    for (int m = 0; m < 64; m++)
        for (int i = 0; i < n; i++) {
            const int v = small();
            const float f = (float)v;
            uint32_t u = (uint32_t)v;
            if (names[0] == 'f') memcpy(&u, &f, 4);
            if (half) u = encode(&types[0], v);
            cv[m][i] = c ? v : 0;
            set_c(half, m, i, u);
        }
    strcpy(product, before);
    write_product(product + strlen(product), names, n, k_all, registers, la.rows, lb.rows, minus_a, minus_b,
                  c ? "%p2" : "!%p2");
    strcat(product, after);
    write_kernel(&t, "", half ? n / 4 : n / 2, descriptor(&la), descriptor(&lb), product);
    sim_result r;
    const int code = run_kernel(b, &t, THREADS, SIM_CHECK_ALL, &r);
    bool good = code == SIM_OK;
    if (code) printf("# code %d: %s %s\n", code, b->e.message, r.fault_count ? r.faults[0].message : "");
    if (code != -1) sim_result_free(&r);
    for (int m = 0; m < 64 && good; m++)
        for (int i = 0; i < n && good; i++) {
            int sum = 0;
            for (int k = 0; k < k_all; k++) sum += av[m][k] * bv[i][k];
            const double want = cv[m][i] + minus_a * minus_b * sum, got = decode(names, get_d(half, m, i));
            good = got == want;
            if (!good) printf("# D[%d][%d] is %g, not %g\n", m, i, got, want);
        }
    return good;
}

static void whole_numbers(bench *b)
{
    static const char *const all[] = {
        "f32.f16.f16",   "f16.f16.f16",   "f32.bf16.bf16", "f32.tf32.tf32", "f32.e4m3.e4m3", "f32.e4m3.e5m2",
        "f32.e5m2.e4m3", "f32.e5m2.e5m2", "f16.e4m3.e4m3", "f16.e4m3.e5m2", "f16.e5m2.e4m3", "f16.e5m2.e5m2",
        "s32.s8.s8",     "s32.s8.u8",     "s32.u8.s8",     "s32.u8.u8",     "s32.b1.b1"};
    static const int swizzles[] = {0, 32, 64, 128};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const char *a = strchr(all[i], '.') + 1;
        const bool two = !strncmp(a, "f16", 3) || !strncmp(a, "bf16", 4);
        bool good = true;
        for (int s = 0; s < 4; s++)
            for (int registers = 0; registers < 2; registers++) {
                const int later = swizzles[s] > 32 ? 32 : 0; /* further along a row of the tile */
                good &= check_whole(b, all[i], 16, registers, plain(swizzles[s], 0, 64, later),
                                    plain(swizzles[3 - s], 0, 16, 16384), true, 1, 1);
            }
        check_that(good, "%s, k first, all swizzles, A in memory and registers", all[i]);
        if (!two) continue;
        good = true;
        for (int s = 0; s < 4; s++)
            for (int which = 1; which < 4; which++)
                good &= check_whole(b, all[i], 64, false, plain(swizzles[s], which & 1, 64, 0),
                                    plain(swizzles[s], which >> 1, 64, 16384), true, 1, 1);
        good &= check_whole(b, all[i], 128, true, plain(0, 0, 64, 0), plain(128, 1, 128, 16384), true, 1, 1);
        check_that(good, "%s, rows first, all swizzles", all[i]);
    }
    for (int n = 8; n <= 256; n += 8) {
        const bool whole = n <= 32 || n % 16 == 0;
        bool good = check_whole(b, "f32.bf16.bf16", n, false, plain(128, 0, 64, 0), plain(128, 0, n, 16384),
                                n % 16 == 0, 1, 1) &&
                    check_whole(b, "f16.f16.f16", n, true, plain(0, 0, 64, 0), plain(0, 0, n, 16384), true, 1, 1);
        if (whole)
            good &= check_whole(b, "s32.s8.s8", n, false, plain(64, 0, 64, 0), plain(32, 0, n, 16384), true, 1, 1);
        check_that(good, "N of %d", n);
    }
    bool good = true;
    for (int base = 1; base < 8; base++) { /* tiles that begin within the pattern of the swizzle */
        layout lb = plain(128, 0, 64, 16384 + 128 * base);
        lb.base = base;
        good &= check_whole(b, "f32.f16.f16", 64, false, plain(0, 0, 64, 0), lb, true, 1, 1);
        lb.base = 0;
        good &= check_whole(b, "f32.f16.f16", 64, false, plain(0, 0, 64, 0), lb, true, 1, 1);
    }
    check_that(good, "base offset: the pattern begins with the tile, or lies fixed in memory");
    layout la = plain(32, 0, 64, 0), lb = plain(0, 0, 32, 32768);
    la.stride = 1024, lb.stride = 512, lb.lead = 4096;
    check_that(check_whole(b, "f32.e4m3.e5m2", 32, false, la, lb, true, 1, 1), "wide strides");
    good = check_whole(b, "f32.f16.f16", 16, false, plain(64, 0, 64, 0), plain(64, 0, 16, 16384), true, -1, 1) &&
           check_whole(b, "f32.tf32.tf32", 16, true, plain(64, 0, 64, 0), plain(64, 0, 16, 16384), true, 1, -1) &&
           check_whole(b, "f16.e5m2.e5m2", 16, false, plain(64, 0, 64, 0), plain(64, 0, 16, 16384), true, -1, -1);
    check_that(good, "imm-scale of -1");
    good = check_whole(b, "f32.f16.f16", 32, false, plain(64, 0, 64, 0), plain(64, 0, 32, 16384), false, 1, 1) &&
           check_whole(b, "s32.s8.s8", 32, true, plain(64, 0, 64, 0), plain(64, 0, 32, 16384), false, 1, 1);
    check_that(good, "scale-d false: D is replaced");
}

/* .satfinite: 127 * 127 * 32 more than fits stays at the end of the range; without, it wraps. */
static void saturation(bench *b)
{
    static text t;
    for (int saturates = 0; saturates < 2; saturates++) {
        char product[600], list[100];
        memset(in_image, 127, SHARED);
        for (int m = 0; m < 64; m++)
            for (int n = 0; n < 8; n++) set_c(false, m, n, n % 2 ? 2147483000 : 5);
        snprintf(product, sizeof product,
                 "%swgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8%s %s, %%rd10, %%rd11, %%p2;\n%s", before,
                 saturates ? ".satfinite" : "", d_list(4, list), after);
        const layout l = plain(0, 0, 64, 0);
        write_kernel(&t, "", 4, descriptor(&l), descriptor(&l), product);
        sim_result r;
        bool good = run_kernel(b, &t, THREADS, SIM_CHECK_ALL, &r) == SIM_OK;
        sim_result_free(&r);
        const uint32_t high = saturates ? INT32_MAX : (uint32_t)(2147483000u + 127u * 127u * 32u);
        for (int m = 0; m < 64; m++)
            for (int n = 0; n < 8; n++) good &= get_d(false, m, n) == (n % 2 ? high : 5 + 127 * 127 * 32);
        check_that(good, saturates ? ".satfinite" : "integers wrap");
    }
}

/* ---- 2. a card's bits ---- */
typedef struct record {
    char names[16];
    unsigned flags;
    unsigned char a[32], b[32];
    uint32_t c, d;
} record;
static void from_hex(const char *digits, unsigned char *to)
{
    for (int i = 0; i < 32; i++) {
        unsigned v;
        sscanf(digits + 2 * i, "%2x", &v);
        to[i] = (unsigned char)v;
    }
}
static bool read_record(FILE *f, record *r)
{
    char line[300], a[80], b[80];
    while (fgets(line, sizeof line, f)) {
        if (*line == '#') continue;
        if (sscanf(line, "%15s %u %79s %79s %x %x", r->names, &r->flags, a, b, &r->c, &r->d) != 6) return false;
        from_hex(a, r->a);
        from_hex(b, r->b);
        return true;
    }
    return false;
}
/* Up to eight records of one form as one product: record i is D[i][i]. */
static bool check_records(bench *b, const record *r, int count)
{
    static text t;
    static char product[1000];
    const char *a_name = strchr(r->names, '.') + 1;
    const struct type *at = type_of(a_name, strcspn(a_name, "."));
    const layout la = plain(0, 0, 64, 0), lb = plain(0, 0, 8, 16384);
    const bool half = r->names[0] == 'f' && r->names[1] == '1';
    memset(in_image, 0, IN_BYTES);
    for (int i = 0; i < count; i++) {
        for (int h = 0; h < 2; h++) {
            memcpy(in_image + la.start + i * 16 + h * la.lead, r[i].a + 16 * h, 16);
            memcpy(in_image + lb.start + i * 16 + h * lb.lead, r[i].b + 16 * h, 16);
        }
        set_c(half, i, i, r[i].c);
    }
    strcpy(product, before);
    write_product(product + strlen(product), r->names, 8, 256 / at->bits, false, 0, 0, r->flags & 2 ? -1 : 1,
                  r->flags & 4 ? -1 : 1, r->flags & 1 ? "!%p2" : "%p2");
    strcat(product, after);
    write_kernel(&t, "", half ? 2 : 4, descriptor(&la), descriptor(&lb), product);
    sim_result res;
    bool good = run_kernel(b, &t, THREADS, SIM_CHECK_ALL, &res) == SIM_OK;
    sim_result_free(&res);
    for (int i = 0; i < count && good; i++)
        if (get_d(half, i, i) != r[i].d) {
            printf("# %s: %08x, on the card %08x\n", r->names, get_d(half, i, i), r[i].d);
            good = false;
        }
    return good;
}
static void card_records(bench *b)
{
    static record r[8];
    record next;
    FILE *f = fopen("tests/unit/wgmma_card.txt", "r");
    int count = 0, all = 0;
    bool good = f != NULL;
    while (f && read_record(f, &next)) {
        if (count && (count == 8 || strcmp(r->names, next.names) || r->flags != next.flags)) {
            good &= check_records(b, r, count);
            count = 0;
        }
        r[count++] = next;
        all++;
    }
    if (count) good &= check_records(b, r, count);
    if (f) fclose(f);
    check_that(good && all == 472, "%d results of a card", all);
}

/* ---- 3. in the background ---- */
#define ONE   "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, %rd10, %rd11, %p2, 1, 1, 0, 0;\n"
#define OTHER "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d4, %d5, %d6, %d7}, %rd10, %rd11, %p2, 1, 1, 0, 0;\n"
#define BY_REGISTERS                                                                                                 \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, {%r10, %r11, %r12, %r13}, %rd11, %p2, " \
    "1, 1, "                                                                                                         \
    "0;\n"
#define FENCE  "wgmma.fence.sync.aligned;\n"
#define COMMIT "wgmma.commit_group.sync.aligned;\n"
#define WAIT   "wgmma.wait_group.sync.aligned 0;\n"
#define WAIT_1 "wgmma.wait_group.sync.aligned 1;\n"
#define READY  "fence.proxy.async;\nbar.sync 0;\n"

/* All of A and B are 1, C is 0: a product adds 16. */
static void write_ones(text *t, const char *head, const char *product)
{
    const layout l = plain(0, 0, 64, 0);
    memset(in_image, 0, IN_BYTES);
    for (int i = 0; i < SHARED; i += 2) in_image[i + 1] = 0x3c;
    for (int i = 0; i < THREADS * 16; i += 2) in_image[AT_A + i + 1] = 0x3c;
    write_kernel(t, head, 8, descriptor(&l), descriptor(&l), product);
}
static void background(bench *b)
{
    static text t;
    static const struct {
        const char *what, *product;
        float d0, d1, d4; /* of thread 77 */
    } cases[] = {
        {"several products on one D, in order", READY FENCE ONE ONE ONE COMMIT WAIT, 48, 48, 0},
        {"a register that is read before the wait has its old value", READY FENCE ONE COMMIT "mov.b32 %d4, %d0;\n" WAIT,
         16, 16, 0},
        {"wait_group 1 leaves the last group pending",
         READY FENCE ONE COMMIT OTHER COMMIT WAIT_1 "mov.b32 %d1, %d4;\n" WAIT, 16, 0, 16},
        {"an empty group counts", READY FENCE ONE COMMIT COMMIT WAIT_1 "mov.b32 %d4, %d0;\n" WAIT, 16, 16, 16},
        {"what was not committed is not waited for",
         READY FENCE ONE COMMIT OTHER WAIT "mov.b32 %d1, %d4;\n" COMMIT WAIT, 16, 0, 16},
        {"A in registers is read when the product is issued, at the latest",
         READY FENCE BY_REGISTERS COMMIT "mov.b32 %r10, 0;\n" WAIT, 16, 16, 0},
        {"a shared tile is read when somebody waits",
         READY FENCE ONE COMMIT "bar.sync 0;\nmov.u32 %r20, 0;\nst.shared.u32 [sh + 16], %r20;\nbar.sync 0;\n" WAIT, 16,
         14, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_ones(&t, "", cases[i].product);
        sim_result r;
        bool good = run_kernel(b, &t, THREADS, 0, &r) == SIM_OK;
        sim_result_free(&r);
        float d[8];
        memcpy(d, out_image + 77 * MOST_D, sizeof d);
        if (i == 6) { /* B's column 1 has lost two of its numbers; so have all threads that hold it */
            memcpy(d, out_image + 96 * MOST_D, sizeof d);
        }
        good &= d[0] == cases[i].d0 && d[1] == cases[i].d1 && d[4] == cases[i].d4;
        if (!good) printf("# %g %g %g\n", d[0], d[1], d[4]);
        check_that(good, "%s", cases[i].what);
    }
}

/* ---- 4. mistakes ---- */
static int line_of(const text *t, const char *what)
{
    const char *at = strstr(t->s, what);
    int line = 1;
    for (const char *p = t->s; at && p < at; p++) line += *p == '\n';
    return at ? line : -1;
}
/* `marked` is the line at fault, `thread` the first one; FIRST: the first of a warp, whichever comes first. */
enum { FIRST = 1000 };
static void mistake(bench *b, const char *name, const char *head, unsigned threads, const char *product,
                    enum sim_fault_kind kind, const char *marked, uint32_t thread, const char *says)
{
    static text t;
    write_ones(&t, head, product);
    sim_result r;
    const int code = run_kernel(b, &t, threads, SIM_CHECK_ALL, &r);
    bool good;
    if (!says) {
        good = code == SIM_OK && !r.fault_count;
        if (r.fault_count) printf("# %s\n", r.faults[0].message);
    } else {
        const sim_fault *f = r.fault_count ? r.faults : NULL;
        good = f && f->kind == kind && f->at.ptx_line == line_of(&t, marked) &&
               (thread == FIRST ? f->at.thread[0] % 32 == 0 : f->at.thread[0] == thread) && strstr(f->message, says) &&
               f->advice[0];
        if (!good && f)
            printf("# %s, line %d (not %d), thread %u: %s\n", sim_fault_name(f->kind), f->at.ptx_line,
                   line_of(&t, marked), f->at.thread[0], f->message);
    }
    if (code != -1) sim_result_free(&r);
    check_that(good, "%s%s", name, says ? "" : ": nothing is found");
}

static void mistakes(bench *b)
{
    const char *fine = NULL;
    mistake(b, "in order", "", THREADS, READY FENCE ONE COMMIT WAIT, 0, "", 0, fine);
    mistake(b, "D is read before the wait", "", THREADS, READY FENCE ONE COMMIT "add.f32 %d4, %d1, %d5;\n" WAIT,
            SIM_FAULT_RACE, "add.f32 %d4", FIRST, "reads register 1 of D");
    mistake(b, "D is read after the wait", "", THREADS, READY FENCE ONE COMMIT WAIT "add.f32 %d4, %d1, %d5;\n", 0, "",
            0, fine);
    mistake(b, "D is written before the wait", "", THREADS, READY FENCE ONE COMMIT "mov.b32 %d2, 0;\n" WAIT,
            SIM_FAULT_RACE, "mov.b32 %d2", FIRST, "writes register 2 of D");
    mistake(b, "A's register is written before the wait", "", THREADS,
            READY FENCE BY_REGISTERS COMMIT "mov.b32 %r11, 0;\n" WAIT, SIM_FAULT_RACE, "mov.b32 %r11", FIRST,
            "writes register 1 of A");
    mistake(b, "A's register is read before the wait", "", THREADS,
            READY FENCE BY_REGISTERS COMMIT "mov.b32 %r20, %r11;\n" WAIT, 0, "", 0, fine);
    mistake(b, "only some lanes read it", "", THREADS,
            READY FENCE ONE COMMIT "setp.eq.u32 %p3, %r1, 70;\n@%p3 add.f32 %d4, %d1, %d5;\n" WAIT, SIM_FAULT_RACE,
            "@%p3 add.f32", 70, "reads register 1 of D");
    mistake(b, "a group too few is waited for", "", THREADS,
            READY FENCE ONE COMMIT OTHER COMMIT WAIT_1 "add.f32 %d1, %d4, %d4;\n" WAIT, SIM_FAULT_RACE, "add.f32 %d1",
            FIRST, "reads register 0 of D");
    mistake(b, "two groups, each waited for", "", THREADS,
            READY FENCE ONE COMMIT OTHER COMMIT WAIT_1 "add.f32 %d1, %d0, %d0;\n" WAIT, 0, "", 0, fine);
    mistake(b, "D of one product is A of the next", "", THREADS,
            READY FENCE ONE
            "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d4, %d5, %d6, %d7}, {%d0, %d1, %d2, %d3}, "
            "%rd11, %p2, 1, 1, 0;\n" COMMIT WAIT,
            SIM_FAULT_RACE, "{%d4, %d5, %d6, %d7}, {%d0", FIRST, "reads register 0 of D");
    mistake(b, "no fence before the first product", "", THREADS, READY ONE COMMIT WAIT, SIM_FAULT_RACE,
            "wgmma.mma_async", FIRST, "no wgmma.fence comes before this product");
    mistake(b, "no fence after a write", "", THREADS,
            READY FENCE OTHER COMMIT WAIT "mul.f32 %d5, %d5, %d5;\n/* again */ " OTHER COMMIT WAIT, SIM_FAULT_RACE,
            "/* again */", FIRST, "between the write of register %d5 at line");
    mistake(b, "a fence after the write", "", THREADS,
            READY FENCE OTHER COMMIT WAIT "mul.f32 %d5, %d5, %d5;\n" FENCE OTHER COMMIT WAIT, 0, "", 0, fine);
    mistake(b, "a compiler moves the write past the fence", "", THREADS,
            READY FENCE OTHER COMMIT WAIT FENCE "mul.f32 %d5, %d5, %d5;\n" OTHER COMMIT WAIT, 0, "", 0, fine);
    mistake(b, "no proxy fence after the stores", "", THREADS, "bar.sync 0;\n" FENCE ONE COMMIT WAIT, SIM_FAULT_RACE,
            "wgmma.mma_async", FIRST, "no fence.proxy.async between the store and the product");
    mistake(b, "no barrier after the stores", "", THREADS, "fence.proxy.async;\n" FENCE ONE COMMIT WAIT, SIM_FAULT_RACE,
            "wgmma.mma_async", FIRST, "no __syncthreads() orders the two");
    mistake(b, "the tile is overwritten before the wait", "", THREADS,
            READY FENCE ONE COMMIT
            "bar.sync 0;\nsetp.eq.u32 %p3, %r1, 66;\n@%p3 st.shared.u32 [sh + 32], %r1;\nbar.sync "
            "0;\n" WAIT,
            SIM_FAULT_RACE, "@%p3 st.shared", 66, "the product has not been waited for");
    mistake(b, "the tile is overwritten after the wait", "", THREADS,
            READY FENCE ONE COMMIT WAIT "bar.sync 0;\nsetp.eq.u32 %p3, %r1, 66;\n@%p3 st.shared.u32 [sh + 32], %r1;\n",
            0, "", 0, fine);
    /* the copy is issued before the wait, and lands after it: only here, by chance */
    const char
        *bulk = "bar.sync 0;\nmov.u32 %r20, sh;\nadd.u32 %r21, %r20, 60000;\nsetp.eq.u32 %p3, %r1, 0;\n"
                "@%p3 mbarrier.init.shared.b64 "
                "[%r21], 1;\n",
        *copy = "@%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r20], [%rd1], 64, [%r21];\n";
    static char early[1500], late[1500];
    snprintf(early, sizeof early, "%s%s%s%s", bulk, READY FENCE ONE COMMIT, copy, WAIT);
    snprintf(late, sizeof late, "%s%s%s", bulk, READY FENCE ONE COMMIT WAIT "bar.sync 0;\n", copy);
    mistake(b, "a bulk copy to the tile before the wait", "", THREADS, early, SIM_FAULT_RACE, "@%p3 cp.async", 0,
            "the product has not been waited for");
    mistake(b, "a bulk copy to the tile after the wait", "", THREADS, late, 0, "", 0, fine);
    mistake(b, "another part is written before the wait", "", THREADS,
            READY FENCE ONE COMMIT "st.shared.u32 [%r2 + 32768], %r1;\n" WAIT, SIM_FAULT_RACE,
            "st.shared.u32 [%r2 + 32768]", 0, "nothing orders the two stores");
}

static void descriptors(bench *b)
{
    static const struct {
        const char *name, *before;
        enum sim_fault_kind kind;
        const char *says;
    } cases[] = {
        {"outside of shared memory", "add.u64 %rd10, %rd10, 4090;\n", SIM_FAULT_OUT_OF_BOUNDS,
         "of matrix A lies at byte 66976 of shared memory, outside of the block's variables"},
        {"a stride that leads outside", "add.u64 %rd10, %rd10, 0xf0000000000;\n", SIM_FAULT_OUT_OF_BOUNDS,
         "stride byte offset 61696"},
        {"stride 0", "and.b64 %rd10, %rd10, 0xffff0000ffffffff;\n", SIM_FAULT_BAD_OPERAND,
         "the descriptor of A (0x0000000000080000): its stride byte offset (bits 32 to 45) is 0"},
        {"leading offset 0", "and.b64 %rd11, %rd11, 0xffffffff0000ffff;\n", SIM_FAULT_BAD_OPERAND,
         "its leading byte offset (bits 16 to 29) is 0"},
        {"bits of no field", "or.b64 %rd11, %rd11, 0x0100000000000000;\n", SIM_FAULT_BAD_OPERAND,
         "bits outside of all fields"},
        {"a base offset without swizzle", "or.b64 %rd11, %rd11, 0x0002000000000000;\n", SIM_FAULT_BAD_OPERAND,
         "its base offset (bits 49 to 51)"},
        {"threads that disagree", "cvt.u64.u32 %rd12, %r1;\nadd.u64 %rd11, %rd11, %rd12;\n", SIM_FAULT_BAD_OPERAND,
         "the descriptor of B differs between threads"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char product[600];
        snprintf(product, sizeof product, "%s%s%s", READY FENCE, cases[i].before, ONE COMMIT WAIT);
        mistake(b, cases[i].name, "", THREADS, product, cases[i].kind, "wgmma.mma_async", i == 6 ? 97 : FIRST,
                cases[i].says);
    }
    /* half of shared memory is never written */
    mistake(b, "unwritten memory", ".maxntid 128, 1, 1", THREADS,
            READY "bra past;\n.shared .align 128 .b8 bare[4096];\npast:\nmov.u32 %r20, bare;\nshr.u32 %r20, %r20, 4;\n"
                  "cvt.u64.u32 %rd12, %r20;\nadd.u64 %rd11, %rd12, 0x1000080000;\n" FENCE ONE COMMIT WAIT,
            SIM_FAULT_UNINITIALISED, "wgmma.mma_async", FIRST, "of shared bare (byte 192), which was never written");
}

/* ---- 5. four warps, and their registers ---- */
static void together(bench *b)
{
    mistake(b, "96 threads", "", 96, READY FENCE ONE COMMIT WAIT, SIM_FAULT_BAD_OPERAND, "wgmma.fence", FIRST,
            "this takes a warpgroup: four whole warps");
    mistake(b, "a warp that does not come", "", THREADS,
            READY "setp.ge.u32 %p3, %r1, 96;\n@%p3 bra past;\n" FENCE ONE COMMIT WAIT "past:\n", SIM_FAULT_DEADLOCK,
            "wgmma.wait_group", 0, "that warp 3 of its warpgroup has not issued");
    mistake(b, "warps at different products", "", THREADS,
            READY FENCE "setp.ge.u32 %p3, %r1, 96;\n@%p3 bra other;\n" ONE "bra past;\nother:\n" OTHER
                        "past:\n" COMMIT WAIT,
            SIM_FAULT_WARP_APART, "{%d0, %d1, %d2, %d3}", FIRST,
            "warp 0 of the block issues this product while warp 3");
    mistake(b, "lanes that are elsewhere", "", THREADS,
            READY FENCE "setp.eq.u32 %p3, %r1, 37;\n@%p3 bra past;\n" ONE "past:\n" COMMIT WAIT, SIM_FAULT_DEADLOCK,
            "wgmma.wait_group", FIRST, "that warp 1 of its warpgroup has not issued");
    const char *bounds = ".maxntid 256, 1, 1 .minnctapersm 1";
    mistake(
        b, "registers from one warpgroup to the other", ".maxntid 384, 1, 1", 384,
        "setp.lt.u32 %p3, %r1, 128;\n@%p3 setmaxnreg.dec.sync.aligned.u32 40;\n@!%p3 setmaxnreg.inc.sync.aligned.u32 "
        "232;\n",
        0, "", 0, NULL);
    mistake(
        b, "registers that nobody gives back", ".maxntid 384, 1, 1", 384,
        "setp.lt.u32 %p3, %r1, 128;\n@%p3 setmaxnreg.dec.sync.aligned.u32 40;\n@!%p3 setmaxnreg.inc.sync.aligned.u32 "
        "240;\n",
        SIM_FAULT_DEADLOCK, "@!%p3 setmaxnreg.inc", 352,
        "setmaxnreg for 240 registers per thread, which no other warp");
    mistake(b, "more than it has already", bounds, 256, "setmaxnreg.inc.sync.aligned.u32 232;\n", 0, "", 0, NULL);
}

/* ---- 6. a whole kernel ---- */
enum { SIDE = 256, DEPTH = 320 };
static double from_bf16(uint16_t u)
{
    const uint32_t w = (uint32_t)u << 16;
    float f;
    memcpy(&f, &w, 4);
    return (double)f;
}
static int run_product(bench *b, sim_module *m, uint64_t params[4], sim_result *r)
{
    sim_launch l = {.kernel = "product",
                    .grid = {SIDE / 128, SIDE / 128, 1},
                    .block = {256, 1, 1},
                    .shared_bytes = 65536,
                    .params = params,
                    .param_bytes = 32,
                    .checks = SIM_CHECK_ALL,
                    .host_threads = 1,
                    .max_instructions = 10000000};
    const int code = sim_run(b->s, m, &l, r, &b->e);
    return code ? code : r->code;
}
static void whole_kernel(bench *b)
{
    /* a line left out: what is found then */
    static const struct {
        const char *line;
        int times; /* which one of these */
        const char *says;
    } cases[] = {
        {NULL, 0, NULL},
        {"fence.proxy.async.shared::cta;", 1, "no fence.proxy.async between the store and the product"},
        {"wgmma.wait_group.sync.aligned 1;", 1, "the product has not been waited for"},
        {"bar.sync", 1, "the product has not been waited for"},
        {"bar.sync", 2, "which was never written"},
        {"wgmma.fence.sync.aligned;", 1, "no wgmma.fence comes before this product"},
        {"wgmma.wait_group.sync.aligned 0;", 1, "of D of the product at"},
    };
    static uint16_t av[SIDE * DEPTH], bv[SIDE * DEPTH];
    static float cv[SIDE * SIDE];
    static char ptx[65536];
    FILE *f = fopen("tests/unit/wgmma_product.ptx", "r");
    const size_t length = f ? fread(ptx, 1, sizeof ptx - 1, f) : 0;
    if (f) fclose(f);
    uint64_t a, bb, c;
    for (int i = 0; i < SIDE * DEPTH; i++) {
        av[i] = (uint16_t)(0x3e00 + (rnd() >> 40 & 0x81ff));
        bv[i] = (uint16_t)(0x3e00 + (rnd() >> 40 & 0x81ff));
    }
    if (sim_alloc(b->s, sizeof av, "a", &a, &b->e) || sim_alloc(b->s, sizeof bv, "b", &bb, &b->e) ||
        sim_alloc(b->s, sizeof cv, "c", &c, &b->e))
        abort();
    sim_write(b->s, a, av, sizeof av, &b->e);
    sim_write(b->s, bb, bv, sizeof bv, &b->e);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static char changed[sizeof ptx];
        memcpy(changed, ptx, length + 1);
        char *at = changed;
        for (int n = 0; n < cases[i].times && at; n++) at = strstr(at + (n > 0), cases[i].line);
        if (at && cases[i].line) memset(at, ' ', strcspn(at, ";") + 1);
        sim_module *m;
        sim_result r;
        memset(&r, 0, sizeof r);
        uint64_t params[4] = {a, bb, c, SIDE | (uint64_t)DEPTH << 32};
        if (!at || !length || sim_load(b->s, "wgmma_product.ptx", changed, length, &m, &b->e)) {
            check_that(false, "a whole kernel: %s", b->e.message);
            continue;
        }
        const int code = run_product(b, m, params, &r);
        bool good =
            cases[i].says ? r.fault_count && strstr(r.faults[0].message, cases[i].says) : !code && !r.fault_count;
        if (!good || (r.fault_count && !cases[i].says))
            printf("# %s\n", r.fault_count ? r.faults[0].message : b->e.message);
        sim_read(b->s, c, cv, sizeof cv, &b->e);
        for (int y = 0; y < SIDE && !cases[i].says && good; y++)
            for (int x = 0; x < SIDE && good; x++) {
                double sum = 0, size = 0;
                for (int k = 0; k < DEPTH; k++) {
                    const double one = from_bf16(av[y * DEPTH + k]) * from_bf16(bv[x * DEPTH + k]);
                    sum += one;
                    size += fabs(one);
                }
                /* each of 20 products cuts 17 numbers, at 2^-24 of the sum of sizes, and the sum */
                good = fabs((double)cv[y * SIDE + x] - sum) <= size * 20 * 18 * 0x1p-24;
                if (!good) printf("# c[%d][%d] is %g, not %g\n", y, x, (double)cv[y * SIDE + x], sum);
            }
        sim_result_free(&r);
        sim_unload(b->s, m);
        check_that(good, "a whole kernel%s%s", cases[i].line ? " without " : "", cases[i].line ? cases[i].line : "");
    }
}

/* ---- 7. time ---- */
/* An H200 took this long from the fence to the end of the wait (n64, A in shared memory; 16 products
 * in one group; the same with two warpgroups): 99 and 32 more per product; N + 70 for one each, and 64 more. */
static void clocks(void)
{
    static const struct {
        int products;
        unsigned threads;
        double want;
    } cases[] = {{1, 128, 99}, {16, 128, 99 + 15 * 32}, {1, 256, 134}, {16, 256, 134 + 15 * 64}};
    static text t;
    static char card_text[65536];
    static sim_card h200;
    static const char zeros[65536];
    bench b = {0};
    FILE *f = fopen("sim/cards/h200.card", "r");
    const size_t length = f ? fread(card_text, 1, sizeof card_text - 1, f) : 0;
    if (f) fclose(f);
    if (!length || sim_card_read(&h200, card_text, "h200", &b.e) || sim_open(&b.s, &h200, &b.e)) {
        check_that(false, "the card of the clock: %s", b.e.message);
        return;
    }
    sim_alloc(b.s, sizeof zeros, "out", &b.out, &b.e);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char list[600];
        d_list(32, list);
        t.n = 0;
        put(&t,
            ".version 8.3\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
            ".shared .align 1024 .b8 sh[32768];\n.reg .pred %%p<4>; .reg .b32 %%r<10>; .reg .b64 %%rd<10>; "
            ".reg .b32 %%d<33>;\n"
            "ld.param.u64 %%rd1, [out];\nmov.u32 %%r1, %%tid.x;\nmov.u32 %%r2, sh;\nmov.u32 %%r4, 0;\n"
            "mad.lo.u32 %%r3, %%r1, 4, %%r2;\n"
            "fill: st.shared.u32 [%%r3], 0;\nadd.u32 %%r3, %%r3, %u;\nadd.u32 %%r4, %%r4, %u;\nsetp.lt.u32 %%p1, %%r4, "
            "32768;\n@%%p1 bra fill;\n"
            "cvt.u64.u32 %%rd2, %%r2;\nshr.u64 %%rd2, %%rd2, 4;\nadd.u64 %%rd2, %%rd2, 0x1000080000;\n"
            "mov.u32 %%r5, 0;\n",
            4 * cases[i].threads, 4 * cases[i].threads);
        for (int d = 0; d < 32; d++) put(&t, "mov.b32 %%d%d, 0;\n", d);
        put(&t, "fence.proxy.async;\nturn:\nbar.sync 0;\nmov.u64 %%rd3, %%clock64;\nwgmma.fence.sync.aligned;\n");
        for (int k = 0; k < cases[i].products; k++)
            put(&t, "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 %s, %%rd2, %%rd2, 1, 1, 1, 0, 0;\n", list);
        put(&t,
            COMMIT WAIT "mov.u64 %%rd4, %%clock64;\nsub.u64 %%rd4, %%rd4, %%rd3;\nbar.sync 0;\nadd.u32 %%r5, %%r5, 1;\n"
                        "setp.lt.u32 %%p1, %%r5, 3;\n@%%p1 bra turn;\nmad.wide.u32 %%rd5, %%r1, 8, %%rd1;\n"
                        "st.global.u64 [%%rd5], %%rd4;\n");
        for (int d = 0; d < 32; d++) put(&t, "st.global.u32 [%%rd1 + %d], %%d%d;\n", 4096 + 4 * d, d);
        put(&t, "ret;\n}\n");
        sim_module *m = load(&b, &t);
        sim_launch l = {.kernel = "k",
                        .grid = {1, 1, 1},
                        .block = {cases[i].threads, 1, 1},
                        .params = &b.out,
                        .param_bytes = 8,
                        .timed = true,
                        .host_threads = 1,
                        .max_instructions = 1000000};
        sim_result r;
        memset(&r, 0, sizeof r);
        uint64_t got[256] = {0}, most = 0;
        const bool ran = m && !sim_run(b.s, m, &l, &r, &b.e) && !r.code;
        sim_read(b.s, b.out, got, sizeof got, &b.e);
        for (unsigned k = 0; k < cases[i].threads; k++) most = got[k] > most ? got[k] : most;
        const bool good = ran && fabs((double)most - cases[i].want) <= 0.04 * cases[i].want &&
                          r.total.by_stall[SIM_STALL_PRODUCT] > 0;
        if (!good) printf("# %llu clocks, not %g: %s\n", (unsigned long long)most, cases[i].want, b.e.message);
        sim_result_free(&r);
        if (m) sim_unload(b.s, m);
        check_that(good, "%d products by each of %u warpgroups: %.0f clocks", cases[i].products, cases[i].threads / 128,
                   cases[i].want);
    }
    sim_close(b.s);
}

/* ---- what is refused, and counted ---- */
static void refusals(bench *b)
{
    static const struct {
        const char *product, *says;
    } cases[] = {
        {"wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%d0, %d1, %d2, %d3}, %rd10, %rd11, %r10, 0, %p2, 1, 1, "
         "0, 0;",
         "sparse"},
        {"wgmma.mma_async.sync.aligned.m64n8k8.f32.f16.f16 {%d0, %d1, %d2, %d3}, %rd10, %rd11, %p2, 1, 1, 0, 0;",
         "shape"},
        {"wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8 {%d0, %d1, %d2, %d3}, %rd10, %rd11, %p2;", "integers"},
        {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.bf16 {%d0, %d1, %d2, %d3}, %rd10, %rd11, %p2, 1, 1, 0, 0;",
         "types"},
        {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2}, %rd10, %rd11, %p2, 1, 1, 0, 0;",
         "registers of D"},
        {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, %rd10, %rd11, %p2, 2, 1, 0, 0;",
         "1 or -1"},
        {"wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%d0, %d1, %d2, %d3}, %rd10, %rd11, %p2, 1, 1, 0, 0;",
         "too many operands"},
        {"wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1 {%d0, %d1, %d2, %d3}, %rd10, %rd11, %p2;", ".and.popc"},
        {"wgmma.fence.aligned;", ".sync.aligned"},
    };
    static text t;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sim_module *m = NULL;
        write_ones(&t, "", cases[i].product);
        const int code = sim_load(b->s, "case.ptx", t.s, t.n, &m, &b->e);
        const bool good = code == SIM_E_REFUSED && strstr(b->e.message, cases[i].says) && strstr(b->e.message, "wgmma");
        if (!good) printf("# %d: %s\n", code, b->e.message);
        if (!code) sim_unload(b->s, m);
        check_that(good, "refused: %.60s", cases[i].product);
    }
    write_ones(&t, "", READY FENCE ONE ONE COMMIT WAIT);
    sim_result r;
    bool good = run_kernel(b, &t, THREADS, 0, &r) == SIM_OK;
    /* two products of 64 x 8 x 16, an addition and a multiplication each */
    good &= r.total.matrix_operations == 2 * 2 * 64 * 8 * 16;
    if (!good) printf("# %llu\n", (unsigned long long)r.total.matrix_operations);
    sim_result_free(&r);
    check_that(good, "matrix operations are counted");
}

int main(void)
{
    const uint64_t began = seed;
    for (isa_begin(); isa_next();) {
        bench b = {0};
        seed = began;
        if (open_bench(&b) && !sim_alloc(b.s, IN_BYTES, "in", &in_at, &b.e) &&
            !sim_alloc(b.s, OUT_BYTES, "out", &out_at, &b.e)) {
            whole_numbers(&b);
            saturation(&b);
            card_records(&b);
            background(&b);
            mistakes(&b);
            descriptors(&b);
            together(&b);
            whole_kernel(&b);
            refusals(&b);
            clocks();
        } else {
            check_count(false);
        }
        if (b.s) sim_close(b.s);
    }
    return isa_end();
}
