# Chinese: what chooses it, that JSON and exit statuses do not change with it, that no screen is
# wider than the terminal with Han characters counted as two columns, and what check-lessons says of
# a translation that has fallen behind.
. tests/cases.sh
tree=$PWD
cd "$TMPDIR" || exit 1

# The heading of the lessons in `help`: 课 or Lessons.
heading() { grep -x -m 1 -e 课 -e Lessons; }
first() { env "$@" "$WARPSTEP" help | heading; }
says() { [ "$(first "$@")" = 课 ]; }
unset LANGUAGE LANG LC_MESSAGES
says LC_ALL=zh_CN.UTF-8; ok $? "LC_ALL chooses Chinese"
says LC_ALL= LC_MESSAGES=zh_CN.UTF-8 LANG=C; ok $? "so does LC_MESSAGES"
says LC_ALL= LANG=zh_CN.UTF-8; ok $? "and LANG"
! says LC_ALL=C.UTF-8 LANG=zh_CN.UTF-8; ok $? "LC_ALL comes first"
! says LC_ALL=zh_CN.GBK; ok $? "not in another character set"
[ "$(LC_ALL=zh_CN.UTF-8 "$WARPSTEP" --lang en help | heading)" = Lessons ]; ok $? "--lang comes before the locale"
[ "$("$WARPSTEP" --lang zh help | heading)" = 课 ]; ok $? "--lang zh"
"$WARPSTEP" -c 'set lang zh' -c help | grep -q -x 课; ok $? "set lang zh"
[ "$("$WARPSTEP" -c 'help --lang zh' -c 'help' | grep -c '^Lessons$')" = 1 ]; ok $? "--lang is for one command"
"$WARPSTEP" --lang fr help >/dev/null 2>&1; [ $? = 2 ]; ok $? "an unknown language"
"$WARPSTEP" --lang zh -c 'lesson 1' -c 'lesson 1 --lang en' -c 'lesson 1' >said
[ "$(grep -c '平方和' said)" = 2 ] && [ "$(grep -c 'Sum of squares' said)" = 1 ]; ok $? "a lesson changes its language"
"$WARPSTEP" --lang zh --lessons "$tree"/tests/lessons lesson 1 | grep -q 'Scaling'; ok $? "what has no translation is in English"

# JSON and statuses.
for command in help 'help warp' lessons 'lesson 1' 'exercise 1.1' 'show mem 1.v3' 'explain 1.v1' 'predict 1.v3' 'get' 'device' 'nonsense'; do
    rm -rf "$HOME/.local"; "$WARPSTEP" --json -c "$command" >english 2>/dev/null; english=$?
    rm -rf "$HOME/.local"; "$WARPSTEP" --lang zh --json -c "$command" 2>/dev/null >chinese; chinese=$?
    sed 's/"value":"zh"/"value":"auto"/' chinese | cmp -s english - && [ $english = $chinese ]; ok $? "JSON of $command"
done

# Widths: a byte sequence of three bytes or more is a wide character here, but for blocks and lines (E2).
narrow() {
    LC_ALL=C awk -v w=80 '{ s = $0; gsub(/[(]?[~\/][^ ]*\/[^ ]*/, "", s); gsub(/\342[\200-\277][\200-\277]/, "x", s)
        gsub(/[\343-\357][\200-\277][\200-\277]/, "xx", s); gsub(/[\302-\337][\200-\277]/, "x", s) }
        length(s) > w { print length(s) ": " $0; bad = 1 } END { exit bad }'
}
export COLUMNS=80
for command in $("$WARPSTEP" help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p'); do
    "$WARPSTEP" --lang zh help "$command" | narrow; ok $? "help $command fits"
done
"$WARPSTEP" --lang zh --json help words | sed -n 's/.*"name":"\([^"]*\)".*/\1/p' >words
while read -r word; do
    "$WARPSTEP" --lang zh help $word >said; narrow <said; ok $? "help $word fits"
done <words
"$WARPSTEP" --lang zh help 合并访问 | grep -q '^coalescing'; ok $? "a word by its Chinese name"
for command in help 'help words' lessons 'lesson 1' 'lesson 2' 'explain 1.v1' 'explain 1.v3' 'run 1.v6' 'why 1.v2' 'show counters 1.v3' \
    'show mem 1.v3' 'predict 1.v2' 'ladder 1' progress exercise 'exercise 1.1' 'hint 1.1' set devices 'look 1.v1' doctor; do
    "$WARPSTEP" --lang zh -c "$command" 2>/dev/null >said; narrow <said; ok $? "$command fits"
done

# A translation that is behind.
mkdir -p own/01-tiny
cp "$tree"/tests/lessons/01-tiny/* own/01-tiny
cat >own/01-tiny/lesson.zh.txt <<'END'
title: 缩放
step: once
title: 启动一次
text:
    {n} 个数，{warps} 个线程束，每个数 {asked_bytes} 字节。
step: twice
title: 没有这一步
END
"$WARPSTEP" --lessons own check-lessons 1 >said 2>&1
grep -q 'lesson.zh.txt:4: text does not agree with the English text of line' said; ok $? "another placeholder is reported"
grep -q 'lesson.zh.txt:6: expected a step of the English file' said; ok $? "so is a step that is not there"
problems() { "$WARPSTEP" "$@" --lessons own check-lessons 1 2>/dev/null | sed -n 's/.* \([0-9]*\) problems*$/\1/p'; }
[ $(($(problems) + 3)) = "$(problems --lang zh)" ]; ok $? "in Chinese that is a problem"
grep -q '^Chinese: 2 of ' said; ok $? "what is translated is counted"
"$WARPSTEP" --lang zh --lessons own lesson 1 | grep -q '启动一次'; ok $? "the rest is used"
"$WARPSTEP" --lang zh --lessons own goto 1.once 2>/dev/null | grep -q 'bytes for each number'; ok $? "and that text is in English"
(cd "$tree" && scripts/words) >words 2>&1 && ! [ -s words ]; ok $? "scripts/words: $(head -n 3 words)"
finish
