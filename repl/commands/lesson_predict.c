/* lesson_predict.c: `predict`, which asks before it shows. A lesson never contains the answer: it
 * is computed from the counters of the runs. The journal keeps each answer; the first one to a
 * question counts. */
#include "command.h"
#include "view/view.h"
#include "shell/format.h"
#include "shell/progress.h"
#include "shell/terminal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- asking ---- */

static int ask(view_context *c, const lesson_predict *p, int number)
{
    struct app *app = c->app;
    int status;
    c->missing = false;
    char *question = view_expand(c, p->question.text);
    if (c->missing) { /* the question needs a number of the step itself: run the step without showing it */
        free(question);
        if (!(c->r = session_result(app, c->s, c->device, run_chosen(app, c->chosen), &status))) return status;
        session_count(app, c->s, c->device, c->values, c->r);
        c->missing = false;
        question = view_expand(c, p->question.text);
    }
    if (c->missing) {
        free(question);
        return app_fail(app, EXIT_USAGE, "next", "the question of step %s needs numbers that a run on %s does not have",
                        c->s->name, c->device->label);
    }
    doc d = doc_open(app);
    json *j = doc_begin(&d, "question", "lesson %d, step %s, question %d, text %s", app->lesson->l->number, c->s->name,
                        number, question);
    json_array(j, "choices");
    for (int i = 0; i < p->choices; i++) json_text(j, NULL, p->choice[i].text);
    json_end(j);
    doc_head(&d, "", "%s", session_step_name(app, c->s));
    if (c->s->idea.text) view_paragraphs(&d, c, c->s->idea.text);
    doc_gap(&d);
    doc_say(&d, 2, "%s", question ? question : "");
    for (int i = 0; i < p->choices; i++) {
        char name[16];
        snprintf(name, sizeof name, "    %d", i + 1);
        doc_entry(&d, 7, name, "%s", p->choice[i].text);
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
    c->r = session_result(app, c->s, c->device, run_chosen(app, c->chosen), &status);
    if (!c->r) return status;
    step_values values;
    if (!session_values(app, c->s, c->chosen, &values)) session_count(app, c->s, c->device, &values, c->r);
    if (!predict_answer(c, p, &choice, &answer))
        return app_fail(app, EXIT_INTERNAL, "set", "with these settings the question has no single answer");
    bool right = p->choices ? (int)guess == choice : fabs(guess - answer) <= p->within / 100 * fabs(answer) + 1e-9;
    char key[16], text[64];
    snprintf(key, sizeof key, "%d", number);
    const char *pairs[] = {"question", key, "right", right ? "yes" : "no", "device", c->r->device, NULL};
    state_record(app, "predict", session_step_name(app, c->s), pairs);
    predict_score t = predict_score_of(app, "");
    if (t.asked == 0) { /* no journal: this is the only answer */
        t.asked = 1;
        t.right = right;
    }
    char *because = p->because.text ? view_expand(c, p->because.text) : NULL;
    for (char *q = because; q && *q; q++)
        if (*q == '\n') *q = ' ';
    doc d = doc_open(app);
    json *j = doc_begin(&d, "predict", "lesson %d, step %s, device %s, right %i, guess %g, answer %g",
                        app->lesson->l->number, c->s->name, c->r->device, right, guess, p->choices ? choice : answer);
    json_text(j, "because", because);
    json_keys(j, "score %d, of %d", t.right, t.asked);
    json_end(j);
    doc_say(&d, 2, "%s%s%s: %s, on %s. Your score: %d of %d.", app_style(app, right ? STYLE_GOOD : STYLE_BAD),
            right ? "Right" : "Not so", app_style(app, STYLE_PLAIN),
            p->choices ? p->choice[choice - 1].text : format_number(text, sizeof text, answer), c->r->device, t.right,
            t.asked);
    if (because) doc_say(&d, 2, "%s", because);
    free(because);
    return EXIT_DONE;
}

/* The step to ask about: one that the student has not seen run. */
static int choose_step(struct app *app, int argc, char **argv, const lesson_step **s, int *used)
{
    *used = 1;
    if (argc > 1) {
        char *end;
        strtod(argv[1], &end);
        if (end == argv[1] || *end == '.' || (*end && strchr(argv[1], '.'))) { /* a step's name, not an answer */
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
    step_chosen *chosen = session_chosen(app);
    if ((status = session_devices(app, s, chosen, d, &devices)) || (status = session_values(app, s, chosen, &values)))
        return status;
    view_context c = {.app = app, .s = s, .device = &d[0], .values = &values, .chosen = chosen};
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
        doc out = doc_open(app);
        if (!app->class_question)
            doc_say(&out, 2, "Answer with: predict %s %s", session_step_name(app, s),
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
