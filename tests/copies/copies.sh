# Bulk copies, boxes of tensors, reductions, multicast and tensor maps: what an H200 did in each case (copies.h200, by
# copies.c) and what the simulated one does. Three things differ on purpose: a box that a card ends with "illegal
# instruction" is "launch failed" here, with a finding that says why; interleaved maps are refused as not supported; and
# mistakes that a card does not notice are named.
. tests/cases.sh
here=$(cd "$(dirname "$0")" && pwd)
lib=$(dirname "$WARPSTEP")/lib/warpstep
[ -e "$lib/libcuda.so.1" ] || skip_all "copies: no libraries in this build"
command -v "${CC%% *}" >/dev/null 2>&1 || CC=cc
cd "$TMPDIR" || exit 1
${CC:-cc} -std=gnu11 -O1 -w -o copies "$here/copies.c" -ldl 2>log ||
    skip_all "copies: no host compiler: $(head -1 log)"
compare() { # WANTED GOT: line by line
    [ "$(wc -l <"$1")" = "$(wc -l <"$2")" ] || fail "$2 has $(wc -l <"$2") lines"
    while IFS= read -r want <&3 && IFS= read -r got <&4; do
        [ "$want" = "$got" ]; ok $? "$got, not: $want"
    done 3<"$1" 4<"$2"
}
# what differs on purpose
sed 's/CUDA_ERROR_ILLEGAL_INSTRUCTION/CUDA_ERROR_LAUNCH_FAILED/
     s/^\(interleave .*\) [0-9a-f]* arrived$/\1 refused 801/
     s/^\(encode interleave .*\) 0$/\1 801/' "$here/copies.h200" | tr -s ' ' >wanted
"$WARPSTEP" exec --limit 900 --report report --time none ./copies "$here/copies.ptx" 2>err | tr -s ' ' >simulated
compare wanted simulated
tr -s ' \n' ' ' <report >words
for say in 'the box begins at element 13 of its rows, 52 bytes in: that must be a multiple of 16 bytes' \
    'the box begins at element -9 of dimension 1: one that is stored may reach out of the tensor at its end alone' \
    'has elements of s64, which a reduction by .and does not take' \
    'the box of a tensor map has 262144 bytes; it can have 233472, the shared memory of a multiprocessor' \
    'interleaved tensor maps (NC/8HWC8, NC/16HWC16) are not supported here'; do
    grep -qF "$say" words; ok $? "the report does not say: $say"
done

# what a card does not notice is named here: bytes that are no multiple of 16, and counts that no object can hold
sed 's/CUDA_ERROR_ILLEGAL_INSTRUCTION/CUDA_ERROR_LAUNCH_FAILED/
     s/^\(24 bytes\|a count of 0\|a count of 2^20\) *no error$/\1 CUDA_ERROR_LAUNCH_FAILED/
     s/^\(a block that is not there\).*/\1 CUDA_ERROR_ILLEGAL_ADDRESS/' "$here/mistakes.h200" | tr -s ' ' >wanted
# With the clock: without one, a block that has ended stays in reach (sim/README.md).
"$WARPSTEP" exec --limit 900 --report report ./copies "$here/copies.ptx" mistakes 2>err | tr -s ' ' >mistakes
compare wanted mistakes
finish
