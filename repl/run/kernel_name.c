/* kernel_name.c: names of kernels. PTX holds C++ symbols (_Z5saxpyifPKfPf), and people write saxpy.
 * Only a kernel's own name is decoded: nested names, and template arguments that are numbers or
 * types. From an argument that is not understood on they are "..". */
#include "kernel_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *plain_type(char code)
{
    static const struct {
        char code;
        const char *name;
    } plain[] = {{'b', "bool"},  {'c', "char"},           {'a', "signed char"}, {'h', "unsigned char"},
                 {'s', "short"}, {'t', "unsigned short"}, {'i', "int"},         {'j', "unsigned"},
                 {'l', "long"},  {'m', "unsigned long"},  {'x', "long long"},   {'y', "unsigned long long"},
                 {'f', "float"}, {'d', "double"},         {'v', "void"}};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (plain[i].code == code) return plain[i].name;
    return NULL;
}

/* <length>name: its length, and *at moved past it; 0 when it is something else. */
static size_t source_name_at(const char **at, const char **name)
{
    char *end;
    if (**at < '1' || **at > '9') return 0;
    unsigned long n = strtoul(*at, &end, 10);
    if (n > strlen(end)) return 0;
    *name = end;
    *at = end + n;
    return n;
}

/* What has been written of a name. */
typedef struct written {
    char *text;
    size_t used, size;
} written;

static bool put(written *w, const char *text, size_t length)
{
    if (length >= w->size - w->used) return false;
    memcpy(w->text + w->used, text, length);
    w->used += length;
    w->text[w->used] = 0;
    return true;
}

static bool take(const char **at, char expected)
{
    if (**at != expected) return false;
    ++*at;
    return true;
}

static bool template_arguments(const char **at, written *w, int depth);

/* S_, S0_ ... stand for a type that came before, T_, T0_ ... for an argument. */
static bool skip_back_reference(const char **at)
{
    *at += 1 + strspn(*at + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    return take(at, '_');
}

/* Li16E, Lb1E, Lin4E (negative), LN2op4kindE0E (of an enumeration): the number. */
static bool literal(const char **at, written *w)
{
    const char *p = *at + 1, *name;
    const bool is_bool = *p == 'b';
    if (plain_type(*p)) {
        p++;
    } else {
        const bool is_nested = *p == 'N';
        p += is_nested;
        if (*p == 'S' && !skip_back_reference(&p)) return false;
        while (source_name_at(&p, &name) > 0 && is_nested) {}
        if (is_nested && !take(&p, 'E')) return false;
    }
    const bool is_negative = *p == 'n';
    p += is_negative;
    const size_t digits = strspn(p, "0123456789");
    if (!digits || digits > 20 || p[digits] != 'E') return false;
    *at = p + digits + 1;
    if (is_bool) return *p == '0' ? put(w, "false", 5) : put(w, "true", 4);
    return (!is_negative || put(w, "-", 1)) && put(w, p, digits);
}

/* The type at *at, without const, and of a nested name the last part; *at moves past it. */
static bool type(const char **at, written *w, int depth)
{
    char after[8] = "";
    const char *name;
    size_t length, n = 0;
    if (depth > 8) return false;
    for (; **at && strchr("PRKVO", **at); ++*at)
        if (**at != 'K' && **at != 'V') {
            if (n + 1 == sizeof after) return false;
            after[n++] = **at == 'P' ? '*' : '&';
            after[n] = 0;
        }
    if (plain_type(**at)) {
        const char *said = plain_type(*(*at)++);
        return put(w, said, strlen(said)) && put(w, after, n);
    }
    const size_t begin = w->used;
    const bool is_nested = **at == 'N';
    *at += is_nested;
    if (is_nested) *at += strspn(*at, "KV");
    for (bool any = false;; any = true) {
        if (!any && **at == 'S' && (*at)[1] == 't') *at += 2;
        if ((!any || is_nested) && (length = source_name_at(at, &name)) > 0) {
            w->used = begin;
            if (!put(w, name, length)) return false;
        } else if ((**at == 'S' || **at == 'T') && (!any || is_nested)) {
            w->used = begin;
            if (!skip_back_reference(at) || !put(w, "..", 2)) return false;
        } else if (**at == 'I' && any) {
            if (!template_arguments(at, w, depth + 1)) return false;
        } else {
            return any && (!is_nested || take(at, 'E')) && put(w, after, n);
        }
    }
}

/* I...E: template arguments as text. False: one of them is not understood. */
static bool template_arguments(const char **at, written *w, int depth)
{
    bool is_first = true;
    for (++*at; **at && **at != 'E'; is_first = false) {
        if (!put(w, is_first ? "<" : ",", 1)) return false;
        const size_t before = w->used;
        if (**at == 'L' ? literal(at, w) : type(at, w, depth)) continue;
        w->used = before;
        w->text[before] = 0;
        return false;
    }
    return take(at, 'E') && put(w, ">", 1);
}

/* _ZZ4racePfE1s, the variable s in race(float *): the name after the last E where one fits. */
static const char *local_title(const char *symbol, char *buffer, size_t size)
{
    for (const char *at = symbol + strlen(symbol); at > symbol + 3; at--) {
        const char *name, *after = at;
        size_t length = at[-1] == 'E' ? source_name_at(&after, &name) : 0;
        /* A second variable of that name in another scope has a number appended: _0 */
        if (length && length < size && (!*after || *after == '_')) {
            snprintf(buffer, size, "%.*s", (int)length, name);
            return buffer;
        }
    }
    return symbol;
}

const char *kernel_title(const char *symbol, char *buffer, size_t size)
{
    if (!strncmp(symbol, "_ZZ", 3)) return local_title(symbol, buffer, size);
    if (strncmp(symbol, "_Z", 2)) return symbol;
    const char *at = symbol + 2, *name = NULL;
    bool is_nested = *at == 'N';
    at += is_nested;
    size_t length = 0;
    for (;;) {
        while (*at == 'L') at++; /* static */
        size_t n = source_name_at(&at, &name);
        if (!n) break;
        length = n;
        if (!is_nested || *at == 'E' || *at == 'I') break;
    }
    if (!length || length >= size || length > 200) return symbol;
    char arguments[128] = "";
    written w = {.text = arguments, .size = sizeof arguments - sizeof ",..>"};
    if (*at == 'I' && !template_arguments(&at, &w, 0)) {
        if (!*at) return symbol;
        const char *const rest = !w.used ? "<..>" : strchr("<,", arguments[w.used - 1]) ? "..>" : ",..>";
        snprintf(arguments + w.used, sizeof arguments - w.used, "%s", rest);
    }
    int n = snprintf(buffer, size, "%.*s%s", (int)length, name, arguments);
    return n > 0 && (size_t)n < size ? buffer : symbol;
}

const char *kernel_readable(const char *message, char *buffer, size_t size)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$";
    size_t used = 0;
    while (*message && used + 1 < size) {
        size_t length = strspn(message, letters);
        char symbol[400], title[400];
        if (length > 2 && length < sizeof symbol && message[0] == '_' && message[1] == 'Z') {
            snprintf(symbol, sizeof symbol, "%.*s", (int)length, message);
            int n = snprintf(buffer + used, size - used, "%s", kernel_title(symbol, title, sizeof title));
            used += n < 0 ? 0 : (size_t)n < size - used ? (size_t)n : size - used - 1;
        } else {
            if (!length) length = 1;
            size_t fits = length < size - used - 1 ? length : size - used - 1;
            memcpy(buffer + used, message, fits);
            used += fits;
        }
        message += length;
    }
    buffer[used] = 0;
    return buffer;
}

static bool is_called(const char *symbol, const char *name)
{
    char buffer[400];
    if (!name || !strcmp(symbol, name)) return true;
    const char *title = kernel_title(symbol, buffer, sizeof buffer);
    size_t bare = strcspn(title, "<");
    return !strcmp(title, name) || (strlen(name) == bare && !strncmp(title, name, bare));
}

/* Lists the kernels of a module with that name, or all of them. */
static void list_kernels(const dev *d, const dev_module *m, const char *name, char *list, size_t size)
{
    char buffer[400];
    size_t used = 0;
    list[0] = 0;
    for (int i = 0; i < dev_kernels(d, m) && used < size - 1; i++) {
        const char *symbol = dev_kernel_at(d, m, i)->name;
        if (!is_called(symbol, name)) continue;
        int n =
            snprintf(list + used, size - used, "%s%s", used ? ", " : "", kernel_title(symbol, buffer, sizeof buffer));
        used = n < 0 || (size_t)n >= size - used ? size - 1 : used + (size_t)n;
    }
}

const sim_kernel *kernel_called(const dev *d, const dev_module *m, const char *name, int *matches)
{
    const sim_kernel *found = name ? dev_kernel_named(d, m, name) : NULL;
    *matches = found != NULL;
    for (int i = 0; i < dev_kernels(d, m) && !(name && found && !strcmp(found->name, name)); i++) {
        const sim_kernel *k = dev_kernel_at(d, m, i);
        if (is_called(k->name, name) && !(*matches)++) found = k;
    }
    return found;
}

const sim_kernel *kernel_only(const dev *d, const dev_module *m, const char *file, const char *name, char *why,
                              size_t size)
{
    char list[600];
    int matches;
    const sim_kernel *found = kernel_called(d, m, name, &matches);
    if (matches == 1) return found;
    list_kernels(d, m, matches ? name : NULL, list, sizeof list);
    if (!*list) snprintf(why, size, "%s has no kernel (a __global__ function)", file);
    else if (!matches) snprintf(why, size, "%s has no kernel called %s; it has: %s", file, name, list);
    else snprintf(why, size, "which kernel of %s? Write %s:KERNEL, one of: %s", file, file, list);
    return NULL;
}

static bool variable_next(const char **text, const char *end, char *symbol, size_t size)
{
    /* "name[16];", "name = 5;", "name;" after .global or .const, at file scope */
    int depth = 0;
    for (const char *p = *text; p < end; p++) {
        depth += (*p == '{') - (*p == '}');
        if (depth || *p != '.') continue;
        const size_t word = !strncmp(p, ".global", 7) ? 7 : !strncmp(p, ".const", 6) ? 6 : 0;
        if (!word || p + word >= end || (p[word] != ' ' && p[word] != '\t')) continue;
        const char *stop = p + strcspn(p, "[=;{\n"), *last = stop;
        while (last > p && (last[-1] == ' ' || last[-1] == '\t')) last--;
        const char *first = last;
        while (first > p && !strchr(" \t.", first[-1])) first--;
        *text = stop;
        if (last == first || (size_t)(last - first) >= size) continue;
        snprintf(symbol, size, "%.*s", (int)(last - first), first);
        return true;
    }
    *text = end;
    return false;
}

bool variable_called(const char *ptx, size_t bytes, const char *name, char *symbol, size_t size, char *list,
                     size_t list_size)
{
    const char *p = ptx;
    size_t used = 0;
    list[0] = 0;
    while (variable_next(&p, ptx + bytes, symbol, size)) {
        char title[400];
        if (symbol[0] == '$') continue; /* a generated name, such as a format of printf */
        if (is_called(symbol, name)) return true;
        int n = snprintf(list + used, list_size - used, "%s%s", used ? ", " : "",
                         kernel_title(symbol, title, sizeof title));
        used = n < 0 || (size_t)n >= list_size - used ? list_size - 1 : used + (size_t)n;
    }
    return false;
}
