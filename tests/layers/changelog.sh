# An entry of CHANGELOG.md says what a user can do now, in at most 25 words.
long=$(awk 'function end() { if (words > 25) print words " words: " entry; words = 0 }
    /^- / { end(); entry = $0; words = NF - 1; next }
    /^  [^ ]/ { words += NF; next }
    { end() }
    END { end() }' CHANGELOG.md)
if [ -z "$long" ]; then
    echo "1 passed, 0 failed"
else
    echo "$long" | sed 's/^/FAIL /'
    echo "0 passed, $(echo "$long" | wc -l) failed"
    exit 1
fi
