# Only the writers of a document (shell/document.h) and the terminal write to the program's output. Everybody else opens
# a document and says what there is to say: then a command prints the right thing as text, JSON, HTML and Markdown, and
# what it says is translated. This test counts who writes past the document, and who asks which writer it has.
#
# May write: a document's writers and JSON; the terminal with its readers, pager and screen; app_fail; files that print
# something else than a document as it is: pages of a film, scripts for a shell and a manual page (generate.c), and what
# another compiler printed (nvcc.c).
. tests/cases.sh
may='repl/shell/(document|write_[a-z]*|json|app|terminal|reader_[a-z]*|pager|screen)\.[ch]'
may="$may|repl/film/page[a-z_]*\\.c|repl/commands/(generate|nvcc)\\.c"

# writes FILE...: each statement that prints to the output, a line each
writes() {
    awk 'BEGIN { RS = ";" } { gsub(/[ \t\n]+/, " ") }
        /(f?printf|fputs|f?putc|fwrite|print_(wrapped|safe|code|csv)|table_print)\((.*[^a-z])?(app|d)(->|\.)out[ ,)]/ {
            print FILENAME ":" $0
        }' "$@"
}
files=$(find repl -name '*.c' | grep -vE "^($may)\$" | sort)
[ "$(echo "$files" | wc -l)" -gt 150 ]; ok $? "the files of repl are found"
none "writes past the document" "$(writes $files)"
# That finds what it is there for.
for line in "fputc('\\n', app->out);" 'fprintf(d->out, "%d", n);' 'print_wrapped(v->app->out, text, 0, 2, 80);' \
    'fputs(on ? "x" :
        "y", d->out);' 'table_print(&t, d.out, 2, 80);'; do
    echo "$line" | writes | grep -q .; ok $? "is not found: $line"
done

# Some still ask whether only data is printed, most to leave out work that serves people alone. The figure only falls.
asked=$(grep -rn 'doc_is_data(' repl --include='*.c' | grep -vE "^($may):")
count=$(echo "$asked" | grep -c .)
[ "$count" -le 10 ]
ok $? "$count places ask whether only data is printed; at most 10 may: $asked"
echo "doc_is_data is asked in $count places"
finish
