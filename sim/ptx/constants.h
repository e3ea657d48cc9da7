/* constants.h: constant expressions. */
#ifndef SIM_CONSTANTS_H
#define SIM_CONSTANTS_H

#include "parse.h"

typedef struct value {
    enum { V_INT, V_F32, V_F64 } kind;
    uint64_t bits;
    bool is_unsigned;
} value;
value parse_value(parser *p);       /* a constant expression */
value parse_value_unary(parser *p); /* one that binds tighter than any infix operator */
int64_t parse_integer(parser *p, const char *what);
double value_double(value v);

#endif
