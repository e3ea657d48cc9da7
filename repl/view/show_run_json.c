/* show_run_json.c: one run as a JSON line. */
#include "show_fault.h"
#include "view.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

void view_json_ms(json *j, double seconds)
{
    const double ms = seconds * 1e3;
    json_object(j, "ms");
    json_keys(j, "median %g, min %g, max %g, iqr %g, samples %d", ms, ms, ms, 0.0, 1);
    json_close(j);
}

void view_json_launch(json *j, const step_result *r)
{
    json_dims(j, "grid", r->grid);
    json_dims(j, "block", r->block);
    if (r->cluster[0]) json_dims(j, "cluster", r->cluster);
}

const char *view_verdict(const step_result *r)
{
    bool fault = r->ended || r->unknown;
    for (int i = 0; i < r->faults; i++) fault = fault || !r->fault[i].note;
    return r->ended == SIM_E_STOPPED ? "stopped" : fault ? "fault" : r->judged && !r->verdict.correct ? "wrong" : "ok";
}

static void put_time(json *j, const step_result *r)
{
    if (r->has_cycles) json_number(j, "cycles", r->cycles);
    if (r->gpu.known) view_gpu_json(j, r);
    else if (r->has_cycles) {
        view_json_ms(j, r->seconds);
    } else {
        json_null(j, "ms");
        json_null(j, "cycles");
    }
    json_text(j, "cache", r->cache == CACHE_HOT ? "hot" : r->cache == CACHE_COLD ? "cold" : NULL);
}

enum { UNSTEADY = 5 /* percent */ };
void view_json_sampled(json *j, const sim_usage *u)
{
    json_bool(j, "sampled", u->sampled);
    if (u->sampled) json_number(j, "cycles_error", u->error);
    if (100 * u->error > UNSTEADY) json_bool(j, "unsteady", true);
}

static void put_metrics(json *j, const step_result *r)
{
    double v;
    if (metric_get(metric_named("bandwidth", 9), r, &v)) json_number(j, "gbps", v / 1e9);
    if (metric_get(metric_named("rate", 4), r, &v)) json_number(j, "gflops", v / 1e9);
    json_object(j, "counters");
    for (int m = 0; metrics[m].id; m++)
        if (!metrics[m].get && metric_get(m, r, &v)) json_uint(j, metrics[m].id, (uint64_t)v);
    json_close(j);
    if (r->has_usage) {
        stalls_json(j, &r->total);
        view_json_sampled(j, &r->usage);
        json_array(j, "issued_percent");
        for (int i = 0; i < SIM_OVER_TIME; i++) json_uint(j, NULL, r->usage.over_time[i]);
        json_close(j);
    }
    json_object(j, "metrics");
    for (int m = 0; metrics[m].id; m++)
        if (metrics[m].get && strcmp(metrics[m].id, "cpu_time") && metric_get(m, r, &v)) /* it is cpu_ms below */
            json_number(j, metrics[m].id, v);
    json_close(j);
    json_number(j, "cpu_ms", r->cpu_seconds * 1e3);
    if (r->cpu_threads > 1) json_int(j, "cpu_threads", r->cpu_threads);
}

static void put_article(json *j, view_context *c)
{
    const lesson *l = c->app->lesson->l;
    json_array(j, "article");
    for (int i = 0; i < c->s->article_count; i++) {
        const lesson_article *a = &c->s->article[i];
        if (!metric_article(l, c->values, c->r, a)) continue;
        double ours = NAN; /* printed as null */
        metric_get(metric_named(a->metric, strlen(a->metric)), c->r, &ours);
        json_object(j, NULL);
        json_keys(j, "metric %s, value %g, unit %s, device %s, measured %i, where %s, ours %g, ratio %g", a->metric,
                  a->value, a->unit, a->device, a->measured,
                  a->note                     ? a->note
                  : l->source && !a->measured ? l->source
                                              : "",
                  ours, ours / a->value);
        json_close(j);
    }
}

void view_run_json(doc *d, view_context *c)
{
    const step_result *r = c->r;
    const lesson *l = c->app->lesson->l;
    json *j = doc_begin(d, "run", "lesson %d, step %s, device %s, card %s, simulated %i, seed %" PRIu64, l->number,
                        c->s->name, r->device, r->card_title, r->simulated, r->seed);
    for (int i = 0; i < l->setting_count; i++) json_int(j, l->setting[i].name, c->values->value[i]);
    view_json_launch(j, r);
    json_keys(j, "shared_bytes %u, launches %d", r->shared, r->launches);
    if (r->occupancy.estimate) json_int(j, "registers_estimate", r->occupancy.estimate);
    if (r->judged)
        json_keys(j, "correct %i, max_relative_error %g, mean_relative_error %g, wrong_elements %" PRIu64,
                  r->verdict.correct, r->verdict.max_relative, r->verdict.mean_relative, r->verdict.wrong);
    else json_null(j, "correct");
    json_text(j, "verdict", view_verdict(r));
    if (r->judged && r->verdict.of_rounding > 0) json_number(j, "error_of_rounding", r->verdict.of_rounding);
    if (r->judged && r->verdict.looked) json_uint(j, "elements_compared", r->verdict.looked);
    for (int i = 0; i < r->results; i++) json_number(j, r->result[i].name, r->result[i].value);
    put_time(j, r);
    put_metrics(j, r);
    faults_json(j, r, NULL);
    if (r->prints) {
        json_array(j, "output");
        for (int i = 0; i < r->prints; i++) json_text(j, NULL, r->print[i]);
        json_close(j);
        json_uint(j, "prints_left_out", r->prints_left_out);
    }
    if (r->has_timeline) view_spans_json(j, r);
    put_article(j, c);
    json_end(j);
}
