# why: lifting a limit takes away what it names and no more; sentences name what is so.
# (That every limit's changes fit every card, and that no key is without a limit: tests/unit/card.c.)
cd "$(dirname "$0")/../.." || exit 1
passed=0 failed=0
ok() { if [ "$1" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $2"; fi; }

# without conflicts the step with a conflict takes what the one without takes, within a thousandth
cycles() { sed -n 's/.*"metrics":{"cycles":\([0-9]*\),.*/\1/p'; }
for card in 8800gt gtx1050 h200; do
    free=$("$WARPSTEP" --device sim:$card --json run 7.banks-1 | cycles)
    lifted=$("$WARPSTEP" --device sim:$card --json why 7.banks-16 |
        sed -n 's/.*"limit":"further passes for bank conflicts"[^}]*"cycles":\([0-9]*\)}.*/\1/p')
    [ -n "$free" ] && [ -n "$lifted" ] && [ $((1000 * free / lifted)) -ge 999 ] && [ $((1000 * lifted / free)) -ge 999 ]
    ok $? "banks-16 without conflicts on $card: $lifted, banks-1 takes $free"
done

# says STEP WORDS: the sentence has them. not STEP WORDS: nothing that why prints has.
why() { "$WARPSTEP" --json why "$1" >"$TMPDIR/why"; }
says() { grep -q "\"why\":\"[^\"]*$2" "$TMPDIR/why"; ok $? "why $1 does not say $2: $(cat "$TMPDIR/why")"; }
silent() { ! grep -q "$2" "$TMPDIR/why"; ok $? "why $1 says $2: $(cat "$TMPDIR/why")"; }
why 6.width # each access needs one pass for each of its words, and no bank is asked twice
silent 6.width 'conflict'
why 6.shared-limit
says 6.shared-limit '6 blocks instead of 8 on a multiprocessor at a time'
why 5.shared-double
says 5.shared-double 'operations in double precision where there were none, which this card does at 1/32 of the rate'
why 3.atomic-min # a loop that lanes go around at one word
silent 3.atomic-min '[1-9][0-9]* % of its time on bank conflicts'

# A cause that a sentence names changed the way that makes time change as it did, over all steps of all lessons: fewer
# multiprocessors or warps may make a step slower, more of everything else may. The rows are those of check-lessons.
"$WARPSTEP" --json check-lessons >"$TMPDIR/rows"
ok $? "check-lessons"
tr '{' '\n' <"$TMPDIR/rows" | awk -F'[:,"]+' '
    function verdict(good) { good ? right++ : wrong++; if (!good) print "FAIL the direction of " cause " in " step }
    /"event":"why"/ { step = ""; for (i = 1; i < NF; i++) { if ($i == "lesson") step = $(i + 1); if ($i == "step") step = step "." $(i + 1) }; n = 0; steps++ }
    /^"name":.*"now":.*"before":/ {
        for (i = 1; i < NF; i++) { if ($i == "name") names[n] = $(i + 1); if ($i == "now") now[n] = $(i + 1); if ($i == "before") old[n] = $(i + 1) }
        n++
    }
    /"cycles_before":/ && n {
        for (i = 1; i < NF; i++) { if ($i == "cycles") c = $(i + 1); if ($i == "cycles_before") b = $(i + 1) }
        for (k = 0; k < n; k++) {
            cause = names[k]
            few = cause == "busy_multiprocessors" || cause == "resident_warps"
            verdict(c != b && now[k] != old[k] && ((now[k] + 0 > old[k] + 0) != few) == (c + 0 > b + 0))
        }
        n = 0
    }
    END { verdict(steps > 70); print right + 0, wrong + 0 }' >"$TMPDIR/property"
grep FAIL "$TMPDIR/property"
counts=$(tail -n 1 "$TMPDIR/property")
passed=$((passed + ${counts% *})) failed=$((failed + ${counts#* }))
echo "$passed passed, $failed failed"
