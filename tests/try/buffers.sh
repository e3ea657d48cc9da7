# The contents of buffers, byte for byte: fills, --dump, --save and packed arguments. The expected
# bytes are worked out by hand.
. "$(dirname "$0")/kernels/lib.sh"

# bytes FILL HEX...: a kernel copies a buffer filled with FILL; the saved copy holds these bytes.
bytes() {
    fill=$1
    shift
    n=$#
    rm -f "$TMPDIR/saved"
    expect 0 ok saxpy.ptx:copy --grid 1 --block 256 --arg "$fill" --arg "u8[$n]" --arg "u32:$n" --save "1=$TMPDIR/saved"
    is=$(od -An -v -tx1 "$TMPDIR/saved" | tr -s ' \n' ' ' | sed 's/^ //; s/ $//')
    [ "$is" = "$*" ] || wrong "$fill: bytes $is, not $*"
}
bytes 'u8[4]:=0,1,127,255' 00 01 7f ff
bytes 'i8[3]:=-128,-1,127' 80 ff 7f
bytes 'u16[2]:=1,0x8001' 01 00 01 80
bytes 'i16[2]:=-2,32767' fe ff ff 7f
bytes 'i32[2]:=-2147483648,2147483647' 00 00 00 80 ff ff ff 7f
bytes 'u32[1]:=0xdeadbeef' ef be ad de
bytes 'i64[1]:=-9223372036854775808' 00 00 00 00 00 00 00 80
bytes 'u64[1]:=18446744073709551615' ff ff ff ff ff ff ff ff
bytes 'f32[3]:=1,-0,0.1' 00 00 80 3f 00 00 00 80 cd cc cc 3d
bytes 'f32[2]:=inf,1e-45' 00 00 80 7f 01 00 00 00
bytes 'f64[1]:=0.1' 9a 99 99 99 99 99 b9 3f
bytes 'f64[1]:=1e308' a0 c8 eb 85 f3 cc e1 7f
bytes 'i16[3]:=7' 07 00 07 00 07 00
bytes 'i16[]:=1,2,3' 01 00 02 00 03 00
bytes 'f32[2]:ones' 00 00 80 3f 00 00 80 3f
bytes 'u16[2]:ones' 01 00 01 00
bytes 'f64[2]:zero' 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
bytes 'f32[3]:iota' 00 00 00 00 00 00 80 3f 00 00 00 40
bytes 'i16[3]:iota' 00 00 01 00 02 00
printf 'abcdefgh' >"$TMPDIR/raw"
bytes "u32[]@$TMPDIR/raw" 61 62 63 64 65 66 67 68
bytes "u16[2]@$TMPDIR/raw" 61 62 63 64

# A byte-wide iota wraps.
"$WARPSTEP" --json try saxpy.ptx:copy --grid 2 --block 256 --arg 'u8[300]:iota' --arg 'u8[300]' --arg u32:300 --dump '1[254:258]' >"$TMPDIR/out"
grep -q '"values":\[254,255,0,1\]' "$TMPDIR/out" || wrong "iota of bytes does not wrap"

# rand: the same seed gives the same numbers, another seed others; rand%K stays below K; floats lie
# in [0, 1).
run_rand() {
    "$WARPSTEP" --seed "$1" try saxpy.ptx:copy --grid 256 --block 256 --arg "$2" --arg 'u8[65536]' --arg u32:65536 \
        --save "1=$TMPDIR/$3" >"$TMPDIR/out" 2>&1 || wrong "rand does not run"
}
run_rand 1 'u32[16384]:rand' a
run_rand 1 'u32[16384]:rand' b
run_rand 2 'u32[16384]:rand' c
cmp -s "$TMPDIR/a" "$TMPDIR/b" || wrong "the same seed gives other numbers"
cmp -s "$TMPDIR/a" "$TMPDIR/c" && fail "another seed gives the same numbers"
run_rand 3 'u32[16384]:rand%10' d
od -An -v -tu4 "$TMPDIR/d" | tr -s ' ' '\n' | sed '/^$/d' | sort -n | uniq -c |
    awk '{ n++; if ($2 != n - 1 || $1 < 1400 || $1 > 1900) exit 1 } END { if (n != 10) exit 1 }' || wrong "rand%10 is not even"
run_rand 3 'f32[16384]:rand' e
od -An -v -tf4 "$TMPDIR/e" | tr -s ' ' '\n' | sed '/^$/d' |
    awk '{ s += $1; n++; if ($1 < 0 || $1 >= 1) exit 1 } END { m = s / n; if (m < 0.48 || m > 0.52) exit 1 }' ||
    fail "rand of floats is not even over [0, 1)"

# Two buffers of one launch have different random numbers.
expect 0 ok saxpy.ptx:copy --grid 1 --block 1 --arg 'f32[4]:rand' --arg 'f32[4]:rand' --arg u32:0 --save "0=$TMPDIR/p" --save "1=$TMPDIR/q"
cmp -s "$TMPDIR/p" "$TMPDIR/q" && fail "two buffers hold the same random numbers"

# Packed arguments, dumps in rows, slices.
expect 0 '0: 4 3 2 1' saxpy.ptx:packed --grid 1 --block 1 --arg f32:1,2,3,4 --arg 'f32[4]' --dump 0
expect 0 'buffer 1, f32\[1,000\]    *0:   1   3   5 .* 16:  33 .* 936 more' saxpy.ptx:saxpy --grid 4 --block 256 --arg i32:1000 --arg f32:2 \
    --arg 'f32[1000]:iota' --arg 'f32[1000]:ones' --dump 1
expect 0 '998: 1997 1999 *$' saxpy.ptx:saxpy --grid 4 --block 256 --arg i32:1000 --arg f32:2 --arg 'f32[1000]:iota' \
    --arg 'f32[1000]:ones' --dump '1[998:]'
expect 0 '7: 15 *$' saxpy.ptx:saxpy --grid 4 --block 256 --arg i32:1000 --arg f32:2 --arg 'f32[1000]:iota' \
    --arg 'f32[1000]:ones' --dump '1[7]'
expect 4 'cannot be written' saxpy.ptx:packed --grid 1 --block 1 --arg f32:1,2,3,4 --arg 'f32[4]' --save "0=$TMPDIR/no/such/place"
finish
