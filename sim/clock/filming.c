/* filming.c: see filming.h. */
#include "filming.h"
#include "list.h"
#include <stdlib.h>

/* What an instruction did, or a block's begin or end; behind it all that it points to. */
typedef struct film_frame {
    struct film_frame *next;
    uint64_t order; /* among frames of the same clock */
    bool small;     /* it has SMALL bytes, and is used again */
    sim_moment m;
} film_frame;
enum { SMALL = 768 /* bytes: two registers of 64 bits, or an access */ };

/* The one that is being made. Its data are offsets in `bytes`. */
typedef struct making {
    sim_moment m;
    sim_film_bytes value[16], changed[64];
    sim_film_access access[SIM_FILM_ACCESSES];
    char *bytes;
    size_t used, room;
} making;

struct film {
    launch *l;
    uint32_t mp; /* UINT32_MAX: the block has not begun yet */
    uint32_t places;
    film_warp *warp;
    film_frame **issued; /* and not told */
    size_t count, room;
    uint64_t order;
    char *shared; /* the block's shared memory, as it has been told */
    uint32_t shared_bytes;
    making now;
    film_frame *spare; /* small ones to be used again */
    bool sorted;       /* issued is in the order of time */
    bool enough;
};

film *film_new(launch *l, uint32_t places)
{
    film *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->l = l;
    f->mp = UINT32_MAX;
    f->places = places;
    f->warp = calloc(places, sizeof *f->warp);
    f->shared = malloc((size_t)l->shared_total + 1);
    f->shared_bytes = l->shared_total;
    if (f->warp && f->shared) return f;
    film_free(f);
    return NULL;
}

static void drop(film *f, film_frame *n)
{
    if (!n->small) {
        free(n);
        return;
    }
    n->next = f->spare;
    f->spare = n;
}

static void drop_list(film *f, film_frame *n)
{
    while (n) {
        film_frame *next = n->next;
        drop(f, n);
        n = next;
    }
}

void film_free(film *f)
{
    if (!f) return;
    for (uint32_t i = 0; f->warp && i < f->places; i++) drop_list(f, f->warp[i].first);
    for (size_t i = 0; i < f->count; i++) drop(f, f->issued[i]);
    for (film_frame *n = f->spare, *next; n; n = next) {
        next = n->next;
        free(n);
    }
    free(f->warp);
    free(f->issued);
    free(f->now.bytes);
    free(f->shared);
    free(f);
}

film_warp *film_warp_at(film *f, uint32_t mp, uint32_t place)
{
    return mp == f->mp && place < f->places ? &f->warp[place] : NULL;
}

/* ---- frames ---- */

/* Out of memory: the launch ends. */
static void give_up(film *f)
{
    int runs = LAUNCH_RUNS;
    atomic_compare_exchange_strong(&f->l->stop, &runs, LAUNCH_CANCELLED);
}

static sim_moment *begin_frame(film *f, enum sim_moment_kind kind, const film_warp *v)
{
    f->now.m = (sim_moment){
        .kind = kind, .block = v->block, .place = v->place, .warp = v->w ? v->w->index : 0, .multiprocessor = f->mp};
    f->now.used = 0;
    return &f->now.m;
}

/* Room for bytes of the frame. NULL: out of memory. */
static char *more_bytes(film *f, uint32_t bytes, const void **data)
{
    making *n = &f->now;
    if (!list_room(&n->bytes, &n->room, n->used + bytes, 1)) {
        give_up(f);
        return NULL;
    }
    char *at = n->bytes + n->used;
    *data = (const void *)(uintptr_t)n->used;
    n->used += bytes;
    return at;
}

static sim_film_bytes *copy_list(char **at, const sim_film_bytes *from, int count, const char *bytes)
{
    sim_film_bytes *to = (sim_film_bytes *)(void *)*at;
    for (int i = 0; i < count; i++) {
        to[i] = from[i];
        to[i].data = bytes + (uintptr_t)from[i].data;
    }
    *at += (size_t)count * sizeof *to;
    return to;
}

/* A copy of the frame that was made, of its size. */
static film_frame *keep_frame(film *f)
{
    const making *n = &f->now;
    const size_t lists = (size_t)(n->m.values + n->m.shared) * sizeof(sim_film_bytes),
                 accesses = (size_t)n->m.accesses * sizeof(sim_film_access);
    const size_t all = sizeof(film_frame) + lists + accesses + n->used;
    film_frame *k = all <= SMALL ? f->spare : NULL;
    if (k) f->spare = k->next;
    else k = malloc(all <= SMALL ? SMALL : all);
    if (!k) {
        give_up(f);
        return NULL;
    }
    char *at = (char *)(k + 1), *bytes = at + lists + accesses;
    *k = (film_frame){.small = all <= SMALL, .m = n->m};
    k->m.value = copy_list(&at, n->value, n->m.values, bytes);
    k->m.changed = copy_list(&at, n->changed, n->m.shared, bytes);
    k->m.access = memcpy(at, n->access, accesses);
    if (n->used) memcpy(bytes, n->bytes, n->used);
    return k;
}

static void put_issued(film *f, film_frame *n, clocks now)
{
    if (!list_room(&f->issued, &f->room, f->count + 1, sizeof *f->issued)) {
        drop(f, n);
        give_up(f);
        return;
    }
    n->m.clock = (uint64_t)now;
    n->order = f->order++;
    f->sorted = !f->count || (f->sorted && f->issued[f->count - 1]->m.clock <= n->m.clock);
    f->issued[f->count++] = n;
}

static void put_new(film *f, clocks now)
{
    film_frame *n = keep_frame(f);
    if (n) put_issued(f, n, now);
}

/* ---- what an instruction did ---- */

/* The registers that it has written. */
static void note_values(film *f, const film_warp *v, const insn *in, const char *regs)
{
    const code_info *info = &f->l->code->info[in - f->l->code->insns];
    const bool many = info->refs > 8;
    for (uint32_t i = 0; i < info->refs; i++) {
        const uint8_t role = many ? info->roles[i] : info->role[i];
        const uint32_t place = many ? ((const uint32_t *)in->ext)[i] : in->o[i];
        if ((role != DEF && role != USE_DEF) || place == UINT32_MAX || place & 1) continue;
        if (f->now.m.values == (int)(sizeof f->now.value / sizeof f->now.value[0])) break;
        const enum ptx_type type = many ? info->roles[info->refs + i] : info->type[i];
        const uint32_t bytes = code_place_bytes(type), at = (uint32_t)(regs - v->w->reg_memory) + place;
        if (at + bytes > v->w->reg_bytes) continue;
        sim_film_bytes b = {.at = at, .bytes = bytes};
        char *to = more_bytes(f, bytes, &b.data);
        if (!to) return;
        memcpy(to, regs + place, bytes);
        f->now.value[f->now.m.values++] = b;
    }
}

static void note_shared(film *f, const block *b, uint32_t from, uint32_t bytes)
{
    if (from >= f->shared_bytes || bytes > f->shared_bytes - from) return;
    const int n = f->now.m.shared;
    sim_film_bytes *last = n ? &f->now.changed[n - 1] : NULL;
    const bool goes_on = last && last->at + last->bytes == from;
    if (!goes_on && n == (int)(sizeof f->now.changed / sizeof f->now.changed[0])) return;
    const void *data;
    char *to = more_bytes(f, bytes, &data);
    if (!to) return;
    memcpy(to, b->shared + from, bytes);
    memcpy(f->shared + from, b->shared + from, bytes);
    if (goes_on) last->bytes += bytes;
    else f->now.changed[f->now.m.shared++] = (sim_film_bytes){from, bytes, data};
}

/* Background copies land, and barrier objects change, where no access of the instruction shows it. */
static void note_landed(film *f, const block *b)
{
    enum { PIECE = 64 };
    for (uint32_t at = 0; at < f->shared_bytes; at += PIECE) {
        const uint32_t bytes = f->shared_bytes - at < PIECE ? f->shared_bytes - at : PIECE;
        if (memcmp(f->shared + at, b->shared + at, bytes)) note_shared(f, b, at, bytes);
    }
}

static char space_letter(uint8_t space)
{
    return space == SPACE_SHARED  ? 's'
           : space == SPACE_LOCAL ? 'l'
           : space == SPACE_CONST ? 'c'
           : space == SPACE_PARAM ? 'p'
                                  : 'g';
}

static void note_access(film *f, const block *b, const access *a)
{
    if (a->space == SPACE_REG || f->now.m.accesses == SIM_FILM_ACCESSES) return;
    sim_film_access *to = &f->now.access[f->now.m.accesses++];
    to->space = space_letter(a->space);
    to->kind = a->kind == ACCESS_READ ? 'r' : a->kind == ACCESS_WRITE ? 'w' : 'a';
    to->size = a->size;
    to->lanes = a->mask;
    for (int l = 0; l < 32; l++) {
        to->address[l] = access_address(a, l);
        if (a->of) to->address[l] = shared_cluster_address(b, a->of, (uint32_t)to->address[l]);
    }
    if (a->space != SPACE_SHARED || a->of || a->kind == ACCESS_READ) return;
    for (int l = 0; l < 32; l++)
        if (a->mask >> l & 1) note_shared(f, b, (uint32_t)to->address[l], a->size);
}

const insn *film_perform(film_warp *v, const insn *in)
{
    film *f = v->of;
    warp *w = v->w;
    const seen_accesses *seen = w->worker->seen;
    const code_info *info = &f->l->code->info[in - f->l->code->insns];
    const int before = seen->count;
    const char *regs = w->regs;
    sim_moment *n = begin_frame(f, SIM_MOMENT_ISSUED, v);
    n->pc = (uint32_t)(in - f->l->code->insns);
    n->lanes = w->mask;
    n->frame = (uint32_t)(regs - w->reg_memory);
    sim_film_found found = {0};
    f->l->found = v->values ? &found : NULL;
    const insn *next = warp_perform(w, in);
    f->l->found = NULL;
    n->found = found;
    if (v->values) {
        note_values(f, v, in, regs);
        for (int i = before; i < seen->count && i < SEEN_MOST; i++) note_access(f, w->block, &seen->list[i]);
        if (info->cls == SIM_CLASS_ASYNC) note_landed(f, w->block);
    }
    if (!info->real && !n->values) return next;
    film_frame *kept = keep_frame(f);
    if (!kept) return next;
    if (v->last) v->last->next = kept;
    else v->first = kept;
    v->last = kept;
    return next;
}

/* ---- time ---- */

void film_issued(film_warp *v, const step *s, clocks now, clocks waited, clocks queued, enum sim_stall cause)
{
    film *f = v->of;
    film_frame *of = NULL;
    const uint32_t pc = s->pc;
    while (v->first && v->first->m.pc <= pc) {
        of = v->first;
        v->first = of->next;
        if (!v->first) v->last = NULL;
        of->next = NULL;
        if (of->m.pc == pc) break;
        put_issued(f, of, now);
        of = NULL;
    }
    if (!of) {
        begin_frame(f, SIM_MOMENT_MORE, v)->pc = pc;
        if (!(of = keep_frame(f))) return;
    }
    of->m.waited = (uint32_t)waited;
    of->m.queued = (uint32_t)queued;
    of->m.cause = cause;
    of->m.slot = s->slot;
    of->m.held = s->next - s->slot;
    put_issued(f, of, now);
}

void film_begins(film *f, uint32_t mp, uint32_t place, block *b, clocks now)
{
    const bool ours = b->linear == f->l->wanted->film_block;
    if (ours && f->mp == UINT32_MAX) f->mp = mp;
    if (mp != f->mp || place + b->warp_count > f->places) return;
    for (uint32_t i = 0; i < b->warp_count; i++) {
        film_warp *v = &f->warp[place + i];
        drop_list(f, v->first);
        *v = (film_warp){.of = f, .w = &b->warps[i], .values = ours, .place = place + i, .block = b->linear};
    }
    begin_frame(f, SIM_MOMENT_BEGIN, &f->warp[place])->warp = b->warp_count;
    put_new(f, now);
    if (ours) memcpy(f->shared, b->shared, f->shared_bytes);
}

/* What no step issued: it took no time of its own. */
static void issue_rest(film *f, film_warp *v, clocks now, bool faulted)
{
    while (v->first) {
        film_frame *n = v->first;
        v->first = n->next;
        n->next = NULL;
        if (faulted && !v->first) n->m.kind = SIM_MOMENT_FAULT;
        put_issued(f, n, now);
    }
    v->last = NULL;
}

void film_ends(film *f, uint32_t mp, uint32_t place, const block *b, clocks now)
{
    film_warp *v = film_warp_at(f, mp, place);
    if (!v || !v->of || v->block != b->linear) return;
    for (uint32_t i = 0; i < b->warp_count; i++) issue_rest(f, v + i, now, false);
    begin_frame(f, SIM_MOMENT_END, v)->warp = b->warp_count;
    put_new(f, now);
}

static int by_time(const void *a, const void *b)
{
    const film_frame *x = *(film_frame *const *)a, *y = *(film_frame *const *)b;
    if (x->m.clock != y->m.clock) return x->m.clock < y->m.clock ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

void film_tell(film *f, clocks until)
{
    if (!f->count) return;
    if (!f->sorted) qsort(f->issued, f->count, sizeof(film_frame *), by_time);
    size_t told = 0;
    for (; told < f->count && f->issued[told]->m.clock < (uint64_t)until; told++) {
        if (!f->enough && !f->l->wanted->film(f->l->wanted->film_arg, &f->issued[told]->m)) {
            f->enough = true;
            int runs = LAUNCH_RUNS;
            atomic_compare_exchange_strong(&f->l->stop, &runs, LAUNCH_CANCELLED);
        }
        drop(f, f->issued[told]);
    }
    f->count -= told;
    if (told) memmove(f->issued, f->issued + told, f->count * sizeof *f->issued);
    f->sorted = true;
}

/* The launch failed where no instruction was performed: all wait, and none can go on. */
static void show_fault(film *f, film_warp *v, clocks now)
{
    const warp *w = v->w;
    sim_moment *n = begin_frame(f, SIM_MOMENT_FAULT, v);
    n->pc = fault_ended_at(f->l, &n->found);
    n->lanes = w->mask;
    n->frame = w->splits[w->current].frame;
    if (n->pc != UINT32_MAX) put_new(f, now);
}

void film_over(film *f, clocks now, bool faulted)
{
    for (int last = 0; last < 2; last++) /* the warp at fault comes last */
        for (uint32_t i = 0; i < f->places; i++) {
            film_warp *v = &f->warp[i];
            const bool fails = faulted && v->of && v->w->stop == STOP_FAULT;
            if (!v->of || fails != last) continue;
            if (fails && !v->first) show_fault(f, v, now);
            else issue_rest(f, v, now, fails);
        }
    film_tell(f, INT64_MAX);
}
