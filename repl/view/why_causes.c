/* why_causes.c: see why_causes.h. */
#include "why_causes.h"
#include "shell/format.h"
#include "shell/language.h"
#include <math.h>
#include <stdarg.h>
#include <string.h>

const struct cause why_cause_facts[CAUSES] = {
#define CAUSE(id, json, value, says, ...) {.name = json, __VA_ARGS__},
#include "why_causes.def"
};

/* ---- values ---- */

double why_get(const step_result *r, const char *id)
{
    double v = 0;
    return metric_get(metric_named(id, strlen(id)), r, &v) ? v : 0;
}

/* Cycles that all tensor units of the card need at least for its products. 0: not known. */
static double product_cycles(const step_result *r)
{
    return r->product_peak > 0 ? why_get(r, "matrix_operations") * 1e3 * r->clock_khz / r->product_peak : 0;
}

static double resident_warps(const step_result *r)
{
    if (r->has_occupancy) return fmin(r->occupancy.warps, r->occupancy.grid_warps);
    return fmax(why_get(r, "warps"), 1) / fmax(why_get(r, "busy_multiprocessors"), 1);
}

void why_values(const step_result *r, double cause[CAUSES])
{
#define CAUSE(id, json, value, says, ...) cause[id] = value;
#include "why_causes.def"
}

bool why_differs(double a, double b) { return fabs(a - b) > 0.03 * fmax(fabs(a), fabs(b)); }

/* ---- sentences ---- */

void why_say(sentence *s, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int n = s->used < s->size ? vsnprintf(s->out + s->used, s->size - s->used, TR(fmt), args) : 0;
    va_end(args);
    if (n > 0) s->used += (size_t)n;
}

char *why_times(char *buffer, size_t size, double n)
{
    char number[40];
    if (n == 1) snprintf(buffer, size, "%s", TR("once"));
    else
        snprintf(buffer, size, n == floor(n) ? TR("%s times") : TR("%s times on average"),
                 format_number(number, sizeof number, n));
    return buffer;
}

/* A format of two strings, which are numbers. */
#define SAY_PAIR(now, before, text) \
    why_say(s, text, format_number((char[40]){0}, 40, now), format_number((char[40]){0}, 40, before))
#define SAY_NOT(text)   SAY_PAIR(is, was, text)
#define SAY_ROUND(text) SAY_PAIR(round(is), round(was), text)
#define SAY_TIMES(text) why_say(s, text, why_times((char[40]){0}, 40, is), why_times((char[40]){0}, 40, was))
/* The first text is for what was not there before; it has one number. */
#define SAY_NEW(text, more)                                                   \
    do {                                                                      \
        if (was == 0) why_say(s, text, format_number((char[40]){0}, 40, is)); \
        else SAY_PAIR(is, was, more);                                         \
    } while (0)
/* "8,192 transactions instead of 1,048,576"; 1 is singular. */
#define SAY_INSTEAD_OF(now, before, one, many) SAY_PAIR(now, before, (now) == 1 ? one : many)
#define SAY_INSTEAD(one, many)                 SAY_INSTEAD_OF(is, was, one, many)

static void say_resident(sentence *s, double is, double was, const picture *now, const picture *before)
{
    if (now->blocks == floor(now->blocks) && before->blocks == floor(before->blocks) && now->blocks > 0 &&
        why_differs(now->blocks, before->blocks) && (now->blocks > before->blocks) == (is > was)) {
        SAY_INSTEAD_OF(now->blocks, before->blocks, "%s block instead of %s on a multiprocessor at a time: ",
                       "%s blocks instead of %s on a multiprocessor at a time: ");
    }
    SAY_INSTEAD("%s warp instead of %s to go on while others wait",
                "%s warps instead of %s to go on while others wait");
}

static void say_reads(sentence *s, double is, double was, const picture *now, const picture *before)
{
    char a[40], b[40];
    if (is <= 0) why_say(s, "no warp reads memory any more");
    else if (was <= 0)
        why_say(s, "each warp reads memory %s; before, none did", why_times(a, sizeof a, now->warp_loads));
    else if ((now->warp_loads > before->warp_loads) == (is > was) && why_differs(now->warp_loads, before->warp_loads))
        why_say(s, "each warp reads memory %s, not %s", why_times(a, sizeof a, now->warp_loads),
                why_times(b, sizeof b, before->warp_loads));
    else why_say(s, "warps read memory %s, not %s", why_times(a, sizeof a, is), why_times(b, sizeof b, was));
}

static void say_transactions(sentence *s, double is, double was, const picture *now, const picture *before)
{
    char a[40], b[40];
    SAY_INSTEAD("%s transaction instead of %s", "%s transactions instead of %s");
    if (!why_differs(now->asked, before->asked)) why_say(s, " for as many bytes asked for");
    if (now->accesses > 0 && before->accesses > 0 && why_differs(is / now->accesses, was / before->accesses) &&
        (is / now->accesses > was / before->accesses) == (is > was))
        why_say(s, ": %s for each access of a warp, not %s", format_number(a, sizeof a, is / now->accesses),
                format_number(b, sizeof b, was / before->accesses));
}

static void say_doubles(sentence *s, double is, double was, const picture *now)
{
    char a[40], b[40];
    if (was == 0) why_say(s, "%s operations in double precision where there were none", format_number(a, sizeof a, is));
    else
        SAY_INSTEAD("%s operation in double precision instead of %s",
                    "%s operations in double precision instead of %s");
    if (now->doubles_price > 1)
        why_say(s, ", which this card does at 1/%s of the rate of single",
                format_number(b, sizeof b, now->doubles_price));
}

static void say_instructions(sentence *s, double is, double was, const picture *now, const picture *before)
{
    char a[40], b[40];
    SAY_INSTEAD("%s warp instruction instead of %s", "%s warp instructions instead of %s");
    if (why_differs(now->lanes, before->lanes) && (now->lanes < before->lanes) == (is > was))
        why_say(s, ", with %s of 32 lanes active on average, not %s", format_number(a, sizeof a, now->lanes),
                format_number(b, sizeof b, before->lanes));
}

static void say_passes(sentence *s, double is, double was, const picture *now, const picture *before)
{
    char a[40], b[40];
    if (before->shared == 0) {
        why_say(s, "%s passes over shared memory where there were none", format_number(a, sizeof a, is));
        return;
    }
    why_say(s, "%s passes over shared memory instead of %s", format_number(a, sizeof a, is),
            format_number(b, sizeof b, was));
    if (now->shared > 0 && why_differs(is / now->shared, was / before->shared) &&
        (is / now->shared > was / before->shared) == (is > was))
        why_say(s, ": %s for each access, not %s", format_number(a, sizeof a, is / now->shared),
                format_number(b, sizeof b, was / before->shared));
}

static void say_atomics(sentence *s, double is, double was)
{
    char a[40];
    if (was == 0) why_say(s, "%s atomic operations that were not there before", format_number(a, sizeof a, is));
    else if (is == 0) why_say(s, "no atomic operations any more, where there were %s", format_number(a, sizeof a, was));
    else SAY_INSTEAD("%s atomic operation instead of %s", "%s atomic operations instead of %s");
}

void why_say_cause(sentence *s, int cause, const picture *now, const picture *before)
{
    const double is = now->cause[cause], was = before->cause[cause];
    switch (cause) {
#define CAUSE(id, json, value, says, ...) \
    case id:                              \
        says;                             \
        break;
#include "why_causes.def"
    default: break;
    }
}
