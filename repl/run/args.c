/* args.c: see args.h for the grammar. arg_parse follows it from left to right; arg_elements makes
 * contents on demand, so that a large buffer is never held twice. */
#include "args.h"
#include "shell/format.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const arg_type types[] = {
    {"i8", 1, 'i'},  {"u8", 1, 'u'},  {"i16", 2, 'i'}, {"u16", 2, 'u'}, {"i32", 4, 'i'},
    {"u32", 4, 'u'}, {"i64", 8, 'i'}, {"u64", 8, 'u'}, {"f32", 4, 'f'}, {"f64", 8, 'f'},
};
static const char type_names[] = "i8 u8 i16 u16 i32 u32 i64 u64 f32 f64";

static bool say(char *message, size_t size, const char *fmt, ...) FORMAT_PRINTF(3, 4);
static bool say(char *message, size_t size, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, size, fmt, args);
    va_end(args);
    return false;
}

static int cut(size_t length) { return length > 60 ? 60 : (int)length; } /* for %.*s of what a person typed */

/* ---- numbers ---- */

bool arg_whole(uint64_t *out, const char *text, size_t length, uint64_t least, uint64_t most, const char *what,
               char *message, size_t size)
{
    size_t i = 0;
    uint64_t value = 0, base = 10;
    if (length > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) base = 16, i = 2;
    bool good = i < length, fits = true;
    for (; i < length && good; i++) {
        char c = text[i];
        uint64_t digit = c >= '0' && c <= '9'   ? (uint64_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint64_t)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (uint64_t)(c - 'A') + 10
                                                : 99;
        good = digit < base;
        if (good && value > (UINT64_MAX - digit) / base) fits = false;
        if (good && fits) value = value * base + digit;
    }
    if (!good) return say(message, size, "%s is a whole number, not \"%.*s\"", what, cut(length), text);
    if (!fits || value < least || value > most)
        return say(message, size, "%s must be %" PRIu64 " to %" PRIu64 ", not %.*s", what, least, most, cut(length),
                   text);
    *out = value;
    return true;
}

/* One value of a type, as bits in the low bytes. */
static bool parse_value(uint64_t *bits, const arg_type *t, const char *text, size_t length, char *message, size_t size)
{
    if (t->kind == 'f') {
        char copy[64], *end;
        if (!length || length >= sizeof copy || strchr(" \t\n\v\f\r", text[0]))
            return say(message, size, "\"%.*s\" is not a number", cut(length), text);
        memcpy(copy, text, length);
        copy[length] = 0;
        double d = strtod(copy, &end);
        if (*end) return say(message, size, "\"%s\" is not a number", copy);
        bool is_infinite = isinf(d) && !strpbrk(copy, "0123456789"); /* said, not overflowed */
        float f = fabs(d) > 3.5e38 && !isinf(d) ? (float)INFINITY : (float)d;
        if ((isinf(d) || (t->bytes == 4 && isinf(f))) && !is_infinite)
            return say(message, size, "%s is too large for %s", copy, t->name);
        uint32_t low;
        memcpy(&low, &f, sizeof low);
        if (t->bytes == 4) *bits = low;
        else memcpy(bits, &d, sizeof *bits);
        return true;
    }
    bool is_negative = length && text[0] == '-';
    unsigned width = (unsigned)t->bytes * 8;
    uint64_t most = t->kind == 'u' ? UINT64_MAX >> (64 - width) : (UINT64_MAX >> (64 - width)) / 2 + is_negative;
    if (is_negative && t->kind == 'u')
        return say(message, size, "%.*s is negative, and %s has no sign", cut(length), text, t->name);
    char why[200];
    uint64_t value;
    if (!arg_whole(&value, text + is_negative, length - is_negative, 0, most, t->name, why, sizeof why)) {
        bool is_range = strstr(why, "must be") != NULL;
        if (!is_range) return say(message, size, "%s", why);
        if (t->kind == 'u')
            return say(message, size, "%.*s does not fit %s (0 to %" PRIu64 ")", cut(length), text, t->name, most);
        most = (UINT64_MAX >> (64 - width)) / 2;
        return say(message, size, "%.*s does not fit %s (-%" PRIu64 " to %" PRIu64 ")", cut(length), text, t->name,
                   most + 1, most);
    }
    *bits = is_negative ? 0 - value : value;
    return true;
}

/* "1,2,3" into a->values. */
static bool parse_list(arg *a, const char *text, char *message, size_t size)
{
    uint64_t capacity = 0;
    for (const char *p = text;; p++) {
        size_t length = strcspn(p, ",");
        if (a->value_count == capacity) {
            capacity = capacity ? capacity * 2 : 16;
            uint64_t *grown = realloc(a->values, (size_t)capacity * sizeof *grown);
            if (!grown) return say(message, size, "out of memory");
            a->values = grown;
        }
        if (!parse_value(&a->values[a->value_count], a->type, p, length, message, size)) return false;
        a->value_count++;
        p += length;
        if (!*p) return true;
    }
}

/* ---- arguments ---- */

static bool parse_file(arg *a, bool is_sized, const char *name, char *message, size_t size)
{
    struct stat s;
    a->fill = FILL_FILE;
    a->file = name;
    if (!*name) return say(message, size, "a file's name is missing after @");
    if (stat(name, &s)) return say(message, size, "%.300s cannot be read: %s", name, strerror(errno));
    if (!S_ISREG(s.st_mode)) return say(message, size, "%.300s is not a plain file", name);
    uint64_t bytes = (uint64_t)s.st_size, each = (uint64_t)a->type->bytes;
    if (!is_sized) {
        if (bytes % each)
            return say(message, size, "%.300s holds %" PRIu64 " bytes, which is no whole number of %s", name, bytes,
                       a->type->name);
        a->count = bytes / each;
        if (!a->count) return say(message, size, "%.300s is empty", name);
    } else if (bytes / each < a->count) {
        return say(message, size, "%.300s holds %" PRIu64 " %s, fewer than %" PRIu64, name, bytes / each, a->type->name,
                   a->count);
    }
    return true;
}

static bool parse_fill(arg *a, bool is_sized, const char *how, char *message, size_t size)
{
    static const struct {
        const char *name;
        enum arg_fill fill;
    } fills[] = {{"zero", FILL_ZERO}, {"ones", FILL_ONES}, {"iota", FILL_IOTA}, {"rand", FILL_RAND}};
    if (*how == '=') {
        a->fill = FILL_LIST;
        if (!parse_list(a, how + 1, message, size)) return false;
        if (!is_sized) a->count = a->value_count;
        if (a->value_count != 1 && a->value_count != a->count)
            return say(message, size, "%" PRIu64 " values for %" PRIu64 " elements (one value fills them all)",
                       a->value_count, a->count);
        return true;
    }
    if (!is_sized)
        return say(message, size, "how many elements? Write %s[1024], or a list or a file that says so", a->type->name);
    if (!strncmp(how, "rand%", 5)) {
        uint64_t most = a->type->kind == 'f'
                            ? (uint64_t)1 << (a->type->bytes == 4 ? 24 : 53)
                            : (UINT64_MAX >> (64 - a->type->bytes * 8)) / (a->type->kind == 'i' ? 2 : 1);
        a->fill = FILL_RAND;
        return arg_whole(&a->modulus, how + 5, strlen(how + 5), 1, most, "K of rand%K", message, size);
    }
    for (size_t i = 0; i < sizeof fills / sizeof *fills; i++)
        if (!strcmp(how, fills[i].name)) {
            a->fill = fills[i].fill;
            return true;
        }
    return say(message, size, "\"%.60s\" is no way to fill a buffer: zero, ones, iota, rand, rand%%K, =1,2,3 or @FILE",
               how);
}

bool arg_parse(arg *a, const char *text, char *message, size_t size)
{
    memset(a, 0, sizeof *a);
    a->text = text;
    size_t length = strcspn(text, ":[@");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == length && !strncmp(types[i].name, text, length)) a->type = &types[i];
    if (!text[length] && a->type)
        return say(message, size, "a value is missing: %s:5 is a scalar, %s[1024]:zero a buffer", a->type->name,
                   a->type->name);
    if (!a->type) return say(message, size, "\"%.*s\" is no type; the types are %s", cut(length), text, type_names);
    const char *rest = text + length;
    if (*rest == ':') {
        if (!parse_list(a, rest + 1, message, size)) return false;
        a->count = a->value_count;
        if (arg_bytes(a) > ARG_PACKED_MAX)
            return say(message, size, "a parameter holds at most %d bytes", ARG_PACKED_MAX);
        return true;
    }
    a->is_buffer = true;
    if (*rest != '[') return say(message, size, "a buffer from a file is written %s[]@FILE", a->type->name);
    const char *close = strchr(rest, ']');
    if (!close) return say(message, size, "] is missing");
    bool is_sized = close > rest + 1;
    if (is_sized && !arg_whole(&a->count, rest + 1, (size_t)(close - rest - 1), 1,
                               ARG_BYTES_MAX / (uint64_t)a->type->bytes, "the number of elements", message, size))
        return false;
    rest = close + 1;
    if (*rest == '@') return parse_file(a, is_sized, rest + 1, message, size);
    if (*rest == ':') return parse_fill(a, is_sized, rest + 1, message, size);
    if (*rest) return say(message, size, "after ] come :HOW or @FILE, not \"%.60s\"", rest);
    a->fill = FILL_NONE;
    if (!is_sized) return say(message, size, "how many elements? Write %s[1024]", a->type->name);
    return true;
}

void arg_free(arg *a)
{
    free(a->values);
    a->values = NULL;
}

/* ---- contents ---- */

/* 64 well-mixed bits of (seed, buffer, element): the finaliser of splitmix64 over a counter. */
static uint64_t mix(uint64_t seed, int buffer, uint64_t element)
{
    uint64_t z =
        seed * 0x9e3779b97f4a7c15u + (uint64_t)buffer * 0xd1342543de82ef95u + (element + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint64_t float_bits(const arg_type *t, double d)
{
    uint64_t bits;
    uint32_t low;
    float f = (float)d;
    memcpy(&low, &f, sizeof low);
    memcpy(&bits, &d, sizeof bits);
    return t->bytes == 4 ? low : bits;
}

static uint64_t whole_bits(const arg_type *t, uint64_t v) { return t->kind == 'f' ? float_bits(t, (double)v) : v; }

static uint64_t element_bits(const arg *a, uint64_t seed, int buffer, uint64_t i)
{
    if (!a->is_buffer || a->fill == FILL_LIST) return a->values[a->value_count == 1 ? 0 : i];
    if (a->fill == FILL_ONES) return whole_bits(a->type, 1);
    if (a->fill == FILL_IOTA) return whole_bits(a->type, i);
    if (a->fill != FILL_RAND) return 0;
    uint64_t r = mix(seed, buffer, i);
    if (a->modulus) return whole_bits(a->type, r % a->modulus);
    if (a->type->kind != 'f') return r;
    return float_bits(a->type, a->type->bytes == 4 ? (double)(r >> 40) * 0x1p-24 : (double)(r >> 11) * 0x1p-53);
}

void arg_elements(const arg *a, uint64_t seed, int buffer, uint64_t first, uint64_t count, void *out)
{
    unsigned char *p = out;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bits = element_bits(a, seed, buffer, first + i);
        for (int b = 0; b < a->type->bytes; b++) *p++ = (unsigned char)(bits >> (8 * b));
    }
}

char *arg_element_text(const arg_type *type, const void *element, char *buffer, size_t size)
{
    const unsigned char *p = element;
    uint64_t bits = 0;
    for (int b = 0; b < type->bytes; b++) bits |= (uint64_t)p[b] << (8 * b);
    if (type->kind == 'f') {
        uint32_t low = (uint32_t)bits;
        double d;
        float f;
        memcpy(&f, &low, sizeof f);
        memcpy(&d, &bits, sizeof d);
        return type->bytes == 4 ? format_exact(buffer, size, f, 9) : format_exact(buffer, size, d, 17);
    }
    if (type->kind == 'i') {
        uint64_t sign = (uint64_t)1 << (type->bytes * 8 - 1);
        snprintf(buffer, size, "%" PRId64, (int64_t)((bits ^ sign) - sign));
    } else {
        snprintf(buffer, size, "%" PRIu64, bits);
    }
    return buffer;
}

bool arg_triple(uint32_t out[3], const char *text, char *message, size_t size)
{
    int n = 0;
    out[0] = out[1] = out[2] = 1;
    for (const char *p = text;; p++) {
        size_t length = strcspn(p, ",");
        uint64_t value;
        if (n == 3) return say(message, size, "\"%.60s\" has more than three numbers", text);
        if (!arg_whole(&value, p, length, 1, UINT32_MAX, "each size", message, size)) return false;
        out[n++] = (uint32_t)value;
        p += length;
        if (!*p) return true;
    }
}
