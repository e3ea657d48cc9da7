/* show_card.c: simulated cards as the person sees and changes them. `set sim.dram_latency 2x` notes
 * a change; every simulated device that is used afterwards carries the note in struct device and in
 * its label, and the child that opens the card makes it (device_sim.c). So a changed card can never
 * be taken for the real one. `get sim` lists what there is to change, `device` says what the card
 * holds.
 */
#include "show_card.h"
#include "author/author.h"
#include "device/devices.h"

#include "commands.h"
#include "shell/format.h"
#include "shell/json.h"
#include "session/session.h"
#include "shell/words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = 128 };

/* ---- changes ---- */

/* The simulated cards at hand, as their files have them. */
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
    sim_card_value v[VALUES];
    int n = sim_card_values(&card, NULL, v, VALUES);
    card_plain_key(key, plain, sizeof plain);
    for (int i = 0; i < n && i < VALUES; i++) {
        card_plain_key(v[i].key, own, sizeof own);
        if (strcmp(own, plain)) continue;
        snprintf(out, size, "%s%s%s%s%s%s", v[i].value, *v[i].unit ? " " : "", v[i].unit, at < 0 ? "" : " (",
                 at < 0 ? "" : app->card_changes[at].value, at < 0 ? "" : ")");
        return out;
    }
    return NULL;
}

void card_keys(struct app *app, struct words *out)
{
    struct device d[DEVICES_MAX];
    int count;
    sim_card card;
    if (cards_here(app, d, &count) || !count || card_open(app, &d[0], &card, NULL)) return;
    sim_card_value v[VALUES];
    int n = sim_card_values(&card, NULL, v, VALUES);
    for (int i = 0; i < n && i < VALUES; i++) {
        char name[80], plain[64];
        card_plain_key(v[i].key, plain, sizeof plain);
        snprintf(name, sizeof name, "sim.%s", plain);
        words_add(out, name);
    }
}

static void put_value(struct app *app, const struct device *d, const sim_card_value *v)
{
    char key[64], value[128];
    card_plain_key(v->key, key, sizeof key);
    if (app->json) {
        json j;
        json_begin(&j, app->out, "card_value");
        json_text(&j, "device", d->label);
        json_text(&j, "key", key);
        json_number(&j, "value", v->number);
        json_text(&j, "unit", v->unit);
        json_bool(&j, "changed", v->changed);
        json_text(&j, "meaning", v->meaning);
        json_text(&j, "source", v->source);
        json_end(&j);
        return;
    }
    snprintf(value, sizeof value, "%s%s%s", v->value, *v->unit ? " " : "", v->unit);
    fprintf(app->out, "  %s%-20s %-22s%s ", v->changed ? app_style(app, STYLE_BOLD) : "", key, value,
            v->changed ? app_style(app, STYLE_PLAIN) : "");
    char text[300];
    snprintf(text, sizeof text, "%s%s%s%s%s", v->meaning, *v->source ? " (" : "", v->source, *v->source ? ")" : "",
             v->changed ? ", CHANGED" : "");
    const int at = app->width < 76 ? 6 : 46; /* a narrow terminal: below the value */
    if (at < 46) fprintf(app->out, "\n%*s", at, "");
    print_wrapped(app->out, text, at, at, app->width > 120 ? 120 : app->width);
}

int card_list(struct app *app)
{
    struct device d[DEVICES_MAX];
    int count, status = device_resolve(app, app->lessons ? app->lessons->card(app) : NULL, d, &count);
    for (int i = 0; !status && i < count; i++) {
        sim_card card;
        char *text;
        if (d[i].kind != DEVICE_SIM || (status = card_open(app, &d[i], &card, &text))) continue;
        sim_card_value v[VALUES];
        int n = sim_card_values(&card, text, v, VALUES);
        if (!app->json) fprintf(app->out, "%s\n", d[i].label);
        for (int k = 0; k < n && k < VALUES; k++)
            if (v[k].given || v[k].changed) put_value(app, &d[i], &v[k]);
        free(text);
    }
    return status;
}

/* ---- what the card holds, and of the step at hand ---- */

static void put_row(struct app *app, const char *name, const char *text)
{
    fprintf(app->out, "  %-18s", name);
    print_wrapped(app->out, text, 20, 20, app->width > 100 ? 100 : app->width);
}

static void put_limits(struct app *app, const sim_card *c)
{
    char text[300], a[32], b[32], r[32];
    snprintf(text, sizeof text, "at most %d threads and %s of shared memory", c->max_threads_per_block,
             format_bytes(a, sizeof a, (uint64_t)c->shared_per_block));
    put_row(app, "a block", text);
    snprintf(text, sizeof text, "holds %d threads, %d blocks, %s registers, %s of shared memory in %d banks",
             c->max_threads_per_mp, c->max_blocks_per_mp, format_count(r, sizeof r, (uint64_t)c->registers_per_mp),
             format_bytes(b, sizeof b, (uint64_t)c->shared_per_mp), c->banks);
    put_row(app, "a multiprocessor", text);
    if (!c->timing.known) {
        put_row(app, "clock", "none yet: this card counts, and tells no time");
        return;
    }
    snprintf(text, sizeof text, "%s, after %g clocks at least",
             format_si(a, sizeof a, c->timing.dram_bytes * c->clock_khz * 1e3, "B/s"), c->timing.dram_latency);
    put_row(app, "memory gives", text);
    if (c->host.kernel_us > 0) {
        snprintf(text, sizeof text, "%s for each kernel, beside its cycles",
                 format_si(a, sizeof a, c->host.kernel_us * 1e-6, "s"));
        put_row(app, "launch overhead", text);
    }
}

static void put_occupancy(struct app *app, const struct device *d)
{
    const lesson_step *s = app->lesson ? app->lesson->s : NULL;
    int status;
    if (!s || !step_launches(s)) return;
    const step_result *r = session_result(app, s, d, NULL, false, false, &status);
    if (!r || !r->has_occupancy) return;
    char text[600];
    card_occupancy_text(&r->occupancy, r->has_usage ? &r->usage : NULL, text, sizeof text);
    put_row(app, session_step_name(app, s), text);
}

void card_show(struct app *app, const struct device *d)
{
    sim_card card;
    char known[200], text[300];
    if (app->json || card_open(app, d, &card, NULL)) return;
    put_limits(app, &card);
    put_occupancy(app, d);
    if (fidelity_known(card.name, known, sizeof known)) {
        snprintf(text, sizeof text, "beside real cards: %s", known);
        put_row(app, "the model", text);
    }
    put_row(app, "get sim", "lists every value; `set sim.dram_latency 2x` changes one for this session");
}
