# README as it is: each "$ ./warpstep ..." of it prints what stands below it, where a line "..." stands for lines left
# out. Its other commands run, the files that it names are there, make has its targets, and the Chinese part has the
# commands of the English one. A compiler is not needed: a stand-in for nvcc knows the two kernels that README compiles.
. tests/cases.sh
tree=$PWD here=$PWD/tests/readme
export COLUMNS=80
unset XDG_CACHE_HOME

# ---- the examples: N.command, N.wanted, and N.group, of those with no text between them ----
mkdir "$TMPDIR/examples" "$TMPDIR/bin" && cd "$TMPDIR/examples" || exit 1
awk 'function line(s) { if (!n) return
         if (s == "") { gap = gap "\n"; return } # blank lines at the end are not of the example
         printf "%s%s\n", gap, s >n ".wanted"; gap = "" }
     BEGIN { printf "" >"../lines" } # what to type where nothing is shown of the answer
     /^    \$ / {
         print substr($0, 7) >(++n ".command")
         print group + 0 >(n ".group")
         printf "" >(n ".wanted")
         gap = ""; inside = 1
         next
     }
     /^    / && inside { line(substr($0, 5)); next }
     /^    / { sub(/  *#.*/, ""); print substr($0, 5) >"../lines"; next }
     /^$/ { if (inside) line(""); next }
     { if (inside) group++; inside = 0; gap = "" }' "$tree/README.md"
count=$(ls | grep -c command)
[ "$count" -ge 7 ]; ok $? "README has examples: $count"

# WANTED PRINTED: as a pattern of a shell, with lines in place of letters. Says where they part.
compare() {
    awk 'FNR == NR { want[++wants] = $0; next } { sub(/ +$/, ""); have[++haves] = $0 }
         END {
             i = j = 1
             while (j <= haves) {
                 if (i <= wants && want[i] ~ /^ *\.\.\.$/) { star = i++; from = j }
                 else if (i <= wants && want[i] == have[j]) { if (i > most) most = i; i++; j++ }
                 else if (star) { i = star + 1; j = ++from }
                 else break
             }
             while (i <= wants && want[i] ~ /^ *\.\.\.$/) i++
             if (i > wants && j > haves) exit 0
             if (most == wants) print "more is printed than is shown"
             else print "not printed in its place: " (want[most + 1] ~ /^ *\.\.\.$/ ? want[most + 2] : want[most + 1])
             exit 1
         }' "$1" "$2"
}
# The comparison can fail.
printf 'a\n...\nd\n' >want; printf 'a\nb\nd\n' >1; printf 'a\nb\nd\ne\n' >2; printf 'a\nd\n' >3; printf 'b\nd\n' >4
for case in 0:1 1:2 0:3 1:4; do
    compare want "${case#*:}" >/dev/null; [ $? = "${case%:*}" ]; ok $? "compare, case ${case#*:}"
done
rm -f want 1 2 3 4

cat >"$TMPDIR/bin/nvcc" <<END
#!/bin/sh
for last; do :; done
if sed '/^#line /d; /^\/\* by /d' "\$last" | cmp -s - "$here/saxpy.cu"; then
    while [ "\$1" != -o ]; do shift; done
    exec cp "$here/saxpy.ptx" "\$2"
fi
exec "$tree/tests/exercises/stand-in/nvcc" "\$@"
END
chmod +x "$TMPDIR/bin/nvcc"
ln -s "$WARPSTEP" "$TMPDIR/warpstep"
WARPSTEP_TOOLCHAIN=$WARPSTEP_TOOLCHAIN:$TMPDIR/bin
with_stand_in() { PATH=$TMPDIR/bin:$PATH WARPSTEP_COMPILER=nvcc "$@"; }
fresh() { HOME=$TMPDIR/home$1; mkdir -p "$HOME"; cd "$TMPDIR" || exit 1; }
plain() { sed 's/^\(saxpy  grid .*\)  (.*)$/\1  (COMPILER)/' "$1"; } # README's was made by another one

n=1 group=-1
while [ $n -le "$count" ]; do
    at=$TMPDIR/examples/$n command=$(cat "$TMPDIR/examples/$n.command")
    [ "$(cat "$at.group")" = "$group" ] || { group=$(cat "$at.group"); fresh "$group"; }
    case $command in
    "cat "*)
        cp "$at.wanted" "${command#cat }"
        [ "${command#cat }" != saxpy.cu ] || cmp "$at.wanted" "$here/saxpy.cu"
        ;;
    "./warpstep "*)
        with_stand_in sh -c "$command" </dev/null >"$at.printed" 2>&1
        plain "$at.printed" >"$at.now" && plain "$at.wanted" >"$at.then" && compare "$at.then" "$at.now" >"$at.differs"
        ;;
    *) false ;;
    esac
    ok $? "$command: $(cat "$at.differs" 2>/dev/null)"
    n=$((n + 1))
done

# ---- commands without what they print: at the prompt or from the shell ----
fresh all
mkdir -p submissions/ana
cp "$tree"/lessons/01-*/exercises/2-tail/solution.cu submissions/ana/1.2-tail.cu
printf 'lesson 1\nget seed\n' >commands.txt
cat >mine.cu <<'END'
#include <cstdio>
__global__ void twice(float *x) { x[threadIdx.x] *= 2; }
int main()
{
    float h[32], *d;
    for (int i = 0; i < 32; i++) h[i] = i;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    twice<<<1, 32>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\n", h[31]);
}
END
grep '^\./warpstep ' lines | sort -u >shell
[ "$(wc -l <shell)" -gt 9 ]; ok $? "README has commands: $(wc -l <shell)"
while read -r command; do
    want=0 now=$command
    case $command in
    *"exec mine.cu")
        sh -c "$command" </dev/null >out 2>&1
        status=$?
        if grep -q 'needs nvcc or clang' out; then skip "$command: no nvcc, no clang"; continue; fi
        grep -q '^62$' out || status="$status, without its output"
        ;;
    *"--device gpu"*) want=3 ;; # run.sh sees to it that there is no driver
    *"--pace 20"*) now="${command%% --pace 20*} --pace 0.001 ${command#* --pace 20}" ;;
    esac
    case $command in *"exec mine.cu") ;; *) with_stand_in sh -c "$now" </dev/null >out 2>&1; status=$? ;; esac
    [ "$status" = $want ]; ok $? "$command: status $status: $(head -n 3 out)"
done <shell
grep -q 'Ana\|ana' submissions/grades.csv; ok $? "grades.csv"

# Those of the prompt: the words of `help`, and lines with one of them in the blocks that say what to type.
"$WARPSTEP" --json help | sed -n 's/.*"name":"\([^"]*\)".*/\1/p' >names
grep -o '`[a-z][^`]*`' "$tree/README.md" | tr -d '`' | grep '^\(help\|set\) \|^lessons$\|^doctor$' | sort -u >typed
{ cat typed; awk 'NR == FNR { name[$1] = 1; next } $1 in name' names lines; } | sort -u >prompt
[ "$(wc -l <prompt)" -gt 8 ]; ok $? "README says what to type: $(wc -l <prompt)"
while read -r command; do
    with_stand_in "$WARPSTEP" -c "$command" </dev/null >out 2>&1
    ok $? "$command: $(head -n 3 out)"
done <prompt

# ---- files, targets, languages ----
grep -o '`[a-z][a-z]*/[A-Za-z0-9_./-]*`\|`[A-Z]*\.md`\|([a-z/]*\.svg)' "$tree/README.md" |
    tr -d '`()' | sort -u >files
[ "$(wc -l <files)" -gt 8 ]; ok $? "README names files: $(wc -l <files)"
while read -r file; do [ -e "$tree/$file" ]; ok $? "$file is not there"; done <files
{ grep -o '`make [a-z-]*' "$tree/README.md" | tr -d '`'; grep -o 'make [a-z-][a-z-]*' lines; } | sort -u >made
while read -r make target; do
    grep -q "^\([a-z -]* \)*$target\( [a-z -]*\)*:" "$tree/Makefile"; ok $? "$make $target: no such target"
done <made
says() { grep -q "$1" "$tree/README.md"; }
[ "$(ls "$tree"/lessons/[0-9]*/lesson.txt | wc -l)" = 10 ] && says '^- Ten lessons'; ok $? "ten lessons"
[ "$(ls "$tree"/sim/cards/*.card | wc -l)" = 5 ] && says 'on five cards'; ok $? "five cards"
section() { awk -v head="$1" '/^## / { now = $0 } now == head' "$tree/README.md"; } # "": what comes before all of them
commands() { sed -n 's/^    \([a-z.][^#]*[^ #]\) *#.*/\1/p'; }
section "" | commands | sort -u >english
section "## 中文" | commands | sort -u >chinese
[ "$(wc -l <english)" -gt 4 ] && [ -z "$(comm -23 english chinese)" ]
ok $? "not in the Chinese part: $(comm -23 english chinese)"
[ -z "$(comm -13 english chinese | grep -v 'lang')" ]; ok $? "not in the English part: $(comm -13 english chinese)"
finish
