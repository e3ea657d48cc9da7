# SIGTERM, SIGHUP and SIGINT end what was started and leave no folder behind. What was started is
# a compiler that spins, with a child process of its own, as nvcc has. The signals come during try,
# check, grade, and while the program waits for a line.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
mkdir -p "$TMPDIR/bin" "$TMPDIR/temporary" "$TMPDIR/class/ann"
cat >"$TMPDIR/bin/nvcc" <<'X'
#!/bin/sh
case $1 in --version) echo "release 1.0, V1.0.1"; exit 0 ;; esac
sh -c 'trap "" HUP; echo $$ >tmp/below; while :; do :; done' &
echo $$ $! >tmp/pids
: >tmp/started
while :; do :; done
X
chmod +x "$TMPDIR/bin/nvcc"
answer=lessons/01-sum-of-squares/exercises/1-squares/solution.cu
cp $answer "$TMPDIR/class/ann/1.1.cu"
gone() { # within two seconds, none of these processes lives (zombies do not count)
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        alive=
        for pid in "$@"; do
            case $(ps -o stat= -p "$pid" 2>/dev/null) in '' | Z*) ;; *) alive="$alive $pid" ;; esac
        done
        [ "$alive" ] || return 0
        sleep 0.1
    done
    return 1
}
# ends SIGNAL STATUS WORDS...: STATUS as a shell reports it; 0 accepts any
ends() {
    signal=$1 want=$2
    shift 2
    # A shell without job control makes background jobs ignore SIGINT; env restores the default.
    env --default-signal=INT sh -c : 2>/dev/null || [ "$signal" != INT ] || { skip "SIGINT: env cannot give it back"; return; }
    PATH=$TMPDIR/bin:$PATH TMPDIR=$TMPDIR/temporary WARPSTEP_COMPILER=nvcc \
        env $([ "$signal" = INT ] && echo --default-signal=INT) "$WARPSTEP" "$@" >"$TMPDIR/out" 2>&1 </dev/null &
    program=$!
    n=0
    until ls "$TMPDIR"/temporary/warpstep-*/tmp/started >/dev/null 2>&1 || [ $n = 6000 ]; do sleep 0.1; n=$((n + 1)); done
    pids=$(cat "$TMPDIR"/temporary/warpstep-*/tmp/pids)
    kill -s "$signal" $program
    wait $program
    status=$?
    [ "$want" = 0 ] || [ $status = "$want" ]; ok $? "$1 by SIG$signal: status $status, not $want: $(cat "$TMPDIR/out")"
    [ "$pids" ] && gone $pids; ok $? "$1 by SIG$signal: still running: $alive of $pids"
    kill -9 $alive 2>/dev/null
    left=$(ls -A "$TMPDIR/temporary"); [ -z "$left" ]; ok $? "$1 by SIG$signal: left behind: $left"
    rm -rf "$TMPDIR/temporary" && mkdir "$TMPDIR/temporary"
}
ends TERM 143 try $answer --grid 1 --block 1 --arg 'i32[1]' --arg 'i32[1]' --arg i32:1
ends HUP 129 try $answer --grid 1 --block 1 --arg 'i32[1]' --arg 'i32[1]' --arg i32:1
ends INT 130 try $answer --grid 1 --block 1 --arg 'i32[1]' --arg 'i32[1]' --arg i32:1
ends TERM 143 check 1.1 $answer
ends HUP 129 check 1.1 $answer
ends TERM 143 grade "$TMPDIR/class"
ends INT 130 grade "$TMPDIR/class"
# SIGHUP while the program waits for a line ends it, unless SIGHUP was ignored before (nohup).
waits() { # SIGNAL STATUS
    rm -f "$TMPDIR/line"
    mkfifo "$TMPDIR/line"
    if [ "$1" = HUP ]; then (trap '' HUP; exec "$WARPSTEP" <"$TMPDIR/line" >"$TMPDIR/out" 2>&1) &
    else "$WARPSTEP" <"$TMPDIR/line" >"$TMPDIR/out" 2>&1 &
    fi
    program=$!
    exec 3>"$TMPDIR/line"
    echo lessons >&3
    n=0
    until [ -s "$TMPDIR/out" ] || [ $n = 6000 ]; do sleep 0.1; n=$((n + 1)); done
    kill -s "$1" $program
    echo devices >&3 2>/dev/null
    exec 3>&-
    wait $program
    status=$?
    [ $status = "$2" ]; ok $? "SIG$1 while it waits for a line: status $status, not $2: $(cat "$TMPDIR/out")"
}
trap '' PIPE
waits TERM 143
waits HUP 0
finish
