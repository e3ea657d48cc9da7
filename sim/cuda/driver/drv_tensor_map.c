/* drv_tensor_map.c: tensor maps. What is refused is said in the report: the code alone tells little. */
#include "driver.h"

typedef struct tensor_map { /* CUtensorMap; the bytes are the simulator's */
    _Alignas(64) unsigned char bytes[128];
} tensor_map;
_Static_assert(sizeof(sim_tensor_map) % 8 == 0, "it is copied as it is");

/* SIM_E_ARGUMENT: a card refuses it as well. */
static int encoded(const char *name, const sim_tensor_map *m, tensor_map *out)
{
    sim_error err = {0};
    const int code = sim_tensor_map_encode(m, out->bytes, &err);
    if (!code) return E_OK;
    record_note("%s: %s", name, err.message);
    return code == SIM_E_REFUSED ? E_NotSupported : E_InvalidValue;
}

static int refuse(const char *name, const char *why)
{
    record_note("%s: %s", name, why);
    return E_InvalidValue;
}

API cuTensorMapEncodeTiled(tensor_map *out, int type, uint32_t rank, void *address, const uint64_t *dim,
                           const uint64_t *stride, const uint32_t *box, const uint32_t *step, int interleave,
                           int swizzle, int promotion, int outside)
{
    const char *me = "cuTensorMapEncodeTiled";
    device *d;
    int code = drv_enter(&d);
    if (code) return drv_leave(code, CALL_COST);
    sim_tensor_map m = {.type = (uint32_t)type,
                        .rank = rank,
                        .address = (uint64_t)(uintptr_t)address,
                        .interleave = (uint32_t)interleave,
                        .swizzle = (uint32_t)swizzle,
                        .promotion = (uint32_t)promotion,
                        .fill = (uint32_t)outside};
    if (sim_card_of(d->s)->cc_major < 9) {
        record_note("%s: tensor maps need compute 9.0", me);
        code = E_NotSupported;
    } else if (!out || (uintptr_t)out % 64) {
        code = refuse(me, "a tensor map must be aligned to 64 bytes");
    } else if (!dim || !box || !step || (rank > 1 && !stride)) {
        code = refuse(me, "a tensor map needs its dimensions, strides, box and element strides: one is a null pointer");
    } else {
        for (uint32_t i = 0; i < rank && i < 5; i++) {
            m.dim[i] = dim[i];
            m.box[i] = box[i];
            m.step[i] = step[i];
            if (i + 1 < rank && i < 4) m.stride[i] = stride[i];
        }
        code = encoded(me, &m, out);
    }
    return drv_leave(code, CALL_COST);
}

API cuTensorMapReplaceAddress(tensor_map *map, void *address)
{
    const char *me = "cuTensorMapReplaceAddress";
    device *d;
    sim_tensor_map m;
    int code = drv_enter(&d);
    if (code) return drv_leave(code, CALL_COST);
    if (!map || (uintptr_t)map % 64) code = refuse(me, "a tensor map must be aligned to 64 bytes");
    else if (!sim_tensor_map_decode(map->bytes, &m)) code = refuse(me, "these 128 bytes are no tensor map");
    if (!code) {
        m.address = (uint64_t)(uintptr_t)address;
        code = encoded(me, &m, map);
    }
    return drv_leave(code, CALL_COST);
}

static int no_im2col(const char *name)
{
    device *d;
    int code = drv_enter(&d);
    if (!code) {
        record_note(
            "%s: tensor maps of convolutions (im2col) are not supported here, only tiled ones: copy the windows with "
            "cuTensorMapEncodeTiled, or run the program on a real GPU",
            name);
        code = E_NotSupported;
    }
    return drv_leave(code, CALL_COST);
}
API cuTensorMapEncodeIm2col(void) { return no_im2col("cuTensorMapEncodeIm2col"); }
API cuTensorMapEncodeIm2colWide(void) { return no_im2col("cuTensorMapEncodeIm2colWide"); }
