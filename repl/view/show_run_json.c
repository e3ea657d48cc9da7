/* show_run_json.c: one run as a line of JSON. */
#include "show_fault.h"
#include "view.h"
#include <ctype.h>
#include <string.h>

void view_run_json(view_context *c)
{
    struct app *app = c->app;
    const step_result *r = c->r;
    const lesson *l = app->lesson->l;
    json j;
    json_begin(&j, app->out, "run");
    json_int(&j, "lesson", l->number);
    json_text(&j, "step", c->s->name);
    json_text(&j, "device", r->device);
    json_text(&j, "card", r->card_title);
    json_bool(&j, "simulated", r->simulated);
    json_uint(&j, "seed", r->seed);
    for (int i = 0; i < l->setting_count; i++) json_int(&j, l->setting[i].name, c->values->value[i]);
    json_array(&j, "grid");
    for (int i = 0; i < 3; i++) json_uint(&j, NULL, r->grid[i]);
    json_close(&j);
    json_array(&j, "block");
    for (int i = 0; i < 3; i++) json_uint(&j, NULL, r->block[i]);
    json_close(&j);
    json_uint(&j, "shared_bytes", r->shared);
    json_int(&j, "launches", r->launches);
    if (r->judged) {
        json_bool(&j, "correct", r->verdict.correct);
        json_number(&j, "max_relative_error", r->verdict.max_relative);
        json_number(&j, "mean_relative_error", r->verdict.mean_relative);
        json_uint(&j, "wrong_elements", r->verdict.wrong);
    } else {
        json_null(&j, "correct");
    }
    for (int i = 0; i < r->results; i++) json_number(&j, r->result[i].name, r->result[i].value);
    if (r->gpu.known) {
        if (r->has_cycles) json_number(&j, "cycles", r->cycles);
        view_gpu_json(&j, r);
    } else if (r->has_cycles) {
        json_number(&j, "cycles", r->cycles);
        json_object(&j, "ms");
        json_number(&j, "median", r->seconds * 1e3);
        json_number(&j, "min", r->seconds * 1e3);
        json_number(&j, "max", r->seconds * 1e3);
        json_number(&j, "iqr", 0);
        json_int(&j, "samples", 1);
        json_close(&j);
    } else {
        json_null(&j, "ms");
        json_null(&j, "cycles");
    }
    json_text(&j, "cache", r->cache == CACHE_HOT ? "hot" : r->cache == CACHE_COLD ? "cold" : NULL);
    double number;
    if (metric_get(metric_named("bandwidth", 9), r, &number)) json_number(&j, "gbps", number / 1e9);
    if (metric_get(metric_named("rate", 4), r, &number)) json_number(&j, "gflops", number / 1e9);
    json_object(&j, "counters");
    for (int m = 0; metrics[m].id; m++)
        if (!metrics[m].get) {
            double v;
            if (metric_get(m, r, &v)) json_uint(&j, metrics[m].id, (uint64_t)v);
        }
    json_close(&j);
    if (r->has_usage) {
        stalls_json(&j, &r->total);
        json_bool(&j, "sampled", r->usage.sampled);
        if (r->usage.unsteady) json_bool(&j, "unsteady", true);
    }
    json_object(&j, "metrics");
    for (int m = 0; metrics[m].id; m++) {
        double v;
        if (metrics[m].get && strcmp(metrics[m].id, "cpu_time") && metric_get(m, r, &v)) /* it is cpu_ms below */
            json_number(&j, metrics[m].id, v);
    }
    json_close(&j);
    json_number(&j, "cpu_ms", r->cpu_seconds * 1e3);
    if (r->cpu_threads > 1) json_int(&j, "cpu_threads", r->cpu_threads);
    json_array(&j, "faults");
    for (int i = 0; i < r->faults; i++) fault_json(&j, &r->fault[i], NULL);
    json_close(&j);
    if (r->prints) {
        json_array(&j, "output");
        for (int i = 0; i < r->prints; i++) json_text(&j, NULL, r->print[i]);
        json_close(&j);
        json_uint(&j, "prints_left_out", r->prints_left_out);
    }
    json_array(&j, "article");
    for (int i = 0; i < c->s->article_count; i++) {
        const lesson_article *a = &c->s->article[i];
        if (!metric_article(l, c->values, r, a)) continue;
        double ours;
        bool have = metric_get(metric_named(a->metric, strlen(a->metric)), r, &ours);
        json_object(&j, NULL);
        json_text(&j, "metric", a->metric);
        json_number(&j, "value", a->value);
        json_text(&j, "unit", a->unit);
        json_text(&j, "device", a->device);
        json_bool(&j, "measured", a->measured);
        json_text(&j, "where", a->note ? a->note : l->source && !a->measured ? l->source : "");
        if (have) {
            json_number(&j, "ours", ours);
            json_number(&j, "ratio", ours / a->value);
        } else {
            json_null(&j, "ours");
            json_null(&j, "ratio");
        }
        json_close(&j);
    }
    json_close(&j);
    json_end(&j);
}
