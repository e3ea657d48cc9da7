/* strip.h: the warps of a multiprocessor over time: a row for each place of a warp, a column for some
 * clocks. */
#ifndef STRIP_H
#define STRIP_H

#include "frames.h"

enum strip_state {
    STRIP_EMPTY, /* no warp is there */
    STRIP_ISSUE,
    STRIP_READY, /* it could issue: others go first */
    STRIP_ARITHMETIC,
    STRIP_MEMORY,
    STRIP_SHARED,
    STRIP_BARRIER,
    STRIP_STATES
};
extern const struct strip_sign {
    char sign;
    const char *name;
} strip_signs[STRIP_STATES];

enum { STRIP_COLUMNS = 512, STRIP_PLACES = 256 };
typedef struct strip {
    uint64_t from, to; /* clocks */
    int columns, places;
    unsigned char *state;                /* places x columns: enum strip_state */
    unsigned char issued[STRIP_COLUMNS]; /* percent of the clocks in which some warp issues */
    double share[STRIP_STATES];          /* of all warps' time */
} strip;

/* The last clock of the film so far. */
uint64_t strip_end(const frames *f);
/* Clocks that are shown where nobody says how many: so few that a warp's waits can be told apart. */
static inline uint64_t strip_window(int columns) { return (uint64_t)columns * 64; }
void strip_wait(frames *f, uint64_t clock); /* until the film has come so far, or has ended */
/* False: no memory. */
bool strip_make(const frames *f, uint64_t from, uint64_t to, int columns, strip *out);
void strip_free(strip *s);
/* "Some warp issues at 31 % of the clocks. The warps wait for memory 82 % of their time, ..." */
void strip_sentence(const strip *s, char *out, size_t size);
/* A row as signs. `out` has room for columns + 1. */
void strip_row(const strip *s, int place, char *out);

/* ---- warps_screen.c ---- */
struct screen;
/* Rows from `row` on, at most `height`. Returns the rows used. */
int strip_draw(struct screen *s, const strip *x, int row, int height, int cursor);
/* Until it is left. to 0: all clocks. False: there is no terminal for it. */
bool warps_screen(frames *const *f, int count, uint64_t from, uint64_t to);
/* The same screen as a picture (SVG). False: no memory. */
bool warps_picture(frames *const *f, int count, uint64_t from, uint64_t to, int width, int height, FILE *out);

#endif
