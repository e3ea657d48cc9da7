/* exec.c: the `exec` command: a whole CUDA program on a simulated card, and what it did there. */
#include "command.h"
#include "device/devices.h"
#include "program/program.h"
#include "run/args.h"
#include "run/kernel_name.h"
#include "shell/document.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct exec_plan {
    struct program_options run;
    const char *device, *report;
    struct program_compile compile;
    bool json, help;
    char *card_text;
    sim_card card;
} exec_plan;

/* ---- options: those of exec stand before PROGRAM ---- */

static int bad(struct app *app, const char *option, const char *value, const char *why)
{
    return app_fail(app, EXIT_USAGE, "help exec", "%s %s: %s", option, value, why);
}

static int take_device(struct app *app, exec_plan *p, const char *value)
{
    (void)app;
    p->device = value;
    return 0;
}
static int take_cards(struct app *app, exec_plan *p, const char *value)
{
    char why[200];
    uint64_t n;
    if (!arg_whole(&n, value, strlen(value), 0, 16, "the number of cards", why, sizeof why))
        return bad(app, "--cards", value, why);
    p->run.cards = (int)n;
    return 0;
}
static int take_checks(struct app *app, exec_plan *p, const char *value)
{
    char why[200];
    p->run.silent = !strcmp(value, "none");
    return arg_checks(&p->run.checks, value, why, sizeof why) ? 0 : bad(app, "--check", value, why);
}
static int take_limit(struct app *app, exec_plan *p, const char *value)
{
    char *end;
    p->run.limit = strtod(value, &end);
    if (*end || end == value || !(p->run.limit > 0) || p->run.limit > 1e7)
        return bad(app, "--limit", value, "the limit is a number of seconds");
    return 0;
}
static int take_report(struct app *app, exec_plan *p, const char *value)
{
    (void)app;
    p->report = value;
    return 0;
}
static int take_time(struct app *app, exec_plan *p, const char *value)
{
    if (strcmp(value, "none") && strcmp(value, "repeatable"))
        return bad(app, "--time", value, "it is none or repeatable");
    p->run.time = value;
    return 0;
}
static int take_flags(struct app *app, exec_plan *p, const char *value)
{
    const char *wrong = words_split(&p->compile.flags, value);
    return wrong ? bad(app, "--flags", value, wrong) : 0;
}
static int take_json(struct app *app, exec_plan *p, const char *value)
{
    (void)app;
    (void)value;
    p->json = true;
    return 0;
}

static const struct {
    const char *name;
    bool value;
    int (*take)(struct app *, exec_plan *, const char *);
} options[] = {
    {"--device", true, take_device}, {"--cards", true, take_cards},   {"--check", true, take_checks},
    {"--limit", true, take_limit},   {"--report", true, take_report}, {"--time", true, take_time},
    {"--json", false, take_json},    {"--flags", true, take_flags},
};

/* *at: the number of the word that is PROGRAM. */
static int read_options(struct app *app, exec_plan *p, int argc, char **argv, int *at)
{
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (!strcmp(argv[i], "--")) {
            i++;
            break;
        }
        const int more = program_flag(argv[i]);
        if (more >= 0) { /* the compiler's */
            if (i + more >= argc - 1)
                return app_fail(app, EXIT_USAGE, "help exec", "%s needs a value after it", argv[i]);
            for (int k = 0; k <= more; k++) words_add(&p->compile.flags, argv[i + k]);
            i += more;
            continue;
        }
        const char *equals = strchr(argv[i], '=');
        const size_t length = equals ? (size_t)(equals - argv[i]) : strlen(argv[i]);
        size_t k = 0, count = sizeof options / sizeof *options;
        while (k < count && (strlen(options[k].name) != length || strncmp(options[k].name, argv[i], length))) k++;
        if (k == count)
            return app_fail(app, EXIT_USAGE, "help exec",
                            "exec has no option %s; what follows PROGRAM is the program's own", argv[i]);
        const char *value = equals ? equals + 1 : NULL;
        if (options[k].value && !value) {
            if (i + 1 == argc) return app_fail(app, EXIT_USAGE, "help exec", "%s needs a value after it", argv[i]);
            value = argv[++i];
        } else if (!options[k].value && value) {
            return app_fail(app, EXIT_USAGE, "help exec", "%s takes no value", options[k].name);
        }
        const int status = options[k].take(app, p, value);
        if (status) return status;
    }
    if (i >= argc) return app_fail(app, EXIT_USAGE, "help exec", "exec needs a program: an executable, or a .cu file");
    *at = i;
    return 0;
}

static int choose_card(struct app *app, exec_plan *p)
{
    struct device list[DEVICES_MAX];
    int count = 0, status;
    if (p->device) status = device_parse(app, p->device, list, &count);
    else if (app->device_explicit) memcpy(list, app->devices, sizeof list), count = app->device_count, status = 0;
    else status = device_parse(app, "sim:h200", list, &count);
    if (status) return status;
    if (count > 1)
        return app_fail(app, EXIT_USAGE, NULL, "exec runs on one kind of card; --cards says how many of them");
    if (list[0].kind == DEVICE_GPU)
        return app_fail(
            app, EXIT_USAGE, NULL,
            "exec runs programs on a simulated card; on a GPU start the program itself: nsys and ncu profile it there");
    if (list[0].kind == DEVICE_AUTO && (status = device_parse(app, "sim:h200", list, &count)) != 0) return status;
    p->run.device = list[0];
    status = device_card_text(app, &list[0], &p->card_text);
    if (status) return status;
    p->run.card_text = p->card_text;
    sim_error err;
    if (sim_card_read(&p->card, p->card_text, list[0].card, &err))
        return app_fail(app, EXIT_DEVICE, NULL, "%s: %s", list[0].label, err.message);
    if (!p->card.timing.known && !strcmp(p->run.time, "measured")) p->run.time = "none";
    return 0;
}

/* ---- the report ---- */
static const char *const directions[] = {"host to host", "host to card", "card to host", "within the card", "any"};

static int by_time(const void *x, const void *y)
{
    const struct program_kernel *a = x, *b = y;
    return a->seconds < b->seconds ? 1 : a->seconds > b->seconds ? -1 : a->number < b->number ? -1 : 1;
}

static uint64_t wrong_of(const struct program_record *r)
{
    uint64_t n = 0;
    for (int i = 0; i < r->fault_count; i++) n += !r->faults[i].note;
    return n;
}

static void put_kernels(doc *d, json *j, bool timed, const struct program_record *r)
{
    double all = 0;
    uint64_t calls = 0, by_clock = 0;
    char a[400], b[40], c[40], e[40], f[40];
    for (int i = 0; i < r->kernel_count; i++) all += r->kernels[i].seconds;
    doc_table(d, "lrrrrrr");
    if (r->kernel_count)
        doc_row(d, "kernel", "calls", timed ? "time" : "real time", "mean", "share", "occupancy", "DRAM");
    json_array(j, "kernels");
    for (int i = 0; i < r->kernel_count; i++) {
        const struct program_kernel *k = &r->kernels[i];
        const double share = all > 0 ? k->seconds / all : 0;
        calls += k->calls;
        by_clock += k->timed;
        snprintf(e, sizeof e, "%.1f %%", 100 * share);
        snprintf(f, sizeof f, "%.0f %%", 100 * k->occupancy);
        doc_cell(d, STYLE_PLAIN, "%.40s", kernel_title(k->name ? k->name : "", a, sizeof a));
        doc_row(d, format_count(b, sizeof b, k->calls), format_si(c, sizeof c, k->seconds, "s"),
                format_si(a, sizeof a, k->seconds / (double)k->calls, "s"), e, timed ? f : "-");
        doc_row(d, timed && k->seconds > 0 ? format_si(a, sizeof a, k->dram_bytes / k->seconds, "B/s") : "-");
        json_object(j, NULL);
        json_keys(j,
                  "kernel %s, process %ld, calls %" PRIu64 ", timed %" PRIu64 ", ms %g, shortest_ms %g, longest_ms %g",
                  k->name, k->pid, k->calls, k->timed, k->seconds * 1e3, k->shortest * 1e3, k->longest * 1e3);
        json_keys(j,
                  "share %g, cycles %" PRIu64 ", registers %d, shared_bytes %" PRIu64 ", occupancy %g, dram_bytes %g",
                  share, k->cycles, k->registers, k->shared, k->occupancy, k->dram_bytes);
        json_close(j);
    }
    json_close(j);
    doc_table_end(d, 2);
    if (timed && by_clock < calls)
        doc_say(
            d, 2,
            "%s of %s launches were simulated with the clock. The others repeat one of those, and count with its time.",
            format_count(a, sizeof a, by_clock), format_count(b, sizeof b, calls));
}

static void put_copies(doc *d, json *j, const struct program_record *r)
{
    char a[40], b[40], c[40], e[40];
    doc_table(d, "lrrrr");
    if (r->copy_count) doc_row(d, "copies", "calls", "bytes", "time", "rate");
    json_array(j, "copies");
    for (int i = 0; i < r->copy_count; i++) {
        const struct program_copy *k = &r->copies[i];
        doc_row(d, directions[k->direction], format_count(a, sizeof a, k->calls), format_bytes(b, sizeof b, k->bytes),
                format_si(c, sizeof c, k->seconds, "s"),
                k->seconds > 0 ? format_si(e, sizeof e, (double)k->bytes / k->seconds, "B/s") : "-");
        json_object(j, NULL);
        json_keys(j, "direction %s, calls %" PRIu64 ", bytes %" PRIu64 ", ms %g", directions[k->direction], k->calls,
                  k->bytes, k->seconds * 1e3);
        json_close(j);
    }
    json_close(j);
    doc_table_end(d, 2);
}

static void put_faults(doc *d, json *j, const struct program_record *r)
{
    char name[400], message[900], seen[80], times[60];
    bool lines = true;
    json_array(j, "faults");
    for (int i = 0; i < r->fault_count; i++) {
        const struct program_fault *f = &r->faults[i];
        if (!f->kind || !f->kernel || !f->file || !f->message || !f->advice || !f->block || !f->thread) continue;
        const bool ptx = !strcmp(f->file, "program.ptx");
        lines = lines && !ptx;
        snprintf(seen, sizeof seen, " (seen %s)", format_plural(times, sizeof times, f->count, "time"));
        doc_say(d, 2, "%s%s: %s, %s:%d, block (%s), thread (%s): %s%s", f->note ? "note: " : "", f->kind,
                kernel_title(f->kernel, name, sizeof name), ptx ? "line of its PTX" : f->file, f->line, f->block,
                f->thread, kernel_readable(f->message, message, sizeof message), f->count > 1 ? seen : "");
        if (*f->advice) doc_say(d, 2, "%s", f->advice);
        json_object(j, NULL);
        json_keys(j,
                  "kind %s, note %i, kernel %s, file %s, line %d, block %s, thread %s, count %" PRIu64
                  ", message %s, advice %s",
                  f->kind, f->note, f->kernel, f->file, f->line, f->block, f->thread, f->count, f->message, f->advice);
        json_close(j);
    }
    json_close(j);
    if (!lines)
        doc_say(d, 2, "The program has no line information: rebuild it with -lineinfo to see lines of its source.");
}

/* A line for each, and a list of them under the key. */
static void put_texts(doc *d, json *j, const char *key, const struct words *all, const char *before, const char *after)
{
    json_array(j, key);
    for (int i = 0; i < all->count; i++) {
        doc_say(d, 2, "%s%s%s", before, all->v[i], after);
        json_text(j, NULL, all->v[i]);
    }
    json_close(j);
}

static void put_report(doc *d, const exec_plan *p, const char *program, const struct program_record *r, int status)
{
    char a[40], b[40];
    const bool timed = strcmp(p->run.time, "none");
    const char *name = strrchr(program, '/'), *said = name ? name + 1 : program;
    json *j =
        doc_begin(d, "program", "program %s, device %s, simulated %i, time %s, processes %d, ms %g, waited_ms %g",
                  program, p->run.device.label, true, p->run.time, r->processes, r->seconds * 1e3, r->waited * 1e3);
    doc_gap(d);
    if (!r->processes) doc_line(d, "%s used no CUDA.", said);
    else if (!timed) doc_line(d, "%s on %s (simulated)", said, p->run.device.label);
    else
        doc_line(d, "%s on %s (simulated): %s, of which the host waited %s for the card", said, p->run.device.label,
                 format_si(a, sizeof a, r->seconds, "s"), format_si(b, sizeof b, r->waited, "s"));
    put_kernels(d, j, timed, r);
    put_copies(d, j, r);
    if (r->processes && !timed)
        doc_say(d, 2, "Times are those that this computer took: with --time none the card's own are not known.");
    put_faults(d, j, r);
    put_texts(d, j, "notes", &r->notes, "note: ", "");
    put_texts(d, j, "refused", &r->refused, "refused: ", "");
    put_texts(d, j, "missing", &r->missing, "note: the program called ",
              ", which is not there yet and answered \"operation not supported\".");
    if (r->bad_lines) doc_say(d, 2, "note: %" PRIu64 " lines of what the program told are damaged.", r->bad_lines);
    if (r->failed) doc_say(d, 2, "note: memory ran out: this is not all.");
    json_int(j, "exit", status);
    json_end(j);
}

static int report(struct app *app, const exec_plan *p, const char *program, struct program_record *r, int status)
{
    FILE *out = app->err;
    if (p->report && !(out = fopen(p->report, "w")))
        return app_fail(app, PROGRAM_FAILED, NULL, "%s cannot be written: %s", p->report, strerror(errno));
    if (r->kernel_count) qsort(r->kernels, (size_t)r->kernel_count, sizeof *r->kernels, by_time);
    doc d = doc_to(app, out, p->json ? &doc_json : &doc_text);
    put_report(&d, p, program, r, status);
    if (p->report ? fclose(out) : fflush(out))
        return app_fail(app, PROGRAM_FAILED, NULL, "the report cannot be written: %s", strerror(errno));
    return status;
}

static int exec_run(struct app *app, int argc, char **argv)
{
    exec_plan p = {.run = {.cards = 1, .time = "measured"}, .json = app->json};
    struct program_built built = {.held = -1};
    int at = 0, records = -1;
    bool timed_out = false;
    int status = read_options(app, &p, argc, argv, &at);
    if (!status) status = choose_card(app, &p);
    if (status) {
        words_free(&p.compile.flags);
        free(p.card_text);
        return status;
    }
    char *program = argv[at];
    if (p.compile.flags.count && !program_is_source(program))
        status = app_fail(app, EXIT_USAGE, "help exec", "%s is for a .cu file; what follows PROGRAM is its own",
                          p.compile.flags.v[0]);
    else if (program_is_source(program)) {
        p.compile.compute = p.card.cc_major * 10 + p.card.cc_minor;
        for (const char *s = program; *s;) {
            const size_t n = strcspn(s, ",");
            if (n) words_addn(&p.compile.sources, s, n);
            s += n + (s[n] == ',');
        }
        status = program_build(app, &p.compile, &built);
        if (!status) argv[at] = built.path;
    }
    if (!status) status = program_run(app, &p.run, argv + at, &records, &timed_out);
    program_unbuild(&built);
    argv[at] = program;
    if (records >= 0) {
        struct program_record r = {0};
        program_read(records, &r);
        close(records);
        if (!status && wrong_of(&r)) status = EXIT_CHECK;
        if (!status && r.refused.count) status = PROGRAM_FAILED; /* it did not run as it would on a card */
        if (timed_out) app_warn(app, "%s was ended at the limit of %g seconds", program, p.run.limit);
        status = report(app, &p, program, &r, status);
        program_record_free(&r);
    }
    words_free(&p.compile.flags);
    words_free(&p.compile.sources);
    free(p.card_text);
    return status;
}

static void exec_complete(struct app *app, int argc, char **argv, struct words *out)
{
    (void)app;
    (void)argv;
    if (argc >= 1) complete_files(out);
}

const struct command exec_commands[] = {
    {"exec", 4, "Programs", "[OPTIONS] PROGRAM [ARGUMENTS...]", "run a whole CUDA program without a GPU",
     "Runs a CUDA program, unchanged, on a simulated card: an executable that was\n"
     "built by nvcc (with the runtime inside it or beside it), a .cu file (several\n"
     "are joined by commas; nvcc compiles them), or anything that starts such a\n"
     "thing. Its files and terminal are its own. When it has ended, stderr says what\n"
     "a profiler and a sanitizer would: kernels, copies, waits, faults.\n"
     "\n"
     "Options stand before PROGRAM; what follows PROGRAM is its own:\n"
     "  --device sim:CARD  the card (sim:h200)       --cards N      how many it sees\n"
     "  --check LIST       memory, race, init, barrier, all, none (memory)\n"
     "  --limit SECONDS    end it then               --report FILE  not on stderr\n"
     "  --json             the report as JSON\n"
     "  --time repeatable  what the host computes takes no time: all is the same\n"
     "                     each time\n"
     "  --time none        no simulated clock, which is faster\n"
     "\n"
     "The exit status is the program's own; 1 when that is 0 and a fault was found;\n"
     "124 at the limit; 128 + N after signal N; 125 when kernels of it or all of it\n"
     "could not be run, 126 and 127 when the program could not be started.\n"
     "\n"
     "Example:  exec --check all mine.cu\n",
     exec_run, exec_complete},
    {0},
};
