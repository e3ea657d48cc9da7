# show host: the program that would run a step. Each compiles, by nvcc and by clang, runs under exec, and finds what
# the step's `expect:` says. A few steps by default; WHOLE=1: every step of every lesson (`make check-host`: minutes).
[ -e "$(dirname "$WARPSTEP")/lib/warpstep/libcudart.so.13" ] || { echo "SKIP host: no libraries in this build"; exit 77; }
here=$PWD
cd "$TMPDIR" || exit 1
passed=0 failed=0 skipped=0
compilers=
for c in nvcc clang; do
    if WARPSTEP_COMPILER=$c "$WARPSTEP" doctor 2>/dev/null | grep -q "^ *$c .*[0-9]"; then compilers="$compilers $c"
    else echo "SKIP host by $c: not found"; skipped=$((skipped + 1)); fi
done
few="1.v3 2.pitched 2.large 3.digits 3.tiles 4.filter 4.race 5.stride 7.texture 7.filter 6.shared-limit"

# The settings that check-lessons takes, so that a step takes no minutes; lesson 2 at a size that no tile divides.
small() {
    sed -n 's/^check: *\([a-z]*\) *= *\([^ ]*\).*/\1=\2/p' "$here"/lessons/0"$1"-*/lesson.txt
    case $1 in 2) echo n=100 ;; 5) echo n=65536 ;; esac
}
meant() { # the exit status that STEP's expectation means
    awk -v want="$2" '/^step:/ { at = $2; like = $4; says[at] = like ? says[like] : "ok" }
        /^expect:/ { says[at] = $2 } END { print says[want] }' "$here"/lessons/0"$1"-*/lesson.txt
}
steps() { # LESSON: its steps that run something
    "$WARPSTEP" lesson "$1" --json | sed 's/.*"steps":\[\([^]]*\)\].*/\1/' | tr -d '"' | tr ',' '\n'
}
one() { # LESSON STEP
    # shellcheck disable=SC2046
    if ! "$WARPSTEP" show host "$1.$2" $(small "$1") >program.cu 2>err; then
        grep -q 'runs no program' err && return # doctor, devices ...
        failed=$((failed + 1))
        echo "FAIL $1.$2: $(head -2 err | tr '\n' ' ')"
        return
    fi
    case $(meant "$1" "$2") in ok) wanted=0 ;; wrong) wanted=1 ;; *) wanted='[01]' ;; esac # a race may be right by chance
    for c in $compilers; do
        WARPSTEP_COMPILER=$c "$WARPSTEP" exec --time none --limit 300 --report report program.cu >out 2>err
        status=$?
        # shellcheck disable=SC2254
        case $status in $wanted) as_meant=1 ;; *) as_meant= ;; esac
        if [ "$as_meant" ] && [ "$(grep -c 'right, the CPU\|WRONG' out)" = 1 ]; then passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "FAIL $1.$2 by $c: status $status: $(tail -2 out | tr '\n' ' ') $(head -4 err | tr '\n' ' ')"
        fi
    done
}
if [ "$WHOLE" ]; then
    for lesson in 1 2 3 4 5 6 7; do
        for step in $(steps $lesson); do one $lesson "$step"; done
    done
else
    for step in $few; do one "${step%%.*}" "${step#*.}"; done
fi
"$WARPSTEP" show host 1.v3 n=7 --json | grep -q '"lines":\[.*const long long n = 7;'; [ $? = 0 ] || { failed=$((failed + 1)); echo "FAIL --json"; }
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
