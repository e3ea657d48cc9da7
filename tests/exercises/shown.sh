# Every command that a verdict prints runs, and shows what the verdict is about: `step ... --find fault`
# goes to a frame that says which fault, for each kind of it.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
PATH=$PWD/tests/exercises/stand-in:$PATH
WARPSTEP_COMPILER=nvcc EDITOR=true
export WARPSTEP_COMPILER EDITOR
out=$TMPDIR/out
one=lessons/01-sum-of-squares/exercises two=lessons/02-matrix-multiplication/exercises

# shows EXERCISE FILE KIND TEXT: the verdict is KIND; the command that it prints prints TEXT, on the frame of a fault
shows() {
    "$WARPSTEP" check "$1" "$2" >"$out" 2>&1
    grep -q "FAIL  $3: " "$out"; ok $? "$1 $2 is $3: $(head -n 3 "$out")"
    command=$(sed -n 's/^    step /step /p' "$out")
    [ "$command" ]; ok $? "$1 $2: a command is printed"
    # shellcheck disable=SC2086
    "$WARPSTEP" $command >"$out" 2>&1; ok $? "$command: status $?"
    tr '\n' ' ' <"$out" | tr -s ' ' | grep -q -e "$4"; ok $? "$command prints \"$4\": $(tail -n 4 "$out")"
    # shellcheck disable=SC2086
    "$WARPSTEP" --json $command 2>&1 | grep -q '"fault":true'; ok $? "$command: a frame with a fault in the JSON"
}
shows 1.1 $one/1-squares/wrong-guard.cu out-of-bounds 'Here the kernel fails: out-of-bounds, in thread (1,0,0)'
shows 1.1 $one/1-squares/wrong-trap.cu trap 'Here the kernel fails: trap'
shows 1.4 $one/4-barrier/starter.cu race 'A race: thread .* nothing orders the two'
shows 1.4 $one/4-barrier/wrong-inside.cu deadlock 'FAULT 13 .*Here the kernel fails: deadlock, in thread (0,0,0)'
shows 1.5 $one/5-leftover/starter.cu uninitialised 'What thread (0,0,0) stores here comes from memory that was never written'
shows 2.2 $two/2-edges/starter.cu uninitialised 'stores here comes from memory that was never written'
shows 2.5 $two/5-pad/wrong-half.cu uninitialised 'stores here comes from memory that was never written'
shows 2.7 $two/7-two-buffers/wrong-moved.cu race 'A race: '
shows 1.1 tests/grade/wait.cu uninitialised 'Here the kernel fails: uninitialised'

# one that never ends fails nowhere
"$WARPSTEP" check 1.1 tests/grade/endless.cu >"$out" 2>&1
grep -q 'FAIL  endless: ' "$out" && ! grep -q 'find fault' "$out"; ok $? "no frame is promised of an endless kernel: $(cat "$out")"

# what else a verdict names, for one that is wrong, one that is short of a goal and one that passes
for answer in "1.4 $one/4-barrier/starter.cu" "1.6 $one/6-coalesce/starter.cu" "2.5 $two/5-pad/starter.cu" "1.1 $one/1-squares/other.cu"; do
    id=${answer%% *}
    "$WARPSTEP" exercise "$id" >"$out" 2>&1
    cp "${answer#* }" "$(echo "$HOME"/.local/share/warpstep/exercises/"$id"-*.cu)"
    "$WARPSTEP" check >"$out" 2>&1
    tail -n 1 "$out" | sed 's/^ *//; s/next: //; s/   */#/g' | tr '#' '\n' |
        awk '{ n = split($2, a, "|"); for (i = 1; i <= n || i == 1; i++) print $1 (n ? " " a[i] : "") }' >"$TMPDIR/commands"
    [ -s "$TMPDIR/commands" ]; ok $? "$id: commands to go on with: $(tail -n 1 "$out")"
    while read -r command; do
        # shellcheck disable=SC2086
        "$WARPSTEP" $command >"$TMPDIR/said" 2>&1 </dev/null
        got=$?
        [ $got -le 1 ]; ok $? "$id: $command: status $got: $(head -n 2 "$TMPDIR/said")"
    done <"$TMPDIR/commands"
done
finish
