/* step_metric.c: the numbers of a result by name. First those derived by the card's own rules, then
 * the simulator's counters as they are. A metric that a result does not have (no clock, no shared
 * memory used) says so rather than being 0. */
#include "step.h"
#include <math.h>
#include <string.h>

bool metric_strict(const step_result *r) { return r->cc_major == 1 && r->cc_minor < 2; }

static bool transactions(const step_result *r, double *out)
{
    const sim_counters *c = &r->total;
    *out = metric_strict(r) ? (double)c->strict_transactions
                            : (double)c->global_load_sectors + (double)c->global_store_sectors;
    return true;
}

static bool moved(const step_result *r, double *out)
{
    const sim_counters *c = &r->total;
    *out = metric_strict(r) ? (double)c->strict_bytes
                            : 32.0 * ((double)c->global_load_sectors + (double)c->global_store_sectors);
    return true;
}

static bool read_bytes(const step_result *r, double *out)
{
    *out = (double)r->total.global_load_bytes + (double)r->total.global_atomic_bytes;
    return true;
}

static bool asked(const step_result *r, double *out)
{
    read_bytes(r, out);
    *out += (double)r->total.global_store_bytes;
    return true;
}

/* how many times as much as an average thread: 1 when all do the same, as many as there are threads
 * when one does all */
static bool busiest_times(const step_result *r, double *out)
{
    const sim_counters *c = &r->total;
    double threads = (double)c->blocks * r->block[0] * r->block[1] * r->block[2];
    *out = c->thread_bytes ? (double)c->max_thread_bytes * threads / (double)c->thread_bytes : 0;
    return c->thread_bytes > 0;
}

static bool efficiency(const step_result *r, double *out)
{
    double a, m;
    if (!asked(r, &a) || !moved(r, &m) || m <= 0) return false;
    if (!metric_strict(r)) /* there atomics are done in the L2: their words do not move */
        a -= (double)r->total.global_atomic_bytes;
    *out = 100 * a / m;
    return true;
}

static bool per_access(const step_result *r, double *out)
{
    double t, n = (double)r->total.global_load_requests + (double)r->total.global_store_requests;
    if (n <= 0 || !transactions(r, &t)) return false;
    *out = t / n;
    return true;
}

static double shared_requests(const step_result *r)
{
    return (double)r->total.shared_load_requests + (double)r->total.shared_store_requests;
}

static bool shared_accesses(const step_result *r, double *out)
{
    *out = shared_requests(r);
    return true;
}

static bool passes(const step_result *r, double *out)
{
    *out = r->banks == 16 ? (double)r->total.shared_passes_16 : (double)r->total.shared_passes_32;
    return true;
}

static bool passes_per_access(const step_result *r, double *out)
{
    double p, n = shared_requests(r);
    if (n <= 0 || !passes(r, &p)) return false;
    *out = p / n;
    return true;
}

static bool lanes(const step_result *r, double *out)
{
    if (!r->total.warp_instructions) return false;
    *out = (double)r->total.thread_instructions / (double)r->total.warp_instructions;
    return true;
}

static bool threads(const step_result *r, double *out)
{
    double n = 1;
    for (int i = 0; i < 3; i++) n *= (double)r->grid[i] * (double)r->block[i];
    *out = n;
    return r->launches > 0;
}

static bool busy(const step_result *r, double *out)
{
    double blocks = (double)r->grid[0] * r->grid[1] * r->grid[2];
    *out = blocks < r->multiprocessors ? blocks : r->multiprocessors;
    return r->launches > 0;
}

static bool registers(const step_result *r, double *out) { return *out = r->occupancy.registers, r->has_occupancy; }
static bool resident_blocks(const step_result *r, double *out) { return *out = r->occupancy.blocks, r->has_occupancy; }
static bool resident_warps(const step_result *r, double *out) { return *out = r->occupancy.warps, r->has_occupancy; }
static bool occupancy(const step_result *r, double *out)
{
    *out = r->has_occupancy ? 100.0 * r->occupancy.warps / r->occupancy.max_warps : 0;
    return r->has_occupancy;
}

static bool achieved(const step_result *r, double *out) { return *out = 100 * r->usage.occupancy, r->has_usage; }

static bool resident_threads(const step_result *r, double *out)
{
    return *out = 32.0 * r->occupancy.warps, r->has_occupancy;
}

static bool block_registers(const step_result *r, double *out)
{
    return *out = (double)r->occupancy.registers * r->occupancy.threads, r->has_occupancy;
}

static bool mp_registers(const step_result *r, double *out) { return *out = r->registers_per_mp, *out > 0; }
static bool mp_shared(const step_result *r, double *out) { return *out = r->shared_per_mp, *out > 0; }
/* Shares of a timed run's time. */
static double stalls(const sim_counters *c, unsigned which)
{
    double part = 0, all = 0;
    for (int i = 0; i < SIM_STALLS; i++) {
        all += (double)c->by_stall[i];
        part += which >> i & 1 ? (double)c->by_stall[i] : 0;
    }
    return all > 0 ? 100 * part / all : 0;
}
#define BIT(id) (1u << SIM_STALL_##id)
static bool memory_wait(const step_result *r, double *out)
{
    return *out = stalls(&r->total, BIT(MEMORY) | BIT(PORT) | BIT(DRAM)), r->has_usage;
}
static bool arithmetic_wait(const step_result *r, double *out)
{
    return *out = stalls(&r->total, BIT(ARITHMETIC) | BIT(BRANCH)), r->has_usage;
}
static bool shared_wait(const step_result *r, double *out)
{
    return *out = stalls(&r->total, BIT(SHARED) | BIT(CONFLICT)), r->has_usage;
}
static bool barrier_wait(const step_result *r, double *out)
{
    return *out = stalls(&r->total, BIT(BARRIER)), r->has_usage;
}
#undef BIT
static bool issue_busy(const step_result *r, double *out) { return *out = 100 * r->usage.issue, r->has_usage; }
static bool port_busy(const step_result *r, double *out) { return *out = 100 * r->usage.port, r->has_usage; }
static bool dram_busy(const step_result *r, double *out) { return *out = 100 * r->usage.dram, r->has_usage; }

static bool multiprocessors(const step_result *r, double *out) { return *out = r->multiprocessors, true; }
static bool launches(const step_result *r, double *out) { return *out = r->launches, true; }
static bool to_card(const step_result *r, double *out) { return *out = (double)r->to_card, true; }
static bool from_card(const step_result *r, double *out) { return *out = (double)r->from_card, true; }
static bool host_adds(const step_result *r, double *out) { return *out = (double)r->host_elements, true; }
static bool cycles(const step_result *r, double *out) { return *out = r->cycles, r->has_cycles; }
static bool block_cycles(const step_result *r, double *out) { return *out = r->block_cycles, r->block_cycles > 0; }
/* of the kernels; of a step that has none, the CPU's */
static bool seconds(const step_result *r, double *out)
{
    *out = r->launches ? r->seconds : r->cpu_seconds;
    return r->launches ? r->has_time : r->cpu_seconds > 0;
}

static bool cpu_seconds(const step_result *r, double *out) { return *out = r->cpu_seconds, r->cpu_seconds > 0; }
static bool ours(const step_result *r, double *out) { return *out = r->verdict.ours, r->judged; }
static bool right_one(const step_result *r, double *out) { return *out = r->verdict.reference, r->judged; }
static bool wrong_ones(const step_result *r, double *out) { return *out = (double)r->verdict.wrong, r->judged; }

/* Copies of the inputs to the card, by the computer around it. */
static bool pageable_time(const step_result *r, double *out) { return *out = r->copy_seconds[0], *out > 0; }
static bool locked_time(const step_result *r, double *out) { return *out = r->copy_seconds[1], *out > 0; }
static bool pageable_rate(const step_result *r, double *out)
{
    return pageable_time(r, out) && (*out = (double)r->to_card / *out) > 0;
}
static bool locked_rate(const step_result *r, double *out)
{
    return locked_time(r, out) && (*out = (double)r->to_card / *out) > 0;
}

static bool bandwidth(const step_result *r, double *out)
{
    double s = r->launches ? r->seconds : r->cpu_seconds;
    if ((r->launches && !r->has_time) || s <= 0 || r->bytes < 0) return false;
    *out = (double)r->bytes / s;
    return true;
}

static bool total(const step_result *r, double *out) { return *out = r->total_seconds, r->total_seconds > 0; }

static bool total_rate(const step_result *r, double *out)
{
    if (r->total_seconds <= 0 || r->operations < 0) return false;
    *out = (double)r->operations / r->total_seconds;
    return true;
}

static bool total_bandwidth(const step_result *r, double *out)
{
    if (r->total_seconds <= 0 || r->bytes < 0) return false;
    *out = (double)r->bytes / r->total_seconds;
    return true;
}

static bool rate(const step_result *r, double *out)
{
    if (!r->has_time || r->seconds <= 0 || r->operations < 0) return false;
    *out = (double)r->operations / r->seconds;
    return true;
}

/* of all elements, against what the step's `right:` says */
static bool max_error(const step_result *r, double *out) { return *out = r->verdict.max_relative, r->judged; }
static bool mean_error(const step_result *r, double *out) { return *out = r->verdict.mean_relative, r->judged; }

static bool max_ulp(const step_result *r, double *out)
{
    return *out = r->verdict.max_ulp, r->judged && *out > 0 && *out < 65536;
}
/* Decimal digits of the worst element that are right: 0 when none is, at most the 16 that a double
 * can show. */
static bool right_digits(const step_result *r, double *out)
{
    double e = r->verdict.max_relative;
    *out = e >= 1 ? 0 : e < 1e-16 ? 16 : floor(-log10(e));
    return r->judged && !r->verdict.exact_integers;
}

static bool cycles_each(const step_result *r, double *out)
{
    *out = r->has_cycles && r->each > 0 ? r->cycles / (double)r->each : 0;
    return *out > 0;
}

/* Passes over shared memory for each that the same accesses would take without conflict. */
static bool conflict(const step_result *r, double *out)
{
    double p, n = shared_requests(r) * (r->banks == 16 ? 2 : 1);
    if (n <= 0 || !passes(r, &p)) return false;
    *out = p / n;
    return true;
}

/* operations for each number of four bytes that the lanes read or wrote in the card's memory */
static bool cgma(const step_result *r, double *out)
{
    double bytes;
    if (!asked(r, &bytes) || bytes <= 0) return false;
    *out = 4 * (double)r->total.float_operations / bytes;
    return true;
}

static bool memory_peak(const step_result *r, double *out) { return *out = r->memory_peak, r->memory_peak > 0; }
static bool rate_peak(const step_result *r, double *out) { return *out = r->rate_peak, r->rate_peak > 0; }

/* what memory allows a kernel of this ratio when no cache helps */
static bool rate_bound(const step_result *r, double *out)
{
    double ratio;
    if (r->memory_peak <= 0 || !cgma(r, &ratio)) return false;
    *out = ratio * r->memory_peak / 4;
    return true;
}

static bool fit(const step_result *r, enum sim_limit limit, double *out)
{
    return *out = r->occupancy.fit[limit], r->has_occupancy;
}
static bool fit_threads(const step_result *r, double *out) { return fit(r, SIM_LIMIT_THREADS, out); }
static bool fit_blocks(const step_result *r, double *out) { return fit(r, SIM_LIMIT_BLOCKS, out); }
static bool fit_registers(const step_result *r, double *out) { return fit(r, SIM_LIMIT_REGISTERS, out); }
static bool fit_shared(const step_result *r, double *out) { return fit(r, SIM_LIMIT_SHARED, out); }

static bool never(const step_result *r, double *out)
{
    (void)r, (void)out;
    return false;
}

const step_metric metrics[] = {
    {"cycles", "cycles", "cycles", "clock cycles of the kernel", true, false, cycles, 0},
    {"block_cycles", "cycles of a block", "cycles", "of the slowest block, by its own clock", true, false, block_cycles,
     0},
    {"cycles_each", "cycles each", "cycles", "cycles for one of what the step repeats", true, false, cycles_each, 0},
    {"time", "time", "s", "time of the kernel", true, false, seconds, 0},
    {"cpu_time", "the CPU here", "s", "what the CPU of this computer takes for the same", true, false, cpu_seconds, 0},
    {"bandwidth", "bandwidth", "B/s", "useful bytes over the kernel's time", false, true, bandwidth, 0},
    {"rate", "rate", "FLOP/s", "useful operations over the kernel's time", false, true, rate, 0},
    {"speedup", "gain", "times", "gain over the step before", false, true, never, 0},
    {"cpu_gain", "gain over the CPU", "times", "this computer's CPU's time over the kernel's", false, true, never, 0},
    {"total", "total time", "s", "time with start, allocations and copies", true, false, total, 0},
    {"total_rate", "rate of the total", "FLOP/s", "useful operations over the total time", false, true, total_rate, 0},
    {"total_bandwidth", "bandwidth of the total", "B/s", "useful bytes over the total time", false, true,
     total_bandwidth, 0},
    {"transactions", "transactions", "",
     "transfers between the card's memory and its multiprocessors, by the card's own rule", true, false, transactions,
     0},
    {"moved_bytes", "bytes moved", "B", "what those transactions carried", true, false, moved, 0},
    {"asked_bytes", "bytes asked", "B", "what the threads asked for", false, false, asked, 0},
    {"read_bytes", "bytes read", "B", "of the card's memory, by loads and atomics", true, false, read_bytes, 0},
    {"efficiency", "used of what moved", "%", "asked over moved; above 100: lanes shared a word", false, true,
     efficiency, 0},
    {"transactions_per_access", "transactions an access", "", "transactions for each access of a warp", true, false,
     per_access, 0},
    {"shared_accesses", "shared accesses", "", "warp instructions that read or wrote shared memory", true, false,
     shared_accesses, 0},
    {"shared_passes", "shared passes", "", "passes over the card's banks that those took", true, false, passes, 0},
    {"passes_per_access", "passes an access", "", "of shared memory", true, false, passes_per_access, 0},
    {"conflict", "conflict degree", "times",
     "passes over shared memory for one without conflicts; at most 1: no lane waits", true, false, conflict, 0},
    {"active_lanes", "active lanes", "", "of 32, on average over warp instructions", false, true, lanes, 0},
    {"busiest_times", "times the average by the busiest thread", "",
     "bytes that it asked for in all memories, over those of an average one", true, false, busiest_times, 0},
    {"max_error", "largest relative error", "error", "of the output's elements, against the CPU's", true, false,
     max_error, 0},
    {"mean_error", "mean relative error", "error", "over the output's elements", true, false, mean_error, 0},
    {"right_digits", "digits right", "", "decimal digits of the worst element that are right", false, true,
     right_digits, 0},
    {"max_ulp", "largest error in ulp", "", "in units of a float's last bit; none when it is no rounding any more",
     true, false, max_ulp, 0},
    {"all_threads", "threads", "", "of all blocks of the first launch", false, false, threads, 0},
    {"busy_multiprocessors", "multiprocessors with work", "", "blocks of the first launch, at most all the card has",
     false, true, busy, 0},
    {"registers", "registers a thread", "", "estimated from the PTX as its compiler would need them", true, false,
     registers, 0},
    {"resident_blocks", "resident blocks", "", "that a multiprocessor holds at once, when the grid has enough", false,
     true, resident_blocks, 0},
    {"resident_warps", "resident warps", "", "of those blocks", false, true, resident_warps, 0},
    {"occupancy", "occupancy limit", "%",
     "warps that a multiprocessor could hold of this kernel, of all it has room for", false, true, occupancy, 0},
    {"achieved_occupancy", "occupancy achieved", "%",
     "warps that were there, of all that the multiprocessors have room for, on average over the kernel's cycles", false,
     true, achieved, 0},
    {"resident_threads", "resident threads", "", "that a multiprocessor holds at once", false, true, resident_threads,
     0},
    {"block_registers", "registers of a block", "", "registers of a thread times threads", true, false, block_registers,
     0},
    {"mp_registers", "registers of the card's multiprocessor", "", "that a multiprocessor has", false, false,
     mp_registers, 0},
    {"mp_shared", "its shared memory", "B", "that a multiprocessor has", false, false, mp_shared, 0},
    {"pageable_time", "copy from pageable memory", "s", "the inputs to the card, from ordinary memory", true, false,
     pageable_time, 0},
    {"locked_time", "copy from page-locked memory", "s", "the same from memory that stays in its place", true, false,
     locked_time, 0},
    {"pageable_rate", "pageable copy rate", "B/s", "bytes over that time", false, true, pageable_rate, 0},
    {"locked_rate", "page-locked copy rate", "B/s", "bytes over that time", false, true, locked_rate, 0},
    {"memory_wait", "waiting for memory", "%", "of its time that a warp does, on average", true, false, memory_wait, 0},
    {"arithmetic_wait", "waiting for results", "%", "of arithmetic and branches", true, false, arithmetic_wait, 0},
    {"shared_wait", "waiting for shared", "%", "memory: its latency and its bank conflicts", true, false, shared_wait,
     0},
    {"barrier_wait", "waiting at barriers", "%", "of its time that a warp does", true, false, barrier_wait, 0},
    {"issue_busy", "schedulers busy", "%", "of the kernel's time, over all multiprocessors", false, false, issue_busy,
     0},
    {"port_busy", "memory ports busy", "%", "of the kernel's time, over all multiprocessors", false, false, port_busy,
     0},
    {"dram_busy", "DRAM busy", "%", "of the kernel's time", false, false, dram_busy, 0},
    {"fit_threads", "blocks by threads", "", "that the multiprocessor's threads alone would allow", false, true,
     fit_threads, 0},
    {"fit_blocks", "blocks by block slots", "", "that its slots for blocks alone would allow", false, true, fit_blocks,
     0},
    {"fit_registers", "blocks by registers", "", "that its registers alone would allow", false, true, fit_registers, 0},
    {"fit_shared", "blocks by shared memory", "", "that its shared memory alone would allow", false, true, fit_shared,
     0},
    {"cgma", "operations a number", "",
     "floating-point, for each 4 bytes that lanes read or wrote in the card's memory", false, true, cgma, 0},
    {"memory_peak", "memory at most", "B/s", "what the card's memory can deliver", false, true, memory_peak, 0},
    {"rate_peak", "arithmetic at most", "FLOP/s", "multiply-adds on all multiprocessors", false, true, rate_peak, 0},
    {"rate_bound", "rate that memory allows", "FLOP/s", "operations a number times numbers a second, without a cache",
     false, true, rate_bound, 0},
    {"multiprocessors", "multiprocessors of the card", "", "that the card has", false, false, multiprocessors, 0},
    {"launches", "launches", "", "kernel launches of the run", true, false, launches, 0},
    {"to_card", "bytes to the card", "B", "copied before the kernels", true, false, to_card, 0},
    {"from_card", "bytes from the card", "B", "copied back after them", true, false, from_card, 0},
    {"result", "result", "", "what is judged; of an array, its first wrong or else first element", false, false, ours,
     0},
    {"right_answer", "right answer", "", "what it must be, as the CPU says", false, false, right_one, 0},
    {"wrong_elements", "wrong elements", "", "elements that are not as the CPU says", true, false, wrong_ones, 0},
    {"host_elements", "left for the host", "", "elements that the host works through after the kernels", true, false,
     host_adds, 0},
#define COUNTER(id, name, unit, meaning) {#id, name, unit, meaning, false, false, NULL, offsetof(sim_counters, id)},
#include "counters.def"
#undef COUNTER
    {0},
};

int metric_named(const char *name, size_t length)
{
    for (int i = 0; metrics[i].id; i++)
        if (strlen(metrics[i].id) == length && !memcmp(metrics[i].id, name, length)) return i;
    return -1;
}

/* A step that runs no kernel has these all the same. */
static bool of_cpu(int m)
{
    bool (*get)(const step_result *r, double *out) = metrics[m].get;
    return get == seconds || get == cpu_seconds || get == ours || get == right_one || get == wrong_ones ||
           get == max_error || get == right_digits || get == bandwidth;
}

bool metric_counted(int m)
{
    bool (*get)(const step_result *r, double *out) = metrics[m].get;
    return !get || get == transactions || get == moved || get == asked || get == read_bytes || get == efficiency ||
           get == per_access || get == shared_accesses || get == passes || get == passes_per_access || get == lanes ||
           get == busiest_times;
}

bool metric_get(int m, const step_result *r, double *out)
{
    if (m < 0 || (!r->launches && !of_cpu(m))) return false;
    if (!r->counted && metric_counted(m)) /* a GPU does not count */
        return false;
    if (metrics[m].get) return metrics[m].get(r, out);
    uint64_t v;
    memcpy(&v, (const char *)&r->total + metrics[m].offset, sizeof v);
    *out = (double)v;
    return true;
}

bool metric_of_card(const step_result *r, const char *name, size_t length, double *out)
{
    static const step_result nobody;
    const step_result *of = r ? r : &nobody;
    const struct {
        const char *name;
        int value;
    } facts[] = {{"simulated", of->simulated}, {"compute", 10 * of->cc_major + of->cc_minor}, {"banks", of->banks}};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (strlen(facts[i].name) == length && !memcmp(facts[i].name, name, length)) {
            *out = facts[i].value;
            return true;
        }
    return false;
}

bool metric_number(const step_result *r, const char *name, size_t length, double *out)
{
    for (int i = 0; i < r->results; i++)
        if (strlen(r->result_name[i]) == length && !memcmp(r->result_name[i], name, length)) {
            *out = r->result[i];
            return true;
        }
    return metric_of_card(r, name, length, out) || metric_get(metric_named(name, length), r, out);
}

typedef struct figure_scope {
    const lesson *l;
    const step_values *v;
    const step_result *r;
} figure_scope;

/* A figure that depends on the data holds for one seed. */
static bool figure_name(void *arg, const char *name, size_t length, int64_t *value)
{
    const figure_scope *s = arg;
    int i = lesson_setting_named(s->l, name, length);
    if (i < 0 && length == 4 && !memcmp(name, "seed", 4)) {
        *value = s->r->seed <= INT64_MAX ? (int64_t)s->r->seed : -1;
        return true;
    }
    if (i >= 0) *value = s->v->value[i];
    return i >= 0;
}

bool metric_article(const lesson *l, const step_values *v, const step_result *r, const lesson_article *a)
{
    figure_scope s = {l, v, r};
    int64_t holds = 0;
    char why[160];
    if (r->cache == CACHE_HOT ? a->cold : r->cache == CACHE_COLD && a->hot) /* measured with the cache the other way */
        return false;
    return a->condition.count == 0 ||
           (expr_eval(&a->condition, figure_name, &s, &holds, why, sizeof why) && holds != 0);
}
