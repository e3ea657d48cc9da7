/* lesson_check.c: checks a lesson across its lines: unknown names, defaults outside their range,
 * loops that are not closed, results that nobody computes. It stops at the first mistake, as the
 * parser does.
 *
 * Also here: reading a lesson, and finding its kernels. */
#include "lesson.h"
#include "metric_names.h"
#include "elements.h"
#include "step_values.h"
#include "translation.h"
#include "shell/plain_file.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum scope { SETTINGS = 1, LOCALS = 2, METRICS = 4, SEED = 8, FRAME = 16, CARD = 32 };
enum { LAUNCH = SETTINGS | LOCALS | CARD };

typedef struct naming {
    const lesson *l;
    const lesson_step *s;
    int scope;
    int settings; /* how many settings are known so far */
    int line;
    lesson_error *err;
} naming;

/* Is it a number that a run of the step has: a metric, or a result of the step? */
static bool is_number(const lesson_step *s, const char *name, size_t length)
{
    for (int i = 0; s && i < s->local_count; i++)
        if (strlen(s->locals[i]) == length && !memcmp(s->locals[i], name, length)) return true;
    return fact_named(name, length) >= 0 || metric_named(name, length) >= 0;
}

static bool is_metric(const naming *n, const char *name, size_t length)
{
    const char *dot = memchr(name, '.', length);
    if (!dot) return is_number(n->s, name, length);
    size_t tail = length - (size_t)(dot - name) - 1, prefix = (size_t)(dot - name);
    const lesson_step *other = NULL;
    if (name[0] == '[') other = lesson_step_named(n->l, name + 1, prefix - 2);
    else if (prefix == 6 && !memcmp(name, "before", 6)) other = step_before(n->l, n->s);
    return other && is_number(other, dot + 1, tail);
}

static bool known(void *arg, const char *name, size_t length)
{
    naming *n = arg;
    int setting = lesson_setting_named(n->l, name, length);
    if ((n->scope & SETTINGS) && setting >= 0 && setting < n->settings) return true;
    if ((n->scope & LOCALS) && n->s)
        for (int i = 0; i < n->s->local_count; i++)
            if (strlen(n->s->locals[i]) == length && !memcmp(n->s->locals[i], name, length)) return true;
    for (int i = 0; (n->scope & FRAME) && i < FRAME_FACTS; i++)
        if (strlen(frame_fact_names[i]) == length && !memcmp(frame_fact_names[i], name, length)) return true;
    if ((n->scope & METRICS) && is_metric(n, name, length)) return true;
    if ((n->scope & CARD) && launch_fact_named(name, length)) return true;
    if ((n->scope & SEED) && length == 4 && !memcmp(name, "seed", 4)) return true;
    lesson_error_at(n->err, n->l, n->line, "expected %s: there is no %.*s",
                    n->scope & METRICS  ? "a setting, a metric, before.METRIC or [STEP].METRIC"
                    : n->scope & LOCALS ? "a setting or a name given by let, for or finish"
                                        : "a setting given above",
                    (int)length, name);
    return false;
}

static bool names(const lesson *l, const lesson_step *s, const expr *e, int scope, int settings, int line,
                  lesson_error *err)
{
    naming n = {l, s, scope, settings, line, err};
    return expr_names(e, known, &n);
}

static bool check_arg(const lesson *l, const lesson_step *s, const lesson_arg *a, int line, lesson_error *err)
{
    naming n = {l, s, LAUNCH, LESSON_SETTINGS, line, err};
    if (a->texture && !names(l, s, &a->height, LAUNCH, LESSON_SETTINGS, line, err)) return false;
    if (!map_names(a->map, known, &n)) return false;
    return (a->buffer >= 0 && !a->texture) || a->is_float || names(l, s, &a->value, LAUNCH, LESSON_SETTINGS, line, err);
}

static bool check_actions(const lesson *l, const lesson_step *s, lesson_error *err)
{
    for (int i = 0; i < s->action_count; i++) {
        const lesson_action *a = &s->action[i];
        const expr *all[] = {&a->grid[0],  &a->grid[1], &a->grid[2], &a->block[0], &a->block[1],
                             &a->block[2], &a->shared,  &a->from,    &a->to,       &a->step};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            if (!names(l, s, all[k], LAUNCH, LESSON_SETTINGS, a->line, err)) return false;
        for (int k = 0; k < a->args; k++)
            if (!check_arg(l, s, &a->arg[k], a->line, err)) return false;
        if ((a->kind == ACT_FOR || a->kind == ACT_WHILE) && a->match < 0) {
            lesson_error_at(err, l, a->line, "expected an end: for this loop");
            return false;
        }
    }
    return true;
}

static bool check_results(const lesson *l, const lesson_step *s, lesson_error *err)
{
    for (int i = 0; i < s->article_count; i++) {
        const lesson_article *a = &s->article[i];
        if (!names(l, s, &a->condition, SETTINGS | SEED, LESSON_SETTINGS, a->line, err)) return false;
        if (metric_named(a->metric, strlen(a->metric)) < 0) {
            lesson_error_at(err, l, a->line, "expected a metric (cycles, time, bandwidth ...): there is no %s",
                            a->metric);
            return false;
        }
    }
    for (int i = 0; i < s->library_count; i++)
        if (!names(l, s, &s->library[i].condition, SETTINGS | SEED, LESSON_SETTINGS, s->library[i].line, err))
            return false;
    if ((s->library_count || s->has_peak) && !s->operations.count) {
        lesson_error_at(err, l, s->line, "expected \"operations: ...\" in step %s: its rate is compared", s->name);
        return false;
    }
    for (int i = 0; i < s->predict_count; i++) {
        const lesson_predict *p = &s->predict[i];
        const int scope = SETTINGS | METRICS | (p->has_frame ? FRAME : 0);
        for (int k = 0; k < p->choices; k++)
            if (!names(l, s, &p->choice[k].when, scope, LESSON_SETTINGS, p->choice[k].line, err)) return false;
        if (!names(l, s, &p->number, scope, LESSON_SETTINGS, p->line, err) ||
            !names(l, s, &p->per, scope, LESSON_SETTINGS, p->line, err))
            return false;
    }
    return true;
}

/* A formula's mistake has its place in the line. */
static bool check_formula(const lesson *l, const lesson_step *s, const lesson_formula *f, bool fill, int judged,
                          lesson_error *err)
{
    const element_names names = {l, s, f, fill, judged};
    element_error bad;
    if (!f || element_check(&names, &bad)) return true;
    lesson_error_at(err, l, f->line, "%s", bad.text);
    err->column = bad.column;
    snprintf(err->source, sizeof err->source, "%s", f->source);
    return false;
}

static bool check_right(const lesson *l, const lesson_step *s, const lesson_right *r, unsigned computed,
                        lesson_error *err)
{
    if (r->ours.local >= 0 && !(computed & 1u << r->ours.local)) {
        lesson_error_at(err, l, r->line,
                        "expected a result that this step computes: %s has no finish:, let: or for:", r->ours_name);
        return false;
    }
    if (r->witness >= 0 && !l->own) {
        lesson_error_at(err, l, r->line,
                        "expected an expression or an operation of the host: a kernel is no witness for another in "
                        "the lessons of warpstep, only in those of --lessons");
        return false;
    }
    for (int i = 0; i < r->args; i++)
        if (!check_arg(l, s, &r->arg[i], r->line, err)) return false;
    for (int v = 0; v < 2; v++)
        if (!names(l, s, &r->first[v], SETTINGS | LOCALS, LESSON_SETTINGS, r->line, err) ||
            !names(l, s, &r->last[v], SETTINGS | LOCALS, LESSON_SETTINGS, r->line, err))
            return false;
    return check_formula(l, s, r->formula, false, r->ours.buffer, err);
}

static bool check_step(const lesson *l, const lesson_step *s, lesson_error *err)
{
#define FAIL(at, ...) return lesson_error_at(err, l, (at), __VA_ARGS__), false
    if (!s->title) FAIL(s->line, "expected \"title: ...\" in step %s", s->name);
    if (!s->idea.text) FAIL(s->line, "expected \"idea: ...\" in step %s", s->name);
    int launches = 0;
    unsigned computed = 0;
    for (int i = 0; i < s->action_count; i++) {
        launches += s->action[i].kind == ACT_LAUNCH;
        if (s->action[i].kind == ACT_PROGRAM && (s->action_count > 1 || s->buffer_count || s->right_count))
            FAIL(s->action[i].line, "expected the program alone in step %s: it allocates, launches and judges itself",
                 s->name);
        if (s->action[i].local >= 0) computed |= 1u << s->action[i].local;
    }
    if (!s->command_count && !s->action_count)
        FAIL(s->line, "expected a launch:, a program:, a finish: or commands: in step %s", s->name);
    if (launches && !s->kernel_file)
        FAIL(s->line, "expected \"kernel: FILE.cu\" in step %s, which launches one", s->name);
    if (launches && !s->right_count)
        FAIL(s->line, "expected \"right: ...\" in step %s: what the answer must be", s->name);
    for (int i = 0; i < s->with_count; i++)
        if (!names(l, s, &s->with[i].value, SETTINGS, LESSON_SETTINGS, s->with[i].line, err)) return false;
    for (int i = 0; i < s->rule_count; i++)
        if (!names(l, s, &s->rule[i].condition, SETTINGS, LESSON_SETTINGS, s->rule[i].line, err)) return false;
    for (int i = 0; i < s->buffer_count; i++)
        if (!names(l, s, &s->buffer[i].length, SETTINGS, LESSON_SETTINGS, s->buffer[i].line, err) ||
            !names(l, s, &s->buffer[i].parameter, SETTINGS, LESSON_SETTINGS, s->buffer[i].line, err) ||
            !names(l, s, &s->buffer[i].rows, SETTINGS, LESSON_SETTINGS, s->buffer[i].line, err) ||
            !names(l, s, &s->buffer[i].columns, SETTINGS, LESSON_SETTINGS, s->buffer[i].line, err) ||
            !names(l, s, &s->buffer[i].pitch, SETTINGS, LESSON_SETTINGS, s->buffer[i].line, err) ||
            !check_formula(l, s, s->buffer[i].formula, true, -1, err))
            return false;
    for (int i = 0; i < 3; i++)
        if (!names(l, s, &s->cluster[i], SETTINGS, LESSON_SETTINGS, s->line, err)) return false;
    if (!check_actions(l, s, err)) return false;
    for (int i = 0; i < s->right_count; i++)
        if (!check_right(l, s, &s->right[i], computed, err)) return false;
    if (!names(l, s, &s->bytes, SETTINGS, LESSON_SETTINGS, s->line, err) ||
        !names(l, s, &s->operations, SETTINGS, LESSON_SETTINGS, s->line, err) ||
        !names(l, s, &s->cards, SETTINGS, LESSON_SETTINGS, s->line, err) ||
        !names(l, s, &s->each, SETTINGS, LESSON_SETTINGS, s->line, err))
        return false;
    return check_results(l, s, err);
#undef FAIL
}

bool lesson_check(const lesson *l, lesson_error *err)
{
    memset(err, 0, sizeof *err);
    for (int i = 0; i < l->setting_count; i++) {
        const lesson_setting *v = &l->setting[i];
        if (!names(l, NULL, &v->initial, SETTINGS, i, v->line, err) ||
            !names(l, NULL, &v->lean, SETTINGS, i, v->line, err) ||
            !names(l, NULL, &v->room, SETTINGS, i, v->line, err) ||
            !names(l, NULL, &v->least, SETTINGS, i, v->line, err) ||
            !names(l, NULL, &v->most, SETTINGS, i, v->line, err))
            return false;
    }
    for (int i = 0; i < l->also_count; i++)
        if (!names(l, NULL, &l->also[i].value, SETTINGS, LESSON_SETTINGS, l->also[i].line, err) ||
            (l->also[i].with >= 0 &&
             !names(l, NULL, &l->also[i].with_value, SETTINGS, LESSON_SETTINGS, l->also[i].line, err)))
            return false;
    for (int i = 0; i < l->check_count; i++)
        if (!names(l, NULL, &l->check[i].value, 0, 0, l->check[i].line, err)) return false;
    for (int i = 0; i < l->ladder_count; i++)
        if (metric_named(l->ladder[i], strlen(l->ladder[i])) < 0) {
            lesson_error_at(err, l, 1, "expected metrics after ladder: there is no %s", l->ladder[i]);
            return false;
        }
    for (int i = 0; i < l->chapter_count; i++) {
        const lesson_chapter *c = &l->chapter[i];
        if (c->first < l->step_count && !lesson_step_named(l, c->name, strlen(c->name))) continue;
        lesson_error_at(err, l, c->line,
                        c->first < l->step_count ? "expected another name: there is a step %s"
                                                 : "expected a step after chapter %s",
                        c->name);
        return false;
    }
    for (int i = 0; i < l->step_count; i++) {
        if (!check_step(l, &l->step[i], err)) return false;
        /* each default must be allowed */
        step_values values;
        char why[200];
        if (!step_settings(l, &l->step[i], NULL, &values, why, sizeof why)) {
            lesson_error_at(err, l, l->step[i].line, "step %s cannot run with its defaults: %s", l->step[i].name, why);
            return false;
        }
    }
    return true;
}

/* ---- files ---- */

int lesson_read(lesson **out, const lesson_entry *entry, const char *kernels, lesson_error *err)
{
    char *text;
    size_t bytes;
    *out = NULL;
    char folder[sizeof entry->path], *link;
    snprintf(folder, sizeof folder, "%.*s", (int)(strlen(entry->path) - strlen("/lesson.txt")), entry->path);
    if (entry->own && (link = lesson_link_out(folder)) != NULL) {
        memset(err, 0, sizeof *err);
        snprintf(err->file, sizeof err->file, "%.500s", link);
        snprintf(err->message, sizeof err->message, "a link out of the lesson's folder, to what is not the lesson's");
        free(link);
        return -1;
    }
    int failure = file_read(entry->path, LESSON_BYTES, &text, &bytes);
    if (failure) {
        memset(err, 0, sizeof *err);
        snprintf(err->file, sizeof err->file, "%.500s", entry->path);
        snprintf(err->message, sizeof err->message, "cannot be read: %s", plain_error(failure));
        return -1;
    }
    lesson *l;
    int bad = lesson_parse(&l, entry->path, text, bytes, err);
    free(text);
    if (bad) return -1;
    l->number = entry->number;
    l->own = entry->own;
    snprintf(l->folder, sizeof l->folder, "%s", entry->folder);
    l->name = strchr(l->folder, '-') + 1;
    /* an instructor's lesson may have its kernels in its own folder */
    snprintf(l->own_kernels, sizeof l->own_kernels, "%.*s", (int)(strlen(entry->path) - strlen("/lesson.txt")),
             entry->path);
    snprintf(l->kernels, sizeof l->kernels, "%s/%s", kernels, entry->folder);
    if (!lesson_check(l, err)) {
        lesson_free(l);
        return -1;
    }
    translation_read(l, NULL, l->path);
    *out = l;
    return 0;
}

/* The path of kernel_file or ptx_file: in the lesson's own folder, else in the shared one. */
bool lesson_file(const lesson *l, const char *name, char *path, size_t size)
{
    struct stat st;
    for (int i = 0; i < 2; i++)
        if ((size_t)snprintf(path, size, "%s/%s", i ? l->kernels : l->own_kernels, name) < size && stat(path, &st) == 0)
            return true;
    return false;
}

bool step_ptx_name(const lesson_step *s, char *name, size_t size)
{
    if (s->ptx_file) return (size_t)snprintf(name, size, "%s", s->ptx_file) < size;
    size_t base = strlen(s->kernel_file) - 3; /* ".cu" */
    return (size_t)snprintf(name, size, "%.*s.ptx", (int)base, s->kernel_file) < size;
}
