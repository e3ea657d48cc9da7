/* linker.c: what programs take for a linker of machine code: it makes one PTX text of all that it is given,
 * which is then loaded as machine code would be. */
#include "core.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct linker {
    ptx_texts texts;
    char *text; /* once it is complete */
    size_t bytes;
    char why[600];
};

linker *linker_new(void) { return calloc(1, sizeof(linker)); }

static int complain(linker *l, int code, const char *name, const char *why)
{
    snprintf(l->why, sizeof l->why, "%.100s: %.400s", name && *name ? name : "what was linked", why);
    pthread_mutex_lock(&core_lock);
    record_refused("%s", l->why);
    pthread_mutex_unlock(&core_lock);
    return code;
}

int linker_add(linker *l, const void *data, size_t bytes, const char *name)
{
    char why[400];
    int code = core_begin(); /* which card it is */
    const sim_card *c = core_card_of(NULL);
    core_end(E_OK, 0);
    if (!code) code = fatbin_take(&l->texts, data, bytes, c->cc_major * 10 + c->cc_minor, why, sizeof why);
    else *why = 0;
    if (!code || code == E_MemoryAllocation) return code;
    return complain(l, code, name, *why ? why : "it is damaged, or holds no PTX");
}

int linker_add_file(linker *l, const char *path)
{
    struct stat st;
    FILE *f = path ? fopen(path, "rb") : NULL;
    if (!f) return E_FileNotFound;
    char *data = fstat(fileno(f), &st) || st.st_size > 1 << 28 ? NULL : malloc((size_t)st.st_size + 1);
    const bool whole = data && fread(data, 1, (size_t)st.st_size, f) == (size_t)st.st_size;
    fclose(f);
    const int code = whole ? linker_add(l, data, (size_t)st.st_size, path) : E_InvalidKernelImage;
    free(data);
    return code;
}

int linker_done(linker *l, const char **text, size_t *bytes)
{
    if (!l->text) {
        if (!l->texts.count) return E_InvalidValue;
        const int code = ptx_link(l->texts.v, l->texts.count, &l->text, &l->bytes);
        if (code) l->text = NULL;
        if (code == E_MemoryAllocation) return code;
        if (code) return complain(l, code, NULL, "its files do not fit together");
    }
    *text = l->text;
    *bytes = strlen(l->text) + 1;
    return E_OK;
}

const char *linker_complaint(const linker *l) { return l->why; }

void linker_end(linker *l)
{
    if (!l) return;
    ptx_texts_free(&l->texts);
    free(l->text);
    free(l);
}
