/* exec.c: the `exec` command: a whole CUDA program on a simulated card, and what it did there. */
#include "command.h"
#include "device/devices.h"
#include "program/program.h"
#include "run/kernel_name.h"
#include "shell/format.h"
#include "shell/json.h"
#include "sim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct exec_plan {
    struct program_options run;
    const char *device, *report;
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
    char *end;
    const long n = strtol(value, &end, 10);
    if (*end || end == value || n < 0 || n > 16) return bad(app, "--cards", value, "a program can see 0 to 16 cards");
    p->run.cards = (int)n;
    return 0;
}
static int take_checks(struct app *app, exec_plan *p, const char *value)
{
    static const struct {
        const char *name;
        unsigned checks;
    } names[] = {{"memory", 0},
                 {"race", SIM_CHECK_RACE},
                 {"init", SIM_CHECK_INIT},
                 {"barrier", SIM_CHECK_BARRIER},
                 {"all", SIM_CHECK_ALL},
                 {"none", 0}};
    p->run.checks = 0;
    for (const char *at = value; *at;) {
        const size_t length = strcspn(at, ",");
        size_t i = 0;
        while (i < 6 && (strlen(names[i].name) != length || strncmp(names[i].name, at, length))) i++;
        if (i == 6) return bad(app, "--check", value, "the checks are memory, race, init, barrier, all and none");
        p->run.checks |= names[i].checks;
        at += length + (at[length] == ',');
    }
    return 0;
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
    {"--json", false, take_json},
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

static void print_kernels(struct app *app, FILE *out, const exec_plan *p, const struct program_record *r)
{
    double all = 0;
    char a[400], b[40], c[40], d[40];
    const bool timed = strcmp(p->run.time, "none");
    for (int i = 0; i < r->kernel_count; i++) all += r->kernels[i].seconds;
    text_table t;
    table_init(&t, "lrrrrrr");
    table_add(&t, "kernel");
    table_add(&t, "calls");
    table_add(&t, timed ? "time" : "real time");
    table_add(&t, "mean");
    table_add(&t, "share");
    table_add(&t, "occupancy");
    table_add(&t, "DRAM");
    for (int i = 0; i < r->kernel_count; i++) {
        const struct program_kernel *k = &r->kernels[i];
        table_add(&t, "%.40s", kernel_title(k->name ? k->name : "", a, sizeof a));
        table_add(&t, "%s", format_count(b, sizeof b, k->calls));
        table_add(&t, "%s", format_si(b, sizeof b, k->seconds, "s"));
        table_add(&t, "%s", format_si(c, sizeof c, k->seconds / (double)k->calls, "s"));
        table_add(&t, "%.1f %%", all > 0 ? 100 * k->seconds / all : 0.0);
        if (timed) table_add(&t, "%.0f %%", 100 * k->occupancy);
        else table_add(&t, "-");
        if (timed && k->seconds > 0) table_add(&t, "%s", format_si(d, sizeof d, k->dram_bytes / k->seconds, "B/s"));
        else table_add(&t, "-");
    }
    table_print(&t, out, 2, app->width);
    table_free(&t);
}

static void print_copies(struct app *app, FILE *out, const struct program_record *r)
{
    char a[40], b[40], c[40];
    text_table t;
    table_init(&t, "lrrrr");
    table_add(&t, "copies");
    table_add(&t, "calls");
    table_add(&t, "bytes");
    table_add(&t, "time");
    table_add(&t, "rate");
    for (int i = 0; i < r->copy_count; i++) {
        const struct program_copy *k = &r->copies[i];
        table_add(&t, "%s", directions[k->direction]);
        table_add(&t, "%s", format_count(a, sizeof a, k->calls));
        table_add(&t, "%s", format_bytes(b, sizeof b, k->bytes));
        table_add(&t, "%s", format_si(c, sizeof c, k->seconds, "s"));
        if (k->seconds > 0) table_add(&t, "%s", format_si(a, sizeof a, (double)k->bytes / k->seconds, "B/s"));
        else table_add(&t, "-");
    }
    table_print(&t, out, 2, app->width);
    table_free(&t);
}

static void say(struct app *app, FILE *out, const char *text)
{
    fputs("  ", out);
    print_wrapped(out, text, 2, 4, app->width < 100 ? app->width : 100);
}

static void print_faults(struct app *app, FILE *out, const struct program_record *r)
{
    char name[400], text[1600], message[900];
    bool lines = true;
    for (int i = 0; i < r->fault_count; i++) {
        const struct program_fault *f = &r->faults[i];
        if (!f->kind || !f->kernel || !f->file || !f->message || !f->advice || !f->block || !f->thread) continue;
        const bool ptx = !strcmp(f->file, "program.ptx");
        lines = lines && !ptx;
        snprintf(text, sizeof text, "%s%s: %s, %s:%d, block (%s), thread (%s): %s%s", f->note ? "note: " : "", f->kind,
                 kernel_title(f->kernel, name, sizeof name), ptx ? "line of its PTX" : f->file, f->line, f->block,
                 f->thread, kernel_readable(f->message, message, sizeof message),
                 f->count > 1 ? " (seen more than once)" : "");
        say(app, out, text);
        if (*f->advice) say(app, out, f->advice);
    }
    if (!lines)
        say(app, out, "The program has no line information: rebuild it with -lineinfo to see lines of its source.");
}

static void print_report(struct app *app, FILE *out, const exec_plan *p, const char *program, struct program_record *r)
{
    char a[40], b[40], text[900];
    const char *name = strrchr(program, '/');
    fputc('\n', out);
    if (!r->processes) {
        fprintf(out, "%s used no CUDA.\n", name ? name + 1 : program);
        return;
    }
    fprintf(out, "%s on %s (simulated)", name ? name + 1 : program, p->run.device.label);
    if (strcmp(p->run.time, "none"))
        fprintf(out, ": %s, of which the host waited %s for the card", format_si(a, sizeof a, r->seconds, "s"),
                format_si(b, sizeof b, r->waited, "s"));
    fputs("\n", out);
    if (r->kernel_count) print_kernels(app, out, p, r);
    if (r->copy_count) print_copies(app, out, r);
    if (!strcmp(p->run.time, "none"))
        say(app, out, "Times are those that this computer took: with --time none the card's own are not known.");
    print_faults(app, out, r);
    for (int i = 0; i < r->refused.count; i++) {
        snprintf(text, sizeof text, "refused: %s", r->refused.v[i]);
        say(app, out, text);
    }
    for (int i = 0; i < r->notes.count; i++) {
        snprintf(text, sizeof text, "note: %s", r->notes.v[i]);
        say(app, out, text);
    }
    for (int i = 0; i < r->missing.count; i++) {
        snprintf(text, sizeof text,
                 "note: the program called %s, which is not there yet and answered \"operation not supported\".",
                 r->missing.v[i]);
        say(app, out, text);
    }
    if (r->bad_lines)
        fprintf(out, "  note: %llu lines of what the program told are damaged.\n", (unsigned long long)r->bad_lines);
    if (r->failed) fputs("  note: memory ran out: this is not all.\n", out);
}

static void print_json(FILE *out, const exec_plan *p, const char *program, const struct program_record *r, int status)
{
    json j;
    double all = 0;
    for (int i = 0; i < r->kernel_count; i++) all += r->kernels[i].seconds;
    json_begin(&j, out, "program");
    json_text(&j, "program", program);
    json_text(&j, "device", p->run.device.label);
    json_bool(&j, "simulated", true);
    json_text(&j, "time", p->run.time);
    json_int(&j, "processes", r->processes);
    json_number(&j, "ms", r->seconds * 1e3);
    json_number(&j, "waited_ms", r->waited * 1e3);
    json_array(&j, "kernels");
    for (int i = 0; i < r->kernel_count; i++) {
        const struct program_kernel *k = &r->kernels[i];
        json_object(&j, NULL);
        json_text(&j, "kernel", k->name);
        json_int(&j, "process", k->pid);
        json_uint(&j, "calls", k->calls);
        json_number(&j, "ms", k->seconds * 1e3);
        json_number(&j, "shortest_ms", k->shortest * 1e3);
        json_number(&j, "longest_ms", k->longest * 1e3);
        json_number(&j, "share", all > 0 ? k->seconds / all : 0);
        json_uint(&j, "cycles", k->cycles);
        json_int(&j, "registers", k->registers);
        json_uint(&j, "shared_bytes", k->shared);
        json_number(&j, "occupancy", k->occupancy);
        json_number(&j, "dram_bytes", k->dram_bytes);
        json_close(&j);
    }
    json_close(&j);
    json_array(&j, "copies");
    for (int i = 0; i < r->copy_count; i++) {
        json_object(&j, NULL);
        json_text(&j, "direction", directions[r->copies[i].direction]);
        json_uint(&j, "calls", r->copies[i].calls);
        json_uint(&j, "bytes", r->copies[i].bytes);
        json_number(&j, "ms", r->copies[i].seconds * 1e3);
        json_close(&j);
    }
    json_close(&j);
    json_array(&j, "faults");
    for (int i = 0; i < r->fault_count; i++) {
        const struct program_fault *f = &r->faults[i];
        json_object(&j, NULL);
        json_text(&j, "kind", f->kind);
        json_bool(&j, "note", f->note);
        json_text(&j, "kernel", f->kernel);
        json_text(&j, "file", f->file);
        json_int(&j, "line", f->line);
        json_text(&j, "block", f->block);
        json_text(&j, "thread", f->thread);
        json_uint(&j, "count", f->count);
        json_text(&j, "message", f->message);
        json_text(&j, "advice", f->advice);
        json_close(&j);
    }
    json_close(&j);
    json_array(&j, "notes");
    for (int i = 0; i < r->notes.count; i++) json_text(&j, NULL, r->notes.v[i]);
    json_close(&j);
    json_array(&j, "refused");
    for (int i = 0; i < r->refused.count; i++) json_text(&j, NULL, r->refused.v[i]);
    json_close(&j);
    json_array(&j, "missing");
    for (int i = 0; i < r->missing.count; i++) json_text(&j, NULL, r->missing.v[i]);
    json_close(&j);
    json_int(&j, "exit", status);
    json_end(&j);
}

static int report(struct app *app, const exec_plan *p, const char *program, struct program_record *r, int status)
{
    FILE *out = app->err;
    if (p->report && !(out = fopen(p->report, "w")))
        return app_fail(app, PROGRAM_FAILED, NULL, "%s cannot be written: %s", p->report, strerror(errno));
    if (r->kernel_count) qsort(r->kernels, (size_t)r->kernel_count, sizeof *r->kernels, by_time);
    if (p->json) print_json(out, p, program, r, status);
    else print_report(app, out, p, program, r);
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
        free(p.card_text);
        return status;
    }
    char *program = argv[at];
    if (program_is_source(program)) {
        status = program_build(app, program, p.card.cc_major * 10 + p.card.cc_minor, &built);
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
