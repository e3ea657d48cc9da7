/* answer_text.h: what the texts of two answers have in common, but for the names that they chose,
 * comments, blanks, and how numbers are spelled. */
#ifndef ANSWER_TEXT_H
#define ANSWER_TEXT_H

#include "shell/digest.h"
#include <stdbool.h>
#include <stddef.h>

/* Equal for two texts that differ in nothing else. False: memory ran out. */
bool answer_digest(const char *text, size_t bytes, unsigned char out[DIGEST_BYTES]);
bool answer_same(const char *a, size_t a_bytes, const char *b, size_t b_bytes);
/* The number of tokens outside the longest common subsequence of both. */
size_t answer_difference(const char *a, size_t a_bytes, const char *b, size_t b_bytes);

#endif
