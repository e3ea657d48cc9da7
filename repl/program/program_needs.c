/* program_needs.c: which of NVIDIA's libraries an executable asks the loader for that cannot be simulated. The
 * loader says that such a file is not there; that it would not help to install it, it cannot know. */
#include "program.h"
#include "cuda/library_names.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool inside(uint64_t bytes, uint64_t at, uint64_t size) { return at <= bytes && size <= bytes - at; }

/* Nothing in the file is trusted. */
static void read_needs(const unsigned char *file, uint64_t bytes, struct words *out)
{
    Elf64_Ehdr e;
    memcpy(&e, file, sizeof e);
    if (memcmp(e.e_ident, ELFMAG, SELFMAG) || e.e_ident[EI_CLASS] != ELFCLASS64 ||
        e.e_shentsize != sizeof(Elf64_Shdr) || !inside(bytes, e.e_shoff, (uint64_t)e.e_shnum * sizeof(Elf64_Shdr)))
        return;
    for (int i = 0; i < e.e_shnum; i++) {
        Elf64_Shdr s, names;
        memcpy(&s, file + e.e_shoff + (uint64_t)i * sizeof s, sizeof s);
        if (s.sh_type != SHT_DYNAMIC || s.sh_link >= e.e_shnum || !inside(bytes, s.sh_offset, s.sh_size)) continue;
        memcpy(&names, file + e.e_shoff + (uint64_t)s.sh_link * sizeof names, sizeof names);
        if (!inside(bytes, names.sh_offset, names.sh_size)) continue;
        const char *text = (const char *)file + names.sh_offset;
        for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= s.sh_size; at += sizeof(Elf64_Dyn)) {
            Elf64_Dyn d;
            memcpy(&d, file + s.sh_offset + at, sizeof d);
            if (d.d_tag != DT_NEEDED || d.d_un.d_val >= names.sh_size ||
                !memchr(text + d.d_un.d_val, 0, names.sh_size - d.d_un.d_val) || !library_called(text + d.d_un.d_val))
                continue;
            char said[200];
            snprintf(said, sizeof said, "%s (%s)", library_called(text + d.d_un.d_val), text + d.d_un.d_val);
            words_add(out, said);
        }
    }
}

void program_needs(const char *path, struct words *out)
{
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size >= (off_t)sizeof(Elf64_Ehdr)) {
        void *file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (file != MAP_FAILED) {
            read_needs(file, (uint64_t)st.st_size, out);
            munmap(file, (size_t)st.st_size);
        }
    }
    close(fd);
}
