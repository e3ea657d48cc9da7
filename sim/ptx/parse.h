/* parse.h: the parser: its state, and what parse.c reads itself. lex.c turns text into tokens, scopes.c resolves
 * names within nested scopes, constants.c computes constants, data.c reads variables and their initialisers,
 * insn.c instructions, debug.c source places, and parse.c the module around them.
 *
 * The parser holds one token, p->t. A function that reads something starts with its first token
 * there and ends with the first one after it. Any failure leaves through parse_fail, which jumps
 * back to ptx_parse. */
#ifndef SIM_PTX_PARSE_H
#define SIM_PTX_PARSE_H

#include "scopes.h"

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

typedef struct wanted_label {
    name *of;
    int line, column;
} wanted_label;

struct parser {
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
};

/* ---- parse.c ---- */
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

/* ---- insn.c ---- */
void parse_statement(parser *p);                                /* guard, opcode, operands, ";" */
void parse_table(parser *p, name *label, int line, int column); /* .branchtargets and the like */

/* ---- alias.c ---- */
void parse_alias(parser *p);  /* at ".alias", past ";" */
void alias_finish(parser *p); /* the text has been read */

#endif
