# bench-gpu without a GPU: the sentence and the status that say so; and all of a row but its numbers, with the driver
# replaced (fake.sh). A kernel does nothing there, and cuBLAS does not start.
bench=$BUILD/tests/bench/gpu/bench fake=$PWD/$BUILD/tests/gpu/libfake.so
passed=0 failed=0
[ -x "$bench" ] && [ -f "$fake" ] || { echo "SKIP no $bench or $fake: make test builds them"; exit 77; }
case $BUILD in *san*) echo "SKIP a library loaded at run time is not built with the sanitizer"; exit 77 ;; esac

# A real cuBLAS would take the stand-in for a driver and crash in it: this one comes first, and does not start.
echo 'int cublasCreate_v2(void **h) { return !h + 1; } int cublasSetStream_v2(void) { return 1; } int cublasGemmEx(void) { return 1; }' \
    >"$TMPDIR/cublas.c"
command -v "${CC%% *}" >/dev/null 2>&1 || CC=cc
$CC -shared -fPIC -o "$TMPDIR/libcublas.so.13" "$TMPDIR/cublas.c" 2>/dev/null || { echo "SKIP bench-gpu: no C compiler"; exit 77; }
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
        failed=$((failed + 1))
        echo "FAIL bench-gpu $rows: $wrong"
        sed 's/^/    /' "$TMPDIR/out"
    else
        passed=$((passed + 1))
    fi
}
one "$TMPDIR/none.so" "" 77 "^bench-gpu: the GPU is absent: "
if [ "$(wc -l <"$TMPDIR/out")" = 1 ]; then passed=$((passed + 1))
else failed=$((failed + 1)); echo "FAIL more than a sentence"; fi
one "$fake" "fp32 product, 1000" 0 "^TFLOP/s .* ours .* cuBLAS " "^fp32 product, 1000 .*2.split .*[0-9] (.*\.\." \
    "not compared, and not verified: .*cu[bB][lL][aA][sS]"
one "$fake" "tf32 product, 4096" 0 "^tf32 product, 4096 .*2.tensor "
echo "$passed passed, $failed failed"
[ $failed = 0 ]
