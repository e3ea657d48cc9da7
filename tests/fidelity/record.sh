# README states the accuracy of timing on kernels that the model had not seen. It must match the
# record of predictions, and FIDELITY.md must name the error of each set as predicted.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
check() { # TEXT FILE
    if tr -s '\n ' ' ' <"$2" | grep -qF -- "$1"; then pass; else fail "$2 does not say: $1"; fi
}
check "$(scripts/blind-record --sentence)" README.md
scripts/blind-record | sed '1d; /^all/d; /^last/d' >"$TMPDIR/record"
while read -r set n mean rest; do
    check "the $n kernels of $set.cu were off by $mean % on average. The rules of the clock have changed since, some because of them. Today" sim/FIDELITY.md
done <"$TMPDIR/record"
[ $passed -gt 10 ] || fail "only $passed sentences are compared"
finish
