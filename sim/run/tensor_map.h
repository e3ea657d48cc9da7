/* tensor_map.h: the 128 bytes that describe a tensor to the copy engine. */
#ifndef RUN_TENSOR_MAP_H
#define RUN_TENSOR_MAP_H

#include "sim.h"

enum { TENSOR_MAP_BYTES = 128, TENSOR_MAP_ALIGN = 64 };

/* The values of CUDA's enums that more than one file asks about. */
enum { TENSOR_SWIZZLE_NONE, TENSOR_SWIZZLE_32, TENSOR_SWIZZLE_64, TENSOR_SWIZZLE_128 };
enum {
    TENSOR_U8,
    TENSOR_U16,
    TENSOR_U32,
    TENSOR_S32,
    TENSOR_U64,
    TENSOR_S64,
    TENSOR_F16,
    TENSOR_F32,
    TENSOR_F64,
    TENSOR_BF16,
    TENSOR_F32_FTZ,
    TENSOR_TF32,
    TENSOR_TF32_FTZ,
    TENSOR_TYPES
};

uint32_t tensor_type_bytes(uint32_t type);
const char *tensor_type_name(uint32_t type);
/* False: these bytes are no tensor map. */
bool tensor_map_read(const void *bytes, sim_tensor_map *m);
/* The same for a map that tensormap.replace changes: nothing but its mark is looked at. */
void tensor_map_write(const sim_tensor_map *m, void *bytes);
/* All that cuTensorMapEncodeTiled checks. */
int tensor_map_check(const sim_tensor_map *m, sim_error *err);

#endif
