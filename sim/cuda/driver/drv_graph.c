/* drv_graph.c: graphs by the driver's interface. */
#include "driver.h"
#include <stdio.h>

#define CALL(name)        cu##name
#define ENTER(d)          drv_enter(d)
#define LEAVE(code, cost) drv_leave(code, cost)
#define REFUSE(code)      (code)
#include "cuda/core/graph_calls.h"

typedef struct drv_kernel_node { /* CUDA_KERNEL_NODE_PARAMS */
    void *func;
    unsigned grid[3], block[3], shared;
    void **params, **extra;
    void *kernel, *context; /* in its second version */
} drv_kernel_node;

static int node_launch(device *d, const drv_kernel_node *p, op *o, bool second)
{
    memset(o, 0, sizeof *o);
    if (!p) return E_InvalidValue;
    if (p->extra) return E_NotSupported;
    function *f = handle_find(H_FUNCTION, !p->func && second ? p->kernel : p->func);
    if (!f) return E_InvalidResourceHandle;
    const launch_config c = {f,
                             {p->grid[0], p->grid[1], p->grid[2]},
                             {p->block[0], p->block[1], p->block[2]},
                             p->shared,
                             false,
                             {1, 1, 1},
                             false,
                             false,
                             false};
    return graph_node_launch(d, &c, p->params, o);
}
static int node_copy(const drv_copy_3d *p, op *o)
{
    memset(o, 0, sizeof *o);
    o->kind = OP_COPY;
    return drv_copy_of(p, &o->u.copy);
}
NODE(cuGraphAddKernelNode, cuGraphKernelNodeSetParams, cuGraphExecKernelNodeSetParams, 0, drv_kernel_node,
     node_launch(d, p, &o, false))
NODE(cuGraphAddKernelNode_v2, cuGraphKernelNodeSetParams_v2, cuGraphExecKernelNodeSetParams_v2, 0, drv_kernel_node,
     node_launch(d, p, &o, true))
/* A context behind these, and behind those of a fill, says nothing new. */
NODE(cuGraphAddMemcpyNode, cuGraphMemcpyNodeSetParams, cuGraphExecMemcpyNodeSetParams, 1, drv_copy_3d, node_copy(p, &o))

static int kernel_params(void *handle, drv_kernel_node *p, bool second)
{
    device *d;
    int code = drv_enter(&d);
    const node *n = code ? NULL : node_of(handle);
    if (!code && (!n || n->type || !p)) code = E_InvalidValue;
    if (!code) {
        const launch_config *c = &n->op.u.launch.config;
        p->func = c->f->handle;
        memcpy(p->grid, c->grid, sizeof p->grid);
        memcpy(p->block, c->block, sizeof p->block);
        p->shared = c->shared;
        p->params = graph_node_params(d, n);
        p->extra = NULL;
        if (second) p->kernel = p->context = NULL;
    }
    return drv_leave(code, CALL_COST);
}
API cuGraphKernelNodeGetParams(void *handle, drv_kernel_node *p) { return kernel_params(handle, p, false); }
API cuGraphKernelNodeGetParams_v2(void *handle, drv_kernel_node *p) { return kernel_params(handle, p, true); }

/* The second version of each has what an edge carries, which is nothing here. */
API cuGraphGetEdges(void *g, void **from, void **to, size_t *count) { return list_edges(g, from, to, count); }
API cuGraphGetEdges_v2(void *g, void **from, void **to, void *data, size_t *count)
{
    (void)data;
    return list_edges(g, from, to, count);
}
API cuGraphAddDependencies(void *g, void *const *from, void *const *to, size_t count)
{
    return edges(g, from, to, count, true);
}
API cuGraphAddDependencies_v2(void *g, void *const *from, void *const *to, const void *data, size_t count)
{
    (void)data;
    return edges(g, from, to, count, true);
}
API cuGraphRemoveDependencies(void *g, void *const *from, void *const *to, size_t count)
{
    return edges(g, from, to, count, false);
}
API cuGraphRemoveDependencies_v2(void *g, void *const *from, void *const *to, const void *data, size_t count)
{
    (void)data;
    return edges(g, from, to, count, false);
}

/* Before 11.4: with a place for what went wrong. */
API cuGraphInstantiate_v2(void **out, void *g, void **at_fault, char *log, size_t size)
{
    if (at_fault) *at_fault = NULL;
    if (log && size) *log = 0;
    return instantiate(out, g, 0);
}
API cuGraphInstantiate(void **out, void *g, void **at_fault, char *log, size_t size)
{
    return cuGraphInstantiate_v2(out, g, at_fault, log, size);
}
typedef struct instantiation {
    unsigned long long flags;
    void *stream, *node;
    int result;
} instantiation;
API cuGraphInstantiateWithParams(void **out, void *g, instantiation *p)
{
    if (!p) return E_InvalidValue;
    p->node = NULL;
    const int code = instantiate(out, g, p->flags);
    p->result = code ? 1 : 0;
    return code;
}
API cuGraphExecUpdate(void *exec, void *g, void **at_fault, int *result)
{
    if (at_fault) *at_fault = NULL;
    return update(exec, g, result);
}
API cuGraphExecUpdate_v2(void *exec, void *g, int *info) { return update(exec, g, info); }
