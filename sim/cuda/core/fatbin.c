/* fatbin.c: finds the PTX in what a compiler embedded: PTX as text, or a fat binary of entries.
 *
 * A fat binary begins with a header of 16 bytes (magic, version, header's bytes, bytes behind it).
 * Each entry behind it has a header too: kind (1: PTX, 2: machine code), its own bytes, those of the
 * content, those of the content as it is packed, version, architecture, flags, and those of the
 * content unpacked. The wrapper that __cudaRegisterFatBinary gets points to the header.
 */
#define _GNU_SOURCE
#include "core.h"
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    WRAPPER = 0x466243b1,
    HEADER = (int)0xba55ed50,
    KIND_PTX = 1,
    KIND_MACHINE = 2,
    FLAG_LZ4 = 0x2000,
    FLAG_ZSTD = 0x8000,
    TEXT_MOST = 256 << 20
};

static uint64_t number(const unsigned char *p, int bytes)
{
    uint64_t v = 0;
    for (int i = bytes; i--;) v = v << 8 | p[i];
    return v;
}

/* An LZ4 block. -1: it is damaged, or `to` is too small. */
long lz4_expand(const unsigned char *from, size_t from_bytes, unsigned char *to, size_t to_bytes)
{
    const unsigned char *in = from, *const end = from + from_bytes;
    unsigned char *out = to, *const out_end = to + to_bytes;
    while (in < end) {
        const unsigned token = *in++;
        size_t plain = token >> 4, again = token & 15;
        if (plain == 15) do {
                if (in == end) return -1;
                plain += *in;
            } while (*in++ == 255);
        if (plain > (size_t)(end - in) || plain > (size_t)(out_end - out)) return -1;
        memcpy(out, in, plain);
        in += plain;
        out += plain;
        if (in == end) return out - to;
        if (end - in < 2) return -1;
        const size_t back = (size_t)in[0] | (size_t)in[1] << 8;
        in += 2;
        if (again == 15) do {
                if (in == end) return -1;
                again += *in;
            } while (*in++ == 255);
        again += 4;
        if (!back || back > (size_t)(out - to) || again > (size_t)(out_end - out)) return -1;
        for (; again; again--, out++) *out = out[-(long)back];
    }
    return out - to;
}

typedef size_t zstd_fn(void *to, size_t to_bytes, const void *from, size_t from_bytes);

static long zstd_expand(const unsigned char *from, size_t from_bytes, unsigned char *to, size_t to_bytes, bool *lacks)
{
    static zstd_fn *expand;
    static bool tried;
    if (!tried) {
        void *lib = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
        if (lib) {
            void *at = dlsym(lib, "ZSTD_decompress");
            memcpy(&expand, &at, sizeof expand);
        }
        tried = true;
    }
    *lacks = !expand;
    if (!expand) return -1;
    const size_t n = expand(to, to_bytes, from, from_bytes);
    return n > to_bytes ? -1 : (long)n;
}

static int take_text(const char *from, size_t bytes, char **text, size_t *out)
{
    while (bytes && !from[bytes - 1]) bytes--;
    *text = malloc(bytes + 1);
    if (!*text) return E_MemoryAllocation;
    memcpy(*text, from, bytes);
    (*text)[bytes] = 0;
    *out = bytes;
    return E_OK;
}

static int expand_entry(const unsigned char *e, char **text, size_t *bytes, char *why, size_t why_size)
{
    const uint64_t head = number(e + 4, 4), content = number(e + 8, 8), packed = number(e + 16, 4);
    const uint64_t flags = number(e + 40, 8), whole = number(e + 56, 8);
    const unsigned char *data = e + head;
    if (!(flags & (FLAG_LZ4 | FLAG_ZSTD))) return take_text((const char *)data, content, text, bytes);
    if (!whole || whole > TEXT_MOST || packed > content) return E_InvalidKernelImage;
    unsigned char *to = malloc(whole + 1);
    if (!to) return E_MemoryAllocation;
    bool lacks = false;
    const long n = flags & FLAG_ZSTD ? zstd_expand(data, packed ? packed : content, to, whole, &lacks)
                                     : lz4_expand(data, packed ? packed : content, to, whole);
    int code = n < 0 ? E_InvalidKernelImage : take_text((char *)to, (size_t)n, text, bytes);
    if (lacks)
        snprintf(why, why_size,
                 "its PTX is compressed and libzstd.so.1 is not installed: install it, or rebuild with nvcc "
                 "--compress-mode none");
    free(to);
    return code;
}

/* In memory of the program, of which nobody has said how much there is. */
static bool readable(const unsigned char *p, uint64_t bytes) { return region_host_bytes((uintptr_t)p, bytes) == bytes; }

/* Of a text in such memory; SIZE_MAX: it has no end. */
static size_t text_length(const unsigned char *p)
{
    enum { PIECE = 1 << 16 };
    for (size_t n = 0; n < TEXT_MOST; n += PIECE) {
        const size_t there = region_host_bytes((uintptr_t)p + n, PIECE), length = strnlen((const char *)p + n, there);
        if (length < there) return n + length;
        if (there < PIECE) break;
    }
    return SIZE_MAX;
}

int fatbin_text(const void *data, size_t most, int arch, char **text, size_t *bytes, char *why, size_t why_size)
{
    const unsigned char *p = data;
    *why = 0;
    if (!p || (most && most < 8)) return E_InvalidKernelImage;
    const bool bounded = most;
    if (!bounded && !readable(p, 16)) return E_InvalidKernelImage;
    if (!bounded && (uint32_t)number(p, 4) == WRAPPER) { /* in memory of the program: it has a pointer */
        memcpy(&p, p + 8, sizeof p);
        if (!p || !readable(p, 16)) return E_InvalidKernelImage;
    }
    if (!memcmp(p, "\177ELF", 4)) {
        snprintf(why, why_size,
                 "it holds machine code only, which cannot be simulated: hand over PTX (nvcc -ptx; NVRTC: "
                 "--gpu-architecture=compute_XX and nvrtcGetPTX)");
        return E_NoKernelImageForDevice;
    }
    if ((uint32_t)number(p, 4) != (uint32_t)HEADER) { /* PTX, ending with a NUL */
        const size_t length = bounded ? strnlen((const char *)p, most) : text_length(p);
        if (length == SIZE_MAX) return E_InvalidKernelImage;
        const int code = take_text((const char *)p, length, text, bytes);
        if (code || strstr(*text, ".version")) return code;
        free(*text);
        *text = NULL;
        return E_InvalidKernelImage;
    }
    if (bounded && most < 16) return E_InvalidKernelImage;
    const uint64_t head = number(p + 6, 2), total = number(p + 8, 8);
    if (bounded ? head > most || total > most - head : total > UINT64_MAX - head - (uintptr_t)p)
        return E_InvalidKernelImage;
    const unsigned char *e = p + head, *const end = e + total, *best = NULL;
    bool machine = false, there = true;
    while (end - e >= 64 && (there = bounded || readable(e, 64))) {
        const uint64_t entry_head = number(e + 4, 4), content = number(e + 8, 8);
        const int entry_arch = (int)number(e + 28, 4), best_arch = best ? (int)number(best + 28, 4) : 0;
        const uint64_t left = (uint64_t)(end - e);
        if (entry_head < 32 || entry_head > left || content > left - entry_head) break;
        if (number(e, 2) == KIND_MACHINE) machine = true;
        /* the newest that the card knows; else the oldest */
        if (number(e, 2) == KIND_PTX && content &&
            (!best || (entry_arch <= arch ? entry_arch >= best_arch || best_arch > arch
                                          : best_arch > arch && entry_arch < best_arch)))
            best = e;
        e += entry_head + content;
    }
    if (best && !bounded) there = there && readable(best, number(best + 4, 4) + number(best + 8, 8));
    if (!there) {
        snprintf(why, why_size, "its header says that it has %llu bytes, and there are fewer",
                 (unsigned long long)total);
        return E_InvalidKernelImage;
    }
    if (best) return expand_entry(best, text, bytes, why, why_size);
    snprintf(why, why_size, "%s",
             machine
                 ? "it holds machine code only, which cannot be simulated: rebuild with nvcc -arch=sm_XX (which keeps "
                   "PTX), or add -gencode arch=compute_XX,code=compute_XX"
                 : "it holds no PTX");
    return E_NoKernelImageForDevice;
}

/* ---- several files ----
 * nvcc -rdc=true links machine code, which is what the program registers; the PTX of each file lies
 * in a section of its own, __nv_relfatbin, one fat binary after another. Objects and libraries hold
 * the same. */

void ptx_texts_free(ptx_texts *t)
{
    for (int i = 0; i < t->count; i++) free(t->v[i]);
    free(t->v);
    *t = (ptx_texts){0};
}

static int take_fatbin(ptx_texts *t, const void *data, size_t bytes, int arch, char *why, size_t why_size)
{
    char **more = realloc(t->v, ((size_t)t->count + 2) * sizeof *more), *text;
    size_t n;
    if (!more) return E_MemoryAllocation;
    t->v = more;
    const int code = fatbin_text(data, bytes, arch, &text, &n, why, why_size);
    if (code) return code;
    if (device_launch_theirs(text)) free(text); /* our functions take the place of NVIDIA's */
    else t->v[t->count++] = text;
    return E_OK;
}

/* Fat binaries, one after another. One without PTX counts for nothing, but says why. */
static int take_section(ptx_texts *t, const unsigned char *p, size_t size, int arch, char *why, size_t why_size)
{
    for (size_t at = 0; at + 16 <= size;) {
        if ((uint32_t)number(p + at, 4) != (uint32_t)HEADER) {
            at += 8;
            continue;
        }
        const uint64_t head = number(p + at + 6, 2), whole = head + number(p + at + 8, 8);
        if (whole > size - at || whole < head || whole < 16) return E_InvalidKernelImage;
        if (take_fatbin(t, p + at, whole, arch, why, why_size) == E_MemoryAllocation) return E_MemoryAllocation;
        at += whole;
    }
    return E_OK;
}

enum { ELF_CUDA = 190 };
/* The fat binaries in a section of an ELF file of that name. */
static int take_elf(ptx_texts *t, const unsigned char *file, uint64_t all, const char *wanted, int arch, char *why,
                    size_t why_size)
{
    const Elf64_Ehdr *e = (const void *)file;
    if (all < sizeof *e || memcmp(e->e_ident, ELFMAG, SELFMAG) || e->e_ident[EI_CLASS] != ELFCLASS64 ||
        e->e_shoff % 8 || e->e_shoff >= all || (uint64_t)e->e_shnum * sizeof(Elf64_Shdr) > all - e->e_shoff ||
        e->e_shstrndx >= e->e_shnum)
        return E_InvalidKernelImage;
    const Elf64_Shdr *s = (const void *)(file + e->e_shoff), *names = &s[e->e_shstrndx];
    const size_t length = strlen(wanted) + 1;
    for (int i = 0; i < e->e_shnum; i++) {
        const uint64_t name = names->sh_offset + s[i].sh_name;
        if (names->sh_offset > all || all < length || name > all - length || memcmp(file + name, wanted, length))
            continue;
        if (s[i].sh_offset > all || s[i].sh_size > all - s[i].sh_offset) continue;
        return take_section(t, file + s[i].sh_offset, s[i].sh_size, arch, why, why_size);
    }
    return E_OK;
}

static int take_object(ptx_texts *t, const void *data, size_t bytes, int arch, char *why, size_t why_size)
{
    int code = take_elf(t, data, bytes, "__nv_relfatbin", arch, why, why_size);
    return code ? code : take_elf(t, data, bytes, ".nv_fatbin", arch, why, why_size);
}

/* A library of objects: a head of 60 characters before each, whose bytes stand at 48 in decimal. The
 * objects lie at even addresses only: each is copied. */
static int take_library(ptx_texts *t, const char *p, size_t size, int arch, char *why, size_t why_size)
{
    for (size_t at = 8; at + 60 <= size;) {
        char text[11] = "";
        memcpy(text, p + at + 48, 10);
        const size_t bytes = strtoul(text, NULL, 10);
        at += 60;
        if (bytes > size - at) return E_InvalidKernelImage;
        if (bytes > 4 && !memcmp(p + at, ELFMAG, SELFMAG)) {
            void *object = malloc(bytes);
            if (!object) return E_MemoryAllocation;
            memcpy(object, p + at, bytes);
            const int code = take_object(t, object, bytes, arch, why, why_size);
            free(object);
            if (code) return code;
        }
        at += bytes + bytes % 2;
    }
    return E_OK;
}

int fatbin_take(ptx_texts *t, const void *data, size_t bytes, int arch, char *why, size_t why_size)
{
    const int before = t->count;
    int code = E_OK;
    *why = 0;
    if (!data || bytes < 8) return E_InvalidKernelImage;
    if (bytes >= sizeof(Elf64_Ehdr) && !memcmp(data, ELFMAG, SELFMAG)) {
        Elf64_Ehdr e;
        memcpy(&e, data, sizeof e);
        if (e.e_machine != ELF_CUDA) code = take_object(t, data, bytes, arch, why, why_size);
        else snprintf(why, why_size, "it is machine code, which cannot be simulated: link PTX");
    } else if (!memcmp(data, "!<arch>\n", 8)) {
        code = take_library(t, data, bytes, arch, why, why_size);
        if (!code && t->count == before && !*why) return E_OK; /* of the host's alone, or NVIDIA's device runtime */
    } else if (bytes >= 16 && (uint32_t)number(data, 4) == (uint32_t)HEADER)
        code = take_section(t, data, bytes, arch, why, why_size);
    else if (memchr(data, 0, bytes) == (const char *)data + bytes - 1 || !memchr(data, 0, bytes))
        code = take_fatbin(t, data, bytes, arch, why, why_size);
    else
        snprintf(why, why_size, "it is neither PTX nor something that holds PTX (link-time optimization is not there)");
    if (code || t->count > before) return code;
    return E_NoKernelImageForDevice;
}

int fatbin_linked(const void *data, int arch, char **text, size_t *bytes, char *why, size_t why_size)
{
    Dl_info where;
    struct stat st;
    if (!dladdr(data, &where) || !where.dli_fname) return E_NoKernelImageForDevice;
    int fd = open(where.dli_fname, O_RDONLY | O_CLOEXEC);
    if (fd < 0) fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return E_NoKernelImageForDevice;
    const unsigned char *file = fstat(fd, &st) || st.st_size < (off_t)sizeof(Elf64_Ehdr)
                                    ? MAP_FAILED
                                    : mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (file == MAP_FAILED) return E_NoKernelImageForDevice;
    ptx_texts t = {0};
    int code = take_elf(&t, file, (uint64_t)st.st_size, "__nv_relfatbin", arch, why, why_size);
    munmap((void *)(uintptr_t)file, (size_t)st.st_size);
    bool launches = false; /* kernels launch kernels */
    for (int i = 0; i < t.count; i++) launches |= device_launch_wanted(t.v[i]);
    if (launches && (t.v[t.count] = strdup(device_launch_ptx)) != NULL) t.count++;
    if (!code) code = t.count ? ptx_link(t.v, t.count, text, bytes) : E_NoKernelImageForDevice;
    ptx_texts_free(&t);
    return code;
}
