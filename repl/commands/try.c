/* try.c: the `try` command: anyone's kernel on a simulated card or a GPU.
 *
 * In order: the launch in a child (`launch`, which checks the arguments against the kernel before
 * anything runs), and `try_command`, which reads the line (try_line.c), compiles, starts one child
 * per device and passes on what it answered. In the child a copy of the app prints into memory; its
 * two streams travel home through the pipe.
 */
#include "try.h"
#include "device/devices.h"
#include "show_card.h"
#include "shell/child.h"
#include "commands.h"
#include "device/compile.h"
#include "device/device.h"
#include "shell/format.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { GRACE_SECONDS = 10, FILL_CHUNK = 1 << 20, PTX_MAX = 256 << 20 };

/* ---- in the child ---- */

/* A failure of the device in its own words. `fallback` is the status unless the code says better.
 */
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

/* Do the arguments fit the kernel's parameters? PTX knows sizes and which are pointers, not the
 * types of numbers. */
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

/* `changed`: NULL, or it has been filled before: says whether that is still there, and mends what
 * is not. */
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
        if (!f) arg_elements(a, app->seed, buffer, i, n, chunk);
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

/* After a run: the inputs as they were. Of what must be put back before each further run
 * (`restore`) stays what this one changed. */
static int put_back(struct app *app, const try_plan *p, dev *d, const uint64_t *address, dev_restore *restore,
                    int *restores)
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

/* --hot: the time of a second launch, which finds in the L2 what the first one left. Everything
 * else is the first one's. */
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

/* The buffers, filled, and the kernel's parameters, to be freed; address[K] is where buffer K lies.
 */
static int prepare(struct app *app, const try_plan *p, dev *d, const sim_kernel *k, uint64_t *address,
                   unsigned char **to)
{
    unsigned char *params = *to = calloc(1, (size_t)k->param_bytes + 1);
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
        if (dev_alloc(d, arg_bytes(a), name, &address[buffer], &e)) status = device_failed(app, &e, EXIT_USAGE);
        else status = fill_buffer(app, d, a, buffer, address[buffer], NULL);
        for (int b = 0; b < 8; b++) at[b] = (unsigned char)(address[buffer] >> (8 * b));
        buffer++;
    }
    return status;
}

/* A run on the card with some of its values changed, for its cycles alone (a limit_lift); whatever
 * goes wrong there is no answer. */
double try_again(void *context, const char *without, const char *changes)
{
    const try_again_of *of = context;
    const try_run *t = of->run;
    char *ignored = NULL;
    size_t bytes = 0;
    struct app app = *t->app;
    struct device other;
    uint64_t address[TRY_ARGS_MAX] = {0};
    unsigned char *params = NULL;
    sim_launch l = *of->launch;
    sim_result r = {0};
    dev *d = NULL;
    dev_module *m = NULL;
    sim_error e = {0};
    double cycles = 0;
    if (!card_changed(t->device, without, changes, &other) || !(app.err = app.out = open_memstream(&ignored, &bytes)))
        return 0;
    l.checks = l.counts = 0;
    if (!dev_open(&d, &other, t->card_text, &e) && !dev_load(d, t->ptx_name, t->ptx, t->ptx_bytes, &m, &e)) {
        const sim_kernel *k = try_kernel(&app, d, m, t->plan->path, t->plan->kernel);
        if (k && !prepare(&app, t->plan, d, k, address, &params)) {
            dev_empty_cache(d);
            l.params = params;
            if (!dev_launch(d, m, &l, &r, &e)) {
                if (app.hot) time_again(d, m, &l, &r);
                cycles = (double)r.cycles;
            }
            dev_result_free(&r);
        }
    }
    dev_close(d);
    free(params);
    fclose(app.out);
    free(ignored);
    return cycles;
}

/* What is dumped or saved is looked at: unknown values in it are faults, which the result gets.
 * NULL: there are none; else what must be freed. */
static sim_fault *look_at_outputs(const try_plan *p, dev *d, const uint64_t *address, sim_result *r)
{
    sim_fault *all = NULL;
    for (int i = 0; i < p->dump_count + p->save_count; i++) {
        const bool saved = i >= p->dump_count;
        const int buffer = saved ? p->saves[i - p->dump_count].buffer : p->dumps[i].buffer;
        const arg *a = &p->args[p->buffer_arg[buffer]];
        const uint64_t each = (uint64_t)a->type->bytes, from = saved ? 0 : p->dumps[i].from,
                       to = saved ? a->count : p->dumps[i].to;
        char name[48];
        sim_fault f;
        snprintf(name, sizeof name, from ? "buffer %d, counted from %" PRIu64 "," : "buffer %d", buffer, from);
        if (!dev_unknown(d, address[buffer] + from * each, (to - from) * each, name, (uint32_t)each, &f)) continue;
        sim_fault *more = malloc(((size_t)r->fault_count + 1) * sizeof *more);
        if (!more) break;
        more[0] = f;
        if (r->fault_count) memcpy(more + 1, r->faults, (size_t)r->fault_count * sizeof *more);
        free(all);
        r->faults = all = more;
        r->fault_count++;
        if (r->code == SIM_OK) r->code = SIM_E_FAULT;
    }
    return all;
}

static int run_kernel(struct app *app, const try_run *t, dev *d, dev_module *m, const sim_kernel *k)
{
    const try_plan *p = t->plan;
    uint64_t address[TRY_ARGS_MAX] = {0};
    unsigned char *params = NULL;
    sim_error e = {0};
    int status = prepare(app, p, d, k, address, &params);
    if (status) {
        free(params);
        return status;
    }

    sim_launch l = {.kernel = k->name,
                    .shared_bytes = p->shared_bytes,
                    .params = params,
                    .param_bytes = k->param_bytes,
                    .timed = dev_info(d)->has_clock && !try_untimed(p),
                    .exact = app->exact,
                    .cooperative = k->cooperative,
                    .checks = p->checks,
                    .counts = (p->counters || p->lines || p->why || app->json ? SIM_COUNT_MEMORY : 0) |
                              (p->lines ? SIM_COUNT_LINES : 0),
                    .host_threads = app->host_threads,
                    .max_seconds = app->limit,
                    .heap_bytes = p->heap,
                    .shuffle = p->shuffle};
    memcpy(l.grid, p->grid, sizeof l.grid);
    memcpy(l.block, p->block, sizeof l.block);
    sim_result r = {0};
    bool simulated = dev_info(d)->simulated;
    dev_restore restore[TRY_ARGS_MAX];
    int restores = simulated ? 0 : try_gpu_save(p, d, address, restore);
    double start = seconds_now();
    dev_empty_cache(d);
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
        sim_fault *faults = look_at_outputs(p, d, address, &r);
        if (faults) v.status = outcome(&r);
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
        dev_occupancy(d, m, k, &l, &v.occupancy);
        if (p->why && !code && l.timed) try_why(&v, t);
        if (app->json) try_show_json(&v);
        else try_show_text(&v);
        status = unsaved ? unsaved : v.status;
        for (int i = 0; i < p->dump_count; i++) free(v.dumped[i]);
        source_free(&v.sources);
        free(v.timing);
        free(faults);
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

static int run_on(try_run *t)
{
    struct app *app = t->app;
    char *card_text = NULL;
    bool gpu = t->device->kind == DEVICE_GPU;
    const try_plan *p = t->plan;
    if (gpu && try_only_simulated(p))
        return app_fail(app, EXIT_USAGE, "--device sim:h200", "a GPU does not do what %s asks for; the simulator does",
                        try_only_simulated(p));
    int status = gpu ? 0 : device_card_text(app, t->device, &card_text);
    if (status) return status;
    t->card_text = card_text;
    /* The simulator keeps the limit itself and then says where the kernel was; the child's own
     * limit is the second net.
     */
    struct child_limits limits = {
        .seconds = app->limit > 0 ? app->limit * (p->why ? 1 + LIMITS_LIFTED : 1) + (gpu ? 0 : GRACE_SECONDS) : 0,
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
                              : "the simulator itself failed, which is a fault of ours: %s",
                          r.message);
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

static int try_command(struct app *app, int argc, char **argv)
{
    struct device devices[DEVICES_MAX];
    int device_count = 0;
    compile_result compiled = {.status = COMPILE_DONE};
    try_plan *p = calloc(1, sizeof *p);
    if (!p) return app_fail(app, EXIT_INTERNAL, NULL, "out of memory");
    int status = try_line(app, p, argc, argv);
    if (!status) status = device_resolve(app, NULL, devices, &device_count);
    /* what only the simulator knows decides between the two when nobody has */
    if (!status && !app->device_explicit && try_only_simulated(p))
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
    try_plan_free(p);
    return status;
}

static const char help[] = "Runs anyone's kernel on a GPU and times it, or on a simulated card and tells what\n"
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
                           "  --heap BYTES       what malloc in the kernel may hand out: 8 MiB, as on a card\n"
                           "  --dump K[a:b]      print elements a to b-1 of buffer K (counted from 0)\n"
                           "  --save K=FILE      write buffer K to a file\n"
                           "  --check LIST       memory, race, init, barrier, joined by commas; all (as\n"
                           "                     without it); none. Addresses are always checked\n"
                           "  --why              what holds it back, and what it would take without that\n"
                           "  --counters         what the kernel did, counted, and what its warps waited for\n"
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
     .complete = try_complete},
    {.name = NULL},
};
