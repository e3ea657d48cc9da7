/* step_gpu.c: steps on a GPU. Read the child's part from gpu_child, the parent's from
 * step_run_in_turns.
 *
 * In the child each step runs once for its answer, which is judged. Its acts are recorded and
 * repeated for timing (device.h: dev_time), in turns when there are several steps. Then the step
 * runs once more from the beginning, with memory allocated anew. That run is judged too, and gives
 * the time with allocation and copies. The child is kept, as creating a GPU's context takes a tenth
 * of a second. It has only the lessons that were read before it was started. Another lesson,
 * another GPU, a fault or a time limit means another child. */
#include "step_runner.h"
#include "device/devices.h"
#include "shell/child.h"
#include "list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_JOBS = 64 };

/* ---- in the child ---- */

typedef struct turn {
    runner *k;
    dev_restore restore[STEP_BUFFERS];
    uint64_t saved[STEP_BUFFERS]; /* a copy of the filled buffer; 0: none */
    int restores;
    int status;
    bool timed, lost;
    double first, load;
} turn;

static int tell(runner *k, const sim_error *err)
{
    return runner_problem(k, dev_status(err, EXIT_INTERNAL), err->hint, "%s", err->message);
}

/* The buffer whose name now refers to memory `at`: a step may swap names. */
static int name_of(const runner *k, int at)
{
    int i = 0;
    while (i < k->s->buffer_count && k->place[i] != at) i++;
    return i;
}

/* Copies all filled buffers on the card, so that each timed run can start from the same
 * contents. */
static int save(turn *j)
{
    runner *k = j->k;
    for (int i = 0; i < k->s->buffer_count; i++) {
        const lesson_buffer *b = &k->s->buffer[i];
        sim_error err = {0};
        if (!k->bytes[i] || (b->fill == FILL_NONE && !b->rest_zero) || (b->fill == FILL_ZERO && !k->row[i])) continue;
        const int code = dev_alloc(k->dev, k->bytes[i], "a copy of the inputs", &j->saved[i], &err);
        k->r.card_full = code == SIM_E_LIMIT;
        if (code || dev_copy(k->dev, j->saved[i], k->address[i], k->bytes[i], &err)) return tell(k, &err);
    }
    return 0;
}

/* Finds the buffers that the run changed: only those must be restored. */
static int find_changed(turn *j)
{
    runner *k = j->k;
    for (int i = 0; i < k->s->buffer_count; i++) {
        const lesson_buffer *b = &k->s->buffer[i];
        cpu_value now = {0};
        int name = name_of(k, i), status;
        if (!k->bytes[i] || (b->fill == FILL_NONE && !b->rest_zero) || name == k->s->buffer_count) continue;
        if ((status = runner_read(k, name, &now))) return status;
        bool same = !memcmp(now.data, k->host[i].data, (size_t)(now.count * (uint64_t)lesson_types[now.type].bytes));
        cpu_value_free(&now);
        sim_error err = {0};
        if (!same) j->restore[j->restores++] = (dev_restore){k->address[i], j->saved[i], k->bytes[i]};
        else if (j->saved[i] && dev_free(k->dev, j->saved[i], &err)) return tell(k, &err);
        if (same) j->saved[i] = 0;
    }
    return 0;
}

static void first_run(turn *j)
{
    runner *k = j->k;
    double start = runner_now();
    k->recording = true;
    int status = runner_open(k);
    j->load = runner_now() - start;
    if (!status) status = k->job->kind->buffers(k);
    bool timed = true;
    if (!status && (status = save(j)) &&
        k->job->kind->may_be_untimed) { /* no memory for repeated runs: run it once, untimed */
        timed = false;
        status = 0;
        snprintf(k->r.no_time, sizeof k->r.no_time, "not timed: there is no memory to keep a copy of its inputs in");
    }
    const bool acts = !status;
    if (acts) status = runner_act(k);
    j->first = k->launch_seconds;
    if (acts && status == EXIT_CHECK) { /* a fault is a valid result, but this process can no longer use the GPU */
        j->lost = true;
        status = 0;
    } else if (!status) {
        status = runner_judge(k);
        if (!status && k->r.launches && !k->recording)
            status = runner_problem(k, EXIT_INTERNAL, "Choose smaller settings.", NO_MEMORY);
        if (!status) status = find_changed(j);
        j->timed = timed && !status && k->acts > 0;
    }
    j->status = status;
}

static void put_timing(runner *k, const turn *j, const dev_timing *t, const dev_reach *reach, const double copies[2])
{
    const dev_about *about = dev_info(k->dev);
    step_result *r = &k->r;
    step_timing *g = &r->gpu;
    g->known = true;
    g->hot = t->hot;
    g->batch = t->batch;
    g->discarded = t->discarded;
    memcpy(g->sample, t->seconds, sizeof g->sample);
    measure_summary(t->seconds, t->samples, &g->time);
    g->other = t->other;
    g->span = round(t->span);
    g->clock_mhz = t->clock_mhz;
    g->nominal_mhz = dev_card(k->dev)->clock_khz / 1e3;
    g->overhead = t->overhead;
    g->first = j->first;
    g->load = j->load;
    g->copy_bytes = reach->copy_bytes;
    g->memory_khz = about->memory_khz;
    g->bus_bits = about->bus_bits;
    g->lanes = about->lanes;
    memcpy(g->driver, about->driver, sizeof g->driver);
    memcpy(g->doubt, t->doubt, sizeof g->doubt);
    for (int i = 0; i < 2 && copies[0] > 0; i++) r->copy_seconds[i] = copies[i] > 0 ? copies[i] : 0;
    r->seconds = g->time.median;
    r->block_cycles = round(t->slowest);
    r->has_cycles = t->slowest > 0 || (t->clock_mhz > 0 && !t->doubt[0]);
    if (t->slowest > 0) r->cycles = r->block_cycles;
    else if (r->has_cycles) /* the kernel reads no clock: convert the time at the measured clock rate */
        r->cycles = round(g->time.median * t->clock_mhz * 1e6);
}

/* One more run from the beginning, with everything warm. */
static void last_run(turn *j)
{
    runner *k = j->k;
    sim_error err = {0};
    double start = runner_now();
    for (int i = 0; i < k->s->buffer_count && !j->status; i++) {
        if (j->saved[i] && dev_free(k->dev, j->saved[i], &err)) j->status = tell(k, &err);
        start = runner_now();
        if (!j->status && k->bytes[i] && dev_free(k->dev, k->address[i], &err)) j->status = tell(k, &err);
    }
    double freeing = runner_now() - start;
    k->recording = false;
    k->again = true;
    k->r.launches = 0;
    k->r.from_card = k->r.host_elements = k->cycles = 0;
    k->device_seconds = 0;
    memset(k->copied_after, 0, sizeof k->copied_after);
    memset(k->has_local, 0, sizeof k->has_local);
    for (int i = 0; i < LESSON_LOCALS; i++) cpu_value_free(&k->result[i]);
    memset(k->result, 0, sizeof k->result);
    if (!j->status) j->status = k->job->kind->buffers(k);
    if (!j->status) j->status = runner_act(k);
    if (j->status == EXIT_CHECK) j->lost = true, j->status = 0;
    else if (!j->status) j->status = runner_judge(k);
    if (!j->status && !j->lost) k->r.gpu.total = k->device_seconds + freeing;
}

static void time_all(turn *jobs, int count, bool *lost)
{
    dev_plan plan[MOST_JOBS];
    dev_timing timing[MOST_JOBS];
    int of[MOST_JOBS], plans = 0;
    for (int i = 0; i < count; i++) {
        turn *j = &jobs[i];
        const lesson_step *s = j->k ? j->k->s : NULL;
        if (!j->timed) continue;
        dev_plan *p = &plan[plans];
        *p = (dev_plan){.act = j->k->act, .acts = j->k->acts, .restore = j->restore, .restores = j->restores};
        if (s->clock >= 0) {
            int at = j->k->place[s->clock];
            p->clock = j->k->address[at];
            p->blocks = j->k->host[at].count / 2;
        }
        of[plans++] = i;
    }
    if (!plans) return;
    dev *d = jobs[of[0]].k->dev;
    sim_error err = {0};
    dev_wish wish = {.hot = jobs[of[0]].k->q->hot};
    dev_reach reach = {0};
    int code = dev_time(d, plan, plans, &wish, timing, &err);
    double copies[MOST_JOBS][2] = {{0}};
    const bool may_be_untimed = jobs[of[0]].k->job->kind->may_be_untimed;
    if (!code && !may_be_untimed) code = dev_reach_of(d, &reach, &err);
    for (int i = 0; i < plans && !code && !may_be_untimed; i++)
        code = dev_transfer(d, jobs[of[i]].k->r.to_card, copies[i], &err);
    *lost = code && dev_lost(&err);
    for (int i = 0; i < plans; i++) {
        turn *j = &jobs[of[i]];
        if (code && may_be_untimed) {
            snprintf(j->k->r.no_time, sizeof j->k->r.no_time, "not timed: %.200s", err.message);
            j->k->r.lost = j->lost = dev_lost(&err);
        } else if (code) j->status = tell(j->k, &err);
        else put_timing(j->k, j, &timing[i], &reach, copies[i]);
        j->timed = !code;
    }
}

/* The request: a header, then for each job its step_request and the two texts that it points to. */
typedef struct head {
    int count;
} head;

static int gpu_child(struct child *c, void *request)
{
    head h;
    char *at = request;
    static turn jobs[MOST_JOBS];
    static step_request q[MOST_JOBS];
    bool lost = false;
    memcpy(&h, at, sizeof h);
    at += sizeof h;
    memset(jobs, 0, sizeof jobs);
    for (int i = 0; i < h.count; i++) {
        memcpy(&q[i], at, sizeof q[i]);
        at += sizeof q[i];
        q[i].ptx = at;
        at += q[i].ptx_bytes + 1;
        q[i].shipped = q[i].shipped ? at : NULL;
        at += q[i].shipped_bytes + 1;
    }
    for (int i = 0; i < h.count && !lost; i++) {
        runner *k = jobs[i].k = runner_new(c, &q[i]);
        if (!k) break;
        child_printf(c, "job %d\n", i);
        memcpy(k->r.gpu.compiler, q[i].compiler, sizeof q[i].compiler);
        first_run(&jobs[i]);
        lost = jobs[i].lost;
    }
    if (!lost) time_all(jobs, h.count, &lost);
    dev *opened = NULL;
    for (int i = 0; i < h.count; i++) {
        turn *j = &jobs[i];
        if (!j->k) break;
        child_printf(c, "job %d\n", i);
        if (j->timed && !lost && !j->k->job->kind->may_be_untimed) last_run(j);
        lost = lost || j->lost;
        j->k->r.complete = !j->status && (!lost || j->lost);
        j->k->r.status = j->k->r.complete ? 0 : j->status ? j->status : EXIT_INTERNAL;
        report_totals(j->k);
        if (j->k->dev) opened = j->k->dev;
        runner_free(j->k);
    }
    dev_close(opened);
    return lost ? CHILD_LAST : 0;
}

/* ---- in the parent ---- */

static struct child_kept *kept;
static unsigned kept_lesson;
static int kept_index;

void step_release(void) { child_release(&kept); }

static char *pack(const step_request *q, int count, size_t *bytes)
{
    *bytes = sizeof(head);
    for (int i = 0; i < count; i++) *bytes += sizeof *q + q[i].ptx_bytes + q[i].shipped_bytes + 2;
    char *out = calloc(1, *bytes), *at = out;
    if (!out) return NULL;
    head h = {count};
    memcpy(at, &h, sizeof h);
    at += sizeof h;
    for (int i = 0; i < count; i++) {
        memcpy(at, &q[i], sizeof q[i]);
        at += sizeof q[i];
        if (q[i].ptx_bytes) memcpy(at, q[i].ptx, q[i].ptx_bytes);
        at += q[i].ptx_bytes + 1;
        if (q[i].shipped) memcpy(at, q[i].shipped, q[i].shipped_bytes);
        at += q[i].shipped_bytes + 1;
    }
    return out;
}

static void settle(const step_request *q, step_result *r)
{
    r->has_time = r->gpu.known && r->seconds > 0 && !r->gpu.doubt[0];
    r->total_seconds = r->gpu.total;
    r->cache = !r->gpu.known ? CACHE_NONE : r->gpu.hot ? CACHE_HOT : CACHE_COLD;
    r->memory_peak = 2.0 * r->gpu.memory_khz * 1e3 * r->gpu.bus_bits / 8;
    r->rate_peak = 2.0 * r->gpu.lanes * r->multiprocessors * r->gpu.nominal_mhz * 1e6;
    if (q->s->has_peak && q->s->peak == TYPE_F32) r->product_peak = r->rate_peak;
    step_library(q, r);
    measure_summary(r->gpu.sample, r->gpu.time.samples, &r->gpu.time);
    if (r->card_title[0]) {
        device_card_of(r->card_title, r->card, sizeof r->card);
        char which[24] = "";
        if (q->device.index > 0) snprintf(which, sizeof which, " (gpu:%d)", q->device.index);
        /* a hot run differs from a cold one, so its rows and journal entry say "hot" */
        snprintf(r->device, sizeof r->device, "%.60s%s%s", r->card_title, which, q->hot ? ", hot" : "");
    }
    if (!r->status && !r->complete) {
        r->status = EXIT_INTERNAL;
        if (!r->problem[0]) snprintf(r->problem, sizeof r->problem, "the run's answer is incomplete");
    }
    if (r->status) r->complete = false;
}

/* A kept child knows the lesson as of its start. A step created since then is not in it. */
static bool is_in_lesson(const step_request *q)
{
    return q->l->serial && q->s >= q->l->step && q->s < q->l->step + q->l->step_count;
}

int step_run_in_turns(const step_request *q, int count, step_result *r)
{
    struct child_limits limits = {.seconds = q->limit * count};
    struct child_result child;
    size_t bytes;
    char label[240];
    const struct job_kind *kind = request_job(q)->kind;
    limits.max_answer = kind->answer_most;
    if (kind->label) snprintf(label, sizeof label, "%s", kind->label);
    else snprintf(label, sizeof label, "%d.%s on %.80s", q->l->number, q->s->name, q->device.label);
    limits.label = label;
    for (int i = 0; i < count; i++) {
        memset(&r[i], 0, sizeof r[i]);
        snprintf(r[i].device, sizeof r[i].device, "%s", q[i].device.label);
        r[i].seed = q[i].seed;
        r[i].bytes = r[i].operations = -1;
    }
    if (count > MOST_JOBS) { /* too many to take turns: at least measure each */
        int status = step_run_in_turns(q, MOST_JOBS, r);
        int rest = step_run_in_turns(q + MOST_JOBS, count - MOST_JOBS, r + MOST_JOBS);
        return status ? status : rest;
    }
    bool keeps = true;
    for (int i = 0; i < count; i++) keeps = keeps && is_in_lesson(&q[i]);
    if (kept && (!keeps || kept_lesson != q->l->serial || kept_index != q->device.index)) child_release(&kept);
    kept_lesson = keeps ? q->l->serial : 0; /* 0: no lesson, so that the next call starts a new child */
    kept_index = q->device.index;
    char *request = pack(q, count, &bytes);
    if (!request) {
        snprintf(r->problem, sizeof r->problem, NO_MEMORY);
        return r->status = EXIT_INTERNAL;
    }
    int status = child_ask(&kept, &limits, gpu_child, request, bytes, &child);
    free(request);
    record_read(r, count, child.answer, child.bytes);
    for (int i = 0; i < count; i++) {
        settle(&q[i], &r[i]);
        if (child.end != CHILD_DONE) {
            r[i].status = status;
            r[i].crashed = true;
            snprintf(r[i].problem, sizeof r[i].problem, "%s", child.message);
        }
    }
    child_free(&child);
    int worst = 0;
    for (int i = 0; i < count; i++) {
        bool stopped = r[i].status == EXIT_INTERRUPT || app_interrupted;
        if (r[i].status && count > 1 && !stopped) { /* another run may be to blame: alone it gets its own verdict */
            step_result_free(&r[i]);
            step_run_in_turns(&q[i], 1, &r[i]);
        }
        if (r[i].status && !worst) worst = r[i].status;
    }
    return worst;
}

void step_compare(step_result *r, const step_result *before, const char *name)
{
    int count = r->gpu.time.samples < before->gpu.time.samples ? r->gpu.time.samples : before->gpu.time.samples;
    if (!r->has_time || !before->has_time) return;
    measure_ratio(before->gpu.sample, r->gpu.sample, count, &r->gpu.gain);
    snprintf(r->gpu.before, sizeof r->gpu.before, "%.31s", name);
}
