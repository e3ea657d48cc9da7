/* core.c: the one lock, the devices, and what a thread has chosen. */
#define _GNU_SOURCE
#include "core.h"
#include "list.h"
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

pthread_mutex_t core_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t core_done = PTHREAD_COND_INITIALIZER;
core_settings core_options;

static device devices[DEVICES_MOST];
static sim_card card;
static int started; /* a code + 1 */
_Thread_local bool core_worker;
static bool forked;              /* a child of a process that used CUDA: as with a real driver, nothing works in it */
static _Thread_local int chosen; /* the device */
static _Thread_local bool none_chosen = true;
static bool ever_chosen;

static const struct {
    int code;
    const char *runtime, *driver, *text;
} errors[] = {
    {0, "cudaSuccess", "CUDA_SUCCESS", "no error"},
#define ERROR(code, name, driver, text) {code, "cudaError" #name, "CUDA_ERROR_" #driver, text},
#include "errors.def"
#undef ERROR
};

const char *core_error_name(int code, bool driver)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == code)
            return !driver ? errors[i].runtime : strcmp(errors[i].driver, "CUDA_ERROR_NONE") ? errors[i].driver : NULL;
    return NULL;
}

const char *core_error_text(int code)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == code) return errors[i].text;
    return NULL;
}

/* ---- starting: what `exec` said ---- */

/* A sealed program opens no files of other processes: there "fd:N" names one that it has already. */
static int open_said(const char *path, int how)
{
    return strncmp(path, "fd:", 3) ? open(path, how | O_CLOEXEC) : fcntl(atoi(path + 3), F_DUPFD_CLOEXEC, 3);
}

static char *whole_file(const char *path)
{
    int fd = open_said(path, O_RDONLY);
    struct stat st;
    char *text = NULL;
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size < 1 << 20 && (text = calloc(1, (size_t)st.st_size + 1)) != NULL)
        for (ssize_t n, at = 0; at < st.st_size && (n = pread(fd, text + at, (size_t)(st.st_size - at), at)) > 0;
             at += n) {}
    if (fd >= 0) close(fd);
    return text;
}

/* WARPSTEP_EXEC holds words: records=PATH card=PATH name=NAME cards=N checks=BITS time=WHAT budget=N ... */
static int read_options(void)
{
    const char *said = getenv("WARPSTEP_EXEC");
    if (!said) return E_NoDevice;
    char *words = strdup(said), *rest = words, name[32] = "card", *text = NULL;
    core_options = (core_settings){.cards = 1, .timed = true};
    for (char *word; words && (word = strtok_r(rest, " ", &rest)) != NULL;) {
        char *value = strchr(word, '=');
        if (!value) continue;
        *value++ = 0;
        if (!strcmp(word, "cards")) core_options.cards = atoi(value);
        if (!strcmp(word, "checks")) core_options.checks = (unsigned)strtoul(value, NULL, 10) & SIM_CHECK_ALL;
        if (!strcmp(word, "silent")) core_options.silent = true;
        if (!strcmp(word, "events")) core_options.events = true;
        if (!strcmp(word, "lines")) core_options.lines = true;
        if (!strcmp(word, "exact")) core_options.exact = true;
        if (!strcmp(word, "counts")) core_options.counts = true;
        if (!strcmp(word, "budget")) core_options.budget = strtoull(value, NULL, 10);
        if (!strcmp(word, "spoil")) core_options.spoil = strtoull(value, NULL, 10);
        if (!strcmp(word, "time")) {
            core_options.timed = strcmp(value, "none");
            core_options.repeatable = !strcmp(value, "repeatable");
        }
        if (!strcmp(word, "name")) snprintf(name, sizeof name, "%s", value);
        if (!strcmp(word, "card")) text = whole_file(value);
        if (!strcmp(word, "snapshots")) snapshots_open(value);
        if (!strcmp(word, "records")) record_open(open_said(value, O_WRONLY | O_APPEND));
    }
    free(words);
    sim_error err;
    const bool fine = text && !sim_card_read(&card, text, name, &err);
    free(text);
    if (!fine) return E_NoDevice;
    if (core_options.cards < 0 || core_options.cards > DEVICES_MOST) core_options.cards = 1;
    if (!card.timing.known) core_options.timed = false;
    return E_OK;
}

/* ---- calls within calls ----
 * A signal's handler may call CUDA while the same thread is in a call already. If that one only waits for the card, it
 * has let go of the lock, and the handler's call is like another thread's. If it is at work, it has the lock and cannot
 * go on before the handler returns: then the handler's call is refused, where it would wait for ever. */
enum { CALLS = 16, PATIENCE_NS = 200000, PATIENCE_TIMES = 1000 };
static _Thread_local int level; /* how often the thread has taken the lock, or waits for it */
static _Thread_local bool resting;
static _Thread_local bool in_vain; /* a handler's call has waited as long as it may, within this rest */
static _Thread_local int calls; /* that the thread is in; those that were refused: */
static _Thread_local bool refused[CALLS];
static atomic_int refused_in_handlers;
static _Thread_local int cancels; /* what pthread_setcancelstate said */

int core_rest(const struct timespec *until)
{
    const bool before = resting;
    resting = true;
    const int code =
        until ? pthread_cond_timedwait(&core_done, &core_lock, until) : pthread_cond_wait(&core_done, &core_lock);
    resting = before;
    in_vain = false;
    return code;
}

bool core_take(void)
{
    if (!level++) return !pthread_mutex_lock(&core_lock);
    bool taken = false;
    const int times = !resting ? 0 : in_vain ? 1 : PATIENCE_TIMES;
    for (int i = 0; !taken && i < times; i++) { /* another thread may have it for a moment */
        if (i) nanosleep(&(struct timespec){.tv_nsec = PATIENCE_NS}, NULL);
        taken = !pthread_mutex_trylock(&core_lock);
    }
    /* Or this thread has it: its rest has just ended. If every handler waited for that, those of a timer would leave it
     * no time to go on. */
    in_vain = resting && !taken;
    if (!taken) level--;
    return taken;
}

void core_give(void)
{
    pthread_mutex_unlock(&core_lock);
    if (level) level--; /* not in a child */
}

static void in_child(void)
{
    pthread_mutex_init(&core_lock, NULL);
    pthread_cond_init(&core_done, NULL);
    forked = started != 0;
    level = 0;
}
static _Thread_local bool forks; /* with the lock */
static void before_fork(void) { forks = core_take(); }
static void in_parent(void)
{
    if (forks) core_give();
}

/* The program returned from main or called exit: what it asked for and did not wait for is
 * performed all the same, for the report, but no longer than that. */
enum { LAST_SECONDS = 5 };
static void at_end(void)
{
    if (forked || started != 1) return;
    const int lost = refused_in_handlers;
    if (lost)
        record_note(
            "%d calls of CUDA by a signal's handler were refused (cudaErrorNotPermitted): the signal came within "
            "another call of the same thread",
            lost);
    const double begin = time_real();
    while (!core_worker) { /* exit within a callback: what is under way cannot end */
        bool idle = true;
        if (!core_take()) break; /* exit in a signal's handler, likewise */
        for (int i = 0; i < DEVICES_MOST; i++) idle = idle && devices[i].done == devices[i].asked;
        core_give();
        if (idle || time_real() - begin > LAST_SECONDS) break;
        nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL); /* in earnest: --wrap */
    }
    record_end();
}

int core_begin(void)
{
    const int before = calls++;
    if (!before && !core_worker) pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancels); /* it would keep the lock */
    if (!forked && !core_worker) time_inside();
    const bool taken = core_take();
    if (before < CALLS) refused[before] = !taken;
    if (!taken) {
        refused_in_handlers++;
        return E_NotPermitted;
    }
    if (forked) return E_InitializationError;
    if (core_worker) return E_NotPermitted; /* within a callback: waiting for the card would wait for itself */
    if (!started) {
        const int code = read_options();
        started = code + 1;
        pthread_atfork(before_fork, in_parent, in_child);
        if (!code) {
            time_start();
            atexit(at_end);
            crash_watch();
        }
    }
    return started - 1;
}

int core_end(int code, double cost)
{
    const bool taken = calls > CALLS || !refused[calls - 1];
    int cancel = cancels; /* a signal's handler may call CUDA once `calls` is 0, and set it anew */
    if (!core_worker && taken) time_spend(cost);
    if (taken) core_give();
    if (!core_worker) time_outside();
    if (!--calls && !core_worker) pthread_setcancelstate(cancel, &cancel);
    return code;
}

/* ---- devices ---- */

int core_devices(void) { return core_options.cards; }

int core_card(int ordinal, sim_card *out)
{
    if (ordinal < 0 || ordinal >= core_options.cards) return E_InvalidDevice;
    *out = card;
    return E_OK;
}

device *core_device(int ordinal)
{
    if (ordinal < 0 || ordinal >= core_options.cards) return NULL;
    device *d = &devices[ordinal];
    if (d->s) return d;
    sim_error err;
    if (sim_open(&d->s, &card, &err)) {
        record_note("the simulated card cannot be opened: %s", err.message);
        d->s = NULL;
        return NULL;
    }
    d->ordinal = ordinal;
    sim_addresses_from(d->s, (UINT64_C(0x1000000000)) + (uint64_t)ordinal * (UINT64_C(1) << 39));
    pthread_cond_init(&d->wake, NULL);
    d->legacy = (stream){.device = d, .legacy = true, .id = 1};
    d->per_thread = (stream){.device = d, .id = 2};
    d->streams = &d->legacy;
    d->legacy.next = &d->per_thread;
    d->context = handle_new(H_CONTEXT, d);
    const uint64_t limits[LIMITS] = {1024, UINT64_C(7) << 20, SIM_HEAP_BYTES, 2, 2048, 128, 0, 0};
    memcpy(d->limits, limits, sizeof limits);
    region_open_device(d);
    return d;
}

device *core_opened(int ordinal) { return devices[ordinal].s ? &devices[ordinal] : NULL; }

const sim_card *core_card_of(const device *d) { return d ? sim_card_of(d->s) : &card; }

double cost_alloc(const device *d) { return sim_host_time_alloc(core_card_of(d), 0); }

double cost_launch(const device *d)
{
    const double us = core_card_of(d)->host.launch_us - core_card_of(d)->host.kernel_us;
    return us > 0 ? us * 1e-6 : 2e-6;
}

int core_current_ordinal(void) { return chosen; }
bool core_has_context(void) { return !none_chosen; }
bool core_started(void) { return ever_chosen; }
void core_no_context(void) { none_chosen = true; }

device *core_current(void)
{
    device *d = core_device(chosen);
    if (d) d->used = ever_chosen = true, none_chosen = false;
    return d;
}

int core_choose(int ordinal)
{
    if (ordinal < 0 || ordinal >= core_options.cards) return E_InvalidDevice;
    chosen = ordinal;
    ever_chosen = true;
    none_chosen = false;
    return E_OK;
}

int core_fault(device *d) { return d && d->fault && d->fault_shown ? d->fault : E_OK; }

int core_reset(device *d)
{
    wait_device(d);
    uint64_t at = 0;
    for (const region *r; (r = region_after(at));) { /* what is allocated goes */
        at = r->at;
        if (r->device == d && r->kind == R_DEVICE && !r->flags) region_end(at, 1u << R_DEVICE);
    }
    return core_fault(d);
}

/* ---- handles ---- */
#define HANDLE_BASE UINT64_C(0x570000000000)
static struct {
    void **list;
    size_t count;
} tables[H_KINDS];

void *handle_new(enum handle_kind kind, void *object)
{
    if (!list_grow(&tables[kind].list, tables[kind].count, sizeof *tables[kind].list)) return NULL;
    tables[kind].list[tables[kind].count] = object;
    return (void *)(uintptr_t)(HANDLE_BASE + ((uint64_t)kind << 36) + 16 * ++tables[kind].count);
}

static void **handle_slot(enum handle_kind kind, const void *handle)
{
    const uint64_t at = (uint64_t)(uintptr_t)handle - HANDLE_BASE - ((uint64_t)kind << 36);
    return at % 16 || at < 16 || at / 16 > tables[kind].count ? NULL : &tables[kind].list[at / 16 - 1];
}

void *handle_find(enum handle_kind kind, const void *handle)
{
    void **slot = handle_slot(kind, handle);
    return slot ? *slot : NULL;
}

/* No number is given to two objects. */
bool handle_ended(enum handle_kind kind, const void *handle)
{
    void **slot = handle_slot(kind, handle);
    return slot && !*slot;
}

void handle_end(enum handle_kind kind, const void *handle)
{
    void **slot = handle_slot(kind, handle);
    if (slot) *slot = NULL;
}
