# why: lifting a limit removes exactly the time that it names; sentences state facts.
# Other tests: lessons.sh checks that named causes change as time does. tests/unit/card.c checks
# that the changes of every limit fit every card, and that every key belongs to a limit.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1

# Without bank conflicts, the step with conflicts takes as long as the step without, within 0.1 %.
cycles() { sed -n 's/.*"metrics":{"cycles":\([0-9]*\),.*/\1/p'; }
for card in 8800gt gtx1050 h200; do
    free=$("$WARPSTEP" --device sim:$card --json run 7.banks-1 | cycles)
    lifted=$("$WARPSTEP" --device sim:$card --json why 7.banks-16 |
        sed -n 's/.*"limit":"further passes for bank conflicts"[^}]*"cycles":\([0-9]*\)}.*/\1/p')
    [ -n "$free" ] && [ -n "$lifted" ] && [ $((1000 * free / lifted)) -ge 999 ] && [ $((1000 * lifted / free)) -ge 999 ]
    ok $? "banks-16 without conflicts on $card: $lifted, banks-1 takes $free"
done

# says STEP WORDS: the sentence contains WORDS. silent STEP WORDS: why prints them nowhere.
why() { "$WARPSTEP" --json why "$1" >"$TMPDIR/why"; }
says() { grep -q "\"why\":\"[^\"]*$2" "$TMPDIR/why"; ok $? "why $1 does not say $2: $(cat "$TMPDIR/why")"; }
silent() { ! grep -q "$2" "$TMPDIR/why"; ok $? "why $1 says $2: $(cat "$TMPDIR/why")"; }
why 6.width # each access needs one pass per word; no bank has a conflict
silent 6.width 'conflict'
why 6.shared-limit
says 6.shared-limit '6 blocks instead of 8 on a multiprocessor at a time'
why 5.shared-double
says 5.shared-double 'operations in double precision where there were none, which this card does at 1/32 of the rate'
why 3.atomic-min # a loop in which lanes compete for one word
silent 3.atomic-min '[1-9][0-9]* % of its time on bank conflicts'

# Lesson 10: what an H200's units did. `why` and `run` print the same sentence, and `run` does not run each step ten
# times more for the limits, which the cases above check.
why() { "$WARPSTEP" --device sim:h200 run "$1" | sed -n '/^  Why: /,/^$/p' | tr -s '\n ' ' ' >"$TMPDIR/why"; }
says() { grep -q "^ Why: .*$2" "$TMPDIR/why"; ok $? "run $1 does not say $2: $(cat "$TMPDIR/why")"; }
why 10.mma # its loads queue behind passes over shared memory, not behind transactions
says 10.mma 'passes over shared memory, 25 for each access'
silent 10.mma 'transactions, '
said=$(sed 's/^ Why: //; s/ $//' "$TMPDIR/why")
"$WARPSTEP" --device sim:h200 --json why 10.mma | grep -q "^[^{]*{.*\"why\":\"$said\""
ok $? "why 10.mma says what its run says"
why 10.stages # as many passes, but no warp waits for a load any more
says 10.stages 'instructions copy in the background, where none did'
why 10.cluster # each tile of B comes once for two blocks: a quarter less from the L2
says 10.cluster '1,572,864 transactions instead of 2,097,152'
why 10.cluster-release # the arrival that its fence holds up is what all others wait for
says 10.cluster-release 'Waiting at barriers takes'
says 10.cluster-release 'as many transactions, warp instructions, passes over shared memory'
why 10.store # 64 x 32 floats at a time by the copy unit, no longer 32 times 4 bytes by a warp
says 10.store 'warps write memory 1,024 times, not 65,536 times'
silent 10.store 'passes for each access'
# 2 * 1024 * 1024 * 2048 operations at 4,096 (bf16) or 2,048 (tf32) a clock of each of 132 multiprocessors
why 10.tf32
says 10.tf32 'the tensor units need 15,888 cycles for the products, not 7,944'
silent 10.tf32 'barriers [0-9]'

finish
