# The accuracy of the timing model does not get worse. Whole kernels are compared with what an H200
# took (heldout.txt, blind*.txt); no card is fitted to them. These are the kernels that simulate
# fastest. pinned.txt says by how many percent each was off when it was written. The test
# fails when the mean error grows by more than half a point, or the error of one kernel by more than
# ten. A better result fails nothing.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
rows=$(sed '/^#/d; /^kernel /d' tests/fidelity/pinned.txt)
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
