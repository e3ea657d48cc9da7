/* constants.c: constant expressions, as PTX defines them: 64-bit integers, signed unless written
 * with U or too large for it; an operation on two integers is unsigned when either is. Floats may
 * stand alone or after a minus. One function reads one level of precedence and above; infix
 * operators of the same level associate to the left. */
#include "constants.h"

enum { LOWEST = 1, HIGHEST = 10 };

static int precedence(int kind)
{
    switch (kind) {
    case TK_OROR: return 1;
    case TK_ANDAND: return 2;
    case '|': return 3;
    case '^': return 4;
    case '&': return 5;
    case TK_EQ:
    case TK_NE: return 6;
    case '<':
    case '>':
    case TK_LE:
    case TK_GE: return 7;
    case TK_SHL:
    case TK_SHR: return 8;
    case '+':
    case '-': return 9;
    case '*':
    case '/':
    case '%': return 10;
    default: return 0;
    }
}

static value integer(uint64_t bits, bool is_unsigned) { return (value){V_INT, bits, is_unsigned}; }

static value parse_ternary(parser *p);

PARSE_NORETURN static void not_an_integer(parser *p, const token *at)
{
    parse_wrong(p, at, "expected an integer in this constant expression");
}

/* "(" has been seen: a cast, or a parenthesised expression */
static value parse_parenthesis(parser *p)
{
    lex_next(p);
    if (p->t.kind == TK_DOT) {
        bool is_u64 = p->t.length == 3 && !memcmp(p->t.text, "u64", 3);
        if (!is_u64 && !(p->t.length == 3 && !memcmp(p->t.text, "s64", 3)))
            parse_expected(p, "\".s64\" or \".u64\" in a cast");
        lex_next(p);
        parse_take(p, ')', "\")\"");
        token at = p->t;
        value v = parse_value_unary(p);
        if (v.kind != V_INT) not_an_integer(p, &at);
        v.is_unsigned = is_u64;
        return v;
    }
    value v = parse_ternary(p);
    parse_take(p, ')', "\")\"");
    return v;
}

value parse_value_unary(parser *p)
{
    token at = p->t;
    value v;
    switch (at.kind) {
    case TK_INT: lex_next(p); return integer(at.value, at.is_unsigned);
    case TK_F32:
    case TK_F64: lex_next(p); return (value){at.kind == TK_F32 ? V_F32 : V_F64, at.value, false};
    case TK_NAME:
        if (at.length == 7 && !memcmp(at.text, "WARP_SZ", 7)) {
            lex_next(p);
            return integer(32, false);
        }
        break;
    case '(':
        parse_enter(p);
        v = parse_parenthesis(p);
        p->nesting--;
        return v;
    case '+':
    case '-':
    case '~':
    case '!':
        lex_next(p);
        parse_enter(p);
        v = parse_value_unary(p);
        p->nesting--;
        if (at.kind == '+') return v;
        if (at.kind == '-' && v.kind == V_F32) return (value){V_F32, v.bits ^ UINT64_C(0x80000000), false};
        if (at.kind == '-' && v.kind == V_F64) return (value){V_F64, v.bits ^ UINT64_C(0x8000000000000000), false};
        if (v.kind != V_INT) not_an_integer(p, &at);
        if (at.kind == '-') return integer(0 - v.bits, v.is_unsigned && v.bits != UINT64_C(0x8000000000000000));
        if (at.kind == '~') return integer(~v.bits, v.is_unsigned);
        return integer(!v.bits, false);
    }
    parse_expected(p, "a constant");
}

static value infix(parser *p, const token *op, value a, value b)
{
    if (a.kind != V_INT || b.kind != V_INT) not_an_integer(p, op);
    bool u = a.is_unsigned || b.is_unsigned;
    uint64_t x = a.bits, y = b.bits;
    int64_t sx = (int64_t)x, sy = (int64_t)y;
    switch (op->kind) {
    case TK_OROR: return integer(x || y, false);
    case TK_ANDAND: return integer(x && y, false);
    case '|': return integer(x | y, u);
    case '^': return integer(x ^ y, u);
    case '&': return integer(x & y, u);
    case TK_EQ: return integer(x == y, false);
    case TK_NE: return integer(x != y, false);
    case '<': return integer(u ? x < y : sx < sy, false);
    case '>': return integer(u ? x > y : sx > sy, false);
    case TK_LE: return integer(u ? x <= y : sx <= sy, false);
    case TK_GE: return integer(u ? x >= y : sx >= sy, false);
    case TK_SHL: return integer(y < 64 ? x << y : 0, a.is_unsigned);
    case TK_SHR:
        if (a.is_unsigned || sx >= 0) return integer(y < 64 ? x >> y : 0, a.is_unsigned);
        return integer(~(y < 64 ? ~x >> y : 0), false);
    case '+': return integer(x + y, u);
    case '-': return integer(x - y, u);
    case '*': return integer(x * y, u);
    default: /* / and % */
        if (!y) parse_wrong(p, op, "division by zero in a constant expression");
        if (u) return integer(op->kind == '/' ? x / y : x % y, true);
        if (sy == -1) return integer(op->kind == '/' ? 0 - x : 0, false); /* the one overflow too */
        return integer((uint64_t)(op->kind == '/' ? sx / sy : sx % sy), false);
    }
}

/* The precedence of the current token. "7%4" was read as 7 and a register %4: after a constant it
 * is a remainder. */
static int infix_level(parser *p)
{
    if (p->t.kind == TK_NAME && p->t.text[0] == '%' && p->t.length > 1 && p->t.text[1] >= '0' && p->t.text[1] <= '9') {
        p->lx.at = p->t.text + 1;
        p->t.kind = '%';
        p->t.length = 1;
    }
    return precedence(p->t.kind);
}

static value parse_infix(parser *p, int level)
{
    value a = parse_value_unary(p);
    for (int at; (at = infix_level(p)) >= level && at;) {
        token op = p->t;
        lex_next(p);
        parse_enter(p);
        value b = parse_infix(p, at + 1);
        p->nesting--;
        a = infix(p, &op, a, b);
    }
    return a;
}

static value parse_ternary(parser *p)
{
    value c = parse_infix(p, LOWEST);
    if (p->t.kind != '?') return c;
    if (c.kind != V_INT) not_an_integer(p, &p->t);
    lex_next(p);
    parse_enter(p);
    value a = parse_ternary(p);
    parse_take(p, ':', "\":\" of a conditional expression");
    value b = parse_ternary(p);
    p->nesting--;
    return c.bits ? a : b;
}

value parse_value(parser *p) { return parse_ternary(p); }

int64_t parse_integer(parser *p, const char *what)
{
    token at = p->t;
    if (at.kind == TK_END || at.kind == ';') parse_expected(p, what);
    value v = parse_value(p);
    if (v.kind != V_INT) parse_wrong(p, &at, "expected %s, but found a float", what);
    return (int64_t)v.bits;
}

double value_double(value v)
{
    if (v.kind == V_INT) return v.is_unsigned ? (double)v.bits : (double)(int64_t)v.bits;
    if (v.kind == V_F32) {
        uint32_t bits = (uint32_t)v.bits;
        float f;
        memcpy(&f, &bits, sizeof f);
        return f;
    }
    double d;
    memcpy(&d, &v.bits, sizeof d);
    return d;
}
