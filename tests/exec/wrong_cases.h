/* wrong_cases.h: the table of wrong calls, of wrong_calls.c, which says how it is read. What comes last in a line is
 * what counts; what stands before it prepares it. KNOWN and OURS: an H200 with CUDA 13 was
 * asked. */

/* ---- what the calls are given ---- */
typedef struct {
    unsigned x, y, z;
} dim3;
typedef struct {
    size_t w, h, d;
} extent;
typedef struct {
    int x, y, z, w, kind;
} channels;
enum { IN = 1, OUT = 2, WITHIN = 3 };         /* directions of copies */
enum { B = 4096, HALF_BITS = 63 };
static union {
    char bytes[8192];
    void *p;
    size_t n;
    int i;
} out, more;
static char host[B];

static void *device_memory(void)
{
    void *p = NULL;
    F(cudaMalloc)(&p, N(B));
    return p;
}
static void *pinned(void)
{
    void *p = NULL;
    F(cudaMallocHost)(&p, N(B));
    return p;
}
static void *pool_memory(void)
{
    void *p = NULL;
    F(cudaMallocAsync)(&p, N(B), NIL);
    return p;
}
static void *a_stream(void)
{
    void *p = NULL;
    F(cudaStreamCreate)(&p);
    return p;
}
static void *an_event(unsigned flags)
{
    void *p = NULL;
    F(cudaEventCreateWithFlags)(&p, flags);
    return p;
}
static void *recorded(void *event)
{
    F(cudaEventRecord)(event, NIL);
    return event;
}
static void *an_array(void)
{
    void *p = NULL;
    const channels c = {32, 0, 0, 0, 2};
    F(cudaMallocArray)(&p, &c, N(8), N(8), 0u);
    return p;
}
static void *capturing(void)
{
    void *s = a_stream();
    F(cudaStreamBeginCapture)(s, 0);
    return s;
}
/* `first` is what counts, if it is the last error too; the capture ends, so that the process can go on. */
static int ended_capture;
static int and_end(int first, void *s)
{
    void *g = NULL;
    const int last = F(cudaGetLastError)();
    ended_capture = 1;
    F(cudaStreamEndCapture)(s, &g);
    F(cudaGetLastError)();
    return last == first ? first : 1000;
}
static void *a_graph(void)
{
    void *g = NULL;
    F(cudaGraphCreate)(&g, 0u);
    return g;
}
static void *arguments[2];
static void **args_of(void *first)
{
    static void *kept;
    kept = first;
    arguments[0] = &kept;
    return arguments;
}
static int launch(void (*kernel)(void), unsigned grid, unsigned block, size_t shared, void *st)
{
    void **args = args_of(device_memory());
    return F(cudaLaunchKernel)((void *)kernel, (dim3){grid, 1, 1}, (dim3){block, 1, 1}, args, shared, st);
}
static int launch_sized(dim3 grid, dim3 block)
{
    return F(cudaLaunchKernel)((void *)needs_shared, grid, block, args_of(device_memory()), N(4096), NIL);
}

/* ---- the cases ---- */

static void memory(void)
{
    const char *part = "memory";
    const size_t half = N(1) << HALF_BITS;
    void *p = device_memory();
    CASE("nowhere to put the answer", DOC(1), F(cudaMalloc)(NIL, N(4)))
    CASE("nothing is allocated", KNOWN(0), F(cudaMalloc)(&out, N(0)))
    CASE("all addresses", DOC(2), F(cudaMalloc)(&out, SIZE_MAX))
    CASE("a PiB", DOC(2), F(cudaMalloc)(&out, N(1) << 50))
    CASE("free of NULL", DOC(0), F(cudaFree)(NIL))
    CASE("free of what no allocation is", KNOWN(1), F(cudaFree)(P(0x1234)))
    CASE("free of the middle", KNOWN(1), F(cudaFree)((char *)device_memory() + 256))
    CASE("free of a variable", KNOWN(1), F(cudaFree)(host))
    CASE("free of pinned memory", KNOWN(1), F(cudaFree)(pinned()))
    CASE("free twice", KNOWN(1), F(cudaFree)(p), F(cudaFree)(p))
    CASE("host free of NULL", KNOWN(0), F(cudaFreeHost)(NIL))
    CASE("host free of device memory", KNOWN(1), F(cudaFreeHost)(p))
    CASE("host free of malloc's memory", KNOWN(1), F(cudaFreeHost)(malloc(64)))
    CASE("pinned memory nowhere", DOC(1), F(cudaMallocHost)(NIL, N(4)))
    CASE("pinned memory with unknown flags", KNOWN(1), F(cudaHostAlloc)(&out, N(4), 0x100u))
    CASE("managed memory of no bytes", KNOWN(0), F(cudaMallocManaged)(&out, N(0), 1u))
    CASE("managed memory without a flag", KNOWN(1), F(cudaMallocManaged)(&out, N(4), 0u))
    CASE("managed memory with unknown flags", KNOWN(1), F(cudaMallocManaged)(&out, N(4), 8u))
    CASE("registering twice", DOC(712), F(cudaHostRegister)(host, N(B), 0u), F(cudaHostRegister)(host, N(B), 0u))
    CASE("registering NULL", KNOWN(1), F(cudaHostRegister)(NIL, N(B), 0u))
    CASE("registering no bytes", KNOWN(1), F(cudaHostRegister)(host, N(0), 0u))
    CASE("unregistering what is not", DOC(713), F(cudaHostUnregister)(host))
    CASE("the device's address of a variable", KNOWN(1), F(cudaHostGetDevicePointer)(&out, host, 0u))
    CASE("the device's address, with flags", DOC(1), F(cudaHostGetDevicePointer)(&out, pinned(), 1u))
    CASE("the flags of a variable", KNOWN(1), F(cudaHostGetFlags)(&out, host))
    CASE("attributes nowhere", DOC(1), F(cudaPointerGetAttributes)(NIL, p))
    CASE("attributes of a variable", DOC(0), F(cudaPointerGetAttributes)(&out, host))
    CASE("how much is free, nowhere", KNOWN(0), F(cudaMemGetInfo)(NIL, NIL))
    CASE("rows nowhere", KNOWN(1), F(cudaMallocPitch)(NIL, &out, N(4), N(4)))
    CASE("rows, their pitch nowhere", KNOWN(1), F(cudaMallocPitch)(&out, NIL, N(4), N(4)))
    CASE("rows of SIZE_MAX bytes", KNOWN(1), F(cudaMallocPitch)(&out, &more, SIZE_MAX, N(1)))
    CASE("rows whose bytes are a multiple of 2^64", KNOWN(1), F(cudaMallocPitch)(&out, &more, N(1024), half))
    CASE("rows whose bytes overflow", KNOWN(0), F(cudaMallocPitch)(&out, &more, N(1536), half + 1))
    CASE("slices whose bytes are a multiple of 2^64", KNOWN(1),
         F(cudaMalloc3D)(&out, (extent){N(1) << 20, N(1) << 22, N(1) << 22}))
    CASE("no rows", KNOWN(0), F(cudaMallocPitch)(&out, &more, N(4), N(0)))
    CASE("an array of no shape", KNOWN(1), F(cudaMallocArray)(&out, NIL, N(4), N(4), 0u))
    CASE("an array of 3 bits", KNOWN(20), F(cudaMallocArray)(&out, &(channels){3, 0, 0, 0, 0}, N(4), N(4), 0u))
    CASE("an array of a million rows", KNOWN(1),
         F(cudaMallocArray)(&out, &(channels){32, 0, 0, 0, 0}, N(4), N(1000000), 0u))
    CASE("free of no array", DOC(0), F(cudaFreeArray)(NIL))
    CASE("in no place of a pool's", KNOWN(1), F(cudaMallocAsync)(NIL, N(4), NIL))
    CASE("in a stream that is none", KNOWN(400), F(cudaMallocAsync)(&out, N(4), host))
    CASE("free of a variable in a stream", KNOWN(1), F(cudaFreeAsync)(host, NIL))
    CASE("free twice in a stream", KNOWN(1), p = pool_memory(), F(cudaFreeAsync)(p, NIL), F(cudaFreeAsync)(p, NIL))
}

static void copies(void)
{
    const char *part = "copies";
    void *d = device_memory();
    const size_t half = N(1) << HALF_BITS;
    CASE("an unknown direction", DOC(21), F(cudaMemcpy)(d, host, N(4), 9))
    CASE("a negative direction", DOC(21), F(cudaMemcpy)(d, host, N(4), -1))
    CASE("to NULL", KNOWN(1), F(cudaMemcpy)(NIL, host, N(4), IN))
    CASE("from NULL", KNOWN(1), F(cudaMemcpy)(d, NIL, N(4), IN))
    CASE("no bytes between NULLs", KNOWN(0), F(cudaMemcpy)(NIL, NIL, N(0), IN))
    CASE("a GiB to 4 KiB", KNOWN(1), F(cudaMemcpy)(d, host, N(1) << 30, IN))
    CASE("SIZE_MAX bytes", KNOWN(1), F(cudaMemcpy)(d, d, SIZE_MAX, WITHIN))
    CASE("to a device, which is a variable", KNOWN(1), F(cudaMemcpy)(&out, host, N(4), IN))
    CASE("from a device, which is a variable", KNOWN(1), F(cudaMemcpy)(&out, host, N(4), OUT))
    CASE("what was freed", KNOWN(1), F(cudaFree)(d), F(cudaMemcpy)(d, host, N(4), IN))
    CASE("in a stream that is none", KNOWN(400), F(cudaMemcpyAsync)(d, host, N(4), IN, host))
    CASE("rows longer than their pitch", DOC(12), F(cudaMemcpy2D)(d, N(16), host, N(64), N(32), N(2), IN))
    CASE("rows longer than the host's pitch", DOC(12), F(cudaMemcpy2D)(d, N(64), host, N(16), N(32), N(2), IN))
    /* a card ends the process */
    CASE("rows of half the addresses", OURS(1), F(cudaMemcpy2D)(d, N(64), host, half, N(32), N(3), IN))
    CASE("rows beyond the end", KNOWN(1), F(cudaMemcpy2D)(d, N(2048), host, N(64), N(32), N(1 << 20), IN))
    CASE("rows in an unknown direction", DOC(21), F(cudaMemcpy2D)(d, N(64), host, N(64), N(32), N(2), 7))
    CASE("no shape of three dimensions", KNOWN(1), F(cudaMemcpy3D)(NIL))
    CASE("an empty shape of three dimensions", KNOWN(0), F(cudaMemcpy3D)(memset(&out, 0, 160)))
    CASE("beyond an array's end", KNOWN(1),
         F(cudaMemcpy2DToArray)(an_array(), N(0), N(0), host, N(64), N(64), N(8), IN))
    CASE("to no array", KNOWN(400), F(cudaMemcpy2DToArray)(NIL, N(0), N(0), host, N(64), N(32), N(8), IN))
    CASE("filling NULL", KNOWN(1), F(cudaMemset)(NIL, 0, N(4)))
    CASE("filling a variable", KNOWN(1), F(cudaMemset)(host, 0, N(4)))
    CASE("filling beyond the end", KNOWN(1), F(cudaMemset)(d, 0, N(1) << 30))
    CASE("filling SIZE_MAX bytes", OURS(1), F(cudaMemset)(d, 0, SIZE_MAX)) /* a card fails later */
    CASE("filling rows longer than their pitch", KNOWN(1), F(cudaMemset2D)(d, N(16), 0, N(32), N(2)))
    /* a card fails later */
    CASE("filling rows of half the addresses", OURS(1), F(cudaMemset2D)(d, half, 0, N(64), N(3)))
    CASE("to no symbol", DOC(13), F(cudaMemcpyToSymbol)(&unknown_symbol, host, N(4), N(0), IN))
    CASE("to the symbol NULL", DOC(13), F(cudaMemcpyToSymbol)(NIL, host, N(4), N(0), IN))
    CASE("beyond a symbol's end", KNOWN(1), F(cudaMemcpyToSymbol)(table, host, N(64), N(0), IN))
    CASE("behind a symbol's end", KNOWN(1), F(cudaMemcpyToSymbol)(table, host, N(4), N(1 << 20), IN))
    CASE("an offset that overflows", KNOWN(1), F(cudaMemcpyToSymbol)(table, host, N(8), SIZE_MAX - 3, IN))
    CASE("to a symbol, outwards", DOC(21), F(cudaMemcpyToSymbol)(table, host, N(4), N(0), OUT))
    CASE("from a symbol, inwards", DOC(21), F(cudaMemcpyFromSymbol)(host, table, N(4), N(0), IN))
    CASE("the address of no symbol", DOC(13), F(cudaGetSymbolAddress)(&out, &unknown_symbol))
    CASE("the size of no symbol", DOC(13), F(cudaGetSymbolSize)(&out, &unknown_symbol))
    CASE("a texture of nothing", DOC(1), F(cudaCreateTextureObject)(&out, NIL, NIL, NIL))
    CASE("the end of no texture", KNOWN(0), F(cudaDestroyTextureObject)(D(12345)))
    CASE("between cards that are not there", DOC(101), F(cudaMemcpyPeer)(d, 1000, d, 1001, N(4)))
}

static void devices(void)
{
    const char *part = "devices";
    void *d = device_memory();
    CASE("card -1", DOC(101), F(cudaSetDevice)(-1))
    CASE("card 1000", DOC(101), F(cudaSetDevice)(1000))
    CASE("which card, nowhere", DOC(1), F(cudaGetDevice)(NIL))
    CASE("how many, nowhere", KNOWN(1), F(cudaGetDeviceCount)(NIL))
    CASE("an unknown attribute", DOC(1), F(cudaDeviceGetAttribute)(&out, 9999, 0))
    CASE("attribute 0", DOC(1), F(cudaDeviceGetAttribute)(&out, 0, 0))
    CASE("an attribute of card 1000", DOC(101), F(cudaDeviceGetAttribute)(&out, 1, 1000))
    CASE("an attribute nowhere", DOC(1), F(cudaDeviceGetAttribute)(NIL, 1, 0))
    CASE("all of card 1000", DOC(101), F(cudaGetDeviceProperties)(&out, 1000))
    CASE("an unknown limit", KNOWN(1), F(cudaDeviceSetLimit)(99, N(1)))
    CASE("an unknown limit's value", KNOWN(1), F(cudaDeviceGetLimit)(&out, 99))
    CASE("a limit nowhere", DOC(1), F(cudaDeviceGetLimit)(NIL, 0))
    CASE("a stack of a TiB", KNOWN(1), F(cudaDeviceSetLimit)(0, N(1) << 40))
    CASE("a stack of 64 KiB", DOC(0), F(cudaDeviceSetLimit)(0, N(64) << 10))
    CASE("can card 1000 reach a card", DOC(101), F(cudaDeviceCanAccessPeer)(&out, 1000, 0))
    CASE("reaching itself", KNOWN(217), F(cudaDeviceEnablePeerAccess)(0, 0u))
    CASE("reaching card 1000", DOC(101), F(cudaDeviceEnablePeerAccess)(1000, 0u))
    CASE("no longer reaching card 1000", KNOWN(101), F(cudaDeviceDisablePeerAccess)(1000))
    CASE("unknown flags", DOC(1), F(cudaSetDeviceFlags)(0xff00u))
    CASE("an unknown use of the cache", KNOWN(1), F(cudaDeviceSetCacheConfig)(99))
    CASE("a card by a name of nothing", KNOWN(1), F(cudaDeviceGetByPCIBusId)(&out, "nonsense"))
    CASE("a name of no bytes", KNOWN(1), F(cudaDeviceGetPCIBusId)(&out, 0, 0))
    CASE("priorities nowhere", DOC(0), F(cudaDeviceGetStreamPriorityRange)(NIL, NIL))
    CASE("a version nowhere", DOC(1), F(cudaRuntimeGetVersion)(NIL))
    CASE("the driver's version nowhere", DOC(1), F(cudaDriverGetVersion)(NIL))
    CASE("the choice of nothing", KNOWN(1), F(cudaChooseDevice)(NIL, NIL))
    CASE("a pool of card 1000", KNOWN(101), F(cudaDeviceGetDefaultMemPool)(&out, 1000))
    CASE("copying after a reset", KNOWN(1), F(cudaDeviceReset)(), F(cudaMemcpy)(d, host, N(4), IN))
    CASE("free after a reset", KNOWN(1), F(cudaDeviceReset)(), F(cudaFree)(d))
}

static void streams(void)
{
    const char *part = "streams and graphs";
    void *s, *e, *g = NULL;
    CASE("a stream nowhere", DOC(1), F(cudaStreamCreate)(NIL))
    CASE("unknown flags", DOC(1), F(cudaStreamCreateWithFlags)(&out, 0xffu))
    CASE("the end of the default stream", KNOWN(400), F(cudaStreamDestroy)(NIL))
    CASE("the end of what is no stream", KNOWN(400), F(cudaStreamDestroy)(host))
    /* a card ends the process */
    CASE("its end twice", OURS(400), F(cudaStreamDestroy)(s = a_stream()), F(cudaStreamDestroy)(s))
    CASE("asking what is no stream", KNOWN(400), F(cudaStreamQuery)(host))
    CASE("waiting for what is no stream", OURS(400), F(cudaStreamSynchronize)(P(0x1000))) /* a card ends the process */
    CASE("waiting for no event", DOC(400), F(cudaStreamWaitEvent)(NIL, NIL, 0u))
    CASE("waiting with unknown flags", KNOWN(1), F(cudaStreamWaitEvent)(NIL, an_event(0), 0xf0u))
    CASE("a call of no function", KNOWN(1), F(cudaLaunchHostFunc)(NIL, NIL, NIL))
    CASE("an event nowhere", DOC(1), F(cudaEventCreate)(NIL))
    CASE("an event with unknown flags", DOC(1), F(cudaEventCreateWithFlags)(&out, 0xffu))
    CASE("an event between processes that keeps times", KNOWN(1), F(cudaEventCreateWithFlags)(&out, 4u))
    CASE("recording no event", DOC(400), F(cudaEventRecord)(NIL, NIL))
    CASE("the end of no event", DOC(400), F(cudaEventDestroy)(NIL))
    /* a card ends the process */
    CASE("its end twice", OURS(400), F(cudaEventDestroy)(e = an_event(0)), F(cudaEventDestroy)(e))
    CASE("asking an event that nobody recorded", DOC(0), F(cudaEventQuery)(an_event(0)))
    CASE("waiting for it", DOC(0), F(cudaEventSynchronize)(an_event(0)))
    CASE("waiting for NULL", DOC(400), F(cudaEventSynchronize)(NIL))
    CASE("the time between events not recorded", DOC(400), F(cudaEventElapsedTime)(&out, an_event(0), an_event(0)))
    CASE("the time between events without times", DOC(400),
         F(cudaEventElapsedTime)(&out, recorded(an_event(2)), recorded(an_event(2))))
    CASE("the time, nowhere", DOC(1), F(cudaEventElapsedTime)(NIL, recorded(an_event(0)), recorded(an_event(0))))
    CASE("the time between NULLs", DOC(400), F(cudaEventElapsedTime)(&out, NIL, NIL))
    CASE("capture of the default stream", KNOWN(900), F(cudaStreamBeginCapture)(NIL, 0))
    CASE("capture in an unknown way", KNOWN(1), F(cudaStreamBeginCapture)(a_stream(), 99))
    CASE("capture of what is captured", KNOWN(401), s = capturing(), and_end(F(cudaStreamBeginCapture)(s, 0), s))
    CASE("the end of no capture", KNOWN(401), F(cudaStreamEndCapture)(a_stream(), &out))
    CASE("waiting for a stream in capture", DOC(900), s = capturing(), and_end(F(cudaStreamSynchronize)(s), s))
    CASE("the end of a capture that failed", DOC(901),
         s = capturing(), F(cudaStreamSynchronize)(s), F(cudaStreamEndCapture)(s, &out))
    CASE("allocating during a capture", KNOWN(900), s = capturing(), and_end(F(cudaMalloc)(&out, N(4)), s))
    CASE("asking a stream in capture", DOC(900), s = capturing(), and_end(F(cudaStreamQuery)(s), s))
    CASE("a graph nowhere", KNOWN(1), F(cudaGraphCreate)(NIL, 0u))
    CASE("a graph with flags", KNOWN(1), F(cudaGraphCreate)(&out, 1u))
    CASE("making ready no graph", KNOWN(1), F(cudaGraphInstantiate)(&out, NIL, D(0)))
    CASE("launching no graph", KNOWN(1), F(cudaGraphLaunch)(NIL, NIL))
    CASE("the end of no graph", KNOWN(1), F(cudaGraphDestroy)(NIL))
    CASE("the end of no graph made ready", KNOWN(1), F(cudaGraphExecDestroy)(NIL))
    CASE("a node that follows itself", KNOWN(1), F(cudaGraphAddEmptyNode)(&out, g = a_graph(), NIL, N(0)),
         F(cudaGraphAddDependencies)(g, &out, &out, NIL, N(1)))
    CASE("making ready a graph that is a ring", KNOWN(1), F(cudaGraphAddEmptyNode)(&out, g = a_graph(), NIL, N(0)),
         F(cudaGraphAddEmptyNode)(&more, g, &out, N(1)), F(cudaGraphAddDependencies)(g, &more, &out, NIL, N(1)),
         F(cudaGraphInstantiate)(more.bytes + 16, g, D(0)))
    CASE("a node behind what is no node", KNOWN(1), F(cudaGraphAddEmptyNode)(&out, a_graph(), &(void *){host}, N(1)))
    CASE("a kernel's node without a kernel", KNOWN(1), F(cudaGraphAddKernelNode)(&out, a_graph(), NIL, N(0), NIL))
}

static void launches(void)
{
    const char *part = "launches";
    CASE("blocks of no threads", KNOWN(1), launch(needs_shared, 1, 0, 64, NIL))
    CASE("blocks of 2048 threads", KNOWN(1), launch(needs_shared, 1, 2048, 64, NIL))
    CASE("blocks of 2^32 - 1 threads", KNOWN(1), launch(needs_shared, 1, 0xffffffffu, 64, NIL))
    CASE("blocks of 64 x 64 threads", KNOWN(1), launch_sized((dim3){1, 1, 1}, (dim3){64, 64, 1}))
    CASE("blocks of 65 layers", KNOWN(1), launch_sized((dim3){1, 1, 1}, (dim3){1, 1, 65}))
    CASE("no blocks", KNOWN(1), launch(needs_shared, 0, 32, 64, NIL))
    CASE("65,536 rows of blocks", KNOWN(1), launch_sized((dim3){1, 65536, 1}, (dim3){1, 1, 1}))
    CASE("2^31 blocks", KNOWN(1), launch_sized((dim3){0x80000000u, 1, 1}, (dim3){1, 1, 1}))
    CASE("a MiB of shared memory", KNOWN(1), launch(needs_shared, 1, 32, 1 << 20, NIL))
    CASE("64 KiB of shared memory, not asked for", KNOWN(1), launch(needs_shared, 1, 32, 64 << 10, NIL))
    CASE("2^32 bytes of shared memory", OURS(1), launch(needs_shared, 1, 32, N(1) << 32, NIL)) /* a card fails later */
    CASE("in what is no stream", KNOWN(400), launch(needs_shared, 1, 32, 128, host))
    CASE("a function that is no kernel", KNOWN(400), launch(never_registered, 1, 32, 128, NIL))
    CASE("no function", KNOWN(98), launch(NULL, 1, 32, 128, NIL))
    CASE("a kernel that the code lacks", KNOWN(500), launch(nothing_like_it, 1, 32, 128, NIL))
    CASE("no arguments", KNOWN(1),
         F(cudaLaunchKernel)((void *)needs_shared, (dim3){1, 1, 1}, (dim3){32, 1, 1}, NIL, N(128), NIL))
    CASE("a million blocks that meet", KNOWN(720),
         F(cudaLaunchCooperativeKernel)((void *)needs_shared, (dim3){1000000, 1, 1}, (dim3){32, 1, 1},
                                       args_of(device_memory()), N(128), NIL))
    /* a card ends the process */
    CASE("as nothing says", OURS(1), F(cudaLaunchKernelExC)(NIL, (void *)needs_shared, args_of(NULL)))
    CASE("an unknown attribute", DOC(1), F(cudaFuncSetAttribute)((void *)needs_shared, 99, 1))
    CASE("too much shared memory as an attribute", DOC(1), F(cudaFuncSetAttribute)((void *)needs_shared, 8, 1 << 20))
    CASE("a negative amount", DOC(1), F(cudaFuncSetAttribute)((void *)needs_shared, 8, -1))
    CASE("an attribute of no kernel", KNOWN(400), F(cudaFuncSetAttribute)((void *)never_registered, 8, 1024))
    CASE("attributes nowhere", KNOWN(1), F(cudaFuncGetAttributes)(NIL, (void *)needs_shared))
    CASE("attributes of no kernel", KNOWN(400), F(cudaFuncGetAttributes)(&out, (void *)never_registered))
    CASE("how many fit, nowhere", DOC(1),
         F(cudaOccupancyMaxActiveBlocksPerMultiprocessor)(NIL, (void *)needs_shared, 32, N(0)))
    CASE("how many of no threads fit", DOC(1),
         F(cudaOccupancyMaxActiveBlocksPerMultiprocessor)(&out, (void *)needs_shared, 0, N(0)))
    CASE("how many of no kernel fit", KNOWN(400),
         F(cudaOccupancyMaxActiveBlocksPerMultiprocessor)(&out, (void *)never_registered, 32, N(0)))
    CASE("the configuration of no launch", KNOWN(52),
         F(__cudaPopCallConfiguration)(&out, &more, more.bytes + 16, more.bytes + 32))
}

/* ---- the driver's interface ---- */
static void *context(void)
{
    void *c = NULL;
    F(cuInit)(0u);
    F(cuDevicePrimaryCtxRetain)(&c, 0);
    F(cuCtxSetCurrent)(c);
    return c;
}
static unsigned long long drv_memory(void)
{
    unsigned long long p = 0;
    F(cuMemAlloc_v2)(&p, N(B));
    return p;
}
static void *a_module(void)
{
    void *m = NULL;
    F(cuModuleLoadData)(&m, ptx);
    return m;
}
static void *a_function(void)
{
    void *f = NULL;
    F(cuModuleGetFunction)(&f, a_module(), "needs_shared");
    return f;
}
static int drv_launch(void *f, unsigned grid, unsigned block, void **args, void **extra)
{
    return F(cuLaunchKernel)(f, grid, 1u, 1u, block, 1u, 1u, 128u, NIL, args, extra);
}

static void first_calls(void) /* without a context */
{
    const char *part = "before the driver is ready";
    CASE("cuInit with flags", DOC(1), F(cuInit)(1u))
    CASE("a card before cuInit", DOC(3), F(cuDeviceGet)(&out, 0))
    CASE("how many before cuInit", DOC(3), F(cuDeviceGetCount)(&out))
    CASE("memory before cuInit", DOC(3), F(cuMemAlloc_v2)(&out, N(4)))
    CASE("memory without a context", DOC(201), F(cuInit)(0u), F(cuMemAlloc_v2)(&out, N(4)))
    CASE("waiting without a context", DOC(201), F(cuInit)(0u), F(cuCtxSynchronize)())
    CASE("a stream without a context", DOC(201), F(cuInit)(0u), F(cuStreamCreate)(&out, 0u))
    CASE("a module without a context", DOC(201), F(cuInit)(0u), F(cuModuleLoadData)(&out, ptx))
    CASE("taking a context off nothing", DOC(201), F(cuInit)(0u), F(cuCtxPopCurrent_v2)(&out))
    CASE("no context as the current one", DOC(0), F(cuInit)(0u), F(cuCtxSetCurrent)(NIL))
    CASE("a context of card 1000", DOC(101), F(cuInit)(0u), F(cuCtxCreate_v2)(&out, 0u, 1000))
    CASE("a context nowhere", DOC(1), F(cuInit)(0u), F(cuCtxCreate_v2)(NIL, 0u, 0))
    CASE("the end of no context", KNOWN(1), F(cuInit)(0u), F(cuCtxDestroy_v2)(NIL))
}

static void of_driver(void)
{
    const char *part = "the driver";
    void *c = context();
    void *extra[] = {P(1), host, P(2), &(size_t){2}, NULL};
    CASE("card 1000", DOC(101), F(cuDeviceGet)(&out, 1000))
    CASE("card -1", DOC(101), F(cuDeviceGet)(&out, -1))
    CASE("a card nowhere", DOC(1), F(cuDeviceGet)(NIL, 0))
    CASE("an unknown attribute", DOC(1), F(cuDeviceGetAttribute)(&out, 9999, 0))
    CASE("an attribute of card 1000", DOC(101), F(cuDeviceGetAttribute)(&out, 1, 1000))
    CASE("a name nowhere", DOC(1), F(cuDeviceGetName)(NIL, 64, 0))
    CASE("memory of no bytes", DOC(1), F(cuMemAlloc_v2)(&out, N(0)))
    CASE("memory nowhere", DOC(1), F(cuMemAlloc_v2)(NIL, N(4)))
    CASE("all addresses", DOC(2), F(cuMemAlloc_v2)(&out, SIZE_MAX))
    CASE("free of what no allocation is", DOC(1), F(cuMemFree_v2)(D(0x1234)))
    CASE("free of 0", KNOWN(0), F(cuMemFree_v2)(D(0)))
    CASE("rows with elements of 3 bytes", KNOWN(1), F(cuMemAllocPitch_v2)(&out, &more, N(4), N(4), 3u))
    CASE("a GiB to 4 KiB", KNOWN(1), F(cuMemcpyHtoD_v2)(drv_memory(), host, N(1) << 30))
    CASE("to 0", KNOWN(1), F(cuMemcpyHtoD_v2)(D(0), host, N(4)))
    CASE("filling words at an odd address", KNOWN(1), F(cuMemsetD32_v2)(drv_memory() + 1, 7u, N(4)))
    CASE("what lies at a variable", DOC(1), F(cuPointerGetAttribute)(&out, 2, D((uintptr_t)host)))
    CASE("the range of no allocation", KNOWN(500), F(cuMemGetAddressRange_v2)(&out, &more, D(0x1234)))
    CASE("reserving an odd number of bytes", DOC(1), F(cuMemAddressReserve)(&out, N(12345), N(0), D(0), D(0)))
    CASE("mapping what nobody reserved", DOC(1), F(cuMemMap)(D(1) << 40, N(2) << 20, N(0), D(0), D(0)))
    CASE("unmapping what is not mapped", DOC(1), F(cuMemUnmap)(D(1) << 40, N(2) << 20))
    CASE("a module of NULL", DOC(1), F(cuModuleLoadData)(&out, NIL))
    CASE("a module of prose", KNOWN(200), F(cuModuleLoadData)(&out, "no module at all"))
    CASE("a module with a mistake", DOC(218),
         F(cuModuleLoadData)(&out, ".version 7.5\n.target sm_75\n.address_size 64\n.visible .entry k() { ret }\n"))
    CASE("a module for a card to come", KNOWN(218),
         F(cuModuleLoadData)(&out, ".version 7.5\n.target sm_999\n.address_size 64\n.visible .entry k() { ret; }\n"))
    CASE("a module in PTX to come", KNOWN(222),
         F(cuModuleLoadData)(&out, ".version 99.9\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n"))
    CASE("a module in no file", DOC(301), F(cuModuleLoad)(&out, "/nowhere/at-all.ptx"))
    CASE("a kernel of no such name", DOC(500), F(cuModuleGetFunction)(&out, a_module(), "no_such"))
    CASE("a kernel without a name", DOC(1), F(cuModuleGetFunction)(&out, a_module(), NIL))
    CASE("a kernel nowhere", DOC(1), F(cuModuleGetFunction)(NIL, a_module(), "needs_shared"))
    CASE("a variable of no such name", DOC(500), F(cuModuleGetGlobal_v2)(&out, &more, a_module(), "no_such"))
    CASE("the end of no module", KNOWN(400), F(cuModuleUnload)(NIL))
    CASE("blocks of 2048 threads", DOC(1), drv_launch(a_function(), 1, 2048, args_of(NULL), NULL))
    CASE("no blocks", DOC(1), drv_launch(a_function(), 0, 32, args_of(NULL), NULL))
    CASE("no function", KNOWN(400), drv_launch(NULL, 1, 32, args_of(NULL), NULL))
    CASE("arguments in two ways", DOC(1), drv_launch(a_function(), 1, 32, args_of(NULL), extra))
    CASE("arguments of two bytes", OURS(1), drv_launch(a_function(), 1, 32, NULL, extra)) /* a card fails later */
    CASE("no arguments", KNOWN(1), drv_launch(a_function(), 1, 32, NULL, NULL))
    CASE("an unknown attribute of a function", DOC(1), F(cuFuncGetAttribute)(&out, 99, a_function()))
    CASE("the end of the default stream", KNOWN(400), F(cuStreamDestroy_v2)(NIL))
    CASE("the end of no event", KNOWN(400), F(cuEventDestroy_v2)(NIL))
    CASE("the end of a context twice", KNOWN(709),
         F(cuCtxCreate_v2)(&c, 0u, 0), F(cuCtxDestroy_v2)(c), F(cuCtxDestroy_v2)(c))
    CASE("releasing a primary context", DOC(0), F(cuDevicePrimaryCtxRelease_v2)(0))
    CASE("releasing a primary context once too often", KNOWN(201),
         F(cuDevicePrimaryCtxRelease_v2)(0), F(cuDevicePrimaryCtxRelease_v2)(0), F(cuDevicePrimaryCtxRelease_v2)(0))
    CASE("the name of no code", DOC(1), F(cuGetErrorName)(98765, &out))
    CASE("the text of no code", DOC(1), F(cuGetErrorString)(98765, &out))
    CASE("the address of no function", KNOWN(0), F(cuGetProcAddress_v2)("cuNoSuch", &out, 12000, D(0), &more))
}

/* ---- kernels that go wrong: from then on nothing answers otherwise ---- */
static int run_wrong(void (*kernel)(void), void *argument)
{
    void *kept = argument;
    F(cudaLaunchKernel)((void *)kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, (void *[]){&kept}, N(0), NIL);
    return F(cudaDeviceSynchronize)();
}
static void kernels(void)
{
    const char *part = "kernels";
    CASE("a store far away", DOC(700), run_wrong(far_away, device_memory()))
    CASE("a store that is misaligned", DOC(716), run_wrong(misaligned, device_memory()))
    CASE("an assertion", DOC(710), run_wrong(asserts, P(4)))
    CASE("a store far away, seen by a copy", DOC(700),
         launch(far_away, 1, 1, 0, NIL), F(cudaMemcpy)(host, device_memory(), N(4), OUT))
    CASE("a store far away, seen by free", DOC(700), run_wrong(far_away, device_memory()), F(cudaFree)(device_memory()))
    CASE("a store far away, seen by a launch", DOC(700),
         run_wrong(far_away, NIL), launch(needs_shared, 1, 32, 128, NIL))
}
