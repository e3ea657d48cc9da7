/* step_screen.c: frames on the whole screen: keys. */
#include "step_panes.h"
#include "shell/format.h"
#include "shell/language.h"
#include <stdlib.h>
#include <string.h>

/* ---- help ---- */

static void show_help(step_view *v)
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
    screen_put(v->s, 0, 0, screen_width(v->s), SCREEN_REVERSE, TR(" Keys"));
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        screen_put(v->s, (int)i + 2, 2, screen_width(v->s) - 2, SCREEN_PLAIN, TR(lines[i]));
    screen_put(v->s, screen_height(v->s) - 1, 0, screen_width(v->s), SCREEN_REVERSE, TR(" any key goes back"));
    screen_show(v->s);
    while (screen_key(v->s, 1000) == KEY_NONE && !app_ended) continue;
}

/* ---- keys ---- */

static void say(step_view *v, const char *text) { snprintf(v->said, sizeof v->said, "%s", TR(text)); }

static bool go(step_view *v, uint32_t to)
{
    if (to == UINT32_MAX) return false;
    v->at = to;
    return true;
}

static void find(step_view *v, int direction, enum frame_kind kind)
{
    uint32_t to;
    for (;;) {
        const bool running = frames_running(v->f); /* before reading: what came last must be searched too */
        frames_more(v->f);
        to = frame_find(v->f, v->at, direction, kind, !v->all_warps);
        if (to != UINT32_MAX || direction < 0 || !running || app_ended) break;
        frames_wait(v->f, v->f->reel->steps + 1); /* it may still come */
        if (screen_key(v->s, 0) != KEY_NONE) break;
    }
    if (go(v, to)) return;
    static const char *const what[FRAME_KINDS] = {[FRAME_ANY] = "step",
                                                  [FRAME_LINE] = "line of the source",
                                                  [FRAME_BARRIER] = "barrier",
                                                  [FRAME_SPLIT] = "branch that parts lanes",
                                                  [FRAME_WAIT] = "long wait",
                                                  [FRAME_SCATTERED] = "scattered access",
                                                  [FRAME_MEMORY] = "access",
                                                  [FRAME_GLOBAL] = "access to global memory",
                                                  [FRAME_SHARED] = "access to shared memory",
                                                  [FRAME_ATOMIC] = "atomic operation",
                                                  [FRAME_PRODUCT] = "product of matrices",
                                                  [FRAME_COPY] = "copy in the background",
                                                  [FRAME_FAULT] = "fault"};
    char text[160];
    snprintf(text, sizeof text,
             direction > 0 ? TR("There is no %s after this%s.") : TR("There is no %s before this%s."), TR(what[kind]),
             v->all_warps ? "" : TR(" in this warp (a: look in all warps)"));
    say(v, text);
}

static bool has_text(step_view *v, uint32_t i)
{
    const reel_insn *in = &v->f->reel->insn[frame_row(v->f, i)->pc];
    const text_lines *source = &v->f->source, *ptx = &v->f->ptx;
    return (in->line > 0 && in->line <= source->count && strstr(source->line[in->line - 1], v->search)) ||
           (in->ptx_line > 0 && in->ptx_line <= ptx->count && strstr(ptx->line[in->ptx_line - 1], v->search));
}

static void search(step_view *v, int direction)
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

static void other_warp(step_view *v, int by)
{
    const uint32_t n = v->f->reel->warps, w = (v->r.row->warp + n + (uint32_t)(by + (int)n)) % n;
    const uint32_t to = frame_last_of(v->f, v->at, w);
    go(v, to != UINT32_MAX ? to : frame_next_of(v->f, v->at, w));
}

static void ask_step(step_view *v)
{
    char text[24];
    if (!screen_ask(v->s, screen_height(v->s) - 1, TR("step number:"), text, sizeof text)) return;
    const unsigned long long n = strtoull(text, NULL, 10);
    frames_wait(v->f, n < UINT32_MAX ? (uint32_t)n : UINT32_MAX);
    go(v, n < 1 ? 0 : n > v->f->reel->steps ? v->f->reel->steps - 1 : (uint32_t)n - 1);
}

static void ask_watch(step_view *v)
{
    frame_value x;
    char *name = v->watch[v->watches];
    if (v->watches == WATCHES) {
        say(v, "Four values are watched already: V forgets them.");
        return;
    }
    if (!screen_ask(v->s, screen_height(v->s) - 1, TR("watch (sum, data[i], %r5):"), name, NAME_MOST)) return;
    v->watches++;
    if (step_watched(v, name, &x)) return;
    say(v, "No value of that name has been written in this warp so far; it appears when it is.");
}

static void click(step_view *v)
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

static bool leave(step_view *v, enum visit_end end, int by)
{
    v->visit->end = end;
    v->visit->by = by;
    return false;
}

/* From one side of a race to the other. False: that is in another block. */
static bool other_side(step_view *v)
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
static bool press(step_view *v, int key)
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
        if (screen_ask(v->s, screen_height(v->s) - 1, TR("search:"), v->search, sizeof v->search)) search(v, 1);
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
    step_view v = {.f = f, .at = visit->from, .visit = visit, .later = UINT32_MAX, .earlier = UINT32_MAX};
    leave(&v, VISIT_LEFT, 0);
    v.s = screen_open(f->app);
    if (!v.s) return false;
    uint32_t shown = UINT32_MAX;
    for (bool going = true; going && frame_at(f, v.at, &v.r);) {
        if (v.at != shown && v.r.moment->m.found.there) v.lane = (int)v.r.moment->m.found.lane;
        shown = v.at;
        step_draw(&v);
        int key;
        do {
            key = screen_key(v.s, frames_running(f) || visit->seconds > 0 ? 100 : 1000);
            if (key == KEY_NONE && visit->seconds > 0 && (visit->seconds -= 0.1) <= 0)
                going = leave(&v, VISIT_SCENE, 1);
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
