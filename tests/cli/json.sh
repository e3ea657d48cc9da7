# Every line of --json output is one JSON object with our schema, whatever the command; read by a parser that is not ours.
command -v python3 >/dev/null || { echo "SKIP json: python3 is absent"; exit 77; }
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
passed=0 failed=0
mkdir -p "$HOME/.local/share/warpstep"
printf '2026-11-20T10:31:00Z run 1.v3 device=sim:8800gt n=1000 odd="a \\"b\\" \\\\ c" cycles=12.5 nan=nan big=1e999 bad=\377\n' \
    >"$HOME/.local/share/warpstep/progress"
try() { # LINES WORDS...
    lines=$1
    shift
    if warpstep --json "$@" 2>/dev/null | python3 "$TMPDIR/validate.py" "$lines" 2>"$TMPDIR/why"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL warpstep --json $*: $(tail -n 1 "$TMPDIR/why")"
    fi
}
try 8 help
try 1 help quit
try 1 help add
try 5 set
try 1 get seed
try 4 devices
try 1 device
try 8 doctor
try 0 notes 'a "note" with \ and é'
try 1 notes
try 1 export json
try 1 nonsense
try 1 'bad " quote'
try 1 --device gpu:77 device
try 2 -c 'get seed' -c 'nonsense'
echo "$passed passed, $failed failed"
[ $failed = 0 ]
