/* write_text.c: a document as text on a terminal, and the parts that only text has. */
#include "document.h"
#include "language.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- headings, prose, programs ---- */

static int width_of(const doc *d) { return d->app->width < 20 ? 20 : d->app->width > 100 ? 100 : d->app->width; }

static void put_head(doc *d, int level, const char *text, const char *right)
{
    const int left = utf8_width(text), width = width_of(d), spare = width - left - utf8_width(right);
    (void)level;
    fputs(app_style(d->app, STYLE_HEAD), d->out);
    if (left <= width) fputs(text, d->out);
    else print_wrapped(d->out, text, 0, 2, width);
    fputs(app_style(d->app, STYLE_PLAIN), d->out);
    if (*right && left <= width && spare >= 2) fprintf(d->out, "%*s%s", spare, "", right);
    else if (*right) fprintf(d->out, "%s  %s", left <= width ? "\n" : "", right);
    if (left <= width || *right) putc('\n', d->out);
}

static void put_prose(doc *d, int indent, enum app_style style, const char *text)
{
    fprintf(d->out, "%*s%s", indent, "", style ? app_style(d->app, style) : "");
    print_wrapped(d->out, text, indent, indent, width_of(d));
    if (style) fputs(app_style(d->app, STYLE_PLAIN), d->out);
}

/* Each line is wrapped at the terminal's width. */
static void put_code(doc *d, const char *title, const char *remark, const char *text)
{
    if (*title) fprintf(d->out, "%s %s\n", TR(title), TR(remark));
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        char *line = strndup(text, length);
        if (line) doc_program(d, 2, "  ", line);
        free(line);
    }
}

static void put_table(doc *d, const char *align, int indent)
{
    (void)align;
    table_print(&d->table, d->out, indent, d->app->width);
}

void doc_made_table(doc *d, const text_table *t, int indent)
{
    if (d->writer == &doc_text) table_print(t, d->out, indent, d->app->width);
}

/* ---- bars ---- */

enum { BAR = 40, LEAST_BAR = 4 };

/* From half the smallest value to the largest, so that the smallest has a bar too. */
static void scale(const doc_bars *b, bool other, double *low, double *high)
{
    *low = INFINITY;
    *high = 0;
    for (int i = 0; i < b->count; i++) {
        double v = other ? b->bar[i].other : b->bar[i].value;
        if (v <= 0) continue;
        *low = fmin(*low, v);
        *high = fmax(*high, v);
    }
    *low /= 2;
}

static void put_bar(doc *d, int longest, double v, double low, double high, const char *full, const char *ascii,
                    enum app_style style, const char *shown)
{
    int n = v <= 0                 ? 0
            : high <= low * 2.0001 ? longest
                                   : (int)lround(1 + (longest - 1) * log(v / low) / log(high / low));
    fputs(app_style(d->app, style), d->out);
    for (int i = 0; i < n; i++) fputs(d->app->utf8 ? full : ascii, d->out);
    fprintf(d->out, "%s%*s%s\n", app_style(d->app, STYLE_PLAIN), longest - n + 1, "", shown);
}

static void put_bars(doc *d, const doc_bars *b)
{
    double low, high, other_low, other_high;
    int wide = 0;
    scale(b, false, &low, &high);
    scale(b, true, &other_low, &other_high);
    if (b->same && other_high > 0) {
        low = other_low = fmin(low, other_low);
        high = other_high = fmax(high, other_high);
    }
    for (int i = 0; i < b->count; i++)
        if (utf8_width(b->bar[i].label) > wide) wide = utf8_width(b->bar[i].label);
    const int room = d->app->width - wide - 20; /* minus the margin, gaps, and a number after the bar */
    const int longest = room > BAR ? BAR : room < LEAST_BAR ? LEAST_BAR : room;
    const bool figures = other_high > 0;
    doc_gap(d);
    if (figures) doc_say(d, 2, "%s, logarithmic; below each, %s", TR(b->what), TR(b->other));
    else doc_say(d, 2, "%s, logarithmic", TR(b->what));
    for (int i = 0; i < b->count; i++) {
        const doc_bar *at = &b->bar[i];
        fprintf(d->out, "  %s%*s  ", at->label, wide - utf8_width(at->label), "");
        put_bar(d, longest, at->value, low, high, "\xe2\x96\x88", "#", STYLE_BOLD,
                at->value >= 0 ? at->shown : TR("none"));
        if (at->other <= 0) continue;
        fprintf(d->out, "  %*s  ", wide, "");
        put_bar(d, longest, at->other, other_low, other_high, "\xe2\x96\x91", "-", STYLE_DIM, at->other_shown);
    }
}

const doc_writer doc_text = {
    .head = put_head, .say = put_prose, .table = put_table, .code = put_code, .bars = put_bars};

/* ---- for text only ---- */

/* ENTRY_LEAST: with less room than this, an entry's text goes below its name. */
enum { ENTRY_LEAST = 26, ENTRY_BELOW = 6 };

void doc_entry(doc *d, int column, const char *name, const char *fmt, ...)
{
    char text[1200];
    va_list args;
    if (d->writer != &doc_text) return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, TR(fmt), args);
    va_end(args);
    const char *whole = strcmp(fmt, "%s") ? text : TR(text);
    const int wide = utf8_width(name), width = width_of(d), lead = (int)strspn(name, " ");
    if (column > ENTRY_BELOW && width < column + ENTRY_LEAST) column = ENTRY_BELOW;
    if (wide < column) fprintf(d->out, "%s%*s", name, column - wide, "");
    else {
        size_t length = strlen(name);
        while (length && name[length - 1] == ' ') length--;
        if (wide <= width) fprintf(d->out, "%.*s\n", (int)length, name);
        else {
            fprintf(d->out, "%*s", lead, "");
            print_wrapped(d->out, name, lead, ENTRY_BELOW, width);
        }
        fprintf(d->out, "%*s", column, "");
    }
    print_wrapped(d->out, whole, column, column, width);
}

/* Prints the paragraph collected so far, if any. */
static void put_collected(doc *d, int indent, char **text, size_t *bytes, FILE **f)
{
    if (*f && !fclose(*f) && *bytes) put_prose(d, indent, STYLE_PLAIN, *text);
    free(*f ? *text : NULL);
    *f = NULL;
}

void doc_paragraphs(doc *d, int indent, const char *english)
{
    const char *all = TR(english);
    char *text;
    size_t bytes, length;
    FILE *f = NULL;
    bool gap = false;
    for (const char *p = all; d->writer == &doc_text && *p; p += length + (p[length] == '\n')) {
        length = strcspn(p, "\n");
        char line[1000];
        snprintf(line, sizeof line, "%.*s", (int)length, p);
        if (!*line) {
            put_collected(d, indent, &text, &bytes, &f);
            gap = true;
            continue;
        }
        if (gap) putc('\n', d->out);
        gap = false;
        if (*line != ' ' && !strstr(line, "  ")) {
            if (!f) f = open_memstream(&text, &bytes);
            else if (!utf8_joins(p - 1, all, p)) putc(' ', f);
            if (f) fwrite(p, 1, length, f);
            continue;
        }
        put_collected(d, indent, &text, &bytes, &f);
        fprintf(d->out, "%*s", indent, "");
        if (indent + utf8_width(line) <= d->app->width) fprintf(d->out, "%s\n", line);
        else print_code(d->out, line, indent, d->app->width);
    }
    put_collected(d, indent, &text, &bytes, &f);
}

void doc_line(doc *d, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    if (d->writer == &doc_text || d->writer == &doc_markdown) vfprintf(d->out, TR(fmt), args), putc('\n', d->out);
    va_end(args);
}

void doc_dim(doc *d, const char *fmt, ...)
{
    char all[400];
    va_list args;
    if (d->writer != &doc_text) return;
    va_start(args, fmt);
    vsnprintf(all, sizeof all, TR(fmt), args);
    va_end(args);
    const char *text = strcmp(fmt, "%s") ? all : TR(all);
    if (2 + utf8_width(text) > d->app->width) put_prose(d, 2, STYLE_DIM, text);
    else fprintf(d->out, "  %s%s%s\n", app_style(d->app, STYLE_DIM), text, app_style(d->app, STYLE_PLAIN));
}

void doc_gap(doc *d)
{
    if (d->writer == &doc_text || d->writer == &doc_markdown) putc('\n', d->out);
}

/* Text for a file or another program is not wrapped. */
void doc_program(doc *d, int at, const char *name, const char *text)
{
    if (d->writer != &doc_text) return;
    fputs(name, d->out);
    if (d->app->out_tty) {
        print_code(d->out, text, at, d->app->width);
        return;
    }
    print_safe(d->out, text, strlen(text));
    putc('\n', d->out);
}

void doc_folded(doc *d, int at, const char *name, const char *text)
{
    if (d->writer != &doc_text) return;
    fputs(name, d->out);
    print_code(d->out, text, at, d->app->width);
}

int doc_part(doc *d, enum app_style style, const char *fmt, ...)
{
    va_list args;
    if (d->writer != &doc_text) return 0;
    if (style) fputs(app_style(d->app, style), d->out);
    va_start(args, fmt);
    const int bytes = vfprintf(d->out, TR(fmt), args);
    va_end(args);
    if (style) fputs(app_style(d->app, STYLE_PLAIN), d->out);
    return bytes;
}

void doc_rest(doc *d, int at, int indent, const char *text)
{
    if (d->writer == &doc_text) print_wrapped(d->out, text, at, indent, width_of(d));
}

void doc_safe(doc *d, const char *text, size_t bytes)
{
    if (d->writer == &doc_text) print_safe(d->out, text, bytes);
}

void doc_fitting(doc *d, const char *text, int columns)
{
    if (d->writer != &doc_text) return;
    const bool is_cut = utf8_width(text) > columns;
    fwrite(text, 1, utf8_fit(text, is_cut ? columns - 2 : columns), d->out);
    fputs(is_cut ? "..\n" : "\n", d->out);
}

void doc_flush(doc *d) { fflush(d->out); }

const char *doc_number(const struct app *app, int line)
{
    static char text[40];
    snprintf(text, sizeof text, "%s%4d%s  ", app_style(app, STYLE_DIM), line, app_style(app, STYLE_PLAIN));
    return text;
}
