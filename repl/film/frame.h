/* frame.h: one instruction of one warp: its values, in words, and how it is shown. */
#ifndef FRAME_H
#define FRAME_H

#include "frames.h"

/* One value of all lanes. */
typedef struct frame_value {
    const reel_operand *operand;
    char name[NAME_MOST]; /* as the source has it; "" unknown: then the register's */
    uint64_t lane[32];
} frame_value;

typedef struct frame {
    uint32_t i;
    const reel_row *row;
    const reel_insn *insn;
    const char *ptx; /* its line, without indentation */
    const film_moment *moment;
    frame_value reads[FRAME_VALUES], writes[FRAME_VALUES];
    int read_count, write_count;
} frame;

/* ---- frame.c ---- */
bool frame_at(frames *f, uint32_t i, frame *out); /* false: the film is damaged */
/* The step of the warp before or after step i (UINT32_MAX: none): its number. */
uint32_t frame_of_warp(const frames *f, uint32_t i, int direction);
uint32_t frame_last_of(const frames *f, uint32_t i, uint32_t warp); /* at or before i; UINT32_MAX: none */
uint32_t frame_next_of(const frames *f, uint32_t i, uint32_t warp); /* after i */
const reel_row *frame_row(const frames *f, uint32_t i);
/* The warp that a word of reel_state.touched names. */
static inline uint32_t frame_toucher(const frames *f, uint32_t touched)
{
    return f->reel->row[f->reel->act[touched - 1]].warp;
}
/* An access as view.h draws it. */
bool frame_access(const frames *f, const film_moment *m, step_access *out, char *name, size_t size);
/* "37", "2.5": what a lane holds, by its type */
const char *frame_number(const frames *f, const reel_operand *o, uint64_t bits, char *out, size_t size);
/* "0, 1, 2 ... 31", "5 in all 32 lanes" */
const char *frame_lanes(const frames *f, const frame_value *v, uint32_t lanes, char *out, size_t size);
/* "data[32], data[33] ... data[63]": where an access goes */
const char *frame_places(const frames *f, const film_moment *m, char *out, size_t size);
/* What a key or --find looks for (course/frame_kinds.h). */
bool frame_is(frames *f, uint32_t i, enum frame_kind kind);
/* The next one from i (not itself), of this warp only or of all. UINT32_MAX: none. */
uint32_t frame_find(frames *f, uint32_t i, int direction, enum frame_kind kind, bool this_warp);

/* ---- race_sides.c ---- */
/* The earlier side of a race: the last access of a thread to an address, up to a clock. */
typedef struct frame_side {
    uint64_t block; /* number in the grid */
    uint32_t thread, pc;
    uint64_t address;
    uint32_t size;
    uint64_t clock;
} frame_side;
/* Of the race that was found in frame i, whose moment this is. False: there is none. */
bool frame_other_side(const frames *f, uint32_t i, const film_moment *m, frame_side *out);
uint32_t side_find(frames *f, const frame_side *s);                          /* UINT32_MAX: it is not in this film */
void side_sentence(const frames *f, const frame *r, char *out, size_t size); /* what was found there; "" */

/* ---- sentence.c ---- */
void frame_sentence(frames *f, const frame *r, char *out, size_t size);
/* what a warp of the block does at the time of step i */
enum frame_state { STATE_NONE, STATE_ISSUES, STATE_WAITS, STATE_BARRIER, STATE_READY, STATE_ENDED };
enum frame_state frame_state_of(const frames *f, uint32_t i, uint32_t warp, char *what, size_t size);

/* ---- showing ---- */
void frame_print(doc *d, frames *f, const frame *r);   /* frame_text.c */
void frame_json(frames *f, const frame *r, FILE *out); /* frame_json.c */
/* The same screen of one step as a picture (SVG). False: no memory, or the film is damaged. */
bool step_picture(frames *f, uint32_t at, int width, int height, FILE *out);
/* A visit of the screen: what it opens with, and how it was left. */
enum visit_end { VISIT_LEFT, VISIT_BLOCK, VISIT_LOOK, VISIT_SIDE, VISIT_SCENE };
typedef struct step_visit {
    uint32_t from;     /* the first frame shown */
    const char *place; /* "look 2 of 3"; NULL */
    int looks;         /* that the lesson names */
    bool scene;        /* of a demonstration: Enter and Backspace lead to others, VISIT_SCENE */
    double seconds;    /* it is left by itself after that time without a key; 0: never */
    enum visit_end end;
    int by;          /* the next block or look, or the one before: 1 or -1 */
    frame_side side; /* VISIT_SIDE: it is in another block */
    bool back;       /* `o` leads back, to another block */
} step_visit;
/* step_screen.c: until it is left. False: there is no terminal for it. */
bool step_screen(frames *f, step_visit *v);

#endif
