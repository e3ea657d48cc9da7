/* virtual.c: addresses that a program reserves, and memory that it maps there (cuMemMap).
 *
 * A piece of memory is a file without a name; mapping it puts it into a range of this process that
 * lies behind the reserved addresses, so that pieces that follow each other on the card do so here.
 * Each device that may reach some of them sees a run of such pieces as one allocation. What is
 * exported is the file.
 */
#define _GNU_SOURCE
#include "core.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define RESERVED_FROM UINT64_C(0x400000000000)
enum { GRANULE = VIRTUAL_GRANULE };

typedef struct physical {
    void *handle;
    int fd, refs; /* one for the handle, one for each place where it is mapped */
    uint64_t bytes;
    device *d;
    uint64_t who; /* has reached it: a bit per device */
} physical;

typedef struct piece {
    uint64_t at, bytes;
    physical *of;
    uint64_t access; /* a bit per device */
    struct piece *next;
} piece;

typedef struct range {
    uint64_t at, bytes;
    char *lies;
    piece *pieces; /* ascending */
    struct run {
        uint64_t at, seen; /* where each begins; the devices that see it */
    } * runs;
    size_t run_count;
    struct range *next;
} range;

static range *ranges;
static uint64_t next_address = RESERVED_FROM;

static range *range_of(uint64_t at, uint64_t bytes)
{
    for (range *r = ranges; r; r = r->next)
        if (at >= r->at && at - r->at < r->bytes) return bytes <= r->bytes - (at - r->at) ? r : NULL;
    return NULL;
}

int virtual_reserve(uint64_t bytes, uint64_t align, uint64_t wish, uint64_t *at)
{
    if (!bytes || bytes % GRANULE || bytes > UINT64_C(1) << 44 || (align & (align - 1)) || wish % GRANULE)
        return E_InvalidValue;
    if (align < GRANULE) align = GRANULE;
    range *r = calloc(1, sizeof *r);
    if (!r) return E_MemoryAllocation;
    void *lies = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (lies == MAP_FAILED) {
        free(r);
        return E_MemoryAllocation;
    }
    bool free_there = wish >= RESERVED_FROM && wish < UINT64_C(1) << 46;
    for (const range *other = ranges; other && free_there; other = other->next)
        free_there = wish + bytes <= other->at || wish >= other->at + other->bytes;
    *r = (range){.at = free_there ? wish : (next_address + align - 1) / align * align, .bytes = bytes, .lies = lies};
    if (r->at + bytes > next_address) next_address = r->at + bytes;
    r->next = ranges;
    ranges = r;
    *at = r->at;
    return E_OK;
}

int virtual_unreserve(uint64_t at, uint64_t bytes)
{
    range *r = range_of(at, bytes);
    if (!r || r->at != at || r->bytes != bytes || r->pieces) return E_InvalidValue;
    for (range **p = &ranges; *p; p = &(*p)->next)
        if (*p == r) {
            *p = r->next;
            break;
        }
    munmap(r->lies, r->bytes);
    free(r->runs);
    free(r);
    return E_OK;
}

/* ---- memory ---- */

static int physical_of_file(device *d, int fd, uint64_t bytes, void **handle)
{
    physical *p = calloc(1, sizeof *p);
    if (p) *p = (physical){.fd = fd, .refs = 1, .bytes = bytes, .d = d};
    if (!p || !(p->handle = handle_new(H_PHYSICAL, p))) {
        free(p);
        close(fd);
        return E_MemoryAllocation;
    }
    if (d) d->in_use += bytes;
    *handle = p->handle;
    return E_OK;
}

int physical_new(device *d, uint64_t bytes, void **handle)
{
    uint64_t left, total;
    if (!bytes || bytes % GRANULE) return E_InvalidValue;
    if (d) region_left(d, &left, &total);
    if (d && bytes > left) return E_MemoryAllocation;
    const int fd = memfd_create("warpstep-memory", MFD_CLOEXEC);
    if (fd >= 0 && !ftruncate(fd, (off_t)bytes)) return physical_of_file(d, fd, bytes, handle);
    if (fd >= 0) close(fd);
    return E_MemoryAllocation;
}

/* Several cards, or other processes, write there at any time. */
#define EVERYBODY UINT64_MAX
static void reached(physical *p, uint64_t who)
{
    p->who |= who;
    for (int k = 0; p->who & (p->who - 1) && k < core_devices(); k++) {
        device *d = p->who >> k & 1 ? core_opened(k) : NULL;
        if (!d || d->shared) continue;
        d->shared = true;
        device_hold(d);
    }
}

int physical_import(int fd, void **handle)
{
    struct stat st;
    const int mine = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (mine < 0) return E_InvalidValue;
    if (fstat(mine, &st) || st.st_size <= 0 || st.st_size % GRANULE) {
        close(mine);
        return E_InvalidValue;
    }
    const int code = physical_of_file(NULL, mine, (uint64_t)st.st_size, handle);
    if (!code) reached(handle_find(H_PHYSICAL, *handle), EVERYBODY);
    return code;
}

int physical_export(void *handle, int *fd)
{
    physical *p = handle_find(H_PHYSICAL, handle);
    if (!p) return E_InvalidValue;
    *fd = fcntl(p->fd, F_DUPFD_CLOEXEC, 3);
    reached(p, EVERYBODY);
    return *fd < 0 ? E_OperatingSystem : E_OK;
}

static void physical_drop(physical *p)
{
    if (--p->refs) return;
    if (p->d) p->d->in_use -= p->bytes;
    close(p->fd);
    free(p);
}

int physical_end(void *handle)
{
    physical *p = handle_find(H_PHYSICAL, handle);
    if (!p) return E_InvalidValue;
    handle_end(H_PHYSICAL, handle);
    p->handle = NULL;
    physical_drop(p);
    return E_OK;
}

int physical_at(uint64_t at, void **handle)
{
    const range *r = range_of(at, 1);
    for (piece *p = r ? r->pieces : NULL; p; p = p->next) {
        if (at < p->at || at - p->at >= p->bytes) continue;
        if (!p->of->handle && !(p->of->handle = handle_new(H_PHYSICAL, p->of))) return E_MemoryAllocation;
        p->of->refs++;
        *handle = p->of->handle;
        return E_OK;
    }
    return E_InvalidValue;
}

/* ---- what devices see ---- */

static int hide_runs(range *r)
{
    for (size_t i = 0; i < r->run_count; i++) {
        for (int k = 0; k < core_devices(); k++)
            if (r->runs[i].seen >> k & 1) {
                device *d = core_device(k);
                wait_sequence(d, d->asked);
                device_hold(d);
                sim_free(d->s, r->runs[i].at, NULL);
                d->version++;
            }
        region_forget(r->runs[i].at);
    }
    r->run_count = 0;
    return E_OK;
}

/* Pieces side by side that the same devices reach are one allocation of each. */
static int show_runs(range *r)
{
    int code = E_OK;
    size_t most = 1;
    for (const piece *p = r->pieces; p; p = p->next) most++;
    free(r->runs);
    if (!(r->runs = calloc(most, sizeof *r->runs))) return E_MemoryAllocation;
    for (const piece *p = r->pieces, *after; p && !code; p = after) {
        uint64_t bytes = p->bytes;
        for (after = p->next; after && after->at == p->at + bytes && after->access == p->access; after = after->next)
            bytes += after->bytes;
        if (!p->access) continue;
        struct run *run = &r->runs[r->run_count++];
        *run = (struct run){.at = p->at};
        device *first = NULL;
        for (int k = 0; k < core_devices() && !code; k++) {
            if (!(p->access >> k & 1)) continue;
            device *d = core_device(k);
            sim_error err;
            if (!d) return E_MemoryAllocation;
            device_hold(d);
            if (sim_map_alone(d->s, p->at, r->lies + (p->at - r->at), bytes, "mapped memory", &err))
                code = E_MemoryAllocation;
            else run->seen |= UINT64_C(1) << k;
            d->version++;
            if (!first) first = d;
        }
        if (!code) code = region_note(first, R_VIRTUAL, p->at, bytes, 0);
    }
    for (const piece *p = r->pieces; p; p = p->next) reached(p->of, p->access);
    return code;
}

int virtual_map(uint64_t at, uint64_t bytes, uint64_t offset, void *handle)
{
    physical *of = handle_find(H_PHYSICAL, handle);
    range *r = range_of(at, bytes);
    if (!of || !r || !bytes || at % GRANULE || bytes % GRANULE || offset % GRANULE || offset > of->bytes ||
        bytes > of->bytes - offset)
        return E_InvalidValue;
    piece **to = &r->pieces;
    while (*to && (*to)->at + (*to)->bytes <= at) to = &(*to)->next;
    if (*to && (*to)->at < at + bytes) return E_InvalidValue;
    piece *p = calloc(1, sizeof *p);
    if (!p) return E_MemoryAllocation;
    if (mmap(r->lies + (at - r->at), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, of->fd, (off_t)offset) ==
        MAP_FAILED) {
        free(p);
        return E_MemoryAllocation;
    }
    *p = (piece){.at = at, .bytes = bytes, .of = of, .next = *to};
    of->refs++;
    *to = p;
    return E_OK;
}

/* Do pieces, each of them whole, fill that? */
static bool whole_pieces(const range *r, uint64_t at, uint64_t bytes)
{
    uint64_t next = at;
    for (const piece *p = r ? r->pieces : NULL; p && next < at + bytes; p = p->next)
        if (p->at == next) next += p->bytes;
    return bytes && next == at + bytes;
}

int virtual_unmap(uint64_t at, uint64_t bytes)
{
    range *r = range_of(at, bytes);
    if (!whole_pieces(r, at, bytes)) return E_InvalidValue;
    hide_runs(r);
    for (piece **p = &r->pieces; *p;) {
        piece *gone = *p;
        if (gone->at < at || gone->at >= at + bytes) {
            p = &gone->next;
            continue;
        }
        mmap(r->lies + (gone->at - r->at), gone->bytes, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        *p = gone->next;
        physical_drop(gone->of);
        free(gone);
    }
    return show_runs(r);
}

int virtual_access(uint64_t at, uint64_t bytes, int ordinal, unsigned flags)
{
    range *r = range_of(at, bytes);
    if (ordinal < 0 || ordinal >= core_devices()) return E_InvalidDevice;
    if (!whole_pieces(r, at, bytes) || (flags != 0 && flags != 1 && flags != 3)) return E_InvalidValue;
    hide_runs(r);
    for (piece *p = r->pieces; p; p = p->next)
        if (p->at >= at && p->at < at + bytes)
            p->access = flags ? p->access | UINT64_C(1) << ordinal : p->access & ~(UINT64_C(1) << ordinal);
    return show_runs(r);
}

int virtual_accessible(uint64_t at, int ordinal, bool *may)
{
    const range *r = range_of(at, 1);
    for (const piece *p = r ? r->pieces : NULL; p; p = p->next)
        if (at >= p->at && at - p->at < p->bytes) {
            *may = p->access >> ordinal & 1;
            return E_OK;
        }
    return E_InvalidValue;
}
