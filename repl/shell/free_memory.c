/* free_memory.c: see free_memory.h. Linux reports the numbers in files; elsewhere half of the
 * physical memory serves as a guess. */
#include "free_memory.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define UNKNOWN_ROOM (UINT64_C(2) << 30)

static uint64_t smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* The number after `key` in a file of lines "key number"; key "": the file is one number. */
static bool number_in(const char *path, const char *key, uint64_t *out)
{
    FILE *f = fopen(path, "r");
    char line[256];
    bool found = false;
    while (f && !found && fgets(line, sizeof line, f)) {
        size_t n = strlen(key);
        char *end, *at = line + n;
        if (strncmp(line, key, n) || (n && *at != ' ' && *at != ':')) continue;
        at += strspn(at, ": \t");
        *out = strtoull(at, &end, 10);
        found = end != at && *at >= '0' && *at <= '9';
        if (!n) break;
    }
    if (f) fclose(f);
    return found;
}

static uint64_t left_of_limit(void)
{
    struct rlimit r;
    uint64_t pages = 0, used = 0;
    if (getrlimit(RLIMIT_AS, &r) || r.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
    if (number_in("/proc/self/statm", "", &pages)) used = pages * (uint64_t)sysconf(_SC_PAGESIZE);
    return r.rlim_cur > used ? r.rlim_cur - used : 0;
}

/* What this process's control group and the groups above it have left. Inactive file pages do not
 * count as used, as the kernel frees them on demand. */
static const struct hierarchy { /* of groups: the newer one of all resources, the older one of memory */
    const char *mount, *most, *used, *files;
} hierarchies[] = {{"", "memory.max", "memory.current", "inactive_file"},
                   {"/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"}};

/* group: its path, which gets shorter. In a container that path may be the host's; the one with no name is there. */
static uint64_t left_of_groups(const char *mounts, const struct hierarchy *h, char *group)
{
    char path[1400];
    uint64_t left = UINT64_MAX;
    for (char *slash; group;) {
        uint64_t most, used, files = 0;
        snprintf(path, sizeof path, "%s%s%s/%s", mounts, h->mount, group, h->most);
        if (number_in(path, "", &most)) {
            snprintf(path, sizeof path, "%s%s%s/%s", mounts, h->mount, group, h->used);
            if (number_in(path, "", &used)) {
                snprintf(path, sizeof path, "%s%s%s/memory.stat", mounts, h->mount, group);
                number_in(path, h->files, &files);
                used -= smaller(used, files);
                left = smaller(left, most > used ? most - used : 0);
            }
        }
        slash = strrchr(group, '/');
        if (!*group || !slash) break;
        *slash = 0;
    }
    return left;
}

uint64_t room_of_groups(const char *list, const char *mounts)
{
    char line[600];
    uint64_t left = UINT64_MAX;
    FILE *f = fopen(list, "r");
    while (f && fgets(line, sizeof line, f)) { /* NUMBER:RESOURCES:GROUP */
        char *kind = strchr(line, ':'), *group = kind ? strchr(kind + 1, ':') : NULL;
        if (!group) continue;
        *group++ = 0;
        group[strcspn(group, "\n")] = 0;
        const bool all = !kind[1], memory = !strcmp(kind + 1, "memory");
        if (all || memory) left = smaller(left, left_of_groups(mounts, &hierarchies[memory], group));
    }
    if (f) fclose(f);
    return left;
}

uint64_t room_now(void)
{
    uint64_t kib, room = UNKNOWN_ROOM;
    if (number_in("/proc/meminfo", "MemAvailable", &kib)) room = kib << 10;
#ifdef _SC_PHYS_PAGES
    else if (sysconf(_SC_PHYS_PAGES) > 0)
        room = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2;
#endif
    return smaller(room, smaller(left_of_limit(), room_of_groups("/proc/self/cgroup", "/sys/fs/cgroup")));
}

uint64_t room_at_start(void)
{
    static uint64_t room;
    static bool known;
    if (!known) room = room_now();
    known = true;
    return room;
}
