/* fidelity.c: `fidelity`, how far the simulated cards are from measurements of real ones. It
 * compares every figure of every lesson (article: or measured:) whose card is simulated with ours;
 * the articles' figures with launches that are timed whole. Below each card's table: a summary of
 * its errors, and how often two steps come out in the measured order. The output is Markdown. `make
 * fidelity` keeps it as sim/FIDELITY.md, from which fidelity_known reads what a row on the screen
 * says about its card. */
#include "author.h"
#include "device/devices.h"
#include "shell/embedded.h"
#include "view/view.h"
#include "shell/format.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FIGURES = 512 };

/* strings are copies, as a lesson's text is freed when the next lesson is read */
typedef struct figure {
    int lesson;
    char step[96], metric[32], card[32], shown[40], ours_shown[48];
    /* total: with allocation and copies, by the host's clock. failed: it could not run, or not
     * within the limit */
    bool measured, timing, total, failed;
    double theirs, ours; /* ours is NAN when the model has no such number */
} figure;

typedef struct table {
    struct app *app;
    figure *rows;
    int count;
} table;

/* Figures that depend on the clock alone. Rates and bandwidths repeat the same information, and
 * numerical errors do not concern time. */
static bool is_timing(const char *metric)
{
    static const char *const names[] = {"cycles", "block_cycles", "time"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(metric, names[i])) return true;
    return false;
}

/* Why a figure is off by more than FAR, as far as known. The first matching row counts; NULL
 * matches anything. */
enum { FAR = 30 /* per cent */ };
static const struct reason {
    const char *card, *step, *metric, *why;
} reasons[] = {
    {"gtx1050", NULL, "total", "allocation and 400 MB of copies on a computer that the article does not describe"},
    {"gtx1050", "5.global", "time", "the article's figure probably has host work in it; no such card was at hand"},
    {"8800gt", "7.divide", NULL, "the article gives a bound, not a figure"},
    {"h200", "4.race", "result", "how many additions a race loses is chance"},
    {NULL, NULL, NULL, "not found yet"},
};

static bool fits(const char *pattern, const char *text) { return !pattern || !strncmp(pattern, text, strlen(pattern)); }

static const char *reason_of(const char *card, const char *step, const char *metric)
{
    const struct reason *r = reasons;
    while (!fits(r->card, card) || !fits(r->step, step) || !fits(r->metric, metric)) r++;
    return r->why;
}

/* The resolution of the host's clock for the totals of a card's article, in seconds; 0: fine
 * enough. */
static double tick_of(const char *card)
{
    char name[96];
    snprintf(name, sizeof name, "sim/cards/%s.card", card);
    for (const embedded_file *f = embedded_files; f->name; f++) {
        sim_card c;
        sim_error e;
        if (!strcmp(f->name, name) && !sim_card_read(&c, f->text, card, &e)) return c.host.tick_ms / 1000;
    }
    return 0;
}

/* "1.v7 blocks=528": the step, and the settings that differ from its own. */
static void step_label(const lesson *l, const lesson_step *s, const step_values *v, char *out, size_t size)
{
    step_values own;
    char why[200];
    size_t used = (size_t)snprintf(out, size, "%d.%s", l->number, s->name);
    if (!step_settings(l, s, NULL, &own, why, sizeof why)) return;
    for (int i = 0; i < l->setting_count && used < size; i++)
        if (step_usual(l, &own, i) != v->value[i])
            used += (size_t)snprintf(out + used, size - used, " %s=%lld", l->setting[i].name, (long long)v->value[i]);
}

static int add_figure(table *t, const lesson_step *s, const lesson_article *a)
{
    const lesson *l = t->app->lesson->l;
    struct device d[DEVICES_MAX];
    char label[64];
    step_values v;
    int count, status;
    if (t->count == MOST_FIGURES || !device_simulates(a->device) || !strcmp(a->metric, "speedup") ||
        !step_settings_where(l, s, &a->condition, &v))
        return 0;
    snprintf(label, sizeof label, "sim:%.31s", a->device);
    if ((status = device_parse(t->app, label, d, &count))) return status;
    status = 0;
    figure *f = &t->rows[t->count];
    *f = (figure){.lesson = l->number,
                  .measured = a->measured,
                  .timing = is_timing(a->metric),
                  .total = !strcmp(a->metric, "total"),
                  .theirs = a->value};
    step_label(l, s, &v, f->step, sizeof f->step);
    bool tried = false; /* a run that failed would fail again for each of its figures */
    for (int i = 0; i < t->count && !tried; i++)
        tried = t->rows[i].failed && !strcmp(t->rows[i].step, f->step) && !strcmp(t->rows[i].card, a->device);
    run_as how = run_values(t->app, &v);
    how.exact = how.exact || !a->measured;
    how.hot = a->hot; /* with the cache as it was when measured */
    const step_result *r = tried ? NULL : session_result(t->app, s, &d[0], how, &status);
    f->failed = !r;
    if (status == EXIT_INTERRUPT) return status;
    t->count++;
    snprintf(f->metric, sizeof f->metric, "%.31s", a->metric);
    snprintf(f->card, sizeof f->card, "%.31s", a->device);
    snprintf(f->shown, sizeof f->shown, "%.39s", a->shown);
    int m = metric_named(a->metric, strlen(a->metric));
    if (!r || !metric_get(m, r, &f->ours)) f->ours = NAN;
    else metric_text(f->ours_shown, sizeof f->ours_shown, m, f->ours);
    return 0;
}

static double off(const figure *f) { return f->ours / f->theirs - 1; }

/* Among pairs of one lesson and metric that were measured more than 5 % apart: how many come out in
 * the same order, and which do not. */
static void put_order(doc *d, const table *t, const char *card, int number)
{
    int pairs = 0, right = 0;
    char wrong[400] = "";
    for (int i = 0; i < t->count; i++)
        for (int k = i + 1; k < t->count; k++) {
            const figure *a = &t->rows[i], *b = &t->rows[k];
            if (strcmp(a->card, card) || strcmp(b->card, card) || a->lesson != number || b->lesson != number ||
                !(a->timing || a->total) || strcmp(a->metric, b->metric) || a->measured != b->measured ||
                isnan(a->ours) || isnan(b->ours) || fmax(a->theirs, b->theirs) <= 1.05 * fmin(a->theirs, b->theirs))
                continue;
            pairs++;
            if ((a->theirs < b->theirs) == (a->ours < b->ours)) {
                right++;
                continue;
            }
            size_t used = strlen(wrong);
            if (used + 80 < sizeof wrong)
                snprintf(wrong + used, sizeof wrong - used, "%s%.30s and %.30s", used ? ", " : "; not ", a->step,
                         b->step);
        }
    if (!pairs) return;
    doc_gap(d);
    doc_say(d, 0, "Order in lesson %d: %d of %d pairs more than 5 %% apart come out as measured%s.", number, right,
            pairs, wrong);
}

typedef struct errors {
    int count, within; /* within: off by less than a tick of the host's clock */
    double sum, worst;
    const char *where;
} errors;

static void add_error(errors *e, const figure *f, double tick)
{
    double size = fabs(off(f));
    e->count++;
    e->sum += size;
    e->within += fabs(f->ours - f->theirs) <= tick;
    if (size < e->worst) return;
    e->worst = size;
    e->where = f->step;
}

static void put_card(doc *d, const table *t, const char *card)
{
    doc_section(d, 2, "", "%s", card);
    doc_table(d, "lllllll");
    doc_row(d, "step", "metric", "figure", "from", "ours", "off", "");
    doc_rule(d);
    int missing = 0;
    errors times = {0}, totals = {0};
    double tick = tick_of(card);
    for (int i = 0; i < t->count; i++) {
        const figure *f = &t->rows[i];
        char number[32] = "", remark[160] = "";
        if (strcmp(f->card, card)) continue;
        if (isnan(f->ours)) {
            missing += f->timing || f->total;
        } else {
            snprintf(number, sizeof number, "%+.1f %%", 100 * off(f));
            if (f->timing) add_error(&times, f, 0);
            if (f->total) add_error(&totals, f, tick);
            if (fabs(off(f)) * 100 > FAR) snprintf(remark, sizeof remark, "%s", reason_of(card, f->step, f->metric));
            else if (f->total && tick > 0)
                snprintf(remark, sizeof remark, "%.1f ticks", fabs(f->ours - f->theirs) / tick);
        }
        doc_row(d, f->step, f->metric, f->shown, f->measured ? "measured" : "article",
                f->failed        ? "no run"
                : isnan(f->ours) ? "none"
                                 : f->ours_shown,
                number, remark);
    }
    doc_table_end(d, 0);
    if (times.count) {
        doc_gap(d);
        doc_say(d, 0, "Times and cycles on %s: %d figures, off by %.1f %% on average, by %.0f %% at worst (%s).", card,
                times.count, 100 * times.sum / times.count, 100 * times.worst, times.where);
    }
    if (totals.count) {
        char within[100] = "";
        if (tick > 0)
            snprintf(within, sizeof within, "; %d within a tick of %g ms of the host's clock", totals.within,
                     tick * 1000);
        doc_gap(d);
        doc_say(d, 0,
                "Totals on %s, with allocation and copies: %d figures, off by %.1f %% on average, by %.0f %% at worst "
                "(%s)%s.",
                card, totals.count, 100 * totals.sum / totals.count, 100 * totals.worst, totals.where, within);
    }
    if (missing) {
        doc_gap(d);
        doc_say(d, 0, "%d of time on %s with nothing of ours beside them (no run: longer than %g s).", missing, card,
                t->app->limit);
    }
    for (int number = 0; number < 1000; number++) put_order(d, t, card, number);
}

int fidelity_run(struct app *app, int argc, char **argv)
{
    (void)argv;
    if (argc > 1) return app_fail(app, EXIT_USAGE, "fidelity", "fidelity takes no arguments");
    table t = {.app = app, .rows = calloc(MOST_FIGURES, sizeof *t.rows)};
    if (!t.rows) return app_no_memory(app);
    int status = session_lessons(app), bad = 0;
    for (int i = 0; !status && i < app->lesson->list.count && !app_interrupted; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", app->lesson->list.entry[i].number);
        if ((status = session_lesson(app, number))) break;
        const lesson *l = app->lesson->l;
        for (int s = 0; s < l->step_count && !app_interrupted; s++)
            for (int a = 0; step_launches(&l->step[s]) && a < l->step[s].article_count && !app_interrupted; a++)
                bad = add_figure(&t, &l->step[s], &l->step[s].article[a]);
    }
    if (app_interrupted) status = EXIT_INTERRUPT;
    doc data = doc_open(app), page = doc_to(app, app->out, &doc_markdown), *d = doc_is_data(&data) ? &data : &page;
    if (!status) doc_title(d, "How far the simulated cards are from real ones");
    if (d == &page && !status)
        doc_line(
            d, "%s",
            "Made by `make fidelity`. Figures are the articles', or measured by us on a real card (measured). Ours "
            "beside an\n"
            "article's are of launches timed whole (`--exact`); beside measured ones, of long launches, of samples. "
            "The mean and the\n"
            "worst count times and cycles of kernels; rates and bandwidths follow from them. Totals, "
            "which have the host's\n"
            "work in them, are judged apart. The last column says why a row is off by more than 30 %.");
    for (int i = 0; i < t.count && !status; i++) {
        const figure *f = &t.rows[i];
        bool done = false;
        doc_data(d, "fidelity", "card %s, step %s, metric %s, measured %i, figure %g, ours %g", f->card, f->step,
                 f->metric, f->measured, f->theirs, f->ours); /* without a value of ours: NAN, which becomes null */
        for (int k = 0; k < i; k++) done = done || !strcmp(t.rows[k].card, f->card);
        if (!done && d == &page) put_card(d, &t, f->card);
    }
    free(t.rows);
    return status ? status : bad == EXIT_INTERRUPT ? bad : EXIT_DONE;
}

bool fidelity_known(const char *card, char *out, size_t size)
{
    char start[64];
    snprintf(start, sizeof start, "\nTimes and cycles on %.31s: ", card);
    for (const embedded_file *f = embedded_files; f->name; f++) {
        const char *line = strcmp(f->name, "sim/FIDELITY.md") ? NULL : strstr(f->text, start);
        if (!line) continue;
        line += strlen(start);
        snprintf(out, size, "%.*s", (int)strcspn(line, "\n"), line);
        return true;
    }
    return false;
}
