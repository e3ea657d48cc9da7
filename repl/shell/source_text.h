/* source_text.h: lines of source files, to quote next to faults and counters.
 *
 * File names come from PTX text, which is hostile: it may name any file of the user's. Only those
 * beside the file that the user named are opened, and of these only regular ones of moderate size
 * that are not hidden. A line is cut at 400 bytes. A name is tried as it is, then in the folder of the
 * program's own file. Files are read once and cached. */
#ifndef SOURCE_TEXT_H
#define SOURCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct source_file {
    char *name; /* as in the PTX */
    char *text; /* NULL when it cannot be read */
    char **line;
    int lines;
} source_file;

typedef struct source_cache {
    const char *beside; /* the file given on the command line; may be NULL: then no line is shown */
    bool below;         /* it was compiled now: what it includes from folders below its own is shown too */
    source_file *file;
    int count;
} source_cache;

/* Does `file`, wherever its links lead, lie in the folder of `named`, or in one below? Neither it nor
 * such a folder may be hidden (".netrc"). `real`, of PATH_MAX bytes: its path. */
bool source_beside(const char *named, bool below, const char *file, char *real);
/* A line without its end and its tabs, or NULL when there is none. Lives as long as the cache. */
const char *source_line(source_cache *c, const char *file, int line);
/* What messages call a file: the name the person gave, if it is that file; else its path relative
 * to the working directory. */
const char *source_name(const source_cache *c, const char *file);
void source_free(source_cache *c);

#endif
