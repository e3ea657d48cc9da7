# cuBLAS of ours under exec (blas.c): results, errors, and how it shows in the report; with nvcc, a program linked
# with -lcublas; and what exec says of NVIDIA's libraries that are not simulated.
. tests/cases.sh
here=$(cd "$(dirname "$0")" && pwd)
lib=$(dirname "$WARPSTEP")/lib/warpstep
[ -e "$lib/libcublas.so.13" ] || skip_all "blas: no libraries in this build"
command -v "${CC%% *}" >/dev/null 2>&1 || CC=cc
cd "$TMPDIR" || exit 1
${CC:-cc} -std=gnu11 -O2 -w -o blas "$here/blas.c" -L"$lib" -l:libcublas.so.13 -l:libcudart.so.13 \
    -Wl,-rpath,/nonexistent -Wl,--allow-shlib-undefined -lm 2>log ||
    skip_all "blas: no host compiler: $(head -1 log)"
want() { # NAME STATUS OPTION..., and the lines on stdin
    name=$1 code=$2
    shift 2
    cat >wanted
    "$WARPSTEP" exec --limit 900 --report report "$@" ./blas "$name" >out 2>err
    status=$?
    [ $status = "$code" ] && cmp -s out wanted
    ok $? "$name: status $status: $(diff wanted out | head -12 | tr '\n' '|') $(head -2 err | tr '\n' ' ')"
}
want all 0 --time none <<'END'
344 cases, 0 wrong
5e+30 5e-200, 2 3
matrix: CUBLAS_STATUS_SUCCESS
back: CUBLAS_STATUS_SUCCESS
0 1 -1 4 5 -1 8 9
vector: CUBLAS_STATUS_SUCCESS
back: CUBLAS_STATUS_SUCCESS
0 2 4 1
END
for kernel in sgemm_128x128 sgemm_64x64 sgemm_32x32 dgemm_64x64 dgemm_32x32 sgemv_n dgemv_t sdot idamin; do
    tr -d ' \n' <report | grep -q cublas_$kernel; ok $? "$kernel is in the report"
done
want errors 0 <<'END'
no handle: CUBLAS_STATUS_NOT_INITIALIZED
not a handle: CUBLAS_STATUS_NOT_INITIALIZED
lda: CUBLAS_STATUS_INVALID_VALUE
lda transposed: CUBLAS_STATUS_SUCCESS
ldc: CUBLAS_STATUS_INVALID_VALUE
m: CUBLAS_STATUS_INVALID_VALUE
operation: CUBLAS_STATUS_INVALID_VALUE
no alpha: CUBLAS_STATUS_INVALID_VALUE
nothing to do: CUBLAS_STATUS_SUCCESS
incx: CUBLAS_STATUS_INVALID_VALUE
element size: CUBLAS_STATUS_INVALID_VALUE
the host's instead of the card's: CUBLAS_STATUS_MAPPING_ERROR
mode: CUBLAS_STATUS_INVALID_VALUE
of floats: CUBLAS_STATUS_SUCCESS
turned in place: CUBLAS_STATUS_INVALID_VALUE
create: CUBLAS_STATUS_SUCCESS
stream: CUBLAS_STATUS_SUCCESS
its stream 1, mode 0
destroy: CUBLAS_STATUS_SUCCESS
destroyed: CUBLAS_STATUS_NOT_INITIALIZED
an unsupported value or parameter was passed to the function
END
want missing 0 <<'END'
not there: CUBLAS_STATUS_NOT_SUPPORTED
of halves: CUBLAS_STATUS_NOT_SUPPORTED
END
tr -s ' \n' ' ' <report | grep -q 'the program called cublasGemmEx of other types than float and double, which'
ok $? "the report names a form that is not there: $(cat report)"
tr -s ' \n' ' ' <report | grep -q 'the program called cublasSsyrk_v2, which is not there yet'
ok $? "the report names a function that is not there: $(cat report)"
want first 0 <<'END'
before: CUBLAS_STATUS_NOT_INITIALIZED
no error any more: CUBLAS_STATUS_SUCCESS
init: CUBLAS_STATUS_SUCCESS
alloc: CUBLAS_STATUS_SUCCESS
10 14 14 20
160 5 4
60 80
no such form: CUBLAS_STATUS_INVALID_VALUE
free: CUBLAS_STATUS_SUCCESS
shutdown: CUBLAS_STATUS_SUCCESS
END
# The simulator's threads sleep while they wait for each other: no time of the program's.
for i in 1 2; do
    echo 1 >lines
    want timed 0 --time repeatable --exact <lines
    grep -q 'cublas_dgemm' report; ok $? "the report has the product: $(cat report)"
    sed 's/([^)]*)//' report >report$i
done
cmp -s report1 report2; ok $? "repeatable: $(diff report1 report2 | head -4)"
echo 'over 0' >lines
want small 1 <lines
grep -q 'out-of-bounds: cublas_saxpy' report; ok $? "a buffer that is too small: $(cat report)"
echo "344 cases, 0 wrong" >wanted # an old card, where only small tiles fit
"$WARPSTEP" exec --device sim:8800gt --time none --report report ./blas all >out 2>err
head -1 out | cmp -s - wanted; ok $? "sim:8800gt: $(cat out err report | head -5)"

# NVIDIA's other libraries: one that is not installed, and one (ours, under its name) that is
echo 'int cufftPlan1d(int *p, int n, int t, int b) { (void)p, (void)n, (void)t, (void)b; return 5; }' >fft.c
echo 'int cufftPlan1d(int *, int, int, int), cudaFree(void *); int main(void) { cudaFree(0); return cufftPlan1d(0, 1, 1, 1); }' >uses.c
if ${CC:-cc} -shared -fPIC -Wl,-soname,libcufft.so.99 -o libcufft.so.99 fft.c 2>log &&
    ${CC:-cc} -o uses uses.c ./libcufft.so.99 -L"$lib" -l:libcudart.so.13 -Wl,-rpath,"$PWD" -Wl,--allow-shlib-undefined 2>>log; then
    "$WARPSTEP" exec --report report ./uses >out 2>err; status=$?
    [ $status = 5 ] && tr -s ' \n' ' ' <report | grep -q 'note: cuFFT (libcufft.so.99) is machine code and is not simulated'
    ok $? "a library that is not simulated: $status $(cat report)"
    rm libcufft.so.99
    "$WARPSTEP" exec --report report ./uses >out 2>err; status=$?
    [ $status = 127 ] && grep -q 'uses is linked with cuFFT (libcufft.so.99), which is not simulated' err
    ok $? "a library that is not there: $status $(cat err)"
else
    ok 1 "linking with a library: $(cat log)"
fi
cat >program.cu <<'END'
#include <cstdio>
#include <cuda_runtime.h>
#include <cublas_v2.h>
int main()
{
    float a[4] = {1, 2, 3, 4}, c[4], one = 1, none = 0, *d;
    cublasHandle_t h;
    int v;
    cudaMalloc((void **)&d, 32);
    cublasCreate(&h);
    cublasGetVersion(h, &v);
    cublasSetMatrix(2, 2, 4, a, 2, d, 2);
    cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, d, 2, d, 2, &none, d + 4, 2);
    cublasGetMatrix(2, 2, 4, d + 4, 2, c, 2);
    printf("%g %g %g %g %d\n", c[0], c[1], c[2], c[3], v > 0);
}
END
echo '7 10 15 22 1' >wanted # (1 3; 2 4) squared
if ! command -v nvcc >/dev/null 2>&1; then
    skip "nvcc -lcublas: no nvcc"
elif ! nvcc -w -o program program.cu -lcublas 2>log; then
    skip "nvcc -lcublas: $(head -1 log)"
else
    "$WARPSTEP" exec --report report ./program >out 2>err; cmp -s out wanted; ok $? "nvcc -lcublas: $(cat out err report)"
fi
for compiler in nvcc clang; do
    WARPSTEP_COMPILER=$compiler "$WARPSTEP" exec --report report -lcublas program.cu >out 2>err
    if grep -q 'not found' err || ! command -v $compiler >/dev/null; then skip "exec -lcublas by $compiler: $(head -1 err)"
    else cmp -s out wanted; ok $? "exec -lcublas by $compiler: $(cat out err)"; fi
done
finish
