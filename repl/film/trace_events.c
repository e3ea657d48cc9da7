/* trace_events.c: a film as Chrome trace events, which Perfetto and chrome://tracing show: a process
 * per film, a thread per warp, and on it what the warp issues and what it waits for. */
#include "page.h"
#include "shell/json.h"
#include "strip.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS_MOST = 200000 }; /* about 30 MB */

typedef struct event {
    uint64_t clock, clocks;
    const char *name, *category; /* name NULL: an instruction */
    uint32_t track, pc, step;    /* step: its number in the block plus one; 0: none */
    int film;
} event;

typedef struct tracer {
    event *event;
    uint32_t count;
    bool cut;
    uint64_t from, to;
} tracer;

static void add(tracer *t, const event *e)
{
    if (e->clock + e->clocks < t->from || e->clock >= t->to || (!e->clocks && e->name)) return;
    if (t->count == EVENTS_MOST) t->cut = true;
    else t->event[t->count++] = *e;
}

/* What a warp did up to this instruction, and while it was issued. */
static void add_row(tracer *t, event e, const reel_row *r)
{
    const uint64_t ready = r->clock - r->queued;
    const event instruction = e;
    e.category = "wait";
    e.step = 0;
    e.name = sim_stall_info_of(r->cause)->name;
    e.clock = ready - r->waited;
    e.clocks = r->waited;
    add(t, &e);
    e.name = "ready, others go first";
    e.clock = ready;
    e.clocks = r->queued;
    add(t, &e);
    e = instruction;
    e.clock = r->clock;
    e.clocks = r->slot;
    if (r->slot || r->kind != SIM_MOMENT_MORE) add(t, &e);
}

/* The rows of a film whose tracks are places, or, of the block only, warps. */
static void add_film(tracer *t, const frames *f, int film, bool block)
{
    const reel *l = f->reel;
    uint32_t step = 0;
    for (uint32_t i = 0; i < l->rows && !(t->cut && l->row[i].clock >= t->to); i++) {
        const reel_row *r = &l->row[i];
        const bool own = step < l->steps && l->step[step] == i;
        const uint32_t track = block ? r->warp : r->place;
        step += own;
        if (r->kind == SIM_MOMENT_BEGIN || r->kind == SIM_MOMENT_END || (block && r->block != l->number) ||
            track >= STRIP_PLACES)
            continue;
        add_row(t, (event){.category = "issue", .track = track, .pc = r->pc, .film = film, .step = own ? step : 0}, r);
    }
}

static int in_time(const void *a, const void *b)
{
    const event *x = a, *y = b;
    if (x->clock != y->clock) return x->clock < y->clock ? -1 : 1;
    if (x->film != y->film) return x->film - y->film;
    return x->track != y->track ? (x->track < y->track ? -1 : 1) : 0;
}

static void put_name(FILE *out, const char *what, int film, int track, const char *name)
{
    json j = {.out = out};
    json_object(&j, NULL);
    json_keys(&j, "name %s, ph %s, pid %d, tid %d", what, "M", film + 1, track);
    json_object(&j, "args");
    json_text(&j, "name", name);
    json_close(&j);
    json_close(&j);
    fputs(",\n", out);
}

static void put_event(FILE *out, const frames *f, const event *e)
{
    const double us = 1e3 / (f->reel->clock_khz > 0 ? f->reel->clock_khz : 1000000);
    const reel_insn *in = &f->reel->insn[e->pc];
    json j = {.out = out};
    json_object(&j, NULL);
    json_keys(&j, "name %s, cat %s, ph %s, pid %d, tid %u",
              e->name       ? e->name
              : in->form[0] ? in->form
                            : "instruction",
              e->category, e->clocks ? "X" : "i", e->film + 1, e->track + 1);
    json_number(&j, "ts", (double)e->clock * us);
    if (e->clocks) json_number(&j, "dur", (double)e->clocks * us);
    else json_text(&j, "s", "t"); /* it takes no clock of its own: a mark on its warp's track */
    json_object(&j, "args");
    json_keys(&j, "clock %llu, clocks %llu", (unsigned long long)e->clock, (unsigned long long)e->clocks);
    if (!e->name) {
        const char *ptx = in->ptx_line > 0 && in->ptx_line <= f->ptx.count ? f->ptx.line[in->ptx_line - 1] : "";
        json_keys(&j, "line %d, ptx %s", in->line, ptx + strspn(ptx, " \t"));
        if (e->step) json_uint(&j, "step", e->step);
    }
    json_close(&j);
    json_close(&j);
}

static void put_tracks(FILE *out, const film_choice *c, int film, const tracer *t)
{
    const frames *f = c->film[film];
    bool seen[STRIP_PLACES] = {false};
    char name[300];
    snprintf(name, sizeof name, "%s on %s, %s", f->title, f->device, c->frame ? "one block" : "one multiprocessor");
    put_name(out, "process_name", film, 0, name);
    for (uint32_t i = 0; i < t->count; i++)
        if (t->event[i].film == film) seen[t->event[i].track] = true;
    for (int k = 0; k < STRIP_PLACES; k++) {
        snprintf(name, sizeof name, "warp %d", k);
        if (seen[k]) put_name(out, "thread_name", film, k + 1, name);
    }
}

bool trace_write(const film_choice *c, FILE *out, uint32_t *events, bool *cut)
{
    tracer t = {.event = malloc(EVENTS_MOST * sizeof *t.event), .from = c->clock_from, .to = c->clock_to};
    bool ok = t.event;
    for (int i = 0; ok && i < c->films; i++) add_film(&t, c->film[i], i, c->frame);
    if (ok) {
        qsort(t.event, t.count, sizeof *t.event, in_time);
        fprintf(
            out,
            "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"made by\":\"warpstep %s\",\"simulated\":true,\"cut\":%s},\n"
            "\"traceEvents\":[\n",
            app_version, t.cut ? "true" : "false");
        for (int i = 0; i < c->films; i++) put_tracks(out, c, i, &t);
        for (uint32_t i = 0; i < t.count; i++) {
            if (i) fputs(",\n", out);
            put_event(out, c->film[t.event[i].film], &t.event[i]);
        }
        fputs("\n]}\n", out);
    }
    *events = t.count;
    *cut = t.cut;
    free(t.event);
    return ok;
}
