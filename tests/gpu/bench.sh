# bench-gpu without a GPU: the sentence and the status that say so; and all of a row but its numbers, with the driver
# replaced (fake.sh). A kernel does nothing there, and cuBLAS does not start.
. tests/cases.sh
bench=$BUILD/tests/bench/gpu/bench fake=$PWD/$BUILD/tests/gpu/libfake.so
[ -x "$bench" ] && [ -f "$fake" ] || skip_all "no $bench or $fake: make test builds them"
case $BUILD in *san*) skip_all "a library loaded at run time is not built with the sanitizer" ;; esac

# A real cuBLAS would take the stand-in for a driver and crash in it: this one comes first, and does not start.
echo 'int cublasCreate_v2(void **h) { return !h + 1; } int cublasSetStream_v2(void) { return 1; } int cublasGemmEx(void) { return 1; }' \
    >"$TMPDIR/cublas.c"
command -v "${CC%% *}" >/dev/null 2>&1 || CC=cc
$CC -shared -fPIC -o "$TMPDIR/libcublas.so.13" "$TMPDIR/cublas.c" 2>/dev/null || skip_all "bench-gpu: no C compiler"
LD_LIBRARY_PATH=$TMPDIR${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

# one DRIVER ROWS STATUS PATTERN...
one() {
    driver=$1 rows=$2 status=$3
    shift 3
    WARPSTEP_CUDA_DRIVER=$driver "$bench" "$TMPDIR/kept" "$rows" >"$TMPDIR/out" 2>&1 </dev/null
    got=$?
    wrong=
    [ $got = "$status" ] || wrong="status $got, wanted $status"
    for pattern; do grep -q -e "$pattern" "$TMPDIR/out" || wrong="$wrong; no \"$pattern\""; done
    if [ "$wrong" ]; then
        fail "bench-gpu $rows: $wrong"
        sed 's/^/    /' "$TMPDIR/out"
    else
        pass
    fi
}
one "$TMPDIR/none.so" "" 77 "^bench-gpu: the GPU is absent: "
[ "$(wc -l <"$TMPDIR/out")" = 1 ]; ok $? "more than a sentence"
one "$fake" "fp32 product, 1000" 0 "^TFLOP/s .* ours .* cuBLAS " "^fp32 product, 1000 .*2.split .*[0-9] (.*\.\." \
    "not compared, and not verified: .*cu[bB][lL][aA][sS]"
one "$fake" "tf32 product, 4096" 0 "^tf32 product, 4096 .*2.tensor "
finish
