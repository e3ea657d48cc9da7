/* memory_faults.c: the messages about faulty accesses, and what the host's own calls refuse.
 *
 * Each row is a kernel of 32 threads with %rd1 `in` and %rd2 `out` (4096 bytes each), %rd3, %r1
 * the lane, %rd8 = 4 * lane, %rd9 = out + 4 * lane. It must end with exactly the named fault, and
 * the message must contain the words given.
 */
#include "kernel.h"

typedef struct fault_row {
    const char *name, *before, *with, *body;
    enum sim_fault_kind kind;
    const char *words;
    uint64_t address; /* 0: not checked */
    int thread;       /* the first lane at fault */
    uint32_t lanes;
} fault_row;

#define ALL UINT32_MAX
static const fault_row rows[] = {
    {"load past the end", "", "", "ld.global.u32 %r20, [%rd9+4000];", SIM_FAULT_OUT_OF_BOUNDS,
     "just past the end of out (4096 bytes)", 0, 24, 0xff000000u},
    {"load far past the end", "", "", "ld.global.u32 %r20, [%rd2+8192];", SIM_FAULT_OUT_OF_BOUNDS,
     "4096 bytes past the end of out", 0, 0, ALL},
    {"store before the start", "", "", "st.global.u32 [%rd9+-8], %r1;", SIM_FAULT_OUT_OF_BOUNDS, "write of 4 bytes at",
     0, 0, 3},
    {"how far before", "", "", "st.global.u32 [%rd9+-8], %r1;", SIM_FAULT_OUT_OF_BOUNDS, "starts 8 bytes before out", 0,
     0, 3},
    {"one thread only", "", "", "setp.eq.u32 %p2, %r1, 17;\n@%p2 ld.global.u32 %r20, [%rd2+5000];",
     SIM_FAULT_OUT_OF_BOUNDS, "904 bytes past", 0, 17, 1u << 17},
    {"null pointer", "", "", "mov.u64 %rd20, 0;\nld.global.u32 %r20, [%rd20];", SIM_FAULT_OUT_OF_BOUNDS,
     "is a null pointer", 0, 0, ALL},
    {"null pointer and an index", "", "", "ld.global.u32 %r20, [%rd8+64];", SIM_FAULT_OUT_OF_BOUNDS,
     "null pointer plus 64", 64, 0, ALL},
    {"null pointer, generic", "", "", "mov.u64 %rd20, 0;\nld.u32 %r20, [%rd20];", SIM_FAULT_OUT_OF_BOUNDS,
     "null pointer", 0, 0, ALL},
    {"null pointer minus one element", "", "", "mov.u64 %rd20, 0;\nst.u32 [%rd20+-4], %r1;", SIM_FAULT_OUT_OF_BOUNDS,
     "null pointer minus 4", 0, 0, ALL},
    {"pointer of the host", "", "", "mov.u64 %rd20, 0x7ffd12345670;\nld.global.u32 %r20, [%rd20];",
     SIM_FAULT_OUT_OF_BOUNDS, "pointer of the host", 0, 0, ALL},
    {"nobody's address", "", "", "mov.u64 %rd20, 0x30000000000;\nld.global.u32 %r20, [%rd20];", SIM_FAULT_OUT_OF_BOUNDS,
     "is in no buffer", 0, 0, ALL},
    {"shared offset as a pointer", "", ".shared .align 8 .b8 room[40000];",
     "mov.u64 %rd20, 32768;\nst.shared.u32 [room], %r1;\nld.u32 %r20, [%rd20];", SIM_FAULT_OUT_OF_BOUNDS,
     "offset into shared memory used as a pointer", 0, 0, ALL},
    {"generic shared address in ld.shared", "", ".shared .align 8 .b8 room[256];",
     "mov.u64 %rd20, room;\ncvta.shared.u64 %rd20, %rd20;\nld.shared.u32 %r20, [%rd20];", SIM_FAULT_OUT_OF_BOUNDS,
     "is the generic address of shared memory", 0, 0, ALL},
    {"generic shared address in ld.global", "", ".shared .align 8 .b8 room[256];",
     "mov.u64 %rd20, room;\ncvta.shared.u64 %rd20, %rd20;\nld.global.u32 %r20, [%rd20];", SIM_FAULT_OUT_OF_BOUNDS,
     "is the generic address of shared memory, used as a global address", 0, 0, ALL},
    {"global address in ld.shared", "", ".shared .align 8 .b8 room[256];", "ld.shared.u32 %r20, [%rd9];",
     SIM_FAULT_OUT_OF_BOUNDS, "the shared memory of a block has 256 bytes", 0, 0, ALL},
    {"misaligned 4", "", "", "ld.global.u32 %r20, [%rd9+2];", SIM_FAULT_MISALIGNED, "not a multiple of 4", 0, 0, ALL},
    {"misaligned vector", "", "", "ld.global.v4.u32 {%r20, %r21, %r22, %r23}, [%rd9];", SIM_FAULT_MISALIGNED,
     "not a multiple of 16", 0, 1, 0xeeeeeeeeu},
    {"misaligned shared", "", ".shared .align 8 .b8 room[256];",
     "mov.u32 %r20, room;\nadd.u32 %r20, %r20, %r1;\nst.shared.u16 [%r20], %h1;", SIM_FAULT_MISALIGNED,
     "not a multiple of 2", 0, 1, 0xaaaaaaaau},
    {"misaligned atomic", "", "", "atom.global.add.u64 %rd20, [%rd9], 1;", SIM_FAULT_MISALIGNED,
     "misaligned atomic operation: 8 bytes at 0x", 0, 1, 0xaaaaaaaau},
    {"shared past the end", "", ".shared .align 8 .b8 room[64];",
     "mov.u32 %r20, room;\nmad.lo.u32 %r20, %r1, 4, %r20;\nst.shared.u32 [%r20], %r1;", SIM_FAULT_OUT_OF_BOUNDS,
     "just past the end of shared room (64 bytes)", 64, 16, 0xffff0000u},
    {"shared before the start", "", ".shared .align 8 .b8 room[64];",
     "mov.u32 %r20, room;\nst.shared.u32 [%r20+-4], %r1;", SIM_FAULT_OUT_OF_BOUNDS, "starts 4 bytes before shared room",
     0, 0, ALL},
    {"shared by name", "", ".shared .align 8 .b8 room[64];", "st.shared.u32 [room+64], %r1;", SIM_FAULT_OUT_OF_BOUNDS,
     "just past the end", 0, 0, ALL},
    {"local past the end", "", ".local .align 8 .b8 mine[64];",
     "mov.u64 %rd20, mine;\nld.local.u32 %r20, [%rd20+4096];", SIM_FAULT_OUT_OF_BOUNDS,
     "past the end of the thread's local memory", 0, 0, ALL},
    {"local, generic", "", ".local .align 8 .b8 mine[64];",
     "mov.u64 %rd20, mine;\ncvta.local.u64 %rd20, %rd20;\nst.u32 [%rd20+4096], %r1;", SIM_FAULT_OUT_OF_BOUNDS,
     "past the end of the thread's local memory", 0, 0, ALL},
    {"parameters past the end", "", "", "mov.b64 %rd20, mask;\nld.param.u32 %r20, [%rd20+8];", SIM_FAULT_OUT_OF_BOUNDS,
     "the kernel's parameters", 0, 0, ALL},
    {"store to constant memory", ".const .align 8 .b8 table[64];\n", "",
     "mov.u64 %rd20, table;\ncvta.const.u64 %rd20, %rd20;\nst.u32 [%rd20], %r1;", SIM_FAULT_READ_ONLY,
     "table, which is constant", 0, 0, ALL},
    {"atomic on constant memory", ".const .align 8 .b8 table[64];\n", "",
     "mov.u64 %rd20, table;\ncvta.const.u64 %rd20, %rd20;\natom.add.u32 %r20, [%rd20], 1;", SIM_FAULT_READ_ONLY,
     "table, which is constant", 0, 0, ALL},
    {"global address in ld.const", "", "", "ld.const.u32 %r20, [%rd9];", SIM_FAULT_OUT_OF_BOUNDS,
     "lies in out, which is not constant memory", 0, 0, ALL},
    {"constant past the end", ".const .align 8 .b8 table[64];\n", "",
     "mov.u64 %rd20, table;\nadd.u64 %rd20, %rd20, %rd8;\nld.const.u32 %r20, [%rd20];", SIM_FAULT_OUT_OF_BOUNDS,
     "just past the end of table (64 bytes)", 0, 16, 0xffff0000u},
    {"reaching over the end", "", "", "ld.global.v2.u64 {%rd20, %rd21}, [%rd2+4088];", SIM_FAULT_MISALIGNED, "16", 0, 0,
     ALL},
    {"atomic past the end", "", "", "red.global.add.f32 [%rd2+4096], 0f3F800000;", SIM_FAULT_OUT_OF_BOUNDS,
     "atomic operation of 4 bytes", 0, 0, ALL},
    {"address of a function", ".func f() { ret; }\n", "", "mov.u64 %rd20, f;\nld.u32 %r20, [%rd20];",
     SIM_FAULT_OUT_OF_BOUNDS, "address of a function", 0, 0, ALL},
    {"copy past the end of its source", "", ".shared .align 16 .b8 room[512];",
     "mov.u32 %r20, room;\ncp.async.cg.shared.global [%r20], [%rd2+4096], 16;", SIM_FAULT_OUT_OF_BOUNDS,
     "read of 16 bytes", 0, 0, ALL},
    {"copy past the end of its destination", "", ".shared .align 16 .b8 room[512];",
     "mov.u32 %r20, room;\ncp.async.cg.shared.global [%r20+512], [%rd2], 16;", SIM_FAULT_OUT_OF_BOUNDS,
     "write of 16 bytes", 0, 0, ALL},
    {"misaligned copy", "", ".shared .align 16 .b8 room[512];",
     "mov.u32 %r20, room;\ncp.async.cg.shared.global [%r20+8], [%rd2], 16;", SIM_FAULT_MISALIGNED, "multiple of 16", 0,
     0, ALL},
    {"copy of too much", "", ".shared .align 16 .b8 room[512];",
     "mov.u32 %r20, room;\ncp.async.ca.shared.global [%r20], [%rd2], 4, 5;", SIM_FAULT_BAD_OPERAND,
     "source size of 5 bytes exceeds the copy size of 4", 0, 0, 1},
    {"bulk copy of an odd size", "", ".shared .align 16 .b8 room[512];",
     "setp.ne.u32 %p2, %r1, 0;\n@%p2 ret;\nmov.u32 %r20, room;\ncp.async.bulk.global.shared::cta.bulk_group [%rd2], "
     "[%r20], 20;",
     SIM_FAULT_BAD_OPERAND, "multiple of 16", 0, 0, 1},
    {"bulk copy past the end", "", ".shared .align 16 .b8 room[512];",
     "setp.ne.u32 %p2, %r1, 0;\n@%p2 ret;\nmov.u32 %r20, room;\ncp.async.bulk.global.shared::cta.bulk_group [%rd2], "
     "[%r20], 528;",
     SIM_FAULT_OUT_OF_BOUNDS, "reaches 16 bytes past the end of shared room", 0, 0, 1},
    {"barrier object without init", "", ".shared .align 8 .b64 bar;",
     "st.shared.u64 [bar], 0;\nmbarrier.arrive.shared.b64 %rd20, [bar];", SIM_FAULT_BAD_OPERAND,
     "mbarrier.init was never called", 0, 0, 1},
    {"too many arrivals", "", ".shared .align 8 .b64 bar;",
     "mbarrier.init.shared.b64 [bar], 4;\nmbarrier.arrive.shared.b64 %rd20, [bar], 5;", SIM_FAULT_BAD_OPERAND,
     "more threads arrive", 0, 0, 1},
    {"barrier object for nobody", "", ".shared .align 8 .b64 bar;", "mbarrier.init.shared.b64 [bar], 0;",
     SIM_FAULT_BAD_OPERAND, "1 to 1048575", 0, 0, 1},
    {"barrier object in global memory", "", "", "mbarrier.arrive.b64 %rd20, [%rd2];", SIM_FAULT_BAD_OPERAND,
     "must lie in shared memory", 0, 0, ALL},
    {"last arrival without completing", "", ".shared .align 8 .b64 bar;",
     "setp.ne.u32 %p2, %r1, 0;\n@%p2 ret;\nmbarrier.init.shared.b64 [bar], 1;\nmbarrier.arrive.noComplete.shared.b64 "
     "%rd20, [bar], 1;",
     SIM_FAULT_BAD_OPERAND, "would complete the phase", 0, 0, 1},
};

static sim_module *module_of(bench *b, const fault_row *row)
{
    static text t;
    start(&t, row->before, row->with);
    put(&t, "mul.wide.u32 %%rd8, %%r1, 4;\nadd.u64 %%rd9, %%rd2, %%rd8;\n%s\nst.global.u32 [%%rd9], %%r20;\nret;\n}\n",
        row->body);
    return load(b, &t);
}

static void test_fault(bench *b, const fault_row *row, unsigned checks)
{
    sim_module *m = module_of(b, row);
    bool good = m != NULL;
    sim_result r = {0};
    if (m) {
        int code = launch(b, m, UINT32_MAX, 32, checks, &r);
        const sim_fault *f = r.faults; /* some of these kernels also race; that may be reported too */
        while (checks && f + 1 < r.faults + r.fault_count && f->kind != row->kind) f++;
        good = code == SIM_E_FAULT && (checks ? r.fault_count >= 1 : r.fault_count == 1) && f->kind == row->kind &&
               strstr(f->message, row->words) && (!row->address || f->address == row->address) &&
               (int)f->at.thread[0] == row->thread && f->at.lanes == row->lanes;
        if (!good && r.fault_count)
            printf("# %s: %s (thread %u, lanes %08x, address 0x%llx)\n", sim_fault_name(f->kind), f->message,
                   f->at.thread[0], f->at.lanes, (unsigned long long)f->address);
        else if (!good) printf("# code %d, no fault: %s\n", code, b->e.message);
        sim_result_free(&r);
        sim_unload(b->s, m);
    }
    check_that(good, "%s%s", row->name, checks ? " (race check)" : "");
}

static void test_use_after_free(bench *b)
{
    static const fault_row row = {
        "", "", "", "ld.global.u32 %r20, [%rd1+12];", SIM_FAULT_USE_AFTER_FREE, "byte 12 of gone, which has been freed",
        0,  0,  ALL};
    uint64_t keep = b->in, address = 0;
    sim_alloc(b->s, 64, "gone", &address, &b->e);
    sim_free(b->s, address, &b->e);
    b->in = address;
    fault_row named = row;
    named.name = "use after free";
    test_fault(b, &named, 0);
    b->in = keep;
}

static void refused(bench *b, int code, int want, const char *words, const char *name)
{
    bool good = code == want && strstr(b->e.message, words);
    if (!good) printf("# code %d: %s\n", code, b->e.message);
    check_that(good, "%s", name);
    memset(&b->e, 0, sizeof b->e);
}

static void test_host_calls(bench *b)
{
    uint64_t a = 0, c = 0, big = 0;
    char byte = 1;
    refused(b, sim_alloc(b->s, 0, "x", &a, &b->e), SIM_E_ARGUMENT, "at least one byte",
            "an allocation of nothing is refused");
    refused(b, sim_alloc(b->s, (uint64_t)2 << 40, "x", &a, &b->e), SIM_E_LIMIT, "do not fit",
            "an allocation larger than the card is refused");
    refused(b, sim_alloc(b->s, UINT64_MAX, "x", &a, &b->e), SIM_E_LIMIT, "do not fit",
            "an absurd allocation is refused");
    refused(b, sim_free(b->s, 12345, &b->e), SIM_E_ARGUMENT, "nothing was ever allocated",
            "freeing nothing is refused");
    sim_alloc(b->s, 100, "first", &a, &b->e);
    sim_alloc(b->s, 100, "second", &c, &b->e);
    check_that(a % 256 == 0 && c % 256 == 0 && c - a == ((uint64_t)1 << 30) + 256,
            "allocations are apart, their low 30 bits packed");
    refused(b, sim_free(b->s, a + 4, &b->e), SIM_E_ARGUMENT, "is not the start of first",
            "freeing the middle is refused");
    check_that(!sim_free(b->s, a, &b->e), "freeing works");
    refused(b, sim_free(b->s, a, &b->e), SIM_E_ARGUMENT, "freed before", "freeing twice is refused");
    refused(b, sim_read(b->s, a, &byte, 1, &b->e), SIM_E_ARGUMENT, "freed", "reading what was freed is refused");
    refused(b, sim_write(b->s, c + 99, "xy", 2, &b->e), SIM_E_ARGUMENT, "second", "writing past the end is refused");
    check_that(!sim_alloc(b->s, (uint64_t)4 << 30, "huge", &big, &b->e) &&
                !sim_read(b->s, big + ((uint64_t)3 << 30), &byte, 1, &b->e) && byte == 0,
            "4 GiB of zeros are cheap");
    sim_free(b->s, big, &b->e);
    sim_free(b->s, c, &b->e);
}

/* Memory of the host that becomes the card's: the kernel finds the host's data, may read all of it,
 * and its results stay there. */
static void test_given(bench *b)
{
    enum { COUNT = 100 };
    uint32_t *mine = sim_host_memory(COUNT * sizeof *mine), back[COUNT];
    uint64_t keep = b->in, address = 0;
    for (uint32_t i = 0; mine && i < COUNT; i++) mine[i] = 7 * i;
    check_that(mine && !sim_give(b->s, mine, COUNT * sizeof *mine, "mine", NULL, NULL, &address, &b->e),
            "memory can be given");
    refused(b, sim_give(b->s, mine, (uint64_t)2 << 40, "mine", NULL, NULL, &keep, &b->e), SIM_E_LIMIT, "do not fit",
            "too much of it cannot");
    keep = b->in;
    b->in = address;
    static const fault_row adds = {
        .before = "",
        .with = "",
        .body =
            "add.u64 %rd10, %rd1, %rd8;\nld.global.u32 %r20, [%rd10+272];\nadd.u32 %r20, %r20, 1;\n"
            "st.global.u32 [%rd10+272], %r20;"};
    sim_module *m = module_of(b, &adds);
    sim_result r = {0};
    check_that(m && !launch(b, m, UINT32_MAX, 32, SIM_CHECK_INIT, &r) && !r.fault_count,
            "what it holds counts as written, up to its end");
    sim_result_free(&r);
    check_that(!sim_read(b->s, address, back, sizeof back, &b->e) && back[67] == 7 * 67 && back[68] == 7 * 68 + 1 &&
                back[99] == 7 * 99 + 1,
            "and is what the kernel found and changed");
    if (m) sim_unload(b->s, m);
    static const fault_row past = {"past the end of what was given",
                                   "",
                                   "",
                                   "add.u64 %rd10, %rd1, %rd8;\nld.global.u32 %r20, [%rd10+276];",
                                   SIM_FAULT_OUT_OF_BOUNDS,
                                   "just past the end of mine (400 bytes)",
                                   0,
                                   31,
                                   1u << 31};
    test_fault(b, &past, 0);
    b->in = keep;
    check_that(!sim_free(b->s, address, &b->e), "the card frees it");
}

/* Forms that must not load, and their messages. */
static void test_refused_forms(bench *b)
{
    static const char *const forms[][2] = {
        {"ld.global.v8.b32 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%rd1];", "16 bytes"},
        {"ld.global.v4.u64 {%rd20,%rd21,%rd22,%rd23}, [%rd1];", "16 bytes"},
        {"ld.global.f16 %h1, [%rd1];", "cannot be loaded"},
        {"ld.global.u64 %r1, [%rd1];", "narrower"},
        {"ld.global.v2.u32 {%r1,%r2,%r3}, [%rd1];", "number of elements"},
        {"ld.global.v2.u32 {%r1,%rd20}, [%rd1];", "do not match"},
        {"ld.global.u32 %p1, [%rd1];", "do not match"},
        {"ld.shared.nc.u32 %r1, [%r2];", ".nc"},
        {"ld.release.gpu.global.u32 %r1, [%rd1];", "release"},
        {"st.acquire.gpu.global.u32 [%rd1], %r1;", "acquire"},
        {"ld.global.u32.rn %r1, [%rd1];", "rn"},
        {"atom.global.add.s8 %r1, [%rd1], 1;", "does not exist for this type"},
        {"atom.global.inc.u64 %rd20, [%rd1], 1;", "does not exist for this type"},
        {"atom.global.min.f32 %f1, [%rd1], 0f00000000;", "does not exist for this type"},
        {"atom.global.add.f16 %h1, [%rd1], %h2;", "noftz"},
        {"atom.local.add.u32 %r1, [%rd1], 1;", "global and shared memory only"},
        {"red.global.cas.b32 [%rd1], 1, 2;", "does not exist for this type"},
        {"atom.global.add.u32 %rd20, [%rd1], 1;", "does not fit its type"},
        {"atom.shared.v2.f32.add {%f1,%f2}, [%r1], {%f1,%f2};", "global memory only"},
        {"red.global.v8.f16.add.noftz [%rd1], {%h1,%h2,%h3,%h4,%h5,%h6,%h7,%h8};", "vectors of eight"},
        {"cp.async.cg.shared.global [%r1], [%rd1], 8;", "only 16"},
        {"cp.async.ca.shared.global [%r1], [%rd1], 12;", "4, 8 or 16"},
        {"cp.async.ca.global.shared [%rd1], [%r1], 16;", "from global to shared"},
        {"cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3, "
         "%r2}], [%r4], {%h1};",
         "only .tile is"},
        {"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2}], "
         "[%r4];",
         "as many as dimensions"},
        {"cp.async.bulk.tensor.2d.global.shared::cta.tile [%rd1, {%r2, %r3}], [%r1];", "needs .bulk_group"},
        {"cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes [%r1], [%rd1, "
         "{%r2, "
         "%r3, %r2, %r3, %r2}], [%r4];",
         "needs compute 10.0"},
        {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f16 [%rd1], [%r1], %r2;", "needs .noftz"},
        {"cp.reduce.async.bulk.global.shared::cta.bulk_group.inc.s32 [%rd1], [%r1], %r2;", "does not take"},
        {"tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%rd1], 4;", "can have on compute 9.0"},
        {"tensormap.replace.tile.global_dim.global.b1024.b32 [%rd1], 5, %r1;", "the number of a dimension"},
        {"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r1}, "
         "{%r1,%r1}, {%f1,%f2,%f3,%f4}, %r1, 0;",
         "multiplies a sparse matrix, which is not supported here"},
        {"multimem.red.relaxed.sys.global.add.f32 [%rd1], %f1;",
         "is not supported (multimem: works on memory of several"},
        {"mbarrier.arrive.global.b64 %rd20, [%rd1];", "shared memory only"},
        {"prefetch.global [%rd1];", "cache level"},
        {"discard.global.L2 [%rd1], 64;", "128"},
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        static text t;
        sim_module *m = NULL;
        start(&t, "", "");
        put(&t, "%s\nret;\n}\n", forms[i][0]);
        int code = sim_load(b->s, "case.ptx", t.s, t.n, &m, &b->e);
        refused(b, code == SIM_E_SYNTAX ? SIM_E_REFUSED : code, SIM_E_REFUSED, forms[i][1], forms[i][0]);
        if (!code) sim_unload(b->s, m);
    }
}

static void tests(bench *b)
{
    test_host_calls(b);
    test_given(b);
    test_refused_forms(b);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        test_fault(b, &rows[i], 0);
        test_fault(b, &rows[i], SIM_CHECK_RACE);
    }
    test_use_after_free(b);
}
