# The functions of the device header, compiled by clang and run on the simulator, against the host's
# functions in wider types. No error may exceed the bound that the header states.
here=$(dirname "$0")/math
cd "$here" || exit 1
command -v "${CC:-cc}" >/dev/null 2>&1 || CC=gcc
${CC:-cc} -O2 -frounding-math -o "$TMPDIR/ulp" ulp.c -lm 2>"$TMPDIR/log" || { echo "SKIP math: no host compiler"; exit 77; }
export WARPSTEP_COMPILER=clang
n=8192 rows=130 status=0
for type in f32 f64; do
    kernel=floats
    [ $type = f64 ] && kernel=doubles
    "$TMPDIR/ulp" make $type "$TMPDIR/x" "$TMPDIR/y" $n
    case $? in
    0) ;;
    77) echo "SKIP math $type: the host has no wider type to judge by"; continue ;;
    *) echo "making inputs failed"; exit 1 ;;
    esac
    "$WARPSTEP" try all.cu:$kernel --device sim:h200 --grid $((n / 256)),$rows --block 256 --arg "$type[]@$TMPDIR/x" \
        --arg "$type[]@$TMPDIR/y" --arg "$type[$((n * rows))]" --arg i32:$n --save "2=$TMPDIR/out" >"$TMPDIR/log" 2>&1 || {
        if grep -q 'No clang' "$TMPDIR/log"; then
            echo "SKIP math: no clang that makes PTX"
            exit 77
        fi
        cat "$TMPDIR/log"
        exit 1
    }
    "$TMPDIR/ulp" judge $type "$TMPDIR/x" "$TMPDIR/y" "$TMPDIR/out" $n >"$TMPDIR/errors" || {
        grep FAIL "$TMPDIR/errors" | sed "s/^FAIL/$type/"
        status=1
    }
done
exit $status
