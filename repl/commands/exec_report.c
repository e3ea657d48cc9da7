/* exec_report.c: what `exec` says when the program has ended. */
#include "exec_report.h"
#include "run/bottleneck.h"
#include "run/kernel_name.h"
#include "shell/format.h"
#include "shell/language.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KERNELS_WHY = 5, LINES_SHOWN = 10, EACH_SHOWN = 2000, NAME_SHOWN = 40 };

static const char *const directions[] = {"host to host", "host to card", "card to host", "within the card", "any"};

static int by_time(const void *x, const void *y)
{
    const struct program_kernel *a = x, *b = y;
    return a->seconds < b->seconds ? 1 : a->seconds > b->seconds ? -1 : a->number < b->number ? -1 : 1;
}

void exec_sort(struct program_record *r)
{
    if (r->kernel_count) qsort(r->kernels, (size_t)r->kernel_count, sizeof *r->kernels, by_time);
}

const struct program_use *exec_use(const struct program_record *r, const struct program_kernel *k)
{
    for (int i = 0; i < r->use_count; i++)
        if (r->uses[i].pid == k->pid && r->uses[i].number == k->number) return &r->uses[i];
    return NULL;
}

const char *exec_first_wait(const struct program_use *u)
{
    int best = -1;
    for (int i = 0; u && i < SIM_STALLS; i++)
        if (i != SIM_STALL_ISSUE && u->stalls[i] && (best < 0 || u->stalls[i] > u->stalls[best])) best = i;
    return best < 0 ? NULL : sim_stall_info_of((enum sim_stall)best)->name;
}

const char *exec_short_wait(const char *name, char *out, size_t size)
{
    const char *latency = strstr(name, " latency");
    snprintf(out, size, "%.*s", (int)(latency ? latency - name : (long)strlen(name)), name);
    return out;
}

/* ---- more, when it is asked for ---- */

static void put_why(doc *d, json *j, const struct program_record *r)
{
    char name[400], text[400];
    json_array(j, "why");
    for (int i = 0; i < r->kernel_count && i < KERNELS_WHY; i++) {
        const struct program_kernel *k = &r->kernels[i];
        const struct program_use *u = exec_use(r, k);
        if (!u) continue;
        sim_counters c = {0};
        memcpy(c.by_stall, u->stalls, sizeof c.by_stall);
        const sim_usage usage = {
            .issue = u->issue, .port = u->port, .l2 = u->l2, .dram = u->dram, .starting = u->starting};
        if (!limit_text(&c, &usage, text, sizeof text)) continue;
        doc_gap(d);
        doc_say(d, 2, "%s, its longest launch: %s", kernel_title(k->name, name, sizeof name), text);
        stalls_show(d, &c);
        json_object(j, NULL);
        json_keys(j, "kernel %s, process %d, limit %s, says %s", k->name, k->pid, text, text);
        stalls_json(j, &c);
        json_close(j);
    }
    json_close(j);
}

static int by_cost(const void *x, const void *y)
{
    const struct program_line *a = x, *b = y;
    if (a->clocks != b->clocks) return a->clocks < b->clocks ? 1 : -1;
    if (a->instructions != b->instructions) return a->instructions < b->instructions ? 1 : -1;
    return a->line < b->line ? -1 : a->line > b->line;
}

static void put_lines(doc *d, json *j, const struct program_record *r)
{
    char name[400], a[40], b[40], e[40], f[40], place[120];
    if (r->line_count) qsort(r->lines, (size_t)r->line_count, sizeof *r->lines, by_cost);
    json_array(j, "lines");
    for (int i = 0; i < r->kernel_count && i < KERNELS_WHY; i++) {
        const struct program_kernel *k = &r->kernels[i];
        double clocks = 0, instructions = 0;
        int shown = 0;
        for (int n = 0; n < r->line_count; n++)
            if (r->lines[n].pid == k->pid && r->lines[n].number == k->number)
                clocks += (double)r->lines[n].clocks, instructions += (double)r->lines[n].instructions;
        if (instructions <= 0) continue;
        doc_gap(d);
        doc_say(d, 2, "%s, line by line:", kernel_title(k->name, name, sizeof name));
        doc_table(d, "lrrrr");
        doc_row(d, TR("line"), TR(clocks > 0 ? "time" : "work"), TR("waits"), TR("instructions"), TR("global bytes"));
        for (int n = 0; n < r->line_count; n++) {
            const struct program_line *l = &r->lines[n];
            if (l->pid != k->pid || l->number != k->number) continue;
            const double share = clocks > 0 ? (double)l->clocks / clocks : (double)l->instructions / instructions;
            if (shown++ < LINES_SHOWN) {
                const char *slash = strrchr(l->file, '/');
                snprintf(place, sizeof place, "%.60s:%d", slash ? slash + 1 : l->file, l->line);
                snprintf(e, sizeof e, "%.1f %%", 100 * share);
                snprintf(f, sizeof f, "%.0f %%", l->clocks ? 100 * (double)l->waits / (double)l->clocks : 0);
                doc_row(d, place, e, clocks > 0 ? f : "-", format_count(a, sizeof a, l->instructions),
                        l->bytes ? format_bytes(b, sizeof b, l->bytes) : "-");
            }
            json_object(j, NULL);
            json_keys(j, "kernel %s, process %d, file %s, line %d, share %g, instructions %" PRIu64, k->name, k->pid,
                      l->file, l->line, share, l->instructions);
            json_keys(j, "global_bytes %" PRIu64 ", clocks %" PRIu64 ", waits %" PRIu64, l->bytes, l->clocks, l->waits);
            json_close(j);
        }
        doc_table_end(d, 2);
    }
    json_close(j);
}

/* From the first thing that the card did. */
static double first_moment(const struct program_record *r)
{
    double first = 0;
    for (int i = 0; i < r->event_count; i++)
        if (!i || r->events[i].begin < first) first = r->events[i].begin;
    return first;
}

static void put_each(doc *d, json *j, const struct program_record *r)
{
    char name[400], a[40], b[40], stream[40], grid[60];
    const double first = first_moment(r);
    int shown = 0, all = 0;
    json_array(j, "launches");
    doc_gap(d);
    doc_table(d, "lrrrl");
    for (int i = 0; i < r->event_count; i++) {
        const struct program_event *e = &r->events[i];
        if (e->what != 'k' || !e->name || !e->detail) continue;
        if (!all++) doc_row(d, TR("launch"), TR("begins"), TR("time"), TR("stream"), TR("grid and block"));
        json_object(j, NULL);
        json_keys(j, "kernel %s, process %d, card %d, stream %" PRIu64 ", begin_ms %g, ms %g, grid_and_block %s",
                  e->name, e->pid, e->card, e->stream, (e->begin - first) * 1e3, e->seconds * 1e3, e->detail);
        json_close(j);
        if (shown == EACH_SHOWN) continue;
        shown++;
        doc_cell(d, STYLE_PLAIN, "%.24s", kernel_title(e->name, name, sizeof name));
        snprintf(stream, sizeof stream, "%" PRIu64, e->stream);
        snprintf(grid, sizeof grid, "%.50s", e->detail);
        doc_row(d, format_si(a, sizeof a, e->begin - first, "s"), format_si(b, sizeof b, e->seconds, "s"), stream,
                grid);
    }
    doc_table_end(d, 2);
    if (shown < all) doc_say(d, 2, "and %s more", format_count(a, sizeof a, (uint64_t)(all - shown)));
    json_close(j);
}

static void put_json_text(FILE *f, const char *text)
{
    putc('"', f);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') putc('\\', f);
        putc((unsigned char)*text < ' ' || (unsigned char)*text > '~' ? '?' : *text, f);
    }
    putc('"', f);
}

/* Chrome's trace events: a process for the host and one for each card, a thread for each stream; times
 * in microseconds. */
bool exec_timeline(const struct program_record *r, const char *path)
{
    FILE *f = fopen(path, "w");
    if (!f) return false;
    const double first = first_moment(r);
    char title[400];
    bool any = false;
    fprintf(f, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    for (int i = 0; i < r->event_count; i++) {
        const struct program_event *e = &r->events[i];
        static const struct {
            char what;
            const char *category;
            bool host;
        } kinds[] = {{'k', "kernel", false},       {'c', "copy", false}, {'f', "fill", false},
                     {'h', "host function", true}, {'w', "wait", true},  {'r', "range", true}};
        size_t k = 0;
        while (kinds[k].what != e->what) k++;
        const long process = 1000 * (e->pid % 1000000) + (kinds[k].host ? 0 : 1 + e->card);
        const uint64_t row = e->what == 'r' ? 1 : kinds[k].host ? 2 : e->stream;
        fprintf(f, "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":", any ? ",\n" : "", kinds[k].category);
        put_json_text(f, e->what == 'k' ? kernel_title(e->name, title, sizeof title) : e->name);
        fprintf(f, ",\"pid\":%ld,\"tid\":%" PRIu64 ",\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"detail\":", process, row,
                (e->begin - first) * 1e6, e->seconds * 1e6);
        put_json_text(f, e->detail);
        fprintf(f, "}}");
        bool known = false;
        for (int n = 0; n < i && n < 1000 && !known; n++)
            known = r->events[n].pid == e->pid && r->events[n].card == e->card &&
                    (r->events[n].what == e->what || (strchr("kcf", e->what) && strchr("kcf", r->events[n].what)));
        if (!known && i < 1000) {
            fprintf(f, ",\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%ld,\"args\":{\"name\":\"", process);
            if (kinds[k].host) fprintf(f, "host (process %d)\"}}", e->pid);
            else fprintf(f, "card %d (process %d)\"}}", e->card, e->pid);
            if (kinds[k].host)
                fprintf(f,
                        ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%ld,\"tid\":%" PRIu64
                        ",\"args\":{\"name\":\"%s\"}}",
                        process, row, row == 1 ? "NVTX ranges" : "waits and functions");
        }
        any = true;
    }
    fprintf(f, "\n]}\n");
    return !fclose(f);
}

uint64_t exec_wrong(const struct program_record *r)
{
    uint64_t n = 0;
    for (int i = 0; i < r->fault_count; i++) n += !r->faults[i].note;
    for (int i = 0; i < r->unrun_count; i++) n += r->unrun[i].unread > 0;
    return n;
}

static void put_kernels(doc *d, json *j, bool timed, const struct program_record *r)
{
    double all = 0, unsure = 0;
    uint64_t calls = 0, by_clock = 0;
    char a[400], b[40], c[40], e[40], f[40];
    for (int i = 0; i < r->kernel_count; i++) all += r->kernels[i].seconds;
    doc_table(d, timed ? "lrrrrrrl" : "lrrrr");
    if (r->kernel_count && timed)
        doc_row(d, TR("kernel"), TR("calls"), TR("time"), TR("mean"), TR("share"), TR("occ."), "DRAM", TR("waits for"));
    else if (r->kernel_count) doc_row(d, TR("kernel"), TR("calls"), TR("real time"), TR("mean"), TR("share"));
    json_array(j, "kernels");
    for (int i = 0; i < r->kernel_count; i++) {
        const struct program_kernel *k = &r->kernels[i];
        const double share = all > 0 ? k->seconds / all : 0;
        calls += k->calls;
        by_clock += k->timed;
        unsure += k->unsure;
        snprintf(e, sizeof e, "%.1f %%", 100 * share);
        snprintf(f, sizeof f, "%.0f %%", 100 * k->occupancy);
        const char *title = kernel_title(k->name, a, sizeof a);
        const bool cut = strlen(title) > NAME_SHOWN;
        doc_cell(d, STYLE_PLAIN, "%.*s%s", cut ? NAME_SHOWN - 2 : NAME_SHOWN, title, cut ? ".." : "");
        doc_row(d, format_count(b, sizeof b, k->calls), format_si(c, sizeof c, k->seconds, "s"),
                format_si(a, sizeof a, k->seconds / (double)k->calls, "s"), e);
        const char *waits = timed ? exec_first_wait(exec_use(r, k)) : NULL;
        if (timed)
            doc_row(d, f, k->seconds > 0 ? format_si(a, sizeof a, k->dram_bytes / k->seconds, "B/s") : "-",
                    waits ? exec_short_wait(TR(waits), b, sizeof b) : "-");
        json_object(j, NULL);
        json_keys(j,
                  "kernel %s, process %d, calls %" PRIu64 ", timed %" PRIu64 ", ms %g, shortest_ms %g, longest_ms %g",
                  k->name, k->pid, k->calls, k->timed, k->seconds * 1e3, k->shortest * 1e3, k->longest * 1e3);
        json_keys(j,
                  "share %g, cycles %" PRIu64 ", registers %d, shared_bytes %" PRIu64 ", occupancy %g, dram_bytes %g",
                  share, k->cycles, k->registers, k->shared, k->occupancy, k->dram_bytes);
        json_keys(j, "unsure_ms %g", k->unsure * 1e3);
        json_text(j, "waits_for", waits);
        json_close(j);
    }
    json_close(j);
    doc_table_end(d, 2);
    if (!timed || by_clock == calls) return;
    format_count(a, sizeof a, by_clock);
    format_count(b, sizeof b, calls);
    if (unsure <= 0)
        doc_say(
            d, 2,
            "%s of %s launches were simulated with the clock. The others repeat one of those, and count with its time.",
            a, b);
    else if (unsure < all)
        doc_say(d, 2,
                "%s of %s launches were simulated with the clock. The others are like those, which predict their "
                "time: the kernels' time is known within %.2g %%.",
                a, b, 100 * unsure / all);
    else
        doc_say(d, 2,
                "%s of %s launches were simulated with the clock. The others' time is a guess: those differ much. "
                "--exact times every launch.",
                a, b);
}

static void put_copies(doc *d, json *j, const struct program_record *r)
{
    char a[40], b[40], c[40], e[40];
    doc_table(d, "lrrrr");
    if (r->copy_count) doc_row(d, TR("copies"), TR("calls"), TR("bytes"), TR("time"), TR("rate"));
    json_array(j, "copies");
    for (int i = 0; i < r->copy_count; i++) {
        const struct program_copy *k = &r->copies[i];
        doc_row(d, TR(directions[k->direction]), format_count(a, sizeof a, k->calls),
                format_bytes(b, sizeof b, k->bytes), format_si(c, sizeof c, k->seconds, "s"),
                k->seconds > 0 ? format_si(e, sizeof e, (double)k->bytes / k->seconds, "B/s") : "-");
        json_object(j, NULL);
        json_keys(j, "direction %s, calls %" PRIu64 ", bytes %" PRIu64 ", ms %g", directions[k->direction], k->calls,
                  k->bytes, k->seconds * 1e3);
        json_close(j);
    }
    json_close(j);
    doc_table_end(d, 2);
}

/* A file as it is called from here: compilers note whole paths. */
static const char *from_here(const char *file)
{
    char here[PATH_MAX];
    const size_t n = getcwd(here, sizeof here) ? strlen(here) : 0;
    return n > 1 && !strncmp(file, here, n) && file[n] == '/' && file[n + 1] ? file + n + 1 : file;
}

/* One advice for a row of faults that share it stands behind the last of them. */
static bool comes_again(const struct program_record *r, int i)
{
    return i + 1 < r->fault_count && !strcmp(r->faults[i].advice, r->faults[i + 1].advice);
}

static void put_faults(doc *d, json *j, const struct program_record *r)
{
    char name[400], message[900], seen[80], times[60];
    bool lines = true;
    json_array(j, "faults");
    for (int i = 0; i < r->fault_count; i++) {
        const struct program_fault *f = &r->faults[i];
        const char *kind = sim_fault_name((enum sim_fault_kind)f->kind);
        const bool ptx = !strcmp(f->file, "program.ptx");
        lines = lines && !ptx;
        snprintf(seen, sizeof seen, TR(" (seen %s)"), format_plural(times, sizeof times, f->count, "time"));
        doc_say(d, 2, "%s%s: %s, %s:%d, block (%s), thread (%s): %s%s", f->note ? TR("note: ") : "", TR(kind),
                kernel_title(f->kernel, name, sizeof name), ptx ? TR("line of its PTX") : from_here(f->file), f->line,
                f->block, f->thread, kernel_readable(f->message, message, sizeof message), f->count > 1 ? seen : "");
        if (*f->advice && !comes_again(r, i)) doc_say(d, 2, "%s", f->advice);
        json_object(j, NULL);
        json_keys(j,
                  "kind %s, note %i, kernel %s, file %s, line %d, block %s, thread %s, count %" PRIu64
                  ", message %s, advice %s",
                  kind, f->note, f->kernel, f->file, f->line, f->block, f->thread, f->count, f->message, f->advice);
        json_close(j);
    }
    json_close(j);
    if (!lines)
        doc_say(d, 2, "The program has no line information: rebuild it with -lineinfo to see lines of its source.");
}

/* Launches that the card refused. That is a fault of the program's where it did not look at the error: it goes on as if
 * they had run. */
static void put_unrun(doc *d, json *j, const struct program_record *r)
{
    char name[400], said[400], some[40], all[40], unread[40];
    json_array(j, "refused_launches");
    for (int i = 0; i < r->unrun_count; i++) {
        const struct program_unrun *u = &r->unrun[i];
        uint64_t asked = u->launches;
        for (int k = 0; k < r->unrun_count; k++)
            if (k != i && r->unrun[k].pid == u->pid && !strcmp(r->unrun[k].kernel, u->kernel))
                asked += r->unrun[k].launches;
        for (int k = 0; k < r->kernel_count; k++)
            if (r->kernels[k].pid == u->pid && !strcmp(r->kernels[k].name, u->kernel)) asked += r->kernels[k].calls;
        const char *reason = language_said(u->reason, said, sizeof said);
        const char *title = kernel_title(u->kernel, name, sizeof name);
        format_count(some, sizeof some, u->launches);
        format_count(all, sizeof all, asked);
        format_count(unread, sizeof unread, u->unread);
        if (u->by_kernel)
            doc_say(d, 2,
                    "note: %s launches of %s by kernels were refused (%s): %s. A kernel asks by cudaGetLastError.",
                    some, title, u->error, reason);
        else if (!u->unread)
            doc_say(d, 2, "note: %s of %s launches of %s were refused (%s): %s. The program was told so.", some, all,
                    title, u->error, reason);
        else if (u->unread == u->launches)
            doc_say(
                d, 2,
                "launch-refused: %s of %s launches of %s were refused (%s): %s. The program did not look at the error.",
                some, all, title, u->error, reason);
        else
            doc_say(
                d, 2,
                "launch-refused: %s of %s launches of %s were refused (%s): %s. The program did not look at the error "
                "of %s.",
                some, all, title, u->error, reason, unread);
        json_object(j, NULL);
        json_keys(j,
                  "kernel %s, process %d, by_kernel %i, error %s, launches %" PRIu64 ", unread %" PRIu64 ", reason %s",
                  u->kernel, u->pid, u->by_kernel, u->error, u->launches, u->unread, u->reason);
        json_close(j);
    }
    json_close(j);
}

static void put_text(doc *d, json *j, const char *before, const char *told, const char *after)
{
    char text[1100];
    doc_say(d, 2, "%s%s%s", TR(before), kernel_readable(told, text, sizeof text), TR(after));
    json_text(j, NULL, told);
}

static void put_texts(doc *d, json *j, const struct program_record *r)
{
    json_array(j, "notes");
    for (int i = 0; i < r->note_count; i++) put_text(d, j, "note: ", r->notes[i].text, "");
    json_close(j);
    json_array(j, "refused");
    for (int i = 0; i < r->refused_count; i++) put_text(d, j, "refused: ", r->refused[i].text, "");
    json_close(j);
    json_array(j, "missing");
    for (int i = 0; i < r->missing_count; i++)
        put_text(d, j, "note: the program called ", r->missing[i].text,
                 ", which is not there yet and answered \"operation not supported\".");
    json_close(j);
}

void exec_report(doc *d, const exec_plan *p, const char *program, const struct program_record *r, int status)
{
    char a[40], b[40];
    const bool timed = strcmp(p->run.time, "none");
    const char *name = strrchr(program, '/'), *said = name ? name + 1 : program;
    json *j =
        doc_begin(d, "program", "program %s, device %s, simulated %i, time %s, processes %d, ms %g, waited_ms %g",
                  program, p->run.device.label, true, p->run.time, r->process_count, r->seconds * 1e3, r->waited * 1e3);
    doc_gap(d);
    if (!r->process_count) doc_line(d, "%s used no CUDA.", said);
    else if (!timed) doc_line(d, "%s on %s (simulated)", said, p->run.device.label);
    else
        doc_say(d, 0, "%s on %s (simulated): %s, of which the host waited %s for the card", said, p->run.device.label,
                format_si(a, sizeof a, r->seconds, "s"), format_si(b, sizeof b, r->waited, "s"));
    put_kernels(d, j, timed, r);
    put_copies(d, j, r);
    if (p->each) put_each(d, j, r);
    if (p->run.lines) put_lines(d, j, r);
    if (p->why) put_why(d, j, r);
    if (r->process_count && !timed)
        doc_say(d, 2, "Times are those that this computer took: with --time none the card's own are not known.");
    put_faults(d, j, r);
    put_unrun(d, j, r);
    put_texts(d, j, r);
    if (r->bad_lines) doc_say(d, 2, "note: %" PRIu64 " lines of what the program told are damaged.", r->bad_lines);
    if (r->cut) doc_say(d, 2, "note: what the program told is longer than 1 GiB, and was read up to there.");
    if (r->failed) doc_say(d, 2, "note: out of memory: this is not all.");
    json_int(j, "exit", status);
    json_end(j);
}
