/* words.h: a growable list of strings, and how a line typed by a person becomes one.
 *
 * Quoting: 'as it is', "with \" and \\ inside", and \ before one character outside quotes. A # at
 * the start of a word begins a comment. Nothing else is special: no variables, no globs, no pipes.
 */
#ifndef WORDS_H
#define WORDS_H

#include <stdbool.h>
#include <stddef.h>

struct words {
    char **v; /* `count` strings and a NULL, once something was added */
    int count;
    size_t room;
    bool failed; /* memory ran out: the contents are still valid */
};

void words_add(struct words *w, const char *text);
void words_addn(struct words *w, const char *text, size_t length);
void words_remove(struct words *w, int at);
void words_sort(struct words *w); /* numbers inside words sort by value: v2 before v10 */
bool words_have(const struct words *w, const char *text);
void words_free(struct words *w); /* leaves it empty and usable */

/* Split a line. NULL, or an error message ("a quote is not closed"). */
const char *words_split(struct words *w, const char *line);

#endif
