# Every exercise against every way around its goals. An answer that keeps the fault (the starter, and the wrong answers
# that are `short`) has its loads and stores made another way by attack.awk, and is judged: none may pass. Of a whole
# program these are the kernels. Answers that are a number or a launch: tests/exercises/numbers.sh. The table shows by what each is refused. MATRIX chooses lessons, exercises or answers ("7 9.1 2.5/starter"; all
# of them: make test-matrix, an hour of one core), WAYS the ways. Without them it takes those that once passed
# (20 seconds). matrix.txt says which pass because the way is an honest solution.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
tests=tests/exercises answers=build/answers
ways="atomic atomic-read atomic-write atomic-global atomic-shared generic mixed volatile uncached bytes memo leader
 async cluster unfused tensor object alone idle one-block"
some="2.5/starter 2.7/wrong-two 7.4/starter 7.4/wrong-global 7.5/starter 9.1/wrong-conflict 9.1/wrong-naive 10.1/starter"
if [ ! "$MATRIX" ]; then MATRIX=$some WAYS=${WAYS:-atomic-read atomic-write atomic-shared mixed object}; fi
PLAIN_LIB=$PWD/$BUILD/lib/warpstep
export PLAIN_LIB

# --one LESSON/EXERCISE NUMBER BASE WAY: judges one, and prints NUMBER BASE WAY and what came of it
if [ "$1" = --one ]; then
    at=$2 number=$3 base=$4 way=$5
    dir=$TMPDIR/$number.$base.$way
    mkdir -p "$dir/home"
    if ! awk -v way="$way" -f $tests/attack.awk "$answers/$at/$base.ptx" >"$dir/kernel.ptx"; then
        echo "$number $base $way -"
    else
        echo "// $dir/kernel.ptx" >"$dir/answer.cu"
        case $number in 8.*) cat "lessons/${at%%/*}/exercises/${at#*/}/$base.cu" >>"$dir/answer.cu" ;; esac
        SOLUTION=$PWD/$answers/$at/solution.ptx HOME=$dir/home \
            "$WARPSTEP" --threads 1 --json check "$number" "$dir/answer.cu" >"$dir/verdict" 2>"$dir/errors"
        verdict=$(sed -n 's/.*"verdict":"\([^"]*\)".*/\1/p' "$dir/verdict")
        reason=$(sed -n 's/.*"reason":"\([^"]*\)".*/\1/p' "$dir/verdict")
        goal=$(tr '{' '\n' <"$dir/verdict" | sed -n 's/^"metric":"\([a-z0-9_]*\)","reached":false.*/\1/p' | head -n 1)
        case $verdict.$reason in
        pass.*) echo "$number $base $way PASS" ;;
        fail.short) echo "$number $base $way ${goal:-short}" ;;
        fail.*) echo "$number $base $way $reason" ;;
        *)
            why=$(sed 's/.*"message":"\([^"]*\)".*/\1/' "$dir/verdict" "$dir/errors" | head -n 2 | tr '\n' ' ')
            echo "$number $base $way UNJUDGED $why"
            ;;
        esac
    fi
    rm -rf "$dir"
    exit 0
fi

# The compiler "compiles" an answer that names a PTX to that, and everything else to the exercise's solution. Of a whole
# program it builds the host's half with that PTX.
mkdir "$TMPDIR/bin"
cat >"$TMPDIR/bin/nvcc" <<X
#!/bin/sh
case " \$* " in *" -ptx "* | *" --ptx "*) ;; *) exec sh "$PWD/tests/exercises/plain-nvcc/nvcc" "\$@" ;; esac
X
cat >>"$TMPDIR/bin/nvcc" <<'X'
while [ $# -gt 1 ]; do
    if [ "$1" = -o ]; then output=$2; shift; fi
    shift
done
ptx=$(sed -n 's|^// \(.*/kernel\.ptx\)$|\1|p' "$1")
exec cp "${ptx:-$SOLUTION}" "$output"
X
chmod +x "$TMPDIR/bin/nvcc"
PATH=$TMPDIR/bin:$PATH WARPSTEP_COMPILER=nvcc WARPSTEP_TOOLCHAIN=$WARPSTEP_TOOLCHAIN:$PWD/tests:$PWD/build/answers:$PWD/scripts:$PWD/sim:$TMPDIR
export PATH WARPSTEP_COMPILER WARPSTEP_TOOLCHAIN

for file in lessons/*/exercises/*/exercise.txt; do
    at=${file#lessons/} at=${at%/exercise.txt}
    folder=$(basename "$at") lesson=$(basename "${at%/exercises/*}")
    number=$(echo "$lesson" | sed 's/^0*//; s/-.*//').${folder%%-*}
    case " $MATRIX " in *" $number "* | *" $number/"* | *" ${number%.*} "*) ;; *) continue ;; esac
    case $(sed -n 's/^kind: //p' "$file") in
    predict | timeline | launch) continue ;;
    program) [ -e "$PLAIN_LIB/libcudart.so.13" ] || { echo "SKIP $number: no libraries in this build" >&2; continue; } ;;
    esac
    { # what is right, and short of a goal or beset by a fault
        sed -n 's/^starter: \([a-z -]*\).*/starter \1/p' "$file"
        sed -n 's/^wrong: \([a-z0-9-]*\)\.cu \([a-z -]*\).*/\1 \2/p' "$file"
    } | while read -r base reason; do
        case " $MATRIX " in *" $number/$base "*) ;; *" $number/"*) continue ;; esac
        case $base.$reason in *.rejected*) continue ;; starter.*) ;; *.*wrong*) continue ;; *.*short*) ;; *) continue ;; esac
        [ -e "$answers/$lesson/$folder/$base.ptx" ] || continue # a program without kernels
        for way in ${WAYS:-$ways}; do echo "$lesson/$folder $number $base $way"; done
    done
done >"$TMPDIR/list"
jobs=${MATRIX_JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)}
xargs -P "$jobs" -L 1 sh "$0" --one <"$TMPDIR/list" >"$TMPDIR/judged"

sort -t . -k 1,1n -k 2,2n -k 2 "$TMPDIR/judged" | awk -v ways="${WAYS:-$ways}" '
    FILENAME ~ /matrix\.txt$/ { if (/^[0-9]/) honest[$1 "/" $2 " " $3] = 1; next }
    {
        answer = $1 "/" $2
        if (!(answer in seen)) { seen[answer] = 1; order[++rows] = answer }
        if (!($4 in letter)) {
            what[++kinds] = $4
            letter[$4] = $4 == "-" ? "." : $4 == "PASS" ? "!" : substr(letters, ++used, 1)
        }
        cell[answer, $3] = letter[$4]
        if ($4 == "PASS" && !((answer " " $3) in honest)) bad[++bads] = "FAIL " answer " " $3 " passes"
        else if ($4 == "UNJUDGED" && /time limit/) skip[++late] = "SKIP " answer " " $3 ": the time limit came first"
        else if ($4 == "UNJUDGED") bad[++bads] = "FAIL " $0
        else if ($4 != "-") good++ # where there is nothing of the kind, nothing was judged
    }
    BEGIN { letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" }
    END {
        n = split(ways, way, " ")
        for (k = 1; k <= n; k++) { printf "%-22s", ""; for (j = 1; j < k; j++) printf " |"; print " " way[k] }
        for (i = 1; i <= rows; i++) {
            printf "%-22s", order[i]
            for (k = 1; k <= n; k++) printf " %s", cell[order[i], way[k]]
            print ""
        }
        for (k = 1; k <= kinds; k++) print "  " letter[what[k]], what[k] == "-" ? "it has nothing of the kind" : what[k]
        for (i = 1; i <= bads; i++) print bad[i]
        for (i = 1; i <= late; i++) print skip[i]
        for (i = 1; i <= good; i++) print "ok"
    }' $tests/matrix.txt - >"$TMPDIR/table"
grep -v '^ok$\|^FAIL \|^SKIP ' "$TMPDIR/table"
count_lines "$TMPDIR/table"
[ $passed -gt 0 ] || fail "nothing was judged"
finish
