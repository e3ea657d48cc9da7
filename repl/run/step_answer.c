/* step_answer.c: reads what the child wrote, one "key value ..." a line, into a step_result. The
 * child may have been ended at any moment or gone wrong: a line that is not as expected is passed
 * over, every number is bounded by its field. */
#include "step.h"
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    step_result *r;
    step_fault *fault; /* being filled */
    step_line *line;
} reader;

static uint64_t number(char **p) { return strtoull(*p, p, 10); }
static double real(char **p) { return strtod(*p, p); }
static int small(char **p)
{
    long v = strtol(*p, p, 10);
    return v > 1000000000 ? 1000000000 : v < -1000000000 ? -1000000000 : (int)v;
}

#define COPY(to, p) snprintf((to), sizeof(to), "%.*s", (int)(sizeof(to) - 1), (p))

static void read_counter(sim_counters *c, char *p)
{
    int index = small(&p), count;
    uint64_t v = number(&p);
    const sim_counter_info *info = sim_counter_infos(&count);
    if (index >= 1000 && index < 1000 + SIM_CLASSES) c->by_class[index - 1000] = v;
    else if (index >= 2000 && index < 2000 + SIM_STALLS) c->by_stall[index - 2000] = v;
    else if (index >= 0 && index < count) memcpy((char *)c + info[index].offset, &v, sizeof v);
}

static void read_card(step_result *r, char *p)
{
    char *blank = strchr(p, ' ');
    if (!blank) return;
    *blank = 0;
    COPY(r->card, p);
    p = blank + 1;
    r->cc_major = small(&p);
    r->cc_minor = small(&p);
    r->banks = small(&p);
    r->multiprocessors = small(&p);
    r->max_threads_per_mp = small(&p);
    r->max_blocks_per_mp = small(&p);
    r->shared_per_mp = small(&p);
    r->registers_per_mp = small(&p);
}

static void read_launch(step_result *r, char *p)
{
    for (int i = 0; i < 3; i++) r->grid[i] = (uint32_t)number(&p);
    for (int i = 0; i < 3; i++) r->block[i] = (uint32_t)number(&p);
    r->shared = (uint32_t)number(&p);
}

static void read_verdict(step_result *r, char *p)
{
    verdict *v = &r->verdict;
    v->correct = number(&p) == 1;
    v->wrong = number(&p);
    v->first = number(&p);
    v->exact_integers = number(&p) == 1;
    v->ours_integer = strtoll(p, &p, 10);
    v->reference_integer = strtoll(p, &p, 10);
    v->ours = real(&p);
    v->reference = real(&p);
    v->max_relative = real(&p);
    v->mean_relative = real(&p);
    v->max_absolute = real(&p);
    v->array = number(&p) == 1;
    r->judged = true;
}

static void read_result(step_result *r, char *p)
{
    char *blank = strchr(p, ' ');
    if (!blank) return;
    *blank = 0;
    int i = 0;
    while (i < r->results && strcmp(r->result_name[i], p)) i++;
    if (i == STEP_RESULTS) return;
    COPY(r->result_name[i], p);
    p = blank + 1;
    r->result[i] = real(&p);
    if (i == r->results) r->results++;
}

static void read_fault(reader *s, char *p)
{
    step_result *r = s->r;
    s->fault = NULL;
    char *blank = strchr(p, ' ');
    if (!blank || r->faults == STEP_FAULTS) return;
    s->fault = &r->fault[r->faults++];
    *blank = 0;
    COPY(s->fault->kind, p);
    p = blank + 1;
    s->fault->note = number(&p) == 1;
    s->fault->count = number(&p);
    s->fault->address = number(&p);
}

static void read_place(char *p, int *line, uint32_t block[3], uint32_t thread[3])
{
    *line = small(&p);
    for (int i = 0; i < 3; i++) block[i] = (uint32_t)number(&p);
    for (int i = 0; i < 3; i++) thread[i] = (uint32_t)number(&p);
}

static void read_line(reader *s, char *p)
{
    step_result *r = s->r;
    s->line = NULL;
    if (r->lines == STEP_LINES) return;
    if (!r->line && !(r->line = calloc(STEP_LINES, sizeof *r->line))) return;
    s->line = &r->line[r->lines++];
    s->line->line = small(&p);
}

static void read_access(step_result *r, char *p)
{
    if (r->accesses == STEP_TRACE || (!r->access && !(r->access = calloc(STEP_TRACE, sizeof *r->access)))) return;
    step_access *a = &r->access[r->accesses++];
    a->line = small(&p);
    while (*p == ' ') p++;
    if (strlen(p) < 4) return;
    a->space = p[0];
    a->kind = p[1];
    p += 2;
    a->buffer = small(&p);
    a->size = (uint32_t)number(&p);
    a->mask = (uint32_t)number(&p);
    for (int i = 0; i < 32; i++) a->address[i] = number(&p);
}

static void read_occupancy(step_result *r, char *p)
{
    sim_occupancy *o = &r->occupancy;
    int *field[] = {&o->threads,   &o->warps_per_block,      &o->registers, &o->shared_bytes, &o->blocks, &o->warps,
                    &o->max_warps, &o->busy_multiprocessors, &o->grid_warps};
    for (size_t i = 0; i < sizeof field / sizeof *field; i++) *field[i] = small(&p);
    for (int i = 0; i < SIM_LIMITS; i++) o->fit[i] = small(&p);
    int limit = small(&p);
    o->limit = limit >= 0 && limit < SIM_LIMITS ? (enum sim_limit)limit : SIM_LIMIT_THREADS;
    r->has_occupancy = o->max_warps > 0;
}

static void read_usage(step_result *r, char *p)
{
    sim_usage *u = &r->usage;
    int sampled = (int)number(&p);
    u->sampled = sampled != 0;
    u->unsteady = sampled > 1;
    u->timed_blocks = number(&p);
    u->resident_blocks = (uint32_t)number(&p);
    u->resident_warps = (uint32_t)number(&p);
    int bound = small(&p);
    u->bound = bound >= 0 && bound <= SIM_BOUND_FEW_BLOCKS ? (enum sim_bound)bound : SIM_BOUND_NONE;
    double *share[] = {&u->busy, &u->issue, &u->port, &u->dram, &u->starting, &u->occupancy, &u->dram_bytes, &u->l2};
    for (size_t i = 0; i < sizeof share / sizeof *share; i++) *share[i] = real(&p);
    r->has_usage = true;
}

static void read_gpu(step_timing *g, const char *key, char *p)
{
    static const struct {
        const char *key;
        size_t offset;
    } reals[] = {{"other", offsetof(step_timing, other)},       {"span", offsetof(step_timing, span)},
                 {"clock", offsetof(step_timing, clock_mhz)},   {"nominal", offsetof(step_timing, nominal_mhz)},
                 {"overhead", offsetof(step_timing, overhead)}, {"first", offsetof(step_timing, first)},
                 {"load", offsetof(step_timing, load)},         {"total", offsetof(step_timing, total)},
                 {"copy", offsetof(step_timing, copy_bytes)}};
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        if (!strcmp(key, reals[i].key)) {
            double v = real(&p);
            memcpy((char *)g + reals[i].offset, &v, sizeof v);
            return;
        }
    if (!strcmp(key, "timed")) {
        g->known = true;
        g->hot = number(&p) == 1;
        g->batch = small(&p);
        g->discarded = small(&p);
    } else if (!strcmp(key, "sample") && g->time.samples < STEP_SAMPLES) g->sample[g->time.samples++] = real(&p);
    else if (!strcmp(key, "card")) {
        g->memory_khz = small(&p);
        g->bus_bits = small(&p);
        g->lanes = small(&p);
    } else if (!strcmp(key, "driver")) COPY(g->driver, p);
    else if (!strcmp(key, "doubt")) COPY(g->doubt, p);
}

static void read_entry(reader *s, const char *key, char *p)
{
    step_result *r = s->r;
#define KEY(name) (!strcmp(key, (name)))
    if (KEY("counter")) read_counter(&r->total, p);
    else if (KEY("line-counter")) {
        if (s->line) read_counter(&s->line->c, p);
    } else if (KEY("line")) read_line(s, p);
    else if (KEY("access")) read_access(r, p);
    else if (KEY("card")) read_card(r, p);
    else if (KEY("card-title")) COPY(r->card_title, p);
    else if (KEY("launch")) read_launch(r, p);
    else if (KEY("occupancy")) read_occupancy(r, p);
    else if (KEY("usage")) read_usage(r, p);
    else if (!strncmp(key, "gpu-", 4)) read_gpu(&r->gpu, key + 4, p);
    else if (KEY("status")) r->status = small(&p);
    else if (KEY("compiler")) COPY(r->gpu.compiler, p);
    else if (KEY("launches")) r->launches = small(&p);
    else if (KEY("verdict")) read_verdict(r, p);
    else if (KEY("verdict-message")) COPY(r->verdict.message, p);
    else if (KEY("result")) read_result(r, p);
    else if (KEY("print")) {
        if (r->prints < STEP_PRINTS) COPY(r->print[r->prints++], p);
    } else if (KEY("prints-left-out")) r->prints_left_out = number(&p);
    else if (KEY("problem")) COPY(r->problem, p);
    else if (KEY("advice")) COPY(r->advice, p);
    else if (KEY("to-card")) r->to_card = number(&p);
    else if (KEY("from-card")) r->from_card = number(&p);
    else if (KEY("host-elements")) r->host_elements = number(&p);
    else if (KEY("cycles")) {
        r->cycles = real(&p);
        r->has_cycles = true;
    } else if (KEY("writer")) {
        read_place(p, &r->writer_line, r->writer_block, r->writer_thread);
        r->has_writer = true;
    } else if (KEY("cache")) {
        r->cache = number(&p) == CACHE_HOT ? CACHE_HOT : CACHE_COLD;
        size_t n = strlen(r->device);
        if (r->cache == CACHE_HOT) /* another thing than a cold run, in every row and in the journal */
            snprintf(r->device + n, sizeof r->device - n, ", hot");
    } else if (KEY("peaks")) {
        r->rate_peak = real(&p);
        r->memory_peak = real(&p);
        r->double_price = real(&p);
    } else if (KEY("total-seconds")) r->total_seconds = real(&p);
    else if (KEY("block-cycles")) r->block_cycles = real(&p);
    else if (KEY("seconds")) r->seconds = real(&p);
    else if (KEY("host-timed")) r->host_timed = number(&p) == 1;
    else if (KEY("cpu-threads")) r->cpu_threads = small(&p);
    else if (KEY("cpu-seconds")) r->cpu_seconds = real(&p);
    else if (KEY("host-seconds")) r->host_seconds = real(&p);
    else if (KEY("bytes")) r->bytes = strtoll(p, NULL, 10);
    else if (KEY("max-ulp")) r->verdict.max_ulp = real(&p);
    else if (KEY("copy-seconds")) {
        r->copy_seconds[0] = real(&p);
        r->copy_seconds[1] = real(&p);
    } else if (KEY("each")) r->each = strtoll(p, NULL, 10);
    else if (KEY("operations")) r->operations = strtoll(p, NULL, 10);
    else if (KEY("complete")) r->complete = true;
    else if (KEY("fault")) read_fault(s, p);
    else if (s->fault) {
        step_fault *f = s->fault;
        if (KEY("fault-at")) read_place(p, &f->line, f->block, f->thread);
        else if (KEY("fault-other")) {
            read_place(p, &f->other_line, f->other_block, f->other_thread);
            f->has_other = true;
        } else if (KEY("fault-kernel")) COPY(f->kernel, p);
        else if (KEY("fault-file")) COPY(f->file, p);
        else if (KEY("fault-message")) COPY(f->message, p);
        else if (KEY("fault-advice")) COPY(f->advice, p);
    }
#undef KEY
}

void step_answer_read(step_result *r, char *answer, size_t bytes) { step_answers_read(r, 1, answer, bytes); }

void step_answers_read(step_result *r, int count, char *answer, size_t bytes)
{
    reader s = {.r = r};
    char *end = answer ? answer + bytes : NULL;
    for (char *p = answer, *stop; p && p < end; p = stop + 1) {
        stop = memchr(p, '\n', (size_t)(end - p));
        if (!stop) break; /* cut off: the last line may be half a number */
        *stop = 0;
        char *blank = memchr(p, ' ', (size_t)(stop - p));
        if (!blank) continue;
        *blank = 0;
        char *value = blank + 1;
        if (!strcmp(p, "job")) {
            int job = small(&value);
            if (job >= 0 && job < count) s = (reader){.r = &r[job]};
        } else {
            read_entry(&s, p, value);
        }
    }
}
