/* program_cache.c: what exec has compiled, by content: a folder for each program, with the program and
 * a list of what its compiler read. It is found again when compiler, flags and sources are the same
 * and none of those files has changed. Old ones go when there are many. */
#define _GNU_SOURCE
#include "program.h"
#include "shell/digest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ENTRIES_MOST = 64, READS_MOST = 4000, NAME_BYTES = 2 * DIGEST_BYTES + 1 };
#define BYTES_MOST ((off_t)512 << 20)

static void to_hex(const unsigned char sum[DIGEST_BYTES], char out[NAME_BYTES])
{
    for (int i = 0; i < DIGEST_BYTES; i++) snprintf(out + 2 * i, 3, "%02x", sum[i]);
}

static bool make_folders(char *path)
{
    for (char *s = path + 1; (s = strchr(s, '/')) != NULL; *s++ = '/') {
        *s = 0;
        if (mkdir(path, 0700) && errno != EEXIST) return false;
    }
    return !mkdir(path, 0700) || errno == EEXIST;
}

bool program_cache_place(char *out, size_t size)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n = -1;
    if (base && base[0] == '/') n = snprintf(out, size, "%s/warpstep", base);
    else if (home && home[0] == '/') n = snprintf(out, size, "%s/.cache/warpstep", home);
    return n > 0 && (size_t)n < size;
}

static bool cache_folder(char *out, size_t size)
{
    char place[PATH_MAX];
    const int n = program_cache_place(place, sizeof place) ? snprintf(out, size, "%s/programs", place) : -1;
    return n > 0 && (size_t)n < size - 200 && make_folders(out);
}

static bool sum_of_file(const char *path, char out[NAME_BYTES])
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    static char part[1 << 16];
    digest d;
    digest_begin(&d);
    ssize_t n;
    while ((n = read(fd, part, sizeof part)) > 0) digest_add(&d, part, (size_t)n);
    close(fd);
    unsigned char sum[DIGEST_BYTES];
    digest_end(&d, sum);
    to_hex(sum, out);
    return n == 0;
}

/* What tells whether a file is still the same. Those of the system are large, and only their time
 * changes with them. */
static bool state_of(const char *path, char *out, size_t size)
{
    struct stat st;
    char sum[NAME_BYTES] = "-";
    if (stat(path, &st) || !S_ISREG(st.st_mode)) return false;
    if (strncmp(path, "/usr/", 5) && !sum_of_file(path, sum)) return false;
    const long long when = *sum == '-' ? (long long)st.st_mtime : 0;
    return snprintf(out, size, "%lld %lld %s", (long long)st.st_size, when, sum) < (int)size;
}

static bool unchanged(const char *list)
{
    FILE *f = fopen(list, "r");
    char *line = NULL;
    size_t room = 0;
    bool same = f != NULL;
    int count = 0;
    for (ssize_t n; same && (n = getline(&line, &room, f)) > 0; count++) {
        char was[200], is[200];
        if (line[n - 1] == '\n') line[n - 1] = 0;
        char *path = strchr(line, '/');
        same = path && path > line && (size_t)(path - line) < sizeof was;
        if (!same) break;
        memcpy(was, line, (size_t)(path - line) - 1);
        was[path - line - 1] = 0;
        same = state_of(path, is, sizeof is) && !strcmp(is, was);
    }
    free(line);
    if (f) fclose(f);
    return same && count;
}

/* The entry that such a compilation has, or would have. False: there can be none. */
bool program_cache_find(struct program_built *b, const struct words *command)
{
    char folder[PATH_MAX], name[NAME_BYTES], here[PATH_MAX];
    b->entry[0] = 0;
    if (!cache_folder(folder, sizeof folder) || !getcwd(here, sizeof here)) return false;
    digest d;
    digest_begin(&d);
    digest_add(&d, here, strlen(here) + 1);
    for (int i = 0; i < command->count; i++) digest_add(&d, command->v[i], strlen(command->v[i]) + 1);
    struct stat st;
    if (!stat(command->v[0], &st)) digest_add(&d, &st.st_mtime, sizeof st.st_mtime);
    unsigned char sum[DIGEST_BYTES];
    digest_end(&d, sum);
    to_hex(sum, name);
    if (snprintf(b->entry, sizeof b->entry, "%s/%.40s", folder, name) >= (int)sizeof b->entry) return false;
    char list[PATH_MAX + 100];
    snprintf(list, sizeof list, "%s/reads", b->entry);
    snprintf(b->path, sizeof b->path, "%.3900s/program", b->entry);
    if (!access(b->path, X_OK) && unchanged(list)) {
        utimensat(AT_FDCWD, b->entry, NULL, 0); /* used: it is the youngest */
        return true;
    }
    return false;
}

static void remove_entry(const char *entry)
{
    static const char *const files[] = {"program", "reads"};
    char path[PATH_MAX + 100];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", entry, files[i]);
        unlink(path);
    }
    rmdir(entry);
}

/* The oldest go until the rest is few and small. */
static void make_room(const char *folder)
{
    for (int tries = 0; tries < ENTRIES_MOST; tries++) {
        DIR *d = opendir(folder);
        char oldest[PATH_MAX] = "", path[PATH_MAX + 300];
        time_t when = 0;
        int count = 0;
        off_t bytes = 0;
        for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
            struct stat st;
            if (e->d_name[0] == '.' || snprintf(path, sizeof path, "%s/%s", folder, e->d_name) >= (int)sizeof path ||
                stat(path, &st) || !S_ISDIR(st.st_mode))
                continue;
            count++;
            if (!*oldest || st.st_mtime < when) {
                when = st.st_mtime;
                snprintf(oldest, sizeof oldest, "%.4000s", path);
            }
            strncat(path, "/program", sizeof path - strlen(path) - 1);
            if (!stat(path, &st)) bytes += st.st_size;
        }
        if (d) closedir(d);
        if (!*oldest || (count <= ENTRIES_MOST && bytes <= BYTES_MOST)) return;
        remove_entry(oldest);
    }
}

/* The prerequisites of a make rule. */
static char *next_word(char **at)
{
    char *s = *at, *to;
    while (*s == ' ' || *s == '\t' || *s == '\n' || (*s == '\\' && s[1] == '\n')) s += *s == '\\' ? 2 : 1;
    if (!*s) return NULL;
    char *word = to = s;
    for (; *s && *s != ' ' && *s != '\t' && *s != '\n'; s++) {
        if (*s == '\\' && s[1] == '\n') break;
        if (*s == '\\' && s[1]) s++;
        *to++ = *s;
    }
    *at = *s ? s + 1 : s;
    *to = 0;
    return word;
}

static bool write_reads(const char *to, const struct words *rules)
{
    FILE *f = fopen(to, "w");
    bool fine = f != NULL;
    int count = 0;
    for (int i = 0; fine && i < rules->count; i++) {
        FILE *in = fopen(rules->v[i], "r");
        char *text = NULL;
        size_t room = 0;
        const ssize_t n = in ? getdelim(&text, &room, 0, in) : -1;
        char *at = n > 0 ? strchr(text, ':') : NULL;
        fine = at != NULL;
        if (at) at++;
        for (char *word; fine && (word = next_word(&at)) != NULL;) {
            char path[PATH_MAX], is[200];
            const size_t length = strlen(word);
            if (length && word[length - 1] == ':') break; /* another rule */
            fine = ++count <= READS_MOST && realpath(word, path) && state_of(path, is, sizeof is) &&
                   fprintf(f, "%s %s\n", is, path) > 0;
        }
        free(text);
        if (in) fclose(in);
    }
    return (f ? !fclose(f) : true) && fine && count;
}

/* Keeps what was built into b->folder, if it can be: then b->path is where it is kept. */
void program_cache_keep(struct program_built *b, const struct words *rules)
{
    char list[4200], temporary[PATH_MAX + 100], folder[PATH_MAX];
    if (!*b->entry) return;
    snprintf(list, sizeof list, "%s/reads", b->folder);
    if (!write_reads(list, rules)) return;
    snprintf(temporary, sizeof temporary, "%s.%ld", b->entry, (long)getpid());
    if (mkdir(temporary, 0700)) return;
    static const char *const files[] = {"program", "reads"};
    bool fine = true;
    for (size_t i = 0; i < sizeof files / sizeof *files && fine; i++) {
        char from[4200], to[PATH_MAX + 200];
        snprintf(from, sizeof from, "%s/%s", b->folder, files[i]);
        snprintf(to, sizeof to, "%s/%s", temporary, files[i]);
        const int in = open(from, O_RDONLY | O_CLOEXEC),
                  out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, i ? 0600 : 0700);
        char part[1 << 15];
        ssize_t n = -1;
        while (in >= 0 && out >= 0 && (n = read(in, part, sizeof part)) > 0)
            if (write(out, part, (size_t)n) != n) break;
        fine = n == 0;
        if (in >= 0) close(in);
        if (out >= 0 && close(out)) fine = false;
    }
    remove_entry(b->entry);
    if (!fine || rename(temporary, b->entry)) {
        remove_entry(temporary);
        return;
    }
    snprintf(b->path, sizeof b->path, "%.3900s/program", b->entry);
    if (cache_folder(folder, sizeof folder)) make_room(folder);
}
