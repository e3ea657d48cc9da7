/* show_gpu_times.c: what there is to say of a run that was measured on a GPU: how it was measured,
 * what share of the card's peaks it reached, and what else it took. The table above it (show_run.c)
 * has the medians. */
#include "view.h"
#include "shell/format.h"
#include <math.h>
#include <string.h>

char *view_gpu_gain(const step_result *r, char *out, size_t size)
{
    const measured_ratio *m = &r->gpu.gain;
    bool less = m->ratio >= 1;
    double ratio = less ? m->ratio : 1 / m->ratio, error = less ? m->error : m->error / (m->ratio * m->ratio);
    int digits = error >= 0.095 ? 1 : error >= 0.0095 ? 2 : 3;
    out[0] = 0;
    if (m->known && m->apart)
        snprintf(out, size, "%.*fx +- %.*f %s", digits, ratio, digits, error, less ? "less" : "more");
    else if (m->known) snprintf(out, size, "not told apart");
    return out;
}

static void put_doubt(struct app *app, const step_result *r)
{
    char text[400];
    fprintf(app->out, "  %sINCONCLUSIVE%s\n", app_style(app, STYLE_BAD), app_style(app, STYLE_PLAIN));
    snprintf(text, sizeof text,
             "%s. Let the card cool down, end what else uses it (nvidia-smi lists that), and run again.", r->gpu.doubt);
    app_wrap(app, 4, text);
}

static void put_samples(struct app *app, const step_result *r)
{
    const step_timing *g = &r->gpu;
    char text[600], a[32], b[32], c[32], batch[48] = "", thrown[64] = "";
    if (g->batch > 1) snprintf(batch, sizeof batch, " of %d runs each", g->batch);
    if (g->discarded) snprintf(thrown, sizeof thrown, ", %d thrown away for a low clock", g->discarded);
    snprintf(text, sizeof text,
             "Measured: %d samples%s after 3 warm-ups%s; quarters %s apart (%.1f %%), least %s; cache %s; launching "
             "(%s) taken off.",
             g->time.samples, batch, thrown, format_si(a, sizeof a, g->time.iqr, "s"),
             100 * g->time.iqr / g->time.median, format_si(b, sizeof b, g->time.least, "s"), g->hot ? "hot" : "cold",
             format_si(c, sizeof c, g->overhead, "s"));
    app_wrap(app, 2, text);
    if (g->other > 0 && fabs(g->other - r->seconds) > 0.1 * r->seconds) {
        snprintf(text, sizeof text, "With the cache %s: %s.", g->hot ? "cold" : "hot",
                 format_si(a, sizeof a, g->other, "s"));
        app_wrap(app, 2, text);
    }
}

static void put_shares(struct app *app, const step_result *r)
{
    const step_timing *g = &r->gpu;
    char text[400], a[32], b[32];
    double peak = r->memory_peak, rate = r->rate_peak;
    if (r->bytes > 0 && peak > 0) {
        double ours = (double)r->bytes / r->seconds;
        int n = snprintf(text, sizeof text, "Bandwidth: %.1f %% of %s (2 x %d MHz x %d bit / 8)", 100 * ours / peak,
                         format_si(a, sizeof a, peak, "B/s"), g->memory_khz / 1000, g->bus_bits);
        if (g->copy_bytes > 0)
            snprintf(text + n, sizeof text - (size_t)n, ", %.1f %% of a copy just now (%s).",
                     100 * ours / g->copy_bytes, format_si(b, sizeof b, g->copy_bytes, "B/s"));
        app_wrap(app, 2, text);
    }
    if (r->operations > 0 && rate > 0) {
        double ours = (double)r->operations / r->seconds;
        snprintf(text, sizeof text, "Arithmetic: %.1f %% of %s (2 x %d x %d multiprocessors x %.0f MHz)%s.",
                 100 * ours / rate, format_si(a, sizeof a, rate, "FLOP/s"), g->lanes, r->multiprocessors,
                 g->nominal_mhz, ours > rate ? ", which is what its fp32 lanes can do: tensor cores do more" : "");
        app_wrap(app, 2, text);
    }
}

static void put_rest(struct app *app, const step_result *r)
{
    const step_timing *g = &r->gpu;
    char text[400], a[32], b[32], c[32];
    snprintf(text, sizeof text, "First run: %s, and %s to load the kernel%s%s%s.",
             format_si(a, sizeof a, g->first, "s"), format_si(b, sizeof b, g->load, "s"),
             g->compiler[0] ? " (" : " (the lesson's PTX, by the driver", g->compiler, ")");
    if (g->total > 0) {
        size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, " With allocation and copies, warm: %s.",
                 format_si(c, sizeof c, g->total, "s"));
    }
    app_wrap(app, 2, text);
    snprintf(text, sizeof text, "Clock: %.0f MHz by its own counter, %.0f nominal%s. %s.", g->clock_mhz, g->nominal_mhz,
             r->has_cycles && r->block_cycles <= 0 ? "; cycles are the time at that clock" : "", g->driver);
    app_wrap(app, 2, text);
}

/* clock64 belongs to one multiprocessor: the article's rule gives nonsense today, and a student
 * should see it. */
static void put_span(struct app *app, const step_result *r)
{
    double blocks = (double)r->grid[0] * r->grid[1] * r->grid[2];
    char text[400], a[40], b[40];
    if (r->gpu.span <= 0 || r->block_cycles <= 0 || blocks < 2) return;
    snprintf(text, sizeof text,
             "Cycles are those of the slowest block. By the article's rule, latest end less earliest start of all "
             "blocks, they would be %s instead of %s%s",
             format_number(a, sizeof a, r->gpu.span), format_number(b, sizeof b, r->block_cycles),
             r->gpu.span > 2 * r->block_cycles ? ": each multiprocessor has a clock of its own." : ".");
    app_wrap(app, 2, text);
}

void view_gpu(struct app *app, const step_result *r)
{
    if (!r->gpu.known) return;
    if (r->counted_on[0]) fprintf(app->out, "  counters: of %s, a GPU has none\n", r->counted_on);
    fputc('\n', app->out);
    if (r->gpu.doubt[0]) {
        put_doubt(app, r);
        return;
    }
    char gain[64], text[200];
    if (r->gpu.gain.known) {
        view_gpu_gain(r, gain, sizeof gain);
        snprintf(text, sizeof text, r->gpu.gain.apart ? "In turns with %s: %s time." : "In turns with %s: %s.",
                 r->gpu.before, r->gpu.gain.apart ? gain : "the two cannot be told apart");
        app_wrap(app, 2, text);
    }
    put_samples(app, r);
    put_shares(app, r);
    put_span(app, r);
    put_rest(app, r);
}

void view_gpu_json(json *j, const step_result *r)
{
    const step_timing *g = &r->gpu;
    if (!g->known) return;
    json_object(j, "ms");
    json_number(j, "median", g->time.median * 1e3);
    json_number(j, "min", g->time.least * 1e3);
    json_number(j, "max", g->time.most * 1e3);
    json_number(j, "iqr", g->time.iqr * 1e3);
    json_int(j, "samples", g->time.samples);
    json_close(j);
    json_object(j, "measured");
    json_bool(j, "hot", g->hot);
    json_int(j, "batch", g->batch);
    json_int(j, "discarded", g->discarded);
    json_number(j, "other_cache_ms", g->other * 1e3);
    json_number(j, "launch_ms", g->overhead * 1e3);
    json_number(j, "first_ms", g->first * 1e3);
    json_number(j, "load_ms", g->load * 1e3);
    json_number(j, "total_ms", g->total * 1e3);
    json_number(j, "clock_mhz", g->clock_mhz);
    json_number(j, "nominal_mhz", g->nominal_mhz);
    json_number(j, "copy_gbps", g->copy_bytes / 1e9);
    json_number(j, "peak_gbps", r->memory_peak / 1e9);
    json_number(j, "peak_gflops", r->rate_peak / 1e9);
    json_number(j, "span_cycles", g->span);
    json_text(j, "cycles_from", !r->has_cycles ? NULL : r->block_cycles > 0 ? "slowest block" : "time and clock");
    json_text(j, "driver", g->driver);
    json_text(j, "compiler", g->compiler);
    json_text(j, "inconclusive", g->doubt[0] ? g->doubt : NULL);
    if (g->gain.known) {
        json_text(j, "before", g->before);
        json_number(j, "before_ratio", g->gain.ratio);
        json_number(j, "before_error", g->gain.error);
        json_bool(j, "apart", g->gain.apart);
    }
    json_close(j);
}
