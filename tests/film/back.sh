# The frames of each lesson step's first block are the same forwards and backwards, to the byte.
# FRAMES=10000 compares more of them.
. tests/cases.sh
frames=${FRAMES:-40}
for lesson in $("$WARPSTEP" --json lessons | sed -n 's/.*"event":"lesson[^"]*".*"lesson":\([0-9]*\).*/\1/p'); do
    for step in $("$WARPSTEP" --json lesson "$lesson" | sed -n 's/.*"steps":\[\([^]]*\)\].*/\1/p' | tr -d '"' | tr ',' ' '); do
        "$WARPSTEP" --json step "$lesson.$step" --to "$frames" >"$TMPDIR/forth" 2>"$TMPDIR/error" || {
            grep -q "runs no kernel\|is a whole program" "$TMPDIR/error" || fail "$lesson.$step: $(head -1 "$TMPDIR/error")"
            continue
        }
        "$WARPSTEP" --json step "$lesson.$step" --to "$frames" --back >"$TMPDIR/back"
        awk '{ line[NR] = $0 } END { for (i = NR; i; i--) print line[i] }' "$TMPDIR/back" >"$TMPDIR/turned"
        if [ -s "$TMPDIR/forth" ] && cmp -s "$TMPDIR/forth" "$TMPDIR/turned"; then
            pass
        else
            fail "$lesson.$step: frames differ on the way back"
        fi
    done
done
[ "$passed" -gt 50 ] || fail "only $passed steps have frames"
finish
