/* terminal.c: what kind of terminal this is, and which reader serves it. */
#include "terminal.h"
#include "format.h"
#include "language.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

volatile sig_atomic_t terminal_resized;
terminal_complete_fn *terminal_complete;

static void on_interrupt(int signal)
{
    (void)signal;
    app_interrupted = 1;
}
/* A request to end acts like Ctrl-C; then the program ends. */
static void on_end(int signal)
{
    app_ended = signal;
    app_interrupted = 1;
}
static void on_resize(int signal)
{
    (void)signal;
    terminal_resized = 1;
}

static bool dumb(void)
{
    const char *term = getenv("TERM");
    return !term || !*term || !strcmp(term, "dumb");
}

static bool color_on(int fd, enum color_when when)
{
    if (when != COLOR_AUTO) return when == COLOR_ALWAYS;
    const char *no = getenv("NO_COLOR"), *force = getenv("CLICOLOR_FORCE");
    if (no && *no) return false;
    if (force && *force && strcmp(force, "0")) return true;
    return isatty(fd) && !dumb();
}

void terminal_color(struct app *app)
{
    app->color = !app->json && color_on(STDOUT_FILENO, app->color_when);
    app->err_color = color_on(STDERR_FILENO, app->color_when);
}

static int from_environment(const char *name, int otherwise)
{
    const char *text = getenv(name);
    char *end;
    long value = text ? strtol(text, &end, 10) : 0;
    return value > 0 && value < 10000 ? (int)value : otherwise;
}

void terminal_measure(struct app *app)
{
    struct winsize size;
    terminal_resized = 0;
    app->width = 80;
    app->height = 24;
    if (ioctl(fileno(app->out), TIOCGWINSZ, &size) == 0) {
        if (size.ws_col > 0) app->width = size.ws_col;
        if (size.ws_row > 0) app->height = size.ws_row;
    } else {
        app->width = from_environment("COLUMNS", 80);
    }
}

void terminal_start(struct app *app)
{
    app->utf8 = setlocale(LC_CTYPE, "") && !strcmp(nl_langinfo(CODESET), "UTF-8");
    app->out_tty = isatty(fileno(app->out));
    terminal_color(app);
    language_take(app);
    terminal_measure(app);
    struct sigaction a;
    memset(&a, 0, sizeof a);
    sigemptyset(&a.sa_mask);
    a.sa_handler = on_interrupt; /* no SA_RESTART: a waiting call must return */
    sigaction(SIGINT, &a, NULL);
    static const int ends[] = {SIGTERM, SIGHUP};
    a.sa_handler = on_end;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct sigaction before;
        sigaction(ends[i], NULL, &before);
        if (before.sa_handler != SIG_IGN) sigaction(ends[i], &a, NULL); /* nohup stays nohup */
    }
    a.sa_handler = SIG_IGN; /* then a write beyond `ulimit -f` fails, and what could not be written is said */
    sigaction(SIGXFSZ, &a, NULL);
    a.sa_handler = on_resize;
    a.sa_flags = SA_RESTART; /* the readers wait in pselect, which returns even so */
    sigaction(SIGWINCH, &a, NULL);
}

static bool use_readline(const struct app *app) { return app->interactive && readline_version() && !dumb(); }

enum terminal_got terminal_read(struct app *app, const char *prompt, char **line, const char **why)
{
    *line = NULL;
    *why = NULL;
    if (app_ended) return TERMINAL_END;
    if (app->interactive) {
        if (app_interrupted) clearerr(app->out); /* a write may have been cut short */
        app_interrupted = 0;
    }
    if (terminal_resized) terminal_measure(app);
    fflush(app->out);
    app->readline = prompt && use_readline(app);
    enum terminal_got got = app->readline ? readline_read(app, prompt, line) : plain_read(app, prompt, line, why);
    if (terminal_resized) terminal_measure(app);
    return app_ended ? TERMINAL_END : got;
}

void terminal_clear(struct app *app) { fputs("\033[H\033[2J", app->out); }

int terminal_note(struct app *app, const char *text)
{
    fprintf(app->out, "%s%s%s", app_style(app, STYLE_DIM), text, app_style(app, STYLE_PLAIN));
    fflush(app->out);
    return utf8_width(text);
}

void terminal_erase(struct app *app, int columns) { fprintf(app->out, "\r%*s\r", columns, ""); }
