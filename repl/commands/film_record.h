/* film_record.h: `--record FILE`: a film as a file to keep, of the kind that its name says. */
#ifndef FILM_RECORD_H
#define FILM_RECORD_H

#include "film/page.h"
#include "film_line.h"

typedef struct film_record {
    const film_plan *p;
    frames *const *film;
    int films;
    bool block;                                                /* frames of a block (`step`); else strips (`warps`) */
    bool (*chosen)(const film_plan *p, frames *f, uint32_t i); /* of a block: which frames */
    int (*lines)(void *arg, FILE *out);                        /* writes FILE.json: a status */
    void *arg;
} film_record;

/* A film on its way to a file. */
typedef struct film_writing {
    struct app *app;
    const film_record *q;
    film_choice c;   /* film_write_choose fills in frames and clocks */
    uint32_t *frame; /* of c */
    char said[160];  /* what the file has, for the screen */
} film_writing;
/* Chooses what was asked for, of a strip as many clocks as `columns` can show. A status, after a message unless 0. */
int film_write_choose(film_writing *w, int columns);

typedef struct film_format {
    const char *ends;                         /* ".html" */
    int (*write)(film_writing *w, FILE *out); /* a status, after a message unless 0 */
    bool embedded;                            /* `export html` shows it */
    bool english;                             /* data for programs, in English whatever is spoken */
} film_format;
#define FORMAT(name, ...) int film_write_##name(film_writing *w, FILE *out);
#include "film_formats.def"

/* 0, or a status after a message. A file that exists is left as it is, an incomplete one removed. */
int film_record_write(struct app *app, const film_record *q);

#endif
