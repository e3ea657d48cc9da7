/* step_metric.c: the numbers of a result by name. First those derived by the card's own rules, then
 * the simulator's counters as they are. A metric that a result does not have (no clock, no shared
 * memory used) says so rather than being 0. */
#include "step.h"
#include "shell/format.h"
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

enum { NEITHER, LESS, MORE };

const step_metric metrics[] = {
#define METRIC(id, name, unit, about, better, get) {#id, name, unit, about, better == LESS, better == MORE, get, 0},
#include "course/metrics.def"
#undef METRIC
#define COUNTER(id, name, unit, meaning) {#id, name, unit, meaning, false, false, NULL, offsetof(sim_counters, id)},
#include "counters.def"
#undef COUNTER
    {0},
};

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
    const int value[FACTS] = {r->simulated, 10 * r->cc_major + r->cc_minor, r->banks};
    const int fact = fact_named(name, length);
    if (fact >= 0) *out = value[fact];
    return fact >= 0;
}

bool metric_number(const step_result *r, const char *name, size_t length, double *out)
{
    for (int i = 0; i < r->results; i++)
        if (strlen(r->result[i].name) == length && !memcmp(r->result[i].name, name, length)) {
            *out = r->result[i].value;
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

char *metric_text(char *buffer, size_t size, int m, double v)
{
    const char *unit = metrics[m].unit;
    if (!strcmp(unit, "B")) return format_bytes(buffer, size, v < 0 ? 0 : (uint64_t)v);
    if (!strcmp(unit, "%")) {
        snprintf(buffer, size, v < 10 ? "%.1f %%" : "%.0f %%", v);
        return buffer;
    }
    if (!strcmp(unit, "error")) {
        snprintf(buffer, size, "%.6g", v);
        return buffer;
    }
    if (!strcmp(unit, "B/s") || !strcmp(unit, "s") || !strcmp(unit, "FLOP/s")) return format_si(buffer, size, v, unit);
    return format_number(buffer, size, v);
}
