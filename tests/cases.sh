# cases.sh: how a test in sh counts its cases. It starts with `. tests/cases.sh` and ends with `finish`, whose status
# is the test's. `passed`, `failed` and `skipped` are the numbers so far.
passed=0 failed=0 skipped=0

# pass: a case that passed; pass N: so many of them
pass() { passed=$((passed + ${1:-1})); }
# fail WHAT: a case that failed, with what is wrong
fail() { failed=$((failed + 1)); echo "FAIL $*"; }
# skip WHAT: WHY: a case that cannot run here
skip() { skipped=$((skipped + 1)); echo "SKIP $*"; }
# ok STATUS WHAT: a case that passes if the status, mostly $? of a command before, is 0
ok() { if [ "$1" = 0 ]; then pass; else shift; fail "$@"; fi; }
# holds WHAT COMMAND ARGUMENT...: a case that passes if the command succeeds
holds() {
    holds_what=$1
    shift
    if "$@"; then pass; else fail "$holds_what"; fi
}
# count_lines FILE: what another program judged: a line "ok what", "FAIL what" or "SKIP what: why" is a case
count_lines() {
    grep '^FAIL \|^SKIP ' "$1"
    passed=$((passed + $(grep -c '^ok' "$1"))) failed=$((failed + $(grep -c '^FAIL ' "$1")))
    skipped=$((skipped + $(grep -c '^SKIP ' "$1")))
}
# none WHAT LINES: each line names something that must not be; a case that passes if there is no line
none() {
    if [ -z "$2" ]; then pass && return; fi
    echo "$2" | sed "s|^|FAIL $1: |"
    failed=$((failed + $(echo "$2" | wc -l)))
}
# skip_all WHAT: WHY: nothing of the test can run here
skip_all() { echo "SKIP $*"; exit 77; }
# stop WHAT: the rest of the test makes no sense without WHAT
stop() { fail "$@"; finish; exit 1; }
# finish: the line that run.sh reads; a test without a case fails
finish() {
    [ $((passed + failed + skipped)) -gt 0 ] || fail "no case ran"
    [ $skipped = 0 ] || set -- ", $skipped skipped"
    echo "$passed passed, $failed failed$1"
    [ $failed = 0 ]
}
