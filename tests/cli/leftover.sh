# After a kill -9, the next run removes the temporary folder that was left behind. It removes only
# our folders, only those of processes that have ended, and nothing that a link leads to.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
mkdir -p "$TMPDIR/bin" "$TMPDIR/temporary" "$TMPDIR/precious"
temporary=$TMPDIR/temporary
cat >"$TMPDIR/bin/nvcc" <<'X'
#!/bin/sh
case $1 in --version) echo "release 1.0, V1.0.1"; exit 0 ;; --dryrun) exit 1 ;; esac
[ -e tmp/../src/kernel.cu ] || exit 1
if grep -q '^/\* wait \*/' src/kernel.cu; then : >tmp/started; while :; do sleep 1; done; fi
echo no; exit 1
X
chmod +x "$TMPDIR/bin/nvcc"
answer=lessons/01-sum-of-squares/exercises/1-squares/solution.cu
{ echo '/* wait */'; cat $answer; } >"$TMPDIR/wait.cu"
PATH=$TMPDIR/bin:$PATH WARPSTEP_COMPILER=nvcc
export PATH WARPSTEP_COMPILER
try() { TMPDIR=$temporary exec "$WARPSTEP" try "$1" --grid 1 --block 1 --arg 'i32[1]' --arg 'i32[1]' --arg i32:1; }
begun() { n=0; until ls "$temporary"/warpstep-*/tmp/started >/dev/null 2>&1 || [ $n = 6000 ]; do sleep 0.1; n=$((n + 1)); done; }
again() { (try $answer) >/dev/null 2>&1; } # makes a temporary folder and removes it

(try "$TMPDIR/wait.cu") >/dev/null 2>&1 & first=$!
begun
left=$(ls "$temporary")
again
[ -d "$temporary/$left" ]; ok $? "what a living process uses stays"
ln -s "$TMPDIR/precious" "$temporary/$left/tmp/link"
ln -s "$TMPDIR/precious" "$temporary/warpstep-aaaaaa"
echo 1 >"$TMPDIR/precious/file"; : >"$TMPDIR/precious/lock"; mkdir "$temporary/$left/tmp/deep"; echo 1 >"$temporary/$left/tmp/deep/file"
mkdir "$temporary/warpstep-bbbbbb" "$temporary/warpstep-cccccc" "$temporary/warpstep-dddddd" "$temporary/warpstep-short" "$temporary/another"
: >"$temporary/warpstep-dddddd/lock"; ln -s "$TMPDIR/precious/lock" "$temporary/warpstep-bbbbbb/lock"
: >"$temporary/warpstep-eeeeee"; : >"$temporary/another/lock"
mkdir "$temporary/warpstep-ffffff"; touch -t 202001010000 "$temporary/warpstep-ffffff"
kill -9 $first; wait $first 2>/dev/null
again
n=0; while [ -d "$temporary/$left" ] && [ $n -lt 600 ]; do sleep 0.1; again; n=$((n + 1)); done # its compiler may have lived a little longer
! [ -e "$temporary/$left" ]; ok $? "what a killed process left goes: $(ls -R "$temporary/$left" 2>/dev/null)"
! [ -e "$temporary/warpstep-dddddd" ]; ok $? "a folder whose lock nobody holds goes"
! [ -e "$temporary/warpstep-ffffff" ]; ok $? "an old one without a lock goes"
[ -d "$temporary/warpstep-cccccc" ]; ok $? "a new one without a lock stays"
[ -L "$temporary/warpstep-aaaaaa" ] && [ -f "$temporary/warpstep-eeeeee" ] && [ -d "$temporary/warpstep-short" ] && [ -d "$temporary/another" ]
ok $? "links, files and other names stay"
[ -d "$temporary/warpstep-bbbbbb" ]; ok $? "a lock that is a link is none"
[ -f "$TMPDIR/precious/file" ] && [ -f "$TMPDIR/precious/lock" ]; ok $? "nothing behind a link is touched"
if [ "$(id -u)" = 0 ]; then
    mkdir "$temporary/warpstep-gggggg"; : >"$temporary/warpstep-gggggg/lock"; chown -R 12345 "$temporary/warpstep-gggggg"
    again; [ -d "$temporary/warpstep-gggggg" ]; ok $? "another user's stays"
else
    skip "another user's folder: only root can make one"
fi
finish
