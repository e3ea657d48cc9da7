/* page.h: a film as a file to keep: a page for a browser, or events for Perfetto. */
#ifndef PAGE_H
#define PAGE_H

#include "frame.h"

/* What goes into the file. */
typedef struct film_choice {
    frames *const *film;
    int films;
    const uint32_t *frame; /* of the first film, in order; NULL: the strips alone */
    uint32_t frames;
    uint64_t clock_from, clock_to; /* of the strips */
    size_t most;                   /* bytes of a page's frames; then it ends */
} film_choice;

/* ---- page.c ---- */
/* A page that needs nothing but itself: player.html, player.css and player.js, and the film as
 * JSON. *shown: the frames that it has. False: no memory, or the film is damaged. */
bool page_write(const film_choice *c, FILE *out, uint32_t *shown);

/* ---- page_frames.c ---- */
/* Texts that occur more than once have a number each. */
typedef struct page_table {
    char **text;
    uint32_t *slot; /* a hash table of numbers, plus one */
    uint32_t count, slots;
    size_t bytes;
    bool failed;
} page_table;
uint32_t page_table_add(page_table *t, const char *text);
void page_table_put(const page_table *t, json *j, const char *key);
void page_table_free(page_table *t);
/* The keys of the object "step". False: as above. */
bool page_frames(json *j, const film_choice *c, uint32_t *shown);

/* ---- trace_events.c ---- */
/* Chrome trace events: a track per warp, with what it issues and what it waits for. With frames,
 * those instructions of the block; else all warps of the multiprocessors within the clocks. *cut: there
 * would have been more. */
bool trace_write(const film_choice *c, FILE *out, uint32_t *events, bool *cut);

#endif
