/* document.c: the part of a document that all writers share, and JSON lines; see document.h. */
#include "document.h"
#include "language.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const doc_writer doc_json = {.data = true};

doc doc_to(struct app *app, FILE *out, const doc_writer *writer)
{
    return (doc){.app = app, .out = out, .writer = writer};
}

doc doc_open(struct app *app) { return doc_to(app, app->out, app->json ? &doc_json : &doc_text); }

/* ---- data ---- */

static json *begin(doc *d, const char *event, const char *keys, va_list values)
{
    d->json = (json){0};
    if (!d->writer->data) return &d->json;
    json_begin(&d->json, d->out, event);
    json_keys_of(&d->json, keys, values);
    return &d->json;
}

json *doc_begin(doc *d, const char *event, const char *keys, ...)
{
    va_list values;
    va_start(values, keys);
    json *j = begin(d, event, keys, values);
    va_end(values);
    return j;
}

void doc_data(doc *d, const char *event, const char *keys, ...)
{
    va_list values;
    va_start(values, keys);
    json_end(begin(d, event, keys, values));
    va_end(values);
}

bool doc_is_data(const doc *d) { return d->writer->data; }

/* ---- the rest ---- */

/* The formatted text, to be freed. NULL: no memory, which the command reports at its end. */
static char *formatted(const char *fmt, va_list args) FORMAT_PRINTF(1, 0);
static char *formatted(const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text) vsnprintf(text, (size_t)length + 1, fmt, args);
    else app_lost = ENOMEM;
    return text;
}

/* The same in the language spoken. A text that comes as a whole, by "%s", is looked up itself. */
static char *text_of(const char *fmt, va_list args) FORMAT_PRINTF(1, 0);
static char *text_of(const char *fmt, va_list args)
{
    char *text = formatted(TR(fmt), args);
    const char *whole = text && !strcmp(fmt, "%s") ? TR(text) : text;
    if (whole == text) return text;
    free(text);
    if (!(text = strdup(whole))) app_lost = ENOMEM;
    return text;
}

/* When the writer has `part`: format the function's own `fmt` and do `use` with the text. */
#define WITH_TEXT(part, use) WITH(part, text_of(fmt, args), use)
#define WITH(part, make, use)     \
    if (!d->writer->part) return; \
    va_list args;                 \
    va_start(args, fmt);          \
    char *text = make;            \
    va_end(args);                 \
    if (text) use;                \
    free(text)

void doc_title(doc *d, const char *title)
{
    if (d->writer->begin) d->writer->begin(d, TR(title));
}

void doc_end(doc *d)
{
    if (d->writer->end) d->writer->end(d);
}

void doc_head(doc *d, const char *right, const char *fmt, ...)
{
    WITH_TEXT(head, d->writer->head(d, 1, text, TR(right)));
}

void doc_section(doc *d, int level, const char *remark, const char *fmt, ...)
{
    WITH_TEXT(head, d->writer->head(d, level, text, TR(remark)));
}

void doc_say(doc *d, int indent, const char *fmt, ...) { WITH_TEXT(say, d->writer->say(d, indent, STYLE_PLAIN, text)); }

void doc_styled(doc *d, int indent, enum app_style style, const char *fmt, ...)
{
    WITH_TEXT(say, d->writer->say(d, indent, style, text));
}

void doc_code(doc *d, const char *title, const char *remark, const char *text)
{
    if (d->writer->code) d->writer->code(d, title, remark, text);
}

void doc_page(doc *d, const char *title, const char *remark, const char *html, size_t bytes)
{
    if (d->writer->page) d->writer->page(d, title, remark, html, bytes);
}

void doc_bars_put(doc *d, const doc_bars *b)
{
    if (d->writer->bars) d->writer->bars(d, b);
}

/* ---- tables ---- */

void doc_table(doc *d, const char *align)
{
    char plain[sizeof d->align];
    snprintf(d->align, sizeof d->align, "%s", align);
    snprintf(plain, sizeof plain, "%s", align);
    for (char *p = plain; *p; p++) *p = *p == 'w' ? 'l' : *p == 'p' ? 'r' : *p;
    table_init(&d->table, plain);
}

void doc_cells(doc *d, const char *const *cell, size_t count)
{
    for (size_t i = 0; i < count && d->writer->table; i++) table_add(&d->table, "%s", cell[i] ? cell[i] : "");
}

void doc_cell(doc *d, enum app_style style, const char *fmt, ...)
{
    WITH(table, formatted(d->writer == &doc_csv ? fmt : TR(fmt), args), table_styled(&d->table, style, "%s", text));
}

void doc_rule(doc *d)
{
    if (d->writer->table) table_rule(&d->table);
}

/* The heading of a table is the program's words. What stands below it may be names, so whoever
 * adds a word of the program there says it by TR. CSV is data, and stays English. */
static void translate_heading(doc *d)
{
    int rule = 0;
    text_table *t = &d->table;
    if (!language_part() || d->writer == &doc_csv) return;
    while (rule < t->count && t->cell[rule].text) rule++;
    for (int i = 0; i < rule && rule < t->count; i++) {
        const char *words = TR(t->cell[i].text);
        char *copy = words == t->cell[i].text ? NULL : strdup(words);
        if (!copy) continue;
        free(t->cell[i].text);
        t->cell[i].text = copy;
    }
}

void doc_table_end(doc *d, int indent)
{
    translate_heading(d);
    if (d->writer->table && d->table.count) d->writer->table(d, d->align, indent);
    table_free(&d->table);
}
