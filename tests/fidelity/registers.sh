# The estimate of registers per thread (sim/code/registers.c) against what ptxas allocates, for
# every kernel of lessons, tests/fidelity and tests/bench except those of micro.cu, which are unlike any program. The test also
# counts how often the two are on different sides of 32, where all threads of a multiprocessor fit.
# The limits apply to the kernels that the estimate was made with. Later kernels (unseen) are
# counted apart until the estimate is made with them too. No kernel may take fewer registers than we
# say that it takes at least, since a launch is refused for these. Needs ptxas, and nvcc for kernels that are not
# pinned; LIST=1 prints every kernel.
. tests/cases.sh
made=build/fidelity
unseen="$made/blind8.ptx $made/blind9.ptx $made/blind10.ptx $made/blind11.ptx $made/blind12.ptx $made/blind13.ptx $made/blind14.ptx $(echo kernels/09-patterns/*.ptx)"
PTXAS=${PTXAS:-ptxas}
command -v "$PTXAS" >/dev/null || skip_all "registers against ptxas: no ptxas here"
"$PTXAS" --help | grep -q sm_90 || skip_all "registers against ptxas: it does not know sm_90"
for source in tests/fidelity/[bh]*.cu; do
    scripts/fidelity-ptx "$source" >/dev/null 2>"$TMPDIR/why" || skip_all "registers against ptxas: $(cat "$TMPDIR/why")"
done
files=$(ls kernels/*/*.ptx lessons/*/exercises/*/*.ptx $made/[bh]*.ptx tests/bench/*.ptx)
"$BUILD/tests/fidelity/registers" sim/cards/h200.card $files >"$TMPDIR/ours" || exit 1
for f in $files; do
    "$PTXAS" -arch=sm_90 -v -o /dev/null "$f" 2>&1 | awk -v f="$f" '
        /Compiling entry function/ { split($0, part, "\047"); kernel = part[2] }
        match($0, /Used [0-9]+ registers/) { split(substr($0, RSTART), w, " "); print f, kernel, w[2] }'
done >"$TMPDIR/theirs"
awk -v list="$LIST" -v unseen="$unseen" '
    NR == FNR { ours[$1 " " $2] = $3; least[$1 " " $2] = $4; next }
    {
        o = ours[$1 " " $2]
        e = o / $3 - 1; size = e < 0 ? -e : e
        if (least[$1 " " $2] > $3) { print "FAIL", $2, "in", $1 ": ptxas takes", $3, "registers, we say", least[$1 " " $2], "at least" }
        if (list) print $1, $2, "ours", o, "ptxas", $3
        if (index(" " unseen " ", " " $1 " ")) { new++; new_sum += size; new_apart += ($3 <= 32) != (o <= 32); next }
        n++
        sum += size; bias += e; apart += ($3 <= 32) != (o <= 32)
        if (size >= worst) { worst = size; where = $2 " in " $1 ": " o ", ptxas " $3 }
    }
    END {
        printf "%d kernels: off by %.0f %% on average (%+.0f %% with sign), by %.0f %% at worst (%s); %d on the other side of 32\n",
               n, 100 * sum / n, 100 * bias / n, 100 * worst, where, apart
        if (new) printf "%s, not known to the estimate: %d kernels, off by %.0f %% on average, %d on the other side of 32\n", unseen, new, 100 * new_sum / new, new_apart
        print (n > 100 && sum / n < 0.18 && apart * 50 < n ? "ok" : "FAIL"), "the estimate as a whole"
    }' "$TMPDIR/ours" "$TMPDIR/theirs" >"$TMPDIR/judged"
count_lines "$TMPDIR/judged"
grep -v '^FAIL\|^ok' "$TMPDIR/judged"
finish
