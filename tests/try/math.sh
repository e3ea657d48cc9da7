# The functions of the device header, compiled by clang and run on the simulator, against the host's
# functions in wider types. No error may exceed the bound that the header states.
. tests/cases.sh
here=$(dirname "$0")/math
cd "$here" || exit 1
command -v "${CC:-cc}" >/dev/null 2>&1 || CC=gcc
${CC:-cc} -O2 -frounding-math -o "$TMPDIR/ulp" ulp.c -lm 2>"$TMPDIR/log" || skip_all "math: no host compiler"
export WARPSTEP_COMPILER=clang
n=8192 rows=130
for type in f32 f64; do
    kernel=floats
    [ $type = f64 ] && kernel=doubles
    "$TMPDIR/ulp" make $type "$TMPDIR/x" "$TMPDIR/y" $n
    case $? in
    0) ;;
    77) skip "math $type: the host has no wider type to judge by"; continue ;;
    *) stop "making inputs" ;;
    esac
    "$WARPSTEP" try all.cu:$kernel --device sim:h200 --grid $((n / 256)),$rows --block 256 --arg "$type[]@$TMPDIR/x" \
        --arg "$type[]@$TMPDIR/y" --arg "$type[$((n * rows))]" --arg i32:$n --save "2=$TMPDIR/out" >"$TMPDIR/log" 2>&1 || {
        ! grep -q 'No clang' "$TMPDIR/log" || skip_all "math: no clang that makes PTX"
        stop "$kernel: $(cat "$TMPDIR/log")"
    }
    "$TMPDIR/ulp" judge $type "$TMPDIR/x" "$TMPDIR/y" "$TMPDIR/out" $n >"$TMPDIR/errors"
    ok $? "$type: $(grep FAIL "$TMPDIR/errors")"
done
finish
