/*
 * Multiboot header search, ELF32 checks and segment copy. All arithmetic on values from the file is done in
 * 64 bits, so that no sum can wrap past a check.
 */
#include "elf_loader.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#define HEADER_MAGIC        0x1BADB002u
#define HEADER_SEARCH       8192u        /* the header lies within so many bytes */
#define HEADER_ADDRESSES    FLAG_BIT(16) /* load address fields are valid: not for ELF images */
#define HEADER_REQUIRED     0xFFFFu      /* [15:0]: features the loader must know or refuse */
#define HEADER_UNDERSTOOD   (FLAG_BIT(0) | FLAG_BIT(1)) /* page alignment, memory information */
#define FLAG_BIT(n)         (1u << (n))
#define LOADER_MAX_SEGMENTS 64u

static bool fail(char *error, size_t error_size, const char *text)
{
    snprintf(error, error_size, "%s", text);
    return false;
}

static uint32_t word_at(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* The header is 32-bit aligned and its three words add up to 0. */
static bool check_header(const uint8_t *file, size_t size, char *error, size_t error_size)
{
    size_t searched = size < HEADER_SEARCH ? size : HEADER_SEARCH;
    for (size_t at = 0; at + 12 <= searched; at += 4) {
        uint32_t flags = word_at(file + at + 4);
        if (word_at(file + at) != HEADER_MAGIC || HEADER_MAGIC + flags + word_at(file + at + 8) != 0)
            continue;
        if (flags & HEADER_REQUIRED & ~HEADER_UNDERSTOOD) {
            snprintf(error, error_size, "multiboot header asks for features %XH; only %XH are offered",
                     flags & HEADER_REQUIRED, HEADER_UNDERSTOOD);
            return false;
        }
        if (flags & HEADER_ADDRESSES)
            return fail(error, error_size,
                        "multiboot header uses address fields; only ELF images are loaded");
        return true;
    }
    return fail(error, error_size, "no multiboot 1 header in the first 8192 bytes");
}

static bool check_elf_header(const Elf32_Ehdr *elf, size_t size, char *error, size_t error_size)
{
    if (memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0)
        return fail(error, error_size, "not an ELF file");
    if (elf->e_ident[EI_CLASS] != ELFCLASS32 || elf->e_ident[EI_DATA] != ELFDATA2LSB ||
        elf->e_type != ET_EXEC || elf->e_machine != EM_386)
        return fail(error, error_size, "not a 32-bit i386 ELF executable");
    if (elf->e_phentsize != sizeof(Elf32_Phdr) || elf->e_phnum == 0 || elf->e_phnum > LOADER_MAX_SEGMENTS)
        return fail(error, error_size, "ELF program header table is malformed (1 to 64 entries of 32 bytes)");
    if ((uint64_t)elf->e_phoff + (uint64_t)elf->e_phnum * sizeof(Elf32_Phdr) > size)
        return fail(error, error_size, "file is truncated: the ELF program headers lie beyond its end");
    return true;
}

/* Does this program header put anything into memory? */
static bool is_loaded(const Elf32_Phdr *segment)
{
    return segment->p_type == PT_LOAD && segment->p_memsz != 0;
}

static bool check_segment(const Elf32_Phdr *segment, unsigned number, size_t size, size_t ram_size,
                          char *error, size_t error_size)
{
    const char *wrong = NULL;
    uint64_t end = (uint64_t)segment->p_paddr + segment->p_memsz;
    if ((uint64_t)segment->p_offset + segment->p_filesz > size)
        wrong = "file is truncated: its bytes lie beyond the end";
    else if (segment->p_filesz > segment->p_memsz)
        wrong = "it is larger in the file than in memory";
    else if (segment->p_paddr < LOADER_LOWEST)
        wrong = "it lies below 1 MiB";
    else if (end > ram_size)
        wrong = "it lies beyond the end of memory";
    if (!wrong)
        return true;
    snprintf(error, error_size, "ELF segment %u at %XH, %u bytes: %s", number, segment->p_paddr,
             segment->p_memsz, wrong);
    return false;
}

static bool overlap(const Elf32_Phdr *a, const Elf32_Phdr *b)
{
    return a->p_paddr < (uint64_t)b->p_paddr + b->p_memsz && b->p_paddr < (uint64_t)a->p_paddr + a->p_memsz;
}

static bool check_segments(const Elf32_Phdr *segments, unsigned count, size_t size, size_t ram_size,
                           char *error, size_t error_size)
{
    unsigned loads = 0;
    for (unsigned i = 0; i < count; i++) {
        if (!is_loaded(&segments[i]))
            continue;
        loads++;
        if (!check_segment(&segments[i], i, size, ram_size, error, error_size))
            return false;
        for (unsigned j = 0; j < i; j++) {
            if (!is_loaded(&segments[j]) || !overlap(&segments[i], &segments[j]))
                continue;
            snprintf(error, error_size, "ELF segments %u and %u overlap at %XH", j, i, segments[i].p_paddr);
            return false;
        }
    }
    return loads || fail(error, error_size, "ELF file has nothing to load");
}

/* The entry point is a virtual address; the physical one follows from the segment that holds it. */
static bool find_entry(struct loaded_image *image, uint32_t entry, const Elf32_Phdr *segments, unsigned count,
                       char *error, size_t error_size)
{
    for (unsigned i = 0; i < count; i++) {
        const Elf32_Phdr *segment = &segments[i];
        if (!is_loaded(segment) || !(segment->p_flags & PF_X) ||
            entry - segment->p_vaddr >=
                segment->p_filesz /* true below the segment too, since the difference is unsigned */)
            continue;
        image->entry = entry - segment->p_vaddr + segment->p_paddr;
        return true;
    }
    snprintf(error, error_size, "ELF entry point %XH is in no executable segment", entry);
    return false;
}

bool loader_load(struct loaded_image *image, const uint8_t *file, size_t file_size, uint8_t *ram,
                 size_t ram_size, char *error, size_t error_size)
{
    Elf32_Ehdr elf;
    Elf32_Phdr segments[LOADER_MAX_SEGMENTS];

    if (file_size < sizeof elf)
        return fail(error, error_size, "file is too short to be an ELF image");
    memcpy(&elf, file, sizeof elf);
    if (!check_elf_header(&elf, file_size, error, error_size) ||
        !check_header(file, file_size, error, error_size))
        return false;
    memcpy(segments, file + elf.e_phoff, elf.e_phnum * sizeof segments[0]);
    if (!check_segments(segments, elf.e_phnum, file_size, ram_size, error, error_size) ||
        !find_entry(image, elf.e_entry, segments, elf.e_phnum, error, error_size))
        return false;

    image->end = LOADER_LOWEST;
    for (unsigned i = 0; i < elf.e_phnum; i++) {
        const Elf32_Phdr *segment = &segments[i];
        if (!is_loaded(segment))
            continue;
        memcpy(ram + segment->p_paddr, file + segment->p_offset, segment->p_filesz);
        memset(ram + segment->p_paddr + segment->p_filesz, 0, segment->p_memsz - segment->p_filesz);
        if (segment->p_paddr + segment->p_memsz > image->end)
            image->end = segment->p_paddr + segment->p_memsz;
    }
    return true;
}
