# try, check, grade and export work the same in a folder of any name. No name is taken for a
# command, an option, a pattern or a format. (`make test-failures` alone runs try of PTX and check.)
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
tests/failures/make-folder "$TMPDIR/f" || exit 1
PATH=$TMPDIR/f/bin:$PATH WARPSTEP_COMPILER=nvcc WARPSTEP_TOOLCHAIN=$TMPDIR/f/bin
export PATH WARPSTEP_COMPILER WARPSTEP_TOOLCHAIN
mkdir "$TMPDIR/work"; cd "$TMPDIR/work" || exit 1
warpstep() { "$WARPSTEP" --lessons-only "$TMPDIR/f/lessons" "$@"; }
long=$(printf '%0200d' 7)
newline='a
b'
count=0
for name in 'a b' ' leading' 'trailing ' "it's" 'say "hi"' '$(touch owned)' '`touch owned`' '$HOME' 'a;touch owned' 'a&touch owned&' 'a|touch owned' \
    'a>owned' '-x' '--json' '-' '%s%n%d' '100%' 'back\slash' 'end\' 'a*b?[c]' '{a,b}' '#comment' '~root' '!!' "$(printf 'gr\303\274n \342\202\254')" \
    "$(printf 'bad \377 bytes')" "$(printf 'esc \033[31m tab\011')" "$newline" "$long"; do
    mkdir -- "./$name" 2>/dev/null || { skip "a folder called $name: this file system has none"; continue; }
    count=$((count + 1))
    cp -R "$TMPDIR/f/class" "$TMPDIR/f/right.cu" "$TMPDIR/f/twice.ptx" "./$name/"
    warpstep --json try "./$name/right.cu" --grid 1 --block 32 --arg 'i32[32]:iota' --arg 'i32[32]' --arg i32:32 >out 2>err
    [ $? = 0 ] && ! [ -s err ]; ok $? "try of CUDA C in $name: $(cat out err)"
    if [ "$FAILURES" = whole ]; then
        warpstep --json try "./$name/twice.ptx" --grid 1 --block 32 --arg 'i32[32]:iota' --arg 'i32[32]' --arg i32:32 >out 2>err
        [ $? = 0 ] && ! [ -s err ]; ok $? "try in $name: $(cat out err)"
        warpstep --json check 1.1 "./$name/right.cu" >out 2>err
        [ $? = 0 ] && grep -q '"verdict":"pass"' out && ! [ -s err ]; ok $? "check in $name: $(cat out err)"
    fi
    warpstep grade "./$name/class" >out 2>err
    [ $? = 0 ] && grep -q '^ann,1.1-squares,1.1.cu,pass' "./$name/class/grades.csv" && ! [ -s err ]; ok $? "grade in $name: $(cat out err)"
    warpstep export md "./$name/page.md" >out 2>err
    [ $? = 0 ] && [ -s "./$name/page.md" ] && ! [ -s err ]; ok $? "export in $name: $(cat out err)"
    ! LC_ALL=C grep -q "$(printf '\033')" out err; ok $? "no control character of $name reaches the terminal"
done
[ $count -ge 20 ]; ok $? "$count folders"
! find "$TMPDIR" -name owned | grep -q .; ok $? "no name was run"
finish
