/* Intel MultiProcessor Specification 1.4: floating pointer structure -> configuration table -> processors. */
#include "tables.h"
#include "multiboot.h"
#include "kernel/lib/string.h"

#define FLOATING_BYTES     16u
#define FLOATING_TABLE_AT  4u
#define FLOATING_LENGTH_AT 8u  /* in paragraphs, always 1 */
#define FLOATING_DEFAULT   11u /* not 0: a default configuration, no table */
#define HEADER_BYTES       44u
#define HEADER_LENGTH_AT   4u
#define HEADER_COUNT_AT    34u
#define ENTRY_PROCESSOR    0u
#define PROCESSOR_BYTES    20u
#define OTHER_BYTES        8u
#define PROCESSOR_ID_AT    1u
#define PROCESSOR_FLAGS_AT 3u
#define PROCESSOR_ENABLED  1u
#define BDA_BASE_KB        0x413u
#define SEARCHED           1024u
#define BIOS_BEGIN         0xF0000u
#define BIOS_BYTES         0x10000u
#define PARAGRAPH          16u

static const uint8_t *search(uint32_t begin, uint32_t length)
{
    for (uint32_t at = begin; at + FLOATING_BYTES <= begin + length; at += PARAGRAPH) {
        const uint8_t *candidate = physical(at, FLOATING_BYTES);

        if (candidate != NULL && memcmp(candidate, "_MP_", 4) == 0 && candidate[FLOATING_LENGTH_AT] == 1 &&
            checksum_good(candidate, FLOATING_BYTES))
            return candidate;
    }
    return NULL;
}

/* The three places of section 4: EBDA, last kilobyte of base memory, BIOS ROM. */
static const uint8_t *find_floating(void)
{
    const uint8_t *base_kb = physical(BDA_BASE_KB, 2), *found = NULL;
    uint32_t ebda = ebda_base(), kb = base_kb != NULL ? field16(base_kb) : 0;

    if (ebda != 0)
        found = search(ebda, SEARCHED);
    if (found == NULL && kb > 0)
        found = search((kb - 1) * 1024, SEARCHED);
    return found != NULL ? found : search(BIOS_BEGIN, BIOS_BYTES);
}

static void read_table(const uint8_t *table, uint32_t length, struct processor_list *list)
{
    uint32_t at = HEADER_BYTES;

    for (unsigned left = field16(table + HEADER_COUNT_AT); left > 0; left--) {
        uint32_t size = at < length && table[at] == ENTRY_PROCESSOR ? PROCESSOR_BYTES : OTHER_BYTES;

        if (at >= length || size > length - at)
            return;
        if (table[at] == ENTRY_PROCESSOR && (table[at + PROCESSOR_FLAGS_AT] & PROCESSOR_ENABLED) != 0)
            processor_list_add(list, table[at + PROCESSOR_ID_AT]);
        at += size;
    }
}

bool mptable_processors(struct processor_list *list)
{
    const uint8_t *floating = find_floating(), *table;
    uint32_t address, length;

    list->count = 0;
    if (floating == NULL)
        return false;
    if (floating[FLOATING_DEFAULT] != 0) { /* chapter 5: two processors, local APIC IDs 0 and 1 */
        processor_list_add(list, 0);
        processor_list_add(list, 1);
        return true;
    }
    address = field32(floating + FLOATING_TABLE_AT);
    table = physical(address, HEADER_BYTES);
    if (table == NULL || memcmp(table, "PCMP", 4) != 0)
        return false;
    length = field16(table + HEADER_LENGTH_AT);
    if (length < HEADER_BYTES || physical(address, length) == NULL || !checksum_good(table, length))
        return false;
    read_table(table, length, list);
    return list->count > 0;
}
