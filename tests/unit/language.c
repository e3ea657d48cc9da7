/* language.c: a second language: which one is spoken, the catalogue of the program's own words,
 * where lines of Han text end, and when a lesson's translation is used. Every expected value is
 * written by hand. */
#include "course/glossary.h"
#include "course/translation.h"
#include "shell/format.h"
#include "shell/language.h"
#include "check.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- which language ---- */

static void locales(void)
{
    static const struct {
        const char *all, *messages, *lang;
        enum app_language want;
    } cases[] = {
        {"", "", "", LANGUAGE_EN},
        {"", "", "zh_CN.UTF-8", LANGUAGE_ZH},
        {"", "", "zh_TW.utf8", LANGUAGE_ZH},
        {"", "", "zh.UTF-8", LANGUAGE_ZH},
        {"", "", "zh_CN.GBK", LANGUAGE_EN}, /* it could not show it */
        {"", "", "zh_CN", LANGUAGE_EN},
        {"", "", "zha_CN.UTF-8", LANGUAGE_EN}, /* Zhuang */
        {"", "en_US.UTF-8", "zh_CN.UTF-8", LANGUAGE_EN},
        {"", "zh_CN.UTF-8", "en_US.UTF-8", LANGUAGE_ZH},
        {"C.UTF-8", "zh_CN.UTF-8", "zh_CN.UTF-8", LANGUAGE_EN},
        {"zh_CN.UTF-8", "C", "C", LANGUAGE_ZH},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("LC_ALL", cases[i].all, 1);
        setenv("LC_MESSAGES", cases[i].messages, 1);
        setenv("LANG", cases[i].lang, 1);
        char what[60];
        snprintf(what, sizeof what, "locale %zu", i);
        check(language_of_locale() == cases[i].want, what);
    }
    struct app app = {0};
    language_take(&app);
    check(language_now() == LANGUAGE_ZH && !strcmp(language_part(), "zh"), "the locale's, when nothing was chosen");
    app.json = true;
    language_take(&app);
    check(language_now() == LANGUAGE_EN && !language_part(), "JSON is English");
    app.json = false;
    app.language = LANGUAGE_EN;
    language_take(&app);
    check(language_now() == LANGUAGE_EN, "what was chosen comes first");
}

/* ---- the catalogue ---- */

static void formats(void)
{
    static const struct {
        const char *english, *other;
        bool fits;
    } cases[] = {
        {"no words", "\xe6\x97\xa0", true},
        {"%s has %d", "%s: %d", true},
        {"%s has %d", "%d: %s", false},
        {"%s has %d", "%2$d: %1$s", true},
        {"%s has %d", "%1$d: %2$s", false},
        {"%s has %d", "%2$d: %s", false}, /* numbered and not */
        {"%s has %d", "%1$s: %1$s", false},
        {"%s has %d", "%s", false},
        {"%s", "%s %s", false},
        {"%s", "nothing", false},
        {"nothing", "%s", false},
        {"nothing", "100 %", true},
        {"100 %% of %s", "%s 100 %%", true},
        {"%zu", "%u", false},
        {"%.3g", "%g", true},
        {"%.*s of %d", "%.*s / %d", true},
        {"%.*s of %d", "%3$d / %2$.*s", false}, /* the star's argument has no number */
        {"%s", "%n", false},
        {"%s", "%9$s", false},
        {"%llu", "%llu!", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char what[120];
        snprintf(what, sizeof what, "\"%s\" for \"%s\"", cases[i].other, cases[i].english);
        check(language_fits(cases[i].english, cases[i].other) == cases[i].fits, what);
    }
}

/* Every character is of ASCII or two columns wide: others differ from terminal to terminal. */
static bool sure_width(const char *text)
{
    for (size_t used; *text; text += used) {
        char one[8] = "";
        uint32_t point;
        if (!(used = utf8_decode(text, strlen(text), &point))) return false;
        memcpy(one, text, used);
        if (point >= 0x80 && utf8_width(one) != 2) return false;
    }
    return true;
}

/* A drawn line (one that is not filled) fits 80 columns. */
static bool lines_fit(const char *text)
{
    char line[400];
    for (size_t n; *text; text += n + (text[n] == '\n')) {
        n = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)n, text);
        if ((*line == ' ' || strstr(line, "  ")) && utf8_width(line) > 80) return false;
    }
    return true;
}

static void catalogue(void)
{
    char *english, *other, what[160];
    int count = 0;
    struct app app = {.language = LANGUAGE_ZH};
    language_take(&app);
    for (size_t at = 0; language_entry(LANGUAGE_ZH, &at, &english, &other); count++) {
        snprintf(what, sizeof what, "catalogue: %.60s", english);
        check(*english && *other && language_fits(english, other), what);
        check(sure_width(other), what);
        check(lines_fit(other), what);
        check(strcmp(english, other) != 0, what);
        same(what, TR(english), other); /* and not another entry of the same English text */
        free(english);
        free(other);
    }
    check(count > 100, "the catalogue has entries");
    same("what it lacks", TR("no such words in it"), "no such words in it");
    app.language = LANGUAGE_EN;
    language_take(&app);
    same("English", TR("list the lessons"), "list the lessons");
}

static void glossary(void)
{
    struct app app = {0};
    glossary_term english, chinese;
    for (size_t at = 0, again = 0; app.language = LANGUAGE_EN, language_take(&app), glossary_next(&at, &english);) {
        app.language = LANGUAGE_ZH;
        language_take(&app);
        check(glossary_next(&again, &chinese) && !strcmp(english.name, chinese.name), english.name);
        check(!strcmp(english.see, chinese.see) && !strcmp(english.also, chinese.also), english.name);
        check(strcmp(english.text, chinese.text) != 0, english.name);
        char why[200] = "";
        check(sure_width(chinese.text) && translation_agrees(english.text, chinese.text, why, sizeof why),
              english.name);
        if (*why) printf("    %s\n", why);
    }
    app.language = LANGUAGE_EN;
    language_take(&app);
    check(glossary_find("\xe7\xba\xbf\xe7\xa8\x8b\xe6\x9d\x9f", &english) && !strcmp(english.name, "warp"),
          "a Chinese name finds the word in English too");
}

/* ---- lines ---- */

static void wrapped(const char *what, const char *text, int width, const char *want)
{
    char *got = NULL;
    size_t bytes;
    FILE *f = open_memstream(&got, &bytes);
    if (!f) return;
    print_wrapped(f, text, 0, 0, width);
    fclose(f);
    same(what, got, want);
    free(got);
}

static void lines(void)
{
    check(utf8_width("\xe7\xba\xbf") == 2 && utf8_width("\xef\xbc\x8c") == 2 && utf8_width("\xe3\x80\x8c") == 2,
          "Han and its punctuation are two columns wide");
    check(utf8_width("\xe2\x96\x88") == 1 && utf8_width("\xc3\xa4") == 1, "blocks and Latin letters are one");
    wrapped("no blank is needed between Han characters", "一二三四五六", 6, "一二三\n四五六\n");
    wrapped("an odd width", "一二三四五六", 7, "一二三\n四五六\n");
    wrapped("no line begins with a full stop", "一二三。四", 6, "一二\n三。四\n");
    wrapped("nor ends with an opening bracket", "一二（三）四", 6, "一二\n（三）\n四\n");
    wrapped("nor with a corner bracket", "一二「三」四", 6, "一二\n「三」\n四\n");
    wrapped("an English word stays whole", "一 warp 二三", 6, "一\nwarp\n二三\n");
    wrapped("and parts from Han without a blank", "一warp二三", 6, "一warp\n二三\n");
    wrapped("a comma stays with the word before it", "warp，二三", 4, "warp，\n二三\n");
    wrapped("quoted code", "用 `next` 走", 8, "用\n`next`\n走\n");
    wrapped("English as ever", "the quick brown fox", 10, "the quick\nbrown fox\n");
    wrapped("a colour has no width", "\033[1m一二三\033[0m四", 6, "\033[1m一二三\033[0m\n四\n");
    check(utf8_fold("一二三四", 5) == 6 && utf8_fold("ab cd", 4) == 2 && utf8_fold("abcd", 4) == 4, "folding");
    check(utf8_fold("一二。", 4) == 3 && utf8_fold("abcdef", 4) == 4, "folding where there is no good place");
    const char *a = "一二", *latin = "ab", *stop = "二。";
    check(utf8_joins(a + 6, a, "三"), "two Han lines join");
    check(!utf8_joins(latin + 2, latin, "三") && !utf8_joins(a + 6, a, "ab"), "Han and Latin keep a blank");
    check(utf8_joins(stop + 6, stop, "ab") && !utf8_joins(latin + 2, latin, "cd"), "after a full stop there is none");

    text_table t;
    char *got = NULL;
    size_t bytes;
    FILE *f = open_memstream(&got, &bytes);
    table_init(&t, "lr");
    table_add(&t, "线程束"), table_add(&t, "7");
    table_add(&t, "ab"), table_add(&t, "10");
    if (f) table_print(&t, f, 0, 80), fclose(f);
    same("columns line up", got, "线程束   7\nab      10\n");
    table_free(&t);
    free(got);
}

/* ---- translations ---- */

static void agreement(void)
{
    static const struct {
        const char *english, *other;
        bool agrees;
    } cases[] = {
        {"{n} numbers", "{n} 个数", true},
        {"{n} numbers", "个数", false},
        {"{n} numbers", "{m} 个数", false},
        {"{n} of {n}", "{n}", false},
        {"{a} and {b}", "{b} 和 {a}", true},
        {"640 million cycles", "6.4 亿个周期", true},
        {"640 million cycles", "6.4 万个周期", false},
        {"from 2.6 to 1.95 million", "从 260 万到 195 万", true},
        {"32 lanes", "三十二个通道", false},
        {"lanes", "32 个通道", false},
        {"1,048,576 and v3", "v3 和 1048576", true},
        {"one", "一个", true},
        {"{when simulated}\nA {n}.\n\nB.", "{when simulated}\n甲 {n}。\n\n乙。", true},
        {"{when simulated}\nA.\n\nB.", "甲。\n\n{when simulated}\n乙。", false},
        {"{when simulated}\nA.", "{when !simulated}\n甲。", false},
        {"A {n}.\n\nB.", "甲。\n\n乙 {n}。", false},
        {"A.\n\nB.", "甲。", false},
    };
    char why[200];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(translation_agrees(cases[i].english, cases[i].other, why, sizeof why) == cases[i].agrees,
              cases[i].english);
}

static const char english_file[] = "title: Scaling\n"
                                   "setting: n = 8 from 1 to 9, numbers\n"
                                   "step: one\n"
                                   "title: One\n"
                                   "idea: First.\n"
                                   "commands: doctor\n"
                                   "predict: What of {n}?\n"
                                   "    choice: more when n > 1\n"
                                   "    choice: less when n <= 1\n"
                                   "    because: It is {n}.\n"
                                   "text:\n"
                                   "    A {n}.\n"
                                   "step: two\n"
                                   "title: Two\n"
                                   "idea: Second.\n"
                                   "commands: doctor\n";
static const char chinese_file[] = "# 注释\n"
                                   "title: 缩放\n"
                                   "setting: n, 数的\n"
                                   "    个数\n"
                                   "step: one\n"
                                   "title: 一\n"
                                   "predict: {n} 会\n"
                                   "    怎样？\n"
                                   "    choice: 多\n"
                                   "    choice: 少\n"
                                   "    because: 是 {n}。\n"
                                   "text:\n"
                                   "    甲\n"
                                   "step: three\n"
                                   "title: 三\n"
                                   "step: two\n"
                                   "idea: 第 2。\n"
                                   "kernel: x.cu\n"
                                   "hint: 没有\n"
                                   "title: “二”\n";

static int complaints;
static char complained[4000];
static void count_complaint(void *arg, const char *file, int line, const char *text)
{
    (void)arg, (void)file;
    complaints++;
    snprintf(complained + strlen(complained), sizeof complained - strlen(complained), "%d: %s\n", line, text);
}

static void translations(void)
{
    const char *folder = getenv("TMPDIR");
    char dir[900], path[1000], other[1000];
    snprintf(dir, sizeof dir, "%.800s/lessons", folder ? folder : "/tmp");
    mkdir(dir, 0777);
    snprintf(dir, sizeof dir, "%.800s/lessons/01-scaling", folder ? folder : "/tmp");
    mkdir(dir, 0777);
    snprintf(path, sizeof path, "%s/lesson.txt", dir);
    translation_path(path, LANGUAGE_ZH, other, sizeof other);
    check(strstr(other, "/lesson.zh.txt") != NULL, "its file's name");
    FILE *f = fopen(path, "w"), *g = fopen(other, "w");
    if (!f || !g) {
        check(false, "a lesson can be written");
        return;
    }
    fputs(english_file, f);
    fclose(f);
    fputs(chinese_file, g);
    fclose(g);
    lesson_entry entry = {.number = 1, .folder = "01-scaling"};
    snprintf(entry.path, sizeof entry.path, "%s", path);
    lesson *l;
    lesson_error err;
    struct app app = {.language = LANGUAGE_ZH};
    language_take(&app);
    if (lesson_read(&l, &entry, "/none", &err)) {
        check(false, err.message);
        return;
    }
    const lesson_step *one = &l->step[0], *two = &l->step[1];
    same("a lesson's title", l->title, "缩放");
    same("a setting's, and lines that join", l->setting[0].about, "数的个数");
    same("a step's title", one->title, "一");
    same("what is missing is in English", one->idea.text, "First.");
    same("a question", one->predict[0].question.text, "{n} 会怎样？");
    same("a choice", one->predict[0].choice[1].text, "少");
    same("a reason", one->predict[0].because.text, "是 {n}。");
    same("a text that lost its placeholder is in English", one->text.text, "A {n}.");
    same("so is one with a figure more", two->idea.text, "Second.");
    lesson_speak(l, LANGUAGE_EN);
    same("back to English", one->title, "One");
    int all = 0, texts = 0;
    check(translation_check(l, NULL, path, LANGUAGE_ZH, count_complaint, NULL, &all, &texts), "the file is there");
    check(all == 11 && texts == 8, "texts are counted");
    if (all != 11 || texts != 8) printf("    %d of %d\n", texts, all);
    /* text of one; step three, its title, idea of two, kernel, hint, and the quotes around the title of two */
    check(complaints == 7, "each mistake is reported");
    check(strstr(complained, "12: text does not agree") && strstr(complained, "14: expected a step") &&
              strstr(complained, "18: expected a key that has text") && strstr(complained, "20: expected another char"),
          "with its line");
    if (complaints != 7) printf("%s", complained);
    lesson_free(l);
}

/* Has a pattern the parts that its translation names, and each in one place? */
static bool same_parts(const char *english, const char *other)
{
    for (char n = '1'; n <= '9'; n++) {
        const char part[] = {'{', n, '}', 0}, *first = strstr(english, part);
        if ((first != NULL) != (strstr(other, part) != NULL) || (first && strstr(first + 1, part))) return false;
    }
    return true;
}

static void sentences(void)
{
    static const struct {
        const char *english, *other;
    } rows[] = {
        /* parts in parts: two threads, and an element of a variable */
        {"thread (0,0,0) reads element 7 of shared part (byte 28), which thread (224,0,0) writes at line 12; no "
         "__syncthreads() orders the two",
         "线程 (0,0,0) 读共享内存的 part 的第 7 个元素（字节 28），而线程 (224,0,0) 在第 12 行写它；没有 "
         "__syncthreads() 给两者排定次序"},
        {"write of 4 bytes at 0x1040001fa0 starts just past the end of out (4000 bytes)",
         "在 0x1040001fa0 写 4 字节：正好从 out（4000 字节）的末尾之后开始"},
        {"the kernel executed a trap", "核函数执行了 trap"},
        /* no pattern fits the whole, though its beginning has one */
        {"the kernel executed a trap, twice", "the kernel executed a trap, twice"},
        {"no pattern says this", "no pattern says this"},
        {"", ""},
    };
    char *english, *other, out[400], what[160];
    int count = 0;
    struct app app = {.language = LANGUAGE_ZH};
    language_take(&app);
    for (size_t at = 0; language_pattern(LANGUAGE_ZH, &at, &english, &other); count++) {
        snprintf(what, sizeof what, "pattern: %.60s", english);
        check(same_parts(english, other) && sure_width(other) && !strchr(other, '%'), what);
        free(english);
        free(other);
    }
    check(count > 50, "there are patterns");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        same(rows[i].english, language_said(rows[i].english, out, sizeof out), rows[i].other);
    check(strlen(language_said(rows[0].english, out, 20)) < 20, "a sentence is cut to its room");
    app.language = LANGUAGE_EN;
    language_take(&app);
    same("English stays", language_said(rows[2].english, out, sizeof out), rows[2].english);
}

int main(void)
{
    locales();
    sentences();
    formats();
    catalogue();
    glossary();
    lines();
    agreement();
    translations();
    return check_end();
}
