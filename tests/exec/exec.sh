# Whole programs under exec: what each behaviour of CUDA gives (programs.c, built with a C compiler and pinned PTX),
# what exec says and returns, and with nvcc the ways in which it builds programs.
here=$(cd "$(dirname "$0")" && pwd)
lib=$(dirname "$WARPSTEP")/lib/warpstep
[ -e "$lib/libcudart.so.13" ] || { echo "SKIP exec: no libraries in this build"; exit 77; }
command -v "${CC%% *}" >/dev/null 2>&1 || CC=gcc
cd "$TMPDIR" || exit 1
passed=0 failed=0 skipped=0
ok() { if [ "$1" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $2"; fi; }
${CC:-cc} -std=gnu11 -O1 -o programs "$here/programs.c" -L"$lib" -l:libcudart.so.13 \
    -Wl,-rpath,/nonexistent -Wl,--allow-shlib-undefined -pthread 2>log ||
    { echo "SKIP exec: no host compiler: $(head -1 log)"; exit 77; }
run() { # OPTION... -- NAME [STATUS]
    options=
    while [ "$1" != -- ]; do options="$options $1"; shift; done
    shift
    # shellcheck disable=SC2086
    "$WARPSTEP" exec --limit 60 --report report $options ./programs "$here/kernels.ptx" "$@" >out 2>err
    status=$?
}
# want NAME STATUS, and the lines on stdin
want() {
    name=$1 code=$2
    cat >lines && mv lines wanted
    run -- "$name"
    [ "$status" = "$code" ] && cmp -s out wanted
    ok $? "$name: status $status: $(diff wanted out | head -5 | tr '\n' '|') $(head -2 err | tr '\n' ' ')"
}

want vector_add 0 <<'END'
0 wrong
freed cudaSuccess
freed twice cudaErrorInvalidValue
last cudaErrorInvalidValue
last again cudaSuccess
END
grep -q '^  add ' report && grep -q 'host to card *2 *' report; ok $? "the report names the kernel and the copies"
want symbols 0 <<'END'
13 16 19 22, table 1 2 3 4
too many bytes cudaErrorInvalidValue
no symbol cudaErrorInvalidSymbol
END
want lz4 0 <wanted # packed as compilers before 13 do
run -- lz4_damaged; [ "$status" = 125 ] && grep -q 'refused: ' report; ok $? "a damaged fat binary: $status $(cat out)"
want managed 0 <<'END'
begins with 7
then 228
16 of 16
END
want flag 0 <<'END'
launched cudaSuccess
over cudaSuccess
42
END
want errors 0 <<'END'
too many threads cudaErrorInvalidValue
no blocks cudaErrorInvalidValue
peek cudaErrorInvalidValue
last cudaErrorInvalidValue
last again cudaSuccess
too much shared cudaErrorInvalidValue
asked for cudaSuccess
now cudaSuccess
no kernel cudaErrorInvalidDeviceFunction
host pointer cudaErrorInvalidValue
null cudaErrorInvalidValue
past the end cudaErrorInvalidValue
free of the host's cudaErrorInvalidValue
destroyed stream cudaErrorInvalidResourceHandle
no device cudaErrorInvalidDevice
over cudaSuccess
an illegal memory access was encountered
END
want illegal 1 <<'END'
launched cudaSuccess
synchronised cudaErrorIllegalAddress
last cudaErrorIllegalAddress
malloc cudaErrorIllegalAddress
launch cudaErrorIllegalAddress
END
grep -q 'out-of-bounds: far_away, kernels.cu:19, block (0,0,0), thread (0,0,0)' report
ok $? "the report has the fault's line: $(grep far report)"
want unaligned 1 <<'END'
launched cudaSuccess
synchronised cudaErrorMisalignedAddress
last cudaErrorMisalignedAddress
malloc cudaErrorMisalignedAddress
launch cudaErrorMisalignedAddress
END
want prints 0 <<'END'
before
thread 0 says 5
thread 1 says 5
after
END
want asserting 1 <<'END'
assert cudaErrorAssert
END
grep -q 'kernels.cu:22: asserts: block: \[0,0,0\], thread: \[0,0,0\] Assertion `n == 3` failed.' err
ok $? "assert says where: $(head -1 err)"
want streams 0 <<'END'
query not ready
a copy takes 80 to 95 us: 1, two twice that: 1, 1 call
END
want graphs 0 <<'END'
begin cudaSuccess
a wait is not captured cudaErrorStreamCaptureUnsupported
end cudaSuccess
instantiate cudaSuccess
launch cudaSuccess
launch cudaSuccess
7 14 21 28
END
want textures 0 <<'END'
array cudaSuccess
copy cudaSuccess
object cudaSuccess
1 2 3 4 5 6
END
want pitched 0 <<'END'
to cudaSuccess
back cudaSuccess
width cudaErrorInvalidPitchValue
same, pitch 1
END
want threads 0 <<'END'
0
END
want clocks 0 <<'END'
kernel 1, the host's clock agrees: 1
slept 1
END
run --cards 2 -- cards
printf 'between cards cudaSuccess\n2 cards, addresses differ, 0 7\n' | cmp -s - out; ok $? "two cards: $(cat out)"

# ---- how programs end ----
run -- vector_add 3; [ $status = 3 ]; ok $? "the program's own status: $status"
run -- crashes; [ $status = 139 ] && grep -q '^  add ' report; ok $? "a crash: $status"
run -- killed; [ $status = 137 ] && grep -q '^  add ' report; ok $? "kill -9: $status"
run -- device_pointer; [ $status = 139 ]; ok $? "the host follows a pointer of the card: $status"
run -- exit_in_callback; [ $status = 5 ]; ok $? "exit within a callback: $status"
run -- forks; [ $status = 0 ] && grep -q 'child cudaErrorInitializationError' out && grep -q parent out
ok $? "a child of fork: $status $(tail -2 out | tr '\n' ' ')"
run --limit 1 -- never_ends; [ $status = 124 ] && grep -q limit err; ok $? "the limit: $status"
run --check race -- races; [ $status = 1 ] && grep -q 'over cudaSuccess' out &&
    grep -q 'race: racy, kernels.cu:49' report
ok $? "a race: $status $(cat report)"
run -- races; [ $status = 0 ]; ok $? "a race that nobody watches for: $status"
"$WARPSTEP" exec ./nothing >out 2>err; [ $? = 127 ] && grep -q 'nothing cannot be run: No such file' err
ok $? "127: $(cat err)"
"$WARPSTEP" exec "$here" >out 2>err; [ $? = 126 ]; ok $? "126"
"$WARPSTEP" exec --device gpu ./programs >out 2>err; [ $? = 2 ] && grep -q 'nsys' err
ok $? "a GPU is refused: $(cat err)"
"$WARPSTEP" exec --colour ./programs >out 2>err; [ $? = 2 ] && grep -q 'no option --colour' err; ok $? "no such option"
"$WARPSTEP" exec sh -c 'cat; exit 7' --json </dev/null >out 2>err; [ $? = 7 ] && grep -q 'used no CUDA' err
ok $? "what follows the program is its own"
echo hello | "$WARPSTEP" exec sh -c 'read a; echo "$a"' 2>/dev/null | grep -q '^hello$'; ok $? "stdin is the program's"
"$WARPSTEP" exec --json sh -c "./programs $here/kernels.ptx vector_add; ./programs $here/kernels.ptx symbols" >out 2>err
grep -q '"event":"program".*"processes":2.*"kernel":"\(add\|scale\)".*"exit":0}' err
ok $? "children are merged: $(cat err)"
# --time repeatable: the same each time
run --time repeatable --json -- streams; cp report first
run --time repeatable --json -- streams; sed 's/"process":[0-9]*/P/g' first >a; sed 's/"process":[0-9]*/P/g' report >b; cmp -s a b
ok $? "repeatable: $(diff a b | head -4)"
# a program that writes into the record
cat >forge.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <unistd.h>
int main(void)
{
    char path[200];
    const char *at = getenv("WARPSTEP_EXEC");
    sscanf(strstr(at, "records=") + 8, "%199s", path);
    int fd = open(path, O_WRONLY | O_APPEND);
    static const char junk[] = "kernel\t1\t2\nkernel\t-1\t0\tx\t1\tnan\t1\t1\t1\t1\t1\t1\t1\t1\t1\tz\n\033]0;title\007\nfault\t1\n\tx\n";
    return write(fd, junk, sizeof junk - 1) < 0;
}
END
${CC:-cc} -o forge forge.c && "$WARPSTEP" exec ./forge >out 2>err; grep -q 'used no CUDA' err && ! grep -q title err
ok $? "junk in the record: $(cat err)"

run -- repeats; [ "$status" = 0 ] && tr -s ' \n' ' ' <report | grep -q ' 2 of 50 launches were simulated with the clock. The others'
ok $? "the report says that not all launches were timed: $(cat report)"
run --time repeatable -- repeats; tr -s ' \n' ' ' <report | grep -q ' scale 50 '; ok $? "and counts all: $(cat report)"
# The time of a launch whose work is another is foretold: within 1 % in all of what timing every one of them gives.
# While checks are on each is timed.
run --time repeatable -- shrinks; few=$(cat out) timed=$(sed -n 's/^ *\([0-9]*\) of 200 launches were simu.*/\1/p' report)
run --time repeatable --check init -- shrinks; every=$(cat out)
[ "${timed:-200}" -lt 20 ] && [ $((100 * few)) -gt $((99 * every)) ] && [ $((100 * few)) -lt $((101 * every)) ]
ok $? "launches that do less and less: ${timed:-all} timed, $few and $every us"
want bandwidth 0 <<'END'
4800 GB/s
END
"$WARPSTEP" exec --check race, ./programs >out 2>err; [ $? = 2 ] && grep -q 'the checks are memory' err
ok $? "a check without a name: $(cat err)"
# ---- with nvcc ----
if command -v nvcc >/dev/null 2>&1; then
    cat >hello.cu <<'END'
#include <cstdio>
__device__ int twice(int);
__global__ void hello(int *out) { *out = twice(21); printf("in the kernel\n"); }
#ifdef APART
#else
__device__ int twice(int x) { return 2 * x; }
#endif
int main() { int *p, h; cudaMalloc(&p, 4); hello<<<1, 1>>>(p); cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
    cudaDeviceProp d; cudaGetDeviceProperties(&d, 0);
    printf("%d %s %d.%d %d\n", h, d.name, d.major, d.minor, d.multiProcessorCount); return h != 42; }
END
    echo '__device__ int twice(int x) { return 2 * x; }' >twice.cu
    printf 'in the kernel\n42 NVIDIA H200 9.0 132\n' >wanted
    "$WARPSTEP" exec --report report hello.cu >out 2>err; cmp -s out wanted; ok $? "a .cu file: $(cat out err)"
    for flags in "" "-cudart shared" "-arch=sm_90" "-rdc=true -DAPART twice.cu" "--compress-mode none"; do
        # shellcheck disable=SC2086
        nvcc -w -o hello $flags hello.cu >log 2>&1 || { ok 1 "nvcc $flags: $(head -3 log)"; continue; }
        "$WARPSTEP" exec --report report ./hello >out 2>err; cmp -s out wanted; ok $? "nvcc $flags: $(cat out err)"
    done
    nvcc -w -o hello -gencode arch=compute_90,code=sm_90 hello.cu && "$WARPSTEP" exec --report report ./hello >out 2>err
    grep -q 'machine code only' report; ok $? "machine code only"
else
    echo "SKIP programs that nvcc builds: no nvcc"
    skipped=1
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
