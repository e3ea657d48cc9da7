/* frames.h: a film to be looked at: with its kernel's source, the names of its values, and sentences.
 *
 * film_run.c makes a film in a child while it is being looked at. A frame is one instruction of one
 * warp of the block. names.c says what the source calls a register, sentence.c what happens in a
 * frame and why it takes its time; frame_text.c, frame_json.c and step_screen.c show frames, strip.c
 * shows all warps of the multiprocessor over time. page.c makes a page of them. */
#ifndef FRAMES_H
#define FRAMES_H

#include "run/film.h"
#include "run/step.h"
#include "view/view.h"

enum { FRAME_VALUES = 16, NAME_MOST = 48, PARAMS_MOST = 64 };

typedef struct text_lines {
    char *text;
    const char **line; /* line[0] is line 1 */
    int count;
} text_lines;

typedef struct frames {
    struct app *app;
    reel *reel;
    char title[80];  /* "1.v3", or the file */
    char device[160];
    view_card card;
    int cc_major;
    text_lines source, ptx;
    char source_name[256];
    char param[PARAMS_MOST][NAME_MOST]; /* as the source names them */
    int params;
    struct names *names;
    film_moment *moment;
    struct film_run *run;
} frames;

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

/* ---- film_run.c ---- */
/* Makes a film of a request, whose texts must live as long as the film. Waits until its first
 * frames are there, or the run has ended. 0, or a status after a message. */
int frames_open(struct app *app, const step_request *q, const film_request *what, frames **out);
/* More frames have come; the run may have ended. */
bool frames_more(frames *f);
bool frames_running(const frames *f);
/* Waits for that many frames, or the end of the film. */
void frames_wait(frames *f, uint32_t steps);
/* Waits until it is known what each warp does after step i. */
void frames_settle(frames *f, uint32_t i);
/* No more will be known of the block. */
bool frames_over(const frames *f);
const step_result *frames_result(frames *f); /* NULL: it still runs */
int frames_launch(const frames *f);          /* which of the step's launches, from 1 */
void frames_close(frames *f);
void frames_text(text_lines *to, char *text); /* takes the text */

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
/* What a key or --find looks for. */
enum frame_kind {
    FRAME_ANY,
    FRAME_LINE,       /* another line of the source */
    FRAME_BARRIER,
    FRAME_SPLIT,      /* a branch that parts the lanes */
    FRAME_WAIT,       /* one that has waited long */
    FRAME_SCATTERED,  /* an access that is not coalesced, or has bank conflicts */
    FRAME_MEMORY,     /* any access */
    FRAME_FAULT,
    FRAME_KINDS
};
extern const char *const frame_kind_names[FRAME_KINDS];
bool frame_is(frames *f, uint32_t i, enum frame_kind kind);
/* The next one from i (not itself), of this warp only or of all. UINT32_MAX: none. */
uint32_t frame_find(frames *f, uint32_t i, int direction, enum frame_kind kind, bool this_warp);

/* ---- names.c ---- */
void names_make(frames *f);
void names_free(struct names *n);
/* What the source calls a register, as far as that can be told: "threadIdx.x", "data[i]". False: not
 * known. */
bool names_of(const frames *f, const char *reg, char *out, size_t size);

/* ---- sentence.c ---- */
void frame_sentence(frames *f, const frame *r, char *out, size_t size);
/* what a warp of the block does at the time of step i */
enum frame_state { STATE_NONE, STATE_ISSUES, STATE_WAITS, STATE_BARRIER, STATE_READY, STATE_ENDED };
enum frame_state frame_state_of(const frames *f, uint32_t i, uint32_t warp, char *what, size_t size);

/* ---- showing ---- */
void frame_print(doc *d, frames *f, const frame *r);                     /* frame_text.c */
void frame_json(frames *f, const frame *r, FILE *out);                   /* frame_json.c */
/* step_screen.c: until it is left. *block_by: 1 or -1: the next block, or the one before, is wanted.
 * False: there is no terminal for it. */
bool step_screen(frames *f, uint32_t from, int *block_by);
/* The same screen of one step as a picture (SVG). False: no memory, or the film is damaged. */
bool step_picture(frames *f, uint32_t at, int width, int height, FILE *out);

#endif
