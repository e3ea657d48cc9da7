/* show_run.c: one run on the screen: its launches, its verdict, and the remarks below its table. */
#include "device/card_changes.h"
#include "shell/free_memory.h"
#include "show_fault.h"
#include "view.h"
#include "view_job.h"
#include "shell/format.h"
#include "shell/language.h"
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

void view_step_head(doc *d, const lesson_step *s, const char *device)
{
    doc_head(d, device, "%s  %s", session_step_name(d->app, s), s->title);
}

/* Readers want 123000000.110771, not 1.23e+08. */
static char *result_text(char *buffer, size_t size, double v)
{
    if (!(fabs(v) >= 1e6 && fabs(v) < 1e15)) return format_exact(buffer, size, v, 9);
    snprintf(buffer, size, "%.6f", v);
    for (char *end = buffer + strlen(buffer); end[-1] == '0' || end[-1] == '.'; *end = 0)
        if (*--end == '.') {
            *end = 0;
            break;
        }
    return buffer;
}

static const char *verdict_text(const step_result *r, const lesson *l, const lesson_step *s, char *out, size_t size)
{
    const verdict *v = &r->verdict;
    const char *name = r->right < s->right_count ? s->right[r->right].ours_name : "";
    char a[40], b[40], who[60];
    int used;
    snprintf(who, sizeof who, "%s", TR("the CPU"));
    const int witness = r->right < s->right_count ? s->right[r->right].witness : -1;
    if (witness >= 0 && witness < l->step_count) snprintf(who, sizeof who, TR("step %s"), l->step[witness].name);
    if (v->message[0]) {
        snprintf(out, size, TR("%s: wrong, %s"), name, v->message);
        return out;
    }
    if (v->exact_integers) {
        snprintf(a, sizeof a, "%" PRId64, v->ours_integer);
        snprintf(b, sizeof b, "%" PRId64, v->reference_integer);
    } else {
        result_text(a, sizeof a, v->ours);
        result_text(b, sizeof b, v->reference);
    }
    bool scalar = !v->array;
    if (v->looked || v->of_rounding > 0) {
        char first[40];
        if (v->correct)
            used = snprintf(out, size,
                            TR("%s: right, relative error at most %.3g, mean %.3g; at most %.*f %% of what "
                               "rounding can do"),
                            name, v->max_relative, v->mean_relative, v->of_rounding < 0.1, 100 * v->of_rounding);
        else
            used = snprintf(out, size,
                            v->looked ? TR("%s: wrong in %llu elements or more, first in [%llu]: %s, %s says %s")
                                      : TR("%s: wrong in %llu elements, first in [%llu]: %s, %s says %s"),
                            name, (unsigned long long)v->wrong, (unsigned long long)v->first, a, who, b);
        if (v->looked && used > 0 && (size_t)used < size)
            snprintf(out + used, size - (size_t)used, TR(" (every row by random sums, %s elements one by one)"),
                     format_count(first, sizeof first, v->looked));
        return out;
    }
    if (v->correct && (v->exact_integers || v->max_absolute == 0))
        snprintf(out, size,
                 scalar ? TR("%s = %s: right, %s says the same") : TR("%s%.0s: right, every element as %s has it"),
                 name, a, who);
    else if (v->correct)
        snprintf(out, size, TR("%s%s%s: right, relative error at most %.3g, mean %.3g"), name, scalar ? " = " : "",
                 scalar ? a : "", v->max_relative, v->mean_relative);
    else if (scalar) snprintf(out, size, TR("%s = %s: wrong, %s says %s"), name, a, who, b);
    else
        snprintf(out, size, TR("%s: wrong in %llu elements, first in [%llu]: %s, %s says %s"), name,
                 (unsigned long long)v->wrong, (unsigned long long)v->first, a, who, b);
    return out;
}

static const char *dims(char *out, size_t size, const uint32_t d[3])
{
    if (d[2] > 1) snprintf(out, size, "%u x %u x %u", d[0], d[1], d[2]);
    else if (d[1] > 1) snprintf(out, size, "%u x %u", d[0], d[1]);
    else snprintf(out, size, "%u", d[0]);
    return out;
}

const char *view_cache(const step_result *r)
{
    return r->cache == CACHE_HOT    ? "cache hot: it holds what a run before left there"
           : r->cache == CACHE_COLD ? "cache cold: emptied before the run (--hot: as a run before leaves it)"
                                    : "";
}

void view_launch(doc *d, view_context *c)
{
    if (!step_launches(c->s)) return;
    const step_result *r = c->r;
    const lesson *l = c->app->lesson->l;
    char grid[48], block[48], number[40];
    char kernel[96] = "";
    for (int i = 0; i < c->s->action_count && !*kernel; i++)
        if (c->s->action[i].kind == ACT_LAUNCH) step_entry(l, c->values, &c->s->action[i], kernel, sizeof kernel);
    int used = doc_part(d, STYLE_PLAIN, "  %s<<<%s, %s", kernel, dims(grid, sizeof grid, r->grid),
                        dims(block, sizeof block, r->block));
    if (r->shared) used += doc_part(d, STYLE_PLAIN, ", %u", r->shared);
    used += doc_part(d, STYLE_PLAIN, ">>>");
    if (r->cluster[0]) used += doc_part(d, STYLE_PLAIN, " in clusters of %s", dims(grid, sizeof grid, r->cluster));
    if (r->launches > 1)
        used += doc_part(d, STYLE_PLAIN, " and %d more launch%s", r->launches - 1, r->launches == 2 ? "" : "es");
    for (int i = 0; i < l->setting_count; i++) {
        char piece[120];
        if (!step_uses(l, c->s, i)) continue;
        format_count(number, sizeof number, (uint64_t)c->values->value[i]);
        int wide =
            snprintf(piece, sizeof piece, "   %s = %s", l->setting[i].name, c->values->value[i] < 0 ? "-" : number);
        bool fits = used + wide <= (d->app->width < 40 ? 40 : d->app->width);
        used = (fits ? used : 1) + wide;
        doc_part(d, STYLE_PLAIN, "%s%s", fits ? "" : "\n ", piece);
    }
    doc_gap(d);
    const char *compiler = session_made_by(c->app, c->s);
    if (compiler) doc_say(d, 2, "compiled by %s now: no PTX lies beside %.60s", compiler, c->s->kernel_file);
}

void view_faults(doc *d, const step_result *r)
{
    enum { MOST = 2 }; /* one mistake often shows in many ways, and a screen has few lines */
    for (int i = 0; i < r->faults && i < MOST; i++) {
        bool said = false; /* faults with the same advice print it once */
        for (int k = 0; k < i; k++) said = said || !strcmp(r->fault[k].advice, r->fault[i].advice);
        fault_show_brief(d, r, &r->fault[i], said);
    }
    if (r->faults > MOST) doc_line(d, "  and %d more; --json gives all of them", r->faults - MOST);
}

/* A default that is smaller than the lesson's own, and why. */
static void put_lean(doc *d, view_context *c)
{
    const lesson *l = c->app->lesson->l;
    for (int i = 0; i < l->setting_count; i++) {
        int64_t usual = step_usual(l, c->values, i), wanted = 0;
        char why[160], text[400], a[40], b[40], has[40], wants[40];
        if (!c->values->lean[i] || !step_uses(l, c->s, i) ||
            !step_value(l, c->values, &l->setting[i].room, &wanted, why, sizeof why))
            continue;
        size_t used = (size_t)snprintf(text, sizeof text, TR("%s is %s here, not %s: "), l->setting[i].name,
                                       format_count(a, sizeof a, (uint64_t)c->values->value[i]),
                                       format_count(b, sizeof b, (uint64_t)usual));
        if (c->values->small_card)
            snprintf(text + used, sizeof text - used, "%s",
                     TR("so many are too much for the smallest card of this command."));
        else
            snprintf(text + used, sizeof text - used,
                     TR("that wants %s of free memory, and this computer had %s. set %s %lld tries it."),
                     format_bytes(wants, sizeof wants, (uint64_t)wanted),
                     format_bytes(has, sizeof has, room_at_start()), l->setting[i].name, (long long)usual);
        doc_say(d, 2, "%s", text);
    }
}

void view_findings(doc *d, view_context *c)
{
    const step_result *r = c->r;
    char text[256], registers[400];
    if (r->has_occupancy && *card_registers_text(&r->occupancy, registers, sizeof registers))
        doc_say(d, 2, "%s", registers);
    if (r->prints) {
        doc_part(d, STYLE_PLAIN, "  %sthe kernel printed:%s", app_style(d->app, STYLE_DIM),
                 app_style(d->app, STYLE_PLAIN));
        doc_gap(d);
        for (int i = 0; i < r->prints; i++) doc_folded(d, 4, "    ", r->print[i]);
        if (r->prints_left_out)
            doc_line(d, "    (and %s more)", format_plural(text, sizeof text, r->prints_left_out, "line"));
    }
    view_faults(d, r);
    if (r->judged)
        doc_styled(d, 2, r->verdict.correct ? STYLE_GOOD : STYLE_BAD, "%s   (input seed %llu)",
                   verdict_text(r, c->app->lesson->l, c->s, text, sizeof text), (unsigned long long)r->seed);
}

void view_run_outcome(doc *d, view_context *c)
{
    view_job(c->s)->head(d, c);
    put_lean(d, c);
    view_job(c->s)->found(d, c);
    if (c->s->expect != EXPECT_OK) doc_line(d, "  this step is meant to be %s", TR(lesson_expected[c->s->expect]));
    doc_gap(d);
}

const char *view_over_time(const struct app *app, const step_result *r, char *out, size_t size)
{
    static const char *const bars[] = {" ",
                                       "\xe2\x96\x81",
                                       "\xe2\x96\x82",
                                       "\xe2\x96\x83",
                                       "\xe2\x96\x84",
                                       "\xe2\x96\x85",
                                       "\xe2\x96\x86",
                                       "\xe2\x96\x87",
                                       "\xe2\x96\x88"};
    size_t used = 0;
    *out = 0;
    for (int i = 0; i < SIM_OVER_TIME && used + 4 < size; i++) {
        const uint32_t p = r->usage.over_time[i];
        if (app->utf8) used += (size_t)snprintf(out + used, size - used, "%s", bars[p ? 1 + p * 7 / 100 : 0]);
        else used += (size_t)snprintf(out + used, size - used, "%c", p >= 95 ? '9' : (char)('0' + p / 10));
    }
    return out;
}

void view_run_figures(doc *d, view_context *c, const step_result *before, const lesson_step *before_step)
{
    const step_result *r = c->r;
    char text[256], cpu[100] = "", to[40], from[40], threads[40] = "";
    view_run_table(d, c, before, before_step);
    view_timeline(d, r);
    if (!r->launches) return;
    if (r->cpu_threads > 1) snprintf(threads, sizeof threads, TR(" on %d threads"), r->cpu_threads);
    if (r->cpu_seconds > 0)
        snprintf(cpu, sizeof cpu, TR("; the CPU here takes %s%s"), format_si(text, sizeof text, r->cpu_seconds, "s"),
                 threads);
    if (step_job(c->s)->kind->copies_inputs)
        doc_say(d, 2, "copied: %s to the card, %s back%s", format_bytes(to, sizeof to, r->to_card),
                format_bytes(from, sizeof from, r->from_card), cpu);
    if (r->simulated && r->cache) /* for a GPU, the line on its samples says it */
        doc_say(d, 2, "%s", view_cache(r));
}

void view_run_times(doc *d, view_context *c)
{
    const step_result *r = c->r;
    char text[256], busy[VIEW_OVER_TIME];
    if (!r->launches) return;
    if (r->has_usage && r->cycles > 0 && d->app->width >= 68)
        doc_line(d, "  issuing, start to end: |%s|", view_over_time(d->app, r, busy, sizeof busy));
    if (r->has_usage && r->usage.sampled)
        doc_say(d, 2, "%s", format_sampled(text, sizeof text, r->usage.timed_blocks, r->total.blocks, r->usage.error));
}

void view_run(doc *d, view_context *c, const step_result *before, const lesson_step *before_step)
{
    view_run_figures(d, c, before, before_step);
    view_run_times(d, c);
}
