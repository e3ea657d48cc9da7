/* session_program.c: see session_program.h. A lesson is made whose steps are the launches that were
 * kept; session_request gives a request that runs one of them again. */
#include "session_program.h"
#include "device/devices.h"
#include "exercise_files.h"
#include "run/job_launch.h"
#include "run/kernel_name.h"
#include "session_last.h"
#include "shell/format.h"
#include "shell/plain_file.h"
#include "shell/source_text.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFERS_NAMED = 300, SOURCE_MOST = 16 << 20 };
static const char ptx_name[] = "program.ptx"; /* what the libraries call it */

/* What a step is about, and what it points to. */
typedef struct program_step {
    const struct program_snapshot *kept;
    struct job job;
    char title[160], source[1024];
} program_step;

static const struct program_snapshot *kept_of(const struct session_program *p, const lesson_step *s)
{
    return p->step[s - p->l->step].kept;
}

/* The kernel's source file, as it is shown; a file in this folder is shown without it. */
static void name_source(const struct program_snapshot *p, char *out, size_t size)
{
    char here[1024];
    snprintf(out, size, "%s", p->source ? p->source : ptx_name);
    const size_t n = getcwd(here, sizeof here) ? strlen(here) : 0;
    if (n && !strncmp(out, here, n) && out[n] == '/') memmove(out, out + n + 1, strlen(out + n + 1) + 1);
}

/* ---- the lesson ---- */

static void shape(char *out, size_t size, const uint32_t d[3])
{
    if (d[2] > 1) snprintf(out, size, "%ux%ux%u", d[0], d[1], d[2]);
    else if (d[1] > 1) snprintf(out, size, "%ux%u", d[0], d[1]);
    else snprintf(out, size, "%u", d[0]);
}

static void say_title(const struct program_snapshot *s, char *out, size_t size)
{
    char grid[40], block[40];
    if (s->why_not) {
        snprintf(out, size, "not kept");
        return;
    }
    shape(grid, sizeof grid, s->launch.grid);
    shape(block, sizeof block, s->launch.block);
    snprintf(out, size, "launch %" PRIu64 ", <<<%s, %s>>>, again alone, L2 cold", s->launch.launch, grid, block);
}

/* The kernel's title; a second launch that was kept of it is NAME-2. */
static void name_step(const lesson *l, int count, const char *kernel, char out[LESSON_NAME + 1])
{
    char buffer[400];
    const char *title = kernel_title(kernel, buffer, sizeof buffer);
    snprintf(out, LESSON_NAME + 1, "%.*s", LESSON_NAME, title);
    for (int n = 2; n < LESSON_STEPS; n++) {
        bool taken = false;
        for (int i = 0; i < count; i++) taken = taken || !strcmp(l->step[i].name, out);
        if (!taken) return;
        snprintf(out, LESSON_NAME + 1, "%.*s-%d", LESSON_NAME - 4, title, n);
    }
}

/* False: no memory. */
static bool add_step(lesson *l, const struct program_snapshot *p, program_step *of)
{
    lesson_step *s = &l->step[l->step_count];
    const uint32_t named = p->launch.regions < BUFFERS_NAMED ? p->launch.regions : BUFFERS_NAMED;
    *s = (lesson_step){.clock = -1, .after = "", .action_count = 1, .job = &of->job};
    of->kept = p;
    of->job = launch_job(p);
    s->action = calloc(1, sizeof *s->action);
    s->buffer = calloc(named + 1, sizeof *s->buffer);
    if (!s->action || !s->buffer) {
        free(s->action);
        free(s->buffer);
        return false;
    }
    name_step(l, l->step_count, p->kernel, s->name);
    say_title(p, of->title, sizeof of->title);
    name_source(p, of->source, sizeof of->source);
    s->title = of->title;
    s->kernel_file = of->source;
    s->ptx_file = ptx_name;
    s->action->kind = ACT_LAUNCH;
    snprintf(s->action->name, sizeof s->action->name, "%s", s->name);
    for (char *c = s->action->name; *c; c++) *c = *c == '{' ? '(' : *c; /* no setting is meant */
    for (int i = 0; i < 3; i++) {
        expr_constant(&s->action->grid[i], p->launch.grid[i]);
        expr_constant(&s->action->block[i], p->launch.block[i]);
    }
    expr_constant(&s->action->shared, p->launch.shared);
    for (uint32_t i = 0; i < named; i++) {
        lesson_buffer *b = &s->buffer[s->buffer_count++];
        const char *name = snapshot_region_name(p, &p->regions[i]);
        b->type = TYPE_U8;
        expr_constant(&b->length, 0);
        snprintf(b->name, sizeof b->name, "%.31s", *name ? name : "memory");
    }
    l->step_count++;
    return true;
}

static int by_time(const void *x, const void *y)
{
    const struct program_snapshot *const *a = x, *const *b = y;
    return (*a)->launch.seconds < (*b)->launch.seconds ? 1 : -((*a)->launch.seconds > (*b)->launch.seconds);
}

/* The launches of each kernel, the kernels by their time in the program; then kernels without one. */
static int order(struct session_program *p, const struct program_snapshot **out, int most)
{
    int count = 0, missing = 0;
    for (int k = 0; k < p->record.kernel_count && count < most; k++) {
        const struct program_kernel *kernel = &p->record.kernels[k];
        const int first = count;
        for (int i = 0; i < p->snapshots.count && count < most; i++) {
            const struct program_snapshot *s = &p->snapshots.list[i];
            if ((long)s->pid == kernel->pid && !strcmp(s->kernel, kernel->name)) out[count++] = s;
        }
        qsort(out + first, (size_t)(count - first), sizeof *out, by_time);
        if (count > first) continue;
        p->missing[missing] = (struct program_snapshot){
            .file = -1,
            .kernel = kernel->name,
            .why_not = p->snapshots.damaged ? "the file of launches that were kept was damaged by the program"
                                            : "none of its launches could be: too many others were, or each ran beside "
                                              "another kernel, or memory or disk were full"};
        for (int i = 0; i < 3; i++) p->missing[missing].launch.grid[i] = p->missing[missing].launch.block[i] = 1;
        out[count++] = &p->missing[missing++];
    }
    return count;
}

static bool make_lesson(struct session_program *p)
{
    const struct program_snapshot *list[LESSON_STEPS];
    lesson *l = p->l = calloc(1, sizeof *l);
    p->step = calloc(LESSON_STEPS, sizeof *p->step);
    p->missing = calloc((size_t)p->record.kernel_count + 1, sizeof *p->missing);
    if (l) l->step = calloc(LESSON_STEPS, sizeof *l->step);
    if (!l || !p->step || !l->step || !p->missing) return false;
    l->name = "exec";
    l->title = p->name;
    l->card = p->device.card;
    snprintf(l->folder, sizeof l->folder, "exec");
    snprintf(l->path, sizeof l->path, "%.1000s", p->name);
    const int count = order(p, list, LESSON_STEPS);
    bool fine = true;
    for (int i = 0; i < count && fine; i++) fine = add_step(l, list[i], &p->step[i]);
    return fine;
}

/* ---- the session ---- */

const struct session_program *session_program_here(const struct app *app)
{
    const struct lesson_state *st = app->lesson;
    return st && st->program && st->l == st->program->l ? st->program : NULL;
}

bool session_program_back(struct app *app)
{
    struct lesson_state *st = app->lesson;
    if (!st || !st->program || !st->program->l->step_count) return false;
    if (st->l != st->program->l) session_change(app, st->program->l);
    for (const lesson_step *s = st->l->step; !st->s && s < st->l->step + st->l->step_count; s++)
        if (!kept_of(st->program, s)->why_not) st->s = s;
    if (!st->s) st->s = st->l->step;
    session_last_set(app, LAST_PROGRAM);
    return true;
}

static void program_free(struct session_program *p)
{
    lesson_free(p->l);
    free(p->step);
    free(p->name);
    free(p->missing);
    program_snapshots_free(&p->snapshots);
    program_record_free(&p->record);
    free(p);
}

void session_program_end(struct app *app)
{
    struct lesson_state *st = app->lesson;
    if (!st || !st->program) return;
    if (session_program_here(app)) session_change(app, NULL);
    program_free(st->program);
    st->program = NULL;
}

int session_program_begin(struct app *app, const char *name, const struct device *d, struct program_record *r,
                          struct program_snapshots *snapshots)
{
    session_program_end(app);
    struct session_program *p = session_state(app) ? calloc(1, sizeof *p) : NULL;
    if (!p) {
        program_record_free(r);
        program_snapshots_free(snapshots);
        return app_no_memory(app);
    }
    p->name = strdup(name);
    p->device = *d;
    p->record = *r;
    p->snapshots = *snapshots;
    if (!p->name || !make_lesson(p)) {
        program_free(p);
        return app_no_memory(app);
    }
    if (p->snapshots.damaged)
        app_warn(app, "the file of launches that were kept is damaged (%s): some cannot be run again",
                 p->snapshots.damaged);
    app->lesson->program = p;
    if (!p->l->step_count) return 0; /* it launched nothing: what was at hand stays */
    session_program_back(app);
    exercise_leave(app);
    return 0;
}

const lesson_step *session_program_step(const struct session_program *p, const char *name)
{
    const size_t length = strlen(name);
    const lesson_step *s = lesson_step_named(p->l, name, length);
    for (int i = 0; !s && length && i < p->l->step_count; i++)
        if (!strncmp(p->l->step[i].name, name, length)) s = &p->l->step[i];
    return s;
}

int session_program_devices(struct app *app, const lesson_step *s, step_chosen *chosen, struct device out[DEVICES_MAX],
                            int *count)
{
    (void)chosen;
    *count = 1;
    out[0] = app->lesson->program->device;
    if (!app->device_explicit) return 0;
    int status = device_resolve(app, out[0].card, out, count);
    for (int i = 0; !status && i < *count; i++)
        if (out[i].kind == DEVICE_GPU) status = session_use(app, s, USE_GPU, NULL);
    return status;
}

/* Of a module of many kernels, the text of that one. */
static void keep_kernel(const struct program_snapshot *p, char *text, size_t *bytes)
{
    size_t from = 0, to = 0;
    uint32_t line = 1;
    for (; to < *bytes && line <= p->launch.last_line; to++) {
        if (text[to] != '\n') continue;
        if (++line == p->launch.first_line) from = to + 1;
    }
    if (line < p->launch.first_line || to <= from) return; /* the text has no such lines */
    *bytes = to - from;
    memmove(text, text + from, *bytes);
    text[*bytes] = 0;
}

static int read_ptx(struct app *app, const lesson_step *s, char **text, size_t *bytes)
{
    const struct program_snapshot *p = kept_of(app->lesson->program, s);
    *text = NULL;
    if (p->why_not) return app_fail(app, EXIT_USAGE, NULL, "%s was not kept: %s", s->name, p->why_not);
    if (snapshot_text(p, text, bytes)) return 0;
    return app_fail(app, EXIT_INTERNAL, "exec", "what was kept of %s is damaged", s->name);
}

int session_program_ptx(struct app *app, const lesson_step *s, step_request *q, char **ptx)
{
    snprintf(q->ptx_name, sizeof q->ptx_name, "%s", ptx_name);
    return read_ptx(app, s, ptx, &q->ptx_bytes);
}

/* The PTX says where the source is, and may say anything: only what lies at or below this folder, the
 * program's or its sources' is shown. False: `file` does not, or is not there. */
static bool may_show(const struct session_program *p, const char *file, char *real)
{
    char one[PATH_MAX];
    if (source_beside("", true, file, real)) return true;
    for (const char *at = p->name; *at;) {
        const size_t n = strcspn(at, ",");
        snprintf(one, sizeof one, "%.*s", (int)(n < sizeof one ? n : 0), at);
        if (source_beside(one, true, file, real)) return true;
        at += n + (at[n] == ',');
    }
    return false;
}

int session_program_text(struct app *app, const lesson_step *s, bool ptx, char **text, size_t *bytes, char *shown,
                         size_t size)
{
    const bool none = !strcmp(s->kernel_file, ptx_name); /* no source is known: then the lines are the PTX's */
    snprintf(shown, size, "%s", ptx ? ptx_name : s->kernel_file);
    if (ptx || none || kept_of(app->lesson->program, s)->why_not) {
        const int status = read_ptx(app, s, text, bytes);
        if (!status && !none) keep_kernel(kept_of(app->lesson->program, s), *text, bytes);
        return status;
    }
    char real[PATH_MAX];
    const bool may = may_show(app->lesson->program, s->kernel_file, real);
    if (!may && !access(s->kernel_file, F_OK))
        return app_fail(app, EXIT_USAGE, "show ptx",
                        "%s, which the program says that it was built from, is not shown: it lies neither in this "
                        "folder nor in the program's, nor below them",
                        s->kernel_file);
    const int failure = may ? file_read(real, SOURCE_MOST, text, bytes) : ENOENT;
    if (!failure) return 0;
    return app_fail(app, EXIT_USAGE, "show ptx", "%s, which the program was built from, cannot be read: %s",
                    s->kernel_file, plain_error(failure));
}
