/* blas_handle.c: the library itself: handles, modes, launching, copies to and from the card. */
#include "blas.h"

/* The kernels' text, made part of the library. */
__asm__(".pushsection .rodata\n"
        ".global blas_ptx\n.hidden blas_ptx\n"
        "blas_ptx:\n.incbin \"sim/cuda/blas/blas_kernels.ptx\"\n.byte 0\n"
        ".popsection\n");
extern const char blas_ptx[];

int blas_enter(void *handle, blas **b, stream **st)
{
    const int code = core_begin();
    *b = code ? NULL : handle_find(H_BLAS, handle);
    *st = NULL;
    if (!*b) return B_NOT_INITIALIZED;
    device *d = core_current();
    if (!d || d != (*b)->device) return B_NOT_INITIALIZED; /* a handle is of one device */
    *st = stream_find((*b)->stream);
    return core_fault(d) || !*st ? B_EXECUTION_FAILED : B_OK;
}

int blas_leave(int status, const blas *b) { return core_end(status, b ? cost_launch(b->device) : CALL_COST); }

int blas_status(int code, int otherwise)
{
    return !code ? B_OK : code == E_MemoryAllocation ? B_ALLOC_FAILED : otherwise;
}

scalar blas_scalar(const blas *b, const void *of, bool wide)
{
    scalar s = {.at = 0};
    if (b->on_device) s.at = (uint64_t)(uintptr_t)of;
    else if (wide) s.value.d = *(const double *)of;
    else s.value.f = *(const float *)of;
    return s;
}

static function *kernel(bool wide, const char *of)
{
    static image *kernels;
    char name[64];
    if (!kernels && (kernels = image_new(blas_ptx, 0)) != NULL) kernels->ours = true;
    /* isamax: the letter of what comes back stands first */
    if (!strncmp(of, "i_", 2)) snprintf(name, sizeof name, "cublas_i%c%s", wide ? 'd' : 's', of + 2);
    else snprintf(name, sizeof name, "cublas_%c%s", wide ? 'd' : 's', of);
    return kernels ? image_function(kernels, name) : NULL;
}

bool blas_fits(stream *st, bool wide, const char *of)
{
    sim_occupancy o;
    function *f = kernel(wide, of);
    return f && !occupancy_blocks(st->device, f, 256, 0, &o) && o.blocks;
}

int blas_launch(stream *st, bool wide, const char *of, unsigned x, unsigned y, unsigned z, const void *args)
{
    function *f = kernel(wide, of);
    if (!f) return B_ALLOC_FAILED;
    const launch_config c = {f, {x, y, z}, {256, 1, 1}, 0, false, {1, 1, 1}, false, false, false};
    void *list[] = {(void *)(uintptr_t)args};
    return blas_status(launch_answer(&c, submit_launch(st, &c, list, NULL, 0)), B_EXECUTION_FAILED);
}

int blas_answer(stream *st, uint64_t from, void *to, size_t bytes)
{
    const copy c = {.to = {.at = (uint64_t)(uintptr_t)to},
                    .from = {.at = from},
                    .width = bytes,
                    .height = 1,
                    .depth = 1,
                    .direction = COPY_DEVICE_HOST};
    return blas_status(submit_copy(st, &c, false), B_EXECUTION_FAILED);
}

/* ---- handles ---- */
API cublasCreate_v2(void **handle)
{
    int status = core_begin() ? B_NOT_INITIALIZED : handle ? B_OK : B_INVALID_VALUE;
    device *d = status ? NULL : core_current();
    blas *b = d ? calloc(1, sizeof *b) : NULL;
    if (!status && !b) status = d ? B_ALLOC_FAILED : B_NOT_INITIALIZED;
    if (!status)
        status = blas_status(region_new(d, R_DEVICE, (PARTS_MOST + 1) * PART_BYTES, 0, "cuBLAS's own", &b->work),
                             B_NOT_INITIALIZED);
    if (!status) {
        b->device = d;
        if (!(*handle = handle_new(H_BLAS, b))) status = B_ALLOC_FAILED;
    }
    if (status) free(b);
    return core_end(status, d ? cost_alloc(d) : CALL_COST);
}
API cublasDestroy_v2(void *handle)
{
    blas *b;
    stream *st;
    int status = blas_enter(handle, &b, &st);
    if (b) {
        wait_device(b->device);
        region_end(b->work, 1u << R_DEVICE);
        handle_end(H_BLAS, handle);
        free(b);
        status = B_OK;
    }
    return blas_leave(status, NULL);
}

/* A call that sets or asks for something of the handle alone. */
static blas *begin(void *handle) { return core_begin() ? NULL : handle_find(H_BLAS, handle); }
static int end(int status) { return core_end(status, CALL_COST); }
#define GET(function, type, expression)        \
    API function(void *handle, type *out)      \
    {                                          \
        const blas *b = begin(handle);         \
        if (!b) return end(B_NOT_INITIALIZED); \
        if (!out) return end(B_INVALID_VALUE); \
        *out = expression;                     \
        return end(B_OK);                      \
    }
#define SET(function, type, statement, valid)      \
    API function(void *handle, type value)         \
    {                                              \
        blas *b = begin(handle);                   \
        if (!b) return end(B_NOT_INITIALIZED);     \
        if (!(valid)) return end(B_INVALID_VALUE); \
        statement;                                 \
        return end(B_OK);                          \
    }
SET(cublasSetStream_v2, void *, b->stream = value, stream_find(value))
GET(cublasGetStream_v2, void *, b->stream)
SET(cublasSetPointerMode_v2, int, b->on_device = value, value == 0 || value == 1)
GET(cublasGetPointerMode_v2, int, b->on_device)
SET(cublasSetMathMode, int, b->math_mode = value, value >= 0) /* our kernels are exact in all of them */
GET(cublasGetMathMode, int, b->math_mode)
SET(cublasSetAtomicsMode, int, b->atomics_mode = value, value == 0 || value == 1)
GET(cublasGetAtomicsMode, int, b->atomics_mode)
SET(cublasSetSmCountTarget, int, (void)b, value >= 0)
GET(cublasGetSmCountTarget, int, 0)
API cublasSetWorkspace_v2(void *handle, void *at, size_t bytes)
{
    (void)at, (void)bytes; /* it has its own */
    return end(begin(handle) ? B_OK : B_NOT_INITIALIZED);
}

extern const int face_version; /* 13000, 12090, 11080 */
API cublasGetVersion_v2(void *handle, int *version)
{
    (void)handle;
    if (!version) return B_INVALID_VALUE;
    const int major = face_version / 1000, minor = face_version % 1000 / 10;
    *version = major > 11 ? major * 10000 + minor * 100 : major * 1000 + minor * 100;
    return B_OK;
}
API cublasGetProperty(int which, int *value)
{
    if (!value || which < 0 || which > 2) return B_INVALID_VALUE;
    *value = which == 0 ? face_version / 1000 : which == 1 ? face_version % 1000 / 10 : 0;
    return B_OK;
}
API cublasLoggerConfigure(int on, int to_stdout, int to_stderr, const char *file)
{
    (void)on, (void)to_stdout, (void)to_stderr, (void)file;
    return B_OK;
}
API cublasSetLoggerCallback(void *callback)
{
    (void)callback;
    return B_OK;
}

static const struct {
    int status;
    const char *name, *text;
} statuses[] = {
    {0, "CUBLAS_STATUS_SUCCESS", "success"},
    {1, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
    {3, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {7, "CUBLAS_STATUS_INVALID_VALUE", "an unsupported value or parameter was passed to the function"},
    {8, "CUBLAS_STATUS_ARCH_MISMATCH", "the function requires an architectural feature absent from the device"},
    {11, "CUBLAS_STATUS_MAPPING_ERROR", "an access to GPU memory space failed"},
    {13, "CUBLAS_STATUS_EXECUTION_FAILED", "the function failed to launch on the GPU"},
    {14, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {15, "CUBLAS_STATUS_NOT_SUPPORTED", "the requested functionality is not supported"},
    {16, "CUBLAS_STATUS_LICENSE_ERROR", "the license check failed"}};
static size_t status_row(int status)
{
    size_t i = 0;
    while (i < sizeof statuses / sizeof *statuses && statuses[i].status != status) i++;
    return i;
}
PUBLIC const char *cublasGetStatusName(int status)
{
    const size_t i = status_row(status);
    return i < sizeof statuses / sizeof *statuses ? statuses[i].name : "unrecognized status";
}
PUBLIC const char *cublasGetStatusString(int status)
{
    const size_t i = status_row(status);
    return i < sizeof statuses / sizeof *statuses ? statuses[i].text : "unrecognized status";
}

/* ---- vectors and matrices to the card and back ---- */
/* Rows of `width` bytes. They need no handle. */
static int move(int direction, int64_t rows, int64_t width, const void *from, int64_t from_pitch, void *to,
                int64_t to_pitch, bool async, void *stream_handle)
{
    int code = core_begin();
    device *d = code ? NULL : core_current();
    stream *st = d ? stream_find(async ? stream_handle : NULL) : NULL;
    if (!st) return core_end(d ? B_INVALID_VALUE : B_NOT_INITIALIZED, CALL_COST);
    if (!rows || !width) return core_end(B_OK, CALL_COST);
    if (from_pitch == width && to_pitch == width) width *= rows, rows = 1;
    const copy c = {.to = {(uint64_t)(uintptr_t)to, (uint64_t)to_pitch, 0},
                    .from = {(uint64_t)(uintptr_t)from, (uint64_t)from_pitch, 0},
                    .width = (uint64_t)width,
                    .height = (uint64_t)rows,
                    .depth = 1,
                    .direction = direction};
    code = from && to ? submit_copy(st, &c, async) : E_InvalidValue;
    return core_end(blas_status(code, B_MAPPING_ERROR), CALL_COST);
}
static int move_vector(int direction, int n, int size, const void *from, int from_inc, void *to, int to_inc, bool async,
                       void *st)
{
    if (n < 0 || size <= 0 || from_inc <= 0 || to_inc <= 0) return B_INVALID_VALUE;
    return move(direction, n, size, from, (int64_t)from_inc * size, to, (int64_t)to_inc * size, async, st);
}
static int move_matrix(int direction, int rows, int columns, int size, const void *from, int from_ld, void *to,
                       int to_ld, bool async, void *st)
{
    if (rows < 0 || columns < 0 || size <= 0 || from_ld <= 0 || to_ld <= 0 || from_ld < rows || to_ld < rows)
        return B_INVALID_VALUE;
    return move(direction, columns, (int64_t)rows * size, from, (int64_t)from_ld * size, to, (int64_t)to_ld * size,
                async, st);
}
#define MOVES(name, direction)                                                                                         \
    API cublas##name##Vector(int n, int size, const void *from, int from_inc, void *to, int to_inc)                    \
    {                                                                                                                  \
        return move_vector(direction, n, size, from, from_inc, to, to_inc, false, NULL);                               \
    }                                                                                                                  \
    API cublas##name##VectorAsync(int n, int size, const void *from, int from_inc, void *to, int to_inc, void *st)     \
    {                                                                                                                  \
        return move_vector(direction, n, size, from, from_inc, to, to_inc, true, st);                                  \
    }                                                                                                                  \
    API cublas##name##Matrix(int rows, int columns, int size, const void *from, int from_ld, void *to, int to_ld)      \
    {                                                                                                                  \
        return move_matrix(direction, rows, columns, size, from, from_ld, to, to_ld, false, NULL);                     \
    }                                                                                                                  \
    API cublas##name##MatrixAsync(int rows, int columns, int size, const void *from, int from_ld, void *to, int to_ld, \
                                  void *st)                                                                            \
    {                                                                                                                  \
        return move_matrix(direction, rows, columns, size, from, from_ld, to, to_ld, true, st);                        \
    }
MOVES(Set, COPY_HOST_DEVICE)
MOVES(Get, COPY_DEVICE_HOST)
