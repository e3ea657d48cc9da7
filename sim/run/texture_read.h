/* texture_read.h: textures: reads and queries, and what surfaces share with them: where texels lie, and reports to
 * the checkers. */
#ifndef SIM_TEXTURE_READ_H
#define SIM_TEXTURE_READ_H

#include "parallel_bet.h"
#include "run.h"

static const uint8_t texel_bytes[] = {1, 1, 2, 2, 4, 4, 2, 4}; /* of a channel, by SIM_TEXEL_... */

static inline uint64_t texture_row_bytes(const sim_texture *t)
{
    return (uint64_t)t->width * (uint32_t)t->channels * texel_bytes[t->texel];
}
static inline uint64_t texture_pitch(const sim_texture *t) { return t->pitch ? t->pitch : texture_row_bytes(t); }
static inline uint32_t texture_rows(const sim_texture *t) { return t->height ? t->height : 1; }
static inline uint64_t texture_slice(const sim_texture *t)
{
    return t->slice ? t->slice : texture_pitch(t) * texture_rows(t);
}
static inline uint32_t texture_slices(const sim_texture *t) /* of depth, layers or faces */
{
    return t->depth ? t->depth : (t->layers ? t->layers : 1) * (t->cube ? 6 : 1);
}

static inline uint32_t float_bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}
static inline float bits_float(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

bool texture_binds(const sim *s, uint64_t handle, enum ptx_type reference); /* a texture, or a sampler */

/* The texture that a lane's handle, or the address of a reference, stands for, and its buffer.
 * NULL: a fault was raised. */
const sim_texture *texture_of(warp *w, const insn *in, int lane, uint64_t handle, alloc **al);
/* `is` and `how`: geometries. False: they differ, and a fault was raised. */
bool texture_fits(warp *w, const insn *in, int lane, uint64_t handle, uint32_t is, uint32_t how, const char *what);
/* Reports one lane's bytes to the checkers, and claims them while blocks run in parallel. */
bool texture_touch(warp *w, const insn *in, int lane, alloc *al, uint64_t offset, uint32_t bytes, enum access_kind kind,
                   const void *value);

/* ---- what operations call; false: a fault was raised ---- */
/* of an instruction: its geometry and way of reading */
enum {
    TEXTURE_DIMENSIONS = 3, /* 1, 2 or 3; the direction into a cube has 3 */
    TEXTURE_LAYERED = 4,
    TEXTURE_CUBE = 8,
    TEXTURE_GEOMETRY = TEXTURE_DIMENSIONS | TEXTURE_LAYERED | TEXTURE_CUBE,
    TEXTURE_INTEGER = 16, /* coordinates */
    TEXTURE_GATHER = 32,  /* one component of four texels: */
    TEXTURE_COMPONENT = 6 /* shift */
};
/* attributes that a query asks for */
enum {
    TEXTURE_WIDTH,
    TEXTURE_HEIGHT,
    TEXTURE_DEPTH,
    TEXTURE_LAYERS,
    TEXTURE_TYPE,
    TEXTURE_ORDER,
    TEXTURE_NORMALIZED,
    TEXTURE_LEVELS,
    TEXTURE_SAMPLES,
    TEXTURE_FILTER,
    TEXTURE_OUTSIDE,
    TEXTURE_PLAIN = TEXTURE_OUTSIDE + 3
};
/* by lane */
typedef struct texture_place {
    const uint64_t *texture, *sampler;       /* handles or references; sampler may be NULL */
    const uint32_t *layer, *at[3], *more[3]; /* coordinates, and offsets in texels; NULL: none */
} texture_place;
bool texture_read(warp *w, const insn *in, uint32_t how, const texture_place *p, uint32_t out[4][32]);
bool texture_query(warp *w, const insn *in, const uint64_t *handle, int what, uint32_t *out);
void texture_end(sim *s);

#endif
