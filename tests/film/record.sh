# step and warps --record: a page holds the same frames as FILE.json, stays small, and shows hostile
# text as text; events for Perfetto are in order; a picture is XML. A file that is there is left alone.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
at=$TMPDIR
step() { "$WARPSTEP" step "$@" >"$at/said" 2>&1; }
has() { grep -q -e "$2" "$1"; ok $? "${1##*/} has $2"; }

# ---- files ----
step 2.tiled --record "$at/tiled.html"; ok $? "a page"
has "$at/said" '^wrote .*tiled.html: 2000 steps; the block has more, --from and --to choose others$'
[ "$(wc -c <"$at/tiled.html")" -lt 2097152 ]; ok $? "2,000 steps of 2.tiled take less than 2 MiB"
step 2.tiled --record "$at/again.html" && cmp -s "$at/tiled.html" "$at/again.html"; ok $? "the same page again"
step 2.tiled --record "$at/tiled.html"; [ $? = 2 ]; ok $? "a file that exists is refused"
has "$at/said" 'exists already; it was not changed'
cmp -s "$at/tiled.html" "$at/again.html"; ok $? "and left as it is"
step 2.tiled --record "$at/none/x.html"; [ $? = 2 ]; ok $? "no such folder"
has "$at/said" 'none/x.html cannot be written: No such file or directory'
step 2.tiled --record "$at/x.gif"; [ $? = 2 ]; ok $? "no such kind"
has "$at/said" 'x.gif: a film is written to a FILE.html, .svg, .json or .trace.json'
step 2.tiled --from 99999999 --record "$at/x.html"; [ $? = 2 ] && [ ! -e "$at/x.html" ]; ok $? "no frame, no file"
(ulimit -f 8; "$WARPSTEP" step 2.tiled --record "$at/full.html" >"$at/said" 2>&1); [ $? = 4 ] && [ ! -e "$at/full.html" ]
ok $? "a file that cannot be written in full is gone again: $(cat "$at/said")"

# ---- hostile text ----
name=$at/'a<b>"&'\''<script>.ptx'
printf '%s\n' '.version 6.3' '.target sm_50' '.address_size 64' '.visible .entry evil(.param .u64 p)' '{' \
    '.reg .b64 %rd<3>;' '.reg .b32 %r<4>;' 'ld.param.u64 %rd1, [p]; // </script><script>alert(1)</script> <!-- "q" @@film@' \
    'mov.u32 %r1, %tid.x; // \u003c \ '"$(printf '\033\001\177')" 'st.global.u32 [%rd1], %r1; // </style> &lt; ]]>' 'ret;' '}' >"$name"
step "$name" --grid 1 --block 32 --arg 'u32[64]:zero' --record "$at/evil.html"; ok $? "a hostile file: $(cat "$at/said")"
[ "$(grep -c '<script' "$at/evil.html")" = 2 ] && [ "$(grep -c '</script' "$at/evil.html")" = 2 ]; ok $? "no script of theirs"
has "$at/evil.html" 'u003c/script>'
! LC_ALL=C grep -q "$(printf '[\001\033\177]')" "$at/evil.html"; ok $? "no control characters"
! grep -q -e '=.http\|//[a-z]*\.[a-z]*/\|url(\|@import\|<link\|<img' "$at/tiled.html"; ok $? "nothing from outside"

# ---- other kinds ----
step 2.tiled --to 2000 --record "$at/tiled.json" && [ "$(wc -l <"$at/tiled.json")" = 2000 ]; ok $? "frames"
step 2.tiled --record "$at/tiled.trace.json"; ok $? "events of a block"
"$WARPSTEP" warps 1.v1 1.v4 --record "$at/two.trace.json" --clock 0:9000 >"$at/said"; ok $? "events of two multiprocessors"
"$WARPSTEP" warps 1.v1 1.v4 --record "$at/two.html" >"$at/said"; ok $? "a page of strips"
"$WARPSTEP" warps 1.v1 1.v4 --record "$at/two.svg" >"$at/said"; ok $? "a picture of strips"
"$WARPSTEP" warps 1.v1 1.v4 --record "$at/two.json" >"$at/said" && [ "$(wc -l <"$at/two.json")" = 2 ]; ok $? "strips"
step 2.tiled --from 400 --find memory --record "$at/tiled.svg"; ok $? "a picture of a step"
"$WARPSTEP" --device sim:h200 step 5.shuffle --record "$at/h200.html" >"$at/said"; ok $? "a page of another card"

# ---- README's picture ----
"$WARPSTEP" step 1.v2 --find scattered --record "$at/step.svg" >/dev/null
[ -z "$UPDATE" ] || cp "$at/step.svg" repl/film/step.svg # look at it
cmp -s "$at/step.svg" repl/film/step.svg; ok $? "repl/film/step.svg is what step 1.v2 --find scattered --record makes"

# ---- what they hold ----
if command -v python3 >/dev/null; then
    python3 tests/film/record.py "$at"; ok $? "what they hold"
else
    skip "what they hold" "no python3"
fi
if command -v node >/dev/null; then
    for step in 2.tiled 1.v3 5.shuffle; do
        step $step --to 450 --text && cp "$at/said" "$at/text"
        [ -e "$at/${step#*.}.html" ] || step $step --record "$at/${step#*.}.html"
        node tests/film/player.js "$at/${step#*.}.html" "$at/text"; ok $? "the script of the page of $step"
    done
else
    skip "the page's script" "no node"
fi

# ---- export html ----
rm "$at/again.html"
[ -e "$at/v3.html" ] || for step in 1.v3 5.shuffle; do step $step --record "$at/${step#*.}.html"; done
echo 'root:x:0' >"$at/passwd"
echo "2026-11-26T10:00:00Z film 1.v1 device=sim:8800gt command=step file=$at/passwd" >>"$HOME/.local/share/warpstep/progress"
"$WARPSTEP" export html "$at/export.html" >/dev/null; ok $? "export html"
[ "$(grep -c '<iframe sandbox="allow-scripts" loading="lazy" title="[^"<]*" src="data:text/html;base64,' "$at/export.html")" = 6 ]
ok $? "it shows the six pages that are there"
has "$at/export.html" 'step 2.tiled, sim:8800gt, [-0-9]*, again.html: the file is gone'
has "$at/export.html" 'passwd: the file is gone, is no film, or is above 4 MiB'
! grep -q 'root:x' "$at/export.html"; ok $? "no other file"
finish
