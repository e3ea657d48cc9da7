#!/bin/sh
# run.sh BUILD: runs the tests against BUILD/warpstep, a few at a time, from the top of the source
# tree. Each prints a line when it ends.
#
# A test is one of
#   BUILD/tests/unit/NAME   a program
#   tests/*/NAME.sh         a script; $WARPSTEP is the program, $TMPDIR an empty folder of its own
#   tests/golden/NAME.golden  shell commands after "$ ", each followed by exactly what it prints on
#                             both outputs; folders and times of this machine appear as TMP, TREE
#                             and TIME
#   tests/pty/NAME.pty      a terminal session, see tests/pty/drive.c
# and fails when it exits non-zero. One that exits 77 is skipped. A test counts as one case unless
# it counts its cases itself: then its last line is "N passed, N failed" or "N passed, N failed, N
# skipped". A line "FAIL what" names a failure, a line "SKIP what: why" a skip.
# UPDATE=1 rewrites golden files with what was printed: read the difference before you keep it.
#
# tests/long.txt names the tests that TEST_ALL=1 (`make test-all`) adds. ONLY="WORD ..." runs the tests
# whose path has one of these words, long or not.

# Where the C compiler and its parts lie, each behind a colon: a compiler that is shut in sees /usr by itself, and no
# other place.
folders_of_compiler() {
    for part in "$(command -v "${CC%% *}" || command -v cc || command -v gcc)" "$(${CC:-cc} -print-prog-name=cc1)" \
        "$(${CC:-cc} -print-prog-name=ld)" "$(${CC:-cc} -print-file-name=crtbegin.o)"; do
        case $part in /*) part=$(readlink -f "$part") ;; *) continue ;; esac
        case $part in /usr/* | /bin/* | /lib*/* | '') ;; */bin/*) echo "${part%/*/*}" ;; *) echo "${part%/*}" ;; esac
    done 2>/dev/null | sort -u | tr '\n' ':' | sed 's/^/:/; s/:$//'
}

short() { echo "$1" | sed "s|^$build/||; s|^tests/||; s|\.[a-z]*$||"; } # of a test's path: its name
build=$1
case $build in
--one) # run a single test: run.sh --one BUILD LOGS TEST
    build=$2 logs=$3 test=$4
    name=$(short "$test" | tr / -)
    log=$logs/$name.log
    TMPDIR=$logs/$name.tmp
    rm -rf "$TMPDIR" && mkdir -p "$TMPDIR/home" || exit 1
    limit= # ends a test that hangs, and no other on the slowest machine
    command -v timeout >/dev/null && limit="timeout -k 5 ${TEST_SECONDS:-3600}"
    PATH=${TEST_PATH:+$TEST_PATH:}$PWD/$build:$PATH
    WARPSTEP=$PWD/$build/warpstep
    BUILD=$build
    HOME=$TMPDIR/home
    LC_ALL=C.UTF-8 TERM=xterm INPUTRC=/dev/null HISTFILE= TZ=UTC
    export PATH WARPSTEP BUILD TMPDIR HOME LC_ALL TERM INPUTRC HISTFILE TZ
    compiler_folders=${compiler_folders-$(folders_of_compiler 2>/dev/null)}
    WARPSTEP_CUDA_DRIVER=/none/libcuda.so.1 # no driver, so that tests are the same on a machine with a GPU
    WARPSTEP_TOOLCHAIN=$PWD/lessons:$PWD/tests:$PWD/build/answers$compiler_folders # of the stand-in for nvcc
    export WARPSTEP_CUDA_DRIVER WARPSTEP_TOOLCHAIN
    unset NO_COLOR CLICOLOR_FORCE COLUMNS XDG_DATA_HOME XDG_STATE_HOME XDG_CONFIG_HOME WARPSTEP_COMPILER WARPSTEP_ISA
    began=$(date +%s)
    case $test in
    *.golden)
        # a path of this tree or of TMPDIR may hold blanks, and is still one word
        awk 'function quoted(s) { gsub(/\047/, "\047\\\047\047", s); return "\047" s "\047" }
             FNR == 1 { heading = 1; print "IFS=\047\n\047" }
             /^#/ && heading { print "printf \"%s\\n\" " quoted($0); next }
             { heading = 0 }
             /^\$ / {
                 print "printf \"%s\\n\" " quoted($0)
                 print "( " substr($0, 3) "\n) </dev/null 2>&1"
                 print "s=$?; [ $s = 0 ] || echo \"[exit $s]\""
             }' "$test" >"$TMPDIR/commands.sh"
        $limit sh "$TMPDIR/commands.sh" 2>&1 | sed "s|$TMPDIR|TMP|g; s|$(cd "$TMPDIR" && pwd -P)|TMP|g
            s|$PWD|TREE|g; s|$(pwd -P)|TREE|g
            s/\(the CPU here takes \)[0-9.]* [a-z]*/\1TIME/; s/\(本机 CPU 用 \)[0-9.]* [a-z]*/\1TIME/" >"$TMPDIR/printed"
        if [ "$UPDATE" ]; then cp "$TMPDIR/printed" "$test"; fi
        diff -u "$test" "$TMPDIR/printed" >"$log" 2>&1
        ;;
    *.pty) $limit "$build/tests/pty/drive" "$test" >"$log" 2>&1 </dev/null ;;
    *.sh) $limit sh "$test" >"$log" 2>&1 </dev/null ;;
    *) $limit "$test" >"$log" 2>&1 </dev/null ;;
    esac
    status=$?
    [ "$KEEP" ] || { chmod -R u+rwx "$TMPDIR" 2>/dev/null; rm -rf "$TMPDIR"; }
    times >"$logs/$name.cpu" # to see where the work is
    echo "$(($(date +%s) - began)) $status $name $(short "$test")" # one line, for the loop below
    exit 0
    ;;
esac

export compiler_folders="$(folders_of_compiler 2>/dev/null)"
started=$(date +%s)
logs=$PWD/$build/tests/logs
rm -rf "$logs" && mkdir -p "$logs" || exit 1
jobs=${TEST_JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)}
[ "$jobs" -le 4 ] || jobs=4

# PATH and lists like it are split at colons. Where the tree's own path has one, the tests use a link to the tree.
case $PWD in
*:*)
    link=$(mktemp -d /tmp/tree.XXXXXX) && ln -s "$PWD" "$link/tree" && cd "$link/tree" || exit 1
    trap 'rm -f "$link/tree"; rmdir "$link"' EXIT
    logs=$PWD/$build/tests/logs
    ;;
esac

for test in "$build"/tests/unit/* tests/*/*.sh tests/golden/*.golden tests/pty/*.pty; do
    case $test in *'*'* | *.o | *.d) continue ;; esac
    for part in ${ONLY:-/}; do
        case $test in *"$part"*) echo "$test" && break ;; esac
    done
done >"$logs/found"
# Long tests come first, so that none of them runs alone at the end.
sed -n 's/^\([a-z][^ ]*\) .*/\1/p' tests/long.txt >"$logs/long"
while read -r name; do
    grep -E "(^|/)$name(\.[a-z]*)?\$" "$logs/found"
done <"$logs/long" >"$logs/first"
grep -Fvx -f "$logs/first" "$logs/found" >"$logs/rest"
if [ "$ONLY$TEST_ALL" ]; then cat "$logs/first" "$logs/rest"; else cat "$logs/rest"; fi >"$logs/list"
of=$(($(wc -l <"$logs/list")))

xargs -P "$jobs" -I '{}' sh "$0" --one "$build" "$logs" '{}' <"$logs/list" | {
    ended=0 passed=0 failed=0 skipped=0
    while read -r seconds status log name; do
        ended=$((ended + 1))
        counts=$(tail -n 1 "$logs/$log.log" | grep -E '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$')
        sed -n "s|^SKIP |skipped $name: |p" "$logs/$log.log" >"$logs/skips"
        sed -n "s|^FAIL |FAIL $name: |p" "$logs/$log.log" >"$logs/fails"
        set -- 0 0
        if [ "$counts" ]; then
            set -- $(echo "$counts" | tr -cd '0-9 ')
            [ "$status" = 0 ] || [ "$2" != 0 ] || { echo "FAIL $name: exit status $status" >"$logs/fails"; set -- "$1" 1; }
        elif [ "$status" = 0 ]; then
            set -- 1 0
        elif [ "$status" = 77 ]; then # skipped
            [ -s "$logs/skips" ] || echo "skipped $name" >"$logs/skips"
        else
            echo "FAIL $name: exit status $status; see $build/tests/logs/$log.log" >"$logs/fails"
            set -- 0 1
        fi
        n=$(($(wc -l <"$logs/skips"))) # count only skips that are named
        passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + n))
        result="$1 passed"
        [ "$2" = 0 ] || result="$result, $2 FAILED"
        [ $n = 0 ] || result="$result, $n skipped"
        printf '[%*d/%d] %4d s  %-26s %s\n' ${#of} $ended "$of" "$seconds" "$name" "$result"
        cat "$logs/fails"
        cat "$logs/skips" >>"$logs/all-skips"
        cat "$logs/fails" >>"$logs/all-fails"
    done
    cat "$logs/all-skips" 2>/dev/null
    [ "$ONLY$TEST_ALL" ] ||
        echo "not run, since they take long (make test-all runs them): $(tr '\n' ' ' <"$logs/long")" | fold -s -w 79
    if [ "$failed" -gt 0 ]; then echo "failed:" && cat "$logs/all-fails"; fi
    [ $ended = "$of" ] || { failed=$((failed + of - ended)); echo "FAIL $((of - ended)) tests did not end"; }
    echo "$(($(date +%s) - started)) s in all"
    echo "$passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
    [ "$failed" = 0 ] && [ "$passed" -gt 0 ]
}
