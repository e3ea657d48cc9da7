/* flow.c: basic blocks, their successors, and where diverged lanes meet again.
 *
 * Lanes that part at a branch meet at the block's immediate post-dominator: the first place that every path from here must pass. It is
 * found as the dominator on the reversed graph (Cooper, Harvey and Kennedy's iteration), starting from the one block in which
 * every function ends. A block from which no path ends (an endless loop) has none.
 */
#include "build.h"

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
    uint8_t *leads = arena_array(b->scratch, (size_t)b->node_count + 1, 1);
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
        fb->ipdom = UINT32_MAX;
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

static void find_ipdoms(builder *b)
{
    uint32_t n = b->block_count, exit = n - 1, edges = 0;
    uint32_t *first = arena_array(b->scratch, (size_t)n + 2, sizeof *first), *preds;
    const uint32_t *succ;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t c = flow_successors(&b->blocks[k], &succ);
        for (uint32_t i = 0; i < c; i++) first[succ[i] + 2]++;
        edges += c;
    }
    for (uint32_t k = 2; k < n + 2; k++) first[k] += first[k - 1];
    preds = arena_array(b->scratch, (size_t)edges + 1, sizeof *preds);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t c = flow_successors(&b->blocks[k], &succ);
        for (uint32_t i = 0; i < c; i++) preds[first[succ[i] + 1]++] = k;
    }
    /* post-order of the reversed graph, from the end */
    uint32_t *order = arena_array(b->scratch, (size_t)n + 1, sizeof *order), *number = arena_array(b->scratch, (size_t)n + 1, sizeof *number);
    uint32_t *stack = arena_array(b->scratch, (size_t)n + 1, sizeof *stack), *next = arena_array(b->scratch, (size_t)n + 1, sizeof *next);
    uint32_t top = 0, done = 0;
    stack[top++] = exit;
    number[exit] = UINT32_MAX; /* on the stack */
    next[exit] = first[exit];
    while (top) {
        uint32_t k = stack[top - 1];
        if (next[k] == first[k + 1]) {
            number[k] = ++done;
            order[done - 1] = k;
            top--;
            continue;
        }
        uint32_t p = preds[next[k]++];
        if (!number[p]) {
            number[p] = UINT32_MAX;
            next[p] = first[p];
            stack[top++] = p;
        }
    }
    b->blocks[exit].ipdom = exit;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = done; i-- > 0;) {
            uint32_t k = order[i], best = UINT32_MAX;
            if (k == exit) continue;
            uint32_t c = flow_successors(&b->blocks[k], &succ);
            for (uint32_t s = 0; s < c; s++) {
                uint32_t x = succ[s], y = best;
                if (!number[x] || b->blocks[x].ipdom == UINT32_MAX) continue;
                if (y == UINT32_MAX) {
                    best = x;
                    continue;
                }
                while (x != y) {
                    while (number[x] < number[y]) x = b->blocks[x].ipdom;
                    while (number[y] < number[x]) y = b->blocks[y].ipdom;
                }
                best = x;
            }
            if (best != b->blocks[k].ipdom) {
                b->blocks[k].ipdom = best;
                changed = true;
            }
        }
    }
    b->blocks[exit].ipdom = UINT32_MAX;
}

int build_flow(builder *b)
{
    find_blocks(b);
    find_ipdoms(b);
    for (uint32_t k = 0; k < b->block_count; k++) {
        const node *n = &b->nodes[b->blocks[k].last];
        if ((n->kind == NODE_BRANCH || n->kind == NODE_TABLE) && b->blocks[k].ipdom != UINT32_MAX)
            b->blocks[b->blocks[k].ipdom].is_join = true;
        if (n->kind == NODE_CALL) b->blocks[k + 1].is_join = true;
    }
    return SIM_OK;
}
