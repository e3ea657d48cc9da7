/* step_screen.c: frames on the whole screen, with keys.
 *
 *     title
 *     source                 | warps of the block
 *     instruction
 *     lanes
 *     values, or what a number key chooses: memory, shared memory, all lanes
 *     sentence
 *     keys
 */
#include "frames.h"
#include "shell/format.h"
#include "shell/screen.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum pane { PANE_AUTO, PANE_VALUES, PANE_MEMORY, PANE_SHARED, PANE_LANES, PANES };
enum { WATCHES = 4, PAGE = 100 };

typedef struct view {
    frames *f;
    screen *s;
    frame r;
    uint32_t at;
    int lane;
    bool all_warps; /* keys go on in any warp */
    bool still;     /* a picture: it does not say how far the run has come */
    enum pane pane;
    char said[160], search[64];
    char watch[WATCHES][NAME_MOST];
    int watches, warps_row, lanes_row, lanes_column;
    uint32_t first_warp; /* shown in the first row of the warps */
    step_visit *visit;
    uint32_t later, earlier; /* the sides of the race that was last looked at; UINT32_MAX: of none */
} view;

static bool on(const view *v, int lane) { return v->r.row->lanes >> lane & 1; }

static int count_lanes(uint32_t m)
{
    int n = 0;
    for (; m; m &= m - 1) n++;
    return n;
}

/* ---- panes ---- */

static void draw_title(view *v)
{
    const reel *l = v->f->reel;
    char left[340], right[120], clock[32], step[32], all[32];
    const int w = screen_width(v->s);
    snprintf(left, sizeof left, w < 100 ? " %s %s block %u,%u,%u mp 1/%d" : " %s  %s  block %u,%u,%u  multiprocessor 1 of %d",
             v->f->title, v->f->device, l->at[0], l->at[1], l->at[2], l->multiprocessors);
    format_count(step, sizeof step, v->at + 1);
    format_count(all, sizeof all, l->steps);
    format_count(clock, sizeof clock, v->r.row->clock);
    if (v->still) snprintf(right, sizeof right, "step %s  clock %s ", step, clock);
    else snprintf(right, sizeof right, "step %s of %s%s  clock %s ", step, all, frames_running(v->f) ? "+" : "", clock);
    const int r = utf8_width(right);
    screen_put(v->s, 0, 0, w, SCREEN_REVERSE, left);
    if (r < w) screen_put(v->s, 0, w - r, r, SCREEN_REVERSE, right);
}

static void draw_source(view *v, int row, int width, int height)
{
    const int line = v->r.insn->line, count = v->f->source.count;
    if (!count) {
        screen_put(v->s, row, 1, width - 1, SCREEN_DIM, "(no source: its PTX is below)");
        return;
    }
    int first = line - height / 2;
    if (first > count - height + 1) first = count - height + 1;
    if (first < 1) first = 1;
    for (int i = 0; i < height && first + i <= count; i++) {
        const bool here = first + i == line;
        screen_print(v->s, row + i, 0, width, here ? SCREEN_BOLD : SCREEN_PLAIN, "%c%4d  %s", here ? '>' : ' ', first + i,
                     v->f->source.line[first + i - 1]);
    }
}

static void draw_warps(view *v, int row, int column, int width, int height)
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
        screen_print(v->s, row + i, column, width, w == mine ? SCREEN_BOLD : style[state], "%cwarp %-3" PRIu32 "%s",
                     w == mine ? '>' : ' ', w, what);
    }
}

static void draw_lanes(view *v, int row)
{
    v->lanes_row = row;
    v->lanes_column = 8;
    screen_put(v->s, row, 1, 7, SCREEN_PLAIN, "lanes");
    int column = v->lanes_column;
    for (int l = 0; l < 32; l++) {
        if (l && l % 8 == 0) column++;
        const enum screen_style style = l == v->lane ? SCREEN_REVERSE : on(v, l) ? SCREEN_GOOD : SCREEN_DIM;
        screen_put(v->s, row, column++, 1, style, on(v, l) ? "#" : ".");
    }
    char text[80];
    const int n = count_lanes(v->r.row->lanes);
    if (n == 32) snprintf(text, sizeof text, "all 32 on; lane %d", v->lane);
    else snprintf(text, sizeof text, "%d of 32 on; lane %d is %s", n, v->lane, on(v, v->lane) ? "on" : "off");
    screen_put(v->s, row, column + 1, screen_width(v->s) - column - 1, SCREEN_PLAIN, text);
}

/* A name, what the lanes hold, and the chosen lane's value. */
static void draw_value(view *v, int row, const char *what, const frame_value *x)
{
    char lanes[400], name[80], one[48];
    const int w = screen_width(v->s), mine = 18, values = w - 34 - mine;
    const char *plain = x->name[0] ? x->name : x->operand->name;
    snprintf(name, sizeof name, " %-7s%s", what, plain);
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
static bool watched(view *v, const char *name, frame_value *out)
{
    const reel *l = v->f->reel;
    for (uint32_t pc = 0; pc < l->insns; pc++)
        for (uint32_t k = 0; k < l->insn[pc].operands; k++) {
            const reel_operand *o = &l->operand[l->insn[pc].operand + k];
            char called[NAME_MOST];
            if (!o->written || !o->name[0]) continue;
            if (strcmp(o->name, name) && (!names_of(v->f, o->name, called, sizeof called) || strcmp(called, name))) continue;
            for (uint32_t i = frame_last_of(v->f, v->at, v->r.row->warp); i != UINT32_MAX; i = frame_of_warp(v->f, i, -1)) {
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

static int draw_values(view *v, int row, int height)
{
    int used = 0;
    for (int i = 0; i < v->watches && used < height; i++) {
        frame_value x;
        if (watched(v, v->watch[i], &x)) draw_value(v, row + used++, "watch", &x);
        else screen_print(v->s, row + used++, 0, screen_width(v->s), SCREEN_DIM, " watch  %s: not written yet", v->watch[i]);
    }
    for (int i = 0; i < v->r.read_count && used < height; i++)
        if ((v->r.reads[i].name[0] || v->r.reads[i].operand->name[0]) && !shown_before(&v->r, &v->r.reads[i]))
            draw_value(v, row + used++, "reads", &v->r.reads[i]);
    for (int i = 0; i < v->r.write_count && used < height; i++)
        if (v->r.writes[i].name[0] || v->r.writes[i].operand->name[0])
            draw_value(v, row + used++, "writes", &v->r.writes[i]);
    char places[200];
    if (used < height && *frame_places(v->f, v->r.moment, places, sizeof places)) {
        screen_put(v->s, row + used, 0, 32, SCREEN_PLAIN, " access");
        screen_put(v->s, row + used++, 33, screen_width(v->s) - 33, SCREEN_ACCENT, places);
    }
    return used;
}

/* The picture that `show mem` and `show banks` draw, as lines. */
static int draw_access(view *v, int row, int height)
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
static int draw_shared(view *v, int row, int height)
{
    const reel *l = v->f->reel;
    const reel_state *s = reel_after(v->f->reel, v->at);
    const uint32_t words = l->shared_bytes / 4;
    if (!words || !s || height < 2) {
        screen_put(v->s, row, 1, 60, SCREEN_DIM, "the kernel has no shared memory");
        return 1;
    }
    int used = 0;
    for (uint32_t i = 0; i < l->shareds && used + 1 < height; i++) {
        const reel_area *a = &l->shared[i];
        const uint32_t from = (uint32_t)a->from / 4, count = (uint32_t)(a->to - a->from) / 4;
        const int width = screen_width(v->s) - 2, rows = height - used - 1;
        const uint32_t each = (count + (uint32_t)(width * rows) - 1) / (uint32_t)(width * rows);
        screen_print(v->s, row + used++, 1, width, SCREEN_BOLD,
                     "%s, %u words; each sign is %u word%s: the warp that touched it last, . nobody",
                     a->name[0] ? a->name : "shared memory", count, each, each == 1 ? "" : "s");
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
                       now ? SCREEN_REVERSE : act ? SCREEN_ACCENT : SCREEN_DIM, sign);
        }
        used += (int)((count / (each ? each : 1) + (uint32_t)width - 1) / (uint32_t)width);
    }
    return used;
}

/* Every lane of the values written, or of those read. */
static int draw_all_lanes(view *v, int row, int height)
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
                         "%2d: %s", l, on(v, l) ? frame_number(v->f, x[i].operand, x[i].lane[l], one, sizeof one) : "off");
        }
        used += 32 / across;
    }
    return used;
}

static void draw_pane(view *v, int row, int height)
{
    switch (v->pane) {
    case PANE_MEMORY:
        if (!draw_access(v, row, height))
            screen_put(v->s, row, 1, 70, SCREEN_DIM, "this instruction accesses no memory (m goes to one that does)");
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

static void draw(view *v)
{
    screen *s = v->s;
    const int w = screen_width(s), h = screen_height(s), side = w >= 76 ? (w >= 110 ? 44 : 32) : 0;
    const char *note = v->f->note && v->f->note_at == v->at ? v->f->note : "";
    const int text = (h >= 30 ? 4 : 3) + (*note ? h >= 30 ? 3 : 2 : 0), body = h - 4 - text, top = body / 2 < 4 ? 4 : body / 2;
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
                 race ? " %s  o: the other side of the race  arrows: step, line  ? keys  q quit"
                 : v->visit->place && w < 100 ? " %s  arrows: step, line  m memory  ? keys  q quit"
                 : w < 100 ? " %s  arrows: step, line  ] warp  w wait  m memory  ? keys  q quit"
                         : " %s  right, left: step  down, up: line  ] warp  w long wait  m scattered access  b barrier  ? keys  q quit",
                 v->all_warps ? "ALL WARPS" : "THIS WARP");
    if (v->visit->place) {
        char place[60];
        const int n = snprintf(place, sizeof place, v->visit->scene ? " %s Enter, Backspace " : " %s: > < ", v->visit->place);
        screen_put(s, h - 1, w - n, n, SCREEN_REVERSE, place);
    }
    screen_show(s);
}

/* ---- help ---- */

static void show_help(view *v)
{
    static const char *const lines[] = {
        "Capital letters go back to the one before.",
        "",
        "right l space  next instruction       left h       the one before",
        "down j         next source line       up k         the one before",
        "a              in this warp only, or in all warps",
        "b B            barrier                s S          branch that parts the lanes",
        "w W            long wait              m M          scattered access, bank conflict",
        "e E            any memory access      f F          fault, race",
        "o              the other side of a race",
        "g Home         first step             G End        last step",
        "PgDn PgUp      a hundred steps        :N           step N",
        "] [            next warp, warp before",
        ". ,            next lane, lane before (or click on it)",
        "1 2 3 4        values, memory, shared memory, all lanes; 0 what fits",
        "v NAME         watch a value          V            watch no more",
        "/ TEXT  n N    search source and PTX, again, backwards",
        "} {            the next block, the block before: runs again",
        "> <            the next moment that the lesson names, the one before",
        "q Esc          leave",
    };
    screen_clear(v->s);
    screen_put(v->s, 0, 0, screen_width(v->s), SCREEN_REVERSE, " Keys");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        screen_put(v->s, (int)i + 2, 2, screen_width(v->s) - 2, SCREEN_PLAIN, lines[i]);
    screen_put(v->s, screen_height(v->s) - 1, 0, screen_width(v->s), SCREEN_REVERSE, " any key goes back");
    screen_show(v->s);
    while (screen_key(v->s, 1000) == KEY_NONE && !app_ended) continue;
}

/* ---- keys ---- */

static void say(view *v, const char *text) { snprintf(v->said, sizeof v->said, "%s", text); }

static bool go(view *v, uint32_t to)
{
    if (to == UINT32_MAX) return false;
    v->at = to;
    return true;
}

static void find(view *v, int direction, enum frame_kind kind)
{
    uint32_t to = frame_find(v->f, v->at, direction, kind, !v->all_warps);
    while (to == UINT32_MAX && direction > 0 && frames_running(v->f) && !app_ended) { /* it may still come */
        const uint32_t from = v->f->reel->steps;
        frames_wait(v->f, from + 1);
        to = frame_find(v->f, v->at, direction, kind, !v->all_warps);
        if (screen_key(v->s, 0) != KEY_NONE) break;
    }
    if (go(v, to)) return;
    static const char *const what[FRAME_KINDS] = {
        [FRAME_ANY] = "step",
        [FRAME_LINE] = "line of the source",
        [FRAME_BARRIER] = "barrier",
        [FRAME_SPLIT] = "branch that parts lanes",
        [FRAME_WAIT] = "long wait",
        [FRAME_SCATTERED] = "scattered access",
        [FRAME_MEMORY] = "access",
        [FRAME_GLOBAL] = "access to global memory",
        [FRAME_SHARED] = "access to shared memory",
        [FRAME_ATOMIC] = "atomic operation",
        [FRAME_FAULT] = "fault"};
    char text[160];
    snprintf(text, sizeof text, "There is no %s %s this%s.", what[kind], direction > 0 ? "after" : "before",
             v->all_warps ? "" : " in this warp (a: look in all warps)");
    say(v, text);
}

static bool has_text(view *v, uint32_t i)
{
    const reel_insn *in = &v->f->reel->insn[frame_row(v->f, i)->pc];
    const text_lines *source = &v->f->source, *ptx = &v->f->ptx;
    return (in->line > 0 && in->line <= source->count && strstr(source->line[in->line - 1], v->search)) ||
           (in->ptx_line > 0 && in->ptx_line <= ptx->count && strstr(ptx->line[in->ptx_line - 1], v->search));
}

static void search(view *v, int direction)
{
    const uint32_t warp = v->r.row->warp;
    for (int64_t k = (int64_t)v->at + direction; k >= 0 && v->search[0]; k += direction) {
        if (k >= v->f->reel->steps) frames_wait(v->f, (uint32_t)k + 1); /* it may still come */
        if (k >= v->f->reel->steps) break;
        if ((v->all_warps || frame_row(v->f, (uint32_t)k)->warp == warp) && has_text(v, (uint32_t)k)) {
            go(v, (uint32_t)k);
            return;
        }
    }
    say(v, v->search[0] ? "It is not found." : "Nothing was searched for: / asks.");
}

static void other_warp(view *v, int by)
{
    const uint32_t n = v->f->reel->warps, w = (v->r.row->warp + n + (uint32_t)(by + (int)n)) % n;
    const uint32_t to = frame_last_of(v->f, v->at, w);
    go(v, to != UINT32_MAX ? to : frame_next_of(v->f, v->at, w));
}

static void ask_step(view *v)
{
    char text[24];
    if (!screen_ask(v->s, screen_height(v->s) - 1, "step number:", text, sizeof text)) return;
    const unsigned long long n = strtoull(text, NULL, 10);
    frames_wait(v->f, n < UINT32_MAX ? (uint32_t)n : UINT32_MAX);
    go(v, n < 1 ? 0 : n > v->f->reel->steps ? v->f->reel->steps - 1 : (uint32_t)n - 1);
}

static void ask_watch(view *v)
{
    frame_value x;
    char *name = v->watch[v->watches];
    if (v->watches == WATCHES) {
        say(v, "Four values are watched already: V forgets them.");
        return;
    }
    if (!screen_ask(v->s, screen_height(v->s) - 1, "watch (sum, data[i], %r5):", name, NAME_MOST)) return;
    v->watches++;
    if (watched(v, name, &x)) return;
    say(v, "No value of that name has been written in this warp so far; it appears when it is.");
}

static void click(view *v)
{
    int row, column;
    screen_mouse(v->s, &row, &column);
    if (row == v->lanes_row && column >= v->lanes_column) {
        const int n = column - v->lanes_column, lane = n - n / 9;
        if (n % 9 != 8 && lane < 32) v->lane = lane;
    } else if (row >= v->warps_row && row < v->lanes_row - 1 && column > screen_width(v->s) / 2) {
        const uint32_t w = v->first_warp + (uint32_t)(row - v->warps_row);
        if (w < v->f->reel->warps) other_warp(v, (int)w - (int)v->r.row->warp);
    }
}

static bool leave(view *v, enum visit_end end, int by)
{
    v->visit->end = end;
    v->visit->by = by;
    return false;
}

/* From one side of a race to the other. False: that is in another block. */
static bool other_side(view *v)
{
    frame_side s;
    if (v->at == v->earlier) return go(v, v->later);
    if (!frame_other_side(v->f, v->at, v->r.moment, &s)) {
        if (v->visit->back) return leave(v, VISIT_SIDE, -1);
        say(v, "No race was found here: f goes to one.");
        return true;
    }
    const uint32_t to = side_find(v->f, &s);
    if (to == UINT32_MAX && s.block != v->f->reel->number) {
        v->visit->side = s;
        return leave(v, VISIT_SIDE, 1);
    }
    if (to == v->at) {
        say(v, "This instruction is both sides: the two threads are of one warp.");
        return true;
    }
    v->later = v->at;
    v->earlier = to;
    v->lane = (int)(s.thread % 32);
    if (!go(v, to)) say(v, "The other side is not in this film.");
    else say(v, "This is the earlier side of the race: o goes back to the later one.");
    return true;
}

/* False: leave. */
static bool press(view *v, int key)
{
    static const struct {
        char on, back;
        enum frame_kind kind;
    } finds[] = {{'b', 'B', FRAME_BARRIER},   {'s', 'S', FRAME_SPLIT},  {'w', 'W', FRAME_WAIT},
                 {'m', 'M', FRAME_SCATTERED}, {'e', 'E', FRAME_MEMORY}, {'f', 'F', FRAME_FAULT}};
    for (size_t i = 0; i < sizeof finds / sizeof *finds; i++)
        if (key == finds[i].on || key == finds[i].back) {
            find(v, key == finds[i].on ? 1 : -1, finds[i].kind);
            return true;
        }
    if (key >= '0' && key < '0' + PANES) v->pane = (enum pane)(key - '0');
    switch (key) {
    case KEY_QUIT:
    case KEY_ESCAPE:
    case 'q': return false;
    case KEY_RIGHT:
    case 'l':
    case ' ': find(v, 1, FRAME_ANY); break;
    case KEY_LEFT:
    case 'h': find(v, -1, FRAME_ANY); break;
    case KEY_DOWN:
    case 'j': find(v, 1, FRAME_LINE); break;
    case KEY_UP:
    case 'k': find(v, -1, FRAME_LINE); break;
    case 'a': v->all_warps = !v->all_warps; break;
    case 'g':
    case KEY_HOME: v->at = 0; break;
    case 'G':
    case KEY_END:
        frames_wait(v->f, UINT32_MAX);
        v->at = v->f->reel->steps - 1;
        break;
    case KEY_PAGE_DOWN:
        frames_wait(v->f, v->at + PAGE + 1);
        v->at = v->at + PAGE < v->f->reel->steps ? v->at + PAGE : v->f->reel->steps - 1;
        break;
    case KEY_PAGE_UP: v->at = v->at > PAGE ? v->at - PAGE : 0; break;
    case ']':
    case KEY_TAB: other_warp(v, 1); break;
    case '[':
    case KEY_BACK_TAB: other_warp(v, -1); break;
    case '.': v->lane = (v->lane + 1) % 32; break;
    case ',': v->lane = (v->lane + 31) % 32; break;
    case ':': ask_step(v); break;
    case 'v': ask_watch(v); break;
    case 'V': v->watches = 0; break;
    case '/':
        if (screen_ask(v->s, screen_height(v->s) - 1, "search:", v->search, sizeof v->search)) search(v, 1);
        break;
    case 'n': search(v, 1); break;
    case 'N': search(v, -1); break;
    case '?': show_help(v); break;
    case KEY_ENTER:
    case KEY_BACKSPACE:
        if (v->visit->scene) return leave(v, VISIT_SCENE, key == KEY_ENTER ? 1 : -1);
        break;
    case 'o': return other_side(v);
    case '}': return leave(v, VISIT_BLOCK, 1);
    case '{': return leave(v, VISIT_BLOCK, -1);
    case '>':
    case '<':
        if (v->visit->looks) return leave(v, VISIT_LOOK, key == '>' ? 1 : -1);
        say(v, "The lesson names no moment of this step.");
        break;
    case KEY_MOUSE: click(v); break;
    default: break;
    }
    return true;
}

bool step_screen(frames *f, step_visit *visit)
{
    if (visit->from >= f->reel->steps) visit->from = 0;
    view v = {.f = f, .at = visit->from, .visit = visit, .later = UINT32_MAX, .earlier = UINT32_MAX};
    leave(&v, VISIT_LEFT, 0);
    v.s = screen_open(f->app);
    if (!v.s) return false;
    uint32_t shown = UINT32_MAX;
    for (bool going = true; going && frame_at(f, v.at, &v.r);) {
        if (v.at != shown && v.r.moment->m.found.there) v.lane = (int)v.r.moment->m.found.lane;
        shown = v.at;
        draw(&v);
        int key;
        do {
            key = screen_key(v.s, frames_running(f) || visit->seconds > 0 ? 100 : 1000);
            if (key == KEY_NONE && visit->seconds > 0 && (visit->seconds -= 0.1) <= 0) going = leave(&v, VISIT_SCENE, 1);
        } while (going && key == KEY_NONE && !frames_more(f));
        if (key == KEY_NONE) continue;
        visit->seconds = 0; /* a person has taken over */
        v.said[0] = 0;
        going = press(&v, key);
    }
    visit->from = v.at;
    screen_close(v.s);
    return true;
}

bool step_picture(frames *f, uint32_t at, int width, int height, FILE *out)
{
    struct app *app = f->app;
    const int wide = app->width;
    step_visit none = {0};
    view v = {.f = f, .at = at, .visit = &none, .later = UINT32_MAX, .earlier = UINT32_MAX, .still = true};
    char title[200];
    v.s = screen_picture(app, width, height);
    const bool ok = v.s && frame_at(f, at, &v.r);
    if (ok) {
        app->width = width; /* for the pictures of accesses */
        draw(&v);
        app->width = wide;
        snprintf(title, sizeof title, "warpstep step %s: step %u", f->title, at + 1);
        screen_svg(v.s, title, out);
    }
    screen_close(v.s);
    return ok;
}
