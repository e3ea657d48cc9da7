# export html: one page shows what was run, loads nothing from outside, and shows hostile names as
# text.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
page=$TMPDIR/page.html
has() { grep -q -e "$1" "$page"; ok $? "the page has $1"; }
hasnt() { ! grep -q -e "$1" "$page"; ok $? "the page has no $1"; }
"$WARPSTEP" export html "$page" >/dev/null; ok $? "an empty journal gives a page too"
has 'Nothing has been run yet'
rm "$page"
"$WARPSTEP" run 1.v2 >/dev/null || exit 1
for step in v2 v3 v4; do "$WARPSTEP" run 1.$step n=64Ki >/dev/null || exit 1; done
"$WARPSTEP" run 1.v3 >/dev/null
"$WARPSTEP" --device sim:h200 run 1.v3 n=64Ki >/dev/null
"$WARPSTEP" notes '<script>alert("x")</script> & so on' >/dev/null
"$WARPSTEP" check 1.3 4352 >/dev/null
"$WARPSTEP" exercise 1.4 >/dev/null
"$WARPSTEP" exercise 1.5 >/dev/null
printf '/* mine </pre></details><script>alert(1)</script><img src=x onerror="alert(2)"> &amp; \033[31m */\n' \
    >"$HOME/.local/share/warpstep/exercises/1.5-leftover.cu"
"$WARPSTEP" exercise 1.6 >/dev/null
rm "$HOME/.local/share/warpstep/exercises/1.6-coalesce.cu"
ln -s /etc/passwd "$HOME/.local/share/warpstep/exercises/1.6-coalesce.cu"
cat >>"$HOME/.local/share/warpstep/progress" <<'EOF'
2026-11-20T10:31:00Z run 1.v1 device="<img src=x>" n="\"><b>" correct=yes cycles=12
2026-11-20T10:31:00Z run 1.<b> device=sim:8800gt n=1 cycles=-1
EOF
"$WARPSTEP" export html "$page" >"$TMPDIR/said"; ok $? "export html"
grep -q '^wrote .*: 7 records$' "$TMPDIR/said"; ok $? "it says how many: $(cat "$TMPDIR/said")"
"$WARPSTEP" export html "$page" 2>/dev/null; [ $? = 2 ]; ok $? "an existing file is left alone"
has '<svg viewBox='
has 'GeForce 8800 GT <span class="dim">simulated, sim:8800gt, n = 65,536</span>'
has 'grey: the article&#39;s, on GeForce 8800 GT'
has 'max="9" value="1"></progress>1 of 9'
has '/\* mine &lt;/pre&gt;&lt;/details&gt;&lt;script&gt;alert(1).*onerror=&quot;alert(2)&quot;&gt; &amp;amp; \[31m \*/'
hasnt '1.4-barrier.cu' # an unchanged starter is not an answer
hasnt 'root:' # nor is a link to another file
has '2,600,000' # cycles of v3 in the article, at the article's size
has '<td class="good">right</td>'
has 'sum += data\[i\] \* data\[i\]'
has '<td class="good">passed</td>'
has '&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; so on'
has '&lt;img src=x&gt;'
hasnt '<script'
hasnt '<img'
hasnt '<b>'
hasnt '=.http\|//\w\|url(\|@import\|<link'
if command -v python3 >/dev/null; then
    python3 - "$page" <<'EOF'
import sys
from html.parser import HTMLParser
import xml.etree.ElementTree as tree
text = open(sys.argv[1], encoding="utf-8").read()
open_tags, charts = [], 0
class Page(HTMLParser):
    def handle_starttag(self, tag, attributes):
        assert len({name for name, _ in attributes}) == len(attributes), self.getpos()
        if tag not in ("meta",): open_tags.append(tag)
    def handle_startendtag(self, tag, attributes): pass
    def handle_endtag(self, tag):
        assert open_tags and open_tags.pop() == tag, (tag, self.getpos())
Page().feed(text)
assert not open_tags, open_tags
while "<svg" in text:
    text = text[text.index("<svg"):]
    svg = tree.fromstring(text[:text.index("</svg>") + 6])
    width, height = [float(x) for x in svg.get("viewBox").split()[2:]]
    bars = [r for r in svg.iter("rect")]
    assert bars
    for r in bars:
        assert float(r.get("width")) > 0 and float(r.get("x")) + float(r.get("width")) <= width - 60, r.attrib
        assert float(r.get("y")) + float(r.get("height")) <= height, r.attrib
    charts += 1
    text = text[6:]
assert charts == 2, charts
EOF
    ok $? "tags are balanced, charts are XML and within their frame"
else
    skip "parsing the page: no python3"
fi
finish
