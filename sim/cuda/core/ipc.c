/* ipc.c: memory and events that several processes use (cudaIpc...).
 *
 * Memory that a process shows to others moves into a file without a name, and stays at its address
 * of the card. The handle says which file of which process that is; who opens it maps the file. An
 * event that others may open counts its records in such a file: those asked for, and those passed.
 */
#define _GNU_SOURCE
#include "core.h"
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct ticket { /* CUipcMemHandle, CUipcEventHandle */
    char what[8];
    int32_t pid, fd;
    uint64_t bytes, inode;
} ticket;
_Static_assert(sizeof(ticket) <= IPC_HANDLE_BYTES, "a handle of CUDA's holds it");
#define OF_MEMORY "wsp-mem"
#define OF_EVENT  "wsp-evt"

typedef struct shown {
    uint64_t at, bytes;
    void *lies;
    ticket t;
    int opened; /* how often, when it is another process's */
    struct shown *next;
} shown;
static shown *all_shown;

struct ipc_event {
    _Atomic uint64_t asked, passed;
};

/* A file of so many bytes, mapped. */
static void *file_new(const char *what, uint64_t bytes, ticket *t)
{
    struct stat st;
    *t = (ticket){.pid = getpid(), .bytes = bytes};
    snprintf(t->what, sizeof t->what, "%s", what);
    t->fd = memfd_create("warpstep-shared", MFD_CLOEXEC);
    if (t->fd < 0) return NULL;
    void *lies = ftruncate(t->fd, (off_t)bytes) || fstat(t->fd, &st)
                     ? MAP_FAILED
                     : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, t->fd, 0);
    if (lies == MAP_FAILED) {
        close(t->fd);
        return NULL;
    }
    t->inode = st.st_ino;
    return lies;
}

/* What a handle says may be anything. */
static void *file_open(const char *what, const ticket *t)
{
    char path[64];
    struct stat st;
    if (strncmp(t->what, what, sizeof t->what) || t->pid <= 0 || t->fd < 0 || !t->bytes) return NULL;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)t->pid, (int)t->fd);
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return NULL;
    void *lies = MAP_FAILED;
    if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_ino == t->inode && (uint64_t)st.st_size == t->bytes)
        lies = mmap(NULL, t->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return lies == MAP_FAILED ? NULL : lies;
}

static void give(void *handle, const ticket *t)
{
    memset(handle, 0, IPC_HANDLE_BYTES);
    memcpy(handle, t, sizeof *t);
}

/* ---- memory ---- */

static shown **shown_at(uint64_t at)
{
    shown **s = &all_shown;
    while (*s && (*s)->at != at) s = &(*s)->next;
    return s;
}

static shown *shown_new(uint64_t at, void *lies, const ticket *t)
{
    shown *s = malloc(sizeof *s);
    if (s) all_shown = memcpy(s, &(shown){at, t->bytes, lies, *t, 0, all_shown}, sizeof *s);
    return s;
}

static void shown_drop(shown **s)
{
    shown *gone = *s;
    *s = gone->next;
    munmap(gone->lies, gone->bytes);
    if (!gone->opened) close(gone->t.fd);
    free(gone);
}

void ipc_forget(uint64_t at)
{
    shown **s = shown_at(at);
    if (*s) shown_drop(s);
}

/* The device is held. Other processes may write there at any time. */
static int map_file(device *d, uint64_t at, void *lies, uint64_t bytes)
{
    sim_error err;
    d->shared = true;
    d->version++;
    return sim_map(d->s, at, lies, bytes, "memory of several processes", &err) ? E_MemoryAllocation : E_OK;
}

int ipc_show(uint64_t at, void *handle)
{
    const region *r = region_find(at);
    if (!r || r->kind != R_DEVICE || r->flags) return E_InvalidValue;
    device *d = r->device;
    const uint64_t from = r->at, bytes = r->bytes;
    shown *s = *shown_at(from);
    if (s && s->opened) return E_InvalidValue;
    if (!s) {
        ticket t;
        sim_error err;
        void *lies = file_new(OF_MEMORY, bytes, &t);
        if (!lies) return E_MemoryAllocation;
        wait_sequence(d, d->asked);
        region_unshare(d, from, true);
        device_hold(d);
        const void *was = *shown_at(from) ? NULL : sim_memory(d->s, from, bytes); /* another thread may have shown it */
        s = was ? shown_new(from, lies, &t) : NULL;
        if (!s) {
            munmap(lies, bytes);
            close(t.fd);
            return E_MemoryAllocation;
        }
        memcpy(lies, was, bytes);
        sim_free(d->s, from, &err);
        const int code = map_file(d, from, lies, bytes);
        if (code) return code;
        region_share(d, from, bytes);
    }
    give(handle, &s->t);
    return E_OK;
}

int ipc_open(device *d, const void *handle, uint64_t *at)
{
    ticket t;
    sim_error err;
    memcpy(&t, handle, sizeof t);
    if (t.pid == getpid()) return E_DeviceUninitialized; /* only for other processes, says CUDA */
    for (shown *s = all_shown; s; s = s->next)
        if (s->opened && s->t.pid == t.pid && s->t.inode == t.inode) {
            s->opened++;
            *at = s->at;
            return E_OK;
        }
    void *lies = file_open(OF_MEMORY, &t);
    if (!lies) return E_InvalidValue;
    device_hold(d);
    shown *s = NULL;
    int code = sim_alloc(d->s, t.bytes, "", at, &err) ? E_MemoryAllocation : E_OK; /* an address that is free */
    if (!code && !sim_free(d->s, *at, &err)) code = map_file(d, *at, lies, t.bytes);
    if (!code)
        code =
            (s = shown_new(*at, lies, &t)) ? region_note(d, R_DEVICE, *at, t.bytes, REGION_OPENED) : E_MemoryAllocation;
    if (s) s->opened = 1;
    if (!code) return E_OK;
    sim_free(d->s, *at, &err);
    if (s) shown_drop(shown_at(*at));
    else munmap(lies, t.bytes);
    return code;
}

int ipc_close(uint64_t at)
{
    shown **s = shown_at(at);
    const region *r = region_find(at);
    if (!*s || !(*s)->opened || !r) return E_InvalidValue;
    if ((*s)->opened > 1) {
        (*s)->opened--;
        return E_OK;
    }
    device *d = r->device;
    sim_error err;
    wait_sequence(d, d->asked);
    device_hold(d);
    sim_free(d->s, at, &err);
    d->version++;
    region_forget(at);
    ipc_forget(at);
    return E_OK;
}

/* ---- events ---- */

int ipc_event_show(event *e, void *handle)
{
    enum { SHARED = 4 };
    ticket t;
    if (!(e->flags & SHARED)) return E_InvalidResourceHandle;
    if (!e->ipc) {
        e->ipc = file_new(OF_EVENT, sizeof *e->ipc, &t);
        if (!e->ipc) return E_MemoryAllocation;
        e->ipc_inode = t.inode;
        e->ipc_fd = t.fd;
        if (e->mark) { /* it has been recorded before */
            e->ipc->asked = 1;
            mark *m = e->mark;
            m->refs++;
            while (!m->done) core_rest(NULL);
            mark_drop(m);
            e->ipc->passed = 1;
        }
    }
    t = (ticket){OF_EVENT, getpid(), e->ipc_fd, sizeof *e->ipc, e->ipc_inode};
    give(handle, &t);
    return E_OK;
}

int ipc_event_open(device *d, const void *handle, void **out)
{
    enum { NO_TIMING = 2, SHARED = 4 };
    ticket t;
    memcpy(&t, handle, sizeof t);
    if (t.pid == getpid()) return E_DeviceUninitialized;
    struct ipc_event *page = t.bytes == sizeof *page ? file_open(OF_EVENT, &t) : NULL;
    if (!page) return E_InvalidResourceHandle;
    const int code = event_new(d, NO_TIMING | SHARED, out);
    if (code) {
        munmap(page, sizeof *page);
        return code;
    }
    event *e = handle_find(H_EVENT, *out);
    e->ipc = page;
    e->ipc_fd = -1;
    return E_OK;
}

void ipc_event_end(event *e)
{
    if (!e->ipc) return;
    if (e->ipc_fd >= 0) close(e->ipc_fd);
    /* the page stays: operations that were asked for may still count there */
}

bool ipc_event_passed(const event *e) { return !e->ipc || e->ipc->passed >= e->ipc->asked; }

typedef struct until {
    struct ipc_event *of;
    uint64_t number;
} until;

static void counts(void *arg) /* records pass in order within a process, not between processes */
{
    until *u = arg;
    uint64_t now = u->of->passed;
    while (now < u->number && !atomic_compare_exchange_weak(&u->of->passed, &now, u->number)) {}
    free(u);
}
static void looks(void *arg)
{
    until *u = arg;
    while (u->of->passed < u->number) nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL); /* in earnest: --wrap */
    free(u);
}

static int ask(stream *st, event *e, void (*call)(void *), uint64_t number)
{
    op *o = calloc(1, sizeof *o);
    until *u = malloc(sizeof *u);
    if (!o || !u) {
        free(o);
        free(u);
        return E_MemoryAllocation;
    }
    *u = (until){e->ipc, number};
    o->kind = OP_HOST;
    o->u.host.call = call;
    o->u.host.arg = u;
    return submit(st, o, false);
}

int ipc_event_recorded(event *e, stream *st) { return e->ipc ? ask(st, e, counts, ++e->ipc->asked) : E_OK; }

int ipc_event_awaited(event *e, stream *st)
{
    const uint64_t asked = e->ipc ? (uint64_t)e->ipc->asked : 0;
    return ipc_event_passed(e) ? E_OK : ask(st, e, looks, asked);
}

void ipc_event_wait(const event *e)
{
    const uint64_t asked = e->ipc ? (uint64_t)e->ipc->asked : 0;
    while (e->ipc && e->ipc->passed < asked) {
        struct ipc_event *page = e->ipc;
        pthread_mutex_unlock(&core_lock);
        while (page->passed < asked) nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
        pthread_mutex_lock(&core_lock);
    }
}
