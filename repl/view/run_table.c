/* run_table.c: the table of a run: its rows (run_rows.c) next to those of the run that it is compared
 * with and the article's.
 *
 * The article's figures for this card (else the first that it gives) get a column if the screen is
 * wide enough. Figures without a column are printed below the table. */
#include "run_rows.h"
#include "device/devices.h"
#include "shell/format.h"
#include "shell/language.h"
#include <math.h>
#include <string.h>

/* ---- the article's figures ---- */

/* What figures may refer to, other than a card of ours. */
static const struct {
    const char *name, *title;
} others[] = {
    {"g80", "a G80"}, {"8800gtx", "a GeForce 8800 GTX"}, {"pcie1", "PCI Express 1.0"}, {"pcie2", "PCI Express 2.0"}};

const char *view_figure_device(const step_result *r, const char *device, char *out, size_t size)
{
    char title[64];
    if (!strcmp(device, r->card)) snprintf(out, size, "%s%s", format_a_or_an(r->card_title), r->card_title);
    else if (device_card_title(device, title, sizeof title)) snprintf(out, size, "%s%s", format_a_or_an(title), title);
    else if (!strcmp(device, "unknown")) snprintf(out, size, "%s", TR("a card that it does not name"));
    else if (!strcmp(device, "cpu")) snprintf(out, size, "%s", TR("its CPU"));
    else {
        const char *known = device;
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            known = strcmp(device, others[i].name) ? known : others[i].title;
        snprintf(out, size, "%s", TR(known));
    }
    return out;
}

/* Our number for the metric of the article's figure. */
static bool ours_for(const step_result *r, const step_result *before, const lesson_article *a, double *out)
{
    if (!strcmp(a->metric, "speedup") && before && before->has_time && r->has_time && r->seconds > 0) {
        *out = r->simulated ? before->cycles / r->cycles : before->seconds / r->seconds;
        return true;
    }
    if (!strcmp(a->metric, "cpu_gain") && r->has_time && r->seconds > 0 && r->cpu_seconds > 0) {
        *out = r->cpu_seconds / r->seconds;
        return true;
    }
    return metric_get(metric_named(a->metric, strlen(a->metric)), r, out);
}

/* The error of ours relative to the figure, if both are of the same card: "+5.1 %"; else "". */
static const char *distance(const step_result *r, const step_result *before, const lesson_article *a, char *out,
                            size_t size)
{
    double ours;
    out[0] = 0;
    if (a->value > 0 && !strcmp(a->device, r->card) && ours_for(r, before, a, &ours)) {
        double off = 100 * (ours / a->value - 1);
        if (fabs(off) < 0.05) snprintf(out, size, "%s", TR("same"));
        else if (off < 1000) snprintf(out, size, "%+.*f %%", fabs(off) > 10 ? 0 : 1, off);
        else view_change(out, size, a->value, ours);
    }
    return out;
}

/* ---- the table ---- */

/* One row; cells that do not apply are blank. */
static void put_row(view_context *c, text_table *t, const step_result *before, const lesson_article *column,
                    bool narrow, const char *metric)
{
    int m = metric_named(metric, strlen(metric));
    double now = 0, old = 0;
    char a[48], b[48];
    bool have = metric_get(m, c->r, &now), had = before && metric_get(m, before, &old);
    const lesson_article *figure = run_rows_figure(c, column, metric);
    table_add(t, "%s", metrics[m].name);
    table_add(t, "%s", have ? metric_text(a, sizeof a, m, now) : "");
    if (before) {
        if (!narrow) table_add(t, "%s", had ? metric_text(b, sizeof b, m, old) : "");
        bool counts = strcmp(metric, "result") && strcmp(metric, "right_digits"); /* a ratio of these has no meaning */
        if (!strcmp(metric, "cycles") && (c->r->block_cycles > 0) != (before->block_cycles > 0))
            counts = counts && c->r->simulated; /* on a GPU one is a block's clock, the other the kernel's time */
        table_add(t, "%s", have && had && counts ? view_gain(a, sizeof a, m, old, now) : "");
    }
    if (column) {
        char *unit = figure ? strstr(view_figure(a, sizeof a, figure), TR(" cycles")) : NULL;
        if (unit && !strcmp(metrics[m].unit, "cycles")) *unit = 0; /* the row says it */
        table_add(t, "%s", figure ? a : "");
        table_add(t, "%s", figure ? distance(c->r, before, figure, a, sizeof a) : "");
    }
}

static void fill(view_context *c, text_table *t, const step_result *before, const lesson_step *before_step,
                 const lesson_article *column, const run_rows *rows, bool narrow)
{
    bool off = column && !strcmp(column->device, c->r->card);
    table_init(t, before ? column ? narrow ? "lrlrr" : "lrrlrr" : "lrrl" : column ? "lrrr" : "lr");
    table_add(t, "%s", "");
    table_add(t, "%s", c->s->name);
    if (before) {
        table_add(t, narrow ? TR("than %s") : "%s", before_step->name);
        if (!narrow) table_add(t, "%s", "");
    }
    if (column) {
        table_add(t, "%s", TR(column->measured ? "measured" : "article"));
        table_add(t, "%s", off ? TR("ours") : "");
    }
    table_rule(t);
    for (int i = 0; i < rows->count; i++) put_row(c, t, before, column, narrow, metrics[rows->metric[i]].id);
}

/* What the vendor's library does on this card, at this size. */
static void put_library(doc *d, view_context *c)
{
    const lesson_article *shown = NULL; /* a step's own stands after the one that it is like */
    char rate[48], where[80];
    for (int i = 0; i < c->s->library_count; i++) {
        const lesson_article *a = &c->s->library[i];
        if (!strcmp(a->device, c->r->card) && metric_article(c->app->lesson->l, c->values, c->r, a)) shown = a;
    }
    if (shown)
        doc_say(d, 2, "library: %s on %s (%s)", format_si(rate, sizeof rate, shown->value, "FLOP/s"),
                view_figure_device(c->r, shown->device, where, sizeof where), shown->note);
}

/* Figures without a place in the table, a line per source. */
static void put_others(doc *d, view_context *c, const step_result *before, const lesson_article *column)
{
    const lesson_step *s = c->s;
    bool any = false, hidden = false;
    for (int i = 0; i < s->article_count; i++) {
        const lesson_article *first = &s->article[i];
        bool in_table = column && run_rows_same_source(first, column), said = false, shown = false;
        char line[600] = "", where[80];
        for (int k = 0; k < i && !said; k++) said = run_rows_same_source(&s->article[k], first);
        for (int k = i; k < s->article_count && !said; k++) {
            const lesson_article *a = &s->article[k];
            char off[48], figure[48];
            if (!run_rows_same_source(a, first)) continue;
            if (!run_rows_figure_shown(c, a)) {
                hidden = hidden || !a->measured;
                continue;
            }
            shown = true;
            if (run_rows_figure(c, column, a->metric) == a) /* it is in the table */
                continue;
            size_t n = strlen(line);
            int m = metric_named(a->metric, strlen(a->metric));
            bool plain = m < 0 || !strcmp(a->metric, "cycles") || !strcmp(a->metric, "time") ||
                         !strcmp(a->metric, "bandwidth") || !strcmp(a->metric, "speedup"); /* their unit says it */
            snprintf(line + n, sizeof line - n, "%s%s%s%s%s", n ? ", " : "", plain ? "" : metrics[m].name,
                     plain ? "" : " ", view_figure(figure, sizeof figure, a),
                     !strcmp(a->metric, "speedup") ? TR(" the step before") : "");
            n = strlen(line);
            if (*distance(c->r, before, a, off, sizeof off)) snprintf(line + n, sizeof line - n, TR(" (ours %s)"), off);
            else if (a->note && in_table) snprintf(line + n, sizeof line - n, " (%s)", a->note);
        }
        if (!shown) continue;
        doc_say(d, 2, "%s on %s%s%s%s%s", TR(first->measured ? "measured: by us," : "article:"),
                view_figure_device(c->r, first->device, where, sizeof where),
                first->hot    ? TR(", its data in the cache")
                : first->cold ? TR(", its cache empty")
                              : "",
                in_table && *line ? TR("; also ")
                : *line           ? ", "
                                  : "",
                line,
                c->r->has_time || any || !c->r->launches ? ""
                                                         : TR(". This card has no clock here yet, so counters only."));
        any = true;
    }
    if (!any && hidden) doc_say(d, 2, "The article's figures hold for its own settings, not for these.");
}

void view_run_table(doc *d, view_context *c, const step_result *before, const lesson_step *before_step)
{
    const lesson_article *column = run_rows_column(c);
    text_table t;
    run_rows rows;
    run_rows_choose(c, before, column, &rows);
    for (int narrow = 0;; narrow++) { /* too wide: drop the other run's values, then the article's */
        fill(c, &t, before, before_step, narrow < 2 ? column : NULL, &rows, narrow == 1 && before);
        if (narrow == 2 || table_width(&t) <= c->app->width) break;
        table_free(&t);
    }
    const int spare = c->app->width - table_width(&t); /* rather reduce the margin than drop a column */
    doc_made_table(d, &t, spare > 2 ? 2 : spare > 0 ? spare : 0);
    if (rows.left) doc_dim(d, "%d more row%s: show counters", rows.left, rows.left == 1 ? "" : "s");
    put_others(d, c, before, t.columns > (before ? 4 : 2) ? column : NULL);
    put_library(d, c);
    table_free(&t);
}
