/* lex.h: text to tokens. */
#ifndef SIM_LEX_H
#define SIM_LEX_H

#include "ptx.h"

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

typedef struct parser parser;
void lex_start(lexer *lx, const char *text, size_t bytes);
void lex_next(parser *p);               /* the next token into p->t */
bool lex_form(parser *p, token *whole); /* after a name: dotted words that touch it */

#endif
