/* lesson_predict.c: `predict`, which asks before it shows. A lesson never contains the answer: it
 * is computed from the counters of the runs, or from a frame of a film. The journal keeps each
 * answer; the first one to a question counts. A question that was missed comes again: at the end of
 * its lesson, or in a later session. */
#include "film/look.h"
#include "lesson_run.h"
#include "shell/pager.h"
#include "view/view.h"
#include "shell/format.h"
#include "shell/language.h"
#include "shell/progress.h"
#include "shell/terminal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- asking ---- */

static int ask(view_context *c, const lesson_predict *p, int number, bool again)
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
    doc_head(&d, "", "%s%s", session_step_name(app, c->s), again ? TR("  Once more: it was missed") : "");
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
    double answer = 0, fact[FRAME_FACTS];
    c->r = session_result(app, c->s, c->device, run_chosen(app, c->chosen), &status);
    if (!c->r) return status;
    step_values values;
    if (!session_values(app, c->s, c->chosen, &values)) session_count(app, c->s, c->device, &values, c->r);
    if (p->has_frame && (status = look_question(c, p, fact))) return status;
    c->fact = p->has_frame ? fact : NULL;
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
    char streak[40] = "";
    if (t.streak > 1) snprintf(streak, sizeof streak, TR(", %d in a row"), t.streak);
    char *because = p->because.text ? view_expand(c, p->because.text) : NULL;
    for (char *q = because; q && *q; q++)
        if (*q == '\n') *q = ' ';
    doc d = doc_open(app);
    json *j = doc_begin(&d, "predict", "lesson %d, step %s, device %s, right %i, guess %g, answer %g",
                        app->lesson->l->number, c->s->name, c->r->device, right, guess, p->choices ? choice : answer);
    json_text(j, "because", because);
    json_keys(j, "score %d, of %d", t.right, t.asked);
    json_end(j);
    doc_say(&d, 2, "%s%s%s: %s, on %s. Your score: %d of %d%s.", app_style(app, right ? STYLE_GOOD : STYLE_BAD),
            TR(right ? "Right" : "Not so"), app_style(app, STYLE_PLAIN),
            p->choices ? p->choice[choice - 1].text : format_number(text, sizeof text, answer), c->r->device, t.right,
            t.asked, streak);
    if (because) doc_say(&d, 2, "%s", because);
    free(because);
    return EXIT_DONE;
}

/* ---- which question ---- */

/* Each question of the lesson that has been answered, and how the last time. */
typedef struct reply {
    const lesson_step *s;
    int question; /* from 0 */
    bool right;
    char time[24];
} reply;
enum { ANSWERED_MOST = 256 };
typedef struct answers {
    const lesson *l;
    reply list[ANSWERED_MOST];
    int count;
} answers;

static bool note_answer(void *arg, const struct state_event *e)
{
    answers *t = arg;
    char *end;
    const char *right = state_value(e, "right"), *number = state_value(e, "question");
    if (strcmp(e->verb, "predict") || !right || strtol(e->step, &end, 10) != t->l->number || *end != '.') return true;
    const lesson_step *s = lesson_step_named(t->l, end + 1, strlen(end + 1));
    const int question = number ? atoi(number) - 1 : 0;
    if (!s || question < 0 || question >= s->predict_count) return true;
    int i = 0;
    while (i < t->count && (t->list[i].s != s || t->list[i].question != question)) i++;
    if (i == ANSWERED_MOST) return true;
    if (i == t->count) t->count++;
    t->list[i] = (reply){.s = s, .question = question, .right = !strcmp(right, "yes")};
    snprintf(t->list[i].time, sizeof t->list[i].time, "%.23s", e->time);
    return true;
}

/* A question that was missed, and may come again. NULL: none. */
static const reply *missed(const struct app *app, const answers *t)
{
    const struct lesson_state *st = app->lesson;
    const bool at_end = st->s == t->l->step + t->l->step_count - 1;
    for (int i = 0; i < t->count; i++)
        if (!t->list[i].right && (at_end || strcmp(t->list[i].time, st->began_at) < 0)) return &t->list[i];
    return NULL;
}

/* The first question of the step that has no answer; else one that was missed; else the first. */
static int question_of(const answers *t, const lesson_step *s)
{
    int again = 0;
    for (int q = s->predict_count; q-- > 0;) {
        const reply *a = NULL;
        for (int i = 0; i < t->count; i++)
            if (t->list[i].s == s && t->list[i].question == q) a = &t->list[i];
        if (a && !a->right) again = q;
    }
    for (int q = 0; q < s->predict_count; q++) {
        bool has = false;
        for (int i = 0; i < t->count; i++) has = has || (t->list[i].s == s && t->list[i].question == q);
        if (!has) return q;
    }
    return again;
}

/* The step to ask about, when none is named: one whose question was missed, else one that the
 * student has not seen run. */
static int choose_step(struct app *app, int argc, char **argv, const lesson_step **s, int *question, int *used,
                       bool *again)
{
    answers *t = calloc(1, sizeof *t);
    int status;
    *used = 1;
    *again = false;
    if (!t) return app_no_memory(app);
    char *end;
    const bool named =
        argc > 1 && (strtod(argv[1], &end), end == argv[1] || *end == '.' || (*end && strchr(argv[1], '.')));
    if (named) *used = 2; /* a step's name, not an answer */
    status = named ? session_step(app, argv[1], s) : session_here(app);
    if (!status) {
        t->l = app->lesson->l;
        state_each(app, note_answer, t);
        const reply *m = named ? NULL : missed(app, t);
        if (m) *s = m->s;
        else if (!named) *s = session_unseen(app);
        *again = m != NULL;
        *question = m ? m->question : (*s)->predict_count ? question_of(t, *s) : 0;
    }
    free(t);
    return status;
}

/* Reads answers until one can be judged; an empty line ends it. */
static int read_answer(view_context *c, const lesson_predict *p, int number, const char *prompt, bool *answered)
{
    double guess;
    for (*answered = false;;) {
        char *line;
        const char *why;
        if (terminal_read(c->app, prompt, &line, &why) != TERMINAL_LINE) return EXIT_DONE;
        bool good = read_guess(line, p, &guess), empty = line[strspn(line, " \t")] == 0;
        free(line);
        if (empty) return EXIT_DONE;
        if (good) {
            *answered = true;
            return judge(c, p, number, guess);
        }
        doc d = doc_open(c->app);
        doc_line(&d,
                 p->choices ? "  A number from 1 to %d, or an empty line to cancel."
                            : "  A number, or an empty line to cancel.",
                 p->choices);
    }
}

/* The first question of the step that has never been answered, from 0; -1: none. */
static int unanswered(struct app *app, const lesson_step *s)
{
    answers *t = calloc(1, sizeof *t);
    int found = -1;
    if (!t) return -1;
    t->l = app->lesson->l;
    state_each(app, note_answer, t);
    for (int q = s->predict_count; q-- > 0;) {
        bool has = false;
        for (int i = 0; i < t->count; i++) has = has || (t->list[i].s == s && t->list[i].question == q);
        if (!has) found = q;
    }
    free(t);
    return found;
}

typedef struct asking {
    view_context c;
    const lesson_predict *p;
    int question;
    bool answered;
} asking;

static int ask_now(struct app *app, void *arg)
{
    asking *a = arg;
    int status = ask(&a->c, a->p, a->question + 1, false);
    if (!status) status = read_answer(&a->c, a->p, a->question + 1, TR("your guess, or Enter to skip: "), &a->answered);
    doc d = doc_open(app);
    if (!status && a->answered) doc_gap(&d);
    return status;
}

/* Has the run the numbers that the question names? If they are the step's own, it runs, unseen. */
static bool can_ask(view_context *c, const lesson_predict *p)
{
    int status;
    for (int i = 0; i < 2; i++) {
        c->missing = false;
        free(view_expand(c, p->question.text));
        if (!c->missing || c->r) break;
        if (!(c->r = session_result(c->app, c->s, c->device, run_chosen(c->app, c->chosen), &status))) break;
        session_count(c->app, c->s, c->device, c->values, c->r);
    }
    return !c->missing;
}

int lesson_ask(struct app *app, const lesson_step *s, bool *answered)
{
    struct device d[DEVICES_MAX];
    step_values values;
    step_chosen *chosen = session_chosen(app);
    int devices, status;
    *answered = false;
    if (!app->interactive || app->json || app->class_mode || app->no_record || !step_runs(s)) return 0;
    const int question = unanswered(app, s);
    if (question < 0) return 0;
    if ((status = session_devices(app, s, chosen, d, &devices)) || (status = session_values(app, s, chosen, &values)))
        return status;
    asking a = {.c = {.app = app, .s = s, .device = &d[0], .values = &values, .chosen = chosen},
                .p = &s->predict[question],
                .question = question};
    char why[200], next[80]; /* of a step that is refused nothing is asked */
    if (session_lacks(app, s, &d[0], why, sizeof why) ||
        !session_fits(app, s, &d[0], chosen, &values, why, sizeof why, next, sizeof next))
        return 0;
    if (!can_ask(&a.c, a.p)) return 0;
    status = pages_ask(app, ask_now, &a);
    *answered = a.answered && devices == 1;
    return status;
}

int lesson_predict_run(struct app *app, int argc, char **argv)
{
    const lesson_step *s = NULL;
    int used, question = 0, devices;
    bool again;
    int status = choose_step(app, argc, argv, &s, &question, &used, &again);
    if (status) return status;
    if (!s->predict_count) return app_fail(app, EXIT_USAGE, "next", "step %s asks nothing", s->name);
    struct device d[DEVICES_MAX];
    step_values values;
    step_chosen *chosen = session_chosen(app);
    if ((status = session_devices(app, s, chosen, d, &devices)) || (status = session_values(app, s, chosen, &values)))
        return status;
    view_context c = {.app = app, .s = s, .device = &d[0], .values = &values, .chosen = chosen};
    const lesson_predict *p = &s->predict[question];
    double guess;
    bool answered;
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
    if ((status = ask(&c, p, question + 1, again))) return status;
    if (!app->interactive) {
        doc out = doc_open(app);
        if (!app->class_question)
            doc_say(&out, 2, "Answer with: predict %s %s", session_step_name(app, s),
                    TR(p->choices ? "NUMBER OF A CHOICE" : "NUMBER"));
        return EXIT_DONE;
    }
    return read_answer(&c, p, question + 1, TR("your guess: "), &answered);
}
