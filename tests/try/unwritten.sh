# A register that nobody wrote starts as 0, in every thread and on any number of host threads.
. "$(dirname "$0")/kernels/lib.sh"
for threads in 1 3; do
    "$WARPSTEP" --json --threads $threads try unwritten.ptx --grid 4 --block 64 --arg 'u64[2]:zero' --check none --dump 0 \
        >"$TMPDIR/out" 2>&1
    grep -q '"values":\[0,256\]' "$TMPDIR/out" # 64 threads times 4
    ok $? "$threads host threads: $(cat "$TMPDIR/out")"
done
finish
