/* show_kernel.c: the source and PTX of a step's kernel, and its counters, in total and per line. */
#include "code_diff.h"
#include "shell/format.h"
#include "shell/language.h"
#include <stdlib.h>
#include <string.h>

int view_show_source(struct app *app, const lesson_step *s, bool ptx)
{
    lines l;
    char shown[1400];
    int status = lines_read(app, s, ptx, &l, shown, sizeof shown);
    if (status) return status;
    doc d = doc_open(app);
    json *j =
        doc_begin(&d, ptx ? "ptx" : "source", "lesson %d, step %s, file %s", app->lesson->l->number, s->name, shown);
    json_array(j, "lines");
    for (int i = 0; i < l.count; i++) json_text(j, NULL, l.line[i]);
    json_end(j);
    doc_line(&d, "%s%s%s", app_style(app, STYLE_DIM), shown, app_style(app, STYLE_PLAIN));
    for (int i = 0; i < l.count; i++) doc_program(&d, 6, doc_number(app, i + 1), l.line[i]);
    lines_free(&l);
    return EXIT_DONE;
}

/* ---- counters ---- */

int view_show_counters(struct app *app, const lesson_step *s, step_chosen *chosen)
{
    struct device d[DEVICES_MAX];
    doc out = doc_open(app);
    int devices, status = session_count_devices(app, s, chosen, d, &devices);
    for (int k = 0; !status && k < devices; k++) {
        const step_result *r = session_result(app, s, &d[k], run_chosen(app, chosen), &status);
        step_values values;
        char number[48], name[100];
        if (!r || (status = session_values(app, s, chosen, &values))) break;
        view_run_json(
            &out, &(view_context){.app = app, .s = s, .device = &d[k], .r = r, .values = &values, .chosen = chosen});
        view_step_head(&out, s, r->device);
        for (int m = 0; metrics[m].id; m++) {
            double v;
            if (!metric_get(m, r, &v) || v == 0) continue;
            snprintf(name, sizeof name, "  %-24s%12s", metrics[m].id,
                     metrics[m].get ? metric_text(number, sizeof number, m, v)
                                    : format_count(number, sizeof number, (uint64_t)v));
            doc_entry(&out, 40, name, "%s", metrics[m].about);
        }
        if (r->has_usage && stalls_all(&r->total)) {
            doc_gap(&out);
            doc_line(&out, "  time of a warp, on average");
            stalls_show(&out, &r->total);
        }
        doc_gap(&out);
        doc_line(&out, "  warp instructions by kind");
        for (int i = 0; i < SIM_CLASSES; i++) {
            const char *said = TR(sim_class_name((enum sim_class)i));
            const int space = 24 - utf8_width(said);
            if (r->total.by_class[i])
                doc_line(&out, "  %s%*s%12s", said, space > 0 ? space : 0, "",
                         format_count(number, sizeof number, r->total.by_class[i]));
        }
    }
    return status;
}

/* ---- lines: the source with what each line did ---- */

typedef struct line_column {
    const char *title, *json;
    double (*get)(const step_result *r, const sim_counters *c);
    bool fraction;
} line_column;

static double line_instructions(const step_result *r, const sim_counters *c)
{
    (void)r;
    return (double)c->warp_instructions;
}

static double line_lanes(const step_result *r, const sim_counters *c)
{
    (void)r;
    return c->warp_instructions ? (double)c->thread_instructions / (double)c->warp_instructions : 0;
}

static double line_transactions(const step_result *r, const sim_counters *c)
{
    return (double)(metric_strict(r) ? c->strict_transactions : c->global_load_sectors + c->global_store_sectors);
}

static double line_passes(const step_result *r, const sim_counters *c)
{
    return (double)(r->banks == 16 ? c->shared_passes_16 : c->shared_passes_32);
}

/* Of the time of all warps, the percentage spent waiting at this line, not issuing it. */
static double line_waits(const step_result *r, const sim_counters *c) { return stalls_waits(&r->total, c); }

/* A column in which every line has 0 is left out. */
static const line_column line_columns[] = {
    {"instr.", "warp_instructions", line_instructions, false},
    {"lanes", "active_lanes", line_lanes, true},
    {"transact.", "transactions", line_transactions, false},
    {"passes", "shared_passes", line_passes, false},
    {"waits%", "wait_percent", line_waits, true},
};
enum { LINE_COLUMNS = sizeof line_columns / sizeof *line_columns };

static const char *line_number(char *number, size_t size, const line_column *column, const step_result *r,
                               const sim_counters *c)
{
    double v = c ? column->get(r, c) : 0;
    if (v == 0) *number = 0;
    else if (column->fraction) snprintf(number, size, "%.1f", v);
    else format_count(number, size, (uint64_t)v);
    return number;
}

/* whole: to the end of the file; else only as far as the kernel goes. */
static void put_lines(doc *d, const lines *l, const step_result *r, bool whole)
{
    char number[32];
    int width[LINE_COLUMNS] = {0}, all = 0;
    for (int k = 0; k < LINE_COLUMNS; k++) {
        for (int at = 0; at < r->lines; at++) {
            int n = (int)strlen(line_number(number, sizeof number, &line_columns[k], r, &r->line[at].c));
            if (n > width[k]) width[k] = n;
        }
        int title = utf8_width(TR(line_columns[k].title));
        if (width[k]) width[k] = 2 + (width[k] > title ? width[k] : title);
        all += width[k];
    }
    char name[200];
    size_t used = 0;
    for (int k = 0; k < LINE_COLUMNS; k++)
        if (width[k])
            used += (size_t)snprintf(name + used, sizeof name - used, "%*s%s",
                                     width[k] - utf8_width(TR(line_columns[k].title)), "", TR(line_columns[k].title));
    doc_line(d, "%s%.*s  %s%s", app_style(d->app, STYLE_DIM), (int)used, name, TR("line"),
             app_style(d->app, STYLE_PLAIN));
    const int last =
        r->lines && !whole && r->line[r->lines - 1].line < l->count ? r->line[r->lines - 1].line : l->count;
    for (int i = r->lines && r->line[0].line > 2 ? r->line[0].line - 2 : 0; i < last; i++) {
        const sim_counters *c = NULL; /* NULL: lines above the kernel have no counters */
        for (int at = 0; at < r->lines; at++)
            if (r->line[at].line == i + 1) c = &r->line[at].c;
        used = 0;
        for (int k = 0; k < LINE_COLUMNS; k++)
            if (width[k])
                used += (size_t)snprintf(name + used, sizeof name - used, "%*s", width[k],
                                         line_number(number, sizeof number, &line_columns[k], r, c));
        snprintf(name + used, sizeof name - used, "  %s", doc_number(d->app, i + 1));
        doc_program(d, all + 8, name, l->line[i]);
    }
}

static void put_data(doc *d, const lesson_step *s, const step_result *r, const char *file)
{
    for (int at = 0; at < r->lines; at++) {
        json *j = doc_begin(d, "line", "lesson %d, step %s, device %s, file %s, line %d", d->app->lesson->l->number,
                            s->name, r->device, file, r->line[at].line);
        for (int k = 0; k < LINE_COLUMNS; k++) {
            double v = line_columns[k].get(r, &r->line[at].c);
            if (line_columns[k].fraction) json_number(j, line_columns[k].json, v);
            else json_uint(j, line_columns[k].json, (uint64_t)v);
        }
        json_end(j);
    }
}

int view_show_lines(struct app *app, const lesson_step *s, step_chosen *chosen)
{
    struct device d[DEVICES_MAX];
    int devices, status = session_count_devices(app, s, chosen, d, &devices);
    doc out = doc_open(app);
    lines l;
    char shown[1400];
    if (!status) status = lines_read(app, s, false, &l, shown, sizeof shown);
    if (status) return status;
    for (int k = 0; !status && k < devices; k++) {
        run_as how = run_chosen(app, chosen);
        how.lines = true;
        const step_result *r = session_result(app, s, &d[k], how, &status);
        if (!r) break;
        put_data(&out, s, r, shown);
        view_step_head(&out, s, r->device);
        put_lines(&out, &l, r, step_job(s)->kind->beside_lesson);
    }
    lines_free(&l);
    return status;
}
