/* reel.c: reads a film: its header once, then moments as they arrive.
 *
 * Rows hold when and where; what a moment wrote stays in the file. The block's registers and shared
 * memory at some step are made from those of a step before, which are kept every so often: so going
 * back is as exact as going on. Everything in the file may be wrong: it was written beside a kernel.
 */
#include "film.h"
#include "list.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    HEADER_MOST = 64 << 20,
    ROWS_MOST = 1 << 26,
    KEEP_EVERY = 1024,         /* acts between two kept states, at first */
    REGISTERS_MOST = 64 << 20, /* of the block's warps together */
    SHARED_MOST = 1 << 20
};
#define KEPT_MOST ((size_t)64 << 20)
#define FILE_MOST ((size_t)1 << 31)

struct reel_own {
    int fd;
    const unsigned char *map; /* FILE_MOST bytes of address space; the file has `size` of them */
    size_t size, at;          /* at: read up to there */
    uint64_t clock;
    reel_state now;   /* after now.acts acts */
    char **kept;      /* states after 0, every, 2 * every ... acts; NULL: not kept yet */
    size_t kept_room, places;
    uint32_t every;
    size_t state_bytes;
    uint64_t *place_block; /* by place: which block's warps are there */
    film_moment moment;
};

static bool fail(reel *r, const char *why)
{
    if (!r->problem[0]) snprintf(r->problem, sizeof r->problem, "%s", why);
    return false;
}

reel *reel_open(int file)
{
    reel *r = calloc(1, sizeof *r);
    struct reel_own *o = calloc(1, sizeof *o);
    if (!r || !o) {
        free(r);
        free(o);
        close(file);
        return NULL;
    }
    r->own = o;
    o->fd = file;
    o->every = KEEP_EVERY;
    void *map = mmap(NULL, FILE_MOST, PROT_READ, MAP_SHARED, file, 0);
    if (map == MAP_FAILED) fail(r, strerror(errno));
    else o->map = map;
    return r;
}

void reel_close(reel *r)
{
    if (!r) return;
    struct reel_own *o = r->own;
    for (uint32_t i = 0; i < o->kept_room; i++) free(o->kept[i]);
    for (uint32_t i = 0; i < r->files; i++) free(r->file[i]);
    if (o->map) munmap((void *)(uintptr_t)o->map, FILE_MOST);
    close(o->fd);
    free(o->kept);
    free(o->now.registers);
    free(o->now.shared);
    free(o->now.touched);
    free(o->place_block);
    free(o);
    free(r->buffer);
    free(r->shared);
    free(r->param);
    free(r->file);
    free(r->insn);
    free(r->operand);
    free(r->row);
    free(r->step);
    free(r->act);
    free(r->step_act);
    for (uint32_t w = 0; r->warp && w < r->warps; w++) free(r->warp[w].step);
    free(r->warp);
    free(r);
}

/* One more at the end of a list, zeroed. NULL: none. */
static void *next(reel *r, void *list, uint32_t *count, size_t each)
{
    char *first;
    if (*count >= ROWS_MOST || !list_grow(list, *count, each)) {
        fail(r, NO_MEMORY);
        return NULL;
    }
    memcpy(&first, list, sizeof first);
    return memset(first + (*count)++ * each, 0, each);
}

/* ---- the header ---- */

enum { FIELDS = 8 };

static uint64_t whole(const char *text, uint64_t most, bool *good)
{
    char *end;
    errno = 0;
    const uint64_t v = strtoull(text, &end, 10);
    *good &= *text >= '0' && *text <= '9' && !*end && !errno && v <= most;
    return *good ? v : 0;
}

static bool take_triple(uint32_t to[3], char *const *field, int fields)
{
    bool good = fields == 4;
    for (int i = 0; i < 3 && good; i++) to[i] = (uint32_t)whole(field[i + 1], UINT32_MAX, &good);
    return good;
}

#define TEXT(to, field) snprintf(to, sizeof(to), "%.*s", (int)sizeof(to) - 1, strcmp(field, "-") ? (field) : "")

static bool take_area(reel *r, char *const *field, int fields, bool shared)
{
    bool good = fields == 5;
    if (!good) return false;
    reel_area a = {0};
    a.from = whole(field[1], UINT64_MAX / 2, &good);
    a.to = whole(field[2], UINT64_MAX / 2, &good);
    TEXT(a.type, field[3]);
    TEXT(a.name, field[4]);
    reel_area *made = shared ? next(r, &r->shared, &r->shareds, sizeof a) : next(r, &r->buffer, &r->buffers, sizeof a);
    if (!made) return false;
    if (!shared) {
        a.to += a.from;
    } else {
        good &= a.to <= SHARED_MOST && a.from <= a.to;
        if (good && a.to > r->shared_bytes) r->shared_bytes = (uint32_t)a.to;
    }
    *made = a;
    return good;
}

static bool take_param(reel *r, char *const *field, int fields)
{
    bool good = fields == 5;
    if (!good) return false;
    reel_param *made = next(r, &r->param, &r->params, sizeof *made);
    if (!made) return false;
    made->offset = (uint32_t)whole(field[1], UINT32_MAX, &good);
    made->size = (uint32_t)whole(field[2], UINT32_MAX, &good);
    TEXT(made->name, field[3]);
    made->value = whole(field[4], UINT64_MAX, &good);
    return good;
}

static bool take_file(reel *r, char *const *field, int fields)
{
    if (fields != 2) return false;
    char **made = next(r, &r->file, &r->files, sizeof *made);
    if (!made) return false;
    *made = strdup(field[1]);
    return *made || fail(r, NO_MEMORY);
}

static bool take_insn(reel *r, char *const *field, int fields)
{
    bool good = fields == 8;
    if (!good || whole(field[1], UINT32_MAX, &good) != r->insns || !good) return false;
    reel_insn *made = next(r, &r->insn, &r->insns, sizeof *made);
    if (!made) return false;
    made->line = (int)whole(field[2], INT32_MAX, &good);
    made->ptx_line = (int)whole(field[3], INT32_MAX, &good);
    made->file = (int)whole(field[4], r->files ? r->files - 1 : 0, &good);
    made->cls = (enum sim_class)whole(field[5], SIM_CLASSES - 1, &good);
    made->real = whole(field[6], 1, &good);
    TEXT(made->form, field[7]);
    made->operand = r->operands;
    return good && r->files;
}

static bool take_operand(reel *r, char *const *field, int fields)
{
    bool good = fields == 6 && r->insns;
    if (!good) return false;
    reel_operand *made = next(r, &r->operand, &r->operands, sizeof *made);
    if (!made) return false;
    made->at = (uint32_t)whole(field[1], UINT32_MAX, &good);
    made->bytes = (uint32_t)whole(field[2], 512, &good);
    const uint64_t rw = whole(field[3], 3, &good);
    made->read = rw & 1;
    made->written = rw & 2;
    TEXT(made->type, field[4]);
    TEXT(made->name, field[5]);
    r->insn[r->insns - 1].operands++;
    const uint32_t b = made->bytes;
    return good && (b == 4 || b == 128 || b == 256 || b == 512);
}

static bool take_line(reel *r, char *line)
{
    char *field[FIELDS];
    int fields = 0;
    bool good = true;
    for (char *at = line; at && fields < FIELDS; fields++) {
        field[fields] = at;
        at = strchr(at, '\t');
        if (at) *at++ = 0;
    }
    const struct {
        const char *key;
        int *to;
    } counts[] = {{"multiprocessors", &r->multiprocessors},
                  {"schedulers", &r->schedulers},
                  {"clock", &r->clock_khz},
                  {"resident", &r->resident}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (!strcmp(field[0], counts[i].key)) {
            *counts[i].to = fields == 2 ? (int)whole(field[1], INT32_MAX, &good) : 0;
            return good;
        }
    if (!strcmp(field[0], "warpstep film 1")) return true;
    if (!strcmp(field[0], "kernel")) return fields == 2 && (TEXT(r->kernel, field[1]), true);
    if (!strcmp(field[0], "grid")) return take_triple(r->grid, field, fields);
    if (!strcmp(field[0], "block")) return take_triple(r->block, field, fields);
    if (!strcmp(field[0], "at")) return take_triple(r->at, field, fields);
    if (!strcmp(field[0], "number")) return fields == 2 && (r->number = whole(field[1], UINT64_MAX, &good), good);
    if (!strcmp(field[0], "registers"))
        return fields == 2 && (r->register_bytes = (uint32_t)whole(field[1], REGISTERS_MOST, &good), good);
    if (!strcmp(field[0], "buffer")) return take_area(r, field, fields, false);
    if (!strcmp(field[0], "shared")) return take_area(r, field, fields, true);
    if (!strcmp(field[0], "parameter")) return take_param(r, field, fields);
    if (!strcmp(field[0], "file")) return take_file(r, field, fields);
    if (!strcmp(field[0], "insn")) return take_insn(r, field, fields);
    if (!strcmp(field[0], "operand")) return take_operand(r, field, fields);
    return false;
}

/* Checks what the states will need. */
static bool header_over(reel *r)
{
    struct reel_own *o = r->own;
    const uint64_t threads = (uint64_t)r->block[0] * r->block[1] * r->block[2];
    if (!threads || threads > 1024 || !r->grid[0] || !r->insns) return fail(r, "the film's header is not whole");
    r->warps = (uint32_t)((threads + 31) / 32);
    if ((uint64_t)r->warps * r->register_bytes > REGISTERS_MOST)
        return fail(r, "the block has more registers than a film can show");
    r->shared_bytes = (r->shared_bytes + 7) & ~7u;
    const size_t registers = (size_t)r->warps * r->register_bytes, words = r->shared_bytes / 4;
    o->state_bytes = registers + r->shared_bytes + words * sizeof *o->now.touched;
    o->now.registers = calloc(1, registers + 1);
    o->now.shared = calloc(1, (size_t)r->shared_bytes + 1);
    o->now.touched = calloc(words + 1, sizeof *o->now.touched);
    r->warp = calloc(r->warps, sizeof *r->warp);
    if (!o->now.registers || !o->now.shared || !o->now.touched || !r->warp)
        return fail(r, NO_MEMORY);
    return r->begun = true;
}

/* The header, when all of it is there. */
static bool read_header(reel *r)
{
    struct reel_own *o = r->own;
    while (!r->begun && !r->problem[0]) {
        const unsigned char *from = o->map + o->at, *end = memchr(from, '\n', o->size - o->at);
        if (!end && o->size > HEADER_MOST) return fail(r, "the film has no header");
        if (!end) return false;
        char line[1300];
        const size_t n = (size_t)(end - from) < sizeof line - 1 ? (size_t)(end - from) : sizeof line - 1;
        memcpy(line, from, n);
        line[n] = 0;
        o->at += (size_t)(end - from) + 1;
        if (!n) header_over(r);
        else if (!take_line(r, line)) fail(r, "the film's header cannot be read");
    }
    return r->begun;
}

/* ---- moments ---- */

static bool add_step(reel *r, uint32_t row)
{
    uint32_t *made = next(r, &r->step, &r->steps, sizeof *made);
    if (!made) return false;
    *made = row;
    return true;
}

static bool add_place(reel *r)
{
    uint32_t count = r->steps - 1;
    uint32_t *made = next(r, &r->step_act, &count, sizeof *made);
    if (!made) return false;
    *made = r->acts - 1;
    return true;
}

static bool add_to_warp(reel *r, struct reel_warp *w)
{
    uint32_t *made = next(r, &w->step, &w->steps, sizeof *made);
    if (!made) return false;
    *made = r->steps - 1;
    return true;
}

static bool add_act(reel *r, uint32_t row, bool is_step)
{
    uint32_t *made = next(r, &r->act, &r->acts, sizeof *made);
    if (!made) return false;
    *made = row;
    return !is_step || (add_step(r, row) && add_place(r) && add_to_warp(r, &r->warp[r->row[row].warp]));
}

static bool add_row(reel *r, const sim_moment *m, uint64_t from, uint32_t bytes, uint64_t before)
{
    struct reel_own *o = r->own;
    const bool instruction = m->kind == SIM_MOMENT_ISSUED || m->kind == SIM_MOMENT_FAULT;
    if (instruction && (m->pc >= r->insns || m->frame > r->register_bytes))
        return fail(r, "the film names an instruction that is not there");
    if (m->place >= o->places) {
        const size_t had = o->places;
        if (!list_room(&o->place_block, &o->places, m->place + (size_t)64, sizeof *o->place_block))
            return fail(r, NO_MEMORY);
        memset(o->place_block + had, 0xff, (o->places - had) * sizeof *o->place_block);
    }
    if (m->kind == SIM_MOMENT_BEGIN)
        for (uint32_t i = m->place; i < m->place + r->warps && i < o->places; i++) o->place_block[i] = m->block;
    const uint64_t block =
        m->kind == SIM_MOMENT_BEGIN || m->kind == SIM_MOMENT_END ? m->block : o->place_block[m->place];
    reel_row *made = next(r, &r->row, &r->rows, sizeof *made);
    if (!made) return false;
    *made = (reel_row){.from = from,
                       .bytes = bytes,
                       .before = before,
                       .clock = m->clock,
                       .block = block,
                       .place = m->place,
                       .warp = m->warp,
                       .pc = m->pc,
                       .lanes = m->lanes,
                       .waited = m->waited,
                       .queued = m->queued,
                       .frame = m->frame,
                       .slot = (uint16_t)m->slot,
                       .held = (uint16_t)m->held,
                       .kind = (uint8_t)m->kind,
                       .cause = (uint8_t)m->cause,
                       .found = m->found.there};
    if (m->kind == SIM_MOMENT_BEGIN && block == r->number) r->multiprocessor = m->multiprocessor;
    r->ended |= m->kind == SIM_MOMENT_END && block == r->number;
    if (!instruction || block != r->number) return true;
    if (m->warp >= r->warps) return fail(r, "the film names a warp that is not there");
    return add_act(r, r->rows - 1, r->insn[m->pc].real || m->kind == SIM_MOMENT_FAULT);
}

bool reel_read(reel *r)
{
    struct reel_own *o = r->own;
    struct stat s;
    if (r->problem[0] || fstat(o->fd, &s)) return false;
    const size_t size = (uint64_t)s.st_size < FILE_MOST ? (size_t)s.st_size : FILE_MOST;
    if (size <= o->size) return false;
    o->size = size;
    if (!read_header(r)) return false;
    const uint32_t rows = r->rows;
    while (!r->problem[0]) {
        size_t at = o->at;
        uint32_t bytes = 0;
        bool whole_count = false;
        for (int shift = 0; shift < 28 && at < o->size && !whole_count; shift += 7) {
            const unsigned b = o->map[at++];
            bytes |= (uint32_t)(b & 127) << shift;
            whole_count = b < 128;
        }
        if (!whole_count && at < o->size) fail(r, "the film is damaged");
        if (!whole_count || bytes > o->size - at) break;
        const uint64_t before = o->clock;
        if (bytes > FILM_MOMENT_MOST || !film_unpack(o->map + at, bytes, &o->clock, &o->moment, false))
            fail(r, "the film is damaged");
        else if (add_row(r, &o->moment.m, at, bytes, before)) o->at = at + bytes;
    }
    return r->rows > rows;
}

/* ---- states ---- */

static bool moment_of(const reel *r, uint32_t row, film_moment *out)
{
    const reel_row *at = &r->row[row];
    uint64_t clock = at->before;
    return film_unpack(r->own->map + at->from, at->bytes, &clock, out, true);
}

bool reel_moment(reel *r, uint32_t step, film_moment *out)
{
    return step < r->steps && moment_of(r, r->step[step], out);
}

static void touch(const reel *r, reel_state *s, const sim_film_access *a, uint32_t act)
{
    if (a->space != 's') return;
    for (int l = 0; l < 32; l++) {
        if (!(a->lanes >> l & 1) || a->address[l] >= r->shared_bytes) continue;
        for (uint64_t at = a->address[l] / 4; at <= (a->address[l] + a->size - 1) / 4 && at < r->shared_bytes / 4; at++)
            s->touched[at] = act + 1;
    }
}

/* The state after one more act. */
static bool go_on(reel *r, reel_state *s)
{
    film_moment *m = &r->own->moment;
    if (!moment_of(r, r->act[s->acts], m)) return fail(r, "the film is damaged");
    const uint32_t warp = m->m.warp;
    char *registers = s->registers + (size_t)warp * r->register_bytes;
    if (warp >= r->warps) return fail(r, "the film is damaged");
    for (int i = 0; i < m->m.values; i++) {
        const sim_film_bytes *v = &m->value[i];
        if (v->at > r->register_bytes || v->bytes > r->register_bytes - v->at) return fail(r, "the film is damaged");
        memcpy(registers + v->at, v->data, v->bytes);
    }
    for (int i = 0; i < m->m.shared; i++) {
        const sim_film_bytes *c = &m->changed[i];
        if (c->at > r->shared_bytes || c->bytes > r->shared_bytes - c->at) return fail(r, "the film is damaged");
        memcpy(s->shared + c->at, c->data, c->bytes);
        for (uint32_t w = c->at / 4; w < (c->at + c->bytes + 3) / 4; w++) s->touched[w] = s->acts + 1;
    }
    for (int i = 0; i < m->m.accesses; i++) touch(r, s, &m->access[i], s->acts);
    s->acts++;
    return true;
}

static void copy_state(const reel *r, reel_state *s, char *to, bool back)
{
    const size_t registers = (size_t)r->warps * r->register_bytes, words = r->shared_bytes / 4 * sizeof *s->touched;
    const struct {
        void *part;
        size_t bytes;
    } parts[] = {{s->registers, registers}, {s->shared, r->shared_bytes}, {s->touched, words}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (back) memcpy(parts[i].part, to, parts[i].bytes);
        else memcpy(to, parts[i].part, parts[i].bytes);
        to += parts[i].bytes;
    }
}

/* Keeps fewer states, twice as far apart. */
static void thin_out(struct reel_own *o)
{
    for (uint32_t i = 0; i < o->kept_room; i++) {
        if (i % 2) free(o->kept[i]);
        else o->kept[i / 2] = o->kept[i];
        if (i % 2 || i) o->kept[i] = NULL;
    }
    o->every *= 2;
}

/* Keeps the present state, if it is one of those. Without memory it is made again when needed. */
static void keep(reel *r)
{
    struct reel_own *o = r->own;
    if (o->now.acts % o->every) return;
    const uint32_t n = o->now.acts / o->every;
    if ((size_t)(n + 1) * o->state_bytes > KEPT_MOST && n > 8) {
        thin_out(o);
        return;
    }
    if (n >= o->kept_room) {
        const size_t had = o->kept_room;
        if (!list_room(&o->kept, &o->kept_room, n + (size_t)1, sizeof *o->kept)) return;
        for (size_t i = had; i < o->kept_room; i++) o->kept[i] = NULL;
    }
    if (o->kept[n] || !(o->kept[n] = malloc(o->state_bytes + 1))) return;
    copy_state(r, &o->now, o->kept[n], false);
}

/* After so many acts. */
static const reel_state *state_at(reel *r, uint32_t acts)
{
    struct reel_own *o = r->own;
    uint32_t n = acts / o->every; /* the nearest kept state before */
    while (n && (n >= o->kept_room || !o->kept[n])) n--;
    if (acts < o->now.acts || (uint64_t)n * o->every > o->now.acts) {
        char *from = n < o->kept_room ? o->kept[n] : NULL;
        if (from) {
            copy_state(r, &o->now, from, true);
        } else {
            memset(o->now.registers, 0, (size_t)r->warps * r->register_bytes);
            memset(o->now.shared, 0, r->shared_bytes);
            memset(o->now.touched, 0, r->shared_bytes / 4 * sizeof *o->now.touched);
        }
        o->now.acts = from ? n * o->every : 0;
    }
    keep(r);
    while (o->now.acts < acts) {
        if (!go_on(r, &o->now)) return NULL;
        keep(r);
    }
    return &o->now;
}

const reel_state *reel_before(reel *r, uint32_t step)
{
    return step < r->steps ? state_at(r, r->step_act[step]) : NULL;
}

const reel_state *reel_after(reel *r, uint32_t step)
{
    return step < r->steps ? state_at(r, r->step_act[step] + 1) : NULL;
}

uint64_t reel_value(const reel *r, const reel_state *s, uint32_t warp, uint32_t frame, const reel_operand *o, int lane)
{
    const uint64_t at = (uint64_t)frame + o->at;
    uint64_t v = 0;
    if (warp >= r->warps || at + o->bytes > r->register_bytes) return 0;
    const char *from = s->registers + (size_t)warp * r->register_bytes + at;
    if (o->bytes == 4) {
        uint32_t word;
        memcpy(&word, from, 4);
        return word >> lane & 1;
    }
    const uint32_t wide = o->bytes / 32;
    memcpy(&v, from + (size_t)lane * wide, wide < 8 ? wide : 8);
    return v;
}
