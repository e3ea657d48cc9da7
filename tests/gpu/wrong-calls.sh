# `make test-gpu` runs this on a computer with a GPU: what the card answers to calls of CUDA that are wrong
# (tests/exec/wrong_calls.c), beside what exec answers. A line for each, with its number, the card's code and ours; in the
# end those that differ, and those where the card's answer is not the one that the tests expect ("ours": it has none).
. tests/cases.sh
[ "$TEST_GPU" ] || skip_all "make test-gpu runs this on a GPU"
cd "$(dirname "$0")/../.." || exit 1
tmp=${TMPDIR:-/tmp}
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
for folder in "$(dirname "$(dirname "$(readlink -f "$nvcc")")")" /usr/local/cuda; do
    for lib in "$folder"/lib64 "$folder"/lib "$folder"/targets/*/lib; do
        [ ! -e "$lib/libcudart.so" ] || theirs=${theirs:-$lib}
    done
done
${CC:-cc} -std=gnu11 -O1 -w -o "$tmp/wrong_calls" tests/exec/wrong_calls.c -ldl || exit 1
LD_LIBRARY_PATH=$theirs:$LD_LIBRARY_PATH "$tmp/wrong_calls" tests/exec/kernels.ptx >"$tmp/card" 2>"$tmp/card.err"
[ $? != 77 ] || skip_all "wrong calls: $(cat "$tmp/card.err")"
"$WARPSTEP" exec --limit 900 --report "$tmp/report" "$tmp/wrong_calls" tests/exec/kernels.ptx >"$tmp/ours" 2>/dev/null
awk 'FNR == NR { ours[$1] = $2; next }
     /calls are not as expected/ { next }
     { differs = $2 != ours[$1]; wrong = /;/ && $4 != "ours"
       line = sprintf("%3d card %4d, here %4d%s  %s", $1, $2, ours[$1], differs ? " *" : "  ", substr($0, 45))
       print line
       print (wrong ? "FAIL" : "ok"), "call", $1 >verdicts
       if (differs) apart = apart "\n" line
       if (wrong) unexpected = unexpected "\n" line }
     END { print "\nThe card and exec differ:" apart "\n\nThe card does not answer what is expected:" unexpected }' verdicts="$tmp/verdicts" "$tmp/ours" "$tmp/card"
count_lines "$tmp/verdicts"
finish
