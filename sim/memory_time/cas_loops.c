/* cas_loops.c: atomics on shared memory that machine code does not have (sums of floats and
 * doubles, minima of 64 bits). They are loops of a load, the work, and a compare-and-swap, which go
 * around again for the lanes that came too late.
 *
 * Asked of an H200 (tests/fidelity/micro.txt, shared-float): each time around, one lane per bank
 * gets through, of 64 bits one of each half of the warp, and none whose word has changed since it
 * was loaded. So n lanes that want the same bank go around n times, whether they want the same word
 * or not.
 *
 * Other warps that change the word between load and swap send a lane around again too. So the last
 * swaps of each word are kept. A lane that comes while a few others are at it gets its turn a time
 * around later: they go in step, and lose together. Where more come than there are schedulers, one
 * of them has always just loaded the word when it is swapped, and is the next.
 */
#include "memory_state.h"
#include <stdlib.h>

enum {
    LOOP_INSTRUCTIONS = 6,
    KEPT = 8,            /* swaps of a word */
    SWAPPED_WORDS = 2048 /* words of a multiprocessor; of those with the same place the last one is kept */
};
/* the part of a swap's time until it is performed: 32 warps that want the same word get it every 44
 * clocks */
static const double THERE = 0.375;

typedef struct swapped {
    uint64_t word;    /* and its block */
    ticks when[KEPT]; /* its last times, as far as is known, by `count` */
    uint32_t count;
} swapped;

typedef struct turn {
    uint8_t time;    /* around, in which a lane gets through */
    uint16_t passes; /* over the banks until then, beyond those without conflicts */
} turn;

/* Lets the lanes that `swap` through, around by around. Returns how often they go around;
 * *all_passes: those over the banks beyond the ones without conflicts. */
static unsigned take_turns(const access *a, uint32_t swap, const uint64_t word[32], turn turns[32],
                           unsigned *all_passes)
{
    const int together = a->size > 4 ? 16 : 32;
    const unsigned banks = a->size > 4 ? 16 : 32;
    uint32_t alike[32] = {0}; /* lanes of the same half that come before and want the same word */
    for (int l = 0; l < 32; l++)
        for (int k = l / together * together; k < l; k++) alike[l] |= (uint32_t)(word[k] == word[l]) << k;
    unsigned around = 0, more = 0;
    for (uint32_t left = swap; left; around++) {
        const uint32_t now = left;
        uint32_t through = 0;
        unsigned passes = 0;
        for (int half = 0; half < 32; half += together) {
            uint8_t words[32] = {0};
            uint32_t taken = 0;
            unsigned most = 0;
            for (int l = half; l < half + together; l++) {
                if (!(now >> l & 1)) continue;
                const unsigned bank = (unsigned)(word[l] % banks);
                if (!(alike[l] & now) && ++words[bank] > most) most = words[bank];
                if (taken >> bank & 1) continue;
                taken |= UINT32_C(1) << bank;
                bool late = false; /* the other half has just changed it */
                for (uint32_t w = through & a->changed; w && half; w &= w - 1) late |= word[first_lane(w)] == word[l];
                if (!late) through |= UINT32_C(1) << l;
            }
            passes += most > 1 ? 2 * (most - 1) : 0; /* of the load and of the swap */
        }
        more += passes;
        for (uint32_t w = through; w; w &= w - 1) turns[first_lane(w)] = (turn){(uint8_t)around, (uint16_t)more};
        left &= ~through;
    }
    *all_passes = more;
    return around;
}

/* What one time around takes. */
typedef struct around {
    bool compares; /* lanes that have nothing to change do not swap */
    ticks look;    /* of those: the load, the work, and out of the loop */
    ticks there;   /* from the load to the swap */
    ticks whole;
} around;

static around once_around(const time_memory_state *m, const access *a)
{
    const sim_timing *t = m->t;
    const ptx_insn *in = m->code->info[a->in - m->code->insns].src;
    const bool floats = in->type_count && ptx_types[in->type[0]].kind == 'F',
               compares = ptx_has(in, S_MIN) || ptx_has(in, S_MAX);
    const int words = a->size > 4 ? 2 : 1; /* compared one after the other */
    const double work = compares              ? t->latency + words * t->predicate_latency
                        : floats && words > 1 ? t->double_latency
                                              : words * t->latency;
    const ticks worked = m->shared_latency + ticks_of(work), out = ticks_of(t->branch_latency);
    return (around){compares, worked + out, worked + (ticks)(THERE * (double)m->shared_swap),
                    worked + m->shared_swap + ticks_of(words * t->predicate_latency) + out};
}

/* Lanes that have nothing to change do not swap. One of them looks once more if somebody has
 * changed its word since it looked first. */
static bool looks_again(uint32_t swap, uint32_t look, const uint64_t word[32])
{
    for (; look; look &= look - 1)
        for (uint32_t s = swap; s; s &= s - 1)
            if (word[first_lane(s)] == word[first_lane(look)]) return true;
    return false;
}

/* When a lane swaps that would swap at `at`. */
static ticks among_others(swapped *s, uint64_t word, int few, const around *one, ticks at, bool changes)
{
    if (s->word != word) *s = (swapped){.word = word};
    const ticks before = s->count ? s->when[(s->count - 1) % KEPT] : 0, loaded = at - one->there;
    if (s->count && before > loaded) {
        const bool many = s->count >= (uint32_t)few && s->when[(s->count - (uint32_t)few) % KEPT] > loaded;
        at = later(at, before + (many ? one->there : one->whole));
    }
    if (changes) s->when[s->count++ % KEPT] = at;
    return at;
}

void swaps_access(time_memory_state *m, const time_asker *by, const access *a, time_access *r)
{
    own_way *own = &m->own[by->multiprocessor];
    const around one = once_around(m, a);
    const uint32_t swap = one.compares ? a->changed : a->mask;
    const int few = m->t->schedulers < KEPT ? m->t->schedulers : KEPT;
    const uint64_t whose = (uint64_t)(by->warp / m->warps) << 32;
    uint64_t word[32];
    turn turns[32] = {{0, 0}};
    unsigned passes;
    for (int l = 0; l < 32; l++) word[l] = access_address(a, l) / (a->size > 4 ? a->size : 4);
    const unsigned times = take_turns(a, swap, word, turns, &passes);
    /* without memory for it, warps do not disturb each other */
    if (!own->swapped) own->swapped = calloc(SWAPPED_WORDS, sizeof *own->swapped);

    const ticks start = later(own->port, by->now);
    ticks last = start + one.there;
    for (uint32_t left = swap; left; left &= left - 1) {
        const int l = first_lane(left);
        ticks at = start + turns[l].time * one.whole + turns[l].passes * m->conflict_pass + one.there;
        swapped *s = own->swapped ? &own->swapped[(word[l] ^ whose >> 27) % SWAPPED_WORDS] : NULL;
        if (s) at = among_others(s, (whose | word[l]) + 1, few, &one, at, a->changed >> l & 1);
        last = later(last, at);
    }
    ticks done = swap ? last - one.there + one.whole : start + one.look;
    const ticks conflicts = swap ? passes * m->conflict_pass : 0,
                alone = swap ? times * one.whole + conflicts : one.look;
    /* waiting for others: each time around is like those before */
    const double longer = alone ? (double)(done - start) / (double)alone : 1;
    if (swap && looks_again(swap, a->mask & ~swap, word)) done += one.look;
    const ticks held = (ticks)(longer * (swap ? passes : 0)), all = (ticks)(longer * (swap ? 2 * times + passes : 1));
    own->port = start + (all - held) * m->shared_port + held * m->conflict_port;
    own->busy += own->port - start;
    own->further += held * m->conflict_port;
    r->extra_issue = ticks_of(longer * (swap ? times : 1) * LOOP_INSTRUCTIONS * m->t->issue);
    r->behind = conflicts;
    r->port = done - by->now - (swap ? one.whole : one.look) - conflicts;
    r->done = done;
}
