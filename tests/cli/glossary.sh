# `help WORD`: every word of the glossary is found by its name and its other spellings, fits 80 columns, and
# the step that shows it exists.
passed=0 failed=0
ok() { if [ "$1" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $2"; fi; }
"$WARPSTEP" --json help words >"$TMPDIR/words"
[ "$(wc -l <"$TMPDIR/words")" -gt 40 ]; ok $? "help words lists them"
key() { sed -n 's/.*"'"$1"'":"\([^"]*\)".*/\1/p'; }
while read -r line; do
    name=$(echo "$line" | key name)
    "$WARPSTEP" help $name >"$TMPDIR/said" 2>&1; ok $? "help $name"
    awk 'length > 80 { bad = 1 } END { exit bad }' "$TMPDIR/said"; ok $? "help $name fits"
    echo "$line" | key also | tr ',' '\n' | sed 's/^ *//; /^$/d' >"$TMPDIR/also"
    while read -r other; do
        "$WARPSTEP" help $other 2>&1 | head -1 | grep -q -x "$name"; ok $? "help $other is help $name"
    done <"$TMPDIR/also"
    for step in $(echo "$line" | key see); do
        "$WARPSTEP" --json lesson "${step%%.*}" | grep -q "\"${step#*.}\""; ok $? "$name: there is no step $step"
    done
done <"$TMPDIR/words"
"$WARPSTEP" help WARPS 2>&1 | grep -q '^warp'; ok $? "capitals, and an s more"
"$WARPSTEP" help no such word >/dev/null 2>&1; [ $? = 2 ]; ok $? "an unknown word"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
