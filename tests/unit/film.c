/* film.c: a film tells what the run did, and a reel gives it back, forwards and backwards, whatever
 * its file holds. */
#include "run/film.h"
#include "check.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Thread t of a block of 64: tile[t] = 3 i; after a barrier v = tile[63 - t]; odd threads add 1000;
 * then out[i] = v + 0 + 1 + 2 + 3 from a loop. i counts over all blocks. */
static const char kernel[] = ".version 6.3\n.target sm_50\n.address_size 64\n"
                             ".visible .entry work(.param .u64 work_param_0, .param .u32 work_param_1)\n{\n"
                             ".reg .pred %p<3>; .reg .b32 %r<16>; .reg .b64 %rd<8>;\n"
                             ".shared .align 4 .u32 tile[64];\n"
                             "ld.param.u64 %rd1, [work_param_0];\n"
                             "ld.param.u32 %r10, [work_param_1];\n"
                             "cvta.to.global.u64 %rd2, %rd1;\n"
                             "mov.u32 %r1, %tid.x;\n"
                             "mov.u32 %r2, %ctaid.x;\n"
                             "mad.lo.s32 %r3, %r2, 64, %r1;\n"
                             "mul.lo.s32 %r4, %r3, 3;\n"
                             "mul.wide.u32 %rd3, %r1, 4;\n"
                             "mov.u64 %rd4, tile;\n"
                             "add.s64 %rd5, %rd4, %rd3;\n"
                             "st.shared.u32 [%rd5], %r4;\n"
                             "bar.sync 0;\n"
                             "sub.s64 %rd6, %rd4, %rd3;\n"
                             "ld.shared.u32 %r5, [%rd6+252];\n"
                             "and.b32 %r6, %r1, 1;\n"
                             "setp.eq.u32 %p1, %r6, 0;\n"
                             "@%p1 bra EVEN;\n"
                             "add.s32 %r5, %r5, 1000;\n"
                             "EVEN:\n"
                             "mov.u32 %r7, 0;\n"
                             "LOOP:\n"
                             "add.s32 %r5, %r5, %r7;\n"
                             "add.s32 %r7, %r7, 1;\n"
                             "setp.lt.u32 %p2, %r7, %r10;\n"
                             "@%p2 bra LOOP;\n"
                             "mul.wide.u32 %rd3, %r3, 4;\n"
                             "add.s64 %rd7, %rd2, %rd3;\n"
                             "st.global.u32 [%rd7], %r5;\n"
                             "ret;\n}\n";

enum { BLOCKS = 40, THREADS = 64, WORDS = BLOCKS * THREADS, TURNS = 4 };

static uint32_t expected(uint32_t i)
{
    const uint32_t t = i % THREADS, first = i - t;
    return 3 * (first + 63 - t) + (t & 1 ? 1000 : 0) + 0 + 1 + 2 + 3;
}

typedef struct run {
    sim *s;
    sim_module *m;
    sim_card card;
    sim_result r;
    uint64_t out;
    uint32_t result[WORDS];
} run;

static char *read_card(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "sim/cards/%s.card", name);
    FILE *f = fopen(path, "r");
    if (!f) return NULL;
    char *text = calloc(1, 1 << 20);
    if (text && !fread(text, 1, (1 << 20) - 1, f)) text[0] = 0;
    fclose(f);
    return text;
}

/* One launch with or without a film. False: it could not run. */
static bool launch(run *x, const char *card, uint32_t blocks, uint64_t out_bytes, const film_request *q,
                   const char *text)
{
    sim_error err = {0};
    char *of_card = read_card(card);
    memset(x, 0, sizeof *x);
    if (!of_card || sim_card_read(&x->card, of_card, card, &err) || sim_open(&x->s, &x->card, &err)) {
        printf("%s: %s\n", card, err.message);
        free(of_card);
        return false;
    }
    free(of_card);
    sim_keep_names(x->s, q != NULL);
    if (sim_alloc(x->s, out_bytes, "out", &x->out, &err) || sim_load(x->s, "work", text, strlen(text), &x->m, &err)) {
        printf("%s\n", err.message);
        return false;
    }
    struct {
        uint64_t out;
        uint32_t turns;
    } params = {x->out, TURNS};
    sim_launch l = {.kernel = "work",
                    .grid = {blocks, 1, 1},
                    .block = {THREADS, 1, 1},
                    .params = &params,
                    .param_bytes = 12,
                    .timed = true,
                    .exact = true,
                    .counts = SIM_COUNT_MEMORY};
    const struct film_buffer buffer = {.name = "out", .type = "u32", .address = x->out, .bytes = out_bytes};
    film_writer *w = q ? film_begin(q, &x->card, x->m, &l, &buffer, 1) : NULL;
    const int code = sim_run(x->s, x->m, &l, &x->r, &err);
    film_end(w);
    if (out_bytes >= sizeof x->result) sim_read(x->s, x->out, x->result, sizeof x->result, &err);
    return !code;
}

static void over(run *x)
{
    sim_result_free(&x->r);
    sim_close(x->s);
}

static film_request want(uint32_t block)
{
    return (film_request){.file = film_file(), .launch = 1, .at = {block, 0, 0}, .most = 64 << 20};
}

static const reel_operand *operand_named(const reel *r, const reel_insn *in, const char *name)
{
    for (uint32_t i = 0; i < in->operands; i++)
        if (!strcmp(r->operand[in->operand + i].name, name)) return &r->operand[in->operand + i];
    return NULL;
}

/* What the frames say of the registers is what the run stored. */
static void check_values(reel *r, uint32_t block)
{
    uint32_t stores = 0, right = 0, barriers = 0, splits = 0;
    for (uint32_t i = 0; i < r->steps; i++) {
        const reel_row *row = &r->row[r->step[i]];
        const reel_insn *in = &r->insn[row->pc];
        barriers += in->cls == SIM_CLASS_BARRIER;
        splits += in->cls != SIM_CLASS_BRANCH && row->lanes != UINT32_MAX;
        if (in->cls != SIM_CLASS_GLOBAL_STORE) continue;
        const reel_operand *o = operand_named(r, in, "%r5");
        const reel_state *s = reel_before(r, i);
        stores++;
        for (int l = 0; o && s && l < 32; l++)
            right += reel_value(r, s, row->warp, row->frame, o, l) ==
                     expected(block * THREADS + row->warp * 32 + (uint32_t)l);
    }
    check(stores == 2 && right == 64, "the value that each lane stores is in its register");
    check(barriers == 2, "two warps come to the barrier");
    check(splits == 2, "one instruction of each warp is for 16 lanes: the addition of 1000");
}

static void check_shared(reel *r, uint32_t block)
{
    const reel_state *s = r->steps ? reel_after(r, r->steps - 1) : NULL;
    uint32_t right = 0, word;
    check(r->shareds == 1 && !strcmp(r->shared[0].name, "tile"), "the shared array has its name");
    for (uint32_t t = 0; s && r->shareds && t < 64; t++) {
        memcpy(&word, s->shared + r->shared[0].from + 4 * t, 4);
        right += word == 3 * (block * THREADS + t);
    }
    check(right == 64, "shared memory holds in the end what was stored there");
}

static uint64_t hash_state(const reel *r, const reel_state *s)
{
    uint64_t h = 14695981039346656037u;
    const struct {
        const char *at;
        size_t bytes;
    } parts[] = {{s->registers, (size_t)r->warps * r->register_bytes}, {s->shared, r->shared_bytes}};
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < parts[k].bytes; i++) h = (h ^ (unsigned char)parts[k].at[i]) * 1099511628211u;
    return h;
}

static void check_back(reel *r)
{
    uint64_t *forth = calloc(r->steps + 1, sizeof *forth);
    uint32_t same = 0;
    for (uint32_t i = 0; forth && i < r->steps; i++) {
        const reel_state *s = reel_after(r, i);
        forth[i] = s ? hash_state(r, s) : 0;
    }
    for (uint32_t i = r->steps; forth && i-- > 0;) {
        const reel_state *s = reel_after(r, i);
        same += s && hash_state(r, s) == forth[i];
    }
    check(r->steps > 50 && same == r->steps, "each state is the same on the way back");
    free(forth);
}

static void check_order(const reel *r)
{
    bool ascends = true;
    for (uint32_t i = 1; i < r->rows; i++) ascends &= r->row[i].clock >= r->row[i - 1].clock;
    check(ascends, "moments come in the order of the clock");
}

/* A grid of one block: all that the launch counted is in its film. */
static void check_counts(const char *card)
{
    run x;
    film_request q = want(0);
    if (!launch(&x, card, 1, WORDS * 4, &q, kernel)) {
        check(false, "the kernel runs with a film");
        return;
    }
    reel *r = reel_open(q.file);
    while (reel_read(r)) continue;
    uint64_t waited[SIM_STALLS] = {0}, instructions = 0;
    for (int k = 0; k < SIM_CLASSES; k++) instructions += x.r.total.by_class[k];
    for (uint32_t i = 0; i < r->rows; i++) waited[r->row[i].cause] += r->row[i].waited;
    check(r->steps == instructions, "as many steps as the launch counted instructions");
    uint64_t slots = 0, held = 0, queued = 0;
    for (uint32_t i = 0; i < r->rows; i++) {
        slots += r->row[i].slot;
        held += r->row[i].held;
        queued += r->row[i].queued;
    }
    const uint64_t *counted = x.r.total.by_stall;
    check(slots == counted[SIM_STALL_ISSUE], "the clocks of issuing are those that the launch counted");
    check(waited[SIM_STALL_ARITHMETIC] + held == counted[SIM_STALL_ARITHMETIC], "the same waits for arithmetic");
    check(waited[SIM_STALL_SLOT] + queued == counted[SIM_STALL_SLOT], "the same clocks for others that go first");
    check(waited[SIM_STALL_BARRIER] == counted[SIM_STALL_BARRIER], "the same waits at the barrier");
    double mean = 0;
    const double all = (double)x.r.cycles * r->schedulers;
    for (int i = 0; i < SIM_OVER_TIME; i++) mean += x.r.usage.over_time[i] / (double)SIM_OVER_TIME;
    check(fabs(mean - 100 * (double)slots / all) < 1, "the picture over time has the same share of issuing");
    const reel_row *last = &r->row[r->rows - 1];
    check(last->kind == SIM_MOMENT_END && last->clock <= x.r.cycles && last->clock + 700 >= x.r.cycles,
          "it ends with its block, within the launch's cycles");
    reel_close(r);
    over(&x);
}

static void check_card(const char *card, uint32_t block)
{
    run plain, x;
    film_request q = want(block);
    const bool ran =
        launch(&plain, card, BLOCKS, WORDS * 4, NULL, kernel) && launch(&x, card, BLOCKS, WORDS * 4, &q, kernel);
    check(ran, "the kernel runs");
    if (!ran) return;
    uint32_t right = 0;
    for (uint32_t i = 0; i < WORDS; i++) right += x.result[i] == expected(i);
    check(right == WORDS, "a filmed launch computes the same");
    check(plain.r.cycles == x.r.cycles, "a film does not change the clock");
    reel *r = reel_open(q.file);
    while (reel_read(r)) continue;
    check(r->begun && !r->problem[0] && r->number == block && r->warps == 2, "the film can be read");
    check(r->multiprocessor == block % (uint32_t)r->multiprocessors,
          "blocks of the first wave are dealt to the multiprocessors in turn");
    check_values(r, block);
    check_shared(r, block);
    check_order(r);
    check_back(r);
    reel_close(r);
    over(&plain);
    over(&x);
    check_counts(card);
}

/* ---- what else may happen ---- */

static void check_fault(void)
{
    run x;
    film_request q = want(1);
    if (!launch(&x, "8800gt", 2, THREADS * 4, &q, kernel)) return; /* room for the first block alone */
    reel *r = reel_open(q.file);
    while (reel_read(r)) continue;
    const reel_row *last = r->steps ? &r->row[r->step[r->steps - 1]] : NULL;
    check(x.r.code == SIM_E_FAULT && last && last->kind == SIM_MOMENT_FAULT &&
              r->insn[last->pc].cls == SIM_CLASS_GLOBAL_STORE,
          "the last step is the one at fault");
    reel_close(r);
    over(&x);
}

static void check_short(void)
{
    run x;
    film_request q = want(0);
    q.most = 6000;
    if (!launch(&x, "8800gt", 2, WORDS * 4, &q, kernel)) return;
    reel *r = reel_open(q.file);
    while (reel_read(r)) continue;
    check(x.r.code == SIM_E_STOPPED && r->begun && !r->problem[0] && r->steps,
          "a film that may not grow ends the launch");
    reel_close(r);
    over(&x);
}

static void check_outside(void)
{
    run x;
    film_request q = want(7);
    sim_launch l = {.grid = {2, 1, 1}};
    memset(&x, 0, sizeof x);
    check(!film_begin(&q, &x.card, NULL, &l, NULL, 0), "a block outside of the grid has no film");
    close(q.file);
}

/* Any byte of the file may be wrong. */
static void check_damage(void)
{
    run x;
    film_request q = want(3);
    if (!launch(&x, "8800gt", BLOCKS, WORDS * 4, &q, kernel)) return;
    struct stat st;
    fstat(q.file, &st);
    unsigned char *all = malloc((size_t)st.st_size);
    const bool whole = all && pread(q.file, all, (size_t)st.st_size, 0) == st.st_size;
    uint64_t seed = 1;
    int read = 0;
    for (int turn = 0; whole && turn < 400; turn++) {
        unsigned char *bad = malloc((size_t)st.st_size);
        memcpy(bad, all, (size_t)st.st_size);
        for (int n = 0; n <= turn % 5; n++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            bad[(seed >> 20) % (uint64_t)st.st_size] = (unsigned char)(seed >> 56);
        }
        int file = film_file();
        if (write(file, bad, (size_t)st.st_size) != st.st_size) abort();
        reel *r = reel_open(file);
        while (reel_read(r)) continue;
        for (uint32_t i = 0; i < r->steps; i += 7) reel_after(r, i);
        film_moment *m = malloc(sizeof *m);
        for (uint32_t i = 0; i < r->steps; i += 3) reel_moment(r, i, m);
        free(m);
        free(bad);
        reel_close(r);
        read++;
    }
    check(read == 400, "a damaged film is read or refused");
    free(all);
    close(q.file);
    over(&x);
}

int main(void)
{
    check_card("8800gt", 0);
    check_card("8800gt", 17);
    check_card("h200", 0);
    check_card("h200", 39);
    check_card("gtx1050", 5);
    check_fault();
    check_short();
    check_outside();
    check_damage();
    return check_end();
}
