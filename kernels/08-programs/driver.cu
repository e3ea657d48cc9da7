/* driver: the same program on the driver's interface, which the runtime is built on.
 *
 * Nothing happens by itself here: the program asks for a device and a context, loads its kernel from
 * PTX (which a compiler at run time might have made) and passes the arguments' addresses.
 * nvcc driver.cu -lcuda
 */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                       \
    do {                                                  \
        CUresult code = (call);                           \
        if (code != CUDA_SUCCESS) {                       \
            const char *name = "an unknown error";        \
            cuGetErrorName(code, &name);                  \
            printf("line %d: %s\n", __LINE__, name);      \
            return 1;                                     \
        }                                                 \
    } while (0)

static const char saxpy_ptx[] =
    ".version 6.3\n"
    ".target sm_50\n"
    ".address_size 64\n"
    ".visible .entry saxpy(.param .f32 a, .param .u64 x, .param .u64 y, .param .u32 n)\n"
    "{\n"
    "    .reg .pred %p;\n"
    "    .reg .f32 %f<4>;\n"
    "    .reg .b32 %r<5>;\n"
    "    .reg .b64 %d<6>;\n"
    "    mov.u32 %r0, %ctaid.x;\n"
    "    mov.u32 %r1, %ntid.x;\n"
    "    mov.u32 %r2, %tid.x;\n"
    "    mad.lo.u32 %r3, %r0, %r1, %r2;\n"     /* i = blockIdx.x * blockDim.x + threadIdx.x */
    "    ld.param.u32 %r4, [n];\n"
    "    setp.ge.u32 %p, %r3, %r4;\n"
    "    @%p bra END;\n"                       /* if (i < n) */
    "    ld.param.f32 %f0, [a];\n"
    "    ld.param.u64 %d0, [x];\n"
    "    ld.param.u64 %d1, [y];\n"
    "    cvta.to.global.u64 %d0, %d0;\n"
    "    cvta.to.global.u64 %d1, %d1;\n"
    "    mul.wide.u32 %d2, %r3, 4;\n"
    "    add.u64 %d3, %d0, %d2;\n"
    "    add.u64 %d4, %d1, %d2;\n"
    "    ld.global.f32 %f1, [%d3];\n"
    "    ld.global.f32 %f2, [%d4];\n"
    "    fma.rn.f32 %f3, %f0, %f1, %f2;\n"     /* y[i] = a * x[i] + y[i] */
    "    st.global.f32 [%d4], %f3;\n"
    "END:\n"
    "    ret;\n"
    "}\n";

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1 << 20, wrong = 0;
    size_t bytes = n * sizeof(float);
    float a = 2, *x = (float *)malloc(bytes), *y = (float *)malloc(bytes);
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction saxpy;
    CUdeviceptr d_x, d_y;
    for (int i = 0; i < n; i++) {
        x[i] = i % 1000;
        y[i] = 1;
    }
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device)); /* the context that the runtime uses too */
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuModuleLoadData(&module, saxpy_ptx));
    CHECK(cuModuleGetFunction(&saxpy, module, "saxpy"));
    CHECK(cuMemAlloc(&d_x, bytes));
    CHECK(cuMemAlloc(&d_y, bytes));
    CHECK(cuMemcpyHtoD(d_x, x, bytes));
    CHECK(cuMemcpyHtoD(d_y, y, bytes));
    void *arguments[] = {&a, &d_x, &d_y, &n};
    CHECK(cuLaunchKernel(saxpy, (n + 255) / 256, 1, 1, 256, 1, 1, 0, 0, arguments, 0));
    CHECK(cuCtxSynchronize());
    CHECK(cuMemcpyDtoH(y, d_y, bytes));
    for (int i = 0; i < n; i++)
        wrong += y[i] != 2 * x[i] + 1;
    printf("%d of %d wrong, by the driver's interface\n", wrong, n);
    cuMemFree(d_x);
    cuMemFree(d_y);
    cuModuleUnload(module);
    cuDevicePrimaryCtxRelease(device);
    free(x);
    free(y);
    return wrong != 0;
}
