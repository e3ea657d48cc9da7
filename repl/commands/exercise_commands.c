/* exercise_commands.c: the student's commands for exercises: exercise, edit, hint, explain, solution,
 * diff, reset, skip; check and watch are in exercise_check.c. A passed exercise names the next one,
 * but the student moves on. The table is at the end. */
#include "session/exercise_files.h"
#include "device/devices.h"
#include "judge/judge.h"
#include "commands.h"
#include "exercise_check.h"
#include "film_line.h"
#include "shell/format.h"
#include "shell/language.h"
#include "shell/document.h"
#include "session/session.h"
#include "shell/progress.h"
#include "shell/terminal.h"
#include "view/view.h"
#include "shell/watcher.h"
#include "shell/words.h"
#include "shell/plain_file.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- showing ---- */

static const char *standing(const exercise_record *r)
{
    return r->passed ? "passed" : r->skipped && !r->checks ? "skipped" : r->checks ? "tried" : "-";
}

static int list_exercises(struct app *app)
{
    int status = exercise_lesson(app);
    if (status) return status;
    const lesson *l = app->lesson->l;
    exercise_list list;
    exercise_find(&list, l);
    if (!list.count) return app_fail(app, EXIT_USAGE, "lessons", "lesson %d has no exercises", l->number);
    doc d = doc_open(app);
    doc_head(&d, "", "Exercises of lesson %d: %s", l->number, l->title);
    doc_table(&d, "llll");
    for (int i = 0; i < list.count; i++) {
        exercise *x;
        lesson_error err;
        exercise_record r;
        char id[32];
        if (exercise_read(&x, l, &list.entry[i], &err)) {
            app_warn(app, "%s:%d: %s", err.file, err.line, err.message);
            continue;
        }
        exercise_recall(app, exercise_id(x, id, sizeof id), &r);
        doc_data(&d, "exercise", "lesson %d, exercise %s, name %s, title %s, kind %s, state %s, checks %d", l->number,
                 id, exercise_name(x), x->l->title, x->kind->name, standing(&r), r.checks);
        doc_row(&d, id, x->l->title, TR(x->kind->about), TR(standing(&r)));
        exercise_free(x);
    }
    doc_table_end(&d, 2);
    return EXIT_DONE;
}

/* ---- exercise ---- */

int exercise_put(struct app *app, const exercise *x, char **path, bool *made)
{
    *path = exercise_path(app, x);
    if (!*path) return app_fail(app, EXIT_INTERNAL, "doctor", "there is no place for a file of yours");
    int status = exercise_place(app, x, *path, made);
    if (status) {
        free(*path);
        *path = NULL;
    }
    return status;
}

/* How busy the card was while the exercise's own kernel ran: what a question of kind timeline is about. */
static int put_timeline(doc *d, const exercise *x, json *j, char *busy, size_t size)
{
    judge_verdict v;
    const judge_request q = {.x = x, .seed = 1};
    judge_film *run = judge_film_open(d->app, &q, 0, &v);
    if (!run) return app_fail(d->app, EXIT_INTERNAL, "doctor", "%s", v.message);
    step_result r;
    int status = step_run(judge_film_request(run), &r);
    if (status) app_fail(d->app, status, "doctor", "its kernel cannot be run: %s", r.problem);
    else {
        json_array(j, "issuing");
        for (int i = 0; i < SIM_OVER_TIME; i++) json_uint(j, NULL, r.usage.over_time[i]);
        json_close(j);
        view_over_time(d->app, &r, busy, size);
    }
    step_result_free(&r);
    judge_film_free(run);
    judge_free(&v);
    return status;
}

/* The exercises of the lesson at hand, or of another, which is then at hand. */
static int exercises_run(struct app *app, int argc, char **argv)
{
    if (argc > 2) return app_fail(app, EXIT_USAGE, "help exercises", "exercises takes one lesson");
    const int status = argc > 1 ? session_lesson(app, argv[1]) : 0;
    return status ? status : list_exercises(app);
}

static int exercise_run(struct app *app, int argc, char **argv)
{
    const exercise *x;
    char *path, shown[1200], label[64];
    bool made;
    if (argc > 2) return app_fail(app, EXIT_USAGE, "help exercise", "exercise takes one exercise");
    if (argc == 1 && (!exercise_at_hand(app) || !app->interactive)) return list_exercises(app);
    int status = exercise_session(app, argc > 1 ? argv[1] : NULL, &x);
    if (!status) status = exercise_put(app, x, &path, &made);
    if (status) return status;
    exercise_enter(app, x);
    film_offer_none(app);
    doc d = doc_open(app);
    char id[32];
    json *j = doc_begin(&d, "exercise", "lesson %d, exercise %s, title %s, kind %s, task %s, file %s, new %i",
                        x->lesson_number, exercise_id(x, id, sizeof id), x->l->title, x->kind->name,
                        x->task.text, path, made);
    char busy[VIEW_OVER_TIME] = "";
    if (x->kind->over_time) status = put_timeline(&d, x, j, busy, sizeof busy);
    json_end(j);
    snprintf(label, sizeof label, "sim:%s", x->card);
    exercise_heading(&d, x, label);
    doc_dim(&d, "%s", x->kind->about);
    doc_gap(&d);
    doc_paragraphs(&d, 2, x->task.text);
    if (x->kind->form->text) {
        char kernel[1300], *text;
        size_t bytes;
        snprintf(kernel, sizeof kernel, "%s/kernel.cu", x->dir);
        if (!file_read(kernel, JUDGE_SOURCE_MAX, &text, &bytes)) {
            doc_gap(&d);
            doc_code(&d, "", "", text);
            free(text);
        }
    }
    if (*busy) {
        doc_gap(&d);
        doc_line(&d, "  issuing, start to end: |%s|", busy);
    }
    doc_gap(&d);
    doc_say(&d, 2, made ? "Your file: %s" : "Your file, as you left it: %s", exercise_shown(path, shown, sizeof shown));
    if (x->kind->form->number) doc_line(&d, "  Or say it here: check NUMBER");
    free(path);
    return status;
}

void exercise_say_next(doc *d, const exercise *x, bool passed)
{
    int next = exercise_next(d->app, x);
    char offer[100] = "";
    if (passed && !d->app->interactive) /* else the footer lists them */
        snprintf(offer, sizeof offer, "%sexplain  solution  diff%s  ", app_style(d->app, STYLE_DIM),
                 app_style(d->app, STYLE_PLAIN));
    if (next) doc_line(d, "  %snext: exercise %d.%d", offer, x->lesson_number, next);
    else doc_line(d, "  %sthat was the last exercise of lesson %d", offer, x->lesson_number);
}

/* ---- edit ---- */

/* An editor for a user who has set none. NULL: none is in PATH, or there is no terminal. */
static const char *editor_here(void)
{
    static const char *const editors[] = {"nano", "vi"};
    const char *folders = getenv("PATH");
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) return NULL;
    for (size_t e = 0; folders && e < sizeof editors / sizeof *editors; e++)
        for (const char *p = folders; *p; p += strcspn(p, ":"), p += *p == ':') {
            char path[1200];
            snprintf(path, sizeof path, "%.*s/%s", (int)(strcspn(p, ":") < 1000 ? strcspn(p, ":") : 1000), p,
                     editors[e]);
            if (access(path, X_OK) == 0) return editors[e];
        }
    return NULL;
}

static int edit_run(struct app *app, int argc, char **argv)
{
    const exercise *x;
    bool made;
    char *path, shown[1200];
    if (argc > 2) return app_fail(app, EXIT_USAGE, "help edit", "edit takes one exercise");
    int status = exercise_session(app, argc > 1 ? argv[1] : NULL, &x);
    if (!status) status = exercise_put(app, x, &path, &made);
    if (status) return status;
    exercise_enter(app, x);
    doc d = doc_open(app);
    const char *editor = getenv("VISUAL");
    if (!editor || !*editor) editor = getenv("EDITOR");
    if (!editor || !*editor) {
        editor = editor_here();
        if (editor)
            doc_say(&d, 0, "Opening it in %s; VISUAL or EDITOR in the environment names another editor.", editor);
    }
    if (!editor) {
        status = app_fail(
            app, EXIT_USAGE, NULL, "no editor: neither VISUAL nor EDITOR names one, and %s; your file is %s",
            isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) ? TR("there is no nano or vi") : TR("this is not a terminal"),
            exercise_shown(path, shown, sizeof shown));
        free(path);
        return status;
    }
    char *command = malloc(strlen(editor) + 16);
    if (command) /* an editor may have options, or blanks in its path; file names stay out of the command text */
        sprintf(command, "%s \"$1\"", strchr(editor, '/') && access(editor, X_OK) == 0 ? "\"$0\"" : editor);
    fflush(NULL);
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGINT, &ignore, &old);
    pid_t pid = command ? fork() : -1;
    if (pid == 0) {
        struct sigaction plain = {.sa_handler = SIG_DFL};
        sigemptyset(&plain.sa_mask);
        sigaction(SIGINT, &plain, NULL);
        execl("/bin/sh", "sh", "-c", command, editor, path, (char *)NULL);
        _exit(127);
    }
    int end = 0;
    while (pid > 0 && waitpid(pid, &end, 0) < 0 && errno == EINTR) continue;
    sigaction(SIGINT, &old, NULL);
    free(command);
    if (pid < 0 || !WIFEXITED(end) || WEXITSTATUS(end))
        status = app_fail(app, EXIT_USAGE, NULL, "the editor \"%s\" %s; your file is %s", editor,
                          pid > 0 && WIFEXITED(end) && WEXITSTATUS(end) == 127 ? TR("cannot be started")
                                                                               : TR("did not end well"),
                          exercise_shown(path, shown, sizeof shown));
    else doc_dim(&d, "check  hint");
    free(path);
    return status;
}

/* ---- hint, explain, solution ---- */

static int hint_run(struct app *app, int argc, char **argv)
{
    const exercise *x;
    exercise_record r;
    char id[32], stage[16];
    const char *name = argc > 1 && strchr(argv[1], '.') ? argv[1] : NULL;
    int wanted = argc > 1 && !name ? atoi(argv[1]) : argc > 2 ? atoi(argv[2]) : 0;
    if (argc > 3 || wanted < 0 || wanted > EXERCISE_HINTS || (argc > (name ? 2 : 1) && !wanted))
        return app_fail(app, EXIT_USAGE, "help hint", "hint takes an exercise and a number from 1 to %d",
                        EXERCISE_HINTS);
    int status = exercise_session(app, name, &x);
    if (status) return status;
    exercise_recall(app, exercise_id(x, id, sizeof id), &r);
    int n = wanted ? wanted : r.hints < x->hints ? r.hints + 1 : x->hints;
    if (n > r.hints + 1) return app_fail(app, EXIT_USAGE, "hint", "hint %d comes after hint %d", n, n - 1);
    doc d = doc_open(app);
    doc_data(&d, "hint", "exercise %s, text %s", id, x->hint[n - 1].text);
    doc_head(&d, "", "%s  Hint %d of %d", id, n, x->hints);
    doc_paragraphs(&d, 2, x->hint[n - 1].text);
    if (n == x->hints) doc_dim(&d, "That is the last. edit  check  solution");
    snprintf(stage, sizeof stage, "%d", n);
    const char *pairs[] = {"stage", stage, NULL};
    if (n > r.hints) state_record(app, "hint", id, pairs);
    return EXIT_DONE;
}

/* `explain` for an exercise, current or named. False: it is about a step. */
bool exercise_explain(struct app *app, int argc, char **argv, int *status)
{
    const exercise *x;
    exercise_record r;
    char id[32];
    const bool named = argc == 2 && exercise_named(argv[1]);
    if (!named && (argc > 1 || !exercise_at_hand(app))) return false;
    if ((*status = exercise_session(app, named ? argv[1] : NULL, &x))) return true;
    exercise_recall(app, exercise_id(x, id, sizeof id), &r);
    if (!r.passed && !r.solution) {
        *status = app_fail(app, EXIT_CHECK, "check", "exercise %s is explained once it is passed", id);
        return true;
    }
    doc d = doc_open(app);
    doc_data(&d, "explain", "exercise %s, text %s", id, x->s->explain.text);
    exercise_heading(&d, x, "");
    doc_paragraphs(&d, 2, x->s->explain.text);
    return true;
}

static int solution_run(struct app *app, int argc, char **argv)
{
    const exercise *x;
    exercise_record r;
    char id[32], *text;
    size_t bytes;
    bool confirmed = argc > 1 && (!strcmp(argv[argc - 1], "yes") || !strcmp(argv[argc - 1], "--yes"));
    argc -= confirmed;
    if (argc > 2)
        return app_fail(app, EXIT_USAGE, "help solution",
                        "solution takes one exercise, and yes to see it before a pass");
    if (app->class_mode) return app_fail(app, EXIT_USAGE, "set class off", "solutions are hidden in class");
    int status = exercise_session(app, argc > 1 ? argv[1] : NULL, &x);
    if (status) return status;
    exercise_recall(app, exercise_id(x, id, sizeof id), &r);
    if (!r.passed && !r.solution && !confirmed && app->interactive) {
        char *line;
        const char *why;
        doc asked = doc_open(app);
        doc_line(&asked, "You have not passed exercise %s yet%s.", id,
                 r.hints < x->hints ? TR(", and there are hints left") : "");
        if (terminal_read(app, TR("show the solution? [y/N] "), &line, &why) != TERMINAL_LINE) return EXIT_DONE;
        confirmed = line[0] == 'y' || line[0] == 'Y';
        free(line);
        if (!confirmed) return EXIT_DONE;
    } else if (!r.passed && !r.solution && !confirmed) {
        return app_fail(app, EXIT_CHECK, "solution yes", "exercise %s is not passed yet", id);
    }
    if ((status = exercise_own_file(app, x, "solution", &text, &bytes))) return status;
    doc d = doc_open(app);
    doc_data(&d, "solution", "exercise %s, text %s", id, text);
    exercise_heading(&d, x, "");
    doc_code(&d, "", "", text);
    doc_dim(&d, "This is one of several solutions. Your file is unchanged. explain");
    free(text);
    if (!r.solution) state_record(app, "solution", id, NULL);
    return EXIT_DONE;
}

/* ---- diff, reset, skip ---- */

static int diff_run(struct app *app, int argc, char **argv)
{
    const exercise *x;
    char *starter = NULL, *text = NULL, id[32], next[64], name[32];
    size_t bytes;
    if (argc > 2) return app_fail(app, EXIT_USAGE, "help diff", "diff takes one exercise");
    int status = exercise_session(app, argc > 1 ? argv[1] : NULL, &x);
    if (status) return status;
    char *path = exercise_path(app, x);
    int why = path ? exercise_file(path, JUDGE_SOURCE_MAX, &text, &bytes) : ENOENT;
    snprintf(next, sizeof next, "exercise %s", exercise_id(x, id, sizeof id));
    if (why)
        status =
            app_fail(app, EXIT_USAGE, next, "your file of exercise %s is not taken: %s", id, exercise_file_error(why));
    if (!status) status = exercise_own_file(app, x, "starter", &starter, &bytes);
    snprintf(name, sizeof name, "starter%s", exercise_ending(x));
    if (!status) status = view_diff_texts(app, name, starter, strrchr(path, '/') + 1, text);
    free(path);
    free(text);
    free(starter);
    return status;
}

static int reset_run(struct app *app, int argc, char **argv)
{
    const exercise *x;
    char backup[1400] = "", shown[1200];
    bool made = false;
    if (argc > 2) return app_fail(app, EXIT_USAGE, "help reset", "reset takes one exercise");
    int status = exercise_session(app, argc > 1 ? argv[1] : NULL, &x);
    if (status) return status;
    char *path = exercise_path(app, x);
    if (!path) return app_fail(app, EXIT_INTERNAL, "doctor", "there is no place for a file of yours");
    struct stat st;
    int why = ENOENT;
    for (int i = 1; i < 10000 && lstat(path, &st) == 0; i++) { /* link never overwrites a file */
        snprintf(backup, sizeof backup, "%.1200s.%d", path, i);
        why = linkat(AT_FDCWD, path, AT_FDCWD, backup, 0) ? errno : 0;
        if (why != EEXIST) break;
    }
    if (why == EPERM || why == ENOSYS || why == EOPNOTSUPP) /* a file system without links */
        why = lstat(backup, &st) == 0 ? EEXIST : rename(path, backup) ? errno : 0;
    else if (!why && unlink(path)) why = errno;
    if (why && why != ENOENT)
        status = app_fail(app, EXIT_INTERNAL, NULL, "your file cannot be moved to %s: %s", backup, strerror(why));
    if (!status) status = exercise_place(app, x, path, &made);
    if (!status) {
        doc d = doc_open(app);
        char id[32];
        json *j = doc_begin(&d, "reset", "exercise %s", exercise_id(x, id, sizeof id));
        json_text(j, "backup", why ? NULL : backup);
        json_end(j);
        if (!why) doc_say(&d, 0, "Your file is kept as %s", exercise_shown(backup, shown, sizeof shown));
        doc_say(&d, 0, "A new starter is %s", exercise_shown(path, shown, sizeof shown));
    }
    free(path);
    return status;
}

static int skip_run(struct app *app, int argc, char **argv)
{
    const exercise *x;
    char id[32];
    if (argc > 2) return app_fail(app, EXIT_USAGE, "help skip", "skip takes one exercise");
    int status = exercise_session(app, argc > 1 ? argv[1] : NULL, &x);
    if (status) return status;
    exercise_record before;
    exercise_recall(app, exercise_id(x, id, sizeof id), &before);
    if (!before.passed) state_record(app, "skip", id, NULL);
    doc d = doc_open(app);
    doc_data(&d, "skip", "exercise %s, state %s", id, before.passed ? "passed" : "skipped");
    doc_say(&d, 2, before.passed ? "%s is passed already." : "%s is skipped; you can return to it later.", id);
    exercise_say_next(&d, x, false);
    return EXIT_DONE;
}

/* ---- completion ---- */

static void complete_exercises(struct app *app, int argc, char **argv, struct words *out)
{
    (void)argv;
    if (argc != 1 || !app->lesson || !app->lesson->l) return;
    exercise_list list;
    exercise_find(&list, app->lesson->l);
    for (int i = 0; i < list.count; i++) {
        char name[120];
        snprintf(name, sizeof name, "%d.%d", app->lesson->l->number, list.entry[i].number);
        words_add(out, name);
    }
}

const struct command exercise_commands[] = {
    {"exercise", 3, "Exercises", "[N.K]", "take up an exercise, or list them",
     "Puts a starter into a file of your own, says where, and shows the task. A file\n"
     "that is there already is left as it is. N.K is exercise K of lesson N; without\n"
     "it, the exercises of the lesson at hand are listed, or the task at hand is shown\n"
     "again.\n"
     "\n"
     "Example:  exercise 1.2\n",
     exercise_run, complete_exercises},
    {"exercises", 9, "Exercises", "[N]", "list the exercises of a lesson",
     "Lists the exercises of the lesson at hand, or of lesson N, and which of them you\n"
     "have passed.\n"
     "\n"
     "Example:  exercises 1\n",
     exercises_run, NULL},
    {"edit", 2, "Exercises", "[N.K]", "open your file in your editor",
     "Starts an editor on your file of the exercise: the one that VISUAL or EDITOR\n"
     "names, else nano or vi, whichever is found first.\n\nExample:  edit 1.2\n",
     edit_run, complete_exercises},
    {"check", 2, "Exercises", "[N.K] [ANSWER|FILE]", "check your answer",
     "Compiles your file, runs it over sizes and inputs chosen to break it, and says\n"
     "`PASS`, or the first thing wrong and why. Where speed counts, counters of\n"
     "the simulated card (transactions, bytes ...) must reach a goal: the verdict is\n"
     "the same on every machine and with every compiler. An exercise that asks for a\n"
     "number takes it here too. A whole program is compiled by nvcc or clang and run as\n"
     "`exec` runs it, but sealed: it starts no process and changes no file. A right\n"
     "answer is shown between the starter and our solution; `ladder` shows that again,\n"
     "and `why` and `show` look into your answer while the exercise is at hand. With\n"
     "--device it runs elsewhere, on a real GPU too, and says whether it is right\n"
     "there; what counts is the exercise's own card.\n"
     "\n"
     "Example:  check 1.2\n",
     exercise_check_run, complete_exercises},
    {"watch", 0, "Exercises", "[N.K]", "check again whenever you save",
     "Checks your file now and each time it is saved, until it passes or Ctrl-C.\n\nExample:  watch 1.2\n",
     exercise_watch_run, complete_exercises},
    {"hint", 2, "Exercises", "[N.K] [1-3]", "a hint; each is more direct",
     "Shows the next of three hints, or one that you have seen.\n\nExample:  hint\n", hint_run, complete_exercises},
    {"solution", 3, "Exercises", "[N.K] [yes]", "our solution, once you have passed",
     "Shows how we did it, after a pass; before that it asks. Your file stays as it is.\n\nExample:  solution 1.2\n",
     solution_run, complete_exercises},
    {"diff", 0, "Exercises", "[N.K]", "what you changed in the starter",
     "Shows what your file has changed in the starter.\n\nExample:  diff\n", diff_run, complete_exercises},
    {"reset", 0, "Exercises", "[N.K]", "start again from the starter",
     "Moves your file aside (the same name with a number at its end) and puts a new\n"
     "starter in its place. Nothing is lost.\n"
     "\n"
     "Example:  reset 1.2\n",
     reset_run, complete_exercises},
    {"skip", 0, "Exercises", "[N.K]", "leave an exercise for later",
     "Writes down that you leave it for later, and names the next one.\n\nExample:  skip\n", skip_run,
     complete_exercises},
    {0},
};
