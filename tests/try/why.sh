# --why: what holds a kernel back. Each kernel waits for one thing, which its text shows. Lifting a
# limit gives the time that `set` gives for the same change. A kernel without timing, or with a
# fault, is not explained.
. "$(dirname "$0")/kernels/lib.sh"
chase="waits.ptx:chase --grid 1 --block 1 --arg u32[1]:zero --arg u32:2000"
banks="waits.ptx:banks --grid 264 --block 32 --arg u32[1]:zero --arg u32:300 --check memory"
saxpy="saxpy.ptx:saxpy --block 256 --arg i32:1048576 --arg f32:2 --arg f32[1048576]:iota --arg f32[1048576]:ones"

expect 0 'A warp spends .* on memory latency and .*Without the latency of memory it would take' $chase --why
expect 0 'A warp spends .* on bank conflicts and .*Without further passes for bank conflicts it would take' $banks --why
# 4096 blocks: this card starts each 100 cycles after the last
device=sim:8800gt expect 0 'blocks are being started 100 %.*DRAM moves .* GB/s of 46.5 GB/s.*Without the time that blocks take' $saxpy --grid 4096 --why
# 8 registers per thread, 32 threads: 256 of 65536 registers per block. The limit is 32 blocks.
expect 0 'Occupancy: limit 50 %; achieved .* 32 blocks of 1 warp fit on a *multiprocessor at once: 32 of 64 warps. The tightest  *limit is blocks' $chase --why
# 80 KiB of 228 KiB: 2 blocks
expect 0 '2  *blocks of 8 warps fit .* The tightest  *limit is shared memory' $saxpy --grid 4096 --shared 81920 --why --check none

expect 2 '--why speaks of time, and with --shuffle there is none' $chase --why --shuffle 1
expect 2 'with those checks there is none' $chase --why --check race
expect 1 'out-of-bounds' saxpy.ptx:saxpy --grid 4 --block 256 --arg i32:1000 --arg f32:2 --arg f32[990]:iota --arg f32[1000]:ones --why
grep -q 'A warp spends' "$TMPDIR/out" && fail "a faulting kernel is explained"

# The time without a limit equals that of a card whose file has these values.
cards=$dir/../../../sim/cards
lifted() { # CARD ARGS...
    card=$1 looked=0
    shift
    "$WARPSTEP" --json --device "sim:$card" try "$@" --why >"$TMPDIR/out" 2>"$TMPDIR/err"
    sed 's/.*"without":\[//; s/\].*//; s/},{/\n/g' "$TMPDIR/out" | sed -n 's/.*"changes":"\([^"x]*\)","cycles":\([0-9]*\).*/\2 \1/p' >"$TMPDIR/without"
    while read -r cycles changes; do
        cp "$cards/$card.card" "$TMPDIR/other.card"
        for c in $changes; do
            sed "/^time.${c%%=*}:/d" "$TMPDIR/other.card" >"$TMPDIR/next" && mv "$TMPDIR/next" "$TMPDIR/other.card"
            echo "time.${c%%=*}: ${c#*=}" >>"$TMPDIR/other.card" # this adds a key that the card leaves out
        done
        "$WARPSTEP" --json --device "sim:$TMPDIR/other.card" try "$@" >"$TMPDIR/out" 2>"$TMPDIR/err"
        got=$(sed -n 's/.*"event":"try".*"cycles":\([0-9]*\).*/\1/p' "$TMPDIR/out")
        [ "$got" = "$cycles" ] || wrong "$changes: --why says $cycles cycles, a card with those values gives $got"
        looked=1
    done <"$TMPDIR/without"
    [ $looked = 1 ] || wrong "no limit is lifted of try $*"
}
lifted h200 $chase
lifted 8800gt $banks
finish
