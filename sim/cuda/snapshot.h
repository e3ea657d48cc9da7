/* snapshot.h: the file in which the libraries keep launches for `exec`, so that each can be run again
 * alone when the program has ended (core/snapshots.c writes it, repl/program/program_snapshots.c
 * reads it).
 *
 * Each process of the program appends pieces: a head, its bytes, zeros up to a multiple of 8. A
 * launch comes after the text and the pages that it names by their places in the file. The program
 * can write there too: nothing in it can be relied on.
 */
#ifndef CUDA_SNAPSHOT_H
#define CUDA_SNAPSHOT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SNAPSHOT_MAGIC  UINT64_C(0x746f687370616e73)
#define SNAPSHOT_BUDGET (UINT64_C(256) << 20) /* bytes of the file */
enum { SNAPSHOT_TEXT = 1, SNAPSHOT_PAGES, SNAPSHOT_LAUNCH, SNAPSHOT_PAGE = 4096 };

typedef struct snapshot_head {
    uint64_t magic;
    uint32_t kind, pid;
    uint64_t bytes; /* of what follows */
    uint64_t sum;   /* snapshot_sum of them, but for pages */
} snapshot_head;

/* After a SNAPSHOT_LAUNCH: this, its regions, textures and pages, then its parameters and names. */
typedef struct snapshot_launch {
    uint64_t text_at, text_bytes, text_sum; /* its module's PTX */
    uint64_t heap_bytes, start_ns;
    double seconds;  /* it took in the program; 0: unknown */
    uint64_t launch; /* which of its kernel's, from 1 */
    uint32_t number; /* of those that are kept: a later one of the same number takes its place */
    uint32_t grid[3], block[3], shared, cooperative;
    uint32_t cluster[3], cluster_large;                  /* cluster: as launched; zeros: as the kernel says */
    uint32_t regions, textures, param_bytes, name_bytes; /* names: NUL-terminated, the kernel's and why_not first */
    uint64_t pages;
    uint32_t why_not;               /* where in the names it says why the launch could not be kept; 0: it is kept */
    uint32_t source;                /* where in the names the kernel's source file is, by .loc; 0: not known */
    uint32_t first_line, last_line; /* of its PTX in the module's text */
} snapshot_launch;

typedef struct snapshot_region {
    uint64_t address, bytes;
    uint64_t first_page; /* of its pages, one each for SNAPSHOT_PAGE bytes; the last may be shorter */
    uint32_t name;       /* where in the names; 0: it has none */
    uint32_t variable;   /* 1: a variable of the module, by that name */
} snapshot_region;

typedef struct snapshot_texture {
    uint64_t address, pitch, slice;
    uint32_t width, height, depth, layers, texel, channels, outside[3];
    uint32_t flags; /* 1 cube, 2 linear, 4 normalized, 8 fractions */
} snapshot_texture;

enum { SNAPSHOT_UNWRITTEN, SNAPSHOT_ZERO }; /* instead of a place */
typedef struct snapshot_page {
    uint64_t at;  /* its bytes in the file */
    uint64_t sum; /* of them */
} snapshot_page;

/* Tells bytes from others. Four sums run side by side, so that it is about as fast as copying. */
static inline uint64_t snapshot_sum(const void *data, size_t bytes)
{
    const unsigned char *p = data;
    uint64_t s[4] = {bytes, 1, 2, 3}, w[4];
    for (; bytes; bytes -= bytes < sizeof w ? bytes : sizeof w, p += sizeof w) {
        memset(w, 0, sizeof w);
        memcpy(w, p, bytes < sizeof w ? bytes : sizeof w);
        for (int i = 0; i < 4; i++) s[i] = ((s[i] ^ w[i]) << 29 | (s[i] ^ w[i]) >> 35) * UINT64_C(0x9e3779b185ebca87);
    }
    uint64_t all = 0;
    for (int i = 0; i < 4; i++) all = (all ^ s[i] ^ s[i] >> 31) * UINT64_C(0xbe4ba423396cfeb9);
    return all ^ all >> 32;
}

#endif
