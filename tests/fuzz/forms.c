/* forms.c: kernels made of a few forms of instructions, damaged, on every card. Nothing may crash, hang or read out of
 * bounds; what such a kernel does wrong must be a fault, and the same one where three host threads may run it. (They
 * try the first block and then keep so short a launch to one of them; cli/isa has launches that are shared.)
 *
 *     build/.../tests/fuzz/forms [-k FILE] SECONDS SEED LIST
 *
 * LIST is tests/forms/list.txt. A form loses a suffix, takes one of another form, or gets another operand; lines are
 * guarded, and some lie in a loop. run.c damages kernels that make sense; here nothing does, but each instruction is
 * nearly one that exists. With -k FILE the current text is kept in FILE: tests/fuzz/run -k ... 0 1 FILE runs it.
 *
 * A text takes some hundredths of a second. Beside other work it may wait a hundred times as long for the processor
 * (at nice 19, say), and the time is looked at between texts only. So a signal ends a run that is GRACE seconds late:
 * with a failure if the text had the processor for as long as STUCK, else with what was found so far.
 */
#include "sim.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FORMS = 20000, LONGEST = 400, BYTES = 65536, LINES = 12, GRACE = 10, STUCK = 8 /* seconds */ };
static uint64_t state;
static uint64_t any(uint64_t below)
{
    uint64_t z = state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return below ? (z ^ z >> 31) % below : 0;
}

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static double now(void) { return seconds_of(CLOCK_MONOTONIC); }

/* ---- forms ---- */
static char (*lines)[LONGEST];
static size_t line_count, known; /* the known ones first; the others, refused as they are, may load when damaged */

static void read_list(const char *name)
{
    FILE *f = fopen(name, "r");
    lines = calloc(FORMS, sizeof *lines);
    if (!f || !lines) {
        fprintf(stderr, "cannot read %s\n", name);
        exit(2);
    }
    for (int refused = 0; refused < 2; refused++, rewind(f)) {
        while (line_count < FORMS && fgets(lines[line_count], LONGEST, f)) {
            char *line = lines[line_count];
            line[strcspn(line, "\n")] = 0;
            if (!line[0] || line[0] == '#' || (strncmp(line, "- ", 2) == 0) != refused) continue;
            memmove(line, line + 2 * refused, strlen(line + 2 * refused) + 1);
            line_count++;
        }
        if (!refused) known = line_count;
    }
    fclose(f);
    if (!known) exit(2);
}

/* A line with one of the alternatives of each {a|b}. */
static void some_form(char out[LONGEST], size_t of)
{
    strcpy(out, lines[any(of)]);
    for (char *open = out; (open = strchr(open, '{'));) {
        char *close = strchr(open, '}'), *bar = strchr(open, '|');
        if (!close || !bar || bar > close) {
            open++;
            continue;
        }
        size_t choices = 1;
        for (char *c = open; c < close; c++) choices += *c == '|';
        char *from = open + 1;
        for (uint64_t n = any(choices); n; n--) from += strcspn(from, "|") + 1;
        const size_t n = strcspn(from, "|}");
        memmove(open, from, n);
        memmove(open + n, close + 1, strlen(close + 1) + 1);
        open += n;
    }
}

/* The nth piece of the text that begins with `mark` and ends before one of `ends`; NULL: there are fewer. */
static char *piece(char *text, char mark, const char *ends, uint64_t n, size_t *size)
{
    char *at = text;
    while ((at = strchr(at, mark)) && n--) at++;
    if (at) *size = 1 + strcspn(at + 1, ends);
    return at;
}

static uint64_t count_of(const char *text, char mark)
{
    uint64_t n = 0;
    for (; *text; text++) n += *text == mark;
    return n;
}

static void replace(char text[LONGEST], char *at, size_t size, const char *by, size_t n)
{
    if (strlen(text) - size + n + 1 > LONGEST) return;
    memmove(at + n, at + size, strlen(at + size) + 1);
    memcpy(at, by, n);
}

static void damage(char text[LONGEST])
{
    char other[LONGEST];
    size_t n = 0, m = 0;
    const bool suffix = any(2);
    const char mark = suffix ? '.' : '%', *ends = suffix ? ". ,;:{" : "0123456789 ,;]}";
    some_form(other, line_count);
    char *to = piece(text, mark, ends, any(count_of(text, mark) + 1), &n),
         *from = piece(other, mark, ends, any(count_of(other, mark) + 1), &m);
    switch (any(5)) {
    case 0:
    case 1:
        if (to && from) replace(text, to, n, from, m);
        return;
    case 2:
        if (to) replace(text, to, n, "", 0);
        return;
    case 3:
        if (to && from) replace(text, to, 0, from, m);
        return;
    default: { /* an operand is another number, or an address another offset */
        static const char *const values[] = {
            "0",   "1",   "-1",  "31",      "33",      "255", "0x80000000", "0xffffffffffffffff", "0f7FC00000", "_",
            "%r9", "%d9", "%p0", "%laneid", "[%d9+4]", "lo",  "sh"};
        const char *v = values[any(sizeof values / sizeof *values)];
        char *comma = piece(text, ',', ",;", any(count_of(text, ',') + 1), &n);
        if (comma && n > 1) replace(text, comma + 1, n - 1, v, strlen(v));
    }
    }
}

static const char head[] =
    ".version 9.0\n.target sm_90a\n.address_size 64\n.extern .shared .align 16 .b8 sh[];\n"
    ".visible .entry k(.param .align 16 .b8 prm[64])\n{\n"
    ".reg .pred %p<5>; .reg .b16 %h<10>; .reg .b32 %r<10>; .reg .b64 %d<10>; .reg .f32 %f<10>;\n"
    ".reg .f64 %g<10>; .reg .b128 %q<5>; .local .align 16 .b8 lo[256];\n"
    "ld.param.u64 %d9, [prm]; mov.u64 %d8, lo; mov.u32 %r9, sh; mov.u32 %r1, %tid.x; mov.u32 %r2, %laneid;\n"
    "and.b32 %r3, %r1, 5; setp.eq.u32 %p1, %r3, 1; setp.ne.u32 %p2, %r3, 0; cvt.u64.u32 %d1, %r2; mov.u32 %r8, sh;\n"
    "cvt.rn.f32.u32 %f1, %r2; cvt.rn.f64.u32 %g1, %r2; cvt.u16.u32 %h1, %r2; mov.u32 %r7, 0;\n";

static size_t make_text(char *out, size_t size)
{
    size_t n = (size_t)snprintf(out, size, "%s", head);
    const bool loop = any(3) == 0;
    if (loop) n += (size_t)snprintf(out + n, size - n, "again:\n");
    const uint64_t count = 1 + any(LINES), damaged = any(3) ? any(count) : count;
    for (uint64_t i = 0; i < count; i++) {
        char form[LONGEST];
        some_form(form, i == damaged ? line_count : known);
        for (uint64_t k = i == damaged ? 1 + any(3) : 0; k; k--) damage(form);
        const char *guard = any(4) ? "" : any(2) ? "@%p1 " : "@!%p2 ";
        n += (size_t)snprintf(out + n, size - n, "%s%s\n", form[0] == '{' ? "" : guard, form);
    }
    if (loop)
        n +=
            (size_t)snprintf(out + n, size - n, "add.u32 %%r7, %%r7, 1; setp.lt.u32 %%p4, %%r7, 3; @%%p4 bra again;\n");
    n += (size_t)snprintf(out + n, size - n,
                          "st.global.u32 [%%d9+512], %%r0; st.global.u64 [%%d9+520], %%d0;\nret;\n}\n");
    return n;
}

/* ---- launches ---- */
static volatile long tried, loaded, ran, faulted, compared, differed;
static volatile double text_began; /* in time of the processor */
static char text[BYTES];

static void tell(const char *what, size_t n)
{
    while (n) {
        const ssize_t wrote = write(STDOUT_FILENO, what, n);
        if (wrote <= 0) return;
        what += wrote;
        n -= (size_t)wrote;
    }
}

static int summary(void)
{
    char line[200];
    const int n =
        snprintf(line, sizeof line, "%ld texts, %ld loaded, %ld launches, %ld faulted; %ld compared, %ld differ\n",
                 tried, loaded, ran, faulted, compared, differed);
    tell(line, (size_t)n);
    return differed != 0;
}

/* Of numbers and into memory of its own snprintf is safe here. */
static void late(int number)
{
    (void)number;
    char line[200];
    const double took = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - text_began;
    const bool stuck = took > STUCK;
    const int n =
        snprintf(line, sizeof line, "%sthe time is over, and text %ld, which had %d ms of the processor, is not%s",
                 stuck ? "FAIL " : "", tried, (int)(took * 1000), stuck ? ":\n" : "\n");
    tell(line, (size_t)n);
    if (stuck) tell(text, strlen(text));
    _exit(summary() || stuck);
}

typedef struct outcome {
    int code, faults;
    unsigned char memory[4096];
} outcome;

static bool launch(sim *s, sim_module *m, sim_launch l, uint64_t at, int threads, outcome *out)
{
    sim_error e = {0};
    sim_result r;
    memset(out->memory, 1, sizeof out->memory);
    sim_write(s, at, out->memory, sizeof out->memory, &e);
    sim_empty_cache(s); /* the clock, and with it who writes last, depends on what earlier launches left there */
    l.host_threads = threads;
    if (sim_run(s, m, &l, &r, &e)) return false;
    out->code = r.code;
    out->faults = r.fault_count;
    sim_result_free(&r);
    return !sim_read(s, at, out->memory, sizeof out->memory, &e);
}

static void attempt(sim *s, size_t length)
{
    static outcome one, three;
    sim_error e = {0};
    sim_module *m;
    uint64_t params[8] = {0};
    tried++;
    if (sim_load(s, "fuzz.ptx", text, length, &m, &e)) return;
    loaded++;
    if (sim_alloc(s, sizeof one.memory, "memory", &params[0], &e)) exit(2);
    const bool timed = any(2), cluster = any(4) == 0 && sim_card_of(s)->cc_major >= 9;
    sim_launch l = {.kernel = "k",
                    .grid = {2 * (1 + (uint32_t)any(3)), 1, 1},
                    .block = {any(3) ? 32 * (1 + (uint32_t)any(4)) : 1 + (uint32_t)any(70), 1 + (uint32_t)any(2), 1},
                    .cluster = {cluster ? 2 : 0, cluster, cluster},
                    .params = params,
                    .param_bytes = sizeof params,
                    .shared_bytes = (uint32_t)any(3) * 1024,
                    .checks = (unsigned)any(SIM_CHECK_ALL + 1),
                    .counts = (unsigned)any(4),
                    .timed = timed,
                    .exact = any(2),
                    .pages = any(2),
                    .shuffle = !timed && any(3) == 0 ? 1 + any(9) : 0,
                    .max_instructions = 20000,
                    .max_output = 4096};
    if (launch(s, m, l, params[0], 1, &one)) {
        ran++;
        faulted += one.code == SIM_E_FAULT;
        if (any(3) == 0 && launch(s, m, l, params[0], 3, &three)) {
            compared++;
            if (one.code != three.code || one.faults != three.faults ||
                memcmp(one.memory, three.memory, sizeof one.memory) != 0) {
                differed++;
                size_t at = 0;
                while (at < sizeof one.memory && one.memory[at] == three.memory[at]) at++;
                printf(
                    "FAIL one host thread: code %d, %d faults; three: code %d, %d faults; memory differs from byte "
                    "%zu on\non %s: grid %u, block %u x %u, cluster %u, shared %u, checks %#x, counts %#x, timed %d, "
                    "exact %d, pages %d, shuffle %llu\n%s",
                    one.code, one.faults, three.code, three.faults, at, sim_card_of(s)->name, l.grid[0], l.block[0],
                    l.block[1], l.cluster[0], (unsigned)l.shared_bytes, l.checks, l.counts, l.timed, l.exact, l.pages,
                    (unsigned long long)l.shuffle, text);
            }
        }
    }
    sim_unload(s, m);
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"8800gt", "gtx1050", "rtx2070", "h100", "h200"};
    enum { CARDS = sizeof names / sizeof *names };
    static sim_card card[CARDS];
    const char *keep = argc > 2 && !strcmp(argv[1], "-k") ? argv[2] : NULL;
    if (keep) argc -= 2, argv += 2;
    if (argc != 4) {
        fprintf(stderr, "usage: forms [-k FILE] SECONDS SEED LIST\n");
        return 2;
    }
    const double end = now() + atof(argv[1]);
    signal(SIGALRM, late);
    alarm((unsigned)(atof(argv[1]) + GRACE));
    state = strtoull(argv[2], NULL, 10);
    read_list(argv[3]);
    for (int i = 0; i < CARDS; i++) {
        sim_error e = {0};
        char name[64];
        snprintf(name, sizeof name, "sim/cards/%s.card", names[i]);
        FILE *f = fopen(name, "r");
        if (!f) return 2;
        text[fread(text, 1, sizeof text - 1, f)] = 0;
        fclose(f);
        if (sim_card_read(&card[i], text, names[i], &e)) return 2;
        card[i].memory_bytes = 1 << 28;
    }
    sim *s = NULL;
    do {
        sim_error e = {0};
        if (tried % 50 == 0) {
            sim_close(s);
            if (sim_open(&s, &card[any(CARDS)], &e)) return 2;
        }
        const size_t length = make_text(text, sizeof text);
        FILE *f = keep ? fopen(keep, "wb") : NULL;
        if (f) fwrite(text, 1, length, f), fclose(f);
        text_began = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        attempt(s, length);
    } while (now() < end);
    sim_close(s);
    free(lines);
    fflush(stdout);
    return summary();
}
