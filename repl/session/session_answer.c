/* session_answer.c: see session_answer.h. The judge makes the request, as it does for a film: the same
 * text, compiled in the same way, with the same inputs as the default case of `check`. */
#include "session_answer.h"
#include "device/devices.h"
#include "exercise_files.h"
#include "judge/judge.h"
#include "session_last.h"
#include "shell/plain_file.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { STARTER, YOURS, TEXTS };
static const char *const names[TEXTS] = {"starter", "yours"};

struct session_answer {
    lesson l;
    lesson_step step[TEXTS];
    char id[32], file[TEXTS][96], title[TEXTS][120];
    char *text[TEXTS];
    judge_film *made[TEXTS];
    int which[TEXTS];         /* which of them step i is */
    struct lesson_state kept; /* of the lesson that it stands in for */
};

const struct session_answer *session_answer_here(const struct app *app)
{
    const struct lesson_state *st = app->lesson;
    return st && st->answer && st->l == &st->answer->l ? st->answer : NULL;
}

const char *session_answer_id(const struct session_answer *a) { return a->id; }

static void answer_free(struct session_answer *a)
{
    for (int i = 0; i < TEXTS; i++) {
        judge_film_free(a->made[i]);
        free(a->text[i]);
    }
    free(a);
}

/* The text of one of them: the student's file, the starter, or the kernel that a question is about. */
static int read_text(struct app *app, const exercise *x, struct session_answer *a, int which, size_t *bytes)
{
    char path[1400], next[48], *own = NULL;
    const bool kernel = x->kind->form->text;
    snprintf(path, sizeof path, "%s/%s.cu", x->dir, kernel ? "kernel" : "starter");
    if (which == YOURS && !kernel && !(own = exercise_path(app, x)))
        return app_fail(app, EXIT_INTERNAL, "doctor", "there is no place for a file of yours");
    snprintf(a->file[which], sizeof a->file[which], "%s%s%.60s.cu",
             own      ? a->id
             : kernel ? "kernel"
                      : "starter",
             own ? "-" : "", own ? exercise_name(x) : "");
    if (!own) a->file[which][strcspn(a->file[which], ".")] = 0, strcat(a->file[which], ".cu");
    const int why = own ? exercise_file(own, JUDGE_SOURCE_MAX, &a->text[which], bytes)
                        : file_read(path, JUDGE_SOURCE_MAX, &a->text[which], bytes);
    snprintf(next, sizeof next, "exercise %s", a->id);
    const int status =
        !why ? 0
        : why == ENOENT
            ? app_fail(app, EXIT_USAGE, next, "there is no %s, not yet or no longer", own ? own : path)
            : app_fail(app, EXIT_USAGE, NULL, "%s is not taken: %s", own ? own : path, exercise_file_error(why));
    free(own);
    return status;
}

/* Adds a step for it. */
static int add(struct app *app, const exercise *x, struct session_answer *a, int which)
{
    judge_verdict v;
    char says[900];
    size_t bytes;
    int status = read_text(app, x, a, which, &bytes);
    if (status) return status;
    const judge_request q = {
        .x = x, .text = a->text[which], .bytes = bytes, .name = a->file[which], .seed = app->seed ? app->seed : 1};
    a->made[which] = judge_film_open(app, &q, 0, &v);
    const bool absent = judge_status(&v) == EXIT_DEVICE; /* a compiler */
    if (!a->made[which]) judge_sentence(&v, says, sizeof says);
    judge_free(&v);
    if (!a->made[which])
        return app_fail(app, absent ? EXIT_DEVICE : EXIT_CHECK, absent ? "scripts/get-compiler" : "check", "%s: %s",
                        a->file[which], says);
    snprintf(a->title[which], sizeof a->title[which], "%s of exercise %s",
             x->kind->form->text ? "the kernel"
             : which == YOURS             ? "your answer"
                                          : "the starter",
             a->id);
    lesson_step *s = &a->step[a->l.step_count];
    a->which[a->l.step_count] = which;
    *s = *x->s;
    snprintf(s->name, sizeof s->name, "%s", names[which]);
    s->title = a->title[which];
    s->kernel_file = a->file[which];
    s->after = a->l.step_count ? names[STARTER] : "";
    a->l.step_count++;
    return 0;
}

static int only_simulated(struct app *app, const exercise *x)
{
    struct device d[DEVICES_MAX];
    int count = 0, status = app->device_explicit ? device_resolve(app, x->card, d, &count) : 0;
    for (int i = 0; i < count && !status; i++)
        if (d[i].kind == DEVICE_GPU)
            status = app_fail(app, EXIT_USAGE, "check", "an answer is looked into on simulated cards only");
    return status;
}

int session_answer_begin(struct app *app)
{
    const exercise *x;
    int status = exercise_session(app, NULL, &x);
    if (!status) status = only_simulated(app, x);
    if (status) return status;
    struct lesson_state *st = app->lesson;
    struct session_answer *a = calloc(1, sizeof *a);
    if (!a) return app_no_memory(app);
    exercise_id(x, a->id, sizeof a->id);
    a->l = *x->l;
    a->l.step = a->step;
    a->l.step_count = 0;
    a->l.number = x->lesson_number;
    a->l.card = x->card;
    if (!x->kind->form->text && x->starter.reason == REASON_SHORT) status = add(app, x, a, STARTER);
    if (!status) status = add(app, x, a, YOURS);
    if (status) {
        answer_free(a);
        return status;
    }
    a->kept = *st;
    st->answer = a;
    st->l = &a->l;
    st->s = &a->step[a->l.step_count - 1];
    st->ran = NULL;
    st->with = NULL;
    st->kept = NULL;
    st->kept_count = 0;
    memset(&st->chosen, 0, sizeof st->chosen);
    memset(st->runs, 0, sizeof st->runs);
    return 0;
}

void session_answer_end(struct app *app)
{
    struct lesson_state *st = app->lesson;
    struct session_answer *a = st->answer;
    session_forget(st);
    free(st->kept);
    *st = a->kept;
    answer_free(a);
}

bool session_answer_request(const struct session_answer *a, const lesson_step *s, step_request *q, char **ptx)
{
    const step_request *made = judge_film_request(a->made[a->which[s - a->step]]);
    q->sealed = made->sealed;
    q->budget = made->budget;
    q->ptx_bytes = made->ptx_bytes;
    snprintf(q->ptx_name, sizeof q->ptx_name, "%s", made->ptx_name);
    *ptx = malloc(made->ptx_bytes + 1);
    if (!*ptx) return false;
    memcpy(*ptx, made->ptx, made->ptx_bytes);
    (*ptx)[made->ptx_bytes] = 0;
    return true;
}

char *session_answer_text(const struct session_answer *a, const lesson_step *s, bool ptx, size_t *bytes, char *shown,
                          size_t size)
{
    const int which = a->which[s - a->step];
    const step_request *made = judge_film_request(a->made[which]);
    char *text = ptx ? strndup(made->ptx, made->ptx_bytes) : strdup(a->text[which]);
    snprintf(shown, size, "%s%s", a->file[which], ptx ? ", compiled" : "");
    *bytes = text ? strlen(text) : 0;
    return text;
}

bool session_answer_meant(struct app *app, int argc, char **argv, int from)
{
    bool named = false;
    if (session_last(app) != LAST_ANSWER || !exercise_at_hand(app)) return false;
    for (int i = from; i < argc; i++) {
        const bool word = !strchr(argv[i], '=') && strspn(argv[i], "0123456789") != strlen(argv[i]);
        named = named ||
                (word && strcmp(argv[i], names[STARTER]) && strcmp(argv[i], names[YOURS]) && strcmp(argv[i], "ptx"));
    }
    return !named;
}
