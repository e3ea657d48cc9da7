/* snapshots.c: launches that are kept, so that `exec` can run each again alone when the program has
 * ended: with its code, its arguments and the memory that it touched as that was before.
 *
 * What a kernel touches is known only when it has run. So all of the card's memory is copied before
 * (what its arguments point to first, as much as the budget holds), and afterwards the buffers that
 * it did touch are written, each page with other contents once. A launch that touched more than was
 * copied is not kept, and says so.
 *
 * Copying takes time: of each kernel and shape the first launch is kept, and later one that is likely
 * to last much longer, since the one before it did.
 */
#define _GNU_SOURCE
#include "core.h"
#include "cuda/snapshot.h"
#include <errno.h>
#include <stdarg.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { SHAPES_MOST = 64, SHAPES_OF_ONE = 8, TRIES = 3, TEXTS = 64, TABLE = 1 << 17, REGIONS_MOST = 20000 };
static const double LONGER = 1.5; /* than the kept one: worth another */

static int to = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all that is static here */

static struct shape {
    launch_config config;
    double kept, last; /* seconds that the kept launch took, and the last one */
    int tries;
    uint64_t launches;
    bool under_way;
} shapes[SHAPES_MOST];
static int shape_count;
static struct {
    uint64_t at, bytes, sum;
} texts[TEXTS];
static int text_count;
static snapshot_page *pages; /* that are in the file, by their sum */
static uint32_t page_count;
static char *spare; /* memory of a snapshot that is over */
static size_t spare_bytes;

typedef struct held {
    uint64_t address, bytes;
    const char *name;
    char *copy;               /* NULL: not copied */
    unsigned char *unwritten; /* by page */
    bool variable;
} held;
struct snapshot {
    struct shape *shape;
    uint64_t launch;
    char *memory;
    size_t room, used;
    unsigned char *unwritten;
    size_t unwritten_room, unwritten_used;
    held *list;
    uint32_t count;
    char *names; /* of all of them */
    size_t name_bytes;
    snapshot_texture *textures;
    uint32_t texture_count;
};

void snapshots_open(const char *path)
{
    to = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
    pages = to < 0 ? NULL : calloc(TABLE, sizeof *pages);
    if (pages) return;
    if (to >= 0) close(to);
    to = -1;
}

/* ---- before the launch ---- */

static bool same_shape(const launch_config *a, const launch_config *b)
{
    return a->f == b->f && !memcmp(a->grid, b->grid, sizeof a->grid) && !memcmp(a->block, b->block, sizeof a->block) &&
           a->shared == b->shared && !memcmp(a->cluster, b->cluster, sizeof a->cluster);
}

/* With the lock: that of the launch; NULL: there are too many. */
static struct shape *shape_of(const launch_config *c)
{
    int others = 0;
    for (int i = 0; i < shape_count; i++) {
        if (same_shape(&shapes[i].config, c)) return &shapes[i];
        others += shapes[i].config.f == c->f;
    }
    if (shape_count == SHAPES_MOST || others == SHAPES_OF_ONE) return NULL;
    shapes[shape_count] = (struct shape){.config = *c};
    return &shapes[shape_count++];
}

static bool wanted(const struct shape *s)
{
    if (s->under_way || s->tries == TRIES) return false;
    return !s->tries || (s->kept > 0 && s->last > LONGER * s->kept);
}

static uint64_t pages_of(uint64_t bytes) { return (bytes + SNAPSHOT_PAGE - 1) / SNAPSHOT_PAGE; }

/* The number of the argument that points into the buffer, from 1; 0: none does. */
static int argument_of(const sim_kernel *k, const unsigned char *params, const sim_buffer *b)
{
    for (int i = 0; i < k->params; i++) {
        uint64_t value;
        if (k->param[i].size != sizeof value) continue;
        memcpy(&value, params + k->param[i].offset, sizeof value);
        if (value - b->address < b->bytes) return i + 1;
    }
    return 0;
}

static bool is_variable(const sim_module *m, const sim_buffer *b)
{
    uint64_t at;
    for (int i = 0; sim_variable_at(m, i, &at); i++)
        if (at == b->address) return true;
    return false;
}

/* What it is called when it is shown. */
static const char *name_for(const held *h, const sim_buffer *b, int argument, char *out, size_t size)
{
    if (argument && !h->variable) snprintf(out, size, "argument %d", argument);
    else snprintf(out, size, "%s", b->name ? b->name : "");
    return out;
}

static bool copy_region(struct snapshot *s, held *h, const sim_buffer *b)
{
    const uint64_t count = pages_of(b->bytes);
    if (b->bytes > s->room - s->used || count > s->unwritten_room - s->unwritten_used) return false;
    h->copy = s->memory + s->used;
    h->unwritten = s->unwritten + s->unwritten_used;
    s->used += (b->bytes + 63) / 64 * 64;
    if (s->used > s->room) s->used = s->room;
    s->unwritten_used += count;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t from = i * SNAPSHOT_PAGE, left = b->bytes - from;
        bool any = !b->written;
        for (uint64_t w = from / 64; !any && w < (from + SNAPSHOT_PAGE) / 64 && w * 64 < b->bytes; w++)
            any = b->written[w] != 0;
        h->unwritten[i] = !any;
        if (any) memcpy(h->copy + from, (const char *)b->memory + from, left < SNAPSHOT_PAGE ? left : SNAPSHOT_PAGE);
    }
    return true;
}

static void drop(struct snapshot *s)
{
    if (!s) return;
    pthread_mutex_lock(&lock);
    s->shape->under_way = false;
    if (s->memory && s->room > spare_bytes) {
        free(spare);
        spare = s->memory;
        spare_bytes = s->room;
        s->memory = NULL;
    }
    pthread_mutex_unlock(&lock);
    free(s->memory);
    free(s->unwritten);
    free(s->list);
    free(s->names);
    free(s->textures);
    free(s);
}

static bool take_memory(struct snapshot *s, device *d)
{
    uint64_t bytes = 0, count = 0, names = 0;
    sim_buffer b;
    for (uint64_t at = 0; sim_buffer_from(d->s, at, &b); at = b.address + b.bytes) {
        bytes += (b.bytes + 63) / 64 * 64;
        count++;
        names += (b.name ? strlen(b.name) : 0) + 32;
    }
    s->room = bytes < SNAPSHOT_BUDGET ? bytes : SNAPSHOT_BUDGET;
    if (count > REGIONS_MOST) return false;
    pthread_mutex_lock(&lock);
    if (spare_bytes >= s->room) {
        s->memory = spare;
        s->room = spare_bytes;
        spare = NULL;
        spare_bytes = 0;
    }
    pthread_mutex_unlock(&lock);
    if (!s->memory) s->memory = malloc(s->room + 1);
    s->unwritten_room = s->room / SNAPSHOT_PAGE + count + 1;
    s->unwritten = malloc(s->unwritten_room);
    s->list = calloc(count + 1, sizeof *s->list);
    s->names = malloc(names + 1);
    return s->memory && s->unwritten && s->list && s->names;
}

static void take_textures(struct snapshot *s, device *d)
{
    uint32_t count;
    const sim_texture *t = sim_textures(d->s, &count);
    s->textures = count ? calloc(count, sizeof *s->textures) : NULL;
    for (uint32_t i = 0; s->textures && i < count; i++)
        s->textures[i] = (snapshot_texture){
            .address = t[i].address,
            .pitch = t[i].pitch,
            .slice = t[i].slice,
            .width = t[i].width,
            .height = t[i].height,
            .depth = t[i].depth,
            .layers = t[i].layers,
            .texel = (uint32_t)t[i].texel,
            .channels = (uint32_t)t[i].channels,
            .outside = {(uint32_t)t[i].outside[0], (uint32_t)t[i].outside[1], (uint32_t)t[i].outside[2]},
            .flags = (uint32_t)(t[i].cube + 2 * t[i].linear + 4 * t[i].normalized + 8 * t[i].fractions)};
    s->texture_count = s->textures ? count : 0;
}

/* Copies what the launch may touch; NULL: it is none to be kept. Called by who uses the device, just
 * before the launch. */
struct snapshot *snapshot_begin(device *d, const op *o)
{
    const launch_config *c = &o->u.launch.config;
    if (to < 0) return NULL;
    pthread_mutex_lock(&lock);
    struct shape *shape = shape_of(c);
    struct snapshot *s = shape && wanted(shape) ? calloc(1, sizeof *s) : NULL;
    if (s) {
        s->shape = shape;
        s->launch = shape->launches + 1;
        shape->under_way = true;
        shape->tries++;
    }
    pthread_mutex_unlock(&lock);
    if (!s) return NULL;
    if (!take_memory(s, d)) {
        drop(s);
        return NULL;
    }
    const sim_kernel *k = c->f->kernel[d->ordinal];
    sim_buffer b;
    char name[NAME_MOST];
    /* first what its arguments name and its module's variables, then everything else */
    for (uint64_t at = 0; sim_buffer_from(d->s, at, &b); at = b.address + b.bytes) {
        held *h = &s->list[s->count++];
        const int argument = argument_of(k, o->u.launch.params, &b);
        *h = (held){.address = b.address, .bytes = b.bytes};
        h->variable = is_variable(c->f->image->module[d->ordinal], &b);
        h->name = strcpy(s->names + s->name_bytes, name_for(h, &b, argument, name, sizeof name));
        s->name_bytes += strlen(name) + 1;
        if (argument || h->variable) copy_region(s, h, &b);
    }
    for (uint32_t i = 0; i < s->count; i++)
        if (!s->list[i].copy && sim_buffer_from(d->s, s->list[i].address, &b)) copy_region(s, &s->list[i], &b);
    take_textures(s, d);
    sim_touched_none(d->s);
    return s;
}

/* ---- after it ---- */

/* With the lock: appends a piece. *at: where its bytes begin. False: it does not fit. */
static bool put(uint32_t kind, const struct iovec *parts, int count, uint64_t *at)
{
    static const char zeros[8];
    struct iovec all[8];
    struct stat st;
    snapshot_head head = {.magic = SNAPSHOT_MAGIC, .kind = kind, .pid = (uint32_t)getpid()};
    for (int i = 0; i < count; i++) head.bytes += parts[i].iov_len;
    const size_t rest = (size_t)(-head.bytes & 7), bytes = sizeof head + head.bytes + rest;
    if (kind != SNAPSHOT_PAGES) head.sum = snapshot_sum(parts[0].iov_base, parts[0].iov_len);
    if (fstat(to, &st) || (uint64_t)st.st_size + bytes > SNAPSHOT_BUDGET) return false;
    all[0] = (struct iovec){&head, sizeof head};
    memcpy(all + 1, parts, (size_t)count * sizeof *parts);
    all[count + 1] = (struct iovec){(void *)(uintptr_t)zeros, rest};
    ssize_t n;
    while ((n = writev(to, all, count + 2)) < 0 && errno == EINTR) {}
    const off_t end = lseek(to, 0, SEEK_CUR);
    if (n == (ssize_t)bytes && end >= (off_t)bytes) {
        *at = (uint64_t)end - bytes + sizeof head;
        return true;
    }
    if (n > 0) close(to), to = -1; /* the disk is full: what comes behind would not be found */
    return false;
}

static bool put_text(const image *i, snapshot_launch *l)
{
    l->text_bytes = i->bytes;
    l->text_sum = snapshot_sum(i->text, i->bytes);
    for (int k = 0; k < text_count; k++)
        if (texts[k].bytes == l->text_bytes && texts[k].sum == l->text_sum) {
            l->text_at = texts[k].at;
            return true;
        }
    const struct iovec part = {i->text, i->bytes};
    if (!put(SNAPSHOT_TEXT, &part, 1, &l->text_at)) return false;
    if (text_count < TEXTS) {
        texts[text_count].at = l->text_at;
        texts[text_count].bytes = l->text_bytes;
        texts[text_count++].sum = l->text_sum;
    }
    return true;
}

static bool all_zero(const char *p, size_t bytes) { return !bytes || (!*p && !memcmp(p, p + 1, bytes - 1)); }

/* The place of a page with that sum, or where it can be put. */
static snapshot_page *find_page(uint64_t sum)
{
    uint32_t i = (uint32_t)(sum % TABLE);
    while (pages[i].at && pages[i].sum != sum) i = (i + 1) % TABLE;
    return &pages[i];
}

typedef struct writing {
    snapshot_region *regions;
    snapshot_page *refs;
    uint64_t ref_count, new_bytes;
    uint32_t region_count;
} writing;

#define NOT_YET (UINT64_C(1) << 63) /* a place among the pages that are about to be written */

/* Gathers the pages of a region that the file does not have at the front of the copied memory. */
static void add_region(struct snapshot *s, const held *h, writing *w, uint32_t names_at)
{
    snapshot_region *r = &w->regions[w->region_count++];
    *r = (snapshot_region){.address = h->address,
                           .bytes = h->bytes,
                           .first_page = w->ref_count,
                           .name = *h->name ? (uint32_t)(h->name - s->names) + names_at : 0,
                           .variable = h->variable};
    for (uint64_t i = 0; i < pages_of(h->bytes); i++) {
        const size_t from = i * SNAPSHOT_PAGE, left = h->bytes - from,
                     bytes = left < SNAPSHOT_PAGE ? left : SNAPSHOT_PAGE;
        snapshot_page *ref = &w->refs[w->ref_count++];
        *ref = (snapshot_page){.at = h->unwritten[i] ? SNAPSHOT_UNWRITTEN : SNAPSHOT_ZERO};
        if (h->unwritten[i] || all_zero(h->copy + from, bytes)) continue;
        ref->sum = snapshot_sum(h->copy + from, bytes);
        snapshot_page *known = find_page(ref->sum), new = {NOT_YET + w->new_bytes, ref->sum};
        ref->at = known->at;
        if (known->at) continue;
        memmove(s->memory + w->new_bytes, h->copy + from, bytes); /* never behind where it was */
        ref->at = new.at;
        w->new_bytes += bytes;
        if (page_count < TABLE / 2) *known = new, page_count++;
    }
}

static int by_copy(const void *x, const void *y)
{
    const held *a = x, *b = y;
    return a->copy < b->copy ? -1 : a->copy > b->copy;
}

/* The reader takes a name with control characters for damage. */
static bool is_plain(const char *name)
{
    while ((unsigned char)*name >= ' ' && *name != 0x7f) name++;
    return !*name;
}

/* With the lock. False: it does not fit. */
static bool put_launch(struct snapshot *s, const device *d, const op *o, snapshot_launch *l, const char *why_not)
{
    const launch_config *c = &o->u.launch.config;
    const sim_kernel *code = *why_not ? NULL : c->f->kernel[d->ordinal];
    const char *kernel = c->f->name, *source = code && code->file && is_plain(code->file) ? code->file : "";
    const size_t kernel_bytes = strlen(kernel) + 1, why_bytes = strlen(why_not) + 1, source_bytes = strlen(source) + 1;
    const size_t named_from = kernel_bytes + why_bytes + source_bytes; /* the regions' names come after these */
    uint64_t most = 0, at = 0;
    for (uint32_t i = 0; i < s->count; i++) most += pages_of(s->list[i].bytes);
    if (*why_not) s->count = s->texture_count = 0;
    char *names = malloc(named_from + s->name_bytes);
    writing w = {.regions = calloc(s->count + 1u, sizeof *w.regions),
                 .refs = calloc(*why_not ? 1 : most + 1, sizeof *w.refs)};
    bool fine = names && w.regions && w.refs && (*why_not || put_text(c->f->image, l));
    if (fine) {
        memcpy(names, kernel, kernel_bytes);
        memcpy(names + kernel_bytes, why_not, why_bytes);
        memcpy(names + kernel_bytes + why_bytes, source, source_bytes);
        memcpy(names + named_from, s->names, s->name_bytes);
    }
    if (s->count) qsort(s->list, s->count, sizeof *s->list, by_copy);
    for (uint32_t i = 0; fine && i < s->count; i++)
        if (s->list[i].copy) add_region(s, &s->list[i], &w, (uint32_t)named_from);
    const struct iovec page_part = {s->memory, w.new_bytes};
    if (fine && w.new_bytes) fine = put(SNAPSHOT_PAGES, &page_part, 1, &at);
    for (uint64_t i = 0; i < w.ref_count; i++) {
        snapshot_page *ref = &w.refs[i];
        if (!(ref->at & NOT_YET)) continue;
        ref->at += at - NOT_YET;
        snapshot_page *known = find_page(ref->sum);
        if (known->at & NOT_YET) known->at = ref->at;
    }
    if (!fine) memset(pages, 0, TABLE * sizeof *pages), page_count = 0; /* some were not written */
    l->regions = w.region_count;
    l->textures = s->texture_count;
    l->pages = w.ref_count;
    l->param_bytes = *why_not ? 0 : (uint32_t)o->u.launch.param_bytes;
    l->name_bytes = (uint32_t)(named_from + (*why_not ? 0 : s->name_bytes));
    l->why_not = *why_not ? (uint32_t)kernel_bytes : 0;
    l->source = *source ? (uint32_t)(kernel_bytes + why_bytes) : 0;
    l->first_line = code ? (uint32_t)code->line : 0;
    l->last_line = code ? (uint32_t)code->last_line : 0;
    const size_t sizes[] = {sizeof *l,
                            w.region_count * sizeof *w.regions,
                            s->texture_count * sizeof *s->textures,
                            w.ref_count * sizeof *w.refs,
                            l->param_bytes,
                            l->name_bytes};
    const void *parts[] = {l, w.regions, s->textures, w.refs, o->u.launch.params, names};
    size_t bytes = 0;
    for (int i = 0; i < 6; i++) bytes += sizes[i];
    char *piece = fine ? malloc(bytes) : NULL;
    fine = piece != NULL;
    for (size_t i = 0, n = 0; piece && i < 6; n += sizes[i++])
        if (sizes[i]) memcpy(piece + n, parts[i], sizes[i]);
    const struct iovec part = {piece, bytes};
    fine = fine && put(SNAPSHOT_LAUNCH, &part, 1, &at);
    free(piece);
    free(names);
    free(w.regions);
    free(w.refs);
    return fine;
}

/* Leaves what the kernel touched; says why it cannot be kept if so. */
static void leave_touched(struct snapshot *s, const device *d, char *why, size_t size)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        held *h = &s->list[i];
        sim_buffer b;
        const bool there = sim_buffer_from(d->s, h->address, &b) && b.address == h->address;
        if (there && !b.touched && !h->variable) continue;
        if (!h->copy && !*why)
            snprintf(why, size, "it uses more memory than the %d MiB that are kept of a program",
                     (int)(SNAPSHOT_BUDGET >> 20));
        s->list[kept++] = *h;
    }
    s->count = kept;
    for (uint32_t i = 0; i < s->texture_count; i++) { /* those of buffers that are not there */
        snapshot_texture *t = &s->textures[i];
        bool found = !t->channels;
        for (uint32_t k = 0; k < s->count && !found; k++) found = t->address - s->list[k].address < s->list[k].bytes;
        if (!found) t->width = 0;
    }
}

void snapshot_end(struct snapshot *s, device *d, const op *o, const sim_result *r, double seconds)
{
    if (!s) return;
    const launch_config *c = &o->u.launch.config;
    char why[200] = "";
    snapshot_launch l = {.heap_bytes = d->limits[2],
                         .start_ns = (uint64_t)(o->began * 1e9) + 1,
                         .seconds = seconds,
                         .launch = s->launch,
                         .number = (uint32_t)(s->shape - shapes),
                         .grid = {c->grid[0], c->grid[1], c->grid[2]},
                         .block = {c->block[0], c->block[1], c->block[2]},
                         .shared = c->shared,
                         .cooperative = c->cooperative,
                         .cluster_large = c->f->large_cluster};
    const uint32_t *cluster = c->cluster[0] ? c->cluster : c->f->cluster;
    for (int i = 0; i < 3; i++) l.cluster[i] = cluster[0] && !cluster[i] ? 1 : cluster[i];
    if (!r) snprintf(why, sizeof why, "it could not be run");
    else if (o->waited)
        snprintf(why, sizeof why, "it waited for the host or for another kernel, and alone might never end");
    leave_touched(s, d, why, sizeof why);
    pthread_mutex_lock(&lock);
    if (to >= 0 && !(s->shape->kept > 0 && (*why || seconds <= s->shape->kept))) {
        bool kept = !*why && put_launch(s, d, o, &l, "");
        if (kept) s->shape->kept = seconds;
        if (!*why)
            snprintf(why, sizeof why, "the %d MiB that are kept of a program are full", (int)(SNAPSHOT_BUDGET >> 20));
        if (!kept && !(s->shape->kept > 0) && to >= 0) put_launch(s, d, o, &l, why);
    }
    pthread_mutex_unlock(&lock);
    drop(s);
}

void snapshot_took(const launch_config *c, double seconds)
{
    if (to < 0) return;
    pthread_mutex_lock(&lock);
    struct shape *s = shape_of(c);
    if (s) s->last = seconds, s->launches++;
    pthread_mutex_unlock(&lock);
}
