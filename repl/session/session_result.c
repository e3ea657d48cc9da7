/* session_result.c: runs of steps, and the results so far. */
#include "session.h"
#include "device/devices.h"
#include "session_answer.h"
#include "session_job.h"
#include "shell/language.h"
#include "list.h"
#include <stdlib.h>
#include <string.h>

void session_forget(struct lesson_state *st)
{
    for (int i = 0; i < st->kept_count; i++) {
        step_result_free(st->kept[i].r);
        free(st->kept[i].r);
    }
    st->kept_count = 0;
    memset(st->runs, 0, sizeof st->runs);
}

static uint64_t first_seed(const struct app *app)
{
    const lesson *l = app->lesson->l;
    return app->seed ? app->seed : l->has_seed ? l->seed : 1;
}

int usual_ptx(struct app *app, const lesson_step *s, step_request *q, char **ptx)
{
    const struct session_answer *answer = session_answer_here(app);
    if (answer && !session_answer_request(answer, s, q, ptx))
        return app_no_memory(app);
    if (answer || !step_launches(s)) return 0;
    return session_kernel_text(app, s, true, ptx, &q->ptx_bytes, q->ptx_name, sizeof q->ptx_name);
}

int session_request(struct app *app, const lesson_step *s, const struct device *d, run_as how, step_request *q,
                    char **card, char **ptx)
{
    int status = 0;
    *card = *ptx = NULL;
    q->l = app->lesson->l;
    q->s = s;
    q->device = *d;
    q->host_threads = app->host_threads;
    q->exact = how.exact;
    q->hot = how.hot;
    q->limit = app->limit;
    if (d->kind == DEVICE_GPU) { /* a step that runs on the CPU alone, or a detailed look: a simulated card will do */
        status = session_count_device(app, d, &q->device);
        d = &q->device;
    }
    if (!status) status = device_card_text(app, d, card);
    if (!status) status = session_job(s)->ptx(app, s, q, ptx);
    q->card_text = *card;
    q->ptx = *ptx;
    return status ? status : session_witness(app, s, q);
}

int session_report(struct app *app, const lesson_step *s, const step_result *r)
{
    char problem[600], advice[400];
    return app_fail(app, r->status, NULL, "%s: %s%s%s", session_step_name(app, s),
                    language_said(r->problem, problem, sizeof problem), r->advice[0] ? TR(". ") : "",
                    language_said(r->advice, advice, sizeof advice));
}

static bool same_values(const lesson *l, const step_values *a, const step_values *b)
{
    for (int i = 0; i < l->setting_count; i++)
        if (a->value[i] != b->value[i]) return false;
    return true;
}

run_as run_chosen(const struct app *app, const step_chosen *chosen)
{
    return (run_as){.chosen = chosen, .exact = app->exact, .hot = app->hot};
}

run_as run_values(const struct app *app, const step_values *values)
{
    return (run_as){.values = values, .exact = app->exact, .hot = app->hot};
}

kept_result *session_kept(struct app *app, const lesson_step *s, const struct device *d, const step_values *values,
                          run_as how)
{
    const struct lesson_state *st = app->lesson;
    for (int i = 0; i < st->kept_count; i++) {
        kept_result *at = &st->kept[i];
        if (at->s == s && !strcmp(at->device.label, d->label) && !strcmp(at->device.path, d->path) &&
            at->exact == how.exact && at->checked == how.checked && at->hot == how.hot &&
            same_values(st->l, &at->values, values))
            return at;
    }
    return NULL;
}

/* A slot for one more result. Once there are many, it reuses the oldest that the running command
 * does not use. NULL: no memory. */
static kept_result *place(struct lesson_state *st)
{
    kept_result *oldest = NULL;
    for (int i = 0; i < st->kept_count && st->kept_count >= KEPT_RESULTS; i++)
        if (st->kept[i].used <= st->began && (!oldest || st->kept[i].used < oldest->used)) oldest = &st->kept[i];
    if (oldest) {
        step_result_free(oldest->r);
        free(oldest->r);
        return oldest;
    }
    if (!list_grow(&st->kept, (size_t)st->kept_count, sizeof *st->kept)) return NULL;
    return &st->kept[st->kept_count++];
}

const step_result *session_keep(struct app *app, const lesson_step *s, const struct device *d,
                                const step_values *values, run_as how, step_result *r)
{
    struct lesson_state *st = app->lesson;
    kept_result *k = session_kept(app, s, d, values, how);
    if (k) { /* overwritten in place, as others may hold a pointer to it */
        step_result_free(k->r);
        *k->r = *r;
        free(r);
        k->lines = how.lines;
        k->used = ++st->clock;
        return k->r;
    }
    if (!(k = place(st))) {
        step_result_free(r);
        free(r);
        app_no_memory(app);
        return NULL;
    }
    *k = (kept_result){s, *d, *values, how.lines, how.exact, how.hot, how.checked, r, ++st->clock};
    return r;
}

uint64_t session_seed(struct app *app, const lesson_step *s, bool fresh)
{
    return first_seed(app) + (uint64_t)(fresh ? app->lesson->runs[s - app->lesson->l->step]++ : 0);
}

static void say_damaged(struct app *app, const step_result *r, const char *path)
{
    static bool said;
    if (r->memo_damaged && !said)
        app_warn(app, "%s was changed since it was written; what it keeps is run again", path);
    said = said || r->memo_damaged;
}

const step_result *session_result(struct app *app, const lesson_step *s, const struct device *d, run_as how,
                                  int *status)
{
    struct lesson_state *st = app->lesson;
    /* check-lessons has searched the lessons' kernels for races. Searching again would double their
     * time. */
    bool races = how.checked || s->expect == EXPECT_RACE;
    step_request q = {.lines = how.lines,
                      .checks = races ? SIM_CHECK_INIT | SIM_CHECK_BARRIER | SIM_CHECK_RACE : step_job(s)->kind->checks,
                      .untimed = how.checked,
                      .already = st->already};
    char lacks[200];
    *status = 0;
    if (session_lacks(app, s, d, lacks, sizeof lacks)) {
        struct device can;
        char next[80] = "devices";
        if (session_card_that_can(app, s, DEFAULT_CARD, &can))
            snprintf(next, sizeof next, "set device %.60s", can.label);
        *status =
            app_fail(app, EXIT_DEVICE, next, "%s cannot run on %s: %s", session_step_name(app, s), d->label, lacks);
        return NULL;
    }
    if (!how.chosen) q.values = *how.values;
    else if ((*status = session_values(app, s, how.chosen, &q.values))) return NULL;
    char next[80];
    if (!session_fits(app, s, d, how.chosen ? how.chosen : session_chosen(app), &q.values, lacks, sizeof lacks, next,
                      sizeof next)) {
        *status =
            app_fail(app, EXIT_USAGE, next, "%s cannot run so on %s: %s", session_step_name(app, s), d->label, lacks);
        return NULL;
    }
    kept_result *k = session_kept(app, s, d, &q.values, how);
    if (k && !how.fresh && (k->lines || !how.lines)) {
        k->used = ++st->clock;
        return k->r;
    }
    if (d->kind == DEVICE_GPU && (*status = session_use(app, s, USE_GPU, NULL))) return NULL;
    if (d->kind == DEVICE_GPU && step_launches(s)) return session_gpu_result(app, s, d, &q.values, how, status);
    char *card, *ptx;
    *status = session_request(app, s, d, how, &q, &card, &ptx);
    step_result *r = *status ? NULL : calloc(1, sizeof *r);
    if (!*status && !r) *status = app_no_memory(app);
    if (r) {
        q.seed = session_seed(app, s, how.fresh);
        char *memo = step_memo_path(app, &q);
        q.memo = memo;
        q.recall = !how.fresh;
        *status = step_run(&q, r);
        say_damaged(app, r, memo);
        free(memo);
        if (*status) {
            session_report(app, s, r);
            step_result_free(r);
            free(r);
            r = NULL;
        }
    }
    free(card);
    free(ptx);
    const step_result *kept = r ? session_keep(app, s, d, &q.values, how, r) : NULL;
    if (r && !kept) *status = EXIT_INTERNAL;
    return kept;
}

int session_trace(struct app *app, const lesson_step *s, const struct device *d, const step_chosen *chosen,
                  step_result *out)
{
    step_request q = {.trace = true, .seed = first_seed(app)};
    memset(out, 0, sizeof *out);
    int status = session_values(app, s, chosen, &q.values);
    if (status) return status;
    char *card, *ptx;
    status = session_request(app, s, d, run_chosen(app, chosen), &q, &card, &ptx);
    if (!status && (status = step_run(&q, out))) session_report(app, s, out);
    free(card);
    free(ptx);
    return status;
}
