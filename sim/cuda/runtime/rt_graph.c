/* rt_graph.c: graphs made node by node, changed, instantiated and launched. */
#include "runtime.h"

#define CALL(name)        cuda##name
#define ENTER(d)          enter(d)
#define LEAVE(code, cost) leave(code, cost)
#define REFUSE(code)      fail(code)
#include "cuda/core/graph_calls.h"

/* ---- nodes ---- */

int node_launch(device *d, const kernel_node *p, op *o)
{
    memset(o, 0, sizeof *o);
    function *f = p ? function_of(p->func) : NULL;
    if (!f) return p ? E_InvalidDeviceFunction : E_InvalidValue;
    const launch_config c = {f,
                             {p->grid.x, p->grid.y, p->grid.z},
                             {p->block.x, p->block.y, p->block.z},
                             p->shared,
                             false,
                             {1, 1, 1},
                             false,
                             false,
                             false};
    return graph_node_launch(d, &c, p->params, o);
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

NODE(cudaGraphAddKernelNode, cudaGraphKernelNodeSetParams, cudaGraphExecKernelNodeSetParams, 0, kernel_node,
     node_launch(d, p, &o))
NODE(cudaGraphAddMemcpyNode, cudaGraphMemcpyNodeSetParams, cudaGraphExecMemcpyNodeSetParams, 1, copy_3d,
     node_copy(p, &o))

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
        *p = (kernel_node){c->f->handle,
                           {c->grid[0], c->grid[1], c->grid[2]},
                           {c->block[0], c->block[1], c->block[2]},
                           c->shared,
                           graph_node_params(d, n),
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

API cudaGraphGetEdges(void *g, void **from, void **to, void *data_or_count, size_t *count)
{
    return list_edges(g, from, to, runtime_version >= 13000 ? count : data_or_count);
}
API cudaGraphGetEdges_v2(void *g, void **from, void **to, void *data, size_t *count)
{
    (void)data;
    return list_edges(g, from, to, count);
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

API cudaGraphExecUpdate(void *exec, void *g, void *info, int *old_result)
{
    return update(exec, g, runtime_version >= 12000 ? (int *)info : old_result);
}
