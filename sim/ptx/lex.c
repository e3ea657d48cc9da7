/* lex.c: PTX text to tokens. Everything is bounded by lx->end: the text need not end in a NUL.
 * White space, both kinds of comments, and lines that begin with # (a preprocessor's line markers)
 * or @@ (debug data of old compilers) are skipped. */
#include "parse.h"
#include <locale.h>
#include <stdlib.h>

static bool lex_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

void lex_start(lexer *lx, const char *text, size_t bytes)
{
    while (bytes && !text[bytes - 1]) bytes--; /* compilers' APIs count the final NUL */
    lx->at = lx->line_start = text;
    lx->end = text + bytes;
    lx->line = 1;
}

static int column_of(const lexer *lx, const char *at) { return (int)(at - lx->line_start) + 1; }

static void skip_line(lexer *lx)
{
    const char *newline = memchr(lx->at, '\n', (size_t)(lx->end - lx->at));
    lx->at = newline ? newline : lx->end;
}

static void skip_space(parser *p)
{
    lexer *lx = &p->lx;
    while (lx->at < lx->end) {
        char c = *lx->at, after = lx->at + 1 < lx->end ? lx->at[1] : 0;
        if (c == '\n') {
            lx->at++;
            lx->line++;
            lx->line_start = lx->at;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            lx->at++;
        } else if ((c == '/' && after == '/') || (c == '#' && lx->at == lx->line_start) || (c == '@' && after == '@')) {
            skip_line(lx);
        } else if (c == '/' && after == '*') {
            int line = lx->line, column = column_of(lx, lx->at);
            for (lx->at += 2;; lx->at++) {
                if (lx->end - lx->at < 2)
                    parse_fail(p, SIM_E_SYNTAX, line, column, NULL, "this comment is not closed: expected \"*/\"");
                if (lx->at[0] == '*' && lx->at[1] == '/') break;
                if (*lx->at == '\n') {
                    lx->line++;
                    lx->line_start = lx->at + 1;
                }
            }
            lx->at += 2;
        } else {
            break;
        }
    }
}

PARSE_NORETURN static void bad_number(parser *p, const char *why)
{
    char quoted[64];
    const char *s = p->t.text;
    size_t n = 0;
    while (s + n < p->lx.end && n < 40 && (lex_is_word(s[n]) || s[n] == '.')) n++;
    parse_wrong(p, &p->t, "the number %s %s", parse_quote(s, n, quoted, sizeof quoted), why);
}

/* 0f3F800000 and 0d3FF0000000000000: the bits of a float. */
static void lex_float_bits(parser *p, int digits)
{
    lexer *lx = &p->lx;
    const char *s = lx->at + 2;
    int n = 0;
    for (; s < lx->end && hex_digit(*s) >= 0 && n <= digits; s++, n++)
        p->t.value = p->t.value << 4 | (uint64_t)hex_digit(*s);
    if (n != digits)
        bad_number(p, digits == 8 ? "needs exactly 8 hexadecimal digits" : "needs exactly 16 hexadecimal digits");
    p->t.kind = digits == 8 ? TK_F32 : TK_F64;
    lx->at = s;
}

/* Decimal floats go through strtod, which expects the locale's decimal point. */
static void lex_decimal_float(parser *p, const char *end)
{
    char digits[512];
    const char *point = localeconv()->decimal_point;
    size_t n = 0, length = strlen(point);
    for (const char *s = p->lx.at; s < end; s++) {
        if (n + length + 1 > sizeof digits) bad_number(p, "is too long");
        if (*s == '.') {
            memcpy(digits + n, point, length);
            n += length;
        } else {
            digits[n++] = *s;
        }
    }
    digits[n] = 0;
    double d = strtod(digits, NULL);
    memcpy(&p->t.value, &d, sizeof d);
    p->t.kind = TK_F64;
    p->lx.at = end;
}

static void lex_number(parser *p)
{
    lexer *lx = &p->lx;
    const char *s = lx->at, *end = lx->end;
    char second = s + 1 < end ? s[1] : 0;
    unsigned base = 10;
    p->t.kind = TK_INT;
    if (*s == '0' && (second == 'f' || second == 'F')) {
        lex_float_bits(p, 8);
    } else if (*s == '0' && (second == 'd' || second == 'D')) {
        lex_float_bits(p, 16);
    } else {
        if (*s == '0') {
            if (second == 'x' || second == 'X') base = 16, s += 2;
            else if (second == 'b' || second == 'B') base = 2, s += 2;
        }
        if (base == 10) {
            const char *e = s;
            while (e < end && is_digit(*e)) e++;
            bool is_float = false;
            if (e < end && *e == '.' &&
                (e + 1 == end || !lex_is_word(e[1]) || is_digit(e[1]) || e[1] == 'e' || e[1] == 'E')) {
                is_float = true;
                for (e++; e < end && is_digit(*e);) e++;
            }
            if (e < end && (*e == 'e' || *e == 'E')) {
                const char *x = e + 1;
                if (x < end && (*x == '+' || *x == '-')) x++;
                if (x < end && is_digit(*x)) {
                    is_float = true;
                    for (e = x; e < end && is_digit(*e);) e++;
                }
            }
            if (is_float) {
                lex_decimal_float(p, e);
                goto done;
            }
            if (*s == '0' && is_digit(second)) base = 8, s++;
        }
        const char *first = s;
        for (; s < end && hex_digit(*s) >= 0 && (unsigned)hex_digit(*s) < base; s++) {
            if (p->t.value > (UINT64_MAX - (unsigned)hex_digit(*s)) / base) bad_number(p, "does not fit in 64 bits");
            p->t.value = p->t.value * base + (unsigned)hex_digit(*s);
        }
        if (s == first) bad_number(p, "has no digits");
        if (s < end && *s == 'U') {
            p->t.is_unsigned = true;
            s++;
        }
        if (p->t.value > INT64_MAX) p->t.is_unsigned = true;
        lx->at = s;
    }
done:
    if (lx->at < end && lex_is_word(*lx->at)) bad_number(p, "is malformed");
}

static const char *dotted_end(const char *s, const char *end) /* after word(::word)* */
{
    for (;;) {
        while (s < end && lex_is_word(*s)) s++;
        if (end - s > 2 && s[0] == ':' && s[1] == ':' && lex_is_word(s[2])) s += 2;
        else return s;
    }
}

static int two_characters(char a, char b)
{
    if (a == '<' && b == '<') return TK_SHL;
    if (a == '>' && b == '>') return TK_SHR;
    if (a == '<' && b == '=') return TK_LE;
    if (a == '>' && b == '=') return TK_GE;
    if (a == '=' && b == '=') return TK_EQ;
    if (a == '!' && b == '=') return TK_NE;
    if (a == '&' && b == '&') return TK_ANDAND;
    if (a == '|' && b == '|') return TK_OROR;
    return 0;
}

static void lex_string(parser *p)
{
    lexer *lx = &p->lx;
    const char *s = lx->at + 1;
    while (s < lx->end && *s != '"' && *s != '\n') s += *s == '\\' && s + 1 < lx->end && s[1] != '\n' ? 2 : 1;
    if (s >= lx->end || *s != '"')
        parse_wrong(p, &p->t, "this string is not closed: expected '\"' before the end of the line");
    p->t.kind = TK_STRING;
    p->t.text = lx->at + 1;
    p->t.length = (uint32_t)(s - p->t.text);
    lx->at = s + 1;
}

void lex_next(parser *p)
{
    lexer *lx = &p->lx;
    skip_space(p);
    token *t = &p->t;
    *t = (token){.text = lx->at, .line = lx->line, .column = column_of(lx, lx->at)};
    if (lx->at >= lx->end) return;
    const char *s = lx->at;
    char c = *s;
    if ((lex_is_word(c) && !is_digit(c)) || c == '%') {
        for (s++; s < lx->end && lex_is_word(*s);) s++;
        t->kind = c == '%' && s == lx->at + 1 ? '%' : TK_NAME;
    } else if (is_digit(c)) {
        lex_number(p);
        t->length = (uint32_t)(lx->at - t->text);
        return;
    } else if (c == '.' && s + 1 < lx->end && lex_is_word(s[1])) {
        t->kind = TK_DOT;
        t->text = s + 1;
        s = dotted_end(s + 1, lx->end);
        t->length = (uint32_t)(s - t->text);
        lx->at = s;
        return;
    } else if (c == '"') {
        lex_string(p);
        return;
    } else if (c && strchr("{}()[]<>,;:@!|&+-*/%~^?=.", c)) {
        int pair = s + 1 < lx->end ? two_characters(c, s[1]) : 0;
        t->kind = pair ? pair : c;
        s += pair ? 2 : 1;
    } else {
        char quoted[16];
        parse_wrong(p, t, "the character %s has no place in PTX", parse_quote(s, 1, quoted, sizeof quoted));
    }
    t->length = (uint32_t)(s - t->text);
    lx->at = s;
}

/* The current name and every ".word" that follows it without a gap, as one piece of text. Then
 * reads the next token. */
bool lex_form(parser *p, token *whole)
{
    const char *s = p->lx.at, *end = p->lx.end;
    *whole = p->t;
    while (end - s > 1 && *s == '.' && lex_is_word(s[1])) s = dotted_end(s + 1, end);
    whole->length = (uint32_t)(s - whole->text);
    bool any = s != p->lx.at;
    p->lx.at = s;
    lex_next(p);
    return any;
}
