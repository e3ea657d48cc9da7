/* texture_read.c: texture and surface objects, and reading textures; surfaces are in surface.c.
 *
 * An object describes rows of texels in a buffer, and how many times that repeats: slices of a 3D
 * texture, layers, or the faces of cubes. Its handle is TEXTURE_BASE plus 16 times its number,
 * which is no address, so a handle used as a pointer faults. A texture reference is a variable of 8
 * bytes that holds a handle; an instruction that names one has the variable's address. Coordinates
 * are mapped to the texel grid as the CUDA programming guide states:
 *
 *   point     texel floor(x)
 *   linear    between texels floor(x - 0.5) and the next; the weight has 8 fraction bits
 *
 * where x counts texels (a normalized coordinate times the width). A texel index outside 0 .. width
 * - 1 is then clamped, wrapped, mirrored or read as zero. Wrapping and mirroring need normalized
 * coordinates; without these they clamp. A layer that does not exist is the nearest that does. The
 * largest part of the direction into a cube selects the face (of equal parts, which the guide
 * leaves open, x before y before z), and each face is filtered by itself. Channels that the texels
 * do not have read as 0, 0 and 1. How a card rounds the filtered sum is not documented: here it is
 * single precision.
 */
#include "texture_read.h"
#include "list.h"
#include <math.h>
#include <stdlib.h>

#define TEXTURE_BASE UINT64_C(0xfe00000000000000)
enum { MOST_TEXTURES = 1 << 20 };

static bool is_handle(uint64_t v) { return v >= TEXTURE_BASE && v % 16 == 0; }

/* The object of a handle, or NULL. */
static sim_texture *object_named(const sim *s, uint64_t handle)
{
    uint64_t i = (handle - TEXTURE_BASE) / 16;
    return is_handle(handle) && i < s->texture_count && s->textures[i].width ? &s->textures[i] : NULL;
}
/* A sampler is kept as a texture without channels. */
static bool is_sampler(const sim_texture *t) { return !t->channels; }

static int add_object(sim *s, const sim_texture *t, uint64_t *handle, sim_error *err)
{
    if (s->texture_count == MOST_TEXTURES) return sim_fail(err, SIM_E_MEMORY, "too many textures");
    if (!list_grow(&s->textures, s->texture_count, sizeof *s->textures))
        return sim_no_memory(err);
    s->textures[s->texture_count] = *t;
    *handle = TEXTURE_BASE + 16 * (uint64_t)s->texture_count++;
    return SIM_OK;
}

static bool known_outside(const int *outside)
{
    for (int i = 0; i < 3; i++)
        if (outside[i] < SIM_OUTSIDE_CLAMP || outside[i] > SIM_OUTSIDE_BORDER) return false;
    return true;
}

static bool shape_exists(const sim_texture *t)
{
    const uint32_t most = 1u << 17;
    if (!t->width || t->width > 1u << 27 || t->height > most || t->depth > most || t->layers > most) return false;
    if (t->depth && (!t->height || t->layers || t->cube)) return false;
    return !t->cube || t->height == t->width;
}

static int check_texture(const sim *s, const sim_texture *t, sim_error *err)
{
    if (t->texel < 0 || t->texel > SIM_TEXEL_F32 || (t->channels != 1 && t->channels != 2 && t->channels != 4))
        return sim_fail(err, SIM_E_ARGUMENT, "a texture needs a known texel type and 1, 2 or 4 channels");
    if (!shape_exists(t))
        return sim_fail(err, SIM_E_ARGUMENT, "a texture of %u x %u x %u texels, %u layers%s cannot be created",
                        (unsigned)t->width, (unsigned)t->height, (unsigned)t->depth, (unsigned)t->layers,
                        t->cube ? ", cubes," : "");
    if (!known_outside(t->outside)) return sim_fail(err, SIM_E_ARGUMENT, "a texture needs a known addressing mode");
    bool is_float = t->texel >= SIM_TEXEL_F16;
    if (t->fractions && t->texel > SIM_TEXEL_S16)
        return sim_fail(err, SIM_E_ARGUMENT, "only 8- and 16-bit integer texels can be read as normalized floats");
    if (t->linear && !is_float && !t->fractions)
        return sim_fail(err, SIM_E_ARGUMENT, "linear filtering needs texels that read as floats");
    const uint64_t row = texture_row_bytes(t), pitch = texture_pitch(t), rows = texture_rows(t),
                   slice = texture_slice(t);
    const alloc *al = memory_at(&s->mem, t->address);
    bool fits = al && !al->freed && pitch >= row && pitch <= UINT64_C(1) << 40 && pitch % texel_bytes[t->texel] == 0 &&
                slice % texel_bytes[t->texel] == 0 && t->address % 16 == 0;
    const uint64_t one = pitch * (rows - 1) + row, last = texture_slices(t) - 1;
    fits = fits && (!last || (slice >= one && slice <= al->size)) &&
           al->size - (t->address - al->start) >= slice * last + one;
    if (!fits)
        return sim_fail(err, SIM_E_ARGUMENT,
                        "the texels of a texture must lie in one buffer, row after row, starting at a multiple of 16");
    return SIM_OK;
}

/* A buffer read as texels may be said to be longer than it is: a driver does not look. It ends where the buffer ends,
 * and what lies beyond reads as zero. */
static void end_with_buffer(const sim *s, sim_texture *t)
{
    const alloc *al = memory_at(&s->mem, t->address);
    const uint32_t texel =
        t->texel >= 0 && t->texel <= SIM_TEXEL_F32 ? texel_bytes[t->texel] * (uint32_t)t->channels : 0;
    if (!al || !texel || t->height || t->depth || t->layers || t->cube || t->width > 1u << 27) return;
    const uint64_t there = (al->size - (t->address - al->start)) / texel;
    if (t->width <= there || !there) return;
    t->width = (uint32_t)there;
    t->pitch = t->slice = 0;
}

int sim_texture_make(sim *s, const sim_texture *t, uint64_t *handle, sim_error *err)
{
    sim_texture made = *t;
    *handle = 0;
    end_with_buffer(s, &made);
    int code = check_texture(s, &made, err);
    return code ? code : add_object(s, &made, handle, err);
}

const sim_texture *sim_textures(const sim *s, uint32_t *count)
{
    *count = s->texture_count;
    return s->textures;
}

int sim_textures_restore(sim *s, const sim_texture *list, uint32_t count, sim_error *err)
{
    int code = SIM_OK;
    uint64_t handle;
    s->texture_count = 0;
    for (uint32_t i = 0; i < count && !code; i++) {
        const sim_texture *t = &list[i];
        if (t->width && is_sampler(t) && !known_outside(t->outside))
            code = sim_fail(err, SIM_E_ARGUMENT, "a sampler needs a known addressing mode");
        else if (t->width && !is_sampler(t)) code = check_texture(s, t, err);
        if (!code) code = add_object(s, t, &handle, err);
    }
    return code;
}

int sim_sampler_make(sim *s, const sim_sampler *sampler, uint64_t *handle, sim_error *err)
{
    sim_texture t = {.width = 1, .linear = sampler->linear, .normalized = !sampler->plain};
    *handle = 0;
    memcpy(t.outside, sampler->outside, sizeof t.outside);
    if (!known_outside(t.outside)) return sim_fail(err, SIM_E_ARGUMENT, "a sampler needs a known addressing mode");
    return add_object(s, &t, handle, err);
}

int sim_texture_free(sim *s, uint64_t handle, sim_error *err)
{
    sim_texture *t = object_named(s, handle);
    if (!t) return sim_fail(err, SIM_E_ARGUMENT, "this is not the handle of a texture");
    t->width = 0;
    return SIM_OK;
}

bool texture_binds(const sim *s, uint64_t handle, enum ptx_type reference)
{
    const sim_texture *t = object_named(s, handle);
    return !handle || (t && is_sampler(t) == (reference == T_SAMPLERREF));
}

void texture_end(sim *s) { free(s->textures); }

/* ---- the objects of an instruction ---- */
enum { A_TEXTURE = 1, A_SAMPLER = 2 };
static const sim_texture *named(warp *w, const insn *in, int lane, uint64_t said, int kinds)
{
    sim *s = w->worker->launch->s;
    const uint32_t bit = UINT32_C(1) << lane;
    const char *const what = kinds & A_TEXTURE ? "texture or surface" : "sampler";
    uint64_t handle = said;
    const alloc *al = is_handle(said) ? NULL : memory_at(&s->mem, said);
    const bool reference = al && al->is_reference && !al->freed && said == al->start;
    if (reference) memcpy(&handle, al->host, sizeof handle);
    const sim_texture *t = object_named(s, handle);
    if (t && kinds & (is_sampler(t) ? A_SAMPLER : A_TEXTURE)) return t;
    if (reference)
        fault_raise(w, in, SIM_FAULT_BAD_OPERAND, lane, bit, "", said, 0, "the reference %s is not bound to a %s",
                    al->name, what);
    else
        fault_raise(w, in, SIM_FAULT_BAD_OPERAND, lane, bit, "", said, 0, "0x%llx is not a %s object",
                    (unsigned long long)said, what);
    return NULL;
}

const sim_texture *texture_of(warp *w, const insn *in, int lane, uint64_t handle, alloc **al)
{
    const sim_texture *t = named(w, in, lane, handle, A_TEXTURE);
    if (!t) return NULL;
    *al = memory_at(&w->worker->launch->s->mem, t->address);
    if (*al && (*al)->host && !(*al)->freed) {
        if (!(*al)->touched) (*al)->touched = true;
        return t;
    }
    fault_raise(w, in, SIM_FAULT_USE_AFTER_FREE, lane, UINT32_C(1) << lane, "global", t->address, 0,
                "the buffer of this texture has been freed");
    return NULL;
}

static const char *shape_name(uint32_t geometry)
{
    static const char *const plain[] = {"", "1d", "2d", "3d"}, *const layered[] = {"", "a1d", "a2d", "a3d"};
    if (geometry & TEXTURE_CUBE) return geometry & TEXTURE_LAYERED ? "acube" : "cube";
    return (geometry & TEXTURE_LAYERED ? layered : plain)[geometry & TEXTURE_DIMENSIONS];
}

bool texture_fits(warp *w, const insn *in, int lane, uint64_t handle, uint32_t is, uint32_t how, const char *what)
{
    if (is == (how & TEXTURE_GEOMETRY)) return true;
    fault_raise(w, in, SIM_FAULT_BAD_OPERAND, lane, UINT32_C(1) << lane, "", handle, 0,
                "a %s of geometry .%s is accessed as .%s", what, shape_name(is), shape_name(how));
    return false;
}

static uint32_t geometry_of(const sim_texture *t)
{
    return (t->depth || t->cube ? 3
            : t->height         ? 2
                                : 1) |
           (t->layers ? TEXTURE_LAYERED : 0u) | (t->cube ? TEXTURE_CUBE : 0u);
}

/* ---- texels ---- */
bool texture_touch(warp *w, const insn *in, int lane, alloc *al, uint64_t offset, uint32_t bytes, enum access_kind kind,
                   const void *value)
{
    if (w->worker->launch->bet && !bet_run(w, in, al, offset, bytes, kind)) return false;
    const bool full = w->worker->seen && w->worker->seen->count == SEEN_MOST; /* the clock takes no more */
    if (!(w->watch & (full ? ~WATCH_TIME : ~0))) return true;
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

/* Brings a texel index into 0 .. n - 1; -1: outside, reads as zero. */
static int64_t inside(int64_t i, uint32_t n, int rule)
{
    if (i >= 0 && i < n) return i;
    if (rule == SIM_OUTSIDE_BORDER) return -1;
    if (rule == SIM_OUTSIDE_CLAMP) return i < 0 ? 0 : (int64_t)n - 1;
    int64_t period = rule == SIM_OUTSIDE_WRAP ? n : 2 * (int64_t)n, j = ((i % period) + period) % period;
    return j < n ? j : period - 1 - j;
}

/* How one lane reads: rules along x, y and z, and the slice that z 0 is in. */
typedef struct reader {
    warp *w;
    const insn *in;
    int lane;
    const sim_texture *t;
    alloc *al;
    bool linear, normalized;
    bool told; /* somebody wants to know which texels are read */
    uint32_t size[3], dimensions, layer;
    int rule[3];
} reader;

static bool start_reading(reader *r, uint32_t how, const texture_place *p)
{
    r->t = texture_of(r->w, r->in, r->lane, p->texture[r->lane], &r->al);
    if (!r->t || !texture_fits(r->w, r->in, r->lane, p->texture[r->lane], geometry_of(r->t), how, "texture"))
        return false;
    r->told = r->w->watch || (r->w->worker->launch->bet && r->al->tracked & TRACK_LOADS);
    const sim_texture *s = r->t;
    if (p->sampler) s = named(r->w, r->in, r->lane, p->sampler[r->lane], A_SAMPLER);
    if (!s) return false;
    r->linear = s->linear && (s == r->t || reads_float(r->t));
    r->normalized = r->t->normalized && s->normalized;
    const bool folds = r->normalized || how & TEXTURE_CUBE;
    r->dimensions = how & TEXTURE_CUBE ? 2 : how & TEXTURE_DIMENSIONS;
    const uint32_t size[3] = {r->t->width, texture_rows(r->t), r->t->depth ? r->t->depth : 1};
    for (uint32_t i = 0; i < 3; i++) {
        const int rule = s->outside[i];
        r->size[i] = size[i];
        r->rule[i] = i >= r->dimensions || (!folds && (rule == SIM_OUTSIDE_WRAP || rule == SIM_OUTSIDE_MIRROR))
                         ? SIM_OUTSIDE_CLAMP
                         : rule;
    }
    if (how & TEXTURE_CUBE) r->normalized = true;
    if (how & TEXTURE_INTEGER && r->dimensions == 1 && !p->layer)
        r->rule[0] = SIM_OUTSIDE_BORDER; /* a buffer: outside it is zero */
    if (p->layer) r->layer = p->layer[r->lane] < r->t->layers ? p->layer[r->lane] : r->t->layers - 1;
    return true;
}

/* The texel at a grid position, all four channels. False: a fault. */
static bool texel(const reader *r, const int64_t *at, uint32_t *out)
{
    const sim_texture *t = r->t;
    int64_t i[3];
    memset(out, 0, 4 * sizeof *out);
    for (int k = 0; k < 3; k++)
        if ((i[k] = inside(at[k], r->size[k], r->rule[k])) < 0) return true;
    out[3] = reads_float(t) ? float_bits(1.0f) : 1;
    const uint32_t bytes = texel_bytes[t->texel] * (uint32_t)t->channels;
    const uint64_t offset = t->address - r->al->start + ((uint64_t)i[2] + r->layer) * texture_slice(t) +
                            (uint64_t)i[1] * texture_pitch(t) + (uint64_t)i[0] * bytes;
    if (r->told && !texture_touch(r->w, r->in, r->lane, r->al, offset, bytes, ACCESS_READ, NULL)) return false;
    for (int c = 0; c < t->channels; c++)
        out[c] = channel(t, r->al->host + offset + (uint32_t)c * texel_bytes[t->texel]);
    return true;
}

/* A coordinate in texels. NaN counts as 0; the rest is kept where integers can hold it. */
static float in_texels(float x, bool normalized, uint32_t n)
{
    if (x != x) return 0;
    if (normalized) x *= (float)n;
    return x > 0x1p30f ? 0x1p30f : x < -0x1p30f ? -0x1p30f : x;
}

/* floor(x - 0.5), and the weight of the texel after it. */
static int64_t grid_below(float x, float *weight)
{
    double moved = (double)x - 0.5, low = floor(moved);
    *weight = (float)(floor((moved - low) * 256 + 0.5) / 256);
    return (int64_t)low;
}

static bool read_linear(const reader *r, const float *x, uint32_t *out)
{
    float after[3] = {0}, sum[4] = {0};
    int64_t low[3] = {0};
    for (uint32_t i = 0; i < r->dimensions; i++) low[i] = grid_below(x[i], &after[i]);
    for (int k = 0; k < 1 << r->dimensions; k++) {
        uint32_t v[4];
        const int64_t at[3] = {low[0] + (k & 1), low[1] + (k >> 1 & 1), low[2] + (k >> 2)};
        float weight =
            (k & 1 ? after[0] : 1 - after[0]) * (k & 2 ? after[1] : 1 - after[1]) * (k & 4 ? after[2] : 1 - after[2]);
        if (weight <= 0 && !r->told) continue; /* in the middle of a texel: it alone counts */
        if (!texel(r, at, v)) return false;
        for (int c = 0; c < 4 && weight > 0; c++) sum[c] += weight * bits_float(v[c]);
    }
    for (int c = 0; c < 4; c++) out[c] = float_bits(sum[c]);
    return true;
}

/* One channel of the four texels around, from the lower left counterclockwise, with y upwards. */
static bool read_gather(const reader *r, const float *x, uint32_t component, uint32_t *out)
{
    static const uint8_t order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    float unused;
    const int64_t i = grid_below(x[0], &unused), j = grid_below(x[1], &unused);
    for (int k = 0; k < 4; k++) {
        uint32_t one[4];
        const int64_t at[3] = {i + order[k][0], j + order[k][1], 0};
        if (!texel(r, at, one)) return false;
        out[k] = one[component];
    }
    return true;
}

/* The face of a cube that a direction goes through, and where, from 0 to 1. */
static uint32_t cube_face(const float *d, float *s, float *t)
{
    const float x = fabsf(d[0]), y = fabsf(d[1]), z = fabsf(d[2]);
    float m, u, v;
    uint32_t face;
    if (x >= y && x >= z) face = d[0] < 0, m = x, u = d[0] < 0 ? d[2] : -d[2], v = -d[1];
    else if (y >= z) face = 2 + (d[1] < 0), m = y, u = d[0], v = d[1] < 0 ? -d[2] : d[2];
    else face = 4 + (d[2] < 0), m = z, u = d[2] < 0 ? -d[0] : d[0], v = -d[1];
    *s = (u / m + 1) / 2;
    *t = (v / m + 1) / 2;
    return face;
}

static bool read_lane(reader *r, uint32_t how, const texture_place *p, uint32_t *out)
{
    const int l = r->lane;
    int64_t at[3] = {0};
    float x[3] = {0};
    if (how & TEXTURE_INTEGER) {
        for (uint32_t i = 0; i < r->dimensions; i++)
            at[i] = (int64_t)(int32_t)p->at[i][l] + (p->more[i] ? (int32_t)p->more[i][l] : 0);
        return texel(r, at, out);
    }
    for (uint32_t i = 0; i < 3 && p->at[i]; i++) x[i] = bits_float(p->at[i][l]);
    if (how & TEXTURE_CUBE) {
        r->layer = 6 * r->layer + cube_face(x, &x[0], &x[1]);
        x[2] = 0;
    }
    for (uint32_t i = 0; i < r->dimensions; i++)
        x[i] = in_texels(x[i], r->normalized, r->size[i]) + (p->more[i] ? (float)(int32_t)p->more[i][l] : 0);
    if (how & TEXTURE_GATHER) return read_gather(r, x, how >> TEXTURE_COMPONENT & 3, out);
    if (r->linear) return read_linear(r, x, out);
    for (uint32_t i = 0; i < r->dimensions; i++) at[i] = (int64_t)floorf(x[i]);
    return texel(r, at, out);
}

/* Do two lanes read the same texture in the same way? They nearly always do. */
static bool read_alike(const texture_place *p, int a, int b)
{
    return p->texture[a] == p->texture[b] && (!p->sampler || p->sampler[a] == p->sampler[b]) &&
           (!p->layer || p->layer[a] == p->layer[b]);
}

bool texture_read(warp *w, const insn *in, uint32_t how, const texture_place *p, uint32_t out[4][32])
{
    reader r = {.w = w, .in = in, .lane = -1};
    uint32_t layer = 0;
    for (int l = 0; l < 32; l++) {
        if (!(w->mask >> l & 1)) continue;
        if (r.lane < 0 || !read_alike(p, r.lane, l)) {
            r = (reader){.w = w, .in = in, .lane = l};
            if (!start_reading(&r, how, p)) return false;
            layer = r.layer;
        }
        uint32_t v[4];
        r.lane = l;
        r.layer = layer; /* of a cube each lane finds its face */
        if (!read_lane(&r, how, p, v)) return false;
        for (int c = 0; c < 4; c++) out[c][l] = v[c];
    }
    return true;
}

/* ---- queries ---- */
/* Formats and orders have OpenCL's numbers, as PTX says; filters and addressing modes have the
 * order of PTX's own lists. */
static uint32_t format_number(const sim_texture *t)
{
    static const uint16_t whole[] = {0x10da, 0x10d7, 0x10db, 0x10d8, 0x10dc, 0x10d9, 0x10dd, 0x10de},
                          fraction[] = {0x10d2, 0x10d0, 0x10d3, 0x10d1};
    return t->fractions ? fraction[t->texel] : whole[t->texel];
}

static uint32_t answer(const sim_texture *t, int what)
{
    static const uint8_t outside[] = {
        [SIM_OUTSIDE_WRAP] = 0, [SIM_OUTSIDE_MIRROR] = 1, [SIM_OUTSIDE_CLAMP] = 3, [SIM_OUTSIDE_BORDER] = 4};
    switch (what) {
    case TEXTURE_WIDTH: return t->width;
    case TEXTURE_HEIGHT: return t->height;
    case TEXTURE_DEPTH: return t->depth;
    case TEXTURE_LAYERS: return t->layers;
    case TEXTURE_TYPE: return format_number(t);
    case TEXTURE_ORDER: return t->channels == 1 ? 0x10b0 : t->channels == 2 ? 0x10b2 : 0x10b5;
    case TEXTURE_NORMALIZED: return t->normalized;
    case TEXTURE_LEVELS:
    case TEXTURE_SAMPLES: return 1;
    case TEXTURE_FILTER: return t->linear;
    case TEXTURE_PLAIN: return !t->normalized;
    default: return outside[t->outside[what - TEXTURE_OUTSIDE]];
    }
}

bool texture_query(warp *w, const insn *in, const uint64_t *handle, int what, uint32_t *out)
{
    for (int l = 0; l < 32; l++) {
        alloc *al;
        if (!(w->mask >> l & 1)) continue;
        const sim_texture *t = what < TEXTURE_FILTER ? texture_of(w, in, l, handle[l], &al)
                                                     : named(w, in, l, handle[l],
                                                             what == TEXTURE_PLAIN ? A_SAMPLER : A_SAMPLER | A_TEXTURE);
        if (!t) return false;
        out[l] = answer(t, what);
    }
    return true;
}
