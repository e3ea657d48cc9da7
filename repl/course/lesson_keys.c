/* lesson_keys.c: the keys of a step, one function each, and the table that names them. A function
 * reads its value with the cursor, left to right, and reports the first mistake. Names that must be
 * defined above are looked up at once. Checks that need the complete step are in lesson_check.c. */
#include "lesson_load.h"
#include "metric_names.h"
#include "reference.h"
#include <ctype.h>
#include <string.h>

const struct lesson_type_info lesson_types[TYPES] = {
    {"i8", 1, 'i'},  {"u8", 1, 'u'},   {"i16", 2, 'i'},  {"u16", 2, 'u'},  {"i32", 4, 'i'},
    {"u32", 4, 'u'}, {"i64", 8, 'i'},  {"u64", 8, 'u'},  {"f32", 4, 'f'},  {"f64", 8, 'f'},
    {"f16", 2, 'f'}, {"bf16", 2, 'f'}, {"tf32", 4, 'f'}, {"e4m3", 1, 'f'}, {"e5m2", 1, 'f'},
};
const char lesson_type_names[] = "i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 tf32 f32 f64 e4m3 e5m2";

static bool read_title(cursor *c) { return (c->s->step->title = load_rest(c, "the step's title")) != NULL; }
static bool read_idea(cursor *c) { return load_text(c, &c->s->step->idea); }
static bool read_step_text(cursor *c) { return load_text(c, &c->s->step->text); }
static bool read_explain(cursor *c) { return load_text(c, &c->s->step->explain); }

/* A file's name, without folders or unusual characters. */
static const char *file_name(cursor *c, const char *ending, const char *what)
{
    load_blanks(c);
    char *start = c->p;
    while (c->p < c->end && (isalnum((unsigned char)*c->p) || strchr("_-.", *c->p))) c->p++;
    size_t length = (size_t)(c->p - start), tail = strlen(ending);
    if (length <= tail || memcmp(c->p - tail, ending, tail) || *start == '.' || length > 100) {
        load_fail(c, start, "expected %s", what);
        return NULL;
    }
    return start;
}

static bool read_kernel(cursor *c)
{
    lesson_step *s = c->s->step;
    const char *file = file_name(c, ".cu", "the name of a .cu file in the lesson's kernel folder"), *ptx = NULL;
    if (!file) return false;
    char *end = c->p, *ptx_end = NULL;
    if (load_word(c, "as")) {
        if (!(ptx = file_name(c, ".ptx", "the name of its .ptx file"))) return false;
        ptx_end = c->p;
    }
    if (!load_end(c)) return false;
    *end = 0;
    if (ptx_end) *ptx_end = 0;
    s->kernel_file = file;
    s->ptx_file = ptx;
    return true;
}

/* Is it a command that only shows something? A lesson may come from anywhere: it must not change
 * settings, write files or move the student elsewhere. */
static bool only_shows(const char *command)
{
    static const char *const allowed[] = {"doctor", "devices", "lessons", "help", "progress"};
    size_t n = strcspn(command, " ");
    if (!strcmp(command, "show roofline")) return true;
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        if (strlen(allowed[i]) == n && !memcmp(allowed[i], command, n))
            return strchr(command, '-') == NULL; /* no options */
    return false;
}

static bool read_commands(cursor *c)
{
    lesson_step *s = c->s->step;
    s->command_count = 0;
    do {
        load_blanks(c);
        char *start = c->p;
        while (c->p < c->end && *c->p != ';') c->p++;
        char *end = c->p;
        while (end > start && end[-1] == ' ') end--;
        if (end == start) return load_fail(c, start, "expected a command of the REPL");
        if (s->command_count == (int)(sizeof s->commands / sizeof *s->commands))
            return load_fail(c, start, "expected at most %d commands", s->command_count);
        bool more = c->p < c->end;
        c->p += more;
        *end = 0;
        if (!only_shows(start))
            return load_fail(c, start,
                             "expected doctor, devices, lessons, help, progress or show roofline, without options");
        s->commands[s->command_count++] = start;
        if (!more) return true;
    } while (1);
}

static bool read_with(cursor *c)
{
    lesson_step *s = c->s->step;
    char name[LESSON_NAME + 1];
    load_blanks(c);
    char *start = c->p;
    if (!load_name(c, name, "a setting's name", false)) return false;
    int setting = lesson_setting_named(c->s->l, name, strlen(name));
    if (setting < 0) return load_fail(c, start, "expected one of the lesson's settings: there is no %s", name);
    lesson_with with = {.setting = setting, .line = c->line + 1};
    if (!load_char(c, '=')) return load_fail(c, NULL, "expected '=' and a value");
    if (!load_expr(c, &with.value)) return false;
    with.fixed = load_word(c, "fixed");
    if (!load_end(c)) return false;
    for (int i = 0; i < s->with_count; i++)
        if (s->with[i].setting == setting) { /* replaces the value from `like` */
            s->with[i] = with;
            return true;
        }
    lesson_with *w = LOAD_ROOM(c, s->with, s->with_count, LESSON_SETTINGS, "settings");
    if (w) *w = with;
    return w != NULL;
}

static bool read_require(cursor *c)
{
    lesson_step *s = c->s->step;
    lesson_rule *r = LOAD_ROOM(c, s->rule, s->rule_count, 16, "requirements");
    if (!r || !load_expr(c, &r->condition)) return false;
    r->line = c->line + 1;
    if (!load_char(c, ',')) return load_fail(c, NULL, "expected ',' and the requirement in words");
    return (r->message = load_rest(c, "the requirement in words")) != NULL;
}

/* ---- buffers ---- */

/* in ROWS x COLUMNS [of PITCH][, rest zero] */
static bool read_shape(cursor *c, lesson_buffer *b)
{
    if (!load_expr(c, &b->rows)) return false;
    if (!load_word(c, "x")) return load_fail(c, NULL, "expected 'x' and the elements of a row");
    if (!load_expr(c, &b->columns)) return false;
    if (!load_word(c, "of")) b->pitch = b->columns;
    else if (!load_expr(c, &b->pitch)) return false;
    if (load_char(c, ',')) {
        if (!load_word(c, "rest") || !load_word(c, "zero")) return load_fail(c, NULL, "expected 'rest zero'");
        b->rest_zero = true;
    }
    return true;
}

static bool read_buffer(cursor *c)
{
    lesson_step *s = c->s->step;
    lesson_buffer b = {.line = c->line + 1};
    if (!load_name(c, b.name, "the buffer's name", false)) return false;
    char type[LESSON_NAME + 1];
    load_blanks(c);
    char *start = c->p;
    if (!load_name(c, type, "a type (i32, f32 ...)", false)) return false;
    for (b.type = 0; b.type < TYPES && strcmp(lesson_types[b.type].name, type); b.type++) continue;
    if (b.type == TYPES) return load_fail(c, start, "expected a type: %s", lesson_type_names);
    if (!load_char(c, '[')) return load_fail(c, NULL, "expected '[' and the number of elements");
    if (!load_expr(c, &b.length)) return false;
    if (!load_char(c, ']')) return load_fail(c, NULL, "expected ']'");
    b.fill = FILL_NONE; /* as from malloc: a kernel that reads it before writing is wrong */
    if (load_char(c, '=') && !load_fill(c, &b)) return false;
    if (load_word(c, "in") && !read_shape(c, &b)) return false;
    if (!load_end(c)) return false;
    int at = step_buffer_named(s, b.name, strlen(b.name));
    if (at >= 0) { /* replaces the buffer from `like` */
        s->buffer[at] = b;
        return true;
    }
    lesson_buffer *new = LOAD_ROOM(c, s->buffer, s->buffer_count, LESSON_BUFFERS, "buffers");
    if (new) *new = b;
    return new != NULL;
}

/* ---- actions ---- */

static lesson_action *add_action(cursor *c, enum lesson_act kind)
{
    lesson_step *s = c->s->step;
    if (!c->s->own_actions) { /* the first action of its own replaces all those from `like` */
        s->action_count = 0;  /* names keep their indices, for an inherited `right` */
        c->s->own_actions = true;
    }
    /* load_grow cannot know the size of an emptied list's memory: it grows from nothing */
    lesson_action *a = LOAD_ROOM(c, s->action, s->action_count, LESSON_ACTIONS, "launches and loops");
    if (a) {
        a->kind = kind;
        a->line = c->line + 1;
        a->local = a->match = -1;
    }
    return a;
}

static bool add_local(cursor *c, lesson_action *a, const char *at)
{
    lesson_step *s = c->s->step;
    if (lesson_setting_named(c->s->l, a->name, strlen(a->name)) >= 0 ||
        step_buffer_named(s, a->name, strlen(a->name)) >= 0)
        return load_fail(c, at, "expected a name that no setting or buffer has");
    a->local = step_local_named(s, a->name, strlen(a->name));
    if (a->local >= 0) return true;
    if (s->local_count == LESSON_LOCALS) return load_fail(c, at, "expected at most %d names", LESSON_LOCALS);
    a->local = s->local_count++;
    snprintf(s->locals[a->local], sizeof s->locals[0], "%.*s", LESSON_NAME, a->name);
    return true;
}

/* texture(BUFFER, WIDTH[, HEIGHT]), texture4(...) of four floats per texel, or linear(...), after that word */
static bool read_texture(cursor *c, lesson_arg *arg, bool four)
{
    char name[LESSON_NAME + 1];
    if (!load_char(c, '(')) return load_fail(c, NULL, "expected '(' and a buffer of f32");
    load_blanks(c);
    char *start = c->p;
    if (!load_name(c, name, "a buffer's name", false)) return false;
    const lesson_step *s = c->s->step;
    arg->texture = true;
    arg->channels = four ? 4 : 1;
    arg->buffer = step_buffer_named(s, name, strlen(name));
    if (arg->buffer < 0 || s->buffer[arg->buffer].type != TYPE_F32)
        return load_fail(c, start, "expected a buffer of f32 of this step");
    if (!load_char(c, ',')) return load_fail(c, NULL, "expected ',' and the width in texels");
    if (!load_expr(c, &arg->value) || (load_char(c, ',') && !load_expr(c, &arg->height))) return false;
    return load_char(c, ')') || load_fail(c, NULL, "expected ',' and the height, or ')'");
}

/* map(BUFFER, box [ROWS x] COLUMNS[, swizzle BYTES][, promotion BYTES][, tf32]), after that word */
static bool read_map(cursor *c, lesson_arg *arg)
{
    char name[LESSON_NAME + 1];
    const lesson_step *s = c->s->step;
    lesson_map *m = load_keep(c, sizeof *m);
    if (!m) return false;
    memset(m, 0, sizeof *m);
    if (!load_char(c, '(')) return load_fail(c, NULL, "expected '(' and a buffer");
    load_blanks(c);
    char *start = c->p;
    if (!load_name(c, name, "a buffer's name", false)) return false;
    arg->buffer = step_buffer_named(s, name, strlen(name));
    if (arg->buffer < 0) return load_fail(c, start, "expected a buffer of this step: there is no %s", name);
    if (!load_char(c, ',') || !load_word(c, "box"))
        return load_fail(c, NULL, "expected ', box ROWS x COLUMNS': what one copy moves");
    const bool rows = s->buffer[arg->buffer].rows.count > 0;
    if (rows && (!load_expr(c, &m->box[0]) || !load_word(c, "x")))
        return load_fail(c, NULL, "expected box ROWS x COLUMNS: %s is declared in rows and columns", name);
    if (!load_expr(c, &m->box[1])) return false;
    if (!rows && load_word(c, "x"))
        return load_fail(c, start, "expected a buffer in rows: %s is not declared \"in ROWS x COLUMNS\"", name);
    while (load_char(c, ',')) {
        if (s->buffer[arg->buffer].type == TYPE_F32 && !m->tf32 && load_word(c, "tf32")) {
            m->tf32 = true;
            continue;
        }
        expr *e = load_word(c, "swizzle") ? &m->swizzle : load_word(c, "promotion") ? &m->promotion : NULL;
        if (!e || e->count)
            return load_fail(c, NULL, "expected swizzle BYTES or promotion BYTES, or tf32 for a buffer of f32");
        if (!load_expr(c, e)) return false;
    }
    arg->map = m;
    return load_char(c, ')') || load_fail(c, NULL, "expected ',' and swizzle or promotion, or ')'");
}

static bool read_arg(cursor *c, lesson_arg *arg)
{
    const lesson_step *s = c->s->step;
    memset(arg, 0, sizeof *arg);
    arg->buffer = arg->local = -1;
    load_blanks(c);
    char *p = c->p;
    while (p < c->end && (isalnum((unsigned char)*p) || *p == '_')) p++;
    arg->buffer = step_buffer_named(s, c->p, (size_t)(p - c->p));
    if (arg->buffer >= 0) {
        c->p = p;
        return true;
    }
    if (load_word(c, "map(")) return c->p--, read_map(c, arg);
    if (load_word(c, "texture")) return read_texture(c, arg, false);
    if (load_word(c, "texture4")) return read_texture(c, arg, true);
    if (load_word(c, "linear")) return (arg->linear = true) && read_texture(c, arg, false);
    for (char *q = c->p; q < c->end && (isdigit((unsigned char)*q) || strchr("+-.eE", *q)); q++)
        if (*q == '.') {
            arg->is_float = true;
            return load_number(c, &arg->number, "a number");
        }
    char *start = c->p;
    if (!load_expr(c, &arg->value)) return false;
    if (arg->value.count == 1 && isalpha((unsigned char)*start)) {
        char name[LESSON_NAME + 1];
        snprintf(name, sizeof name, "%.*s", (int)(p - start < LESSON_NAME ? p - start : LESSON_NAME), start);
        arg->local = step_local_named(s, name, strlen(name));
    }
    return true;
}

static bool read_args(cursor *c, lesson_arg *arg, int *count)
{
    if (!load_char(c, '(')) return load_fail(c, NULL, "expected '(' and the arguments");
    *count = 0;
    if (load_char(c, ')')) return true;
    do {
        if (*count == LESSON_ARGS) return load_fail(c, NULL, "expected at most %d arguments", LESSON_ARGS);
        if (!read_arg(c, &arg[(*count)++])) return false;
    } while (load_char(c, ','));
    return load_char(c, ')') || load_fail(c, NULL, "expected ',' or ')'");
}

static bool read_size(cursor *c, expr dim[3])
{
    for (int i = 0; i < 3; i++) {
        if (!load_expr(c, &dim[i])) return false;
        if (!load_word(c, "x")) return true;
    }
    return load_fail(c, NULL, "expected at most three sizes");
}

/* A kernel's name. A setting in braces at its end selects an entry: tiled{tile} is tiled16 when
 * tile is 16. */
static bool read_entry(cursor *c, char *out, size_t size)
{
    char name[LESSON_NAME + 1], setting[LESSON_NAME + 1] = "";
    if (!load_name(c, name, "the kernel's name", false)) return false;
    if (c->p < c->end && *c->p == '{') {
        c->p++;
        char *start = c->p;
        if (!load_name(c, setting, "a setting's name", false)) return false;
        if (lesson_setting_named(c->s->l, setting, strlen(setting)) < 0)
            return load_fail(c, start, "expected one of the lesson's settings: there is no %s", setting);
        if (!load_char(c, '}')) return load_fail(c, NULL, "expected '}'");
        snprintf(out, size, "%s{%s}", name, setting);
    } else {
        snprintf(out, size, "%s", name);
    }
    return true;
}

/* program: FILE.cu [VALUE, VALUE ...]: a whole program, and its arguments */
static bool read_program(cursor *c)
{
    lesson_action *a = add_action(c, ACT_PROGRAM);
    if (!a) return false;
    const char *file = file_name(c, ".cu", "the name of a .cu file in the lesson's kernel folder");
    if (!file) return false;
    char *end = c->p;
    load_blanks(c);
    while (c->p < c->end) {
        if (a->args == LESSON_ARGS) return load_fail(c, NULL, "expected at most %d arguments", LESSON_ARGS);
        lesson_arg *arg = &a->arg[a->args++];
        arg->buffer = arg->local = -1;
        if (!load_expr(c, &arg->value)) return false;
        if (!load_char(c, ',')) break;
        load_blanks(c);
        if (c->p == c->end) return load_fail(c, NULL, "expected one more value after ','");
    }
    if (!load_end(c)) return false;
    *end = 0;
    c->s->step->kernel_file = file;
    c->s->step->ptx_file = NULL;
    snprintf(a->name, sizeof a->name, "%.60s", file);
    return true;
}

static bool read_cards(cursor *c) { return load_expr(c, &c->s->step->cards) && load_end(c); }

static bool read_says(cursor *c)
{
    lesson_step *s = c->s->step;
    if (s->says_count == (int)(sizeof s->says / sizeof *s->says))
        return load_fail(c, NULL, "expected at most %d lines", (int)(sizeof s->says / sizeof *s->says));
    return (s->says[s->says_count++] = load_rest(c, "what the program prints")) != NULL;
}

static bool read_launch(cursor *c)
{
    lesson_action *a = add_action(c, ACT_LAUNCH);
    if (!a) return false;
    if (!read_entry(c, a->name, sizeof a->name)) return false;
    if (!load_word(c, "<<<")) return load_fail(c, NULL, "expected <<<blocks, threads>>>");
    if (!read_size(c, a->grid)) return false;
    if (!load_char(c, ','))
        return load_fail(c, NULL, "expected ',' and the threads of a block (sizes in several dimensions: 8 x 8)");
    if (!read_size(c, a->block)) return false;
    if (load_char(c, ',') && !load_expr(c, &a->shared)) return false;
    if (!load_word(c, ">>>"))
        return load_fail(c, NULL, "expected '>>>', or ',' and the bytes of dynamic shared memory");
    return read_args(c, a->arg, &a->args) && load_end(c);
}

static bool read_cluster(cursor *c)
{
    memset(c->s->step->cluster, 0, sizeof c->s->step->cluster);
    return read_size(c, c->s->step->cluster) && load_end(c);
}

static bool read_variable(cursor *c, lesson_action *a)
{
    char name[LESSON_NAME + 1];
    load_blanks(c);
    char *start = c->p;
    if (!load_name(c, name, "a name", false)) return false;
    memcpy(a->name, name, sizeof name);
    if (!add_local(c, a, start)) return false;
    return load_char(c, '=') || load_fail(c, NULL, "expected '='");
}

static bool read_let(cursor *c)
{
    lesson_action *a = add_action(c, ACT_LET);
    return a && read_variable(c, a) && load_expr(c, &a->from) && load_end(c);
}

static bool read_for(cursor *c)
{
    lesson_action *a = add_action(c, ACT_FOR);
    if (!a || !read_variable(c, a) || !load_expr(c, &a->from)) return false;
    if (!load_word(c, "to")) return load_fail(c, NULL, "expected 'to' and the last value");
    if (!load_expr(c, &a->to)) return false;
    if (load_word(c, "step") && !load_expr(c, &a->step)) return false;
    return load_end(c);
}

static bool read_while(cursor *c)
{
    lesson_action *a = add_action(c, ACT_WHILE);
    return a && load_expr(c, &a->from) && load_end(c);
}

static bool read_end(cursor *c)
{
    lesson_step *s = c->s->step;
    lesson_action *a = add_action(c, ACT_END);
    if (!a || !load_end(c)) return false;
    int open = s->action_count - 1;
    for (int depth = 0; --open >= 0;) {
        enum lesson_act kind = s->action[open].kind;
        if (kind == ACT_END) depth++;
        else if ((kind == ACT_FOR || kind == ACT_WHILE) && depth-- == 0) break;
    }
    if (open < 0) return load_fail(c, c->s->lines[c->line].text, "expected a for: or while: above: this ends nothing");
    a->match = open;
    s->action[open].match = s->action_count - 1;
    return true;
}

static bool read_buffer_arg(cursor *c, lesson_action *a)
{
    char name[LESSON_NAME + 1];
    load_blanks(c);
    char *start = c->p;
    if (!load_name(c, name, "a buffer's name", false)) return false;
    lesson_arg *arg = &a->arg[a->args++];
    arg->local = -1;
    arg->buffer = step_buffer_named(c->s->step, name, strlen(name));
    return arg->buffer >= 0 || load_fail(c, start, "expected a buffer of this step: there is no %s", name);
}

static bool read_zero(cursor *c)
{
    lesson_action *a = add_action(c, ACT_ZERO);
    return a && read_buffer_arg(c, a) && load_end(c);
}

static bool read_swap(cursor *c)
{
    lesson_action *a = add_action(c, ACT_SWAP);
    if (!a || !read_buffer_arg(c, a)) return false;
    if (!load_char(c, ',')) return load_fail(c, NULL, "expected ',' and the other buffer");
    if (!read_buffer_arg(c, a) || !load_end(c)) return false;
    const lesson_buffer *b = c->s->step->buffer;
    return b[a->arg[0].buffer].type == b[a->arg[1].buffer].type ||
           load_fail(c, NULL, "expected two buffers of one type");
}

/* ---- the CPU's part ---- */

bool load_operation(cursor *c, int *operation, lesson_arg *arg, int *args)
{
    char name[LESSON_NAME + 1];
    load_blanks(c);
    char *start = c->p;
    if (!load_name(c, name, "a CPU operation", false)) return false;
    for (*operation = 0; cpu_operations[*operation].name; ++*operation)
        if (!strcmp(cpu_operations[*operation].name, name)) break;
    const cpu_operation *op = &cpu_operations[*operation];
    if (!op->name) {
        char known[300] = "";
        for (op = cpu_operations; op->name; op++)
            snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", known[0] ? ", " : "", op->name);
        return load_fail(c, start, "expected a CPU operation: %s", known);
    }
    load_blanks(c);
    start = c->p;
    if (!read_args(c, arg, args)) return false;
    if (*args < op->least || *args > op->most) return load_fail(c, start, "expected %s%s", op->name, op->args);
    for (int i = 0; i < *args; i++)
        if (arg[i].texture || arg[i].map)
            return load_fail(c, start, "expected buffers and numbers: a %s is for kernels",
                             arg[i].map ? "tensor map" : "texture");
    for (int i = 0; i < *args; i++)
        if (arg[i].buffer >= 0) c->s->step->buffer[arg[i].buffer].keeps = true;
    return true;
}

static bool read_finish(cursor *c)
{
    lesson_action *a = add_action(c, ACT_FINISH);
    return a && read_variable(c, a) && load_operation(c, &a->operation, a->arg, &a->args) && load_end(c);
}

static bool read_host(cursor *c)
{
    lesson_action *a = add_action(c, ACT_HOST);
    return a && read_variable(c, a) && load_operation(c, &a->operation, a->arg, &a->args) && load_end(c);
}

static bool read_clock(cursor *c)
{
    lesson_step *s = c->s->step;
    char name[LESSON_NAME + 1];
    load_blanks(c);
    char *start = c->p;
    if (!load_name(c, name, "a buffer's name", false)) return false;
    s->clock = step_buffer_named(s, name, strlen(name));
    if (s->clock < 0) return load_fail(c, start, "expected a buffer of this step: there is no %s", name);
    return load_end(c);
}

const char *const lesson_expected[] = {"right", "wrong", "a race", "a read of what nobody wrote", "a fault"};

static bool read_expect(cursor *c)
{
    static const char *const names[] = {"ok", "wrong", "race", "uninitialised", "fault"};
    for (int i = 0; i < 5; i++)
        if (load_word(c, names[i])) {
            c->s->step->expect = (enum lesson_expect)i;
            return load_end(c);
        }
    return load_fail(c, NULL, "expected ok, wrong, race, uninitialised or fault");
}

static bool read_bytes(cursor *c) { return load_expr(c, &c->s->step->bytes) && load_end(c); }
static bool read_each(cursor *c) { return load_expr(c, &c->s->step->each) && load_end(c); }
static bool read_operations(cursor *c) { return load_expr(c, &c->s->step->operations) && load_end(c); }
static bool read_aside(cursor *c) { return (c->s->step->aside = true) && load_end(c); }

static bool read_rows(cursor *c)
{
    lesson_step *s = c->s->step;
    for (bool more = true; more;) {
        char name[LESSON_NAME + 1];
        load_blanks(c);
        char *start = c->p;
        if (s->row_count == (int)(sizeof s->row / sizeof *s->row))
            return load_fail(c, start, "expected at most %d metrics", s->row_count);
        if (!load_name(c, name, "a metric", false)) return false;
        if (metric_named(name, strlen(name)) < 0)
            return load_fail(c, start, "expected a metric (cycles, bandwidth ...): there is no %s", name);
        s->row[s->row_count++] = start;
        more = load_char(c, ',');
        start[strlen(name)] = 0;
    }
    return load_end(c);
}

static bool read_exercise(cursor *c)
{
    double number;
    load_blanks(c);
    char *start = c->p;
    if (!load_number(c, &number, "the number of an exercise of this lesson")) return false;
    if (number < 1 || number > 999 || number != (int)number)
        return load_fail(c, start, "expected the number of an exercise of this lesson");
    c->s->step->exercise = (int)number;
    return load_end(c);
}

static bool read_compare(cursor *c)
{
    char name[LESSON_NAME + 1];
    load_blanks(c);
    char *start = c->p;
    if (!load_name(c, name, "an earlier step", true)) return false;
    if (!strcmp(name, "none")) return (c->s->step->after = "") && load_end(c);
    const lesson_step *other = lesson_step_named(c->s->l, name, strlen(name));
    if (!other || other == c->s->step)
        return load_fail(c, start, "expected an earlier step: there is none called %s", name);
    if (!load_end(c)) return false;
    start[strlen(name)] = 0;
    c->s->step->after = start;
    return true;
}

static bool read_on(cursor *c)
{
    char name[LESSON_NAME + 1];
    load_blanks(c);
    char *start = c->p;
    if (!load_name(c, name, "a card's name (8800gt, h200 ...)", true) || !load_end(c)) return false;
    start[strlen(name)] = 0;
    c->s->step->card = start;
    return true;
}

const lesson_key lesson_step_keys[] = {
    {"title", KEY_STEP, false, false, read_title, "the step's title"},
    {"idea", KEY_STEP, false, true, read_idea, "the idea, in a sentence or two"},
    {"text", KEY_STEP, false, true, read_step_text, "text"},
    {"explain", KEY_BOTH, false, true, read_explain, "text"},
    {"kernel", KEY_STEP, false, false, read_kernel, "FILE.cu [as FILE.ptx]"},
    {"program", KEY_BOTH, false, false, read_program, "FILE.cu [VALUE, VALUE ...]"},
    {"cards", KEY_BOTH, false, false, read_cards, "how many cards the program sees"},
    {"says", KEY_STEP, true, false, read_says, "what the program prints"},
    {"commands", KEY_STEP, false, false, read_commands, "COMMAND; COMMAND ..."},
    {"with", KEY_STEP, true, false, read_with, "SETTING = VALUE [fixed]"},
    {"require", KEY_BOTH, true, false, read_require, "CONDITION, in words"},
    {"buffer", KEY_BOTH, true, false, read_buffer,
     "NAME TYPE[LENGTH] [= FILL] [in ROWS x COLUMNS [of PITCH][, rest zero]]"},
    {"launch", KEY_BOTH, true, false, read_launch, "KERNEL<<<BLOCKS, THREADS[, SHARED BYTES]>>>(ARGUMENTS)"},
    {"cluster", KEY_BOTH, false, false, read_cluster, "the blocks of a cluster, as in 2 x 1"},
    {"let", KEY_BOTH, true, false, read_let, "NAME = VALUE"},
    {"for", KEY_BOTH, true, false, read_for, "NAME = FIRST to LAST [step BY]"},
    {"while", KEY_BOTH, true, false, read_while, "CONDITION"},
    {"end", KEY_BOTH, true, false, read_end, "nothing"},
    {"zero", KEY_BOTH, true, false, read_zero, "BUFFER"},
    {"swap", KEY_BOTH, true, false, read_swap, "BUFFER, BUFFER"},
    {"finish", KEY_BOTH, true, false, read_finish, "NAME = OPERATION(ARGUMENTS)"},
    {"host", KEY_BOTH, true, false, read_host, "NAME = OPERATION(ARGUMENTS)"},
    {"clock", KEY_STEP, false, false, read_clock, "BUFFER of block times: starts, then ends"},
    {"right", KEY_BOTH, true, false, load_right,
     "RESULT == OPERATION(ARGUMENTS) or BUFFER[i] == EXPRESSION, then [within BOUND [relative]]"},
    {"expect", KEY_STEP, false, false, read_expect, "ok, wrong, race, uninitialised or fault"},
    {"bytes", KEY_BOTH, false, false, read_bytes, "useful bytes"},
    {"operations", KEY_STEP, false, false, read_operations, "useful operations"},
    {"each", KEY_STEP, false, false, read_each, "what the cycles are divided by"},
    {"article", KEY_STEP, true, false, load_article, "METRIC VALUE UNIT on CARD [if CONDITION] [, REMARK]"},
    {"measured", KEY_STEP, true, false, load_measured,
     "METRIC VALUE UNIT on CARD [hot|cold] [if CONDITION] [, REMARK]"},
    {"library", KEY_STEP, true, false, load_library, "RATE on CARD [hot|cold] [if CONDITION], which library"},
    {"peak", KEY_STEP, false, false, load_peak, "the type of its products: f16, bf16, tf32, e4m3, e5m2 or f32"},
    {"predict", KEY_BOTH, true, true, load_predict, "a question"},
    {"look", KEY_STEP, true, true, load_look, "KIND [NTH] [line N] [warp W] [block X,Y,Z] [launch N], what to look at"},
    {"on", KEY_STEP, false, false, read_on, "the card that this step runs on when no device is asked for"},
    {"card-needs", KEY_BOTH, false, false, load_card_needs, "compute N.N, tensor cores, shared memory BYTES, a clock"},
    {"aside", KEY_STEP, false, false, read_aside, "nothing"},
    {"compare", KEY_STEP, false, false, read_compare, "STEP"},
    {"rows", KEY_STEP, false, false, read_rows, "METRIC, METRIC ..."},
    {"exercise", KEY_STEP, false, false, read_exercise, "the number of an exercise of this lesson"},
    {0},
};
