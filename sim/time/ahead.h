/* ahead.h: what a warp performs ahead of its time.
 *
 * A *stretch* is a run of steps that follow each other, with at most one act among them: an instruction that somebody else could see. All
 * before the act is performed when the stretch is found, and its steps are issued one by one at their times. The act itself waits for its time, if
 * anybody might see the difference. In a large launch that is not so for plain loads and stores: between two points of
 * synchronisation (atomics, barriers, fences, volatile accesses, which all wait for their time) nobody may. So there a warp performs many
 * stretches together, while its registers are in the host's cache, and notes what its accesses touched, since what they take is
 * found out at their time. Only what a race leaves behind can depend on that; in small launches, where somebody may
 * want to look at one, nothing is done ahead that others could see.
 */
#ifndef SIM_AHEAD_H
#define SIM_AHEAD_H

#include "clock.h"
#include "../check/check.h"

enum { STRETCHES = 48, NOTES_ROOM = 4096 };

typedef struct stretch {
    uint32_t from, to;   /* steps */
    uint32_t act;        /* one of them; `to`: there is none */
    uint16_t accesses;   /* that the act made, if it has been performed */
    bool performed, all; /* the act has been; multiprocessors share what it reaches */
} stretch;

/* An access without what only those need who watch it when it is performed. */
typedef struct note {
    const insn *in;
    uint32_t mask, size;
    uint16_t passes;
    uint8_t space, kind, order, halves;
    bool contiguous;
    uint64_t address[]; /* of all lanes; of the first of each half, where that says all */
} note;

struct ahead {
    uint32_t count, next; /* stretches that were found, and have been begun */
    uint32_t used, read;  /* bytes of notes */
    stretch list[STRETCHES];
    _Alignas(note) char notes[NOTES_ROOM];
};

static inline size_t note_bytes(uint8_t halves) { return sizeof(note) + sizeof(uint64_t) * (halves == HALVES_ANY ? 32 : 2); }

/* Room for the accesses of one more instruction. */
static inline bool ahead_has_room(const struct ahead *a)
{
    return a->count < STRETCHES && a->used + SEEN_MOST * note_bytes(HALVES_ANY) <= NOTES_ROOM;
}

static inline void ahead_note(struct ahead *a, const access *from)
{
    note *n = (note *)(void *)(a->notes + a->used);
    *n = (note){from->in, from->mask, from->size, from->passes, from->space, from->kind, from->order, from->halves, from->contiguous};
    if (from->halves == HALVES_ANY) {
        memcpy(n->address, from->address, sizeof from->address);
    } else {
        n->address[0] = from->address[0];
        n->address[1] = from->address[16];
    }
    a->used += (uint32_t)note_bytes(from->halves);
}

static inline void ahead_read(struct ahead *a, access *to)
{
    const note *n = (const note *)(const void *)(a->notes + a->read);
    to->in = n->in;
    to->mask = n->mask;
    to->size = n->size;
    to->passes = n->passes;
    to->space = n->space;
    to->kind = n->kind;
    to->order = n->order;
    to->halves = n->halves;
    to->contiguous = n->contiguous;
    to->no_result = false;
    to->rounds = 0;
    if (n->halves == HALVES_ANY) {
        memcpy(to->address, n->address, sizeof to->address);
    } else {
        to->address[0] = n->address[0];
        to->address[16] = n->address[1];
    }
    a->read += (uint32_t)note_bytes(n->halves);
}

#endif
