/* job_launch.c: a launch that was kept from a program as a job. It makes a card as a program had
 * it before one of its launches: the module, memory at its addresses, textures by their handles.
 * What differs: other memory is not there, and the card's L2 is empty. */
#include "job_launch.h"
#include "job_lesson.h"
#include "program/program_snapshots.h"
#include "shell/free_memory.h"
#include "shell/language.h"
#include "list.h"
#include <stdlib.h>
#include <string.h>

#define problem(...) runner_problem(__VA_ARGS__)
enum { PAGES_AT_ONCE = 64 };

static const struct program_snapshot *kept(const runner *k) { return k->job->data; }

static int damaged(runner *k, const char *what)
{
    return problem(k, EXIT_INTERNAL, "`exec` the program again.",
                   "what was kept of this launch is damaged: %s. A program can write into that file by a stray write",
                   what);
}

static int no_memory(runner *k) { return problem(k, EXIT_INTERNAL, NULL, NO_MEMORY); }

static int refused(runner *k, const sim_error *err)
{
    const int status = dev_status(err, EXIT_USAGE);
    return problem(k, status, err->hint, "this launch cannot be run again on %s: %s", k->r.card_title, err->message);
}

/* Loads its module, with its variables where they were. */
static int open_launch(runner *k)
{
    const struct program_snapshot *s = kept(k);
    sim *card = dev_simulator(k->dev);
    if (s->why_not)
        return problem(k, EXIT_USAGE, "Its figures in the program stand in the report of `exec`.",
                       "%s was not kept: %s", k->s->name, s->why_not);
    if (!card)
        return problem(k, EXIT_USAGE, "--device sim:" DEFAULT_CARD,
                       "a launch of a program is run again on simulated cards");
    sim_place_of *places = calloc((size_t)s->launch.regions + 1, sizeof *places);
    int count = 0;
    for (uint32_t i = 0; places && i < s->launch.regions; i++)
        if (s->regions[i].variable)
            places[count++] = (sim_place_of){.name = snapshot_region_name(s, &s->regions[i]),
                                             .address = s->regions[i].address,
                                             .bytes = s->regions[i].bytes};
    sim_error err = {0};
    sim_module *m = NULL;
    int code =
        !places ? SIM_E_MEMORY : sim_load_at(card, k->q->ptx_name, k->q->ptx, k->q->ptx_bytes, places, count, &m, &err);
    free(places);
    k->module = (dev_module *)(void *)m;
    if (code == SIM_E_MEMORY && !err.code) return no_memory(k);
    if (code) return refused(k, &err);
    k->kernel = sim_kernel_named(m, s->kernel);
    if (!k->kernel) return damaged(k, "its code has no such kernel");
    if (k->kernel->param_bytes != s->launch.param_bytes) return damaged(k, "its arguments have another size");
    COPY(k->r.kernel, k->kernel->name);
    k->r.kernel_shared = k->kernel->shared_bytes;
    k->r.kernel_registers = k->kernel->registers;
    return 0;
}

/* The pages that anybody had written, many at once, as each write to the card costs something. */
static int fill_region(runner *k, sim *card, const snapshot_region *r, char *memory)
{
    const struct program_snapshot *s = kept(k);
    const uint64_t pages = (r->bytes + SNAPSHOT_PAGE - 1) / SNAPSHOT_PAGE;
    uint64_t from = 0, have = 0; /* pages in `memory` */
    for (uint64_t i = 0; i <= pages; i++) {
        bool written = false;
        if (i < pages && !snapshot_page_read(s, r, i, memory + have * SNAPSHOT_PAGE, &written))
            return damaged(k, "some of its memory is not as it was written");
        if (written && !have++) from = i;
        if (!have || (written && have < PAGES_AT_ONCE)) continue;
        const uint64_t at = from * SNAPSHOT_PAGE, left = r->bytes - at, bytes = have * SNAPSHOT_PAGE;
        sim_error err = {0};
        if (sim_write(card, r->address + at, memory, left < bytes ? left : bytes, &err)) return refused(k, &err);
        have = 0;
    }
    return 0;
}

static int make_textures(runner *k, sim *card)
{
    const struct program_snapshot *s = kept(k);
    const uint32_t count = s->launch.textures;
    sim_texture *list = calloc((size_t)count + 1, sizeof *list);
    sim_error err = {0};
    if (!list) return no_memory(k);
    for (uint32_t i = 0; i < count; i++) {
        const snapshot_texture *t = &s->textures[i];
        list[i] = (sim_texture){.address = t->address,
                                .width = t->width,
                                .height = t->height,
                                .depth = t->depth,
                                .layers = t->layers,
                                .cube = t->flags & 1,
                                .pitch = t->pitch,
                                .slice = t->slice,
                                .texel = t->texel <= SIM_TEXEL_F32 ? (int)t->texel : -1,
                                .channels = t->channels <= 4 ? (int)t->channels : -1,
                                .linear = t->flags & 2,
                                .normalized = t->flags & 4,
                                .fractions = t->flags & 8};
        for (int d = 0; d < 3; d++) list[i].outside[d] = t->outside[d] <= SIM_OUTSIDE_BORDER ? (int)t->outside[d] : -1;
    }
    const int code = count ? sim_textures_restore(card, list, count, &err) : 0;
    free(list);
    return code ? refused(k, &err) : 0;
}

/* Its memory, as it was before the launch. */
static int put_back(runner *k)
{
    const struct program_snapshot *s = kept(k);
    char *memory = malloc((PAGES_AT_ONCE + 1) * SNAPSHOT_PAGE);
    int status = memory ? 0 : no_memory(k);
    for (uint32_t i = 0; i < s->launch.regions && !status; i++)
        status = fill_region(k, dev_simulator(k->dev), &s->regions[i], memory);
    free(memory);
    return status;
}

static int make_memory(runner *k)
{
    const struct program_snapshot *s = kept(k);
    sim *card = dev_simulator(k->dev);
    uint64_t all = 0;
    for (uint32_t i = 0; i < s->launch.regions; i++) {
        if (s->regions[i].bytes > UINT64_MAX / 4 - all) return damaged(k, "its memory has no such size");
        all += s->regions[i].bytes;
    }
    const uint64_t room = k->q->room ? k->q->room : room_now();
    if (all > room)
        return problem(k, EXIT_INTERNAL, NULL,
                       "the launch's memory takes %.1f GiB, and this computer has %.1f GiB free",
                       (double)all / (1 << 30), (double)room / (1 << 30));
    int status = 0;
    for (uint32_t i = 0; i < s->launch.regions && !status; i++) {
        const snapshot_region *r = &s->regions[i];
        const char *name = snapshot_region_name(s, r);
        sim_error err = {0};
        if (!r->variable && sim_alloc_at(card, r->address, r->bytes, *name ? name : NULL, &err))
            status = refused(k, &err);
        if ((int)i < k->s->buffer_count) {
            k->address[i] = r->address;
            k->bytes[i] = r->bytes;
            k->place[i] = (int)i;
        }
    }
    if (!status) status = put_back(k);
    return status ? status : make_textures(k, card);
}

static int put_params(runner *k, const lesson_action *launch, const sim_kernel *kernel, unsigned char *block)
{
    (void)launch, (void)kernel;
    const struct program_snapshot *s = kept(k);
    if (s->launch.param_bytes) memcpy(block, s->params, s->launch.param_bytes);
    return 0;
}

static void set_options(const runner *k, sim_launch *l)
{
    const snapshot_launch *from = &kept(k)->launch;
    l->cooperative = from->cooperative;
    memcpy(l->cluster, from->cluster, sizeof l->cluster);
    l->cluster_large = from->cluster_large;
    l->heap_bytes = from->heap_bytes;
    l->start_ns = from->start_ns;
    l->pages = true;
}

static bool serves(job_use use, const lesson_step *s, const char *name, job_refusal *no)
{
    if (use != USE_GPU) return lesson_serves(use, s, name, no);
    snprintf(no->why, sizeof no->why, "%s", TR("a launch of a program is run again on simulated cards only"));
    no->next = "--device sim:" DEFAULT_CARD;
    return false;
}

static int file_of(const struct job *j) { return ((const struct program_snapshot *)j->data)->file; }

const struct job_kind job_launch = {.checks = 0, /* `exec --check` is there for that */
                                    .serves = serves,
                                    .is_built = lesson_is_built,
                                    .command = lesson_command,
                                    .title = lesson_title,
                                    .file = file_of,
                                    .no_card = EXIT_DEVICE,
                                    .reads_unfilled = true,
                                    .faults_most = STEP_LESSON_FAULTS,
                                    .open = open_launch,
                                    .run = lesson_run,
                                    .buffers = make_memory,
                                    .variable = lesson_no_variable,
                                    .put_back = put_back,
                                    .params = put_params,
                                    .options = set_options,
                                    .look = lesson_no_look,
                                    .prints = lesson_prints,
                                    .lines = lesson_lines,
                                    .ended = lesson_ended};

struct job launch_job(const struct program_snapshot *s) { return (struct job){.kind = &job_launch, .data = s}; }
