/* text.h: a string that grows. */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct text {
    char *s; /* `used` bytes and a NUL, once something was added, even if it was empty */
    size_t used, room;
    bool failed; /* out of memory: what was added later is missing */
};

void text_add(struct text *t, const char *more);
void text_addn(struct text *t, const char *more, size_t bytes);
/* The string, to be freed. NULL: out of memory. */
char *text_taken(struct text *t);

#endif
