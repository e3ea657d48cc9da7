# Every lesson holds what it says, and every pinned PTX was made from the source beside it.
cd "$(dirname "$0")/../.." || exit 1
failed=0
scripts/ptx --check || { echo "FAIL the pinned PTX"; failed=1; }
"$WARPSTEP" check-lessons || { echo "FAIL lessons"; failed=$((failed + 1)); }
"$WARPSTEP" --json check-lessons >"$TMPDIR/json" && [ ! -s "$TMPDIR/json" ] || { echo "FAIL no problem, but JSON"; failed=$((failed + 1)); }
"$WARPSTEP" check-lessons 2 n=17 || { echo "FAIL lessons with a setting of the author's"; failed=$((failed + 1)); }
echo "$((4 - failed)) passed, $failed failed"
[ $failed = 0 ]
