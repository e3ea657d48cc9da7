/* seal.c: what a sealed child can reach, one line each: tried in an open child, where everything
 * works that a plain user may do, and in each kind of sealed child, a program among them, with each
 * way of hiding files that this kernel has. Then which files a sealed child sees. */
#define _GNU_SOURCE
#include "shell/child.h"
#include "shell/seal_files.h"
#include "check.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#if SEALED_HERE
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>

/* ---- attempts; each returns true when it worked ---- */

static char folder[256], file[300]; /* the folder of the test, and somebody's file in it */
static char secret[] = "a secret in the parent's memory";
static int inherited, queue, set, memory; /* of the parent: a descriptor, a queue, semaphores, memory */
static uint64_t in_parent;                /* where its secret is */
static pid_t parent;

static bool reads(const char *path)
{
    char byte;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool good = fd >= 0 && read(fd, &byte, 1) == 1;
    if (fd >= 0) close(fd);
    return good;
}
static void *in_thread(void *arg) /* libraries ask for the place of their stack */
{
#ifdef __GLIBC__
    pthread_attr_t a;
    if (pthread_getattr_np(pthread_self(), &a)) return NULL;
    pthread_attr_destroy(&a);
#endif
    return arg;
}
static int in_clone(void *arg) { return arg != NULL; }

static bool do_fork(void)
{
    pid_t pid = fork();
    if (pid == 0) _exit(0);
    return pid > 0 && waitpid(pid, NULL, 0) == pid;
}
static bool do_thread(void)
{
    pthread_t t;
    void *came = NULL;
    return !pthread_create(&t, NULL, in_thread, secret) && !pthread_join(t, &came) && came == secret;
}
static bool do_clone(void) /* a thread made without the library: 20,000 fit into little memory */
{
    static char stack[65536];
    return clone(in_clone, stack + sizeof stack, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD,
                 NULL) > 0;
}
static bool do_exec(void)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", "exit 9", (char *)NULL);
        _exit(1);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 9;
}
static bool do_write_file(void)
{
    char path[320];
    snprintf(path, sizeof path, "%s/written", folder);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd >= 0) close(fd), unlink(path);
    return fd >= 0;
}
static bool do_mkdir(void)
{
    char path[320];
    snprintf(path, sizeof path, "%s/made", folder);
    return !mkdir(path, 0700) && !rmdir(path);
}
static bool do_read_file(void) { return reads(file); }
static bool do_read_system(void) { return reads("/etc/passwd"); }
static bool do_read_shadow(void) { return reads("/etc/shadow"); }
static bool do_read_self(void) { return reads("/proc/self/stat"); }
static bool do_parent_memory(void)
{
    char path[64], text[sizeof secret] = "";
    snprintf(path, sizeof path, "/proc/%ld/mem", (long)parent);
    int fd = open(path, O_RDONLY);
    return fd >= 0 && pread(fd, text, sizeof text, (off_t)in_parent) == (ssize_t)sizeof text && !strcmp(text, secret);
}
static bool do_inherited(void) { return write(inherited, "x", 1) == 1; }
static bool do_internet(void) { return socket(AF_INET, SOCK_STREAM, 0) >= 0; }
static bool do_datagram(void)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    snprintf(to.sun_path, sizeof to.sun_path, "%.90s/socket", folder);
    return fd >= 0 && sendto(fd, "x", 1, 0, (const struct sockaddr *)&to, sizeof to) == 1;
}
static bool do_socketpair(void)
{
    int two[2];
    return !socketpair(AF_UNIX, SOCK_STREAM, 0, two);
}
static bool do_flock(void) { return syscall(SYS_flock, inherited, 6) == 0; }
static bool do_semop(void)
{
    struct sembuf up = {0, 1, 0};
    return !semop(set, &up, 1);
}
static bool do_msgsnd(void)
{
    struct {
        long kind;
        char text[4];
    } m = {1, "abc"};
    return !msgsnd(queue, &m, sizeof m.text, IPC_NOWAIT);
}
static bool do_shmat(void) { return shmat(memory, NULL, 0) != (void *)-1; }
static bool do_fanotify(void) { return syscall(SYS_fanotify_init, 0x200 /* plain users may */, 0) >= 0; }
static bool do_inotify(void) { return syscall(SYS_inotify_init1, 0) >= 0; }
static bool do_domain(void) /* sets the present name: no change if it works */
{
    char all[6 * 65];
    return syscall(SYS_uname, all) == 0 && syscall(SYS_setdomainname, all + 5 * 65, strlen(all + 5 * 65)) == 0;
}
static bool do_kill(void) { return !kill(parent, 0); }
static bool do_tgkill(void) { return syscall(SYS_tgkill, parent, parent, 0) == 0; }
static bool do_queue_signal(void)
{
    siginfo_t info = {.si_code = SI_QUEUE};
    return syscall(SYS_rt_sigqueueinfo, parent, 0, &info) == 0;
}
static bool let_in(int result) { return result == 0 || (errno != EPERM && errno != ENOSYS); }
static bool do_own(void) { return fcntl(STDERR_FILENO, 8 /* F_SETOWN */, parent) == 0; }
static bool do_own_ex(void)
{
    struct {
        int type, pid;
    } to = {1 /* F_OWNER_PID */, parent};
    return fcntl(STDERR_FILENO, 15 /* F_SETOWN_EX */, &to) == 0;
}
static bool do_signal_number(void) { return fcntl(STDERR_FILENO, 10 /* F_SETSIG */, SIGWINCH) == 0; }
static bool do_async(void) { return fcntl(STDERR_FILENO, F_SETFL, 0x2000 /* O_ASYNC */) == 0; }
static bool do_lease(void) { return let_in(fcntl(STDERR_FILENO, 1024 /* F_SETLEASE */, F_UNLCK)); }
static bool do_control_own(void) /* ENOTTY: the call was let in, and stderr is no socket */
{
    int to = parent;
    return let_in(ioctl(STDERR_FILENO, 0x8901 /* FIOSETOWN */, &to));
}
static bool do_control_async(void)
{
    int on = 0;
    return let_in(ioctl(STDERR_FILENO, 0x5452 /* FIOASYNC */, &on));
}
static bool do_control_type(void) { return let_in(ioctl(STDERR_FILENO, 0x5412 /* TIOCSTI */, "")); }
static bool do_flags(void)
{
    const int flags = fcntl(STDERR_FILENO, F_GETFL), fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    return flags >= 0 && fcntl(STDERR_FILENO, F_SETFL, flags) == 0 && fd > 2 && !close(fd);
}
static bool do_survive(void) { return prctl(PR_SET_PDEATHSIG, 0) == 0; }
static bool do_name(void) { return prctl(PR_SET_NAME, "attempts") == 0; }
static bool do_start(void) /* no child is needed to see that a program is refused */
{
    static char nothing[] = "/nowhere/at/all";
    char *argv[] = {nothing, NULL};
    execv(nothing, argv);
    return errno == ENOENT;
}
static bool do_start_number(void) /* a folder, since a program would start: the kernel says EACCES if it looks at it */
{
    const int folder_there = open("/usr/lib", O_RDONLY | O_DIRECTORY);
    bool looked = false;
    for (int fd = 3; fd < 2000 && !looked; fd++) {
        if (fd != folder_there && fcntl(fd, F_GETFD) >= 0) continue; /* its answer's */
        const bool there = fd == folder_there || dup2(folder_there, fd) == fd;
        looked = syscall(SYS_execveat, fd, "", NULL, NULL, AT_EMPTY_PATH) && errno == EACCES && there;
        if (there && fd != folder_there) close(fd);
    }
    return looked;
}
static bool do_prlimit(void)
{
    struct rlimit r;
    return syscall(SYS_prlimit64, parent, RLIMIT_NOFILE, NULL, &r) == 0;
}
static bool do_affinity(void)
{
    char cpus[128];
    memset(cpus, 255, sizeof cpus); /* all processors, as before */
    return syscall(SYS_sched_setaffinity, parent, sizeof cpus, cpus) == 0;
}
static bool do_vm_read(void)
{
    char text[sizeof secret];
    struct {
        void *at;
        size_t n;
    } to = {text, sizeof text}, from = {(char *)(uintptr_t)in_parent, sizeof secret};
    return syscall(SYS_process_vm_readv, parent, &to, 1, &from, 1, 0) == (long)sizeof text;
}
static bool do_pidfd(void) { return syscall(434 /* pidfd_open */, parent, 0) >= 0; }
static bool do_memfd(void) { return syscall(SYS_memfd_create, "x", 0) >= 0; }
static bool do_uring(void)
{
    char parameters[256] = {0};
    return syscall(425 /* io_uring_setup */, 4, parameters) >= 0 || (errno != ENOSYS && errno != EPERM);
}
static bool do_namespace(void) { return syscall(SYS_unshare, 0x10000000 /* a user's */) == 0; }
static bool do_chroot(void) { return chroot("/") == 0; }
static bool do_timer(void) { return syscall(SYS_timer_create, 1, NULL, &(int){0}) == 0; }
static bool do_getrlimit(void)
{
    struct rlimit r;
    return !getrlimit(RLIMIT_NOFILE, &r);
}
static bool do_memory(void)
{
    char *p = malloc(1 << 20);
    bool good = p != NULL;
    free(p);
    return good;
}
static bool do_raise(void) { return !raise(SIGCHLD); }

enum { OPEN = 1, SHUT = 2, VIEW = 4, ALONE = 8, PROGRAM = 16, ALL = 31, PLAIN = OPEN | SHUT };
static const struct attempt {
    const char *name;
    bool (*work)(void);
    int works, may; /* where it works; where that depends on the kernel, its settings or the user */
} attempts[] = {
    {"memory", do_memory, ALL, 0},
    {"getrlimit", do_getrlimit, ALL, 0},
    {"raise", do_raise, ALL, 0},
    {"read a file", do_read_file, PLAIN, 0},
    {"read /etc/passwd", do_read_system, PLAIN, 0},
    {"read its own /proc", do_read_self, PLAIN, 0},
    {"fork", do_fork, PLAIN, 0},
    {"thread", do_thread, PLAIN | PROGRAM, 0},
    {"clone", do_clone, PLAIN | PROGRAM, 0},
    {"exec", do_exec, PLAIN, 0},
    {"exec without a child", do_start, PLAIN, 0},
    {"execveat of any number", do_start_number, OPEN, 0},
    {"write a file", do_write_file, PLAIN, 0},
    {"mkdir", do_mkdir, PLAIN, 0},
    {"the flags of a descriptor", do_flags, PLAIN | PROGRAM, 0},
    {"its own name", do_name, PLAIN | PROGRAM, 0},
    {"kill", do_kill, OPEN, SHUT /* since Linux 6.12 */},
    {"tgkill", do_tgkill, OPEN, SHUT},
    {"F_SETOWN", do_own, OPEN, 0},
    {"F_SETOWN_EX", do_own_ex, OPEN, 0},
    {"F_SETSIG", do_signal_number, OPEN, 0},
    {"O_ASYNC", do_async, OPEN, 0},
    {"a lease", do_lease, OPEN, 0},
    {"FIOSETOWN", do_control_own, OPEN, 0},
    {"FIOASYNC", do_control_async, OPEN, 0},
    {"TIOCSTI", do_control_type, 0, OPEN},
    {"life after its parent", do_survive, OPEN, 0},
    {"read /etc/shadow", do_read_shadow, 0, PLAIN},
    {"the parent's memory", do_parent_memory, 0, OPEN},
    {"an inherited descriptor", do_inherited, 0, 0},
    {"flock", do_flock, 0, 0},
    {"internet", do_internet, OPEN, 0},
    {"datagram", do_datagram, OPEN, 0},
    {"socketpair", do_socketpair, OPEN, 0},
    {"semop", do_semop, OPEN, 0},
    {"msgsnd", do_msgsnd, OPEN, 0},
    {"shmat", do_shmat, OPEN, 0},
    {"fanotify", do_fanotify, 0, OPEN},
    {"inotify", do_inotify, OPEN, 0},
    {"setdomainname", do_domain, 0, OPEN},
    {"rt_sigqueueinfo", do_queue_signal, OPEN, 0},
    {"prlimit", do_prlimit, OPEN, 0},
    {"affinity", do_affinity, OPEN, 0},
    {"process_vm_readv", do_vm_read, 0, OPEN},
    {"pidfd", do_pidfd, 0, OPEN},
    {"memfd", do_memfd, OPEN, 0},
    {"io_uring", do_uring, 0, OPEN},
    {"timer", do_timer, OPEN, 0},
    {"chroot", do_chroot, 0, OPEN},
    {"namespace", do_namespace, 0, OPEN},
};
enum { ATTEMPTS = sizeof attempts / sizeof *attempts };

static int try_all(struct child *c, void *arg)
{
    (void)arg;
    for (int i = 0; i < ATTEMPTS; i++) child_put(c, attempts[i].work() ? "1" : "0", 1);
    return 0;
}

/* A child that becomes this program again, sealed as the program of an answer is. */
static int try_all_as_program(struct child *c, void *arg)
{
    (void)c;
    static const char *const folders[] = {"/bin", "/lib", "/lib64", "/usr/bin", "/usr/lib", "/usr/lib64", NULL, NULL};
    const char *reads_these[8];
    char self[300], numbers[3][32], *argv[6] = {self};
    memcpy(reads_these, folders, sizeof folders);
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = 0;
    reads_these[6] = self;
    snprintf(numbers[0], sizeof numbers[0], "%ld", (long)parent);
    snprintf(numbers[1], sizeof numbers[1], "%p", (void *)secret);
    snprintf(numbers[2], sizeof numbers[2], "%d", inherited);
    for (int i = 0; i < 3; i++) argv[i + 1] = numbers[i];
    argv[4] = folder;
    dup2(*(int *)arg, STDOUT_FILENO);
    const seal_view view = {reads_these, NULL};
    return seal_program(self, argv, &view);
}

/* That program: tells how its attempts ended, on stdout. */
static int as_program(char **argv)
{
    parent = (pid_t)atol(argv[1]);
    in_parent = strtoull(argv[2], NULL, 16);
    inherited = atoi(argv[3]);
    snprintf(folder, sizeof folder, "%s", argv[4]);
    snprintf(file, sizeof file, "%s/other.cu", folder);
    for (int i = 0; i < ATTEMPTS; i++)
        if (write(STDOUT_FILENO, attempts[i].work() ? "1" : "0", 1) != 1) return 1;
    return 0;
}

static void judge_attempts(const char *answer, size_t bytes, int where, const char *way, const char *kind)
{
    char what[200];
    /* nothing hides /proc here, and the kernel may show a process to another of the same user */
    const bool may = where == SHUT && seal_files() == SEAL_FILES_OPEN;
    for (int i = 0; i < ATTEMPTS && bytes == ATTEMPTS; i++) {
        const struct attempt *a = &attempts[i];
        if (a->may & where || (may && a->work == do_parent_memory)) continue;
        const bool expected = a->works & where;
        snprintf(what, sizeof what, "%s: %s: %s %s", way, kind, a->name, expected ? "works" : "is refused");
        check((answer[i] == '1') == expected, what);
    }
}

static void attempt_in(const struct child_limits *limits, int where, const char *way, const char *kind)
{
    struct child_result r;
    char what[200];
    int status = child_run(limits, try_all, NULL, &r);
    snprintf(what, sizeof what, "%s: %s comes to its end (%d: %s)", way, kind, status, r.message);
    check(status == EXIT_DONE && r.bytes == ATTEMPTS, what);
    judge_attempts(r.answer, r.bytes, where, way, kind);
    child_free(&r);
}

static void attempt_as_program(const char *way)
{
    struct child_result r;
    char answer[ATTEMPTS + 1], what[200];
    int fds[2];
    if (pipe(fds)) {
        check(false, "a pipe");
        return;
    }
    const struct child_limits limits = {.keeps = {fds[1]}, .seconds = 60};
    const int status = child_run(&limits, try_all_as_program, &fds[1], &r);
    close(fds[1]);
    const ssize_t n = read(fds[0], answer, sizeof answer);
    close(fds[0]);
    snprintf(what, sizeof what, "%s: a program comes to its end (%d, %d: %s)", way, status, r.status, r.message);
    check(status == EXIT_DONE && r.status == 0 && n == ATTEMPTS, what);
    /* files that are not hidden can be read */
    if (seal_files() != SEAL_FILES_OPEN) judge_attempts(answer, (size_t)n, PROGRAM, way, "a program");
    child_free(&r);
}

static int gives_up(struct child *c, void *arg)
{
    (void)c, (void)arg;
    abort();
}

static void system_calls(const char *way)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int socket_here = socket(AF_UNIX, SOCK_DGRAM, 0);
    snprintf(at.sun_path, sizeof at.sun_path, "%.90s/socket", folder);
    unlink(at.sun_path);
    if (bind(socket_here, (const struct sockaddr *)&at, sizeof at)) printf("no socket: %s\n", strerror(errno));
    queue = msgget(IPC_PRIVATE, 0600);
    set = semget(IPC_PRIVATE, 1, 0600);
    memory = shmget(IPC_PRIVATE, 4096, 0600);
    inherited = open(file, O_WRONLY | O_APPEND);
    static const char *const few[] = {"/usr/lib", NULL};
    static const seal_view view = {few, NULL};
    attempt_in(&(struct child_limits){.seal = CHILD_OPEN}, OPEN, way, "an open child");
    attempt_in(&(struct child_limits){.seal = CHILD_SHUT}, SHUT, way, "one that is shut in");
    if (seal_files() != SEAL_FILES_OPEN)
        attempt_in(&(struct child_limits){.seal = CHILD_ALONE, .view = &view}, VIEW, way,
                   "one alone that reads a few files");
    if (!SEAL_SANITIZED || seal_files() == SEAL_FILES_LANDLOCK) /* a sanitizer is let read files */
        attempt_in(&(struct child_limits){.seal = CHILD_ALONE}, ALONE, way, "one alone");
    if (SEAL_SANITIZED) skip("a program: a sanitizer cannot start without /proc");
    else attempt_as_program(way);
    struct child_result r;
    check(child_run(&(struct child_limits){.seal = CHILD_ALONE}, gives_up, NULL, &r) == EXIT_INTERNAL &&
              r.signal == SIGABRT,
          "one alone may abort");
    child_free(&r);
    msgctl(queue, IPC_RMID, NULL);
    semctl(set, 0, IPC_RMID);
    shmctl(memory, IPC_RMID, NULL);
    close(inherited);
    close(socket_here);
}

/* ---- files ---- */

/* Runs a shell command in a sealed child that may read the system's programs and write to `own`. */
static bool shell(const char *own, const char *command, const char *answer)
{
    static const char *const reads_these[] = {
        "/bin", "/lib", "/lib64", "/usr/bin", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/nowhere", NULL};
    const seal_view view = {reads_these, own};
    struct child_limits limits = {.seal = CHILD_SHUT, .view = &view, .folder = own, .seconds = 20};
    struct child_result r;
    char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, strdup(command), NULL};
    bool good = child_exec(&limits, argv, &r) == EXIT_DONE && r.answer && strstr(r.answer, answer);
    if (!good) printf("  %s: status %d, %s, \"%s\"\n", command, r.status, r.message, r.answer ? r.answer : "");
    child_free(&r);
    free(argv[2]);
    return good;
}

static void files_by(const char *way)
{
    char own[300], command[1600], what[100];
    const struct {
        const char *what, *command, *answer;
    } list[] = {
        {"its folder is read and written", "echo hello >x && mkdir y && mv x y/z && cat y/z && rm -r y", "hello"},
        {"programs run, and /dev/null is there", "echo hello >/dev/null && ls /usr/bin | grep -c . && echo fine",
         "fine"},
        {"another's file by its name", "cat %1$s || echo no", "no"},
        {"by way of /proc", "cat /proc/self/cwd/../other.cu /proc/self/root%1$s || echo no", "no"},
        {"by way of its folder's parent", "cat ../other.cu || echo no", "no"},
        {"by way of a link", "ln -s %1$s link; cat link || echo no; rm -f link", "no"},
        {"nor is it changed", "(echo x >%1$s) || echo no", "no"},
        {"nor removed", "rm %1$s || echo no", "no"},
        {"a file of the system", "cat /etc/passwd || echo no", "no"},
        {"nor are programs changed", "touch /usr/bin/mine || echo no", "no"},
    };
    snprintf(own, sizeof own, "%s/own", folder);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const char *at = list[i].command;
        size_t n = 0;
        for (; *at; at++)
            if (!strncmp(at, "%1$s", 4)) n += (size_t)snprintf(command + n, sizeof command - n, "'%s'", file), at += 3;
            else command[n++] = *at;
        command[n] = 0;
        snprintf(what, sizeof what, "%s: %s", way, list[i].what);
        bool good = shell(own, command, list[i].answer);
        struct stat s;
        check(good && !stat(file, &s) && s.st_size == 6, what);
    }
}

/* Each way in a process of its own, since it is detected once per process. */
static void each_way(void)
{
    static const struct {
        const char *name, *variable;
        enum seal_files is;
    } ways[] = {{"Landlock", "", SEAL_FILES_LANDLOCK},
                {"mounts", "mounts", SEAL_FILES_MOUNTS},
                {"files in reach", "none", SEAL_FILES_OPEN}};
    for (int i = 0; i < 3; i++) {
        case_counts counts;
        int answer[2];
        fflush(stdout);
        if (pipe(answer)) {
            check(false, "a pipe");
            return;
        }
        pid_t pid = fork();
        if (pid == 0) {
            setenv("WARPSTEP_SEAL", ways[i].variable, 1);
            if (seal_files() != ways[i].is) _exit(100);
            parent = getpid();
            in_parent = (uintptr_t)secret;
            check_restart();
            if (ways[i].is != SEAL_FILES_OPEN) files_by(ways[i].name);
            system_calls(ways[i].name);
            fflush(stdout);
            counts = check_so_far();
            _exit(write(answer[1], &counts, sizeof counts) != sizeof counts);
        }
        int status = 0;
        close(answer[1]);
        if (read(answer[0], &counts, sizeof counts) != sizeof counts) counts = (case_counts){.failed = 1};
        close(answer[0]);
        waitpid(pid, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 100) skip("files hidden by %s: not here", ways[i].name);
        else check_add(counts);
    }
}

/* ---- what is missing ---- */

static int in_no_seccomp(struct child *c, void *arg)
{
    (void)arg;
    child_put(c, do_fork() ? "1" : "0", 1);
    return 0;
}

/* Where system calls are not filtered, that is known beforehand and said. */
static void without_seccomp(void)
{
    fflush(stdout);
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        setenv("WARPSTEP_SEAL", "none no-seccomp", 1);
        struct child_result r;
        const bool said = !seal_calls() && seal_missing(0) && strstr(seal_missing(0), "seccomp") && seal_missing(1) &&
                          strstr(seal_missing(1), "Landlock") && !seal_missing(2);
        /* the variable does what it says: the child is not kept from forking */
        const bool open = child_run(&(struct child_limits){.seal = CHILD_SHUT}, in_no_seccomp, NULL, &r) == EXIT_DONE &&
                          r.bytes == 1 && *r.answer == '1';
        child_free(&r);
        _exit(!said + 2 * !open);
    }
    waitpid(pid, &status, 0);
    check(WIFEXITED(status) && !(WEXITSTATUS(status) & 1), "what is missing is said");
    check(WIFEXITED(status) && !(WEXITSTATUS(status) & 2), "a child without seccomp runs");
    if (seal_calls()) check(!seal_missing(0) || !strstr(seal_missing(0), "seccomp"), "seccomp is not missing here");
}

int main(int argc, char **argv)
{
    if (argc == 5) return as_program(argv);
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.200s/warpstep-seal-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(folder)) return 1;
    snprintf(file, sizeof file, "%s/other.cu", folder);
    FILE *f = fopen(file, "w");
    if (!f || fputs("theirs", f) < 0 || fclose(f)) return 1;
    char own[300], path[300];
    snprintf(own, sizeof own, "%s/own", folder);
    mkdir(own, 0700);
    each_way();
    without_seccomp();
    snprintf(path, sizeof path, "%s/socket", folder);
    unlink(path);
    unlink(file);
    rmdir(own);
    rmdir(folder);
    return check_end();
}
#else
int main(void)
{
    skip("the seal: this system has none");
    return 77;
}
#endif
