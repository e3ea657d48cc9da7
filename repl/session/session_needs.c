/* session_needs.c: can a device run a step? card-needs: says what it must have. */
#include "session.h"
#include "device/devices.h"
#include "device/card_changes.h"
#include "shell/words.h"
#include <stdlib.h>
#include <string.h>

bool session_lacks(struct app *app, const lesson_step *s, const struct device *d, char *why, size_t size)
{
    const card_needs n = step_needs(app->lesson->l, s);
    if (!n.line || (s && !step_runs(s))) return false;
    if (d->kind == DEVICE_GPU) {
        const int compute = device_gpu_arch(app, d->index);
        return compute && card_lacks(&n, d->label, compute, NULL, why, size);
    }
    char *text = NULL;
    sim_card card;
    sim_error err = {0};
    if (d->kind != DEVICE_SIM || device_card_text(app, d, &text)) return false; /* the run reports it */
    const bool lacks = !sim_card_read(&card, text, d->card, &err) && !card_apply_changes(d, &card, &err) &&
                       card_lacks(&n, d->label, card.cc_major * 10 + card.cc_minor, &card, why, size);
    free(text);
    return lacks;
}

bool session_passes_over(struct app *app, const lesson_step *s, char *why, size_t size)
{
    struct device d[DEVICES_MAX];
    step_chosen chosen = *session_chosen(app);
    int count;
    if (!step_needs(app->lesson->l, s).line || session_devices(app, s, &chosen, d, &count)) return false;
    for (int i = 0; i < count; i++)
        if (!session_lacks(app, s, &d[i], why, size)) return false;
    return count > 0;
}

bool session_card_that_can(struct app *app, const lesson_step *s, const char *first, struct device *out)
{
    struct words cards = {0};
    char why[200];
    bool found = false;
    words_add(&cards, first);
    device_names(&cards); /* sorts them */
    for (int i = -1; i < cards.count && !found; i++) {
        const char *card = i < 0 ? first : cards.v[i];
        if (!device_simulates(card)) continue;
        struct device d = {.index = -1};
        if (device_simulated(app, card, &d)) continue;
        found = !session_lacks(app, s, &d, why, sizeof why);
        if (found) *out = d;
    }
    words_free(&cards);
    return found;
}

void session_device_that_can(struct app *app, const lesson_step *s, const char *card, struct device *d)
{
    struct lesson_state *st = app->lesson;
    struct device other;
    char why[200];
    if (!st || !st->l || !session_lacks(app, s, d, why, sizeof why) || !session_card_that_can(app, s, card, &other))
        return;
    if (st->moved != st->l->serial)
        app_warn(app, "%s runs on %s: %s", s ? session_step_name(app, s) : st->l->name, other.label, why);
    st->moved = st->l->serial;
    *d = other;
}
