# `make test-gpu` runs this on a computer with a GPU: it verifies every step of every lesson and the
# faults, and compares our times with NVIDIA's profiler and with a plain program. It prints one line
# per lesson or check, and what failed.
. tests/cases.sh
[ "$TEST_GPU" ] || skip_all "make test-gpu runs this on a GPU"
"$WARPSTEP" --json devices | grep -q '"simulated":false' || skip_all "no GPU"
tmp=${TMPDIR:-/tmp}
gpu() { "$WARPSTEP" --device gpu "$@"; }
key() { sed -n "s/.*\"$1\":\([-0-9.e+]*\).*/\1/p"; } # the last number of that name in a line of JSON
median() { sed -n 's/.*"ms":{"median":\([0-9.e+-]*\).*/\1/p'; }
near() { awk -v a="$1" -v b="$2" -v p="$3" 'BEGIN { d = a / b - 1; exit !(a > 0 && b > 0 && d < p && d > -p) }'; }

# every step
for number in $("$WARPSTEP" --json lessons | sed -n 's/.*"lesson":\([0-9]*\).*/\1/p'); do
    steps=$("$WARPSTEP" --json lesson "$number" | sed 's/.*"steps":\[//; s/\].*//; s/[",]/ /g')
    right=0 wrong=
    if [ -e lessons/08-programs ] && [ "$number" = 8 ]; then # whole programs: built by nvcc and started by themselves
        command -v nvcc >/dev/null || { echo "lesson 8: no nvcc"; continue; }
        for file in kernels/08-programs/*.cu; do
            name=$(basename "$file" .cu) n=1000000
            meant=$(awk -v file="$name.cu" '/^step:/ { says = "ok" } /^program:/ { mine = $2 == file } /^expect:/ { says = $2 }
                mine && (/^compare:/ || /^expect:/) { found = says } END { print found }' lessons/08-programs/lesson.txt)
            case $name in two-cards) [ "$("$WARPSTEP" --json devices | grep -c '"simulated":false')" -ge 2 ] || continue ;; esac
            nvcc -arch=native -w -o "$tmp/program" "$file" -lcuda 2>"$tmp/step" && "$tmp/program" $n >"$tmp/step" 2>&1
            status=$?
            case $meant in ok) [ $status = 0 ] ;; *) [ $status = 1 ] ;; esac && { right=$((right + 1)); pass; } ||
                { wrong="$wrong $name[$status]"; cat "$tmp/step" >>"$tmp/wrong"; }
        done
        echo "lesson 8: $right programs as the lesson says${wrong:+; not:$wrong}"
        [ -z "$wrong" ] || fail "lesson 8:$wrong"
        continue
    fi
    for step in $steps; do
        gpu --json run "$number.$step" >"$tmp/step" 2>&1
        status=$?
        grep -q "runs no kernel\|nothing to run" "$tmp/step" && continue
        # 5: a busy computer kept it from being timed; the values are still judged
        [ $status = 5 ] && grep -q '"correct":true' "$tmp/step" && status=0
        if [ $status = 0 ]; then right=$((right + 1)); pass; else wrong="$wrong $step[$status]"; cat "$tmp/step" >>"$tmp/wrong"; fi
    done
    echo "lesson $number: $right steps right${wrong:+; not:$wrong}"
    [ -z "$wrong" ] || fail "lesson $number:$wrong"
done

# faults: the message, and that the next run works
fault() { # KERNEL STATUS PATTERN
    gpu --limit 3 try "tests/gpu/faults.ptx:$1" --grid 1 --block 1 --arg 'u32[1024]:zero' >"$tmp/out" 2>&1
    got=$?
    tr '\n' ' ' <"$tmp/out" | tr -s ' ' >"$tmp/line"
    if [ $got = "$2" ] && grep -q "$3" "$tmp/line"; then pass; else fail "fault $1: status $got"; cat "$tmp/out"; fi
    gpu try tests/gpu/saxpy.ptx --grid 4 --block 256 --arg i32:1000 --arg f32:2 --arg 'f32[1000]:iota' \
        --arg 'f32[1000]:ones' --dump '1[0:4]' >"$tmp/out" 2>&1 && grep -q "0: 1 3 5 7" "$tmp/out" && pass ||
        { fail "the run after $1"; cat "$tmp/out"; }
}
fault stray 1 "CUDA error 700"
fault misaligned 1 "CUDA error 716"
fault stop 1 "trap on the GPU"
fault endless 124 "time limit of 3 s"
fault past 0 "A GPU lets many pass"
gpu try tests/gpu/saxpy.ptx --grid 1 --block 1 --arg i32:0 --arg f32:2 --arg 'f32[250000000000]' --arg 'f32[1]' \
    >"$tmp/out" 2>&1
[ $? = 2 ] && pass || { fail "too large a buffer"; cat "$tmp/out"; }
echo "faults: done"

# Variables set by --set: 2.5 i + 0.5 (tests/try/set.sh).
gpu try tests/try/kernels/set.ptx:line --grid 1 --block 8 --arg 'f32[8]' --set scale=f32:2.5 --set 'table=i32[]:iota' \
    --set offset=f64:0.5 --dump 0 >"$tmp/out" 2>&1
tr -s ' ' <"$tmp/out" | grep -q "0: 0.5 3 5.5 8 10.5 13 15.5 18" && pass || { fail "variables that are set"; cat "$tmp/out"; }

# divergent lanes: the same lanes run together on the GPU and on the simulated card
# (tests/unit/meets.c)
apart=
for program in $(sed -n 's/^PROGRAM(\(.*\))$/\1/p' tests/machine/meets.h); do
    for device in gpu sim:h200; do
        "$WARPSTEP" --device $device try "tests/machine/meets.ptx:$program" --grid 1 --block 32 --arg 'u32[32768]:zero' --arg u32:8 \
            --save "0=$tmp/seen.$device" >>"$tmp/seen" 2>&1 || apart="$apart $program[$?]"
    done
    if cmp -s "$tmp/seen.gpu" "$tmp/seen.sim:h200"; then pass; else apart="$apart $program"; fi
    rm -f "$tmp"/seen.*
done
echo "lanes that part: done"
[ -z "$apart" ] || fail "lanes that part are together with others than on the simulated card:$apart"

# Warp operations that lanes call on several paths: results are the same on the GPU and on the
# simulated card. What hangs on the GPU is a deadlock on the simulated card (tests/unit/apart.c).
# Without checks, since storing a value from a lane that takes no part is a fault.
apart=
for kernel in $(sed -n 's/^KERNEL(\(.*\))$/\1/p' tests/machine/apart.cu); do
    for device in gpu sim:h200; do
        case $device in gpu) checks= ;; *) checks="--check none" ;; esac
        "$WARPSTEP" --device $device --limit 5 try "tests/machine/apart.ptx:$kernel" $checks --grid 1 --block 32 --arg 'u32[32]:zero' \
            --save "0=$tmp/apart.$device" >"$tmp/apart.$device.out" 2>&1
        echo $? >"$tmp/apart.$device.status"
    done
    case $kernel in
    hang_*)
        [ "$(cat "$tmp/apart.gpu.status")" = 124 ] && grep -q "^deadlock" "$tmp/apart.sim:h200.out" || apart="$apart $kernel[$(cat "$tmp/apart.gpu.status")]"
        ;;
    *)
        [ "$(cat "$tmp/apart.gpu.status")$(cat "$tmp/apart.sim:h200.status")" = 00 ] && cmp -s "$tmp/apart.gpu" "$tmp/apart.sim:h200" || apart="$apart $kernel"
        ;;
    esac
    rm -f "$tmp"/apart.*
done
echo "warp operations on several ways: done"
if [ -z "$apart" ]; then pass; else fail "warp operations on several ways give something else than on the simulated card:$apart"; fi

# three medians of the same step agree
for step in 1.v2 1.v4 1.v7; do
    for i in 1 2 3; do gpu --json run $step | median; done | sort -g >"$tmp/medians"
    set -- $(cat "$tmp/medians")
    spread=$(awk -v a="$1" -v b="$3" 'BEGIN { printf "%.1f", 100 * (b / a - 1) }')
    echo "spread of three medians, $step: $spread %"
    near "$3" "$1" 0.03 && pass || fail "medians of $step: $*"
done

# compare with a plain program
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [ -x "$nvcc" ] && "$nvcc" -O3 -arch=native -o "$tmp/plain" tests/gpu/plain.cu >"$tmp/nvcc" 2>&1; then
    plain=$("$tmp/plain" copy)
    ours=$(gpu --json run 1.v4 | key copy_gbps)
    echo "copy: $ours GB/s, the plain program $plain"
    near "$ours" "$plain" 0.03 && pass || fail "copy: $ours GB/s, the plain program $plain"
    ncu=$(command -v ncu || echo /usr/local/cuda/bin/ncu)
    if "$ncu" --clock-control none --cache-control all --metrics gpu__time_duration.sum "$tmp/plain" kernels \
        >"$tmp/ncu" 2>&1; then
        for step in v2 v3 v4 v7; do
            theirs=$(awk -v k="$step" '$1 == k || $1 ~ "^" k "\\(" { on = 1 } on && /gpu__time_duration/ {
                v = $NF; if ($2 == "ms") v *= 1000; if ($2 == "ns") v /= 1000; print v; on = 0 }' "$tmp/ncu" |
                sort -g | sed -n 3p)
            ours=$(gpu --json run 1.$step | median | awk '{ print 1000 * $1 }')
            echo "1.$step: $ours us, the profiler $theirs us"
            near "$ours" "$theirs" 0.05 && pass || fail "1.$step: $ours us, the profiler $theirs us"
        done
    else
        skip "the profiler: $(tail -n 1 "$tmp/ncu")"
    fi
else
    skip "a plain program: no nvcc"
fi
[ -s "$tmp/wrong" ] && cut -c1-400 "$tmp/wrong"
finish
