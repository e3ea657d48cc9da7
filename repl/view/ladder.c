/* ladder.c: many runs on one screen: `ladder`, all steps of a lesson, and `sweep`, one step for
 * several values of a setting. Both print a table and a bar chart on a logarithmic scale. The
 * article's figure is below ours, on its own scale. */
#include "view.h"
#include "shell/format.h"
#include "shell/language.h"
#include "shell/progress.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 128 };

typedef struct row {
    char label[64];
    double ours, article; /* negative: none */
    char article_text[32];
    bool foreign; /* the article measured on another card: only ratios can be compared */
} row;

/* `same`: the article's figures have the metric that is drawn, and share its scale. */
static void chart(doc *d, const row *rows, int count, int metric, const char *article, bool same)
{
    doc_bar bar[MOST_ROWS];
    for (int i = 0; i < count; i++) {
        bar[i] = (doc_bar){.label = rows[i].label, .value = rows[i].ours, .other = rows[i].article};
        metric_text(bar[i].shown, sizeof bar[i].shown, metric, rows[i].ours);
        snprintf(bar[i].other_shown, sizeof bar[i].other_shown, "%s", rows[i].article_text);
    }
    doc_bars_put(d, &(doc_bars){bar, count, metrics[metric].name, article, same});
}

/* How many times as good as `first`. */
static double gain(int metric, double first, double v)
{
    return metrics[metric].higher_is_better ? v / first : first / v;
}

/* Figures of another card cannot be compared with ours one by one, but their ratios can. */
static void put_ratios(doc *d, const row *rows, int count, int metric)
{
    int first = -1, used = 0;
    char head[100], a[48], b[48];
    doc_table(d, "lrr");
    for (int i = 0; i < count; i++) {
        if (!rows[i].foreign || rows[i].ours <= 0 || rows[i].article <= 0) continue;
        if (first < 0) {
            first = i;
            snprintf(head, sizeof head, TR("gain over %.80s"), rows[i].label);
            doc_row(d, head, "ours", "article");
            doc_rule(d);
        }
        doc_cell(d, STYLE_PLAIN, "%s", rows[i].label);
        doc_cell(d, STYLE_PLAIN, "%sx", format_number(a, sizeof a, gain(metric, rows[first].ours, rows[i].ours)));
        doc_cell(d, STYLE_PLAIN, "%sx", format_number(b, sizeof b, gain(metric, rows[first].article, rows[i].article)));
        used++;
    }
    if (used > 1) doc_gap(d);
    if (used > 1) doc_table_end(d, 2);
    else table_free(&d->table);
}

/* The metric to draw: the named one, else the first of the lesson's that this result has. */
static int choose_metric(struct app *app, const char *name, const step_result *r)
{
    double v;
    if (name) {
        int m = metric_named(name, strlen(name));
        if (m < 0) {
            app_fail(app, EXIT_USAGE, "show counters", "there is no metric \"%s\"", name);
            return -1;
        }
        if (r && !metric_get(m, r, &v)) {
            app_fail(app, EXIT_USAGE, "ladder transactions", "this run has no %s%s", metrics[m].name,
                     r->has_cycles ? "" : ": this card has no clock here yet");
            return -1;
        }
        return m;
    }
    const lesson *l = app->lesson->l;
    for (int i = 0; i < l->ladder_count; i++) {
        int m = metric_named(l->ladder[i], strlen(l->ladder[i]));
        if (metric_get(m, r, &v)) return m;
    }
    return metric_named("warp_instructions", strlen("warp_instructions"));
}

/* The figure of a step to show below ours, for one metric: one that we measured on this very card,
 * else the article's. */
static const lesson_article *figure_of(struct app *app, const lesson_step *s, const step_values *v,
                                       const step_result *r, const char *metric)
{
    const lesson_article *best = NULL;
    for (int i = 0; i < s->article_count; i++) {
        const lesson_article *a = &s->article[i];
        if (strcmp(a->metric, metric) || (a->measured ? strcmp(a->device, r->card) != 0 : best != NULL) ||
            !metric_article(app->lesson->l, v, r, a))
            continue;
        best = a;
        if (a->measured) break;
    }
    return best;
}

static const struct column {
    const char *id, *heading;
    bool kernels, cpu; /* kernels: in a table of kernels alone; cpu: in a table that also times a CPU */
} columns[] = {
    {"program_time", "program", true, false}, {"kernels_time", "kernels", true, false},
    {"copies_time", "copies", true, false},   {"host_wait", "waits", true, false},
    {"overlap", "overlap", true, false},      {"time", "time", false, true},
    {"cpu_time", "CPU here", false, true},    {"cycles", "cycles", true, false},
    {"peak_share", "of peak", true, false},   {"library_share", "of library", true, false},
    {"bandwidth", "bandwidth", true, false},  {"warp_instructions", "warp instr.", true, true},
    {"active_lanes", "lanes", true, false},   {"transactions", "transact.", true, false},
    {"shared_passes", "passes", true, true},  {"atomic_lanes", "atomics", true, true},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static bool shown_column(const struct column *c, bool cpu, const step_result *const *r, int count)
{
    int m = metric_named(c->id, strlen(c->id));
    double v;
    bool any = false;
    for (int i = 0; i < count && (cpu ? c->cpu : c->kernels); i++) {
        bool have = r[i] && metric_get(m, r[i], &v);
        any = any || (have && v != 0);
        if (metric_counted(m) && r[i] && r[i]->launches && !have) /* on a GPU, only some runs were counted */
            return false;
    }
    return any;
}

static void fill_table(text_table *t, const char *first, const row *rows, const step_result *const *r, int count,
                       const bool *shown)
{
    char align[COLUMNS + 2] = "l", number[48];
    for (int c = 0; c < COLUMNS; c++)
        if (shown[c]) strcat(align, "r");
    table_init(t, align);
    table_add(t, "%s", first);
    for (int c = 0; c < COLUMNS; c++)
        if (shown[c]) table_add(t, "%s", TR(columns[c].heading));
    table_rule(t);
    for (int i = 0; i < count; i++) {
        table_add(t, "%s", rows[i].label);
        for (int c = 0; c < COLUMNS; c++) {
            int m = metric_named(columns[c].id, strlen(columns[c].id));
            double v;
            bool own = strcmp(columns[c].id, "cpu_time") || (r[i] && r[i]->host_timed); /* not the judge's time */
            if (shown[c])
                table_add(t, "%s",
                          own && r[i] && metric_get(m, r[i], &v) ? metric_text(number, sizeof number, m, v) : "");
        }
    }
}

/* All columns that have a value. If they do not fit, the least informative ones are left out. */
static void put_table(doc *d, const char *first, const row *rows, const step_result *const *r, int count)
{
    static const char *const least[] = {"active_lanes", "shared_passes", "bandwidth", "atomic_lanes"};
    bool shown[COLUMNS], cpu = false;
    for (int i = 0; i < count; i++)
        cpu = cpu || (r[i] && (r[i]->host_timed || (!r[i]->launches && !r[i]->has_timeline)));
    for (int c = 0; c < COLUMNS; c++) shown[c] = shown_column(&columns[c], cpu, r, count);
    text_table t;
    fill_table(&t, first, rows, r, count, shown);
    for (size_t k = 0; k < sizeof least / sizeof *least && table_width(&t) + 2 > d->app->width; k++) {
        for (int c = 0; c < COLUMNS; c++) shown[c] = shown[c] && strcmp(columns[c].id, least[k]);
        table_free(&t);
        fill_table(&t, first, rows, r, count, shown);
    }
    doc_made_table(d, &t, 2);
    table_free(&t);
}

/* ---- ladder ---- */

typedef struct rung {
    const lesson_step *s;
    step_values v;
    const step_result *r;
} rung;

static bool same_values(const lesson *l, const step_values *a, const step_values *b)
{
    return !memcmp(a->value, b->value, (size_t)l->setting_count * sizeof *a->value);
}

/* The rungs of a step: one with the chosen settings. If nothing is chosen, also one for each other
 * setting with a figure in the article. */
static int rungs_of(struct app *app, const lesson_step *s, const struct device *d, rung *out, int most)
{
    const lesson *l = app->lesson->l;
    const step_chosen *chosen = session_chosen(app);
    char why[300];
    int count = 0;
    bool free_choice = true;
    for (int i = 0; i < l->setting_count; i++) free_choice = free_choice && !chosen->set[i];
    memset(out, 0, sizeof *out);
    out[0].s = s;
    if (session_lacks(app, s, d, why, sizeof why)) app_warn(app, "%s is left out: %s", session_step_name(app, s), why);
    else if (step_settings(l, s, chosen, &out[0].v, why, sizeof why)) count = 1;
    else app_warn(app, "%s is left out: %s", session_step_name(app, s), why);
    for (int i = 0; free_choice && i < s->article_count && count && count < most; i++) {
        bool known = false;
        out[count] = (rung){.s = s};
        const lesson_article *a = &s->article[i];
        if (!a->condition.count || (a->measured && (d->kind == DEVICE_GPU || strcmp(a->device, d->card))) ||
            !step_settings_where(l, s, &a->condition, &out[count].v))
            continue;
        for (int k = 0; k < count && !known; k++) known = same_values(l, &out[k].v, &out[count].v);
        count += !known;
    }
    return count;
}

/* "v3 (aside)", "pairwise lists=8": the first rung of a step has only its name. */
static void label_of(const lesson *l, const rung *g, const rung *first, char *out, size_t size)
{
    size_t used = (size_t)snprintf(out, size, "%s%s", g->s->name, g->s->aside ? TR(" (aside)") : "");
    for (int i = 0; g != first && i < l->setting_count && used < size; i++)
        if (g->v.value[i] != first->v.value[i])
            used += (size_t)snprintf(out + used, size - used, " %s=%" PRId64, l->setting[i].name, g->v.value[i]);
    if (used < size)
        snprintf(out + used, size - used, "%s%s", step_launches(g->s) ? "" : TR(" (this CPU)"),
                 step_as_expected(g->s, g->r) ? "" : TR(" WRONG"));
}

/* A step with useful bytes; of a chapter that was asked for, each that runs. */
static bool is_rung(const lesson *l, const lesson_step *s, const lesson_chapter *of)
{
    return step_runs(s) && (of ? lesson_chapter_of(l, s) == of : s->bytes.count > 0);
}

/* On a GPU, all rungs without a result take turns, so that they can be compared. */
static int in_turns(struct app *app, const struct device *d, const lesson_chapter *of)
{
    const lesson *l = app->lesson->l;
    rung *rungs = calloc(MOST_ROWS, sizeof *rungs);
    const lesson_step **s = calloc(MOST_ROWS, sizeof *s);
    step_values *v = calloc(MOST_ROWS, sizeof *v);
    int count = 0, status = rungs && s && v ? 0 : app_no_memory(app);
    for (int i = 0; !status && i < l->step_count && count < MOST_ROWS; i++)
        if (step_launches(&l->step[i]) && is_rung(l, &l->step[i], of))
            count += rungs_of(app, &l->step[i], d, rungs + count, MOST_ROWS - count);
    for (int i = 0; i < count; i++) {
        s[i] = rungs[i].s;
        v[i] = rungs[i].v;
    }
    if (!status) status = session_in_turns(app, d, s, v, count, false);
    free(rungs);
    free(s);
    free(v);
    return status;
}

/* A step for another card than this simulated one is not part of the ladder, unless this card was
 * requested. */
static bool out_of_place(const struct app *app, const lesson_step *s, const struct device *d)
{
    return s->card && !app->device_explicit && d->kind == DEVICE_SIM && strcmp(s->card, d->card);
}

static void say_left_out(struct app *app, const struct device *d, const lesson_chapter *of)
{
    char names[400] = "";
    const lesson *l = app->lesson->l;
    for (int i = 0; i < l->step_count; i++)
        if (is_rung(l, &l->step[i], of) && out_of_place(app, &l->step[i], d)) {
            size_t n = strlen(names);
            snprintf(names + n, sizeof names - n, "%s%s (%s)", n ? ", " : "", l->step[i].name, l->step[i].card);
        }
    if (*names) app_warn(app, "left out, as they are for another card: %s; `ladder --device DEV` includes them", names);
}

/* Run all rungs. EXIT_DONE; EXIT_CHECK when a result is not as expected; or the status of a rung
 * that could not run. */
static int climb(doc *out, const struct device *d, const lesson_chapter *of, rung *rungs, row *rows, int *count)
{
    struct app *app = out->app;
    const lesson *l = app->lesson->l;
    int bad = EXIT_DONE;
    *count = 0;
    if (d->kind == DEVICE_GPU && (bad = in_turns(app, d, of))) return bad;
    for (int i = 0; i < l->step_count && *count < MOST_ROWS; i++) {
        const lesson_step *s = &l->step[i];
        int first = *count, more = is_rung(l, s, of) && !out_of_place(app, s, d)
                                       ? rungs_of(app, s, d, rungs + first, MOST_ROWS - first)
                                       : 0;
        for (int k = 0; k < more; k++) {
            rung *g = &rungs[*count];
            int status;
            if (app_interrupted) return EXIT_INTERRUPT;
            *g = rungs[first + k]; /* a rung that could not run leaves no gap */
            snprintf(app->lesson->already, sizeof app->lesson->already, "step %d of %d", i + 1, l->step_count);
            g->r = session_result(app, s, d, run_values(app, &g->v), &status);
            app->lesson->already[0] = 0;
            if (!g->r) {
                if (status == EXIT_INTERRUPT) return status;
                if (status != EXIT_USAGE) /* the card does not allow it, as a message has said */
                    bad = status;
                continue;
            }
            if (!step_as_expected(s, g->r)) bad = EXIT_CHECK;
            view_run_json(out, &(view_context){.app = app, .s = s, .device = d, .r = g->r, .values = &g->v});
            label_of(l, g, &rungs[first], rows[*count].label, sizeof rows->label);
            ++*count;
        }
    }
    return bad;
}

/* How busy a multiprocessor is during each step. */
static void put_over_time(doc *d, const row *rows, const step_result *const *r, int count)
{
    char busy[VIEW_OVER_TIME];
    bool any = false;
    for (int i = 0; i < count; i++) any |= r[i]->has_usage && r[i]->cycles > 0;
    if (!any) return;
    doc_gap(d);
    doc_say(d, 2,
            "How much of the time the schedulers of a multiprocessor issue, from start to end (`warps STEP` shows "
            "its warps):");
    doc_table(d, "llr");
    for (int i = 0; i < count; i++) {
        if (!r[i]->has_usage || r[i]->cycles <= 0) continue;
        doc_cell(d, STYLE_PLAIN, "%s", rows[i].label);
        doc_cell(d, STYLE_PLAIN, "|%s|", view_over_time(d->app, r[i], busy, sizeof busy));
        double mean = 0;
        for (int k = 0; k < SIM_OVER_TIME; k++) mean += r[i]->usage.over_time[k] / (double)SIM_OVER_TIME;
        doc_cell(d, STYLE_PLAIN, "%.0f %%", mean);
    }
    doc_table_end(d, 2);
}

/* Rungs that are drawn together: of one chapter, or of a lesson without chapters. */
typedef struct section {
    const lesson_chapter *chapter; /* NULL: none */
    rung *rungs;
    row *rows;
    int count;
} section;

/* Which metrics exist depends on the card: ask a row that ran on it. */
static const step_result *who_says(const section *s)
{
    int first = 0;
    while (first < s->count - 1 && !s->rungs[first].r->launches) first++;
    return s->rungs[first].r;
}

static void put_section(doc *out, const section *s, int m, const char *metric_name, const lesson_chapter *of,
                        bool alone)
{
    struct app *app = out->app;
    const step_result *r[MOST_ROWS] = {0};
    row *rows = s->rows;
    char article[160] = "";
    bool same = true;
    int64_t bytes = -1; /* of the first row whose figure is of another card */
    for (int i = 0; i < s->count; i++) {
        r[i] = s->rungs[i].r;
        rows[i].article = -1;
        rows[i].foreign = false;
        if (!metric_get(m, r[i], &rows[i].ours)) rows[i].ours = -1;
        /* the article's figure for the metric; if none was named, its cycles or time, which it has
         * most often */
        const rung *g = &s->rungs[i];
        const lesson_article *a = figure_of(app, g->s, &g->v, g->r, metrics[m].id);
        if (!a && !metric_name) a = figure_of(app, g->s, &g->v, g->r, "cycles");
        if (!a && !metric_name) a = figure_of(app, g->s, &g->v, g->r, "time");
        if (a) {
            same = same && !strcmp(a->metric, metrics[m].id);
            rows[i].article = a->value;
            view_figure(rows[i].article_text, sizeof rows[i].article_text, a);
            rows[i].foreign = g->r->launches && strcmp(a->device, g->r->card) && !strcmp(a->metric, metrics[m].id);
            bytes = rows[i].foreign && bytes < 0 ? g->r->bytes : bytes;
            /* no gain over a different amount of work */
            rows[i].foreign = rows[i].foreign && g->r->bytes == bytes;
            char where[80];
            if (!article[0] || g->r->launches)
                snprintf(article, sizeof article,
                         a->measured ? TR("%.31s measured on %.79s") : TR("the article's %.31s on %.79s"),
                         metrics[metric_named(a->metric, strlen(a->metric))].name,
                         view_figure_device(g->r, a->device, where, sizeof where));
        }
    }
    doc_gap(out);
    if (s->chapter && (!alone || of)) doc_head(out, "", "%s: %s", s->chapter->name, s->chapter->title);
    put_table(out, TR("step"), rows, r, s->count);
    if (alone || s->count > 1) chart(out, rows, s->count, m, article, same);
    put_ratios(out, rows, s->count, m);
    if (alone) put_over_time(out, rows, r, s->count);
}

/* Does the step, the first of its chapter, go on from a rung of the section? */
static bool goes_on(const lesson *l, const section *s, const lesson_step *first)
{
    const lesson_step *before = step_before(l, first);
    bool found = !first->after;
    for (int i = 0; i < s->count && !found; i++) found = s->rungs[i].s == before;
    return found;
}

/* Cuts the rungs into sections, each from a chapter that does not go on from the one before; returns
 * their number. */
static int cut_sections(const lesson *l, rung *rungs, row *rows, int count, section out[LESSON_CHAPTERS + 1])
{
    int made = 0;
    for (int i = 0; i < count; i++) {
        const lesson_chapter *c = lesson_chapter_of(l, rungs[i].s);
        const bool chapter = i && c != lesson_chapter_of(l, rungs[i - 1].s);
        if (!made || (chapter && !goes_on(l, &out[made - 1], rungs[i].s)))
            out[made++] = (section){c, rungs + i, rows + i, 0};
        out[made - 1].count++;
    }
    return made;
}

static int no_ladder(struct app *app, const lesson_chapter *of)
{
    const int number = app->lesson->l->number;
    if (of) return app_fail(app, EXIT_USAGE, "lesson", "chapter %s of lesson %d has no ladder", of->name, number);
    return app_fail(app, EXIT_USAGE, "lesson", "lesson %d has no ladder", number);
}

/* Chapters that have nothing to do with each other are not drawn on one scale. */
static int one_ladder(struct app *app, const struct device *d, const lesson_chapter *of, const char *metric_name)
{
    const lesson *l = app->lesson->l;
    rung rungs[MOST_ROWS];
    row rows[MOST_ROWS];
    section sections[LESSON_CHAPTERS + 1];
    doc out = doc_open(app);
    int count, bad = climb(&out, d, of, rungs, rows, &count), drawn = 0;
    if (bad == EXIT_INTERRUPT) return bad;
    say_left_out(app, d, of);
    if (doc_is_data(&out) || !count) return bad ? bad : count ? EXIT_DONE : no_ladder(app, of);
    const int made = cut_sections(l, rungs, rows, count, sections);
    const bool alone = made == 1;
    for (int i = 0; i < made; i++) {
        const step_result *r = who_says(&sections[i]);
        double v;
        int m = metric_name ? metric_named(metric_name, strlen(metric_name)) : choose_metric(app, NULL, r);
        if (m < 0 || (metric_name && !metric_get(m, r, &v))) continue;
        if (!drawn++) doc_head(&out, r->device, "Lesson %d, %s", l->number, l->title);
        put_section(&out, &sections[i], m, metric_name, of, alone);
    }
    if (!drawn) { /* say which metric there is not */
        choose_metric(app, metric_name, who_says(&sections[0]));
        return EXIT_USAGE;
    }
    if (!alone) {
        doc_gap(&out);
        doc_say(&out, 0, "`ladder %d CHAPTER` shows all steps of one chapter.", l->number);
    }
    if (who_says(&sections[0])->cache) {
        doc_gap(&out);
        doc_say(&out, 2, "%s", view_cache(who_says(&sections[0])));
    }
    return bad;
}

/* ---- several devices: columns for the article and for each device ---- */

typedef struct ladder {
    rung rungs[MOST_ROWS];
    row rows[MOST_ROWS];
    int count;
} ladder;

/* The rung with the same step and settings on another device, or NULL. */
static const rung *same_rung(const lesson *l, const ladder *on, const rung *g)
{
    for (int i = 0; i < on->count; i++)
        if (on->rungs[i].s == g->s && same_values(l, &on->rungs[i].v, &g->v)) return &on->rungs[i];
    return NULL;
}

static void put_beside(doc *d, const ladder *on, int devices, int longest, int metric)
{
    struct app *app = d->app;
    char align[DEVICES_MAX + 3] = "lr", number[48];
    const ladder *first = &on[longest];
    bool any = false;
    for (int i = 0; i < first->count && !any; i++)
        for (int k = 0; k < devices && !any; k++) {
            const rung *g = same_rung(app->lesson->l, &on[k], &first->rungs[i]);
            double v;
            any = g && g->r->launches && metric_get(metric, g->r, &v);
        }
    if (!any) return;
    for (int k = 0; k < devices; k++) strcat(align, "r");
    doc_table(d, align);
    doc_row(d, metrics[metric].name, "article");
    for (int k = 0; k < devices; k++) {
        const step_result *r = on[k].count ? on[k].rungs[on[k].count - 1].r : NULL;
        doc_cell(d, STYLE_PLAIN, "%.20s", r ? r->device : "");
    }
    doc_rule(d);
    for (int i = 0; i < first->count; i++) {
        const rung *g = &first->rungs[i];
        const lesson_article *a = figure_of(app, g->s, &g->v, g->r, metrics[metric].id);
        doc_cell(d, STYLE_PLAIN, "%.28s", first->rows[i].label);
        doc_cell(d, STYLE_PLAIN, "%s", a && !a->measured ? metric_text(number, sizeof number, metric, a->value) : "");
        for (int k = 0; k < devices; k++) {
            const rung *other = same_rung(app->lesson->l, &on[k], g);
            double v;
            bool have = other && other->r->launches && metric_get(metric, other->r, &v);
            doc_cell(d, STYLE_PLAIN, "%s%s", have ? metric_text(number, sizeof number, metric, v) : "",
                     other && !step_as_expected(other->s, other->r) ? TR(" WRONG") : "");
        }
    }
    doc_table_end(d, 2);
}

/* Below the tables: what the cycles mean and, if any device has a cache, what it held. All devices
 * follow the same protocol. */
static void put_remarks(doc *out, const ladder *on, int devices)
{
    const step_result *cached = NULL;
    bool of_block = false;
    for (int k = 0; k < devices; k++)
        for (int i = 0; i < on[k].count; i++) {
            const step_result *r = on[k].rungs[i].r;
            of_block = of_block || (r->block_cycles > 0 && !r->simulated);
            if (!cached && r->cache) cached = r;
        }
    if (of_block) {
        doc_gap(out);
        doc_say(
            out, 2,
            "Cycles of a GPU are those of its slowest block; the others' run from the first start of a block to the "
            "last end. Times of a GPU are measured; those of simulated cards are worked out.");
    }
    if (cached) {
        doc_gap(out);
        doc_say(out, 2, "%s", view_cache(cached));
    }
}

static int beside(struct app *app, const struct device *d, int devices, const lesson_chapter *of,
                  const char *metric_name)
{
    ladder *on = calloc((size_t)devices, sizeof *on);
    int worst = EXIT_DONE, longest = 0;
    if (!on) return app_no_memory(app);
    doc out = doc_open(app);
    for (int k = 0; k < devices && worst != EXIT_INTERRUPT; k++) {
        int bad = climb(&out, &d[k], of, on[k].rungs, on[k].rows, &on[k].count);
        if (bad) worst = bad;
        if (on[k].count > on[longest].count) longest = k;
    }
    const lesson *l = app->lesson->l;
    if (!worst && !on[longest].count) worst = no_ladder(app, of);
    if (worst != EXIT_INTERRUPT && on[longest].count && !doc_is_data(&out)) {
        int first = 0;
        while (first < on[longest].count - 1 && !on[longest].rungs[first].r->launches) first++;
        int m = choose_metric(app, metric_name, on[longest].rungs[first].r), time = metric_named("time", 4);
        doc_head(&out, "article, simulated cards and GPUs compared", "Lesson %d, %s", l->number, l->title);
        doc_gap(&out);
        if (m >= 0) put_beside(&out, on, devices, longest, m);
        if (m != time && !metric_name) {
            doc_gap(&out);
            put_beside(&out, on, devices, longest, time);
        }
        put_remarks(&out, on, devices);
    }
    free(on);
    return worst;
}

int view_ladder(struct app *app, const lesson_chapter *of, const char *metric_name)
{
    struct device d[DEVICES_MAX];
    int count, status = session_devices(app, NULL, session_chosen(app), d, &count);
    return status      ? status
           : count > 1 ? beside(app, d, count, of, metric_name)
                       : one_ladder(app, &d[0], of, metric_name);
}

/* ---- sweep ---- */

static bool whole_number(const char *text, int64_t *out)
{
    expr e;
    char why[80], plain[64];
    text = format_uncount(plain, sizeof plain, text);
    const char *at, *expected, *stop = expr_parse(&e, text, text + strlen(text), &at, &expected);
    return stop && !*stop && expr_eval(&e, NULL, NULL, out, why, sizeof why);
}

int view_sweep_values(struct app *app, int argc, char **argv, int64_t *values, int most)
{
    int count = 0;
    for (int i = 0; i < argc; i++) {
        if (count == most) {
            app_fail(app, EXIT_USAGE, "help sweep", "at most %d values", most);
            return -1;
        }
        if (!whole_number(argv[i], &values[count])) {
            app_fail(app, EXIT_USAGE, "help sweep", "\"%s\" is not a whole number", argv[i]);
            return -1;
        }
        count++;
    }
    if (count != 2) return count;
    /* two values are the ends of a range: double from one to the other */
    int64_t from = values[0], to = values[1];
    if (from < 1 || to < from) {
        app_fail(app, EXIT_USAGE, "help sweep", "a sweep goes from a number above 0 to a greater one");
        return -1;
    }
    count = 0;
    for (int64_t v = from; v <= to && count<most; v = v> INT64_MAX / 2 ? INT64_MAX : v * 2) {
        values[count++] = v;
        if (v > to / 2 && v != to && count < most) {
            values[count++] = to;
            break;
        }
    }
    return count;
}

/* On a GPU the runs take turns, so that they can be compared. */
static int sweep_in_turns(struct app *app, const lesson_step *s, const struct device *d, int setting,
                          const int64_t *values, int count)
{
    const lesson_step *steps[MOST_ROWS];
    step_values *v = calloc(MOST_ROWS, sizeof *v);
    int made = 0, status = v ? 0 : app_no_memory(app);
    for (int i = 0; i < count && made < MOST_ROWS && v; i++) {
        step_chosen chosen = *session_chosen(app);
        char why[300];
        chosen.set[setting] = true;
        chosen.value[setting] = values[i];
        if (step_settings(app->lesson->l, s, &chosen, &v[made], why, sizeof why)) steps[made++] = s;
    }
    if (!status) status = session_in_turns(app, d, steps, v, made, true);
    free(v);
    return status;
}

int view_sweep(struct app *app, const char *variable, const int64_t *values, int count, const char *metric_name)
{
    struct lesson_state *st = app->lesson;
    const lesson *l = st->l;
    const lesson_step *s = st->s;
    int setting = lesson_setting_named(l, variable, strlen(variable)), devices, status;
    if (setting < 0) return app_fail(app, EXIT_USAGE, "set", "lesson %d has no setting \"%s\"", l->number, variable);
    struct device d[DEVICES_MAX];
    if ((status = session_devices(app, s, session_chosen(app), d, &devices))) return status;
    step_values v;
    char why[300];
    if (step_settings(l, s, NULL, &v, why, sizeof why) && v.fixed[setting])
        return app_fail(app, EXIT_USAGE, "goto", "%s is %" PRId64 " in step %s, which is made for that value", variable,
                        v.value[setting], s->name);
    int worst = EXIT_DONE;
    doc out = doc_open(app);
    for (int k = 0; k < devices; k++) {
        row rows[MOST_ROWS];
        const step_result *r[MOST_ROWS];
        int made = 0;
        if (d[k].kind == DEVICE_GPU && (status = sweep_in_turns(app, s, &d[k], setting, values, count))) return status;
        for (int i = 0; i < count && made < MOST_ROWS; i++) {
            step_chosen chosen = *session_chosen(app);
            chosen.set[setting] = true;
            chosen.value[setting] = values[i];
            if (app_interrupted) return EXIT_INTERRUPT;
            if (!step_settings(l, s, &chosen, &v, why, sizeof why)) {
                app_warn(app, "%s = %" PRId64 " is left out: %s", variable, values[i], why);
                continue;
            }
            snprintf(app->lesson->already, sizeof app->lesson->already, "%s = %" PRId64 ", %d of %d", variable,
                     values[i], i + 1, count);
            r[made] = session_result(app, s, &d[k], run_values(app, &v), &status);
            app->lesson->already[0] = 0;
            if (!r[made]) {
                if (status == EXIT_INTERRUPT || status == EXIT_TIME) return status;
                continue; /* a message has said why */
            }
            bool good = step_as_expected(s, r[made]);
            if (!good) worst = EXIT_CHECK;
            view_run_json(&out, &(view_context){.app = app, .s = s, .device = &d[k], .r = r[made], .values = &v});
            snprintf(rows[made].label, sizeof rows[made].label, "%" PRId64 "%s", values[i], good ? "" : TR(" WRONG"));
            rows[made].article = -1;
            int drawn = choose_metric(app, metric_name, r[made]);
            const lesson_article *a = drawn < 0 ? NULL : figure_of(app, s, &v, r[made], metrics[drawn].id);
            if (a) {
                rows[made].article = a->value;
                view_figure(rows[made].article_text, sizeof rows[made].article_text, a);
            }
            made++;
        }
        if (!made) return status ? status : EXIT_USAGE;
        if (doc_is_data(&out)) continue;
        int m = choose_metric(app, metric_name, r[0]);
        if (m < 0) return EXIT_USAGE;
        for (int i = 0; i < made; i++)
            if (!metric_get(m, r[i], &rows[i].ours)) rows[i].ours = -1;
        if (k) doc_gap(&out);
        view_step_head(&out, s, r[0]->device);
        put_table(&out, variable, rows, r, made);
        char article[64];
        snprintf(article, sizeof article, TR("the article's %s"), metrics[m].name);
        chart(&out, rows, made, m, article, true);
    }
    return worst;
}
