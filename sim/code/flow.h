/* flow.h: basic blocks and graphs of them. */
#ifndef SIM_FLOW_H
#define SIM_FLOW_H

#include "build.h"

/* a graph of blocks, or of some of them */
typedef struct flow_graph {
    uint32_t blocks, edges;
    uint32_t (*edge)[2]; /* from, to */
    /* of block k: list[0] has where its edges lead, from first[0][k] to before first[0][k + 1];
     * list[1] has where they come from */
    uint32_t *first[2], *list[2];
    /* nodes reachable from the root, in post-order; by node: its place there, from 1, 0:
     * unreachable */
    uint32_t *order, *number, reached;
} flow_graph;

int build_flow(builder *b); /* blocks, successors, joins */
void flow_leaders(builder *b, uint8_t *leads);
uint32_t flow_successors(const flow_block *fb, const uint32_t **list);
/* by block: its immediate dominator, UINT32_MAX: none; fills all of g but the edges */
const uint32_t *flow_dominators(arena *a, flow_graph *g, uint32_t root);
void flow_sort(arena *a, flow_graph *g, uint32_t root); /* the same without dominators */

#endif
