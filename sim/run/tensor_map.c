/* tensor_map.c: tensor maps: what cuTensorMapEncodeTiled takes and checks, in 128 bytes of our own.
 *
 *     0  8  a mark            56  20  dimensions, less one     104  1 each  type, rank, interleave,
 *     8  8  zeros             76  10  box, 2 bytes each                     swizzle, promotion, fill
 *    16  8  address           86   5  steps                    120  8       a sum of all before it
 *    24 32  strides
 *
 * The sum tells a map from other bytes, and from one that a kernel changed by stores of its own: a
 * card's maps are opaque, only tensormap.replace may change them. But CuTe clears bit 21 of bytes 8
 * to 15 in maps of tensors of less than 128 KiB, against a mistake of drivers up to 13.1: nothing may
 * lie there.
 */
#include "tensor_map.h"

#define MARK UINT64_C(0x31504d5453504157)

static const struct {
    uint8_t bytes;
    bool is_float;
    const char *name;
} types[TENSOR_TYPES] = {
    [TENSOR_U8] = {1, false, "u8"},
    [TENSOR_U16] = {2, false, "u16"},
    [TENSOR_U32] = {4, false, "u32"},
    [TENSOR_S32] = {4, false, "s32"},
    [TENSOR_U64] = {8, false, "u64"},
    [TENSOR_S64] = {8, false, "s64"},
    [TENSOR_F16] = {2, true, "f16"},
    [TENSOR_F32] = {4, true, "f32"},
    [TENSOR_F64] = {8, true, "f64"},
    [TENSOR_BF16] = {2, true, "bf16"},
    [TENSOR_F32_FTZ] = {4, true, "f32.ftz"},
    [TENSOR_TF32] = {4, true, "tf32"},
    [TENSOR_TF32_FTZ] = {4, true, "tf32.ftz"},
};

enum {
    LAST_TYPE = 15,
    LAST_SWIZZLE = 6,
    LAST_INTERLEAVE = 2,
    LAST_PROMOTION = 3,
    LAST_FILL = 1,
    MOST_BOX = 256,
    MOST_STEP = 8,
    MOST_BYTES = 228 << 10,
    INTERLEAVE_32 = 2
};

uint32_t tensor_type_bytes(uint32_t type) { return type < TENSOR_TYPES ? types[type].bytes : 1; }
const char *tensor_type_name(uint32_t type) { return type < TENSOR_TYPES ? types[type].name : "packed"; }

static int check_enums(const sim_tensor_map *m, sim_error *err)
{
    const struct {
        const char *name;
        uint32_t value, most;
    } list[] = {{"data type", m->type, LAST_TYPE},
                {"interleave", m->interleave, LAST_INTERLEAVE},
                {"swizzle", m->swizzle, LAST_SWIZZLE},
                {"L2 promotion", m->promotion, LAST_PROMOTION},
                {"out-of-bounds fill", m->fill, LAST_FILL}};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (list[i].value > list[i].most)
            return sim_fail(err, SIM_E_ARGUMENT, "a tensor map's %s is a number from 0 to %u, not %u", list[i].name,
                            (unsigned)list[i].most, (unsigned)list[i].value);
    if (m->type >= TENSOR_TYPES)
        return sim_fail(err, SIM_E_ARGUMENT, "a tensor map of packed 4- or 6-bit elements (type %u) needs compute 10.0",
                        (unsigned)m->type);
    if (m->swizzle > TENSOR_SWIZZLE_128)
        return sim_fail(err, SIM_E_ARGUMENT,
                        "a tensor map's swizzle %u, of pieces of 32 or 64 bytes, needs compute 10.0",
                        (unsigned)m->swizzle);
    if (m->fill && !types[m->type].is_float)
        return sim_fail(err, SIM_E_ARGUMENT, "only floating-point elements can be filled with NaN outside, not %s",
                        types[m->type].name);
    return SIM_OK;
}

static int check_tensor(const sim_tensor_map *m, sim_error *err)
{
    const uint32_t align = m->interleave == INTERLEAVE_32 ? 32 : 16;
    if (!m->rank || m->rank > 5)
        return sim_fail(err, SIM_E_ARGUMENT, "a tensor map has 1 to 5 dimensions, not %u", (unsigned)m->rank);
    if (m->interleave && m->rank < 3)
        return sim_fail(err, SIM_E_ARGUMENT, "an interleaved tensor map has 3 to 5 dimensions, not %u",
                        (unsigned)m->rank);
    if (m->address % align)
        return sim_fail(err, SIM_E_ARGUMENT, "a tensor map's address must be a multiple of %u: 0x%llx is not",
                        (unsigned)align, (unsigned long long)m->address);
    for (uint32_t i = 0; i < m->rank; i++)
        if (!m->dim[i] || m->dim[i] > UINT64_C(1) << 32)
            return sim_fail(err, SIM_E_ARGUMENT,
                            "dimension %u of a tensor map has %llu elements; 1 to 2^32 are possible", (unsigned)i,
                            (unsigned long long)m->dim[i]);
    for (uint32_t i = 0; i + 1 < m->rank; i++)
        if (m->stride[i] % align || m->stride[i] >> 40)
            return sim_fail(err, SIM_E_ARGUMENT,
                            "the stride of dimension %u of a tensor map is %llu bytes; it must be a multiple of %u and "
                            "less than 2^40",
                            (unsigned)i + 1, (unsigned long long)m->stride[i], (unsigned)align);
    return SIM_OK;
}

static const uint32_t spans[] = {0, 32, 64, 128}; /* bytes of a swizzle */

static int check_box(const sim_tensor_map *m, sim_error *err)
{
    const uint32_t row = m->box[0] * types[m->type].bytes;
    for (uint32_t i = 0; i < m->rank; i++) {
        if (!m->box[i] || m->box[i] > MOST_BOX)
            return sim_fail(err, SIM_E_ARGUMENT,
                            "the box of a tensor map has %u elements in dimension %u; 1 to 256 are possible",
                            (unsigned)m->box[i], (unsigned)i);
        if (!m->step[i] || m->step[i] > MOST_STEP)
            return sim_fail(err, SIM_E_ARGUMENT,
                            "the element stride of dimension %u of a tensor map is %u; 1 to 8 are possible",
                            (unsigned)i, (unsigned)m->step[i]);
    }
    if (row % 16)
        return sim_fail(err, SIM_E_ARGUMENT,
                        "a row of a tensor map's box has %u bytes (%u elements of %s); it must be a multiple of 16",
                        (unsigned)row, (unsigned)m->box[0], types[m->type].name);
    if ((uint64_t)tensor_rows(m) * row > MOST_BYTES)
        return sim_fail(err, SIM_E_ARGUMENT,
                        "the box of a tensor map has %llu bytes; it can have %u, the shared memory of a multiprocessor",
                        (unsigned long long)tensor_rows(m) * row, (unsigned)MOST_BYTES);
    if (m->interleave) return SIM_OK;
    if (m->swizzle && row > spans[m->swizzle])
        return sim_fail(err, SIM_E_ARGUMENT,
                        "a row of a tensor map's box has %u bytes (%u elements of %s); with a swizzle of %u bytes it "
                        "can have %u at most",
                        (unsigned)row, (unsigned)m->box[0], types[m->type].name, (unsigned)spans[m->swizzle],
                        (unsigned)spans[m->swizzle]);
    return SIM_OK;
}

int tensor_map_check(const sim_tensor_map *m, sim_error *err)
{
    int code = check_enums(m, err);
    if (!code) code = check_tensor(m, err);
    if (!code) code = check_box(m, err);
    if (!code && m->interleave)
        code = sim_fail(err, SIM_E_REFUSED,
                        "interleaved tensor maps (NC/8HWC8, NC/16HWC16) are not supported here: use "
                        "CU_TENSOR_MAP_INTERLEAVE_NONE, or run the program on a real GPU");
    return code;
}

/* ---- the bytes ---- */
static uint64_t sum_of(const unsigned char *b)
{
    uint64_t h = MARK;
    for (int i = 0; i < TENSOR_MAP_BYTES - 8; i++) h = (h ^ b[i]) * UINT64_C(0x100000001b3);
    return h;
}

void tensor_map_write(const sim_tensor_map *m, void *bytes)
{
    unsigned char *b = bytes;
    const uint64_t mark = MARK;
    memset(b, 0, TENSOR_MAP_BYTES);
    memcpy(b, &mark, 8);
    memcpy(b + 16, &m->address, 8);
    memcpy(b + 24, m->stride, sizeof m->stride);
    for (int i = 0; i < 5; i++) {
        const uint32_t dim = (uint32_t)(m->dim[i] - 1);
        const uint16_t box = (uint16_t)m->box[i];
        memcpy(b + 56 + 4 * i, &dim, 4);
        memcpy(b + 76 + 2 * i, &box, 2);
        b[86 + i] = (unsigned char)m->step[i];
    }
    const uint32_t words[] = {m->type, m->rank, m->interleave, m->swizzle, m->promotion, m->fill};
    for (int i = 0; i < 6; i++) b[104 + i] = (unsigned char)words[i];
    const uint64_t sum = sum_of(b);
    memcpy(b + 120, &sum, 8);
}

bool tensor_map_read(const void *bytes, sim_tensor_map *m)
{
    const unsigned char *b = bytes;
    uint64_t mark, sum;
    memcpy(&mark, b, 8);
    memcpy(&sum, b + 120, 8);
    if (mark != MARK || sum != sum_of(b)) return false;
    memcpy(&m->address, b + 16, 8);
    memcpy(m->stride, b + 24, sizeof m->stride);
    for (int i = 0; i < 5; i++) {
        uint32_t dim;
        uint16_t box;
        memcpy(&dim, b + 56 + 4 * i, 4);
        memcpy(&box, b + 76 + 2 * i, 2);
        m->dim[i] = (uint64_t)dim + 1;
        m->box[i] = box;
        m->step[i] = b[86 + i];
    }
    uint32_t *words[] = {&m->type, &m->rank, &m->interleave, &m->swizzle, &m->promotion, &m->fill};
    for (int i = 0; i < 6; i++) *words[i] = b[104 + i];
    return true;
}

bool tensor_map_blank(const void *bytes, sim_tensor_map *m)
{
    static const unsigned char zeros[TENSOR_MAP_BYTES];
    if (memcmp(bytes, zeros, TENSOR_MAP_BYTES)) return false;
    *m = (sim_tensor_map){.rank = 1};
    for (int i = 0; i < 5; i++) m->dim[i] = m->box[i] = m->step[i] = 1;
    return true;
}

bool sim_tensor_map_decode(const unsigned char map[128], sim_tensor_map *m) { return tensor_map_read(map, m); }

int sim_tensor_map_encode(const sim_tensor_map *m, unsigned char out[128], sim_error *err)
{
    sim_tensor_map whole = *m;
    int code = tensor_map_check(m, err);
    if (code) return code;
    whole.step[0] = 1; /* a card takes it, and copies every element all the same */
    for (uint32_t i = m->rank; i < 5; i++) whole.dim[i] = whole.box[i] = whole.step[i] = 1;
    for (uint32_t i = m->rank; i < 5; i++) whole.stride[i - 1] = 0;
    tensor_map_write(&whole, out);
    return SIM_OK;
}

/* ---- a box ---- */
static uint32_t box_indices(const sim_tensor_map *m, uint32_t d) { return (m->box[d] + m->step[d] - 1) / m->step[d]; }

uint32_t tensor_rows(const sim_tensor_map *m)
{
    uint32_t rows = 1;
    for (uint32_t d = 1; d < m->rank; d++) rows *= box_indices(m, d);
    return rows;
}

uint32_t tensor_pitch(const sim_tensor_map *m) { return m->swizzle ? spans[m->swizzle & 3] : tensor_row_bytes(m); }

bool tensor_row(const sim_tensor_map *m, const int32_t *at, uint32_t row, uint64_t *address, uint32_t *skip,
                uint32_t *bytes)
{
    const uint32_t each = tensor_type_bytes(m->type);
    uint64_t place = m->address;
    for (uint32_t d = 1; d < m->rank; d++) {
        const uint32_t n = box_indices(m, d);
        const int64_t index = at[d] + (int64_t)(row % n * m->step[d]);
        row /= n;
        if (index < 0 || (uint64_t)index >= m->dim[d]) return false;
        const uint64_t stride = m->stride[d - 1];
        /* an address that cannot be is no address of a buffer either */
        place = index && stride > (UINT64_MAX - place) / (uint64_t)index ? UINT64_MAX - INT32_MAX
                                                                         : place + (uint64_t)index * stride;
    }
    const int64_t first = at[0] < 0 ? -(int64_t)at[0] : 0, behind = (int64_t)m->dim[0] - at[0],
                  end = behind < (int64_t)m->box[0] ? behind : (int64_t)m->box[0];
    if (end <= first) return false;
    *address = place + (uint64_t)(at[0] + first) * each;
    *skip = (uint32_t)first * each;
    *bytes = (uint32_t)(end - first) * each;
    return true;
}

/* To the nearest tf32, to even; a NaN becomes the one that an H200 makes. */
static uint32_t to_tf32(uint32_t u)
{
    if ((u & 0x7f800000u) == 0x7f800000u) return u & 0x007fffffu ? 0x7fffe000u : u;
    return (u + 0xfff + (u >> 13 & 1)) & ~UINT32_C(0x1fff);
}

/* The types with .ftz keep subnormals too: an H200 copies them as they are. */
void tensor_convert(const sim_tensor_map *m, char *row, uint32_t bytes)
{
    if (m->type != TENSOR_TF32 && m->type != TENSOR_TF32_FTZ) return;
    for (uint32_t i = 0; i < bytes; i += 4) {
        uint32_t u;
        memcpy(&u, row + i, 4);
        u = to_tf32(u);
        memcpy(row + i, &u, 4);
    }
}

/* Outside: zeros, or the NaN of 16 bits that fma.oob knows, repeated in types of 32 and 64 bits. */
void tensor_fill(const sim_tensor_map *m, char *row, uint32_t bytes)
{
    if (!m->fill) memset(row, 0, bytes);
    for (uint32_t i = 0; m->fill && i < bytes; i++) row[i] = (char)(i & 1 ? 0x7f : 0xf7);
}
