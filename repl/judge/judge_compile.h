/* judge_compile.h: the answer as PTX. */
#ifndef JUDGE_COMPILE_H
#define JUDGE_COMPILE_H

#include "judging.h"

const char *judge_kind_of(const char *compiler); /* "nvcc" of "nvcc 13.0.88" */
/* The text of FILE in the exercise's folder, or the PTX made from it; to be freed. */
char *judge_folder_text(judging *k, const char *file, size_t *bytes);
/* Code of strangers is not compiled, nor run, where a part of the seal is missing on which that rests.
 * True: the verdict says so. */
bool judge_refuses(judging *k);
bool judge_compile(judging *k); /* False: the verdict says why not */

#endif
