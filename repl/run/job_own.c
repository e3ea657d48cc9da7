/* job_own.c: the user's own kernel (`try`) as a job. What it has beyond a lesson's step: arguments
 * of any type, buffers to show or save, variables to set, and all of its output. */
#include "job_own.h"
#include "job_lesson.h"
#include "kernel_name.h"
#include "shell/format.h"
#include "list.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define problem(...) runner_problem(__VA_ARGS__)

static const own_kernel *own_of(const runner *k) { return k->job->data; }

/* Do the arguments fit the kernel's parameters? PTX gives sizes and marks pointers, but not the
 * types of numbers. */
static int check_arguments(runner *k, const sim_kernel *kernel)
{
    const own_kernel *own = own_of(k);
    char name[400], count[64];
    const char *title = kernel_title(kernel->name, name, sizeof name);
    if (own->args != kernel->params)
        return problem(k, EXIT_USAGE, "help try", "%s takes %s, and %d %s given with --arg", title,
                       format_plural(count, sizeof count, (uint64_t)kernel->params, "argument"), own->args,
                       own->args == 1 ? "is" : "are");
    for (int i = 0; i < kernel->params; i++) {
        const kernel_arg *a = &own->arg[i];
        const sim_param *param = &kernel->param[i];
        if (a->is_buffer && param->size != 8)
            return problem(k, EXIT_USAGE, NULL,
                           "argument %d of %s has %" PRIu32 " bytes: it is no pointer, so \"%s\" cannot be a buffer", i,
                           title, param->size, a->text);
        if (!a->is_buffer && arg_bytes(a) != param->size)
            return problem(k, EXIT_USAGE, NULL, "argument %d of %s has %" PRIu32 " bytes, and \"%s\" has %" PRIu64 "%s",
                           i, title, param->size, a->text, arg_bytes(a),
                           param->pointer ? "; it is a pointer: give a buffer, for example f32[1024]:zero" : "");
        if (!a->is_buffer && param->pointer && lesson_types[a->buffer.type].kind == 'f')
            return problem(k, EXIT_USAGE, NULL, "argument %d of %s is a pointer; \"%s\" is a number", i, title,
                           a->text);
    }
    return 0;
}

/* Finds the kernel, and checks the arguments. */
static int open_own(runner *k)
{
    const own_kernel *own = own_of(k);
    char why[900];
    const int status = runner_load(k, EXIT_CHECK);
    if (status) return status;
    k->kernel = kernel_only(k->dev, k->module, own->file, own->kernel, why, sizeof why);
    if (!k->kernel) return problem(k, EXIT_USAGE, NULL, "%s", why);
    COPY(k->r.kernel, k->kernel->name);
    k->r.kernel_shared = k->kernel->shared_bytes;
    k->r.kernel_registers = k->kernel->registers;
    return check_arguments(k, k->kernel);
}

/* Finds the address of the variable that this buffer sets. */
static int find_variable(runner *k, int buffer)
{
    const own_kernel *own = own_of(k);
    const lesson_buffer *b = &k->s->buffer[buffer];
    const kernel_arg *set = &own->set[buffer - (k->s->buffer_count - own->sets)];
    char symbol[STEP_SYMBOL], list[400];
    uint64_t bytes;
    sim_error err = {0};
    if (!variable_called(k->q->ptx, k->q->ptx_bytes, b->symbol, symbol, sizeof symbol, list, sizeof list))
        return problem(k, EXIT_USAGE, NULL,
                       *list ? "%s has no __device__ or __constant__ variable %s; it has: %s"
                             : "%s has no __device__ or __constant__ variable %s, nor any other",
                       own->file, b->symbol, list);
    if (dev_symbol(k->dev, k->module, symbol, &k->address[buffer], &bytes, &err))
        return problem(k, dev_status(&err, EXIT_USAGE), err.hint, "%s", err.message);
    const uint64_t each = (uint64_t)lesson_types[b->type].bytes;
    if (!set->count) k->host[buffer].count = bytes / each;
    k->bytes[buffer] = k->host[buffer].count * each;
    if (k->bytes[buffer] <= bytes) return 0;
    return problem(k, EXIT_USAGE, NULL, "--set %s=%s: the variable has %" PRIu64 " bytes, and that has %" PRIu64,
                   b->symbol, set->text, bytes, k->bytes[buffer]);
}

static int put_params(runner *k, const lesson_action *launch, const sim_kernel *kernel, unsigned char *block)
{
    const own_kernel *own = own_of(k);
    (void)launch;
    for (int i = 0, buffer = 0; i < own->args; i++) {
        const kernel_arg *a = &own->arg[i];
        unsigned char *at = block + kernel->param[i].offset;
        fill_stream none = {0};
        if (!a->is_buffer) fill_buffer(&a->buffer, a->count, &none, 0, at);
        for (int b = 0; b < 8 && a->is_buffer; b++) at[b] = (unsigned char)(k->address[buffer] >> (8 * b));
        buffer += a->is_buffer;
    }
    return 0;
}

static void set_options(const runner *k, sim_launch *l)
{
    const own_kernel *own = own_of(k);
    l->cooperative = k->kernel->cooperative;
    l->max_seconds = own->seconds;
    l->heap_bytes = own->heap;
    l->soon = NULL;
    if (!own->memory_counts) l->counts = 0;
}

/* Orders lines by file, then by line number. */
static int by_place(const void *a, const void *b)
{
    const step_line *x = a, *y = b;
    const int files = strcmp(x->file, y->file);
    return files ? files : (x->line > y->line) - (x->line < y->line);
}

/* All lines of the kernel's files. */
static void put_lines(runner *k, const sim_result *r)
{
    free(k->line); /* lines of an earlier run */
    k->r.lines = 0;
    step_line *to = r->line_count ? calloc((size_t)r->line_count, sizeof *to) : NULL;
    k->line = k->r.line = to;
    if (!to) return;
    for (; k->r.lines < r->line_count && k->r.lines < STEP_LINES; k->r.lines++, to++) {
        COPY(to->file, r->lines[k->r.lines].file);
        to->line = r->lines[k->r.lines].line;
        to->c = r->lines[k->r.lines].c;
    }
    qsort(k->r.line, (size_t)k->r.lines, sizeof *to, by_place);
}

/* All of it, as it is. */
static void put_output(runner *k, const sim_result *r)
{
    size_t bytes = 0;
    k->r.printfs = (uint64_t)r->print_count;
    k->r.prints_left_out = r->prints_left_out;
    for (int i = 0; i < r->print_count; i++) bytes += strlen(r->prints[i].text);
    char *to = k->r.output = malloc(bytes + 1);
    for (int i = 0; to && i < r->print_count; i++) {
        const size_t n = strlen(r->prints[i].text);
        memcpy(to + k->r.output_bytes, r->prints[i].text, n);
        k->r.output_bytes += (int)n;
    }
}

/* Values that are dumped or saved are read: an unknown one is a fault. */
static void look_at(runner *k, int buffer, uint64_t from, uint64_t to)
{
    const uint64_t each = (uint64_t)lesson_types[k->s->buffer[buffer].type].bytes;
    char name[48];
    sim_fault f;
    snprintf(name, sizeof name, from ? "buffer %d, counted from %" PRIu64 "," : "buffer %d", buffer, from);
    if (!dev_unknown(k->dev, k->address[buffer] + from * each, (to - from) * each, name, (uint32_t)each, &f)) return;
    report_fault(k, &f);
    k->r.unknown = true;
}

static void save_problem(runner *k, int status, const char *text)
{
    k->r.save_status = status;
    COPY(k->r.save_problem, text);
}

static void save(runner *k, const own_save *s)
{
    enum { CHUNK = 1 << 20 };
    char *chunk = malloc(CHUNK), text[600];
    FILE *f = chunk ? fopen(s->file, "wb") : NULL;
    const uint64_t bytes = k->bytes[s->buffer];
    sim_error err = {0};
    bool ok = f != NULL;
    int why = errno, code = 0;
    for (uint64_t i = 0; i < bytes && ok && !code; i += CHUNK) {
        uint64_t n = bytes - i < CHUNK ? bytes - i : CHUNK;
        code = dev_read(k->dev, k->address[s->buffer] + i, chunk, n, &err);
        ok = code || fwrite(chunk, 1, (size_t)n, f) == n;
        why = errno;
    }
    if (f && fclose(f) && ok) ok = false, why = errno;
    free(chunk);
    snprintf(text, sizeof text, "%.400s cannot be written: %s", s->file, strerror(why));
    if (code) save_problem(k, dev_status(&err, EXIT_INTERNAL), err.message);
    else if (!ok) save_problem(k, EXIT_INTERNAL, text);
}

static void dump(runner *k, const own_dump *d)
{
    const uint64_t each = (uint64_t)lesson_types[k->s->buffer[d->buffer].type].bytes, bytes = (d->to - d->from) * each;
    step_dump *to = &k->r.dump[k->r.dumps++];
    sim_error err = {0};
    to->data = malloc((size_t)bytes + 1);
    to->bytes = (int)bytes;
    if (to->data && !dev_read(k->dev, k->address[d->buffer] + d->from * each, to->data, bytes, &err)) return;
    free(to->data);
    *to = (step_dump){0};
}

/* How it ended; dumps and files, in which an unknown value is a fault. */
static int look_after(runner *k, const sim_result *r)
{
    const own_kernel *own = own_of(k);
    k->r.ended = r->code;
    k->r.faults_left_out = r->faults_left_out;
    k->r.dump = calloc((size_t)own->dumps + 1, sizeof *k->r.dump);
    if (!k->r.dump) return problem(k, EXIT_INTERNAL, NULL, NO_MEMORY);
    for (int i = 0; i < own->dumps; i++) dump(k, &own->dump[i]);
    for (int i = own->saves; i-- > 0;) look_at(k, own->save[i].buffer, 0, k->host[own->save[i].buffer].count);
    for (int i = own->dumps; i-- > 0;) look_at(k, own->dump[i].buffer, own->dump[i].from, own->dump[i].to);
    for (int i = 0; i < own->saves; i++) save(k, &own->save[i]);
    return 0;
}

/* Its fault is what the run was made for. */
static int ended(runner *k, const sim_result *r, int code)
{
    (void)k, (void)r;
    return code ? EXIT_CHECK : 0;
}

static void put_title(const step_request *q, char *out, size_t size)
{
    const own_kernel *own = q->job.data;
    snprintf(out, size, "%.79s", own->file);
}

static const struct job_kind job_own = {.in_course = false,
                                        .checks = 0, /* the person says which */
                                        .serves = lesson_serves,
                                        .is_built = lesson_is_built,
                                        .command = lesson_command,
                                        .label = "the kernel",
                                        .title = put_title,
                                        .file = lesson_no_file,
                                        .answer_most = (size_t)1 << 31, /* dumps */
                                        .may_be_untimed = true,
                                        .no_card = EXIT_INTERNAL,
                                        .length_bits = 40,
                                        .parameter_least = INT64_MIN,
                                        .parameter_most = INT64_MAX,
                                        .whose = "",
                                        .faults_most = STEP_FAULTS,
                                        .open = open_own,
                                        .run = lesson_run,
                                        .buffers = runner_buffers,
                                        .variable = find_variable,
                                        .put_back = lesson_put_back,
                                        .params = put_params,
                                        .options = set_options,
                                        .look = look_after,
                                        .prints = put_output,
                                        .lines = put_lines,
                                        .ended = ended};

struct job own_job(const own_kernel *own) { return (struct job){.kind = &job_own, .data = own}; }
