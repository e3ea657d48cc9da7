/* try.c: the `try` command: the user's own kernel on a simulated card or a GPU.
 *
 * It is a step written on the command line. try_line.c reads the line, make_step turns it into a
 * step with one launch, and step_run runs that on each device. What lessons' steps lack
 * (job_own.h) goes with the request. */
#include "film_line.h"
#include "try.h"
#include "device/devices.h"
#include "commands.h"
#include "device/compile.h"
#include "shell/language.h"
#include "shell/format.h"
#include "shell/plain_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { GRACE_SECONDS = 10, PTX_MAX = 256 << 20 };

/* The objects that a request points to. */
struct try_step {
    lesson l;
    lesson_step s;
    lesson_action launch;
    lesson_buffer buffer[TRY_ARGS_MAX + TRY_SETS_MAX];
    own_kernel own;
};

static void make_step(const struct app *app, const try_plan *p, struct try_step *to)
{
    to->l.name = "try";
    snprintf(to->l.path, sizeof to->l.path, "%.1000s", p->path);
    to->s = (lesson_step){.buffer = to->buffer, .action = &to->launch, .action_count = 1, .clock = -1};
    snprintf(to->s.name, sizeof to->s.name, "try");
    to->launch.kind = ACT_LAUNCH;
    for (int i = 0; i < 3; i++) {
        expr_constant(&to->launch.grid[i], p->grid[i]);
        expr_constant(&to->launch.block[i], p->block[i]);
        if (p->cluster[0]) expr_constant(&to->s.cluster[i], p->cluster[i]);
    }
    expr_constant(&to->launch.shared, p->shared_bytes);
    for (int i = 0; i < p->buffer_count + p->set_count; i++) {
        const bool sets = i >= p->buffer_count;
        const kernel_arg *a = sets ? &p->sets[i - p->buffer_count] : &p->args[p->buffer_arg[i]];
        lesson_buffer *b = &to->buffer[to->s.buffer_count++];
        *b = a->buffer;
        b->symbol = sets ? p->set_name[i - p->buffer_count] : NULL;
        expr_constant(&b->length, (int64_t)a->count);
        if (sets) snprintf(b->name, sizeof b->name, "%.31s", b->symbol);
        else snprintf(b->name, sizeof b->name, "buffer %d", i);
    }
    to->own = (own_kernel){.file = p->path,
                           .kernel = p->kernel,
                           .arg = p->args,
                           .args = p->arg_count,
                           .set = p->sets,
                           .sets = p->set_count,
                           .dump = p->dumps,
                           .dumps = p->dump_count,
                           .save = p->saves,
                           .saves = p->save_count,
                           .heap = p->heap,
                           .seconds = app->limit,
                           .memory_counts = p->counters || p->lines || p->why || app->json};
}

/* The PTX line of a syntax error, with a caret. */
static void quote_ptx(struct app *app, const step_request *q, const step_result *r)
{
    const int wanted = r->problem_line, column = r->problem_column;
    if (!wanted || app->json) return;
    const char *at = q->ptx, *end = q->ptx + q->ptx_bytes;
    for (int line = 1; line < wanted && at < end; line++) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        at = next ? next + 1 : end;
    }
    size_t length = 0;
    while (at + length < end && at[length] != '\n' && length < 200) length++;
    fprintf(app->err, "%6d | ", wanted);
    for (size_t i = 0; i < length; i++) fputc((unsigned char)at[i] < 0x20 || at[i] == 0x7f ? ' ' : at[i], app->err);
    fputc('\n', app->err);
    if (column > 0 && (size_t)column <= length + 1) fprintf(app->err, "%6s | %*s\n", "", column, "^");
}

static int run_failed(struct app *app, const step_request *q, const step_result *r)
{
    const bool gpu = q->device.kind == DEVICE_GPU;
    if (r->crashed && r->status == EXIT_INTERNAL)
        return app_fail(app, r->status, gpu ? "run again, or --device sim:h200" : NULL,
                        gpu ? "the process on the GPU failed: %s"
                            : "the simulator itself failed, which is a fault of ours: %s",
                        r->problem);
    char problem[600], advice[600];
    app_fail(app, r->status, r->advice[0] ? language_said(r->advice, advice, sizeof advice) : NULL, "%s",
             language_said(r->problem, problem, sizeof problem));
    quote_ptx(app, q, r);
    return r->status;
}

static int status_of(const step_result *r)
{
    return r->ended == SIM_E_STOPPED           ? EXIT_TIME
           : r->ended || r->unknown || r->lost ? EXIT_CHECK
           : r->gpu.known && r->gpu.doubt[0]   ? EXIT_INCONCLUSIVE
                                               : EXIT_DONE;
}

static int run_on(struct app *app, const try_plan *p, const try_made *m, step_request *q, const struct device *d)
{
    char *card_text = NULL;
    const bool gpu = d->kind == DEVICE_GPU;
    step_result r;
    if (gpu && try_only_simulated(p))
        return app_fail(app, EXIT_USAGE, "--device sim:" DEFAULT_CARD,
                        "a GPU does not do what %s asks for; the simulator does",
                        try_only_simulated(p));
    int status = gpu ? 0 : device_card_text(app, d, &card_text);
    if (status) return status;
    q->device = *d;
    q->card_text = card_text;
    /* The simulator applies the limit itself, and then says where the kernel was. The child's own
     * limit is a second safeguard. */
    q->limit = app->limit > 0 ? app->limit + (gpu ? 0 : GRACE_SECONDS) : 0;
    if (step_run(q, &r)) {
        status = run_failed(app, q, &r);
    } else {
        try_view v = {.app = app,
                      .plan = p,
                      .device = d,
                      .request = q,
                      .own = &m->step->own,
                      .r = &r,
                      .sources = {.beside = p->path, .below = !p->is_ptx},
                      .ended = r.ended == SIM_OK && r.unknown ? SIM_E_FAULT : r.ended,
                      .status = status_of(&r)};
        if (p->why && r.whole && r.has_cycles) try_why(&v);
        doc out = doc_open(app);
        try_show(&out, &v);
        if (r.simulated && r.faults) doc_gap(&out);
        if (r.simulated) film_offer(&out, p->words, r.fault, r.faults);
        fflush(app->out);
        if (r.save_status) app_fail(app, r.save_status, NULL, "%s", r.save_problem);
        status = r.save_status ? r.save_status : v.status;
        source_free(&v.sources);
    }
    if (gpu) step_release();
    step_result_free(&r);
    free(card_text);
    return status;
}

/* The compiler's output, unchanged. */
static void show_messages(struct app *app, const char *text)
{
    if (!*text) return;
    print_safe(app->err, text, strlen(text));
    if (text[strlen(text) - 1] != '\n') fputc('\n', app->err);
}

static int compile(struct app *app, const try_plan *p, int arch, compile_result *c)
{
    compile_request request = {.path = p->path, .arch = p->arch ? p->arch : arch};
    compile_ptx(&request, c);
    show_messages(app, c->messages);
    const char *advice = *c->advice ? c->advice : NULL;
    switch (c->status) {
    case COMPILE_DONE: return 0;
    case COMPILE_REJECTED: return app_fail(app, EXIT_CHECK, NULL, "%s does not compile (%s)", p->path, c->compiler);
    case COMPILE_INTERRUPTED: return app_fail(app, EXIT_INTERRUPT, NULL, "%s", c->problem);
    case COMPILE_NO_COMPILER: return app_fail(app, EXIT_USAGE, advice, "%s", c->problem);
    case COMPILE_FAILED: break;
    }
    return app_fail(app, EXIT_INTERNAL, advice, "%s", c->problem);
}

/* The only GPU to compile for, if there is no other device; 0: compile for all. */
static int only_gpu(struct app *app, const struct device *d, int count)
{
    return count == 1 && d->kind == DEVICE_GPU ? device_gpu_arch(app, d->index) : 0;
}

int try_request(struct app *app, const try_plan *p, const struct device *d, int count, step_request *q, try_made *m)
{
    int status = 0;
    *m = (try_made){.compiled = {.status = COMPILE_DONE}};
    *q = (step_request){.seed = app->seed,
                        .host_threads = app->host_threads,
                        .checks = p->checks,
                        .lines = p->lines,
                        .exact = app->exact,
                        .hot = app->hot,
                        .untimed = try_untimed(p) != NULL,
                        .shuffle = p->shuffle};
    if (p->is_ptx) {
        (void)file_read(p->path, PTX_MAX, &m->text, &q->ptx_bytes);
        if (!m->text)
            status =
                app_fail(app, EXIT_USAGE, NULL, "%s cannot be read, or has more than %d MiB", p->path, PTX_MAX >> 20);
        q->ptx = m->text;
    } else {
        status = compile(app, p, only_gpu(app, d, count), &m->compiled);
        q->ptx = m->compiled.ptx;
        q->ptx_bytes = m->compiled.ptx_bytes;
        snprintf(q->compiler, sizeof q->compiler, "%.99s", m->compiled.compiler);
    }
    snprintf(q->ptx_name, sizeof q->ptx_name, "%.255s", p->path);
    m->step = status ? NULL : calloc(1, sizeof *m->step);
    if (!status && !m->step) status = app_no_memory(app);
    if (!m->step) return status;
    make_step(app, p, m->step);
    q->l = &m->step->l;
    q->s = &m->step->s;
    q->job = own_job(&m->step->own);
    return 0;
}

void try_made_free(try_made *m)
{
    free(m->step);
    compile_free(&m->compiled);
    free(m->text);
}

static int try_command(struct app *app, int argc, char **argv)
{
    struct device devices[DEVICES_MAX];
    int device_count = 0;
    try_plan *p = calloc(1, sizeof *p);
    if (!p) return app_no_memory(app);
    film_offer_none(app);
    int status = try_line(app, p, argc, argv);
    p->words = film_words_of_try(app, argc, argv);
    if (!status) status = device_resolve(app, NULL, devices, &device_count);
    /* an option that only the simulator has selects it, unless --device was given */
    if (!status && !app->device_explicit && try_only_simulated(p))
        status = device_parse(app, "sim:" DEFAULT_CARD, devices, &device_count);
    step_request q;
    try_made made = {0};
    if (!status) status = try_request(app, p, devices, device_count, &q, &made);
    for (int i = 0; i < device_count && !status; i++) status = run_on(app, p, &made, &q, &devices[i]);
    try_made_free(&made);
    try_plan_free(p);
    return status;
}

static const char help[] = "Runs anyone's kernel on a GPU and times it, or on a simulated card and tells what\n"
                           "it does wrong. FILE is CUDA C (.cu) or PTX (.ptx); :KERNEL says which when there\n"
                           "are several. Without a GPU the card is the H200 unless --device names another.\n"
                           "\n"
                           "  --arg A            an argument of the kernel, in order:\n"
                           "      i32:5  f32:2.5       a scalar (i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16\n"
                           "                           tf32 f32 f64 e4m3 e5m2)\n"
                           "      f32:1,2,3,4          several numbers in one argument: a struct, a float4\n"
                           "      f32[1024]:zero       a buffer: zero, ones, iota, rand, rand%K, =1,2,3;\n"
                           "                           or any fill of a lesson: down, shuffled, extremes\n"
                           "      f32[]@FILE           a buffer from a file of raw little-endian numbers\n"
                           "      f32[1024]            a buffer that nobody has written\n"
                           "  --set NAME=A       fill a __device__ or __constant__ variable: scale=f32:2.5;\n"
                           "                     table=f32[256]:iota; table=f32[]:zero, all of it\n"
                           "  --cluster X[,Y[,Z]]  blocks of a cluster, from compute 9.0\n"
                           "  --shared BYTES     dynamic shared memory\n"
                           "  --heap BYTES       what malloc in the kernel may hand out: 8 MiB, as on a card\n"
                           "  --dump K[a:b]      print elements a to b-1 of buffer K (counted from 0)\n"
                           "  --save K=FILE      write buffer K to a file\n"
                           "  --check LIST       memory, race, init, barrier, joined by commas; all (as\n"
                           "                     without it); none. Addresses are always checked\n"
                           "  --why              what holds it back, and what it would take without that\n"
                           "  --counters         what the kernel did, counted, and what its warps waited for\n"
                           "  --lines            the same beside each line of the source\n"
                           "  --shuffle N        run warps and blocks in turns of an order drawn from N: what\n"
                           "                     a race leaves behind changes with N, a right result does not\n"
                           "  --limit SECONDS    end a kernel that takes longer\n"
                           "  --arch 75          the compute capability that CUDA C is compiled for\n"
                           "\n"
                           "Status: 1 when the kernel faults or does not compile, 124 at the time limit.\n"
                           "\n"
                           "Example:  try saxpy.cu --grid 4 --block 256 --arg i32:1000 --arg f32:2\n"
                           "              --arg f32[1000]:iota --arg f32[1000]:ones --dump 1[0:8]\n";

const struct command try_commands[] = {
    {.name = "try",
     .group = "Own kernels",
     .args = "FILE[:KERNEL] --grid X[,Y[,Z]] --block X[,Y[,Z]] [--arg A]...",
     .brief = "run a kernel of your own",
     .help = help,
     .run = try_command,
     .complete = try_complete},
    {.name = NULL},
};
