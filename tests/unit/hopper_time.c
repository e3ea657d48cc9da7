/* hopper_time.c: what instructions of compute 9.0 take on sim:h200 against what they took on an
 * H200, in clocks: fences, arrivals, clusters, bulk copies. (Warpgroup products: wgmma_ops.c.) The
 * card's clocks are between two readings of the clock by one thread, the last of several times, for
 * the same instructions.
 */
#include "sim.h"
#include "check.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char head[] =
    ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
    ".reg .pred %p<9>; .reg .b32 %r<30>; .reg .b64 %rd<30>;\n.extern .shared .align 128 .b8 tile[];\n"
    ".shared .align 8 .b64 object;\n.shared .align 4 .b8 words[128];\n"
    "ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %cluster_ctarank;\n"
    "mov.u32 %r3, object; mov.u32 %r4, tile; mov.u32 %r5, words; mov.u32 %r6, 0; setp.ne.u32 %p1, %r1, 0;\n"
    "mad.lo.u32 %r7, %r1, 4, %r5; st.shared.u32 [%r7], 0;\n"
    "@!%p1 mbarrier.init.shared::cta.b64 [%r3], 1;\nbarrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
    "mapa.shared::cluster.u32 %r8, %r5, 1; mapa.shared::cluster.u32 %r9, %r3, 0; add.u32 %r10, %r1, %r2;\n"
    "setp.ne.u32 %p2, %r10, 0;\nTURN:\n";
static const char copy[] =
    "@%%p2 bra PAST;\nmbarrier.arrive.expect_tx.shared::cta.b64 _, [%%r3], %d;\n"
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%%r4], [%%rd1], %d, [%%r3];\n"
    "and.b32 %%r12, %%r6, 1;\n"
    "AGAIN: mbarrier.try_wait.parity.shared::cta.b64 %%p3, [%%r3], %%r12;\n@!%%p3 bra AGAIN;\nPAST:\n";
static const char tail[] =
    "mov.u64 %rd4, %clock64; sub.u64 %rd5, %rd4, %rd3; add.u32 %r6, %r6, 1; setp.lt.u32 %p4, %r6, 4;\n@%p4 bra TURN;\n"
    "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n@!%p2 st.global.u64 [%rd2], %rd5;\nret;\n}\n";

/* What a thread of the kernel `text` wrote; *cycles: of the launch. */
static double run(const sim_card *card, const char *text, uint32_t blocks, uint32_t threads, double *cycles)
{
    sim *s;
    sim_module *m;
    sim_error e = {0};
    sim_result r = {0};
    struct {
        uint64_t in, out;
    } p;
    uint64_t got = 0;
    if (sim_open(&s, card, &e) || sim_load(s, "case.ptx", text, strlen(text), &m, &e) ||
        sim_alloc(s, 1 << 20, "in", &p.in, &e) || sim_alloc(s, 64, "out", &p.out, &e)) {
        printf("FAIL line %d: %s\n", e.line, e.message);
        exit(1);
    }
    const sim_launch l = {.kernel = "k",
                          .grid = {blocks, 1, 1},
                          .block = {threads, 1, 1},
                          .cluster = {blocks, 1, 1},
                          .shared_bytes = 131072,
                          .params = &p,
                          .param_bytes = sizeof p,
                          .timed = true,
                          .host_threads = 1};
    if (sim_run(s, m, &l, &r, &e) || r.code) {
        printf("FAIL %s\n", r.fault_count ? r.faults[0].message : e.message);
        exit(1);
    }
    sim_read(s, p.out, &got, sizeof got, &e);
    *cycles = (double)r.cycles;
    sim_result_free(&r);
    sim_close(s);
    return (double)got;
}

/* Clocks of the body in a cluster of two blocks, fourth time. */
static double clocks_of(const sim_card *card, const char *body)
{
    static char text[8192];
    double cycles;
    snprintf(text, sizeof text, "%smov.u64 %%rd3, %%clock64;\n%s\n%s", head, body, tail);
    return run(card, text, 2, 32, &cycles);
}

static void put(char *text, size_t size, const char *line)
{
    snprintf(text + strlen(text), size - strlen(text), "%s", line);
}

/* 8 warps, each 64 stores of 4 bytes a lane: 16 rows of 512 bytes, rows 4096 bytes apart. With `half` a store has 16
 * bytes of each of 8 rows, so each sector is filled in two parts; else a line. Then a fence: clocks for all. */
static double stores(const sim_card *card, bool half)
{
    static char text[32768];
    double cycles;
    snprintf(text, sizeof text, "%s",
             ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
             ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;\n"
             "ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5;\n"
             "and.b32 %r3, %r1, 31; mad.wide.u32 %rd1, %r2, 65536, %rd1;\n");
    put(text, sizeof text,
        half ? "shr.u32 %r4, %r3, 2; and.b32 %r5, %r3, 3; shl.b32 %r5, %r5, 2; mad.lo.u32 %r6, %r4, 4096, %r5;\n"
             : "shl.b32 %r6, %r3, 2;\n");
    put(text, sizeof text, "cvt.u64.u32 %rd4, %r6; add.u64 %rd1, %rd1, %rd4;\nbar.sync 0; mov.u64 %rd5, %clock64;\n");
    for (int x = 0; x < 64; x++) {
        char line[80];
        const int at = half ? x % 2 * 8 * 4096 + x / 2 * 16 : x / 4 * 4096 + x % 4 * 128;
        snprintf(line, sizeof line, "st.global.b32 [%%rd1+%d], %%r1;\n", at);
        put(text, sizeof text, line);
    }
    put(text, sizeof text,
        "fence.acq_rel.gpu; bar.sync 0; mov.u64 %rd6, %clock64; sub.u64 %rd6, %rd6, %rd5;\n"
        "setp.eq.u32 %p1, %r1, 0; @%p1 st.global.u64 [%rd2], %rd6; ret;\n}\n");
    return run(card, text, 1, 256, &cycles);
}

/* 8 warps, each 300 times 8 products of 16 x 8 x 16. *each: clocks of a scheduler for one. Returns how much longer the
 * launch is than its clocks. */
static double products(const sim_card *card, double *each)
{
    enum { TURNS = 300, OF_A_SCHEDULER = TURNS * 8 * 2 };
    static char text[8192];
    double cycles;
    snprintf(text, sizeof text, "%s",
             ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
             ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>; .reg .f32 %f<40>;\n"
             "ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x; mov.b32 %r2, 0; mov.b32 %r3, 0; mov.b32 %r4, 0;\n");
    for (int i = 0; i < 32; i++) {
        char line[40];
        snprintf(line, sizeof line, "mov.f32 %%f%d, 0f00000000;\n", i);
        put(text, sizeof text, line);
    }
    put(text, sizeof text, "bar.sync 0; mov.u64 %rd5, %clock64;\nTURN:\n");
    for (int i = 0; i < 32; i += 4) {
        char line[200];
        snprintf(line, sizeof line,
                 "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%%f%d, %%f%d, %%f%d, %%f%d}, {%%r2, %%r3, %%r2, "
                 "%%r3}, {%%r2, %%r3}, {%%f%d, %%f%d, %%f%d, %%f%d};\n",
                 i, i + 1, i + 2, i + 3, i, i + 1, i + 2, i + 3);
        put(text, sizeof text, line);
    }
    snprintf(text + strlen(text), sizeof text - strlen(text),
             "add.u32 %%r4, %%r4, 1; setp.lt.u32 %%p1, %%r4, %d;\n@%%p1 bra TURN;\n"
             "add.f32 %%f0, %%f0, %%f28; bar.sync 0; mov.u64 %%rd6, %%clock64; sub.u64 %%rd6, %%rd6, %%rd5;\n"
             "setp.eq.u32 %%p1, %%r1, 0; @%%p1 st.global.u64 [%%rd2], %%rd6; ret;\n}\n",
             TURNS);
    const double clocks = run(card, text, 1, 256, &cycles);
    *each = clocks / OF_A_SCHEDULER;
    return cycles / clocks;
}

/* What a fence takes, long after `before`. */
static double fence_after(const sim_card *card, const char *before)
{
    char body[2048];
    snprintf(body, sizeof body,
             "%s\nLONG: mov.u64 %%rd6, %%clock64; sub.u64 %%rd7, %%rd6, %%rd3; setp.lt.u64 %%p5, %%rd7, 2000;\n"
             "@%%p5 bra LONG;\n",
             before);
    const double without = clocks_of(card, body);
    put(body, sizeof body, "fence.acq_rel.gpu;");
    return clocks_of(card, body) - without;
}

/* `count` matrices loaded one after the other by `load`, each from an address that the last register of the one before
 * is part of; with zeros there the place stays the same. A lane's row is `apart` bytes after that of the lane before;
 * with `one` all lanes name the first. */
static double chain(const sim_card *card, const char *load, int apart, bool one, int count)
{
    static char body[8192];
    snprintf(body, sizeof body,
             "mad.lo.u32 %%r11, %%r1, %d, %%r4; st.shared.v4.b32 [%%r11], {%%r0, %%r0, %%r0, %%r0};\n"
             "bar.warp.sync -1; mov.u32 %%r13, %s;\n",
             apart, one ? "%r4" : "%r11");
    for (int i = 0; i < count; i++) {
        put(body, sizeof body, load);
        put(body, sizeof body, "\nadd.u32 %r13, %r13, %r29;\n");
    }
    return clocks_of(card, body);
}

/* What loads a matrix is waited for: it takes its passes and the latency of shared memory, and the addition a few. */
static void matrix_chain(const sim_card *card, const char *what, const char *load, int apart, bool one, int passes)
{
    enum { FEW = 4, MANY = 20 };
    const double each = (chain(card, load, apart, one, MANY) - chain(card, load, apart, one, FEW)) / (MANY - FEW),
                 least = passes + (double)card->timing.shared_latency;
    check_that(each >= least && each <= least + 16, "%s, one after the other: %.1f, at least %g", what, each, least);
}

/* 8 warps, each in a turn 4 ldmatrix.x4 and a sum of what they loaded; a lane's row is `apart` bytes after that of the
 * lane before. Clocks of a turn. */
static double matrices(const sim_card *card, int apart)
{
    enum { TURNS = 40 };
    static char text[8192];
    double cycles;
    snprintf(text, sizeof text,
             ".version 8.3\n.target sm_90\n.address_size 64\n.extern .shared .align 128 .b8 tile[];\n"
             ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
             ".reg .b32 %%r<40>; .reg .b64 %%rd<9>; .reg .pred %%p<3>;\n"
             "ld.param.u64 %%rd2, [out]; mov.u32 %%r1, %%tid.x; mov.b32 %%r2, 0; mov.b32 %%r4, 0; mov.u32 %%r5, tile;\n"
             "and.b32 %%r6, %%r1, 31; mad.lo.u32 %%r6, %%r6, %d, %%r5;\n"
             "st.shared.v4.b32 [%%r6], {%%r2, %%r2, %%r2, %%r2};\n"
             "bar.sync 0; mov.u64 %%rd5, %%clock64;\nTURN:\n",
             apart);
    for (int i = 10; i < 26; i += 4) {
        char line[120];
        snprintf(line, sizeof line, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%%r%d, %%r%d, %%r%d, %%r%d}, [%%r6];\n",
                 i, i + 1, i + 2, i + 3);
        put(text, sizeof text, line);
    }
    for (int i = 13; i < 26; i += 4) {
        char line[60];
        snprintf(line, sizeof line, "add.u32 %%r2, %%r2, %%r%d;\n", i);
        put(text, sizeof text, line);
    }
    snprintf(text + strlen(text), sizeof text - strlen(text),
             "add.u32 %%r6, %%r6, %%r2; add.u32 %%r4, %%r4, 1; setp.lt.u32 %%p1, %%r4, %d;\n@%%p1 bra TURN;\n"
             "bar.sync 0; mov.u64 %%rd6, %%clock64; sub.u64 %%rd6, %%rd6, %%rd5;\n"
             "setp.eq.u32 %%p1, %%r1, 0; @%%p1 st.global.u64 [%%rd2], %%rd6; ret;\n}\n",
             TURNS);
    return run(card, text, 1, 256, &cycles) / TURNS;
}

static void as_on_card(const sim_card *card, const char *what, const char *body, double want)
{
    expect_near(clocks_of(card, body), want, fmax(0.1 * want, 12), what);
}

int main(void)
{
    static char text[65536];
    sim_card h200;
    sim_error e = {0};
    FILE *f = fopen("sim/cards/h200.card", "rb");
    const size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f) fclose(f);
    text[n] = 0;
    if (!n || sim_card_read(&h200, text, "h200", &e)) {
        printf("FAIL h200: %s\n", e.message);
        return 1;
    }
    as_on_card(&h200, "fence.acq_rel.gpu", "fence.acq_rel.gpu;", 483);
    as_on_card(&h200, "fence.acq_rel.cluster", "fence.acq_rel.cluster;", 487);
    /* one fence after the other takes longer than one after a rest, here of 600 clocks; and a store must be over */
    static const char rest[] = "REST: mov.u64 %rd6, %clock64; sub.u64 %rd7, %rd6, %rd3; setp.lt.u64 %p5, %rd7, 600;\n"
                               "@%p5 bra REST;\n";
    char body[1024];
    snprintf(body, sizeof body, "%sfence.acq_rel.gpu;", rest);
    const double rested = clocks_of(&h200, body);
    expect_near(rested - clocks_of(&h200, rest), 278, 40, "a fence after a rest");
    snprintf(body, sizeof body, "%sst.global.u32 [%%rd2+32], %%r1; fence.acq_rel.gpu;", rest);
    expect_near(clocks_of(&h200, body) - clocks_of(&h200, rest), 583, 58, "the same after a store");
    /* the first fence after an access takes longer, though that was over long before; the next one does not */
    expect_near(fence_after(&h200, "ld.volatile.global.u32 %r11, [%rd1];"), 550, 30,
                "the first after a load that is over");
    expect_near(fence_after(&h200, "st.global.u32 [%rd2+32], %r1;"), 548, 30, "the first after a store that is over");
    snprintf(body, sizeof body, copy, 16384, 16384);
    expect_near(fence_after(&h200, body), 619, 75, "the first after a box that has landed");
    expect_near(fence_after(&h200, "st.global.u32 [%rd2+32], %r1; fence.acq_rel.gpu;"), 271, 40,
                "the second after a store"); /* a look at the clock takes 30 */
    expect_near(stores(&h200, true), 9072, 907, "64 KB of halves of sectors, and a fence");
    expect_near(stores(&h200, false), 2887, 289, "64 KB of lines, and a fence");
    double each;
    expect_near(products(&h200, &each), 1980. / 1794, 0.03, "time with mma.sync by its clocks");
    expect_near(each, 6.0, 0.3, "m16n8k16 of a scheduler");
    static const char ldmatrix[] = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r26, %r27, %r28, %r29}, [%r13];";
    static const char wmma_load[] = "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 "
                                    "{%r20, %r21, %r22, %r23, %r26, %r27, %r28, %r29}, [%r13];";
    matrix_chain(&h200, "ldmatrix.x4", ldmatrix, 16, false, 4);
    matrix_chain(&h200, "ldmatrix.x4 of rows in the same banks", ldmatrix, 128, false, 32);
    matrix_chain(&h200, "wmma.load", wmma_load, 16, true, 4);
    /* ldmatrix.x4 of 8 warps takes 4.0 clocks, with 8 rows in the same banks 32 */
    expect_near(matrices(&h200, 128), 32 * 32, 51, "a turn of 32 ldmatrix.x4 of rows in the same banks");
    as_on_card(&h200, "fence.proxy.async", "fence.proxy.async.shared::cta;", 9);
    as_on_card(&h200, "arrival that releases to the block",
               "@!%p2 mbarrier.arrive.release.cta.shared::cta.b64 _, [%r3];", 5);
    as_on_card(&h200, "arrival that releases to the cluster",
               "@!%p2 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r9];", 484);
    as_on_card(&h200, "barrier of a cluster", "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;", 546);
    as_on_card(&h200, "the same, relaxed", "barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;", 74);
    as_on_card(&h200, "load from the other block", "ld.shared::cluster.u32 %r11, [%r8]; add.u32 %r6, %r6, %r11;", 193);
    static const int bytes[][2] = {{16, 286}, {512, 329}, {4096, 362}, {16384, 458}, {65536, 917}};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        char what[80];
        snprintf(what, sizeof what, "bulk copy of %d bytes", bytes[i][0]);
        snprintf(body, sizeof body, copy, bytes[i][0], bytes[i][0]);
        as_on_card(&h200, what, body, bytes[i][1]);
    }
    return check_end();
}
