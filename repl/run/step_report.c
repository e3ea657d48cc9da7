/* step_report.c: what launches showed, as lines of the child's answer: faults, what the kernel
 * printed, accesses of a traced warp at once; counters, source lines and the use of the card added
 * up over the launches and written at the end. step_answer.c reads these lines.
 */
#include "step_runner.h"
#include "shell/child.h"
#include <stdlib.h>
#include <string.h>

void report_place(runner *k, const char *key, const sim_place *p)
{
    child_printf(k->c, "%s %d %u %u %u %u %u %u\n", key, p->line, p->block[0], p->block[1], p->block[2], p->thread[0],
                 p->thread[1], p->thread[2]);
}

void report_fault(runner *k, const sim_fault *f)
{
    if (k->faults < STEP_FAULTS) {
        k->faults++;
        child_printf(k->c, "fault %s %d %llu %llu\n", sim_fault_name(f->kind), f->note, (unsigned long long)f->count,
                     (unsigned long long)f->address);
        report_place(k, "fault-at", &f->at);
        if (f->other.kernel) report_place(k, "fault-other", &f->other);
        runner_text(k, "fault-kernel", f->at.kernel);
        runner_text(k, "fault-file", f->at.file);
        runner_text(k, "fault-message", f->message);
        runner_text(k, "fault-advice", f->advice);
    }
}

static void put_faults(runner *k, const sim_result *r)
{
    for (int i = 0; i < r->fault_count; i++) report_fault(k, &r->faults[i]);
}

/* What the kernel printed, line by line: a line may come from several calls of printf. */
static void put_prints(runner *k, const sim_result *r)
{
    char line[160];
    size_t used = 0;
    if (k->again) return;
    for (int i = 0; i < r->print_count; i++)
        for (const char *p = r->prints[i].text; *p; p++) {
            bool end = *p == '\n';
            if (!end && used < sizeof line - 1) line[used++] = *p;
            if (!end && (p[1] || i + 1 < r->print_count)) continue;
            line[used] = 0;
            used = 0;
            if (k->prints++ < STEP_PRINTS) runner_text(k, "print", line);
        }
    k->prints += r->prints_left_out;
    if (k->prints > STEP_PRINTS)
        child_printf(k->c, "prints-left-out %llu\n", (unsigned long long)(k->prints - STEP_PRINTS));
}

static void add_counters(sim_counters *to, const sim_counters *from)
{
    int count;
    const sim_counter_info *info = sim_counter_infos(&count);
    for (int i = 0; i < count; i++) {
        uint64_t a, b;
        memcpy(&a, (char *)to + info[i].offset, sizeof a);
        memcpy(&b, (const char *)from + info[i].offset, sizeof b);
        a = info[i].maximum ? (a > b ? a : b) : a + b;
        memcpy((char *)to + info[i].offset, &a, sizeof a);
    }
    for (int i = 0; i < SIM_CLASSES; i++) to->by_class[i] += from->by_class[i];
    for (int i = 0; i < SIM_STALLS; i++) to->by_stall[i] += from->by_stall[i];
}

static void put_counters(runner *k, const char *key, const sim_counters *c)
{
    int count;
    const sim_counter_info *info = sim_counter_infos(&count);
    for (int i = 0; i < count; i++) {
        uint64_t v;
        memcpy(&v, (const char *)c + info[i].offset, sizeof v);
        if (v) child_printf(k->c, "%s %d %llu\n", key, i, (unsigned long long)v);
    }
    for (int i = 0; i < SIM_CLASSES; i++)
        if (c->by_class[i]) child_printf(k->c, "%s %d %llu\n", key, 1000 + i, (unsigned long long)c->by_class[i]);
    for (int i = 0; i < SIM_STALLS; i++)
        if (c->by_stall[i]) child_printf(k->c, "%s %d %llu\n", key, 2000 + i, (unsigned long long)c->by_stall[i]);
}

/* How the launches used the card: shares weigh by their cycles, the rest is the longest launch's.
 */
static void add_usage(runner *k, const sim_result *r)
{
    sim_usage *to = &k->usage;
    const sim_usage *u = &r->usage;
    double all = k->usage_cycles + (double)r->cycles, part = all > 0 ? (double)r->cycles / all : 0;
    double *shares[] = {&to->busy, &to->issue, &to->port, &to->dram, &to->starting, &to->occupancy, &to->l2};
    const double add[] = {u->busy, u->issue, u->port, u->dram, u->starting, u->occupancy, u->l2};
    for (size_t i = 0; i < sizeof add / sizeof *add; i++) *shares[i] += (add[i] - *shares[i]) * part;
    to->dram_bytes += u->dram_bytes;
    to->timed_blocks += u->timed_blocks;
    to->sampled = to->sampled || u->sampled;
    to->unsteady = to->unsteady || u->unsteady;
    if (r->cycles > k->longest) {
        k->longest = r->cycles;
        to->resident_blocks = u->resident_blocks;
        to->resident_warps = u->resident_warps;
        to->bound = u->bound;
    }
    k->usage_cycles = all;
}

static void put_usage(runner *k)
{
    const sim_usage *u = &k->usage;
    if (k->usage_cycles > 0)
        child_printf(k->c, "usage %d %llu %u %u %d %.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g\n", u->sampled + u->unsteady,
                     (unsigned long long)u->timed_blocks, u->resident_blocks, u->resident_warps, (int)u->bound, u->busy,
                     u->issue, u->port, u->dram, u->starting, u->occupancy, u->dram_bytes, u->l2);
}

static void add_lines(runner *k, const sim_result *r)
{
    for (int i = 0; i < r->line_count; i++) {
        const sim_line *l = &r->lines[i];
        size_t name = strlen(k->s->kernel_file), length = l->file ? strlen(l->file) : 0;
        if (length < name || strcmp(l->file + length - name, k->s->kernel_file) || l->line < 0 || l->line >= 10000)
            continue;
        if (l->line >= k->line_most) {
            int most = l->line + 64;
            sim_counters *more = realloc(k->line, (size_t)most * sizeof *more);
            if (!more) return;
            memset(more + k->line_most, 0, (size_t)(most - k->line_most) * sizeof *more);
            k->line = more;
            k->line_most = most;
        }
        add_counters(&k->line[l->line], &l->c);
    }
}

void report_counts(runner *k, const sim_result *r)
{
    add_counters(&k->total, &r->total);
    k->sim_seconds += r->host_seconds;
    k->cycles += r->cycles;
    add_usage(k, r);
    add_lines(k, r);
}

void report_forget(runner *k)
{
    memset(&k->total, 0, sizeof k->total);
    memset(&k->usage, 0, sizeof k->usage);
    if (k->line) memset(k->line, 0, (size_t)k->line_most * sizeof *k->line);
    k->usage_cycles = 0;
    k->longest = k->cycles = 0;
}

void report_launch(runner *k, const sim_result *r)
{
    k->spent += r->total.warp_instructions;
    report_counts(k, r);
    put_faults(k, r);
    put_prints(k, r);
}

/* sim_run calls this for each access of the traced warp. */
void report_access(void *arg, const sim_access *a)
{
    runner *k = arg;
    bool shared = !strcmp(a->space, "shared");
    if ((!shared && strcmp(a->space, "global")) || k->accesses == STEP_TRACE || !a->lanes) return;
    k->accesses++;
    int first = 0, buffer = -1;
    while (!(a->lanes >> first & 1)) first++;
    uint64_t base = 0;
    for (int i = 0; i < k->s->buffer_count && !shared; i++) {
        if (a->address[first] >= k->address[i] && a->address[first] - k->address[i] < k->bytes[i]) {
            buffer = i;
            base = k->address[i];
        }
    }
    child_printf(k->c, "access %d %c%c %d %u %u", a->line, shared ? 's' : 'g', a->kind, buffer, a->size, a->lanes);
    for (int i = 0; i < 32; i++)
        child_printf(k->c, " %llu", (unsigned long long)(a->lanes >> i & 1 ? a->address[i] - base : 0));
    child_printf(k->c, "\n");
}

/* The same for every warp, when somebody asks who wrote an element. Buffers may have been swapped
 * by the time it is judged, so each is watched. */
void report_writer(void *arg, const sim_access *a)
{
    runner *k = arg;
    if (a->kind == 'r' || strcmp(a->space, "global")) return;
    for (int i = 0; i < k->s->buffer_count; i++) {
        uint32_t bytes = (uint32_t)lesson_types[k->host[i].type].bytes;
        uint64_t packed = k->q->writer_element * bytes, at = k->address[i] + packed;
        if (k->row[i] && k->row[i] < k->pitch[i])
            at = k->address[i] + packed / k->row[i] * k->pitch[i] + packed % k->row[i];
        if (k->q->writer_element >= k->host[i].count) continue;
        for (uint32_t lane = 0; lane < 32; lane++) {
            if (!(a->lanes >> lane & 1) || a->address[lane] >= at + bytes || a->address[lane] + a->size <= at) continue;
            uint32_t t = a->warp * 32 + lane;
            k->writer[i].line = a->line;
            memcpy(k->writer[i].block, a->block, sizeof a->block);
            k->writer[i].thread[0] = t % k->block[0];
            k->writer[i].thread[1] = t / k->block[0] % k->block[1];
            k->writer[i].thread[2] = t / k->block[0] / k->block[1];
        }
    }
}

void report_occupancy(runner *k, const sim_kernel *kernel, const sim_launch *l)
{
    sim_occupancy o;
    dev_occupancy(k->dev, k->module, kernel, l, &o);
    child_printf(k->c, "occupancy %d %d %d %d %d %d %d %d %d", o.threads, o.warps_per_block, o.registers,
                 o.shared_bytes, o.blocks, o.warps, o.max_warps, o.busy_multiprocessors, o.grid_warps);
    for (int i = 0; i < SIM_LIMITS; i++) child_printf(k->c, " %d", o.fit[i]);
    child_printf(k->c, " %d\n", (int)o.limit);
}

/* Cycles as the article took them: by the kernel's own clock, latest end minus earliest start of a
 * block; else the launches'. */
int report_cycles(runner *k)
{
    double cycles = (double)k->cycles;
    if (!k->timed || !k->launches) return 0;
    if (k->s->clock >= 0) {
        cpu_value v;
        int status = runner_read(k, k->s->clock, &v);
        if (status) return status;
        uint64_t blocks = v.count / 2;
        int64_t first = INT64_MAX, last = INT64_MIN, slowest = 0;
        for (uint64_t i = 0; i < blocks; i++) {
            int64_t start = cpu_integer(&v, i), end = cpu_integer(&v, blocks + i);
            first = start < first ? start : first;
            last = end > last ? end : last;
            if (end > start && end - start > slowest) slowest = end - start;
        }
        cpu_value_free(&v);
        if (blocks && last > first) cycles = (double)last - (double)first;
        if (slowest) child_printf(k->c, "block-cycles %lld\n", (long long)slowest);
    }
    const sim_card *card = dev_card(k->dev);
    child_printf(k->c, "cycles %.0f\nseconds %.9g\n", cycles,
                 sim_host_time_kernel(card, cycles, (uint64_t)k->launches));
    if (dev_info(k->dev)->simulated)
        child_printf(k->c, "total-seconds %.9g\n",
                     sim_host_time_start(card) + k->host_side + k->launches * sim_host_time_launch(card) +
                         (double)k->cycles / (1000.0 * card->clock_khz));
    return 0;
}

void report_totals(runner *k)
{
    int64_t useful;
    char why[160];
    if (k->s->bytes.count && expr_eval(&k->s->bytes, runner_value, k, &useful, why, sizeof why))
        child_printf(k->c, "bytes %lld\n", (long long)useful);
    if (k->s->operations.count && expr_eval(&k->s->operations, runner_value, k, &useful, why, sizeof why))
        child_printf(k->c, "operations %lld\n", (long long)useful);
    if (k->s->each.count && expr_eval(&k->s->each, runner_value, k, &useful, why, sizeof why))
        child_printf(k->c, "each %lld\n", (long long)useful);
    const sim_card *card = k->dev ? dev_card(k->dev) : NULL;
    if (card && card->host.pinned > 0 && dev_info(k->dev)->simulated)
        child_printf(k->c, "copy-seconds %.9g %.9g\n", sim_host_time_copy(card, k->to_card, false),
                     sim_host_time_copy(card, k->to_card, true));
    put_counters(k, "counter", &k->total);
    put_usage(k);
    for (int i = 0, n = 0; i < k->line_most && n < STEP_LINES; i++)
        if (k->line[i].warp_instructions) {
            child_printf(k->c, "line %d\n", i);
            put_counters(k, "line-counter", &k->line[i]);
            n++;
        }
    child_printf(k->c, "launches %d\nfrom-card %llu\nhost-elements %llu\ncpu-seconds %.9g\nhost-seconds %.9g\n",
                 k->launches, (unsigned long long)k->from_card, (unsigned long long)k->host_elements,
                 k->host_op_seconds > 0 ? k->host_op_seconds : k->cpu_seconds, k->sim_seconds);
    child_printf(k->c, "host-timed %d\ncpu-threads %d\n", k->host_op_seconds > 0, k->cpu_threads);
}
