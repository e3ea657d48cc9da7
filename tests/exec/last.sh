# What `why` and `show` are about when they are given no name: what was run last, whether a step, the answer to an
# exercise or a program, in this session or (by the journal) in the one before. Each says which.
. tests/cases.sh
here=$(cd "$(dirname "$0")" && pwd)
lib=$(dirname "$WARPSTEP")/lib/warpstep
[ -e "$lib/libcudart.so.13" ] || skip_all "last: no libraries in this build"
command -v "${CC%% *}" >/dev/null 2>&1 || CC=gcc
root=$(cd "$here/../.." && pwd)
PATH=$root/tests/exercises/stand-in:$PATH
cd "$TMPDIR" || exit 1
cp "$here/kept.cu" .
WARPSTEP_COMPILER=nvcc
export WARPSTEP_COMPILER
program=./mine out=$TMPDIR/out
${CC:-cc} -std=gnu11 -O1 -o "$program" "$here/kept.c" -L"$lib" -l:libcudart.so.13 -Wl,-rpath,/nonexistent \
    -Wl,--allow-shlib-undefined -pthread 2>"$TMPDIR/log" || skip_all "last: no host compiler: $(head -1 "$TMPDIR/log")"
exec="exec $program $here/kept.ptx"
# says STATUS TEXT WORD...: the command, a session of its own, ends with STATUS and prints TEXT
says() {
    want=$1 text=$2
    shift 2
    "$WARPSTEP" "$@" >"$out" 2>&1 </dev/null
    got=$?
    if [ $got = "$want" ] && grep -q -e "$text" "$out"; then pass; else
        fail "$*: status $got, expected $want and \"$text\" in: $(tail -n 8 "$out")"
    fi
}
heads() { # TEXT, and lines 'why', 'show lines', 'show mem' about it
    n=$(grep -c "^$1 " "$out")
    if [ "$n" = 3 ]; then pass; else
        fail "$1 is said $n times, not 3: $(grep -n 'sim:' "$out")"
    fi
}
looks() { set -- "$@" -c why -c 'show lines' -c 'show mem'; says 0 . "$@"; }

says 0 'Your file' exercise 1.6
cp "$root"/lessons/01-sum-of-squares/exercises/6-coalesce/other.cu "$HOME/.local/share/warpstep/exercises/1.6-coalesce.cu"
looks
heads '1.6.yours'
# a new session runs a program: that came later
looks -c "$exec"
heads 'exec.in_place'
looks -c "$exec" -c check
heads '1.6.yours'
# and so did a step, though the exercise is still at hand
looks -c 'exercise 1.6' -c 'run 1.v3'
n=$(grep -c '^1.v3 ' "$out") # and the run itself
[ "$n" = 3 ] && grep -q '^v3 after v2 on sim:8800gt' "$out" 
ok $? "run 1.v3 is meant: $(grep -n 'sim:' "$out")"
# a session for each command
says 0 '^v2 after v1 on' why 1.v2 # which is named: the last one stays
says 0 '^1.v3 ' why
says 0 '^1.v2 ' run 1.v2
says 0 '^1.v2 ' show lines
says 0 'Your file' exercise 1.6
says 0 '^1.6.yours ' show mem
says 0 . $exec
says 2 'ran last, in a session that has ended' why
says 2 'ran last, in a session that has ended' show mem
says 0 '^1.v3 ' show mem 1.v3
finish
