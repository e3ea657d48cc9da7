/* seal.h: limits what a child can reach, enforced by the operating system.
 *
 * Three layers: a list of allowed system calls (seccomp); a list of visible files (Landlock, or a
 * mount namespace that holds nothing else); and no superuser capabilities. No layer rests on another.
 * All of it needs Linux. Elsewhere seal_child returns false and nothing is sealed.
 *
 * Memory of other processes is a matter of files too, since Linux shows it in /proc. Landlock guards
 * it also from a child that sees all files. A mount namespace does so where it needs a user namespace
 * of its own; a superuser's child is kept out by having no capabilities. */
#ifndef SEAL_H
#define SEAL_H

#include <stdbool.h>

enum child_seal {
    CHILD_OPEN,   /* no limits */
    CHILD_SHUT,   /* no network, no memory of other processes, no machine settings; it may start programs */
    CHILD_ALONE,  /* in addition: no new process, thread or program, no signals to others, no change of any file */
    CHILD_PROGRAM /* a program that computes (seal_program): as CHILD_ALONE, but it has threads */
};

/* The files that a child can see. NULL in place of a view: CHILD_SHUT sees all, CHILD_ALONE
 * none. */
typedef struct seal_view {
    const char *const *reads; /* files, and folders with all they hold; ends with NULL; missing ones are skipped */
    const char *writes;       /* a folder that it may also change; NULL: none */
} seal_view;

/* Seals the calling process permanently. The process must have a single thread. False: this kernel
 * has no seccomp filters. A seal that fails although the kernel has it ends the process. */
bool seal_child(enum child_seal how, const seal_view *view);

/* Becomes the program, sealed as CHILD_PROGRAM. Returns only if that fails: an errno. */
int seal_program(const char *path, char *const argv[], const seal_view *view);

/* Closes every descriptor above 2 except these. */
void seal_descriptors(const int *keep, int count);

/* How files are hidden on this machine; probed once. WARPSTEP_SEAL lets tests force the other ways:
 * its words are "mounts" (no Landlock), "none" (nothing hides files) and "no-seccomp". */
enum seal_files { SEAL_FILES_OPEN, SEAL_FILES_MOUNTS, SEAL_FILES_LANDLOCK };
enum seal_files seal_files(void);
bool seal_calls(void); /* are system calls filtered? */

/* What is missing of the seal on this machine: sentence number `i`, or NULL. */
const char *seal_missing(int i);

#endif
