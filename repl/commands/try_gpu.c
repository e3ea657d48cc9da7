/* try_gpu.c: what `try` does more, and shows otherwise, on a GPU: the kernel is timed after its
 * first run, every filled buffer that it changes put back before each; nothing is counted or
 * checked. */
#include "try.h"
#include "shell/format.h"
#include "shell/json.h"
#include "device/statistics.h"

#include <stdlib.h>
#include <string.h>

int try_gpu_save(const try_plan *p, dev *d, const uint64_t *address, dev_restore *restore)
{
    int count = 0;
    sim_error ignored = {0};
    for (int i = 0; i < p->buffer_count; i++) {
        const arg *a = &p->args[p->buffer_arg[i]];
        uint64_t copy = 0, bytes = arg_bytes(a);
        if (a->fill == FILL_NONE) continue;
        if (a->fill != FILL_ZERO && (dev_alloc(d, bytes, "a copy of the inputs", &copy, &ignored) ||
                                     dev_copy(d, copy, address[i], bytes, &ignored)))
            return -1; /* no room to run it twice */
        restore[count++] = (dev_restore){address[i], copy, bytes};
    }
    return count;
}

void try_gpu_time(try_view *v, dev *d, dev_module *m, const dev_restore *restore, int restores)
{
    dev_act act = {.module = m, .launch = *v->launch};
    dev_plan plan = {.act = &act, .acts = 1, .restore = restore, .restores = restores};
    dev_wish wish = {.hot = v->app->hot};
    dev_timing *t = calloc(1, sizeof *t);
    sim_error e = {0};
    if (!t || restores < 0 || dev_time(d, &plan, 1, &wish, t, &e)) {
        snprintf(v->no_time, sizeof v->no_time, "not timed: %.200s",
                 restores < 0 ? "there is no memory to keep a copy of its inputs in" : e.message);
        if (dev_lost(&e)) v->status = EXIT_CHECK;
        free(t);
        return;
    }
    v->timing = t;
    if (t->doubt[0]) v->status = EXIT_INCONCLUSIVE;
}

void try_gpu_verdict(const try_view *v)
{
    const struct app *app = v->app;
    const dev_timing *t = v->timing;
    char text[500], a[32], b[32], c[32], d[32], batch[40] = "";
    measured m = {0};
    if (t) measure_summary(t->seconds, t->samples, &m);
    if (v->status == EXIT_CHECK) { /* it ran once, and failed when it was run again */
        fprintf(app->out, "%sFAULT%s  ", app_style(app, STYLE_BAD), app_style(app, STYLE_PLAIN));
        print_wrapped(app->out, v->no_time, 7, 4, 80);
        return;
    }
    fprintf(app->out, "%sok%s  ", app_style(app, STYLE_GOOD), app_style(app, STYLE_PLAIN));
    if (t && t->doubt[0]) {
        snprintf(text, sizeof text, "INCONCLUSIVE: %s", t->doubt);
    } else if (t) {
        if (t->batch > 1) snprintf(batch, sizeof batch, " of %d runs each", t->batch);
        size_t n = (size_t)snprintf(
            text, sizeof text, "%s (median of %d samples%s, quarters %s apart, least %s, cache %s",
            format_si(a, sizeof a, m.median, "s"), m.samples, batch, format_si(b, sizeof b, m.iqr, "s"),
            format_si(c, sizeof c, m.least, "s"), t->hot ? "hot" : "cold");
        if (t->other > 0)
            n += (size_t)snprintf(text + n, sizeof text - n, "; %s %s", t->hot ? "cold" : "hot",
                                  format_si(d, sizeof d, t->other, "s"));
        snprintf(text + n, sizeof text - n, "); first run %s; clock %.0f MHz",
                 format_si(a, sizeof a, v->first_seconds, "s"), t->clock_mhz);
    } else {
        snprintf(text, sizeof text, "%s", v->no_time);
    }
    print_wrapped(app->out, text, 4, 4, 80);
    print_wrapped(app->out, "No fault was reported. A GPU lets many pass; --device sim:h200 checks every access.", 0, 4,
                  80);
}

void try_gpu_json(json *j, const try_view *v)
{
    const dev_timing *t = v->timing;
    if (!t) {
        json_null(j, "ms");
        return;
    }
    measured m;
    measure_summary(t->seconds, t->samples, &m);
    json_object(j, "ms");
    json_number(j, "median", m.median * 1e3);
    json_number(j, "min", m.least * 1e3);
    json_number(j, "max", m.most * 1e3);
    json_number(j, "iqr", m.iqr * 1e3);
    json_int(j, "samples", m.samples);
    json_close(j);
    json_object(j, "measured");
    json_bool(j, "hot", t->hot);
    json_int(j, "batch", t->batch);
    json_int(j, "discarded", t->discarded);
    json_number(j, "other_cache_ms", t->other * 1e3);
    json_number(j, "launch_ms", t->overhead * 1e3);
    json_number(j, "first_ms", v->first_seconds * 1e3);
    json_number(j, "clock_mhz", t->clock_mhz);
    json_text(j, "inconclusive", t->doubt[0] ? t->doubt : NULL);
    json_close(j);
}
