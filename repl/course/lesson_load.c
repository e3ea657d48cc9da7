/* lesson_load.c: a cursor that reads a line of a lesson's file, or the lines of an item. Each function reads one thing
 * from the line, or reports its place and what was expected there. */
#include "lesson_load.h"
#include "list.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void error_line(lesson_error *err, const loader *s, int line)
{
    err->line = line + 1;
    err->source[0] = 0;
    if (line >= 0 && line < s->line_count) {
        int length = s->lines[line].length < LESSON_LINE ? s->lines[line].length : LESSON_LINE;
        for (int i = 0; i < length; i++) {
            unsigned char c = (unsigned char)s->lines[line].text[i];
            err->source[i] = c == 0 || c == '\t' ? ' ' : c < 32 || c == 127 ? '?' : (char)c;
        }
        err->source[length] = 0;
    }
}

bool load_fail(cursor *c, const char *at, const char *fmt, ...)
{
    lesson_error *err = c->s->err;
    if (err->message[0]) return false; /* only the first mistake is reported */
    error_line(err, c->s, c->line);
    const char *start = c->s->lines[c->line].text;
    if (!at) at = c->p;
    err->column = at >= start && at <= start + c->s->lines[c->line].length ? (int)(at - start) + 1 : 1;
    va_list args;
    va_start(args, fmt);
    vsnprintf(err->message, sizeof err->message, fmt, args);
    va_end(args);
    return false;
}

void load_blanks(cursor *c)
{
    while (c->p < c->end && (*c->p == ' ' || *c->p == '\t')) c->p++;
}

bool load_char(cursor *c, char want)
{
    load_blanks(c);
    if (c->p >= c->end || *c->p != want) return false;
    c->p++;
    return true;
}

bool load_word(cursor *c, const char *want)
{
    load_blanks(c);
    size_t l = strlen(want);
    if ((size_t)(c->end - c->p) < l || memcmp(c->p, want, l)) return false;
    if ((size_t)(c->end - c->p) > l && (isalnum((unsigned char)c->p[l]) || c->p[l] == '_') &&
        isalnum((unsigned char)want[l - 1]))
        return false;
    c->p += l;
    return true;
}

bool load_end(cursor *c)
{
    load_blanks(c);
    if (c->p < c->end) return load_fail(c, NULL, "expected the end of the line");
    return true;
}

bool load_name(cursor *c, char out[LESSON_NAME + 1], const char *what, bool dashes)
{
    load_blanks(c);
    char *start = c->p;
    while (c->p < c->end && (isalnum((unsigned char)*c->p) || *c->p == '_' || (dashes && c->p > start && *c->p == '-')))
        c->p++;
    if (c->p == start || (!dashes && isdigit((unsigned char)*start))) return load_fail(c, start, "expected %s", what);
    if (c->p - start > LESSON_NAME) return load_fail(c, start, "expected a name of at most %d characters", LESSON_NAME);
    memcpy(out, start, (size_t)(c->p - start));
    out[c->p - start] = 0;
    return true;
}

bool load_expr(cursor *c, expr *e)
{
    load_blanks(c);
    const char *at, *expected, *stop = expr_parse(e, c->p, c->end, &at, &expected);
    if (!stop) return load_fail(c, at, "expected %s", expected);
    c->p += stop - c->p;
    return true;
}

bool load_number(cursor *c, double *out, const char *what)
{
    load_blanks(c);
    char digits[48];
    size_t n = 0;
    char *p = c->p;
    for (; p < c->end && n < sizeof digits - 1; p++) {
        bool sign = (*p == '-' || *p == '+') && (n == 0 || digits[n - 1] == 'e' || digits[n - 1] == 'E');
        if (!isdigit((unsigned char)*p) && *p != '.' && !sign && !(n && (*p == 'e' || *p == 'E'))) break;
        digits[n++] = *p;
    }
    digits[n] = 0;
    char *stop;
    *out = strtod(digits, &stop);
    if (n == 0 || *stop || !isdigit((unsigned char)digits[n - 1]) || *out > 1e300 || *out < -1e300)
        return load_fail(c, NULL, "expected %s", what);
    c->p = p;
    return true;
}

const char *load_rest(cursor *c, const char *what)
{
    load_blanks(c);
    char *start = c->p, *end = c->end;
    while (end > start && (end[-1] == ' ' || end[-1] == '\t')) end--;
    if (end == start) {
        load_fail(c, NULL, "expected %s", what);
        return NULL;
    }
    *end = 0; /* a blank, or the end of the line */
    c->p = c->end;
    return start;
}

void *load_keep(cursor *c, size_t bytes)
{
    lesson *l = c->s->l;
    struct lesson_piece *piece = malloc(sizeof *piece + bytes);
    if (!piece) {
        load_fail(c, NULL, NO_MEMORY);
        return NULL;
    }
    piece->next = l->pieces;
    l->pieces = piece;
    return piece->bytes;
}

/* Removes the indentation common to all lines. Lines that are indented further are shown
 * unwrapped. */
bool load_text(cursor *c, lesson_text *out)
{
    loader *s = c->s;
    load_blanks(c);
    size_t bytes = (size_t)(c->end - c->p) + 2;
    int common = 1 << 20;
    for (int i = c->line + 1; i <= c->last_line; i++) {
        const source_line *l = &s->lines[i];
        int indent = 0;
        while (indent < l->length && l->text[indent] == ' ') indent++;
        if (indent < l->length && indent < common) common = indent;
        bytes += (size_t)l->length + 1;
    }
    char *text = load_keep(c, bytes), *w = text;
    if (!text) return false;
    out->line = c->line + 1;
    if (c->p < c->end) {
        memcpy(w, c->p, (size_t)(c->end - c->p));
        w += c->end - c->p;
        *w++ = '\n';
    }
    for (int i = c->line + 1; i <= c->last_line; i++) {
        const source_line *l = &s->lines[i];
        if (l->length > common) {
            memcpy(w, l->text + common, (size_t)(l->length - common));
            w += l->length - common;
        }
        *w++ = '\n';
    }
    while (w > text && (w[-1] == '\n' || w[-1] == ' ')) w--;
    *w = 0;
    out->text = text;
    if (!*out->text) return load_fail(c, NULL, "expected text, here or on indented lines below");
    c->p = c->end;
    return true;
}

void *load_grow(cursor *c, void *array, int count, int most, size_t each, const char *what)
{
    if (count >= most) {
        load_fail(c, NULL, "expected at most %d %s", most, what);
        return array;
    }
    if (!list_grow(&array, (size_t)count, each)) {
        load_fail(c, NULL, NO_MEMORY);
        return array;
    }
    memset((char *)array + (size_t)count * each, 0, each);
    return array;
}
