/* words.c: how a line becomes words: quotes, escapes, comments, and mistakes; the order of names
 * with numbers. */
#include "shell/words.c"
#include "check.h"

int app_lost;

#include <stdio.h>

/* `expected` is the words joined by |, or "!" and the message. */
static void split(const char *line, const char *expected)
{
    struct words w = {0};
    char got[256] = "";
    const char *wrong = words_split(&w, line);
    if (wrong) snprintf(got, sizeof got, "!%s", wrong);
    for (int i = 0; i < w.count && !wrong; i++) {
        size_t n = strlen(got);
        snprintf(got + n, sizeof got - n, "%s%s", i ? "|" : "", w.v[i]);
    }
    same(line, got, expected);
    words_free(&w);
}

int main(void)
{
    split("", "");
    split("   \t ", "");
    split("run 1.v3", "run|1.v3");
    split("  run\t1.v3  ", "run|1.v3");
    split("run\r\n", "run");
    split("a 'b c' d", "a|b c|d");
    split("a \"b c\" d", "a|b c|d");
    split("a''b", "ab");
    split("''", "");
    split("a '' b", "a||b");
    split("\"a\\\"b\\\\c\\n\"", "a\"b\\c\\n");
    split("'a\\'", "a\\");
    split("a\\ b c", "a b|c");
    split("\\#a #b", "#a");
    split("# all", "");
    split("a#b", "a#b");
    split("a '#b' # c", "a|#b");
    split("a 'b", "!a ' is not closed");
    split("a \"b", "!a \" is not closed");
    split("a \"b\\", "!a \" is not closed");
    split("a \\", "!nothing follows the backslash at the end");
    split("\xc3\xa9t\xc3\xa9 x", "\xc3\xa9t\xc3\xa9|x");

    struct words w = {0};
    const char *names[] = {"v10", "v2", "v2-512", "v007", "a", "v2-64", ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) words_add(&w, names[i]);
    words_sort(&w);
    char got[128] = "";
    for (int i = 0; i < w.count; i++) strcat(strcat(got, w.v[i]), " ");
    same("sorted", got, " a v2 v2-64 v2-512 v007 v10 ");
    words_remove(&w, 1);
    words_remove(&w, 99);
    check(!*w.v[0] && !strcmp(w.v[1], "v2") && w.count == 6 && !w.v[6], "remove");
    words_free(&w);
    return check_end();
}
