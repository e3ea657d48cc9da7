/* checks.c: what the checkers must report and what they must not, and counters known by hand.
 *
 * The kernels are in tests/check/ (CUDA C, and the PTX that a compiler made of it). Each takes (int
 * *a, int *b, int n): a is 64 KiB of zeros from the host, b is 64 KiB that the host never writes.
 */
#include "sim.h"
#include "check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 65536 };
static const char *only; /* print all messages of this kernel in full */

static void nothing_wrong(const char *name, const char *wrong)
{
    check_why(!wrong || !*wrong, name, wrong ? wrong : "");
}

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    char *text = NULL;
    size_t n = 0, room = 0, got;
    do {
        if (n + 65536 + 1 > room) {
            room = room ? room * 2 : 131072;
            char *more = realloc(text, room);
            if (!more) break;
            text = more;
        }
        got = fread(text + n, 1, 65536, f);
        n += got;
    } while (got);
    fclose(f);
    if (text) text[n] = 0;
    return text;
}

typedef struct gpu {
    sim *s;
    sim_module *m;
    uint64_t a, b;
} gpu;

static sim_card card;

static bool gpu_open(gpu *g, const char *path, char *wrong, size_t size)
{
    sim_error err = {0};
    char *text = read_file(path);
    memset(g, 0, sizeof *g);
    if (!text) {
        snprintf(wrong, size, "cannot read %s", path);
        return false;
    }
    char *zeros = calloc(1, BYTES);
    bool ok = zeros && !sim_open(&g->s, &card, &err) && !sim_load(g->s, path, text, strlen(text), &g->m, &err) &&
              !sim_alloc(g->s, BYTES, "a", &g->a, &err) && !sim_alloc(g->s, BYTES, "b", &g->b, &err) &&
              !sim_write(g->s, g->a, zeros, BYTES, &err);
    free(zeros);
    free(text);
    if (!ok) snprintf(wrong, size, "%s:%d: %s", err.file, err.line, err.message);
    return ok;
}

static void gpu_close(gpu *g)
{
    if (g->s) sim_close(g->s);
}

typedef struct run {
    const char *kernel;
    uint32_t grid, block;
    int n;
    unsigned checks, counts;
    int threads;
    bool cooperative;
    uint32_t shared;
} run;

static bool timed; /* timed order: blocks run concurrently */
static uint64_t shuffle;

static int go(gpu *g, const run *r, sim_result *out, char *wrong, size_t size)
{
    struct {
        uint64_t a, b;
        int32_t n;
    } params = {g->a, g->b, r->n};
    sim_error err = {0};
    sim_launch l = {.kernel = r->kernel,
                    .grid = {r->grid, 1, 1},
                    .block = {r->block, 1, 1},
                    .params = &params,
                    .param_bytes = 20,
                    .checks = r->checks,
                    .counts = r->counts,
                    .host_threads = r->threads ? r->threads : 1,
                    .max_instructions = 20000000,
                    .cooperative = r->cooperative,
                    .shared_bytes = r->shared,
                    .timed = timed,
                    .shuffle = shuffle};
    int code = sim_run(g->s, g->m, &l, out, &err);
    if (code) snprintf(wrong, size, "%s", err.message);
    return code;
}

static const char *list(const sim_result *r)
{
    static char text[2048];
    size_t at = 0;
    text[0] = 0;
    for (int i = 0; i < r->fault_count && at < sizeof text - 1; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s%s line %d: %s", i ? "; " : "",
                               sim_fault_name(r->faults[i].kind), r->faults[i].note ? " (note)" : "",
                               r->faults[i].at.line, r->faults[i].message);
    return text;
}

/* ---- races ---- */

static const run orders[] = {
    {"ok_tile", 64, 256, 0, 0, 0, 0, 0, 0},
    {"ok_loop", 1, 128, 20, 0, 0, 0, 0, 0},
    {"ok_double_buffer", 1, 128, 20, 0, 0, 0, 0, 0},
    {"ok_warp_tree", 1, 64, 0, 0, 0, 0, 0, 0},
    {"ok_producer", 1, 128, 10, 0, 0, 0, 0, 0},
    {"ok_named", 1, 256, 0, 0, 0, 0, 0, 0},
    {"ok_bar_red", 1, 128, 0, 0, 0, 0, 0, 0},
    {"ok_last_block", 500, 64, 0, 0, 0, 0, 0, 0},
    {"ok_last_block_all", 40, 64, 0, 0, 0, 0, 0, 0},
    {"ok_last_block_one_fence", 40, 96, 0, 0, 0, 0, 0, 0},
    {"ok_last_thread", 6, 64, 0, 0, 0, 0, 0, 0},
    {"ok_lock_global", 20, 64, 0, 0, 0, 0, 0, 0},
    {"ok_lock_volatile", 8, 128, 0, 0, 0, 0, 0, 0},
    {"ok_lock_shared", 1, 96, 0, 0, 0, 0, 0, 0},
    {"ok_flag", 4, 64, 0, 0, 0, 0, 0, 0},
    {"ok_acquire_release", 2, 64, 0, 0, 0, 0, 0, 0},
    {"ok_chain", 40, 32, 0, 0, 0, 0, 0, 0},
    {"ok_flag_shared", 1, 64, 0, 0, 0, 0, 0, 0},
    {"ok_histogram", 20, 128, 0, 0, 0, 0, 0, 0},
    {"ok_grid_sync", 6, 64, 0, 0, 0, 0, true, 0},
    {"ok_tiles", 1, 128, 0, 0, 0, 0, 0, 0},
    {"ok_bytes", 1, 256, 0, 0, 0, 0, 0, 0},
    {"ok_halves_after_words", 1, 64, 0, 0, 0, 0, 0, 0},
    {"ok_global_tree", 8, 128, 0, 0, 0, 0, 0, 0},
    {"ok_early_exit", 1, 128, 0, 0, 0, 0, 0, 0},
    {"ok_wide", 1, 64, 0, 0, 0, 0, 0, 0},
    {"ok_peer_fence", 4, 32, 0, 0, 0, 0, 0, 0},
    {"ok_stencil", 16, 256, 4096, 0, 0, 0, 0, 0},
    {"ok_warp_private", 1, 128, 50, 0, 0, 0, 0, 0},
    {"ok_block_scope", 6, 64, 0, 0, 0, 0, 0, 0},
    {"ok_guess", 1, 128, 0, 0, 0, 0, 0, 0},
    {"ok_guess", 4, 64, 0, 0, 0, 0, 0, 0},
    {"ok_guess_double", 4, 64, 0, 0, 0, 0, 0, 0},
    {"ok_guess_shared", 1, 128, 0, 0, 0, 0, 0, 0},
    {"ok_claim", 1, 128, 0, 0, 0, 0, 0, 0},
    {"ok_claim", 4, 64, 0, 0, 0, 0, 0, 0},
    {"ok_raise", 4, 64, 0, 0, 0, 0, 0, 0},
    {"bad_guess_then_read", 1, 32, 0, 0, 0, 0, 0, 0},
    {"bad_block_scope", 4, 32, 0, 0, 0, 0, 0, 0},
    {"bad_mixed_scope", 4, 32, 0, 0, 0, 0, 0, 0},
    {"lockstep_volatile", 1, 64, 0, 0, 0, 0, 0, 0},
    {"ok_volatile_warp", 1, 64, 0, 0, 0, 0, 0, 0},
    {"bad_no_barrier", 3, 256, 0, 0, 0, 0, 0, 0},
    {"bad_second_barrier", 1, 128, 20, 0, 0, 0, 0, 0},
    {"bad_warp_tree", 1, 32, 0, 0, 0, 0, 0, 0},
    {"bad_last_block_no_fence", 50, 64, 0, 0, 0, 0, 0, 0},
    {"bad_last_block_no_barrier", 10, 64, 0, 0, 0, 0, 0, 0},
    {"bad_last_block_block_fence", 10, 64, 0, 0, 0, 0, 0, 0},
    {"bad_sum", 1, 64, 0, 0, 0, 0, 0, 0},
    {"bad_sum_blocks", 4, 32, 0, 0, 0, 0, 0, 0},
    {"bad_atomic_plain", 1, 64, 0, 0, 0, 0, 0, 0},
    {"bad_histogram", 1, 64, 0, 0, 0, 0, 0, 0},
    {"bad_byte", 1, 64, 0, 0, 0, 0, 0, 0},
    {"bad_named", 1, 128, 0, 0, 0, 0, 0, 0},
    {"bad_after_arrive", 1, 64, 0, 0, 0, 0, 0, 0},
    {"bad_tile", 1, 32, 0, 0, 0, 0, 0, 0},
    {"bad_lock_no_fence", 4, 32, 0, 0, 0, 0, 0, 0},
    {"bad_flag_no_fence", 2, 32, 0, 0, 0, 0, 0, 0},
    {"bad_flag_plain", 2, 32, 0, 0, 0, 0, 0, 0},
    {"bad_in_place", 4, 64, 256, 0, 0, 0, 0, 0},
    {"bad_wide", 1, 64, 0, 0, 0, 0, 0, 0},
    {"bad_no_grid_sync", 6, 64, 0, 0, 0, 0, 0, 0},
    {"bad_syncwarp_mask", 1, 32, 0, 0, 0, 0, 0, 0},
    {"bad_write_after_read", 1, 64, 0, 0, 0, 0, 0, 0},
    {"bad_reuse_after_last", 1, 64, 0, 0, 0, 0, 0, 0},
    {"ok_heap", 1, 256, 0, 0, 0, 0, 0, 0},
    {"bad_heap", 1, 256, 0, 0, 0, 0, 0, 0},
    {"bad_tree", 1, 128, 0, 0, 0, 0, 0, 0},
    {"bad_warp_then_block", 1, 128, 0, 0, 0, 0, 0, 0},
    {"bad_count", 1, 64, 0, 0, 0, 0, 0, 0},
    {"bad_count_blocks", 4, 64, 0, 0, 0, 0, 0, 0},
    {"bad_ticket", 1, 32, 0, 0, 0, 0, 0, 0},
    {"bad_claim_kept", 1, 64, 0, 0, 0, 0, 0, 0},
    {"bad_claim_other", 1, 64, 0, 0, 0, 0, 0, 0},
    {"bad_raise_other", 4, 64, 0, 0, 0, 0, 0, 0},
    {"ok_late", 1, 128, 40, 0, 0, 0, 0, 0},
    {"bad_late", 1, 128, 40, 0, 0, 0, 0, 0},
    {"bad_late_read", 1, 128, 40, 0, 0, 0, 0, 0},
    {"note_same_value", 4, 64, 0, 0, 0, 0, 0, 0},
    {"note_same_value_shared", 2, 64, 0, 0, 0, 0, 0, 0},
};

/* Large enough to run on several host threads: the report must not depend on how many. */
static const run shared_out[] = {
    {"ok_many", 128, 64, 200, 0, 0, 0, 0, 0},
    {"bad_many", 128, 64, 200, 0, 0, 0, 0, 0},
    {"bad_many_blocks", 128, 64, 200, 0, 0, 0, 0, 0},
    {"ok_many_atomic", 128, 64, 200, 0, 0, 0, 0, 0},
};

static const run async_orders[] = {
    {"ok_copy", 1, 128, 0, 0, 0, 0, 0, 0},
    {"ok_barrier_object", 1, 128, 4, 0, 0, 0, 0, 0},
    {"bad_copy", 1, 128, 0, 0, 0, 0, 0, 0},
    {"bad_barrier_object", 1, 128, 0, 0, 0, 0, 0, 0},
};

/* tests/check/luck.cu */
static const run lucks[] = {
    {"ok_last_block", 40, 64, 0, 0, 0, 0, 0, 0},
    {"bad_last_block", 40, 64, 0, 0, 0, 0, 0, 0},
    {"bad_last_block_relaxed", 40, 64, 0, 0, 0, 0, 0, 0},
    {"bad_look", 40, 64, 0, 0, 0, 0, 0, 0},
    {"bad_read_twice", 40, 64, 0, 0, 0, 0, 0, 0},
    {"bad_test", 40, 64, 0, 0, 0, 0, 0, 0},
    {"bad_test_around", 40, 64, 0, 0, 0, 0, 0, 0},
    {"bad_call", 40, 64, 0, 0, 0, 0, 0, 0},
    {"bad_call_keeps", 4, 64, 0, 0, 0, 0, 0, 0},
    {"bad_count_early_fence", 4, 32, 0, 0, 0, 0, 0, 0},
    {"ok_count_then_item", 4, 32, 0, 0, 0, 0, 0, 0},
    {"ok_call_waits", 4, 32, 0, 0, 0, 0, 0, 0},
    {"ok_call_decides", 4, 64, 0, 0, 0, 0, 0, 0},
    {"bad_late_fence", 40, 64, 0, 0, 0, 0, 0, 0},
    {"bad_atomic_then_volatile", 8, 64, 0, 0, 0, 0, 0, 0},
    {"ok_flag", 3, 32, 0, 0, 0, 0, 0, 0},
    {"bad_flag", 3, 32, 0, 0, 0, 0, 0, 0},
    {"ok_packed", 20, 32, 0, 0, 0, 0, 0, 0},
    {"ok_packed_back", 20, 32, 0, 0, 0, 0, 0, 0},
    {"ok_wait_then_read", 4, 32, 0, 0, 0, 0, 0, 0},
    {"ok_two_flags", 4, 32, 0, 0, 0, 0, 0, 0},
    {"ok_until_found", 4, 64, 0, 0, 0, 0, 0, 0},
    {"ok_found_for_all", 4, 64, 0, 0, 0, 0, 0, 0},
    {"ok_best", 4, 64, 0, 0, 0, 0, 0, 0},
    {"ok_exchange", 2, 64, 0, 0, 0, 0, 0, 0},
    {"ok_count", 2, 64, 0, 0, 0, 0, 0, 0},
    {"bad_neighbour", 4, 64, 0, 0, 0, 0, 0, 0},
    {"bad_one_word", 4, 64, 0, 0, 0, 0, 0, 0},
    {"bad_shared", 1, 64, 0, 0, 0, 0, 0, 0},
    {"ok_shared", 1, 64, 0, 0, 0, 0, 0, 0},
    {"lockstep_tree", 1, 64, 0, 0, 0, 0, 0, 0},
    {"lockstep_one_reader", 1, 32, 0, 0, 0, 0, 0, 0},
    {"lockstep_global", 1, 32, 0, 0, 0, 0, 0, 0},
    {"lockstep_relaxed", 1, 32, 0, 0, 0, 0, 0, 0},
    {"ok_warp_flag", 1, 32, 0, 0, 0, 0, 0, 0},
};

/* The places of both accesses of some of the races, and which barrier is missing. */
static const struct place_case {
    const char *kernel, *at, *other, *advice;
    bool same_block;
} places[] = {
    {"bad_no_barrier", "b[blockIdx.x * 256 + T] = s[255 - T];", "s[T] = a[blockIdx.x * 256 + T] + T;",
     "__syncthreads()", true},
    {"bad_second_barrier", "s[T] = a[i * 128 + T] + i;", "sum += s[(T + 33) & 127];", "__syncthreads()", true},
    {"bad_warp_tree", "if (T < d) s[T] += s[T + d];", "if (T < d) s[T] += s[T + d];", "__syncwarp()", true},
    {"bad_last_block_no_fence", "for (int i = T; i < gridDim.x; i += blockDim.x) sum += b[i];",
     "b[blockIdx.x] = a[blockIdx.x] + 1;", "__threadfence()", false},
    {"bad_tile", "b[T] = s[T ^ 15];", "s[T] = a[T] + T;", "__syncwarp()", true},
    {"bad_late", "if (i == n - 1) s[T] = 0;", "b[T] = s[127 - T] + t[T];", "__syncthreads()", true},
    {"bad_late_read", "s[T] = i;", "if (i % 3 == 2 && T == 5) b[0] = s[99];", "__syncthreads()", true},
    {"bad_block_scope", "if (T == 0) atomicAdd_block(&a[0], 1);", "if (T == 0) atomicAdd_block(&a[0], 1);",
     "without _block", false},
    {"bad_guess_then_read", "b[T] = ((volatile int *)a)[1] + a[0];", "seen = atomicCAS(&a[0], held, held + 1);",
     "__syncwarp()", true},
    {"bad_heap", "b[T] = p[255 - T];", "p[T] = T;", "__syncthreads()", true},
};

/* The advice for the first race; no race may get weaker advice. */
static const struct advice_case {
    const char *kernel, *advice, *never;
} advices[] = {
    {"bad_tree", "__syncthreads()", "__syncwarp()"},
    {"bad_warp_then_block", "__syncthreads()", "__syncwarp()"},
    {"bad_warp_tree", "__syncwarp()", "__syncthreads()"},
    {"bad_count", "one atomic operation", "__sync"},
    {"bad_count_blocks", "one atomic operation", "__sync"},
    {"bad_ticket", "that the atomic operation returns", "__sync"},
    {"bad_claim_kept", "that the atomic operation returns", "__sync"},
    {"bad_claim_other", "that the atomic operation returns", "__sync"},
    {"bad_raise_other", "that the atomic operation returns", "__sync"},
};

static bool line_says(const char *path, int line, const char *text)
{
    char buffer[512];
    FILE *f = fopen(path, "r");
    bool found = false;
    for (int i = 1; f && fgets(buffer, sizeof buffer, f); i++)
        if (i == line) found = strstr(buffer, text) != NULL;
    if (f) fclose(f);
    return found;
}

static void check_places(const char *kernel, const sim_result *r, char *wrong, size_t size)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const struct place_case *p = &places[i];
        if (strcmp(p->kernel, kernel)) continue;
        bool found = false;
        for (int k = 0; k < r->fault_count; k++) {
            const sim_fault *f = &r->faults[k];
            found =
                found || (f->kind == SIM_FAULT_RACE && f->at.file && strstr(f->at.file, "races.cu") &&
                          f->other.kernel && line_says("tests/check/races.cu", f->at.line, p->at) &&
                          line_says("tests/check/races.cu", f->other.line, p->other) && strstr(f->advice, p->advice) &&
                          p->same_block == !memcmp(f->at.block, f->other.block, sizeof f->at.block) &&
                          (!p->same_block || memcmp(f->at.thread, f->other.thread, sizeof f->at.thread)));
        }
        if (!found) snprintf(wrong, size, "no race with both sides where they are: %s", list(r));
    }
}

static void check_advice(const char *kernel, const sim_result *r, char *wrong, size_t size)
{
    for (size_t i = 0; i < sizeof advices / sizeof *advices; i++) {
        const struct advice_case *p = &advices[i];
        if (strcmp(p->kernel, kernel)) continue;
        bool first = true;
        for (int k = 0; k < r->fault_count && !*wrong; k++) {
            const sim_fault *f = &r->faults[k];
            if (f->kind != SIM_FAULT_RACE || f->note) continue;
            if ((first && !strstr(f->advice, p->advice)) || strstr(f->advice, p->never) || strstr(f->message, p->never))
                snprintf(wrong, size, "race %d of it says: %s; %s", k, f->message, f->advice);
            first = false;
        }
        if (first) snprintf(wrong, size, "no race");
    }
}

enum { IN_ORDER = 1, THREE_THREADS = 3, TIMED = 10, SHUFFLED }; /* races must not depend on the order */

static void test_order(const run *given, const char *path, int mode)
{
    const int threads = mode == THREE_THREADS ? 3 : 1;
    char wrong[2600] = "", name[96];
    run r = *given;
    gpu g;
    sim_result out;
    memset(&out, 0, sizeof out);
    r.checks = SIM_CHECK_RACE;
    r.threads = threads;
    timed = mode == TIMED;
    shuffle = mode >= SHUFFLED ? (uint64_t)(mode - SHUFFLED) + 1 : 0;
    snprintf(name, sizeof name, "%s, compute %d, %d host thread%s%s", r.kernel, card.cc_major, threads,
             threads > 1 ? "s" : "",
             timed     ? ", timed"
             : shuffle ? ", shuffled"
                       : "");
    if (gpu_open(&g, path, wrong, sizeof wrong) && !go(&g, &r, &out, wrong, sizeof wrong)) {
        int races = 0, notes = 0, others = 0;
        for (int i = 0; i < out.fault_count; i++) {
            if (out.faults[i].kind == SIM_FAULT_RACE && !out.faults[i].note) races++;
            else if (out.faults[i].note) notes++;
            else others++;
        }
        if (only) printf("%s\n", list(&out));
        const bool lockstep = !strncmp(r.kernel, "lockstep", 8);
        int least_races = !strncmp(r.kernel, "bad", 3) || (lockstep && card.cc_major >= 7),
            least_notes = !strncmp(r.kernel, "note", 4) || (lockstep && card.cc_major < 7);
        if (others || (races > 0) != least_races || (!least_races && (notes > 0) != least_notes))
            snprintf(wrong, sizeof wrong, "%d races, %d notes, %d other faults: %s", races, notes, others, list(&out));
        if ((out.code == SIM_E_FAULT) != least_races) snprintf(wrong, sizeof wrong, "result code %d", out.code);
        if (!wrong[0]) check_places(r.kernel, &out, wrong, sizeof wrong);
        if (!wrong[0]) check_advice(r.kernel, &out, wrong, sizeof wrong);
    }
    timed = false;
    shuffle = 0;
    nothing_wrong(name, wrong);
    sim_result_free(&out);
    gpu_close(&g);
}

static void describe(const sim_result *r, char *out, size_t size)
{
    size_t at = (size_t)snprintf(out, size, "%s", list(r));
    for (int i = 0; i < r->fault_count && at < size; i++)
        at += (size_t)snprintf(out + at, size - at, "; seen %llu times", (unsigned long long)r->faults[i].count);
    const sim_counters *c = &r->total;
    if (at < size)
        snprintf(out + at, size - at, "; %llu instructions, %llu passes, %llu sectors",
                 (unsigned long long)c->warp_instructions, (unsigned long long)c->shared_passes_32,
                 (unsigned long long)c->global_store_sectors);
}

static void test_shared_out(const run *given)
{
    char wrong[6000] = "", name[96], first[2400] = "", text[2400];
    for (int threads = 1; threads <= 4 && !wrong[0]; threads++) {
        run r = *given;
        gpu g;
        sim_result out;
        memset(&out, 0, sizeof out);
        r.checks = SIM_CHECK_RACE;
        r.counts = SIM_COUNT_MEMORY;
        r.threads = threads;
        if (gpu_open(&g, "tests/check/races.ptx", wrong, sizeof wrong) && !go(&g, &r, &out, wrong, sizeof wrong)) {
            describe(&out, text, sizeof text);
            if (only) printf("%d of %d threads: %s\n", out.host_threads, threads, text);
            if (threads == 1) memcpy(first, text, sizeof first);
            if (strcmp(first, text)) snprintf(wrong, sizeof wrong, "%d threads: %s, but one: %s", threads, text, first);
            if ((out.code == SIM_E_FAULT) != !strncmp(r.kernel, "bad", 3))
                snprintf(wrong, sizeof wrong, "got: %s", text);
        }
        sim_result_free(&out);
        gpu_close(&g);
    }
    snprintf(name, sizeof name, "%s, the same for 1 to 4 host threads", given->kernel);
    nothing_wrong(name, wrong);
}

/* ---- unwritten memory ---- */

static const struct init_case {
    const char *kernel;
    int n;
    const char *space, *says; /* the remark when the value is stored; NULL: none */
    const char *host;         /* the message when the host reads b */
} inits[] = {
    {"init_global", 3, "global",
     "thread (0,0,0) of block (0,0,0) stores a value that comes from element 3 of b (byte 12), which was never written",
     NULL},
    {"init_shared", 0, "shared", "thread (5,0,0) of block (0,0,0) stores a value that comes from element 5 of shared",
     NULL},
    {"init_local", 1, "local",
     "thread (15,0,0) of block (0,0,0) stores a value that comes from element 15 of the thread's local memory", NULL},
    {"init_gaps", 1, NULL, NULL, NULL},
    {"init_no_member", 1, "local",
     "thread (0,0,0) of block (0,0,0) stores a value that comes from element 6 of the thread's local memory", NULL},
    {"init_ok", 1, NULL, NULL, NULL},
    /* half of the value that it stores is known */
    {"init_half", 1, NULL, NULL, "element 0 of b (byte 2), which was never written"},
    {"init_fill", 0, NULL, NULL, NULL},
    {"init_atomic", 0, NULL, NULL, "element 0 of b (byte 0), which was never written"},
};

static void test_init(const struct init_case *c)
{
    char wrong[2600] = "";
    gpu g;
    sim_result out;
    memset(&out, 0, sizeof out);
    run r = {c->kernel, 1, 64, c->n, SIM_CHECK_INIT, 0, 1, false, 0};
    if (gpu_open(&g, "tests/check/counts.ptx", wrong, sizeof wrong) && !go(&g, &r, &out, wrong, sizeof wrong)) {
        const sim_fault *f = out.fault_count ? &out.faults[0] : NULL;
        if (only) printf("%s\n", list(&out));
        sim_unknown u;
        if (out.code || (!c->space ? f != NULL
                                   : !f || f->kind != SIM_FAULT_UNINITIALISED || !f->note ||
                                         strcmp(f->space, c->space) || !strstr(f->message, c->says)))
            snprintf(wrong, sizeof wrong, "got: %s", list(&out));
        if (c->host && (sim_known(g.s, !strcmp(c->kernel, "init_half") ? g.a : g.b, 4, &u) || !u.stored ||
                        !strstr(u.what, c->host)))
            snprintf(wrong, sizeof wrong, "the host is told: %s", u.what);
        if (!c->space && !wrong[0] && !strcmp(c->kernel, "init_fill")) { /* the next launch may read this */
            sim_result_free(&out);
            r.kernel = "init_use";
            if (!go(&g, &r, &out, wrong, sizeof wrong) && out.fault_count)
                snprintf(wrong, sizeof wrong, "got: %s", list(&out));
        }
    }
    nothing_wrong(c->kernel, wrong);
    sim_result_free(&out);
    gpu_close(&g);
}

/* ---- counters ---- */

#define AT(id) offsetof(sim_counters, id), #id
static const struct count_case {
    const char *kernel;
    uint32_t grid, block;
    int n;
    struct {
        size_t at;
        const char *id;
        uint64_t value;
    } want[6];
} counts[] = {
    /* One warp each unless stated. 32 lanes of 4 bytes: 4 sectors, and two half-warps of 64 bytes
     * for the store. */
    {"stride",
     1,
     32,
     1,
     {{AT(global_load_sectors), 4},
      {AT(global_store_sectors), 4},
      {AT(strict_transactions), 4},
      {AT(strict_bytes), 256}}},
    {"stride",
     1,
     32,
     2,
     {{AT(global_load_sectors), 8},
      {AT(strict_transactions), 34},
      {AT(strict_bytes), 32 * 32 + 128},
      {AT(global_load_bytes), 128}}},
    {"stride", 1, 32, 8, {{AT(global_load_sectors), 32}, {AT(global_load_requests), 1}}},
    {"stride", 1, 32, 100, {{AT(global_load_sectors), 32}}},
    {"offset",
     1,
     32,
     1,
     {{AT(global_load_sectors), 5}, {AT(strict_transactions), 34}, {AT(strict_bytes), 32 * 32 + 128}}},
    {"offset", 1, 32, 16, {{AT(global_load_sectors), 4}, {AT(strict_transactions), 4}}},
    {"offset", 1, 16, 1, {{AT(global_load_sectors), 3}, {AT(strict_transactions), 17}}},
    {"records",
     1,
     32,
     0,
     {{AT(global_load_sectors), 36}, {AT(global_load_requests), 3}, {AT(strict_transactions), 98}}},
    {"uniform", 1, 32, 5, {{AT(global_load_sectors), 1}, {AT(strict_transactions), 34}}},
    {"bytes", 1, 32, 0, {{AT(global_load_sectors), 1}, {AT(global_load_bytes), 32}, {AT(strict_transactions), 34}}},
    {"bytes", 1, 32, 0, {{AT(max_block_bytes), 32 + 128}}},
    {"uneven",
     3,
     64,
     5,
     {{AT(max_block_bytes), 5 * 256 + 256}, {AT(global_load_bytes), 5 * 256}, {AT(global_store_bytes), 3 * 256}}},
    {"wide",
     1,
     32,
     0,
     {{AT(global_load_sectors), 16},
      {AT(strict_transactions), 8},
      {AT(strict_bytes), 1024},
      {AT(global_store_bytes), 512}}},
    {"doubles", 1, 32, 0, {{AT(global_load_sectors), 8}, {AT(strict_transactions), 4}, {AT(strict_bytes), 512}}},
    {"half_active",
     1,
     32,
     0,
     {{AT(global_load_sectors), 4},
      {AT(global_load_bytes), 64},
      {AT(strict_transactions), 4},
      {AT(strict_bytes), 256},
      {AT(divergent_branches), 1}}},
    {"shared_stride", 1, 32, 0, {{AT(shared_passes_32), 2}, {AT(shared_passes_16), 4}, {AT(max_bank_conflict), 1}}},
    {"shared_stride",
     1,
     32,
     1,
     {{AT(shared_passes_32), 2},
      {AT(shared_passes_16), 4},
      {AT(shared_load_requests), 1},
      {AT(shared_store_requests), 1}}},
    {"shared_stride", 1, 32, 2, {{AT(shared_passes_32), 3}, {AT(shared_passes_16), 6}, {AT(max_bank_conflict), 2}}},
    {"shared_stride", 1, 32, 3, {{AT(shared_passes_32), 2}, {AT(shared_passes_16), 4}}},
    {"shared_stride",
     1,
     32,
     16,
     {{AT(shared_passes_32), 17}, {AT(shared_passes_16), 2 + 32}, {AT(max_bank_conflict), 16}}},
    {"shared_stride",
     1,
     32,
     32,
     {{AT(shared_passes_32), 33}, {AT(shared_passes_16), 2 + 32}, {AT(max_bank_conflict), 32}}},
    {"column16", 1, 32, 0, {{AT(shared_passes_32), 32}, {AT(shared_passes_16), 64}, {AT(max_bank_conflict), 16}}},
    {"column17", 1, 32, 0, {{AT(shared_passes_32), 2}, {AT(shared_passes_16), 4}}},
    {"column32", 1, 32, 0, {{AT(shared_passes_32), 64}, {AT(shared_passes_16), 64}, {AT(max_bank_conflict), 32}}},
    {"column33", 1, 32, 0, {{AT(shared_passes_32), 2}, {AT(shared_passes_16), 4}}},
    /* 16-byte stores: 4 phases on 32 banks, 4 words x 4 conflicts x 2 halves on 16. The load has
     * steps of 4 words: 4, and 2 x 4. */
    {"shared_wide",
     1,
     32,
     0,
     {{AT(shared_passes_32), 4 + 4}, {AT(shared_passes_16), 32 + 8}, {AT(max_bank_conflict), 4}}},
    {"shared_two_words", 1, 32, 0, {{AT(shared_passes_32), 3}, {AT(shared_passes_16), 6}}},
    {"half_sums", 1, 32, 0, {{AT(half_operations), 32 * (4 + 4 + 1)}, {AT(float_operations), 0}}},
    {"matrix", 3, 64, 0, {{AT(matrix_operations), 3 * 2 * 2 * 16 * 16 * 16}, {AT(float_operations), 0}}},
    {"atomics",
     1,
     32,
     1,
     {{AT(atomic_requests), 1}, {AT(atomic_lanes), 32}, {AT(max_atomic_depth), 1}, {AT(atomic_depth), 1}}},
    {"atomics",
     2,
     64,
     64,
     {{AT(atomic_requests), 4}, {AT(atomic_lanes), 128}, {AT(max_atomic_depth), 32}, {AT(atomic_depth), 128}}},
    {"atomics", 1, 32, 8, {{AT(max_atomic_depth), 8}, {AT(atomic_depth), 8}}},
    {"constant", 1, 32, 0, {{AT(constant_requests), 1}, {AT(constant_words), 1}}},
    {"constant", 1, 32, 7, {{AT(constant_words), 8}}},
    {"constant", 1, 32, 63, {{AT(constant_words), 32}}},
    /* 16 stores and one load of one word per lane, the same for all: 4 sectors each */
    {"local_array", 1, 32, 0, {{AT(local_requests), 17}, {AT(local_sectors), 68}}},
    {"fmas", 2, 64, 10, {{AT(fma_operations), 1280}, {AT(float_operations), 2560}, {AT(blocks), 2}, {AT(warps), 4}}},
    {"fmas", 1, 7, 10, {{AT(fma_operations), 70}, {AT(global_store_bytes), 28}}},
    {"diverge",
     1,
     64,
     0,
     {{AT(branches), 2},
      {AT(divergent_branches), 1},
      {AT(barriers), 2},
      {AT(warp_barriers), 2},
      {AT(global_store_bytes), 256 + 32}}},
};

static void test_count(const struct count_case *c)
{
    char wrong[2600] = "", name[96];
    gpu g;
    sim_result out;
    memset(&out, 0, sizeof out);
    run r = {c->kernel, c->grid, c->block, c->n, 0, SIM_COUNT_MEMORY | SIM_COUNT_LINES, 1, false, 4096};
    if (strcmp(c->kernel, "shared_stride")) r.shared = 0;
    snprintf(name, sizeof name, "%s %d", c->kernel, c->n);
    if (gpu_open(&g, "tests/check/counts.ptx", wrong, sizeof wrong) && !go(&g, &r, &out, wrong, sizeof wrong)) {
        if (out.fault_count) snprintf(wrong, sizeof wrong, "faulted: %s", list(&out));
        for (int i = 0; i < 6 && c->want[i].id; i++) {
            uint64_t got;
            memcpy(&got, (const char *)&out.total + c->want[i].at, sizeof got);
            size_t used = strlen(wrong);
            if (got != c->want[i].value)
                snprintf(wrong + used, sizeof wrong - used, "%s is %llu, not %llu; ", c->want[i].id,
                         (unsigned long long)got, (unsigned long long)c->want[i].value);
        }
        /* the rows per line add up to the total */
        uint64_t sum = 0;
        for (int i = 0; i < out.line_count; i++) sum += out.lines[i].c.warp_instructions;
        if (!wrong[0] && (sum != out.total.warp_instructions || !out.line_count))
            snprintf(wrong, sizeof wrong, "lines do not add up");
    }
    nothing_wrong(name, wrong);
    sim_result_free(&out);
    gpu_close(&g);
}

/* ---- the place that is reported ---- */

static void test_place(void)
{
    char wrong[2600] = "";
    gpu g;
    sim_result out;
    memset(&out, 0, sizeof out);
    run r = {"place", 3, 64, 1 << 20, 0, 0, 1, false, 0};
    if (gpu_open(&g, "tests/check/counts.ptx", wrong, sizeof wrong) && !go(&g, &r, &out, wrong, sizeof wrong)) {
        const sim_fault *f = out.fault_count == 1 ? &out.faults[0] : NULL;
        if (!f || f->kind != SIM_FAULT_OUT_OF_BOUNDS || !f->at.file || strcmp(f->at.file, "counts.cu") ||
            !line_says("tests/check/counts.cu", f->at.line, "a[i] = 1;") || f->at.thread[0] != 37 ||
            f->at.block[0] != 0 || f->at.lanes != 1u << 5 || !f->at.inlined_into ||
            strcmp(f->at.inlined_into, "place") ||
            !line_says("tests/check/counts.cu", f->at.inlined_line, "if (T == 37) deep(a, n);") ||
            out.code != SIM_E_FAULT)
            snprintf(wrong, sizeof wrong, "got: %s, inlined into %s line %d", list(&out),
                     f && f->at.inlined_into ? f->at.inlined_into : "-", f ? f->at.inlined_line : 0);
    }
    nothing_wrong("place of a fault in an inlined function", wrong);
    sim_result_free(&out);
    gpu_close(&g);
}

/* A kernel may not free a buffer of the host. With every check on, this once freed the checkers'
 * memory twice. */
static void test_free_of_buffer(void)
{
    char wrong[2600] = "";
    run r = {"free_of_buffer", 1, 32, 0, SIM_CHECK_ALL, 0, 1, false, 0};
    gpu g;
    sim_result out;
    memset(&out, 0, sizeof out);
    if (gpu_open(&g, "tests/check/races.ptx", wrong, sizeof wrong) && !go(&g, &r, &out, wrong, sizeof wrong) &&
        (out.fault_count != 1 || out.faults[0].kind != SIM_FAULT_USE_AFTER_FREE ||
         !strstr(out.faults[0].message, "was not allocated by malloc")))
        snprintf(wrong, sizeof wrong, "%s", list(&out));
    nothing_wrong(r.kernel, wrong);
    sim_result_free(&out);
    gpu_close(&g);
}

int main(int argc, char **argv)
{
    static const int modes[] = {IN_ORDER, THREE_THREADS, TIMED, SHUFFLED, SHUFFLED + 1};
    sim_error err = {0};
    char *text = read_file("sim/cards/h200.card");
    only = argc > 1 ? argv[1] : NULL;
    if (!text || sim_card_read(&card, text, "h200", &err)) {
        printf("FAIL card: %s\n",
               text ? err.message : "cannot read sim/cards/h200.card; run this from the top of the source tree");
        return 1;
    }
    free(text);
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        for (size_t k = 0; k < sizeof modes / sizeof *modes; k++)
            if (!only || strstr(orders[i].kernel, only)) test_order(&orders[i], "tests/check/races.ptx", modes[k]);
    const int cc_major = card.cc_major;
    for (int before_volta = 0; before_volta < 2; before_volta++) {
        card.cc_major = before_volta ? 6 : cc_major;
        for (size_t i = 0; i < sizeof lucks / sizeof *lucks; i++)
            for (size_t k = 0; k < sizeof modes / sizeof *modes; k++)
                if (!only || strstr(lucks[i].kernel, only)) test_order(&lucks[i], "tests/check/luck.ptx", modes[k]);
    }
    card.cc_major = cc_major;
    for (size_t i = 0; i < sizeof shared_out / sizeof *shared_out; i++)
        if (!only || strstr(shared_out[i].kernel, only)) test_shared_out(&shared_out[i]);
    for (size_t i = 0; i < sizeof async_orders / sizeof *async_orders; i++)
        for (size_t k = 0; k < sizeof modes / sizeof *modes; k++)
            if (!only || strstr(async_orders[i].kernel, only))
                test_order(&async_orders[i], "tests/check/async.ptx", modes[k]);
    for (size_t i = 0; i < sizeof inits / sizeof *inits; i++)
        if (!only || strstr(inits[i].kernel, only)) test_init(&inits[i]);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (!only || strstr(counts[i].kernel, only)) test_count(&counts[i]);
    if (!only || strstr("place", only)) test_place();
    if (!only || strstr("free_of_buffer", only)) test_free_of_buffer();
    return check_end();
}
