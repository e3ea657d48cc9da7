/* format.h: numbers, widths and tables for people to read.
 *
 * Functions that make text write it into the caller's buffer and return that buffer, so a printf
 * can call them. Widths are terminal columns: UTF-8 is decoded, wide characters count two,
 * combining characters and colour escapes none.
 */
#ifndef FORMAT_H
#define FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#if defined(__GNUC__)
#define FORMAT_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define FORMAT_PRINTF(f, a)
#endif

/* ---- numbers ---- */
/* Three significant digits with a decimal prefix: 13.2 GB/s, 98.5 us, 0 B. The unit may be "". */
char *format_si(char *buffer, size_t size, double value, const char *unit);
/* Bytes with a binary prefix: 512 B, 64 KiB, 1.50 GiB. */
char *format_bytes(char *buffer, size_t size, uint64_t bytes);
/* A count as screens print it ("1,048,576"), without its commas; other text unchanged. */
const char *format_uncount(char *buffer, size_t size, const char *text);
/* An exact integer with digits in groups of three: 1,048,576. */
char *format_count(char *buffer, size_t size, uint64_t value);
/* How much of a launch was timed: a number of its blocks, or all of them except what repeats within
 * them. `error`: of the estimate of all, as a share of it. */
const char *format_sampled(char *out, size_t size, uint64_t timed, uint64_t all, double error);
/* The fewest digits (at most `digits`) that read back as the same number: 0.1, not
 * 0.10000000000000001. Pass 17 for a double. Pass 9 for a value that was a float: then it reads
 * back as the same float. */
char *format_exact(char *buffer, size_t size, double value, int digits);
/* "1 warp", "3 warps": the plural adds an s. */
char *format_plural(char *buffer, size_t size, uint64_t count, const char *noun);

/* ---- text ---- */
size_t utf8_decode(const char *text, size_t length, uint32_t *point); /* bytes used; 0 when it is not UTF-8 */
int utf8_width(const char *text);                                     /* terminal columns */
size_t utf8_fit(const char *text, int columns);                       /* bytes of the longest prefix that fits */
/* The same, ending where a line may: before a blank, or between two Han characters; but not before
 * a full stop or behind an opening bracket. */
size_t utf8_fold(const char *text, int columns);
/* Two lines of a paragraph become one. Is there no blank between the one from `start` to `end` and
 * `next`? There is none between Han characters. */
bool utf8_joins(const char *end, const char *start, const char *next);
/* Print text in lines of at most `width` columns; the first line starts at column `at`, the others
 * after `indent` blanks. */
void print_wrapped(FILE *out, const char *text, int at, int indent, int width);
/* Print text with control characters made visible (\n and \t kept), so that a kernel's output
 * cannot drive a terminal.
 */
void print_safe(FILE *out, const char *text, size_t length);
/* A character that is invisible or that moves its neighbours: controls, direction overrides. */
bool utf8_hidden(uint32_t point);
/* A cell of a CSV file, quoted where needed. A spreadsheet cannot take it for a formula. */
void print_csv(FILE *out, const char *text);
/* Print a line of a program that starts at column `at`. What does not fit in `width` columns
 * continues on the next line, indented a little more than the program's own line. */
void print_code(FILE *out, const char *text, int at, int width);

/* "a " or "an ", by how the card's name is pronounced: a GeForce, an RTX 2070. */
const char *format_a_or_an(const char *name);

/* Base64 (RFC 4648) of bytes; `out` has room for 4 characters per 3 bytes, rounded up, and a NUL. */
void format_base64(const unsigned char *from, size_t bytes, char *out);

/* ---- tables ---- */
/* Cells are added left to right, row by row. `align` has one letter per column, as in document.h.
 * When memory runs out, the table ends after its last complete row. */
typedef struct table_cell {
    char *text; /* NULL in the first cell of a row: a rule */
    int style;  /* of enum app_style; not shown in text */
} table_cell;
typedef struct text_table {
    char align[24];
    int columns, count;
    bool lost; /* memory ran out: later cells are dropped */
    table_cell *cell;
} text_table;
void table_init(text_table *t, const char *align);
void table_add(text_table *t, const char *fmt, ...) FORMAT_PRINTF(2, 3);
void table_styled(text_table *t, int style, const char *fmt, ...) FORMAT_PRINTF(3, 4);
void table_rule(text_table *t);           /* a horizontal rule; call it at the start of a row */
void table_fit(text_table *t, int width); /* cut the last column's cells so that rows fit */
/* Columns are two blanks apart; lines have no trailing blanks and are at most `width` wide. Columns
 * of words are folded. Columns that still do not fit are printed below, next to the first column
 * again. */
void table_print(const text_table *t, FILE *out, int indent, int width);
int table_width(const text_table *t);
void table_free(text_table *t);
char *format_number(char *buffer, size_t size, double value); /* 1,048,576 or 3.14 */

#endif
