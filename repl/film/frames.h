/* frames.h: a film to be looked at: with its kernel's source, the names of its values, and sentences.
 *
 * film_run.c makes a film in a child while it is being looked at. A frame is one instruction of one
 * warp of the block. names.c says what the source calls a register, sentence.c what happens in a
 * frame and why it takes its time; frame_text.c, frame_json.c and step_screen.c show frames, strip.c
 * shows all warps of the multiprocessor over time. page.c makes a page of them. */
#ifndef FRAMES_H
#define FRAMES_H

#include "course/frame_kinds.h"
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
    char title[80]; /* "1.v3", or the file */
    char device[160];
    view_card card;
    text_lines source, ptx;
    char source_name[256];
    char param[PARAMS_MOST][NAME_MOST]; /* as the source names them */
    int params;
    struct names *names;
    film_moment *moment;
    struct film_run *run;
    char *owned[2];   /* texts that the request points to; freed with it */
    const char *note; /* what is to be seen in frame note_at; NULL: nothing is said */
    uint32_t note_at;
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

/* ---- look.c ---- */
/* The source, taken, and the PTX, for quoting and for names. */
void frames_texts(frames *f, const char *ptx, size_t ptx_bytes, char *source, const char *name);
int frames_card(frames *f, const char *text, const struct device *d); /* what pictures need to know of it */
/* A film of a lesson's step; as frames_open. */
struct step_chosen;
int frames_of_step(struct app *app, const lesson_step *s, const struct device *d, const step_chosen *chosen,
                   const film_request *what, unsigned checks, frames **out);
#define LOOK_FILM ((uint64_t)256 << 20)     /* bytes of a film to look for it in: two million instructions */
unsigned look_checks(const lesson_look *k); /* SIM_CHECK_...: those that show it */
/* What a film for the moment must be of. */
void look_film(const lesson_look *k, film_request *what);
/* The frame that a lesson means, which may still have to come. UINT32_MAX: the film has none. */
uint32_t look_find(frames *f, const lesson_look *k);
/* The numbers of a frame. */
void look_facts(frames *f, uint32_t i, double fact[FRAME_FACTS]);
/* Those of the frame that a question is about. 0, or a status after a message. */
int look_question(const view_context *c, const lesson_predict *p, double fact[FRAME_FACTS]);
const char *look_place(const lesson_look *k, char *out, size_t size); /* "barrier 2 warp 3" */
char *look_says(const lesson_look *k);                                /* on one line; to be freed. NULL: no memory */

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

/* ---- sides.c ---- */
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
