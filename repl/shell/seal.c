/* seal.c: see seal.h. From the top: descriptors, the list of system calls, privileges. seal_child,
 * which combines them with the list of files (seal_files.c), is last. */
#define _GNU_SOURCE /* syscall */
#include "seal.h"
#include "seal_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- descriptors ---- */

static bool kept(const int *keep, int count, int fd)
{
    for (int i = 0; i < count; i++)
        if (keep[i] == fd) return true;
    return fd <= STDERR_FILENO;
}

void seal_descriptors(const int *keep, int count)
{
    int found[256], n;
    bool listed = false;
    do { /* closing while reading the folder would skip entries */
        DIR *d = opendir("/proc/self/fd");
        n = 0;
        listed = d != NULL;
        for (const struct dirent *e; d && n < (int)(sizeof found / sizeof *found) && (e = readdir(d));) {
            int fd = *e->d_name >= '0' && *e->d_name <= '9' ? atoi(e->d_name) : 0;
            if (!kept(keep, count, fd) && fd != dirfd(d)) found[n++] = fd;
        }
        if (d) closedir(d);
        for (int i = 0; i < n; i++) close(found[i]);
    } while (n == (int)(sizeof found / sizeof *found));
    struct rlimit r;
    if (listed || getrlimit(RLIMIT_NOFILE, &r)) return;
    for (int fd = 0; fd < (r.rlim_cur < 65536 ? (int)r.rlim_cur : 65536); fd++)
        if (!kept(keep, count, fd)) close(fd);
}

/* ---- what is missing ---- */

const char *seal_missing(int i)
{
    static const char open_files[] = "Answers are judged with every file of yours in reach: this kernel has neither "
                                     "Landlock nor mount namespaces to hide them.",
                      open_calls[] =
                          "Answers are judged without seccomp: nothing keeps them from starting programs, or "
                          "from the network.";
    const char *all[2] = {0};
    int n = 0;
    if (!seal_calls()) all[n++] = open_calls;
    if (seal_files() == SEAL_FILES_OPEN) all[n++] = open_files;
    return i < n ? all[i] : NULL;
}

#if SEALED_HERE
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
extern char **environ;

/* ---- system calls ----
 * A call that is not in the table fails with ENOSYS. The C library then uses another call, and new
 * calls of newer kernels open no hole. A row gives the level from which a call is allowed, and a
 * condition. If two rows have the same call, the last one that applies counts. */
enum seal_level {
    ALONE,   /* a simulated kernel: computes, and writes its answer to a pipe it already has */
    READS,   /* a compiler in a library: also reads its own files */
    RUNS,    /* a program that computes: is started, has threads */
    PROGRAMS /* compilers that are programs: also start others, and write to a folder */
};
enum seal_rule {
    ALWAYS,
    ITSELF,   /* the first argument is the caller's own process number, or 0 */
    READING,  /* the flags in the third argument do not allow writing */
    READING2, /* the same for the second argument */
    INSIDE,   /* a clone that creates no namespaces */
    THREAD,   /* a clone that creates a thread */
    START,    /* an execveat of the program that is to be started */
    ASKS,     /* an ioctl that asks about a terminal, or sets a flag of a descriptor: none types or signals */
    SILENT,   /* an fcntl that does not make a descriptor send signals, as the kernel sends them to anybody */
    NAMES     /* a prctl that names or asks: not one that lets a process live when its parent dies */
};
// clang-format off
static const struct seal_row {
    int number;
    unsigned char level, rule;
} seal_rows[] = {
    /* memory */
    {SYS_mmap, ALONE, ALWAYS}, {SYS_munmap, ALONE, ALWAYS}, {SYS_mremap, ALONE, ALWAYS}, {SYS_mprotect, ALONE, ALWAYS},
    {SYS_madvise, ALONE, ALWAYS}, {SYS_brk, ALONE, ALWAYS}, {SYS_mincore, READS, ALWAYS}, {SYS_msync, READS, ALWAYS},
    {SYS_process_vm_readv, RUNS, ITSELF}, {SYS_process_vm_writev, RUNS, ITSELF}, /* is this memory there? */
    {SYS_mlock, PROGRAMS, ALWAYS}, {SYS_munlock, PROGRAMS, ALWAYS}, {SYS_membarrier, RUNS, ALWAYS},
    /* descriptors it already has */
    {SYS_read, ALONE, ALWAYS}, {SYS_write, ALONE, ALWAYS}, {SYS_readv, ALONE, ALWAYS}, {SYS_writev, ALONE, ALWAYS},
    {SYS_close, ALONE, ALWAYS}, {SYS_fstat, ALONE, ALWAYS}, {SYS_lseek, ALONE, ALWAYS}, {SYS_pread64, READS, ALWAYS},
    {SYS_preadv, READS, ALWAYS}, {SYS_fcntl, RUNS, SILENT}, {SYS_dup, RUNS, ALWAYS},
    {SYS_dup3, RUNS, ALWAYS}, {SYS_pwrite64, PROGRAMS, ALWAYS}, {SYS_pwritev, PROGRAMS, ALWAYS},
    {SYS_pipe2, RUNS, ALWAYS}, {SYS_ioctl, RUNS, ASKS}, {SYS_ppoll, RUNS, ALWAYS},
    {SYS_pselect6, RUNS, ALWAYS}, {SYS_sendfile, PROGRAMS, ALWAYS}, {SYS_copy_file_range, PROGRAMS, ALWAYS},
    {SYS_fsync, PROGRAMS, ALWAYS}, {SYS_fdatasync, PROGRAMS, ALWAYS}, {SYS_ftruncate, PROGRAMS, ALWAYS},
    {SYS_fallocate, PROGRAMS, ALWAYS}, {SYS_fadvise64, PROGRAMS, ALWAYS}, {SYS_flock, PROGRAMS, ALWAYS},
    {436 /* close_range */, PROGRAMS, ALWAYS},
    /* time, and information about the machine */
    {SYS_clock_gettime, ALONE, ALWAYS}, {SYS_clock_getres, ALONE, ALWAYS}, {SYS_clock_nanosleep, ALONE, ALWAYS},
    {SYS_nanosleep, ALONE, ALWAYS}, {SYS_gettimeofday, ALONE, ALWAYS}, {SYS_getrusage, ALONE, ALWAYS},
    {SYS_times, ALONE, ALWAYS}, {SYS_getpid, ALONE, ALWAYS}, {SYS_getppid, ALONE, ALWAYS}, {SYS_gettid, ALONE, ALWAYS},
    {SYS_uname, ALONE, ALWAYS}, {SYS_sysinfo, ALONE, ALWAYS}, {SYS_getrandom, ALONE, ALWAYS},
    {SYS_prlimit64, ALONE, ITSELF}, {SYS_getrlimit, ALONE, ALWAYS}, {SYS_getuid, READS, ALWAYS},
    {SYS_geteuid, READS, ALWAYS}, {SYS_getgid, READS, ALWAYS}, {SYS_getegid, READS, ALWAYS},
    {SYS_getpgid, PROGRAMS, ALWAYS}, {SYS_getsid, PROGRAMS, ALWAYS}, {SYS_getgroups, PROGRAMS, ALWAYS},
    {SYS_prctl, RUNS, NAMES}, {SYS_setrlimit, PROGRAMS, ALWAYS}, {SYS_getpriority, PROGRAMS, ALWAYS},
    {SYS_umask, PROGRAMS, ALWAYS}, {SYS_getitimer, PROGRAMS, ALWAYS}, {SYS_setitimer, PROGRAMS, ALWAYS},
    /* signals, and its single thread */
    {SYS_rt_sigaction, ALONE, ALWAYS}, {SYS_rt_sigprocmask, ALONE, ALWAYS}, {SYS_rt_sigreturn, ALONE, ALWAYS},
    {SYS_sigaltstack, ALONE, ALWAYS}, {SYS_restart_syscall, ALONE, ALWAYS}, {SYS_futex, ALONE, ALWAYS},
    {SYS_sched_yield, ALONE, ALWAYS}, {SYS_sched_getaffinity, ALONE, ITSELF}, {SYS_exit, ALONE, ALWAYS},
    {SYS_exit_group, ALONE, ALWAYS}, {SYS_tgkill, ALONE, ITSELF}, {SYS_tgkill, PROGRAMS, ALWAYS},
    {SYS_sched_get_priority_max, READS, ALWAYS}, {SYS_sched_get_priority_min, READS, ALWAYS},
    {SYS_sched_getscheduler, READS, ITSELF}, {SYS_sched_getparam, READS, ITSELF},
    {SYS_sched_getaffinity, RUNS, ALWAYS}, /* for pthread_getattr_np, which passes a thread number */
    {SYS_sched_getscheduler, PROGRAMS, ALWAYS}, {SYS_sched_getparam, PROGRAMS, ALWAYS},
    {SYS_set_robust_list, RUNS, ALWAYS}, {SYS_set_tid_address, RUNS, ALWAYS},
#ifdef SYS_rseq
    {SYS_rseq, RUNS, ALWAYS},
#endif
    {SYS_kill, PROGRAMS, ALWAYS}, {SYS_rt_sigtimedwait, PROGRAMS, ALWAYS}, {SYS_rt_sigsuspend, PROGRAMS, ALWAYS},
    {SYS_rt_sigpending, PROGRAMS, ALWAYS},
    /* files */
    {SYS_openat, READS, READING}, {SYS_openat, PROGRAMS, ALWAYS}, {SYS_newfstatat, READS, ALWAYS},
#ifdef SYS_statx
    {SYS_statx, READS, ALWAYS},
#endif
    {SYS_faccessat, READS, ALWAYS}, {439 /* faccessat2 */, READS, ALWAYS},
    {SYS_readlinkat, READS, ALWAYS}, {SYS_getdents64, READS, ALWAYS}, {SYS_getcwd, READS, ALWAYS},
    {SYS_statfs, READS, ALWAYS}, {SYS_fstatfs, READS, ALWAYS}, {SYS_chdir, PROGRAMS, ALWAYS},
    {SYS_fchdir, PROGRAMS, ALWAYS}, {SYS_mkdirat, PROGRAMS, ALWAYS}, {SYS_unlinkat, PROGRAMS, ALWAYS},
    {SYS_renameat2, PROGRAMS, ALWAYS}, {SYS_linkat, PROGRAMS, ALWAYS}, {SYS_symlinkat, PROGRAMS, ALWAYS},
    {SYS_fchmodat, PROGRAMS, ALWAYS}, {SYS_fchmod, PROGRAMS, ALWAYS}, {SYS_utimensat, PROGRAMS, ALWAYS},
    {SYS_truncate, PROGRAMS, ALWAYS},
    /* programs */
    {SYS_clone, RUNS, THREAD}, {SYS_clone, PROGRAMS, INSIDE}, {SYS_execve, PROGRAMS, ALWAYS},
    {SYS_execveat, RUNS, START}, {SYS_wait4, PROGRAMS, ALWAYS},
    {SYS_waitid, PROGRAMS, ALWAYS}, {SYS_setpgid, PROGRAMS, ALWAYS}, {SYS_setsid, PROGRAMS, ALWAYS},
#ifdef SYS_open /* older calls that newer architectures lack */
    {SYS_open, READS, READING2}, {SYS_open, PROGRAMS, ALWAYS}, {SYS_stat, READS, ALWAYS}, {SYS_lstat, READS, ALWAYS},
    {SYS_access, READS, ALWAYS}, {SYS_readlink, READS, ALWAYS}, {SYS_time, ALONE, ALWAYS}, {SYS_pipe, RUNS, ALWAYS},
    {SYS_dup2, RUNS, ALWAYS}, {SYS_poll, RUNS, ALWAYS}, {SYS_select, RUNS, ALWAYS},
    {SYS_getdents, READS, ALWAYS}, {SYS_fork, PROGRAMS, ALWAYS}, {SYS_vfork, PROGRAMS, ALWAYS},
    {SYS_creat, PROGRAMS, ALWAYS}, {SYS_unlink, PROGRAMS, ALWAYS}, {SYS_rmdir, PROGRAMS, ALWAYS},
    {SYS_rename, PROGRAMS, ALWAYS}, {SYS_mkdir, PROGRAMS, ALWAYS}, {SYS_chmod, PROGRAMS, ALWAYS},
    {SYS_link, PROGRAMS, ALWAYS}, {SYS_symlink, PROGRAMS, ALWAYS}, {SYS_utime, PROGRAMS, ALWAYS},
    {SYS_utimes, PROGRAMS, ALWAYS}, {SYS_getpgrp, PROGRAMS, ALWAYS}, {SYS_alarm, PROGRAMS, ALWAYS},
    {SYS_arch_prctl, RUNS, ALWAYS},
#endif
#ifdef SYS_renameat
    {SYS_renameat, PROGRAMS, ALWAYS},
#endif
};

/* What the argument that says what a call is to do may be. The numbers are the kernel's, as system
 * headers may be older. */
enum { MOST_LISTED = 16, SET_FLAGS = 4 /* F_SETFL */, SENDS_SIGNALS = 0x2000 /* O_ASYNC */ };
static const struct seal_list {
    enum seal_rule rule;
    int argument, count;
    uint32_t allowed[MOST_LISTED];
} seal_lists[] = {
    /* TCGETS, TCGETS2, TIOCGWINSZ, TIOCGPGRP, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX */
    {ASKS, 1, 8, {0x5401, 0x802C542A, 0x5413, 0x540F, 0x541B, 0x5421, 0x5451, 0x5450}},
    /* F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC, F_SETPIPE_SZ, F_GETPIPE_SZ, F_GET_SEALS */
    {SILENT, 1, 9, {0, 1, 2, 3, SET_FLAGS, 1030, 1031, 1032, 1034}},
    /* PDEATHSIG: get alone; DUMPABLE, SECCOMP and TIMERSLACK: get; NAME: set, get; CAPBSET_READ;
     * NO_NEW_PRIVS: set, get; THP_DISABLE: set, get; VMA: name an area */
    {NAMES, 0, 12, {2, 3, 21, 30, 15, 16, 23, 38, 39, 41, 42, 0x53564D41}},
};
// clang-format on

enum { ROWS = sizeof seal_rows / sizeof *seal_rows, WRITING = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC };
#define NAMESPACES 0x7E020080U /* the CLONE_NEW... flags */
#define OF_THREADS 0x00010000U /* CLONE_THREAD */

typedef struct seal_code {
    struct sock_filter step[8 * ROWS + 96];
    unsigned short count;
} seal_code;

static void step(seal_code *c, int what, uint32_t value, int yes, int no)
{
    c->step[c->count++] = (struct sock_filter){(unsigned short)what, (unsigned char)yes, (unsigned char)no, value};
}
static void load(seal_code *c, size_t offset) { step(c, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0); }
static void give(seal_code *c, uint32_t action) { step(c, BPF_RET | BPF_K, action, 0, 0); }
static void jump(seal_code *c, int test, uint32_t value, int yes, int no)
{
    step(c, BPF_JMP | BPF_K | test, value, yes, no);
}
static void load_argument(seal_code *c, int i) /* the low word: x86-64 and arm64 are little-endian */
{
    load(c, offsetof(struct seccomp_data, args) + 8 * (size_t)i);
}

#define ABSENT  (SECCOMP_RET_ERRNO | ENOSYS)
#define REFUSED (SECCOMP_RET_ERRNO | EPERM)

/* The program to start is open under a number that no descriptor can get later: it is above the
 * limit of what may be open. So it is started once. */
static int start_number = -1;

/* Refuses all but the listed values of an argument. */
static void add_list(seal_code *rest, enum seal_rule rule)
{
    const struct seal_list *l = seal_lists;
    while (l->rule != rule) l++;
    load_argument(rest, l->argument);
    for (int i = 0; i < l->count; i++) jump(rest, BPF_JEQ, l->allowed[i], l->count - i, 0);
    give(rest, REFUSED);
    if (rule != SILENT) return;
    jump(rest, BPF_JEQ, SET_FLAGS, 0, 3);
    load_argument(rest, 2);
    jump(rest, BPF_JSET, SENDS_SIGNALS, 0, 1);
    give(rest, REFUSED);
}

static void add_row(seal_code *c, const struct seal_row *r)
{
    /* what follows the test of the call's number, and is skipped for other calls */
    seal_code rest = {.count = 0};
    switch (r->rule) {
    case ALWAYS: break;
    case ITSELF:
        load_argument(&rest, 0);
        jump(&rest, BPF_JEQ, 0, 2, 0);
        jump(&rest, BPF_JEQ, (uint32_t)getpid(), 1, 0);
        give(&rest, REFUSED);
        break;
    case READING:
    case READING2:
        load_argument(&rest, r->rule == READING ? 2 : 1);
        jump(&rest, BPF_JSET, WRITING, 0, 1);
        give(&rest, REFUSED);
        break;
    case INSIDE:
        load_argument(&rest, 0);
        jump(&rest, BPF_JSET, NAMESPACES, 0, 1);
        give(&rest, REFUSED);
        break;
    case THREAD:
        load_argument(&rest, 0);
        jump(&rest, BPF_JSET, OF_THREADS, 1, 0);
        give(&rest, REFUSED);
        break;
    case START:
        load_argument(&rest, 0);
        jump(&rest, BPF_JEQ, (uint32_t)start_number, start_number >= 0, 0);
        give(&rest, REFUSED);
        break;
    case ASKS:
    case SILENT:
    case NAMES: add_list(&rest, (enum seal_rule)r->rule); break;
    }
    give(&rest, SECCOMP_RET_ALLOW);
    jump(c, BPF_JEQ, (uint32_t)r->number, 0, rest.count);
    for (int i = 0; i < rest.count; i++) c->step[c->count++] = rest.step[i];
}

static bool close_calls(enum seal_level level)
{
    seal_code c = {.count = 0};
    load(&c, offsetof(struct seccomp_data, arch));
#ifdef __x86_64__
    jump(&c, BPF_JEQ, AUDIT_ARCH_X86_64, 1, 0);
#else
    jump(&c, BPF_JEQ, AUDIT_ARCH_AARCH64, 1, 0);
#endif
    give(&c, ABSENT); /* 32-bit calls have another architecture; x32 calls have high numbers, which no row lists */
    load(&c, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < ROWS; i++) {
        bool replaced = seal_rows[i].level > level;
        for (int k = i + 1; k < ROWS && !replaced; k++)
            replaced = seal_rows[k].number == seal_rows[i].number && seal_rows[k].level <= level;
        if (!replaced) add_row(&c, &seal_rows[i]);
    }
    give(&c, ABSENT);
    struct sock_fprog program = {c.count, c.step};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

/* ---- privileges ---- */

/* Drops all of a superuser's capabilities: it may then read only what everybody may, and look into
 * no other process. */
static void drop_privileges(void)
{
    struct {
        uint32_t version;
        int pid;
    } head = {0x20080522, 0};
    struct {
        uint32_t effective, permitted, inheritable;
    } none[2] = {{0, 0, 0}, {0, 0, 0}};
    syscall(SYS_capset, &head, none);
}

bool seal_calls(void)
{
    static int known = -1;
    /* with no filter to read: EFAULT where there are filters, else EINVAL */
    if (known < 0)
        known = !seal_forced("no-seccomp") && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL, 0, 0) && errno == EFAULT;
    return known;
}

bool seal_child(enum child_seal how, const seal_view *view)
{
    /* a sanitizer's report reads files to locate itself; that is the only exception */
    enum seal_level level = how == CHILD_SHUT        ? PROGRAMS
                            : how == CHILD_PROGRAM   ? RUNS
                            : view || SEAL_SANITIZED ? READS
                                                     : ALONE;
    if (how == CHILD_OPEN) return true;
    const bool calls = seal_calls();
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || !seal_hide_files(how, view)) _exit(SEAL_FAILED);
    drop_privileges();
    if (calls && !close_calls(level)) _exit(SEAL_FAILED);
    return calls;
}

int seal_program(const char *path, char *const argv[], const seal_view *view)
{
    enum { HIGHEST = 1023 };
    struct rlimit r;
    const int program = open(path, O_PATH | O_CLOEXEC);
    if (program < 0 || getrlimit(RLIMIT_NOFILE, &r)) return errno;
    r.rlim_cur = r.rlim_max = r.rlim_cur - 1 < HIGHEST ? r.rlim_cur - 1 : HIGHEST;
    start_number = fcntl(program, F_DUPFD_CLOEXEC, (int)r.rlim_cur);
    if (start_number < 0 || setrlimit(RLIMIT_NOFILE, &r)) return errno;
    close(program);
    if (!seal_child(CHILD_PROGRAM, view)) execve(path, argv, environ);
    else syscall(SYS_execveat, start_number, "", argv, environ, AT_EMPTY_PATH);
    return errno;
}
#else
bool seal_child(enum child_seal how, const seal_view *view)
{
    (void)view;
    return how == CHILD_OPEN;
}
int seal_program(const char *path, char *const argv[], const seal_view *view)
{
    (void)view;
    execv(path, argv);
    return errno;
}
enum seal_files seal_files(void) { return SEAL_FILES_OPEN; }
bool seal_calls(void) { return false; }
#endif
