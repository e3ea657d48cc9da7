/* parse.h: what the parser's files share; no others include it. lex.c turns text into tokens,
 * scopes.c resolves names within nested scopes, constants.c computes constants, data.c reads
 * variables and their initialisers, insn.c instructions, debug.c source places, and parse.c the
 * module around them.
 *
 * The parser holds one token, p->t. A function that reads something starts with its first token
 * there and ends with the first one after it. Any failure leaves through parse_fail, which jumps
 * back to ptx_parse. */
#ifndef SIM_PTX_PARSE_H
#define SIM_PTX_PARSE_H

#include "ptx.h"

#if defined(__GNUC__)
#define PARSE_NORETURN __attribute__((noreturn))
#else
#define PARSE_NORETURN
#endif

enum {
    PARSE_MAX_TEXT = 64 << 20,
    PARSE_MAX_INSNS = 4000000, /* of a module */
    PARSE_MAX_REGS = 1000000,  /* of a function */
    PARSE_MAX_SCOPES = 64,     /* nested braces of a function */
    PARSE_MAX_DEPTH = 64,      /* nested parentheses, braces of initialisers */
    PARSE_MAX_LIST = 4096,     /* elements of an operand list */
    PARSE_MAX_FILES = 65536,
    PARSE_MAX_DIMS = 16
};

/* a punctuation character is its own kind */
enum token_kind {
    TK_END,
    TK_NAME = 256, /* add, %r1, $L1, _ */
    TK_DOT,        /* .word; text excludes the dot */
    TK_INT,
    TK_F32, /* value: bits */
    TK_F64,
    TK_STRING, /* text excludes the quotes */
    TK_SHL,
    TK_SHR,
    TK_LE,
    TK_GE,
    TK_EQ,
    TK_NE,
    TK_ANDAND,
    TK_OROR
};

typedef struct token {
    const char *text;
    uint64_t value;
    uint32_t length;
    int kind, line, column;
    bool is_unsigned; /* integers written with U */
} token;

typedef struct lexer {
    const char *at, *end, *line_start;
    int line;
} lexer;

/* Directives that the grammar knows by name. */
#define PARSE_DIRECTIVES(D)                                                                                           \
    D(VERSION, "version")                                                                                             \
    D(TARGET, "target")                                                                                               \
    D(ADDRESS_SIZE, "address_size")                                                                                   \
    D(FILE, "file") D(LOC, "loc") D(SECTION, "section") D(PRAGMA, "pragma") D(ENTRY, "entry") D(FUNC, "func")         \
        D(VISIBLE, "visible") D(EXTERN, "extern") D(WEAK, "weak") D(COMMON, "common") D(MAXNTID, "maxntid")           \
            D(REQNTID, "reqntid") D(MINNCTAPERSM, "minnctapersm") D(MAXNCTAPERSM, "maxnctapersm")                     \
                D(MAXNREG, "maxnreg") D(MAXCLUSTERRANK, "maxclusterrank") D(REQNCTAPERCLUSTER, "reqnctapercluster")   \
                    D(EXPLICITCLUSTER, "explicitcluster") D(BLOCKSARECLUSTERS, "blocksareclusters")                   \
                        D(NORETURN, "noreturn") D(ATTRIBUTE, "attribute") D(PTR, "ptr") D(ALIGN, "align")             \
                            D(REG, "reg") D(LOCAL, "local") D(SHARED, "shared") D(GLOBAL, "global") D(CONST, "const") \
                                D(PARAM, "param") D(TEX, "tex") D(BRANCHTARGETS, "branchtargets")                     \
                                    D(CALLTARGETS, "calltargets") D(CALLPROTOTYPE, "callprototype") D(ALIAS, "alias")
enum directive {
    D_NONE,
#define D(id, text) D_##id,
    PARSE_DIRECTIVES(D)
#undef D
        D_COUNT
};

/* A name is every word seen, once. The words of the language are put there first. */
typedef struct name {
    const char *text; /* NUL-terminated, lives as long as the module */
    uint32_t length, hash;
    uint16_t op, type, suffix, sreg, directive; /* its meanings in the language; 0: none */
    uint32_t debug_at;                          /* label in .debug_str: offset + 1 */
    struct binding *top;                        /* innermost declaration */
    struct binding *range;                      /* innermost .reg %name<N> */
    struct form_cache *form;                    /* as a whole "add.rn.f32" */
} name;

enum binding_kind { B_VAR, B_FUNC, B_REG, B_LABEL, B_TABLE, B_RANGE };
typedef struct binding {
    uint8_t kind, type; /* B_RANGE: type of its registers */
    uint8_t vector;     /* registers of one vector; 0: not a vector */
    int depth, line;    /* 0 module, 1 function, 2.. nested braces */
    name *of;
    struct binding *shadowed, *scope_next;
    union {
        ptx_var *var;
        ptx_func *func;
        ptx_table *table;
        int reg;        /* register number */
        int label;      /* instruction index */
        uint32_t count; /* B_RANGE */
    } is;
} binding;

/* A label used before its scope has ended; filled in when the scope that declares it closes. */
typedef struct label_ref {
    struct label_ref *next;
    name *of;
    ptx_operand *operand; /* either this ... */
    int *slot;            /* ... or an entry of a table */
    int line, column;
} label_ref;

typedef struct scope {
    binding *bindings;
    label_ref *refs;
    token open;      /* its brace */
    int range_depth; /* deepest scope that declares a register range, this one included */
} scope;

typedef struct wanted_label {
    name *of;
    int line, column;
} wanted_label;

typedef struct parser {
    jmp_buf fail, oom;
    sim_error *err;
    ptx_module *m;
    arena *keep;   /* holds the tree */
    arena scratch; /* freed after parsing */
    lexer lx;
    token t;
    /* scopes.c */
    name **table;
    uint32_t table_size, name_count; /* table_size is a power of two */
    uint64_t seed;
    scope scopes[PARSE_MAX_SCOPES + 1];
    int depth;
    /* insn.c */
    ptx_func *f;     /* being read */
    ptx_insn *insns; /* its instructions, copied at its end */
    int insn_count, insn_capacity, insns_total;
    ptx_operand *operands; /* stack of unfinished lists */
    int operand_count, operand_capacity;
    wanted_label *wanted; /* labels of the instruction being read; an operand's label indexes it */
    int wanted_count, wanted_capacity;
    int loc;       /* current .loc, -1 none */
    bool nounroll; /* the pragma precedes the next one */
    /* data.c */
    ptx_init *inits;
    int init_count, init_capacity;
    /* debug.c */
    struct loc_name *loc_names;
    int loc_name_count, loc_name_capacity;
    int *loc_table; /* (file, line, column) -> newest loc + 1 */
    uint32_t loc_table_size, loc_table_used;
    char *debug_bytes;
    uint32_t debug_count, debug_capacity;
    int file_capacity, highest_file;
    int nesting; /* of recursive rules */
} parser;

/* parse.c */
PARSE_NORETURN void parse_fail(parser *p, int code, int line, int column, const char *hint, const char *fmt, ...)
    SIM_PRINTF(6, 7);
PARSE_NORETURN void parse_wrong(parser *p, const token *at, const char *fmt, ...) SIM_PRINTF(3, 4); /* malformed */
PARSE_NORETURN void parse_expected(parser *p, const char *what);                     /* ..., but found p->t */
const char *parse_quote(const char *text, size_t length, char *buffer, size_t size); /* clipped, printable */
void parse_enter(parser *p);                                                         /* one recursion deeper, or fail */
uint32_t parse_u32(parser *p, const char *what);
void parse_take(parser *p, int kind, const char *what);
bool parse_accept(parser *p, int kind);
enum directive parse_directive_of(parser *p); /* of the current token; D_NONE: not one */
ptx_func *parse_prototype(parser *p);         /* after ".callprototype", up to its ";" */

/* lex.c */
void lex_start(lexer *lx, const char *text, size_t bytes);
void lex_next(parser *p);               /* the next token into p->t */
bool lex_form(parser *p, token *whole); /* after a name: dotted words that touch it */

/* scopes.c */
void names_start(parser *p);
name *names_intern(parser *p, const char *text, size_t length);
name *names_find(parser *p, const char *text, size_t length);
binding *names_bind(parser *p, name *n, enum binding_kind kind, int line, int column);
/* declares one; line 0: without binding the name */
int names_register(parser *p, enum ptx_type type, const char *text, int line);
binding *names_register_bind(parser *p, name *n, enum ptx_type type, int vector, int line, int column);
binding *names_lookup(parser *p, name *n); /* innermost; NULL: none */
void scope_open(parser *p, const token *brace);
void scope_close(parser *p);
void scope_want_label(parser *p, name *n, ptx_operand *operand, int *slot, int line, int column);

/* constants.c */
typedef struct value {
    enum { V_INT, V_F32, V_F64 } kind;
    uint64_t bits;
    bool is_unsigned;
} value;
value parse_value(parser *p);       /* a constant expression */
value parse_value_unary(parser *p); /* one that binds tighter than any infix operator */
int64_t parse_integer(parser *p, const char *what);
double value_double(value v);

/* data.c */
void parse_variables(parser *p, enum ptx_space space, bool is_extern);
void parse_registers(parser *p); /* after ".reg" */
ptx_var *parse_param(parser *p, int index);
void parse_attribute(parser *p);

/* insn.c */
void parse_statement(parser *p);                                /* guard, opcode, operands, ";" */
void parse_table(parser *p, name *label, int line, int column); /* .branchtargets and the like */

/* debug.c */
void debug_file(parser *p);
void debug_loc(parser *p);
void debug_section(parser *p);
void debug_finish(parser *p);

/* shorthand.c: short forms turned into long ones */
extern const uint8_t parse_types[T_COUNT];      /* each type, for an instruction of one */
void parse_push(parser *p, const ptx_insn *in); /* one more instruction of the body */
void parse_push_long(parser *p, ptx_insn *in);  /* the same, or the several that it stands for */
ptx_operand parse_register_operand(int reg);
ptx_operand parse_vector_operand(parser *p, int first, int count);
void parse_vector_name(parser *p, ptx_operand *o, int first, int count);
void parse_index(parser *p, ptx_operand *o);
void parse_register_plus(parser *p, ptx_operand *o);

/* byreg.c: parameters in registers */
void byreg_begin(parser *p);                        /* a body begins */
void byreg_return(parser *p, const ptx_insn *like); /* before a ret, or at the end: NULL */
void byreg_before_call(parser *p, const ptx_insn *call);
void byreg_after_call(parser *p, const ptx_insn *call);

/* alias.c */
void parse_alias(parser *p);  /* at ".alias", past ";" */
void alias_finish(parser *p); /* the text has been read */

/* tables.c */
bool ptx_op_unsupported(enum ptx_op op);      /* it is in the table only to be refused */
const char *ptx_nearest_op(const char *text); /* a known opcode spelled much like this, or NULL */

#endif
