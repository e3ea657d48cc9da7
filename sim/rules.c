/* rules.c: see rules.h. */
#include "rules.h"
#include "base.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static _Atomic unsigned left_out; /* a bit for each rule: the same for the whole process */
_Static_assert(RULES <= 32, "a bit each");

bool rule_left_out(enum rule r) { return atomic_load_explicit(&left_out, memory_order_relaxed) >> r & 1; }

int rules_read(sim_error *err)
{
    static const char *const names[] = {
#define RULE(id, what) #id,
#include "rules.def"
#undef RULE
    };
    unsigned bits = 0;
    for (const char *p = getenv("WARPSTEP_LEAVE_OUT"); p && *p;) {
        const size_t n = strcspn(p, ",");
        int r = 0;
        while (r < RULES && (strlen(names[r]) != n || memcmp(names[r], p, n))) r++;
        if (r == RULES)
            return sim_fail(err, SIM_E_ARGUMENT,
                            "WARPSTEP_LEAVE_OUT: there is no rule \"%.*s\"; sim/rules.def lists them",
                            n > 60 ? 60 : (int)n, p);
        bits |= 1u << r;
        p += n + (p[n] == ',');
    }
    atomic_store(&left_out, bits);
    return SIM_OK;
}
