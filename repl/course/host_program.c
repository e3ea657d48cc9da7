/* host_program.c: writes the whole CUDA program that would run a step. The step's own actions become
 * the statements of main, in their order; expressions stay as the lesson has them, so that a size is
 * (n + threads - 1) / threads and not a number.
 *
 * A buffer `data` is a std::vector `data` on the host, with what the host filled in, `d_data` on the
 * card, and `data_back` when it has been copied back. */
#include "host_write.h"
#include "reference.h"
#include "small_floats.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { SHARED_PLAIN = 48 << 10 /* more dynamic shared memory than this has to be asked for */ };

const char *const host_types[TYPES] = {"signed char", "unsigned char", "short",        "unsigned short",
                                       "int",         "unsigned",      "long long",    "unsigned long long",
                                       "float",       "double",        "__half",       "__nv_bfloat16",
                                       "float",       "__nv_fp8_e4m3", "__nv_fp8_e5m2"};

/* ---- names ---- */

/* Words that a lesson may use as names and C++ does not, and names of the program's own. */
bool host_taken(const host *h, const char *name, size_t length)
{
    static const char *const words[] = {
        "and",   "or",     "xor",    "not",   "new",    "delete",  "class",   "this",        "true", "false",
        "int",   "long",   "double", "float", "char",   "short",   "for",     "while",       "do",   "if",
        "else",  "switch", "case",   "break", "return", "auto",    "start",   "stop",        "ms",   "right",
        "exact", "seed",   "main",   "std",   "rand",   "as_list", "compare", "block_cycles"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && !memcmp(words[i], name, length)) return true;
    for (int i = 0; i < h->s->action_count; i++) /* a kernel's name would be hidden */
        if (h->s->action[i].kind == ACT_LAUNCH && strlen(h->s->action[i].name) == length &&
            !memcmp(h->s->action[i].name, name, length))
            return true;
    return false;
}

void host_put_name(void *arg, FILE *to, const char *name, size_t length)
{
    fprintf(to, "%.*s%s", (int)length, name, host_taken(arg, name, length) ? "_" : "");
}

void host_name(host *h, const char *text) { host_put_name(h, h->to, text, strlen(text)); }
void host_value(host *h, const expr *e) { expr_write(h->to, e, false, host_put_name, h); }
void host_operand(host *h, const expr *e) { expr_write(h->to, e, true, host_put_name, h); }

static void indent(const host *h) { fprintf(h->to, "%*s", 4 + 4 * h->depth, ""); }

/* ---- helpers before main ---- */

static void put_part(host *h, const host_part *part)
{
    if (!part) return;
    for (int i = 0; i < h->part_count; i++)
        if (h->parts[i] == part->name) return;
    for (int i = 0; i < 2; i++)
        if (part->needs[i]) put_part(h, host_operation(part->needs[i]));
    if (h->part_count < (int)(sizeof h->parts / sizeof *h->parts)) h->parts[h->part_count++] = part->name;
    if (part->text) fprintf(h->to, "%s\n", part->text);
}

/* Does what stands in an expression need a helper? Its own text says. */
static void put_parts_of(host *h, const expr *e, const lesson_formula *of)
{
    static const char *const helpers[][2] = {
        {"cpu_log2(", "log2_of"}, {"cpu_power(", "power_of"}, {"cpu_min(", "min_of"},     {"cpu_max(", "max_of"},
        {"cpu_total(", "total"},  {"cpu_lowest(", "lowest"},  {"cpu_highest(", "highest"}};
    if (e ? !e->count : !of) return;
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    if (!f) return;
    if (e) expr_write(f, e, false, host_put_name, h);
    else host_formula(h, f, of);
    fclose(f);
    for (size_t i = 0; text && i < sizeof helpers / sizeof *helpers; i++)
        if (strstr(text, helpers[i][0])) put_part(h, host_operation(helpers[i][1]));
    free(text);
}

static void put_expression_parts(host *h, const expr *e) { put_parts_of(h, e, NULL); }

/* Where no buffer holds floats, sums are plain. */
static const host_part *operation_part(const host *h, int operation)
{
    char whole[80];
    bool real = false;
    for (int i = 0; i < h->s->buffer_count; i++) real = real || lesson_types[h->s->buffer[i].type].kind == 'f';
    snprintf(whole, sizeof whole, "whole_%s", cpu_operations[operation].name);
    const host_part *part = real ? NULL : host_operation(whole);
    return part ? part : host_operation(cpu_operations[operation].name);
}

static void put_parts(host *h)
{
    const lesson_step *s = h->s;
    for (int i = 0; i < s->buffer_count; i++) {
        const lesson_buffer *b = &s->buffer[i];
        const expr *all[] = {&b->length, &b->parameter, &b->rows, &b->columns, &b->pitch};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) put_expression_parts(h, all[k]);
        put_part(h, host_fill(fill_generators[b->fill].name));
        put_parts_of(h, NULL, b->formula);
    }
    for (int i = 0; i < s->action_count; i++) {
        const lesson_action *a = &s->action[i];
        const expr *all[] = {&a->grid[0],  &a->grid[1], &a->grid[2], &a->block[0], &a->block[1],
                             &a->block[2], &a->shared,  &a->from,    &a->to,       &a->step};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) put_expression_parts(h, all[k]);
        for (int k = 0; k < a->args; k++) {
            const lesson_arg *arg = &a->arg[k];
            put_expression_parts(h, &arg->value);
            put_expression_parts(h, &arg->height);
            if (arg->texture)
                put_part(h, host_operation(arg->linear || arg->height.count ? "texture_array" : "texture"));
        }
        if (a->kind == ACT_FINISH || a->kind == ACT_HOST) put_part(h, operation_part(h, a->operation));
    }
    for (int i = 0; i < s->right_count; i++) {
        const lesson_right *r = &s->right[i];
        if (!r->formula) put_part(h, operation_part(h, r->operation));
        put_parts_of(h, NULL, r->formula);
        for (int k = 0; k < r->args; k++) put_expression_parts(h, &r->arg[k].value);
        put_part(h, host_operation("verdict"));
    }
}

/* ---- buffers ---- */

static void put_count(host *h, const lesson_buffer *b)
{
    if (b->rows.count) {
        host_operand(h, &b->rows);
        fprintf(h->to, " * ");
        host_operand(h, &b->columns);
    } else {
        host_value(h, &b->length);
    }
}

static void put_filled(host *h, const char *text, const lesson_buffer *b, int index)
{
    for (const char *p = text; *p; p++) {
        if (*p != '$') {
            fputc(*p, h->to);
            continue;
        }
        switch (*++p) {
        case 'x': host_name(h, b->name); break;
        case 'n':
            fprintf(h->to, "(long long)");
            host_name(h, b->name);
            fprintf(h->to, ".size()");
            break;
        case 'm': host_operand(h, &b->parameter); break;
        case 'k': fprintf(h->to, "%d", index); break;
        default: fprintf(h->to, "%s", host_types[b->type]); break;
        }
    }
}

static void put_fill(host *h, int index)
{
    const lesson_buffer *b = &h->s->buffer[index];
    const host_part *fill = b->fill == FILL_CONSTANT || b->formula ? NULL : host_fill(fill_generators[b->fill].name);
    fprintf(h->to, "    std::vector<%s> ", host_types[b->type]);
    host_name(h, b->name);
    fputc('(', h->to);
    put_count(h, b);
    if (b->fill == FILL_CONSTANT) fprintf(h->to, ", (%s)%.17g", host_types[b->type], b->value);
    else if (b->fill != FILL_NONE && fill && fill->fill && !fill->with_m && (!strcmp(fill->fill, "1")))
        fprintf(h->to, ", 1");
    fprintf(h->to, ");\n");
    if (b->formula) {
        fprintf(h->to, "    for (long long i = 0; i < (long long)");
        host_name(h, b->name);
        fprintf(h->to, ".size(); i++) ");
        host_name(h, b->name);
        fprintf(h->to, "[i] = (%s)(", host_types[b->type]);
        host_formula(h, h->to, b->formula);
        fprintf(h->to, ");\n");
    }
    if (!fill || b->fill == FILL_ZERO || (fill->fill && !strcmp(fill->fill, "1"))) return;
    const char *text = b->parameter.count && fill->with_m ? fill->with_m : fill->whole ? fill->whole : fill->fill;
    fprintf(h->to, "    ");
    if (fill->whole) {
        put_filled(h, text, b, index);
        fprintf(h->to, ";\n");
        return;
    }
    fprintf(h->to, "for (long long i = 0; i < (long long)");
    host_name(h, b->name);
    fprintf(h->to, ".size(); i++) ");
    host_name(h, b->name);
    fprintf(h->to, "[i] = (%s)(", host_types[b->type]);
    put_filled(h, text, b, index);
    fprintf(h->to, ");\n");
}

/* Between `host` (a std::vector) and the card: in one piece, or row by row. */
static void put_copy(host *h, const lesson_buffer *b, const char *vector, bool to_card)
{
    indent(h);
    if (!b->rows.count) {
        fprintf(h->to, "CHECK(cudaMemcpy(");
        if (to_card) fprintf(h->to, "d_%s, %s.data()", b->name, vector);
        else fprintf(h->to, "%s.data(), d_%s", vector, b->name);
        fprintf(h->to, ", %s.size() * sizeof(%s)", vector, host_types[b->type]);
    } else {
        fprintf(h->to, "CHECK(cudaMemcpy2D(");
        for (int side = 0; side < 2; side++) {
            const bool card = (side == 0) == to_card;
            fprintf(h->to, card ? "d_%s, " : "%s.data(), ", card ? b->name : vector);
            host_operand(h, card ? &b->pitch : &b->columns);
            fprintf(h->to, " * sizeof(%s), ", host_types[b->type]);
        }
        host_operand(h, &b->columns);
        fprintf(h->to, " * sizeof(%s), ", host_types[b->type]);
        host_value(h, &b->rows);
    }
    fprintf(h->to, ", %s));\n", to_card ? "cudaMemcpyHostToDevice" : "cudaMemcpyDeviceToHost");
}

static const char *vector_of(const host *h, const lesson_buffer *b, char *out, size_t size)
{
    snprintf(out, size, "%s%s", b->name, host_taken(h, b->name, strlen(b->name)) ? "_" : "");
    return out;
}

static void put_buffers(host *h)
{
    char vector[80];
    for (int i = 0; i < h->s->buffer_count; i++)
        if (h->s->buffer[i].fill != FILL_NONE || host_reads(h, i)) put_fill(h, i);
    if (!step_launches(h->s)) return;
    fputc('\n', h->to);
    for (int i = 0; i < h->s->buffer_count; i++) {
        const lesson_buffer *b = &h->s->buffer[i];
        fprintf(h->to, "    %s *d_%s;\n    CHECK(cudaMalloc(&d_%s, ", host_types[b->type], b->name, b->name);
        host_operand(h, &b->length);
        fprintf(h->to, " * sizeof(%s)));\n", host_types[b->type]);
        if (b->rest_zero) {
            fprintf(h->to, "    CHECK(cudaMemset(d_%s, 0, ", b->name);
            host_operand(h, &b->length);
            fprintf(h->to, " * sizeof(%s)));\n", host_types[b->type]);
        }
        if (b->fill != FILL_NONE) put_copy(h, b, vector_of(h, b, vector, sizeof vector), true);
    }
}

/* The contents of a buffer, as the card has them now, in NAME_back. */
void host_put_back(host *h, int index)
{
    const lesson_buffer *b = &h->s->buffer[index];
    char vector[80];
    if (h->used[index] && h->copied[index] && !h->depth) return;
    if (!h->used[index]) {
        indent(h);
        fprintf(h->to, "std::vector<%s> %s_back(", host_types[b->type], b->name);
        put_count(h, b);
        fprintf(h->to, ");\n");
    }
    h->used[index] = h->depth == 0;
    h->copied[index] = true;
    snprintf(vector, sizeof vector, "%s_back", b->name);
    put_copy(h, b, vector, false);
}

/* ---- actions ---- */

static void put_texture(host *h, const lesson_arg *arg)
{
    const char *buffer = h->s->buffer[arg->buffer].name;
    const bool array = arg->linear || arg->height.count;
    fprintf(h->to, "%s<%s>(d_%s, ", array ? "as_texture_array" : "as_texture", arg->channels == 4 ? "float4" : "float",
            buffer);
    host_value(h, &arg->value);
    if (array) {
        fprintf(h->to, ", ");
        if (arg->height.count) host_value(h, &arg->height);
        else fputc('0', h->to);
        fprintf(h->to, ", %s", arg->linear ? "true" : "false");
    }
    fputc(')', h->to);
}

static void put_argument(host *h, const lesson_action *a, const char *entry, int i)
{
    const lesson_arg *arg = &a->arg[i];
    char type[200] = "";
    host_parameter(h->p->kernel, entry, i, type, sizeof type);
    if (arg->texture) {
        put_texture(h, arg);
    } else if (arg->buffer >= 0) {
        const lesson_buffer *b = &h->s->buffer[arg->buffer];
        char same[80], constant[80];
        snprintf(same, sizeof same, "%s *", host_types[b->type]);
        snprintf(constant, sizeof constant, "const %s *", host_types[b->type]);
        if (*type && strcmp(type, same) && strcmp(type, constant)) fprintf(h->to, "(%s)", type);
        fprintf(h->to, "d_%s", b->name);
    } else if (arg->is_float) {
        char number[60];
        snprintf(number, sizeof number, "%.17g", arg->number);
        fprintf(h->to, "%s%s%s", number, strpbrk(number, ".en") ? "" : ".0", strcmp(type, "double") ? "f" : "");
    } else {
        host_value(h, &arg->value);
    }
}

static void put_size(host *h, const expr dim[3])
{
    const int count = dim[2].count ? 3 : dim[1].count ? 2 : 1;
    if (count > 1) fprintf(h->to, "dim3(");
    for (int i = 0; i < count; i++) {
        if (i) fprintf(h->to, ", ");
        host_value(h, &dim[i]);
    }
    if (count > 1) fputc(')', h->to);
}

static void put_launch(host *h, const lesson_action *a)
{
    char entry[96], why[100];
    int64_t shared = 0;
    step_entry(h->p->l, h->p->values, a, entry, sizeof entry);
    if (a->shared.count &&
        (!step_value(h->p->l, h->p->values, &a->shared, &shared, why, sizeof why) || shared > SHARED_PLAIN)) {
        indent(h);
        fprintf(h->to, "CHECK(cudaFuncSetAttribute(%s, cudaFuncAttributeMaxDynamicSharedMemorySize, ", entry);
        host_value(h, &a->shared);
        fprintf(h->to, "));\n");
    }
    indent(h);
    fprintf(h->to, "%s<<<", entry);
    put_size(h, a->grid);
    fprintf(h->to, ", ");
    put_size(h, a->block);
    if (a->shared.count) {
        fprintf(h->to, ", ");
        host_value(h, &a->shared);
    }
    fprintf(h->to, ">>>(");
    for (int i = 0; i < a->args; i++) {
        if (i) fprintf(h->to, ", ");
        put_argument(h, a, entry, i);
    }
    fprintf(h->to, ");\n");
    indent(h);
    fprintf(h->to, "CHECK(cudaGetLastError()); // was the launch refused?\n");
    memset(h->copied, 0, sizeof h->copied);
}

/* cpu_NAME(arguments): buffers as they are on the card, or as the host filled them. */
void host_put_operation(host *h, int operation, const lesson_arg *arg, int args, bool from_card)
{
    fprintf(h->to, "cpu_%s(", cpu_operations[operation].name);
    for (int i = 0; i < args; i++) {
        const lesson_arg *a = &arg[i];
        if (i) fprintf(h->to, ", ");
        if (a->buffer >= 0 && from_card) fprintf(h->to, "%s_back", h->s->buffer[a->buffer].name);
        else if (a->buffer >= 0) host_name(h, h->s->buffer[a->buffer].name);
        else if (a->is_float) fprintf(h->to, "%.17g", a->number);
        else host_value(h, &a->value);
    }
    fputc(')', h->to);
}

static void put_finish(host *h, const lesson_action *a, bool from_card)
{
    for (int i = 0; i < a->args && from_card; i++)
        if (a->arg[i].buffer >= 0) host_put_back(h, a->arg[i].buffer);
    if (a->kind == ACT_HOST) {
        indent(h);
        fprintf(h->to, "auto host_%s = std::chrono::steady_clock::now();\n", a->name);
    }
    indent(h);
    if (!h->known[a->local]) fprintf(h->to, "auto ");
    h->known[a->local] = true;
    host_name(h, a->name);
    fprintf(h->to, " = ");
    host_put_operation(h, a->operation, a->arg, a->args, from_card);
    fprintf(h->to, ";\n");
    if (a->kind != ACT_HOST) return;
    indent(h);
    fprintf(h->to,
            "printf(\"the CPU took %%g ms\\n\",\n%*sstd::chrono::duration<double, "
            "std::milli>(std::chrono::steady_clock::now() - host_%s).count());\n",
            11 + 4 * h->depth, "", a->name);
}

static void put_actions(host *h)
{
    const lesson_step *s = h->s;
    bool launched = false, stopped = !step_launches(s);
    int last = s->action_count; /* the first action after the last launch */
    while (last > 0 && s->action[last - 1].kind != ACT_LAUNCH && s->action[last - 1].kind != ACT_END) last--;
    if (!stopped)
        fprintf(h->to, "\n    cudaEvent_t start, stop;\n    CHECK(cudaEventCreate(&start));\n"
                       "    CHECK(cudaEventCreate(&stop));\n    CHECK(cudaEventRecord(start));\n");
    for (int i = 0; i <= s->action_count; i++) {
        if (!stopped && i == last) {
            fprintf(h->to, "    CHECK(cudaEventRecord(stop));\n"
                           "    CHECK(cudaEventSynchronize(stop)); // the host waits; a fault of a kernel shows here\n"
                           "    float ms;\n    CHECK(cudaEventElapsedTime(&ms, start, stop));\n"
                           "    printf(\"the card took %%g ms\\n\", ms);\n\n");
            stopped = true;
        }
        if (i == s->action_count) break;
        const lesson_action *a = &s->action[i];
        switch (a->kind) {
        case ACT_LAUNCH:
            put_launch(h, a);
            launched = true;
            break;
        case ACT_LET:
            indent(h);
            host_name(h, a->name);
            fprintf(h->to, " = ");
            host_value(h, &a->from);
            fprintf(h->to, ";\n");
            break;
        case ACT_FOR: {
            int64_t by = 1;
            char why[100];
            if (a->step.count && !step_value(h->p->l, h->p->values, &a->step, &by, why, sizeof why)) by = 1;
            indent(h);
            fprintf(h->to, "for (long long ");
            host_name(h, a->name);
            fprintf(h->to, " = ");
            host_value(h, &a->from);
            fprintf(h->to, "; ");
            host_name(h, a->name);
            fprintf(h->to, by < 0 ? " >= " : " <= ");
            host_value(h, &a->to);
            fprintf(h->to, "; ");
            host_name(h, a->name);
            if (a->step.count) {
                fprintf(h->to, " += ");
                host_value(h, &a->step);
            } else {
                fprintf(h->to, "++");
            }
            fprintf(h->to, ") {\n");
            h->depth++;
            break;
        }
        case ACT_WHILE:
            indent(h);
            fprintf(h->to, "while (");
            host_value(h, &a->from);
            fprintf(h->to, ") {\n");
            h->depth++;
            break;
        case ACT_END:
            h->depth--;
            indent(h);
            fprintf(h->to, "}\n");
            break;
        case ACT_ZERO: {
            const lesson_buffer *b = &s->buffer[a->arg[0].buffer];
            indent(h);
            fprintf(h->to, "CHECK(cudaMemset(d_%s, 0, ", b->name);
            host_operand(h, &b->length);
            fprintf(h->to, " * sizeof(%s)));\n", host_types[b->type]);
            memset(h->copied, 0, sizeof h->copied);
            break;
        }
        case ACT_SWAP:
            indent(h);
            fprintf(h->to, "std::swap(d_%s, d_%s);\n", s->buffer[a->arg[0].buffer].name,
                    s->buffer[a->arg[1].buffer].name);
            memset(h->copied, 0, sizeof h->copied);
            break;
        case ACT_FINISH:
        case ACT_HOST: put_finish(h, a, a->kind == ACT_FINISH && launched); break;
        case ACT_PROGRAM: break; /* it is the whole program already */
        }
    }
}

static void put_clock(host *h)
{
    const lesson_buffer *b = h->s->clock >= 0 ? &h->s->buffer[h->s->clock] : NULL;
    if (!b || !step_launches(h->s)) return;
    host_put_back(h, h->s->clock);
    fprintf(h->to,
            "    long long block_cycles = 0; // of the slowest block: the clocks of multiprocessors do not agree\n"
            "    for (size_t i = 0; i < %s_back.size() / 2; i++)\n"
            "        block_cycles = std::max<long long>(block_cycles, %s_back[%s_back.size() / 2 + i] - %s_back[i]);\n"
            "    printf(\"the slowest block took %%lld cycles\\n\", block_cycles);\n",
            b->name, b->name, b->name, b->name);
}

/* ---- the whole ---- */

static void put_settings(host *h)
{
    const lesson *l = h->p->l;
    for (int i = 0; i < l->setting_count; i++) {
        if (!step_uses(l, h->s, i)) continue;
        int at = fprintf(h->to, "    const long long ");
        host_put_name(h, h->to, l->setting[i].name, strlen(l->setting[i].name));
        at += fprintf(h->to, " = %lld;", (long long)h->p->values->value[i]) + (int)strlen(l->setting[i].name);
        fprintf(h->to, "%*s // %s\n", at < 40 ? 40 - at : 0, "", l->setting[i].about ? l->setting[i].about : "");
    }
    for (int i = 0; i < h->s->action_count; i++) {
        const lesson_action *a = &h->s->action[i];
        if (a->kind != ACT_LET || h->known[a->local]) continue;
        h->known[a->local] = true;
        fprintf(h->to, "    long long ");
        host_name(h, a->name);
        fprintf(h->to, " = 0;\n");
    }
}

static bool other_fact(void *fact, const char *name, size_t length)
{
    const char *const *own = fact;
    return strlen(*own) != length || memcmp(*own, name, length);
}

/* Numbers of the card that a launch uses. */
static void put_card_facts(host *h)
{
    const char *name, *attribute;
    for (int f = 0; (name = launch_fact_at(f, &attribute)) != NULL; f++) {
        bool unused = true;
        for (int i = 0; i < h->s->action_count; i++) {
            const lesson_action *a = &h->s->action[i];
            if (a->kind != ACT_LAUNCH) continue;
            for (int d = 0; d < 3; d++)
                unused =
                    unused && expr_names(&a->grid[d], other_fact, &name) && expr_names(&a->block[d], other_fact, &name);
            unused = unused && expr_names(&a->shared, other_fact, &name);
        }
        if (unused) continue;
        fprintf(h->to, "    int %s; // of the card\n    CHECK(cudaDeviceGetAttribute(&%s, %s, 0));\n", name, name,
                attribute);
    }
}

static bool draws(const lesson_step *s)
{
    for (int i = 0; i < s->buffer_count; i++) {
        const host_part *f =
            s->buffer[i].fill > FILL_CONSTANT ? host_fill(fill_generators[s->buffer[i].fill].name) : NULL;
        if (f && ((f->fill && (strstr(f->fill, "rand") || f->text || f->needs[0])) || f->whole)) return true;
    }
    return false;
}

static const char check_macro[] =
    "// Ends the program when a call of CUDA failed, and says which and why.\n"
    "#define CHECK(...)                                                                                \\\n"
    "    do {                                                                                          \\\n"
    "        cudaError_t check_code = (__VA_ARGS__);                                                   \\\n"
    "        if (check_code != cudaSuccess) {                                                          \\\n"
    "            fprintf(stderr, \"line %d: %s\\n\", __LINE__, cudaGetErrorString(check_code));           \\\n"
    "            exit(2);                                                                              \\\n"
    "        }                                                                                         \\\n"
    "    } while (0)\n\n";

bool host_program_write(FILE *to, const host_program *p, char *why, size_t size)
{
    static const char *const meant[] = {
        [EXPECT_WRONG] = "The answer is wrong: that is what the step is about.",
        [EXPECT_RACE] = "Threads race, and the answer is wrong: that is what the step is about.",
        [EXPECT_UNINITIALISED] = "It reads what nobody wrote: that is what the step is about.",
        [EXPECT_FAULT] = "It faults: that is what the step is about.",
    };
    host h = {.p = p, .s = p->s, .to = to};
    const lesson_step *s = p->s;
    for (int i = 0; i < s->buffer_count; i++)
        if (s->buffer[i].symbol || s->buffer[i].file || s->buffer[i].listed) {
            snprintf(why, size, "buffer %s comes from elsewhere", s->buffer[i].name);
            return false;
        }
    for (int i = 0; i < s->right_count; i++)
        if (s->right[i].rounding) {
            snprintf(why, size, "what rounding can do is not written as a program");
            return false;
        }
    for (int i = 0; i < s->right_count; i++)
        if (s->right[i].witness >= 0) {
            snprintf(why, size, "what is right comes from step %s", p->l->step[s->right[i].witness].name);
            return false;
        }
    for (int i = 0; i < s->buffer_count; i++)
        if (float_format_of(s->buffer[i].type)) {
            snprintf(why, size, "buffer %s is of %s, which is not written as a program", s->buffer[i].name,
                     lesson_types[s->buffer[i].type].name);
            return false;
        }
    bool maps = s->cluster[0].count > 0;
    for (int i = 0; i < s->action_count; i++)
        for (int k = 0; k < s->action[i].args; k++) maps = maps || s->action[i].arg[k].map;
    if (maps) {
        snprintf(why, size, "clusters and tensor maps are not written as a program");
        return false;
    }
    fprintf(to, "// %d.%s: %s\n", p->l->number, s->name, s->title);
    if (s->expect != EXPECT_OK) fprintf(to, "// %s\n", meant[s->expect]);
    fprintf(to, "//     nvcc -O2 -lineinfo %s.cu -o %s && ./%s\n//     warpstep exec %s.cu\n", s->name, s->name,
            s->name, s->name);
    bool timed = false; /* the host's own work */
    for (int i = 0; i < s->action_count; i++) timed = timed || s->action[i].kind == ACT_HOST;
    fprintf(to,
            "#include <algorithm>\n%s#include <cmath>\n#include <cstdio>\n#include <cstdlib>\n"
            "#include <limits>\n#include <vector>\n\n",
            timed ? "#include <chrono>\n" : "");
    if (p->kernel) {
        fputs(check_macro, to);
        fprintf(to, "// ---- the kernel: %s ----\n", p->kernel_path);
        host_defines(to, p->defines);
        fprintf(to, "%s%s\n", p->kernel, *p->kernel && p->kernel[strlen(p->kernel) - 1] == '\n' ? "" : "\n");
    }
    fprintf(to, "// ---- the host ----\n");
    put_parts(&h);
    fprintf(to, "int main()\n{\n");
    put_settings(&h);
    put_card_facts(&h);
    if (draws(s)) {
        const unsigned folded = (unsigned)(p->seed ^ p->seed >> 32);
        bool msvc = false, any = false, plain = false;
        for (int i = 0; i < s->buffer_count; i++) {
            if (s->buffer[i].fill <= FILL_CONSTANT) continue;
            const host_part *f = host_fill(fill_generators[s->buffer[i].fill].name);
            const bool is_msvc = f && f->needs[0] && !strcmp(f->needs[0], "msvc"),
                       is_any = f && f->whole && strstr(f->whole, "seed");
            msvc = msvc || is_msvc;
            any = any || is_any;
            const char *text = f ? f->text : NULL, *fill = f ? f->fill : NULL;
            plain = plain || (text && strstr(text, "rand()")) || (fill && strstr(fill, "rand()"));
        }
        if (any) fprintf(to, "    const unsigned long long seed = %" PRIu64 "u;\n", p->seed);
        if (msvc) fprintf(to, "    cpu_msvc_state = %u;\n", folded);
        if (plain) fprintf(to, "    srand(%u);\n", folded);
    }
    put_buffers(&h);
    put_actions(&h);
    put_clock(&h);
    host_put_verdict(&h);
    fprintf(to, "}\n");
    return true;
}
