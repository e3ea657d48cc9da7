/* step_metric.c: the named numbers of a result. First those derived by the card's own rules, then
 * the simulator's counters. A metric that a result does not have (not timed, no shared memory used)
 * is reported as missing, not as 0. */
#include "step.h"
#include "shell/format.h"
#include "shell/language.h"
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

/* The busiest thread's share relative to the average: 1 when all do the same, and the number of
 * threads when one does everything. */
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
    if (!metric_strict(r)) /* on these cards atomics happen in the L2, so their words are not transferred */
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

/* ---- of all instructions that reach a memory: loads, stores, copies and atomics ---- */

static bool all_transactions(const step_result *r, double *out)
{
    transactions(r, out);
    if (!metric_strict(r)) *out += (double)r->total.global_atomic_sectors; /* the strict rule has them */
    return true;
}

/* An atomic operation reads and writes. */
static bool all_read_requests(const step_result *r, double *out)
{
    *out = (double)r->total.global_load_requests + (double)r->total.global_atomic_requests;
    return true;
}

static bool all_write_requests(const step_result *r, double *out)
{
    *out = (double)r->total.global_store_requests + (double)r->total.global_atomic_requests;
    return true;
}

static bool all_written_bytes(const step_result *r, double *out)
{
    const sim_counters *c = &r->total;
    *out = (double)c->global_store_bytes + (double)c->global_atomic_bytes;
    return true;
}

static bool all_shared_accesses(const step_result *r, double *out)
{
    *out = shared_requests(r) + (double)r->total.shared_atomic_requests;
    return true;
}

static bool all_shared_reads(const step_result *r, double *out)
{
    *out = (double)r->total.shared_load_requests + (double)r->total.shared_atomic_requests;
    return true;
}

static bool all_shared_passes(const step_result *r, double *out)
{
    const sim_counters *c = &r->total;
    passes(r, out);
    *out += r->banks == 16 ? (double)c->shared_atomic_passes_16 : (double)c->shared_atomic_passes_32;
    return true;
}

static bool all_barriers(const step_result *r, double *out)
{
    *out = (double)r->total.barriers + (double)r->total.barrier_arrivals;
    return true;
}

static bool all_atomic_lanes(const step_result *r, double *out)
{
    *out = (double)r->total.atomic_lanes + (double)r->total.bulk_atomic_lanes;
    return true;
}

static bool all_double_operations(const step_result *r, double *out)
{
    *out = (double)r->total.double_operations + (double)r->total.double_matrix_operations;
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

/* The percentage of a timed run's time that warps spent on these stall reasons. */
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

/* The kernels' time, or the CPU's for a step without kernels. */
static bool seconds(const step_result *r, double *out)
{
    *out = r->launches ? r->seconds : r->cpu_seconds;
    return r->launches ? r->has_time : r->cpu_seconds > 0;
}

static bool bandwidth(const step_result *r, double *out)
{
    double s = r->launches ? r->seconds : r->cpu_seconds;
    if ((r->launches && !r->has_time) || s <= 0 || r->bytes < 0) return false;
    *out = (double)r->bytes / s;
    return true;
}

/* Correct decimal digits of the worst element: 0 when there are none, at most the 16 of a
 * double. */
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

/* Passes over shared memory, relative to the same accesses without bank conflicts. */
static bool conflict(const step_result *r, double *out)
{
    double p, n = shared_requests(r) * (r->banks == 16 ? 2 : 1);
    if (n <= 0 || !passes(r, &p)) return false;
    *out = p / n;
    return true;
}

/* floating-point operations per four bytes that the lanes read or wrote in the card's memory */
static bool cgma(const step_result *r, double *out)
{
    double bytes;
    if (!asked(r, &bytes) || bytes <= 0) return false;
    *out = 4 * (double)r->total.float_operations / bytes;
    return true;
}

/* the rate that memory bandwidth allows at this ratio, without any cache */
static bool rate_bound(const step_result *r, double *out)
{
    double ratio;
    if (r->memory_peak <= 0 || !cgma(r, &ratio)) return false;
    *out = ratio * r->memory_peak / 4;
    return true;
}

static bool share_of(const step_result *r, double of, double *out)
{
    const bool known = r->has_time && r->seconds > 0 && r->operations > 0 && of > 0;
    if (known) *out = 100 * (double)r->operations / r->seconds / of;
    return known;
}

static bool peak_share(const step_result *r, double *out) { return share_of(r, r->product_peak, out); }
static bool library_share(const step_result *r, double *out) { return share_of(r, r->library_rate, out); }

static bool never(const step_result *r, double *out)
{
    (void)r, (void)out;
    return false;
}

enum { NEITHER, LESS, MORE };

#define IS(known, value) return *out = (double)(value), (known);
#define OF(function)     return function(r, out);
#define METRIC(id, name, unit, about, better, how) \
    static bool get_##id(const step_result *r, double *out) { how }
#include "course/metrics.def"

static step_metric table[] = {
#define METRIC(id, name, unit, about, better, how) \
    {#id, name, unit, about, better == LESS, better == MORE, get_##id, 0},
#include "course/metrics.def"
#define COUNTER(id, name, unit, meaning) {#id, name, unit, meaning, false, false, NULL, offsetof(sim_counters, id)},
#include "counters.def"
#undef COUNTER
    {0},
};
const step_metric *const metrics = table;

void metrics_speak(void)
{
    static const char *english[sizeof table / sizeof *table][2];
    for (size_t i = 0; table[i].id; i++) {
        if (!english[i][0]) english[i][0] = table[i].name, english[i][1] = table[i].about;
        table[i].name = TR(english[i][0]);
        table[i].about = TR(english[i][1]);
    }
}

int metric_better(int m)
{
    static const struct {
        const char *id;
        int better;
    } counted[] = {
#define COUNTED(id, better) {#id, better == MORE ? 1 : better == LESS ? -1 : 0},
#include "course/metrics.def"
    };
    if (m < 0) return 0;
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        if (!strcmp(counted[i].id, metrics[m].id)) return counted[i].better;
    return metrics[m].higher_is_better ? 1 : metrics[m].lower_is_better ? -1 : 0;
}

/* Metrics that a step without kernels has too. */
static bool of_cpu(int m)
{
    bool (*get)(const step_result *r, double *out) = metrics[m].get;
    return get == get_time || get == get_cpu_time || get == get_result || get == get_right_answer ||
           get == get_wrong_elements || get == get_max_error || get == get_right_digits || get == get_bandwidth;
}

bool metric_of_chains(int m)
{
    bool (*get)(const step_result *r, double *out) = metrics[m].get;
    return get == get_chain || get == get_hand_overs || get == get_max_thread_places || get == get_returns ||
           get == get_max_thread_words;
}

bool metric_counted(int m)
{
    bool (*get)(const step_result *r, double *out) = metrics[m].get;
    return !get || get == get_transactions || get == get_moved_bytes || get == get_asked_bytes ||
           get == get_read_bytes || get == get_efficiency || get == get_transactions_per_access ||
           get == get_shared_accesses || get == get_shared_passes || get == get_passes_per_access ||
           get == get_active_lanes || get == get_busiest_times || get == get_all_transactions ||
           get == get_all_read_requests || get == get_all_write_requests || get == get_thread_local_bytes ||
           get == get_all_written_bytes || get == get_all_shared_accesses || get == get_all_shared_reads ||
           get == get_all_shared_passes || get == get_all_double_operations || get == get_all_barriers ||
           get == get_all_atomic_lanes || metric_of_chains(m);
}

/* Of a program only its own numbers are known: it may hold any kernels. Of an answer their counters too. */
static bool of_program(int m)
{
    static const char *const ids[] = {"program_time", "kernels_time",    "copies_time", "copies",
                                      "host_wait",    "overlap",         "launches",    "to_card",
                                      "from_card",    "multiprocessors", "depends"};
    bool known = false;
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) known = known || !strcmp(ids[i], metrics[m].id);
    return known;
}

bool metric_get(int m, const step_result *r, double *out)
{
    if (m >= 0 && r->has_timeline && !of_program(m) && (metrics[m].get || !r->program_counts)) return false;
    if (m < 0 || (!r->launches && !r->has_timeline && !of_cpu(m))) return false;
    if (!r->counted && metric_counted(m)) /* a GPU has no counters */
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

/* A figure that depends on the inputs' values is valid for one seed. */
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
    if (r->cache == CACHE_HOT ? a->cold : r->cache == CACHE_COLD && a->hot) /* measured with the other cache state */
        return false;
    return a->condition.count == 0 ||
           (expr_eval(&a->condition, figure_name, &s, &holds, why, sizeof why) && holds != 0);
}

void step_library(const step_request *q, step_result *r)
{
    r->library_rate = 0;
    for (int i = 0; i < q->s->library_count; i++) {
        const lesson_article *a = &q->s->library[i];
        if (!strcmp(a->device, q->device.card) && metric_article(q->l, &q->values, r, a)) r->library_rate = a->value;
    }
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
