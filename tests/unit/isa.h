/* isa.h: runs the same cases on every instruction set that this build has and this processor can
 * run.
 *
 *     for (isa_begin(); isa_next();) { ... the cases of check.h, in the same order each time ... }
 *     return isa_end();
 *
 * A case counts once: it passes when it passes on every set. */
#ifndef TEST_ISA_H
#define TEST_ISA_H

#include "check.h"
#include "sim.h"

static const char *isa = ""; /* the current set */
static struct {
    int at, sets;
    size_t first; /* cases on the first set */
    bool unequal; /* another set had more or fewer */
    char names[32], where[16];
} isa_run;

static inline void isa_begin(void) { memset(&isa_run, 0, sizeof isa_run); }

static inline bool isa_next(void)
{
    static const char *const names[] = {"base", "avx2", "avx512"};
    if (isa_run.sets == 1) isa_run.first = check_run.at;
    if (isa_run.sets && check_run.at != isa_run.first) {
        printf("FAIL %zu cases on %s, %zu on the first set\n", check_run.at, isa, isa_run.first);
        isa_run.unequal = true;
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
        check_run.at = 0;
        snprintf(isa_run.where, sizeof isa_run.where, " [%s]", isa);
        check_run.where = isa_run.where;
        strcat(strcat(isa_run.names, " "), isa);
        return true;
    }
    return false;
}

static inline int isa_end(void)
{
    printf("%zu cases on %d instruction sets:%s\n", isa_run.first, isa_run.sets, isa_run.names);
    check_run.where = "";
    if (isa_run.unequal) check(false, "as many cases on each set");
    return check_end();
}

#endif
