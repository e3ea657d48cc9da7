/* film_record.h: `--record FILE`: a film as a file to keep, of the kind that its name says. */
#ifndef FILM_RECORD_H
#define FILM_RECORD_H

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

/* 0, or a status after a message. A file that exists is left as it is, an incomplete one removed. */
int film_record_write(struct app *app, const film_record *q);

#endif
