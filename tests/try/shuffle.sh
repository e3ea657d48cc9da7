# --shuffle: a race changes the result; a right kernel gives the same result in any order. The same
# number gives the same order.
. "$(dirname "$0")/kernels/lib.sh"
sum() { # sum KERNEL N: prints the result in the kernel's buffer
    expect 0 "in shuffled order $2" racy.ptx:$1 --grid 16 --block 128 --arg 'i32[1]:zero' --check none --shuffle $2 --dump 0
    sed -n 's/^ *0: *//p' "$TMPDIR/out"
}
for n in 1 2 3 4 5 6; do sum lossy $n; done >"$TMPDIR/sums"
for n in 1 2 3 4 5 6; do sum lossy $n; done >"$TMPDIR/again"
cmp -s "$TMPDIR/sums" "$TMPDIR/again" || wrong "the same order gave another result"
[ "$(sort -u "$TMPDIR/sums" | wc -l)" -ge 3 ] || wrong "six orders, and the race hardly shows: $(tr '\n' ' ' <"$TMPDIR/sums")"
for n in 1 2 3; do [ "$(sum atomic $n)" = 64 ] || wrong "atomics lost something in order $n"; done

expect 1 'race at.*compare --shuffle 1 with --shuffle 2' racy.ptx:lossy --grid 16 --block 128 --arg 'i32[1]:zero'
expect 2 'the seed of the order must be 1 to' racy.ptx:lossy --grid 1 --block 32 --arg 'i32[1]:zero' --shuffle 0
expect 2 'whole number, not "x"' racy.ptx:lossy --grid 1 --block 32 --arg 'i32[1]:zero' --shuffle x
"$WARPSTEP" --json --seed 5 try racy.ptx:atomic --grid 1 --block 32 --arg 'i32[1]:zero' --shuffle 7 >"$TMPDIR/out" 2>"$TMPDIR/err"
grep -q '"seed":5,"shuffle":7,' "$TMPDIR/out" || wrong "JSON does not tell seed and order"
finish
