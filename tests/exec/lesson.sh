# Lesson 8: its programs run where there is no CUDA compiler, judge themselves as the lesson says, give the same each
# time, and are plain CUDA: nvcc and clang build them too (a few; WHOLE=1, `make check-host`: all of them).
. tests/cases.sh
lib=$(dirname "$WARPSTEP")/lib/warpstep
[ -e "$lib/programs/08-programs/first" ] || skip_all "lesson: no programs in this build"
here=$PWD/kernels/08-programs tests=$PWD/tests/exec
cd "$TMPDIR" || exit 1

# ---- without a compiler, each step is as the lesson says ----
PATH=/nonexistent WARPSTEP_COMPILER=none "$WARPSTEP" check-lessons 8 >out 2>&1
ok $? "check-lessons 8: $(tail -3 out | tr '\n' ' ')"

# ---- the same each time, to the last digit: host clocks, events, clocks of blocks, copies, streams ----
for step in host-clock kernel-clock streams two-cards graph; do
    "$WARPSTEP" run "8.$step" --json >first 2>&1
    "$WARPSTEP" run "8.$step" --json >second 2>&1
    # the seed of the inputs differs, which no program of this lesson uses
    sed 's/"seed":[0-9]*//' first >a && sed 's/"seed":[0-9]*//' second | cmp -s - a
    ok $? "8.$step differs from run to run"
done
# Two ways to time one kernel agree to 2 us, what a launch and a wait take: a nap of the simulator's threads would show.
events=$("$WARPSTEP" run 8.events | awk '/between the events:/ { print $5 }')
host=$("$WARPSTEP" run 8.host-clock | awk '/with a wait:/ { print $5 }')
awk -v a="$events" -v b="$host" 'BEGIN { exit !(a > 5 && b - a < 2 && a - b < 2) }'
ok $? "events say $events us, the host's clock $host us"
# Three engines: two that copy and the multiprocessors. One stream uses one at a time.
"$WARPSTEP" run 8.streams --json | grep -q '"overlap":[5-9][0-9]'; ok $? "8.streams overlaps"
"$WARPSTEP" run 8.one-stream --json | grep -q '"overlap":0[,}]'; ok $? "8.one-stream does not"

# ---- the screens: lesson-walk.txt has commands, each followed by what it prints (UPDATE=1 rewrites it) ----
walk=$tests/lesson-walk.txt
sed -n 's/^\$ //p' "$walk" | while read -r line; do
    printf '$ %s\n' "$line"
    sh -c "$line" 2>&1 </dev/null
done >walked
[ -z "$UPDATE" ] || cp walked "$walk"
cmp -s "$walk" walked; ok $? "the screens: $(diff "$walk" walked | head -6 | tr '\n' '|')"
wide=$(awk '/^\$ .*show host/ { exit } length > 80 && !/^\$/ && !/"schema"/' walked)
[ -z "$wide" ]; ok $? "80 columns: $(echo "$wide" | head -2)"
# With a step that this computer cannot build left out, all the others stand in the ladder.
"$WARPSTEP" ladder 8 >out 2>&1; [ "$(sed -n '/^  ---/,/^$/p' out | grep -c ' us\| ms')" -ge 12 ]; ok $? "ladder 8: $(head -3 out)"
"$WARPSTEP" exec --time none --report report 8.pinned | grep -q '^pinned: '; ok $? "an event that was waited for is ready without a clock"

# ---- as a program of exec ----
"$WARPSTEP" exec --timeline trace.json --report report 8.two-cards >out 2>&1; ok $? "exec 8.two-cards: $(head -2 out)"
grep -q '2 cards' out && grep -q '"card 1' trace.json; ok $? "two cards in the timeline"
"$WARPSTEP" exec 1.v3 >out 2>&1; [ $? = 2 ] && grep -q 'show host 1.v3' out; ok $? "a step of kernels is no program: $(cat out)"
"$WARPSTEP" exec 8.first 5 >out 2>&1; [ $? = 2 ]; ok $? "a step has its own arguments"
"$WARPSTEP" show host 8.first | cmp -s - "$here/first.cu"; ok $? "show host of a program is its file"
"$WARPSTEP" show mem 8.first >out 2>&1; [ $? = 2 ] && grep -q 'exec --lines 8.first' out; ok $? "no accesses of programs: $(cat out)"

# ---- a lesson from elsewhere starts no program of its own; a changed one is not run under its old name ----
mkdir -p own/08-programs && cp -R "$here/../../lessons/08-programs/lesson.txt" "$here"/first.* own/08-programs/
"$WARPSTEP" --lessons-only own run 8.first >out 2>&1; ok $? "the same text may lie anywhere: $(head -1 out)"
echo '/* changed */' >>own/08-programs/first.cu
"$WARPSTEP" --lessons-only own run 8.first >out 2>&1; [ $? != 0 ] && tr '\n' ' ' <out | grep -q 'is not what .*built from'
ok $? "a changed program: $(head -2 out)"
mv own/08-programs own/09-mine
"$WARPSTEP" --lessons-only own run 9.first >out 2>&1; [ $? != 0 ] && tr '\n' ' ' <out | grep -q 'exec .*first.cu'
ok $? "a program from elsewhere: $(head -2 out)"
mv own/09-mine own/08-programs
sed -i 's/^program: first.cu n/program: first.cu n, /' own/08-programs/lesson.txt
"$WARPSTEP" --lessons-only own run 8.first >out 2>&1; [ $? = 2 ] && grep -q 'one more value' out; ok $? "a value is missing: $(head -1 out)"

# ---- plain CUDA ----
as_program() { "$WARPSTEP" exec --cards 2 --time repeatable --report report "$@"; }
few="streams.cu,100000,4 two-cards.cu,100000 vector.cu,1000"
[ "$WHOLE" ] && few=$(cd "$here" && for f in *.cu; do echo "$f,100000"; done)
for c in nvcc clang; do
    if ! WARPSTEP_COMPILER=$c "$WARPSTEP" doctor 2>/dev/null | grep -q "^ *$c .*[0-9]"; then
        skip "lesson 8 by $c: not found"
        continue
    fi
    for one in $few; do
        file=${one%%,*} flags=
        case $file in driver.cu) flags=-lcuda; [ $c = clang ] && continue ;; esac # clang's way has no cuda.h
        words=$(echo "${one#*,}" | tr , ' ')
        # shellcheck disable=SC2086
        WARPSTEP_COMPILER=$c as_program $flags "$here/$file" $words >out 2>err
        status=$?
        # shellcheck disable=SC2086
        as_program "$lib/programs/08-programs/${file%.cu}" $words >wanted 2>&1
        wanted=$?
        # what it prints, but for times: compilers make other kernels; and CUDA 12 words an error otherwise
        for f in out wanted; do sed 's/[0-9.]* us\|[0-9.]* GB.s\|[0-9]* to [0-9]* cycles\|at .*//g; s/invalid .*/invalid/' $f >$f.text; done
        [ $status = $wanted ] && cmp -s out.text wanted.text
        ok $? "$file by $c: status $status, not $wanted: $(diff out.text wanted.text | head -3 | tr '\n' '|') $(head -3 err | tr '\n' ' ')"
    done
done
finish
