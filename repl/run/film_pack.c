/* film_pack.c: a moment as few bytes. Numbers take seven bits to a byte; a register whose lanes hold
 * the same, or go up in equal steps, takes one number or two. */
#include "film.h"
#include <string.h>

typedef struct packer {
    unsigned char *at, *end;
    bool full;
} packer;

static void put_byte(packer *p, unsigned v)
{
    if (p->at == p->end) p->full = true;
    else *p->at++ = (unsigned char)v;
}

static void put_number(packer *p, uint64_t v)
{
    for (; v > 127; v >>= 7) put_byte(p, (unsigned)(v & 127) | 128);
    put_byte(p, (unsigned)v);
}

static void put_signed(packer *p, int64_t v) { put_number(p, (uint64_t)v << 1 ^ (uint64_t)(v >> 63)); }

static void put_bytes(packer *p, const void *data, size_t bytes)
{
    if ((size_t)(p->end - p->at) < bytes) {
        p->full = true;
        return;
    }
    memcpy(p->at, data, bytes);
    p->at += bytes;
}

enum { VALUES_RAW, VALUES_STEPS };

/* Lanes that go up in equal steps, modulo 2^32 or 2^64. */
static bool steps_of_32(const void *data, uint64_t *first, int64_t *step)
{
    uint32_t v[32], off = 0;
    memcpy(v, data, sizeof v);
    const uint32_t by = v[1] - v[0];
    for (int l = 1; l < 32; l++) off |= (v[l] - v[l - 1]) ^ by;
    *first = v[0];
    *step = (int32_t)by;
    return !off;
}

static bool steps_of_64(const void *data, uint64_t *first, int64_t *step)
{
    uint64_t v[32], off = 0;
    memcpy(v, data, sizeof v);
    const uint64_t by = v[1] - v[0];
    for (int l = 1; l < 32; l++) off |= (v[l] - v[l - 1]) ^ by;
    *first = v[0];
    *step = (int64_t)by;
    return !off;
}

static void put_value(packer *p, const sim_film_bytes *v)
{
    const uint32_t wide = v->bytes / 32; /* 0: a predicate */
    uint64_t first = 0;
    int64_t step = 0;
    put_number(p, v->at);
    const bool steps =
        (wide == 4 && steps_of_32(v->data, &first, &step)) || (wide == 8 && steps_of_64(v->data, &first, &step));
    put_byte(p, (wide == 4 ? 0 : wide == 8 ? 2 : wide == 16 ? 4 : 6) | (steps ? VALUES_STEPS : VALUES_RAW));
    if (steps) {
        put_number(p, first);
        put_signed(p, step);
    } else {
        put_bytes(p, v->data, v->bytes);
    }
}

static void put_access(packer *p, const sim_film_access *a)
{
    put_byte(p, (unsigned char)a->space);
    put_byte(p, (unsigned char)a->kind);
    put_number(p, a->size);
    put_bytes(p, &a->lanes, sizeof a->lanes);
    uint64_t before = 0;
    for (int l = 0; l < 32; l++) {
        if (!(a->lanes >> l & 1)) continue;
        put_signed(p, (int64_t)(a->address[l] - before));
        before = a->address[l];
    }
}

enum { FOUND = 16 /* beside the kind: a check found something */ };

static void put_found(packer *p, const sim_film_found *f)
{
    put_number(p, f->kind);
    put_number(p, f->lane);
    put_number(p, f->address);
    put_number(p, f->size);
    put_number(p, f->other_pc);
    put_number(p, f->other_thread);
    put_number(p, f->other_block);
}

size_t film_pack(const sim_moment *m, uint64_t *clock, unsigned char *out, size_t room)
{
    packer p = {.at = out, .end = out + room};
    const bool found = m->found.there && (m->kind == SIM_MOMENT_ISSUED || m->kind == SIM_MOMENT_FAULT);
    put_byte(&p, m->kind | (found ? FOUND : 0u));
    put_signed(&p, (int64_t)(m->clock - *clock));
    put_number(&p, m->place);
    put_number(&p, m->warp);
    *clock = m->clock;
    if (m->kind == SIM_MOMENT_BEGIN || m->kind == SIM_MOMENT_END) {
        put_number(&p, m->block);
        put_number(&p, m->multiprocessor);
    } else {
        put_number(&p, m->pc);
        put_number(&p, m->waited);
        put_number(&p, m->queued);
        put_number(&p, m->slot);
        put_number(&p, m->held);
        put_byte(&p, m->cause);
    }
    if (m->kind == SIM_MOMENT_ISSUED || m->kind == SIM_MOMENT_FAULT) {
        put_bytes(&p, &m->lanes, sizeof m->lanes);
        put_number(&p, m->frame);
        if (found) put_found(&p, &m->found);
        put_number(&p, (uint64_t)m->values);
        for (int i = 0; i < m->values; i++) put_value(&p, &m->value[i]);
        put_number(&p, (uint64_t)m->shared);
        for (int i = 0; i < m->shared; i++) {
            put_number(&p, m->changed[i].at);
            put_number(&p, m->changed[i].bytes);
            put_bytes(&p, m->changed[i].data, m->changed[i].bytes);
        }
        put_number(&p, (uint64_t)m->accesses);
        for (int i = 0; i < m->accesses; i++) put_access(&p, &m->access[i]);
    }
    return p.full ? 0 : (size_t)(p.at - out);
}

/* ---- and back ---- */

typedef struct unpacker {
    const unsigned char *at, *end;
    bool bad;
} unpacker;

static unsigned take_byte(unpacker *u)
{
    if (u->at < u->end) return *u->at++;
    u->bad = true;
    return 0;
}

static uint64_t take_number(unpacker *u, uint64_t most)
{
    uint64_t v = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        const unsigned b = take_byte(u);
        v |= (uint64_t)(b & 127) << shift;
        if (b < 128) {
            u->bad |= v > most;
            return u->bad ? 0 : v;
        }
    }
    u->bad = true;
    return 0;
}

static int64_t take_signed(unpacker *u)
{
    const uint64_t v = take_number(u, UINT64_MAX);
    return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

static void take_bytes(unpacker *u, void *to, size_t bytes)
{
    if ((size_t)(u->end - u->at) < bytes) u->bad = true;
    else {
        memcpy(to, u->at, bytes);
        u->at += bytes;
    }
}

/* Room in the moment's own memory. */
static char *take_room(unpacker *u, film_moment *m, size_t *used, size_t bytes)
{
    if (bytes > sizeof m->data - *used) {
        u->bad = true;
        return NULL;
    }
    char *to = m->data + *used;
    *used += bytes;
    return to;
}

static void take_value(unpacker *u, film_moment *m, size_t *used, sim_film_bytes *v)
{
    static const uint32_t wide_of[] = {4, 8, 16, 0};
    v->at = (uint32_t)take_number(u, UINT32_MAX);
    const unsigned code = take_byte(u);
    const uint32_t wide = wide_of[code / 2 & 3];
    v->bytes = wide ? 32 * wide : 4;
    char *to = take_room(u, m, used, v->bytes);
    v->data = to;
    if (!to || code > 7 || ((code & 1) && wide != 4 && wide != 8)) u->bad = true;
    if (u->bad) return;
    if (!(code & 1)) {
        take_bytes(u, to, v->bytes);
        return;
    }
    uint64_t first = take_number(u, UINT64_MAX);
    const uint64_t step = (uint64_t)take_signed(u);
    for (int l = 0; l < 32; l++, first += step) memcpy(to + (size_t)l * wide, &first, wide);
}

static void take_access(unpacker *u, sim_film_access *a)
{
    memset(a, 0, sizeof *a);
    a->space = (char)take_byte(u);
    a->kind = (char)take_byte(u);
    a->size = (uint32_t)take_number(u, 1 << 16);
    take_bytes(u, &a->lanes, sizeof a->lanes);
    u->bad |= !a->space || !strchr("gslcp", a->space) || !a->kind || !strchr("rwa", a->kind) || !a->size;
    uint64_t at = 0;
    for (int l = 0; l < 32 && !u->bad; l++)
        if (a->lanes >> l & 1) a->address[l] = at += (uint64_t)take_signed(u);
}

static void take_lists(unpacker *u, film_moment *out)
{
    size_t used = 0;
    sim_moment *m = &out->m;
    m->values = (int)take_number(u, sizeof out->value / sizeof *out->value);
    for (int i = 0; i < m->values && !u->bad; i++) take_value(u, out, &used, &out->value[i]);
    m->shared = (int)take_number(u, sizeof out->changed / sizeof *out->changed);
    for (int i = 0; i < m->shared && !u->bad; i++) {
        sim_film_bytes *c = &out->changed[i];
        c->at = (uint32_t)take_number(u, UINT32_MAX);
        c->bytes = (uint32_t)take_number(u, UINT32_MAX);
        char *to = u->bad ? NULL : take_room(u, out, &used, c->bytes);
        c->data = to;
        if (to) take_bytes(u, to, c->bytes);
    }
    m->accesses = (int)take_number(u, SIM_FILM_ACCESSES);
    for (int i = 0; i < m->accesses && !u->bad; i++) take_access(u, &out->access[i]);
}

static void take_found(unpacker *u, sim_film_found *f)
{
    const unsigned kind = (unsigned)take_number(u, SIM_FAULT_KINDS - 1);
    f->there = true;
    f->kind = (enum sim_fault_kind)kind;
    f->lane = (uint32_t)take_number(u, 31);
    f->address = take_number(u, UINT64_MAX);
    f->size = (uint32_t)take_number(u, UINT32_MAX);
    f->other_pc = (uint32_t)take_number(u, UINT32_MAX);
    f->other_thread = (uint32_t)take_number(u, UINT32_MAX);
    f->other_block = take_number(u, UINT64_MAX);
}

bool film_unpack(const unsigned char *at, size_t bytes, uint64_t *clock, film_moment *out, bool lists)
{
    unpacker u = {.at = at, .end = at + bytes};
    sim_moment *m = &out->m;
    memset(m, 0, sizeof *m);
    m->value = out->value;
    m->changed = out->changed;
    m->access = out->access;
    const unsigned first = take_byte(&u), kind = first & ~(unsigned)FOUND;
    if (kind > SIM_MOMENT_END) return false;
    m->kind = (enum sim_moment_kind)kind;
    m->clock = *clock + (uint64_t)take_signed(&u);
    m->place = (uint32_t)take_number(&u, 1 << 16);
    m->warp = (uint32_t)take_number(&u, 1 << 16);
    if (m->kind == SIM_MOMENT_BEGIN || m->kind == SIM_MOMENT_END) {
        m->block = take_number(&u, UINT64_MAX);
        m->multiprocessor = (uint32_t)take_number(&u, INT32_MAX);
    } else {
        m->pc = (uint32_t)take_number(&u, UINT32_MAX);
        m->waited = (uint32_t)take_number(&u, UINT32_MAX);
        m->queued = (uint32_t)take_number(&u, UINT32_MAX);
        m->slot = (uint32_t)take_number(&u, UINT16_MAX);
        m->held = (uint32_t)take_number(&u, UINT16_MAX);
        const unsigned cause = take_byte(&u);
        u.bad |= cause >= SIM_STALLS;
        m->cause = u.bad ? SIM_STALL_ISSUE : (enum sim_stall)cause;
    }
    if (m->kind == SIM_MOMENT_ISSUED || m->kind == SIM_MOMENT_FAULT) {
        take_bytes(&u, &m->lanes, sizeof m->lanes);
        m->frame = (uint32_t)take_number(&u, UINT32_MAX);
        if (first & FOUND) take_found(&u, &m->found);
        if (lists) take_lists(&u, out);
    }
    *clock = m->clock;
    return !u.bad;
}
