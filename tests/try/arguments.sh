# Every bad argument is reported before anything runs, with status 2 and words that help.
. "$(dirname "$0")/kernels/lib.sh"
good="--grid 4 --block 256 --arg i32:1000 --arg f32:2 --arg f32[1000]:iota --arg f32[1000]:ones"
k=saxpy.ptx:saxpy
expect 0 'ok' $k $good
expect 0 'ok' $k --grid=4 --block=256 --arg=i32:1000 --arg=f32:2 --arg=f32[1000]:iota --arg=f32[1000]:ones
expect 0 'ok' $good $k

expect 2 'which file' --grid 1 --block 1
expect 2 'nothere.cu cannot be read' nothere.cu $good
expect 2 'is not a plain file' . $good
expect 2 'neither CUDA C' lib.sh $good
expect 2 'one file at a time' $k $k $good
expect 2 'which kernel' saxpy.ptx $good
expect 2 'no kernel called nosuch; it has: saxpy, copy, packed, spin' saxpy.ptx:nosuch $good
expect 2 'name is missing' saxpy.ptx: $good
expect 2 'no option --gird' $k --gird 4
expect 2 'needs a value' $k --grid

expect 2 'how many blocks' $k --block 1
expect 2 'how many threads' $k --grid 1
expect 2 'must be 1 to' $k $good --grid 0
expect 2 'must be 1 to' $k $good --grid 4,0
expect 2 'must be 1 to' $k $good --grid 99999999999999999999
expect 2 'whole number' $k $good --grid -1
expect 2 'whole number' $k $good --grid 4,,1
expect 2 'whole number' $k $good --grid ''
expect 2 'more than three' $k $good --grid 1,1,1,1
expect 2 'H200' $k $good --grid 4294967295
expect 2 'H200' $k $good --grid 1,65536
expect 2 'H200' $k $good --block 1025
expect 2 'H200' $k $good --block 64,64
expect 2 'shared' $k $good --shared 300000
expect 2 'must be 0 to' $k $good --shared 99999999999

expect 2 'takes 4 arguments, and 3 are' $k --grid 1 --block 1 --arg i32:1 --arg f32:1 --arg f32[1]
expect 2 'takes 4 arguments, and 5 are' $k $good --arg i32:1
expect 2 'argument 0 of saxpy has 4 bytes' $k --grid 1 --block 1 --arg i64:1 --arg f32:1 --arg f32[1] --arg f32[1]
expect 2 'cannot be a buffer' $k --grid 1 --block 1 --arg i32[1] --arg f32:1 --arg f32[1] --arg f32[1]
expect 2 'give a buffer' $k --grid 1 --block 1 --arg i32:1 --arg f32:1 --arg f32:1 --arg f32[1]
expect 2 'is a pointer' $k --grid 1 --block 1 --arg i32:1 --arg f32:1 --arg f64:1 --arg f32[1]

for a in i8:128 i8:-129 u8:256 i16:32768 u16:65536 i32:2147483648 i32:-2147483649 u32:4294967296 i64:9223372036854775808 \
    u64:18446744073709551616 i32:99999999999999999999999; do
    expect 2 'does not fit' $k --arg $a
done
expect 2 'has no sign' $k --arg u32:-1
expect 2 'too large for f32' $k --arg f32:1e39
expect 2 'too large for f64' $k --arg f64:1e400
for a in i32: i32:x i32:1.5 i32:0x i32:5z; do expect 2 'whole number' $k --arg $a; done
for a in f32: f32:x f32:1.5z 'f32: 1' f32:1,; do expect 2 'not a number' $k --arg "$a"; done
expect 2 'is no type' $k --arg f17:1
expect 2 'is no type' $k --arg ''
expect 2 'value is missing' $k --arg i32
expect 2 'must be 1 to' $k --arg 'f32[0]:zero'
expect 2 'must be 1 to' $k --arg 'f32[99999999999999]:zero'
expect 2 'whole number' $k --arg 'f32[-1]:zero'
expect 2 'is missing' $k --arg 'f32[10:zero'
expect 2 'how many elements' $k --arg 'f32[]:zero'
expect 2 'how many elements' $k --arg 'f32[]'
expect 2 'no way to fill' $k --arg 'f32[4]:seven'
expect 2 'must be 1 to' $k --arg 'f32[4]:rand%0'
expect 2 'must be 1 to 127' $k --arg 'i8[4]:rand%128'
expect 2 '3 values for 4' $k --arg 'i32[4]:=1,2,3'
expect 2 'does not fit' $k --arg 'u8[2]:=1,256'
expect 2 'No such file' $k --arg 'f32[]@nothere'
printf 12345 >"$TMPDIR/five"
expect 2 "no whole number of f32" $k --arg "f32[]@$TMPDIR/five"
expect 2 'fewer than' $k --arg 'f64[1000000]@lib.sh'
expect 2 'this machine has' $k --arg 'f32[200000000000]' --grid 1 --block 1

expect 2 'there are 2 buffers' $k $good --dump 2
expect 2 'elements 0 to 999' $k $good --dump '1[990:1001]'
expect 2 'elements 0 to 999' $k $good --dump '1[5:5]'
expect 2 'elements 0 to 999' $k $good --dump '1[1000]'
expect 2 'write K' $k $good --dump '1[5'
expect 2 'write K' $k $good --dump '1[]'
expect 2 'whole number' $k $good --dump x
expect 2 'there are 2 buffers' $k $good --save 2=x
expect 2 'write K=FILE' $k $good --save 1
expect 2 'checks are' $k $good --check fast
expect 2 'whole number' $k $good --arch sm_x
finish
