/* source_text.c: reads and caches lines of source files; see source_text.h. */
#include "source_text.h"
#include "format.h"
#include "plain_file.h"
#include "list.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX_BYTES = 8 << 20, LINE_MAX_BYTES = 400, FILES_MAX = 64, TAB = 4 };

bool source_beside(const char *named, bool below, const char *file, char *real)
{
    char folder[PATH_MAX], all[PATH_MAX];
    const char *slash = strrchr(named, '/');
    const int n = snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - named) + 1 : 1, slash ? named : ".");
    if (n < 0 || (size_t)n >= sizeof folder || !realpath(folder, all) || !realpath(file, real)) return false;
    const size_t length = strcmp(all, "/") ? strlen(all) : 0;
    if (strncmp(real, all, length) || real[length] != '/') return false;
    const char *name = real + length;
    return !strstr(name, "/.") && (below || !strchr(name + 1, '/'));
}

/* One line as it is shown: tabs become blanks; what is invisible or not UTF-8 becomes "?". */
static char *clean(const char *from, size_t length)
{
    char line[LINE_MAX_BYTES + 1];
    size_t used = 0;
    while (length && (from[length - 1] == '\r' || from[length - 1] == ' ' || from[length - 1] == '\t')) length--;
    for (size_t i = 0, bytes; i < length && used < LINE_MAX_BYTES; i += bytes) {
        uint32_t point = 0;
        bytes = utf8_decode(from + i, length - i, &point);
        if (point == '\t') do
                line[used++] = ' ';
            while (used % TAB && used < LINE_MAX_BYTES);
        else if (!bytes || utf8_hidden(point)) line[used++] = '?';
        else if (used + bytes > LINE_MAX_BYTES) /* no partial characters */ break;
        else
            for (size_t k = 0; k < bytes; k++) line[used++] = from[i + k];
        if (!bytes) bytes = 1;
    }
    line[used] = 0;
    char *copy = malloc(used + 1);
    if (copy) memcpy(copy, line, used + 1);
    return copy;
}

static void split(source_file *f, size_t bytes)
{
    int count = 1;
    for (size_t i = 0; i < bytes; i++) count += f->text[i] == '\n';
    f->line = calloc((size_t)count, sizeof *f->line);
    if (!f->line) return;
    const char *at = f->text, *end = f->text + bytes;
    while (f->lines < count) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        f->line[f->lines++] = clean(at, (size_t)((stop ? stop : end) - at));
        if (!stop) break;
        at = stop + 1;
    }
}

static char *copy_of(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    if (copy) memcpy(copy, text, bytes);
    return copy;
}

static source_file *find(source_cache *c, const char *name)
{
    for (int i = 0; i < c->count; i++)
        if (!strcmp(c->file[i].name, name)) return &c->file[i];
    if (c->count == FILES_MAX || !list_grow(&c->file, (size_t)c->count, sizeof *c->file)) return NULL;
    source_file *f = &c->file[c->count];
    memset(f, 0, sizeof *f);
    if (!(f->name = copy_of(name))) return NULL;
    c->count++;
    size_t bytes = 0;
    char path[PATH_MAX], real[PATH_MAX];
    const char *slash = c->beside ? strrchr(c->beside, '/') : NULL;
    if (c->beside && source_beside(c->beside, c->below, name, real))
        (void)file_read(real, FILE_MAX_BYTES, &f->text, &bytes);
    if (!f->text && slash && name[0] != '/') {
        int n = snprintf(path, sizeof path, "%.*s/%s", (int)(slash - c->beside), c->beside, name);
        if (n > 0 && (size_t)n < sizeof path && source_beside(c->beside, c->below, path, real))
            (void)file_read(real, FILE_MAX_BYTES, &f->text, &bytes);
    }
    if (f->text) split(f, bytes);
    return f;
}

const char *source_line(source_cache *c, const char *file, int line)
{
    source_file *f = file ? find(c, file) : NULL;
    return f && f->line && line > 0 && line <= f->lines ? f->line[line - 1] : NULL;
}

const char *source_name(const source_cache *c, const char *file)
{
    struct stat a, b;
    char here[PATH_MAX];
    if (!file || !*file) return "?";
    if (c->beside && strcmp(file, c->beside) && !stat(file, &a) && !stat(c->beside, &b) && a.st_dev == b.st_dev &&
        a.st_ino == b.st_ino)
        return c->beside;
    if (getcwd(here, sizeof here)) {
        size_t n = strlen(here);
        if (!strncmp(file, here, n) && file[n] == '/') return file + n + 1;
    }
    return !strncmp(file, "./", 2) ? file + 2 : file;
}

void source_free(source_cache *c)
{
    for (int i = 0; i < c->count; i++) {
        for (int k = 0; k < c->file[i].lines; k++) free(c->file[i].line[k]);
        free(c->file[i].line);
        free(c->file[i].text);
        free(c->file[i].name);
    }
    free(c->file);
    memset(c, 0, sizeof *c);
}
