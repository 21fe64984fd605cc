/*
 * SMBIOS tables (kernel/firmware/smbios.c): the input lies at the start of the area that is searched for the
 * entry point. Whatever the input holds: only memory that phys_ptr() returned is read, and every text is
 * printable and ends with a NUL.
 */
#include "fuzz.h"

#include <assert.h>
#include <string.h>
#include "kernel/firmware/firmware.h"
#include "window.h"

#define BIOS 0xF0000u

static void check(const char *text)
{
    assert(memchr(text, '\0', SMBIOS_CHARS) != NULL);
    for (; *text != '\0'; text++)
        assert(*text >= ' ' && *text <= '~');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct smbios smbios;

    window_open(BIOS, data, size);
    smbios_read(&smbios);
    window_close();
    check(smbios.board_vendor);
    check(smbios.board);
    check(smbios.bios_vendor);
    check(smbios.bios_version);
    check(smbios.bios_date);
    return 0;
}
