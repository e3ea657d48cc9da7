# A shortage (a full disk, no memory, a killed compiler) is never a student's failure. Such answers
# stay unjudged, with the true reason. Nothing of it is stored, so the next run judges them.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
here=$PWD
bin=$TMPDIR/bin
mkdir -p "$bin"
PATH=$bin:$PATH
WARPSTEP_COMPILER=nvcc WARPSTEP_TOOLCHAIN=$PWD:$bin
export WARPSTEP_COMPILER WARPSTEP_TOOLCHAIN WARPSTEP
one=$here/lessons/01-sum-of-squares/exercises/1-squares

# compiler <<WHAT: a compiler that runs WHAT for programs with the line "/* by ann */" and compiles
# all others
compiler() {
    { echo '#!/bin/sh'
      echo 'for last; do :; done'
      echo "if grep -q '^/\* by ann \*/' \"\$last\"; then"
      cat
      echo 'fi'
      echo "exec '$here/tests/exercises/stand-in/nvcc' \"\$@\""; } >"$bin/nvcc"
    chmod +x "$bin/nvcc"
}
class=$TMPDIR/class
mkdir -p "$class/ann" "$class/bob"
{ echo '/* by ann */'; cat "$one/solution.cu"; } >"$class/ann/1.1.cu"
{ echo '/* by bob */'; cat "$one/wrong-guard.cu"; } >"$class/bob/1.1.cu"
grade() { timeout 120 "$WARPSTEP" grade "$class" >"$TMPDIR/out" 2>"$TMPDIR/err"; }
row() { grep "^$1,1.1-squares," "$class/grades.csv"; }
is() { row "$1" | grep -q "$2"; ok $? "$3: $(row "$1") $(cat "$TMPDIR/err")"; } # is STUDENT PATTERN NAME
journal() { wc -l <"$class/.warpstep-grades" | tr -d ' '; }
fresh() { rm -f "$class/.warpstep-grades"; }

# A disk fills up while answers are judged: the file bin/full stands for that.
compiler <<W
n=0; while [ ! -e '$bin/full' ] && [ \$n -lt 6000 ]; do n=\$((n + 1)); sleep 0.1; done
W
sed -i.old "s|^exec |if [ -e '$bin/full' ]; then echo 'nvcc fatal   : No space left on device' >\&2; exit 1; fi\nexec |" "$bin/nvcc"
grade & job=$!
n=0; while [ "$n" -lt 6000 ] && ! grep -q bob "$TMPDIR/out" 2>/dev/null; do
    n=$((n + 1)); sleep 0.1
    if [ -s "$class/.warpstep-grades" ] && [ "$(journal)" -ge 2 ]; then break; fi # our solution and bob's answer
done
touch "$bin/full"; wait $job
[ $? = 1 ]; ok $? "grade ends and says that something is not judged"
is ann ',unjudged,unjudged,,' "a full disk fails nobody"
is ann 'No space left on device' "and is the reason that is given"
is bob ',fail,out-of-bounds,0,' "who was judged before it was full is judged"
[ "$(journal)" = 2 ]; ok $? "the journal has verdicts alone: $(cat "$class/.warpstep-grades")"
rm "$bin/full"
compiler <<W
:
W
grade; ok $? "with room again"
is ann ',pass,pass,100,' "the answer is judged"

# the compiler rejects one program and accepts ours
fresh; compiler <<W
echo 'nvcc fatal   : No space left on device' >&2; exit 1
W
grade; is ann ',fail,rejected,0,' "a compiler that takes our own solution and twice refuses this one does refuse it"
fresh; compiler <<W
echo "nvcc error   : 'cicc' died due to signal 9 (Kill signal)" >&2; exit 1
W
grade; is ann ',unjudged,.*signal 9' "a part of the compiler that was killed is not the student's failure"
fresh; compiler <<W
kill -9 \$\$
W
grade; is ann ',unjudged,.*killed by signal 9 (Killed), perhaps for want of memory' "nor is the compiler itself"
! row ann | grep -q 'processor time'; ok $? "no reason is invented"
[ "$(journal)" = 2 ]; ok $? "none of it is kept"
fresh; compiler <<W
kill -11 \$\$
W
grade; is ann ',unjudged,.*signal 11' "nor a compiler that crashed"
fresh; compiler <<W
echo '1.1-squares.cu(2): error: #error "No space left on device, killed by signal 9"' >&2; echo '1 error detected' >&2; exit 1
W
grade; is ann ',fail,rejected,0,' "words of the answer's own are none of the compiler's"
fresh; compiler <<W
exit 1
W
grade; is ann ',fail,rejected,0,' "a refusal without a word, while ours is taken"

# nothing can be compiled: nobody is judged, and grade says so
fresh; compiler <<W
:
W
sed -i.old "s|^exec .*|echo 'virtual memory exhausted: Cannot allocate memory' >\&2; exit 1|" "$bin/nvcc"
grade; [ $? = 4 ] && grep -q 'Cannot allocate memory' "$TMPDIR/err"; ok $? "no memory for our own solution: $(cat "$TMPDIR/err")"
! [ -s "$class/.warpstep-grades" ]; ok $? "nothing is kept of it"
compiler <<W
:
W

# an answer that cannot be read, as on a disk with errors, is not a wrong one
if [ "$(id -u)" != 0 ]; then
    chmod 000 "$class/ann/1.1.cu"; grade; is ann ',unjudged,' "an answer that may not be read"; chmod 644 "$class/ann/1.1.cu"
else
    skip "an answer that may not be read: root reads everything"
fi

# with less and less memory, right answers pass or stay unjudged
cp "$one/solution.cu" "$TMPDIR/right.cu"
judged=0 unjudged=0
for limit in 8000 10000 12000 14000 16000 18000 20000 22000 25000 30000 40000 60000 80000 100000 120000 200000 500000 4000000; do
    (ulimit -v $limit; timeout 120 "$WARPSTEP" --json check 1.1 "$TMPDIR/right.cu") >"$TMPDIR/out" 2>"$TMPDIR/err"
    case $(sed -n 's/.*"verdict":"\([a-z]*\)".*/\1/p' "$TMPDIR/out") in
    pass) judged=$((judged + 1)) ;;
    fail) fail "a right answer, with $limit KiB: $(cat "$TMPDIR/out")" ;;
    *) unjudged=$((unjudged + 1)) ;;
    esac
done
[ $judged -gt 0 ] && [ $unjudged -gt 0 ]; ok $? "with enough it passes ($judged), with little it is not judged ($unjudged)"

# a disk of 300 KiB for temporary files
if unshare -rm true 2>/dev/null && mkdir "$TMPDIR/disk" &&
    unshare -rm sh -c "mount -t tmpfs -o size=300k none '$TMPDIR/disk'" 2>/dev/null; then
    for left in 290 200 100 40 8 0; do
        unshare -rm sh -c "mount -t tmpfs -o size=300k none '$TMPDIR/disk' && head -c $(((300 - left) * 1024)) /dev/zero >'$TMPDIR/disk/fill'
            TMPDIR='$TMPDIR/disk' timeout 120 '$WARPSTEP' --json check 1.1 '$TMPDIR/right.cu'" >"$TMPDIR/out" 2>"$TMPDIR/err"
        ! grep -q '"verdict":"fail"' "$TMPDIR/out"; ok $? "a right answer, with $left KiB of disk: $(cat "$TMPDIR/out")"
    done
else
    skip "a full disk: no file system can be mounted here"
fi
finish
