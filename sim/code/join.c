/* join.c: neighbouring words of shared or constant memory that ptxas reads or writes with one
 * instruction.
 *
 * Loads (or stores) of one block become one access when they have the same base, their words lie in
 * one aligned piece of 16 or 8 bytes, and no store (or other access) to shared memory comes between
 * them. Seen with ptxas 13: for a load three words of a 16-byte piece are enough, a store needs all
 * of them. Constants that a register points to become pairs; other constants are operands, not
 * loads. In global memory nothing is joined: its pointers come from outside.
 *
 * The base must be provably aligned: find_zeros computes how many low bits of each register are
 * always zero.
 */
#include "schedule.h"
#include <stdlib.h>

enum { ALL_ZERO = 64, PASSES = 12 };

static int zeros_of(uint64_t v)
{
    int n = 0;
    while (n < ALL_ZERO && !(v >> n & 1)) n++;
    return n;
}

/* ---- how many low bits of a register are zero ---- */

static uint64_t constant_bits(const builder *b, int32_t ref)
{
    uint32_t place = (uint32_t)~ref, low = 0, high = b->constant_count;
    while (low + 1 < high) {
        uint32_t middle = (low + high) / 2;
        if (b->constants[middle].place <= place) low = middle;
        else high = middle;
    }
    return b->constant_count && b->constants[low].place == place ? b->constants[low].bits : 1;
}

static int zeros_at(const builder *b, const node *n, uint32_t slot, const uint8_t *zeros)
{
    int32_t ref = slot < n->ref_count && n->refs[slot].role == USE ? n->refs[slot].ref : REF_NONE;
    if (ref == REF_NONE || ref == REF_NO_BASE) return 0;
    return ref < 0 ? zeros_of(constant_bits(b, ref)) : zeros[ref];
}

static int least(int a, int b) { return a < b ? a : b; }
static int most(int a, int b) { return a > b ? a : b; }

/* Low zero bits of the value that n writes. */
static int zeros_made(const builder *b, const node *n, const uint8_t *zeros)
{
    const ptx_insn *in = n->src;
    if (!n->real || n->kind != NODE_PLAIN || !in->type_count || n->refs[0].role != DEF) return 0;
    for (int i = 0; i < in->type_count; i++)
        if (ptx_types[in->type[i]].kind == 'F') return 0;
    int x = zeros_at(b, n, 1, zeros), y = zeros_at(b, n, 2, zeros), z = zeros_at(b, n, 3, zeros);
    switch (in->op) {
    case OP_MOV:
    case OP_CVTA:
    case OP_CVT: return n->ref_count == 2 && !ptx_has(in, S_SAT) ? x : 0;
    case OP_ADD:
    case OP_SUB: return n->ref_count == 3 && !ptx_has(in, S_SAT) ? least(x, y) : 0;
    case OP_OR:
    case OP_XOR: return least(x, y);
    case OP_AND: return most(x, y);
    case OP_SELP: return least(x, y);
    case OP_SHL: return n->refs[2].ref < 0 ? least(x + (int)(constant_bits(b, n->refs[2].ref) & 63), ALL_ZERO) : x;
    case OP_MUL: return ptx_has(in, S_LO) || ptx_has(in, S_WIDE) ? least(x + y, ALL_ZERO) : 0;
    case OP_MAD:
        return (ptx_has(in, S_LO) || ptx_has(in, S_WIDE)) && n->ref_count == 4 && !ptx_has(in, S_SAT)
                   ? least(least(x + y, ALL_ZERO), z)
                   : 0;
    default: return 0;
    }
}

static void find_zeros(const builder *b, uint8_t *zeros)
{
    memset(zeros, ALL_ZERO, b->reg_count);
    for (int pass = 0; pass < PASSES; pass++) {
        bool changed = false;
        for (uint32_t i = 0; i < b->node_count; i++) {
            const node *n = &b->nodes[i];
            for (uint32_t s = 0; s < n->ref_count; s++) {
                if (n->refs[s].ref < 0 || n->refs[s].role == USE || n->refs[s].role == SLOT_UNUSED) continue;
                int made = s == 0 ? zeros_made(b, n, zeros) : 0;
                if (made >= zeros[n->refs[s].ref]) continue;
                zeros[n->refs[s].ref] = (uint8_t)made;
                changed = true;
            }
        }
        if (!changed) return;
    }
    memset(zeros, 0, b->reg_count);
}

/* ---- which accesses become one ---- */

enum { BASE = 4 /* slot of an address's base */, NO_BASE = -1 };
typedef struct word_access {
    /* version: last write of its base; touched: last mention of its data registers (node + 1) */
    uint32_t node, version, touched;
    uint32_t number; /* in the order of the text */
    int32_t base;
    int64_t offset;
    uint32_t bytes;
} word_access;

typedef struct joiner {
    builder *b;
    uint8_t *zeros;
    uint32_t *written, *named; /* by register: the last node of this block that did, plus one */
    word_access *list;
    uint32_t count;
    bool stores; /* what the list holds */
    uint8_t space;
} joiner;

static int by_address(const void *x, const void *y)
{
    const word_access *a = x, *b = y;
    if (a->base != b->base) return a->base < b->base ? -1 : 1;
    if (a->version != b->version) return a->version < b->version ? -1 : 1;
    if (a->offset != b->offset) return a->offset < b->offset ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

/* The accesses from..to of the list lie in a piece of `bytes` at `start`: joins them if they fill
 * it. Stores must be consecutive: a store between them may write the same words, by another
 * register or for another lane, and must come after the first and before the last of them. */
static bool join(joiner *j, uint32_t from, uint32_t to, int64_t start, uint32_t bytes)
{
    uint32_t filled = 0, words = 0, first = UINT32_MAX, earliest = UINT32_MAX, latest = 0;
    const uint32_t count = to - from;
    for (uint32_t i = from; i < to; i++) {
        const word_access *a = &j->list[i];
        uint32_t mask = ((1u << a->bytes / 4) - 1) << (a->offset - start) / 4;
        if (filled & mask) return false;
        filled |= mask;
        first = a->node < first ? a->node : first;
        earliest = a->number < earliest ? a->number : earliest;
        latest = a->number > latest ? a->number : latest;
    }
    for (uint32_t m = filled; m; m &= m - 1) words++;
    if (count < 2 || count > JOIN_MOST || (words < bytes / 4 && (j->stores || words < 3))) return false;
    if (j->stores && latest - earliest != count - 1) return false;
    for (uint32_t i = from; i < to; i++)
        if (!j->stores && j->list[i].touched > first) return false;
    for (uint32_t i = from; j->stores && i < to; i++)
        for (uint32_t s = 0; s < j->b->nodes[j->list[i].node].ref_count; s++) {
            const node_ref *r = &j->b->nodes[j->list[i].node].refs[s];
            if (r->ref >= 0 && j->written[r->ref] > j->list[i].node + 1) return false;
        }
    join_group *g = ARENA_PUSH(j->b->scratch, j->b->groups, j->b->group_count, j->b->group_capacity);
    *g = (join_group){.bytes = (uint8_t)bytes};
    for (uint32_t i = from; i < to; i++) {
        uint32_t k = g->count++;
        for (; k && g->node[k - 1] > j->list[i].node; k--) g->node[k] = g->node[k - 1];
        g->node[k] = j->list[i].node;
        j->b->nodes[j->list[i].node].group = j->b->group_count;
    }
    return true;
}

static void join_pieces(joiner *j, uint32_t from, uint32_t to, uint32_t bytes)
{
    for (uint32_t i = from; i < to;) {
        int64_t start = j->list[i].offset & ~(int64_t)(bytes - 1);
        uint32_t k = i;
        bool inside = true;
        for (; k < to && j->list[k].offset < start + bytes; k++)
            inside = inside && j->list[k].offset + j->list[k].bytes <= start + bytes;
        if (!(inside && join(j, i, k, start, bytes)) && bytes == 16) join_pieces(j, i, k, 8);
        i = k;
    }
}

static void finish(joiner *j)
{
    qsort(j->list, j->count, sizeof *j->list, by_address);
    for (uint32_t i = 0, k; i < j->count; i = k) {
        const word_access *a = &j->list[i];
        for (k = i + 1; k < j->count && j->list[k].base == a->base && j->list[k].version == a->version; k++) continue;
        int zeros = a->base == NO_BASE ? ALL_ZERO
                    : a->base < 0      ? zeros_of(constant_bits(j->b, a->base))
                                       : j->zeros[a->base];
        if (k - i > 1 && zeros >= 3) join_pieces(j, i, k, zeros >= 4 && j->space == SPACE_SHARED ? 16 : 8);
    }
    j->count = 0;
}

static bool is_word_access(const node *n, uint8_t space)
{
    if (!n->real || n->guarded || n->space != space || n->ref_count <= BASE) return false;
    if (space == SPACE_SHARED ? n->cls != SIM_CLASS_SHARED_LOAD && n->cls != SIM_CLASS_SHARED_STORE
                              : n->cls != SIM_CLASS_CONSTANT || n->refs[BASE].ref < 0)
        return false;
    return (n->order & ORDER_MASK) == ORDER_WEAK && n->size >= 4 && n->size * n->count < 16 && n->imm % 4 == 0;
}

static void add_access(joiner *j, uint32_t at)
{
    const node *n = &j->b->nodes[at];
    word_access *a = &j->list[j->count];
    int32_t base = n->refs[BASE].ref;
    *a = (word_access){.node = at,
                       .number = j->count++,
                       .base = base == REF_NONE || base == REF_NO_BASE ? NO_BASE : base,
                       .offset = n->imm,
                       .bytes = (uint32_t)n->size * n->count};
    if (a->base >= 0) a->version = j->written[a->base];
    for (uint32_t s = 0; s < n->ref_count; s++)
        if (n->refs[s].ref >= 0 && n->refs[s].role == DEF && j->named[n->refs[s].ref] > a->touched)
            a->touched = j->named[n->refs[s].ref];
}

static void join_block(joiner *j, const flow_block *block, uint8_t space)
{
    const builder *b = j->b;
    const unsigned ends = space == SPACE_SHARED ? ~(unsigned)TOUCH_GLOBAL : (unsigned)TOUCH_ALL;
    j->space = space;
    for (uint32_t i = block->first; i <= block->last; i++) {
        const node *n = &b->nodes[i];
        bool store = n->cls == SIM_CLASS_SHARED_STORE, mine = is_word_access(n, space);
        if ((mine && store != j->stores) || (!mine && build_touches(n) & ends)) finish(j);
        if (mine) {
            j->stores = store;
            add_access(j, i);
        }
        for (uint32_t s = 0; s < n->ref_count; s++) {
            if (n->refs[s].ref < 0) continue;
            j->named[n->refs[s].ref] = i + 1;
            if (n->refs[s].role != USE) j->written[n->refs[s].ref] = i + 1;
        }
    }
    finish(j);
}

void build_join(builder *b)
{
    joiner j = {.b = b};
    j.zeros = arena_array(b->pass, (size_t)b->reg_count + 1, 1);
    j.list = arena_array(b->pass, (size_t)b->node_count + 1, sizeof *j.list);
    find_zeros(b, j.zeros);
    static const uint8_t spaces[] = {SPACE_SHARED, SPACE_CONST};
    for (size_t s = 0; s < sizeof spaces; s++) {
        j.written = arena_array(b->pass, (size_t)b->reg_count + 1, sizeof *j.written);
        j.named = arena_array(b->pass, (size_t)b->reg_count + 1, sizeof *j.named);
        for (uint32_t k = 0; k < b->block_count; k++) join_block(&j, &b->blocks[k], spaces[s]);
    }
}
