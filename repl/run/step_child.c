/* step_child.c: what happens in the child that runs a step. Read it from step_child at the end:
 * open the card, load the kernel, and what the kind of job does (job.h): mostly lesson_run, which
 * allocates and fills the buffers, performs the step's actions in order, and judges. Then the
 * record is written as the answer. Any failure writes a problem and ends the child with an exit
 * status. */
#include "step_runner.h"
#include "kernel_name.h"
#include "device/card_changes.h"
#include "shell/child.h"
#include "shell/free_memory.h"
#include "list.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_LAUNCHES = 100000, MOST_TURNS = 1000000 };

/* short names for what is used throughout */
#define problem(...) runner_problem(__VA_ARGS__)
#define now          runner_now
#define value_of     runner_value_of

int runner_problem(runner *k, int status, const char *advice, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(k->r.problem, sizeof k->r.problem, fmt, args);
    va_end(args);
    COPY(k->r.advice, advice);
    return status;
}

double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- expressions ---- */

bool runner_value(void *arg, const char *name, size_t length, int64_t *value)
{
    const runner *k = arg;
    int i = lesson_setting_named(k->q->l, name, length);
    if (i >= 0) {
        *value = k->q->values.value[i];
        return true;
    }
    for (i = 0; i < k->s->local_count; i++)
        if (k->has_local[i] && strlen(k->s->locals[i]) == length && !memcmp(k->s->locals[i], name, length)) {
            *value = k->result[i].data ? cpu_integer(&k->result[i], 0) : k->local[i];
            return true;
        }
    return k->dev && launch_fact(dev_card(k->dev), name, length, value);
}

int value_of(runner *k, const expr *e, int line, const char *what, int64_t least, int64_t most, int64_t *out)
{
    char why[160];
    if (!expr_eval(e, runner_value, k, out, why, sizeof why))
        return problem(k, EXIT_USAGE, NULL, "%s:%d: %s: %s", k->q->l->path, line, what, why);
    if (*out < least || *out > most)
        return problem(k, EXIT_USAGE, NULL, "%s:%d: %s is %lld; it must be between %lld and %lld", k->q->l->path, line,
                       what, (long long)*out, (long long)least, (long long)most);
    return 0;
}

/* ---- buffers ---- */

/* Works out the rows of a buffer. v->count then counts the elements of the rows alone. */
static int shape(runner *k, int i, const lesson_buffer *b)
{
    cpu_value *v = &k->host[i];
    int64_t rows, columns, pitch, most = (int64_t)v->count;
    int bad = value_of(k, &b->rows, b->line, "the number of rows", 1, most, &rows);
    if (!bad) bad = value_of(k, &b->columns, b->line, "the elements of a row", 1, most, &columns);
    if (!bad) bad = value_of(k, &b->pitch, b->line, "the elements from a row to the next", columns, most, &pitch);
    if (bad) return bad;
    if (rows - 1 > (most - columns) / pitch)
        return problem(k, EXIT_USAGE, NULL, "%s:%d: %lld rows do not fit into buffer %s", k->q->l->path, b->line,
                       (long long)rows, b->name);
    k->row[i] = (uint64_t)columns * (uint64_t)lesson_types[b->type].bytes;
    k->pitch[i] = (uint64_t)pitch * (uint64_t)lesson_types[b->type].bytes;
    v->count = (uint64_t)(rows * columns);
    return 0;
}

/* Copy between the host's packed data and memory `at` of the card: in one piece, or row by row. */
static int copy_rows(runner *k, int at, void *data, bool to_card, sim_error *err)
{
    uint64_t bytes = k->host[at].count * (uint64_t)lesson_types[k->host[at].type].bytes;
    uint64_t row = k->row[at] && k->row[at] < k->pitch[at] ? k->row[at] : bytes;
    int status = 0;
    if (row < bytes && k->dev->ops->rows)
        return k->dev->ops->rows(k->dev, k->address[at], k->pitch[at], data, row, bytes / row, to_card, err);
    for (uint64_t from = 0, address = k->address[at]; from < bytes && !status; from += row, address += k->pitch[at])
        status = to_card ? dev_write(k->dev, address, (char *)data + from, row, err)
                         : dev_read(k->dev, address, (char *)data + from, row, err);
    return status;
}

int runner_restore(runner *k, int at, sim_error *err)
{
    const lesson_buffer *b = &k->s->buffer[at];
    void *found = b->fill == FILL_NONE || b->rest_zero ? NULL : malloc((size_t)k->bytes[at] + 1);
    int code = 0;
    bool same = found && !(code = copy_rows(k, at, found, false, err)) &&
                !memcmp(found, k->host[at].data, (size_t)k->host[at].count * (size_t)lesson_types[b->type].bytes);
    free(found);
    if (!code && !same && b->rest_zero) code = dev_zero(k->dev, k->address[at], k->bytes[at], err);
    return code || same || b->fill == FILL_NONE ? code : copy_rows(k, at, k->host[at].data, true, err);
}

/* Fill memory of the buffer's length. *goes_on: where the random numbers continue. */
static bool fill_into(const buffer_fill *f, void *memory, fill_stream *goes_on, element_error *err)
{
    *goes_on = f->from;
    *err = (element_error){0};
    if (!f->formula) return fill_buffer(f->buffer, f->count, goes_on, f->parameter, memory);
    const element_range all = {.count = f->count};
    cpu_value out = {.type = f->buffer->type, .count = f->count, .data = memory};
    return element_run(f->formula, &all, &out, err);
}

static void fill_again(void *arg, void *memory)
{
    fill_stream ignored;
    element_error none; /* it was filled before */
    fill_into(arg, memory, &ignored, &none);
}

/* On a simulated card the host's memory can become the card's, if the original is not needed
 * again. */
static bool can_be_given(const runner *k, int i)
{
    const lesson_buffer *b = &k->s->buffer[i];
    return step_launches(k->s) && k->dev->ops->give && b->fill != FILL_NONE && !b->rows.count && !b->symbol &&
           !k->q->hot && !runner_reads_later(k->s, i);
}

/* Memory of this computer that buffers take: the host's copy and, on a simulated card, the card's.
 * A simulated card also tracks what was written, in three bits per byte. A launch may save up to
 * half a GiB of the contents. */
static uint64_t memory_for(const runner *k, uint64_t host, uint64_t card)
{
    if (!step_launches(k->s) || !dev_info(k->dev)->simulated) return host;
    return host + card + 3 * (host / 8) + (card < UINT64_C(1) << 29 ? card : UINT64_C(1) << 29);
}

/* Allocate a buffer on the card with the host's contents. */
static int put_on_card(runner *k, int i, sim_error *err)
{
    const lesson_buffer *b = &k->s->buffer[i];
    int code;
    if (b->symbol) return copy_rows(k, i, k->host[i].data, true, err);
    if (k->given[i]) {
        code = k->dev->ops->give(k->dev, k->host[i].data, k->bytes[i], b->name, fill_again, &k->fill[i], &k->address[i],
                                 err);
        k->given[i] = !code;
        return code;
    }
    code = dev_alloc(k->dev, k->bytes[i], b->name, &k->address[i], err);
    if (!code && b->rest_zero) code = dev_zero(k->dev, k->address[i], k->bytes[i], err);
    return code || b->fill == FILL_NONE ? code : copy_rows(k, i, k->host[i].data, true, err);
}

int runner_buffers(runner *k)
{
    const struct job_kind *kind = k->job->kind;
    const uint64_t room = k->q->room ? k->q->room : room_now();
    uint64_t total = 0, own_bytes = 0, to_card = 0;
    fill_stream stream;
    fill_start(&stream, k->q->seed);
    for (int i = 0; i < k->s->buffer_count; i++) {
        const lesson_buffer *b = &k->s->buffer[i];
        cpu_value *v = &k->host[i];
        int64_t count, parameter = 0;
        int bad = value_of(k, &b->length, b->line, "the buffer's length", 0, INT64_C(1) << kind->length_bits, &count);
        if (!bad && b->parameter.count)
            bad = value_of(k, &b->parameter, b->line, "the number after %", kind->parameter_least, kind->parameter_most,
                           &parameter);
        if (bad) return bad;
        v->type = b->type;
        v->count = (uint64_t)count;
        k->bytes[i] = v->count * (uint64_t)lesson_types[b->type].bytes;
        if (b->symbol && (bad = kind->variable(k, i))) return bad;
        if (b->rows.count && (bad = shape(k, i, b))) return bad;
        uint64_t bytes = v->count * (uint64_t)lesson_types[b->type].bytes;
        if (!v->data) k->given[i] = can_be_given(k, i);
        const bool on_card = !kind->reads_unfilled && b->fill == FILL_NONE;
        total += v->data || on_card ? 0 : k->bytes[i]; /* buffers of the previous run are still there */
        own_bytes += v->data || k->given[i] ? 0 : k->bytes[i];
        if (memory_for(k, total, own_bytes) > room)
            return problem(
                k, k->q->sealed ? EXIT_INTERNAL : EXIT_USAGE, kind->smaller,
                "the %sbuffers%s take %.2f GiB or more, for which this computer has too little memory: %.2f GiB are "
                "free",
                kind->whose, dev_info(k->dev)->simulated ? " and the simulated card" : "",
                (double)memory_for(k, total, own_bytes) / (1 << 30), (double)room / (1 << 30));
        k->place[i] = i;
        k->writer[i].line = -1;
        bool filled = v->data != NULL; /* a repeated run on the same inputs */
        if (!filled && !on_card &&
            !(v->data = b->fill == FILL_NONE ? calloc((size_t)bytes + 1, 1) : sim_host_memory((size_t)bytes + 1)))
            return problem(k, EXIT_INTERNAL, "Choose smaller settings.", "no memory for buffer %s", b->name);
        if (!bytes) /* nothing to allocate: the kernel gets a null pointer, as from cudaMalloc of 0 bytes */
            continue;
        if (!filled && b->fill != FILL_NONE) {
            stream.buffer = i;
            element_error err;
            k->fill[i] = (buffer_fill){b, v->count, stream, parameter, NULL};
            if (b->formula && (bad = runner_bind(k, b->formula, true, -1, &k->fill[i].formula))) return bad;
            if (!fill_into(&k->fill[i], v->data, &stream, &err))
                return b->formula
                           ? runner_element_problem(k, b->formula, &err)
                           : problem(k, EXIT_USAGE, NULL, "%s became shorter, or cannot be read any more", b->file);
        }
        if (!step_launches(k->s)) /* the step runs on the CPU alone */
            continue;
        sim_error err = {0};
        double start = now();
        const int code = put_on_card(k, i, &err);
        k->r.card_full = code == SIM_E_LIMIT;
        if (code) return problem(k, dev_status(&err, EXIT_USAGE), err.hint, "%s", err.message);
        k->device_seconds += now() - start;
        k->host_side += sim_host_time_alloc(dev_card(k->dev), k->bytes[i]);
        if (b->fill != FILL_NONE) {
            to_card += bytes;
            k->host_side += sim_host_time_copy(dev_card(k->dev), bytes, false);
        }
    }
    k->r.to_card = to_card;
    return 0;
}

void runner_count_back(runner *k, int buffer, const cpu_value *v)
{
    int *last = &k->copied_after[k->place[buffer]];
    if (*last == k->r.launches) return; /* the host has it already */
    *last = k->r.launches;
    uint64_t bytes = v->count * (uint64_t)lesson_types[v->type].bytes;
    k->r.from_card += bytes;
    k->host_side += sim_host_time_copy(dev_card(k->dev), bytes, false);
}

/* The current contents of a buffer on the card. */
int runner_read(runner *k, int buffer, cpu_value *out)
{
    int at = k->place[buffer];
    *out = k->host[at];
    size_t bytes = (size_t)(out->count * (uint64_t)lesson_types[out->type].bytes);
    out->data = sim_host_memory(bytes + 1);
    if (!out->data)
        return problem(k, EXIT_INTERNAL, "Choose smaller settings.", "no memory to copy %s back",
                       k->s->buffer[buffer].name);
    sim_error err = {0};
    double start = now();
    if (copy_rows(k, at, out->data, false, &err)) {
        cpu_value_free(out);
        return problem(k, EXIT_INTERNAL, err.hint, "%s", err.message);
    }
    k->device_seconds += now() - start;
    return 0;
}

int runner_known(runner *k, int buffer)
{
    int at = k->place[buffer];
    sim_fault f;
    uint32_t each = (uint32_t)lesson_types[k->host[at].type].bytes;
    uint64_t bytes = k->host[at].count * each, row = k->row[at] && k->row[at] < k->pitch[at] ? k->row[at] : bytes;
    for (uint64_t from = 0, address = k->address[at]; from < bytes; from += row, address += k->pitch[at])
        if (dev_unknown(k->dev, address, row, k->s->buffer[buffer].name, each, &f)) {
            report_fault(k, &f);
            return EXIT_CHECK;
        }
    return 0;
}

/* ---- launches ---- */

/* Record an act to be repeated later. The launch's parameters then belong to the record. */
static bool record(runner *k, dev_act act)
{
    if (!k->recording) return false;
    if (!list_grow(&k->act, (size_t)k->acts, sizeof *k->act)) return k->recording = false;
    if (act.module && !(act.launch.kernel = strdup(act.launch.kernel))) return k->recording = false;
    k->act[k->acts++] = act;
    return true;
}

/* The time of the launches so far is known before all of their results are: report it early. */
static void report_soon(void *runner_of_step, uint64_t cycles)
{
    runner *k = runner_of_step;
    const double all = (double)(k->cycles + cycles);
    child_printf(k->c, "soon %.0f %.9g\n", all, sim_host_time_kernel(dev_card(k->dev), all, (uint64_t)k->r.launches));
}

/* Is this launch the one to be filmed? */
static bool is_filmed(const runner *k) { return k->q->film && k->r.launches == k->q->film->launch; }

static film_writer *begin_film(const runner *k, sim_launch *l)
{
    struct film_buffer buffers[STEP_BUFFERS];
    int count = 0;
    for (int i = 0; i < k->s->buffer_count; i++) {
        const int at = k->place[i];
        if (!k->bytes[at]) continue;
        buffers[count++] = (struct film_buffer){.name = k->s->buffer[i].name,
                                                .type = lesson_types[k->host[at].type].name,
                                                .address = k->address[at],
                                                .bytes = k->bytes[at]};
    }
    return film_begin(k->q->film, dev_card(k->dev), dev_sim_module(k->dev, k->module), l, buffers, count);
}

static int launch(runner *k, const lesson_action *a)
{
    if (++k->r.launches > MOST_LAUNCHES)
        return problem(k, EXIT_USAGE, NULL, "%s:%d: more than %d launches", k->q->l->path, a->line, MOST_LAUNCHES);
    char entry[96];
    int matches;
    const sim_kernel *kernel = k->kernel;
    if (!kernel) {
        step_entry(k->q->l, &k->q->values, a, entry, sizeof entry);
        kernel = kernel_called(k->dev, k->module, entry, &matches);
    }
    if (!kernel) snprintf(k->r.absent_kernel, sizeof k->r.absent_kernel, "%s", entry);
    if (!kernel)
        return problem(k, EXIT_USAGE, NULL, "%s:%d: %s has no kernel called %s", k->q->l->path, a->line, k->q->ptx_name,
                       entry);
    sim_launch l = {.kernel = kernel->name,
                    .timed = k->timed,
                    .exact = k->q->exact,
                    .counts =
                        SIM_COUNT_MEMORY | (k->q->lines ? SIM_COUNT_LINES : 0) | (k->q->chains ? SIM_COUNT_CHAINS : 0),
                    .checks = k->q->checks,
                    .host_threads = k->q->host_threads,
                    .soon = k->q->hot ? NULL : report_soon, /* hot: the time to show is that of the second run */
                    .soon_arg = k,
                    .shuffle = k->timed ? 0 : k->q->shuffle};
    for (int i = 0; i < 3; i++) {
        int64_t grid = 1, block = 1;
        int bad = 0;
        if (a->grid[i].count) bad = value_of(k, &a->grid[i], a->line, "the number of blocks", 1, UINT32_MAX, &grid);
        if (!bad && a->block[i].count)
            bad = value_of(k, &a->block[i], a->line, "the number of threads", 1, UINT32_MAX, &block);
        if (bad) return bad;
        int64_t cluster = k->s->cluster[0].count > 0;
        if (k->s->cluster[i].count)
            bad = value_of(k, &k->s->cluster[i], k->s->line, "the blocks of a cluster", 1, 1024, &cluster);
        if (bad) return bad;
        l.cluster[i] = (uint32_t)cluster;
        l.grid[i] = (uint32_t)grid;
        l.block[i] = (uint32_t)block;
    }
    int64_t shared = 0;
    int bad = a->shared.count ? value_of(k, &a->shared, a->line, "shared memory", 0, UINT32_MAX, &shared) : 0;
    unsigned char *params = calloc(1, kernel->param_bytes + 8);
    if (!bad && !params) bad = problem(k, EXIT_INTERNAL, NULL, NO_MEMORY);
    if (!bad) bad = k->job->kind->params(k, a, kernel, params);
    if (bad) {
        free(params);
        return bad;
    }
    if (k->q->trace) {
        l.trace = report_access;
        l.trace_arg = k;
        l.trace_block = k->q->trace_block;
        l.trace_warp = k->q->trace_warp;
    }
    if (k->q->find_writer) {
        l.trace = report_writer;
        l.trace_arg = k;
        l.trace_block = UINT64_MAX;
        memcpy(k->block, l.block, sizeof k->block);
    }
    if (k->q->budget) /* at least 1, as 0 would mean no limit */
        l.max_instructions = k->q->budget > k->spent ? k->q->budget - k->spent : 1;
    l.shared_bytes = (uint32_t)shared;
    l.params = params;
    l.param_bytes = kernel->param_bytes;
    k->job->kind->options(k, &l);
    if (kernel->local_bytes > k->r.kernel_local) k->r.kernel_local = kernel->local_bytes;
    if (k->r.launches == 1) {
        report_occupancy(k, kernel, &l);
        memcpy(k->r.grid, l.grid, sizeof k->r.grid);
        memcpy(k->r.block, l.block, sizeof k->r.block);
        memcpy(k->r.cluster, l.cluster, sizeof k->r.cluster);
        k->r.shared = l.shared_bytes;
    }
    film_writer *film = is_filmed(k) ? begin_film(k, &l) : NULL;
    if (is_filmed(k) && !film) {
        free(params);
        return problem(k, EXIT_USAGE, NULL,
                       "launch %d has a grid of %u x %u x %u blocks: "
                       "block %u,%u,%u is not one of them",
                       k->r.launches, l.grid[0], l.grid[1], l.grid[2], k->q->film->at[0], k->q->film->at[1],
                       k->q->film->at[2]);
    }
    sim_result r;
    sim_error err = {0};
    memset(&r, 0, sizeof r);
    double start = now();
    int code = dev_launch(k->dev, k->module, &l, &r, &err);
    film_end(film);
    k->filmed = film;
    k->launch_seconds += now() - start;
    k->device_seconds += now() - start;
    bool kept = !code && record(k, (dev_act){.module = k->module, .launch = l});
    if (!kept) free(params);
    if (code && code != SIM_E_FAULT && code != SIM_E_STOPPED) {
        dev_result_free(&r);
        return problem(k, dev_status(&err, EXIT_USAGE), err.hint, "%s", err.message);
    }
    int status = k->again ? 0 : k->job->kind->look(k, &r);
    k->r.whole = !code;
    report_launch(k, &r);
    if (!status) status = k->job->kind->ended(k, &r, code);
    if (film && r.code != SIM_E_FAULT) status = 0; /* it was stopped when its film was long enough */
    dev_result_free(&r);
    return status;
}

/* ---- actions ---- */

int runner_act(runner *k)
{
    int64_t last[LESSON_ACTIONS], by[LESSON_ACTIONS]; /* of running `for` loops */
    long turns = 0;
    for (int i = 0; i < k->s->action_count; i++) {
        const lesson_action *a = &k->s->action[i];
        int64_t v;
        int status = 0;
        if (++turns > MOST_TURNS)
            return problem(k, EXIT_USAGE, NULL, "%s:%d: the step's loops do not end", k->q->l->path, a->line);
        switch (a->kind) {
        case ACT_LAUNCH:
            status = runner_before_card(k);
            if (!status) status = launch(k, a);
            break;
        case ACT_LET:
            status = value_of(k, &a->from, a->line, a->name, INT64_MIN, INT64_MAX, &k->local[a->local]);
            k->has_local[a->local] = true;
            break;
        case ACT_FOR:
            by[i] = 1;
            status = value_of(k, &a->from, a->line, a->name, INT64_MIN / 4, INT64_MAX / 4, &k->local[a->local]);
            if (!status)
                status = value_of(k, &a->to, a->line, "the last value", INT64_MIN / 4, INT64_MAX / 4, &last[i]);
            if (!status && a->step.count)
                status = value_of(k, &a->step, a->line, "the loop's step", INT64_MIN / 4, INT64_MAX / 4, &by[i]);
            if (!status && by[i] == 0)
                status = problem(k, EXIT_USAGE, NULL, "%s:%d: the loop's step is 0", k->q->l->path, a->line);
            k->has_local[a->local] = true;
            if (!status && (by[i] > 0 ? k->local[a->local] > last[i] : k->local[a->local] < last[i])) i = a->match;
            break;
        case ACT_WHILE:
            status = value_of(k, &a->from, a->line, "the condition", INT64_MIN, INT64_MAX, &v);
            if (!status && !v) i = a->match;
            break;
        case ACT_END: {
            const lesson_action *loop = &k->s->action[a->match];
            if (loop->kind == ACT_WHILE) {
                i = a->match - 1; /* evaluate the condition again */
            } else {
                int64_t next = k->local[loop->local] + by[a->match]; /* both are within a quarter of the range */
                k->local[loop->local] = next;
                if (by[a->match] > 0 ? next <= last[a->match] : next >= last[a->match]) i = a->match;
            }
            break;
        }
        case ACT_ZERO: {
            int at = k->place[a->arg[0].buffer];
            sim_error err = {0};
            if ((status = runner_before_card(k))) break;
            k->copied_after[at] = 0;
            if (k->bytes[at] && dev_zero(k->dev, k->address[at], k->bytes[at], &err))
                status = problem(k, EXIT_INTERNAL, NULL, "%s", err.message);
            if (k->bytes[at]) record(k, (dev_act){.address = k->address[at], .bytes = k->bytes[at]});
            break;
        }
        case ACT_SWAP: {
            int x = a->arg[0].buffer, y = a->arg[1].buffer, t = k->place[x];
            k->place[x] = k->place[y];
            k->place[y] = t;
            break;
        }
        case ACT_FINISH:
        case ACT_HOST: status = runner_finish(k, a); break;
        case ACT_PROGRAM: break; /* such a step has no other action, and is another kind of job */
        }
        if (status || k->filmed) return status;
    }
    return 0;
}

int runner_open(runner *k)
{
    sim_error err = {0};
    if (dev_open(&k->dev, &k->q->device, k->q->card_text, &err)) {
        int status = dev_status(&err, k->job->kind->no_card);
        return err.line ? problem(k, status, err.hint, "%s:%d: %s", err.file, err.line, err.message)
                        : problem(k, status, err.hint, "%s", err.message);
    }
    const sim_card *card = dev_card(k->dev);
    step_result *r = &k->r;
    COPY(r->card, card->name);
    COPY(r->card_title, card->title);
    r->cc_major = card->cc_major;
    r->cc_minor = card->cc_minor;
    r->banks = card->banks;
    r->clock_khz = card->clock_khz;
    r->multiprocessors = card->multiprocessors;
    r->max_threads_per_mp = card->max_threads_per_mp;
    r->max_blocks_per_mp = card->max_blocks_per_mp;
    r->shared_per_mp = card->shared_per_mp;
    r->registers_per_mp = card->registers_per_mp;
    if (dev_info(k->dev)->simulated && card_peaks(card, &r->rate_peak, &r->memory_peak))
        r->double_price = card_double_price(card);
    k->timed = dev_info(k->dev)->has_clock && !k->q->trace && !k->q->untimed;
    if (k->timed && dev_has_cache(k->dev) && step_launches(k->s)) r->cache = k->q->hot ? CACHE_HOT : CACHE_COLD;
    if (k->q->film) dev_keep_names(k->dev);
    return k->job->kind->open(k);
}

int runner_load(runner *k, int refused)
{
    sim_error err = {0};
    step_result *r = &k->r;
    if (!k->q->ptx || !dev_load(k->dev, k->q->ptx_name, k->q->ptx, k->q->ptx_bytes, &k->module, &err)) return 0;
    if (k->q->shipped) { /* the driver may be too old for the PTX of a newer compiler */
        sim_error second = {0};
        r->gpu.compiler[0] = 0;
        if (!dev_load(k->dev, k->q->ptx_name, k->q->shipped, k->q->shipped_bytes, &k->module, &second)) return 0;
    }
    int status = dev_status(&err, err.code == SIM_E_MEMORY ? EXIT_INTERNAL : refused);
    r->problem_line = err.line;
    r->problem_column = err.column;
    return err.line ? problem(k, status, err.hint, "%s:%d:%d: %s", err.file, err.line, err.column, err.message)
                    : problem(k, status, err.hint, "%s", err.message);
}

void runner_free(runner *k)
{
    for (int i = 0; i < STEP_BUFFERS; i++) {
        if (!k->given[i]) cpu_value_free(&k->host[i]);
        element_free(k->fill[i].formula);
    }
    for (int i = 0; i < LESSON_LOCALS; i++) cpu_value_free(&k->result[i]);
    for (int i = 0; i < k->acts; i++)
        if (k->act[i].module) {
            free((void *)(uintptr_t)k->act[i].launch.kernel);
            free((void *)(uintptr_t)k->act[i].launch.params);
        }
    for (int i = 0; i < LESSON_RIGHTS; i++) cpu_value_free(&k->reference[i]);
    free(k->act);
    k->r.line = k->line;
    step_result_free(&k->r);
    free(k);
}

runner *runner_new(struct child *c, const step_request *q)
{
    runner *k = calloc(1, sizeof *k);
    if (!k) return NULL;
    k->c = c;
    k->q = q;
    k->job = request_job(q);
    k->s = q->s;
    k->r.bytes = k->r.operations = -1;
    return k;
}

int step_child(struct child *c, void *request)
{
    const step_request *q = request;
    runner *k = runner_new(c, q);
    if (!k) return EXIT_INTERNAL;
    int status = runner_open(k);
    if (!status) status = k->job->kind->run(k);
    k->r.complete = !status;
    if (!report_totals(k) && !status) status = EXIT_INTERNAL;
    /* The process ends now. Freeing everything first lets a leak checker see that nothing else
     * leaks. */
    dev_close(k->dev);
    runner_free(k);
    return status;
}
