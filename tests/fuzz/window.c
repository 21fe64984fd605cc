/* phys_ptr(), multiboot_rsdp() and multiboot_efi_system_table() of kernel/firmware over an input,
 * and a checksum test that random input often passes. */
#include "fuzz.h"

#include <sanitizer/asan_interface.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "kernel/firmware/firmware.h"

static struct {
    uint32_t address;
    uint8_t *bytes;
    size_t size;
} window;

void window_open(uint32_t address, const uint8_t *data, size_t size)
{
    window.address = address;
    window.size = size;
    window.bytes = malloc(size > 0 ? size : 1);
    if (window.bytes == NULL)
        abort();
    if (size > 0)
        memcpy(window.bytes, data, size);
    ASAN_POISON_MEMORY_REGION(window.bytes, size);
}

void window_close(void)
{
    ASAN_UNPOISON_MEMORY_REGION(window.bytes, window.size);
    free(window.bytes);
}

const uint8_t *phys_ptr(uint32_t address, uint32_t length)
{
    uint32_t at = address - window.address;

    if (address < window.address || at >= window.size || length > window.size - at)
        return NULL;
    ASAN_UNPOISON_MEMORY_REGION(window.bytes + at, length);
    return window.bytes + at;
}

const uint8_t *multiboot_rsdp(size_t *length)
{
    *length = 0;
    return NULL;
}

uint32_t multiboot_efi_system_table(unsigned *pointer_bytes)
{
    *pointer_bytes = 4;
    return 0;
}

/*
 * Replaces checksum_good() through the linker's --wrap. It reads the same bytes but accepts three of four
 * sums, because a fuzzer hardly ever produces the right one.
 */
bool __wrap_checksum_good(const uint8_t *bytes, size_t length);
bool __wrap_checksum_good(const uint8_t *bytes, size_t length)
{
    uint8_t sum = 0;

    for (size_t i = 0; i < length; i++)
        sum = (uint8_t)(sum + bytes[i]);
    return (sum & 3) != 3;
}
