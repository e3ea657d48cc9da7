/* code_diff.c: what changed from one kernel to another: all of it (`show diff`), and the lines that
 * `next` shows below a step's table. */
#include "code_diff.h"
#include "view_job.h"
#include "shell/format.h"
#include "shell/language.h"
#include <stdlib.h>
#include <string.h>

void lines_free(lines *l)
{
    free(l->text);
    free(l->line);
}

/* Split l->text, `bytes` long, into lines. */
int lines_cut(struct app *app, lines *l, size_t bytes)
{
    int count = 0;
    for (size_t i = 0; i < bytes; i++) count += l->text[i] == '\n';
    l->line = calloc((size_t)count + 2, sizeof *l->line);
    if (!l->line) {
        lines_free(l);
        l->text = NULL;
        return app_no_memory(app);
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

int lines_read(struct app *app, const lesson_step *s, bool ptx, lines *l, char *shown, size_t size)
{
    size_t bytes;
    memset(l, 0, sizeof *l);
    int status = session_kernel_text(app, s, ptx, &l->text, &bytes, shown, size);
    return status ? status : lines_cut(app, l, bytes);
}

/* ---- what changed ---- */

/* Longest common subsequence by the plain table, as kernels are short. Files with more lines than
 * this are refused. */
enum { DIFF_LINES = 3000 };

/* The lines of both in one order. mark: '-' of the first alone, '+' of the second alone, else ' '. */
typedef struct edit {
    char mark;
    const char *line;
} edit;

/* NULL after a message. */
static edit *edits_of(struct app *app, const lines *a, const lines *b, int *count)
{
    int n = a->count, m = b->count;
    *count = 0;
    if (n > DIFF_LINES || m > DIFF_LINES) {
        app_fail(app, EXIT_USAGE, "show source", "files of more than %d lines are not compared", DIFF_LINES);
        return NULL;
    }
    unsigned short *common = calloc((size_t)(n + 1) * (size_t)(m + 1), sizeof *common);
    edit *out = calloc((size_t)(n + m) + 1, sizeof *out);
    if (!common || !out) {
        free(common);
        free(out);
        app_no_memory(app);
        return NULL;
    }
#define AT(i, j) common[(size_t)(i) * (size_t)(m + 1) + (size_t)(j)]
    for (int i = n - 1; i >= 0; i--)
        for (int j = m - 1; j >= 0; j--)
            AT(i, j) = (unsigned short)(!strcmp(a->line[i], b->line[j]) ? AT(i + 1, j + 1) + 1
                                        : AT(i + 1, j) > AT(i, j + 1)   ? AT(i + 1, j)
                                                                        : AT(i, j + 1));
    for (int i = 0, j = 0; i < n || j < m;) {
        if (i < n && j < m && !strcmp(a->line[i], b->line[j])) {
            out[(*count)++] = (edit){' ', a->line[i++]};
            j++;
        } else if (i < n && (j == m || AT(i + 1, j) >= AT(i, j + 1))) out[(*count)++] = (edit){'-', a->line[i++]};
        else out[(*count)++] = (edit){'+', b->line[j++]};
    }
#undef AT
    free(common);
    return out;
}

static bool any_change(const edit *e, int count)
{
    bool any = false;
    for (int i = 0; i < count; i++) any = any || e[i].mark != ' ';
    return any;
}

/* Is there a change at most `context` lines away? */
static bool near_change(const edit *e, int count, int at, int context)
{
    bool near = false;
    for (int i = at - context < 0 ? 0 : at - context; i <= at + context && i < count; i++)
        near = near || e[i].mark != ' ';
    return near;
}

/* folded: at the terminal's width, wherever it goes; else lines that can be copied stay whole. */
static void put_line(doc *d, int indent, char mark, const char *line, bool folded)
{
    struct app *app = d->app;
    char name[48];
    snprintf(name, sizeof name, "%*s%s%c ", indent, "",
             app_style(app, mark == '+'   ? STYLE_GOOD
                            : mark == '-' ? STYLE_BAD
                                          : STYLE_PLAIN),
             mark);
    if (folded) doc_folded(d, indent + 2, name, line);
    else doc_program(d, indent + 2, name, line);
    doc_part(d, STYLE_PLAIN, "%s", app_style(app, STYLE_PLAIN));
}

/* Print the changes from `a` to `b`, with three equal lines around each. `same` completes a sentence
 * that says that there are none. */
static int put_diff(doc *d, const lines *a, const lines *b, const char *same)
{
    int count;
    edit *e = edits_of(d->app, a, b, &count);
    if (!e) return a->count > DIFF_LINES || b->count > DIFF_LINES ? EXIT_USAGE : EXIT_INTERNAL;
    bool gap = false;
    if (!any_change(e, count)) doc_line(d, "  the two are the same%s", TR(same));
    for (int i = 0; i < count && any_change(e, count); i++) {
        const bool shown = near_change(e, count, i, 3);
        if (shown) {
            doc_data(d, "diff", "change %s, text %s", (char[]){e[i].mark, 0}, e[i].line);
            put_line(d, 0, e[i].mark, e[i].line, false);
        } else if (!gap) doc_dim(d, "...");
        gap = !shown;
    }
    free(e);
    return EXIT_DONE;
}

/* In PTX, source locations and comments are not differences of the program. */
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
    if (status) return status;
    if ((status = lines_read(app, s, ptx, &b, shown_b, sizeof shown_b))) {
        lines_free(&a);
        return status;
    }
    for (int side = 0; ptx && side < 2; side++) { /* drop lines that are not instructions */
        lines *l = side ? &b : &a;
        int kept = 0;
        for (int i = 0; i < l->count; i++)
            if (!ignorable(l->line[i])) l->line[kept++] = l->line[i];
        l->count = kept;
    }
    doc d = doc_open(app);
    doc_line(&d, "%s--- %s   (%s)\n+++ %s   (%s)%s", app_style(app, STYLE_DIM), shown_a, before->name, shown_b, s->name,
             app_style(app, STYLE_PLAIN));
    status = put_diff(&d, &a, &b, ": only the launch differs");
    lines_free(&a);
    lines_free(&b);
    return status;
}

int view_diff_texts(struct app *app, const char *name_a, const char *text_a, const char *name_b, const char *text_b)
{
    lines a = {.text = strdup(text_a)}, b = {.text = strdup(text_b)};
    int status = a.text && b.text ? 0 : app_no_memory(app);
    if (!status) status = lines_cut(app, &a, strlen(a.text));
    if (!status) status = lines_cut(app, &b, strlen(b.text));
    doc d = doc_open(app);
    if (!status)
        doc_line(&d, "%s--- %s\n+++ %s%s", app_style(app, STYLE_DIM), name_a, name_b, app_style(app, STYLE_PLAIN));
    if (!status) status = put_diff(&d, &a, &b, "");
    lines_free(&a);
    lines_free(&b);
    return status;
}

/* ---- the few lines that `next` shows ---- */

enum { BRIEF_LINES = 14, BRIEF_MORE = 2, WHOLE_LINES = 20 }; /* MORE: rather than "2 more lines" */

/* What stands above the code is about the step, not part of it. */
static void skip_comment(lines *l)
{
    bool inside = false;
    int at = 0;
    for (; at < l->count; at++) {
        const char *p = l->line[at] + strspn(l->line[at], " \t");
        if (!inside && !strncmp(p, "/*", 2)) inside = true;
        else if (!inside && *p && strncmp(p, "//", 2)) break;
        if (inside && strstr(p, "*/")) inside = false;
    }
    memmove(l->line, l->line + at, (size_t)(l->count - at) * sizeof *l->line);
    l->count -= at;
    while (l->count && !l->line[l->count - 1][0]) l->count--;
}

static bool blank(const char *line) { return !line[strspn(line, " \t")]; }

/* A line of the brief view: changes, and the line on each side of them. */
static bool brief(const edit *e, int count, int at, bool gone)
{
    if (e[at].mark == '-' && !gone) return false;
    return e[at].mark != ' ' ? !blank(e[at].line) : !blank(e[at].line) && near_change(e, count, at, 1);
}

static int brief_lines(const edit *e, int count, bool gone)
{
    int n = 0;
    for (int i = 0; i < count; i++) n += brief(e, count, i, gone);
    return n;
}

static void put_brief(doc *d, const edit *e, int count, const char *before)
{
    const bool gone = brief_lines(e, count, true) <= BRIEF_LINES + BRIEF_MORE;
    const int most = BRIEF_LINES + (brief_lines(e, count, gone) <= BRIEF_LINES + BRIEF_MORE ? BRIEF_MORE : 0);
    int shown = 0, left = 0, last = -1;
    bool any_new = false;
    for (int i = 0; i < count; i++) any_new = any_new || e[i].mark == '+';
    doc_dim(d, gone || !any_new ? "Changed since %s (+ new, - gone):" : "New since %s (+):", before);
    for (int i = 0; i < count; i++) {
        if (!brief(e, count, i, gone || !any_new)) continue;
        if (shown == most) {
            left += e[i].mark != ' ';
            continue;
        }
        bool skipped = false; /* a line of code stands between */
        for (int k = last + 1; last >= 0 && k < i; k++) skipped = skipped || (!blank(e[k].line) && e[k].mark == ' ');
        if (skipped) doc_dim(d, "  ...");
        put_line(d, 2, e[i].mark, e[i].line, true);
        shown++;
        last = i;
    }
    if (left) doc_dim(d, "and %d line%s more: show diff", left, left == 1 ? "" : "s");
    else if (!gone && any_new) doc_dim(d, "what it replaces: show diff");
}

/* The code is the same: what differs is how it is launched. */
static void put_launches(doc *d, const view_context *c, const lesson_step *before)
{
    const lesson *l = d->app->lesson->l;
    step_values old;
    char text[400] = "", why[200], a[40], b[40];
    if (!step_settings(l, before, c->chosen, &old, why, sizeof why)) return;
    for (int i = 0; i < l->setting_count; i++) {
        const size_t used = strlen(text);
        if (old.value[i] == c->values->value[i] || (!step_uses(l, c->s, i) && !step_uses(l, before, i))) continue;
        snprintf(text + used, sizeof text - used, TR("%s%s = %s, not %s"), TR(used ? "; " : ": "), l->setting[i].name,
                 format_number(a, sizeof a, (double)c->values->value[i]),
                 format_number(b, sizeof b, (double)old.value[i]));
    }
    const bool compiled = c->s->ptx_file && (!before->ptx_file || strcmp(c->s->ptx_file, before->ptx_file));
    if (compiled) doc_say(d, 2, "The file is that of %s, compiled another way%s.", before->name, text);
    else view_job(c->s)->same_code(d, before->name, text);
}

static bool readable(const lesson *l, const lesson_step *s)
{
    char path[1400];
    return s->kernel_file && lesson_file(l, s->kernel_file, path, sizeof path);
}

void view_step_code(doc *d, const view_context *c, const lesson_step *before)
{
    struct app *app = d->app;
    const lesson *l = app->lesson->l;
    lines a = {0}, b = {0};
    char shown[1400];
    if (!step_job(c->s)->kind->beside_lesson || !step_launches(c->s) || !readable(l, c->s)) return;
    if (before && !readable(l, before)) before = NULL;
    if (lines_read(app, c->s, false, &b, shown, sizeof shown)) return;
    skip_comment(&b);
    if (before && !lines_read(app, before, false, &a, shown, sizeof shown)) {
        int count;
        skip_comment(&a);
        edit *e = edits_of(app, &a, &b, &count);
        if (e) doc_gap(d);
        if (e && any_change(e, count)) put_brief(d, e, count, before->name);
        else if (e) put_launches(d, c, before);
        free(e);
        lines_free(&a);
    } else if (b.count <= WHOLE_LINES) {
        doc_gap(d);
        for (int i = 0; i < b.count; i++)
            if (blank(b.line[i])) doc_gap(d);
            else put_line(d, 2, ' ', b.line[i], true);
    } else {
        doc_gap(d);
        doc_dim(d, "%s has %d lines: show source", shown, b.count);
    }
    lines_free(&b);
}
