/* card_changes.c: a simulated card with the person's changes, and facts worked out from its
 * values. */
#include "card_changes.h"

#include "devices.h"
#include "shell/language.h"

#include <stdlib.h>
#include <string.h>

/* A key as in card files, without "time.", and with points as underscores: both dram.latency and
 * time.dram_latency become dram_latency. */
void card_plain_key(const char *key, char *out, size_t size)
{
    if (!strncmp(key, "time.", 5)) key += 5;
    snprintf(out, size, "%s", key);
    for (char *p = out; *p; p++)
        if (*p == '.') *p = '_';
}

int card_change_of(const struct app *app, const char *key)
{
    char plain[sizeof app->card_changes->key];
    card_plain_key(key, plain, sizeof plain);
    for (int i = 0; i < app->card_change_count; i++)
        if (!strcmp(app->card_changes[i].key, plain)) return i;
    return -1;
}

int card_read(struct app *app, const struct device *d, sim_card *card, char **text)
{
    sim_error err = {0};
    int status = device_card_text(app, d, text);
    if (!status && sim_card_read(card, *text, d->path[0] ? d->path : d->card, &err))
        status = app_fail(app, EXIT_USAGE, NULL, "%s:%d: %s", err.file, err.line, err.message);
    if (status) {
        free(*text);
        *text = NULL;
    }
    return status;
}

void card_note_changes(const struct app *app, struct device *d)
{
    size_t used = 0;
    d->changes[0] = 0;
    for (int i = 0; i < app->card_change_count && used < sizeof d->changes; i++)
        used += (size_t)snprintf(d->changes + used, sizeof d->changes - used, "%s%s=%s", i ? " " : "",
                                 app->card_changes[i].key, app->card_changes[i].value);
    used = strlen(d->label);
    if (d->changes[0]) snprintf(d->label + used, sizeof d->label - used, " %s", d->changes);
}

bool card_changed(const struct device *d, const char *without, const char *changes, struct device *out)
{
    const size_t used = strlen(d->changes), label = strlen(d->label);
    *out = *d;
    if (used + strlen(changes) + 2 > sizeof out->changes || label + strlen(without) + 12 > sizeof out->label)
        return false;
    snprintf(out->changes + used, sizeof out->changes - used, "%s%s", used ? " " : "", changes);
    snprintf(out->label + label, sizeof out->label - label, " without %s", without);
    return true;
}

int card_apply_changes(const struct device *d, sim_card *card, sim_error *err)
{
    char changes[sizeof d->changes], *rest = NULL;
    memcpy(changes, d->changes, sizeof changes);
    for (char *one = strtok_r(changes, " ", &rest); one; one = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(one, '=');
        if (!value) continue;
        *value++ = 0;
        int code = sim_card_set(card, one, value, err);
        if (code) return code;
    }
    return 0;
}

int card_open(struct app *app, const struct device *d, sim_card *card, char **text)
{
    char *own;
    sim_error err = {0};
    int status = card_read(app, d, card, &own);
    if (status) return status;
    if (card_apply_changes(d, card, &err))
        status = app_fail(app, EXIT_USAGE, "get sim", "%s: %s", d->label, err.message);
    if (text && !status) *text = own;
    else free(own);
    return status;
}

bool card_peaks(const sim_card *card, double *rate, double *bandwidth)
{
    const sim_timing *t = &card->timing;
    double clocks = t->float_issue > 0 ? t->float_issue : t->issue;
    if (!t->known || clocks <= 0 || t->dram_bytes <= 0) return false;
    *rate = 2.0 * 32 / clocks * t->schedulers * card->multiprocessors * 1e3 * card->clock_khz;
    *bandwidth = t->dram_bytes * 1e3 * card->clock_khz;
    return true;
}

double card_double_price(const sim_card *card)
{
    const sim_timing *t = &card->timing;
    const double single = t->float_issue > 0 ? t->float_issue : t->issue;
    return t->known && single > 0 ? t->double_issue / single : 0;
}

const char *card_registers_text(const sim_occupancy *o, char *out, size_t size)
{
    *out = 0;
    if (o->estimate)
        snprintf(out, size,
                 TR("The kernel's registers are estimated at %d for each thread, too many for a block of %d threads. "
                    "The estimate may be too high: the block ran with the %d that fit."),
                 o->estimate, o->threads, o->registers);
    return out;
}

void card_occupancy_text(const sim_occupancy *o, const sim_usage *u, char *out, size_t size)
{
    char achieved[100] = "";
    if (u)
        snprintf(achieved, sizeof achieved, TR("; achieved over the run %.*f %%"), u->occupancy < 0.0995 ? 1 : 0,
                 100 * u->occupancy);
    snprintf(out, size,
             TR("Occupancy: limit %.0f %%%s. %d block%s of %d warp%s fit on a multiprocessor at once: %d of %d warps. "
                "The tightest limit is %s. "
                "(Threads allow %d, blocks %d, registers %d at %d per thread, shared memory %d.)"),
             o->max_warps ? 100.0 * o->warps / o->max_warps : 0, achieved, o->blocks, o->blocks == 1 ? "" : "s",
             o->warps_per_block, o->warps_per_block == 1 ? "" : "s", o->warps, o->max_warps,
             TR(sim_limit_name(o->limit)), o->fit[SIM_LIMIT_THREADS], o->fit[SIM_LIMIT_BLOCKS],
             o->fit[SIM_LIMIT_REGISTERS], o->registers, o->fit[SIM_LIMIT_SHARED]);
}
