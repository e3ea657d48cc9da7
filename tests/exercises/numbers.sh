# Answers that are a number (kinds predict and timeline) or a launch for each card (kind launch), made from our own: none
# may pass but ours, and each comes to a verdict. The table shows by what each is refused.
cd "$(dirname "$0")/../.." || exit 1
numbers="empty none negative huge enormous fraction NaN infinite text unit several twice range"
launches="empty zero negative huge enormous fraction NaN text missing twice"

# made KIND WAY SOLUTION: the answer. A number stands behind "answer: ", a launch's behind each " = ".
made() {
    value=$(sed -n 's/.*[:=] *\([0-9][0-9.]*\).*/\1/p' "$3" | head -n 1)
    case $2 in
    empty) return ;;
    none) to= ;;
    zero) to=0 ;;
    negative) to=-$value ;;
    huge) to=1000000007 ;;
    enormous) to=99999999999999999999999999999999999999 ;;
    fraction) to=$value.5 ;;
    NaN) to=nan ;;
    infinite) to=inf ;;
    text) to=many ;;
    unit) to="$value apples" ;;
    several) to="$value, 1, $value" ;;
    range) to="1 to 1000000000" ;;
    twice)
        if [ "$1" = launch ]; then cat "$3" "$3"; else printf 'answer: 1\n'; cat "$3"; fi
        return ;;
    missing) sed 1d "$3"; return ;;
    esac
    if [ "$1" = launch ]; then sed "s/= [0-9]*/= $to/" "$3"; else sed "s/^answer:.*/answer: $to/" "$3"; fi
}

for file in lessons/*/exercises/*/exercise.txt; do
    kind=$(sed -n 's/^kind: //p' "$file")
    case $kind in predict | timeline) ways=$numbers ;; launch) ways=$launches ;; *) continue ;; esac
    folder=${file%/exercise.txt} lesson=${file#lessons/} name=$(basename "$folder")
    number=$(echo "${lesson%%-*}" | sed 's/^0*//').${name%%-*}
    for way in ours $ways; do
        answer=$TMPDIR/answer.txt
        if [ $way = ours ]; then cp "$folder/solution.txt" "$answer"; else made "$kind" "$way" "$folder/solution.txt" >"$answer"; fi
        "$WARPSTEP" --json check "$number" "$answer" >"$TMPDIR/out" 2>&1 </dev/null
        status=$?
        reason=$(sed -n 's/.*"reason":"\([^"]*\)".*/\1/p' "$TMPDIR/out")
        echo "$number $kind $way $status.$reason"
    done
done >"$TMPDIR/judged"

awk '
    function print_kinds(heads, which,   n, k, i, way) {
        n = split(heads, way, " ")
        printf "%-16s", ""
        for (k = 1; k <= n; k++) printf " %-9s", way[k]
        print ""
        for (i = 1; i <= rows; i++) {
            if (index(which, kind[order[i]]) == 0) continue
            printf "%-16s", order[i] " " kind[order[i]]
            for (k = 1; k <= n; k++) printf " %-9s", cell[order[i], way[k]]
            print ""
        }
    }
    {
        if (!($1 in kind)) order[++rows] = $1
        kind[$1] = $2
        reason = $4; sub(/^[0-9]*\./, "", reason)
        cell[$1, $3] = reason == "" ? "?" : reason
        if ($3 == "ours" ? $4 == "0.pass" : $4 ~ /^1\.(wrong|rejected|short)$/) good++
        else bad[++bads] = "FAIL " $1 " " $3 ": status and reason " $4
    }
    END {
        print_kinds(numbers, "predict timeline")
        print_kinds(launches, "launch")
        for (i = 1; i <= bads; i++) print bad[i]
        print good + 0 " passed, " bads + 0 " failed"
    }' numbers="$numbers" launches="$launches" "$TMPDIR/judged" | tee "$TMPDIR/table"
! grep -q '^FAIL' "$TMPDIR/table" && ! grep -q '^0 passed' "$TMPDIR/table"
