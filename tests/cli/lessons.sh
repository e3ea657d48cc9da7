# Every lesson holds its own claims, also with another setting. Every pinned PTX was made from the
# source beside it. What `why` names as a cause must be able to cause the change.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
scripts/ptx --check
ok $? "the pinned PTX"
"$WARPSTEP" --json check-lessons >"$TMPDIR/rows" # JSON reports problems as errors
status=$?
grep -v '"event":"why"' "$TMPDIR/rows"
ok $status "lessons"
"$WARPSTEP" --json check-lessons 2 n=17 >"$TMPDIR/json" && ! grep -v '"event":"why"' "$TMPDIR/json"
ok $? "lesson 2 with another n"
"$WARPSTEP" --lessons-only tests/lessons check-lessons
ok $? "tests/lessons"
# Lesson 9 has a setting `blocks`, 264, which scans do not use. 1 Mi numbers are 256 tiles of 4096, a block each.
"$WARPSTEP" --device sim:h200 explain 9.scan-chain | tr -s '\n ' '  ' | grep -q ' cycles for 256 tiles: '
ok $? "a setting that a step does not use hides no number of its run"

# Over all steps of all lessons: a cause that a sentence names changed in the direction that
# explains the change of time. Fewer multiprocessors, warps or copies in the background may make a
# step slower; for every other cause, more may make it slower.
tr '{' '\n' <"$TMPDIR/rows" | awk -F'[:,"]+' '
    function verdict(good) { print (good ? "ok" : "FAIL") " the direction of " cause " in " step }
    /"event":"why"/ { step = ""; for (i = 1; i < NF; i++) { if ($i == "lesson") step = $(i + 1); if ($i == "step") step = step "." $(i + 1) }; n = 0; steps++ }
    /^"name":.*"now":.*"before":/ {
        for (i = 1; i < NF; i++) { if ($i == "name") names[n] = $(i + 1); if ($i == "now") now[n] = $(i + 1); if ($i == "before") old[n] = $(i + 1) }
        n++
    }
    /"cycles_before":/ && n {
        for (i = 1; i < NF; i++) { if ($i == "cycles") c = $(i + 1); if ($i == "cycles_before") b = $(i + 1) }
        for (k = 0; k < n; k++) {
            cause = names[k]
            few = cause == "busy_multiprocessors" || cause == "resident_warps" || cause == "background_copies"
            verdict(c != b && now[k] != old[k] && ((now[k] + 0 > old[k] + 0) != few) == (c + 0 > b + 0))
        }
        n = 0
    }
    END { verdict(steps > 70) }' >"$TMPDIR/property"
count_lines "$TMPDIR/property"
finish
