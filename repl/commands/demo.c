/* demo.c: `demo N`: a lesson that runs by itself, for a projector. Each step is shown as `goto`
 * shows it, after its question, as `predict` asks it. Between screens it waits: for Enter, for a
 * number of seconds (--pace 8), or for the time that reading takes (--pace). Text longer than the
 * terminal is shown a screen at a time, so that nothing scrolls away unread. The journal records
 * nothing of it: a demonstration is nobody's progress. */
#include "session/session.h"
#include "command.h"
#include "shell/pager.h"
#include "shell/terminal.h"
#include "view/view.h"
#include "shell/words.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SLOW_READER = 3 /* words per second */, LEAST_SECONDS = 4, MOST_SECONDS = 90 };

typedef struct walk {
    struct app *app;
    bool paced;
    double seconds; /* per screen; below 0: by the number of words */
    int words;      /* on the current screen */
    bool stop;
} walk;

static int words_of(const char *text, const char *end)
{
    int n = 0;
    for (bool in = false; text < end; text++) {
        bool blank = *text == ' ' || *text == '\n';
        n += !blank && !in;
        in = !blank;
    }
    return n;
}

/* Wait before the next screen. */
static void wait_here(walk *w)
{
    struct app *app = w->app;
    if (w->stop) return;
    fflush(app->out);
    if (!w->paced) {
        char *line;
        const char *why;
        if (!app->interactive) return;
        if (terminal_read(app, "Enter goes on, q ends: ", &line, &why) != TERMINAL_LINE) {
            w->stop = true;
            return;
        }
        w->stop = line[0] == 'q' || line[0] == 'Q';
        free(line);
        return;
    }
    double seconds =
        w->seconds >= 0 ? w->seconds : fmin(fmax(w->words / (double)SLOW_READER, LEAST_SECONDS), MOST_SECONDS);
    for (; seconds > 0 && !app_interrupted; seconds -= 0.1) { /* in short sleeps, so that Ctrl-C ends it at once */
        struct timespec t = {0, 100000000};
        nanosleep(&t, NULL);
    }
    w->stop = app_interrupted != 0;
}

/* Run a command and show its output, a screen at a time when there is somebody to wait for. */
static int one(walk *w, const char *command, const char *step)
{
    struct app *app = w->app;
    char line[128], *text = NULL;
    size_t bytes = 0;
    FILE *out = app->out, *kept = w->paced || app->interactive ? open_memstream(&text, &bytes) : NULL;
    snprintf(line, sizeof line, "%s %s", command, step);
    app->out = kept ? kept : out;
    int status = app_line(app, line);
    app->out = out;
    if (!kept || fclose(kept)) return status;
    int lines = pages_lines(app);
    for (const char *p = text, *end; *p && !w->stop; p = end) {
        end = pages_end(p, lines);
        w->words = words_of(p, end);
        fwrite(p, 1, (size_t)(end - p), out);
        if (*end) wait_here(w);
    }
    free(text);
    return status;
}

static int walk_lesson(walk *w)
{
    struct app *app = w->app;
    const lesson *l = app->lesson->l;
    char name[64];
    int status = 0, steps = l->step_count;
    snprintf(name, sizeof name, "%d", l->number);
    status = one(w, "lesson", name);
    for (int i = 0; i < steps && !status; i++) {
        wait_here(w);
        if (w->stop) break;
        snprintf(name, sizeof name, "%s", session_step_name(app, &l->step[i]));
        fputc('\n', app->out);
        if (l->step[i].predict_count) {
            bool interactive = app->interactive;
            app->interactive = false; /* the question is for the class */
            app->class_question = true;
            status = one(w, "predict", name);
            app->class_question = false;
            app->interactive = interactive;
            wait_here(w);
            if (status || w->stop) break;
            fputc('\n', app->out);
        }
        status = one(w, "goto", name);
        if (status == EXIT_CHECK) status = 0; /* the failure was shown; the demo continues */
    }
    if (!status && !w->stop) {
        wait_here(w);
        if (!w->stop && l->ladder_count) {
            fputc('\n', app->out);
            snprintf(name, sizeof name, "%d", l->number);
            status = one(w, "ladder", name);
        }
    }
    return app_interrupted ? EXIT_INTERRUPT : status;
}

static int demo_run(struct app *app, int argc, char **argv)
{
    walk w = {.app = app, .seconds = -1};
    const char *name = NULL;
    for (int i = 1; i < argc; i++) {
        char *end;
        if (!strcmp(argv[i], "--pace")) {
            w.paced = true;
            double seconds = i + 1 < argc ? strtod(argv[i + 1], &end) : -1;
            if (i + 1 < argc && *argv[i + 1] && !*end && (name || i + 2 < argc || seconds != floor(seconds))) {
                if (!(seconds >= 0 && seconds <= 3600))
                    return app_fail(app, EXIT_USAGE, "help demo", "--pace takes seconds, up to 3600");
                w.seconds = seconds;
                i++;
            }
        } else if (!name) {
            name = argv[i];
        } else {
            return app_fail(app, EXIT_USAGE, "help demo", "demo takes one lesson, not \"%s\" too", argv[i]);
        }
    }
    int status = name ? session_lesson(app, name) : session_here(app);
    if (status) return status;
    bool kept = app->no_record;
    const lesson_step *before = app->lesson->s;
    app->no_record = true;
    status = walk_lesson(&w);
    app->no_record = kept;
    app->lesson->s = before;
    return status;
}

static void complete_demo(struct app *app, int argc, char **argv, struct words *out)
{
    (void)argv;
    if (argc == 1 && !session_lessons(app))
        for (int i = 0; i < app->lesson->list.count; i++) {
            char number[16];
            snprintf(number, sizeof number, "%d", app->lesson->list.entry[i].number);
            words_add(out, number);
        }
    if (argc >= 2) words_add(out, "--pace");
}

const struct command demo_commands[] = {
    {"demo", 0, "Lessons", "[N] [--pace [SECONDS]]", "a lesson walks by itself, for a class",
     "Shows a lesson from its first step to the ladder, and the questions before their\n"
     "answers. Enter goes on; with --pace it goes on by itself, after so many seconds or\n"
     "after the time that reading takes. Ctrl-C ends it. Your own progress is left\n"
     "alone. --class (or `set class on`) frames the sentence that says why and hides the\n"
     "solutions of exercises.\n"
     "\n"
     "Example:  demo 1 --pace 20 --class\n",
     demo_run, complete_demo},
    {0},
};
