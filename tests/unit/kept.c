/* kept.c: results that a session keeps. A result stays in memory while the command that asked for
 * it runs, however many others it asks for. It goes when later commands need the space.
 */
#include "session/session.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

/* A result for a value of the first setting, as if it had been run. */
static const step_result *keep(struct app *app, int64_t value)
{
    const lesson_step *s = app->lesson->l->step;
    struct device d = {.kind = DEVICE_SIM, .label = "sim:gtx1050"};
    step_values v = {0};
    step_result *r = calloc(1, sizeof *r);
    v.value[0] = value;
    if (r) r->cycles = (double)value;
    return r ? session_keep(app, s, &d, &v, run_values(app, &v), r) : NULL;
}

static const step_result *kept(struct app *app, int64_t value)
{
    struct device d = {.kind = DEVICE_SIM, .label = "sim:gtx1050"};
    step_values v = {0};
    v.value[0] = value;
    const kept_result *k = session_kept(app, app->lesson->l->step, &d, &v, run_values(app, &v));
    return k ? k->r : NULL;
}

int main(void)
{
    enum { MANY = KEPT_RESULTS + 100 };
    static struct app app;
    const step_result *r[MANY];
    app.out = stdout;
    app.err = stderr;
    static char root[] = ".";
    words_add(&app.lessons_dirs, "tests/lessons");
    app.lessons_only = true;
    app.root = root;
    if (session_lesson(&app, "1")) return 1;

    app.lessons->begin(&app);
    for (int i = 0; i < MANY; i++) r[i] = keep(&app, i + 1);
    bool all = true;
    for (int i = 0; i < MANY; i++) all = all && r[i] && kept(&app, i + 1) == r[i] && r[i]->cycles == i + 1;
    check(all, "a command that asks for more than are kept still has them all");
    check(keep(&app, 7) == r[6], "one that is run again takes the place of the first");

    app.lessons->begin(&app);
    check(keep(&app, 100000) && app.lesson->kept_count == MANY, "the next command makes no more places");
    check(!kept(&app, 1) && kept(&app, 2), "it takes the place of the oldest");
    check(keep(&app, 100001) && kept(&app, 7) == r[6] && !kept(&app, 2), "what is used again is not the oldest");

    step_values v = {0};
    struct device d = {.kind = DEVICE_SIM, .label = "sim:gtx1050"};
    run_as how = run_values(&app, &v);
    v.value[0] = 9;
    how.exact = true;
    check(!session_kept(&app, app.lesson->l->step, &d, &v, how), "a run of every block is another result");
    app.lessons->close(&app);
    return check_end();
}
