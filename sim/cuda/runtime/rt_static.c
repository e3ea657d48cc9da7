/* rt_static.c: programs, and shared objects, that carry NVIDIA's runtime inside them, as plain `nvcc x.cu`
 * and `nvcc -shared x.cu` make them.
 *
 * Before such a program begins, each of its runtime's functions that its symbol table names is made
 * to jump to ours. That needs nothing but the names: what NVIDIA's runtime and driver say to each
 * other behind them is never said. What has no symbol table (strip) is left as it is, and
 * finds our driver (driver/). The first of the faces that is loaded does this.
 *
 * A shared object has told its own runtime of its kernels before we hear of it (core/atexit_hook.c). The
 * functions with which it did so, which nvcc or clang wrote, run once more when they lead to ours.
 */
#define _GNU_SOURCE
#include "runtime.h"
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if UINTPTR_MAX > UINT32_MAX && (defined(__x86_64__) || defined(__aarch64__))

#if defined(__x86_64__)
enum { JUMP_BYTES = 14, MACHINE = EM_X86_64 };
static void make_jump(unsigned char *at, const void *to)
{
    static const unsigned char jump[6] = {0xff, 0x25, 0, 0, 0, 0}; /* jmp [rip]: what stands behind it */
    memcpy(at, jump, 6);
    memcpy(at + 6, &to, 8);
}
#else
enum { JUMP_BYTES = 16, MACHINE = EM_AARCH64 };
static void make_jump(unsigned char *at, const void *to)
{
    static const uint32_t jump[2] = {0x58000050, 0xd61f0200}; /* ldr x16, what stands behind; br x16 */
    memcpy(at, jump, 8);
    memcpy(at + 8, &to, 8);
    __builtin___clear_cache((char *)at, (char *)at + 16);
}
#endif

typedef struct program {
    const unsigned char *file;
    size_t bytes;
    uint64_t base; /* added to the file's addresses */
    bool shared;   /* it is not the program itself */
    const Elf64_Sym *symbols;
    size_t count;
    const char *names;
    size_t name_bytes;
} program;

static bool inside(const program *p, uint64_t from, uint64_t bytes)
{
    return from <= p->bytes && bytes <= p->bytes - from;
}

/* Finds the symbol table. The file is whatever the program was started from: nothing in it is
 * trusted. */
static bool read_program(program *p)
{
    const Elf64_Ehdr *e = (const void *)p->file;
    if (!inside(p, 0, sizeof *e) || memcmp(e->e_ident, ELFMAG, SELFMAG) || e->e_ident[EI_CLASS] != ELFCLASS64 ||
        e->e_machine != MACHINE || e->e_shentsize != sizeof(Elf64_Shdr) || e->e_shoff % 8 ||
        !inside(p, e->e_shoff, (uint64_t)e->e_shnum * sizeof(Elf64_Shdr)))
        return false;
    if (!p->base) p->base = getauxval(AT_ENTRY) - e->e_entry; /* the program's own */
    const Elf64_Shdr *s = (const void *)(p->file + e->e_shoff);
    for (int i = 0; i < e->e_shnum; i++) {
        if (s[i].sh_type != SHT_SYMTAB || s[i].sh_link >= e->e_shnum) continue;
        const Elf64_Shdr *names = &s[s[i].sh_link];
        if (s[i].sh_offset % 8 || !inside(p, s[i].sh_offset, s[i].sh_size) ||
            !inside(p, names->sh_offset, names->sh_size))
            return false;
        p->symbols = (const void *)(p->file + s[i].sh_offset);
        p->count = s[i].sh_size / sizeof *p->symbols;
        p->names = (const char *)p->file + names->sh_offset;
        p->name_bytes = names->sh_size;
        return p->name_bytes && !p->names[p->name_bytes - 1];
    }
    return false;
}

static const char *function_name(const program *p, const Elf64_Sym *s)
{
    if (p->shared && ELF64_ST_BIND(s->st_info) != STB_LOCAL) return NULL; /* it is a libcudart, ours perhaps */
    if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || !s->st_value || s->st_size < JUMP_BYTES || s->st_name >= p->name_bytes)
        return NULL;
    const char *name = p->names + s->st_name;
    return strncmp(name, "cuda", 4) && strncmp(name, "__cuda", 6) ? NULL : name;
}

static bool has(const program *p, const char *wanted)
{
    for (size_t i = 0; i < p->count; i++) {
        const char *name = function_name(p, &p->symbols[i]);
        if (name && !strcmp(name, wanted)) return true;
    }
    return false;
}

static void redirect(const program *p)
{
    static bool version_known;
    Dl_info me;
    void *ours = dladdr((void *)(uintptr_t)&face_version, &me) ? dlopen(me.dli_fname, RTLD_NOW | RTLD_NOLOAD) : NULL;
    if (!ours) return;
    if (!version_known)
        runtime_version = has(p, "cudaGetDeviceProperties_v2") ? 12090
                          : has(p, "cudaThreadSynchronize")    ? 11080
                                                               : 13000;
    version_known = true;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t open_from = 0, open_to = 0; /* pages that can be written now */
    for (size_t i = 0; i < p->count; i++) {
        const char *name = function_name(p, &p->symbols[i]);
        const void *to = name ? dlsym(ours, name) : NULL;
        if (!to) continue;
        const uintptr_t at = (uintptr_t)(p->base + p->symbols[i].st_value);
        if (at < open_from || at + JUMP_BYTES > open_to) {
            if (open_to) mprotect((void *)open_from, open_to - open_from, PROT_READ | PROT_EXEC);
            open_from = at & ~(page - 1);
            open_to = ((at + JUMP_BYTES + page - 1) & ~(page - 1)) + 16 * page;
            /* the program's text may end before that */
            while (mprotect((void *)open_from, open_to - open_from, PROT_READ | PROT_WRITE | PROT_EXEC)) {
                open_to -= page;
                if (open_to < at + JUMP_BYTES) return;
            }
        }
        make_jump((unsigned char *)at, to);
    }
    if (open_to) mprotect((void *)open_from, open_to - open_from, PROT_READ | PROT_EXEC);
}

/* What nvcc and clang call the functions that tell the runtime of kernels; with -rdc=true they count how many
 * files have done so, and tell when the last one has. */
static void tell_again(const program *p)
{
    static const char counter[] = "_ZZL26__cudaRegisterLinkedBinary", counter_end[] = "E3__i";
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < p->count; i++) {
            const Elf64_Sym *s = &p->symbols[i];
            if (!s->st_value || s->st_name >= p->name_bytes) continue;
            const char *name = p->names + s->st_name;
            const size_t n = strlen(name), end = sizeof counter_end - 1;
            void *at = (void *)(uintptr_t)(p->base + s->st_value);
            if (!pass && s->st_size == sizeof(int) && n > end && !strncmp(name, counter, sizeof counter - 1) &&
                !strcmp(name + n - end, counter_end))
                *(int *)at = 0;
            if (pass && ELF64_ST_TYPE(s->st_info) == STT_FUNC &&
                (!strcmp(name, "_ZL24__sti____cudaRegisterAllv") || !strcmp(name, "__cuda_module_ctor"))) {
                void (*tell)(void);
                memcpy(&tell, &at, sizeof tell);
                tell();
            }
        }
}

/* base: what is added to the file's addresses; 0: it is the program, which has not begun. */
static void take_place(const char *path, uint64_t base)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0) return;
    program p = {.base = base, .shared = base != 0};
    if (!fstat(fd, &st) && st.st_size > 0) {
        p.bytes = (size_t)st.st_size;
        void *file = mmap(NULL, p.bytes, PROT_READ, MAP_PRIVATE, fd, 0);
        if (file != MAP_FAILED) {
            p.file = file;
            if (read_program(&p) && has(&p, "cudaMalloc") && has(&p, "__cudaRegisterFatBinary")) {
                redirect(&p);
                if (base) tell_again(&p);
            }
            munmap(file, p.bytes);
        }
    }
    close(fd);
}

static int count_unloaded(struct dl_phdr_info *info, size_t size, void *out)
{
    if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs)
        *(unsigned long long *)out = info->dlpi_subs;
    return 1;
}

enum { OBJECTS_MOST = 1024 };
static void object_begins(const void *inside)
{
    static uint64_t seen[OBJECTS_MOST];
    static int count;
    static unsigned long long unloaded;
    unsigned long long now = unloaded;
    const char *file;
    uint64_t base;
    if (!core_object_of(inside, &file, &base) || !*file || !base) return;
    dl_iterate_phdr(count_unloaded, &now);
    if (now != unloaded) count = 0; /* where one lay that has gone, another may be */
    unloaded = now;
    for (int i = 0; i < count; i++)
        if (seen[i] == base) return;
    if (count == OBJECTS_MOST) return;
    seen[count++] = base;
    take_place(file, base);
}

static int each_object(struct dl_phdr_info *info, size_t size, void *first)
{
    (void)size;
    if (!*(bool *)first && info->dlpi_addr && info->dlpi_name && *info->dlpi_name)
        object_begins((const void *)(uintptr_t)info->dlpi_addr);
    *(bool *)first = false;
    return 0;
}

__attribute__((constructor)) static void start(void)
{
    if (face_version != 13000 || !getenv("WARPSTEP_EXEC")) return;
    static const char itself[] = "/proc/self/exe";
    const char *named = getenv("WARPSTEP_PROGRAM"); /* of a sealed program, which may have no /proc */
    take_place(named ? named : itself, 0);
    bool first = true; /* the program itself */
    dl_iterate_phdr(each_object, &first);
    core_object_begins = object_begins;
}

#endif
