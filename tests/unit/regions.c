/* regions.c: the list of a program's allocations (sim/cuda/core/region_list.c) against a plain one: what lies at an
 * address, before it and behind it, while some are added and some are forgotten in any order. */
#include "cuda/core/region_list.c"
#include "check.h"

enum { ADDRESSES = 20000, STEPS = 60000, BYTES = 16 };
static bool there[ADDRESSES + 1]; /* a region of 16 bytes at 16 times this; 0 stays free */
static device owner;
static int count;
static uint32_t state = 1;

static uint32_t draw(uint32_t below) { return (state = state * 1664525u + 1013904223u) / 65536 % below; }

static bool same_around(uint64_t at)
{
    int64_t before = (int64_t)(at / BYTES), after = before + 1;
    if (before > ADDRESSES) before = ADDRESSES;
    while (before > 0 && !there[before]) before--;
    while (after <= ADDRESSES && !there[after]) after++;
    const region *b = region_before(at), *a = region_after(at), *f = region_find(at);
    return (b ? b->at : 0) == (uint64_t)before * BYTES &&
           (a ? a->at : (ADDRESSES + 1) * BYTES) == (uint64_t)after * BYTES &&
           (f != NULL) == (at / BYTES <= ADDRESSES && there[at / BYTES]);
}

int main(void)
{
    bool good = true;
    int most = 0;
    for (int step = 0; step < STEPS; step++) {
        const bool grows = step < STEPS / 2;                                                    /* then it shrinks */
        const uint32_t n = step % 4 ? 1 + draw(ADDRESSES) : 1 + (uint32_t)step / 4 % ADDRESSES; /* many in a row */
        const uint64_t at = (uint64_t)n * BYTES;
        if (there[n] && !grows) {
            good &= region_forget(at) == E_OK && region_forget(at) == E_InvalidValue;
            there[n] = false, count--;
        } else if (!there[n] && (grows || step % 3 == 0)) {
            good &= region_note(&owner, R_DEVICE, at, BYTES, 0) == E_OK;
            there[n] = true, count++;
        }
        if (count > most) most = count;
        good &= owner.in_use == (uint64_t)count * BYTES && same_around(draw((ADDRESSES + 2) * BYTES));
    }
    int left = 0;
    for (const region *r = region_after(0); r; r = region_after(r->at)) left++;
    check(good, "each step");
    check(left == count && most >= 10 * PIECE, "what is left, and much has been there");
    return check_end();
}
