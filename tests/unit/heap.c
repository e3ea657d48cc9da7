/* heap.c: malloc in a kernel has a heap of 8 MiB, as on a card, or of the size in the launch.
 * Beyond it malloc returns NULL, without asking the host for memory. */
#include "kernel.h"

/* out[thread] = malloc(in[thread]) != 0; with %p2 the thread frees it again. */
static void make_kernel(text *t)
{
    t->n = 0;
    put(t,
        ".version 8.3\n.target sm_90\n.address_size 64\n.extern .func (.param .b64 r) malloc (.param .b64 bytes);\n"
        ".extern .func free (.param .b64 at);\n"
        ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 frees)\n{\n"
        ".reg .pred %%p<8>; .reg .b32 %%r<9>; .reg .b64 %%rd<9>;\n"
        "ld.param.u64 %%rd1, [in];\nld.param.u64 %%rd2, [out];\nld.param.u32 %%r2, [frees];\nmov.u32 %%r1, %%tid.x;\n"
        "mul.wide.u32 %%rd3, %%r1, 8;\n"
        "add.u64 %%rd1, %%rd1, %%rd3;\nadd.u64 %%rd2, %%rd2, %%rd3;\nld.global.u64 %%rd4, [%%rd1];\n"
        "{\n.param .b64 a;\n.param .b64 b;\nst.param.b64 [a], %%rd4;\ncall.uni (b), malloc, (a);\n"
        "ld.param.b64 %%rd5, [b];\n}\n"
        "setp.ne.u64 %%p1, %%rd5, 0;\nselp.u64 %%rd6, 1, 0, %%p1;\nst.global.u64 [%%rd2], %%rd6;\nbar.sync 0;\n"
        "setp.eq.u32 %%p2, %%r2, 0;\n@%%p2 ret;\n"
        "{\n.param .b64 a;\nst.param.b64 [a], %%rd5;\ncall.uni free, (a);\n}\nret;\n}\n");
}

/* Each thread asks for `bytes`. Returns how many threads got them, -1 on a fault; *notes: the
 * number of remarks about a full heap. */
static int ask(bench *b, sim_module *m, uint32_t threads, uint64_t bytes, uint64_t heap, bool frees, bool timed,
               int *notes)
{
    uint64_t sizes[64], got[64] = {0};
    struct {
        uint64_t in, out;
        uint32_t frees;
    } params = {b->in, b->out, frees};
    sim_launch l = {.kernel = "k",
                    .grid = {1, 1, 1},
                    .block = {threads, 1, 1},
                    .heap_bytes = heap,
                    .params = &params,
                    .param_bytes = 20,
                    .timed = timed,
                    .host_threads = host_threads,
                    .max_instructions = 100000};
    sim_result r = {0};
    for (uint32_t i = 0; i < 64; i++) sizes[i] = bytes;
    sim_write(b->s, b->in, sizes, sizeof sizes, &b->e);
    sim_write(b->s, b->out, got, sizeof got, &b->e);
    *notes = 0;
    if (sim_run(b->s, m, &l, &r, &b->e)) {
        printf("# %s\n", b->e.message);
        return -1;
    }
    sim_read(b->s, b->out, got, sizeof got, &b->e);
    int count = r.code ? -1 : 0;
    if (r.code && r.fault_count) printf("# %s\n", r.faults[0].message);
    for (int i = 0; i < r.fault_count; i++)
        *notes += r.faults[i].note && r.faults[i].kind == SIM_FAULT_HEAP_FULL ? (int)r.faults[i].count : 0;
    for (uint32_t i = 0; i < threads && count >= 0; i++) count += (int)got[i];
    sim_result_free(&r);
    return count;
}

static const struct row {
    const char *name;
    uint32_t threads;
    uint64_t bytes, heap;
    bool frees;
    int got;
} rows[] = {
    /* several requests in one heap */
    {"200 MB for each of 32", 32, 200000000, 0, false, 0},
    {"the same with 16 GB", 32, 16000000000, 0, false, 0},
    {"as many bytes as there are addresses", 32, UINT64_MAX, 0, false, 0},
    {"no bytes", 32, 0, 0, false, 0},
    {"256 KiB for each of 32 is all of it, freed again", 32, 262144, 0, true, 32},
    {"once more, kept", 32, 262144, 0, false, 32},
    {"then nothing is left", 1, 1, 0, false, 0},
    {"but in a heap of twice the size", 32, 262144, 16777216, true, 32},
    {"where 64 are too many", 64, 262144, 16777216, true, 32},
    {"and 8 MiB and 32 bytes have room for 2", 3, 1, 8388640, true, 2}, /* of 16 bytes each */
};

static void tests(bench *b)
{
    static text t;
    make_kernel(&t);
    sim_module *m = load(b, &t);
    int notes;
    if (!m) {
        check_that(false, "load");
        return;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const int got = ask(b, m, rows[i].threads, rows[i].bytes, rows[i].heap, rows[i].frees, false, &notes),
                  refused = rows[i].bytes ? (int)rows[i].threads - rows[i].got : 0;
        if (got != rows[i].got || notes != refused)
            printf("# %d got it, not %d; %d remarks\n", got, rows[i].got, notes);
        check_that(got == rows[i].got && notes == refused, "%s", rows[i].name);
    }
    sim_unload(b->s, m);
}
