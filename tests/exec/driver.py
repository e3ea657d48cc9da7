# driver.py PTX WHAT: the driver's interface and nvJitLink by ctypes, for python.sh.
import ctypes as c
import sys
import threading

cuda = c.CDLL("libcuda.so.1")
ptx = open(sys.argv[1], "rb").read()


def ok(code):
    if code:
        name = c.c_char_p()
        cuda.cuGetErrorName(code, c.byref(name))
        raise RuntimeError(name.value.decode() if name.value else code)


def start():
    context = c.c_void_p()
    ok(cuda.cuInit(0))
    ok(cuda.cuCtxCreate_v2(c.byref(context), 0, 0))
    return context


def function(image, name):
    module, f = c.c_void_p(), c.c_void_p()
    ok(cuda.cuModuleLoadData(c.byref(module), image))
    ok(cuda.cuModuleGetFunction(c.byref(f), module, name))
    return f


def add(f, n, first):
    """c[i] = a[i] + b[i] with a[i] = first + i and b[i] = 2 i, on a stream of its own."""
    stream = c.c_void_p()
    ok(cuda.cuStreamCreate(c.byref(stream), 1))
    buffers = [c.c_uint64() for _ in range(3)]
    host = [(c.c_float * n)(*values) for values in ([first + i for i in range(n)], [2 * i for i in range(n)], [])]
    for b, h in zip(buffers, host):
        ok(cuda.cuMemAlloc_v2(c.byref(b), c.c_size_t(4 * n)))
        ok(cuda.cuMemcpyHtoDAsync_v2(b, h, c.c_size_t(4 * n), stream))
    values = buffers + [c.c_int(n)]
    args = (c.c_void_p * 4)(*[c.cast(c.pointer(v), c.c_void_p) for v in values])
    ok(cuda.cuLaunchKernel(f, (n + 255) // 256, 1, 1, 256, 1, 1, 0, stream, args, None))
    ok(cuda.cuMemcpyDtoHAsync_v2(host[2], buffers[2], c.c_size_t(4 * n), stream))
    ok(cuda.cuStreamSynchronize(stream))
    for b in buffers:
        ok(cuda.cuMemFree_v2(b))
    return sum(host[2][i] != first + 3 * i for i in range(n))


def plain():
    start()
    print(add(function(ptx, b"add"), 1000, 5), "wrong")


def threads():
    """Many host threads at once, in one context."""
    context = start()
    f, wrong = function(ptx, b"add"), []

    def work(k):
        ok(cuda.cuCtxSetCurrent(context))
        wrong.append(sum(add(f, 300 + k, k) for _ in range(5)))

    all = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in all:
        t.start()
    for t in all:
        t.join()
    print(len(wrong), "threads,", sum(wrong), "wrong")


# two files that need each other: twice(x) = x + x is in the second
HEAD = b".version 7.0\n.target sm_52\n.address_size 64\n"
CALLER = HEAD + b""".extern .func (.param .f32 r) twice (.param .f32 x);
.visible .entry k(.param .u64 out) {
.reg .b64 %a<2>; .reg .f32 %f<2>;
ld.param.u64 %a1, [out];
{ .param .f32 x; .param .f32 r; mov.f32 %f1, 0f41A80000; st.param.f32 [x], %f1;
call (r), twice, (x); ld.param.f32 %f1, [r]; }
st.global.f32 [%a1], %f1; ret; }
"""
CALLED = HEAD + b""".visible .func (.param .f32 r) twice (.param .f32 x) {
.reg .f32 %f<2>; ld.param.f32 %f1, [x]; add.f32 %f1, %f1, %f1; st.param.f32 [r], %f1; ret; }
"""


def answer(image):
    out, h = c.c_uint64(), c.c_float()
    ok(cuda.cuMemAlloc_v2(c.byref(out), c.c_size_t(4)))
    args = (c.c_void_p * 1)(c.cast(c.pointer(out), c.c_void_p))
    ok(cuda.cuLaunchKernel(function(image, b"k"), 1, 1, 1, 1, 1, 1, 0, None, args, None))
    ok(cuda.cuMemcpyDtoH_v2(c.byref(h), out, c.c_size_t(4)))
    return h.value  # 2 * 21


def links():
    """Both linkers: what they make is loaded as machine code would be."""
    start()
    state, image, size = c.c_void_p(), c.c_void_p(), c.c_size_t()
    ok(cuda.cuLinkCreate_v2(0, None, None, c.byref(state)))
    for name, text in ((b"caller", CALLER), (b"called", CALLED)):
        ok(cuda.cuLinkAddData_v2(state, 1, text + b"\0", c.c_size_t(len(text) + 1), name, 0, None, None))
    ok(cuda.cuLinkComplete(state, c.byref(image), c.byref(size)))
    print("cuLink", answer(image))
    ok(cuda.cuLinkDestroy(state))
    for library in ("libnvJitLink.so.12", "libnvJitLink.so.13"):
        jit = c.CDLL(library)
        handle = c.c_void_p()
        print("no architecture", jit.nvJitLinkCreate(c.byref(handle), 0, None))
        options = (c.c_char_p * 1)(b"-arch=sm_90")
        print("create", jit.nvJitLinkCreate(c.byref(handle), 1, options))
        for name, text in ((b"caller", CALLER), (b"called", CALLED)):
            print("add", jit.nvJitLinkAddData(handle, 2, text, c.c_size_t(len(text)), name))
        print("complete", jit.nvJitLinkComplete(handle), jit.nvJitLinkGetLinkedCubinSize(handle, c.byref(size)))
        cubin = c.create_string_buffer(size.value)
        print("cubin", jit.nvJitLinkGetLinkedCubin(handle, cubin))
        print("nvJitLink", answer(cubin))
        print("destroy", jit.nvJitLinkDestroy(c.byref(handle)), handle.value)


GRID = HEAD + b""".extern .func (.param .b64 r) cudaCGGetIntrinsicHandle (.param .b32 s);
.extern .func (.param .b32 r) cudaCGSynchronize (.param .b64 h, .param .b32 f);
.visible .entry k(.param .u64 a, .param .u64 out) {
.reg .b64 %a<6>; .reg .b32 %r<6>;
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r1, %r1, 64, %r2;
ld.param.u64 %a1, [a]; ld.param.u64 %a2, [out];
mul.wide.u32 %a3, %r1, 4; add.u64 %a4, %a1, %a3; add.u64 %a2, %a2, %a3;
st.global.u32 [%a4], %r1;
{ .param .b32 s; .param .b64 h; st.param.b32 [s], 1;
call.uni (h), cudaCGGetIntrinsicHandle, (s); ld.param.b64 %a5, [h]; }
{ .param .b64 h; .param .b32 f; .param .b32 e; st.param.b64 [h], %a5; st.param.b32 [f], 0;
call.uni (e), cudaCGSynchronize, (h, f); ld.param.b32 %r3, [e]; }
add.u32 %r1, %r1, 64; and.b32 %r1, %r1, 255; mul.wide.u32 %a3, %r1, 4; add.u64 %a4, %a1, %a3;
ld.global.u32 %r4, [%a4]; add.u32 %r4, %r4, %r3; st.global.u32 [%a2], %r4; ret; }
"""


def grid():
    """A barrier of the whole grid, which the code takes for NVIDIA's: each block reads what the next one wrote."""
    start()
    a, out, h = c.c_uint64(), c.c_uint64(), (c.c_int * 256)()
    for b in (a, out):
        ok(cuda.cuMemAlloc_v2(c.byref(b), c.c_size_t(1024)))
    f = function(GRID, b"k")
    args = (c.c_void_p * 2)(*[c.cast(c.pointer(v), c.c_void_p) for v in (a, out)])
    for _ in range(3):
        ok(cuda.cuMemsetD8_v2(a, 255, c.c_size_t(1024)))
        ok(cuda.cuLaunchCooperativeKernel(f, 4, 1, 1, 64, 1, 1, 0, None, args))
        ok(cuda.cuMemcpyDtoH_v2(h, out, c.c_size_t(1024)))
        print(sum(h[i] != (i + 64) % 256 for i in range(256)), "wrong")


def junk():
    """What is no PTX is told, and breaks nothing."""
    start()
    jit = c.CDLL("libnvJitLink.so.13")
    handle, options, size = c.c_void_p(), (c.c_char_p * 1)(b"-arch=sm_90"), c.c_size_t()
    elf = bytearray(b"\x7fELF\2\1\1" + bytes(57))
    elf[18] = 62
    cubin = bytearray(elf)
    cubin[18] = 190
    far = bytearray(elf)  # sections far behind the end
    far[0x28:0x30] = (1 << 40).to_bytes(8, "little")
    far[0x3c:0x3e] = b"\xff\xff"
    library = b"!<arch>\n" + b"x/".ljust(48) + b"9999999999`\n" + bytes(20)
    fat = bytes.fromhex("50ed55ba01001000") + b"\xff" * 8 + bytes(64)
    entry = bytes.fromhex("50ed55ba01001000") + (64).to_bytes(8, "little") + \
        bytes.fromhex("0100000000ffffff") + (1 << 30).to_bytes(8, "little") + bytes(48)
    for name, data in ((b"entry", entry), (b"wrapper", b"\xb1CbF" + b"A" * 60),
                       (b"lto", b"\xed\x43\x4e\x7f\0\1\2\3" * 8), (b"elf", bytes(elf)), (b"cubin", bytes(cubin)),
                       (b"far", bytes(far)), (b"library", library), (b"fat", fat), (b"text", b"hello, world")):
        jit.nvJitLinkCreate(c.byref(handle), 1, options)
        print(name.decode(), jit.nvJitLinkAddData(handle, 10, data, c.c_size_t(len(data)), name),
              jit.nvJitLinkComplete(handle))
        jit.nvJitLinkGetErrorLogSize(handle, c.byref(size))
        log = c.create_string_buffer(size.value)
        jit.nvJitLinkGetErrorLog(handle, log)
        if name in (b"lto", b"cubin"):
            print(log.value.decode())
        jit.nvJitLinkDestroy(c.byref(handle))


globals()[sys.argv[2]]()
