/* pager.c: see pager.h. A step's table and its text are longer than a terminal of 24 lines, and the
 * important part comes first. So at a terminal the answer of a command is kept until it is
 * complete, then shown a screen at a time. Enter continues, q ends the answer, and a command typed
 * there runs instead. Commands that ask questions or report progress are not paged. */
#include "pager.h"
#include "language.h"
#include "terminal.h"
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const paged[] = {"next",  "goto",     "back",    "run",    "lesson",   "lessons", "ladder",
                                    "sweep", "explain",  "show",    "help",   "exercise", "hint",    "diff",
                                    "notes", "progress", "devices", "device", NULL};

bool pages_wanted(const struct app *app, const char *command)
{
    const char *term = getenv("TERM");
    if (!app->interactive || app->json || app->no_pages || app->out != stdout || (term && !strcmp(term, "dumb")))
        return false;
    for (int i = 0; paged[i]; i++)
        if (!strcmp(paged[i], command)) return true;
    return false;
}

int pages_lines(const struct app *app) { return app->height > 10 ? app->height - 2 : 8; }

const char *pages_end(const char *text, int lines)
{
    const char *end = text, *gap = NULL;
    bool framed = false; /* between the two rules around a `why` */
    for (int n = 0; *end && n < lines; n++) {
        const char *rule = strstr(end, "===="), *newline = strchr(end, '\n');
        end = newline ? newline + 1 : end + strlen(end);
        framed ^= rule && rule < end;
        if (n > lines / 2 && *end == '\n' && !framed) gap = end + 1;
    }
    return *end && gap ? gap : end;
}

/* Is a line there that was typed before we asked? The terminal has shown it, and its newline, then. */
static bool typed_ahead(void) { return poll(&(struct pollfd){.fd = STDIN_FILENO, .events = POLLIN}, 1, 0) > 0; }

/* False: the person wants no more. This uses our own reader, as what is typed here does not belong
 * in the history. */
static bool goes_on(struct app *app)
{
    char *line, prompt[120];
    const char *why;
    const bool ahead = typed_ahead();
    snprintf(prompt, sizeof prompt, "%s ", TR("Enter shows more, q ends this answer:"));
    if (plain_read(app, prompt, &line, &why) != TERMINAL_LINE) {
        fputc('\n', app->out);
        return false;
    }
    const char *word = line + strspn(line, " \t");
    if (!*word) {
        free(line);
        if (app->color) fputs(ahead ? "\r\033[K" : "\033[A\033[K", app->out); /* removes the answered question */
        else if (ahead) fputc('\n', app->out);
        return true;
    }
    if (ahead) fputc('\n', app->out);
    if (!strcmp(word, "q") || !strcmp(word, "Q")) free(line);
    else app->typed = line;
    return false;
}

int pages_ask(struct app *app, int (*ask)(struct app *app, void *arg), void *arg)
{
    FILE *out = app->out, *err = app->err;
    app->out = stdout; /* answers are kept only where that is the terminal */
    app->err = stderr;
    const int status = ask(app, arg);
    fflush(stdout);
    app->out = out;
    app->err = err;
    return status;
}

int pages_run(struct app *app, int (*run)(struct app *app, int argc, char **argv), int argc, char **argv)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = app->out, *err = app->err, *kept = open_memstream(&text, &bytes);
    if (kept) {
        app->out = kept;
        app->err = isatty(STDERR_FILENO) ? kept : err;
    }
    int status = run(app, argc, argv);
    app->out = out;
    app->err = err;
    if (!kept || fclose(kept)) return status;
    int lines = pages_lines(app);
    for (const char *p = text, *end; *p; p = end) {
        end = pages_end(p, lines);
        fwrite(p, 1, (size_t)(end - p), out);
        if (*end && !goes_on(app)) break;
    }
    free(text);
    return status;
}
