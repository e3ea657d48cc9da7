/* bulk_map.c: the tensor map that an instruction names: found, checked, changed. */
#include "bulk.h"
#include "bulk_map.h"
#include "parallel_bet.h"
#include <inttypes.h>
#include <stdio.h>

static void map_name(const warp *w, uint8_t space, uint64_t at, char *out, size_t size)
{
    const launch *l = w->worker->launch;
    char what[120];
    for (int i = 0; space == SPACE_PARAM && i < l->module->kernel_count; i++) {
        const sim_kernel *k = &l->module->kernels[i];
        if (strcmp(k->name, l->kernel->name)) continue;
        for (int p = 0; p < k->params; p++)
            if (at >= k->param[p].offset && at - k->param[p].offset < k->param[p].size) {
                if (strstr(k->param[p].name, "_param_")) /* the compiler's name for it */
                    snprintf(out, size, "the tensor map in parameter %d", p);
                else snprintf(out, size, "the tensor map %.60s", k->param[p].name);
                return;
            }
    }
    if (space == SPACE_PARAM) snprintf(what, sizeof what, "byte %" PRIu64 " of the parameters", at);
    else fault_what(w, space, at, TENSOR_MAP_BYTES, what, sizeof what);
    snprintf(out, size, "the tensor map in %s", what);
}

static void shape_text(const sim_tensor_map *m, char *out, size_t size)
{
    size_t n = (size_t)snprintf(out, size, "%s, ", tensor_type_name(m->type));
    for (uint32_t d = 0; d < m->rank && n < size; d++)
        n += (size_t)snprintf(out + n, size - n, "%s%" PRIu64, d ? " x " : "", m->dim[d]);
}

/* A tensor that is larger than its buffer: the first dimension along which it leaves it. */
bool bulk_map_leaves(warp *w, const insn *in, int lane, const sim_tensor_map *m, const char *name, uint64_t at,
                     uint32_t bytes, const alloc *al, enum access_kind kind)
{
    char shape[140], buffer[100], nameless[32];
    const alloc *near = al ? al : memory_near(&w->worker->launch->s->mem, at);
    const enum sim_fault_kind fault = al && (al->freed || !al->host)              ? SIM_FAULT_USE_AFTER_FREE
                                      : al && al->is_const && kind != ACCESS_READ ? SIM_FAULT_READ_ONLY
                                                                                  : SIM_FAULT_OUT_OF_BOUNDS;
    shape_text(m, shape, sizeof shape);
    snprintf(nameless, sizeof nameless, "allocation %u", near ? (unsigned)near->number : 0);
    snprintf(buffer, sizeof buffer, "%.64s (%" PRIu64 " bytes)", near && near->name ? near->name : nameless,
             near ? near->size : 0);
    uint32_t d = 0;
    uint64_t end = m->address + m->dim[0] * tensor_type_bytes(m->type);
    while (near && d + 1 < m->rank && end >= m->address && end <= near->start + near->size) {
        d++;
        end += (m->dim[d] - 1) * m->stride[d - 1];
    }
    w->worker->advice =
        "Give the tensor map the dimensions (in elements) and strides (in bytes) of what was allocated.";
    if (!near) snprintf(buffer, sizeof buffer, "any buffer");
    if (fault == SIM_FAULT_USE_AFTER_FREE)
        fault_raise(w, in, fault, lane, UINT32_C(1) << lane, "global", at, bytes,
                    "%s (%s) describes %s, which has been freed", name, shape, buffer);
    else if (fault == SIM_FAULT_READ_ONLY)
        fault_raise(w, in, fault, lane, UINT32_C(1) << lane, "global", at, bytes,
                    "%s (%s) describes %s, which is constant", name, shape, buffer);
    else
        fault_raise(w, in, fault, lane, UINT32_C(1) << lane, "global", at, bytes,
                    "%s (%s) is larger than %s: a row of the box, %u bytes at 0x%" PRIx64
                    ", lies outside; dimension %u of %" PRIu64 " reaches out of it",
                    name, shape, buffer, (unsigned)bytes, at, (unsigned)d, m->dim[d]);
    return false;
}

bool bulk_map_read(warp *w, const insn *in, int lane, uint64_t at, sim_tensor_map *m, char *name, size_t size)
{
    uint64_t within;
    uint8_t space;
    char *host;
    alloc *al;
    sim_error err = {0};
    if (!memory_span(w, in, SPACE_NONE, lane, at, TENSOR_MAP_BYTES, TENSOR_MAP_ALIGN, ACCESS_READ, &within, &space,
                     &host, &al))
        return false;
    if (al && !bulk_report(w, in, lane, SPACE_GLOBAL, within, TENSOR_MAP_BYTES, ACCESS_READ, al)) return false;
    map_name(w, space, within, name, size);
    if (!tensor_map_read(host, m)) {
        w->worker->advice = "Encode it with cuTensorMapEncodeTiled on the host, pass it as a const __grid_constant__ "
                            "CUtensorMap, and change it in a kernel with tensormap.replace only.";
        fault_raise(w, in, SIM_FAULT_BAD_OPERAND, lane, UINT32_C(1) << lane, "", within, TENSOR_MAP_BYTES,
                    "%s is none: these 128 bytes were not made by cuTensorMapEncodeTiled, or were changed since", name);
        return false;
    }
    if (tensor_map_check(m, &err)) {
        fault_raise(w, in, SIM_FAULT_BAD_OPERAND, lane, UINT32_C(1) << lane, "", within, TENSOR_MAP_BYTES, "%s: %s",
                    name, err.message);
        return false;
    }
    return true;
}

/* ---- tensor maps that a kernel changes ---- */
static bool map_at(warp *w, const insn *in, int lane, uint8_t space, uint64_t at, enum access_kind kind,
                   uint64_t *within, char **host, alloc **al, uint8_t *resolved)
{
    return memory_span(w, in, space, lane, at, TENSOR_MAP_BYTES, TENSOR_MAP_ALIGN, kind, within, resolved, host, al) &&
           (!w->worker->launch->bet || !*al || bet_run(w, in, *al, *within - (*al)->start, TENSOR_MAP_BYTES, kind));
}

bool tensor_map_replace(warp *w, const insn *in, uint8_t space, const uint64_t *at, uint32_t field, uint32_t ordinal,
                        const uint64_t *value)
{
    /* tensormap.replace counts the types otherwise than CUDA does */
    static const uint8_t types[] = {TENSOR_U8,   TENSOR_U16,  TENSOR_U32,     TENSOR_S32,     TENSOR_U64,
                                    TENSOR_S64,  TENSOR_F16,  TENSOR_F32,     TENSOR_F32_FTZ, TENSOR_F64,
                                    TENSOR_BF16, TENSOR_TF32, TENSOR_TF32_FTZ};
    for (int l = 0; l < 32; l++) {
        uint64_t within;
        char *host;
        alloc *al;
        uint8_t resolved;
        sim_tensor_map m;
        const uint64_t v = value[l];
        if (!(w->mask >> l & 1)) continue;
        if (!map_at(w, in, l, space, at[l], ACCESS_WRITE, &within, &host, &al, &resolved)) return false;
        if (!tensor_map_read(host, &m) && !tensor_map_blank(host, &m))
            return bulk_bad(w, in, l, within, "",
                            "tensormap.replace changes a tensor map, and these 128 bytes are none, nor are they zeros");
        switch (field) {
        case TENSOR_FIELD_ADDRESS: m.address = v; break;
        case TENSOR_FIELD_RANK: m.rank = (uint32_t)v + 1; break;
        case TENSOR_FIELD_BOX: m.box[ordinal] = (uint32_t)v; break;
        case TENSOR_FIELD_DIM: m.dim[ordinal] = (uint32_t)v; break;
        case TENSOR_FIELD_STRIDE: m.stride[ordinal & 3] = v; break;
        case TENSOR_FIELD_STEP: m.step[ordinal] = (uint32_t)v; break;
        case TENSOR_FIELD_TYPE: m.type = v < sizeof types ? types[v] : UINT8_MAX; break;
        case TENSOR_FIELD_INTERLEAVE: m.interleave = (uint32_t)v; break;
        case TENSOR_FIELD_SWIZZLE: m.swizzle = (uint32_t)v; break;
        default: m.fill = (uint32_t)v;
        }
        if (!bulk_report(w, in, l, resolved, within, TENSOR_MAP_BYTES, ACCESS_WRITE, al)) return false;
        tensor_map_write(&m, host);
    }
    return true;
}

bool tensor_map_copy(warp *w, const insn *in, const uint64_t *to, const uint64_t *from)
{
    const int l = first_lane(w->mask);
    uint64_t at, source;
    char *host, *read;
    alloc *al, *none;
    uint8_t space;
    if (!map_at(w, in, l, SPACE_SHARED, from[l], ACCESS_READ, &source, &read, &none, &space) ||
        !bulk_report(w, in, l, SPACE_SHARED, source, TENSOR_MAP_BYTES, ACCESS_READ, NULL) ||
        !map_at(w, in, l, SPACE_GLOBAL, to[l], ACCESS_WRITE, &at, &host, &al, &space) ||
        !bulk_report(w, in, l, SPACE_GLOBAL, at, TENSOR_MAP_BYTES, ACCESS_WRITE, al))
        return false;
    memcpy(host, read, TENSOR_MAP_BYTES);
    if (w->watch & WATCH_INIT) init_copied(w, in, l, SPACE_GLOBAL, at, SPACE_SHARED, source, TENSOR_MAP_BYTES);
    return true;
}
