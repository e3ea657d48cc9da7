/* film_line.h: the command line of `step` and `warps`: what is to be filmed, and a film of it. */
#ifndef FILM_LINE_H
#define FILM_LINE_H

#include "film/frame.h"
#include "film/look.h"
#include "shell/words.h"
#include "command.h"
#include "try.h"

enum { FILM_FILMS = 2 };

typedef struct film_plan {
    int launch;
    uint32_t at[3];
    bool has_at;                  /* --at or --launch was given */
    bool text, back;              /* --text: plain lines; --back: the last frame first */
    const char *record;           /* --record FILE */
    int64_t from, to;             /* frames, from 1; 0: not given */
    int64_t input;                /* --case: of an exercise's answer; 0: its defaults */
    int64_t look;                 /* --look: of the step's moments, from 1; 0: none */
    int find;                     /* --find: an enum frame_kind; -1: none */
    int warp;                     /* --warp; -1: all */
    int64_t clock_from, clock_to; /* --clock; 0, 0: all */
    int device;                   /* of several cards the one to use */
    char step[64];                /* a name that a word may point to */
    char *word[LESSON_WORDS + 1];
    int words; /* what is left: a step and its settings, or FILE and the options of try */
} film_plan;

/* A film, and what its request points to. */
typedef struct film_made {
    frames *f;
    const lesson_step *s; /* NULL: a file, or an answer */
    struct judge_film *answer;
    char *text; /* the answer */
    char *card;
    try_plan *plan;
    try_made made;
} film_made;

/* Takes the options out of a command's words. 0, or a status after a message. */
int film_line(struct app *app, film_plan *p, int argc, char **argv);
/* Makes the film of words[from..to): 0, or a status after a message. Free `m` either way. */
int film_make(struct app *app, const film_plan *p, int from, int to, bool whole_block, film_made *m);
void film_made_free(film_made *m);
/* film_offer.c: after a run that reported faults: says how to see the first of them happen, and
 * remembers it for the word `step` alone. `words`: what was run, as words of `step`; NULL: no
 * memory. */
void film_offer(doc *d, const char *words, const step_fault *list, int count);
const step_fault *film_fault(const step_fault *f, int count); /* the first that has a place; NULL: none has */
/* The same of the first fault of a program's kernel that was kept. */
struct session_program;
struct program_record;
void film_offer_kernel(doc *d, const struct session_program *program, const struct program_record *r);
void film_offer_none(struct app *app); /* something is run: what was remembered is over */
char *film_words_of_try(const struct app *app, int argc, char **argv); /* to be freed */
struct step_chosen;
char *film_words_of_step(struct app *app, const lesson_step *s, const step_chosen *chosen);
/* step_through.c: a moment of a lesson as a scene of a demonstration. */
typedef struct film_scene {
    const char *step;     /* its name */
    int look, number, of; /* which of its moments; "3/14" */
    double seconds;       /* how long it is shown, unless a key is pressed; 0: until Enter */
    bool screen;          /* somebody watches */
    bool shown;           /* out: on the screen, where it was left with: */
    int by;               /* 1 the next scene, -1 the one before, 0 the end */
} film_scene;
int film_play(struct app *app, film_scene *to);

int film_cards(struct app *app); /* how many --device names */
void film_complete(struct app *app, int argc, char **argv, struct words *out);

#endif
