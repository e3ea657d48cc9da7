/* debug.c: source places of instructions. .file numbers source files. .loc gives the place of the
 * instructions after it. For inlined code it also gives the place it was inlined at and the
 * function's name, by a label in the section .debug_str. Both .file and .debug_str may come last,
 * so names are filled in at the end. Nothing is kept of other sections. */
#include "constants.h"
#include "debug.h"

typedef struct loc_name {
    int loc;
    uint64_t addend;
    name *label;
} loc_name;

void debug_file(parser *p) /* .file 1 "path" [, time, size] */
{
    lex_next(p);
    uint32_t index = 0;
    token at = p->t;
    bool numbered = at.kind == TK_INT;
    if (numbered) index = parse_u32(p, "a file number");
    if (p->t.kind != TK_STRING) parse_expected(p, "a file name in quotes");
    if (index >= PARSE_MAX_FILES)
        parse_fail(p, SIM_E_REFUSED, at.line, at.column, NULL, "file numbers above %d are not supported",
                   PARSE_MAX_FILES - 1);
    if (numbered) {
        ptx_module *m = p->m;
        if ((int)index >= p->file_capacity) {
            int wanted = p->file_capacity ? p->file_capacity : 8;
            while (wanted <= (int)index) wanted *= 2;
            m->files = arena_grow(p->keep, m->files, (size_t)m->file_count, (size_t)wanted, sizeof *m->files);
            memset(m->files + m->file_count, 0, (size_t)(wanted - m->file_count) * sizeof *m->files);
            p->file_capacity = wanted;
        }
        if ((int)index >= m->file_count) m->file_count = (int)index + 1;
        char *path = arena_string(p->keep, p->t.text, p->t.length), *to = path;
        for (const char *from = path; *from;) {
            uint32_t byte = 0;
            int digits = 0;
            if (*from != '\\') {
                *to++ = *from++;
                continue;
            }
            for (from++; digits < 3 && from[digits] >= '0' && from[digits] <= '7'; digits++)
                byte = byte * 8 + (uint32_t)(from[digits] - '0');
            if (digits == 3 && byte && byte < 256) from += 3; /* a byte, not a letter: \303 */
            else if (*from == '\\' || *from == '"') byte = (unsigned char)*from++;
            else byte = '\\';
            *to++ = (char)byte;
        }
        *to = 0;
        m->files[index] = path;
    }
    lex_next(p);
    while (parse_accept(p, ',')) parse_integer(p, "a time stamp or size");
}

/* ---- .loc ---- */
static uint32_t loc_hash(int file, int line, int column)
{
    uint64_t h = ((uint64_t)(uint32_t)line << 32 | (uint32_t)column) * UINT64_C(0x9E3779B97F4A7C15);
    h = (h ^ h >> 32 ^ (uint64_t)file) * UINT64_C(0xBF58476D1CE4E5B9);
    return (uint32_t)(h >> 32);
}

static int *loc_slot(parser *p, int file, int line, int column)
{
    uint32_t i = loc_hash(file, line, column) & (p->loc_table_size - 1);
    for (; p->loc_table[i]; i = (i + 1) & (p->loc_table_size - 1)) {
        const ptx_loc *l = &p->m->locs[p->loc_table[i] - 1];
        if (l->file == file && l->line == line && l->column == column) break;
    }
    return &p->loc_table[i];
}

static int add_loc(parser *p, int file, int line, int column)
{
    if (p->loc_table_used >= p->loc_table_size / 2) {
        int *old = p->loc_table;
        uint32_t old_size = p->loc_table_size;
        p->loc_table_size = old_size ? old_size * 2 : 256;
        p->loc_table = arena_array(&p->scratch, p->loc_table_size, sizeof *p->loc_table);
        for (uint32_t i = 0; i < old_size; i++) {
            if (!old[i]) continue;
            const ptx_loc *l = &p->m->locs[old[i] - 1];
            *loc_slot(p, l->file, l->line, l->column) = old[i];
        }
    }
    int *slot = loc_slot(p, file, line, column);
    if (!*slot) p->loc_table_used++;
    ptx_loc *l = ARENA_PUSH(p->keep, p->m->locs, p->m->loc_count, p->m->loc_capacity);
    *l = (ptx_loc){.file = file, .line = line, .column = column, .inlined_at = -1};
    *slot = p->m->loc_count;
    if (file > p->highest_file) p->highest_file = file;
    return p->m->loc_count - 1;
}

static void parse_place(parser *p, int place[3])
{
    static const char *const what[3] = {"a file number", "a line", "a column"};
    for (int i = 0; i < 3; i++) {
        token at = p->t;
        uint32_t n = parse_u32(p, what[i]);
        if (n > (i ? (uint32_t)INT32_MAX : PARSE_MAX_FILES - 1))
            parse_wrong(p, &at, "%s of a .loc is too large", what[i]);
        place[i] = (int)n;
    }
}

static bool accept_word(parser *p, const char *word)
{
    if (p->t.kind != TK_NAME || p->t.length != strlen(word) || memcmp(p->t.text, word, p->t.length)) return false;
    lex_next(p);
    return true;
}

void debug_loc(parser *p) /* .loc 1 8 73 [, function_name $L__info1 [+ 4], inlined_at 1 9 73] */
{
    int place[3], outer[3];
    loc_name wanted = {0};
    bool inlined = false;
    lex_next(p);
    parse_place(p, place);
    while (parse_accept(p, ',')) {
        if (accept_word(p, "function_name")) {
            if (p->t.kind != TK_NAME) parse_expected(p, "the label of a function's name");
            wanted.label = names_intern(p, p->t.text, p->t.length);
            lex_next(p);
            if (parse_accept(p, '+')) wanted.addend = (uint64_t)parse_integer(p, "an offset");
        } else if (accept_word(p, "inlined_at")) {
            parse_place(p, outer);
            inlined = true;
        } else {
            parse_expected(p, "\"function_name\" or \"inlined_at\"");
        }
    }
    int at = -1;
    if (inlined) {
        if (p->loc_table_size) at = *loc_slot(p, outer[0], outer[1], outer[2]) - 1;
        if (at < 0) at = add_loc(p, outer[0], outer[1], outer[2]);
    }
    p->loc = add_loc(p, place[0], place[1], place[2]);
    p->m->locs[p->loc].inlined_at = at;
    if (wanted.label) {
        wanted.loc = p->loc;
        *ARENA_PUSH(&p->scratch, p->loc_names, p->loc_name_count, p->loc_name_capacity) = wanted;
    }
}

/* ---- sections ---- */
static bool is_byte_list(const token *t) { return t->kind == TK_DOT && t->length == 2 && !memcmp(t->text, "b8", 2); }

static void read_strings(parser *p) /* the inside of .debug_str: labels and .b8 lists */
{
    while (p->t.kind != '}' && p->t.kind != TK_END) {
        if (p->t.kind == TK_NAME) {
            name *n = names_intern(p, p->t.text, p->t.length);
            lex_next(p);
            if (p->t.kind == ':') n->debug_at = p->debug_count + 1;
        } else if (is_byte_list(&p->t)) {
            do {
                lex_next(p);
                if (p->t.kind != TK_INT) break;
                *ARENA_PUSH(&p->scratch, p->debug_bytes, p->debug_count, p->debug_capacity) = (char)p->t.value;
                lex_next(p);
            } while (p->t.kind == ',');
        } else {
            lex_next(p);
        }
    }
}

void debug_section(parser *p) /* .section .name { ... } */
{
    token start = p->t;
    lex_next(p);
    if (p->t.kind != TK_DOT && p->t.kind != TK_NAME) parse_expected(p, "the name of a section");
    bool strings = p->t.length == 9 && !memcmp(p->t.text, "debug_str", 9);
    lex_next(p);
    while (p->t.kind == TK_DOT) lex_next(p); /* .section .nv.info */
    if (p->t.kind != '{') parse_expected(p, "\"{\" after the name of a section");
    lex_next(p);
    if (strings) read_strings(p);
    for (int depth = 1; depth;) {
        if (p->t.kind == TK_END) parse_wrong(p, &start, "this section is not closed: expected \"}\"");
        depth += (p->t.kind == '{') - (p->t.kind == '}');
        lex_next(p);
    }
}

void debug_finish(parser *p)
{
    ptx_module *m = p->m;
    for (int i = 0; i < p->loc_name_count; i++) {
        const loc_name *w = &p->loc_names[i];
        if (!w->label->debug_at || w->addend >= p->debug_count) continue;
        uint64_t from = w->label->debug_at - 1 + w->addend;
        if (from >= p->debug_count) continue;
        size_t room = p->debug_count - from, length = 0;
        if (room > 1024) room = 1024;
        while (length < room && p->debug_bytes[from + length]) length++;
        if (length && length < room) m->locs[w->loc].function = names_intern(p, p->debug_bytes + from, length)->text;
    }
    if (m->loc_count && p->highest_file >= m->file_count) { /* files[loc.file] must always exist */
        m->files = arena_grow(p->keep, m->files, (size_t)m->file_count, (size_t)p->highest_file + 1, sizeof *m->files);
        memset(m->files + m->file_count, 0, (size_t)(p->highest_file + 1 - m->file_count) * sizeof *m->files);
        m->file_count = p->highest_file + 1;
    }
}
