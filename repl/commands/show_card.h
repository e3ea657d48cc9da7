/* show_card.h: simulated cards as the person has changed them: `set sim.dram.latency 2x`. See
 * show_card.c. */
#ifndef SHOW_CARD_H
#define SHOW_CARD_H

#include "device/card_changes.h"
#include "shell/document.h"

/* Change one of the card's values for this session, or take the change back (value "default").
 * `key` is what stands behind "sim.". 0, or EXIT_USAGE after a message. */
int card_change(struct app *app, const char *key, const char *value);
/* A value of the first simulated card at hand, as it is now with its unit, and what it was changed
 * by; NULL: none. */
const char *card_value(struct app *app, const char *key, char *out, size_t size);
/* What `device` says of a card beyond one line: its limits, and what it holds of the step at hand.
 */
void card_show(doc *out, const struct device *d);
/* `get sim`: every value of the card at hand. */
int card_list(struct app *app);
void card_keys(struct app *app, struct words *out); /* "sim.dram_latency" ... */

#endif
