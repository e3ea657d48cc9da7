# Chapters of a lesson: which steps `lesson`, `ladder` and completion show for one. run.sh sets
# WARPSTEP and TMPDIR.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
check() { # check NAME PATTERN: a line of the answer has it
    if grep -qE -- "$2" "$TMPDIR/said"; then pass; else
        fail "$1: no line has $2"
        cat "$TMPDIR/said"
    fi
}
absent() {
    if grep -qE -- "$2" "$TMPDIR/said"; then
        fail "$1: a line has $2"
        cat "$TMPDIR/said"
    else pass; fi
}
look() { "$WARPSTEP" "$@" >"$TMPDIR/said" 2>&1; }

look lesson 7
check "a heading" '^  banks: Banks of shared memory$'
check "a step below it" '^ +banks-16 +Every sixteenth word$'
look lesson 7 --json
check "data" '"chapters":\[\{"name":"lanes","title":"[^"]*","first":"lane"\}'

# All steps of one chapter, though none has `bytes:`, and no other step.
look ladder 7 banks
check "its heading" '^banks: Banks of shared memory$'
check "its steps" '^  banks-16 +1,111,559 '
absent "another chapter's step" 'aligned'
look ladder 7 ban
check "a prefix" '^  banks-0 '
look ladder 7 banks shared_passes
check "a metric" 'shared passes, logarithmic'
look -c 'lesson 7' -c 'ladder banks'
check "of the lesson at hand" '^  banks-17 +'
look ladder 7 bnaks
check "no such chapter" 'lesson 7 has no chapter "bnaks", and there is no such metric'
look lesson 7 waiting
check "begins there" '^7.latency  How long a read takes'

# A chapter that is compared with the one above is drawn with it: all of lesson 1 is one ladder.
look ladder 1
check "one ladder" '^  v1 .*634,257,516'
absent "in one piece" '^one-block:'
# A step's exercise must be there.
mkdir -p "$TMPDIR/l/01-tiny" && cp tests/lessons/01-tiny/*.cu tests/lessons/01-tiny/*.ptx "$TMPDIR/l/01-tiny"
awk '{ print } /^title: One launch/ { print "exercise: 7" }' tests/lessons/01-tiny/lesson.txt >"$TMPDIR/l/01-tiny/lesson.txt"
look --lessons "$TMPDIR/l" check-lessons
check "an exercise that is not there" 'step once names exercise 7, which lesson 1 does not have'
look --lessons "$TMPDIR/l" goto 1.once
absent "and is not offered" 'practises this'

# What a beginner types.
look '?'
check "? is help" '^To begin with$'
look '?' warp
check "? WORD" '^  32 threads of a block'
look source 1.v1
check "source" 'time\[0\] = clock64\(\);'
look exercises 2
check "exercises" '^  2\.1  '
look clear
absent "clear in a script" '.'
finish
