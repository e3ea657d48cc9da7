/* try_line.c: the command line of `try`: a take_ function per option, the table of them, and the
 * checks that need the whole line. The kernel's parameters are unknown here; job_own.c checks the
 * arguments against them. */
#include "try.h"
#include "command.h"
#include "shell/format.h"
#include "shell/words.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int bad(struct app *app, const char *option, const char *value, const char *why)
{
    return app_fail(app, EXIT_USAGE, "help try", "%s %.100s: %s", option, value, why);
}

static int take_grid(struct app *app, try_plan *p, const char *value)
{
    char why[200];
    p->has_grid = true;
    return arg_triple(p->grid, value, why, sizeof why) ? 0 : bad(app, "--grid", value, why);
}

static int take_block(struct app *app, try_plan *p, const char *value)
{
    char why[200];
    p->has_block = true;
    return arg_triple(p->block, value, why, sizeof why) ? 0 : bad(app, "--block", value, why);
}

static int take_cluster(struct app *app, try_plan *p, const char *value)
{
    char why[200];
    return arg_triple(p->cluster, value, why, sizeof why) ? 0 : bad(app, "--cluster", value, why);
}

static int take_shared(struct app *app, try_plan *p, const char *value)
{
    char why[200];
    uint64_t bytes;
    if (!arg_whole(&bytes, value, strlen(value), 0, INT32_MAX, "the number of bytes", why, sizeof why))
        return bad(app, "--shared", value, why);
    p->shared_bytes = (uint32_t)bytes;
    return 0;
}

static int take_heap(struct app *app, try_plan *p, const char *value)
{
    char why[200];
    return arg_whole(&p->heap, value, strlen(value), 1, INT64_MAX, "the bytes that malloc has", why, sizeof why)
               ? 0
               : bad(app, "--heap", value, why);
}

static int take_arg(struct app *app, try_plan *p, const char *value)
{
    char why[500];
    if (p->arg_count == TRY_ARGS_MAX) return app_fail(app, EXIT_USAGE, NULL, "more than %d arguments", TRY_ARGS_MAX);
    kernel_arg *a = &p->args[p->arg_count++];
    if (!arg_parse(a, value, false, why, sizeof why)) return bad(app, "--arg", value, why);
    if (a->is_buffer) p->buffer_arg[p->buffer_count++] = p->arg_count - 1;
    return 0;
}

/* A variable of the file, filled like an argument. */
static int take_set(struct app *app, try_plan *p, const char *value)
{
    char why[500];
    const size_t length = strcspn(value, "=");
    if (!length || !value[length])
        return bad(app, "--set", value, "write NAME=FILL, for example table=f32[256]:iota or scale=f32:2.5");
    if (p->set_count == TRY_SETS_MAX)
        return app_fail(app, EXIT_USAGE, NULL, "more than %d variables to set", TRY_SETS_MAX);
    const int i = p->set_count++;
    if (!(p->set_name[i] = strndup(value, length))) return app_no_memory(app);
    if (!arg_parse(&p->sets[i], value + length + 1, true, why, sizeof why)) return bad(app, "--set", value, why);
    if (p->sets[i].buffer.fill == FILL_NONE)
        return bad(app, "--set", value, "say what it holds, for example f32[256]:iota");
    return 0;
}

/* The K of a dump or save. Whether buffer K exists is checked once all arguments are known. */
static bool take_number(uint64_t *k, const char *text, size_t length, char *why, size_t size)
{
    return arg_whole(k, text, length, 0, TRY_ARGS_MAX - 1, "the buffer's number K", why, size);
}

static int take_save(struct app *app, try_plan *p, const char *value)
{
    char why[200];
    uint64_t k;
    size_t length = strcspn(value, "=");
    if (!value[length] || !value[length + 1]) return bad(app, "--save", value, "write K=FILE, for example 0=out.bin");
    if (!take_number(&k, value, length, why, sizeof why)) return bad(app, "--save", value, why);
    if (p->save_count == STEP_DUMPS) return app_fail(app, EXIT_USAGE, NULL, "more than %d files to save", STEP_DUMPS);
    p->saves[p->save_count++] = (own_save){(int)k, value + length + 1};
    return 0;
}

static int take_dump(struct app *app, try_plan *p, const char *value)
{
    char why[200];
    uint64_t k;
    size_t length = strcspn(value, "[");
    if (!take_number(&k, value, length, why, sizeof why)) return bad(app, "--dump", value, why);
    if (p->dump_count == STEP_DUMPS) return app_fail(app, EXIT_USAGE, NULL, "more than %d dumps", STEP_DUMPS);
    own_dump *d = &p->dumps[p->dump_count++];
    *d = (own_dump){.buffer = (int)k, .to = UINT64_MAX};
    if (!value[length]) return 0;
    const char *from = value + length + 1, *colon = strchr(from, ':'), *close = strchr(from, ']');
    if (!close || close[1] || close == from || (colon && colon > close))
        return bad(app, "--dump", value, "write K, K[from:to] or K[i], for example 0[0:16]");
    d->is_sliced = true;
    size_t from_length = (size_t)((colon ? colon : close) - from);
    if (from_length && !arg_whole(&d->from, from, from_length, 0, UINT64_MAX - 1, "an index", why, sizeof why))
        return bad(app, "--dump", value, why);
    if (!colon) d->to = d->from + 1;
    else if (close > colon + 1 &&
             !arg_whole(&d->to, colon + 1, (size_t)(close - colon - 1), 0, UINT64_MAX, "an index", why, sizeof why))
        return bad(app, "--dump", value, why);
    return 0;
}

static int take_check(struct app *app, try_plan *p, const char *value)
{
    char why[200];
    p->has_checks = true;
    return arg_checks(&p->checks, value, why, sizeof why) ? 0 : bad(app, "--check", value, why);
}

static int take_arch(struct app *app, try_plan *p, const char *value)
{
    char why[200];
    uint64_t arch;
    size_t skip = !strncmp(value, "sm_", 3) ? 3 : !strncmp(value, "compute_", 8) ? 8 : 0;
    if (!arg_whole(&arch, value + skip, strlen(value + skip), 20, 999, "the compute capability", why, sizeof why))
        return bad(app, "--arch", value, why);
    p->arch = (int)arch;
    return 0;
}

static int take_shuffle(struct app *app, try_plan *p, const char *value)
{
    char why[200];
    return arg_whole(&p->shuffle, value, strlen(value), 1, UINT64_MAX, "the seed of the order", why, sizeof why)
               ? 0
               : bad(app, "--shuffle", value, why);
}

static int take_why(struct app *app, try_plan *p, const char *value)
{
    (void)app, (void)value;
    p->why = true;
    return 0;
}

static int take_counters(struct app *app, try_plan *p, const char *value)
{
    (void)app, (void)value;
    p->counters = true;
    return 0;
}

static int take_lines(struct app *app, try_plan *p, const char *value)
{
    (void)app, (void)value;
    p->lines = true;
    return 0;
}

static const struct try_option {
    const char *name;
    bool has_value;
    int (*take)(struct app *app, try_plan *p, const char *value);
} options[] = {
    {"--grid", true, take_grid},       {"--block", true, take_block},
    {"--shared", true, take_shared},   {"--arg", true, take_arg},
    {"--save", true, take_save},       {"--dump", true, take_dump},
    {"--check", true, take_check},     {"--counters", false, take_counters},
    {"--lines", false, take_lines},    {"--arch", true, take_arch},
    {"--shuffle", true, take_shuffle}, {"--why", false, take_why},
    {"--heap", true, take_heap},       {"--set", true, take_set},
    {"--cluster", true, take_cluster},
};

/* FILE or FILE:KERNEL. If a file has the whole name, the colon belongs to it. */
static int take_file(struct app *app, try_plan *p, const char *word)
{
    struct stat s;
    if (p->path) return app_fail(app, EXIT_USAGE, "help try", "one file at a time: %s, and then %s", p->path, word);
    p->path = strdup(word);
    if (!p->path) return app_no_memory(app);
    char *colon = strrchr(p->path, ':');
    if (colon && stat(p->path, &s)) {
        *colon = 0;
        p->kernel = colon + 1;
        if (!*p->kernel) return app_fail(app, EXIT_USAGE, NULL, "a kernel's name is missing after %s:", p->path);
    }
    const char *dot = strrchr(p->path, '.');
    p->is_ptx = dot && !strcmp(dot, ".ptx");
    if (stat(p->path, &s)) return app_fail(app, EXIT_USAGE, NULL, "%s cannot be read: %s", p->path, strerror(errno));
    if (!S_ISREG(s.st_mode)) return app_fail(app, EXIT_USAGE, NULL, "%s is not a plain file", p->path);
    if (!dot || (!p->is_ptx && strcmp(dot, ".cu")))
        return app_fail(app, EXIT_USAGE, NULL, "%s is neither CUDA C (.cu) nor PTX (.ptx)", p->path);
    return 0;
}

/* Checks that need the whole line. */
static int check_plan(struct app *app, try_plan *p)
{
    if (!p->path)
        return app_fail(app, EXIT_USAGE, "help try", "which file? try FILE.cu --grid X --block X --arg A ...");
    if (!p->has_grid) return app_fail(app, EXIT_USAGE, NULL, "how many blocks? --grid X[,Y[,Z]] says so");
    if (!p->has_block) return app_fail(app, EXIT_USAGE, NULL, "how many threads per block? --block X[,Y[,Z]] says so");
    if (p->why && try_untimed(p))
        return app_fail(app, EXIT_USAGE, NULL, "--why speaks of time, and with %s there is none: leave one of them out",
                        try_untimed(p));
    for (int i = 0; i < p->save_count; i++)
        if (p->saves[i].buffer >= p->buffer_count)
            return app_fail(app, EXIT_USAGE, NULL, "--save %d=%s: there are %d buffers, counted from 0",
                            p->saves[i].buffer, p->saves[i].file, p->buffer_count);
    for (int i = 0; i < p->dump_count; i++) {
        own_dump *d = &p->dumps[i];
        if (d->buffer >= p->buffer_count)
            return app_fail(app, EXIT_USAGE, NULL, "--dump %d: there are %d buffers, counted from 0", d->buffer,
                            p->buffer_count);
        uint64_t count = p->args[p->buffer_arg[d->buffer]].count;
        if (d->to == UINT64_MAX) d->to = count;
        if (d->is_sliced && (d->from >= d->to || d->to > count))
            return app_fail(app, EXIT_USAGE, NULL,
                            "--dump %d[%" PRIu64 ":%" PRIu64 "]: buffer %d has elements 0 to %" PRIu64, d->buffer,
                            d->from, d->to, d->buffer, count - 1);
        uint64_t most = d->is_sliced ? TRY_DUMP_LONG : TRY_DUMP_SHORT;
        if (d->is_sliced && d->to - d->from > most)
            return app_fail(app, EXIT_USAGE, NULL, "--dump shows at most %d elements; --save writes a whole buffer",
                            TRY_DUMP_LONG);
        if (d->to - d->from > most) d->to = d->from + most;
    }
    uint64_t total = 0;
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t have = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX;
    for (int i = 0; i < p->buffer_count; i++)
        total += arg_bytes(&p->args[p->buffer_arg[i]]); /* no overflow: at most 256 times 2^40 */
    if (total > have / 4 * 3) {
        char a[32], b[32];
        return app_fail(app, EXIT_USAGE, NULL, "the buffers hold %s, and this machine has %s of memory",
                        format_bytes(a, sizeof a, total), format_bytes(b, sizeof b, have));
    }
    return 0;
}

int try_line(struct app *app, try_plan *p, int argc, char **argv)
{
    p->checks = SIM_CHECK_ALL;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i], *equals = strchr(word, '=');
        if (strncmp(word, "--", 2) || !word[2]) {
            int status = take_file(app, p, word);
            if (status) return status;
            continue;
        }
        size_t length = equals ? (size_t)(equals - word) : strlen(word), k = 0;
        while (k < sizeof options / sizeof *options &&
               (strlen(options[k].name) != length || strncmp(options[k].name, word, length)))
            k++;
        if (k == sizeof options / sizeof *options) {
            struct words known = {0};
            for (size_t n = 0; n < sizeof options / sizeof *options; n++) words_add(&known, options[n].name);
            const char *near = app_nearest(word, &known);
            int status = app_fail(app, EXIT_USAGE, near ? near : "help try", "try has no option %s", word);
            words_free(&known);
            return status;
        }
        const char *value = equals ? equals + 1 : NULL;
        if (options[k].has_value && !value && ++i < argc) value = argv[i];
        if (options[k].has_value && !value)
            return app_fail(app, EXIT_USAGE, "help try", "%s needs a value after it", word);
        int status = options[k].take(app, p, value);
        if (status) return status;
    }
    return check_plan(app, p);
}

void try_plan_free(try_plan *p)
{
    for (int i = 0; i < p->arg_count; i++) arg_free(&p->args[i]);
    for (int i = 0; i < p->set_count; i++) arg_free(&p->sets[i]), free(p->set_name[i]);
    free(p->path);
    free(p->words);
    free(p);
}

const char *try_untimed(const try_plan *p)
{
    return p->shuffle                                                       ? "--shuffle"
           : p->has_checks && p->checks & (SIM_CHECK_INIT | SIM_CHECK_RACE) ? "those checks"
                                                                            : NULL;
}

const char *try_only_simulated(const try_plan *p)
{
    return p->has_checks ? "--check"
           : p->shuffle  ? "--shuffle"
           : p->counters ? "--counters"
           : p->lines    ? "--lines"
           : p->why      ? "--why"
           : p->heap     ? "--heap"
                         : NULL;
}

void try_complete(struct app *app, int argc, char **argv, struct words *out)
{
    const char *last = argc > 1 ? argv[argc - 1] : "";
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].has_value && !strcmp(last, options[i].name)) return;
    (void)app;
    complete_files(out);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) words_add(out, options[i].name);
}
