# The accuracy of the timing model does not get worse. Whole kernels are compared with what an H200
# took (heldout.txt, blind*.txt); no card is fitted to them. These are the kernels that simulate
# fastest. Each row says by how many percent the kernel was off when this was written. The test
# fails when the mean error grows by more than half a point, or the error of one kernel by more than
# ten. A better result fails nothing.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
rows='saxpy-1M 10.1
transpose-naive-1024 12.4
transpose-tiled-1024 7.0
histogram-shared 8.4
chase-L1 1.6
chase-L2 0.3
stencil-space 3.6
goertzel 15.1
lorenz 0.7
kahan-sums 3.6
digit-ranks 6.6
match-features 2.5
sha-256 8.4
hidden-states 20.5
filter-chain 42.4
fluid-density 17.5
montgomery 5.9
romberg 6.3
chi-squared 0.2
add-voices 6.9
boys-functions 10.8
keccak-hashes 9.7
cable-nets 8.1
reach-arms 2.3'
# shellcheck disable=SC2046
scripts/heldout $(echo "$rows" | sed 's/ .*//') >"$TMPDIR/table" 2>"$TMPDIR/why"
echo "$rows" | awk -v table="$TMPDIR/table" '
    BEGIN {
        while ((getline line < table) > 0)
            if (split(line, w, " ") > 8 && w[1] == "|" && w[9] == "%") off[w[2]] = w[8] < 0 ? -w[8] : w[8] + 0
    }
    !($1 in off) { print "FAIL " $1 ": no time"; next }
    { n++; was += $2; is += off[$1] }
    off[$1] > $2 + 10 { printf "FAIL %s: %.1f %% off, was %.1f %%\n", $1, off[$1], $2; next }
    { print "ok " $1 }
    END {
        if (n) printf "%d kernels: %.2f %% off on average, was %.2f %%\n", n, is / n, was / n
        print (n && is <= was + n / 2 ? "ok the" : "FAIL the"), "mean error has not grown by more than half a point"
    }' >"$TMPDIR/judged"
count_lines "$TMPDIR/judged"
[ $failed = 0 ] || cat "$TMPDIR/why"
grep ' off on average' "$TMPDIR/judged"
finish
