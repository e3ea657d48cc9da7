/* ptx_link.c: makes one text of the PTX of several files, as a linker does of their machine code.
 *
 * A text is taken apart into its statements. Out come, in this order: one header, the names of source
 * files (renumbered), what functions are called, variables, functions. What a file keeps for itself
 * (no .visible, .weak, .common or .extern before it) gets another name where two files use the same;
 * of what several define with .weak or .common the first stays.
 */
#include "core.h"
#include "list.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum kind { HEADER, FILE_NAME, SECTION, PROTOTYPE, VARIABLE, FUNCTION, OTHER };
enum { FILES_APART = 1000 }; /* numbers of source files of one text */

typedef struct piece {
    const char *from;
    size_t bytes;
    int file;
    enum kind kind;
    bool is_extern, is_shared_name; /* another file may mean it */
    bool weak, dropped;
    const char *name;
    size_t name_bytes;
} piece;

typedef struct output {
    char *text;
    size_t bytes, room;
    bool failed;
} output;

static void put(output *o, const char *text, size_t bytes)
{
    if (!list_room(&o->text, &o->room, o->bytes + bytes + 1, 1)) {
        o->failed = true;
        return;
    }
    memcpy(o->text + o->bytes, text, bytes);
    o->bytes += bytes;
    o->text[o->bytes] = 0;
}

static bool name_char(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.'; }

/* Behind comments and blanks. */
static const char *skip(const char *s)
{
    for (;;) {
        while (*s && isspace((unsigned char)*s)) s++;
        if (s[0] == '/' && s[1] == '/') s += strcspn(s, "\n");
        else if (s[0] == '/' && s[1] == '*') {
            const char *end = strstr(s + 2, "*/");
            s = end ? end + 2 : s + strlen(s);
        } else return s;
    }
}

/* One token further. */
static const char *token_end(const char *s)
{
    if (*s == '"') {
        for (s++; *s && *s != '"'; s++)
            if (*s == '\\' && s[1]) s++;
        return *s ? s + 1 : s;
    }
    if (!name_char(*s)) return s + 1;
    while (name_char(*s)) s++;
    return s;
}

static bool is(const char *s, size_t n, const char *word) { return strlen(word) == n && !strncmp(s, word, n); }

/* Reads a statement from `s`; returns where it ends. */
static const char *read_piece(const char *s, piece *p)
{
    p->from = s;
    p->kind = OTHER;
    int round = 0, curly = 0;
    bool is_code = false, section = false, is_data = false, local = true;
    while (*s) {
        const char *end = token_end(s);
        const size_t n = (size_t)(end - s);
        if (s == p->from &&
            (is(s, n, ".version") || is(s, n, ".target") || is(s, n, ".address_size") || is(s, n, ".file"))) {
            p->kind = is(s, n, ".file") ? FILE_NAME : HEADER;
            end += strcspn(end, "\n");
            p->bytes = (size_t)(end - p->from);
            return end;
        }
        if (*s == '(') round++;
        else if (*s == ')') round--;
        else if (*s == '{') curly++;
        else if (*s == '}') curly--;
        else if (!round && !curly && *s == '.') {
            if (is(s, n, ".func") || is(s, n, ".entry")) is_code = true;
            if (is(s, n, ".entry")) local = false;
            if (is(s, n, ".section")) section = true;
            if (is(s, n, ".global") || is(s, n, ".const") || is(s, n, ".shared") || is(s, n, ".tex")) is_data = true;
            if (is(s, n, ".extern")) p->is_extern = true, local = false;
            if (is(s, n, ".weak") || is(s, n, ".common")) p->weak = true, local = false;
            if (is(s, n, ".visible")) local = false;
        } else if (!round && !curly && !p->name && (is_code || is_data) && name_char(*s) &&
                   !isdigit((unsigned char)*s)) {
            p->name = s;
            p->name_bytes = n;
        }
        const bool over = !round && !curly && (*s == ';' || (*s == '}' && (is_code || section)));
        if (over) {
            p->kind = section ? SECTION : is_code ? (*s == '}' ? FUNCTION : PROTOTYPE) : is_data ? VARIABLE : OTHER;
            p->is_shared_name = !local;
            p->bytes = (size_t)(end - p->from);
            return end;
        }
        s = skip(end);
    }
    p->bytes = (size_t)(s - p->from);
    return s;
}

static bool same_name(const piece *a, const piece *b)
{
    return a->name && b->name && a->name_bytes == b->name_bytes && !memcmp(a->name, b->name, a->name_bytes);
}

/* A name that only its own file means, and another file has too. */
static bool renamed(const piece *all, int count, int file, const char *name, size_t bytes)
{
    const piece wanted = {.name = name, .name_bytes = bytes};
    bool own = false, other = false;
    for (int i = 0; i < count; i++) {
        if (!same_name(&all[i], &wanted)) continue;
        if (all[i].file == file) own = own || !all[i].is_shared_name;
        else other = true;
    }
    return own && other;
}

/* The names of a file that get another one, in a table to search. */
typedef struct renames {
    const piece **list;
    int count;
} renames;
static bool in_table(const renames *r, const char *name, size_t bytes)
{
    const piece wanted = {.name = name, .name_bytes = bytes};
    for (int i = 0; i < r->count; i++)
        if (same_name(r->list[i], &wanted)) return true;
    return false;
}

static void put_piece(output *o, const piece *p, const renames *r)
{
    const char *s = p->from, *const end = p->from + p->bytes;
    char number[40];
    if (p->is_extern && p->kind == PROTOTYPE) s = skip(token_end(s)), put(o, ".visible ", 9);
    bool source = p->kind == FILE_NAME; /* the next number is that of a source file */
    while (s < end) {
        const char *next = token_end(s);
        const size_t n = (size_t)(next - s);
        if (is(s, n, ".loc") || is(s, n, ".file") || is(s, n, "inlined_at")) source = true;
        if (source && isdigit((unsigned char)*s)) {
            put(o, number,
                (size_t)snprintf(number, sizeof number, "%ld", strtol(s, NULL, 10) + (long)p->file * FILES_APART));
            source = false;
        } else {
            put(o, s, n);
            if (p->file && (in_table(r, s, n) || !strncmp(s, "$L__info_string", n < 15 ? n : 15)) && n > 1 &&
                *s != '"' && *s != '.')
                put(o, number, (size_t)snprintf(number, sizeof number, "__file%d", p->file));
        }
        s = skip(next);
        if (s <= end && s > next) put(o, memchr(next, '\n', (size_t)(s - next)) ? "\n" : " ", 1);
    }
    put(o, "\n", 1);
}

int ptx_link(char *const *texts, int files, char **out, size_t *bytes)
{
    piece *all = NULL;
    int count = 0;
    output o = {0};
    if (files == 1) { /* as it is */
        *bytes = strlen(texts[0]);
        return (*out = strdup(texts[0])) ? E_OK : E_MemoryAllocation;
    }
    for (int f = 0; f < files; f++)
        for (const char *s = skip(texts[f]); *s; s = skip(s)) {
            if (!list_grow(&all, (size_t)count, sizeof *all)) {
                free(all);
                return E_MemoryAllocation;
            }
            all[count] = (piece){.file = f};
            s = read_piece(s, &all[count++]);
        }
    /* Of what several define, the first; no declaration of what one defines, nor a second one. */
    for (int i = 0; i < count; i++) {
        piece *p = &all[i];
        if (!p->name || !p->is_shared_name) continue;
        for (int k = 0; k < count && !p->dropped; k++) {
            const piece *q = &all[k];
            if (k == i || q->dropped || q->kind != p->kind || !q->is_shared_name || !same_name(p, q)) continue;
            if (p->kind == VARIABLE && p->is_extern && (!q->is_extern || k < i)) p->dropped = true;
            else if (p->weak && k < i) p->dropped = true;
            else if (p->kind == PROTOTYPE && k < i) p->dropped = true;
        }
    }
    renames *r = calloc((size_t)(files < 0 ? 0 : files) + 1, sizeof *r);
    for (int f = 0; r && f < files; f++) {
        r[f].list = calloc((size_t)count + 1, sizeof *r[f].list);
        for (int i = 0; r[f].list && i < count; i++)
            if (all[i].file == f && all[i].name && renamed(all, count, f, all[i].name, all[i].name_bytes))
                r[f].list[r[f].count++] = &all[i];
        o.failed = o.failed || !r[f].list;
    }
    static const enum kind order[] = {HEADER, FILE_NAME, PROTOTYPE, VARIABLE, FUNCTION, OTHER, SECTION};
    for (size_t k = 0; r && k < sizeof order / sizeof *order; k++)
        for (int i = 0; i < count && !o.failed; i++)
            if (all[i].kind == order[k] && !all[i].dropped && !(all[i].kind == HEADER && all[i].file))
                put_piece(&o, &all[i], &r[all[i].file]);
    for (int f = 0; r && f < files; f++) free(r[f].list);
    const bool fine = r && !o.failed && o.text;
    free(r);
    free(all);
    if (!fine) {
        free(o.text);
        return E_MemoryAllocation;
    }
    *out = o.text;
    *bytes = o.bytes;
    return E_OK;
}
