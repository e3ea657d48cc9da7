/* shared_memory.c: shared memory, and which way to global memory the card has (coalesce_1x.c,
 * coalesce_sectors.c). */
#include "rules.h"
#include "memory_state.h"
#include <stdlib.h>

static void set_times(time_memory_state *m)
{
    const sim_timing *t = m->t;
    m->port_transaction = ticks_of(t->port_transaction);
    m->port_coalesced = ticks_of(t->port_coalesced);
    m->port_line = ticks_of(t->port_line);
    m->l1_latency = ticks_of(t->l1_latency);
    m->constant_latency = ticks_of(t->constant_latency > 0 ? t->constant_latency : t->latency);
    m->constant_pass = ticks_of(t->constant_pass);
    m->constant_port = ticks_of(t->constant_port);
    m->l2_latency = ticks_of(t->l2_latency);
    m->line_sector = ticks_of(t->line_sector);
    m->l2_request = ticks_of(t->l2_request);
    m->l2_partial = ticks_of(t->l2_partial);
    m->l2_sector = t->l2_rate > 0 ? ticks_of(SECTOR * t->l2_slices / t->l2_rate) : 0;
    m->link_sector = t->l2_port > 0 ? ticks_of(SECTOR / t->l2_port) : 0;
    m->out_sector = t->store_port > 0 ? ticks_of(SECTOR / t->store_port) : 0;
    m->out_partial = ticks_of(t->store_partial);
    m->bulk_sector = t->bulk_port > 0 ? ticks_of(SECTOR / t->bulk_port) : m->link_sector;
    m->bulk_latency = t->bulk_latency > 0 ? ticks_of(t->bulk_latency) : m->l2_latency;
    m->dram_latency = ticks_of(t->dram_latency);
    m->shared_latency = ticks_of(t->shared_latency);
    m->shared_pass = ticks_of(t->shared_pass);
    m->shared_port = ticks_of(t->shared_port);
    m->banks_apart = t->shared_port > 0;
    if (!t->shared_peace) {
        m->conflict_pass = ticks_of(t->shared_pass);
        m->conflict_port = ticks_of(t->shared_port);
        m->conflict_lane = ticks_of(t->shared_atomic_lane);
    }
    m->shared_atomic = ticks_of(t->shared_atomic);
    m->shared_atomic_lane = ticks_of(t->shared_atomic_lane);
    m->shared_swap = t->shared_swap > 0 ? ticks_of(t->shared_swap) : m->shared_latency + m->shared_atomic;
    m->atomic_latency = ticks_of(t->atomic_latency);
    m->atomic_sector = ticks_of(t->atomic_sector);
    m->atomic_swap = ticks_of(t->atomic_swap);
    m->atomic_float = ticks_of(t->atomic_float);
}

time_memory_state *time_memory_open(launch *l, const bool *alike, uint32_t multiprocessors, uint32_t groups,
                                    uint32_t timed, uint32_t others, uint64_t shared_bytes)
{
    const sim_card *card = &l->s->card;
    time_memory_state *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->t = &card->timing;
    m->s = l->s;
    m->code = l->code;
    m->mp_count = multiprocessors;
    m->warps = l->warps;
    m->sectors = card->timing.l2_bytes > 0;
    set_times(m);
    dram_init(&m->dram, m->t, m->sectors);
    m->dram.share.places = m->dram.channels;
    m->share.places = m->t->l2_slices > 0 ? (uint32_t)m->t->l2_slices : 1;
    m->dram.share.timed = m->share.timed = timed;
    m->dram.share.others = m->share.others = others;
    m->own = host_apart(m->mp_count, sizeof *m->own);
    if (m->own && ask_open(m, groups) && (!m->sectors || sector_open(m, l, alike, shared_bytes))) return m;
    time_memory_close(m);
    return NULL;
}

void time_memory_close(time_memory_state *m)
{
    if (!m) return;
    if (m->sectors) sector_close(m);
    ask_close(m);
    for (uint32_t i = 0; m->own && i < m->mp_count; i++) free(m->own[i].swapped);
    free(m->own);
    free(m);
}

/* Returns the sum; notes the longest, if longer. */
static double sum_of(const ticks *busy, uint32_t count, double *longest)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        double b = (double)busy[i] / TICKS;
        sum += b;
        if (b > *longest) *longest = b;
    }
    return sum;
}

time_usage time_memory_usage(const time_memory_state *m)
{
    time_usage u = {.dram_bytes = m->dram.bytes};
    for (uint32_t i = 0; i < m->mp_count; i++) u.port += (double)m->own[i].busy / TICKS;
    u.longest = u.port / m->mp_count; /* with only some timed, it is chance which of them had more to do */
    u.channels = m->dram.channels;
    u.dram = sum_of(m->dram.busy, m->dram.channels, &u.channel);
    if (u.channel > u.longest) u.longest = u.channel;
    u.l2 = sum_of(m->slice_busy, SLICES_MOST, &u.longest);
    sum_of(&m->summed_longest, 1, &u.longest);
    return u;
}

/* Compute 1.x: 16 banks, half a warp at a time; conflicts hold up the scheduler. */
static void shared_16(time_memory_state *m, const access *a, ticks now, time_access *r)
{
    unsigned least = (a->mask & 0xffff ? 1 : 0) + (a->mask >> 16 ? 1 : 0),
             passes = least * (a->size > 4 ? a->size / 4 : 1);
    if (a->halves == HALVES_ANY) {
        pattern p;
        watch_see(&p, a);
        passes = count_passes_16(a, &p);
    }
    r->extra_issue = m->conflict_pass * (passes > least ? passes - least : 0);
    r->done = now + r->extra_issue + m->shared_latency;
}

/* Lanes that one bank serves one after the other: atomics are not merged, not even on one word. */
static unsigned lanes_at_a_bank(const access *a)
{
    uint8_t at[32] = {0};
    unsigned most = 0;
    for (uint32_t left = a->mask; left; left &= left - 1) {
        unsigned bank = (unsigned)(a->address[first_lane(left)] >> 2) & 31;
        if (++at[bank] > most) most = at[bank];
    }
    return most;
}

unsigned bank_passes(const access *a)
{
    unsigned words = a->size <= 4 ? 1 : a->size / 4;
    if (a->halves == HALVES_ANY) {
        pattern p;
        if (a->passes && a->space == SPACE_SHARED && a->kind != ACCESS_ATOMIC) return a->passes;
        watch_see(&p, a);
        return count_passes_32(a, &p);
    }
    if (a->size == 4) return count_halves_32(a->address[0], a->address[16], a->halves == HALVES_ASCEND);
    /* pairs of lanes want the same, see banks.c */
    return a->halves == HALVES_SAME && a->kind == ACCESS_READ && words > 1 ? words / 2 : words;
}

static const ptx_insn *text_of(const time_memory_state *m, const access *a)
{
    return m->code->info[a->in - m->code->insns].src;
}

/* Counting has an instruction of its own, which merges lanes at one word: a sum with the constant 1
 * whose old value nobody wants. */
static bool counts(const time_memory_state *m, const access *a)
{
    const ptx_insn *in = text_of(m, a);
    const ptx_operand *last = &in->operand[in->operand_count - 1];
    return ptx_has(in, S_ADD) && a->no_result && a->size == 4 && last->kind == O_INT && last->value.i == 1;
}

/* A wait for others at the port is split like all that kept it so far. */
static int64_t for_conflicts(const own_way *own, int64_t wait)
{
    return own->further && wait ? (int64_t)((double)wait * ((double)own->further / (double)own->busy)) : 0;
}

/* Later cards: 32 banks; each pass keeps the port, which global memory uses too. */
static void shared_32(time_memory_state *m, const time_asker *by, const access *a, time_access *r)
{
    const ticks now = by->now;
    const unsigned distinct = bank_passes(a), words = a->size > 4 ? a->size / 4 : 1;
    /* passes for conflicts; for the width, or for lanes in turn */
    unsigned further = distinct > words ? distinct - words : 0, least = distinct - further;
    ticks more = m->shared_pass, conflict = m->conflict_pass, latency = m->shared_latency;
    if (a->kind == ACCESS_ATOMIC) {
        unsigned lanes = distinct;
        if (!counts(m, a)) lanes = a->halves == HALVES_ANY ? lanes_at_a_bank(a) : a->halves == HALVES_SAME ? 32 : 1;
        further = further < lanes ? further : lanes - 1;
        least = lanes - further;
        more = m->shared_atomic_lane;
        conflict = m->conflict_lane;
        latency += m->shared_atomic;
    }
    own_way *own = &m->own[by->multiprocessor];
    const ticks start = later(own->port, now), held = further * m->conflict_port, takes = least * m->shared_port + held,
                wait = start - now;
    const ticks behind = for_conflicts(own, wait);
    own->port = start + takes;
    own->busy += takes;
    own->further += held;
    r->behind = behind + further * conflict;
    r->port = wait - behind + (least > 1 ? (least - 1) * more : 0);
    r->done = now + r->port + r->behind + latency;
}

unsigned time_addresses(const access *a, uint64_t *address, uint8_t *times)
{
    unsigned n = 0;
    for (uint32_t left = a->mask; left; left &= left - 1) {
        const uint64_t at = access_address(a, first_lane(left));
        unsigned i = 0;
        while (i < n && address[i] != at) i++;
        if (i == n) address[n] = at, times[n++] = 0;
        times[i]++;
    }
    return n;
}

/* One address after the other, even within one word. The values that lanes are matched by go the
 * same way, one after the other. */
static void constants(time_memory_state *m, uint32_t mp, const access *a, ticks latency, ticks now, time_access *r)
{
    uint64_t address[32];
    uint8_t times[32];
    const unsigned n = time_addresses(a, address, times), passes = n ? n : 1;
    ticks *port = &m->own[mp].constants, start = later(*port, now);
    *port = start + passes * m->constant_port;
    r->port = start - now + (passes - 1) * m->constant_pass;
    r->done = now + r->port + latency;
}

static uint32_t reach_all(time_memory_state *m, const time_asker *by, const access *a, time_access *r)
{
    if (m->sectors) return sector_access(m, by, a, r);
    strict_access(m, by->multiprocessor, a, by->now, r);
    return 0;
}

/* The words of a lane are 128 bytes apart, so lanes that want the same variable want neighbouring
 * words. */
static uint32_t local(time_memory_state *m, const time_asker *by, const access *a, time_access *r)
{
    const bool same = a->halves == HALVES_SAME && a->address[0] == a->address[16] && a->size >= 4;
    access word = {.in = a->in,
                   .mask = a->mask,
                   .size = a->size < 4 ? a->size : 4,
                   .space = a->space,
                   .kind = a->kind,
                   .order = a->order};
    uint32_t answers = 0;
    word.halves = same ? HALVES_ASCEND : HALVES_ANY;
    word.contiguous = same;
    for (uint32_t k = 0; k < a->size; k += 4) {
        time_access one = {.done = by->now};
        for (uint32_t left = a->mask; left; left &= left - 1) {
            const int lane = first_lane(left);
            const uint64_t at = k + access_address(a, lane);
            word.address[lane] = by->local + at / 4 * 128 + 4 * (uint64_t)lane + at % 4;
        }
        answers += reach_all(m, by, &word, &one);
        if (one.done > r->done) *r = one;
    }
    return answers;
}

/* Shared memory of another block of the cluster. */
static void far_shared(time_memory_state *m, const time_asker *by, const access *a, time_access *r)
{
    own_way *own = &m->own[by->multiprocessor];
    const double rate = m->t->cluster_rate;
    uint32_t lanes = 0;
    for (uint32_t left = a->mask; left; left &= left - 1) lanes++;
    const ticks start = later(own->far, by->now), takes = rate > 0 ? ticks_of(lanes * a->size / rate) : 0;
    own->far = start + takes;
    r->port = start + takes - by->now;
    r->done = start + takes + ticks_of(m->t->cluster_latency > 0 ? m->t->cluster_latency : m->t->shared_latency);
}

uint32_t time_ask(time_memory_state *m, const time_asker *by, const access *a, time_access *r)
{
    const uint32_t mp = by->multiprocessor;
    *r = (time_access){.done = by->now};
    switch (a->space) {
    case SPACE_SHARED:
        if (a->of) far_shared(m, by, a, r);
        else if (m->banks_apart && a->loops && !rule_left_out(RULE_cas_loops)) swaps_access(m, by, a, r);
        else if (m->banks_apart) shared_32(m, by, a, r);
        else shared_16(m, a, by->now, r);
        return 0;
    case SPACE_REG: constants(m, mp, a, m->shared_latency, by->now, r); return 0;
    case SPACE_CONST: constants(m, mp, a, m->constant_latency, by->now, r); return 0;
    case SPACE_GLOBAL: return reach_all(m, by, a, r);
    case SPACE_LOCAL: return local(m, by, a, r);
    default: r->done = by->now + ticks_of(m->t->latency); return 0;
    }
}

ticks time_port(time_memory_state *m, uint32_t multiprocessor, ticks now)
{
    own_way *own = &m->own[multiprocessor];
    const ticks start = later(own->port, now);
    own->port = start + m->shared_port;
    own->busy += m->shared_port;
    return start - now;
}

clocks time_for_conflicts(const time_memory_state *m, uint32_t multiprocessor, clocks wait)
{
    return for_conflicts(&m->own[multiprocessor], wait);
}

enum { WINDOW_MOST = 1024 /* clocks: what is asked within them is kept */ };

clocks time_window(const time_memory_state *m)
{
    const clocks least = (m->l2_latency < m->atomic_latency ? m->l2_latency : m->atomic_latency) / TICKS;
    return !m->sectors ? 0 : least < 1 ? 1 : least > WINDOW_MOST ? WINDOW_MOST : least;
}
