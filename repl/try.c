/* try.c: the `try` command: anyone's kernel on a simulated card.
 *
 * In order: the command line (one take_ function for each option), the launch in a child (`launch`, which checks the
 * arguments against the kernel before anything runs), and `try_command`, which compiles, starts one child per device
 * and passes on what it answered. In the child a copy of the app prints into memory; its two streams travel home
 * through the pipe.
 */
#include "try.h"
#include "child.h"
#include "commands.h"
#include "compile.h"
#include "device.h"
#include "format.h"
#include "words.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { GRACE_SECONDS = 10, FILL_CHUNK = 1 << 20, PTX_MAX = 256 << 20 };

/* ---- the command line ---- */

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

static int take_shared(struct app *app, try_plan *p, const char *value)
{
    char why[200];
    uint64_t bytes;
    if (!arg_whole(&bytes, value, strlen(value), 0, INT32_MAX, "the number of bytes", why, sizeof why))
        return bad(app, "--shared", value, why);
    p->shared_bytes = (uint32_t)bytes;
    return 0;
}

static int take_arg(struct app *app, try_plan *p, const char *value)
{
    char why[500];
    if (p->arg_count == TRY_ARGS_MAX) return app_fail(app, EXIT_USAGE, NULL, "more than %d arguments", TRY_ARGS_MAX);
    arg *a = &p->args[p->arg_count++];
    if (!arg_parse(a, value, why, sizeof why)) return bad(app, "--arg", value, why);
    if (a->is_buffer) p->buffer_arg[p->buffer_count++] = p->arg_count - 1;
    return 0;
}

/* The K in front of a dump or save; whether there is such a buffer is seen when all arguments are known. */
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
    if (p->save_count == TRY_DUMPS_MAX)
        return app_fail(app, EXIT_USAGE, NULL, "more than %d files to save", TRY_DUMPS_MAX);
    p->saves[p->save_count++] = (try_save){(int)k, value + length + 1};
    return 0;
}

static int take_dump(struct app *app, try_plan *p, const char *value)
{
    char why[200];
    uint64_t k;
    size_t length = strcspn(value, "[");
    if (!take_number(&k, value, length, why, sizeof why)) return bad(app, "--dump", value, why);
    if (p->dump_count == TRY_DUMPS_MAX) return app_fail(app, EXIT_USAGE, NULL, "more than %d dumps", TRY_DUMPS_MAX);
    try_dump *d = &p->dumps[p->dump_count++];
    *d = (try_dump){.buffer = (int)k, .to = UINT64_MAX};
    if (!value[length]) return 0;
    const char *from = value + length + 1, *colon = strchr(from, ':'), *close = strchr(from, ']');
    if (!close || close[1] || close == from || (colon && colon > close))
        return bad(app, "--dump", value, "write K, K[from:to] or K[i], for example 0[0:16]");
    d->is_sliced = true;
    size_t from_length = (size_t)((colon ? colon : close) - from);
    if (from_length && !arg_whole(&d->from, from, from_length, 0, UINT64_MAX - 1, "an index", why, sizeof why))
        return bad(app, "--dump", value, why);
    if (!colon)
        d->to = d->from + 1;
    else if (close > colon + 1 &&
             !arg_whole(&d->to, colon + 1, (size_t)(close - colon - 1), 0, UINT64_MAX, "an index", why, sizeof why))
        return bad(app, "--dump", value, why);
    return 0;
}

static int take_check(struct app *app, try_plan *p, const char *value)
{
    /* Addresses are always checked: `memory` asks for nothing beyond that. */
    static const struct {
        const char *name;
        unsigned checks;
    } names[] = {{"memory", 0},
                 {"race", SIM_CHECK_RACE},
                 {"init", SIM_CHECK_INIT},
                 {"barrier", SIM_CHECK_BARRIER},
                 {"all", SIM_CHECK_ALL},
                 {"none", 0}};
    p->checks = 0;
    p->has_checks = true;
    for (const char *at = value;; at++) {
        size_t length = strcspn(at, ","), i = 0;
        while (i < sizeof names / sizeof *names &&
               (strlen(names[i].name) != length || strncmp(names[i].name, at, length)))
            i++;
        if (i == sizeof names / sizeof *names)
            return bad(app, "--check", value, "the checks are memory, race, init, barrier, all and none");
        p->checks |= names[i].checks;
        at += length;
        if (!*at) return 0;
    }
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
    return arg_whole(&p->shuffle, value, strlen(value), 1, UINT64_MAX, "the number that the order is drawn from", why, sizeof why)
               ? 0
               : bad(app, "--shuffle", value, why);
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
    {"--grid", true, take_grid},   {"--block", true, take_block},        {"--shared", true, take_shared},
    {"--arg", true, take_arg},     {"--save", true, take_save},          {"--dump", true, take_dump},
    {"--check", true, take_check}, {"--counters", false, take_counters}, {"--lines", false, take_lines},
    {"--arch", true, take_arch},   {"--shuffle", true, take_shuffle},
};

/* FILE or FILE:KERNEL. A colon in the file's own name wins when there is such a file. */
static int take_file(struct app *app, try_plan *p, const char *word)
{
    struct stat s;
    if (p->path) return app_fail(app, EXIT_USAGE, "help try", "one file at a time: %s, and then %s", p->path, word);
    p->path = strdup(word);
    if (!p->path) return app_fail(app, EXIT_INTERNAL, NULL, "out of memory");
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

/* What can only be judged when the whole line has been read. */
static int check_plan(struct app *app, try_plan *p)
{
    if (!p->path)
        return app_fail(app, EXIT_USAGE, "help try", "which file? try FILE.cu --grid X --block X --arg A ...");
    if (!p->has_grid) return app_fail(app, EXIT_USAGE, NULL, "how many blocks? --grid X[,Y[,Z]] says so");
    if (!p->has_block) return app_fail(app, EXIT_USAGE, NULL, "how many threads a block? --block X[,Y[,Z]] says so");
    for (int i = 0; i < p->save_count; i++)
        if (p->saves[i].buffer >= p->buffer_count)
            return app_fail(app, EXIT_USAGE, NULL, "--save %d=%s: there are %d buffers, counted from 0",
                            p->saves[i].buffer, p->saves[i].file, p->buffer_count);
    for (int i = 0; i < p->dump_count; i++) {
        try_dump *d = &p->dumps[i];
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
        total += arg_bytes(&p->args[p->buffer_arg[i]]); /* 256 times 2^40 at most */
    if (total > have / 4 * 3) {
        char a[32], b[32];
        return app_fail(app, EXIT_USAGE, NULL, "the buffers hold %s, and this machine has %s of memory",
                        format_bytes(a, sizeof a, total), format_bytes(b, sizeof b, have));
    }
    return 0;
}

static int read_line(struct app *app, try_plan *p, int argc, char **argv)
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

static void free_plan(try_plan *p)
{
    for (int i = 0; i < p->arg_count; i++) arg_free(&p->args[i]);
    free(p->path);
    free(p);
}

/* ---- in the child ---- */

typedef struct try_run {
    struct app *app;
    const try_plan *plan;
    const struct device *device;
    const char *card_text;
    const char *ptx;
    size_t ptx_bytes;
    const char *ptx_name;
    const char *compiler;
} try_run;

/* A failure of the device in its own words. `fallback` is the status unless the code says better. */
static int device_failed(struct app *app, const sim_error *e, int fallback)
{
    int status = dev_status(e, fallback);
    const char *hint = *e->hint ? e->hint : NULL;
    if (e->line) return app_fail(app, status, hint, "%s:%d:%d: %s", e->file, e->line, e->column, e->message);
    return app_fail(app, status, hint, "%s", e->message);
}

/* The PTX line a syntax error points at, with a caret. */
static void quote_ptx(struct app *app, const try_run *t, const sim_error *e)
{
    if (!e->line || app->json) return;
    const char *at = t->ptx, *end = t->ptx + t->ptx_bytes;
    for (int line = 1; line < e->line && at < end; line++) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        at = next ? next + 1 : end;
    }
    size_t length = 0;
    while (at + length < end && at[length] != '\n' && length < 200) length++;
    fprintf(app->err, "%6d | ", e->line);
    for (size_t i = 0; i < length; i++) fputc((unsigned char)at[i] < 0x20 || at[i] == 0x7f ? ' ' : at[i], app->err);
    fputc('\n', app->err);
    if (e->column > 0 && (size_t)e->column <= length + 1) fprintf(app->err, "%6s | %*s\n", "", e->column, "^");
}

/* Do the arguments fit the kernel's parameters? PTX knows sizes and which are pointers, not the types of numbers. */
static int check_arguments(struct app *app, const try_plan *p, const sim_kernel *k)
{
    char name[400], count[64];
    const char *title = try_title(k->name, name, sizeof name);
    if (p->arg_count != k->params) {
        return app_fail(app, EXIT_USAGE, "help try", "%s takes %s, and %d %s given with --arg", title,
                        format_plural(count, sizeof count, (uint64_t)k->params, "argument"), p->arg_count,
                        p->arg_count == 1 ? "is" : "are");
    }
    for (int i = 0; i < k->params; i++) {
        const arg *a = &p->args[i];
        const sim_param *param = &k->param[i];
        if (a->is_buffer && param->size != 8)
            return app_fail(app, EXIT_USAGE, NULL,
                            "argument %d of %s has %" PRIu32 " bytes: it is no pointer, so \"%s\" cannot be a buffer",
                            i, title, param->size, a->text);
        if (!a->is_buffer && arg_bytes(a) != param->size)
            return app_fail(app, EXIT_USAGE, NULL,
                            "argument %d of %s has %" PRIu32 " bytes, and \"%s\" has %" PRIu64 "%s", i, title,
                            param->size, a->text, arg_bytes(a),
                            param->pointer ? "; it is a pointer: give a buffer, for example f32[1024]:zero" : "");
        if (!a->is_buffer && param->pointer && a->type->kind == 'f')
            return app_fail(app, EXIT_USAGE, NULL, "argument %d of %s is a pointer; \"%s\" is a number", i, title,
                            a->text);
    }
    return 0;
}

/* `changed`: NULL, or it has been filled before: says whether that is still there, and mends what is not. */
static int fill_buffer(struct app *app, dev *d, const arg *a, int buffer, uint64_t address, bool *changed)
{
    if (a->fill == FILL_NONE) return 0;
    char *chunk = malloc(2 * FILL_CHUNK), *found = chunk ? chunk + FILL_CHUNK : NULL;
    FILE *f = a->fill == FILL_FILE ? fopen(a->file, "rb") : NULL;
    uint64_t each = (uint64_t)a->type->bytes, step = FILL_CHUNK / each;
    int status = 0;
    if (!chunk) status = app_fail(app, EXIT_INTERNAL, NULL, "out of memory");
    if (!status && a->fill == FILL_FILE && !f)
        status = app_fail(app, EXIT_USAGE, NULL, "%s cannot be read: %s", a->file, strerror(errno));
    for (uint64_t i = 0; i < a->count && !status; i += step) {
        uint64_t n = a->count - i < step ? a->count - i : step;
        sim_error e = {0};
        if (!f)
            arg_elements(a, app->seed, buffer, i, n, chunk);
        else if (fread(chunk, (size_t)each, (size_t)n, f) != n)
            status = app_fail(app, EXIT_USAGE, NULL, "%s became shorter while it was read", a->file);
        if (!status && changed) {
            if (dev_read(d, address + i * each, found, n * each, &e)) status = device_failed(app, &e, EXIT_INTERNAL);
            else if (!memcmp(found, chunk, (size_t)(n * each))) continue;
            *changed = true;
        }
        if (!status && dev_write(d, address + i * each, chunk, n * each, &e))
            status = device_failed(app, &e, EXIT_INTERNAL);
    }
    if (f) fclose(f);
    free(chunk);
    return status;
}

static int save_buffer(struct app *app, dev *d, const arg *a, uint64_t address, const char *file)
{
    char *chunk = malloc(FILL_CHUNK);
    FILE *f = chunk ? fopen(file, "wb") : NULL;
    uint64_t bytes = arg_bytes(a);
    sim_error e = {0};
    bool ok = f != NULL;
    int why = errno, code = 0;
    for (uint64_t i = 0; i < bytes && ok && !code; i += FILL_CHUNK) {
        uint64_t n = bytes - i < FILL_CHUNK ? bytes - i : FILL_CHUNK;
        code = dev_read(d, address + i, chunk, n, &e);
        ok = code || fwrite(chunk, 1, (size_t)n, f) == n;
        why = errno;
    }
    if (f && fclose(f) && ok) ok = false, why = errno;
    free(chunk);
    if (code) return device_failed(app, &e, EXIT_INTERNAL);
    return ok ? 0 : app_fail(app, EXIT_INTERNAL, NULL, "%s cannot be written: %s", file, strerror(why));
}

static int outcome(const sim_result *r)
{
    return r->code == SIM_E_STOPPED ? EXIT_TIME : r->code == SIM_E_FAULT ? EXIT_CHECK : EXIT_DONE;
}

/* After a run: the inputs as they were. Of what must be put back before each further run (`restore`) stays what this one changed. */
static int put_back(struct app *app, const try_plan *p, dev *d, const uint64_t *address, dev_restore *restore, int *restores)
{
    int status = 0, kept = 0;
    for (int i = 0; i < p->buffer_count && !status; i++) {
        bool changed = false;
        status = fill_buffer(app, d, &p->args[p->buffer_arg[i]], i, address[i], &changed);
        for (int k = 0; k < *restores && changed; k++)
            if (restore[k].address == address[i]) restore[kept++] = restore[k];
    }
    if (*restores > 0) *restores = kept;
    return status;
}

/* --hot: the time of a second launch, which finds in the L2 what the first one left. Everything else is the first one's. */
static void time_again(dev *d, dev_module *m, const sim_launch *first, sim_result *r)
{
    sim_launch l = *first;
    sim_result again = {0};
    l.checks = l.counts = 0;
    if (!dev_launch(d, m, &l, &again, NULL)) {
        r->cycles = again.cycles;
        r->usage = again.usage;
    }
    dev_result_free(&again);
}


static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int run_kernel(struct app *app, const try_run *t, dev *d, dev_module *m, const sim_kernel *k)
{
    const try_plan *p = t->plan;
    uint64_t address[TRY_ARGS_MAX] = {0};
    unsigned char *params = calloc(1, (size_t)k->param_bytes + 1);
    sim_error e = {0};
    int status = params ? 0 : app_fail(app, EXIT_INTERNAL, NULL, "out of memory");
    for (int i = 0, buffer = 0; i < p->arg_count && !status; i++) {
        const arg *a = &p->args[i];
        unsigned char *at = params + k->param[i].offset;
        if (!a->is_buffer) {
            arg_elements(a, 0, 0, 0, a->count, at);
            continue;
        }
        char name[32];
        snprintf(name, sizeof name, "buffer %d", buffer);
        if (dev_alloc(d, arg_bytes(a), name, &address[buffer], &e))
            status = device_failed(app, &e, EXIT_USAGE);
        else
            status = fill_buffer(app, d, a, buffer, address[buffer], NULL);
        for (int b = 0; b < 8; b++) at[b] = (unsigned char)(address[buffer] >> (8 * b));
        buffer++;
    }
    if (status) {
        free(params);
        return status;
    }

    sim_launch l = {.kernel = k->name,
                    .shared_bytes = p->shared_bytes,
                    .params = params,
                    .param_bytes = k->param_bytes,
                    /* Checks asked for by name look for races: warps that run one after the other show most. */
                    .timed = dev_info(d)->has_clock && !p->shuffle && !(p->has_checks && p->checks & (SIM_CHECK_INIT | SIM_CHECK_RACE)),
                    .exact = app->exact,
                    .cooperative = k->cooperative,
                    .checks = p->checks,
                    .counts = (p->counters || p->lines || app->json ? SIM_COUNT_MEMORY : 0) |
                              (p->lines ? SIM_COUNT_LINES : 0),
                    .host_threads = app->host_threads,
                    .max_seconds = app->limit,
                    .shuffle = p->shuffle};
    memcpy(l.grid, p->grid, sizeof l.grid);
    memcpy(l.block, p->block, sizeof l.block);
    sim_result r = {0};
    bool simulated = dev_info(d)->simulated;
    dev_restore restore[TRY_ARGS_MAX];
    int restores = simulated ? 0 : try_gpu_save(p, d, address, restore);
    double start = seconds_now();
    int code = dev_launch(d, m, &l, &r, &e);
    double first = seconds_now() - start;
    if (code && code != SIM_E_FAULT && code != SIM_E_STOPPED) {
        status = device_failed(app, &e, EXIT_INTERNAL);
    } else {
        try_view v = {.app = app,
                      .plan = p,
                      .device = t->device,
                      .card = dev_card(d),
                      .kernel = k,
                      .compiler = t->compiler,
                      .launch = &l,
                      .result = &r,
                      .sources = {.beside = p->path},
                      .simulated = simulated,
                      .first_seconds = first,
                      .status = outcome(&r)};
        for (int i = 0; i < p->dump_count; i++) {
            const try_dump *dump = &p->dumps[i];
            uint64_t each = (uint64_t)p->args[p->buffer_arg[dump->buffer]].type->bytes;
            uint64_t bytes = (dump->to - dump->from) * each;
            v.dumped[i] = malloc((size_t)bytes);
            if (v.dumped[i] && dev_read(d, address[dump->buffer] + dump->from * each, v.dumped[i], bytes, &e)) {
                free(v.dumped[i]);
                v.dumped[i] = NULL;
            }
        }
        int unsaved = 0, failed = 0;
        for (int i = 0; i < p->save_count; i++) {
            int buffer = p->saves[i].buffer;
            failed = save_buffer(app, d, &p->args[p->buffer_arg[buffer]], address[buffer], p->saves[i].file);
            if (failed) unsaved = failed;
        }
        const bool again = !code && (!simulated || (app->hot && l.timed));
        failed = again ? put_back(app, p, d, address, restore, &restores) : 0;
        if (again && !failed && simulated) time_again(d, m, &l, &r);
        if (again && !failed && !simulated) try_gpu_time(&v, d, m, restore, restores);
        if (failed) unsaved = failed;
        if (app->json)
            try_show_json(&v);
        else
            try_show_text(&v);
        status = unsaved ? unsaved : v.status;
        for (int i = 0; i < p->dump_count; i++) free(v.dumped[i]);
        source_free(&v.sources);
        free(v.timing);
    }
    dev_result_free(&r);
    free(params);
    return status;
}

static int launch(struct app *app, const try_run *t)
{
    sim_error e = {0};
    dev *d = NULL;
    dev_module *m = NULL;
    int status = 0;
    if (dev_open(&d, t->device, t->card_text, &e)) {
        status = device_failed(app, &e, EXIT_INTERNAL);
    } else if (dev_load(d, t->ptx_name, t->ptx, t->ptx_bytes, &m, &e)) {
        status = device_failed(app, &e, e.code == SIM_E_MEMORY ? EXIT_INTERNAL : EXIT_CHECK);
        quote_ptx(app, t, &e);
    } else {
        const sim_kernel *k = try_kernel(app, d, m, t->plan->path, t->plan->kernel);
        status = k ? check_arguments(app, t->plan, k) : EXIT_USAGE;
        if (!status) status = run_kernel(app, t, d, m, k);
    }
    dev_close(d);
    return status;
}

/* The answer: the lengths of both streams, then both. */
typedef struct streams {
    uint64_t out, err;
} streams;

static int in_child(struct child *c, void *context)
{
    const try_run *t = context;
    struct app app = *t->app;
    char *out = NULL, *err = NULL;
    size_t out_bytes = 0, err_bytes = 0;
    app.out = open_memstream(&out, &out_bytes);
    app.err = open_memstream(&err, &err_bytes);
    if (!app.out || !app.err) return EXIT_INTERNAL;
    int status = launch(&app, t);
    if (fclose(app.out) | fclose(app.err)) return EXIT_INTERNAL;
    streams lengths = {out_bytes, err_bytes};
    bool ok = child_put(c, &lengths, sizeof lengths) && child_put(c, out, out_bytes) && child_put(c, err, err_bytes);
    free(out);
    free(err);
    return ok ? status : EXIT_INTERNAL;
}

/* ---- the command ---- */

/* The option that only the simulator knows, or NULL. */
static const char *only_simulated(const try_plan *p)
{
    return p->has_checks ? "--check" : p->shuffle ? "--shuffle" : p->counters ? "--counters" : p->lines ? "--lines" : NULL;
}

static int run_on(try_run *t)
{
    struct app *app = t->app;
    char *card_text = NULL;
    bool gpu = t->device->kind == DEVICE_GPU;
    const try_plan *p = t->plan;
    if (gpu && only_simulated(p))
        return app_fail(app, EXIT_USAGE, "--device sim:h200", "a GPU does not do what %s asks for; the simulator does",
                        only_simulated(p));
    int status = gpu ? 0 : device_card_text(app, t->device, &card_text);
    if (status) return status;
    t->card_text = card_text;
    /* The simulator keeps the limit itself and then says where the kernel was; the child's own limit is the second net.
     */
    struct child_limits limits = {.seconds = app->limit > 0 ? app->limit + (gpu ? 0 : GRACE_SECONDS) : 0,
                                  .max_answer = (size_t)512 << 20,
                                  .label = "the kernel"};
    struct child_result r;
    status = child_run(&limits, in_child, t, &r);
    free(card_text);
    streams lengths = {0, 0};
    if (r.bytes >= sizeof lengths) memcpy(&lengths, r.answer, sizeof lengths);
    size_t left = r.bytes >= sizeof lengths ? r.bytes - sizeof lengths : 0;
    if (status == EXIT_DONE && r.bytes >= sizeof lengths && lengths.out <= left && lengths.err == left - lengths.out) {
        fwrite(r.answer + sizeof lengths, 1, (size_t)lengths.out, app->out);
        fflush(app->out);
        fwrite(r.answer + sizeof lengths + lengths.out, 1, (size_t)lengths.err, app->err);
        status = r.status;
    } else if (status == EXIT_DONE) {
        status = app_fail(app, EXIT_INTERNAL, NULL, "the simulator's process ended without an answer");
    } else if (status == EXIT_INTERNAL) {
        status = app_fail(app, status, gpu ? "run again, or --device sim:h200" : NULL,
                          gpu ? "the process on the GPU failed: %s"
                              : "the simulator itself failed, which is a fault of ours: %s", r.message);
    } else {
        status = app_fail(app, status, NULL, "%s", r.message);
    }
    child_free(&r);
    return status;
}

/* The compiler's own words, as they are. */
static void show_messages(struct app *app, const char *text)
{
    if (!*text) return;
    print_safe(app->err, text, strlen(text));
    if (text[strlen(text) - 1] != '\n') fputc('\n', app->err);
}

static char *read_ptx(const char *path, size_t *bytes)
{
    struct stat s;
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    char *text = NULL;
    if (!fstat(fileno(f), &s) && S_ISREG(s.st_mode) && s.st_size <= PTX_MAX && (text = malloc((size_t)s.st_size + 1))) {
        *bytes = fread(text, 1, (size_t)s.st_size, f);
        text[*bytes] = 0;
    }
    fclose(f);
    return text;
}

static int compile(struct app *app, const try_plan *p, int arch, compile_result *c)
{
    compile_request request = {.path = p->path, .arch = p->arch ? p->arch : arch};
    compile_ptx(&request, c);
    show_messages(app, c->messages);
    const char *advice = *c->advice ? c->advice : NULL;
    switch (c->status) {
    case COMPILE_DONE: return 0;
    case COMPILE_REJECTED: return app_fail(app, EXIT_CHECK, NULL, "%s does not compile (%s)", p->path, c->compiler);
    case COMPILE_INTERRUPTED: return app_fail(app, EXIT_INTERRUPT, NULL, "%s", c->problem);
    case COMPILE_NO_COMPILER: return app_fail(app, EXIT_USAGE, advice, "%s", c->problem);
    case COMPILE_FAILED: break;
    }
    return app_fail(app, EXIT_INTERNAL, advice, "%s", c->problem);
}

/* The GPU to compile for, when there is nothing else to run on; 0: compile for all. */
static int only_gpu(struct app *app, const struct device *d, int count)
{
    return count == 1 && d->kind == DEVICE_GPU ? device_gpu_arch(app, d->index) : 0;
}

int try_command(struct app *app, int argc, char **argv)
{
    struct device devices[DEVICES_MAX];
    int device_count = 0;
    compile_result compiled = {.status = COMPILE_DONE};
    try_plan *p = calloc(1, sizeof *p);
    if (!p) return app_fail(app, EXIT_INTERNAL, NULL, "out of memory");
    int status = read_line(app, p, argc, argv);
    if (!status) status = device_resolve(app, NULL, devices, &device_count);
    /* what only the simulator knows decides between the two when nobody has */
    if (!status && !app->device_explicit && only_simulated(p))
        status = device_parse(app, "sim:h200", devices, &device_count);
    try_run t = {.app = app, .plan = p, .ptx_name = p->path, .compiler = ""};
    char *ptx = NULL;
    if (!status && p->is_ptx) {
        ptx = read_ptx(p->path, &t.ptx_bytes);
        if (!ptx)
            status =
                app_fail(app, EXIT_USAGE, NULL, "%s cannot be read, or has more than %d MiB", p->path, PTX_MAX >> 20);
        t.ptx = ptx;
    } else if (!status) {
        status = compile(app, p, only_gpu(app, devices, device_count), &compiled);
        t.ptx = compiled.ptx;
        t.ptx_bytes = compiled.ptx_bytes;
        t.compiler = compiled.compiler;
    }
    for (int i = 0; i < device_count && !status; i++) {
        t.device = &devices[i];
        status = run_on(&t);
    }
    compile_free(&compiled);
    free(ptx);
    free_plan(p);
    return status;
}

static void complete_try(struct app *app, int argc, char **argv, struct words *out)
{
    const char *last = argc > 1 ? argv[argc - 1] : "";
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].has_value && !strcmp(last, options[i].name)) return;
    (void)app;
    complete_files(out);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) words_add(out, options[i].name);
}

static const char help[] =
    "Runs anyone's kernel on a GPU and times it, or on a simulated card and tells what\n"
    "it does wrong. FILE is CUDA C (.cu) or PTX (.ptx); :KERNEL says which when there\n"
    "are several. Without a GPU the card is the H200 unless --device names another.\n"
    "\n"
    "  --arg A            an argument of the kernel, in order:\n"
    "      i32:5  f32:2.5       a scalar (i8 u8 i16 u16 i32 u32 i64 u64 f32 f64)\n"
    "      f32:1,2,3,4          several numbers in one argument: a struct, a float4\n"
    "      f32[1024]:zero       a buffer: zero, ones, iota, rand, rand%K, =1,2,3\n"
    "      f32[]@FILE           a buffer from a file of raw little-endian numbers\n"
    "      f32[1024]            a buffer that nobody has written\n"
    "  --shared BYTES     dynamic shared memory\n"
    "  --dump K[a:b]      print elements a to b-1 of buffer K (counted from 0)\n"
    "  --save K=FILE      write buffer K to a file\n"
    "  --check LIST       memory, race, init, barrier, joined by commas; all (as\n"
    "                     without it); none. Addresses are always checked\n"
    "  --counters         what the kernel did, counted\n"
    "  --lines            the same beside each line of the source\n"
    "  --shuffle N        run warps and blocks in turns of an order drawn from N: what\n"
    "                     a race leaves behind changes with N, a right result does not\n"
    "  --limit SECONDS    end a kernel that takes longer\n"
    "  --arch 75          the compute capability that CUDA C is compiled for\n"
    "\n"
    "Status: 1 when the kernel faults or does not compile, 124 at the time limit.\n"
    "\n"
    "Example:  try saxpy.cu --grid 4 --block 256 --arg i32:1000 --arg f32:2\n"
    "              --arg f32[1000]:iota --arg f32[1000]:ones --dump 1[0:8]\n";

const struct command try_commands[] = {
    {.name = "try",
     .group = "Own kernels",
     .args = "FILE[:KERNEL] --grid X[,Y[,Z]] --block X[,Y[,Z]] [--arg A]...",
     .brief = "run a kernel of your own",
     .help = help,
     .run = try_command,
     .complete = complete_try},
    {.name = NULL},
};
