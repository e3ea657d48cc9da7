/* isa.h: runs the same cases on every instruction set that this build has and this processor can
 * run.
 *
 *     for (isa_begin(); isa_next();) { ... isa_case(good) for each case, in the same order each time ... }
 *     return isa_end();
 *
 * A case counts once: it passes when it passes on every set. */
#ifndef TEST_ISA_H
#define TEST_ISA_H

#include "sim.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *isa = ""; /* the current set; a failure names it */
static struct {
    unsigned char *bad;        /* per case: failed on any set so far */
    size_t count, room, first; /* cases on this set, of the first set */
    int at, sets, unequal;
    char names[32];
} isa_run;

static inline void isa_case(bool good)
{
    if (isa_run.count == isa_run.room) {
        size_t room = isa_run.room ? 2 * isa_run.room : 1024;
        isa_run.bad = realloc(isa_run.bad, room);
        if (!isa_run.bad) abort();
        memset(isa_run.bad + isa_run.room, 0, room - isa_run.room);
        isa_run.room = room;
    }
    isa_run.bad[isa_run.count++] |= !good;
}

static inline void isa_begin(void)
{
    free(isa_run.bad);
    memset(&isa_run, 0, sizeof isa_run);
}

static inline bool isa_next(void)
{
    static const char *const names[] = {"base", "avx2", "avx512"};
    if (isa_run.sets == 1) isa_run.first = isa_run.count;
    if (isa_run.sets > 1 && isa_run.count != isa_run.first) {
        printf("FAIL %zu cases on %s, %zu on the first set\n", isa_run.count, isa, isa_run.first);
        isa_run.unequal++;
    }
    while (isa_run.at < (int)(sizeof names / sizeof *names)) {
        sim_card card = {.name = "probe", .memory_bytes = 1 << 20};
        sim_error e = {0};
        sim *s = NULL;
        isa = names[isa_run.at++];
        setenv("WARPSTEP_ISA", isa, 1);
        if (sim_open(&s, &card, &e)) continue; /* the build or the processor lacks this set */
        sim_close(s);
        isa_run.sets++;
        isa_run.count = 0;
        strcat(strcat(isa_run.names, " "), isa);
        return true;
    }
    return false;
}

static inline int isa_end(void)
{
    size_t failed = 0;
    for (size_t i = 0; i < isa_run.first; i++) failed += isa_run.bad[i];
    printf("%zu cases on %d instruction sets:%s\n", isa_run.first, isa_run.sets, isa_run.names);
    printf("%zu passed, %zu failed\n", isa_run.first - failed, failed + (size_t)isa_run.unequal);
    return failed || isa_run.unequal || !isa_run.first;
}

#endif
