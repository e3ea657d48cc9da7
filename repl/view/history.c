/* history.c: the whole journal as a page to hand in (`export html`): progress, a chart and a table
 * for each lesson and device, the sources of the steps that ran, exercises with the student's own
 * answers, films, and notes.
 *
 * Of several runs of a step on a device with the same size, the page shows the last. */
#include "session/exercise_files.h"
#include "device/devices.h"
#include "judge/judge.h"
#include "session/session.h"
#include "shell/progress.h"
#include "view.h"
#include "shell/words.h"
#include "shell/plain_file.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_RUNS = 2000, MOST_DEVICES = 16 };

typedef struct run {
    char step[64], device[80], time[24], n[24], n_name[32], correct[8];
    double cycles, ms, gbps, gflops; /* below 0: unknown */
} run;

typedef struct page {
    doc *d;
    run *run;
    int runs, shown;
    const lesson *l;
} page;

/* ---- the journal ---- */

static double real_of(const struct state_event *e, const char *key)
{
    const char *text = state_value(e, key);
    char *end;
    double v = text ? strtod(text, &end) : -1;
    return text && *text && !*end && isfinite(v) && v >= 0 ? v : -1;
}

static bool add_run(void *arg, const struct state_event *e)
{
    page *p = arg;
    const char *device = state_value(e, "device"), *correct = state_value(e, "correct");
    if (strcmp(e->verb, "run") || !strchr(e->step, '.') || !device) return true;
    run r = {.cycles = real_of(e, "cycles"),
             .ms = real_of(e, "ms"),
             .gbps = real_of(e, "gbps"),
             .gflops = real_of(e, "gflops")};
    snprintf(r.step, sizeof r.step, "%.63s", e->step);
    snprintf(r.device, sizeof r.device, "%.79s", device);
    snprintf(r.time, sizeof r.time, "%.23s", e->time);
    snprintf(r.correct, sizeof r.correct, "%.7s", correct ? correct : "");
    /* the size is the one pair with another key */
    static const char *const others[] = {"device", "correct", "cycles", "ms", "gbps", "gflops"};
    for (int i = 0; i < e->pairs; i++) {
        bool other = false;
        for (size_t k = 0; k < sizeof others / sizeof *others; k++) other = other || !strcmp(e->key[i], others[k]);
        if (!other && !r.n[0]) {
            snprintf(r.n, sizeof r.n, "%.23s", e->value[i]);
            snprintf(r.n_name, sizeof r.n_name, "%.31s", e->key[i]);
        }
    }
    for (int i = 0; i < p->runs; i++)
        if (!strcmp(p->run[i].step, r.step) && !strcmp(p->run[i].device, r.device) && !strcmp(p->run[i].n, r.n)) {
            p->run[i] = r;
            return true;
        }
    if (p->runs < MOST_RUNS) p->run[p->runs++] = r;
    return true;
}

/* ---- a lesson ---- */

/* The article's cycles for a step at that size, or -1. */
static double article_cycles(const page *p, const lesson_step *s, const run *r, char *device, size_t size)
{
    step_values values;
    char why[200];
    if (!step_settings(p->l, s, NULL, &values, why, sizeof why)) return -1;
    int n = lesson_setting_named(p->l, r->n_name, strlen(r->n_name));
    if (n >= 0) values.value[n] = strtoll(r->n, NULL, 10);
    for (int i = 0; i < s->article_count; i++) {
        const lesson_article *a = &s->article[i];
        int64_t holds = 1;
        if (strcmp(a->metric, "cycles") ||
            (a->condition.count && !step_value(p->l, &values, &a->condition, &holds, why, sizeof why)) || !holds)
            continue;
        snprintf(device, size, "%s", a->device);
        return a->value;
    }
    return -1;
}

static void put_chart(page *p, run *const *list, const lesson_step *const *step, int count)
{
    char device[40] = "", title[100], other[120];
    doc_bar bar[LESSON_STEPS];
    bool cycles = true;
    for (int i = 0; i < count; i++) cycles = cycles && list[i]->cycles > 0;
    for (int i = 0; i < count; i++) {
        const double theirs = cycles ? article_cycles(p, step[i], list[i], device, sizeof device) : -1;
        doc_bar *b = &bar[i];
        *b = (doc_bar){strchr(list[i]->step, '.') + 1, cycles ? list[i]->cycles : list[i]->ms, theirs, "", ""};
        if (cycles) format_count(b->shown, sizeof b->shown, (uint64_t)llround(b->value));
        else format_si(b->shown, sizeof b->shown, b->value / 1000, "s");
        if (theirs > 0) format_count(b->other_shown, sizeof b->other_shown, (uint64_t)llround(theirs));
    }
    snprintf(other, sizeof other, "the article's, on %s",
             device_card_title(device, title, sizeof title) ? title : device);
    doc_bars_put(p->d, &(doc_bars){bar, count, cycles ? "cycles" : "time", other, true});
}

static void put_source(page *p, const lesson_step *s)
{
    char path[1400], title[300], *text;
    size_t bytes;
    if (!s->kernel_file || !lesson_file(p->l, s->kernel_file, path, sizeof path) ||
        file_read(path, 1 << 20, &text, &bytes))
        return;
    snprintf(title, sizeof title, "%s: %s", s->name, s->title ? s->title : "");
    doc_code(p->d, title, s->kernel_file, text);
    free(text);
}

/* A number of a run; below 0 it is unknown. */
static void put_number(doc *d, double value, const char *unit, double factor)
{
    char text[48] = "";
    if (value >= 0 && *unit) format_si(text, sizeof text, value * factor, unit);
    else if (value >= 0) format_number(text, sizeof text, value);
    doc_cell(d, STYLE_PLAIN, "%s", text);
}

static void put_run(page *p, const run *r, const lesson_step *s, bool rates)
{
    const bool right = !strcmp(r->correct, "yes"), meant = s->expect != EXPECT_OK; /* meant: a mistake is shown */
    doc_row(p->d, strchr(r->step, '.') + 1, s->title);
    if (right) doc_cell(p->d, STYLE_GOOD, "right");
    else if (!*r->correct) doc_cell(p->d, meant ? STYLE_DIM : STYLE_PLAIN, "%s", "");
    else doc_cell(p->d, meant ? STYLE_DIM : STYLE_BAD, meant ? "wrong, as meant" : "wrong");
    put_number(p->d, r->cycles, "", 1);
    put_number(p->d, r->ms, "s", 1e-3);
    put_number(p->d, r->gbps, "B/s", 1e9);
    if (rates) put_number(p->d, r->gflops > 0 ? r->gflops : -1, "FLOP/s", 1e9);
    doc_cell(p->d, STYLE_DIM, "%.10s %.5s", r->time, strlen(r->time) > 15 ? r->time + 11 : "");
    p->shown++;
}

/* The runs on one device with one size, in the lesson's order: only these can be compared with each
 * other. */
static void put_device(page *p, const char *device, const char *n, bool ran[LESSON_STEPS])
{
    run *list[LESSON_STEPS];
    const lesson_step *step[LESSON_STEPS];
    int count = 0;
    for (int i = 0; i < p->l->step_count; i++) {
        char name[64];
        run *last = NULL;
        snprintf(name, sizeof name, "%d.%s", p->l->number, p->l->step[i].name);
        for (int k = 0; k < p->runs; k++)
            if (!strcmp(p->run[k].step, name) && !strcmp(p->run[k].device, device) && !strcmp(p->run[k].n, n))
                last = &p->run[k];
        if (!last) continue;
        ran[i] = true;
        step[count] = &p->l->step[i];
        list[count++] = last;
    }
    if (!count) return;
    const bool real = strncmp(device, "sim:", 4) != 0, counts = *n && strlen(n) < 19 && !n[strspn(n, "0123456789")];
    bool rates = false;
    for (int i = 0; i < count; i++) rates = rates || list[i]->gflops > 0;
    char title[100], size[48], remark[200];
    size_t used =
        (size_t)snprintf(remark, sizeof remark, "%s%s", real ? "measured" : "simulated, ", real ? "" : device);
    if (*n) /* 1,048,576 for 1048576; text that is not a number unchanged */
        snprintf(remark + used, sizeof remark - used, ", %s = %s", list[0]->n_name,
                 counts ? format_count(size, sizeof size, strtoull(n, NULL, 10)) : n);
    doc_section(p->d, 3, remark, "%s", !real && device_card_title(device + 4, title, sizeof title) ? title : device);
    if (count > 1) put_chart(p, list, step, count);
    doc_table(p->d, rates ? "lwlrrrrl" : "lwlrrrl");
    doc_row(p->d, "step", "", "answer", "cycles", "time", "bandwidth");
    if (rates) doc_row(p->d, "rate");
    doc_row(p->d, "when (UTC)");
    doc_rule(p->d);
    for (int i = 0; i < count; i++) put_run(p, list[i], step[i], rates);
    doc_table_end(p->d, 2);
}

/* The student's answer as it is now; nothing if it is still the starter. */
static void put_answer(page *p, const exercise *x)
{
    char *path = exercise_path(p->d->app, x), *text = NULL, *starter = NULL, id[32], title[300], remark[300];
    size_t bytes, starter_bytes = 0;
    if (path && !exercise_file(path, JUDGE_SOURCE_MAX, &text, &bytes) &&
        (exercise_own_file(p->d->app, x, "starter", &starter, &starter_bytes) || bytes != starter_bytes ||
         memcmp(text, starter, bytes))) {
        snprintf(title, sizeof title, "%s: %s", exercise_id(x, id, sizeof id), x->l->title);
        snprintf(remark, sizeof remark, "my answer, %s", strrchr(path, '/') + 1);
        doc_code(p->d, title, remark, text); /* up to the first NUL */
    }
    free(starter);
    free(text);
    free(path);
}

static void put_exercise(doc *d, const exercise *x)
{
    exercise_record r;
    char id[32], text[120] = "";
    exercise_recall(d->app, exercise_id(x, id, sizeof id), &r);
    doc_row(d, id, x->l->title);
    doc_cell(d, STYLE_DIM, "%s", x->kind->about);
    doc_cell(d, r.passed ? STYLE_GOOD : STYLE_DIM, "%s",
             r.passed    ? "passed"
             : r.checks  ? r.last
             : r.skipped ? "skipped"
                         : "not begun");
    if (r.checks || r.hints || r.solution)
        snprintf(text, sizeof text, "%d check%s, %d hint%s%s", r.checks, r.checks == 1 ? "" : "s", r.hints,
                 r.hints == 1 ? "" : "s", r.solution ? ", solution seen" : "");
    doc_cell(d, STYLE_DIM, "%s", text);
}

static void put_exercises(page *p, const exercise_list *list)
{
    if (!list->count) return;
    doc_section(p->d, 3, "", "Exercises");
    doc_table(p->d, "lwlll");
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < list->count; i++) {
            exercise *x;
            lesson_error err;
            if (exercise_read(&x, p->l, &list->entry[i], &err)) continue;
            if (pass) put_answer(p, x);
            else put_exercise(p->d, x);
            exercise_free(x);
        }
        if (!pass) doc_table_end(p->d, 2);
    }
}

static void put_lesson(page *p)
{
    struct words devices = {0};
    char prefix[24];
    bool ran[LESSON_STEPS] = {false}, any = false, tried = false;
    exercise_list list;
    snprintf(prefix, sizeof prefix, "%d.", p->l->number);
    for (int i = 0; i < p->runs; i++)
        if (!strncmp(p->run[i].step, prefix, strlen(prefix)) && !words_have(&devices, p->run[i].device))
            words_add(&devices, p->run[i].device);
    exercise_find(&list, p->l);
    for (int i = 0; i < list.count; i++) {
        exercise_record r;
        char id[32];
        snprintf(id, sizeof id, "%d.%d", p->l->number, list.entry[i].number);
        exercise_recall(p->d->app, id, &r);
        tried = tried || r.checks;
    }
    if (!devices.count && !tried) return;
    doc_section(p->d, 2, "", "Lesson %d: %s", p->l->number, p->l->title);
    if (p->l->source) doc_styled(p->d, 0, STYLE_DIM, "%s", p->l->source);
    words_sort(&devices);
    for (int i = 0; i < devices.count; i++) {
        struct words sizes = {0};
        for (int k = 0; k < p->runs; k++)
            if (!strncmp(p->run[k].step, prefix, strlen(prefix)) && !strcmp(p->run[k].device, devices.v[i]) &&
                !words_have(&sizes, p->run[k].n))
                words_add(&sizes, p->run[k].n);
        words_sort(&sizes);
        for (int k = 0; k < sizes.count; k++) put_device(p, devices.v[i], sizes.v[k], ran);
        words_free(&sizes);
    }
    for (int i = 0; i < p->l->step_count; i++) any = any || (ran[i] && p->l->step[i].kernel_file);
    if (any) doc_section(p->d, 3, "", "Kernels");
    for (int i = 0; i < p->l->step_count; i++)
        if (ran[i]) put_source(p, &p->l->step[i]);
    put_exercises(p, &list);
    words_free(&devices);
}

/* ---- films ---- */

enum { FILMS_MOST = 12, FILM_BYTES_MOST = 4 << 20 };

/* The last films that were recorded as pages (`step --record FILE.html`), one a file. */
typedef struct film_notes {
    struct film_note {
        char step[64], device[80], time[24], command[16], file[STATE_LINE_MAX];
    } note[FILMS_MOST];
    int count;
} film_notes;

static bool add_film(void *arg, const struct state_event *e)
{
    film_notes *n = arg;
    const char *file = state_value(e, "file"), *device = state_value(e, "device"), *command = state_value(e, "command");
    if (strcmp(e->verb, "film") || !file || !device || !command) return true;
    int k = 0;
    while (k < n->count && strcmp(n->note[k].file, file)) k++;
    if (k == FILMS_MOST) k = 0; /* the oldest goes */
    if (k < n->count) {
        memmove(&n->note[k], &n->note[k + 1], (size_t)(n->count - k - 1) * sizeof *n->note);
        n->count--;
    }
    struct film_note *to = &n->note[n->count++];
    snprintf(to->step, sizeof to->step, "%.63s", e->step);
    snprintf(to->device, sizeof to->device, "%.79s", device);
    snprintf(to->time, sizeof to->time, "%.23s", e->time);
    snprintf(to->command, sizeof to->command, "%.15s", command);
    snprintf(to->file, sizeof to->file, "%s", file);
    return true;
}

/* A page that `--record` wrote, and no other file that the journal may name. */
static bool is_film(const char *text, size_t bytes)
{
    static const char begins[] = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                                 "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ";
    return bytes > sizeof begins && !memcmp(text, begins, sizeof begins - 1);
}

static void put_films(doc *d)
{
    film_notes *n = calloc(1, sizeof *n);
    if (n) state_each(d->app, add_film, n);
    if (n && n->count) doc_section(d, 2, "", "Films");
    for (int i = 0; n && i < n->count; i++) {
        const struct film_note *f = &n->note[i];
        const char *name = strrchr(f->file, '/') ? strrchr(f->file, '/') + 1 : f->file;
        char title[100], remark[300], *text = NULL;
        size_t bytes = 0;
        snprintf(title, sizeof title, "%s %s", f->command, f->step);
        snprintf(remark, sizeof remark, "%s, %.10s, %.150s", f->device, f->time, name);
        if (!exercise_file(f->file, FILM_BYTES_MOST, &text, &bytes) && is_film(text, bytes))
            doc_page(d, title, remark, text, bytes);
        else doc_styled(d, 0, STYLE_DIM, "%s, %s: the file is gone, is no film, or is above 4 MiB.", title, remark);
        free(text);
    }
    free(n);
}

/* ---- the page ---- */

int view_history(doc *d, int *records)
{
    struct app *app = d->app;
    page p = {.d = d};
    char day[32] = "";
    time_t now = time(NULL);
    struct tm utc;
    int status = session_lessons(app);
    if (status) return status;
    if (!(p.run = calloc(MOST_RUNS, sizeof *p.run))) return app_no_memory(app);
    state_each(app, add_run, &p);
    if (gmtime_r(&now, &utc)) strftime(day, sizeof day, " on %Y-%m-%d", &utc);
    doc_title(d, "What I did in warpstep");
    doc_styled(d, 0, STYLE_DIM,
               "Written by warpstep %s%s. Cycles and times of simulated cards are those of a model of the "
               "card; they are measured only where it says so.",
               app_version, day);
    (void)view_progress(d); /* it warns of unreadable lessons; the page has the others */
    for (int i = 0; i < app->lesson->list.count; i++) {
        lesson *l;
        lesson_error err;
        if (!session_read(app, &app->lesson->list.entry[i], &l, &err)) continue;
        p.l = l;
        put_lesson(&p);
        lesson_free(l);
    }
    if (!p.runs) doc_say(d, 0, "Nothing has been run yet.");
    put_films(d);
    size_t bytes;
    char *notes = state_notes(app, &bytes);
    if (notes && bytes) {
        doc_section(d, 2, "", "Notes");
        doc_code(d, "", "", notes);
    }
    free(notes);
    doc_end(d);
    *records = p.shown;
    free(p.run);
    return 0;
}
