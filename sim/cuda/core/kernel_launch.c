/* kernel_launch.c: one kernel launch: what the card refuses, running it, what it says and what went wrong. */
#include "core.h"
#include "cuda/abi.h"
#include "list.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The size of a launch's clusters; false: the kernel has another. */
bool function_cluster(const function *f, const sim_kernel *k, const uint32_t asked[3], uint32_t out[3])
{
    const uint32_t *fixed = k->required_cluster[0] ? k->required_cluster : f->cluster;
    bool fits = true;
    for (int i = 0; i < 3; i++) {
        const uint32_t wanted = asked[0] ? (asked[i] ? asked[i] : 1) : 0;
        out[i] = fixed[0] ? (fixed[i] ? fixed[i] : 1) : wanted ? wanted : 1;
        fits &= !wanted || wanted == out[i];
    }
    return fits;
}

void launch_asked(launch_config *c, const launch_attribute *list, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const launch_attribute *a = &list[i];
        const dim3 size = a->value.dim;
        if (a->id == LAUNCH_COOPERATIVE) c->cooperative = a->value.number;
        if (a->id == LAUNCH_DEPENDENT) c->dependent = a->value.number;
        if (a->id == LAUNCH_CLUSTER) c->cluster[0] = size.x, c->cluster[1] = size.y, c->cluster[2] = size.z;
    }
}

int function_set_cluster(function *f, const sim_kernel *k, int attribute, int value)
{
    if (value < 0) return E_InvalidValue;
    if (attribute >= FUNCTION_CLUSTER && attribute < FUNCTION_CLUSTER + 3) {
        if (k->required_cluster[0]) return E_InvalidValue; /* fixed when it was compiled */
        f->cluster[attribute - FUNCTION_CLUSTER] = (uint32_t)value;
    } else if (attribute == FUNCTION_LARGE_CLUSTER) {
        f->large_cluster = value;
    }
    return E_OK;
}

int function_get_cluster(const function *f, const sim_kernel *k, int attribute)
{
    const uint32_t *fixed = k->required_cluster[0] ? k->required_cluster : f->cluster;
    if (attribute == FUNCTION_CLUSTER_MUST) return k->required_cluster[0] || k->explicit_cluster;
    if (attribute >= FUNCTION_CLUSTER && attribute < FUNCTION_CLUSTER + 3)
        return (int)fixed[attribute - FUNCTION_CLUSTER];
    return attribute == FUNCTION_LARGE_CLUSTER && f->large_cluster;
}

int function_most_threads(const sim_card *card, const sim_kernel *k)
{
    const uint32_t one[3] = {1, 1, 1};
    int most = card->max_threads_per_block;
    if (k->max_threads && (int)k->max_threads < most) most = (int)k->max_threads;
    for (; most > 32; most = (most - 1) / 32 * 32) {
        sim_occupancy o;
        sim_occupancy_of(card, k, one, (uint32_t[3]){(uint32_t)most, 1, 1}, 0, &o);
        if (o.blocks) break;
    }
    return most;
}

enum { CLUSTER_PORTABLE = 8, CLUSTER_LARGE = 16 };

/* ---- what the card refuses ---- */
static _Thread_local char because[300];      /* why the thread's last launch was refused; "": not by what it is like */
static _Thread_local const char *because_of; /* the same without its numbers */

int launch_refuse(int code, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(because, sizeof because, fmt, args);
    va_end(args);
    because_of = fmt;
    return code;
}

const char *launch_reason(void)
{
    static _Thread_local char last[sizeof because];
    memcpy(last, because, sizeof last);
    *because = 0;
    return last;
}

int launch_answer(const launch_config *c, int code)
{
    const char *reason = launch_reason();
    if (code && *reason) record_unrun(c, code, because_of, reason);
    return code;
}

static int check_cluster(const sim_card *card, const launch_config *c, const sim_kernel *k, int blocks)
{
    uint32_t size[3];
    if (!function_cluster(c->f, k, c->cluster, size))
        return launch_refuse(E_InvalidClusterSize, "the kernel was compiled for clusters of another size");
    if (k->explicit_cluster && !c->cluster[0] && !c->f->cluster[0] && !k->required_cluster[0])
        return launch_refuse(E_InvalidClusterSize, "the kernel needs a cluster size, and the launch gives none");
    uint64_t all = 1;
    for (int i = 0; i < 3; i++) {
        if (size[i] > CLUSTER_LARGE || c->grid[i] % size[i])
            return launch_refuse(E_InvalidClusterSize,
                                 "the grid cannot be divided into clusters of %u x %u x %u blocks", size[0], size[1],
                                 size[2]);
        all *= size[i];
    }
    if (all == 1) return E_OK;
    if (card->cc_major < 9) return launch_refuse(E_NotSupported, "clusters need compute capability 9.0");
    const uint32_t most = c->f->large_cluster ? CLUSTER_LARGE : CLUSTER_PORTABLE;
    if (all > most || (k->most_cluster && all > k->most_cluster))
        return launch_refuse(E_InvalidClusterSize, "%llu blocks to a cluster; at most %u are allowed",
                             (unsigned long long)all,
                             k->most_cluster && k->most_cluster < most ? k->most_cluster : most);
    if (sim_occupancy_clusters(card, blocks, (int)all) < 1)
        return launch_refuse(E_InvalidClusterSize, "no part of the card holds a cluster of %llu such blocks",
                             (unsigned long long)all);
    return E_OK;
}

/* The grid's size and the block's. */
static int check_size(const sim_card *card, const launch_config *c, uint64_t *threads)
{
    const uint64_t grid_most[3] = {(uint64_t)card->max_grid_x, (uint64_t)card->max_grid_y, (uint64_t)card->max_grid_z};
    const uint32_t block_most[3] = {(uint32_t)card->max_block_x, (uint32_t)card->max_block_y,
                                    (uint32_t)card->max_block_z};
    *threads = 1;
    for (int i = 0; i < 3; i++)
        if (__builtin_mul_overflow(*threads, c->block[i], threads)) *threads = UINT64_MAX;
    if (*threads > (uint64_t)card->max_threads_per_block)
        return launch_refuse(E_InvalidConfiguration, "blocks of %llu threads; the card allows %d",
                             (unsigned long long)*threads, card->max_threads_per_block);
    for (int i = 0; i < 3; i++) {
        if (!c->grid[i] || !c->block[i])
            return launch_refuse(E_InvalidConfiguration,
                                 "a grid of %u x %u x %u blocks of %u x %u x %u threads is empty", c->grid[0],
                                 c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2]);
        if (c->grid[i] > grid_most[i])
            return launch_refuse(E_InvalidConfiguration, "%u blocks in %c; the card allows %llu", c->grid[i], "xyz"[i],
                                 (unsigned long long)grid_most[i]);
        if (c->block[i] > block_most[i])
            return launch_refuse(E_InvalidConfiguration, "blocks of %u threads in %c; the card allows %u", c->block[i],
                                 "xyz"[i], block_most[i]);
    }
    return E_OK;
}

static int check_shared(const sim_card *card, const launch_config *c, const sim_kernel *k)
{
    const uint64_t plain = 48 << 10; /* more than that has to be asked for */
    const uint64_t most = (uint64_t)card->shared_per_block < plain ? (uint64_t)card->shared_per_block : plain;
    const uint64_t all = c->shared + (uint64_t)k->shared_bytes;
    if (all > (uint64_t)card->shared_per_block)
        return launch_refuse(E_InvalidValue, "blocks with %llu bytes of shared memory; the card allows %d",
                             (unsigned long long)all, card->shared_per_block);
    if (c->shared && all > most && c->shared > (uint64_t)c->f->dynamic_shared)
        return launch_refuse(E_InvalidValue,
                             "blocks with %llu bytes of shared memory; more than %llu have to be asked for by "
                             "cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES)",
                             (unsigned long long)all, (unsigned long long)most);
    return E_OK;
}

static int check_bounds(const launch_config *c, const sim_kernel *k, uint64_t threads)
{
    if (k->max_threads && threads > k->max_threads)
        return launch_refuse(E_InvalidValue, "blocks of %llu threads; the kernel was compiled for at most %u",
                             (unsigned long long)threads, k->max_threads);
    for (int i = 0; i < 3; i++)
        if (k->required_block[i] && k->required_block[i] != c->block[i])
            return launch_refuse(
                E_InvalidValue, "blocks of %u x %u x %u threads; the kernel was compiled for %u x %u x %u", c->block[0],
                c->block[1], c->block[2], k->required_block[0], k->required_block[1], k->required_block[2]);
    return E_OK;
}

int launch_check(device *d, const launch_config *c, const sim_kernel *k)
{
    const sim_card *card = sim_card_of(d->s);
    uint64_t threads;
    int code = check_size(card, c, &threads);
    if (!code) code = check_shared(card, c, k);
    if (!code) code = check_bounds(c, k, threads);
    if (code) return code;
    sim_occupancy o;
    sim_occupancy_of(card, k, c->grid, c->block, c->shared, &o);
    if (!o.fit[SIM_LIMIT_REGISTERS])
        return launch_refuse(E_LaunchOutOfResources,
                             "blocks of %llu threads with %d registers or more for each; a multiprocessor has %d",
                             (unsigned long long)threads, k->registers_least ? k->registers_least : k->registers,
                             card->registers_per_mp);
    if (!o.blocks)
        return launch_refuse(E_LaunchOutOfResources, "a multiprocessor has no room for a block of %llu threads",
                             (unsigned long long)threads);
    const uint64_t at_once = (uint64_t)o.blocks * (uint64_t)card->multiprocessors;
    const uint64_t blocks = (uint64_t)c->grid[0] * c->grid[1] * c->grid[2];
    if (c->cooperative && blocks > at_once)
        return launch_refuse(
            E_CooperativeLaunchTooLarge,
            "%llu blocks; a cooperative launch needs all of them on the card at once, which holds %llu",
            (unsigned long long)blocks, (unsigned long long)at_once);
    return check_cluster(card, c, k, o.blocks);
}

/* `args`: a pointer to each parameter, or NULL; then `block` is the whole parameter block. */
int submit_launch(stream *st, const launch_config *c, void **args, const void *block, size_t block_bytes)
{
    device *d = st->device;
    const sim_kernel *k;
    int code = core_fault(d);
    if (!code) code = function_resolve(c->f, d, &k);
    if (code == E_InvalidDeviceFunction) return launch_refuse(code, "the program's code has no such kernel");
    if (!code) code = launch_check(d, c, k);
    if (code) return code;
    if (!args && k->params && (!block || block_bytes < k->param_bytes))
        return launch_refuse(E_InvalidValue, "its arguments are missing, or too few");
    op *o = calloc(1, sizeof *o);
    unsigned char *params = calloc(1, (size_t)k->param_bytes + 1);
    if (!o || !params) {
        free(o);
        free(params);
        return E_MemoryAllocation;
    }
    for (int i = 0; args && i < k->params; i++)
        if (args[i]) memcpy(params + k->param[i].offset, args[i], k->param[i].size);
    if (!args && k->param_bytes) memcpy(params, block, k->param_bytes);
    o->kind = OP_LAUNCH;
    o->u.launch.config = *c;
    o->u.launch.params = params;
    o->u.launch.param_bytes = k->param_bytes;
    return submit(st, o, false);
}

int submit_copy(stream *st, const copy *c, bool async)
{
    const int code = copy_check(c);
    if (code) return code;
    op *o = calloc(1, sizeof *o);
    if (!o) return E_MemoryAllocation;
    device *other = copy_other(st->device, c);
    if (other && !async) wait_sequence(other, other->asked); /* it waits for the work of both */
    o->kind = OP_COPY;
    o->u.copy = *c;
    return submit(st, o, !async || (!st->capture && copy_waits(c)));
}

int submit_fill(stream *st, const fill *f, bool async)
{
    const int code = fill_check(f);
    if (code || !f->width || !f->height) return code;
    op *o = calloc(1, sizeof *o);
    if (!o) return E_MemoryAllocation;
    (void)async; /* the host never waits for a fill of the card's memory */
    o->kind = OP_FILL;
    o->u.fill = *f;
    return submit(st, o, false);
}

/* ---- what kernels print ---- */

static void keep_print(device *d, const char *text)
{
    const size_t bytes = strlen(text);
    if (!list_room(&d->printed, &d->printed_room, d->printed_bytes + bytes + 1, 1)) return;
    memcpy(d->printed + d->printed_bytes, text, bytes);
    d->printed_bytes += bytes;
}

void print_flush(device *d)
{
    if (!d->printed_bytes) return;
    fwrite(d->printed, 1, d->printed_bytes, stdout);
    d->printed_bytes = 0;
}

/* ---- running ---- */

/* With the lock: what is worth knowing about a kernel. */
static void say_once(function *f, unsigned what)
{
    if (f->said & what) return;
    f->said |= what;
    if (what == SAID_MET_HOST)
        record_note("%s reads memory that the host can change while it runs (volatile, acquire or atomic): its time "
                    "may differ from run to run",
                    f->name);
    else if (what == SAID_PRINTS_LOST)
        record_note("%s printed more than the card's buffer for printf holds: what did not fit was lost. "
                    "cudaDeviceSetLimit(cudaLimitPrintfFifoSize, BYTES) enlarges it",
                    f->name);
    else record_note("%s ran while a kernel of another stream waited: it was not simulated with the clock", f->name);
}

static void say_fewer(function *f, const sim_occupancy *o)
{
    pthread_mutex_lock(&core_lock);
    if (!(f->said & SAID_FEWER))
        record_note("%s is estimated to take %d registers for each thread, too many for its blocks of %d threads. The "
                    "estimate may be too high: it ran with the %d that fit",
                    f->name, o->estimate, o->threads, o->registers);
    f->said |= SAID_FEWER;
    pthread_mutex_unlock(&core_lock);
}

static int code_of(const sim_result *r)
{
    for (int i = 0; i < r->fault_count; i++) {
        const sim_fault *f = &r->faults[i];
        if (f->note || f->passes) continue;
        switch (f->kind) {
        case SIM_FAULT_OUT_OF_BOUNDS:
        case SIM_FAULT_USE_AFTER_FREE: return E_IllegalAddress;
        case SIM_FAULT_READ_ONLY: return E_IllegalAddress;
        case SIM_FAULT_MISALIGNED: return E_MisalignedAddress;
        case SIM_FAULT_TRAP: return f->assertion ? E_Assert : E_LaunchFailure;
        case SIM_FAULT_STACK_OVERFLOW: return E_HardwareStackError;
        case SIM_FAULT_BAD_CALL: return E_InvalidPc;
        case SIM_FAULT_UNINITIALISED:
        case SIM_FAULT_RACE:
        case SIM_FAULT_SAME_VALUE:
        case SIM_FAULT_BARRIER_DIVERGENCE: continue; /* a card does not notice */
        default: return E_LaunchFailure;
        }
    }
    return E_OK;
}

/* "FILE:LINE: FUNCTION: block: [..], thread: [..] Assertion `..` failed." */
static void say_assert(const launch_config *c, const sim_result *r)
{
    for (int i = 0; i < r->fault_count; i++) {
        const sim_fault *f = &r->faults[i];
        const char *what = f->assertion ? f->message + f->assertion : NULL;
        const char *colon = what ? strstr(what, ": ") : NULL;
        if (!colon) continue;
        const uint32_t *of = c->block, first = f->at.thread[0] + of[0] * (f->at.thread[1] + of[1] * f->at.thread[2]);
        for (uint32_t lane = 0; lane < 32; lane++) { /* each thread of the warp that fails says so */
            if (!(f->at.lanes >> lane & 1)) continue;
            const uint32_t t = first / 32 * 32 + lane;
            fprintf(stderr, "%.*s: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
                    (int)(colon - what), what, f->at.kernel ? f->at.kernel : "", f->at.block[0], f->at.block[1],
                    f->at.block[2], t % of[0], t / of[0] % of[1], t / of[0] / of[1], colon + 2);
        }
    }
}

/* Of the warp instructions that all launches of the program may take together: those that are left. */
static uint64_t budget_left(uint64_t took)
{
    static uint64_t spent;
    spent += took;
    return core_options.budget > spent ? core_options.budget - spent : 1; /* 0 would be no limit */
}

static int launch_alone(device *d, op *o, double *seconds, double *share)
{
    const launch_config *c = &o->u.launch.config;
    const sim_card *card = sim_card_of(d->s);
    uint32_t cluster[3] = {0};
    if (c->cluster[0] || c->f->cluster[0]) function_cluster(c->f, c->f->kernel[d->ordinal], c->cluster, cluster);
    *seconds = 0;
    *share = 1;
    sim_launch l = {.kernel = c->f->name,
                    .grid = {c->grid[0], c->grid[1], c->grid[2]},
                    .block = {c->block[0], c->block[1], c->block[2]},
                    .cluster = {cluster[0], cluster[1], cluster[2]},
                    .cluster_large = c->f->large_cluster,
                    .shared_bytes = c->shared,
                    .heap_bytes = d->limits[2],
                    .params = o->u.launch.params,
                    .param_bytes = o->u.launch.param_bytes,
                    .timed = core_options.timed,
                    .cooperative = c->cooperative,
                    .dependent = c->dependent && d->launched_in == o->stream,
                    .checks = core_options.checks,
                    .start_ns = (uint64_t)(o->began * 1e9) + 1,
                    .max_output = d->limits[1],
                    .exact = core_options.exact,
                    .counts = (core_options.lines ? SIM_COUNT_LINES : 0) |
                              (core_options.lines || core_options.counts ? SIM_COUNT_MEMORY : 0),
                    .pages = true,
                    .meanwhile = o->give_way,
                    .meanwhile_arg = o->of ? o->of : o};
    const bool alone = d->active == 1;
    sim_occupancy occ;
    sim_occupancy_of(card, c->f->kernel[d->ordinal], c->grid, c->block, c->shared, &occ);
    if (occ.estimate) say_fewer(c->f, &occ);
    const double blocks = (double)c->grid[0] * c->grid[1] * c->grid[2];
    const double fit = (double)occ.blocks * card->multiprocessors;
    *share = fit > 0 && blocks < fit ? blocks / fit : 1;
    const bool each =
        core_options.exact || core_options.lines || core_options.counts; /* no launch stands for another */
    repeat *again = alone && !each ? repeat_find(d, c, o->u.launch.params, o->u.launch.param_bytes) : NULL;
    repeat *shape = core_options.timed && !each ? repeat_find(d, c, NULL, 0) : NULL;
    repeat *family = shape ? repeat_family(d, c) : NULL;
    if (again && repeat_known(d, again)) {
        *seconds = core_options.timed ? again->seconds : 0; /* it took no real time */
        pthread_mutex_lock(&core_lock);
        record_launch(d, c, &again->result, *seconds, false, 0);
        pthread_mutex_unlock(&core_lock);
        snapshot_took(c, *seconds);
        return E_OK;
    }
    changes_settle(d);
    if (shape) repeat_begins(shape, o->u.launch.params, o->u.launch.param_bytes);
    repeat *known = repeat_steady(shape) ? shape : repeat_stands_in(family, shape, c) ? family : NULL;
    if (!alone && !known && shape && shape->timed) known = shape;
    if (known) l.timed = false;
    if (!alone) /* within another launch, whose clock stands still */
        l.timed = false, l.checks &= ~(unsigned)SIM_CHECK_RACE;
    if (core_options.budget) {
        pthread_mutex_lock(&core_lock);
        l.max_instructions = budget_left(0);
        pthread_mutex_unlock(&core_lock);
    }
    sim_result r;
    sim_error err;
    struct snapshot *kept = alone ? snapshot_begin(d, o) : NULL;
    struct kept_buffer *before = spoil_begin(d);
    const double begin = time_real();
    const int code = sim_run(d->s, c->f->image->module[d->ordinal], &l, &r, &err);
    const double real = time_real() - begin;
    spoil_end(d, before);
    if (code) {
        snapshot_end(kept, d, o, NULL, 0);
        record_refused("%s could not be run: %s", c->f->name, err.message);
        return code == SIM_E_MEMORY ? E_MemoryAllocation : E_LaunchFailure;
    }
    double within = 0, more = 0; /* more: what it shows of others before it, in cycles */
    if (known) {
        r.cycles = (uint64_t)repeat_cycles(known, &r);
        r.usage = known->result.usage;
        within = repeat_within(known);
    } else if (shape && r.code == SIM_OK && l.timed && !o->interrupted) {
        more = repeat_timed(shape, c, &r);
        if (family) more += repeat_timed(family, c, &r);
    }
    *seconds = core_options.timed ? sim_host_time_kernel(card, (double)r.cycles, 1) : real;
    snapshot_end(kept, d, o, &r, *seconds);
    snapshot_took(c, *seconds);
    if (r.met_host || o->interrupted) d->version++;
    else if (again) repeat_ran(d, again, &r, *seconds, real);
    int bad = code_of(&r);
    if (r.code == SIM_E_STOPPED) bad = E_LaunchTimeout;
    pthread_mutex_lock(&core_lock);
    for (int i = 0; i < r.print_count; i++) keep_print(d, r.prints[i].text);
    if (r.prints_left_out) say_once(c->f, SAID_PRINTS_LOST);
    budget_left(r.total.warp_instructions);
    record_launch(d, c, &r, *seconds, l.timed, within);
    if (more) record_off(c->f->name, sim_host_time_kernel(card, fabs(more), 0) * (more < 0 ? -1 : 1));
    record_faults(&r);
    if (r.met_host) say_once(c->f, SAID_MET_HOST);
    if (!alone) say_once(c->f, SAID_WITHIN);
    pthread_mutex_unlock(&core_lock);
    if (bad == E_Assert) say_assert(c, &r);
    sim_result_free(&r);
    return bad;
}

int launch_perform(device *d, op *o, double *seconds, double *share)
{
    const int code = launch_alone(d, o, seconds, share);
    return code ? code : device_launches(d, o, seconds);
}

int occupancy_blocks(device *d, function *f, uint32_t threads, uint32_t shared, sim_occupancy *out)
{
    const sim_kernel *k;
    const int code = function_resolve(f, d, &k);
    const uint32_t one[3] = {1, 1, 1}, size[3] = {threads, 1, 1};
    if (!code) sim_occupancy_of(sim_card_of(d->s), k, one, size, shared, out);
    return code;
}

int occupancy_clusters(device *d, const launch_config *c, int *out)
{
    const sim_kernel *k;
    uint32_t size[3];
    sim_occupancy o;
    const int code = function_resolve(c->f, d, &k);
    if (code) return code;
    if (!function_cluster(c->f, k, c->cluster, size)) return E_InvalidClusterSize;
    for (int i = 0; i < 3; i++)
        if (size[i] > CLUSTER_LARGE) return E_InvalidClusterSize;
    sim_occupancy_of(sim_card_of(d->s), k, c->grid, c->block, c->shared, &o);
    const uint32_t all = size[0] * size[1] * size[2];
    if (all > (c->f->large_cluster ? CLUSTER_LARGE : CLUSTER_PORTABLE)) return E_InvalidClusterSize;
    *out = sim_occupancy_clusters(sim_card_of(d->s), o.blocks, (int)all);
    return E_OK;
}

int occupancy_largest_cluster(device *d, const launch_config *c, int *out)
{
    const sim_kernel *k;
    sim_occupancy o;
    const int code = function_resolve(c->f, d, &k);
    if (code) return code;
    const sim_card *card = sim_card_of(d->s);
    sim_occupancy_of(card, k, c->grid, c->block, c->shared, &o);
    int n = card->cc_major < 9 ? 1 : c->f->large_cluster ? CLUSTER_LARGE : CLUSTER_PORTABLE;
    while (n > 1 && sim_occupancy_clusters(card, o.blocks, n) < 1) n--;
    *out = n;
    return E_OK;
}
