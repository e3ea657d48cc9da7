/* film_line.h: the command line of `step` and `warps`: what is to be filmed, and a film of it. */
#ifndef FILM_LINE_H
#define FILM_LINE_H

#include "film/frames.h"
#include "shell/words.h"
#include "command.h"
#include "try.h"

enum { FILM_FILMS = 2 };

typedef struct film_plan {
    int launch;
    uint32_t at[3];
    bool text, back;    /* --text: plain lines; --back: the last frame first */
    const char *record; /* --record FILE */
    int64_t from, to;   /* frames, from 1; 0: not given */
    int find;           /* --find: an enum frame_kind; -1: none */
    int warp;           /* --warp; -1: all */
    int64_t clock_from, clock_to; /* --clock; 0, 0: all */
    int device;                   /* of several cards the one to use */
    char *word[LESSON_WORDS];
    int words; /* what is left: a step and its settings, or FILE and the options of try */
} film_plan;

/* A film, and what its request points to. */
typedef struct film_made {
    frames *f;
    char *card, *ptx;
    try_plan *plan;
    try_made made;
} film_made;

/* Takes the options out of a command's words. 0, or a status after a message. */
int film_line(struct app *app, film_plan *p, int argc, char **argv);
/* Makes the film of words[from..to): 0, or a status after a message. Free `m` either way. */
int film_make(struct app *app, const film_plan *p, int from, int to, bool whole_block, film_made *m);
void film_made_free(film_made *m);
int film_cards(struct app *app); /* how many --device names */
void film_complete(struct app *app, int argc, char **argv, struct words *out);

#endif
