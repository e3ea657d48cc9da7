/* rt_graph_memory.c: nodes that allocate and free, and nodes of any kind by one function. What a graph
 * allocates it has from when the node is made, at the same address at each launch. */
#include "runtime.h"

typedef struct alloc_node { /* cudaMemAllocNodeParams */
    int type, handles;
    memory_location where;
    void *windows;
    size_t most;
    unsigned short usage;
    unsigned char reserved[54];
    const void *access;
    size_t access_count, bytes;
    void *at;
} alloc_node;
_Static_assert(sizeof(alloc_node) == 120, "as CUDA has it");
enum { NODE_ALLOC = 10, NODE_FREE = 11, NODE_CONDITION = 13 };

API cudaGraphAddMemAllocNode(void **out, void *g, void *const *needs, size_t count, alloc_node *p)
{
    device *d;
    node *n = NULL;
    int code = enter(&d);
    if (!code && (!p || p->type != 1 || p->where.type != 1 || !p->bytes)) code = E_InvalidValue;
    if (!code && !(d = core_device(p->where.id))) code = E_InvalidDevice;
    if (!code) code = graph_add_node(out, g, needs, count, NODE_ALLOC, NULL, &n);
    uint64_t at = 0;
    if (!code) code = region_new(d, R_DEVICE, p->bytes, REGION_GRAPH, NULL, &at);
    const struct {
        memory_location where;
        unsigned flags;
    } *access = code ? NULL : p->access;
    for (size_t i = 0; access && i < p->access_count && !code; i++) {
        device *who = access[i].where.type == 1 ? core_device(access[i].where.id) : NULL;
        if (!who) code = E_InvalidDevice;
        else if (who != d) code = region_peer(who, d, true);
    }
    if (!code) {
        p->at = (void *)(uintptr_t)at;
        n->memory = at;
        n->memory_bytes = p->bytes;
        d->graph_bytes += (p->bytes + VIRTUAL_GRANULE - 1) / VIRTUAL_GRANULE * VIRTUAL_GRANULE;
        if (d->graph_bytes > d->graph_high) d->graph_high = d->graph_bytes;
    }
    return leave(code, cost_alloc(d));
}
API cudaGraphAddMemFreeNode(void **out, void *g, void *const *needs, size_t count, void *at)
{
    device *d;
    node *n = NULL;
    int code = enter(&d);
    const region *r = code ? NULL : region_find((uint64_t)(uintptr_t)at);
    if (!code && (!r || r->at != (uint64_t)(uintptr_t)at || !(r->flags & REGION_GRAPH))) code = E_InvalidValue;
    if (!code) code = graph_add_node(out, g, needs, count, NODE_FREE, NULL, &n);
    if (!code) n->memory = (uint64_t)(uintptr_t)at;
    return leave(code, CALL_COST);
}
API cudaGraphMemAllocNodeGetParams(void *handle, alloc_node *p)
{
    device *d;
    int code = enter(&d);
    const node *n = code ? NULL : handle_find(H_NODE, handle);
    if (!code && (!n || n->type != NODE_ALLOC || !p)) code = E_InvalidValue;
    if (!code)
        *p = (alloc_node){
            .type = 1, .where = {1, d->ordinal}, .bytes = n->memory_bytes, .at = (void *)(uintptr_t)n->memory};
    return leave(code, CALL_COST);
}
API cudaGraphMemFreeNodeGetParams(void *handle, void **at)
{
    device *d;
    int code = enter(&d);
    const node *n = code ? NULL : handle_find(H_NODE, handle);
    if (!code && (!n || n->type != NODE_FREE || !at)) code = E_InvalidValue;
    if (!code) *at = (void *)(uintptr_t)n->memory;
    return leave(code, CALL_COST);
}

/* 0: used now, 1: most, 2: reserved now, 3: most */
API cudaDeviceGetGraphMemAttribute(int ordinal, int attribute, uint64_t *value)
{
    int code = core_begin();
    const device *d = code ? NULL : core_device(ordinal);
    if (!code) code = !d ? E_InvalidDevice : attribute < 0 || attribute > 3 || !value ? E_InvalidValue : E_OK;
    if (!code) *value = attribute & 1 ? d->graph_high : d->graph_bytes;
    return leave(code, CALL_COST);
}
API cudaDeviceSetGraphMemAttribute(int ordinal, int attribute, const uint64_t *value)
{
    int code = core_begin();
    device *d = code ? NULL : core_device(ordinal);
    if (!code) code = !d ? E_InvalidDevice : !(attribute & 1) || !value || *value ? E_InvalidValue : E_OK;
    if (!code) d->graph_high = d->graph_bytes; /* the most so far is forgotten */
    return leave(code, CALL_COST);
}
API cudaDeviceGraphMemTrim(int ordinal)
{
    int code = core_begin();
    if (!code && !core_device(ordinal)) code = E_InvalidDevice;
    return leave(code, CALL_COST);
}

/* ---- nodes with graphs of their own, which a value decides upon ---- */
typedef struct condition_node { /* cudaConditionalNodeParams */
    uint64_t handle;            /* here: the address of the value in the card's memory */
    int type;
    unsigned size;
    void **graphs;
} condition_node;

API cudaGraphConditionalHandleCreate(uint64_t *handle, void *g, unsigned first, unsigned flags)
{
    device *d;
    uint64_t at = 0;
    int code = enter(&d);
    graph *in = code ? NULL : handle_find(H_GRAPH, g);
    if (!code && (!handle || !in || flags > 1)) code = E_InvalidValue;
    if (!code) code = region_new(d, R_DEVICE, 4, REGION_GRAPH, "condition of a graph", &at);
    if (!code) code = graph_condition(in, at, first, flags & 1);
    if (!code) *handle = at;
    return leave(code, CALL_COST);
}
API cudaGraphConditionalHandleCreate_v2(uint64_t *handle, void *g, void *context, unsigned first, unsigned flags)
{
    (void)context;
    return cudaGraphConditionalHandleCreate(handle, g, first, flags);
}
static int add_condition(void **out, void *g, void *const *needs, size_t count, condition_node *p)
{
    device *d;
    node *n = NULL;
    int code = enter(&d);
    const region *r = code ? NULL : region_find(p->handle);
    if (!code && (!r || !(r->flags & REGION_GRAPH) || r->bytes != 4 || p->type < 0 || p->type > 2 || !p->size ||
                  p->size > 4096 || (p->type < 2 && p->size > 2u - (unsigned)p->type)))
        code = E_InvalidValue;
    if (!code) code = graph_add_node(out, g, needs, count, NODE_CONDITION, NULL, &n);
    if (!code) code = graph_bodies(n, p->size);
    void **list = code ? NULL : calloc(p->size, sizeof *list); /* the program's as long as it runs */
    if (!code && !list) code = E_MemoryAllocation;
    if (!code) {
        n->condition = p->handle;
        n->condition_kind = p->type;
        for (unsigned i = 0; i < p->size; i++) list[i] = n->bodies[i]->handle;
        p->graphs = list;
    }
    return leave(code, CALL_COST);
}

/* ---- a node of any kind ---- */
int cudaGraphAddKernelNode(void **out, void *g, void *const *needs, size_t count, const kernel_node *p);
int cudaGraphAddMemcpyNode(void **out, void *g, void *const *needs, size_t count, const copy_3d *p);
int cudaGraphAddMemsetNode(void **out, void *g, void *const *needs, size_t count, const memset_node *p);
int cudaGraphAddHostNode(void **out, void *g, void *const *needs, size_t count, const host_node *p);
int cudaGraphAddChildGraphNode(void **out, void *g, void *const *needs, size_t count, void *child);
int cudaGraphAddEmptyNode(void **out, void *g, void *const *needs, size_t count);
int cudaGraphAddEventWaitNode(void **out, void *g, void *const *needs, size_t count, void *event);
int cudaGraphAddEventRecordNode(void **out, void *g, void *const *needs, size_t count, void *event);

static int add_any(void **out, void *g, void *const *needs, size_t count, int *p)
{
    if (!p) return fail(E_InvalidValue);
    void *of = (char *)p + 16, *copy_of = (char *)p + 32; /* behind the type; and behind the flags of a copy */
    switch (p[0]) {
    case 0: return cudaGraphAddKernelNode(out, g, needs, count, of);
    case 1: return cudaGraphAddMemcpyNode(out, g, needs, count, copy_of);
    case 2: return cudaGraphAddMemsetNode(out, g, needs, count, of);
    case 3: return cudaGraphAddHostNode(out, g, needs, count, of);
    case 4: return cudaGraphAddChildGraphNode(out, g, needs, count, *(void **)of);
    case 5: return cudaGraphAddEmptyNode(out, g, needs, count);
    case 6: return cudaGraphAddEventWaitNode(out, g, needs, count, *(void **)of);
    case 7: return cudaGraphAddEventRecordNode(out, g, needs, count, *(void **)of);
    case NODE_ALLOC: return cudaGraphAddMemAllocNode(out, g, needs, count, of);
    case NODE_FREE: return cudaGraphAddMemFreeNode(out, g, needs, count, *(void **)of);
    case NODE_CONDITION: return add_condition(out, g, needs, count, of);
    default:
        core_begin();
        record_missing("cudaGraphAddNode for a node of this kind");
        return leave(E_NotSupported, 0);
    }
}
API cudaGraphAddNode(void **out, void *g, void *const *needs, void *data_or_count, void *count_or_params, int *params)
{
    return runtime_version >= 13000 ? add_any(out, g, needs, (size_t)(uintptr_t)count_or_params, params)
                                    : add_any(out, g, needs, (size_t)(uintptr_t)data_or_count, count_or_params);
}
API cudaGraphAddNode_v2(void **out, void *g, void *const *needs, const void *data, size_t count, int *params)
{
    (void)data;
    return add_any(out, g, needs, count, params);
}
