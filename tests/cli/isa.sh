# Every step of every lesson gives the same results, counters and cycles on each instruction set that this build has and
# this processor can run, and with any number of host threads. The JSON of the ladders may differ only in what is timed
# on this CPU. Slow lessons use smaller sizes here, and each instruction set another number of threads; WHOLE=1 (make
# test-isa) uses the sizes of the lessons, with 1, 2 and 3 threads on each, and compares every form of every instruction
# with a real card's results on each. LESSONS="1 2": these alone.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
sets=
run() { # SET:THREADS FILE WORDS...
    isa=${1%:*} threads=${1#*:} file=$2
    shift 2
    # A state folder of its own: otherwise the stored results of an earlier run would be shown.
    rm -rf "$TMPDIR/state"
    WARPSTEP_ISA=$isa XDG_STATE_HOME="$TMPDIR/state" XDG_DATA_HOME="$TMPDIR/state" \
        "$WARPSTEP" --limit 600 --json --threads "$threads" "$@" 2>&1 |
        sed -e 's/"cpu_ms":[0-9.e+-]*//' -e '/"device":"this CPU"/s/.*"step":"\([^"]*\)".*/"event":"run" \1/' >"$file"
}
for isa in base avx2 avx512; do
    run $isa:1 "$TMPDIR/probe" run 1.v7 n=64
    if grep -q '"event":"run"' "$TMPDIR/probe"; then sets="$sets $isa"; fi
done
[ "$sets" ] || stop "no instruction set runs a step: $(cat "$TMPDIR/probe")"
ways= n=0
for isa in $sets; do
    n=$((n % 3 + 1))
    for threads in 1 2 3; do
        if [ "$WHOLE" ] || [ $threads = $n ] || [ "${sets# }" = "$isa" ]; then ways="$ways $isa:$threads"; fi
    done
done
# shellcheck disable=SC2086
set -- $ways
for lesson in ${LESSONS:-1 2 3 4 5 6 7 9 10}; do
    [ "$WHOLE" ] || [ $lesson -lt 8 ] || continue
    n=
    case $lesson in 1) n=65536 ;; 2) n=50 ;; 3) n=1024 ;; 4) n=4096 ;; 5) n=20000 ;; 6) n=48 ;; 7) n=4096 ;; esac
    [ -z "$WHOLE" ] || n=
    [ $lesson != 5 ] || n=${n:-4096000} # the lesson's n depends on this computer's memory
    for device in '' sim:h200 sim:gtx1050; do # most steps are for the lesson's card, the others for one of these
        case $lesson.$device in [13456].sim:gtx1050 | 9.sim:gtx1050 | 10.sim:*) continue ;; esac
        words="ladder $lesson${device:+ --device $device}"
        # Run it in every way, then compare each with the first.
        for way; do run "$way" "$TMPDIR/$way" -c "lesson $lesson" ${n:+-c "set n $n"} -c "$words"; done
        steps=$(grep -c '"event":"run"' "$TMPDIR/$1")
        for way; do
            if [ "$way" = "$1" ]; then continue; fi
            if [ "$steps" -gt 2 ] && cmp -s "$TMPDIR/$1" "$TMPDIR/$way"; then continue; fi
            steps=
            fail "$words${n:+ n=$n}: $1 and $way differ (or show less than three steps): $(diff "$TMPDIR/$1" "$TMPDIR/$way" | tr , '\n' | grep '^[<>]\|"step"' | head -c 300)"
        done
        pass ${steps:-0}
    done
done
echo "$passed steps in $# ways, each an instruction set and a number of host threads:$ways"
if [ "$WHOLE" ]; then
    for isa in $sets; do
        said=$(WARPSTEP_ISA=$isa "$BUILD/tests/forms/run" check $(ls tests/forms/*.txt | grep -v '/list.txt$') 2>&1 | tail -n 1)
        echo "$isa: $said"
        # the same for each set; forms/forms says what no card's results are there for
        [ "${forms:=$said}" = "$said" ] && [ "${said#* forms agree, 0 do not}" != "$said" ]
        ok $? "forms on $isa: $said"
    done
fi
finish
