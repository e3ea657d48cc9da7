/* show_card.c: simulated cards, as `device` and `get sim` show them and `set sim.KEY` changes them.
 * `set sim.dram_latency 2x` notes a change. Every simulated device used afterwards carries the note
 * in struct device and in its label, and the child that opens the card applies it (device_sim.c).
 * So a changed card cannot be mistaken for the real one. */
#include "show_card.h"
#include "author/author.h"
#include "device/devices.h"

#include "commands.h"
#include "shell/format.h"
#include "shell/language.h"
#include "shell/document.h"
#include "session/session.h"
#include "shell/words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* All values of a card, as sim_card_values gives them; to be freed. */
static sim_card_value *values_of(const sim_card *card, const char *text, int *count)
{
    *count = sim_card_values(card, text, NULL, 0);
    sim_card_value *v = calloc((size_t)*count + 1, sizeof *v);
    if (v) sim_card_values(card, text, v, *count);
    else *count = 0;
    return v;
}

/* ---- changes ---- */

/* The current simulated cards, as in their files. */
static int cards_here(struct app *app, struct device out[DEVICES_MAX], int *count)
{
    int kept = app->card_change_count;
    app->card_change_count = 0;
    int all, status = device_resolve(app, app->lessons ? app->lessons->card(app) : NULL, out, &all);
    app->card_change_count = kept;
    *count = 0;
    for (int i = 0; !status && i < all; i++)
        if (out[i].kind == DEVICE_SIM) {
            if (i != *count) out[*count] = out[i];
            ++*count;
        }
    return status;
}

int card_change(struct app *app, const char *key, const char *value)
{
    int at = card_change_of(app, key);
    if (!strcmp(value, "default")) {
        if (at >= 0) app->card_changes[at] = app->card_changes[--app->card_change_count];
        return 0;
    }
    struct device d[DEVICES_MAX];
    int count, status = cards_here(app, d, &count);
    if (!status && !count)
        return app_fail(app, EXIT_USAGE, "device sim:8800gt", "only a simulated card can be changed");
    for (int i = 0; !status && i < count; i++) {
        sim_card card;
        sim_error err = {0};
        char *text;
        if ((status = card_read(app, &d[i], &card, &text))) return status;
        if (sim_card_set(&card, key, value, &err))
            status = app_fail(app, EXIT_USAGE, "get sim", "%s: %s", d[i].label, err.message);
        free(text);
    }
    if (status) return status;
    struct card_change change;
    card_plain_key(key, change.key, sizeof change.key);
    if (strlen(value) >= sizeof change.value) return app_fail(app, EXIT_USAGE, "get sim", "\"%s\" is too long", value);
    memcpy(change.value, value, strlen(value) + 1);
    if (at < 0 && app->card_change_count == CARD_CHANGES)
        return app_fail(app, EXIT_USAGE, "get sim", "at most %d values can be changed at once; set one back to default",
                        CARD_CHANGES);
    app->card_changes[at < 0 ? app->card_change_count++ : at] = change;
    return 0;
}

/* ---- lists ---- */

const char *card_value(struct app *app, const char *key, char *out, size_t size)
{
    struct device d[DEVICES_MAX];
    char plain[64], own[64];
    int count, at = card_change_of(app, key);
    sim_card card;
    if (cards_here(app, d, &count) || !count) return NULL;
    card_note_changes(app, &d[0]);
    if (card_open(app, &d[0], &card, NULL)) return NULL;
    int n;
    sim_card_value *v = values_of(&card, NULL, &n);
    card_plain_key(key, plain, sizeof plain);
    const char *found = NULL;
    for (int i = 0; i < n && !found; i++) {
        card_plain_key(v[i].key, own, sizeof own);
        if (strcmp(own, plain)) continue;
        snprintf(out, size, "%s%s%s%s%s%s", v[i].value, *v[i].unit ? " " : "", v[i].unit, at < 0 ? "" : " (",
                 at < 0 ? "" : app->card_changes[at].value, at < 0 ? "" : ")");
        found = out;
    }
    free(v);
    return found;
}

void card_keys(struct app *app, struct words *out)
{
    struct device d[DEVICES_MAX];
    int count;
    sim_card card;
    if (cards_here(app, d, &count) || !count || card_open(app, &d[0], &card, NULL)) return;
    int n;
    sim_card_value *v = values_of(&card, NULL, &n);
    for (int i = 0; i < n; i++) {
        char name[80], plain[64];
        card_plain_key(v[i].key, plain, sizeof plain);
        snprintf(name, sizeof name, "sim.%s", plain);
        words_add(out, name);
    }
    free(v);
}

static void put_value(doc *d, const struct device *device, const sim_card_value *v)
{
    char key[64], name[200];
    card_plain_key(v->key, key, sizeof key);
    doc_data(d, "card_value", "device %s, key %s, value %g, unit %s, changed %i, meaning %s, source %s", device->label,
             key, v->number, v->unit, v->changed, v->meaning, v->source);
    size_t n = (size_t)snprintf(name, sizeof name, "  %s%-20s ", v->changed ? app_style(d->app, STYLE_BOLD) : "", key);
    snprintf(name + n, sizeof name - n, "%s%s%s%s", v->value, *v->unit ? " " : "", v->unit,
             v->changed ? app_style(d->app, STYLE_PLAIN) : "");
    doc_entry(d, 46, name, "%s%s%s%s%s", TR(v->meaning), *v->source ? " (" : "", v->source, *v->source ? ")" : "",
              v->changed ? TR(", CHANGED") : "");
}

int card_list(struct app *app)
{
    struct device d[DEVICES_MAX];
    int count, status = device_resolve(app, app->lessons ? app->lessons->card(app) : NULL, d, &count);
    doc out = doc_open(app);
    for (int i = 0; !status && i < count; i++) {
        sim_card card;
        char *text;
        if (d[i].kind != DEVICE_SIM || (status = card_open(app, &d[i], &card, &text))) continue;
        int n;
        sim_card_value *v = values_of(&card, text, &n);
        doc_line(&out, "%s", d[i].label);
        for (int k = 0; k < n; k++)
            if (v[k].given || v[k].changed) put_value(&out, &d[i], &v[k]);
        free(v);
        free(text);
    }
    return status;
}

/* ---- a card's limits, and the occupancy of the current step ---- */

static void put_limits(doc *d, const sim_card *c)
{
    char a[32], b[32], r[32];
    doc_entry(d, 20, "  a block", "at most %d threads and %s of shared memory", c->max_threads_per_block,
              format_bytes(a, sizeof a, (uint64_t)c->shared_per_block));
    doc_entry(d, 20, "  a multiprocessor", "holds %d threads, %d blocks, %s registers, %s of shared memory in %d banks",
              c->max_threads_per_mp, c->max_blocks_per_mp, format_count(r, sizeof r, (uint64_t)c->registers_per_mp),
              format_bytes(b, sizeof b, (uint64_t)c->shared_per_mp), c->banks);
    if (!c->timing.known) {
        doc_entry(d, 20, "  clock", "none yet: this card is not timed");
        return;
    }
    doc_entry(d, 20, "  memory gives", "%s, after %g clocks at least",
              format_si(a, sizeof a, c->timing.dram_bytes * c->clock_khz * 1e3, "B/s"), c->timing.dram_latency);
    if (c->host.kernel_us > 0)
        doc_entry(d, 20, "  launch overhead", "%s for each kernel, beside its cycles",
                  format_si(a, sizeof a, c->host.kernel_us * 1e-6, "s"));
}

static void put_occupancy(doc *out, const struct device *d)
{
    struct app *app = out->app;
    const lesson_step *s = app->lesson ? app->lesson->s : NULL;
    int status;
    if (!s || !step_launches(s)) return;
    const step_result *r = session_result(app, s, d, run_chosen(app, session_chosen(app)), &status);
    if (!r || !r->has_occupancy) return;
    char text[800], name[80];
    card_occupancy_text(&r->occupancy, r->has_usage ? &r->usage : NULL, text, sizeof text);
    snprintf(name, sizeof name, "  %s", session_step_name(app, s));
    doc_entry(out, 20, name, "%s", text);
}

void card_show(doc *out, const struct device *d)
{
    sim_card card;
    char known[200];
    if (doc_is_data(out) || card_open(out->app, d, &card, NULL)) return;
    put_limits(out, &card);
    put_occupancy(out, d);
    if (fidelity_known(card.name, known, sizeof known))
        doc_entry(out, 20, "  the model", "beside real cards: %s", known);
    doc_entry(out, 20, "  get sim", "lists every value; `set sim.dram_latency 2x` changes one for this session");
}
