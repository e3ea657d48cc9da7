# Every step of every lesson gives the same results, counters and cycles on each instruction set
# that this build has and this processor can run. The JSON of the ladders may differ only in what
# is timed on this CPU. Slow lessons use smaller sizes here; WHOLE=1 (make test-isa) uses the
# sizes of the lessons.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
sets=
run() { # ISA FILE WORDS...
    isa=$1 file=$2
    shift 2
    # A state folder of its own: otherwise the stored results of an earlier run would be shown.
    rm -rf "$TMPDIR/state"
    WARPSTEP_ISA=$isa XDG_STATE_HOME="$TMPDIR/state" XDG_DATA_HOME="$TMPDIR/state" "$WARPSTEP" --limit 600 --json "$@" 2>&1 |
        sed -e 's/"cpu_ms":[0-9.e+-]*//' -e '/"device":"this CPU"/s/.*"step":"\([^"]*\)".*/"event":"run" \1/' >"$file"
}
for isa in base avx2 avx512; do
    run $isa "$TMPDIR/probe" run 1.v7 n=64
    if grep -q '"event":"run"' "$TMPDIR/probe"; then sets="$sets $isa"; fi
done
# shellcheck disable=SC2086
set -- $sets
if [ $# -lt 2 ]; then skip_all "ladders on several instruction sets: only$sets is here"; fi
for lesson in 1 2 3 4 5 6 7; do
    n=
    case $lesson in 1) n=65536 ;; 2) n=50 ;; 3) n=1024 ;; 4) n=4096 ;; 5) n=20000 ;; 6) n=48 ;; 7) n=4096 ;; esac
    [ -z "$WHOLE" ] || n=
    [ $lesson != 5 ] || n=${n:-4096000} # the lesson's n depends on this computer's memory
    for device in '' sim:h200 sim:gtx1050; do # most steps are for the lesson's card, the others for one of these
        case $lesson.$device in [13456].sim:gtx1050) continue ;; esac
        words="ladder $lesson${device:+ --device $device}"
        # Run every set, then compare each with the first.
        for isa; do run "$isa" "$TMPDIR/$isa" -c "lesson $lesson" ${n:+-c "set n $n"} -c "$words"; done
        steps=$(grep -c '"event":"run"' "$TMPDIR/$1")
        for isa; do
            if [ "$isa" = "$1" ]; then continue; fi
            if [ "$steps" -gt 2 ] && cmp -s "$TMPDIR/$1" "$TMPDIR/$isa"; then continue; fi
            steps=
            fail "$words${n:+ n=$n}: $1 and $isa differ (or show less than three steps): $(diff "$TMPDIR/$1" "$TMPDIR/$isa" | tr , '\n' | grep '^[<>]\|"step"' | head -c 300)"
        done
        pass ${steps:-0}
    done
done
echo "$passed steps on $# instruction sets:$sets"
finish
