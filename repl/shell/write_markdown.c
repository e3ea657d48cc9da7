/* write_markdown.c: a document as Markdown, and its tables as CSV. */
#include "document.h"

#include <string.h>

/* What a person wrote must not act as HTML, a link, a picture or the end of a cell. */
static void put(doc *d, const char *text)
{
    static const char *const written[128] = {['<'] = "&lt;", ['>'] = "&gt;", ['&'] = "&amp;", ['|'] = "\\|",
                                             ['['] = "\\[",  [']'] = "\\]",  ['\\'] = "\\\\", ['`'] = "\\`"};
    for (size_t length; *text; text += length) {
        const char *other = (unsigned char)*text < 128 ? written[(unsigned char)*text] : NULL;
        length = other ? 1 : 1 + strcspn(text + 1, "<>&|[]\\`");
        if (other) fputs(other, d->out);
        else print_safe(d->out, text, length);
    }
}

static void put_title(doc *d, const char *title) { fprintf(d->out, "# %s\n\n", title); }

static void put_head(doc *d, int level, const char *text, const char *right)
{
    fprintf(d->out, "\n%.*s ", level, "####");
    put(d, text);
    fprintf(d->out, "%s%s\n\n", *right ? ", " : "", right);
}

/* An indented paragraph becomes a list item. */
static void put_prose(doc *d, int indent, enum app_style style, const char *text)
{
    (void)style;
    fputs(indent ? "- " : "", d->out);
    put(d, text);
    putc('\n', d->out);
}

static void put_table(doc *d, const char *align, int indent)
{
    const text_table *t = &d->table;
    (void)align, (void)indent;
    for (int i = 0; i + t->columns <= t->count; i += t->columns) {
        const bool rule = !t->cell[i].text;
        for (int c = 0; c < t->columns; c++) {
            fputs(rule ? "|---" : "| ", d->out);
            if (rule) continue;
            put(d, t->cell[i + c].text);
            putc(' ', d->out);
        }
        fputs("|\n", d->out);
    }
}

const doc_writer doc_markdown = {.begin = put_title, .head = put_head, .say = put_prose, .table = put_table};

/* A row is one line, as some readers of CSV accept nothing else. */
static void put_csv(doc *d, const char *align, int indent)
{
    const text_table *t = &d->table;
    (void)align, (void)indent;
    for (int i = 0; i + t->columns <= t->count; i += t->columns)
        for (int c = 0; c < t->columns && t->cell[i].text; c++) {
            for (char *p = t->cell[i + c].text; *p; p++)
                if ((unsigned char)*p < 32 || *p == 127) *p = ' ';
            print_csv(d->out, t->cell[i + c].text);
            putc(c + 1 < t->columns ? ',' : '\n', d->out);
        }
}

const doc_writer doc_csv = {.table = put_csv};
