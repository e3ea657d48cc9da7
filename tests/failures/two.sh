# kill -9 at any moment of two instances that write one progress file and one file of notes: what was said to be kept
# is there, every line is whole or marked, and the next instance starts at once, also while the other one goes on. A few
# moments here, 75 in `make test-failures`, and any time with KILL_SECONDS=300.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
tests/failures/make-folder "$TMPDIR/f" || exit 1
mkdir "$TMPDIR/temporary"
XDG_DATA_HOME=$TMPDIR/data XDG_STATE_HOME=$TMPDIR/state
export XDG_DATA_HOME XDG_STATE_HOME
warpstep() { TMPDIR=$TMPDIR/temporary exec "$WARPSTEP" --lessons-only "$TMPDIR/f/lessons" "$@"; }
kept=$XDG_DATA_HOME/warpstep

random=$(date +%s)
echo "seed $random"
below() { # a number below $1
    random=$(((random * 1103515245 + 12345) % 2147483648))
    number=$(((random / 65536) % $1))
}
start() { # start NAME FIRST: an instance whose notes and sizes are its own; its number is in $started
    awk -v name="$1" -v first="$2" 'BEGIN {
        print "lesson 1\nnext"
        for (i = 0; i < 400; i++) print "notes " name "-" first + i "\nrun once n=" first + i
    }' >"$TMPDIR/$1.commands"
    (warpstep -x "$TMPDIR/$1.commands") >"$TMPDIR/$1.out" 2>&1 &
    started=$!
}
# What the instance said before it was killed: so many notes are kept, and every size but the last was recorded, which it
# may have been about to record.
said() { # said NAME FIRST
    notes=$(grep -c '^noted at ' "$TMPDIR/$1.out")
    sizes=$(sed -n 's/.*   n = \([0-9,]*\)   .*/\1/p' "$TMPDIR/$1.out" | tr -d , | grep -cv '^1000$')
    missing=$(awk -v name="$1" -v first="$2" -v notes="$notes" -v sizes="$sizes" '
        FILENAME ~ /notes$/ { noted[$NF]; next }
        $2 == "run" { for (i = 3; i <= NF; i++) if ($i ~ /^n=/) ran[substr($i, 3)] }
        END {
            for (i = 0; i < notes; i++) if (!(name "-" first + i in noted)) printf " note %d", first + i
            for (i = 0; i < sizes - 1; i++) if (!(first + i in ran)) printf " run %d", first + i
        }' "$kept/notes" "$kept/progress" 2>&1)
    [ -z "$missing" ]; ok $? "$1 said that these are kept:$missing"
    told=$((told + notes + sizes))
}
whole() { # the file's lines, but one that is being written
    ! sed '$d' "$1" | grep -v ' (cut short)$' | grep -qv "$2"
    ok $? "a line of $1: $(sed '$d' "$1" | grep -v ' (cut short)$' | grep -v "$2" | head -2)"
}

n=0 told=0 before=0
end=$(($(date +%s) + ${KILL_SECONDS:-0}))
while [ $n -lt "${KILLS:-6}" ] || [ "$(date +%s)" -lt $end ]; do
    n=$((n + 1))
    first=$((2000 + n * 400 % 400000))
    start left $first && left=$started
    start right $((first + 500000)) && right=$started
    below 400; sleep "$(printf '0.%03d' "$number")"
    below 3
    if [ "$number" = 0 ]; then kill -9 $left $right 2>/dev/null; else kill -9 $left 2>/dev/null; fi
    # the next one, while the other goes on
    (warpstep progress) >"$TMPDIR/out" 2>"$TMPDIR/err"; status=$?
    [ $status = 0 ] && ! [ -s "$TMPDIR/err" ]; ok $? "progress after a kill: status $status, $(cat "$TMPDIR/err")"
    (warpstep -c 'lesson 1' -c "notes next-$n") >"$TMPDIR/out" 2>"$TMPDIR/err"; status=$?
    [ $status = 0 ] && grep -q "next-$n\$" "$kept/notes" && ! [ -s "$TMPDIR/err" ]
    ok $? "the next instance: status $status, $(cat "$TMPDIR/out" "$TMPDIR/err")"
    below 300; sleep "$(printf '0.%03d' "$number")"
    kill -9 $right 2>/dev/null
    wait $left $right 2>/dev/null
    said left $first
    said right $((first + 500000))
    whole "$kept/progress" '^20[0-9-]*T[0-9:]*Z [a-z]* '
    whole "$kept/notes" '^20[0-9-]* [0-9:]* \[[^]]*\] '
    now=$(grep -c . "$kept/progress")
    [ "$now" -ge "$before" ]; ok $? "lines are lost: $now, once $before"
    before=$now
done
[ $told -gt 0 ]; ok $? "something was said before a kill"
[ "$(cd "$kept" && echo *)" = "notes progress" ]; ok $? "nothing but these is left: $(ls "$kept")"
echo "$n turns, $told things said to be kept, $before lines of progress"
finish
