/* nest.c: loops, and where lanes meet that part in one and stay in it.
 *
 * Where a loop can be left from within an "if" (break, return), the post-dominator of that "if" is behind the loop. Lanes that stay need not wait for it: a card lets those
 * that leave give up the place behind the "if" (ptxas: BREAK), and all others meet there. So a branch of which no way leaves its loop has a second place, the post-dominator in
 * the loop's body: without the edges that leave it, and with those back to its header as the end. With loops in loops there may be one for each.
 *
 * Loops are those of back edges to a block that dominates where they come from; two with the same header are one. They are numbered so that
 * a loop and all those inside it have numbers on end: whether a block is in a loop is a comparison (code_meet).
 */
#include "build.h"

enum { DEEPEST = 8 /* loops further in have none of their own: nobody writes them, and time and memory stay within what the text is worth */ };

typedef struct nest {
    builder *b;
    flow_graph g;
    const uint32_t *dom;
    uint32_t *in;                    /* by block: its innermost loop, 0 none */
    uint32_t *header, *parent, *top; /* by loop, from 1 on, inner ones first; top: as far out as is known */
    uint32_t *depth, *size, *number; /* of it and those inside */
    bool *meets, *given_up;          /* by loop: it has meeting places of its own; it or one around it has, and who leaves gives them up */
    uint32_t count;
    uint32_t *sorted, *begins;       /* blocks in loops by their loop's number, and where those of a number begin */
} nest;

/* ---- finding loops ---- */

static uint32_t outermost(nest *n, uint32_t loop)
{
    uint32_t top = loop;
    while (top && n->top[top] != top) top = n->top[top];
    while (loop && loop != top) {
        const uint32_t next = n->top[loop];
        n->top[loop] = top;
        loop = next;
    }
    return top;
}

/* By block: where it and all that it dominates are, in an order in which these are on end. */
static uint32_t *number_dominators(nest *n, uint32_t *size)
{
    uint32_t *at = arena_array(n->b->scratch, (size_t)n->g.blocks + 1, sizeof *at), *next = arena_array(n->b->scratch, (size_t)n->g.blocks + 1, sizeof *next);
    for (uint32_t i = 0; i < n->g.reached; i++) {
        const uint32_t k = n->g.order[i];
        size[k]++;
        if (n->dom[k] != UINT32_MAX) size[n->dom[k]] += size[k];
    }
    for (uint32_t i = n->g.reached; i-- > 0;) {
        const uint32_t k = n->g.order[i], above = n->dom[k];
        if (above != UINT32_MAX) at[k] = next[above], next[above] += size[k];
        next[k] = at[k] + 1;
    }
    return at;
}

/* All that leads to the ends of the loop without passing its header. `stack` holds the ends. */
static void fill_loop(nest *n, uint32_t loop, uint32_t *stack, uint32_t top)
{
    const uint32_t *first = n->g.first[1], *from = n->g.list[1], header = n->header[loop];
    while (top) {
        uint32_t k = stack[--top];
        const uint32_t inner = outermost(n, n->in[k]);
        if (inner == loop) continue;
        if (!inner) n->in[k] = loop;
        if (inner) {
            n->parent[inner] = n->top[inner] = loop;
            k = n->header[inner];
        }
        for (uint32_t e = first[k]; k != header && e < first[k + 1]; e++)
            if (n->g.number[from[e]] && outermost(n, n->in[from[e]]) != loop) stack[top++] = from[e];
    }
}

static void find_loops(nest *n)
{
    arena *a = n->b->scratch;
    uint32_t *size = arena_array(a, (size_t)n->g.blocks + 1, sizeof *size), *at = number_dominators(n, size);
    uint32_t *stack = arena_array(a, (size_t)n->g.edges + 1, sizeof *stack);
    for (uint32_t i = 0; i < n->g.reached; i++) { /* inner headers come first: what a block dominates is before it in post-order */
        const uint32_t k = n->g.order[i];
        uint32_t top = 0;
        for (uint32_t e = n->g.first[1][k]; e < n->g.first[1][k + 1]; e++) {
            const uint32_t from = n->g.list[1][e];
            if (n->g.number[from] && at[from] - at[k] < size[k]) stack[top++] = from;
        }
        if (!top) continue;
        const uint32_t loop = ++n->count;
        n->header[loop] = k;
        n->top[loop] = loop;
        fill_loop(n, loop, stack, top);
        if (!n->in[k]) n->in[k] = loop;
    }
}

/* Numbers, and the blocks by them. */
static void number_loops(nest *n)
{
    arena *a = n->b->scratch;
    uint32_t *next = arena_array(a, (size_t)n->count + 2, sizeof *next);
    next[0] = 1;
    for (uint32_t l = 1; l <= n->count; l++) {
        n->size[l]++;
        if (n->parent[l]) n->size[n->parent[l]] += n->size[l];
    }
    for (uint32_t l = n->count; l > 0; l--) {
        n->number[l] = next[n->parent[l]];
        next[n->parent[l]] += n->size[l];
        next[l] = n->number[l] + 1;
        n->depth[l] = n->depth[n->parent[l]] + 1;
    }
    n->begins = arena_array(a, (size_t)n->count + 4, sizeof *n->begins);
    n->sorted = arena_array(a, (size_t)n->g.blocks + 1, sizeof *n->sorted);
    for (uint32_t k = 0; k < n->g.blocks; k++) n->begins[n->number[n->in[k]] + 2]++;
    for (uint32_t l = 1; l < n->count + 4; l++) n->begins[l] += n->begins[l - 1];
    for (uint32_t k = 0; k < n->g.blocks; k++) n->sorted[n->begins[n->number[n->in[k]] + 1]++] = k;
}

static bool inside(const nest *n, uint32_t loop, uint32_t block) { return n->number[n->in[block]] - n->number[loop] < n->size[loop]; }

/* ---- meeting places ---- */

/* Lanes may part at its end, and all of them stay in the loop. */
static bool stays(const nest *n, uint32_t loop, uint32_t block)
{
    const uint32_t *succ, count = flow_successors(&n->b->blocks[block], &succ);
    for (uint32_t i = 0; i < count; i++)
        if (!inside(n, loop, succ[i])) return false;
    return count > 1;
}

/* Is the place outside of the loop at which its lanes meet, as far as is known? */
static bool meets_outside(const nest *n, uint32_t loop, uint32_t block)
{
    const flow_block *fb = &n->b->blocks[block];
    const uint32_t at = fb->meets ? fb->meets->block : fb->ipdom;
    return at == UINT32_MAX || !inside(n, loop, at);
}

static void add_meets(nest *n, uint32_t loop)
{
    arena *a = n->b->scratch;
    const uint32_t from = n->begins[n->number[loop]], count = n->begins[n->number[loop] + n->size[loop]] - from, *body = n->sorted + from, *succ;
    flow_graph g = {.blocks = count + 1}; /* the last one: the end of the body */
    uint32_t *place = n->g.number;        /* nobody asks any more where a block was in the order */
    for (uint32_t i = 0; i < count; i++) {
        place[body[i]] = i;
        g.edges += flow_successors(&n->b->blocks[body[i]], &succ);
    }
    g.edge = arena_array(a, (size_t)g.edges + 1, sizeof *g.edge);
    g.edges = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t c = flow_successors(&n->b->blocks[body[i]], &succ), s = 0; s < c; s++) {
            if (!inside(n, loop, succ[s])) continue;
            g.edge[g.edges][0] = succ[s] == n->header[loop] ? count : place[succ[s]];
            g.edge[g.edges++][1] = i;
        }
    const uint32_t *dom = flow_dominators(a, &g, count);
    for (uint32_t i = 0; i < count; i++) {
        flow_block *fb = &n->b->blocks[body[i]];
        if (!stays(n, loop, body[i]) || !meets_outside(n, loop, body[i]) || dom[i] == UINT32_MAX) continue;
        flow_meet *meet = arena_array(a, 1, sizeof *meet);
        *meet = (flow_meet){.block = dom[i] == count ? n->header[loop] : body[dom[i]], .next = fb->meets};
        meet->first_loop = n->b->m->loops + n->number[loop];
        meet->last_loop = meet->first_loop + n->size[loop] - 1;
        n->b->blocks[meet->block].is_join = true;
        fb->meets = meet;
    }
}

void build_nest(builder *b)
{
    nest n = {.b = b};
    flow_edges(b, &n.g, false);
    n.dom = flow_dominators(b->scratch, &n.g, 0);
    n.in = arena_array(b->scratch, (size_t)b->block_count + 1, sizeof *n.in);
    uint32_t **of_loops[] = {&n.header, &n.parent, &n.top, &n.depth, &n.size, &n.number};
    for (size_t i = 0; i < sizeof of_loops / sizeof of_loops[0]; i++) *of_loops[i] = arena_array(b->scratch, (size_t)b->block_count + 2, sizeof **of_loops[i]);
    find_loops(&n);
    if (!n.count) return;
    number_loops(&n);
    n.meets = arena_array(b->scratch, (size_t)n.count + 1, sizeof *n.meets);
    n.given_up = arena_array(b->scratch, (size_t)n.count + 1, sizeof *n.given_up);
    for (uint32_t k = 0; k < b->block_count; k++) {
        const uint32_t *succ, count = flow_successors(&b->blocks[k], &succ);
        b->blocks[k].loop = n.in[k] ? b->m->loops + n.number[n.in[k]] : 0;
        for (uint32_t l = n.in[k]; count > 1 && l && n.depth[l] <= DEEPEST; l = n.parent[l]) n.meets[l] = n.meets[l] || (stays(&n, l, k) && meets_outside(&n, l, k));
    }
    for (uint32_t l = n.count; l > 0; l--) {
        if (n.meets[l]) add_meets(&n, l);
        n.given_up[l] = n.meets[l] || n.given_up[n.parent[l]];
    }
    for (uint32_t k = 0; k < b->block_count; k++) { /* where those go who leave */
        const uint32_t *succ, count = flow_successors(&b->blocks[k], &succ);
        for (uint32_t i = 0; i < count && n.in[k]; i++)
            if (n.given_up[n.in[k]] && !inside(&n, n.in[k], succ[i])) b->blocks[succ[i]].is_join = true;
    }
    b->m->loops += n.count;
}
