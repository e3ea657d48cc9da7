# Every command refuses an option that it does not know, and a check that checked nothing fails.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
out=$TMPDIR/out
"$WARPSTEP" goto 1.v1 >"$out" 2>&1 && "$WARPSTEP" exercise 1.4 >"$out" 2>&1 # so that words may be left out

# COMMAND: words that it takes. The option stands alone, and behind them. "own": all words are another program's.
table='
next:
back:
goto: 1.v1
lesson: 1
lessons:
run: 1.v1 n=64
predict: 1.v3
progress:
demo: 1
why: 1.v1
explain: 1.v1
show: mem 1.v1
source: 1.v1
step: 1.v1
look: 1.v1
warps: 1.v1
ladder: 1
sweep: n 16 32
exercise: 1.4
exercises: 1
edit: 1.4
check: 1.4
watch: 1.4
hint: 1.4
solution: 1.4
diff: 1.4
reset: 1.4
skip: 1.4
grade: tests
try: tests/check/counts.ptx --grid 1 --block 32
exec:
nvcc: own
device: auto
devices:
set: seed 1
get: seed
notes:
export: md
doctor:
help: run
clear:
quit:
exit:
fidelity:
figures: check
generate: man
check-lessons: 1
new-lesson: saxpy
watch-lesson: 1
'
"$WARPSTEP" --json help >"$TMPDIR/help"
sed -n 's/.*"event":"command","name":"\([^"]*\)".*/\1/p' "$TMPDIR/help" | sort -u >"$TMPDIR/commands"
[ -s "$TMPDIR/commands" ]; ok $? "help lists the commands: $(head -n 2 "$TMPDIR/help")"
while read -r command; do
    row=$(echo "$table" | grep "^$command:")
    [ "$row" ]; ok $? "$command has a row in this test's table"
    words=${row#*:}
    [ "$words" = ' own' ] && continue
    for said in "$command --nonsense" "$command$words --nonsense" "$command$words --nonsense=1"; do
        # shellcheck disable=SC2086
        (cd "$TMPDIR" && ln -sf "$OLDPWD/tests" . && "$WARPSTEP" $said) >"$out" 2>&1 </dev/null
        got=$?
        [ $got = 2 ]; ok $? "$said: status $got, not 2: $(head -n 2 "$out")"
    done
done <"$TMPDIR/commands"

# nothing to check
mkdir "$TMPDIR/none" "$TMPDIR/own"
"$WARPSTEP" check-lessons 99 >"$out" 2>&1; [ $? = 2 ]; ok $? "a lesson that is not there: $(cat "$out")"
grep -q 'there is no lesson "99"' "$out"; ok $? "is named: $(cat "$out")"
"$WARPSTEP" --lessons-only "$TMPDIR/none" check-lessons >"$out" 2>&1; [ $? = 2 ]; ok $? "a folder without lessons: $(cat "$out")"
"$WARPSTEP" --lessons-only "$TMPDIR/none" figures check >"$out" 2>&1; [ $? = 2 ]; ok $? "figures of no lesson: $(cat "$out")"
"$WARPSTEP" grade "$TMPDIR/none" >"$out" 2>&1; [ $? = 2 ]; ok $? "a class of nobody: $(cat "$out")"
finish
