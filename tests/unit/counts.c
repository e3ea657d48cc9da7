/* counts.c: counters of kernels of a few instructions, worked out by hand. tests/unit/checks.c has
 * those of transactions, banks, atomics and constants. Here are the others, and what each class of
 * instruction counts as. Every counter must be non-zero in one of the two files.
 *
 * A row's kernel is its body and a `ret`, with 32 threads unless it says otherwise. W warp
 * instructions by 32 lanes are 32 W thread instructions. A lane that an instruction leaves out
 * counts in predicated_off.
 */
#include "kernel.h"

#define ID(id)     offsetof(sim_counters, id), #id
#define OF(class_) offsetof(sim_counters, by_class) + SIM_CLASS_##class_ * sizeof(uint64_t), "class " #class_

// clang-format off
static const struct row {
    const char *name, *body;
    uint32_t grid, block;
    struct {
        size_t at;
        const char *id;
        uint64_t value;
    } want[10];
} rows[] = {
    {"three instructions", "mov.u32 %r1, %tid.x;\nadd.u32 %r2, %r1, 1;", 1, 32, /* and ret */
     {{ID(warp_instructions), 3}, {ID(thread_instructions), 96}, {ID(predicated_off), 0}, {ID(sparse_instructions), 0},
      {ID(blocks), 1}, {ID(warps), 1},
      {OF(MOVE), 1}, {OF(INT), 1}, {OF(BRANCH), 1}}},
    /* 3 x 40; the second warp leaves out 3 x 24 */
    {"two warps, the second of 8 threads", "mov.u32 %r1, %tid.x;\nadd.u32 %r2, %r1, 1;", 1, 40,
     /* no live lane is left out */
     {{ID(warp_instructions), 6}, {ID(thread_instructions), 120}, {ID(predicated_off), 72}, {ID(sparse_instructions),
      0}, {ID(warps), 2}}},
    {"... seven times", "mov.u32 %r1, %tid.x;\nadd.u32 %r2, %r1, 1;", 7, 40,
     {{ID(warp_instructions), 42}, {ID(thread_instructions), 840}, {ID(predicated_off), 504}, {ID(sparse_instructions),
      0}, {ID(blocks), 7}, {ID(warps), 14}}},
    /* mov, setp, ret by 32, add by 8 */
    {"8 lanes of a predicate", "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 8;\n@%p1 add.u32 %r2, %r1, 1;", 1, 32,
     {{ID(warp_instructions), 4}, {ID(thread_instructions), 3 * 32 + 8}, {ID(predicated_off), 24},
      {ID(sparse_instructions), 1}, {ID(branches), 0}, {OF(COMPARE), 1}}},
    {"17 lanes are not sparse, 16 are", "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 16;\nsetp.lt.u32 %p2, %r1, 17;\n"
     "@%p1 add.u32 %r2, %r1, 1;\n@%p2 add.u32 %r2, %r1, 1;", 1, 32,
     {{ID(warp_instructions), 6}, {ID(thread_instructions), 4 * 32 + 33}, {ID(predicated_off), 31},
      {ID(sparse_instructions), 1}}},
    /* the add by 16 lanes */
    {"a branch at which 16 lanes part", "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 16;\n@%p1 bra past;\n"
     "add.u32 %r2, %r1, 1;\npast:", 1, 32,
     {{ID(warp_instructions), 5}, {ID(thread_instructions), 4 * 32 + 16}, {ID(predicated_off), 16},
      {ID(sparse_instructions), 1}, {ID(branches), 1},
      {ID(divergent_branches), 1}, {OF(BRANCH), 2}}},
    {"a branch that all take", "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 32;\n@%p1 bra past;\nadd.u32 %r2, %r1, 1;\n"
     "past:", 1, 32,
     {{ID(warp_instructions), 4}, {ID(thread_instructions), 128}, {ID(branches), 1}, {ID(divergent_branches), 0}}},
    /* each of 2 warps: mov, 5 x 3, ret */
    {"a loop of 5 rounds", "mov.u32 %r1, 0;\nloop:\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 5;\n@%p1 bra loop;", 1,
     64,
     {{ID(warp_instructions), 2 * 17}, {ID(thread_instructions), 2 * 17 * 32}, {ID(branches), 2 * 5},
      {ID(divergent_branches), 0}}},
    {"a jump", "bra past;\npast:", 1, 32, {{ID(warp_instructions), 2}, {ID(branches), 0}, {OF(BRANCH), 2}}},
    {"a store of each lane", "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd1, %rd2;\n"
     "st.global.u32 [%rd2], %r1;", 1, 64,
     /* 2 warps of 128 bytes: 4 sectors each, 4 half-warps of 64 bytes in all */
     {{ID(global_store_requests), 2}, {ID(global_store_sectors), 8}, {ID(global_store_bytes), 256},
      {ID(strict_transactions), 4}, {ID(strict_bytes), 256},
      {ID(global_load_requests), 0}, {OF(GLOBAL_STORE), 2}, {OF(INT_MUL), 2}, {ID(max_block_bytes), 256}}},
    /* strict transactions: one of 64 bytes */
    {"a store of lane 5", "mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 5;\n@%p1 st.global.u32 [%rd1+20], %r1;", 1, 32,
     {{ID(global_store_requests), 1}, {ID(global_store_sectors), 1}, {ID(global_store_bytes), 4},
      {ID(strict_transactions), 1}, {ID(strict_bytes), 64}}},
    /* one word for all: one sector; 16 x 2 transactions of 32 bytes */
    {"a generic load from global memory", "ld.u32 %r1, [%rd1];", 1, 32,
     {{ID(global_load_requests), 1}, {ID(global_load_sectors), 1}, {ID(global_load_bytes), 128},
      {ID(strict_transactions), 32}, {ID(strict_bytes), 1024},
      {ID(shared_load_requests), 0}, {OF(GLOBAL_LOAD), 1}}},
    {"generic accesses of shared memory",
     ".shared .align 4 .b8 s[128];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nmov.u64 %rd3, s;\n"
     "cvta.shared.u64 %rd3, %rd3;\nadd.u64 %rd3, %rd3, %rd2;\nst.u32 "
     "[%rd3], %r1;\nld.u32 %r2, [%rd3];",
     1, 32, /* one pass each with 32 banks, two with 16 */
     {{ID(shared_store_requests), 1}, {ID(shared_load_requests), 1}, {ID(shared_passes_32), 2}, {ID(shared_passes_16),
      4}, {ID(max_bank_conflict), 1},
      {ID(global_load_requests), 0}, {ID(global_store_requests), 0}}},
    {"a word of local memory", ".local .align 4 .b8 mine[4];\nmov.u32 %r1, %tid.x;\nst.local.u32 [mine], %r1;\n"
     "ld.local.u32 %r2, [mine];", 1, 32,
     /* the 32 words are adjacent: 4 sectors each way */
     {{ID(local_requests), 2}, {ID(local_sectors), 8}, {ID(local_load_bytes), 128}, {ID(local_store_bytes), 128},
      {OF(LOCAL), 2}, {ID(global_load_requests), 0}}},
    {"a generic load by 8 lanes of global and 24 of local memory",
     ".local .align 4 .b8 mine[4];\nmov.u32 %r1, %tid.x;\nst.local.u32 [mine], %r1;\nmov.u64 %rd3, mine;\n"
     "cvta.local.u64 %rd3, %rd3;\nmul.wide.u32 %rd2, %r1, 4;\n"
     "add.u64 %rd2, %rd1, %rd2;\nsetp.lt.u32 %p1, %r1, 8;\nselp.b64 %rd2, %rd2, %rd3, %p1;\nld.u32 %r2, [%rd2];",
     /* 8 words in a row are one sector; of local memory 4 sectors are written and 3 read */
     1, 32, {{ID(global_load_requests), 1}, {ID(global_load_sectors), 1}, {ID(global_load_bytes), 32},
     {ID(local_requests), 2}, {ID(local_sectors), 7}, {ID(local_load_bytes), 96}, {ID(local_store_bytes), 128}}},
    /* 3 warps */
    {"waiting", "bar.sync 0;\nbar.warp.sync -1;\nshfl.sync.idx.b32 %r1, %r2, 0, 31, -1;\nvote.sync.any.pred %p1, %p1, "
     "-1;\nbar.sync 0;", 1, 96,
     {{ID(barriers), 6}, {ID(warp_barriers), 9}, {OF(BARRIER), 9}, {OF(WARP), 6}}},
    /* one lane sets it up for 96 arrivals; each of 3 warps arrives, and asks once more or less often */
    {"waiting at a barrier object", ".shared .align 8 .b8 o[8];\nmov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n"
     "@%p1 mbarrier.init.shared.b64 [o], 96;\nbar.sync 0;\n"
     "mbarrier.arrive.shared.b64 %rd2, [o];\nwait:\nmbarrier.test_wait.shared.b64 %p2, [o], %rd2;\n@!%p2 bra wait;", 1,
     96,
     {{ID(barriers), 3}, {ID(barrier_arrivals), 3}, {ID(atomic_lanes), 0}}},
    /* 64 bytes are 16 words; the object hears of them */
    {"a bulk copy that adds", ".shared .align 16 .b8 s[64];\nmov.u32 %r1, %tid.x;\nmad.lo.u32 %r2, %r1, 4, s;\n"
     "setp.lt.u32 %p1, %r1, 16;\n@%p1 st.shared.u32 [%r2], %r1;\n"
     "fence.proxy.async.shared::cta;\nbar.sync 0;\nsetp.eq.u32 %p2, %r1, 0;\nmov.u32 %r3, s;\n"
     "@%p2 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r3], 64;\ncp.async.bulk.commit_group;\n"
     "cp.async.bulk.wait_group 0;", 1, 32,
     {{ID(bulk_atomic_lanes), 16}, {ID(atomic_lanes), 0}}},
    /* each lane adds once to the place, and once to what its object has seen */
    {"asynchronous additions", ".shared .align 8 .b8 s[16];\nmov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n"
     "@%p1 mbarrier.init.shared.b64 [s], 1;\nmov.u32 %r2, 0;\n"
     "@%p1 st.shared.u32 [s+8], %r2;\nbar.sync 0;\n@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [s], 128;\n"
     "mov.u32 %r3, s;\nmapa.shared::cluster.u32 %r3, %r3, 0;\nadd.u32 %r4, %r3, 8;\n"
     "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r4], 1, [%r3];\n"
     "wait:\nmbarrier.test_wait.parity.shared.b64 %p2, [s], 0;\n@!%p2 bra wait;", 1, 32,
     {{ID(atomic_lanes), 64}, {ID(barrier_arrivals), 1}, {ID(bulk_atomic_lanes), 0}}},
    /* 2 + 1 + 1 operations per lane */
    {"doubles", "fma.rn.f64 %fd1, %fd2, %fd3, %fd1;\nadd.rn.f64 %fd1, %fd1, %fd2;\nmul.rn.f64 %fd1, %fd1, %fd2;", 1, 40,
     {{ID(double_operations), 4 * 40}, {ID(float_operations), 0}, {OF(FP64), 6}}},
    {"floats", "fma.rn.f32 %f1, %f2, %f3, %f1;\nadd.rn.f32 %f1, %f1, %f2;\nmul.rn.f32 %f1, %f1, %f2;", 1, 40,
     {{ID(float_operations), 4 * 40}, {ID(fma_operations), 40}, {ID(double_operations), 0}, {OF(FP32), 6}}},
    {"... and some of them", "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 3;\n@%p1 fma.rn.f32 %f1, %f2, %f3, %f1;", 1,
     32, {{ID(float_operations), 6}, {ID(fma_operations), 3}}},
    {"atomics of shared memory", ".shared .align 4 .b8 s[8];\nmov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 1;\n"
     "mov.u32 %r3, s;\nmad.lo.u32 %r3, %r2, 4, %r3;\nred.shared.add.u32 "
                                 "[%r3], 1;",
     1, 40, /* first warp: 16 lanes at each of two words; second warp: 4 */
     /* by half warps: 8, 8, and 4 */
     {{ID(atomic_requests), 2}, {ID(atomic_lanes), 40}, {ID(max_atomic_depth), 16}, {ID(atomic_depth), 20}, {OF(ATOMIC),
      2}, {ID(shared_atomic_requests), 2},
      {ID(shared_atomic_passes_32), 16 + 4}, {ID(shared_atomic_passes_16), 8 + 8 + 4}, {ID(global_atomic_requests), 0},
       {ID(shared_passes_32), 0}}},
    {"atomics of a column of shared memory", ".shared .align 4 .b8 s[4096];\nmov.u32 %r1, %tid.x;\n"
     "mad.lo.u32 %r3, %r1, 128, s;\natom.shared.or.b32 %r2, [%r3], 0;",
     1, 32, /* all in bank 0 */
     {{ID(shared_atomic_requests), 1}, {ID(shared_atomic_passes_32), 32}, {ID(shared_atomic_passes_16), 32},
      {ID(max_atomic_depth), 1}, {ID(shared_load_requests), 0}}},
    {"atomics of 8 bytes in a row, and of every other lane", ".shared .align 8 .b8 s[256];\nmov.u32 %r1, %tid.x;\n"
     "mad.lo.u32 %r3, %r1, 8, s;\nand.b32 %r2, %r1, 1;\n"
     "setp.eq.u32 %p1, %r2, 0;\nred.shared.add.u64 [%r3], 1;\n@%p1 red.shared.add.u64 [%r3], 1;",
     /* 32 banks: half a warp a pass, both times. 16 banks: 16 words of a half's first words lie in
      * 8 banks, 2 in each, so do
      * the second ones; of every other lane 8 words lie in 4 banks */
     1, 32, {{ID(shared_atomic_requests), 2}, {ID(shared_atomic_passes_32), 2 + 2}, {ID(shared_atomic_passes_16),
     2 * 2 * 2 + 2 * 2 * 2}}},
    {"atomics of global memory, one through a generic address", "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 64;\n"
     "add.u64 %rd2, %rd1, %rd2;\n"
     "atom.or.b32 %r2, [%rd2], 0;\nmul.wide.u32 %rd3, %r1, 4;\nadd.u64 %rd3, %rd1, %rd3;\n"
     "red.global.add.u32 [%rd3], 1;",
     1, 32, /* a sector for each lane, and 4 for the words in a row */
     {{ID(global_atomic_requests), 2}, {ID(global_atomic_sectors), 32 + 4}, {ID(global_atomic_bytes), 256},
      {ID(shared_atomic_requests), 0}, {ID(global_load_sectors), 0}}},
    {"products of doubles and of floats", "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd1, %fd2}, {%fd3}, "
     "{%fd4}, {%fd1, %fd2};\n"
     "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3}, {%f1, %f2, %f3, %f4};",
     1, 64,
     {{ID(double_matrix_operations), 2 * (2 * 8 * 8 * 4)}, {ID(matrix_operations),
      2 * (2 * 8 * 8 * 4 + 2 * 16 * 8 * 8)}, {ID(double_operations), 0}}},
    {"bytes of a thread, in all memories",
     ".shared .align 16 .b8 s[256];\n.local .align 8 .b8 mine[8];\nmov.u32 %r1, %tid.x;\nld.global.u32 %r2, [%rd1];\n"
     "st.local.u64 [mine], %rd1;\n"
     "setp.lt.u32 %p1, %r1, 9;\nsetp.eq.u32 %p2, %r1, 5;\nmad.lo.u32 %r3, %r1, 4, s;\n@%p1 st.shared.u32 [%r3], %r1;\n"
     "bar.sync 0;\n"
     "@%p1 red.global.add.u32 [%rd1], 1;\n@%p2 ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [s];",
     3, 40, /* 3 blocks of 40: all threads 4 and 8; the first 9 of a block 4 and 4 more; thread 5 16 more */
     {{ID(max_thread_bytes), 36}, {ID(thread_bytes), 3 * (40 * 12 + 9 * 8 + 16)}, {ID(global_atomic_bytes), 3 * 9 * 4},
      {ID(max_block_bytes), 40 * 4 + 9 * 4}, {ID(global_load_bytes), 3 * 40 * 4}, {ID(global_store_bytes), 0}}},
    /* In each of 3 rounds, odd lanes read 8 bytes and even lanes 4, so no two successive accesses
     * have the same lanes. */
    {"... when lanes take turns",
     ".shared .align 8 .b8 s[8];\nmov.u32 %r1, %tid.x;\nand.b32 %r1, %r1, 1;\nsetp.eq.u32 %p1, %r1, 1;\n"
     "mov.u32 %r2, 0;\nst.shared.u64 [s], %rd1;\nloop:\n"
     "@%p1 ld.volatile.shared.u64 %rd3, [s];\n@!%p1 ld.volatile.shared.u32 %r3, [s];\nadd.u32 %r2, %r2, 1;\n"
     "setp.lt.u32 %p2, %r2, 3;\n@%p2 bra loop;",
     1, 32, {{ID(max_thread_bytes), 8 + 3 * 8}, {ID(shared_load_requests), 6}, {ID(global_atomic_bytes), 0}}},
    {"... in a loop that all lanes go through", /* reads 7 words of global and 7 of shared memory, writes one of each */
     ".shared .align 4 .b8 s[128];\nmov.u32 %r1, %tid.x;\nmad.lo.u32 %r3, %r1, 4, s;\nst.shared.u32 [%r3], %r1;\n"
     "mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd1, %rd2;\n"
     "st.global.u32 [%rd2], %r1;\nmov.u32 %r2, 0;\nloop:\nld.global.u32 %r4, [%rd2];\nld.shared.u32 %r5, [%r3];\n"
     "add.u32 %r6, %r4, %r5;\nadd.u32 %r2, %r2, 1;\n"
     "setp.lt.u32 %p2, %r2, 7;\n@%p2 bra loop;",
     1, 32, {{ID(max_thread_bytes), 4 * (7 + 7 + 2)}, {ID(thread_bytes), 32 * 4 * (7 + 7 + 2)}, {ID(global_load_bytes),
     7 * 128}}},
    {"one of each class",
     "and.b32 %r1, %r2, 3;\ndiv.u32 %r1, %r2, 3;\nmul.lo.u32 %r1, %r2, %r2;\ncvt.rn.f32.u32 %f1, %r2;\n"
     "sqrt.approx.f32 %f1, %f1;\nmembar.gl;\nadd.f16x2 %r1, %r2, "
     "%r2;\nprefetch.global.L2 [%rd1];",
     1, 32,
     {{OF(LOGIC), 1}, {OF(INT_DIV), 1}, {OF(INT_MUL), 1}, {OF(CONVERT), 1}, {OF(SPECIAL), 1}, {OF(FENCE), 1}, {OF(FP16),
      1}, {ID(half_operations), 64}}},
};
// clang-format on

static uint64_t counter(const sim_counters *c, size_t at)
{
    uint64_t v;
    memcpy(&v, (const char *)c + at, sizeof v);
    return v;
}

static sim_result run(bench *b, const struct row *w, bool *ok)
{
    static text t;
    sim_result r = {0};
    t.n = 0;
    put(&t, ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n");
    put(&t, ".reg .pred %%p<8>; .reg .b32 %%r<9>; .reg .b64 %%rd<9>; .reg .f32 %%f<9>; .reg .f64 %%fd<9>;\n");
    /* The body needs the address: one more instruction, subtracted below. */
    const bool needs = strstr(w->body, "%rd1") != NULL;
    put(&t, "%s%s\nret;\n}\n", needs ? "ld.param.u64 %rd1, [out];\n" : "", w->body);
    sim_module *m = load(b, &t);
    *ok = m != NULL;
    if (!m) return r;
    sim_launch l = {.kernel = "k",
                    .grid = {w->grid, 1, 1},
                    .block = {w->block, 1, 1},
                    .params = &b->out,
                    .param_bytes = 8,
                    .counts = SIM_COUNT_MEMORY | SIM_COUNT_LINES,
                    .host_threads = 1,
                    .max_instructions = 100000};
    *ok = !sim_run(b->s, m, &l, &r, &b->e) && !r.code;
    sim_unload(b->s, m);
    if (needs) {
        const uint64_t warps = r.total.warps;
        r.total.warp_instructions -= warps;
        r.total.by_class[SIM_CLASS_CONSTANT] -= warps;
    }
    return r;
}

static void tests(bench *b)
{
    static bool seen[sizeof(sim_counters) / sizeof(uint64_t)];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *w = &rows[i];
        bool ok;
        sim_result r = run(b, w, &ok);
        for (int k = 0; ok && k < 10 && w->want[k].id; k++) {
            const uint64_t got = counter(&r.total, w->want[k].at);
            verdict(got == w->want[k].value, "%s: %s %llu, by hand %llu", w->name, w->want[k].id,
                    (unsigned long long)got, (unsigned long long)w->want[k].value);
            seen[w->want[k].at / sizeof(uint64_t)] |= w->want[k].value != 0;
        }
        /* The rows per line add up to the total, for every counter that is a sum. */
        int n;
        const sim_counter_info *info = sim_counter_infos(&n);
        for (int k = 0; ok && k < n; k++) {
            uint64_t sum = 0;
            if (info[k].maximum || info[k].offset == offsetof(sim_counters, blocks) ||
                info[k].offset == offsetof(sim_counters, warps) ||
                info[k].offset == offsetof(sim_counters, thread_bytes))
                continue;
            for (int line = 0; line < r.line_count; line++) sum += counter(&r.lines[line].c, info[k].offset);
            if (info[k].offset == offsetof(sim_counters, warp_instructions) && strstr(w->body, "%rd1"))
                sum -= r.total.warps;
            if (sum != counter(&r.total, info[k].offset))
                verdict(false, "%s: lines add up to %llu of %s", w->name, (unsigned long long)sum, info[k].id);
        }
        if (!ok) verdict(false, "%s: %s", w->name, r.fault_count ? r.faults[0].message : b->e.message);
        sim_result_free(&r);
    }
    /* Counters that tests/unit/checks.c has and this file has not. */
    static const size_t elsewhere[] = {offsetof(sim_counters, constant_requests),
                                       offsetof(sim_counters, constant_words),
                                       offsetof(sim_counters, matrix_operations)};
    int n;
    const sim_counter_info *info = sim_counter_infos(&n);
    for (int k = 0; k < n; k++) {
        bool known = seen[info[k].offset / sizeof(uint64_t)];
        for (size_t e = 0; e < sizeof elsewhere / sizeof elsewhere[0]; e++) known |= elsewhere[e] == info[k].offset;
        verdict(known, "%s is known by hand", info[k].id);
    }
}
