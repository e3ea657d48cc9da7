/* frames.h: a film to be looked at: with its kernel's source and the names of its values.
 *
 * frames.c makes a film in a child while it is being looked at. A frame is one instruction of one
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

/* ---- names.c ---- */
void names_make(frames *f);
void names_free(struct names *n);
/* What the source calls a register, as far as that can be told: "threadIdx.x", "data[i]". False: not
 * known. */
bool names_of(const frames *f, const char *reg, char *out, size_t size);

#endif
