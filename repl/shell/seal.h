/* seal.h: what a child may reach beyond itself, and the kernel sees to it.
 *
 * Three layers, each of which holds without the others: a list of the system calls that are allowed
 * (seccomp), a list of the files that exist (Landlock, or a file system of its own with nothing
 * else in it), and of a superuser nothing but the name. All of it is Linux's; elsewhere seal_child
 * returns false and nothing is closed. */
#ifndef SEAL_H
#define SEAL_H

#include <stdbool.h>

enum child_seal {
    CHILD_OPEN, /* everything */
    CHILD_SHUT, /* no network, no other process's memory, no settings of the machine; it may start programs */
    CHILD_ALONE /* nor a process, thread or program, a signal to others, or any change of a file */
};

/* The files that there are for a child. NULL instead of one: all of them to CHILD_SHUT, none to
 * CHILD_ALONE. */
typedef struct seal_view {
    const char *const *reads; /* files, and folders with all in them; ends with NULL; what is not there is left out */
    const char *writes;       /* a folder that it may change too; NULL: none */
} seal_view;

/* Seals the process that calls it, for good. It has one thread. False: this kernel takes no list of
 * system calls. */
bool seal_child(enum child_seal how, const seal_view *view);

/* Closes every descriptor above 2 but these. */
void seal_descriptors(const int *keep, int count);

/* How files are hidden here; tried once. WARPSTEP_SEAL=mounts or none is for tests of the other
 * ways. */
enum seal_files { SEAL_FILES_OPEN, SEAL_FILES_MOUNTS, SEAL_FILES_LANDLOCK };
enum seal_files seal_files(void);

#endif
