/* show_card.h: simulated cards as the person has changed them: `set sim.dram.latency 2x`. See show_card.c. */
#ifndef CARD_H
#define CARD_H

#include "app.h"
#include "sim.h"

/* Change one of the card's values for this session, or take the change back (value "default").
 * `key` is what stands behind "sim.". 0, or EXIT_USAGE after a message. */
int card_change(struct app *app, const char *key, const char *value);
/* A value of the first simulated card at hand, as it is now with its unit, and what it was changed
 * by; NULL: none. */
const char *card_value(struct app *app, const char *key, char *out, size_t size);
/* Note the changes in a device that is about to be used, and in its label, so that every row says
 * so. */
void card_note_changes(const struct app *app, struct device *d);
/* The same device with more of its values changed, " without ..." behind its label. False: more
 * than it can note. */
bool card_changed(const struct device *d, const char *without, const char *changes, struct device *out);
/* Make the changes that a device notes. A SIM_E code with *err filled when one does not fit this
 * card. */
int card_apply_changes(const struct device *d, sim_card *card, sim_error *err);
/* Read the device's card and make its changes; *text (its file) is to be freed, and may be NULL
 * when not wanted. */
int card_open(struct app *app, const struct device *d, sim_card *card, char **text);

/* What the card's arithmetic and its memory could do at most, in operations and bytes a second.
 * False: not known. */
bool card_peaks(const sim_card *card, double *rate, double *bandwidth);
/* clocks for an instruction of doubles, for one of floats; 0: not known */
double card_double_price(const sim_card *card);
/* "8 blocks of 8 warps at once on a multiprocessor: ... The tightest limit is registers. ..." */
/* u: NULL, or of a timed run */
void card_occupancy_text(const sim_occupancy *o, const sim_usage *u, char *out, size_t size);
/* What `device` says of a card beyond one line: its limits, and what it holds of the step at hand.
 */
void card_show(struct app *app, const struct device *d);
/* `get sim`: every value of the card at hand. */
int card_list(struct app *app);
void card_keys(struct app *app, struct words *out); /* "sim.dram_latency" ... */

#endif
