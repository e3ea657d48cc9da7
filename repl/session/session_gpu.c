/* session_gpu.c: results on a GPU: which runs take turns, which PTX they use, and the simulated
 * card that counts for them. */
#include "session.h"
#include "device/devices.h"
#include "device/gpu_compile.h"
#include <stdlib.h>
#include <string.h>

/* If counting would take longer than this, the run has no counters. */
static const double count_seconds = 6;

typedef struct wanted {
    const lesson_step *s;
    step_values values;
    int before; /* index of the step that it is compared with, or -1 */
} wanted;

/* The PTX for this GPU: compiled now if NVRTC is available, else the PTX shipped with the
 * lesson. */
static int kernel_for(struct app *app, const wanted *w, const struct device *d, step_request *q, char **shipped)
{
    char source[1400];
    const char *compiler = NULL;
    int status = session_kernel_text(app, w->s, true, shipped, &q->ptx_bytes, q->ptx_name, sizeof q->ptx_name);
    if (status) return status;
    q->ptx = *shipped;
    int arch = device_gpu_arch(app, d->index);
    if (arch && lesson_file(app->lesson->l, w->s->kernel_file, source, sizeof source) &&
        gpu_compile(source, *shipped, arch, &q->ptx, &q->ptx_bytes, &compiler)) {
        q->shipped = *shipped;
        q->shipped_bytes = strlen(*shipped);
        snprintf(q->compiler, sizeof q->compiler, "%.99s", compiler);
    }
    return 0;
}

static int run_in_turns(struct app *app, const wanted *w, int count, const struct device *d, run_as how)
{
    step_request *q = calloc((size_t)count, sizeof *q);
    step_result *r = calloc((size_t)count, sizeof *r);
    char **shipped = calloc((size_t)count, sizeof *shipped);
    int status = q && r && shipped ? 0 : app_no_memory(app);
    for (int i = 0; i < count && !status; i++) {
        q[i].l = app->lesson->l;
        q[i].s = w[i].s;
        q[i].values = w[i].values;
        q[i].device = *d;
        q[i].limit = app->limit;
        q[i].hot = how.hot;
        q[i].seed = session_seed(app, w[i].s, how.fresh && i == count - 1);
        status = kernel_for(app, &w[i], d, &q[i], &shipped[i]);
    }
    if (!status) step_run_in_turns(q, count, r);
    for (int i = 0; i < count && r; i++)
        if (!status && w[i].before >= 0 && !r[i].status && !r[w[i].before].status)
            step_compare(&r[i], &r[w[i].before], w[w[i].before].s->name);
    for (int i = 0; i < count && r; i++) {
        step_result *mine = !status && !r[i].status ? malloc(sizeof *mine) : NULL;
        if (mine) {
            *mine = r[i];
            if (!session_keep(app, w[i].s, d, &w[i].values, how, mine)) status = EXIT_INTERNAL;
        } else {
            if (!status && r[i].status) status = session_report(app, w[i].s, &r[i]);
            step_result_free(&r[i]);
        }
    }
    for (int i = 0; i < count && shipped; i++) free(shipped[i]);
    free(shipped);
    free(q);
    free(r);
    return status;
}

const step_result *session_gpu_result(struct app *app, const lesson_step *s, const struct device *d,
                                      const step_values *values, run_as how, int *status)
{
    wanted w[2];
    int count = 0;
    const lesson_step *before = how.chosen && (s->bytes.count || s->after) ? session_before(app, s, how.chosen) : NULL;
    how.lines = false; /* a GPU has no counts per line */
    if (before && before != s && step_launches(before) && !session_values(app, before, how.chosen, &w[0].values)) {
        w[0].s = before;
        w[count++].before = -1;
    }
    w[count] = (wanted){.s = s, .values = *values, .before = count - 1};
    *status = run_in_turns(app, w, count + 1, d, how);
    kept_result *k = session_kept(app, s, d, values, how);
    if (k) *status = 0;
    return k ? k->r : NULL;
}

int session_in_turns(struct app *app, const struct device *d, const lesson_step *const *s, const step_values *values,
                     int count, bool neighbours)
{
    if (d->kind != DEVICE_GPU) return 0;
    wanted *w = calloc((size_t)(count ? count : 1), sizeof *w);
    int made = 0, status = 0;
    if (!w) return app_no_memory(app);
    for (int i = 0; i < count; i++) {
        if (!step_launches(s[i]) || session_kept(app, s[i], d, &values[i], run_values(app, NULL))) continue;
        const lesson_step *before = neighbours ? NULL : step_before(app->lesson->l, s[i]);
        w[made] = (wanted){.s = s[i], .values = values[i], .before = neighbours ? made - 1 : -1};
        for (int k = 0; k < made && before; k++)
            if (w[k].s == before) w[made].before = k;
        made++;
    }
    if (made) status = run_in_turns(app, w, made, d, run_values(app, NULL));
    free(w);
    return status == EXIT_INTERRUPT ? status : 0;
}

int session_count_device(struct app *app, const struct device *gpu, struct device *out)
{
    struct device d[DEVICES_MAX];
    int count, arch = device_gpu_arch(app, gpu->index);
    int status = device_parse(app,
                              arch && arch < 70   ? "sim:gtx1050"
                              : arch && arch < 80 ? "sim:rtx2070"
                                                  : "sim:" DEFAULT_CARD,
                              d, &count);
    *out = d[0];
    return status;
}

int session_count_devices(struct app *app, const lesson_step *s, step_chosen *chosen, struct device out[DEVICES_MAX],
                          int *count)
{
    int status = session_devices(app, s, chosen, out, count);
    for (int i = 0; !status && i < *count; i++) {
        struct device gpu = out[i];
        if (gpu.kind != DEVICE_GPU) continue;
        status = session_count_device(app, &gpu, &out[i]);
        if (!status) app_warn(app, "a GPU does not count: this is counted on %s", out[i].label);
    }
    return status;
}

void session_count(struct app *app, const lesson_step *s, const struct device *d, const step_values *values,
                   const step_result *r)
{
    kept_result *k = session_kept(app, s, d, values, run_values(app, NULL));
    if (d->kind != DEVICE_GPU || !k || k->r != r || r->counted || r->faults || !step_launches(s)) return;
    step_request q = {.l = app->lesson->l,
                      .s = s,
                      .values = *values,
                      .seed = r->seed,
                      .host_threads = app->host_threads,
                      .untimed = true,
                      .limit = app->limit < count_seconds ? app->limit : count_seconds};
    char *card = NULL, *ptx = NULL;
    step_result counted = {0};
    if (!session_count_device(app, d, &q.device) && !device_card_text(app, &q.device, &card) &&
        !session_kernel_text(app, s, true, &ptx, &q.ptx_bytes, q.ptx_name, sizeof q.ptx_name)) {
        q.card_text = card;
        q.ptx = ptx;
        if (!step_run(&q, &counted)) {
            k->r->total = counted.total;
            k->r->counted = true;
            snprintf(k->r->counted_on, sizeof k->r->counted_on, "%s", q.device.label);
        }
    }
    step_result_free(&counted);
    free(card);
    free(ptx);
}
