# What a student reads when a command meets the wrong thing: an answer in place of a lesson's
# kernel, no terminal for an editor. Names of programs keep their spelling. run.sh sets WARPSTEP
# and TMPDIR.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
check() { # check NAME FILE PATTERN
    if grep -q -- "$3" "$2"; then pass; else
        fail "$1"
        cat "$2"
    fi
}
said=$TMPDIR/said
mkdir "$TMPDIR/none"
unset VISUAL EDITOR
"$WARPSTEP" edit 1.2 >"$said" 2>&1
check "no terminal for an editor" "$said" "this is not a terminal; your file is .*1.2-tail.cu"

# `run` is for steps; the others are about the answer (tests/exercises/answer.sh has more of them)
"$WARPSTEP" -c 'goto 1.v3' -c 'exercise 1.2' -c run >"$said" 2>&1
check "run in an exercise" "$said" "an exercise is at hand: .check. runs your answer"
answer() {
    PATH=$PWD/tests/exercises/stand-in:$PATH WARPSTEP_COMPILER=nvcc \
        "$WARPSTEP" -c 'goto 1.v3' -c 'exercise 1.2' -c "$1" >"$said" 2>&1
    check "$1 in an exercise" "$said" "$2"
}
answer why '^yours on sim:8800gt'
answer 'show source' '^   1  /\* Exercise 1.2'
answer 'show mem' '^1.2.yours  your answer'
"$WARPSTEP" -c 'goto 1.v3' -c 'exercise 1.2' -c 'show source 1.v3' >"$said" 2>&1
check "a step that is named" "$said" "sum_squares"

# exec without a compiler
: >"$TMPDIR/a.cu"
WARPSTEP_COMPILER=none "$WARPSTEP" exec "$TMPDIR/a.cu" >"$said" 2>&1
check "exec without a compiler" "$said" "needs nvcc or clang, and neither is found;"
WARPSTEP_COMPILER=none "$WARPSTEP" --lang zh exec "$TMPDIR/a.cu" >"$said" 2>&1
check "the same in Chinese" "$said" "两者都没有找到"

# doctor names the folder where exec puts what it compiled
XDG_CACHE_HOME=$TMPDIR/kept "$WARPSTEP" doctor >"$said" 2>&1
check "doctor names the cache" "$said" "^cache  *ok  *$TMPDIR/kept/warpstep"
(unset XDG_CACHE_HOME; "$WARPSTEP" doctor) >"$said" 2>&1
check "the cache at home" "$said" "^cache  *ok  *$HOME/.cache/warpstep"

# a box that the copy unit moves has no lanes, and is wider than any lane's access
for what in mem banks; do
    "$WARPSTEP" --device sim:h200 show $what 10.tma >"$said" 2>&1
    check "show $what beside the copy unit" "$said" "tma.cu:[0-9]* .* bytes per lane; warp 0 of block 0"
done

PATH=$TMPDIR/none WARPSTEP_COMPILER=clang "$WARPSTEP" check 1.2 lessons/01-sum-of-squares/exercises/2-tail/solution.cu >"$said" 2>&1
check "a program's name as it is spelt" "$said" "^  scripts/get-compiler installs one"

# A folder that nobody can make, not even root.
shut=/sys/warpstep-test
[ "$(id -u)" = 0 ] || { shut=$TMPDIR/shut/in && mkdir "$TMPDIR/shut" && chmod 500 "$TMPDIR/shut"; }
if [ -d "${shut%/*}" ] && ! mkdir "$shut" 2>"$TMPDIR/why" && ! grep -q "No such" "$TMPDIR/why"; then
    XDG_DATA_HOME=$shut XDG_STATE_HOME=$shut "$WARPSTEP" notes hello >"$said" 2>&1
    if grep -q "No such file" "$said"; then fail "a folder that cannot be made: $(cat "$said")"; else pass; fi
else
    skip "a folder that cannot be made: ${shut%/*} takes it here, or there is none"
fi
finish
