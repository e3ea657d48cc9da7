/* tensor_map.h: the 128 bytes that describe a tensor to the copy engine. */
#ifndef RUN_TENSOR_MAP_H
#define RUN_TENSOR_MAP_H

#include "base.h"

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
/* The map that a kernel builds from nothing starts as 128 zeros. False: these bytes are not that. */
bool tensor_map_blank(const void *bytes, sim_tensor_map *m);
void tensor_map_write(const sim_tensor_map *m, void *bytes);
/* The fields that tensormap.replace can change, and the operations of cp.reduce. */
enum tensor_field {
    TENSOR_FIELD_ADDRESS,
    TENSOR_FIELD_RANK,
    TENSOR_FIELD_BOX,
    TENSOR_FIELD_DIM,
    TENSOR_FIELD_STRIDE,
    TENSOR_FIELD_STEP,
    TENSOR_FIELD_TYPE,
    TENSOR_FIELD_INTERLEAVE,
    TENSOR_FIELD_SWIZZLE,
    TENSOR_FIELD_FILL
};
enum bulk_op { BULK_ADD, BULK_MIN, BULK_MAX, BULK_INC, BULK_DEC, BULK_AND, BULK_OR, BULK_XOR };
static inline bool tensor_type_is_float(uint32_t type) { return (type >= TENSOR_F16) && type < TENSOR_TYPES; }

/* A box is rows along dimension 0, those of dimension 1 one after the other, then those of 2 ... */
uint32_t tensor_rows(const sim_tensor_map *m);
static inline uint32_t tensor_row_bytes(const sim_tensor_map *m) { return m->box[0] * tensor_type_bytes(m->type); }
/* From one row of the box to the next in shared memory: a swizzle keeps its span, also for rows that are shorter. */
uint32_t tensor_pitch(const sim_tensor_map *m);
/* The part of a row that lies in the tensor: `skip` bytes after the row's start in the box, so many
 * bytes. False: nothing does. */
bool tensor_row(const sim_tensor_map *m, const int32_t *at, uint32_t row, uint64_t *address, uint32_t *skip,
                uint32_t *bytes);
/* Where 16 bytes at that offset of shared memory lie. */
static inline uint32_t tensor_swizzled(const sim_tensor_map *m, uint32_t offset)
{
    static const uint32_t bits[] = {0, 1, 3, 7};
    return offset ^ (offset >> 7 & bits[m->swizzle & 3]) << 4;
}
/* What a load makes of a row's elements; what it puts in place of those outside. */
void tensor_convert(const sim_tensor_map *m, char *row, uint32_t bytes);
void tensor_fill(const sim_tensor_map *m, char *row, uint32_t bytes);
/* All that cuTensorMapEncodeTiled checks. */
int tensor_map_check(const sim_tensor_map *m, sim_error *err);

#endif
