/* surface.c: reads and writes texels of an object as they lie in memory.
 *
 * The first coordinate counts bytes, or texels where values are converted to the format (.p).
 * Layers are a coordinate like any other: the rule for places outside applies to them. The faces of
 * cubes are layers.
 */
#include "surface.h"
#include <math.h>
#include <stdio.h>

typedef struct spot {
    const sim_texture *t;
    alloc *al;
    uint64_t offset; /* in al */
    uint32_t bytes;
    bool none; /* outside: nothing is read or stored */
} spot;

static uint32_t geometry_of(const sim_texture *t)
{
    return (t->depth ? 3 : t->height ? 2 : 1) | (t->layers || t->cube ? TEXTURE_LAYERED : 0u);
}

static int64_t into(int64_t i, int64_t n) { return i < 0 ? 0 : i < n ? i : n - 1; }

/* Finds one lane's access. `bytes` 0: a texel. */
static bool find_spot(warp *w, const insn *in, int l, uint32_t how, int outside, const texture_place *p, uint32_t bytes,
                      enum access_kind kind, spot *s)
{
    static const char *const verbs[] = {"read", "write", "atomic operation"};
    const uint32_t bit = UINT32_C(1) << l;
    s->t = texture_of(w, in, l, p->texture[l], &s->al);
    if (!s->t || !texture_fits(w, in, l, p->texture[l], geometry_of(s->t), how, "surface")) return false;
    const sim_texture *t = s->t;
    const uint32_t texel = (uint32_t)t->channels * texel_bytes[t->texel], n = bytes ? bytes : texel;
    const int64_t row_bytes = (int64_t)texture_row_bytes(t), rows = texture_rows(t), slices = texture_slices(t);
    int64_t i = (int64_t)(int32_t)p->at[0][l] * (bytes ? 1 : texel), j = p->at[1] ? (int32_t)p->at[1][l] : 0;
    int64_t k = p->layer ? (int64_t)p->layer[l] : p->at[2] ? (int32_t)p->at[2][l] : 0;
    if (i & (n - 1)) {
        fault_raise(w, in, SIM_FAULT_MISALIGNED, l, bit, "global", t->address, n,
                    "a surface access of %u bytes at byte %lld of a row, which is not a multiple of %u", (unsigned)n,
                    (long long)i, (unsigned)n);
        return false;
    }
    const bool out = i < 0 || i + n > row_bytes || j < 0 || j >= rows || k < 0 || k >= slices;
    if (out && (outside == SURFACE_TRAP || row_bytes < n)) {
        char where[80] = "";
        if (slices > 1) snprintf(where, sizeof where, ", slice or layer %lld of %lld", (long long)k, (long long)slices);
        fault_raise(w, in, SIM_FAULT_OUT_OF_BOUNDS, l, bit, "global", t->address, n,
                    "%s of %u bytes at byte %lld of row %lld of a surface with %lld rows of %lld bytes%s", verbs[kind],
                    (unsigned)n, (long long)i, (long long)j, (long long)rows, (long long)row_bytes, where);
        return false;
    }
    s->none = out && outside == SURFACE_ZERO;
    s->bytes = n;
    if (s->none) return true;
    if (out) {
        i = i + n > row_bytes ? (row_bytes - n) / n * n : into(i, row_bytes);
        j = into(j, rows);
        k = into(k, slices);
    }
    if (kind != ACCESS_READ && s->al->is_const) {
        fault_raise(w, in, SIM_FAULT_READ_ONLY, l, bit, "global", t->address, n, "%s of %u bytes to constant memory",
                    verbs[kind], (unsigned)n);
        return false;
    }
    s->offset =
        t->address - s->al->start + (uint64_t)k * texture_slice(t) + (uint64_t)j * texture_pitch(t) + (uint64_t)i;
    return true;
}

static uint32_t half_bits(float f) /* to nearest even */
{
    int e;
    const uint32_t sign = float_bits(f) >> 16 & 0x8000;
    if (f != f) return 0x7fff;
    if (f == 0 || fabsf(f) >= 0x1p16f) return sign | (f == 0 ? 0 : 0x7c00);
    frexpf(f, &e);
    e = e - 1 < -14 ? -14 : e - 1;
    return sign | ((uint32_t)nearbyint(ldexp(fabs((double)f), 10 - e)) +
                   ((uint32_t)(e + 14) << 10)); /* a carry goes into the exponent */
}

static int64_t between(int64_t v, int64_t low, int64_t high) { return v < low ? low : v > high ? high : v; }

/* A value as its texel holds it: integers are clamped, and so are floats that become fractions. */
static uint32_t formatted(const sim_texture *t, uint32_t v)
{
    const float f = bits_float(v);
    const int64_t s = (int32_t)v, u = (int64_t)v;
    const double unit = f != f ? 0 : f > 1 ? 1 : f < -1 ? -1 : (double)f, positive = unit < 0 ? 0 : unit;
    switch (t->texel) {
    case SIM_TEXEL_U8: return (uint32_t)(t->fractions ? (int64_t)nearbyint(positive * 255) : between(u, 0, 255));
    case SIM_TEXEL_S8: return (uint32_t)(t->fractions ? (int64_t)nearbyint(unit * 127) : between(s, -128, 127));
    case SIM_TEXEL_U16: return (uint32_t)(t->fractions ? (int64_t)nearbyint(positive * 65535) : between(u, 0, 65535));
    case SIM_TEXEL_S16: return (uint32_t)(t->fractions ? (int64_t)nearbyint(unit * 32767) : between(s, -32768, 32767));
    case SIM_TEXEL_F16: return half_bits(f);
    default: return v;
    }
}

static void make_texel(const sim_texture *t, char *data)
{
    uint32_t v[4];
    memcpy(v, data, sizeof v);
    for (int c = 0; c < t->channels; c++) { /* little-endian: low bytes first */
        const uint32_t x = formatted(t, v[c]);
        memcpy(data + c * texel_bytes[t->texel], &x, texel_bytes[t->texel]);
    }
}

bool surface_io(warp *w, const insn *in, uint32_t how, bool store, int outside, const texture_place *p, uint32_t bytes,
                char *data)
{
    for (int l = 0; l < 32; l++) {
        spot s = {0};
        if (!(w->mask >> l & 1)) continue;
        if (!find_spot(w, in, l, how, outside, p, bytes, store ? ACCESS_WRITE : ACCESS_READ, &s)) return false;
        if (s.none && !store) memset(data + 16 * l, 0, 16);
        if (s.none) continue;
        if (store && !bytes) make_texel(s.t, data + 16 * l);
        if (!texture_touch(w, in, l, s.al, s.offset, s.bytes, store ? ACCESS_WRITE : ACCESS_READ,
                           store ? data + 16 * l : NULL))
            return false;
        if (store) memcpy(s.al->host + s.offset, data + 16 * l, s.bytes);
        else memcpy(data + 16 * l, s.al->host + s.offset, s.bytes);
    }
    return true;
}

bool surface_reach(warp *w, const insn *in, uint32_t how, int outside, const texture_place *p, uint32_t bytes, reach *r,
                   uint32_t *lanes, uint32_t *is_signed)
{
    bool first = true;
    *lanes = w->mask;
    *is_signed = 0;
    r->al = NULL;
    r->space = SPACE_GLOBAL;
    for (int l = 0; l < 32; l++) {
        spot s = {0};
        r->at[l] = 0;
        r->host[l] = NULL;
        r->spaces[l] = SPACE_GLOBAL;
        if (!(w->mask >> l & 1)) continue;
        if (!find_spot(w, in, l, how, outside, p, bytes, ACCESS_ATOMIC, &s)) return false;
        if (!bytes && s.bytes != 4) {
            fault_raise(w, in, SIM_FAULT_BAD_OPERAND, l, UINT32_C(1) << l, "global", s.t->address, s.bytes,
                        "sured.p needs texels of one 32-bit channel; these have %u bytes", (unsigned)s.bytes);
            return false;
        }
        if (s.none) {
            *lanes &= ~(UINT32_C(1) << l);
            continue;
        }
        *is_signed |= (uint32_t)(s.t->texel == SIM_TEXEL_S32) << l;
        r->at[l] = s.al->start + s.offset;
        r->host[l] = s.al->host + s.offset;
        r->al = first || r->al == s.al ? s.al : NULL;
        first = false;
    }
    return true;
}
