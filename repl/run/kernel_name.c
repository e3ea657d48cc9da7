/* kernel_name.c: names of kernels. PTX holds C++ symbols (_Z5saxpyifPKfPf), and people write saxpy.
 * Only a kernel's own name is decoded: nested names, and template arguments that are numbers or
 * plain types. Anything else stays as it is. */
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
                 {'f', "float"}, {'d', "double"}};
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

/* I...E: template arguments as text. False: one of them is unknown. */
static bool template_arguments(const char *at, char *out, size_t size)
{
    size_t used = 0;
    at++;
    for (bool is_first = true; *at && *at != 'E'; is_first = false) {
        char piece[64];
        const char *name;
        size_t length;
        if (*at == 'L' && plain_type(at[1])) { /* Li16E, Lb1E, Lin4E (negative) */
            bool is_negative = at[2] == 'n';
            const char *digits = at + 2 + is_negative;
            length = strspn(digits, "0123456789");
            if (!length || digits[length] != 'E' || length > 20) return false;
            if (at[1] == 'b') snprintf(piece, sizeof piece, "%s", *digits == '0' ? "false" : "true");
            else snprintf(piece, sizeof piece, "%s%.*s", is_negative ? "-" : "", (int)length, digits);
            at = digits + length + 1;
        } else if ((length = source_name_at(&at, &name)) > 0 && length < sizeof piece) {
            snprintf(piece, sizeof piece, "%.*s", (int)length, name);
        } else if (plain_type(*at)) {
            snprintf(piece, sizeof piece, "%s", plain_type(*at++));
        } else {
            return false;
        }
        int n = snprintf(out + used, size - used, "%s%s", is_first ? "<" : ",", piece);
        if (n < 0 || (size_t)n >= size - used) return false;
        used += (size_t)n;
    }
    int n = snprintf(out + used, size - used, ">");
    return *at == 'E' && n > 0 && (size_t)n < size - used;
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
    if (*at == 'I' && !template_arguments(at, arguments, sizeof arguments)) return symbol;
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
