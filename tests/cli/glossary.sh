# `help WORD`: every word of the glossary is found by its name and its other spellings, fits 80 columns, and
# the step that shows it exists.
. tests/cases.sh
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

# New words: on the first step whose text has them, two at most, each once in a lesson.
for step in toolchain device copy v1 v2 v3 v3-512 v4 v5 v6; do
    "$WARPSTEP" goto 1.$step 2>/dev/null | awk '/^  New here/ { on = 1; next } /^ *$/ { on = 0 } on { sub(/:.*/, ""); print $0 }' >"$TMPDIR/new"
    [ "$(wc -l <"$TMPDIR/new")" -le 2 ]; ok $? "1.$step has two new words at most"
    cat "$TMPDIR/new" >>"$TMPDIR/all-new"
done
[ "$(wc -l <"$TMPDIR/all-new")" -gt 9 ]; ok $? "there are new words"
[ -z "$(sort "$TMPDIR/all-new" | uniq -d)" ]; ok $? "each is explained once: $(sort "$TMPDIR/all-new" | uniq -d)"
"$WARPSTEP" goto 1.v3 | grep -q '^    coalescing: '; ok $? "1.v3, the first to say coalesced, explains it"
finish
