/* page_frames.c: frames for a page, packed so that thousands are small: what repeats is in tables,
 * and what changes little is written as its change.
 *
 *     texts    sentences and the like
 *     vectors  what 32 lanes hold: "u2a" the same, "l0,4" in equal steps, "m" bits, "w" and "d" base64
 *     insns    [line, ptx, reads, writes], the last two a list of [name, register, type, bytes]
 *     frames   [step, clock since the frame before, warp, insn, lanes, text, kinds,
 *               vectors read, vectors written, access, shared memory, waits]
 *
 * The last two are changes since the frame before: [word, count, warp, ...] and [warp, text, ...].
 * player.js unpacks them. */
#include "page.h"
#include "shell/format.h"
#include "shell/json.h"
#include "shell/progress.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables ---- */

static bool grow(page_table *t)
{
    const uint32_t slots = t->slots ? 2 * t->slots : 256;
    uint32_t *slot = calloc(slots, sizeof *slot);
    char **text = realloc(t->text, slots / 2 * sizeof *text);
    if (text) t->text = text;
    if (!slot || !text) {
        free(slot);
        return false;
    }
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t at = (uint32_t)state_hash(STATE_HASH_START, text[i], strlen(text[i])) % slots;
        while (slot[at]) at = (at + 1) % slots;
        slot[at] = i + 1;
    }
    free(t->slot);
    t->slot = slot;
    t->slots = slots;
    return true;
}

/* As long as it may become when it is written: "<" and what JSON escapes take six bytes. */
static size_t cost(const char *text, size_t n)
{
    size_t sum = n;
    for (size_t i = 0; i < n; i++) sum += (unsigned char)text[i] < 0x20 || strchr("<\"\\\x7f", text[i]) ? 5 : 0;
    return sum;
}

uint32_t page_table_add(page_table *t, const char *text)
{
    if (2 * t->count >= t->slots && !grow(t)) {
        t->failed = true;
        return 0;
    }
    const size_t n = strlen(text);
    uint32_t at = (uint32_t)state_hash(STATE_HASH_START, text, n) % t->slots;
    for (; t->slot[at]; at = (at + 1) % t->slots)
        if (!strcmp(t->text[t->slot[at] - 1], text)) return t->slot[at] - 1;
    if (!(t->text[t->count] = strdup(text))) {
        t->failed = true;
        return 0;
    }
    t->bytes += cost(text, n) + 3;
    t->slot[at] = ++t->count;
    return t->count - 1;
}

void page_table_put(const page_table *t, json *j, const char *key)
{
    json_array(j, key);
    for (uint32_t i = 0; i < t->count; i++) json_text(j, NULL, t->text[i]);
    json_close(j);
}

void page_table_free(page_table *t)
{
    for (uint32_t i = 0; i < t->count; i++) free(t->text[i]);
    free(t->text);
    free(t->slot);
}

/* ---- vectors ---- */

enum { VECTOR_TEXT = 400 };
static void pack(const uint64_t lane[32], uint32_t bytes, char out[VECTOR_TEXT])
{
    if (bytes == 4) {
        uint32_t bits = 0;
        for (int l = 0; l < 32; l++) bits |= (uint32_t)(lane[l] & 1) << l;
        snprintf(out, VECTOR_TEXT, "m%" PRIx32, bits);
        return;
    }
    const int width = bytes > 128 ? 8 : 4;
    const uint64_t all = width == 8 ? UINT64_MAX : UINT32_MAX, by = (lane[1] - lane[0]) & all;
    bool steps = true;
    for (int l = 1; l < 32; l++) steps &= ((lane[l] - lane[l - 1]) & all) == by;
    if (steps && !by) {
        snprintf(out, VECTOR_TEXT, "u%" PRIx64, lane[0] & all);
    } else if (steps) {
        snprintf(out, VECTOR_TEXT, "l%" PRIx64 ",%" PRIx64, lane[0] & all, by);
    } else {
        unsigned char raw[256];
        for (int l = 0; l < 32; l++)
            for (int b = 0; b < width; b++) raw[l * width + b] = (unsigned char)(lane[l] >> 8 * b);
        *out = width == 8 ? 'd' : 'w';
        format_base64(raw, (size_t)(32 * width), out + 1);
    }
}

/* ---- frames ---- */

typedef struct packer {
    frames *f;
    json *j;
    page_table texts, vectors;
    json insns; /* a list, in memory */
    uint32_t insn_count;
    uint32_t *insn;    /* by pc: its number plus one */
    uint32_t *touched; /* shared memory as the frame before left it */
    uint32_t *state;   /* by warp: its text, plus one */
    uint64_t clock;
    frame *r;
} packer;

static void put_operands(json *j, const frame_value *list, int count)
{
    json_array(j, NULL);
    for (int i = 0; i < count; i++) {
        json_array(j, NULL);
        json_text(j, NULL, list[i].name);
        json_text(j, NULL, list[i].operand->name);
        json_text(j, NULL, list[i].operand->type);
        json_uint(j, NULL, list[i].operand->bytes);
        json_close(j);
    }
    json_close(j);
}

/* The instruction's number. What a frame says of its operands is the same each time. */
static uint32_t insn_of(packer *p)
{
    uint32_t *known = &p->insn[p->r->row->pc];
    if (*known) return *known - 1;
    json *j = &p->insns;
    json_array(j, NULL);
    json_int(j, NULL, p->r->insn->line);
    json_text(j, NULL, p->r->ptx);
    put_operands(j, p->r->reads, p->r->read_count);
    put_operands(j, p->r->writes, p->r->write_count);
    json_close(j);
    *known = ++p->insn_count;
    return p->insn_count - 1;
}

static void put_vectors(packer *p, const frame_value *list, int count)
{
    char text[VECTOR_TEXT];
    json_array(p->j, NULL);
    for (int i = 0; i < count; i++) {
        pack(list[i].lane, list[i].operand->bytes, text);
        json_uint(p->j, NULL, page_table_add(&p->vectors, text));
    }
    json_close(p->j);
}

/* [space, kind, bytes per lane, lanes, addresses, transactions or passes, bytes moved, name, places] */
static void put_access(packer *p)
{
    step_access a;
    char name[64], text[VECTOR_TEXT], places[200];
    int half;
    if (!frame_access(p->f, p->r->moment, &a, name, sizeof name)) {
        json_int(p->j, NULL, 0);
        return;
    }
    json *j = p->j;
    json_array(j, NULL);
    json_text(j, NULL, (char[]){a.space, 0});
    json_text(j, NULL, (char[]){a.kind, 0});
    json_uint(j, NULL, a.size);
    json_uint(j, NULL, a.mask);
    pack(a.address, 256, text);
    json_uint(j, NULL, page_table_add(&p->vectors, text));
    if (a.space == 's') {
        json_int(j, NULL, view_passes(&a, p->f->card.banks, &half));
        json_int(j, NULL, 0);
    } else {
        const view_tally t = view_transactions(&a, &p->f->card);
        json_int(j, NULL, t.transactions);
        json_uint(j, NULL, t.bytes);
    }
    json_uint(j, NULL, page_table_add(&p->texts, name));
    json_uint(j, NULL, page_table_add(&p->texts, frame_places(p->f, p->r->moment, places, sizeof places)));
    json_close(j);
}

/* Words whose last access is another than before: runs of one warp. */
static bool put_shared(packer *p)
{
    const reel_state *s = reel_after(p->f->reel, p->r->i);
    const uint32_t words = p->f->reel->shared_bytes / 4;
    json_array(p->j, NULL);
    for (uint32_t from = 0, to; s && from < words; from = to) {
        const uint32_t act = s->touched[from], warp = act ? frame_toucher(p->f, act) : 0;
        to = from + 1;
        if (act == p->touched[from]) continue;
        while (to < words && s->touched[to] != p->touched[to] && !s->touched[to] == !act &&
               (!act || frame_toucher(p->f, s->touched[to]) == warp))
            to++;
        json_uint(p->j, NULL, from);
        json_uint(p->j, NULL, to - from);
        json_int(p->j, NULL, act ? (int64_t)warp : -1);
    }
    if (s && words) memcpy(p->touched, s->touched, words * sizeof *p->touched);
    json_close(p->j);
    return s;
}

static void put_waits(packer *p)
{
    static const char letter[] = "-#mb:.";
    json_array(p->j, NULL);
    for (uint32_t w = 0; w < p->f->reel->warps; w++) {
        char what[101];
        what[0] = letter[frame_state_of(p->f, p->r->i, w, what + 1, sizeof what - 1)];
        const uint32_t n = page_table_add(&p->texts, what) + 1;
        if (n == p->state[w]) continue;
        p->state[w] = n;
        json_uint(p->j, NULL, w);
        json_uint(p->j, NULL, n - 1);
    }
    json_close(p->j);
}

_Static_assert(FRAME_BARRIER == 2 && FRAME_MEMORY == 6 && FRAME_FAULT == 10, "kind_bit in player_step.js");

static unsigned kinds_of(frames *f, uint32_t i)
{
    unsigned kinds = 0;
    for (int k = FRAME_BARRIER; k < FRAME_KINDS; k++)
        if (frame_is(f, i, (enum frame_kind)k)) kinds |= 1u << k;
    return kinds;
}

static bool put_frame(packer *p, uint32_t i)
{
    const unsigned kinds = kinds_of(p->f, i); /* before frame_at: it uses the same moment */
    char sentence[600];
    json *j = p->j;
    if (!frame_at(p->f, i, p->r)) return false;
    json_array(j, NULL);
    json_uint(j, NULL, i);
    json_int(j, NULL, (int64_t)(p->r->row->clock - p->clock));
    p->clock = p->r->row->clock;
    json_uint(j, NULL, p->r->row->warp);
    json_uint(j, NULL, insn_of(p));
    json_uint(j, NULL, p->r->row->lanes);
    frame_sentence(p->f, p->r, sentence, sizeof sentence);
    json_uint(j, NULL, page_table_add(&p->texts, sentence));
    json_uint(j, NULL, kinds);
    put_vectors(p, p->r->reads, p->r->read_count);
    put_vectors(p, p->r->writes, p->r->write_count);
    put_access(p);
    const bool whole = put_shared(p);
    put_waits(p);
    json_close(j);
    return whole;
}

static void put_areas(const packer *p, const char *key, const reel_area *list, uint32_t count)
{
    json_array(p->j, key);
    for (uint32_t i = 0; i < count; i++) {
        char from[24], to[24];
        snprintf(from, sizeof from, "%" PRIu64, list[i].from); /* more than a number of JavaScript holds */
        snprintf(to, sizeof to, "%" PRIu64, list[i].to);
        json_object(p->j, NULL);
        json_keys(p->j, "name %s, type %s, from %s, to %s", list[i].name, list[i].type, from, to);
        json_close(p->j);
    }
    json_close(p->j);
}

enum { AROUND = 40, LINE_MOST = 300, SOURCE_MOST = 200000 };

/* The source, as far as the frames come near it. */
static void put_source(packer *p)
{
    const text_lines *s = &p->f->source;
    unsigned char *near = calloc((size_t)s->count + 1, 1);
    size_t bytes = 0;
    for (uint32_t pc = 0; near && pc < p->f->reel->insns; pc++) {
        const int line = p->f->reel->insn[pc].line;
        for (int k = line - AROUND; p->insn[pc] && line > 0 && k <= line + AROUND && k <= s->count; k++)
            if (k > 0) near[k] = 1;
    }
    json_array(p->j, "source");
    for (int k = 1; near && k <= s->count && bytes < SOURCE_MOST; k++) {
        const char *line = s->line[k - 1];
        size_t n = strlen(line);
        if (n > LINE_MOST) n = utf8_fit(line, LINE_MOST);
        bytes += near[k] ? cost(line, n) : 0;
        if (near[k]) json_bytes(p->j, NULL, line, n);
        else json_null(p->j, NULL);
    }
    json_close(p->j);
    free(near);
}

static size_t bytes_of(const packer *p)
{
    return (size_t)ftell(p->j->out) + p->texts.bytes + p->vectors.bytes + (size_t)ftell(p->insns.out);
}

static void put_tables(packer *p, const film_choice *c, uint32_t shown)
{
    const reel *l = p->f->reel;
    json *j = p->j;
    /* No count of all steps: it would say how far the run had come. */
    const bool more = l->steps > c->frame[shown - 1] + 1;
    json_keys(j, "more %i, asked %" PRIu32 ", warps %" PRIu32 ", banks %d, strict %i, source_name %s", more, c->frames,
              l->warps, p->f->card.banks == 16 ? 16 : 32, p->f->card.strict, p->f->source_name);
    page_table_put(&p->texts, j, "texts");
    page_table_put(&p->vectors, j, "vectors");
    put_areas(p, "buffers", l->buffer, l->buffers);
    put_areas(p, "shared", l->shared, l->shareds);
    put_source(p);
}

bool page_frames(json *j, const film_choice *c, uint32_t *shown)
{
    frames *f = c->film[0];
    char *insns = NULL;
    size_t insn_bytes = 0;
    packer p = {.f = f, .j = j, .insns.out = open_memstream(&insns, &insn_bytes), .r = malloc(sizeof *p.r)};
    p.insn = calloc(f->reel->insns + 1, sizeof *p.insn);
    p.touched = calloc(f->reel->shared_bytes / 4 + 1, sizeof *p.touched);
    p.state = calloc(f->reel->warps + 1, sizeof *p.state);
    bool ok = p.insns.out && p.r && p.insn && p.touched && p.state;
    *shown = 0;
    json_array(j, "frames");
    if (ok) json_array(&p.insns, NULL);
    for (uint32_t i = 0; ok && i < c->frames && (!i || bytes_of(&p) < c->most); i++) {
        ok = put_frame(&p, c->frame[i]);
        *shown += ok;
    }
    json_close(j);
    if (p.insns.out) {
        json_close(&p.insns);
        ok = !ferror(p.insns.out) && !fclose(p.insns.out) && ok;
    }
    if (ok) {
        put_tables(&p, c, *shown);
        fprintf(j->out, ",\"insns\":%s", insns);
    }
    ok = ok && !p.texts.failed && !p.vectors.failed;
    page_table_free(&p.texts);
    page_table_free(&p.vectors);
    free(insns);
    free(p.insn);
    free(p.touched);
    free(p.state);
    free(p.r);
    return ok;
}
