/* rt_by_thread.c: the same calls as a program names them that was compiled with a default stream for
 * each thread: for stream 0 they mean that one. */
#include "runtime.h"

#define EACH_THREAD(st) ((st) ? (st) : (void *)2)

#define BY_THREAD(name, suffix, params, args) \
    int name params;                          \
    API name##suffix params { return name args; }

BY_THREAD(cudaMemcpyAsync, _ptsz, (void *to, const void *from, size_t n, int kind, void *st),
          (to, from, n, kind, EACH_THREAD(st)))
BY_THREAD(cudaMemcpy2DAsync, _ptsz,
          (void *to, size_t tp, const void *from, size_t fp, size_t w, size_t h, int kind, void *st),
          (to, tp, from, fp, w, h, kind, EACH_THREAD(st)))
BY_THREAD(cudaMemcpy3DAsync, _ptsz, (const copy_3d *p, void *st), (p, EACH_THREAD(st)))
BY_THREAD(cudaMemcpyToSymbolAsync, _ptsz, (const void *s, const void *from, size_t n, size_t at, int kind, void *st),
          (s, from, n, at, kind, EACH_THREAD(st)))
BY_THREAD(cudaMemcpyFromSymbolAsync, _ptsz, (void *to, const void *s, size_t n, size_t at, int kind, void *st),
          (to, s, n, at, kind, EACH_THREAD(st)))
BY_THREAD(cudaMemsetAsync, _ptsz, (void *at, int v, size_t n, void *st), (at, v, n, EACH_THREAD(st)))
BY_THREAD(cudaMemset2DAsync, _ptsz, (void *at, size_t p, int v, size_t w, size_t h, void *st),
          (at, p, v, w, h, EACH_THREAD(st)))
BY_THREAD(cudaLaunchKernel, _ptsz, (const void *f, dim3 g, dim3 b, void **args, size_t s, void *st),
          (f, g, b, args, s, EACH_THREAD(st)))
BY_THREAD(__cudaLaunchKernel, _ptsz, (void *f, dim3 g, dim3 b, void **args, size_t s, void *st),
          (f, g, b, args, s, EACH_THREAD(st)))
BY_THREAD(cudaLaunchCooperativeKernel, _ptsz, (const void *f, dim3 g, dim3 b, void **args, size_t s, void *st),
          (f, g, b, args, s, EACH_THREAD(st)))
BY_THREAD(cudaLaunchHostFunc, _ptsz, (void *st, void (*call)(void *), void *arg), (EACH_THREAD(st), call, arg))
BY_THREAD(cudaStreamAddCallback, _ptsz, (void *st, void (*call)(void *, int, void *), void *arg, unsigned flags),
          (EACH_THREAD(st), call, arg, flags))
BY_THREAD(cudaStreamSynchronize, _ptsz, (void *st), (EACH_THREAD(st)))
BY_THREAD(cudaStreamQuery, _ptsz, (void *st), (EACH_THREAD(st)))
BY_THREAD(cudaStreamWaitEvent, _ptsz, (void *st, void *e, unsigned flags), (EACH_THREAD(st), e, flags))
BY_THREAD(cudaStreamBeginCapture, _ptsz, (void *st, int mode), (EACH_THREAD(st), mode))
BY_THREAD(cudaStreamEndCapture, _ptsz, (void *st, void **g), (EACH_THREAD(st), g))
BY_THREAD(cudaStreamIsCapturing, _ptsz, (void *st, int *status), (EACH_THREAD(st), status))
BY_THREAD(cudaEventRecord, _ptsz, (void *e, void *st), (e, EACH_THREAD(st)))
BY_THREAD(cudaEventRecordWithFlags, _ptsz, (void *e, void *st, unsigned flags), (e, EACH_THREAD(st), flags))
BY_THREAD(cudaGraphLaunch, _ptsz, (void *e, void *st), (e, EACH_THREAD(st)))
BY_THREAD(cudaMallocAsync, _ptsz, (void **out, size_t n, void *st), (out, n, EACH_THREAD(st)))
BY_THREAD(cudaFreeAsync, _ptsz, (void *at, void *st), (at, EACH_THREAD(st)))
/* The host waits for these on any stream. */
BY_THREAD(cudaMemcpy, _ptds, (void *to, const void *from, size_t n, int kind), (to, from, n, kind))
BY_THREAD(cudaMemcpy2D, _ptds, (void *to, size_t tp, const void *from, size_t fp, size_t w, size_t h, int kind),
          (to, tp, from, fp, w, h, kind))
BY_THREAD(cudaMemcpy3D, _ptds, (const copy_3d *p), (p))
BY_THREAD(cudaMemcpyToSymbol, _ptds, (const void *s, const void *from, size_t n, size_t at, int kind),
          (s, from, n, at, kind))
BY_THREAD(cudaMemcpyFromSymbol, _ptds, (void *to, const void *s, size_t n, size_t at, int kind), (to, s, n, at, kind))
BY_THREAD(cudaMemset, _ptds, (void *at, int v, size_t n), (at, v, n))
BY_THREAD(cudaMemset2D, _ptds, (void *at, size_t p, int v, size_t w, size_t h), (at, p, v, w, h))
