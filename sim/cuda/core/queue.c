/* queue.c: what a device is asked to do, in which order it does it, and who waits for it.
 *
 * A device performs one operation after another, in the order in which they were asked, whatever
 * their streams: every order that streams and events allow contains this one. What overlaps on a
 * card overlaps in the times that are worked out here. The worker thread performs; the host only
 * waits, or takes the device for itself between two operations (device_hold).
 */
#include "core.h"
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
    if (!st->pending) stream_free(st);
    return E_OK;
}

/* ---- operations ---- */

void op_free(op *o)
{
    if (!o) return;
    if (o->kind == OP_LAUNCH) free(o->u.launch.params);
    if (o->kind == OP_RECORD || o->kind == OP_WAIT) mark_drop(o->u.mark);
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
    if (o->run) {
        const node *n = o->kind == OP_GRAPH_END ? NULL : o->run->graph->nodes[o->node];
        if (o->run->began > at) at = o->run->began;
        for (int i = 0; n && i < n->need_count; i++)
            if (o->run->end[n->needs[i]] > at) at = o->run->end[n->needs[i]];
        if (!n && o->run->ended > at) at = o->run->ended;
        if (n) return at;
    }
    const stream *st = o->stream;
    if (st->ready > at) at = st->ready;
    if (st->legacy) {
        for (const stream *other = d->streams; other; other = other->next)
            if (!(other->flags & 1) && other->ready > at) at = other->ready;
    } else if (!(st->flags & 1) && d->legacy.ready > at) {
        at = d->legacy.ready;
    }
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
    other->holders++;
    while (crossing || (other->busy && !other->crosses)) pthread_cond_wait(&core_done, &core_lock);
    crossing = true;
    d->other = other;
}
static void cross_end(device *d)
{
    crossing = d->crosses = false;
    if (!--d->other->holders && d->other->head) pthread_cond_signal(&d->other->wake);
    d->other = NULL;
    pthread_cond_broadcast(&core_done);
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
    switch (o->kind) {
    case OP_LAUNCH:
        code = launch_perform(d, o, &seconds, &share);
        pthread_mutex_lock(&core_lock);
        fail(d, o, code);
        o->began = kernel_start(d, at, share);
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
        while (!o->u.mark->done) pthread_cond_wait(&core_done, &core_lock); /* another device's */
        if (o->u.mark->time > o->began) o->began = o->u.mark->time;
        break;
    case OP_FREE:
        pthread_mutex_lock(&core_lock);
        region_forget(o->u.free);
        sim_free(d->s, o->u.free, NULL);
        d->version++;
        break;
    default: pthread_mutex_lock(&core_lock); break;
    }
    o->ended = o->began + seconds;
}

/* With the lock, and busy. */
static void perform_first(device *d)
{
    op *o = d->head;
    stream *st = o->stream;
    perform(d, o);
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
    d->head = o->next;
    if (!d->head) d->tail = NULL;
    d->done = o->sequence;
    if (!--st->pending && st->dead) stream_free(st);
    op_free(o);
    pthread_cond_broadcast(&core_done);
}

static void *work(void *arg)
{
    device *d = arg;
    pthread_mutex_lock(&core_lock);
    for (;;) {
        while (!d->head || d->busy || d->holders) pthread_cond_wait(&d->wake, &core_lock);
        d->busy = true;
        perform_first(d);
        d->busy = false;
        if (d->holders) pthread_cond_broadcast(&core_done);
    }
    return NULL;
}

void device_hold(device *d)
{
    d->holders++;
    while (d->busy) pthread_cond_wait(&core_done, &core_lock);
    if (!--d->holders && d->head) pthread_cond_signal(&d->wake);
}

void wait_sequence(device *d, uint64_t sequence)
{
    while (d->done < sequence) pthread_cond_wait(&core_done, &core_lock);
    if (d->fault && d->fault_at <= d->done) d->fault_shown = true;
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
    if (!d->started) {
        if (pthread_create(&d->worker, NULL, work, d)) {
            op_free(o);
            return E_OperatingSystem;
        }
        pthread_detach(d->worker);
        d->started = true;
    }
    o->next = NULL;
    o->stream = st;
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
        perform_first(d);
        d->busy = false;
    } else {
        pthread_cond_signal(&d->wake);
    }
    if (!waits) return E_OK;
    wait_sequence(d, sequence);
    const double before = time_now();
    time_until(st->ready);
    record_wait(time_now() - before);
    print_flush(d);
    return core_fault(d);
}

/* ---- waiting ---- */

static int waited(device *d, double until)
{
    const double before = time_now();
    time_until(until);
    record_wait(time_now() - before);
    print_flush(d);
    return core_fault(d);
}

int wait_stream(stream *st)
{
    device *d = st->device;
    if (st->capture) return E_StreamCaptureUnsupported;
    if (!st->legacy) {
        wait_sequence(d, st->last);
        return waited(d, st->ready);
    }
    double until = 0; /* the legacy stream waits for those that wait for it */
    uint64_t last = st->last;
    for (stream *s = d->streams; s; s = s->next)
        if (!(s->flags & 1) && s->last > last) last = s->last;
    wait_sequence(d, last);
    for (stream *s = d->streams; s; s = s->next)
        if (!(s->flags & 1) && s->ready > until) until = s->ready;
    return waited(d, until);
}

int wait_device(device *d)
{
    for (stream *s = d->streams; s; s = s->next)
        if (s->capture) return E_StreamCaptureUnsupported;
    wait_sequence(d, d->asked);
    double until = 0;
    for (stream *s = d->streams; s; s = s->next)
        if (s->ready > until) until = s->ready;
    return waited(d, until);
}

/* How long an answer waits until it is known when something is over: what the host asks twice in
 * one simulated moment has one answer. A kernel that waits for the host never tells. */
enum { PATIENCE_MS = 2000 };
static bool performed(device *d, uint64_t sequence)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_MS / 1000;
    while (d->done < sequence)
        if (pthread_cond_timedwait(&core_done, &core_lock, &until)) return false;
    return true;
}

int query_stream(stream *st)
{
    device *d = st->device;
    if (st->capture) return E_StreamCaptureUnsupported;
    if (!performed(d, st->last) || st->ready > time_now()) return E_NotReady;
    if (d->fault && d->fault_at <= st->last) d->fault_shown = true;
    print_flush(d);
    return core_fault(d);
}

/* ---- events ---- */

int event_new(device *d, unsigned flags, void **handle)
{
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
    return code;
}

int stream_wait(stream *st, event *e)
{
    if (st->capture || e->capture) return capture_wait(st, e);
    if (!e->mark) return E_OK;
    op *o = calloc(1, sizeof *o);
    if (!o) return E_MemoryAllocation;
    o->kind = OP_WAIT;
    o->u.mark = e->mark;
    e->mark->refs++;
    return submit(st, o, false);
}

int event_wait(event *e)
{
    if (e->capture) return E_CapturedEvent;
    if (!e->mark) return E_OK;
    mark *m = e->mark;
    m->refs++;
    if (!m->done) wait_sequence(m->device, m->sequence);
    const int code = waited(m->device, m->time);
    if (m->device->fault && m->device->fault_at <= m->sequence) m->device->fault_shown = true;
    device *d = m->device;
    mark_drop(m);
    return code ? code : core_fault(d);
}

int event_query(event *e)
{
    if (e->capture) return E_CapturedEvent;
    mark *m = e->mark;
    if (!m) return E_OK;
    device *d = m->device;
    if (!performed(d, m->sequence) || e->mark->time > time_now()) return E_NotReady;
    if (d->fault && d->fault_at <= m->sequence) d->fault_shown = true;
    return core_fault(d);
}

int event_elapsed(event *from, event *to, float *ms)
{
    if (!from->mark || !to->mark || ((from->flags | to->flags) & 2)) return E_InvalidResourceHandle;
    if (!performed(from->mark->device, from->mark->sequence) || !performed(to->mark->device, to->mark->sequence) ||
        to->mark->time > time_now() || from->mark->time > time_now())
        return E_NotReady;
    /* a card counts half microseconds */
    *ms = (float)((to->mark->time - from->mark->time) * 1e3);
    return core_fault(to->mark->device);
}
