/* scopes.h: names and what they mean in nested scopes. */
#ifndef SIM_SCOPES_H
#define SIM_SCOPES_H

#include "lex.h"

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

#endif
