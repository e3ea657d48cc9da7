#!/bin/sh
# Every form of every instruction against the results of real cards, see run.c. A file of forms
# that no card has run yet is skipped by name.
. tests/cases.sh
log=$TMPDIR/forms.log
for forms in tests/forms/*.txt; do
    case $forms in */list.txt) continue ;; esac
    if [ -f "${forms%.txt}.h200" ] || [ -f "${forms%.txt}.h100" ]; then
        set -- "$@" "$forms"
        continue
    fi
    skip "$forms: no card's results recorded yet (make forms-record)"
done
"$BUILD/tests/forms/run" check "$@" >"$log"
grep '^FAIL' "$log"
# shellcheck disable=SC2046
set -- $(tail -n 1 "$log" | sed -n 's/^\([0-9]*\) forms agree, \([0-9]*\) do not, 0 have no recorded.*/\1 \2/p')
[ $# = 2 ] || stop "some forms have no recorded result of a real card: $(tail -n 1 "$log")"
passed=$1 failed=$2
finish
