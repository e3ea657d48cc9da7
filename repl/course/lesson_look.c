/* lesson_look.c: the key `look:` of a step, which names a moment of its run worth seeing.
 *
 *     look: KIND [NTH] [line N] [warp W] [block X[,Y[,Z]]] [launch N], what to look at
 *
 * A moment is found by searching the film of a run, so it has no number that another card would
 * change. */
#include "frame_kinds.h"
#include "lesson_load.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *const frame_kind_names[FRAME_KINDS] = {"instruction", "line",    "barrier", "split",  "wait",
                                                   "scattered",   "memory",  "global",  "shared", "atomic",
                                                   "fault",       "product", "copy"};

const char *const frame_fact_names[FRAME_FACTS] = {"frame_lanes",  "frame_going_on", "frame_transactions",
                                                   "frame_passes", "frame_waited",   "frame_waiting"};

static bool read_whole(cursor *c, const char *what, int64_t least, int64_t most, int64_t *out)
{
    load_blanks(c);
    char *start = c->p, digits[16];
    size_t n = 0;
    while (c->p < c->end && isdigit((unsigned char)*c->p) && n < sizeof digits - 1) digits[n++] = *c->p++;
    digits[n] = 0;
    *out = strtoll(digits, NULL, 10);
    if (n && n < sizeof digits - 1 && *out >= least && *out <= most) return true;
    return load_fail(c, start, "expected %s", what);
}

static bool next_is_digit(cursor *c)
{
    load_blanks(c);
    return c->p < c->end && isdigit((unsigned char)*c->p);
}

/* X[,Y[,Z]]; the comma before the sentence is followed by a blank */
static bool read_block(cursor *c, lesson_look *k)
{
    for (int i = 0; i < 3; i++) {
        int64_t v;
        if (!read_whole(c, "a block, as 3 or 3,0 or 3,0,1", 0, UINT32_MAX, &v)) return false;
        k->block[i] = (uint32_t)v;
        if (i == 2 || c->p + 1 >= c->end || *c->p != ',' || !isdigit((unsigned char)c->p[1])) return true;
        c->p++;
    }
    return true;
}

static bool read_kind(cursor *c, lesson_look *k)
{
    load_blanks(c);
    for (int i = 0; i < FRAME_KINDS; i++)
        if (i != FRAME_LINE && load_word(c, frame_kind_names[i])) {
            k->kind = (enum frame_kind)i;
            return true;
        }
    return load_fail(
        c, NULL,
        "expected instruction, barrier, split, wait, scattered, memory, global, shared, atomic, fault, product or "
        "copy");
}

bool load_moment(cursor *c, lesson_look *k)
{
    int64_t v = 1;
    *k = (lesson_look){.line = c->line + 1, .nth = 1, .warp = -1, .launch = 1};
    if (!read_kind(c, k)) return false;
    if (next_is_digit(c) && !read_whole(c, "which of them, from 1", 1, 1000000, &v)) return false;
    k->nth = (int)v;
    for (load_blanks(c); c->p < c->end && *c->p != ','; load_blanks(c)) {
        if (load_word(c, "line")) {
            if (!read_whole(c, "a line of the kernel's file", 1, 1000000, &v)) return false;
            k->source_line = (int)v;
        } else if (load_word(c, "warp")) {
            if (!read_whole(c, "a warp of the block", 0, 63, &v)) return false;
            k->warp = (int)v;
        } else if (load_word(c, "launch")) {
            if (!read_whole(c, "which launch, from 1", 1, 100000, &v)) return false;
            k->launch = (int)v;
        } else if (load_word(c, "block")) {
            if (!read_block(c, k)) return false;
        } else {
            return load_fail(c, NULL, "expected line N, warp W, block X,Y,Z, launch N, or ',' and what to look at");
        }
    }
    return true;
}

bool load_look(cursor *c)
{
    lesson_step *s = c->s->step;
    lesson_look *k = LOAD_ROOM(c, s->look, s->look_count, LESSON_LOOKS, "moments");
    if (!k || !load_moment(c, k)) return false;
    if (!load_char(c, ',')) return load_fail(c, NULL, "expected ',' and what to look at");
    char *start = c->p;
    if (!load_text(c, &k->says)) return false;
    return !strpbrk(k->says.text, "{}") || load_fail(c, start, "expected plain words: the screen shows the numbers");
}
