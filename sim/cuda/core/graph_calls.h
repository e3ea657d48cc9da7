/* graph_calls.h: the calls on graphs that driver and runtime share, with the words of
 * stream_calls.h. Each face makes nodes that launch and copy of its own shapes (NODE). */
static graph *graph_of(void *handle) { return handle_find(H_GRAPH, handle); }
static node *node_of(void *handle) { return handle_find(H_NODE, handle); }
static graph_exec *exec_of(void *handle) { return handle_find(H_EXEC, handle); }
/* The node of an instantiated graph that was made of this one. */
static node *node_in(const graph_exec *e, void *handle)
{
    const node *n = node_of(handle);
    return n && e && n->index < e->graph->count ? e->graph->nodes[n->index] : NULL;
}

API CALL(GraphCreate)(void **out, unsigned flags)
{
    device *d;
    int code = ENTER(&d);
    graph *g = code || !out || flags ? NULL : graph_new();
    if (!code && !g) code = !out || flags ? E_InvalidValue : E_MemoryAllocation;
    if (!code) *out = g->handle;
    return LEAVE(code, CALL_COST);
}
API CALL(GraphDestroy)(void *handle)
{
    device *d;
    int code = ENTER(&d);
    graph *g = code ? NULL : graph_of(handle);
    if (!code && !g) code = E_InvalidValue;
    if (!code) graph_end(g);
    return LEAVE(code, CALL_COST);
}
API CALL(GraphClone)(void **out, void *handle)
{
    device *d;
    int code = ENTER(&d);
    graph *g = code ? NULL : graph_of(handle);
    graph *c = g ? graph_copy(g) : NULL;
    if (!code && !c) code = g ? E_MemoryAllocation : E_InvalidValue;
    if (!code) *out = c->handle;
    return LEAVE(code, CALL_COST);
}
API CALL(GraphNodeFindInClone)(void **out, void *handle, void *clone)
{
    device *d;
    int code = ENTER(&d);
    const node *n = code ? NULL : node_of(handle);
    const graph *g = code ? NULL : graph_of(clone);
    if (!code && (!n || !g || n->index >= g->count)) code = E_InvalidValue;
    if (!code) *out = g->nodes[n->index]->handle;
    return LEAVE(code, CALL_COST);
}

/* ---- nodes ---- */
static void op_empty(op *o)
{
    if (o->kind == OP_LAUNCH) free(o->u.launch.params);
}

static int node_fill(const memset_node *p, op *o)
{
    memset(o, 0, sizeof *o);
    o->kind = OP_FILL;
    if (!p || (p->element != 1 && p->element != 2 && p->element != 4)) return E_InvalidValue;
    o->u.fill = (fill){(uint64_t)(uintptr_t)p->to,
                       p->pitch ? p->pitch : p->width * p->element,
                       p->width,
                       p->height ? p->height : 1,
                       p->value,
                       p->element};
    return E_OK;
}
static int node_host(const host_node *p, op *o)
{
    memset(o, 0, sizeof *o);
    o->kind = OP_HOST;
    if (!p || !p->call) return E_InvalidValue;
    o->u.host.call = p->call;
    o->u.host.arg = p->arg;
    return E_OK;
}

/* Where a node's parameters lie, until the next call. */
static void **graph_node_params(const device *d, const node *n)
{
    static _Thread_local void *params[256];
    const sim_kernel *k = n->op.u.launch.config.f->kernel[d->ordinal];
    for (int i = 0; k && i < k->params && i < 256; i++) params[i] = n->op.u.launch.params + k->param[i].offset;
    return params;
}

/* A node of each kind: added, changed, and changed in an instantiated graph. */
#define NODE(add_name, set_name, exec_name, sort, shape, make)                          \
    API add_name(void **out, void *g, void *const *needs, size_t count, const shape *p) \
    {                                                                                   \
        device *d;                                                                      \
        op o = {0};                                                                     \
        int code = ENTER(&d);                                                           \
        if (!code) code = make;                                                         \
        if (!code) code = graph_add_node(out, g, needs, count, sort, &o, NULL);         \
        op_empty(&o);                                                                   \
        return LEAVE(code, CALL_COST);                                                  \
    }                                                                                   \
    API set_name(void *handle, const shape *p)                                          \
    {                                                                                   \
        device *d;                                                                      \
        op o = {0};                                                                     \
        int code = ENTER(&d);                                                           \
        node *n = code ? NULL : node_of(handle);                                        \
        if (!code) code = n && n->type == sort ? make : E_InvalidValue;                 \
        if (!code) op_empty(&n->op), n->op = o;                                         \
        return LEAVE(code, CALL_COST);                                                  \
    }                                                                                   \
    API exec_name(void *exec, void *handle, const shape *p)                             \
    {                                                                                   \
        device *d;                                                                      \
        op o = {0};                                                                     \
        int code = ENTER(&d);                                                           \
        node *n = code ? NULL : node_in(exec_of(exec), handle);                         \
        if (!code) code = n && n->type == sort ? make : E_InvalidValue;                 \
        if (!code) op_empty(&n->op), n->op = o;                                         \
        return LEAVE(code, CALL_COST);                                                  \
    }
NODE(CALL(GraphAddMemsetNode), CALL(GraphMemsetNodeSetParams), CALL(GraphExecMemsetNodeSetParams), 2, memset_node,
     node_fill(p, &o))
NODE(CALL(GraphAddHostNode), CALL(GraphHostNodeSetParams), CALL(GraphExecHostNodeSetParams), 3, host_node,
     node_host(p, &o))

API CALL(GraphHostNodeGetParams)(void *handle, host_node *p)
{
    device *d;
    int code = ENTER(&d);
    const node *n = code ? NULL : node_of(handle);
    if (!code && (!n || n->type != 3 || !p)) code = E_InvalidValue;
    if (!code) *p = (host_node){n->op.u.host.call, n->op.u.host.arg};
    return LEAVE(code, CALL_COST);
}
API CALL(GraphMemsetNodeGetParams)(void *handle, memset_node *p)
{
    device *d;
    int code = ENTER(&d);
    const node *n = code ? NULL : node_of(handle);
    if (!code && (!n || n->type != 2 || !p)) code = E_InvalidValue;
    if (!code) {
        const fill *f = &n->op.u.fill;
        *p = (memset_node){(void *)(uintptr_t)f->at, f->pitch, f->value, f->size, f->width, f->height};
    }
    return LEAVE(code, CALL_COST);
}
API CALL(GraphAddEmptyNode)(void **out, void *g, void *const *needs, size_t count)
{
    device *d;
    int code = ENTER(&d);
    if (!code) code = graph_add_node(out, g, needs, count, 5, NULL, NULL);
    return LEAVE(code, CALL_COST);
}
API CALL(GraphAddChildGraphNode)(void **out, void *g, void *const *needs, size_t count, void *child)
{
    device *d;
    int code = ENTER(&d);
    const graph *c = code ? NULL : graph_of(child);
    node *n = NULL;
    if (!code) code = c ? graph_add_node(out, g, needs, count, 4, NULL, &n) : E_InvalidValue;
    if (!code && !(n->child = graph_copy(c))) code = E_MemoryAllocation;
    return LEAVE(code, CALL_COST);
}
API CALL(GraphChildGraphNodeGetGraph)(void *handle, void **out)
{
    device *d;
    int code = ENTER(&d);
    const node *n = code ? NULL : node_of(handle);
    if (!code && (!n || !n->child || !out)) code = E_InvalidValue;
    if (!code) *out = n->child->handle;
    return LEAVE(code, CALL_COST);
}
API CALL(GraphAddEventRecordNode)(void **out, void *g, void *const *needs, size_t count, void *event_handle)
{
    device *d;
    int code = ENTER(&d);
    node *n = NULL;
    if (!code)
        code = handle_find(H_EVENT, event_handle) ? graph_add_node(out, g, needs, count, 7, NULL, &n)
                                                  : E_InvalidResourceHandle;
    if (!code) n->event = event_handle;
    return LEAVE(code, CALL_COST);
}
API CALL(GraphAddEventWaitNode)(void **out, void *g, void *const *needs, size_t count, void *event_handle)
{
    device *d;
    int code = ENTER(&d);
    node *n = NULL;
    if (!code)
        code = handle_find(H_EVENT, event_handle) ? graph_add_node(out, g, needs, count, 6, NULL, &n)
                                                  : E_InvalidResourceHandle;
    if (!code) n->event = event_handle;
    return LEAVE(code, CALL_COST);
}
API CALL(GraphDestroyNode)(void *handle)
{
    device *d;
    int code = ENTER(&d);
    node *n = code ? NULL : node_of(handle);
    if (!code && !n) code = E_InvalidValue;
    if (!code) n->gone = true;
    return LEAVE(code, CALL_COST);
}
API CALL(GraphNodeGetType)(void *handle, int *type)
{
    device *d;
    int code = ENTER(&d);
    const node *n = code ? NULL : node_of(handle);
    if (!code && (!n || !type)) code = E_InvalidValue;
    if (!code) *type = n->type;
    return LEAVE(code, CALL_COST);
}
API CALL(GraphNodeSetEnabled)(void *exec, void *handle, unsigned on)
{
    device *d;
    int code = ENTER(&d);
    node *n = code ? NULL : node_in(exec_of(exec), handle);
    if (!code && !n) code = E_InvalidValue;
    if (!code) n->off = !on;
    return LEAVE(code, CALL_COST);
}

/* ---- lists ---- */
/* ---- lists ---- */
static int list_nodes(void *handle, void **nodes, size_t *count, bool roots)
{
    device *d;
    int code = ENTER(&d);
    const graph *g = code ? NULL : graph_of(handle);
    if (!code && (!g || !count)) code = E_InvalidValue;
    size_t n = 0;
    for (int i = 0; !code && i < g->count; i++) {
        if (g->nodes[i]->gone || (roots && g->nodes[i]->need_count)) continue;
        if (nodes && n < *count) nodes[n] = g->nodes[i]->handle;
        n++;
    }
    if (!code && (!nodes || n < *count)) *count = n;
    return LEAVE(code, CALL_COST);
}
API CALL(GraphGetNodes)(void *g, void **nodes, size_t *count) { return list_nodes(g, nodes, count, false); }
API CALL(GraphGetRootNodes)(void *g, void **nodes, size_t *count) { return list_nodes(g, nodes, count, true); }
static int list_edges(void *handle, void **from, void **to, size_t *count)
{
    device *d;
    int code = ENTER(&d);
    const graph *g = code ? NULL : graph_of(handle);
    if (!code && (!g || !count)) code = E_InvalidValue;
    size_t n = 0;
    for (int i = 0; !code && i < g->count; i++)
        for (int k = 0; k < g->nodes[i]->need_count; k++, n++)
            if (from && to && n < *count)
                from[n] = g->nodes[g->nodes[i]->needs[k]]->handle, to[n] = g->nodes[i]->handle;
    if (!code && (!from || n < *count)) *count = n;
    return LEAVE(code, CALL_COST);
}
static int edges(void *handle, void *const *from, void *const *to, size_t count, bool on)
{
    device *d;
    int code = ENTER(&d);
    const graph *g = code ? NULL : graph_of(handle);
    if (!code && (!g || (count && (!from || !to)))) code = E_InvalidValue;
    for (size_t i = 0; !code && i < count; i++) {
        node *a = node_of(from[i]), *b = node_of(to[i]);
        if (!a || !b || a == b || a->graph != g || b->graph != g) {
            code = E_InvalidValue;
            break;
        }
        int at = 0;
        while (at < b->need_count && b->needs[at] != a->index) at++;
        if (on && at == b->need_count) {
            int *more = realloc(b->needs, ((size_t)at + 1) * sizeof *more);
            if (!more) code = E_MemoryAllocation;
            else b->needs = more, more[b->need_count++] = a->index;
        } else if (!on && at < b->need_count) {
            b->needs[at] = b->needs[--b->need_count];
        }
    }
    return LEAVE(code, CALL_COST);
}

/* ---- instantiated ---- */
/* ---- instantiated ---- */
static int instantiate(void **out, void *handle, unsigned long long flags)
{
    device *d;
    int code = ENTER(&d);
    const graph *g = code ? NULL : graph_of(handle);
    if (!code && (!g || !out || graph_is_ring(g))) code = E_InvalidValue;
    graph_exec *e = code ? NULL : calloc(1, sizeof *e);
    if (!code && (!e || !(e->graph = graph_copy(g)) || !(*out = handle_new(H_EXEC, e)))) code = E_MemoryAllocation;
    if (!code) e->flags = flags;
    return LEAVE(code, 10e-6);
}
API CALL(GraphInstantiateWithFlags)(void **out, void *g, unsigned long long flags)
{
    return instantiate(out, g, flags);
}
API CALL(GraphExecGetFlags)(void *handle, unsigned long long *flags)
{
    const graph_exec *e = exec_of(handle);
    if (!e || !flags) return REFUSE(E_InvalidValue);
    *flags = e->flags;
    return E_OK;
}
API CALL(GraphExecDestroy)(void *handle)
{
    device *d;
    int code = ENTER(&d);
    graph_exec *e = code ? NULL : exec_of(handle);
    if (!code && !e) code = E_InvalidValue;
    if (!code) {
        handle_end(H_EXEC, handle);
        graph_end(e->graph);
        free(e);
    }
    return LEAVE(code, CALL_COST);
}
API CALL(GraphLaunch)(void *handle, void *stream_handle)
{
    device *d;
    int code = ENTER(&d);
    stream *st = code ? NULL : stream_find(stream_handle);
    const graph_exec *e = code ? NULL : exec_of(handle);
    if (!code && (!st || !e)) code = e ? E_InvalidResourceHandle : E_InvalidValue;
    if (!code) code = graph_launch(e->graph, st);
    return LEAVE(code, cost_launch(d));
}
API CALL(GraphUpload)(void *handle, void *stream_handle)
{
    (void)stream_handle;
    return REFUSE(exec_of(handle) ? E_OK : E_InvalidValue);
}
/* Takes another graph's parameters where both have the same nodes. */
static int update(void *exec, void *handle, int *result)
{
    device *d;
    int code = ENTER(&d);
    graph_exec *e = code ? NULL : exec_of(exec);
    const graph *g = code ? NULL : graph_of(handle);
    if (!code && (!e || !g)) code = E_InvalidValue;
    bool same = !code && e->graph->count == g->count;
    for (int i = 0; same && i < g->count; i++)
        same =
            g->nodes[i]->type == e->graph->nodes[i]->type && g->nodes[i]->need_count == e->graph->nodes[i]->need_count;
    if (!code && result) *result = same ? 0 : 2; /* the topology differs */
    if (!code && !same) code = E_GraphExecUpdateFailure;
    graph *c = code ? NULL : graph_copy(g);
    if (!code && !c) code = E_MemoryAllocation;
    if (!code) {
        graph_end(e->graph);
        e->graph = c;
    }
    return LEAVE(code, 5e-6);
}
API CALL(GraphExecChildGraphNodeSetParams)(void *exec, void *handle, void *child)
{
    device *d;
    int code = ENTER(&d);
    node *n = code ? NULL : node_in(exec_of(exec), handle);
    const graph *c = code ? NULL : graph_of(child);
    graph *made = n && n->child && c ? graph_copy(c) : NULL;
    if (!code && !made) code = E_InvalidValue;
    if (!code) {
        graph_end(n->child);
        n->child = made;
    }
    return LEAVE(code, CALL_COST);
}
API CALL(GraphExecEventRecordNodeSetEvent)(void *exec, void *handle, void *event_handle)
{
    device *d;
    int code = ENTER(&d);
    node *n = code ? NULL : node_in(exec_of(exec), handle);
    if (!code && (!n || n->type != 7)) code = E_InvalidValue;
    if (!code) n->event = event_handle;
    return LEAVE(code, CALL_COST);
}
API CALL(GraphDebugDotPrint)(void *handle, const char *path, unsigned flags)
{
    device *d;
    int code = ENTER(&d);
    const graph *g = code ? NULL : graph_of(handle);
    FILE *f = g && path ? fopen(path, "w") : NULL;
    (void)flags;
    if (!code && !f) code = E_InvalidValue;
    if (!code) {
        fprintf(f, "digraph dot {\n");
        for (int i = 0; i < g->count; i++) fprintf(f, "\"node_%d\" [label=\"%d\"];\n", i, g->nodes[i]->type);
        for (int i = 0; i < g->count; i++)
            for (int k = 0; k < g->nodes[i]->need_count; k++)
                fprintf(f, "\"node_%d\" -> \"node_%d\";\n", g->nodes[i]->needs[k], i);
        fprintf(f, "}\n");
        fclose(f);
    }
    return LEAVE(code, CALL_COST);
}

/* Objects whose lifetime a graph shares: counted by the program itself. */
typedef struct user_object {
    void *object;
    void (*destroy)(void *);
    unsigned refs;
} user_object;
API CALL(UserObjectCreate)(void **out, void *object, void (*destroy)(void *), unsigned refs, unsigned flags)
{
    (void)flags;
    user_object *u = calloc(1, sizeof *u);
    if (!u || !out) {
        free(u);
        return REFUSE(E_InvalidValue);
    }
    *u = (user_object){object, destroy, refs};
    *out = u;
    return E_OK;
}
API CALL(UserObjectRetain)(void *object, unsigned count)
{
    if (!object) return REFUSE(E_InvalidValue);
    ((user_object *)object)->refs += count;
    return E_OK;
}
API CALL(UserObjectRelease)(void *object, unsigned count)
{
    user_object *u = object;
    if (!u) return REFUSE(E_InvalidValue);
    u->refs = u->refs > count ? u->refs - count : 0;
    if (!u->refs && u->destroy) u->destroy(u->object);
    if (!u->refs) free(u);
    return E_OK;
}
API CALL(GraphRetainUserObject)(void *g, void *object, unsigned count, unsigned flags)
{
    (void)flags;
    return graph_of(g) ? CALL(UserObjectRetain)(object, count) : REFUSE(E_InvalidValue);
}
API CALL(GraphReleaseUserObject)(void *g, void *object, unsigned count)
{
    return graph_of(g) ? CALL(UserObjectRelease)(object, count) : REFUSE(E_InvalidValue);
}
