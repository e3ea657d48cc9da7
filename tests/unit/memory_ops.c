/* memory_ops.c: loads and stores, through PTX text and launches.
 *
 * Every case writes a small kernel for one warp, runs it with several sets of active lanes and
 * several patterns of addresses, and compares with the same operation in plain C. All cases run on
 * every instruction set that this build and processor have.
 */
#include "kernel.h"

/* ---- loads and stores ---- */
typedef struct type_row {
    const char *name;
    int bytes;
    bool is_signed, exact; /* exact: the register must have the type's width */
} type_row;
static const type_row types[] = {{"b8", 1, 0, 0},  {"u8", 1, 0, 0},  {"s8", 1, 1, 0},  {"b16", 2, 0, 0},
                                 {"u16", 2, 0, 0}, {"s16", 2, 1, 0}, {"b32", 4, 0, 0}, {"u32", 4, 0, 0},
                                 {"s32", 4, 1, 0}, {"f32", 4, 0, 1}, {"b64", 8, 0, 0}, {"u64", 8, 0, 0},
                                 {"s64", 8, 1, 0}, {"f64", 8, 0, 1}};
enum { TYPES = sizeof types / sizeof types[0] };

enum {
    IN_GLOBAL,
    IN_SHARED,
    IN_SHARED_WIDE,
    IN_GENERIC,
    IN_GENERIC_SHARED,
    IN_GENERIC_LOCAL,
    IN_LOCAL,
    IN_CONST,
    SPACES
};
static const char *const space_names[SPACES] = {
    "global", "shared", "shared by 64 bits", "generic", "generic shared", "generic local", "local", "const"};

static const char *suffix_of(int space)
{
    static const char *const s[SPACES] = {".global", ".shared", ".shared", "", "", "", ".local", ".const"};
    return s[space];
}
static const char *variables_of(int space)
{
    switch (space) {
    case IN_SHARED:
    case IN_SHARED_WIDE:
    case IN_GENERIC_SHARED: return ".shared .align 16 .b8 room[1056];";
    case IN_LOCAL:
    case IN_GENERIC_LOCAL: return ".local .align 16 .b8 room[1056];";
    default: return "";
    }
}

/* %rd10 (or %r10): address of the space's 1024 bytes. */
static void base_address(text *t, int space, bool store)
{
    switch (space) {
    case IN_GLOBAL:
    case IN_GENERIC: put(t, "mov.u64 %%rd10, %s;\n", store ? "%rd2" : "%rd1"); break;
    case IN_SHARED: put(t, "mov.u32 %%r10, room;\n"); break;
    case IN_SHARED_WIDE:
    case IN_LOCAL: put(t, "mov.u64 %%rd10, room;\n"); break;
    case IN_GENERIC_SHARED: put(t, "mov.u64 %%rd10, room;\ncvta.shared.u64 %%rd10, %%rd10;\n"); break;
    case IN_GENERIC_LOCAL: put(t, "mov.u64 %%rd10, room;\ncvta.local.u64 %%rd10, %%rd10;\n"); break;
    default: put(t, "mov.u64 %%rd10, table;\n");
    }
}

/* Copies 1024 bytes between the space and a global buffer. Every thread copies all of it, so that
 * local memory works too. */
static void copy_loop(text *t, int space, bool to_space)
{
    if (space == IN_GLOBAL || space == IN_GENERIC || space == IN_CONST) return;
    const char *at = space == IN_SHARED ? "%r20" : "%rd20", *width = space == IN_SHARED ? "u32" : "u64";
    put(t, "mov.%s %s, %s;\nmov.u64 %%rd21, %s;\nmov.u32 %%r21, 0;\n%s:\n", width, at,
        space == IN_SHARED ? "%r10" : "%rd10", to_space ? "%rd1" : "%rd2", to_space ? "fill" : "drain");
    if (to_space) put(t, "ld.global.u32 %%r22, [%%rd21];\nst%s.u32 [%s], %%r22;\n", suffix_of(space), at);
    else put(t, "ld%s.u32 %%r22, [%s];\nst.global.u32 [%%rd21], %%r22;\n", suffix_of(space), at);
    put(t,
        "add.%s %s, %s, 4;\nadd.u64 %%rd21, %%rd21, 4;\nadd.u32 %%r21, %%r21, 4;\nsetp.lt.u32 %%p2, %%r21, "
        "1024;\n@%%p2 bra %s;\n",
        width, at, at, to_space ? "fill" : "drain");
}

static void const_table(text *t, const unsigned char *data)
{
    put(t, ".const .align 16 .b8 table[1024] = {");
    for (int i = 0; i < 1024; i++) put(t, "%s%u", i ? "," : "", data[i]);
    put(t, "};\n");
}

static const char *reg_name(int bits, const type_row *ty)
{
    if (ty->exact) return bits == 32 ? "f" : "fd";
    return bits == 16 ? "h" : bits == 32 ? "r" : "rd";
}

static void vector_operand(text *t, const char *reg, int first, int count, const char *separator)
{
    if (count > 1) put(t, "{");
    for (int k = 0; k < count; k++) put(t, "%s%%%s%d", k ? separator : "", reg, first + k);
    if (count > 1) put(t, "}");
}

static uint64_t read_le(const unsigned char *p, int bytes)
{
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++) v |= (uint64_t)p[i] << (8 * i);
    return v;
}

static uint64_t widened(uint64_t v, const type_row *ty, int bits)
{
    if (ty->is_signed && ty->bytes < 8 && v >> (8 * ty->bytes - 1)) v |= ~UINT64_C(0) << (8 * ty->bytes);
    return bits < 64 ? v & ((UINT64_C(1) << bits) - 1) : v;
}

static void effective_address(text *t, int space, int bytes)
{
    if (space == IN_SHARED) put(t, "mad.lo.u32 %%r11, %%r2, %d, %%r10;\n", bytes);
    else put(t, "mad.wide.u32 %%rd11, %%r2, %d, %%rd10;\n", bytes);
}

static bool test_load(bench *b, int space, const type_row *ty, int count, int bits, const char *qualifier, bool quiet)
{
    static text t;
    static text before;
    before.n = 0;
    before.s[0] = 0;
    if (space == IN_CONST) const_table(&before, pool);
    start(&t, before.s, variables_of(space));
    base_address(&t, space, false);
    copy_loop(&t, space, true);
    put(&t, "bar.sync 0;\n");
    int bytes = ty->bytes * count;
    effective_address(&t, space, bytes);
    const char *reg = reg_name(bits, ty);
    const char *vec = count == 1 ? "" : count == 2 ? ".v2" : ".v4";
    put(&t, "@!%%p1 bra done;\nld%s%s%s.%s ", qualifier, suffix_of(space), vec, ty->name);
    int first = ty->exact ? 1 : 30;
    vector_operand(&t, reg, first, count, ", ");
    put(&t, ", [%s];\n", space == IN_SHARED ? "%r11" : "%rd11");
    put(&t, "mad.wide.u32 %%rd12, %%r1, %d, %%rd2;\n", 8 * count);
    for (int k = 0; k < count; k++) {
        if (bits == 64)
            put(&t, "st.global.%s [%%rd12+%d], %%%s%d;\n", ty->exact ? "f64" : "u64", 8 * k, reg, first + k);
        else if (ty->exact)
            put(&t, "mov.b32 %%r12, %%f%d;\ncvt.u64.u32 %%rd13, %%r12;\nst.global.u64 [%%rd12+%d], %%rd13;\n",
                first + k, 8 * k);
        else put(&t, "cvt.u64.u%d %%rd13, %%%s%d;\nst.global.u64 [%%rd12+%d], %%rd13;\n", bits, reg, first + k, 8 * k);
    }
    put(&t, "done: ret;\n}\n");
    sim_module *m = load(b, &t);
    bool good = m != NULL;
    for (int p = 0; good && p < PATTERNS; p++)
        for (int k = 0; good && k < MASKS; k++) {
            uint32_t idx[32];
            unsigned char got[BYTES], want[BYTES];
            make_pattern(p, idx);
            for (int l = 0; l < 32; l++) idx[l] %= (uint32_t)(1024 / bytes);
            memset(want, 0xee, sizeof want);
            for (int l = 0; l < 32; l++)
                for (int e = 0; (masks[k] >> l & 1) && e < count; e++) {
                    uint64_t v = widened(read_le(pool + idx[l] * (uint32_t)bytes + e * ty->bytes, ty->bytes), ty, bits);
                    memcpy(want + (l * count + e) * 8, &v, 8);
                }
            memset(got, 0xee, sizeof got);
            sim_write(b->s, b->in, pool, BYTES, &b->e);
            sim_write(b->s, b->out, got, BYTES, &b->e);
            sim_write(b->s, b->idx, idx, sizeof idx, &b->e);
            good = run_once(b, m, masks[k], k == 0 && p == 5 ? SIM_CHECK_INIT : 0);
            sim_read(b->s, b->out, got, BYTES, &b->e);
            if (!good || memcmp(got, want, BYTES)) {
                good = false;
                printf("# %s addresses, lanes %08x\n", pattern_names[p], masks[k]);
            }
        }
    if (m) sim_unload(b->s, m);
    if (!quiet || !good)
        check_that(good, "load %s%s%s.%s into %d bits", space_names[space], qualifier, vec, ty->name, bits);
    return good;
}

static bool test_store(bench *b, int space, const type_row *ty, int count, int bits, const char *qualifier, bool quiet)
{
    static text t;
    start(&t, "", variables_of(space));
    base_address(&t, space, true);
    put(&t,
        "mov.u64 %%rd30, %%rd1;\nmov.u64 %%rd1, %%rd2;\n"); /* before the stores, the space holds what `out` holds */
    copy_loop(&t, space, true);
    put(&t, "mov.u64 %%rd1, %%rd30;\nbar.sync 0;\n");
    int bytes = ty->bytes * count;
    effective_address(&t, space, bytes);
    const char *reg = reg_name(bits, ty), *vec = count == 1 ? "" : count == 2 ? ".v2" : ".v4";
    int first = ty->exact ? 1 : 32;
    put(&t, "mad.wide.u32 %%rd12, %%r1, %d, %%rd1;\n", 8 * count);
    for (int k = 0; k < count; k++)
        put(&t, "ld.global.%s%d %%%s%d, [%%rd12+%d];\n", ty->exact ? "f" : "u", bits, reg, first + k, 8 * k);
    put(&t, "@!%%p1 bra done;\nst%s%s%s.%s [%s], ", qualifier, suffix_of(space), vec, ty->name,
        space == IN_SHARED ? "%r11" : "%rd11");
    vector_operand(&t, reg, first, count, ", ");
    put(&t, ";\ndone:\nbar.sync 0;\n");
    if (space == IN_LOCAL ||
        space == IN_GENERIC_LOCAL) { /* every lane has its own memory: lane l shows the element that it wrote */
        put(&t,
            "@!%%p1 bra end;\nmov.u32 %%r25, 0;\nmad.wide.u32 %%rd24, %%r2, %d, %%rd10;\nmad.wide.u32 %%rd25, %%r2, "
            "%d, %%rd2;\n",
            bytes, bytes);
        put(&t,
            "again: ld%s.u8 %%r26, [%%rd24];\nst.global.u8 [%%rd25], %%r26;\nadd.u64 %%rd24, %%rd24, 1;\nadd.u64 "
            "%%rd25, %%rd25, 1;\n",
            suffix_of(space));
        put(&t, "add.u32 %%r25, %%r25, 1;\nsetp.lt.u32 %%p3, %%r25, %d;\n@%%p3 bra again;\nend:\n", bytes);
    } else {
        copy_loop(&t, space, false);
    }
    put(&t, "ret;\n}\n");
    sim_module *m = load(b, &t);
    bool good = m != NULL;
    for (int p = 0; good && p < PATTERNS; p++)
        for (int k = 0; good && k < MASKS; k++) {
            uint32_t idx[32];
            unsigned char got[BYTES], want[BYTES];
            make_pattern(p, idx);
            memset(want, 0xee, sizeof want);
            memset(got, 0xee, sizeof got);
            for (int l = 0; l < 32; l++) {
                idx[l] %= (uint32_t)(1024 / bytes);
                for (int e = 0; (masks[k] >> l & 1) && e < count; e++)
                    memcpy(want + idx[l] * (uint32_t)bytes + e * ty->bytes, pool + (l * count + e) * 8,
                           (size_t)ty->bytes);
            }
            sim_write(b->s, b->in, pool, BYTES, &b->e);
            sim_write(b->s, b->out, got, BYTES, &b->e);
            sim_write(b->s, b->idx, idx, sizeof idx, &b->e);
            good = run_once(b, m, masks[k], k == 0 && p == 5 ? SIM_CHECK_INIT : 0);
            sim_read(b->s, b->out, got, BYTES, &b->e);
            if (!good || memcmp(got, want, BYTES)) {
                good = false;
                printf("# %s addresses, lanes %08x\n", pattern_names[p], masks[k]);
            }
        }
    if (m) sim_unload(b->s, m);
    if (!quiet || !good)
        check_that(good, "store %s%s%s.%s from %d bits", space_names[space], qualifier, vec, ty->name, bits);
    return good;
}

static void test_loads_and_stores(bench *b)
{
    for (int space = 0; space < SPACES; space++) {
        bool good = true, stores = true;
        int forms = 0;
        for (int i = 0; i < TYPES; i++)
            for (int count = 1; count <= 4; count *= 2)
                for (int bits = 16; bits <= 64; bits *= 2) {
                    const type_row *ty = &types[i];
                    if (bits < 8 * ty->bytes || (ty->exact && bits != 8 * ty->bytes) || ty->bytes * count > 16)
                        continue;
                    good = test_load(b, space, ty, count, bits, "", true) && good;
                    if (space != IN_CONST) stores = test_store(b, space, ty, count, bits, "", true) && stores;
                    forms++;
                }
        check_that(good, "%d forms of loads from %s memory", forms, space_names[space]);
        if (space != IN_CONST) check_that(stores, "%d forms of stores to %s memory", forms, space_names[space]);
    }
    static const char *const ordered[] = {".volatile", ".relaxed.gpu", ".acquire.sys",
                                          ".weak",     ".relaxed.cta", ".acquire.cluster"};
    for (int i = 0; i < 6; i++)
        for (int space = 0; space < 2; space++) {
            test_load(b, space, &types[7], 1, 32, ordered[i], false);
            if (!strstr(ordered[i], "acquire")) test_store(b, space, &types[7], 1, 32, ordered[i], false);
        }
    test_store(b, IN_GLOBAL, &types[7], 1, 32, ".release.gpu", false);
}

static void test_odds(bench *b)
{
    uint32_t want[32];
    const uint32_t *words = (const uint32_t *)(const void *)pool;
    for (int l = 0; l < 32; l++) want[l] = words[l];
    test_words(b, "every hint and policy is accepted", "", "",
               "add.u64 %rd11, %rd1, %rd8;\n"
               "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd20, 0f3F800000;\n"
               "createpolicy.fractional.L2::evict_first.b64 %rd20;\n"
               "prefetch.global.L1 [%rd11]; prefetch.global.L2 [%rd11]; prefetchu.L1 [%rd11]; "
               "prefetch.global.L2::evict_last [%rd11];\n"
               "ld.global.nc.L1::no_allocate.L2::128B.u32 %r20, [%rd11];\n"
               "ld.global.L1::evict_last.L2::cache_hint.u32 %r20, [%rd11], %rd20;\n"
               "ld.global.ca.u32 %r20, [%rd11]; ld.global.cg.u32 %r20, [%rd11]; ld.global.cs.u32 %r20, [%rd11];\n"
               "ld.global.lu.u32 %r20, [%rd11]; ld.global.cv.u32 %r20, [%rd11]; ldu.global.u32 %r20, [%rd11];\n"
               "ld.global.nc.v2.u32 {%r21, _}, [%rd1]; ld.mmio.relaxed.sys.global.u32 %r20, [%rd11];\n"
               "applypriority.global.L2::evict_normal [%rd1], 128; \n"
               "st.global.wb.u32 [%rd9], %r20; st.global.cg.u32 [%rd9], %r20; st.global.cs.u32 [%rd9], %r20;\n"
               "st.global.wt.u32 [%rd9], %r20; st.global.L1::no_allocate.L2::cache_hint.u32 [%rd9], %r20, %rd20;",
               32, 0, want);
    for (int l = 0; l < 32; l++) want[l] = l % 4 == 3 ? 7u : l % 4 == 2 ? 0x40490fdbu : words[l & ~3];
    test_words(b, "constants and sinks in vectors", "", "",
               "mul.wide.u32 %rd10, %r1, 16; add.u64 %rd11, %rd1, %rd10; add.u64 %rd12, %rd2, %rd10;\n"
               "setp.lt.u32 %p2, %r1, 8;\n@!%p2 bra done;\n"
               "ld.global.v4.b32 {%r20, _, _, _}, [%rd11];\nmov.b32 %f1, %r20;\n"
               "st.global.v4.b32 [%rd12], {%r20, %r20, 0f40490FDB, 7};\ndone:",
               32, 0, want);
    for (int l = 0; l < 32; l++) want[l] = (uint32_t)l < 20 ? words[l] : 0;
    test_words(b, "a warp with 20 threads", "", "",
               "add.u64 %rd11, %rd1, %rd8;\nld.global.u32 %r20, [%rd11];\nst.global.u32 [%rd9], %r20;", 20, 0, want);
    for (int l = 0; l < 32; l++) want[l] = words[l] + words[31 - l];
    test_words(
        b, "generic addresses in two spaces by one instruction", "", ".shared .align 4 .b8 room[128];",
        "add.u64 %rd11, %rd1, %rd8;\nld.global.u32 %r20, [%rd11];\nmov.u64 %rd12, room;\nadd.u64 %rd13, %rd12, %rd8;\n"
        "st.shared.u32 [%rd13], %r20;\nbar.sync 0;\ncvta.shared.u64 %rd13, %rd13;\n"
        "and.b32 %r21, %r1, 1;\nsetp.eq.u32 %p2, %r21, 0;\nselp.b64 %rd14, %rd13, %rd11, %p2;\nld.u32 %r22, [%rd14];\n"
        "sub.u32 %r23, 31, %r1;\nmul.wide.u32 %rd15, %r23, 4;\nadd.u64 %rd15, %rd15, %rd1;\nld.global.u32 %r24, "
        "[%rd15];\n"
        "add.u32 %r22, %r22, %r24;\nst.global.u32 [%rd9], %r22;",
        32, SIM_CHECK_ALL, want);
    for (int l = 0; l < 32; l++) want[l] = (l & 1 ? 100u : 50u) + (uint32_t)l;
    test_words(
        b, "variables addressed by name, with offsets",
        ".global .align 4 .u32 g[4] = {50, 100, 7, 8};\n.const .align 4 .u32 c[2] = {1, 0};\n", "",
        "ld.global.u32 %r20, [g];\nld.global.u32 %r21, [g+4];\nand.b32 %r22, %r1, 1;\nsetp.eq.u32 %p2, %r22, 1;\n"
        "selp.b32 %r23, %r21, %r20, %p2;\nld.const.u32 %r24, [c];\nld.const.u32 %r25, [c+4];\nadd.u32 %r23, %r23, "
        "%r1;\n"
        "mad.lo.u32 %r23, %r24, %r23, %r25;\nst.global.u32 [%rd9], %r23;",
        32, 0, want);
    for (int l = 0; l < 32; l++) want[l] = 2 * (uint32_t)l + 47; /* 5 + 32, l + 3, 7, l */
    test_words(b, "variables addressed by name, without their state space", "",
               ".local .align 8 .b8 x[16];\n.shared .align 8 .u32 s[4];",
               "st.u32 [x+4], %r1;\nst.volatile.u32 [x], 7;\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 st.u32 [s+8], 5;\n"
               "bar.sync 0;\nred.add.u32 [s+8], 1;\nbar.sync 0;\nld.u32 %r20, [s+8];\n"
               "atom.add.u32 %r21, [x+4], 3;\nld.b32 %r22, [x+4];\nld.b64 %rd20, [x];\ncvt.u32.u64 %r23, %rd20;\n"
               "add.u32 %r20, %r20, %r21;\nadd.u32 %r22, %r22, %r23;\nadd.u32 %r20, %r20, %r22;\n"
               "prefetch.L1 [x];\nst.global.u32 [%rd9], %r20;",
               32, SIM_CHECK_ALL, want);
    for (int l = 0; l < 32; l++) want[l] = words[l % 2];
    test_words(b, "128-bit elements", "", ".reg .b128 %q<4>;",
               "ld.global.b128 %q1, [%rd1];\nmul.wide.u32 %rd10, %r1, 16; add.u64 %rd12, %rd2, %rd10;\n"
               "setp.lt.u32 %p2, %r1, 8;\n@!%p2 bra done;\nst.global.b128 [%rd12], %q1;\n"
               "ld.global.u64 %rd20, [%rd12];\nst.global.u64 [%rd12+8], %rd20;\ndone:",
               32, 0, want);
}

/* `other` is twice(): called by name, through a table, and by twice's own address. */
static void test_alias(bench *b)
{
    uint32_t want[32];
    for (uint32_t l = 0; l < 32; l++) want[l] = 4 * l + 1;
    test_words(
        b, "a function's other name",
        ".func (.param .b32 r) other(.param .b32 x);\n.func (.param .b32 r) twice(.param .b32 x) {\n.reg .b32 %r<5>;\n"
        "ld.param.u32 %r1, [x];\nadd.u32 "
        "%r2, %r1, %r1;\nst.param.b32 [r], %r2;\nret;\n}\n.global .u64 table[2] = {other, twice};\n"
        ".alias other, twice;\n",
        "",
        "{\n.param .b32 p0; .param .b32 p1;\nst.param.b32 [p0], %r1;\ncall.uni (p1), other, (p0);\n"
        "ld.param.b32 %r20, [p1];\n}\nld.global.u64 %rd20, "
        "[table];\n{\n.param .b32 p0; .param .b32 p1;\nst.param.b32 [p0], %r20;\n"
        "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (p1), "
        "%rd20, (p0), proto;\nld.param.b32 %r21, [p1];\n}\nmov.u64 %rd21, other;\nsetp.eq.u64 %p2, %rd20, %rd21;\n"
        "@%p2 add.u32 %r21, %r21, "
        "1;\nst.global.u32 [%rd9], %r21;",
        32, 0, want);
}

/* Values in registers: given, passed and returned, as constants, by two return instructions, by
 * recursion in some lanes. Lanes below 6 return their factorial. The others return half of lane +
 * 100; lane 9 adds 1000 when the second result says so. */
static void test_registers(bench *b)
{
    static const uint32_t factorial[] = {1, 1, 2, 6, 24, 120};
    uint32_t want[32];
    for (uint32_t l = 0; l < 32; l++) want[l] = l < 6 ? factorial[l] : (l + 100) / 2 + (l == 9 ? 1000 : 0);
    test_words(
        b, "parameters in registers",
        ".func (.reg .b32 r) sum(.reg .b32 a, .reg .b32 b) { add.u32 r, a, b; ret; }\n"
        ".func (.reg .f64 r, .reg .u32 nine) half(.reg .f64 x, .param .b32 n) {\n.reg .pred %p; .reg .b32 %n;\n"
        "ld.param.u32 %n, [n];\nmul.f64 r, x, "
        "0d3FE0000000000000;\nmov.u32 nine, 1;\nsetp.eq.u32 %p, %n, 9;\n@%p ret;\nmov.u32 nine, 0;\n}\n"
        ".func (.reg .b32 r) fact(.reg .b32 n) {\n.reg .pred %p; .reg .b32 %m;\nmov.u32 r, 1;\nsetp.lt.u32 %p, n, 2;\n"
        "@%p ret;\nsub.u32 %m, n, "
        "1;\ncall.uni (r), fact, (%m);\nmul.lo.u32 r, r, n;\nret;\n}\n",
        "",
        "call (%r20), sum, (%r1, 100);\ncvt.rn.f64.u32 %fd1, %r20;\ncall (%fd2, %r21), half, (%fd1, %r1);\n"
        "cvt.rzi.u32.f64 %r22, "
        "%fd2;\nmad.lo.u32 %r22, %r21, 1000, %r22;\nsetp.lt.u32 %p2, %r1, 6;\n@%p2 call (%r22), fact, (%r1);\n"
        "st.global.u32 [%rd9], %r22;",
        32, SIM_CHECK_ALL, want);
}

static void tests(bench *b)
{
    test_loads_and_stores(b);
    test_odds(b);
    test_alias(b);
    test_registers(b);
}
