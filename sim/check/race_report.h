/* race_report.h: what is said of a race. */
#ifndef SIM_RACE_REPORT_H
#define SIM_RACE_REPORT_H

#include "race.h"

/* Of the other side: a store that a bulk copy or a product reads, which needs fence.proxy.async; a
 * product in flight; a store to what a bulk copy under way reads; a barrier object made without a fence. */
enum side_kind { SIDE_PLAIN, SIDE_STORE, SIDE_PRODUCT, SIDE_REUSED, SIDE_UNFENCED };
typedef struct race_side {
    uint64_t linear;
    uint32_t thread, slot;
    enum side_kind kind;
} race_side;
void race_say_ends(const block *b, const race_side *other, uint64_t address, bool wrote);
void race_say_rest(launch *l, race_worker *k);  /* how often the races reported were seen */
void race_say_blind(launch *l, uint64_t limit); /* not everything was watched */
/* luck: both sides are strong. In one warp that is a note where warps run in lockstep. */
void race_say(warp *w, const access *a, uint32_t lane, uint64_t address, const race_side *other, bool other_wrote,
              bool same_value, bool luck);

#endif
