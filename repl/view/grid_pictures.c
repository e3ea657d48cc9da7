/* grid_pictures.c: `show grid`: the launch of a step as a picture: its blocks, the warps of a block,
 * the index of one thread, and how the blocks go through the card: side by side on many
 * multiprocessors, wave after wave on few. Blocks are handed out in order, one to each multiprocessor
 * in turn. Waves are how many rounds that takes when all blocks take the same time. */
#include "view.h"
#include "shell/format.h"
#include "shell/language.h"
#include <inttypes.h>
#include <string.h>

enum { CELLS = 8, ROWS_SHOWN = 4, WAVES_SHOWN = 4 };

typedef struct launch {
    const step_result *r;
    const char *kernel;
    uint64_t blocks, threads;      /* of the grid; of a block */
    uint64_t at_once, waves, last; /* blocks that the card holds; rounds; blocks of the last. 0: not known */
    int dims;
} launch;

static launch launch_of(const step_result *r, const char *kernel)
{
    launch l = {.r = r, .kernel = kernel, .blocks = 1, .threads = 1, .dims = 1};
    for (int i = 0; i < 3; i++) {
        l.blocks *= r->grid[i];
        l.threads *= r->block[i];
        if (r->grid[i] > 1 || r->block[i] > 1) l.dims = i + 1;
    }
    if (r->has_occupancy && r->occupancy.blocks > 0 && r->multiprocessors > 0 && l.blocks) {
        l.at_once = (uint64_t)r->occupancy.blocks * (uint64_t)r->multiprocessors;
        l.waves = (l.blocks + l.at_once - 1) / l.at_once;
        l.last = l.blocks - (l.waves - 1) * l.at_once;
    }
    return l;
}

static const char *size_text(const uint32_t d[3], char *out, size_t size)
{
    if (d[2] > 1) snprintf(out, size, "%u x %u x %u", d[0], d[1], d[2]);
    else if (d[1] > 1) snprintf(out, size, "%u x %u", d[0], d[1]);
    else snprintf(out, size, "%u", d[0]);
    return out;
}

static const char *count(char *out, size_t size, uint64_t n) { return format_count(out, size, n); }

/* ---- the grid ---- */

/* Which of `all` the cell `i` of a row of `most` shows; -1: "...": all but the last are left out. */
static int64_t shown_at(uint64_t all, int i, int most)
{
    if (all <= (uint64_t)most) return i;
    return i < most - 2 ? i : i == most - 2 ? -1 : (int64_t)all - 1;
}

static int cells_of(uint64_t all, int most) { return all < (uint64_t)most ? (int)all : most; }

static void put_blocks(doc *d, const launch *l)
{
    const uint32_t *g = l->r->grid;
    char line[200], name[48], number[32];
    const int wide = g[1] > 1 || g[2] > 1 ? 5 : CELLS, rows = cells_of(g[1], ROWS_SHOWN);
    for (int y = 0; y < rows; y++) {
        const int64_t row = shown_at(g[1], y, ROWS_SHOWN);
        size_t used = 0;
        for (int x = 0; x < cells_of(g[0], wide) && used < sizeof line; x++) {
            const int64_t column = shown_at(g[0], x, wide);
            if (row < 0 || column < 0) snprintf(name, sizeof name, "...");
            else if (g[1] > 1 || g[2] > 1) snprintf(name, sizeof name, "(%" PRId64 ",%" PRId64 ")", column, row);
            else snprintf(name, sizeof name, "%s", count(number, sizeof number, (uint64_t)column));
            used += (size_t)snprintf(line + used, sizeof line - used, " %*s |", g[1] > 1 || g[2] > 1 ? 9 : 6, name);
        }
        doc_line(d, "    |%s", line);
    }
    if (g[2] > 1) doc_line(d, "    and as many again for each further blockIdx.z, to %u", g[2] - 1);
}

/* ---- a block ---- */

static void put_warps(doc *d, const launch *l)
{
    const uint32_t *b = l->r->block;
    const int warps = (int)((l->threads + 31) / 32), rows = cells_of((uint64_t)warps, ROWS_SHOWN);
    char a[32];
    doc_gap(d);
    doc_say(d, 2, "A block: %s threads%s, in %d warp%s of 32, which run an instruction together",
            count(a, sizeof a, l->threads), b[1] > 1 || b[2] > 1 ? TR(", threadIdx.x first") : "", warps,
            warps == 1 ? "" : "s");
    for (int i = 0; i < rows; i++) {
        const int64_t w = shown_at((uint64_t)warps, i, ROWS_SHOWN);
        if (w < 0) {
            doc_line(d, "    ...");
            continue;
        }
        const uint32_t from = (uint32_t)w * 32, to = from + 31 < l->threads ? from + 31 : (uint32_t)l->threads - 1;
        char name[120], ends[2][48], idle[60] = "";
        for (int k = 0; k < 2; k++) {
            const uint32_t t = k ? to : from, plane = b[0] * b[1];
            if (b[2] > 1) snprintf(ends[k], sizeof ends[k], "(%u,%u,%u)", t % b[0], t / b[0] % b[1], t / plane);
            else if (b[1] > 1) snprintf(ends[k], sizeof ends[k], "(%u,%u)", t % b[0], t / b[0]);
            else snprintf(ends[k], sizeof ends[k], "%u", t);
        }
        if (to - from < 31)
            snprintf(idle, sizeof idle, TR(": %u of its 32 lanes, the others do nothing"), to - from + 1);
        snprintf(name, sizeof name, "%s%s%s%s%s", from == to ? TR("thread  ") : TR("threads "), ends[0],
                 from == to ? "" : TR(" to "), from == to ? "" : ends[1], idle);
        doc_line(d, "    warp %-3" PRId64 " %s", w, name);
    }
}

/* ---- a thread ---- */

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

static void put_thread(doc *d, const launch *l)
{
    static const uint32_t blocks[3] = {2, 1, 1}, threads[3] = {37, 2, 1};
    const uint32_t *g = l->r->grid, *b = l->r->block;
    uint32_t block[3], thread[3];
    char name[80] = "", at[80] = "", a[32];
    for (int i = 0; i < 3; i++) {
        block[i] = least(blocks[i], g[i] - 1);
        thread[i] = least(i || l->dims == 1 ? threads[i] : 5, b[i] - 1);
    }
    for (int i = 0; i < l->dims; i++) {
        snprintf(name + strlen(name), sizeof name - strlen(name), "%s%u", i ? "," : "", block[i]);
        snprintf(at + strlen(at), sizeof at - strlen(at), "%s%u", i ? "," : "", thread[i]);
    }
    doc_gap(d);
    doc_say(d, 2, l->dims > 1 ? "One of them: block (%s), thread (%s) of it" : "One of them: block %s, thread %s of it",
            name, at);
    for (int i = 0; i < l->dims; i++)
        doc_line(d, "    %sblockIdx.%c * blockDim.%c + threadIdx.%c = %u * %u + %u = %s",
                 l->dims > 1 ? (const char *[]){"x: ", "y: ", "z: "}[i] : "", 'x' + i, 'x' + i, 'x' + i, block[i], b[i],
                 thread[i], count(a, sizeof a, (uint64_t)block[i] * b[i] + thread[i]));
    const uint32_t in_block = thread[0] + b[0] * (thread[1] + b[1] * thread[2]);
    doc_line(d, "    lane %u of warp %u of its block", in_block % 32, in_block / 32);
}

/* ---- the card ---- */

/* The blocks of one wave, below the multiprocessor that each goes to. */
static void put_wave(doc *d, const launch *l, uint64_t wave)
{
    const uint64_t mps = (uint64_t)l->r->multiprocessors, from = wave * l->at_once;
    const uint64_t until = from + l->at_once < l->blocks ? from + l->at_once : l->blocks;
    const int rounds = cells_of((uint64_t)l->r->occupancy.blocks, 3), cells = cells_of(mps, CELLS);
    for (int k = 0; k < rounds; k++) {
        const int64_t round = shown_at((uint64_t)l->r->occupancy.blocks, k, 3);
        char line[200] = "", label[40] = "", number[32];
        size_t used = 0;
        bool any = false;
        for (int i = 0; i < cells && used < sizeof line; i++) {
            const int64_t mp = shown_at(mps, i, CELLS);
            const uint64_t block = from + (uint64_t)round * mps + (uint64_t)mp;
            const bool dots = mp < 0 || round < 0;
            any = any || (!dots && block < until);
            used += (size_t)snprintf(line + used, sizeof line - used, "%8s",
                                     dots            ? "..."
                                     : block < until ? count(number, sizeof number, block)
                                                     : "-");
        }
        if (!k) snprintf(label, sizeof label, TR("wave %s"), count(number, sizeof number, wave + 1));
        if (any || (round < 0 && until - from > mps))
            doc_line(d, "    %s%*s%s", label, 9 - utf8_width(label), "", line);
    }
}

static void put_card(doc *d, const launch *l)
{
    const step_result *r = l->r;
    char a[32], b[32], c[32], line[200] = "";
    size_t used = 0;
    doc_gap(d);
    if (!l->at_once) {
        doc_say(d, 2, "How many blocks this card holds at once is not known.");
        return;
    }
    doc_say(d, 2, "On %s: %d multiprocessors hold %d block%s each (limit: %s), %s at once", r->device,
            r->multiprocessors, r->occupancy.blocks, r->occupancy.blocks == 1 ? "" : "s",
            TR(sim_limit_name(r->occupancy.limit)), count(a, sizeof a, l->at_once));
    for (int i = 0; i < cells_of((uint64_t)r->multiprocessors, CELLS) && used < sizeof line; i++) {
        const int64_t mp = shown_at((uint64_t)r->multiprocessors, i, CELLS);
        char name[24];
        snprintf(name, sizeof name, mp < 0 ? "..." : "MP %d", (int)mp);
        used += (size_t)snprintf(line + used, sizeof line - used, "%8s", name);
    }
    doc_line(d, "%s    %9s%s%s", app_style(d->app, STYLE_DIM), "", line, app_style(d->app, STYLE_PLAIN));
    for (int i = 0; i < cells_of(l->waves, WAVES_SHOWN); i++) {
        const int64_t wave = shown_at(l->waves, i, WAVES_SHOWN);
        if (wave < 0) doc_line(d, "    ...");
        else put_wave(d, l, (uint64_t)wave);
    }
    doc_gap(d);
    if (l->waves == 1 && l->blocks < (uint64_t)r->multiprocessors)
        doc_say(d, 2, "All run side by side, and %s of %d multiprocessors have nothing to do.",
                count(a, sizeof a, (uint64_t)r->multiprocessors - l->blocks), r->multiprocessors);
    else if (l->waves == 1)
        doc_say(d, 2, "All run side by side, in %s of %s places (%.0f %%).", count(a, sizeof a, l->blocks),
                count(b, sizeof b, l->at_once), 100 * (double)l->blocks / (double)l->at_once);
    else
        doc_say(
            d, 2,
            "%s waves, one after another; the last fills %s of %s places (%.0f %%). A block that ends makes room for "
             "the next at once, so that waves blur.",
            count(a, sizeof a, l->waves), count(b, sizeof b, l->last), count(c, sizeof c, l->at_once),
            100 * (double)l->last / (double)l->at_once);
}

static void put_data(doc *d, const lesson_step *s, const launch *l)
{
    const step_result *r = l->r;
    json *j = doc_begin(d, "grid", "lesson %d, step %s, device %s, kernel %s", d->app->lesson->l->number, s->name,
                        r->device, l->kernel);
    json_dims(j, "grid", r->grid);
    json_dims(j, "block", r->block);
    json_uint(j, "blocks", l->blocks);
    json_uint(j, "threads", l->blocks * l->threads);
    json_uint(j, "warps_per_block", (l->threads + 31) / 32);
    json_int(j, "multiprocessors", r->multiprocessors);
    if (l->at_once) {
        json_keys(j, "resident_blocks %d, limit %s", r->occupancy.blocks, sim_limit_name(r->occupancy.limit));
        json_uint(j, "at_once", l->at_once);
        json_uint(j, "waves", l->waves);
        json_uint(j, "last_wave_blocks", l->last);
        json_number(j, "last_wave_fill", (double)l->last / (double)l->at_once);
    }
    json_end(j);
}

int view_show_grid(struct app *app, const lesson_step *s, step_chosen *chosen)
{
    struct device d[DEVICES_MAX];
    doc out = doc_open(app);
    int devices, status = session_count_devices(app, s, chosen, d, &devices);
    for (int k = 0; !status && k < devices; k++) {
        const step_result *r = session_result(app, s, &d[k], run_chosen(app, chosen), &status);
        step_values values;
        char kernel[96] = "", grid[48], block[48], a[32], b[32];
        if (!r || (status = session_values(app, s, chosen, &values))) break;
        for (int i = 0; i < s->action_count && !*kernel; i++)
            if (s->action[i].kind == ACT_LAUNCH)
                step_entry(app->lesson->l, &values, &s->action[i], kernel, sizeof kernel);
        const launch l = launch_of(r, kernel);
        if (!l.blocks || !l.threads) {
            status = app_fail(app, EXIT_INTERNAL, NULL, "the run of step %s says nothing about its launch", s->name);
            break;
        }
        put_data(&out, s, &l);
        if (k) doc_gap(&out);
        view_step_head(&out, s, r->device);
        doc_say(&out, 2, "%s<<<%s, %s>>>: %s block%s of %s thread%s%s", kernel, size_text(r->grid, grid, sizeof grid),
                size_text(r->block, block, sizeof block), count(a, sizeof a, l.blocks), l.blocks == 1 ? "" : "s",
                count(b, sizeof b, l.threads), l.threads == 1 ? "" : "s",
                r->launches > 1 ? TR(", the first of its launches") : "");
        put_blocks(&out, &l);
        put_warps(&out, &l);
        put_thread(&out, &l);
        put_card(&out, &l);
    }
    return status;
}
