/* lesson_walk.c: where the student is and goes: lessons, lesson, next, back, goto. */
#include "lesson_run.h"
#include "session/exercise_files.h"
#include "session/session_job.h"
#include "shell/format.h"
#include "shell/language.h"
#include "shell/progress.h"
#include <string.h>

int lesson_lessons_run(struct app *app, int argc, char **argv)
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
        char count[60], row[400], name[200];
        format_plural(count, sizeof count, (uint64_t)exercises, "exercise");
        snprintf(row, sizeof row, TR("%2d steps%s%s"), l->step_count, exercises ? TR(", ") : "",
                 exercises ? count : "");
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
        char place[1200];
        if (e->own && (!app->lessons_only || e->took[0]))
            doc_say(&d, 5, "%s", session_own_place(e, place, sizeof place));
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
    if (session_job(l->step_count ? l->step : NULL)->numbered) doc_head(&d, "", "Lesson %d: %s", l->number, l->title);
    else doc_head(&d, "", "Kernels of %s", l->title);
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
            if (i) doc_gap(&d);
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

/* After the last step, or the last that the device `passed` left; `can` runs the others, NULL: nobody knows of one. */
static int end_lesson(struct app *app, const char *passed, const char *can)
{
    const lesson *l = app->lesson->l;
    doc d = doc_open(app);
    char offer[200] = "", end[300];
    exercise_score score = exercise_score_of(app, l);
    app->repeat[0] = 0;
    if (score.count) exercise_offer(l, score, offer, sizeof offer);
    if (can)
        snprintf(end, sizeof end,
                 TR("Lesson %d has no further step that %.60s can run; `set device %.60s`, then `next`, goes on."),
                 l->number, passed, can);
    else if (passed)
        snprintf(end, sizeof end, TR("Lesson %d has no further step that %.60s can run."), l->number, passed);
    else snprintf(end, sizeof end, TR("That was the last step of lesson %d."), l->number);
    doc_say(&d, 0,
            *offer ? "%s %s `ladder` shows all its steps, `lessons` lists the other lessons."
                   : "%s%s `ladder` shows all its steps, `lessons` lists the other lessons.",
            end, offer);
    return EXIT_DONE;
}

int lesson_next_run(struct app *app, int argc, char **argv)
{
    (void)argv;
    if (argc > 1) return app_fail(app, EXIT_USAGE, "goto", "next takes nothing after it");
    int status = session_here(app);
    if (status) return status;
    const lesson *l = app->lesson->l;
    const lesson_step *s = app->lesson->s ? app->lesson->s + 1 : l->step;
    snprintf(app->repeat, sizeof app->repeat, "next");
    if (s == l->step + l->step_count) return end_lesson(app, NULL, NULL);
    char why[200];
    for (; s < l->step + l->step_count && session_passes_over(app, s, why, sizeof why); s++) {
        doc d = doc_open(app);
        doc_data(&d, "passed_over", "lesson %d, step %s, why %s", l->number, s->name, why);
        doc_say(&d, 0, "%s is passed over: %s.", session_step_name(app, s), why);
    }
    if (s == l->step + l->step_count) {
        struct device d[DEVICES_MAX], can;
        int devices;
        if ((status = session_devices(app, s - 1, session_chosen(app), d, &devices))) return status;
        return end_lesson(app, devices == 1 ? d[0].label : TR("these devices"),
                          session_card_that_can(app, s - 1, DEFAULT_CARD, &can) ? can.label : NULL);
    }
    session_stand(app, s);
    bool answered;
    if ((status = lesson_ask(app, s, &answered))) return status;
    return lesson_show_step(app, s, session_chosen(app), answered);
}

int lesson_back_run(struct app *app, int argc, char **argv)
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
    return lesson_show_step(app, s - 1, session_chosen(app), false);
}

int lesson_goto_run(struct app *app, int argc, char **argv)
{
    const lesson_step *s;
    if (argc != 2) return app_fail(app, EXIT_USAGE, "help goto", "goto takes the name of a step");
    int status = session_step(app, argv[1], &s);
    if (status) return status;
    session_stand(app, s);
    return lesson_show_step(app, s, session_chosen(app), false);
}

int lesson_lesson_run(struct app *app, int argc, char **argv)
{
    if (argc > 3)
        return app_fail(app, EXIT_USAGE, "help lesson",
                        "lesson takes a lesson and perhaps `next`, a chapter or a step");
    int status = argc > 1 ? session_lesson(app, argv[1]) : session_here(app);
    if (status) return status;
    struct lesson_state *st = app->lesson;
    session_recall(app); /* continue where the student stopped */
    if (argc == 3 && !strcmp(argv[2], "next")) return lesson_next_run(app, 1, argv);
    if (argc == 3) {
        const lesson_chapter *chapter = lesson_chapter_named(st->l, argv[2]);
        const bool step = lesson_step_named(st->l, argv[2], strlen(argv[2])) != NULL;
        char first[LESSON_NAME + 1];
        snprintf(first, sizeof first, "%s", chapter && !step ? st->l->step[chapter->first].name : "");
        char *words[] = {argv[0], *first ? first : argv[2]};
        return lesson_goto_run(app, 2, words);
    }
    show_lesson(app);
    exercise_leave(app);
    state_record(app, "at", session_step_name(app, st->s), NULL);
    snprintf(app->repeat, sizeof app->repeat, "next");
    return EXIT_DONE;
}
