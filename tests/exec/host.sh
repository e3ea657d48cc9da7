# show host: the program that would run a step. Each compiles, by nvcc and by clang, runs under exec, and finds what
# the step's `expect:` says. A few steps by default; WHOLE=1: every step of every lesson (`make check-host`: minutes),
# or of those in LESSONS.
. tests/cases.sh
lib=$(dirname "$WARPSTEP")/lib/warpstep
[ -e "$lib/libcudart.so.13" ] || skip_all "host: no libraries in this build"
here=$PWD
cd "$TMPDIR" || exit 1
compilers=
for c in nvcc clang; do
    if WARPSTEP_COMPILER=$c "$WARPSTEP" doctor 2>/dev/null | grep -q "^ *$c .*[0-9]"; then compilers="$compilers $c"
    else skip "host by $c: not found"; fi
done
few="1.v3 2.pitched 2.stream 3.digits 5.stride 7.filter"

text() { cat "$here"/lessons/"$(printf %02d "$1")"-*/lesson.txt; }
# The settings that check-lessons takes, so that a step takes no minutes; lesson 2 at a size that no tile divides.
small() {
    text "$1" | sed -n 's/^check: *\([a-z]*\) *= *\([^ ]*\).*/\1=\2/p'
    case $1 in 2) echo n=100 ;; 5) echo n=65536 ;; esac
}
meant() { # the exit status that STEP's expectation means
    text "$1" | awk -v want="$2" '/^step:/ { at = $2; like = $4; says[at] = like ? says[like] : "ok" }
        /^expect:/ { says[at] = $2 } END { print says[want] }'
}
steps() { # LESSON: its steps that run something
    "$WARPSTEP" lesson "$1" --json | sed 's/.*"steps":\[\([^]]*\)\].*/\1/' | tr -d '"' | tr ',' '\n'
}
one() { # LESSON STEP
    # shellcheck disable=SC2046
    if ! "$WARPSTEP" show host "$1.$2" $(small "$1") >program.cu 2>err; then
        grep -q 'runs no program' err && return # doctor, devices ...
        fail "$1.$2: $(head -2 err | tr '\n' ' ')"
        return
    fi
    case $(meant "$1" "$2") in ok) wanted=0 ;; wrong) wanted=1 ;; *) wanted='[01]' ;; esac # a race may be right by chance
    for c in $compilers; do
        case $WHOLE$c$1.$2 in nvcc1.v3 | nvcc7.filter) ;; nvcc*) continue ;; esac # nvcc takes its time
        WARPSTEP_COMPILER=$c "$WARPSTEP" exec --time none --limit 300 --report report program.cu >out 2>err
        status=$?
        # shellcheck disable=SC2254
        case $status in $wanted) as_meant=1 ;; *) as_meant= ;; esac
        [ "$as_meant" ] && [ "$(grep -c 'right, the CPU\|WRONG' out)" = 1 ]
        ok $? "$1.$2 by $c: status $status: $(tail -2 out | tr '\n' ' ') $(head -4 err | tr '\n' ' ')"
    done
}
if [ "$WHOLE" ]; then
    for lesson in ${LESSONS:-1 2 3 4 5 6 7 9}; do
        for step in $(steps $lesson); do one $lesson "$step"; done
    done
else
    for step in $few; do one "${step%%.*}" "${step#*.}"; done
fi
# CUDA's C++ library has names of its own that are like removed ones; a program with those compiles too.
printf '#include <cooperative_groups.h>\n#include <vector>\n__global__ void k() {}\nint main() { k<<<1, 1>>>(); return 0; }\n' >groups.cu
cat >votes.cu <<'END'
#include <stdio.h>
__global__ void k(int *o)
{
    int t = threadIdx.x;
    o[t] = __any(t == 3) + 2 * __all(t < 32) + 4 * (__ballot(t < 4) == 15) + __shfl_down(t, 1) * 8;
}
int main()
{
    int *o, h[32];
    cudaMalloc(&o, 128);
    k<<<1, 32>>>(o);
    cudaMemcpy(h, o, 128, cudaMemcpyDeviceToHost);
    printf("%d %d\n", h[0], h[31]); /* 1 + 2 + 4 and the lane above; the last lane has none above and gets its own */
    return 0;
}
END
for c in $compilers; do
    WARPSTEP_COMPILER=$c "$WARPSTEP" exec --report report groups.cu >out 2>&1
    ok $? "groups.cu by $c: $(head -3 out)"
    WARPSTEP_COMPILER=$c "$WARPSTEP" exec --report report votes.cu >out 2>err
    [ "$(cat out)" = "15 255" ]; ok $? "votes.cu by $c: $(cat out) $(head -3 err)"
done
"$WARPSTEP" show host 1.v3 n=7 --json | grep -q '"lines":\[.*const long long n = 7;'; ok $? "--json"
finish
