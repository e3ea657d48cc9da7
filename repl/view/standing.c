/* standing.c: `progress`: what the student has done so far, according to the journal. */
#include "session/exercise_files.h"
#include "shell/progress.h"
#include "shell/words.h"
#include "view.h"
#include "shell/language.h"
#include <string.h>

/* ---- guesses: the first answer to each question ---- */

struct tally {
    struct words seen;
    predict_score score;
    const char *prefix; /* "1." or "" */
};

static bool count_answer(void *arg, const struct state_event *e)
{
    struct tally *t = arg;
    const char *right = state_value(e, "right"), *question = state_value(e, "question");
    if (strcmp(e->verb, "predict") || !right || strncmp(e->step, t->prefix, strlen(t->prefix))) return true;
    char key[128];
    snprintf(key, sizeof key, "%.80s/%.20s", e->step, question ? question : "");
    if (words_have(&t->seen, key)) return true;
    words_add(&t->seen, key);
    t->score.asked++;
    t->score.right += !strcmp(right, "yes");
    t->score.streak = strcmp(right, "yes") ? 0 : t->score.streak + 1;
    return true;
}

predict_score predict_score_of(struct app *app, const char *prefix)
{
    struct tally t = {.prefix = prefix};
    state_each(app, count_answer, &t);
    words_free(&t.seen);
    return t.score;
}

/* ---- steps ---- */

static bool count_done(void *arg, const struct state_event *e)
{
    struct words *done = arg;
    if (!strcmp(e->verb, "done") && !words_have(done, e->step)) words_add(done, e->step);
    return true;
}

static void put_lesson(doc *d, const lesson *l, const struct words *done)
{
    int steps = 0;
    char name[64], parts[3][40] = {""};
    for (int k = 0; k < l->step_count; k++) {
        snprintf(name, sizeof name, "%d.%s", l->number, l->step[k].name);
        steps += words_have(done, name);
    }
    snprintf(name, sizeof name, "%d.", l->number);
    const predict_score guesses = predict_score_of(d->app, name);
    const exercise_score exercises = exercise_score_of(d->app, l);
    doc_data(d, "progress",
             "lesson %d, title %s, done %d, steps %d, predictions %d, predictions_right %d, exercises %d, "
             "exercises_passed %d",
             l->number, l->title, steps, l->step_count, guesses.asked, guesses.right, exercises.count,
             exercises.passed);
    snprintf(name, sizeof name, "%d", l->number);
    snprintf(parts[0], sizeof parts[0], TR("%d of %d"), steps, l->step_count);
    if (guesses.asked) snprintf(parts[1], sizeof parts[1], TR("%d of %d"), guesses.right, guesses.asked);
    if (exercises.count) snprintf(parts[2], sizeof parts[2], TR("%d of %d"), exercises.passed, exercises.count);
    doc_row(d, name, l->title, parts[0], parts[1], parts[2]);
}

int view_progress(doc *d)
{
    struct app *app = d->app;
    int status = session_lessons(app), worst = EXIT_DONE;
    if (status) return status;
    struct words done = {0};
    state_each(app, count_done, &done);
    doc_table(d, "rwppp");
    doc_row(d, "", "lesson", "steps", "guesses", "exercises");
    doc_rule(d);
    for (int i = 0; i < app->lesson->list.count; i++) {
        const lesson_entry *e = &app->lesson->list.entry[i];
        lesson *l;
        lesson_error err;
        if (session_read(app, e, &l, &err)) {
            put_lesson(d, l, &done);
            lesson_free(l);
            continue;
        }
        app_warn(app, "lesson %d is left out: %s:%d: %s", e->number, err.file, err.line, err.message);
        worst = EXIT_USAGE;
    }
    doc_table_end(d, 2);
    words_free(&done);
    return worst;
}
