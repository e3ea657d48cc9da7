/* program_snapshots.h: launches of a program that its libraries kept (cuda/snapshot.h), so that each
 * can be run again alone. */
#ifndef PROGRAM_SNAPSHOTS_H
#define PROGRAM_SNAPSHOTS_H

#include "cuda/snapshot.h"
#include "sim.h"

/* One launch. All of it was checked: counts, places and names are within the file. */
struct program_snapshot {
    int file;
    uint32_t pid;
    snapshot_launch launch;
    char *memory; /* holds what the others point into */
    const snapshot_region *regions;
    const snapshot_texture *textures;
    const snapshot_page *pages;
    const void *params;
    const char *names, *kernel;
    const char *why_not; /* a sentence without its subject; NULL: it was kept */
    const char *source;  /* the file that the kernel's PTX names; NULL: it names none */
};

struct program_snapshots {
    int file; /* -1: none */
    struct program_snapshot *list;
    int count;
    const char *damaged; /* what is wrong with the file; NULL: nothing */
};

/* A file for the libraries to write to, which is gone when it is closed. -1: errno says why. */
int program_snapshots_file(void);
/* Takes the file over. */
void program_snapshots_read(int file, struct program_snapshots *out);
void program_snapshots_free(struct program_snapshots *s);

const char *snapshot_region_name(const struct program_snapshot *s, const snapshot_region *r); /* "" : none */
/* The PTX, to be freed. False: the file was changed, or no memory. */
bool snapshot_text(const struct program_snapshot *s, char **text, size_t *bytes);
/* One of the region's pages, SNAPSHOT_PAGE bytes or what is left of it. False: it is not in the file,
 * or was changed. *written: it held values; else nothing was ever written there. */
bool snapshot_page_read(const struct program_snapshot *s, const snapshot_region *r, uint64_t number, void *out,
                        bool *written);

#endif
