/* format.c: numbers, UTF-8, safe and wrapped text, and tables; see format.h. */
#include "format.h"
#include "app.h"
#include "language.h"
#include "list.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ---- */

char *format_si(char *buffer, size_t size, double value, const char *unit)
{
    static const char *const prefixes[] = {"f", "p", "n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
    int i = 5;
    double v = fabs(value);
    if (!isfinite(value)) {
        snprintf(buffer, size, "%s%s%s", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf", *unit ? " " : "", unit);
        return buffer;
    }
    if (v > 0) {
        /* 999.5 would be printed as 1000 of the smaller prefix. */
        while (v >= 999.5 && i < 11) v /= 1000, i++;
        while (v < 0.9995 && i > 0) v *= 1000, i--;
    }
    int decimals = v >= 99.95 || v == 0 ? 0 : v >= 9.995 ? 1 : 2;
    if (i == 5 && v == floor(v)) decimals = 0; /* a plain integer has no decimals */
    snprintf(buffer, size, "%s%.*f%s%s%s", value < 0 ? "-" : "", decimals, v, *unit || *prefixes[i] ? " " : "",
             prefixes[i], unit);
    return buffer;
}

char *format_bytes(char *buffer, size_t size, uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    int i = 0;
    double v = (double)bytes;
    while (v >= 1024 && i < 6) v /= 1024, i++;
    snprintf(buffer, size, "%.*f %s", v == floor(v) ? 0 : v >= 100 ? 0 : v >= 10 ? 1 : 2, v, units[i]);
    return buffer;
}

const char *format_uncount(char *buffer, size_t size, const char *text)
{
    size_t at = text[0] == '-', n = strspn(text + at, "0123456789");
    const char *p = text + at + n;
    if (n < 1 || n > 3 || *p != ',' || strlen(text) >= size) return text;
    snprintf(buffer, size, "%.*s", (int)(at + n), text);
    for (; *p == ',' && strspn(p + 1, "0123456789") == 3; p += 4) strncat(buffer, p + 1, 3);
    if (*p == ',') return text;
    strncat(buffer, p, size - strlen(buffer) - 1);
    return buffer;
}

char *format_count(char *buffer, size_t size, uint64_t value)
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    size_t used = 0;
    for (int i = 0; i < n && used + 2 < size; i++) {
        if (i && (n - i) % 3 == 0) buffer[used++] = ',';
        buffer[used++] = digits[i];
    }
    if (size) buffer[used] = 0;
    return buffer;
}

char *format_exact(char *buffer, size_t size, double value, int digits)
{
    if (!isfinite(value)) {
        snprintf(buffer, size, "%s", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
        return buffer;
    }
    for (int n = 1; n <= digits; n++) {
        snprintf(buffer, size, "%.*g", n, value);
        double back = strtod(buffer, NULL);
        if (digits > 9 ? back == value : (float)back == (float)value) break;
    }
    /* 20 rather than 2e+01: the zeros that %g left out are exact. */
    if (strchr(buffer, 'e') && value == floor(value) && fabs(value) < 1e7) snprintf(buffer, size, "%.0f", value);
    return buffer;
}

char *format_plural(char *buffer, size_t size, uint64_t count, const char *noun)
{
    char number[32], key[80];
    format_count(number, sizeof number, count);
    /* the catalogue has "N lines"; what follows the N goes behind the number */
    snprintf(key, sizeof key, "N %ss", noun);
    const char *words = TR(key);
    if (words != key) snprintf(buffer, size, "%s%s", number, words + 1);
    else snprintf(buffer, size, "%s %s%s", number, noun, count == 1 ? "" : "s");
    return buffer;
}

/* ---- UTF-8 ---- */

size_t utf8_decode(const char *text, size_t length, uint32_t *point)
{
    const unsigned char *s = (const unsigned char *)text;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (!length) return 0;
    size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    if (!n || n > length) return 0;
    uint32_t p = n == 1 ? s[0] : s[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80) return 0;
        p = p << 6 | (s[i] & 0x3fu);
    }
    if (p < least[n] || p > 0x10ffff || (p >= 0xd800 && p < 0xe000)) return 0;
    *point = p;
    return n;
}

/* Combining characters, and those that East Asian fonts draw two columns wide (W and F of Unicode's
 * EastAsianWidth.txt). The C library's wcwidth follows the locale, which may be another than the
 * terminal's. */
static int point_width(uint32_t p)
{
    static const struct {
        uint32_t from, to;
        int width;
    } ranges[] = {
        {0x0300, 0x036f, 0},   {0x1100, 0x115f, 2},   {0x200b, 0x200f, 0},   {0x20d0, 0x20ff, 0},
        {0x231a, 0x231b, 2},   {0x2329, 0x232a, 2},   {0x23e9, 0x23ec, 2},   {0x25fd, 0x25fe, 2},
        {0x2614, 0x2615, 2},   {0x2648, 0x2653, 2},   {0x26aa, 0x26ab, 2},   {0x2705, 0x2705, 2},
        {0x274c, 0x274c, 2},   {0x2753, 0x2755, 2},   {0x2795, 0x2797, 2},   {0x2b1b, 0x2b1c, 2},
        {0x2e80, 0x3029, 2},   {0x302a, 0x302d, 0},   {0x302e, 0x303e, 2},   {0x3041, 0x3098, 2},
        {0x3099, 0x309a, 0},   {0x309b, 0xa4cf, 2},   {0xa960, 0xa97c, 2},   {0xac00, 0xd7a3, 2},
        {0xf900, 0xfaff, 2},   {0xfe00, 0xfe0f, 0},   {0xfe10, 0xfe19, 2},   {0xfe20, 0xfe2f, 0},
        {0xfe30, 0xfe6f, 2},   {0xff01, 0xff60, 2},   {0xffe0, 0xffe6, 2},   {0x16fe0, 0x18cff, 2},
        {0x1aff0, 0x1b2ff, 2}, {0x1f18e, 0x1f18e, 2}, {0x1f191, 0x1f19a, 2}, {0x1f200, 0x1f320, 2},
        {0x1f321, 0x1faff, 2}, {0x20000, 0x3fffd, 2},
    };
    if (p < 0x20 || (p >= 0x7f && p < 0xa0)) return 0;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges && p >= ranges[i].from; i++)
        if (p <= ranges[i].to) return ranges[i].width;
    return 1;
}

/* One step through text: the bytes and columns of a character or of a whole colour escape. */
static size_t step(const char *text, size_t length, int *columns)
{
    uint32_t point = 0;
    *columns = 0;
    if (length >= 2 && text[0] == '\033' && text[1] == '[') {
        size_t i = 2;
        while (i < length && !(text[i] >= '@' && text[i] <= '~')) i++;
        return i < length ? i + 1 : length;
    }
    size_t used = utf8_decode(text, length, &point);
    *columns = used ? point_width(point) : 1;
    return used ? used : 1;
}

int utf8_width(const char *text)
{
    int width = 0, columns;
    for (size_t length = strlen(text); length;) {
        size_t used = step(text, length, &columns);
        width += columns;
        text += used;
        length -= used;
    }
    return width;
}

size_t utf8_fit(const char *text, int room)
{
    size_t length = strlen(text), at = 0;
    while (at < length) {
        int columns;
        size_t used = step(text + at, length - at, &columns);
        if (columns > room) break;
        room -= columns;
        at += used;
    }
    return at;
}

/* ---- where a line may end ---- */

/* Is the character one of this text? */
static bool one_of(const char *set, uint32_t point)
{
    uint32_t p;
    for (size_t used; *set && (used = utf8_decode(set, strlen(set), &p)); set += used)
        if (p == point) return true;
    return false;
}

static const char closing[] =
    "\xe3\x80\x82\xef\xbc\x8c\xe3\x80\x81\xef\xbc\x9b\xef\xbc\x9a\xef\xbc\x9f" /* 。，、；：？ */
    "\xef\xbc\x81\xef\xbc\x89\xe3\x80\x8d\xe3\x80\x8f\xe3\x80\x8b\xe3\x80\x89" /* ！）」』》〉 */
    "\xe3\x80\x91\xe2\x80\x9d\xe2\x80\x99\xe2\x80\xa6\xef\xbc\x85\xef\xbd\x9e" /* 】”’…％～ */
    ".,;:!?)]}%'\"`";
static const char opening[] =
    "\xef\xbc\x88\xe3\x80\x8c\xe3\x80\x8e\xe3\x80\x8a\xe3\x80\x88\xe3\x80\x90" /* （「『《〈【 */
    "\xe2\x80\x9c\xe2\x80\x98([{'\"`";

/* Between two characters without a blank: at Han and other wide characters, but not so that a line
 * begins with a full stop or ends with an opening bracket. */
static bool parts(uint32_t before, uint32_t after)
{
    return (point_width(before) == 2 || point_width(after) == 2) && point_width(after) != 0 &&
           !one_of(closing, after) && !one_of(opening, before);
}

/* Bytes of text up to the first place where a line may end: a blank, a line end, or between two
 * such characters. */
static size_t unit(const char *text)
{
    uint32_t before = 0, after = 0;
    const size_t length = strcspn(text, " \n");
    for (size_t at = 0, used; at < length; at += used) {
        if (text[at] == '\033') { /* a colour has no width, and parts nothing */
            int columns;
            used = step(text + at, length - at, &columns);
            continue;
        }
        used = utf8_decode(text + at, length - at, &after);
        if (!used) used = 1, after = 0xfffd;
        if (before && parts(before, after)) return at;
        before = after;
    }
    return length;
}

static uint32_t last_point(const char *end, const char *start)
{
    uint32_t point = 0;
    const char *p = end;
    while (p > start && end - p < 4 && (*--p & 0xc0) == 0x80) continue;
    return utf8_decode(p, (size_t)(end - p), &point) ? point : 0;
}

bool utf8_joins(const char *end, const char *start, const char *next)
{
    uint32_t before = last_point(end, start), after = 0;
    if (!utf8_decode(next, strlen(next), &after)) return false;
    const bool mark = (point_width(before) == 2 && (one_of(closing, before) || one_of(opening, before))) ||
                      (point_width(after) == 2 && (one_of(closing, after) || one_of(opening, after)));
    return mark || (point_width(before) == 2 && point_width(after) == 2);
}

static int columns_of(const char *text, size_t length)
{
    int width = 0, columns;
    for (size_t at = 0; at < length; at += step(text + at, length - at, &columns), width += columns) columns = 0;
    return width;
}

size_t utf8_fold(const char *text, int room)
{
    const size_t fit = utf8_fit(text, room);
    if (!text[fit]) return fit;
    size_t cut = 0;
    for (size_t at = 0; at <= fit;) {
        if (at && text[at - 1] != ' ') cut = at;
        if (text[at] == ' ') at++;
        else at += unit(text + at);
        if (text[at] == '\n') break;
    }
    return cut ? cut : fit;
}

/* ---- safe and wrapped text ---- */

void print_wrapped(FILE *out, const char *text, int at, int indent, int width)
{
    bool is_line_start = true;
    while (*text) {
        const size_t blanks = strspn(text, " ");
        text += blanks;
        const size_t length = unit(text);
        if (length) {
            const int columns = columns_of(text, length), gap = !is_line_start && blanks;
            if (!is_line_start && at + gap + columns > width) {
                fprintf(out, "\n%*s", indent, "");
                at = indent;
            } else if (gap) {
                putc(' ', out), at++;
            }
            fwrite(text, 1, length, out);
            at += columns;
            is_line_start = false;
            text += length;
        }
        if (*text == '\n') {
            text++;
            if (*text) fprintf(out, "\n%*s", indent, "");
            at = indent;
            is_line_start = true;
        }
    }
    putc('\n', out);
}

/* A tab in the indentation goes to the next multiple of CODE_TAB, counted from the text's start.
 * Continuation lines are indented by CODE_HANG more. */
enum { CODE_TAB = 4, CODE_HANG = 4 };

void print_code(FILE *out, const char *text, int at, int width)
{
    int lead = 0, indent;
    for (; *text == ' ' || *text == '\t'; text++) lead += *text == '\t' ? CODE_TAB - lead % CODE_TAB : 1;
    indent = lead + CODE_HANG > (width - at) / 2 ? 0 : lead; /* a narrow terminal: text needs the room more */
    fprintf(out, "%*s", indent, "");
    for (int room = width - at - indent;; room = width - at - indent - CODE_HANG) {
        size_t length = strlen(text), fit = utf8_fit(text, room < 8 ? 8 : room), cut = fit;
        if (fit < length) /* break at a blank, unless that leaves the line half empty */
            for (size_t i = fit; i > fit / 2; i--)
                if (text[i] == ' ' || text[i] == '\t') {
                    cut = i;
                    break;
                }
        for (size_t i = 0, from = 0; i <= cut; i++) /* a tab inside a line becomes one blank */
            if (i == cut || text[i] == '\t') {
                print_safe(out, text + from, i - from);
                if (i < cut) putc(' ', out);
                from = i + 1;
            }
        text += cut;
        text += strspn(text, cut < length ? " \t" : "");
        if (!*text) break;
        fprintf(out, "\n%*s", at + indent + CODE_HANG, "");
    }
    putc('\n', out);
}

bool utf8_hidden(uint32_t point)
{
    static const uint32_t ranges[][2] = {
        {0, 0x1f},          {0x7f, 0x9f},     /* C0, delete, C1 */
        {0x61c, 0x61c},     {0x200e, 0x200f}, /* direction marks */
        {0x2028, 0x202e},                     /* line and paragraph separators; direction embeddings and overrides */
        {0x2066, 0x2069},   {0xfeff, 0xfeff}, /* isolates; the byte order mark */
        {0xe0000, 0xe007f},                   /* tags */
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (point >= ranges[i][0] && point <= ranges[i][1]) return true;
    return false;
}

void print_safe(FILE *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        uint32_t point = 0;
        size_t used = utf8_decode(text + i, length - i, &point);
        unsigned char c = (unsigned char)text[i];
        if (!used) fprintf(out, "\\x%02x", c), used = 1;
        else if (point == '\n' || point == '\t' || !utf8_hidden(point)) fwrite(text + i, 1, used, out);
        else fprintf(out, point < 0x80 ? "\\x%02x" : "\\u%04x", point);
        i += used;
    }
}

/* A spreadsheet treats a cell that begins like this as a formula. A number is allowed. */
static bool is_formula(const char *text)
{
    char *end;
    if (!*text || !strchr("=+-@", *text)) return false;
    strtod(text, &end);
    return *end != 0;
}

void print_csv(FILE *out, const char *text)
{
    const bool quoted = strpbrk(text, ",\"\n\t") || is_formula(text);
    if (quoted) putc('"', out);
    if (is_formula(text)) putc('\'', out);
    for (size_t length; *text; text += length + (text[length] == '"')) {
        length = strcspn(text, "\"");
        print_safe(out, text, length);
        if (text[length]) fputs("\"\"", out);
    }
    if (quoted) putc('"', out);
}

const char *format_a_or_an(const char *name)
{
    bool spelled =
        isupper((unsigned char)name[0]) && (isupper((unsigned char)name[1]) || isdigit((unsigned char)name[1]));
    if (language_part()) return ""; /* no other language here has articles */
    return name[0] && strchr(spelled ? "AEFHILMNORSX" : "AEIOUaeiou", name[0]) ? "an " : "a ";
}

/* ---- tables ---- */

void table_init(text_table *t, const char *align)
{
    memset(t, 0, sizeof *t);
    snprintf(t->align, sizeof t->align, "%s", align);
    t->columns = (int)strlen(t->align);
}

/* Out of memory: the table ends after its last complete row, and the command reports it
 * (app_lost). */
static void lose(text_table *t)
{
    app_lost = ENOMEM;
    t->lost = true;
    while (t->count % t->columns) free(t->cell[--t->count].text);
}

static void push(text_table *t, int style, char *text)
{
    if (!t->lost && !list_grow(&t->cell, (size_t)t->count, sizeof *t->cell)) lose(t);
    if (t->lost) free(text);
    else t->cell[t->count++] = (table_cell){text, style};
}

static void add(text_table *t, int style, const char *fmt, va_list args) FORMAT_PRINTF(3, 0);
static void add(text_table *t, int style, const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (!text) {
        lose(t);
        return;
    }
    vsnprintf(text, (size_t)length + 1, fmt, args);
    push(t, style, text);
}

void table_add(text_table *t, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    add(t, 0, fmt, args);
    va_end(args);
}

void table_styled(text_table *t, int style, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    add(t, style, fmt, args);
    va_end(args);
}

void table_rule(text_table *t)
{
    for (int i = 0; i < t->columns; i++) push(t, 0, NULL);
}

static void measure(const text_table *t, int width[24])
{
    for (int i = 0; i < t->count; i++) {
        int w = t->cell[i].text ? utf8_width(t->cell[i].text) : 0;
        if (w > width[i % t->columns]) width[i % t->columns] = w;
    }
}

void table_fit(text_table *t, int most)
{
    int width[sizeof t->align] = {0}, last = t->columns - 1;
    measure(t, width);
    for (int c = 0; c < last; c++) most -= width[c] + 2;
    for (int i = last; i < t->count; i += t->columns) {
        char *text = t->cell[i].text;
        if (!text || most < 3 || utf8_width(text) <= most) continue;
        size_t fits = utf8_fit(text, most - 2);
        while (fits && text[fits - 1] == ' ') fits--;
        memcpy(text + fits, "..", 3); /* text that was cut is at least three columns wide, so at least three bytes */
    }
}

int table_width(const text_table *t)
{
    int width[sizeof t->align] = {0}, total = 0;
    measure(t, width);
    for (int c = 0; c < t->columns; c++) total += width[c] + (c ? 2 : 0);
    return total;
}

/* How many columns of the terminal the first column and columns from..to take together. */
static int part_width(const int *width, int from, int to)
{
    int total = width[0];
    for (int c = from > 1 ? from : 1; c < to; c++) total += width[c] + 2;
    return total;
}

/* One row's cells of the first column and of from..to. Text wider than its column continues
 * below. */
static void print_row(const table_cell *cell, const text_table *t, const int *width, int from, int to, FILE *out,
                      int indent)
{
    const char *rest[sizeof t->align];
    for (int c = 0; c < t->columns; c++) rest[c] = cell[c].text ? cell[c].text : "";
    for (bool more = true; more;) {
        int owed = indent; /* blanks, printed only when text follows */
        more = false;
        for (int c = 0; c < to; c = !c && from > 1 ? from : c + 1) {
            size_t length = strlen(rest[c]), cut = utf8_fold(rest[c], width[c]);
            if (!cut) cut = length; /* one character wider than the column */
            char text[600];
            snprintf(text, sizeof text, "%.*s", (int)cut, rest[c]);
            int pad = width[c] - utf8_width(text);
            if (c) owed += 2;
            if (t->align[c] == 'r') owed += pad;
            if (*text) {
                fprintf(out, "%*s%s", owed > 0 ? owed : 0, "", text);
                owed = 0;
            }
            if (t->align[c] != 'r') owed += pad;
            rest[c] += cut;
            rest[c] += cut < length ? strspn(rest[c], " ") : 0;
            more |= *rest[c] != 0;
        }
        putc('\n', out);
    }
}

/* A column of words is never folded narrower than this. */
enum { WORDS_LEAST = 12 };

void table_print(const text_table *t, FILE *out, int indent, int most)
{
    int width[sizeof t->align] = {0};
    measure(t, width);
    most -= indent;
    for (;;) { /* columns of words are folded, the widest first */
        int widest = -1;
        for (int c = 0; c < t->columns; c++)
            if (t->align[c] == 'l' && width[c] > WORDS_LEAST && (widest < 0 || width[c] > width[widest])) widest = c;
        if (widest < 0 || part_width(width, 1, t->columns) <= most) break;
        width[widest]--;
    }
    for (int from = 1, to; from <= t->columns;
         from = to) { /* columns that still do not fit are printed below, as a table of their own */
        for (to = from; to < t->columns && (to == from || part_width(width, from, to + 1) <= most);) to++;
        if (from > 1) putc('\n', out);
        for (int row = 0; row + t->columns <= t->count; row += t->columns) {
            if (t->cell[row].text) {
                print_row(t->cell + row, t, width, from, to, out, indent);
                continue;
            }
            fprintf(out, "%*s", indent, "");
            for (int i = part_width(width, from, to); i > 0; i--) putc('-', out);
            putc('\n', out);
        }
        if (to >= t->columns) break;
    }
}

void table_free(text_table *t)
{
    for (int i = 0; i < t->count; i++) free(t->cell[i].text);
    free(t->cell);
    memset(t, 0, sizeof *t);
}

const char *format_sampled(char *out, size_t size, uint64_t timed, uint64_t all, double error)
{
    char some[40], of[40];
    format_count(some, sizeof some, timed);
    const double percent = error < 0.001 ? 0.1 : 100 * error;
    const int places = percent < 9.95;
    if (timed >= all)
        snprintf(out, size, TR("timed: %s blocks, what repeats in them estimated within %.*f %% (--exact: all)"), some,
                 places, percent);
    else
        snprintf(out, size, TR("timed: %s of %s blocks, the others estimated within %.*f %% (--exact: all)"), some,
                 format_count(of, sizeof of, all), places, percent);
    return out;
}

char *format_number(char *buffer, size_t size, double v)
{
    if (v >= 0 && v < 1e15 && (v == 0 || v > 0.5) && (v >= 1000 || fabs(v - round(v)) < (v < 10 ? 0.005 : 0.05)))
        return format_count(buffer, size, (uint64_t)llround(v));
    snprintf(buffer, size, v != 0 && fabs(v) < 0.01 ? "%.3g" : fabs(v) < 10 ? "%.2f" : "%.1f", v);
    return buffer;
}

void format_base64(const unsigned char *from, size_t bytes, char *out)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < bytes; i += 3) {
        uint32_t v = (uint32_t)from[i] << 16;
        if (i + 1 < bytes) v |= (uint32_t)from[i + 1] << 8;
        if (i + 2 < bytes) v |= from[i + 2];
        *out++ = digit[v >> 18];
        *out++ = digit[v >> 12 & 63];
        *out++ = i + 1 < bytes ? digit[v >> 6 & 63] : '=';
        *out++ = i + 2 < bytes ? digit[v & 63] : '=';
    }
    *out = 0;
}
