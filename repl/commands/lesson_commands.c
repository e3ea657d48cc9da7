/* lesson_commands.c: the commands of a lesson, and their table. A command finds its step
 * (session.c), runs what is needed, and leaves printing to view/. */
#include "session/exercise_files.h"
#include "author/author.h"
#include "film_line.h"
#include "command.h"
#include "exec_report.h"
#include "session/session_program.h"
#include "view/view.h"
#include "shell/document.h"
#include "shell/progress.h"
#include "shell/terminal.h"
#include "shell/words.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- position and navigation ---- */

static int lessons_run(struct app *app, int argc, char **argv)
{
    (void)argv;
    if (argc > 1) return app_fail(app, EXIT_USAGE, "lesson 1", "lessons takes nothing after it");
    int status = session_lessons(app), worst = status;
    bool any = false;
    doc d = doc_open(app);
    for (int i = 0; !status && i < app->lesson->list.count; i++) {
        const lesson_entry *e = &app->lesson->list.entry[i];
        lesson *l;
        lesson_error err;
        if (!session_read(app, e, &l, &err)) {
            worst = EXIT_USAGE;
            json *j = doc_begin(&d, "lesson", "lesson %d, folder %s", e->number, e->folder);
            json_null(j, "title");
            json_keys(j, "steps %d, exercises %d, error %s", 0, 0, err.message);
            json_end(j);
            doc_line(&d, "%3d  %s: line %d: %s", e->number, e->folder, err.line, err.message);
            continue;
        }
        const int exercises = exercise_score_of(app, l).count;
        char count[60] = ", ", row[400], name[200];
        if (exercises) format_plural(count + 2, sizeof count - 2, (uint64_t)exercises, "exercise");
        snprintf(row, sizeof row, "%2d steps%s", l->step_count, exercises ? count : "");
        snprintf(name, sizeof name, "%3d  %s", e->number, l->title);
        doc_data(&d, "lesson", "lesson %d, folder %s, title %s, steps %d, exercises %d", e->number, e->folder, l->title,
                 l->step_count, exercises);
        if (utf8_width(name) > 50 || app->width < 52 + utf8_width(row)) {
            snprintf(name, sizeof name, "%3d", e->number);
            doc_entry(&d, 5, name, "%s", l->title);
            doc_say(&d, 5, "%s", row);
        } else {
            doc_line(&d, "%s%*s %s", name, 50 - utf8_width(name), "", row);
        }
        if (l->needs) doc_say(&d, 5, "needs %s", l->needs);
        any = any || exercises;
        lesson_free(l);
    }
    if (any) doc_say(&d, 0, "`lesson N` takes one up, `exercise N.K` its exercise K.");
    return worst;
}

static void show_lesson(struct app *app)
{
    const lesson *l = app->lesson->l;
    const exercise_score score = exercise_score_of(app, l);
    doc d = doc_open(app);
    json *j = doc_begin(&d, "lesson", "lesson %d, folder %s, title %s", l->number, l->folder, l->title);
    json_array(j, "steps");
    for (int i = 0; i < l->step_count; i++) json_text(j, NULL, l->step[i].name);
    json_close(j);
    json_array(j, "chapters");
    for (int i = 0; i < l->chapter_count; i++) {
        json_object(j, NULL);
        json_keys(j, "name %s, title %s, first %s", l->chapter[i].name, l->chapter[i].title,
                  l->step[l->chapter[i].first].name);
        json_close(j);
    }
    json_close(j);
    json_text(j, "at", app->lesson->s ? app->lesson->s->name : NULL);
    json_keys(j, "exercises %d, exercises_passed %d", score.count, score.passed);
    json_end(j);
    if (doc_is_data(&d)) return;
    const bool program = session_program_here(app) != NULL;
    if (program) doc_head(&d, "", "Kernels of %s", l->title);
    else doc_head(&d, "", "Lesson %d: %s", l->number, l->title);
    if (l->needs) doc_say(&d, 2, "You need: %s.", l->needs);
    doc_gap(&d);
    if (l->about.text) {
        view_context c = {.app = app, .chosen = session_chosen(app)};
        view_paragraphs(&d, &c, l->about.text);
        doc_gap(&d);
    }
    int wide = 14;
    for (int i = 0; i < l->step_count; i++)
        wide = utf8_width(l->step[i].name) > wide ? utf8_width(l->step[i].name) : wide;
    for (int i = 0; i < l->step_count; i++) {
        char name[100];
        const lesson_chapter *chapter = lesson_chapter_of(l, &l->step[i]);
        if (chapter && chapter->first == i) {
            doc_gap(&d);
            doc_head(&d, "", "  %s: %s", chapter->name, chapter->title);
        }
        snprintf(name, sizeof name, "  %s %s", &l->step[i] == app->lesson->s ? ">" : " ", l->step[i].name);
        doc_entry(&d, wide + 5, name, "%s", l->step[i].title);
    }
    if (score.count) {
        char text[200];
        exercise_offer(l, score, text, sizeof text);
        doc_gap(&d);
        doc_say(&d, 2, "%s", text);
    }
    if (!l->source) return;
    doc_gap(&d);
    doc_say(&d, 2, "Figures to compare with: %s.", l->source);
}

/* The text was written with the lesson's own card in mind. */
static void say_card(doc *d, const lesson_step *s, const step_result *r)
{
    const char *card = s->card ? s->card : d->app->lesson->l->card;
    if (!card || !strcmp(card, r->card)) return;
    doc_say(d, 2, "(The text speaks of %s, the numbers in it are of %s.)", card, r->device);
    doc_gap(d);
}

/* Counters for a run on a GPU, which has none. */
static void count_now(const view_context *c, const lesson_step *s, const step_result *r)
{
    step_values values;
    char why[200];
    if (step_settings(c->app->lesson->l, s, c->chosen, &values, why, sizeof why))
        session_count(c->app, s, c->device, &values, r);
}

/* The run of the previous step, for comparison; NULL: none. False: it failed. */
static bool run_before(const view_context *c, const lesson_step *before_step, const step_result **before, int *status)
{
    *before =
        before_step ? session_result(c->app, before_step, c->device, run_chosen(c->app, c->chosen), status) : NULL;
    return *before || !before_step;
}

/* "Why: ", with the card that counted, if that was another device. */
static void say_why(doc *d, const step_result *r, const step_result *before)
{
    char why[600], text[800];
    view_why_text(r, before, why, sizeof why, NULL);
    doc_gap(d);
    snprintf(text, sizeof text, "Why%s%s%s: %s", r->counted_on[0] ? " (counted on " : "", r->counted_on,
             r->counted_on[0] ? ")" : "", why);
    view_why_line(d, text);
}

/* A GPU misses most out-of-bounds accesses, and says little about those it catches. */
static void offer_check(doc *out, const lesson_step *s, const struct device *d, const step_result *r)
{
    struct device other;
    bool wrong = r->judged && !r->verdict.correct && s->expect == EXPECT_OK;
    if (d->kind != DEVICE_GPU || (!wrong && !r->faults) || session_count_device(out->app, d, &other)) return;
    doc_gap(out);
    doc_say(out, 2, "%s Find out where: run %s --device %s",
            r->faults ? "The GPU cannot say where this happened; the simulator can."
                      : "A GPU lets a stray access pass unless it leaves all memory; the simulator checks each.",
            session_step_name(out->app, s), other.label);
}

/* The screen down to the verdict. It is visible while the previous step runs for comparison. */
static void show_outcome(doc *d, view_context *c, bool with_text)
{
    view_step_head(d, c->s, c->r->device);
    if (with_text && c->s->idea.text) view_paragraphs(d, c, c->s->idea.text);
    doc_gap(d);
    view_run_outcome(c);
    fflush(d->out); /* show it before a child starts */
}

/* The figures that the progress line shows meanwhile. */
static void say_already(struct app *app, const step_result *r)
{
    char time[40], cycles[40], *out = app->lesson->already;
    const size_t size = sizeof app->lesson->already;
    *out = 0;
    if (r->has_cycles)
        snprintf(out, size, "%s, %s cycles", format_si(time, sizeof time, r->seconds, "s"),
                 format_count(cycles, sizeof cycles, (uint64_t)r->cycles));
}

static void offer_fault(doc *d, const lesson_step *s, const step_chosen *chosen, const step_result *r)
{
    char *words = r->simulated && r->faults ? film_words_of_step(d->app, s, chosen) : NULL;
    if (words) doc_gap(d);
    film_offer(d, words, r->fault, r->faults);
    free(words);
}

/* The first moment worth seeing, and how to get there. A demonstration plays them all. */
static void offer_look(doc *d, const lesson_step *s)
{
    if (!s->look_count || d->app->no_record) return;
    char *says = look_says(&s->look[0]);
    doc_gap(d);
    doc_say(d, 2, "Look: %s (step %s --look 1)", says ? says : "", session_step_name(d->app, s));
    free(says);
}

/* Run `s` on each device in turn and show each run. */
static int show_run(struct app *app, const lesson_step *s, step_chosen *chosen, bool with_text)
{
    struct device d[DEVICES_MAX];
    doc out = doc_open(app);
    int devices, status = session_devices(app, s, chosen, d, &devices), worst = EXIT_DONE;
    for (int i = 0; !status && i < devices; i++) {
        step_values values;
        view_context c = {.app = app, .s = s, .device = &d[i], .values = &values, .chosen = chosen};
        if ((status = session_values(app, s, chosen, &values))) return status;
        run_as how = run_chosen(app, chosen);
        how.fresh = true;
        const step_result *r = session_result(app, s, &d[i], how, &status), *before;
        if (!r) return status;
        bool good = step_as_expected(s, r);
        if (!good) worst = EXIT_CHECK;
        else if (r->gpu.doubt[0] && worst == EXIT_DONE) worst = EXIT_INCONCLUSIVE;
        char n[32];
        snprintf(n, sizeof n, "%" PRId64, app->lesson->l->setting_count ? values.value[0] : 0);
        char cycles[32], ms[32], gbps[32], gflops[32];
        bool timed = r->has_time && r->seconds > 0;
        snprintf(cycles, sizeof cycles, "%.0f", r->cycles);
        snprintf(ms, sizeof ms, "%.6g", 1e3 * r->seconds);
        snprintf(gbps, sizeof gbps, "%.4g", timed ? (double)r->bytes / r->seconds / 1e9 : 0);
        snprintf(gflops, sizeof gflops, "%.4g", timed ? (double)r->operations / r->seconds / 1e9 : 0);
        const char *pairs[] = {
            "device",
            r->device,
            "correct",
            r->judged ? (r->verdict.correct ? "yes" : "no") : NULL,
            "cycles",
            timed && r->has_cycles ? cycles : NULL,
            "ms",
            timed ? ms : NULL,
            "gbps",
            timed && r->bytes >= 0 ? gbps : NULL,
            "gflops",
            timed && r->operations >= 0 ? gflops : NULL,
            app->lesson->l->setting_count ? app->lesson->l->setting[0].name : NULL,
            n,
            NULL,
        };
        if (!s->snapshot) state_record(app, "run", session_step_name(app, s), pairs);
        if (good && !s->snapshot) state_record(app, "done", session_step_name(app, s), NULL);
        c.r = r;
        if (!doc_is_data(&out)) show_outcome(&out, &c, with_text);
        const lesson_step *before_step =
            step_launches(s) && (s->bytes.count || s->after) ? session_before(app, s, chosen) : NULL;
        say_already(app, r);
        const bool ran = run_before(&c, before_step, &before, &status);
        app->lesson->already[0] = 0;
        if (!ran) return status;
        view_run_json(&out, &c);
        if (doc_is_data(&out)) continue;
        count_now(&c, s, r);
        if (before) count_now(&c, before_step, before);
        view_run(&out, &c, before, before_step);
        view_gpu(&out, r);
        offer_check(&out, s, &d[i], r);
        offer_fault(&out, s, chosen, r);
        if ((s->bytes.count || s->after) && step_launches(s) && (r->simulated || !r->faults)) say_why(&out, r, before);
        if (with_text && s->text.text && i == devices - 1) {
            doc_gap(&out);
            say_card(&out, s, r);
            view_paragraphs(&out, &c, s->text.text);
        }
        if (with_text && i == devices - 1) offer_look(&out, s);
    }
    return status ? status : worst;
}

static int show_step(struct app *app, const lesson_step *s, step_chosen *chosen)
{
    doc d = doc_open(app);
    doc_data(&d, "step", "lesson %d, step %s, title %s, idea %s", app->lesson->l->number, s->name, s->title,
             s->idea.text);
    if (step_runs(s)) return show_run(app, s, chosen, true);
    view_context c = {.app = app, .s = s, .chosen = chosen};
    view_step_head(&d, s, "");
    view_paragraphs(&d, &c, s->idea.text);
    doc_gap(&d);
    fflush(d.out);
    int status = EXIT_DONE;
    step_chosen *outer = app->lesson->with;
    app->lesson->with = chosen;
    for (int i = 0; i < s->command_count && !status; i++) status = app_line(app, s->commands[i]);
    app->lesson->with = outer;
    if (s->text.text) {
        doc_gap(&d);
        view_paragraphs(&d, &c, s->text.text);
    }
    if (!status) state_record(app, "done", session_step_name(app, s), NULL);
    return status;
}

static int next_run(struct app *app, int argc, char **argv)
{
    (void)argv;
    if (argc > 1) return app_fail(app, EXIT_USAGE, "goto", "next takes nothing after it");
    int status = session_here(app);
    if (status) return status;
    const lesson *l = app->lesson->l;
    const lesson_step *s = app->lesson->s ? app->lesson->s + 1 : l->step;
    snprintf(app->repeat, sizeof app->repeat, "next");
    if (s == l->step + l->step_count) {
        app->repeat[0] = 0;
        doc d = doc_open(app);
        char offer[200] = "";
        exercise_score score = exercise_score_of(app, l);
        if (score.count) exercise_offer(l, score, offer, sizeof offer);
        doc_say(&d, 0,
                "That was the last step of lesson %d. %s%s`ladder` shows all of it, `lessons` what else there is.",
                l->number, offer, *offer ? " " : "");
        return EXIT_DONE;
    }
    session_stand(app, s);
    return show_step(app, s, session_chosen(app));
}

static int back_run(struct app *app, int argc, char **argv)
{
    (void)argv;
    if (argc > 1) return app_fail(app, EXIT_USAGE, "goto", "back takes nothing after it");
    int status = session_here(app);
    if (status) return status;
    const lesson_step *s = app->lesson->s;
    if (!s || s == app->lesson->l->step) {
        session_stand(app, NULL);
        show_lesson(app);
        return EXIT_DONE;
    }
    session_stand(app, s - 1);
    return show_step(app, s - 1, session_chosen(app));
}

static int goto_run(struct app *app, int argc, char **argv)
{
    const lesson_step *s;
    if (argc != 2) return app_fail(app, EXIT_USAGE, "help goto", "goto takes the name of a step");
    int status = session_step(app, argv[1], &s);
    if (status) return status;
    session_stand(app, s);
    return show_step(app, s, session_chosen(app));
}

static int lesson_run(struct app *app, int argc, char **argv)
{
    if (argc > 3)
        return app_fail(app, EXIT_USAGE, "help lesson",
                        "lesson takes a lesson and perhaps `next`, a chapter or a step");
    int status = argc > 1 ? session_lesson(app, argv[1]) : session_here(app);
    if (status) return status;
    struct lesson_state *st = app->lesson;
    session_recall(app); /* continue where the student stopped */
    if (argc == 3 && !strcmp(argv[2], "next")) return next_run(app, 1, argv);
    if (argc == 3) {
        const lesson_chapter *chapter = lesson_chapter_named(st->l, argv[2]);
        const bool step = lesson_step_named(st->l, argv[2], strlen(argv[2])) != NULL;
        char first[LESSON_NAME + 1];
        snprintf(first, sizeof first, "%s", chapter && !step ? st->l->step[chapter->first].name : "");
        char *words[] = {argv[0], *first ? first : argv[2]};
        return goto_run(app, 2, words);
    }
    show_lesson(app);
    exercise_leave(app);
    state_record(app, "at", session_step_name(app, st->s), NULL);
    snprintf(app->repeat, sizeof app->repeat, "next");
    return EXIT_DONE;
}

/* ---- running ---- */

/* The words of a command belong to its caller; removing some needs a copy of the list. */

static int copy_words(struct app *app, int argc, char **argv, char *out[LESSON_WORDS])
{
    if (argc > LESSON_WORDS) return app_fail(app, EXIT_USAGE, "help", "at most %d words", LESSON_WORDS);
    for (int i = 0; i < argc; i++) out[i] = argv[i];
    return 0;
}

/* Remove NAME=VALUE words: they are settings for this command alone. */
int lesson_take_settings(struct app *app, step_chosen *chosen, int *argc, char **argv)
{
    int kept = 1;
    for (int i = 1; i < *argc; i++) {
        char *equals = strchr(argv[i], '=');
        if (!equals) {
            argv[kept++] = argv[i];
            continue;
        }
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(equals - argv[i] < 63 ? equals - argv[i] : 63), argv[i]);
        int status = session_set(app, chosen, name, equals + 1);
        if (status) return status;
    }
    *argc = kept;
    return 0;
}

/* In an exercise the student means the answer, not the lesson's kernel. */
static int about_answer(struct app *app)
{
    return app_fail(app, EXIT_USAGE, "check",
                    "an exercise is at hand: `check` runs your answer and says what is wrong, `diff` shows what you "
                    "changed, `try FILE --why` says what its time goes to; for a step of the lesson, name it");
}

/* The step that a command is about: the first of its words, or the current step. */
static int step_of(struct app *app, int *argc, char **argv, const lesson_step **s)
{
    bool named = *argc > 1 && !strchr(argv[1], '=');
    if (!named && exercise_at_hand(app)) return about_answer(app);
    int status = session_step(app, named ? argv[1] : NULL, s);
    if (status || !named) return status;
    if (!app->lesson->s) app->lesson->s = *s; /* from now on `why` and `show` mean this step */
    for (int i = 1; i < *argc - 1; i++) argv[i] = argv[i + 1];
    --*argc;
    return 0;
}

/* A copy of the command's words without the step's name; *s: that step. */
int lesson_words_about(struct app *app, int *argc, char **words, char *argv[LESSON_WORDS], const lesson_step **s)
{
    int status = copy_words(app, *argc, words, argv);
    return status ? status : step_of(app, argc, argv, s);
}

static int run_run(struct app *app, int argc, char **words)
{
    const lesson_step *s;
    char *argv[LESSON_WORDS];
    int status = lesson_words_about(app, &argc, words, argv, &s);
    if (status) return status;
    struct lesson_state *st = app->lesson;
    step_chosen with = *session_chosen(app);
    const int words_all = argc;
    if ((status = lesson_take_settings(app, &with, &argc, argv))) return status;
    if (argc > 1) return app_fail(app, EXIT_USAGE, "help run", "run takes a step and settings, not \"%s\"", argv[1]);
    status = step_runs(s) ? show_run(app, s, &with, false) : show_step(app, s, &with);
    st->ran = argc < words_all ? s : NULL;
    st->ran_with = with;
    return status;
}

/* The difference from the previous step, what the warps wait for, and the time without that. */
static void put_why(doc *out, const view_context *c, const step_result *before, const lesson_step *before_step)
{
    const lesson_step *s = c->s;
    const step_result *r = c->r;
    char why[600], limit[300];
    limit_list without;
    why_causes causes;
    view_why_text(r, before, why, sizeof why, &causes);
    bool limited = r->has_usage && limit_text(&r->total, &r->usage, limit, sizeof limit);
    without.count = 0;
    if (!r->program) view_why_limits(c, &without);
    json *j = doc_begin(out, "why", "lesson %d, step %s, device %s", c->app->lesson->l->number, s->name, r->device);
    json_text(j, "before", before ? before_step->name : NULL);
    json_text(j, "why", why);
    if (r->counted_on[0]) json_text(j, "counted_on", r->counted_on);
    view_why_json(j, r, before, &causes);
    json_text(j, "limit", limited ? limit : NULL);
    limits_json(j, &without);
    json_end(j);
    doc_say(out, 0, "%s%s%s on %s%s%s%s: %s", s->name, before ? " after " : "", before ? before_step->name : "",
            r->device, r->counted_on[0] ? " (counted on " : "", r->counted_on, r->counted_on[0] ? ")" : "", why);
    if (limited) {
        doc_gap(out);
        doc_say(out, 0, "%s", limit);
    }
    if (r->program) {
        view_timeline(out, r);
        doc_gap(out);
        doc_say(out, 0,
                "`exec --why %s` says what its kernels wait for, `exec --timeline FILE %s` writes all of this "
                "for ui.perfetto.dev.",
                session_step_name(c->app, s), session_step_name(c->app, s));
    } else if (!doc_is_data(out)) {
        limits_show(c->app, &without);
    }
}

static int why_run(struct app *app, int argc, char **words)
{
    const lesson_step *s = NULL;
    struct device d[DEVICES_MAX];
    char *argv[LESSON_WORDS];
    int devices, status = lesson_words_about(app, &argc, words, argv, &s);
    if (status) return status;
    if (argc > 1) return app_fail(app, EXIT_USAGE, "help why", "why takes one step");
    if (!step_launches(s)) return app_fail(app, EXIT_USAGE, "next", "step %s runs no kernel", s->name);
    doc out = doc_open(app);
    step_chosen chosen = session_as_it_ran(&out, s);
    status = session_devices(app, s, &chosen, d, &devices);
    for (int i = 0; !status && i < devices; i++) {
        view_context c = {.app = app, .s = s, .device = &d[i], .chosen = &chosen};
        const lesson_step *before_step = session_before(app, s, &chosen);
        const step_result *before;
        if (!(c.r = session_result(app, s, &d[i], run_chosen(app, &chosen), &status)) ||
            !run_before(&c, before_step, &before, &status))
            break;
        count_now(&c, s, c.r);
        if (before) count_now(&c, before_step, before);
        put_why(&out, &c, before, before_step);
    }
    return status;
}

static int explain(doc *out, const lesson_step *s, step_chosen *chosen)
{
    struct app *app = out->app;
    int status;
    view_context c = {.app = app, .s = s, .chosen = chosen};
    struct device d[DEVICES_MAX];
    step_values values;
    int devices;
    if (step_runs(s)) {
        if ((status = session_devices(app, s, chosen, d, &devices)) ||
            (status = session_values(app, s, chosen, &values)))
            return status;
        c.device = &d[0];
        c.values = &values;
        if (!(c.r = session_result(app, s, &d[0], run_chosen(app, chosen), &status))) return status;
        count_now(&c, s, c.r);
    }
    if (doc_is_data(out)) {
        char *text = view_kept(&c, s->text.text ? s->text.text : ""),
             *more = view_kept(&c, s->explain.text ? s->explain.text : "");
        doc_data(out, "explain", "lesson %d, step %s, text %s, more %s", app->lesson->l->number, s->name, text, more);
        free(text);
        free(more);
        return EXIT_DONE;
    }
    view_step_head(out, s, c.r ? c.r->device : "");
    if (c.r) say_card(out, s, c.r);
    if (s->text.text) view_paragraphs(out, &c, s->text.text);
    if (s->explain.text) {
        doc_gap(out);
        view_paragraphs(out, &c, s->explain.text);
    }
    return EXIT_DONE;
}

static int explain_run(struct app *app, int argc, char **words)
{
    const lesson_step *s;
    char *argv[LESSON_WORDS];
    int status;
    if (exercise_explain(app, argc, words, &status)) return status;
    status = lesson_words_about(app, &argc, words, argv, &s);
    if (status) return status;
    if (argc > 1) return app_fail(app, EXIT_USAGE, "help explain", "explain takes one step");
    doc out = doc_open(app);
    step_chosen chosen = session_as_it_ran(&out, s);
    return explain(&out, s, &chosen);
}

static int progress_run(struct app *app, int argc, char **argv)
{
    (void)argv;
    if (argc > 1) return app_fail(app, EXIT_USAGE, "progress", "progress takes nothing after it");
    doc d = doc_open(app);
    int status = view_progress(&d);
    doc_gap(&d);
    doc_say(&d, 2,
            "Steps that ran rightly, guesses (`predict`) that were right, exercises that were passed. `exercise N.K` "
            "takes up exercise K of lesson N.");
    return status;
}

/* A chapter of the lesson at hand, by its full name: a prefix may be another lesson's. */
static bool chapter_here(const struct app *app, const char *name)
{
    const lesson *l = app->lesson ? app->lesson->l : NULL;
    const lesson_chapter *c = l ? lesson_chapter_named(l, name) : NULL;
    return c && !strcmp(c->name, name);
}

static int ladder_run(struct app *app, int argc, char **argv)
{
    const char *metric = NULL;
    int status = 0, at = 1;
    if (argc > at && exec_names_program(argv[at])) return exec_ladder_of(app, argc - at, argv + at);
    const struct session_program *p = session_program_here(app);
    if (p && argc == at) return exec_ladder(app, &(struct exec_rung){p->name, p->device.label, &p->record}, 1);
    const lesson_chapter *of = NULL;
    if (argc > at && metric_named(argv[at], strlen(argv[at])) < 0 && !chapter_here(app, argv[at]))
        status = session_lesson(app, argv[at++]);
    else status = session_here(app);
    if (status) return status;
    const lesson *l = app->lesson->l;
    if (argc > at && metric_named(argv[at], strlen(argv[at])) < 0) {
        if (!(of = lesson_chapter_named(l, argv[at])) && l->chapter_count)
            return app_fail(app, EXIT_USAGE, "lesson", "lesson %d has no chapter \"%s\", and there is no such metric",
                            l->number, argv[at]);
        at += of != NULL;
    }
    if (argc > at) metric = argv[at++];
    if (argc > at)
        return app_fail(app, EXIT_USAGE, "help ladder", "ladder takes a lesson and a metric, not \"%s\"", argv[at]);
    return view_ladder(app, of, metric);
}

static int sweep_run(struct app *app, int argc, char **argv)
{
    const lesson_step *s;
    int64_t values[64];
    const char *metric = NULL;
    if (argc < 3) return app_fail(app, EXIT_USAGE, "help sweep", "sweep takes a setting and its values");
    int status = session_step(app, NULL, &s);
    if (status) return status;
    if (!step_runs(s)) return app_fail(app, EXIT_USAGE, "goto", "step %s runs nothing", s->name);
    if (argc > 3 && metric_named(argv[argc - 1], strlen(argv[argc - 1])) >= 0) metric = argv[--argc];
    int count = view_sweep_values(app, argc - 2, argv + 2, values, 64);
    return count < 0 ? EXIT_USAGE : view_sweep(app, argv[1], values, count, metric);
}

static int show_command(struct app *app, int argc, char **argv)
{
    static const char *const topics[] = {"source",   "ptx",   "diff", "mem",     "banks",
                                         "counters", "lines", "host", "roofline"};
    enum { HOST = 7, COUNT = sizeof topics / sizeof *topics };
    int topic = -1;
    for (int i = 0; argc > 1 && i < COUNT; i++)
        if (!strncmp(topics[i], argv[1], strlen(argv[1]))) {
            topic = i;
            break;
        }
    if (topic < 0)
        return app_fail(app, EXIT_USAGE, "help show",
                        "show takes source, ptx, diff, mem, banks, counters, lines, host or roofline");
    int line = 0;
    bool ptx = false;
    const char *name = NULL;
    char *words[LESSON_WORDS]; /* settings begin at 1, as after a command's name */
    int settings = 1;
    step_chosen with;
    if (topic == COUNT - 1) /* roofline: about the whole lesson */
        return argc > 2 ? app_fail(app, EXIT_USAGE, "help show", "show roofline takes nothing else")
                        : view_show_roofline(app);
    for (int i = 2; i < argc; i++) {
        char *end;
        long number = strtol(argv[i], &end, 10);
        if (!*end && (topic == 3 || topic == 4) && number > 0 && number < 1000000) line = (int)number;
        else if (topic == 2 && !strcmp(argv[i], "ptx")) ptx = true;
        else if (topic == HOST && strchr(argv[i], '=') && settings < LESSON_WORDS) words[settings++] = argv[i];
        else if (!name) name = argv[i];
        else return app_fail(app, EXIT_USAGE, "help show", "show %s does not take \"%s\"", topics[topic], argv[i]);
    }
    const lesson_step *s;
    int status = !name && exercise_at_hand(app) ? about_answer(app) : session_step(app, name, &s);
    if (status) return status;
    if (!app->lesson->s) app->lesson->s = s;
    if (topic == HOST) {
        if (!step_runs(s)) return app_fail(app, EXIT_USAGE, "next", "step %s runs no program", s->name);
        with = *session_chosen(app);
        status = lesson_take_settings(app, &with, &settings, words);
        return status ? status : view_show_host(app, s, &with);
    }
    if (!step_launches(s)) return app_fail(app, EXIT_USAGE, "next", "step %s runs no kernel", s->name);
    if (topic > 2 && step_program(s))
        return app_fail(
            app, EXIT_USAGE, "why",
            "%s is a whole program, of which warpstep counts no single accesses; `exec --lines %s` says which "
            "lines take its time",
            session_step_name(app, s), session_step_name(app, s));
    switch (topic) {
    case 0: return view_show_source(app, s, false);
    case 1: return view_show_source(app, s, true);
    case 2: return view_show_diff(app, s, ptx);
    }
    doc out = doc_open(app);
    step_chosen chosen = session_as_it_ran(&out, s);
    return topic == 3   ? view_show_mem(app, s, &chosen, line)
           : topic == 4 ? view_show_banks(app, s, &chosen, line)
           : topic == 5 ? view_show_counters(app, s, &chosen)
                        : view_show_lines(app, s, &chosen);
}

/* ---- completion ---- */

static void add_chapters(const lesson *l, struct words *out)
{
    for (int i = 0; l && i < l->chapter_count; i++) words_add(out, l->chapter[i].name);
}

/* Chapters of the lesson that a word names; it need not be the one at hand. */
static void add_chapters_of(struct app *app, const char *name, struct words *out)
{
    lesson *l;
    lesson_error err;
    const lesson_entry *e = session_entry(app, name);
    if (!e || !session_read(app, e, &l, &err)) return;
    add_chapters(l, out);
    lesson_free(l);
}

static void complete_lessons(struct app *app, int argc, char **argv, struct words *out)
{
    if (argc == 2) {
        words_add(out, "next");
        add_chapters_of(app, argv[1], out);
    }
    if (argc != 1 || session_lessons(app)) return;
    for (int i = 0; i < app->lesson->list.count; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", app->lesson->list.entry[i].number);
        words_add(out, number);
        words_add(out, strchr(app->lesson->list.entry[i].folder, '-') + 1);
    }
}

static void add_steps(struct app *app, struct words *out)
{
    const lesson *l = app->lesson ? app->lesson->l : NULL;
    for (int i = 0; l && i < l->step_count; i++) words_add(out, l->step[i].name);
}

void lesson_complete_steps(struct app *app, int argc, char **argv, struct words *out)
{
    (void)argv;
    if (argc == 1) add_steps(app, out);
}

static void complete_show(struct app *app, int argc, char **argv, struct words *out)
{
    (void)argv;
    if (argc == 1) words_split(out, "source ptx diff mem banks counters lines host roofline");
    else add_steps(app, out);
}

static void complete_sweep(struct app *app, int argc, char **argv, struct words *out)
{
    (void)argv;
    if (argc == 1 && app->lessons) app->lessons->settings(app, out);
}

static void complete_ladder(struct app *app, int argc, char **argv, struct words *out)
{
    if (argc == 2) add_chapters_of(app, argv[1], out);
    else if (argc == 1 && app->lesson) add_chapters(app->lesson->l, out);
    for (int m = 0; argc <= 2 && metrics[m].id; m++) words_add(out, metrics[m].id);
}

const struct command lesson_commands[] = {
    {"lessons", 7, "Lessons", "", "list the lessons",
     "Lists the lessons that were found. --lessons DIR names a folder of your own.\n\nExample:  lessons\n", lessons_run,
     NULL},
    {"lesson", 6, "Lessons", "[N [next|CHAPTER]]", "take up a lesson, or go on in it",
     "Shows a lesson's steps and takes it up where you stopped. N is its number or its\n"
     "name. `lesson N next` goes on at once, from a shell too. `lesson N CHAPTER` begins\n"
     "at a chapter.\n"
     "\n"
     "Example:  lesson 1 next\n",
     lesson_run, complete_lessons},
    {"next", 1, "Lessons", "", "go on to the next step",
     "Goes to the next step of the lesson, runs it and explains what is seen. An\n"
     "empty line repeats it.\n"
     "\n"
     "Example:  next\n",
     next_run, NULL},
    {"back", 1, "Lessons", "", "go back to the step before",
     "Goes back one step and runs it again.\n\nExample:  back\n", back_run, NULL},
    {"goto", 1, "Lessons", "STEP", "go to a step by name",
     "Goes to a step, of this lesson (v3) or of another (1.v3), and runs it.\n\nExample:  goto v4\n", goto_run,
     lesson_complete_steps},
    {"run", 1, "Lessons", "[STEP] [SETTING=VALUE ...]", "run a step",
     "Runs the step at hand, or another one without going there. Each run has fresh\n"
     "inputs and is checked against the CPU. Settings given here hold for this run and\n"
     "for what `why`, `explain` and `show` say of it.\n"
     "\n"
     "Example:  run v3 threads=128\n",
     run_run, lesson_complete_steps},
    {"predict", 0, "Lessons", "[STEP] [ANSWER]", "guess before you look",
     "Asks what the next step will do. Answer with the number of a choice, or with the\n"
     "number asked for; then the step is run to see whether you were right. The first\n"
     "answer to each question counts.\n"
     "\n"
     "Example:  predict v3 2\n",
     lesson_predict_run, lesson_complete_steps},
    {"why", 1, "Look", "[STEP]", "what made the difference, in a sentence",
     "Says what made the difference to the step before, drawn from the counters of\n"
     "both. On a simulated card with a clock it also says what the warps wait for, and\n"
     "what the step would take without that: the card is changed and the step run.\n"
     "\n"
     "Example:  why v3\n",
     why_run, lesson_complete_steps},
    {"explain", 0, "Look", "[STEP]", "the text of a step, and more",
     "Shows the text of a step again, with what there is to say beyond it.\n\nExample:  explain v1\n", explain_run,
     lesson_complete_steps},
    {"show", 1, "Look", "WHAT [STEP] [LINE]", "look at a step's code, memory or counters",
     "show source      the kernel\n"
     "show ptx         what the compiler made of it\n"
     "show diff [ptx]  what changed since the step before\n"
     "show mem [LINE]  which addresses the 32 lanes of a warp touch\n"
     "show roofline      the card's limits, and the lesson's steps under them\n"
     "show banks [LINE]  how an access to shared memory falls on the banks\n"
     "show counters    everything that was counted\n"
     "show lines       the counters of each line of the kernel\n"
     "show host [NAME=VALUE]  the whole program that would run the step; in a shell:\n"
     "                 warpstep show host 1.v3 >v3.cu, then nvcc or `exec v3.cu`\n"
     "\n"
     "Example:  show mem v2\n",
     show_command, complete_show},
    {"ladder", 0, "Measure", "[N [CHAPTER]] [METRIC] | PROGRAM...", "all steps in one table and chart",
     "Runs every step of the lesson that has not been run and shows them together: a\n"
     "table and a bar chart of one metric, with the article's figures below the bars. A\n"
     "lesson with chapters has a table and a chart for each; of one chapter all steps.\n"
     "Of programs (a .cu file, a path): runs each as `exec` does, and shows all of\n"
     "their kernels. After `exec`, without a word: the kernels of that program.\n"
     "\n"
     "Example:  ladder 1 transactions\n",
     ladder_run, complete_ladder},
    {"sweep", 0, "Measure", "SETTING FROM TO | VALUES [METRIC]", "one step over values of a setting",
     "Runs the step at hand for each value of a setting: doubling from FROM to TO, or\n"
     "the three or more values given. Shows a table and a chart.\n"
     "\n"
     "Example:  sweep threads 32 512\n",
     sweep_run, complete_sweep},
    {"progress", 0, "Lessons", "", "what you have done so far",
     "Shows how many steps of each lesson you have run rightly, how many of your\n"
     "predictions were right, and how many exercises you have passed.\n"
     "\n"
     "Example:  progress\n",
     progress_run, NULL},
    {0},
};

const struct command author_commands[] = {
    {"check-lessons", 13, "For authors", "[N [NAME=VALUE...]]", "hold lessons to what they say",
     "Reads every lesson, runs every step with its defaults and reports what does not\n"
     "agree: a wrong answer, a number that a text names and the run lacks, a question\n"
     "without exactly one right answer, a missing or unused file. With settings it\n"
     "runs the steps of one lesson with these, where a step allows them.\n"
     "\n"
     "Example:  check-lessons 1\n"
     "          check-lessons 2 n=999\n",
     lesson_check_run, complete_lessons},
    {0},
};
