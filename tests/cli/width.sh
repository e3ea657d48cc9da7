# No output of a command is wider than the terminal: every command of `help`, with simple
# arguments, at 80, 60 and 40 columns. Source code (`show source`, `solution`) goes to a file
# unchanged; on a terminal, print_code folds it. run.sh sets WARPSTEP and TMPDIR. Standard error is
# also read by programs: it has one line per message.
. tests/cases.sh

cat >"$TMPDIR/k.ptx" <<'K'
.version 7.0
.target sm_50
.address_size 64
.visible .entry a_kernel_with_a_long_name(.param .u64 out) {
    .reg .b64 %p; .reg .b32 %r;
    mov.u32 %r, %tid.x;
    ld.param.u64 %p, [out];
    mad.wide.u32 %p, %r, 4, %p;
    st.global.u32 [%p], %r;
    ret;
}
K
commands=$("$WARPSTEP" help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p')
[ "$(echo "$commands" | wc -w)" -gt 30 ] || fail "help lists the commands"

look() { # look WIDTH COMMAND...
    width=$1
    shift
    COLUMNS=$width "$WARPSTEP" "$@" </dev/null 2>/dev/null >"$TMPDIR/said"
    # A path is one word, to be copied: it does not count. Characters count, not bytes: leave out
    # the continuation bytes of UTF-8.
    if LC_ALL=C tr -d '\200-\277' <"$TMPDIR/said" | LC_ALL=C awk -v w="$width" \
        '{ gsub(/[(]?[~\/][^ ]*\/[^ ]*/, "") } length($0) > w { print length($0) ": " $0; bad = 1 } END { exit bad }' >"$TMPDIR/wide"; then
        pass
    else
        fail "at $width columns: $*"
        cat "$TMPDIR/wide"
    fi
}

for width in 80 60 40; do
    for command in $commands; do
        look $width help "$command"
        case $command in
        goto) look $width goto 1.v3 ;;
        run) look $width run 1.v5 ;;
        lesson) look $width lesson 1 ;;
        predict) look $width predict 1.v3 ;;
        why | explain) look $width "$command" 1.v3 ;;
        show) for what in mem banks counters roofline; do look $width -c "goto 1.v5" -c "show $what"; done ;;
        ladder) look $width ladder 7 ;;
        sweep) look $width -c 'goto 1.v3' -c 'sweep threads 32 256' ;;
        exercise | check | hint | diff | reset | skip) look $width "$command" 1.2 ;;
        try)
            look $width try "$TMPDIR/k.ptx" --grid 1 --block 64 --arg 'i32[64]:zeros'
            look $width try "$TMPDIR/k.ptx" --grid 1 --block 64 --arg 'i32[40]:zeros'
            look $width try "$TMPDIR/k.ptx" --grid 1 --block 64 --arg 'i32[64]:zeros' --counters
            [ $width -lt 80 ] || look $width try tests/try/kernels/faults.ptx:race --grid 1 --block 64 --arg 'i32[64]'
            ;;
        set) look $width set; look $width set sim ;;
        notes) look $width notes 'a note'; look $width notes ;;
        device) look $width device sim:h200 ;;
        # These need a terminal or a folder, print what a file holds, or take long.
        edit | watch | watch-lesson | demo | source | grade | solution | export | fidelity | figures | \
        check-lessons | quit | exit) ;;
        *) look $width "$command" ;;
        esac
    done
done
finish
