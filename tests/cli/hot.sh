# What the card's cache holds when timing starts: nothing (cold), or with --hot what an earlier run
# left there. Every screen says which. A card without a cache shows no difference.
. tests/cases.sh
export XDG_STATE_HOME="$TMPDIR/state" XDG_DATA_HOME="$TMPDIR/data"
check() { # check WHAT COMMAND...: COMMAND must succeed
    what=$1
    shift
    "$@"
    ok $? "$what"
}
cycles() { "$WARPSTEP" --json "$@" 2>/dev/null | sed -n 's/.*"event":"\(run\|try\)".*"cycles":\([0-9]*\).*/\2/p'; }
cache() { "$WARPSTEP" --json "$@" 2>/dev/null | sed -n 's/.*"event":"\(run\|try\)".*"cache":\([a-z"]*\).*/\2/p'; }
saxpy="try tests/try/kernels/saxpy.ptx:saxpy --grid 64 --block 256 --arg i32:16384 --arg f32:2 --arg f32[16384]:iota --arg f32[16384]:ones"
twice="$TMPDIR/twice"

# One block reads 4 MiB once. An H200's L2 holds them, and DRAM takes more than twice the L2's 280
# cycles.
cold=$(cycles --device sim:h200 run 1.v3)
hot=$(cycles --device sim:h200 --hot run 1.v3)
check "a cold run takes longer than a hot one ($cold, $hot)" [ "$cold" -gt $((2 * hot)) ]
check "the same for try" [ "$(cycles --device sim:h200 $saxpy)" -gt "$(cycles --device sim:h200 --hot $saxpy)" ]
check "again the same" [ "$(cycles --device sim:h200 run 1.v3)" = "$cold" ]
check "JSON says cold" [ "$(cache --device sim:h200 run 1.v3)" = '"cold"' ]
check "JSON says hot" [ "$(cache --device sim:h200 --hot run 1.v3)" = '"hot"' ]
check "and of try" [ "$(cache --device sim:h200 $saxpy)$(cache --device sim:h200 --hot $saxpy)" = '"cold""hot"' ]
check "a card without a cache has none" [ "$(cache --device sim:8800gt --hot run 1.v3)" = null ]
check "and takes no longer" [ "$(cycles --device sim:8800gt --hot run 1.v3)" = "$(cycles --device sim:8800gt run 1.v3)" ]

# A step that changes its input gives the right result twice, on the same input. So does a step
# with many launches.
for step in 3.bitonic 3.digits 4.atomic-add 1.v7; do
    "$WARPSTEP" --device sim:h200 --hot --json run $step >"$twice" 2>&1
    check "$step is right with --hot" grep -q '"correct":true' "$twice"
done
"$WARPSTEP" --device sim:h200 ladder 4 >"$twice" 2>&1
check "a ladder says cold" grep -q 'cache cold' "$twice"
"$WARPSTEP" --device sim:8800gt,sim:h200 --hot ladder 1 >"$twice" 2>&1
check "a ladder of two devices says hot" grep -q 'cache hot' "$twice"
check "and names the device so" grep -q 'sim:h200, hot' "$twice"
check "but not the one without a cache" sh -c "! grep -q 'sim:8800gt, hot' '$twice'"
finish
