/*
 * Reads the multiboot information. Its addresses are trusted, since only the loader knows them; its lengths
 * are checked, and every list is bounded by the size that belongs to it.
 */
#include "firmware.h"
#include "kernel/lib/lib.h"

#define MB1_MAGIC 0x2BADB002u
#define MB2_MAGIC 0x36D76289u

/* Multiboot 1: flags say which fields are valid. */
#define MB1_HAS_MEMORY   (1u << 0)
#define MB1_HAS_DEVICE   (1u << 1)
#define MB1_HAS_LINE     (1u << 2)
#define MB1_HAS_MAP      (1u << 6)
#define MB1_HAS_NAME     (1u << 9)
#define MB1_HAS_SCREEN   (1u << 12)
#define MB1_ENTRY_HEADER 4u /* bytes of the size field before each map entry */

struct mb1_information {
    uint32_t flags, mem_lower, mem_upper, boot_device, cmdline, mods_count, mods_addr, syms[4], mmap_length,
        mmap_addr, drives_length, drives_addr, config_table, boot_loader_name;
};
#define MB1_SCREEN_AT 88u /* the framebuffer, beyond the fields of struct mb1_information */

/* Multiboot 2: a list of tags, each on an 8-byte boundary. */
enum mb2_tag_type {
    MB2_END = 0,
    MB2_LINE = 1,
    MB2_NAME = 2,
    MB2_MEMORY = 4,
    MB2_DEVICE = 5,
    MB2_MAP = 6,
    MB2_SCREEN = 8,
    MB2_EFI_32 =
        11, /* the system table; this tag and the next two exist under UEFI only, and so does MB2_EFI_MAP */
    MB2_EFI_64 = 12,
    MB2_RSDP_1 = 14,
    MB2_RSDP_2 = 15,
    MB2_EFI_MAP = 17,
};

struct mb2_tag {
    uint32_t type, size;
};

#define MB2_LINE_AT    8u /* after the tag header */
#define MB2_NAME_AT    8u
#define MB2_RSDP_AT    8u
#define MB2_MEMORY_AT  8u
#define MB2_DEVICE_AT  8u
#define MB2_MAP_AT     16u /* after the tag header, the size of an entry and a version */
#define MB2_SCREEN_AT  8u
#define MB2_EFI_AT     8u
#define MB2_LARGEST    0x100000u
#define MAP_ENTRY_SIZE 20u /* base, length and type, in both versions */

#define DRIVE_UNKNOWN     0xFFFFFFFFu
#define MB1_DRIVE(device) ((device) >> 24) /* the lower bytes name the partition */

#define MAP_RAM 1u
#define ONE_MB  0x100000u

static struct {
    bool line_cut;
    char line[BOOT_LINE_MAX + 1], name[MULTIBOOT_NAME_MAX + 1];
    unsigned version;
    uint8_t rsdp[36];
    size_t rsdp_length;
    bool has_framebuffer;
    uint8_t framebuffer[MULTIBOOT_FRAMEBUFFER_BYTES];
    bool uefi;
    uint32_t efi_system_table; /* 0: none */
    unsigned efi_pointer_bytes;
    uint32_t drive; /* BIOS number; above 255: unknown */
} loader;

/* Copy a text of at most `size` bytes, cut to max characters. True when it had to be cut. */
static bool copy_text(char *to, size_t max, const char *from, size_t size)
{
    size_t i = 0;

    for (; i < size && i < max && from[i] != '\0'; i++)
        to[i] = from[i];
    to[i] = '\0';
    return i == max && i < size && from[i] != '\0';
}

static void add_entry(const uint8_t *entry)
{
    memory_map_add(load64le(entry), load64le(entry + 8), load32le(entry + 16) == MAP_RAM);
}

/* Add the two ranges (in KB) that both versions give besides the map. They are used only when there is no
 * map. */
static void add_memory(uint32_t lower_kb, uint32_t upper_kb)
{
    memory_map_add(0, (uint64_t)lower_kb << 10, true);
    memory_map_add(ONE_MB, (uint64_t)upper_kb << 10, true);
}

static void read_framebuffer(const uint8_t *description)
{
    memcpy(loader.framebuffer, description, MULTIBOOT_FRAMEBUFFER_BYTES);
    loader.has_framebuffer = true;
}

static void read_mb1(uint32_t address)
{
    struct mb1_information info;

    memcpy(&info, (const void *)(uintptr_t)address, sizeof info);
    if ((info.flags & MB1_HAS_LINE) != 0 && info.cmdline != 0)
        loader.line_cut =
            copy_text(loader.line, BOOT_LINE_MAX, (const char *)(uintptr_t)info.cmdline, BOOT_LINE_MAX + 1);
    if ((info.flags & MB1_HAS_NAME) != 0 && info.boot_loader_name != 0)
        copy_text(loader.name, MULTIBOOT_NAME_MAX, (const char *)(uintptr_t)info.boot_loader_name,
                  MULTIBOOT_NAME_MAX);
    if ((info.flags & MB1_HAS_DEVICE) != 0)
        loader.drive = MB1_DRIVE(info.boot_device);
    if ((info.flags & MB1_HAS_MAP) != 0) {
        const uint8_t *at = (const uint8_t *)(uintptr_t)info.mmap_addr;
        uint32_t left = info.mmap_length;

        while (left >= MB1_ENTRY_HEADER + MAP_ENTRY_SIZE) {
            uint32_t size = load32le(at);
            if (size < MAP_ENTRY_SIZE || size > left - MB1_ENTRY_HEADER)
                break;
            add_entry(at + MB1_ENTRY_HEADER);
            at += MB1_ENTRY_HEADER + size;
            left -= MB1_ENTRY_HEADER + size;
        }
    }
    if ((info.flags & MB1_HAS_SCREEN) != 0)
        read_framebuffer((const uint8_t *)(uintptr_t)address + MB1_SCREEN_AT);
    if (memory_map_empty() && (info.flags & MB1_HAS_MEMORY) != 0)
        add_memory(info.mem_lower, info.mem_upper);
    memory_map_add_firmware(); /* iPXE names RAM alone */
}

static void read_mb2_map(const uint8_t *tag, uint32_t size)
{
    uint32_t entry_size = size >= MB2_MAP_AT ? load32le(tag + 8) : 0;

    if (entry_size < MAP_ENTRY_SIZE)
        return;
    for (uint32_t at = MB2_MAP_AT; entry_size <= size - at; at += entry_size)
        add_entry(tag + at);
}

static void read_rsdp(const uint8_t *tag, uint32_t size)
{
    uint32_t length = size - MB2_RSDP_AT;

    if (length > sizeof loader.rsdp)
        length = sizeof loader.rsdp;
    if (length > loader.rsdp_length) { /* there may be two: the longer one, ACPI 2.0's, is kept */
        memcpy(loader.rsdp, tag + MB2_RSDP_AT, length);
        loader.rsdp_length = length;
    }
}

static void read_efi(const uint8_t *pointer, unsigned bytes)
{
    if (bytes == 8 && load32le(pointer + 4) != 0)
        return;
    loader.efi_system_table = load32le(pointer);
    loader.efi_pointer_bytes = bytes;
}

static void read_mb2(uint32_t address)
{
    const uint8_t *base = (const uint8_t *)(uintptr_t)address;
    uint32_t total = load32le(base), lower_kb = 0, upper_kb = 0;

    if (total > MB2_LARGEST)
        total = MB2_LARGEST;
    for (uint32_t at = 8; at + sizeof(struct mb2_tag) <= total;) {
        struct mb2_tag tag;

        memcpy(&tag, base + at, sizeof tag);
        if (tag.type == MB2_END || tag.size < sizeof tag || tag.size > total - at)
            break;
        if (tag.type == MB2_EFI_32 || tag.type == MB2_EFI_64 || tag.type == MB2_EFI_MAP)
            loader.uefi = true;
        if (tag.type == MB2_EFI_32 && tag.size >= MB2_EFI_AT + 4)
            read_efi(base + at + MB2_EFI_AT, 4);
        else if (tag.type == MB2_EFI_64 && tag.size >= MB2_EFI_AT + 8)
            read_efi(base + at + MB2_EFI_AT, 8);
        else if (tag.type == MB2_LINE)
            loader.line_cut = copy_text(loader.line, BOOT_LINE_MAX, (const char *)base + at + MB2_LINE_AT,
                                        tag.size - MB2_LINE_AT);
        else if (tag.type == MB2_NAME)
            copy_text(loader.name, MULTIBOOT_NAME_MAX, (const char *)base + at + MB2_NAME_AT,
                      tag.size - MB2_NAME_AT);
        else if (tag.type == MB2_MAP)
            read_mb2_map(base + at, tag.size);
        else if (tag.type == MB2_DEVICE && tag.size >= MB2_DEVICE_AT + 4)
            loader.drive = load32le(base + at + MB2_DEVICE_AT);
        else if (tag.type == MB2_RSDP_1 || tag.type == MB2_RSDP_2)
            read_rsdp(base + at, tag.size);
        else if (tag.type == MB2_SCREEN && tag.size >= MB2_SCREEN_AT + MULTIBOOT_FRAMEBUFFER_BYTES)
            read_framebuffer(base + at + MB2_SCREEN_AT);
        else if (tag.type == MB2_MEMORY && tag.size >= MB2_MEMORY_AT + 8) {
            lower_kb = load32le(base + at + MB2_MEMORY_AT);
            upper_kb = load32le(base + at + MB2_MEMORY_AT + 4);
        }
        at += (tag.size + 7) & ~7u;
    }
    if (memory_map_empty())
        add_memory(lower_kb, upper_kb);
}

bool multiboot_read(uint32_t magic, uint32_t address)
{
    memset(&loader, 0, sizeof loader);
    memory_map_clear();
    loader.drive = DRIVE_UNKNOWN;
    loader.efi_pointer_bytes = 4;
    loader.version = magic == MB1_MAGIC ? 1 : magic == MB2_MAGIC ? 2 : 0;
    if (loader.version == 1)
        read_mb1(address);
    else if (loader.version == 2)
        read_mb2(address);
    return loader.version != 0;
}

const char *multiboot_boot_line(void)
{
    return loader.line;
}

bool multiboot_boot_line_cut(void)
{
    return loader.line_cut;
}

const char *multiboot_loader_name(void)
{
    return loader.name;
}

unsigned multiboot_version(void)
{
    return loader.version;
}

const uint8_t *multiboot_rsdp(size_t *length)
{
    *length = loader.rsdp_length;
    return loader.rsdp_length > 0 ? loader.rsdp : NULL;
}

const uint8_t *multiboot_framebuffer(void)
{
    return loader.has_framebuffer ? loader.framebuffer : NULL;
}

bool multiboot_under_uefi(void)
{
    return loader.uefi;
}

uint32_t multiboot_efi_system_table(unsigned *pointer_bytes)
{
    *pointer_bytes = loader.efi_pointer_bytes;
    return loader.efi_system_table;
}

bool multiboot_boot_drive(uint8_t *drive)
{
    *drive = (uint8_t)loader.drive;
    return loader.drive <= UINT8_MAX;
}
