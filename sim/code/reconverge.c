/* reconverge.c: where lanes that diverge at a branch reconverge.
 *
 * All of them do at the post-dominator. But where one path out of an "if" leads elsewhere (break,
 * continue, return, goto, a || b), most lanes could reconverge long before, and on a card they do.
 * This file does what ptxas does, as found from the machine code of small kernels (BSSY: these
 * lanes will reconverge there; BSYNC: here; BREAK: not these any more) and with tests/unit/meets.c
 * on a card. A branch has up to two places to reconverge, the nearer one first:
 *
 *   1. The post-dominator. Paths that end the kernel at once do not count: they are not awaited.
 *   2. If 1 is outside a loop around the branch: the post-dominator among the paths that stay in
 *      the loop. Of nested loops, the outermost for which that is another place.
 *   3. Otherwise: the last block before 1 where two paths from the branch join, if all paths that
 *      turn off before it go to one block.
 *
 * Lanes that end at once still end together with lanes that end later: that is a third place. It
 * costs a card nothing (they end with the predicate of the branch).
 *
 * Lanes that turn off to a block after a place give that place up. To tell, blocks are put in an
 * order in which everything that can follow a block comes after it. Back edges would not allow
 * that. They lead to one extra node per loop instead, which stands for "next iteration", and from
 * there to every exit of the loop. So a loop is contiguous, from its header to that node. At run
 * time a header counts as that node: lanes that begin another iteration have passed all that is
 * inside.
 */
#include "flow.h"

/* Limits that no hand-written kernel reaches. Beyond them lanes reconverge later than they could;
 * time and memory stay in proportion to the text. */
enum {
    DEEPEST = 16 /* nested loops */,
    FARTHEST = 256 /* blocks searched after a branch */,
    WAYS = 32 /* at once */,
    TRIES = 8 /* places */
};
#define NOWHERE UINT32_MAX

typedef struct finder {
    builder *b;
    flow_graph g; /* of the blocks; later of blocks and loops, without back edges */
    const uint32_t *dom;
    uint32_t blocks;
    uint32_t *in;                            /* by block: its innermost loop, 0: none */
    uint32_t *header, *parent, *top, *depth; /* by loop, from 1, inner first; top: outermost
                                              * known */
    uint32_t loops;
    /* by node of the graph without back edges: its place in the order, from 1 (0: unreachable); and
     * the node at each place */
    uint32_t *place, *by_place;
    bool *ends;           /* by node: a block that only ends the kernel */
    uint32_t *all, *near; /* by node: place 1; place 2 or 3 */
    uint32_t *last;       /* post-dominator when paths that end the kernel at once count too */
    uint32_t *label;      /* by node: label of the paths from one branch that lead to it, 0: none */
    bool *meets;          /* and whether two of them join there */
    uint32_t labels;
    bool *leads; /* by node: leads to the place in question */
} finder;

static void add_edge(flow_graph *g, uint32_t from, uint32_t to)
{
    g->edge[g->edges][0] = from;
    g->edge[g->edges++][1] = to;
}

/* ---- loops: back edges to a block that dominates their source; those with one header are one
 * ---- */

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

/* By block: its place in an order in which the blocks that it dominates, size[] of them, follow it
 * directly. */
static uint32_t *number_dominators(const finder *f, uint32_t *size)
{
    arena *a = f->b->pass;
    uint32_t *at = arena_array(a, (size_t)f->blocks + 1, sizeof *at),
             *next = arena_array(a, (size_t)f->blocks + 1, sizeof *next);
    for (uint32_t i = 0; i < f->g.reached; i++) {
        const uint32_t k = f->g.order[i];
        size[k]++;
        if (f->dom[k] != NOWHERE) size[f->dom[k]] += size[k];
    }
    for (uint32_t i = f->g.reached; i-- > 0;) {
        const uint32_t k = f->g.order[i], above = f->dom[k];
        if (above != NOWHERE) {
            at[k] = next[above];
            next[above] += size[k];
        }
        next[k] = at[k] + 1;
    }
    return at;
}

/* Adds all nodes that lead to the loop's ends without passing its header. `stack` holds the
 * ends. */
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

static void list_edges(finder *f)
{
    arena *a = f->b->pass;
    const uint32_t *succ;
    f->g = (flow_graph){.blocks = f->blocks};
    for (uint32_t k = 0; k < f->blocks; k++) f->g.edges += flow_successors(&f->b->blocks[k], &succ);
    f->g.edge = arena_array(a, (size_t)f->g.edges + 1, sizeof *f->g.edge);
    f->g.edges = 0;
    for (uint32_t k = 0; k < f->blocks; k++)
        for (uint32_t c = flow_successors(&f->b->blocks[k], &succ), i = 0; i < c; i++) add_edge(&f->g, k, succ[i]);
    f->dom = flow_dominators(a, &f->g, 0);
}

static void find_loops(finder *f)
{
    arena *a = f->b->pass;
    uint32_t *size = arena_array(a, (size_t)f->blocks + 1, sizeof *size), *at = number_dominators(f, size),
             *stack = arena_array(a, (size_t)f->g.edges + 1, sizeof *stack);
    /* inner headers first: in post-order the blocks that a block dominates come before it */
    for (uint32_t i = 0; i < f->g.reached; i++) {
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

/* ---- the graph without back edges ---- */

static uint32_t node_of(const finder *f, uint32_t loop) { return f->blocks + loop - 1; }
static uint32_t block_of(const finder *f, uint32_t at) { return at < f->blocks ? at : f->header[at - f->blocks + 1]; }

/* The loop around `from` whose header is `to`, searched outwards; 0: not a back edge. *left: the
 * loops that the edge leaves on the way. */
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

/* Adds an edge, and the same edge from each loop that it leaves: lanes that begin another iteration
 * there may take it later. With `g` NULL edges are only counted. */
static uint32_t add_edges(const finder *f, flow_graph *g, uint32_t from, uint32_t to)
{
    uint32_t left, loop = goes_round(f, from, to, &left), count = 0;
    if (!loop) left = count_left(f, from, to);
    const uint32_t end = loop ? node_of(f, loop) : to;
    if (g) add_edge(g, from, end);
    for (uint32_t l = f->in[from]; count < left; count++, l = f->parent[l])
        if (g) add_edge(g, node_of(f, l), end);
    return left + 1;
}

/* Makes that graph and its order. */
static void cut_loops(finder *f)
{
    arena *a = f->b->pass;
    const flow_graph all = f->g;
    uint32_t edges = 0;
    f->g = (flow_graph){.blocks = f->blocks + f->loops};
    for (int add = 0; add < 2; add++) {
        if (add) f->g.edge = arena_array(a, (size_t)edges + 1, sizeof *f->g.edge);
        for (uint32_t e = 0; e < all.edges; e++)
            if (all.number[all.edge[e][0]]) edges += add_edges(f, add ? &f->g : NULL, all.edge[e][0], all.edge[e][1]);
    }
    flow_sort(a, &f->g, 0);
    f->place = f->g.number;
    f->by_place = arena_array(a, (size_t)f->g.blocks + 2, sizeof *f->by_place);
    for (uint32_t k = 0; k < f->g.blocks; k++) {
        if (f->place[k]) f->place[k] = f->g.reached + 1 - f->place[k];
        f->by_place[f->place[k]] = k;
    }
}

static bool inside(const finder *f, uint32_t loop, uint32_t at)
{
    return f->place[at] >= f->place[f->header[loop]] && f->place[at] <= f->place[node_of(f, loop)];
}

/* ---- paths that count ---- */

/* Does the kernel end in this block, with nothing done before? */
static bool only_ends(const finder *f, uint32_t block)
{
    const flow_block *fb = &f->b->blocks[block];
    for (uint32_t i = fb->first; i <= fb->last; i++)
        if (f->b->nodes[i].real || f->b->nodes[i].kind == NODE_END_LANES) return f->b->nodes[i].kind == NODE_END_LANES;
    return false;
}

/* Lists in *to the edges from `at` that count, within `loop` if that is not 0. An edge to a block
 * that only ends the kernel counts only if no other leads on. */
static uint32_t ways_from(const finder *f, uint32_t at, uint32_t loop, uint32_t *to, uint32_t most)
{
    uint32_t count = 0;
    bool on = false;
    for (uint32_t e = f->g.first[0][at]; e < f->g.first[0][at + 1]; e++) on = on || !f->ends[f->g.list[0][e]];
    for (uint32_t e = f->g.first[0][at]; e < f->g.first[0][at + 1] && count < most; e++) {
        const uint32_t k = f->g.list[0][e];
        /* it is not after `at`: a loop with two entries */
        bool had = f->place[k] <= f->place[at] || (on && f->ends[k]) || (loop && !inside(f, loop, k));
        for (uint32_t i = 0; i < count && !had; i++) had = to[i] == k;
        if (!had) to[count++] = k;
    }
    return count;
}

/* ---- the post-dominator ---- */

/* For the nodes first..last in the order, which all lead to the node at `end`: the post-dominator
 * of each. Places count from `first`. */
static const uint32_t *come_together(const finder *f, uint32_t first, uint32_t last, uint32_t end, uint32_t loop)
{
    arena *a = f->b->pass;
    uint32_t to[WAYS];
    flow_graph back = {.blocks = last - first + 1};
    for (int add = 0; add < 2; add++) {
        if (add) back.edge = arena_array(a, (size_t)back.edges + 1, sizeof *back.edge);
        back.edges = 0;
        for (uint32_t i = first; i <= last; i++) {
            const uint32_t ways = i == end ? 0 : ways_from(f, f->by_place[i], loop, to, WAYS);
            for (uint32_t k = 0; k < ways && add; k++) add_edge(&back, f->place[to[k]] - first, i - first);
            if (!add) back.edges += ways;
        }
    }
    return flow_dominators(a, &back, end - first);
}

/* For branches in the loop that have no second place yet, and whose first is outside. */
static void meet_in_loop(finder *f, uint32_t loop)
{
    const uint32_t first = f->place[f->header[loop]], last = f->place[node_of(f, loop)], *together = NULL;
    uint32_t to[2];
    for (uint32_t i = first; i < last; i++) {
        const uint32_t k = f->by_place[i];
        if (f->near[k] != NOWHERE || (f->all[k] != NOWHERE && inside(f, loop, f->all[k])) ||
            ways_from(f, k, loop, to, 2) < 2)
            continue;
        if (!together) together = come_together(f, first, last, last, loop);
        if (together[i - first] != NOWHERE)
            *(f->all[k] == NOWHERE ? &f->all[k] : &f->near[k]) = f->by_place[first + together[i - first]];
    }
}

/* ---- where some paths join ---- */

/* A path with that label leads to `at`; ways[] are the nodes reached so far. False: too many. */
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

/* order[] begins with a branch and ends with a place to reconverge: do all paths that turn off
 * between them lead to one block? */
static bool turn_off_together(finder *f, const uint32_t *order, uint32_t count)
{
    uint32_t to[WAYS], other = NOWHERE;
    bool together = true;
    f->leads[order[count - 1]] = true;
    for (uint32_t i = count - 1; i-- > 0;)
        for (uint32_t n = ways_from(f, order[i], 0, to, WAYS), k = 0; k < n; k++)
            f->leads[order[i]] = f->leads[order[i]] || f->leads[to[k]];
    for (uint32_t i = 0; i + 1 < count && together; i++)
        for (uint32_t n = f->leads[order[i]] ? ways_from(f, order[i], 0, to, WAYS) : 0, k = 0; k < n && together; k++) {
            if (f->leads[to[k]]) continue;
            together = other == NOWHERE || other == to[k];
            other = to[k];
        }
    for (uint32_t i = 0; i < count; i++) f->leads[order[i]] = false;
    return together;
}

/* Follows the paths from block k in order, each with a label. Where two labels join is a place to
 * reconverge; the path from there gets a new label. */
static void meet_before_all(finder *f, uint32_t k)
{
    uint32_t ways[WAYS], to[WAYS], order[FARTHEST + 1] = {k}, places[FARTHEST], count = 0, found = 0, looked = 1;
    bool more = true;
    f->labels = 0;
    for (uint32_t n = ways_from(f, k, 0, to, WAYS), i = 0; i < n && more; i++)
        more = lead(f, to[i], ++f->labels, ways, &count);
    while (count && more && looked <= FARTHEST) {
        uint32_t next = 0;
        for (uint32_t i = 1; i < count; i++)
            if (f->place[ways[i]] < f->place[ways[next]]) next = i;
        const uint32_t at = ways[next], label = f->label[at];
        if (f->place[at] >= f->place[f->all[k]]) break;
        order[looked++] = at;
        if (f->meets[at]) places[found++] = looked;
        ways[next] = ways[--count];
        f->label[at] = 0;
        f->meets[at] = false;
        if (at >= f->blocks && inside(f, at - f->blocks + 1, k)) continue; /* the next iteration */
        for (uint32_t n = ways_from(f, at, 0, to, WAYS), i = 0; i < n && more; i++)
            more = lead(f, to[i], label, ways, &count);
    }
    for (uint32_t i = 0; i < count; i++) {
        f->label[ways[i]] = 0;
        f->meets[ways[i]] = false;
    }
    for (uint32_t i = 0; i < TRIES && found-- > 0 && f->near[k] == NOWHERE; i++)
        if (turn_off_together(f, order, places[found])) f->near[k] = order[places[found] - 1];
}

/* ---- all of them ---- */

/* The post-dominator of each branch; `found` is by node. */
static void meet_all(finder *f, uint32_t *found)
{
    const uint32_t end = f->place[f->blocks - 1], *together = end ? come_together(f, 1, f->g.reached, end, 0) : NULL;
    uint32_t to[2];
    for (uint32_t k = 0; k < f->g.blocks; k++) {
        found[k] = NOWHERE;
        if (together && f->place[k] && ways_from(f, k, 0, to, 2) > 1 && together[f->place[k] - 1] != NOWHERE)
            found[k] = f->by_place[1 + together[f->place[k] - 1]];
    }
}

static void find_places(finder *f)
{
    meet_all(f, f->last); /* f->ends is not filled yet, so all paths count */
    for (uint32_t k = 0; k < f->blocks; k++) f->ends[k] = only_ends(f, k);
    meet_all(f, f->all);
    for (uint32_t k = 0; k < f->g.blocks; k++) f->near[k] = NOWHERE;
    for (uint32_t l = f->loops; l > 0; l--) {
        f->depth[l] = f->depth[f->parent[l]] + 1;
        if (f->depth[l] <= DEEPEST) meet_in_loop(f, l);
    }
    for (uint32_t k = 0; k < f->blocks; k++) {
        if (f->near[k] == NOWHERE && f->all[k] != NOWHERE) meet_before_all(f, k);
        if (f->last[k] == f->all[k] || f->last[k] >= f->blocks || !f->ends[f->last[k]]) f->last[k] = NOWHERE;
    }
}

static flow_meet **add_place(const finder *f, flow_meet **end, uint32_t at)
{
    if (at == NOWHERE) return end;
    *end = arena_array(f->b->scratch, 1, sizeof **end);
    (*end)->block = block_of(f, at);
    return &(*end)->next;
}

void build_meets(builder *b)
{
    arena *a = b->pass;
    finder f = {.b = b, .blocks = b->block_count};
    bool any = false;
    uint32_t **by_block[] = {&f.in, &f.header, &f.parent, &f.top, &f.depth},
             **by_node[] = {&f.all, &f.near, &f.last, &f.label};
    for (size_t i = 0; i < sizeof by_block / sizeof by_block[0]; i++)
        *by_block[i] = arena_array(a, (size_t)f.blocks + 2, sizeof **by_block[i]);
    list_edges(&f);
    find_loops(&f);
    cut_loops(&f);
    for (size_t i = 0; i < sizeof by_node / sizeof by_node[0]; i++)
        *by_node[i] = arena_array(a, (size_t)f.g.blocks + 1, sizeof **by_node[i]);
    f.meets = arena_array(a, (size_t)f.g.blocks + 1, sizeof *f.meets);
    f.leads = arena_array(a, (size_t)f.g.blocks + 1, sizeof *f.leads);
    f.ends = arena_array(a, (size_t)f.g.blocks + 1, sizeof *f.ends);
    find_places(&f);
    for (uint32_t k = 0; k < f.blocks; k++) {
        const uint32_t *succ;
        b->blocks[k].place = f.place[k];
        if (flow_successors(&b->blocks[k], &succ) < 2) continue;
        add_place(&f, add_place(&f, add_place(&f, &b->blocks[k].meets, f.near[k]), f.all[k]), f.last[k]);
        any = any || (b->blocks[k].meets && b->blocks[k].meets->next);
        for (const flow_meet *m = b->blocks[k].meets; m; m = m->next) b->blocks[m->block].is_join = true;
    }
    for (uint32_t l = 1; l <= f.loops; l++) b->blocks[f.header[l]].place = f.place[node_of(&f, l)];
    for (uint32_t k = 0; k < f.blocks; k++) {
        if (any) b->blocks[k].is_join = true; /* lanes may turn off wherever a block begins */
        if (b->nodes[b->blocks[k].last].kind == NODE_CALL) b->blocks[k + 1].is_join = true;
    }
}
