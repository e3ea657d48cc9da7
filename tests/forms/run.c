/* run.c: compares every form of every instruction on the simulator with a real card, bit for bit. Forms: see forms.h.
 *
 *     run check FILES...         simulate on each instruction set; compare with FILE.h100 and FILE.h200, the
 *                                results of real cards (record.c)
 *     run gpu FILES...           run on the GPU too and compare
 *     run ptx DIR FILES...       write the modules to DIR, for ptxas
 *     run values FILES...        compare with FILE.values, some results of a card (record -v)
 *     run timed CARDS FILES...   run a block with the clock of each card (*.card; -CARD: without the
 *                                keys that a card may leave out), and without; compare
 *     run some CARDS FILES...    likewise, all on every card that have sequences of their own there, and one of
 *                                three others on one of them */
#include "../unit/isa.h"
#include "ptx.h"
#include <inttypes.h>
#include <math.h>

static uint64_t *out_sim, *out_gpu;
static bool one_block, with_clock; /* of run_sim */

static uint32_t grid_blocks(const form *f) { return !one_block ? N / BLOCK : f->cluster ? (uint32_t)f->cluster : 1; }

enum outcome { ENDS, STOPS, REFUSED };

/* ---- the simulator ---- */
static sim *open_sim(void)
{
    static const char card[] =
        "title: test card\ncc_major: 9\ncc_minor: 0\nmultiprocessors: 4\nclock_khz: 1000000\n"
        "max_threads_per_block: 1024\n"
        "max_threads_per_mp: 2048\nmax_warps_per_mp: 64\nmax_blocks_per_mp: 32\nregisters_per_mp: 65536\n"
        "max_registers_per_thread: 255\n"
        "shared_per_block: 49152\nshared_per_mp: 98304\nbanks: 32\nmax_grid_x: 2147483647\nmax_grid_y: 65535\n"
        "max_grid_z: 65535\n"
        "max_block_x: 1024\nmax_block_y: 1024\nmax_block_z: 64\nmemory_bytes: 1073741824\n";
    sim_error e = {0};
    sim_card c;
    sim *s = NULL;
    if (sim_card_read(&c, card, "test", &e) || sim_open(&s, &c, &e)) die("%s", e.message);
    return s;
}

static enum outcome run_sim(sim *s, sim_module *m, const form *f, const uint64_t at[4], const char *kernel, bool quiet)
{
    sim_error e = {0};
    sim_result r;
    _Alignas(64) unsigned char params[192] = {0};
    memcpy(params, at, 32);
    if (has_tensor(f)) {
        tensor t;
        draw_tensor(f, &t);
        sim_tensor_map map = {.type = t.type,
                              .rank = t.rank,
                              .address = at[t.base] + t.offset,
                              .interleave = t.interleave,
                              .swizzle = t.swizzle,
                              .promotion = t.promotion,
                              .fill = t.fill};
        memcpy(map.dim, t.dim, sizeof map.dim);
        memcpy(map.stride, t.stride, sizeof map.stride);
        memcpy(map.box, t.box, sizeof map.box);
        memcpy(map.step, t.step, sizeof map.step);
        if (sim_tensor_map_encode(&map, params + 64, &e)) goto no;
    }
    const size_t bytes = (size_t)grid_blocks(f) * BLOCK * 8;
    for (int o = 0; o < 3; o++) sim_write(s, at[o], inputs[o], bytes, &e);
    if (one_block) memset(out_sim, 0, bytes), sim_write(s, at[3], out_sim, bytes, &e);
    sim_launch l = {.kernel = kernel,
                    .grid = {grid_blocks(f), 1, 1},
                    .block = {BLOCK, 1, 1},
                    .params = params,
                    .param_bytes = has_tensor(f) ? 192 : 32,
                    .host_threads = 1,
                    .timed = with_clock};
    if (sim_run(s, m, &l, &r, &e)) goto no;
    const bool ok = r.code == SIM_OK && (!with_clock || r.cycles > 0);
    if (!ok && !quiet) printf("FAIL %s [%s]: %s\n", kernel, isa, r.fault_count ? r.faults[0].message : "stopped");
    sim_result_free(&r);
    sim_read(s, at[3], out_sim, bytes, &e);
    return ok ? ENDS : STOPS;
no:
    if (!quiet) printf("FAIL %s [%s]: %s\n", kernel, isa, e.message);
    return REFUSED;
}

/* ---- comparison ---- */
static double ulps(const char *t, uint64_t a, uint64_t b)
{
    double x = as_double(t, a), y = as_double(t, b);
    if (isnan(x) && isnan(y)) return 0;
    if (a == b || x == y) return 0;
    if (isnan(x) || isnan(y) || isinf(x) || isinf(y)) return INFINITY;
    int m = !strcmp(t, "f64")   ? 52
            : !strcmp(t, "f32") ? 23
            : t[0] == 'b'       ? 7
                                : 10,
        least = !strcmp(t, "f64")   ? -1074
                : !strcmp(t, "f16") ? -24
                : t[0] == 'b'       ? -133
                                    : -149,
        e;
    frexp(fabs(x) > fabs(y) ? x : y, &e);
    e = e - 1 - m < least ? least : e - 1 - m;
    return fabs(x - y) / ldexp(1, e);
}
static void compare(form *f)
{
    int bad = 0, first = -1;
    double worst = 0, furthest = 0;
    for (int i = 0; i < N; i++) {
        if (f->ulp > 0) {
            double u = ulps(f->type[0], out_sim[i], out_gpu[i]), x = as_double(f->type[1], inputs[0][i]);
            double off = fabs(as_double(f->type[0], out_sim[i]) - as_double(f->type[0], out_gpu[i]));
            if (f->range > 0 && fabs(x) > f->range) continue;
            if (f->abs > 0 && off <= f->abs) {
                if (off > furthest) furthest = off;
                continue;
            }
            if (u > worst) worst = u;
            if (u <= f->ulp) continue;
        } else if (canonical(f, out_sim[i]) == canonical(f, out_gpu[i])) {
            continue;
        }
        if (first < 0) first = i;
        bad++;
    }
    if (f->ulp > 0 && !bad)
        printf("ok   %s: within %.3g ulp (bound %.3g) or %.3g (bound %.3g) of the card\n", f->text, worst, f->ulp,
               furthest, f->abs);
    if (!bad) return;
    f->bad = true;
    printf("FAIL %s: %d of %d differ; a=%" PRIx64 " b=%" PRIx64 " c=%" PRIx64 " card %" PRIx64 " sim %" PRIx64, f->text,
           bad, N, inputs[0][first], inputs[1][first], inputs[2][first], out_gpu[first], out_sim[first]);
    if (f->ulp > 0) printf(" worst %.3g ulp", worst);
    putchar('\n');
}

/* ---- what a card answered ---- */
/* Some results of the form from FILE.values, whose forms come in the order of FILE.txt. */
static bool kept_values(const form *f)
{
    static FILE *file;
    static char open_name[256];
    const char *name = card_file(f->file, "values");
    if (strcmp(open_name, name)) {
        if (file) fclose(file);
        snprintf(open_name, sizeof open_name, "%s", name);
        file = fopen(name, "rb");
    }
    const long before = file ? ftell(file) : 0;
    uint32_t bytes;
    static char form_text[LONGEST];
    while (file && fread(&bytes, 4, 1, file) == 1 && bytes < sizeof form_text &&
           fread(form_text, 1, bytes, file) == bytes) {
        form_text[bytes] = 0;
        if (!strcmp(form_text, f->text)) {
            uint64_t v[KEPT];
            if (fread(v, 8, KEPT, file) != KEPT) return false;
            memcpy(out_gpu, out_sim, N * 8);
            for (int k = 0; k < KEPT; k++) out_gpu[kept(k)] = v[k];
            return true;
        }
        fseek(file, KEPT * 8L, SEEK_CUR);
    }
    if (file) fseek(file, before, SEEK_SET);
    return false;
}

static void check_form(form *f)
{
    if (f->ulp > 0) return;
    bool any = false, differs = false;
    for (int i = 0; i < CARDS; i++)
        if (f->recorded[i]) any = true, differs |= hash(f, out_sim) != f->hash[i];
    f->waits = !any;
    if (f->fails) return;
    if (differs)
        printf("FAIL %s [%s]: differs from the recorded results of a real card\n", f->text, isa), f->bad = true;
}

enum mode { CHECK, CARD, VALUES };

static void run_form(sim *s, form *f, const uint64_t at[4], enum mode mode, sim_module *m, void *g, const char *kernel)
{
    sim_error e = {0};
    sim_module *one = m;
    void *on_card = g;
    char *own = NULL;
    if (!m || (mode == CARD && !g)) { /* a form is refused: load each alone, to see which */
        own = single_text(f, atoi(kernel + 1));
        if (!m && sim_load(s, "forms", own, strlen(own), &one, &e))
            printf("FAIL %s: refused: %s\n", f->text, e.message), f->bad = true, one = NULL;
        if (mode == CARD && !g && !(on_card = load_card(own))) printf("card refuses %s\n", f->text);
    }
    fill(f, N);
    const bool simulated = one && run_sim(s, one, f, at, kernel, f->fails) == ENDS;
    if (one && simulated == f->fails)
        printf(f->fails ? "FAIL %s: a card refuses it\n" : "     in %s\n", f->text), f->bad = true;
    if (simulated && mode == CHECK) check_form(f);
    if (mode == CARD && on_card) {
        if (!run_card(f, on_card, kernel, out_gpu)) die("%s fails on the card", f->text);
        if (simulated) compare(f);
    }
    if (mode == VALUES && simulated && kept_values(f)) compare(f);
    if (own && one) sim_unload(s, one);
    if (own && on_card) unload_card(on_card);
    free(own);
}

/* All forms on one simulator. */
static void run_forms(enum mode mode)
{
    sim *s = open_sim();
    sim_error e = {0};
    uint64_t at[4];
    for (int i = 0; i < 4; i++)
        if (sim_alloc(s, N * 8, "values", &at[i], &e)) die("%s", e.message);
    for (int first = 0; first < count;) {
        const int n = module_size(first);
        char *t = module_text(first, n), kernel[16];
        sim_module *m = NULL;
        if (sim_load(s, "forms", t, strlen(t), &m, &e)) m = NULL;
        void *g = mode == CARD ? load_card(t) : NULL;
        for (int i = 0; i < n; i++) {
            snprintf(kernel, sizeof kernel, "k%d", i);
            run_form(s, &forms[first + i], at, mode, m, g, kernel);
        }
        if (m) sim_unload(s, m);
        if (g) unload_card(g);
        free(t);
        first += n;
    }
    sim_close(s);
}

/* ---- with the clock of each card ---- */
enum { MOST_CARDS = 16 };
static struct timed_card {
    char name[64];
    sim_card card;
} cards[MOST_CARDS];
static int card_count, refused_timed, runs_timed, bad_timed;

static bool may_be_left_out(const char *key)
{
    static const char *const options[] = {
#define CARD_OPTION(field, least, most, otherwise, unit, meaning) #field,
#define TIME_OPTION(field, lift, by, otherwise, unit, meaning)    "time." #field,
#define TIME_INT_OPTION(field, lift, by, least, most, otherwise, unit, meaning) "time." #field,
#define HOST_OPTION(field, otherwise, unit, meaning) "host." #field,
#include "keys.def"
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (!strcmp(options[i], key)) return true;
    return false;
}

static void read_card(const char *file, bool without_options)
{
    char all[32768], line[512], key[64];
    size_t n = 0;
    sim_error e = {0};
    FILE *f = fopen(file, "r");
    if (!f || card_count == MOST_CARDS) die("cannot read %s, or too many cards", file);
    while (fgets(line, sizeof line, f)) {
        if (without_options && sscanf(line, "%63[a-z0-9_.]:", key) == 1 && may_be_left_out(key)) continue;
        n += (size_t)snprintf(all + n, sizeof all - n, "%s", line);
        if (n >= sizeof all) die("%s is too long", file);
    }
    fclose(f);
    struct timed_card *c = &cards[card_count++];
    snprintf(c->name, sizeof c->name, "%s%s", strrchr(file, '/') ? strrchr(file, '/') + 1 : file,
             without_options ? " without options" : "");
    if (sim_card_read(&c->card, all, "card", &e)) die("%s: %s", c->name, e.message);
    if (!c->card.timing.known) die("%s has no clock", c->name);
}

/* A block of the form with the clock, and without. Of old cards a block may not fit: then neither runs. */
static void run_timed_form(sim *s, const struct timed_card *c, form *f, const uint64_t at[4], sim_module *m,
                           const char *kernel)
{
    static uint64_t plain[N];
    fill(f, (int)grid_blocks(f) * BLOCK);
    with_clock = false;
    const enum outcome before = run_sim(s, m, f, at, kernel, true);
    memcpy(plain, out_sim, sizeof plain);
    with_clock = true;
    const enum outcome timed = run_sim(s, m, f, at, kernel, f->fails || before == REFUSED);
    runs_timed++;
    if (before == REFUSED) refused_timed += c->card.cc_major > 1;
    if (before == timed && (timed != ENDS || !memcmp(plain, out_sim, grid_blocks(f) * BLOCK * sizeof *plain))) return;
    printf("FAIL %s, timed on %s: %s\n", f->text, c->name,
           before != timed ? "does not end as without the clock" : "another result than without the clock");
    f->bad = true;
    bad_timed++;
}

/* Has a card's clock a sequence of instructions of its own for it? */
static bool is_sequence(const form *f)
{
    return !strncmp(f->text, "div.", 4) || !strncmp(f->text, "rem.", 4) || !strncmp(f->text, "sqrt.", 5) ||
           !strncmp(f->text, "rcp.", 4) || !strncmp(f->text, "rsqrt.", 6);
}

static void run_timed(const struct timed_card *c, bool some)
{
    sim *s = NULL;
    sim_error e = {0};
    uint64_t at[4];
    if (sim_open(&s, &c->card, &e)) die("%s: %s", c->name, e.message);
    for (int i = 0; i < 4; i++)
        if (sim_alloc(s, N * 8, "values", &at[i], &e)) die("%s", e.message);
    for (int first = 0; first < count;) {
        const int n = module_size(first);
        char *t = module_text(first, n), kernel[16];
        sim_module *m = NULL;
        if (sim_load(s, "forms", t, strlen(t), &m, &e)) die("%s: %s", c->name, e.message);
        for (int i = 0; i < n; i++) {
            snprintf(kernel, sizeof kernel, "k%d", i);
            const form *f = &forms[first + i];
            if (some && (first + i) % (3 * card_count) != c - cards && !is_sequence(f)) continue;
            if (!f->cluster || c->card.cc_major >= 9)
                run_timed_form(s, c, &forms[first + i], at, m, kernel);
        }
        sim_unload(s, m);
        free(t);
        first += n;
    }
    sim_close(s);
}

static int run_all_timed(bool some)
{
    one_block = true;
    for (int i = 0; i < card_count; i++) run_timed(&cards[i], some);
    if (refused_timed) printf("FAIL %d blocks do not fit a card that should run them\n", refused_timed), bad_timed++;
    return check_line((case_counts){.passed = (size_t)(runs_timed - bad_timed), .failed = (size_t)bad_timed});
}

static void write_modules(const char *folder)
{
    for (int first = 0; first < count; first += module_size(first)) {
        const form *f = &forms[first];
        char *t = module_text(first, module_size(first)), name[512];
        snprintf(name, sizeof name, "%s/forms-%05d-sm%d%s.ptx", folder, first, f->sm ? f->sm : 75, f->alone ? "a" : "");
        FILE *o = fopen(name, "w");
        if (!o) die("cannot write %s", name);
        fputs(t, o);
        fclose(o);
        free(t);
    }
    printf("%d forms written\n", count);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    const bool ptx = argc > 2 && !strcmp(how, "ptx");
    const int at_file = ptx ? 3 : 2;
    const bool some = !strcmp(how, "some"), timed = some || !strcmp(how, "timed");
    if (argc <= at_file || (!ptx && !timed && strcmp(how, "gpu") && strcmp(how, "check") && strcmp(how, "values")))
        die("usage: run check|gpu|values|timed|some|ptx DIR FILES...");
    forms = calloc(MOST, sizeof *forms);
    out_sim = calloc(N, 8);
    out_gpu = calloc(N, 8);
    for (int i = 0; i < 3; i++) inputs[i] = calloc(N, 8);
    if (!forms || !out_sim || !out_gpu || !inputs[2]) die("out of memory");
    for (int i = at_file; i < argc; i++)
        if (timed && strstr(argv[i], ".card")) read_card(argv[i] + (argv[i][0] == '-'), argv[i][0] == '-');
        else read_forms(argv[i]);
    if (ptx) return write_modules(argv[2]), 0;
    const bool checks = !strcmp(how, "check");
    if (!strcmp(how, "gpu")) printf("%s\n", open_card()), run_forms(CARD);
    else if (timed) return run_all_timed(some);
    else if (!checks) run_forms(VALUES);
    else
        for (isa_begin(); isa_next();) run_forms(CHECK);
    int failed = 0, waiting = 0;
    for (int i = 0; i < count; i++) failed += forms[i].bad, waiting += forms[i].waits && !forms[i].bad;
    if (checks) printf("%d forms on %d instruction sets:%s\n", count, isa_run.sets, isa_run.names);
    printf("%d forms agree, %d do not, %d have no recorded result\n", count - failed - waiting, failed, waiting);
    return failed || !count || (checks && !isa_run.sets);
}
