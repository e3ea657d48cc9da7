/* graphs.c: graphs: made node by node or by watching what a stream is asked, and launched. A launch
 * puts a copy of each node's operation into the queue of the device, in an order that their
 * dependencies allow; when each begins follows from those (queue.c: earliest). */
#include "core.h"
#include "list.h"
#include <stdlib.h>
#include <string.h>

graph *graph_new(void)
{
    graph *g = calloc(1, sizeof *g);
    if (g && !(g->handle = handle_new(H_GRAPH, g))) {
        free(g);
        return NULL;
    }
    return g;
}

static void op_clear(op *o)
{
    if (o->kind == OP_LAUNCH) free(o->u.launch.params);
    if (o->kind == OP_RECORD || o->kind == OP_WAIT) mark_drop(o->u.mark);
}

void graph_end(graph *g)
{
    if (!g) return;
    handle_end(H_GRAPH, g->handle);
    graph_release(g);
}

/* Its owner, or one of `refs` who use it too, does no more. */
void graph_release(graph *g)
{
    if (g->refs) {
        g->refs--;
        return;
    }
    for (int i = 0; i < g->count; i++) {
        node *n = g->nodes[i];
        handle_end(H_NODE, n->handle);
        op_clear(&n->op);
        graph_end(n->child);
        for (unsigned k = 0; k < n->body_count; k++) graph_end(n->bodies[k]);
        free(n->bodies);
        free(n->needs);
        free(n);
    }
    free(g->nodes);
    free(g->conditions);
    free(g);
}

static bool op_dup(op *to, const op *from)
{
    *to = *from;
    to->next = NULL;
    to->run = NULL;
    if (from->kind == OP_LAUNCH) {
        to->u.launch.params = malloc(from->u.launch.param_bytes + 1);
        if (!to->u.launch.params) return false;
        memcpy(to->u.launch.params, from->u.launch.params, from->u.launch.param_bytes);
    }
    if (from->kind == OP_RECORD || from->kind == OP_WAIT) from->u.mark->refs++;
    return true;
}

/* o: NULL for a node without work of its own. */
node *graph_add(graph *g, int type, const op *o, node **needs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!needs[i] || needs[i]->graph != g) return NULL;
    if (!list_grow(&g->nodes, (size_t)g->count, sizeof *g->nodes)) return NULL;
    node *n = calloc(1, sizeof *n);
    int *list = calloc(count + 1, sizeof *list);
    if (!n || !list || !(n->handle = handle_new(H_NODE, n))) {
        free(n);
        free(list);
        return NULL;
    }
    n->graph = g;
    n->index = g->count;
    n->type = type;
    n->needs = list;
    n->op.kind = OP_GRAPH_END;
    if (o && !op_dup(&n->op, o)) {
        handle_end(H_NODE, n->handle);
        free(list);
        free(n);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) n->needs[n->need_count++] = needs[i]->index;
    g->nodes[g->count++] = n;
    return n;
}

int graph_condition(graph *g, uint64_t at, uint32_t first, bool assigned)
{
    if (!list_grow(&g->conditions, (size_t)g->condition_count, sizeof *g->conditions)) return E_MemoryAllocation;
    g->conditions[g->condition_count++] = (struct condition){at, first, assigned};
    const region *r = region_find(at);
    const uint32_t zero = 0;
    if (r) device_hold(r->device), sim_write(r->device->s, at, &zero, sizeof zero, NULL);
    return E_OK;
}

/* Gives the node that many graphs of its own. */
int graph_bodies(node *n, unsigned count)
{
    if (!(n->bodies = calloc(count, sizeof *n->bodies))) return E_MemoryAllocation;
    for (; n->body_count < count; n->body_count++)
        if (!(n->bodies[n->body_count] = graph_new())) return E_MemoryAllocation;
    return E_OK;
}

graph *graph_copy(const graph *g)
{
    graph *c = graph_new();
    for (int i = 0; c && i < g->condition_count; i++)
        if (graph_condition(c, g->conditions[i].at, g->conditions[i].first, g->conditions[i].assigned)) {
            graph_end(c);
            return NULL;
        }
    for (int i = 0; c && i < g->count; i++) {
        const node *from = g->nodes[i];
        node *n = graph_add(c, from->type, from->op.kind == OP_GRAPH_END ? NULL : &from->op, NULL, 0);
        int *needs = n ? realloc(n->needs, ((size_t)from->need_count + 1) * sizeof *needs) : NULL;
        if (!needs) {
            graph_end(c);
            return NULL;
        }
        memcpy(needs, from->needs, (size_t)from->need_count * sizeof *needs);
        n->needs = needs;
        n->need_count = from->need_count;
        n->event = from->event;
        n->gone = from->gone;
        n->off = from->off;
        n->condition = from->condition;
        n->condition_kind = from->condition_kind;
        n->bodies = from->body_count ? calloc(from->body_count, sizeof *n->bodies) : NULL;
        bool fine = !from->body_count || n->bodies;
        for (; fine && n->body_count < from->body_count; n->body_count++)
            if (!(n->bodies[n->body_count] = graph_copy(from->bodies[n->body_count]))) {
                fine = false;
                break;
            }
        if (!fine || (from->child && !(n->child = graph_copy(from->child)))) {
            graph_end(c);
            return NULL;
        }
    }
    return c;
}

/* The nodes in an order in which each stands behind what it needs; false: they need each other. */
static bool order_of(const graph *g, int *order)
{
    bool *placed = calloc((size_t)g->count + 1, sizeof *placed);
    int n = 0;
    for (bool more = true; placed && more;) {
        more = false;
        for (int i = 0; i < g->count; i++) {
            bool ready = !placed[i];
            for (int k = 0; ready && k < g->nodes[i]->need_count; k++) ready = placed[g->nodes[i]->needs[k]];
            if (!ready) continue;
            placed[i] = more = true;
            order[n++] = i;
        }
    }
    free(placed);
    return n == g->count;
}

bool graph_is_ring(const graph *g)
{
    int *order = calloc((size_t)g->count + 1, sizeof *order);
    bool ring = order && !order_of(g, order);
    free(order);
    for (int i = 0; !ring && i < g->count; i++) {
        const node *n = g->nodes[i];
        ring = n->child && graph_is_ring(n->child);
        for (unsigned k = 0; !ring && k < n->body_count; k++) ring = graph_is_ring(n->bodies[k]);
    }
    return ring;
}

/* A graph may change, or be destroyed, while what was launched still waits. */
static bool needs_dup(op *o, const node *n)
{
    const size_t bytes = (size_t)n->need_count * sizeof *o->needs;
    if (!bytes) return true;
    if (!(o->needs = malloc(bytes))) return false;
    memcpy(o->needs, n->needs, bytes);
    o->need_count = n->need_count;
    return true;
}

/* Makes the operation look at the node's condition, and perform one of its graphs. */
static bool decides(op *o, const node *n)
{
    o->kind = OP_DECIDE;
    o->u.decide.bodies = calloc(n->body_count, sizeof *o->u.decide.bodies);
    o->u.decide.at = n->condition;
    o->u.decide.kind = n->condition_kind;
    if (!o->u.decide.bodies) return false;
    for (; o->u.decide.count < n->body_count; o->u.decide.count++) {
        o->u.decide.bodies[o->u.decide.count] = n->bodies[o->u.decide.count];
        n->bodies[o->u.decide.count]->refs++;
    }
    return true;
}

/* Conditions begin each launch with their first value. */
static int set_conditions(const graph *g, stream *st)
{
    int code = E_OK;
    for (int i = 0; i < g->condition_count && !code; i++) {
        const fill f = {g->conditions[i].at, 4, 1, 1, g->conditions[i].first, 4};
        if (g->conditions[i].assigned) code = submit_fill(st, &f, true);
    }
    return code;
}

int graph_launch(graph *g, stream *st)
{
    int *order = calloc((size_t)g->count + 1, sizeof *order);
    graph_run *run = calloc(1, sizeof *run);
    if (run) run->end = calloc((size_t)g->count + 1, sizeof *run->end);
    int code = !order || !run || !run->end ? E_MemoryAllocation : order_of(g, order) ? E_OK : E_InvalidValue;
    if (!code && st->capture) { /* a graph within a graph */
        node *n = graph_add(st->capture->graph, 4, NULL, NULL, 0);
        if (n) n->child = graph_copy(g);
        code = n && n->child ? E_OK : E_MemoryAllocation;
        free(order);
        if (run) free(run->end);
        free(run);
        return code;
    }
    if (code) {
        free(order);
        if (run) free(run->end);
        free(run);
        return code;
    }
    run->refs = 1;
    code = set_conditions(g, st);
    for (int i = 0; !code && i < g->count; i++) {
        const node *n = g->nodes[order[i]];
        if (n->gone || n->off) continue;
        if (n->child) {
            code = graph_launch(n->child, st);
            continue;
        }
        if (n->event && n->op.kind == OP_RECORD) {
            event *e = handle_find(H_EVENT, n->event);
            code = e ? event_record(e, st) : E_InvalidResourceHandle;
            continue;
        }
        if (n->op.kind == OP_GRAPH_END && !n->body_count) continue;
        op *o = calloc(1, sizeof *o);
        if (!o || !op_dup(o, &n->op) || !needs_dup(o, n) || (n->body_count && !decides(o, n))) {
            op_free(o);
            code = E_MemoryAllocation;
            break;
        }
        o->run = run;
        o->node = order[i];
        run->refs++;
        code = submit(st, o, false);
    }
    op *last = code ? NULL : calloc(1, sizeof *last);
    if (last) {
        last->kind = OP_GRAPH_END;
        last->run = run;
        run->refs++;
        code = submit(st, last, false);
    }
    if (!--run->refs) {
        free(run->end);
        free(run);
    }
    free(order);
    return code;
}

/* ---- capture ---- */

static int stream_slot(capture *c, stream *st)
{
    for (int i = 0; i < c->stream_count; i++)
        if (c->streams[i] == st) return i;
    if (c->stream_count == 64) return -1;
    c->streams[c->stream_count] = st;
    return c->stream_count++;
}

enum { CAPTURE_GLOBAL, CAPTURE_OF_THREAD, CAPTURE_RELAXED };
static _Thread_local int thread_mode;

int capture_thread_mode(int mode)
{
    const int before = thread_mode;
    thread_mode = mode;
    return before;
}

/* CUDA's rule: a thread is kept from such calls by its own captures but relaxed ones, and as long as it does not say
 * otherwise by global ones of other threads. */
int capture_allows(void)
{
    int code = E_OK;
    for (int i = 0; i < core_devices() && thread_mode != CAPTURE_RELAXED; i++) {
        const device *d = core_opened(i);
        for (stream *s = d ? d->streams : NULL; s; s = s->next) {
            capture *c = s->capture;
            if (!c || c->mode == CAPTURE_RELAXED) continue;
            const bool own = pthread_equal(c->thread, pthread_self());
            if (!own && (c->mode != CAPTURE_GLOBAL || thread_mode != CAPTURE_GLOBAL)) continue;
            c->broken = E_StreamCaptureInvalidated;
            code = E_StreamCaptureUnsupported;
        }
    }
    return code;
}

int capture_begin(stream *st, int mode, graph *into)
{
    static unsigned long long ids = 1;
    if (st->capture) return E_IllegalState;
    if (st->legacy) return E_StreamCaptureUnsupported;
    if (mode < CAPTURE_GLOBAL || mode > CAPTURE_RELAXED) return E_InvalidValue;
    capture *c = calloc(1, sizeof *c);
    if (!c || !(c->graph = into ? into : graph_new())) {
        free(c);
        return E_MemoryAllocation;
    }
    c->origin = st;
    c->mode = mode;
    c->thread = pthread_self();
    c->id = ids++;
    st->capture = c;
    stream_slot(c, st);
    return E_OK;
}

static int set_tail(capture *c, int slot, int index)
{
    int *tail = realloc(c->tails[slot], sizeof *tail);
    if (!tail) return E_MemoryAllocation;
    c->tails[slot] = tail;
    tail[0] = index;
    c->tail_count[slot] = 1;
    return E_OK;
}

int capture_op(stream *st, const op *o)
{
    capture *c = st->capture;
    if (c->broken) return c->broken;
    const int slot = stream_slot(c, st);
    if (slot < 0) return E_NotSupported;
    static const int types[] = {[OP_LAUNCH] = 0, [OP_COPY] = 1, [OP_FILL] = 2,  [OP_HOST] = 3,
                                [OP_RECORD] = 7, [OP_WAIT] = 6, [OP_FREE] = 11, [OP_GRAPH_END] = 5};
    node *needs[256];
    int n = 0;
    for (; n < c->tail_count[slot] && n < 256; n++) needs[n] = c->graph->nodes[c->tails[slot][n]];
    /* what a graph frees it has again at its next launch, at the same address */
    node *made = graph_add(c->graph, types[o->kind], o->kind == OP_FREE ? NULL : o, needs, (size_t)n);
    return made ? set_tail(c, slot, made->index) : E_MemoryAllocation;
}

/* The nodes that what the stream is asked next will need; *list is the capture's, until the next. */
int capture_tails(stream *st, void ***list, size_t *count)
{
    capture *c = st->capture;
    const int slot = stream_slot(c, st);
    if (slot < 0) return E_NotSupported;
    void **all = realloc(c->shown, ((size_t)c->tail_count[slot] + 1) * sizeof *all);
    if (!all) return E_MemoryAllocation;
    c->shown = all;
    for (int i = 0; i < c->tail_count[slot]; i++) all[i] = c->graph->nodes[c->tails[slot][i]]->handle;
    if (list) *list = all;
    if (count) *count = (size_t)c->tail_count[slot];
    return E_OK;
}

/* Others in their place, or beside them. */
int capture_set_tails(stream *st, void *const *nodes, size_t count, bool replace)
{
    capture *c = st->capture;
    const int slot = stream_slot(c, st);
    if (slot < 0) return E_NotSupported;
    const size_t before = replace ? 0 : (size_t)c->tail_count[slot];
    if (count > 4096 || before > 4096) return E_InvalidValue;
    for (size_t i = 0; i < count; i++) {
        const node *n = handle_find(H_NODE, nodes[i]);
        if (!n || n->graph != c->graph) return E_InvalidValue;
    }
    int *all = realloc(c->tails[slot], (before + count + 1) * sizeof *all);
    if (!all) return E_MemoryAllocation;
    c->tails[slot] = all;
    for (size_t i = 0; i < count; i++) all[before + i] = ((const node *)handle_find(H_NODE, nodes[i]))->index;
    c->tail_count[slot] = (int)(before + count);
    return E_OK;
}

/* The event stands for what its stream was asked so far. */
int capture_record(stream *st, event *e)
{
    capture *c = st->capture;
    const int slot = stream_slot(c, st);
    if (slot < 0) return E_NotSupported;
    if (c->tail_count[slot] != 1) { /* of several or none: a node that has nothing to do */
        op nothing = {.kind = OP_GRAPH_END};
        const int code = capture_op(st, &nothing);
        if (code) return code;
    }
    e->capture = c;
    e->captured = c->tails[slot][0];
    return E_OK;
}

int capture_wait(stream *st, event *e)
{
    if (!e->capture) return E_StreamCaptureIsolation;
    capture *c = e->capture;
    if (st->capture && st->capture != c) return E_StreamCaptureMerge;
    st->capture = c;
    const int slot = stream_slot(c, st);
    if (slot < 0) return E_NotSupported;
    int *tail = realloc(c->tails[slot], ((size_t)c->tail_count[slot] + 1) * sizeof *tail);
    if (!tail) return E_MemoryAllocation;
    c->tails[slot] = tail;
    tail[c->tail_count[slot]++] = e->captured;
    return E_OK;
}

int capture_finish(stream *st, graph **out)
{
    capture *c = st->capture;
    *out = NULL;
    if (!c) return E_IllegalState;
    if (c->origin != st) return E_StreamCaptureUnmatched;
    const int code = c->broken;
    for (int i = 0; i < c->stream_count; i++) {
        c->streams[i]->capture = NULL;
        free(c->tails[i]);
    }
    if (!code) *out = c->graph;
    else graph_end(c->graph);
    c->graph = NULL; /* events may still point here: it stays */
    return code;
}

/* With the lock: what goes wrong with `o` was found before. */
int graph_add_node(void **out, void *handle, void *const *needs, size_t count, int type, const op *o, node **made)
{
    graph *g = handle_find(H_GRAPH, handle);
    if (!g || !out || (count && !needs)) return E_InvalidValue;
    node **list = calloc(count + 1, sizeof *list);
    if (!list) return E_MemoryAllocation;
    for (size_t i = 0; i < count; i++) list[i] = handle_find(H_NODE, needs[i]);
    node *n = graph_add(g, type, o, list, count);
    free(list);
    if (!n) return E_InvalidValue;
    *out = n->handle;
    if (made) *made = n;
    return E_OK;
}

int graph_node_launch(device *d, const launch_config *c, void **params, op *o)
{
    const sim_kernel *k;
    memset(o, 0, sizeof *o);
    int code = function_resolve(c->f, d, &k);
    if (!code) code = launch_check(d, c, k);
    if (code) return launch_answer(c, code);
    unsigned char *copied = calloc(1, (size_t)k->param_bytes + 1);
    if (!copied) return E_MemoryAllocation;
    for (int i = 0; params && i < k->params; i++) memcpy(copied + k->param[i].offset, params[i], k->param[i].size);
    o->kind = OP_LAUNCH;
    o->u.launch.config = *c;
    o->u.launch.params = copied;
    o->u.launch.param_bytes = k->param_bytes;
    return E_OK;
}
