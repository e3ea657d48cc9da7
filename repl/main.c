/* main.c: starts the program, decides where commands come from (words on the command line, -c, -x,
 * stdin, a person), and runs them one by one. Everything is created when first needed, so the
 * prompt appears at once. */
#include "shell/document.h"
#include "shell/language.h"
#include "device/devices.h"

#include "commands/commands.h"
#include "session/session.h"
#include "shell/progress.h"
#include "shell/terminal.h"
#include "shell/words.h"
#include "list.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- where the program's files are ---- */
static bool is_root(const char *path)
{
    char test[PATH_MAX];
    struct stat s;
    int n = snprintf(test, sizeof test, "%s/lessons", path);
    return n > 0 && (size_t)n < sizeof test && stat(test, &s) == 0 && S_ISDIR(s.st_mode);
}

/* The folder that holds lessons/ and kernels/: next to the program, or above it (build/release/),
 * or share/warpstep of its prefix. */
static char *find_root(const char *program)
{
    char path[PATH_MAX], share[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n > 0) path[n] = 0;
    else if (!strchr(program, '/') || !realpath(program, path)) snprintf(path, sizeof path, "./warpstep");
    for (int up = 0; up < 4; up++) {
        char *slash = strrchr(path, '/');
        if (!slash) break;
        *slash = 0;
        if (is_root(path)) return strdup(path);
        int size = snprintf(share, sizeof share, "%s/share/warpstep", path);
        if (size > 0 && (size_t)size < sizeof share && is_root(share)) return strdup(share);
    }
    return strdup(".");
}

/* ---- commands from files ---- */
/* A typed or pasted line may hold several lines: run each, and stop at the first that fails. */
static int run_lines(struct app *app, char *text)
{
    int status = 0;
    for (char *line = text; line && !status && !app->quit;) {
        char *end = strchr(line, '\n');
        if (end) *end++ = 0;
        status = app_line(app, line);
        line = end;
    }
    return status;
}

static int run_stdin(struct app *app)
{
    int status = 0;
    app->source = "stdin";
    for (app->source_line = 1; !status && !app->quit; app->source_line++) {
        char *line;
        const char *why;
        switch (terminal_read(app, NULL, &line, &why)) {
        case TERMINAL_END: return status;
        case TERMINAL_INTERRUPT: return EXIT_INTERRUPT;
        case TERMINAL_FAILED: return app_fail(app, EXIT_USAGE, NULL, "%s", why);
        case TERMINAL_LINE: status = app_line(app, line); free(line);
        }
    }
    return status;
}

/* A line of a file, which may be a pipe or a device without an end. NULL: *why says what is wrong with
 * it, or is NULL at the end. */
static char *file_line(FILE *f, char line[TERMINAL_LINE_MAX + 1], const char **why)
{
    size_t n = 0;
    int c = 0;
    *why = NULL;
    while (n < TERMINAL_LINE_MAX && (c = getc(f)) > 0 && c != '\n') line[n++] = (char)c;
    line[n] = 0;
    if (c == 0) *why = "the line holds a NUL byte";
    else if (c != EOF && c != '\n') *why = "the line is longer than 65,536 bytes";
    else if (c == EOF && ferror(f)) *why = strerror(errno);
    return *why || (c == EOF && !n) ? NULL : line;
}

static int run_file(struct app *app, const char *name)
{
    static char line[TERMINAL_LINE_MAX + 1];
    FILE *f = fopen(name, "r");
    if (!f) return app_fail(app, EXIT_USAGE, NULL, "%s cannot be read: %s", name, strerror(errno));
    const char *why = NULL;
    int status = 0;
    app->source = name;
    for (app->source_line = 1; !status && !app->quit; app->source_line++) {
        if (!file_line(f, line, &why)) break;
        status = app_line(app, line);
    }
    if (!status && why) status = app_fail(app, EXIT_USAGE, NULL, "%s", why);
    app->source = NULL;
    fclose(f);
    return status;
}

/* ---- a person ---- */
static const char *where(struct app *app) { return app->lessons ? app->lessons->where(app) : ""; }

static void make_prompt(struct app *app, char *text, size_t size)
{
    const char *step = where(app), *card = app->lessons ? app->lessons->card(app) : NULL;
    char device[200];
    device_prompt(app, card, device, sizeof device);
    snprintf(text, size, "%s%s%s%s> ", step, *step ? " " : "",
             *step || app->devices[0].kind != DEVICE_AUTO ? device : "warpstep",
             app->card_change_count ? " changed" : "");
}

/* The commands that make sense now. */
static void footer(struct app *app, bool started_before)
{
    const char *text = app->lessons ? app->lessons->footer(app) : NULL;
    if (!text)
        text = started_before ? "[next  exercise  lessons  help  quit]"
                              : "[lesson 1 next  exercise 1.0  lessons  help  quit]";
    doc d = doc_open(app);
    doc_part(&d, STYLE_DIM, "%s", text);
    doc_gap(&d);
}

static bool note_place(void *arg, const struct state_event *e)
{
    if (!strcmp(e->verb, "at")) snprintf(arg, 80, "%s", e->step);
    return true;
}

/* Greet, and say where the student stopped last time. False: this is the very first time. */
static bool greet(struct app *app)
{
    char last[80] = "";
    state_each(app, note_place, last);
    doc d = doc_open(app);
    doc_part(&d, STYLE_BOLD, "warpstep");
    doc_line(&d, " %s: CUDA performance, one measured step at a time.", app_version);
    if (*last)
        doc_line(&d, "You stopped at %s%s; `next` goes on from there.", strchr(last, '.') ? "" : TR("lesson "), last);
    return *last != 0;
}

static int converse(struct app *app)
{
    bool started_before = greet(app);
    doc d = doc_open(app);
    if (app->lessons_dirs.count) session_say_own(app);
    bool show_footer = true;
    while (!app->quit) {
        char prompt[320], *line;
        const char *why;
        if (show_footer && !app->typed) footer(app, started_before);
        show_footer = false;
        make_prompt(app, prompt, sizeof prompt);
        enum terminal_got got = TERMINAL_LINE;
        if (app->typed) {
            line = app->typed;
            app->typed = NULL;
        } else {
            got = terminal_read(app, prompt, &line, &why);
        }
        switch (got) {
        case TERMINAL_END:
            doc_gap(&d);
            app->quit = true;
            break;
        case TERMINAL_INTERRUPT:
            if (!app->readline) doc_gap(&d);
            app->repeat[0] = 0;
            break;
        case TERMINAL_FAILED: return app_fail(app, EXIT_INTERNAL, NULL, "the terminal: %s", why);
        case TERMINAL_LINE:
            if (line[strspn(line, " \t")] == 0) {
                if (app->repeat[0]) show_footer = app_line(app, app->repeat) == 0;
            } else {
                show_footer = run_lines(app, line) == 0;
            }
            free(line);
        }
    }
    return EXIT_DONE;
}

/* ---- the command line ---- */
struct batch {
    struct words sources; /* "cCOMMAND" or "xFILE", in order */
    struct words words;
    bool help, version;
};

static int read_arguments(struct app *app, int argc, char **argv, struct batch *b)
{
    for (int i = 1; i < argc; i++) words_add(&b->words, argv[i]);
    int status = app_options(app, &b->words, 0);
    while (!status && b->words.count > 0) {
        const char *word = b->words.v[0];
        if (word[0] != '-' || !word[1]) break;
        bool has_value = !strcmp(word, "-c") || !strcmp(word, "-x");
        if (!strcmp(word, "--")) {
            words_remove(&b->words, 0);
            break;
        }
        if (has_value && b->words.count == 1)
            return app_fail(app, EXIT_USAGE, "warpstep --help", "%s needs a value", word);
        if (!strcmp(word, "--help") || !strcmp(word, "-h")) b->help = true;
        else if (!strcmp(word, "--version")) b->version = true;
        else if (!has_value) return app_fail(app, EXIT_USAGE, "warpstep --help", "there is no option \"%s\"", word);
        if (has_value) {
            char *source = malloc(strlen(b->words.v[1]) + 2);
            if (!source) return app_no_memory(app);
            source[0] = word[1];
            strcpy(source + 1, b->words.v[1]);
            words_add(&b->sources, source);
            free(source);
            words_remove(&b->words, 1);
        }
        words_remove(&b->words, 0);
    }
    if (!status && b->sources.count && b->words.count)
        return app_fail(app, EXIT_USAGE, "warpstep --help", "give -c and -x, or the words of one command, not both");
    return status;
}

static int run_all(struct app *app, struct batch *b)
{
    if (b->help) {
        help_usage(app->out);
        return EXIT_DONE;
    }
    if (b->version) {
        version_print(app);
        return EXIT_DONE;
    }
    app->one_command = b->words.count > 0;
    if (b->words.count) return app_words(app, &b->words);
    if (b->sources.count) {
        int status = 0;
        for (int i = 0; i < b->sources.count && !status && !app->quit; i++) {
            char *source = b->sources.v[i];
            status = source[0] == 'c' ? run_lines(app, source + 1) : run_file(app, source + 1);
        }
        return status;
    }
    app->interactive = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && !app->json;
    return app->interactive ? converse(app) : run_stdin(app);
}

int main(int argc, char **argv)
{
    static struct app app;
    struct batch b;
    memset(&b, 0, sizeof b);
    app.out = stdout;
    app.err = stderr;
    app.limit = 60;
    app.device_count = 1;
    app.devices[0].kind = DEVICE_AUTO;
    app.devices[0].index = -1;
    snprintf(app.devices[0].label, sizeof app.devices[0].label, "auto");
    app.root = find_root(argc > 0 ? argv[0] : "warpstep");
    if (!app.root) {
        fputs("warpstep: " NO_MEMORY "\n", stderr);
        return EXIT_INTERNAL;
    }
    terminal_complete = complete_line;
    terminal_start(&app);
    int status = read_arguments(&app, argc, argv, &b);
    if (!status && (b.words.failed || b.sources.failed)) status = app_no_memory(&app);
    if (!status) status = run_all(&app, &b);
    words_free(&b.words);
    words_free(&b.sources);
    if (app.lessons) app.lessons->close(&app);
    state_end(&app);
    words_free(&app.lessons_dirs);
    free(app.fault_step);
    free(app.root);
    errno = 0;
    if (fflush(app.out) != 0 || ferror(app.out)) { /* some output was lost, for example on a full disk */
        fprintf(app.err, "warpstep: what it prints cannot be written%s%s\n", errno ? ": " : "",
                errno ? strerror(errno) : "");
        if (!status) status = EXIT_INTERNAL;
    }
    if (app_ended) { /* we have cleaned up; now end by that signal, as its sender expects */
        struct sigaction plain = {.sa_handler = SIG_DFL};
        sigemptyset(&plain.sa_mask);
        sigaction(app_ended, &plain, NULL);
        raise(app_ended);
    }
    return status;
}
