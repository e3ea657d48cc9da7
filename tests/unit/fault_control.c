/* fault_control.c: faults of control flow: barriers that cannot complete, endless waits and loops,
 * stacks, masks, calls. Also what must be no fault, and launches that a card refuses.
 *
 * `rows` has one small kernel each. The fault must be reported at the line that ends in //!, by the
 * given thread and block. %r1 is the thread, %r2 the block, %rd1 a buffer of zeros.
 */
#include "kernel.h"

typedef struct row {
    const char *name, *before, *body;
    uint32_t grid, block;
    unsigned checks;
    enum sim_fault_kind kind;
    uint32_t in_block, in_thread;
    const char *message, *advice;
} row;

#define MOVE_IT    "Move the barrier out of the branch"
#define REACH_IT   "Every thread that has not ended must be able to reach"
#define ENDS       "Look for a loop whose condition never becomes false"
#define FIRST_WARP "setp.lt.u32 %p1, %r1, 32;\n"
#define LANE_0     "setp.eq.u32 %p1, %r1, 0;\n"
#define IN_BLOCK_1 "setp.ne.u32 %p1, %r2, 1;\n@%p1 ret;\n"

// clang-format off
static const row rows[] = {
    {"warps at two barriers", "", FIRST_WARP "@!%p1 bra other;\nbar.sync 1; //!\nbra end;\nother:\nbar.sync 2;\nend:",
     1, 64, 0,
     SIM_FAULT_BARRIER_DIVERGENCE, 0, 0, "waits at barrier 2", MOVE_IT},
    {"warps at two barriers, of block 1", "",
     IN_BLOCK_1 FIRST_WARP "@!%p1 bra other;\nbarrier.sync 1; //!\nbra end;\nother:\nbarrier.sync 2;\nend:", 3, 64, 0,
     SIM_FAULT_BARRIER_DIVERGENCE, 1, 0, "thread (32,0,0) waits at barrier 2", MOVE_IT},
    {"lanes of a warp at two barriers", "", LANE_0 "@!%p1 bra other;\nbar.sync 0;\nbra end;\nother:\nbar.sync 1; //!\n"
     "end:", 1, 64, SIM_CHECK_BARRIER,
     SIM_FAULT_BARRIER_DIVERGENCE, 0, 1, "threads of one warp wait at different barriers: some here, "
     "some (lanes 00000001)", MOVE_IT},
    {"one barrier on two lines", "", "setp.lt.u32 %p1, %r1, 5;\n@!%p1 bra other;\nbar.sync 0;\nbra end;\nother:\n"
     "bar.sync 0; //!\nend:", 1, 32,
     SIM_CHECK_BARRIER, SIM_FAULT_BARRIER_DIVERGENCE, 0, 5, "different barriers", MOVE_IT},
    {"one barrier for two numbers of threads", "",
     FIRST_WARP "@!%p1 bra other;\nbar.sync 1, 64;\nbra end;\nother:\nbar.sync 1, 96; //!\nend:", 1, 96, 0,
     SIM_FAULT_BARRIER_DIVERGENCE, 0, 32,
     "barrier 1 expects 96 threads here but 64 elsewhere", MOVE_IT},
    {"a reduction that half of the block makes elsewhere", "",
     FIRST_WARP "@!%p1 bra other;\nbar.red.popc.u32 %r3, 3, %p1; //!\nbra end;\nother:\nbar.red.and.pred %p2, 4, %p1;\n"
     "end:", 1, 64, 0,
     SIM_FAULT_BARRIER_DIVERGENCE, 0, 0, "waits at barrier 4", MOVE_IT},
    {"more threads awaited than there are", "", "bar.sync 0, 64; //!", 1, 32, 0, SIM_FAULT_DEADLOCK, 0, 0,
     "all 32 remaining threads", REACH_IT},
    {"arrivals without an end", "", FIRST_WARP "@%p1 bar.arrive 1, 128;\n@!%p1 bar.sync 1, 128; //!", 1, 64, 0,
     SIM_FAULT_DEADLOCK, 0, 32,
     "wait, and none can continue", REACH_IT},
    {"a warp barrier whose other lane waits elsewhere", "", LANE_0 "@!%p1 bra other;\nbar.warp.sync 3; //!\nbra end;\n"
     "other:\nbar.sync 0;\nend:", 1,
     32, 0, SIM_FAULT_DEADLOCK, 0, 0, "names lanes 00000003", REACH_IT},
    {"a shuffle whose other lane waits elsewhere", "",
     LANE_0 "@!%p1 bra other;\nshfl.sync.idx.b32 %r3, %r1, 1, 31, 3; //!\nbra end;\nother:\nbar.sync 0;\nend:", 1, 32,
     0, SIM_FAULT_DEADLOCK, 0, 0,
     "names lanes 00000003", REACH_IT},
    {"a vote whose other lane waits elsewhere", "",
     IN_BLOCK_1 LANE_0 "@!%p1 bra other;\nvote.sync.ballot.b32 %r3, %p1, -1; //!\nbra end;\nother:\nbar.sync 0;\nend:",
     2, 32, 0, SIM_FAULT_DEADLOCK, 1,
     0, "names lanes ffffffff", REACH_IT},
    {"barrier 16", "", "mov.u32 %r3, 16;\nbar.sync %r3; //!", 1, 32, 0, SIM_FAULT_BAD_OPERAND, 0, 0,
     "barrier 16 does not exist", "does not define this instruction for that value"},
    {"a barrier for 33 threads", "", "bar.sync 0, 33; //!", 1, 64, 0, SIM_FAULT_BAD_OPERAND, 0, 0,
     "must be a multiple of 32, not 33", "does not define this instruction for that value"},
    {"a loop without an end", "", IN_BLOCK_1 "loop:\nadd.u32 %r3, %r3, 1;\nbra loop; //! or the line before", 2, 64, 0,
     SIM_FAULT_ENDLESS, 1, 0, "still running", ENDS},
    /* few instructions, which the budget of 300,000 would allow ten times: it is their work that is too much */
    {"a loop of bulk copies", ".shared .align 128 .b8 s[4096];\n", "mov.u32 %r3, 0;\nmov.u32 %r5, s;\nloop:\n"
     "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r5], 4096;\ncp.async.bulk.commit_group;\n"
     "cp.async.bulk.wait_group 0;\n"
     "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 5000;\n@%p1 bra loop; //! or any line before", 1, 1, 0,
     SIM_FAULT_ENDLESS, 0, 0, "bulk copies", ENDS},
    {"a loop of matrix products", ".shared .align 128 .b8 s[4096];\n", ".reg .f32 %d<4>;\nmov.b32 %d0, %r4;\n"
     "mov.b32 %d1, %r4;\nmov.b32 %d2, %r4;\nmov.b32 %d3, %r4;\nmov.u32 %r3, 0;\n"
     "mov.u64 %rd4, s;\nshr.u64 %rd4, %rd4, 4;\nor.b64 %rd4, %rd4, 0x1000080000; // strides of 128 and 256 bytes\n"
     "setp.eq.u32 %p2, %r3, 0;\nloop:\nwgmma.fence.sync.aligned;\n"
     "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, %rd4, %rd4, %p2, 1, 1, 0, 0;\n"
     "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
     "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 5000;\n@%p1 bra loop; //! or any line before", 1, 128, 0,
     SIM_FAULT_ENDLESS, 0, 0, "matrix products", ENDS},
    {"a lock that nobody opens", "",
     "mov.u32 %r3, 1;\nst.global.u32 [%rd1], %r3;\nloop:\natom.global.cas.b32 %r3, [%rd1], 0, 1;\n"
     "setp.ne.u32 %p1, %r3, 0;\n@%p1 bra loop; //! or before", 1, 1,
     0, SIM_FAULT_ENDLESS, 0, 0, "still running", ENDS},
    {"a flag that nobody sets", "", "loop:\nld.volatile.global.u32 %r3, [%rd1+64];\nsetp.eq.u32 %p1, %r3, 0;\n"
     "@%p1 bra loop; //! or before", 1, 32, 0,
     SIM_FAULT_ENDLESS, 0, 0, "still running", ENDS},
    {"barriers without an end", "", "loop:\nbar.sync 0;\nbra loop; //! or before", 1, 96, SIM_CHECK_ALL,
     SIM_FAULT_ENDLESS, 0, 0, "still running", "look for a loop that never ends"},
    {"a barrier object that is never complete", ".shared .align 8 .b64 object;\n",
     LANE_0 "@%p1 mbarrier.init.shared.b64 [object], 2;\nbar.sync 0;\nloop:\nmbarrier.try_wait.parity.shared.b64 %p2, "
     "[object], 0;\n@!%p2 bra loop; //! or "
            "before",
     1, 32, 0, SIM_FAULT_ENDLESS, 0, 0, "lacks 2 arrivals", "A phase ends when as many threads have arrived"},
    {"recursion without an end", ".func down(.param .b32 n) {\n.param .b32 arg;\nst.param.b32 [arg], 1;\n"
     "call.uni down, (arg); //!\nret;\n}\n",
     ".param .b32 arg;\nst.param.b32 [arg], 1;\ncall.uni down, (arg);", 1, 32, 0, SIM_FAULT_STACK_OVERFLOW, 0, 0,
     "overflows the stack", "Recurse less deeply"},
    {"recursion of one thread, with an array",
     ".func down(.param .b32 n) {\n.local .align 16 .b8 mine[512];\n.reg .b64 %x; .reg .b32 %y;\nmov.u64 %x, mine;\n"
     "mov.u32 %y, 5;\nst.local.u32 [%x], %y;\n"
     ".param .b32 arg;\nst.param.b32 [arg], 1;\ncall.uni down, (arg); //!\nret;\n}\n",
     IN_BLOCK_1 "setp.ne.u32 %p1, %r1, 45;\n@%p1 ret;\n.param .b32 arg;\nst.param.b32 [arg], 1;\ncall.uni down, (arg);",
     2, 64, SIM_CHECK_ALL,
     SIM_FAULT_STACK_OVERFLOW, 1, 45, "overflows the stack", "Recurse less deeply"},
    {"a trap", "", "setp.ne.u32 %p1, %r1, 33;\n@%p1 ret;\ntrap; //!", 1, 64, 0, SIM_FAULT_TRAP, 0, 33,
     "executed a trap", "a failed assert or __trap()"},
    {"a breakpoint", "", "brkpt; //!", 1, 32, 0, SIM_FAULT_BREAKPOINT, 0, 0, "breakpoint", "Remove __brkpt()"},
    {"a call of no function", "", "mov.u64 %rd3, 4096;\nfor_it: .callprototype ()_ ();\ncall %rd3, (), for_it; //!", 1,
     32, 0, SIM_FAULT_BAD_CALL, 0, 0,
     "0x1000 is not a function", "points to no function of this module"},
    {"a jump behind its table", "", "mov.u32 %r3, 2;\nwhere: .branchtargets one, two;\nbrx.idx %r3, where; //!\none:\n"
     "two:", 1, 32, 0, SIM_FAULT_BAD_OPERAND, 0, 0,
     "2 targets is indexed with 2", "does not define this instruction for that value"},
};
// clang-format on

/* None of these kernels may fault, whatever its results. */
static const char *const fine[] = {
    "div.s32 %r3, %r1, %r4;",
    "div.u32 %r3, %r1, %r4;",
    "rem.s32 %r3, %r1, %r4;",
    "rem.u32 %r3, %r1, %r4;",
    "div.s64 %rd3, %rd1, %rd4;",
    "div.u64 %rd3, %rd1, %rd4;",
    "rem.s64 %rd3, %rd1, %rd4;",
    "rem.u64 %rd3, %rd1, %rd4;",
    "div.s16 %h1, %h2, %h3;",
    "rem.u16 %h1, %h2, %h3;",
    "div.s32 %r3, -2147483648, -1;",
    "rem.s32 %r3, -2147483648, -1;",
    "mov.b64 %rd3, 0x8000000000000000;\ndiv.s64 %rd3, %rd3, -1;",
    "mov.b64 %rd3, 0x8000000000000000;\nrem.s64 %rd3, %rd3, -1;",
    "div.s16 %h1, -32768, -1;",
    "div.rn.f32 %f1, %f2, %f3;",
    "div.full.f32 %f1, %f2, %f3;",
    "div.rn.f64 %fd1, %fd2, %fd3;",
    "rcp.rn.f32 %f1, %f3;",
    "rsqrt.approx.f32 %f1, %f3;",
    "shl.b32 %r3, %r1, 32;",
    "shl.b64 %rd3, %rd1, 64;",
    "shr.s32 %r3, -1, -1;",
    "shr.u64 %rd3, %rd1, 4000000000;",
    "shr.s16 %h1, %h2, 99;",
    "shf.l.wrap.b32 %r3, %r1, %r1, 77;",
    "shf.r.clamp.b32 %r3, %r1, %r1, -3;",
    "bfe.u32 %r3, %r1, 200, 300;",
    "bfi.b32 %r3, %r1, %r1, 200, 300;",
    "bmsk.clamp.b32 %r3, 99, 99;",
    "prmt.b32 %r3, %r1, %r1, 0xffffffff;",
    "cvt.rzi.s32.f32 %r3, 0f7F800000;",
    "cvt.rzi.u32.f64 %r3, 0dFFF8000000000000;",
    "lg2.approx.f32 %f1, %f3;",
};

/* ---- one kernel ---- */
static text t;

static void put_kernel(const char *before, const char *body)
{
    t.n = 0;
    put(&t, ".version 8.6\n.target sm_90a\n.address_size 64\n%s", before);
    put(&t,
        ".visible .entry k(.param .u64 out)\n{\n.reg .pred %%p<8>; .reg .b16 %%h<8>; .reg .b32 %%r<9>; "
        ".reg .b64 %%rd<9>; .reg .f32 %%f<9>; .reg .f64 %%fd<9>;\n");
    put(&t,
        "ld.param.u64 %%rd1, [out];\nmov.u32 %%r1, %%tid.x;\nmov.u32 %%r2, %%ctaid.x;\nmov.u32 %%r4, 0;\n"
        "mov.u64 %%rd4, 0;\nmov.u16 %%h2, 9;\nmov.u16 "
        "%%h3, 0;\nmov.f32 %%f2, 0f3F800000;\nmov.f32 %%f3, 0f00000000;\nmov.f64 %%fd2, 0d3FF0000000000000;\n"
        "mov.f64 %%fd3, 0d0000000000000000;\n%s\nret;\n}\n",
        body);
}

static int marked_line(void)
{
    int line = 1;
    const char *mark = strstr(t.s, "//!");
    for (const char *c = t.s; mark && c < mark; c++) line += *c == '\n';
    return line;
}

static bool run(bench *b, uint32_t grid, uint32_t block, unsigned checks, sim_result *r)
{
    static const unsigned char zeros[BYTES];
    sim_module *m = load(b, &t);
    memset(r, 0, sizeof *r);
    if (!m) return false;
    sim_write(b->s, b->out, zeros, BYTES, &b->e);
    sim_launch l = {.kernel = "k",
                    .grid = {grid, 1, 1},
                    .block = {block, 1, 1},
                    .params = &b->out,
                    .param_bytes = 8,
                    .checks = checks,
                    .host_threads = 1,
                    .max_instructions = 300000};
    int code = sim_run(b->s, m, &l, r, &b->e);
    if (code) printf("# %s\n", b->e.message);
    sim_unload(b->s, m);
    return !code;
}

static void test_row(bench *b, const row *w)
{
    sim_result r;
    put_kernel(w->before, w->body);
    /* an endless loop may stop at any of its lines */
    const int line = marked_line(), least = strstr(t.s, "//! or any") ? line - 6
                                            : strstr(t.s, "//! or")   ? line - 3
                                                                      : line;
    bool good = run(b, w->grid, w->block, w->checks, &r) && r.code == SIM_E_FAULT && r.fault_count;
    if (good) {
        const sim_fault *f = r.faults;
        good = f->kind == w->kind && !f->note && f->at.ptx_line >= least && f->at.ptx_line <= line &&
               f->at.line == f->at.ptx_line && !strcmp(f->at.file, "case.ptx") && f->at.block[0] == w->in_block &&
               f->at.thread[0] == w->in_thread && strstr(f->message, w->message) && strstr(f->advice, w->advice);
        if (!good)
            printf("# %s: %s (line %d, not %d; block %u, thread %u; %s)\n", sim_fault_name(f->kind), f->message,
                   f->at.ptx_line, line, f->at.block[0], f->at.thread[0], f->advice);
    } else {
        printf("# code %d, %d faults\n", r.code, r.fault_count);
    }
    check_that(good, "%s", w->name);
    sim_result_free(&r);
}

/* ---- launches that a card refuses ---- */
// clang-format off
static const struct refusal {
    const char *name, *before, *with, *body; /* `with`: directives between parameters and body */
    uint32_t grid[3], block[3], shared;
    bool cooperative;
    int code;
    const char *message, *hint;
} refusals[] = {
    {"1025 threads", "", "", "", {1, 1, 1}, {1025, 1, 1}, 0, false, SIM_E_LIMIT, "1025 threads wide",
     "Use a smaller block"},
    {"32 x 33 threads", "", "", "", {1, 1, 1}, {32, 33, 1}, 0, false, SIM_E_LIMIT, "a block of 1056 threads",
     "Use a smaller block"},
    {"65 threads deep", "", "", "", {1, 1, 1}, {1, 1, 65}, 0, false, SIM_E_LIMIT, "65 threads wide",
     "Use a smaller block"},
    {"no thread", "", "", "", {1, 1, 1}, {32, 0, 1}, 0, false, SIM_E_ARGUMENT, "must be at least 1", ""},
    {"no block", "", "", "", {0, 1, 1}, {32, 1, 1}, 0, false, SIM_E_ARGUMENT, "must be at least 1", ""},
    {"65536 blocks high", "", "", "", {1, 65536, 1}, {1, 1, 1}, 0, false, SIM_E_LIMIT, "a grid of 65536 blocks",
     "more dimensions"},
    {"4 billion blocks", "", "", "", {4294967295u, 1, 1}, {1, 1, 1}, 0, false, SIM_E_LIMIT,
     "a grid of 4294967295 blocks", "more dimensions"},
    {"too much dynamic shared memory", "", "", "", {1, 1, 1}, {32, 1, 1}, 101377, false, SIM_E_LIMIT,
     "101377 bytes of shared memory", "Use less shared"},
    {"4 GiB of dynamic shared memory", "", "", "", {1, 1, 1}, {32, 1, 1}, 4294967295u, false, SIM_E_LIMIT,
     "4294967295 bytes", "Use less shared"},
    {"too much static shared memory", ".shared .align 4 .b8 big[200000];\n", "", "st.shared.u32 [big], %r1;", {1, 1, 1},
     {32, 1, 1}, 0, false, SIM_E_LIMIT,
     "200000 bytes of shared memory", "Use less shared"},
    {"more threads than .maxntid", "", ".maxntid 64, 1, 1", "", {1, 1, 1}, {65, 1, 1}, 0, false, SIM_E_LIMIT,
     "was built for: at most 64", "that many or fewer"},
    {"other threads than .reqntid", "", ".reqntid 8, 8", "", {1, 1, 1}, {64, 1, 1}, 0, false, SIM_E_LIMIT,
     "requires blocks of 8 x 8 x 1", ""},
    {"clusters of a grid that they do not divide", "", ".reqnctapercluster 2, 1, 1", "", {3, 1, 1}, {32, 1, 1}, 0,
     false, SIM_E_LIMIT, "cannot be cut into clusters of 2", ""},
    {"too large for a cooperative launch", "", "", "", {100000, 1, 1}, {1024, 1, 1}, 0, true, SIM_E_LIMIT,
     "needs all of its 100000 blocks", ""},
    {"too much local memory", "", "", ".local .align 16 .b8 mine[16000000];\nmov.u64 %rd3, mine;\n"
     "st.local.u32 [%rd3], %r1;", {1, 1, 1}, {1024, 1, 1}, 0, false,
     SIM_E_LIMIT, "bytes of local memory", ""},
};
// clang-format on

static void test_refusal(bench *b, const struct refusal *w)
{
    sim_result r = {0};
    t.n = 0;
    put(&t,
        ".version 8.6\n.target sm_90\n.address_size 64\n%s.visible .entry k(.param .u64 out) %s\n{\n"
        ".reg .b32 %%r<9>; .reg .b64 %%rd<9>;\nmov.u32 %%r1, "
        "%%tid.x;\n%s\nret;\n}\n",
        w->before, w->with, w->body);
    sim_module *m = load(b, &t);
    int code = SIM_OK;
    memset(&b->e, 0, sizeof b->e);
    if (m) {
        sim_launch l = {.kernel = "k",
                        .grid = {w->grid[0], w->grid[1], w->grid[2]},
                        .block = {w->block[0], w->block[1], w->block[2]},
                        .params = &b->out,
                        .param_bytes = 8,
                        .shared_bytes = w->shared,
                        .cooperative = w->cooperative,
                        .host_threads = 1,
                        .max_instructions = 100000};
        code = sim_run(b->s, m, &l, &r, &b->e);
        sim_result_free(&r);
        sim_unload(b->s, m);
    }
    bool good = m && code == w->code && strstr(b->e.message, w->message) && strstr(b->e.hint, w->hint);
    if (!good) printf("# code %d: %s; %s\n", code, b->e.message, b->e.hint);
    check_that(good, "refused: %s", w->name);
    memset(&b->e, 0, sizeof b->e);
}

static void tests(bench *b)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) test_row(b, &rows[i]);
    for (size_t i = 0; i < sizeof fine / sizeof fine[0]; i++) {
        sim_result r;
        put_kernel("", fine[i]);
        check_that(run(b, 1, 32, SIM_CHECK_ALL, &r) && !r.code && !r.fault_count, "no fault: %s", fine[i]);
        sim_result_free(&r);
    }
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) test_refusal(b, &refusals[i]);
}
