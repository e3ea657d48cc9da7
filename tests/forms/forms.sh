#!/bin/sh
# Every form of every instruction against the results of real cards, see run.c. A file of forms
# that no card has run yet is skipped by name.
log=$TMPDIR/forms.log
waiting=0
for forms in tests/forms/*.txt; do
    case $forms in */list.txt) continue ;; esac
    if [ -f "${forms%.txt}.h200" ] || [ -f "${forms%.txt}.h100" ]; then
        set -- "$@" "$forms"
        continue
    fi
    echo "SKIP $forms: no card's results recorded yet (make forms-record)"
    waiting=$((waiting + 1))
done
"$BUILD/tests/forms/run" check "$@" >"$log"
grep '^FAIL' "$log"
tail -n 1 "$log" | sed -n "s/^\([0-9]*\) forms agree, \([0-9]*\) do not, 0 have.*/\1 passed, \2 failed, $waiting skipped/p"
tail -n 1 "$log" | grep -q ' 0 have no recorded result' || { echo "some forms have no recorded result of a real card"; exit 1; }
