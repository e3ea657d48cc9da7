/* launch.c: a launch from its arguments to its result.
 *
 * sim_run checks what the card would refuse, sets the launch up, runs its blocks and collects counters, faults and output.
 * Blocks run in the order of their numbers; only when a block spins on memory that another must change do later ones start
 * before it has ended, up to as many as the card would hold at once.
 */
#include "run.h"
#include "../check/check.h"
#include "print.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool launch_should_stop(launch *l, worker *k)
{
    if (l->stop) return true;
    if (l->wanted->cancel && *l->wanted->cancel) l->stop = LAUNCH_CANCELLED;
    else if (l->max_instructions && k->executed > l->max_instructions) l->stop = LAUNCH_ENDLESS;
    else if (l->deadline > 0 && seconds_now() > l->deadline) l->stop = LAUNCH_TIMEOUT;
    return l->stop;
}

bool launch_serial(warp *w, const insn *in)
{
    (void)w;
    (void)in;
    return false; /* blocks run one after the other already */
}

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

static int check_limits(const launch *l, sim_error *err)
{
    const sim_card *c = &l->s->card;
    const ptx_func *f = l->kernel;
    const long long grid_max[3] = {c->max_grid_x, c->max_grid_y, c->max_grid_z};
    const int block_max[3] = {c->max_block_x, c->max_block_y, c->max_block_z};
    uint64_t threads = 1;
    for (int i = 0; i < 3; i++) {
        if (!l->wanted->grid[i] || !l->wanted->block[i]) {
            sim_fail(err, SIM_E_ARGUMENT, "grid and block sizes must be at least 1 in every dimension");
            return SIM_E_ARGUMENT;
        }
        if (l->wanted->grid[i] > (uint64_t)grid_max[i])
            return refuse(err, "Use more dimensions of the grid, or let each thread do more.",
                          "a grid of %u blocks in one dimension is more than the %s can start: at most %lld", l->wanted->grid[i], c->title,
                          grid_max[i]);
        if (l->wanted->block[i] > (uint64_t)block_max[i])
            return refuse(err, "Use a smaller block.", "a block %u threads wide in one dimension is more than the %s allows: at most %d",
                          l->wanted->block[i], c->title, block_max[i]);
        threads *= l->wanted->block[i];
    }
    if (threads > (uint64_t)c->max_threads_per_block)
        return refuse(err, "Use a smaller block and more of them.", "a block of %llu threads is more than the %s allows: at most %d",
                      (unsigned long long)threads, c->title, c->max_threads_per_block);
    uint64_t shared = (uint64_t)l->shared_static + l->wanted->shared_bytes;
    if (shared > (uint64_t)c->shared_per_block)
        return refuse(err, "Use less shared memory per block.", "%llu bytes of shared memory are more than a block on the %s has: at most %d",
                      (unsigned long long)shared, c->title, c->shared_per_block);
    uint64_t most = 1;
    for (int i = 0; i < 3; i++) most *= f->maxntid[i] ? f->maxntid[i] : 1;
    if (f->maxntid[0] && threads > most)
        return refuse(err, "Launch it with that many or fewer.", "a block of %llu threads is more than kernel %s was built for: at most %llu",
                      (unsigned long long)threads, f->name, (unsigned long long)most);
    for (int i = 0; i < 3; i++)
        if (f->reqntid[0] && l->wanted->block[i] != (f->reqntid[i] ? f->reqntid[i] : 1)) {
            sim_fail(err, SIM_E_LIMIT, "kernel %s requires blocks of %u x %u x %u threads", f->name, f->reqntid[0],
                     f->reqntid[1] ? f->reqntid[1] : 1, f->reqntid[2] ? f->reqntid[2] : 1);
            return SIM_E_LIMIT;
        }
    for (int i = 0; i < 3; i++)
        if (f->cluster[i] > 1) {
            sim_fail(err, SIM_E_REFUSED, "kernel %s wants clusters of several blocks, which are not simulated", f->name);
            return SIM_E_REFUSED;
        }
    return SIM_OK;
}

static uint32_t resident_blocks(const launch *l)
{
    const sim_card *c = &l->s->card;
    uint32_t per = (uint32_t)(c->max_threads_per_mp / 32) / l->warps;
    if (per > (uint32_t)c->max_blocks_per_mp) per = (uint32_t)c->max_blocks_per_mp;
    uint64_t shared = (uint64_t)l->shared_static + l->wanted->shared_bytes;
    if (shared && per > (uint32_t)((uint64_t)c->shared_per_mp / shared)) per = (uint32_t)((uint64_t)c->shared_per_mp / shared);
    if (per < 1) per = 1;
    return per * (uint32_t)c->multiprocessors;
}

static int prepare(launch *l, sim_module *m, const sim_launch *wanted, sim_error *err)
{
    const ptx_func *f = NULL;
    for (int i = 0; i < m->ptx.func_count; i++)
        if (m->ptx.funcs[i]->is_entry && m->ptx.funcs[i]->has_body && wanted->kernel && !strcmp(m->ptx.funcs[i]->name, wanted->kernel))
            f = m->ptx.funcs[i];
    if (!f) return sim_fail(err, SIM_E_ARGUMENT, "there is no kernel named %s", wanted->kernel ? wanted->kernel : "(none given)");
    l->module = m;
    l->code = &m->code;
    l->kernel = f;
    l->entry = f->code;
    l->wanted = wanted;
    l->shared_static = l->entry->shared_bytes;
    l->param_bytes = l->entry->formal_bytes;
    l->blocks = 1;
    int code = check_limits(l, err);
    if (code) return code;
    uint32_t threads = 1;
    for (int i = 0; i < 3; i++) {
        l->grid[i] = wanted->grid[i];
        l->block[i] = wanted->block[i];
        threads *= wanted->block[i];
        l->blocks *= wanted->grid[i];
    }
    l->threads = threads;
    l->warps = (threads + 31) / 32;
    l->resident = resident_blocks(l);
    if (wanted->cooperative && l->blocks > l->resident) {
        sim_fail(err, SIM_E_LIMIT, "a cooperative launch needs all of its %llu blocks on the card at once; the %s holds %u of them",
                 (unsigned long long)l->blocks, l->s->card.title, l->resident);
        return SIM_E_LIMIT;
    }
    const sim_kernel *k = sim_kernel_named(m, f->name);
    if (wanted->param_bytes != k->param_bytes)
        return sim_fail(err, SIM_E_ARGUMENT, "kernel %s takes %u bytes of parameters, %zu were given", f->name, k->param_bytes, wanted->param_bytes);
    l->params = calloc(1, (size_t)l->param_bytes + 64);
    if (!l->params) return sim_fail(err, SIM_E_MEMORY, "out of memory");
    if (wanted->param_bytes) memcpy(l->params, wanted->params, wanted->param_bytes);
    uint32_t base = l->entry->dynamic_base > l->shared_static ? l->entry->dynamic_base : l->shared_static;
    l->shared_total = base + wanted->shared_bytes;
    l->reg_bytes = l->entry->recursive ? (1u << 19) + l->entry->stack_frame : l->entry->stack_frame;
    l->local_stride = l->entry->recursive ? (1u << 14) + l->entry->stack_local : l->entry->stack_local;
    if ((uint64_t)l->local_stride * l->threads > (UINT64_C(1) << 32))
        return sim_fail(err, SIM_E_LIMIT, "the threads of a block need %llu bytes of local memory",
                        (unsigned long long)l->local_stride * l->threads);
    l->watch = (uint8_t)((wanted->counts & (SIM_COUNT_MEMORY | SIM_COUNT_LINES) ? WATCH_COUNT : 0) | (wanted->checks & SIM_CHECK_INIT ? WATCH_INIT : 0) |
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
    k->block_counts = calloc((size_t)l->code->block_count + 1, sizeof *k->block_counts);
    k->slot_counts = calloc((size_t)l->code->slots + 1, sizeof *k->slot_counts);
    k->cache = calloc((size_t)l->code->slots + 1, sizeof *k->cache);
    return k->block_counts && k->slot_counts && k->cache;
}

static void worker_free(worker *k)
{
    free(k->block_counts);
    free(k->slot_counts);
    free(k->cache);
    print_log_free(k);
}

/* All blocks on one worker, in order. */
static int run_in_order(launch *l, worker *k)
{
    block **active = calloc(l->resident < l->blocks ? l->resident : (size_t)l->blocks, sizeof *active);
    uint32_t count = 0, made = 0, room = l->resident < l->blocks ? l->resident : (uint32_t)l->blocks;
    uint64_t next = 0;
    int code = SIM_OK;
    if (!active) return SIM_E_MEMORY;
    uint32_t at = 0;
    bool start_another = true;
    while (next < l->blocks || count) {
        if (start_another && next < l->blocks && count < room) {
            if (count == made) {
                active[made] = block_new(k);
                if (!active[made]) {
                    code = SIM_E_MEMORY;
                    break;
                }
                made++;
            }
            if (!block_start(active[count], next++)) {
                code = SIM_E_MEMORY;
                break;
            }
            at = count++;
        }
        enum stop why = block_run(active[at]);
        if (why == STOP_FAULT) break;
        start_another = true;
        if (why == STOP_ENDED) {
            block *done = active[at];
            active[at] = active[--count];
            active[count] = done;
            start_another = count == 0;
            if (!count) start_another = true;
            if (at >= count) at = 0;
            if (launch_should_stop(l, k)) break;
        } else {
            at = (at + 1) % count;
        }
    }
    for (uint32_t i = 0; i < made; i++) block_free(active[i]);
    free(active);
    return code;
}

static void make_envregs(launch *l, alloc **workspace)
{
    /* Cooperative groups find their grid workspace through %envreg1 and 2: size, then the barrier word. */
    sim_error ignored;
    *workspace = NULL;
    if (!l->code->uses_grid_sync || memory_add(&l->s->mem, 64, "grid workspace", workspace, &ignored)) return;
    uint32_t size = 64;
    memcpy((*workspace)->host, &size, 4);
    if ((*workspace)->init) (*workspace)->init[0] = UINT64_MAX;
    l->envreg[1] = (uint32_t)((*workspace)->start >> 32);
    l->envreg[2] = (uint32_t)(*workspace)->start;
}

/* The result's strings and lists live in an arena of their own. */
static bool result_start(sim_result *r)
{
    arena *a = calloc(1, sizeof *a);
    if (a) a->limit = (size_t)1 << 30;
    r->owner = a;
    return a != NULL;
}

void sim_result_free(sim_result *r)
{
    if (!r || !r->owner) return;
    arena_free(r->owner);
    free(r->owner);
    r->owner = NULL;
}

int sim_run(sim *s, sim_module *m, const sim_launch *wanted, sim_result *r, sim_error *err)
{
    launch l;
    worker k;
    alloc *workspace = NULL;
    memset(&l, 0, sizeof l);
    memset(r, 0, sizeof *r);
    l.s = s;
    l.result = r;
    int code = prepare(&l, m, wanted, err);
    if (code) {
        free(l.params);
        return code;
    }
    double begin = seconds_now();
    if (wanted->max_seconds > 0) l.deadline = begin + wanted->max_seconds;
    s->launches++;
    make_envregs(&l, &workspace);
    code = SIM_E_MEMORY;
    bool started = result_start(r) && worker_init(&k, &l, 0) && fault_log_start(&l);
    if (started) init_launch_start(&l);
    bool racing = started && (l.watch & WATCH_RACE) && race_launch_start(&l, 1);
    if (started && (racing || !(l.watch & WATCH_RACE))) code = run_in_order(&l, &k);
    if (!code) {
        count_finish(&l, &k, 1);
        print_log_finish(&l, &k, 1);
    }
    if (racing) race_launch_finish(&l);
    if (started) fault_log_finish(&l);
    if (!code) code = r->code;
    if (!code && (l.stop == LAUNCH_CANCELLED || l.stop == LAUNCH_TIMEOUT)) code = SIM_E_STOPPED;
    worker_free(&k);
    free(l.params);
    if (workspace) memory_remove(&s->mem, workspace->start, NULL);
    r->host_threads = 1;
    r->host_seconds = seconds_now() - begin;
    r->code = code;
    if (code == SIM_E_MEMORY) sim_fail(err, code, "the host is out of memory");
    return code == SIM_E_MEMORY ? code : SIM_OK;
}
