# An installed copy serves everybody who can log in, not only who put it there: a step of every lesson, a program, an
# exercise. It is installed by one whose umask is 077. Where the tests run as root, another user then runs the copy;
# elsewhere the same one, with its files and folders no longer writable.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
tree=$PWD
place=$(mktemp -d /tmp/installed.XXXXXX) || exit 1 # another user may have no way to $TMPDIR
trap 'chmod -R u+rwx "$place"; rm -rf "$place"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$place/home" "$place/tool"
cat >"$place/tool/nvcc" <<END # a stand-in that knows one answer
#!/bin/sh
[ \$# -gt 0 ] || exit 0
while [ \$# -gt 1 ]; do [ "\$1" != -o ] || output=\$2; shift; done
exec cp "$place/tool/solution.ptx" "\$output"
END
cp build/answers/01-sum-of-squares/0-index/solution.ptx "$place/tool"
chmod 755 "$place" "$place"/* "$place/tool/nvcc"
"$place/tool/nvcc" || skip_all "an installed copy: nothing in /tmp can be executed"
(umask 077 && INSTALL_DESTDIR='' INSTALL_PREFIX=$place/usr scripts/install "$WARPSTEP") >"$TMPDIR/said" 2>&1
ok $? "install: $(cat "$TMPDIR/said")"
if [ "$(id -u)" = 0 ]; then
    command -v setpriv >/dev/null 2>&1 || skip_all "an installed copy for another user: no setpriv"
    chown 65534:65534 "$place/home"
    other="setpriv --reuid=65534 --regid=65534 --clear-groups"
else
    chmod -R a-w "$place/usr"
    other=
fi
copy() { # ARGUMENT...: as the other user; what it prints is in $TMPDIR/out
    (cd / && unset TMPDIR && $other env HOME="$place/home" PATH="$place/tool:$PATH" WARPSTEP_COMPILER=nvcc \
        WARPSTEP_TOOLCHAIN="$place/tool" "$place/usr/bin/warpstep" "$@") >"$TMPDIR/out" 2>&1 </dev/null
}
says() { # STATUS TEXT ARGUMENT...
    want=$1 text=$2
    shift 2
    copy "$@"
    got=$?
    [ $got = "$want" ] && grep -q -e "$text" "$TMPDIR/out"
    ok $? "$*: status $got, expected $want and \"$text\" in: $(head -n 6 "$TMPDIR/out")"
}

copy --json lessons
lessons=$(sed -n 's/.*"event":"lesson".*"lesson":\([0-9]*\),.*/\1/p' "$TMPDIR/out")
[ "$(echo "$lessons" | wc -w)" = "$(find lessons -name lesson.txt | wc -l)" ]; ok $? "lessons: $(head -n 3 "$TMPDIR/out")"
for lesson in $lessons; do
    copy -c "lesson $lesson" -c next; ok $? "the first step of lesson $lesson: $(head -n 6 "$TMPDIR/out")"
done
if [ -x "${WARPSTEP%/*}/lib/warpstep/programs/08-programs/first" ]; then
    says 0 'right' goto 8.first
    says 0 '' exec 8.first
else
    skip "programs of an installed copy: none in this build"
fi
says 0 '' step 1.v3
says 0 'Your file' exercise 1.0
says 0 'PASS  all [0-9]* cases, compiled by nvcc' check 1.0
finish
