/* code.h: what a PTX module becomes before it runs.
 *
 * All functions of a module share one array of `insn`, 64 bytes each. A program counter is a
 * pointer into it; a position in it (pc) names an instruction for counters and messages. Each
 * instruction carries the function that performs it for a whole warp: the run loop is `in =
 * in->fn(w, in)`.
 *
 * A value lives in a *place*: a byte offset into the current frame of the warp's registers, or,
 * when its lowest bit is set, into the module's pool of constants. Registers of 32 bits and fewer
 * take 32 lanes x 4 bytes, those of 64 bits 32 x 8; a predicate takes one 4-byte word with a bit
 * per lane. Values narrower than 32 bits are kept zero-extended in 32 bits.
 *
 *   frame:  | header 256 B: return pc, caller's frame | predicates | 32-bit | 64-bit | 128-bit |
 *
 * Loading goes: parse -> select (each instruction finds its implementation and says what it reads
 * and writes) -> fuse (what ptxas would contract) -> flow (basic blocks, where lanes reconverge) ->
 * schedule (the order of the machine code) -> liveness and register allocation -> emit.
 */
#ifndef SIM_CODE_H
#define SIM_CODE_H

#include "ptx/ptx.h"

struct warp;
typedef struct insn insn;
typedef const insn *op_fn(struct warp *w, const insn *in);

struct insn {
    op_fn *fn;
    uint32_t o[8]; /* places of operands; usually o[0] is the destination, o[1].. the sources */
    union {
        int64_t imm;     /* address offset, small constant, target pc ... */
        const void *ext; /* longer operand lists, see the operation */
    };
    uint32_t slot; /* index of this instruction's own counters and caches; 0: it has none */
    uint8_t size;  /* memory: bytes of one element */
    uint8_t count; /* memory: elements of a vector access */
    uint8_t space; /* memory: enum ptx_space; SPACE_NONE is generic */
    uint8_t order; /* memory: enum mem_order, below */
    uint32_t mod;  /* whatever else the operation needs: flags, table, barrier number */
    uint32_t mod2;
};

/* Memory order of an access, and the scope that it names (ORDER_SCOPE_*), in insn.order. */
enum mem_order {
    ORDER_WEAK = 0,
    ORDER_VOLATILE = 1, /* also .relaxed: may be polled, never races with another strong access */
    ORDER_ACQUIRE = 2,
    ORDER_RELEASE = 3,
    ORDER_ACQ_REL = 4,
    ORDER_SC = 5,
    ORDER_MASK = 7,
    ORDER_SCOPE_CTA = 0,
    ORDER_SCOPE_CLUSTER = 8,
    ORDER_SCOPE_GPU = 16,
    ORDER_SCOPE_SYS = 24
};

/* ---- selecting an implementation ---- */
enum slot_role { SLOT_UNUSED, USE, DEF, USE_DEF };
enum { FORM_SLOTS = 136 }; /* a warpgroup's product: 128 sums, 4 of A, and 3 more */

/* One instruction on its way from text to `insn`. The selector of its group reads `in`, sets `fn`
 * and `cls`, and lists in slot[] which operand goes to which place: slot[i] becomes o[i] (or ext,
 * for more than 8). It must consume every suffix and type with form_take/form_type. Whatever is
 * left over refuses the instruction. */
typedef struct form {
    const ptx_insn *in;
    op_fn *fn;
    enum sim_class cls;
    int slots;
    struct form_slot {
        const ptx_operand *op; /* DEF and NULL: result not wanted (a scratch place is given) */
        enum ptx_type type;    /* of the value: width and how constants are converted */
        uint8_t role;
    } slot[FORM_SLOTS];
    int64_t imm;
    uint8_t size, count, space, order;
    uint32_t mod, mod2;
    bool has_slot;    /* wants counters/caches of its own: every memory access does */
    bool splits;      /* may block, divert or end lanes: must not run under a narrowed mask */
    bool ends_block;  /* the next instruction starts a basic block (barriers) */
    bool fusible;     /* mul, add or sub without a rounding suffix: may be contracted into an fma */
    bool dead_result; /* set before select for atom: the destination is never read */
    uint8_t flops;    /* single-precision operations per lane, 2 for fma */
    uint8_t dflops;   /* the same in double */
    uint8_t hflops;   /* in half precision */
    uint32_t matrix;  /* operations of a whole warp's matrix instruction */
    uint32_t taken;   /* suffixes consumed, a bit each */
    uint8_t types_taken;
    const ptx_func *func;
    const ptx_module *module;
    arena *arena;
    const char *why; /* set when refused: what is wrong */
} form;

bool form_take(form *f, enum ptx_suffix s);                   /* there? consumed then */
enum ptx_suffix form_take_any(form *f, const uint16_t *list); /* the first in a list up to S_NONE */
enum ptx_type form_type(form *f);                             /* the next one; T_NONE: no more */
bool form_refuse(form *f, const char *why);                   /* returns false */
bool form_operands(form *f, int least, int most);             /* checks the operand count */
void form_def(form *f, const ptx_operand *op, enum ptx_type t);
void form_use(form *f, const ptx_operand *op, enum ptx_type t);
/* slot 4: base of [base + offset]; offset to imm. mod bit 0: 64-bit base, bit 1: add the local
 * base; o[4] = UINT32_MAX: no base register */
void form_address(form *f, const ptx_operand *op);
/* d, a[, b[, c]] in order */
void form_shape(form *f, enum ptx_type d, enum ptx_type a, enum ptx_type b, enum ptx_type c);

/* Names with SIM_NAME what is compiled once per instruction set of the host (exec/ and
 * clock/clock.c) and visible outside. */
#ifndef SIM_ISA
#define SIM_ISA base
#endif
#define SIM_PASTE2(a, b) a##_##b
#define SIM_PASTE(a, b)  SIM_PASTE2(a, b)
#define SIM_NAME(x)      SIM_PASTE(x, SIM_ISA)
#define SIM_STRING2(x)   #x
#define SIM_STRING(x)    SIM_STRING2(x)

/* Registers in, registers out: no effect outside the lane. */
static inline bool class_computes(enum sim_class c)
{
    switch (c) {
    case SIM_CLASS_MOVE:
    case SIM_CLASS_INT:
    case SIM_CLASS_INT_MUL:
    case SIM_CLASS_INT_DIV:
    case SIM_CLASS_LOGIC:
    case SIM_CLASS_COMPARE:
    case SIM_CLASS_CONVERT:
    case SIM_CLASS_FP32:
    case SIM_CLASS_FP64:
    case SIM_CLASS_FP16:
    case SIM_CLASS_SPECIAL: return true;
    default: return false;
    }
}

/* One select function per group of ops.def. */
typedef bool select_fn(form *f);
struct launch;
struct worker;
/* Kinds of a*b + c: -(a*b); - c; the product is cut to a float before the sum. */
enum { FUSED_NEGATIVE = 1, FUSED_MINUS = 2, FUSED_CUT = 4 };
typedef struct exec_table {
    const char *name; /* "base", "avx2", "avx512" */
    select_fn *move, *arith, *intg, *video, *flt, *compare, *convert, *memory, *atomic, *sync, *warp, *flow, *async,
        *texture, *tensor, *product;
    op_fn *enter, *enter_join, *guard, *sreg, *local_address, *branch, *jump, *jump_table, *call, *builtin, *kernel_end,
        *function_end, *barrier_result;
    op_fn *(*fused)(enum ptx_type t, uint32_t *mod, uint32_t kind); /* may change insn.mod */
    op_fn *(*with_branch)(op_fn *setp); /* it and the branch after it as one; NULL: there is none */
    /* several loads of shared memory by the same register (code/shared_tile.c) */
    op_fn *view_first, *view_next;
    /* TEST_...: what it compares, if integers of 32 or 64 bits; else 0 */
    unsigned (*comparison)(op_fn *setp, uint32_t mod);
} exec_table;

/* ---- decoded module ---- */
/* parallel to insns: for messages, counters, timing; not read while running */
typedef struct code_info {
    const ptx_insn *src;
    const ptx_func *func;
    const uint8_t *roles; /* of more than 8 operands, then their types; their places are in insn.ext */
    uint32_t block;       /* basic block */
    uint32_t slot;
    uint32_t matrix;
    uint32_t guard_slot;
    uint16_t refs;  /* operands */
    uint8_t places; /* of insn.o[] that are operands, at most 8 */
    uint8_t cls, flops, dflops, hflops;
    bool guarded; /* its lanes are counted by the guard's slot */
    bool real;    /* an instruction of the program, not bookkeeping */
    /* the first of joined accesses: their number and total size; the others: 0 */
    uint8_t joined, joined_bytes;
    uint8_t role[8], type[8]; /* enum slot_role, enum ptx_type */
} code_info;
_Static_assert(sizeof(void *) > 8 || sizeof(code_info) <= 72, "a huge text has millions of them");

/* A loop of one block that only loads, computes and counts (find_loops.c); insn.ext of the branch
 * at its end. exec/batched_loop.c runs many iterations of it at once. */
enum { LOOP_ITEMS = 64, LOOP_STEPS = 8 };
/* insn.mod of setp and set: inverts the comparison; inverts the predicate that it is combined with;
 * how they are combined. */
enum { CMP_INVERT = 1, CMP_C_INVERTED = 2, CMP_AND = 4, CMP_OR = 8, CMP_XOR = 12, CMP_COMBINE = 12 };
enum { TEST_LESS = 1, TEST_EQUAL = 2, TEST_WIDE = 4, TEST_SIGNED = 8, TEST_INVERSE = 16 };
/* a register to which each iteration adds the same */
typedef struct loop_step {
    uint32_t place, by; /* places; `by` is not written in the loop */
    uint16_t at;        /* the addition; every `at` here counts from the block's ENTER */
    bool wide;
    bool put_off; /* only load addresses and the test read it: added once, at the end */
} loop_step;
/* a use of a register that a step may change */
typedef struct loop_use {
    uint8_t step; /* its number, counted from 1; 0: the loop does not change it */
    bool behind;  /* the step comes before the use */
} loop_use;
/* what each iteration has to perform */
typedef struct loop_item {
    uint16_t at;
    bool load;
    loop_use base; /* of a load's address */
} loop_item;
typedef struct code_loop {
    loop_step step[LOOP_STEPS];
    uint32_t steps, items;
    loop_item *item;
    /* places: another iteration follows when side[0] is less than (or equal to) side[1], or not, as
     * `test` says */
    uint32_t side[2];
    loop_use moves[2]; /* of the two sides */
    unsigned test;
} code_loop;

typedef struct code_block {
    uint32_t first, last;  /* pcs, inclusive; first is the ENTER */
    uint32_t instructions; /* real ones */
} code_block;

/* a shared variable, or the dynamic array */
typedef struct shared_part {
    uint32_t from, to;  /* offsets in shared memory */
    const ptx_var *var; /* NULL: dynamic memory without a name */
} shared_part;

/* What a function may ask whose answer depends on more than memory: a clock; which launch it is; compare and swap on
 * what all can see, where the number of tries depends on how many try. */
enum { FUNC_CLOCK = 1, FUNC_LAUNCH = 2, FUNC_SWAPS = 4 };

typedef struct code_func {
    const ptx_func *src;
    bool recursive;                    /* may call itself, directly or not */
    uint8_t asks;                      /* FUNC_...: it or what it may call */
    uint32_t stack_frame, stack_local; /* bytes, with everything that it may call (once) */
    uint32_t entry;                    /* pc */
    uint32_t frame_bytes;
    uint32_t local_bytes; /* per thread: formals, call arguments and .local variables */
    uint32_t ret_bytes;   /* size of the formal area: return values, then parameters */
    uint32_t formal_bytes;
    uint32_t zero_from, zero_count; /* list in module->zero: places read before written */
    int registers, registers_32;    /* estimated per thread; on cards with 32-bit addresses */
    bool registers_known;           /* the first is what ptxas gives, not an estimate */
    int reg32, reg64, regp;
    uint32_t local_spare;  /* of local_bytes: added by rounding after the last variable */
    uint32_t shared_bytes; /* static, as a card has it */
    uint32_t dynamic_base; /* where the dynamic array begins on a card, when one is declared */
    bool has_dynamic;
    uint32_t shared_end;               /* last static variable's end, with gaps (places.c) */
    uint32_t dynamic_from, dynamic_to; /* first and last start of the dynamic arrays here */
    shared_part *parts;                /* the static variables that a kernel may use, ascending */
    uint32_t part_count;
} code_func;

/* A product whose register was written without a wgmma.fence before it (in_flight.c). */
typedef struct code_unfenced {
    const ptx_insn *wrote; /* NULL: no fence at all comes before the product */
    const char *reg;
} code_unfenced;

typedef struct code_module {
    ptx_module *ptx;
    insn *insns;
    code_info *info;
    uint32_t count;
    code_block *blocks;
    uint32_t block_count;
    uint32_t *meets; /* lists of pcs where lanes reconverge (insn_join), each up to UINT32_MAX */
    uint32_t meet_count;
    code_func *funcs; /* same order as ptx->funcs */
    char *constants;  /* pool, 64-byte aligned */
    size_t constant_bytes;
    struct zero_place {
        uint32_t place;
        uint32_t bytes;
    } * zero;
    uint32_t zero_count;
    code_unfenced *unfenced; /* insn.mod of a product: a number in this list, from 1 */
    uint32_t unfenced_count;
    uint32_t slots;         /* number of instruction slots, slot 0 unused */
    uint32_t views;         /* number of shared_views (shared_tile.c) */
    uint32_t shared_bytes;  /* module-scope .shared variables */
    bool uses_grid_sync;    /* reads %envreg1/2 */
    bool cuts_products;     /* multiply-add cuts its product to a float; set before code_build */
    bool schedules;         /* compilers reorder instructions (schedule.c); set before code_build */
    bool as_written;        /* no reordering, no batches of insns; set before code_build */
    bool keeps_names;       /* set before code_build: */
    const ptx_reg ***names; /* by pc: its operands' registers, NULL where there is none; NULL: no operand */
} code_module;

/* How many bytes of a warp's registers a value takes. */
static inline uint32_t code_place_bytes(enum ptx_type type)
{
    const int bits = ptx_bits(type);
    return bits == 1 ? 4 : bits <= 32 ? 128 : bits == 64 ? 256 : 512;
}

/* registers.c: the estimate, and what ptxas may give at least where the estimate is as far too high as any was seen */
int code_registers(const code_func *f, const sim_card *c);
int code_registers_least(const code_func *f, const sim_card *c);

#define CODE_FUNCTION_BASE UINT64_C(0x0000000400000000) /* "address" of function i: this + 16 i */

enum { FRAME_HEADER = 256 /* u32[2][32]: the pc to return to, and the caller's frame, per lane */ };

/* An insn's relative targets: o[1] is where it goes, o[2] where the lanes reconverge (0: nowhere).
 * If they reconverge in several places, o[3] is the list of all of them in code_module.meets. An
 * ENTER's o[1] is its block's place in the order of code/reconverge.c: lanes that begin the block
 * have passed all joins with lower places. */
static inline const insn *insn_target(const insn *in) { return in + (int32_t)in->o[1]; }
static inline const insn *insn_join(const insn *in) { return in->o[2] ? in + (int32_t)in->o[2] : NULL; }

/* bytes copied between the caller's local memory or a register and the callee's formals */
typedef struct call_copy {
    uint32_t caller, callee, bytes;
} call_copy;
typedef struct call_info {
    uint32_t caller_frame, caller_local; /* the caller's sizes: where the callee's begin */
    uint32_t target;                     /* pc of the callee; UINT32_MAX: indirect, by o[0] */
    uint32_t builtin;                    /* enum call_builtin */
    uint32_t in_count, out_count;
    call_copy *in, *out;
} call_info;
enum call_builtin {
    BUILTIN_NONE,
    BUILTIN_VPRINTF,
    BUILTIN_MALLOC,
    BUILTIN_FREE,
    BUILTIN_ASSERTFAIL,
    BUILTIN_UNDEFINED
};

/* build.c: turns a parsed module into code. Variables of `ptx` in global/const space already have
 * addresses. */
int code_build(code_module *m, ptx_module *ptx, const exec_table *ops, arena *a, sim_error *err);

/* places.c: lists the functions that a function may reach, itself first, and marks them in `seen`. A call
 * through a register may reach every function that is not a kernel. Both arrays have room for all
 * functions of the module; `seen` begins as zeros. Returns how many. */
int code_reach(const ptx_module *m, const ptx_func *f, uint8_t *seen, int *list);

/* places.c: where the parameters of a function lie: return values first, then parameters, each aligned.
 * Returns the bytes. */
uint32_t code_formals(const ptx_func *f, uint32_t *offsets, uint32_t *ret_bytes);

#endif
