/* step_panes.c: a frame on the whole screen.
 *
 *     title
 *     source                 | warps of the block
 *     instruction
 *     lanes
 *     values, or what a number key chooses: memory, shared memory, all lanes
 *     sentence
 *     keys
 */
#include "step_panes.h"
#include "shell/format.h"
#include "shell/language.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool on(const step_view *v, int lane) { return v->r.row->lanes >> lane & 1; }

static void draw_title(step_view *v)
{
    const reel *l = v->f->reel;
    char left[340], right[120], clock[32], step[32], all[32];
    const int w = screen_width(v->s);
    snprintf(left, sizeof left,
             w < 100 ? TR(" %s %s block %u,%u,%u mp %u/%d") : TR(" %s  %s  block %u,%u,%u  multiprocessor %u of %d"),
             v->f->title, v->f->device, l->at[0], l->at[1], l->at[2], l->multiprocessor + 1, l->multiprocessors);
    format_count(step, sizeof step, v->at + 1);
    format_count(all, sizeof all, l->steps);
    format_count(clock, sizeof clock, v->r.row->clock);
    if (v->still) snprintf(right, sizeof right, TR("step %s  clock %s "), step, clock);
    else
        snprintf(right, sizeof right, TR("step %s of %s%s  clock %s "), step, all, frames_running(v->f) ? "+" : "",
                 clock);
    const int r = utf8_width(right);
    screen_put(v->s, 0, 0, w, SCREEN_REVERSE, left);
    if (r < w) screen_put(v->s, 0, w - r, r, SCREEN_REVERSE, right);
}

static void draw_source(step_view *v, int row, int width, int height)
{
    const int line = v->r.insn->line, count = v->f->source.count;
    if (!count) {
        screen_put(v->s, row, 1, width - 1, SCREEN_DIM, TR("(no source: its PTX is below)"));
        return;
    }
    int first = line - height / 2;
    if (first > count - height + 1) first = count - height + 1;
    if (first < 1) first = 1;
    for (int i = 0; i < height && first + i <= count; i++) {
        const bool here = first + i == line;
        screen_print(v->s, row + i, 0, width, here ? SCREEN_BOLD : SCREEN_PLAIN, "%c%4d  %s", here ? '>' : ' ',
                     first + i, v->f->source.line[first + i - 1]);
    }
}

static void draw_warps(step_view *v, int row, int column, int width, int height)
{
    const uint32_t warps = v->f->reel->warps, mine = v->r.row->warp;
    uint32_t first = 0;
    if (warps > (uint32_t)height && mine >= (uint32_t)height / 2) first = mine - (uint32_t)height / 2;
    if (warps > (uint32_t)height && first > warps - (uint32_t)height) first = warps - (uint32_t)height;
    v->first_warp = first;
    v->warps_row = row;
    for (int i = 0; i < height && first + (uint32_t)i < warps; i++) {
        char what[100];
        const uint32_t w = first + (uint32_t)i;
        static const enum screen_style style[] = {SCREEN_DIM,  SCREEN_GOOD,  SCREEN_BAD,
                                                  SCREEN_NOTE, SCREEN_PLAIN, SCREEN_DIM};
        const enum frame_state state = frame_state_of(v->f, v->at, w, what, sizeof what);
        screen_print(v->s, row + i, column, width, w == mine ? SCREEN_BOLD : style[state], TR("%cwarp %-3" PRIu32 "%s"),
                     w == mine ? '>' : ' ', w, what);
    }
}

static void draw_lanes(step_view *v, int row)
{
    v->lanes_row = row;
    v->lanes_column = 8;
    screen_put(v->s, row, 1, 7, SCREEN_PLAIN, TR("lanes"));
    int column = v->lanes_column;
    for (int l = 0; l < 32; l++) {
        if (l && l % 8 == 0) column++;
        const enum screen_style style = l == v->lane ? SCREEN_REVERSE : on(v, l) ? SCREEN_GOOD : SCREEN_DIM;
        screen_put(v->s, row, column++, 1, style, on(v, l) ? "#" : ".");
    }
    char text[80];
    const int n = view_lanes(v->r.row->lanes);
    if (n == 32) snprintf(text, sizeof text, TR("all 32 on; lane %d"), v->lane);
    else snprintf(text, sizeof text, TR("%d of 32 on; lane %d is %s"), n, v->lane, TR(on(v, v->lane) ? "on" : "off"));
    screen_put(v->s, row, column + 1, screen_width(v->s) - column - 1, SCREEN_PLAIN, text);
}

/* A name, what the lanes hold, and the chosen lane's value. */
static void draw_value(step_view *v, int row, const char *what, const frame_value *x)
{
    char lanes[400], name[80], one[48];
    const int w = screen_width(v->s), mine = 18, values = w - 34 - mine;
    const char *plain = x->name[0] ? x->name : x->operand->name;
    snprintf(name, sizeof name, " %s%*s%s", TR(what), 7 - utf8_width(TR(what)), "", plain);
    screen_put(v->s, row, 0, 32, SCREEN_PLAIN, name);
    frame_lanes(v->f, x, v->r.row->lanes, lanes, sizeof lanes);
    if (utf8_width(lanes) > values) snprintf(lanes + utf8_fit(lanes, values - 4), 5, " ...");
    screen_put(v->s, row, 33, values, SCREEN_ACCENT, lanes);
    if (on(v, v->lane))
        screen_print(v->s, row, w - mine, mine, SCREEN_PLAIN, "%d: %s", v->lane,
                     frame_number(v->f, x->operand, x->lane[v->lane], one, sizeof one));
}

static bool shown_before(const frame *r, const frame_value *x)
{
    for (int i = 0; i < r->write_count && x->name[0]; i++)
        if (!strcmp(x->name, r->writes[i].name) && !memcmp(x->lane, r->writes[i].lane, sizeof x->lane)) return true;
    return false;
}

/* The register that a watched name stands for: the last one that was written under it. */
bool step_watched(step_view *v, const char *name, frame_value *out)
{
    const reel *l = v->f->reel;
    for (uint32_t pc = 0; pc < l->insns; pc++)
        for (uint32_t k = 0; k < l->insn[pc].operands; k++) {
            const reel_operand *o = &l->operand[l->insn[pc].operand + k];
            char called[NAME_MOST];
            if (!o->written || !o->name[0]) continue;
            if (strcmp(o->name, name) && (!names_of(v->f, o->name, called, sizeof called) || strcmp(called, name)))
                continue;
            for (uint32_t i = frame_last_of(v->f, v->at, v->r.row->warp); i != UINT32_MAX;
                 i = frame_of_warp(v->f, i, -1)) {
                if (frame_row(v->f, i)->pc != pc && v->at - i < 100000) continue;
                const reel_state *s = frame_row(v->f, i)->pc == pc ? reel_after(v->f->reel, i) : NULL;
                if (!s) return false;
                out->operand = o;
                snprintf(out->name, sizeof out->name, "%s", name);
                for (int lane = 0; lane < 32; lane++)
                    out->lane[lane] = reel_value(l, s, v->r.row->warp, frame_row(v->f, i)->frame, o, lane);
                return true;
            }
        }
    return false;
}

static int draw_values(step_view *v, int row, int height)
{
    int used = 0;
    for (int i = 0; i < v->watches && used < height; i++) {
        frame_value x;
        if (step_watched(v, v->watch[i], &x)) draw_value(v, row + used++, "watch", &x);
        else
            screen_print(v->s, row + used++, 0, screen_width(v->s), SCREEN_DIM, TR(" watch  %s: not written yet"),
                         v->watch[i]);
    }
    for (int i = 0; i < v->r.read_count && used < height; i++)
        if ((v->r.reads[i].name[0] || v->r.reads[i].operand->name[0]) && !shown_before(&v->r, &v->r.reads[i]))
            draw_value(v, row + used++, "reads", &v->r.reads[i]);
    for (int i = 0; i < v->r.write_count && used < height; i++)
        if (v->r.writes[i].name[0] || v->r.writes[i].operand->name[0])
            draw_value(v, row + used++, "writes", &v->r.writes[i]);
    char places[200];
    if (used < height && *frame_places(v->f, v->r.moment, places, sizeof places)) {
        screen_put(v->s, row + used, 0, 32, SCREEN_PLAIN, TR(" access"));
        screen_put(v->s, row + used++, 33, screen_width(v->s) - 33, SCREEN_ACCENT, places);
    }
    return used;
}

/* The picture that `show mem` and `show banks` draw, as lines. */
static int draw_access(step_view *v, int row, int height)
{
    step_access a;
    char name[64], *text = NULL;
    size_t bytes = 0;
    if (height < 2 || !frame_access(v->f, v->r.moment, &a, name, sizeof name)) return 0;
    struct app *app = v->f->app;
    FILE *m = open_memstream(&text, &bytes);
    if (!m) return 0;
    const bool color = app->color;
    app->color = false;
    doc d = doc_to(app, m, &doc_text);
    if (a.space == 'g') view_draw_memory(&d, &v->f->card, name, &a, height > 4 ? height - 3 : 2);
    else view_draw_banks(&d, &v->f->card, &a);
    app->color = color;
    fclose(m);
    int used = 0;
    for (char *line = text, *end; line && *line && used < height; line = end) {
        end = strchr(line, '\n');
        if (end) *end++ = 0;
        if (*line) screen_put(v->s, row + used++, 0, screen_width(v->s), SCREEN_PLAIN, line);
    }
    free(text);
    return used;
}

/* Who touched what last: a character per word, or per few words where there is no room. */
static int draw_shared(step_view *v, int row, int height)
{
    const reel *l = v->f->reel;
    const reel_state *s = reel_after(v->f->reel, v->at);
    const uint32_t words = l->shared_bytes / 4;
    if (!words || !s || height < 2) {
        screen_put(v->s, row, 1, 60, SCREEN_DIM, TR("the kernel has no shared memory"));
        return 1;
    }
    int used = 0;
    for (uint32_t i = 0; i < l->shareds && used + 1 < height; i++) {
        const reel_area *a = &l->shared[i];
        const uint32_t from = (uint32_t)a->from / 4, count = (uint32_t)(a->to - a->from) / 4;
        const int width = screen_width(v->s) - 2, rows = height - used - 1;
        const uint32_t each = (count + (uint32_t)(width * rows) - 1) / (uint32_t)(width * rows);
        screen_print(v->s, row + used++, 1, width, SCREEN_BOLD,
                     TR("%s, %u words; each sign is %u word%s: the warp that touched it last, . nobody"),
                     a->name[0] ? a->name : TR("shared memory"), count, each, each == 1 ? "" : "s");
        for (uint32_t k = 0; k < count && used < height && each; k += each) {
            const int n = (int)(k / each);
            uint32_t act = 0;
            for (uint32_t w = k; w < k + each && w < count && from + w < words; w++)
                if (s->touched[from + w] > act) act = s->touched[from + w];
            char sign[2] = ".";
            const uint32_t warp = act ? frame_toucher(v->f, act) : 0;
            if (act) sign[0] = "0123456789abcdefghijklmnopqrstuv"[warp % 32];
            const bool now = act && l->row[l->act[act - 1]].clock == v->r.row->clock && warp == v->r.row->warp;
            screen_put(v->s, row + used + n / width, 1 + n % width, 1,
                       now   ? SCREEN_REVERSE
                       : act ? SCREEN_ACCENT
                             : SCREEN_DIM,
                       sign);
        }
        used += (int)((count / (each ? each : 1) + (uint32_t)width - 1) / (uint32_t)width);
    }
    return used;
}

/* Every lane of the values written, or of those read. */
static int draw_all_lanes(step_view *v, int row, int height)
{
    const frame_value *x = v->r.write_count ? v->r.writes : v->r.reads;
    const int count = v->r.write_count ? v->r.write_count : v->r.read_count, across = screen_width(v->s) >= 100 ? 8 : 4,
              each = (screen_width(v->s) - 1) / across;
    int used = 0;
    for (int i = 0; i < count && used + 1 < height; i++) {
        screen_print(v->s, row + used++, 1, screen_width(v->s) - 1, SCREEN_BOLD, "%s",
                     x[i].name[0] ? x[i].name : x[i].operand->name);
        for (int l = 0; l < 32 && used + l / across < height; l++) {
            char one[48];
            screen_print(v->s, row + used + l / across, 1 + l % across * each, each - 1,
                         l == v->lane ? SCREEN_REVERSE
                         : on(v, l)   ? SCREEN_PLAIN
                                      : SCREEN_DIM,
                         "%2d: %s", l,
                         on(v, l) ? frame_number(v->f, x[i].operand, x[i].lane[l], one, sizeof one) : TR("off"));
        }
        used += 32 / across;
    }
    return used;
}

static void draw_pane(step_view *v, int row, int height)
{
    switch (v->pane) {
    case PANE_MEMORY:
        if (!draw_access(v, row, height))
            screen_put(v->s, row, 1, 70, SCREEN_DIM,
                       TR("this instruction accesses no memory (m goes to one that does)"));
        break;
    case PANE_SHARED: draw_shared(v, row, height); break;
    case PANE_LANES: draw_all_lanes(v, row, height); break;
    case PANE_VALUES: draw_values(v, row, height); break;
    default: {
        const int used = draw_values(v, row, height);
        draw_access(v, row + used + (height - used > 6), height - used - (height - used > 6));
    }
    }
}

void step_draw(step_view *v)
{
    screen *s = v->s;
    const int w = screen_width(s), h = screen_height(s), side = w >= 76 ? (w >= 110 ? 44 : 32) : 0;
    const char *note = v->f->note && v->f->note_at == v->at ? v->f->note : "";
    const int text = (h >= 30 ? 4 : 3) + (*note ? h >= 30 ? 3 : 2 : 0), body = h - 4 - text,
              top = body / 2 < 4 ? 4 : body / 2;
    char sentence[600];
    screen_clear(s);
    draw_title(v);
    draw_source(v, 1, w - side - 1, top);
    if (side) draw_warps(v, 1, w - side, side, top);
    int row = 1 + top;
    screen_put(s, row, 0, w, SCREEN_DIM, "");
    screen_print(s, row++, 8, w - 8, SCREEN_NOTE, "%s", v->r.ptx);
    draw_lanes(v, row++);
    draw_pane(v, row, h - 1 - text - row);
    frame_sentence(v->f, &v->r, sentence, sizeof sentence);
    int used = *note ? screen_wrap(s, h - 1 - text, 1, w - 2, text - 1, SCREEN_NOTE, note) : 0;
    screen_wrap(s, h - 1 - text + used, 1, w - 2, text - used, SCREEN_BOLD, v->said[0] ? v->said : sentence);
    const bool race = v->r.moment->m.found.there && v->r.moment->m.found.other_pc != UINT32_MAX;
    screen_print(s, h - 1, 0, w, SCREEN_REVERSE,
                 race ? TR(" %s  o: the other side of the race  arrows: step, line  ? keys  q quit")
                 : v->visit->place && w < 100 ? TR(" %s  arrows: step, line  m memory  ? keys  q quit")
                 : w < 100
                     ? TR(" %s  arrows: step, line  ] warp  w wait  m memory  ? keys  q quit")
                     : TR(" %s  right, left: step  down, up: line  ] warp  w long wait  m scattered access  b barrier  "
                          "? keys  q quit"),
                 TR(v->all_warps ? "ALL WARPS" : "THIS WARP"));
    if (v->visit->place) {
        char place[60];
        const int n =
            snprintf(place, sizeof place, v->visit->scene ? TR(" %s Enter, Backspace ") : " %s: > < ", v->visit->place);
        screen_put(s, h - 1, w - n, n, SCREEN_REVERSE, place);
    }
    screen_show(s);
}

bool step_picture(frames *f, uint32_t at, int width, int height, FILE *out)
{
    struct app *app = f->app;
    const int wide = app->width;
    step_visit none = {0};
    step_view v = {.f = f, .at = at, .visit = &none, .later = UINT32_MAX, .earlier = UINT32_MAX, .still = true};
    char title[200];
    v.s = screen_picture(app, width, height);
    const bool ok = v.s && frame_at(f, at, &v.r);
    if (ok) {
        app->width = width; /* for the pictures of accesses */
        step_draw(&v);
        app->width = wide;
        snprintf(title, sizeof title, "warpstep step %s: step %u", f->title, at + 1);
        screen_svg(v.s, title, out);
    }
    screen_close(v.s);
    return ok;
}
