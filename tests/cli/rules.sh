# Each rule of the timing model can be left out (WARPSTEP_LEAVE_OUT, sim/rules.def). Results stay
# the same, and a name that is not a rule is refused.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
check() { # WHAT COMMAND...
    what=$1
    shift
    if "$@"; then pass; else fail "$what"; fi
}
rules=$(sed -n 's/^RULE(\([a-z0-9_]*\),.*/\1/p' sim/rules.def)
record() { "$WARPSTEP" --device sim:h200 --json run 2.tiled n=64 | sed -n '/"event":"run"/p'; }
cycles() { sed -n 's/.*"cycles":\([0-9]*\).*/\1/p' "$1"; }
answer() { sed -n 's/.*"correct":\([a-z]*\).*/\1/p' "$1"; }
record >"$TMPDIR/all"
check "with all rules it is right" [ "$(answer "$TMPDIR/all")" = true ]
moved=0
for rule in $rules; do
    WARPSTEP_LEAVE_OUT=$rule record >"$TMPDIR/$rule"
    check "without $rule it is right" [ "$(answer "$TMPDIR/$rule")" = true ]
    [ "$(cycles "$TMPDIR/$rule")" = "$(cycles "$TMPDIR/all")" ] || moved=$((moved + 1))
done
check "some of them move the cycles of a tiled product: $moved" [ $moved -ge 3 ]
check "without any of them it is right" [ "$(WARPSTEP_LEAVE_OUT=$(echo $rules | tr ' ' ,) record | sed -n 's/.*"correct":\([a-z]*\).*/\1/p')" = true ]
WARPSTEP_LEAVE_OUT=order,nonsense "$WARPSTEP" --device sim:h200 run 2.tiled n=64 >"$TMPDIR/out" 2>&1
check "a name that is no rule is refused" grep -q 'no rule "nonsense"' "$TMPDIR/out"
finish
