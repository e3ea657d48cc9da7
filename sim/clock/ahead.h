/* ahead.h: what a warp performs ahead of its time.
 *
 * A stretch is a run of steps with at most one event (`act`) among them: an instruction whose
 * effect others can see. All before the event is performed when the stretch is found; its steps are
 * then issued one by one at their times. The event itself waits for its time, if anybody could see
 * the difference. In a large launch nobody can, for plain loads and stores between two points of
 * synchronisation (atomics, barriers, fences, volatile accesses). So there a warp performs many
 * stretches together, while its registers are in the host's cache. It notes what its accesses
 * touched, because their cost is found at their time. Points of synchronisation always wait for
 * their time.
 *
 * Only what a race leaves behind can depend on this. In small launches, where somebody may want to
 * look at a race, nothing that others can see is done ahead.
 */
#ifndef SIM_AHEAD_H
#define SIM_AHEAD_H

#include "clock.h"
#include "check/check.h"

/* bytes; a stretch takes at most 1104. An odd number of lines, for the reason of timed.stride */
enum { AHEAD_ROOM = 49 * 64 };

/* A warp's row: stretches, each followed by its notes. It is read once and in order, as the host's
 * caches like it. */
typedef struct stretch {
    uint32_t from, to;   /* steps */
    uint32_t act;        /* the event among them; `to`: none */
    uint8_t accesses;    /* of the event, if it has been performed: as many notes follow */
    bool performed, all; /* the event has been; multiprocessors share what it reaches */
} stretch;

/* An access, without what matters only while it is performed. */
typedef struct note {
    uint32_t pc, mask;
    uint16_t passes;
    uint8_t size, space, kind, order, halves;
    bool contiguous;
    uint64_t address[]; /* of all lanes; or of the first of each half, where that says all */
} note;

static inline size_t note_bytes(uint8_t halves)
{
    return sizeof(note) + sizeof(uint64_t) * (halves == HALVES_ANY ? 32 : 2);
}

/* Room for one more stretch, whatever it accesses, and for a second one: a reconvergence or a slow
 * path. */
static inline bool ahead_has_room(const char *row, const char *end)
{
    return end + 2 * sizeof(stretch) + SEEN_MOST * note_bytes(HALVES_ANY) <= row + AHEAD_ROOM;
}

/* Appends a note; returns the new end of the row. */
static inline char *ahead_note(char *end, const access *from, uint32_t pc)
{
    note *n = (note *)(void *)end;
    *n = (note){pc,         from->mask,  from->passes, (uint8_t)from->size, from->space,
                from->kind, from->order, from->halves, from->contiguous};
    if (from->halves == HALVES_ANY) {
        memcpy(n->address, from->address, sizeof from->address);
    } else {
        n->address[0] = from->address[0];
        n->address[1] = from->address[16];
    }
    return end + note_bytes(from->halves);
}

static inline char *ahead_read(char *at, access *to, const insn *insns)
{
    const note *n = (const note *)(const void *)at;
    to->in = insns + n->pc;
    to->mask = n->mask;
    to->size = n->size;
    to->passes = n->passes;
    to->space = n->space;
    to->kind = n->kind;
    to->order = n->order;
    to->halves = n->halves;
    to->contiguous = n->contiguous;
    to->no_result = to->arrives = false;
    to->of = NULL;
    to->loops = false;
    if (n->halves == HALVES_ANY) {
        memcpy(to->address, n->address, sizeof to->address);
    } else {
        to->address[0] = n->address[0];
        to->address[16] = n->address[1];
    }
    return at + note_bytes(n->halves);
}

#endif
