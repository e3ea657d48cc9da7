/* frame.c: one frame, and finding others. */
#include "frame.h"
#include "shell/format.h"
#include "shell/language.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const reel_row *frame_row(const frames *f, uint32_t i) { return &f->reel->row[f->reel->step[i]]; }

static void add_value(frames *f, const reel_state *s, const frame *r, const reel_operand *o, frame_value *to)
{
    to->operand = o;
    to->name[0] = 0;
    names_of(f, o->name, to->name, sizeof to->name);
    for (int l = 0; l < 32; l++) to->lane[l] = reel_value(f->reel, s, r->row->warp, r->row->frame, o, l);
}

static bool there(const frame_value *list, int count, const reel_operand *o)
{
    for (int i = 0; i < count; i++)
        if (list[i].operand->at == o->at && !strcmp(list[i].operand->name, o->name)) return true;
    return false;
}

bool frame_at(frames *f, uint32_t i, frame *out)
{
    const reel *r = f->reel;
    memset(out, 0, sizeof *out);
    if (i >= r->steps) return false;
    out->i = i;
    out->row = frame_row(f, i);
    out->insn = &r->insn[out->row->pc];
    out->ptx = "";
    const int line = out->insn->ptx_line;
    if (line > 0 && line <= f->ptx.count) out->ptx = f->ptx.line[line - 1] + strspn(f->ptx.line[line - 1], " \t");
    const reel_operand *o = r->operand + out->insn->operand;
    const reel_state *s = reel_before(f->reel, i);
    for (uint32_t k = 0; s && k < out->insn->operands; k++)
        if (o[k].read && out->read_count < FRAME_VALUES && !there(out->reads, out->read_count, &o[k]))
            add_value(f, s, out, &o[k], &out->reads[out->read_count++]);
    s = s ? reel_after(f->reel, i) : NULL;
    for (uint32_t k = 0; s && k < out->insn->operands; k++)
        if (o[k].written && out->write_count < FRAME_VALUES && !there(out->writes, out->write_count, &o[k]))
            add_value(f, s, out, &o[k], &out->writes[out->write_count++]);
    out->moment = f->moment;
    return s && reel_moment(f->reel, i, f->moment);
}

/* How many steps of the warp come before step i. */
static uint32_t warp_before(const struct reel_warp *w, uint64_t i)
{
    uint32_t low = 0, high = w->steps;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (w->step[middle] < i) low = middle + 1;
        else high = middle;
    }
    return low;
}

uint32_t frame_last_of(const frames *f, uint32_t i, uint32_t warp)
{
    const struct reel_warp *w = &f->reel->warp[warp];
    const uint32_t n = warp_before(w, (uint64_t)i + 1);
    return n ? w->step[n - 1] : UINT32_MAX;
}

uint32_t frame_next_of(const frames *f, uint32_t i, uint32_t warp)
{
    const struct reel_warp *w = &f->reel->warp[warp];
    const uint32_t n = warp_before(w, (uint64_t)i + 1);
    return n < w->steps ? w->step[n] : UINT32_MAX;
}

uint32_t frame_of_warp(const frames *f, uint32_t i, int direction)
{
    const uint32_t warp = frame_row(f, i)->warp;
    if (direction > 0) return frame_next_of(f, i, warp);
    return i ? frame_last_of(f, i - 1, warp) : UINT32_MAX;
}

/* ---- accesses ---- */

static const reel_area *area_at(const reel_area *list, uint32_t count, uint64_t at)
{
    for (uint32_t i = 0; i < count; i++)
        if (at >= list[i].from && at < list[i].to) return &list[i];
    return NULL;
}

bool frame_access(const frames *f, const film_moment *m, step_access *out, char *name, size_t size)
{
    for (int i = 0; i < m->m.accesses; i++) {
        const sim_film_access *a = &m->access[i];
        if ((a->space != 'g' && a->space != 's') || !a->lanes || a->size > 64) continue;
        memset(out, 0, sizeof *out);
        out->space = a->space;
        out->kind = a->kind;
        out->size = a->size;
        out->mask = a->lanes;
        out->buffer = -1;
        int first = 0;
        while (!(a->lanes >> first & 1)) first++;
        const reel_area *area = a->space == 'g' ? area_at(f->reel->buffer, f->reel->buffers, a->address[first])
                                                : area_at(f->reel->shared, f->reel->shareds, a->address[first]);
        const uint64_t from = area && a->space == 'g' ? area->from : 0;
        for (int l = 0; l < 32; l++) out->address[l] = a->address[l] - from;
        snprintf(name, size, "%s", area && area->name[0] ? area->name : a->space == 's' ? "shared memory" : "memory");
        return true;
    }
    return false;
}

/* ---- values ---- */

static bool is_float(const reel_operand *o) { return o->type[0] == 'f' && (o->bytes == 128 || o->bytes == 256); }

static int element_bytes(const reel_area *a)
{
    const int bits = a->type[0] ? atoi(a->type + 1 + (a->type[1] == 'f')) : 0;
    return bits >= 8 ? bits / 8 : 1;
}

/* "data[32]": an address within a buffer or a shared variable. False: it is in none. */
static bool place_text(const frames *f, bool shared, uint64_t at, char *out, size_t size)
{
    const reel_area *a =
        shared ? area_at(f->reel->shared, f->reel->shareds, at) : area_at(f->reel->buffer, f->reel->buffers, at);
    if (!a) return false;
    const uint64_t offset = at - a->from, bytes = (uint64_t)element_bytes(a);
    const char *name = a->name[0] ? a->name : shared ? "shared" : "memory";
    const bool untyped = shared && *a->type == 'b'; /* PTX says how many bytes, not of what */
    if (offset % bytes || untyped) snprintf(out, size, "%s + %" PRIu64 " B", name, offset);
    else snprintf(out, size, "%s[%" PRIu64 "]", name, offset / bytes);
    return true;
}

const char *frame_number(const frames *f, const reel_operand *o, uint64_t bits, char *out, size_t size)
{
    if (o->bytes == 4) {
        snprintf(out, size, "%s", bits ? "true" : "false");
    } else if (is_float(o) && o->bytes == 128) {
        const uint32_t word = (uint32_t)bits;
        float v;
        memcpy(&v, &word, 4);
        snprintf(out, size, "%.6g", (double)v);
    } else if (is_float(o)) {
        double v;
        memcpy(&v, &bits, 8);
        snprintf(out, size, "%.8g", v);
    } else if (o->bytes == 128) {
        if (o->type[0] == 'u') snprintf(out, size, "%" PRIu32, (uint32_t)bits);
        else snprintf(out, size, "%" PRId32, (int32_t)(uint32_t)bits);
    } else if (!place_text(f, false, bits, out, size)) {
        if (bits >> 32 && bits >> 48 == 0) snprintf(out, size, "0x%" PRIx64, bits); /* an address */
        else snprintf(out, size, "%" PRId64, (int64_t)bits);
    }
    return out;
}

/* Texts of 32 lanes, as short as what they have in common allows. */
typedef struct lane_texts {
    char text[32][48];
    uint64_t bits[32];
    bool counts; /* bits may be said to go up in steps */
} lane_texts;

static const char *put_lanes(const lane_texts *t, uint32_t lanes, char *out, size_t size)
{
    int first = -1, second = -1, last = -1, count = 0;
    bool same = true, steps = t->counts;
    int64_t by = 0;
    for (int l = 0; l < 32; l++) {
        if (!(lanes >> l & 1)) continue;
        if (first < 0) first = l;
        else same &= t->bits[l] == t->bits[first];
        if (last >= 0) {
            const int64_t d = (int64_t)(t->bits[l] - t->bits[last]);
            steps &= l == last + 1 && (count == 1 || d == by);
            by = d;
            if (second < 0) second = l;
        }
        last = l;
        count++;
    }
    if (!count) {
        snprintf(out, size, "%s", TR("no lane is on"));
    } else if (same) {
        snprintf(out, size, "%s%s", t->text[first], count > 1 ? TR(" in each") : "");
    } else if (steps && count > 3) {
        snprintf(out, size, "%s, %s ... %s", t->text[first], t->text[second], t->text[last]);
    } else {
        size_t used = 0;
        *out = 0;
        for (int l = 0, n = 0; l < 32; l++) {
            if (!(lanes >> l & 1)) continue;
            if (used + strlen(t->text[l]) + 8 > size) {
                snprintf(out + used, size - used, " ...");
                break;
            }
            used += (size_t)snprintf(out + used, size - used, "%s%s", n++ ? " " : "", t->text[l]);
        }
    }
    return out;
}

/* "true in lanes 16 to 31" */
static const char *put_flags(const frame_value *v, uint32_t lanes, char *out, size_t size)
{
    uint32_t on = 0;
    for (int l = 0; l < 32; l++) on |= v->lane[l] ? lanes & 1u << l : 0;
    if (!lanes || on == lanes || !on) {
        snprintf(out, size, "%s", TR(!lanes ? "no lane is on" : on ? "true in each" : "false in each"));
        return out;
    }
    const char *comma = "";
    size_t used = (size_t)snprintf(out, size, TR("true in lane%s"), on & (on - 1) ? "s" : "");
    for (int l = 0, to; l < 32; l = to + 1) {
        to = l;
        if (!(on >> l & 1)) continue;
        while (to < 31 && on >> (to + 1) & 1) to++;
        if (used + 24 > size) {
            snprintf(out + used, size - used, " ...");
            break;
        }
        used += (size_t)snprintf(out + used, size - used,
                                 to > l + 1 ? TR("%s %d to %d")
                                 : to > l   ? "%s %d, %d"
                                            : "%s %d",
                                 comma, l, to);
        comma = ",";
    }
    return out;
}

const char *frame_lanes(const frames *f, const frame_value *v, uint32_t lanes, char *out, size_t size)
{
    if (v->operand->bytes == 4) return put_flags(v, lanes, out, size);
    lane_texts t = {.counts = !is_float(v->operand) && v->operand->bytes > 4};
    for (int l = 0; l < 32; l++) {
        t.bits[l] = v->operand->bytes == 128 ? (uint64_t)(int64_t)(int32_t)(uint32_t)v->lane[l] : v->lane[l];
        frame_number(f, v->operand, v->lane[l], t.text[l], sizeof t.text[l]);
    }
    return put_lanes(&t, lanes, out, size);
}

const char *frame_places(const frames *f, const film_moment *m, char *out, size_t size)
{
    *out = 0;
    for (int i = 0; i < m->m.accesses; i++) {
        const sim_film_access *a = &m->access[i];
        if (a->space != 'g' && a->space != 's') continue;
        lane_texts t = {.counts = true};
        for (int l = 0; l < 32; l++) {
            t.bits[l] = a->address[l];
            if (!place_text(f, a->space == 's', a->address[l], t.text[l], sizeof t.text[l]))
                snprintf(t.text[l], sizeof t.text[l], "0x%" PRIx64, a->address[l]);
        }
        return put_lanes(&t, a->lanes, out, size);
    }
    return out;
}

/* ---- finding ---- */

enum { LONG_WAIT = 100 /* clocks */ };

/* Some of its lanes go on elsewhere. */
static bool splits(const frames *f, uint32_t i)
{
    const reel_row *r = frame_row(f, i);
    if (f->reel->insn[r->pc].cls != SIM_CLASS_BRANCH) return false;
    const uint32_t next = frame_of_warp(f, i, 1);
    if (next == UINT32_MAX) return false;
    const uint32_t lanes = frame_row(f, next)->lanes;
    return (lanes & r->lanes) && (lanes & r->lanes) != r->lanes;
}

static bool touches_memory(enum sim_class c)
{
    return c == SIM_CLASS_GLOBAL_LOAD || c == SIM_CLASS_GLOBAL_STORE || c == SIM_CLASS_SHARED_LOAD ||
           c == SIM_CLASS_SHARED_STORE || c == SIM_CLASS_ATOMIC || c == SIM_CLASS_ASYNC;
}

static bool accesses(frames *f, uint32_t i, char space)
{
    step_access a;
    char name[64];
    return touches_memory(f->reel->insn[frame_row(f, i)->pc].cls) && reel_moment(f->reel, i, f->moment) &&
           frame_access(f, f->moment, &a, name, sizeof name) && a.space == space;
}

/* More transactions than the bytes need, or several passes over the banks. */
static bool scattered(frames *f, uint32_t i)
{
    step_access a;
    char name[64];
    int half;
    if (!touches_memory(f->reel->insn[frame_row(f, i)->pc].cls) || !reel_moment(f->reel, i, f->moment) ||
        !frame_access(f, f->moment, &a, name, sizeof name))
        return false;
    int lanes = 0;
    for (uint32_t m = a.mask; m; m &= m - 1) lanes++;
    if (a.space == 's') {
        const int passes = view_passes(&a, f->card.banks, &half);
        return passes > (f->card.banks == 16 ? 2 : (int)(a.size > 4 ? a.size / 4 : 1));
    }
    const view_tally t = view_transactions(&a, &f->card);
    return t.bytes >= 4 * (uint64_t)lanes * a.size && t.transactions > 2;
}

bool frame_is(frames *f, uint32_t i, enum frame_kind kind)
{
    const reel_row *r = frame_row(f, i);
    const reel_insn *in = &f->reel->insn[r->pc];
    switch (kind) {
    case FRAME_ANY: return true;
    case FRAME_LINE: return true; /* frame_find compares the lines */
    case FRAME_BARRIER: return in->cls == SIM_CLASS_BARRIER;
    case FRAME_SPLIT: return splits(f, i);
    case FRAME_WAIT: return r->waited >= LONG_WAIT;
    case FRAME_SCATTERED: return scattered(f, i);
    case FRAME_MEMORY: return touches_memory(in->cls);
    case FRAME_GLOBAL: return accesses(f, i, 'g');
    case FRAME_SHARED: return accesses(f, i, 's');
    case FRAME_ATOMIC: return in->cls == SIM_CLASS_ATOMIC;
    case FRAME_PRODUCT:
        return in->cls == SIM_CLASS_TENSOR && (strstr(in->form, "mma_async") || strstr(in->form, "mma.sync"));
    case FRAME_COPY:
        return in->cls == SIM_CLASS_ASYNC && !strncmp(in->form, "cp.", 3) && !strstr(in->form, "_group") &&
               !strstr(in->form, "prefetch") && !strstr(in->form, "mbarrier.arrive");
    case FRAME_FAULT: return r->kind == SIM_MOMENT_FAULT || r->found;
    case FRAME_KINDS: break;
    }
    return false;
}

uint32_t frame_find(frames *f, uint32_t i, int direction, enum frame_kind kind, bool this_warp)
{
    const uint32_t warp = frame_row(f, i)->warp;
    const reel_insn *at = &f->reel->insn[frame_row(f, i)->pc];
    for (int64_t k = (int64_t)i + direction; k >= 0 && k < f->reel->steps; k += direction) {
        const reel_row *r = frame_row(f, (uint32_t)k);
        const reel_insn *in = &f->reel->insn[r->pc];
        if (this_warp && r->warp != warp) continue;
        if (kind == FRAME_LINE && r->warp == warp && in->line == at->line && in->file == at->file) continue;
        if (frame_is(f, (uint32_t)k, kind)) return (uint32_t)k;
    }
    return UINT32_MAX;
}
