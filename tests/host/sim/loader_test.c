/*
 * p4sim's multiboot loader against valid and malformed images. Expectations from the Multiboot specification
 * (3.1.1, 3.1.2) and the ELF32 layout; the image is built here, field by field.
 */
#include "tests/host/support/host_test.h"
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "sim/board/elf_loader.h"

#define MAGIC       0x1BADB002u
#define MEMORY_SIZE (4u * 1024 * 1024)
#define HEADER_AT   256u /* file offset of the multiboot header */
#define TEXT_AT     512u
#define DATA_AT     768u
#define FILE_SIZE   1024u
#define TEXT        0x100000u
#define DATA        0x200000u

static uint8_t ram[MEMORY_SIZE];
static char error[200];

/* The file under test: good before each test, then changed, and good again after each attempt to load it. */
static struct image {
    Elf32_Ehdr elf;
    Elf32_Phdr text, data;
    uint32_t multiboot[3];
    uint8_t file[16 * 1024];
    size_t header_at, size;
} image;

/* Make the image a correct one: code at 1 MiB, data with a .bss at 2 MiB. */
BEFORE_EACH(good)
{
    memset(&image, 0, sizeof image);
    memcpy(image.elf.e_ident, ELFMAG, SELFMAG);
    image.elf.e_ident[EI_CLASS] = ELFCLASS32;
    image.elf.e_ident[EI_DATA] = ELFDATA2LSB;
    image.elf.e_type = ET_EXEC;
    image.elf.e_machine = EM_386;
    image.elf.e_entry = TEXT + 16;
    image.elf.e_phoff = sizeof image.elf;
    image.elf.e_phentsize = sizeof(Elf32_Phdr);
    image.elf.e_phnum = 2;
    image.text = (Elf32_Phdr){PT_LOAD, TEXT_AT, TEXT, TEXT, 256, 256, PF_R | PF_X, 1};
    image.data = (Elf32_Phdr){PT_LOAD, DATA_AT, DATA, DATA, 64, 128, PF_R | PF_W, 1};
    image.multiboot[0] = MAGIC;
    image.multiboot[1] = 3;
    image.multiboot[2] = 0u - (MAGIC + 3);
    image.header_at = HEADER_AT;
    image.size = FILE_SIZE;
}

static bool load(struct loaded_image *loaded)
{
    memset(image.file + TEXT_AT, 0x90, 256);
    memset(image.file + DATA_AT, 0x5A, 64);
    memcpy(image.file, &image.elf, sizeof image.elf);
    memcpy(image.file + sizeof image.elf, &image.text, sizeof image.text);
    memcpy(image.file + sizeof image.elf + sizeof image.text, &image.data, sizeof image.data);
    memcpy(image.file + image.header_at, image.multiboot, sizeof image.multiboot);
    memset(ram + TEXT - 1, 0xCC, DATA + 256 - TEXT);
    memset(error, 0, sizeof error);
    bool good_image = loader_load(loaded, image.file, image.size, ram, sizeof ram, error, sizeof error);
    good();
    return good_image;
}

/* Refused, with a line that contains words. */
static void refused(const char *words)
{
    struct loaded_image loaded;
    assert_false(load(&loaded));
    if (!strstr(error, words))
        fail_msg("message \"%s\" does not say \"%s\"", error, words);
}

/* Refused after this change alone. */
#define refused_with(change, words) (change, refused(words))

TEST(loads_a_good_image)
{
    struct loaded_image loaded;
    assert_true(load(&loaded));
    assert_int_equal(loaded.entry, TEXT + 16);
    assert_int_equal(loaded.end, DATA + 128);
    assert_int_equal(ram[TEXT], 0x90);
    assert_int_equal(ram[TEXT - 1], 0xCC);
    assert_int_equal(ram[DATA + 63], 0x5A);
    assert_int_equal(ram[DATA + 64], 0); /* the part beyond p_filesz is zeroed */
    assert_int_equal(ram[DATA + 127], 0);
    assert_int_equal(ram[DATA + 128], 0xCC);
}

TEST(entry_is_translated_to_physical)
{
    struct loaded_image loaded;
    image.text.p_vaddr = 0xC0100000u;
    image.elf.e_entry = 0xC0100020u;
    assert_true(load(&loaded));
    assert_int_equal(loaded.entry, TEXT + 0x20);
}

/* Every shorter file lacks a part of the last segment or more: none loads. */
TEST(truncation)
{
    for (size_t size = 0; size < DATA_AT + 64; size++) {
        image.size = size;
        refused("");
    }
    refused_with(image.size = DATA_AT + 63, "truncated");
    refused_with(image.size = sizeof(Elf32_Ehdr) - 1, "too short");
}

TEST(multiboot_header)
{
    struct loaded_image loaded;
    refused_with(image.multiboot[0] ^= 1, "no multiboot");
    refused_with(image.multiboot[2] ^= 0x100, "no multiboot");     /* the three words must add up to 0 */
    refused_with(image.header_at = HEADER_AT + 2, "no multiboot"); /* it must be aligned to 4 */
    image.size = sizeof image.file;
    image.header_at = 8192 - 12; /* the last place where it is contained in the first 8192 bytes */
    assert_true(load(&loaded));
    image.size = sizeof image.file;
    refused_with(image.header_at = 8192 - 8, "no multiboot");
}

TEST(multiboot_flags)
{
    for (unsigned bit = 2; bit < 16; bit++) { /* [15:0] must be understood: only 0 and 1 are */
        image.multiboot[1] = 1u << bit;
        image.multiboot[2] = 0u - (MAGIC + image.multiboot[1]);
        refused("features");
    }
    image.multiboot[1] = 1u << 16;
    refused_with(image.multiboot[2] = 0u - (MAGIC + image.multiboot[1]), "address fields");
}

TEST(elf_identity)
{
    refused_with(image.elf.e_ident[0] = 'M', "not an ELF");
    refused_with(image.elf.e_ident[EI_CLASS] = ELFCLASS64, "32-bit i386");
    refused_with(image.elf.e_ident[EI_DATA] = ELFDATA2MSB, "32-bit i386");
    refused_with(image.elf.e_machine = EM_ARM, "32-bit i386");
    refused_with(image.elf.e_type = ET_REL, "32-bit i386");
}

TEST(program_headers)
{
    refused_with(image.elf.e_phnum = 0, "program header");
    refused_with(image.elf.e_phnum = 0xFFFF, "program header");
    refused_with(image.elf.e_phentsize = 16, "program header");
    refused_with(image.elf.e_phoff = 0xFFFFFFF0u, "truncated"); /* + 64 wraps in 32 bits */
    image.text.p_type = PT_NOTE;
    refused_with(image.data.p_type = PT_NOTE, "nothing to load");
}

TEST(segments)
{
    refused_with(image.data.p_offset = 0xFFFFFFE0u, "truncated"); /* + 64 wraps in 32 bits */
    refused_with(image.data.p_filesz = 129, "larger in the file");
    refused_with(image.data.p_paddr = 0xFFFFF, "below 1 MiB");
    refused_with(image.data.p_paddr = MEMORY_SIZE - 127, "beyond the end of memory");
    refused_with(image.data.p_memsz = 0xFFFFFF00u,
                 "beyond the end of memory"); /* p_paddr + p_memsz wraps in 32 bits */
    refused_with(image.data.p_paddr = TEXT + 255, "overlap");
}

TEST(segments_up_to_the_last_byte)
{
    struct loaded_image loaded;
    image.data.p_paddr = MEMORY_SIZE - 128;
    assert_true(load(&loaded));
    assert_int_equal(loaded.end, MEMORY_SIZE);
    image.data.p_paddr = TEXT + 256; /* touching is not overlapping */
    assert_true(load(&loaded));
}

TEST(entry_point)
{
    refused_with(image.elf.e_entry = TEXT - 1, "entry point");
    refused_with(image.elf.e_entry = TEXT + 256, "entry point");
    refused_with(image.elf.e_entry = DATA, "entry point"); /* not executable */
    image.data.p_flags = PF_R | PF_X;
    image.data.p_memsz = 0; /* nothing of it is loaded */
    refused_with(image.elf.e_entry = DATA, "entry point");
}
