/* race_memory.c: what the race checker allocates for a launch, for each worker, for each running
 * block. race.h explains it.
 *
 * All of it is accounted and limited: past the limit a worker turns blind for global memory, which
 * becomes a note.
 */
#include "happens_before.h"
#include "proxy.h"
#include "race_memory.h"
#include "race_report.h"
#include "list.h"
#include <stdlib.h>

/* ---- memory ---- */

void *race_memory(race_worker *k, size_t bytes)
{
    if (k->bytes + bytes > k->state->limit) {
        k->blind = true;
        return NULL;
    }
    void *p = calloc(1, bytes ? bytes : 1);
    if (p) k->bytes += bytes;
    else k->blind = true, k->state->l->lacks = true;
    if (k->bytes > k->peak) k->peak = k->bytes;
    return p;
}

void race_memory_free(race_worker *k, void *p, size_t bytes)
{
    if (!p) return;
    free(p);
    k->bytes -= bytes;
}

/* ---- blocks ---- */

static void forget_far(struct block_order *o)
{
    for (uint32_t i = 0; o->far_pages && i < o->page_count; i++) {
        page *p = o->far_pages[i];
        if (!p) continue;
        race_memory_free(o->worker, p->word, page_word_bytes(p->shift));
        race_memory_free(o->worker, p, sizeof *p);
        o->far_pages[i] = NULL;
    }
}

static void order_free(struct block_order *o)
{
    race_worker *k = o->worker;
    for (uint32_t i = 0; o->pages && i < o->page_count; i++)
        race_memory_free(k, o->pages[i].word, page_word_bytes(o->pages[i].shift));
    race_memory_free(k, o->pages, o->page_count * sizeof *o->pages);
    forget_far(o);
    race_memory_free(k, o->far_pages, (o->page_count + 1) * sizeof *o->far_pages);
    for (int level = 0; level < 2; level++) {
        for (uint32_t t = 0; o->pub[level] && t < o->warps * 32; t++)
            race_memory_free(k, o->pub[level][t].more, o->warps * 32 * sizeof(uint32_t));
        race_memory_free(k, o->pub[level], o->warps * 32 * sizeof(published));
        race_memory_free(k, o->shown[level], o->warps * 32 * sizeof(uint32_t));
    }
    race_memory_free(k, o->known, sizeof *o->known * 32);
    race_memory_free(k, o->warp, o->warps * sizeof *o->warp);
    race_memory_free(k, o->latest, o->warps * 32 * sizeof *o->latest);
    race_memory_free(k, o->edges, o->edge_capacity * sizeof *o->edges);
    sync_set_free(k, &o->sync);
    proxy_free(o);
    interval_free(o);
    race_memory_free(k, o, sizeof *o);
}

static struct block_order *order_new(race_worker *k, const block *b)
{
    struct block_order *o =
        list_grow(&k->orders, k->order_count, sizeof *k->orders) ? race_memory(k, sizeof *o) : NULL;
    if (!o) return NULL;
    k->orders[k->order_count++] = o;
    o->worker = k;
    o->warps = b->warp_count;
    o->page_count = (b->shared_bytes + PAGE_BYTES - 1) >> PAGE_BITS;
    o->pages = race_memory(k, o->page_count * sizeof *o->pages);
    o->warp = race_memory(k, o->warps * sizeof *o->warp);
    o->shown_one[0] = o->shown_one[1] = NOBODY;
    /* freed with the launch */
    if (!o->pages || !o->warp || (k->state->proxies && !proxy_new(o, b->shared_bytes))) return NULL;
    for (uint32_t i = 0; i < o->page_count; i++) o->pages[i].shift = 2;
    return o;
}

/* The clock is about to run out: forget everything. A new block has nothing to remember. */
static void order_rewind(struct block_order *o)
{
    for (uint32_t i = 0; i < o->page_count; i++) {
        race_memory_free(o->worker, o->pages[i].word, page_word_bytes(o->pages[i].shift));
        o->pages[i] = (page){.shift = 2};
    }
    memset(o->warp, 0, o->warps * sizeof *o->warp);
    if (o->known) memset(o->known, 0, sizeof *o->known * 32);
    for (int level = 0; level < 2; level++) {
        for (uint32_t t = 0; o->pub[level] && t < o->warps * 32; t++)
            o->pub[level][t] = (published){.more = o->pub[level][t].more};
        if (o->shown[level]) memset(o->shown[level], 0, o->warps * 32 * sizeof(uint32_t));
        o->shown_all[level] = 0;
    }
    o->time = 0;
}

bool race_block_start(block *b)
{
    race_worker *k = &b->worker->launch->race->worker[b->worker->index];
    struct block_order *o = k->spare;
    if (o) k->spare = o->next_spare;
    else o = order_new(k, b);
    if (!o) return false;
    if (o->time > UINT32_MAX / 2) order_rewind(o);
    o->b = b;
    o->linear = b->linear;
    o->waited = 0;
    o->depends_time = 0;
    o->clustered = b->worker->launch->cluster_blocks > 1;
    if (o->clustered && !o->far_pages && !(o->far_pages = race_memory(k, (o->page_count + 1) * sizeof *o->far_pages)))
        return false;
    forget_far(o);
    o->full = o->start = o->last_meeting = o->time;
    o->first_epoch = o->last_epoch = o->full_epoch = 0;
    o->mixed = o->named = o->fenced = o->fences = false;
    o->shown_one[0] = o->shown_one[1] = NOBODY;
    o->edge_count = 0;
    memset(o->arrived, 0, sizeof o->arrived);
    for (uint32_t i = 0; i < o->warps; i++) o->warp[i].partial = false, o->warp[i].depends = 0;
    sync_set_clear(k, &o->sync);
    race_advance(o);
    if (o->proxy) proxy_begin(o);
    barrier_objects_begin(o);
    interval_next(o);
    b->order = o;
    for (uint32_t i = 0; i < b->warp_count; i++) b->warps[i].order = &o->warp[i], in_flight_reset(&b->warps[i]);
    return true;
}

void race_block_end(block *b)
{
    struct block_order *o = b->order;
    if (!o) return;
    b->order = NULL;
    b->interval = NULL;
    o->next_spare = o->worker->spare;
    o->worker->spare = o;
}

/* ---- launches ---- */

/* These are made at the start of the launch, so that workers need not agree. Later ones come from
 * malloc in a kernel, which runs on one worker. */
race_alloc *race_alloc_new(struct race_state *s, alloc *al)
{
    if (al->freed || al->is_const) return NULL;
    race_alloc *r = list_grow(&s->allocs, s->alloc_count, sizeof *s->allocs) ? calloc(1, sizeof *r) : NULL;
    if (!r) return NULL;
    r->by_worker = calloc((size_t)s->workers, sizeof *r->by_worker);
    if (!r->by_worker) {
        free(r);
        return NULL;
    }
    r->pages = (al->size + PAGE_BYTES - 1) >> PAGE_BITS;
    r->number = al->number;
    s->allocs[s->alloc_count++] = r;
    al->shadow = r;
    return r;
}

static bool find_narrow(struct race_state *s)
{
    const code_module *code = s->l->code;
    for (uint32_t pc = 0; pc < code->count; pc++) {
        const code_info *info = &code->info[pc];
        const insn *in = &code->insns[pc];
        if (!info->slot || !info->src || in->space == SPACE_SHARED) continue;
        enum ptx_op op = info->src->op;
        bool strong =
            op == OP_ATOM || op == OP_RED || ((op == OP_LD || op == OP_ST) && (in->order & ORDER_MASK) != ORDER_WEAK);
        /* a cluster's scope is not told from the card's where there are clusters */
        const uint8_t wide = s->l->cluster_blocks > 1 ? ORDER_SCOPE_CLUSTER : ORDER_SCOPE_GPU;
        if (!strong || (in->order & ORDER_SCOPE_SYS) >= wide) continue;
        if (!s->narrow) s->narrow = calloc((size_t)code->slots + 1, 1);
        if (!s->narrow) return false;
        s->narrow[info->slot] = 1;
    }
    return true;
}

static bool find_roles(struct race_state *s)
{
    const code_module *code = s->l->code;
    s->role = calloc((size_t)code->slots + 1, sizeof *s->role);
    for (uint32_t pc = 0; s->role && pc < code->count; pc++) {
        const code_info *info = &code->info[pc];
        if (!info->slot || !info->src) continue;
        const bool strong = (code->insns[pc].order & ORDER_MASK) != ORDER_WEAK;
        switch ((enum ptx_op)info->src->op) {
        case OP_LD: s->role[info->slot] = strong ? ROLE_LOAD : 0; break;
        case OP_ST: s->role[info->slot] = strong ? ROLE_STORE : 0; break;
        case OP_ATOM:
        case OP_RED: s->role[info->slot] = ROLE_ATOMIC; break;
        default: break;
        }
    }
    return s->role != NULL;
}

static bool find_bulk(struct race_state *s)
{
    const code_module *code = s->l->code;
    s->bulk = calloc((size_t)code->slots + 1, sizeof *s->bulk);
    for (uint32_t pc = 0; s->bulk && pc < code->count; pc++) {
        const code_info *info = &code->info[pc];
        if (!info->slot || !info->src) continue;
        if (info->src->op == OP_WGMMA) s->bulk[info->slot] = s->proxies = true;
        if (info->src->op != OP_CP) continue;
        const bool bulk = ptx_has(info->src, S_BULK);
        s->bulk[info->slot] = bulk;
        s->proxies |= bulk && code->insns[pc].count == SPACE_SHARED; /* where it reads */
    }
    return s->bulk != NULL;
}

bool race_launch_start(launch *l, int workers)
{
    struct race_state *s = calloc(1, sizeof *s);
    if (!s) return false;
    l->race = s;
    s->l = l;
    s->workers = workers;
    s->limit = (UINT64_C(3) << 30) / (uint64_t)workers;
    s->worker = calloc((size_t)workers, sizeof *s->worker);
    s->slot_pc = calloc((size_t)l->code->slots + 1, sizeof *s->slot_pc);
    const memory *mem = &l->s->mem;
    bool ok = s->worker && s->slot_pc;
    for (int i = 0; ok && i < workers; i++) s->worker[i].state = s;
    for (uint32_t i = 0; ok && i < mem->count; i++) {
        alloc *al = mem->list[i];
        al->shadow = NULL;
        ok = al->freed || al->is_const || race_alloc_new(s, al);
    }
    if (!ok) {
        race_launch_finish(l);
        return false;
    }
    for (uint32_t pc = 0; pc < l->code->count; pc++)
        if (l->code->info[pc].slot && l->code->info[pc].slot <= l->code->slots) s->slot_pc[l->code->info[pc].slot] = pc;
    return find_narrow(s) && find_roles(s) && find_bulk(s);
}

/* All of a worker but its cells of global memory and its epochs. */
static void worker_end(race_worker *k)
{
    for (uint32_t i = 0; i < k->order_count; i++) order_free(k->orders[i]);
    free(k->orders);
    sync_set_free(k, &k->sync);
    for (uint32_t i = 0; i < k->kept_count; i++) free(k->kept[i]);
    free(k->kept);
}

static void pages_free(race_alloc *r, int workers)
{
    for (int i = 0; r->by_worker && i < workers; i++) {
        page **list = r->by_worker[i];
        for (uint64_t j = 0; list && j < r->pages; j++)
            if (list[j]) {
                free(list[j]->word);
                free(list[j]);
            }
        free(list);
    }
    free(r->by_worker);
    free(r);
}

void race_cells_free(struct race_state *s)
{
    for (uint32_t i = 0; i < s->alloc_count; i++) pages_free(s->allocs[i], s->workers);
    for (int i = 0; s->worker && i < s->workers; i++) free(s->worker[i].epochs);
    free(s->allocs);
    free(s->worker);
    free(s);
}

void race_launch_finish(launch *l)
{
    struct race_state *s = l->race;
    if (!s) return;
    memory *mem = &l->s->mem;
    for (uint32_t i = 0; i < mem->count; i++) mem->list[i]->shadow = NULL;
    uint64_t bytes = 0;
    bool blind = false;
    for (int i = 0; s->worker && i < s->workers; i++) {
        race_say_rest(l, &s->worker[i]);
        bytes += s->worker[i].peak;
        blind = blind || s->worker[i].blind;
    }
    if (blind) race_say_blind(l, s->limit * (uint64_t)s->workers);
    if (bytes > l->result->checker_bytes) l->result->checker_bytes = bytes;
    for (int i = 0; s->worker && i < s->workers; i++) worker_end(&s->worker[i]);
    const bool kept = l->race_over && earlier_launch_keep(l);
    free(s->slot_pc);
    free(s->narrow);
    free(s->role);
    free(s->bulk);
    if (!kept) race_cells_free(s);
    l->race = NULL;
}
