# ptx-fold.awk: PTX of answers, as a lesson's file in tests/exercises holds it (ptx-unfold.awk says how it is read).
#
#   awk -v tmp=FOLDER -v sources=lessons/LESSON/exercises -f scripts/ptx-fold.awk EXERCISE/NAME.ptx ...
#
# An answer is compared with each one above it that is of the same exercise or has the same name in another one, and
# written as what is different from the nearest, where that is shorter. Registers and labels get the names that they have there. The other PTX computes the same with
# another numbering: the clock and the checks know no numbers. This compares lines with their names left out (diff).

function tokens(line, list,   n) { # the registers and labels of a line
    n = 0
    while (match(line, /%(p|rs|rd|rq|r|fd|f|hh|h)[0-9]+|\$L__BB[0-9]+_[0-9]+/)) {
        list[++n] = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
    }
    return n
}
function kind(token) { # what comes before the number
    sub(/[0-9]+$/, "", token)
    sub(/[0-9]+_$/, "", token)
    return token
}
function bare(line,   out) { # without names' numbers
    if (line ~ /^\t\.reg/) sub(/<[0-9]+>/, "<>", line)
    while (match(line, /%(p|rs|rd|rq|r|fd|f|hh|h)[0-9]+|\$L__BB[0-9]+_[0-9]+/)) {
        out = out substr(line, 1, RSTART - 1) kind(substr(line, RSTART, RLENGTH)) "#"
        line = substr(line, RSTART + RLENGTH)
    }
    return out line
}
function renamed(line, map,   out, token) {
    while (match(line, /%(p|rs|rd|rq|r|fd|f|hh|h)[0-9]+|\$L__BB[0-9]+_[0-9]+/)) {
        token = substr(line, RSTART, RLENGTH)
        out = out substr(line, 1, RSTART - 1) (token in map ? map[token] : token)
        line = substr(line, RSTART + RLENGTH)
    }
    return out line
}

function read_text(path, name,   line, n, now) {
    while ((getline line <path) > 0) {
        if (line ~ /^\/\/ source: /) { split(line, word, " "); sum[name] = word[4]; continue }
        if (line ~ /^\/\/ (Generated|Unfolded)/ || line ~ /^\t\.file/) continue
        if (line ~ /^\t\.loc\t/) { split(line, word, " "); now = word[3] + 0; continue }
        if (line ~ /\.(entry|func)[ \t(]/) now = "" # nowhere yet; line 0 is the compiler's own
        text[name, ++n] = line
        place[name, n] = now
    }
    close(path)
    lines[name] = n
    skeleton(name)
}
function skeleton(name,   k, out) {
    out = name
    sub(/\//, ".", out)
    out = tmp "/" out
    for (k = 1; k <= lines[name]; k++) print bare(text[name, k]) >out
    close(out)
    bare_file[name] = out
}

# align BASE NAME: like[k] is the line of BASE that line k of NAME is like, or 0
function align(base, name,   command, line, part, a, b, at, k) {
    for (k in like) delete like[k]
    at = 1; k = 1
    command = "diff '" bare_file[base] "' '" bare_file[name] "'"
    while ((command | getline line) > 0) {
        if (line !~ /^[0-9]/) continue
        split(line, part, /[acd]/)
        split(part[1] "," part[1], a, ",")
        split(part[2] "," part[2], b, ",")
        if (line ~ /a/) a[1]++
        if (line ~ /d/) b[1]++
        while (at < a[1]) like[k++] = at++
        at = line ~ /a/ ? a[1] : a[2] + 1
        while (k <= (line ~ /d/ ? b[1] - 1 : b[2])) like[k++] = 0
    }
    close(command)
    while (k <= lines[name]) like[k++] = at++
}

# The names there of the registers and labels here, in `map`: those that most lines speak for, each given once. Then the
# rest get the lowest that are free.
function names(base, name,   k, n, i, pair, most, c, both, taken, free, here, there, new_name) {
    for (k in map) delete map[k]
    for (k in votes) delete votes[k]
    pairs = most = 0
    for (k = 1; k <= lines[name]; k++) {
        if (!like[k]) continue
        n = tokens(text[name, k], here)
        tokens(text[base, like[k]], there)
        for (i = 1; i <= n; i++) {
            pair = here[i] " " there[i]
            if (!votes[pair]++) pair_list[++pairs] = pair
            if (votes[pair] > most) most = votes[pair]
        }
    }
    for (c = most; c > 0; c--)
        for (i = 1; i <= pairs; i++) {
            if (votes[pair_list[i]] != c) continue
            split(pair_list[i], both, " ")
            if (both[1] in map || both[2] in taken) continue
            map[both[1]] = both[2]
            taken[both[2]] = 1
        }
    for (k = 1; k <= lines[name]; k++) {
        n = tokens(text[name, k], here)
        for (i = 1; i <= n; i++) {
            if (here[i] in map) continue
            c = kind(here[i])
            do { new_name = c (c ~ /^\$/ ? "0_" : "") (++free[c]) } while (new_name in taken)
            map[here[i]] = new_name
            taken[new_name] = 1
        }
    }
}

# Where the lines there of the source are here: most say so. Steps of it, in `moves`.
function source_lines(base, name,   k, b, n, best, last, top, by) {
    for (k in seen) delete seen[k]
    for (k = 1; k <= lines[name]; k++)
        if (like[k] && place[base, like[k]] && place[name, k]) {
            b = place[base, like[k]]
            n = ++seen[b, place[name, k] - b]
            if (n > best[b]) { best[b] = n; by[b] = place[name, k] - b }
            if (b > top) top = b
        }
    moves = ""
    for (k in goes) delete goes[k]
    for (b = 1; b <= top; b++) {
        if (b in by && by[b] != last) { moves = moves sprintf(" %d %s%d", b, by[b] > 0 ? "+" : "", by[b]); last = by[b] + 0 }
        goes[b] = b + last
    }
    goes_after = last + 0
}
function goes_to(b) { return b == "" || b == 0 ? b : b in goes ? goes[b] : b + goes_after }

# A declaration that has room for all registers here remains as it is there.
function declared(base, name,   k, j, n, i, here, need, word, c) {
    for (k = 1; k <= lines[name]; k++) {
        new[k] = text[name, k] ~ /^\t\.reg/ ? text[name, k] : renamed(text[name, k], map)
        if (text[name, k] !~ /^\t\.reg .*<[0-9]+>;$/) continue
        c = text[name, k]
        sub(/^.*%/, "%", c); sub(/<.*$/, "", c)
        need = 0
        for (j = k + 1; j <= lines[name] && text[name, j] !~ /\.(entry|func)[ \t(]/; j++) {
            n = tokens(text[name, j], here)
            for (i = 1; i <= n; i++) {
                word = map[here[i]]
                if (kind(word) == c && substr(word, length(c) + 1) + 1 > need) need = substr(word, length(c) + 1) + 1
            }
        }
        new[k] = text[name, k]
        sub(/<[0-9]+>/, "<" need ">", new[k])
        if (like[k]) {
            word = text[base, like[k]]
            sub(/^.*</, "", word)
            if (word + 0 >= need) new[k] = text[base, like[k]]
        }
    }
}

# difference BASE NAME: what is different, in `out`; how many lines that are is returned. `new` has the lines as named
# there.
function difference(base, name,   k, at, size, body, begun, now, first, its) {
    align(base, name)
    names(base, name)
    source_lines(base, name)
    declared(base, name)
    out = moves == "" ? "" : "places" moves "\n"
    size = moves != ""
    at = 0 # of the base, done with
    for (k = 1; k <= lines[name] + 1;) {
        now = k > 1 ? place[name, k - 1] : ""
        if (k <= lines[name] && same(base, name, k, at)) { at++; k++; continue }
        body = ""
        first = k
        while (k <= lines[name] && !(like[k] && like[k] > at && same(base, name, k, like[k] - 1))) {
            if (text[name, k] ~ /\.(entry|func)[ \t(]/) now = ""
            its = place[name, k]
            body = body (its != now ? its : "") new[k] "\n"
            now = its
            k++
        }
        begun = k <= lines[name] ? like[k] - 1 : lines[base]
        if (begun == at && body == "") break
        out = out (begun > at + 1 ? (at + 1) "-" begun ":" : begun > at ? begun ":" : at "+:") "\n" body
        size += 1 + k - first
        at = begun
        if (k > lines[name]) break
    }
    return size
}
function same(base, name, k, at) {
    return like[k] == at + 1 && new[k] == text[base, at + 1] && place[name, k] == goes_to(place[base, at + 1])
}

function fold(name,   k, at, size, least, kept, nearest, now) {
    least = lines[name]
    kept = ""
    for (k = 1; k < answers; k++) {
        if (exercise[k] != exercise[answers] && file[k] != file[answers]) continue
        size = difference(answer[k], name)
        if (size >= least) continue
        least = size
        nearest = answer[k]
        kept = out
        for (at = 1; at <= lines[name]; at++) nearest_new[at] = new[at]
    }
    print "@ " name " " sum[name] (nearest != "" ? " like " nearest : "")
    if (nearest != "") {
        printf "%s", kept
        for (at = 1; at <= lines[name]; at++) text[name, at] = nearest_new[at]
        return
    }
    for (k = 1; k <= lines[name]; k++) {
        if (text[name, k] ~ /\.(entry|func)[ \t(]/) now = ""
        print (place[name, k] != now ? place[name, k] : "") text[name, k]
        now = place[name, k]
    }
}
BEGIN {
    print "# PTX of answers to exercises, by scripts/ptx: do not edit. scripts/ptx-unfold.awk says how it is read."
    print "sources " sources
    for (k = 1; k < ARGC; k++) {
        name = ARGV[k]
        sub(/\.ptx$/, "", name)
        n = split(name, part, "/")
        name = part[n - 1] "/" part[n]
        answer[++answers] = name
        exercise[answers] = part[n - 1]
        file[answers] = part[n]
        read_text(ARGV[k], name)
        fold(name)
    }
}
