#!/bin/sh
# Forms of all instructions with the clock of every card, and of a card that says no more than it must: each ends, takes
# time, and gives the result that it gives without the clock. WHOLE=1
# (make test-whole): every form on every card, about a minute.
. tests/cases.sh
forms=
for file in tests/forms/*.txt; do
    case $file in */list.txt) ;; *) forms="$forms $file" ;; esac
done
how=some
[ -z "$WHOLE" ] || how=timed
# shellcheck disable=SC2086
"$BUILD/tests/forms/run" $how sim/cards/*.card -sim/cards/h200.card $forms >"$TMPDIR/log"
status=$?
grep '^FAIL' "$TMPDIR/log"
[ $status -le 1 ] || stop "it ended with status $status"
tail -n 1 "$TMPDIR/log"
exit $status
