/* warpstep_removed.h: names that CUDA has removed, for programs written before. `exec` has nvcc read
 * it first; the device's part stays as small as it can. */
#ifndef WARPSTEP_REMOVED_H
#define WARPSTEP_REMOVED_H
#if defined(__CUDACC__) && defined(__cplusplus)
#include <cuda_runtime.h>
#if CUDART_VERSION >= 13000
#define cudaThreadSynchronize cudaDeviceSynchronize
#define cudaThreadExit        cudaDeviceReset
#define cudaThreadSetLimit    cudaDeviceSetLimit
#define cudaThreadGetLimit    cudaDeviceGetLimit

/* The properties that became attributes alone. */
struct warpstep_device_prop : cudaDeviceProp {
    int clockRate, deviceOverlap, kernelExecTimeoutEnabled, computeMode, maxTexture1DLinear, memoryClockRate,
        singleToDoublePrecisionPerfRatio, cooperativeMultiDeviceLaunch;
};
static inline cudaError_t warpstep_properties(cudaDeviceProp *p, int device)
{
    return cudaGetDeviceProperties(p, device);
}
static inline cudaError_t warpstep_properties(warpstep_device_prop *p, int device)
{
    cudaDeviceProp *plain = p;
    cudaError_t code = cudaGetDeviceProperties(plain, device);
    p->deviceOverlap = 1;
    p->cooperativeMultiDeviceLaunch = 0;
    int *const to[] = {&p->clockRate, &p->kernelExecTimeoutEnabled, &p->computeMode, &p->maxTexture1DLinear,
                       &p->memoryClockRate, &p->singleToDoublePrecisionPerfRatio};
    static const int of[] = {13, 17, 20, 69, 36, 87};
    for (int i = 0; code == cudaSuccess && i < 6; i++)
        code = cudaDeviceGetAttribute(to[i], (cudaDeviceAttr)of[i], device);
    return code;
}
#define cudaDeviceProp          warpstep_device_prop
#define cudaGetDeviceProperties warpstep_properties

/* A place was a device's number. */
static inline cudaMemLocation warpstep_place(int device)
{
    cudaMemLocation place = {};
    place.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    place.id = device < 0 ? 0 : device;
    return place;
}
static inline cudaError_t cudaMemPrefetchAsync(const void *at, size_t bytes, int device, cudaStream_t stream = 0)
{
    return cudaMemPrefetchAsync(at, bytes, warpstep_place(device), 0u, stream);
}
static inline cudaError_t cudaMemAdvise(const void *at, size_t bytes, cudaMemoryAdvise advice, int device)
{
    return cudaMemAdvise(at, bytes, advice, warpstep_place(device));
}
#endif
/* Warp operations without a mask: of the lanes that are there. */
#if defined(WARPSTEP_PROGRAM) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700)
#define WARPSTEP_SHUFFLE(name, second)                                                                             \
    template <class T> __device__ static inline T name(T value, second other, int width = 32)                      \
    {                                                                                                              \
        return name##_sync(__activemask(), value, other, width);                                                   \
    }
WARPSTEP_SHUFFLE(__shfl, int)
WARPSTEP_SHUFFLE(__shfl_up, unsigned int)
WARPSTEP_SHUFFLE(__shfl_down, unsigned int)
WARPSTEP_SHUFFLE(__shfl_xor, int)
#undef WARPSTEP_SHUFFLE
#endif
/* nvcc knows these names by itself and must not see functions of ours; but the C++ library of CUDA has the
 * names too, in namespaces. So they are macros only where a program has them: exec defines the word when it
 * cannot be compiled otherwise. */
#if defined(WARPSTEP_OLD_VOTES) && defined(__CUDA_ARCH__)
#define __ballot(p) __ballot_sync(__activemask(), p)
#define __any(p)    __any_sync(__activemask(), p)
#define __all(p)    __all_sync(__activemask(), p)
#elif defined(WARPSTEP_PROGRAM)
__device__ static inline unsigned __ballot(int p) { return __ballot_sync(__activemask(), p); }
__device__ static inline int __any(int p) { return __any_sync(__activemask(), p); }
__device__ static inline int __all(int p) { return __all_sync(__activemask(), p); }
#endif

/* ---- texture references ----
 * Only where a program has them (exec defines this when it cannot be compiled otherwise): the word
 * `texture` then begins a variable that the host and kernels share. */
#if defined(WARPSTEP_TEXTURE_REFERENCES) && CUDART_VERSION >= 12000
#define cudaTextureType1D        0x01
#define cudaTextureType2D        0x02
#define cudaTextureType3D        0x03
#define cudaTextureTypeCubemap   0x0C
#define cudaTextureType1DLayered 0xF1
#define cudaTextureType2DLayered 0xF2

struct textureReference {
    int normalized;
    cudaTextureFilterMode filterMode;
    cudaTextureAddressMode addressMode[3];
    cudaChannelFormatDesc channelDesc;
    int sRGB;
    cudaTextureObject_t object;
};
template <class T, int dimensions = 1, cudaTextureReadMode mode = cudaReadModeElementType>
struct warpstep_texture : textureReference {
};

/* What a read gives: the element, or floats for integers that are read as fractions. */
template <class T, cudaTextureReadMode mode> struct warpstep_read {
    typedef T type;
};
#define WARPSTEP_FRACTIONS(from, to)                                  \
    template <> struct warpstep_read<from, cudaReadModeNormalizedFloat> { \
        typedef to type;                                              \
    };
WARPSTEP_FRACTIONS(char, float) WARPSTEP_FRACTIONS(signed char, float) WARPSTEP_FRACTIONS(unsigned char, float)
WARPSTEP_FRACTIONS(short, float) WARPSTEP_FRACTIONS(unsigned short, float)
WARPSTEP_FRACTIONS(char1, float1) WARPSTEP_FRACTIONS(uchar1, float1) WARPSTEP_FRACTIONS(short1, float1)
WARPSTEP_FRACTIONS(ushort1, float1) WARPSTEP_FRACTIONS(char2, float2) WARPSTEP_FRACTIONS(uchar2, float2)
WARPSTEP_FRACTIONS(short2, float2) WARPSTEP_FRACTIONS(ushort2, float2) WARPSTEP_FRACTIONS(char4, float4)
WARPSTEP_FRACTIONS(uchar4, float4) WARPSTEP_FRACTIONS(short4, float4) WARPSTEP_FRACTIONS(ushort4, float4)
#undef WARPSTEP_FRACTIONS

#define WARPSTEP_TEX(name, params, ...)                                                                      \
    template <class T, int d, cudaTextureReadMode m>                                                         \
    __device__ static inline typename warpstep_read<T, m>::type name params                                  \
    {                                                                                                        \
        return name<typename warpstep_read<T, m>::type>(t.object, __VA_ARGS__);                              \
    }
WARPSTEP_TEX(tex1Dfetch, (const warpstep_texture<T, d, m> &t, int x), x)
WARPSTEP_TEX(tex1D, (const warpstep_texture<T, d, m> &t, float x), x)
WARPSTEP_TEX(tex2D, (const warpstep_texture<T, d, m> &t, float x, float y), x, y)
WARPSTEP_TEX(tex3D, (const warpstep_texture<T, d, m> &t, float x, float y, float z), x, y, z)
WARPSTEP_TEX(tex1DLayered, (const warpstep_texture<T, d, m> &t, float x, int layer), x, layer)
WARPSTEP_TEX(tex2DLayered, (const warpstep_texture<T, d, m> &t, float x, float y, int layer), x, y, layer)
#undef WARPSTEP_TEX

/* A new object takes the place of the one that the reference had. */
static inline cudaError_t warpstep_bind(textureReference *t, const cudaResourceDesc *r, cudaTextureReadMode mode)
{
    cudaTextureDesc d = {};
    for (int i = 0; i < 3; i++) d.addressMode[i] = t->addressMode[i];
    d.filterMode = t->filterMode;
    d.readMode = mode;
    d.sRGB = t->sRGB;
    d.normalizedCoords = t->normalized;
    cudaTextureObject_t made = 0;
    if (r->resType == cudaResourceTypeLinear) d.filterMode = cudaFilterModePoint;
    const cudaError_t code = cudaCreateTextureObject(&made, r, &d, NULL);
    if (code != cudaSuccess) return code;
    if (t->object) cudaDestroyTextureObject(t->object); /* waits for kernels that read it */
    t->object = made;
    return cudaSuccess;
}
template <class T, int d, cudaTextureReadMode m>
static inline cudaError_t cudaBindTexture(size_t *offset, warpstep_texture<T, d, m> &t, const void *at,
                                          const cudaChannelFormatDesc &desc, size_t bytes = 0x7fffffff)
{
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = (void *)at;
    r.res.linear.desc = t.channelDesc = desc;
    r.res.linear.sizeInBytes = bytes;
    if (offset) *offset = 0;
    return warpstep_bind(&t, &r, m);
}
template <class T, int d, cudaTextureReadMode m>
static inline cudaError_t cudaBindTexture(size_t *offset, warpstep_texture<T, d, m> &t, const void *at,
                                          size_t bytes = 0x7fffffff)
{
    return cudaBindTexture(offset, t, at, cudaCreateChannelDesc<T>(), bytes);
}
template <class T, int d, cudaTextureReadMode m>
static inline cudaError_t cudaBindTexture2D(size_t *offset, warpstep_texture<T, d, m> &t, const void *at,
                                            const cudaChannelFormatDesc &desc, size_t width, size_t height,
                                             size_t pitch)
{
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = (void *)at;
    r.res.pitch2D.desc = t.channelDesc = desc;
    r.res.pitch2D.width = width;
    r.res.pitch2D.height = height;
    r.res.pitch2D.pitchInBytes = pitch;
    if (offset) *offset = 0;
    return warpstep_bind(&t, &r, m);
}
template <class T, int d, cudaTextureReadMode m>
static inline cudaError_t cudaBindTexture2D(size_t *offset, warpstep_texture<T, d, m> &t, const void *at, size_t width,
                                            size_t height, size_t pitch)
{
    return cudaBindTexture2D(offset, t, at, cudaCreateChannelDesc<T>(), width, height, pitch);
}
template <class T, int d, cudaTextureReadMode m>
static inline cudaError_t cudaBindTextureToArray(warpstep_texture<T, d, m> &t, cudaArray_const_t array,
                                                 const cudaChannelFormatDesc &desc)
{
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = (cudaArray_t)array;
    t.channelDesc = desc;
    return warpstep_bind(&t, &r, m);
}
template <class T, int d, cudaTextureReadMode m>
static inline cudaError_t cudaBindTextureToArray(warpstep_texture<T, d, m> &t, cudaArray_const_t array)
{
    return cudaBindTextureToArray(t, array, cudaCreateChannelDesc<T>());
}
static inline cudaError_t cudaUnbindTexture(textureReference &t)
{
    const cudaTextureObject_t was = t.object;
    t.object = 0;
    return was ? cudaDestroyTextureObject(was) : cudaSuccess;
}
static inline cudaError_t cudaUnbindTexture(const textureReference *t)
{
    return cudaUnbindTexture(*(textureReference *)t);
}
#define texture __managed__ warpstep_texture
#endif
#endif
#endif
