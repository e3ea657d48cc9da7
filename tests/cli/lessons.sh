# Every lesson holds what it says, also with a setting of the author's, and every pinned PTX was made from the source beside it.
cd "$(dirname "$0")/../.." || exit 1
failed=0
scripts/ptx --check || { echo "FAIL the pinned PTX"; failed=1; }
"$WARPSTEP" check-lessons || { echo "FAIL lessons"; failed=$((failed + 1)); }
"$WARPSTEP" --json check-lessons 2 n=17 >"$TMPDIR/json" && ! grep -v '"event":"why"' "$TMPDIR/json" || {
    cat "$TMPDIR/json"
    echo "FAIL lesson 2 with another n, or a problem in JSON though there is none"
    failed=$((failed + 1))
}
echo "$((3 - failed)) passed, $failed failed"
[ $failed = 0 ]
