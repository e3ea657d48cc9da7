/* run.c: throws damaged kernels and wild arguments at the simulator. Nothing may crash, hang or
 * read out of bounds; what a kernel does wrong must be a fault.
 *
 *     build/.../tests/fuzz/run SECONDS SEED FILE.ptx...
 *
 * It takes a module and changes a few tokens. Most changes keep it loadable: another register,
 * opcode suffix or number, a line dropped, repeated or moved. It loads the module and launches one
 * kernel with random grid, arguments, checks and host threads. Every launch has a limit of
 * instructions and of time. With -k FILE the current text is kept in FILE, so that a crash leaves
 * its cause behind; run it with that file and SECONDS 0 to see the crash again. Build it with
 * sanitizers.
 */
#include "sim.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 1 << 20 };
static uint64_t state;
static uint64_t any(uint64_t below)
{
    uint64_t z = state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return below ? (z ^ z >> 31) % below : 0;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static char *read_file(const char *name)
{
    FILE *f = fopen(name, "rb");
    char *text = calloc(1, MOST);
    if (!f || !text) {
        fprintf(stderr, "cannot read %s\n", name);
        exit(2);
    }
    text[fread(text, 1, MOST / 2, f)] = 0;
    fclose(f);
    return text;
}

static bool in_word(char c)
{
    return c == '_' || c == '%' || c == '$' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
}

/* A token begins at p: its length. */
static size_t token(const char *p)
{
    size_t n = 0;
    if (!in_word(*p)) return *p ? 1 : 0;
    while (in_word(p[n])) n++;
    return n;
}

static size_t some_token(const char *text, size_t length, size_t *size)
{
    size_t at = any(length);
    while (at && in_word(text[at]) && in_word(text[at - 1])) at--;
    *size = token(text + at);
    return at;
}

static void splice(char *text, size_t *length, size_t at, size_t drop, const char *put, size_t n)
{
    if (*length - drop + n + 1 >= MOST) return;
    memmove(text + at + n, text + at + drop, *length - at - drop + 1);
    memcpy(text + at, put, n);
    *length += n - drop;
}

static const char *const words[] = {"0",        "1",          "-1",
                                    "31",       "32",         "64",
                                    "255",      "4294967295", "0x8000000000000000",
                                    "u8",       "s16",        "u32",
                                    "s64",      "f32",        "f64",
                                    "b16",      "b64",        "pred",
                                    "f16",      "f16x2",      "bf16",
                                    "global",   "shared",     "local",
                                    "const",    "param",      "v2",
                                    "v4",       "rn",         "rz",
                                    "ftz",      "sat",        "wide",
                                    "hi",       "cc",         "sync",
                                    "volatile", "acquire",    "gpu",
                                    "add",      "sub",        "mul",
                                    "mad",      "div",        "rem",
                                    "shl",      "shr",        "bra",
                                    "ret",      "exit",       "bar",
                                    "shfl",     "vote",       "atom",
                                    "red",      "ld",         "st",
                                    "mov",      "cvt",        "setp",
                                    "selp",     "call",       "%tid",
                                    "%laneid",  "0f7FC00000", "0d7FF0000000000000",
                                    "trap",     "membar",     "lt",
                                    "eq"};

static void change(char *text, size_t *length)
{
    size_t n, m, at = some_token(text, *length, &n), from = some_token(text, *length, &m);
    char copy[256];
    switch (any(8)) {
    case 0:
    case 1:
    case 2: /* a token becomes another token of the text */
        if (m > sizeof copy || !n) return;
        memcpy(copy, text + from, m);
        splice(text, length, at, n, copy, m);
        return;
    case 3: {
        const char *w = words[any(sizeof words / sizeof *words)];
        splice(text, length, at, n, w, strlen(w));
        return;
    }
    case 4: /* a register becomes its neighbour */
        if (n > 2 && text[at] == '%' && text[at + n - 1] >= '0' && text[at + n - 1] <= '9')
            text[at + n - 1] = (char)('0' + any(10));
        return;
    default: { /* a line is dropped, repeated or moved */
        while (from && text[from - 1] != '\n') from--;
        size_t line = strcspn(text + from, "\n");
        if (line + 1 > sizeof copy) return;
        memcpy(copy, text + from, line);
        copy[line] = '\n';
        size_t kind = any(3);
        if (kind != 1) splice(text, length, from, line + (text[from + line] == '\n'), "", 0);
        if (kind == 0) return;
        at = any(*length);
        while (at && text[at - 1] != '\n') at--;
        splice(text, length, at, 0, copy, line + 1);
    }
    }
}

static long loaded, ran, faulted, stopped, tried;
static double slowest;

static void attempt(sim *s, const char *text, size_t length)
{
    sim_error e = {0};
    sim_module *m;
    tried++;
    if (sim_load(s, "fuzz.ptx", text, length, &m, &e)) return;
    loaded++;
    uint64_t a = 0, b = 0;
    sim_alloc(s, 4096, "a", &a, &e);
    sim_alloc(s, 1 + any(70000), "b", &b, &e);
    char zeros[4096] = {0};
    sim_write(s, a, zeros, sizeof zeros, &e);
    for (int i = 0; i < sim_kernels(m) && i < 3; i++) {
        const sim_kernel *k = sim_kernel_at(m, (int)any((uint64_t)sim_kernels(m)));
        uint64_t params[512];
        for (size_t p = 0; p < sizeof params / sizeof *params; p++)
            params[p] = any(4) == 0 ? any(0) : any(3) == 0 ? any(300) : any(2) ? a : b;
        sim_launch l = {.kernel = k->name,
                        .grid = {1 + (uint32_t)any(5), 1 + (uint32_t)any(2), 1},
                        .params = params,
                        .param_bytes = k->param_bytes <= sizeof params ? k->param_bytes : sizeof params,
                        .shared_bytes = (uint32_t)any(2) * 2048,
                        .checks = (unsigned)any(8),
                        .counts = (unsigned)any(4),
                        .host_threads = 1 + (int)any(3),
                        .cooperative = any(4) == 0,
                        .timed = sim_card_of(s)->timing.known && any(2),
                        .max_instructions = 20000,
                        .max_seconds = 5,
                        .max_output = 4096};
        l.block[0] = 1 + (uint32_t)any(any(2) ? 100 : 34);
        l.block[1] = 1 + (uint32_t)any(3);
        l.block[2] = 1;
        sim_result r;
        double begin = now();
        if (sim_run(s, m, &l, &r, &e)) continue;
        ran++;
        faulted += r.code == SIM_E_FAULT;
        stopped += r.code == SIM_E_STOPPED;
        if (now() - begin > slowest) slowest = now() - begin;
        sim_result_free(&r);
    }
    sim_free(s, a, &e);
    sim_free(s, b, &e);
    sim_unload(s, m);
}

int main(int argc, char **argv)
{
    const char *keep = NULL;
    if (argc > 2 && !strcmp(argv[1], "-k")) {
        keep = argv[2];
        argc -= 2;
        argv += 2;
    }
    if (argc < 4) {
        fprintf(stderr, "usage: run [-k FILE] SECONDS SEED FILE.ptx...\n");
        return 2;
    }
    double end = now() + atof(argv[1]);
    state = strtoull(argv[2], NULL, 10);
    char *h200 = read_file("sim/cards/h200.card"), *with_clock = read_file("sim/cards/8800gt.card"),
         *text = calloc(1, MOST);
    sim_card card[2];
    sim_error e = {0};
    if (!text || sim_card_read(&card[0], h200, "h200", &e) || sim_card_read(&card[1], with_clock, "8800gt", &e))
        return 2;
    card[0].memory_bytes = card[1].memory_bytes = 1 << 28;
    int files = argc - 3;
    char **corpus = calloc((size_t)files, sizeof *corpus);
    for (int i = 0; corpus && i < files; i++) corpus[i] = read_file(argv[3 + i]);
    sim *s = NULL;
    int kept = 0; /* the number of files tried unchanged */
    do {
        if (tried % 200 == 0) {
            sim_close(s);
            if (sim_open(&s, &card[any(2)], &e)) return 2;
        }
        const bool as_it_is = kept < files;
        const char *from = as_it_is ? corpus[kept++] : corpus[any((uint64_t)files)];
        size_t length = strlen(from);
        memcpy(text, from, length + 1);
        for (uint64_t n = atof(argv[1]) > 0 && !as_it_is ? 1 + any(any(3) ? 3 : 20) : 0; n; n--) change(text, &length);
        if (!as_it_is && any(50) == 0) length = any(length);
        text[length] = 0;
        if (keep) {
            FILE *f = fopen(keep, "wb");
            if (f) {
                fwrite(text, 1, length, f);
                fclose(f);
            }
        }
        attempt(s, text, length);
    } while (now() < end || kept < files);
    sim_close(s);
    printf("%ld texts, %ld loaded, %ld launches, %ld faulted, %ld ran out of time; the slowest launch took %.2f s\n",
           tried, loaded, ran, faulted, stopped, slowest);
    for (int i = 0; i < files; i++) free(corpus[i]);
    free(corpus);
    free(text);
    free(h200);
    free(with_clock);
    return 0;
}
