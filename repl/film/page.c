/* page.c: a film as a page of HTML that needs nothing but itself; see player.js.
 *
 * All that comes from a kernel, a file name or a card stands in one JSON text within the page. No
 * "<" occurs in it, so nothing in it can end the element that holds it. The page's policy allows no
 * script or style but the two that are built in, by their digests. */
#include "page.h"
#include "run/kernel_name.h"
#include "shell/digest.h"
#include "shell/embedded.h"
#include "shell/format.h"
#include "shell/language.h"
#include "strip.h"
#include <stdlib.h>
#include <string.h>

/* ---- strips ---- */

/* Runs of a sign: "#12m40-b3". An empty place is "_". */
static void put_runs(FILE *out, const char *signs)
{
    for (const char *p = signs; *p;) {
        const char *from = p;
        while (*p == *from) p++;
        fputc(*from == ' ' ? '_' : *from, out);
        if (p - from > 1) fprintf(out, "%d", (int)(p - from));
    }
}

enum { COLUMNS = 480, LEVELS = 3, TIMES = 4, ROWS_MOST = 64 };

typedef struct level {
    FILE *row[STRIP_PLACES], *issued;
    char *text[STRIP_PLACES], *issued_text;
    size_t bytes[STRIP_PLACES], issued_bytes;
} level;

/* A part of a level: its columns from `from` to `to` clocks. */
static bool add_part(level *l, const frames *f, uint64_t from, uint64_t to, int columns, int places)
{
    strip s;
    char row[STRIP_COLUMNS + 1];
    if (!strip_make(f, from, to, columns, &s)) return false;
    for (int p = 0; p < places; p++) {
        strip_row(&s, p, row);
        put_runs(l->row[p], row);
    }
    for (int c = 0; c < s.columns; c++) row[c] = (char)('a' + (s.issued[c] + 5) / 10);
    row[s.columns] = 0;
    put_runs(l->issued, row);
    strip_free(&s);
    return true;
}

/* All clocks in COLUMNS * parts columns. Each part has the same number of clocks. */
static bool put_level(json *j, const frames *f, uint64_t from, uint64_t to, int columns, int parts, int places)
{
    level *l = calloc(1, sizeof *l);
    bool ok = l && (l->issued = open_memstream(&l->issued_text, &l->issued_bytes));
    for (int p = 0; ok && p < places; p++) ok = (l->row[p] = open_memstream(&l->text[p], &l->bytes[p])) != NULL;
    const uint64_t each = (to - from) / (uint64_t)parts;
    for (int k = 0; ok && k < parts; k++)
        ok = add_part(l, f, from + each * (uint64_t)k, from + each * (uint64_t)(k + 1), columns, places);
    for (int p = 0; l && p < places; p++)
        if (l->row[p]) ok = !fclose(l->row[p]) && ok;
    if (l && l->issued) ok = !fclose(l->issued) && ok;
    if (ok) {
        json_object(j, NULL);
        json_int(j, "columns", columns * parts);
        json_array(j, "rows");
        for (int p = 0; p < places; p++) json_text(j, NULL, l->text[p]);
        json_close(j);
        json_text(j, "issued", l->issued_text);
        json_close(j);
    }
    for (int p = 0; l && p < places; p++) free(l->text[p]);
    if (l) free(l->issued_text);
    free(l);
    return ok;
}

/* ---- the page's own words ---- */

/* The parts of the page's script, within one function. */
static const char *const script[] = {"repl/film/player_strips.js", "repl/film/player_step.js", "repl/film/player.js"};
enum { SCRIPTS = sizeof script / sizeof *script };

static const embedded_file *own_file(const char *name)
{
    for (const embedded_file *f = embedded_files; f->name; f++)
        if (!strcmp(f->name, name)) return f;
    return NULL;
}

/* Each text between double quotes in a script that has a translation. One with an escape is a sign of JavaScript's. */
static void put_words_of(json *j, const char *text)
{
    for (const char *p = text, *end; (p = strchr(p, '"')) && (end = strchr(p + 1, '"')); p = end + 1) {
        char english[300], quoted[302];
        const size_t n = (size_t)(end - p) - 1;
        if (n >= sizeof english || memchr(p, '\\', n)) continue;
        memcpy(english, p + 1, n);
        english[n] = 0;
        memcpy(quoted, p, n + 2);
        quoted[n + 2] = 0;
        const char *translated = TR(english);
        if (n && strcmp(translated, english) && strstr(text, quoted) == p) json_text(j, english, translated);
    }
}

static void put_words(json *j)
{
    if (!language_part()) return; /* the script has the English */
    json_object(j, "words");
    for (int i = 0; i < SCRIPTS; i++) {
        const embedded_file *f = own_file(script[i]);
        if (f) put_words_of(j, f->text);
    }
    json_close(j);
}

/* The first place of the block's warps, and -1: not known. */
static int own_place(const frames *f)
{
    const reel_row *r = f->reel->steps ? frame_row(f, 0) : NULL;
    return r && r->place >= r->warp ? (int)(r->place - r->warp) : -1;
}

static bool put_strip(json *j, const frames *f, uint64_t from, uint64_t to)
{
    const reel *l = f->reel;
    strip s;
    char sentence[300], kernel[256];
    if (!strip_make(f, from, to, COLUMNS, &s)) return false;
    strip_sentence(&s, sentence, sizeof sentence);
    const int places = s.places < ROWS_MOST ? s.places : ROWS_MOST, all = s.places;
    strip_free(&s);
    json_object(j, NULL);
    json_keys(j,
              "title %s, device %s, kernel %s, launch %d, multiprocessor %u, multiprocessors %d, "
              "warps %u, own %d, places %d, sentence %s",
              f->title, f->device, kernel_title(l->kernel, kernel, sizeof kernel), frames_launch(f), l->multiprocessor,
              l->multiprocessors, l->warps, own_place(f), all, sentence);
    json_dims(j, "block", l->at);
    json_dims(j, "grid", l->grid);
    json_array(j, "levels");
    bool ok = true;
    for (int k = 0, parts = 1; ok && k < LEVELS; k++, parts *= TIMES) {
        const bool last = to - from <= (uint64_t)(COLUMNS * parts); /* a column per clock */
        const int columns = last ? (int)((to - from) / (uint64_t)parts) : COLUMNS;
        ok = put_level(j, f, from, to, columns, parts, places);
        if (last) break;
    }
    json_close(j);
    json_close(j);
    return ok;
}

static bool put_film(json *j, const film_choice *c, uint32_t *shown)
{
    /* whole parts at every level */
    const uint64_t unit = 1 << 2 * (LEVELS - 1), from = c->clock_from,
                   span = (c->clock_to - from + unit - 1) / unit * unit, to = from + (span ? span : unit);
    bool ok = true;
    json_begin_as(j, j->out, "warpstep/page-1");
    json_keys(j, "version %s, from %llu, to %llu", app_version, (unsigned long long)from, (unsigned long long)to);
    put_words(j);
    json_array(j, "signs");
    for (int k = 0; k < STRIP_STATES; k++) {
        json_array(j, NULL);
        json_text(j, NULL, (char[]){strip_signs[k].sign == ' ' ? '_' : strip_signs[k].sign, 0});
        json_text(j, NULL, TR(strip_signs[k].name));
        json_close(j);
    }
    json_close(j);
    json_array(j, "films");
    for (int i = 0; ok && i < c->films; i++) ok = put_strip(j, c->film[i], from, to);
    json_close(j);
    if (c->frame && ok) {
        json_object(j, "step");
        ok = page_frames(j, c, shown);
        json_close(j);
    } else {
        json_null(j, "step");
    }
    json_end(j);
    return ok;
}

/* ---- the page ---- */

static const char script_begin[] = "(function () {\n\"use strict\";\n", script_end[] = "})();\n";

/* To be freed; NULL: no memory. */
static char *join_script(size_t *bytes)
{
    char *text = NULL;
    FILE *m = open_memstream(&text, bytes);
    if (!m) return NULL;
    fputs(script_begin, m);
    for (int i = 0; i < SCRIPTS; i++) {
        const embedded_file *f = own_file(script[i]);
        if (f) fwrite(f->text, 1, f->bytes, m);
    }
    fputs(script_end, m);
    if (!fclose(m)) return text;
    free(text);
    return NULL;
}

static void put_escaped(FILE *out, const char *text, size_t bytes, char from, const char *to)
{
    for (size_t i = 0; i < bytes; i++)
        if (text[i] == from) fputs(to, out);
        else fputc(text[i], out);
}

/* "'sha256-...'", as a policy names a script or a style. */
static void put_digest(FILE *out, const char *text, size_t bytes)
{
    digest d;
    unsigned char sum[DIGEST_BYTES];
    char name[64];
    digest_begin(&d);
    digest_add(&d, text, bytes);
    digest_end(&d, sum);
    format_base64(sum, sizeof sum, name);
    fprintf(out, "'sha256-%s'", name);
}

static void put_title(FILE *out, const film_choice *c)
{
    for (int i = 0; i < c->films; i++) {
        if (i) fputs(", ", out);
        for (const unsigned char *p = (const unsigned char *)c->film[i]->title; *p; p++)
            if (*p < 0x20 || *p == 0x7f || strchr("<>&\"'", *p)) fputc('?', out);
            else fputc(*p, out);
    }
}

static void put_said(FILE *out, const char *text, size_t bytes)
{
    char english[200];
    snprintf(english, sizeof english, "%.*s", (int)bytes, text);
    fputs(TR(english), out);
}

/* player.html has @@NAME@ where each part goes, and @@say:TEXT@ for a text of its own. */
static void put_page(FILE *out, const film_choice *c, const char *film, size_t bytes, const char *js, size_t js_bytes)
{
    const embedded_file *html = own_file("repl/film/player.html"), *css = own_file("repl/film/player.css");
    for (const char *p = html->text, *mark; p; p = mark ? strchr(mark + 2, '@') + 1 : NULL) {
        mark = strstr(p, "@@");
        fwrite(p, 1, mark ? (size_t)(mark - p) : strlen(p), out);
        if (!mark) break;
        if (!strncmp(mark, "@@title@", 8)) put_title(out, c);
        else if (!strncmp(mark, "@@lang@", 7)) fputs(language_part() ? language_part() : "en", out);
        else if (!strncmp(mark, "@@say:", 6)) put_said(out, mark + 6, strcspn(mark + 6, "@"));
        else if (!strncmp(mark, "@@css@", 6)) fwrite(css->text, 1, css->bytes, out);
        else if (!strncmp(mark, "@@css-digest@", 13)) put_digest(out, css->text, css->bytes);
        else if (!strncmp(mark, "@@js@", 5)) fwrite(js, 1, js_bytes, out);
        else if (!strncmp(mark, "@@js-digest@", 12)) put_digest(out, js, js_bytes);
        else if (!strncmp(mark, "@@film@", 7)) put_escaped(out, film, bytes, '<', "\\u003c");
    }
}

bool page_write(const film_choice *c, FILE *out, uint32_t *shown)
{
    char *film = NULL;
    size_t bytes = 0, js_bytes = 0;
    *shown = 0;
    json j = {.out = open_memstream(&film, &bytes)};
    char *js = j.out ? join_script(&js_bytes) : NULL;
    bool ok = js && put_film(&j, c, shown);
    if (j.out) ok = !fclose(j.out) && ok;
    if (ok) put_page(out, c, film, bytes, js, js_bytes);
    free(js);
    free(film);
    return ok;
}
