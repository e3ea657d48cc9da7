/* launch.c: a launch from its arguments to its result.
 *
 * sim_run checks what the card would refuse, sets the launch up, runs its blocks and collects
 * counters, faults and output. Blocks run in the order of their numbers. Only when a block spins on
 * memory that another must change do later ones start before it ends, up to as many as the card
 * holds at once.
 */
#include "launch.h"
#include "check/chains.h"
#include "machine/host_memory.h"
#include "run/parallel_bet.h"
#include "run/print.h"
#include "clock/time.h"
#include "clock/sample.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- what the card refuses ---- */

static int refuse(sim_error *err, const char *hint, const char *fmt, ...) SIM_PRINTF(3, 4);
static int refuse(sim_error *err, const char *hint, const char *fmt, ...)
{
    char text[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    sim_fail(err, SIM_E_LIMIT, "%s", text);
    sim_hint(err, "%s", hint);
    return SIM_E_LIMIT;
}

int sim_launch_fits(const sim_card *c, const uint32_t grid[3], const uint32_t wide[3], uint64_t shared, sim_error *err)
{
    const long long grid_max[3] = {c->max_grid_x, c->max_grid_y, c->max_grid_z};
    const int block_max[3] = {c->max_block_x, c->max_block_y, c->max_block_z};
    uint64_t threads = 1;
    for (int i = 0; i < 3; i++) {
        if (!grid[i] || !wide[i])
            return sim_fail(err, SIM_E_ARGUMENT, "grid and block sizes must be at least 1 in every dimension");
        if (grid[i] > (uint64_t)grid_max[i])
            return refuse(err, "Use more dimensions of the grid, or let each thread do more.",
                          "a grid of %u blocks in one dimension is more than the %s can start: at most %lld", grid[i],
                          c->title, grid_max[i]);
        if (wide[i] > (uint64_t)block_max[i])
            return refuse(err, "Use a smaller block.",
                          "a block %u threads wide in one dimension is more than the %s allows: at most %d", wide[i],
                          c->title, block_max[i]);
        threads *= wide[i];
    }
    if (threads > (uint64_t)c->max_threads_per_block)
        return refuse(err, "Use a smaller block and more of them.",
                      "a block of %llu threads is more than the %s allows: at most %d", (unsigned long long)threads,
                      c->title, c->max_threads_per_block);
    if (shared > (uint64_t)c->shared_per_block)
        return refuse(err, "Use less shared memory per block.",
                      "%llu bytes of shared memory are more than a block on the %s has: at most %d",
                      (unsigned long long)shared, c->title, c->shared_per_block);
    return SIM_OK;
}

static int check_limits(const launch *l, sim_error *err)
{
    const ptx_func *f = l->kernel;
    const uint32_t *wide = l->wanted->block;
    const uint64_t shared = (uint64_t)l->shared_static + l->wanted->shared_bytes;
    const int code = sim_launch_fits(&l->s->card, l->wanted->grid, wide, shared, err);
    if (code) return code;
    const uint64_t threads = (uint64_t)wide[0] * wide[1] * wide[2];
    uint64_t most = 1;
    for (int i = 0; i < 3; i++) most *= f->maxntid[i] ? f->maxntid[i] : 1;
    if (f->maxntid[0] && threads > most)
        return refuse(err, "Launch it with that many or fewer.",
                      "a block of %llu threads is more than kernel %s was built for: at most %llu",
                      (unsigned long long)threads, f->name, (unsigned long long)most);
    for (int i = 0; i < 3; i++)
        if (f->reqntid[0] && wide[i] != (f->reqntid[i] ? f->reqntid[i] : 1)) {
            sim_fail(err, SIM_E_LIMIT, "kernel %s requires blocks of %u x %u x %u threads", f->name, f->reqntid[0],
                     f->reqntid[1] ? f->reqntid[1] : 1, f->reqntid[2] ? f->reqntid[2] : 1);
            return SIM_E_LIMIT;
        }
    return SIM_OK;
}

enum { CLUSTER_PORTABLE = 8 };

/* The size of the clusters, and whether the card takes it. */
static int check_cluster(launch *l, sim_error *err)
{
    const ptx_func *f = l->kernel;
    const uint32_t *asked = l->wanted->cluster, most = l->wanted->cluster_large ? CLUSTER_MOST : CLUSTER_PORTABLE;
    const bool wanted = asked[0] || asked[1] || asked[2];
    uint64_t blocks = 1;
    for (int i = 0; i < 3; i++) {
        const uint32_t by_launch = asked[i] ? asked[i] : 1, by_kernel = f->cluster[i] ? f->cluster[i] : 1;
        l->cluster[i] = f->cluster[0] ? by_kernel : wanted ? by_launch : 1;
        if (f->cluster[0] && wanted && by_launch != by_kernel) {
            sim_fail(err, SIM_E_LIMIT,
                     "kernel %s requires clusters of %u x %u x %u blocks, and is launched in %u x %u x %u", f->name,
                     f->cluster[0], f->cluster[1] ? f->cluster[1] : 1, f->cluster[2] ? f->cluster[2] : 1,
                     asked[0] ? asked[0] : 1, asked[1] ? asked[1] : 1, asked[2] ? asked[2] : 1);
            return SIM_E_LIMIT;
        }
        blocks *= l->cluster[i];
        if (blocks > CLUSTER_MOST) break; /* refused below */
    }
    l->explicit_cluster = wanted || f->cluster[0];
    if (f->explicit_cluster && !l->explicit_cluster)
        return refuse(err, "Give the launch a cluster size.", "kernel %s can only be launched in clusters", f->name);
    l->cluster_blocks = (uint32_t)blocks;
    if (blocks > 1 && l->s->card.cc_major < 9)
        return refuse(err, "Take a card of compute capability 9.0 or later.",
                      "the %s has no clusters of blocks: they need compute capability 9.0", l->s->card.title);
    if (blocks > most)
        return refuse(err,
                      most < CLUSTER_MOST ? "Use 8 or fewer; up to 16 are possible where the launch allows sizes "
                                            "that not every card has."
                                          : "Use a smaller cluster.",
                      "a cluster of more than %u blocks is more than the %s takes", most, l->s->card.title);
    if (f->cluster_most && blocks > f->cluster_most)
        return refuse(err, "Use a smaller cluster.",
                      "a cluster of %u blocks is more than kernel %s was built for: at most %u", l->cluster_blocks,
                      f->name, f->cluster_most);
    for (int i = 0; i < 3; i++)
        if (l->wanted->grid[i] % l->cluster[i])
            return refuse(err, "Make the grid a multiple of the cluster in every dimension.",
                          "a grid of %u blocks in %c cannot be cut into clusters of %u", l->wanted->grid[i], "xyz"[i],
                          l -> cluster[i]);
    return SIM_OK;
}

static void find_occupancy(const launch *l, uint64_t threads, sim_occupancy *out)
{
    const sim_card *c = &l->s->card;
    occupancy_estimated(c, threads, code_registers(l->entry, c), code_registers_least(l->entry, c),
                        (uint64_t)l->shared_static + l->wanted->shared_bytes, out);
}

/* One block must fit into a multiprocessor: its threads, its shared memory with what the system takes of it, and its
 * registers, which are given out in units. */
static int check_fits(const launch *l, const sim_occupancy *o, sim_error *err)
{
    const sim_card *c = &l->s->card;
    sim_occupancy smaller = {0};
    uint32_t fits = l->threads / 32 * 32;
    char hint[200];
    if (o->blocks) return SIM_OK;
    if (!o->fit[SIM_LIMIT_THREADS])
        return refuse(err, "Use a smaller block and more of them.",
                      "a block of %u threads is more than a multiprocessor of the %s holds: %d", l->threads, c->title,
                      32 * o->max_warps);
    if (!o->fit[SIM_LIMIT_SHARED])
        return refuse(err, "Use less shared memory per block.",
                      "a block takes %d bytes of shared memory, more than a multiprocessor of the %s has: %d",
                      o->shared_bytes, c->title, c->shared_per_mp);
    for (; fits; fits -= 32) {
        find_occupancy(l, fits, &smaller);
        if (smaller.blocks) break;
    }
    if (fits)
        snprintf(
            hint, sizeof hint,
            "Use at most %u threads per block, or declare the kernel with __launch_bounds__(%u): then the compiler "
            "keeps to as many registers as fit.",
            fits, l->threads);
    else snprintf(hint, sizeof hint, "Declare the kernel with __launch_bounds__(%u).", l->threads);
    return refuse(err, hint,
                  "a block of kernel %.80s needs %d registers or more for each of %u threads: that is more than the "
                  "%d of a multiprocessor of the %s",
                  l->kernel->name, code_registers_least(l->entry, c), l->threads, c->registers_per_mp, c->title);
}

/* The pieces of shared memory that the kernel may use: its variables, and after them what the
 * launch gives. */
static bool find_parts(launch *l)
{
    const code_func *cf = l->entry;
    const uint32_t more = l->wanted->shared_bytes;
    l->parts = calloc((size_t)cf->part_count + 1, sizeof *l->parts);
    if (!l->parts) return false;
    l->part_count = launch_parts(cf, more, l->parts, &l->shared_total);
    l->shared_used = (cf->dynamic_base > cf->shared_bytes ? cf->dynamic_base : cf->shared_bytes) + more;
    return true;
}

static int prepare(launch *l, sim_module *m, const sim_launch *wanted, sim_error *err)
{
    const ptx_func *f = NULL;
    for (int i = 0; i < m->ptx.func_count; i++)
        if (m->ptx.funcs[i]->is_entry && m->ptx.funcs[i]->has_body && wanted->kernel &&
            !strcmp(m->ptx.funcs[i]->name, wanted->kernel))
            f = m->ptx.funcs[i];
    if (!f)
        return sim_fail(err, SIM_E_ARGUMENT, "there is no kernel named %s",
                        wanted->kernel ? wanted->kernel : "(none given)");
    l->module = m;
    l->code = &m->code;
    l->kernel = f;
    l->entry = f->code;
    l->wanted = wanted;
    l->shared_static = l->entry->shared_bytes;
    l->blocks = 1;
    int code = check_limits(l, err);
    if (!code) code = check_cluster(l, err);
    if (code) return code;
    uint32_t threads = 1;
    for (int i = 0; i < 3; i++) {
        l->grid[i] = wanted->grid[i];
        l->block[i] = wanted->block[i];
        threads *= wanted->block[i];
        l->blocks *= wanted->grid[i];
    }
    l->units = l->blocks / l->cluster_blocks;
    l->threads = threads;
    l->warps = (threads + 31) / 32;
    sim_occupancy o;
    find_occupancy(l, threads, &o);
    if ((code = check_fits(l, &o, err))) return code;
    l->resident = (uint32_t)o.blocks * (uint32_t)l->s->card.multiprocessors;
    if (l->cluster_blocks > 1) {
        const uint32_t per_mp = l->resident / (uint32_t)l->s->card.multiprocessors;
        const int fit = sim_occupancy_clusters(&l->s->card, (int)per_mp, (int)l->cluster_blocks);
        if (fit < 1)
            return refuse(err, "Use smaller clusters, or blocks that need less.",
                          "a cluster of %u such blocks does not fit into any group of multiprocessors of the %s",
                          l->cluster_blocks, l->s->card.title);
        l->resident = (uint32_t)fit * l->cluster_blocks;
    }
    if (wanted->timed && !l->s->card.timing.known)
        return sim_fail(err, SIM_E_REFUSED, "the %s has no clock: its card file gives no times", l->s->card.title);
    if (wanted->timed && wanted->shuffle)
        return sim_fail(err, SIM_E_ARGUMENT, "a timed launch has its own block order, so it cannot be shuffled");
    if (wanted->cooperative && l->blocks > l->resident) {
        sim_fail(err, SIM_E_LIMIT,
                 "a cooperative launch needs all of its %llu blocks on the card at once; the %s holds %u",
                 (unsigned long long)l->blocks, l->s->card.title, l->resident);
        return SIM_E_LIMIT;
    }
    const sim_kernel *k = sim_kernel_named(m, f->name);
    if (wanted->param_bytes != k->param_bytes)
        return sim_fail(err, SIM_E_ARGUMENT, "kernel %s takes %u bytes of parameters, %zu were given", f->name,
                        k->param_bytes, wanted->param_bytes);
    l->param_bytes = k->param_bytes; /* without padding */
    l->params = calloc(1, (size_t)l->param_bytes + 64);
    if (!l->params) return sim_no_memory(err);
    if (wanted->param_bytes) memcpy(l->params, wanted->params, wanted->param_bytes);
    if (!find_parts(l)) return sim_no_memory(err);
    if (l->cluster_blocks > 1 && l->shared_total > CLUSTER_OFFSET)
        return sim_fail(err, SIM_E_REFUSED, "kernel %s has too many shared variables for a cluster to be simulated",
                        f->name);
    l->reg_bytes = launch_register_bytes(l->entry);
    l->local_stride = l->entry->recursive ? (1u << 14) + l->entry->stack_local : l->entry->stack_local;
    l->local_limit = l->local_stride - (l->local_stride == l->entry->local_bytes ? l->entry->local_spare : 0);
    if ((uint64_t)l->local_stride * l->threads > (UINT64_C(1) << 32))
        return sim_fail(err, SIM_E_LIMIT, "the threads of a block need %llu bytes of local memory",
                        (unsigned long long)l->local_stride * l->threads);
    l->watch = (uint8_t)((wanted->counts & (SIM_COUNT_MEMORY | SIM_COUNT_LINES) ? WATCH_COUNT : 0) |
                         (wanted->checks & SIM_CHECK_INIT ? WATCH_INIT : 0) |
                         (wanted->checks & SIM_CHECK_RACE ? WATCH_RACE : 0));
    l->max_instructions = wanted->max_instructions;
    return SIM_OK;
}

/* ---- workers ---- */

static bool worker_init(worker *k, launch *l, uint32_t index)
{
    memset(k, 0, sizeof *k);
    k->launch = l;
    k->index = index;
    k->claims_as = (uint8_t)index;
    k->block_counts = host_table((size_t)l->code->block_count + 1, sizeof *k->block_counts);
    k->slot_counts = host_table((size_t)l->code->slots + 1, sizeof *k->slot_counts);
    k->patterns = host_table((size_t)l->code->slots + 1, sizeof *k->patterns);
    k->cache = host_table((size_t)l->code->slots + 1, sizeof *k->cache);
    k->part = host_table((size_t)l->code->slots + 1, sizeof *k->part);
    for (uint32_t i = 0; k->part && i <= l->code->slots; i++) k->part[i] = &l->parts[0];
    return k->block_counts && k->slot_counts && k->patterns && k->cache && k->part;
}

static void worker_free(worker *k)
{
    free(k->block_counts);
    free(k->slot_counts);
    free(k->patterns);
    free(k->cache);
    free(k->part);
    print_log_free(k);
    free(k->origins);
    bet_log_free(k->bet, &k->launch->s->pool);
    free(k->stalls);
    free(k->passed);
    free(k->bulk.lands);
    free(k->bulk.piece);
}

/* The clusters of one worker that have started and not ended, each as its blocks in a row. Most have one block. */
typedef struct running {
    block **list; /* the first `count` clusters run; the blocks of those up to `made` can be used again */
    uint32_t count, made, room, each; /* each: blocks of a cluster */
} running;

static void running_free(running *r)
{
    for (uint32_t i = 0; i < r->made; i++) block_free(r->list[i]);
    free(r->list);
}

static running running_new(const launch *l, uint64_t room)
{
    running r = {.room = (uint32_t)room, .each = l->cluster_blocks};
    r.list = calloc((size_t)room * r.each, sizeof *r.list);
    return r;
}

static block **unit_at(const running *r, uint32_t i) { return &r->list[i * r->each]; }

static bool start_unit(running *r, worker *k, uint64_t number)
{
    block **members = unit_at(r, r->count);
    while (r->made < (r->count + 1) * r->each) {
        r->list[r->made] = block_new(k);
        if (!r->list[r->made]) return false;
        r->made++;
    }
    r->count++;
    return cluster_start(members, number);
}

/* Unit i has ended: its blocks can be used again. */
static void retire_unit(running *r, uint32_t i)
{
    block **done = unit_at(r, i), **last = unit_at(r, --r->count);
    for (uint32_t k = 0; k < r->each; k++) {
        block *b = done[k];
        done[k] = last[k];
        last[k] = b;
    }
}

/* Shuffled order: the distance from each block to the one that starts next. It has no common
 * divisor with the grid's size, so it reaches all blocks. */
static uint64_t shuffled_stride(worker *k, uint64_t blocks)
{
    for (uint64_t stride = 1 + shuffle_next(k, blocks);; stride++) {
        uint64_t a = stride, b = blocks;
        while (b) {
            uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1) return stride % blocks;
    }
}

enum { SHUFFLED_BLOCKS = 8, SHUFFLED_PATIENCE = 64 };

/* In a timed launch: a block that the clock runs. */
static bool is_timed(const launch *l, uint64_t number) { return l->sample && sample_has(&l->sample->plan, number); }

/* All blocks on one worker, in order. A block that waits for something outside lets the next one
 * start. In shuffled order several run at once, and more when they make no progress: they may be
 * waiting for one that has not started. */
static int run_in_order(launch *l, worker *k)
{
    const uint64_t held = l->resident > l->cluster_blocks ? l->resident / l->cluster_blocks : 1;
    running r = running_new(l, held < l->units ? held : l->units);
    int code = r.list ? SIM_OK : SIM_E_MEMORY;
    uint32_t at = 0, turns = 0;
    const bool shuffled = l->wanted->shuffle;
    bool another = true;
    k->drawn = l->wanted->shuffle;
    uint64_t number = shuffled ? shuffle_next(k, l->units) : l->next,
             stride = shuffled ? shuffled_stride(k, l->units) : 1;
    while (!code && (atomic_load(&l->next) < l->units || r.count)) {
        if (another && l->next < l->units && r.count < r.room) {
            uint64_t next = number;
            l->next++;
            number = (number + stride) % l->units;
            if (is_timed(l, next)) continue;
            at = r.count;
            if (!start_unit(&r, k, next)) {
                code = SIM_E_MEMORY;
                break;
            }
            turns = 0;
        }
        if (!r.count) continue;
        if (shuffled) at = (uint32_t)shuffle_next(k, r.count);
        enum stop why = cluster_run(unit_at(&r, at), r.each);
        if (why == STOP_FAULT) break;
        another = true;
        if (why == STOP_ENDED) {
            retire_unit(&r, at);
            another = r.count == 0;
            if (at >= r.count) at = 0;
            if (launch_should_stop(l, k)) break;
        } else {
            at = (at + 1) % r.count;
        }
        if (shuffled) another = r.count < SHUFFLED_BLOCKS || ++turns > SHUFFLED_PATIENCE * r.count;
    }
    running_free(&r);
    return code;
}

/* ---- several host threads: see parallel_bet.c for why the result is the same ---- */

enum {
    MOST_WORKERS = 48,
    MOST_STARTED = MOST_WORKERS + CLOCK_GROUPS /* and the clock's */,
    WORTH_SHARING = 200000 /* warp instructions */
};
_Static_assert(2 * MOST_STARTED <= BET_THREADS, "each worker can claim words under two numbers");

static bool lost_bet(launch *l)
{
    int runs = LAUNCH_RUNS;
    atomic_compare_exchange_strong(&l->stop, &runs, LAUNCH_AGAIN);
    return false;
}

static void run_some(worker *k)
{
    launch *l = k->launch;
    running r = running_new(l, 1);
    const sample_plan *p = l->again ? &l->sample->plan : NULL;
    const uint64_t all = !p ? l->units : p->count < p->share - p->tail ? p->count : p->share - p->tail;
    while (r.list && !l->stop) {
        uint64_t taken = l->next, chunk = 1; /* smaller and smaller shares, so that all threads end together */
        if (taken < all) chunk += (all - taken) / ((uint64_t)l->workers * 8);
        uint64_t from = atomic_fetch_add(&l->next, chunk), to = from + chunk < all ? from + chunk : all;
        if (from >= all) break;
        for (; from < to && !l->stop; from++) {
            if (!p && is_timed(l, from)) continue;
            r.count = 0;
            if (!start_unit(&r, k, p ? sample_block(p, from) : from) || cluster_run_out(r.list, r.each) != STOP_ENDED)
                lost_bet(l);
            if (worker_did(k) - k->reported > REPORT_EVERY && launch_should_stop(l, k)) break;
        }
    }
    if (!r.list) lost_bet(l);
    launch_should_stop(l, k); /* what is not reported yet counts too */
    running_free(&r);
}

/* The same on a thread of its own, which then helps the clock's. */
static void *run_and_help(void *arg)
{
    const worker *k = arg;
    run_some(arg);
    crew_help(&k->launch->crew, k->index - (uint32_t)k->launch->clocks); /* these come after the clock's */
    return NULL;
}

/* Runs one block by itself and logs its stores. False: it did not end, or nobody knows what it did.
 * `t`: notes how long its warps ran; may be NULL. */
static bool run_alone(launch *l, worker *k, uint64_t number, sample_trial *t)
{
    if (!k->bet) k->bet = bet_log_new();
    if (!k->bet || (!l->bet && !bet_start(l))) return false;
    running r = running_new(l, 1);
    bool fine = r.list && start_unit(&r, k, number) && cluster_run_out(r.list, r.each) == STOP_ENDED && !l->stop;
    if (fine && t) sample_tried(t, r.list[0]);
    running_free(&r);
    return fine;
}

/* Blocks are left, but how long the launch takes is known. */
static void tell_soon(const launch *l)
{
    if (l->wanted->soon && !l->stop && l->sample->steady && l->sample->begun < l->blocks)
        l->wanted->soon(l->wanted->soon_arg, time_soon(l));
}

/* Runs the blocks that are left on all threads; this one first runs the clock's, if there is one.
 * Threads that have none left help it. */
static void share_out(launch *l, worker *all, worker *clock, int *code)
{
    pthread_t threads[MOST_WORKERS];
    const int first = l->started - (l->workers - 1); /* workers from here on have threads of their own */
    int n = 0;
    l->crew.members = (uint32_t)l->workers;
    if (!clock) crew_over(&l->crew);
    for (; n < l->workers - 1 && !l->stop; n++)
        if (pthread_create(&threads[n], NULL, run_and_help, &all[first + n])) {
            lost_bet(l);
            break;
        }
    if (clock && !l->stop) *code = time_run(l, clock, l->clocks);
    if (clock && !*code) tell_soon(l);
    crew_over(&l->crew);
    if (*code || (clock && !l->sample->steady)) lost_bet(l);
    run_some(&all[0]);
    for (int i = 0; i < n; i++) pthread_join(threads[i], NULL);
}

/* One or more blocks have run alone on all[0]: runs the others on several threads, this one too.
 * `clock`: the first worker that runs the sample of a timed launch; NULL: none. */
static void run_others(launch *l, worker *all, worker *clock, int *code)
{
    const int count = l->workers + (clock ? l->clocks : 0);
    bet_part(l);
    for (; l->started < count; l->started++)
        if (!worker_init(&all[l->started], l, (uint32_t)l->started) || !(all[l->started].bet = bet_log_new()))
            lost_bet(l);
    share_out(l, all, clock, code);
    if (!clock || l->stop || l->sample->stop >= l->sample->plan.count) return;
    l->again = true; /* what was kept for the clock, and it did not need */
    l->next = l->sample->stop;
    /* these blocks have lower numbers than those that they ran before */
    for (int i = 0; i < l->started; i++) all[i].claims_as = (uint8_t)(MOST_STARTED + i);
    share_out(l, all, NULL, code);
    l->again = false;
}

/* Did the blocks that ran side by side, or were stopped, leave what they would have left in
 * order? */
static bool bet_won(const launch *l) { return !l->stop || l->stop == LAUNCH_CANCELLED || l->stop == LAUNCH_TIMEOUT; }

/* Undoes all but what is known now of which buffers are written: `bet` says that it is still of
 * use. */
static bool start_again(launch *l, worker *all, bool bet)
{
    const bool racing = l->watch & WATCH_RACE;
    if (bet) bet_put_back(all, l->started);
    else bet_undo(l, all, l->started);
    init_launch_undo(l);
    if (racing) race_launch_finish(l);
    fault_log_reset(l);
    for (int i = 0; i < l->started; i++) worker_free(&all[i]);
    l->started = 1;
    l->stop = LAUNCH_RUNS;
    l->next = 0;
    l->spent = 0;
    return worker_init(&all[0], l, 0) && (!racing || race_launch_start(l, 1));
}

/* All blocks on as many host threads as are wanted, without a clock. */
static int run_untimed(launch *l, worker *all)
{
    if (!worker_init(&all[0], l, 0)) return SIM_E_MEMORY;
    l->started = 1;
    if ((l->watch & WATCH_RACE) && !race_launch_start(l, l->workers)) return SIM_E_MEMORY;
    if (l->workers > 1 && l->units >= 2 && bet_worth_trying(l) && init_launch_keep(l)) {
        int code = SIM_OK;
        bool fine = run_alone(l, &all[0], l->next++, NULL);
        if (fine && (all[0].executed * (l->units - 1) < WORTH_SHARING || bet_shows_order(l, 1))) {
            bet_end(l); /* the rest is short, or is best done in order */
            return run_in_order(l, &all[0]);
        }
        if (fine) run_others(l, all, NULL, &code);
        if (fine ? bet_won(l) : l->stop == LAUNCH_CANCELLED || l->stop == LAUNCH_TIMEOUT) {
            bet_keep(l, all, l->started, NULL);
            return SIM_OK;
        }
        l->result->reran_in_order = true;
        bet_lost(l);
        if (!start_again(l, all, false)) return SIM_E_MEMORY;
    }
    return run_in_order(l, &all[0]);
}

/* ---- with a clock ---- */

/* The sample in timed order, then the other blocks in order. */
static int time_then_others(launch *l, worker *all)
{
    if (!worker_init(&all[1], l, 1)) return SIM_E_MEMORY;
    l->started = 2;
    l->clocks = 1;
    int code = time_run(l, &all[1], 1);
    if (code || l->stop) return code;
    tell_soon(l);
    if (l->sample->stop < l->sample->plan.count) l->sample->plan.count = l->sample->stop;
    return run_in_order(l, &all[0]);
}

enum { TRIALS = 5 };

/* Runs blocks from all over the grid, one after the other: how long are they, and what do they do?
 * False: one did not end. */
static bool try_some(launch *l, worker *k, sample_trial *t)
{
    *t = (sample_trial){.shortest = UINT64_MAX};
    for (int i = 0; i < TRIALS; i++) {
        /* plus 0, 1, 2 ...: blocks that take turns are not all alike */
        static const uint64_t tenths[TRIALS] = {5, 1, 3, 7, 9};
        const uint64_t number =
            (l->blocks / 10 * tenths[i] + l->blocks % 10 * tenths[i] / 10 + (uint64_t)i) % l->blocks;
        if (!run_alone(l, k, number, t)) {
            if (!i) *t = (sample_trial){.steps = k->executed, .all_steps = k->executed, .blocks = 1};
            return false;
        }
        if (!i) t->steps = k->executed;
        if (!i && t->steps * l->blocks < SIDE_WORTH) break;
    }
    t->all_steps = k->executed;
    t->written = bet_written(k->bet);
    for (uint32_t i = 0; i < l->code->block_count; i++)
        for (uint32_t pc = l->code->blocks[i].first; pc <= l->code->blocks[i].last; pc++)
            if (program_reaches_all(l->code, pc, l->s->ops)) t->touches += k->block_counts[i].warps;
    return true;
}

enum { GROUPS_CODE = 1 << 21 };

/* The number of groups of multiprocessors, which may run side by side. */
static int groups_of(const launch *l)
{
    const uint32_t mps = l->sample->plan.mps;
    if (l->workers < 2 || !l->sample->ahead || bet_defers(l)) return 1;
    /* each has its own copy of the machine code: a huge program has fewer groups */
    uint32_t most = GROUPS_CODE / (l->code->count + 1);
    if (most > CLOCK_GROUPS) most = CLOCK_GROUPS;
    if (most < 1) most = 1;
    return (int)(mps < most ? mps : most);
}

/* The sample side by side with the other blocks, if it is one. False: what it did has to be
 * undone. */
static bool time_beside_others(launch *l, worker *all, int tried, int *code)
{
    if (bet_shows_order(l, tried)) return false;
    /* the tried blocks run again, each in its turn */
    if (!start_again(l, all, true) || !(all[0].bet = bet_log_new())) return false;
    if (l->sample->plan.first >= l->blocks) l->next = l->blocks; /* the clock has them all */
    run_others(l, all, &all[1], code);
    if (!bet_won(l)) return false;
    bet_keep(l, all, l->started, &all[1]);
    return true;
}

/* First some blocks are tried. Then one thread times a sample while the others run the rest, and
 * help it when they are done. That cannot be if blocks meet, or if the sample turns out too small.
 * Then it is timed first, as far as need be, and the rest runs afterwards. */
static int run_timed(launch *l, worker *all)
{
    if (!worker_init(&all[0], l, 0)) return SIM_E_MEMORY;
    l->started = 1;
    if ((l->watch & WATCH_RACE) && !race_launch_start(l, 1)) return SIM_E_MEMORY;
    if (!sample_open(l)) return SIM_E_MEMORY;
    time_l2_kept l2 = {0};
    if (!sample_wanted(l) || !init_launch_keep(l)) return time_run(l, &all[0], 1);
    const time_sample *sample = l->sample;
    const sample_plan *plan = &sample->plan;
    sample_trial trial;
    int code = SIM_OK;
    const bool fine = try_some(l, &all[0], &trial);
    if (fine || l->stop == LAUNCH_FAULTED) sample_choose(l, &trial);
    const bool sampled = plan->first < l->blocks;
    l->clocks = fine ? groups_of(l) : 1;
    const bool beside =
        fine && l->workers > 1 && (l->clocks > 1 || (sampled && !sample_has_all(plan))) && bet_worth_trying(l);
    if (beside && !time_l2_keep(l->s, &l2)) code = SIM_E_MEMORY;
    bool done = code || l->stop == LAUNCH_CANCELLED || l->stop == LAUNCH_TIMEOUT;
    if (!done && beside) done = time_beside_others(l, all, trial.blocks, &code);
    if (!done && !code) {
        if (beside) {
            time_l2_back(l->s, &l2);
            bet_lost(l);
        }
        if (!start_again(l, all, false)) {
            code = SIM_E_MEMORY;
        } else if (sampled) {
            sample_go_on(l);
            code = time_then_others(l, all);
        } else {
            code = time_run(l, &all[0], 1);
        }
    }
    bet_end(l);
    free(l2.tags);
    return code;
}

static int run_blocks(launch *l, worker *all)
{
    if (!l->wanted->timed) return run_untimed(l, all);
    int code = run_timed(l, all);
    if (!code) time_finish(l, all, l->started);
    return code;
}

static void make_envregs(launch *l, alloc **workspace)
{
    /* Cooperative groups find their grid workspace through %envreg1 and 2: size, then the barrier
     * word. */
    sim_error ignored;
    *workspace = NULL;
    if (!l->code->uses_grid_sync || memory_add(&l->s->mem, 64, "grid workspace", NULL, workspace, &ignored)) return;
    uint32_t size = 64;
    memcpy((*workspace)->host, &size, 4);
    if ((*workspace)->init) (*workspace)->init[0] = UINT64_MAX;
    l->envreg[1] = (uint32_t)((*workspace)->start >> 32);
    l->envreg[2] = (uint32_t)(*workspace)->start;
}

/* The result's strings and lists are in an arena of their own. */
typedef struct result_owner {
    arena arena; /* first: it is what the others know */
    arena_budget budget;
} result_owner;

static bool result_start(sim_result *r)
{
    result_owner *o = calloc(1, sizeof *o);
    if (o) o->budget.limit = (size_t)1 << 30, o->arena.budget = &o->budget;
    r->owner = o;
    return o != NULL;
}

/* What a launch that ran has to report. */
static int result_fill(launch *l, worker *all)
{
    arena *a = l->result->owner;
    jmp_buf here;
    int code = SIM_E_MEMORY;
    a->oom = &here;
    if (setjmp(here) == 0) {
        count_finish(l, all, l->started);
        print_log_finish(l, all, l->started);
        code = SIM_OK;
    }
    a->oom = NULL;
    return code;
}

void sim_result_free(sim_result *r)
{
    if (!r || !r->owner) return;
    arena_free(r->owner);
    free(r->owner);
    r->owner = NULL;
}

static int host_threads(const sim_launch *wanted)
{
    /* an access is traced once: blocks that were taken back and run again would tell it twice */
    int n = wanted->shuffle || wanted->trace || wanted->counts & SIM_COUNT_CHAINS ? 1
            : wanted->host_threads > 0                                            ? wanted->host_threads
                                                                                  : host_cores();
    return n > MOST_WORKERS ? MOST_WORKERS : n;
}

int sim_run(sim *s, sim_module *m, const sim_launch *wanted, sim_result *r, sim_error *err)
{
    launch l;
    alloc *workspace = NULL;
    memset(&l, 0, sizeof l);
    memset(r, 0, sizeof *r);
    l.s = s;
    l.result = r;
    int code = prepare(&l, m, wanted, err);
    if (code) {
        free(l.params);
        free(l.parts);
        return code;
    }
    double begin = host_seconds();
    if (wanted->max_seconds > 0) l.deadline = begin + wanted->max_seconds;
    l.workers = host_threads(wanted);
    s->launches++;
    if (wanted->dependent) l.earlier = s->earlier;
    make_envregs(&l, &workspace);
    code = SIM_E_MEMORY;
    worker *all = host_apart((size_t)l.workers + 1 + CLOCK_GROUPS, sizeof *all); /* some more for the clock */
    bool started = all && result_start(r) && fault_log_start(&l) &&
                   (!(wanted->counts & SIM_COUNT_CHAINS) || wanted->timed || chains_launch_start(&l));
    if (started) {
        init_launch_start(&l);
        code = run_blocks(&l, all);
    }
    if (!code) code = result_fill(&l, all);
    l.race_over = true;
    if (l.race) race_launch_finish(&l);
    else earlier_launch_free(s, NULL);
    init_launch_forget(&l);
    chains_launch_finish(&l);
    if (started) fault_log_finish(&l);
    for (uint32_t i = 0; i < s->mem.count; i++) s->mem.list[i]->again = NULL; /* it may have changed */
    if (!code) code = l.lacks ? SIM_E_MEMORY : r->code;
    /* At the time limit a fault says where the kernel was, but the launch was stopped. */
    if ((!code || code == SIM_E_FAULT) && (l.stop == LAUNCH_CANCELLED || l.stop == LAUNCH_TIMEOUT))
        code = SIM_E_STOPPED;
    for (int i = 0; i < l.started; i++) worker_free(&all[i]);
    r->cycles = l.cycles + (uint64_t)(l.sample ? (double)l.cycles * l.sample->slower : 0);
    sample_close(&l);
    /* the clock and the blocks after it may have taken turns */
    r->host_threads = l.started < l.workers ? l.started : l.workers;
    free(all);
    free(l.params);
    free(l.parts);
    if (workspace) memory_remove(&s->mem, workspace->start, NULL);
    r->met_host = l.met_host;
    r->host_seconds = host_seconds() - begin;
    r->code = code;
    if (code == SIM_E_MEMORY) sim_no_memory(err);
    return code == SIM_E_MEMORY ? code : SIM_OK;
}
