/* screen.h: the whole terminal as a grid of cells, for what moves: no library is needed for that.
 *
 * While a screen is open the terminal is in raw mode and shows its second page; screen_close brings
 * back what was there, and so do signals that end the program. What is put into cells appears with
 * screen_show, which writes only what has changed. */
#ifndef SCREEN_H
#define SCREEN_H

#include "app.h"

enum screen_style {
    SCREEN_PLAIN,
    SCREEN_BOLD,
    SCREEN_DIM,
    SCREEN_REVERSE,
    SCREEN_GOOD,
    SCREEN_BAD,
    SCREEN_NOTE,
    SCREEN_ACCENT
};

typedef struct screen screen;
screen *screen_open(struct app *app); /* NULL: this is no terminal that can do it */
/* One that is no terminal, to be made into a picture. */
screen *screen_picture(struct app *app, int width, int height);
void screen_close(screen *s);
int screen_width(const screen *s);
int screen_height(const screen *s);

void screen_clear(screen *s);
/* At most `width` columns from there; the rest of them become blank. Returns the columns used. */
int screen_put(screen *s, int row, int column, int width, enum screen_style style, const char *text);
int screen_print(screen *s, int row, int column, int width, enum screen_style style, const char *fmt, ...)
    APP_PRINTF(6, 7);
/* A paragraph, wrapped, in at most `height` rows. Returns the rows used. */
int screen_wrap(screen *s, int row, int column, int width, int height, enum screen_style style, const char *text);
void screen_show(screen *s);
/* What a cell shows: a character, or "" in the second column of a wide one. */
const char *screen_cell(const screen *s, int row, int column, enum screen_style *style);
void screen_svg(const screen *s, const char *title, FILE *out); /* screen_svg.c: the cells as a picture */

/* Keys beyond characters. */
enum {
    KEY_NONE = 0, /* nothing within the time */
    KEY_ENTER = 13,
    KEY_TAB = 9,
    KEY_ESCAPE = 27,
    KEY_BACKSPACE = 127,
    KEY_LEFT = 256,
    KEY_RIGHT,
    KEY_UP,
    KEY_DOWN,
    KEY_HOME,
    KEY_END,
    KEY_PAGE_UP,
    KEY_PAGE_DOWN,
    KEY_BACK_TAB,
    KEY_MOUSE, /* screen_mouse says where */
    KEY_RESIZE,
    KEY_QUIT /* Ctrl-C, Ctrl-D, a signal, or the terminal is gone */
};
int screen_key(screen *s, int milliseconds);
void screen_mouse(const screen *s, int *row, int *column);
/* A line typed in a row of the screen. False: given up. */
bool screen_ask(screen *s, int row, const char *question, char *out, size_t size);

#endif
