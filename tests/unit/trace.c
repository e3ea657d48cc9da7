/* trace.c: sim_launch.trace is told each access of each warp, once, with the address of each lane, also
 * where a fast path performs the access, and whatever else watches. */
#include "kernel.h"

enum { BLOCKS = 3, WARPS = 2, ROUNDS = 4 };

typedef struct seen {
    uint32_t idx[32];
    uint64_t base[2]; /* of in, out */
    int count[2];     /* accesses whose addresses are those expected: reads of in, writes of out */
    int strange;
} seen;

static void see(void *arg, const sim_access *a)
{
    seen *s = arg;
    const bool writes = a->kind == 'w';
    if (strcmp(a->space, "global") || a->size != 4) return;
    bool fits = a->lanes == UINT32_MAX;
    for (uint32_t l = 0; l < 32 && fits; l++)
        fits = a->address[l] == s->base[writes] + (uint64_t)4 * (a->warp ? 0 : s->idx[l]);
    if (fits) s->count[writes]++;
    else if (writes) s->strange++; /* reads: of idx, at the start */
}

static void run(bench *b, sim_module *m, int pattern, unsigned checks, unsigned counts)
{
    struct {
        uint64_t in, out, idx;
        uint32_t mask;
    } params = {b->in, b->out, b->idx, UINT32_MAX};
    seen s = {.base = {b->in, b->out}};
    uint32_t idx[64] = {0}; /* the second warp's are 0 */
    make_pattern(pattern, s.idx);
    memcpy(idx, s.idx, sizeof s.idx);
    sim_write(b->s, b->idx, idx, sizeof idx, &b->e);
    sim_launch l = {.kernel = "k",
                    .grid = {BLOCKS, 1, 1},
                    .block = {32 * WARPS, 1, 1},
                    .params = &params,
                    .param_bytes = 28,
                    .checks = checks,
                    .counts = counts,
                    .trace = see,
                    .trace_arg = &s,
                    .trace_block = UINT64_MAX,
                    .max_instructions = 100000};
    sim_result r = {0};
    const bool ok = !sim_run(b->s, m, &l, &r, &b->e) && (!r.code || r.code == SIM_E_FAULT);
    sim_result_free(&r);
    const int want = BLOCKS * WARPS * ROUNDS;
    check_that(ok && s.count[0] == want && s.count[1] == want && !s.strange,
               "%s, checks %u, counts %u: %d reads and %d writes, %d of each expected, %d other writes",
               pattern_names[pattern], checks, counts, s.count[0], s.count[1], want, s.strange);
}

static void tests(bench *b)
{
    static text t;
    start(&t, "", "");
    put(&t,
        "mul.wide.u32 %%rd5, %%r2, 4;\nadd.u64 %%rd6, %%rd1, %%rd5;\nadd.u64 %%rd7, %%rd2, %%rd5;\n"
        "mov.u32 %%r5, 0;\nloop:\nld.global.u32 %%r6, [%%rd6];\nst.global.u32 [%%rd7], %%r6;\n"
        "add.u32 %%r5, %%r5, 1;\nsetp.lt.u32 %%p2, %%r5, %d;\n@%%p2 bra loop;\nret;\n}\n",
        ROUNDS);
    sim_module *m = load(b, &t);
    sim_write(b->s, b->in, pool, BYTES, &b->e);
    check_that(m != NULL, "loads");
    for (int p = 0; m && p < PATTERNS; p++) {
        run(b, m, p, 0, 0);
        run(b, m, p, 0, SIM_COUNT_MEMORY);
        run(b, m, p, SIM_CHECK_INIT, SIM_COUNT_MEMORY);
        run(b, m, p, SIM_CHECK_ALL, 0);
    }
    if (m) sim_unload(b->s, m);
}
