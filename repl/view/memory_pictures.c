/* memory_pictures.c: `show mem` and `show banks`: one access of one warp, as a picture.
 *
 * The step runs once more with warp 0 of block 0 traced. The picture shows the first access at the
 * given line. Without a line, `mem` shows the line with the most accesses, and `banks` the access
 * with the most passes. */
#include "view.h"
#include "shell/format.h"
#include "shell/language.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *kind_name(char kind)
{
    return TR(kind == 'r' ? "reads" : kind == 'w' ? "writes" : "changes atomically");
}

/* ---- global memory ---- */

/* The rule of compute 1.0 and 1.1: lane k of a half-warp accesses word k of a segment aligned to 16
 * words, else each lane is a transaction of 32 bytes. */
static bool strict_coalesced(const step_access *a, int half)
{
    uint64_t base = 0;
    bool first = true;
    for (int k = 0; k < 16; k++) {
        int lane = 16 * half + k;
        if (!(a->mask >> lane & 1)) continue;
        uint64_t start = a->address[lane] - (uint64_t)k * a->size;
        if (a->address[lane] < (uint64_t)k * a->size || start % (16 * (uint64_t)a->size) || (!first && start != base))
            return false;
        base = start;
        first = false;
    }
    return a->size == 4 || a->size == 8 || a->size == 16;
}

static view_tally count_strict(const step_access *a)
{
    view_tally t = {0, 0};
    for (int half = 0; half < 2; half++) {
        int lanes = view_lanes(a->mask >> 16 * half & 0xffff);
        if (!lanes) continue;
        if (strict_coalesced(a, half)) {
            int each = a->size == 16 ? 2 : 1; /* 16 bytes per lane: two transactions of 128 */
            t.transactions += each;
            t.bytes += 16 * (uint64_t)a->size;
        } else {
            t.transactions += lanes;
            t.bytes += (uint64_t)lanes * (a->size > 32 ? a->size : 32);
        }
    }
    return t;
}

static view_tally count_sectors(const step_access *a)
{
    view_tally t = {0, 0};
    for (int i = 0; i < 32; i++) {
        if (!(a->mask >> i & 1)) continue;
        for (uint64_t sector = a->address[i] / 32; sector <= (a->address[i] + a->size - 1) / 32; sector++) {
            bool seen = false;
            for (int k = 0; k < i && !seen; k++)
                seen =
                    (a->mask >> k & 1) && sector >= a->address[k] / 32 && sector <= (a->address[k] + a->size - 1) / 32;
            t.transactions += !seen;
        }
    }
    t.bytes = 32 * (uint64_t)t.transactions;
    return t;
}

view_tally view_transactions(const step_access *a, const view_card *c)
{
    return c->strict ? count_strict(a) : count_sectors(a);
}

static int compare_rows(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void view_draw_memory(doc *d, const view_card *c, const char *name, const step_access *a, int most)
{
    const uint64_t row_bytes = d->app->width < 64 ? 32 : 64; /* bytes per line of the picture: 16 words, or 8 */
    uint64_t rows[64];
    int count = 0;
    for (int i = 0; i < 32; i++)
        for (uint64_t row = a->address[i] / row_bytes;
             (a->mask >> i & 1) && row <= (a->address[i] + a->size - 1) / row_bytes && count < 64; row++) {
            bool seen = false;
            for (int k = 0; k < count && !seen; k++) seen = rows[k] == row;
            if (!seen) rows[count++] = row;
        }
    qsort(rows, (size_t)count, sizeof *rows, compare_rows);
    doc_say(d, 2, "each row is %d bytes of %s; a number is the lane that wants that word", (int)row_bytes, name);
    doc_gap(d);
    /* of many scattered rows, the first and the last few show the pattern */
    const int at_end = most > 9 ? 3 : 1, at_start = most > 9 ? 6 : most - at_end;
    const bool long_list = count > most && rows[count - 1] - rows[0] >= 2 * (uint64_t)count;
    for (int k = 0; k < count; k++) {
        if (long_list && k == at_start) {
            doc_dim(d, "... %d rows more ...", count - at_start - at_end);
            k = count - at_end;
        } else if (k && rows[k] != rows[k - 1] + 1) {
            doc_dim(d, "...");
        }
        doc_part(d, STYLE_PLAIN, "  +%-6llu |", (unsigned long long)(rows[k] * row_bytes));
        for (int word = 0; word < (int)row_bytes / 4; word++) {
            uint64_t at = rows[k] * row_bytes + 4 * (uint64_t)word;
            int lanes = 0, lane = -1;
            for (int i = 0; i < 32; i++)
                if ((a->mask >> i & 1) && a->address[i] < at + 4 && a->address[i] + a->size > at) {
                    lane = lane < 0 ? i : lane;
                    lanes++;
                }
            if (!lanes) doc_part(d, STYLE_PLAIN, "  .");
            else if (lanes == 1) doc_part(d, STYLE_PLAIN, " %2d", lane);
            else doc_part(d, STYLE_PLAIN, " %2d+", lane);
            if (word % 8 == 7) doc_part(d, STYLE_PLAIN, " |");
        }
        doc_gap(d);
    }
    const view_tally t = view_transactions(a, c);
    char asked[40], moved[40];
    const int lanes = view_lanes(a->mask);
    doc_gap(d);
    doc_say(d, 2, "%d lane%s for %s; %d transaction%s %s.", lanes, lanes == 1 ? " asks" : "s ask",
            format_bytes(asked, sizeof asked, (uint64_t)lanes * a->size), t.transactions,
            t.transactions == 1 ? " carries" : "s carry", format_bytes(moved, sizeof moved, t.bytes));
    doc_say(d, 2,
            c->strict ? "The card's rule: of each 16 lanes, lane k must take word k of an aligned piece of 64 "
                        "bytes; then it is one transaction. Otherwise each lane is one of 32 bytes."
                      : "The card's rule: every sector of 32 bytes that a lane touches is fetched once.");
}

/* ---- shared memory ---- */

/* How many different words of each bank the lanes [from, from + lanes) access. Returns the
 * maximum. */
static int bank_words(const step_access *a, int banks, int from, int lanes, int words[32])
{
    uint64_t seen[64 * 4];
    int seen_count = 0, worst = 0;
    memset(words, 0, 32 * sizeof *words);
    for (int i = from; i < from + lanes; i++) {
        if (!(a->mask >> i & 1)) continue;
        for (uint64_t w = a->address[i] / 4; w <= (a->address[i] + a->size - 1) / 4 && seen_count < 256; w++) {
            bool old = false;
            for (int k = 0; k < seen_count && !old; k++) old = seen[k] == w;
            if (old) continue;
            seen[seen_count++] = w;
            int n = ++words[w % (unsigned)banks];
            worst = n > worst ? n : worst;
        }
    }
    return worst;
}

int view_passes(const step_access *a, int banks, int *half)
{
    int words[32], total = 0, worst = 0;
    *half = 0;
    if (banks != 16) return bank_words(a, 32, 0, 32, words);
    for (int h = 0; h < 2; h++) {
        int n = bank_words(a, 16, 16 * h, 16, words);
        total += n;
        if (n > worst) {
            worst = n;
            *half = h;
        }
    }
    return total;
}

void view_draw_banks(doc *d, const view_card *c, const step_access *a)
{
    int banks = c->banks == 16 ? 16 : 32, half, words[32];
    int passes = view_passes(a, banks, &half), from = banks == 16 ? 16 * half : 0, lanes = banks == 16 ? 16 : 32;
    int worst = bank_words(a, banks, from, lanes, words);
    doc_entry(d, 8, TR("  bank"), "words wanted, and the lanes that want them%s",
              banks != 16 ? ""
              : half      ? TR(" (lanes 16 to 31)")
                          : TR(" (lanes 0 to 15)"));
    for (int b = 0; b < banks; b++) {
        doc_part(d, STYLE_PLAIN, "  %4d%s", b, words[b] ? "  " : "");
        for (int i = 0; i < words[b]; i++) doc_part(d, STYLE_PLAIN, "%s", d->app->utf8 ? "\xe2\x96\x88" : "#");
        if (words[b]) doc_part(d, STYLE_PLAIN, "%*s", worst - words[b] + 1, "");
        for (int i = from; i < from + lanes; i++)
            if ((a->mask >> i & 1) && a->address[i] / 4 % (unsigned)banks == (unsigned)b)
                doc_part(d, STYLE_PLAIN, " %d", i);
        doc_gap(d);
    }
    int active = view_lanes(a->mask >> from & (lanes == 32 ? UINT32_MAX : 0xffffu));
    doc_gap(d);
    doc_say(d, 2, "%d of these %d lanes are active. The busiest bank has %d word%s to give: %d pass%s%s.", active,
            lanes, worst, worst == 1 ? "" : "s", passes, passes == 1 ? "" : "es",
            banks == 16 ? TR(" for both halves of the warp") : "");
}

/* ---- choosing the access ---- */

static int at_line(const step_result *r, char space, int line)
{
    for (int i = 0; i < r->accesses; i++)
        if (r->access[i].space == space && (line == 0 || r->access[i].line == line)) return i;
    return -1;
}

static int most_frequent(const step_result *r)
{
    int best = -1, most = 0;
    for (int i = 0; i < r->accesses; i++) {
        const step_access *a = &r->access[i];
        int n = 0;
        if (a->space != 'g') continue;
        for (int k = 0; k < r->accesses; k++)
            n += r->access[k].space == 'g' && r->access[k].line == a->line && r->access[k].kind == a->kind;
        n = 2 * n + (a->kind == 'r'); /* ties go to a read */
        if (n > most) {
            most = n;
            best = i;
        }
    }
    return best;
}

static int most_passes(const step_result *r)
{
    int best = -1, most = 0, half;
    for (int i = 0; i < r->accesses; i++) {
        int n = r->access[i].space == 's' ? 2 * view_passes(&r->access[i], r->banks, &half) : 0;
        n += n && r->access[i].kind == 'r'; /* ties go to a read */
        if (n > most) {
            most = n;
            best = i;
        }
    }
    return best;
}

static void put_data(doc *d, const lesson_step *s, const step_result *r, const step_access *a)
{
    bool shared = a->space == 's';
    int half, banks = r->banks == 16 ? 16 : 32;
    json *j = doc_begin(d, shared ? "banks" : "mem",
                        "lesson %d, step %s, device %s, file %s, line %d, access %s, bytes_a_lane %u",
                        d->app->lesson->l->number, s->name, r->device, s->kernel_file, a->line,
                        a->kind == 'r'   ? "read"
                        : a->kind == 'w' ? "write"
                                         : "atomic",
                        a->size);
    if (shared) {
        json_keys(j, "banks %d, passes %d", banks, view_passes(a, banks, &half));
    } else {
        const view_tally t = view_transactions(a, &(view_card){metric_strict(r), r->banks});
        json_text(j, "buffer", a->buffer >= 0 && a->buffer < s->buffer_count ? s->buffer[a->buffer].name : NULL);
        json_keys(j, "transactions %d, moved_bytes %" PRIu64, t.transactions, t.bytes);
    }
    json_array(j, "lanes");
    for (int i = 0; i < 32; i++) {
        if (!(a->mask >> i & 1)) continue;
        json_object(j, NULL);
        json_keys(j, "lane %d, offset %" PRIu64, i, a->address[i]);
        if (shared) json_int(j, "bank", (int)(a->address[i] / 4 % (unsigned)banks));
        json_close(j);
    }
    json_end(j);
}

static int show_one(doc *out, const lesson_step *s, const step_result *r, int line, char space)
{
    const int i = line ? at_line(r, space, line) : space == 'g' ? most_frequent(r) : most_passes(r);
    if (i < 0)
        return app_fail(out->app, EXIT_USAGE, "show lines", "warp 0 of block 0 does not use %s memory%s",
                        TR(space == 'g' ? "global" : "shared"), TR(line ? " in that line" : " in this step"));
    const step_access *a = &r->access[i];
    put_data(out, s, r, a);
    view_step_head(out, s, r->device);
    doc_say(out, 2, "%s:%d %s %u bytes per lane; warp 0 of block 0", s->kernel_file, a->line, kind_name(a->kind),
            a->size);
    const view_card card = {metric_strict(r), r->banks};
    const char *name = a->buffer >= 0 && a->buffer < s->buffer_count ? s->buffer[a->buffer].name : TR("memory");
    if (space == 'g') view_draw_memory(out, &card, name, a, 20);
    else view_draw_banks(out, &card, a);
    return EXIT_DONE;
}

static int show(struct app *app, const lesson_step *s, step_chosen *chosen, int line, char space)
{
    struct device d[DEVICES_MAX];
    doc out = doc_open(app);
    int devices, status = session_devices(app, s, chosen, d, &devices);
    for (int k = 0; !status && k < devices; k++) {
        step_result r;
        status = session_trace(app, s, &d[k], chosen, &r);
        if (!status) status = show_one(&out, s, &r, line, space);
        step_result_free(&r);
    }
    return status;
}

int view_show_mem(struct app *app, const lesson_step *s, step_chosen *chosen, int line)
{
    return show(app, s, chosen, line, 'g');
}

int view_show_banks(struct app *app, const lesson_step *s, step_chosen *chosen, int line)
{
    return show(app, s, chosen, line, 's');
}
