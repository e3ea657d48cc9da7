/* wgmma.c: products of matrices by four warps in the background: wgmma.mma_async, fence, commit_group,
 * wait_group. machine/warpgroup.h says what is kept between them, group_product.c how a card sums.
 *
 * D is 64 x N. Warp w of the group has its rows from 16 w on, as mma has them (fragment.c); so it
 * has A's rows when A is in registers. B, and mostly A, lie in shared memory, in pieces of 16 bytes:
 * piece (g, h, i) holds elements of row 8 g + i, from 16 h bytes of k on; or, when rows and not k
 * are neighbours, of the rows from 8 g on, at k = 8 h + i. A descriptor says where they are:
 *
 *     63 62     51..49        45..32   29..16   13..0      in units of 16 bytes
 *     swizzle   base offset   stride   lead     start      0: none, 1: 128 bytes, 2: 64, 3: 32
 *
 *     no swizzle             start + 16 i + stride g + lead h
 *     W bytes, k first       start + W i + stride g + 16 h
 *     W bytes, rows first    start + 16 (g % (W / 16)) + W i + lead (g / (W / 16)) + stride h
 *
 * A swizzle of W bytes then exchanges pieces: bits 7 and up of the address, less the base offset, are
 * XORed into bits 4 and up, as many as W / 16 needs. All of these spread eight pieces over all banks,
 * so a product is never in conflict with itself.
 *
 * insn.mod2 holds the form, see `form_of`; its places are, in this order: descriptor of B; of A, if it
 * has one; scale-d, if it is a register; A's registers; D's. mod, if not 0: number of a register
 * that was written after the last wgmma.fence, from 1 (code_module.unfenced).
 */
#include "group_product.c"
#include "exec.h"
#include "machine/warpgroup.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- forms ---- */
/* A warp's share of a product takes the host as long as so many instructions, and one more for each two columns. */
enum { SHARE_COST = 16, COLUMNS_EACH = 2 };
enum { PLACE_B, PLACE_A, PLACE_SCALE, FIRST_A, A_REGISTERS = 4 };
typedef struct form_of {
    int n;
    enum kind a, b, d;
    bool minus_a, minus_b, rows_a, rows_b; /* rows_: rows, not k, are neighbours */
    bool in_registers, saturates, not_scale, adds;
} form_of;

static uint32_t pack_form(const form_of *s)
{
    return (uint32_t)s->n / 8 | (uint32_t)s->a << 6 | (uint32_t)s->b << 10 | (uint32_t)s->d << 14 |
           (uint32_t)s->minus_a << 18 | (uint32_t)s->minus_b << 19 | (uint32_t)s->rows_a << 20 |
           (uint32_t)s->rows_b << 21 | (uint32_t)s->in_registers << 22 | (uint32_t)s->saturates << 23 |
           (uint32_t)s->not_scale << 24 | (uint32_t)s->adds << 25;
}
static form_of unpack_form(uint32_t v)
{
    return (form_of){.n = 8 * (int)(v & 63),
                     .a = (enum kind)(v >> 6 & 15),
                     .b = (enum kind)(v >> 10 & 15),
                     .d = (enum kind)(v >> 14 & 15),
                     .minus_a = v >> 18 & 1,
                     .minus_b = v >> 19 & 1,
                     .rows_a = v >> 20 & 1,
                     .rows_b = v >> 21 & 1,
                     .in_registers = v >> 22 & 1,
                     .saturates = v >> 23 & 1,
                     .not_scale = v >> 24 & 1,
                     .adds = v >> 25 & 1};
}
static inline int depth_of(enum kind a) { return 256 / kinds[a].bits; } /* k of one product */
static inline uint32_t first_d(const form_of *s) { return s->in_registers ? FIRST_A + A_REGISTERS : FIRST_A; }

/* ---- descriptors ---- */
typedef struct layout {
    uint32_t start, lead, stride, width, base; /* bytes; width: of the swizzle, 0: none */
    bool rows_first;
} layout;

static layout read_descriptor(uint64_t v, bool rows_first)
{
    static const uint8_t widths[] = {0, 128, 64, 32};
    return (layout){.start = (uint32_t)(v & 0x3fff) << 4,
                    .lead = (uint32_t)(v >> 16 & 0x3fff) << 4,
                    .stride = (uint32_t)(v >> 32 & 0x3fff) << 4,
                    .base = (uint32_t)(v >> 49 & 7),
                    .width = widths[v >> 62],
                    .rows_first = rows_first};
}

/* Where piece `at` of the list g, h, i lies: 16 pieces for each g. */
static inline uint32_t piece_at(const layout *l, uint32_t at)
{
    const uint32_t g = at >> 4, h = at >> 3 & 1, i = at & 7, w = l->width, per = w / 16;
    if (!w) return l->start + 16 * i + l->stride * g + l->lead * h;
    const uint32_t plain = l->rows_first ? l->start + 16 * (g % per) + w * i + l->lead * (g / per) + l->stride * h
                                         : l->start + w * i + l->stride * g + 16 * h;
    return plain ^ (((plain >> 7) - l->base) & (per - 1)) << 4;
}

/* The row and k (in bytes) of the first byte of a piece, for messages. */
static void name_piece(const layout *l, uint32_t at, int bits, uint32_t *row, uint32_t *k)
{
    const uint32_t g = at >> 4, h = at >> 3 & 1, i = at & 7;
    *row = l->rows_first ? 8 * g : 8 * g + i;
    *k = l->rows_first ? 8 * h + i : h * 128 / (uint32_t)bits;
}

static bool bad_field(struct warp *w, const insn *in, char matrix, uint64_t v, const char *field, const char *why)
{
    fault_raise(w, in, SIM_FAULT_BAD_OPERAND, -1, w->mask, "shared", v & 0x3fff, 16,
                "the descriptor of %c (0x%016llx): its %s %s", matrix, (unsigned long long)v, field, why);
    return false;
}

/* Fields that cannot be meant. `rows` of A or B. */
static bool makes_sense(struct warp *w, const insn *in, char matrix, uint64_t v, const layout *l, uint32_t rows)
{
    const bool by_rows = l->width && l->rows_first, leads = !l->width || (by_rows && rows > l->width / 2),
               strides = by_rows || rows > 8;
    if (v & ~UINT64_C(0xc00e3fff3fff3fff))
        return bad_field(w, in, matrix, v, "bits outside of all fields", "are not zero: it was put together wrongly");
    if (leads && !l->lead) return bad_field(w, in, matrix, v, "leading byte offset (bits 16 to 29)", "is 0");
    if (strides && !l->stride) return bad_field(w, in, matrix, v, "stride byte offset (bits 32 to 45)", "is 0");
    if (l->base && !l->width)
        return bad_field(w, in, matrix, v, "base offset (bits 49 to 51)", "is not 0, but there is no swizzle");
    return true;
}

static bool stray_piece(struct warp *w, const insn *in, char matrix, const layout *l, uint32_t at, int bits)
{
    uint32_t row, k;
    name_piece(l, at, bits, &row, &k);
    w->worker->advice =
        "Check the start address, the leading and stride byte offsets and the swizzle of the descriptor.";
    fault_raise(w, in, SIM_FAULT_OUT_OF_BOUNDS, -1, w->mask, "shared", piece_at(l, at), 16,
                "%s %u, k %u of matrix %c lies at byte %u of shared memory, outside of the block's variables; its "
                "descriptor says: start %u, leading byte offset %u, stride byte offset %u, swizzle %u",
                matrix == 'A' ? "row" : "column", row, k, matrix, piece_at(l, at), l->start, l->lead, l->stride,
                l->width);
    return false;
}
static bool unwritten_piece(struct warp *w, const insn *in, char matrix, const layout *l, uint32_t at, int bits)
{
    uint32_t row, k;
    char what[160];
    name_piece(l, at, bits, &row, &k);
    fault_what(w, SPACE_SHARED, piece_at(l, at), 1, what, sizeof what);
    fault_raise(w, in, SIM_FAULT_UNINITIALISED, -1, w->mask, "shared", piece_at(l, at), 16,
                "%s %u of matrix %c, from k %u on, is read from %s, which was never written",
                matrix == 'A' ? "row" : "column", row, matrix, k, what);
    return false;
}

/* The warp's share of the pieces: checked, counted, and shown to the checkers. */
static bool report_pieces(struct warp *w, const insn *in, char matrix, const layout *l, uint32_t from, uint32_t to,
                          int bits)
{
    const shared_part *p = NULL;
    for (; from < to; from += 32) {
        access a = {.in = in, .size = 16, .space = SPACE_SHARED, .kind = ACCESS_READ, .order = ORDER_WEAK};
        for (uint32_t i = from; i < from + 32 && i < to; i++) {
            const uint32_t at = piece_at(l, i);
            if (!p || at < p->from || at + 16 > p->to) p = memory_part(w->worker->launch, at, false);
            if (!p || at + 16 > p->to) return stray_piece(w, in, matrix, l, i, bits);
            if (w->watch & WATCH_INIT && !init_all(w->block->shared_init, at, 16))
                return unwritten_piece(w, in, matrix, l, i, bits);
            a.address[i - from] = at;
            a.mask |= 1u << (i - from);
        }
        const uint8_t watch = w->watch;
        w->watch &= (uint8_t) ~(WATCH_INIT | WATCH_UNKNOWN | WATCH_TIME); /* the clock has a time of its own */
        const bool fine = !w->watch || watch_access(w, &a);
        w->watch = watch;
        if (!fine) return false;
    }
    return true;
}

/* ---- making a job ---- */
typedef struct scratch {
    group_numbers n;
    const group_job *holds; /* whose D is in `n`; NULL: nobody's */
    uint32_t places[GROUP_MOST_N / 2];
    char *regs[GROUP_WARPS];
    uint32_t mod2;
} scratch;

static uint32_t sum_registers(const form_of *s) { return (uint32_t)s->n / (s->d == K_F16 ? 4 : 2); }

/* D between registers and rows: register r of lane 4 i + t holds two columns of row i (or i + 8), or
 * one of them. */
static void move_sums(const group_job *j, const form_of *s, group_numbers *n, bool out)
{
    const uint32_t first = first_d(s), count = sum_registers(s);
    const bool half = s->d == K_F16, whole = s->d == K_S32;
    for (uint32_t rank = 0; rank < GROUP_WARPS; rank++)
        for (uint32_t r = 0; r < count; r++) {
            const uint32_t row = 16 * rank + 8 * (half ? r & 1 : r >> 1 & 1), column = 8 * (half ? r / 2 : r / 4);
            uint32_t *reg = (uint32_t *)(void *)(j->regs[rank] + place_of(j->in, (int)(first + r)));
            for (uint32_t l = 0; l < 32; l++) {
                const size_t at = (row + l / 4) * (size_t)s->n + column + 2 * (l % 4) + (half ? 0 : r & 1);
                float *d = n->d + at;
                if (whole) {
                    if (out) reg[l] = (uint32_t)n->whole_d[at];
                    else n->whole_d[at] = (int32_t)reg[l];
                } else if (half) {
                    if (out) reg[l] = f32_to_f16(d[0], ROUND_RN) | f32_to_f16(d[1], ROUND_RN) << 16;
                    else d[0] = f16_to_f32(reg[l] & 0xffff), d[1] = f16_to_f32(reg[l] >> 16);
                } else {
                    if (out) reg[l] = f32_out(*d);
                    else *d = bits_f32(reg[l]);
                }
            }
        }
}

/* The floats of a piece, `step` apart. */
ALWAYS_INLINE void take_floats(const enum kind kind, const char *from, float sign, float *to, size_t step)
{
    const size_t bytes = kinds[kind].bits / 8;
    for (size_t i = 0; i < 16 / bytes; i++) {
        uint32_t word = 0;
        memcpy(&word, from + i * bytes, bytes);
        to[i * step] = sign * (float)value_of(kind, word);
    }
}

/* One piece of 16 bytes, whose elements are `k_step` apart in k and `row_step` in rows, into a
 * matrix in which element (row, k) is at row * by_row + k * by_k. */
static void take_piece(const form_of *s, enum kind kind, bool minus, const char *from, bool is_b, size_t row, size_t k,
                       bool rows_first, size_t depth, group_numbers *n)
{
    const int bytes = kinds[kind].bits / 8, count = 16 / (bytes ? bytes : 16);
    const size_t by_row = is_b ? 1 : depth, by_k = is_b ? (size_t)s->n : 1, step = rows_first ? by_row : by_k;
    size_t to = row * by_row + k * by_k;
    if (kind == K_B1) {
        memcpy((is_b ? n->bits_b : n->bits_a) + 4 * row + k / 64, from, 16);
    } else if (kind == K_S8 || kind == K_U8) {
        int16_t *v = (is_b ? n->whole_b : n->whole_a) + to;
        for (int i = 0; i < count; i++, v += step) *v = kind == K_S8 ? (int16_t)(int8_t)from[i] : (uint8_t)from[i];
    } else {
        float *v = (is_b ? n->b.value : n->a.value) + to;
        const float sign = minus ? -1 : 1;
        switch (kind) {
        case K_F16: take_floats(K_F16, from, sign, v, step); break;
        case K_BF16: take_floats(K_BF16, from, sign, v, step); break;
        case K_TF32: take_floats(K_TF32, from, sign, v, step); break;
        case K_E4M3: take_floats(K_E4M3, from, sign, v, step); break;
        default: take_floats(K_E5M2, from, sign, v, step); break;
        }
    }
}
static void take_matrix(const form_of *s, const char *shared, const layout *l, bool is_b, uint32_t rows,
                        group_numbers *n)
{
    const enum kind kind = is_b ? s->b : s->a;
    const bool minus = is_b ? s->minus_b : s->minus_a;
    for (uint32_t at = 0; at < 2 * rows; at++) {
        uint32_t row, k;
        name_piece(l, at, kinds[kind].bits, &row, &k);
        take_piece(s, kind, minus, shared + piece_at(l, at), is_b, row, k, l->rows_first, (size_t)depth_of(kind), n);
    }
}
/* A's registers: register r of lane 4 i + t holds 4 bytes of row i + 8 (r % 2), from 4 t + 16 (r / 2)
 * on. */
static void take_registers(const form_of *s, const group_job *j, group_numbers *n)
{
    for (uint32_t rank = 0; rank < GROUP_WARPS; rank++)
        for (uint32_t i = 0; i < 16; i++)
            for (uint32_t h = 0; h < 2; h++) {
                const uint32_t *from = &j->a_regs[rank][2 * h + i / 8][4 * (i % 8)];
                take_piece(s, s->a, s->minus_a, (const char *)from, false, 16 * rank + i,
                           h * 128 / (uint32_t)kinds[s->a].bits, false, (size_t)depth_of(s->a), n);
            }
}

static bool same_sums(const scratch *z, const group_job *j, const form_of *s)
{
    const form_of old = unpack_form(z->mod2);
    if (!z->holds || old.n != s->n || old.d != s->d || memcmp(z->regs, j->regs, sizeof z->regs)) return false;
    for (uint32_t r = 0; r < sum_registers(s); r++)
        if (z->places[r] != place_of(j->in, (int)(first_d(s) + r))) return false;
    return true;
}
static void hold_sums(scratch *z, const group_job *j, const form_of *s)
{
    z->holds = j;
    z->mod2 = j->in->mod2;
    memcpy(z->regs, j->regs, sizeof z->regs);
    for (uint32_t r = 0; r < sum_registers(s); r++) z->places[r] = place_of(j->in, (int)(first_d(s) + r));
}
static void let_go_sums(scratch *z)
{
    if (!z->holds) return;
    const form_of s = unpack_form(z->mod2);
    move_sums(z->holds, &s, &z->n, true);
    z->holds = NULL;
}

/* For the race check: pieces that begin, or end, to be read. Of A those of the warps from `from` to
 * `to`; B as a whole, which is read from the first warp's issue on. */
static void watch_a(block *b, const group_job *j, const form_of *s, uint32_t from, uint32_t to, bool begins)
{
    const layout l = read_descriptor(j->a, s->rows_a);
    for (uint32_t at = 32 * from; !s->in_registers && at < 32 * to; at++)
        watch_product(b, j->in, 32 * (j->first + at / 32), piece_at(&l, at), begins);
}
static void watch_b(block *b, const group_job *j, const form_of *s, uint32_t by, bool begins)
{
    const layout l = read_descriptor(j->b, s->rows_b);
    for (uint32_t at = 0; at < 2 * (uint32_t)s->n; at++) watch_product(b, j->in, 32 * by, piece_at(&l, at), begins);
}

static void make_job(block *b, const group_job *j, scratch *z)
{
    const form_of s = unpack_form(j->in->mod2);
    const layout la = read_descriptor(j->a, s.rows_a), lb = read_descriptor(j->b, s.rows_b);
    group_numbers *n = &z->n;
    const bool held = same_sums(z, j, &s);
    if (!held) let_go_sums(z);
    if (j->adds && !held) move_sums(j, &s, n, false);
    if (!j->adds) {
        memset(n->d, 0, sizeof *n->d * GROUP_M * (size_t)s.n);
        memset(n->whole_d, 0, sizeof *n->whole_d * GROUP_M * (size_t)s.n);
    }
    hold_sums(z, j, &s);
    if (s.in_registers) take_registers(&s, j, n);
    else take_matrix(&s, b->shared, &la, false, GROUP_M, n);
    take_matrix(&s, b->shared, &lb, true, (uint32_t)s.n, n);
    if (s.a == K_B1) multiply_ones(s.n, n);
    else if (s.d == K_S32) multiply_whole(s.saturates, s.n, depth_of(s.a), n);
    else multiply_floats(s.a, s.b, s.d == K_F16, s.n, depth_of(s.a), n);
    if (!b->order) return;
    watch_a(b, j, &s, 0, GROUP_WARPS, false);
    watch_b(b, j, &s, j->first, false);
}

/* The first `count` jobs of the warp's group. False: out of memory. */
static bool make_jobs(struct warp *w, const insn *in, warpgroup *g, uint32_t count)
{
    if (!count) return true;
    if (!g->scratch) g->scratch = malloc(sizeof(scratch));
    if (!g->scratch) {
        fault_raise(w, in, SIM_FAULT_HOST_LIMIT, -1, w->mask, "", 0, 0,
                    "the host has too little memory for a product of matrices");
        return false;
    }
    scratch *z = g->scratch;
    z->holds = NULL;
    for (uint32_t i = 0; i < count; i++) make_job(w->block, &g->jobs[i], z);
    let_go_sums(z);
    warpgroup_forget(g, count);
    return true;
}

/* ---- operations ---- */

/* One number for all threads of the warp, in a register of 64 bits. */
static bool one_for_all(struct warp *w, const insn *in, uint32_t place, char matrix, uint64_t *v)
{
    const uint64_t *all = SRC(uint64_t, place);
    uint32_t others = 0;
    *v = all[0];
    for (int l = 1; l < 32; l++) others |= all[l] != all[0] ? 1u << l : 0;
    if (!others) return true;
    fault_raise(w, in, SIM_FAULT_BAD_OPERAND, first_lane(others), others, "", 0, 0,
                "the descriptor of %c differs between threads of the warp (lanes %08x): it must be the same for all",
                matrix, (unsigned)others);
    return false;
}

/* All lanes of the warp are there, and it belongs to a whole warpgroup. */
static warpgroup *together(struct warp *w, const insn *in, const insn **next)
{
    *next = NULL;
    if (!warp_meet_aligned(w, in, next)) return NULL;
    return warpgroup_of(w, in);
}

/* What code/in_flight.c found out. */
static const insn *lacks_fence(struct warp *w, const insn *in)
{
    const code_module *m = w->worker->launch->code;
    const code_unfenced *u = &m->unfenced[in->mod - 1];
    sim_place there = {0};
    char line[40] = "";
    w->worker->advice =
        "Put wgmma.fence (warpgroup_arrive) before the first product, and again after each write of its "
        "registers: a product may run before such a write has come to them.";
    if (!u->wrote)
        return fault_raise(w, in, SIM_FAULT_RACE, -1, w->mask, "", 0, 0,
                           "no wgmma.fence comes before this product, so it may not see its registers as they were "
                           "written");
    for (uint32_t pc = 0; pc < m->count; pc++)
        if (m->info[pc].src == u->wrote && m->info[pc].real) fault_place(w->worker->launch, pc, &there);
    if (there.line) snprintf(line, sizeof line, " at line %d", there.line);
    else snprintf(line, sizeof line, " at PTX line %d", u->wrote->line);
    w->worker->other = &there;
    return fault_raise(w, in, SIM_FAULT_RACE, -1, w->mask, "", 0, 0,
                       "no wgmma.fence stands between the write of register %s%s and this product, which uses it",
                       u->reg, line);
}

OP_FN(multiply)
{
    const insn *next;
    warpgroup *g = together(w, in, &next);
    if (!g) return next;
    const form_of s = unpack_form(in->mod2);
    uint64_t a = 0, b;
    if (!one_for_all(w, in, place_of(in, PLACE_B), 'B', &b)) return NULL;
    if (!s.in_registers && !one_for_all(w, in, place_of(in, PLACE_A), 'A', &a)) return NULL;
    bool adds = s.adds;
    const uint32_t scale = place_of(in, PLACE_SCALE);
    if (scale != UINT32_MAX) {
        const uint32_t p = pred_get(w, scale) ^ (s.not_scale ? UINT32_MAX : 0);
        if (p && p != UINT32_MAX)
            return fault_raise(w, in, SIM_FAULT_BAD_OPERAND, first_lane(~p), ~p, "", 0, 0,
                               "scale-d differs between threads of the warp: it must be the same for all");
        adds = p;
    }
    const layout la = read_descriptor(a, s.rows_a), lb = read_descriptor(b, s.rows_b);
    const uint32_t rank = group_rank(w), n = (uint32_t)s.n;
    if (!s.in_registers && !makes_sense(w, in, 'A', a, &la, GROUP_M)) return NULL;
    if (!makes_sense(w, in, 'B', b, &lb, n)) return NULL;
    if (g->count == GROUP_JOBS && g->jobs[0].issued == GROUP_ALL && !make_jobs(w, in, g, 1)) return NULL;
    if (in->mod && w->watch & WATCH_RACE) return lacks_fence(w, in);
    group_job *j = warpgroup_issue(w, in, a, b, adds);
    if (!j) return NULL;
    /* A's rows of this warp, a quarter of B */
    if (!s.in_registers && !report_pieces(w, in, 'A', &la, 32 * rank, 32 * rank + 32, kinds[s.a].bits)) return NULL;
    if (!report_pieces(w, in, 'B', &lb, n / 2 * rank, n / 2 * (rank + 1), kinds[s.b].bits)) return NULL;
    for (int r = 0; s.in_registers && r < A_REGISTERS; r++)
        memcpy(j->a_regs[rank][r], SRC(uint32_t, place_of(in, FIRST_A + r)), sizeof j->a_regs[rank][r]);
    if (w->watch & WATCH_RACE && !in_flight_begin(w, in, j->batch[rank])) return NULL;
    w->worker->side_cost += SHARE_COST + n / COLUMNS_EACH;
    if (w->watch & WATCH_UNKNOWN) unknown_product(w, in, adds);
    if (w->block->order) watch_a(w->block, j, &s, rank, rank + 1, true);
    if (w->block->order && j->issued == 1u << rank) watch_b(w->block, j, &s, w->index, true);
    if (j->issued == GROUP_ALL) {
        watch_warpgroup(w->block, j->first, GROUP_WARPS);
        warpgroup_release(w->block, w->index);
    }
    return unknown_pause(w, warp_met(w, in));
}

OP_FN(fence)
{
    const insn *next;
    return together(w, in, &next) ? warp_met(w, in) : next;
}

OP_FN(commit)
{
    const insn *next;
    warpgroup *g = together(w, in, &next);
    if (!g) return next;
    g->committed[group_rank(w)]++;
    return warp_met(w, in);
}

OP_FN(wait)
{
    const insn *next;
    uint32_t due;
    warpgroup *g = together(w, in, &next);
    if (!g) return next;
    if (!warpgroup_due(w, in, in->mod2, &due, &next)) return next;
    const uint32_t committed = g->committed[group_rank(w)];
    in_flight_wait(w, committed > in->mod2 ? committed - in->mod2 : 0);
    return make_jobs(w, in, g, due) ? unknown_pause(w, warp_met(w, in)) : NULL;
}

/* ---- selecting ---- */
static enum kind kind_of(enum ptx_type t)
{
    for (int k = 0; k < K_NONE; k++)
        if (kinds[k].type == t) return (enum kind)k;
    return K_NONE;
}

/* N and k of the shape's suffix. */
static bool take_shape(form *f, int *n, int *k)
{
    static const int depths[] = {8, 16, 32, 256};
    for (int i = 0; i < f->in->suffix_count; i++) {
        const int s = f->in->suffix[i] - S_M64N8K8;
        if (s < 0 || s >= 4 * GROUP_MOST_N / 8 || !form_take(f, (enum ptx_suffix)f->in->suffix[i])) continue;
        *n = 8 * (s / 4 + 1);
        *k = depths[s % 4];
        return true;
    }
    return form_refuse(f, "needs a shape of m64nNkK");
}

static bool fits(const form_of *s)
{
    const bool is_float = s->d == K_F16 || s->d == K_F32;
    switch (s->a) {
    case K_F16: return s->b == s->a && is_float;
    case K_BF16:
    case K_TF32: return s->b == s->a && s->d == K_F32;
    case K_E4M3:
    case K_E5M2: return is_small(s->b) && is_float;
    case K_S8:
    case K_U8: return (s->b == K_S8 || s->b == K_U8) && s->d == K_S32;
    case K_B1: return s->b == s->a && s->d == K_S32;
    default: return false;
    }
}

static bool take_number(form *f, const ptx_operand *o, int64_t low, int64_t high, const char *why, int64_t *v)
{
    if (o->kind != O_INT || (o->value.i != low && o->value.i != high)) return form_refuse(f, why);
    *v = o->value.i;
    return true;
}

static void leave_out(form *f) { f->slot[f->slots++] = (struct form_slot){NULL, T_NONE, SLOT_UNUSED}; }

static bool list_places(form *f, form_of *s)
{
    const ptx_operand *o = f->in->operand, *scale = &o[3];
    const uint32_t sums = sum_registers(s);
    if (o[0].kind != O_VECTOR || (uint32_t)o[0].count != sums)
        return form_refuse(f, "has a number of registers of D that does not match its shape and type");
    if (s->in_registers && o[1].count != A_REGISTERS) return form_refuse(f, "needs four registers of A");
    form_use(f, &o[2], T_B64);
    if (s->in_registers) leave_out(f);
    else form_use(f, &o[1], T_B64);
    if (scale->kind == O_INT) {
        s->adds = scale->value.i != 0;
        leave_out(f);
    } else {
        s->not_scale = scale->negated;
        form_use(f, scale, T_PRED);
    }
    for (int i = 0; s->in_registers && i < A_REGISTERS; i++) form_use(f, &o[1].elements[i], T_B32);
    const bool replaces = scale->kind == O_INT && !s->adds;
    for (uint32_t i = 0; i < sums; i++) {
        form_def(f, &o[0].elements[i], T_B32);
        if (!replaces) f->slot[f->slots - 1].role = USE_DEF;
    }
    return true;
}

static bool select_multiply(form *f)
{
    if (form_take(f, S_SP)) return form_refuse(f, "multiplies a sparse matrix, which is not supported here");
    if (!form_take(f, S_SYNC) || !form_take(f, S_ALIGNED)) return form_refuse(f, "needs .sync.aligned");
    form_of s = {0};
    int k = 0;
    if (!take_shape(f, &s.n, &k)) return false;
    s.d = kind_of(form_type(f));
    s.a = kind_of(form_type(f));
    s.b = kind_of(form_type(f));
    if (!fits(&s)) return form_refuse(f, "has types that cannot be combined");
    if (k != depth_of(s.a)) return form_refuse(f, "has a shape that does not exist for these types");
    const bool whole = s.d == K_S32, sixteen = s.a == K_F16 || s.a == K_BF16;
    if (whole && s.n > 32 && s.n % 16) return form_refuse(f, "has a shape that does not exist for integers");
    if (s.a == K_B1 && (!form_take(f, S_AND) || !form_take(f, S_POPC))) return form_refuse(f, "needs .and.popc");
    if (whole && s.a != K_B1) s.saturates = form_take(f, S_SATFINITE);
    if (f->in->operand_count < 3) return form_refuse(f, "has too few operands");
    const ptx_operand *o = f->in->operand;
    s.in_registers = o[1].kind == O_VECTOR;
    const int count = whole ? 4 : sixteen ? (s.in_registers ? 7 : 8) : 6;
    if (!form_operands(f, count, count)) return false;
    int64_t v = 0;
    if (!whole) {
        const char *why = "needs 1 or -1 as imm-scale-a and imm-scale-b";
        if (!take_number(f, &o[4], 1, -1, why, &v)) return false;
        s.minus_a = v < 0;
        if (!take_number(f, &o[5], 1, -1, why, &v)) return false;
        s.minus_b = v < 0;
    }
    for (int i = 6; i < count; i++) {
        if (!take_number(f, &o[i], 0, 1, "needs 0 or 1 as imm-trans-a and imm-trans-b", &v)) return false;
        *(i == count - 1 ? &s.rows_b : &s.rows_a) = v;
    }
    if (!list_places(f, &s)) return false;
    f->count = (uint8_t)f->slots;
    f->fn = multiply;
    f->has_slot = true;
    f->mod2 = pack_form(&s);
    f->matrix = 2u * GROUP_M / GROUP_WARPS * (uint32_t)(s.n * k); /* the warp's share */
    return true;
}

bool SIM_NAME(select_wgmma)(form *f)
{
    f->cls = SIM_CLASS_TENSOR;
    f->splits = true; /* waits for the lanes of the warp */
    if (form_take(f, S_MMA_ASYNC)) return select_multiply(f);
    const bool is_fence = form_take(f, S_FENCE), commits = !is_fence && form_take(f, S_COMMIT_GROUP);
    if (!is_fence && !commits && !form_take(f, S_WAIT_GROUP))
        return form_refuse(f, "needs .mma_async, .fence, .commit_group or .wait_group");
    if (!form_take(f, S_SYNC) || !form_take(f, S_ALIGNED)) return form_refuse(f, "needs .sync.aligned");
    f->fn = is_fence ? fence : commits ? commit : wait;
    if (is_fence || commits) return form_operands(f, 0, 0);
    const ptx_operand *o = f->in->operand;
    if (!form_operands(f, 1, 1)) return false;
    if (o->kind != O_INT || o->value.i < 0 || o->value.i > 1 << 20)
        return form_refuse(f, "needs a number of groups from 0 to 1048576");
    f->mod2 = (uint32_t)o->value.i;
    return true;
}
