#!/bin/sh
# Every form of every instruction against what a real card computed, see run.c.
log=$TMPDIR/forms.log
# shellcheck disable=SC2046
"$BUILD/tests/forms/run" check $(ls tests/forms/*.h200 | sed 's/h200$/txt/') >"$log"
grep '^FAIL' "$log"
tail -n 1 "$log" | sed -n 's/^\([0-9]*\) forms agree, \([0-9]*\) do not, 0 have.*/\1 passed, \2 failed/p'
tail -n 1 "$log" | grep -q ' 0 have no recorded result' || { echo "some forms have no recorded result of a real card"; exit 1; }
