# Whole programs under exec: what each behaviour of CUDA gives (programs.c, built with a C compiler and pinned PTX),
# what exec says and returns, and with nvcc the ways in which it builds programs.
. tests/cases.sh
here=$(cd "$(dirname "$0")" && pwd)
lib=$(dirname "$WARPSTEP")/lib/warpstep
[ -e "$lib/libcudart.so.13" ] || skip_all "exec: no libraries in this build"
command -v "${CC%% *}" >/dev/null 2>&1 || CC=cc
cd "$TMPDIR" || exit 1
for name in programs waits ipc; do
    ${CC:-cc} -std=gnu11 -O1 -o $name "$here/$name.c" -L"$lib" -l:libcudart.so.13 \
        -Wl,-rpath,/nonexistent -Wl,--allow-shlib-undefined -pthread 2>log ||
        skip_all "exec: no host compiler: $(head -1 log)"
done
${CC:-cc} -std=gnu11 -O1 -o driver "$here/driver.c" -ldl 2>log; ok $? "driver.c: $(head -3 log)"
program=programs ptx=$here/kernels.ptx
run() { # OPTION... -- NAME [STATUS]
    options=
    while [ "$1" != -- ]; do options="$options $1"; shift; done
    shift
    # shellcheck disable=SC2086
    "$WARPSTEP" exec --limit 900 --report report $options ./$program "$ptx" "$@" >out 2>err
    status=$?
}
# want NAME STATUS [OPTION...], and the lines on stdin
want() {
    name=$1 code=$2
    shift 2
    cat >lines && mv lines wanted
    run "$@" -- "$name"
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
no kernel cudaErrorInvalidResourceHandle
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
run -- prints_much; lines=$(grep -c says out)
[ "$status" = 0 ] && [ "$lines" -gt 0 ] && [ "$lines" -lt 4096 ] && grep -q 'note: says printed more' report
ok $? "output of kernels that the card's buffer does not hold: $status, $lines lines"
want asserting 1 <<'END'
assert cudaErrorAssert
END
grep -q 'kernels.cu:22: asserts: block: \[0,0,0\], thread: \[0,0,0\] Assertion `n == 3` failed.' err
ok $? "assert says where: $(head -1 err)"
want streams 0 --time repeatable <<'END'
query not ready
a copy takes 80 to 95 us: 1, two twice that: 1, 1 call
END
want graphs 0 <<'END'
begin cudaSuccess
end cudaSuccess
instantiate cudaSuccess
launch cudaSuccess
launch cudaSuccess
7 14 21 28
END
want broken_capture 0 <<'END'
begin cudaSuccess
a wait is not captured cudaErrorStreamCaptureUnsupported
end cudaErrorStreamCaptureInvalidated
begin cudaSuccess
end cudaSuccess
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
want clocks 0 --time repeatable <<'END'
kernel 1, the host's clock agrees: 1
slept 1
END
run --cards 2 -- cards
printf 'between cards cudaSuccess\n2 cards, addresses differ, 0 7\n' | cmp -s - out; ok $? "two cards: $(cat out)"

run --cards 2 -- peers
printf 'peer cudaSuccess\nover cudaSuccess\n15 14 13 12\nfreed cudaSuccess\n' | cmp -s - out; ok $? "a peer's memory, allocated later: $(cat out)"

# Each word goes from card to card: after 40 rounds card 0 has its own again, 0x01010101.
run --cards 2 -- peers_again
[ "$(cat out)" = '10 of 10' ]; ok $? "a launch that writes to a peer, again and again: $(cat out)"
run --cards 2 -- rows
printf 'over cudaSuccess\nover cudaSuccess\n1010101 2020202\n' | cmp -s - out
ok $? "cards that wait for each other: $status $(cat out)"

(ulimit -v 8000000 && run -- hungry)
grep -q '^much cudaErrorMemoryAllocation' out && grep -q 'failed for want of this computer' report
ok $? "memory that the card has, and the computer has not: $(cat out)"

# ---- two processes ----
"$WARPSTEP" exec --limit 900 --report report ./ipc "$here/kernels.ptx" >out 2>err
status=$?
cat >wanted <<'END'
managed cudaErrorInvalidValue
plain event cudaErrorInvalidResourceHandle
memory cudaSuccess
event cudaSuccess
its own cudaErrorDeviceUninitialized
records cudaSuccess
child: no handle cudaErrorInvalidValue
child: wrong flags cudaErrorInvalidValue
child: opens cudaSuccess
child: opens again cudaSuccess
child: the same 1
child: event cudaSuccess
child: waits cudaSuccess
child: over cudaSuccess
child: passed cudaSuccess
child: reads cudaSuccess
4 8 12 16
child: frees cudaErrorInvalidValue
child: closes cudaSuccess
child: reads cudaSuccess
4 8 12 16
child: closes cudaSuccess
child: closes cudaErrorInvalidValue
parent: reads cudaSuccess
4 8 12 16
parent: frees cudaSuccess
END
[ "$status" = 0 ] && cmp -s out wanted && [ "$(grep -c '^  add ' report)" = 2 ]
ok $? "memory and an event of two processes: status $status: $(diff wanted out | head -5 | tr '\n' '|') $(head -2 err)"

# ---- cuRAND's calls of the host ----
${CC:-cc} -std=gnu11 -O1 -DLIBRARY -shared -fPIC -Wl,-soname,libcurand.so.10 -o libcurand.so.10 "$here/curand.c" &&
    ${CC:-cc} -std=gnu11 -O1 -o curand "$here/curand.c" ./libcurand.so.10 -L"$lib" -l:libcudart.so.13 \
        -Wl,-rpath,"$PWD" -Wl,--allow-shlib-undefined 2>log
ok $? "curand.c: $(head -3 log)"
"$WARPSTEP" exec --limit 900 --report report ./curand >out 2>err
status=$?
printf '0 0 0: 12.5 12.625 12.75 12.875\n105 0: 209 211 12.75 12.875\n201 0\n0 0: 25\n' | cmp -s - out &&
    [ "$status" = 0 ] && grep -q "note: cuRAND's numbers" report
ok $? "cuRAND for the card by cuRAND for the host: status $status: $(tr '\n' '|' <out)"

# ---- how programs end ----
"$WARPSTEP" exec --report report sh -c 'kill -9 $$' >out 2>err
[ $? = 137 ] && tr '\n' ' ' <err | grep -q 'sh was killed (signal 9), perhaps for want of memory: .* MiB were free'
ok $? "what is said of a program that was killed: $(cat err)"
run -- vector_add 3; [ $status = 3 ]; ok $? "the program's own status: $status"
run -- crashes; [ $status = 139 ] && grep -q '^  add ' report; ok $? "a crash: $status"
run -- follows; [ $status = 139 ] && grep -q "pointer to the card's" report
ok $? "the host follows a pointer to the card's memory: $status $(cat report)"
run -- killed; [ $status = 137 ] && grep -q '^  add ' report; ok $? "kill -9: $status"
run -- device_pointer; [ $status = 139 ]; ok $? "the host follows a pointer of the card: $status"
run -- exit_in_callback; [ $status = 5 ]; ok $? "exit within a callback: $status"
want calls_in_callback 0 --limit 900 <<'END'
queries cudaSuccess
queries cudaErrorNotReady
allocates cudaErrorNotPermitted
frees cudaErrorNotPermitted
waits cudaErrorNotPermitted
over cudaSuccess
3
freed cudaSuccess
END
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
WARPSTEP_COMPILER=none "$WARPSTEP" exec some.cu >out 2>err; [ $? = 125 ] && grep -q 'scripts/get-compiler' err
ok $? "without a compiler: $(cat err)"
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
# A budget of 500,000 instructions is enough for about ten of its 201 launches: the others are known, and do not run.
"$WARPSTEP" exec --time repeatable --report report sh -c 'WARPSTEP_EXEC="$WARPSTEP_EXEC budget=500000" exec "$@"' \
    sh ./programs "$ptx" resets >out 2>err
[ "$(cat out)" = '200 of 200 the same, cudaSuccess; then 0 others, element 7 greater' ] &&
    tr -s ' \n' ' ' <report | grep -q ' long_one 201 '
ok $? "launches that set their data back: $(cat out report err)"
run --time repeatable -- returns
[ "$(cat out)" = '0 states wrong, element 5 greater, cudaSuccess' ] && tr -s ' \n' ' ' <report | grep -q ' long_one 60 '
ok $? "launches that lead back to where they began: $(cat out report err)"
# The time of a launch whose work is another is predicted: within 1 % in all of what timing every one of them gives.
# While checks are on each is timed.
run --time repeatable -- shrinks; few=$(cat out) timed=$(sed -n 's/^ *\([0-9]*\) of 200 launches were simu.*/\1/p' report)
run --time repeatable --check init -- shrinks; every=$(cat out)
[ "${timed:-200}" -lt 20 ] && [ $((100 * few)) -gt $((99 * every)) ] && [ $((100 * few)) -lt $((101 * every)) ]
ok $? "launches that do less and less: ${timed:-all} timed, $few and $every us"
# The same for grids that shrink (each predicts others), and for blocks that wait for each other, which do more
# instructions under the clock. The report says how far off it may be.
predicted() { # PROGRAM LAUNCHES PERCENT
    run --time repeatable -- "$1"; few=$(cat out) timed=$(sed -n "s/^ *\([0-9]*\) of $2 launches were simu.*/\1/p" report)
    tr -s ' \n' ' ' <report | grep -q 'time is known within [0-9.]* %'; told=$?
    run --time repeatable --check init -- "$1"; every=$(cat out)
    [ "$told" = 0 ] && [ $((3 * ${timed:-$2})) -lt "$2" ] && [ $((100 * few)) -gt $(((100 - $3) * every)) ] &&
        [ $((100 * few)) -lt $(((100 + $3) * every)) ]
    ok $? "$1: ${timed:-all} timed of $2, $few and $every us"
}
predicted grids 80 3
predicted chains 60 3
want bandwidth 0 <<'END'
4800 GB/s
END
"$WARPSTEP" exec --check race, ./programs >out 2>err; [ $? = 2 ] && grep -q 'the checks are memory' err
ok $? "a check without a name: $(cat err)"
# ---- kernels that meet the host, or each other, while they run ----
run --each --why --lines --time repeatable --timeline trace.json -- streams
tr -s ' \n' ' ' <report | grep -q 'launch begins time stream grid and block long_one ' &&
    tr -s ' \n' ' ' <report | grep -q 'long_one, line by line: line time waits instructions global bytes kernels.cu:31 ' &&
    tr -s ' \n' ' ' <report | grep -q 'long_one, its longest launch: A warp spends .* of its time on arithmetic latency'
ok $? "--each, --why and --lines: $(cat report)"
grep -q '"cat":"kernel","name":"long_one"' trace.json && [ "$(grep -c '"cat":"copy"' trace.json)" = 2 ] &&
    grep -q '"cat":"wait"' trace.json && [ "$(tail -1 trace.json)" = ']}' ]
ok $? "the timeline: $(head -3 trace.json)"
if command -v python3 >/dev/null 2>&1; then
    # in stream order: the copy, then the kernel, whose stream waited for it; the second copy is beside the kernel
    python3 - <<'END'
import json
e = {x["name"] if x["cat"] == "kernel" else x["ts"]: x for x in json.load(open("trace.json"))["traceEvents"] if x["ph"] == "X" and x["cat"] in ("kernel", "copy")}
copies = sorted(x["ts"] for x in e.values() if x["cat"] == "copy")
k = e["long_one"]
assert copies[0] + e[copies[0]]["dur"] <= k["ts"] + 0.01, e
assert copies[1] < k["ts"] + k["dur"], e
END
    ok $? "the timeline is in order"
fi
run --exact -- repeats; tr -s ' \n' ' ' <report | grep -q 'were simulated with the clock'; [ $? = 1 ]; ok $? "--exact: $(cat report)"
program=driver
want mapped 0 <<'END'
init CUDA_SUCCESS
module CUDA_SUCCESS
granularity CUDA_SUCCESS
2 MiB
reserve CUDA_SUCCESS
not a multiple CUDA_ERROR_INVALID_VALUE
there already CUDA_ERROR_INVALID_VALUE
access CUDA_SUCCESS
a fill across both CUDA_SUCCESS
not the third CUDA_ERROR_INVALID_VALUE
function CUDA_SUCCESS
launch CUDA_SUCCESS
back CUDA_SUCCESS
14 14 14 14
export CUDA_SUCCESS
import CUDA_SUCCESS
the same memory CUDA_SUCCESS
14 14
still mapped CUDA_ERROR_INVALID_VALUE
unmap CUDA_SUCCESS
gone CUDA_ERROR_INVALID_VALUE
release CUDA_SUCCESS
twice CUDA_ERROR_INVALID_VALUE
free CUDA_SUCCESS
END
want reference 0 <<'END'
init CUDA_SUCCESS
module CUDA_SUCCESS
load CUDA_SUCCESS
kernel CUDA_SUCCESS
reference CUDA_SUCCESS
no reference CUDA_ERROR_NOT_FOUND
format CUDA_SUCCESS
address CUDA_SUCCESS
launch CUDA_SUCCESS
1 2 3 4
address CUDA_SUCCESS
launch CUDA_SUCCESS
0 0.2 1
END
want old_launch 0 <<'END'
init CUDA_SUCCESS
module CUDA_SUCCESS
no shape CUDA_ERROR_INVALID_VALUE
shape CUDA_SUCCESS
argument CUDA_SUCCESS
argument CUDA_SUCCESS
argument CUDA_SUCCESS
far CUDA_ERROR_INVALID_VALUE
number CUDA_SUCCESS
size CUDA_SUCCESS
launch CUDA_SUCCESS
11 22 33 44
not there CUDA_ERROR_NOT_SUPPORTED
and not found
END
grep -q 'the program called cuStreamBatchMemOp_v2, which' report
ok $? "a function of the driver that is not there: $(cat report)"
ptx=$here/frames.ptx
want two_functions 0 --limit 900 <<'END'
init CUDA_SUCCESS
module CUDA_SUCCESS
over CUDA_SUCCESS
0 wrong
END
want callers 0 --limit 900 <<'END'
init CUDA_SUCCESS
module CUDA_SUCCESS
locals CUDA_SUCCESS
0 wrong
frames CUDA_SUCCESS
0 wrong
END
ptx=$here/kernels.ptx
want graphs 0 <<'END'
init CUDA_SUCCESS
module CUDA_SUCCESS
graph CUDA_SUCCESS
node CUDA_SUCCESS
node CUDA_SUCCESS
no function CUDA_ERROR_INVALID_HANDLE
copy CUDA_SUCCESS
nodes CUDA_SUCCESS
what it launches CUDA_SUCCESS
2 nodes, 32 threads, 4
instantiate CUDA_SUCCESS
stream CUDA_SUCCESS
launch CUDA_SUCCESS
over CUDA_SUCCESS
4 8 12 16
end CUDA_SUCCESS
begin CUDA_SUCCESS
captured CUDA_SUCCESS
instantiate CUDA_SUCCESS
launch CUDA_SUCCESS
over CUDA_SUCCESS
16 32 48 64
no graph CUDA_ERROR_INVALID_VALUE
end CUDA_SUCCESS
END
want pools 0 <<'END'
init CUDA_SUCCESS
module CUDA_SUCCESS
pool CUDA_SUCCESS
access CUDA_SUCCESS
asks CUDA_SUCCESS
rules 0 1
memory CUDA_SUCCESS
policy CUDA_SUCCESS
policy CUDA_SUCCESS
access 3, policy 2
array CUDA_SUCCESS
to CUDA_SUCCESS
over CUDA_SUCCESS
over CUDA_SUCCESS
from CUDA_SUCCESS
1 2 3
no context CUDA_SUCCESS
ends CUDA_SUCCESS
none CUDA_ERROR_INVALID_CONTEXT
managed CUDA_SUCCESS
ends CUDA_SUCCESS
ended CUDA_ERROR_INVALID_VALUE
END
want names 0 <<'END'
init CUDA_SUCCESS
module CUDA_SUCCESS
same there
1
END
program=waits ptx=$here/waits.ptx
for time in measured none; do
    option= && [ $time = none ] && option="--time none"
    # shellcheck disable=SC2086
    {
    want never_undone 0 $option <<'END'
0 vanished, 0 more than once
END
    want bytes_beside 0 $option <<'END'
over cudaSuccess
0 of the host's lost, 0 of the kernel's missing
END
    want atomics_together 0 $option <<'END'
0 short, 299, 0
END
    want host_goes_on 0 $option <<'END'
malloc cudaSuccess
copy cudaSuccess
copy back cudaSuccess
1 2 3 4
not over cudaErrorNotReady
over cudaSuccess
42
END
    want flag_by_copy 0 $option <<'END'
the copy cudaSuccess
the kernel cudaSuccess
42
END
    want kernels_take_turns 0 $option <<'END'
over cudaSuccess
200 42
END
    want graph_waits 0 $option <<'END'
launched cudaSuccess
destroyed cudaSuccess
over cudaSuccess
42
END
    }
done
run -- host_goes_on; tr -s ' \n' ' ' <report | grep -q 'note: wait_flag reads memory that the host can change'
ok $? "the report says that it waited for the host: $(cat report)"
want timed_waits 0 <<'END'
without anything to wait for: 1
an empty pipe: 0, 1
then: 1
a semaphore: timed out, 1
a condition: came
END
want past_a_little 1 <<'END'
over cudaSuccess
64 zeros
END
tr -s ' \n' ' ' <report | grep -q 'out-of-bounds: past_end, waits.cu:40, block (0,0,0), thread (0,0,0): read of 4 bytes at 0x[0-9a-f]* starts just past the end of allocation 0 (256 bytes); a card lets it pass (seen 64 times)'
ok $? "an access past the end: $(cat report)"
want past_a_little 0 --check none <wanted
want past_by_a_page 1 <wanted
want before_all 1 <wanted
tr -s ' \n' ' ' <report | grep -q 'read of 4 bytes at 0x[0-9a-f]* starts 16384 bytes before allocation 0 (256 bytes); a card lets it pass (seen 64 times)'
ok $? "an access before the first allocation: $(cat report)"
want past_a_little 1 --time none <wanted
want past_by_far 1 <<'END'
over cudaErrorIllegalAddress
END
want past_by_far 1 --check none <wanted
want before_by_far 1 <wanted

# what CUDA 11 had: a linear one, and one of an array, read between its texels
cat >references.cu <<'END'
#include <cstdio>
texture<float, 1, cudaReadModeElementType> line;
static texture<uchar4, cudaTextureType2D, cudaReadModeNormalizedFloat> image;
__global__ void read(float *out, int n)
{
    int i = threadIdx.x;
    if (i < n) out[i] = tex1Dfetch(line, n - 1 - i);
    if (i == 0) out[n] = tex2D(image, 1.0f, 0.5f).x;
}
int main()
{
    float h[5] = {1, 2, 3, 4}, *d, *out;
    uchar4 texels[2] = {{0, 0, 0, 0}, {255, 0, 0, 0}};
    cudaMalloc((void **)&d, 16), cudaMalloc((void **)&out, 20);
    cudaMemcpy(d, h, 16, cudaMemcpyHostToDevice);
    cudaArray *a;
    cudaChannelFormatDesc c = cudaCreateChannelDesc<uchar4>();
    cudaMallocArray(&a, &c, 2, 1);
    cudaMemcpy2DToArray(a, 0, 0, texels, 8, 8, 1, cudaMemcpyHostToDevice);
    image.filterMode = cudaFilterModeLinear;
    image.addressMode[0] = image.addressMode[1] = cudaAddressModeClamp;
    cudaBindTexture(0, line, d, 16);
    cudaBindTextureToArray(image, a, c);
    read<<<1, 32>>>(out, 4);
    cudaMemcpy(h, out, 20, cudaMemcpyDeviceToHost);
    cudaUnbindTexture(line), cudaUnbindTexture(image);
    printf("%g %g %g %g, %g, %s\n", h[0], h[1], h[2], h[3], h[4], cudaGetErrorString(cudaGetLastError()));
}
END
echo '4 3 2 1, 0.5, no error' >references
# how far it is, on a terminal
if command -v python3 >/dev/null 2>&1; then
    program=programs ptx=$here/kernels.ptx
    TERM=xterm python3 - "$WARPSTEP" exec --limit 4 --report report ./programs "$ptx" never_ends >out 2>&1 <<'END'
import os, pty, sys
pid, fd = pty.fork()
if not pid: os.execv(sys.argv[1], sys.argv[1:])
said = b""
try:
    while True:
        more = os.read(fd, 4096)
        if not more: break
        said += more
except OSError: pass
os.waitpid(pid, 0)
print(said)
END
    grep -q 'r.x1b\[K[23] s' out && grep -q 'r.x1b\[Kwarpstep: warning' out; ok $? "how far it is: $(cat out)"
fi

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
    # NVRTC is asked for machine code, by each form of the option
    cat >rtc.cu <<'END'
#include <cstdio>
#include <cuda.h>
#include <nvrtc.h>
int main(int argc, char **argv)
{
    nvrtcProgram p;
    CUmodule m; CUfunction f; CUcontext c; CUdeviceptr d;
    char image[1 << 16]; size_t bytes; int h = 0;
    nvrtcCreateProgram(&p, "extern \"C\" __global__ void k(int *o) { *o = 42; }", "k.cu", 0, 0, 0);
    int code = nvrtcCompileProgram(p, argc - 1, argv + 1) | nvrtcGetCUBINSize(p, &bytes);
    if (code || bytes > sizeof image) return 9;
    nvrtcGetCUBIN(p, image);
    cuInit(0);
    cuDevicePrimaryCtxRetain(&c, 0), cuCtxSetCurrent(c);
    code = cuModuleLoadData(&m, image);
    cuModuleGetFunction(&f, m, "k"), cuMemAlloc(&d, 4);
    void *args[] = {&d};
    cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, args, 0);
    cuMemcpyDtoH(&h, d, 4);
    printf("%d %d\n", code, h);
}
END
    echo "0 42" >answer
    if nvcc -w -o rtc rtc.cu -lnvrtc -lcuda 2>log; then
        for flags in "-arch=sm_90" "--gpu-architecture=sm_80 -lineinfo" "-arch sm_90" "-arch=compute_75"; do
            # shellcheck disable=SC2086
            "$WARPSTEP" exec --report report ./rtc $flags >out 2>err; cmp -s out answer; ok $? "NVRTC $flags: $(cat out err report)"
        done
    else skip "NVRTC: $(head -1 log)"; fi
    if command -v strip >/dev/null 2>&1 && nvcc -w -o hello hello.cu 2>log && strip hello; then
        "$WARPSTEP" exec --report report ./hello >out 2>err
        [ $? != 0 ] && tr -s ' \n' ' ' <report | grep -q 'refused: the program holds .* stripped, .*: rebuild it without'
        ok $? "a stripped program: $(cat out report)"
    fi
    cat >managed.cu <<'END'
#include <cstdio>
__managed__ int a = 7;
__managed__ float b[4] = {1, 2, 3, 4};
__managed__ double c = 2.5;
__global__ void k() { a++; b[1] += 1; c *= 2; }
int main() { printf("%d %g %g\n", a, b[1], c); a = 10; b[1] = 20; c = 30;
    k<<<1, 1>>>(); cudaDeviceSynchronize(); printf("%d %g %g\n", a, b[1], c); }
END
    "$WARPSTEP" exec --report report references.cu >out 2>err; cmp -s out references; ok $? "texture references: $(cat out; head -3 err)"
    printf '7 2 2.5\n11 21 60\n' >wanted
    "$WARPSTEP" exec --report report managed.cu >out 2>err; cmp -s out wanted; ok $? "several managed variables: $(cat out err)"
    cat >launches.cu <<'END'
#include <cstdio>
__global__ void child(int *p, int depth)
{
    atomicAdd(p + depth, 1);
    if (depth < 2) child<<<1, 2>>>(p, depth + 1);
}
__global__ void last(int *p) { p[3] = p[1] * 100 + p[2]; }
__global__ void parent(int *p)
{
    if (threadIdx.x) return;
    last<<<1, 1, 0, cudaStreamTailLaunch>>>(p);
    child<<<2, 1, 0, cudaStreamFireAndForget>>>(p, 1);
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    child<<<1, 1, 0, s>>>(p, 2);
    cudaStreamDestroy(s);
    p[0] = cudaGetLastError();
}
int main()
{
    int *p;
    cudaMallocManaged(&p, 16);
    parent<<<1, 32>>>(p);
    cudaDeviceSynchronize();
    /* 2 children; their threads launch one each of 2 threads, and one more: 2 * 2 + 1; the tail comes last */
    printf("%d %d %d %d\n", p[0], p[1], p[2], p[3]);
}
END
    # a source whose makefile would name flags; it says how it is called
    cat >'asks for.cu' <<'END'
#include <cstdio>
#include <cublas_v2.h>
#include <omp.h>
__global__ void child(int n) { printf("child %d\n", n); }
__global__ void parent() { child<<<1, 1>>>((int)threadIdx.x + 7); }
int main(int, char **argv)
{
    cublasHandle_t h;
    int *p;
    omp_set_num_threads(2);
    parent<<<1, 1>>>();
    cudaThreadSynchronize(); /* this, and places that are numbers, as CUDA 12 had them */
    cudaMallocManaged(&p, 4);
    const int told = cudaMemAdvise(p, 4, cudaMemAdviseSetReadMostly, 0) + cudaMemPrefetchAsync(p, 4, 0) +
                     cudaMemPrefetchAsync(p, 4, cudaCpuDeviceId, 0);
    printf("%s %d %d %d\n", argv[0], omp_get_max_threads(), (int)cublasCreate(&h), told);
}
END
    "$WARPSTEP" exec --report report 'asks for.cu' >out 2>err
    printf 'child 7\n./asks for 2 0 0\n' | cmp -s - out; ok $? "flags that a source asks for: $(cat out) $(head -3 err)"
    nvcc -w -o launches -rdc=true -arch=sm_90 launches.cu -lcudadevrt && "$WARPSTEP" exec --report report ./launches >out 2>err
    [ "$(cat out)" = '0 2 5 205' ]; ok $? "kernels that launch kernels: $(cat out; head -5 report)"
    cat >decides.cu <<'END'
#include <cstdio>
#if CUDART_VERSION >= 13000
#define ADD(n, g, needs, count, p) cudaGraphAddNode(n, g, needs, NULL, count, p)
#else
#define ADD(n, g, needs, count, p) cudaGraphAddNode(n, g, needs, count, p)
#endif
__global__ void turn(int *p, cudaGraphConditionalHandle h)
{
    p[0] += p[1];
    cudaGraphSetConditional(h, --p[1] > 0);
}
__global__ void fill(int *to, int *from) { *to = *from + 1; }
int main()
{
    int *p;
    cudaMallocManaged(&p, 8);
    /* while (p[1]) p[0] += p[1]--; then a piece of memory of the graph's own takes p[0] + 1, and is copied back */
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaGraphConditionalHandle h;
    cudaGraphNode_t loop, inner, taken, filled, copied, freed;
    cudaGraphCreate(&g, 0);
    cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault);
    cudaGraphNodeParams c = {cudaGraphNodeTypeConditional}, k = {cudaGraphNodeTypeKernel};
    c.conditional.handle = h;
    c.conditional.type = cudaGraphCondTypeWhile;
    c.conditional.size = 1;
    printf("%d", ADD(&loop, g, NULL, 0, &c));
    void *args[] = {&p, &h};
    k.kernel.func = (void *)turn;
    k.kernel.gridDim = k.kernel.blockDim = dim3(1);
    k.kernel.kernelParams = args;
    printf("%d", ADD(&inner, c.conditional.phGraph_out[0], NULL, 0, &k));
    cudaMemAllocNodeParams m = {};
    m.poolProps.allocType = cudaMemAllocationTypePinned;
    m.poolProps.location.type = cudaMemLocationTypeDevice;
    m.bytesize = 4;
    printf("%d", cudaGraphAddMemAllocNode(&taken, g, &loop, 1, &m));
    void *more[] = {&m.dptr, &p};
    k.kernel.func = (void *)fill;
    k.kernel.kernelParams = more;
    printf("%d", ADD(&filled, g, &taken, 1, &k));
    printf("%d", cudaGraphAddMemcpyNode1D(&copied, g, &filled, 1, p, m.dptr, 4, cudaMemcpyDefault));
    printf("%d", cudaGraphAddMemFreeNode(&freed, g, &copied, 1, m.dptr));
    printf("%d\n", cudaGraphInstantiate(&x, g, 0));
    cudaGraphDestroy(g);
    for (int i = 0; i < 2; i++) { /* 4 + 3 + 2 + 1 + 1 */
        p[0] = 0, p[1] = 4;
        printf("%d ", cudaGraphLaunch(x, 0));
        printf("%d ", cudaStreamSynchronize(0));
        printf("%d %d\n", p[0], p[1]);
    }
    return cudaGraphExecDestroy(x);
}
END
    if nvcc -w -o decides -rdc=true -arch=sm_90 decides.cu -lcudadevrt 2>log; then # CUDA 12.4 and later
        "$WARPSTEP" exec --report report ./decides >out 2>err
        printf '0000000\n0 0 11 0\n0 0 11 0\n' | cmp -s - out; ok $? "a graph with a loop and memory: $(cat out; head -5 report)"
    fi
    nvcc -w -o hello -gencode arch=compute_90,code=sm_90 hello.cu && "$WARPSTEP" exec --report report ./hello >out 2>err
    grep -q 'machine code only' report; ok $? "machine code only"
else
    skip "programs that nvcc builds: no nvcc"
fi
# ---- by clang alone, with headers of ours ----
WARPSTEP_COMPILER=clang
export WARPSTEP_COMPILER
XDG_CACHE_HOME=$TMPDIR/cache
export XDG_CACHE_HOME
cat >all.cu <<'END'
#include "helper_cuda.h"
#include "error.cuh"
#include <cmath>
#include <cstdio>
#include <vector>
__managed__ int counted = 3;
__constant__ float factor;
__device__ float table[4] = {1, 2, 3, 4};
template <class T> __global__ void scale(T *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = p[i] * factor + table[i & 3] + sqrtf(4.0f);
    if (!i) counted++;
}
__global__ void sums(int *out)
{
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    int v = s[31 - threadIdx.x];
    for (int o = 16; o; o /= 2) v += __shfl_down_sync(0xffffffffu, v, o);
    if (!threadIdx.x) atomicAdd(out, v);
    if (!threadIdx.x) printf("sum %d\n", v);
}
__global__ void read(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex2D<float>(t, threadIdx.x, 1); }
int main(int argc, char **argv)
{
    findCudaDevice(argc, (const char **)argv);
    std::vector<float> h(1000, 1.0f);
    float *d, f = 10;
    int *sum, total;
    CHECK(cudaMalloc(&d, h.size() * sizeof(float)));
    CHECK(cudaMalloc(&sum, 4));
    checkCudaErrors(cudaMemset(sum, 0, 4));
    CHECK(cudaMemcpy(d, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(factor, &f, sizeof f));
    scale<<<4, 256>>>(d, 1000);
    sums<<<2, 32>>>(sum);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(h.data(), d, h.size() * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&total, sum, 4, cudaMemcpyDeviceToHost));
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    printf("%g %g %d, managed %d, %s %d.%d %d\n", h[0], h[3], total, counted, p.name, p.major, p.minor,
           p.multiProcessorCount);
    cudaArray_t a;
    cudaChannelFormatDesc c = cudaCreateChannelDesc<float>();
    float texels[6] = {1, 2, 3, 4, 5, 6};
    CHECK(cudaMallocArray(&a, &c, 3, 2));
    CHECK(cudaMemcpy2DToArray(a, 0, 0, texels, 12, 12, 2, cudaMemcpyHostToDevice));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaTextureDesc td = {};
    cudaTextureObject_t t;
    CHECK(cudaCreateTextureObject(&t, &r, &td, nullptr));
    read<<<1, 3>>>(t, d);
    CHECK(cudaMemcpy(texels, d, 12, cudaMemcpyDeviceToHost));
    printf("%g %g %g\n", texels[0], texels[1], texels[2]);
    scale<<<1, 2048>>>(d, 1);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    cudaMemPool_t pool;
    cudaSharedMemConfig banks;
    unsigned long long keep = 4096, kept = 0;
    int blocks = 0;
    CHECK(cudaDeviceGetSharedMemConfig(&banks));
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept));
    CHECK(cudaMallocFromPoolAsync(&d, 64, pool, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, sums, 32, 0, 0));
    printf("pool keeps %llu, %d blocks\n", kept, blocks);
}
END
"$WARPSTEP" exec --report report all.cu >out 2>err
status=$?
if grep -q 'a clang that can make PTX is not found' err; then
    skip "programs that clang builds: no clang"
else
    # 1 * 10 + table + 2; 0 + ... + 31 = 496 twice; a launch of 2048 threads as CUDA 12 answers it;
    # a multiprocessor holds 32 blocks of one warp
    cat >wanted <<'END'
GPU Device 0: "Hopper" with compute capability 9.0

sum 496
sum 496
13 16 992, managed 4, NVIDIA H200 9.0 132
4 5 6
cudaErrorInvalidConfiguration
pool keeps 4096, 32 blocks
END
    [ $status = 0 ] && cmp -s out wanted; ok $? "clang: $status $(diff out wanted | head -5) $(head -5 err)"
    "$WARPSTEP" exec --lines --report report all.cu >out 2>err; cmp -s out wanted && grep -q 'all.cu:' report
    ok $? "from the cache: $(head -3 err)"
    echo 'extern "C" __device__ int odd' >bad.cu
    "$WARPSTEP" exec bad.cu >out 2>err; [ $? = 125 ] && grep -q 'clang does not compile bad.cu' err; ok $? "bad.cu: $(cat err)"
    printf '#include "value.h"\nint main() { return VALUE; }\n' >value.cu
    echo '#define VALUE 3' >value.h; "$WARPSTEP" exec value.cu 2>/dev/null; [ $? = 3 ]; ok $? "a header"
    echo '#define VALUE 4' >value.h; "$WARPSTEP" exec value.cu 2>/dev/null; [ $? = 4 ]; ok $? "a header that changed"
    mkdir -p course && cp value.h value.cu course && cat >course/Makefile <<'END'
NVCC = nvcc
prog: value.o
	$(NVCC) -arch=sm_80 -o $@ value.o -lm
value.o: value.cu
	$(NVCC) -O3 -gencode arch=compute_70,code=sm_70 -Xcompiler -Wall -lineinfo -c $<
END
    make -C course NVCC="$WARPSTEP nvcc" >log 2>&1 && "$WARPSTEP" exec ./course/prog 2>/dev/null; [ $? = 4 ]
    ok $? "nvcc in a course's folder: $(cat log)"
    "$WARPSTEP" nvcc -o x bad.cu >out 2>err; [ $? = 1 ] && [ ! -e x ]; ok $? "nvcc says no"
    "$WARPSTEP" exec --report report references.cu >out 2>err; cmp -s out references; ok $? "texture references: $(cat out; head -3 err)"
    "$WARPSTEP" exec -DVALUE=5 --flags "-include cstdio -Wno-macro-redefined" value.cu 2>/dev/null; [ $? = 4 ]
    ok $? "flags"
fi
"$WARPSTEP" exec -DX=1 ./programs >out 2>err; [ $? = 2 ] && grep -q 'is for a .cu file' err; ok $? "flags of no source"
finish
