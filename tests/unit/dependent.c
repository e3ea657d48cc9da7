/* dependent.c: a launch that may begin while the one before it still runs, and what the race check says of it.
 *
 * `first` writes and reads words and lets the next launch begin; `next` touches some of them, with or without
 * griddepcontrol.wait. Each mistake beside its cure, which must be silent. */
#include "isa.h"

enum { WORDS = 4096, BLOCKS = 8, THREADS = 128 };
static sim *s;
static uint64_t in, out, other;

#define HEAD(name)                                                                                              \
    ".visible .entry " name "(.param .u64 in, .param .u64 out, .param .u64 other)\n{\n"                         \
    ".reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %d<12>;\n"                                                   \
    ".shared .align 128 .b8 tile[512];\n.shared .align 8 .b64 bar;\n"                                           \
    "ld.param.u64 %d1, [in];\nld.param.u64 %d2, [out];\nld.param.u64 %d3, [other];\n"                           \
    "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmad.lo.u32 %r3, %r2, 128, %r1;\nmul.wide.u32 %d4, %r3, 4;\n" \
    "add.u64 %d1, %d1, %d4;\nadd.u64 %d2, %d2, %d4;\nadd.u64 %d3, %d3, %d4;\nsetp.ne.u32 %p1, %r1, 0;\n"
#define FIRST(middle) HEAD("first") "ld.global.u32 %r4, [%d1];\n" middle "st.global.u32 [%d2], %r4;\nret;\n}\n"
#define LETS          "griddepcontrol.launch_dependents;\n"
#define WAIT          "griddepcontrol.wait;\n"
#define READ          "ld.global.u32 %r5, [%d2];\n"
#define KEEP          "st.global.u32 [%d3], %r5;\n"
#define COPY                                                                                            \
    "@%p1 bra copied;\nmbarrier.init.shared::cta.b64 [bar], 1;\nfence.mbarrier_init.release.cluster;\n" \
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 512;\n"                                        \
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%d2], 512, [bar];\n"    \
    "wait: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;\n@!%p2 bra wait;\ncopied:\n"

static const struct {
    const char *name, *first, *next;
    bool plain;         /* an ordinary launch */
    const char *at;     /* the line at fault holds this; NULL: all is well */
    const char *before; /* that of the launch before */
    int thread;         /* at fault; -1: any */
} rows[] = {
    {"a wait first", FIRST(LETS), WAIT READ KEEP, false, NULL, NULL, 0},
    {"no wait", FIRST(LETS), READ KEEP, false, "ld.global.u32 %r5, [%d2]", "st.global.u32 [%d2]", -1},
    {"a wait too late", FIRST(LETS), READ WAIT KEEP, false, "ld.global.u32 %r5, [%d2]", "st.global.u32 [%d2]", -1},
    {"one thread of 128 does not wait", FIRST(LETS),
     "setp.eq.u32 %p3, %r1, 77;\n@!%p3 griddepcontrol.wait;\n" READ KEEP, false, "ld.global.u32 %r5, [%d2]",
     "st.global.u32 [%d2]", 77},
    {"one thread waits, the barrier tells the others", FIRST(LETS),
     "@!%p1 griddepcontrol.wait;\nbar.sync 0;\n" READ KEEP, false, NULL, NULL, 0},
    {"one thread waits, nothing tells the others", FIRST(LETS), "@!%p1 griddepcontrol.wait;\n" READ KEEP, false,
     "ld.global.u32 %r5, [%d2]", "st.global.u32 [%d2]", -1},
    {"what the launch before reads is written", FIRST(LETS), "st.global.u32 [%d1], %r1;\n", false,
     "st.global.u32 [%d1]", "ld.global.u32 %r4, [%d1]", -1},
    {"what the launch before reads is read", FIRST(LETS), "ld.global.u32 %r5, [%d1];\n" KEEP, false, NULL, NULL, 0},
    {"a bulk copy before the wait", FIRST(LETS), COPY WAIT, false, "cp.async.bulk", "st.global.u32 [%d2]", 0},
    {"a bulk copy behind it", FIRST(LETS), WAIT COPY, false, NULL, NULL, 0},
    {"the launch before lets nobody start", FIRST(""), READ KEEP, false, NULL, NULL, 0},
    {"an ordinary launch", FIRST(LETS), READ KEEP, true, NULL, NULL, 0},
    {"other memory", FIRST(LETS), "mov.u32 %r5, 1;\n" KEEP WAIT, false, NULL, NULL, 0},
};

static bool line_holds(const char *text, int line, const char *what)
{
    for (int i = 1; i < line && text; i++) text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL;
    const char *at = text ? strstr(text, what) : NULL;
    return at && at < text + strcspn(text, "\n");
}

static int launch(sim_module *m, const char *kernel, bool dependent, const sim_launch *way, sim_result *r)
{
    const uint64_t params[3] = {in, out, other};
    sim_error e = {0};
    sim_launch l = *way;
    l.kernel = kernel;
    l.grid[0] = BLOCKS, l.grid[1] = l.grid[2] = 1;
    l.block[0] = THREADS, l.block[1] = l.block[2] = 1;
    l.params = params;
    l.param_bytes = sizeof params;
    l.checks = SIM_CHECK_RACE;
    l.dependent = dependent;
    const int code = sim_run(s, m, &l, r, &e);
    return code ? code : r->code;
}

static void test(size_t i, const sim_launch *way, const char *how)
{
    static char text[8192];
    sim_error e = {0};
    sim_module *m = NULL;
    snprintf(text, sizeof text, "%s%s%s%sret;\n}\n", ".version 8.6\n.target sm_90a\n.address_size 64\n", rows[i].first,
             HEAD("next"), rows[i].next);
    bool good = !sim_load(s, "case.ptx", text, strlen(text), &m, &e);
    if (!good) printf("# line %d: %s\n", e.line, e.message);
    for (int times = 0; times < 2 && good; times++) { /* what is kept of one pair does not confuse the next */
        sim_result a = {0}, b = {0};
        launch(m, "first", false, way, &a);
        const int code = launch(m, "next", !rows[i].plain, way, &b);
        if (rows[i].at) {
            const sim_fault *f = b.fault_count == 1 ? &b.faults[0] : NULL;
            good = f && f->kind == SIM_FAULT_RACE && line_holds(text, f->at.ptx_line, rows[i].at) &&
                   line_holds(text, f->other.ptx_line, rows[i].before) && !strcmp(f->other.kernel, "first") &&
                   (rows[i].thread < 0 || f->at.thread[0] == (uint32_t)rows[i].thread) &&
                   f->other.thread[0] == f->at.thread[0] && f->other.block[0] == f->at.block[0] &&
                   strstr(f->message, "griddepcontrol.wait") && strstr(f->advice, "griddepcontrol.wait");
        } else {
            good = !code && !b.fault_count;
        }
        good = good && !a.fault_count;
        for (int k = 0; k < b.fault_count && !good; k++)
            printf("# line %d, other %d: %s\n", b.faults[k].at.ptx_line, b.faults[k].other.ptx_line,
                   b.faults[k].message);
        sim_result_free(&a);
        sim_result_free(&b);
    }
    check_that(good, "%s, %s", rows[i].name, how);
    if (m) sim_unload(s, m);
}

int main(void)
{
    static char text[65536];
    static sim_card h200;
    FILE *f = fopen("sim/cards/h200.card", "r");
    sim_error e = {0};
    text[f ? fread(text, 1, sizeof text - 1, f) : 0] = 0;
    if (f) fclose(f);
    if (sim_card_read(&h200, text, "h200", &e)) return printf("FAIL sim/cards/h200.card: %s\n", e.message), 1;
    const sim_launch one = {.host_threads = 1}, four = {.host_threads = 4}, mixed = {.host_threads = 1, .shuffle = 7},
                     timed = {.host_threads = 1, .timed = true};
    for (isa_begin(); isa_next();) {
        static const char zeros[WORDS * 4];
        uint64_t *at[] = {&in, &out, &other};
        if (sim_open(&s, &h200, &e)) return 1;
        for (int i = 0; i < 3; i++)
            if (sim_alloc(s, WORDS * 4, "words", at[i], &e) || sim_write(s, *at[i], zeros, sizeof zeros, &e)) return 1;
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            test(i, &one, "one host thread");
            test(i, &four, "four");
            test(i, &mixed, "shuffled");
            test(i, &timed, "timed");
        }
        sim_close(s);
    }
    return isa_end();
}
