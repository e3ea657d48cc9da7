# Results of simulated runs are stored for comparisons. The program prints the same with stored
# results, without them, and when their files are damaged.
. tests/cases.sh
export XDG_STATE_HOME="$TMPDIR/state" XDG_DATA_HOME="$TMPDIR/data"
runs=$XDG_STATE_HOME/warpstep/runs
check() { # check WHAT COMMAND...: COMMAND must succeed
    what=$1
    shift
    "$@"
    ok $? "$what"
}
step() { "$WARPSTEP" --device sim:8800gt "$@" 2>&1 | sed 's/the CPU here takes.*//'; }

step run 1.v6 >"$TMPDIR/first"
check "the step and the one before it are kept" [ "$(ls "$runs" | wc -l)" = 2 ]
step run 1.v6 >"$TMPDIR/second"
check "the same with what is kept" cmp -s "$TMPDIR/first" "$TMPDIR/second"
check "nothing new is kept for that" [ "$(ls "$runs" | wc -l)" = 2 ]
for f in "$runs"/*; do head -c 100 "$f" >"$TMPDIR/cut" && cp "$TMPDIR/cut" "$f"; done
said() { grep -c 'was changed since it was written' "$1"; }
step run 1.v6 >"$TMPDIR/damaged"
check "the same when it is cut short" sh -c "sed '/was changed since/d' '$TMPDIR/damaged' | cmp -s '$TMPDIR/first' -"
check "and it is said once" [ "$(said "$TMPDIR/damaged")" = 1 ]
step run 1.v6 >"$TMPDIR/mended"
check "it is written anew" cmp -s "$TMPDIR/first" "$TMPDIR/mended"
# The file still holds numbers, but other ones: only the checksum tells.
for f in "$runs"/*; do sed 's/^\(cycles\|counter[a-z ]*\|total\) .*/\1 1/; s/[1-9]/1/g' "$f" >"$TMPDIR/other" && cp "$TMPDIR/other" "$f"; done
step run 1.v6 >"$TMPDIR/altered"
check "the same when its numbers are altered" sh -c "sed '/was changed since/d' '$TMPDIR/altered' | cmp -s '$TMPDIR/first' -"
check "and that is said once" [ "$(said "$TMPDIR/altered")" = 1 ]
step -c 'set sim.dram_latency 2x' -c 'run 1.v6' >"$TMPDIR/slow"
check "another card has answers of its own" [ "$(ls "$runs" | wc -l)" = 4 ]
check "which are others" sh -c "! cmp -s '$TMPDIR/first' '$TMPDIR/slow'"
rm -rf "$runs" && mkdir -p "$runs" && chmod 500 "$runs"
step run 1.v6 >"$TMPDIR/nowhere"
check "the same where nothing can be kept" cmp -s "$TMPDIR/first" "$TMPDIR/nowhere"
finish
