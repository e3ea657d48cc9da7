# `show grid`: numbers of launches that are worked out by hand. run.sh sets WARPSTEP and TMPDIR.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
check() { # check NAME PATTERN: a line of the answer has it
    if grep -qE -- "$2" "$TMPDIR/said"; then pass; else
        fail "$1: no line has $2"
        cat "$TMPDIR/said"
    fi
}
look() { "$WARPSTEP" "$@" >"$TMPDIR/said" 2>&1; }

# 100 blocks of 256 threads on a GeForce 8800 GT. A multiprocessor holds 768 threads, so 3 blocks; 14
# of them hold 42. ceil(100 / 42) = 3 waves, and 100 - 2 * 42 = 16 blocks are left for the last:
# 16 / 42 = 38 %. Block 2's thread 37 has index 2 * 256 + 37 = 549; 37 = 32 + 5 is lane 5 of warp 1.
look show grid 1.v4 blocks=100
check "blocks and threads" '<<<100, 256>>>: 100 blocks of 256 threads'
check "warps" 'A block: 256 threads, in 8 warps of 32'
check "the last warp" 'warp 7 +threads 224 to 255'
check "an index" 'blockIdx.x \* blockDim.x \+ threadIdx.x = 2 \* 256 \+ 37 = 549$'
check "a lane" 'lane 5 of warp 1'
check "the card" '14 multiprocessors hold 3 blocks each \(limit: threads\), 42 at'
check "the first wave" 'wave 1 +0 +1 +2 +3 +4 +5 +\.\.\. +13$'
check "the second round" '^ +14 +15 +16 +17 +18 +19 +\.\.\. +27$'
check "the last wave" 'wave 3 +84 +85 +86 +87 +88 +89 +\.\.\. +97$'
check "its second round" '^ +98 +99 +- +- +- +- +\.\.\. +-$'
check "waves" '3 waves, one after another; the last fills 16 of 42 places \(38 %\)'

# The same on an H200: 132 multiprocessors, so all 100 run side by side, and 32 have nothing to do.
look show grid 1.v4 blocks=100 --device sim:h200
check "one wave" 'All run side by side, and 32 of 132 multiprocessors have nothing to do'

# Two dimensions: 63 x 63 blocks of 16 x 16. Block (2,1), thread (5,2): column 2 * 16 + 5 = 37, row
# 1 * 16 + 2 = 18; in the block it is 2 * 16 + 5 = 37, lane 5 of warp 1. Warp 0 has two rows.
look show grid 2.tiled
check "two dimensions" '<<<63 x 63, 16 x 16>>>: 3,969 blocks of 256 threads'
check "blocks" '\(0,0\) \| +\(1,0\) \| +\(2,0\) \| +\.\.\. \| +\(62,0\) \|'
check "a warp of two rows" 'warp 0 +threads \(0,0\) to \(15,1\)'
check "x" 'x: blockIdx.x \* blockDim.x \+ threadIdx.x = 2 \* 16 \+ 5 = 37$'
check "y" 'y: blockIdx.y \* blockDim.y \+ threadIdx.y = 1 \* 16 \+ 2 = 18$'
check "its lane" 'lane 5 of warp 1'

# One thread: 1 of 32 lanes.
look show grid 1.v1
check "a single thread" 'warp 0 +thread +0: 1 of its 32 lanes'
check "one of 14" 'All run side by side, and 13 of 14 multiprocessors have nothing to do'

look show grid 1.v4 blocks=100 --json
check "data" '"event":"grid".*"grid":\[100,1,1\],"block":\[256,1,1\],"blocks":100,"threads":25600,"warps_per_block":8,"multiprocessors":14,"resident_blocks":3,"limit":"threads","at_once":42,"waves":3,"last_wave_blocks":16'
look show grid 8.first
check "a program" 'is a whole program'
for width in 40 80; do
    COLUMNS=$width "$WARPSTEP" show grid 2.tiled >"$TMPDIR/said" 2>&1
    [ "$width" = 80 ] && check "80 columns" . && if grep -qE '^.{81}' "$TMPDIR/said"; then
        fail "wider than 80 columns"
    fi
done
finish
