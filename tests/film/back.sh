# The frames of each lesson step's first block are the same forwards and backwards, to the byte.
# FRAMES=10000 compares more of them.
frames=${FRAMES:-40}
passed=0 failed=0
for lesson in $("$WARPSTEP" --json lessons | sed -n 's/.*"event":"lesson[^"]*".*"lesson":\([0-9]*\).*/\1/p'); do
    for step in $("$WARPSTEP" --json lesson "$lesson" | sed -n 's/.*"steps":\[\([^]]*\)\].*/\1/p' | tr -d '"' | tr ',' ' '); do
        "$WARPSTEP" --json step "$lesson.$step" --to "$frames" >"$TMPDIR/forth" 2>"$TMPDIR/error" || {
            grep -q "runs no kernel\|is a whole program" "$TMPDIR/error" || { echo "FAIL $lesson.$step: $(head -1 "$TMPDIR/error")"; failed=$((failed + 1)); }
            continue
        }
        "$WARPSTEP" --json step "$lesson.$step" --to "$frames" --back >"$TMPDIR/back"
        awk '{ line[NR] = $0 } END { for (i = NR; i; i--) print line[i] }' "$TMPDIR/back" >"$TMPDIR/turned"
        if [ -s "$TMPDIR/forth" ] && cmp -s "$TMPDIR/forth" "$TMPDIR/turned"; then passed=$((passed + 1))
        else
            echo "FAIL $lesson.$step: frames differ on the way back"
            failed=$((failed + 1))
        fi
    done
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 50 ]
