/* show_try_why.c: `try --why`: what limits the user's kernel. It prints the occupancy, the shares
 * of peak bandwidth and arithmetic, what the warps wait for, and the cycles without the largest of
 * those waits, each from a run of its own. bottleneck.c does the same for the steps of lessons. */
#include "try.h"
#include "show_card.h"
#include "shell/format.h"
#include "shell/language.h"

/* Runs the kernel again on a changed card, for its cycles alone. */
static double try_again(void *context, const char *without, const char *changes)
{
    const try_view *v = context;
    step_request q = *v->request;
    own_kernel own = *v->own;
    step_result r;
    if (!card_changed(v->device, without, changes, &q.device)) return 0;
    q.checks = 0;
    q.lines = own.memory_counts = false;
    own.dumps = own.saves = 0;
    q.job = own_job(&own);
    const double cycles = !step_run(&q, &r) && r.whole ? r.cycles : 0;
    step_result_free(&r);
    return cycles;
}

void try_why(try_view *v)
{
    const step_result *r = v->r;
    if (!limit_text(&r->total, &r->usage, v->limit, sizeof v->limit)) return;
    limits_find(&r->total, &r->usage, r->cycles, try_again, v, &v->limits);
}

typedef struct share {
    char rate[32], most[32], percent[32];
} share;

/* 1.60 TB/s of 4.26 TB/s (38 %). False: nothing is known. */
static bool share_of(share *out, double rate, double most, const char *unit)
{
    if (rate <= 0 || most <= 0) return false;
    format_si(out->rate, sizeof out->rate, rate, unit);
    format_si(out->most, sizeof out->most, most, unit);
    if (rate / most < 0.0005) snprintf(out->percent, sizeof out->percent, "%s", TR("next to nothing"));
    else snprintf(out->percent, sizeof out->percent, "%.*f %%", rate / most < 0.0995 ? 1 : 0, 100 * rate / most);
    return true;
}

void try_why_text(doc *d, const try_view *v)
{
    char text[800];
    const step_result *r = v->r;
    if (v->status != EXIT_DONE) return; /* a fault is more important */
    doc_gap(d);
    if (!*v->limit) {
        doc_say(d, 0,
                "This card has no clock, so nothing is known of what the kernel waits for. `devices` lists cards that "
                "have.");
        return;
    }
    doc_say(d, 0, "%s", v->limit);
    card_occupancy_text(&r->occupancy, &r->usage, text, sizeof text);
    doc_say(d, 0, "%s", text);
    const double seconds = r->cycles / (1e3 * r->clock_khz);
    share s;
    if (share_of(&s, r->usage.dram_bytes / seconds, r->memory_peak, "B/s"))
        doc_say(d, 0, "DRAM moves %s of %s (%s).", s.rate, s.most, s.percent);
    if (share_of(&s, (double)r->total.float_operations / seconds, r->rate_peak, "FLOP/s"))
        doc_say(d, 0, "Its float arithmetic is %s of %s (%s).", s.rate, s.most, s.percent);
    if (v->limits.count) doc_gap(d);
    limits_show(d, &v->limits);
}

void try_why_json(json *j, const try_view *v)
{
    const sim_occupancy *o = &v->r->occupancy;
    json_text(j, "limit", *v->limit ? v->limit : NULL);
    json_object(j, "occupancy");
    json_int(j, "blocks", o->blocks);
    json_int(j, "warps", o->warps);
    json_int(j, "max_warps", o->max_warps);
    if (v->r->cycles > 0) json_number(j, "achieved", 100 * v->r->usage.occupancy);
    json_text(j, "limit", sim_limit_name(o->limit));
    json_close(j);
    limits_json(j, &v->limits);
}
