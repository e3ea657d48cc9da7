/* seal.h: limits what a child can reach, enforced by the operating system.
 *
 * Three independent layers: a list of allowed system calls (seccomp); a list of visible files
 * (Landlock, or a mount namespace that holds nothing else); and no superuser capabilities. All of
 * it needs Linux. Elsewhere seal_child returns false and nothing is sealed. */
#ifndef SEAL_H
#define SEAL_H

#include <stdbool.h>

enum child_seal {
    CHILD_OPEN,   /* no limits */
    CHILD_SHUT,   /* no network, no memory of other processes, no machine settings; it may start programs */
    CHILD_ALONE,  /* in addition: no new process, thread or program, no signals to others, no change of any file */
    CHILD_PROGRAM /* a program that computes: as CHILD_ALONE, but it is started, and has threads */
};

/* The files that a child can see. NULL in place of a view: CHILD_SHUT sees all, CHILD_ALONE
 * none. */
typedef struct seal_view {
    const char *const *reads; /* files, and folders with all they hold; ends with NULL; missing ones are skipped */
    const char *writes;       /* a folder that it may also change; NULL: none */
} seal_view;

/* Seals the calling process permanently. The process must have a single thread. False: this kernel
 * has no seccomp filters. */
bool seal_child(enum child_seal how, const seal_view *view);

/* Closes every descriptor above 2 except these. */
void seal_descriptors(const int *keep, int count);

/* How files are hidden on this machine; probed once. WARPSTEP_SEAL=mounts or none lets tests force
 * the other ways. */
enum seal_files { SEAL_FILES_OPEN, SEAL_FILES_MOUNTS, SEAL_FILES_LANDLOCK };
enum seal_files seal_files(void);

#endif
