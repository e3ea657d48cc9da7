/* step_program.c: a step that is a whole program, within the step's child. The program is the one that
 * `make` built from the lesson's file, with the pinned PTX in it; it runs under the libraries that take
 * CUDA's place, as under `exec`, with no terminal. What they told becomes the record of a step: times,
 * copies, faults, and what went on when.
 *
 * The host's own work takes no time (`--time repeatable`), so all numbers are the same on every
 * computer. The program judges itself: its exit status is 0 for right and 1 for wrong. */
#define _GNU_SOURCE
#include "step_runner.h"
#include "kernel_name.h"
#include "program/program.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { OUTPUT_MOST = 1 << 16, ARGUMENTS = LESSON_ARGS + 2 };

/* ---- which program ---- */

static bool same_files(const char *a, const char *b)
{
    char *x = NULL, *y = NULL;
    size_t n = 0, m = 0;
    const bool same = !file_read(a, 1 << 20, &x, &n) && !file_read(b, 1 << 20, &y, &m) && n == m && !memcmp(x, y, n);
    free(x);
    free(y);
    return same;
}

/* Only what `make` built from this very text: a lesson from elsewhere starts no program of its own. */
static int find(runner *k, char *program, size_t size)
{
    const lesson *l = k->q->l;
    char name[160], built_from[4400], source[1400];
    snprintf(name, sizeof name, "%.*s", (int)strlen(k->s->kernel_file) - 3, k->s->kernel_file);
    if (!lesson_file(l, k->s->kernel_file, source, sizeof source))
        return runner_problem(k, EXIT_INTERNAL, NULL, "%s is missing", k->s->kernel_file);
    if (!program_of_lesson(l->folder, name, program, built_from, size))
        return runner_problem(k, EXIT_USAGE, NULL,
                              "this step's program was not built with warpstep: `make` does it, for one of C++ where "
                              "there is a C++ compiler; with nvcc or clang: exec %s",
                              source);
    if (!same_files(source, built_from))
        return runner_problem(k, EXIT_INTERNAL, NULL,
                              "%s is not what this step's program was built from: `make` builds it again, exec %s "
                              "compiles it by nvcc or clang",
                              k->s->kernel_file, source);
    return 0;
}

bool step_can_run(const lesson *l, const lesson_step *s)
{
    char name[160], program[4400], built_from[4400], source[1400], *text = NULL;
    size_t bytes;
    if (!step_program(s)) return true;
    if (!program_libraries(program, sizeof program)) return false;
    snprintf(name, sizeof name, "%.*s", (int)strlen(s->kernel_file) - 3, s->kernel_file);
    if (program_of_lesson(l->folder, name, program, built_from, sizeof program)) return true;
    const bool other = !lesson_file(l, s->kernel_file, source, sizeof source) ||
                       file_read(source, 1 << 20, &text, &bytes) || !strstr(text, "host: C++");
    free(text);
    return other; /* then it is a mistake that there is no program */
}

/* ---- what it did ---- */

static void put_prints(runner *k, int output)
{
    char *text = calloc(1, OUTPUT_MOST + 1);
    const ssize_t n = text ? pread(output, text, OUTPUT_MOST, 0) : 0;
    if (n > 0) text[n] = 0;
    for (char *line = n > 0 ? text : NULL; line && *line;) {
        char *end = strchr(line, '\n');
        if (end) *end = 0;
        if (k->r.prints < STEP_PRINTS) COPY(k->r.print[k->r.prints], line);
        if (k->r.prints < STEP_PRINTS) k->r.prints++;
        else k->r.prints_left_out++;
        line = end ? end + 1 : NULL;
    }
    free(text);
}

static void three(const char *text, uint32_t out[3])
{
    out[0] = out[1] = out[2] = 0;
    sscanf(text, "%u,%u,%u", &out[0], &out[1], &out[2]);
}

static void put_faults(runner *k, const struct program_record *r)
{
    k->r.fault = calloc(STEP_LESSON_FAULTS, sizeof *k->r.fault);
    for (int i = 0; k->r.fault && i < r->fault_count && k->r.faults < STEP_LESSON_FAULTS; i++) {
        const struct program_fault *f = &r->faults[i];
        step_fault *to = &k->r.fault[k->r.faults++];
        *to = (step_fault){.note = f->note, .count = f->count};
        COPY(to->kind, sim_fault_name((enum sim_fault_kind)f->kind));
        COPY(to->message, f->message);
        COPY(to->advice, f->advice);
        COPY(to->at.kernel, f->kernel);
        const char *slash = strrchr(f->file, '/');
        COPY(to->at.file, slash ? slash + 1 : f->file);
        to->at.line = f->line;
        three(f->block, to->at.block);
        three(f->thread, to->at.thread);
    }
}

static step_fault *refused_launch(runner *k, const char *kernel, uint64_t count, bool note, const char *advice)
{
    if (!k->r.fault || k->r.faults == STEP_LESSON_FAULTS) return NULL;
    step_fault *to = &k->r.fault[k->r.faults++];
    *to = (step_fault){.note = note, .count = count};
    COPY(to->kind, sim_fault_name(SIM_FAULT_LAUNCH_REFUSED));
    COPY(to->advice, advice);
    COPY(to->at.kernel, kernel);
    return to;
}

/* Launches that the card refused. It is no fault where the program asked for the error, or a kernel could have. */
static void put_refused(runner *k, const struct program_record *r)
{
    char title[400];
    for (int i = 0; i < r->unrun_count; i++) {
        const struct program_unrun *u = &r->unrun[i];
        const char *advice = u->by_kernel ? "A kernel asks by cudaGetLastError too."
                             : u->unread  ? sim_fault_advice(SIM_FAULT_LAUNCH_REFUSED)
                                          : "";
        step_fault *to = refused_launch(k, u->kernel, u->launches, !u->unread, advice);
        if (!to) return;
        const char *name = kernel_title(u->kernel, title, sizeof title);
        if (u->by_kernel)
            snprintf(to->message, sizeof to->message,
                     "launches of %.100s by kernels that were refused (%s): %" PRIu64 "; %s", name, u->error,
                     u->launches, u->reason);
        else
            snprintf(to->message, sizeof to->message, "launches of %.100s that were refused (%s): %" PRIu64 "; %s",
                     name, u->error, u->launches, u->reason);
    }
}

static int by_begin(const void *x, const void *y)
{
    const step_span *a = x, *b = y;
    return a->begin < b->begin ? -1 : a->begin > b->begin ? 1 : (a->stream > b->stream) - (a->stream < b->stream);
}

static void put_spans(runner *k, const struct program_record *r)
{
    k->r.span = calloc(STEP_SPANS, sizeof *k->r.span);
    for (int i = 0; k->r.span && i < r->event_count; i++) {
        const struct program_event *e = &r->events[i];
        if (k->r.spans == STEP_SPANS) {
            k->r.spans_left_out++;
            continue;
        }
        step_span *to = &k->r.span[k->r.spans++];
        *to = (step_span){
            .what = e->what, .card = e->card, .stream = e->stream, .begin = e->begin, .seconds = e->seconds};
        char title[400];
        COPY(to->name, e->what == 'k' && e->name ? kernel_title(e->name, title, sizeof title) : e->name);
    }
    if (k->r.spans) qsort(k->r.span, (size_t)k->r.spans, sizeof *k->r.span, by_begin);
}

static void put_record(runner *k, const struct program_record *r, bool timed)
{
    enum { TO_CARD = 1, FROM_CARD = 2 };
    double kernels = 0, copies = 0;
    uint64_t calls = 0;
    for (int i = 0; i < r->kernel_count; i++) {
        kernels += r->kernels[i].seconds;
        calls += r->kernels[i].calls;
    }
    for (int i = 0; i < r->copy_count; i++) {
        copies += r->copies[i].seconds;
        k->r.copies += r->copies[i].calls;
        if (r->copies[i].direction == TO_CARD) k->r.to_card += r->copies[i].bytes;
        if (r->copies[i].direction == FROM_CARD) k->r.from_card += r->copies[i].bytes;
    }
    k->r.launches = calls < 1000000000 ? (int)calls : 1000000000;
    put_faults(k, r);
    put_refused(k, r);
    if (!timed) return;
    k->r.program_seconds = r->seconds;
    k->r.kernels_seconds = kernels;
    k->r.copies_seconds = copies;
    k->r.waited_seconds = r->waited;
    k->r.overlap = program_overlap(r);
    put_spans(k, r);
}

/* What its kernels did with memory, for goals. */
static void put_counts(runner *k, const struct program_record *r)
{
    k->r.program_counts = true;
    for (int i = 0; i < r->counts_count; i++) sim_counters_add(&k->r.total, &r->counts[i].c);
}

/* Its own verdict, and whether it printed what the lesson says that it does. */
static int judge(runner *k, int status)
{
    k->r.judged = true;
    k->r.verdict.correct = status == 0;
    for (int i = 0; i < k->s->says_count; i++) {
        bool said = false;
        for (int p = 0; p < k->r.prints; p++) said = said || strstr(k->r.print[p], k->s->says[i]);
        if (!said) return runner_problem(k, EXIT_INTERNAL, NULL, "the program did not print \"%s\"", k->s->says[i]);
    }
    return 0;
}

/* ---- running it ---- */

typedef struct program_words {
    char program[4400], number[LESSON_ARGS][24], *argv[ARGUMENTS];
    int64_t cards;
} program_words;

/* The program, its arguments, and how many cards it sees. */
static int find_words(runner *k, program_words *out)
{
    const lesson_action *a = step_program(k->s);
    char why[200];
    int64_t v;
    int status = 0;
    *out = (program_words){.cards = 1};
    if (k->q->answer) snprintf(out->program, sizeof out->program, "%s", k->q->answer->program);
    else status = find(k, out->program, sizeof out->program);
    out->argv[0] = out->program;
    for (int i = 0; i < a->args && !status; i++) {
        if (!expr_eval(&a->arg[i].value, runner_value, k, &v, why, sizeof why))
            return runner_problem(k, EXIT_USAGE, NULL, "%s:%d: an argument: %s", k->q->l->path, a->line, why);
        snprintf(out->number[i], sizeof out->number[i], "%lld", (long long)v);
        out->argv[i + 1] = out->number[i];
    }
    if (!status && k->s->cards.count &&
        (!expr_eval(&k->s->cards, runner_value, k, &out->cards, why, sizeof why) || out->cards < !k->q->answer ||
         out->cards > 16))
        return runner_problem(k, EXIT_USAGE, NULL, "%s:%d: the number of cards must be 1 to 16", k->q->l->path,
                              a->line);
    return status;
}

static int memory_file(const char *name, const char *text)
{
    const int file = memfd_create(name, MFD_CLOEXEC);
    const size_t bytes = text ? strlen(text) : 0;
    if (file >= 0 && bytes && (write(file, text, bytes) != (ssize_t)bytes || lseek(file, 0, SEEK_SET))) {
        close(file);
        return -1;
    }
    return file;
}

/* How an answer's program ended: the judge says what that means. */
static void put_end(runner *k, int ended, bool timed_out, int errors)
{
    struct rusage used = {0};
    char *line = k->r.program_said;
    getrusage(RUSAGE_CHILDREN, &used);
    k->r.program_cpu = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
    k->r.program_late = timed_out;
    k->r.program_signal = ended > 128 && !timed_out ? ended - 128 : 0;
    k->r.program_status = k->r.program_signal || timed_out ? 0 : ended;
    const ssize_t n = pread(errors, line, sizeof k->r.program_said - 1, 0);
    line[n > 0 ? n : 0] = 0;
    line[strcspn(line, "\n")] = 0;
}

static int run(runner *k, program_words *w, const struct program_options *o)
{
    const step_answer *answer = k->q->answer;
    char why[4400];
    int records, status = 0;
    bool timed_out;
    const double began = runner_now();
    const int ended = program_run(o, w->argv, &records, &timed_out, why, sizeof why);
    k->r.host_seconds = runner_now() - began;
    k->r.program = true;
    put_prints(k, o->output);
    struct program_record r = {0};
    if (records >= 0) program_read(records, &r);
    if (records >= 0) close(records);
    if (answer) put_end(k, ended, timed_out, o->errors);
    if (*why) status = runner_problem(k, EXIT_INTERNAL, NULL, "%s", why);
    else if (ended > 1 && !answer)
        status = runner_problem(k, EXIT_INTERNAL, NULL,
                                ended > 128 ? "the program was ended by signal %d" : "the program ended with status %d",
                                ended > 128 ? ended - 128 : ended);
    else if (r.failed) status = runner_problem(k, EXIT_INTERNAL, NULL, "memory ran out");
    else if (r.refused_count || r.missing_count)
        status = runner_problem(k, EXIT_INTERNAL, NULL, "the program needs what is not there: %s",
                                r.refused_count ? r.refused[0].text : r.missing[0].text);
    if (!status) {
        put_record(k, &r, k->timed);
        if (answer) put_counts(k, &r);
        else status = judge(k, ended);
    }
    program_record_free(&r);
    return status;
}

int runner_program(runner *k)
{
    program_words w;
    const step_answer *answer = k->q->answer;
    int status = find_words(k, &w);
    if (status) return status;
    struct program_options o = {.device = k->q->device,
                                .snapshots = -1,
                                .card_text = k->q->card_text,
                                .cards = (int)w.cards,
                                .checks = SIM_CHECK_BARRIER | (k->q->checks & (SIM_CHECK_RACE | SIM_CHECK_INIT)),
                                .events = true,
                                .exact = k->q->exact,
                                .time = k->timed ? "repeatable" : "none",
                                .quiet = true,
                                .output = memory_file("warpstep-output", NULL)};
    if (answer) {
        o.errors = memory_file("warpstep-errors", NULL);
        o.input = memory_file("warpstep-input", answer->input);
        o.sealed = o.counts = true;
        o.cpu_seconds = answer->cpu_seconds;
        o.limit = k->q->limit;
        o.budget = k->q->budget;
        o.spoil = answer->spoil;
    }
    if (o.output < 0 || o.errors < 0 || o.input < 0)
        status = runner_problem(k, EXIT_INTERNAL, NULL, "the program cannot be started: %s", strerror(errno));
    else status = run(k, &w, &o);
    const int files[] = {o.output, o.errors, o.input};
    for (int i = 0; i < 3; i++)
        if (files[i] > 0) close(files[i]);
    return status;
}
