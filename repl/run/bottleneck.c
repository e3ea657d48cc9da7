/* bottleneck.c: what limits a timed run, and what it would take without that limit. The simulator
 * reports what its warps waited for and which units were busy. The limits with the largest shares
 * are then lifted, one at a time: the kernel runs again on a changed simulated card. Nothing is
 * estimated. Each number comes from a run, even when lifting a limit gains nothing. */
#include "bottleneck.h"
#include "shell/format.h"
#include "shell/language.h"
#include <ctype.h>
#include <math.h>
#include <string.h>

#define BIT(id) (1u << SIM_STALL_##id)

/* How to find the share of a run's time that each limit may explain. sim/keys.def says which values
 * of a card lift it. */
static const struct lifted {
    /* the stall reasons it explains; 0: no warp waits for it directly, since none has started yet,
     * or since warps wait for something that queues for it */
    unsigned stalls;
    size_t busy;  /* 0, or the offset in sim_usage of how busy it is */
    size_t needs; /* 0, or the offset in sim_counters of its events: without any there is nothing to lift */
} lifted[SIM_LIFTS] = {
    [SIM_LIFT_MEMORY] = {BIT(MEMORY) | BIT(COPY), 0, 0},
    [SIM_LIFT_ATOMIC] = {BIT(MEMORY), 0, offsetof(sim_counters, atomic_lanes)},
    [SIM_LIFT_PORT] = {BIT(PORT), offsetof(sim_usage, port), 0},
    [SIM_LIFT_L2] = {0, offsetof(sim_usage, l2), 0},
    [SIM_LIFT_DRAM] = {BIT(DRAM), offsetof(sim_usage, dram), 0},
    [SIM_LIFT_ARITHMETIC] = {BIT(ARITHMETIC) | BIT(PRODUCT), 0, 0},
    [SIM_LIFT_BRANCH] = {BIT(BRANCH), 0, 0},
    [SIM_LIFT_SHARED] = {BIT(SHARED), 0, 0},
    [SIM_LIFT_SHARED_PORT] = {BIT(SHARED_PORT), 0, 0},
    [SIM_LIFT_CONFLICT] = {BIT(CONFLICT), 0, 0},
    [SIM_LIFT_SHARED_TURN] = {BIT(SHARED_TURN), 0, 0},
    [SIM_LIFT_ISSUE] = {BIT(ISSUE) | BIT(SLOT) | BIT(PRODUCT), offsetof(sim_usage, issue), 0},
    [SIM_LIFT_BARRIER] = {BIT(BARRIER), 0, 0},
    [SIM_LIFT_STARTS] = {0, offsetof(sim_usage, starting), 0},
};

/* The share of the time of all warps. */
static double share(const sim_counters *total, unsigned stalls)
{
    double part = 0, all = (double)stalls_all(total);
    for (int i = 0; i < SIM_STALLS; i++) part += stalls >> i & 1 ? (double)total->by_stall[i] : 0;
    return all > 0 ? part / all : 0;
}

/* The most that lifting it can gain: the share of time waited for it, or how busy it is. */
static double promise(const sim_counters *total, const sim_usage *usage, const struct lifted *l)
{
    uint64_t events = 1;
    if (l->needs) memcpy(&events, (const char *)total + l->needs, sizeof events);
    if (!events) return 0;
    double busy = 0;
    if (l->busy) memcpy(&busy, (const char *)usage + l->busy, sizeof busy);
    return fmax(share(total, l->stalls), busy);
}
#undef BIT

bool limit_text(const sim_counters *total, const sim_usage *usage, char *out, size_t size)
{
    int first = -1, second = -1;
    double most = 0, next = 0;
    for (int i = 0; i < SIM_STALLS; i++) {
        double s = share(total, 1u << i);
        if (s > most) {
            second = first, next = most;
            first = i, most = s;
        } else if (s > next) {
            second = i, next = s;
        }
    }
    if (first < 0) return false;
    size_t used = (size_t)snprintf(out, size, TR("A warp spends %.0f %% of its time on %s"), 100 * most,
                                   TR(sim_stall_info_of((enum sim_stall)first)->name));
    if (second >= 0 && next >= 0.05 && used < size)
        used += (size_t)snprintf(out + used, size - used, TR(" and %.0f %% on %s"), 100 * next,
                                 TR(sim_stall_info_of((enum sim_stall)second)->name));
    const struct {
        const char *name;
        double busy;
    } parts[] = {{"the schedulers are busy", usage->issue},
                 {"the memory ports are busy", usage->port},
                 {"the L2 is busy", usage->l2},
                 {"DRAM is busy", usage->dram},
                 {"blocks are being started", usage->starting}};
    size_t top = 0;
    for (size_t i = 1; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].busy > parts[top].busy) top = i;
    if (used < size && parts[top].busy >= 0.01)
        used += (size_t)snprintf(out + used, size - used, TR("; %s %.0f %% of the time"), TR(parts[top].name),
                                 100 * parts[top].busy);
    if (used < size) snprintf(out + used, size - used, "%s", TR("."));
    return true;
}

void limits_find(const sim_counters *total, const sim_usage *usage, double cycles, limit_lift *lift, void *context,
                 limit_list *out)
{
    bool done[SIM_LIFTS] = {false};
    *out = (limit_list){.cycles = cycles};
    while (out->count < LIMITS_LIFTED) {
        int best = SIM_LIFT_NONE;
        for (int i = SIM_LIFT_NONE + 1; i < SIM_LIFTS; i++)
            if (!done[i] && (!best || promise(total, usage, &lifted[i]) > promise(total, usage, &lifted[best])))
                best = i;
        if (!best || promise(total, usage, &lifted[best]) < 0.1) break;
        done[best] = true;
        limit_lifted *l = &out->lifted[out->count];
        *l = (limit_lifted){.without = sim_lift_without((enum sim_lift)best)};
        if (sim_lift_changes((enum sim_lift)best, l->changes, sizeof l->changes) < sizeof l->changes)
            l->cycles = lift(context, l->without, l->changes);
        if (l->cycles > 0) out->count++;
    }
}

/* ---- for people and programs to read ---- */

uint64_t stalls_all(const sim_counters *c)
{
    uint64_t n = 0;
    for (int k = 0; k < SIM_STALLS; k++) n += c->by_stall[k];
    return n;
}

double stalls_waits(const sim_counters *total, const sim_counters *c)
{
    const double all = (double)stalls_all(total), here = (double)(stalls_all(c) - c->by_stall[SIM_STALL_ISSUE]);
    return all > 0 && here / all >= 0.0005 ? 100 * here / all : 0;
}

void stalls_show(doc *d, const sim_counters *c)
{
    const double all = (double)stalls_all(c);
    char name[80];
    for (int i = 0; i < SIM_STALLS; i++) {
        const sim_stall_info *info = sim_stall_info_of((enum sim_stall)i);
        if (!c->by_stall[i]) continue;
        const char *said = TR(info->name);
        snprintf(name, sizeof name, "  %s%*s%10.1f %%", said, 24 - utf8_width(said), "",
                 100 * (double)c->by_stall[i] / all);
        doc_entry(d, 40, name, "%s", info->meaning);
    }
}

void stalls_json(json *j, const sim_counters *c)
{
    json_object(j, "stalls");
    for (int k = 0; k < SIM_STALLS; k++) {
        char key[32];
        snprintf(key, sizeof key, "%s", sim_stall_info_of((enum sim_stall)k)->id);
        for (char *p = key; *p; p++) *p = (char)tolower((unsigned char)*p);
        json_uint(j, key, c->by_stall[k]);
    }
    json_close(j);
}

static bool gains(const limit_list *l, int i) { return l->lifted[i].cycles < 0.995 * l->cycles; }

static void put_gain(doc *d, const limit_list *l, int i)
{
    char cycles[40];
    const double gain = l->cycles / l->lifted[i].cycles;
    format_count(cycles, sizeof cycles, (uint64_t)l->lifted[i].cycles);
    if (gain > 2)
        doc_say(d, 0, "Without %s it would take %s cycles: %.1f times fewer.", TR(l->lifted[i].without), cycles, gain);
    else
        doc_say(d, 0, "Without %s it would take %s cycles: %.1f %% fewer.", TR(l->lifted[i].without), cycles,
                100 * (1 - 1 / gain));
}

void limits_show(doc *d, const limit_list *l)
{
    char text[1100];
    size_t used = 0;
    for (int i = 0; i < l->count; i++) {
        if (gains(l, i)) put_gain(d, l, i);
        else if (used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", TR(used ? ", or without " : "Without "),
                                     TR(l->lifted[i].without));
    }
    if (used && used < sizeof text) {
        snprintf(text + used, sizeof text - used, "%s", TR(", it would take as long: something else waits behind it."));
        doc_say(d, 0, "%s", text);
    }
}

void limits_json(json *j, const limit_list *l)
{
    json_array(j, "without");
    for (int i = 0; i < l->count; i++) {
        json_object(j, NULL);
        json_text(j, "limit", l->lifted[i].without);
        json_text(j, "changes", l->lifted[i].changes);
        json_number(j, "cycles", l->lifted[i].cycles);
        json_close(j);
    }
    json_close(j);
}
