/* builtin.c: functions that device code calls but PTX does not define: printf, malloc, free,
 * assert. Also the special registers. */
#include "print.h"
#include "run.h"
#include <stdio.h>

static const char heap[] = "device malloc"; /* the name of such allocations */
enum { HEAP_UNIT = 16 };                    /* alignment of what malloc returns */

static uint64_t of_heap(uint64_t bytes) { return (bytes + HEAP_UNIT - 1) / HEAP_UNIT * HEAP_UNIT; }

/* One lane's malloc; 0 when the heap is full. What earlier launches have not freed still counts. */
static uint64_t take_heap(warp *w, const insn *in, int lane, uint64_t bytes)
{
    launch *l = w->worker->launch;
    const uint64_t most = l->wanted->heap_bytes ? l->wanted->heap_bytes : SIM_HEAP_BYTES,
                   left = most > l->s->heap_used ? most - l->s->heap_used : 0;
    alloc *made = NULL;
    if (!bytes) return 0;
    if (bytes <= left && of_heap(bytes) <= left && memory_add(&l->s->mem, bytes, heap, NULL, &made, NULL) == SIM_OK) {
        l->s->heap_used += of_heap(bytes);
        return made->start;
    }
    fault_remark(w, in, SIM_FAULT_HEAP_FULL, 1u << lane,
                 "Check for NULL, free what is not needed, or give malloc a larger heap: try --heap, on a card "
                 "cudaDeviceSetLimit(cudaLimitMallocHeapSize, ...).",
                 "malloc(%llu) returned NULL: %llu of the heap's %llu bytes are free", (unsigned long long)bytes,
                 (unsigned long long)left, (unsigned long long)most);
    return 0;
}

/* A C string in the program's memory, cut at `size`. Unreadable ones become "?". */
static void read_string(const launch *l, uint64_t address, char *out, size_t size)
{
    const alloc *a = memory_at(&l->s->mem, address);
    size_t n = 0;
    if (!a || !a->host) {
        snprintf(out, size, "?");
        return;
    }
    for (uint64_t at = address - a->start; at < a->size && n + 1 < size && a->host[at]; at++) out[n++] = a->host[at];
    out[n] = 0;
}

static void store_result(warp *w, const call_info *c, int lane, uint64_t v)
{
    if (!c->out_count) return;
    char *to = w->local + (size_t)lane * w->local_stride + w->local_base + c->out[0].caller;
    memcpy(to, &v, c->out[0].bytes < 8 ? c->out[0].bytes : 8);
    if (w->local_init) init_local_set(w, lane, w->local_base + c->out[0].caller, c->out[0].bytes);
}

/* Returns where to go on: the instruction after the call, which starts a block. */
const insn *builtin_call(warp *w, const insn *in, const call_info *c, const uint64_t *a, const uint64_t *b)
{
    launch *l = w->worker->launch;
    switch (c->builtin) {
    case BUILTIN_VPRINTF: {
        int32_t counts[32];
        if (!print_call(w, in, a, b, counts)) return NULL;
        for (int i = 0; i < 32; i++)
            if (w->mask >> i & 1) store_result(w, c, i, (uint64_t)(int64_t)counts[i]);
        return in + 1;
    }
    case BUILTIN_MALLOC:
        for (int i = 0; i < 32; i++) {
            if (!(w->mask >> i & 1)) continue;
            if (launch_serial(w, in)) return NULL;
            store_result(w, c, i, take_heap(w, in, i, a[i]));
        }
        return in + 1;
    case BUILTIN_FREE:
        for (int i = 0; i < 32; i++) {
            sim_error err = {0};
            if (!(w->mask >> i & 1) || !a[i]) continue;
            if (launch_serial(w, in)) return NULL;
            const alloc *al = memory_at(&l->s->mem, a[i]);
            w->worker->advice = "Call free once for each pointer that malloc in a kernel returned, after its last use.";
            if (al && !(al->name && !strcmp(al->name, heap)))
                return fault_raise(w, in, SIM_FAULT_USE_AFTER_FREE, i, 1u << i, "global", a[i], 0,
                                   "free: %s was not allocated by malloc in a kernel",
                                   al->name ? al->name : "the allocation");
            const uint64_t bytes = al && al->host ? of_heap(al->size) : 0;
            if (memory_remove(&l->s->mem, a[i], &err))
                return fault_raise(w, in, SIM_FAULT_USE_AFTER_FREE, i, 1u << i, "global", a[i], 0, "free: %s",
                                   err.message);
            l->s->heap_used -= bytes;
        }
        w->worker->advice = NULL;
        return in + 1;
    case BUILTIN_ASSERTFAIL: {
        char what[128], file[96];
        int lane = first_lane(w->mask);
        uint32_t line = 0;
        read_string(l, a[lane], what, sizeof what);
        read_string(l, b[lane], file, sizeof file);
        if (c->in_count > 2)
            memcpy(&line, w->local + (size_t)lane * w->local_stride + w->local_base + c->in[2].caller, 4);
        w->worker->assertion = sizeof "assertion failed at " - 1;
        return fault_raise(w, in, SIM_FAULT_TRAP, lane, w->mask, "", 0, 0, "assertion failed at %s:%u: %s", file, line,
                           what);
    }
    default:
        return fault_raise(w, in, SIM_FAULT_BAD_CALL, -1, w->mask, "", 0, 0, "a function without a body was called");
    }
}

static uint32_t pick3(const uint32_t *v, uint32_t component) { return component < 3 ? v[component] : 0; }

/* What %globaltimer shows. A launch that does not say when it begins counts clocks from 0. */
static uint64_t nanoseconds(const launch *l, uint64_t clock)
{
    if (!l->wanted->start_ns) return clock;
    return l->wanted->start_ns + (uint64_t)((double)clock * 1e6 / l->s->card.clock_khz);
}

bool sreg_read(warp *w, uint32_t id, uint32_t component, uint64_t *out)
{
    const launch *l = w->worker->launch;
    const block *b = w->block;
    uint64_t v = 0, clock = w->executed + (uint64_t)(w->turn - w->fuel);
    if (w->watch & WATCH_TIME) clock = w->worker->now; /* untimed blocks may run meanwhile */
    const uint32_t in = component < 3 ? component : 0, across = l->cluster[in];
    switch ((enum ptx_sreg)id) {
    case SR_TID:
        for (int i = 0; i < 32; i++) out[i] = component < 3 ? w->tid[component][i] : 0;
        return false;
    case SR_LANEID:
        for (int i = 0; i < 32; i++) out[i] = (uint64_t)i;
        return false;
    case SR_LANEMASK_EQ:
        for (int i = 0; i < 32; i++) out[i] = 1u << i;
        return false;
    case SR_LANEMASK_LE:
        for (int i = 0; i < 32; i++) out[i] = (2u << i) - 1u;
        return false;
    case SR_LANEMASK_LT:
        for (int i = 0; i < 32; i++) out[i] = (1u << i) - 1u;
        return false;
    case SR_LANEMASK_GE:
        for (int i = 0; i < 32; i++) out[i] = UINT32_MAX << i;
        return false;
    case SR_LANEMASK_GT:
        for (int i = 0; i < 32; i++) out[i] = i == 31 ? 0 : UINT32_MAX << (i + 1);
        return false;
    case SR_NTID: v = component < 3 ? l->block[component] : 0; break;
    case SR_CTAID: v = pick3(b->id, component); break;
    case SR_NCTAID: v = pick3(l->grid, component); break;
    case SR_CLUSTERID: v = pick3(b->id, component) / across; break;
    case SR_NCLUSTERID: v = pick3(l->grid, component) / across; break;
    case SR_CLUSTER_CTAID: v = pick3(b->id, component) % across; break;
    case SR_CLUSTER_NCTAID: v = pick3(l->cluster, component); break;
    case SR_CLUSTER_CTARANK: v = b->rank; break;
    case SR_CLUSTER_NCTARANK: v = l->cluster_blocks; break;
    case SR_IS_EXPLICIT_CLUSTER: v = l->explicit_cluster ? UINT32_MAX : 0; break;
    case SR_WARPID: v = w->index; break;
    case SR_NWARPID: v = (uint64_t)l->s->card.max_threads_per_mp / 32; break;
    case SR_SMID: v = b->linear % (uint64_t)l->s->card.multiprocessors; break;
    case SR_NSMID: v = (uint64_t)l->s->card.multiprocessors; break;
    case SR_GRIDID: v = l->s->launches; break;
    case SR_CLOCK: v = (uint32_t)clock; break;
    case SR_CLOCK_HI: v = clock >> 32; break;
    case SR_CLOCK64: v = clock; break;
    case SR_GLOBALTIMER: v = nanoseconds(l, clock); break;
    case SR_GLOBALTIMER_LO: v = (uint32_t)nanoseconds(l, clock); break;
    case SR_GLOBALTIMER_HI: v = nanoseconds(l, clock) >> 32; break;
    case SR_TOTAL_SMEM:
    case SR_AGGR_SMEM: v = l->shared_used; break;
    case SR_DYNAMIC_SMEM: v = l->wanted->shared_bytes; break;
    case SR_ENVREG: v = component < 32 ? l->envreg[component] : 0; break;
    case SR_WARPSZ: v = 32; break;
    default: v = 0;
    }
    out[0] = v;
    return true;
}
