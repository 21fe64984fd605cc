/*
 * ACPI tables (kernel/firmware/acpi.c): the input lies at the start of the BIOS area, where the root pointer
 * is searched. Whatever the input holds: only memory that phys_ptr() returned is read, and a true result
 * comes with at least one processor.
 */
#include "fuzz.h"

#include <assert.h>
#include "kernel/firmware/firmware.h"
#include "window.h"

#define BIOS 0xE0000u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct processor_list list;

    window_open(BIOS, data, size);
    assert(acpi_processors(&list) == (list.count > 0));
    window_close();
    return 0;
}
