# Building: what a build says of itself and of its progress, what is built again when something changes, other machines'
# compilers, other folders. In copies of the tree; a few files are compiled, the rest is what `make -n` would do.
# WHOLE=1 (make test-whole) builds all of it twice.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
tree=$PWD log=$TMPDIR/log
unset MAKEFLAGS MAKELEVEL MFLAGS GNUMAKEFLAGS CC CXX CFLAGS OPT ISAS SANITIZER READLINE DEVELOPER
export CCACHE_DISABLE=1 # it would take what it has kept from the other folder
O=build/release
copy() { # FOLDER: of what a build reads
    mkdir -p "$1" && cp -R Makefile repl sim scripts kernels lessons "$1"
}
copy "$TMPDIR/a b:ü"
cd "$TMPDIR/a b:ü" && copy "$TMPDIR/other" || exit 1
make() { command make --no-print-directory ISAS=base OPT=-O0 "$@"; }

# ---- progress: everything of a first build is counted ----
make -n all >"$log" 2>&1; ok $? "make -n: $(tail -n 3 "$log")"
# each step says what it does by one printf: '[3/333]' CC FILE
sed -n "s/^printf '%s  %-7s %s.n' '\([^']*\)'.*/\1/p" "$log" >steps
all=$(wc -l <steps)
[ "$all" -gt 300 ] && [ "$(head -n 1 steps)" = "[1/$all]" ] && [ "$(tail -n 1 steps)" = "[$all/$all]" ]
ok $? "$all steps: $(head -n 1 steps) to $(tail -n 1 steps)"

# ---- two folders, the same bytes; nothing of the folders in them ----
some="repl/shell/words.o repl/shell/app_version.o repl/embedded.o sim/clock/clock.base.o sim/cuda/face-12.o"
[ -z "$WHOLE" ] || some="warpstep lib/warpstep/libcuda.so.1 $(for v in 11.0 12 13; do
    echo lib/warpstep/libcudart.so.$v; done) lib/warpstep/libcublas.so.12 lib/warpstep/programs/08-programs/first.cu"
files() { for f in $some; do echo "$O/$f"; done; }
if echo 'int a;' | ${CC:-cc} -Werror -ffile-prefix-map=a=b -x c -c -o /dev/null - 2>/dev/null; then
    # shellcheck disable=SC2046
    make $(files) >"$log" 2>&1; ok $? "compiling: $(tail -n 3 "$log")"
    cd "$TMPDIR/other" || exit 1
    # shellcheck disable=SC2046
    (umask 077; make $(files) >"$log" 2>&1); ok $? "compiling in another folder: $(tail -n 3 "$log")"
    for f in $(files); do
        f=${f%.cu}
        cmp -s "$f" "$TMPDIR/a b:ü/$f"; ok $? "$f depends on where it was built"
    done
    ! grep -lF "$TMPDIR" $(files); ok $? "a folder is in an object"
else
    skip "builds in two folders: this compiler has no -ffile-prefix-map"
fi

# ---- Readline is found later: one object is compiled again ----
# compiled MAKE'S WORDS...: the files that it compiles
compiled() { make "$@" 2>&1 | sed -n 's/^[][0-9/]*  CC *//p' | tr '\n' ' '; }
objects="$O/repl/shell/words.o $O/repl/shell/reader_readline.o $O/repl/shell/app_version.o"
if make -n READLINE=yes help >/dev/null 2>&1; then
    # shellcheck disable=SC2086
    make READLINE=no $objects >"$log" 2>&1; ok $? "without Readline: $(tail -n 3 "$log")"
    # shellcheck disable=SC2086
    said=$(compiled READLINE=yes $objects); [ "$said" = 'repl/shell/reader_readline.c ' ]
    ok $? "with Readline: $said"
else
    skip "Readline found later: it is not there"
fi

# ---- versions ----
if git --version >/dev/null 2>&1; then
    export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org \
        GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
    unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
    says() { said=$(scripts/version); [ "$said" = "$1" ]; ok $? "$2: \"$said\", not \"$1\""; }
    commit() { git add scripts Makefile repl/shell && git commit -qm "$1" && commit=$(git rev-parse --short=8 HEAD); }
    release=$(sed -n 's/^#define APP_RELEASE *"\(.*\)"$/\1/p' repl/shell/app.h)
    says "" "from a tarball, below another checkout"
    git init -q . && printf '/build\n/kernels\n/lessons\n/sim\n/repl/*\n!/repl/shell\n' >.git/info/exclude && commit one
    says "+$commit" "a commit"
    # shellcheck disable=SC2086
    make READLINE=no $objects >"$log" 2>&1; ok $? "version: $(tail -n 3 "$log")"
    grep -q "$release+$commit" $O/repl/shell/app_version.o; ok $? "the commit is in the program"
    echo '# more' >>Makefile
    says "+$commit+changes" "a change"
    commit two
    # shellcheck disable=SC2086
    said=$(compiled READLINE=no $objects); [ "$said" = 'repl/shell/app_version.c ' ]; ok $? "another commit: $said"
    git tag "v$release"
    says "" "a release"
    : >repl/shell/new.c
    says "+$commit+changes" "a release with a file more"
    rm repl/shell/new.c
    mkdir none && ln -s "$(command -v sed)" "$(command -v cat)" none
    sh=$(command -v sh)
    said=$(PATH=none "$sh" scripts/version); [ "$said" = +unknown ]; ok $? "without git: $said"
    echo +12345678 >was
    said=$(PATH=none "$sh" scripts/version was); [ "$said" = +12345678 ]; ok $? "without git, after a build: $said"
    rm -rf none was
else
    skip "versions: no git"
fi

# ---- a C++ compiler that belongs to the C compiler ----
vector=$O/lib/warpstep/programs/08-programs/vector.cu
mkdir bin
for name in other-gcc other-g++; do
    plain=${name#other-}
    [ "$(command -v $plain)" ] || plain=$(echo $plain | sed 's/gcc/cc/; s/g++/c++/')
    printf '#!/bin/sh\nexec %s "$@"\n' "$plain" >bin/$name
done
chmod +x bin/other-gcc
PATH=bin:$PATH # relative, since a path with a colon cannot stand here
commands() { make -n "$@" "$vector" 2>&1 | grep -e '-o [^ ]*/08-programs/vector ' | sed 's/^ *//; s/ .*//'; }
said=$(make -n CC=other-gcc "$vector" | grep 'HOST.*vector'); case $said in *'left out: no C++ compiler'*) ;; *) false ;; esac
ok $? "of another machine, without C++: $said"
said=$(commands CC=other-gcc); [ "$said" = : ]; ok $? "of another machine, without C++, runs \"$said\""
if command -v g++ >/dev/null 2>&1 || command -v c++ >/dev/null 2>&1; then
    chmod +x bin/other-g++
    said=$(commands CC=other-gcc); [ "$said" = other-g++ ]; ok $? "of another machine: \"$said\""
    said=$(commands CC=other-gcc CXX=/nonexistent); [ "$said" = : ]; ok $? "CXX is another: \"$said\""
else
    skip "a C++ compiler of another machine: none of this one"
fi

# ---- without the kernel's headers there is no seal: make says so ----
printf '#!/bin/sh\ncase $* in *-E*) exit 1 ;; esac\nexec cc "$@"\n' >bin/no-headers && chmod +x bin/no-headers
said=$(make -n CC=no-headers all 2>&1 | grep -c 'no <linux/seccomp.h>')
case $(cc -dumpmachine) in *linux*) [ "$said" = 1 ] ;; *) [ "$said" = 0 ] ;; esac; ok $? "no headers of the kernel: $said"

# ---- a folder that nothing can be written into: one message ----
place=$(mktemp -d /tmp/build.XXXXXX) || exit 1
trap 'chmod -R u+rwx "$place"; rm -rf "$place"' EXIT
trap 'exit 1' HUP INT TERM
cp Makefile "$place" && chmod -R a+rX,a-w "$place"
user=
if [ "$(id -u)" = 0 ]; then user="setpriv --reuid=65534 --regid=65534 --clear-groups"; fi
if [ -z "$user" ] || command -v setpriv >/dev/null 2>&1; then
    (cd "$place" && $user make --no-print-directory all) >"$log" 2>&1
    [ $? = 2 ] && [ "$(wc -l <"$log")" = 1 ] && grep -q 'cannot write build/release here' "$log"
    ok $? "a read-only tree: $(head -n 5 "$log")"
    (cd "$place" && $user make --no-print-directory help) >"$log" 2>&1; ok $? "make help in a read-only tree: $(head -n 3 "$log")"
else
    skip "a read-only tree: root writes everywhere, and there is no setpriv"
fi

# ---- installing a program for another machine ----
cd "$tree" || exit 1
printf '\177ELF' >"$TMPDIR/foreign" && chmod +x "$TMPDIR/foreign"
INSTALL_DESTDIR='' INSTALL_PREFIX=$TMPDIR/usr scripts/install "$TMPDIR/foreign" >"$log" 2>&1; ok $? "install: $(cat "$log")"
grep -q 'left out, since .* does not run here' "$log"; ok $? "what is left out is said: $(cat "$log")"
cmp -s "$TMPDIR/foreign" "$TMPDIR/usr/bin/warpstep" && [ ! -e "$TMPDIR/usr/share/man/man1/warpstep.1" ]
ok $? "the program is installed, a manual page is not"
printf '#!/bin/sh\nshift\nexec "%s" "$@"\n' "$WARPSTEP" >"$TMPDIR/runs" && chmod +x "$TMPDIR/runs"
INSTALL_RUN=$TMPDIR/runs INSTALL_DESTDIR='' INSTALL_PREFIX=$TMPDIR/usr scripts/install "$TMPDIR/foreign" >"$log" 2>&1
ok $? "install with RUN: $(cat "$log")"
[ -s "$TMPDIR/usr/share/man/man1/warpstep.1" ]; ok $? "with RUN there is a manual page"
finish
