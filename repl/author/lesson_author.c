/* lesson_author.c: `check-lessons`, for authors of lessons. It reads every lesson, runs every step
 * with its defaults on the lesson's card, and checks all that the lesson claims. The answer is as
 * expected, each {NUMBER} in a text exists, each prediction has exactly one right answer, texts fit
 * 80 columns, and no kernel file is unused. On a device other than the lesson's own, a paragraph
 * whose number is missing may be left out, as long as one remains. */
#include "film/look.h"
#include "view/view.h"
#include "author.h"
#include "device/devices.h"
#include "judge/judge.h"
#include "shell/language.h"
#include "shell/plain_file.h"
#include <dirent.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct checking {
    struct app *app;
    doc *d;
    const lesson *l;
    step_chosen chosen; /* the sizes of `check:`, and those given on the command line */
    int problems;
    int line; /* of the text that is checked */
    truth truth;
    bool given; /* settings were given on the command line: other sizes than the lesson's own */
} checking;

static void complain_in(checking *k, const char *file, int line, const char *fmt, ...) APP_PRINTF(4, 5);
static void complain_in(checking *k, const char *file, int line, const char *fmt, ...)
{
    char text[600];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    k->problems++;
    doc_data(k->d, "problem", "file %s, line %d, message %s", file, line, text);
    doc_line(k->d, "%s:%d: %s", file, line, text);
}

#define complain(k, ...) complain_in((k), (k)->l->path, __VA_ARGS__)

static void complain_of_figure(void *arg, const char *file, int line, const char *text)
{
    checking *k = arg;
    complain_in(k, file, line, "%s", text);
}

static void check_lines(checking *k, view_context *c, const lesson_text *t, const char *what, const char *all)
{
    for (const char *p = all; p && *p;) { /* indented lines are printed unwrapped, after two blanks */
        size_t n = strcspn(p, "\n");
        if (*p == ' ' && utf8_fit(p, 78) < n)
            complain(k, t->line, "a drawn line in the %s of step %s is wider than 78 columns", what, c->s->name);
        p += n + (p[n] == '\n');
    }
}

static void complain_of_words(void *arg, const char *text)
{
    checking *k = arg;
    complain(k, k->line, "%s", text);
}

static void check_text(checking *k, view_context *c, const lesson_text *t, const char *what)
{
    if (!t->text) return;
    c->missing = false;
    k->line = t->line;
    k->truth.complain = complain_of_words;
    k->truth.arg = k;
    c->paragraph = truth_paragraph;
    c->arg = &k->truth;
    char *all = view_kept(c, t->text);
    c->paragraph = NULL;
    if (c->missing && !k->app->device_explicit)
        complain(k, t->line, "the %s of step %s names a number that this run does not have", what, c->s->name);
    else if (all && !*all)
        complain(k, t->line, "nothing is left of the %s of step %s on this device", what, c->s->name);
    check_lines(k, c, t, what, all);
    free(all);
}

/* A prediction must have all its numbers, wherever it is asked. */
static void check_sentence(checking *k, view_context *c, const lesson_text *t, const char *what)
{
    if (!t->text) return;
    c->missing = false;
    char *all = view_expand(c, t->text);
    if (c->missing)
        complain(k, t->line, "the %s of step %s names a number that this run does not have", what, c->s->name);
    check_lines(k, c, t, what, all);
    free(all);
}

static void check_predictions(checking *k, view_context *c)
{
    for (int i = 0; i < c->s->predict_count; i++) {
        const lesson_predict *p = &c->s->predict[i];
        int choice;
        double number, fact[FRAME_FACTS];
        if (p->has_frame && look_question(c, p, fact)) { /* the reason has been printed */
            complain(k, p->line, "the question of step %s is about a moment that is not there", c->s->name);
            continue;
        }
        c->fact = p->has_frame ? fact : NULL;
        if (!predict_answer(c, p, &choice, &number))
            complain(k, p->line, "the prediction of step %s does not have exactly one right answer", c->s->name);
        check_sentence(k, c, &p->question, "question");
        check_sentence(k, c, &p->because, "because");
        c->fact = NULL;
    }
}

static void check_exercise(checking *k, const lesson_step *s)
{
    exercise_list list;
    bool found = false;
    exercise_find(&list, k->l);
    for (int i = 0; i < list.count; i++) found = found || list.entry[i].number == s->exercise;
    if (s->exercise && !found)
        complain(k, s->line, "step %s names exercise %d, which lesson %d does not have", s->name, s->exercise,
                 k->l->number);
}

/* A driver refuses PTX whose target is above its card. Older cards than the lowest target that compilers have made
 * for years are simulated all the same. */
static void check_target(checking *k, const lesson_step *s, const char *name, const char *path)
{
    enum { LOWEST = 50, MOST = 64 << 20 };
    char *text = NULL;
    size_t bytes;
    if (file_read(path, MOST, &text, &bytes)) return; /* a run says why */
    const char *at = strstr(text, "\n.target sm_");
    const int target = at ? (int)strtol(at + strlen("\n.target sm_"), NULL, 10) : 0,
              needs = step_needs(k->l, s).compute;
    if (target > LOWEST && target > needs)
        complain(k, s->line, "%s of step %s is for compute %d.%d: say \"card-needs: compute %d.%d\"", name, s->name,
                 target / 10, target % 10, target / 10, target % 10);
    free(text);
}

static void check_kernel(checking *k, const lesson_step *s)
{
    char name[160], path[1400];
    if (!lesson_file(k->l, s->kernel_file, path, sizeof path))
        complain(k, s->line, "%s of step %s is missing", s->kernel_file, s->name);
    if (k->l->own) return; /* it is compiled now */
    if (!step_ptx_name(s, name, sizeof name) || !lesson_file(k->l, name, path, sizeof path))
        complain(k, s->line, "%s of step %s is missing: run scripts/ptx", name, s->name);
    else check_target(k, s, name, path);
}

/* For tests: the causes that the step's sentence names, and how the time changed. */
static void tell_why(checking *k, const lesson_step *s, const struct device *d, const step_values *v)
{
    struct app *app = k->app;
    const lesson_step *before_step =
        step_launches(s) && (s->bytes.count || s->after) ? session_before(app, s, &k->chosen) : NULL;
    int status;
    const step_result *before =
        before_step ? session_result(app, before_step, d, run_chosen(app, &k->chosen), &status) : NULL;
    const step_result *r = before ? session_result(app, s, d, run_values(app, v), &status) : NULL;
    char text[600];
    why_causes causes;
    if (!r) return;
    view_why_text(r, before, text, sizeof text, &causes);
    json *j = doc_begin(k->d, "why", "lesson %d, step %s, device %s, before %s, why %s", k->l->number, s->name,
                        r->device, before_step->name, text);
    view_why_json(j, r, before, &causes);
    json_end(j);
}

/* Each moment must be there on the lesson's own card. On another it may not. */
static void check_looks(checking *k, const lesson_step *s, const struct device *d)
{
    for (int i = 0; i < s->look_count && !app_interrupted; i++) {
        const lesson_look *at = &s->look[i];
        film_request what = {.file = -1, .most = LOOK_FILM, .whole_block = true};
        frames *f;
        char which[120];
        look_film(at, &what);
        if (frames_of_step(k->app, s, d, &k->chosen, &what, look_checks(at), &f)) { /* the reason has been printed */
            complain(k, at->line, "there is no film of step %s to look at", s->name);
            return;
        }
        if (look_find(f, at) == UINT32_MAX && !app_interrupted)
            complain(k, at->line, "step %s has no such moment on %s: %s", s->name, d->label,
                     look_place(at, which, sizeof which));
        frames_close(f);
    }
}

/* The run of a step that is not as it should be. */
static void show_failed(checking *k, view_context *c)
{
    char with[300] = "", where[64];
    for (int i = 0; i < k->l->setting_count; i++)
        if (step_uses(k->l, c->s, i)) {
            const size_t n = strlen(with);
            snprintf(with + n, sizeof with - n, " %s=%lld", k->l->setting[i].name, (long long)c->values->value[i]);
        }
    snprintf(where, sizeof where, "%s", session_step_name(k->app, c->s));
    doc_gap(k->d);
    view_step_head(k->d, c->s, c->r->device);
    doc_gap(k->d);
    view_run_outcome(k->d, c);
    doc_say(k->d, 0, "To see more of it: run %s%s, and `why`, `show mem`, `step %s`.", where, with, where);
    doc_gap(k->d);
}

/* A step is to be checked on its own card, which should be able to run it; on another it may not. */
static bool passed_over(checking *k, const lesson_step *s, const struct device *d)
{
    char why[200];
    if (!session_lacks(k->app, s, d, why, sizeof why)) return false;
    if (k->app->device_explicit) doc_say(k->d, 0, "SKIP step %s: %s", s->name, why);
    else complain(k, s->line, "step %s cannot run on its own card: %s (say \"on: CARD\")", s->name, why);
    return true;
}

static void check_step(checking *k, const lesson_step *s, const struct device *d)
{
    view_context c = {.app = k->app, .s = s, .device = d, .chosen = &k->chosen};
    step_values values;
    int before = k->problems;
    if (!step_runs(s)) {
        check_text(k, &c, &s->idea, "idea");
        check_text(k, &c, &s->text, "text");
        return;
    }
    if (step_launches(s)) check_kernel(k, s);
    check_exercise(k, s);
    if (d->kind == DEVICE_GPU && !job_serves(s, USE_GPU)) return;
    if (!step_job(s)->kind->is_built(k->l, s)) {
        doc_say(k->d, 0, "SKIP step %s: its program was not built with this warpstep", s->name);
        return;
    }
    char why[300];
    if (k->problems > before || !step_settings(k->l, s, &k->chosen, &values, why, sizeof why)) return;
    c.values = &values;
    int status;
    c.r = session_result(k->app, s, d, run_values(k->app, &values), &status);
    if (!c.r) { /* the reason has been printed */
        complain(k, s->line, "step %s does not run", s->name);
        return;
    }
    if (!step_as_expected(s, c.r)) {
        complain(k, s->line, "step %s is not %s as the lesson expects", s->name, lesson_expected[s->expect]);
        show_failed(k, &c);
    }
    session_count(k->app, s, d, &values, c.r); /* texts mention counters, which a GPU does not have */
    check_text(k, &c, &s->idea, "idea");
    check_text(k, &c, &s->text, "text");
    check_text(k, &c, &s->explain, "explanation");
    check_predictions(k, &c);
    if (d->kind == DEVICE_SIM && !k->app->device_explicit && !k->given) check_looks(k, s, d);
    if (doc_is_data(k->d)) tell_why(k, s, d, &values);
}

/* One more run with fresh inputs, and with all checks. */
static const step_result *run_checked(checking *k, const lesson_step *s, const struct device *d, const step_values *v,
                                      int *status)
{
    run_as how = run_values(k->app, v);
    how.fresh = how.checked = true;
    return session_result(k->app, s, d, how, status);
}

/* Two runs of the step that differ in nothing but their inputs' seed. */
static bool same_run(const lesson *l, const lesson_step *s, const step_values *a, const step_values *b)
{
    for (int i = 0; i < l->setting_count; i++)
        if (a->value[i] != b->value[i] && step_uses(l, s, i)) return false;
    return true;
}

/* The step's own size and, with `also`, the sizes of `also:`. A size that the step does not allow
 * is skipped, and so is one that is too large for a card other than the lesson's own, and one that
 * changes nothing that the step uses. */
static void check_sizes(checking *k, const lesson_step *s, const struct device *d, bool also)
{
    char why[300];
    int status, runs = 1;
    if (!step_launches(s) || !step_job(s)->kind->is_built(k->l, s) ||
        (d->kind == DEVICE_GPU && !job_serves(s, USE_GPU)))
        return;
    step_values *run = calloc((size_t)k->l->also_count + 1, sizeof *run); /* the first: its own size */
    if (!run) {
        app_no_memory(k->app);
        k->problems++;
    }
    if (!run || !step_settings(k->l, s, &k->chosen, run, why, sizeof why)) {
        free(run);
        return;
    }
    view_context c = {.app = k->app, .s = s, .device = d, .chosen = &k->chosen, .values = run};
    c.r = run_checked(k, s, d, run, &status);
    if (!c.r || !step_as_expected(s, c.r)) {
        complain(k, s->line, "step %s with all checks%s", s->name,
                 c.r ? " is not as the lesson expects" : " does not run");
        if (c.r) show_failed(k, &c);
    }
    for (int i = 0; also && i < k->l->also_count && !app_interrupted; i++) {
        const lesson_also *a = &k->l->also[i];
        step_chosen chosen = k->chosen;
        step_values *values = &run[runs];
        if (run->fixed[a->setting]) continue;
        chosen.set[a->setting] = true;
        bool known = step_value(k->l, run, &a->value, &chosen.value[a->setting], why, sizeof why);
        if (known && a->with >= 0) {
            chosen.set[a->with] = true;
            known = step_value(k->l, run, &a->with_value, &chosen.value[a->with], why, sizeof why);
        }
        if (!known) {
            complain(k, a->line, "%s", why);
            break;
        }
        if (!step_settings(k->l, s, &chosen, values, why, sizeof why)) continue;
        bool done = false;
        for (int j = 0; j < runs; j++) done = done || same_run(k->l, s, &run[j], values);
        if (done) continue;
        runs++;
        const step_result *r = c.r = run_checked(k, s, d, values, &status);
        if (r && step_as_expected(s, r)) continue;
        const char *name = k->l->setting[a->setting].name;
        const long long v = (long long)values->value[a->setting];
        if (!r && status == EXIT_USAGE && k->app->device_explicit) {
            doc_say(k->d, 0, "SKIP step %s with %s = %lld", s->name, name, v);
            continue;
        }
        complain(k, s->line, "step %s with %s = %lld%s", s->name, name, v,
                 r ? " is not as the lesson expects" : " does not run");
        c.values = values;
        if (r) show_failed(k, &c);
    }
    free(run);
}

static int choose(struct app *app, const lesson *l, step_chosen *chosen, int argc, char **argv)
{
    for (int i = 0; i < l->check_count; i++) {
        char why[160];
        int setting = l->check[i].setting;
        chosen->set[setting] = expr_eval(&l->check[i].value, NULL, NULL, &chosen->value[setting], why, sizeof why);
    }
    int status = 0;
    for (int i = 0; i < argc && !status; i++) {
        char name[64];
        const char *equals = strchr(argv[i], '=');
        snprintf(name, sizeof name, "%.*s", equals ? (int)(equals - argv[i]) : 0, argv[i]);
        status = equals ? session_set(app, chosen, name, equals + 1)
                        : app_fail(app, EXIT_USAGE, "help check-lessons", "expected NAME=VALUE, not \"%s\"", argv[i]);
    }
    return status;
}

/* Files that no step names: left over, or a step was forgotten. */
static void check_strays(checking *k, const char *folder)
{
    DIR *d = opendir(folder);
    if (!d) return;
    for (const struct dirent *e; (e = readdir(d));) {
        const size_t length = strlen(e->d_name);                                 /* editors leave copies: NAME~ */
        const bool header = length > 2 && !strcmp(e->d_name + length - 2, ".h"); /* kernels include it */
        bool used = e->d_name[0] == '.' || e->d_name[length - 1] == '~' || !strcmp(e->d_name, "lesson.txt") ||
                    language_file(e->d_name, "lesson.txt") || !strcmp(e->d_name, "exercises") || header;
        for (int i = 0; i < k->l->step_count && !used; i++) {
            const lesson_step *s = &k->l->step[i];
            char ptx[160];
            used = s->kernel_file && (!strcmp(e->d_name, s->kernel_file) ||
                                      (step_ptx_name(s, ptx, sizeof ptx) && !strcmp(e->d_name, ptx)));
        }
        if (!used) complain(k, 1, "no step uses %s/%s", folder, e->d_name);
    }
    closedir(d);
}

/* The lesson's own simulated card, the same on every computer, unless another device was
 * requested. */
static int devices_for(struct app *app, const lesson_step *s, step_chosen *chosen, struct device out[DEVICES_MAX])
{
    int count;
    char label[64];
    if (app->device_explicit) return session_devices(app, s, chosen, out, &count);
    const char *card = s && s->card ? s->card : app->lesson->l->card;
    snprintf(label, sizeof label, "sim:%.40s", card ? card : DEFAULT_CARD);
    return device_parse(app, label, out, &count);
}

int lesson_check_run(struct app *app, int argc, char **argv)
{
    bool given = argc > 2; /* settings given: run with these alone, and only the steps */
    int lessons = 0;
    doc out = doc_open(app);
    translated words = {.d = &out};
    int status = session_lessons(app), steps = 0, exercises = 0, problems = 0, judged = 0;
    for (int i = 0; !status && i < app->lesson->list.count; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", app->lesson->list.entry[i].number);
        /* without a number: those of the author, where --lessons names some */
        if (argc > 1 ? strcmp(argv[1], number) != 0 : app->lessons_dirs.count && !app->lesson->list.entry[i].own)
            continue;
        lessons++;
        if (session_lesson(app, number)) { /* already reported, with its place */
            problems++;
            continue;
        }
        struct device d[DEVICES_MAX];
        checking k = {.app = app, .d = &out, .l = app->lesson->l, .given = given};
        if ((status = devices_for(app, NULL, &k.chosen, d))) return status;
        if ((status = choose(app, k.l, &k.chosen, given ? argc - 2 : 0, argv + 2))) break;
        if (!given) translated_check(&words, app->lesson->l, NULL, k.l->path);
        view_context c = {.app = app, .s = k.l->step, .device = &d[0], .chosen = &k.chosen};
        check_text(&k, &c, &app->lesson->l->about, "introduction");
        for (int s = 0; s < k.l->step_count && !app_interrupted; s++, steps++) {
            if ((status = devices_for(app, &k.l->step[s], &k.chosen, d))) return status;
            int before = k.problems;
            if (passed_over(&k, &k.l->step[s], &d[0])) continue;
            check_step(&k, &k.l->step[s], &d[0]);
            if (k.problems == before) check_sizes(&k, &k.l->step[s], &d[0], !given);
        }
        problems += k.problems;
        judged += k.truth.judged;
        if (given) continue;
        k.problems = 0;
        if (!k.l->own || app->lessons_only) { /* an own lesson may have the folder's name of a built-in one */
            check_strays(&k, k.l->kernels);
            (void)figures_check(app, complain_of_figure, &k);
        }
        check_strays(&k, k.l->own_kernels);
        problems += k.problems + exercise_author(&out, k.l, &exercises, &words);
    }
    if (!status && !lessons) /* a check that checked nothing has not passed */
        return argc > 1 ? app_fail(app, EXIT_USAGE, "lessons", "there is no lesson \"%s\"", argv[1])
                        : app_fail(app, EXIT_USAGE, "lessons", "there is no lesson of your own to check");
    problems += translated_sum(&words);
    char of_exercises[40] = "";
    if (exercises) snprintf(of_exercises, sizeof of_exercises, " and %d exercises", exercises);
    if (!status && judged)
        doc_line(&out, "%d sentence%s with two numbers and a word that compares them %s held to the run", judged,
                 judged == 1 ? "" : "s", judged == 1 ? "was" : "were");
    if (!status)
        doc_line(&out, "%d steps%s checked, %d problem%s", steps, of_exercises, problems, problems == 1 ? "" : "s");
    return status ? status : problems ? EXIT_CHECK : EXIT_DONE;
}
