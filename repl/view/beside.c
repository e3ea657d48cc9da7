/* beside.c: the table of a run and the lines of its kernel that changed, beside one another where
 * the terminal is wide enough for both. */
#include "shell/format.h"
#include "view.h"
#include <stdlib.h>
#include <string.h>

enum { WIDE = 100, TABLE_LEAST = 58, CODE_LEAST = 38, BETWEEN = 3 };

typedef struct part {
    char *text;
    size_t bytes;
    FILE *out; /* of the terminal */
    int width; /* of the terminal */
    struct app *app;
    doc d;
} part;

/* What is printed between begin and end goes into a text of `width` columns. */
static bool begin(part *p, struct app *app, int width)
{
    *p = (part){.out = app->out, .width = app->width, .app = app};
    FILE *m = open_memstream(&p->text, &p->bytes);
    if (!m) return false;
    app->out = m;
    app->width = width;
    p->d = doc_open(app);
    return true;
}

static bool end(part *p)
{
    const bool written = !ferror(p->app->out), ok = !fclose(p->app->out) && written;
    p->app->out = p->out;
    p->app->width = p->width;
    if (ok) return true;
    free(p->text);
    p->text = NULL;
    return false;
}

static int columns(const char *line, size_t bytes)
{
    char one[1024];
    snprintf(one, sizeof one, "%.*s", (int)bytes, line);
    return utf8_width(one);
}

static int widest(const char *text)
{
    int most = 0;
    for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p != 0) {
        const int wide = columns(p, strcspn(p, "\n"));
        if (wide > most) most = wide;
    }
    return most;
}

static size_t escape_length(const char *s)
{
    if (s[0] != '\033' || s[1] != '[') return 0;
    size_t n = 2 + strcspn(s + 2, "m");
    return s[n] ? n + 1 : n;
}

/* Prints a line without its newline, in the colour that the line before has left on, and returns
 * what follows. `style` keeps that colour for the next line of the same text. */
static const char *put_row(doc *d, const char *text, char style[16], const char *off)
{
    const size_t bytes = strcspn(text, "\n");
    if (bytes) doc_part(d, STYLE_PLAIN, "%s%.*s", style, (int)bytes, text);
    for (size_t i = 0; i < bytes;) {
        const size_t skip = escape_length(text + i);
        if (skip && skip < 16) {
            memcpy(style, text + i, skip);
            style[skip] = 0;
            if (!strcmp(style, off)) *style = 0;
        }
        i += skip ? skip : 1;
    }
    if (bytes && *style) doc_part(d, STYLE_PLAIN, "%s", off);
    return text + bytes + (text[bytes] == '\n');
}

static void zip(doc *d, const char *left, int wide, const char *right)
{
    char left_style[16] = "", right_style[16] = "";
    const char *off = app_style(d->app, STYLE_PLAIN);
    while (*left || *right) {
        const int used = columns(left, strcspn(left, "\n"));
        left = put_row(d, left, left_style, off);
        if (*right && *right != '\n') /* it is indented by 2 */
            doc_part(d, STYLE_PLAIN, "%*s", wide - used + BETWEEN - 2, "");
        if (*right) right = put_row(d, right, right_style, off);
        doc_gap(d);
    }
}

bool view_run_with_code(doc *d, view_context *c, const step_result *before, const lesson_step *before_step)
{
    struct app *app = d->app;
    part code, run;
    if (app->width < WIDE || !c->r->launches || c->r->has_timeline) return false;
    if (!begin(&code, app, app->width - TABLE_LEAST - BETWEEN)) return false;
    view_step_code(&code.d, c, before_step);
    if (!end(&code)) return false;
    const char *lines = code.text + strspn(code.text, "\n");
    int wide = widest(lines); /* the table gains nothing from very much room */
    wide = app->width - BETWEEN - (wide < CODE_LEAST ? CODE_LEAST : wide);
    bool done = *lines && begin(&run, app, wide);
    if (done) {
        view_run_figures(&run.d, c, before, before_step);
        done = end(&run);
    }
    if (done) {
        zip(d, run.text, wide, lines);
        free(run.text);
        view_run_times(d, c);
    }
    free(code.text);
    return done;
}
