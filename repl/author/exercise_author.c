/* exercise_author.c: the exercises' part of `check-lessons`. An exercise is trusted when every
 * answer in its folder gets the verdict that the author states: the starter fails, the solution
 * passes, each wrong answer fails for its own reason, and a correct answer written differently
 * passes too.
 *
 * PTX made from the answers beforehand (scripts/ptx) is in build/answers/LESSON/EXERCISE/, where make
 * unfolds it, so all of this works on a machine without a compiler. Answers that are whole programs are built by
 * `make check-lessons` as a lesson's programs are, from that PTX. WARPSTEP_COMPILER=nvrtc, nvcc or clang compiles
 * the answers instead. An answer with neither is skipped, and a message says so. */
#include "author.h"
#include "judge/judge.h"
#include "program/program.h"
#include "shell/language.h"
#include "shell/plain_file.h"
#include <dirent.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct author {
    doc *d;
    struct app *app;
    const exercise *x;
    char ptx[1600];  /* folder of the prebuilt PTX */
    char made[4400]; /* folder of the prebuilt programs */
    judge_standard standard;
    int problems, skipped;
} author;

static void put_error(author *a, const lesson_error *err)
{
    if (doc_is_data(a->d)) app_fail(a->app, EXIT_CHECK, NULL, "%s:%d: %s", err->file, err->line, err->message);
    else lesson_error_print(a->d->out, err);
    a->problems++;
}

static void complain(author *a, int line, const char *fmt, ...) APP_PRINTF(3, 4);
static void complain(author *a, int line, const char *fmt, ...)
{
    lesson_error err;
    char text[400];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    lesson_error_at(&err, a->x->l, line, "%s", text);
    put_error(a, &err);
}

static bool compiling(void)
{
    const char *forced = getenv("WARPSTEP_COMPILER");
    return forced && *forced && strcmp(forced, "none");
}

/* Judge FILE; its verdict must be `reason`. */
static void check_answer(author *a, const char *file, int reason, int or_reason, int line)
{
    char path[1400], *text, *ptx = NULL;
    size_t bytes, ptx_bytes;
    snprintf(path, sizeof path, "%s/%s", a->x->dir, file);
    if (file_read(path, JUDGE_SOURCE_MAX, &text, &bytes)) {
        complain(a, line, "%s is missing", file);
        return;
    }
    size_t stem = strlen(file) - strlen(exercise_ending(a->x));
    char made[1800];
    snprintf(made, sizeof made, "%s/%.*s.ptx", a->ptx, (int)stem, file);
    if (a->x->kind->form->pinned && !compiling()) (void)file_read(made, 8 << 20, &ptx, &ptx_bytes);
    judge_request q = {.x = a->x,
                       .text = text,
                       .bytes = bytes,
                       .name = file,
                       .ptx = ptx,
                       .ptx_folder = a->ptx,
                       .made = !compiling() ? a->made : NULL,
                       .seed = a->app->seed ? a->app->seed : 1,
                       .standard = &a->standard};
    judge_verdict v;
    judge_answer(a->app, &q, &v);
    if (v.reason == REASON_NO_COMPILER) a->skipped++;
    else if (v.reason != reason && v.reason != or_reason)
        complain(a, line, "%s must come to %s, not to %s (line %d: %.200s; %.100s)%s%.100s", file, reason_word(reason),
                 reason_word(v.reason), v.line, v.message, v.where, v.compiler_says ? "\n" : "",
                 v.compiler_says ? v.compiler_says : "");
    if (judge_score(&v) > 0 && !strncmp(file, "starter.", 8))
        complain(a, line, "%s, handed in as it is, has %d points", file, judge_score(&v));
    judge_free(&v);
    free(text);
    free(ptx);
}

static bool is_answer(const author *a, const char *name, const char *stem)
{
    size_t n = strlen(stem);
    return !strncmp(name, stem, n) && !strcmp(name + n, exercise_ending(a->x));
}

static void check_strays(author *a)
{
    DIR *d = opendir(a->x->dir);
    for (const struct dirent *e; d && (e = readdir(d));) {
        bool used = e->d_name[0] == '.' || !strcmp(e->d_name, "exercise.txt") ||
                    language_file(e->d_name, "exercise.txt") || is_answer(a, e->d_name, "starter") ||
                    is_answer(a, e->d_name, "solution") || is_answer(a, e->d_name, "other");
        if (a->x->kind->form->text)
            used = used || !strcmp(e->d_name, "kernel.cu") || !strcmp(e->d_name, "kernel.ptx");
        for (int i = 0; i < a->x->wrongs && !used; i++) used = !strcmp(e->d_name, a->x->wrong[i].file);
        if (!used) complain(a, 1, "%s is not a file of an exercise", e->d_name);
    }
    if (d) closedir(d);
}

/* A text that is shown unwrapped must fit a screen of 80 columns. */
static void check_text(author *a, const lesson_text *t, const char *what)
{
    const char *p = t->text;
    while (p && *p) {
        size_t n = strcspn(p, "\n");
        if (*p == ' ' && utf8_fit(p, 76) < n) complain(a, t->line, "a line of the %s is wider than 76 columns", what);
        p += n + (p[n] == '\n');
    }
}

static void check_one(author *a)
{
    const exercise *x = a->x;
    char file[32];
    check_text(a, &x->task, "task");
    check_text(a, &x->s->explain, "explanation");
    for (int i = 0; i < x->hints; i++) check_text(a, &x->hint[i], "hints");
    if (x->wrongs < 3) complain(a, 1, "expected at least three wrong answers (wrong: FILE REASON)");
    snprintf(file, sizeof file, "solution%s", exercise_ending(x));
    check_answer(a, file, REASON_PASS, REASON_NONE, 1);
    snprintf(file, sizeof file, "other%s", exercise_ending(x));
    check_answer(a, file, REASON_PASS, REASON_NONE, 1);
    snprintf(file, sizeof file, "starter%s", exercise_ending(x));
    check_answer(a, file, x->starter.reason, x->starter.or_reason, x->starter.line);
    for (int i = 0; i < x->wrongs && !app_interrupted; i++)
        check_answer(a, x->wrong[i].file, x->wrong[i].reason, x->wrong[i].or_reason, x->wrong[i].line);
    check_strays(a);
}

int exercise_author(doc *d, const lesson *l, int *exercises, translated *words)
{
    struct app *app = d->app;
    exercise_list list;
    exercise_find(&list, l);
    author a = {.d = d, .app = app};
    char path[1300];
    for (int i = 0; i < list.count && !app_interrupted; i++) {
        exercise *x;
        lesson_error err;
        ++*exercises;
        if (exercise_read(&x, l, &list.entry[i], &err)) {
            put_error(&a, &err);
            continue;
        }
        a.x = x;
        snprintf(a.ptx, sizeof a.ptx, "%.1000s/build/answers/%s/%s", app->root ? app->root : ".", x->lesson_folder,
                 x->folder);
        snprintf(path, sizeof path, "%s/exercise.txt", x->dir);
        translated_check(words, x->l, x, path);
        char libraries[4000];
        if (!program_libraries(libraries, sizeof libraries)) libraries[0] = 0;
        snprintf(a.made, sizeof a.made, "%s/answers/%s/exercises/%s", libraries, x->lesson_folder, x->folder);
        check_one(&a);
        judge_standard_free(&a.standard);
        exercise_free(x);
    }
    if (a.skipped)
        app_warn(app, "lesson %d: %d answers not judged: there is no compiler, and no PTX of them", l->number,
                 a.skipped);
    return a.problems;
}
