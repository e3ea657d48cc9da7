/* card_changes.h: a simulated card: the values of its file and the person's changes (`set sim.KEY
 * VALUE`). */
#ifndef CARD_CHANGES_H
#define CARD_CHANGES_H

#include "shell/app.h"
#include "sim.h"

/* A key as in card files, without "time.", and with points as underscores. */
void card_plain_key(const char *key, char *out, size_t size);
int card_change_of(const struct app *app, const char *key); /* its index among the changes; -1: unchanged */
/* Read the device's card, without its changes; *text is to be freed. 0, or an exit status after a
 * message. */
int card_read(struct app *app, const struct device *d, sim_card *card, char **text);
/* Note the changes in a device that is about to be used, and in its label, so that every row shows
 * them. */
void card_note_changes(const struct app *app, struct device *d);
/* The same device with further changes, and " without ..." appended to its label. False: there is
 * no room to note them. */
bool card_changed(const struct device *d, const char *without, const char *changes, struct device *out);
/* Apply the changes that a device notes. A SIM_E code with *err filled when a change does not fit
 * this card. */
int card_apply_changes(const struct device *d, sim_card *card, sim_error *err);
/* Read the device's card and apply its changes. *text (its file) is to be freed; `text` may be
 * NULL. */
int card_open(struct app *app, const struct device *d, sim_card *card, char **text);

/* Peak rates of the card's arithmetic and memory, in operations and bytes per second. False:
 * unknown. */
bool card_peaks(const sim_card *card, double *rate, double *bandwidth);
/* Issue cycles of an instruction on doubles, relative to one on floats; 0: unknown. */
double card_double_price(const sim_card *card);
/* "8 blocks of 8 warps at once on a multiprocessor: ... The tightest limit is registers. ..." */
/* u: NULL, or the usage of a timed run */
void card_occupancy_text(const sim_occupancy *o, const sim_usage *u, char *out, size_t size);
/* What is to be said of a launch with fewer registers than the estimate; "": nothing. */
const char *card_registers_text(const sim_occupancy *o, char *out, size_t size);

#endif
