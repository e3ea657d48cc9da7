# An entry of CHANGELOG.md says what a user can do now, in at most 25 words.
. tests/cases.sh
none "CHANGELOG.md" "$(awk 'function end() { if (words > 25) print words " words: " entry; words = 0 }
    /^- / { end(); entry = $0; words = NF - 1; next }
    /^  [^ ]/ { words += NF; next }
    { end() }
    END { end() }' CHANGELOG.md)"
finish
