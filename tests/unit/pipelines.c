/* pipelines.c: mistakes in kernels of today's shape, each beside its cure.
 *
 * Two kernels are right, and must give right results and no findings in every order: `ring`, in which one thread copies
 * tiles into a ring of two places and two warpgroups multiply them; and `pair`, the same in clusters of two blocks,
 * which share a part of each tile by multicast. Each mistake changes a line or two of one of them, and must be named
 * with its line and thread in every order. */
#include "base.h"
#include "isa.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TILES = 6, TILE = 2304, B_AT = 2048, BLOCKS = 2, THREADS = 288, CONSUMERS = 256, PRODUCER = 256 };

static sim *s;
static uint64_t in, out;
static uint16_t tiles[TILES * TILE / 2];
static float got[BLOCKS * CONSUMERS];

static void one_case(bool good, const char *kernel, const char *name, const char *how)
{
    check_that(good, "%s: %s, %s", kernel, name, how);
}

/* ---- the kernels ---- */
#define WAIT(label, object, parity) \
    label ": mbarrier.try_wait.parity.shared::cta.b64 %p3, [" object "], " parity ";\n@!%p3 bra " label ";\n"
#define HEAD(empty_count)                                                                                        \
    ".version 8.6\n.target sm_90a\n.address_size 64\n"                                                           \
    ".visible .entry k(.param .u64 in, .param .u64 out) .maxntid 288, 1, 1\n{\n"                                 \
    ".reg .pred %p<9>; .reg .b16 %h<4>; .reg .b32 %r<60>; .reg .b64 %rd<40>; .reg .f32 %d<8>;\n"                 \
    ".shared .align 128 .b8 ring[4608];\n.shared .align 16 .b8 room[1024];\n"                                    \
    ".shared .align 8 .b64 full[2];\n.shared .align 8 .b64 empty[2];\n"                                          \
    "ld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [out];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n"        \
    "mov.u32 %r3, ring;\nmov.u32 %r4, full;\nmov.u32 %r5, empty;\nmov.u32 %r6, %cluster_ctarank;\n"              \
    "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra ready;\n"                                                                \
    "mbarrier.init.shared::cta.b64 [%r4], 1;\nmbarrier.init.shared::cta.b64 [%r4+8], 1;\n"                       \
    "mbarrier.init.shared::cta.b64 [%r5], " empty_count ";\nmbarrier.init.shared::cta.b64 [%r5+8], " empty_count \
    ";\nfence.mbarrier_init.release.cluster;\nready:\n"
/* %r10: place in the ring, %r11: parity of its lap, %r12: tile, %r13: the place's address, %r14 and %r15 its two
 * objects. */
#define PLACE "mad.lo.u32 %r13, %r10, 2304, %r3;\nmad.lo.u32 %r14, %r10, 8, %r4;\nmad.lo.u32 %r15, %r10, 8, %r5;\n"
#define NEXT                                                                                                   \
    "add.u32 %r12, %r12, 1;\nxor.b32 %r10, %r10, 1;\nsetp.eq.u32 %p4, %r10, 0;\n@%p4 xor.b32 %r11, %r11, 1;\n" \
    "setp.lt.u32 %p5, %r12, 6;\n"
#define BEGIN "mov.u32 %r10, 0;\nmov.u32 %r11, 0;\nmov.u32 %r12, 0;\n"
#define CONSUME                                                                                                    \
    BEGIN                                                                                                          \
    "mov.f32 %d0, 0f00000000;\nmov.f32 %d1, %d0;\nmov.f32 %d2, %d0;\nmov.f32 %d3, %d0;\n"                          \
    "setp.eq.u32 %p6, %r1, %r1;\ntake:\n" PLACE WAIT(                                                              \
        "filled", "%r14", "%r11") "shr.u32 %r20, %r13, 4;\ncvt.u64.u32 %rd10, %r20;\nadd.u64 %rd11, %rd10, 128;\n" \
                                  "add.u64 %rd10, %rd10, 0x1000080000;\nadd.u64 %rd11, %rd11, 0x1000080000;\n"     \
                                  "wgmma.fence.sync.aligned;\n"                                                    \
                                  "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, "       \
                                  "%rd10, %rd11, %p6, 1, 1, 0, 0;\n"                                               \
                                  "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
/* Each sum goes to `room`, and that to global memory in one copy. */
#define FINISH                                                                          \
    "mov.u32 %r21, room;\nmad.lo.u32 %r22, %r1, 4, %r21;\nst.shared.f32 [%r22], %d0;\n" \
    "fence.proxy.async.shared::cta;\nbar.sync 1, 256;\n"                                \
    "@%p1 bra over;\nmad.wide.u32 %rd2, %r2, 1024, %rd2;\n"                             \
    "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r21], 1024;\n"               \
    "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;\nover:\n"

static const char ring[] =
    HEAD("2") "bar.sync 0;\n"
              "setp.ge.u32 %p2, %r1, 256;\n@%p2 bra producer;\n" CONSUME
              "and.b32 %r20, %r1, 127;\nsetp.eq.u32 %p7, %r20, 0;\n"
              "@%p7 mbarrier.arrive.shared::cta.b64 _, [%r15];\n" NEXT "@%p5 bra take;\n" FINISH "ret;\n"
              "producer:\nsetp.ne.u32 %p2, %r1, 256;\n@%p2 ret;\n" BEGIN "put:\n" PLACE "xor.b32 %r16, %r11, 1;\n" WAIT(
                  "emptied", "%r15",
                  "%r16") "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r14], 2304;\n"
                          "mad.wide.u32 %rd12, %r12, 2304, %rd1;\n"
                          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r13], [%rd12], "
                          "2304, [%r14];\n" NEXT "@%p5 bra put;\nret;\n}\n";

/* In the pair each block copies its own A, and one half of B to both blocks; a place is empty when the consumers of
 * both blocks have said so to both. */
#define MEET(label) "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
static const char pair[] = HEAD("4") "// the start\n" MEET(
    "start") "setp.ge.u32 %p2, %r1, 256;\n@%p2 bra producer;\n" CONSUME
             "and.b32 %r20, %r1, 127;\nsetp.lt.u32 %p7, %r20, 2;\n"
             "mapa.shared::cluster.u32 %r23, %r15, %r20;\n"
             "@%p7 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r23];\n" NEXT "@%p5 bra take;\n" FINISH
             "bra end;\n"
             "producer:\nsetp.ne.u32 %p2, %r1, 256;\n@%p2 bra end;\n" BEGIN "put:\n" PLACE
             "xor.b32 %r16, %r11, 1;\n" WAIT(
                 "emptied", "%r15",
                 "%r16") "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r14], 2304;\n"
                         "mad.wide.u32 %rd12, %r12, 2304, %rd1;\n"
                         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r13], [%rd12], "
                         "2048, [%r14];\n"
                         "mul.wide.u32 %rd13, %r6, 128;\nadd.u64 %rd12, %rd12, %rd13;\n"
                         "mad.lo.u32 %r24, %r6, 128, %r13;\n"
                         "mov.u16 %h1, 3;\n"
                         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                         "[%r24+2048], [%rd12+2048], 128, [%r14], %h1;\n" NEXT
                         "@%p5 bra put;\nend:\n// the end\n" MEET("end") "ret;\n}\n";

/* ---- running them ---- */
static const struct way {
    const char *name;
    sim_launch with;
    bool right_alone; /* mistakes are not run this way: a deadlock takes a quarter of a second */
} ways[] = {{"one host thread", {.host_threads = 1, .checks = SIM_CHECK_ALL}, false},
            {"four host threads", {.host_threads = 4, .checks = SIM_CHECK_ALL}, true},
            {"shuffled", {.host_threads = 1, .checks = SIM_CHECK_ALL, .shuffle = 7}, true},
            {"shuffled otherwise", {.host_threads = 1, .checks = SIM_CHECK_ALL, .shuffle = 90210}, false},
            {"timed", {.host_threads = 1, .checks = SIM_CHECK_ALL, .timed = true}, false}};
enum { WAYS = sizeof ways / sizeof *ways };

static int run(sim_module *m, bool clustered, const sim_launch *with, sim_result *r, sim_error *e)
{
    static const char zeros[sizeof got];
    const uint64_t params[2] = {in, out};
    sim_launch l = *with;
    l.kernel = "k";
    l.grid[0] = BLOCKS, l.grid[1] = l.grid[2] = 1;
    l.block[0] = THREADS, l.block[1] = l.block[2] = 1;
    if (clustered) l.cluster[0] = 2, l.cluster[1] = l.cluster[2] = 1;
    l.params = params;
    l.param_bytes = sizeof params;
    l.max_instructions = 2000000;
    memset(r, 0, sizeof *r);
    sim_write(s, out, zeros, sizeof zeros, e);
    const int code = sim_run(s, m, &l, r, e);
    return code ? code : r->code;
}

static sim_module *load(const char *text)
{
    sim_error e = {0};
    sim_module *m = NULL;
    if (sim_load(s, "case.ptx", text, strlen(text), &m, &e)) printf("# line %d: %s\n", e.line, e.message);
    return m;
}

/* Every element is the sum of 16 ones times the tile's number, from 1 on. */
static void right(const char *name, const char *text, bool clustered)
{
    sim_module *m = load(text);
    for (int i = 0; i < WAYS; i++) {
        sim_result r = {0};
        sim_error e = {0};
        bool good = m && !run(m, clustered, &ways[i].with, &r, &e) && !r.fault_count;
        if (!good) printf("# %s %s\n", e.message, r.fault_count ? r.faults[0].message : "");
        memset(got, 0, sizeof got);
        sim_read(s, out, got, sizeof got, &e);
        for (int k = 0; k < BLOCKS * CONSUMERS && good; k++) {
            good = got[k] == 16 * (TILES * (TILES + 1) / 2);
            if (!good) printf("# element %d is %g\n", k, (double)got[k]);
        }
        one_case(good, name, "right", ways[i].name);
        sim_result_free(&r);
    }
}

/* ---- mistakes ---- */
#define BIT(kind) (1u << SIM_FAULT_##kind)
enum { ANYONE = -1, CONSUMER = -2 };
typedef struct mistake {
    const char *name, *old, *new; /* what is changed; in `old` the first of several places that are equal */
    unsigned kinds;               /* a bit for each that it may be, by the order in which blocks and warps run */
    const char *marked;           /* the line at fault holds this */
    int thread;                   /* at fault */
    const char *says, *advice;
} mistake;

static char *changed(const char *text, const mistake *m)
{
    const char *at = strstr(text, m->old);
    char *to = malloc(strlen(text) + strlen(m->new) + 1);
    if (!at || !to) {
        printf("FAIL no such line: %s\n", m->old);
        exit(1);
    }
    sprintf(to, "%.*s%s%s", (int)(at - text), text, m->new, at + strlen(m->old));
    return to;
}
static bool line_holds(const char *text, int line, const char *what)
{
    for (int i = 1; i < line && text; i++) text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL;
    const char *at = text ? strstr(text, what) : NULL;
    return at && at < text + strcspn(text, "\n");
}
static bool names(const sim_fault *f, const char *text, const mistake *m)
{
    const int t = (int)f->at.thread[0];
    return m->kinds >> f->kind & 1 && !f->note && line_holds(text, f->at.ptx_line, m->marked) &&
           (m->thread == ANYONE || (m->thread == CONSUMER ? t < CONSUMERS : t == m->thread)) &&
           strstr(f->message, m->says) && strstr(f->advice, m->advice);
}
static void wrong(const char *kernel, const char *base, bool clustered, const mistake *list, int count)
{
    for (int k = 0; k < count; k++) {
        char *text = changed(base, &list[k]);
        sim_module *m = load(text);
        for (int i = 0; i < WAYS; i++) {
            if (ways[i].right_alone || (i && list[k].kinds == BIT(DEADLOCK))) continue;
            sim_result r = {0};
            sim_error e = {0};
            bool found = false;
            if (m) run(m, clustered, &ways[i].with, &r, &e);
            for (int j = 0; j < r.fault_count && !found; j++) found = names(&r.faults[j], text, &list[k]);
            for (int j = 0; j < r.fault_count && !found; j++)
                printf("# %s, line %d, thread %u: %s; %s\n", sim_fault_name(r.faults[j].kind), r.faults[j].at.ptx_line,
                       (unsigned)r.faults[j].at.thread[0], r.faults[j].message, r.faults[j].advice);
            if (!found && !r.fault_count) printf("# nothing is found; %s\n", e.message);
            one_case(found, kernel, list[k].name, ways[i].name);
            sim_result_free(&r);
        }
        if (m) sim_unload(s, m);
        free(text);
    }
}

static const mistake in_ring[] = {
    {"the sums are used before the wait", "wgmma.wait_group.sync.aligned 0;\n", "add.f32 %d4, %d0, %d1;\n", BIT(RACE),
     "add.f32 %d4", CONSUMER, "reads register 0 of D", "Wait for the product first"},
    {"a place is said to be empty before its product is done", "wgmma.wait_group.sync.aligned 0;\n",
     "wgmma.wait_group.sync.aligned 1;\n", BIT(RACE), "cp.async.bulk.shared", PRODUCER, "", "it"},
    {"no wgmma.fence", "wgmma.fence.sync.aligned;\n", "", BIT(RACE), "wgmma.mma_async", CONSUMER,
     "no wgmma.fence comes", "Put wgmma.fence"},
    {"no fence.proxy.async before the store", "fence.proxy.async.shared::cta;\n", "", BIT(RACE), "cp.async.bulk.global",
     0, "no fence.proxy.async between the store and the bulk copy", "Put fence.proxy.async"},
    {"the copied tile is changed without fence.proxy.async", "wgmma.fence.sync.aligned;\n",
     "setp.eq.u32 %p8, %r1, 37;\n@%p8 st.shared.u32 [%r13], 0x3c003c00;\nbar.sync 1, 256;\n"
     "wgmma.fence.sync.aligned;\n",
     BIT(RACE), "wgmma.mma_async", CONSUMER, "no fence.proxy.async between the store and the product",
     "Put fence.proxy.async"},
    {"expect_tx with too many bytes", "[%r14], 2304;\n", "[%r14], 2320;\n", BIT(DEADLOCK), "filled", CONSUMER,
     "lacks 0 arrivals and 16 bytes", "as many bytes have come as expect_tx says"},
    {"expect_tx with too few", "[%r14], 2304;\n", "[%r14], 2288;\n", BIT(DEADLOCK), "filled", CONSUMER,
     "16 bytes too many: more came than expect_tx said", "as many bytes have come as expect_tx says"},
    {"expect_tx never comes", "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r14], 2304;\n", "", BIT(DEADLOCK),
     "filled", CONSUMER, "lacks 1 arrival", "as many threads have arrived as mbarrier.init says"},
    {"the empty object counts an arrival too few", "[%r5], 2;\nmbarrier.init.shared::cta.b64 [%r5+8], 2;",
     "[%r5], 1;\nmbarrier.init.shared::cta.b64 [%r5+8], 1;", BIT(RACE) | BIT(DEADLOCK) | BIT(BAD_OPERAND), "", ANYONE,
     "", "mbarrier.init"},
    {"the empty object counts an arrival too many", "[%r5], 2;\nmbarrier.init.shared::cta.b64 [%r5+8], 2;",
     "[%r5], 3;\nmbarrier.init.shared::cta.b64 [%r5+8], 3;", BIT(DEADLOCK), "filled", CONSUMER,
     "thread (256,0,0) waits at the barrier object in element 0 of shared empty", "mbarrier.init"},
    {"the consumers wait for the wrong parity", "[%r14], %r11;\n", "[%r14], %r16;\n",
     BIT(RACE) | BIT(UNINITIALISED) | BIT(DEADLOCK), "", CONSUMER, "", ""},
    {"the producer waits for the wrong parity", "xor.b32 %r16, %r11, 1;", "mov.b32 %r16, %r11;", BIT(DEADLOCK),
     "filled", CONSUMER, "lacks 1 arrival", ""},
    {"the producer does not wait for places",
     "emptied: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r15], %r16;\n@!%p3 bra emptied;\n", "",
     BIT(RACE) | BIT(BAD_OPERAND), "", PRODUCER, "", "wait"},
    {"one place of two is used again early", "@!%p3 bra emptied;\n",
     "setp.eq.or.u32 %p3, %r10, 1, %p3;\n@!%p3 bra emptied;\n", BIT(RACE) | BIT(DEADLOCK) | BIT(BAD_OPERAND), "",
     ANYONE, "", ""},
    {"the last place is used again early", "@!%p3 bra emptied;\n",
     "setp.eq.or.u32 %p3, %r12, 5, %p3;\n@!%p3 bra emptied;\n", BIT(RACE) | BIT(DEADLOCK) | BIT(BAD_OPERAND), "",
     ANYONE, "", ""},
    {"a copy of 2296 bytes", "[%r13], [%rd12], 2304, [%r14]", "[%r13], [%rd12], 2296, [%r14]", BIT(BAD_OPERAND),
     "cp.async.bulk.shared", PRODUCER, "must be a multiple of 16 bytes, not 2296", ""},
    {"no barrier after the objects are made", "bar.sync 0;\n", "", BIT(RACE) | BIT(BAD_OPERAND), "mbarrier", ANYONE, "",
     "between"},
    {"the store's memory is written before it is read", "cp.async.bulk.wait_group.read 0;\n",
     "st.shared.f32 [%r22+4], %d0;\ncp.async.bulk.wait_group.read 0;\n", BIT(RACE), "cp.async.bulk.global", 0,
     "may not have read it yet", "wait_group.read"},
    {"nobody waits for the store", "cp.async.bulk.wait_group.read 0;\n", "", BIT(RACE), "cp.async.bulk.global", 0,
     "the block ends while", "wait_group.read 0"},
    {"a place is given back before ldmatrix has read it", "[%r15];\nadd.u32",
     "[%r15];\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r30}, [%r13];\nadd.u32", BIT(RACE), "", ANYONE, "", ""},
    {"a tile is read before it has come", "take:\n", "ld.shared.u32 %r30, [%r3];\ntake:\n", BIT(RACE), "", ANYONE, "",
     "mbarrier.try_wait"},
};
#define READY "fence.mbarrier_init.release.cluster;\nready:\n// the start\n"
static const mistake in_pair[] = {
    {"__syncthreads at the start", "// the start\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n", "bar.sync 0;\n",
     BIT(RACE) | BIT(BAD_OPERAND), "", ANYONE, "", "cluster.sync()"},
    {"a relaxed start without fence.mbarrier_init", READY "barrier.cluster.arrive;\n",
     "ready:\nbarrier.cluster.arrive.relaxed;\n", BIT(RACE) | BIT(BAD_OPERAND), "", ANYONE, "", "cluster.sync()"},
    {"no barrier of the cluster at the end", "// the end\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n", "",
     BIT(RACE) | BIT(CLUSTER_GONE), "", ANYONE, "ended", "End the kernel with a barrier of the cluster"},
    {"a mask that names one block alone", "mov.u16 %h1, 3;", "mov.u16 %h1, 1;", BIT(DEADLOCK), "filled", CONSUMER,
     " bytes", "as many bytes have come"},
    {"a mask that names a block too many", "mov.u16 %h1, 3;", "mov.u16 %h1, 7;", BIT(BAD_OPERAND), "multicast",
     PRODUCER, "names block 2, which the cluster does not have", "Bit i of the mask"},
    {"places are emptied by the own block alone", "mapa.shared::cluster.u32 %r23, %r15, %r20;",
     "mapa.shared::cluster.u32 %r23, %r15, %r6;", BIT(RACE) | BIT(DEADLOCK), "", ANYONE, "", ""},
};

/* Two lanes store the same bytes with the same copy: a note, and right. */
static void twice(void)
{
    const mistake m = {.old = "@%p1 bra over;\n", .new = "setp.gt.u32 %p8, %r1, 1;\n@%p8 bra over;\n"};
    char *text = changed(ring, &m);
    sim_module *module = load(text);
    sim_result r = {0};
    sim_error e = {0};
    const bool good = module && !run(module, false, &ways[0].with, &r, &e) && r.fault_count == 1 && r.faults[0].note &&
                      r.faults[0].kind == SIM_FAULT_SAME_VALUE && r.faults[0].at.thread[0] == 1 &&
                      line_holds(text, r.faults[0].at.ptx_line, "cp.async.bulk.global");
    for (int j = 0; j < r.fault_count && !good; j++) printf("# %s\n", r.faults[j].message);
    one_case(good, "ring", "two lanes issue the same store", "one host thread");
    sim_result_free(&r);
    if (module) sim_unload(s, module);
    free(text);
}

/* A cluster may meet at a relaxed barrier behind fence.mbarrier_init. */
static void relaxed(void)
{
    const mistake m = {.old = READY "barrier.cluster.arrive;\n",
                       .new = "fence.mbarrier_init.release.cluster;\nready:\nbarrier.cluster.arrive.relaxed;\n"};
    char *text = changed(pair, &m);
    right("pair with a relaxed start", text, true);
    free(text);
}

/* Copies report to two objects that no fence follows: notes. */
static void unfenced(void)
{
    const mistake m = {.old = "fence.mbarrier_init.release.cluster;\n", .new = ""};
    char *text = changed(ring, &m);
    sim_module *module = load(text);
    sim_result r = {0};
    sim_error e = {0};
    bool good = module && !run(module, false, &ways[0].with, &r, &e) && r.fault_count == 2;
    for (int j = 0; j < r.fault_count && good; j++) {
        const sim_fault *f = &r.faults[j];
        good = f->note && f->at.thread[0] == PRODUCER && line_holds(text, f->at.ptx_line, "cp.async.bulk.shared") &&
               f->other.thread[0] == 0 && line_holds(text, f->other.ptx_line, "mbarrier.init") &&
               strstr(f->message, "no fence.mbarrier_init");
    }
    for (int j = 0; j < r.fault_count && !good; j++) printf("# %s\n", r.faults[j].message);
    one_case(good, "ring", "no fence behind mbarrier.init", "one host thread");
    sim_result_free(&r);
    if (module) sim_unload(s, module);
    free(text);
}

static void tests(void)
{
    twice();
    unfenced();
    relaxed();
    right("ring", ring, false);
    right("pair", pair, true);
    wrong("ring", ring, false, in_ring, sizeof in_ring / sizeof *in_ring);
    wrong("pair", pair, true, in_pair, sizeof in_pair / sizeof *in_pair);
}

int main(void)
{
    for (int t = 0; t < TILES; t++)
        for (int i = 0; i < TILE / 2; i++) {
            static const uint16_t number[] = {0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600};
            tiles[t * TILE / 2 + i] = i < B_AT / 2 ? 0x3c00 : number[t];
        }
    static char text[65536];
    static sim_card h200;
    FILE *f = fopen("sim/cards/h200.card", "r");
    sim_error e = {0};
    text[f ? fread(text, 1, sizeof text - 1, f) : 0] = 0;
    if (f) fclose(f);
    if (sim_card_read(&h200, text, "h200", &e)) return printf("FAIL sim/cards/h200.card: %s\n", e.message), 1;
    for (isa_begin(); isa_next();) {
        if (sim_open(&s, &h200, &e) || sim_alloc(s, sizeof tiles, "in", &in, &e) ||
            sim_alloc(s, sizeof got, "out", &out, &e) || sim_write(s, in, tiles, sizeof tiles, &e))
            return 1;
        tests();
        sim_close(s);
    }
    return isa_end();
}
