/* show_program.c: a step that is a whole program: what it printed, its faults and verdict; what went on
 * when, as lines of text; and a sentence on where its time went. */
#include "view_job.h"
#include "show_fault.h"
#include "shell/language.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- what it printed, and whether it was right ---- */

static void put_call(doc *d, view_context *c, const lesson_action *a)
{
    const lesson *l = c->app->lesson->l;
    char number[40], why[100];
    int64_t v;
    doc_part(d, STYLE_PLAIN, "  %s", c->s->kernel_file);
    for (int i = 0; i < a->args; i++)
        if (step_value(l, c->values, &a->arg[i].value, &v, why, sizeof why)) doc_part(d, STYLE_PLAIN, " %" PRId64, v);
    for (int i = 0; i < l->setting_count; i++)
        if (step_uses(l, c->s, i))
            doc_part(d, STYLE_PLAIN, "   %s = %s", l->setting[i].name,
                     format_count(number, sizeof number, (uint64_t)c->values->value[i]));
    doc_gap(d);
}

void view_program_outcome(doc *d, view_context *c)
{
    const step_result *r = c->r;
    char text[80];
    put_call(d, c, c->s->action);
    for (int i = 0; i < r->prints; i++) {
        doc_part(d, STYLE_PLAIN, "  ");
        doc_part(d, STYLE_DIM, "| ");
        doc_folded(d, 4, "", r->print[i]);
    }
    if (r->prints_left_out)
        doc_line(d, "  (and %s more)", format_plural(text, sizeof text, r->prints_left_out, "line"));
    view_faults(d, r);
    if (r->judged)
        doc_styled(d, 2, r->verdict.correct ? STYLE_GOOD : STYLE_BAD, "exit status %d: the program says that it is %s",
                   r->verdict.correct ? 0 : 1, TR(r->verdict.correct ? "right" : "wrong"));
}

/* ---- what went on when ---- */

enum { ROWS = 10, COLUMNS_MOST = 100 };

typedef struct lane {
    int card;
    uint64_t stream;
    bool host;
    double most[COLUMNS_MOST]; /* what takes most of a column's time takes the column */
    char mark[COLUMNS_MOST];
} lane;

static char mark_of(const step_span *s)
{
    if (s->what == 'k') return '#';
    if (s->what == 'w') return 'w';
    if (s->what == 'h') return 'h';
    return strstr(s->name, "to the card") ? '>' : strstr(s->name, "to the host") ? '<' : '=';
}

static lane *lane_of(lane *all, int *count, const step_span *s)
{
    const bool host = s->what == 'w' || s->what == 'h';
    for (int i = 0; i < *count; i++)
        if (all[i].host == host && (host || (all[i].card == s->card && all[i].stream == s->stream))) return &all[i];
    if (*count == ROWS) return NULL;
    lane *l = &all[(*count)++];
    memset(l, 0, sizeof *l);
    memset(l->mark, ' ', sizeof l->mark);
    l->card = s->card;
    l->stream = s->stream;
    l->host = host;
    return l;
}

static void draw(lane *l, const step_span *s, double from, double column, int columns)
{
    const double end = s->begin + s->seconds;
    const bool brief = s->seconds < column; /* seen all the same */
    for (int k = (int)((s->begin - from) / column); k < columns && k >= 0; k++) {
        const double left = from + k * column, right = left + column;
        if (left >= end && k > (int)((s->begin - from) / column)) break;
        const double share = brief ? column : (end < right ? end : right) - (s->begin > left ? s->begin : left);
        if (share < l->most[k] && l->mark[k] != ' ') continue;
        l->most[k] = share;
        l->mark[k] = mark_of(s);
    }
}

enum { DEFAULT_STREAM = 1 }; /* as the libraries number it */

/* "stream 2": those that the program made have the numbers of their first use. */
static void name_lane(const lane *all, const lane *l, bool cards, char *out, size_t size)
{
    int n = 1;
    char card[32] = "";
    for (const lane *k = all; k < l; k++) n += !k->host && k->card == l->card && k->stream != DEFAULT_STREAM;
    if (cards) snprintf(card, sizeof card, "card %d, ", l->card);
    if (l->host) snprintf(out, size, "host");
    else if (l->stream == DEFAULT_STREAM) snprintf(out, size, "%sdefault", card);
    else snprintf(out, size, "%sstream %d", card, n);
}

void view_timeline(doc *d, const step_result *r)
{
    static lane lanes[ROWS];
    int count = 0;
    double from = 1e300, to = 0;
    bool cards = false, left_out = r->spans_left_out > 0;
    if (!r->spans) return;
    for (int i = 0; i < r->spans; i++) {
        const step_span *s = &r->span[i];
        if (s->what == 'r') continue;
        from = s->begin < from ? s->begin : from;
        to = s->begin + s->seconds > to ? s->begin + s->seconds : to;
        cards = cards || s->card > 0;
    }
    if (!(to > from)) return;
    int columns = d->app->width - (cards ? 23 : 16);
    columns = columns < 20 ? 20 : columns > COLUMNS_MOST ? COLUMNS_MOST : columns;
    const double column = (to - from) / columns;
    for (int i = 0; i < r->spans; i++) {
        if (r->span[i].what == 'r') continue;
        lane *l = lane_of(lanes, &count, &r->span[i]);
        if (l) draw(l, &r->span[i], from, column, columns);
        else left_out = true;
    }
    char a[40], used[8] = "", text[200] = "", name[60];
    doc_gap(d);
    for (int pass = 0; pass < 2; pass++) /* the host above the streams */
        for (int i = 0; i < count; i++) {
            if (lanes[i].host != (pass == 0)) continue;
            name_lane(lanes, &lanes[i], cards, name, sizeof name);
            doc_line(d, "  %-*s|%.*s|", cards ? 18 : 11, name, columns, lanes[i].mark);
            for (int k = 0; k < columns; k++)
                if (lanes[i].mark[k] != ' ' && !strchr(used, lanes[i].mark[k])) used[strlen(used)] = lanes[i].mark[k];
        }
    static const struct {
        char mark;
        const char *meaning;
    } marks[] = {{'>', "to the card"}, {'#', "kernel"}, {'<', "back"},
                 {'=', "on the card"}, {'w', "waits"},  {'h', "host function"}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strchr(used, marks[i].mark)) {
            const size_t n = strlen(text);
            snprintf(text + n, sizeof text - n, "%s%c %s", n ? TR(", ") : "", marks[i].mark, TR(marks[i].meaning));
        }
    doc_say(d, 2, "%s across: %s%s", format_si(a, sizeof a, to - from, "s"), text,
            left_out ? TR("; the first part of it") : "");
}

void view_spans_json(json *j, const step_result *r)
{
    json_array(j, "timeline");
    for (int i = 0; i < r->spans; i++) {
        const step_span *s = &r->span[i];
        json_object(j, NULL);
        json_keys(j, "what %s, name %s, card %d, stream %" PRIu64 ", begin_ms %g, ms %g", (const char[]){mark_of(s), 0},
                  s->name, s->card, s->stream, s->begin * 1e3, s->seconds * 1e3);
        json_close(j);
    }
    json_close(j);
}

/* ---- why ---- */

void view_program_why(const step_result *r, const step_result *before, char *out, size_t size)
{
    char a[40], b[40], c[40], e[40], f[60];
    size_t n = 0;
    *out = 0;
    if (r->program_seconds <= 0) {
        snprintf(out, size, "%s", TR("This card has no clock here yet."));
        return;
    }
    if (before && before->has_timeline && before->program_seconds > 0) {
        const double now = r->program_seconds, old = before->program_seconds;
        if (now > 0.91 * old && now < 1.1 * old && fabs(now - old) > 0.0005 * old)
            n = (size_t)snprintf(out, size, TR("%.1f %% %s time: %s instead of %s. "), 100 * fabs(now - old) / old,
                                 TR(now < old ? "less" : "more"), format_si(a, sizeof a, now, "s"),
                                 format_si(b, sizeof b, old, "s"));
        else if (fabs(now - old) > 0.0005 * old)
            n = (size_t)snprintf(out, size, TR("%s times %s time: %s instead of %s. "),
                                 view_factor(f, sizeof f, now < old ? old / now : now / old),
                                 TR(now < old ? "less" : "more"), format_si(a, sizeof a, now, "s"),
                                 format_si(b, sizeof b, old, "s"));
        else n = (size_t)snprintf(out, size, "%s", TR("As much time. "));
    }
    char launches[60], copies[60], kernels[40], copying[40];
    const char *what = format_plural(launches, sizeof launches, (uint64_t)r->launches, "kernel");
    format_si(kernels, sizeof kernels, r->kernels_seconds, "s");
    format_si(copying, sizeof copying, r->copies_seconds, "s");
    snprintf(copies, sizeof copies, r->copies == 1 ? TR("1 copy") : TR("%" PRIu64 " copies"), r->copies);
    if (n < size && r->launches && r->copies)
        n += (size_t)snprintf(out + n, size - n, TR("%s took the card %s, %s %s"), what, kernels, copies, copying);
    else if (n < size && r->launches)
        n += (size_t)snprintf(out + n, size - n, TR("%s took the card %s, and there was no copy"), what, kernels);
    else if (n < size && r->copies)
        n += (size_t)snprintf(out + n, size - n, TR("%s took the card %s, and no kernel ran"), copies, copying);
    else if (n < size) n += (size_t)snprintf(out + n, size - n, "%s", TR("The card did nothing"));
    if (n < size && r->overlap > 0.005)
        n += (size_t)snprintf(out + n, size - n, TR("; %.0f %% of its time it did two things at once"),
                              100 * r->overlap);
    if (n < size)
        snprintf(out + n, size - n, TR(". Of the %s of the whole program the host waited %s."),
                 format_si(c, sizeof c, r->program_seconds, "s"), format_si(e, sizeof e, r->waited_seconds, "s"));
}
