/* document.h: what a command prints. A command opens a document and adds headings, prose, entries,
 * tables, code and bars, and the same facts as data. A writer prints each at once: as text for a
 * person, as JSON lines, as HTML or as Markdown. JSON lines print only the data; the other writers
 * print everything else. So a command gives both and never asks which is wanted.
 *
 *     doc d = doc_open(app);                          as text or as JSON lines, as the person asked
 *     doc_head(&d, "", "Exercises of lesson %d", 1);
 *     doc_table(&d, "lr");
 *     doc_data(&d, "exercise", "lesson %d, title %s", 1, title);  a line of JSON (json.h: json_keys)
 *     doc_row(&d, "1.1", title);                                  a row of the table
 *     doc_table_end(&d, 2);
 *     doc_say(&d, 2, "`exercise N.K` takes one up.");
 *
 * Functions with a format print as printf does. Prose and entries are wrapped at the terminal's
 * width. */
#ifndef DOCUMENT_H
#define DOCUMENT_H

#include "app.h"
#include "format.h"
#include "json.h"

typedef struct doc doc;

/* Bars on a logarithmic scale: `value`, and below it `other`, which may have its own scale. */
typedef struct doc_bar {
    const char *label;
    double value, other; /* a bar is drawn only when above 0 */
    char shown[48], other_shown[48];
} doc_bar;
typedef struct doc_bars {
    const doc_bar *bar;
    int count;
    const char *what, *other; /* "cycles"; "the article's cycles on ...", "" when there are none */
    bool same;                /* one scale for both */
} doc_bars;

/* What a writer prints. NULL: the writer leaves it out. */
typedef struct doc_writer {
    bool data; /* JSON lines */
    void (*begin)(doc *d, const char *title);
    void (*end)(doc *d);
    void (*head)(doc *d, int level, const char *text, const char *right);
    void (*say)(doc *d, int indent, enum app_style style, const char *text);
    void (*table)(doc *d, const char *align, int indent);
    void (*code)(doc *d, const char *title, const char *remark, const char *text);
    void (*bars)(doc *d, const doc_bars *b);
    void (*page)(doc *d, const char *title, const char *remark, const char *html, size_t bytes);
} doc_writer;
extern const doc_writer doc_text, doc_json, doc_html, doc_markdown, doc_csv;

struct doc {
    struct app *app;
    FILE *out;
    const doc_writer *writer;
    json json;
    text_table table; /* the table being filled */
    char align[24];   /* of its columns, as doc_table got them */
};

doc doc_open(struct app *app);
doc doc_to(struct app *app, FILE *out, const doc_writer *writer);

/* ---- data ---- */
/* One object with these keys. doc_begin leaves it open: add keys to the json that it returns, then
 * call json_end. Without --json, added keys are ignored. */
void doc_data(doc *d, const char *event, const char *keys, ...) FORMAT_PRINTF(3, 4);
json *doc_begin(doc *d, const char *event, const char *keys, ...) FORMAT_PRINTF(3, 4);
/* True when only JSON is printed: then skip work that serves human readers alone. */
bool doc_is_data(const doc *d);

/* ---- the rest ---- */
void doc_title(doc *d, const char *title); /* starts a page of HTML or Markdown */
void doc_end(doc *d);
/* A heading; `right` is put at its right end, or below it where there is no room. */
void doc_head(doc *d, const char *right, const char *fmt, ...) FORMAT_PRINTF(3, 4);
void doc_section(doc *d, int level, const char *remark, const char *fmt, ...) FORMAT_PRINTF(4, 5); /* level 2, 3 */
void doc_say(doc *d, int indent, const char *fmt, ...) FORMAT_PRINTF(3, 4);
void doc_styled(doc *d, int indent, enum app_style style, const char *fmt, ...) FORMAT_PRINTF(4, 5);
void doc_code(doc *d, const char *title, const char *remark, const char *text);
void doc_bars_put(doc *d, const doc_bars *b);
/* Another page within this one, that cannot reach out of its frame. For HTML only. */
void doc_page(doc *d, const char *title, const char *remark, const char *html, size_t bytes);

/* A table, with a letter per column: l left, r right, w words (left, and wrapped), p parts ("3 of
 * 7", right). The rows before the first rule are its heading. */
void doc_table(doc *d, const char *align);
#define doc_row(d, ...) \
    doc_cells(d, (const char *const[]){__VA_ARGS__}, sizeof(const char *const[]){__VA_ARGS__} / sizeof(char *))
void doc_cells(doc *d, const char *const *cell, size_t count);
void doc_cell(doc *d, enum app_style style, const char *fmt, ...) FORMAT_PRINTF(3, 4);
void doc_rule(doc *d);
void doc_table_end(doc *d, int indent); /* prints it */
/* Prints a table that was filled elsewhere, to see whether it fits. For text only. */
void doc_made_table(doc *d, const text_table *t, int indent);

/* For text only, except lines and gaps, which Markdown prints too. An entry is a name with text
 * that starts at a column of its own, or below the name where there is no room. */
void doc_entry(doc *d, int column, const char *name, const char *fmt, ...) FORMAT_PRINTF(4, 5);
/* Paragraphs separated by empty lines. A line that begins with a blank, or has two blanks in a row,
 * is printed as it is. */
void doc_paragraphs(doc *d, int indent, const char *text);
void doc_line(doc *d, const char *fmt, ...) FORMAT_PRINTF(2, 3); /* as it stands */
void doc_dim(doc *d, const char *fmt, ...)
    FORMAT_PRINTF(2, 3); /* the same, dim and indented by two: commands to go on with */
void doc_gap(doc *d);    /* an empty line, or the end of one that doc_part began */
/* A line of a program after `name`, which takes `at` columns. */
void doc_program(doc *d, int at, const char *name, const char *text);
/* The same, folded at the terminal's width in a file too. */
void doc_folded(doc *d, int at, const char *name, const char *text);
/* A part of a line. Returns its bytes. doc_gap ends the line, or doc_rest does: with a paragraph
 * that begins at column `at` and goes on at column `indent`. */
int doc_part(doc *d, enum app_style style, const char *fmt, ...) FORMAT_PRINTF(3, 4);
void doc_rest(doc *d, int at, int indent, const char *text);
/* A part that a stranger wrote, as it stands: its control characters are made visible. */
void doc_safe(doc *d, const char *text, size_t bytes);
/* The same, cut to `columns`; it then ends in "..". It ends the line. */
void doc_fitting(doc *d, const char *text, int columns);
/* What was printed so far is seen now: a child that takes time comes next. */
void doc_flush(doc *d);
const char *doc_number(const struct app *app, int line); /* "  12  ", dim; valid until the next call */

#endif
