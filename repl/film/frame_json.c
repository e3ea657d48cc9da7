/* frame_json.c: a frame as an object, schema warpstep/step-1. */
#include "frame.h"
#include "shell/json.h"
#include <inttypes.h>
#include <string.h>

static void put_number(json *j, const reel_operand *o, uint64_t bits)
{
    const uint32_t word = (uint32_t)bits;
    float single;
    double wide;
    memcpy(&single, &word, 4);
    memcpy(&wide, &bits, 8);
    if (o->bytes == 4) json_bool(j, NULL, bits);
    else if (o->type[0] == 'f' && o->bytes == 128) json_number(j, NULL, (double)single);
    else if (o->type[0] == 'f' && o->bytes == 256) json_number(j, NULL, wide);
    else if (o->type[0] == 'u' || o->bytes > 128) json_uint(j, NULL, bits);
    else json_int(j, NULL, (int32_t)word);
}

static void put_values(json *j, const char *key, const frame *r, const frame_value *list, int count)
{
    json_array(j, key);
    for (int i = 0; i < count; i++) {
        const frame_value *v = &list[i];
        json_object(j, NULL);
        json_text(j, "name", v->name[0] ? v->name : v->operand->name);
        json_text(j, "register", v->operand->name);
        json_array(j, "lanes");
        for (int l = 0; l < 32; l++) {
            if (r->row->lanes >> l & 1) put_number(j, v->operand, v->lane[l]);
            else json_null(j, NULL);
        }
        json_close(j);
        json_close(j);
    }
    json_close(j);
}

static void put_access(json *j, const frames *f, const frame *r)
{
    step_access a;
    char name[64];
    int half;
    if (!frame_access(f, r->moment, &a, name, sizeof name)) {
        json_null(j, "access");
        return;
    }
    json_object(j, "access");
    json_keys(j, "space %s, name %s, kind %s, size %u", a.space == 's' ? "shared" : "global", name,
              a.kind == 'r'   ? "read"
              : a.kind == 'w' ? "write"
                              : "atomic",
              a.size);
    json_array(j, "addresses");
    for (int l = 0; l < 32; l++) {
        if (a.mask >> l & 1) json_uint(j, NULL, a.address[l]);
        else json_null(j, NULL);
    }
    json_close(j);
    if (a.space == 's') {
        json_int(j, "passes", view_passes(&a, f->card.banks, &half));
    } else {
        const view_tally t = view_transactions(&a, &f->card);
        json_keys(j, "transactions %d, moved_bytes %" PRIu64, t.transactions, t.bytes);
    }
    json_close(j);
}

/* Words of shared memory in runs that the same warp accessed last. */
static void put_shared(json *j, frames *f, const frame *r)
{
    const reel_state *s = reel_after(f->reel, r->i);
    const uint32_t words = s ? f->reel->shared_bytes / 4 : 0;
    json_array(j, "shared");
    for (uint32_t from = 0, to; from < words; from = to) {
        const uint32_t act = s->touched[from], warp = act ? frame_toucher(f, act) : 0;
        for (to = from + 1;
             to < words && !act == !s->touched[to] && (!act || frame_toucher(f, s->touched[to]) == warp);)
            to++;
        if (!act) continue;
        json_object(j, NULL);
        json_keys(j, "from %" PRIu32 ", to %" PRIu32 ", warp %" PRIu32, 4 * from, 4 * to, warp);
        json_close(j);
    }
    json_close(j);
}

static const char *const state_names[] = {"", "issues", "waits", "barrier", "ready", "ended"};

static void put_waits(json *j, const frames *f, const frame *r)
{
    json_array(j, "waits");
    for (uint32_t w = 0; w < f->reel->warps; w++) {
        char what[100];
        const enum frame_state state = frame_state_of(f, r->i, w, what, sizeof what);
        json_object(j, NULL);
        json_keys(j, "warp %" PRIu32 ", state %s, text %s", w, state_names[state], what);
        json_close(j);
    }
    json_close(j);
}

/* The earlier side of a race. */
static void put_race(json *j, frames *f, const frame *r)
{
    frame_side s;
    if (!frame_other_side(f, r->i, r->moment, &s)) return;
    const uint32_t at = side_find(f, &s);
    json_object(j, "race");
    json_keys(j, "block %" PRIu64 ", thread %" PRIu32 ", line %d", s.block, s.thread, f->reel->insn[s.pc].line);
    if (at == UINT32_MAX) json_null(j, "i");
    else json_int(j, "i", at);
    json_close(j);
    reel_moment(f->reel, r->i, f->moment); /* which the search has used */
}

void frame_json(frames *f, const frame *r, FILE *out)
{
    json j;
    char text[600], mask[16];
    const reel *l = f->reel;
    json_begin_as(&j, out, "warpstep/step-1");
    snprintf(mask, sizeof mask, "0x%08" PRIx32, r->row->lanes);
    json_keys(&j, "i %" PRIu32 ", clock %" PRIu64 ", step %s, device %s, kernel %s", r->i, r->row->clock, f->title,
              f->device, l->kernel);
    json_int(&j, "launch", frames_launch(f));
    json_dims(&j, "block", l->at);
    json_keys(&j, "warp %" PRIu32 ", mask %s", r->row->warp, mask);
    json_text(&j, "file", (uint32_t)r->insn->file < l->files ? l->file[r->insn->file] : NULL);
    json_keys(&j, "line %d, ptx %s", r->insn->line, r->ptx);
    frame_sentence(f, r, text, sizeof text);
    json_text(&j, "text", text);
    if (f->note && f->note_at == r->i) json_text(&j, "look", f->note);
    json_keys(&j, "waited %" PRIu32 ", cause %s, fault %i", r->row->waited, sim_stall_info_of(r->row->cause)->name,
              r->row->kind == SIM_MOMENT_FAULT || r->row->found);
    put_race(&j, f, r);
    put_values(&j, "reads", r, r->reads, r->read_count);
    put_values(&j, "writes", r, r->writes, r->write_count);
    put_access(&j, f, r);
    put_shared(&j, f, r);
    put_waits(&j, f, r);
    json_end(&j);
}
