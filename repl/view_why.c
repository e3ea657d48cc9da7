/* view_why.c: one sentence that says why a step behaves as it does, drawn from counters alone.
 *
 * A kernel's cost is looked at as four loads on a multiprocessor: waiting for memory, moving data, issuing
 * instructions, passing through shared memory. Each is estimated from counters with a rough price; the prices only
 * decide which of the differences is worth a sentence, they are never shown. What the sentence states are counters. It
 * knows no step and no kernel.
 */
#include "view.h"
#include "card.h"
#include "format.h"
#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { WAIT, MOVE, ISSUE, SHARED, ATOMIC, LOADS };

typedef struct picture {
    double cost[LOADS];
    double busy, warps, instructions, lanes, transactions, accesses, passes, shared, divergent, warp_loads, asked, atomics;
} picture;

static double get(const step_result *r, const char *id)
{
    double v = 0;
    return metric_get(metric_named(id, strlen(id)), r, &v) ? v : 0;
}

static picture look(const step_result *r)
{
    picture p = {.busy = get(r, "busy_multiprocessors"),
                 .warps = get(r, "warps"),
                 .instructions = get(r, "warp_instructions"),
                 .lanes = get(r, "active_lanes"),
                 .transactions = get(r, "transactions"),
                 .passes = get(r, "shared_passes"),
                 .shared = get(r, "shared_accesses"),
                 .divergent = get(r, "divergent_branches"),
                 .asked = get(r, "asked_bytes"),
                 .atomics = get(r, "atomic_lanes")};
    p.accesses = get(r, "global_load_requests") + get(r, "global_store_requests");
    p.busy = fmax(p.busy, 1);
    p.warps = fmax(p.warps, 1);
    p.warp_loads = get(r, "global_load_requests") / p.warps;
    p.cost[WAIT] = p.warp_loads * 400;
    p.cost[MOVE] = p.transactions * 8 / p.busy;
    p.cost[ISSUE] = p.instructions * 4 / p.busy;
    p.cost[SHARED] = p.passes * 2 / p.busy;
    p.cost[ATOMIC] = get(r, "atomic_depth"); /* those on one word take turns */
    return p;
}

typedef struct sentence {
    char *out;
    size_t size, used;
} sentence;

static void say(sentence *s, const char *fmt, ...) APP_PRINTF(2, 3);
static void say(sentence *s, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int n = s->used < s->size ? vsnprintf(s->out + s->used, s->size - s->used, fmt, args) : 0;
    va_end(args);
    if (n > 0)
        s->used += (size_t)n;
}

/* "8,192 transactions instead of 1,048,576"; 1 is singular. */
static void say_instead(sentence *s, double now, double before, const char *noun)
{
    char a[40], b[40];
    say(s, "%s %s%s instead of %s", view_plain(a, sizeof a, now), noun, now == 1 ? "" : "s",
        view_plain(b, sizeof b, before));
}

/* "once", "4,096 times", "0.97 times on average" */
static char *times(char *buffer, size_t size, double n)
{
    char number[40];
    if (n == 1)
        snprintf(buffer, size, "once");
    else
        snprintf(buffer, size, "%s times%s", view_plain(number, sizeof number, n), n == floor(n) ? "" : " on average");
    return buffer;
}

static bool differs(double a, double b) { return fabs(a - b) > 0.04 * fmax(fabs(a), fabs(b)); }

/* What changed in one of the loads. False: nothing that a counter names. */
static bool say_load(sentence *s, int load, const picture *now, const picture *before)
{
    char a[40], b[40];
    switch (load) {
    case WAIT:
        if (differs(now->busy, before->busy)) {
            say_instead(s, now->busy, before->busy, "multiprocessor");
            say(s, " at work");
            if (differs(now->warps, before->warps)) {
                say(s, ", with ");
                say_instead(s, now->warps, before->warps, "warp");
            }
        } else if (differs(now->warps, before->warps)) {
            say_instead(s, now->warps, before->warps, "warp");
            say(s, now->warps > before->warps ? ": while some wait for memory, the others go on"
                                              : ": fewer to go on while others wait for memory");
        } else if (now->warp_loads <= 0) {
            say(s, "no warp reads memory any more");
        } else if (before->warp_loads <= 0) {
            say(s, "each warp reads memory %s; before, none did", times(a, sizeof a, now->warp_loads));
        } else {
            say(s, "each warp reads memory %s, not %s", times(a, sizeof a, now->warp_loads),
                times(b, sizeof b, before->warp_loads));
        }
        if (differs(now->warp_loads, before->warp_loads) && differs(now->warps, before->warps))
            say(s, ", and each warp reads memory %s, not %s", times(a, sizeof a, now->warp_loads),
                times(b, sizeof b, before->warp_loads));
        return true;
    case MOVE:
        if (differs(now->transactions, before->transactions)) {
            say_instead(s, now->transactions, before->transactions, "transaction");
            if (!differs(now->asked, before->asked))
                say(s, " for as many bytes asked for");
            if (now->accesses > 0 && before->accesses > 0 &&
                differs(now->transactions / now->accesses, before->transactions / before->accesses))
                say(s, ": %s for each access of a warp, not %s",
                    view_plain(a, sizeof a, now->transactions / now->accesses),
                    view_plain(b, sizeof b, before->transactions / before->accesses));
            return true;
        }
        if (!differs(now->busy, before->busy))
            return false;
        say(s, "the same transactions spread over ");
        say_instead(s, now->busy, before->busy, "multiprocessor");
        return true;
    case ISSUE:
        if (differs(now->instructions, before->instructions) || !differs(now->busy, before->busy)) {
            if (now->instructions == before->instructions)
                return false;
            say_instead(s, now->instructions, before->instructions, "warp instruction");
            if (differs(now->lanes, before->lanes))
                say(s, ", with %s of 32 lanes active on average, not %s", view_plain(a, sizeof a, now->lanes),
                    view_plain(b, sizeof b, before->lanes));
            return true;
        }
        say(s, "the same instructions spread over ");
        say_instead(s, now->busy, before->busy, "multiprocessor");
        return true;
    case ATOMIC:
        if (now->atomics == before->atomics)
            return false;
        if (before->atomics == 0)
            say(s, "%s atomic operations that were not there before", view_plain(a, sizeof a, now->atomics));
        else if (now->atomics == 0)
            say(s, "no atomic operations any more, where there were %s", view_plain(a, sizeof a, before->atomics));
        else
            say_instead(s, now->atomics, before->atomics, "atomic operation");
        return true;
    default:
        if (now->passes == before->passes)
            return false;
        if (before->shared == 0) {
            say(s, "%s accesses to shared memory that were not there before", view_plain(a, sizeof a, now->shared));
            return true;
        }
        say(s, "%s passes over shared memory instead of %s", view_plain(a, sizeof a, now->passes),
            view_plain(b, sizeof b, before->passes));
        if (now->shared > 0 && before->shared > 0 &&
            differs(now->passes / now->shared, before->passes / before->shared))
            say(s, ": %s for each access, not %s", view_plain(a, sizeof a, now->passes / now->shared),
                view_plain(b, sizeof b, before->passes / before->shared));
        return true;
    }
}

static void say_alone(sentence *s, const picture *p)
{
    char a[40], b[40];
    int most = 0;
    for (int i = 1; i < LOADS; i++)
        if (p->cost[i] > p->cost[most])
            most = i;
    switch (most) {
    case WAIT:
        say(s, "%s warp reads memory %s, and ", p->warps == 1 ? "The" : "Each", times(a, sizeof a, p->warp_loads));
        if (p->warps / p->busy < 2)
            say(s, "its multiprocessor has no other warp to run while it waits.");
        else
            say(s, "its multiprocessor has %s other%s to run while it waits.",
                view_plain(b, sizeof b, p->warps / p->busy - 1), p->warps / p->busy == 2 ? "" : "s");
        break;
    case MOVE:
        say(s, "%s transactions, %s for each access of a warp, are most of the work.",
            view_plain(a, sizeof a, p->transactions),
            view_plain(b, sizeof b, p->accesses > 0 ? p->transactions / p->accesses : 0));
        break;
    case ISSUE:
        say(s, "Most of the work is issuing %s warp instructions, with %s of 32 lanes active on average.",
            view_plain(a, sizeof a, p->instructions), view_plain(b, sizeof b, p->lanes));
        break;
    case ATOMIC:
        say(s, "Most of the work is %s atomic operations.", view_plain(a, sizeof a, p->atomics));
        break;
    default:
        say(s, "Most of the work is %s passes over shared memory.", view_plain(a, sizeof a, p->passes));
    }
}

/* What was measured on a GPU, in turns with the step before. */
static void say_times(sentence *s, const step_result *r, const step_result *before)
{
    char gain[64];
    if (r->gpu.gain.known)
        say(s, r->gpu.gain.apart ? "%s time." : "The times cannot be told apart.", view_gpu_gain(r, gain, sizeof gain));
    else if (before && r->seconds > 0 && before->seconds > 0)
        say(s, "%.3g times the time.", r->seconds / before->seconds);
}

/* What its warps do with more of their clocks now, or with fewer where the run is the faster one. */
static void say_lost(sentence *s, const step_result *r, const step_result *before)
{
    double sign = r->seconds > before->seconds ? 1 : -1, most = 0;
    int cause = -1;
    for (int i = 0; i < SIM_STALLS; i++) {
        double more = sign * ((double)r->total.by_stall[i] - (double)before->total.by_stall[i]);
        if (i != SIM_STALL_ISSUE && more > most) {
            most = more;
            cause = i;
        }
    }
    char a[40], b[40];
    if (cause >= 0)
        say(s, ". But its warps lose %s clocks to \"%s\": %s, not %s", sign > 0 ? "more" : "fewer",
            sim_stall_info_of((enum sim_stall)cause)->name, view_plain(a, sizeof a, (double)r->total.by_stall[cause]),
            view_plain(b, sizeof b, (double)before->total.by_stall[cause]));
    else
        say(s, ". That does not explain it; `why` says what the warps wait for");
}

/* The counters named point the other way than the time went. Then the reason is how long each access took. */
static void say_despite(sentence *s, const step_result *r, const step_result *before)
{
    const unsigned causes[] = {SIM_STALL_MEMORY, SIM_STALL_PORT, SIM_STALL_DRAM};
    double wait[2] = {0, 0};
    char a[40], b[40];
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        wait[0] += (double)r->total.by_stall[causes[i]];
        wait[1] += (double)before->total.by_stall[causes[i]];
    }
    wait[0] /= fmax(get(r, "global_load_requests"), 1);
    wait[1] /= fmax(get(before, "global_load_requests"), 1);
    if (wait[1] > 0 && differs(wait[0], wait[1]) && (wait[0] > wait[1]) == (r->seconds > before->seconds))
        say(s, ". But a warp waits %s clocks for each of its reads of memory, not %s", view_plain(a, sizeof a, round(wait[0])),
            view_plain(b, sizeof b, round(wait[1])));
    else if (!r->simulated)
        say(s, ". That does not explain it; `why` with --device %s shows what warps wait for there", r->counted_on);
    else
        say_lost(s, r, before);
}

void view_why_text(const step_result *r, const step_result *before, char *out, size_t size)
{
    sentence s = {out, size, 0};
    char number[40];
    out[0] = 0;
    if (!r->counted || (before && !before->counted)) {
        say_times(&s, r, before);
        say(&s, "%sNobody has counted for this run%s: a GPU does not, and a simulated card would take too long.",
            s.used ? " " : "", before ? " or the one before" : "");
        return;
    }
    picture now = look(r);
    if (!before) {
        say_alone(&s, &now);
        return;
    }
    picture old = look(before);
    double cycles = get(r, "cycles"), cycles_before = get(before, "cycles");
    if (!r->simulated) {
        say_times(&s, r, before);
        say(&s, " ");
    } else if (cycles > 0 && cycles_before > 0) {
        double factor = cycles < cycles_before ? cycles_before / cycles : cycles / cycles_before;
        if (factor < 1.0005)
            say(&s, "As many cycles. ");
        else if (factor < 2)
            say(&s, "%.1f %% %s cycles. ", 100 * fabs(cycles - cycles_before) / cycles_before,
                cycles < cycles_before ? "fewer" : "more");
        else
            say(&s, "%s times %s cycles. ", view_factor(number, sizeof number, factor), cycles < cycles_before ? "fewer" : "more");
    }
    size_t start = s.used < size ? s.used : 0;
    /* the largest differences first */
    int order[LOADS] = {0, 1, 2, 3, 4};
    double change[LOADS];
    for (int i = 0; i < LOADS; i++)
        change[i] = now.cost[i] - old.cost[i];
    for (int i = 0; i < LOADS; i++)
        for (int k = i + 1; k < LOADS; k++)
            if (fabs(change[order[k]]) > fabs(change[order[i]])) {
                int t = order[i];
                order[i] = order[k];
                order[k] = t;
            }
    int said = -1;
    bool both = false; /* something is said for less time and something for more */
    for (int i = 0; i < LOADS && s.used < size; i++) {
        int load = order[i];
        if (change[load] == 0)
            break;
        if (said >= 0 && fabs(change[load]) < 0.15 * fabs(change[order[0]]))
            break;
        bool against = said >= 0 && (change[load] > 0) != (change[said] > 0);
        size_t mark = s.used;
        if (said >= 0)
            say(&s, against ? "; but " : "; ");
        if (!say_load(&s, load, &now, &old)) {
            s.used = mark;
            out[mark] = 0;
            continue;
        }
        if (said >= 0) {
            both = both || against;
            break; /* two are enough */
        }
        said = load;
    }
    /* fewer accesses that each take more passes, or the reverse, may cancel out: worth saying all the same */
    double each = now.shared > 0 ? now.passes / now.shared : 0,
           each_before = old.shared > 0 ? old.passes / old.shared : 0;
    if (each > 0 && each_before > 0 && (each > 1.5 * each_before || each_before > 1.5 * each) &&
        !differs(now.passes, old.passes)) {
        char a[40], b[40], x[40], y[40];
        say(&s, "%s%s accesses to shared memory instead of %s, but each takes %s passes, not %s", said >= 0 ? "; " : "",
            view_plain(a, sizeof a, now.shared), view_plain(b, sizeof b, old.shared), view_plain(x, sizeof x, each),
            view_plain(y, sizeof y, each_before));
        said = SHARED;
    }
    bool apart = r->simulated ? fabs(r->seconds / before->seconds - 1) > 0.02 : r->gpu.gain.known && r->gpu.gain.apart;
    if (said >= 0 && !both && r->has_time && before->has_time && apart && (change[said] > 0) != (r->seconds > before->seconds))
        say_despite(&s, r, before);
    if (said < 0)
        say(&s, "nothing that the counters see has changed");
    if (out[start] >= 'a' && out[start] <= 'z')
        out[start] = (char)(out[start] - 'a' + 'A');
    say(&s, ".");
}

void view_why_line(struct app *app, const char *text)
{
    if (!app->class_mode) {
        app_wrap(app, 2, text);
        return;
    }
    int width = (app->width > 100 ? 100 : app->width < 20 ? 20 : app->width) - 2;
    char rule[101] = "";
    memset(rule, '=', (size_t)width);
    fprintf(app->out, "%s%s\n\n", app_style(app, STYLE_BOLD), rule);
    app_wrap(app, 4, text);
    fprintf(app->out, "\n%s%s\n", rule, app_style(app, STYLE_PLAIN));
}

/* ---- what holds a step back ---- */

typedef struct of_step {
    struct app *app;
    const lesson_step *s;
    const struct device *d;
} of_step;

static double lift_of_step(void *context, const char *without, const char *changes)
{
    const of_step *at = context;
    struct device other;
    int status;
    if (!card_changed(at->d, without, changes, &other))
        return 0;
    const step_result *r = session_result(at->app, at->s, &other, NULL, false, false, &status);
    return r && r->has_cycles ? r->cycles : 0;
}

void view_why_limits(struct app *app, const lesson_step *s, const struct device *d, const step_result *r, limit_list *out)
{
    of_step context = {app, s, d};
    *out = (limit_list){0};
    if (r->has_usage && r->has_cycles)
        limits_find(&r->total, &r->usage, r->cycles, lift_of_step, &context, out);
}
