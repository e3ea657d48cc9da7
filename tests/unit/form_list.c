/* form_list.c: every form of every instruction that ptxas knows loads and runs, or is refused by
 * name.
 *
 * tests/forms/list.txt holds the forms. {a|b} in a line stands for one of its alternatives; lines
 * that begin with "- " are forms left out on purpose. Each form is loaded alone. If it loads, one
 * warp runs it: it may fault, since its operands mean little, but must end. The other files of
 * tests/forms check results. Since so little is asked of a form, a line of the list counts as one
 * case, not each of its forms.
 *
 *     form_list [FILE]     with "-v": also print each refused form, and why
 *     form_list ptx        print all forms as one kernel, for ptxas
 */
#include "ops.h"
#include <ctype.h>

enum { LONGEST = 400 };
static bool verbose, as_ptx, line_good;
static long forms, refused;
static sim *card;
static uint64_t memory;

static const char head[] = ".version 9.0\n.target sm_90a\n.address_size 64\n.extern .shared .align 16 .b8 sh[];\n"
                           ".visible .entry k(.param .align 16 .b8 prm[64])\n{\n"
                           ".reg .pred %p<5>; .reg .b16 %h<10>; .reg .b32 %r<10>; .reg .b64 %d<10>; .reg .f32 %f<10>;\n"
                           ".reg .f64 %g<10>; .reg .b128 %q<5>; .local .align 16 .b8 lo[256];\n"
                           "ld.param.u64 %d9, [prm]; mov.u64 %d8, lo; mov.u32 %r9, sh;\n",
                  tail[] = "\nret;\n}\n";
enum { LINE = 10 };

/* The opcode alone: what a refusal must name. */
static void opcode_of(const char *form, char *out)
{
    size_t n = 0;
    while (isalnum((unsigned char)form[n])) out[n] = form[n], n++;
    out[n] = 0;
}

static void try_form(const char *form, bool left_out)
{
    char text[2000], opcode[LONGEST];
    if (as_ptx) {
        puts(form);
        return;
    }
    sim_module *m = NULL;
    sim_error e;
    memset(&e, 0, sizeof e);
    snprintf(text, sizeof text, "%s%s%s", head, form, tail);
    int code = sim_load(card, "form.ptx", text, strlen(text), &m, &e);
    forms++;
    opcode_of(form, opcode);
    if (code) {
        refused++;
        if (verbose) printf("%s   %s\n", form, e.message);
        if ((code == SIM_E_REFUSED || code == SIM_E_SYNTAX) && left_out && e.line == LINE &&
            !strcmp(e.file, "form.ptx") && strstr(e.message, opcode))
            return;
        printf("FAIL %s [%s]: %s, line %d: %s\n", form, isa, left_out ? "is not refused by name" : "does not load",
               e.line, e.message);
        line_good = false;
        return;
    }
    if (left_out) {
        printf("FAIL %s [%s]: loads, though the list leaves it out\n", form, isa);
        line_good = false;
    }
    uint64_t params[8] = {memory};
    sim_launch l = {.kernel = "k",
                    .grid = {1, 1, 1},
                    .block = {32, 1, 1},
                    .shared_bytes = 1024,
                    .params = params,
                    .param_bytes = sizeof params,
                    .checks = SIM_CHECK_ALL,
                    .counts = SIM_COUNT_MEMORY,
                    .host_threads = 1,
                    .max_instructions = 100000};
    sim_result r;
    code = sim_run(card, m, &l, &r, &e);
    if (code || (r.code != SIM_OK && (r.code != SIM_E_FAULT || !r.fault_count || !r.faults[0].message[0]))) {
        printf("FAIL %s [%s]: the launch ended with %d and no fault: %s\n", form, isa, code ? code : r.code, e.message);
        line_good = false;
    }
    if (!code) sim_result_free(&r);
    sim_unload(card, m);
}

/* Checks every choice of one alternative per {a|b}; other braces belong to the form. */
static void expand(const char *line, bool left_out)
{
    char text[LONGEST];
    const char *open = line, *close = NULL;
    for (; (open = strchr(open, '{')); open++) {
        close = strchr(open, '}');
        const char *bar = strchr(open, '|');
        if (close && bar && bar < close) break;
    }
    if (!open) {
        try_form(line, left_out);
        return;
    }
    for (const char *from = open + 1;; from++) {
        size_t n = strcspn(from, "|}");
        snprintf(text, sizeof text, "%.*s%.*s%s", (int)(open - line), line, (int)n, from, close + 1);
        expand(text, left_out);
        from += n;
        if (from >= close) return;
    }
}

int main(int argc, char **argv)
{
    char line[LONGEST];
    if (argc > 1 && !strcmp(argv[1], "-v")) verbose = true, argc--, argv++;
    if (argc > 1 && !strcmp(argv[1], "ptx")) as_ptx = true, argc--;
    FILE *f = fopen(argc > 1 ? argv[1] : "tests/forms/list.txt", "r");
    if (!f) return 1;
    if (as_ptx) fputs(head, stdout);
    for (isa_begin(); isa_next();) {
        sim_error e;
        card = open_card();
        if (sim_alloc(card, 4096, "memory", &memory, &e)) return 1;
        forms = refused = 0;
        rewind(f);
        while (fgets(line, sizeof line, f)) {
            line[strcspn(line, "\n")] = 0;
            bool left_out = !strncmp(line, "- ", 2);
            line_good = true;
            if (!*line || *line == '#') continue;
            expand(line + 2 * left_out, left_out);
            check_count(line_good);
        }
        sim_close(card);
        if (as_ptx) break;
    }
    fclose(f);
    if (as_ptx) {
        fputs(tail, stdout);
        return 0;
    }
    printf("%ld forms, %ld refused\n", forms, refused);
    return isa_end();
}
