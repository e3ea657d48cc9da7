# Every row of lessons/REFERENCE.md matches what the program prints now.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
"$WARPSTEP" figures check 2>/dev/null >"$TMPDIR/figures"
status=$?
cat "$TMPDIR/figures"
made=$(sed -n 's/^\([0-9]*\) of \([0-9]*\) rows of REFERENCE.md made again, .*/\1 \2/p' "$TMPDIR/figures")
[ "$status" = 0 ] && [ "${made% *}" = "${made#* }" ] && [ "${made% *}" -gt 20 ]
ok $? "rows made again: ${made:-none}"
finish
