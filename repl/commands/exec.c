/* exec.c: the `exec` command: a whole CUDA program on a simulated card, and what it did there. */
#include "command.h"
#include "device/devices.h"
#include "exec_report.h"
#include "film_line.h"
#include "run/args.h"
#include "session/session.h"
#include "session/session_last.h"
#include "session/session_program.h"
#include "shell/free_memory.h"

#include <errno.h>
#include <limits.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
static int take_timeline(struct app *app, exec_plan *p, const char *value)
{
    (void)app;
    p->timeline = value;
    p->run.events = true;
    return 0;
}
static int take_each(struct app *app, exec_plan *p, const char *value)
{
    (void)app, (void)value;
    p->each = p->run.events = true;
    return 0;
}
/* An option that takes a value, or events, has a function. The others are a flag of the plan. */
static const struct exec_option {
    const char *name;
    bool value;
    int (*take)(struct app *, exec_plan *, const char *);
    size_t flag;
} options[] = {
    {"--device", true, take_device, 0},
    {"--cards", true, take_cards, 0},
    {"--check", true, take_checks, 0},
    {"--limit", true, take_limit, 0},
    {"--report", true, take_report, 0},
    {"--time", true, take_time, 0},
    {"--flags", true, take_flags, 0},
    {"--timeline", true, take_timeline, 0},
    {"--each", false, take_each, 0},
    {"--json", false, NULL, offsetof(exec_plan, json)},
    {"--lines", false, NULL, offsetof(exec_plan, run.lines)},
    {"--why", false, NULL, offsetof(exec_plan, why)},
    {"--exact", false, NULL, offsetof(exec_plan, run.exact)},
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
        if (!options[k].take) {
            *(bool *)((char *)p + options[k].flag) = true;
            continue;
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
    else status = device_parse(app, "sim:" DEFAULT_CARD, list, &count);
    if (status) return status;
    if (count > 1)
        return app_fail(app, EXIT_USAGE, NULL, "exec runs on one kind of card; --cards says how many of them");
    if (list[0].kind == DEVICE_GPU)
        return app_fail(
            app, EXIT_USAGE, NULL,
            "exec runs programs on a simulated card; on a GPU start the program itself: nsys and ncu profile it there");
    if (list[0].kind == DEVICE_AUTO) status = device_parse(app, "sim:" DEFAULT_CARD, list, &count);
    p->run.device = list[0];
    if (!status) status = device_card_text(app, &list[0], &p->card_text);
    if (status) return status;
    p->run.card_text = p->card_text;
    sim_error err;
    if (sim_card_read(&p->card, p->card_text, list[0].card, &err))
        return app_fail(app, EXIT_DEVICE, NULL, "%s: %s", list[0].label, err.message);
    if (!p->card.timing.known && !strcmp(p->run.time, "measured")) p->run.time = "none";
    return 0;
}

static int report(struct app *app, const exec_plan *p, const char *program, struct program_record *r, int status)
{
    FILE *out = app->err;
    if (p->report && !(out = fopen(p->report, "w")))
        return app_fail(app, PROGRAM_FAILED, NULL, "%s cannot be written: %s", p->report, strerror(errno));
    exec_sort(r);
    doc d = doc_to(app, out, p->json ? &doc_json : &doc_text);
    exec_report(&d, p, program, r, status);
    if (p->report ? fclose(out) : fflush(out))
        return app_fail(app, PROGRAM_FAILED, NULL, "the report cannot be written: %s", strerror(errno));
    return status;
}

/* Builds and runs it. 0, or a status after a message; *records then is -1, or what the program told. */
static int build_and_run(struct app *app, exec_plan *p, int argc, char **argv, int *records)
{
    struct program_built built = {.held = -1};
    char *program = argv[0], called[PATH_MAX + 2];
    bool timed_out = false;
    int status = 0;
    (void)argc;
    if (p->compile.flags.count && !program_is_source(program))
        status = app_fail(app, EXIT_USAGE, "help exec", "%s is for a .cu file; what follows PROGRAM is its own",
                          p->compile.flags.v[0]);
    else if (program_is_source(program)) {
        p->compile.compute = p->card.cc_major * 10 + p->card.cc_minor;
        for (const char *s = program; *s;) {
            const size_t n = program_first(s);
            if (n) words_addn(&p->compile.sources, s, n);
            s += n + (s[n] == ',');
        }
        status = program_build(app, &p->compile, &built);
        /* what `nvcc -o NAME NAME.cu` would have made: programs say how they are called */
        const char *first = p->compile.sources.count ? p->compile.sources.v[0] : program;
        const char *end = strrchr(first, '.');
        snprintf(called, sizeof called, "%s%.*s", strchr(first, '/') ? "" : "./",
                 (int)(end ? end - first : (long)strlen(first)), first);
        if (!status) argv[0] = called, p->run.file = built.path;
    }
    if (!status) {
        char why[4400];
        fflush(app->out);
        fflush(app->err);
        const uint64_t room = room_now();
        status = program_run(&p->run, argv, records, &timed_out, why, sizeof why);
        if (*why) status = app_fail(app, status, NULL, "%s", why);
        else if (status == 128 + SIGKILL) /* by the kernel, which says nothing to anybody */
            app_warn(app,
                     "%s was killed (signal 9), perhaps for want of memory: a simulated card's memory is this "
                     "computer's, of which %.0f MiB were free",
                     program, (double)room / (1 << 20));
    }
    if (status == PROGRAM_ABSENT && *records >= 0) { /* the loader did not find something */
        struct words needs = {0};
        program_needs(p->run.file ? p->run.file : argv[0], &needs);
        for (int i = 0; i < needs.count; i++)
            app_warn(app, "%s is linked with %s, which is not simulated: its calls would fail", program, needs.v[i]);
        words_free(&needs);
    }
    program_unbuild(&built);
    p->run.file = NULL;
    argv[0] = program;
    if (timed_out) app_warn(app, "%s was ended at the limit of %g seconds", program, p->run.limit);
    return status;
}

static void plan_free(exec_plan *p)
{
    words_free(&p->compile.flags);
    words_free(&p->compile.sources);
    free(p->card_text);
}

/* ---- PROGRAM may be a step of a lesson ---- */

typedef struct step_words {
    job_command of;
    char *argv[LESSON_ARGS + 2]; /* the first is NULL where it is no step */
} step_words;

/* `8.streams`, where no such file is: its program, arguments and cards. */
static int take_step(struct app *app, exec_plan *p, const char *program, int more, step_words *out)
{
    const lesson_step *s;
    char why[400];
    step_values values;
    if (program[0] < '0' || program[0] > '9' || !strchr(program, '.') || !access(program, F_OK) ||
        program_is_source(program))
        return 0;
    int status = session_step(app, program, &s);
    if (status) return status;
    if ((status = session_use(app, s, USE_EXEC, program)) != 0) return status;
    if (more) return app_fail(app, EXIT_USAGE, "help exec", "the lesson gives %s its arguments", program);
    if ((status = session_values(app, s, session_chosen(app), &values)) != 0) return status;
    status = step_job(s)->kind->command(app->lesson->l, s, program, &values, &out->of, why, sizeof why);
    if (status) return app_fail(app, status, NULL, "%s", why);
    out->argv[0] = out->of.program;
    for (int i = 0; i < out->of.arguments; i++) out->argv[i + 1] = out->of.number[i];
    if (out->of.cards && p->run.cards == 1) p->run.cards = out->of.cards;
    return 0;
}

static int exec_run(struct app *app, int argc, char **argv)
{
    exec_plan p = {.run = {.cards = 1, .time = "measured", .snapshots = -1}, .json = app->json};
    int at = 0, records = -1;
    int status = read_options(app, &p, argc, argv, &at);
    if (!status) status = choose_card(app, &p);
    if (status) {
        plan_free(&p);
        return status;
    }
    char *program = argv[at];
    step_words step = {0};
    if ((status = take_step(app, &p, program, argc - at - 1, &step)) != 0) {
        plan_free(&p);
        return status;
    }
    const bool part_of_step = app->lesson && app->lesson->with; /* a lesson's, which stays at hand */
    if (!app->one_command && !part_of_step) {                   /* commands may follow that look at its kernels */
        session_program_end(app);
        p.run.snapshots = program_snapshots_file();
        if (p.run.snapshots < 0)
            app_warn(app, "no launch is kept for `why` and `show`: no temporary file can be made: %s", strerror(errno));
    }
    status = build_and_run(app, &p, argc - at, step.argv[0] ? step.argv : argv + at, &records);
    struct program_record r = {0};
    if (records >= 0) {
        program_read(records, &r);
        close(records);
        if (!status && exec_wrong(&r)) status = EXIT_CHECK;
        if (!status && r.refused_count) status = PROGRAM_FAILED; /* it did not run as it would on a card */
        if (p.timeline && !exec_timeline(&r, p.timeline))
            status = app_fail(app, PROGRAM_FAILED, NULL, "%s cannot be written: %s", p.timeline, strerror(errno));
        status = report(app, &p, program, &r, status);
        if (r.kernel_count && !part_of_step && session_state(app)) session_last_program(app, program);
    }
    struct program_snapshots kept;
    program_snapshots_read(p.run.snapshots, &kept);
    if (records >= 0 && kept.file >= 0) {
        session_program_begin(app, program, &p.run.device, &r, &kept);
        const struct session_program *here = session_program_here(app);
        doc d = doc_open(app);
        if (here) film_offer_kernel(&d, here, &here->record);
    } else {
        program_snapshots_free(&kept);
        program_record_free(&r);
    }
    plan_free(&p);
    return status;
}

/* ---- ladder ---- */

bool exec_names_program(const char *word) { return program_is_source(word) || strchr(word, '/'); }

int exec_ladder_of(struct app *app, int argc, char **argv)
{
    struct program_record *records = calloc((size_t)argc, sizeof *records);
    struct exec_rung *rungs = calloc((size_t)argc, sizeof *rungs);
    char label[sizeof((struct device *)0)->label] = "";
    int count = 0, status = records && rungs ? 0 : app_no_memory(app);
    for (int i = 0; i < argc && !status; i++) {
        exec_plan p = {.run = {.cards = 1, .time = "measured", .snapshots = -1}};
        char *program[] = {argv[i], NULL};
        int told = -1;
        status = choose_card(app, &p);
        snprintf(label, sizeof label, "%s", p.run.device.label);
        if (!status) status = build_and_run(app, &p, 1, program, &told);
        if (status && told >= 0) app_fail(app, status, "exec", "%s ended with status %d", argv[i], status);
        if (told >= 0) {
            program_read(told, &records[count]);
            close(told);
            exec_sort(&records[count]);
            rungs[count] = (struct exec_rung){argv[i], label, &records[count]};
            if (!status && exec_wrong(&records[count]))
                app_warn(app, "%s: its kernels did something wrong; `exec %s` says what", argv[i], argv[i]);
            count++;
        }
        plan_free(&p);
    }
    if (!status) status = exec_ladder(app, rungs, count);
    for (int i = 0; i < count; i++) program_record_free(&records[i]);
    free(records);
    free(rungs);
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
     "are joined by commas), a step of lesson 8 (8.streams), or anything that starts\n"
     "such a thing. Its files and terminal are its own. When it has ended, stderr says what\n"
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
     "  --why              what each kernel waits for\n"
     "  --lines            the lines of the source that take the time\n"
     "  --each             every launch\n"
     "  --timeline FILE    what went on when, as a Chrome trace (ui.perfetto.dev)\n"
     "  --exact            the clock runs every launch, and every block of it\n"
     "Before a .cu file too: -I, -D, -std=, -rdc=true, -l and others of nvcc's,\n"
     "and --flags \"...\" for the rest. It is compiled by nvcc, else by clang.\n"
     "\n"
     "The exit status is the program's own; 1 when that is 0 and a fault was found,\n"
     "such as a launch that was refused and of which nobody read the error;\n"
     "124 at the limit; 128 + N after signal N; 125 when kernels of it or all of it\n"
     "could not be run, 126 and 127 when the program could not be started.\n"
     "\n"
     "At the prompt, `why`, `show lines`, `show mem`, `ladder` and others then are\n"
     "about its kernels: the most expensive one, or a KERNEL that they name. One\n"
     "launch of each kernel and shape is kept (256 MiB in all), and runs again alone.\n"
     "\n"
     "Example:  exec --check all mine.cu\n",
     exec_run, exec_complete},
    {0},
};
