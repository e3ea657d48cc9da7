/* toolkit.h: where compilers are, and which files they read. */
#ifndef TOOLKIT_H
#define TOOLKIT_H

#include "shell/words.h"

/* Find a program in PATH. The path is absolute. */
bool toolkit_program(const char *name, char *where, size_t size);
/* The folders of CUDA toolkits, best first: those that the environment names, then the usual
 * places, newest version first. */
void toolkit_folders(struct words *out);
/* Find nvcc: in PATH, or in one of those folders. */
bool toolkit_nvcc(char *where, size_t size);
/* The folder of a toolkit's headers, "" when there is none, or WARPSTEP_HEADERS is "own". */
void toolkit_include(char *dir, size_t size);
/* What the system's libraries and compilers read on this machine: libraries, headers, programs, and
 * what WARPSTEP_TOOLCHAIN names. `programs` are added (ends with NULL; NULL: none). No user's
 * folder is added as a whole. */
void toolkit_reads(struct words *out, const char *const *programs);
void toolkit_add(struct words *out, const char *fmt, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

#endif
