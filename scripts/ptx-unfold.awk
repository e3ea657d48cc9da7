# ptx-unfold.awk: the PTX of answers, from a lesson's file in tests/exercises. It is written by scripts/ptx-fold.
#
#   awk -v folder=FOLDER -f scripts/ptx-unfold.awk FILE    all of them, as FOLDER/EXERCISE/NAME.ptx; the folders exist
#   awk -v want=EXERCISE/NAME -f scripts/ptx-unfold.awk FILE    one, to the output
#
# An answer begins with a line "@ EXERCISE/NAME CKSUM", of its source, and is whole, or has after that "like
# EXERCISE/NAME", an answer above, and then only what is different there:
#   places 8 +1 12 0     what stands there on the source's line 8 to 11 is one line further down, from 12 on as it was
#   20-22: or 20:        these lines, counted from 1, are replaced by those that follow
#   23+:                 those that follow are inserted after line 23
# In the margin is the source's line, where it is another one than before; it becomes a .loc.
function moved(place,   k) {
    if (place == "" || place == 0) return place
    for (k = places; k; k--) if (place >= from[k]) return place + by[k]
    return place
}
# keep UPTO: the base's lines up to this one are here too
function keep(upto) { for (; at < upto; at++) add(text[base, at + 1], moved(place[base, at + 1])) }
function add(line, its) { text[name, ++count] = line; place[name, count] = now = its }
function ended(   out, k, last) {
    last = ""
    if (name == "") return
    if (base != "") keep(lines[base])
    lines[name] = count
    if (want != "" && want != name) return
    out = want != "" ? "/dev/stdout" : folder "/" name ".ptx"
    print "// Unfolded from tests/exercises: do not edit.\n// source: " source " " sum >out
    for (k = 1; k <= count; k++) {
        if (text[name, k] ~ /\.(entry|func)[ \t(]/) last = ""
        if (place[name, k] != "" && place[name, k] != last) printf "\t.loc\t1 %d 0\n", last = place[name, k] >out
        print text[name, k] >out
    }
    print "\t.file\t1 \"" source "\"" >out
    if (want == "") close(out)
}
/^#/ { next }
/^sources / { sources = $2; next }
/^@ / { ended(); name = $2; source = sources "/" name ".cu"; sum = $3; base = $5; at = count = places = 0; now = ""; next }
/^places / { for (k = 2; k < NF; k += 2) { from[++places] = $k; by[places] = $(k + 1) } next }
/^[0-9]+:$/ { keep($0 - 1); at++; next }
/^[0-9]+-[0-9]+:$/ { split($0, range, /[-:]/); keep(range[1] - 1); at = range[2]; next }
/^[0-9]+\+:$/ { keep($0 + 0); next }
/\.(entry|func)[ \t(]/ { now = "" }
/^[0-9]/ { its = $0 + 0; sub(/^[0-9]+/, ""); add($0, its); next }
{ add($0, now) }
END { ended() }
