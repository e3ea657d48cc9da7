/* moved.c: short programs that once gave wrong results when their instructions were reordered, on
 * every card whose compilers reorder. The expected results stand beside each. tests/unit/moves.c
 * has random programs.
 */
#include "base.h"
#include "check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_card(const char *name, sim_card *c)
{
    static char text[65536];
    char path[64];
    sim_error e;
    snprintf(path, sizeof path, "sim/cards/%s.card", name);
    FILE *f = fopen(path, "rb");
    if (!f) return false;
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    return !sim_card_read(c, text, name, &e);
}

/* A lane has: %s the start of the window, %s0 its own word there, %s1 its row of 16 bytes for
 * matrices; %g and %g0 the same in global memory; %v the word 1000 + lane. Its result goes to %r.
 * Shared memory is unwritten at the start; words of global memory are 0. */
typedef struct known {
    const char *name, *body;
    uint32_t first, step; /* lane k's result: first + k * step */
} known;

static const known knowns[] = {
    /* of one matrix that is not transposed, lane k gets word k */
    {"a word is stored and comes back in a matrix",
     "st.shared.u32 [%s0], %v; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r}, [%s1];", 1000, 1},
    {"the same by a generic address", "st.u32 [%x0], %v; ldmatrix.sync.aligned.m8n8.x1.b16 {%r}, [%x1];", 1000, 1},
    {"a matrix is read before its words change",
     "st.shared.u32 [%s0], %v; bar.sync 0; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r}, [%s1]; st.shared.u32 "
     "[%s0], 7; ld.shared.u32 %a, [%s0]; "
     "mul.lo.u32 %a, %a, %a; mul.lo.u32 %a, %a, %a; sub.u32 %a, %a, 2401; add.u32 %r, %r, %a;",
     1000, 1}, /* which waits for the second store */
    {"a matrix is stored and comes back word by word",
     "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%s1], {%v}; ld.shared.u32 %r, [%s0];", 1000, 1},
    {"a matrix is stored over words, which are there late",
     "mul.lo.u32 %a, %v, %v; mul.lo.u32 %a, %a, %v; st.shared.u32 [%s0], %a; "
     "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%s1], {%v}; bar.sync 0; "
     "ld.shared.u32 %r, [%s0];",
     1000, 1},
    /* 16 x 16 halves, all the same, since the layout of a fragment is unspecified */
    {"a wmma fragment is stored and comes back word by word",
     "mov.u32 %a, 0x3c003c00; wmma.store.d.sync.aligned.row.m16n16k16.global.f16 [%g], {%a, %a, %a, %a}; "
     "ld.global.u32 %r, [%g0];",
     0x3c003c00, 0},
    {"words are stored and come back in a wmma fragment",
     "mov.u32 %a, 0x3c003c00; mov.b64 %w, {%a, %a}; st.global.u64 [%g2], %w; st.global.u64 [%g2+256], %w; "
     "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r, %b, %b, %b, %b, %b, %b, %b}, [%g];",
     0x3c003c00, 0},
    /* the first and the last of three stores become one access, at the last one's place */
    {"a store between two that are joined, by another register",
     "st.shared.u32 [%s2], 1; st.shared.u32 [%s3], %v; st.shared.u32 [%s2+4], 2; ld.shared.u32 %r, [%s2];", 1000, 1},
    {"a store between two that are joined, of another lane's word",
     /* lane k: word 4 k + 1 becomes 1, then word 4 k + 5 (the next lane's) becomes 1000 + k, then
      * word 4 k becomes 2 */
     "st.shared.u32 [%s4+4], 1; st.shared.u32 [%s4+20], %v; st.shared.u32 [%s4], 2; ld.shared.u32 %r, [%s4+20];", 1000,
     1}};

static void try_known(const sim_card *card, const known *k, bool timed)
{
    static const char frame[] = ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 "
                                "memory, .param .u64 out)\n{\n"
                                ".reg .b32 %s, %s<5>, %v, %r, %a, %b, %lane, %t; .reg .b64 %g, %g<3>, %x<2>, %o, "
                                "%t64, %w; .shared .align 128 .b8 window[1024];\n"
                                "mov.u32 %lane, %tid.x; mov.u32 %s, window; ld.param.u64 %g, [memory]; "
                                "ld.param.u64 %o, [out]; add.u32 %v, %lane, 1000; mov.u32 %r, 0;\n"
                                "shl.b32 %t, %lane, 2; add.u32 %s0, %s, %t; cvt.u64.u32 %t64, %t; add.u64 %g0, %g, "
                                "%t64; add.u64 %o, %o, %t64; add.u64 %g2, %g0, %t64;\n"
                                "cvt.u64.u32 %x0, %s0; cvta.shared.u64 %x0, %x0; and.b32 %a, %lane, 7; shl.b32 %a, "
                                "%a, 4; add.u32 %s1, %s, %a; cvt.u64.u32 %x1, %s1;\n"
                                "cvta.shared.u64 %x1, %x1; shl.b32 %b, %lane, 3; add.u32 %s2, %s, %b; mov.b32 %s3, "
                                "%s2; shl.b32 %s4, %lane, 4; add.u32 %s4, %s, %s4;\n";
    char ptx[4096];
    uint32_t got[32] = {0}, zeros[256] = {0};
    struct {
        uint64_t memory, out;
    } params;
    sim *s = NULL;
    sim_module *m;
    sim_error e = {0};
    sim_result r = {0};
    const size_t n = (size_t)snprintf(ptx, sizeof ptx, "%s%s\nst.global.u32 [%%o], %%r;\nret;\n}\n", frame, k->body);
    bool good = !sim_open(&s, card, &e) && !sim_load(s, "known.ptx", ptx, n, &m, &e) &&
                !sim_alloc(s, sizeof zeros, "memory", &params.memory, &e) &&
                !sim_alloc(s, sizeof got, "out", &params.out, &e) &&
                !sim_write(s, params.memory, zeros, sizeof zeros, &e);
    if (good) {
        const sim_launch l = {.kernel = "k",
                              .grid = {1, 1, 1},
                              .block = {32, 1, 1},
                              .params = &params,
                              .param_bytes = sizeof params,
                              .host_threads = 1,
                              .timed = timed,
                              .checks = SIM_CHECK_INIT,
                              .max_instructions = 10000};
        good = !sim_run(s, m, &l, &r, &e) && !r.code && !sim_read(s, params.out, got, sizeof got, &e);
        for (uint32_t i = 0; good && i < 32; i++) good = got[i] == k->first + i * k->step;
    }
    check_that(good, "%s (%s%s)", k->name, card->name, timed ? ", timed" : "");
    if (!good)
        printf("# lanes 0 and 1: %u %u; %s %s\n", got[0], got[1], e.message, r.fault_count ? r.faults[0].message : "");
    sim_result_free(&r);
    sim_close(s);
}

int main(void)
{
    static const char *const cards[] = {"h200", "h100", "rtx2070", "gtx1050"};
    sim_card card;
    for (size_t c = 0; c < sizeof cards / sizeof cards[0]; c++) {
        if (!read_card(cards[c], &card)) {
            printf("FAIL cannot read the card %s\n", cards[c]);
            return 1;
        }
        for (size_t k = 0; k < sizeof knowns / sizeof knowns[0]; k++)
            for (int timed = 0; timed < 2; timed++) try_known(&card, &knowns[k], timed);
    }
    return check_end();
}
