/* why.c: one sentence that explains a step's behaviour by its counters alone.
 *
 * A kernel's time has parts: waiting for memory, moving data, issuing instructions, waiting for
 * their results, shared memory, atomics, barriers. If the simulator reports what the warps' cycles
 * were spent on, a part is that share of the cycles, and the parts add up to the total. On a GPU
 * they are estimated from counters with rough costs. The parts that changed most in the direction
 * of the total are explained by counters that changed accordingly: more transactions may make a
 * step slower but never faster. Warps at a barrier or behind a copy wait for what others do, so
 * there, and where nothing else fits, the units of the card whose own work changed are explained. If
 * no counter fits, the sentence says so, what is equal, and names the part. The rules know no step
 * and no kernel. */
#include "why_causes.h"
#include "view.h"
#include "device/card_changes.h"
#include "shell/format.h"
#include "shell/language.h"
#include <math.h>
#include <stdarg.h>
#include <string.h>

#define BIT(id) (1u << SIM_STALL_##id)

/* A part: its stall reasons, and its name in the sentence. */
static const struct part {
    unsigned stalls;
    const char *name;
} parts[PARTS] = {
    [WAIT] = {BIT(MEMORY), "waiting for memory"},
    [COPY] = {BIT(COPY), "waiting for copies in the background"},
    [MOVE] = {BIT(PORT) | BIT(DRAM), "waiting for memory bandwidth"},
    [ISSUE] = {BIT(ISSUE) | BIT(SLOT), "issuing instructions"},
    [RESULT] = {BIT(ARITHMETIC) | BIT(BRANCH), "waiting for results and branches"},
    [SHARED] = {BIT(SHARED) | BIT(SHARED_PORT) | BIT(CONFLICT), "waiting for shared memory"},
    [TURN] = {BIT(SHARED_TURN), "waiting for atomics on shared memory"},
    [BARRIER] = {BIT(BARRIER), "waiting at barriers"},
    [PRODUCT] = {BIT(PRODUCT), "waiting for products of matrices"},
};

/* UNITS: the causes of the units; when one of them fits, those behind are not asked. */
enum { UNITS = CAUSES, MOST_OF_PART = CAUSES + 2, END = -1 };
static const int of_part[PARTS][MOST_OF_PART] = {
    [WAIT] = {BUSY, RESIDENT, READS, CONSTANTS, ASYNC, ATOMICS, ATOMIC_BYTES, BUSIEST, END},
    [COPY] = {BUSY, RESIDENT, UNITS, READS, ATOMICS, END},
    [MOVE] = {BUSY, TRANSACTIONS, CONSTANTS, ATOMICS, ATOMIC_BYTES, END},
    [ISSUE] = {BUSY, DOUBLES, INSTRUCTIONS, CONFLICTS, END},
    [RESULT] = {BUSY, RESIDENT, INSTRUCTIONS, END},
    [SHARED] = {BUSY, RESIDENT, PASSES, CONFLICTS, END},
    [TURN] = {BUSY, ATOMICS, END},
    [BARRIER] = {BUSY, RESIDENT, UNITS, BARRIERS, INSTRUCTIONS, CONFLICTS, END},
    [PRODUCT] = {BUSY, RESIDENT, PRODUCTS, END},
};

/* Units of the card, and what gives them work. */
static const int of_unit[UNITS_MOST][MOST_OF_PART] = {
    [SCHEDULERS] = {DOUBLES, INSTRUCTIONS, END},
    [PORTS] = {READS, WRITES, PASSES, END},
    [CACHE] = {TRANSACTIONS, WRITES, ATOMICS, END},
    [CHIPS] = {TRANSACTIONS, END},
    [TENSOR] = {PRODUCTS, END},
};

static double clocks_of(const step_result *r, unsigned stalls)
{
    double part = 0;
    for (int i = 0; i < SIM_STALLS; i++) part += stalls >> i & 1 ? (double)r->total.by_stall[i] : 0;
    return part;
}

static picture look(const step_result *r)
{
    picture p = {.warps = fmax(why_get(r, "warps"), 1),
                 .lanes = why_get(r, "active_lanes"),
                 .shared = why_get(r, "shared_accesses"),
                 .asked = why_get(r, "asked_bytes"),
                 .doubles_price = r->double_price,
                 .time = r->simulated && r->has_cycles ? r->cycles
                         : r->has_time                 ? r->seconds
                                                       : 0};
    const double all = clocks_of(r, ~0u), reads = why_get(r, "global_load_requests");
    double *c = p.cause;
    p.accesses = reads + why_get(r, "global_store_requests");
    p.warp_loads = reads / p.warps;
    why_values(r, c);
    p.blocks = r->has_occupancy && r->occupancy.warps_per_block > 0 ? c[RESIDENT] / r->occupancy.warps_per_block : 0;
    p.booked = r->simulated && r->has_usage && all > 0 && r->has_cycles;
    if (p.booked) {
        for (int i = 0; i < PARTS; i++) p.part[i] = r->cycles * clocks_of(r, parts[i].stalls) / all;
        p.unit[SCHEDULERS] = r->cycles * r->usage.issue;
        p.unit[PORTS] = r->cycles * r->usage.port;
        p.unit[CACHE] = r->cycles * r->usage.l2;
        p.unit[CHIPS] = r->cycles * r->usage.dram;
        p.unit[TENSOR] = c[PRODUCTS] * r->multiprocessors / c[BUSY];
        return p;
    }
    p.part[WAIT] = reads * 400 / (c[BUSY] * fmax(c[RESIDENT], 1)) + why_get(r, "atomic_depth");
    p.part[MOVE] = c[TRANSACTIONS] * 8 / c[BUSY];
    p.part[ISSUE] = c[INSTRUCTIONS] * 4 / c[BUSY];
    p.part[SHARED] = c[PASSES] * 2 / c[BUSY];
    return p;
}

/* Does a cause explain the change of the time? way: +1 the time grew, -1 it shrank. The cause must
 * have changed in the direction that does so, and by enough: a tenth more passes do not triple the
 * cycles. `first`: before any other is named. Alone, five times more do not make fifty times the
 * cycles; multiprocessors and warps come together, so of those less is enough. */
static bool agrees(int cause, const picture *now, const picture *before, int way, bool first)
{
    const double a = now->cause[cause], b = before->cause[cause];
    if (cause == CONFLICTS && (a == 0 || b == 0)) /* without accesses there are no passes per access */
        return false;
    /* fewer for each access, but more of them: the passes did not make it faster */
    if (cause == CONFLICTS && why_differs(now->cause[PASSES], before->cause[PASSES]) &&
        (now->cause[PASSES] > before->cause[PASSES]) != (a > b))
        return false;
    if (!why_differs(a, b) || ((a > b) != why_cause_facts[cause].fewer_is_slower) != (way > 0)) return false;
    if (a == 0 || b == 0 || now->time <= 0 || before->time <= 0) return true;
    const double time = fabs(log(now->time / before->time));
    return (!first || why_cause_facts[cause].fewer_is_slower || time < log(8) ? 4 : 2) * fabs(log(a / b)) >= time;
}

/* A launch so short that its warps are not what takes the time. */
static bool say_short(sentence *s, const step_result *r, const picture *p)
{
    char a[40], b[40], lanes[40];
    if (!r->simulated || !r->has_usage || !r->has_cycles || r->launches != 1 || r->usage.sampled) return false;
    if (r->usage.starting >= 0.5) {
        why_say(s,
                "%s blocks with little to do: the card is starting blocks, one after the other, %.0f %% of the time.",
                format_number(a, sizeof a, why_get(r, "blocks")), 100 * r->usage.starting);
        return true;
    }
    const double a_warp = clocks_of(r, ~0u) / p->warps,
                 at_once = r->usage.resident_blocks * p->cause[BUSY]; /* one wave: no warp waits for another's end */
    if (a_warp <= 0 || 2 * a_warp >= r->cycles || why_get(r, "blocks") > at_once) return false;
    if (p->cause[ATOMICS] > p->cause[WRITES]) {
        why_say(s, "A warp takes %s of the %s cycles. Then the card still works on the %s atomic operations.",
                format_number(a, sizeof a, floor(a_warp + 0.5)), format_number(b, sizeof b, r->cycles),
                format_number(lanes, sizeof lanes, p->cause[ATOMICS]));
        return true;
    }
    why_say(s,
            p->warps == 1 ? "The warp takes %s of the %s cycles: before it the launch begins, and after it what was "
                            "written goes to memory."
                          : "A warp takes %s of the %s cycles: before it the launch begins, and after it what was "
                            "written goes to memory.",
            format_number(a, sizeof a, floor(a_warp + 0.5)), format_number(b, sizeof b, r->cycles));
    return true;
}

static void say_alone(sentence *s, const step_result *r, const picture *p)
{
    char a[40], b[40];
    if (say_short(s, r, p)) return;
    const double *c = p->cause;
    double part[PARTS];
    int most = 0;
    memcpy(part, p->part, sizeof part);
    part[WAIT] += part[COPY];
    part[COPY] = 0;
    for (int i = 1; i < PARTS; i++)
        if (part[i] > part[most]) most = i;
    if (most == WAIT && c[READS] == 0 && c[ATOMICS] > 0) most = TURN;
    switch (most) {
    case WAIT:
        if (c[READS] == 0 && c[CONSTANTS] > 0) {
            why_say(s, "Most of the time goes into waiting for %s words of constant memory.",
                    format_number(a, sizeof a, c[CONSTANTS]));
            break;
        }
        why_say(s, p->warps == 1 ? "The warp reads memory %s, and " : "Each warp reads memory %s, and ",
                why_times(a, sizeof a, p->warp_loads));
        if (c[RESIDENT] < 2) why_say(s, "its multiprocessor has no other warp to run while it waits.");
        else
            why_say(s,
                    c[RESIDENT] == 2 ? "its multiprocessor has %s other to run while it waits."
                                     : "its multiprocessor has %s others to run while it waits.",
                    format_number(b, sizeof b, c[RESIDENT] - 1));
        break;
    case MOVE:
        why_say(s, "%s transactions, %s for each access of a warp, are most of the work.",
                format_number(a, sizeof a, c[TRANSACTIONS]),
                format_number(b, sizeof b, p->accesses > 0 ? c[TRANSACTIONS] / p->accesses : 0));
        break;
    case ISSUE:
        why_say(s, "Most of the work is issuing %s warp instructions, with %s of 32 lanes active on average.",
                format_number(a, sizeof a, c[INSTRUCTIONS]), format_number(b, sizeof b, p->lanes));
        break;
    case RESULT:
        why_say(s, "Most of the time goes into waiting for the results of %s warp instructions.",
                format_number(a, sizeof a, c[INSTRUCTIONS]));
        break;
    case TURN: why_say(s, "Most of the work is %s atomic operations.", format_number(a, sizeof a, c[ATOMICS])); break;
    case BARRIER:
        why_say(s, "Most of the time warps wait for others at barriers, at which they arrive %s times.",
                format_number(a, sizeof a, c[BARRIERS]));
        break;
    case PRODUCT: why_say(s, "Most of the time goes into waiting for products of matrices."); break;
    default:
        if (c[CONFLICTS] > 1)
            why_say(s, "Most of the work is %s passes over shared memory, %s for each access.",
                    format_number(a, sizeof a, c[PASSES]), format_number(b, sizeof b, c[CONFLICTS]));
        else why_say(s, "Most of the work is %s passes over shared memory.", format_number(a, sizeof a, c[PASSES]));
    }
}

/* The times measured on a GPU, in turns with the previous step. */
static void say_times(sentence *s, const step_result *r, const step_result *before)
{
    char gain[64];
    if (r->gpu.gain.known)
        why_say(s, r->gpu.gain.apart ? "%s time." : "The times cannot be told apart.",
                view_gpu_gain(r, gain, sizeof gain));
    else if (before && r->seconds > 0 && before->seconds > 0)
        why_say(s, "%.3g times the time.", r->seconds / before->seconds);
}

enum { NAMED = 3 };

static void note_cause(why_causes *out, int cause, const picture *now, const picture *before)
{
    if (out && out->count < WHY_CAUSES)
        out->cause[out->count++] = (why_cause){why_cause_facts[cause].name, now->cause[cause], before->cause[cause]};
}

/* What has been said. */
typedef struct named {
    bool cause[CAUSES];
    int count;
    bool units; /* causes of units are among them */
    bool last;  /* now those are asked that come last */
    why_causes *list;
} named;

/* Into `order`: what changed in the direction of the time, by at least a quarter of the largest change and a tenth
 * of the time's. Returns how many. */
static int order_changes(const double *now, const double *before, int count, int way, double least, int *order)
{
    double change[PARTS];
    int n = 0;
    for (int i = 0; i < count; i++) {
        change[i] = way * (now[i] - before[i]);
        if (change[i] <= 0 || change[i] < least) continue;
        int at = n++;
        for (; at && change[order[at - 1]] < change[i]; at--) order[at] = order[at - 1];
        order[at] = i;
    }
    while (n > 1 && change[order[n - 1]] < 0.25 * change[order[0]]) n--;
    return n;
}

static void say_units(sentence *s, const picture *now, const picture *before, int way, named *done);

/* Adds the causes of the list that fit and have not been named, until `most` are. */
static void say_causes(sentence *s, const int *list, const picture *now, const picture *before, int way, int most,
                       named *done)
{
    for (int i = 0; i < MOST_OF_PART && list[i] != END && done->count < most; i++) {
        if (list[i] == UNITS) {
            if (!done->units) say_units(s, now, before, way, done);
            if (done->units) return;
            continue;
        }
        const int c = list[i] == CONFLICTS && agrees(PASSES, now, before, way, !done->count) ? PASSES : list[i];
        if (done->cause[c] || why_cause_facts[c].last != done->last || !agrees(c, now, before, way, !done->count))
            continue;
        if (done->count) why_say(s, "; ");
        why_say_cause(s, c, now, before);
        note_cause(done->list, c, now, before);
        done->cause[c] = true;
        done->count++;
    }
}

static void say_units(sentence *s, const picture *now, const picture *before, int way, named *done)
{
    int order[UNITS_MOST];
    const double least = 0.1 * fabs(now->time - before->time);
    const int n = order_changes(now->unit, before->unit, UNITS_MOST, way, least, order);
    const int count = done->count;
    for (int i = 0; i < n && done->count < NAMED; i++) /* one of each */
        say_causes(s, of_unit[order[i]], now, before, way, done->count + 1, done);
    done->units = done->count > count;
}

/* No counter fits: the part that changed most, which may be what the time went into, and what is equal. */
static void say_unexplained(sentence *s, const picture *now, const picture *before, int part)
{
    char a[40], b[40], equal[160] = "";
    if (!now->booked || !before->booked) {
        why_say(s, "these counters do not explain it");
        return;
    }
    for (int i = 0; i < CAUSES; i++) {
        if (!why_cause_facts[i].equal || now->cause[i] <= 0 || why_differs(now->cause[i], before->cause[i])) continue;
        const size_t used = strlen(equal);
        snprintf(equal + used, sizeof equal - used, "%s%s", used ? TR(", ") : "", TR(why_cause_facts[i].equal));
    }
    const double change = part < 0 ? 0 : fabs(now->part[part] - before->part[part]);
    if (part < 0) why_say(s, "these counters do not explain it");
    else if (2 * change < fabs(now->time - before->time)) why_say(s, "these counters explain only a part of it: ");
    if (part >= 0)
        why_say(s, "%s takes %s of the cycles, not %s", TR(parts[part].name),
                format_number(a, sizeof a, round(now->part[part])),
                format_number(b, sizeof b, round(before->part[part])));
    if (!equal[0]) return;
    why_say(s, part < 0 ? ": " : "; ");
    why_say(s, "as many %s", equal);
}

/* The parts that changed in the direction of the time, largest first, and their causes; else the
 * units. */
static void say_changes(sentence *s, const picture *now, const picture *before, int way, why_causes *out)
{
    named done = {.list = out};
    int order[PARTS];
    const int n = order_changes(now->part, before->part, PARTS, way, 0, order);
    for (int i = 0; i < n; i++) say_causes(s, of_part[order[i]], now, before, way, NAMED, &done);
    if (!done.count) say_units(s, now, before, way, &done);
    done.last = !done.count;
    for (int i = 0; i < n && done.last; i++) say_causes(s, of_part[order[i]], now, before, way, 1, &done);
    if (!done.count) say_unexplained(s, now, before, n ? order[0] : -1);
}

/* For a time that has not changed: the largest change of any counter; of those within a tenth of it, the first. */
static void say_no_matter(sentence *s, const picture *now, const picture *before)
{
    double most = 0;
    int which = -1;
    for (int i = 0; i < CAUSES; i++) {
        const double a = now->cause[i], b = before->cause[i], part = fabs(a - b) / fmax(fmax(a, b), 1);
        if (!why_cause_facts[i].last && why_differs(a, b) && part > most + 0.1) most = part, which = i;
    }
    if (which < 0) {
        why_say(s, "nothing that the counters see has changed");
        return;
    }
    why_say_cause(s, which, now, before);
    why_say(s, ", which makes no difference here");
}

/* Without times: the counters that changed most. */
static void say_without_time(sentence *s, const picture *now, const picture *before)
{
    bool said[CAUSES] = {false};
    for (int count = 0; count < 2; count++) {
        double most = 0;
        int which = -1;
        for (int i = 0; i < CAUSES; i++) {
            const double a = now->cause[i], b = before->cause[i], part = fabs(a - b) / fmax(fmax(a, b), 1);
            if (!why_cause_facts[i].last && !said[i] && why_differs(a, b) && part > most) most = part, which = i;
        }
        if (which < 0) {
            if (!count) why_say(s, "nothing that the counters see has changed");
            return;
        }
        said[which] = true;
        if (count) why_say(s, "; ");
        why_say_cause(s, which, now, before);
    }
}

void view_why_text(const step_result *r, const step_result *before, char *out, size_t size, why_causes *list)
{
    sentence s = {out, size, 0};
    char number[40];
    out[0] = 0;
    if (list) *list = (why_causes){0};
    if (r->has_timeline) {
        view_program_why(r, before, out, size);
        return;
    }
    if (!r->counted || (before && !before->counted)) {
        say_times(&s, r, before);
        why_say(&s, "%sNobody has counted for this run%s: a GPU does not, and a simulated card would take too long.",
                s.used ? " " : "", before ? TR(" or the one before") : "");
        return;
    }
    const picture now = look(r);
    if (!before) {
        say_alone(&s, r, &now);
        return;
    }
    const picture old = look(before);
    int way = 0;
    bool known = now.time > 0 && old.time > 0;
    if (!r->simulated) {
        say_times(&s, r, before);
        why_say(&s, " ");
        known = r->gpu.gain.known;
        way = !known || !r->gpu.gain.apart ? 0 : r->seconds > before->seconds ? 1 : -1;
    } else if (known) {
        const double factor = now.time < old.time ? old.time / now.time : now.time / old.time;
        way = factor < 1.0005 ? 0 : now.time > old.time ? 1 : -1;
        if (!way) why_say(&s, "As many cycles. ");
        else if (factor < 2)
            why_say(&s, way < 0 ? "%.1f %% fewer cycles. " : "%.1f %% more cycles. ",
                    100 * fabs(now.time - old.time) / old.time);
        else
            why_say(&s, way < 0 ? "%s times fewer cycles. " : "%s times more cycles. ",
                    view_factor(number, sizeof number, factor));
    }
    const size_t start = s.used < size ? s.used : 0;
    if (!known) /* not timed: say what changed, but not what that did to the time */
        say_without_time(&s, &now, &old);
    else if (way) say_changes(&s, &now, &old, way, list);
    else say_no_matter(&s, &now, &old);
    if (out[start] >= 'a' && out[start] <= 'z') out[start] = (char)(out[start] - 'a' + 'A');
    why_say(&s, ".");
}

void view_why_json(json *j, const step_result *r, const step_result *before, const why_causes *list)
{
    json_array(j, "causes");
    for (int i = 0; i < list->count; i++) {
        json_object(j, NULL);
        json_keys(j, "name %s, now %g, before %g", list->cause[i].name, list->cause[i].now, list->cause[i].before);
        json_close(j);
    }
    json_close(j);
    if (r->has_cycles) json_number(j, "cycles", r->cycles);
    if (before && before->has_cycles) json_number(j, "cycles_before", before->cycles);
}

void view_why_line(doc *d, const char *text)
{
    if (!d->app->class_mode) {
        doc_say(d, 2, "%s", text);
        return;
    }
    int width = (d->app->width > 100 ? 100 : d->app->width < 20 ? 20 : d->app->width) - 2;
    char rule[101] = "";
    memset(rule, '=', (size_t)width);
    doc_line(d, "%s%s\n", app_style(d->app, STYLE_BOLD), rule);
    doc_say(d, 4, "%s", text);
    doc_line(d, "\n%s%s", rule, app_style(d->app, STYLE_PLAIN));
}

/* ---- what limits a step ---- */

static double lift_of_step(void *context, const char *without, const char *changes)
{
    const view_context *c = context;
    struct device other;
    int status;
    if (!card_changed(c->device, without, changes, &other)) return 0;
    const step_result *r = session_result(c->app, c->s, &other, run_chosen(c->app, c->chosen), &status);
    return r && r->has_cycles ? r->cycles : 0;
}

void view_why_limits(const view_context *c, limit_list *out)
{
    view_context context = *c;
    *out = (limit_list){0};
    if (c->r->has_usage && c->r->has_cycles)
        limits_find(&c->r->total, &c->r->usage, c->r->cycles, lift_of_step, &context, out);
}
