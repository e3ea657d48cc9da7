# ptx-tidy.awk: the form in which PTX is pinned. A line says something to a reader or to the simulator, or it goes:
# blank lines, the compiler's comments, and a .loc that names the line where the program already is, or that another
# one follows before any instruction. A call is on one line. Comments above .version remain.
function flush_place() { if (place != "" && (file != at_file || line != at_line)) { print place; at_file = file; at_line = line }; place = "" }
/^[ \t]*$/ { next }
/^[ \t]*\/\// { if (!began) print; next }
{ began = 1 }
/^[ \t]*\.loc[ \t]/ { place = $0; file = $2; line = $3; if (/inlined_at/) line = line " " $0; next }
/[ \t]call.*,[ \t]*$/ { call = $0; next } # to the semicolon
call != "" { sub(/^[ \t]+/, " "); call = call $0; if (!/;/) next; $0 = call; call = "" }
/^[ \t]*\.?[a-z.]*[ \t]*\.(entry|func)[ \t(]/ { at_file = at_line = "" }
{ flush_place(); print }
