/* demo.c: `demo N`: a lesson that runs by itself, for a projector. It is a list of scenes: the lesson,
 * for each step its question as `predict` asks it, the step as `goto` shows it and the moments that
 * the lesson names, and the ladder. Between scenes it waits: for Enter, for a number of seconds
 * (--pace 8), or for the time that reading takes (--pace). b goes back a scene, space stops the pace.
 * Text longer than the terminal is shown a screen at a time, so that nothing scrolls away unread.
 * The journal records nothing of it: a demonstration is nobody's progress. */
#include "session/session.h"
#include "film_line.h"
#include "command.h"
#include "shell/pager.h"
#include "shell/terminal.h"
#include "view/view.h"
#include "shell/words.h"
#include "shell/language.h"
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { SLOW_READER = 3 /* words per second */, LEAST_SECONDS = 4, MOST_SECONDS = 90, LOOK_SECONDS = 12 };

enum scene_kind { SCENE_LESSON, SCENE_QUESTION, SCENE_STEP, SCENE_LOOK, SCENE_LADDER };
typedef struct scene {
    enum scene_kind kind;
    const lesson_step *s;
    int look; /* from 1 */
} scene;

typedef struct walk {
    struct app *app;
    bool paced;
    double seconds; /* per screen; below 0: by the number of words */
    int words;      /* on the current screen */
    scene *scene;
    int scenes, at;
    int by; /* where the person wants to go: 1 on, -1 back a scene, 0 the demonstration ends */
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

/* A key within that time, without Enter; 0: none, or there is no keyboard. */
static int key_within(double seconds)
{
    struct termios before, raw;
    const bool keys = isatty(STDIN_FILENO) && !tcgetattr(STDIN_FILENO, &before);
    unsigned char key = 0;
    if (keys) {
        raw = before;
        raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO); /* Ctrl-C stays a signal */
        tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    }
    for (; seconds > 0 && !key && !app_interrupted;
         seconds -= 0.1) { /* in short waits, so that Ctrl-C ends it at once */
        struct pollfd in = {.fd = keys ? STDIN_FILENO : -1, .events = POLLIN};
        if (poll(&in, 1, 100) > 0 && read(STDIN_FILENO, &key, 1) != 1) break;
    }
    if (keys) tcsetattr(STDIN_FILENO, TCSANOW, &before);
    return key;
}

/* Wait for the pace. True: a key stopped it, and a person goes on with Enter. */
static bool wait_paced(walk *w)
{
    struct app *app = w->app;
    const double seconds =
        w->seconds >= 0 ? w->seconds : fmin(fmax(w->words / (double)SLOW_READER, LEAST_SECONDS), MOST_SECONDS);
    char line[80];
    snprintf(line, sizeof line, TR("%d/%d  space stops, b goes back, q ends"), w->at + 1, w->scenes);
    const bool shown = app->out_tty && seconds > 0;
    const int columns = shown ? terminal_note(app, line) : 0;
    if (!shown) fflush(app->out);
    const int key = key_within(seconds);
    if (shown) terminal_erase(app, columns);
    w->by = app_interrupted || key == 'q' || key == 'Q' ? 0 : key == 'b' || key == 'B' ? -1 : 1;
    return key == ' ';
}

/* Wait before the next screen. */
static void wait_here(walk *w)
{
    struct app *app = w->app;
    char *line, question[80];
    const char *why;
    if (w->by != 1) return;
    fflush(app->out);
    if (w->paced && !wait_paced(w)) return;
    if (!app->interactive && !w->paced) return;
    snprintf(question, sizeof question, TR("%d/%d  Enter goes on, b goes back, q ends: "), w->at + 1, w->scenes);
    if (terminal_read(app, question, &line, &why) != TERMINAL_LINE) {
        w->by = 0;
        return;
    }
    w->by = line[0] == 'q' || line[0] == 'Q' ? 0 : line[0] == 'b' || line[0] == 'B' ? -1 : 1;
    free(line);
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
    for (const char *p = text, *end; *p && w->by == 1; p = end) {
        end = pages_end(p, lines);
        w->words = words_of(p, end);
        fwrite(p, 1, (size_t)(end - p), out);
        if (*end) wait_here(w);
    }
    free(text);
    return status;
}

static void add(walk *w, enum scene_kind kind, const lesson_step *s, int look)
{
    if (w->scene) w->scene[w->scenes] = (scene){kind, s, look};
    w->scenes++;
}

/* Counts the scenes, and lists them where there is room. */
static void list_scenes(walk *w)
{
    const lesson *l = w->app->lesson->l;
    w->scenes = 0;
    add(w, SCENE_LESSON, NULL, 0);
    for (const lesson_step *s = l->step; s < l->step + l->step_count; s++) {
        char why[200];
        if (session_passes_over(w->app, s, why, sizeof why)) {
            if (!w->scene) app_warn(w->app, "%s is passed over: %s", session_step_name(w->app, s), why);
            continue;
        }
        if (s->predict_count) add(w, SCENE_QUESTION, s, 0);
        add(w, SCENE_STEP, s, 0);
        for (int i = 0; i < s->look_count; i++) add(w, SCENE_LOOK, s, i + 1);
    }
    if (l->ladder_count) add(w, SCENE_LADDER, NULL, 0);
}

/* The class answers, nobody at the keyboard. */
static int ask_class(walk *w, const char *name)
{
    struct app *app = w->app;
    const bool interactive = app->interactive;
    app->interactive = false;
    app->class_question = true;
    const int status = one(w, "predict", name);
    app->class_question = false;
    app->interactive = interactive;
    return status;
}

/* Shows a moment. *waited: that has waited for the person too. */
static int show_look(walk *w, const scene *c, bool *waited)
{
    film_scene to = {.step = session_step_name(w->app, c->s), .look = c->look, .number = w->at + 1, .of = w->scenes};
    to.seconds = !w->paced ? 0 : w->seconds < 0 ? LOOK_SECONDS : fmax(w->seconds, 0.1);
    to.screen = w->paced || w->app->interactive;
    int status = film_play(w->app, &to);
    *waited = to.shown;
    if (to.shown) w->by = to.by;
    return status == EXIT_CHECK ? 0 : status; /* another card has no such moment: that was said */
}

static int show_scene(walk *w, bool *waited)
{
    const scene *c = &w->scene[w->at];
    struct app *app = w->app;
    char name[64];
    int status;
    *waited = false;
    if (c->s) snprintf(name, sizeof name, "%s", session_step_name(app, c->s));
    else snprintf(name, sizeof name, "%d", app->lesson->l->number);
    doc d = doc_open(app);
    if (w->at) doc_gap(&d);
    switch (c->kind) {
    case SCENE_LESSON: return one(w, "lesson", name);
    case SCENE_QUESTION: return ask_class(w, name);
    case SCENE_LOOK: return show_look(w, c, waited);
    case SCENE_LADDER: return one(w, "ladder", name);
    case SCENE_STEP: break;
    }
    status = one(w, "goto", name);
    return status == EXIT_CHECK ? 0 : status; /* the failure was shown; the demo continues */
}

static int walk_lesson(walk *w)
{
    struct app *app = w->app;
    int status = 0;
    list_scenes(w);
    if (!(w->scene = calloc((size_t)w->scenes, sizeof *w->scene)))
        return app_no_memory(app);
    list_scenes(w);
    while (w->at < w->scenes && !status) {
        bool waited;
        w->by = 1;
        status = show_scene(w, &waited);
        if (!status && !waited && w->by == 1 && w->at + 1 < w->scenes) wait_here(w);
        if (!w->by) break;
        w->at += w->at ? w->by : 1;
    }
    free(w->scene);
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
    {"demo", 0, "Lessons", "[N] [--pace [SECONDS]]", "a lesson that runs by itself, for a class",
     "Shows a lesson from its first step to the ladder, the questions before their\n"
     "answers, and the moments worth seeing. Enter goes on, b goes back; with --pace it\n"
     "goes on by itself, after so many seconds or after the time that reading takes,\n"
     "and space stops it. Ctrl-C ends it. Your own progress is left alone. --class (or\n"
     "`set class on`) frames the sentence that says why and hides the solutions of\n"
     "exercises.\n"
     "\n"
     "Example:  demo 1 --pace 20 --class\n",
     demo_run, complete_demo},
    {0},
};
