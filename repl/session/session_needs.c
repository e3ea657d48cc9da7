/* session_needs.c: can a device run a step? card-needs: says what it must have. */
#include "session.h"
#include "device/devices.h"
#include "device/card_changes.h"
#include "shell/format.h"
#include "shell/language.h"
#include "shell/words.h"
#include <stdlib.h>
#include <string.h>

/* The simulated card, with what was changed of it. */
static bool read_card(struct app *app, const struct device *d, sim_card *card)
{
    char *text = NULL;
    sim_error err = {0};
    if (d->kind != DEVICE_SIM || device_card_text(app, d, &text)) return false; /* the run reports it */
    const bool good = !sim_card_read(card, text, d->card, &err) && !card_apply_changes(d, card, &err);
    free(text);
    return good;
}

bool session_lacks(struct app *app, const lesson_step *s, const struct device *d, char *why, size_t size)
{
    const card_needs n = step_needs(app->lesson->l, s);
    if (!n.line || (s && !step_runs(s))) return false;
    if (d->kind == DEVICE_GPU) {
        const int compute = device_gpu_arch(app, d->index);
        return compute && card_lacks(&n, d->label, compute, NULL, why, size);
    }
    sim_card card;
    return read_card(app, d, &card) && card_lacks(&n, d->label, card.cc_major * 10 + card.cc_minor, &card, why, size);
}

static int64_t shared_of_block(const sim_card *c)
{
    const int64_t left = (int64_t)c->shared_per_mp - c->shared_reserved;
    return left < c->shared_per_block ? left : c->shared_per_block;
}

/* The largest of a half, a quarter ... of one setting with which the step's shared memory fits. */
static bool smaller_that_fits(const lesson *l, const lesson_step *s, const step_chosen *chosen, const step_values *v,
                              const sim_card *card, char *out, size_t size)
{
    char why[300];
    for (int i = 0; i < l->setting_count; i++) {
        if (v->fixed[i] || !step_uses(l, s, i)) continue;
        step_chosen with = *chosen;
        step_values now;
        with.set[i] = true;
        for (int64_t n = v->value[i] / 2; n > 0 && n >= v->least[i]; n /= 2) {
            with.value[i] = n;
            if (!step_settings(l, s, &with, &now, why, sizeof why)) continue;
            if (step_shared(l, s, &now, card) > shared_of_block(card)) continue;
            snprintf(out, size, "set %s %lld", l->setting[i].name, (long long)n);
            return true;
        }
    }
    return false;
}

bool session_fits(struct app *app, const lesson_step *s, const struct device *d, const step_chosen *chosen,
                  const step_values *v, char *why, size_t size, char *next, size_t next_size)
{
    const lesson *l = app->lesson->l;
    sim_card card;
    char needs[40], has[40];
    if (!step_launches(s) || !step_job(s)->kind->counts_shared || !read_card(app, d, &card)) return true;
    const int64_t shared = step_shared(l, s, v, &card), most = shared_of_block(&card);
    if (shared <= most) return true;
    snprintf(why, size, TR("a block asks for %s bytes of shared memory, and %.60s has %s"),
             format_count(needs, sizeof needs, (uint64_t)shared), d->label,
             format_count(has, sizeof has, (uint64_t)most));
    if (!smaller_that_fits(l, s, chosen, v, &card, next, next_size)) snprintf(next, next_size, "devices");
    return false;
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
