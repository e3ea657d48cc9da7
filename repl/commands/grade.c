/* grade.c: `grade DIR`: judges the answers of a class, with a folder per student, and writes CSV
 * and JSON.
 *
 * Read it from grade_run at the end. It finds the exercises, the class's seed (grade_class.c) and
 * the files of each student (grade_files.c), and tests our own answers on this class's inputs. It
 * takes earlier verdicts from the journal (grade_journal.c) and judges the rest (grade_work.c).
 * Then it finds equal texts (grade_same.c) and writes the report (grade_report.c). */
#include "commands.h"
#include "grade/grade.h"
#include "session/session.h"
#include "shell/language.h"
#include "shell/seal.h"
#include "list.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int add_exercises(grading *g)
{
    struct app *app = g->app;
    int status = session_lessons(app);
    for (int i = 0; !status && i < app->lesson->list.count; i++) {
        char number[16];
        lesson_error err;
        exercise_list list;
        snprintf(number, sizeof number, "%d", app->lesson->list.entry[i].number);
        if ((status = session_lesson(app, number))) return status;
        exercise_find(&list, app->lesson->l);
        for (int k = 0; k < list.count; k++) {
            if (g->exercises == MOST_EXERCISES)
                return app_fail(app, EXIT_USAGE, NULL, "there are more than %d exercises", MOST_EXERCISES);
            grade_exercise *e = &g->exercise[g->exercises];
            if (exercise_read(&e->x, app->lesson->l, &list.entry[k], &err))
                return app_fail(app, EXIT_USAGE, "check-lessons", "%s:%d: %s", err.file, err.line, err.message);
            g->exercises++;
            exercise_id(e->x, e->id, sizeof e->id);
            snprintf(e->name, sizeof e->name, "%d.%s%s", e->x->lesson_number, e->x->folder, exercise_ending(e->x));
        }
    }
    return status;
}

/* ---- our own answers ----
 * They show which compiler is available, and the goals are based on them. An exercise's inputs are
 * kept only if both our answers pass on them, so that no student fails because of unusual inputs.
 * The inputs depend on the class's seed, the exercise and the attempt, so all parts of a class get
 * the same ones. */

enum { ATTEMPTS = 8 };

static int read_ours(grading *g)
{
    for (int i = 0; i < g->exercises; i++) {
        grade_exercise *e = &g->exercise[i];
        for (int k = 0; k < 3 && e->wanted; k++) {
            int status = exercise_own_file(g->app, e->x, grade_our_files[k], &e->ours[k], &e->ours_bytes[k]);
            if (status) return status;
        }
    }
    return 0;
}

/* Run our solution on the exercise's inputs. 0 and *passed, or an exit status after a message. */
static int try_solution(grading *g, grade_exercise *e, bool *passed, char *why, size_t size)
{
    struct app *app = g->app;
    judge_request q = {.x = e->x,
                       .text = e->ours[OUR_SOLUTION],
                       .bytes = e->ours_bytes[OUR_SOLUTION],
                       .name = "solution.cu",
                       .seed = e->seed,
                       .standard = &e->standard};
    judge_verdict v;
    judge_answer(app, &q, &v);
    int status = 0;
    *passed = v.state == JUDGE_PASS;
    snprintf(why, size, "%s", v.message);
    if (app_interrupted) status = EXIT_INTERRUPT;
    else if (v.reason == REASON_NO_COMPILER)
        status = app_fail(app, EXIT_INTERNAL, "scripts/get-compiler", "%s", v.message);
    else if (v.state == JUDGE_UNJUDGED)
        status = app_fail(app, EXIT_INTERNAL, "doctor", "our own solution of exercise %s cannot be judged here: %s",
                          e->id, v.message);
    if (v.compiler[0]) snprintf(g->compiler, sizeof g->compiler, "%s", v.compiler);
    judge_free(&v);
    return status;
}

/* Run our second answer to each exercise in `job`, many at once. The journal may know the
 * verdict. */
static int try_others(grading *g, grade_job *job, int jobs)
{
    char path[1400];
    for (int i = 0; i < jobs; i++) {
        grade_exercise *e = job[i].e;
        snprintf(path, sizeof path, "%s/%s%s", e->x->dir, grade_our_files[OUR_OTHER], exercise_ending(e->x));
        free(job[i].line);
        job[i] = (grade_job){.student = "", .shown = "", .e = e, .file = job[i].file, .path = job[i].path};
        if (!job[i].file) job[i].file = strdup(grade_our_files[OUR_OTHER]);
        if (!job[i].path) job[i].path = strdup(path);
        if (!job[i].file || !job[i].path) return app_no_memory(g->app);
        grade_make_key(g, &job[i], e->ours[OUR_OTHER], e->ours_bytes[OUR_OTHER]);
    }
    grade_recall_jobs(g, job, jobs);
    return grade_work(g, job, jobs);
}

static int prepare_jobs(grading *g, grade_job *job)
{
    char why[700] = "";
    int jobs = 0, status = 0;
    for (int i = 0; i < g->exercises; i++)
        if (g->exercise[i].wanted) job[jobs++] = (grade_job){.e = &g->exercise[i]};
    for (int attempt = 0; attempt < ATTEMPTS && jobs && !status; attempt++) {
        int again = 0;
        bool *good = calloc((size_t)jobs, sizeof *good);
        if (!good) return app_no_memory(g->app);
        for (int i = 0; i < jobs && !status; i++) {
            job[i].e->seed = grade_exercise_seed(g, job[i].e, attempt);
            status = try_solution(g, job[i].e, &good[i], why, sizeof why);
        }
        if (!status) status = try_others(g, job, jobs);
        for (int i = 0; i < jobs && !status; i++) {
            const grade_job *j = &job[i];
            if (!j->line || !strcmp(j->field[F_VERDICT], "unjudged"))
                status = app_fail(g->app, EXIT_INTERNAL, "doctor",
                                  "our own second answer to exercise %s cannot be judged here: %s", j->e->id,
                                  j->line ? j->field[F_MESSAGE] : NO_MEMORY);
            else if (good[i] && strcmp(j->field[F_VERDICT], "pass"))
                snprintf(why, sizeof why, "%s", j->field[F_MESSAGE]);
            if (status || !good[i] || strcmp(j->field[F_VERDICT], "pass")) {
                grade_job kept = job[again]; /* jobs for another attempt move to the front */
                job[again++] = *j;
                job[i] = kept;
            }
        }
        free(good);
        jobs = status ? jobs : again;
    }
    if (!status && jobs)
        status = app_fail(g->app, EXIT_INTERNAL, "check-lessons", "our own answers to exercise %s do not pass here: %s",
                          job[0].e->id, why);
    return status;
}

static int prepare(grading *g)
{
    grade_job *job = calloc((size_t)g->exercises + 1, sizeof *job);
    int status = job ? read_ours(g) : app_no_memory(g->app);
    if (!status) status = prepare_jobs(g, job);
    for (int i = 0; job && i < g->exercises; i++) {
        free(job[i].file);
        free(job[i].path);
        free(job[i].line);
    }
    free(job);
    return status != EXIT_INTERRUPT ? status : app_fail(g->app, EXIT_INTERRUPT, NULL, "interrupted");
}

/* ---- the students' ---- */

/* Reads each file and computes its journal key and the digest of its text. */
static void read_answers(grading *g)
{
    for (int i = 0; i < g->jobs; i++) {
        grade_job *j = &g->job[i];
        char *text;
        size_t bytes;
        if (!j->file || exercise_file(j->path, JUDGE_SOURCE_MAX, &text, &bytes))
            continue; /* the judge will report why */
        grade_make_key(g, j, text, bytes);
        grade_read_text(j, text, bytes);
        free(text);
    }
}

static int missing(grading *g)
{
    for (int i = 0; i < g->jobs; i++) {
        grade_job *j = &g->job[i];
        if (j->line) continue;
        char *line = strdup("missing\tmissing\t0\t\t\t\t\t\tnothing was handed in");
        if (!line || !grade_set_line(j, line)) {
            free(line);
            return app_no_memory(g->app);
        }
    }
    return 0;
}

static void give_back(grading *g)
{
    for (int i = 0; i < g->jobs; i++) {
        free(g->job[i].line);
        free(g->job[i].file);
        free(g->job[i].path);
        free(g->job[i].same);
    }
    free(g->job);
    for (int i = 0; i < g->lefts; i++) {
        free(g->left[i].file);
        free(g->left[i].why);
    }
    free(g->left);
    for (int i = 0; i < g->exercises; i++) {
        for (int k = 0; k < 3; k++) free(g->exercise[i].ours[k]);
        judge_standard_free(&g->exercise[i].standard);
        exercise_free(g->exercise[i].x);
    }
    words_free(&g->students);
    if (g->journal >= 0) close(g->journal);
    free(g);
}

static int read_words(grading *g, int argc, char **argv, struct words *named)
{
    for (int i = 1; i < argc; i++) {
        char *slash;
        if (!strcmp(argv[i], "fresh")) {
            g->anew = true;
        } else if (!strcmp(argv[i], "--out") && i + 1 < argc) {
            g->out = argv[++i];
        } else if (!strcmp(argv[i], "--anonymous") && i + 1 < argc) {
            g->word = argv[++i];
        } else if (!strcmp(argv[i], "--part") && i + 1 < argc && (slash = strchr(argv[i + 1], '/'))) {
            g->part = atoi(argv[++i]) - 1;
            g->parts = atoi(slash + 1);
            if (g->parts < 1 || g->part < 0 || g->part >= g->parts)
                return app_fail(g->app, EXIT_USAGE, "help grade", "--part takes K/N, with K from 1 to N");
        } else if (!g->dir) {
            g->dir = argv[i];
        } else {
            words_add(named, argv[i]);
        }
    }
    return g->dir ? 0
                  : app_fail(g->app, EXIT_USAGE, "help grade", "grade takes a folder that holds one for each student");
}

static int ask_for(grading *g, const struct words *named)
{
    for (int i = 0; i < named->count; i++) {
        bool found = false;
        for (int e = 0; e < g->exercises; e++)
            if (!strcmp(g->exercise[e].id, named->v[i])) {
                if (!g->exercise[e].x->kind->form->graded)
                    return app_fail(g->app, EXIT_USAGE, NULL,
                                    "exercise %s is a whole program, which could write its own report: it is for its "
                                    "author to check, and not graded",
                                    named->v[i]);
                found = g->exercise[e].wanted = true;
            }
        if (!found) return app_fail(g->app, EXIT_USAGE, "help grade", "there is no exercise %s", named->v[i]);
    }
    return 0;
}

static int grade_all(grading *g, bool named)
{
    int status = grade_find(g, named);
    if (!status) status = grade_class(g);
    if (status) return status;
    grade_recall(g);
    if ((status = prepare(g))) return status;
    read_answers(g);
    grade_recall_jobs(g, g->job, g->jobs);
    status = grade_work(g, g->job, g->jobs);
    if (status == EXIT_INTERRUPT)
        return app_fail(g->app, EXIT_INTERRUPT, "grade again: it goes on from here", "interrupted");
    if (!status) status = missing(g);
    if (!status && g->word) grade_hide_names(g);
    if (!status) status = grade_compare(g);
    return status ? status : grade_report(g);
}

static int grade_run(struct app *app, int argc, char **argv)
{
    struct words named = {0};
    grading *g = calloc(1, sizeof *g);
    if (!g) return app_no_memory(app);
    g->app = app;
    g->journal = -1;
    int status = read_words(g, argc, argv, &named);
    g->asked = language_now();
    app->language = LANGUAGE_EN; /* for this command: its files are data, and verdicts that are kept go to all */
    options_changed(app);
    g->out = g->out ? g->out : g->dir;
    if (!status && !seal_calls() && !app->unsealed)
        status = app_fail(app, EXIT_USAGE, "grade --unsealed, or another computer",
                          "this kernel has no seccomp, so nothing keeps answers from starting programs, or from the "
                          "network");
    if (!status) judge_show_missing(app);
    if (!status) status = add_exercises(g);
    if (!status) status = ask_for(g, &named);
    if (!status) status = grade_all(g, named.count > 0);
    words_free(&named);
    give_back(g);
    return status;
}

const struct command grade_commands[] = {
    {"grade", 0, "Exercises", "DIR [N.K ...]", "for instructors: judge what a class handed in",
     "DIR holds one folder for each student, with answers named as `exercise` names\n"
     "them (1.2-tail.cu) or just 1.2.cu; capitals, blanks and what browsers add to a\n"
     "copy do not matter. Of several the newest is taken, and every file that is not\n"
     "is named. All exercises that anybody handed in are judged, or those named;\n"
     "whole programs (lesson 8) are not graded, and never run.\n"
     "Prints a line an answer and writes grades.csv and grades.json in DIR (or in\n"
     "--out FOLDER). What was judged before is not judged again (`fresh` judges all).\n"
     "\n"
     "The inputs are drawn from a seed of this class, which stays in DIR, in the file\n"
     ".warpstep-class that only you can read; --seed N gives one instead. --part K/N\n"
     "takes every N-th student, for several machines (that share DIR, or that file);\n"
     "afterwards `grade DIR` puts the parts together. --threads N says how many\n"
     "answers are judged at once. --anonymous WORD writes codes instead of names, the\n"
     "same each time, which nobody can make from a name without WORD and that file.\n"
     "\n"
     "\"same text as\" is a remark and no verdict: that answer, which differs much from\n"
     "the starter, is one of ours or another student's of those judged together, but\n"
     "for names and comments. \"unchanged\" is the starter itself: where its output is\n"
     "right and short of the goal, it has 0 points and not 50.\n"
     "\n"
     "Example:  grade submissions 1.1 1.2\n",
     grade_run, NULL},
    {0},
};
