/* thread_pool.c: see thread_pool.h. Rounds may be short, so a waiting thread polls for a while;
 * then it sleeps in between, since others may need the core. */
#define _DEFAULT_SOURCE /* nanosleep */
#include "thread_pool.h"
#include <time.h>

enum { LOOKS = 4000 /* some tens of microseconds */, NAP = 20000 /* nanoseconds */ };

/* *looks: how often it has polled in vain. */
static void wait_a_little(int *looks)
{
    if (*looks < LOOKS) {
        ++*looks;
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
        __builtin_ia32_pause();
#endif
        return;
    }
    nanosleep(&(struct timespec){.tv_nsec = NAP}, NULL);
}

/* Does pieces of a round that no other thread has taken. A piece is free if it was last taken in
 * the previous round; it cannot have been taken in an earlier one. */
static void take_some(crew *c, unsigned round, uint32_t number)
{
    const uint32_t pieces = atomic_load(&c->pieces), first = number * pieces / (c->members ? c->members : 1);
    for (uint32_t i = 0; i < pieces; i++) {
        const uint32_t mine = (first + i) % pieces;
        unsigned before = round - 1;
        if (!atomic_compare_exchange_strong(&c->taken[mine], &before, round)) continue;
        c->work(c->with, mine);
        atomic_fetch_sub(&c->left, 1);
    }
}

void crew_work(crew *c, void (*work)(void *with, uint32_t piece), void *with, uint32_t pieces)
{
    int looks = 0;
    if (pieces < 2 || pieces > CREW_PIECES) {
        for (uint32_t i = 0; i < pieces; i++) work(with, i);
        return;
    }
    c->work = work;
    c->with = with;
    atomic_store(&c->pieces, pieces);
    atomic_store(&c->left, pieces);
    const unsigned round = atomic_fetch_add(&c->round, 1) + 1;
    take_some(c, round, 0);
    while (atomic_load(&c->left)) wait_a_little(&looks);
}

void crew_over(crew *c) { atomic_store(&c->over, true); }

void crew_help(crew *c, uint32_t number)
{
    int looks = 0;
    for (unsigned seen = 0, round; !atomic_load(&c->over); seen = round) {
        round = atomic_load(&c->round);
        if (round == seen) {
            wait_a_little(&looks);
            continue;
        }
        take_some(c, round, number);
        looks = 0;
    }
}
