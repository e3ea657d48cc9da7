/* driver.c: programs on the driver's interface, found by dlopen as Python's modules do, for exec.sh.
 * Expected values follow from CUDA's rules. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef unsigned long long address;
static void *library;
static int (*fn(const char *name))()
{
    int (*f)();
    void *at = dlsym(library, name);
    if (!at) {
        printf("no %s\n", name);
        exit(9);
    }
    memcpy(&f, &at, sizeof f);
    return f;
}
static void say(const char *what, int code)
{
    const char *name = "?";
    fn("cuGetErrorName")(code, &name);
    printf("%s %s\n", what, name);
}
static void *module, *kernel;
static void start(const char *path)
{
    void *context;
    FILE *f = fopen(path, "r");
    char *text = calloc(1, 1 << 20);
    if (!f || !text || !fread(text, 1, (1 << 20) - 1, f)) exit(9);
    fclose(f);
    say("init", fn("cuInit")(0));
    fn("cuCtxCreate_v2")(&context, 0u, 0);
    say("module", fn("cuModuleLoadData")(&module, text));
}

/* Two pieces of memory side by side at reserved addresses; a third that nobody may reach. */
static void mapped(void)
{
    struct {
        int type, handles, where, device;
        void *windows;
        char flags[8];
    } p = {.type = 1, .handles = 1, .where = 1};
    struct {
        int where, device, flags;
    } a = {1, 0, 3};
    size_t granule = 0;
    address at = 0;
    void *piece[3], *shared;
    int fd = -1, n = 1000, h[4] = {0};
    say("granularity", fn("cuMemGetAllocationGranularity")(&granule, &p, 0));
    printf("%d MiB\n", (int)(granule >> 20));
    say("reserve", fn("cuMemAddressReserve")(&at, 4 * granule, (size_t)0, (address)0, (address)0));
    say("not a multiple", fn("cuMemCreate")(&piece[0], granule + 1, &p, (address)0));
    for (int i = 0; i < 3; i++) {
        fn("cuMemCreate")(&piece[i], granule, &p, (address)0);
        fn("cuMemMap")(at + i * granule, granule, (size_t)0, piece[i], (address)0);
    }
    say("there already", fn("cuMemMap")(at, granule, (size_t)0, piece[0], (address)0));
    say("access", fn("cuMemSetAccess")(at, 2 * granule, &a, (size_t)1));
    say("a fill across both", fn("cuMemsetD32_v2")(at, 7u, 2 * granule / 4));
    say("not the third", fn("cuMemsetD32_v2")(at, 7u, 3 * granule / 4));
    /* add: c[i] = a[i] + b[i], with c across the border of the pieces */
    address x = at, y = at + 8192, z = at + granule - 2000;
    void *args[] = {&x, &y, &z, &n};
    say("function", fn("cuModuleGetFunction")(&kernel, module, "add"));
    say("launch", fn("cuLaunchKernel")(kernel, 4u, 1u, 1u, 256u, 1u, 1u, 0u, NULL, args, NULL));
    say("back", fn("cuMemcpyDtoH_v2")(h, at + granule - 8, sizeof h));
    /* the sum of two floats with the bits of 7 is the one with the bits of 14 */
    printf("%d %d %d %d\n", h[0], h[1], h[2], h[3]);
    say("export", fn("cuMemExportToShareableHandle")(&fd, piece[1], 1, (address)0));
    say("import", fn("cuMemImportFromShareableHandle")(&shared, (void *)(long)fd, 1));
    fn("cuMemMap")(at + 3 * granule, granule, (size_t)0, shared, (address)0);
    fn("cuMemSetAccess")(at + 3 * granule, granule, &a, (size_t)1);
    say("the same memory", fn("cuMemcpyDtoH_v2")(h, at + 3 * granule, 8ul));
    printf("%d %d\n", h[0], h[1]);
    say("still mapped", fn("cuMemAddressFree")(at, 4 * granule));
    say("unmap", fn("cuMemUnmap")(at, 4 * granule));
    say("gone", fn("cuMemcpyDtoH_v2")(h, at, 8ul));
    say("release", fn("cuMemRelease")(piece[0]));
    say("twice", fn("cuMemRelease")(piece[0]));
    say("free", fn("cuMemAddressFree")(at, 4 * granule));
}

/* A texture reference of a module: linear memory, then other memory, then no interpolation but fractions. */
static void reference(void)
{
    static const char text[] =
        ".version 7.0\n.target sm_52\n.address_size 64\n.global .texref t;\n"
        ".visible .entry k(.param .u64 out)\n{\n.reg .b64 %a<4>;\n.reg .f32 %f<5>;\n.reg .s32 %r<2>;\n"
        "mov.u32 %r1, %tid.x;\ntex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [t, {%r1}];\nld.param.u64 %a1, [out];\n"
        "mul.wide.s32 %a2, %r1, 4;\nadd.u64 %a1, %a1, %a2;\nst.global.f32 [%a1], %f1;\nret;\n}\n";
    void *m, *k, *t;
    address in[2], out;
    float h[4] = {1, 2, 3, 4};
    unsigned char bytes[4] = {0, 51, 255, 0};
    void *args[] = {&out};
    say("load", fn("cuModuleLoadData")(&m, text));
    say("kernel", fn("cuModuleGetFunction")(&k, m, "k"));
    say("reference", fn("cuModuleGetTexRef")(&t, m, "t"));
    say("no reference", fn("cuModuleGetTexRef")(&t, m, "nothing"));
    fn("cuMemAlloc_v2")(&in[0], 16ul), fn("cuMemAlloc_v2")(&in[1], 16ul), fn("cuMemAlloc_v2")(&out, 16ul);
    fn("cuMemcpyHtoD_v2")(in[0], h, 16ul), fn("cuMemcpyHtoD_v2")(in[1], bytes, 4ul);
    say("format", fn("cuTexRefSetFormat")(t, 0x20, 1));
    say("address", fn("cuTexRefSetAddress_v2")(NULL, t, in[0], 16ul));
    say("launch", fn("cuLaunchKernel")(k, 1u, 1u, 1u, 4u, 1u, 1u, 0u, NULL, args, NULL));
    fn("cuMemcpyDtoH_v2")(h, out, 16ul);
    printf("%g %g %g %g\n", h[0], h[1], h[2], h[3]);
    fn("cuTexRefSetFormat")(t, 1, 1); /* bytes, as fractions of 255 */
    say("address", fn("cuTexRefSetAddress_v2")(NULL, t, in[1], 4ul));
    say("launch", fn("cuLaunchKernel")(k, 1u, 1u, 1u, 3u, 1u, 1u, 0u, NULL, args, NULL));
    fn("cuMemcpyDtoH_v2")(h, out, 12ul);
    printf("%g %g %g\n", h[0], h[1], h[2]);
}

/* Names without a version, as dlopen wants them, are the same libraries. */
static void names(void)
{
    void *cuda = dlopen("libcuda.so", RTLD_NOW), *cudart = dlopen("libcudart.so", RTLD_NOW);
    int version = 0;
    printf("%s %s\n", cuda && dlsym(cuda, "cuInit") == dlsym(library, "cuInit") ? "same" : "other",
           cudart && dlsym(cudart, "cudaMalloc") ? "there" : dlerror());
    fn("cuDriverGetVersion")(&version);
    printf("%d\n", version > 11000);
}

/* A launch as before CUDA 4; what is not there, and who is told so. */
static void old_launch(void)
{
    float h[3][4] = {{1, 2, 3, 4}, {10, 20, 30, 40}, {0}};
    address at[3];
    void *found = &found;
    int code = 0;
    for (int i = 0; i < 3; i++) {
        fn("cuMemAlloc_v2")(&at[i], 16ul);
        fn("cuMemcpyHtoD_v2")(at[i], h[i], 16ul);
    }
    fn("cuModuleGetFunction")(&kernel, module, "add");
    say("no shape", fn("cuLaunch")(kernel));
    say("shape", fn("cuFuncSetBlockShape")(kernel, 4, 1, 1));
    for (int i = 0; i < 3; i++) say("argument", fn("cuParamSetv")(kernel, 8 * i, &at[i], 8u));
    say("far", fn("cuParamSetv")(kernel, 4090, &at[0], 8u));
    say("number", fn("cuParamSeti")(kernel, 24, 4u));
    say("size", fn("cuParamSetSize")(kernel, 28u));
    say("launch", fn("cuLaunchGrid")(kernel, 1, 1));
    fn("cuMemcpyDtoH_v2")(h[2], at[2], 16ul);
    printf("%g %g %g %g\n", h[2][0], h[2][1], h[2][2], h[2][3]);
    say("not there", fn("cuStreamBatchMemOp_v2")(NULL, 0u, h, 0u));
    code = fn("cuGetProcAddress_v2")("cuStreamBatchMemOp_v2", &found, 13000, (address)0, NULL);
    printf("%s\n", code && !found ? "and not found" : "found");
}

/* A graph of nodes, and one of a stream's capture: 1 2 3 4 plus itself, each twice. */
static void graphs(void)
{
    typedef struct {
        void *func;
        unsigned grid[3], block[3], shared;
        void **params, **extra, *kernel, *context;
    } launches;
    float h[4] = {1, 2, 3, 4};
    address p;
    int n = 4, four = 4;
    size_t count = 9;
    void *graph, *copy, *exec, *nodes[3], *stream, *captured, *params[] = {&p, &p, &p, &four};
    launches node = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .params = params}, seen;
    fn("cuModuleGetFunction")(&node.func, module, "add");
    fn("cuMemAlloc_v2")(&p, 16ul);
    fn("cuMemcpyHtoD_v2")(p, h, 16ul);
    say("graph", fn("cuGraphCreate")(&graph, 0u));
    say("node", fn("cuGraphAddKernelNode_v2")(&nodes[0], graph, NULL, 0ul, &node));
    say("node", fn("cuGraphAddKernelNode_v2")(&nodes[1], graph, nodes, 1ul, &node));
    say("no function", fn("cuGraphAddKernelNode_v2")(&nodes[2], graph, nodes, 1ul, &(launches){.func = &n}));
    say("copy", fn("cuGraphClone")(&copy, graph));
    say("nodes", fn("cuGraphGetNodes")(copy, NULL, &count));
    say("what it launches", fn("cuGraphKernelNodeGetParams_v2")(nodes[1], &seen));
    printf("%d nodes, %u threads, %d\n", (int)count, seen.block[0], *(int *)seen.params[3]);
    say("instantiate", fn("cuGraphInstantiateWithFlags")(&exec, copy, (address)0));
    say("stream", fn("cuStreamCreate")(&stream, 1u));
    say("launch", fn("cuGraphLaunch")(exec, stream));
    say("over", fn("cuStreamSynchronize")(stream));
    fn("cuMemcpyDtoH_v2")(h, p, 16ul);
    printf("%g %g %g %g\n", h[0], h[1], h[2], h[3]);
    say("end", fn("cuGraphExecDestroy")(exec));
    say("begin", fn("cuStreamBeginCapture_v2")(stream, 0));
    for (int i = 0; i < 2; i++)
        fn("cuLaunchKernel")(node.func, 1u, 1u, 1u, 32u, 1u, 1u, 0u, stream, params, (void **)NULL);
    say("captured", fn("cuStreamEndCapture")(stream, &captured));
    say("instantiate", fn("cuGraphInstantiate_v2")(&exec, captured, NULL, NULL, 0ul));
    say("launch", fn("cuGraphLaunch")(exec, stream));
    say("over", fn("cuStreamSynchronize")(stream));
    fn("cuMemcpyDtoH_v2")(h, p, 16ul);
    printf("%g %g %g %g\n", h[0], h[1], h[2], h[3]);
    say("no graph", fn("cuGraphLaunch")(graph, stream));
    say("end", fn("cuGraphDestroy")(graph));
}

/* Lanes of a warp in two functions, which take turns: each has its own registers. */
static void two_functions(void)
{
    unsigned h[32], wrong = 0, a = 1, b = 2;
    unsigned long long c = 1, d = 2;
    address p;
    int n = 5000;
    void *params[] = {&p, &n};
    fn("cuModuleGetFunction")(&kernel, module, "two_functions");
    fn("cuMemAlloc_v2")(&p, sizeof h);
    fn("cuLaunchKernel")(kernel, 1u, 1u, 1u, 32u, 1u, 1u, 0u, NULL, params, (void **)NULL);
    say("over", fn("cuMemcpyDtoH_v2")(h, p, sizeof h));
    for (int i = 0; i < n + 3; i++) a = a * 3 + (unsigned)i, b ^= a >> 1;
    for (int i = 0; i < n; i++) c = c * 3 + (unsigned)i, d ^= c >> 1;
    for (int i = 0; i < 32; i++) wrong += h[i] != (i & 1 ? (unsigned)(c + d) : a + b);
    printf("%u wrong\n", wrong);
}

static unsigned mix(unsigned x, int n, int i) { return (x ^ (unsigned)i) * (x + 3 * (unsigned)i + (unsigned)n); }
static unsigned long long mix_wide(unsigned long long x, int n, int i)
{
    return (x ^ (unsigned)i) * (x + 3 * (unsigned)i + (unsigned)n);
}

/* Lanes that meet in a function which two others call: each has its caller's local memory and registers, whatever
 * other lanes call meanwhile. */
static void callers(void)
{
    unsigned h[32], wrong = 0;
    address p, stage;
    void *params[] = {&p}, *both[] = {&p, &stage};
    fn("cuMemAlloc_v2")(&p, sizeof h), fn("cuMemAlloc_v2")(&stage, (size_t)4);
    fn("cuMemsetD32_v2")(stage, 0u, (size_t)1);
    fn("cuModuleGetFunction")(&kernel, module, "two_locals");
    fn("cuLaunchKernel")(kernel, 1u, 1u, 1u, 32u, 1u, 1u, 0u, NULL, params, (void **)NULL);
    say("locals", fn("cuMemcpyDtoH_v2")(h, p, sizeof h));
    for (unsigned t = 0; t < 32; t++) {
        const unsigned n = t & 1 ? 4 : 64, factor = t & 1 ? 1 : 3;
        unsigned want = t * factor + t % n; /* of its array, afterwards */
        for (unsigned i = 0; i < n; i++) want += t * factor + i;
        for (unsigned i = 0; i < 4; i++) want += t * 10 + i;
        wrong += h[t] != want;
    }
    printf("%u wrong\n", wrong);
    fn("cuModuleGetFunction")(&kernel, module, "two_callers");
    fn("cuLaunchKernel")(kernel, 1u, 1u, 1u, 4u, 1u, 1u, 0u, NULL, both, (void **)NULL);
    say("frames", fn("cuMemcpyDtoH_v2")(h, p, (size_t)16));
    unsigned want[4] = {0};
    unsigned long long wide[4] = {0}, v[3];
    for (int i = 0; i < 9; i++) want[0] = want[0] * 3 + mix(4, 1, i), wide[1] = wide[1] * 3 + mix_wide(5, 1, i);
    unsigned u[5];
    for (int i = 0; i < 5; i++) u[i] = mix(2, 2, i);
    for (int i = 0; i < 3; i++) v[i] = mix_wide(3, 2, i);
    for (int k = 0; k < 10; k++) {
        for (int i = 0; i < 5; i++) want[2] += u[i] = u[i] * 3 + u[(i + 1) % 5];
        for (int i = 0; i < 3; i++) wide[3] += v[i] = v[i] * 3 + v[(i + 1) % 3];
    }
    want[0] += 3 * 4, want[1] = (unsigned)wide[1] + 3 * 5, want[3] = (unsigned)wide[3];
    wrong = 0;
    for (int t = 0; t < 4; t++) wrong += h[t] != want[t];
    printf("%u wrong\n", wrong);
}

/* A pool of the program's own, what a stream is told and gives back, and copies of arrays. */
static void pools(void)
{
    struct {
        int type, handles, of, id;
        char rest[72];
    } properties = {1, 0, 1, 0, {0}};
    struct {
        int of, id, flags;
    } all = {1, 0, 3};
    struct {
        size_t width, height;
        int format;
        unsigned channels;
    } shape = {4, 0, 0x20, 1}; /* floats */
    float h[4] = {1, 2, 3, 4};
    int flags = 0, policy[16] = {2}, got[16] = {0}, off = 0, rule = 7, other_rule = 7;
    address managed;
    void *pool, *stream, *array, *other;
    address p;
    say("pool", fn("cuMemPoolCreate")(&pool, &properties));
    say("access", fn("cuMemPoolSetAccess")(pool, &all, 1ul));
    say("asks", fn("cuMemPoolGetAccess")(&flags, pool, &all));
    fn("cuMemAllocManaged")(&managed, 16ul, 1u);
    fn("cuMemPoolSetAttribute")(pool, 2, &off);
    fn("cuMemPoolGetAttribute")(pool, 2, &rule), fn("cuMemPoolGetAttribute")(pool, 3, &other_rule);
    printf("rules %d %d\n", rule, other_rule);
    fn("cuStreamCreate")(&stream, 1u);
    say("memory", fn("cuMemAllocFromPoolAsync")(&p, 16ul, pool, stream));
    say("policy", fn("cuStreamSetAttribute")(stream, 3, policy));
    say("policy", fn("cuStreamGetAttribute")(stream, 3, got));
    printf("access %d, policy %d\n", flags, got[0]);
    say("array", fn("cuArrayCreate_v2")(&array, &shape));
    fn("cuArrayCreate_v2")(&other, &shape);
    say("to", fn("cuMemcpyHtoAAsync_v2")(array, 0ul, h, 16ul, stream));
    fn("cuStreamSynchronize")(stream);
    say("over", fn("cuMemcpyAtoA_v2")(other, 4ul, array, 0ul, 12ul)); /* one place further */
    say("over", fn("cuMemcpyDtoA_v2")(other, 0ul, p, 0ul));
    say("from", fn("cuMemcpyAtoD_v2")(p, other, 4ul, 12ul));
    fn("cuMemcpyDtoH_v2")(h, p, 12ul);
    printf("%g %g %g\n", h[0], h[1], h[2]);
    say("no context", fn("cuCtxSetCurrent")(NULL));
    say("ends", fn("cuMemFreeAsync")(p, stream)); /* the stream has one */
    say("none", fn("cuMemFreeAsync")(p, NULL));
    say("managed", fn("cuMemFree_v2")(managed));
    say("ends", fn("cuMemPoolDestroy")(pool));
    say("ended", fn("cuMemPoolDestroy")(pool));
}

int main(int argc, char **argv)
{
    library = dlopen("libcuda.so.1", RTLD_NOW);
    if (argc < 3 || !library) return 9;
    start(argv[1]);
    if (!strcmp(argv[2], "mapped")) mapped();
    else if (!strcmp(argv[2], "reference")) reference();
    else if (!strcmp(argv[2], "names")) names();
    else if (!strcmp(argv[2], "old_launch")) old_launch();
    else if (!strcmp(argv[2], "graphs")) graphs();
    else if (!strcmp(argv[2], "pools")) pools();
    else if (!strcmp(argv[2], "two_functions")) two_functions();
    else if (!strcmp(argv[2], "callers")) callers();
    else return 9;
    return 0;
}
