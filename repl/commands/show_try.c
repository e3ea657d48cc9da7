/* show_try.c: what `try` says. From top to bottom: device, the kernel's output, verdict, faults,
 * dumps, counters, lines; then the same as data. Everything fits 80 columns. */
#include "try.h"
#include "device/card_changes.h"
#include "run/kernel_name.h"
#include "view/view.h"
#include "view/show_fault.h"
#include "shell/format.h"
#include "shell/language.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH = 80, LINE_GAP = 3 };

/* "4" or "4x2" or "4x2x1". */
static const char *shape(const uint32_t d[3], char *buffer, size_t size)
{
    if (d[2] > 1) snprintf(buffer, size, "%" PRIu32 "x%" PRIu32 "x%" PRIu32, d[0], d[1], d[2]);
    else if (d[1] > 1) snprintf(buffer, size, "%" PRIu32 "x%" PRIu32, d[0], d[1]);
    else snprintf(buffer, size, "%" PRIu32, d[0]);
    return buffer;
}

/* ---- device, output, verdict ---- */

static void show_device(doc *d, const try_view *v)
{
    const step_result *r = v->r;
    char title[400], grid[40], block[40];
    const char *name = kernel_title(r->kernel, title, sizeof title);
    doc_part(d, STYLE_BOLD, "%s", v->device->label);
    doc_line(d, "  %s%s, compute %d.%d", r->card_title, r->simulated ? TR(", simulated") : "", r->cc_major,
             r->cc_minor);
    doc_safe(d, name, strlen(name));
    doc_part(d, STYLE_PLAIN, "  grid %s, block %s", shape(r->grid, grid, sizeof grid),
             shape(r->block, block, sizeof block));
    if (r->cluster[0]) doc_part(d, STYLE_PLAIN, ", cluster %s", shape(r->cluster, grid, sizeof grid));
    uint64_t shared = (uint64_t)r->kernel_shared + r->shared;
    char bytes[32];
    if (shared) doc_part(d, STYLE_PLAIN, ", %s shared", format_bytes(bytes, sizeof bytes, shared));
    if (*v->request->compiler) doc_part(d, STYLE_PLAIN, "  (%.60s)", v->request->compiler);
    doc_gap(d);
    if (v->request->shuffle) doc_line(d, "in shuffled order %" PRIu64, v->request->shuffle);
}

static void show_output(doc *d, const try_view *v)
{
    const step_result *r = v->r;
    doc_safe(d, r->output ? r->output : "", (size_t)r->output_bytes);
    if (r->output_bytes && r->output[r->output_bytes - 1] != '\n') doc_gap(d);
    char shown[64], size[32], more[64];
    if (r->prints_left_out)
        doc_line(d,
                 "That is %s, %s of text; %s more left out.\n"
                 "A card keeps 1 MiB of what a launch prints, unless the host asks for more, and\n"
                 "loses without a word what does not fit.",
                 format_plural(shown, sizeof shown, r->printfs, "printf"),
                 format_bytes(size, sizeof size, (uint64_t)r->output_bytes),
                 format_count(more, sizeof more, r->prints_left_out));
}

static int failures(const step_result *r)
{
    int n = 0;
    for (int i = 0; i < r->faults; i++) n += !r->fault[i].note;
    return n;
}

/* The time of a launch that finished on a card with a clock; else 0. */
static double seconds_of(const try_view *v) { return v->ended == SIM_OK && v->r->has_cycles ? v->r->seconds : 0; }

/* The time on a GPU, or why there is none. */
static void show_gpu_verdict(doc *to, const try_view *v)
{
    const step_result *r = v->r;
    const step_timing *g = &r->gpu;
    char text[500], a[32], b[32], c[32], d[32], batch[40] = "", doubt[300];
    if (r->lost) { /* the first run worked, a repeated one failed */
        doc_part(to, STYLE_BAD, "FAULT");
        doc_part(to, STYLE_PLAIN, "  ");
        doc_rest(to, 7, 4, r->no_time);
        return;
    }
    doc_part(to, STYLE_GOOD, "ok");
    doc_part(to, STYLE_PLAIN, "  ");
    if (!g->known) snprintf(text, sizeof text, "%s", r->no_time);
    else if (g->doubt[0])
        snprintf(text, sizeof text, TR("INCONCLUSIVE: %s"), language_said(g->doubt, doubt, sizeof doubt));
    else {
        if (g->batch > 1) snprintf(batch, sizeof batch, TR(" of %d runs each"), g->batch);
        size_t n =
            (size_t)snprintf(text, sizeof text, TR("%s (median of %d samples%s, quarters %s apart, least %s, cache %s"),
                             format_si(a, sizeof a, g->time.median, "s"), g->time.samples, batch,
                             format_si(b, sizeof b, g->time.iqr, "s"), format_si(c, sizeof c, g->time.least, "s"),
                             TR(g->hot ? "hot" : "cold"));
        if (g->other > 0)
            n += (size_t)snprintf(text + n, sizeof text - n, "; %s %s", TR(g->hot ? "cold" : "hot"),
                                  format_si(d, sizeof d, g->other, "s"));
        snprintf(text + n, sizeof text - n, TR("); first run %s; clock %.0f MHz"),
                 format_si(a, sizeof a, g->first, "s"), g->clock_mhz);
    }
    doc_rest(to, 4, 4, text);
    doc_rest(to, 0, 4, TR("No fault was reported. A GPU lets many pass; --device sim:h200 checks every access."));
}

static void show_verdict(doc *d, const try_view *v)
{
    const step_result *r = v->r;
    char count[64], time[32], sampled[200], registers[400];
    if (v->ended != SIM_OK) {
        doc_part(d, STYLE_BAD, v->ended == SIM_E_STOPPED ? "STOPPED" : "FAULT");
        doc_part(d, STYLE_PLAIN, "  ");
        if (v->ended == SIM_E_STOPPED) doc_line(d, "at the time limit of %g s (--limit)", v->own->seconds);
        else
            doc_line(d, "the kernel did something wrong: %s below",
                     format_plural(count, sizeof count, (uint64_t)failures(r), "fault"));
        return;
    }
    if (!r->simulated) {
        show_gpu_verdict(d, v);
        return;
    }
    doc_part(d, STYLE_GOOD, "ok");
    doc_part(d, STYLE_PLAIN, "  %s",
             format_plural(count, sizeof count, r->total.warp_instructions, "warp instruction"));
    if (seconds_of(v) > 0)
        doc_part(d, STYLE_PLAIN, ", %s (%s%s)", format_plural(count, sizeof count, (uint64_t)r->cycles, "cycle"),
                 format_si(time, sizeof time, seconds_of(v), "s"),
                 r->cache == CACHE_NONE  ? ""
                 : r->cache == CACHE_HOT ? TR(", cache hot")
                                         : TR(", cache cold"));
    doc_line(d, ", no fault");
    if (v->plan->checks != SIM_CHECK_ALL) doc_line(d, "    by the checks asked for; --check all looks for every fault");
    if (*card_registers_text(&r->occupancy, registers, sizeof registers)) doc_say(d, 4, "%s", registers);
    if (r->usage.sampled)
        doc_say(d, 4, "%s",
                format_sampled(sampled, sizeof sampled, r->usage.timed_blocks, r->total.blocks, r->usage.error));
}

/* ---- faults ---- */

static void show_faults(doc *d, try_view *v)
{
    const step_result *r = v->r;
    bool is_race = false;
    for (int i = 0; i < r->faults; i++) {
        fault_show(d, r, &r->fault[i], &v->sources);
        is_race = is_race || (r->fault[i].kind == SIM_FAULT_RACE && !r->fault[i].note);
    }
    if (is_race && !v->request->shuffle) {
        doc_gap(d);
        doc_say(d, 0, "What a race does to the result: compare --shuffle 1 with --shuffle 2, and --dump.");
    }
    char count[64];
    if (r->faults_left_out) {
        doc_gap(d);
        doc_line(d, "%s%s", format_plural(count, sizeof count, r->faults_left_out, "fault"), TR(" more left out."));
    }
}

/* ---- dumps: as many elements per row as fit, after the index of the first ---- */

static void show_dump(doc *to, const try_view *v, const own_dump *d, const void *data)
{
    const kernel_arg *a = &v->plan->args[v->plan->buffer_arg[d->buffer]];
    char count[32], text[64];
    doc_gap(to);
    doc_line(to, "%s %d, %s[%s]", TR("buffer"), d->buffer, lesson_types[a->buffer.type].name,
             format_count(count, sizeof count, a->count));
    if (!data) {
        doc_line(to, "  cannot be read");
        return;
    }
    uint64_t n = d->to - d->from;
    const char *bytes = data;
    int widest = 1, index = snprintf(NULL, 0, "%" PRIu64, d->to);
    for (uint64_t i = 0; i < n; i++) {
        int w = (int)strlen(arg_element_text(a->buffer.type, bytes + i * (uint64_t)lesson_types[a->buffer.type].bytes,
                                             text, sizeof text));
        if (w > widest) widest = w;
    }
    int columns = (WIDTH - index - 3) / (widest + 1);
    while (columns & (columns - 1)) columns &= columns - 1; /* a power of two makes indices easy to read */
    if (columns < 1) columns = 1;
    for (uint64_t i = 0; i < n; i++) {
        if (i % (uint64_t)columns == 0)
            doc_part(to, STYLE_PLAIN, "%s%*" PRIu64 ":", i ? "\n" : "", index + 2, d->from + i);
        doc_part(to, STYLE_PLAIN, " %*s", widest,
                 arg_element_text(a->buffer.type, bytes + i * (uint64_t)lesson_types[a->buffer.type].bytes, text,
                                  sizeof text));
    }
    doc_gap(to);
    if (!d->is_sliced && n < a->count)
        doc_line(to, "  ... %s more (--dump %d[a:b] shows others)", format_count(count, sizeof count, a->count - n),
                 d->buffer);
}

/* ---- counters ---- */

static uint64_t counter(const sim_counters *c, const sim_counter_info *info)
{
    uint64_t value;
    memcpy(&value, (const char *)c + info->offset, sizeof value);
    return value;
}

/* A counter's heading, by the start of its id. The last row matches the rest. */
static const struct {
    const char *start, *heading;
} groups[] = {
    {"global_", "Global memory"},
    {"strict_", "Global memory"},
    {"shared_", "Shared memory"},
    {"max_bank", "Shared memory"},
    {"local_", "Local and constant"},
    {"constant_", "Local and constant"},
    {"atomic_", "Atomics"},
    {"max_atomic", "Atomics"},
    {"barriers", "Synchronisation"},
    {"warp_barriers", "Synchronisation"},
    {"", "Work"},
};
enum { GROUPS = sizeof groups / sizeof *groups };

static const char *heading_of(const char *id)
{
    int g = 0;
    while (strncmp(id, groups[g].start, strlen(groups[g].start))) g++;
    return groups[g].heading;
}

/* A ratio of two counters that is more informative than either. */
static void add_ratio(doc *d, const char *name, uint64_t a, uint64_t b, const char *meaning)
{
    if (!b) return;
    doc_cell(d, STYLE_PLAIN, "%s", TR(name));
    doc_cell(d, STYLE_PLAIN, "%.2f", (double)a / (double)b);
    doc_cell(d, STYLE_PLAIN, "%s", TR(meaning));
}

static void add_ratios(doc *d, const char *heading, const sim_counters *c)
{
    if (!strcmp(heading, "Work"))
        add_ratio(d, "lanes per instruction", c->thread_instructions, c->warp_instructions, "32: all lanes active");
    else if (!strcmp(heading, "Global memory")) {
        add_ratio(d, "sectors per load", c->global_load_sectors, c->global_load_requests,
                  "4 is perfect for 4-byte elements");
        add_ratio(d, "sectors per store", c->global_store_sectors, c->global_store_requests, "likewise");
    } else if (!strcmp(heading, "Shared memory"))
        add_ratio(d, "passes per request", c->shared_passes_32, c->shared_load_requests + c->shared_store_requests,
                  "1 is free of conflicts");
    else if (!strcmp(heading, "Atomics"))
        add_ratio(d, "depth per request", c->atomic_depth, c->atomic_requests, "lanes that queue for one address");
}

static void put_heading(doc *d, const char *heading)
{
    doc_gap(d);
    doc_part(d, STYLE_HEAD, "%s", TR(heading));
    doc_gap(d);
}

static void show_counters(doc *d, const sim_counters *c)
{
    int count;
    const sim_counter_info *infos = sim_counter_infos(&count);
    char number[32];
    for (int g = GROUPS; g-- > 0;) { /* Work is last in the table and first on the screen */
        const char *heading = groups[g].heading;
        if (g + 1 < GROUPS && !strcmp(heading, groups[g + 1].heading)) continue;
        bool any = false;
        doc_table(d, "lrl");
        for (int i = 0; i < count; i++) {
            uint64_t value = counter(c, &infos[i]);
            if (!value || strcmp(heading_of(infos[i].id), heading)) continue;
            if (!any) put_heading(d, heading);
            any = true;
            doc_cell(d, STYLE_PLAIN, "%s", TR(infos[i].name));
            doc_cell(d, STYLE_PLAIN, "%s%s%s", format_count(number, sizeof number, value), *infos[i].unit ? " " : "",
                     infos[i].unit);
            doc_cell(d, STYLE_PLAIN, "%s", TR(infos[i].meaning));
        }
        if (any) add_ratios(d, heading, c);
        doc_table_end(d, 2);
    }
    bool any = false;
    doc_table(d, "lrr");
    for (int k = 0; k < SIM_CLASSES; k++) {
        if (!c->by_class[k]) continue;
        if (!any) put_heading(d, "Warp instructions by kind");
        any = true;
        doc_cell(d, STYLE_PLAIN, "%s", TR(sim_class_name((enum sim_class)k)));
        doc_cell(d, STYLE_PLAIN, "%s", format_count(number, sizeof number, c->by_class[k]));
        doc_cell(d, STYLE_PLAIN, "%.1f %%",
                 c->warp_instructions ? 100.0 * (double)c->by_class[k] / (double)c->warp_instructions : 0.0);
    }
    doc_table_end(d, 2);
    if (stalls_all(c)) {
        put_heading(d, "Time of a warp, on average");
        stalls_show(d, c);
    }
    doc_gap(d);
    doc_line(d, "Counters that are zero are left out.");
}

/* ---- lines: the source with the cost of each line ---- */

/* A number in at most five columns. */
static const char *brief(char *buffer, size_t size, uint64_t value)
{
    static const char letters[] = " kMGTPE";
    double v = (double)value;
    int i = 0;
    if (value < 100000) {
        snprintf(buffer, size, "%" PRIu64, value);
        return buffer;
    }
    while (v >= 999.5 && i < 6) v /= 1000, i++;
    snprintf(buffer, size, "%.*f%c", v < 9.995 ? 2 : v < 99.95 ? 1 : 0, v, letters[i]);
    return buffer;
}

static const char *quotient(char *buffer, size_t size, uint64_t a, uint64_t b)
{
    if (!b) buffer[0] = 0;
    else snprintf(buffer, size, "%.*f", (double)a / (double)b < 99.95 ? 1 : 0, (double)a / (double)b);
    return buffer;
}

static void show_line(doc *d, try_view *v, const char *file, int number, const sim_counters *c)
{
    char instr[16] = "", share[16] = "", lanes[16] = "", sectors[16] = "", passes[16] = "", waits[16] = "";
    uint64_t total = v->r->total.warp_instructions;
    if (c && c->warp_instructions) {
        brief(instr, sizeof instr, c->warp_instructions);
        snprintf(share, sizeof share, "%.1f", total ? 100.0 * (double)c->warp_instructions / (double)total : 0.0);
        quotient(lanes, sizeof lanes, c->thread_instructions, c->warp_instructions);
        quotient(sectors, sizeof sectors, c->global_load_sectors + c->global_store_sectors,
                 c->global_load_requests + c->global_store_requests);
        const double waited = stalls_waits(&v->r->total, c);
        if (waited > 0) snprintf(waits, sizeof waits, "%.1f", waited);
        quotient(passes, sizeof passes, c->shared_passes_32, c->shared_load_requests + c->shared_store_requests);
    }
    const char *text = source_line(&v->sources, file, number);
    if (!text) text = "";
    char figures[80];
    int n = snprintf(figures, sizeof figures, "%4d %6s %5s %5s %5s %5s %5s", number, instr, share, lanes, sectors,
                     passes, waits);
    while (!*text && n > 0 && figures[n - 1] == ' ') figures[--n] = 0;
    doc_part(d, STYLE_PLAIN, "%s%s", figures, *text ? "  " : "");
    doc_fitting(d, text, WIDTH - 43);
}

static void show_lines(doc *d, try_view *v)
{
    const step_result *r = v->r;
    for (int i = 0; i < r->lines; i++) {
        const step_line *at = &r->line[i], *before = i ? at - 1 : NULL;
        if (!before || strcmp(before->file, at->file)) {
            const char *name = source_name(&v->sources, at->file);
            doc_gap(d);
            doc_part(d, STYLE_PLAIN, "%s", app_style(d->app, STYLE_HEAD));
            doc_safe(d, name, strlen(name));
            if (!source_line(&v->sources, at->file, 1) && !access(at->file, F_OK))
                doc_part(d, STYLE_PLAIN, ": not shown, as it does not lie beside %s", v->plan->path);
            doc_line(d, "%s", app_style(d->app, STYLE_PLAIN));
            doc_line(d, "%4s %6s %5s %5s %5s %5s %5s", "line", "instr", "%", "lanes", "sect", "pass", "wait%");
        } else if (at->line - before->line > LINE_GAP) {
            doc_line(d, " ...");
        } else {
            for (int between = before->line + 1; between < at->line; between++)
                show_line(d, v, at->file, between, NULL);
        }
        show_line(d, v, at->file, at->line, &at->c);
    }
    doc_gap(d);
    doc_line(d, "%s",
             TR("instr: warp instructions, and their share. lanes: active, of 32. sect: 32-byte\n"
                "sectors per global access. pass: passes per shared access (1: no conflict).\n"
                "wait%: of the warps' time, what they waited at this line."));
}

static void show_text(doc *d, try_view *v)
{
    show_device(d, v);
    show_output(d, v);
    show_verdict(d, v);
    show_faults(d, v);
    for (int i = 0; i < v->plan->dump_count; i++) show_dump(d, v, &v->plan->dumps[i], v->r->dump[i].data);
    if (v->plan->why) try_why_text(d, v);
    if (v->plan->counters) show_counters(d, &v->r->total);
    if (v->plan->lines) show_lines(d, v);
}

/* ---- JSON ---- */

static void json_counters(json *j, const char *key, const sim_counters *c)
{
    int count;
    const sim_counter_info *infos = sim_counter_infos(&count);
    json_object(j, key);
    for (int i = 0; i < count; i++) json_uint(j, infos[i].id, counter(c, &infos[i]));
    json_object(j, "by_class");
    for (int k = 0; k < SIM_CLASSES; k++)
        if (c->by_class[k]) json_uint(j, sim_class_name((enum sim_class)k), c->by_class[k]);
    json_close(j);
    json_close(j);
}

/* Integers and finite floats are numbers; infinities and NaN, which JSON lacks, are strings. */
static void json_element(json *j, enum lesson_type type, const void *element)
{
    const char kind = lesson_types[type].kind;
    char text[64];
    arg_element_text(type, element, text, sizeof text);
    if (kind == 'u') json_uint(j, NULL, strtoull(text, NULL, 10));
    else if (kind == 'i') json_int(j, NULL, strtoll(text, NULL, 10));
    else if (strpbrk(text, "in")) /* inf, nan */ json_text(j, NULL, text);
    else json_number(j, NULL, strtod(text, NULL));
}

static void json_dumps(json *j, const try_view *v)
{
    json_array(j, "dumps");
    for (int i = 0; i < v->plan->dump_count; i++) {
        const own_dump *d = &v->plan->dumps[i];
        const enum lesson_type type = v->plan->args[v->plan->buffer_arg[d->buffer]].buffer.type;
        json_object(j, NULL);
        json_int(j, "buffer", d->buffer);
        json_text(j, "type", lesson_types[type].name);
        json_uint(j, "from", d->from);
        json_array(j, "values");
        for (uint64_t k = 0; v->r->dump[i].data && k < d->to - d->from; k++)
            json_element(j, type, v->r->dump[i].data + k * (uint64_t)lesson_types[type].bytes);
        json_close(j);
        json_close(j);
    }
    json_close(j);
}

static void json_lines(json *j, const try_view *v)
{
    json_array(j, "lines");
    for (int i = 0; i < v->r->lines; i++) {
        const step_line *at = &v->r->line[i];
        json_object(j, NULL);
        json_text(j, "file", *at->file ? source_name(&v->sources, at->file) : NULL);
        json_int(j, "line", at->line);
        json_counters(j, "counters", &at->c);
        if (stalls_all(&v->r->total)) stalls_json(j, &at->c);
        json_close(j);
    }
    json_close(j);
}

static void json_time(json *j, const try_view *v)
{
    if (seconds_of(v) <= 0) {
        json_null(j, "ms");
        json_null(j, "cycles");
        return;
    }
    view_json_ms(j, seconds_of(v));
    json_uint(j, "cycles", (uint64_t)v->r->cycles);
    if (v->r->usage.sampled) view_json_sampled(j, &v->r->usage);
}

static void put_data(doc *d, try_view *v)
{
    const step_result *r = v->r;
    char name[400];
    json *j = doc_begin(d, "try", "kernel %s", kernel_title(r->kernel, name, sizeof name));
    json_text(j, "file", v->plan->path);
    json_text(j, "device", v->device->label);
    json_bool(j, "simulated", r->simulated);
    if (!r->simulated) json_text(j, "card", r->card_title);
    json_text(j, "compiler", *v->request->compiler ? v->request->compiler : NULL);
    view_json_launch(j, r);
    json_uint(j, "shared_bytes", (uint64_t)r->kernel_shared + r->shared);
    json_int(j, "registers", r->kernel_registers);
    if (r->occupancy.estimate) json_int(j, "registers_ran", r->occupancy.registers);
    json_uint(j, "seed", v->app->seed);
    json_uint(j, "shuffle", v->request->shuffle);
    json_text(j, "verdict", view_verdict(r));
    json_int(j, "status", v->status);
    if (r->simulated) {
        json_time(j, v);
        if (r->cache != CACHE_NONE) json_text(j, "cache", r->cache == CACHE_HOT ? "hot" : "cold");
        json_counters(j, "counters", &r->total);
        if (stalls_all(&r->total)) stalls_json(j, &r->total);
        if (v->plan->why) try_why_json(j, v);
    } else if (r->gpu.known) {
        view_gpu_json(j, r);
    } else {
        json_null(j, "ms");
    }
    faults_json(j, r, &v->sources);
    if (r->faults_left_out) json_uint(j, "faults_left_out", r->faults_left_out);
    json_bytes(j, "output", r->output ? r->output : "", (size_t)r->output_bytes);
    if (r->prints_left_out) json_uint(j, "prints_left_out", r->prints_left_out);
    if (v->plan->dump_count) json_dumps(j, v);
    if (v->plan->lines) json_lines(j, v);
    json_end(j);
}

void try_show(doc *d, try_view *v)
{
    show_text(d, v);
    put_data(d, v);
}
