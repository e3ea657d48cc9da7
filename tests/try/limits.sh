# --limit (124) and Ctrl-C (130) end a kernel that never ends, and no process is left. A file that
# is not PTX is refused with a message.
. "$(dirname "$0")/kernels/lib.sh"
spin="saxpy.ptx:spin --grid 1 --block 32 --arg u32[1]:zero"
for card in h200 8800gt; do
    device=sim:$card
    expect 124 'STOPPED.*time limit of 1 s.*endless at .*spin.*still running' $spin --limit 1
done

sh -c 'echo $$ >"$TMPDIR/pid"; exec "$WARPSTEP" try saxpy.ptx:spin --grid 1 --block 32 --arg "u32[1]:zero" --limit 900' \
    >"$TMPDIR/out" 2>"$TMPDIR/err" &
job=$!
# A background job of a script ignores SIGINT until the program sets its handler, so wait for the
# child to run.
children() { cat "/proc/$1/task/$1/children" 2>/dev/null || ps -o pid= --ppid "$1" 2>/dev/null; }
tries=0
until [ -s "$TMPDIR/pid" ] && child=$(children "$(cat "$TMPDIR/pid")" | tr -d ' ') && [ "$child" ]; do
    tries=$((tries + 1))
    [ $tries -lt 6000 ] && { [ -r /proc/self/task ] || command -v ps >/dev/null; } || break
    sleep 0.1
done
if [ "$child" ]; then
    kill -INT "$(cat "$TMPDIR/pid")"
    wait $job
    got=$?
    [ $got = 130 ] || wrong "Ctrl-C: status $got, not 130"
    kill -0 "$child" 2>/dev/null && fail "Ctrl-C: the child runs on"
else
    kill "$job" 2>/dev/null
    skip "limits: neither /proc nor ps lists children here"
fi

printf 'this is not PTX\n' >"$TMPDIR/bad.ptx"
expect 1 'bad.ptx:1:1' "$TMPDIR/bad.ptx" --grid 1 --block 1
head -c 700 saxpy.ptx >"$TMPDIR/cut.ptx"
expect 1 'cut.ptx:' "$TMPDIR/cut.ptx" --grid 1 --block 1
: >"$TMPDIR/empty.ptx"
expect 1 'empty.ptx' "$TMPDIR/empty.ptx" --grid 1 --block 1
head -c 100000 /dev/urandom >"$TMPDIR/random.ptx"
expect 1 'random.ptx' "$TMPDIR/random.ptx" --grid 1 --block 1
finish
