# A lesson from nothing, as an author makes one: the commands of lessons/README.md, "A lesson in five minutes". What
# needs no compiler comes first, with PTX that lies beside the kernel; the rest is skipped where there is none.
. tests/cases.sh
top=$PWD
cd "$TMPDIR" || exit 1
says() { # says WHAT TEXT COMMAND...: it prints that text
    what=$1 text=$2
    shift 2
    "$@" >out 2>&1
    grep -qF -- "$text" out
    ok $? "$what: $(tr '\n' ' ' <out | cut -c1-300)"
}
lesson() { # lesson NAME <the rest of its one step: a lesson of one's own with PTX beside the kernel
    mkdir -p "$1"
    cp "$top/tests/try/kernels/saxpy.cu" "$top/tests/try/kernels/saxpy.ptx" "$1"
    {
        printf 'title: T\nsetting: n = 1000 from 1 to 1Mi, numbers\nstep: v1\ntitle: A\nidea: I\nkernel: saxpy.cu\n'
        printf 'buffer: x f32[n] = i %% 7 - 3\nbuffer: y f32[n] = (i * 2654435761) %% 1000\n'
        printf 'launch: _Z5saxpyifPKfPf<<<ceil(n, 256), 256>>>(n, 2.0, x, y)\n'
        cat
    } >"$1/lesson.txt"
}

# ---- what is right, as an expression ----
echo 'right: y[i] == 2 * x[i] + before.y[i]' | lesson 30-good
says "saxpy is right" "y: right, every element as the CPU has it" "$WARPSTEP" --lessons 30-good run 30.v1
says "all checks" "1 steps checked, 0 problems" "$WARPSTEP" --lessons 30-good check-lessons
echo 'right: y[i] == 2 * x[i] + before.y[i] + (i == 700) within 1e-6 relative' | lesson 31-wrong
# x[700] = 0 - 3, y[700] = 700 * 2654435761 mod 1000 = 700: 694 is right, and 695 is expected
says "one element is not" "y: wrong in 1 elements, first in [700]: 694, the CPU says 695" "$WARPSTEP" --lessons 31-wrong run 31.v1
says "check-lessons shows the run" "first in [700]: 694, the CPU says 695" "$WARPSTEP" --lessons 31-wrong check-lessons
says "... and how to see more" "run 31.v1 n=1000" "$WARPSTEP" --lessons 31-wrong check-lessons
printf 'right: y[i] == 2 * x[i] + before.y[i] for i = 0 to 699\nright: y[i] == before.y[i] for i = 700 to n - 1\n' | lesson 32-two
says "several, of which the second fails" "first in [700]: 694, the CPU says 700" "$WARPSTEP" --lessons 32-two run 32.v1
echo 'right: y[i] == 2 * x[i + 1] + before.y[i]' | lesson 33-out
says "a read outside is the author's" "lesson.txt:10:20: x[1000] is outside x, which has 1000 elements, at i = 999" \
    "$WARPSTEP" --lessons 33-out run 33.v1
echo 'right: y[i] == 2 * z[i]' | lesson 34-name
says "an unknown buffer has its place" "lesson.txt:10:20: expected a buffer of this step: there is no z" "$WARPSTEP" --lessons 34-name run 34.v1
echo 'right: y[i] == 2 * x[i] + before.y[i] for i = 0 to n' | lesson 35-limits
says "limits outside" "y is judged for i = 0 to 1000, and has 1000 elements" "$WARPSTEP" --lessons 35-limits run 35.v1
"$WARPSTEP" --lessons 30-good show host 30.v1 >host.cu
grep -q '2 \* (double)x\[i\] + (double)y\[i\]' host.cu && grep -q 'x\[i\] = (float)(i % 7 - 3)' host.cu
ok $? "show host has the expressions: $(grep '\[i\]' host.cu | tr '\n' ' ')"

# ---- a plain kernel as reference ----
plain='right: y[i] == 2 * x[i] + before.y[i]\nstep: v2 like v1\ntitle: B\nidea: I\n'
{ printf "$plain"; echo 'right: y == like v1'; } | lesson 39-witness
says "as another step has it" "y: right, every element as step v1 has it" "$WARPSTEP" --lessons 39-witness run 39.v2
{ printf "$plain"; printf 'launch: _Z5saxpyifPKfPf<<<ceil(n, 256), 256>>>(n, 3.0, x, y)\nright: y == like v1\n'; } | lesson 39-witness
# y[0] is 0, x[0] is -3: three times that is -9, twice is -6
says "not as another step has it" "first in [0]: -9, step v1 says -6" "$WARPSTEP" --lessons 39-witness run 39.v2
{ printf "$plain"; printf 'buffer: x f32[n] = zero\nright: y == like v1\n'; } | lesson 39-witness
says "other inputs are no reference" "expected a step with the same buffers and fills" "$WARPSTEP" --lessons 39-witness run 39.v2
{ printf "$plain"; echo 'right: y == like v2'; } | lesson 39-witness
says "a step is no reference for itself" "expected an earlier step" "$WARPSTEP" --lessons 39-witness run 39.v2
{ printf "$plain"; echo 'right: y == like v1'; } | lesson root/lessons/01-in
mkdir root/kernels && cp "$WARPSTEP" root/
says "built-in lessons may not" "a kernel is no witness for another in the lessons of warpstep" root/warpstep run 1.v2
rm -r 39-witness root

# ---- --lessons adds ----
lessons() { "$WARPSTEP" --json "$@" lessons | grep -c '"event":"lesson"'; }
built=$(lessons)
[ "$(lessons --lessons 30-good --lessons 31-wrong)" = $((built + 2)) ]; ok $? "two lessons are added"
[ "$(lessons --lessons .)" = $((built + 6)) ]; ok $? "a folder of lessons is added"
[ "$(lessons --lessons-only 30-good)" = 1 ]; ok $? "--lessons-only has that one alone"
cp -r 30-good 01-mine
[ "$(lessons --lessons 01-mine)" = "$built" ]; ok $? "lesson 1 is replaced"
"$WARPSTEP" --lessons 01-mine lessons | tr -s "\n " " " | grep -q "/01-mine, in the place of 01-sum-of-squares"; ok $? "the list says so"
says "it is the author's" "y: right" "$WARPSTEP" --lessons 01-mine run 1.v1
says "the built-in ones are there" "Lesson 4:" "$WARPSTEP" --lessons 01-mine lesson 4
mkdir saxpy && cp 30-good/* saxpy
says "a folder without a number" "a lesson is a folder NN-name" "$WARPSTEP" --lessons saxpy lessons

# ---- card-needs ----
{ echo 'right: y[i] == 2 * x[i] + before.y[i]'; echo 'card-needs: compute 9.0, tensor cores'; echo 'step: v2 like v1'
  printf 'title: B\nidea: I\ncard-needs: a clock\nstep: v3 like v1\ntitle: C\nidea: I\ncard-needs: shared memory 10Mi\n'; } | lesson 36-needs
says "run says what is lacking" "36.v1 cannot run on sim:rtx2070: it needs compute 9.0, and sim:rtx2070 has 7.5" \
    "$WARPSTEP" --lessons 36-needs run 36.v1 --device sim:rtx2070
"$WARPSTEP" --lessons 36-needs --device sim:rtx2070 lesson 36 next >out 2>&1
grep -qF '36.v1 is passed over: it needs compute 9.0' out && grep -qF '36.v2  B' out
ok $? "next goes on: $(head -3 out | tr '\n' ' ')"
says "check-lessons on another card" "SKIP step v1: it needs compute 9.0" "$WARPSTEP" --lessons 36-needs --device sim:rtx2070 check-lessons 36
says "on its own it must run" "step v3 cannot run on its own card: it needs 10485760 bytes of shared memory" \
    "$WARPSTEP" --lessons 36-needs check-lessons 36
{ echo 'right: y[i] == 2 * x[i] + before.y[i]'; echo 'card-needs: wings'; } | lesson 37-wings
says "an unknown need" "lesson.txt:11:13: expected compute N.N, tensor cores, shared memory BYTES or a clock" \
    "$WARPSTEP" --lessons 37-wings run 37.v1

# ---- words and numbers ----
{ echo 'right: y[i] == 2 * x[i] + before.y[i]'
  printf 'bytes: 12 * n\nstep: v2 like v1\ntitle: B\nidea: I\nwith: n = 2000\ntext:\n'
  printf '    {warps} warps, more than the {before.warps} of v1.\n\n    {warps} is twice as many as {before.warps}.\n\n'
  printf '    {warps} is not less than {before.warps}. It took {warps} warps, fewer than the {before.warps} of v1.\n\n    Shorter: {warps} instead of {before.warps}. More of them run ({warps}, not {before.warps}).\n'; } | lesson 38-words
# 1000 numbers are 4 blocks of 8 warps, 2000 are 8
"$WARPSTEP" --lessons 38-words check-lessons 38 >out 2>&1
grep -qF '"fewer" is not what this run shows: {warps} is 64, {before.warps} is 32' out && grep -q '^5 sentences' out &&
    grep -q ', 2 problems$' out
ok $? "a word that the run denies: $(tr '\n' ' ' <out | cut -c1-400)"

# ---- from nothing, with a compiler ----
if "$WARPSTEP" doctor | grep -Eq '^(nvrtc|nvcc|clang) +ok'; then
    "$WARPSTEP" new-lesson saxpy >out; ok $? "new-lesson"
    [ -e 20-saxpy ]; ok $? "its number is free: $(ls)"
    grep -F 'warpstep --lessons 20-saxpy lesson 20 next' out >/dev/null; ok $? "it says what to type"
    says "its step runs, and says who compiled it" "no PTX lies beside eight.cu" "$WARPSTEP" --lessons 20-saxpy lesson 20 next
    says "it keeps what it says" "2 steps and 1 exercises checked, 0 problems" "$WARPSTEP" --lessons 20-saxpy check-lessons 20
    [ "$("$WARPSTEP" new-lesson 20-saxpy 2>&1 | grep -c 'File exists')" = 1 ]; ok $? "nothing is written over"
    "$WARPSTEP" --lessons 20-saxpy watch-lesson 20 >watched 2>&1 & watching=$!
    seen() {
        n=0
        while ! grep -q "$1" watched && [ $n -lt 6000 ]; do sleep 0.1; n=$((n + 1)); done
        grep -q "$1" watched
    }
    seen 'Save a file'; ok $? "watch-lesson runs what there is"
    [ "$(grep -c '^20\.' watched)" = 2 ]; ok $? "both steps: $(grep -c '^20\.' watched)"
    sed '/^step: v2/,$s/^title: .*/title: A title that was saved/' 20-saxpy/lesson.txt >new && cp new 20-saxpy/lesson.txt
    seen '^20\.v2  A title that was saved'; ok $? "the step of which a line was saved runs again"
    [ "$(grep -c '^20\.v1' watched)" = 1 ]; ok $? "and no other"
    kill -INT $watching; wait $watching; [ $? = 130 ]; ok $? "Ctrl-C ends watch-lesson"
    echo 'nonsense' >>20-saxpy/one.cu
    says "the compiler's message" "one.cu does not compile" "$WARPSTEP" --lessons 20-saxpy run 20.v2
else
    skip "a lesson from nothing: there is no compiler"
fi
"$WARPSTEP" new-lesson 25-bare >out
WARPSTEP_COMPILER=none says "no compiler is no mistake of the kernel" "there is no compiler to make it" \
    "$WARPSTEP" --lessons 25-bare run bare.v1
says "a bad name" "a lesson's name is of letters" "$WARPSTEP" new-lesson '../x'
finish
