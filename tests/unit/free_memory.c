/* What a control group leaves of the memory, by files as Linux has them: groups of both kinds, within each other, in a
 * container. Numbers are those of the files. */
#include "shell/free_memory.h"
#include "check.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static char top[1000];

static void put(const char *name, const char *text)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", top, name);
    for (char *s = path + 1; *s; s++)
        if (*s == '/') *s = 0, mkdir(path, 0700), *s = '/';
    FILE *f = fopen(path, "w");
    if (!f || fputs(text, f) < 0 || fclose(f)) check_that(false, "%s cannot be written", path);
}

static void left(const char *list, uint64_t wanted, const char *what)
{
    char path[1200];
    put("list", list);
    snprintf(path, sizeof path, "%s/list", top);
    const uint64_t got = room_of_groups(path, top);
    check_that(got == wanted, "%s: %" PRIu64 ", not %" PRIu64, what, got, wanted);
}

int main(void)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(top, sizeof top, "%s/groups", tmp && *tmp ? tmp : "/tmp");
    left("0::/none\n", UINT64_MAX, "no limit anywhere");

    put("a/memory.max", "1000000\n");
    put("a/memory.current", "700000\n");
    put("a/memory.stat", "anon 600000\ninactive_file 50000\nactive_file 1\n");
    left("0::/a\n", 350000, "a group: pages of files can be had back");
    put("a/b/memory.max", "max\n");
    put("a/b/memory.current", "5\n");
    left("0::/a/b\n", 350000, "the group above has the limit");
    put("a/b/memory.max", "400000\n");
    left("0::/a/b\n", 350000, "the tighter one of two");
    put("a/memory.current", "1200000\n");
    left("0::/a\n", 0, "more than is allowed");

    put("memory/docker/7/memory.limit_in_bytes", "536870912\n");
    put("memory/docker/7/memory.usage_in_bytes", "36870912\n");
    put("memory/docker/7/memory.stat", "cache 9\ninactive_file 1\ntotal_inactive_file 1000\n");
    left("9:name=systemd:/\n4:memory:/docker/7\n1:cpu:/a\n0::/\n", 500001000, "the older kind");
    put("memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("memory/memory.usage_in_bytes", "0\n");
    left("4:memory:/elsewhere\n", UINT64_C(9223372036854771712), "the older kind without a limit");
    put("memory/memory.limit_in_bytes", "2000\n");
    left("4:memory:/path/of/the/host\n", 2000, "in a container, which sees its own group as the topmost");
    return check_end();
}
