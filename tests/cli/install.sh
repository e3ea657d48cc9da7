# Installed in folders whose names hold blanks and a backslash, the program finds its lessons from
# any folder. Uninstalling removes everything of the program and nothing else. The manual page and
# the completions name every command. make uses all cores unless told otherwise.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
unset MAKEFLAGS MAKELEVEL MFLAGS GNUMAKEFLAGS
DESTDIR="$TMPDIR/a b" PREFIX="/usr/lo c\\nal" root="$TMPDIR/a b/usr/lo c\\nal"
install() { INSTALL_DESTDIR=$DESTDIR INSTALL_PREFIX=$PREFIX scripts/install "$@"; }
mkdir -p "$root/bin" "$root/share/zsh" "$TMPDIR/elsewhere" # both exist before the installation and must stay, even if empty
echo theirs >"$root/share/zsh/other"
find "$DESTDIR" | sort >"$TMPDIR/before"

install "$WARPSTEP" >"$TMPDIR/said" 2>&1; ok $? "install: $(cat "$TMPDIR/said")"
: >"$root/share/warpstep/lessons/stale"; printf "%s\n" "$PREFIX/share/warpstep/lessons/stale" >>"$root/share/warpstep/installed"
install "$WARPSTEP" >"$TMPDIR/said" 2>&1; ok $? "install again: $(cat "$TMPDIR/said")"
! [ -e "$root/share/warpstep/lessons/stale" ]; ok $? "what an older version put there and this one has no more goes"
[ -z "$(find "$root" -type f ! -perm -444)" ]; ok $? "every file can be read by everybody"
count=$(find lessons -name lesson.txt | wc -l)
(cd "$TMPDIR/elsewhere" && "$root/bin/warpstep" --json lessons) >"$TMPDIR/lessons" 2>&1
[ "$(grep -c '"event":"lesson"' "$TMPDIR/lessons")" -eq "$count" ]; ok $? "$count lessons: $(cat "$TMPDIR/lessons")"
(cd "$TMPDIR/elsewhere" && "$root/bin/warpstep" run 1.v3) >"$TMPDIR/run" 2>&1
grep -q 'total = 29909398: right' "$TMPDIR/run"; ok $? "a run: $(cat "$TMPDIR/run")"

# ---- generated files ----
"$WARPSTEP" --json help | sed 's/.*"name":"\([^"]*\)".*/\1/' >"$TMPDIR/commands"
[ "$(wc -l <"$TMPDIR/commands")" -gt 30 ]; ok $? "commands"
while read -r command; do
    page=$(printf %s "$command" | sed 's/-/\\\\-/g')
    grep -q "^\\\\fB$page\\\\fR" "$root/share/man/man1/warpstep.1"; ok $? "the manual page says $command"
    for file in bash-completion/completions/warpstep zsh/site-functions/_warpstep fish/vendor_completions.d/warpstep.fish; do
        grep -qw -e "$command" "$root/share/$file"; ok $? "$file names $command"
    done
done <"$TMPDIR/commands"
if command -v mandoc >/dev/null 2>&1; then
    said=$(mandoc -Tlint -Wwarning "$root/share/man/man1/warpstep.1" 2>&1); ok $? "mandoc: $said"
elif man --version >/dev/null 2>&1 && command -v groff >/dev/null 2>&1; then
    said=$(man --warnings -E UTF-8 -l -Tutf8 -Z "$root/share/man/man1/warpstep.1" 2>&1 >/dev/null); [ -z "$said" ]
    ok $? "man: $said"
else
    skip "the manual page: no mandoc, no man"
fi
if command -v bash >/dev/null 2>&1; then
    complete() { # what bash offers for a line
        bash -c '. "$1"; COMP_LINE=$2 COMP_POINT=${#2}; _warpstep && echo "${COMPREPLY[*]}"' - \
            "$root/share/bash-completion/completions/warpstep" "$1"
    }
    for case in 'warpstep dev=device devices' 'warpstep --device sim:h2=h200' 'warpstep --device gpu export m=md' \
        'warpstep --color al=always' 'warpstep --lang =auto en zh' 'warpstep set lang z=zh' \
        'warpstep --json set color n=never' 'warpstep set seed =' \
        'warpstep help doc=doctor' 'warpstep les=lessons lesson' 'warpstep export md m='; do
        said=$(complete "${case%=*}"); [ "$said" = "${case##*=}" ]; ok $? "bash: ${case%=*}: \"$said\""
    done
else
    skip "completion in bash: no bash"
fi
for shell in zsh fish; do
    command -v $shell >/dev/null 2>&1 || { skip "completion in $shell: no $shell"; continue; }
    said=$("$WARPSTEP" generate $shell | $shell -n 2>&1); [ -z "$said" ]; ok $? "$shell: $said"
done

# ---- uninstall ----
make --no-print-directory uninstall DESTDIR="$DESTDIR" PREFIX="$PREFIX" >"$TMPDIR/said" 2>&1
ok $? "uninstall: $(cat "$TMPDIR/said")"
find "$DESTDIR" | sort | diff "$TMPDIR/before" - >"$TMPDIR/left"; ok $? "left or gone: $(cat "$TMPDIR/left")"
make --no-print-directory uninstall DESTDIR="$DESTDIR" PREFIX="$PREFIX" 2>&1 | grep -q '^nothing'
ok $? "uninstall of nothing"

# Below ~/.local the program's folder also holds the student's notes and progress: these stay.
DESTDIR= PREFIX=$HOME/.local
"$WARPSTEP" notes kept >/dev/null 2>&1; find "$HOME" | sort >"$TMPDIR/before"
install "$WARPSTEP" >"$TMPDIR/said" 2>&1 && [ -x "$HOME/.local/bin/warpstep" ]
ok $? "install in a home: $(cat "$TMPDIR/said")"
"$HOME/.local/share/warpstep/scripts/get-compiler" --nonsense >"$TMPDIR/said" 2>&1; [ $? = 2 ]
ok $? "get-compiler, installed"
install --remove >"$TMPDIR/said" 2>&1; ok $? "removed from a home: $(cat "$TMPDIR/said")"
"$WARPSTEP" notes 2>&1 | grep -q kept; ok $? "notes are kept"
find "$HOME" | sort | diff "$TMPDIR/before" - >"$TMPDIR/left"; ok $? "left or gone in a home: $(cat "$TMPDIR/left")"
PREFIX=relative; ! install "$WARPSTEP" >"$TMPDIR/said" 2>&1 && grep -q 'must begin with /' "$TMPDIR/said"
ok $? "a relative PREFIX"

# ---- as many jobs as cores, unless a number is given ----
jobs() {
    printf 'include Makefile\njobs: ; @echo " $(MAKEFLAGS) "\n' | make --no-print-directory -f - "$@" jobs |
        sed -n 's/.*\( -j[0-9]*\).*/\1/p'
}
cores=$(getconf _NPROCESSORS_ONLN)
[ "$(jobs)" = " -j$cores" ]; ok $? "make takes $cores jobs: $(jobs)"
[ "$(jobs -j1)" = " -j1" ] && [ "$(jobs -j7)" = " -j7" ]; ok $? "make -j1, make -j7"
[ "$(MAKEFLAGS=-j3 jobs 2>/dev/null)" = " -j3" ]; ok $? "the number of a make above"
finish
