/* view_run.c: one run on the screen, and the same run as a line of JSON. */
#include "view.h"
#include "format.h"
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The rows of the table, in order; one that neither run has anything of is left out. */
static const char *const rows[] = {
    "cycles",
    "cycles_each",
    "time",
    "bandwidth",
    "rate",
    "total",
    "total_rate",
    "warp_instructions",
    "active_lanes",
    "transactions",
    "transactions_per_access",
    "asked_bytes",
    "moved_bytes",
    "efficiency",
    "shared_accesses",
    "shared_passes",
    "passes_per_access",
    "divergent_branches",
    "sparse_instructions",
    "barriers",
    "atomic_lanes",
    "local_requests",
    "constant_requests",
    "max_error",
    "right_digits",
    "max_ulp",
    "mean_error",
    "warps",
    "busy_multiprocessors",
    "registers",
    "resident_blocks",
    "occupancy",
    "host_elements",
};

void view_step_head(struct app *app, const lesson_step *s, const char *device)
{
    char name[80];
    snprintf(name, sizeof name, "%s", session_step_name(app, s));
    int width = app->width < 40 ? 40 : app->width > 100 ? 100 : app->width;
    int left = utf8_width(name) + 2 + utf8_width(s->title), right = utf8_width(device);
    fprintf(app->out, "%s%s  %s%s", app_style(app, STYLE_HEAD), name, s->title, app_style(app, STYLE_PLAIN));
    if (right)
        fprintf(app->out, "%*s%s", width - left - right > 2 ? width - left - right : 2, "", device);
    fputc('\n', app->out);
}

/* A large result is no power of ten to a reader: 123000000.110771, not 1.23e+08. */
static char *result_text(char *buffer, size_t size, double v)
{
    if (!(fabs(v) >= 1e6 && fabs(v) < 1e15))
        return format_exact(buffer, size, v, 9);
    snprintf(buffer, size, "%.6f", v);
    for (char *end = buffer + strlen(buffer); end[-1] == '0' || end[-1] == '.'; *end = 0)
        if (*--end == '.') {
            *end = 0;
            break;
        }
    return buffer;
}

static const char *verdict_text(const step_result *r, const lesson_step *s, char *out, size_t size)
{
    const verdict *v = &r->verdict;
    const char *name = s->right.ours_name;
    char a[40], b[40];
    if (v->message[0]) {
        snprintf(out, size, "%s: wrong, %s", name, v->message);
        return out;
    }
    if (v->exact_integers) {
        snprintf(a, sizeof a, "%" PRId64, v->ours_integer);
        snprintf(b, sizeof b, "%" PRId64, v->reference_integer);
    } else {
        result_text(a, sizeof a, v->ours);
        result_text(b, sizeof b, v->reference);
    }
    bool scalar = !v->array;
    if (v->correct && (v->exact_integers || v->max_absolute == 0))
        snprintf(out, size,
                 scalar ? "%s = %s: right, the CPU says the same" : "%s: right, every element as the CPU has it", name,
                 a);
    else if (v->correct)
        snprintf(out, size, "%s%s%s: right, relative error at most %.3g, %.3g on average", name, scalar ? " = " : "",
                 scalar ? a : "", v->max_relative, v->mean_relative);
    else if (scalar)
        snprintf(out, size, "%s = %s: wrong, the CPU says %s", name, a, b);
    else
        snprintf(out, size, "%s: wrong in %llu elements, first in [%llu]: %s, the CPU says %s", name,
                 (unsigned long long)v->wrong, (unsigned long long)v->first, a, b);
    return out;
}

static const char *dims(char *out, size_t size, const uint32_t d[3])
{
    if (d[2] > 1)
        snprintf(out, size, "%u x %u x %u", d[0], d[1], d[2]);
    else if (d[1] > 1)
        snprintf(out, size, "%u x %u", d[0], d[1]);
    else
        snprintf(out, size, "%u", d[0]);
    return out;
}

static void put_launch(view_context *c)
{
    struct app *app = c->app;
    const step_result *r = c->r;
    const lesson *l = app->lesson->l;
    char grid[48], block[48], number[40];
    char kernel[96] = "";
    for (int i = 0; i < c->s->action_count && !*kernel; i++)
        if (c->s->action[i].kind == ACT_LAUNCH)
            step_entry(l, c->values, &c->s->action[i], kernel, sizeof kernel);
    int used = fprintf(app->out, "  %s<<<%s, %s", kernel, dims(grid, sizeof grid, r->grid),
                       dims(block, sizeof block, r->block));
    if (r->shared)
        used += fprintf(app->out, ", %u", r->shared);
    used += fprintf(app->out, ">>>");
    if (r->launches > 1)
        used += fprintf(app->out, " and %d more launch%s", r->launches - 1, r->launches == 2 ? "" : "es");
    for (int i = 0; i < l->setting_count; i++) {
        char piece[120];
        if (!step_uses(l, c->s, i))
            continue;
        format_count(number, sizeof number, (uint64_t)c->values->value[i]);
        int wide = snprintf(piece, sizeof piece, "   %s = %s", l->setting[i].name,
                            c->values->value[i] < 0 ? "-" : number);
        bool fits = used + wide <= (app->width < 40 ? 40 : app->width);
        used = (fits ? used : 1) + wide;
        fprintf(app->out, "%s%s", fits ? "" : "\n ", piece);
    }
    fputc('\n', app->out);
}

/* How far our figure is from the article's, for the line that gives the article's; nothing when there is none of ours.
 */
static void put_distance(const step_result *r, const step_result *before, const lesson_article *a, char *out,
                         size_t size)
{
    double ours;
    int m = metric_named(a->metric, strlen(a->metric));
    out[0] = 0;
    bool have = metric_get(m, r, &ours);
    if (!strcmp(a->metric, "speedup") && before && before->has_time && r->has_time && r->seconds > 0) {
        ours = r->simulated ? before->cycles / r->cycles : before->seconds / r->seconds;
        have = true;
    }
    if (!strcmp(a->metric, "cpu_gain") && r->has_time && r->seconds > 0) {
        ours = r->cpu_seconds / r->seconds;
        have = ours > 0;
    }
    if (m < 0 || !(a->value > 0) || !have || strcmp(a->device, r->card))
        return;
    double off = 100 * (ours / a->value - 1);
    if (off > -0.05 && off < 0.05)
        snprintf(out, size, " (ours the same)");
    else
        snprintf(out, size, " (ours %.*f %% %s)", off > 10 || off < -10 ? 0 : 1, off < 0 ? -off : off,
                 off < 0 ? "less" : "more");
}

const char *view_figure_device(const step_result *r, const char *device, char *out, size_t size)
{
    if (!strcmp(device, r->card))
        snprintf(out, size, "%s%s", format_a_or_an(r->card_title), r->card_title);
    else if (!strcmp(device, "unknown"))
        snprintf(out, size, "a card that it does not name");
    else if (!strcmp(device, "cpu"))
        snprintf(out, size, "its CPU");
    else
        snprintf(out, size, "%s", device);
    return out;
}

/* The figure holds for these settings, and is one to show: what we measured stands beside a run on that card alone. */
static bool figure_shown(view_context *c, const lesson_article *a, bool *hidden)
{
    if (a->measured && strcmp(a->device, c->r->card))
        return false;
    if (!metric_article(c->app->lesson->l, c->values, c->r, a)) {
        *hidden = *hidden || !a->measured;
        return false;
    }
    return true;
}

/* The figures to compare with for these settings, a line for each place they come from. */
static void put_figures(view_context *c, const step_result *before)
{
    struct app *app = c->app;
    const lesson_step *s = c->s;
    bool hidden = false, any = false;
    for (int i = 0; i < s->article_count; i++) {
        const lesson_article *first = &s->article[i];
        char line[600] = "", text[900];
        bool said = false;
        for (int k = 0; k < i && !said; k++)
            said = s->article[k].measured == first->measured && !strcmp(s->article[k].device, first->device);
        for (int k = i; k < s->article_count && !said; k++) {
            const lesson_article *a = &s->article[k];
            if (a->measured != first->measured || strcmp(a->device, first->device) || !figure_shown(c, a, &hidden))
                continue;
            size_t n = strlen(line);
            int m = metric_named(a->metric, strlen(a->metric));
            bool plain = !strcmp(a->metric, "cycles") || !strcmp(a->metric, "time") ||
                         !strcmp(a->metric, "bandwidth") || !strcmp(a->metric, "speedup"); /* their unit says it */
            snprintf(line + n, sizeof line - n, "%s%s%s%s%s", n ? ", " : "", plain || m < 0 ? "" : metrics[m].name,
                     plain ? "" : " ", a->shown, !strcmp(a->metric, "speedup") ? " the step before" : "");
            n = strlen(line);
            put_distance(c->r, before, a, line + n, sizeof line - n);
        }
        if (!line[0])
            continue;
        char where[80];
        snprintf(text, sizeof text, "%s%s: %s.%s", first->measured ? "Measured by us on " : "Article, on ",
                 view_figure_device(c->r, first->device, where, sizeof where), line,
                 c->r->has_time || any || !c->r->launches ? "" : " This card has no clock here yet, so counters only.");
        app_wrap(app, 2, text);
        any = true;
    }
    if (!any && hidden)
        app_wrap(app, 2, "The article's figures hold for its own settings, not for these.");
}

void view_faults(struct app *app, const step_result *r)
{
    enum { MOST = 3 }; /* one mistake is often seen in many ways; a screen has few lines */
    for (int i = 0; i < r->faults && i < MOST; i++) {
        const step_fault *f = &r->fault[i];
        const char *style = app_style(app, f->note ? STYLE_NOTE : STYLE_BAD);
        char text[700];
        size_t n;
        fprintf(app->out, "  %s%s%s", style, f->note ? "note" : f->kind, app_style(app, STYLE_PLAIN));
        if (f->line > 0)
            fprintf(app->out, " at %s:%d", f->file, f->line);
        fputc('\n', app->out);
        app_wrap(app, 4, f->message);
        if (!r->simulated && f->line == 0) { /* a GPU does not say where */
            if (f->advice[0])
                app_wrap(app, 4, f->advice);
            continue;
        }
        snprintf(text, sizeof text, "block (%u, %u, %u), thread (%u, %u, %u)", f->block[0], f->block[1], f->block[2], f->thread[0],
                 f->thread[1], f->thread[2]);
        n = strlen(text);
        if (f->has_other)
            snprintf(text + n, sizeof text - n, " with line %d, block (%u, %u, %u), thread (%u, %u, %u)", f->other_line,
                     f->other_block[0], f->other_block[1], f->other_block[2], f->other_thread[0], f->other_thread[1],
                     f->other_thread[2]);
        n = strlen(text);
        if (f->count > 1)
            snprintf(text + n, sizeof text - n, ", %llu times", (unsigned long long)f->count);
        app_wrap(app, 4, text);
        if (f->advice[0])
            app_wrap(app, 4, f->advice);
    }
    if (r->faults > MOST)
        fprintf(app->out, "  and %d more; --json gives all of them\n", r->faults - MOST);
}

/* What a multiprocessor holds is worth a row when it is not what it was before. */
static bool only_when_changed(const char *metric)
{
    return !strcmp(metric, "registers") || !strcmp(metric, "resident_blocks") || !strcmp(metric, "occupancy");
}

/* Totals are shown in a lesson whose ladder is about them; elsewhere the copies would hide what the kernel does. */
static bool about_totals(const lesson *l)
{
    bool found = false;
    for (int i = 0; i < l->ladder_count; i++)
        found = found || !strcmp(l->ladder[i], "total");
    return found;
}

void view_run(view_context *c, const step_result *before, const lesson_step *before_step)
{
    struct app *app = c->app;
    const step_result *r = c->r;
    char text[256], a[48], b[48], change[48];
    if (step_launches(c->s))
        put_launch(c);
    if (r->prints) {
        fprintf(app->out, "  %sthe kernel printed:%s\n", app_style(app, STYLE_DIM), app_style(app, STYLE_PLAIN));
        for (int i = 0; i < r->prints; i++)
        {
            fputs("    ", app->out);
            print_code(app->out, r->print[i], 4, app->width);
        }
        if (r->prints_left_out)
            fprintf(app->out, "    (and %s more)\n",
                    format_plural(text, sizeof text, r->prints_left_out, "line"));
    }
    view_faults(app, r);
    if (r->judged) {
        bool good = r->verdict.correct;
        char whole[320];
        snprintf(whole, sizeof whole, "%s   (inputs from seed %llu)", verdict_text(r, c->s, text, sizeof text), (unsigned long long)r->seed);
        fputs(app_style(app, good ? STYLE_GOOD : STYLE_BAD), app->out);
        app_wrap(app, 2, whole);
        fputs(app_style(app, STYLE_PLAIN), app->out);
    }
    if (c->s->expect != EXPECT_OK)
        fprintf(app->out, "  this step is meant to be %s\n", lesson_expected[c->s->expect]);
    fputc('\n', app->out);
    text_table t;
    table_init(&t, before ? "lrrl" : "lr");
    table_add(&t, "%s", "");
    table_add(&t, "%s", c->s->name);
    if (before) {
        table_add(&t, "%s", before_step->name);
        table_add(&t, "%s", "");
    }
    table_rule(&t);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int m = metric_named(rows[i], strlen(rows[i]));
        double now = 0, old = 0;
        bool have = metric_get(m, r, &now), had = before && metric_get(m, before, &old);
        if ((!have || now == 0) && (!had || old == 0))
            continue;
        if (only_when_changed(rows[i]) && (!had || now == old))
            continue;
        if (!strncmp(rows[i], "total", 5) && !about_totals(app->lesson->l))
            continue;
        table_add(&t, "%s", metrics[m].name);
        table_add(&t, "%s", have ? view_value(a, sizeof a, m, now) : "");
        if (before) {
            table_add(&t, "%s", had ? view_value(b, sizeof b, m, old) : "");
            table_add(&t, "%s", have && had ? view_change(change, sizeof change, old, now) : "");
        }
    }
    table_print(&t, app->out, 2);
    table_free(&t);
    char cpu[48], to[40], from[40];
    if (!r->launches) {
        put_figures(c, before);
        return;
    }
    fprintf(app->out, "  copied: %s to the card, %s back", format_bytes(to, sizeof to, r->to_card),
            format_bytes(from, sizeof from, r->from_card));
    if (r->cpu_seconds > 0)
        fprintf(app->out, "; the CPU here takes %s", format_si(cpu, sizeof cpu, r->cpu_seconds, "s"));
    fputc('\n', app->out);
    if (r->has_usage && r->usage.sampled) {
        char line[200];
        snprintf(line, sizeof line, "timed: %s of %s blocks; the others' time is worked out from theirs (--exact times all)",
                 format_count(a, sizeof a, r->usage.timed_blocks), format_count(b, sizeof b, r->total.blocks));
        app_wrap(app, 2, line);
    }
    put_figures(c, before);
}

/* ---- JSON ---- */

void view_run_json(view_context *c)
{
    struct app *app = c->app;
    const step_result *r = c->r;
    const lesson *l = app->lesson->l;
    json j;
    json_begin(&j, app->out, "run");
    json_int(&j, "lesson", l->number);
    json_text(&j, "step", c->s->name);
    json_text(&j, "device", r->device);
    json_text(&j, "card", r->card_title);
    json_bool(&j, "simulated", r->simulated);
    json_uint(&j, "seed", r->seed);
    for (int i = 0; i < l->setting_count; i++)
        json_int(&j, l->setting[i].name, c->values->value[i]);
    json_array(&j, "grid");
    for (int i = 0; i < 3; i++)
        json_uint(&j, NULL, r->grid[i]);
    json_close(&j);
    json_array(&j, "block");
    for (int i = 0; i < 3; i++)
        json_uint(&j, NULL, r->block[i]);
    json_close(&j);
    json_uint(&j, "shared_bytes", r->shared);
    json_int(&j, "launches", r->launches);
    if (r->judged) {
        json_bool(&j, "correct", r->verdict.correct);
        json_number(&j, "max_relative_error", r->verdict.max_relative);
        json_number(&j, "mean_relative_error", r->verdict.mean_relative);
        json_uint(&j, "wrong_elements", r->verdict.wrong);
    } else {
        json_null(&j, "correct");
    }
    for (int i = 0; i < r->results; i++)
        json_number(&j, r->result_name[i], r->result[i]);
    if (r->gpu.known) {
        if (r->has_cycles)
            json_number(&j, "cycles", r->cycles);
        view_gpu_json(&j, r);
    } else if (r->has_cycles) {
        json_number(&j, "cycles", r->cycles);
        json_object(&j, "ms");
        json_number(&j, "median", r->seconds * 1e3);
        json_number(&j, "min", r->seconds * 1e3);
        json_number(&j, "max", r->seconds * 1e3);
        json_number(&j, "iqr", 0);
        json_int(&j, "samples", 1);
        json_close(&j);
    } else {
        json_null(&j, "ms");
        json_null(&j, "cycles");
    }
    double number;
    if (metric_get(metric_named("bandwidth", 9), r, &number))
        json_number(&j, "gbps", number / 1e9);
    if (metric_get(metric_named("rate", 4), r, &number))
        json_number(&j, "gflops", number / 1e9);
    json_object(&j, "counters");
    for (int m = 0; metrics[m].id; m++)
        if (!metrics[m].get) {
            double v;
            if (metric_get(m, r, &v))
                json_uint(&j, metrics[m].id, (uint64_t)v);
        }
    json_close(&j);
    if (r->has_usage) { /* warp clocks by what they were spent on */
        json_object(&j, "stalls");
        for (int k = 0; k < SIM_STALLS; k++) {
            char key[32];
            snprintf(key, sizeof key, "%s", sim_stall_info_of((enum sim_stall)k)->id);
            for (char *p = key; *p; p++)
                *p = (char)tolower((unsigned char)*p);
            json_uint(&j, key, r->total.by_stall[k]);
        }
        json_close(&j);
        json_bool(&j, "sampled", r->usage.sampled);
    }
    json_object(&j, "metrics");
    for (int m = 0; metrics[m].id; m++) {
        double v;
        if (metrics[m].get && strcmp(metrics[m].id, "cpu_time") && metric_get(m, r, &v)) /* it is cpu_ms below */
            json_number(&j, metrics[m].id, v);
    }
    json_close(&j);
    json_number(&j, "cpu_ms", r->cpu_seconds * 1e3);
    json_array(&j, "faults");
    for (int i = 0; i < r->faults; i++) {
        const step_fault *f = &r->fault[i];
        json_object(&j, NULL);
        json_text(&j, "kind", f->kind);
        json_bool(&j, "note", f->note);
        json_text(&j, "kernel", f->kernel);
        json_text(&j, "file", f->file);
        json_int(&j, "line", f->line);
        json_array(&j, "block");
        for (int k = 0; k < 3; k++)
            json_uint(&j, NULL, f->block[k]);
        json_close(&j);
        json_array(&j, "thread");
        for (int k = 0; k < 3; k++)
            json_uint(&j, NULL, f->thread[k]);
        json_close(&j);
        json_uint(&j, "address", f->address);
        json_uint(&j, "count", f->count);
        json_text(&j, "message", f->message);
        json_close(&j);
    }
    json_close(&j);
    if (r->prints) {
        json_array(&j, "output");
        for (int i = 0; i < r->prints; i++)
            json_text(&j, NULL, r->print[i]);
        json_close(&j);
        json_uint(&j, "prints_left_out", r->prints_left_out);
    }
    json_array(&j, "article");
    for (int i = 0; i < c->s->article_count; i++) {
        const lesson_article *a = &c->s->article[i];
        if (!metric_article(l, c->values, r, a))
            continue;
        double ours;
        bool have = metric_get(metric_named(a->metric, strlen(a->metric)), r, &ours);
        json_object(&j, NULL);
        json_text(&j, "metric", a->metric);
        json_number(&j, "value", a->value);
        json_text(&j, "unit", a->unit);
        json_text(&j, "device", a->device);
        json_bool(&j, "measured", a->measured);
        json_text(&j, "where", a->note ? a->note : l->source && !a->measured ? l->source : "");
        if (have) {
            json_number(&j, "ours", ours);
            json_number(&j, "ratio", ours / a->value);
        } else {
            json_null(&j, "ours");
            json_null(&j, "ratio");
        }
        json_close(&j);
    }
    json_close(&j);
    json_end(&j);
}
