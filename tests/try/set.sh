# --set fills __device__ and __constant__ variables. The results of the kernel are worked out by
# hand; each mistake gets its message.
. "$(dirname "$0")/kernels/lib.sh"
line="set.ptx:line --grid 1 --block 8 --arg f32[8] --dump 0"
words="set.ptx:copy_words --grid 1 --block 4 --arg i16[4] --dump 0"

# scale * table[i] + offset = 2.5 i + 0.5; with offset 3 from the file and a table of 4: 13
expect 0 ' 0: *0.5 *3 *5.5 *8 *10.5 *13 *15.5 *18' $line --set scale=f32:2.5 --set table=i32[8]:iota --set offset=f64:0.5
expect 0 ' 0: *13 *13 *13 *13 *13 *13 *13 *13' $line --set scale=f32:2.5 --set table=i32[]:=4,4,4,4,4,4,4,4
expect 0 ' 0: *5 *5 *5 *5 *5 *5 *5 *5' $line --set=scale=f32:2 --set=table=i32[]:ones
printf '\001\000\000\000\002\000\000\000' >"$TMPDIR/two"
expect 0 ' 0: *4 *5 *3 *3 *3 *3 *3 *3' $line --set scale=f32:1 --set "table=i32[]@$TMPDIR/two"

# A variable in a namespace is found by its own name. A part is set; the rest keeps the file's data.
expect 0 ' 0: *-1 *-2 *-3 *-4' $words
expect 0 ' 0: *7 *8 *-3 *-4' $words --set words=i16[2]:=7,8
expect 0 ' 0: *7 *8 *-3 *-4' $words --set _ZN4deep5wordsE=i16[2]:=7,8
# The kernel clears the variable; the second run, timed with a full cache, starts with it set again.
expect 0 'cache hot' --hot $words --set words=i16[]:iota
# --why runs see the variable too
expect 0 'A warp spends' $line --set scale=f32:2 --set table=i32[8]:iota --why

expect 2 'no __device__ or __constant__ variable scal; it has: scale, table, offset, words' $line --set scal=f32:1
expect 2 'no __device__ or __constant__ variable x, nor any other' saxpy.ptx:copy --grid 1 --block 1 --arg f64[1]:zero --arg f64[1] \
    --arg u32:0 --set x=f32:1
expect 2 'the variable has 32 bytes, and that has 36' $line --set table=i32[9]:iota
expect 2 'write NAME=FILL' $line --set scale
expect 2 'write NAME=FILL' $line --set =f32:1
expect 2 'is no type' $line --set scale=2.5
expect 2 'say what it holds' $line --set table=i32[8]
expect 2 'no way to fill' $line --set table=i32[8]:nonsense
expect 2 'needs a value' $line --set
finish
