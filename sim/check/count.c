/* count.c: the counters.
 *
 * Instructions are counted by the run loop, once per basic block. Here each watched memory access
 * adds to the counts of its instruction's slot what a card would have made of it: sectors,
 * half-warp transactions, passes over banks (banks.c), depth of atomics. The common shapes (32 consecutive lanes,
 * all lanes at one address, a constant stride) take arithmetic; all others a look at each lane.
 * count_finish turns the counts into totals and, when wanted, into rows per source line.
 */
#include "check.h"
#include <setjmp.h>
#include <stdlib.h>

/* ---- distinct things among the lanes ---- */

/* A set of up to 64 numbers, each with the number of times it was put in. */
typedef struct small_set {
    uint64_t key[64];
    uint8_t times[64];
    int distinct, most;
} small_set;

static void set_start(small_set *s)
{
    memset(s->times, 0, sizeof s->times);
    s->distinct = s->most = 0;
}

static void set_put(small_set *s, uint64_t key)
{
    unsigned i = (unsigned)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 58);
    while (s->times[i] && s->key[i] != key) i = (i + 1) & 63;
    s->key[i] = key;
    s->distinct += !s->times[i];
    if (++s->times[i] > s->most) s->most = s->times[i];
}

/* How many different values address >> shift has over the active lanes. Every lane's bytes lie
 * within one such unit. */
static int distinct_units(const access *a, const pattern *p, int shift)
{
    uint64_t base = p->low >> shift, span = ((p->high - 1) >> shift) - base;
    if (span == 0) return 1;
    if (span < 64) {
        uint64_t seen = 0;
        if (a->mask == UINT32_MAX) {
            for (int l = 0; l < 32; l++) seen |= UINT64_C(1) << ((a->address[l] >> shift) - base);
        } else {
            for (uint32_t m = a->mask; m; m &= m - 1)
                seen |= UINT64_C(1) << ((a->address[first_lane(m)] >> shift) - base);
        }
        return count_lanes((uint32_t)seen) + count_lanes((uint32_t)(seen >> 32));
    }
    int steps = 1;
    bool rising = true;
    uint64_t last = a->address[p->first] >> shift;
    for (uint32_t m = a->mask & (a->mask - 1); m; m &= m - 1) {
        uint64_t at = a->address[first_lane(m)] >> shift;
        rising = rising && at >= last;
        steps += at != last;
        last = at;
    }
    if (rising) return steps;
    small_set s;
    set_start(&s);
    for (uint32_t m = a->mask; m; m &= m - 1) set_put(&s, a->address[first_lane(m)] >> shift);
    return s.distinct;
}

/* 32-byte sectors. An access wider than the rest of its sector takes more (aligned accesses of up
 * to 32 bytes never are). */
static uint64_t sectors_of(const access *a, const pattern *p)
{
    if (p->contiguous || p->uniform) return ((p->high - 1) >> 5) - (p->low >> 5) + 1;
    if (a->size <= 32) return (uint64_t)distinct_units(a, p, 5);
    uint64_t n = 0;
    for (uint32_t m = a->mask; m; m &= m - 1) {
        uint64_t at = a->address[first_lane(m)];
        n += ((at + a->size - 1) >> 5) - (at >> 5) + 1;
    }
    return n;
}

/* ---- the strict half-warp rule of compute 1.0 and 1.1 ---- */

/* Lane k takes word k of one segment of 16 words, aligned to its size; inactive lanes are allowed.
 * Then one transaction (two for 16-byte words); otherwise one of 32 bytes per lane. */
bool count_half_in_order(const access *a, uint32_t half, int from)
{
    uint64_t base = a->address[first_lane(half)] - (uint64_t)(first_lane(half) - from) * a->size;
    if (base % (16 * (uint64_t)a->size)) return false;
    for (uint32_t m = half; m; m &= m - 1) {
        int l = first_lane(m);
        if (a->address[l] != base + (uint64_t)(l - from) * a->size) return false;
    }
    return true;
}

static void count_strict(slot_counts *c, const access *a)
{
    bool can = (a->size == 4 || a->size == 8 || a->size == 16) && a->kind != ACCESS_ATOMIC;
    for (int from = 0; from < 32; from += 16) {
        uint32_t half = a->mask & (UINT32_C(0xffff) << from);
        if (!half) continue;
        if (can && count_half_in_order(a, half, from)) {
            c->strict += a->size == 16 ? 2 : 1;
            c->strict_bytes += 16 * (uint64_t)a->size;
        } else {
            uint64_t lanes = (uint64_t)count_lanes(half);
            c->strict += lanes;
            c->strict_bytes += 32 * lanes;
        }
    }
}

/* ---- local memory ---- */

/* Cards interleave it: word i of lane l lies at 128 i + 4 l. So 8 lanes that access the same word
 * share a sector.
 */
static uint64_t local_sectors(const access *a, const pattern *p)
{
    unsigned words = a->size <= 4 ? 1 : (a->size + 3) / 4;
    uint64_t sum = 0;
    for (int from = 0; from < 32; from += 8) {
        uint32_t group = a->mask & (UINT32_C(0xff) << from);
        if (!group) continue;
        if (p->uniform) {
            sum += words;
            continue;
        }
        uint64_t seen[8];
        unsigned n = 0;
        for (uint32_t m = group; m; m &= m - 1) {
            uint64_t at = a->address[first_lane(m)] >> 2;
            unsigned i = 0;
            while (i < n && seen[i] != at) i++;
            if (i == n) seen[n++] = at;
        }
        sum += (uint64_t)n * words;
    }
    return sum;
}

/* ---- one access ---- */

static unsigned depth_of(const access *a, const pattern *p)
{
    if (p->uniform) return (unsigned)count_lanes(a->mask);
    if (p->contiguous) return 1;
    small_set s;
    set_start(&s);
    for (uint32_t m = a->mask; m; m &= m - 1) set_put(&s, a->address[first_lane(m)]);
    return (unsigned)s.most;
}

/* The passes of an access of any shape, computed unless one of the last had the same shape. */
static const bank_pattern *look_up_passes(warp *w, const access *a, const pattern *p)
{
    bank_patterns *all = &w->worker->patterns[a->in->slot];
    const uint32_t word = (uint32_t)a->address[p->first] & ~3u, *on = w->lane;
    const bool comparable = a->mask == w->mask; /* then `on` has the lanes of the mask */
    for (unsigned i = 0; i < PATTERNS_KEPT && comparable; i++) {
        const unsigned n = (all->latest + i) % PATTERNS_KEPT;
        const bank_pattern *known = &all->kept[n];
        if (a->mask != known->mask) continue;
        uint32_t differs = (a->size ^ known->size) | (uint32_t)(a->kind ^ known->kind);
        for (int l = 0; l < 32; l++) differs |= (((uint32_t)a->address[l] - word) ^ known->at[l]) & on[l];
        if (differs) continue;
        all->latest = (uint8_t)n;
        return known;
    }
    bank_pattern *known = &all->kept[all->oldest];
    all->latest = all->oldest;
    all->oldest = (uint8_t)((all->oldest + 1) % PATTERNS_KEPT);
    for (int l = 0; l < 32; l++) known->at[l] = (uint32_t)a->address[l] - word;
    known->mask = comparable ? a->mask : 0;
    known->size = (uint8_t)a->size;
    known->kind = a->kind;
    known->passes32 = (uint16_t)count_passes_32(a, p);
    known->passes16 = (uint16_t)count_passes_16(a, p);
    return known;
}

/* ---- how much each thread does ---- */

void count_other_lanes(warp *w, uint32_t mask)
{
    for (uint32_t m = w->same_bytes ? w->same_lanes : 0; m; m &= m - 1) w->lane_bytes[first_lane(m)] += w->same_bytes;
    w->same_lanes = mask;
    w->same_bytes = 0;
}

void count_block_start(block *b)
{
    b->asked = 0;
    for (uint32_t i = 0; i < b->warp_count; i++) {
        b->warps[i].same_bytes = 0;
        memset(b->warps[i].lane_bytes, 0, sizeof b->warps[i].lane_bytes);
    }
}

void count_block_end(block *b)
{
    worker *k = b->worker;
    if (b->asked > k->most_asked) k->most_asked = b->asked;
    for (uint32_t i = 0; i < b->warp_count; i++) {
        warp *w = &b->warps[i];
        count_other_lanes(w, 0);
        for (int l = 0; l < 32; l++) {
            k->lane_bytes += w->lane_bytes[l];
            if (w->lane_bytes[l] > k->most_lane_bytes) k->most_lane_bytes = w->lane_bytes[l];
        }
    }
}

void count_access(warp *w, const access *a, pattern *p)
{
    if (!w->worker->slot_counts) return;
    slot_counts *c = &w->worker->slot_counts[a->in->slot];
    uint64_t lanes = (uint64_t)count_lanes(a->mask);
    if (a->space == SPACE_GLOBAL || a->space == SPACE_SHARED || a->space == SPACE_LOCAL)
        count_lane_bytes(w, a->mask, a->size);
    c->requests++;
    c->lanes += lanes;
    if (a->kind == ACCESS_ATOMIC) {
        unsigned depth = depth_of(a, p);
        c->depth += depth;
        if (depth > c->worst) c->worst = depth;
    }
    switch (a->space) {
    case SPACE_GLOBAL:
        c->spaces[0]++;
        c->bytes += lanes * a->size;
        w->block->asked += lanes * a->size;
        c->sectors += sectors_of(a, p);
        count_strict(c, a);
        break;
    case SPACE_SHARED:
        c->spaces[1]++;
        if (a->kind != ACCESS_ATOMIC) {
            const bank_pattern *known = look_up_passes(w, a, p);
            const unsigned passes = known->passes32;
            p->passes = known->passes32;
            c->passes32 += passes;
            c->passes16 += known->passes16;
            if (passes > c->worst) c->worst = passes;
        } else {
            count_turns(c, a, p);
        }
        break;
    case SPACE_LOCAL:
        c->spaces[2]++;
        c->local_sectors += local_sectors(a, p);
        c->local_bytes += lanes * a->size;
        break;
    case SPACE_CONST:
        c->spaces[3]++;
        c->words += p->uniform ? 1 : (uint64_t)distinct_units(a, p, a->size > 8 ? 4 : a->size > 4 ? 3 : 2);
        break;
    default: break;
    }
}

void count_bulk(warp *w, const insn *in, int lane, uint64_t global, uint64_t sectors, uint64_t shared,
                uint64_t combined)
{
    if (!w->worker->slot_counts) return;
    slot_counts *c = &w->worker->slot_counts[in->slot];
    const uint64_t passes = (shared + 127) / 128;
    count_lane_bytes(w, UINT32_C(1) << lane, global + shared);
    c->requests++;
    c->lanes++;
    c->spaces[0] += global != 0;
    c->bytes += global;
    c->sectors += sectors;
    c->spaces[1] += shared != 0;
    c->passes32 += passes;
    c->passes16 += 2 * passes;
    c->combined += combined;
    w->block->asked += global;
}

/* ---- the common shape, by arithmetic ---- */

static uint64_t sectors_of_halves(const warp_halves *h, uint64_t bytes)
{
    uint64_t from[2], to[2];
    for (int i = 0; i < 2; i++) {
        from[i] = h->at[i] >> 5;
        to[i] = (h->at[i] + bytes - 1) >> 5;
    }
    uint64_t low = from[0] > from[1] ? from[0] : from[1], high = to[0] < to[1] ? to[0] : to[1];
    return to[0] - from[0] + 1 + to[1] - from[1] + 1 - (low <= high ? high - low + 1 : 0);
}

/* 4-byte words: does a bank have to deliver two? Each half asks for 16 consecutive words, or for
 * one. */
unsigned count_halves_32(uint64_t first, uint64_t second, bool ascend)
{
    uint64_t a = first >> 2, b = second >> 2, words = ascend ? 16 : 1;
    uint64_t span = (a > b ? a - b : b - a) + words;
    if (span <= 32) return 1;
    uint64_t apart = (a - b) & 31; /* in banks */
    return 1 + (apart < words || 32 - apart < words);
}

bool count_halves(warp *w, const warp_halves *h, uint64_t times)
{
    slot_counts *c = &w->worker->slot_counts[h->in->slot];
    if (h->kind == ACCESS_ATOMIC || h->size < 4) return false;
    if (h->space == SPACE_GLOBAL) {
        c->spaces[0] += times;
        c->bytes += times * 32 * h->size;
        w->block->asked += times * 32 * h->size;
        c->sectors += times * sectors_of_halves(h, h->step ? 16 * (uint64_t)h->size : h->size);
        for (int i = 0; i < 2; i++) {
            bool together = h->step && !(h->at[i] % (16 * (uint64_t)h->size));
            c->strict += times * (together ? (h->size == 16 ? 2 : 1) : 16);
            c->strict_bytes += times * (together ? 16 * (uint64_t)h->size : 16 * 32);
        }
    } else if (h->space == SPACE_SHARED) {
        /* wider words that are the same for a half: lanes in pairs want the same, and each phase
         * asks for one word or two */
        const uint64_t words = h->size / 4;
        uint64_t passes = words == 1                          ? count_halves_32(h->at[0], h->at[1], h->step != 0)
                          : h->step || h->kind != ACCESS_READ ? words
                                                              : words / 2;
        c->spaces[1] += times;
        c->passes32 += times * passes;
        c->passes16 += times * 2 * words * (h->step ? words : 1);
        if (passes > c->worst) c->worst = passes;
    } else {
        return false;
    }
    c->requests += times;
    c->lanes += 32 * times;
    count_lane_bytes(w, UINT32_MAX, times * h->size);
    return true;
}

/* Loads and stores of consecutive words by lanes first to first + lanes - 1 of a warp. In shared
 * memory words have 4 bytes; or 8, if there are more than four lanes or all are in one half of the
 * warp (fewer lanes in both halves may be served at once). */
void count_run(slot_counts *c, uint64_t at, bool shared, uint32_t size, uint32_t first, uint32_t lanes)
{
    /* lanes in the lower half of the warp */
    const uint32_t low = first < 16 ? (first + lanes < 16 ? lanes : 16 - first) : 0;
    const uint32_t half[2] = {low, lanes - low};
    c->requests++;
    c->lanes += lanes;
    /* a pass serves 32 banks, so half a warp of 8-byte words; with 16 banks it serves 8 lanes, the
     * first word of each and then the second */
    if (shared) {
        const unsigned passes = size == 4 ? 1 : (unsigned)(half[0] > 0) + (half[1] > 0);
        c->spaces[1]++;
        c->passes32 += passes;
        c->passes16 +=
            size == 4 ? (unsigned)(half[0] > 0) + (half[1] > 0) : 2 * ((half[0] + 7) / 8 + (half[1] + 7) / 8);
        if (passes > c->worst) c->worst = passes;
        return;
    }
    c->spaces[0]++;
    c->bytes += (uint64_t)lanes * size;
    c->sectors += ((at + (uint64_t)lanes * size - 1) >> 5) - (at >> 5) + 1;
    /* lane k takes word k of its segment */
    const bool ordered = size >= 4 && !((at - (uint64_t)first * size) % (16 * (uint64_t)size));
    for (int i = 0; i < 2; i++) {
        if (!half[i]) continue;
        c->strict += !ordered ? half[i] : size == 16 ? 2 : 1;
        c->strict_bytes += ordered ? 16 * (uint64_t)size : 32 * (uint64_t)half[i];
    }
}

/* ---- results ---- */

static void add_slot(slot_counts *sum, const slot_counts *c)
{
    sum->requests += c->requests;
    sum->lanes += c->lanes;
    sum->sectors += c->sectors;
    sum->bytes += c->bytes;
    sum->strict += c->strict;
    sum->strict_bytes += c->strict_bytes;
    sum->passes32 += c->passes32;
    sum->passes16 += c->passes16;
    sum->local_sectors += c->local_sectors;
    sum->local_bytes += c->local_bytes;
    sum->turns32 += c->turns32;
    sum->turns16 += c->turns16;
    sum->depth += c->depth;
    sum->words += c->words;
    sum->combined += c->combined;
    for (int i = 0; i < 4; i++) sum->spaces[i] += c->spaces[i];
    sum->requests += c->easy;
    sum->lanes += 32 * c->easy;
    sum->spaces[1] += c->easy;
    sum->passes32 += c->easy;
    sum->passes16 += 2 * c->easy;
}

/* What one instruction's slot says, as counters. */
static void book_slot(sim_counters *t, const ptx_insn *src, const slot_counts *s, uint64_t worst, uint64_t divergent)
{
    switch (src->op) {
    case OP_BRA:
    case OP_BRX:
        t->branches += s->requests;
        t->divergent_branches += divergent;
        return;
    case OP_ATOM:
    case OP_RED:
    case OP_SURED:
        t->atomic_requests += s->requests;
        t->atomic_lanes += s->lanes;
        t->atomic_depth += s->depth;
        t->global_atomic_requests += s->spaces[0];
        t->global_atomic_sectors += s->sectors;
        t->global_atomic_bytes += s->bytes;
        t->shared_atomic_requests += s->spaces[1];
        t->shared_atomic_passes_32 += s->turns32;
        t->shared_atomic_passes_16 += s->turns16;
        if (worst > t->max_atomic_depth) t->max_atomic_depth = worst;
        t->strict_transactions += s->strict;
        t->strict_bytes += s->strict_bytes;
        return;
    case OP_MBARRIER:
        if (ptx_has(src, S_ARRIVE) || ptx_has(src, S_ARRIVE_DROP)) t->barrier_arrivals += s->spaces[1];
        break;
    case OP_CP: t->bulk_atomic_lanes += s->combined; break;
    default: break;
    }
    bool store = src->op == OP_ST || src->op == OP_STMATRIX || src->op == OP_SUST ||
                 (src->op == OP_WMMA && ptx_has(src, S_STORE)) || ptx_has(src, S_BULK_GROUP);
    if (s->spaces[0]) {
        *(store ? &t->global_store_requests : &t->global_load_requests) += s->spaces[0];
        *(store ? &t->global_store_bytes : &t->global_load_bytes) += s->bytes;
        *(store ? &t->global_store_sectors : &t->global_load_sectors) += s->sectors;
        t->strict_transactions += s->strict;
        t->strict_bytes += s->strict_bytes;
    }
    if (s->spaces[1]) { /* an asynchronous copy reads global, writes shared memory */
        const bool into = src->op == OP_CP ? !ptx_has(src, S_BULK_GROUP) : store;
        *(into ? &t->shared_store_requests : &t->shared_load_requests) += s->spaces[1];
        t->shared_passes_32 += s->passes32;
        t->shared_passes_16 += s->passes16;
        if (worst > t->max_bank_conflict) t->max_bank_conflict = worst;
    }
    t->local_requests += s->spaces[2];
    t->local_sectors += s->local_sectors;
    *(store ? &t->local_store_bytes : &t->local_load_bytes) += s->local_bytes;
    t->constant_requests += s->spaces[3];
    t->constant_words += s->words;
}

/* Adds what one instruction did to t. */
static void book(sim_counters *t, const launch *l, uint32_t pc, const worker *all, int n)
{
    const code_info *info = &l->code->info[pc];
    if (!info->src) return;
    if (info->slot && info->slot < l->code->slots) {
        slot_counts s;
        memset(&s, 0, sizeof s);
        uint64_t worst = 0, divergent = 0;
        for (int i = 0; i < n; i++) {
            if (!all[i].slot_counts) continue;
            const slot_counts *c = &all[i].slot_counts[info->slot];
            add_slot(&s, c);
            worst = c->worst > worst ? c->worst : worst;
            if (c->easy && !worst) worst = 1;
            divergent += c->worst;
        }
        if (s.requests) book_slot(t, info->src, &s, worst, divergent);
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; all[i].stalls && k < SIM_STALLS; k++) t->by_stall[k] += all[i].stalls[pc][k];
    if (!info->real) return;
    uint64_t warps = 0, lanes = 0, sparse = 0;
    for (int i = 0; i < n; i++) {
        if (!all[i].block_counts) continue;
        const block_counts *b = &all[i].block_counts[info->block];
        warps += b->warps;
        const slot_counts *guard = info->guarded && all[i].slot_counts ? &all[i].slot_counts[info->guard_slot] : NULL;
        sparse += guard ? guard->sparse : b->sparse;
        lanes += guard ? guard->lanes : b->lanes;
    }
    if (!warps) return;
    t->warp_instructions += warps;
    t->thread_instructions += lanes;
    t->predicated_off += warps * 32 - lanes;
    t->sparse_instructions += sparse;
    t->by_class[info->cls] += warps;
    t->float_operations += lanes * info->flops;
    t->double_operations += lanes * info->dflops;
    t->half_operations += lanes * info->hflops;
    t->matrix_operations += warps * info->matrix;
    if (info->matrix && info->src->type[0] == T_F64) t->double_matrix_operations += warps * info->matrix;
    if (info->flops == 2) t->fma_operations += lanes;
    bool in_warp = ptx_has(info->src, S_WARP);
    switch (info->src->op) {
    case OP_BAR:
    case OP_BARRIER: *(in_warp ? &t->warp_barriers : &t->barriers) += warps; break;
    case OP_SHFL:
    case OP_VOTE:
    case OP_MATCH:
    case OP_REDUX:
    case OP_ELECT: t->warp_barriers += ptx_has(info->src, S_SYNC) ? warps : 0; break;
    default: break;
    }
}

static void merge(sim_counters *into, const sim_counters *c)
{
    int n;
    const sim_counter_info *infos = sim_counter_infos(&n);
    for (int i = 0; i < n; i++) {
        uint64_t *to = (uint64_t *)(void *)((char *)into + infos[i].offset);
        uint64_t from = *(const uint64_t *)(const void *)((const char *)c + infos[i].offset);
        *to = infos[i].maximum ? (from > *to ? from : *to) : *to + from;
    }
    for (int i = 0; i < SIM_CLASSES; i++) into->by_class[i] += c->by_class[i];
    for (int i = 0; i < SIM_STALLS; i++) into->by_stall[i] += c->by_stall[i];
}

typedef struct line_key {
    const char *file;
    int line;
    uint32_t pc;
} line_key;

static int by_place(const void *a, const void *b)
{
    const line_key *x = a, *y = b;
    int order = x->file == y->file ? 0 : strcmp(x->file, y->file);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

/* Rows per source line: sorts the instructions by line, then adds up those of one line. */
static void finish_lines(launch *l, const worker *all, int n)
{
    sim_result *r = l->result;
    arena *mem = r->owner;
    static const sim_counters nothing;
    arena spare = {.oom = mem->oom};
    line_key *keys = arena_array(&spare, (size_t)l->code->count + 1, sizeof *keys);
    uint32_t used = 0, rows = 0;
    for (uint32_t pc = 0; pc < l->code->count; pc++) {
        sim_counters c = nothing;
        book(&c, l, pc, all, n);
        if (!memcmp(&c, &nothing, sizeof c)) continue;
        sim_place at = {0};
        fault_place(l, pc, &at);
        keys[used++] = (line_key){at.file ? at.file : "", at.line, pc};
    }
    qsort(keys, used, sizeof *keys, by_place);
    for (uint32_t i = 0; i < used; i++) rows += !i || by_place(&keys[i - 1], &keys[i]);
    r->lines = arena_array(mem, (size_t)rows + 1, sizeof *r->lines);
    sim_line *row = r->lines, *next = r->lines;
    const char *file = NULL;
    for (uint32_t i = 0; i < used; i++) {
        if (!i || by_place(&keys[i - 1], &keys[i])) {
            if (!i || strcmp(keys[i - 1].file, keys[i].file))
                file = arena_string(mem, keys[i].file, strlen(keys[i].file));
            row = next++;
            *row = (sim_line){.file = file, .line = keys[i].line};
        }
        sim_counters c = nothing;
        book(&c, l, keys[i].pc, all, n);
        merge(&row->c, &c);
    }
    r->line_count = (int)rows;
    arena_free(&spare);
}

void count_finish(launch *l, worker *all, int n)
{
    sim_counters *t = &l->result->total;
    memset(t, 0, sizeof *t);
    for (uint32_t pc = 0; pc < l->code->count; pc++) book(t, l, pc, all, n);
    for (int i = 0; i < n; i++) {
        t->blocks += all[i].blocks;
        t->warps += all[i].warps;
        t->thread_bytes += all[i].lane_bytes;
        if (all[i].most_asked > t->max_block_bytes) t->max_block_bytes = all[i].most_asked;
        if (all[i].most_lane_bytes > t->max_thread_bytes) t->max_thread_bytes = all[i].most_lane_bytes;
    }
    if (!(l->wanted->counts & SIM_COUNT_LINES)) return;
    arena *const mem = l->result->owner;
    jmp_buf oom, *const outer = mem->oom;
    if (setjmp(oom)) {
        l->lacks = true;
    } else {
        mem->oom = &oom;
        finish_lines(l, all, n);
    }
    mem->oom = outer;
}
