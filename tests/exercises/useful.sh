# A goal is about what its exercise is about: work that leads to nothing reaches none, and an honest answer of another
# shape reaches all. tests/unit/chains.c has what is counted.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
PATH=$PWD/tests/exercises/stand-in:$PATH
WARPSTEP_COMPILER=nvcc
export WARPSTEP_COMPILER
out=$TMPDIR/out
# says EXERCISE FOLDER ANSWER TEXT: the verdict on an answer of the exercise's folder
says() {
    "$WARPSTEP" check "$1" lessons/$2/$3.cu >"$out" 2>&1 </dev/null
    tr '\n' ' ' <"$out" | tr -s ' ' | grep -q -e "$4"; ok $? "$1 $3: \"$4\" in: $(head -n 4 "$out")"
}
goes() { says "$1" "$2" solution 'PASS all'; says "$1" "$2" other 'PASS all'; }

# one addition after the other: 31 for a warp of 32 numbers, and 7 for the sums of 8 warps; a tree of 256 has 8
tree=01-sum-of-squares/exercises/4-barrier
says 1.4 $tree wrong-serial 'FAIL right, but short of the goal: 38 steps in a row; the goal is 18'
says 1.4 $tree wrong-serial 'Add as a tree: each round halves the row of additions that is left'
goes 1.4 $tree
for answer in tree-four tree-shuffles; do
    "$WARPSTEP" check 1.4 tests/grade/$answer.cu >"$out" 2>&1 </dev/null
    grep -q 'PASS  all' "$out"; ok $? "1.4 $answer: a tree of another shape passes: $(head -n 8 "$out")"
done
says 1.5 01-sum-of-squares/exercises/5-leftover wrong-serial 'FAIL right, but short of the goal: 38 steps in a row; the goal is 18'
goes 1.5 01-sum-of-squares/exercises/5-leftover
says 5.6 05-reduction/exercises/6-any-block wrong-serial 'FAIL right, but short of the goal: [0-9]* steps in a row'
goes 5.6 05-reduction/exercises/6-any-block
# one thread counts, and the others read
says 4.1 04-atomics/exercises/1-histogram wrong-idle 'FAIL right, but short of the goal: [0-9,]* places of the busiest thread; the goal is 40'
goes 4.1 04-atomics/exercises/1-histogram
says 4.6 04-atomics/exercises/6-half-words wrong-idle 'FAIL right, but short of the goal: [0-9,]* places of the busiest thread; the goal is 40'
goes 4.6 04-atomics/exercises/6-half-words
# one thread sorts all, in few steps, and the others read; 38 words are those of a list, of offers and of the output
says 3.2 03-sorting/exercises/2-used-up wrong-idle 'FAIL right, but short of the goal: 1,536 words of the busiest thread; the goal is 140'
goes 3.2 03-sorting/exercises/2-used-up
# a tile is asked for, and none is there
says 7.7 07-hardware/exercises/7-room wrong-none 'FAIL right, but short of the goal: [0-9,]* transactions in all'
says 7.7 07-hardware/exercises/7-room wrong-shuffles 'FAIL right, but short of the goal: 0 hand-overs in a row; the goal is at least 1'
goes 7.7 07-hardware/exercises/7-room
# the head of the pool is the same again, and a log of one's own says so
says 4.8 04-atomics/exercises/8-pool wrong-log 'FAIL right, but short of the goal: [0-9]* values that came back; the goal is 0'
goes 4.8 04-atomics/exercises/8-pool
# reads of shared memory from which nothing follows
says 7.6 07-hardware/exercises/6-idle-warps wrong-idle 'FAIL right, but short of the goal: 1 hand-overs in a row; the goal is at least 3'
goes 7.6 07-hardware/exercises/6-idle-warps
finish
