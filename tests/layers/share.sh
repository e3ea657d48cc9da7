# At most 40 of 100 lines are PTX, which a compiler wrote: a difference shows what a person wrote. It is counted by
# content. A line is PTX if it is a directive, a label or an instruction of PTX, also within a string or beside a line
# number in the margin. In a file where most lines are, all are. A line of more than 120 columns counts as several, and
# one with several instructions as so many. SHOW=1 prints the files with most of it.
. tests/cases.sh
files() { # the index may name files that are gone
    if git ls-files -z 2>/dev/null | grep -qz .; then git ls-files -z | xargs -0 sh -c 'for f; do [ -f "$f" ] && printf "%s\0" "$f"; done' sh
    else find . -name .git -prune -o -name 'build*' -prune -o -type f -print0; fi
}
# count: of the files on the input, each closed by a zero: lines of PTX, all lines
count() {
    LC_ALL=C xargs -0 awk -v show="$SHOW" '
        function done() {
            if (of > 0 && 2 * ptx > of) ptx = of
            if (show && ptx) printf "%7d of %7d  %s\n", ptx, of, name >"/dev/stderr"
            all_ptx += ptx; all += of; ptx = of = 0
        }
        FNR == 1 { done(); name = FILENAME }
        {
            n = length($0) > 120 ? int((length($0) + 119) / 120) : 1
            of += n
            if (!/[.$%]/ && !/ret;/) next
            line = $0
            sub(/^[ \t"0-9]+/, "", line)
            if (line ~ /^(\.(version|target|address_size|visible|entry|func|param|reg|loc|file|shared|local|pragma|maxntid|minnctapersm)[ \t]|\$L[A-Za-z0-9_]*:|(@!?%p[0-9]+ +)?(bra|ret|exit|trap)[; \t.]|(@!?%p[0-9]+ +)?[a-z]+[0-9a-z]*(\.[a-z0-9_:]+)+[ \t]+[^=]*;)/) {
                several = gsub(/;[ \t]*[a-z@.]/, "&", line) # more on the same line
                ptx += n + several
                of += several
            }
        }
        END { done(); print all_ptx, all }' | awk '{ ptx += $1; all += $2 } END { print ptx + 0, all + 0 }'
}
# The count itself: twelve lines, most of them PTX and one with two instructions, are 13; of seven lines of C one holds PTX.
printf '.version 6.3\n// a comment\n\n.visible .entry k(\n\t.param .u64 k_param_0\n)\n{\n\t.reg .b32 %%r<2>;\n12\tmov.u32 %%r1, %%tid.x; add.s32 %%r1, %%r1, 1;\n\t@%%p1 bra $L__BB0_2;\n\tret;\n}\n' >"$TMPDIR/a.txt"
printf 'int main(void)\n{\n    puts("x");\n    a.b = 1;\n    "mov.u32 %%r1, 0;\\n"\n    return 0;\n}\n' >"$TMPDIR/b.c"
said=$(cd "$TMPDIR" && printf 'a.txt\0b.c\0' | count)
[ "$said" = '14 20' ]; ok $? "a count by hand: 14 of 20, not $said"
set -- $(files | count)
[ $((100 * $1)) -le $((40 * $2)) ]; ok $? "$1 of $2 lines are PTX: $((100 * $1 / $2)) of 100; scripts/ptx-fold.awk folds that of answers"
echo "$1 of $2 lines are PTX"
finish
