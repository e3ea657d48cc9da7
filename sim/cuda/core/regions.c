/* regions.c: what a program has allocated, found by address.
 *
 * The card's memory has addresses of the simulated card, which are not mapped in the host's process:
 * a host that follows such a pointer crashes, as it does with a real card. Pinned, mapped and
 * managed memory lies in an arena at a fixed place of the process, and kernels reach it at the same
 * addresses, so that nothing is copied for a launch and a flag is seen at once.
 */
#define _GNU_SOURCE
#include "core.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif
#define ARENA UINT64_C(0x200000000000) /* below what loaders use, beyond AddressSanitizer's shadow */

static uint64_t arena_next = ARENA;

static bool of_host(enum region_kind k) { return k == R_PINNED || k == R_MANAGED || k == R_REGISTERED; }

/* A copy of the region: the list may move while the device is waited for. */
static int map_into(device *d, const region r)
{
    sim_error err;
    static const char *const names[] = {
        [R_PINNED] = "pinned memory", [R_MANAGED] = "managed memory", [R_REGISTERED] = "registered memory"};
    device_hold(d);
    d->host_memory = true;
    d->version++;
    return sim_map(d->s, r.at, (void *)(uintptr_t)r.at, r.bytes, names[r.kind], &err) ? E_MemoryAllocation : E_OK;
}

void region_open_device(device *d)
{
    uint64_t at = 0;
    for (const region *r; (r = region_after(at)) != NULL;) {
        at = r->at;
        if (of_host(r->kind)) map_into(d, *r);
    }
}

static device *each_open(int i) { return i < core_devices() ? core_device(i) : NULL; }

/* One that opens maps what is noted already: so they open before a new region is noted. */
static void open_all(void)
{
    for (int i = 0; each_open(i); i++) {}
}

static int arena_take(uint64_t bytes, uint64_t *at)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), whole = (bytes + page - 1) / page * page;
    for (int tries = 0; tries < 64; tries++) {
        void *p = mmap((void *)(uintptr_t)arena_next, whole, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (p == (void *)(uintptr_t)arena_next) {
            *at = arena_next;
            arena_next += (whole + ((UINT64_C(2) << 20) - 1)) & ~((UINT64_C(2) << 20) - 1);
            return E_OK;
        }
        if (p != MAP_FAILED) munmap(p, whole);
        else if (tries > 4 && arena_next == ARENA) return E_MemoryAllocation;
        arena_next += UINT64_C(1) << 36;
    }
    return E_MemoryAllocation;
}

/* Devices that may reach this one's memory, as one allocation of theirs. */
void region_share(device *d, uint64_t at, uint64_t bytes)
{
    sim_error err;
    void *lies = d->sharers ? sim_memory(d->s, at, bytes) : NULL;
    for (int k = 0; lies && k < core_devices(); k++) {
        device *peer = d->sharers >> k & 1 ? core_device(k) : NULL;
        if (!peer) continue;
        device_hold(peer);
        sim_map(peer->s, at, lies, bytes, "a peer's memory", &err);
        peer->version++;
    }
}

/* They have ended what might use it. */
void region_unshare(device *d, uint64_t at, bool wait)
{
    for (int k = 0; d->sharers && k < core_devices(); k++) {
        device *peer = d->sharers >> k & 1 ? core_device(k) : NULL;
        if (!peer) continue;
        if (wait) wait_sequence(peer, peer->asked);
        device_hold(peer);
        device_free(peer, at, 0);
        peer->version++;
    }
}

int region_new(device *d, enum region_kind kind, uint64_t bytes, unsigned flags, const char *name, uint64_t *at)
{
    if (!bytes) return E_InvalidValue;
    sim_error err;
    if (!of_host(kind)) {
        device_hold(d);
        const int code = sim_alloc(d->s, bytes, name, at, &err);
        if (code == SIM_E_MEMORY)
            record_note(
                "an allocation of %llu bytes failed for want of this computer's memory; the card has room for it",
                (unsigned long long)bytes);
        if (code) return code == SIM_E_ARGUMENT ? E_InvalidValue : E_MemoryAllocation;
        d->version++;
        const int noted = region_note(d, kind, *at, bytes, flags);
        if (noted) sim_free(d->s, *at, &err);
        else if (kind == R_DEVICE) region_share(d, *at, bytes);
        return noted;
    }
    if (bytes > UINT64_C(1) << 46) return E_MemoryAllocation;
    open_all();
    int code = arena_take(bytes, at);
    if (!code) code = region_note(d, kind, *at, bytes, flags);
    for (int i = 0; !code && each_open(i); i++) code = map_into(each_open(i), *region_find(*at));
    return code;
}

/* Memory of the program's own that is managed from now on: a variable. */
int region_adopt(uint64_t at, uint64_t bytes)
{
    open_all();
    int code = region_note(core_device(0), R_MANAGED, at, bytes, REGION_ADOPTED);
    for (int i = 0; !code && each_open(i); i++) code = map_into(each_open(i), *region_find(at));
    return code;
}

int region_register(void *at, uint64_t bytes, unsigned flags)
{
    const uint64_t from = (uint64_t)(uintptr_t)at;
    if (!at || !bytes || from + bytes < from) return E_InvalidValue;
    const region *last = region_before(from + bytes - 1);
    if (last && last->at + last->bytes > from) return E_HostMemoryAlreadyRegistered;
    if (!region_host_readable(from, bytes, false)) return E_InvalidValue;
    int code = region_note(core_current(), R_REGISTERED, from, bytes, flags);
    for (int i = 0; !code && each_open(i); i++) code = map_into(each_open(i), *region_find(from));
    return code;
}

int region_end(uint64_t at, unsigned kinds)
{
    const region *r = region_find(at);
    if (!r || r->at != at || !(kinds >> r->kind & 1) || r->flags & (REGION_ADOPTED | REGION_OPENED))
        return E_InvalidValue;
    if (r->flags & REGION_GRAPH) return E_OK;
    sim_error err;
    const enum region_kind kind = r->kind;
    const uint64_t bytes = r->bytes;
    if (!of_host(kind)) {
        device *d = r->device;
        wait_sequence(d, d->asked); /* freeing waits for the card */
        region_unshare(d, at, true);
        device_hold(d);
        sim_free(d->s, at, &err);
        d->version++;
        ipc_forget(at);
        return region_forget(at);
    }
    for (int i = 0; each_open(i); i++) {
        wait_sequence(each_open(i), each_open(i)->asked);
        device_hold(each_open(i));
        sim_free(each_open(i)->s, at, &err);
    }
    region_forget(at);
    if (kind != R_REGISTERED) munmap((void *)(uintptr_t)at, bytes);
    return E_OK;
}

void region_left(device *d, uint64_t *free_bytes, uint64_t *total)
{
    sim_card c = *sim_card_of(d->s);
    *total = c.memory_bytes;
    *free_bytes = c.memory_bytes > d->in_use ? c.memory_bytes - d->in_use : 0;
    const uint64_t driver = UINT64_C(500) << 20; /* what a context keeps for itself */
    if (*free_bytes > 4 * driver) *free_bytes -= driver;
}

int region_peer(device *from, device *to, bool on)
{
    sim_error err;
    const uint64_t bit = UINT64_C(1) << from->ordinal;
    if ((to->sharers & bit) == (on ? bit : 0)) return E_OK;
    to->sharers ^= bit;
    if (!on) wait_sequence(from, from->asked);
    do { /* `from` may have begun something while `to` was waited for */
        device_hold(from);
        device_hold(to);
    } while (from->busy && !from->awaits);
    from->version++;
    from->shared = to->shared = true;
    uint64_t at = 0;
    for (const region *r; (r = region_after(at)) != NULL;) {
        at = r->at;
        if (r->device != to || r->kind != R_DEVICE) continue;
        void *lies = sim_memory(to->s, r->at, r->bytes);
        if (on && lies) sim_map(from->s, r->at, lies, r->bytes, "a peer's memory", &err);
        if (!on) sim_free(from->s, r->at, &err);
    }
    return E_OK;
}

/* Does the host have memory there? Looks at the first and the last byte. */
bool region_host_readable(uint64_t at, uint64_t bytes, bool write)
{
    char byte;
    const uint64_t ends[2] = {at, at + bytes - 1};
    for (int i = 0; bytes && i < 2; i++) {
        struct iovec mine = {&byte, 1}, there = {(void *)(uintptr_t)ends[i], 1};
        if (process_vm_readv(getpid(), &mine, 1, &there, 1, 0) != 1) return false;
        if (write && process_vm_writev(getpid(), &mine, 1, &there, 1, 0) != 1) return false;
    }
    return true;
}

uint64_t region_host_bytes(uint64_t at, uint64_t most)
{
    enum { PAGES = 256 };
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), end = at + most < at ? UINT64_MAX : at + most;
    for (uint64_t from = at; from < end;) {
        char bytes[PAGES];
        struct iovec mine = {bytes, 0}, there[PAGES];
        unsigned n = 0;
        for (; n < PAGES && from < end; from = from / page * page + page) /* a byte of each page */
            there[n++] = (struct iovec){(void *)(uintptr_t)from, 1};
        mine.iov_len = n;
        const ssize_t read = process_vm_readv(getpid(), &mine, 1, there, n, 0);
        if (read == (ssize_t)n) continue;
        if (read < 0 && errno != EFAULT) return most; /* nobody says */
        const uint64_t stop = (uint64_t)(uintptr_t)there[read < 0 ? 0 : read].iov_base;
        return stop - at;
    }
    return most;
}

/* Modulo 2^64, as an H200 reckons: what overflows is what is left of it, and refused if that is nothing. */
int pitched_bytes(uint64_t width, uint64_t rows, uint64_t slices, uint64_t *row, uint64_t *bytes)
{
    enum { PITCH = 512 };
    uint64_t slice;
    bool over = __builtin_add_overflow(width, PITCH - 1, row);
    *row = *row / PITCH * PITCH;
    over |= __builtin_mul_overflow(*row, rows, &slice);
    over |= __builtin_mul_overflow(slice, slices, bytes);
    return over && !*bytes ? E_InvalidValue : E_OK;
}

/* ---- copies ---- */

/* From the first byte of one end to the last. UINT64_MAX: no memory is so large. */
static uint64_t extent_of(const place *p, const copy *c)
{
    uint64_t slices, rows, bytes;
    if (__builtin_mul_overflow(c->depth - 1, p->slice, &slices) ||
        __builtin_mul_overflow(c->height - 1, p->pitch, &rows) || __builtin_add_overflow(slices, rows, &bytes) ||
        __builtin_add_overflow(bytes, c->width, &bytes) || p->at + bytes < p->at)
        return UINT64_MAX;
    return bytes;
}

/* 'd': the card's; 'm': both sides reach it; 'h': ordinary memory; 0: none of these, or not all. */
static char side_of(const place *p, const copy *c)
{
    const uint64_t bytes = extent_of(p, c);
    const region *r = region_find(p->at);
    if (!r) return 'h';
    if (bytes > r->bytes - (p->at - r->at)) return of_host(r->kind) ? 'h' : 0;
    return of_host(r->kind) ? 'm' : 'd';
}

int copy_check(const copy *c)
{
    if (!c->width || !c->height || !c->depth) return E_OK;
    const char to = side_of(&c->to, c), from = side_of(&c->from, c);
    if (!to || !from || c->direction < 0 || c->direction > COPY_ANY)
        return c->direction < 0 || c->direction > COPY_ANY ? E_InvalidMemcpyDirection : E_InvalidValue;
    static const char wants[][3] = {"hh", "dh", "hd", "dd"}; /* to, from */
    if (c->direction != COPY_ANY) {
        const char *w = wants[c->direction];
        if ((w[0] != to && to != 'm') || (w[1] != from && from != 'm')) return E_InvalidValue;
    }
    const uint64_t last_to = extent_of(&c->to, c), last_from = extent_of(&c->from, c);
    if (last_to == UINT64_MAX || last_from == UINT64_MAX) return E_InvalidValue;
    if (to == 'h' && !region_host_readable(c->to.at, last_to, true)) return E_InvalidValue;
    if (from == 'h' && !region_host_readable(c->from.at, last_from, false)) return E_InvalidValue;
    return E_OK;
}

bool copy_on_card(const copy *c) { return side_of(&c->to, c) == 'd' && side_of(&c->from, c) == 'd'; }

bool copy_waits(const copy *c) { return side_of(&c->to, c) == 'h' || side_of(&c->from, c) == 'h'; }

/* One row. The registry may change meanwhile, but not what this copy uses. */
static int copy_row(device *to, device *from, uint64_t to_at, uint64_t from_at, uint64_t bytes)
{
    sim_error err;
    const void *source = from ? sim_memory(from->s, from_at, bytes) : (void *)(uintptr_t)from_at;
    if (!source) return E_InvalidValue;
    if (!to) memmove((void *)(uintptr_t)to_at, source, bytes);
    else if (sim_write(to->s, to_at, source, bytes, &err)) return E_InvalidValue;
    return E_OK;
}

static device *card_at(uint64_t at)
{
    const region *r = region_find(at);
    return r && !of_host(r->kind) ? r->device : NULL;
}

device *copy_other(device *d, const copy *c)
{
    device *to = card_at(c->to.at), *from = card_at(c->from.at);
    return to && to != d ? to : from && from != d ? from : NULL;
}

int copy_perform(device *d, const copy *c)
{
    int code = E_OK;
    copy all = *c;
    (void)d;
    if (!c->width || !c->height || !c->depth) return E_OK;
    if (all.to.pitch == all.width && all.from.pitch == all.width) { /* rows that follow each other are one */
        all.width *= all.height;
        all.height = 1;
        if (all.depth > 1 && all.to.slice == all.width && all.from.slice == all.width)
            all.width *= all.depth, all.depth = 1;
    }
    pthread_mutex_lock(&core_lock);
    device *to = card_at(all.to.at), *from = card_at(all.from.at);
    if (to) to->version++;
    if (to) changes_settle(to);
    if (from) changes_settle(from);
    pthread_mutex_unlock(&core_lock);
    for (uint64_t z = 0; !code && z < all.depth; z++)
        for (uint64_t y = 0; !code && y < all.height; y++)
            code = copy_row(to, from, all.to.at + z * all.to.slice + y * all.to.pitch,
                            all.from.at + z * all.from.slice + y * all.from.pitch, all.width);
    return code;
}

double copy_seconds(device *d, const copy *c, int *engine)
{
    const sim_card *card = sim_card_of(d->s);
    const uint64_t bytes = c->width * c->height * c->depth;
    *engine = 0;
    if (!bytes) return 0;
    const char to = side_of(&c->to, c), from = side_of(&c->from, c);
    if (to != 'd' && from != 'd') return (double)bytes / 10e9;
    if (to == 'd' && from == 'd') {
        if (!card->timing.known) return 2e-6;
        return 2e-6 + 2.0 * (double)bytes / (card->timing.dram_bytes * card->clock_khz * 1e3);
    }
    *engine = to == 'd' ? 1 : 2;
    return sim_host_time_copy(card, bytes, to == 'm' || from == 'm');
}

/* ---- fills ---- */
int fill_check(const fill *f)
{
    if (!f->width || !f->height) return E_OK;
    const region *r = region_find(f->at);
    uint64_t rows, row, bytes;
    if (__builtin_mul_overflow(f->height - 1, f->pitch, &rows) || __builtin_mul_overflow(f->width, f->size, &row) ||
        __builtin_add_overflow(rows, row, &bytes) || (f->height > 1 && row > f->pitch))
        return E_InvalidValue;
    return r && bytes <= r->bytes - (f->at - r->at) && f->at % f->size == 0 ? E_OK : E_InvalidValue;
}

/* ---- arrays ---- */
int array_new(device *d, array *wanted, void **handle)
{
    array *a = malloc(sizeof *a);
    if (!a) return E_MemoryAllocation;
    *a = *wanted;
    a->device = d;
    a->texel_bytes = (uint32_t)((a->bits[0] + a->bits[1] + a->bits[2] + a->bits[3]) / 8);
    const uint64_t rows = a->height ? a->height : 1, slices = a->depth ? a->depth : 1;
    a->pitch = (a->width * a->texel_bytes + 63) / 64 * 64;
    a->slice = a->pitch * rows;
    if (!a->texel_bytes || !a->width || a->width > 1 << 28 || rows > 1 << 17 || slices > 1 << 14) {
        free(a);
        return E_InvalidValue;
    }
    int code = region_new(d, R_ARRAY, a->slice * slices, 0, "array", &a->at);
    if (!code && !(a->handle = handle_new(H_ARRAY, a))) code = E_MemoryAllocation;
    if (code) free(a);
    else *handle = a->handle;
    return code;
}

int array_end(void *handle)
{
    array *a = handle_find(H_ARRAY, handle);
    if (!a) return E_InvalidResourceHandle;
    region_end(a->at, 1u << R_ARRAY);
    handle_end(H_ARRAY, handle);
    free(a);
    return E_OK;
}

int object_new(device *d, const sim_texture *t, uint64_t *handle)
{
    sim_error err;
    device_hold(d);
    if (!sim_texture_make(d->s, t, handle, &err)) return E_OK;
    record_note("a texture cannot be made: %s", err.message);
    return E_InvalidValue;
}

int object_end(device *d, uint64_t handle)
{
    wait_sequence(d, d->asked);
    device_hold(d);
    return sim_texture_free(d->s, handle, NULL) ? E_InvalidValue : E_OK;
}
