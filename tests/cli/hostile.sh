# Hostile things where our files belong or in what we write: a pipe named progress, a full disk,
# HTML in a note.
export XDG_STATE_HOME="$TMPDIR/state" XDG_DATA_HOME="$TMPDIR/data"
data=$XDG_DATA_HOME/warpstep
passed=0 failed=0
check() { # check WHAT COMMAND...: COMMAND must succeed
    what=$1
    shift
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $what"; fi
}
soon() { if command -v timeout >/dev/null; then timeout 60 "$@"; else "$@"; fi; }

mkdir -p "$data"
for name in progress notes; do
    mkfifo "$data/$name"
    soon "$WARPSTEP" -c progress -c notes -c 'notes hello' -c 'export md' >"$TMPDIR/out" 2>&1
    check "a pipe named $name keeps nobody waiting" [ $? != 124 ]
    check "and is named" grep -q "$data/$name" "$TMPDIR/out"
    rm -f "$data"/*
done

# A disk that is full after 1 KiB: to a program, a limit on the size of files is the same.
"$WARPSTEP" run 1.v7 n=1024 >/dev/null 2>&1
for kind in html md json csv; do
    said=$(trap '' XFSZ; ulimit -f 0; "$WARPSTEP" export $kind "$TMPDIR/page.$kind" 2>&1)
    check "export $kind fails where nothing can be written" [ $? = 4 ]
    case $said in *'could not be written in full'*) why=0 ;; *) why=1 ;; esac
    check "it says why: $said" [ $why = 0 ]
    check "and leaves no file behind" [ ! -e "$TMPDIR/page.$kind" ]
    "$WARPSTEP" export $kind "$TMPDIR/page.$kind" >/dev/null 2>&1
    check "then the same name can be written" [ -s "$TMPDIR/page.$kind" ]
done

"$WARPSTEP" notes '<img src=x onerror=alert(1)> [a](javascript:b) a|b' >/dev/null
"$WARPSTEP" export md >"$TMPDIR/md"
check "HTML in a note is text" sh -c "! grep -q '<img' '$TMPDIR/md'"
check "a link is text" sh -c "! grep -q '[^\\\\]\\[a\\]' '$TMPDIR/md'"
check "and the note is there" grep -q '&lt;img src=x onerror=alert(1)&gt;' "$TMPDIR/md"

# A file name with a character that reverses the line, and a raw control character in the source.
printf '.version 6.3\n.target sm_50\n.address_size 64\n.visible .entry k()\n{ // \302\2332J \342\200\256\nbad;\n}\n' >"$TMPDIR/$(printf 'a\342\200\256b').ptx"
"$WARPSTEP" try "$TMPDIR/$(printf 'a\342\200\256b').ptx" --grid 1 --block 1 >"$TMPDIR/out" 2>&1
check "no override of direction reaches the terminal" sh -c "! grep -q \"\$(printf '\342\200\256')\" '$TMPDIR/out'"
check "no C1 control either" sh -c "! grep -q \"\$(printf '\302\233')\" '$TMPDIR/out'"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
