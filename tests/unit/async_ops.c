/* async_ops.c: asynchronous copies and barrier objects.
 *
 * Each kernel leaves one word per thread in `out` (at %rd9); the expected value stands beside it.
 * `in` holds random bytes. All kernels run without checks and with all of them: correct code must
 * raise no fault. The last kernels forget to wait.
 */
#include "kernel.h"

static const uint32_t *words;

static void both(bench *b, const char *name, const char *with, const char *body, uint32_t threads, const uint32_t *want)
{
    char checked[200];
    snprintf(checked, sizeof checked, "%s (all checks)", name);
    test_words(b, name, "", with, body, threads, 0, want);
    test_words(b, checked, "", with, body, threads, SIM_CHECK_ALL, want);
}

#define OWN_PLACE                                                                                               \
    "mov.u32 %r20, room;\nmad.lo.u32 %r21, %r1, 16, %r20;\nmul.wide.u32 %rd10, %r1, 16;\nadd.u64 %rd11, %rd1, " \
    "%rd10;\n"
#define ONE_THREAD(text) "setp.ne.u32 %p2, %r1, 0;\n@%p2 bra not_first;\n" text "not_first:\n"

static void test_copies(bench *b)
{
    uint32_t want[32];
    const char *room = ".shared .align 16 .b8 room[2048];";
    for (int l = 0; l < 32; l++) want[l] = words[4 * l + 1];
    both(b, "copies arrive when all are waited for", room,
         OWN_PLACE "cp.async.cg.shared.global [%r21], [%rd11], 16;\ncp.async.wait_all;\nld.shared.u32 %r22, "
                   "[%r21+4];\nst.global.u32 [%rd9], %r22;",
         32, want);
    both(b, "hints and policies on copies", room,
         OWN_PLACE "createpolicy.fractional.L2::evict_last.b64 %rd20, 0f3F800000;\n"
                   "cp.async.ca.shared.global.L2::cache_hint.L2::128B [%r21], [%rd11], 16, %rd20;\n"
                   "cp.async.ca.shared::cta.global.L2::256B [%r21], [%rd11], 8, 8;\n"
                   "cp.async.wait_all;\nld.shared.u32 %r22, [%r21+4];\nst.global.u32 [%rd9], %r22;",
         32, want);
    for (int l = 0; l < 32; l++) want[l] = words[4 * (31 - l)];
    both(b, "another thread's copy after a barrier", room,
         OWN_PLACE
         "cp.async.ca.shared.global [%r21], [%rd11], 4;\ncp.async.commit_group;\ncp.async.wait_group 0;\nbar.sync 0;\n"
         "sub.u32 %r23, 31, %r1;\nmad.lo.u32 %r24, %r23, 16, %r20;\nld.shared.u32 %r22, [%r24];\nst.global.u32 "
         "[%rd9], %r22;",
         32, want);
    for (int l = 0; l < 32; l++) want[l] = words[4 * l] + 1000;
    both(b, "wait_group leaves the youngest groups in flight", room,
         OWN_PLACE "mov.u32 %r30, 1000;\nst.shared.u32 [%r21+512], %r30;\nst.shared.u32 [%r21], 5;\n"
                   "cp.async.ca.shared.global [%r21], [%rd11], 4;\ncp.async.commit_group;\n"
                   "cp.async.ca.shared.global [%r21+512], [%rd11], 4;\ncp.async.commit_group;\n"
                   "cp.async.wait_group 1;\nld.shared.u32 %r22, [%r21];\nld.shared.u32 %r23, [%r21+512];\nadd.u32 "
                   "%r22, %r22, %r23;\n"
                   "st.global.u32 [%rd9], %r22;\ncp.async.wait_all;",
         32, want);
    for (int l = 0; l < 32; l++) want[l] = l & 1 ? words[4 * l + 2] : 9;
    both(b, "lanes count their own groups", room,
         OWN_PLACE
         "st.shared.u32 [%r21+8], 9;\nand.b32 %r22, %r1, 1;\nsetp.eq.u32 %p2, %r22, 1;\n"
         "cp.async.ca.shared.global [%r21+8], [%rd11+8], 4;\ncp.async.commit_group;\n@%p2 cp.async.commit_group;\n"
         "cp.async.wait_group 1;\nld.shared.u32 %r22, [%r21+8];\nst.global.u32 [%rd9], %r22;\ncp.async.wait_all;",
         32, want);
    for (int l = 0; l < 32; l++) want[l] = l % 3 == 0 ? 0 : l % 3 == 1 ? words[4 * l + 1] & 0xffff : words[4 * l + 1];
    both(b, "less than the whole is filled up with zeros", room,
         OWN_PLACE
         "rem.u32 %r25, %r1, 3;\nmul.lo.u32 %r25, %r25, 2;\nadd.u32 %r25, %r25, 4;\nsetp.eq.u32 %p2, %r25, 4;\n"
         "cp.async.ca.shared.global [%r21], [%rd11], 8, %r25;\ncp.async.wait_all;\nld.shared.u32 %r22, [%r21+4];\n"
         "st.global.u32 [%rd9], %r22;",
         32, want);
    for (int l = 0; l < 32; l++) want[l] = l < 10 ? 0 : words[4 * l];
    both(b, "ignored sources read nothing, wherever they are", room,
         OWN_PLACE "setp.lt.u32 %p2, %r1, 10;\n@%p2 mov.u64 %rd11, 0;\n"
                   "cp.async.ca.shared.global [%r21], [%rd11], 8, %p2;\ncp.async.wait_all;\nld.shared.u32 %r22, "
                   "[%r21];\nst.global.u32 [%rd9], %r22;",
         32, want);
    for (int l = 0; l < 32; l++) want[l] = words[l];
    both(b, "the last bytes of a buffer", room,
         OWN_PLACE "setp.ne.u32 %p2, %r1, 0;\nmov.u32 %r25, 16;\n@!%p2 mov.u32 %r25, 4;\nmov.u64 %rd12, %rd1;\n@!%p2 "
                   "add.u64 %rd12, %rd1, 4080;\n"
                   "cp.async.cg.shared.global [%r21], [%rd12], 16, %r25;\ncp.async.wait_all;\n"
                   "mul.wide.u32 %rd13, %r1, 4;\nadd.u64 %rd13, %rd13, %rd1;\nld.global.u32 %r22, "
                   "[%rd13];\nst.global.u32 [%rd9], %r22;",
         32, want);
}

static void test_objects(bench *b)
{
    uint32_t want[32];
    const char *bar = ".shared .align 8 .b64 bar;\n.shared .align 16 .b8 room[2048];";
    for (int l = 0; l < 32; l++) want[l] = 1000u + (uint32_t)l * 3;
    both(b, "arrive and wait for a phase by state", bar,
         ONE_THREAD(
             "mbarrier.init.shared.b64 [bar], 64;\n") "bar.sync 0;\nmov.u32 %r20, room;\nmad.lo.u32 %r21, %r1, 4, "
                                                      "%r20;\nmad.lo.u32 %r22, %r1, 3, 1000;\nst.shared.u32 [%r21], "
                                                      "%r22;\n"
                                                      "mbarrier.arrive.release.cta.shared::cta.b64 %rd20, [bar];\n"
                                                      "wait: mbarrier.try_wait.acquire.cta.shared::cta.b64 %p3, "
                                                      "[bar], %rd20;\n@!%p3 bra wait;\n"
                                                      "setp.lt.u32 %p4, %r1, 32;\n@%p4 bra done;\n" /* by warp 1 */
                                                      "ld.shared.u32 %r23, [%r21+-128];\nst.global.u32 [%rd9+-128], "
                                                      "%r23;\ndone:",
         64, want);
    for (int l = 0; l < 32; l++) want[l] = l == 0 ? 3 : 0;
    test_words(b, "counting arrivals", "", bar,
               ONE_THREAD("mbarrier.init.shared.b64 [bar], 5;\nmbarrier.arrive.noComplete.shared.b64 %rd20, [bar], 2;\n"
                          "mbarrier.arrive.noComplete.shared.b64 %rd21, [bar], 1;\nmbarrier.pending_count.b64 %r22, "
                          "%rd21;\nst.global.u32 [%rd9], %r22;\n"),
               32, 0, want);
    for (int l = 0; l < 32; l++) want[l] = l == 0 ? 0x111u : 0;
    test_words(
        b, "phases, parity and dropping out", "", bar,
        ONE_THREAD(
            "mov.u32 %r30, 0;\nmbarrier.init.shared.b64 [bar], 2;\n"
            "mbarrier.test_wait.parity.shared.b64 %p3, [bar], 0;\n@%p3 or.b32 %r30, %r30, 0x1000;\n" /* phase 0 runs */
            "mbarrier.test_wait.parity.shared.b64 %p3, [bar], 1;\n@%p3 or.b32 %r30, %r30, 1;\n" /* phase -1 is over */
            "mbarrier.arrive.shared.b64 %rd20, [bar];\nmbarrier.arrive_drop.shared.b64 _, [bar];\n"
            "mbarrier.test_wait.shared.b64 %p3, [bar], %rd20;\n@%p3 or.b32 %r30, %r30, 0x10;\n"
            "mbarrier.arrive.shared.b64 %rd21, [bar];\n" /* one arrival is enough now */
            "mbarrier.test_wait.shared.b64 %p3, [bar], %rd21;\n@%p3 or.b32 %r30, %r30, 0x100;\n"
            "mbarrier.inval.shared.b64 [bar];\nst.global.u32 [%rd9], %r30;\n"),
        32, 0, want);
    for (int l = 0; l < 32; l++) want[l] = words[63 - l];
    both(b, "a bulk copy from global memory", bar,
         ONE_THREAD(
             "mov.u32 %r20, room;\nmbarrier.init.shared.b64 [bar], 1;\nmbarrier.arrive.expect_tx.shared::cta.b64 "
             "%rd20, [bar], 256;\n"
             "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r20], [%rd1], 256, [bar];\n") "bar."
                                                                                                                "sync "
                                                                                                                "0;"
                                                                                                                "\nwait"
                                                                                                                ": "
                                                                                                                "mbarri"
                                                                                                                "er."
                                                                                                                "try_"
                                                                                                                "wait."
                                                                                                                "parity"
                                                                                                                ".share"
                                                                                                                "d::"
                                                                                                                "cta."
                                                                                                                "b64 "
                                                                                                                "%p3, "
                                                                                                                "[bar],"
                                                                                                                " 0, "
                                                                                                                "100;"
                                                                                                                "\n@!%"
                                                                                                                "p3 "
                                                                                                                "bra "
                                                                                                                "wait;"
                                                                                                                "\n"
                                                                                                                "sub."
                                                                                                                "u32 "
                                                                                                                "%r21, "
                                                                                                                "63, "
                                                                                                                "%r1;"
                                                                                                                "\nmov."
                                                                                                                "u32 "
                                                                                                                "%r22, "
                                                                                                                "room;"
                                                                                                                "\nmad."
                                                                                                                "lo."
                                                                                                                "u32 "
                                                                                                                "%r21, "
                                                                                                                "%r21, "
                                                                                                                "4, "
                                                                                                                "%r22;"
                                                                                                                "\nld."
                                                                                                                "shared"
                                                                                                                ".u32 "
                                                                                                                "%r23, "
                                                                                                                "[%r21]"
                                                                                                                ";\nst."
                                                                                                                "global"
                                                                                                                ".u32 "
                                                                                                                "[%rd9]"
                                                                                                                ", "
                                                                                                                "%r23;",
         32, want);
    for (int l = 0; l < 32; l++) want[l] = words[l] + words[l + 512];
    both(b, "two stages of bulk copies", bar,
         ONE_THREAD(
             "mbarrier.init.shared.b64 [bar], 1;\n") "bar.sync 0;\nmov.u32 %r20, room;\nmov.u32 %r24, 0;\nmov.u32 "
                                                     "%r25, 0;\nmov.u64 %rd22, %rd1;\nmad.lo.u32 %r21, %r1, 4, %r20;\n"
                                                     "again:\nsetp.ne.u32 %p2, %r1, 0;\n@%p2 bra wait;\n"
                                                     "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128;\n"
                                                     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
                                                     "bytes [%r20], [%rd22], 128, [bar];\n"
                                                     "wait: mbarrier.try_wait.parity.shared::cta.b64 %p3, [bar], "
                                                     "%r24;\n@!%p3 bra wait;\n"
                                                     "ld.shared.u32 %r26, [%r21];\nadd.u32 %r25, %r25, %r26;\nbar.sync "
                                                     "0;\nadd.u64 %rd22, %rd22, 2048;\nadd.u32 %r24, %r24, 1;\n"
                                                     "setp.lt.u32 %p4, %r24, 2;\n@%p4 bra again;\nst.global.u32 "
                                                     "[%rd9], %r25;",
         32, want);
    for (int l = 0; l < 32; l++) want[l] = 7u * (uint32_t)l;
    both(b, "a bulk copy to global memory", bar,
         "mov.u32 %r20, room;\nmad.lo.u32 %r21, %r1, 4, %r20;\nmul.lo.u32 %r22, %r1, 7;\nst.shared.u32 [%r21], %r22;\n"
         "fence.proxy.async.shared::cta;\nbar.sync 0;\n" ONE_THREAD(
             "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r20], 128;\ncp.async.bulk.commit_group;\n"
             "cp.async.bulk.wait_group.read 0;\n"),
         32, want);
    test_words(b, "a bulk copy to global memory that nobody waits for", "", bar,
               "mov.u32 %r20, room;\nmad.lo.u32 %r21, %r1, 4, %r20;\nmul.lo.u32 %r22, %r1, 7;\n"
               "st.shared.u32 [%r21], %r22;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n" ONE_THREAD(
                   "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r20], 128;\ncp.async.bulk.commit_group;\n"),
               32, 0, want);
    for (int l = 0; l < 32; l++) want[l] = words[4 * (l ^ 1)];
    both(b, "copies that arrive on a barrier object", bar,
         ONE_THREAD(
             "mbarrier.init.shared.b64 [bar], 32;\n") "bar.sync 0;\n" OWN_PLACE
                                                      "cp.async.ca.shared.global [%r21], [%rd11], "
                                                      "4;\ncp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n"
                                                      "wait: mbarrier.test_wait.parity.shared.b64 %p3, [bar], "
                                                      "0;\n@!%p3 bra wait;\n"
                                                      "xor.b32 %r23, %r1, 1;\nmad.lo.u32 %r24, %r23, 16, "
                                                      "%r20;\nld.shared.u32 %r22, [%r24];\nst.global.u32 [%rd9], %r22;",
         32, want);
    both(b, "copies that arrive beside their thread", bar,
         ONE_THREAD(
             "mbarrier.init.shared.b64 [bar], 32;\n") "bar.sync 0;\n" OWN_PLACE
                                                      "cp.async.ca.shared.global [%r21], [%rd11], "
                                                      "4;\ncp.async.mbarrier.arrive.shared.b64 [bar];\n"
                                                      "mbarrier.arrive.shared.b64 %rd20, [bar];\n"
                                                      "wait: mbarrier.test_wait.shared.b64 %p3, [bar], %rd20;\n@!%p3 "
                                                      "bra wait;\n"
                                                      "xor.b32 %r23, %r1, 1;\nmad.lo.u32 %r24, %r23, 16, "
                                                      "%r20;\nld.shared.u32 %r22, [%r24];\nst.global.u32 [%rd9], %r22;",
         32, want);
}

/* Successive blocks use the same warps: a copy that a block never waits for must not land in the
 * next block. On two host threads the results must be the same. */
static void test_blocks(bench *b)
{
    uint32_t want[32];
    for (int l = 0; l < 32; l++) want[l] = l == 0 ? 0x11111111u : words[4 * l];
    for (host_threads = 1; host_threads <= 2; host_threads++) {
        char name[80];
        blocks = 32;
        snprintf(name, sizeof name, "32 blocks, each waits for its own copies (%d host threads)", host_threads);
        test_words(b, name, "", ".shared .align 16 .b8 room[2048];",
                   "mov.u32 %r5, %ctaid.x;\nsetp.ne.u32 %p3, %r1, 0;\nmov.u32 %r20, room;\n@%p3 bra done;\n"
                   "mul.wide.u32 %rd10, %r5, 16;\nadd.u64 %rd11, %rd1, %rd10;\nmul.wide.u32 %rd12, %r5, 4;\nadd.u64 "
                   "%rd12, %rd2, %rd12;\n"
                   "mov.u32 %r6, 0x11111111;\nst.shared.u32 [%r20], %r6;\n"
                   "setp.eq.u32 %p4, %r5, 0;\n"
                   "cp.async.ca.shared.global [%r20], [%rd11], 4;\ncp.async.commit_group;\n"
                   "@%p4 bra skip;\ncp.async.wait_group 0;\nskip:\nld.shared.u32 %r22, [%r20];\nst.global.u32 "
                   "[%rd12], %r22;\n"
                   "st.shared.u32 [%r20+64], %r22;\ncp.async.bulk.global.shared::cta.bulk_group [%rd2+1024], [%r20], "
                   "16;\ndone:",
                   32, 0, want);
    }
    blocks = 1;
    host_threads = 1;
}

/* Kernels that forget to wait: what must be reported. */
static void test_forgotten(bench *b)
{
    static const struct {
        const char *name, *body;
        unsigned checks;
        enum sim_fault_kind kind;
    } rows[] = {
        {"a read before the copy was waited for",
         OWN_PLACE "cp.async.ca.shared.global [%r21], [%rd11], 4;\nld.shared.u32 %r22, [%r21];\ncp.async.wait_all;\n"
                   "setp.eq.u32 %p3, %r22, 1;\n@%p3 bra over;\nover:",
         SIM_CHECK_INIT, SIM_FAULT_UNINITIALISED},
        {"another thread's copy without a barrier",
         OWN_PLACE "cp.async.ca.shared.global [%r21], [%rd11], 4;\ncp.async.wait_all;\nxor.b32 %r23, %r1, "
                   "1;\nmad.lo.u32 %r24, %r23, 16, %r20;\n"
                   "ld.shared.u32 %r22, [%r24];",
         SIM_CHECK_RACE, SIM_FAULT_RACE},
        {"a bulk copy that nobody waits for",
         ONE_THREAD("mov.u32 %r20, room;\nmbarrier.init.shared.b64 [bar], "
                    "1;\nmbarrier.arrive.expect_tx.shared::cta.b64 %rd20, [bar], 256;\n"
                    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r20], [%rd1], 256, "
                    "[bar];\n") "bar.sync 0;\nmov.u32 %r20, room;\nmad.lo.u32 %r21, %r1, 4, %r20;\nld.shared.u32 "
                                "%r22, [%r21];\nsetp.eq.u32 %p3, %r22, 1;\n@%p3 bra over;\nover:",
         SIM_CHECK_INIT, SIM_FAULT_UNINITIALISED},
        {"a phase that never ends",
         ONE_THREAD("mbarrier.init.shared.b64 [bar], 33;\n") "bar.sync 0;\nmbarrier.arrive.shared.b64 %rd20, "
                                                             "[bar];\nwait: mbarrier.try_wait.shared.b64 %p3, "
                                                             "[bar], %rd20;\n@!%p3 bra wait;",
         0, SIM_FAULT_DEADLOCK}, /* nobody is left who could arrive */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static text t;
        sim_result r = {0};
        start(&t, "", ".shared .align 8 .b64 bar;\n.shared .align 16 .b8 room[2048];");
        put(&t, "%s\nret;\n}\n", rows[i].body);
        sim_module *m = load(b, &t);
        bool good = false;
        if (m) {
            sim_write(b->s, b->in, pool, BYTES, &b->e);
            int code = launch(b, m, UINT32_MAX, 32, rows[i].checks, &r);
            for (int k = 0; k < r.fault_count; k++)
                good = good || (r.faults[k].kind == rows[i].kind && !r.faults[k].note);
            if (!good) printf("# code %d, %s\n", code, r.fault_count ? r.faults[0].message : "no fault");
            sim_result_free(&r);
            sim_unload(b->s, m);
        }
        check_that(good, "found: %s", rows[i].name);
    }
}

/* A bulk copy reads what threads stored: where the fence between the two proxies may be, and where
 * it does not count. */
#define FILL "mov.u32 %r20, room;\nmad.lo.u32 %r21, %r1, 4, %r20;\nst.shared.u32 [%r21], %r1;\n"
#define COPY_OUT                                                                                                      \
    "@%p2 bra past;\ncp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r20], 256;\ncp.async.bulk.commit_group;\n" \
    "cp.async.bulk.wait_group.read 0;\npast:"
#define NOT_0 "setp.ne.u32 %p2, %r1, 0;\n"
static void test_proxies(bench *b)
{
    static const struct {
        const char *name, *body;
        int writer; /* of the reported store; -1: no report */
    } rows[] = {
        {"a barrier alone", NOT_0 FILL "bar.sync 0;\n" COPY_OUT, 0},
        {"each thread fences", NOT_0 FILL "fence.proxy.async.shared::cta;\nbar.sync 0;\n" COPY_OUT, -1},
        {"each thread fences, for all spaces", NOT_0 FILL "fence.proxy.async;\nbar.sync 0;\n" COPY_OUT, -1},
        {"the copying thread fences behind the barrier",
         NOT_0 FILL "bar.sync 0;\n@%p2 bra past0;\nfence.proxy.async.shared::cta;\npast0:\n" COPY_OUT, -1},
        {"only thread 0 fences, before the barrier",
         NOT_0 FILL "@%p2 bra past0;\nfence.proxy.async.shared::cta;\npast0:\nbar.sync 0;\n" COPY_OUT, 1},
        {"a fence for global memory", NOT_0 FILL "fence.proxy.async.global;\nbar.sync 0;\n" COPY_OUT, 0},
        {"an ordinary fence", NOT_0 FILL "fence.acq_rel.gpu;\nbar.sync 0;\n" COPY_OUT, 0},
        {"a fence before the stores", NOT_0 "fence.proxy.async;\n" FILL "bar.sync 0;\n" COPY_OUT, 0},
        {"a second round without one",
         NOT_0 FILL "fence.proxy.async;\nbar.sync 0;\nst.shared.u32 [%r21], %r1;\nbar.sync 0;\n" COPY_OUT, 0},
        {"one word stored behind the fence",
         NOT_0 FILL
         "fence.proxy.async;\nsetp.ne.u32 %p3, %r1, 37;\n@!%p3 st.shared.u32 [%r21], %r1;\nbar.sync 0;\n" COPY_OUT,
         37},
        {"an atomic behind the fence",
         NOT_0 FILL "fence.proxy.async;\nsetp.ne.u32 %p3, %r1, 37;\n@!%p3 atom.shared.add.u32 %r22, [%r21], 1;\n"
                    "bar.sync 0;\n" COPY_OUT,
         37},
        {"what cp.async brought",
         NOT_0 FILL
         "fence.proxy.async;\nsetp.ne.u32 %p3, %r1, 37;\n@!%p3 cp.async.ca.shared.global [%r21], [%rd1], 4;\n"
         "cp.async.wait_all;\nbar.sync 0;\n" COPY_OUT,
         37},
        {"what a bulk copy brought",
         NOT_0 FILL
         "setp.ne.u32 %p3, %r1, 0;\nmov.u32 %r24, bar;\n@!%p3 mbarrier.init.shared.b64 [%r24], 1;\n"
         "fence.mbarrier_init.release.cluster;\nbar.sync 0;\n@%p3 bra on;\n"
         "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r24], 256;\n"
         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r20], [%rd1], 256, [%r24];\n"
         "wait: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r24], 0;\n@!%p4 bra wait;\non:\nbar.sync 0;\n" COPY_OUT,
         -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static text t;
        sim_result r = {0};
        start(&t, "", ".shared .align 8 .b64 bar;\n.shared .align 16 .b8 room[2048];");
        put(&t, "%s\nret;\n}\n", rows[i].body);
        sim_module *m = load(b, &t);
        bool good = m != NULL;
        if (m) {
            blocks = 2; /* the second block must not use what the first one knew */
            int code = launch(b, m, UINT32_MAX, 64, SIM_CHECK_ALL, &r);
            blocks = 1;
            const sim_fault *f = r.fault_count ? r.faults : NULL;
            /* both blocks write to out: skip those races */
            while (f && f->kind == SIM_FAULT_RACE && !strcmp(f->space, "global") && f + 1 < r.faults + r.fault_count)
                f++;
            if (f && !strcmp(f->space, "global")) f = NULL;
            if (rows[i].writer < 0) good = !f;
            else
                good = code == SIM_E_FAULT && f && f->kind == SIM_FAULT_RACE && !f->note &&
                       (int)f->other.thread[0] == rows[i].writer && f->at.thread[0] == 0 && f->other.line > 0 &&
                       f->at.line > f->other.line && strstr(f->message, "there is no fence.proxy.async between") &&
                       strstr(f->advice, "Put fence.proxy.async");
            for (int k = 0; !good && k < r.fault_count; k++)
                printf("# %s; %s\n", r.faults[k].message, r.faults[k].advice);
            sim_result_free(&r);
            sim_unload(b->s, m);
        }
        check_that(good, "proxies: %s", rows[i].name);
    }
}

static void tests(bench *b)
{
    words = (const uint32_t *)(const void *)pool;
    test_copies(b);
    test_objects(b);
    test_blocks(b);
    test_forgotten(b);
    test_proxies(b);
}
