# Runs each fuzz target for a while, from a fixed seed, on the inputs in tests/fuzz/corpus and on
# changes of them. When `make fuzz SECONDS=60` (or a build with SANITIZER=address,undefined) finds a
# crash, its input goes into the corpus once the defect is fixed.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
targets='args command forms lesson memory print ptx run'
top=$PWD
build=$top/$BUILD/tests/fuzz
each=$(awk -v all="${FUZZ_SECONDS:-4}" 'BEGIN { n = int(all * 2 / 8 + 0.5); print n < 1 ? 1 : n }') # two at a time
cat >"$TMPDIR/one" <<X
name=\$1
case \$name in
command) set -- $each 1 "$top" "$top"/tests/fuzz/corpus/command/* ;;
forms) set -- $each 1 "$top"/tests/forms/list.txt ;;
memory) set -- $each 1 ;;
*) set -- $each 1 "$top"/tests/fuzz/corpus/\$name/* ;;
esac
timeout -k 5 $((each * 3 + 200)) "$build/\$name" "\$@" >"$TMPDIR/\$name.log" 2>&1
echo \$? >"$TMPDIR/\$name.status"
X
for target in $targets; do echo "$target"; done | xargs -P 2 -I '{}' sh "$TMPDIR/one" '{}'
for target in $targets; do
    status=$(cat "$TMPDIR/$target.status")
    if [ "$status" = 0 ]; then
        pass
        echo "$target: $(tail -n 1 "$TMPDIR/$target.log")"
    else
        fail "fuzz $target, status $status: $(tail -n 3 "$TMPDIR/$target.log"); again: $BUILD/tests/fuzz/$target $each 1 tests/fuzz/corpus/$target/*"
        [ ! -e "$TMPDIR"/warpstep-fuzz-*/last-line ] || echo "     its line: $(cat "$TMPDIR"/warpstep-fuzz-*/last-line)"
    fi
done
finish
