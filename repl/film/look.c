/* look.c: a film of a lesson's step, and the moments in it that the lesson names. */
#include "device/devices.h"
#include "frame.h"
#include "look.h"
#include "session/session.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void frames_texts(frames *f, const char *ptx, size_t ptx_bytes, char *source, const char *name)
{
    frames_text(&f->source, source);
    frames_text(&f->ptx, ptx ? strndup(ptx, ptx_bytes) : NULL);
    snprintf(f->source_name, sizeof f->source_name, "%.255s", name);
    names_make(f);
}

int frames_card(frames *f, const char *text, const struct device *d)
{
    sim_card card;
    sim_error err = {0};
    if (sim_card_read(&card, text, d->card, &err)) return app_fail(f->app, EXIT_DEVICE, NULL, "%s", err.message);
    f->card = (view_card){.strict = card.cc_major == 1 && card.cc_minor < 2, .banks = card.banks};
    return 0;
}

int frames_of_step(struct app *app, const lesson_step *s, const struct device *d, const step_chosen *chosen,
                   const film_request *what, unsigned checks, frames **out)
{
    step_request q;
    step_values values;
    char *card, *ptx, *source, shown[1400];
    size_t bytes;
    frames *f = NULL;
    *out = NULL;
    int status = session_values(app, s, chosen, &values);
    q = (step_request){.checks = checks, .values = values};
    card = ptx = NULL;
    if (!status) status = session_request(app, s, d, run_chosen(app, chosen), &q, &card, &ptx);
    q.seed = session_seed(app, s, false);
    if (!status) status = frames_open(app, &q, what, &f);
    if (!status) {
        f->owned[0] = card;
        f->owned[1] = ptx;
        status = session_kernel_text(app, s, false, &source, &bytes, shown, sizeof shown);
        if (!status) frames_texts(f, ptx, q.ptx_bytes, source, shown);
        if (!status) status = frames_card(f, card, d);
        if (status) frames_close(f);
        else *out = f;
        return status;
    }
    free(card);
    free(ptx);
    return status;
}

/* ---- moments ---- */

const char *look_place(const lesson_look *k, char *out, size_t size)
{
    size_t n = (size_t)snprintf(out, size, "%s", frame_kind_names[k->kind]);
    if (k->nth > 1 && n < size) n += (size_t)snprintf(out + n, size - n, " %d", k->nth);
    if (k->source_line && n < size) n += (size_t)snprintf(out + n, size - n, " line %d", k->source_line);
    if (k->warp >= 0 && n < size) n += (size_t)snprintf(out + n, size - n, " warp %d", k->warp);
    if ((k->block[0] || k->block[1] || k->block[2]) && n < size)
        n += (size_t)snprintf(out + n, size - n, " block %u,%u,%u", k->block[0], k->block[1], k->block[2]);
    if (k->launch > 1 && n < size) snprintf(out + n, size - n, " launch %d", k->launch);
    return out;
}

char *look_says(const lesson_look *k)
{
    char *text = strdup(k->says.text);
    for (char *p = text; p && *p; p++) *p = *p == '\n' ? ' ' : *p;
    return text;
}

void look_film(const lesson_look *k, film_request *what)
{
    what->launch = k->launch;
    memcpy(what->at, k->block, sizeof what->at);
}

unsigned look_checks(const lesson_look *k) { return k->kind == FRAME_FAULT ? SIM_CHECK_ALL : SIM_CHECK_BARRIER; }

uint32_t look_find(frames *f, const lesson_look *k)
{
    int seen = 0;
    for (uint32_t i = 0;; i++) {
        frames_wait(f, i + 2); /* a branch is seen to split by what comes after it */
        if (i >= f->reel->steps || app_interrupted) return UINT32_MAX;
        const reel_row *r = frame_row(f, i);
        if (k->warp >= 0 && r->warp != (uint32_t)k->warp) continue;
        if (k->source_line && f->reel->insn[r->pc].line != k->source_line) continue;
        if (k->kind == FRAME_SPLIT)
            while (frame_of_warp(f, i, 1) == UINT32_MAX && frames_running(f)) frames_wait(f, f->reel->steps + 1);
        if (frame_is(f, i, k->kind) && ++seen == k->nth) return i;
    }
}

/* ---- questions about a moment ---- */

void look_facts(frames *f, uint32_t i, double fact[FRAME_FACTS])
{
    step_access a;
    char text[100];
    int half;
    frames_wait(f, UINT32_MAX); /* what the other warps wait for is told by what they do later */
    const reel_row *r = frame_row(f, i);
    const uint32_t next = frame_of_warp(f, i, 1);
    for (int k = 0; k < FRAME_FACTS; k++) fact[k] = NAN;
    fact[FACT_LANES] = view_lanes(r->lanes);
    if (next != UINT32_MAX) fact[FACT_GOING_ON] = view_lanes(frame_row(f, next)->lanes & r->lanes);
    fact[FACT_WAITED] = r->waited;
    fact[FACT_WAITING] = 0;
    for (uint32_t w = 0; w < f->reel->warps; w++) {
        const enum frame_state state = frame_state_of(f, i, w, text, sizeof text);
        fact[FACT_WAITING] += w != r->warp && (state == STATE_WAITS || state == STATE_BARRIER);
    }
    if (!reel_moment(f->reel, i, f->moment) || !frame_access(f, f->moment, &a, text, sizeof text)) return;
    if (a.space == 's') fact[FACT_PASSES] = view_passes(&a, f->card.banks, &half);
    else fact[FACT_TRANSACTIONS] = view_transactions(&a, &f->card).transactions;
}

int look_question(const view_context *c, const lesson_predict *p, double fact[FRAME_FACTS])
{
    film_request what = {.file = -1, .most = LOOK_FILM, .whole_block = true};
    frames *f;
    char which[120];
    look_film(&p->frame, &what);
    int status = frames_of_step(c->app, c->s, c->device, c->chosen, &what, look_checks(&p->frame), &f);
    if (status) return status;
    const uint32_t i = look_find(f, &p->frame);
    if (i != UINT32_MAX) look_facts(f, i, fact);
    else if (!app_interrupted)
        status = app_fail(c->app, EXIT_USAGE, "next", "step %s has no moment \"%s\" on %s, which the question is about",
                          c->s->name, look_place(&p->frame, which, sizeof which), c->device->label);
    else status = EXIT_INTERRUPT;
    frames_close(f);
    return status;
}
