/* fail.c: a library for LD_PRELOAD that makes one call fail, as if memory, the disk or the process
 * table were full at that moment: the n-th call of this program and of the processes that it forks.
 *
 *
 * All these processes share one count, in a file that each maps. So each call of a session fails
 * once, in whichever process it happens, and never two at once. A program started by exec (a
 * compiler) is not counted: how other programs behave without memory is not ours to fix.
 *
 *     FAIL_FILE=PATH    the file, of sizeof(struct fail_page) zeros but for what fail.h says
 */
#define _GNU_SOURCE
#include "fail.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <execinfo.h>
#endif

static struct fail_page *page; /* NULL: nothing fails */
static char arena[1 << 16];    /* for what is wanted before the real functions are known */
static size_t arena_used;

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

/* Not through a call of ours, which would be counted. */
__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("FAIL_FILE"), *own = getenv("FAIL_PROGRAM");
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n > 0) self[n] = 0;
    if (!path || !own || n <= 0 || strcmp(self, own)) return;
    int (*real_open)(const char *, int, ...) = (int (*)(const char *, int, ...))next("open");
    void *(*real_mmap)(void *, size_t, int, int, int, off_t) =
        (void *(*)(void *, size_t, int, int, int, off_t))next("mmap");
    int fd = real_open(path, O_RDWR);
    if (fd < 0) return;
#ifdef __GLIBC__
    void *frame[2];
    backtrace(frame, 2); /* loads what it needs */
#endif
    void *map = real_mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    unsetenv("LD_PRELOAD"); /* what is started by exec has no use for it, and may be kept from this file */
    if (map != MAP_FAILED) page = map;
}

/* Is this call the one? */
static int fails(const char *what, int why)
{
    if (!page) return 0;
    long n = atomic_fetch_add(&page->count, 1) + 1;
    if (n != page->at) return 0;
    struct fail_page *p = page;
    page = NULL; /* what follows here is not counted */
    snprintf(p->what, sizeof p->what, "%s", what);
#ifdef __GLIBC__
    void *frame[FAIL_FRAMES];
    int frames = backtrace(frame, FAIL_FRAMES);
    Dl_info base, here;
    if (dladdr(dlsym(RTLD_DEFAULT, "main"), &base) == 0) base.dli_fbase = NULL;
    for (int i = 1; i < frames; i++)
        if (dladdr(frame[i], &here)) {
            size_t used = strlen(p->where);
            const char *file = strrchr(here.dli_fname, '/');
            snprintf(p->where + used, sizeof p->where - used, " %s+0x%lx", file ? file + 1 : here.dli_fname,
                     (unsigned long)((char *)frame[i] - (char *)here.dli_fbase));
        }
#endif
    page = p;
    errno = why;
    return 1;
}

#define REAL(name)                 \
    static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))next(#name)

static void *from_arena(size_t bytes)
{
    bytes = (bytes + 15) & ~(size_t)15;
    if (bytes > sizeof arena - arena_used) return NULL;
    arena_used += bytes;
    return arena + arena_used - bytes;
}
static int in_arena(const void *p) { return (const char *)p >= arena && (const char *)p < arena + sizeof arena; }

static __thread int looking; /* dlsym allocates */

void *malloc(size_t n)
{
    static __typeof__(&malloc) real;
    if (!real) {
        if (looking) return from_arena(n);
        looking = 1, real = (__typeof__(&malloc))next("malloc"), looking = 0;
    }
    return fails("malloc", ENOMEM) ? NULL : real(n);
}

void *calloc(size_t k, size_t n)
{
    static __typeof__(&calloc) real;
    if (!real) {
        if (looking) return from_arena(k * n);
        looking = 1, real = (__typeof__(&calloc))next("calloc"), looking = 0;
    }
    return fails("calloc", ENOMEM) ? NULL : real(k, n);
}

void *realloc(void *p, size_t n)
{
    static __typeof__(&realloc) real;
    if (!real) looking = 1, real = (__typeof__(&realloc))next("realloc"), looking = 0;
    if (in_arena(p)) {
        void *q = malloc(n);
        if (q) memcpy(q, p, n < 256 ? n : 256);
        return q;
    }
    return fails("realloc", ENOMEM) ? NULL : real(p, n);
}

void free(void *p)
{
    static __typeof__(&free) real;
    if (in_arena(p)) return;
    if (!real) looking = 1, real = (__typeof__(&free))next("free"), looking = 0;
    real(p);
}

int posix_memalign(void **out, size_t alignment, size_t n)
{
    REAL(posix_memalign);
    return fails("posix_memalign", ENOMEM) ? ENOMEM : real(out, alignment, n);
}

void *aligned_alloc(size_t alignment, size_t n)
{
    REAL(aligned_alloc);
    return fails("aligned_alloc", ENOMEM) ? NULL : real(alignment, n);
}

/* ---- files ---- */

#define OPEN(name)                                                                          \
    int name(const char *path, int flags, ...)                                              \
    {                                                                                       \
        REAL(name);                                                                         \
        va_list args;                                                                       \
        va_start(args, flags);                                                              \
        mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;                           \
        va_end(args);                                                                       \
        return fails(#name, flags & O_CREAT ? ENOSPC : EIO) ? -1 : real(path, flags, mode); \
    }
OPEN(open)
#define FOPEN(name)                                                                 \
    FILE *name(const char *path, const char *mode)                                  \
    {                                                                               \
        REAL(name);                                                                 \
        return fails(#name, *mode == 'r' ? EIO : ENOSPC) ? NULL : real(path, mode); \
    }
FOPEN(fopen)
#ifdef __GLIBC__
#undef open64
#undef fopen64
OPEN(open64)
FOPEN(fopen64)
#endif

/* NAME, what it returns, what it returns when it fails, errno, (parameters), (arguments) */
#define CALL(name, type, bad, why, parameters, arguments)  \
    type name parameters                                   \
    {                                                      \
        REAL(name);                                        \
        return fails(#name, why) ? (bad) : real arguments; \
    }
CALL(read, ssize_t, -1, EIO, (int fd, void *p, size_t n), (fd, p, n))
CALL(write, ssize_t, -1, ENOSPC, (int fd, const void *p, size_t n), (fd, p, n))
CALL(pread, ssize_t, -1, EIO, (int fd, void *p, size_t n, off_t at), (fd, p, n, at))
CALL(recv, ssize_t, -1, ENOMEM, (int fd, void *p, size_t n, int flags), (fd, p, n, flags))
CALL(send, ssize_t, -1, ENOBUFS, (int fd, const void *p, size_t n, int flags), (fd, p, n, flags))
CALL(fsync, int, -1, EIO, (int fd), (fd))
CALL(ftruncate, int, -1, EIO, (int fd, off_t n), (fd, n))
CALL(fstat, int, -1, EIO, (int fd, struct stat *s), (fd, s))
CALL(mkdir, int, -1, ENOSPC, (const char *path, mode_t mode), (path, mode))
CALL(rename, int, -1, ENOSPC, (const char *from, const char *to), (from, to))
CALL(link, int, -1, ENOSPC, (const char *from, const char *to), (from, to))
CALL(symlink, int, -1, ENOSPC, (const char *from, const char *to), (from, to))
CALL(mkdtemp, char *, NULL, ENOSPC, (char *path), (path))
CALL(opendir, DIR *, NULL, ENOMEM, (const char *path), (path))
CALL(realpath, char *, NULL, EIO, (const char *path, char *out), (path, out))
CALL(chdir, int, -1, EIO, (const char *path), (path))

/* What it holds is lost when it fails, as on a full disk. */
int fclose(FILE *f)
{
    REAL(fclose);
    if (!fails("fclose", ENOSPC)) return real(f);
    int at = errno;
    real(f);
    errno = at;
    return EOF;
}

/* Streams see it as they would see a full disk: for a moment their descriptor takes nothing. */
struct broken {
    int fd, kept;
};
static struct broken spoil(FILE *f, int flags)
{
    struct broken b = {fileno(f), -1};
    struct fail_page *p = page;
    page = NULL; /* not counted */
    int none = open("/dev/null", flags);
    if (none >= 0 && (b.kept = dup(b.fd)) >= 0) dup2(none, b.fd);
    if (none >= 0) close(none);
    page = p;
    return b;
}
static void mend(struct broken b, int why)
{
    struct fail_page *p = page;
    page = NULL;
    if (b.kept >= 0) {
        dup2(b.kept, b.fd);
        close(b.kept);
    }
    page = p;
    errno = why;
}

int fflush(FILE *f)
{
    REAL(fflush);
    if (!f || !fails("fflush", ENOSPC)) return real(f);
    struct broken b = spoil(f, O_RDONLY);
    int got = real(f);
    mend(b, ENOSPC);
    return got;
}

size_t fwrite(const void *data, size_t size, size_t n, FILE *f)
{
    REAL(fwrite);
    if (!fails("fwrite", ENOSPC)) return real(data, size, n, f);
    struct broken b = spoil(f, O_RDONLY);
    size_t got = real(data, size, n, f);
    if (((int (*)(FILE *))next("fflush"))(f)) got = 0;
    mend(b, ENOSPC);
    return got;
}

size_t fread(void *data, size_t size, size_t n, FILE *f)
{
    REAL(fread);
    if (!fails("fread", EIO)) return real(data, size, n, f);
    struct broken b = spoil(f, O_WRONLY);
    size_t got = real(data, size, n, f);
    mend(b, EIO);
    return got;
}

/* ---- processes and memory ---- */
CALL(fork, pid_t, -1, EAGAIN, (void), ())
CALL(pipe, int, -1, EMFILE, (int fd[2]), (fd))
CALL(socketpair, int, -1, EMFILE, (int d, int type, int protocol, int fd[2]), (d, type, protocol, fd))
CALL(dup2, int, -1, EIO, (int from, int to), (from, to))
CALL(mmap, void *, MAP_FAILED, ENOMEM, (void *at, size_t n, int prot, int flags, int fd, off_t from),
     (at, n, prot, flags, fd, from))
CALL(pthread_create, int, EAGAIN, EAGAIN, (pthread_t * t, const pthread_attr_t *a, void *(*f)(void *), void *arg),
     (t, a, f, arg))
