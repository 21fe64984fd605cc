/*
 * Only the second half of the entry point ("_DMI_") is read: it has all that is needed, and boards before
 * SMBIOS 2.1 have nothing else. It points to a list of structures, each with a formatted part, texts, and an
 * empty text that ends it.
 */
#include "firmware.h"
#include "kernel/lib/lib.h"

#define BIOS_AREA  0xF0000u
#define BIOS_END   0x100000u
#define BIOS_STEP  16u
#define ENTRY_SIZE 15u /* bytes of "_DMI_" and its fields */
#define ENTRY_AT   16u /* offset of "_DMI_" from "_SM_", to which UEFI points */

/* SMBIOS_TABLE_GUID {EB9D2D31-2D88-11D3-9A16-0090273FC14D}: the entry point of 32-bit SMBIOS */
static const uint8_t SMBIOS_TABLE_GUID[EFI_GUID_BYTES] = {0x31, 0x2D, 0x9D, 0xEB, 0x88, 0x2D, 0xD3, 0x11,
                                                          0x9A, 0x16, 0x00, 0x90, 0x27, 0x3F, 0xC1, 0x4D};

/* Offsets in "_DMI_". */
#define ENTRY_TABLE_LENGTH 6u
#define ENTRY_TABLE        8u

/* Offsets in every structure; its header also has a handle. */
#define TYPE        0u
#define LENGTH      1u
#define HEADER_SIZE 4u

enum structure_type { BIOS_INFORMATION = 0, SYSTEM_INFORMATION = 1, BASEBOARD = 2, END_OF_TABLE = 127 };

static bool is_entry(const uint8_t *at)
{
    static const char ANCHOR[5] = {'_', 'D', 'M', 'I', '_'};

    for (size_t i = 0; i < sizeof ANCHOR; i++)
        if (at[i] != (uint8_t)ANCHOR[i])
            return false;
    return checksum_good(at, ENTRY_SIZE);
}

static const uint8_t *find_entry(void)
{
    const uint8_t *at;
    uint32_t from_efi = efi_configuration(SMBIOS_TABLE_GUID);

    if (from_efi > 0 && (at = phys_ptr(from_efi, ENTRY_AT + ENTRY_SIZE)) != NULL && is_entry(at + ENTRY_AT))
        return at + ENTRY_AT;
    for (uint32_t address = BIOS_AREA; address < BIOS_END; address += BIOS_STEP) {
        at = phys_ptr(address, ENTRY_SIZE);
        if (at != NULL && is_entry(at))
            return at;
    }
    return NULL;
}

/* One structure within [at, end): its formatted part, its texts, and where the next one begins. */
struct structure {
    const uint8_t *at, *texts, *next;
};

static bool structure_within(struct structure *s, const uint8_t *at, const uint8_t *end)
{
    size_t left = (size_t)(end - at);

    if (left < HEADER_SIZE || at[LENGTH] < HEADER_SIZE || at[LENGTH] > left)
        return false;
    s->at = at;
    s->texts = at + at[LENGTH];
    for (s->next = s->texts; end - s->next >= 2; s->next++) {
        if (s->next[0] == 0 && s->next[1] == 0) {
            s->next += 2;
            return true;
        }
    }
    return false;
}

/* Copy the text whose number is in the field at this offset; out keeps its value when the text is blank or
 * missing. */
static void copy_text(char out[SMBIOS_CHARS], const struct structure *s, size_t offset)
{
    const uint8_t *text = s->texts;
    size_t length = 0;

    if (offset >= s->at[LENGTH] || s->at[offset] == 0)
        return;
    for (unsigned number = s->at[offset]; number > 1 && text < s->next; number--) {
        while (text < s->next && *text != 0)
            text++;
        text++;
    }
    while (text + length < s->next && text[length] != 0 && length < SMBIOS_CHARS - 1)
        length++;
    while (length > 0 && text[length - 1] == ' ')
        length--;
    for (size_t i = 0; i < length; i++)
        out[i] = text[i] >= ' ' && text[i] <= '~' ? (char)text[i] : '?';
    if (length > 0)
        out[length] = '\0';
}

static void read_structure(struct smbios *smbios, const struct structure *s, bool *has_board)
{
    switch (s->at[TYPE]) {
    case BIOS_INFORMATION:
        copy_text(smbios->bios_vendor, s, 4);
        copy_text(smbios->bios_version, s, 5);
        copy_text(smbios->bios_date, s, 8);
        break;
    case SYSTEM_INFORMATION:
    case BASEBOARD:
        if (*has_board)
            break;
        *has_board = s->at[TYPE] == BASEBOARD;
        copy_text(smbios->board_vendor, s, 4);
        copy_text(smbios->board, s, 5);
        break;
    }
}

const char *smbios_read(struct smbios *smbios)
{
    const uint8_t *entry = find_entry(), *at, *end;
    struct structure s;
    bool has_board = false;

    *smbios = (struct smbios){0};
    if (entry == NULL)
        return "no SMBIOS entry point where firmware keeps it";
    at = phys_ptr(load32le(entry + ENTRY_TABLE), load16le(entry + ENTRY_TABLE_LENGTH));
    if (at == NULL)
        return "the SMBIOS table lies outside of memory";
    end = at + load16le(entry + ENTRY_TABLE_LENGTH);
    while (structure_within(&s, at, end) && s.at[TYPE] != END_OF_TABLE) {
        read_structure(smbios, &s, &has_board);
        at = s.next;
    }
    return NULL;
}
