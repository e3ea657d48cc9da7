# --json: standard output holds one valid object per line, with the promised keys, and nothing else.
# Python's parser reads it, not ours.
. "$(dirname "$0")/kernels/lib.sh"
command -v python3 >/dev/null || skip_all "json: no python3 to judge it"

# judge ARGS... <<program: runs a Python program over the list of objects, called `events`
judge() {
    "$WARPSTEP" --json try "$@" >"$TMPDIR/out" 2>"$TMPDIR/err"
    got=$?
    { echo 'import json, sys'; echo "status = $got"; echo 'events = [json.loads(l) for l in open(sys.argv[1])]'; cat; } >"$TMPDIR/judge.py"
    python3 "$TMPDIR/judge.py" "$TMPDIR/out" 2>"$TMPDIR/why"
    ok $? "try --json $*: $(tail -n 3 "$TMPDIR/why")"
}
saxpy="saxpy.ptx:saxpy --grid 4 --block 256 --arg i32:1000 --arg f32:2 --arg f32[1000]:iota"
judge $saxpy --arg 'f32[1000]:ones' --dump '1[0:4]' --lines --device sim:8800gt,sim:h200 <<'END'
assert status == 0 and len(events) == 2, (status, len(events))
for e, device in zip(events, ("sim:8800gt", "sim:h200")):
    assert e["schema"] == "warpstep/1" and e["event"] == "try" and e["kernel"] == "saxpy" and e["device"] == device
    assert e["simulated"] is True and e["verdict"] == "ok" and e["faults"] == [] and e["output"] == ""
    assert e["grid"] == [4, 1, 1] and e["block"] == [256, 1, 1]
    if device == "sim:8800gt": # its clock is 1.5 GHz
        assert e["cycles"] > 0 and abs(e["ms"]["median"] - e["cycles"] / 1.5e6) < 1e-9 and e["ms"]["samples"] == 1
    else:
        assert e["cycles"] is None or e["cycles"] > 0 and e["ms"]["median"] > 0
    assert e["dumps"] == [{"buffer": 1, "type": "f32", "from": 0, "values": [1, 3, 5, 7]}]
    c = e["counters"]
    # 32 warps; all but the last 24 threads pass the guard: 31 full warps and one with 8 lanes
    assert c["warps"] == 32 and c["blocks"] == 4 and c["branches"] == 32 and c["divergent_branches"] == 1
    assert c["fma_operations"] == 1000 and c["global_load_bytes"] == 8000 and c["global_store_bytes"] == 4000
    assert c["global_load_requests"] == 64 and c["global_store_sectors"] == 125
    lines = {(l["file"], l["line"]): l["counters"] for l in e["lines"]}
    assert lines["saxpy.cu", 6]["fma_operations"] == 1000, lines.keys()
    assert sum(l["warp_instructions"] for l in lines.values()) == c["warp_instructions"]
    # The stall times by cause are the sums over the lines. Without a barrier, no warp waits at one.
    for cause, clocks in e["stalls"].items():
        assert sum(l["stalls"][cause] for l in e["lines"]) == clocks, cause
    assert e["stalls"]["issue"] > 0 and e["stalls"]["memory"] > 0 and e["stalls"]["barrier"] == 0
END
judge $saxpy --arg 'f32[990]:ones' <<'END'
assert status == 1 and len(events) == 1
e = events[0]
f = e["faults"][0]
assert e["verdict"] == "fault" and f["kind"] == "out-of-bounds" and f["file"].endswith("saxpy.cu") and f["line"] == 6
assert f["block"] == [3, 0, 0] and f["thread"] == [222, 0, 0] and f["size"] == 4 and f["note"] is False and f["advice"]
END
judge saxpy.ptx:packed --grid 1 --block 1 --arg f32:inf,nan,-inf,1 --arg 'f32[4]' --dump 0 <<'END'
assert events[0]["dumps"][0]["values"] == [1, "-inf", "nan", "inf"], events[0]["dumps"]
END
judge saxpy.ptx:nosuch --grid 1 --block 1 <<'END'
assert status == 2 and [e["event"] for e in events] == ["error"] and "nosuch" in events[0]["message"]
END
judge saxpy.ptx:spin --grid 1 --block 32 --arg 'u32[1]:zero' --limit 1 <<'END'
assert status == 124 and events[0]["verdict"] == "stopped" and events[0]["status"] == 124
END
judge nothere.cu --grid 1 --block 1 <<'END'
assert status == 2 and events[0]["event"] == "error" and events[0]["status"] == 2
END
# A name that is not UTF-8 still gives valid JSON.
cp saxpy.ptx "$TMPDIR/$(printf 'n\377\303\251.ptx')"
judge "$TMPDIR/$(printf 'n\377\303\251.ptx'):packed" --grid 1 --block 1 --arg f32:1,2,3,4 --arg 'f32[4]' <<'END'
assert status == 0 and "\ufffd\u00e9" in events[0]["file"], events[0]["file"]
END
# A run of a lesson's step has the key of `try`, and says more: there is something to be right about.
verdict() { "$WARPSTEP" --json run "$@" 2>/dev/null | sed -n 's/.*"event":"run".*"verdict":"\([a-z]*\)".*/\1/p'; }
[ "$(verdict 1.v1 n=64)" = ok ]; ok $? "a right step: $(verdict 1.v1 n=64)"
[ "$(verdict 1.no-guard)" = fault ]; ok $? "a step that writes past the end: $(verdict 1.no-guard)"
finish
