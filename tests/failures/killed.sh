# kill -9 at any moment of a session and of a grade: progress and journal stay readable, a line cut
# short does not count, and the next run continues from there. A few moments here, 75 of each in
# `make test-failures`.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
tests/failures/make-folder "$TMPDIR/f" || exit 1
mkdir "$TMPDIR/temporary"
PATH=$TMPDIR/f/bin:$PATH WARPSTEP_COMPILER=nvcc WARPSTEP_TOOLCHAIN=$TMPDIR/f/bin
XDG_DATA_HOME=$TMPDIR/data XDG_STATE_HOME=$TMPDIR/state
export PATH WARPSTEP_COMPILER WARPSTEP_TOOLCHAIN XDG_DATA_HOME XDG_STATE_HOME
warpstep() { TMPDIR=$TMPDIR/temporary exec "$WARPSTEP" --lessons-only "$TMPDIR/f/lessons" "$@"; }
progress=$XDG_DATA_HOME/warpstep/progress class=$TMPDIR/f/class
n=0
while [ $n -lt 50 ]; do echo 'lesson 1'; echo next; echo run; echo 'notes a note'; echo 'run often'; n=$((n + 1)); done >"$TMPDIR/commands"
(warpstep grade "$class") >/dev/null 2>&1; ok $? "a grade that nobody disturbs"
cp "$class/grades.csv" "$TMPDIR/right.csv"

random=12345
killed() { # killed MILLISECONDS WORDS...: starts it and kills it within that time
    random=$(((random * 1103515245 + 12345) % 2147483648))
    after=$(((random / 65536) % $1))
    shift
    (warpstep "$@") >"$TMPDIR/out" 2>&1 & program=$!
    sleep "$(printf '0.%03d' $after)"
    kill -9 $program 2>/dev/null
    wait $program 2>/dev/null
}
before=0 n=0
while [ $n -lt "${KILLS:-6}" ]; do
    n=$((n + 1))
    killed 500 -x "$TMPDIR/commands"
    (warpstep progress) >"$TMPDIR/out" 2>"$TMPDIR/err"; status=$?
    [ $status = 0 ] && ! [ -s "$TMPDIR/err" ]; ok $? "progress can be read after a kill: status $status, $(cat "$TMPDIR/err")"
    now=$(grep -c '^20[0-9-]*T[0-9:]*Z [a-z]* ' "$progress" 2>/dev/null)
    ! grep -v '^20[0-9-]*T[0-9:]*Z [a-z]* ' "$progress" 2>/dev/null | grep -v ' (cut short)$' | grep -q .; ok $? "every line of it is whole, or marked"
    [ "${now:-0}" -ge "$before" ]; ok $? "none is lost: $now, once $before"
    before=${now:-0}

    rm -f "$class/.warpstep-grades" "$class/grades".*
    killed 400 grade "$class"
    cp "$class/.warpstep-grades" "$TMPDIR/journal" 2>/dev/null || : >"$TMPDIR/journal"
    (warpstep grade "$class") >"$TMPDIR/out" 2>"$TMPDIR/err"; status=$?
    [ $status = 0 ] && ! [ -s "$TMPDIR/err" ]; ok $? "grade goes on after a kill: status $status, $(cat "$TMPDIR/err")"
    cmp -s "$class/grades.csv" "$TMPDIR/right.csv"; ok $? "to the same verdicts: $(cat "$class/grades.csv") after $(cat "$TMPDIR/journal")"
done
left=$(ls "$TMPDIR/temporary")
n=0; while [ "$left" ] && [ $n -lt 30 ]; do # a compiler may take a moment to end
    sleep 0.1; n=$((n + 1)); (warpstep check 1.1 "$TMPDIR/f/right.cu") >/dev/null 2>&1; left=$(ls "$TMPDIR/temporary")
done
[ -z "$left" ]; ok $? "no temporary folder is left: $left"
[ "$before" -gt 0 ]; ok $? "some of it was recorded"
finish
