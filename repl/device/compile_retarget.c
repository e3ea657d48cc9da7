/* compile_retarget.c: PTX for compute 9.0 from a clang that does not know it.
 *
 * What is new in compute 9.0 (wgmma, tensor maps, clusters) stands in inline asm, which clang copies
 * into the PTX as it is. So such a clang compiles for compute 8.6, and the first lines of its PTX are
 * changed. One thing more: it does not know __grid_constant__, and copies a parameter whose address is
 * taken to local memory, where a tensor map may not lie. That copy is exact and the parameter const, so
 * its address is replaced by the parameter's own. */
#include "compile_job.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_COPIES = 16, NAME = 24 };

/* A parameter that is copied: where its copy lies in the stack frame, and the register of that address. */
typedef struct copy {
    char parameter[200], frame[NAME]; /* ... and the register of the copy's local address */
    char generic[NAME], offset[16];
} copy;

static const char *next_line(const char *p)
{
    p += strcspn(p, "\n");
    return *p ? p + 1 : p;
}

/* "\tst.local.u64 [%rd4+8], %rd19;": which register is the base, which value is stored? */
static bool read_store(const char *line, char base[NAME], char value[NAME])
{
    return sscanf(line, " st.local.%*[a-z0-9.] [%%%22[a-z0-9]%*[]+0-9], %%%22[a-z0-9]", base, value) == 2;
}

/* "\tld.param.u64 %rd5, [f_param_0+120];" */
static bool read_load(const char *line, char value[NAME], char parameter[200])
{
    return sscanf(line, " ld.param.%*[a-z0-9.] %%%22[a-z0-9], [%198[^]+;]", value, parameter) == 2;
}

/* The line of this function, from `from` to `to`, that gives a register its value by `start`. */
static const char *defines(const char *from, const char *to, const char *start, const char *reg, char *operand,
                           size_t size)
{
    char head[80];
    snprintf(head, sizeof head, "%s%%%s, ", start, reg);
    for (const char *p = from; p < to && *p; p = next_line(p)) {
        const char *at = p + strspn(p, " \t");
        if (strncmp(at, head, strlen(head))) continue;
        at += strlen(head);
        snprintf(operand, size, "%.*s", (int)strcspn(at, ";\n"), at);
        return p;
    }
    return NULL;
}

/* The copies of whole parameters of 128 bytes aligned to 64 in one kernel. */
static int find_copies(const char *from, const char *to, copy out[MOST_COPIES])
{
    int count = 0;
    for (const char *p = from; p < to && *p && count < MOST_COPIES; p = next_line(p)) {
        char base[NAME], value[NAME], loaded[NAME], operand[80], declared[260];
        copy c = {0};
        if (!read_store(p, base, value)) continue;
        bool found = false;
        for (const char *q = from; q < p && !found; q = next_line(q))
            found = read_load(q, loaded, c.parameter) && !strcmp(loaded, value);
        snprintf(declared, sizeof declared, ".param .align 64 .b8 %s[128]", c.parameter);
        const char *where = found ? strstr(from, declared) : NULL;
        if (!where || where >= to) continue;
        for (int i = 0; i < count && found; i++) found = strcmp(out[i].parameter, c.parameter) != 0;
        if (!found || !defines(from, to, "add.u64 \t", base, operand, sizeof operand)) continue;
        if (sscanf(operand, "%%SPL, %15[0-9]", c.offset) != 1) continue;
        snprintf(c.frame, sizeof c.frame, "%s", base);
        out[count++] = c;
    }
    return count;
}

/* "\tadd.u64 \t%rd1, %SP, 0;": the generic address of a copy? */
static const copy *takes_address(const char *line, const copy *c, int count, char reg[NAME])
{
    char offset[16];
    if (sscanf(line, " add.u64 %%%22[a-z0-9], %%SP, %15[0-9]", reg, offset) != 2) return NULL;
    for (int i = 0; i < count; i++)
        if (!strcmp(c[i].offset, offset)) return &c[i];
    return NULL;
}

char *compile_retarget(const char *ptx, size_t *bytes)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    copy c[MOST_COPIES];
    int count = 0;
    if (!to) return NULL;
    for (const char *p = ptx, *next; *p; p = next) {
        char reg[NAME];
        next = next_line(p);
        if (!strncmp(p, ".visible .entry", 15) || !strncmp(p, ".entry", 6)) {
            const char *end = strstr(p, "\n}");
            count = find_copies(p, end ? end : p + strlen(p), c);
        }
        const copy *taken = count ? takes_address(p, c, count, reg) : NULL;
        if (!strncmp(p, ".version ", 9)) fputs(".version 8.0\n", to);
        else if (!strncmp(p, ".target ", 8)) fputs(".target sm_90a\n", to);
        else if (taken)
            fprintf(to, "\tmov.b64 \t%%%s, %s;\n\tcvta.param.u64 \t%%%s, %%%s;\n", reg, taken->parameter, reg, reg);
        else fwrite(p, 1, (size_t)(next - p), to);
    }
    const bool good = !ferror(to);
    if (fclose(to) || !good) {
        free(text);
        return NULL;
    }
    *bytes = size;
    return text;
}
