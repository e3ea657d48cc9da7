/* lesson_run.c: a step that runs, from its launch to the exercise that practises it: `run`, and what
 * `next`, `back` and `goto` show. */
#include "lesson_run.h"
#include "film_line.h"
#include "session/exercise_files.h"
#include "shell/format.h"
#include "shell/language.h"
#include "shell/progress.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The text was written with the lesson's own card in mind. */
void lesson_say_card(doc *d, const lesson_step *s, const step_result *r)
{
    const char *card = s->card ? s->card : d->app->lesson->l->card;
    if (!card || !strcmp(card, r->card)) return;
    doc_say(d, 2, "(The text is about %s; its numbers are from %s.)", card, r->device);
    doc_gap(d);
}

/* Counters for a run on a GPU, which has none. */
void lesson_count_now(const view_context *c, const lesson_step *s, const step_result *r)
{
    step_values values;
    char why[200];
    if (step_settings(c->app->lesson->l, s, c->chosen, &values, why, sizeof why))
        session_count(c->app, s, c->device, &values, r);
}

/* The run of the previous step, for comparison; NULL: none. False: it failed. */
bool lesson_run_before(const view_context *c, const lesson_step *before_step, const step_result **before, int *status)
{
    char why[200];
    if (before_step && session_lacks(c->app, before_step, c->device, why, sizeof why)) before_step = NULL;
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
    if (r->counted_on[0]) snprintf(text, sizeof text, TR("Why (counted on %s): %s"), r->counted_on, why);
    else snprintf(text, sizeof text, TR("Why: %s"), why);
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
            r->faults ? TR("The GPU cannot say where this happened; the simulator can.")
                      : TR("A GPU detects an out-of-bounds access only outside all allocations; "
                           "the simulator checks every access."),
            session_step_name(out->app, s), other.label);
}

/* The screen down to the verdict. It is visible while the previous step runs for comparison. */
static void show_outcome(doc *d, view_context *c, bool with_text)
{
    view_step_head(d, c->s, c->r->device);
    if (with_text && c->s->idea.text) view_paragraphs(d, c, c->s->idea.text);
    doc_gap(d);
    view_run_outcome(d, c);
    doc_flush(d); /* show it before a child starts */
}

/* The figures that the progress line shows meanwhile. */
static void say_already(struct app *app, const step_result *r)
{
    char time[40], cycles[40], *out = app->lesson->already;
    const size_t size = sizeof app->lesson->already;
    *out = 0;
    if (r->has_cycles)
        snprintf(out, size, TR("%s, %s cycles"), format_si(time, sizeof time, r->seconds, "s"),
                 format_count(cycles, sizeof cycles, (uint64_t)r->cycles));
}

static void offer_fault(doc *d, const lesson_step *s, const step_chosen *chosen, const step_result *r)
{
    char *words = r->simulated && r->faults ? film_words_of_step(d->app, s, chosen) : NULL;
    if (words && film_fault(r->fault, r->faults)) doc_gap(d);
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

static void offer_exercise(doc *d, const lesson_step *s)
{
    char text[200];
    if (!s->exercise || d->app->no_record || !exercise_offer_of(d->app, s->exercise, text, sizeof text)) return;
    doc_gap(d);
    doc_say(d, 2, "%s", text);
}

/* Run `s` on each device in turn and show each run. */
static int show_run(struct app *app, const lesson_step *s, step_chosen *chosen, bool with_text, bool seen)
{
    struct device d[DEVICES_MAX];
    doc out = doc_open(app);
    int devices, status = session_devices(app, s, chosen, d, &devices), worst = EXIT_DONE;
    for (int i = 0; !status && i < devices; i++) {
        step_values values;
        view_context c = {.app = app, .s = s, .device = &d[i], .values = &values, .chosen = chosen};
        char lacks[200];
        if ((status = session_values(app, s, chosen, &values))) return status;
        if (devices > 1 && session_lacks(app, s, &d[i], lacks, sizeof lacks)) {
            app_warn(app, "%s is passed over on %s: %s", session_step_name(app, s), d[i].label, lacks);
            continue;
        }
        run_as how = run_chosen(app, chosen);
        how.fresh = !seen;
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
        if (step_job(s)->kind->in_course) state_record(app, "run", session_step_name(app, s), pairs);
        if (good && step_job(s)->kind->in_course) state_record(app, "done", session_step_name(app, s), NULL);
        c.r = r;
        show_outcome(&out, &c, with_text && !seen);
        const lesson_step *before_step =
            step_launches(s) && (s->bytes.count || s->after) ? session_before(app, s, chosen) : NULL;
        say_already(app, r);
        const bool ran = lesson_run_before(&c, before_step, &before, &status);
        app->lesson->already[0] = 0;
        if (!ran) return status;
        view_run_json(&out, &c);
        if (doc_is_data(&out)) continue;
        lesson_count_now(&c, s, r);
        if (before) lesson_count_now(&c, before_step, before);
        const bool code = with_text && i == devices - 1;
        const bool beside = code && view_run_with_code(&out, &c, before, before_step);
        if (!beside) view_run(&out, &c, before, before_step);
        view_gpu(&out, r);
        offer_check(&out, s, &d[i], r);
        offer_fault(&out, s, chosen, r);
        if (code && !beside) view_step_code(&out, &c, before_step);
        if ((s->bytes.count || s->after) && step_launches(s) && (r->simulated || !r->faults)) say_why(&out, r, before);
        if (with_text && s->text.text && i == devices - 1) {
            doc_gap(&out);
            lesson_say_card(&out, s, r);
            view_paragraphs(&out, &c, s->text.text);
        }
        if (with_text && i == devices - 1) {
            view_new_words(&out, s);
            offer_look(&out, s);
            offer_exercise(&out, s);
        }
    }
    return status ? status : worst;
}

/* At the first step of a chapter. */
static void put_chapter(doc *d, const lesson_step *s)
{
    const lesson *l = d->app->lesson->l;
    const lesson_chapter *c = lesson_chapter_of(l, s);
    if (c && &l->step[c->first] == s) doc_styled(d, 0, STYLE_DIM, "%s: %s", c->name, c->title);
}

int lesson_show_step(struct app *app, const lesson_step *s, step_chosen *chosen, bool seen)
{
    doc d = doc_open(app);
    put_chapter(&d, s);
    doc_data(&d, "step", "lesson %d, step %s, title %s, idea %s", app->lesson->l->number, s->name, s->title,
             s->idea.text);
    if (step_runs(s)) return show_run(app, s, chosen, true, seen);
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
    view_new_words(&d, s);
    offer_exercise(&d, s);
    if (!status) state_record(app, "done", session_step_name(app, s), NULL);
    return status;
}

int lesson_run_run(struct app *app, int argc, char **words)
{
    const lesson_step *s;
    char *argv[LESSON_WORDS];
    int status = lesson_words_about(app, &argc, words, argv, &s);
    if (status) return status;
    step_chosen with = *session_chosen(app);
    if ((status = lesson_take_settings(app, &with, &argc, argv))) return status;
    if (argc > 1) return app_fail(app, EXIT_USAGE, "help run", "run takes a step and settings, not \"%s\"", argv[1]);
    status = step_runs(s) ? show_run(app, s, &with, false, false) : lesson_show_step(app, s, &with, false);
    if (status == EXIT_DONE || status == EXIT_CHECK || status == EXIT_INCONCLUSIVE) session_has_run(app, s, &with);
    return status;
}
