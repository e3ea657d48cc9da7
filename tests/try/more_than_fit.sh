# Blocks that wait for others must not wait for one that finds no room. scan-ahead of lesson 9, on a
# card that holds four of its blocks at once, with grids from one block to many times that, in several
# orders of blocks: it ends, without a race, and the sums are those of awk. A form that takes every
# gridDim.x-th tile never ends with the larger grids.
. "$(dirname "$0")/kernels/lib.sh"
: "${TMPDIR:?}"
tree=$(cd "$dir/../../.." && pwd)
sed 's/^\(gpc_\)\{0,1\}multiprocessors:.*/\1multiprocessors: 2/; s/^gpc_full:.*/gpc_full: 1/' \
    "$tree/sim/cards/h200.card" >"$TMPDIR/two.card"
device=sim:$TMPDIR/two.card

# sums N GRID [OPTION...]: the sums of N numbers by GRID blocks of 512 threads, tiles of 8192
sums() {
    n=$1 grid=$2
    shift 2
    expect 0 'ok .*no fault' "$tree/kernels/09-patterns/scan-ahead.ptx:scan" --grid "$grid" --block 512 --shared 98304 \
        --arg "i32[$n]:rand%8" --arg "i32:$n" --arg "i32[$n]" --arg "u64[$(((n + 8191) / 8192))]:zero" \
        --arg 'i32[1]:zero' --save "0=$TMPDIR/x" --save "1=$TMPDIR/y" --limit 30 "$@"
    for f in x y; do od -An -v -td4 -w4 "$TMPDIR/$f" >"$TMPDIR/$f.text"; done
    paste "$TMPDIR/x.text" "$TMPDIR/y.text" | awk -v n="$n" '{ sum += $1; wrong += sum != $2 }
        END { exit NR != n || wrong || (n > 100 && sum < n) }' || fail "the sums of $n numbers by $grid blocks"
}
for n in 1 3 8191 8192 8193 40001; do
    for grid in 1 2 40; do sums $n $grid; done
done
sums 163841 3
sums 163841 4
for order in 1 2 3 4; do
    sums 163841 5 --shuffle $order
    sums 163838 13 --shuffle $order
    sums 163837 100 --shuffle $order
done
exit $bad
