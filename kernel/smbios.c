/*
 * The entry point's second half ("_DMI_") has all that is needed and is all that boards before SMBIOS 2.1
 * have. Structures follow each other: a formatted part of its own length, then texts, then an empty text.
 */
#include "smbios.h"
#include "firmware.h"
#include "loader.h"

#define BIOS_AREA  0xF0000u
#define BIOS_END   0x100000u
#define BIOS_STEP  16u
#define ENTRY_SIZE 15u /* of "_DMI_" */

/* Offsets in it. */
#define ENTRY_TABLE_LENGTH 6u
#define ENTRY_TABLE        8u

/* Every structure: type, length of the formatted part, handle. */
#define TYPE        0u
#define LENGTH      1u
#define HEADER_SIZE 4u

enum structure_type { BIOS_INFORMATION = 0, SYSTEM_INFORMATION = 1, BASEBOARD = 2, END_OF_TABLE = 127 };

static bool is_entry(const uint8_t *at)
{
    static const char ANCHOR[5] = {'_', 'D', 'M', 'I', '_'};

    for (size_t i = 0; i < sizeof(ANCHOR); i++)
        if (at[i] != (uint8_t)ANCHOR[i])
            return false;
    return checksum_good(at, ENTRY_SIZE);
}

static const uint8_t *find_entry(void)
{
    for (uint32_t address = BIOS_AREA; address < BIOS_END; address += BIOS_STEP) {
        const uint8_t *at = physical(address, ENTRY_SIZE);
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

/* Copy the text whose number is in the field at offset; a blank or missing one leaves out as it is. */
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
        return "no SMBIOS entry point in the BIOS area";
    at = physical(field32(entry + ENTRY_TABLE), field16(entry + ENTRY_TABLE_LENGTH));
    if (at == NULL)
        return "the SMBIOS table lies outside of memory";
    end = at + field16(entry + ENTRY_TABLE_LENGTH);
    while (structure_within(&s, at, end) && s.at[TYPE] != END_OF_TABLE) {
        read_structure(smbios, &s, &has_board);
        at = s.next;
    }
    return NULL;
}
