#!/bin/sh
# articles.sh: lessons/ARTICLES.md names steps (`1.v3`) and exercises (`1.3`). All of them must exist, each
# article must have its table, and each row must name one. What a lesson calls a trap must be in the table: a step
# with "(trap)" in its text is named there.
. tests/cases.sh
table=lessons/ARTICLES.md
steps=$TMPDIR/steps
for lesson in lessons/[0-9]*/lesson.txt; do
    number=$(echo "$lesson" | sed 's|lessons/0*\([0-9]*\)-.*|\1|')
    sed -n "s/^step: *\([^ ]*\).*/$number.\1/p" "$lesson"
    for exercise in "${lesson%/lesson.txt}"/exercises/*/exercise.txt; do
        [ -f "$exercise" ] && echo "$exercise" | sed "s|.*/exercises/\([0-9]*\)-.*|$number.\1|"
    done
done >"$steps"
for lesson in lessons/0[1-8]*/lesson.txt; do
    number=$(echo "$lesson" | sed 's|lessons/0*\([0-9]*\)-.*|\1|')
    awk -v n="$number" '/^step:/ { step = $2 } /\(trap\)/ { print n "." step }' "$lesson"
done | sort -u >"$TMPDIR/traps"

grep -o '`[0-9]*\.[a-z0-9-]*`' $table | tr -d '`' | sort -u >"$TMPDIR/named"
while read -r name; do
    grep -qxF "$name" "$steps"; ok $? "$table names $name, which no lesson has"
done <"$TMPDIR/named"
while read -r name; do
    grep -qxF "$name" "$TMPDIR/named"; ok $? "step $name has a (trap) that $table does not name"
done <"$TMPDIR/traps"
for article in A B C D E; do
    rows=$(awk -v a="## $article. " '/^## / { on = index($0, a) == 1 } on && /^\| / && !/^\| idea/' $table)
    [ "$(echo "$rows" | wc -l)" -ge 5 ]; ok $? "article $article has a table"
    ! echo "$rows" | grep -qv '`[0-9]*\.[a-z0-9-]*`'; ok $? "each row of article $article names a step"
done
finish
