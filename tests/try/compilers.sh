# The choice of a compiler, its errors shown unchanged, includes, and host code in the file. Nothing
# is left behind, and without a compiler the message says so.
. "$(dirname "$0")/kernels/lib.sh"
good="--grid 4 --block 256 --arg i32:1000 --arg f32:2 --arg f32[1000]:iota --arg f32[1000]:ones"

WARPSTEP_COMPILER=none
export WARPSTEP_COMPILER
expect 2 'needs a compiler.*scripts/get-compiler.*runs without any compiler' saxpy.cu $good
expect 0 'ok' saxpy.ptx:saxpy $good
WARPSTEP_COMPILER=gcc
expect 2 'no compiler called "gcc".*nvrtc, nvcc, clang or none' saxpy.cu $good
# PTX starts no compiler: one that would fail makes no difference.
mkdir -p "$TMPDIR/bin"
for name in nvcc clang; do
    printf '#!/bin/sh\necho started >>"%s/started"\nexit 1\n' "$TMPDIR" >"$TMPDIR/bin/$name"
    chmod +x "$TMPDIR/bin/$name"
done
unset WARPSTEP_COMPILER
PATH=$TMPDIR/bin:$PATH expect 0 'ok' saxpy.ptx:saxpy $good
[ -e "$TMPDIR/started" ] && fail "a compiler was started for a .ptx"
# Compilers that hang, crash or print without end.
if [ -z "${SKIP_SLOW:-}" ]; then
    export WARPSTEP_COMPILER=nvcc
    printf '#!/bin/sh\nkill -SEGV $$\n' >"$TMPDIR/bin/nvcc"
    PATH=$TMPDIR/bin:$PATH expect 4 'nvcc.*signal 11' saxpy.cu $good
    printf '#!/bin/sh\nexit 0\n' >"$TMPDIR/bin/nvcc"
    PATH=$TMPDIR/bin:$PATH expect 4 'nvcc left no PTX' saxpy.cu $good
    printf '#!/bin/sh\necho "odd message \\033[31m"; exit 2\n' >"$TMPDIR/bin/nvcc"
    PATH=$TMPDIR/bin:$PATH expect 1 'odd message \\x1b.*does not compile' saxpy.cu $good
    unset WARPSTEP_COMPILER
fi

printf '__global__ void k(int *p)\n{\n    p[0] = undefined_name;\n}\n' >"$TMPDIR/broken.cu"
printf '#include "size.h"\n__global__ void k(int *p)\n{\n    p[threadIdx.x] = SIZE;\n}\n' >"$TMPDIR/includes.cu"
printf '#define SIZE 42\n' >"$TMPDIR/size.h"
cat >"$TMPDIR/host.cu" <<'END'
#include <vector>
#include <cstdio>
__global__ void k(int *p) { p[threadIdx.x] = 42; }
int main()
{
    std::vector<int> v(4);
    int *d;
    cudaMalloc(&d, 16);
    k<<<1, 4>>>(d);
    cudaMemcpy(v.data(), d, 16, cudaMemcpyDeviceToHost);
    std::printf("%d\n", v[0]);
}
END
cp saxpy.cu "$TMPDIR/with blank.cu"
any=
for compiler in nvrtc nvcc clang; do
    has $compiler || continue
    any=yes
    export WARPSTEP_COMPILER=$compiler
    expect 0 'ok.*0: 1 3 5' saxpy.cu $good --dump '1[0:3]'
    expect 0 'ok' "$TMPDIR/with blank.cu" $good
    expect 1 'undefined_name.*does not compile' "$TMPDIR/broken.cu" --grid 1 --block 1 --arg 'i32[1]'
    grep -q 'broken.cu.3.*error' "$TMPDIR/err" || wrong "$compiler: the place of the error is not shown"
    expect 0 '0: 42 42' "$TMPDIR/includes.cu" --grid 1 --block 2 --arg 'i32[2]' --dump 0
    # Names of files and folders, even of the temporary folder, are never shell code or options.
    odd="$TMPDIR/odd \$(touch f) \`touch f\` ;touch f;*[a]\"'é" name="k\$(touch x)\`touch x\`;touch x;\"é.cu"
    mkdir -p "$odd/t\$(touch z)" && cp "$TMPDIR/size.h" "$odd"
    printf '#include "size.h"\n__global__ void k(int *p)\n{\n    p[SIZE] = 1; // far out\n}\n' >"$odd/$name"
    printf '#include "size.h"\n__global__ void k(int *p)\n{\n    p[0] = missing_name;\n}\n' >"$odd/-I.cu"
    cp "$TMPDIR/includes.cu" "$odd/-o x.cu"
    here=$PWD
    cd "$odd" || exit 1
    expect 1 "out-of-bounds at k\$(touch x).*é.cu:4.*far out" "$name" --grid 1 --block 1 --arg 'i32[1]'
    (TMPDIR="$odd/t\$(touch z)" && export TMPDIR && "$WARPSTEP" --device sim:h200 try "./-o x.cu" --grid 1 --block 2 --arg 'i32[2]' \
        --dump 0) >"$TMPDIR/out" 2>"$TMPDIR/err"
    grep -q '0: 42 42' "$TMPDIR/out" || wrong "$compiler: a temporary folder with an odd name"
    expect 1 'I.cu.4.*missing_name.*does not compile' ./-I.cu --grid 1 --block 1 --arg 'i32[1]'
    ! grep -q 'beside\|warpstep-\|src/kernel' "$TMPDIR/err" || wrong "$compiler: a private name is shown"
    cd "$here" || exit 1
    expect 1 "out-of-bounds at .*odd .*é.cu:4.*far out" "$odd/$name" --grid 1 --block 1 --arg 'i32[1]'
    left=$(find "$TMPDIR" "$here" -name '[fxyz]' -o -name 'warpstep-*')
    [ -z "$left" ] || wrong "$compiler: a name was run: $left"
    [ $compiler = nvrtc ] || expect 0 '0: 42 42' "$TMPDIR/host.cu" --grid 1 --block 2 --arg 'i32[2]' --dump 0
    expect 0 'ok' saxpy.cu $good --arch 80
    left=$(ls -d "$TMPDIR"/warpstep-* 2>/dev/null)
    [ -z "$left" ] || wrong "$compiler: left behind: $left"
    unset WARPSTEP_COMPILER
done
# A file with host code gets a compiler that takes it, though NVRTC is tried first.
if [ "$any" ] && { command -v nvcc || command -v clang; } >/dev/null 2>&1; then
    expect 0 '0: 42 42' "$TMPDIR/host.cu" --grid 1 --block 2 --arg 'i32[2]' --dump 0
fi
finish
