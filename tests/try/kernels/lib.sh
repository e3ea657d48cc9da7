# lib.sh: shared by the scripts of tests/try. `try ARGS` runs the command in $dir; its output goes
# to $TMPDIR/out and $TMPDIR/err.
. tests/cases.sh
: "${WARPSTEP:?}" "${TMPDIR:?}"
dir=$(cd "$(dirname "$0")" && pwd)/kernels
. tests/cases.sh
cd "$dir" || exit 1

# wrong WHAT: a case that failed, with what was printed
wrong() {
    fail "$@"
    sed 's/^/    /' "$TMPDIR/out" "$TMPDIR/err" 2>/dev/null | head -40
}

# expect STATUS WHAT ARGS...: runs `warpstep try ARGS`. It must exit with STATUS and print WHAT, a
# basic regular expression ("": anything).
expect() {
    want=$1 what=$2
    shift 2
    "$WARPSTEP" --device "${device:-sim:h200}" try "$@" >"$TMPDIR/out" 2>"$TMPDIR/err"
    got=$?
    if [ $got != "$want" ]; then
        wrong "try $*: status $got, not $want"
    elif [ "$what" ] && ! cat "$TMPDIR/out" "$TMPDIR/err" | tr '\n' ' ' | grep -q -- "$what"; then
        wrong "try $*: does not say: $what"
    else
        pass
    fi
}

# has COMPILER: succeeds if it can be used here, otherwise names it as skipped
has() {
    cd "$dir" && WARPSTEP_COMPILER=$1 "$WARPSTEP" try saxpy.cu --grid 1 --block 1 --arg i32:0 --arg f32:0 --arg 'f32[1]' --arg 'f32[1]' \
        >"$TMPDIR/out" 2>"$TMPDIR/err" && return 0
    grep -q 'is not found\|cannot be loaded\|No clang' "$TMPDIR/err" || { wrong "$1 does not work"; return 1; }
    skip "$(basename "$0" .sh) with $1: not found"
    return 1
}
