/* seal_files.h: a sealed child sees the files of its view alone; and what seal.c shares with that. */
#ifndef SEAL_FILES_H
#define SEAL_FILES_H

#include "seal.h"

#if defined(__linux__) && defined(__has_include) && (defined(__x86_64__) || defined(__aarch64__))
#if __has_include(<linux/seccomp.h>) && __has_include(<linux/filter.h>) && __has_include(<linux/audit.h>)
#define SEALED_HERE 1
#endif
#endif
#ifndef SEALED_HERE
#define SEALED_HERE 0
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SEAL_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SEAL_SANITIZED 1
#endif
#endif
#ifndef SEAL_SANITIZED
#define SEAL_SANITIZED 0
#endif

enum { SEAL_FAILED = 4 }; /* exit status of a child that could not be sealed as promised */

/* Hides all files except those of the view, and the memory of other processes. False: it failed,
 * although seal_files() says it works. */
bool seal_hide_files(enum child_seal how, const seal_view *view);

bool seal_forced(const char *word); /* is it among the words of WARPSTEP_SEAL? */

#endif
