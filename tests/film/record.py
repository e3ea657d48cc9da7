# record.py FOLDER: what the files of record.sh hold. Frames of a page, unpacked here by what
# repl/film/page_frames.c says of them, must be those of tiled.json.
import base64, hashlib, json, re, struct, sys
import xml.etree.ElementTree as tree
from html.parser import HTMLParser

folder = sys.argv[1]


def page(name):
    text = open(f"{folder}/{name}", encoding="utf-8").read()
    opened = []

    class Page(HTMLParser):
        def handle_starttag(self, tag, attributes):
            if tag not in ("meta", "input"): opened.append(tag)
        def handle_endtag(self, tag):
            assert opened.pop() == tag, (name, tag, self.getpos())
    Page().feed(text)
    assert not opened, (name, opened)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text).group(1)
    for what, start in (("style", "<style>"), ("script", "<script>")):
        body = text.split(start)[1].split(f"</{what}>")[0]
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{what}-src 'sha256-{digest}'" in policy, (name, what)
    assert policy.startswith("default-src 'none'"), policy
    film = text.split('<script type="application/json" id="film">')[1].split("</script>")[0]
    assert "<" not in film, name
    return json.loads(film)


def lanes(text, width):
    kind, rest = text[0], text[1:]
    if kind == "m": return [int(rest, 16) >> l & 1 for l in range(32)]
    if kind in "wd": return list(struct.unpack("<32" + ("Q" if kind == "d" else "I"), base64.b64decode(rest)))
    base, by = (int(x, 16) for x in (rest + (",0" if kind == "u" else "")).split(","))
    return [(base + by * l) % (1 << width) for l in range(32)]


def number(bits, kind, size):
    if size == 4: return bool(bits)
    if kind[0] == "f" and size == 128: return struct.unpack("<f", struct.pack("<I", bits))[0]
    if kind[0] == "f" and size == 256: return struct.unpack("<d", struct.pack("<Q", bits))[0]
    if kind[0] == "u" or size > 128: return bits
    return bits - (1 << 32) if bits >> 31 else bits


film = page("tiled.html")
step = film["step"]
expected = [json.loads(line) for line in open(f"{folder}/tiled.json")]
assert len(step["frames"]) == len(expected) == 2000
clock, owner, waits = 0, {}, {}
states = {"#": "issues", "m": "waits", "b": "barrier", ":": "ready", ".": "ended", "-": ""}
for f, e in zip(step["frames"], expected):
    i, since, warp, insn, mask, text, kinds, reads, writes, access, shared, changed = f
    line, ptx, read_of, write_of = step["insns"][insn]
    clock += since
    assert (i, clock, warp, line, ptx) == (e["i"], e["clock"], e["warp"], e["line"], e["ptx"]), i
    assert f"0x{mask:08x}" == e["mask"] and step["texts"][text] == e["text"], i
    for vectors, operands, key in ((reads, read_of, "reads"), (writes, write_of, "writes")):
        assert len(vectors) == len(e[key]), i
        for v, (name, register, kind, size), x in zip(vectors, operands, e[key]):
            assert (name or register, register) == (x["name"], x["register"]), i
            values = [number(b, kind, size) if mask >> l & 1 else None
                      for l, b in enumerate(lanes(step["vectors"][v], 32 if size <= 128 else 64))]
            assert all(a == b or (isinstance(a, float) and b is None) for a, b in zip(values, x["lanes"])), (i, name)
    if e["access"]:
        a = [x if access[3] >> l & 1 else None for l, x in enumerate(lanes(step["vectors"][access[4]], 64))]
        assert a == e["access"]["addresses"] and access[5] == e["access"].get("passes", e["access"].get("transactions")), i
    else:
        assert access == 0, i
    for k in range(0, len(shared), 3):
        for word in range(shared[k], shared[k] + shared[k + 1]): owner[word] = shared[k + 2]
    mine = {w: warp for w, warp in owner.items() if warp >= 0}
    assert mine == {w: s["warp"] for s in e["shared"] for w in range(s["from"] // 4, s["to"] // 4)}, i
    for k in range(0, len(changed), 2): waits[changed[k]] = step["texts"][changed[k + 1]]
    for w in e["waits"]:
        assert (states[waits[w["warp"]][0]], waits[w["warp"]][1:]) == (w["state"], w["text"]), (i, w)

for name, strips in (("tiled.html", 1), ("two.html", 2), ("evil.html", 1), ("h200.html", 1)):
    film = page(name)
    assert len(film["films"]) == strips
    for f in film["films"]:
        for level in f["levels"]:
            for row in level["rows"] + [level["issued"]]:
                assert sum(int(n or 1) for sign, n in re.findall(r"(\D)(\d*)", row)) == level["columns"], name
evil = json.dumps(page("evil.html")["step"])
assert "</script><script>alert(1)</script> <!-- " in evil and "@@film@" in evil and "</style> &lt; ]]>" in evil

for name, films in (("tiled.trace.json", 1), ("two.trace.json", 2)):
    events = [e for e in json.load(open(f"{folder}/{name}"))["traceEvents"] if e["ph"] != "M"]
    assert {e["pid"] for e in events} == set(range(1, films + 1)) and len(events) <= 200000
    assert all(a["ts"] <= b["ts"] for a, b in zip(events, events[1:])), name
    until = {}
    for e in events:
        track, end = (e["pid"], e["tid"]), e["args"]["clock"] + e["args"]["clocks"]
        assert e["args"]["clock"] >= until.get(track, 0), (name, e)
        assert abs(e["ts"] - e["args"]["clock"] / 1500) < 1e-6, e  # the 8800 GT issues at 1.5 GHz
        until[track] = max(end, until.get(track, 0))
issued = [e for e in json.load(open(f"{folder}/tiled.trace.json"))["traceEvents"] if "step" in e.get("args", {})]
assert sorted(e["args"]["step"] for e in issued) == list(range(1, 2001))

for name in ("tiled.svg", "two.svg"):
    picture = tree.parse(f"{folder}/{name}").getroot()
    assert picture.tag.endswith("svg") and len(list(picture.iter("{http://www.w3.org/2000/svg}text"))) > 25
