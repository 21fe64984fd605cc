/*
 * ACPI and SMBIOS tables (kernel/firmware/acpi.c, smbios.c): the input lies at the start of the area that is
 * searched for the root pointer, then of the one that is searched for SMBIOS's entry point. Whatever the
 * input holds: only memory that phys_ptr() returned is read, a true result of ACPI comes with at least one
 * processor, and every text of SMBIOS is printable and ends with a NUL.
 */
#include "fuzz.h"

#include <assert.h>
#include <string.h>
#include "kernel/firmware/firmware.h"
#include "pmc/count_of.h"

#define ACPI_AREA   0xE0000u
#define SMBIOS_AREA 0xF0000u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct processor_list list;
    struct smbios smbios;

    window_open(ACPI_AREA, data, size);
    assert(acpi_processors(&list) == (list.count > 0));
    window_close();

    window_open(SMBIOS_AREA, data, size);
    smbios_read(&smbios);
    window_close();
    const char *const texts[] = {smbios.board_vendor, smbios.board, smbios.bios_vendor, smbios.bios_version,
                                 smbios.bios_date};
    for (unsigned i = 0; i < COUNT_OF(texts); i++) {
        assert(memchr(texts[i], '\0', SMBIOS_CHARS) != NULL);
        for (const char *text = texts[i]; *text != '\0'; text++)
            assert(*text >= ' ' && *text <= '~');
    }
    return 0;
}
