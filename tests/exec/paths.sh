# The dynamic linker splits LD_PRELOAD and LD_LIBRARY_PATH at blanks and colons, and replaces $LIB in them. warpstep may
# still lie in a folder of such a name: programs, those of lessons, sealed ones. So may the programs, and TMPDIR.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
[ -e "$BUILD/lib/warpstep/libcudart.so.13" ] || skip_all "paths: no libraries in this build"
tree=$PWD log=$TMPDIR/log plain="$TMPDIR/a b:ü" # nvcc takes no $ in TMPDIR
odd="$plain/;\$LIB	c"
mkdir -p "$plain/tmp" "$odd/work"
INSTALL_DESTDIR='' INSTALL_PREFIX=$odd scripts/install "$WARPSTEP" >"$log" 2>&1; ok $? "install: $(cat "$log")"
lib=$odd/lib/warpstep copy=$odd/bin/warpstep
export TMPDIR="$plain/tmp"
cd "$odd/work" || exit 1

"$copy" goto 8.first >out 2>&1 && grep -q 'the program says that it is right' out; ok $? "goto 8.first: $(head -3 out)"
"$copy" exec --report report 8.first >out 2>&1 && [ "$(cat out)" = '0 of 262144 wrong' ]; ok $? "exec 8.first: $(head -3 out)"

# What a program printed on both outputs is all that is there: the dynamic linker said nothing.
cat >'my prog.c' <<'END'
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    int cards = 0;
    cudaGetDeviceCount(&cards);
    const char *before = getenv("LD_LIBRARY_PATH");
    printf("%d, %s\n", cards, before ? before : "");
    return 0;
}
END
if ${CC:-cc} -I"$tree/sim/cuda/include/plain" -w -o 'my prog' 'my prog.c' "$lib/libcudart.so.13" \
    -Wl,--allow-shlib-undefined 2>"$log"; then
    LD_LIBRARY_PATH=/none "$copy" exec --report report './my prog' >out 2>&1
    ok $? "a program whose name holds a blank: $(head -3 out)"
    [ "$(sed 's/, .*:/, /' out)" = '1, /none' ]; ok $? "the linker is content: $(head -3 out)"
    "$copy" -c "exec --report report './my prog'" >out 2>&1 && grep -q '^1, ' out; ok $? "at the prompt: $(head -3 out)"
else
    skip "a program whose name holds a blank: $(head -n 1 "$log")"
fi

# A sealed one must see the libraries by that name, and nothing else: each way of hiding files.
PATH=$tree/tests/exercises/plain-nvcc:$PATH PLAIN_LIB=$lib WARPSTEP_COMPILER=nvcc
WARPSTEP_TOOLCHAIN=$WARPSTEP_TOOLCHAIN:$tree/scripts:$tree/sim # of the stand-in
export PATH PLAIN_LIB WARPSTEP_COMPILER WARPSTEP_TOOLCHAIN
"$copy" exercise 8.1 >/dev/null 2>&1
cp "$tree/lessons/08-programs/exercises/1-whole/solution.cu" "$HOME/.local/share/warpstep/exercises/8.1-whole.cu"
for seal in '' mounts none; do
    WARPSTEP_SEAL=$seal "$copy" check 8.1 >out 2>&1 && grep -q '^  PASS' out; ok $? "check 8.1, seal \"$seal\": $(head -5 out)"
done

# ---- sources whose names hold blanks ----
cp "$tree/kernels/01-sum-of-squares/v3.ptx" 'my own.ptx'
"$copy" try 'my own.ptx' --grid 1 --block 32 --arg 'i32[64]:ones' --arg i32:64 --arg 'i32[32]:zero' --arg 'i64[32]:zero' >out 2>&1
grep -q '^sum_squares' out; ok $? "try: $(head -3 out)"
printf '#include <cstdio>\n#include "own head.h"\n__global__ void k(int *p) { *p = OWN; }\nint main()\n{
    int *d, h = 0;\n    cudaMalloc(&d, 4);\n    k<<<1, 1>>>(d);\n    cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
    printf("%%d\\n", h);\n}\n' >'my prog.cu'
echo '#define OWN 42' >'own head.h'
PATH=${PATH#*:}
mkdir "$plain/c, d" && cp 'my prog.cu' 'own head.h' "$plain/c, d"
for c in nvcc clang; do
    if ! WARPSTEP_COMPILER=$c "$copy" doctor 2>/dev/null | grep -q "^ *$c .*[0-9]"; then
        skip "a source whose name holds a blank, by $c: not found"
        continue
    fi
    for file in 'my prog.cu' 'my prog.cu' "$plain/c, d/my prog.cu"; do # compiled; kept; the comma is no list's
        WARPSTEP_COMPILER=$c "$copy" exec --report report "$file" >out 2>&1 && [ "$(cat out)" = 42 ]
        ok $? "exec $file by $c: $(head -3 out)"
    done
done
[ -z "$(ls -A "$TMPDIR")" ]; ok $? "left in TMPDIR: $(ls -A "$TMPDIR")"
[ -z "$(find /tmp -maxdepth 2 -type l -name lib -lname "$lib" 2>/dev/null)" ]; ok $? "a link to the libraries is left in /tmp"
finish
