/* args.c: parses the arguments of kernels. arg_parse follows the grammar of args.h from left to
 * right. */
#include "args.h"
#include "course/small_floats.h"
#include "shell/format.h"
#include "sim.h"
#include "list.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* Parse one value of a type. Its bits go into the low bytes. */
static bool parse_value(uint64_t *bits, enum lesson_type type, const char *text, size_t length, char *message,
                        size_t size)
{
    const struct lesson_type_info *t = &lesson_types[type];
    if (t->kind == 'f') {
        char copy[64], *end;
        if (!length || length >= sizeof copy || strchr(" \t\n\v\f\r", text[0]))
            return say(message, size, "\"%.*s\" is not a number", cut(length), text);
        memcpy(copy, text, length);
        copy[length] = 0;
        double d = strtod(copy, &end);
        if (*end) return say(message, size, "\"%s\" is not a number", copy);
        bool is_infinite = isinf(d) && !strpbrk(copy, "0123456789"); /* written as infinity, not an overflow */
        const float_format *small = float_format_of(type);
        if (small && (is_infinite || isnan(d) || fabs(d) <= float_unpack(small, small->largest << small->unused))) {
            *bits = float_pack(small, d);
            return true;
        }
        if (small) return say(message, size, "%s is too large for %s", copy, t->name);
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

/* Parse "1,2,3" into the argument's list. */
static bool parse_list(kernel_arg *a, const char *text, char *message, size_t size)
{
    for (const char *p = text;; p++) {
        size_t length = strcspn(p, ",");
        if (!list_grow(&a->values, a->buffer.listed, sizeof *a->values)) return say(message, size, NO_MEMORY);
        a->buffer.list = a->values;
        if (!parse_value(&a->values[a->buffer.listed], a->buffer.type, p, length, message, size)) return false;
        a->buffer.listed++;
        p += length;
        if (!*p) return true;
    }
}

/* ---- arguments ---- */

static bool parse_file(kernel_arg *a, bool is_sized, const char *name, char *message, size_t size)
{
    struct stat s;
    a->buffer.fill = FILL_CONSTANT; /* the file fills it */
    a->buffer.file = name;
    if (!*name) return say(message, size, "a file's name is missing after @");
    if (stat(name, &s)) return say(message, size, "%.300s cannot be read: %s", name, strerror(errno));
    if (!S_ISREG(s.st_mode)) return say(message, size, "%.300s is not a plain file", name);
    uint64_t bytes = (uint64_t)s.st_size, each = (uint64_t)lesson_types[a->buffer.type].bytes;
    if (!is_sized) {
        if (bytes % each)
            return say(message, size, "%.300s holds %" PRIu64 " bytes, which is no whole number of %s", name, bytes,
                       lesson_types[a->buffer.type].name);
        a->count = bytes / each;
        if (!a->count) return say(message, size, "%.300s is empty", name);
    } else if (bytes / each < a->count) {
        return say(message, size, "%.300s holds %" PRIu64 " %s, fewer than %" PRIu64, name, bytes / each,
                   lesson_types[a->buffer.type].name, a->count);
    }
    return true;
}

static bool parse_fill(kernel_arg *a, bool is_sized, bool sized, const char *how, char *message, size_t size)
{
    lesson_buffer *b = &a->buffer;
    const struct lesson_type_info *t = &lesson_types[b->type];
    if (*how == '=') {
        b->fill = FILL_CONSTANT;
        if (!parse_list(a, how + 1, message, size)) return false;
        if (!is_sized) a->count = b->listed;
        if (b->listed != 1 && b->listed != a->count)
            return say(message, size, "%" PRIu64 " values for %" PRIu64 " elements (one value fills them all)",
                       b->listed, a->count);
        return true;
    }
    if (!is_sized && !sized)
        return say(message, size, "how many elements? Write %s[1024], or a list or a file that says so", t->name);
    const size_t length = strcspn(how, "%");
    const bool rand = length == 4 && !strncmp(how, "rand", 4);
    b->fill = rand ? fill_named("any", 3) : fill_named(how, length);
    if (b->fill < 0 || (how[length] && !fill_generators[b->fill].parameter))
        return say(message, size,
                   "\"%.60s\" is no way to fill a buffer: zero, ones, iota, rand, rand%%K, =1,2,3 or @FILE", how);
    if (!how[length]) return true;
    const uint64_t most = !rand            ? INT32_MAX
                          : t->kind == 'f' ? (uint64_t)1 << float_precision(b->type)
                                           : (UINT64_MAX >> (64 - t->bytes * 8)) / (t->kind == 'i' ? 2 : 1);
    char what[40];
    uint64_t modulus;
    snprintf(what, sizeof what, "K of %.*s%%K", (int)length, how);
    if (!arg_whole(&modulus, how + length + 1, strlen(how + length + 1), 1, most, what, message, size)) return false;
    expr_constant(&b->parameter, (int64_t)modulus);
    return true;
}

bool arg_parse(kernel_arg *a, const char *text, bool sized, char *message, size_t size)
{
    memset(a, 0, sizeof *a);
    a->text = text;
    size_t length = strcspn(text, ":[@");
    enum lesson_type type = 0;
    while (type < TYPES &&
           (strlen(lesson_types[type].name) != length || strncmp(lesson_types[type].name, text, length)))
        type++;
    if (type == TYPES)
        return say(message, size, "\"%.*s\" is no type; the types are %s", cut(length), text, lesson_type_names);
    const char *name = lesson_types[type].name;
    if (!text[length])
        return say(message, size, "a value is missing: %s:5 is a scalar, %s[1024]:zero a buffer", name, name);
    a->buffer.type = type;
    const char *rest = text + length;
    if (*rest == ':') {
        if (!parse_list(a, rest + 1, message, size)) return false;
        a->buffer.fill = FILL_CONSTANT;
        a->count = a->buffer.listed;
        if (arg_bytes(a) > ARG_PACKED_MAX)
            return say(message, size, "a parameter holds at most %d bytes", ARG_PACKED_MAX);
        return true;
    }
    a->is_buffer = true;
    if (*rest != '[') return say(message, size, "a buffer from a file is written %s[]@FILE", name);
    const char *close = strchr(rest, ']');
    if (!close) return say(message, size, "] is missing");
    bool is_sized = close > rest + 1;
    if (is_sized &&
        !arg_whole(&a->count, rest + 1, (size_t)(close - rest - 1), 1,
                   ARG_BYTES_MAX / (uint64_t)lesson_types[type].bytes, "the number of elements", message, size))
        return false;
    rest = close + 1;
    if (*rest == '@') return parse_file(a, is_sized, rest + 1, message, size);
    if (*rest == ':') return parse_fill(a, is_sized, sized, rest + 1, message, size);
    if (*rest) return say(message, size, "after ] come :HOW or @FILE, not \"%.60s\"", rest);
    if (!is_sized) return say(message, size, "how many elements? Write %s[1024]", name);
    return true;
}

void arg_free(kernel_arg *a)
{
    free(a->values);
    a->buffer.list = a->values = NULL;
}

char *arg_element_text(enum lesson_type t, const void *element, char *buffer, size_t size)
{
    const struct lesson_type_info *type = &lesson_types[t];
    const unsigned char *p = element;
    uint64_t bits = 0;
    for (int b = 0; b < type->bytes; b++) bits |= (uint64_t)p[b] << (8 * b);
    const float_format *small = float_format_of(t);
    if (small) { /* as few digits as tell it from the numbers of the type beside it */
        const double x = float_unpack(small, (uint32_t)bits);
        for (int n = 1; n <= 9; n++) {
            format_exact(buffer, size, x, n);
            if (float_pack(small, strtod(buffer, NULL)) == (uint32_t)bits) break;
        }
        return buffer;
    }
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

bool arg_checks(unsigned *out, const char *text, char *message, size_t size)
{
    static const struct {
        const char *name;
        unsigned checks;
    } names[] = {{"memory", 0},
                 {"race", SIM_CHECK_RACE},
                 {"init", SIM_CHECK_INIT},
                 {"barrier", SIM_CHECK_BARRIER},
                 {"all", SIM_CHECK_ALL},
                 {"none", 0}};
    enum { NAMES = sizeof names / sizeof *names };
    *out = 0;
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        int i = 0;
        while (i < NAMES && (strlen(names[i].name) != length || strncmp(names[i].name, at, length))) i++;
        if (i == NAMES) return say(message, size, "the checks are memory, race, init, barrier, all and none");
        *out |= names[i].checks;
        at += length;
        if (!*at) return true;
    }
}
