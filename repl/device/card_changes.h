/* card_changes.h: a simulated card as its file and the person's changes (`set sim.KEY VALUE`) make
 * it. */
#ifndef CARD_CHANGES_H
#define CARD_CHANGES_H

#include "shell/app.h"
#include "sim.h"

/* A key as card files have it, less "time.", points as underscores. */
void card_plain_key(const char *key, char *out, size_t size);
int card_change_of(const struct app *app, const char *key); /* its place among the changes; -1: unchanged */
/* Read the device's card, without its changes; *text is to be freed. 0, or an exit status after a
 * message. */
int card_read(struct app *app, const struct device *d, sim_card *card, char **text);
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

#endif
