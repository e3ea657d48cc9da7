/* figures.c: `figures`, every figure of the articles next to what we print for its step.
 * lessons/figures.txt lists the figures. Each is found in its step as an `article:` line, run with
 * the settings of that line, and written as a row of lessons/REFERENCE.md. `figures check` runs
 * again what fits in the limit and reports the rows that are out of date. */
#include "author.h"
#include "device/devices.h"
#include "view/view.h"
#include "shell/format.h"
#include "shell/plain_file.h"
#include <stdlib.h>
#include <string.h>

enum { ARTICLE, OF, FIGURE, CARD, STEP, METRIC, FIELDS, MOST_ROWS = 400, SHOWN = 300 };

typedef struct list {
    char path[1100], *text;
    char *field[MOST_ROWS][FIELDS];
    int line[MOST_ROWS], count;
    const lesson_article *taken[MOST_ROWS]; /* of the current lesson: equal figures of a step are assigned in order */
} list;

static const char *beside_lessons(const struct app *app, const char *name, char *out, size_t size)
{
    char dir[1100];
    snprintf(out, size, "%.900s/%s", app_lessons_dir(app, dir, sizeof dir), name);
    return out;
}

static void list_free(list *l)
{
    free(l->text);
    free(l);
}

/* NULL: no list exists (*problem empty), or it cannot be read. */
static list *list_read(struct app *app, char *problem, size_t size)
{
    list *l = calloc(1, sizeof *l);
    size_t bytes;
    problem[0] = 0;
    if (!l) return NULL;
    beside_lessons(app, "figures.txt", l->path, sizeof l->path);
    if (file_read(l->path, 1 << 20, &l->text, &bytes)) {
        list_free(l);
        return NULL;
    }
    int line = 0;
    for (char *p = l->text, *next; *p; p = next) {
        char *end = p + strcspn(p, "\n");
        next = end + (*end == '\n');
        *end = 0;
        line++;
        if (*p == '#' || !*p) continue;
        if (l->count == MOST_ROWS) {
            snprintf(problem, size, "%s:%d: expected at most %d figures", l->path, line, MOST_ROWS);
            break;
        }
        int f = 0;
        char **field = l->field[l->count];
        for (char *q = p; q && f < FIELDS; f++) {
            field[f] = q;
            if ((q = strchr(q, '\t'))) *q++ = 0;
        }
        if (f < FIELDS) {
            snprintf(problem, size, "%s:%d: expected six fields divided by tabs, found %d", l->path, line, f);
            break;
        }
        l->line[l->count++] = line;
    }
    if (!*problem) return l;
    list_free(l);
    return NULL;
}

/* The `article:` line of row i in the open lesson. NULL: there is none. */
static const lesson_article *find(list *t, int i, const lesson *l, const lesson_step **step)
{
    const char *dot = strchr(t->field[i][STEP], '.');
    t->taken[i] = NULL;
    *step = dot ? lesson_step_named(l, dot + 1, strlen(dot + 1)) : NULL;
    for (int a = 0; *step && a < (*step)->article_count; a++) {
        const lesson_article *it = &(*step)->article[a];
        bool taken = it->measured || strcmp(it->metric, t->field[i][METRIC]) ||
                     strcmp(it->shown, t->field[i][FIGURE]) || strcmp(it->device, t->field[i][CARD]);
        for (int k = 0; k < i && !taken; k++) taken = t->taken[k] == it;
        if (!taken) return t->taken[i] = it;
    }
    return NULL;
}

static bool of_lesson(const list *t, int i, int number)
{
    char *end;
    return strtol(t->field[i][STEP], &end, 10) == number && end > t->field[i][STEP];
}

/* The start of a row, which does not depend on the results. */
static void row_start(const list *t, int i, char *out, size_t size)
{
    char *const *f = t->field[i];
    snprintf(out, size, "| %s | %s | %s | %s | %s ", f[ARTICLE], f[OF], f[FIGURE], f[CARD], f[STEP]);
}

/* Row i in the file; NULL: not there. Rows with the same start keep their order. */
static const char *row_in(const char *file, const list *t, int i)
{
    char start[SHOWN], other[SHOWN];
    int before = 0;
    row_start(t, i, start, sizeof start);
    for (int k = 0; k < i; k++) {
        row_start(t, k, other, sizeof other);
        before += !strcmp(start, other);
    }
    const char *p = file ? strstr(file, start) : NULL;
    while (p && before-- > 0) p = strstr(p + 1, start);
    return p;
}

int figures_check(struct app *app, void (*complain)(void *arg, const char *file, int line, const char *text), void *arg)
{
    char problem[1300], text[SHOWN + 200], path[1100];
    list *t = list_read(app, problem, sizeof problem);
    if (!t) {
        if (*problem) complain(arg, beside_lessons(app, "figures.txt", path, sizeof path), 1, problem);
        return *problem ? 1 : 0;
    }
    char *file = NULL;
    size_t bytes;
    int problems = 0;
    (void)file_read(beside_lessons(app, "REFERENCE.md", path, sizeof path), 1 << 20, &file, &bytes);
    const lesson *l = app->lesson->l;
    for (int i = 0; l && i < t->count; i++) {
        const lesson_step *s;
        if (!of_lesson(t, i, l->number)) continue;
        if (!find(t, i, l, &s)) {
            snprintf(text, sizeof text, "step %s has no \"article: %s %s on %s\" of its own", t->field[i][STEP],
                     t->field[i][METRIC], t->field[i][FIGURE], t->field[i][CARD]);
            complain(arg, t->path, t->line[i], text);
            problems++;
        } else if (!row_in(file, t, i)) {
            snprintf(text, sizeof text, "REFERENCE.md has no row for %s, %s: run make reference", t->field[i][STEP],
                     t->field[i][OF]);
            complain(arg, t->path, t->line[i], text);
            problems++;
        }
    }
    free(file);
    list_free(t);
    return problems;
}

/* ---- the table ---- */

/* The device to compare with a figure of `card`: that card if we simulate it, else the one that the
 * step runs on. */
static int device_for(struct app *app, const lesson_step *s, const char *card, struct device *out, bool *same)
{
    struct device d[DEVICES_MAX];
    char label[64];
    int count;
    if (!(*same = device_simulates(card))) card = s->card ? s->card : app->lesson->l->card;
    snprintf(label, sizeof label, "sim:%.40s", card ? card : DEFAULT_CARD);
    int status = device_parse(app, label, d, &count);
    if (!status) *out = d[0];
    return status;
}

/* Our value with its unit, and its error. False: the step could not be run within the limit. */
static bool ours(struct app *app, const lesson_step *s, const lesson_article *a, const step_values *v,
                 const struct device *d, bool same, char *out, size_t size, char *far, size_t far_size)
{
    int status, m = metric_named(a->metric, strlen(a->metric));
    far[0] = 0;
    if (!step_launches(s) && !strcmp(a->metric, "result")) {
        /* what a loop of the CPU computes is the same on every computer; its time is not */
    } else if (!step_launches(s) || !strcmp(a->metric, "cpu_gain")) {
        snprintf(out, size, "live: this computer's CPU");
        return true;
    }
    const step_result *r = session_result(app, s, d, run_values(app, v), &status);
    if (!r) return false;
    const lesson_step *before = strcmp(a->metric, "speedup") ? NULL : step_before(app->lesson->l, s);
    double value = 0;
    bool have = false;
    if (before) {
        double now = r->cycles;
        step_values other;
        char why[200];
        const step_result *b = step_settings(app->lesson->l, before, NULL, &other, why, sizeof why)
                                   ? session_result(app, before, d, run_values(app, &other), &status)
                                   : NULL;
        have = b && now > 0;
        value = have ? b->cycles / now : 0;
    } else {
        have = metric_get(m, r, &value);
    }
    if (!have) {
        snprintf(out, size, "none: this card has no such number");
        return true;
    }
    char b[64];
    if (strstr(a->shown, " MiB/s")) /* the same unit in the whole row */
        snprintf(out, size, "%.*f MiB/s", value < 104857600 ? 2 : 0, value / 1048576);
    else
        snprintf(out, size, "%s",
                 !strcmp(a->metric, "result") ? format_exact(b, sizeof b, value, 15)
                                              : metric_text(b, sizeof b, m, value));
    if (same && a->value > 0) snprintf(far, far_size, "%+.1f %%", 100 * (value / a->value - 1));
    return true;
}

/* One row, without its newline. False: it could not be run within the limit. */
static bool make_row(struct app *app, list *t, int i, char *out, size_t size)
{
    const lesson_step *s;
    const lesson_article *a = find(t, i, app->lesson->l, &s);
    char shown[120], far[32], where[160] = "", start[SHOWN];
    struct device d;
    step_values v;
    bool same, ran = true;
    row_start(t, i, start, sizeof start);
    char why[200];
    if (!a || device_for(app, s, a->device, &d, &same) ||
        (!step_settings_where(app->lesson->l, s, &a->condition, &v) && /* the seed is no setting */
         !step_settings(app->lesson->l, s, NULL, &v, why, sizeof why))) {
        snprintf(out, size, "%s| none: no such figure | | |", start);
        return true;
    }
    if (!(ran = ours(app, s, a, &v, &d, same, shown, sizeof shown, far, sizeof far)))
        snprintf(shown, sizeof shown, "no run within %g s", app->limit);
    step_values own;
    if (step_settings(app->lesson->l, s, NULL, &own, why, sizeof why))
        for (int k = 0; k < app->lesson->l->setting_count; k++) {
            size_t used = strlen(where);
            if (step_usual(app->lesson->l, &own, k) != v.value[k])
                snprintf(where + used, sizeof where - used, "%s=%lld ", app->lesson->l->setting[k].name,
                         (long long)v.value[k]);
        }
    snprintf(out, size, "%s%s| %s | %s | %s%s%s |", start, where, shown, strncmp(shown, "live", 4) ? d.label : "", far,
             *far && a->note ? "; " : "", a->note ? a->note : "");
    return ran;
}

int figures_run(struct app *app, int argc, char **argv)
{
    bool check = argc == 2 && !strcmp(argv[1], "check");
    if (argc > 2 || (argc == 2 && !check))
        return app_fail(app, EXIT_USAGE, "figures", "figures takes nothing, or the word check");
    char problem[1300], row[1000], path[1100];
    int status = session_lessons(app), stale = 0, compared = 0;
    if (status) return status;
    list *t = list_read(app, problem, sizeof problem);
    if (!t) return app_fail(app, EXIT_USAGE, NULL, "%s", *problem ? problem : "these lessons have no figures.txt");
    char *file = NULL;
    size_t bytes;
    doc d = doc_to(app, app->out, &doc_markdown);
    if (check) (void)file_read(beside_lessons(app, "REFERENCE.md", path, sizeof path), 1 << 20, &file, &bytes);
    else
        doc_line(&d, "%s",
                 "# The articles' figures, and ours\n\n"
                 "Made by `make reference` from `figures.txt`: every figure that the articles report, the step that "
                 "has it on its\n"
                 "screen, and what stands beside it there. Where we simulate the article's card, ours is of that card, "
                 "and the last\n"
                 "column says how far off it is. Where the card is unknown, or is none of ours, ours is of the step's "
                 "own card, and\n"
                 "only ratios compare. What this computer's CPU does is measured when the step runs, and so is no "
                 "number here.\n\n"
                 "| article | of | figure | card | step | ours | on | off |\n|---|---|---|---|---|---|---|---|");
    for (int e = 0; !status && e < app->lesson->list.count; e++) {
        char number[16];
        snprintf(number, sizeof number, "%d", app->lesson->list.entry[e].number);
        if ((status = session_lesson(app, number))) break;
        memset(t->taken, 0, sizeof t->taken); /* they point into the previous lesson */
        for (int i = 0; i < t->count && !app_interrupted; i++) {
            if (!of_lesson(t, i, app->lesson->list.entry[e].number)) continue;
            bool ran = make_row(app, t, i, row, sizeof row);
            if (!check) {
                doc_line(&d, "%s", row);
            } else if (ran) {
                const char *at = row_in(file, t, i);
                compared++;
                if (!at || strncmp(at, row, strlen(row))) {
                    stale++;
                    doc_line(&d, "REFERENCE.md is not current. It has\n  %.*s\nbut now it is\n  %s",
                             at ? (int)strcspn(at, "\n") : 7, at ? at : "nothing", row);
                }
            }
        }
    }
    for (int i = 0; i < t->count && !check && !status; i++)
        if (t->field[i][STEP][0] == '-') {
            row_start(t, i, row, sizeof row);
            doc_line(&d, "%s| none: %s | | |", row, t->field[i][METRIC]);
        }
    if (check && !status)
        doc_line(&d, "%d of %d rows of REFERENCE.md made again, %d not current%s", compared, t->count, stale,
                 stale ? ": run make reference" : "");
    free(file);
    list_free(t);
    return app_interrupted ? EXIT_INTERRUPT : status ? status : stale ? EXIT_CHECK : EXIT_DONE;
}
