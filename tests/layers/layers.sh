# A room of repl/ or sim/ builds only on rooms below it. What a file includes, and what its object
# asks the linker for, must lie in its own room or in a lower one. The lists below give the order,
# lowest first. "." is the top folder of a tree: the base of sim/, and main.c above all of repl/.
. tests/cases.sh
sim='. ptx cards code machine check run exec ptxas memory_time clock launch cuda'
repl='shell course device program run judge session view film grade author commands .'

# arrows TREE ROOMS: prints each include and each symbol that goes up, as "from to how"
arrows() {
    tree=$1
    {
        for file in "$tree"/*.[ch] "$tree"/*/*.[ch] "$tree"/*/*/*.[ch]; do
            case $file in sim/device/* | sim/cuda/include/*) continue ;; esac # headers for kernels
            [ -f "$file" ] && sed -n 's|^#include "\([^"]*\)".*|include '"$file"' \1|p' "$file"
        done
        if command -v nm >/dev/null 2>&1; then
            for source in "$tree"/*.c "$tree"/*/*.c "$tree"/*/*/*.c; do
                case $source in sim/cuda/core/program_clock.c) continue ;; esac # it replaces functions of libc
                ls "$BUILD/${source%.c}.o" "$BUILD/${source%.c}".*.o 2>/dev/null
            done | xargs nm -A -g 2>/dev/null |
                sed -n "s|^$BUILD/\([^:]*\)\.o:[0-9a-f ]*\([A-Za-z]\) \([A-Za-z_0-9.]*\)\$|symbol \1 \2 \3|p"
        fi
    } | awk -v tree="$tree" -v rooms="$2" '
        function room(path,   p) { p = substr(path, length(tree) + 2); return p ~ /\// ? substr(p, 1, index(p, "/") - 1) : "." }
        function say(from, to, how) { if (level[room(to)] > level[room(from)] && !said[from to how]++) print from, to, how }
        BEGIN { n = split(rooms, list, " "); for (i = 1; i <= n; i++) level[list[i]] = i }
        !(room($2) in level) { if (!unknown[room($2)]++) print $2, "a room that this test does not know", "-"; next }
        $1 == "include" && $3 ~ /\// { say($2, tree "/" $3, "includes") }
        $1 == "symbol" && $3 ~ /[TDBRVW]/ { sub(/\.(base|avx2|avx512)$/, "", $2); home[$4] = $2 }
        $1 == "symbol" && $3 == "U" { sub(/\.(base|avx2|avx512)$/, "", $2); asks[++asked] = $2 " " $4 }
        END { for (i = 1; i <= asked; i++) { split(asks[i], a, " "); if (a[2] in home) say(a[1], home[a[2]], a[2]) } }'
}
for tree in sim repl; do
    case $tree in sim) rooms=$sim ;; *) rooms=$repl ;; esac
    none "goes up" "$(arrows "$tree" "$rooms")"
done
# The CUDA library for programs uses only the interface sim.h of the simulator.
more=$(grep -n '#include "' -r sim/cuda --exclude-dir=include | grep -v '"\(sim\.h\|cuda/[a-z_/]*\.h\|[a-z_]*\.\(h\|def\)\)"$'
    command -v nm >/dev/null 2>&1 && nm -g "$BUILD/libsim.a" 2>/dev/null | sed -n 's/.* [TDBR] //p' | grep -v '^sim_' | sort -u >"$TMPDIR/inner" &&
        for source in sim/cuda/*/*.c; do ls "$BUILD/${source%.c}.o" 2>/dev/null; done | xargs nm -g | sed -n 's/.* U //p' | sort -u | comm -12 - "$TMPDIR/inner")
none "sim/cuda knows more than sim.h" "$more"
names=$(find repl sim -name '*.[ch]' ! -path 'sim/device/*' ! -path 'sim/cuda/include/*' | sed 's|.*/||; s|\.[ch]$||' | sort | uniq -c | awk '$1 > 2 { print $2 }'
    find repl sim -name '*.c' | sed 's|.*/||' | sort | uniq -d)
none "a name twice" "$names"
command -v nm >/dev/null 2>&1 || skip "symbols: no nm"
# A line has at most 120 columns, as a terminal shows it: a Chinese character has 3 bytes and 2 columns, a tab 4.
none "more than 120 columns" "$(find repl sim tests kernels lessons \( -name '*.[ch]' -o -name '*.cu' -o -name '*.js' \) \
    -exec env LC_ALL=C awk '{
        gsub(/\t/, "    "); gsub(/[\200-\277]/, ""); gsub(/[\343-\355\357-\364]/, "..")
        if (length($0) > 120) print FILENAME ":" FNR
    }' {} +)"
# Cases are counted in one place for C (check.h) and in one for sh (cases.sh); run.sh adds up their last lines.
none "a test with counters of its own" "$(grep -rlE --include='*.sh' --include='*.[ch]' \
    'passed, [%$]|(passed|failed|skipped)=\$\(\(|(passed|passes|failures)(\+\+| \+= )|^(ok|pass|fail|skip)\(\)' tests |
    grep -v '^tests/\(check\.h\|cases\.sh\|run\.sh\)$')"
finish
