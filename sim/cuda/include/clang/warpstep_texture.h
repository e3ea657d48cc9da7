/* warpstep_texture.h: reading textures and surfaces by their objects, for clang. A read gives four
 * values, of which the program wants as many as its type has. */
#ifndef WARPSTEP_TEXTURE_H
#define WARPSTEP_TEXTURE_H

template <class T> struct __ws_texel;
#define __WS_MAKE static __inline__ __attribute__((always_inline, nodebug, device))
#define __WS_ONE(T, base)                                                                  \
    template <> struct __ws_texel<T> {                                                     \
        typedef base value;                                                                \
        __WS_MAKE T make(base x, base, base, base) { return (T)x; }                        \
    };
#define __WS_MANY(name, part, base)                                                                             \
    template <> struct __ws_texel<name##1> {                                                                    \
        typedef base value;                                                                                     \
        __WS_MAKE name##1 make(base x, base, base, base) { return {(part)x}; }                                  \
    };                                                                                                          \
    template <> struct __ws_texel<name##2> {                                                                    \
        typedef base value;                                                                                     \
        __WS_MAKE name##2 make(base x, base y, base, base) { return {(part)x, (part)y}; }                       \
    };                                                                                                          \
    template <> struct __ws_texel<name##4> {                                                                    \
        typedef base value;                                                                                     \
        __WS_MAKE name##4 make(base x, base y, base z, base w) { return {(part)x, (part)y, (part)z, (part)w}; } \
    };
__WS_ONE(float, float)
__WS_ONE(char, int)
__WS_ONE(signed char, int)
__WS_ONE(unsigned char, unsigned int)
__WS_ONE(short, int)
__WS_ONE(unsigned short, unsigned int)
__WS_ONE(int, int)
__WS_ONE(unsigned int, unsigned int)
__WS_MANY(float, float, float)
__WS_MANY(char, signed char, int)
__WS_MANY(uchar, unsigned char, unsigned int)
__WS_MANY(short, short, int)
__WS_MANY(ushort, unsigned short, unsigned int)
__WS_MANY(int, int, int)
__WS_MANY(uint, unsigned int, unsigned int)
#undef __WS_ONE
#undef __WS_MANY

#define __WS_OPEN(...) , __VA_ARGS__ /* parameters come in parentheses */

/* __ws_tex_NAME(x, y, z, w, object, coordinates...) for each kind of value */
#define __WS_READ(name, base, type, letter, geometry, ctype, params, coordinates, ...)                          \
    __WS_FN void name(base &x, base &y, base &z, base &w, unsigned long long t __WS_OPEN params)                \
    {                                                                                                           \
        asm volatile("tex." geometry ".v4." type "." ctype " {%0, %1, %2, %3}, [%4, " coordinates "];"          \
                     : "=" letter(x), "=" letter(y), "=" letter(z), "=" letter(w) : "l"(t), __VA_ARGS__);       \
    }
#define __WS_READS(name, geometry, ctype, params, coordinates, ...)                                             \
    __WS_READ(name, float, "f32", "f", geometry, ctype, params, coordinates, __VA_ARGS__)                       \
    __WS_READ(name, int, "s32", "r", geometry, ctype, params, coordinates, __VA_ARGS__)                         \
    __WS_READ(name, unsigned int, "u32", "r", geometry, ctype, params, coordinates, __VA_ARGS__)
#define __WS_ABC (float a, float b, float c)
#define __WS_AB  (float a, float b)
#define __WS_LA  (int layer, float a)
#define __WS_LAB (int layer, float a, float b)
__WS_READS(__ws_tex_fetch, "1d", "s32", (int a), "{%5}", "r"(a))
__WS_READS(__ws_tex_1d, "1d", "f32", (float a), "{%5}", "f"(a))
__WS_READS(__ws_tex_2d, "2d", "f32", __WS_AB, "{%5, %6}", "f"(a), "f"(b))
__WS_READS(__ws_tex_3d, "3d", "f32", __WS_ABC, "{%5, %6, %7, %7}", "f"(a), "f"(b), "f"(c))
__WS_READS(__ws_tex_a1d, "a1d", "f32", __WS_LA, "{%5, %6}", "r"(layer), "f"(a))
__WS_READS(__ws_tex_a2d, "a2d", "f32", __WS_LAB, "{%5, %6, %7, %7}", "r"(layer), "f"(a), "f"(b))
__WS_READS(__ws_tex_cube, "cube", "f32", __WS_ABC, "{%5, %6, %7, %7}", "f"(a), "f"(b), "f"(c))

#define __WS_TEX(name, base, params, ...)                                                                       \
    template <class T> __WS_FN T name(cudaTextureObject_t t __WS_OPEN params)                                   \
    {                                                                                                           \
        typename __ws_texel<T>::value x, y, z, w;                                                               \
        base(x, y, z, w, t, __VA_ARGS__);                                                                       \
        return __ws_texel<T>::make(x, y, z, w);                                                                 \
    }                                                                                                           \
    template <class T> __WS_FN void name(T *out, cudaTextureObject_t t __WS_OPEN params)                        \
    {                                                                                                           \
        *out = name<T>(t, __VA_ARGS__);                                                                         \
    }
__WS_TEX(tex1Dfetch, __ws_tex_fetch, (int a), a)
__WS_TEX(tex1D, __ws_tex_1d, (float a), a)
__WS_TEX(tex2D, __ws_tex_2d, __WS_AB, a, b)
__WS_TEX(tex3D, __ws_tex_3d, __WS_ABC, a, b, c)
template <class T> __WS_FN T tex1DLayered(cudaTextureObject_t t, float a, int layer)
{
    typename __ws_texel<T>::value x, y, z, w;
    __ws_tex_a1d(x, y, z, w, t, layer, a);
    return __ws_texel<T>::make(x, y, z, w);
}
template <class T> __WS_FN T tex2DLayered(cudaTextureObject_t t, float a, float b, int layer)
{
    typename __ws_texel<T>::value x, y, z, w;
    __ws_tex_a2d(x, y, z, w, t, layer, a, b);
    return __ws_texel<T>::make(x, y, z, w);
}
__WS_TEX(texCubemap, __ws_tex_cube, __WS_ABC, a, b, c)
#undef __WS_TEX
#undef __WS_READS
#undef __WS_READ

/* ---- surfaces: by bytes along x ---- */
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
template <int bytes> struct __ws_surface;
#define __WS_SURFACE(bytes, base, type, letter)                                                                 \
    template <> struct __ws_surface<bytes> {                                                                    \
        typedef base value;                                                                                     \
        __WS_MAKE base load(unsigned long long s, int x) \
        {                                                                                                       \
            base v;                                                                                             \
            asm volatile("suld.b.1d." type ".trap {%0}, [%1, {%2}];" : "=" letter(v) : "l"(s), "r"(x) : "memory"); \
            return v;                                                                                           \
        }                                                                                                       \
        __WS_MAKE base load(unsigned long long s, int x, int y) \
        {                                                                                                       \
            base v;                                                                                             \
            asm volatile("suld.b.2d." type ".trap {%0}, [%1, {%2, %3}];"                                        \
                         : "=" letter(v) : "l"(s), "r"(x), "r"(y) : "memory");                                  \
            return v;                                                                                           \
        }                                                                                                       \
        __WS_MAKE void store(base v, unsigned long long s, int x) \
        {                                                                                                       \
            asm volatile("sust.b.1d." type ".trap [%0, {%1}], {%2};" ::"l"(s), "r"(x), letter(v) : "memory");   \
        }                                                                                                       \
        __WS_MAKE void store(base v, unsigned long long s, int x, int y) \
        {                                                                                                       \
            asm volatile("sust.b.2d." type ".trap [%0, {%1, %2}], {%3};" ::"l"(s),                              \
                         "r"(x), "r"(y), letter(v) : "memory");                                                 \
        }                                                                                                       \
    };
__WS_SURFACE(2, unsigned short, "b16", "h")
__WS_SURFACE(4, unsigned int, "b32", "r")
__WS_SURFACE(8, unsigned long long, "b64", "l")
#undef __WS_SURFACE
template <class To, class From> __WS_FN To __ws_bits_as(From from)
{
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}
template <class T> __WS_FN T surf1Dread(cudaSurfaceObject_t s, int x)
{
    return __ws_bits_as<T>(__ws_surface<sizeof(T)>::load(s, x));
}
template <class T> __WS_FN T surf2Dread(cudaSurfaceObject_t s, int x, int y)
{
    return __ws_bits_as<T>(__ws_surface<sizeof(T)>::load(s, x, y));
}
template <class T> __WS_FN void surf2Dread(T *out, cudaSurfaceObject_t s, int x, int y)
{
    *out = surf2Dread<T>(s, x, y);
}
template <class T> __WS_FN void surf1Dwrite(T v, cudaSurfaceObject_t s, int x)
{
    __ws_surface<sizeof(T)>::store(__ws_bits_as<typename __ws_surface<sizeof(T)>::value>(v), s, x);
}
template <class T> __WS_FN void surf2Dwrite(T v, cudaSurfaceObject_t s, int x, int y,
                                             cudaSurfaceBoundaryMode = cudaBoundaryModeTrap)
{
    __ws_surface<sizeof(T)>::store(__ws_bits_as<typename __ws_surface<sizeof(T)>::value>(v), s, x, y);
}
#endif
