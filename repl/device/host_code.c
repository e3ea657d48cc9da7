/* host_code.c: removes functions that are not part of a kernel from a program. NVRTC accepts device
 * code only. An answer's main is not judged: without it all compilers judge the same text.
 *
 * It splits the text into tokens as compilers do, looks at declarations outside all braces, and
 * removes a function only if it sees its end. Anything it does not understand stays. Blanks replace
 * what is removed, so that lines keep their numbers. */
#include "compile_job.h"

#include <ctype.h>
#include <string.h>

enum kind { BLANK, DIRECTIVE, WORD, TEXT, MARK };

typedef struct token {
    enum kind kind;
    size_t from, to;
} token;

typedef struct reader {
    const char *text;
    size_t bytes, at;
    bool line_start; /* only blanks precede it on its line */
} reader;

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80; }

static char at(const reader *r, size_t i) { return i < r->bytes ? r->text[i] : 0; }

/* The index after the line's end; a backslash continues the line. */
static size_t line_end(const reader *r, size_t i)
{
    for (; i < r->bytes && r->text[i] != '\n'; i++) {
        if (r->text[i] == '\\' && at(r, i + 1) == '\n') i++;
        else if (r->text[i] == '\\' && at(r, i + 1) == '\r' && at(r, i + 2) == '\n') i += 2;
    }
    return i;
}

static size_t comment_end(const reader *r, size_t i) /* i: after the comment's start */
{
    while (i < r->bytes && !(r->text[i] == '*' && at(r, i + 1) == '/')) i++;
    return i < r->bytes ? i + 2 : i;
}

static size_t quoted_end(const reader *r, size_t i)
{
    char quote = r->text[i++];
    for (; i < r->bytes && r->text[i] != quote && r->text[i] != '\n'; i++) i += r->text[i] == '\\';
    return i < r->bytes ? i + 1 : r->bytes;
}

static size_t raw_end(const reader *r, size_t i) /* R"x( ... )x": i is at the quote */
{
    size_t from = ++i;
    while (i < r->bytes && r->text[i] != '(' && r->text[i] != '\n' && i - from < 17) i++;
    size_t n = i - from;
    for (; i < r->bytes; i++)
        if (r->text[i] == ')' && i + n + 1 < r->bytes && !memcmp(r->text + i + 1, r->text + from, n) &&
            r->text[i + n + 1] == '"')
            return i + n + 2;
    return r->bytes;
}

static size_t directive_end(const reader *r, size_t i)
{
    for (;;) { /* a comment in it may span lines */
        size_t end = line_end(r, i), k = i;
        for (; k < end; k++) {
            if (r->text[k] == '"' || (r->text[k] == '\'' && !(k && is_word(r->text[k - 1])))) k = quoted_end(r, k) - 1;
            else if (r->text[k] == '/' && at(r, k + 1) == '/') return end;
            else if (r->text[k] == '/' && at(r, k + 1) == '*') break;
        }
        if (k >= end) return end;
        i = comment_end(r, k + 2);
        if (i >= r->bytes) return r->bytes;
    }
}

static bool next(reader *r, token *t)
{
    size_t i = r->at;
    if (i >= r->bytes) return false;
    char c = r->text[i];
    bool start = r->line_start;
    *t = (token){MARK, i, i + 1};
    if (c == '\n' || isspace((unsigned char)c) || (c == '\\' && isspace((unsigned char)at(r, i + 1)))) {
        t->kind = BLANK;
        r->line_start = start || c == '\n';
    } else if (c == '/' && (at(r, i + 1) == '/' || at(r, i + 1) == '*')) {
        t->kind = BLANK;
        t->to = at(r, i + 1) == '/' ? line_end(r, i) : comment_end(r, i + 2);
    } else if (start && (c == '#' || (c == '%' && at(r, i + 1) == ':'))) {
        t->kind = DIRECTIVE;
        t->to = directive_end(r, i);
    } else {
        r->line_start = false;
        if (is_word(c)) {
            bool number = isdigit((unsigned char)c);
            t->kind = WORD;
            while (is_word(at(r, t->to)) || (number && at(r, t->to) == '\'' && is_word(at(r, t->to + 1)))) t->to++;
            if (at(r, t->to) == '"' && r->text[t->to - 1] == 'R') {
                t->kind = TEXT;
                t->to = raw_end(r, t->to);
            }
        } else if (c == '"' || c == '\'') {
            t->kind = TEXT;
            t->to = quoted_end(r, i);
        }
    }
    r->at = t->to;
    return true;
}

static bool is(const reader *r, const token *t, const char *text)
{
    return t->to - t->from == strlen(text) && !memcmp(r->text + t->from, text, t->to - t->from);
}

static bool among(const reader *r, const token *t, const char *const *list)
{
    while (*list && !is(r, t, *list)) list++;
    return *list != NULL;
}

/* ---- declarations ---- */

/* Macros of the program that stand for __global__ or __device__. */
enum { MARKS = 64, MARK_BYTES = 64 };
typedef struct marks {
    char name[MARKS][MARK_BYTES];
    int count;
    bool full; /* too many such macros: then no function is removed */
} marks;

static bool marked(const reader *r, const token *t, const marks *m)
{
    static const char *const words[] = {"__global__", "__device__", "constexpr", "consteval", NULL};
    bool found = among(r, t, words); /* a constexpr function may be used by kernels too */
    for (int i = 0; i < m->count && !found; i++) found = is(r, t, m->name[i]);
    return found;
}

static void learn_macro(const reader *all, const token *directive, marks *m)
{
    reader r = {all->text, directive->to, directive->from + 1, false};
    token t, name = {BLANK, 0, 0};
    int words = 0;
    while (next(&r, &t)) {
        if (t.kind != WORD) continue;
        if (words == 0 && !is(&r, &t, "define")) return;
        if (words++ == 1) name = t;
        if (words < 3 || !marked(&r, &t, m)) continue;
        if (m->count == MARKS || name.to - name.from >= MARK_BYTES) m->full = true;
        else snprintf(m->name[m->count++], MARK_BYTES, "%.*s", (int)(name.to - name.from), r.text + name.from);
        return;
    }
}

typedef struct declaration {
    size_t from;
    bool begun, device, parentheses, value, type, space, is_main;
    token before; /* the token before this one */
} declaration;

static void see_word(const reader *r, const token *t, const marks *m, declaration *d)
{
    static const char *const types[] = {"struct", "class", "union", "enum", NULL};
    d->device = d->device || marked(r, t, m);
    d->type = d->type || among(r, t, types);
    d->space = d->space || is(r, t, "namespace");
}

static void blank(char *text, size_t from, size_t to)
{
    reader r = {text, to, from, false};
    for (token t; next(&r, &t);)
        if (t.kind != DIRECTIVE) /* an #endif inside belongs to the rest of the program */
            for (size_t i = t.from; i < t.to; i++)
                if (text[i] != '\n') text[i] = ' ';
}

/* Moves past the brace that closes the one at r->at - 1. False: there is none. */
static bool skip_braces(reader *r)
{
    int depth = 1;
    for (token t; depth && next(r, &t);)
        if (t.kind == MARK) depth += r->text[t.from] == '{' ? 1 : r->text[t.from] == '}' ? -1 : 0;
    return depth == 0;
}

int compile_cut_host_code(char *text, size_t bytes, bool only_main)
{
    reader r = {text, bytes, 0, true};
    marks m = {.count = 0};
    declaration d = {0};
    int parentheses = 0, cut = 0;
    for (token t; next(&r, &t);) {
        if (t.kind == DIRECTIVE) learn_macro(&r, &t, &m);
        if (t.kind == BLANK || t.kind == DIRECTIVE) continue;
        char c = t.kind == MARK ? text[t.from] : 0;
        if (!d.begun) d = (declaration){.from = t.from, .begun = true};
        if (t.kind == WORD && !parentheses) see_word(&r, &t, &m, &d);
        if (c == '(' && !parentheses++) {
            d.parentheses = true;
            d.is_main = d.is_main || (d.before.kind == WORD && is(&r, &d.before, "main"));
        }
        if (c == ')' && parentheses) parentheses--;
        if (c == '=' && !parentheses) d.value = true;
        bool ends = !parentheses && (c == ';' || c == '}');
        if (c == '{' && !parentheses) {
            bool linkage = d.before.kind == TEXT; /* extern "C" { */
            ends = d.space || linkage;
            if (!ends) {
                if (!skip_braces(&r)) return cut;
                ends = d.parentheses && !d.type && !d.value;
                if (ends && (only_main ? d.is_main : !d.device && !m.full)) {
                    blank(text, d.from, r.at);
                    cut++;
                }
            }
        }
        d.before = t;
        if (ends) d = (declaration){0};
    }
    return cut;
}
