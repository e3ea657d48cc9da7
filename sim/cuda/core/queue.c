/* queue.c: what a device is asked to do, in which order it does it, and who waits for it.
 *
 * A device performs one operation after another, in the order in which they were asked, whatever
 * their streams: every order that streams and events allow contains this one. What overlaps on a
 * card overlaps in the times that are worked out here. A worker thread performs; the host only
 * waits, or takes the device for itself between two operations (device_hold).
 *
 * A kernel may wait for what a later operation of another stream does, or for the host, which waits
 * for the device itself. So a kernel lets the device go between two of its instructions when the
 * host wants it, and when it waits and something else may begin (give_way). Then those that have
 * begun take turns, each on a worker thread of its own.
 */
#include "core.h"
#include "list.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* ---- streams ---- */

stream *stream_find(void *handle)
{
    const uintptr_t number = (uintptr_t)handle;
    if (number <= 2) {
        device *d = core_current();
        return !d ? NULL : number == 2 ? &d->per_thread : &d->legacy;
    }
    return handle_find(H_STREAM, handle);
}

int stream_new(device *d, unsigned flags, int priority, void **handle)
{
    static unsigned long long ids = 10;
    stream *st = calloc(1, sizeof *st);
    if (!st) return E_MemoryAllocation;
    *st = (stream){.device = d, .flags = flags, .priority = priority, .id = ids++, .next = d->streams};
    st->ready = 0;
    st->handle = handle_new(H_STREAM, st);
    if (!st->handle) {
        free(st);
        return E_MemoryAllocation;
    }
    d->streams = st;
    *handle = st->handle;
    return E_OK;
}

static void stream_free(stream *st)
{
    for (stream **p = &st->device->streams; *p; p = &(*p)->next)
        if (*p == st) {
            *p = st->next;
            break;
        }
    free(st);
}

int stream_end(void *handle)
{
    if ((uintptr_t)handle <= 2) return E_InvalidResourceHandle;
    stream *st = handle_find(H_STREAM, handle);
    if (!st) return E_InvalidResourceHandle;
    handle_end(H_STREAM, handle);
    st->dead = true; /* what was asked on it is performed all the same */
    if (!st->pending && !st->waiters) stream_free(st);
    return E_OK;
}

/* ---- operations ---- */

void op_free(op *o)
{
    if (!o) return;
    if (o->kind == OP_LAUNCH) free(o->u.launch.params);
    if (o->kind == OP_RECORD || o->kind == OP_WAIT) mark_drop(o->u.mark);
    if (o->kind == OP_DECIDE) {
        for (unsigned i = 0; i < o->u.decide.count; i++) graph_release(o->u.decide.bodies[i]);
        free(o->u.decide.bodies);
    }
    free(o->needs);
    if (o->run && !--o->run->refs) {
        free(o->run->end);
        free(o->run);
    }
    free(o);
}

void mark_drop(mark *m)
{
    if (m && !--m->refs) free(m);
}

/* When the operation can begin at the earliest. */
static double earliest(device *d, const op *o)
{
    double at = o->issued;
    const stream *st = o->stream;
    graph_run *run = o->run;
    if (run && run->begun) {
        if (run->began > at) at = run->began;
        for (int i = 0; i < o->need_count; i++)
            if (run->end[o->needs[i]] > at) at = run->end[o->needs[i]];
        if (o->kind != OP_GRAPH_END) return at;
        if (run->ended > at) at = run->ended;
    }
    if (st->ready > at) at = st->ready;
    if (st->legacy) {
        for (const stream *other = d->streams; other; other = other->next)
            if (!(other->flags & 1) && other->ready > at) at = other->ready;
    } else if (!(st->flags & 1) && d->legacy.ready > at) {
        at = d->legacy.ready;
    }
    if (run && !run->begun) run->began = at, run->begun = true;
    return at;
}

/* When a kernel that keeps this share of the card can begin: beside others only as long as all of
 * them fit. */
static double kernel_start(device *d, double at, double share)
{
    for (;;) {
        double used = 0, next = 0;
        for (int i = 0; i < RUNNING; i++)
            if (d->running[i].end > at) {
                used += d->running[i].share;
                if (!next || d->running[i].end < next) next = d->running[i].end;
            }
        if (!next || used + share <= 1.0001) return at;
        at = next;
    }
}

static void kernel_note(device *d, double end, double share)
{
    int first = 0;
    for (int i = 1; i < RUNNING; i++)
        if (d->running[i].end < d->running[first].end) first = i;
    d->running[first].end = end;
    d->running[first].share = share;
}

static void fail(device *d, const op *o, int code)
{
    if (d->fault || !code) return;
    d->fault = code;
    d->fault_at = o->sequence;
}

/* A copy that needs another device too waits until that does nothing, or waits for the same itself.
 * One such copy at a time. */
static bool crossing;
static void cross_begin(device *d, device *other)
{
    d->crosses = true;
    pthread_cond_broadcast(&core_done);
    other->holders++; /* its own operations wait */
    while (crossing || (other->busy && !other->crosses && !other->awaits)) pthread_cond_wait(&core_done, &core_lock);
    crossing = true;
    d->other = other;
}
static void cross_end(device *d)
{
    crossing = d->crosses = false;
    if (!--d->other->holders) pthread_cond_broadcast(&d->other->wake);
    d->other = NULL;
    pthread_cond_broadcast(&core_done);
}

/* Memory that is given back while a kernel has begun may still be known to it. `mine`: operations of
 * the device that the caller performs. */
void device_free(device *d, uint64_t at, int mine)
{
    if (d->active <= mine) {
        sim_free(d->s, at, NULL);
        return;
    }
    /* without memory it stays until the device is reset */
    if (list_grow(&d->to_free, d->to_free_count, sizeof *d->to_free)) d->to_free[d->to_free_count++] = at;
}

static void free_kept(device *d)
{
    changes_settle(d);
    for (size_t i = 0; i < d->to_free_count; i++) sim_free(d->s, d->to_free[i], NULL);
    free(d->to_free);
    d->to_free = NULL;
    d->to_free_count = 0;
}

/* With the lock: a graph that depends on a value which kernels have written comes next, and behind it
 * the same question, to which a loop answers again. */
static int decide(device *d, op *o)
{
    uint32_t value = 0;
    sim_error err;
    if (o->stream->ready > o->began) o->began = o->stream->ready; /* what was decided before is over */
    if (o->u.decide.kind < 0) return E_OK;
    if (sim_read(d->s, o->u.decide.at, &value, sizeof value, &err)) return E_IllegalAddress;
    const unsigned chosen = o->u.decide.kind == 2 ? value : value ? 0 : o->u.decide.kind ? UINT32_MAX : 1;
    if (chosen >= o->u.decide.count) return E_OK;
    op *again = calloc(1, sizeof *again);
    if (!again) return E_MemoryAllocation;
    d->inserting = o;
    int code = graph_launch(o->u.decide.bodies[chosen], o->stream);
    again->kind = OP_DECIDE;
    again->u.decide = o->u.decide;
    if (o->u.decide.kind != 1) again->u.decide.kind = -1;
    memset(&o->u.decide, 0, sizeof o->u.decide);
    again->run = o->run;
    again->node = o->node;
    if (again->run) again->run->refs++;
    if (code) op_free(again);
    else code = submit(o->stream, again, false);
    d->inserting = NULL;
    return code;
}

/* At memory, or it lets the program do so. Launches and copies settle themselves what they need. */
static bool looks(enum op_kind kind)
{
    return kind == OP_FILL || kind == OP_HOST || kind == OP_FREE || kind == OP_DECIDE;
}

/* Without the lock, but for what says so. The device is the caller's. */
static void perform(device *d, op *o)
{
    double at = earliest(d, o), seconds = 0, share;
    int code, engine;
    o->began = at;
    if (d->fault && o->kind != OP_RECORD && o->kind != OP_HOST && o->kind != OP_GRAPH_END) {
        o->ended = at; /* the card does nothing any more */
        return;
    }
    pthread_mutex_unlock(&core_lock);
    if (looks(o->kind)) changes_settle(d);
    switch (o->kind) {
    case OP_LAUNCH:
        code = launch_perform(d, o, &seconds, &share);
        pthread_mutex_lock(&core_lock);
        fail(d, o, code);
        o->began = kernel_start(d, at, share);
        if (o->after > o->began + seconds) seconds = o->after - o->began; /* it waited for that */
        kernel_note(d, o->began + seconds, share);
        break;
    case OP_COPY: {
        pthread_mutex_lock(&core_lock);
        device *other = copy_other(d, &o->u.copy);
        if (other) cross_begin(d, other);
        pthread_mutex_unlock(&core_lock);
        code = copy_perform(d, &o->u.copy);
        pthread_mutex_lock(&core_lock);
        if (other) cross_end(d);
        seconds = copy_seconds(d, &o->u.copy, &engine);
        if (engine) {
            double *ready = engine == 1 ? &d->copy_in : &d->copy_out;
            if (*ready > at) o->began = *ready;
            *ready = o->began + seconds;
        }
        fail(d, o, code);
        /* with cudaMemcpyDefault the program did not say which way */
        const int way = engine == 1                ? COPY_HOST_DEVICE
                        : engine == 2              ? COPY_DEVICE_HOST
                        : copy_on_card(&o->u.copy) ? COPY_DEVICE_DEVICE
                                                   : COPY_HOST_HOST;
        record_copy(way, o->u.copy.width * o->u.copy.height * o->u.copy.depth, seconds);
        break;
    }
    case OP_FILL: {
        static const uint64_t chunk = 1 << 16;
        const fill *f = &o->u.fill;
        const uint64_t row = f->width * f->size;
        char *pattern = malloc(chunk);
        sim_error err;
        code = pattern ? E_OK : E_MemoryAllocation;
        for (uint64_t i = 0; pattern && i < chunk; i += f->size) memcpy(pattern + i, &f->value, f->size);
        const bool whole = f->pitch == row || f->height == 1;
        for (uint64_t y = 0; !code && y < (whole ? 1 : f->height); y++) {
            const uint64_t bytes = whole ? row * f->height : row;
            for (uint64_t x = 0; !code && x < bytes; x += chunk)
                if (sim_write(d->s, f->at + y * f->pitch + x, pattern, bytes - x < chunk ? bytes - x : chunk, &err))
                    code = E_InvalidValue;
        }
        free(pattern);
        d->version++;
        pthread_mutex_lock(&core_lock);
        const sim_card *c = sim_card_of(d->s);
        seconds = 1.4e-6;
        if (c->timing.known) seconds += (double)(row * f->height) / (c->timing.dram_bytes * c->clock_khz * 1e3);
        fail(d, o, code);
        break;
    }
    case OP_HOST:
        if (o->u.host.callback) o->u.host.callback(o->stream->handle, d->fault, o->u.host.arg);
        else o->u.host.call(o->u.host.arg);
        pthread_mutex_lock(&core_lock);
        break;
    case OP_WAIT:
        pthread_mutex_lock(&core_lock);
        d->awaits = true; /* another device's: that one may need this one's memory first */
        pthread_cond_broadcast(&core_done);
        while (!o->u.mark->done || d->holders) pthread_cond_wait(&core_done, &core_lock);
        d->awaits = false;
        if (o->u.mark->time > o->began) o->began = o->u.mark->time;
        break;
    case OP_DECIDE:
        pthread_mutex_lock(&core_lock);
        fail(d, o, decide(d, o));
        break;
    case OP_FREE:
        pthread_mutex_lock(&core_lock);
        if (region_find(o->u.free) && region_find(o->u.free)->flags & REGION_GRAPH) break;
        region_forget(o->u.free);
        region_unshare(d, o->u.free, false);
        d->version++;
        device_free(d, o->u.free, 1);
        break;
    default: pthread_mutex_lock(&core_lock); break;
    }
    o->ended = o->began + seconds;
}

/* ---- turns ---- */

/* The operation whose turn it is: the first that may begin; else, of those that gave way, the one
 * that did so first. NULL: none. An operation may begin when all that its stream's order wants
 * before it is over. */
static op *next_turn(device *d)
{
    static uint64_t scans;
    const uint64_t scan = ++scans;
    bool legacy = false, blocking = false; /* such streams have unfinished operations before this one */
    op *oldest = NULL;
    if (!d->active) return d->head;
    for (op *o = d->head; o; o = o->next) {
        stream *st = o->stream;
        const bool blocks = !(st->flags & 1), before = st->scan == scan;
        if (!o->begun && !before && !(st->legacy && blocking) && !(blocks && legacy) &&
            (o->kind != OP_WAIT || o->u.mark->done))
            return o;
        if (o->gave_way && (!oldest || o->ticket < oldest->ticket)) oldest = o;
        st->scan = scan;
        if (st->legacy) legacy = true;
        else if (blocks) blocking = true;
    }
    return oldest;
}

static void *work(void *arg);
static bool another_worker(device *d)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}; /* what a thread does itself */
    pthread_t worker;
    sigset_t others, before;
    if (d->workers == WORKERS) return false;
    sigfillset(&others); /* the program's handlers run on its own threads */
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&others, own[i]);
    pthread_sigmask(SIG_SETMASK, &others, &before);
    const bool made = !pthread_create(&worker, NULL, work, d);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!made) return false;
    pthread_detach(worker);
    d->workers++;
    return true;
}

/* Called by the simulator, on the thread that performs the launch, between two instructions. */
static void give_way(void *arg, bool waits)
{
    op *o = arg;
    device *d = o->stream->device;
    pthread_mutex_lock(&core_lock);
    o->ticket = ++d->tickets;
    o->gave_way = true;
    if (waits != o->waits) pthread_cond_broadcast(&core_done); /* who asks has an answer */
    o->waits = waits;
    o->waited = o->waited || waits;
    const bool others = waits && next_turn(d) != o;
    if (others || d->holders) {
        o->interrupted = true;
        d->busy = false;
        pthread_cond_broadcast(&core_done);
        pthread_cond_broadcast(&d->wake);
        for (;;) {
            const op *next = next_turn(d);
            if (!d->busy && !d->holders && (next == o || (!next->begun && !d->idle && !another_worker(d)))) break;
            pthread_cond_wait(&d->wake, &core_lock);
        }
        d->busy = true;
    }
    o->gave_way = false;
    pthread_mutex_unlock(&core_lock);
}

/* For the timeline. */
static void tell(const device *d, const op *o)
{
    char detail[200] = "";
    const char *name = NULL;
    switch (o->kind) {
    case OP_LAUNCH: {
        const launch_config *c = &o->u.launch.config;
        name = c->f->name;
        snprintf(detail, sizeof detail, "%u,%u,%u %u,%u,%u", c->grid[0], c->grid[1], c->grid[2], c->block[0],
                 c->block[1], c->block[2]);
        break;
    }
    case OP_COPY: {
        int engine;
        copy_seconds((device *)(uintptr_t)d, &o->u.copy, &engine);
        name = engine == 1                ? "copy to the card"
               : engine == 2              ? "copy to the host"
               : copy_on_card(&o->u.copy) ? "copy on the card"
                                          : "copy";
        snprintf(detail, sizeof detail, "%llu bytes",
                 (unsigned long long)(o->u.copy.width * o->u.copy.height * o->u.copy.depth));
        break;
    }
    case OP_FILL:
        name = "fill";
        snprintf(detail, sizeof detail, "%llu bytes",
                 (unsigned long long)(o->u.fill.width * o->u.fill.height * o->u.fill.size));
        break;
    case OP_HOST: name = "host function"; break;
    default: return;
    }
    record_event(o->kind == OP_LAUNCH ? 'k'
                 : o->kind == OP_COPY ? 'c'
                 : o->kind == OP_FILL ? 'f'
                                      : 'h',
                 d->ordinal, o->stream->id, o->began, o->ended - o->began, name, detail);
}

/* With the lock, and busy. */
static void perform_one(device *d, op *o)
{
    stream *st = o->stream;
    o->begun = true;
    o->give_way = give_way;
    d->active++;
    perform(d, o);
    d->active--;
    d->launched_in = o->kind == OP_LAUNCH ? st : NULL;
    if (o->run && o->kind != OP_GRAPH_END) {
        o->run->end[o->node] = o->ended;
        if (o->ended > o->run->ended) o->run->ended = o->ended;
    } else {
        if (o->run && o->run->ended > o->ended) o->ended = o->run->ended;
        if (o->ended > st->ready) st->ready = o->ended;
    }
    if (o->kind == OP_RECORD) {
        o->u.mark->time = o->ended;
        o->u.mark->done = true;
    }
    if (core_options.events) tell(d, o);
    op **at = &d->head, *before = NULL;
    for (; *at != o; at = &(*at)->next) before = *at;
    *at = o->next;
    if (d->tail == o) d->tail = before;
    for (op *other = d->active ? d->head : NULL; other; other = other->next)
        if (other->gave_way && o->ended > other->after) other->after = o->ended;
    if (!d->active && d->to_free_count) free_kept(d);
    d->done = d->head ? d->head->sequence - 1 : d->asked;
    if (!o->next || o->next->sequence != o->sequence) st->done = o->sequence; /* more was inserted */
    if (!--st->pending && st->dead && !st->waiters) stream_free(st);
    op_free(o);
    pthread_cond_broadcast(&core_done);
}

#define IDLE_SECONDS 0.2
static void *work(void *arg)
{
    device *d = arg;
    core_worker = true;
    pthread_mutex_lock(&core_lock);
    for (;;) {
        op *o = NULL;
        d->idle++;
        bool in_time = true, over = false; /* without work it ends: a process lives as long as one of its threads */
        while (!over && (d->busy || d->holders || !(o = next_turn(d)) || o->begun)) {
            over = !in_time && !d->head;
            if (!over) in_time = time_wait_for(&d->wake, IDLE_SECONDS);
        }
        d->idle--;
        if (over) break;
        d->busy = true;
        perform_one(d, o);
        d->busy = false;
        if (d->active || d->holders || d->head) pthread_cond_broadcast(&d->wake);
        if (d->holders) pthread_cond_broadcast(&core_done);
    }
    d->workers--;
    pthread_mutex_unlock(&core_lock);
    return NULL;
}

void device_hold(device *d)
{
    d->holders++;
    while (d->busy && !d->awaits) pthread_cond_wait(&core_done, &core_lock);
    changes_settle(d);
    device_let_go(d);
}

void device_let_go(device *d)
{
    if (!--d->holders && d->head) pthread_cond_broadcast(d->awaits ? &core_done : &d->wake);
}

static void shows_fault(device *d, uint64_t waited_for)
{
    if (d->fault && d->fault_at <= waited_for) d->fault_shown = true;
}

void wait_sequence(device *d, uint64_t sequence)
{
    while (d->done < sequence) core_rest(NULL);
    shows_fault(d, d->done);
}

/* Until the stream has performed that. It may be destroyed meanwhile; then its time is 0. */
static double wait_on_stream(stream *st, uint64_t sequence)
{
    device *d = st->device;
    st->waiters++;
    while (st->done < sequence) core_rest(NULL);
    shows_fault(d, sequence);
    const double ready = st->ready;
    if (!--st->waiters && st->dead && !st->pending) stream_free(st);
    return ready;
}

void wait_asked(stream *st) { wait_on_stream(st, st->last); }

static int waited(device *d, double until)
{
    const double before = time_now();
    time_until(until);
    record_wait(time_now() - before);
    if (core_options.events && time_now() > before)
        record_event('w', d->ordinal, 0, before, time_now() - before, "waits for the card", "");
    print_flush(d);
    return core_fault(d);
}

int submit(stream *st, op *o, bool waits)
{
    device *d = st->device;
    const int bad = core_fault(d);
    if (bad) {
        op_free(o);
        return bad;
    }
    if (st->capture) {
        const int code = waits ? E_StreamCaptureUnsupported : capture_op(st, o);
        if (code) st->capture->broken = E_StreamCaptureInvalidated;
        op_free(o);
        return code;
    }
    if (!d->workers && !another_worker(d)) {
        op_free(o);
        return E_OperatingSystem;
    }
    o->next = NULL;
    o->stream = st;
    if (d->inserting) {
        op *before = d->inserting;
        o->issued = before->begun ? before->began : before->issued;
        o->sequence = before->sequence;
        o->next = before->next;
        before->next = o;
        if (d->tail == before) d->tail = o;
        d->inserting = o;
        st->pending++;
        return E_OK;
    }
    o->issued = time_now();
    o->sequence = ++d->asked;
    st->last = o->sequence;
    st->pending++;
    if (d->tail) d->tail->next = o;
    else d->head = o;
    d->tail = o;
    const uint64_t sequence = o->sequence;
    if (waits && d->head == o && !d->busy) { /* nothing to overlap with: no thread has to wake up */
        d->busy = true;
        perform_one(d, o);
        d->busy = false;
        if (d->head || d->holders) pthread_cond_broadcast(&d->wake);
        if (d->holders) pthread_cond_broadcast(&core_done);
    } else {
        pthread_cond_broadcast(&d->wake);
    }
    return waits ? waited(d, wait_on_stream(st, sequence)) : E_OK;
}

/* ---- waiting ---- */

/* Nothing that is captured has begun, so it cannot be waited for. What asks for that ends the
 * capture. */
static int asks_captured(stream *st)
{
    st->capture->broken = E_StreamCaptureInvalidated;
    return E_StreamCaptureUnsupported;
}

int wait_stream(stream *st)
{
    device *d = st->device;
    if (st->capture) return asks_captured(st);
    if (!st->legacy) return waited(d, wait_on_stream(st, st->last));
    double until = 0; /* the legacy stream waits for those that wait for it */
    const uint64_t asked = d->asked;
    for (bool all = false; !all;) {
        all = true;
        for (stream *s = d->streams; s && all; s = s->next)
            all = s->flags & 1 || !s->pending || s->done >= (s->last < asked ? s->last : asked);
        if (!all) core_rest(NULL);
    }
    shows_fault(d, asked);
    for (stream *s = d->streams; s; s = s->next)
        if (!(s->flags & 1) && s->ready > until) until = s->ready;
    return waited(d, until);
}

int wait_device(device *d)
{
    for (stream *s = d->streams; s; s = s->next)
        if (s->capture) return asks_captured(s);
    wait_sequence(d, d->asked);
    double until = 0;
    for (stream *s = d->streams; s; s = s->next)
        if (s->ready > until) until = s->ready;
    return waited(d, until);
}

/* How long an answer waits until it is known when something is over: what the host asks twice in
 * one simulated moment has one answer. Of a kernel that waits for the host it is never known. */
enum { PATIENCE_MS = 2000 };
static struct timespec patience(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_MS / 1000;
    return until;
}

static bool kernel_waits(const device *d)
{
    for (const op *o = d->active ? d->head : NULL; o; o = o->next)
        if (o->waits) return true;
    return false;
}

bool core_idle(void)
{
    for (int i = 0; i < core_devices(); i++) {
        const device *d = core_opened(i);
        if (d && d->done < d->asked && !kernel_waits(d)) return false;
    }
    return true;
}

static bool recorded(mark *m)
{
    const struct timespec until = patience();
    bool in_time = true;
    m->refs++;
    while (!m->done && in_time && !kernel_waits(m->device)) in_time = !core_rest(&until);
    const bool done = m->done;
    mark_drop(m);
    return done;
}

static bool performed(stream *st)
{
    const struct timespec until = patience();
    const uint64_t sequence = st->last;
    bool in_time = true;
    st->waiters++;
    while (st->done < sequence && in_time && !kernel_waits(st->device)) in_time = !core_rest(&until);
    const bool done = st->done >= sequence;
    if (!--st->waiters && st->dead && !st->pending) {
        stream_free(st);
        return false;
    }
    return done;
}

int query_stream(stream *st)
{
    device *d = st->device;
    if (st->capture) return asks_captured(st);
    if (!performed(st) || (core_options.timed && st->ready > time_now())) return E_NotReady;
    shows_fault(d, st->last);
    print_flush(d);
    return core_fault(d);
}

/* ---- events ---- */

int event_new(device *d, unsigned flags, void **handle)
{
    enum { BLOCKING = 1, WITHOUT_TIMES = 2, BETWEEN_PROCESSES = 4 };
    if (flags & ~(unsigned)(BLOCKING | WITHOUT_TIMES | BETWEEN_PROCESSES)) return E_InvalidValue;
    if (flags & BETWEEN_PROCESSES && !(flags & WITHOUT_TIMES)) return E_InvalidValue;
    event *e = calloc(1, sizeof *e);
    if (!e) return E_MemoryAllocation;
    *e = (event){.device = d, .flags = flags};
    e->handle = handle_new(H_EVENT, e);
    if (!e->handle) {
        free(e);
        return E_MemoryAllocation;
    }
    *handle = e->handle;
    return E_OK;
}

int event_end(void *handle)
{
    event *e = handle_find(H_EVENT, handle);
    if (!e) return E_InvalidResourceHandle;
    handle_end(H_EVENT, handle);
    mark_drop(e->mark);
    ipc_event_end(e);
    free(e);
    return E_OK;
}

int event_record(event *e, stream *st)
{
    if (e->device != st->device) return E_InvalidResourceHandle;
    if (st->capture) return capture_record(st, e);
    op *o = calloc(1, sizeof *o);
    mark *m = calloc(1, sizeof *m);
    if (!o || !m) {
        free(o);
        free(m);
        return E_MemoryAllocation;
    }
    *m = (mark){.refs = 2, .device = st->device};
    o->kind = OP_RECORD;
    o->u.mark = m;
    mark_drop(e->mark);
    e->mark = m;
    e->capture = NULL;
    const int code = submit(st, o, false);
    if (!code) m->sequence = st->last;
    else m->done = true;
    return code ? code : ipc_event_recorded(e, st);
}

int stream_wait(stream *st, event *e)
{
    if (st->capture || e->capture) return capture_wait(st, e);
    if (!e->mark) return ipc_event_awaited(e, st);
    op *o = calloc(1, sizeof *o);
    if (!o) return E_MemoryAllocation;
    o->kind = OP_WAIT;
    o->u.mark = e->mark;
    e->mark->refs++;
    const int code = submit(st, o, false);
    return code ? code : ipc_event_awaited(e, st);
}

int event_wait(event *e)
{
    if (e->capture) return E_CapturedEvent;
    ipc_event_wait(e);
    if (!e->mark) return E_OK;
    mark *m = e->mark;
    m->refs++;
    while (!m->done) core_rest(NULL);
    device *d = m->device;
    shows_fault(d, m->sequence);
    const int code = waited(d, m->time);
    mark_drop(m);
    return code;
}

/* Has the card passed it, at the program's present moment? Without a clock, what was performed has happened. */
static bool passed(mark *m)
{
    if (core_worker) return m->done; /* the card is at the callback that asks */
    return recorded(m) && (!core_options.timed || m->time <= time_now());
}

int event_query(event *e)
{
    if (e->capture) return E_CapturedEvent;
    mark *m = e->mark;
    if (!ipc_event_passed(e)) return E_NotReady;
    if (!m) return E_OK;
    device *d = m->device;
    if (!passed(m)) return E_NotReady;
    shows_fault(d, m->sequence);
    return core_fault(d);
}

int event_elapsed(event *from, event *to, float *ms)
{
    if (!from->mark || !to->mark || ((from->flags | to->flags) & 2)) return E_InvalidResourceHandle;
    if (!passed(from->mark) || !passed(to->mark)) return E_NotReady;
    /* a card counts half microseconds */
    *ms = (float)((to->mark->time - from->mark->time) * 1e3);
    return core_fault(to->mark->device);
}
