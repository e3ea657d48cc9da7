# Hostile things where our files belong or in what we write: a pipe named progress, a full disk,
# HTML in a note.
. tests/cases.sh
export XDG_STATE_HOME="$TMPDIR/state" XDG_DATA_HOME="$TMPDIR/data"
data=$XDG_DATA_HOME/warpstep
check() { # check WHAT COMMAND...: COMMAND must succeed
    what=$1
    shift
    "$@"
    ok $? "$what"
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

# Names of students and of their files, and the folder that results go to, on the screen of `grade`.
flip=$(printf '\342\200\256') # U+202E
mkdir -p "$TMPDIR/class/al${flip}ice" "$TMPDIR/class/bob" "$TMPDIR/to${flip}"
echo 'answer: 5' | tee "$TMPDIR/class/al${flip}ice/7.1.txt" >"$TMPDIR/class/bob/7.1.txt"
echo x >"$TMPDIR/class/al${flip}ice/stray$flip.txt"
"$WARPSTEP" --seed 1 grade "$TMPDIR/class" --out "$TMPDIR/to$flip" >"$TMPDIR/out" 2>&1
check "a class with such names is graded: $(cat "$TMPDIR/out")" grep -q '^2 answers of 2 students' "$TMPDIR/out"
check "no override of direction reaches the terminal from grade" sh -c "! grep -q '$flip' '$TMPDIR/out'"
check "which shows that there is one" grep -q '^al?ice ' "$TMPDIR/out"
check "a file keeps the name, spelled out" grep -q '"student":"al\\u202eice"' "$TMPDIR/to$flip/grades.json"

# A pipe where a file of a lesson, a card or a kernel belongs: nobody waits for a writer.
piped() { # piped WHAT TEXT COMMAND...: TEXT is said
    what=$1 text=$2
    shift 2
    soon "$WARPSTEP" "$@" >"$TMPDIR/out" 2>&1 </dev/null
    check "a pipe as $what keeps nobody waiting" [ $? != 124 ]
    check "and is named: $(head -n 3 "$TMPDIR/out")" grep -q "$text" "$TMPDIR/out"
}
mkdir -p "$TMPDIR/linked/42-linked/exercises/1-a"
ln -s /etc/passwd "$TMPDIR/linked/42-linked/exercises/1-a/solution.cu"
printf 'title: T\nstep: v1\ntitle: A\nidea: I\n' >"$TMPDIR/linked/42-linked/lesson.txt"
"$WARPSTEP" --lessons "$TMPDIR/linked" lesson 42 >"$TMPDIR/out" 2>&1
check "a lesson with a link to a file of the user's is refused" [ $? = 2 ]
check "which is said: $(cat "$TMPDIR/out")" grep -q 'solution.cu.* a link out of the lesson' "$TMPDIR/out"
rm "$TMPDIR/linked/42-linked/exercises/1-a/solution.cu"
ln -s /etc/passwd "$TMPDIR/linked/42-linked/lesson.txt~" && mv "$TMPDIR/linked/42-linked/lesson.txt~" "$TMPDIR/linked/42-linked/lesson.txt"
"$WARPSTEP" --lessons "$TMPDIR/linked" -c lessons -c 'lesson 42' >"$TMPDIR/out" 2>&1
check "nor is such a lesson.txt shown" sh -c "! grep -q 'root:x' '$TMPDIR/out'"
mkdir -p "$TMPDIR/lessons/40-piped" "$TMPDIR/lessons/41-exercise/exercises/1-piped"
mkfifo "$TMPDIR/lessons/40-piped/lesson.txt"
piped lesson.txt '40-piped.*cannot be read: it is no plain file' --lessons "$TMPDIR/lessons/40-piped" lessons
piped "lesson.txt of the lesson asked for" 'no plain file' --lessons "$TMPDIR/lessons/40-piped" lesson 40
piped "lesson.txt that is checked" 'no plain file' --lessons "$TMPDIR/lessons/40-piped" check-lessons 40
for name in card.card kernel.ptx kernel.cu; do mkfifo "$TMPDIR/$name"; done
piped 'a card' 'no plain file' --device "sim:$TMPDIR/card.card" device
piped 'PTX' 'is not a plain file' try "$TMPDIR/kernel.ptx" --grid 1 --block 1
piped 'CUDA C' 'is not a plain file' try "$TMPDIR/kernel.cu" --grid 1 --block 1

# Commands that have no end. Memory has one here, so that this test does no harm when it fails.
little() { # in 8 GB, where the build allows it: a sanitizer's does not
    (ulimit -v 8000000 && "$WARPSTEP" --version >/dev/null 2>&1) 2>/dev/null && ulimit -v 8000000
    soon "$@"
}
(little "$WARPSTEP" -x /dev/zero) >"$TMPDIR/out" 2>&1
check "-x /dev/zero is a usage error" [ $? = 2 ]
check "it says why: $(cat "$TMPDIR/out")" grep -q '/dev/zero:1: the line holds a NUL byte' "$TMPDIR/out"
tr '\000' x </dev/zero | (little "$WARPSTEP" -x /dev/stdin) >"$TMPDIR/out" 2>&1
check "a line without an end: $(cat "$TMPDIR/out")" grep -q '/dev/stdin:1: the line is longer than 65,536 bytes' "$TMPDIR/out"
printf 'lessons\nhelp\nlesson 99' >"$TMPDIR/commands"
"$WARPSTEP" -x "$TMPDIR/commands" >/dev/null 2>"$TMPDIR/out"
check "lines of a file are counted, and the last needs no end: $(cat "$TMPDIR/out")" grep -q 'commands:3: ' "$TMPDIR/out"

# A program under `exec` writes into the file that tells what it did.
if [ -e "$(dirname "$WARPSTEP")/lib/warpstep/libcuda.so.1" ]; then
    told() { # told WHAT TEXT COMMAND: a shell's command with $f, the file
        (little "$WARPSTEP" exec sh -c 'f=${WARPSTEP_EXEC#*records=}; f=${f%% *}; '"$3") >"$TMPDIR/out" 2>&1
        check "$1: status $?" grep -q "$2" "$TMPDIR/out"
        check "$1: the report is there: $(head -n 5 "$TMPDIR/out")" grep -q 'sh used no CUDA' "$TMPDIR/out"
    }
    told '1 TiB of records' 'longer than 1 GiB, and was read up to there' 'dd if=/dev/null of="$f" bs=1 seek=1T 2>&1'
    told 'one line of 40 MB' 'lines of what the program told are damaged' 'head -c 40000000 /dev/zero | tr "\000" x >>"$f"'
    told 'a line of zeros' 'lines of what the program told are damaged' 'head -c 100 /dev/zero >>"$f"'
    said=$("$WARPSTEP" exec sh -c 'f=${WARPSTEP_EXEC#*records=}; printf "note\t1\tthe last line has no end" >>"${f%% *}"' 2>&1)
    case $said in *'damaged'*) why=0 ;; *) why=1 ;; esac
    check "half a line: $said" [ $why = 0 ]
    said=$("$WARPSTEP" exec sh -c 'f=${WARPSTEP_EXEC#*records=}; printf "note\t1\tthis is whole\n" >>"${f%% *}"' 2>&1)
    case $said in *'damaged'*) why=1 ;; *'this is whole'*) why=0 ;; *) why=1 ;; esac
    check "a whole line: $said" [ $why = 0 ]
fi

# Where no file may grow (`ulimit -f 0`) nothing dies without a word. A pipe has no such limit.
small() { # small WHAT TEXT COMMAND...
    what=$1 text=$2
    shift 2
    (ulimit -f 0; "$WARPSTEP" "$@" 2>&1; echo "status $?") | cat >"$TMPDIR/out"
    check "$what is not killed where no file may grow: $(tail -n 3 "$TMPDIR/out")" grep -q 'status [0-9]$' "$TMPDIR/out"
    check "$what says what could not be written: $(tail -n 3 "$TMPDIR/out")" grep -q "$text" "$TMPDIR/out"
}
rm -rf "$XDG_DATA_HOME" "$XDG_STATE_HOME"
small 'a lesson' 'progress is not kept: .*File too large' lesson 1
small 'a note' 'the note was not kept: .*File too large' notes hello
small 'an export' 'could not be written' export md "$TMPDIR/small.md"
(ulimit -f 0; "$WARPSTEP" exec true 2>&1; echo "status $?") | cat >"$TMPDIR/out"
check "exec says why it cannot start: $(cat "$TMPDIR/out")" grep -q 'File too large\|libraries' "$TMPDIR/out"
finish
