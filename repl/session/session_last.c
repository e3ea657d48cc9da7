/* session_last.c: see session_last.h. */
#include "session_last.h"
#include "shell/progress.h"
#include <stdio.h>
#include <string.h>

struct found {
    enum session_last kind;
    char name[128];
    bool places; /* only where the student was, not what ran there */
};

static bool look(void *arg, const struct state_event *e)
{
    static const struct {
        const char *verb;
        enum session_last kind;
        bool run;
    } verbs[] = {{"at", LAST_STEP, false},
                 {"exercise", LAST_ANSWER, false},
                 {"run", LAST_STEP, true},
                 {"check", LAST_ANSWER, true},
                 {"exec", LAST_PROGRAM, true}};
    struct found *f = arg;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (strcmp(e->verb, verbs[i].verb) || (verbs[i].run && f->places)) continue;
        f->kind = verbs[i].kind;
        /* where the student stands the session knows by itself */
        snprintf(f->name, sizeof f->name, "%s", strcmp(e->verb, "at") ? e->step : "");
    }
    return true;
}

void session_last_set(struct app *app, enum session_last kind)
{
    struct lesson_state *st = session_state(app);
    if (!st) return;
    st->last = kind;
    st->last_known = true;
    st->last_name[0] = 0;
}

enum session_last session_last(struct app *app)
{
    struct lesson_state *st = session_state(app);
    if (!st || st->last_known) return st ? st->last : LAST_NONE;
    /* At the prompt the student goes on with a lesson or an exercise, which the prompt names. */
    struct found f = {.kind = LAST_NONE, .places = app->interactive};
    state_each(app, look, &f);
    session_last_set(app, f.kind);
    snprintf(st->last_name, sizeof st->last_name, "%s", f.name);
    return st->last;
}

void session_last_program(struct app *app, const char *program)
{
    session_last_set(app, LAST_PROGRAM);
    if (state_begun(app)) state_record(app, "exec", program, NULL);
}

bool session_last_earlier(struct app *app) { return session_last(app) != LAST_NONE && app->lesson->last_name[0]; }

/* Of an earlier session's program nothing is left. */
static int gone(struct app *app, const char *program)
{
    char next[200];
    snprintf(next, sizeof next, "warpstep -c 'exec %.80s' -c why", program);
    return app_fail(
        app, EXIT_USAGE, next,
        "`exec %s` ran last, in a session that has ended, and its launches with it; name a step, or look at "
        "the program in one session",
        program);
}

int session_step_last(struct app *app, const char *name, const lesson_step **s)
{
    char earlier[sizeof app->lesson->last_name] = "";
    *s = NULL;
    if (!name && session_last_earlier(app)) snprintf(earlier, sizeof earlier, "%s", app->lesson->last_name);
    if (*earlier && session_last(app) == LAST_PROGRAM) return gone(app, earlier);
    const bool step = *earlier && session_last(app) == LAST_STEP;
    const int status = session_step(app, step ? earlier : name, s);
    if (!status && !name) *s = session_ran_last(app, *s);
    return status;
}
