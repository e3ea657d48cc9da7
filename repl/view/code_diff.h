/* code_diff.h: lines of a kernel, and what changed in them. */
#ifndef CODE_DIFF_H
#define CODE_DIFF_H

#include "view.h"

typedef struct lines {
    char *text;
    char **line;
    int count;
} lines;

/* Split l->text, `bytes` long, into lines. 0, or a status after a message. */
int lines_cut(struct app *app, lines *l, size_t bytes);
/* The source or PTX of a step's kernel; `shown` is its path. */
int lines_read(struct app *app, const lesson_step *s, bool ptx, lines *l, char *shown, size_t size);
void lines_free(lines *l);

#endif
