/* large.c: the host memory that a large PTX needs per instruction, to load it and to run one of its
 * kernels in timed order. One text has a kernel of many instructions, another many small kernels. A
 * child process loads each, so that the peak is that of one text. A text that would need more than
 * the limit is refused, with the size that it would need. */
#define access posix_access /* the simulator has a type of that name */
#include <unistd.h>
#undef access
#include "machine/machine.h"
#include "check.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

static void bound(bool good, const char *what, double got, double most)
{
    check_that(good, "%s: %.0f, at most %.0f", what, got, most);
}

typedef struct text {
    char *s;
    size_t n, room;
    int insns;
} text;

static void put(text *t, const char *fmt, ...) SIM_PRINTF(2, 3);
static void put(text *t, const char *fmt, ...)
{
    if (t->room - t->n < 512) {
        t->room = t->room * 2 + 4096;
        t->s = realloc(t->s, t->room);
        if (!t->s) abort();
    }
    va_list v;
    va_start(v, fmt);
    t->n += (size_t)vsnprintf(t->s + t->n, 512, fmt, v);
    va_end(v);
}

/* Loads, products and stores; after REGS registers, the names repeat. */
enum { REGS = 400 };
static void put_kernel(text *t, int k, int insns)
{
    put(t, ".visible .entry k%d(.param .u64 a)\n{\n.reg .b32 %%r<%d>; .reg .f32 %%f<%d>; .reg .b64 %%rd<4>;\n", k, REGS,
        REGS);
    put(t,
        "ld.param.u64 %%rd1, [a];\nmov.u32 %%r1, %%tid.x;\nmul.wide.u32 %%rd2, %%r1, 4;\nadd.s64 %%rd3, %%rd1, %%rd2;\n"
        "mov.f32 %%f1, 0f3F800000;\n");
    for (int i = 0; i < insns; i += 4) {
        const int r = 2 + i / 4 % (REGS - 4);
        put(t, "add.s32 %%r%d, %%r%d, %%r1;\nld.global.f32 %%f%d, [%%rd3+%d];\n", r, r - 1, r, i % 64 * 4);
        put(t, "fma.rn.f32 %%f%d, %%f%d, %%f1, %%f%d;\nxor.b32 %%r%d, %%r%d, 3;\n", r + 1, r, r, r + 1, r);
    }
    put(t, "st.global.f32 [%%rd3], %%f%d;\nret;\n}\n", REGS - 1);
    t->insns += insns + 7;
}

static text generate(int kernels, int insns)
{
    text t = {0};
    put(&t, ".version 8.3\n.target sm_90\n.address_size 64\n");
    for (int k = 0; k < kernels; k++) put_kernel(&t, k, insns);
    return t;
}

static sim *open_card(sim_error *e)
{
    static char card[1 << 16];
    sim *s = NULL;
    sim_card c;
    FILE *f = fopen("sim/cards/h200.card", "r");
    const size_t n = f ? fread(card, 1, sizeof card - 1, f) : 0;
    if (f) fclose(f);
    card[n] = 0;
    return sim_card_read(&c, card, "h200", e) || sim_open(&s, &c, e) ? NULL : s;
}

static double peak(void) /* bytes */
{
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
#if defined(__APPLE__)
    return (double)r.ru_maxrss;
#else
    return (double)r.ru_maxrss * 1024;
#endif
}

typedef struct peaks {
    int code;
    double before, loaded, ran;
} peaks;

static peaks measure(const text *t)
{
    sim_error e = {0};
    sim *s = open_card(&e);
    sim_module *m = NULL;
    peaks p = {.code = s ? SIM_OK : SIM_E_MEMORY, .before = peak()};
    if (!p.code) p.code = sim_load(s, "large.ptx", t->s, t->n, &m, &e);
    p.loaded = peak();
    uint64_t at = 0;
    if (!p.code) p.code = sim_alloc(s, 4096, "a", &at, &e);
    sim_launch l = {.kernel = "k0",
                    .grid = {1, 1, 1},
                    .block = {32, 1, 1},
                    .params = &at,
                    .param_bytes = 8,
                    .timed = true,
                    .checks = SIM_CHECK_INIT,
                    .host_threads = 2};
    sim_result r = {0};
    if (!p.code) p.code = sim_run(s, m, &l, &r, &e);
    if (p.code) printf("# %s\n", e.message);
    p.ran = peak();
    sim_result_free(&r);
    sim_close(s);
    return p;
}

/* Measures in a child process. */
static peaks measure_apart(const text *t)
{
    peaks p = {.code = SIM_E_MEMORY};
    int ends[2];
    fflush(stdout);
    if (pipe(ends)) return p;
    const pid_t child = fork();
    if (child == 0) {
        p = measure(t);
        fflush(stdout);
        _exit(write(ends[1], &p, sizeof p) != (ssize_t)sizeof p);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], &p, sizeof p) != (ssize_t)sizeof p) p.code = SIM_E_MEMORY;
    close(ends[0]);
    if (child > 0) waitpid(child, NULL, 0);
    return p;
}

/* A limit in bytes per instruction. The tree and the code of an instruction take about 300; the
 * rest is temporary, or for timing. */
static void bounded(const char *what, int kernels, int insns, double when_loaded, double when_run)
{
    text t = generate(kernels, insns);
    const peaks p = measure_apart(&t);
    char name[100];
    snprintf(name, sizeof name, "%s: status", what);
    bound(!p.code, name, p.code, 0);
#ifdef SANITIZED
    printf("SKIP %s: a sanitizer takes memory of its own\n", what);
    (void)when_loaded, (void)when_run;
#else
    snprintf(name, sizeof name, "%s: bytes an instruction, loaded", what);
    bound(p.loaded > p.before && (p.loaded - p.before) / t.insns <= when_loaded, name, (p.loaded - p.before) / t.insns,
          when_loaded);
    snprintf(name, sizeof name, "%s: bytes an instruction, run", what);
    bound((p.ran - p.before) / t.insns <= when_run, name, (p.ran - p.before) / t.insns, when_run);
#endif
    free(t.s);
}

/* Memory does not grow with the square of the number of kernels. */
static void kernels_of_nothing(void)
{
    text t = {0};
    put(&t, ".version 8.3\n.target sm_90\n.address_size 64\n.shared .u32 s[4];\n");
    for (int k = 0; k < 50000; k++) put(&t, ".visible .entry k%d(.param .u64 a) { ret; }\n", k);
    const peaks p = measure_apart(&t);
    bound(!p.code, "50000 kernels: status", p.code, 0);
    free(t.s);
}

/* A text that needs more than the limit is refused, while it is read and afterwards, and the
 * message gives the size. The limit is lowered to keep the test quick. */
static void refused(size_t most, const char *name)
{
    sim_error e = {0};
    sim *s = open_card(&e);
    sim_module *m = NULL;
    text t = generate(1, 20000);
    if (!s) abort();
    s->load_most = most;
    const int code = sim_load(s, "large.ptx", t.s, t.n, &m, &e);
    printf("# %d %s: %s %s\n", code, e.file, e.message, e.hint);
    bound(code == SIM_E_REFUSED && !m && strstr(e.message, "would need about") && strstr(e.message, "the limit is") &&
              strstr(e.hint, "file of their own") && !strcmp(e.file, "large.ptx"),
          name, code, SIM_E_REFUSED);
    s->load_most = (size_t)1 << 30;
    bound(sim_load(s, "large.ptx", t.s, t.n, &m, &e) == SIM_OK, "and loads when it may", 0, 0);
    free(t.s);
    sim_close(s);
}

int main(void)
{
    bounded("one kernel", 1, 160000, 850, 1250);
    bounded("400 kernels", 400, 400, 600, 900);
    kernels_of_nothing();
    refused((size_t)1 << 20, "refused while it is read");
    refused((size_t)6 << 20, "refused behind that");
    return check_end();
}
