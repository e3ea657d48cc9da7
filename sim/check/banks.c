/* banks.c: passes over the banks of shared memory that an access takes, for 32 banks and a whole warp,
 * and for the 16 banks and half-warps of compute 1.x.
 */
#include "check.h"
#include <string.h>

/* Passes over 32 banks for some lanes of up to `words` words each: the most different words that
 * any bank has to deliver.
 */
static unsigned passes_of(const access *a, uint32_t lanes, unsigned words)
{
    uint64_t word[128], low = UINT64_MAX, high = 0;
    unsigned n = 0;
    for (uint32_t m = lanes; m; m &= m - 1)
        for (unsigned i = 0; i < words; i++) {
            uint64_t v = (a->address[first_lane(m)] >> 2) + i;
            low = v < low ? v : low;
            high = v > high ? v : high;
            word[n++] = v;
        }
    if (!n) return 0;
    if (high - low < 32) return 1;
    uint8_t head[32], next[128], depth[32];
    memset(head, 255, sizeof head);
    memset(depth, 0, sizeof depth);
    unsigned most = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned bank = word[i] & 31;
        unsigned j = head[bank];
        while (j != 255 && word[j] != word[i]) j = next[j];
        if (j != 255) continue;
        next[i] = head[bank];
        head[bank] = (uint8_t)i;
        if (++depth[bank] > most) most = depth[bank];
    }
    return most;
}

/* Do the lanes of each pair (l and l | apart) want the same? */
static bool in_pairs(const access *a, int apart)
{
    for (int l = 0; l < 32; l++)
        if (!(l & apart) && (a->mask >> l & 1) && (a->mask >> (l | apart) & 1) &&
            a->address[l] != a->address[l | apart])
            return false;
    return true;
}

/* Wider words go in phases: 8 bytes by half-warps, 16 bytes by quarters, so that a phase returns at
 * most 32 words. A phase has twice as many lanes when they want the same in pairs, as NVIDIA says
 * of loads since compute 7.0. */
unsigned count_passes_32(const access *a, const pattern *p)
{
    unsigned words = a->size <= 4 ? 1 : a->size <= 8 ? 2 : 4;
    int lanes = 32 / (int)words;
    if (p->contiguous) return words;
    if (words > 1 && a->kind == ACCESS_READ && (in_pairs(a, 1) || in_pairs(a, 2))) lanes *= 2;
    unsigned sum = 0;
    for (int from = 0; from < 32; from += lanes) {
        uint32_t part = lanes == 32 ? a->mask : a->mask & (((UINT32_C(1) << lanes) - 1) << from);
        sum += p->uniform ? part != 0 : passes_of(a, part, words);
    }
    return sum;
}

/* A half-warp over 16 banks, as on compute 1.x: each step broadcasts one word to all lanes that
 * want it, and each other bank serves one lane. The word that most lanes want goes first. Stores
 * broadcast nothing: a bank serves one word per step. */
static unsigned half_passes(const access *a, uint32_t half, unsigned word_index)
{
    enum { NONE = 255 };
    uint64_t word[16];
    /* lanes that want the same word have one id */
    uint8_t id[16], times[16] = {0}, at_bank[16] = {0}, last[16], before[16];
    unsigned n = 0, deepest = 0;
    bool same = true, rising = true;
    for (uint32_t m = half; m; m &= m - 1) {
        word[n] = (a->address[first_lane(m)] >> 2) + word_index;
        unsigned deep = ++at_bank[word[n] & 15];
        deepest = deep > deepest ? deep : deepest;
        same = same && word[n] == word[0];
        rising = rising && (!n || word[n] > word[n - 1]);
        n++;
    }
    if (same) return n != 0;
    if (deepest <= 1 || rising) return deepest; /* each bank gives one word per step */
    memset(last, NONE, sizeof last);
    for (unsigned i = 0; i < n; i++) {
        unsigned j = last[word[i] & 15];
        while (j != NONE && word[j] != word[i]) j = before[j];
        id[i] = (uint8_t)(j == NONE ? i : j);
        if (j == NONE) {
            before[i] = last[word[i] & 15];
            last[word[i] & 15] = (uint8_t)i;
        }
        times[id[i]]++;
    }
    unsigned steps = 0;
    while (n) {
        unsigned best = 0, left = 0;
        uint8_t by_bank[16];
        for (unsigned i = 1; i < n; i++)
            if (times[id[i]] > times[id[best]]) best = i;
        const uint8_t cast = id[best];
        uint32_t served = 1u << (word[cast] & 15);
        by_bank[word[cast] & 15] = NONE;
        for (unsigned i = 0; i < n; i++) {
            const uint8_t mine = id[i];
            const unsigned bank = word[mine] & 15;
            if (mine == cast) continue;
            if (!(served >> bank & 1)) {
                served |= 1u << bank;
                by_bank[bank] = mine;
                times[mine]--;
            } else if (a->kind == ACCESS_READ || by_bank[bank] != mine) {
                id[left++] = mine;
            } else {
                times[mine]--;
            }
        }
        n = left;
        steps++;
    }
    return steps;
}

unsigned count_passes_16(const access *a, const pattern *p)
{
    unsigned words = a->size <= 4 ? 1 : a->size <= 8 ? 2 : 4, sum = 0;
    if (words == 1 && a->size == 4 && p->contiguous) return 2;
    for (int from = 0; from < 32; from += 16)
        for (unsigned i = 0; i < words; i++) sum += half_passes(a, a->mask & (UINT32_C(0xffff) << from), i);
    return sum;
}

/* Atomics of shared memory: lanes at one bank take turns, also those at one word. */
static unsigned turns_of(const access *a, uint32_t lanes, unsigned from, unsigned words, unsigned banks)
{
    uint8_t turns[32] = {0};
    unsigned most = 0;
    for (uint32_t m = lanes; m; m &= m - 1)
        for (unsigned i = from; i < from + words; i++) {
            const unsigned n = ++turns[((a->address[first_lane(m)] >> 2) + i) % banks];
            most = n > most ? n : most;
        }
    return most;
}

/* The phases are those of loads: a warp's part has as many words as there are 32 banks, or is half a
 * warp with one word of each lane. */
void count_turns(slot_counts *c, const access *a, const pattern *p)
{
    const unsigned words = a->size <= 4 ? 1 : a->size <= 8 ? 2 : 4, lanes = 32 / words;
    if (p->contiguous && a->size >= 4) {
        c->turns32 += words;
        c->turns16 += 2 * words * words;
        return;
    }
    for (unsigned from = 0; from < 32; from += lanes)
        c->turns32 += turns_of(a, a->mask & UINT32_MAX >> (32 - lanes) << from, 0, words, 32);
    for (unsigned from = 0; from < 32; from += 16)
        for (unsigned i = 0; i < words; i++) c->turns16 += turns_of(a, a->mask & UINT32_C(0xffff) << from, i, 1, 16);
}
