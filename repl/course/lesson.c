/* lesson.c: turns the text of a lesson.txt into a `lesson`.
 *
 * A line that starts in its first column is a key: "title: Sum of squares". Indented lines continue
 * the key above them. # in the first column starts a comment. load_items divides the file into
 * items, finds each key in one of two tables (the lesson's in lesson_header.c, the steps' in lesson_keys.c), and
 * lets its row read the value with a cursor (lesson_load.c). */
#include "lesson_load.h"
#include "shell/format.h"
#include "translation.h"
#include "list.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- errors ---- */

void lesson_error_at(lesson_error *err, const lesson *l, int line, const char *fmt, ...)
{
    snprintf(err->file, sizeof err->file, "%.500s", l->path);
    err->line = line;
    err->column = 0;
    err->source[0] = 0;
    va_list args;
    va_start(args, fmt);
    vsnprintf(err->message, sizeof err->message, fmt, args);
    va_end(args);
}

void lesson_error_print(FILE *out, const lesson_error *err)
{
    if (err->line && err->column) fprintf(out, "%s:%d:%d: %s\n", err->file, err->line, err->column, err->message);
    else if (err->line) fprintf(out, "%s:%d: %s\n", err->file, err->line, err->message);
    else fprintf(out, "%s: %s\n", err->file, err->message);
    lesson_error_caret(out, err);
}

void lesson_error_caret(FILE *out, const lesson_error *err)
{
    if (err->source[0] && err->column) {
        /* of a long line, show the part around the caret; UTF-8 continuation bytes take no
         * column */
        int from = err->column > 70 ? err->column - 60 : 0;
        while (from > 0 && ((unsigned char)err->source[from] & 0xC0) == 0x80) from--;
        int length = (int)strlen(err->source + from), columns = 0;
        if (length > 76) length = 76;
        while (length > 0 && ((unsigned char)err->source[from + length] & 0xC0) == 0x80) length--;
        for (int i = from; i < err->column - 1 && err->source[i]; i++)
            columns += ((unsigned char)err->source[i] & 0xC0) != 0x80;
        fprintf(out, "  %.*s\n  %*s^\n", length, err->source + from, columns, "");
    }
}

/* ---- lines and items ---- */

static bool cut_lines(loader *s, char *text, size_t bytes)
{
    int count = 1;
    for (size_t i = 0; i < bytes; i++) count += text[i] == '\n';
    s->lines = calloc((size_t)count, sizeof *s->lines);
    if (!s->lines) {
        snprintf(s->err->message, sizeof s->err->message, NO_MEMORY);
        return false;
    }
    char *p = text, *end = text + bytes;
    while (p < end) {
        char *stop = memchr(p, '\n', (size_t)(end - p));
        if (!stop) stop = end;
        char *last = stop;
        if (last > p && last[-1] == '\r') last--;
        while (last > p && (last[-1] == ' ' || last[-1] == '\t')) last--;
        s->lines[s->line_count] = (source_line){p, (int)(last - p < LESSON_LINE + 1 ? last - p : LESSON_LINE + 1)};
        cursor c = {s, p, last, s->line_count, s->line_count};
        s->line_count++;
        if (last - p > LESSON_LINE) return load_fail(&c, p, "expected a line of at most %d characters", LESSON_LINE);
        for (char *q = p; q < last;) {
            uint32_t point;
            size_t used = utf8_decode(q, (size_t)(last - q), &point);
            if (!used) return load_fail(&c, q, "expected UTF-8 text");
            if ((point < 32 && point != '\t') || (point >= 0x7f && point < 0xa0))
                return load_fail(&c, q, "expected text: there is a control character here");
            if (point == '\t') *q = ' ';
            q += used;
        }
        *last = 0; /* in bounds: last <= stop, and text has a byte after its end */
        p = stop + 1;
    }
    return true;
}

static const lesson_key *find_key(const lesson_key *table, const char *name, size_t length)
{
    for (; table->name; table++)
        if (strlen(table->name) == length && !memcmp(table->name, name, length)) return table;
    return NULL;
}

/* Reads the value of `key`, a row of `table`; `colon` ends the key's name. */
static bool load_value(cursor *c, char *colon, const lesson_key *key, const lesson_key *table, int seen)
{
    loader *s = c->s;
    uint64_t bit = UINT64_C(1) << (key - table);
    if (!key->many && (s->seen[seen] & bit)) return load_fail(c, c->p, "expected %s only once", key->name);
    s->seen[seen] |= bit;
    c->p = colon + 1;
    if (c->last_line > c->line && !key->block) {
        c->line = c->last_line;
        return load_fail(c, s->lines[c->line].text, "expected a key: \"%s\" above takes one line", key->name);
    }
    if (!key->read(c)) return load_fail(c, NULL, "expected %s", key->value);
    return true;
}

/* A key of an exercise: one of its own, or a key of a lesson or step that it shares. */
static bool load_exercise_item(cursor *c, char *colon, size_t length)
{
    const lesson_key *const tables[] = {lesson_header_keys, lesson_step_keys, exercise_keys};
    for (int i = 0; i < 3; i++) {
        const lesson_key *key = find_key(tables[i], c->p, length);
        if (key && key->scope >= KEY_BOTH) return load_value(c, colon, key, tables[i], i);
    }
    return load_fail(c, c->p, "expected one of the keys of an exercise: there is no %.*s", (int)length, c->p);
}

static bool load_item(loader *s, int first, int last)
{
    source_line *l = &s->lines[first];
    cursor c = {s, l->text, l->text + l->length, first, last};
    char *p = c.p;
    while (p < c.end && (islower((unsigned char)*p) || *p == '-')) p++;
    if (p == c.p || p == c.end || *p != ':')
        return load_fail(
            &c, p, "expected a key and a colon, as in \"title: ...\" (indent the line to continue the one above)");
    size_t length = (size_t)(p - c.p);
    const lesson_key *key = NULL;
    bool in_step = s->step != NULL;
    if (s->exercise) return load_exercise_item(&c, p, length);
    if (in_step) key = find_key(lesson_step_keys, c.p, length);
    if (!key) key = find_key(lesson_header_keys, c.p, length);
    if (!key)
        return find_key(lesson_step_keys, c.p, length)
                   ? load_fail(&c, c.p, "expected \"step: NAME\" first: %.*s belongs to a step", (int)length, c.p)
                   : load_fail(&c, c.p, "expected one of the keys of %s: there is no %.*s",
                               in_step ? "a step" : "a lesson", (int)length, c.p);
    bool of_lesson = key == find_key(lesson_header_keys, c.p, length);
    bool begins = !strcmp(key->name, "step") || !strcmp(key->name, "chapter");
    if (of_lesson && (in_step || s->l->chapter_count) && !begins)
        return load_fail(&c, c.p, "expected %s before the first step", key->name);
    return of_lesson ? load_value(&c, p, key, lesson_header_keys, 0) : load_value(&c, p, key, lesson_step_keys, 1);
}

static bool load_items(loader *s)
{
    int i = 0;
    while (i < s->line_count) {
        const source_line *l = &s->lines[i];
        if (l->length == 0 || l->text[0] == '#') {
            i++;
            continue;
        }
        if (l->text[0] == ' ') {
            cursor c = {s, l->text, l->text + l->length, i, i};
            return load_fail(&c, l->text, "expected a key in the first column");
        }
        int last = i;
        for (int j = i + 1; j < s->line_count; j++) {
            if (s->lines[j].length == 0)
                continue; /* a blank line belongs to the item only if an indented line follows */
            if (s->lines[j].text[0] != ' ') break;
            last = j;
        }
        if (!load_item(s, i, last)) return false;
        i = last + 1;
    }
    return true;
}

int lesson_parse(lesson **out, const char *path, const char *text, size_t bytes, lesson_error *err)
{
    return lesson_parse_as(out, NULL, path, text, bytes, err);
}

int lesson_parse_as(lesson **out, struct exercise *x, const char *path, const char *text, size_t bytes,
                    lesson_error *err)
{
    memset(err, 0, sizeof *err);
    snprintf(err->file, sizeof err->file, "%s", path);
    *out = NULL;
    if (bytes > LESSON_BYTES) {
        snprintf(err->message, sizeof err->message, "expected a file of at most %d bytes", LESSON_BYTES);
        return -1;
    }
    static unsigned read_so_far;
    lesson *l = calloc(1, sizeof *l);
    if (l) l->serial = ++read_so_far;
    loader s = {.l = l, .path = path, .err = err, .exercise = x};
    bool good = false;
    if (l && x && (l->step = calloc(1, sizeof *l->step))) {
        l->step_count = 1;
        s.step = l->step;
        s.step->clock = -1;
        s.step->line = 1;
    }
    if (l && (!x || l->step) && (l->file_text = malloc(bytes + 1))) {
        memcpy(l->file_text, text, bytes);
        l->file_text[bytes] = 0;
        snprintf(l->path, sizeof l->path, "%s", path);
        good = cut_lines(&s, l->file_text, bytes) && load_items(&s);
    } else {
        snprintf(err->message, sizeof err->message, NO_MEMORY);
    }
    free(s.lines);
    if (good && !l->title) {
        lesson_error_at(err, l, 1, "expected \"title: ...\" in the %s", x ? "exercise" : "lesson");
        good = false;
    }
    if (good && l->step_count == 0) {
        lesson_error_at(err, l, 1, "expected at least one \"step: NAME\"");
        good = false;
    }
    if (!good) {
        lesson_free(l);
        return -1;
    }
    *out = l;
    return 0;
}

void lesson_free(lesson *l)
{
    if (!l) return;
    for (int i = 0; i < l->step_count; i++) {
        lesson_step *s = &l->step[i];
        free(s->with);
        free(s->rule);
        free(s->buffer);
        free(s->action);
        free(s->article);
        free(s->predict);
        free(s->look);
        free(s->right);
        free(s->library);
    }
    free(l->step);
    free(l->also);
    free(l->check);
    for (struct lesson_piece *p = l->pieces, *next; p; p = next) {
        next = p->next;
        free(p);
    }
    free(l->file_text);
    translation_free(l);
    free(l);
}

/* ---- looking things up ---- */

static bool same(const char *a, const char *name, size_t length)
{
    return a && strlen(a) == length && !memcmp(a, name, length);
}

const lesson_step *lesson_step_named(const lesson *l, const char *name, size_t length)
{
    for (int i = 0; i < l->step_count; i++)
        if (same(l->step[i].name, name, length)) return &l->step[i];
    return NULL;
}

int lesson_setting_named(const lesson *l, const char *name, size_t length)
{
    for (int i = 0; i < l->setting_count; i++)
        if (same(l->setting[i].name, name, length)) return i;
    return -1;
}

int step_buffer_named(const lesson_step *s, const char *name, size_t length)
{
    for (int i = 0; i < s->buffer_count; i++)
        if (same(s->buffer[i].name, name, length)) return i;
    return -1;
}

int step_local_named(const lesson_step *s, const char *name, size_t length)
{
    for (int i = 0; i < s->local_count; i++)
        if (same(s->locals[i], name, length)) return i;
    return -1;
}
