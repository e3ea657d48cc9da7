# Each mistake is found, named, and placed in the source, whichever compiler made the PTX. A check
# that --check leaves out does not run.
. "$(dirname "$0")/kernels/lib.sh"

# fault KIND LINE KERNEL ARGS...
fault() {
    kind=$1 line=$2 kernel=$3
    shift 3
    expect 1 "$kind.* at faults.cu:$line in $kernel" "faults.cu:$kernel" "$@"
    sed -n "${line}p" faults.cu >"$TMPDIR/line"
    grep -q -F -- "$(sed "s/^ *//" "$TMPDIR/line" | cut -c1-30)" "$TMPDIR/out" || wrong "$kernel: line $line is not quoted"
}
any=
for compiler in nvrtc nvcc clang; do
    has $compiler || continue
    any=yes
    export WARPSTEP_COMPILER=$compiler
    fault out-of-bounds 5 outside --grid 1 --block 64 --arg 'i32[60]:zero'
    grep -q 'thread (60,0,0) and 3 other lanes' "$TMPDIR/out" || wrong "outside: not thread 60 and its neighbours"
    fault race 11 race --grid 1 --block 64 --arg 'i32[64]' --check race
    fault uninitialised 11 race --grid 1 --block 64 --arg 'i32[64]' --check init --dump 0
    expect 0 'note: uninitialised' faults.cu:race --grid 1 --block 64 --arg 'i32[64]' --check init
    expect 0 'asked for' faults.cu:race --grid 1 --block 64 --arg 'i32[64]' --check none
    expect 0 'asked for' faults.cu:race --grid 1 --block 64 --arg 'i32[64]' --check memory,barrier
    fault race 15 between_blocks --grid 3 --block 1 --arg 'i32[1]'
    expect 0 'ok' faults.cu:between_blocks --grid 1 --block 1 --arg 'i32[1]'
    fault uninitialised 19 unwritten --grid 1 --block 32 --arg 'f32[32]' --arg 'f32[32]' --dump 1
    fault uninitialised 19 unwritten --grid 1 --block 32 --arg 'f32[32]' --arg 'f32[32]' --save "1=$TMPDIR/saved"
    expect 0 'note: uninitialised' faults.cu:unwritten --grid 1 --block 32 --arg 'f32[32]' --arg 'f32[32]'
    expect 0 'ok' faults.cu:unwritten --grid 1 --block 32 --arg 'f32[32]:zero' --arg 'f32[32]'
    fault misaligned 34 misaligned --grid 1 --block 1 --arg 'i8[8]'
    fault out-of-bounds 38 null --grid 1 --block 1 --arg u64:0
    fault trap 42 asserts --grid 1 --block 1 --arg i32:3
    expect 0 'ok' faults.cu:asserts --grid 1 --block 1 --arg i32:2
    expect 1 'stack-overflow' faults.cu:stack --grid 1 --block 1 --arg 'i32[1]' --arg i32:1000000
    expect 0 'ok' faults.cu:stack --grid 1 --block 1 --arg 'i32[1]' --arg i32:5
    fault trap 56 traps --grid 1 --block 1
    fault out-of-bounds 61 not_given --grid 1 --block 32 --arg 'i32[32]'
    grep -q 'gives no dynamic shared memory' "$TMPDIR/out" || wrong "not_given: the advice is not about dynamic shared memory"
    expect 0 'ok' faults.cu:not_given --grid 1 --block 32 --shared 128 --arg 'i32[32]'
    expect 1 'out-of-bounds.*more dynamic shared' faults.cu:not_given --grid 1 --block 32 --shared 64 --arg 'i32[32]'
    expect 1 'Pass the kernel a pointer' faults.cu:null --grid 1 --block 1 --arg u64:0
    fault use-after-free 76 twice --grid 1 --block 1 --arg 'i32[1]'
    grep -q 'Call free once' "$TMPDIR/out" || wrong "twice: the advice is not about free"
    expect 124 'endless at faults.cu:68 .*thread (32,0,0)' faults.cu:waits_for_it --grid 1 --block 64 --arg 'i32[1]:zero' --limit 1
    # The race is the same in timed order, in which blocks run concurrently, and in shuffled order.
    fault race 80 blocks_add --grid 2 --block 64 --arg 'i32[64]:zero'
    fault race 80 blocks_add --grid 2 --block 64 --arg 'i32[64]:zero' --check race
    fault race 80 blocks_add --grid 2 --block 64 --arg 'i32[64]:zero' --shuffle 3
    # The results of a faulting run are still shown.
    expect 1 'FAULT.*buffer 0.*0: 0' faults.cu:outside --grid 1 --block 64 --arg 'i32[1]:zero' --dump 0
done
finish
