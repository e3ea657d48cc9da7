/* corpus.h: stored inputs and their changes: each input is tried unchanged, then with changes. For
 * targets that have no changes of their own (ptx, lesson and run change texts in ways that fit
 * their languages). */
#ifndef FUZZ_CORPUS_H
#define FUZZ_CORPUS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CORPUS_FILES = 256, CORPUS_BYTES = 16384 };
static struct {
    char *text;
    size_t bytes;
} corpus[CORPUS_FILES];
static int corpus_count;

static void corpus_read(int files, char **names)
{
    for (int i = 0; i < files && corpus_count < CORPUS_FILES; i++) {
        FILE *f = fopen(names[i], "rb");
        char *text = malloc(CORPUS_BYTES);
        if (!f || !text) {
            fprintf(stderr, "%s cannot be read\n", names[i]);
            exit(2);
        }
        corpus[corpus_count].bytes = fread(text, 1, CORPUS_BYTES - 1, f);
        corpus[corpus_count++].text = text;
        text[corpus[corpus_count - 1].bytes] = 0;
        fclose(f);
    }
}

static void corpus_free(void)
{
    while (corpus_count) free(corpus[--corpus_count].text);
}

/* Writes one input with one to four changes into `text` of at least CORPUS_BYTES. Returns its
 * length, 0 when there is no input. */
static size_t corpus_change(char *text, uint32_t (*below)(uint32_t))
{
    static const char *const edges[] = {"0",     "-1",       "255",   "4294967295", "18446744073709551616",
                                        "1e308", "nan",      "%",     "\"",         "\\",
                                        "[",     "]",        ":",     ",",          "=",
                                        "\xff",  "\xc3\xa9", "\033[", "\n",         " "};
    if (!corpus_count) return 0;
    const uint32_t from = below((uint32_t)corpus_count);
    size_t n = corpus[from].bytes;
    memcpy(text, corpus[from].text, n);
    for (uint32_t changes = 1 + below(4); changes; changes--) {
        const size_t at = n ? below((uint32_t)n) : 0;
        size_t drop = 0, length = 0;
        const char *put = "";
        char byte;
        const uint32_t other = below((uint32_t)corpus_count);
        switch (below(6)) {
        case 0: /* another byte */ byte = (char)below(256), put = &byte, length = 1, drop = n > 0; break;
        case 1: /* a piece is removed */ drop = below(20); break;
        case 2: /* a boundary value */
            put = edges[below(sizeof edges / sizeof *edges)], length = strlen(put), drop = below(2) ? 0 : below(8);
            break;
        case 3: /* cut off */ drop = below(8) ? 0 : n - at; break;
        default: /* a piece of another input */
            if (!corpus[other].bytes) break;
            put = corpus[other].text + below((uint32_t)corpus[other].bytes);
            length = below(60);
            if (length > (size_t)(corpus[other].text + corpus[other].bytes - put))
                length = (size_t)(corpus[other].text + corpus[other].bytes - put);
        }
        if (drop > n - at) drop = n - at;
        if (n - drop + length >= CORPUS_BYTES) continue;
        memmove(text + at + length, text + at + drop, n - at - drop);
        memcpy(text + at, put, length);
        n = n - drop + length;
    }
    text[n] = 0;
    return n;
}

#endif
