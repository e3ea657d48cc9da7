# A long session does not grow: 400 commands here, 10,000 in `make test-failures`. Between the
# first hundred and the last, the program's memory grows by less than 12 MiB.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
grep -q VmRSS /proc/self/status 2>/dev/null || skip_all "a session's memory: there is no /proc to read it from"
case $BUILD in *san-*) skip_all "a session's memory: a sanitizer keeps what is freed" ;; esac
tests/failures/make-folder "$TMPDIR/f" || exit 1
mkfifo "$TMPDIR/line"
"$WARPSTEP" --lessons-only "$TMPDIR/f/lessons" <"$TMPDIR/line" >"$TMPDIR/out" 2>&1 & program=$!
exec 3>"$TMPDIR/line"
memory() { sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' /proc/$program/status; }
done=0 mark=1000
commands() { # runs that many and waits for them
    n=0
    while [ $n -lt "$1" ]; do
        for c in run 'show source' 'help ld' 'run often' 'get n' 'lesson 1' why 'notes a note' 'show mem' 'device sim:gtx1050' \
            'set n 900' 'run once' 'set n default' 'help' 'try '"$TMPDIR"'/f/twice.ptx --grid 1 --block 32 --arg i32[32]:iota --arg i32[32] --arg i32:32' \
            'goto 1.once' exercise lessons 'run hello' progress; do echo "$c"; n=$((n + 1)); done >&3
    done
    mark=$((mark + 1)); echo "set seed $mark" >&3
    until grep -q "^seed  *$mark" "$TMPDIR/out" || ! kill -0 $program 2>/dev/null; do sleep 0.1; done
    done=$((done + n))
}
echo 'lesson 1 next' >&3
commands 100
first=$(memory)
commands $((${COMMANDS:-400} - 100))
last=$(memory)
exec 3>&-
wait $program; status=$?
echo "$done commands; $first KiB after 100 of them, $last KiB at the end"
[ $status = 0 ]; ok $? "the session ends with status $status: $(tail -n 3 "$TMPDIR/out")"
[ $((last - first)) -lt 12288 ]; ok $? "it grows from $first KiB to $last KiB"
finish
