# Launches that `exec` keeps: each runs again alone after the program has ended, and leaves what it left in the program.
. tests/cases.sh
here=$(cd "$(dirname "$0")" && pwd)
lib=$(dirname "$WARPSTEP")/lib/warpstep
[ -e "$lib/libcudart.so.13" ] || skip_all "kept: no libraries in this build"
command -v "${CC%% *}" >/dev/null 2>&1 || CC=cc
cd "$TMPDIR" || exit 1
cp "$here/kept.cu" .
${CC:-cc} -std=gnu11 -O1 -o kept "$here/kept.c" -L"$lib" -l:libcudart.so.13 -Wl,-rpath,/nonexistent \
    -Wl,--allow-shlib-undefined -pthread 2>log || skip_all "kept: no host compiler: $(head -1 log)"
exec="exec ./kept $here/kept.ptx"
printed() { sed -n "s/^ *\($1 [0-9][0-9]*\)\$/\1/p" "$2"; }

# what each prints in the program, and what it prints when it is run again: the sums over the memory that it leaves
"$WARPSTEP" -c "$exec" >program 2>report
[ "$(wc -l <program)" = 12 ]; ok $? "the program: $(head -20 program report)"
for kernel in in_place variables pointers texels; do
    "$WARPSTEP" -c "$exec" -c "run $kernel" >out 2>err
    sed '1,12d' out >again
    for line in $kernel $([ $kernel != variables ] || echo table); do # the first launch of each is the one that is kept
        was=$(printed $line program | head -1) is=$(printed $line again)
        [ -n "$was" ] && [ "$was" = "$is" ]
        ok $? "$kernel again: $was in the program, then $is: $(head -30 again err)"
    done
done
# of a kernel whose launches become longer a long one is kept: the third
"$WARPSTEP" -c "$exec" -c "run grows" >out 2>err
sed '1,12d' out >again
[ "$(printed grows again)" = "$(printed grows program | sed -n 3p)" ] && grep -q '^exec.grows  launch 3' again
ok $? "the longest launch: $(cat again err)"

# what is said of them; the most expensive one is meant when none is named
"$WARPSTEP" -c "$exec" -c why -c 'why gr' -c 'show lines gr' -c 'show mem pointers' -c 'show source' -c 'show ptx texels' \
    -c 'show counters' -c ladder >out 2>err
ok $? "all that can be asked: $(cat err)"
grep -q '^grows on sim:h200' out && grep -q '^in_place on sim:h200' out; ok $? "why: $(grep -n ' on sim' out)"
grep -q '[0-9]  extern "C" __global__ void grows' out; ok $? "show lines"
grep -q 'each row is 64 bytes of .*; a number is the lane' out; ok $? "show mem"
grep -q '^kept.cu$' out && grep -q '^program.ptx$' out; ok $? "show source, show ptx"
grep -q '^ *in_place  *[0-9.]* us .*[0-9]x$' out; ok $? "ladder: $(tail -12 out)"
# of a module of many kernels the PTX of that one, however it is written: blanks and comments stand where they may
sed 's/^\.visible \.entry texels(/.visible .entry \/\/ .entry large(\n texels (/' "$here/kept.ptx" >spaced.ptx
"$WARPSTEP" -c "exec ./kept spaced.ptx" -c 'show ptx texels' >out 2>err
sed '1,/^program.ptx$/d' out >shown
[ "$(grep -c '(\|^ *}' shown)" -gt 1 ] && head -1 shown | grep -q 'texels ($' && ! grep -q '\.entry\|\.version' shown
ok $? "show ptx of one kernel: $(head -5 shown) $(wc -l <shown) lines $(cat err)"
cycles() { sed -n 's/.*"event":"run".*"step":"'"$1"'".*"cycles":\([0-9]*\).*/\1/p'; }
# of one launch, and an L2 that was empty in the program too: the same clock
"$WARPSTEP" --json -c "$exec" -c 'run in_place' >out 2>err; again=$(cycles in_place <out)
[ "${again:-0}" -gt 0 ]; ok $? "JSON: $(cat out err)"
"$WARPSTEP" -c "$exec" -c 'why nothing' >out 2>err; [ $? = 2 ] && grep -q 'kept has no kernel "nothing"' err
ok $? "a kernel that is not there: $(cat err)"
"$WARPSTEP" -c "$exec" -c 'lesson 1' -c 'lesson exec' -c 'why in_place' >out 2>err; ok $? "and back: $(cat err)"
"$WARPSTEP" -c "$exec" -c 'run in_place --device sim:8800gt' >out 2>err
grep -q 'in_place .*sim:8800gt' out; ok $? "on another card: $(tail -20 out) $(cat err)"
"$WARPSTEP" --device sim:8800gt -c "ladder ./one ./two" >out 2>err; [ $? = 127 ]; ok $? "ladder of what is not there: $(cat err)"
printf '#!/bin/sh\nexec ./kept %s\n' "$here/kept.ptx" >one && chmod +x one && cp one two
"$WARPSTEP" ladder ./one ./two >out 2>err && [ "$(grep -c '^ *\(one\|two\)  *\(grows\|in_place\|pointers\|texels\|variables\) ' out)" = 10 ]
ok $? "ladder of two programs: $(cat out err)"
awk 'length > 80' out | grep -q .; [ $? = 1 ]; ok $? "in 80 columns: $(awk 'length > 80' out)"

# what cannot be kept says so, and keeps its profile
"$WARPSTEP" -c "$exec large" -c 'why large' >out 2>err
[ $? = 2 ] && grep -q '^  large ' err && grep -q 'large was not kept: it uses more memory than the 256 MiB' err
ok $? "more than the budget: $(cat err)"
"$WARPSTEP" $exec >out 2>err; cmp -s out program; ok $? "nothing is kept for a single command"
"$WARPSTEP" exec sh -c 'echo "$WARPSTEP_EXEC"' 2>/dev/null | grep -q snapshots; [ $? = 1 ]; ok $? "and nothing is asked for"
# the program writes into the file: a sentence, and what was whole before still runs
"$WARPSTEP" -c "$exec junk" -c 'why in_place' >out 2>err; ok $? "junk behind: $(cat err)"
grep -q 'is damaged' err; ok $? "junk is told: $(cat err)"
for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
    "$WARPSTEP" -c "$exec flips $seed" -c 'ladder' >out 2>err
    for kernel in grows in_place variables pointers texels; do echo "run $kernel"; done >commands
    "$WARPSTEP" -c "$exec flips $seed" -x commands >out 2>err
    status=$?
    { [ $status = 0 ] || grep -q 'damaged\|not kept' err; } && ! grep -q 'crash\|simulator itself\|signal' err
    ok $? "flipped bytes, seed $seed: $status $(cat err)"
done
# the PTX says where the source is: a file that lies elsewhere is not shown, whatever it is
sed 's|^\([[:blank:]]*\.file[[:blank:]]*1\)[[:blank:]].*|\1 "/etc/passwd"|' "$here/kept.ptx" >elsewhere.ptx
grep -q '"/etc/passwd"' elsewhere.ptx; ok $? "the PTX names another file"
for what in 'show source' 'show lines' 'step --text' 'export html page.html'; do
    "$WARPSTEP" -c "exec ./kept elsewhere.ptx" -c "$what" >out 2>err
    cat page.html >>out 2>/dev/null
    ! grep -q 'root:x' out err; ok $? "a file elsewhere is shown by $what: $(grep root: out err)"
done
"$WARPSTEP" -c "exec ./kept elsewhere.ptx" -c 'show source' >out 2>err
grep -q 'is not shown: it lies neither' err; ok $? "which is said: $(tail -3 err)"
mkdir -p elsewhere && cd elsewhere && sed "s|/etc/passwd|$TMPDIR/kept.cu|" ../elsewhere.ptx >beside.ptx
"$WARPSTEP" -c "exec ../kept beside.ptx" -c 'show source' 2>err | grep -q 'void grows'
ok $? "a source beside the program, from another folder: $(tail -3 err)"
# `exec --why` says what limits a kernel under the key of `try --why`, with rows of stalls like any run's
cd "$TMPDIR" || exit 1
"$WARPSTEP" --json exec --why ./kept "$here/kept.ptx" 2>&1 | grep -q '"why":\[{"kernel":"[^"]*","process":[0-9]*,"limit":"A warp spends'
ok $? "exec --why --json has the key limit"
"$WARPSTEP" exec --why ./kept "$here/kept.ptx" >out 2>&1
grep -q '^  arithmetic latency  *[0-9.]* %  it waits' out; ok $? "exec --why has rows of stalls: $(tail -5 out)"
finish
