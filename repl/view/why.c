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
#include "view.h"
#include "device/card_changes.h"
#include "shell/format.h"
#include "shell/language.h"
#include <math.h>
#include <stdarg.h>
#include <string.h>

#define BIT(id) (1u << SIM_STALL_##id)

enum { WAIT, COPY, MOVE, ISSUE, RESULT, SHARED, TURN, BARRIER, PRODUCT, PARTS };

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

/* Counters that can make a part larger or smaller. */
enum {
    BUSY,
    RESIDENT,
    READS,
    WRITES,
    ASYNC,
    TRANSACTIONS,
    DOUBLES,
    INSTRUCTIONS,
    PASSES,
    CONFLICTS,
    ATOMICS,
    BARRIERS,
    PRODUCTS,
    CONSTANTS,
    ATOMIC_BYTES,
    BUSIEST,
    CAUSES
};

/* Names are for `why --json`. `fewer_is_slower`: with fewer of them, work takes more rounds, or
 * latency is hidden less. `equal`: after "as many". `last`: for when nothing else is named. */
static const struct cause {
    const char *name;
    bool fewer_is_slower;
    const char *equal;
    bool last;
} causes[CAUSES] = {
    [BUSY] = {"busy_multiprocessors", true, NULL, false},
    [RESIDENT] = {"resident_warps", true, NULL, false},
    [READS] = {"reads_of_warps", false, NULL, false},
    [WRITES] = {"global_store_requests", false, NULL, false},
    [ASYNC] = {"background_copies", true, NULL, false},
    [TRANSACTIONS] = {"transactions", false, "transactions", false},
    [DOUBLES] = {"double_operations", false, NULL, false},
    [INSTRUCTIONS] = {"warp_instructions", false, "warp instructions", false},
    [PASSES] = {"shared_passes", false, "passes over shared memory", false},
    [CONFLICTS] = {"passes_per_access", false, NULL, false},
    [ATOMICS] = {"atomic_lanes", false, NULL, false},
    [BARRIERS] = {"barriers", false, NULL, false},
    [PRODUCTS] = {"product_cycles", false, NULL, false},
    [CONSTANTS] = {"constant_words", false, NULL, false},
    [ATOMIC_BYTES] = {"global_atomic_bytes", false, NULL, true},
    [BUSIEST] = {"max_thread_bytes", false, NULL, true},
};

/* UNITS: the causes of the units; when one of them fits, those behind are not asked. */
enum { MOST_OF_PART = 8, UNITS = CAUSES, END = -1 };
static const int of_part[PARTS][MOST_OF_PART] = {
    [WAIT] = {BUSY, RESIDENT, READS, CONSTANTS, ASYNC, ATOMICS, ATOMIC_BYTES, BUSIEST},
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
enum { SCHEDULERS, PORTS, CACHE, CHIPS, TENSOR, UNITS_MOST };
static const int of_unit[UNITS_MOST][MOST_OF_PART] = {
    [SCHEDULERS] = {DOUBLES, INSTRUCTIONS, END},
    [PORTS] = {READS, WRITES, PASSES, END},
    [CACHE] = {TRANSACTIONS, WRITES, ATOMICS, END},
    [CHIPS] = {TRANSACTIONS, END},
    [TENSOR] = {PRODUCTS, END},
};

typedef struct picture {
    double part[PARTS];      /* in cycles of the run */
    double unit[UNITS_MOST]; /* cycles that it was busy */
    double cause[CAUSES];
    double time; /* cycles of a simulated card, seconds of a GPU */
    double warps, blocks, lanes, accesses, shared, asked, warp_loads, doubles_price;
    bool booked; /* the simulator reported the parts */
} picture;

static double get(const step_result *r, const char *id)
{
    double v = 0;
    return metric_get(metric_named(id, strlen(id)), r, &v) ? v : 0;
}

static double clocks_of(const step_result *r, unsigned stalls)
{
    double part = 0;
    for (int i = 0; i < SIM_STALLS; i++) part += stalls >> i & 1 ? (double)r->total.by_stall[i] : 0;
    return part;
}

/* Cycles that all tensor units of the card need at least for its products. 0: not known. */
static double product_cycles(const step_result *r)
{
    return r->product_peak > 0 ? get(r, "matrix_operations") * 1e3 * r->clock_khz / r->product_peak : 0;
}

static picture look(const step_result *r)
{
    picture p = {.warps = fmax(get(r, "warps"), 1),
                 .lanes = get(r, "active_lanes"),
                 .shared = get(r, "shared_accesses"),
                 .asked = get(r, "asked_bytes"),
                 .doubles_price = r->double_price,
                 .time = r->simulated && r->has_cycles ? r->cycles
                         : r->has_time                 ? r->seconds
                                                       : 0};
    const double all = clocks_of(r, ~0u), reads = get(r, "global_load_requests");
    double *c = p.cause;
    p.accesses = reads + get(r, "global_store_requests");
    p.warp_loads = reads / p.warps;
    c[BUSY] = fmax(get(r, "busy_multiprocessors"), 1);
    c[RESIDENT] = r->has_occupancy ? fmin(r->occupancy.warps, r->occupancy.grid_warps) : p.warps / c[BUSY];
    p.blocks = r->has_occupancy && r->occupancy.warps_per_block > 0 ? c[RESIDENT] / r->occupancy.warps_per_block : 0;
    c[READS] = reads;
    c[WRITES] = get(r, "global_store_requests");
    c[ASYNC] = (double)r->total.by_class[SIM_CLASS_ASYNC];
    c[TRANSACTIONS] = get(r, "transactions");
    c[DOUBLES] = get(r, "double_operations");
    c[INSTRUCTIONS] = get(r, "warp_instructions");
    c[PASSES] = get(r, "shared_passes");
    c[CONFLICTS] = get(r, "passes_per_access");
    c[ATOMICS] = get(r, "atomic_lanes");
    c[BARRIERS] = get(r, "barriers");
    c[PRODUCTS] = product_cycles(r);
    c[CONSTANTS] = get(r, "constant_words");
    c[ATOMIC_BYTES] = get(r, "global_atomic_bytes");
    c[BUSIEST] = get(r, "max_thread_bytes");
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
    p.part[WAIT] = reads * 400 / (c[BUSY] * fmax(c[RESIDENT], 1)) + get(r, "atomic_depth");
    p.part[MOVE] = c[TRANSACTIONS] * 8 / c[BUSY];
    p.part[ISSUE] = c[INSTRUCTIONS] * 4 / c[BUSY];
    p.part[SHARED] = c[PASSES] * 2 / c[BUSY];
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
    int n = s->used < s->size ? vsnprintf(s->out + s->used, s->size - s->used, TR(fmt), args) : 0;
    va_end(args);
    if (n > 0) s->used += (size_t)n;
}

/* A format of two strings, which are numbers. */
#define SAY_NOT(s, now, before, text) \
    say(s, text, format_number((char[40]){0}, 40, now), format_number((char[40]){0}, 40, before))
/* "8,192 transactions instead of 1,048,576"; 1 is singular. */
#define SAY_INSTEAD(s, now, before, one, many) SAY_NOT(s, now, before, (now) == 1 ? one : many)

/* "once", "4,096 times", "0.97 times on average" */
static char *times(char *buffer, size_t size, double n)
{
    char number[40];
    if (n == 1) snprintf(buffer, size, "%s", TR("once"));
    else
        snprintf(buffer, size, n == floor(n) ? TR("%s times") : TR("%s times on average"),
                 format_number(number, sizeof number, n));
    return buffer;
}

static bool differs(double a, double b) { return fabs(a - b) > 0.03 * fmax(fabs(a), fabs(b)); }

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
    if (cause == CONFLICTS && differs(now->cause[PASSES], before->cause[PASSES]) &&
        (now->cause[PASSES] > before->cause[PASSES]) != (a > b))
        return false;
    if (!differs(a, b) || ((a > b) != causes[cause].fewer_is_slower) != (way > 0)) return false;
    if (a == 0 || b == 0 || now->time <= 0 || before->time <= 0) return true;
    const double time = fabs(log(now->time / before->time));
    return (!first || causes[cause].fewer_is_slower || time < log(8) ? 4 : 2) * fabs(log(a / b)) >= time;
}

static void say_cause(sentence *s, int cause, const picture *now, const picture *before)
{
    char a[40], b[40];
    const double is = now->cause[cause], was = before->cause[cause];
    switch (cause) {
    case BUSY:
        SAY_INSTEAD(s, is, was, "%s multiprocessor instead of %s at work", "%s multiprocessors instead of %s at work");
        break;
    case RESIDENT:
        if (now->blocks == floor(now->blocks) && before->blocks == floor(before->blocks) && now->blocks > 0 &&
            differs(now->blocks, before->blocks) && (now->blocks > before->blocks) == (is > was)) {
            SAY_INSTEAD(s, now->blocks, before->blocks, "%s block instead of %s on a multiprocessor at a time: ",
                        "%s blocks instead of %s on a multiprocessor at a time: ");
        }
        SAY_INSTEAD(s, is, was, "%s warp instead of %s to go on while others wait",
                    "%s warps instead of %s to go on while others wait");
        break;
    case READS:
        if (is <= 0) say(s, "no warp reads memory any more");
        else if (was <= 0) say(s, "each warp reads memory %s; before, none did", times(a, sizeof a, now->warp_loads));
        else if ((now->warp_loads > before->warp_loads) == (is > was) && differs(now->warp_loads, before->warp_loads))
            say(s, "each warp reads memory %s, not %s", times(a, sizeof a, now->warp_loads),
                times(b, sizeof b, before->warp_loads));
        else say(s, "warps read memory %s, not %s", times(a, sizeof a, is), times(b, sizeof b, was));
        break;
    case WRITES: say(s, "warps write memory %s, not %s", times(a, sizeof a, is), times(b, sizeof b, was)); break;
    case ASYNC:
        if (was == 0) say(s, "%s instructions copy in the background, where none did", format_number(a, sizeof a, is));
        else
            say(s, "%s instructions copy in the background, not %s", format_number(a, sizeof a, is),
                format_number(b, sizeof b, was));
        break;
    case PRODUCTS:
        say(s, "the tensor units need %s cycles for the products, not %s", format_number(a, sizeof a, round(is)),
            format_number(b, sizeof b, round(was)));
        break;
    case TRANSACTIONS:
        SAY_INSTEAD(s, is, was, "%s transaction instead of %s", "%s transactions instead of %s");
        if (!differs(now->asked, before->asked)) say(s, " for as many bytes asked for");
        if (now->accesses > 0 && before->accesses > 0 && differs(is / now->accesses, was / before->accesses) &&
            (is / now->accesses > was / before->accesses) == (is > was))
            say(s, ": %s for each access of a warp, not %s", format_number(a, sizeof a, is / now->accesses),
                format_number(b, sizeof b, was / before->accesses));
        break;
    case DOUBLES:
        if (was == 0) say(s, "%s operations in double precision where there were none", format_number(a, sizeof a, is));
        else
            SAY_INSTEAD(s, is, was, "%s operation in double precision instead of %s",
                        "%s operations in double precision instead of %s");
        if (now->doubles_price > 1)
            say(s, ", which this card does at 1/%s of the rate of single",
                format_number(b, sizeof b, now->doubles_price));
        break;
    case INSTRUCTIONS:
        SAY_INSTEAD(s, is, was, "%s warp instruction instead of %s", "%s warp instructions instead of %s");
        if (differs(now->lanes, before->lanes) && (now->lanes < before->lanes) == (is > was))
            say(s, ", with %s of 32 lanes active on average, not %s", format_number(a, sizeof a, now->lanes),
                format_number(b, sizeof b, before->lanes));
        break;
    case ATOMICS:
        if (was == 0) say(s, "%s atomic operations that were not there before", format_number(a, sizeof a, is));
        else if (is == 0) say(s, "no atomic operations any more, where there were %s", format_number(a, sizeof a, was));
        else SAY_INSTEAD(s, is, was, "%s atomic operation instead of %s", "%s atomic operations instead of %s");
        break;
    case CONFLICTS: SAY_NOT(s, is, was, "%s passes for each access to shared memory, not %s"); break;
    case BARRIERS:
        say(s, "warps arrive at barriers %s, not %s", times(a, sizeof a, is), times(b, sizeof b, was));
        break;
    case CONSTANTS: SAY_NOT(s, is, was, "%s words of constant memory, one after the other, not %s"); break;
    case ATOMIC_BYTES: SAY_NOT(s, is, was, "atomic operations on %s bytes of the card's memory, not %s"); break;
    case BUSIEST: SAY_NOT(s, is, was, "the busiest thread reads and writes %s bytes, not %s"); break;
    default:
        if (before->shared == 0) {
            say(s, "%s passes over shared memory where there were none", format_number(a, sizeof a, is));
            break;
        }
        say(s, "%s passes over shared memory instead of %s", format_number(a, sizeof a, is),
            format_number(b, sizeof b, was));
        if (now->shared > 0 && differs(is / now->shared, was / before->shared) &&
            (is / now->shared > was / before->shared) == (is > was))
            say(s, ": %s for each access, not %s", format_number(a, sizeof a, is / now->shared),
                format_number(b, sizeof b, was / before->shared));
    }
}

/* A launch so short that its warps are not what takes the time. */
static bool say_short(sentence *s, const step_result *r, const picture *p)
{
    char a[40], b[40], lanes[40];
    if (!r->simulated || !r->has_usage || !r->has_cycles || r->launches != 1 || r->usage.sampled) return false;
    if (r->usage.starting >= 0.5) {
        say(s, "%s blocks with little to do: the card is starting blocks, one after the other, %.0f %% of the time.",
            format_number(a, sizeof a, get(r, "blocks")), 100 * r->usage.starting);
        return true;
    }
    const double a_warp = clocks_of(r, ~0u) / p->warps,
                 at_once = r->usage.resident_blocks * p->cause[BUSY]; /* one wave: no warp waits for another's end */
    if (a_warp <= 0 || 2 * a_warp >= r->cycles || get(r, "blocks") > at_once) return false;
    if (p->cause[ATOMICS] > p->cause[WRITES]) {
        say(s, "A warp takes %s of the %s cycles. Then the card still works on the %s atomic operations.",
            format_number(a, sizeof a, floor(a_warp + 0.5)), format_number(b, sizeof b, r->cycles),
            format_number(lanes, sizeof lanes, p->cause[ATOMICS]));
        return true;
    }
    say(s,
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
            say(s, "Most of the time goes into waiting for %s words of constant memory.",
                format_number(a, sizeof a, c[CONSTANTS]));
            break;
        }
        say(s, p->warps == 1 ? "The warp reads memory %s, and " : "Each warp reads memory %s, and ",
            times(a, sizeof a, p->warp_loads));
        if (c[RESIDENT] < 2) say(s, "its multiprocessor has no other warp to run while it waits.");
        else
            say(s,
                c[RESIDENT] == 2 ? "its multiprocessor has %s other to run while it waits."
                                 : "its multiprocessor has %s others to run while it waits.",
                format_number(b, sizeof b, c[RESIDENT] - 1));
        break;
    case MOVE:
        say(s, "%s transactions, %s for each access of a warp, are most of the work.",
            format_number(a, sizeof a, c[TRANSACTIONS]),
            format_number(b, sizeof b, p->accesses > 0 ? c[TRANSACTIONS] / p->accesses : 0));
        break;
    case ISSUE:
        say(s, "Most of the work is issuing %s warp instructions, with %s of 32 lanes active on average.",
            format_number(a, sizeof a, c[INSTRUCTIONS]), format_number(b, sizeof b, p->lanes));
        break;
    case RESULT:
        say(s, "Most of the time goes into waiting for the results of %s warp instructions.",
            format_number(a, sizeof a, c[INSTRUCTIONS]));
        break;
    case TURN: say(s, "Most of the work is %s atomic operations.", format_number(a, sizeof a, c[ATOMICS])); break;
    case BARRIER:
        say(s, "Most of the time warps wait for others at barriers, at which they arrive %s times.",
            format_number(a, sizeof a, c[BARRIERS]));
        break;
    case PRODUCT: say(s, "Most of the time goes into waiting for products of matrices."); break;
    default:
        if (c[CONFLICTS] > 1)
            say(s, "Most of the work is %s passes over shared memory, %s for each access.",
                format_number(a, sizeof a, c[PASSES]), format_number(b, sizeof b, c[CONFLICTS]));
        else say(s, "Most of the work is %s passes over shared memory.", format_number(a, sizeof a, c[PASSES]));
    }
}

/* The times measured on a GPU, in turns with the previous step. */
static void say_times(sentence *s, const step_result *r, const step_result *before)
{
    char gain[64];
    if (r->gpu.gain.known)
        say(s, r->gpu.gain.apart ? "%s time." : "The times cannot be told apart.", view_gpu_gain(r, gain, sizeof gain));
    else if (before && r->seconds > 0 && before->seconds > 0)
        say(s, "%.3g times the time.", r->seconds / before->seconds);
}

enum { NAMED = 3 };

static void note_cause(why_causes *out, int cause, const picture *now, const picture *before)
{
    if (out && out->count < WHY_CAUSES)
        out->cause[out->count++] = (why_cause){causes[cause].name, now->cause[cause], before->cause[cause]};
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
        if (done->cause[c] || causes[c].last != done->last || !agrees(c, now, before, way, !done->count)) continue;
        if (done->count) say(s, "; ");
        say_cause(s, c, now, before);
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
        say(s, "these counters do not explain it");
        return;
    }
    for (int i = 0; i < CAUSES; i++) {
        if (!causes[i].equal || now->cause[i] <= 0 || differs(now->cause[i], before->cause[i])) continue;
        const size_t used = strlen(equal);
        snprintf(equal + used, sizeof equal - used, "%s%s", used ? TR(", ") : "", TR(causes[i].equal));
    }
    const double change = part < 0 ? 0 : fabs(now->part[part] - before->part[part]);
    if (part < 0) say(s, "these counters do not explain it");
    else if (2 * change < fabs(now->time - before->time)) say(s, "these counters explain only a part of it: ");
    if (part >= 0)
        say(s, "%s takes %s of the cycles, not %s", TR(parts[part].name),
            format_number(a, sizeof a, round(now->part[part])), format_number(b, sizeof b, round(before->part[part])));
    if (!equal[0]) return;
    say(s, part < 0 ? ": " : "; ");
    say(s, "as many %s", equal);
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
        if (!causes[i].last && differs(a, b) && part > most + 0.1) most = part, which = i;
    }
    if (which < 0) {
        say(s, "nothing that the counters see has changed");
        return;
    }
    say_cause(s, which, now, before);
    say(s, ", which makes no difference here");
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
            if (!causes[i].last && !said[i] && differs(a, b) && part > most) most = part, which = i;
        }
        if (which < 0) {
            if (!count) say(s, "nothing that the counters see has changed");
            return;
        }
        said[which] = true;
        if (count) say(s, "; ");
        say_cause(s, which, now, before);
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
        say(&s, "%sNobody has counted for this run%s: a GPU does not, and a simulated card would take too long.",
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
        say(&s, " ");
        known = r->gpu.gain.known;
        way = !known || !r->gpu.gain.apart ? 0 : r->seconds > before->seconds ? 1 : -1;
    } else if (known) {
        const double factor = now.time < old.time ? old.time / now.time : now.time / old.time;
        way = factor < 1.0005 ? 0 : now.time > old.time ? 1 : -1;
        if (!way) say(&s, "As many cycles. ");
        else if (factor < 2)
            say(&s, way < 0 ? "%.1f %% fewer cycles. " : "%.1f %% more cycles. ",
                100 * fabs(now.time - old.time) / old.time);
        else
            say(&s, way < 0 ? "%s times fewer cycles. " : "%s times more cycles. ",
                view_factor(number, sizeof number, factor));
    }
    const size_t start = s.used < size ? s.used : 0;
    if (!known) /* not timed: say what changed, but not what that did to the time */
        say_without_time(&s, &now, &old);
    else if (way) say_changes(&s, &now, &old, way, list);
    else say_no_matter(&s, &now, &old);
    if (out[start] >= 'a' && out[start] <= 'z') out[start] = (char)(out[start] - 'a' + 'A');
    say(&s, ".");
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
