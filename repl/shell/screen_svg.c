/* screen_svg.c: a screen as a picture that a page can show: its text, in the same places. Light and
 * dark follow who looks. */
#include "screen.h"
#include "format.h"
#include <string.h>

enum { CELL_WIDTH = 9, CELL_HEIGHT = 19, BASE = 14, EDGE = 10 };

static const char style[] =
    ":root{--ink:#1a1a1a;--paper:#fbfbfb;--line:#c4c9ce;--dim:#5c646c;--good:#116329;--bad:#a40e26;--note:#7a2da6;"
    "--accent:#0b6a8f}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e6e6;--paper:#16181b;--line:#474d54;--dim:#a0a8b0;"
    "--good:#5fc879;--bad:#ff8a94;--note:#cf9df0;--accent:#66c7ea}}"
    "text{font:15px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;white-space:pre;fill:var(--ink)}"
    ".p{fill:var(--paper);stroke:var(--line)}.r{fill:var(--ink)}.b{font-weight:700}.d{fill:var(--dim)}"
    ".v{fill:var(--paper)}"
    ".g{fill:var(--good)}.x{fill:var(--bad)}.n{fill:var(--note)}.a{fill:var(--accent)}";

static const char *const class_of[] = {
    [SCREEN_PLAIN] = "", [SCREEN_BOLD] = "b", [SCREEN_DIM] = "d",  [SCREEN_REVERSE] = "v",
    [SCREEN_GOOD] = "g", [SCREEN_BAD] = "x",  [SCREEN_NOTE] = "n", [SCREEN_ACCENT] = "a"};

static void put(FILE *out, const char *text)
{
    for (; *text; text++) switch (*text) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc(*text, out);
        }
}

static bool is_blank(const char *text) { return !strcmp(text, " "); }

/* Cells of one style, from `from` to `to` without trailing blanks. */
static void put_run(const screen *s, int row, int from, int to, enum screen_style look, FILE *out)
{
    const int x = EDGE + from * CELL_WIDTH, y = EDGE + row * CELL_HEIGHT;
    enum screen_style ignored;
    if (look == SCREEN_REVERSE)
        fprintf(out, "<rect class=\"r\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>", x, y, (to - from) * CELL_WIDTH,
                CELL_HEIGHT);
    while (to > from && is_blank(screen_cell(s, row, to - 1, &ignored))) to--;
    while (from < to && is_blank(screen_cell(s, row, from, &ignored))) from++;
    if (from == to) return;
    fprintf(out, "<text x=\"%d\" y=\"%d\" textLength=\"%d\"", EDGE + from * CELL_WIDTH, y + BASE,
            (to - from) * CELL_WIDTH);
    if (*class_of[look]) fprintf(out, " class=\"%s\"", class_of[look]);
    fputs(" xml:space=\"preserve\">", out);
    for (int c = from; c < to; c++) put(out, screen_cell(s, row, c, &ignored));
    fputs("</text>\n", out);
}

void screen_svg(const screen *s, const char *title, FILE *out)
{
    const int w = screen_width(s), h = screen_height(s);
    fprintf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">\n"
        "<title>",
        w * CELL_WIDTH + 2 * EDGE, h * CELL_HEIGHT + 2 * EDGE, w * CELL_WIDTH + 2 * EDGE, h * CELL_HEIGHT + 2 * EDGE);
    put(out, title);
    fprintf(out,
            "</title>\n<style>%s</style>\n<rect class=\"p\" x=\"1\" y=\"1\" width=\"%d\" height=\"%d\" rx=\"6\"/>\n",
            style, w * CELL_WIDTH + 2 * EDGE - 2, h * CELL_HEIGHT + 2 * EDGE - 2);
    for (int row = 0; row < h; row++)
        for (int from = 0, to; from < w; from = to) {
            enum screen_style look, next;
            screen_cell(s, row, from, &look);
            for (to = from + 1; to < w && (screen_cell(s, row, to, &next), next == look); to++) continue;
            put_run(s, row, from, to, look, out);
        }
    fputs("</svg>\n", out);
}
