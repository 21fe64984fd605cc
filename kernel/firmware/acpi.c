/* ACPI: the root pointer (RSDP) leads to the RSDT or XSDT, which lists the tables. Of the MADT only the
 * entries of local APICs and I/O APICs are read. */
#include "firmware.h"
#include "kernel/lib/lib.h"

#define RSDP_BYTES         20u /* the part that ACPI 1.0 defined: it has its own checksum */
#define RSDP2_BYTES        36u
#define RSDP_REVISION_AT   15u
#define RSDP_RSDT_AT       16u
#define RSDP_XSDT_AT       24u
#define TABLE_LENGTH_AT    4u
#define TABLE_LARGEST      0x10000u
#define MADT_ENTRIES_AT    44u
#define MADT_LOCAL_APIC    0u
#define LOCAL_APIC_BYTES   8u
#define LOCAL_APIC_ID_AT   3u
#define LOCAL_APIC_FLAGS   4u
#define LOCAL_APIC_ENABLED 1u
#define ALL_PROCESSORS     0xFFu /* no processor has this ID */
#define MADT_LOCAL_X2APIC  9u
#define LOCAL_X2APIC_BYTES 16u
#define LOCAL_X2APIC_ID    4u
#define LOCAL_X2APIC_FLAGS 8u
#define MADT_IO_APIC       1u
#define IO_APIC_BYTES      12u
#define IO_APIC_ADDRESS    4u
#define EBDA_SEARCHED      1024u
#define BIOS_BEGIN         0xE0000u
#define BIOS_BYTES         0x20000u
#define PARAGRAPH          16u

static bool is_rsdp(const uint8_t *at)
{
    return memcmp(at, "RSD PTR ", 8) == 0 && checksum_good(at, RSDP_BYTES);
}

static const uint8_t *search(uint32_t begin, uint32_t length)
{
    for (uint32_t at = begin; at + RSDP_BYTES <= begin + length; at += PARAGRAPH) {
        const uint8_t *candidate = phys_ptr(at, RSDP_BYTES);

        if (candidate == NULL || !is_rsdp(candidate))
            continue;
        if (candidate[RSDP_REVISION_AT] >= 2 && phys_ptr(at, RSDP2_BYTES) == NULL)
            continue;
        return candidate;
    }
    return NULL;
}

/* Find the root pointer: the loader's copy first, because under UEFI there is no other. length receives its
 * readable size. */
static const uint8_t *find_rsdp(size_t *length)
{
    const uint8_t *rsdp = multiboot_rsdp(length);
    uint32_t ebda = ebda_base();

    if (rsdp != NULL && *length >= RSDP_BYTES && is_rsdp(rsdp))
        return rsdp;
    rsdp = ebda != 0 ? search(ebda, EBDA_SEARCHED) : NULL;
    if (rsdp == NULL)
        rsdp = search(BIOS_BEGIN, BIOS_BYTES);
    if (rsdp != NULL)
        *length = rsdp[RSDP_REVISION_AT] >= 2 ? RSDP2_BYTES : RSDP_BYTES;
    return rsdp;
}

static const char ROOTS_DAMAGED[] = "neither the RSDT nor the XSDT is whole";

/* The table at this address if it has the signature, else null. */
static const uint8_t *signed_at(uint32_t address, const char *signature)
{
    const uint8_t *table = phys_ptr(address, ACPI_HEADER);

    return table != NULL && memcmp(table, signature, 4) == 0 ? table : NULL;
}

/* Null when the table at this address is whole. */
static const char *damage_at(uint32_t address)
{
    const uint32_t length = load32le(phys_ptr(address, ACPI_HEADER) + TABLE_LENGTH_AT);

    if (length < ACPI_HEADER || length > TABLE_LARGEST || phys_ptr(address, length) == NULL)
        return "its length is wrong";
    return checksum_good(phys_ptr(address, length), length) ? NULL : "its checksum is wrong";
}

/* Search the pointers of an RSDT (4 bytes each) or XSDT (8 bytes each; a table above 4 GB is skipped). wrong:
 * see find(). */
static const uint8_t *find_in(uint32_t root, const char *root_signature, uint32_t pointer_bytes,
                              const char *signature, const char **wrong)
{
    const uint8_t *table = signed_at(root, root_signature);

    if (table == NULL || damage_at(root) != NULL)
        return NULL;
    if (*wrong == ROOTS_DAMAGED)
        *wrong = NULL;
    for (uint32_t at = ACPI_HEADER; at + pointer_bytes <= load32le(table + TABLE_LENGTH_AT);
         at += pointer_bytes) {
        const uint32_t address = load32le(table + at);
        const uint8_t *found = signed_at(address, signature);

        if (found == NULL || (pointer_bytes == 8 && load32le(table + at + 4) != 0))
            continue;
        if (damage_at(address) == NULL)
            return found;
        *wrong = damage_at(address);
    }
    return NULL;
}

/* The first whole table with this signature, or null. *wrong is then in words why, or null when none is
 * listed. */
static const uint8_t *find(const char *signature, const char **wrong)
{
    size_t rsdp_length;
    const uint8_t *rsdp = find_rsdp(&rsdp_length), *found = NULL;

    *wrong = NULL;
    if (rsdp == NULL)
        return NULL;
    *wrong = ROOTS_DAMAGED;
    if (rsdp[RSDP_REVISION_AT] >= 2 && rsdp_length >= RSDP2_BYTES && checksum_good(rsdp, RSDP2_BYTES) &&
        load32le(rsdp + RSDP_XSDT_AT + 4) == 0)
        found = find_in(load32le(rsdp + RSDP_XSDT_AT), "XSDT", 8, signature, wrong);
    if (found == NULL)
        found = find_in(load32le(rsdp + RSDP_RSDT_AT), "RSDT", 4, signature, wrong);
    return found;
}

const uint8_t *acpi_table(const char *signature, uint32_t *length)
{
    const char *wrong;
    const uint8_t *found = find(signature, &wrong);

    if (found != NULL)
        *length = load32le(found + TABLE_LENGTH_AT);
    return found;
}

const uint8_t *acpi_table_at(uint32_t address, const char *signature, uint32_t *length)
{
    const uint8_t *table = signed_at(address, signature);

    if (table == NULL || damage_at(address) != NULL)
        return NULL;
    *length = load32le(table + TABLE_LENGTH_AT);
    return table;
}

const char *acpi_damage(const char *signature)
{
    const char *wrong;

    return find(signature, &wrong) != NULL ? NULL : wrong;
}

bool acpi_present(void)
{
    size_t length;
    const uint8_t *rsdp = find_rsdp(&length);

    return rsdp != NULL && (load32le(rsdp + RSDP_RSDT_AT) != 0 ||
                            (rsdp[RSDP_REVISION_AT] >= 2 && load32le(rsdp + RSDP_XSDT_AT + 4) == 0));
}

static void add_processor(struct processor_list *list, uint32_t apic_id, uint32_t flags)
{
    if ((flags & LOCAL_APIC_ENABLED) == 0 || apic_id >= ALL_PROCESSORS)
        return;
    for (unsigned i = 0; i < list->count && i < FIRMWARE_PROCESSORS; i++)
        if (list->apic_ids[i] == apic_id)
            return;
    if (list->count < FIRMWARE_PROCESSORS)
        list->apic_ids[list->count] = (uint8_t)apic_id;
    list->count++;
}

static void read_madt(const uint8_t *madt, uint32_t length, struct processor_list *list)
{
    uint32_t at = MADT_ENTRIES_AT;

    while (at + 2 <= length) {
        uint32_t size = madt[at + 1];

        if (size < 2 || size > length - at)
            return;
        if (madt[at] == MADT_LOCAL_APIC && size >= LOCAL_APIC_BYTES)
            add_processor(list, madt[at + LOCAL_APIC_ID_AT], load32le(madt + at + LOCAL_APIC_FLAGS));
        if (madt[at] == MADT_LOCAL_X2APIC && size >= LOCAL_X2APIC_BYTES)
            add_processor(list, load32le(madt + at + LOCAL_X2APIC_ID),
                          load32le(madt + at + LOCAL_X2APIC_FLAGS));
        if (madt[at] == MADT_IO_APIC && size >= IO_APIC_BYTES && list->io_apic_count < FIRMWARE_IO_APICS)
            list->io_apics[list->io_apic_count++] = load32le(madt + at + IO_APIC_ADDRESS);
        at += size;
    }
    list->whole = at == length;
}

bool acpi_processors(struct processor_list *list)
{
    uint32_t length;
    const uint8_t *madt = acpi_table("APIC", &length);

    list->count = list->io_apic_count = 0;
    list->whole = false;
    if (madt != NULL)
        read_madt(madt, length, list);
    return list->count > 0;
}
