# scripts/get-compiler says what it would fetch before it asks, and one who cannot install anything learns what to type.
# apt-get and id are stand-ins here: nothing is installed.
. tests/cases.sh
script=$PWD/scripts/get-compiler tools=$TMPDIR/tools out=$TMPDIR/out
mkdir "$tools"
for tool in sh sed awk dirname uname cat grep; do ln -s "$(command -v $tool)" "$tools/$tool"; done
cat >"$tools/apt-get" <<'END'
#!/bin/sh
echo "$*" >>"$ASKED"
case $1 in
--print-uris) # as apt-get prints them; with what is recommended there would be more
    echo "'http://deb.example.org/clang.deb' clang_14.deb 40000000 SHA256:00"
    case $* in *--no-install-recommends*) ;; *) echo "'http://deb.example.org/more.deb' more_1.deb 75000000 SHA256:00" ;; esac
    echo "'http://deb.example.org/libllvm.deb' libllvm_14.deb 21400000 SHA256:00" ;;
esac
END
printf '#!/bin/sh\necho $USER_NUMBER\n' >"$tools/id"
chmod +x "$tools/apt-get" "$tools/id"
get() { # USER ARGUMENT...
    number=$1
    shift
    : >"$TMPDIR/asked"
    ASKED=$TMPDIR/asked USER_NUMBER=$number PATH=$tools sh "$script" "$@" >"$out" 2>&1 </dev/null
}
get 1000 clang; [ $? = 1 ]; ok $? "a user without sudo: $(cat "$out")"
grep -q '^    apt-get install -y --no-install-recommends clang$' "$out"; ok $? "what to type as root: $(cat "$out")"
grep -q 'As root: 2 packages, 61 MB to fetch:$' "$out"; ok $? "how much it is: $(cat "$out")"
! grep -qv '^--print-uris' "$TMPDIR/asked"; ok $? "nothing was installed: $(cat "$TMPDIR/asked")"
get 0 clang; [ $? = 1 ] && ! grep -qv '^--print-uris' "$TMPDIR/asked"; ok $? "it asks first: $(cat "$TMPDIR/asked")"
grep -q 'computer: 2 packages, 61 MB to fetch:$' "$out"; ok $? "it says how much before it asks: $(cat "$out")"
get 0 -y clang && [ "$(tail -n 1 "$TMPDIR/asked")" = 'install -y --no-install-recommends clang' ]
ok $? "no more than needed: $(cat "$TMPDIR/asked")"
cp "$tools/id" "$tools/sudo"
get 1000 clang; grep -q '^    sudo apt-get install' "$out"; ok $? "with sudo: $(cat "$out")"
finish
