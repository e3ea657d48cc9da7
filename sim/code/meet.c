/* meet.c: where lanes that part at a branch meet before all of them do.
 *
 * All come by the post-dominator (flow.c). But where one way out of an "if" leads elsewhere (break, continue, return, goto, a || b), most lanes could meet long before, and on a
 * card they do: ptxas has them wait for each other (BSSY, BSYNC) wherever ways from the two sides of a branch come together, and lanes that turn off to somewhere behind
 * that place give it up (BREAK). So does this: for each branch there is a list of such places, the nearest first and the post-dominator last.
 *
 * They are looked for in the graph of the blocks without the edges back to the headers of loops. Those lead to a node for each loop instead, which stands for "goes round", and
 * from there to wherever the loop can be left to. Such a graph has an order in which every edge leads on. From the blocks behind a branch its ways are followed in that
 * order, each with a label; where two labels come together is a place to meet, and what goes on from there has a new one.
 *
 * At run time the order tells who gives up a place: who begins a block behind it. The header of a loop counts as where its lanes go round, which is behind all
 * that is inside: whoever begins another round has passed that.
 */
#include "build.h"

/* Nobody writes what is more than that by hand. Beyond it lanes meet later than they could; time and memory stay within what the text is worth. */
enum { DEEPEST = 16 /* loops that one edge leaves */, FARTHEST = 256 /* blocks looked at behind a branch */, WAYS = 32 /* at once */, PLACES = 8 /* of a branch, and the last */ };

typedef struct finder {
    builder *b;
    flow_graph g;     /* of the blocks, and then of these and the loops without edges back */
    const uint32_t *dom;
    uint32_t blocks;
    uint32_t *in;     /* by block: its innermost loop, 0 none */
    uint32_t *header, *parent, *top; /* by loop, from 1 on, inner ones first; top: as far out as is known */
    uint32_t loops;
    uint32_t *place;  /* by node of the graph without edges back: where it is in the order, from 1 on; 0: nowhere */
    uint32_t *label;  /* by node: of the ways followed from one branch that lead to it, 0 none */
    bool *meets;      /* and whether two did */
    uint32_t labels;
} finder;

/* ---- loops: of back edges to a block that dominates where they come from; two with the same header are one ---- */

static uint32_t outermost(finder *f, uint32_t loop)
{
    uint32_t top = loop;
    while (top && f->top[top] != top) top = f->top[top];
    while (loop && loop != top) {
        const uint32_t next = f->top[loop];
        f->top[loop] = top;
        loop = next;
    }
    return top;
}

/* By block: where it is in an order in which all that a block dominates, size[] of them, come behind it on end. */
static uint32_t *number_dominators(const finder *f, uint32_t *size)
{
    arena *a = f->b->scratch;
    uint32_t *at = arena_array(a, (size_t)f->blocks + 1, sizeof *at), *next = arena_array(a, (size_t)f->blocks + 1, sizeof *next);
    for (uint32_t i = 0; i < f->g.reached; i++) {
        const uint32_t k = f->g.order[i];
        size[k]++;
        if (f->dom[k] != UINT32_MAX) size[f->dom[k]] += size[k];
    }
    for (uint32_t i = f->g.reached; i-- > 0;) {
        const uint32_t k = f->g.order[i], above = f->dom[k];
        if (above != UINT32_MAX) {
            at[k] = next[above];
            next[above] += size[k];
        }
        next[k] = at[k] + 1;
    }
    return at;
}

/* All that leads to the ends of the loop without passing its header. `stack` holds the ends. */
static void fill_loop(finder *f, uint32_t loop, uint32_t *stack, uint32_t top)
{
    const uint32_t *first = f->g.first[1], *from = f->g.list[1], header = f->header[loop];
    while (top) {
        uint32_t k = stack[--top];
        const uint32_t inner = outermost(f, f->in[k]);
        if (inner == loop) continue;
        if (inner) {
            f->parent[inner] = f->top[inner] = loop;
            k = f->header[inner];
        } else {
            f->in[k] = loop;
        }
        for (uint32_t e = first[k]; k != header && e < first[k + 1]; e++)
            if (f->g.number[from[e]] && outermost(f, f->in[from[e]]) != loop) stack[top++] = from[e];
    }
    if (!f->in[header]) f->in[header] = loop;
}

static void find_loops(finder *f)
{
    arena *a = f->b->scratch;
    uint32_t *size = arena_array(a, (size_t)f->blocks + 1, sizeof *size), *at = number_dominators(f, size), *stack = arena_array(a, (size_t)f->g.edges + 1, sizeof *stack);
    for (uint32_t i = 0; i < f->g.reached; i++) { /* inner headers come first: what a block dominates is before it in post-order */
        const uint32_t k = f->g.order[i];
        uint32_t top = 0;
        for (uint32_t e = f->g.first[1][k]; e < f->g.first[1][k + 1]; e++) {
            const uint32_t from = f->g.list[1][e];
            if (f->g.number[from] && at[from] - at[k] < size[k]) stack[top++] = from;
        }
        if (!top) continue;
        f->header[++f->loops] = k;
        f->top[f->loops] = f->loops;
        fill_loop(f, f->loops, stack, top);
    }
}

/* ---- the graph without edges back ---- */

static uint32_t node_of(const finder *f, uint32_t loop) { return f->blocks + loop - 1; }
static uint32_t block_of(const finder *f, uint32_t at) { return at < f->blocks ? at : f->header[at - f->blocks + 1]; }

/* The loop, out from the innermost of `from`, whose header is `to`; 0: the edge does not lead back. *left: loops that it leaves before it comes there. */
static uint32_t goes_round(const finder *f, uint32_t from, uint32_t to, uint32_t *left)
{
    uint32_t loop = f->in[from];
    for (*left = 0; loop && f->header[loop] != to && *left < DEEPEST; loop = f->parent[loop]) ++*left;
    return loop && f->header[loop] == to ? loop : 0;
}

/* How many of the loops around `from` the edge to `to` leaves. */
static uint32_t count_left(const finder *f, uint32_t from, uint32_t to)
{
    uint32_t around[DEEPEST], n = 0, left = 0;
    for (uint32_t l = f->in[to]; l && n < DEEPEST; l = f->parent[l]) around[n++] = l;
    for (uint32_t l = f->in[from]; l && left < DEEPEST; l = f->parent[l], left++)
        for (uint32_t i = 0; i < n; i++)
            if (around[i] == l) return left;
    return left;
}

static void add_edge(flow_graph *g, uint32_t from, uint32_t to)
{
    g->edge[g->edges][0] = from;
    g->edge[g->edges++][1] = to;
}

/* An edge, and from the loops that it leaves the same: who goes round there may come to it later. */
static void add_edges(const finder *f, flow_graph *g, uint32_t from, uint32_t to)
{
    uint32_t left, loop = goes_round(f, from, to, &left);
    if (!loop) left = count_left(f, from, to);
    const uint32_t end = loop ? node_of(f, loop) : to;
    add_edge(g, from, end);
    for (uint32_t l = f->in[from]; left; left--, l = f->parent[l]) add_edge(g, node_of(f, l), end);
}

static void number_nodes(finder *f)
{
    arena *a = f->b->scratch;
    flow_graph all = f->g;
    f->g = (flow_graph){.blocks = f->blocks + f->loops};
    f->g.edge = arena_array(a, (size_t)all.edges * (1 + DEEPEST) + 1, sizeof *f->g.edge);
    for (uint32_t e = 0; e < all.edges; e++)
        if (all.number[all.edge[e][0]]) add_edges(f, &f->g, all.edge[e][0], all.edge[e][1]);
    flow_sort(a, &f->g, 0);
    f->place = f->g.number;
    for (uint32_t k = 0; k < f->g.blocks; k++)
        if (f->place[k]) f->place[k] = f->g.reached + 1 - f->place[k];
}

/* ---- places to meet ---- */

/* A way with that label leads to `node`; ways[] are those that somebody has come to. False: there are too many. */
static bool lead(finder *f, uint32_t at, uint32_t label, uint32_t *ways, uint32_t *count)
{
    if (f->label[at]) {
        if (f->label[at] == label) return true;
        f->label[at] = ++f->labels;
        f->meets[at] = true;
        return true;
    }
    if (*count == WAYS) return false;
    f->label[at] = label;
    ways[(*count)++] = at;
    return true;
}

static void add_place(finder *f, flow_block *fb, uint32_t at)
{
    flow_meet **end = &fb->meets;
    while (*end) end = &(*end)->next;
    *end = arena_array(f->b->scratch, 1, sizeof **end);
    **end = (flow_meet){.block = block_of(f, at), .place = f->place[at]};
}

static void find_places(finder *f, uint32_t k)
{
    flow_block *fb = &f->b->blocks[k];
    const uint32_t *first = f->g.first[0], *list = f->g.list[0];
    uint32_t ways[WAYS], count = 0, found = 0;
    bool more = true;
    f->labels = 0;
    for (uint32_t e = first[k]; e < first[k + 1] && more; e++)
        if (!f->label[list[e]]) more = lead(f, list[e], ++f->labels, ways, &count);
    for (uint32_t looked = 0; count && more && looked < FARTHEST; looked++) {
        uint32_t next = 0;
        for (uint32_t i = 1; i < count; i++)
            if (f->place[ways[i]] < f->place[ways[next]]) next = i;
        const uint32_t at = ways[next], label = f->label[at];
        ways[next] = ways[--count];
        const bool meets = f->meets[at];
        f->label[at] = 0;
        f->meets[at] = false;
        if (meets) {
            if (block_of(f, at) == fb->ipdom || found++ == PLACES) break;
            add_place(f, fb, at);
        }
        for (uint32_t e = first[at]; e < first[at + 1] && more; e++)
            if (f->place[list[e]] > f->place[at]) more = lead(f, list[e], label, ways, &count);
    }
    for (uint32_t i = 0; i < count; i++) {
        f->label[ways[i]] = 0;
        f->meets[ways[i]] = false;
    }
}

void build_meets(builder *b)
{
    arena *a = b->scratch;
    finder f = {.b = b, .blocks = b->block_count};
    bool any = false;
    flow_edges(b, &f.g, false);
    f.dom = flow_dominators(a, &f.g, 0);
    uint32_t **by_block[] = {&f.in, &f.header, &f.parent, &f.top};
    for (size_t i = 0; i < sizeof by_block / sizeof by_block[0]; i++) *by_block[i] = arena_array(a, (size_t)f.blocks + 2, sizeof **by_block[i]);
    find_loops(&f);
    number_nodes(&f);
    f.label = arena_array(a, (size_t)f.g.blocks + 1, sizeof *f.label);
    f.meets = arena_array(a, (size_t)f.g.blocks + 1, sizeof *f.meets);
    for (uint32_t k = 0; k < f.blocks; k++) {
        const uint32_t *succ;
        if (f.place[k] && flow_successors(&b->blocks[k], &succ) > 1) find_places(&f, k);
        any = any || b->blocks[k].meets;
        b->blocks[k].place = f.place[k];
    }
    for (uint32_t l = 1; l <= f.loops; l++) b->blocks[f.header[l]].place = f.place[node_of(&f, l)];
    for (uint32_t k = 0; k < f.blocks && any; k++) b->blocks[k].is_join = true; /* lanes may give up a place wherever a block begins */
}
