# grade: the seed and the secret of a class, files named as browsers name them, a damaged journal.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
PATH=$PWD/tests/exercises/stand-in:$PATH
WARPSTEP_COMPILER=nvcc WARPSTEP_TOOLCHAIN=$PWD
export WARPSTEP_COMPILER WARPSTEP_TOOLCHAIN WARPSTEP
one=lessons/01-sum-of-squares/exercises two=lessons/02-matrix-multiplication/exercises
class=$TMPDIR/class
grade() { "$WARPSTEP" grade "$@" >"$TMPDIR/out" 2>"$TMPDIR/err"; }
row() { grep "^$1,$2-[^,]*," "${3:-$class}/grades.csv"; } # STUDENT EXERCISE
verdict() { case $(row "$1" "$2") in *,"$3",*) ;; *) return 1 ;; esac; }

# An answer that knows the usual inputs reaches no goal. Nor does one fast at the default size only.
mkdir -p "$class/ann" "$class/bob"
cp tests/grade/known.cu "$class/ann/1.6.cu"
cp $one/6-coalesce/wrong-default.cu "$class/bob/1.6.cu"
grade "$class"; ok $? "a class of two: $(cat "$TMPDIR/err")"
verdict ann 1.6 short; ok $? "results known beforehand are short of the goal: $(row ann 1.6)"
verdict bob 1.6 short; ok $? "fast at the default size alone is short of the goal: $(row bob 1.6)"
row bob 1.6 | grep -q 'with n = [0-9]*, blocks = 32'; ok $? "and the size that was drawn is said: $(row bob 1.6)"

# the seed: kept, hidden, different per class, the same for all parts
[ "$(stat -c %a "$class/.warpstep-class" 2>/dev/null || stat -f %Lp "$class/.warpstep-class")" = 600 ]
ok $? "nobody else reads the class's file"
seed() { sed -n 's/^seed //p' "$1/.warpstep-class"; }
first=$(seed "$class")
grade "$class" && [ "$(seed "$class")" = "$first" ]; ok $? "the seed stays"
[ "$(wc -l <"$class/.warpstep-grades" | tr -d ' ')" = 3 ]; ok $? "and nothing is judged again"
! grep -q "$first" "$class/.warpstep-grades" "$class/grades.csv" "$class/grades.json" "$TMPDIR/out"
ok $? "it stands nowhere else"
small=$TMPDIR/small
mkdir -p "$small"
for student in a b c d e f; do
    mkdir "$small/$student"
    { cat $one/1-squares/wrong-guard.cu; } >"$small/$student/1.1.cu"
done
for part in 1 2 3; do "$WARPSTEP" grade "$small" --part $part/3 >/dev/null 2>"$TMPDIR/err.$part" & done
wait
! [ -s "$TMPDIR/err.1" ] && ! [ -s "$TMPDIR/err.2" ] && ! [ -s "$TMPDIR/err.3" ]
ok $? "three parts at once: $(cat "$TMPDIR"/err.?)"
[ "$(seed "$small")" != "$first" ]; ok $? "another class has another seed"
grade "$small"; [ "$(wc -l <"$small/.warpstep-grades" | tr -d ' ')" = 0 ]
ok $? "all parts had the same seed, and judge nothing again: $(cat "$TMPDIR/err")"
! ls "$small"/.warpstep-class.* >/dev/null 2>&1; ok $? "no half of a file is left"
grade "$small" --seed 7; [ "$(wc -l <"$small/.warpstep-grades" | tr -d ' ')" = 7 ]; ok $? "another seed judges all anew"
grade "$small" --seed 7; [ "$(wc -l <"$small/.warpstep-grades" | tr -d ' ')" = 7 ]; ok $? "and the same one nothing"
mkdir -p "$TMPDIR/unkept/a" && cp $one/1-squares/solution.cu "$TMPDIR/unkept/a/1.1.cu"
grade "$TMPDIR/unkept" --seed 7; ok $? "with a seed given"
! [ -e "$TMPDIR/unkept/.warpstep-class" ]; ok $? "none is drawn"
cp "$small/.warpstep-class" "$TMPDIR/kept"
sed 's/^seed ./seed 9/' "$TMPDIR/kept" >"$small/.warpstep-class"
if cmp -s "$TMPDIR/kept" "$small/.warpstep-class"; then sed 's/^seed ./seed 8/' "$TMPDIR/kept" >"$small/.warpstep-class"; fi
grade "$small"; [ $? = 4 ] && grep -q 'damaged' "$TMPDIR/err"
ok $? "a class's file that was changed is not taken: $(cat "$TMPDIR/err")"
rm "$small/.warpstep-class"; ln -s "$TMPDIR/kept" "$small/.warpstep-class"
grade "$small"; [ $? = 4 ]; ok $? "nor a link"
rm "$small/.warpstep-class"; cp "$TMPDIR/kept" "$small/.warpstep-class"; chmod 644 "$small/.warpstep-class"
grade "$small"; grep -q 'chmod 600' "$TMPDIR/err"; ok $? "that others can read it is said"
chmod 600 "$small/.warpstep-class"

# anonymous grades: the codes need both the word and the class's file
codes() { grade "$small" --anonymous "$1" --out "$TMPDIR" && cut -d, -f1 "$TMPDIR/grades.csv" | sed 1d | sort >"$TMPDIR/$2"; }
codes sesame 1 && codes sesame 2 && codes another 3; ok $? "without names: $(cat "$TMPDIR/err")"
cmp -s "$TMPDIR/1" "$TMPDIR/2" && ! cmp -s "$TMPDIR/1" "$TMPDIR/3"; ok $? "the same codes for the same word"
[ "$(grep -c '^anon-[a-z2-7]\{13\}$' "$TMPDIR/1")" = 6 ]; ok $? "of 65 bits: $(cat "$TMPDIR/1")"
for part in 1 2; do grade "$small" --anonymous sesame --part $part/2 --out "$TMPDIR"; sed 1d "$TMPDIR/grades-$part-of-2.csv"; done |
    cut -d, -f1 | sort | cmp -s - "$TMPDIR/1"; ok $? "the same from each part"
mkdir "$TMPDIR/roster"; for student in a b c d e f; do mkdir "$TMPDIR/roster/$student"; cp $one/1-squares/solution.cu "$TMPDIR/roster/$student/1.1.cu"; done
grade "$TMPDIR/roster" --anonymous sesame; cut -d, -f1 "$TMPDIR/roster/grades.csv" | sed 1d | sort >"$TMPDIR/4"
[ -s "$TMPDIR/4" ] && ! grep -qxFf "$TMPDIR/4" "$TMPDIR/1"
ok $? "who has the names and the word alone makes other codes"

# files named as mail programs and browsers name them
files=$TMPDIR/files
mkdir -p "$files/ann" "$files/bob" "$files/eve" "$files/dan/sub" "$files/kim"
square=$one/1-squares
cp $square/solution.cu "$files/ann/1.1-squares (1).cu"
cp $square/starter.cu "$files/ann/1.1-squares.cu"; touch -t 202001010000 "$files/ann/1.1-squares.cu"
cp $square/solution.cu "$files/bob/ 1.1-SQUARES - Copy.CU"
cp $square/solution.cu "$files/eve/1.1_mine.cu"
cp $square/starter.cu "$files/eve/1.10.cu"; echo x >"$files/eve/notes.txt"; echo x >"$files/eve/.hidden"
cp $square/solution.cu "$files/dan/sub/1.1.cu"
cp $square/solution.cu "$files/kim/1.1.cu.txt"
cp $square/starter.cu "$files/kim/1.1-old.cu"; touch -t 203001010000 "$files/kim/1.1-old.cu"
echo x >"$files/stray.cu"
grade "$files"; ok $? "files of all names: $(cat "$TMPDIR/err")"
for student in ann bob eve kim; do row $student 1.1 "$files" | grep -q ',pass,'
ok $? "$student's file is found: $(row $student 1.1 "$files")"; done
row dan 1.1 "$files" | grep -q ',missing,'; ok $? "not in a folder of a folder"
tr '\n' ' ' <"$TMPDIR/out" | tr -s ' ' >"$TMPDIR/flat" # undo the folding of lines
left() { grep -qF "not judged: $1" "$TMPDIR/flat"; ok $? "$1 is named: $(cat "$TMPDIR/flat")"; }
left "ann/1.1-squares.cu (1.1-squares (1).cu is taken for 1.1: it is newer)"
left "eve/1.10.cu (called as no exercise)"
left "eve/notes.txt"
left "eve/.hidden"
left "dan/sub (a folder)"
left "kim/1.1-old.cu (1.1.cu.txt is taken for 1.1: it is called as that exercise is)"
left "stray.cu (no student's folder)"
[ "$(grep -c '^not judged: [^ ]' "$TMPDIR/out")" = 7 ]
ok $? "each once, and nothing else: $(grep 'not judged:' "$TMPDIR/out")"
[ "$(grep -c '"event":"grade-left"' "$files/grades.json")" = 7 ]; ok $? "in the JSON too"
grade "$files" --anonymous word --out "$TMPDIR"
cat "$TMPDIR/out" "$TMPDIR/grades.csv" "$TMPDIR/grades.json" | sed "s|$TMPDIR||g" >"$TMPDIR/shown" # the path of this tree may hold such names
! grep -q 'mine\|SQUARES\|notes' "$TMPDIR/shown"; ok $? "names of files may be names of people: hidden with them"

# answers with the same text
same=$TMPDIR/same
mkdir -p "$same/ann" "$same/bob" "$same/eve"
cp $two/1-tile/solution.cu "$same/ann/2.1.cu"
cp $two/1-tile/wrong-naive.cu "$same/bob/2.1.cu" 2>/dev/null || cp "$(ls $two/1-tile/wrong-*.cu | head -n 1)" "$same/bob/2.1.cu"
cp $two/1-tile/starter.cu "$same/eve/2.1.cu"
grade "$same"; ok $? "three answers: $(cat "$TMPDIR/err")"
row ann 2.1 "$same" | grep -q ',our solution.cu,$'
ok $? "our own solution handed in is remarked: $(row ann 2.1 "$same")"
grep -q '"student":"ann".*"same_text_as":"our solution.cu"' "$same/grades.json"; ok $? "in the JSON too"
grep -q '^ann .*same text as our solution.cu' "$TMPDIR/out"; ok $? "and on the screen"
row ann 2.1 "$same" | grep -q ',pass,pass,100,'; ok $? "the verdict is what it was"
row eve 2.1 "$same" | grep -q ',,[a-z]*$'; ok $? "the starter is not: $(row eve 2.1 "$same")"

# The starter as it was handed out, with other names and comments, has no points where it falls short; a line
# of one's own has. Ids are text to a spreadsheet too: 5.1 and 5.10 would be one number.
left=$TMPDIR/left
mkdir -p "$left/ann" "$left/bob" "$left/eve"
cp $one/6-coalesce/starter.cu "$left/ann/1.6.cu"
cp tests/grade/renamed.cu "$left/bob/1.6.cu"
cp $one/6-coalesce/wrong-block.cu "$left/eve/1.6.cu"
cp lessons/05-reduction/exercises/10-again/solution.cu "$left/ann/5.10.cu"
cp lessons/05-reduction/exercises/1-greatest/solution.cu "$left/ann/5.1.cu"
grade "$left"; ok $? "starters: $(cat "$TMPDIR/err")"
for student in ann bob; do
    row $student 1.6 "$left" | grep -q ',fail,short,0,.*,unchanged$'; ok $? "unchanged: $(row $student 1.6 "$left")"
    grep -q "\"student\":\"$student\",\"exercise\":\"1.6\".*\"score\":0,.*\"remark\":\"unchanged\"" "$left/grades.json"; ok $? "in the JSON too"
done
row eve 1.6 "$left" | grep -q ',fail,short,50,.*,$'; ok $? "another that is short has 50: $(row eve 1.6 "$left")"
grep -q '^ann,5.1-greatest,.*,pass,pass,100,.*,$' "$left/grades.csv" && grep -q '^ann,5.10-again,' "$left/grades.csv"
ok $? "an exercise is called as its file: $(cut -d, -f2 "$left/grades.csv" | tr '\n' ' ')"
grep -q '"exercise":"5.10"' "$left/grades.json"; ok $? "and keeps its id in the JSON"
grade "$left" --lang zh --anonymous word --out "$TMPDIR"
cut -d, -f2 "$TMPDIR/grades.csv" | grep -q '^5.10-again$'; ok $? "in Chinese and without names too"

# A journal with any byte changed: the damaged line is judged again, and the results are the same.
cp "$small/.warpstep-grades-1-of-3" "$TMPDIR/journal"
rm -f "$small"/.warpstep-grades*
mkdir "$TMPDIR/one" "$TMPDIR/one/a" && cp "$small/a/1.1.cu" "$TMPDIR/one/a/" && cp "$small/.warpstep-class" "$TMPDIR/one/"
grade "$TMPDIR/one"; cp "$TMPDIR/one/grades.csv" "$TMPDIR/expected.csv"; cp "$TMPDIR/one/.warpstep-grades" "$TMPDIR/journal"
bytes=$(wc -c <"$TMPDIR/journal" | tr -d ' ')
at=0 changed=0 bad=0
while [ $at -lt "$bytes" ]; do # every 41st byte, since each costs a whole grade
    { head -c $at "$TMPDIR/journal"; printf 'Z'; tail -c +$((at + 2)) "$TMPDIR/journal"; } >"$TMPDIR/one/.warpstep-grades"
    grade "$TMPDIR/one" || bad=$((bad + 1))
    cmp -s "$TMPDIR/one/grades.csv" "$TMPDIR/expected.csv" || bad=$((bad + 1))
    grep -q 'damaged' "$TMPDIR/err" && changed=$((changed + 1))
    at=$((at + 41))
done
[ $bad = 0 ]; ok $? "a changed byte of the journal changes no result ($bad did)"
[ $changed -ge $((bytes / 41)) ]; ok $? "and is said ($changed of $bytes / 41)"
finish
