/* bulk_map.h: tensor maps in the memory of a kernel. False: a fault was raised. */
#ifndef SIM_BULK_MAP_H
#define SIM_BULK_MAP_H

#include "async.h"

/* tensormap.replace: a field (TENSOR_FIELD_...) of the map at `at`; cp_fenceproxy: copies a map */
bool tensor_map_replace(warp *w, const insn *in, uint8_t space, const uint64_t *at, uint32_t field, uint32_t ordinal,
                        const uint64_t *value);
bool tensor_map_copy(warp *w, const insn *in, const uint64_t *to, const uint64_t *from);
/* `name`: "the tensor map in parameter 0". */
bool bulk_map_read(warp *w, const insn *in, int lane, uint64_t at, sim_tensor_map *m, char *name, size_t size);
/* Bytes of a row that are in no buffer: raises the fault, and returns false. */
bool bulk_map_leaves(warp *w, const insn *in, int lane, const sim_tensor_map *m, const char *name, uint64_t at,
                     uint32_t bytes, const alloc *al, enum access_kind kind);

#endif
