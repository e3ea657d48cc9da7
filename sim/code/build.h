/* build.h: what the files of code/ share while they turn one function into insns.
 *
 * A function becomes a list of nodes, one per future insn: the program's own instructions and the
 * bookkeeping between them (block entries, guards, reads of special registers). Nodes name virtual
 * registers; liveness.c gives these their places.
 */
#ifndef SIM_BUILD_H
#define SIM_BUILD_H

#include "code.h"

enum node_kind {
    NODE_PLAIN,
    NODE_ENTER,
    NODE_GUARD,
    NODE_BRANCH,
    NODE_JUMP,
    NODE_TABLE,
    NODE_CALL,
    NODE_END_LANES,
    NODE_FUNCTION_END
};

enum { REF_NONE = INT32_MIN, REF_NO_BASE = INT32_MIN + 1 };
typedef struct node_ref {
    int32_t ref;        /* virtual register; ~place of a constant when negative; REF_NONE */
    uint8_t role, type; /* enum slot_role, enum ptx_type */
} node_ref;

typedef struct node {
    op_fn *fn;
    const ptx_insn *src;
    node_ref *refs;
    int64_t imm;
    union {
        int *targets;    /* NODE_TABLE */
        call_info *call; /* NODE_CALL */
    };
    uint32_t ref_count;
    uint32_t matrix;
    uint32_t mod, mod2;
    int target;       /* NODE_BRANCH, NODE_JUMP: PTX instruction index, else -1 */
    int target_count; /* NODE_TABLE */
    int target_func;  /* NODE_CALL: direct callee's index, -1 */
    uint32_t block, pc;
    uint32_t group; /* joined accesses (join.c) have the same number; 0: not joined */
    uint8_t kind, cls, flops, dflops, hflops, size, count, space, order;
    bool real, guarded, has_slot, ends_block, fusible, removed;
} node;

enum { JOIN_MOST = 4 };
/* accesses that became one */
typedef struct join_group {
    uint32_t node[JOIN_MOST], count; /* in the order of the text */
    uint8_t bytes;
} join_group;

/* where lanes that diverge at a block's end reconverge (reconverge.c) */
typedef struct flow_meet {
    uint32_t block;
    struct flow_meet *next; /* further on; the last is where all lanes reconverge */
} flow_meet;

typedef struct flow_block {
    uint32_t first, last; /* nodes */
    uint32_t succ[2], succ_count;
    uint32_t *more; /* successors of a jump table */
    uint32_t more_count;
    uint32_t place; /* its place in the order of reconverge.c */
    flow_meet *meets;
    bool is_join;
} flow_block;

typedef struct builder {
    code_module *m;
    ptx_module *ptx;
    const exec_table *ops;
    arena *arena;   /* lives as long as the module */
    arena *whole;   /* thrown away after building; */
    arena *scratch; /* after the function that is being built; */
    arena *pass;    /* freed after this pass: what a pass makes for others is in scratch */
    sim_error *err;
    /* constants */
    struct constant {
        uint64_t bits;
        uint32_t wide, place;
        int32_t next;
    } * constants;
    uint32_t constant_count, constant_capacity;
    int32_t *constant_hash;  /* by hash: the first of a list, counted from 1 */
    uint32_t constant_lists; /* a power of two, or 0 */
    uint32_t constant_bytes;
    /* the function being built */
    ptx_func *func;
    code_func *cf;
    uint8_t *reg_type; /* of virtual registers: those of the text, then temporaries */
    uint32_t reg_count, reg_capacity;
    node *nodes;
    uint32_t node_count, node_capacity;
    int32_t *node_of; /* by PTX instruction index (and one past the end): its first node */
    flow_block *blocks;
    uint32_t block_count;
    int32_t *global; /* by virtual register: its number among those live across blocks, or -1 */
    uint32_t live_words;
    uint64_t *live_in, *live_out; /* live_words per block, one bit per number in global */
    int32_t lean;                 /* most registers live at once in lean order; its block */
    uint32_t lean_block;
    uint8_t *operand;   /* registers.c: registers that machine code lacks; NULL: not known yet */
    join_group *groups; /* group k is the one at k - 1 */
    uint32_t group_count, group_capacity;
    /* the module's output */
    uint32_t insn_capacity, info_capacity, block_capacity, zero_capacity, name_capacity, unfenced_capacity;
} builder;

/* ---- the passes that have no header of their own ---- */
int form_finish(form *f, bool selected, sim_error *err); /* select.c */
int build_lower(builder *b);                             /* lower.c: instructions to nodes */
void build_meets(builder *b);                            /* reconverge.c */
int build_in_flight(builder *b);                         /* in_flight.c: registers of products */
int build_fuse(builder *b);                              /* fuse.c: what ptxas contracts */
void build_join(builder *b);                             /* join.c: fills groups */
/* find_loops.c: the loop that an emitted block at this pc is; NULL: none */
const code_loop *build_loop(builder *b, uint32_t block, uint32_t enter);
void build_views(builder *b, uint32_t block); /* shared_tile.c: of an emitted block */

#endif
