/* wrong_calls.c: calls of CUDA that are wrong (wrong_cases.h), each in a process of its own: what they answer, and that
 * the program goes on. wrong-calls.sh runs it under exec; tests/gpu/wrong-calls.sh on a real card, and compares.
 *
 *     wrong_calls KERNELS.PTX [NUMBER | zeros | zeros-ready]
 *
 * For each it prints a line: its number, the code, what the call was; and what is not as it should be.
 * Each says where the expected answer is from:
 *   DOC    NVIDIA's documentation of the call names the code, or says that there is nothing to complain about
 *   KNOWN  an H200 with CUDA 13 answered so, where the documentation names several codes, none, or another one
 *   OURS   undefined: on that H200 the call ended the process, or took effect and later calls failed with 700. Ours
 *          refuses it at once, with this code
 * After each call the same process allocates, copies, launches and reads back. Where a kernel went wrong (the last
 * part) every later call must answer with the same code instead.
 *
 * zeros calls every function whose name is on stdin with NULL, 0, or no stream for all that it takes; zeros-ready does
 * so when CUDA has begun. None may end the process. This is asked of our libraries alone.
 *
 * The libraries are loaded at run time, as Python's modules do it, so the same file runs on both. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ABSENT = -2, PATIENCE = 600 /* seconds: longer than the slowest machine takes */ };
enum { BY_DOC = 1 << 16, BY_CARD = 2 << 16, BY_US = 3 << 16 };
#define DOC(code)   (BY_DOC | (code))
#define KNOWN(code) (BY_CARD | (code))
#define OURS(code)  (BY_US | (code))

/* ---- the libraries ---- */
static void *runtime, *driver;
static int absent() { return ABSENT; }
static int (*fn(const char *name))()
{
    void *library = strstr(name, "cuda") ? runtime : driver, *at = library ? dlsym(library, name) : NULL;
    int (*f)() = absent; /* also where the cases are only counted */
    if (at) memcpy(&f, &at, sizeof f);
    return f;
}
#define F(name) fn(#name)
#define N(x)    ((size_t)(x))         /* nothing says what the calls take, so it has to be said here */
#define D(x)    ((unsigned long long)(x))
#define P(x)    ((void *)(uintptr_t)(x))
#define NIL     ((void *)0)

static void open_libraries(void)
{
    static const char *const names[] = {"libcudart.so.13", "libcudart.so.12", "libcudart.so"};
    for (int i = 0; i < 3 && !runtime; i++) runtime = dlopen(names[i], RTLD_NOW | RTLD_GLOBAL);
    driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (runtime && driver) return;
    fprintf(stderr, "%s\n", dlerror());
    exit(77);
}

/* ---- kernels, as nvcc embeds them: a fat binary of one entry of PTX ---- */
static struct {
    unsigned magic, version;
    const void *data;
    void *more;
} wrapper = {0x466243b1, 1, NULL, NULL};
static char *ptx;
static size_t ptx_bytes;
static void needs_shared(void) {}
static void far_away(void) {}
static void misaligned(void) {}
static void asserts(void) {}
static void nothing_like_it(void) {}
static void never_registered(void) {}
static int table[4], factors[2], unknown_symbol;

static void read_kernels(const char *path)
{
    FILE *f = fopen(path, "r");
    ptx = calloc(1, 1 << 20);
    if (!f || !ptx || !(ptx_bytes = fread(ptx, 1, (1 << 20) - 9, f))) exit(9);
    fclose(f);
    struct {
        unsigned magic;
        unsigned short version, header;
        unsigned long long bytes;
        unsigned short kind, entry_version;
        unsigned entry_header;
        unsigned long long content;
        unsigned packed, options;
        unsigned short minor, major;
        unsigned arch, name, name_bytes;
        unsigned long long flags, zero, whole, more[2];
    } head = {0xba55ed50, 1, 16, 0, 1, 0x101, 80, 0, 0, 64, 0, 9, 75, 0, 0, 0x11, 0, 0, {72, 0}};
    _Static_assert(sizeof head == 16 + 80, "as nvcc 13 writes it");
    head.content = (ptx_bytes + 1 + 7) / 8 * 8;
    head.bytes = 80 + head.content;
    char *all = calloc(1, sizeof head + head.content);
    if (!all) exit(9);
    memcpy(all, &head, sizeof head);
    memcpy(all + sizeof head, ptx, ptx_bytes);
    wrapper.data = all;
}

static void register_kernels(void)
{
    void **(*begin)(void *) = (void **(*)(void *))fn("__cudaRegisterFatBinary");
    void **h = begin(&wrapper);
    struct {
        void (*at)(void);
        const char *name;
    } k[] = {{needs_shared, "needs_shared"}, {far_away, "far_away"}, {misaligned, "misaligned"},
             {asserts, "asserts"},           {nothing_like_it, "nothing_like_it"}};
    for (size_t i = 0; i < sizeof k / sizeof *k; i++)
        F(__cudaRegisterFunction)(h, (void *)k[i].at, k[i].name, k[i].name, -1, NIL, NIL, NIL, NIL, NIL);
    F(__cudaRegisterVar)(h, table, "table", "table", 0, sizeof table, 0, 0);
    F(__cudaRegisterVar)(h, factors, "factors", "factors", 0, sizeof factors, 1, 0);
    F(__cudaRegisterFatBinaryEnd)(h);
}

/* ---- one case a line ---- */
static int at, wanted, to_parent;
static struct result {
    enum { BEFORE, ANSWERED, WENT_ON } stage;
    char what[100], name[48];
    int want, got;
    int last;      /* what cudaGetLastError answers */
    int after;     /* what the first call that fails answers, of those that follow */
} r;
static void show(int stage) /* the process may end before it comes to the next one */
{
    r.stage = stage;
    if (write(to_parent, &r, sizeof r) != sizeof r) exit(9);
}
#define CASE(text, code, ...)                                  \
    if (++at == wanted) {                                      \
        snprintf(r.what, sizeof r.what, "%s: %s", part, text); \
        r.want = (code);                                       \
        show(BEFORE);                                          \
        r.got = (__VA_ARGS__);                                 \
    }

#include "wrong_cases.h"

/* ---- does the process go on? ---- */
static int goes_on(void)
{
    int *d, seen[32], code;
    memset(seen, 0, sizeof seen);
    F(cuCtxSetCurrent)(NIL); /* the runtime takes its own */
    if ((code = F(cudaMalloc)(&d, N(B)))) return code;
    if ((code = F(cudaMemset)(d, 0, N(B)))) return code;
    void *args[] = {&d};
    code = F(cudaLaunchKernel)((void *)needs_shared, (dim3){1, 1, 1}, (dim3){32, 1, 1}, args, N(128), NIL);
    if (code || (code = F(cudaMemcpy)(seen, d, sizeof seen, OUT))) return code;
    for (int i = 0; i < 32; i++)
        if (seen[i] != 31 - i) return 999;
    return F(cudaFree)(d);
}
static int says_the_same(void)
{
    const int code = F(cudaMalloc)(&out, N(4));
    return code == r.got ? 0 : code ? code : 999;
}

static const struct {
    void (*cases)(void);
    int (*after)(void);
    int counts_last; /* the last error is what the call answered */
} parts[] = {{memory, goes_on, 1},   {copies, goes_on, 1},      {devices, goes_on, 1},    {streams, goes_on, 1},
             {launches, goes_on, 1}, {first_calls, goes_on, 0}, {of_driver, goes_on, 0}, {kernels, says_the_same, 0}};
enum { PARTS = sizeof parts / sizeof *parts };
static int counted[PARTS]; /* cases up to the end of each */

static void one(int number)
{
    alarm(PATIENCE);
    wanted = number;
    open_libraries();
    register_kernels();
    for (int i = 0; i < PARTS; i++) {
        if (counted[i] < number) continue;
        at = i ? counted[i - 1] : 0;
        parts[i].cases();
        const char *(*name)(int) = (const char *(*)(int))fn("cudaGetErrorName");
        snprintf(r.name, sizeof r.name, "%s", r.got == ABSENT ? "absent" : name(r.got));
        show(ANSWERED);
        r.last = F(cudaGetLastError)();
        if (!parts[i].counts_last || ended_capture || r.got < 0) r.last = r.got;
        r.after = parts[i].after();
        show(WENT_ON);
        break;
    }
    exit(0);
}

/* What is not as it should be; "": all is. */
static void judge(char *wrong, size_t size, const struct result *s, int status)
{
    const int code = s->want & 0xffff;
    size_t n = 0;
    *wrong = 0;
#define WRONG(...) n += (size_t)snprintf(wrong + n, size - n, __VA_ARGS__)
    if (s->stage != BEFORE && s->got != code) WRONG("; %d was expected", code);
    if (s->stage == WENT_ON && s->last != s->got) WRONG("; the last error is %d", s->last);
    if (s->stage == WENT_ON && s->after) WRONG("; then a right call answers %d", s->after);
    if (s->stage == BEFORE) WRONG("; the call ends the process");
    if (s->stage == ANSWERED) WRONG("; what follows ends the process");
    if (WIFSIGNALED(status)) WRONG("; signal %d", WTERMSIG(status));
    else if (status) WRONG("; exit status %d", WEXITSTATUS(status));
}

static int tell(int number, pid_t child, int from)
{
    struct result seen = {.stage = BEFORE, .what = "?"};
    int status = 0;
    while (read(from, &seen, sizeof seen) == sizeof seen) {} /* a pipe keeps what is this short in one piece */
    close(from);
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) exit(77);
    char wrong[200];
    judge(wrong, sizeof wrong, &seen, status);
    if (seen.stage == BEFORE) seen.got = -1, strcpy(seen.name, "-");
    static const char *const sources[] = {"?", "documented", "known", "ours"};
    const char *source = sources[seen.want >> 16];
    printf("%3d %4d %-34s %-10s %s%s\n", number, seen.got, seen.name, source, seen.what, wrong);
    fflush(stdout);
    return *wrong != 0;
}

/* Every function whose name is on stdin with zeros for all that it takes, one after the other in one process, and in
 * another one from where that ended. `*now`: the call in progress, shared with the process that makes it. */
static char names[4000][80];
static void with_zeros(volatile int *now, int count, int ready)
{
    open_libraries();
    register_kernels();
    if (ready) context(), F(cudaFree)(NIL);
    for (int i = *now; i < count; i++) {
        *now = i;
        alarm(PATIENCE);
        fn(names[i])(D(0), D(0), D(0), D(0), D(0), D(0), D(0), D(0), D(0), D(0), D(0), D(0));
    }
    *now = count;
    _exit(0);
}
static int all_with_zeros(int ready)
{
    volatile int *now = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int count = 0, bad = 0, status;
    while (count < 4000 && scanf("%79s", names[count]) == 1) count++;
    for (*now = 0; *now < count; (*now)++) {
        const pid_t child = fork();
        if (child < 0) return 9;
        if (!child) with_zeros(now, count, ready);
        waitpid(child, &status, 0);
        if (*now == count) break;
        printf("%s with zeros %s %d\n", names[*now], WIFSIGNALED(status) ? "ends by signal" : "exits with",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        bad++;
    }
    printf("%d functions, %d of them end the process\n", count, bad);
    return bad != 0 || !count;
}

int main(int argc, char **argv)
{
    if (argc < 2) return 9;
    read_kernels(argv[1]);
    if (argc > 2 && !strcmp(argv[2], "zeros")) return all_with_zeros(0);
    if (argc > 2 && !strcmp(argv[2], "zeros-ready")) return all_with_zeros(1);
    for (int i = 0; i < PARTS; i++) parts[i].cases(), counted[i] = at; /* none is wanted yet */
    const int all = at, only = argc > 2 ? atoi(argv[2]) : 0;
    int wrong = 0;
    for (int i = only ? only : 1; i <= (only ? only : all); i++) {
        int ends[2];
        if (pipe(ends)) return 9;
        const pid_t child = fork();
        if (child < 0) return 9;
        if (!child) close(ends[0]), to_parent = ends[1], one(i);
        close(ends[1]);
        wrong += tell(i, child, ends[0]);
    }
    printf("%d of %d calls are not as expected\n", wrong, only ? 1 : all);
    return wrong != 0;
}
