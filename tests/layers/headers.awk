# headers.awk: where the functions that headers declare are defined. Input: all headers of a tree, then all its sources.
# headers.sh says what is asked of them. -v bar=PERCENT, -v show=files: headers by how many functions lie elsewhere,
# -v show=each: these functions, -v show=lost: those whose definition was not found.
function file_of(path) { sub(/^.*\//, "", path); return path }
function stem(path) { path = file_of(path); sub(/\.[^.]*$/, "", path); return path }
function folder(path) { sub(/\/[^\/]*$/, "", path); return path }
function fail(header, what) { print "FAIL " header ": " what; failed++; bad += !wrong[header]++ }

# A line without comments, strings and characters: these may hold braces.
function code_of(line,   out, c, rest) {
    out = ""
    while (line != "") {
        if (comment) {
            if (!match(line, /\*\//)) return out
            line = substr(line, RSTART + 2)
            comment = 0
        }
        if (!match(line, /["']|\/\*|\/\//)) return out line
        out = out substr(line, 1, RSTART - 1)
        c = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        if (c == "//") return out
        if (c == "/*") { comment = 1; continue }
        rest = c == "\"" ? "^([^\"\\\\]|\\\\.)*\"" : "^([^'\\\\]|\\\\.)*'"
        if (!match(line, rest)) return out
        line = substr(line, RSTART + RLENGTH)
        out = out "0"
    }
    return out
}

# The end of a file: was its guard named after it?
function close_file(   want) {
    if (!head) return
    want = toupper(stem(file))
    gsub(/[^A-Z0-9]/, "_", want)
    if (guard != "" && guard !~ "(^|_)" want "_H$") fail(file, "its guard " guard " has another name")
}

# A comment that begins with a file's name heads a section: "/* ---- name.c ----" up to the next "/* ----",
# "/* name.c */" up to an empty line, "/* name.c: ..." up to the next comment too. It may name several.
function heading(line) {
    if (line == "") section = part
    if (line ~ /^\/\*/ && says_more) section = part
    if (line !~ /^\/\* (---- )?[a-z_0-9]+\.c[ :.,]/) {
        if (line ~ /^\/\* ----/) section = part = ""
        return
    }
    section = line
    sub(/^\/\* (---- )?/, "", section)
    sub(/( ----|:|\. | \*\/).*/, "", section)
    says_more = line !~ /( ----.*|\.c) \*\//
    if (line ~ /----/) part = section
}

FNR == 1 {
    close_file()
    file = FILENAME
    headers += head = file ~ /\.h$/
    text = section = part = guard = ""
    depth = comment = continued = 0
}
head && !guard && /^#ifndef / { guard = $2 }
!comment && !depth { heading($0) }
{
    if (!comment && ($0 ~ /^[ \t]*#/ || continued)) { # a directive, which may have a comment of several lines
        if ($1 == "#include" && !(($2, file) in included)) {
            included[$2, file] = 1
            users[stem($2)]++
        }
        continued = $0 ~ /\\$/
        code_of($0)
        next
    }
    line = code_of($0)
    while (match(line, /SIM_NAME\([a-z_0-9]+\)/)) # what is compiled per instruction set: the name itself
        line = substr(line, 1, RSTART - 1) substr(line, RSTART + 9, RLENGTH - 10) substr(line, RSTART + RLENGTH)
    was = depth
    depth += (opened = gsub(/\{/, "{", line)) - gsub(/\}/, "}", line)
    if (was > 0) { if (!depth) text = ""; next }
    text = text " " line
    if (!opened && line !~ /;[ \t]*$/) next
    sub(/\{.*/, "", text)
    gsub(/[A-Z][A-Z_0-9]*\([^()]*\)/, "", text) # attributes, rows of tables
    if (text !~ /typedef|^[ \t]*extern[^(]*;/ && match(text, /[A-Za-z_][A-Za-z_0-9]*\(/)) {
        name = substr(text, RSTART, RLENGTH - 1)
        before = substr(text, 1, RSTART - 1)
        fixed = before ~ /(^|[^A-Za-z_0-9])static([^A-Za-z_0-9]|$)/
        if (before ~ /[A-Za-z]/ && before !~ /=/) {
            if (head && !fixed && !opened && !(name in declared)) {
                declared[name] = file
                under[name] = match($0, /; *\/\* [a-z_0-9]+\.c/) ? substr($0, RSTART + 1, RLENGTH - 1) : section
                sub(/^ *\/\* /, "", under[name])
                order[++n] = name
            }
            if (head && fixed && opened && before !~ /inline/) bodies[file] = bodies[file] " " name
            if (!head && !fixed && opened) home[name] = file
        }
    }
    text = ""
}

END {
    close_file()
    for (i = 1; i <= n; i++) {
        name = order[i]
        h = declared[name]
        if (!(name in home)) { if (show == "lost") print name, h; continue }
        c = home[name]
        all++
        total[h]++
        if (stem(c) == stem(h)) { same++; right[h]++ }
        else if (stem(h) == file_of(folder(h)) && index(c, folder(h) "/") == 1) { room++; right[h]++ }
        else if (show == "each") print h, name, c
        if (!((h, c) in seen)) { seen[h, c] = 1; places[h]++ }
        if (under[name] != "" && (", " under[name] ",") !~ (" " file_of(c) ","))
            fail(h, name " stands under " under[name] ", it is in " c)
    }
    for (h in bodies)
        if (users[stem(h)] < 2) fail(h, "one file includes it, so it is a part of that file, not a header:" bodies[h])
    if (show == "files") {
        for (h in total)
            if (total[h] > right[h])
                printf "%d of %d elsewhere: %s, in %d\n", total[h] - right[h], total[h], h, places[h] | "sort -rn"
        close("sort -rn")
    }
    share = 100 * (same + room) / all
    printf "%d functions declared: %.0f %% in the file of the header's name, ", all, 100 * same / all
    printf "%.1f %% there or in the room whose interface it is\n", share
    if (share < bar) fail("all headers", sprintf("less than %d %%", bar))
    printf "%d passed, %d failed\n", headers + 1 - bad, failed
    exit failed > 0
}
