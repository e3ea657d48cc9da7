/* seal_files.c: which files a sealed child can see. Where the kernel has Landlock, a file that is
 * not on the list cannot be opened. Otherwise, where this user may create one, a mount namespace
 * holds only the files on the list. Both keep it out of the memory of other processes, whose files
 * are in /proc: neither Landlock nor a user namespace lets a process trace one outside. The constants
 * are the kernel's ABI, as system headers may be older than the kernel. */
#define _GNU_SOURCE /* unshare, syscall */
#include "seal_files.h"

#if SEALED_HERE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Landlock ---- */

enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446, ASK_VERSION = 1, PATH_BENEATH = 1 };
enum {
    MAY_EXECUTE = 1 << 0,
    MAY_WRITE = 1 << 1,
    MAY_READ = 1 << 2,
    MAY_LIST = 1 << 3,
    MAY_TRUNCATE = 1 << 14,
    OF_FILES = MAY_EXECUTE | MAY_WRITE | MAY_READ | MAY_TRUNCATE
};

struct ruleset {
    uint64_t files, net, scoped;
};
struct path_rule {
    uint64_t allowed;
    int32_t folder;
} __attribute__((packed));

bool seal_forced(const char *word)
{
    const char *all = getenv("WARPSTEP_SEAL");
    const size_t n = strlen(word);
    for (const char *at = all ? all : ""; *at; at += strcspn(at, " ") + (at[strcspn(at, " ")] == ' '))
        if (strcspn(at, " ") == n && !strncmp(at, word, n)) return true;
    return false;
}

static int landlock_version(void)
{
    long v = seal_forced("mounts") || seal_forced("none") ? 0 : syscall(CREATE_RULESET, NULL, (size_t)0, ASK_VERSION);
    return v > 0 ? (int)v : 0;
}

/* Access rights of files that this version knows: each version added some. */
static uint64_t all_rights(int version)
{
    int bits = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13;
    return (UINT64_C(1) << bits) - 1;
}

static bool allow(int rules, const char *path, uint64_t rights)
{
    struct stat s;
    struct path_rule rule = {rights, open(path, O_PATH | O_CLOEXEC)};
    if (rule.folder < 0) return true; /* a missing file needs no rule */
    if (fstat(rule.folder, &s) == 0 && !S_ISDIR(s.st_mode)) rule.allowed &= OF_FILES;
    bool good = syscall(ADD_RULE, rules, PATH_BENEATH, &rule, 0) == 0;
    close(rule.folder);
    return good;
}

static bool hide_by_landlock(int version, enum child_seal how, const seal_view *view)
{
    const uint64_t all = all_rights(version);
    struct ruleset set = {all, version >= 4 ? 3 : 0, version >= 6 ? 3 : 0};
    int rules = (int)syscall(CREATE_RULESET, &set,
                             version >= 6   ? sizeof set
                             : version >= 4 ? (size_t)16
                                            : (size_t)8,
                             0);
    bool good = rules >= 0;
    if (how == CHILD_SHUT && !view) good = good && allow(rules, "/", all); /* then it is about memory and signals */
    for (const char *const *p = view ? view->reads : NULL; p && *p; p++)
        good = good && allow(rules, *p, MAY_EXECUTE | MAY_READ | MAY_LIST);
    if (view) good = good && allow(rules, "/dev/null", all & (MAY_READ | MAY_WRITE | MAY_TRUNCATE));
    if (view && view->writes) good = good && allow(rules, view->writes, all & ~(uint64_t)MAY_EXECUTE);
    good = good && syscall(RESTRICT_SELF, rules, 0) == 0;
    if (rules >= 0) close(rules);
    return good;
}

/* ---- a mount namespace ----
 * It is built on top of /proc, as nothing on the list lies there. */

static void write_to(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY);
    if (fd < 0) return;
    ssize_t n = write(fd, text, strlen(text)); /* a failure shows later, when a mount fails */
    (void)n;
    close(fd);
}

/* A mount namespace of its own, for a plain user in a user namespace of its own. */
static bool own_namespace(void)
{
    char map[80];
    unsigned user = (unsigned)geteuid(), group = (unsigned)getegid();
    if (!unshare(CLONE_NEWNS)) return true;
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS)) return false;
    write_to("/proc/self/setgroups", "deny");
    snprintf(map, sizeof map, "%u %u 1", user, user);
    write_to("/proc/self/uid_map", map);
    snprintf(map, sizeof map, "%u %u 1", group, group);
    write_to("/proc/self/gid_map", map);
    return true;
}

/* An empty root, with the whole old one below its /old. */
static bool new_root(void)
{
    return own_namespace() && mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("none", "/proc", "tmpfs", MS_NOSUID | MS_NODEV, "mode=755") == 0 && chdir("/proc") == 0 &&
           mkdir("old", 0700) == 0 && syscall(SYS_pivot_root, ".", "old") == 0 && chdir("/") == 0;
}

static bool make_parents(const char *path)
{
    char part[PATH_MAX];
    size_t n = strlen(path);
    if (n >= sizeof part) return false;
    memcpy(part, path, n + 1);
    for (char *p = part + 1; (p = strchr(p, '/')); p++) {
        *p = 0;
        if (mkdir(part, 0755) && errno != EEXIST) return false;
        *p = '/';
    }
    return true;
}

static bool within(const char *path, char *const *folders, int count)
{
    for (int i = 0; i < count; i++) {
        size_t n = strlen(folders[i]);
        if (!strncmp(path, folders[i], n) && (!path[n] || path[n] == '/')) return true;
    }
    return false;
}

/* Makes `path` lead in the new root to what it leads to in the old one. `real` is the path without
 * links. `here`: an earlier folder has already brought it. */
static bool bring(const char *path, const char *real, bool change, bool here)
{
    char old[PATH_MAX + 8];
    struct stat s;
    struct statvfs v;
    if (here && !change)
        return !strcmp(path, real) ||
               (make_parents(path) && (!symlink(real, path) || errno == EEXIST || errno == EROFS));
    snprintf(old, sizeof old, "/old%s", real);
    if (stat(old, &s) || !make_parents(real)) return false;
    if (S_ISDIR(s.st_mode)) {
        if (mkdir(real, 0755) && errno != EEXIST) return false;
    } else {
        int fd = open(real, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (fd >= 0) close(fd); /* exists already when its folder was brought */
    }
    if (mount(old, real, "none", MS_BIND | MS_REC, NULL)) return false;
    if (!change && statvfs(real, &v) == 0) { /* a remount must keep the flags it has */
        unsigned long flags = MS_REMOUNT | MS_BIND | MS_RDONLY;
        flags |= (v.f_flag & ST_NOSUID ? MS_NOSUID : 0) | (v.f_flag & ST_NODEV ? MS_NODEV : 0) |
                 (v.f_flag & ST_NOEXEC ? MS_NOEXEC : 0) | (v.f_flag & ST_NOATIME ? MS_NOATIME : 0) |
                 (v.f_flag & ST_RELATIME ? MS_RELATIME : 0);
        mount("none", real, "none", flags, NULL); /* if refused, a plain user cannot change these files anyway */
    }
    if (!strcmp(path, real)) return true;
    return make_parents(path) && (symlink(real, path) == 0 || errno == EEXIST);
}

static bool hide_by_mounts(const seal_view *view)
{
    enum { MOST = 256 };
    static const char *const none[] = {NULL};
    const char *path[MOST];
    char *real[MOST], here[PATH_MAX];
    int n = 0, writes = -1;
    bool good = true, there = getcwd(here, sizeof here) != NULL;
    for (const char *const *p = view ? view->reads : none; *p && n < MOST - 2; p++)
        if ((real[n] = realpath(*p, NULL))) path[n++] = *p;
    if (view && (real[n] = realpath("/dev/null", NULL))) path[n++] = "/dev/null";
    if (view && view->writes && (real[n] = realpath(view->writes, NULL))) path[writes = n++] = view->writes;
    good = new_root();
    for (int i = 0; i < n; i++) good = good && bring(path[i], real[i], i == writes, within(real[i], real, i));
    for (int i = 0; i < n; i++) free(real[i]);
    good = good && umount2("/old", MNT_DETACH) == 0 && rmdir("/old") == 0;
    mount("none", "/", "none", MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL);
    return good && (!there || !view || !view->writes || chdir(here) == 0);
}

static bool mounts_work(void)
{
    int status = 1;
    if (seal_forced("none")) return false;
    pid_t pid = fork();
    if (pid == 0) _exit(!hide_by_mounts(NULL));
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

enum seal_files seal_files(void)
{
    static int known = -1;
    if (known < 0)
        known = landlock_version() ? SEAL_FILES_LANDLOCK : mounts_work() ? SEAL_FILES_MOUNTS : SEAL_FILES_OPEN;
    return (enum seal_files)known;
}

bool seal_hide_files(enum child_seal how, const seal_view *view)
{
    int version = landlock_version();
    if (version) return hide_by_landlock(version, how, view);
    /* a child that opens nothing needs no namespace: its list has no call that opens */
    if (how == CHILD_ALONE && !view) return true;
    if (seal_files() != SEAL_FILES_MOUNTS) return true;
    return how == CHILD_SHUT && !view ? own_namespace() : hide_by_mounts(view);
}
#endif
