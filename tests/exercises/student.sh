# A student's path: open an exercise, check it, learn what is wrong, take hints, pass. Nothing is
# ever lost.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
PATH=$PWD/tests/exercises/stand-in:$PATH
WARPSTEP_COMPILER=nvcc
export WARPSTEP_COMPILER
out=$TMPDIR/out
# says STATUS TEXT COMMAND...: the command ends with STATUS and prints TEXT
says() {
    want=$1 text=$2
    shift 2
    "$WARPSTEP" "$@" >"$out" 2>&1 </dev/null
    got=$?
    if [ $got = "$want" ] && grep -q -e "$text" "$out"; then pass; else
        fail "$*: status $got, expected $want and \"$text\" in: $(head -n 6 "$out")"
    fi
}
mine=$HOME/.local/share/warpstep/exercises
answers=lessons/01-sum-of-squares/exercises

says 2 'no lesson has been chosen' exercise
says 2 'no exercise has been chosen' check
says 2 'lesson 1 has no exercise "99"' exercise 1.99
says 2 'try: exercise 1.squares' exercise 1.sqares
says 0 'Your file: ~/.local/share/warpstep/exercises/1.1-squares.cu' exercise 1.1
cmp -s "$mine/1.1-squares.cu" $answers/1-squares/starter.cu; ok $? "the starter is put there"
says 1 'FAIL  wrong: y\[0\]: expected [0-9]*, got 0' check
says 1 'expected [0-9]*, got 0; it was never written' check 1.1
says 1 'is explained once it is passed' explain
says 1 'is not passed yet' solution
says 0 'Hint 1 of 3' hint
says 0 'Hint 2 of 3' hint
says 2 'a number from 1 to 3' hint 1.1 7
says 0 'Hint 1 of 3' hint 1
says 0 'Hint 3 of 3' hint
says 0 'next: exercise 1.2' skip
says 0 'the two are the same' diff

# each kind of mistake, and where the message places it
put() { cp "$answers/$2" "$mine/$1"; }
put 1.1-squares.cu 1-squares/wrong-guard.cu
says 1 'out-of-bounds: ' check
says 1 '1.1-squares.cu:4: block (0,0,0) thread (1,0,0)' check
says 1 '    4 |     y\[i\] = x\[i\] \* x\[i\];' check
put 1.1-squares.cu 1-squares/wrong-float.cu
says 1 'wrong: y\[[0-9]*\]: expected' check
says 1 '1.1-squares.cu:6: written by block' check
says 1 'filled with' check
echo 'this is no C' >"$mine/1.1-squares.cu"
says 1 'rejected: nvcc does not accept it' check
says 1 'error: the stand-in does not know this program' check
echo '#include "/etc/passwd"' >"$mine/1.1-squares.cu"
says 1 'an answer includes no files' check
cp tests/grade/endless.cu "$mine/1.1-squares.cu"
says 1 'endless' check
cp tests/grade/everyone.cu "$mine/1.1-squares.cu" # the loops end, but each thread visits all numbers
says 1 'of them by this warp (one of' check
says 1 'If each thread loops over all the data, give each its share' check
cp tests/grade/host-function.cu "$mine/1.1-squares.cu"
says 1 'square is there, but it is no kernel' check
says 1 'Begin it as the starter does: extern "C" __global__ void square' check
rm "$mine/1.1-squares.cu"; ln -s /etc/passwd "$mine/1.1-squares.cu"
says 2 'is not taken: it is a link' check
says 2 'is not taken: it is a link' diff
rm "$mine/1.1-squares.cu"; mkfifo "$mine/1.1-squares.cu"
says 2 'is not taken: it is no plain file' check
rm "$mine/1.1-squares.cu"; mkdir "$mine/1.1-squares.cu"
says 2 'is not taken: it is no plain file' check
rmdir "$mine/1.1-squares.cu"; dd if=/dev/null of="$mine/1.1-squares.cu" bs=1 seek=5000000000 2>/dev/null
says 2 'is not taken: it is longer than an answer may be' check
rm "$mine/1.1-squares.cu"
says 2 'there is no .*1.1-squares.cu, not yet or no longer' check
ln -s /nowhere/to/be/found "$mine/1.1-squares.cu"
says 0 'kept as .*1.1-squares.cu.1' reset
[ -L "$mine/1.1-squares.cu.1" ]; ok $? "a link is kept as a link"
rm "$mine/1.1-squares.cu.1"
cp tests/grade/trap.cu "$mine/1.1-squares.cu" # each is a different kernel, so no stored verdict is used

# a pass, and what it unlocks
put 1.1-squares.cu 1-squares/other.cu
says 0 'PASS  all [0-9]* cases, compiled by nvcc' check
says 0 'next: exercise 1.2' check
says 0 'One thread per element' explain
says 0 'int i = blockIdx.x' solution
says 0 '^+ __device__ int squared' diff
says 0 'left it: ' exercise 1.1
cmp -s "$mine/1.1-squares.cu" $answers/1-squares/other.cu; ok $? "taking it up again leaves the file alone"
says 0 'kept as ~/.*1.1-squares.cu.1' reset
says 0 'kept as ~/.*1.1-squares.cu.2' reset
cmp -s "$mine/1.1-squares.cu.1" $answers/1-squares/other.cu; ok $? "the backup is the file as it was"
says 0 '1.1  Square every number .* passed' exercise
says 0 '"event":"exercise","lesson":1,"exercise":"1.1","name":"squares".*"state":"passed"' --json exercise

# the other exercises
says 1 'race: ' check 1.4 $answers/4-barrier/starter.cu
says 1 'deadlock: ' check 1.4 $answers/4-barrier/wrong-inside.cu
says 1 'writes element [0-9]* of shared memory' check 1.4 $answers/4-barrier/wrong-first.cu # a missing barrier, not a missing write
says 1 'Put __syncthreads() between the two' check 1.4 $answers/4-barrier/wrong-first.cu
says 1 'uninitialised: ' check 1.5 $answers/5-leftover/starter.cu
says 1 'short of the goal: 1,049,088 transactions; the goal is 69,350' check 1.6 $answers/6-coalesce/starter.cu
says 1 'RIGHT  on sim:h200 in all 25 cases' --device sim:h200 check 1.6 $answers/6-coalesce/starter.cu
says 0 '1.6 .* tried' exercise
says 0 'on sim:8800gt  *starter  *yours  *ours  *goal' check 1.6 $answers/6-coalesce/other.cu
says 0 '^  cycles  *[0-9,]*  [0-9 ,]*  [0-9 ,]*$' check 1.6 $answers/6-coalesce/other.cu
says 0 '^  transactions  *1,049,088  *66,048  *66,048  at most 69,350$' check 1.6 $answers/6-coalesce/other.cu
says 1 '^  transactions  *1,049,088  *1,049,088  *66,048  at most 69,350  *missed$' check 1.6 $answers/6-coalesce/starter.cu
says 0 '"cycles":[0-9]*,"solution_cycles":[0-9]*,"starter_cycles":[0-9]' --json check 1.6 $answers/6-coalesce/other.cu
says 0 'on sim:8800gt  *yours  *ours  *goal' check 1.1 $answers/1-squares/other.cu # its starter does nothing
says 1 'bytes\? *\|KiB asked by the busiest thread; the' check 1.1 $answers/1-squares/wrong-one.cu
says 1 'asked by the busiest block; the' check 1.6 $answers/6-coalesce/wrong-half.cu
says 1 '"verdict":"fail","reason":"race".*"fault":{"line":16,"block":\[0,0,0\],"thread":' --json check 1.4 $answers/4-barrier/starter.cu
says 1 '"goals":\[{"metric":"transactions","reached":false,"ours":1049088,"most":69350.4[0-9]*,"solution":66048,"starter":1049088},{"metric":"max_block_bytes","reached":true' --json check 1.6 $answers/6-coalesce/starter.cu
says 0 'Or say it here: check NUMBER' exercise 1.3
says 1 'there is no line "answer: NUMBER" yet' check
says 1 '512 is not what the card counts' check 512
! grep -q 4352 "$out"; ok $? "a wrong guess does not give the answer away"
says 0 'PASS  4,352 is what' check 4352
says 0 'PASS' check 1.3 '4,352'

# a fault is seen where it happens: the command that check prints, with the case's own inputs
says 1 'step 1.4 lessons/.*/4-barrier/starter.cu --case 1 --seed [0-9]* --at 0,0,0 --find fault' check 1.4 $answers/4-barrier/starter.cu
words=$(sed -n 's/^ *step //p' "$out")
# shellcheck disable=SC2086
says 0 'A race: thread ([0-9]*,0,0) reads here what thread ([0-9]*,0,0) wrote at line 16' step $words --text
grep -q 'The other side is step [0-9]' "$out"; ok $? "both sides of the race are frames"
grep -q '"n":257' "$out" || grep -q 'block 0,0,0 of 2 x 1 x 1' "$out"; ok $? "the inputs are those of the case"
put 1.1-squares.cu 1-squares/wrong-guard.cu
says 1 'step 1.1 --case [0-9]* --seed [0-9]* --at 0,0,0 --find fault' check 1.1
says 0 'Here the kernel fails: out-of-bounds, in thread (1,0,0)' step 1.1 --case 1 --find fault --text
says 0 'step 1, clock 0' step --text --to 1 # the exercise at hand
says 1 'error: the stand-in does not know' step 1.1 tests/lessons/01-tiny/race.cu
says 1 'the exercise has no case 999' step 1.1 --case 999
says 2 'is looked at on the card of its exercise' step 1.1 --device sim:h200
says 0 'every_second' step 1.3 --text --to 1

# the same seed gives the same inputs; the next check uses other inputs
"$WARPSTEP" --seed 5 check 1.4 $answers/4-barrier/wrong-warp.cu >"$TMPDIR/a"
"$WARPSTEP" --seed 5 check 1.4 $answers/4-barrier/wrong-warp.cu >"$TMPDIR/b"
cmp -s "$TMPDIR/a" "$TMPDIR/b"; ok $? "the same verdict from the same seed"
"$WARPSTEP" check 1.2 $answers/2-tail/starter.cu | grep -o 'seed [0-9]*' >"$TMPDIR/a"
"$WARPSTEP" check 1.2 $answers/2-tail/starter.cu | grep -o 'seed [0-9]*' >"$TMPDIR/b"
[ -s "$TMPDIR/a" ] && ! cmp -s "$TMPDIR/a" "$TMPDIR/b"; ok $? "fresh inputs on the next check"

# files with the conventions of other systems
{ printf '\357\273\277'; cat $answers/1-squares/other.cu; } >"$TMPDIR/bom.cu"
says 0 'PASS' check 1.1 "$TMPDIR/bom.cu"
{ printf '\377\376'; cat $answers/1-squares/other.cu; } >"$TMPDIR/wide.cu"
says 1 'this is UTF-16; save it as UTF-8' check 1.1 "$TMPDIR/wide.cu"
printf 'a\000b' >"$TMPDIR/nul.cu"
says 1 'there is a NUL byte here' check 1.1 "$TMPDIR/nul.cu"
XDG_DATA_HOME=/dev/null/x says 4 'there is no place for a file of yours' exercise 1.1
XDG_DATA_HOME=/dev/null/x says 0 'PASS' check 1.1 $answers/1-squares/other.cu

# two checks at the same time
"$WARPSTEP" check 1.6 $answers/6-coalesce/other.cu >"$TMPDIR/a" & one=$!
"$WARPSTEP" check 1.4 $answers/4-barrier/starter.cu >"$TMPDIR/b" & two=$!
wait $one; ok $? "a check passes beside another"
wait $two; [ $? = 1 ]; ok $? "and that one fails"

# an editor, and one that fails
EDITOR="cp $answers/2-tail/solution.cu"; export EDITOR
says 0 'check  hint' edit 1.2
cmp -s "$mine/1.2-tail.cu" $answers/2-tail/solution.cu; ok $? "the editor got the file"
EDITOR=false says 2 'did not end well' edit 1.2
EDITOR=no-such-editor says 2 'cannot be started; your file is' edit 1.2
mkdir "$TMPDIR/my own"; printf '#!/bin/sh\nshift $(($# - 1)); cp "%s/2-tail/solution.cu" "$1"\n' "$PWD/$answers" >"$TMPDIR/my own/ed"
chmod +x "$TMPDIR/my own/ed"
"$WARPSTEP" reset 1.2 >/dev/null
EDITOR="$TMPDIR/my own/ed" says 0 'check  hint' edit 1.2
cmp -s "$mine/1.2-tail.cu" $answers/2-tail/solution.cu; ok $? "an editor with a blank in its path"
"$WARPSTEP" reset 1.2 >/dev/null
EDITOR="'$TMPDIR/my own/ed' -w" says 0 'check  hint' edit 1.2
cmp -s "$mine/1.2-tail.cu" $answers/2-tail/solution.cu; ok $? "one with options"
says 0 'PASS' watch 1.2
"$WARPSTEP" reset 1.2 >/dev/null
"$WARPSTEP" watch 1.2 >"$TMPDIR/watch" & watching=$!
n=0; while ! grep -q FAIL "$TMPDIR/watch" && [ $n -lt 6000 ]; do sleep 0.1; n=$((n + 1)); done
cp $answers/2-tail/solution.cu "$mine/new" && mv "$mine/new" "$mine/1.2-tail.cu"
wait $watching; ok $? "watch checks again after a save, and ends with a pass"
grep -q PASS "$TMPDIR/watch"; ok $? "and says so"

WARPSTEP_COMPILER=none says 3 'get-compiler' check 1.2
! grep -q FAIL "$out"; ok $? "without a compiler nothing is said against the answer"
WARPSTEP_COMPILER=none says 3 'get-compiler' why
finish
