/* warps_screen.c: strips on the whole screen, to scroll and to zoom. */
#include "frame.h"
#include "strip.h"
#include "shell/format.h"
#include "shell/language.h"
#include "shell/screen.h"
#include <inttypes.h>
#include <string.h>

enum { NAME = 9 };

typedef struct view {
    frames *const *f;
    int count;
    screen *s;
    uint64_t from, to;
    int cursor; /* column; -1: a picture, that has none */
} view;

static const enum screen_style style_of[STRIP_STATES] = {
    [STRIP_EMPTY] = SCREEN_PLAIN,    [STRIP_ISSUE] = SCREEN_GOOD,  [STRIP_READY] = SCREEN_DIM,
    [STRIP_ARITHMETIC] = SCREEN_DIM, [STRIP_MEMORY] = SCREEN_NOTE, [STRIP_SHARED] = SCREEN_ACCENT,
    [STRIP_BARRIER] = SCREEN_BAD,
};

int strip_draw(screen *s, const strip *x, int row, int height, int cursor)
{
    int used = 0;
    const int rows = x->places < height - 1 ? x->places : height - 1;
    for (int p = 0; p < rows; p++, used++) {
        screen_print(s, row + p, 0, NAME, SCREEN_PLAIN, TR("warp %d"), p);
        for (int c = 0; c < x->columns; c++) {
            const enum strip_state k = x->state[p * x->columns + c];
            screen_put(s, row + p, NAME + c, 1, c == cursor ? SCREEN_REVERSE : style_of[k],
                       (char[]){strip_signs[k].sign, 0});
        }
    }
    if (rows < x->places) screen_print(s, row + used - 1, 0, NAME, SCREEN_DIM, TR("(of %d)"), x->places);
    screen_put(s, row + used, 0, NAME, SCREEN_PLAIN, TR("issue"));
    for (int c = 0; c < x->columns; c++)
        screen_put(s, row + used, NAME + c, 1, c == cursor ? SCREEN_REVERSE : SCREEN_PLAIN,
                   (char[]){(char)(x->issued[c] >= 95 ? '9' : '0' + x->issued[c] / 10), 0});
    return used + 1;
}

static uint64_t clock_of(const view *v, int column, int columns)
{
    return v->from + (uint64_t)((double)(v->to - v->from) * column / columns);
}

enum { FILMS_MOST = 4, BESIDES = 4 /* rows of a strip that are not warps: title, issue, sentence */ };

/* Rows for each strip: as many as it has warps, or a fair share of the screen. */
static void share_rows(const view *v, const strip *x, int rows, int *height)
{
    int left = rows, strips = v->count;
    for (int i = 0; i < v->count; i++) height[i] = 0;
    for (bool any = true; any && strips;) { /* those that need less than their share first */
        any = false;
        for (int i = 0; i < v->count; i++)
            if (!height[i] && x[i].places + BESIDES <= left / strips) {
                height[i] = x[i].places + BESIDES;
                left -= height[i];
                strips--;
                any = true;
                break;
            }
    }
    for (int i = 0; i < v->count; i++)
        if (!height[i]) height[i] = left / strips;
}

static void draw(view *v)
{
    screen *s = v->s;
    const int w = screen_width(s), h = screen_height(s), columns = w - NAME;
    strip made[FILMS_MOST];
    int height[FILMS_MOST], row = 0;
    char clock[32], from[32], to[32];
    screen_clear(s);
    if (v->cursor >= columns) v->cursor = columns - 1;
    for (int i = 0; i < v->count; i++)
        if (!strip_make(v->f[i], v->from, v->to, columns, &made[i])) made[i].places = 0;
    share_rows(v, made, h - 2, height);
    for (int i = 0; i < v->count; i++) {
        strip x = made[i];
        char sentence[300];
        const int end = row + height[i];
        if (!x.state) continue;
        screen_print(s, row++, 0, w, SCREEN_REVERSE, TR(" %s  %s  multiprocessor %u of %d%s"), v->f[i]->title,
                     v->f[i]->device, v->f[i]->reel->multiprocessor + 1, v->f[i]->reel->multiprocessors,
                     v->cursor >= 0 && frames_running(v->f[i]) ? TR("  (runs)") : "");
        row += strip_draw(s, &x, row, end - row - 2, v->cursor);
        strip_sentence(&x, sentence, sizeof sentence);
        screen_wrap(s, row, 1, w - 2, end - row, SCREEN_BOLD, sentence);
        strip_free(&x);
        row = end;
    }
    format_count(from, sizeof from, v->from);
    format_count(to, sizeof to, v->to);
    if (v->cursor < 0) screen_print(s, h - 2, 0, w, SCREEN_PLAIN, TR("clock    from %s to %s"), from, to);
    else
        screen_print(s, h - 2, 0, w, SCREEN_PLAIN, TR("clock    %s at the cursor; from %s to %s"),
                     format_count(clock, sizeof clock, clock_of(v, v->cursor, columns)), from, to);
    screen_put(s, h - 1, 0, w, SCREEN_REVERSE,
               TR(w < 100 ? " arrows: cursor  + - 0 zoom  Enter step  # issues  m memory  ? signs  q quit"
                          : " left, right: cursor  up, down: scroll  + - zoom  Enter step there  # issues  m memory  b "
                            "barrier  ? signs  q quit"));
    screen_show(s);
}

static void show_signs(const view *v)
{
    screen_clear(v->s);
    screen_put(v->s, 0, 0, screen_width(v->s), SCREEN_REVERSE,
               TR(" Signs: what a warp does most in a column's clocks"));
    for (int k = 0; k < STRIP_STATES; k++)
        screen_print(v->s, 2 + k, 2, 60, style_of[k], "%c  %s", strip_signs[k].sign, TR(strip_signs[k].name));
    screen_put(v->s, 3 + STRIP_STATES, 2, 76, SCREEN_PLAIN,
               TR("issue: tenths of the clocks in which an instruction is issued"));
    screen_put(v->s, screen_height(v->s) - 1, 0, screen_width(v->s), SCREEN_REVERSE, TR(" any key goes back"));
    screen_show(v->s);
    while (screen_key(v->s, 1000) == KEY_NONE) continue;
}

static uint64_t end_of_all(const view *v)
{
    uint64_t end = 1;
    for (int i = 0; i < v->count; i++)
        if (strip_end(v->f[i]) > end) end = strip_end(v->f[i]);
    return end;
}

/* Around the cursor, by a factor. */
static void zoom(view *v, double by)
{
    const int columns = screen_width(v->s) - NAME;
    const double here = (double)clock_of(v, v->cursor, columns), span = (double)(v->to - v->from) * by;
    const double end = (double)end_of_all(v);
    double wide = span < columns / 4.0 ? columns / 4.0 : span > end ? end : span;
    if (wide < 1) wide = 1;
    double from = here - wide * v->cursor / columns;
    if (from < 0) from = 0;
    if (from + wide > end) from = end - wide > 0 ? end - wide : 0;
    v->from = (uint64_t)from;
    v->to = (uint64_t)(from + wide) + 1;
    v->cursor = (int)((here - from) / wide * columns);
    if (v->cursor < 0) v->cursor = 0;
}

static void scroll(view *v, int by)
{
    const uint64_t span = v->to - v->from, half = span / 2 ? span / 2 : 1, end = end_of_all(v);
    if (by < 0) v->from = v->from > half ? v->from - half : 0;
    else if (v->to < end) v->from = v->from + half + span > end ? end - span : v->from + half;
    v->to = v->from + span;
}

/* The first step of the block at or after the cursor's clock; UINT32_MAX: none. */
static uint32_t step_there(const view *v)
{
    const uint64_t clock = clock_of(v, v->cursor, screen_width(v->s) - NAME);
    const frames *f = v->f[0];
    for (uint32_t i = 0; i < f->reel->steps; i++)
        if (frame_row(f, i)->clock >= clock) return i;
    return UINT32_MAX;
}

bool warps_screen(frames *const *f, int count, uint64_t from, uint64_t to)
{
    view v = {.f = f, .count = count, .from = from, .to = to};
    v.s = screen_open(f[0]->app);
    if (!v.s) return false;
    if (!to) v.to = strip_window(screen_width(v.s) - NAME);
    for (int i = 0; i < count; i++) strip_wait(f[i], v.to);
    if (!to && v.to > end_of_all(&v)) v.to = end_of_all(&v);
    for (bool going = true; going;) {
        bool running = false;
        for (int i = 0; i < count; i++) {
            running |= frames_running(f[i]);
            while (frames_more(f[i])) continue;
        }
        draw(&v);
        const int key = screen_key(v.s, running ? 200 : 5000), columns = screen_width(v.s) - NAME;
        switch (key) {
        case KEY_NONE:
        case KEY_RESIZE: continue;
        case KEY_QUIT:
        case KEY_ESCAPE:
        case 'q': going = false; break;
        case KEY_RIGHT:
        case 'l':
            if (v.cursor + 1 < columns) v.cursor++;
            else scroll(&v, 1);
            break;
        case KEY_LEFT:
        case 'h':
            if (v.cursor) v.cursor--;
            else scroll(&v, -1);
            break;
        case KEY_PAGE_DOWN:
        case KEY_DOWN: scroll(&v, 1); break;
        case KEY_PAGE_UP:
        case KEY_UP: scroll(&v, -1); break;
        case '+':
        case '=': zoom(&v, 0.5); break;
        case '-': zoom(&v, 2); break;
        case '0': v.from = 0, v.to = end_of_all(&v), v.cursor = 0; break;
        case KEY_HOME:
        case 'g':
            v.to -= v.from;
            v.from = 0;
            v.cursor = 0;
            break;
        case '?': show_signs(&v); break;
        case KEY_MOUSE: {
            int row, column;
            screen_mouse(v.s, &row, &column);
            if (column >= NAME) v.cursor = column - NAME;
            break;
        }
        case KEY_ENTER: {
            const uint32_t step = step_there(&v);
            step_visit visit = {.from = step};
            if (step == UINT32_MAX) break;
            screen_close(v.s);
            step_screen(f[0], &visit);
            if (!(v.s = screen_open(f[0]->app))) return true;
            break;
        }
        default: break;
        }
    }
    screen_close(v.s);
    return true;
}

bool warps_picture(frames *const *f, int count, uint64_t from, uint64_t to, int width, int height, FILE *out)
{
    view v = {.f = f, .count = count, .from = from, .to = to, .cursor = -1};
    char title[200];
    v.s = screen_picture(f[0]->app, width, height);
    if (!v.s) return false;
    draw(&v);
    snprintf(title, sizeof title, "warpstep warps %s %s", f[0]->title, count > 1 ? f[1]->title : "");
    screen_svg(v.s, title, out);
    screen_close(v.s);
    return true;
}
