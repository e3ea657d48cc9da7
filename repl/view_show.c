/* view_show.c: `show source`, `ptx`, `diff`, `counters` and `lines`. */
#include "view.h"
#include "format.h"
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

static int lines_read(struct app *app, const lesson_step *s, bool ptx, lines *l, char *shown, size_t size)
{
    size_t bytes;
    memset(l, 0, sizeof *l);
    int status = session_kernel_text(app, s, ptx, &l->text, &bytes, shown, size);
    if (status)
        return status;
    int count = 0;
    for (size_t i = 0; i < bytes; i++)
        count += l->text[i] == '\n';
    l->line = calloc((size_t)count + 2, sizeof *l->line);
    if (!l->line) {
        lines_free(l);
        return app_fail(app, EXIT_INTERNAL, NULL, "out of memory");
    }
    for (char *p = l->text, *end = l->text + bytes; p < end;) {
        char *stop = memchr(p, '\n', (size_t)(end - p));
        l->line[l->count++] = p;
        if (!stop)
            break;
        *stop = 0;
        if (stop > p && stop[-1] == '\r')
            stop[-1] = 0;
        p = stop + 1;
    }
    return 0;
}

static void put_line(struct app *app, const char *text)
{
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
    if (status)
        return status;
    if (app->json) {
        json j;
        begin_json(&j, app, s, ptx ? "ptx" : "source");
        json_text(&j, "file", shown);
        json_array(&j, "lines");
        for (int i = 0; i < l.count; i++)
            json_text(&j, NULL, l.line[i]);
        json_close(&j);
        json_end(&j);
        lines_free(&l);
        return EXIT_DONE;
    }
    fprintf(app->out, "%s%s%s\n", app_style(app, STYLE_DIM), shown, app_style(app, STYLE_PLAIN));
    for (int i = 0; i < l.count; i++) {
        fprintf(app->out, "%s%4d%s  ", app_style(app, STYLE_DIM), i + 1, app_style(app, STYLE_PLAIN));
        put_line(app, l.line[i]);
    }
    lines_free(&l);
    return EXIT_DONE;
}

/* ---- diff ---- */

/* Longest common subsequence by the plain table: kernels are short. Beyond this many lines the files are only said to
 * differ. */
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
    print_safe(app->out, line, strlen(line));
    fprintf(app->out, "%s\n", app_style(app, STYLE_PLAIN));
}

/* PTX: what says where a line came from, and register numbers' declarations, are not differences of the program. */
static bool ignorable(const char *line) { return strstr(line, ".loc") || line[0] == '/' || strstr(line, ".file"); }

int view_show_diff(struct app *app, const lesson_step *s, bool ptx)
{
    const lesson_step *before = step_before(app->lesson->l, s);
    if (!before)
        return app_fail(app, EXIT_USAGE, "show source", "step %s is the first: there is none to compare it with",
                        s->name);
    lines a, b;
    char shown_a[1400], shown_b[1400];
    int status = lines_read(app, before, ptx, &a, shown_a, sizeof shown_a);
    if (status)
        return status;
    if ((status = lines_read(app, s, ptx, &b, shown_b, sizeof shown_b))) {
        lines_free(&a);
        return status;
    }
    for (int side = 0; ptx && side < 2; side++) { /* drop what is no instruction */
        lines *l = side ? &b : &a;
        int kept = 0;
        for (int i = 0; i < l->count; i++)
            if (!ignorable(l->line[i]))
                l->line[kept++] = l->line[i];
        l->count = kept;
    }
    int n = a.count, m = b.count;
    unsigned short *common =
        n <= DIFF_LINES && m <= DIFF_LINES ? calloc((size_t)(n + 1) * (size_t)(m + 1), sizeof *common) : NULL;
    if (!app->json)
        fprintf(app->out, "%s--- %s   (%s)\n+++ %s   (%s)%s\n", app_style(app, STYLE_DIM), shown_a, before->name,
                shown_b, s->name, app_style(app, STYLE_PLAIN));
    if (!common) {
        lines_free(&a);
        lines_free(&b);
        return app_fail(app, EXIT_INTERNAL, "show source", "the files are too long to compare");
    }
#define AT(i, j) common[(size_t)(i) * (size_t)(m + 1) + (size_t)(j)]
    for (int i = n - 1; i >= 0; i--)
        for (int j = m - 1; j >= 0; j--)
            AT(i, j) = (unsigned short)(!strcmp(a.line[i], b.line[j]) ? AT(i + 1, j + 1) + 1
                                        : AT(i + 1, j) > AT(i, j + 1) ? AT(i + 1, j)
                                                                      : AT(i, j + 1));
    if (AT(0, 0) == n && n == m && !app->json)
        fprintf(app->out, "  the two are the same: only the launch differs\n");
    /* three equal lines around every change */
    int quiet = 0;
    for (int i = 0, j = 0; i < n || j < m;) {
        if (i < n && j < m && !strcmp(a.line[i], b.line[j])) {
            bool near = quiet < 3;
            for (int k = 1; k <= 3 && !near; k++) /* a change within the next three lines? */
                near = (i + k < n || j + k < m) && !(i + k < n && j + k < m && !strcmp(a.line[i + k], b.line[j + k]));
            if (quiet == 0 && i == 0)
                near = n < 4 || near;
            if (near && !(AT(0, 0) == n && n == m))
                put_change(app, ' ', a.line[i]);
            else if (quiet == 3 && !app->json && !(AT(0, 0) == n && n == m))
                fprintf(app->out, "%s  ...%s\n", app_style(app, STYLE_DIM), app_style(app, STYLE_PLAIN));
            quiet++;
            i++;
            j++;
        } else if (i < n && (j == m || AT(i + 1, j) >= AT(i, j + 1))) {
            put_change(app, '-', a.line[i++]);
            quiet = 0;
        } else {
            put_change(app, '+', b.line[j++]);
            quiet = 0;
        }
    }
#undef AT
    free(common);
    lines_free(&a);
    lines_free(&b);
    return EXIT_DONE;
}

/* ---- counters ---- */

int view_show_counters(struct app *app, const lesson_step *s)
{
    struct device d[DEVICES_MAX];
    int devices, status = session_devices(app, d, &devices);
    for (int k = 0; !status && k < devices; k++) {
        const step_result *r = session_result(app, s, &d[k], NULL, false, false, &status);
        if (!r)
            break;
        if (app->json) {
            step_values values;
            if ((status = session_values(app, s, &values)))
                break;
            view_context c = {app, s, &d[k], r, &values, false};
            view_run_json(&c);
            continue;
        }
        view_step_head(app, s, r->device);
        char number[48];
        int width = app->width < 60 ? 60 : app->width > 100 ? 100 : app->width;
        for (int m = 0; metrics[m].id; m++) {
            double v;
            if (!metric_get(m, r, &v) || v == 0)
                continue;
            fprintf(app->out, "  %-24s%12s  ", metrics[m].id,
                    metrics[m].get ? view_value(number, sizeof number, m, v)
                                   : format_count(number, sizeof number, (uint64_t)v));
            print_wrapped(app->out, metrics[m].about, 40, 40, width);
        }
        fprintf(app->out, "\n  warp instructions by kind\n");
        for (int i = 0; i < SIM_CLASSES; i++)
            if (r->total.by_class[i])
                fprintf(app->out, "  %-24s%12s\n", sim_class_name((enum sim_class)i),
                        format_count(number, sizeof number, r->total.by_class[i]));
    }
    return status;
}

int view_show_lines(struct app *app, const lesson_step *s)
{
    struct device d[DEVICES_MAX];
    int devices, status = session_devices(app, d, &devices);
    lines l;
    char shown[1400], a[32], b[32];
    if (!status)
        status = lines_read(app, s, false, &l, shown, sizeof shown);
    if (status)
        return status;
    for (int k = 0; !status && k < devices; k++) {
        const step_result *r = session_result(app, s, &d[k], NULL, false, true, &status);
        if (!r)
            break;
        if (!app->json) {
            view_step_head(app, s, r->device);
            fprintf(app->out, "%s   instr.  lanes  transact.  passes  line%s\n", app_style(app, STYLE_DIM),
                    app_style(app, STYLE_PLAIN));
        }
        int first = r->lines ? r->line[0].line - 2 : 0; /* what stands above the kernel has nothing to show */
        for (int i = first > 0 ? first : 0; i < l.count; i++) {
            const sim_counters *c = NULL;
            for (int at = 0; at < r->lines; at++)
                if (r->line[at].line == i + 1)
                    c = &r->line[at].c;
            double lanes =
                c && c->warp_instructions ? (double)c->thread_instructions / (double)c->warp_instructions : 0;
            uint64_t transactions = !c                 ? 0
                                    : metric_strict(r) ? c->strict_transactions
                                                       : c->global_load_sectors + c->global_store_sectors;
            uint64_t passes = !c ? 0 : r->banks == 16 ? c->shared_passes_16 : c->shared_passes_32;
            if (app->json) {
                json j;
                if (!c)
                    continue;
                begin_json(&j, app, s, "line");
                json_text(&j, "device", r->device);
                json_text(&j, "file", shown);
                json_int(&j, "line", i + 1);
                json_uint(&j, "warp_instructions", c->warp_instructions);
                json_number(&j, "active_lanes", lanes);
                json_uint(&j, "transactions", transactions);
                json_uint(&j, "shared_passes", passes);
                json_end(&j);
                continue;
            }
            fprintf(app->out, "%9s", c ? format_count(a, sizeof a, c->warp_instructions) : "");
            if (c)
                fprintf(app->out, "%7.1f", lanes);
            else
                fprintf(app->out, "%7s", "");
            fprintf(app->out, "%11s%8s  %s%3d%s  ", transactions ? format_count(a, sizeof a, transactions) : "",
                    passes ? format_count(b, sizeof b, passes) : "", app_style(app, STYLE_DIM), i + 1,
                    app_style(app, STYLE_PLAIN));
            put_line(app, l.line[i]);
        }
    }
    lines_free(&l);
    return status;
}
