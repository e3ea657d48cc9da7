/* source_text.h: lines of source files, to quote next to faults and counters.
 *
 * File names come from PTX text, which is hostile: only regular files of moderate size are opened,
 * and a line is cut at 400 bytes. A name is tried as it is, then in the folder of the program's own
 * file. Files are read once and cached. */
#ifndef SOURCE_H
#define SOURCE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct source_file {
    char *name; /* as in the PTX */
    char *text; /* NULL when it cannot be read */
    char **line;
    int lines;
} source_file;

typedef struct source_cache {
    const char *beside; /* the file given on the command line; may be NULL */
    source_file *file;
    int count, capacity;
} source_cache;

/* A line without its end and its tabs, or NULL when there is none. Lives as long as the cache. */
const char *source_line(source_cache *c, const char *file, int line);
/* What messages call a file: the name the person gave, if it is that file; else its path relative
 * to the working directory. */
const char *source_name(const source_cache *c, const char *file);
void source_free(source_cache *c);

#endif
