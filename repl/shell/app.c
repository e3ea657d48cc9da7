/* app.c: how every command prints, reports failures and suggests the word that was meant. */
#include "app.h"

#include "format.h"
#include "json.h"
#include "language.h"
#include "words.h"
#include "list.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

volatile sig_atomic_t app_interrupted, app_ended;
int app_lost;

/* ---- saying things ---- */
/* "warpstep: FILE:LINE: ", then a message. It is wrapped when a person reads it. */
static void say_message(const struct app *app, const char *kind, const char *message)
{
    char start[300];
    int at = snprintf(start, sizeof start, "warpstep: ");
    if (app->source)
        at += snprintf(start + at, sizeof start - (size_t)at, "%.200s:%d: ", app->source, app->source_line);
    fprintf(app->err, "%s%s", start, kind);
    if (app->interactive) {
        char *clean = NULL;
        size_t bytes;
        FILE *kept = open_memstream(&clean, &bytes);
        if (kept) print_safe(kept, message, strlen(message));
        if (kept && fclose(kept) == 0) {
            print_wrapped(app->err, clean, at + utf8_width(kind), 4, app->width < 40 ? 40 : app->width);
            free(clean);
            return;
        }
    }
    print_safe(app->err, message, strlen(message));
    fputc('\n', app->err);
}

int app_fail(struct app *app, int status, const char *next, const char *fmt, ...)
{
    char message[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(message, sizeof message, TR(fmt), ap);
    va_end(ap);
    char other[1024];
    if (!strcmp(fmt, "%s")) { /* a sentence made elsewhere */
        language_said(TR(message), other, sizeof other);
        memcpy(message, other, sizeof message);
    }
    fflush(app->out);
    if (status == EXIT_INTERNAL) app->failed = true;
    if (app->json) {
        json j;
        json_begin(&j, app->out, "error");
        json_int(&j, "status", status);
        json_text(&j, "message", message);
        if (app->source) {
            json_text(&j, "source", app->source);
            json_int(&j, "line", app->source_line);
        }
        if (next) json_text(&j, "next", next);
        json_end(&j);
    }
    say_message(app, "", message);
    if (next) {
        language_said(next, other, sizeof other);
        fprintf(app->err, "    %s ", TR("try:"));
        print_safe(app->err, other, strlen(other));
        fputc('\n', app->err);
    }
    return status;
}

int app_no_memory(struct app *app) { return app_fail(app, EXIT_INTERNAL, NULL, NO_MEMORY); }

void app_warn(struct app *app, const char *fmt, ...)
{
    char message[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(message, sizeof message, TR(fmt), ap);
    va_end(ap);
    fflush(app->out);
    char kind[40];
    snprintf(kind, sizeof kind, "%s ", TR("warning:"));
    say_message(app, kind, message);
}

const char *app_style(const struct app *app, enum app_style style)
{
    /* Of the 16 colours, only those that are legible on dark and on light backgrounds: no yellow,
     * no white, no bright ones. */
    static const char *const code[STYLES] = {
        [STYLE_PLAIN] = "\033[0m", [STYLE_BOLD] = "\033[1m",  [STYLE_DIM] = "\033[2m",  [STYLE_GOOD] = "\033[32m",
        [STYLE_BAD] = "\033[31m",  [STYLE_NOTE] = "\033[35m", [STYLE_HEAD] = "\033[1m",
    };
    return app->color && (unsigned)style < STYLES ? code[style] : "";
}

/* Edit distance between two words, counted up to `most`. An edit adds, drops or replaces a letter,
 * or swaps two neighbours. */
static int edits(const char *a, const char *b, int most)
{
    enum { LONGEST = 32 };
    size_t m = strlen(a), n = strlen(b);
    if (m > LONGEST || n > LONGEST) return most + 1;
    int row[3][LONGEST + 1];
    for (size_t j = 0; j <= n; j++) row[0][j] = (int)j;
    for (size_t i = 1; i <= m; i++) {
        int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= n; j++) {
            int d = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < d) d = last[j] + 1;
            if (now[j - 1] + 1 < d) d = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < d)
                d = before[j - 2] + 1;
            now[j] = d;
        }
    }
    return row[m % 3][n];
}

const char *app_nearest(const char *typed, const struct words *candidates)
{
    size_t n = strlen(typed);
    int best = n <= 2 ? 1 : n <= 5 ? 2 : 3;
    const char *nearest = NULL;
    for (int i = 0; i < candidates->count; i++) {
        int d = edits(typed, candidates->v[i], best);
        if (d < best || (d == best && !nearest)) {
            best = d;
            nearest = candidates->v[i];
        }
    }
    return nearest;
}

const char *app_lessons_dir(const struct app *app, char *out, size_t size)
{
    snprintf(out, size, "%s%s",
             app->lessons_only ? app->lessons_dirs.v[0]
             : app->root       ? app->root
                               : ".",
             app->lessons_only ? "" : "/lessons");
    return out;
}
