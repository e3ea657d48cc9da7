/* show_kernel.c: `show source`, `ptx`, `diff`, `counters` and `lines`. */
#include "view.h"
#include "shell/format.h"
#include <stdlib.h>
#include <string.h>

typedef struct lines {
    char *text;
    char **line;
    int count;
} lines;

static void lines_free(lines *l)
{
    free(l->text);
    free(l->line);
}

/* Cut l->text, `bytes` of it, into lines. */
static int lines_cut(struct app *app, lines *l, size_t bytes)
{
    int count = 0;
    for (size_t i = 0; i < bytes; i++) count += l->text[i] == '\n';
    l->line = calloc((size_t)count + 2, sizeof *l->line);
    if (!l->line) {
        lines_free(l);
        l->text = NULL;
        return app_fail(app, EXIT_INTERNAL, NULL, "out of memory");
    }
    for (char *p = l->text, *end = l->text + bytes; p < end;) {
        char *stop = memchr(p, '\n', (size_t)(end - p));
        l->line[l->count++] = p;
        if (!stop) break;
        *stop = 0;
        if (stop > p && stop[-1] == '\r') stop[-1] = 0;
        p = stop + 1;
    }
    return 0;
}

static int lines_read(struct app *app, const lesson_step *s, bool ptx, lines *l, char *shown, size_t size)
{
    size_t bytes;
    memset(l, 0, sizeof *l);
    int status = session_kernel_text(app, s, ptx, &l->text, &bytes, shown, size);
    return status ? status : lines_cut(app, l, bytes);
}

/* A program's line, after `at` columns of something else. What goes to a file or another program is
 * left as it is. */
static void put_line(struct app *app, int at, const char *text)
{
    if (app->out_tty) {
        print_code(app->out, text, at, app->width);
        return;
    }
    print_safe(app->out, text, strlen(text));
    fputc('\n', app->out);
}

static void begin_json(json *j, struct app *app, const lesson_step *s, const char *event)
{
    json_begin(j, app->out, event);
    json_int(j, "lesson", app->lesson->l->number);
    json_text(j, "step", s->name);
}

int view_show_source(struct app *app, const lesson_step *s, bool ptx)
{
    lines l;
    char shown[1400];
    int status = lines_read(app, s, ptx, &l, shown, sizeof shown);
    if (status) return status;
    if (app->json) {
        json j;
        begin_json(&j, app, s, ptx ? "ptx" : "source");
        json_text(&j, "file", shown);
        json_array(&j, "lines");
        for (int i = 0; i < l.count; i++) json_text(&j, NULL, l.line[i]);
        json_close(&j);
        json_end(&j);
        lines_free(&l);
        return EXIT_DONE;
    }
    fprintf(app->out, "%s%s%s\n", app_style(app, STYLE_DIM), shown, app_style(app, STYLE_PLAIN));
    for (int i = 0; i < l.count; i++) {
        fprintf(app->out, "%s%4d%s  ", app_style(app, STYLE_DIM), i + 1, app_style(app, STYLE_PLAIN));
        put_line(app, 6, l.line[i]);
    }
    lines_free(&l);
    return EXIT_DONE;
}

/* ---- diff ---- */

/* Longest common subsequence by the plain table: kernels are short. Beyond this many lines the
 * files are only said to differ. */
enum { DIFF_LINES = 3000 };

static void put_change(struct app *app, char mark, const char *line)
{
    if (app->json) {
        json j;
        char text[2] = {mark, 0};
        json_begin(&j, app->out, "diff");
        json_text(&j, "change", text);
        json_text(&j, "text", line);
        json_end(&j);
        return;
    }
    fprintf(app->out, "%s%c ", app_style(app, mark == '+' ? STYLE_GOOD : mark == '-' ? STYLE_BAD : STYLE_PLAIN), mark);
    put_line(app, 2, line);
    fputs(app_style(app, STYLE_PLAIN), app->out);
}

/* PTX: what says where a line came from, and register numbers' declarations, are not differences of
 * the program. */
static bool ignorable(const char *line) { return strstr(line, ".loc") || line[0] == '/' || strstr(line, ".file"); }

/* Print what changes from `a` to `b`; `same` goes on a sentence that says that nothing does. */
static int put_diff(struct app *app, const lines *a, const lines *b, const char *same)
{
    int n = a->count, m = b->count;
    unsigned short *common =
        n <= DIFF_LINES && m <= DIFF_LINES ? calloc((size_t)(n + 1) * (size_t)(m + 1), sizeof *common) : NULL;
    if (!common) return app_fail(app, EXIT_INTERNAL, "show source", "the files are too long to compare");
#define AT(i, j) common[(size_t)(i) * (size_t)(m + 1) + (size_t)(j)]
    for (int i = n - 1; i >= 0; i--)
        for (int j = m - 1; j >= 0; j--)
            AT(i, j) = (unsigned short)(!strcmp(a->line[i], b->line[j]) ? AT(i + 1, j + 1) + 1
                                        : AT(i + 1, j) > AT(i, j + 1)   ? AT(i + 1, j)
                                                                        : AT(i, j + 1));
    if (AT(0, 0) == n && n == m && !app->json) fprintf(app->out, "  the two are the same%s\n", same);
    /* three equal lines around every change */
    int quiet = 0;
    for (int i = 0, j = 0; i < n || j < m;) {
        if (i < n && j < m && !strcmp(a->line[i], b->line[j])) {
            bool near = quiet < 3;
            for (int k = 1; k <= 3 && !near; k++) /* a change within the next three lines? */
                near = (i + k < n || j + k < m) && !(i + k < n && j + k < m && !strcmp(a->line[i + k], b->line[j + k]));
            if (quiet == 0 && i == 0) near = n < 4 || near;
            if (near && !(AT(0, 0) == n && n == m)) put_change(app, ' ', a->line[i]);
            else if (quiet == 3 && !app->json && !(AT(0, 0) == n && n == m))
                fprintf(app->out, "%s  ...%s\n", app_style(app, STYLE_DIM), app_style(app, STYLE_PLAIN));
            quiet++;
            i++;
            j++;
        } else if (i < n && (j == m || AT(i + 1, j) >= AT(i, j + 1))) {
            put_change(app, '-', a->line[i++]);
            quiet = 0;
        } else {
            put_change(app, '+', b->line[j++]);
            quiet = 0;
        }
    }
#undef AT
    free(common);
    return EXIT_DONE;
}

int view_show_diff(struct app *app, const lesson_step *s, bool ptx)
{
    const lesson_step *before = step_before(app->lesson->l, s);
    if (!before)
        return app_fail(app, EXIT_USAGE, "show source", "step %s is the first: there is none to compare it with",
                        s->name);
    lines a, b;
    char shown_a[1400], shown_b[1400];
    int status = lines_read(app, before, ptx, &a, shown_a, sizeof shown_a);
    if (status) return status;
    if ((status = lines_read(app, s, ptx, &b, shown_b, sizeof shown_b))) {
        lines_free(&a);
        return status;
    }
    for (int side = 0; ptx && side < 2; side++) { /* drop what is no instruction */
        lines *l = side ? &b : &a;
        int kept = 0;
        for (int i = 0; i < l->count; i++)
            if (!ignorable(l->line[i])) l->line[kept++] = l->line[i];
        l->count = kept;
    }
    if (!app->json)
        fprintf(app->out, "%s--- %s   (%s)\n+++ %s   (%s)%s\n", app_style(app, STYLE_DIM), shown_a, before->name,
                shown_b, s->name, app_style(app, STYLE_PLAIN));
    status = put_diff(app, &a, &b, ": only the launch differs");
    lines_free(&a);
    lines_free(&b);
    return status;
}

int view_diff_texts(struct app *app, const char *name_a, const char *text_a, const char *name_b, const char *text_b)
{
    lines a = {.text = strdup(text_a)}, b = {.text = strdup(text_b)};
    int status = a.text && b.text ? 0 : app_fail(app, EXIT_INTERNAL, NULL, "out of memory");
    if (!status) status = lines_cut(app, &a, strlen(a.text));
    if (!status) status = lines_cut(app, &b, strlen(b.text));
    if (!status && !app->json)
        fprintf(app->out, "%s--- %s\n+++ %s%s\n", app_style(app, STYLE_DIM), name_a, name_b,
                app_style(app, STYLE_PLAIN));
    if (!status) status = put_diff(app, &a, &b, "");
    lines_free(&a);
    lines_free(&b);
    return status;
}

/* ---- counters ---- */

int view_show_counters(struct app *app, const lesson_step *s)
{
    struct device d[DEVICES_MAX];
    int devices, status = session_count_devices(app, s, d, &devices);
    for (int k = 0; !status && k < devices; k++) {
        const step_result *r = session_result(app, s, &d[k], NULL, false, false, &status);
        if (!r) break;
        if (app->json) {
            step_values values;
            if ((status = session_values(app, s, &values))) break;
            view_context c = {app, s, &d[k], r, &values, false};
            view_run_json(&c);
            continue;
        }
        view_step_head(app, s, r->device);
        char number[48];
        int width = app->width > 100 ? 100 : app->width;
        for (int m = 0; metrics[m].id; m++) {
            double v;
            if (!metric_get(m, r, &v) || v == 0) continue;
            fprintf(app->out, "  %-24s%12s  ", metrics[m].id,
                    metrics[m].get ? metric_text(number, sizeof number, m, v)
                                   : format_count(number, sizeof number, (uint64_t)v));
            print_wrapped(app->out, metrics[m].about, 40, 40, width);
        }
        if (r->has_usage && stalls_all(&r->total)) {
            fprintf(app->out, "\n  time of a warp, on average\n");
            stalls_show(app, &r->total);
        }
        fprintf(app->out, "\n  warp instructions by kind\n");
        for (int i = 0; i < SIM_CLASSES; i++)
            if (r->total.by_class[i])
                fprintf(app->out, "  %-24s%12s\n", sim_class_name((enum sim_class)i),
                        format_count(number, sizeof number, r->total.by_class[i]));
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

/* Of the time of all warps, what they spent on this line without issuing it. */
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

static void put_lines(struct app *app, const lines *l, const step_result *r)
{
    char number[32];
    int width[LINE_COLUMNS] = {0}, all = 0;
    for (int k = 0; k < LINE_COLUMNS; k++) {
        for (int at = 0; at < r->lines; at++) {
            int n = (int)strlen(line_number(number, sizeof number, &line_columns[k], r, &r->line[at].c));
            if (n > width[k]) width[k] = n;
        }
        int title = (int)strlen(line_columns[k].title);
        if (width[k]) width[k] = 2 + (width[k] > title ? width[k] : title);
        all += width[k];
    }
    fputs(app_style(app, STYLE_DIM), app->out);
    for (int k = 0; k < LINE_COLUMNS; k++)
        if (width[k]) fprintf(app->out, "%*s", width[k], line_columns[k].title);
    fprintf(app->out, "  line%s\n", app_style(app, STYLE_PLAIN));
    for (int i = r->lines && r->line[0].line > 2 ? r->line[0].line - 2 : 0; i < l->count; i++) {
        const sim_counters *c = NULL; /* what stands above the kernel has nothing to show */
        for (int at = 0; at < r->lines; at++)
            if (r->line[at].line == i + 1) c = &r->line[at].c;
        for (int k = 0; k < LINE_COLUMNS; k++)
            if (width[k])
                fprintf(app->out, "%*s", width[k], line_number(number, sizeof number, &line_columns[k], r, c));
        fprintf(app->out, "  %s%4d%s  ", app_style(app, STYLE_DIM), i + 1, app_style(app, STYLE_PLAIN));
        put_line(app, all + 8, l->line[i]);
    }
}

static void put_lines_json(struct app *app, const lesson_step *s, const step_result *r, const char *file)
{
    for (int at = 0; at < r->lines; at++) {
        json j;
        begin_json(&j, app, s, "line");
        json_text(&j, "device", r->device);
        json_text(&j, "file", file);
        json_int(&j, "line", r->line[at].line);
        for (int k = 0; k < LINE_COLUMNS; k++) {
            double v = line_columns[k].get(r, &r->line[at].c);
            if (line_columns[k].fraction) json_number(&j, line_columns[k].json, v);
            else json_uint(&j, line_columns[k].json, (uint64_t)v);
        }
        json_end(&j);
    }
}

int view_show_lines(struct app *app, const lesson_step *s)
{
    struct device d[DEVICES_MAX];
    int devices, status = session_count_devices(app, s, d, &devices);
    lines l;
    char shown[1400];
    if (!status) status = lines_read(app, s, false, &l, shown, sizeof shown);
    if (status) return status;
    for (int k = 0; !status && k < devices; k++) {
        const step_result *r = session_result(app, s, &d[k], NULL, false, true, &status);
        if (!r) break;
        if (app->json) {
            put_lines_json(app, s, r, shown);
            continue;
        }
        view_step_head(app, s, r->device);
        put_lines(app, &l, r);
    }
    lines_free(&l);
    return status;
}
