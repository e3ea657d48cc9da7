/* seal.c: what a sealed child can reach, one line each: tried in an open child, where everything
 * works that a plain user may do, and in each kind of sealed child. Then which files a sealed child
 * sees, with each way of hiding files that this kernel has. */
#define _GNU_SOURCE
#include "shell/child.h"
#include "shell/seal_own.h"
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

static int passed, failures, skipped;

static void check(bool ok, const char *what)
{
    if (ok) passed++;
    else failures++, printf("FAIL %s\n", what);
}

#if SEALED_HERE
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>

/* ---- attempts; each returns true when it worked ---- */

static char folder[256], file[300]; /* the folder of the test, and somebody's file in it */
static char secret[] = "a secret in the parent's memory";
static int inherited, queue, set, memory; /* of the parent: a descriptor, a queue, semaphores, memory */
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
    return fd >= 0 && pread(fd, text, sizeof text, (off_t)(uintptr_t)secret) == (ssize_t)sizeof text &&
           !strcmp(text, secret);
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
static bool do_own(void) { return fcntl(STDERR_FILENO, 8 /* F_SETOWN */, parent) == 0; }
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
    } to = {text, sizeof text}, from = {secret, sizeof secret};
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

enum { OPEN = 1, SHUT = 2, VIEW = 4, ALONE = 8, ROOT = 16, MAYBE = 32 };
static const struct attempt {
    const char *name;
    bool (*work)(void);
    int where; /* where it works; ROOT: in an open child of a superuser; MAYBE: even there not always */
} attempts[] = {
    {"memory", do_memory, OPEN | SHUT | VIEW | ALONE},
    {"getrlimit", do_getrlimit, OPEN | SHUT | VIEW | ALONE},
    {"raise", do_raise, OPEN | SHUT | VIEW | ALONE},
    {"read a file", do_read_file, OPEN | SHUT},
    {"read /etc/passwd", do_read_system, OPEN | SHUT},
    {"read its own /proc", do_read_self, OPEN | SHUT},
    {"fork", do_fork, OPEN | SHUT},
    {"thread", do_thread, OPEN | SHUT},
    {"clone", do_clone, OPEN | SHUT},
    {"exec", do_exec, OPEN | SHUT},
    {"write a file", do_write_file, OPEN | SHUT},
    {"mkdir", do_mkdir, OPEN | SHUT},
    {"kill", do_kill, OPEN | SHUT},
    {"tgkill", do_tgkill, OPEN | SHUT},
    {"F_SETOWN", do_own, OPEN | SHUT},
    {"read /etc/shadow", do_read_shadow, SHUT | ROOT | MAYBE},
    {"the parent's memory", do_parent_memory, ROOT | MAYBE},
    {"an inherited descriptor", do_inherited, 0},
    {"flock", do_flock, 0},
    {"internet", do_internet, OPEN},
    {"datagram", do_datagram, OPEN},
    {"socketpair", do_socketpair, OPEN},
    {"semop", do_semop, OPEN},
    {"msgsnd", do_msgsnd, OPEN},
    {"shmat", do_shmat, OPEN},
    {"fanotify", do_fanotify, OPEN | MAYBE},
    {"inotify", do_inotify, OPEN},
    {"setdomainname", do_domain, ROOT | MAYBE},
    {"rt_sigqueueinfo", do_queue_signal, OPEN},
    {"prlimit", do_prlimit, OPEN},
    {"affinity", do_affinity, OPEN},
    {"process_vm_readv", do_vm_read, ROOT | MAYBE},
    {"pidfd", do_pidfd, OPEN | MAYBE},
    {"memfd", do_memfd, OPEN},
    {"io_uring", do_uring, OPEN | MAYBE},
    {"timer", do_timer, OPEN},
    {"chroot", do_chroot, ROOT | MAYBE},
    {"namespace", do_namespace, OPEN | MAYBE},
};
enum { ATTEMPTS = sizeof attempts / sizeof *attempts };

static int try_all(struct child *c, void *arg)
{
    (void)arg;
    for (int i = 0; i < ATTEMPTS; i++) child_put(c, attempts[i].work() ? "1" : "0", 1);
    return 0;
}

static void attempt_in(const struct child_limits *limits, int where, const char *kind)
{
    struct child_result r;
    char what[200];
    int status = child_run(limits, try_all, NULL, &r);
    snprintf(what, sizeof what, "%s comes to its end (%d: %s)", kind, status, r.message);
    check(status == EXIT_DONE && r.bytes == ATTEMPTS, what);
    for (int i = 0; i < ATTEMPTS && r.bytes == ATTEMPTS; i++) {
        bool expected = attempts[i].where & (where | (where == OPEN && geteuid() == 0 ? ROOT : 0));
        if (expected && attempts[i].where & MAYBE) continue;
        snprintf(what, sizeof what, "%s: %s %s", kind, attempts[i].name, expected ? "works" : "is refused");
        check((r.answer[i] == '1') == expected, what);
    }
    child_free(&r);
}

static int gives_up(struct child *c, void *arg)
{
    (void)c, (void)arg;
    abort();
}

static void system_calls(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int socket_here = socket(AF_UNIX, SOCK_DGRAM, 0);
    snprintf(at.sun_path, sizeof at.sun_path, "%.90s/socket", folder);
    if (bind(socket_here, (const struct sockaddr *)&at, sizeof at)) printf("no socket: %s\n", strerror(errno));
    queue = msgget(IPC_PRIVATE, 0600);
    set = semget(IPC_PRIVATE, 1, 0600);
    memory = shmget(IPC_PRIVATE, 4096, 0600);
    inherited = open(file, O_WRONLY | O_APPEND);
    static const char *const few[] = {"/usr/lib", NULL};
    static const seal_view view = {few, NULL};
    attempt_in(&(struct child_limits){.seal = CHILD_OPEN}, OPEN, "an open child");
    attempt_in(&(struct child_limits){.seal = CHILD_SHUT}, SHUT, "one that is shut in");
    attempt_in(&(struct child_limits){.seal = CHILD_ALONE, .view = &view}, VIEW, "one alone that reads a few files");
    attempt_in(&(struct child_limits){.seal = CHILD_ALONE}, ALONE, "one alone");
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

static int files_by(const char *way)
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
    printf("%d passed, %d failed\n", passed, failures);
    fflush(stdout);
    return failures;
}

/* Each way in a process of its own, since it is detected once per process. */
static void files(void)
{
    static const struct {
        const char *name, *variable;
        enum seal_files is;
    } ways[] = {{"Landlock", "", SEAL_FILES_LANDLOCK}, {"mounts", "mounts", SEAL_FILES_MOUNTS}};
    for (int i = 0; i < 2; i++) {
        int status = 0;
        fflush(stdout);
        pid_t pid = fork();
        if (pid == 0) {
            setenv("WARPSTEP_SEAL", ways[i].variable, 1);
            if (seal_files() != ways[i].is) _exit(100);
            passed = failures = 0;
            _exit(files_by(ways[i].name) != 0);
        }
        waitpid(pid, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 100)
            skipped++, printf("SKIP files hidden by %s: not here\n", ways[i].name);
        else if (WIFEXITED(status) && !WEXITSTATUS(status)) passed += 10;
        else failures++;
    }
}

int main(void)
{
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.200s/warpstep-seal-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(folder)) return 1;
    snprintf(file, sizeof file, "%s/other.cu", folder);
    FILE *f = fopen(file, "w");
    if (!f || fputs("theirs", f) < 0 || fclose(f)) return 1;
    char own[300], path[300];
    snprintf(own, sizeof own, "%s/own", folder);
    mkdir(own, 0700);
    parent = getpid();
    files();
    system_calls();
    snprintf(path, sizeof path, "%s/socket", folder);
    unlink(path);
    unlink(file);
    rmdir(own);
    rmdir(folder);
    printf("%d passed, %d failed, %d skipped\n", passed, failures, skipped);
    return failures > 0;
}
#else
int main(void)
{
    (void)check, (void)passed;
    printf("SKIP the seal: this system has none\n");
    return 77;
}
#endif
