/* rules.h: rules of the clock that can be left out, to see what each is worth. */
#ifndef SIM_RULES_H
#define SIM_RULES_H

#include "sim.h"

enum rule {
#define RULE(id, what) RULE_##id,
#include "rules.def"
#undef RULE
    RULES
};

bool rule_left_out(enum rule r);
/* What the environment asks to leave out is read. A SIM_E code with *err filled when it names no
 * rule. */
int rules_read(sim_error *err);

#endif
