/* toolkit.h: where compilers are, and what they read. */
#ifndef TOOLKIT_H
#define TOOLKIT_H

#include "shell/words.h"

/* Find a program in PATH. The path is absolute. */
bool toolkit_program(const char *name, char *where, size_t size);
/* The folders of CUDA toolkits, best first: what the environment names, then the usual places,
 * newest version first. */
void toolkit_folders(struct words *out);
/* nvcc: in PATH, or in one of those. */
bool toolkit_nvcc(char *where, size_t size);
/* The folder of a toolkit's headers, "" when there is none, or WARPSTEP_HEADERS is "own". */
void toolkit_include(char *dir, size_t size);
/* What the system's libraries and compilers read of this machine, and `programs` (ends with NULL;
 * NULL: none): libraries, headers, programs, and what WARPSTEP_TOOLCHAIN names. No folder of a user
 * as a whole. */
void toolkit_reads(struct words *out, const char *const *programs);
void toolkit_add(struct words *out, const char *fmt, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

#endif
