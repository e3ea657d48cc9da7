/* ptx.h: PTX text as a tree. parse.c builds it; code/ turns it into something that runs.
 *
 * Everything lives in the module's arena. Names are resolved here: an operand says register number
 * 7 of its function, not "%r7", and labels, functions and variables are pointers. Whether an opcode
 * has a form (types and suffixes) is *not* checked here. That is decided where the instruction's
 * implementation is selected, so that nothing can be parsed and then quietly ignored. Directives
 * without meaning for execution (.section and debug data, .pragma) are skipped; an unknown
 * directive is an error.
 */
#ifndef SIM_PTX_H
#define SIM_PTX_H

#include "base.h"

enum ptx_type {
    T_NONE,
#define TYPE(id, name, bits, kind) T_##id,
#include "types.def"
#undef TYPE
    T_COUNT
};

enum ptx_suffix {
    S_NONE,
#define SUFFIX(id, text) S_##id,
#include "suffixes.def"
#undef SUFFIX
    S_COUNT
};

enum ptx_op {
    OP_NONE,
#define OP(id, name, group, touches, effect) OP_##id,
#include "ops.def"
#undef OP
    OP_COUNT
};

typedef struct ptx_type_info {
    const char *name;
    int bits;
    char kind; /* 'B' 'U' 'S' 'F' 'H' 'P' */
} ptx_type_info;
extern const ptx_type_info ptx_types[T_COUNT];
extern const char *const ptx_suffix_names[S_COUNT];
extern const sim_op_info ptx_ops[OP_COUNT];
/* What to do about an instruction that is refused. */
#define PTX_DO_WITHOUT "Rewrite the source so that it does not need this instruction, or run it on a real GPU."

static inline int ptx_bits(enum ptx_type t) { return ptx_types[t].bits; }

enum ptx_space {
    SPACE_NONE,
    SPACE_REG,
    SPACE_GLOBAL,
    SPACE_SHARED,
    SPACE_LOCAL,
    SPACE_CONST,
    SPACE_PARAM,
    SPACE_TEX,
    SPACE_CLUSTER /* shared memory of any block of the cluster: .shared::cluster */
};

/* Special registers such as %tid.x. A component of a vector register (.x .y .z .w) is 0 to 3. */
enum ptx_sreg {
    SR_NONE,
#define SREG(id, name, type, vector, fixed) SR_##id,
#include "sregs.def"
#undef SREG
    SR_COUNT
};
typedef struct ptx_sreg_info {
    const char *name;
    enum ptx_type type;
    bool vector, fixed;
} ptx_sreg_info;
extern const ptx_sreg_info ptx_sregs[SR_COUNT];

/* One initialised piece of a variable: a value, or the address of a symbol (plus addend). */
typedef struct ptx_init {
    uint32_t offset, size; /* in bytes, 1, 2, 4 or 8: small neighbours are merged; gaps are zero */
    uint64_t bits;
    struct ptx_var *var;   /* address of a variable ... */
    struct ptx_func *func; /* ... or of a function */
    int64_t addend;
    bool generic;       /* generic(var) */
    uint8_t byte_shift; /* mask() initialisers: the address shifted right by this many bits */
} ptx_init;

typedef struct ptx_sampler {
    uint8_t outside[3];
    bool linear, plain;
} ptx_sampler; /* as sim_sampler */

typedef struct ptx_var {
    const char *name;
    enum ptx_space space;
    enum ptx_type type;
    uint32_t align;
    uint64_t size; /* bytes, 0 for an unsized extern array */
    bool is_extern, is_array;
    bool pointer;     /* a parameter declared .ptr */
    bool in_register; /* a parameter declared .reg: the body loads it (byreg.c) into ... */
    int reg;          /* ... this register, or from it on so many: */
    int vector;       /* 0: not a vector */
    ptx_init *inits;
    int init_count;
    ptx_sampler *sampler;   /* what a .samplerref is initialised to, or NULL */
    struct ptx_func *owner; /* the function it is local to, or NULL */
    int line;
    /* filled by code/: */
    uint64_t address; /* where it lives within its space */
    int index;        /* of a parameter: its position */
    bool placed;
} ptx_var;

/* A texture, surface or sampler reference. */
static inline bool ptx_is_reference(const ptx_var *v)
{
    return v->type == T_TEXREF || v->type == T_SURFREF || v->type == T_SAMPLERREF;
}

enum ptx_operand_kind {
    O_NONE, /* the sink "_" */
    O_REG,
    O_INT,     /* value.i */
    O_F32,     /* value.i holds the 32 bits of 0f... */
    O_F64,     /* value.i holds the 64 bits of 0d..., also decimal floats */
    O_SREG,    /* sreg, component */
    O_VAR,     /* a variable's address, plus value.i */
    O_FUNC,    /* a function's address */
    O_LABEL,   /* an instruction index of this function, resolved at the end of the function */
    O_ADDRESS, /* [base + offset]: base is reg, var, or neither */
    O_VECTOR,  /* {a, b, c, d}: elements */
    O_LIST,    /* (a, b, c) of a call, or [tex, {coords}] */
    O_TABLE    /* a .branchtargets / .calltargets / .callprototype label: table */
};

/* A huge text has millions of these: members that no kind needs together share memory. */
typedef struct ptx_operand {
    uint8_t kind;
    bool negated;      /* !p, or -r where a form allows it */
    uint8_t component; /* of a special register; 255 when none */
    uint8_t pair;      /* for p|q destinations, a register or the sink: 1: q is `elements` */
    uint16_t sreg;
    /* video instructions: 'b' or 'h' of the selector after a register, as in r1.b3210; 0 when none
     */
    char pick;
    uint8_t pick_count; /* how many digits follow it */
    int32_t reg;        /* O_REG, and base of O_ADDRESS (-1 none) */
    union {
        int32_t count;     /* O_VECTOR, O_LIST: elements */
        uint8_t picked[4]; /* others: the digits of `pick`, in the order written */
    };
    union {
        union {
            int64_t i;
        } value;   /* constant, or the offset of an address or variable */
        int label; /* O_LABEL: instruction index (may equal the count: the end) */
    };
    union {
        struct ptx_operand *elements; /* O_VECTOR, O_LIST, and see `pair` */
        struct ptx_var *var;          /* O_VAR, O_ADDRESS */
        struct ptx_func *func;        /* O_FUNC */
        struct ptx_table *table;      /* O_TABLE */
    };
} ptx_operand;
_Static_assert(sizeof(void *) > 8 || sizeof(ptx_operand) <= 32, "see above");

static inline bool ptx_is_list(const ptx_operand *o) { return o->kind == O_VECTOR || o->kind == O_LIST; }
/* How many operands it contains, at `elements`. */
static inline int ptx_inside(const ptx_operand *o) { return ptx_is_list(o) ? o->count : o->pair; }
/* the other half of p|q */
static inline const ptx_operand *ptx_second(const ptx_operand *o) { return o->pair ? o->elements : NULL; }

/* A labelled list: branch targets, possible call targets, or the prototype of an indirect call. */
typedef struct ptx_table {
    const char *name;
    int kind; /* 'b' branch targets, 'c' call targets, 'p' prototype */
    int *labels;
    struct ptx_func **funcs;
    int count;
    struct ptx_func *prototype; /* for 'p': only its rets and params matter */
} ptx_table;

typedef struct ptx_insn {
    const char *form;       /* "add.rn.ftz.f32" as written; NULL in hand-made ones */
    const uint8_t *type;    /* enum ptx_type, in the order written; shared by equal forms */
    const uint16_t *suffix; /* enum ptx_suffix, in the order written */
    ptx_operand *operand;
    int guard;        /* predicate register number, -1 none */
    int line, column; /* in the PTX text */
    int loc;          /* index into module->locs, -1 none */
    uint16_t op;      /* enum ptx_op */
    uint8_t type_count, suffix_count, operand_count;
    bool guard_negated;
    bool nounroll; /* the first one after .pragma "nounroll" */
} ptx_insn;
_Static_assert(sizeof(void *) > 8 || sizeof(ptx_insn) <= 56, "a huge text has millions of them");

/* Reads the carry flag. */
static inline bool ptx_carries(const ptx_insn *in)
{
    return in->op == OP_ADDC || in->op == OP_SUBC || in->op == OP_MADC;
}

/* Its predicate operands select values; they do not decide whether it is performed. */
static inline bool ptx_chooses(const ptx_insn *in)
{
    switch (in->op) {
    case OP_SELP:
    case OP_SETP:
    case OP_SET:
    case OP_AND:
    case OP_OR:
    case OP_XOR:
    case OP_NOT: return true;
    default: return false;
    }
}

static inline bool ptx_has(const ptx_insn *in, enum ptx_suffix s)
{
    for (int i = 0; i < in->suffix_count; i++)
        if (in->suffix[i] == s) return true;
    return false;
}

typedef struct ptx_reg {
    const char *name;
    enum ptx_type type;
} ptx_reg;

typedef struct ptx_func {
    const char *name;
    bool is_entry, has_body, is_extern, is_weak, noreturn;
    ptx_var **rets, **params;
    int ret_count, param_count;
    ptx_reg *regs;
    int reg_count, reg_capacity;
    ptx_var **vars; /* variables declared in the body: .local .shared .param ... */
    int var_count, var_capacity;
    ptx_insn *insns;
    int insn_count, insn_capacity;
    uint32_t maxntid[3], reqntid[3], minnctapersm, maxnreg;
    uint32_t cluster[3], cluster_most; /* .reqnctapercluster, .maxclusterrank; 0: not said */
    bool explicit_cluster;             /* .explicitcluster: only a launch that names a cluster may start it */
    int line, last_line;               /* where its name is; of the "}" of its body */
    /* the function that this is another name of; not mentioned any more once all is read */
    struct ptx_func *alias;
    int alias_line;
    struct ptx_module *module;
    struct code_func *code; /* filled by code/ */
    int index;              /* position in module->funcs */
} ptx_func;

/* A .loc: a source place, and the place it was inlined at. */
typedef struct ptx_loc {
    int file, line, column;
    const char *function; /* inlined function's name, or NULL */
    int inlined_at;       /* index of another loc, -1 none */
} ptx_loc;

typedef struct ptx_module {
    arena *arena;
    const char *name;
    size_t read;                          /* bytes of the text read when memory ran out */
    int version_major, version_minor, sm; /* .version, .target sm_XX */
    const char *target_suffix;            /* "a" of sm_90a, or "" */
    int address_size;
    const char **files; /* by .file index; NULL where none */
    int file_count;
    ptx_loc *locs;
    int loc_count, loc_capacity;
    ptx_var **vars; /* module-scope variables */
    int var_count, var_capacity;
    ptx_func **funcs;
    int func_count, func_capacity;
} ptx_module;

/* Parses `bytes` of text into `m` (whose arena is set). Returns SIM_OK or a code, with file, line
 * and column in `err`. */
int ptx_parse(ptx_module *m, const char *name, const char *text, size_t bytes, sim_error *err);

/* "add.rn.ftz.f32", for messages: the opcode with its suffixes and types in the order written. */
const char *ptx_form(const ptx_insn *in, char *buffer, size_t size);

/* ---- tables.c ---- */
bool ptx_op_unsupported(enum ptx_op op);      /* it is in the table only to be refused */
const char *ptx_nearest_op(const char *text); /* a known opcode spelled much like this, or NULL */

#endif
