/* texture.c: texture and surface objects, and reading them.
 *
 * An object describes rows of texels in a buffer. Its handle is TEXTURE_BASE plus 16 times its number, which is no
 * address, so that a handle used as a pointer faults. Coordinates are brought to the texel grid as the CUDA
 * programming guide states it:
 *
 *   point     texel floor(x)
 *   linear    between texels floor(x - 0.5) and the next; the weight has 8 fraction bits
 *
 * where x counts texels (a normalized coordinate times the width), and every texel index outside 0 .. width - 1 is
 * then clamped, wrapped, mirrored or read as zero. Wrapping and mirroring need normalized coordinates; without these
 * they clamp. Channels that the texels do not have read as 0, 0 and 1. How a card rounds the filtered sum is not
 * documented: here it is single precision.
 */
#include "own.h"
#include "run.h"
#include <math.h>
#include <stdlib.h>

#define TEXTURE_BASE UINT64_C(0xfe00000000000000)
enum { MOST_TEXTURES = 1 << 20 };

static const uint8_t texel_bytes[] = {1, 1, 2, 2, 4, 4, 2, 4};

static uint64_t pitch_of(const sim_texture *t)
{
    return t->pitch ? t->pitch : (uint64_t)t->width * (uint32_t)t->channels * texel_bytes[t->texel];
}
static uint32_t rows_of(const sim_texture *t) { return t->height ? t->height : 1; }

/* The object behind a handle, or NULL. */
static sim_texture *object_named(sim *s, uint64_t handle)
{
    uint64_t i = (handle - TEXTURE_BASE) / 16;
    return handle % 16 == 0 && handle >= TEXTURE_BASE && i < s->texture_count && s->textures[i].width ? &s->textures[i]
                                                                                                      : NULL;
}

int sim_texture_make(sim *s, const sim_texture *t, uint64_t *handle, sim_error *err)
{
    *handle = 0;
    if (t->texel < 0 || t->texel > SIM_TEXEL_F32 || (t->channels != 1 && t->channels != 2 && t->channels != 4))
        return sim_fail(err, SIM_E_ARGUMENT, "a texture needs a known type of texel and 1, 2 or 4 channels");
    if (!t->width || t->width > 1u << 27 || t->height > 1u << 17)
        return sim_fail(err, SIM_E_ARGUMENT, "a texture of %u x %u texels cannot be made", (unsigned)t->width,
                        (unsigned)t->height);
    for (int i = 0; i < 2; i++)
        if (t->outside[i] < SIM_OUTSIDE_CLAMP || t->outside[i] > SIM_OUTSIDE_BORDER)
            return sim_fail(err, SIM_E_ARGUMENT, "a texture needs a known way to treat coordinates outside");
    bool is_float = t->texel >= SIM_TEXEL_F16;
    if (t->fractions && t->texel > SIM_TEXEL_S16)
        return sim_fail(err, SIM_E_ARGUMENT, "only 8- and 16-bit integers can be read as fractions");
    if (t->linear && !is_float && !t->fractions)
        return sim_fail(err, SIM_E_ARGUMENT, "linear filtering needs texels that read as floats");
    uint64_t row = (uint64_t)t->width * (uint32_t)t->channels * texel_bytes[t->texel], pitch = pitch_of(t);
    const alloc *al = memory_at(&s->mem, t->address);
    if (!al || al->freed || pitch < row || pitch > UINT64_C(1) << 40 || pitch % texel_bytes[t->texel] ||
        t->address % 16 || al->size - (t->address - al->start) < pitch * (rows_of(t) - 1) + row)
        return sim_fail(err, SIM_E_ARGUMENT,
                        "the texels of a texture must lie in one buffer, from a multiple of 16 on, row after row");
    if (s->texture_count == MOST_TEXTURES) return sim_fail(err, SIM_E_MEMORY, "too many textures");
    if (s->texture_count == s->texture_capacity) {
        uint32_t capacity = s->texture_capacity ? s->texture_capacity * 2 : 8;
        sim_texture *list = realloc(s->textures, capacity * sizeof *list);
        if (!list) return sim_fail(err, SIM_E_MEMORY, "out of memory");
        s->textures = list;
        s->texture_capacity = capacity;
    }
    s->textures[s->texture_count] = *t;
    *handle = TEXTURE_BASE + 16 * (uint64_t)s->texture_count++;
    return SIM_OK;
}

int sim_texture_free(sim *s, uint64_t handle, sim_error *err)
{
    sim_texture *t = object_named(s, handle);
    if (!t) return sim_fail(err, SIM_E_ARGUMENT, "this is not the handle of a texture");
    t->width = 0;
    return SIM_OK;
}

void texture_end(sim *s) { free(s->textures); }

/* ---- texels ---- */
static const sim_texture *object_of(warp *w, const insn *in, int lane, uint64_t handle, alloc **al)
{
    sim *s = w->worker->launch->s;
    const uint32_t bit = UINT32_C(1) << lane;
    const sim_texture *t = object_named(s, handle);
    if (!t) {
        fault_raise(w, in, SIM_FAULT_BAD_OPERAND, lane, bit, "", handle, 0, "0x%llx is no texture or surface object",
                    (unsigned long long)handle);
        return NULL;
    }
    *al = memory_at(&s->mem, t->address);
    if (*al && (*al)->host && !(*al)->freed) return t;
    fault_raise(w, in, SIM_FAULT_USE_AFTER_FREE, lane, bit, "global", t->address, 0,
                "the buffer behind this texture has been freed");
    return NULL;
}

/* Tell the checkers, and claim the bytes while blocks run side by side. */
static bool touch(warp *w, const insn *in, int lane, alloc *al, uint64_t offset, uint32_t bytes, enum access_kind kind,
                  const void *value)
{
    if (w->worker->launch->own && !own_run(w, al, offset, bytes, kind)) return false;
    if (!w->watch) return true;
    char values[32 * 16];
    access a = {
        .in = in, .mask = UINT32_C(1) << lane, .size = bytes, .space = SPACE_GLOBAL, .kind = (uint8_t)kind, .al = al};
    for (int l = 0; l < 32; l++) a.address[l] = al->start + offset;
    if (value) {
        memset(values, 0, sizeof values);
        memcpy(values + (size_t)lane * bytes, value, bytes);
        a.value = values;
    }
    return watch_access(w, &a);
}

static uint32_t float_bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}
static float bits_float(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}
static float half_value(uint16_t h)
{
    int e = h >> 10 & 31, m = h & 1023;
    float v = e == 31 ? (m ? NAN : INFINITY) : e ? ldexpf(1024.0f + (float)m, e - 25) : ldexpf((float)m, -24);
    return h & 0x8000 ? -v : v;
}

static bool reads_float(const sim_texture *t) { return t->texel >= SIM_TEXEL_F16 || t->fractions; }

/* One channel as 32 bits. */
static uint32_t channel(const sim_texture *t, const char *at)
{
    uint8_t b;
    uint16_t h;
    uint32_t v;
    switch (t->texel) {
    case SIM_TEXEL_U8: memcpy(&b, at, 1); return t->fractions ? float_bits((float)b / 255.0f) : b;
    case SIM_TEXEL_S8:
        memcpy(&b, at, 1);
        return t->fractions ? float_bits(fmaxf((float)(int8_t)b / 127.0f, -1.0f)) : (uint32_t)(int8_t)b;
    case SIM_TEXEL_U16: memcpy(&h, at, 2); return t->fractions ? float_bits((float)h / 65535.0f) : h;
    case SIM_TEXEL_S16:
        memcpy(&h, at, 2);
        return t->fractions ? float_bits(fmaxf((float)(int16_t)h / 32767.0f, -1.0f)) : (uint32_t)(int16_t)h;
    case SIM_TEXEL_F16: memcpy(&h, at, 2); return float_bits(half_value(h));
    default: memcpy(&v, at, 4); return v;
    }
}

/* Bring a texel index into 0 .. n - 1; -1: outside, reads as zero. */
static int64_t inside(int64_t i, uint32_t n, int rule)
{
    if (i >= 0 && i < n) return i;
    if (rule == SIM_OUTSIDE_BORDER) return -1;
    if (rule == SIM_OUTSIDE_CLAMP) return i < 0 ? 0 : (int64_t)n - 1;
    int64_t period = rule == SIM_OUTSIDE_WRAP ? n : 2 * (int64_t)n, j = ((i % period) + period) % period;
    return j < n ? j : period - 1 - j;
}

static int rule_of(const sim_texture *t, int axis)
{
    int rule = t->outside[axis];
    bool folds = rule == SIM_OUTSIDE_WRAP || rule == SIM_OUTSIDE_MIRROR;
    return folds && !t->normalized ? SIM_OUTSIDE_CLAMP : rule;
}

typedef struct reader {
    warp *w;
    const insn *in;
    int lane;
    const sim_texture *t;
    alloc *al;
    int rule[2];
} reader;

/* The texel at a place on the grid, all four channels. False: a fault. */
static bool texel(const reader *r, int64_t x, int64_t y, uint32_t *out)
{
    const sim_texture *t = r->t;
    const uint32_t one = reads_float(t) ? float_bits(1.0f) : 1;
    int64_t i = inside(x, t->width, r->rule[0]), j = inside(y, rows_of(t), r->rule[1]);
    memset(out, 0, 4 * sizeof *out);
    if (i < 0 || j < 0) return true;
    out[3] = one;
    const uint32_t bytes = texel_bytes[t->texel] * (uint32_t)t->channels;
    uint64_t offset = t->address - r->al->start + (uint64_t)j * pitch_of(t) + (uint64_t)i * bytes;
    if (!touch(r->w, r->in, r->lane, r->al, offset, bytes, ACCESS_READ, NULL)) return false;
    for (int c = 0; c < t->channels; c++)
        out[c] = channel(t, r->al->host + offset + (uint32_t)c * texel_bytes[t->texel]);
    return true;
}

/* A coordinate in texels. What is no number counts as 0; the rest is kept where integers can hold it. */
static float in_texels(const sim_texture *t, uint32_t bits, uint32_t n)
{
    float x = bits_float(bits);
    if (x != x) return 0;
    if (t->normalized) x *= (float)n;
    return x > 0x1p30f ? 0x1p30f : x < -0x1p30f ? -0x1p30f : x;
}

/* floor(x - 0.5), and the weight of the texel after it. */
static int64_t grid_below(float x, float *weight)
{
    double moved = (double)x - 0.5, low = floor(moved);
    *weight = (float)(floor((moved - low) * 256 + 0.5) / 256);
    return (int64_t)low;
}

static bool read_linear(const reader *r, float x, float y, bool flat, uint32_t *out)
{
    float a, b = 0, sum[4] = {0};
    int64_t i = grid_below(x, &a), j = flat ? 0 : grid_below(y, &b);
    for (int k = 0; k < (flat ? 2 : 4); k++) {
        uint32_t v[4];
        if (!texel(r, i + (k & 1), j + (k >> 1), v)) return false;
        float weight = (k & 1 ? a : 1 - a) * (k & 2 ? b : 1 - b);
        for (int c = 0; c < 4 && weight > 0; c++) sum[c] += weight * bits_float(v[c]);
    }
    for (int c = 0; c < 4; c++) out[c] = float_bits(sum[c]);
    return true;
}

bool texture_read(warp *w, const insn *in, uint32_t how, const uint64_t *handle, const uint32_t *x, const uint32_t *y,
                  uint32_t out[4][32])
{
    const bool flat = !(how & TEXTURE_2D);
    for (int l = 0; l < 32; l++) {
        if (!(w->mask >> l & 1)) continue;
        reader r = {.w = w, .in = in, .lane = l};
        uint32_t v[4];
        r.t = object_of(w, in, l, handle[l], &r.al);
        if (!r.t) return false;
        const sim_texture *t = r.t;
        if (flat != !t->height) {
            fault_raise(w, in, SIM_FAULT_BAD_OPERAND, l, UINT32_C(1) << l, "", handle[l], 0,
                        "a texture with %d dimension%s is read with %d", t->height ? 2 : 1, t->height ? "s" : "",
                        flat ? 1 : 2);
            return false;
        }
        r.rule[0] = rule_of(t, 0);
        r.rule[1] = flat ? SIM_OUTSIDE_CLAMP : rule_of(t, 1);
        if (how & TEXTURE_INTEGER) {
            r.rule[0] = flat ? SIM_OUTSIDE_BORDER : r.rule[0];
            if (!texel(&r, (int32_t)x[l], flat ? 0 : (int32_t)y[l], v)) return false;
        } else {
            float u = in_texels(t, x[l], t->width), q = flat ? 0 : in_texels(t, y[l], t->height);
            if (how & TEXTURE_GATHER) {
                static const uint8_t order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
                float unused;
                int64_t i = grid_below(u, &unused), j = grid_below(q, &unused);
                for (int k = 0; k < 4; k++) {
                    uint32_t one[4];
                    if (!texel(&r, i + order[k][0], j + order[k][1], one)) return false;
                    v[k] = one[how >> TEXTURE_COMPONENT & 3];
                }
            } else if (t->linear) {
                if (!read_linear(&r, u, q, flat, v)) return false;
            } else if (!texel(&r, (int64_t)floorf(u), (int64_t)floorf(q), v)) {
                return false;
            }
        }
        for (int c = 0; c < 4; c++) out[c][l] = v[c];
    }
    return true;
}

bool texture_size(warp *w, const insn *in, const uint64_t *handle, bool height, uint32_t *out)
{
    for (int l = 0; l < 32; l++) {
        alloc *al;
        if (!(w->mask >> l & 1)) continue;
        const sim_texture *t = object_of(w, in, l, handle[l], &al);
        if (!t) return false;
        out[l] = height ? t->height : t->width;
    }
    return true;
}

bool surface_io(warp *w, const insn *in, bool store, int outside, const uint64_t *handle, const uint32_t *x,
                const uint32_t *y, uint32_t bytes, char *data)
{
    for (int l = 0; l < 32; l++) {
        alloc *al;
        const uint32_t bit = UINT32_C(1) << l;
        if (!(w->mask & bit)) continue;
        const sim_texture *t = object_of(w, in, l, handle[l], &al);
        if (!t) return false;
        int64_t row_bytes = (int64_t)t->width * t->channels * texel_bytes[t->texel], i = (int32_t)x[l],
                j = y ? (int32_t)y[l] : 0;
        if (i & (bytes - 1)) {
            fault_raise(w, in, SIM_FAULT_MISALIGNED, l, bit, "global", t->address, bytes,
                        "a surface access of %u bytes at byte %lld of a row, which is not a multiple of %u",
                        (unsigned)bytes, (long long)i, (unsigned)bytes);
            return false;
        }
        bool out = i < 0 || i + bytes > row_bytes || j < 0 || j >= rows_of(t);
        if (out && (outside == SURFACE_TRAP || row_bytes < bytes)) {
            fault_raise(w, in, SIM_FAULT_OUT_OF_BOUNDS, l, bit, "global", t->address, bytes,
                        "%s of %u bytes at byte %lld of row %lld of a surface with %u rows of %lld bytes",
                        store ? "write" : "read", (unsigned)bytes, (long long)i, (long long)j, (unsigned)rows_of(t),
                        (long long)row_bytes);
            return false;
        }
        if (out && outside == SURFACE_ZERO) {
            if (!store) memset(data + 16 * l, 0, 16);
            continue;
        }
        if (out) {
            i = i < 0 ? 0 : i + bytes > row_bytes ? (row_bytes - bytes) / bytes * bytes : i;
            j = j < 0 ? 0 : j >= rows_of(t) ? rows_of(t) - 1 : j;
        }
        if (store && al->is_const) {
            fault_raise(w, in, SIM_FAULT_READ_ONLY, l, bit, "global", t->address, bytes,
                        "write of %u bytes to constant memory", (unsigned)bytes);
            return false;
        }
        uint64_t offset = t->address - al->start + (uint64_t)j * pitch_of(t) + (uint64_t)i;
        if (!touch(w, in, l, al, offset, bytes, store ? ACCESS_WRITE : ACCESS_READ, store ? data + 16 * l : NULL))
            return false;
        if (store) memcpy(al->host + offset, data + 16 * l, bytes);
        else memcpy(data + 16 * l, al->host + offset, bytes);
    }
    return true;
}
