/* show_card.h: simulated cards and the person's changes to them; see show_card.c. */
#ifndef SHOW_CARD_H
#define SHOW_CARD_H

#include "device/card_changes.h"
#include "shell/document.h"

/* Change one of the card's values for this session, or undo the change (value "default"). `key` is
 * the part after "sim.". 0, or EXIT_USAGE after a message. */
int card_change(struct app *app, const char *key, const char *value);
/* The present value of the first simulated card, with its unit and its change, if any; NULL: no
 * card. */
const char *card_value(struct app *app, const char *key, char *out, size_t size);
/* The details of a card for `device`: its limits, and how much of the current step it can hold. */
void card_show(doc *out, const struct device *d);
/* `get sim`: lists every value of the current card. */
int card_list(struct app *app);
void card_keys(struct app *app, struct words *out); /* "sim.dram_latency" ... */

#endif
