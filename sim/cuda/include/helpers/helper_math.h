/* helper_math.h: arithmetic on CUDA's vectors, as the header of this name that comes with NVIDIA's
 * samples has it, in our own words: each operator by component, and what graphics needs. */
#ifndef WARPSTEP_HELPER_MATH_H
#define WARPSTEP_HELPER_MATH_H
#include <cmath>
#include <cuda_runtime.h>

#define WARPSTEP_HD inline __host__ __device__
#define WARPSTEP_OPERATOR2(V, T, op)                                                                    \
    WARPSTEP_HD V operator op(V a, V b) { return make_##V(a.x op b.x, a.y op b.y); }                    \
    WARPSTEP_HD V operator op(V a, T b) { return make_##V(a.x op b, a.y op b); }                        \
    WARPSTEP_HD V operator op(T a, V b) { return make_##V(a op b.x, a op b.y); }                        \
    WARPSTEP_HD void operator op##=(V &a, V b) { a.x op##= b.x, a.y op##= b.y; }                        \
    WARPSTEP_HD void operator op##=(V &a, T b) { a.x op##= b, a.y op##= b; }
#define WARPSTEP_OPERATOR3(V, T, op)                                                                    \
    WARPSTEP_HD V operator op(V a, V b) { return make_##V(a.x op b.x, a.y op b.y, a.z op b.z); }        \
    WARPSTEP_HD V operator op(V a, T b) { return make_##V(a.x op b, a.y op b, a.z op b); }              \
    WARPSTEP_HD V operator op(T a, V b) { return make_##V(a op b.x, a op b.y, a op b.z); }              \
    WARPSTEP_HD void operator op##=(V &a, V b) { a.x op##= b.x, a.y op##= b.y, a.z op##= b.z; }         \
    WARPSTEP_HD void operator op##=(V &a, T b) { a.x op##= b, a.y op##= b, a.z op##= b; }
#define WARPSTEP_OPERATOR4(V, T, op)                                                                            \
    WARPSTEP_HD V operator op(V a, V b) { return make_##V(a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w); }    \
    WARPSTEP_HD V operator op(V a, T b) { return make_##V(a.x op b, a.y op b, a.z op b, a.w op b); }            \
    WARPSTEP_HD V operator op(T a, V b) { return make_##V(a op b.x, a op b.y, a op b.z, a op b.w); }            \
    WARPSTEP_HD void operator op##=(V &a, V b) { a.x op##= b.x, a.y op##= b.y, a.z op##= b.z, a.w op##= b.w; }  \
    WARPSTEP_HD void operator op##=(V &a, T b) { a.x op##= b, a.y op##= b, a.z op##= b, a.w op##= b; }
#define WARPSTEP_OPERATORS(n, V, T) \
    WARPSTEP_OPERATOR##n(V, T, +) WARPSTEP_OPERATOR##n(V, T, -) WARPSTEP_OPERATOR##n(V, T, *)
WARPSTEP_OPERATORS(2, float2, float)
WARPSTEP_OPERATORS(3, float3, float)
WARPSTEP_OPERATORS(4, float4, float)
WARPSTEP_OPERATORS(2, int2, int)
WARPSTEP_OPERATORS(3, int3, int)
WARPSTEP_OPERATORS(4, int4, int)
WARPSTEP_OPERATORS(2, uint2, unsigned int)
WARPSTEP_OPERATORS(3, uint3, unsigned int)
WARPSTEP_OPERATORS(4, uint4, unsigned int)
WARPSTEP_OPERATOR2(float2, float, /)
WARPSTEP_OPERATOR3(float3, float, /)
WARPSTEP_OPERATOR4(float4, float, /)

WARPSTEP_HD float2 operator-(float2 a) { return make_float2(-a.x, -a.y); }
WARPSTEP_HD float3 operator-(float3 a) { return make_float3(-a.x, -a.y, -a.z); }
WARPSTEP_HD float4 operator-(float4 a) { return make_float4(-a.x, -a.y, -a.z, -a.w); }
WARPSTEP_HD float2 make_float2(float s) { return make_float2(s, s); }
WARPSTEP_HD float3 make_float3(float s) { return make_float3(s, s, s); }
WARPSTEP_HD float4 make_float4(float s) { return make_float4(s, s, s, s); }
WARPSTEP_HD float2 make_float2(float3 a) { return make_float2(a.x, a.y); }
WARPSTEP_HD float3 make_float3(float2 a, float s) { return make_float3(a.x, a.y, s); }
WARPSTEP_HD float3 make_float3(float4 a) { return make_float3(a.x, a.y, a.z); }
WARPSTEP_HD float4 make_float4(float3 a) { return make_float4(a.x, a.y, a.z, 0.0f); }
WARPSTEP_HD float4 make_float4(float3 a, float w) { return make_float4(a.x, a.y, a.z, w); }
WARPSTEP_HD int2 make_int2(int s) { return make_int2(s, s); }
WARPSTEP_HD int3 make_int3(int s) { return make_int3(s, s, s); }
WARPSTEP_HD int3 make_int3(float3 a) { return make_int3((int)a.x, (int)a.y, (int)a.z); }

WARPSTEP_HD float dot(float2 a, float2 b) { return a.x * b.x + a.y * b.y; }
WARPSTEP_HD float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
WARPSTEP_HD float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
WARPSTEP_HD float3 cross(float3 a, float3 b)
{
    return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
template <class V> WARPSTEP_HD float length(V v) { return sqrtf(dot(v, v)); }
template <class V> WARPSTEP_HD V normalize(V v) { return v * (1.0f / sqrtf(dot(v, v))); }
template <class V> WARPSTEP_HD V lerp(V a, V b, float t) { return a + t * (b - a); }
WARPSTEP_HD float clamp(float v, float a, float b) { return fmaxf(a, fminf(v, b)); }
WARPSTEP_HD int clamp(int v, int a, int b) { return v < a ? a : v > b ? b : v; }
WARPSTEP_HD float3 clamp(float3 v, float a, float b)
{
    return make_float3(clamp(v.x, a, b), clamp(v.y, a, b), clamp(v.z, a, b));
}
WARPSTEP_HD float4 clamp(float4 v, float a, float b)
{
    return make_float4(clamp(v.x, a, b), clamp(v.y, a, b), clamp(v.z, a, b), clamp(v.w, a, b));
}
WARPSTEP_HD float3 fminf(float3 a, float3 b) { return make_float3(fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z)); }
WARPSTEP_HD float3 fmaxf(float3 a, float3 b) { return make_float3(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z)); }
WARPSTEP_HD float3 floorf(float3 v) { return make_float3(floorf(v.x), floorf(v.y), floorf(v.z)); }
WARPSTEP_HD float3 reflect(float3 i, float3 n) { return i - 2.0f * n * dot(n, i); }
WARPSTEP_HD float fracf(float v) { return v - floorf(v); }
#endif
