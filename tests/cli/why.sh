# why: lifting a limit removes exactly the time that it names; sentences state facts.
# Other tests: lessons.sh checks that named causes change as time does. tests/unit/card.c checks
# that the changes of every limit fit every card, and that every key belongs to a limit.
cd "$(dirname "$0")/../.." || exit 1
passed=0 failed=0
ok() { if [ "$1" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $2"; fi; }

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

echo "$passed passed, $failed failed"
