# Kinds of exercise, forms of answers, languages and formats of files are rows of a table each. What
# others want to know of one is a fact or an operation of its row, so that a new row is known
# everywhere. This test counts who names a row, or asks which one it has.
. tests/cases.sh
kinds='\bKIND_[a-z]+\b|\bFORM_[a-z]+\b|kind *[=!]= *&?exercise_kinds|form *[=!]= *&?exercise_forms'
kinds="$kinds|\\bKIND_[A-Z]+\\b|strcmp\\([^;]*\\bkind->name"
languages='\bLANGUAGE_ZH\b|"[^"]*\bzh\b[^"]*"'
formats='\b(kind|format) *[=!]= *[0-9][^;]*(view|writer|doc)|->write *[=!]= *film_write|writers\['
found() # pattern, files that may; comments may
{
    grep -rnE --include='*.[ch]' "$1" repl | grep -vE "^($2):|^[^:]*:[0-9]*:( \*|/\*)"
}
none "names a kind of exercise, or a form" "$(found "$kinds" 'repl/course/exercise_kinds\.[ch]')"
none "names a language" "$(found "$languages" 'none')"
none "asks for a format" "$(found "$formats" 'none')"
# What warps wait for, each reason: `why` has it in a part of the time, and can lift its limit.
for stall in $(sed -n 's/^STALL(\([A-Z_]*\),.*/\1/p' sim/stalls.def); do
    for file in repl/view/why.c repl/run/bottleneck.c; do
        grep -q "\bBIT($stall)" $file; ok $? "$file does not know the stall $stall"
    done
done
# That finds what it is there for.
finds() # pattern, line
{
    echo "$2" | grep -qE "$1"; ok $? "is not found: $2"
}
finds "$kinds" 'if (x->kind == KIND_PROGRAM) return;'
finds "$kinds" 'k->x->kind == &exercise_kinds[KIND_program]'
finds "$kinds" 'if (!strcmp(x->kind->name, "bug"))'
finds "$languages" 'language_now() == LANGUAGE_ZH'
finds "$languages" 'file_text("lessons/glossary.zh.txt")'
finds "$formats" 'if (kind == 3) status = view_history(&d, &records);'
finds "$formats" 'kind->write == film_write_lines'
finish
