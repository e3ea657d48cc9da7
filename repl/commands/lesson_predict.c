/* lesson_predict.c: `predict`, which asks before it shows, and `progress`. The answer is never
 * written in a lesson: it is worked out from the counters of the runs. The journal keeps each
 * answer; the first one to a question counts. */
#include "session/exercise_files.h"
#include "view/view.h"
#include "shell/format.h"
#include "shell/progress.h"
#include "shell/terminal.h"
#include "shell/words.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the score ---- */

struct tally {
    struct words seen;
    int asked, right;
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
    t->asked++;
    t->right += !strcmp(right, "yes");
    return true;
}

/* ---- asking ---- */

static int ask(view_context *c, const lesson_predict *p, int number)
{
    struct app *app = c->app;
    int status;
    c->missing = false;
    char *question = view_expand(c, p->question.text);
    if (c->missing) { /* a number of the step itself, which is run for it without being shown */
        free(question);
        if (!(c->r = session_result(app, c->s, c->device, NULL, false, false, &status))) return status;
        session_count(app, c->s, c->device, c->values, c->r);
        c->missing = false;
        question = view_expand(c, p->question.text);
    }
    if (c->missing) {
        free(question);
        return app_fail(app, EXIT_USAGE, "next", "the question of step %s needs numbers that a run on %s does not have",
                        c->s->name, c->device->label);
    }
    if (app->json) {
        json j;
        json_begin(&j, app->out, "question");
        json_int(&j, "lesson", app->lesson->l->number);
        json_text(&j, "step", c->s->name);
        json_int(&j, "question", number);
        json_text(&j, "text", question);
        json_array(&j, "choices");
        for (int i = 0; i < p->choices; i++) json_text(&j, NULL, p->choice[i].text);
        json_close(&j);
        json_end(&j);
    } else {
        fprintf(app->out, "%s%s%s\n", app_style(app, STYLE_HEAD), session_step_name(app, c->s),
                app_style(app, STYLE_PLAIN));
        if (c->s->idea.text) view_paragraphs(c, 2, c->s->idea.text);
        fputc('\n', app->out);
        app_wrap(app, 2, question ? question : "");
        for (int i = 0; i < p->choices; i++) fprintf(app->out, "    %d  %s\n", i + 1, p->choice[i].text);
    }
    free(question);
    return 0;
}

static bool read_guess(const char *text, const lesson_predict *p, double *out)
{
    char digits[64];
    size_t n = 0;
    for (const char *t = text; *t && n < sizeof digits - 1; t++)
        if (*t != ',' && *t != '_' && *t != ' ') digits[n++] = *t;
    digits[n] = 0;
    char *end;
    *out = strtod(digits, &end);
    if (!n || *end || !isfinite(*out)) return false;
    return !p->choices || (*out == floor(*out) && *out >= 1 && *out <= p->choices);
}

static int judge(view_context *c, const lesson_predict *p, int number, double guess)
{
    struct app *app = c->app;
    int status, choice;
    double answer = 0;
    c->r = session_result(app, c->s, c->device, NULL, false, false, &status);
    if (!c->r) return status;
    step_values values;
    if (!session_values(app, c->s, &values)) session_count(app, c->s, c->device, &values, c->r);
    if (!predict_answer(c, p, &choice, &answer))
        return app_fail(app, EXIT_INTERNAL, "set", "with these settings the question has no single answer");
    bool right = p->choices ? (int)guess == choice : fabs(guess - answer) <= p->within / 100 * fabs(answer) + 1e-9;
    char key[16], text[64];
    snprintf(key, sizeof key, "%d", number);
    const char *pairs[] = {"question", key, "right", right ? "yes" : "no", "device", c->r->device, NULL};
    state_record(app, "predict", session_step_name(app, c->s), pairs);
    struct tally t = {.prefix = ""};
    state_each(app, count_answer, &t);
    words_free(&t.seen);
    if (t.asked == 0) { /* nothing is kept: this answer is all there is */
        t.asked = 1;
        t.right = right;
    }
    char *because = p->because.text ? view_expand(c, p->because.text) : NULL;
    for (char *q = because; q && *q; q++)
        if (*q == '\n') *q = ' ';
    if (app->json) {
        json j;
        json_begin(&j, app->out, "predict");
        json_int(&j, "lesson", app->lesson->l->number);
        json_text(&j, "step", c->s->name);
        json_text(&j, "device", c->r->device);
        json_bool(&j, "right", right);
        json_number(&j, "guess", guess);
        json_number(&j, "answer", p->choices ? choice : answer);
        json_text(&j, "because", because);
        json_int(&j, "score", t.right);
        json_int(&j, "of", t.asked);
        json_end(&j);
    } else {
        fprintf(app->out, "  %s%s%s", app_style(app, right ? STYLE_GOOD : STYLE_BAD), right ? "Right" : "Not so",
                app_style(app, STYLE_PLAIN));
        if (p->choices) fprintf(app->out, ": %s", p->choice[choice - 1].text);
        else fprintf(app->out, ": %s", format_number(text, sizeof text, answer));
        fprintf(app->out, ", on %s. Your score: %d of %d.\n", c->r->device, t.right, t.asked);
        if (because) app_wrap(app, 2, because);
    }
    free(because);
    return EXIT_DONE;
}

/* A question is about what has not been seen. */
static int choose_step(struct app *app, int argc, char **argv, const lesson_step **s, int *used)
{
    *used = 1;
    if (argc > 1) {
        char *end;
        strtod(argv[1], &end);
        if (end == argv[1] || *end == '.' || (*end && strchr(argv[1], '.'))) { /* a name, not a number */
            *used = 2;
            return session_step(app, argv[1], s);
        }
    }
    int status = session_here(app);
    if (status) return status;
    *s = session_unseen(app);
    return 0;
}

int lesson_predict_run(struct app *app, int argc, char **argv)
{
    const lesson_step *s = NULL;
    int used, status = choose_step(app, argc, argv, &s, &used), devices;
    if (status) return status;
    if (!s->predict_count) return app_fail(app, EXIT_USAGE, "next", "step %s asks nothing", s->name);
    struct device d[DEVICES_MAX];
    step_values values;
    if ((status = session_step_devices(app, s, d, &devices)) || (status = session_values(app, s, &values)))
        return status;
    view_context c = {.app = app, .s = s, .device = &d[0], .values = &values};
    int question = app->lesson->asked % s->predict_count;
    const lesson_predict *p = &s->predict[question];
    double guess;
    if (argc > used) {
        char all[128] = "";
        for (int i = used; i < argc; i++) { /* "8 192" is one number */
            size_t n = strlen(all);
            snprintf(all + n, sizeof all - n, "%s", argv[i]);
        }
        if (!read_guess(all, p, &guess))
            return app_fail(app, EXIT_USAGE, "predict",
                            p->choices ? "the answer is a number from 1 to %d" : "the answer is a number", p->choices);
        return judge(&c, p, question + 1, guess);
    }
    if ((status = ask(&c, p, question + 1))) return status;
    if (!app->interactive) {
        if (!app->json && !app->class_question)
            fprintf(app->out, "  Answer with: predict %s %s\n", session_step_name(app, s),
                    p->choices ? "NUMBER OF A CHOICE" : "NUMBER");
        return EXIT_DONE;
    }
    for (;;) {
        char *line;
        const char *why;
        if (terminal_read(app, "your guess: ", &line, &why) != TERMINAL_LINE) return EXIT_DONE;
        bool good = read_guess(line, p, &guess), empty = line[strspn(line, " \t")] == 0;
        free(line);
        if (empty) return EXIT_DONE;
        if (good) return judge(&c, p, question + 1, guess);
        fprintf(app->out,
                p->choices ? "  A number from 1 to %d, or an empty line to leave it.\n"
                           : "  A number, or an empty line to leave it.\n",
                p->choices);
    }
}

/* ---- progress ---- */

struct done {
    struct words steps;
};

static bool count_done(void *arg, const struct state_event *e)
{
    struct done *d = arg;
    if (!strcmp(e->verb, "done") && !words_have(&d->steps, e->step)) words_add(&d->steps, e->step);
    return true;
}

int lesson_progress_run(struct app *app, int argc, char **argv)
{
    (void)argv;
    if (argc > 1) return app_fail(app, EXIT_USAGE, "progress", "progress takes nothing after it");
    int status = session_lessons(app), worst = EXIT_DONE;
    if (status) return status;
    struct done done = {{0}};
    state_each(app, count_done, &done);
    char kernels[1088];
    snprintf(kernels, sizeof kernels, "%.1000s/kernels", app->root ? app->root : ".");
    text_table t;
    table_init(&t, "rlrrr");
    table_add(&t, "%s", "");
    table_add(&t, "%s", "lesson");
    table_add(&t, "%s", "steps");
    table_add(&t, "%s", "guesses");
    table_add(&t, "%s", "exercises");
    table_rule(&t);
    for (int i = 0; i < app->lesson->list.count; i++) {
        lesson *l;
        lesson_error err;
        if (lesson_read(&l, &app->lesson->list.entry[i], kernels, &err)) {
            app_warn(app, "lesson %d is left out: %s:%d: %s", app->lesson->list.entry[i].number, err.file, err.line,
                     err.message);
            worst = EXIT_USAGE;
            continue;
        }
        int count = 0;
        for (int k = 0; k < l->step_count; k++) {
            char name[64];
            snprintf(name, sizeof name, "%d.%s", l->number, l->step[k].name);
            count += words_have(&done.steps, name);
        }
        char prefix[16];
        snprintf(prefix, sizeof prefix, "%d.", l->number);
        struct tally answers = {.prefix = prefix};
        state_each(app, count_answer, &answers);
        words_free(&answers.seen);
        const exercise_score score = exercise_score_of(app, l);
        if (app->json) {
            json j;
            json_begin(&j, app->out, "progress");
            json_int(&j, "lesson", l->number);
            json_text(&j, "title", l->title);
            json_int(&j, "done", count);
            json_int(&j, "steps", l->step_count);
            json_int(&j, "predictions", answers.asked);
            json_int(&j, "predictions_right", answers.right);
            json_int(&j, "exercises", score.count);
            json_int(&j, "exercises_passed", score.passed);
            json_end(&j);
        } else {
            table_add(&t, "%d", l->number);
            table_add(&t, "%s", l->title);
            table_add(&t, "%d of %d", count, l->step_count);
            if (answers.asked) table_add(&t, "%d of %d", answers.right, answers.asked);
            else table_add(&t, "%s", "");
            if (score.count) table_add(&t, "%d of %d", score.passed, score.count);
            else table_add(&t, "%s", "");
        }
        lesson_free(l);
    }
    if (!app->json) {
        table_print(&t, app->out, 2, app->width);
        fputc('\n', app->out);
        app_wrap(
            app, 2,
            "Steps that ran rightly, guesses (`predict`) that were right, exercises that were passed. `exercise N.K` takes up exercise K of lesson N.");
    }
    table_free(&t);
    words_free(&done.steps);
    return worst;
}
