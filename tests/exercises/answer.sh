# The answer to the exercise at hand stands on its ladder, and `why` and `show` speak of it. A number
# to be brought down has a best one; a launch is chosen for each of several cards; a timeline is shown.
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

# the student's own kernel: a half-warp's row is one transaction, so a read of 32 lanes takes 2;
# numbers that lie apart take one a lane
says 0 'Your file' exercise 1.6
cp $answers/6-coalesce/other.cu "$mine/1.6-coalesce.cu"
says 0 '^1.6.yours  your answer of exercise 1.6  *sim:8800gt$' show mem
grep -q '1.6-coalesce.cu:10 reads 4 bytes' "$out" && grep -q '; 2 transactions carry 128 B' "$out"; ok $? "show mem is of the answer"
says 0 'starter.cu:13 reads 4 bytes' show mem starter
grep -q '32 transactions carry' "$out"; ok $? "the starter's lanes read apart"
says 0 '^  transactions  *66,048 ' show counters
says 0 '^ *[0-9,]* .* 11  *total += value' show lines
says 0 '__global__ void sum_squares' show source
says 0 'sum_squares' show ptx
says 0 '^+++ 1.6-coalesce.cu  *(yours)' show diff
says 0 '^yours after starter on sim:8800gt: .* fewer cycles. 66,048 transactions' why
says 0 '"event":"why","lesson":1,"step":"yours","device":"sim:8800gt","before":"starter"' --json why
says 0 'sum_squares<<<blocks, threads>>>(d_data, n, d_sums);' show host
says 0 '^v3 after v2 on' why v3 # a step that is named
says 2 'an exercise is at hand: `check` runs your answer' run
says 3 'gpu is absent' --device gpu why
says 0 '^yours after starter on sim:h200' --device sim:h200 why

# on the ladder, without being judged
says 0 '^  transactions  *1,049,088  *66,048  *66,048  at most 69,350$' ladder
says 0 'starter  *yours  *ours' ladder 1.6
says 0 '"solution":66048,"starter":1049088' --json ladder 1.6
! grep -q ' check 1.6' "$HOME/.local/share/warpstep/progress"; ok $? "ladder is no check"
says 2 'has no ladder' ladder 1.3
says 2 'lesson 1 has no exercise "99"' ladder 1.99

# one command after another: the lesson is what it was
printf 'lesson 1\ngoto v2\nexercise 1.6\nwhy\nshow counters\nexercise\nwhy v2\n' | "$WARPSTEP" >"$out" 2>&1
grep -q '^yours after starter' "$out" && grep -q '^v2 after v1' "$out" && grep -q 'The same sum, in fewer transactions  *make it faster' "$out"
ok $? "the lesson is at hand again"

# answers that are none
rm "$mine/1.6-coalesce.cu"
says 2 'there is no .*1.6-coalesce.cu, not yet or no longer' why
ln -s /etc/passwd "$mine/1.6-coalesce.cu"
says 2 'is not taken: it is a link' show source
rm "$mine/1.6-coalesce.cu"
echo 'this is no C' >"$mine/1.6-coalesce.cu"
says 1 'nvcc does not accept it' why
says 1 'does not stand on the ladder yet' ladder
cp tests/grade/escape.cu "$mine/1.6-coalesce.cu" 2>/dev/null || echo '#include "/etc/passwd"' >"$mine/1.6-coalesce.cu"
says 1 '1.6-coalesce.cu: ' show mem
rm "$mine/1.6-coalesce.cu"

# bring a number down
pad=lessons/02-matrix-multiplication/exercises/5-pad
says 1 'shared passes in all: your first number; ours is 32,768' check 2.5 $pad/starter.cu
says 1 'shared passes in all: your best so far, 278,528 before; ours is 32,768' check 2.5 $pad/wrong-even.cu
says 1 'shared passes in all: your best so far is [0-9,]*; ours is 32,768' check 2.5 $pad/wrong-more.cu
says 0 'shared passes in all: your best so far, [0-9,]* before; ours is 32,768' check 2.5 $pad/solution.cu
says 1 'uninitialised: ' check 2.5 $pad/wrong-half.cu # sixteen notes come before the fault

# a launch for each card
tile=lessons/02-matrix-multiplication/exercises/6-choose-tile
says 0 'multiply_32' exercise 2.6
says 1 'right, but short of the goal' check
says 0 'PASS  all 3 cases' check 2.6 $tile/solution.txt
says 0 '^  cycles, h200 ' check 2.6 $tile/other.txt
says 0 '"card":"h200"' --json check 2.6 $tile/solution.txt
says 1 'a block of 1024 threads is more than the GeForce 8800 GT' check 2.6 $tile/wrong-largest.txt
launch() { printf "$2" >"$TMPDIR/launch.txt"; says 1 "$1" check 2.6 "$TMPDIR/launch.txt"; }
rest='gtx1050: tile = 16\nh200: tile = 16\n'
launch 'there is no tile for the card 8800gt yet' ''
launch 'there is no tile for the card h200 yet' '8800gt: tile = 16\ngtx1050: tile = 16\n'
launch 'there are two lines for 8800gt' '8800gt: tile = 16\n8800gt: tile = 16\n'
launch 'n is not to be chosen' "8800gt: tile = 16, n = 32\n$rest"
launch 'tile is chosen twice for one card' "8800gt: tile = 16, tile = 8\n$rest"
launch 'the card gtx280 is not asked about' "gtx280: tile = 16\n$rest"
launch 'write NAME = NUMBER' "8800gt: tile = 99999999999999999999\n$rest"
launch 'write NAME = NUMBER' "8800gt: tile = -16\n$rest"
launch 'something follows the number' "8800gt: tile = 16 32\n$rest"
launch 'write CARD: NAME = NUMBER' "\\\\000\n$rest"
launch 'there are kernels for 4, 8, 16 and 32' "8800gt: tile = 5\n$rest"
says 2 'has no ladder: its goal is to be right' ladder 1.8

# read a timeline
says 0 '^  issuing, start to end: |.*|$' exercise 1.8
says 0 '"issuing":\[[0-9,]*\]}' --json exercise 1.8
commas=$(sed -n 's/.*"issuing":\[\([0-9,]*\)\].*/\1/p' "$out" | tr -cd , | wc -c)
[ "$commas" = 39 ]; ok $? "forty parts of the time, not $commas"
says 0 'PASS  3 is what' check 1.8 3
says 1 '2 is not what' check 1.8 2

finish
