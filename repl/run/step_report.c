/* step_report.c: records the results of launches: faults, printed lines, accesses of a traced warp;
 * and counters, source lines and usage of the card, summed over the launches. */
#include "step_runner.h"
#include "shell/child.h"
#include <stdlib.h>
#include <string.h>

/* Appends all of the record, or one fault, to the answer. */
static bool put_record(runner *k, const step_fault *fault)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (out && fault) record_write_fault(out, fault);
    else if (out) record_write(out, &k->r);
    const bool whole = out && !fflush(out) && !ferror(out), made = out && !fclose(out) && whole;
    if (!made) child_lost(k->c);
    const bool put = made && child_put(k->c, text, bytes);
    free(text);
    return put;
}

static void put_place(step_place *to, const sim_place *p)
{
    COPY(to->kernel, p->kernel);
    COPY(to->file, p->file);
    COPY(to->inlined_into, p->inlined_into);
    to->line = p->line;
    to->ptx_line = p->ptx_line;
    to->inlined_line = p->inlined_line;
    to->lanes = p->lanes;
    memcpy(to->block, p->block, sizeof to->block);
    memcpy(to->thread, p->thread, sizeof to->thread);
}

/* Written at once, so that it is known even if the run is killed. Notes leave a quarter of the room
 * to what fails, which may come after them: output that is found unwritten when it is judged. */
void report_fault(runner *k, const sim_fault *f)
{
    const int room = k->job->kind->faults_most;
    if (k->faults >= (f->note ? room - room / 4 : room)) return;
    step_fault to = {.kind = (int)f->kind,
                     .note = f->note,
                     .count = f->count,
                     .address = f->address,
                     .size = f->size,
                     .launch = k->r.launches};
    COPY(to.space, f->space);
    COPY(to.message, f->message);
    COPY(to.advice, f->advice);
    put_place(&to.at, &f->at);
    if (f->other.kernel) put_place(&to.other, &f->other);
    k->faults++;
    put_record(k, &to);
}

static void put_faults(runner *k, const sim_result *r)
{
    for (int i = 0; i < r->fault_count; i++) report_fault(k, &r->faults[i]);
}

/* Usage of the card over all launches: shares are weighted by cycles; the other values are those of
 * the longest launch. */
static void add_usage(runner *k, const sim_result *r)
{
    sim_usage *to = &k->r.usage;
    const sim_usage *u = &r->usage;
    double all = k->usage_cycles + (double)r->cycles, part = all > 0 ? (double)r->cycles / all : 0;
    double *shares[] = {&to->busy,     &to->issue,     &to->port, &to->dram,
                        &to->starting, &to->occupancy, &to->l2,   &to->error};
    const double add[] = {u->busy, u->issue, u->port, u->dram, u->starting, u->occupancy, u->l2, u->error};
    for (size_t i = 0; i < sizeof add / sizeof *add; i++) *shares[i] += (add[i] - *shares[i]) * part;
    to->dram_bytes += u->dram_bytes;
    to->timed_blocks += u->timed_blocks;
    to->sampled = to->sampled || u->sampled;
    if (r->cycles > k->longest) {
        k->longest = r->cycles;
        to->resident_blocks = u->resident_blocks;
        to->resident_warps = u->resident_warps;
        to->bound = u->bound;
        memcpy(to->over_time, u->over_time, sizeof to->over_time);
    }
    k->usage_cycles = all;
}

void report_counts(runner *k, const sim_result *r)
{
    sim_counters_add(&k->r.total, &r->total);
    k->r.host_seconds += r->host_seconds;
    k->cycles += r->cycles;
    if (r->chains.known) {
        k->r.has_chains = true;
        if (r->chains.steps > k->r.chain) k->r.chain = r->chains.steps;
        if (r->chains.hands > k->r.hand_overs) k->r.hand_overs = r->chains.hands;
        if (r->chains.places > k->r.places) k->r.places = r->chains.places;
        k->r.returns += r->chains.returns;
        if (r->chains.words > k->r.words) k->r.words = r->chains.words;
    }
    add_usage(k, r);
    k->job->kind->lines(k, r);
}

void report_forget(runner *k)
{
    memset(&k->r.total, 0, sizeof k->r.total);
    memset(&k->r.usage, 0, sizeof k->r.usage);
    if (k->line) memset(k->line, 0, k->line_most * sizeof *k->line);
    k->usage_cycles = 0;
    k->longest = k->cycles = 0;
}

void report_launch(runner *k, const sim_result *r)
{
    k->spent += r->total.warp_instructions;
    report_counts(k, r);
    put_faults(k, r);
    if (!k->again) k->job->kind->prints(k, r);
}

/* sim_run calls this for each access of the traced warp. */
void report_access(void *arg, const sim_access *a)
{
    runner *k = arg;
    const bool shared = !strcmp(a->space, "shared");
    if ((!shared && strcmp(a->space, "global")) || k->r.accesses == STEP_TRACE || !a->lanes) return;
    if (a->size > STEP_LANE_BYTES) return; /* what a copy unit moves has no lanes to be drawn */
    if (!k->r.access && !(k->r.access = calloc(STEP_TRACE, sizeof *k->r.access))) return;
    int first = 0;
    while (!(a->lanes >> first & 1)) first++;
    uint64_t base = 0;
    step_access *to = &k->r.access[k->r.accesses++];
    *to = (step_access){
        .line = a->line, .space = shared ? 's' : 'g', .kind = a->kind, .buffer = -1, .size = a->size, .mask = a->lanes};
    for (int i = 0; i < k->s->buffer_count && !shared; i++) {
        if (a->address[first] >= k->address[i] && a->address[first] - k->address[i] < k->bytes[i]) {
            to->buffer = i;
            base = k->address[i];
        }
    }
    for (int i = 0; i < 32; i++) to->address[i] = a->lanes >> i & 1 ? a->address[i] - base : 0;
}

/* The same for every warp, to find the thread that wrote an element. Names of buffers may be
 * swapped before the verdict, so all are watched. */
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
    dev_occupancy(k->dev, k->module, kernel, l, &k->r.occupancy);
    k->r.has_occupancy = k->r.occupancy.max_warps > 0;
}

/* Cycles as the article measured them: by the kernel's own clock, the latest end minus the earliest
 * start of a block; else the launches' cycles. */
int report_cycles(runner *k)
{
    double cycles = (double)k->cycles;
    if (!k->timed || !k->r.launches) return 0;
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
        k->r.block_cycles = (double)slowest;
    }
    const sim_card *card = dev_card(k->dev);
    k->r.has_cycles = true;
    k->r.cycles = cycles;
    k->r.seconds = sim_host_time_kernel(card, cycles, (uint64_t)k->r.launches);
    if (dev_info(k->dev)->simulated)
        k->r.total_seconds = sim_host_time_start(card) + k->host_side + k->r.launches * sim_host_time_launch(card) +
                             (double)k->cycles / (1000.0 * card->clock_khz);
    return 0;
}

static void useful(runner *k, const expr *e, int64_t *out)
{
    char why[160];
    int64_t v;
    if (e->count && expr_eval(e, runner_value, k, &v, why, sizeof why)) *out = v;
}

/* Keeps the first lines with any activity. */
static void pack_lines(runner *k)
{
    step_result *r = &k->r;
    for (size_t i = 0; i < k->line_most && r->lines < STEP_LESSON_LINES; i++)
        if (k->line[i].c.warp_instructions) k->line[r->lines++] = k->line[i];
    if (k->line) r->line = k->line;
}

/* The most that the card's tensor cores do at its clock, in operations per second; 0: not known. */
static double product_peak(const sim_card *card, enum lesson_type type)
{
    const int per_clock = type == TYPE_TF32                        ? card->peak_tf32
                          : type == TYPE_E4M3 || type == TYPE_E5M2 ? card->peak_f8
                                                                   : card->peak_f16;
    return 1e3 * card->clock_khz * card->multiprocessors * per_clock;
}

bool report_totals(runner *k)
{
    step_result *r = &k->r;
    useful(k, &k->s->bytes, &r->bytes);
    useful(k, &k->s->operations, &r->operations);
    useful(k, &k->s->each, &r->each);
    const sim_card *card = k->dev ? dev_card(k->dev) : NULL;
    for (int i = 0; i < 2 && card && card->host.pinned > 0 && dev_info(k->dev)->simulated; i++)
        r->copy_seconds[i] = sim_host_time_copy(card, r->to_card, i == 1);
    r->has_usage = k->usage_cycles > 0;
    if (k->s->has_peak && card)
        r->product_peak = k->s->peak == TYPE_F32 ? r->rate_peak : product_peak(card, k->s->peak);
    step_library(k->q, r);
    r->host_timed = k->host_op_seconds > 0;
    r->cpu_seconds = r->host_timed ? k->host_op_seconds : k->cpu_seconds;
    pack_lines(k);
    return put_record(k, NULL);
}
