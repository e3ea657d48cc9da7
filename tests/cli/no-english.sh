# What each command says in Chinese, as text: no line has an English sentence. A sentence is four words in a row, of
# letters. No sentences are: code, a command to type (between ` `, or on a line of its own), a path, an option,
# what the system says of a file, and where a card's file says that a value is from (`get sim`).
. tests/cases.sh
tree=$PWD
cd "$TMPDIR" || exit 1
export COLUMNS=200 # sentences in one piece
kernels=$tree/tests/try/kernels
saxpy="$kernels/saxpy.ptx:saxpy --grid 4 --block 256 --arg i32:1000 --arg f32:2"
saxpy="$saxpy --arg f32[1000]:iota --arg f32[1000]:ones"
faults=$kernels/faults.ptx

# english: the lines of the input with a sentence in English
english() {
    LC_ALL=C sed -e 's/`[^`]*`//g' -e '/^    \(step\|look\|run\|try\|exec\|check\) /d' -e 's/ --*[a-z][^ ]*//g' \
        -e '/^ *\/\*/d' -e 's/^ *[0-9]* *[|] .*//' -e '/^[ +-]*[0-9]* *[a-z_]* *[A-Za-z_]*(/d' \
        -e 's/ [+-]  *\(int\|extern\) .*//' -e 's|[^ ]*/[^ ]*||g' \
        -e 's/\(No such file or directory\|Permission denied\)//' |
        LC_ALL=C grep -E "(^|[^A-Za-z0-9_.])([A-Za-z][a-z'-]*[,;:]? ){3}[A-Za-z][a-z'-]+"
}
# look WORDS...: a command line, in Chinese
look() {
    "$WARPSTEP" --lang zh --seed 3 "$@" </dev/null >said 2>&1
    [ -s said ] && ! english <said >found
    ok $? "$*: $(head -3 found)"
}

echo '    这里说 the kernel did something wrong，一处' | english | grep -q .; ok $? "a sentence is found"
! echo '    这里用 `try FILE --grid X --block Y` 和 lesson 1 的 v1' | english | grep -q .; ok $? "a command is no sentence"

set --
for command in $("$WARPSTEP" help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p'); do set -- "$@" -c "help $command"; done
[ $# -gt 60 ]; ok $? "help lists the commands"
look "$@"
look lessons
look -c 'lesson 1' -c 'set n 512' -c get -c 'goto v4' -c next -c back -c 'predict v2' -c 'explain v2' -c progress
look -c 'run 1.v3 n=512' -c why -c 'show counters' -c 'show mem' -c 'show banks' -c 'show grid' -c 'show memory'
look -c 'run 1.v4 n=512 --device sim:8800gt,sim:h200' -c why
look -c 'run 1.no-guard' -c why -c 'run 4.race n=512'
look -c 'lesson 1' -c 'set n 512' -c 'ladder now' -c 'show roofline' -c 'goto v4' -c 'sweep n 512 1024'
look -c 'run 8.first' -c why -c 'run 8.no-check'
look warps 1.v3 n=512
look look 1.v3
answer=$tree/lessons/01-sum-of-squares/exercises/1-guard/solution.cu
look -c exercises -c 'exercise 1.1' -c hint -c "check 1.1 $answer"
look -c 'exercise 1.3' -c 'check 1.3 12'
look exec "$kernels/saxpy.ptx"
for step in first no-check streams; do
    look exec --why --lines --each 8.$step
    ! grep -E '^ *(kernel|copies|launch|line)  +[a-z]' said >found; ok $? "headings: $(cat found)"
done
for words in '' --why --counters '--check race,init' '--dump 1[0:4] --shuffle 2' '--device sim:8800gt --why'; do
    look try $saxpy $words
done
look try "$faults:outside" --grid 1 --block 64 --arg 'i32[60]:zero'
look try "$faults:race" --grid 1 --block 64 --arg 'i32[64]'
look try "$faults:unwritten" --grid 1 --block 32 --arg 'f32[32]' --arg 'f32[32]' --dump 1
look try "$faults:asserts" --grid 1 --block 1 --arg i32:3
look try "$faults:misaligned" --grid 1 --block 1 --arg 'i8[8]'
look try "$faults:twice" --grid 1 --block 1 --arg 'i32[1]'
look try "$faults:not_given" --grid 1 --block 32 --arg 'i32[32]'
look --limit 1 try "$faults:diverged" --grid 1 --block 64 --arg 'i32[2]:zero'
WARPSTEP_COMPILER=none look try "$kernels/saxpy.cu:saxpy" --grid 1 --block 1
look grade /none
for words in grade 'figures x' 'run 9.v1' 'run nosuch' 'device sim:nosuch' try 'show nonsense 1.v1' 'predict 1.v2 99' \
    'sweep nosuch 1 2' 'lesson 99' 'export pdf' 'set limit x' 'why 1.toolchain' 'check 9.9' 'exec /none' 'help nosuch' \
    'notes ""' 'demo 99' 'warps 1.nosuch' 'step nosuch' 'ladder 99' 'edit 9.9' 'solution 1.1' 'diff 9.9' new-lesson \
    nonsense; do
    look -c "$words"
done
look -c devices -c device -c doctor
look -c 'notes hello' -c notes -c 'run 1.v7 n=64' -c 'export md'
finish
