# why: every limit that it lifts is a value that the cards have, and lifting one takes away what it names and no more.
cd "$(dirname "$0")/../.." || exit 1
passed=0 failed=0
ok() { if [ "$1" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $2"; fi; }
changes=$(sed -n '/^} lifted\[\] = {/,/^};/p' repl/limit.c | grep -o '[a-z0-9_][a-z0-9_]*=[0-9.]*x\{0,1\}')
[ "$(echo "$changes" | wc -l)" -gt 15 ]; ok $? "the table is found"
for card in 8800gt gtx1050 rtx2070 h200; do
    for change in $changes; do
        "$WARPSTEP" --device sim:$card -c "set sim.${change%=*} ${change#*=}" >/dev/null 2>"$TMPDIR/err"
        ok $? "$change on $card: $(cat "$TMPDIR/err")"
    done
done

# without conflicts the step with a conflict takes what the one without takes, within a thousandth
cycles() { sed -n 's/.*"metrics":{"cycles":\([0-9]*\),.*/\1/p'; }
for card in 8800gt gtx1050 h200; do
    free=$("$WARPSTEP" --device sim:$card --json run 7.banks-1 | cycles)
    lifted=$("$WARPSTEP" --device sim:$card --json why 7.banks-16 |
        sed -n 's/.*"limit":"further passes for bank conflicts"[^}]*"cycles":\([0-9]*\)}.*/\1/p')
    [ -n "$free" ] && [ -n "$lifted" ] && [ $((1000 * free / lifted)) -ge 999 ] && [ $((1000 * lifted / free)) -ge 999 ]
    ok $? "banks-16 without conflicts on $card: $lifted, banks-1 takes $free"
done
echo "$passed passed, $failed failed"
