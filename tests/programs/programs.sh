# The kernels of programs.cu, with all checks, in timed and in shuffled order, against what the host
# computes from the same inputs. All of them run from PTX that nvcc made. Those that are hardest on
# a compiler or on its header also run from every compiler that is here.
. tests/cases.sh
here=$(dirname "$0")
cd "$here" || exit 1
command -v "${CC:-cc}" >/dev/null 2>&1 || CC=gcc
${CC:-cc} -O1 -o "$TMPDIR/judge" judge.c 2>"$TMPDIR/log" || skip_all "programs: no host compiler"
mkdir "$TMPDIR/d" && "$TMPDIR/judge" "$TMPDIR/d" || exit 1
IFS='
' # the words of .args are lines, since a path may hold blanks
# run FILE NAME OPTION...
run() {
    file=$1 name=$2
    shift 2
    for w in "$TMPDIR/d/$name".*.want; do
        k=${w%.want} k=${k##*.}
        # shellcheck disable=SC2046
        if "$WARPSTEP" --device sim:h200 try "$file:$name" $(cat "$TMPDIR/d/$name.args") --save "$k=$TMPDIR/out" "$@" >"$TMPDIR/log" 2>&1 &&
            grep -q '^ok ' "$TMPDIR/log" && ! grep -q '^race\|^uninit' "$TMPDIR/log" && cmp -s "$TMPDIR/out" "$w"; then
            pass
        else
            fail "$name of $file $WARPSTEP_COMPILER $*: $(grep -v '^$' "$TMPDIR/log" | sed -n '3,9p' | tr '\n' ' ')"
        fi
    done
}
for f in "$TMPDIR"/d/*.args; do
    name=$(basename "$f" .args)
    run programs.ptx "$name"
    run programs.ptx "$name" --shuffle 1
done
for compiler in nvrtc clang; do
    export WARPSTEP_COMPILER=$compiler
    "$WARPSTEP" try ../try/kernels/saxpy.cu --grid 1 --block 1 --arg i32:0 --arg f32:0 --arg 'f32[1]' --arg 'f32[1]' >/dev/null 2>&1 || continue
    for name in sum_last filter structs virtuals pointers life minf; do run programs.cu "$name"; done
done
finish
