/* bulk.c: bulk copies and reductions: of plain bytes, and of boxes of tensors (cp.async.bulk).
 *
 * Like other background copies (async.c) one is checked when it is issued, and made when a thread
 * waits for it. A thread copies alone, so each is a job of its own. Shared memory on the other side
 * may be that of another block of the cluster, or (multicast) of several: each gets the same bytes
 * at the same offset, and its barrier object at the same offset hears of them.
 *
 * A box always counts with all its bytes at the barrier object, also where it reaches out of the
 * tensor: a load puts zeros (or NaN) there, a store leaves them out.
 */
#include "bulk.h"
#include "bulk_map.h"
#include "parallel_bet.h"
#include "list.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHARED_ALIGN = 128, ROW_MOST = 256 * 8, SECTOR_BYTES = 32 };
enum { BYTES_EACH = 16 }; /* as long as the host takes for a warp instruction, with all checks, it moves so many */

bool bulk_report(warp *w, const insn *in, int lane, uint8_t space, uint64_t at, uint32_t bytes, enum access_kind kind,
                 alloc *al)
{
    uint64_t all[32];
    const uint8_t watch = w->watch, apart = WATCH_COUNT | WATCH_TIME;
    for (int l = 0; l < 32; l++) all[l] = at;
    w->watch = watch & (uint8_t)~apart;
    const bool fine = job_report(w, in, UINT32_C(1) << lane, space, all, bytes, kind, ORDER_WEAK, al);
    w->watch = (uint8_t)((watch & apart) | w->watch);
    return fine;
}

/* ---- what the clock hears ---- */
static bool no_memory(warp *w, const insn *in)
{
    fault_raise(w, in, SIM_FAULT_HOST_LIMIT, -1, w->mask, "", 0, 0,
                "the host has too little memory for the copies in flight");
    return false;
}

bool bulk_flight(warp *w, const insn *in, uint32_t rows)
{
    bulk_traffic *t = &w->worker->bulk;
    if (!list_room(&t->lands, &t->flight_room, t->flights + (size_t)1, sizeof *t->lands)) return no_memory(w, in);
    t->lands[t->flights++] = INT64_MAX;
    t->flight = t->flights;
    t->rows += rows;
    return true;
}

static bool add_piece(warp *w, const insn *in, uint64_t address, uint32_t bytes)
{
    bulk_traffic *t = &w->worker->bulk;
    if (!(w->watch & WATCH_TIME)) return true;
    if (t->count && t->piece[t->count - 1].address + t->piece[t->count - 1].bytes == address) {
        t->piece[t->count - 1].bytes += bytes;
        return true;
    }
    if (!list_room(&t->piece, &t->room, t->count + (size_t)1, sizeof *t->piece)) return no_memory(w, in);
    t->piece[t->count++] = (struct bulk_piece){address, bytes};
    return true;
}

static uint64_t sectors_of(uint64_t at, uint32_t bytes)
{
    return bytes ? (at + bytes - 1) / SECTOR_BYTES - at / SECTOR_BYTES + 1 : 0;
}

/* ---- places ---- */

static bool shared_find(warp *w, const insn *in, int lane, uint64_t at, uint64_t bytes, uint32_t align,
                        enum access_kind kind, block **of, uint64_t *offset)
{
    uint32_t rank, within;
    uint8_t space;
    char *host;
    alloc *al;
    if (at >= SHARED_WINDOW && at - SHARED_WINDOW < WINDOW_BYTES) at -= SHARED_WINDOW;
    shared_cluster_split((uint32_t)at, &rank, &within);
    *of = w->block;
    if (at >> 32 || rank == UINT32_MAX)
        return memory_span(w, in, SPACE_SHARED, lane, at, bytes, align, kind, offset, &space, &host, &al);
    *of = block_peer(w->block, rank);
    if (*of) return memory_span(w, in, SPACE_SHARED, lane, within, bytes, align, kind, offset, &space, &host, &al);
    fault_raise(w, in, SIM_FAULT_OUT_OF_BOUNDS, lane, UINT32_C(1) << lane, "shared", at, 0,
                "the address 0x%" PRIx64 " is one in block %u of the cluster, which has no such block", at,
                (unsigned)rank);
    return false;
}

/* Bytes in the shared memory of a block of the cluster. */
static bool shared_place(warp *w, const insn *in, int lane, uint64_t at, uint64_t bytes, uint32_t align,
                         enum access_kind kind, block **of, uint64_t *offset)
{
    if (align == SHARED_ALIGN && at % align)
        w->worker->advice =
            "A box of a tensor lies at a multiple of 128 bytes of shared memory, with a swizzle better of "
            "1024: __align__(1024).";
    const bool found = shared_find(w, in, lane, at, bytes, align, kind, of, offset);
    if (found) w->worker->advice = NULL;
    return found;
}

bool bulk_bad(warp *w, const insn *in, int lane, uint64_t at, const char *space, const char *what)
{
    fault_raise(w, in, SIM_FAULT_BAD_OPERAND, lane, UINT32_C(1) << lane, space, at, 0, "%s", what);
    return false;
}

static bool multicast_fits(warp *w, const insn *in, int lane, uint32_t blocks)
{
    char what[120];
    for (uint32_t r = 0; r < 16; r++) {
        if (!(blocks >> r & 1) || block_peer(w->block, r)) continue;
        if (r < w->block->cluster->count) {
            w->worker->advice =
                "End the kernel with a barrier of the cluster (cluster.sync()), so that no block ends while "
                "others reach its shared memory.";
            fault_raise(w, in, SIM_FAULT_CLUSTER_GONE, lane, UINT32_C(1) << lane, "shared", 0, 0,
                        "the mask 0x%x of a multicast names the block with rank %u in its cluster, which has ended",
                        (unsigned)blocks, (unsigned)r);
            return false;
        }
        w->worker->advice =
            "Bit i of the mask is the block with rank i in the cluster: (1 << number of blocks) - 1 names all.";
        snprintf(what, sizeof what, "the mask 0x%x of a multicast names block %u, which the cluster does not have",
                 (unsigned)blocks, (unsigned)r);
        return bulk_bad(w, in, lane, 0, "", what);
    }
    return blocks || bulk_bad(w, in, lane, 0, "", "the mask of a multicast names no block");
}

/* The barrier object of a copy, in the block that the copy goes to. */
static bool find_barrier(warp *w, const insn *in, int lane, const bulk_copy *c, job *j)
{
    block *of;
    uint64_t offset;
    if (!c->barrier) return true;
    if (!shared_place(w, in, lane, c->barrier[lane], 8, 8, ACCESS_ATOMIC, &of, &offset)) return false;
    j->barrier[lane] = (uint32_t)offset;
    return of == j->there[lane] || j->blocks[lane] ||
           bulk_bad(w, in, lane, c->barrier[lane], "shared",
                    "the barrier object of a bulk copy must be in the block whose shared memory it writes");
}

static job *new_copy(warp *w, const insn *in, int lane, const bulk_copy *c)
{
    job *j = job_new(w, in, c->barrier ? JOB_BULK_BARRIER : JOB_BULK_GROUP);
    if (!j) return NULL;
    j->reduce = c->reduce;
    j->op = c->op;
    j->type = c->type;
    j->space = c->to_space;
    j->source_space = c->from_space;
    j->group[lane] = w->async->committed[1][lane];
    j->there[lane] = w->block;
    j->blocks[lane] = c->blocks ? c->blocks[lane] & 0xffff : 0;
    return j;
}

static block *next_block(const warp *w, const job *j, int lane, uint32_t *rank);

/* Bytes of shared memory from its first on. */
static uint32_t extent(const job *j, int lane)
{
    return j->tensor ? tensor_rows(&j->map) * tensor_pitch(&j->map) : j->bytes[lane];
}

/* The race check hears of a copy to another block of the cluster: of the bytes, and of the barrier object, which must
 * have been made ready. */
static bool tell_far(warp *w, const insn *in, int lane, const job *j, block *b)
{
    access bytes = {.in = in,
                    .mask = UINT32_C(1) << lane,
                    .size = extent(j, lane),
                    .space = SPACE_SHARED,
                    .kind = j->reduce ? ACCESS_ATOMIC : ACCESS_WRITE,
                    .of = b};
    access object = bytes;
    object.size = 8;
    object.kind = ACCESS_ATOMIC;
    object.order = ORDER_RELEASE | ORDER_SCOPE_CLUSTER;
    bytes.address[lane] = j->at[lane];
    object.address[lane] = j->barrier[lane];
    return watch_access(w, &bytes) && watch_access(w, &object);
}

/* The race check hears of writes to shared memory twice. When the copy is issued, for what its thread learns until it
 * has landed does not put it after anything; and when it lands, as nobody may read before. */
static bool tell_races(warp *w, const insn *in, int lane, const job *j)
{
    const uint8_t watch = w->watch;
    bool fine = true;
    block *b;
    if (!(watch & WATCH_RACE) || j->space != SPACE_SHARED || !j->bytes[lane]) return true;
    w->watch = WATCH_RACE;
    for (uint32_t k = 0; fine && (b = next_block(w, j, lane, &k)) != NULL;) {
        watch_bulk_issue(w, in, lane, b, j->at[lane], extent(j, lane));
        fine = b == w->block ? bulk_report(w, in, lane, SPACE_SHARED, j->at[lane], extent(j, lane),
                                           j->reduce ? ACCESS_ATOMIC : ACCESS_WRITE, NULL)
                             : tell_far(w, in, lane, j, b);
    }
    w->watch = watch;
    return fine;
}

/* Several lanes that store the same bytes to the same place do no harm. */
static bool is_again(const warp *w, int lane, const job *j)
{
    const async_state *s = w->async;
    const job *o = j > s->jobs ? j - 1 : NULL;
    const int other = o && o->mask ? first_lane(o->mask) : 32;
    return other < lane && o->in == j->in && o->source_space == SPACE_SHARED && j->source_space == SPACE_SHARED &&
           j->space == SPACE_GLOBAL && !j->reduce && o->bytes[other] == j->bytes[lane] &&
           o->source[other] == j->source[lane] && o->at[other] == j->at[lane] && o->tensor == j->tensor &&
           (!j->tensor || (!memcmp(o->box, j->box, sizeof j->box) && !memcmp(&o->map, &j->map, sizeof j->map)));
}

static void say_again(const warp *w, const insn *in, int lane)
{
    fault_remark(w, in, SIM_FAULT_SAME_VALUE, UINT32_C(1) << lane,
                 "Let one thread of the warp issue the copy: elect.sync, or the first lane.",
                 "several threads of the warp issue the same bulk copy; harmless, but one is enough");
}

/* Everything is found: it is in flight. `global`: bytes of global memory, in so many sectors. */
static bool sent(warp *w, const insn *in, int lane, const bulk_copy *c, job *j, uint64_t global, uint64_t sectors,
                 uint32_t rows)
{
    const uint64_t moved = j ? j->bytes[lane] : 0;
    w->worker->side_cost += moved / BYTES_EACH;
    if (w->watch & WATCH_COUNT) {
        const uint32_t each = tensor_type_bytes(j && j->tensor ? j->map.type : c->type);
        count_bulk(w, in, lane, global, sectors, moved, c->reduce ? moved / each : 0);
    }
    if (w->watch & WATCH_TIME) {
        bulk_traffic *t = &w->worker->bulk;
        t->tensor = c->map != NULL;
        t->map = c->map ? c->map[lane] : 0;
        t->kind = c->to_space != SPACE_GLOBAL ? ACCESS_READ : c->reduce ? ACCESS_ATOMIC : ACCESS_WRITE;
        if (!bulk_flight(w, in, rows)) return false;
        if (j) j->flight = t->flight;
    }
    if (j && !tell_races(w, in, lane, j)) return false;
    if (j && c->from_space == SPACE_SHARED) j->issued = watch_copy_begins(w);
    if (j) j->again = is_again(w, lane, j);
    if (j && j->again && (w->watch & WATCH_RACE)) say_again(w, in, lane);
    if (j) j->mask = UINT32_C(1) << lane;
    return true;
}

/* ---- plain bytes ---- */
static bool send_bytes(warp *w, const insn *in, int lane, const bulk_copy *c)
{
    const uint32_t bytes = c->bytes[lane];
    const bool serial = c->reduce && c->to_space == SPACE_GLOBAL && w->worker->launch->bet;
    uint8_t space;
    char *host;
    alloc *from = NULL;
    block *of;
    if (serial && launch_serial(w, in)) return false;
    job *j = new_copy(w, in, lane, c);
    if (!j) return false;
    if (bytes % 16) {
        fault_raise(w, in, SIM_FAULT_BAD_OPERAND, lane, UINT32_C(1) << lane, "", 0, bytes,
                    "the size of a bulk copy must be a multiple of 16 bytes, not %u", (unsigned)bytes);
        return false;
    }
    if (j->blocks[lane] && !multicast_fits(w, in, lane, j->blocks[lane])) return false;
    if (c->from_space == SPACE_SHARED) {
        if (!shared_place(w, in, lane, c->from[lane], bytes, 16, ACCESS_READ, &of, &j->source[lane])) return false;
        if (of != w->block)
            return bulk_bad(w, in, lane, c->from[lane], "shared", "a bulk copy reads the own block's memory");
        j->from[lane] = w->block->shared + j->source[lane];
    } else {
        if (!memory_span(w, in, SPACE_GLOBAL, lane, c->from[lane], bytes, 16, ACCESS_READ, &j->source[lane], &space,
                         &host, &from))
            return false;
        j->from[lane] = host;
    }
    if (!bulk_report(w, in, lane, c->from_space, j->source[lane], bytes, ACCESS_READ, from)) return false;
    if (c->to_space == SPACE_SHARED) {
        if (!shared_place(w, in, lane, c->to[lane], bytes, 16, ACCESS_WRITE, &j->there[lane], &j->at[lane]))
            return false;
    } else if (!memory_span(w, in, SPACE_GLOBAL, lane, c->to[lane], bytes, 16, ACCESS_WRITE, &j->at[lane], &space,
                            &j->to[lane], &j->al)) {
        return false;
    }
    if (w->worker->launch->bet && bytes) {
        if (from && !bet_run(w, in, from, j->source[lane] - from->start, bytes, ACCESS_READ)) return false;
        if (j->al && !bet_run(w, in, j->al, j->at[lane] - j->al->start, bytes, ACCESS_WRITE)) return false;
    }
    j->bytes[lane] = j->taken[lane] = bytes;
    const bool reads = c->from_space == SPACE_GLOBAL, writes = c->to_space == SPACE_GLOBAL;
    const uint64_t global = reads ? j->source[lane] : j->at[lane];
    const uint32_t moved = reads || writes ? bytes : 0;
    if (moved && !add_piece(w, in, global, bytes)) return false;
    return find_barrier(w, in, lane, c, j) &&
           sent(w, in, lane, c, j, moved, sectors_of(global, moved), (bytes + SHARED_ALIGN - 1) / SHARED_ALIGN);
}

/* ---- boxes of tensors ---- */
/* The types that each operation of a reduction takes. */
static bool reduces(uint32_t op, uint32_t type)
{
    static const uint16_t types[] = {[BULK_ADD] = 1 << TENSOR_U32 | 1 << TENSOR_S32 | 1 << TENSOR_U64 |
                                                  1 << TENSOR_F16 | 1 << TENSOR_BF16 | 1 << TENSOR_F32 |
                                                  1 << TENSOR_F32_FTZ | 1 << TENSOR_F64,
                                     [BULK_MIN] = 1 << TENSOR_U32 | 1 << TENSOR_S32 | 1 << TENSOR_U64 |
                                                  1 << TENSOR_S64 | 1 << TENSOR_F16 | 1 << TENSOR_BF16,
                                     [BULK_MAX] = 1 << TENSOR_U32 | 1 << TENSOR_S32 | 1 << TENSOR_U64 |
                                                  1 << TENSOR_S64 | 1 << TENSOR_F16 | 1 << TENSOR_BF16,
                                     [BULK_INC] = 1 << TENSOR_U32,
                                     [BULK_DEC] = 1 << TENSOR_U32,
                                     [BULK_AND] = 1 << TENSOR_U32 | 1 << TENSOR_S32 | 1 << TENSOR_U64,
                                     [BULK_OR] = 1 << TENSOR_U32 | 1 << TENSOR_S32 | 1 << TENSOR_U64,
                                     [BULK_XOR] = 1 << TENSOR_U32 | 1 << TENSOR_S32 | 1 << TENSOR_U64};
    return types[op] >> type & 1;
}

static bool map_suits(warp *w, const insn *in, int lane, const bulk_copy *c, const sim_tensor_map *m, const char *name)
{
    static const char *const ops[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
    char what[240];
    if (m->rank != c->rank) {
        snprintf(what, sizeof what, "%s has %u dimension%s, the instruction %u", name, (unsigned)m->rank,
                 m->rank == 1 ? "" : "s", (unsigned)c->rank);
        return bulk_bad(w, in, lane, c->map[lane], "", what);
    }
    if (!c->reduce || reduces(c->op, m->type)) return true;
    snprintf(what, sizeof what, "%s has elements of %s, which a reduction by .%s does not take", name,
             tensor_type_name(m->type), ops[c->op]);
    return bulk_bad(w, in, lane, c->map[lane], "", what);
}

/* An H200 stores whole 16 bytes, also where a row of the tensor ends within them; here not past the buffer's end. */
static uint32_t whole_bytes(const alloc *al, uint64_t at, uint32_t bytes)
{
    const uint64_t room = al->size - (at - al->start), whole = ((uint64_t)bytes + 15) / 16 * 16;
    return (uint32_t)(whole < room ? whole : room);
}

/* The rows of the box, as far as they are in the tensor: each must be in a buffer. */
static bool reach_rows(warp *w, const insn *in, int lane, const bulk_copy *c, const sim_tensor_map *m,
                       const int32_t *box, const char *name, uint64_t *global, uint64_t *sectors)
{
    const bool writes = c->to_space == SPACE_GLOBAL;
    const enum access_kind kind = writes ? ACCESS_WRITE : ACCESS_READ;
    const uint32_t rows = tensor_rows(m);
    alloc *al = NULL;
    for (uint32_t r = 0; r < rows; r++) {
        uint64_t at;
        uint32_t skip, bytes;
        if (!tensor_row(m, box, r, &at, &skip, &bytes)) continue;
        if (!al || at < al->start || at - al->start > al->size) al = memory_at(&w->worker->launch->s->mem, at);
        if (!al || al->freed || !al->host || at - al->start > al->size || al->size - (at - al->start) < bytes ||
            (writes && al->is_const))
            return bulk_map_leaves(w, in, lane, m, name, at, bytes, al, kind);
        if (!al->touched) al->touched = true;
        if (writes) bytes = whole_bytes(al, at, bytes);
        *global += bytes;
        *sectors += sectors_of(at, bytes);
        if (!add_piece(w, in, at, bytes)) return false;
        if (c->prefetch) continue;
        if (w->worker->launch->bet && !bet_run(w, in, al, at - al->start, bytes, kind)) return false;
        if (!writes && w->watch && !bulk_report(w, in, lane, SPACE_GLOBAL, at, bytes, ACCESS_READ, al)) return false;
    }
    return true;
}

/* An H200 refuses a box that begins within 16 bytes of a row, and one to be stored that begins before the tensor:
 * "illegal instruction". */
static bool starts_well(warp *w, const insn *in, int lane, const sim_tensor_map *m, const int32_t *box, bool stores,
                        uint64_t map)
{
    const int32_t first = box[0];
    const int64_t at = (int64_t)first * tensor_type_bytes(m->type);
    char what[160];
    for (uint32_t d = 0; stores && d < m->rank; d++) {
        if (box[d] >= 0) continue;
        snprintf(what, sizeof what,
                 "the box begins at element %d of dimension %u: one that is stored may reach out of the tensor at its "
                 "end alone",
                 box[d], (unsigned)d);
        return bulk_bad(w, in, lane, map, "", what);
    }
    if (at % 16 == 0) return true;
    snprintf(what, sizeof what,
             "the box begins at element %d of its rows, %lld bytes in: that must be a multiple of 16 bytes", first,
             (long long)at);
    return bulk_bad(w, in, lane, map, "", what);
}

static bool send_box(warp *w, const insn *in, int lane, const bulk_copy *c)
{
    char name[140];
    sim_tensor_map m = {0};
    int32_t box[5] = {0};
    uint64_t global = 0, sectors = 0;
    const bool serial = c->reduce && w->worker->launch->bet;
    if (serial && launch_serial(w, in)) return false;
    if (!bulk_map_read(w, in, lane, c->map[lane], &m, name, sizeof name) || !map_suits(w, in, lane, c, &m, name))
        return false;
    for (uint32_t d = 0; d < c->rank; d++) box[d] = c->at[d][lane];
    if (!starts_well(w, in, lane, &m, box, c->to_space == SPACE_GLOBAL && !c->prefetch, c->map[lane])) return false;
    if (c->prefetch)
        return reach_rows(w, in, lane, c, &m, box, name, &global, &sectors) &&
               sent(w, in, lane, c, NULL, global, sectors, tensor_rows(&m));
    job *j = new_copy(w, in, lane, c);
    if (!j) return false;
    const bool loads = c->to_space == SPACE_SHARED;
    const uint32_t bytes = tensor_rows(&m) * tensor_row_bytes(&m), all = tensor_rows(&m) * tensor_pitch(&m),
                   room = m.swizzle ? (all + SHARED_ALIGN - 1) / SHARED_ALIGN * SHARED_ALIGN : all;
    uint64_t *const shared = loads ? &j->at[lane] : &j->source[lane];
    block *of;
    if (j->blocks[lane] && !multicast_fits(w, in, lane, j->blocks[lane])) return false;
    if (!shared_place(w, in, lane, loads ? c->to[lane] : c->from[lane], room, SHARED_ALIGN,
                      loads ? ACCESS_WRITE : ACCESS_READ, &of, shared))
        return false;
    if (loads) j->there[lane] = of;
    else if (of != w->block)
        return bulk_bad(w, in, lane, c->from[lane], "shared", "a bulk copy reads the own block's memory");
    if (!loads && !bulk_report(w, in, lane, SPACE_SHARED, *shared, all, ACCESS_READ, NULL)) return false;
    j->tensor = true;
    j->map = m;
    j->bytes[lane] = bytes;
    memcpy(j->box, box, sizeof box);
    return reach_rows(w, in, lane, c, &m, box, name, &global, &sectors) && find_barrier(w, in, lane, c, j) &&
           sent(w, in, lane, c, j, global, sectors, tensor_rows(&m));
}

bool async_bulk(warp *w, const insn *in, const bulk_copy *c)
{
    for (int l = 0; l < 32; l++)
        if ((w->mask >> l & 1) && !(c->map ? send_box(w, in, l, c) : send_bytes(w, in, l, c))) return false;
    return true;
}

/* ---- landing ---- */
bool bulk_goes_to(const warp *w, const job *j, int lane, const block *b)
{
    if (!j->blocks[lane]) return j->there[lane] == b;
    for (uint32_t r = 0; r < 16; r++)
        if ((j->blocks[lane] >> r & 1) && block_peer(w->block, r) == b) return true;
    return false;
}

/* The blocks that a copy writes to, one after the other; NULL: no more. */
static block *next_block(const warp *w, const job *j, int lane, uint32_t *rank)
{
    if (!j->blocks[lane]) return (*rank)++ ? NULL : j->there[lane];
    while (*rank < 16) {
        block *peer = j->blocks[lane] >> (*rank)++ & 1 ? block_peer(w->block, *rank - 1) : NULL;
        if (peer) return peer; /* NULL: it has ended, which the checks name */
    }
    return NULL;
}

/* Bytes have come to one block's shared memory, or (b NULL) to global memory: what is known of them? */
static void came(warp *w, const job *j, int lane, block *b, uint64_t to, uint64_t from, uint32_t bytes)
{
    block *own = w->block;
    const landing c = {
        .of = b, .to = to, .from = from, .from_space = j->source_space, .bytes = bytes, .reduces = j->reduce != NULL};
    watch_landed(w, lane, &c);
    if (!(w->watch & WATCH_INIT) || !bytes || j->reduce) return;
    if (b) w->block = b;
    if (b && b != own && j->source_space == SPACE_SHARED)
        w->block = own; /* from here: its bits are taken as they are */
    else init_copied(w, j->in, lane, b ? SPACE_SHARED : SPACE_GLOBAL, to, j->source_space, from, bytes);
    w->block = own;
}

/* Another block's memory is written: it counts as written. */
static void mark_written(block *b, uint64_t at, uint32_t bytes)
{
    for (uint64_t i = at; b->shared_init && i < at + bytes; i++) b->shared_init[i >> 6] |= UINT64_C(1) << (i & 63);
}

static bool writes_shared(warp *w, const job *j, int lane, block *b, uint32_t bytes)
{
    if (b == w->block)
        return bulk_report(w, j->in, lane, SPACE_SHARED, j->at[lane], bytes, j->reduce ? ACCESS_ATOMIC : ACCESS_WRITE,
                           NULL);
    mark_written(b, j->at[lane], bytes);
    const uint8_t watch = w->watch;
    if (!(watch & WATCH_RACE) || !bytes) return true;
    w->watch = WATCH_RACE;
    const bool fine = tell_far(w, j->in, lane, j, b);
    w->watch = watch;
    return fine;
}

static bool load_box(warp *w, const job *j, int lane)
{
    const sim_tensor_map *m = &j->map;
    const uint32_t rows = tensor_rows(m), each = tensor_row_bytes(m), pitch = tensor_pitch(m);
    char row[ROW_MOST];
    block *b;
    for (uint32_t k = 0; (b = next_block(w, j, lane, &k)) != NULL;)
        if (!writes_shared(w, j, lane, b, extent(j, lane))) return false;
    for (uint32_t r = 0; r < rows; r++) {
        uint64_t from = 0;
        uint32_t skip = 0, bytes = 0;
        const bool inside = tensor_row(m, j->box, r, &from, &skip, &bytes);
        if (!inside || bytes < each) tensor_fill(m, row, each);
        if (inside) {
            const alloc *al = memory_at(&w->worker->launch->s->mem, from);
            memcpy(row + skip, al->host + (from - al->start), bytes);
            tensor_convert(m, row + skip, bytes);
        }
        for (uint32_t i = 0; i < each; i += 16) {
            const uint32_t to = tensor_swizzled(m, (uint32_t)j->at[lane] + r * pitch + i);
            for (uint32_t k = 0; (b = next_block(w, j, lane, &k)) != NULL;) {
                const landing filled = {.of = b, .to = to, .bytes = 16, .from_space = SPACE_NONE};
                memcpy(b->shared + to, row + i, 16);
                watch_landed(w, lane, &filled);
                const uint32_t low = i > skip ? i : skip, high = i + 16 < skip + bytes ? i + 16 : skip + bytes;
                if (inside && low < high) came(w, j, lane, b, to + (low - i), from + (low - skip), high - low);
            }
        }
    }
    return true;
}

static bool store_box(warp *w, const job *j, int lane)
{
    const sim_tensor_map *m = &j->map;
    const uint32_t rows = tensor_rows(m), each = tensor_row_bytes(m), pitch = tensor_pitch(m);
    char row[ROW_MOST];
    for (uint32_t r = 0; r < rows; r++) {
        uint64_t to;
        uint32_t skip, bytes;
        if (!tensor_row(m, j->box, r, &to, &skip, &bytes)) continue;
        alloc *al = memory_at(&w->worker->launch->s->mem, to);
        char *host = al->host + (to - al->start);
        bytes = whole_bytes(al, to, bytes);
        for (uint32_t i = 0; i < each; i += 16)
            memcpy(row + i, w->block->shared + tensor_swizzled(m, (uint32_t)j->source[lane] + r * pitch + i), 16);
        if (!j->again &&
            !bulk_report(w, j->in, lane, SPACE_GLOBAL, to, bytes, j->reduce ? ACCESS_ATOMIC : ACCESS_WRITE, al))
            return false;
        if (j->reduce) j->reduce(j->op, m->type, host, row + skip, bytes);
        else memcpy(host, row + skip, bytes);
        for (uint32_t i = 0; i < each; i += 16) {
            const uint32_t low = i > skip ? i : skip, high = i + 16 < skip + bytes ? i + 16 : skip + bytes;
            const uint32_t from = tensor_swizzled(m, (uint32_t)j->source[lane] + r * pitch + i);
            if (low < high) came(w, j, lane, NULL, to + (low - skip), from + (low - i), high - low);
        }
    }
    return true;
}

static void move(const job *j, int lane, char *to)
{
    if (j->reduce) j->reduce(j->op, j->type, to, j->from[lane], j->bytes[lane]);
    else memmove(to, j->from[lane], j->bytes[lane]);
}

static bool land_bytes(warp *w, const job *j, int lane)
{
    const uint32_t bytes = j->bytes[lane];
    block *b;
    if (!bytes) return true;
    if (j->space == SPACE_GLOBAL) {
        if (!j->again && !bulk_report(w, j->in, lane, SPACE_GLOBAL, j->at[lane], bytes,
                                      j->reduce ? ACCESS_ATOMIC : ACCESS_WRITE, j->al))
            return false;
        move(j, lane, j->to[lane]);
        came(w, j, lane, NULL, j->at[lane], j->source[lane], bytes);
        return true;
    }
    for (uint32_t k = 0; (b = next_block(w, j, lane, &k)) != NULL;) {
        if (!writes_shared(w, j, lane, b, bytes)) return false;
        move(j, lane, b->shared + j->at[lane]);
        came(w, j, lane, b, j->at[lane], j->source[lane], bytes);
    }
    return true;
}

bool bulk_land(warp *w, job *j, int lane)
{
    block *b;
    if (j->source_space == SPACE_SHARED) watch_copy_over(w, j->in, lane, j->source[lane], extent(j, lane), j->issued);
    if (!(!j->tensor                 ? land_bytes(w, j, lane)
          : j->space == SPACE_SHARED ? load_box(w, j, lane)
                                     : store_box(w, j, lane)))
        return false;
    if (j->kind == JOB_BULK_GROUP) return true;
    for (uint32_t k = 0; (b = next_block(w, j, lane, &k)) != NULL;) {
        if (b == w->block && !job_release(w, j->in, lane, j->barrier[lane])) return false;
        if (!mb_change(w, j->in, lane, j->barrier[lane], b->shared + j->barrier[lane], 0, -(int64_t)j->bytes[lane], 0,
                       true))
            return false;
    }
    return true;
}
