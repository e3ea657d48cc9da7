# grade: 100 answers, right, wrong and hostile, each kind of make-class at least once, get the verdicts that they must. A
# second run gives the same, and only new answers are judged again.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
PATH=$PWD/tests/exercises/stand-in:$PATH
WARPSTEP_COMPILER=nvcc
export WARPSTEP_COMPILER WARPSTEP
class=$TMPDIR/class
tests/grade/make-class "$class" 100 || exit 1
times >"$TMPDIR/times"
"$WARPSTEP" grade "$class" >"$TMPDIR/out" 2>"$TMPDIR/err"; ok $? "grade ends well: $(cat "$TMPDIR/err")"
times >>"$TMPDIR/times"
verdicts() { sed '1d; s/,[^,]*\.\(cu\|txt\),/,,/' "$1" | awk -F, '{ sub(/-.*/, "", $2); print $1, $2, $4, $5 }' | sort; }
verdicts "$class/grades.csv" | diff "$class.expected" - >"$TMPDIR/diff"; ok $? "each answer comes to what it must: $(head -n 5 "$TMPDIR/diff")"
grep -c '^{"schema":"warpstep/1","event":"grade",' "$class/grades.json" >"$TMPDIR/lines"
[ "$(cat "$TMPDIR/lines")" = "$(wc -l <"$class.expected" | tr -d ' ')" ]; ok $? "a JSON line an answer"
grep -q '^s001,1\.6-coalesce,1\.6-coalesce\.cu,pass,pass,100,[0-9]*,transactions,66048,69350,nvcc' "$class/grades.csv"; ok $? "cycles, goal and compiler are there"
! [ -e /tmp/owned ]; ok $? "no code of the host was run"
! grep -q 'root:' "$TMPDIR/out" "$class/grades.csv" "$class/grades.json"; ok $? "no file of this machine is shown"

# a second run from the journal, and a part of the class judged afresh in another folder
cp "$class/grades.csv" "$TMPDIR/first.csv"; cp "$TMPDIR/out" "$TMPDIR/first.out"
"$WARPSTEP" grade "$class" >"$TMPDIR/out"; ok $? "grade again"
cmp -s "$TMPDIR/first.csv" "$class/grades.csv"; ok $? "the same CSV from the journal"
cmp -s "$TMPDIR/first.out" "$TMPDIR/out"; ok $? "the same screen from the journal"
mkdir "$TMPDIR/part"
times >>"$TMPDIR/times"
"$WARPSTEP" grade "$class" --part 2/5 --out "$TMPDIR/part" >/dev/null; ok $? "one part, judged anew"
times >>"$TMPDIR/times"
alone() { sed 's/,\("[^"]*"\|our [^,"]*\|s[0-9]*\|\),\(unchanged\)*$//' "$1"; } # removes the last columns (who has the same text)
alone "$TMPDIR/first.csv" >"$TMPDIR/first.alone"
alone "$TMPDIR/part/grades-2-of-5.csv" | sed 1d | grep -vxFf "$TMPDIR/first.alone" >"$TMPDIR/other"
! [ -s "$TMPDIR/other" ]; ok $? "the same lines when judged anew"
# The processor time of all programs: all answers against a fifth of them, on any machine.
awk -F'[ms ]+' 'NR % 2 == 0 { at[NR / 2] = 60 * ($1 + $3) + $2 + $4 }
    END { whole = at[2] - at[1]; part = at[4] - at[3]; print whole " s, a fifth of them " part " s"; exit !(part > 0 && whole < 10 * part) }' \
    "$TMPDIR/times" >"$TMPDIR/spent"; ok $? "all answers cost no more than ten times a fifth: $(cat "$TMPDIR/spent")"

# Only new answers are judged again, and the journals of parts count.
mkdir "$TMPDIR/small" "$TMPDIR/small/ann" "$TMPDIR/small/b, \"bob\" =x"
cp lessons/01-sum-of-squares/exercises/1-squares/solution.cu "$TMPDIR/small/ann/1.1.cu"
cp lessons/01-sum-of-squares/exercises/1-squares/wrong-guard.cu "$TMPDIR/small/b, \"bob\" =x/1.1-squares.cu"
"$WARPSTEP" grade "$TMPDIR/small" --part 1/2 >/dev/null && "$WARPSTEP" grade "$TMPDIR/small" --part 2/2 >/dev/null &&
    "$WARPSTEP" grade "$TMPDIR/small" >/dev/null; ok $? "parts, then all"
[ "$(cat "$TMPDIR/small/.warpstep-grades" | wc -l | tr -d ' ')" = 0 ]; ok $? "the parts' verdicts were taken over"
grep -q '^"b, ""bob"" =x",1\.1-squares,' "$TMPDIR/small/grades.csv"; ok $? "a folder's name is quoted"
cp lessons/01-sum-of-squares/exercises/1-squares/other.cu "$TMPDIR/small/ann/1.1.cu"
"$WARPSTEP" grade "$TMPDIR/small" >/dev/null; ok $? "a changed answer"
[ "$(cat "$TMPDIR/small/.warpstep-grades" | wc -l | tr -d ' ')" = 1 ]; ok $? "is the only one judged again"

# anonymous: the same verdicts, the same codes each time, other codes for another word
mkdir "$TMPDIR/anonymous"
anonymous() { "$WARPSTEP" grade "$TMPDIR/small" --anonymous "$1" --out "$TMPDIR/anonymous" >"$TMPDIR/out" && cp "$TMPDIR/anonymous/grades.csv" "$TMPDIR/$2"; }
anonymous sesame 1.csv && anonymous sesame 2.csv && anonymous another 3.csv; ok $? "without names"
cmp -s "$TMPDIR/1.csv" "$TMPDIR/2.csv"; ok $? "the same codes again"
! grep -q 'ann,\|bob' "$TMPDIR/1.csv" "$TMPDIR/out" "$TMPDIR/anonymous/grades.json"; ok $? "no name anywhere"
[ "$(cut -d, -f2- "$TMPDIR/1.csv" | sort)" = "$(cut -d, -f2- "$TMPDIR/3.csv" | sort)" ] && ! cmp -s "$TMPDIR/1.csv" "$TMPDIR/3.csv"
ok $? "another word, other codes, the same verdicts"

# a journal that is damaged or not ours costs only the time to judge again
printf 'nonsense\n1.1:x\tpass\n\000\377\tpass\tpass\t100' >>"$TMPDIR/small/.warpstep-grades"
cp "$TMPDIR/small/grades.csv" "$TMPDIR/before.csv"
"$WARPSTEP" grade "$TMPDIR/small" >/dev/null && cmp -s "$TMPDIR/before.csv" "$TMPDIR/small/grades.csv"; ok $? "a damaged journal"
rm -rf "$TMPDIR/small/.warpstep-grades" && ln -s /etc/passwd "$TMPDIR/small/.warpstep-grades"
"$WARPSTEP" grade "$TMPDIR/small" >/dev/null 2>"$TMPDIR/err"; ok $? "a journal that is a link"
grep -q 'will judge all again' "$TMPDIR/err" && cmp -s "$TMPDIR/before.csv" "$TMPDIR/small/grades.csv"; ok $? "is not written through, and said"
rm "$TMPDIR/small/.warpstep-grades"

# where nothing can hide files, the first line says so; otherwise nothing is said
WARPSTEP_SEAL=none "$WARPSTEP" grade "$TMPDIR/small" >"$TMPDIR/out"; head -n 1 "$TMPDIR/out" | grep -q 'every file of yours in reach'; ok $? "files that nothing hides"
WARPSTEP_SEAL=mounts "$WARPSTEP" grade "$TMPDIR/small" --out "$TMPDIR/part" >"$TMPDIR/out"; ok $? "files hidden by mounts, where they can be"
"$WARPSTEP" grade /nowhere 2>/dev/null; [ $? = 2 ]; ok $? "a folder that is not there"
mkdir "$TMPDIR/empty"; "$WARPSTEP" grade "$TMPDIR/empty" 2>/dev/null; [ $? = 2 ]; ok $? "an empty folder"
WARPSTEP_COMPILER=none "$WARPSTEP" grade "$TMPDIR/small" fresh 2>"$TMPDIR/err"; [ $? = 4 ] && grep -q get-compiler "$TMPDIR/err"; ok $? "without a compiler it says what to do"
# the worked examples
answers=lessons/01-sum-of-squares/exercises
mkdir "$TMPDIR/answers" "$TMPDIR/ci"
cp $answers/2-tail/solution.cu "$TMPDIR/answers/1.2-tail.cu"
top=$PWD
ci() { (cd "$TMPDIR/ci" && WARPSTEP=$WARPSTEP "$top/scripts/grade-ci" "$TMPDIR/answers"); }
ci >/dev/null; ok $? "the CI example passes what is right"
grep -q '"score":100' "$TMPDIR/ci/grades.json"; ok $? "and keeps the points"
cp $answers/2-tail/starter.cu "$TMPDIR/answers/1.2-tail.cu"
ci >"$TMPDIR/out"; [ $? = 1 ] && grep -q 'wrong: total' "$TMPDIR/out"; ok $? "and fails what is wrong"
rm -f "$TMPDIR/small/.warpstep-grades"* "$TMPDIR/small/grades"*
array() { SLURM_ARRAY_TASK_COUNT=2 SLURM_ARRAY_TASK_ID=$1 scripts/grade-array "$TMPDIR/small"; }
array 1 >/dev/null && array 2 >/dev/null && WARPSTEP=$WARPSTEP scripts/grade-array --merge "$TMPDIR/small" >/dev/null
ok $? "the job array, merged"
[ "$(wc -l <"$TMPDIR/small/grades.csv" | tr -d ' ')" = 3 ]; ok $? "holds every student"
finish
