/* texture.h: what textures and surfaces share: where texels lie, and reports to the checkers. */
#ifndef SIM_TEXTURE_H
#define SIM_TEXTURE_H

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

#endif
