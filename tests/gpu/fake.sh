# Tests the GPU side of the program without a GPU: tests/gpu/fake.c replaces the driver and fails on
# request. Each case names what goes wrong, the exit status, a line that must be printed, and the
# command.
. tests/cases.sh
fake=$PWD/$BUILD/tests/gpu/libfake.so
[ -f "$fake" ] || skip_all "no $fake: make test builds it"
case $BUILD in *san*) skip_all "a library loaded at run time is not built with the sanitizer" ;; esac
WARPSTEP_CUDA_DRIVER=$fake WARPSTEP_COMPILER=none
export WARPSTEP_CUDA_DRIVER WARPSTEP_COMPILER
saxpy="tests/gpu/saxpy.ptx --grid 4 --block 256 --arg i32:1000 --arg f32:2 --arg f32[1000]:iota --arg f32[1000]:ones"

# Screens keep to 80 columns. A failure is one line of any length, and so is JSON.
fits() { [ $got = 2 ] || [ $got = 3 ] || [ $got = 4 ] || ! grep -v '^{' "$TMPDIR/out" | grep -q '.\{81\}'; }

# one WRONG STATUS PATTERN COMMAND...
one() {
    wrong=$1 status=$2 pattern=$3
    shift 3
    FAKE_CUDA=$wrong "$WARPSTEP" "$@" >"$TMPDIR/out" 2>&1 </dev/null
    got=$?
    tr '\n' ' ' <"$TMPDIR/out" | tr -s ' ' >"$TMPDIR/line"
    if [ $got = "$status" ] && grep -q -e "$pattern" "$TMPDIR/line" && fits; then
        pass
    else
        fail "[$wrong] $*: status $got, wanted $status and \"$pattern\":"
        sed 's/^/    /' "$TMPDIR/out"
    fi
}
fails() { one "$@" --device gpu run 1.v4; }

# no GPU is available: status 3, and advice
fails init:100 3 "the NVIDIA driver finds no GPU"
fails init:35 3 "the NVIDIA driver is too old"
fails init:803 3 "library and its kernel module are of different versions"
fails init:802 3 "the system is not ready"
fails init:304 3 "the operating system refused"
fails init:800 3 "this user may not use the GPU"
fails init:999 3 "failed for a reason that it does not know"
fails init:12345 3 "fake failure 12345 (CUDA error 12345)"
fails devices:0 3 "finds no GPU"
one devices:2 3 "gpu:2 is absent: GPUs here are numbered 0 to 1" --device gpu:2 run 1.v4
one devices:2 0 "NVIDIA Fake 1 (gpu:1)" --device gpu:1 run 1.v4
one "" 0 "gpu:0 NVIDIA Fake, compute 9.0, 10 multiprocessors" devices
CUDA_VISIBLE_DEVICES= one devices:0 3 'CUDA_VISIBLE_DEVICES is "", which hides every GPU' --device gpu run 1.v4
WARPSTEP_CUDA_DRIVER=/nowhere/libcuda.so one "" 3 "no NVIDIA driver is installed (/nowhere/libcuda.so was not found)" \
    --device gpu run 1.v4
WARPSTEP_CUDA_DRIVER=/nowhere/libcuda.so one "" 0 "sim:8800gt" run 1.v4 # auto continues with a simulated card
fails retain:46 3 "in use by another program that does not share it"

# a kernel that cannot be loaded or launched
fails load:222 4 "the PTX is of a newer version than this driver knows (CUDA error 222): ptxas says no"
fails load:218 4 "the driver does not accept the PTX"
fails alloc:2 2 "the GPU has no memory for data: it takes 4.0 MiB, and 64.0 of its 1024 MiB are free"
fails launch:701 2 "needs more registers or other resources"
one "" 2 "a block 2048 threads wide in one dimension is more than the .* allows: at most 1024" --device gpu try tests/gpu/saxpy.ptx \
    --grid 1 --block 2048 --arg i32:1 --arg f32:2 --arg f32[1]:iota --arg f32[1]:ones

# a kernel that faults: the message, and where to learn more
one wait:700 1 "FAULT .* out-of-bounds on the GPU .* not its own (CUDA error 700) .* The simulator" --device gpu try $saxpy
one wait:716 1 "misaligned on the GPU" --device gpu try $saxpy
one wait:719 1 "trap on the GPU" --device gpu try $saxpy
one wait:702 1 "endless on the GPU .* ran too long" --device gpu try $saxpy
one wait:214 4 "memory reported an error that cannot be corrected" --device gpu try $saxpy
one wait:700:1 1 "out-of-bounds The kernel\|out-of-bounds kernel sum_squares\|out-of-bounds" --device gpu run 1.v1
one wait:700:1 1 "Find out where: run 1.v1 --device sim:h200" --device gpu run 1.v1
one wild 1 "total = 29909399: wrong, the CPU says 29909398 .* Find out where: run 1.v4 --device sim:h200" \
    --device gpu run 1.v4
one endless 124 "stopped at its time limit of 1 s" --device gpu --limit 1 run 1.v1
one endless 124 "stopped at its time limit of 1 s" --device gpu --limit 1 try $saxpy
one "" 2 "a GPU does not do what --check asks for" --device gpu try $saxpy --check all
one "" 0 "H200, simulated" try $saxpy --check all

# measurements that are worth nothing are not printed
fails mhz:500 5 "INCONCLUSIVE the clock stayed under 75 % of its nominal 1000 MHz"
fails jitter:9 5 "INCONCLUSIVE the samples spread too far"
one mhz:500 5 "INCONCLUSIVE" --device gpu try $saxpy
fails "gap:2000 takes:9000" 5 "INCONCLUSIVE another program is using this GPU, and has it for 2.0 ms at a time"
fails gap:2000 0 "time 40.0 us" # a run this short ends before the other program's turn

# measurements that are printed: a fake launch takes 40 us, a pair of events 1.2 us
fails "" 0 "time 40.0 us 40.0 us same .* the two cannot be told apart\. .* launching (1.20 us) taken off"
fails "" 0 "Bandwidth: 163.8 % of 64.0 GB/s (2 x 1000 MHz x 256 bit / 8), 52.4 % of a copy just now (200 GB/s)"
fails "" 0 "cycles 5,031 .* they would be 6,005,027 instead of 5,031"
fails "" 0 "Clock: 995 MHz by its own counter, 1000 nominal"
one "" 0 "ok 40.0 us (median of 31 samples.* 0: 1 3 5 7" --device gpu try $saxpy --dump 1[0:4]
one "" 0 "ok 40.0 us" --device gpu try tests/try/kernels/set.ptx:line --grid 1 --block 8 --arg f32[8] --set scale=f32:2
one "" 2 "the variable has 64 bytes, and that has 68" --device gpu try tests/try/kernels/set.ptx:line --grid 1 --block 8 \
    --arg f32[8] --set table=i32[17]:zero
one "" 0 '"ms":{"median":0.0400.*"counters":{}' --device gpu --json run 1.v4
one "" 0 "cache hot" --device gpu --hot run 1.v4
one "" 0 "v3-512 .* 5,000 105 GB/s" --device gpu ladder 1
one "" 0 "cycles article NVIDIA Fake sim:8800gt .* v1 640,000,000 5,000 6[0-9]*,[0-9,]* v2 8,300,000 5,000" \
    --device gpu,sim:8800gt ladder 1
one "" 0 "blocks .* 1 5,000 105 GB/s 2 5,001 105 GB/s" --device gpu -c "goto 1.v4" -c "sweep blocks 1 4"
one "" 0 "multiprocessors instead of 1 at work" --device gpu why 1.v4

# A kernel without clock reads has its time in cycles at the measured clock, or no cycles where the
# clock was not measured.
one "" 0 "cycles 39,800 5,031 time .* 1000 nominal; cycles are the time at that clock" --device gpu run 1.today
one "mhz:1200" 0 "cycles 48,000 " --device gpu run 1.today
one mhz:500 5 "INCONCLUSIVE" --device gpu run 1.today
one mhz:500 5 '"cycles_from":null' --device gpu --json run 1.today
one "" 0 '"cycles":39800,.*"cycles_from":"time and clock"' --device gpu --json run 1.today
one "" 0 '"cycles":5031,.*"cycles_from":"slowest block"' --device gpu --json run 1.v4
# a lesson's text about a simulated card is not printed for a GPU
one "" 0 "This card takes 0.00477 cycles per number" --device gpu explain 1.v1
# The driver gives the registers and the blocks that fit. Copies of the inputs to the card are
# timed.
one "" 0 '"registers":40,"resident_blocks":5,"resident_warps":40,"occupancy":62.5,.*"mp_registers":65536' \
    --device gpu --json run 1.v4
one "" 0 '"pageable_time":[0-9.e-]*,"locked_time":[0-9.e-]*,"pageable_rate"' --device gpu --json run 1.v4
one lock:2 0 '"mp_shared":233472,"fit_threads"' --device gpu --json run 1.v4 # no page-locked memory: the times stay unknown
one "" 0 '"memory_peak":6.4e+10,"rate_peak":2.56e+12' --device gpu --json run 1.v4
one "" 0 "counted on sim:h200" --device gpu show counters 1.v4

# an answer to an exercise: being right here is not a pass, a fault has no line, time is no failure
exercises=lessons/01-sum-of-squares/exercises
check() { # WRONG STATUS PATTERN ANSWER
    PATH=$PWD/tests/exercises/stand-in:$PATH WARPSTEP_COMPILER=nvcc one "$1" "$2" "$3" --device gpu --limit 2 check \
        "1.${4%%-*}" "$exercises/$4.cu"
}
check "" 1 "RIGHT on NVIDIA Fake in all 25 cases; whether it passes is judged on sim:8800gt" 6-coalesce/solution
check wait:700:1 1 "FAIL out-of-bounds: kernel sum_squares: .* A GPU does not say where" 6-coalesce/solution
check alloc:2 4 "COULD NOT JUDGE the GPU has no memory for data" 6-coalesce/solution
check launch:701 1 "FAIL rejected: .* needs more registers" 6-coalesce/solution
check endless 4 "COULD NOT JUDGE stopped at its time limit of 2 s" 6-coalesce/solution
check "" 1 "FAIL wrong: y\[0\]: expected" 1-squares/solution # the fake does not know that kernel
check devices:0 3 "finds no GPU" 6-coalesce/solution

# The REPL continues after any of these, and the next run works: the second run finds the GPU whole.
session() { # WRONG FIRST-PATTERN
    : >"$TMPDIR/once"
    printf 'run 1.v1\nrun 1.v1 n=4096\nquit\n' >"$TMPDIR/commands"
    FAKE_ONCE=$TMPDIR/once FAKE_CUDA="once $1" "$WARPSTEP" --device gpu -c "lesson 1" -c "run 1.v1" >"$TMPDIR/out" 2>&1
    FAKE_ONCE=$TMPDIR/none FAKE_CUDA="once $1" "$WARPSTEP" --device gpu run 1.v1 >"$TMPDIR/after" 2>&1
    if grep -q "$2" "$TMPDIR/out" && grep -q "right, the CPU says the same" "$TMPDIR/after"; then
        pass
    else
        fail "after $1:"
        sed 's/^/    /' "$TMPDIR/out" "$TMPDIR/after"
    fi
}
session wait:700:1 out-of-bounds
session wait:719:40 "CUDA error 719"
session alloc:2:3 "no memory"

finish
