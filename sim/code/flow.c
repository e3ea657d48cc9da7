/* flow.c: basic blocks, their successors, and the dominators of a graph of them (Cooper, Harvey and
 * Kennedy's iteration). Every function ends in one block, its last.
 */
#include "flow.h"

static bool ends_flow(const node *n)
{
    return n->kind == NODE_BRANCH || n->kind == NODE_JUMP || n->kind == NODE_TABLE || n->kind == NODE_CALL ||
           n->kind == NODE_END_LANES || n->ends_block;
}

static void mark_target(builder *b, uint8_t *leads, int target) { leads[b->node_of[target]] = 1; }

static void add_successor(flow_block *fb, uint32_t to)
{
    if (fb->succ_count < 2) fb->succ[fb->succ_count++] = to;
}

/* Marks the nodes at which a block begins. */
void flow_leaders(builder *b, uint8_t *leads)
{
    leads[0] = 1;
    leads[b->node_count - 1] = 1;
    for (uint32_t i = 0; i < b->node_count; i++) {
        const node *n = &b->nodes[i];
        if (n->target >= 0) mark_target(b, leads, n->target);
        for (int t = 0; t < n->target_count; t++) mark_target(b, leads, n->targets[t]);
        if (ends_flow(n)) leads[i + 1] = 1;
    }
}

static void find_blocks(builder *b)
{
    uint8_t *leads = arena_array(b->pass, (size_t)b->node_count + 1, 1);
    flow_leaders(b, leads);
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->node_count; i++) count += leads[i];
    b->blocks = arena_array(b->scratch, count, sizeof *b->blocks);
    b->block_count = count;
    uint32_t k = UINT32_MAX;
    for (uint32_t i = 0; i < b->node_count; i++) {
        if (leads[i]) b->blocks[++k].first = i;
        b->blocks[k].last = i;
        b->nodes[i].block = k;
    }
    for (k = 0; k < count; k++) {
        flow_block *fb = &b->blocks[k];
        const node *n = &b->nodes[fb->last];
        switch (n->kind) {
        case NODE_FUNCTION_END: break;
        case NODE_END_LANES: add_successor(fb, count - 1); break;
        case NODE_JUMP: add_successor(fb, b->nodes[b->node_of[n->target]].block); break;
        case NODE_BRANCH:
            add_successor(fb, b->nodes[b->node_of[n->target]].block);
            add_successor(fb, k + 1);
            break;
        case NODE_TABLE:
            fb->more = arena_array(b->scratch, (size_t)n->target_count, sizeof *fb->more);
            fb->more_count = (uint32_t)n->target_count;
            for (int t = 0; t < n->target_count; t++) fb->more[t] = b->nodes[b->node_of[n->targets[t]]].block;
            break;
        default: add_successor(fb, k + 1);
        }
    }
}

uint32_t flow_successors(const flow_block *fb, const uint32_t **list)
{
    *list = fb->more ? fb->more : fb->succ;
    return fb->more ? fb->more_count : fb->succ_count;
}

/* ---- dominators ---- */

/* Sorts the edges by their end at `side`: fills g->first and g->list with the other ends. */
static void sort_edges(arena *a, flow_graph *g, int side)
{
    uint32_t *first = g->first[side] = arena_array(a, (size_t)g->blocks + 2, sizeof *first);
    uint32_t *list = g->list[side] = arena_array(a, (size_t)g->edges + 1, sizeof *list);
    for (uint32_t e = 0; e < g->edges; e++) first[g->edge[e][side] + 2]++;
    for (uint32_t k = 2; k < g->blocks + 2; k++) first[k] += first[k - 1];
    for (uint32_t e = 0; e < g->edges; e++) list[first[g->edge[e][side] + 1]++] = g->edge[e][!side];
}

void flow_sort(arena *a, flow_graph *g, uint32_t root)
{
    for (int side = 0; side < 2; side++) sort_edges(a, g, side);
    const uint32_t *first = g->first[0], *list = g->list[0];
    uint32_t *order = g->order = arena_array(a, (size_t)g->blocks + 1, sizeof *order),
             *number = g->number = arena_array(a, (size_t)g->blocks + 1, sizeof *number);
    uint32_t *stack = arena_array(a, (size_t)g->blocks + 1, sizeof *stack),
             *next = arena_array(a, (size_t)g->blocks + 1, sizeof *next);
    uint32_t top = 0;
    stack[top++] = root;
    number[root] = UINT32_MAX; /* on the stack */
    next[root] = first[root];
    while (top) {
        const uint32_t k = stack[top - 1];
        if (next[k] == first[k + 1]) {
            order[g->reached++] = k;
            number[k] = g->reached;
            top--;
            continue;
        }
        const uint32_t to = list[next[k]++];
        if (number[to]) continue;
        number[to] = UINT32_MAX;
        next[to] = first[to];
        stack[top++] = to;
    }
}

const uint32_t *flow_dominators(arena *a, flow_graph *g, uint32_t root)
{
    uint32_t *dom = arena_array(a, (size_t)g->blocks + 1, sizeof *dom);
    flow_sort(a, g, root);
    const uint32_t *first = g->first[1], *from = g->list[1], *number = g->number;
    for (uint32_t k = 0; k < g->blocks; k++) dom[k] = UINT32_MAX;
    dom[root] = root;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = g->reached; i-- > 0;) {
            const uint32_t k = g->order[i];
            uint32_t best = UINT32_MAX;
            for (uint32_t e = first[k]; k != root && e < first[k + 1]; e++) {
                uint32_t x = from[e], y = best;
                if (!number[x] || dom[x] == UINT32_MAX) continue;
                while (y != UINT32_MAX && x != y) {
                    while (number[x] < number[y]) x = dom[x];
                    while (number[y] < number[x]) y = dom[y];
                }
                best = x;
            }
            if (k == root || best == dom[k]) continue;
            dom[k] = best;
            changed = true;
        }
    }
    dom[root] = UINT32_MAX;
    return dom;
}

int build_flow(builder *b)
{
    find_blocks(b);
    build_meets(b);
    return SIM_OK;
}
