/* run_rows.c: chooses the rows of the table of a run: the five that matter, and every one beside
 * which a figure stands.
 *
 * Worth showing are the figures that lessons are about, and the counters that explain a difference:
 * those that changed by a tenth or more, or, without a comparison, those that are not zero. Of these
 * the table always has cycles, on a GPU time too, and the speed, bandwidth or rate. The others
 * are ranked: first what the sentence of `why` names, then what the step's text names, then what
 * changed most. A step's `rows:` replaces the ranking. `show counters` has all the rest. A program
 * has few numbers, and all of them are shown. */
#include "run_rows.h"
#include <ctype.h>
#include <math.h>
#include <string.h>

enum kind {
    FIGURE, /* always */
    COUNT,  /* when it changed */
    EVENT,  /* when it changed, and is at least 1 % of the warp instructions */
    PLACE,  /* when it changed and both runs have it */
    TOTAL,  /* with the copies: only in a lesson whose ladder is about them, elsewhere they hide the kernel */
    PROGRAM /* when it changed, of a program */
};

/* In the order of the table. `twin`: it tells the same as the leading row or the speed. */
static const struct row {
    const char *metric;
    enum kind kind;
    bool twin;
} rows[] = {
    {"program_time", FIGURE, false},
    {"kernels_time", FIGURE, false},
    {"copies_time", FIGURE, false},
    {"host_wait", FIGURE, false},
    {"overlap", FIGURE, false},
    {"cycles", FIGURE, true},
    {"cycles_each", FIGURE, false},
    {"time", FIGURE, true},
    {"bandwidth", FIGURE, true},
    {"rate", FIGURE, true},
    {"peak_share", FIGURE, true},
    {"library_share", FIGURE, true},
    {"total", TOTAL, false},
    {"total_rate", TOTAL, true},
    {"max_error", COUNT, false},
    {"mean_error", COUNT, false},
    {"right_digits", COUNT, false},
    {"max_ulp", COUNT, false},
    {"warp_instructions", COUNT, false},
    {"active_lanes", COUNT, false},
    {"transactions", COUNT, false},
    {"transactions_per_access", COUNT, false},
    {"asked_bytes", COUNT, false},
    {"efficiency", COUNT, false},
    {"shared_passes", COUNT, false},
    {"passes_per_access", COUNT, false},
    {"shared_accesses", COUNT, false},
    {"atomic_lanes", EVENT, false},
    {"local_requests", EVENT, false},
    {"constant_requests", EVENT, false},
    {"divergent_branches", EVENT, false},
    {"sparse_instructions", EVENT, false},
    {"barriers", EVENT, false},
    {"busy_multiprocessors", PLACE, false},
    {"occupancy", PLACE, false},
    {"achieved_occupancy", PLACE, false},
    {"resident_blocks", PLACE, false},
    {"registers", PLACE, false},
    {"warps", PLACE, false},
    {"host_elements", PLACE, false},
    {"launches", PROGRAM, false},
    {"to_card", PROGRAM, false},
    {"from_card", PROGRAM, false},
};
enum { ROWS = sizeof rows / sizeof *rows, FIGURE_ROWS = 18 }; /* those up to max_ulp stand above the article's others */

static int named(const char *id) { return metric_named(id, strlen(id)); }

static bool has(const step_result *r, const char *id)
{
    double v;
    return metric_get(named(id), r, &v);
}

static bool about_totals(const lesson *l)
{
    bool found = false;
    for (int i = 0; i < l->ladder_count; i++) found = found || !strcmp(l->ladder[i], "total");
    return found;
}

/* ---- figures ---- */

bool run_rows_figure_shown(view_context *c, const lesson_article *a)
{
    return (!a->measured || !strcmp(a->device, c->r->card)) && metric_article(c->app->lesson->l, c->values, c->r, a);
}

bool run_rows_same_source(const lesson_article *a, const lesson_article *b)
{
    return a->measured == b->measured && !strcmp(a->device, b->device);
}

const lesson_article *run_rows_column(view_context *c)
{
    const lesson_article *best = NULL;
    int worth = 0;
    for (int i = 0; i < c->s->article_count; i++) {
        const lesson_article *a = &c->s->article[i];
        int w = strcmp(a->device, c->r->card) ? 1 : a->measured ? 2 : 3;
        if (w > worth && run_rows_figure_shown(c, a) && has(c->r, a->metric)) {
            best = a;
            worth = w;
        }
    }
    return best;
}

const lesson_article *run_rows_figure(view_context *c, const lesson_article *column, const char *metric)
{
    if (!has(c->r, metric)) return NULL;
    for (int i = 0; column && i < c->s->article_count; i++) {
        const lesson_article *a = &c->s->article[i];
        if (run_rows_same_source(a, column) && !strcmp(a->metric, metric) && run_rows_figure_shown(c, a)) return a;
    }
    return NULL;
}

/* ---- what is worth showing ---- */

static bool changed(double old, double now)
{
    return fabs(now - old) > 0.0951 * (fabs(old) < fabs(now) ? fabs(old) : fabs(now));
}

static bool worth_showing(view_context *c, const step_result *before, const struct row *which)
{
    double now = 0, old = 0, all = 0;
    int m = named(which->metric);
    bool have = metric_get(m, c->r, &now), had = before && metric_get(m, before, &old);
    if (which->kind == TOTAL && !about_totals(c->app->lesson->l)) return false;
    if ((!have || now == 0) && (!had || old == 0)) return false;
    if (which->kind == EVENT && metric_get(named("warp_instructions"), c->r, &all) && fmax(now, old) < 0.01 * all)
        return false;
    if (which->kind == PROGRAM && !c->r->has_timeline) return false;
    if (which->kind == PLACE && !(have && had)) return false;
    return which->kind == FIGURE || which->kind == TOTAL || !before || changed(old, now);
}

/* ---- ranking ---- */

/* Does a text name the metric within braces, as in {before.cycles}? */
static bool text_names(const char *text, const char *id)
{
    const size_t n = strlen(id);
    bool inside = false;
    for (const char *p = text; p && *p; p++) {
        inside = *p == '{' || (inside && *p != '}');
        const bool begins = p == text || !(isalnum((unsigned char)p[-1]) || p[-1] == '_');
        if (inside && begins && !strncmp(p, id, n) && !(isalnum((unsigned char)p[n]) || p[n] == '_')) return true;
    }
    return false;
}

/* The metric that a cause of `why` is, with the same numbers; -1: none, as for warps that a small
 * grid leaves out of what could be resident. */
static int metric_of_cause(const step_result *r, const step_result *before, const why_cause *cause)
{
    const int m = named(strcmp(cause->name, "reads_of_warps") ? cause->name : "global_load_requests");
    double now, old;
    return metric_get(m, r, &now) && metric_get(m, before, &old) && now == cause->now && old == cause->before ? m : -1;
}

typedef struct candidate {
    int metric;
    bool must;
    double score;
} candidate;

typedef struct candidates {
    candidate list[RUN_ROWS];
    int count;
} candidates;

static void add(candidates *all, int metric, bool must, double score)
{
    for (int i = 0; i < all->count; i++)
        if (all->list[i].metric == metric) {
            all->list[i].must |= must; /* a cause of `why` that the step's `rows:` names as well */
            return;
        }
    if (metric >= 0 && all->count < RUN_ROWS) all->list[all->count++] = (candidate){metric, must, score};
}

static double score_of(view_context *c, const step_result *before, int m, const struct row *row, const why_causes *why)
{
    double now = 0, old = 0, score = 0;
    bool have = metric_get(m, c->r, &now), had = before && metric_get(m, before, &old);
    const bool twin = row && row->twin;
    if (before && !twin) score = have && had && now > 0 && old > 0 ? fabs(log(now / old)) : 20;
    if (row && row->kind == PLACE) score /= 4; /* a size of the launch rather than what it does */
    for (int i = 0; i < why->count; i++) score += metric_of_cause(c->r, before, &why->cause[i]) == m ? 1000 : 0;
    if (m >= 0 && !twin && text_names(c->s->text.text, metrics[m].id)) score += 100;
    return score;
}

/* Bandwidth or rate: the one that more of the lesson's figures are about. */
static const char *speed_of(const lesson *l, const lesson_step *s, const step_result *r)
{
    if ((s->has_peak || s->library_count) && has(r, "rate")) return "rate";
    int bandwidth = 0, rate = 0;
    for (int i = 0; i < l->step_count; i++)
        for (int k = 0; k < l->step[i].article_count; k++) {
            bandwidth += !strcmp(l->step[i].article[k].metric, "bandwidth");
            rate += !strcmp(l->step[i].article[k].metric, "rate");
        }
    return (rate > bandwidth || !has(r, "bandwidth")) && has(r, "rate") ? "rate" : "bandwidth";
}

static bool asked_for(const lesson_step *s, const char *id)
{
    bool found = false;
    for (int i = 0; i < s->row_count; i++) found = found || !strcmp(s->row[i], id);
    return found;
}

static void collect(view_context *c, const step_result *before, const lesson_article *column, candidates *all)
{
    const lesson_step *s = c->s;
    const char *leading = c->r->simulated && has(c->r, "cycles") ? "cycles" : "time";
    const char *speed = speed_of(c->app->lesson->l, s, c->r);
    why_causes why = {.count = 0};
    char sentence[600];
    if (before) view_why_text(c->r, before, sentence, sizeof sentence, &why);
    for (int i = 0; i < ROWS; i++) {
        const struct row *row = &rows[i];
        if (i == FIGURE_ROWS) /* the article's figures for other metrics */
            for (int k = 0; column && k < s->article_count; k++)
                if (run_rows_figure(c, column, s->article[k].metric) == &s->article[k])
                    add(all, named(s->article[k].metric), true, 0);
        const int m = named(row->metric);
        const bool figure = run_rows_figure(c, column, row->metric) != NULL;
        if (!figure && !asked_for(s, row->metric) && !worth_showing(c, before, row)) continue;
        const bool first = !strcmp(row->metric, leading) || !strcmp(row->metric, "cycles") ||
                           (!strcmp(row->metric, speed) && !s->row_count) || !strcmp(row->metric, "peak_share") ||
                           !strcmp(row->metric, "library_share");
        add(all, m, figure || first || asked_for(s, row->metric), score_of(c, before, m, row, &why));
    }
    for (int i = 0; i < why.count; i++) {
        const int m = metric_of_cause(c->r, before, &why.cause[i]);
        add(all, m, false, score_of(c, before, m, NULL, &why));
    }
    for (int i = 0; i < s->row_count; i++) add(all, named(s->row[i]), true, 0);
}

void run_rows_choose(view_context *c, const step_result *before, const lesson_article *column, run_rows *out)
{
    candidates all = {.count = 0};
    bool taken[RUN_ROWS];
    int count = 0, most = c->r->has_timeline ? RUN_ROWS : c->s->row_count ? 0 : RUN_ROWS_USUAL;
    collect(c, before, column, &all);
    for (int i = 0; i < all.count; i++) count += taken[i] = all.list[i].must;
    for (; count < most && count < all.count; count++) {
        int best = -1;
        for (int i = 0; i < all.count; i++)
            if (!taken[i] && (best < 0 || all.list[i].score > all.list[best].score)) best = i;
        taken[best] = true;
    }
    out->count = 0;
    for (int i = 0; i < all.count; i++)
        if (taken[i]) out->metric[out->count++] = all.list[i].metric;
    out->left = all.count - out->count;
}
