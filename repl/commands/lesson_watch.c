/* lesson_watch.c: `watch-lesson`: runs the steps that a saved file concerns. What a step consists of
 * is its own lines, the lines before the first step, its kernel, and the step that it is like; when
 * one of them changes, the step runs again. */
#include "command.h"
#include "session/session.h"
#include "shell/watcher.h"
#include "shell/plain_file.h"
#include <stdlib.h>
#include <string.h>

typedef struct seen {
    char name[LESSON_NAME + 1];
    uint64_t print; /* of all that it consists of */
} seen;

typedef struct watching {
    struct app *app;
    char lesson[16];
    const char *only; /* a step's name; NULL: all */
    seen step[LESSON_STEPS];
    int steps;
    uint64_t text; /* of lesson.txt and the kernels as they were last looked at */
} watching;

static uint64_t mix(uint64_t print, const char *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) print = (print ^ (unsigned char)data[i]) * UINT64_C(0x100000001b3);
    return print * 31 + bytes;
}

/* 0 where there is no such file. */
static uint64_t print_of(const char *path, uint64_t print)
{
    char *text;
    size_t bytes;
    if (file_read(path, 8 << 20, &text, &bytes)) return mix(print, "", 0);
    print = mix(print, text, bytes);
    free(text);
    return print;
}

static uint64_t print_of_kernel(const lesson *l, const lesson_step *s, uint64_t print)
{
    char path[1400], name[160];
    if (!s->kernel_file) return print;
    if (lesson_file(l, s->kernel_file, path, sizeof path)) print = print_of(path, print);
    if (step_ptx_name(s, name, sizeof name) && lesson_file(l, name, path, sizeof path)) print = print_of(path, print);
    return print;
}

/* The lines from `first` to below `last`, counted from 1. */
static uint64_t print_of_lines(const char *text, int first, int last, uint64_t print)
{
    for (int line = 1; *text && line < last; line++) {
        const size_t n = strcspn(text, "\n") + 1;
        const size_t length = text[n - 1] ? n : n - 1;
        if (line >= first) print = mix(print, text, length);
        text += length;
    }
    return print;
}

/* Fills `now` with the steps as they are. False: lesson.txt cannot be read. */
static bool look_at_steps(const lesson *l, seen *now)
{
    char *text;
    size_t bytes;
    if (file_read(l->path, LESSON_BYTES, &text, &bytes)) return false;
    const uint64_t head = print_of_lines(text, 1, l->step->line, 1);
    for (int i = 0; i < l->step_count; i++) {
        const lesson_step *s = &l->step[i];
        const int end = i + 1 < l->step_count ? s[1].line : 1 << 30;
        uint64_t print = print_of_lines(text, s->line, end, s->like >= 0 ? now[s->like].print : head);
        snprintf(now[i].name, sizeof now[i].name, "%s", s->name);
        now[i].print = print_of_kernel(l, s, print);
    }
    free(text);
    return true;
}

static bool is_new(const watching *w, const seen *s)
{
    for (int i = 0; i < w->steps; i++)
        if (!strcmp(w->step[i].name, s->name)) return w->step[i].print != s->print;
    return true;
}

/* Any change of a file of the lesson, also of one that cannot be read as a lesson. */
static uint64_t look_at_files(const lesson *l)
{
    uint64_t print = print_of(l->path, 1);
    for (int i = 0; i < l->step_count; i++) print = print_of_kernel(l, &l->step[i], print);
    return print;
}

static int run_changed(watching *w)
{
    struct app *app = w->app;
    seen now[LESSON_STEPS];
    const lesson *l = app->lesson->l;
    int worst = EXIT_DONE, ran = 0;
    doc d = doc_open(app);
    if (!look_at_steps(l, now)) return EXIT_USAGE;
    const int steps = l->step_count;
    for (int i = 0; i < steps && !app_interrupted; i++) {
        char line[80], name[LESSON_NAME + 1];
        memcpy(name, now[i].name, sizeof name);
        if ((w->only && strcmp(w->only, name)) || !is_new(w, &now[i])) continue;
        if (ran++) doc_gap(&d);
        snprintf(line, sizeof line, "run %s.%s", w->lesson, name);
        const int status = app_line(app, line);
        if (status) worst = status;
    }
    memcpy(w->step, now, sizeof now);
    w->steps = steps;
    if (!app_interrupted)
        doc_say(&d, 0, ran ? "Save a file and its steps run again. Ctrl-C ends this." : "No step has changed.");
    fflush(app->out);
    return worst;
}

/* Reads the lesson anew. A mistake in it is shown, and the last good one stays watched. */
static bool read_again(watching *w)
{
    struct app *app = w->app;
    lesson_entry e = {.number = app->lesson->l->number, .own = app->lesson->l->own};
    lesson *l;
    lesson_error err;
    snprintf(e.folder, sizeof e.folder, "%s", app->lesson->l->folder);
    snprintf(e.path, sizeof e.path, "%s", app->lesson->l->path);
    if (session_read(app, &e, &l, &err)) {
        session_change(app, l);
        return true;
    }
    app_fail(app, EXIT_USAGE, NULL, "%s:%d:%d: %s", err.file, err.line, err.column, err.message);
    if (!app->json) lesson_error_caret(app->err, &err);
    return false;
}

/* The first lesson of --lessons, else the current one. */
static int lesson_to_watch(struct app *app)
{
    int status = session_lessons(app);
    for (int i = 0; !status && i < app->lesson->list.count && app->lessons_dirs.count; i++)
        if (app->lesson->list.entry[i].own) {
            char number[16];
            snprintf(number, sizeof number, "%d", app->lesson->list.entry[i].number);
            return session_lesson(app, number);
        }
    return status ? status : session_here(app);
}

int lesson_watch_run(struct app *app, int argc, char **argv)
{
    watching *w = calloc(1, sizeof *w);
    char name[80], only[LESSON_NAME + 1] = "";
    if (!w) return app_no_memory(app);
    snprintf(name, sizeof name, "%.79s", argc > 1 ? argv[1] : "");
    char *dot = strchr(name, '.');
    if (dot) *dot = 0;
    int status = argc > 2   ? app_fail(app, EXIT_USAGE, "help watch-lesson", "watch-lesson takes one lesson or step")
                 : argc > 1 ? session_lesson(app, name)
                            : lesson_to_watch(app);
    const lesson_step *s = NULL;
    if (!status && dot) status = session_step(app, argv[1], &s);
    if (!status) {
        w->app = app;
        if (s) snprintf(only, sizeof only, "%s", s->name);
        w->only = s ? only : NULL;
        snprintf(w->lesson, sizeof w->lesson, "%d", app->lesson->l->number);
        watcher watch;
        watcher_open(&watch, app->lesson->l->path);
        status = run_changed(w);
        w->text = look_at_files(app->lesson->l);
        while (!app_interrupted) {
            watcher_wait(&watch);
            const uint64_t now = app_interrupted ? w->text : look_at_files(app->lesson->l);
            if (now == w->text) continue;
            w->text = now;
            status = read_again(w) ? run_changed(w) : EXIT_USAGE;
            w->text = look_at_files(app->lesson->l);
            fflush(app->out);
        }
        watcher_close(&watch);
    }
    free(w);
    return app_interrupted ? EXIT_INTERRUPT : status;
}
