# Every line of --json output is one JSON object that follows our schema, whatever the command.
# Python's parser reads it, not ours.
. tests/cases.sh
command -v python3 >/dev/null || skip_all "json: python3 is absent"
cat >"$TMPDIR/validate.py" <<'PY'
import json, sys
lines = sys.stdin.buffer.read().decode("utf-8").splitlines()
def unique(pairs):
    keys = [k for k, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError("a key twice")
    return dict(pairs)
def no(name):
    raise ValueError(name)
for line in lines:
    record = json.loads(line, object_pairs_hook=unique, parse_constant=no)
    if record.get("schema") != "warpstep/1" or not isinstance(record.get("event"), str):
        raise ValueError("schema or event is missing: " + line)
if len(lines) < int(sys.argv[1]):
    raise ValueError("only %d lines" % len(lines))
PY
mkdir -p "$HOME/.local/share/warpstep"
printf '2026-11-20T10:31:00Z run 1.v3 device=sim:8800gt n=1000 odd="a \\"b\\" \\\\ c" cycles=12.5 nan=nan big=1e999 bad=\377\n' \
    >"$HOME/.local/share/warpstep/progress"
try() { # LINES WORDS...
    lines=$1
    shift
    if warpstep --json "$@" 2>/dev/null | python3 "$TMPDIR/validate.py" "$lines" 2>"$TMPDIR/why"; then
        pass
    else
        fail "warpstep --json $*: $(tail -n 1 "$TMPDIR/why")"
    fi
}
try 8 help
try 1 help quit
try 1 help add
try 5 set
try 1 get seed
try 4 devices
try 1 device
try 9 doctor
try 0 notes 'a "note" with \ and é'
try 1 notes
try 1 export json
try 1 nonsense
try 1 'bad " quote'
try 1 --device gpu:77 device
try 2 -c 'get seed' -c 'nonsense'
set -- --lessons-only tests/lessons
try 1 "$@" lessons
try 1 "$@" lesson 1
try 1 "$@" lesson 1 next
try 1 "$@" next
try 1 "$@" run 1.once n=100
try 1 "$@" run 1.off
try 1 "$@" run 1.race
try 1 "$@" run 1.once n=0
try 1 "$@" run 1.nothing
try 1 "$@" why 1.often
try 1 "$@" explain 1.once
try 1 "$@" predict 1.often
try 1 "$@" predict 1.often 96
try 4 "$@" ladder 1
try 4 "$@" -c 'goto 1.once' -c 'sweep width 32 256'
try 1 "$@" progress
try 0 "$@" show diff 1.often # the same kernel
for what in source ptx mem banks counters lines; do try 1 "$@" show $what 1.often; done
try 1 "$@" run 1.once --device sim:8800gt,sim:h200
try 1 try tests/pty/spin.ptx --grid 1 --block 32 --limit 0.2
try 1 try tests/pty/spin.ptx --grid 0 --block 32
finish
