/* exercise_check.c: judges a student's answer: check, watch, and its place on the ladder. */
#include "exercise_check.h"
#include "device/devices.h"
#include "film_line.h"
#include "judge/judge.h"
#include "shell/progress.h"
#include "shell/watcher.h"
#include "view/view.h"
#include "shell/language.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_number(const char *text)
{
    size_t n = strspn(text, "0123456789,_");
    return n && (!text[n] || !strcmp(text + n, "Ki") || !strcmp(text + n, "Mi")) && isdigit((unsigned char)*text);
}

/* The device that was requested by name, or NULL: the exercise's card. */
static int chosen_device(struct app *app, const exercise *x, struct device out[DEVICES_MAX], const struct device **d)
{
    int count;
    *d = NULL;
    if (!app->device_explicit) return 0;
    int status = device_resolve(app, x->card, out, &count);
    *d = &out[0];
    return status;
}

/* path: NULL, or a file that is not the student's own */
static void offer_fault(doc *d, const exercise *x, const judge_verdict *v, const char *path, uint64_t seed)
{
    char words[1400], id[32];
    film_offer_none(d->app);
    if (v->state != JUDGE_FAIL || !v->has_fault || d->app->device_explicit || !x->kind->form->filmed) return;
    snprintf(words, sizeof words, "%.16s%s%.1200s --case %d --seed %llu", exercise_id(x, id, sizeof id),
             path ? " " : "", path ? path : "", v->input, (unsigned long long)seed);
    film_offer(d, words, &v->fault, 1);
}

/* A number that another goal was given up for is no best. */
static bool others_reached(const judge_verdict *v)
{
    for (int i = 1; i < v->goals; i++)
        if (v->goal[i].known && !v->goal[i].reached) return false;
    return true;
}

/* Of kind minimise: how the number compares with the best one so far, and with ours. */
static void say_best(doc *d, const judge_goal *g, const exercise_record *before)
{
    char best[48], ours[48], text[100] = "";
    const bool better = !before->has_best || g->ours < before->best;
    if (!better)
        snprintf(text, sizeof text, TR("your best so far is %s; "),
                 metric_text(best, sizeof best, g->metric, before->best));
    else if (before->has_best)
        snprintf(text, sizeof text, TR("your best so far, %s before; "),
                 metric_text(best, sizeof best, g->metric, before->best));
    else snprintf(text, sizeof text, "%s", TR("your first number; "));
    doc_say(d, 2, "%s: %sours is %s.", metrics[g->metric].name, text,
            metric_text(ours, sizeof ours, g->metric, g->solution));
}

/* Does the number belong to shared memory and its banks? Then `show banks` has its picture, not `show mem`. */
static bool of_banks(int metric)
{
    static const char *const names[] = {"conflict", "passes_per_access", "max_bank_conflict"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(metrics[metric].id, names[i])) return true;
    return !strncmp(metrics[metric].id, "shared_", 7) || !strncmp(metrics[metric].id, "all_shared_", 11);
}

/* What to look at after an answer that is not right or short of a goal: pictures of the memory that it is about. */
static const char *look_at(const judge_verdict *v)
{
    bool banks = false, memory = false;
    for (int i = 0; i < v->goals; i++)
        if (!v->goal[i].reached && strcmp(metrics[v->goal[i].metric].id, "max_thread_bytes")) /* of all memories */
            *(of_banks(v->goal[i].metric) ? &banks : &memory) = true;
    return !banks    ? "edit  hint  check  why  show mem|lines|counters"
           : !memory ? "edit  hint  check  why  show banks|lines|counters"
                     : "edit  hint  check  why  show mem|banks|lines|counters";
}

/* Judge a text as the answer to `x`, print the verdict and record it. path: as for offer_fault */
static int check_text(struct app *app, const exercise *x, const char *path, const char *file, const char *text,
                      size_t bytes, bool *passed)
{
    char id[32], score[16];
    exercise_record before;
    struct device devices[DEVICES_MAX];
    judge_request q = {.x = x, .text = text, .bytes = bytes, .name = file};
    int status = chosen_device(app, x, devices, &q.device);
    if (status) return status;
    if (!x->kind->form->text) judge_show_missing(app);
    exercise_recall(app, exercise_id(x, id, sizeof id), &before);
    /* fresh inputs for each check, or those of a given seed */
    q.seed = app->seed ? app->seed : 1 + 1000 * (uint64_t)before.checks;
    judge_verdict v;
    status = judge_answer(app, &q, &v);
    if (status == EXIT_INTERRUPT) {
        judge_free(&v);
        return app_fail(app, status, "check", "%s: interrupted", id);
    }
    doc d = doc_open(app);
    judge_show(&d, x, &v, file, text);
    *passed = v.state == JUDGE_PASS;
    snprintf(score, sizeof score, "%d", judge_score(&v));
    char value[40] = "";
    if (x->kind->best && v.goals && v.goal[0].known && !v.drawn && others_reached(&v)) {
        snprintf(value, sizeof value, "%.17g", v.goal[0].ours);
        say_best(&d, &v.goal[0], &before);
    }
    const char *pairs[] = {"result",   reason_word(v.reason),
                           "score",    judge_score(&v) < 0 ? NULL : score,
                           "device",   v.device,
                           "compiler", v.compiler[0] ? v.compiler : NULL,
                           "value",    *value ? value : NULL,
                           NULL};
    if (v.state != JUDGE_UNJUDGED) state_record(app, "check", id, pairs);
    offer_fault(&d, x, &v, path, q.seed);
    if (v.state == JUDGE_FAIL)
        doc_dim(&d, "%s",
                x->kind->form->number                      ? "hint  check NUMBER"
                : v.goals && !x->kind->form->text && !path ? look_at(&v)
                                                                    : "edit  hint  check");
    if (*passed) exercise_say_next(&d, x, true);
    status = judge_status(&v);
    judge_free(&v);
    return status;
}

/* The text of an answer. 0, or a status after a message. */
static int own_text(struct app *app, const exercise *x, const char *path, char **text, size_t *bytes)
{
    char id[32], next[64];
    const int why = exercise_file(path, JUDGE_SOURCE_MAX, text, bytes);
    snprintf(next, sizeof next, "exercise %s", exercise_id(x, id, sizeof id));
    if (why == ENOENT) return app_fail(app, EXIT_USAGE, next, "there is no %s, not yet or no longer", path);
    if (why) return app_fail(app, EXIT_USAGE, NULL, "%s is not taken: %s", path, exercise_file_error(why));
    return 0;
}

/* `ladder` for an exercise, current or named. False: it is about a lesson. */
bool exercise_ladder(struct app *app, int argc, char **argv, int *status)
{
    const exercise *x;
    struct device devices[DEVICES_MAX];
    char id[32], *text = NULL, *path = NULL;
    size_t bytes;
    const bool named = argc == 2 && exercise_named(argv[1]);
    if (!named && (argc > 1 || !exercise_at_hand(app))) return false;
    judge_request q = {.seed = app->seed ? app->seed : 1};
    *status = exercise_session(app, named ? argv[1] : NULL, &x);
    if (!*status) *status = chosen_device(app, x, devices, &q.device);
    if (*status) return true;
    if (x->kind->form->number || !x->goals) {
        *status = app_fail(app, EXIT_USAGE, "check", "exercise %s has no ladder: its goal is to be right",
                           exercise_id(x, id, sizeof id));
        return true;
    }
    *status = (path = exercise_path(app, x))
                  ? own_text(app, x, path, &text, &bytes)
                  : app_fail(app, EXIT_INTERNAL, "doctor", "there is no place for a file of yours");
    if (!*status) {
        judge_verdict v;
        char says[900];
        q.x = x;
        q.text = text;
        q.bytes = bytes;
        q.name = strrchr(path, '/') + 1;
        *status = judge_answer(app, &q, &v);
        doc d = doc_open(app);
        judge_sentence(&v, says, sizeof says);
        if (*status) app_fail(app, *status, "ladder", "interrupted");
        else if (v.goals) {
            judge_show_data(&d, x, &v, q.name);
            exercise_heading(&d, x, v.device);
            judge_show_ladder(&d, x, &v);
        } else *status = app_fail(app, EXIT_CHECK, "check", "%s does not stand on the ladder yet: %s", q.name, says);
        judge_free(&v);
    }
    free(path);
    free(text);
    return true;
}

static int check_file(struct app *app, const exercise *x, const char *path, const char *name, bool own, bool *passed)
{
    char *text;
    size_t bytes;
    int status = own_text(app, x, path, &text, &bytes);
    if (!status) status = check_text(app, x, own ? NULL : path, name, text, bytes, passed);
    free(text);
    return status;
}

int exercise_check_run(struct app *app, int argc, char **argv)
{
    const exercise *x;
    bool passed, answer = argc > 1 && is_number(argv[argc - 1]) && !strchr(argv[argc - 1], '.');
    const char *name = argc > 1 && !(answer && argc == 2) ? argv[1] : NULL,
               *file = argc == 3 && !answer ? argv[2] : NULL;
    if (argc > 3) return app_fail(app, EXIT_USAGE, "help check", "check takes an exercise, and an answer or a file");
    int status = 0;
    if (argc == 2 && answer) { /* an answer if the exercise asks for one, else exercise 2 of this lesson */
        if (exercise_at_hand(app) && (status = exercise_session(app, NULL, &x))) return status;
        answer = exercise_at_hand(app) && x->kind->form->number;
        name = answer ? NULL : argv[1];
    }
    status = exercise_session(app, name, &x);
    if (status) return status;
    exercise_enter(app, x);
    if (answer && x->kind->form->number) {
        char text[100];
        int n = snprintf(text, sizeof text, "answer: %.60s\n", argv[argc - 1]);
        return check_text(app, x, NULL, "your answer", text, (size_t)n, &passed);
    }
    if (file) {
        const char *slash = strrchr(file, '/');
        return check_file(app, x, file, slash ? slash + 1 : file, false, &passed);
    }
    char *path = exercise_path(app, x);
    if (!path) return app_fail(app, EXIT_INTERNAL, "doctor", "there is no place for a file of yours");
    status = check_file(app, x, path, strrchr(path, '/') + 1, true, &passed);
    free(path);
    return status;
}

/* ---- watch ---- */

static bool stamp(const char *path, struct stat *out)
{
    memset(out, 0, sizeof *out);
    return stat(path, out) == 0;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_size == b->st_size && a->st_mtime == b->st_mtime &&
           a->st_ctime == b->st_ctime
#ifdef __linux__
           && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec
#endif
        ;
}

int exercise_watch_run(struct app *app, int argc, char **argv)
{
    const exercise *x;
    bool made, passed = false;
    char *path, shown[1200];
    if (argc > 2) return app_fail(app, EXIT_USAGE, "help watch", "watch takes one exercise");
    int status = exercise_session(app, argc > 1 ? argv[1] : NULL, &x);
    if (!status) status = exercise_put(app, x, &path, &made);
    if (status) return status;
    exercise_enter(app, x);
    doc d = doc_open(app);
    doc_say(&d, 0, "Watching %s", exercise_shown(path, shown, sizeof shown));
    doc_say(&d, 0, "Save it and it is checked. Ctrl-C ends this.");
    watcher w;
    watcher_open(&w, path);
    struct stat before, now;
    while (!passed && !app_interrupted) {
        stamp(path, &before);
        status = check_file(app, x, path, strrchr(path, '/') + 1, true, &passed);
        fflush(app->out);
        if (passed) break;
        do watcher_wait(&w);
        while (!app_interrupted && (!stamp(path, &now) || same_file(&before, &now)));
    }
    watcher_close(&w);
    free(path);
    return app_interrupted ? EXIT_INTERRUPT : status;
}
