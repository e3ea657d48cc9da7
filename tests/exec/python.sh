# Programs in Python under exec: the driver's interface by ctypes, numba-cuda and tinygrad where they are installed.
# PYTHON: the interpreter that has them.
. tests/cases.sh
here=$(cd "$(dirname "$0")" && pwd)
lib=$(dirname "$WARPSTEP")/lib/warpstep
python=${PYTHON:-python3}
[ -e "$lib/libcudart.so.13" ] || skip_all "python: no libraries in this build"
"$python" -c 'import ctypes, threading' 2>/dev/null || skip_all "python: no python3"
cd "$TMPDIR" || exit 1
run() { # STATUS FILE ARGUMENT...: what it prints must be in `wanted`
    code=$1
    shift
    "$WARPSTEP" exec --limit 900 --report report "$python" "$@" >out 2>err
    status=$?
    [ $status = "$code" ] && cmp -s out wanted
    ok $? "$*: status $status: $(diff wanted out | head -5 | tr '\n' '|') $(tail -2 err | tr '\n' ' ')"
}
driver() { run "$1" "$here/driver.py" "$here/kernels.ptx" "$2"; }

echo "0 wrong" >wanted; driver 0 plain
grep -q '^  add *1 ' report; ok $? "the report of a Python program: $(cat report)"
echo "8 threads, 0 wrong" >wanted; driver 0 threads
grep -q '^  add *40 ' report; ok $? "all threads are in the report: $(cat report)"
{
    echo "cuLink 42.0"
    for version in 12 13; do
        printf 'no architecture 2\ncreate 0\nadd 0\nadd 0\ncomplete 0 0\ncubin 0\nnvJitLink 42.0\ndestroy 0 None\n'
    done
} >wanted
driver 0 links
printf '0 wrong\n0 wrong\n0 wrong\n' >wanted; driver 0 grid
cat >wanted <<'END'
entry 3 4
wrapper 3 4
lto 3 4
lto: it is neither PTX nor something that holds PTX (link-time optimization is not there)
elf 3 4
cubin 3 4
cubin: it is machine code, which cannot be simulated: link PTX
far 3 4
library 3 4
fat 3 4
text 3 4
END
driver 125 junk

if ! "$python" -c 'from numba import cuda; import numpy, numba_cuda' 2>/dev/null; then
    skip "numba-cuda: not installed"
elif "$python" -c 'from numba import cuda, int32
cuda.compile_ptx(lambda x: None, (int32[:],), cc=(7, 5))' 2>&1 >log | grep numpy >log; then # numba before numpy 2, say
    skip "numba-cuda: numba does not go with this numpy: $(tail -n 1 log)"
else
    cat >wanted <<'END'
add True
sum 499500.0
sqrt True
grid sync True
4 threads True
END
    run 0 "$here/with_numba.py"
    grep -q '^  add ' report && grep -q '^  total ' report; ok $? "kernels of numba are in the report: $(cat report)"
fi
if "$python" -c 'import tinygrad' 2>/dev/null; then
    echo "CUDA right" >wanted
    export DEV=CUDA:PTX CACHELEVEL=0
    run 0 "$here/with_tinygrad.py"
    grep -q '^  r_' report; ok $? "kernels of tinygrad are in the report: $(cat report)"
else
    skip "tinygrad: not installed"
fi
if "$python" -c 'import numpy, pycuda' 2>/dev/null; then
    echo True >wanted; run 0 "$here/with_pycuda.py" "$here/kernels.ptx"
else
    skip "pycuda: not installed"
fi
# A shared object that nvcc built holds NVIDIA's runtime, and has told it of its kernels when it is loaded.
if command -v nvcc >/dev/null 2>&1; then
    cat >twice.cu <<'END'
__device__ int factor(int);
__managed__ int calls = 40;
__global__ void twice(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= factor(n); if (!i) calls++; }
#ifndef APART
__device__ int factor(int) { return 2; }
#endif
extern "C" int run(float *h, int n)
{
    float *d;
    if (cudaMalloc(&d, 4 * n)) return -1;
    cudaMemcpy(d, h, 4 * n, cudaMemcpyHostToDevice);
    twice<<<(n + 255) / 256, 256>>>(d, n);
    cudaMemcpy(h, d, 4 * n, cudaMemcpyDeviceToHost);
    return cudaFree(d) ? -2 : calls;
}
END
    echo '__device__ int factor(int) { return 2; }' >factor.cu
    cat >twice.py <<'END'
import ctypes as c, _ctypes
for _ in range(2): # it is unloaded, and loaded again
    l = c.CDLL("./libtwice.so")
    h = (c.c_float * 1000)(*range(1000))
    print(l.run(h, 1000), all(h[i] == 2 * i for i in range(1000)), l.run(h, 1000), h[999])
    _ctypes.dlclose(l._handle)
END
    printf '41 True 42 3996.0\n41 True 42 3996.0\n' >wanted
    for flags in "" "-cudart shared" "-rdc=true -DAPART factor.cu"; do
        # shellcheck disable=SC2086
        nvcc -w -shared -Xcompiler -fPIC -o libtwice.so $flags twice.cu >log 2>&1 || ok 1 "nvcc -shared $flags: $(head -3 log)"
        run 0 twice.py
    done
    nvcc -w -shared -Xcompiler -fPIC -o libtwice.so twice.cu
    if command -v strip >/dev/null 2>&1 && strip libtwice.so; then
        "$WARPSTEP" exec --report report "$python" twice.py >out 2>err
        [ $? = 125 ] && tr -s ' \n' ' ' <report | grep -q 'refused: libtwice.so holds .* stripped, .*: rebuild it without'
        ok $? "a stripped shared object: $(cat out report)"
    fi
else
    skip "nvcc -shared: no nvcc"
fi
finish
