/* libraries.c: libraries of NVIDIA's that a program has loaded and that cannot run on a simulated card: exec is
 * told their names, since what they are asked for fails with codes that say nothing. */
#define _GNU_SOURCE
#include "core.h"
#include "cuda/library_names.h"
#include <dlfcn.h>
#include <link.h>
#include <string.h>

void library_note(const char *file)
{
    record_note("%s (%s) is machine code and is not simulated: its calls fail", library_called(file), file);
}

struct object {
    uintptr_t inside;
    const char *file;
    uint64_t base;
};
static int is_inside(struct dl_phdr_info *info, size_t size, void *mine)
{
    (void)size;
    struct object *o = mine;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const uintptr_t from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type != PT_LOAD || o->inside - from >= info->dlpi_phdr[i].p_memsz) continue;
        o->file = info->dlpi_name ? info->dlpi_name : "";
        o->base = info->dlpi_addr;
        return 1;
    }
    return 0;
}

bool core_object_of(const void *inside, const char **file, uint64_t *base)
{
    struct object o = {.inside = (uintptr_t)inside};
    if (!dl_iterate_phdr(is_inside, &o)) return false;
    *file = o.file;
    *base = o.base;
    return true;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *mine)
{
    (void)size;
    const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
    if (!slash || !library_called(slash + 1)) return 0;
    const size_t folder = (size_t)(slash - info->dlpi_name);
    if (folder == strlen(mine) && !strncmp(info->dlpi_name, mine, folder)) return 0; /* one of ours */
    library_note(slash + 1);
    return 0;
}

void libraries_record(void)
{
    Dl_info me;
    char folder[4096];
    if (!dladdr((void *)(uintptr_t)&core_lock, &me) || !me.dli_fname || strlen(me.dli_fname) >= sizeof folder) return;
    strcpy(folder, me.dli_fname);
    char *slash = strrchr(folder, '/');
    if (!slash) return;
    *slash = 0;
    dl_iterate_phdr(look_at, folder);
}
