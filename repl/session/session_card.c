/* session_card.c: is a simulated card large enough for a lesson's own sizes? A setting may have a
 * smaller default for computers with little memory. It is used too when a step's buffers do not fit
 * into the card's memory, or its blocks into a grid. When several cards are compared, all get the
 * same sizes. */
#include "session.h"
#include "device/devices.h"
#include "device/card_changes.h"
#include <stdlib.h>

static bool step_fits(const lesson *l, const lesson_step *s, const step_chosen *chosen, const sim_card *card)
{
    const int64_t most[3] = {card->max_grid_x, card->max_grid_y, card->max_grid_z};
    step_values v;
    char why[300];
    uint64_t bytes = 0;
    if (!step_settings(l, s, chosen, &v, why, sizeof why)) return true; /* the run will report it */
    for (int i = 0; i < s->buffer_count; i++) {
        int64_t count;
        if (step_value(l, &v, &s->buffer[i].length, &count, why, sizeof why) && count > 0)
            bytes += (uint64_t)count * (uint64_t)lesson_types[s->buffer[i].type].bytes;
    }
    bool fits = !card->memory_bytes || bytes <= (uint64_t)card->memory_bytes;
    for (int i = 0; i < s->action_count; i++)
        for (int k = 0; k < 3 && s->action[i].kind == ACT_LAUNCH; k++) {
            int64_t blocks;
            if (s->action[i].grid[k].count && step_value(l, &v, &s->action[i].grid[k], &blocks, why, sizeof why))
                fits = fits && blocks <= most[k];
        }
    return fits;
}

static bool card_fits(struct app *app, const step_chosen *chosen, const struct device *d)
{
    const lesson *l = app->lesson->l;
    char *text = NULL;
    sim_card card;
    sim_error err = {0};
    bool fits = true;
    if (d->kind != DEVICE_SIM || device_card_text(app, d, &text)) return true;
    if (!sim_card_read(&card, text, d->card, &err) && !card_apply_changes(d, &card, &err))
        for (int i = 0; i < l->step_count && fits; i++)
            fits = l->step[i].aside || l->step[i].card || !step_launches(&l->step[i]) ||
                   step_fits(l, &l->step[i], chosen, &card);
    free(text);
    return fits;
}

void session_look_at_cards(struct app *app, step_chosen *chosen, const struct device *d, int count)
{
    const lesson *l = app->lesson->l;
    bool asked = false;
    chosen->small_card = false;
    for (int i = 0; l && i < l->setting_count; i++) asked = asked || (l->setting[i].lean.count && !chosen->set[i]);
    for (int i = 0; asked && i < count && !chosen->small_card; i++) chosen->small_card = !card_fits(app, chosen, &d[i]);
}
