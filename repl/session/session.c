/* session.c: the current lesson and step. The hooks at the end are what the prompt, `set` and `notes`
 * know of lessons. */
#include "session.h"
#include "course/translation.h"
#include "device/devices.h"
#include "shell/format.h"
#include "exercise_files.h"
#include "session_answer.h"
#include "session_last.h"
#include "session_job.h"
#include "session_program.h"
#include "shell/language.h"
#include "shell/progress.h"
#include "shell/words.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct lesson_hooks hooks;

struct lesson_state *session_state(struct app *app)
{
    if (!app->lesson) {
        app->lesson = calloc(1, sizeof *app->lesson);
        if (app->lesson) {
            app->lessons = &hooks;
            state_time(app->lesson->began_at);
        } else app_no_memory(app);
    }
    return app->lesson;
}

static void session_close(struct app *app)
{
    struct lesson_state *st = app->lesson;
    exercise_close(app);
    if (!st) return;
    step_release();
    session_program_end(app);
    session_change(app, NULL);
    lesson_list_free(&st->list);
    session_made_free(app);
    free(st->kept);
    free(st);
    app->lesson = NULL;
    app->lessons = NULL;
}

/* ---- names ---- */

static const lesson_entry *find_lesson(struct lesson_state *st, const char *name, size_t length)
{
    const lesson_entry *found = NULL;
    char *end;
    long number = strtol(name, &end, 10);
    if (end == name + length && length) {
        for (int i = 0; i < st->list.count; i++)
            if (st->list.entry[i].number == number) return &st->list.entry[i];
        return NULL;
    }
    for (int i = 0; i < st->list.count; i++) {
        const lesson_entry *e = &st->list.entry[i];
        const char *short_name = strchr(e->folder, '-') + 1;
        if (strncmp(short_name, name, length) || !length) continue;
        if (strlen(short_name) == length) return e;
        if (found) return NULL; /* ambiguous */
        found = e;
    }
    return found;
}

const lesson_entry *session_entry(struct app *app, const char *name)
{
    return session_lessons(app) ? NULL : find_lesson(app->lesson, name, strlen(name));
}

bool session_read(struct app *app, const lesson_entry *e, lesson **l, lesson_error *err)
{
    char kernels[1088];
    snprintf(kernels, sizeof kernels, "%.1000s/kernels", app->root ? app->root : ".");
    return lesson_read(l, e, kernels, err) == 0;
}

void session_change(struct app *app, lesson *l)
{
    struct lesson_state *st = app->lesson;
    session_forget(st);
    if (!session_program_here(app)) lesson_free(st->l);
    st->l = l;
    st->s = NULL;
    st->ran = NULL;
    st->with = NULL;
    memset(&st->chosen, 0, sizeof st->chosen);
}

static int read_lesson(struct app *app, const lesson_entry *e)
{
    struct lesson_state *st = app->lesson;
    if (st->l && !strcmp(st->l->path, e->path)) return 0;
    lesson *l;
    lesson_error err;
    if (!session_read(app, e, &l, &err)) {
        char at[64] = "";
        if (err.line && err.column) snprintf(at, sizeof at, ":%d:%d", err.line, err.column);
        else if (err.line) snprintf(at, sizeof at, ":%d", err.line);
        int status = app_fail(app, EXIT_USAGE, NULL, "%s%s: %s", err.file, at, err.message);
        if (!app->json) lesson_error_caret(app->err, &err);
        return status;
    }
    session_change(app, l);
    return 0;
}

static int unknown_lesson(struct app *app, const char *name)
{
    struct words all = {0};
    for (int i = 0; i < app->lesson->list.count; i++)
        words_add(&all, strchr(app->lesson->list.entry[i].folder, '-') + 1);
    const char *near = app_nearest(name, &all);
    char next[100];
    if (near) snprintf(next, sizeof next, "lesson %.60s", near);
    int status = app_fail(app, EXIT_USAGE, near ? next : "lessons", "there is no lesson \"%s\"", name);
    words_free(&all);
    return status;
}

int session_lesson(struct app *app, const char *name)
{
    if (!strcmp(name, "exec") && session_program_back(app)) return 0;
    int status = session_lessons(app);
    if (status) return status;
    const lesson_entry *e = find_lesson(app->lesson, name, strlen(name));
    return e ? read_lesson(app, e) : unknown_lesson(app, name);
}

const char *session_step_name(struct app *app, const lesson_step *s)
{
    static char name[64];
    const struct session_answer *answer = session_answer_here(app);
    if (session_program_here(app)) snprintf(name, sizeof name, "exec%s%s", s ? "." : "", s ? s->name : "");
    else if (answer) snprintf(name, sizeof name, "%s%s%s", session_answer_id(answer), s ? "." : "", s ? s->name : "");
    else snprintf(name, sizeof name, "%d%s%s", app->lesson->l->number, s ? "." : "", s ? s->name : "");
    return name;
}

void session_stand(struct app *app, const lesson_step *s)
{
    app->lesson->s = s;
    app->lesson->ran = NULL;
    exercise_leave(app);
    session_last_set(app, session_program_here(app) ? LAST_PROGRAM : LAST_STEP);
    if (session_program_here(app)) return; /* it is gone when the session ends */
    state_record(app, "at", session_step_name(app, s), NULL);
}

static bool last_place(void *arg, const struct state_event *e)
{
    if (!strcmp(e->verb, "at")) snprintf(arg, 64, "%s", e->step);
    return true;
}

struct last {
    int lesson;
    char step[64];
};

static bool last_in_lesson(void *arg, const struct state_event *e)
{
    struct last *w = arg;
    char *end;
    if (!strcmp(e->verb, "at") && strtol(e->step, &end, 10) == w->lesson && end != e->step)
        snprintf(w->step, sizeof w->step, "%s", *end == '.' ? end + 1 : "");
    return true;
}

void session_recall(struct app *app)
{
    struct lesson_state *st = app->lesson;
    struct last w = {.lesson = st->l->number};
    if (st->s || session_program_here(app)) return;
    state_each(app, last_in_lesson, &w);
    st->s = w.step[0] ? lesson_step_named(st->l, w.step, strlen(w.step)) : NULL;
}

/* Take the current lesson, or the one where the student stopped, if any. */
static int resume(struct app *app)
{
    if (session_program_here(app)) return 0;
    int status = session_lessons(app);
    if (status || app->lesson->l) return status;
    char place[64] = "";
    state_each(app, last_place, place);
    if (!place[0]) return 0;
    char *dot = strchr(place, '.');
    if (dot) *dot = 0;
    status = session_lesson(app, place);
    if (!status && dot) app->lesson->s = lesson_step_named(app->lesson->l, dot + 1, strlen(dot + 1));
    return status;
}

int session_here(struct app *app)
{
    int status = resume(app);
    if (status || app->lesson->l) return status;
    return app_fail(app, EXIT_USAGE, "lesson 1", "no lesson has been chosen yet");
}

/* A step's name alone, before a lesson has been chosen: the lesson with such a step, if only one
 * has it. */
static int lesson_of_step(struct app *app, const char *step)
{
    struct lesson_state *st = app->lesson;
    const lesson_entry *found = NULL;
    for (int i = 0; i < st->list.count; i++) {
        lesson *l;
        lesson_error err;
        if (!session_read(app, &st->list.entry[i], &l, &err)) continue;
        bool has = lesson_step_named(l, step, strlen(step)) != NULL;
        lesson_free(l);
        if (has && found)
            return app_fail(app, EXIT_USAGE, "lessons", "several lessons have a step \"%s\": say which, as in %d.%s",
                            step, found->number, step);
        if (has) found = &st->list.entry[i];
    }
    return found ? read_lesson(app, found) : app_fail(app, EXIT_USAGE, "lessons", "no lesson has a step \"%s\"", step);
}

int session_step(struct app *app, const char *name, const lesson_step **s)
{
    *s = NULL;
    if (!name) {
        int status = session_here(app);
        if (status) return status;
        *s = app->lesson->s;
        return *s ? 0
                  : app_fail(app, EXIT_USAGE, exercise_at_hand(app) ? "exercise" : "next",
                             "lesson %d has not been begun", app->lesson->l->number);
    }
    if (!strncmp(name, "exec.", 5) && session_program_back(app)) name += 5;
    const struct session_program *program = session_program_here(app);
    if (program && (*s = session_program_step(program, name))) return 0;
    int status = session_lessons(app);
    if (status) return status;
    const char *dot = strchr(name, '.'), *step = dot ? dot + 1 : name;
    if (dot) {
        const lesson_entry *e = find_lesson(app->lesson, name, (size_t)(dot - name));
        if (!e) {
            char lesson_name[64];
            snprintf(lesson_name, sizeof lesson_name, "%.*s", (int)(dot - name < 60 ? dot - name : 60), name);
            return unknown_lesson(app, lesson_name);
        }
        status = read_lesson(app, e);
    } else {
        status = resume(app);
        if (!status && !app->lesson->l) status = lesson_of_step(app, step);
    }
    if (status) return status;
    const lesson *l = app->lesson->l;
    *s = lesson_step_named(l, step, strlen(step));
    if (*s) return 0;
    struct words all = {0};
    for (int i = 0; i < l->step_count; i++) words_add(&all, l->step[i].name);
    const char *near = app_nearest(step, &all);
    char next[100];
    if (program) snprintf(next, sizeof next, near ? "exec.%.60s" : "lesson exec", near);
    else if (near) snprintf(next, sizeof next, "%d.%.60s", l->number, near);
    else snprintf(next, sizeof next, "lesson %d", l->number);
    status = program ? app_fail(app, EXIT_USAGE, next, "%s has no kernel \"%s\"", program->name, step)
                     : app_fail(app, EXIT_USAGE, next, "lesson %d has no step \"%s\"", l->number, step);
    words_free(&all);
    return status;
}

/* ---- running ---- */

/* Whole programs run on simulated cards: on a GPU there is no need of warpstep for them. */
static bool simulated_only(const struct app *app, const lesson_step *s)
{
    const lesson *l = app->lesson ? app->lesson->l : NULL;
    if (s) return !job_serves(s, USE_GPU);
    bool any = false;
    for (int i = 0; l && i < l->step_count; i++) any = any || !job_serves(&l->step[i], USE_GPU);
    return any;
}

int session_devices(struct app *app, const lesson_step *s, step_chosen *chosen, struct device out[DEVICES_MAX],
                    int *count)
{
    return session_job(s)->devices(app, s, chosen, out, count);
}

int usual_devices(struct app *app, const lesson_step *s, step_chosen *chosen, struct device out[DEVICES_MAX],
                  int *count)
{
    const char *card = s && s->card                                            ? s->card
                       : app->lesson && app->lesson->l && app->lesson->l->card ? app->lesson->l->card
                                                                               : DEFAULT_CARD;
    int status = device_resolve(app, card, out, count);
    for (int i = 0; !status && i < *count && !app->device_explicit && simulated_only(app, s); i++)
        if (out[i].kind == DEVICE_GPU) status = device_simulated(app, card, &out[i]);
    for (int i = 0; !status && i < *count; i++)
        if (app->devices[i].kind == DEVICE_AUTO) session_device_that_can(app, s, card, &out[i]);
    if (!status && app->lesson) session_look_at_cards(app, chosen, out, *count);
    return status;
}

int session_use(struct app *app, const lesson_step *s, job_use use, const char *name)
{
    job_refusal no;
    if (step_job(s)->kind->serves(use, s, name ? name : session_step_name(app, s), &no)) return 0;
    return app_fail(app, EXIT_USAGE, no.next, "%s", no.why);
}

int session_values(struct app *app, const lesson_step *s, const step_chosen *chosen, step_values *out)
{
    char why[300];
    if (step_settings(app->lesson->l, s, chosen, out, why, sizeof why)) return 0;
    return app_fail(app, EXIT_USAGE, "set", "step %s cannot run so: %s", s->name, why);
}

step_chosen *session_chosen(struct app *app) { return app->lesson->with ? app->lesson->with : &app->lesson->chosen; }

void session_has_run(struct app *app, const lesson_step *s, const step_chosen *with)
{
    struct lesson_state *st = app->lesson;
    st->ran = s;
    st->ran_with = *with;
    session_last_set(app, session_job(s)->last);
    st->ran_as = app->options;
    st->then = app->kept ? app->kept->options : app->options;
}

const lesson_step *session_ran_last(const struct app *app, const lesson_step *s)
{
    return app->lesson->ran ? app->lesson->ran : s;
}

static bool same_devices(const struct app_options *a, const struct app_options *b)
{
    bool same = a->device_count == b->device_count;
    for (int i = 0; same && i < a->device_count; i++)
        same = a->devices[i].kind == b->devices[i].kind && !strcmp(a->devices[i].label, b->devices[i].label) &&
               !strcmp(a->devices[i].path, b->devices[i].path);
    return same;
}

/* The run's own device, unless this command or a `set device` since then says another. False: it had none. */
static bool take_its_device(struct app *app)
{
    const struct lesson_state *st = app->lesson;
    const struct app_options *now = app->kept ? &app->kept->options : &app->options;
    if (!same_devices(now, &app->options) || !same_devices(now, &st->then) || same_devices(now, &st->ran_as))
        return false;
    memcpy(app->devices, st->ran_as.devices, sizeof app->devices);
    app->device_count = st->ran_as.device_count;
    app->device_explicit = st->ran_as.device_explicit;
    return true;
}

step_chosen session_as_it_ran(doc *d, const lesson_step *s)
{
    const struct lesson_state *st = d->app->lesson;
    const step_chosen *mine = session_chosen(d->app);
    char text[400] = "", number[40];
    size_t used = 0;
    if (st->ran != s) return *mine;
    if (take_its_device(d->app))
        for (int i = 0; i < d->app->device_count && used < sizeof text; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                     i ? ", " : "device = ", d->app->devices[i].label);
    for (int i = 0; i < st->l->setting_count && used < sizeof text; i++)
        if (st->ran_with.set[i] && !(mine->set[i] && mine->value[i] == st->ran_with.value[i]))
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%s%s = %s", used ? ", " : "", st->l->setting[i].name,
                                 format_count(number, sizeof number, (uint64_t)st->ran_with.value[i]));
    if (used) doc_say(d, 0, "(As it was run last: %s.)", text);
    return st->ran_with;
}

const lesson_step *session_before(struct app *app, const lesson_step *s, const step_chosen *chosen)
{
    const lesson_step *before = step_before(app->lesson->l, s);
    step_values v;
    char why[300];
    return before && step_settings(app->lesson->l, before, chosen, &v, why, sizeof why) ? before : NULL;
}

/* ---- hooks ---- */

static const char *hook_where(struct app *app)
{
    struct lesson_state *st = app->lesson;
    if (!st || !st->l) return "";
    if (exercise_at_hand(app) && app->exercise->x) return exercise_id(app->exercise->x, st->where, sizeof st->where);
    snprintf(st->where, sizeof st->where, "%s", session_step_name(app, st->s));
    return st->where;
}

static const char *hook_card(struct app *app)
{
    if (exercise_at_hand(app) && app->exercise->x) return app->exercise->x->card;
    const struct lesson_state *st = app->lesson;
    return !st || !st->l ? NULL : st->s && st->s->card ? st->s->card : st->l->card;
}

const lesson_step *session_unseen(struct app *app)
{
    const struct lesson_state *st = app->lesson;
    const lesson *l = st->l;
    const lesson_step *s = st->s ? st->s : l->step, *last = l->step + l->step_count - 1;
    while (s < last && (st->runs[s - l->step] || (s == st->s && !s->predict_count))) s++;
    return s;
}

static const char *hook_footer(struct app *app)
{
    struct lesson_state *st = app->lesson;
    if (!st || !st->l) return NULL;
    if (exercise_at_hand(app) && app->exercise->x) {
        char id[32];
        exercise_record now;
        exercise_recall(app, exercise_id(app->exercise->x, id, sizeof id), &now);
        return now.passed ? "[explain  solution  diff  reset  exercise  help  quit]"
               : app->exercise->x->kind->form->number
                   ? "[check NUMBER  hint  edit  skip  exercise  help  quit]"
                   : "[edit  check  watch  hint  diff  skip  exercise  help  quit]";
    }
    if (session_program_here(app)) {
        snprintf(st->footer, sizeof st->footer, "[why  show lines|mem|counters|source|ptx%s  ladder  help  quit]",
                 st->l->step_count > 1 ? "  next" : "");
        return st->footer;
    }
    const char *exercises = exercise_score_of(app, st->l).count ? "exercise  " : "";
    if (!st->s) {
        snprintf(st->footer, sizeof st->footer, "[next  %slessons  ladder  help  quit]", exercises);
        return st->footer;
    }
    const lesson_step *next = session_unseen(app);
    const bool asks = next->predict_count && !st->runs[next - st->l->step];
    bool last = st->s == &st->l->step[st->l->step_count - 1], kernel = step_launches(st->s);
    snprintf(st->footer, sizeof st->footer, "[%s%s%s%s%s%s  help  quit]", last ? exercises : "",
             last ? "ladder" : "next  back", kernel ? "  run  why" : "", kernel ? "  show source|diff|mem" : "",
             st->s->look_count ? "  look" : "", asks ? "  predict" : "");
    return st->footer;
}

static void hook_settings(struct app *app, struct words *out)
{
    const lesson *l = app->lesson ? app->lesson->l : NULL;
    for (int i = 0; l && i < l->setting_count; i++) words_add(out, l->setting[i].name);
}

static const char *hook_get(struct app *app, const char *name)
{
    struct lesson_state *st = app->lesson;
    int i = st && st->l ? lesson_setting_named(st->l, name, strlen(name)) : -1;
    step_values v;
    char why[200];
    if (i < 0) return NULL;
    if (!step_settings(st->l, st->s, session_chosen(app), &v, why, sizeof why) &&
        !step_settings(st->l, st->s, NULL, &v, why, sizeof why))
        return NULL;
    snprintf(st->get, sizeof st->get, "%" PRId64, v.value[i]);
    return st->get;
}

static bool no_name(void *arg, const char *name, size_t length)
{
    (void)arg, (void)name, (void)length;
    return false;
}

int session_set(struct app *app, step_chosen *chosen, const char *name, const char *value)
{
    const struct lesson_state *st = app->lesson;
    const lesson *l = st->l;
    int i = lesson_setting_named(l, name, strlen(name));
    if (i < 0) return app_fail(app, EXIT_USAGE, "set", "there is no setting \"%s\"", name);
    if (!value || !strcmp(value, "default")) {
        chosen->set[i] = false;
        return 0;
    }
    expr e;
    char why[300], plain[64];
    value = format_uncount(plain, sizeof plain, value);
    const char *at, *expected, *stop = expr_parse(&e, value, value + strlen(value), &at, &expected);
    step_chosen now = *chosen;
    step_values v;
    if (!stop || *stop || !expr_names(&e, no_name, NULL))
        return app_fail(app, EXIT_USAGE, NULL,
                        "%s must be a whole number (1048576, 64Ki, 2^20) or \"default\", not \"%s\"", name, value);
    if (!expr_eval(&e, NULL, NULL, &now.value[i], why, sizeof why))
        return app_fail(app, EXIT_USAGE, NULL, "%s cannot be %s: %s", name, value, why);
    now.set[i] = true;
    if (!step_settings(l, NULL, &now, &v, why, sizeof why)) /* checks its range */
        return app_fail(app, EXIT_USAGE, NULL, "%s", why);
    if (st->s) {
        step_settings(l, st->s, NULL, &v, why, sizeof why);
        if (v.fixed[i])
            app_warn(app, "%s stays %" PRId64 " in step %s, which is made for that value; other steps will use %s",
                     name, v.value[i], st->s->name, value);
    }
    *chosen = now;
    return 0;
}

static int hook_set(struct app *app, const char *name, const char *value)
{
    const int status = session_set(app, &app->lesson->chosen, name, value);
    app->lesson->ran_with = app->lesson->chosen; /* what is set now holds, not what a run was given */
    return status;
}

static void hook_speak(struct app *app)
{
    if (app->lesson->l) lesson_speak(app->lesson->l, language_now());
    if (app->exercise && app->exercise->x) lesson_speak(app->exercise->x->l, language_now());
}

/* Results that the previous command used may be evicted now. */
static void hook_begin(struct app *app) { app->lesson->began = app->lesson->clock; }

static const struct lesson_hooks hooks = {hook_where, hook_card,  hook_footer, hook_settings, hook_get,
                                          hook_set,   hook_speak, hook_begin,  session_close};
