/* rt_graph.c: graphs made node by node, changed, instantiated and launched. */
#include "runtime.h"

typedef struct graph_exec {
    graph *graph;
    unsigned long long flags;
} graph_exec;

static graph *graph_of(void *handle) { return handle_find(H_GRAPH, handle); }
static node *node_of(void *handle) { return handle_find(H_NODE, handle); }
static graph_exec *exec_of(void *handle) { return handle_find(H_EXEC, handle); }
/* The node of an instantiated graph that was made of this one. */
static node *node_in(const graph_exec *e, void *handle)
{
    const node *n = node_of(handle);
    return n && e && n->index < e->graph->count ? e->graph->nodes[n->index] : NULL;
}

API cudaGraphCreate(void **out, unsigned flags)
{
    device *d;
    int code = enter(&d);
    graph *g = code || !out || flags ? NULL : graph_new();
    if (!code && !g) code = !out || flags ? E_InvalidValue : E_MemoryAllocation;
    if (!code) *out = g->handle;
    return leave(code, CALL_COST);
}
API cudaGraphDestroy(void *handle)
{
    device *d;
    int code = enter(&d);
    graph *g = code ? NULL : graph_of(handle);
    if (!code && !g) code = E_InvalidValue;
    if (!code) graph_end(g);
    return leave(code, CALL_COST);
}
API cudaGraphClone(void **out, void *handle)
{
    device *d;
    int code = enter(&d);
    graph *g = code ? NULL : graph_of(handle);
    graph *c = g ? graph_copy(g) : NULL;
    if (!code && !c) code = g ? E_MemoryAllocation : E_InvalidValue;
    if (!code) *out = c->handle;
    return leave(code, CALL_COST);
}
API cudaGraphNodeFindInClone(void **out, void *handle, void *clone)
{
    device *d;
    int code = enter(&d);
    const node *n = code ? NULL : node_of(handle);
    const graph *g = code ? NULL : graph_of(clone);
    if (!code && (!n || !g || n->index >= g->count)) code = E_InvalidValue;
    if (!code) *out = g->nodes[n->index]->handle;
    return leave(code, CALL_COST);
}

/* ---- nodes ---- */

/* With the lock: what goes wrong with `o` was found before. */
int graph_add_node(void **out, void *handle, void *const *needs, size_t count, int type, const op *o, node **made)
{
    graph *g = graph_of(handle);
    if (!g || !out || (count && !needs)) return E_InvalidValue;
    node **list = calloc(count + 1, sizeof *list);
    if (!list) return E_MemoryAllocation;
    for (size_t i = 0; i < count; i++) list[i] = node_of(needs[i]);
    node *n = graph_add(g, type, o, list, count);
    free(list);
    if (!n) return E_InvalidValue;
    *out = n->handle;
    if (made) *made = n;
    return E_OK;
}

static void op_empty(op *o)
{
    if (o->kind == OP_LAUNCH) free(o->u.launch.params);
}

int node_launch(device *d, const kernel_node *p, op *o)
{
    function *f = p ? function_of(p->func) : NULL;
    const sim_kernel *k;
    memset(o, 0, sizeof *o);
    if (!f) return p ? E_InvalidDeviceFunction : E_InvalidValue;
    int code = function_resolve(f, d, &k);
    if (code) return code;
    unsigned char *params = calloc(1, (size_t)k->param_bytes + 1);
    if (!params) return E_MemoryAllocation;
    for (int i = 0; p->params && i < k->params; i++)
        memcpy(params + k->param[i].offset, p->params[i], k->param[i].size);
    o->kind = OP_LAUNCH;
    o->u.launch.config = (launch_config){
        f, {p->grid.x, p->grid.y, p->grid.z}, {p->block.x, p->block.y, p->block.z}, p->shared, false, {1, 1, 1}};
    o->u.launch.params = params;
    o->u.launch.param_bytes = k->param_bytes;
    return E_OK;
}
static int node_copy(const copy_3d *p, op *o)
{
    memset(o, 0, sizeof *o);
    o->kind = OP_COPY;
    return p ? copy_from_3d(p, &o->u.copy) : E_InvalidValue;
}
static int node_copy_1d(void *to, const void *from, size_t bytes, int kind, op *o)
{
    memset(o, 0, sizeof *o);
    o->kind = OP_COPY;
    o->u.copy = (copy){{(uint64_t)(uintptr_t)to, bytes, 0}, {(uint64_t)(uintptr_t)from, bytes, 0}, bytes, 1, 1, kind};
    return copy_check(&o->u.copy);
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

/* A node of each kind: added, changed, and changed in an instantiated graph. */
#define NODE(add_name, set_name, exec_name, sort, shape, make)                          \
    API add_name(void **out, void *g, void *const *needs, size_t count, const shape *p) \
    {                                                                                   \
        device *d;                                                                      \
        op o = {0};                                                                     \
        int code = enter(&d);                                                           \
        if (!code) code = make;                                                         \
        if (!code) code = graph_add_node(out, g, needs, count, sort, &o, NULL);         \
        op_empty(&o);                                                                   \
        return leave(code, CALL_COST);                                                  \
    }                                                                                   \
    API set_name(void *handle, const shape *p)                                          \
    {                                                                                   \
        device *d;                                                                      \
        op o = {0};                                                                     \
        int code = enter(&d);                                                           \
        node *n = code ? NULL : node_of(handle);                                        \
        if (!code) code = n && n->type == sort ? make : E_InvalidValue;                 \
        if (!code) op_empty(&n->op), n->op = o;                                         \
        return leave(code, CALL_COST);                                                  \
    }                                                                                   \
    API exec_name(void *exec, void *handle, const shape *p)                             \
    {                                                                                   \
        device *d;                                                                      \
        op o = {0};                                                                     \
        int code = enter(&d);                                                           \
        node *n = code ? NULL : node_in(exec_of(exec), handle);                         \
        if (!code) code = n && n->type == sort ? make : E_InvalidValue;                 \
        if (!code) op_empty(&n->op), n->op = o;                                         \
        return leave(code, CALL_COST);                                                  \
    }
NODE(cudaGraphAddKernelNode, cudaGraphKernelNodeSetParams, cudaGraphExecKernelNodeSetParams, 0, kernel_node,
     node_launch(d, p, &o))
NODE(cudaGraphAddMemcpyNode, cudaGraphMemcpyNodeSetParams, cudaGraphExecMemcpyNodeSetParams, 1, copy_3d,
     node_copy(p, &o))
NODE(cudaGraphAddMemsetNode, cudaGraphMemsetNodeSetParams, cudaGraphExecMemsetNodeSetParams, 2, memset_node,
     node_fill(p, &o))
NODE(cudaGraphAddHostNode, cudaGraphHostNodeSetParams, cudaGraphExecHostNodeSetParams, 3, host_node, node_host(p, &o))

API cudaGraphAddMemcpyNode1D(void **out, void *g, void *const *needs, size_t count, void *to, const void *from,
                             size_t bytes, int kind)
{
    device *d;
    op o;
    int code = enter(&d);
    if (!code) code = node_copy_1d(to, from, bytes, kind, &o);
    if (!code) code = graph_add_node(out, g, needs, count, 1, &o, NULL);
    return leave(code, CALL_COST);
}
API cudaGraphMemcpyNodeSetParams1D(void *handle, void *to, const void *from, size_t bytes, int kind)
{
    device *d;
    op o;
    int code = enter(&d);
    node *n = code ? NULL : node_of(handle);
    if (!code) code = n && n->type == 1 ? node_copy_1d(to, from, bytes, kind, &o) : E_InvalidValue;
    if (!code) n->op = o;
    return leave(code, CALL_COST);
}
API cudaGraphExecMemcpyNodeSetParams1D(void *exec, void *handle, void *to, const void *from, size_t bytes, int kind)
{
    device *d;
    op o;
    int code = enter(&d);
    node *n = code ? NULL : node_in(exec_of(exec), handle);
    if (!code) code = n && n->type == 1 ? node_copy_1d(to, from, bytes, kind, &o) : E_InvalidValue;
    if (!code) n->op = o;
    return leave(code, CALL_COST);
}
API cudaGraphKernelNodeGetParams(void *handle, kernel_node *p)
{
    device *d;
    int code = enter(&d);
    const node *n = code ? NULL : node_of(handle);
    if (!code && (!n || n->type || !p)) code = E_InvalidValue;
    if (!code) {
        const launch_config *c = &n->op.u.launch.config;
        static _Thread_local void *params[256];
        const sim_kernel *k = c->f->kernel[d->ordinal];
        for (int i = 0; k && i < k->params && i < 256; i++) params[i] = n->op.u.launch.params + k->param[i].offset;
        *p = (kernel_node){c->f->handle,
                           {c->grid[0], c->grid[1], c->grid[2]},
                           {c->block[0], c->block[1], c->block[2]},
                           c->shared,
                           params,
                           NULL};
    }
    return leave(code, CALL_COST);
}
API cudaGraphKernelNodeSetAttribute(void *handle, int attribute, const void *value)
{
    (void)attribute;
    (void)value;
    return fail(node_of(handle) ? E_OK : E_InvalidValue);
}
API cudaGraphHostNodeGetParams(void *handle, host_node *p)
{
    device *d;
    int code = enter(&d);
    const node *n = code ? NULL : node_of(handle);
    if (!code && (!n || n->type != 3 || !p)) code = E_InvalidValue;
    if (!code) *p = (host_node){n->op.u.host.call, n->op.u.host.arg};
    return leave(code, CALL_COST);
}
API cudaGraphMemsetNodeGetParams(void *handle, memset_node *p)
{
    device *d;
    int code = enter(&d);
    const node *n = code ? NULL : node_of(handle);
    if (!code && (!n || n->type != 2 || !p)) code = E_InvalidValue;
    if (!code) {
        const fill *f = &n->op.u.fill;
        *p = (memset_node){(void *)(uintptr_t)f->at, f->pitch, f->value, f->size, f->width, f->height};
    }
    return leave(code, CALL_COST);
}

API cudaGraphAddEmptyNode(void **out, void *g, void *const *needs, size_t count)
{
    device *d;
    int code = enter(&d);
    if (!code) code = graph_add_node(out, g, needs, count, 5, NULL, NULL);
    return leave(code, CALL_COST);
}
API cudaGraphAddChildGraphNode(void **out, void *g, void *const *needs, size_t count, void *child)
{
    device *d;
    int code = enter(&d);
    const graph *c = code ? NULL : graph_of(child);
    node *n = NULL;
    if (!code) code = c ? graph_add_node(out, g, needs, count, 4, NULL, &n) : E_InvalidValue;
    if (!code && !(n->child = graph_copy(c))) code = E_MemoryAllocation;
    return leave(code, CALL_COST);
}
API cudaGraphChildGraphNodeGetGraph(void *handle, void **out)
{
    device *d;
    int code = enter(&d);
    const node *n = code ? NULL : node_of(handle);
    if (!code && (!n || !n->child || !out)) code = E_InvalidValue;
    if (!code) *out = n->child->handle;
    return leave(code, CALL_COST);
}
API cudaGraphAddEventRecordNode(void **out, void *g, void *const *needs, size_t count, void *event_handle)
{
    device *d;
    int code = enter(&d);
    node *n = NULL;
    if (!code)
        code = handle_find(H_EVENT, event_handle) ? graph_add_node(out, g, needs, count, 7, NULL, &n)
                                                  : E_InvalidResourceHandle;
    if (!code) n->event = event_handle;
    return leave(code, CALL_COST);
}
API cudaGraphAddEventWaitNode(void **out, void *g, void *const *needs, size_t count, void *event_handle)
{
    device *d;
    int code = enter(&d);
    node *n = NULL;
    if (!code)
        code = handle_find(H_EVENT, event_handle) ? graph_add_node(out, g, needs, count, 6, NULL, &n)
                                                  : E_InvalidResourceHandle;
    if (!code) n->event = event_handle;
    return leave(code, CALL_COST);
}
API cudaGraphDestroyNode(void *handle)
{
    device *d;
    int code = enter(&d);
    node *n = code ? NULL : node_of(handle);
    if (!code && !n) code = E_InvalidValue;
    if (!code) n->gone = true;
    return leave(code, CALL_COST);
}
API cudaGraphNodeGetType(void *handle, int *type)
{
    device *d;
    int code = enter(&d);
    const node *n = code ? NULL : node_of(handle);
    if (!code && (!n || !type)) code = E_InvalidValue;
    if (!code) *type = n->type;
    return leave(code, CALL_COST);
}
API cudaGraphNodeSetEnabled(void *exec, void *handle, unsigned on)
{
    device *d;
    int code = enter(&d);
    node *n = code ? NULL : node_in(exec_of(exec), handle);
    if (!code && !n) code = E_InvalidValue;
    if (!code) n->off = !on;
    return leave(code, CALL_COST);
}

/* ---- lists ---- */
static int list_nodes(void *handle, void **nodes, size_t *count, bool roots)
{
    device *d;
    int code = enter(&d);
    const graph *g = code ? NULL : graph_of(handle);
    if (!code && (!g || !count)) code = E_InvalidValue;
    size_t n = 0;
    for (int i = 0; !code && i < g->count; i++) {
        if (g->nodes[i]->gone || (roots && g->nodes[i]->need_count)) continue;
        if (nodes && n < *count) nodes[n] = g->nodes[i]->handle;
        n++;
    }
    if (!code && (!nodes || n < *count)) *count = n;
    return leave(code, CALL_COST);
}
API cudaGraphGetNodes(void *g, void **nodes, size_t *count) { return list_nodes(g, nodes, count, false); }
API cudaGraphGetRootNodes(void *g, void **nodes, size_t *count) { return list_nodes(g, nodes, count, true); }

static int list_edges(void *handle, void **from, void **to, size_t *count)
{
    device *d;
    int code = enter(&d);
    const graph *g = code ? NULL : graph_of(handle);
    if (!code && (!g || !count)) code = E_InvalidValue;
    size_t n = 0;
    for (int i = 0; !code && i < g->count; i++)
        for (int k = 0; k < g->nodes[i]->need_count; k++, n++)
            if (from && to && n < *count)
                from[n] = g->nodes[g->nodes[i]->needs[k]]->handle, to[n] = g->nodes[i]->handle;
    if (!code && (!from || n < *count)) *count = n;
    return leave(code, CALL_COST);
}
API cudaGraphGetEdges(void *g, void **from, void **to, void *data_or_count, size_t *count)
{
    return list_edges(g, from, to, runtime_version >= 13000 ? count : data_or_count);
}
API cudaGraphGetEdges_v2(void *g, void **from, void **to, void *data, size_t *count)
{
    (void)data;
    return list_edges(g, from, to, count);
}

static int edges(void *handle, void *const *from, void *const *to, size_t count, bool on)
{
    device *d;
    int code = enter(&d);
    const graph *g = code ? NULL : graph_of(handle);
    if (!code && (!g || (count && (!from || !to)))) code = E_InvalidValue;
    for (size_t i = 0; !code && i < count; i++) {
        node *a = node_of(from[i]), *b = node_of(to[i]);
        if (!a || !b || a->graph != g || b->graph != g) {
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
    return leave(code, CALL_COST);
}
API cudaGraphAddDependencies(void *g, void *const *from, void *const *to, void *data_or_count, size_t count)
{
    return edges(g, from, to, runtime_version >= 13000 ? count : (size_t)(uintptr_t)data_or_count, true);
}
API cudaGraphAddDependencies_v2(void *g, void *const *from, void *const *to, void *data, size_t count)
{
    (void)data;
    return edges(g, from, to, count, true);
}
API cudaGraphRemoveDependencies(void *g, void *const *from, void *const *to, void *data_or_count, size_t count)
{
    return edges(g, from, to, runtime_version >= 13000 ? count : (size_t)(uintptr_t)data_or_count, false);
}

/* ---- instantiated ---- */
static int instantiate(void **out, void *handle, unsigned long long flags)
{
    device *d;
    int code = enter(&d);
    const graph *g = code ? NULL : graph_of(handle);
    if (!code && (!g || !out)) code = E_InvalidValue;
    graph_exec *e = code ? NULL : calloc(1, sizeof *e);
    if (!code && (!e || !(e->graph = graph_copy(g)) || !(*out = handle_new(H_EXEC, e)))) code = E_MemoryAllocation;
    if (!code) e->flags = flags;
    return leave(code, 10e-6);
}
API cudaGraphInstantiateWithFlags(void **out, void *g, unsigned long long flags) { return instantiate(out, g, flags); }
/* Before 12 three more arguments told of errors. */
API cudaGraphInstantiate(void **out, void *g, unsigned long long flags, char *log, size_t size)
{
    if (runtime_version >= 12000) return instantiate(out, g, flags);
    if (log && size) *log = 0;
    return instantiate(out, g, 0);
}
API cudaGraphInstantiate_v12000(void **out, void *g, unsigned long long flags) { return instantiate(out, g, flags); }
API cudaGraphInstantiateWithParams(void **out, void *g, unsigned long long *params)
{
    return params ? instantiate(out, g, params[0]) : fail(E_InvalidValue);
}
API cudaGraphExecGetFlags(void *handle, unsigned long long *flags)
{
    const graph_exec *e = exec_of(handle);
    if (!e || !flags) return fail(E_InvalidValue);
    *flags = e->flags;
    return E_OK;
}
API cudaGraphExecDestroy(void *handle)
{
    device *d;
    int code = enter(&d);
    graph_exec *e = code ? NULL : exec_of(handle);
    if (!code && !e) code = E_InvalidValue;
    if (!code) {
        handle_end(H_EXEC, handle);
        graph_end(e->graph);
        free(e);
    }
    return leave(code, CALL_COST);
}
API cudaGraphLaunch(void *handle, void *stream_handle)
{
    device *d;
    int code = enter(&d);
    stream *st = code ? NULL : stream_find(stream_handle);
    const graph_exec *e = code ? NULL : exec_of(handle);
    if (!code && (!st || !e)) code = e ? E_InvalidResourceHandle : E_InvalidValue;
    if (!code) code = graph_launch(e->graph, st);
    return leave(code, cost_launch(d));
}
API cudaGraphUpload(void *handle, void *stream_handle)
{
    (void)stream_handle;
    return fail(exec_of(handle) ? E_OK : E_InvalidValue);
}

/* Takes another graph's parameters where both have the same nodes. */
static int update(void *exec, void *handle, int *result, size_t error_at)
{
    device *d;
    int code = enter(&d);
    graph_exec *e = code ? NULL : exec_of(exec);
    const graph *g = code ? NULL : graph_of(handle);
    if (!code && (!e || !g)) code = E_InvalidValue;
    bool same = !code && e->graph->count == g->count;
    for (int i = 0; same && i < g->count; i++)
        same =
            g->nodes[i]->type == e->graph->nodes[i]->type && g->nodes[i]->need_count == e->graph->nodes[i]->need_count;
    (void)error_at;
    if (!code && result) *result = same ? 0 : 2; /* the topology differs */
    if (!code && !same) code = E_GraphExecUpdateFailure;
    graph *c = code ? NULL : graph_copy(g);
    if (!code && !c) code = E_MemoryAllocation;
    if (!code) {
        graph_end(e->graph);
        e->graph = c;
    }
    return leave(code, 5e-6);
}
API cudaGraphExecUpdate(void *exec, void *g, void *info, int *old_result)
{
    return update(exec, g, runtime_version >= 12000 ? (int *)info : old_result, 0);
}

API cudaGraphExecChildGraphNodeSetParams(void *exec, void *handle, void *child)
{
    device *d;
    int code = enter(&d);
    node *n = code ? NULL : node_in(exec_of(exec), handle);
    const graph *c = code ? NULL : graph_of(child);
    graph *made = n && n->child && c ? graph_copy(c) : NULL;
    if (!code && !made) code = E_InvalidValue;
    if (!code) {
        graph_end(n->child);
        n->child = made;
    }
    return leave(code, CALL_COST);
}
API cudaGraphExecEventRecordNodeSetEvent(void *exec, void *handle, void *event_handle)
{
    device *d;
    int code = enter(&d);
    node *n = code ? NULL : node_in(exec_of(exec), handle);
    if (!code && (!n || n->type != 7)) code = E_InvalidValue;
    if (!code) n->event = event_handle;
    return leave(code, CALL_COST);
}
API cudaGraphDebugDotPrint(void *handle, const char *path, unsigned flags)
{
    device *d;
    int code = enter(&d);
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
    return leave(code, CALL_COST);
}
/* Objects whose lifetime a graph shares: counted by the program itself. */
typedef struct user_object {
    void *object;
    void (*destroy)(void *);
    unsigned refs;
} user_object;
API cudaUserObjectCreate(void **out, void *object, void (*destroy)(void *), unsigned refs, unsigned flags)
{
    (void)flags;
    user_object *u = calloc(1, sizeof *u);
    if (!u || !out) {
        free(u);
        return fail(E_InvalidValue);
    }
    *u = (user_object){object, destroy, refs};
    *out = u;
    return E_OK;
}
API cudaUserObjectRetain(void *object, unsigned count)
{
    if (!object) return fail(E_InvalidValue);
    ((user_object *)object)->refs += count;
    return E_OK;
}
API cudaUserObjectRelease(void *object, unsigned count)
{
    user_object *u = object;
    if (!u) return fail(E_InvalidValue);
    u->refs = u->refs > count ? u->refs - count : 0;
    if (!u->refs && u->destroy) u->destroy(u->object);
    if (!u->refs) free(u);
    return E_OK;
}
API cudaGraphRetainUserObject(void *g, void *object, unsigned count, unsigned flags)
{
    (void)flags;
    return graph_of(g) ? cudaUserObjectRetain(object, count) : fail(E_InvalidValue);
}
API cudaGraphReleaseUserObject(void *g, void *object, unsigned count)
{
    return graph_of(g) ? cudaUserObjectRelease(object, count) : fail(E_InvalidValue);
}
