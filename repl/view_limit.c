/* view_limit.c: what holds a timed run back, and what it would take without that. The simulator says what its warps waited
 * for and what was busy; the causes with the largest shares are then lifted, one after the other, by changing the
 * simulated card and running the step again. Nothing here is estimated: each number is of a run, and a lifted limit that gains nothing is
 * said to gain nothing.
 */
#include "view.h"
#include "format.h"
#include <math.h>
#include <string.h>

#define BIT(id) (1u << SIM_STALL_##id)

static const struct lifted {
    unsigned stalls; /* the causes it lifts */
    const char *without; /* "Without ..., " */
    const char *changes; /* of the card's values */
    size_t needs;        /* 0, or the counter of what it is about, in sim_counters: none of it, nothing to lift */
} lifted[] = {
    {BIT(MEMORY), "the latency of memory", "dram_latency=0 dram_crowd=0 l2_latency=0 line_sector=0 l1_latency=0 constant_latency=0", 0},
    {BIT(MEMORY), "the time that atomic operations take at their place", "atomic_latency=0 atomic_sector=0 atomic_swap=0 atomic_float=0",
     offsetof(sim_counters, atomic_lanes)},
    {BIT(PORT), "the queue at the multiprocessors' memory ports", "port_transaction=0 port_coalesced=0 port_line=0 constant_pass=0 constant_port=0", 0},
    {BIT(DRAM), "DRAM's limit of bandwidth", "dram_bytes=100x", 0},
    {BIT(ARITHMETIC), "the latency of arithmetic", "latency=0 multiply_latency=0 divide_latency=0 special_latency=0 double_latency=0 high_latency=0 predicate_latency=0 select_latency=0 to_memory=0", 0},
    {BIT(BRANCH), "the latency of branches", "branch_latency=0 meet_latency=0", 0},
    {BIT(SHARED), "the latency of shared memory", "shared_latency=0", 0},
    {BIT(CONFLICT), "further passes for bank conflicts", "shared_pass=0 shared_port=0.001x", 0},
    {BIT(ISSUE) | BIT(SLOT), "half the time that each instruction takes to issue",
     "issue=0.5x float_issue=0.5x integer_issue=0.5x multiply_issue=0.5x wide_issue=0.5x divide_issue=0.5x special_issue=0.5x double_issue=0.5x", 0},
    {BIT(BARRIER), "the cost of barriers themselves", "barrier_latency=0", 0},
};
enum { LIFTED = sizeof lifted / sizeof *lifted };

static double share(const step_result *r, unsigned stalls)
{
    double part = 0, all = 0;
    for (int i = 0; i < SIM_STALLS; i++) {
        all += (double)r->total.by_stall[i];
        part += stalls >> i & 1 ? (double)r->total.by_stall[i] : 0;
    }
    return all > 0 ? part / all : 0;
}

/* How much there is to gain at most, by the time waited for it or by how busy it is. */
static double promise(const step_result *r, const struct lifted *l)
{
    uint64_t events = 1;
    if (l->needs)
        memcpy(&events, (const char *)&r->total + l->needs, sizeof events);
    if (!events)
        return 0;
    double busy = l->stalls & BIT(ISSUE) ? r->usage.issue : l->stalls & BIT(PORT) ? r->usage.port :
                  l->stalls & BIT(DRAM) ? r->usage.dram : 0;
    return fmax(share(r, l->stalls), busy);
}
#undef BIT

bool view_limit_text(const step_result *r, char *out, size_t size)
{
    int first = -1, second = -1;
    double most = 0, next = 0;
    if (!r->has_usage)
        return false;
    for (int i = 0; i < SIM_STALLS; i++) {
        double s = share(r, 1u << i);
        if (s > most) {
            second = first, next = most;
            first = i, most = s;
        } else if (s > next) {
            second = i, next = s;
        }
    }
    if (first < 0)
        return false;
    size_t used = (size_t)snprintf(out, size, "A warp spends %.0f %% of its time on %s", 100 * most,
                                   sim_stall_info_of((enum sim_stall)first)->name);
    if (second >= 0 && next >= 0.05 && used < size)
        used += (size_t)snprintf(out + used, size - used, " and %.0f %% on %s", 100 * next,
                                 sim_stall_info_of((enum sim_stall)second)->name);
    const struct {
        const char *name;
        double busy;
    } parts[] = {{"the schedulers are", r->usage.issue}, {"the memory ports are", r->usage.port}, {"DRAM is", r->usage.dram}};
    size_t top = 0;
    for (size_t i = 1; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].busy > parts[top].busy)
            top = i;
    if (used < size && parts[top].busy >= 0.01)
        used += (size_t)snprintf(out + used, size - used, "; %s busy %.0f %% of the time", parts[top].name,
                                 100 * parts[top].busy);
    if (used < size)
        snprintf(out + used, size - used, ".");
    return true;
}

/* The step on the card with those values changed; NULL when there is no such run. */
static const step_result *lift(struct app *app, const lesson_step *s, const struct device *d, size_t k)
{
    const char *changes = lifted[k].changes, *without = lifted[k].without;
    struct device other = *d;
    size_t used = strlen(other.changes), label = strlen(other.label);
    int status;
    if (used + strlen(changes) + 2 > sizeof other.changes || label + strlen(without) + 12 > sizeof other.label)
        return NULL;
    snprintf(other.changes + used, sizeof other.changes - used, "%s%s", used ? " " : "", changes);
    snprintf(other.label + label, sizeof other.label - label, " without %s", without);
    return session_result(app, s, &other, NULL, false, false, &status);
}

int view_limits(struct app *app, const lesson_step *s, const struct device *d, const step_result *r, view_lifted *out,
                int most)
{
    bool done[LIFTED] = {false};
    int count = 0;
    if (!r->has_usage || !r->has_cycles)
        return 0;
    while (count < most) {
        int best = -1;
        for (int i = 0; i < LIFTED; i++)
            if (!done[i] && (best < 0 || promise(r, &lifted[i]) > promise(r, &lifted[best])))
                best = i;
        if (best < 0 || promise(r, &lifted[best]) < 0.1)
            break;
        done[best] = true;
        const step_result *without = lift(app, s, d, (size_t)best);
        if (without && without->has_cycles && without->cycles > 0)
            out[count++] = (view_lifted){lifted[best].without, lifted[best].changes, without->cycles};
    }
    return count;
}

bool view_lifted_gains(const step_result *r, const view_lifted *l) { return l->cycles < 0.995 * r->cycles; }

void view_lifted_text(const step_result *r, const view_lifted *l, char *out, size_t size)
{
    char cycles[40];
    double gain = r->cycles / l->cycles;
    format_count(cycles, sizeof cycles, (uint64_t)l->cycles);
    if (gain > 2)
        snprintf(out, size, "Without %s it would take %s cycles: %.1f times fewer.", l->without, cycles, gain);
    else
        snprintf(out, size, "Without %s it would take %s cycles: %.1f %% fewer.", l->without, cycles,
                 100 * (1 - 1 / gain));
}
