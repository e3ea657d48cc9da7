/* clusters.c: clusters of blocks.
 *
 * Each kernel is run in the order of blocks on one host thread and on four, in shuffled order, with all checks, and by
 * the clock of the H200; all must leave the same words. What they should be is worked out here, in C. A last part has
 * kernels that are wrong, and launches that a card refuses.
 */
#include "base.h"
#include "isa.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 4096 };

static sim *s;
static sim_card h200;
static uint64_t out;
static uint32_t got[WORDS], want[WORDS];

static void one_case(bool good, const char *name, const char *how) { check_that(good, "%s, %s", name, how); }

/* The text of a kernel k(out): %rd1 is out, %r1 the thread, %r2 the rank, %r3 the block's number, %r4
 * the cluster's blocks; %r5 the address of the shared words `room`, %rd5 its generic address; %p1: the
 * first thread; %rd9 out's word of this thread. */
static sim_module *load(const char *body, const char *with)
{
    static char text[16384];
    sim_error e = {0};
    sim_module *m = NULL;
    snprintf(text, sizeof text,
             ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out) %s\n{\n"
             ".reg .pred %%p<9>; .reg .b16 %%h<4>; .reg .b32 %%r<60>; .reg .b64 %%rd<40>;\n"
             ".shared .align 16 .b8 room[1024];\n.shared .align 8 .b64 bar;\n"
             "ld.param.u64 %%rd1, [out];\nmov.u32 %%r1, %%tid.x;\nmov.u32 %%r2, %%cluster_ctarank;\n"
             "mov.u32 %%r6, %%ctaid.x;\nmov.u32 %%r7, %%ctaid.y;\nmov.u32 %%r8, %%ctaid.z;\nmov.u32 %%r9, %%nctaid.x;\n"
             "mov.u32 %%r10, %%nctaid.y;\nmad.lo.u32 %%r3, %%r8, %%r10, %%r7;\nmad.lo.u32 %%r3, %%r3, %%r9, %%r6;\n"
             "mov.u32 %%r4, %%cluster_nctarank;\nmov.u32 %%r5, room;\nsetp.eq.u32 %%p1, %%r1, 0;\n"
             "mov.u64 %%rd6, room;\ncvta.shared.u64 %%rd5, %%rd6;\nmov.u32 %%r11, %%ntid.x;\n"
             "mad.lo.u32 %%r12, %%r3, %%r11, %%r1;\nmul.wide.u32 %%rd8, %%r12, 4;\nadd.u64 %%rd9, %%rd1, %%rd8;\n"
             "shl.b32 %%r13, %%r1, 2;\n%s\nret;\n}\n",
             with, body);
    if (sim_load(s, "case.ptx", text, strlen(text), &m, &e)) printf("# %d: %s\n", e.line, e.message);
    return m;
}

#define SYNC "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
/* The rank after this one, around the cluster. */
#define NEXT "add.u32 %r14, %r2, 1;\nrem.u32 %r14, %r14, %r4;\n"

typedef struct shape {
    uint32_t grid[3], cluster[3], threads;
    bool large;
} shape;

static int run(sim_module *m, const shape *f, const sim_launch *with, sim_result *r, sim_error *e)
{
    static const uint32_t zeros[WORDS];
    sim_launch l = *with;
    l.kernel = "k";
    memcpy(l.grid, f->grid, sizeof l.grid);
    memcpy(l.cluster, f->cluster, sizeof l.cluster);
    l.cluster_large = f->large;
    l.block[0] = f->threads;
    l.block[1] = l.block[2] = 1;
    l.params = &out;
    l.param_bytes = sizeof out;
    l.max_instructions = 4000000;
    memset(r, 0, sizeof *r);
    sim_write(s, out, zeros, sizeof zeros, e);
    const int code = sim_run(s, m, &l, r, e);
    return code ? code : r->code;
}

/* Right in every way of running it. */
static void run_all(const char *name, const char *body, const shape *f)
{
    static const struct {
        const char *name;
        sim_launch with;
    } ways[] = {{"one host thread", {.host_threads = 1}},
                {"four host threads", {.host_threads = 4}},
                {"shuffled", {.host_threads = 1, .shuffle = 7}},
                {"shuffled otherwise", {.host_threads = 1, .shuffle = 90210}},
                {"all checks", {.host_threads = 1, .checks = SIM_CHECK_ALL, .counts = SIM_COUNT_MEMORY}},
                {"timed", {.host_threads = 1, .timed = true}},
                {"timed with checks, four threads", {.host_threads = 4, .timed = true, .checks = SIM_CHECK_ALL}}};
    sim_module *m = load(body, "");
    uint64_t cycles = 0;
    for (size_t i = 0; m && i < sizeof ways / sizeof ways[0]; i++) {
        sim_result r;
        sim_error e = {0};
        int code = run(m, f, &ways[i].with, &r, &e);
        if (code) printf("# %d %s %s\n", code, e.message, r.fault_count ? r.faults[0].message : "");
        for (int k = 0; !code && k < r.fault_count; k++) printf("# %s\n", r.faults[k].message), code = -1;
        sim_read(s, out, got, sizeof got, &e);
        bool good = !code && !memcmp(got, want, sizeof got);
        for (int k = 0; !good && !code && k < WORDS; k++)
            if (got[k] != want[k]) {
                printf("# word %d is %u, not %u\n", k, got[k], want[k]);
                break;
            }
        if (ways[i].with.timed) {
            good = good && r.cycles && (!cycles || cycles == r.cycles);
            cycles = r.cycles;
        }
        one_case(good, name, ways[i].name);
        sim_result_free(&r);
    }
    if (!m) one_case(false, name, "loads");
}

/* Ends with that fault, whose message holds `says`. */
static void faulty(const char *name, const char *body, const shape *f, enum sim_fault_kind kind, const char *says)
{
    static const sim_launch ways[] = {{.host_threads = 1, .checks = SIM_CHECK_ALL},
                                      {.host_threads = 4, .checks = SIM_CHECK_ALL},
                                      {.host_threads = 1, .checks = SIM_CHECK_ALL, .shuffle = 3},
                                      {.host_threads = 1, .checks = SIM_CHECK_ALL, .timed = true}};
    sim_module *m = load(body, "");
    for (size_t i = 0; m && i < sizeof ways / sizeof ways[0]; i++) {
        sim_result r;
        sim_error e = {0};
        char how[32];
        run(m, f, &ways[i], &r, &e);
        bool found = false;
        for (int k = 0; k < r.fault_count; k++)
            found |=
                (r.faults[k].kind == kind || (kind == SIM_FAULT_RACE && r.faults[k].kind == SIM_FAULT_CLUSTER_GONE)) &&
                strstr(r.faults[k].message, says) && r.faults[k].at.ptx_line > 0;
        if (!found) printf("# %s; %s\n", e.message, r.fault_count ? r.faults[0].message : "no fault");
        snprintf(how, sizeof how, "way %zu", i);
        one_case(found, name, how);
        sim_result_free(&r);
    }
    if (!m) one_case(false, name, "loads");
}

static void refused(const char *name, const char *with, const shape *f, const char *says)
{
    sim_module *m = load("", with);
    sim_result r;
    sim_error e = {0};
    const int code = m ? run(m, f, &(sim_launch){.host_threads = 1}, &r, &e) : -1;
    const bool good = says ? code && strstr(e.message, says) : !code;
    if (!good) printf("# %d: %s\n", code, e.message);
    one_case(good, name, says ? "refused" : "runs");
    if (m) sim_result_free(&r);
}

static const shape shapes[] = {{{8, 1, 1}, {1, 1, 1}, 64, false},  {{8, 1, 1}, {2, 1, 1}, 64, false},
                               {{8, 2, 1}, {4, 1, 1}, 32, false},  {{4, 4, 2}, {2, 2, 1}, 32, false},
                               {{2, 4, 4}, {1, 2, 2}, 40, false},  {{4, 4, 4}, {2, 2, 2}, 32, false},
                               {{16, 1, 1}, {8, 1, 1}, 64, false}, {{32, 1, 1}, {16, 1, 1}, 64, true}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* Block (x, y, z) of a grid, its rank, and its cluster's blocks. */
typedef struct place {
    uint32_t id[3], in[3], rank, blocks, linear;
} place;

static uint32_t grid_blocks(const shape *f) { return f->grid[0] * f->grid[1] * f->grid[2]; }

static place place_of(const shape *f, uint32_t linear)
{
    place p = {.linear = linear, .blocks = f->cluster[0] * f->cluster[1] * f->cluster[2]};
    p.id[0] = linear % f->grid[0];
    p.id[1] = linear / f->grid[0] % f->grid[1];
    p.id[2] = linear / f->grid[0] / f->grid[1];
    for (int i = 0; i < 3; i++) p.in[i] = p.id[i] % f->cluster[i];
    p.rank = p.in[0] + f->cluster[0] * (p.in[1] + f->cluster[1] * p.in[2]);
    return p;
}

/* The block of that rank in the cluster of p. */
static uint32_t mate(const shape *f, const place *p, uint32_t rank)
{
    const uint32_t x = p->id[0] - p->in[0] + rank % f->cluster[0],
                   y = p->id[1] - p->in[1] + rank / f->cluster[0] % f->cluster[1],
                   z = p->id[2] - p->in[2] + rank / f->cluster[0] / f->cluster[1];
    return x + f->grid[0] * (y + f->grid[1] * z);
}

static void clear(void) { memset(want, 0, sizeof want); }

static void where_am_i(void)
{
    for (int i = 0; i < SHAPES; i++) {
        const shape *f = &shapes[i];
        clear();
        for (uint32_t b = 0; b < grid_blocks(f); b++) {
            const place p = place_of(f, b);
            for (uint32_t t = 0; t < f->threads; t++) {
                const uint32_t c[3] = {p.id[0] / f->cluster[0], p.id[1] / f->cluster[1], p.id[2] / f->cluster[2]};
                want[b * f->threads + t] = c[0] + 10 * c[1] + 100 * c[2] + 1000 * p.in[0] + 10000 * p.in[1] +
                                           100000 * p.in[2] + 1000000 * p.rank + 20000000 * p.blocks +
                                           400000000 * (f->grid[0] / f->cluster[0] > 1) + 1000000000;
            }
        }
        run_all("special registers",
                "mov.u32 %r20, %clusterid.x;\nmov.u32 %r21, %clusterid.y;\nmad.lo.u32 %r20, %r21, 10, %r20;\n"
                "mov.u32 %r21, %clusterid.z;\nmad.lo.u32 %r20, %r21, 100, %r20;\n"
                "mov.u32 %r21, %cluster_ctaid.x;\nmad.lo.u32 %r20, %r21, 1000, %r20;\n"
                "mov.u32 %r21, %cluster_ctaid.y;\nmad.lo.u32 %r20, %r21, 10000, %r20;\n"
                "mov.u32 %r21, %cluster_ctaid.z;\nmad.lo.u32 %r20, %r21, 100000, %r20;\n"
                "mad.lo.u32 %r20, %r2, 1000000, %r20;\nmov.u32 %r21, %cluster_nctaid.x;\n"
                "mov.u32 %r22, %cluster_nctaid.y;\nmul.lo.u32 %r21, %r21, %r22;\nmov.u32 %r22, %cluster_nctaid.z;\n"
                "mul.lo.u32 %r21, %r21, %r22;\nmad.lo.u32 %r20, %r21, 20000000, %r20;\n"
                "mov.u32 %r21, %nclusterid.x;\nsetp.gt.u32 %p3, %r21, 1;\nselp.u32 %r21, 400000000, 0, %p3;\n"
                "add.u32 %r20, %r20, %r21;\nmov.pred %p4, %is_explicit_cluster;\nselp.u32 %r21, 1000000000, 0, %p4;\n"
                "add.u32 %r20, %r20, %r21;\nst.global.u32 [%rd9], %r20;\n",
                f);
    }
}

/* Each block writes into the next one's shared memory; 5 * its number + the thread. */
static void ring(void)
{
    for (int i = 0; i < SHAPES; i++) {
        const shape *f = &shapes[i];
        clear();
        for (uint32_t b = 0; b < grid_blocks(f); b++) {
            const place p = place_of(f, b);
            for (uint32_t t = 0; t < f->threads; t++)
                want[b * f->threads + t] = 5 * mate(f, &p, (p.rank + p.blocks - 1) % p.blocks) + t;
        }
        run_all(
            "a ring",
            NEXT
            "mad.lo.u32 %r15, %r3, 5, %r1;\nmapa.shared::cluster.u32 %r16, %r5, %r14;\nadd.u32 %r16, %r16, %r13;\n" SYNC
            "st.shared::cluster.u32 [%r16], %r15;\n" SYNC
            "add.u32 %r17, %r5, %r13;\nld.shared.u32 %r18, [%r17];\nst.global.u32 [%rd9], %r18;\n",
            f);
        run_all("a ring through generic pointers",
                NEXT "mad.lo.u32 %r15, %r3, 5, %r1;\nmapa.u64 %rd10, %rd5, %r14;\ncvt.u64.u32 %rd11, %r13;\n"
                     "add.u64 %rd10, %rd10, %rd11;\n" SYNC "st.u32 [%rd10], %r15;\n" SYNC
                     "add.u32 %r17, %r5, %r13;\nld.shared.u32 %r18, [%r17];\nst.global.u32 [%rd9], %r18;\n",
                f);
        for (uint32_t b = 0; b < grid_blocks(f); b++) {
            const place p = place_of(f, b);
            for (uint32_t t = 0; t < f->threads; t++)
                want[b * f->threads + t] =
                    5 * mate(f, &p, (p.rank + 1) % p.blocks) + t + 100000 * ((p.rank + 1) % p.blocks);
        }
        /* reads the next block's; getctarank and isspacep of its address */
        run_all("reading the next block's memory",
                NEXT "mad.lo.u32 %r15, %r3, 5, %r1;\nadd.u32 %r17, %r5, %r13;\nst.shared.u32 [%r17], %r15;\n"
                     "mapa.u64 %rd10, %rd5, %r14;\ncvt.u64.u32 %rd11, %r13;\nadd.u64 %rd10, %rd10, %rd11;\n" SYNC
                     "ld.u32 %r18, [%rd10];\ngetctarank.u64 %r19, %rd10;\nmad.lo.u32 %r18, %r19, 100000, %r18;\n"
                     "isspacep.shared::cluster %p3, %rd10;\n@!%p3 mov.u32 %r18, 0;\n"
                     "isspacep.shared::cta %p4, %rd10;\nsetp.eq.u32 %p5, %r19, %r2;\nxor.pred %p6, %p4, %p5;\n"
                     "@%p6 mov.u32 %r18, 1;\nst.global.u32 [%rd9], %r18;\n" SYNC,
                f);
    }
}

/* A histogram of 16 bins per block, spread over the cluster: thread t of block b counts bin (7 b + 3 t) % bins. */
static void histogram(void)
{
    for (int i = 0; i < SHAPES; i++) {
        const shape *f = &shapes[i];
        clear();
        for (uint32_t b = 0; b < grid_blocks(f); b++) {
            const place p = place_of(f, b);
            for (uint32_t t = 0; t < f->threads; t++) {
                const uint32_t bin = (7 * b + 3 * t) % (16 * p.blocks);
                want[mate(f, &p, bin / 16) * f->threads + bin % 16]++;
            }
        }
        run_all("a histogram spread over the cluster",
                "setp.lt.u32 %p3, %r1, 16;\nadd.u32 %r17, %r5, %r13;\n@%p3 st.shared.u32 [%r17], 0;\n" SYNC
                "mul.lo.u32 %r20, %r3, 7;\nmad.lo.u32 %r20, %r1, 3, %r20;\nshl.b32 %r21, %r4, 4;\n"
                "rem.u32 %r20, %r20, %r21;\nshr.u32 %r22, %r20, 4;\nand.b32 %r23, %r20, 15;\nshl.b32 %r23, %r23, 2;\n"
                "add.u32 %r24, %r5, %r23;\nmapa.shared::cluster.u32 %r24, %r24, %r22;\n"
                "atom.shared::cluster.add.u32 %r25, [%r24], 1;\n" SYNC
                "@!%p3 bra done;\nld.shared.u32 %r26, [%r17];\nst.global.u32 [%rd9], %r26;\ndone:\n",
                f);
    }
}

/* The object `bar` of each block expects so many arrivals; %r31 that of the next block, %r16 the thread's word in the
 * next block's memory, %r17 in the own, %r15 what it puts there. */
#define INIT_BAR(count)                                                                            \
    "@%p1 mbarrier.init.shared.b64 [bar], " count ";\n@%p1 fence.mbarrier_init.release.cluster;\n" \
    "barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\nmov.u32 %r30, bar;\n" NEXT            \
    "mapa.shared::cluster.u32 %r31, %r30, %r14;\nmapa.shared::cluster.u32 %r16, %r5, %r14;\n"      \
    "add.u32 %r16, %r16, %r13;\nadd.u32 %r17, %r5, %r13;\nmad.lo.u32 %r15, %r3, 5, %r1;\n"
#define WAIT_BAR "again: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [bar], 0;\n@!%p3 bra again;\n"
#define TAKE     "ld.shared.u32 %r18, [%r17];\nst.global.u32 [%rd9], %r18;\n"
#define STORE    "st.shared::cluster.u32 [%r16], %r15;\n"
#define ARRIVE   "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r31];\n"

static void objects(void)
{
    static const struct {
        const char *name, *body;
        uint32_t threads;
    } cases[] = {
        {"a barrier object of the next block is all that orders", INIT_BAR("64") STORE ARRIVE WAIT_BAR TAKE SYNC, 64},
        {"the same, one arrival that counts for all",
         INIT_BAR("64") STORE
         "bar.sync 0;\n@%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r31], 64;\n" WAIT_BAR TAKE SYNC,
         64},
        {"a fence, and a relaxed arrival",
         INIT_BAR("64") STORE
         "fence.acq_rel.cluster;\nmbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%r31];\n" WAIT_BAR TAKE SYNC,
         64},
        {"by a generic address",
         INIT_BAR("32") STORE "mov.u64 %rd20, bar;\ncvta.shared.u64 %rd20, %rd20;\nmapa.u64 %rd21, %rd20, %r14;\n"
                              "mbarrier.arrive.release.cluster.b64 _, [%rd21];\n" WAIT_BAR TAKE SYNC,
         32},
        {"st.async",
         INIT_BAR("1") "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;\n"
                       "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r16], %r15, [%r31];\n" WAIT_BAR
                           TAKE SYNC,
         32},
        {"st.async with an expected count of the sender",
         INIT_BAR("1") "@%p1 mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r31], 128;\n"
                       "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r16], %r15, [%r31];\n" WAIT_BAR TAKE
                           SYNC,
         32},
        {"st.async.v4",
         INIT_BAR(
             "1") "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;\n"
                  "and.b32 %r20, %r1, 3;\nsetp.eq.u32 %p5, %r20, 0;\nadd.u32 %r21, %r15, 1;\nadd.u32 %r22, %r15, 2;\n"
                  "add.u32 %r23, %r15, 3;\n@%p5 st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%r16], "
                  "{%r15, %r21, %r22, %r23}, [%r31];\n" WAIT_BAR TAKE SYNC,
         32},
        {"st.async.v2.b64",
         INIT_BAR(
             "1") "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;\n"
                  "and.b32 %r20, %r1, 3;\nsetp.eq.u32 %p5, %r20, 0;\nadd.u32 %r21, %r15, 1;\nadd.u32 %r22, %r15, 2;\n"
                  "add.u32 %r23, %r15, 3;\nmov.b64 %rd30, {%r15, %r21};\nmov.b64 %rd31, {%r22, %r23};\n"
                  "@%p5 st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [%r16], {%rd30, %rd31}, "
                  "[%r31];\n" WAIT_BAR TAKE SYNC,
         32},
        {"red.async",
         "add.u32 %r17, %r5, %r13;\nst.shared.u32 [%r17], 0;\n" INIT_BAR(
             "1") "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;\n" SYNC
                  "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r16], %r15, "
                  "[%r31];\n" WAIT_BAR TAKE SYNC,
         32},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (uint32_t n = 2; n <= 8; n *= 2) {
            const shape f = {{16, 1, 1}, {n, 1, 1}, cases[i].threads, false};
            clear();
            for (uint32_t b = 0; b < 16; b++) {
                const place p = place_of(&f, b);
                for (uint32_t t = 0; t < f.threads; t++)
                    want[b * f.threads + t] = 5 * mate(&f, &p, (p.rank + n - 1) % n) + t;
            }
            run_all(cases[i].name, cases[i].body, &f);
        }
}

static void phases(void)
{
    /* each round adds the round's number to the next block's word: 1 + 2 + 3 + 4 */
    const shape f = {{8, 1, 1}, {4, 1, 1}, 32, false};
    clear();
    for (uint32_t i = 0; i < 8 * 32; i++) want[i] = 10;
    run_all("phases of the barrier",
            NEXT "add.u32 %r17, %r5, %r13;\nst.shared.u32 [%r17], 0;\nmapa.shared::cluster.u32 %r16, %r17, %r14;\n" SYNC
                 "mov.u32 %r20, 1;\nround: ld.shared::cluster.u32 %r21, [%r16];\nadd.u32 %r21, %r21, %r20;\n"
                 "st.shared::cluster.u32 [%r16], %r21;\nbarrier.cluster.arrive.release;\nadd.u32 %r20, %r20, 1;\n"
                 "barrier.cluster.wait.acquire;\nsetp.le.u32 %p4, %r20, 4;\n@%p4 bra round;\n"
                 "ld.shared.u32 %r18, [%r17];\nst.global.u32 [%rd9], %r18;\n",
            &f);
    /* rank 0's threads end at once: nobody waits for them */
    for (uint32_t i = 0; i < 8 * 32; i++) want[i] = i / 32 % 4 ? 7 : 0;
    run_all("threads that have ended are not waited for",
            "setp.eq.u32 %p4, %r2, 0;\n@%p4 ret;\n" SYNC "mov.u32 %r20, 7;\nst.global.u32 [%rd9], %r20;\n", &f);
}

static void wrong(void)
{
    const shape two = {{8, 1, 1}, {2, 1, 1}, 32, false};
    faulty("without the barrier it is a race",
           NEXT
           "mapa.shared::cluster.u32 %r16, %r5, %r14;\nadd.u32 %r16, %r16, %r13;\nadd.u32 %r17, %r5, %r13;\n" SYNC STORE
           "ld.shared.u32 %r18, [%r17];\nst.global.u32 [%rd9], %r18;\n" SYNC,
           &two, SIM_FAULT_RACE, "block (");
    faulty("relaxed arrivals at the barrier order nothing",
           NEXT "add.u32 %r17, %r5, %r13;\nst.shared.u32 [%r17], %r1;\nmapa.shared::cluster.u32 %r16, %r17, %r14;\n"
                "barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\nld.shared::cluster.u32 %r18, [%r16];\n"
                "st.global.u32 [%rd9], %r18;\n" SYNC,
           &two, SIM_FAULT_RACE, "block (");
    faulty("a read before the wait",
           NEXT "add.u32 %r17, %r5, %r13;\nst.shared.u32 [%r17], %r1;\nmapa.shared::cluster.u32 %r16, %r17, %r14;\n"
                "st.shared.u32 [%r17], %r1;\nbarrier.cluster.arrive;\nld.shared::cluster.u32 %r18, [%r16];\n"
                "barrier.cluster.wait;\nst.global.u32 [%rd9], %r18;\n" SYNC,
           &two, SIM_FAULT_RACE, "block (");
    faulty("relaxed arrivals at an object order nothing",
           INIT_BAR("32") STORE "mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%r31];\n" WAIT_BAR TAKE SYNC,
           &two, SIM_FAULT_RACE, "block (");
    faulty("unwritten memory of another block",
           NEXT "mapa.shared::cluster.u32 %r16, %r5, %r14;\n" SYNC "ld.shared::cluster.u32 %r18, [%r16];\n"
                "setp.eq.u32 %p4, %r18, 3;\n@%p4 st.global.u32 [%rd9], %r18;\n" SYNC,
           &two, SIM_FAULT_UNINITIALISED, "never written");
    faulty("a rank that does not exist",
           "mapa.shared::cluster.u32 %r16, %r5, 2;\n" SYNC "st.shared::cluster.u32 [%r16], %r1;\n" SYNC, &two,
           SIM_FAULT_OUT_OF_BOUNDS, "rank 2; its cluster has 2 blocks");
    faulty("past the end of another block's memory",
           NEXT "mapa.shared::cluster.u32 %r16, %r5, %r14;\n" SYNC "st.shared::cluster.u32 [%r16+1024], %r1;\n" SYNC,
           &two, SIM_FAULT_OUT_OF_BOUNDS, "in its cluster");
    faulty("a misaligned address",
           NEXT "mapa.shared::cluster.u32 %r16, %r5, %r14;\n" SYNC "st.shared::cluster.u32 [%r16+2], %r1;\n" SYNC, &two,
           SIM_FAULT_MISALIGNED, "multiple of 4");
    faulty(".shared does not reach another block",
           NEXT "mapa.shared::cluster.u32 %r16, %r5, %r14;\n" SYNC "st.shared.u32 [%r16], %r1;\n" SYNC, &two,
           SIM_FAULT_OUT_OF_BOUNDS, ".shared::cluster");
    faulty("a member that has ended",
           "setp.eq.u32 %p4, %r2, 0;\n@%p4 ret;\nmapa.shared::cluster.u32 %r16, %r5, 0;\nmov.u32 %r20, 0;\n"
           "spin: nanosleep.u32 100;\nadd.u32 %r20, %r20, 1;\nsetp.lt.u32 %p5, %r20, 300;\n@%p5 bra spin;\n"
           "add.u32 %r16, %r16, %r13;\nst.shared::cluster.u32 [%r16], %r1;\n",
           &two, SIM_FAULT_CLUSTER_GONE, "rank 0 in its cluster, which has ended");
    /* block 0 has ended; `what` is done to its memory */
#define ENDED(what)                                                                                   \
    "setp.eq.u32 %p4, %r2, 0;\n@%p4 ret;\nmapa.shared::cluster.u32 %r16, %r5, 0;\nmov.u32 %r20, 0;\n" \
    "spin: nanosleep.u32 100;\nadd.u32 %r20, %r20, 1;\nsetp.lt.u32 %p5, %r20, 300;\n@%p5 bra spin;\n" what
    faulty("st.async to one that has ended",
           ENDED("mov.u32 %r21, bar;\nmapa.shared::cluster.u32 %r22, %r21, 0;\n"
                 "@%p1 st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r16], %r1, [%r22];\n"),
           &two, SIM_FAULT_CLUSTER_GONE, "rank 0 in its cluster, which has ended");
    faulty("an arrival at one that has ended",
           ENDED("mov.u32 %r21, bar;\nmapa.shared::cluster.u32 %r22, %r21, 0;\n"
                 "@%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r22];\n"),
           &two, SIM_FAULT_CLUSTER_GONE, "rank 0 in its cluster, which has ended");
    faulty("a load from one that has ended",
           ENDED("ld.shared::cluster.u32 %r18, [%r16];\nst.global.u32 [%rd9], %r18;\n"), &two, SIM_FAULT_CLUSTER_GONE,
           "rank 0 in its cluster, which has ended");
    faulty(
        "multicast to one that has ended",
        ENDED(
            "mov.u32 %r21, bar;\n@%p1 mbarrier.init.shared::cta.b64 [%r21], 1;\nmov.b16 %h1, 3;\n"
            "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r5], [%rd1], "
            "64, [%r21], %h1;\n"),
        &two, SIM_FAULT_CLUSTER_GONE,
        "the mask 0x3 of a multicast names the block with rank 0 in its cluster, which has ended");
    faulty("a block that may end before others have read its memory",
           NEXT
           "add.u32 %r17, %r5, %r13;\nst.shared.u32 [%r17], %r1;\nmapa.shared::cluster.u32 %r16, %r17, %r14;\n" SYNC
           "setp.eq.u32 %p4, %r2, 0;\n@!%p4 bra done;\nld.shared::cluster.u32 %r18, [%r16];\n"
           "st.global.u32 [%rd9], %r18;\ndone:\n",
           &two, SIM_FAULT_RACE, "ended");
    faulty("a wait without an arrival", "barrier.cluster.wait;\n", &two, SIM_FAULT_BARRIER_DIVERGENCE,
           "without having arrived");
    faulty("two arrivals without a wait", "barrier.cluster.arrive;\nbarrier.cluster.arrive;\n", &two,
           SIM_FAULT_BARRIER_DIVERGENCE, "a second time");
    faulty("a block that waits at another barrier",
           "setp.eq.u32 %p4, %r2, 1;\nsetp.lt.u32 %p5, %r1, 1;\n@%p4 bra other;\n" SYNC "ret;\n"
           "other: @%p5 barrier.cluster.arrive;\n@%p5 barrier.cluster.wait;\nbarrier.sync 1, 64;\n",
           &two, SIM_FAULT_DEADLOCK, "the cluster's 2 blocks wait");
    faulty("a test of another block's object",
           INIT_BAR("1") "mov.u64 %rd20, bar;\ncvta.shared.u64 %rd20, %rd20;\nmapa.u64 %rd21, %rd20, %r14;\n"
                         "mbarrier.test_wait.parity.b64 %p3, [%rd21], 0;\n" SYNC,
           &two, SIM_FAULT_BAD_OPERAND, "own block");
}

static void sizes(void)
{
    const shape plain = {{8, 1, 1}, {0, 0, 0}, 32, false}, two = {{8, 1, 1}, {2, 1, 1}, 32, false};
    refused("no cluster", "", &plain, NULL);
    refused("the kernel's own", ".reqnctapercluster 4", &plain, NULL);
    refused("the kernel's own, with the same of the launch", ".reqnctapercluster 2, 1, 1", &two, NULL);
    refused("another than the kernel's", ".reqnctapercluster 4", &two, "requires clusters of 4 x 1 x 1");
    refused("a kernel that needs one", ".explicitcluster", &plain, "only be launched in clusters");
    refused("a kernel that needs one and gets it", ".explicitcluster", &two, NULL);
    refused("more than the kernel was built for", ".maxclusterrank 2", &(shape){{8, 1, 1}, {4, 1, 1}, 32, false},
            "at most 2");
    refused("a grid that it does not divide", "", &(shape){{9, 1, 1}, {2, 1, 1}, 32, false}, "9 blocks in x");
    refused("a grid that it does not divide in y", "", &(shape){{8, 3, 1}, {2, 2, 1}, 32, false}, "3 blocks in y");
    refused("16 blocks", "", &(shape){{16, 1, 1}, {16, 1, 1}, 32, false}, "more than 8 blocks");
    refused("16 blocks, where that is allowed", "", &(shape){{16, 1, 1}, {16, 1, 1}, 32, true}, NULL);
    refused("17 blocks", "", &(shape){{17, 1, 1}, {17, 1, 1}, 32, true}, "more than 16 blocks");
    refused("far too many", "", &(shape){{1 << 16, 1 << 15, 1}, {1 << 16, 1 << 15, 1}, 32, true},
            "more than 16 blocks");
    sim *own = s;
    sim_card old = h200;
    old.cc_major = 8;
    sim_error e = {0};
    if (sim_open(&s, &old, &e) || sim_alloc(s, sizeof got, "out", &out, &e)) exit(1);
    refused("on a card before 9.0", "", &two, "compute capability 9.0");
    sim_close(s);
    s = own;
    if (sim_alloc(s, sizeof got, "out", &out, &e)) exit(1);
    /* as an H100 says for blocks that fill a multiprocessor each */
    const int held[][2] = {{1, 132}, {2, 66}, {4, 30}, {8, 15}, {16, 7}};
    for (int i = 0; i < 5; i++)
        one_case(sim_occupancy_clusters(&h200, 1, held[i][0]) == held[i][1], "clusters that fit", "h200");
}

/* Block 0 has ended when block 1 comes to it. */
static void ended(void)
{
    static const shape two = {{2, 1, 1}, {2, 1, 1}, 32, false};
    memset(want, 0, sizeof want);
    for (uint32_t i = 0; i < 32; i++) want[1024 + i] = want[32 + i] = 100 + i;
    run_all(
        "a copy to another block outlives its own",
        INIT_BAR("1") "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128;\n" SYNC
                      "setp.eq.u32 %p4, %r2, 1;\n@%p4 bra again;\n"
                      "add.u32 %r20, %r1, 100;\nst.global.u32 [%rd9+4096], %r20;\n"
                      "bar.sync 0;\nfence.proxy.async;\nadd.u64 %rd20, %rd1, 4096;\n"
                      "mapa.shared::cluster.u32 %r21, %r5, 1;\nmapa.shared::cluster.u32 %r22, %r30, 1;\n"
                      "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r21], [%rd20], 128, "
                      "[%r22];\nret;\n" WAIT_BAR TAKE,
        &two);
    /* exec's programs without the clock: their order is no card's, so nothing is wrong */
    const sim_launch ways[] = {{.host_threads = 1, .pages = true}, {.host_threads = 4, .pages = true}};
    sim_module *m = load("mapa.shared::cluster.u32 %r16, %r5, 0;\nmov.u32 %r21, bar;\n"
                         "mapa.shared::cluster.u32 %r22, %r21, 0;\nadd.u32 %r16, %r16, %r13;\n"
                         "@%p1 mbarrier.init.shared.b64 [bar], 1;\n" SYNC "setp.eq.u32 %p4, %r2, 0;\n@%p4 ret;\n"
                         "add.u32 %r20, %r1, 7;\nst.shared::cluster.u32 [%r16], %r20;\n"
                         "@%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r22];\n"
                         "ld.shared::cluster.u32 %r23, [%r16];\nst.global.u32 [%rd9], %r23;\n",
                         "");
    for (int i = 0; m && i < 2; i++) {
        sim_result r;
        sim_error e = {0};
        const int code = run(m, &two, &ways[i], &r, &e);
        bool good = !code && !r.fault_count;
        sim_read(s, out, got, sizeof got, &e);
        for (uint32_t k = 0; k < 64; k++) good &= got[k] == (k < 32 ? 0 : k - 32 + 7);
        if (!good) printf("# %d %s %s\n", code, e.message, r.fault_count ? r.faults[0].message : "");
        one_case(good, "a block that ended is in reach under exec", i ? "four host threads" : "one host thread");
        sim_result_free(&r);
    }
    if (!m) one_case(false, "a block that ended is in reach under exec", "loads");
}

static void read_card(void)
{
    static char text[65536];
    FILE *f = fopen("sim/cards/h200.card", "r");
    sim_error e = {0};
    const size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f) fclose(f);
    text[n] = 0;
    if (!n || sim_card_read(&h200, text, "h200", &e)) {
        printf("FAIL sim/cards/h200.card: %s\n", e.message);
        exit(1);
    }
}

int main(void)
{
    read_card();
    for (isa_begin(); isa_next();) {
        sim_error e = {0};
        if (sim_open(&s, &h200, &e) || sim_alloc(s, sizeof got, "out", &out, &e)) return 1;
        where_am_i();
        ring();
        histogram();
        objects();
        phases();
        ended();
        wrong();
        sizes();
        sim_close(s);
    }
    return isa_end();
}
