/* frame_text.c: a frame as lines of text, for a pipe or a screen reader. */
#include "frame.h"
#include "shell/format.h"
#include "shell/language.h"
#include <inttypes.h>
#include <string.h>

static const char *value_name(const frame_value *v) { return v->name[0] ? v->name : v->operand->name; }

/* A copy: the same values are written under the same name. */
static bool is_copied(const frame *r, const frame_value *v)
{
    for (int i = 0; i < r->write_count && v->name[0]; i++)
        if (&r->writes[i] != v && !strcmp(v->name, r->writes[i].name) &&
            !memcmp(v->lane, r->writes[i].lane, sizeof v->lane))
            return true;
    return false;
}

static void print_values(doc *d, const frames *f, const frame *r, const frame_value *list, int count, const char *what)
{
    for (int i = 0; i < count; i++) {
        const frame_value *v = &list[i];
        char lanes[200], head[80];
        if (!value_name(v)[0] || (list == r->reads && is_copied(r, v))) continue;
        snprintf(head, sizeof head, "  %s%*s%s", TR(what), 8 - utf8_width(TR(what)), "", value_name(v));
        doc_entry(d, 34, head, "%s", frame_lanes(f, v, r->row->lanes, lanes, sizeof lanes));
    }
}

/* Neighbours that wait for the same are one line. */
static void print_warps(doc *d, const frames *f, const frame *r)
{
    char what[100], next[100], head[40];
    for (uint32_t from = 0, to; from < f->reel->warps; from = to) {
        frame_state_of(f, r->i, from, what, sizeof what);
        for (to = from + 1; to < f->reel->warps && to != r->row->warp && from != r->row->warp; to++) {
            frame_state_of(f, r->i, to, next, sizeof next);
            if (strcmp(what, next)) break;
        }
        if (from == r->row->warp) continue;
        if (to == from + 1) snprintf(head, sizeof head, TR("  warp %u"), from);
        else snprintf(head, sizeof head, TR("  warps %u to %u"), from, to - 1);
        doc_entry(d, 18, head, "%s", what);
    }
}

/* A line of code, cut where the screen ends. */
static void quote(doc *d, const char *number, const char *text)
{
    char line[500];
    size_t n = 0;
    for (const char *p = text; *p && n + 1 < sizeof line; p++) line[n++] = *p == '\t' ? ' ' : *p;
    line[n] = 0;
    line[utf8_fit(line, d->app->width - 8)] = 0;
    doc_line(d, "%s%s", number, line);
}

void frame_print(doc *d, frames *f, const frame *r)
{
    char clock[32], sentence[600], lanes[40];
    int on = 0;
    for (uint32_t m = r->row->lanes; m; m &= m - 1) on++;
    if (on == 32) snprintf(lanes, sizeof lanes, "%s", TR("all lanes"));
    else snprintf(lanes, sizeof lanes, TR("%d lane%s, mask %08" PRIx32), on, on == 1 ? "" : "s", r->row->lanes);
    doc_say(d, 0, "step %" PRIu32 ", clock %s, warp %" PRIu32 ": %s%s", r->i + 1,
            format_count(clock, sizeof clock, r->row->clock), r->row->warp, lanes,
            r->row->kind == SIM_MOMENT_FAULT ? TR("  FAULT") : "");
    if (r->insn->line > 0 && r->insn->line <= f->source.count)
        quote(d, doc_number(f->app, r->insn->line), f->source.line[r->insn->line - 1]);
    if (r->ptx[0]) quote(d, "        ", r->ptx);
    print_values(d, f, r, r->reads, r->read_count, "reads");
    print_values(d, f, r, r->writes, r->write_count, "writes");
    char places[200];
    if (*frame_places(f, r->moment, places, sizeof places)) doc_entry(d, 34, TR("  access"), "%s", places);
    print_warps(d, f, r);
    frame_sentence(f, r, sentence, sizeof sentence);
    doc_say(d, 2, "%s", sentence);
    frame_side s;
    const bool race = frame_other_side(f, r->i, r->moment, &s);
    const uint32_t other = race ? side_find(f, &s) : UINT32_MAX;
    if (race) reel_moment(f->reel, r->i, f->moment); /* which the search has used */
    if (other != UINT32_MAX) doc_say(d, 2, "The other side is step %" PRIu32 ".", other + 1);
    if (f->note && f->note_at == r->i) doc_say(d, 2, "Look: %s", f->note);
    doc_gap(d);
}
