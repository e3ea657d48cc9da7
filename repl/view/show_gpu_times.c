/* show_gpu_times.c: remarks on a run that was timed on a GPU: how it was measured, what share of
 * the card's peak rates it reached, and what else takes time. The table above it (run_table.c) has
 * the medians. */
#include "view.h"
#include "shell/format.h"
#include "shell/language.h"
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
        snprintf(out, size, TR("%.*fx +- %.*f %s"), digits, ratio, digits, error, TR(less ? "less" : "more"));
    else if (m->known) snprintf(out, size, "%s", TR("not told apart"));
    return out;
}

static void put_samples(doc *d, const step_result *r)
{
    const step_timing *g = &r->gpu;
    char a[32], b[32], c[32], batch[48] = "", thrown[64] = "";
    if (g->batch > 1) snprintf(batch, sizeof batch, TR(" of %d runs each"), g->batch);
    if (g->discarded) snprintf(thrown, sizeof thrown, TR(", %d thrown away for a low clock"), g->discarded);
    doc_say(d, 2,
            "Measured: %d samples%s after 3 warm-ups%s; quarters %s apart (%.1f %%), least %s; cache %s; launching "
            "(%s) taken off.",
            g->time.samples, batch, thrown, format_si(a, sizeof a, g->time.iqr, "s"),
            100 * g->time.iqr / g->time.median, format_si(b, sizeof b, g->time.least, "s"), TR(g->hot ? "hot" : "cold"),
            format_si(c, sizeof c, g->overhead, "s"));
    if (g->other > 0 && fabs(g->other - r->seconds) > 0.1 * r->seconds)
        doc_say(d, 2, "With the cache %s: %s.", TR(g->hot ? "cold" : "hot"), format_si(a, sizeof a, g->other, "s"));
}

static void put_shares(doc *d, const step_result *r)
{
    const step_timing *g = &r->gpu;
    char copy[100], a[32], b[32];
    double peak = r->memory_peak, rate = r->rate_peak;
    snprintf(copy, sizeof copy, "%s", TR("."));
    if (r->bytes > 0 && peak > 0) {
        double ours = (double)r->bytes / r->seconds;
        if (g->copy_bytes > 0)
            snprintf(copy, sizeof copy, TR(", %.1f %% of a copy just now (%s)."), 100 * ours / g->copy_bytes,
                     format_si(b, sizeof b, g->copy_bytes, "B/s"));
        doc_say(d, 2, "Bandwidth: %.1f %% of %s (2 x %d MHz x %d bit / 8)%s", 100 * ours / peak,
                format_si(a, sizeof a, peak, "B/s"), g->memory_khz / 1000, g->bus_bits, copy);
    }
    if (r->operations > 0 && rate > 0) {
        double ours = (double)r->operations / r->seconds;
        doc_say(d, 2, "Arithmetic: %.1f %% of %s (2 x %d x %d multiprocessors x %.0f MHz)%s.", 100 * ours / rate,
                format_si(a, sizeof a, rate, "FLOP/s"), g->lanes, r->multiprocessors, g->nominal_mhz,
                ours > rate ? TR(", which is what its fp32 lanes can do: tensor cores do more") : "");
    }
}

static void put_rest(doc *d, const step_result *r)
{
    const step_timing *g = &r->gpu;
    char warm[100] = "", a[32], b[32], c[32];
    if (g->total > 0)
        snprintf(warm, sizeof warm, TR(" With allocation and copies, warm: %s."),
                 format_si(c, sizeof c, g->total, "s"));
    doc_say(d, 2, "First run: %s, and %s to load the kernel%s%s).%s", format_si(a, sizeof a, g->first, "s"),
            format_si(b, sizeof b, g->load, "s"), g->compiler[0] ? " (" : TR(" (the lesson's PTX, by the driver"),
            g->compiler, warm);
    doc_say(d, 2, "Clock: %.0f MHz by its own counter, %.0f nominal%s. %s.", g->clock_mhz, g->nominal_mhz,
            r->has_cycles && r->block_cycles <= 0 ? TR("; cycles are the time at that clock") : "", g->driver);
}

/* clock64 belongs to one multiprocessor, so the article's rule gives nonsense on today's cards. A
 * student should see that. */
static void put_span(doc *d, const step_result *r)
{
    double blocks = (double)r->grid[0] * r->grid[1] * r->grid[2];
    char a[40], b[40];
    if (r->gpu.span <= 0 || r->block_cycles <= 0 || blocks < 2) return;
    doc_say(d, 2,
            "Cycles are those of the slowest block. By the article's rule, latest end less earliest start of all "
            "blocks, they would be %s instead of %s%s",
            format_number(a, sizeof a, r->gpu.span), format_number(b, sizeof b, r->block_cycles),
            r->gpu.span > 2 * r->block_cycles ? TR(": each multiprocessor has a clock of its own.") : TR("."));
}

void view_gpu(doc *d, const step_result *r)
{
    char gain[64], doubt[300];
    const step_timing *g = &r->gpu;
    if (!g->known) return;
    if (r->counted_on[0]) doc_line(d, "  counters: of %s, a GPU has none", r->counted_on);
    doc_gap(d);
    if (g->doubt[0]) {
        doc_styled(d, 2, STYLE_BAD, "INCONCLUSIVE");
        doc_say(d, 4, "%s. Let the card cool down, end what else uses it (nvidia-smi lists that), and run again.",
                language_said(g->doubt, doubt, sizeof doubt));
        return;
    }
    if (g->gain.known && g->gain.apart)
        doc_say(d, 2, "In turns with %s: %s time.", g->before, view_gpu_gain(r, gain, sizeof gain));
    else if (g->gain.known) doc_say(d, 2, "In turns with %s: the two cannot be told apart.", g->before);
    put_samples(d, r);
    put_shares(d, r);
    put_span(d, r);
    put_rest(d, r);
}

void view_gpu_json(json *j, const step_result *r)
{
    const step_timing *g = &r->gpu;
    if (!g->known) return;
    json_object(j, "ms");
    json_keys(j, "median %g, min %g, max %g, iqr %g, samples %d", g->time.median * 1e3, g->time.least * 1e3,
              g->time.most * 1e3, g->time.iqr * 1e3, g->time.samples);
    json_close(j);
    json_object(j, "measured");
    json_keys(j,
              "hot %i, batch %d, discarded %d, other_cache_ms %g, launch_ms %g, first_ms %g, load_ms %g, total_ms %g",
              g->hot, g->batch, g->discarded, g->other * 1e3, g->overhead * 1e3, g->first * 1e3, g->load * 1e3,
              g->total * 1e3);
    json_keys(j, "clock_mhz %g, nominal_mhz %g, copy_gbps %g, peak_gbps %g, peak_gflops %g, span_cycles %g",
              g->clock_mhz, g->nominal_mhz, g->copy_bytes / 1e9, r->memory_peak / 1e9, r->rate_peak / 1e9, g->span);
    json_text(j, "cycles_from", !r->has_cycles ? NULL : r->block_cycles > 0 ? "slowest block" : "time and clock");
    json_keys(j, "driver %s, compiler %s", g->driver, g->compiler);
    json_text(j, "inconclusive", g->doubt[0] ? g->doubt : NULL);
    if (g->gain.known)
        json_keys(j, "before %s, before_ratio %g, before_error %g, apart %i", g->before, g->gain.ratio, g->gain.error,
                  g->gain.apart);
    json_close(j);
}
